/** Pages of the caller out of an upstream that counts in pages too, of at most some rows. */
import type { SentRows } from './pages.ts'

/** The `index`-th page (from 0) of `size` rows, of which the rows `from` up to before `to` are wanted. */
export interface Window { readonly index: number, readonly size: number, readonly from: number, readonly to: number }

/** Pages of this many rows are served whole by every call that is asked this way. */
const mostRows = 50

/**
 * The pages of one size that hold the rows `offset` to `offset + count - 1`; `offset` is a multiple of `count`.
 * One where the upstream serves that many rows at once, else two or three.
 */
export function windowsOf (offset: number, count: number): Window[] {
  const size = count <= mostRows ? count : count % 2 === 0 ? count / 2 : mostRows
  const first = Math.floor(offset / size)
  const last = Math.floor((offset + count - 1) / size)
  return Array.from({ length: last - first + 1 }, (_, at): Window => {
    const index = first + at
    return { index, size, from: Math.max(0, offset - index * size), to: Math.min(size, offset + count - index * size) }
  })
}

/** Row of the whole list that a window begins with. */
export const firstRowOf = ({ index, size }: Window): number => index * size

/** The wanted rows of an answer, with what it says about the list. */
export interface Part<T> { readonly rows: readonly T[], readonly sent: number, readonly total: number | undefined }

export function wanted<T> ({ rows, sent, total }: SentRows<T>, { from, to }: Pick<Window, 'from' | 'to'>): Part<T> {
  return { rows: rows.flatMap(({ at, row }) => at >= from && at < to ? [row] : []), sent, total }
}

/** No rows though the list goes on, or no rows and no count either: that is not the whole truth. */
export function isSuspect ({ sent, total = 0 }: Part<unknown>, window: Window): boolean {
  return sent === 0 && (total === 0 || firstRowOf(window) < total)
}

/** Asks for one window after the other, as long as there are rows left. `first` is the first answer. */
export async function joinWindows<T, P extends Part<T>> (windows: readonly Window[], ask: (window: Window) => Promise<P & Part<T>>): Promise<{ first: P, rows: T[], total: number }> {
  const [start, ...rest] = windows
  if (start === undefined) throw new TypeError('a page has at least one window')
  const first = await ask(start)
  const rows = [...first.rows]
  let part: Part<T> = first
  for (const window of rest) {
    if (part.total === undefined ? part.sent < window.size : firstRowOf(window) >= part.total) break
    part = await ask(window)
    rows.push(...part.rows)
  }
  return { first, rows, total: first.total ?? rows.length }
}
