/** Maps the caller's pages to pages of an upstream that limits the rows per page. */
import { upstreamEmpty } from '../../common/errors.ts'
import type { SentRows } from './pages.ts'

/** The `index`-th page (from 0) of `size` rows. Its rows from `from` up to, but not including, `to` are used. */
export interface UpstreamPage { readonly index: number, readonly size: number, readonly from: number, readonly to: number }

/** Page sizes that a call serves completely. */
export interface PageSizes { readonly least: number, readonly most: number }

const usual: PageSizes = { least: 1, most: 50 }

/**
 * Returns the pages, all of one size, that contain the rows `offset` to `offset + count - 1`. It is one page if the
 * upstream serves that many rows at once and `offset` is a multiple of `count`.
 */
export function upstreamPages (offset: number, count: number, { least, most }: PageSizes = usual): UpstreamPage[] {
  const parts = Math.ceil(count / most)
  const size = count < least ? count * Math.ceil(least / count) : count % parts === 0 ? count / parts : most
  const first = Math.floor(offset / size)
  const last = Math.floor((offset + count - 1) / size)
  return Array.from({ length: last - first + 1 }, (_, at): UpstreamPage => {
    const index = first + at
    return { index, size, from: Math.max(0, offset - index * size), to: Math.min(size, offset + count - index * size) }
  })
}

/** Returns the first row of a page, counted in the whole list. */
export const firstRowOf = ({ index, size }: UpstreamPage): number => index * size

/** The used rows of a response, the number of rows it sent, and the total of the list. */
export interface PageSlice<T> { readonly rows: readonly T[], readonly sent: number, readonly total: number | undefined }

/** Returns the used rows of a response. */
export function sliceOf<T> ({ rows, sent, total }: SentRows<T>, { from, to }: Pick<UpstreamPage, 'from' | 'to'>): PageSlice<T> {
  return { rows: rows.flatMap(({ at, row }) => at >= from && at < to ? [row] : []), sent, total }
}

/**
 * Whether a slice that begins at the row `offset` looks like a blocked call: no rows at all, or none although the list
 * continues. A list without a row looks the same.
 */
export const isBlockedSlice = ({ sent, total = 0 }: Pick<PageSlice<unknown>, 'sent' | 'total'>, offset: number): boolean =>
  sent === 0 && (total === 0 || offset < total)

/**
 * Returns the slice unless it looks like a blocked call. Throws UPSTREAM_EMPTY for a blocked call, since another call may
 * have rows.
 */
export function unlessBlockedPage<P extends Pick<PageSlice<unknown>, 'sent' | 'total'>> (slice: P, page: UpstreamPage, call: string, what: string): P {
  if (isBlockedSlice(slice, firstRowOf(page))) throw upstreamEmpty(call, what)
  return slice
}

/**
 * Fetches one page after the other while rows remain. `first` is the first response. Throws TypeError if `pages` is
 * empty.
 */
export async function fetchPages<T, P extends PageSlice<T>> (
  pages: readonly UpstreamPage[],
  fetchPage: (page: UpstreamPage) => Promise<P & PageSlice<T>>
): Promise<{ first: P, rows: T[], total: number }> {
  const [start, ...rest] = pages
  if (start === undefined) throw new TypeError('there is no page to fetch')
  const first = await fetchPage(start)
  const rows = [...first.rows]
  let slice: PageSlice<T> = first
  for (const page of rest) {
    if (slice.total === undefined ? slice.sent < page.size : firstRowOf(page) >= slice.total) break
    slice = await fetchPage(page)
    rows.push(...slice.rows)
  }
  return { first, rows, total: first.total ?? rows.length }
}
