/**
 * Pages of the caller out of what the upstream serves at a time. Rows are picked by their place in the upstream's own
 * list, so that a row that cannot be read shifts none of the others.
 */
import { maybe } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'

/** The `index`-th stretch (from 0) of `size` rows, of which the rows `from` up to before `to` are wanted. */
export interface Window { readonly index: number, readonly size: number, readonly from: number, readonly to: number }

/** Part of a list: the wanted rows, how many rows were sent in all, and how many exist (0: not said). */
export interface Part<T> { readonly rows: readonly T[], readonly seen: number, readonly total: number }

/** Stretches of this many rows are served whole by every call that counts in pages. */
const mostRows = 50

/**
 * The stretches of equal size that hold the rows `offset` to `offset + count - 1`; `offset` is a multiple of `count`.
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

/** Rows of the first of these lists that has any, as far as they are wanted. */
export function partOf<T> (answer: Answer, paths: string | readonly string[], { from, to }: Pick<Window, 'from' | 'to'>, total: number | undefined, readRow: (row: Answer) => T): Part<T> {
  let seen = 0
  const rows = maybe.list(answer, paths, (row, index) => {
    seen = index + 1
    return index < from || index >= to ? undefined : readRow(row)
  })
  return { rows, seen, total: total ?? 0 }
}

/** No rows though the list goes on, or no rows and no count either: that is not the whole truth. */
export function isSuspect ({ seen, total }: Part<unknown>, window: Window): boolean {
  return seen === 0 && (total === 0 || firstRowOf(window) < total)
}

/** Asks for one window after the other, as long as there are rows left; `first` is the answer of the first one. */
export async function joinWindows<T, P extends Part<T>> (windows: readonly Window[], ask: (window: Window) => Promise<P & Part<T>>): Promise<{ first: P, rows: T[], total: number }> {
  const [start, ...rest] = windows
  if (start === undefined) throw new TypeError('a page has at least one window')
  const first = await ask(start)
  const rows = [...first.rows]
  let part: Part<T> = first
  for (const window of rest) {
    if (part.total > 0 ? firstRowOf(window) >= part.total : part.seen < window.size) break
    part = await ask(window)
    rows.push(...part.rows)
  }
  return { first, rows, total: first.total }
}

/** A part that knows whether rows follow. */
export interface Stretch<T> extends Part<T> { readonly more: boolean }

/**
 * Rows `offset` to `offset + limit - 1` of a list that is asked for by first row and number, `most` at a time, however
 * few the upstream gives. Ends where it says so, or sends none.
 */
export async function gather<T, P extends Stretch<T>> (offset: number, limit: number, most: number, ask: (begin: number, num: number) => Promise<P & Stretch<T>>): Promise<{ first: P, rows: T[] }> {
  const end = offset + limit
  const first = await ask(offset, Math.min(limit, most))
  const rows = [...first.rows]
  let part: Stretch<T> = first
  let begin = offset + part.seen
  while (part.more && part.seen > 0 && begin < end) {
    part = await ask(begin, Math.min(end - begin, most))
    rows.push(...part.rows)
    begin += part.seen
  }
  return { first, rows }
}
