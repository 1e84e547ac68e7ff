/** Pages, out of an upstream that chooses the number of rows (30, or at most 60; 2026-08) or limits it. */
import {
  UpstreamError, maybe, optional, otherCallMayHelp, upstreamEmpty, valueOf, type Alternative, type Answer, type Context,
  type MusicuCall, type Settled, type UpstreamCall
} from '../kit.ts'

/** Rows of one response, with their positions: an unreadable row leaves a gap and does not shift the others. */
export interface SentRows<T> {
  /** Number of rows in the whole list; undefined when the upstream does not send it. */
  readonly total: number | undefined
  /** Number of rows that were sent, including unreadable ones. */
  readonly sent: number
  readonly rows: readonly { readonly at: number, readonly row: T }[]
}

/** Reads the rows of a response with their positions. Rows for which `readRow` returns undefined are left out. */
export function readSentRows<T> (
  answer: Answer,
  paths: readonly string[],
  total: number | undefined,
  readRow: (row: Answer, at: number) => T | undefined
): SentRows<T> {
  let sent = 0
  const rows = maybe.list(answer, paths, (row, at) => {
    sent = Math.max(sent, at + 1)
    const found = readRow(row, at)
    return found === undefined ? undefined : { at, row: found }
  })
  return { total, sent, rows }
}

/** Rows of a list without pages, and the number of rows that were left out. */
export interface CountedRows<T> { readonly rows: T[], readonly skipped: number }

/** Reads the rows of a list without pages. Counts those that `readRow` refuses or leaves out. */
export function readCounted<T> (
  answer: Answer,
  paths: readonly string[],
  readRow: (row: Answer, at: number) => T | undefined
): CountedRows<T> {
  const { rows, sent } = readSentRows(answer, paths, undefined, readRow)
  return { rows: rows.map(({ row }) => row), skipped: sent - rows.length }
}

/** One of several lists of an answer. `error`: why none of its rows can be read. */
export interface Part<T> extends CountedRows<T> { readonly error?: UpstreamError }

/** Like `readCounted`, for a list whose rows, if none can be read, must not cost the rest of the answer. */
export function readPart<T> (...[answer, paths, readRow]: Parameters<typeof readCounted<T>>): Part<T> {
  let sent = 0
  try {
    return readCounted(answer, paths, (row, at) => {
      sent++
      return readRow(row, at)
    })
  } catch (error) {
    if (error instanceof UpstreamError) return { rows: [], skipped: sent, error }
    throw error
  }
}

/** Reads the rows of lists in a list; see `together`. */
export const readGroups = <T>(
  groups: (readGroup: (group: Answer) => Part<T>) => readonly Part<T>[],
  paths: readonly string[],
  readRow: (row: Answer, group: Answer) => T | undefined
): CountedRows<T> =>
  together(groups((group) => readPart(group, paths, (row) => readRow(row, group))))

/** Returns the rows of all parts. Throws the error of one if there is no row. */
export function together<T> (parts: readonly Part<T>[]): CountedRows<T> {
  const rows = parts.flatMap((part) => part.rows)
  const error = parts.find((part) => part.error !== undefined)?.error
  if (rows.length === 0 && error !== undefined) throw error
  return { rows, skipped: parts.reduce((sum, { skipped }) => sum + skipped, 0) }
}

/**
 * Returns the page unless it looks like a blocked call: no rows and no total, or no rows at the `begin`ning of a list
 * whose total is above 0. Throws UPSTREAM_EMPTY for a blocked call; `what` names the missing data.
 */
export function unlessBlocked<T> (page: SentRows<T>, begin: number, call: string, what: string): SentRows<T> {
  if (page.sent === 0 && (page.total === undefined || (begin === 0 && page.total > 0))) throw upstreamEmpty(call, what)
  return page
}

/**
 * Sends calls until one has rows. An empty answer may be a refusal: a second call must confirm it, unless no other
 * answers. `what` names the missing data.
 */
export async function confirmedIfEmpty<T> (
  calls: readonly UpstreamCall<T>[],
  isEmpty: (found: T) => boolean,
  what: string,
  { upstream, cacheAtMost }: Pick<Context, 'upstream' | 'cacheAtMost'>
): Promise<T> {
  const first: { empty?: T } = {}
  const confirmed = (call: UpstreamCall<T>): UpstreamCall<T> => ({
    emptyCounts: true,
    ...call,
    read (answer) {
      const found = call.read(answer)
      if (!isEmpty(found) || first.empty !== undefined) return found
      first.empty = found
      throw upstreamEmpty(answer.call, what)
    }
  })
  try {
    return await upstream.firstOf(calls.map(confirmed))
  } catch (error) {
    if (first.empty === undefined || !otherCallMayHelp(error)) throw error
    cacheAtMost('brief')
    return first.empty
  }
}

/**
 * Returns the call for the rows `begin` to `begin + num - 1`. If the upstream sends only `most` rows per response, it
 * consists of several calls in one POST; calls beyond the end of the list return no rows.
 */
export function rowsInOnePost<T> (
  call: (begin: number, num: number) => MusicuCall<SentRows<T>>,
  begin: number,
  num: number,
  most: number
): Alternative<SentRows<T>> {
  const first = call(begin, num)
  if (num <= most) return first
  const offsets = Array.from({ length: Math.ceil(num / most) }, (_, at) => at * most)
  return {
    name: first.name,
    ...first.codes === undefined ? {} : { codes: first.codes },
    calls: [first, ...offsets.slice(1).map((offset) => call(begin + offset, num - offset))],
    read: (settled: readonly Settled<unknown>[]) => joined(offsets, settled as readonly Settled<SentRows<T>>[])
  }
}

/** Joins responses up to the first that failed, repeats, or leaves a gap. Throws the error of the first one. */
function joined<T> (offsets: readonly number[], settled: readonly Settled<SentRows<T>>[]): SentRows<T> {
  let last = valueOf(settled[0] as Settled<SentRows<T>>)
  let { total, sent } = last
  const rows = [...last.rows]
  for (const [at, offset] of offsets.entries()) {
    const part = settled[at]?.value
    if (at === 0) continue
    if (part === undefined || offset > sent || isSame(part, last)) break
    const known = sent
    rows.push(...part.rows.flatMap((row) => row.at + offset < known ? [] : [{ at: row.at + offset, row: row.row }]))
    sent = Math.max(sent, offset + part.sent)
    total = part.total ?? total
    last = part
  }
  return { total, sent, rows }
}

/**
 * Returns `limit` rows from `offset` on, in as many requests as necessary. `fetchRows(begin, num)` sends one of them.
 * Pages have no gap and no overlap. A page is shorter if the upstream sends too few rows (more than `mostAnswers`
 * responses for one page), repeats itself instead of continuing, or no longer finds the list that it just sent. In the
 * last case the answer is cached briefly. Throws the errors of `fetchRows`, except for NOT_FOUND and UPSTREAM_EMPTY
 * after the first response. `skipped`: number of places of the page whose row was left out.
 */
export async function collectRows<T> (
  offset: number,
  limit: number,
  fetchRows: (begin: number, num: number) => Promise<SentRows<T>>,
  cacheAtMost: Context['cacheAtMost'],
  mostAnswers = 10
): Promise<CountedRows<T> & { readonly total: number }> {
  const end = offset + limit
  const rows: T[] = []
  let skipped = 0
  let begin = offset
  let total: number | undefined
  let last: SentRows<T> | undefined
  for (let answers = 0; answers < mostAnswers && begin < Math.min(end, total ?? end); answers++) {
    const page = await optional(
      fetchRows(begin, end - begin),
      ({ code }) => last !== undefined && (code === 'NOT_FOUND' || code === 'UPSTREAM_EMPTY')
    )
    if (page === undefined) cacheAtMost('brief')
    if (page === undefined || page.sent === 0 || isSame(page, last)) {
      total = page?.total ?? total
      break
    }
    const own = page.rows.filter(({ at }) => begin + at < end)
    rows.push(...own.map(({ row }) => row))
    // Some lists count the places of a short last page as sent.
    skipped += Math.max(0, Math.min(page.sent, end - begin, (page.total ?? Infinity) - begin) - own.length)
    begin += page.sent
    total = page.total ?? total
    last = page
  }
  return { rows, skipped, total: total ?? begin }
}

function isSame (page: SentRows<unknown>, last: SentRows<unknown> | undefined): boolean {
  return last !== undefined && page.rows.length > 0 && page.sent === last.sent
    && JSON.stringify(page.rows) === JSON.stringify(last.rows)
}

// Pages of an upstream that limits the rows per page.

/** The `index`-th page (from 0) of `size` rows. Its rows from `from` up to, but not including, `to` are used. */
export interface UpstreamPage {
  readonly index: number
  readonly size: number
  readonly from: number
  readonly to: number
}

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

export const firstRowOf = ({ index, size }: UpstreamPage): number => index * size

/** The used rows of a response, all that it sent, and the list's total. `skipped`: used places without a row. */
export interface PageSlice<T> {
  readonly rows: readonly T[]
  readonly sent: number
  readonly total: number | undefined
  readonly skipped?: number
}

export function sliceOf<T> (
  { rows, sent, total }: SentRows<T>,
  { from, to }: Pick<UpstreamPage, 'from' | 'to'>
): PageSlice<T> {
  const own = rows.flatMap(({ at, row }) => at >= from && at < to ? [row] : [])
  return { rows: own, sent, total, skipped: Math.max(0, Math.min(sent, to) - from - own.length) }
}

/** Whether a slice at the row `offset` looks blocked: no rows though the list continues, or an empty list. */
export const isBlockedSlice = (
  { sent, total = 0 }: Pick<PageSlice<unknown>, 'sent' | 'total'>,
  offset: number
): boolean => sent === 0 && (total === 0 || offset < total)

/** Returns the slice. Throws UPSTREAM_EMPTY if it looks like a blocked call, since another call may have rows. */
export function unlessBlockedPage<P extends Pick<PageSlice<unknown>, 'sent' | 'total'>> (
  slice: P,
  page: UpstreamPage,
  call: string,
  what: string
): P {
  if (isBlockedSlice(slice, firstRowOf(page))) throw upstreamEmpty(call, what)
  return slice
}

/** Fetches one page after the other while rows remain. Throws TypeError if `pages` is empty. */
export async function fetchPages<T, P extends PageSlice<T>> (
  pages: readonly UpstreamPage[],
  fetchPage: (page: UpstreamPage) => Promise<P & PageSlice<T>>
): Promise<CountedRows<T> & { readonly first: P, readonly total: number }> {
  const [start, ...rest] = pages
  if (start === undefined) throw new TypeError('there is no page to fetch')
  const first = await fetchPage(start)
  const rows = [...first.rows]
  let { skipped = 0 } = first
  let slice: PageSlice<T> = first
  for (const page of rest) {
    if (slice.total === undefined ? slice.sent < page.size : firstRowOf(page) >= slice.total) break
    slice = await fetchPage(page)
    rows.push(...slice.rows)
    skipped += slice.skipped ?? 0
  }
  return { first, rows, skipped, total: first.total ?? rows.length }
}

// @mutate readers: reading singers pages
