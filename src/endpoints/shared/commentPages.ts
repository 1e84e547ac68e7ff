/**
 * Pages of a comment list. A page counts the rows of the upstream: page n of size s has the rows n*s to n*s+s-1, without those
 * that have no text, so no row is lost or repeated between pages.
 *
 * Without an account the upstream finds a page by its number; with one it only continues after a row that the request names
 * (both observed 2026-09). The classic list needs number and row. A page is therefore requested by the mark of the row before
 * it, if that mark is cached; else by its number; else the list is read up to it.
 */
import { InvalidInput, otherCallMayHelp } from '../../common/errors.ts'
import { valueOf } from '../../upstream/settled.ts'
import type { Alternative, CompositeCall, MusicuCall, Upstream, UpstreamCall } from '../../upstream/calls.ts'
import type { CommentPart, CommentPosition, SentComment, Source } from './commentLists.ts'
import { optional } from './optional.ts'

/** The list to read: its two sources, and the recently cached marks of its rows. */
export interface CommentSources {
  readonly upstream: Upstream
  readonly modern: (position: CommentPosition) => MusicuCall<CommentPart>
  readonly classic: (position: CommentPosition) => UpstreamCall<CommentPart>
  readonly classicFirst: boolean
  readonly marks: { get (position: number): string | undefined, set (position: number, mark: string): void }
}

/** Rows of one page. `first` is a response that has the totals of the list; `more` is true if the list continues. */
export interface CommentPage { readonly first: CommentPart, readonly rows: readonly SentComment[], readonly more: boolean }

/** Rows per request (the upstream's maximum), and the maximum requests for one page. */
const rowsPerRequest = 50
const mostRequests = 20

/** Returns the source that a mark belongs to. Modern sequence numbers are all digits; classic ids are not. */
export const sourceOfMark = (mark: string): Source => /^\d+$/.test(mark) ? 'modern' : 'classic'

/**
 * Fetches a part of the list. With a `source`, the request goes to that source only, because no other can continue its
 * list.
 */
export async function fetchPart (
  { upstream, modern, classic, classicFirst }: CommentSources,
  position: CommentPosition,
  source?: Source
): Promise<CommentPart> {
  if (source !== undefined) return await upstream.send<CommentPart>(source === 'modern' ? modern(position) : classic(position))
  const calls: UpstreamCall<CommentPart>[] = [modern(position), classic(position)]
  return await upstream.firstOf(classicFirst ? calls.reverse() : calls)
}

/**
 * Returns one page. Throws InvalidInput if the upstream does not support requesting it directly, and it is too far from the
 * beginning to read up to it.
 */
export async function commentPage (sources: CommentSources, page: number, size: number): Promise<CommentPage> {
  const part = await partAt(sources, page, size)
  const found = part === undefined
    ? await readTo(sources, page * size, size)
    : { first: part, rows: part.rows.slice(0, size), more: part.more || part.rows.length > size }
  const mark = found.rows.at(-1)?.mark ?? ''
  // The start of the next page is unknown after a short page.
  if (found.more && mark !== '' && found.rows.length === size) sources.marks.set((page + 1) * size, mark)
  return found
}

/** Reads the list up to a page and returns the page. */
async function readTo (sources: CommentSources, begin: number, size: number): Promise<CommentPage> {
  const { first, rows, from, more } = await readRows(sources, { begin, maxRequests: mostRequests, enough: (found) => found >= begin + size })
  const own = rows.slice(begin - from, begin - from + size)
  const isBeyond = own.length === 0 && first.total > 0 && begin >= first.total
  if (more && own.length < size && !isBeyond) {
    throw new InvalidInput(
      'pagenum: this page is too far from the known part of the list. Ask for the pages before it, one after the other, or pass the cursor of the page before (nextCursor).'
    )
  }
  return { first, rows: own, more: !isBeyond && (more || from + rows.length > begin + size) }
}

/** Requests the page itself. Undefined if the upstream does not find it, so that the list has to be read up to it. */
async function partAt (sources: CommentSources, page: number, size: number): Promise<CommentPart | undefined> {
  if (page === 0) return await fetchPart(sources, { page, size, after: '' })
  const after = sources.marks.get(page * size)
  if (after !== undefined) {
    const part = await optional(fetchPart(sources, { page, size, after }, sourceOfMark(after)), otherCallMayHelp)
    if (part !== undefined) return part
  }
  if (sources.upstream.loggedIn || sources.classicFirst) return undefined
  return await optional(sources.upstream.firstOf([byNumber(sources, page, size)]), otherCallMayHelp)
}

/**
 * Requests a page by its number, together with the first one: an upstream that ignores the number sends the same rows twice.
 * Undefined then, and when rows are missing: the start of the next page is unknown after a short page.
 */
function byNumber ({ modern }: CommentSources, page: number, size: number): Alternative<CommentPart | undefined> {
  const calls = [modern({ page: 0, size, after: '' }), modern({ page, size, after: '' })] as const
  const both: CompositeCall<CommentPart | undefined, typeof calls> = {
    name: calls[0].name,
    calls,
    read ([start, found]) {
      const [first, part] = [valueOf(start), valueOf(found)]
      const [row] = part.rows
      if (row === undefined) return page * size < first.total ? undefined : { ...part, total: first.total, more: false }
      return row.mark === first.rows[0]?.mark || (part.more && part.rows.length < size) ? undefined : part
    }
  }
  return both
}

/** How far to read: to the row `begin` at least, with `maxRequests` requests, until `enough` rows of the list are known. */
export interface ReadOptions { readonly begin: number, readonly maxRequests: number, readonly enough: (found: number, rows: readonly SentComment[]) => boolean }

/**
 * Reads the list, `rowsPerRequest` rows per request, from the last known row before `begin` on. The result's `rows` begin with the
 * row `from` of the list.
 */
export async function readRows (sources: CommentSources, { begin, maxRequests, enough }: ReadOptions): Promise<CommentPage & { readonly from: number }> {
  const { marks } = sources
  const known = lastKnown(marks, begin)
  const resumed = known === 0 ? undefined : await optional(fetchPart(sources, partFrom(known, marks), sourceOfMark(marks.get(known) ?? '')), otherCallMayHelp)
  const from = resumed === undefined ? 0 : known
  const first = resumed ?? await fetchPart(sources, { page: 0, size: rowsPerRequest, after: '' })
  const rows = [...first.rows]
  let { more } = first
  let aligned = true
  for (let sent = 1; sent < maxRequests && more && !enough(from + rows.length, rows); sent++) {
    const after = rows.at(-1)?.mark ?? ''
    if (after === '') return { first, rows, from, more: false } // without a mark the list cannot be continued
    aligned &&= rows.length % rowsPerRequest === 0
    if (aligned) marks.set(from + rows.length, after)
    const part = await fetchPart(sources, { page: from / rowsPerRequest + sent, size: rowsPerRequest, after }, first.source)
    if (part.rows.length === 0) return { first, rows, from, more: false }
    rows.push(...part.rows)
    more = part.more
  }
  return { first, rows, from, more }
}

const partFrom = (position: number, marks: CommentSources['marks']): CommentPosition => ({
  page: position / rowsPerRequest,
  size: rowsPerRequest,
  after: marks.get(position) ?? ''
})

/** Returns the last row number up to `begin` from which the list can be continued in whole requests; 0 for its beginning. */
function lastKnown (marks: CommentSources['marks'], begin: number): number {
  for (let position = begin - begin % rowsPerRequest; position > 0; position -= rowsPerRequest) if (marks.get(position) !== undefined) return position
  return 0
}
