/**
 * Pages of a list for which the upstream chooses the number of rows, whatever was requested (30 always, or at most 60;
 * 2026-08).
 */
import type { Context } from '../../core/endpoint.ts'
import { upstreamEmpty } from '../../common/errors.ts'
import { maybe } from '../../upstream/reader/read.ts'
import type { Answer } from '../../upstream/reader/read.ts'
import { optional } from './optional.ts'

/**
 * Rows of one response. `at` is the position of a row in that response: an unreadable row leaves a gap and does not
 * shift the others.
 */
export interface SentRows<T> {
  /** Rows of the whole list; undefined when the upstream does not say. */
  readonly total: number | undefined
  /** How many rows were sent, unreadable ones included. */
  readonly sent: number
  readonly rows: readonly { readonly at: number, readonly row: T }[]
}

/** Reads the rows of a response with their positions. Rows for which `readRow` returns undefined are left out. */
export function readSentRows<T> (answer: Answer, paths: readonly string[], total: number | undefined, readRow: (row: Answer) => T | undefined): SentRows<T> {
  let sent = 0
  const rows = maybe.list(answer, paths, (row, at) => {
    sent = Math.max(sent, at + 1)
    const found = readRow(row)
    return found === undefined ? undefined : { at, row: found }
  })
  return { total, sent, rows }
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
 * Returns `limit` rows from `offset` on, in as many requests as necessary. `fetchRows(begin, num)` sends one of them.
 * Pages have no gap and no overlap. A page is shorter if the upstream sends too few rows (more than `mostAnswers`
 * responses for one page), repeats itself instead of continuing, or no longer finds the list that it just sent. In the
 * last case the answer is cached briefly. Throws what
 * `fetchRows` throws, except for NOT_FOUND and UPSTREAM_EMPTY after the first response.
 */
export async function collectRows<T> (offset: number, limit: number, fetchRows: (begin: number, num: number) => Promise<SentRows<T>>, cacheAtMost: Context['cacheAtMost'], mostAnswers = 10): Promise<{ rows: T[], total: number }> {
  const end = offset + limit
  const rows: T[] = []
  let begin = offset
  let total: number | undefined
  let last: SentRows<T> | undefined
  for (let answers = 0; answers < mostAnswers && begin < Math.min(end, total ?? end); answers++) {
    const page = await optional(fetchRows(begin, end - begin), ({ code }) => last !== undefined && (code === 'NOT_FOUND' || code === 'UPSTREAM_EMPTY'))
    if (page === undefined) cacheAtMost('brief')
    if (page === undefined || page.sent === 0 || isSame(page, last)) {
      total = page?.total ?? total
      break
    }
    for (const { at, row } of page.rows) if (begin + at < end) rows.push(row)
    begin += page.sent
    total = page.total ?? total
    last = page
  }
  return { rows, total: total ?? begin }
}

function isSame (page: SentRows<unknown>, last: SentRows<unknown> | undefined): boolean {
  return last !== undefined && page.rows.length > 0 && page.sent === last.sent && JSON.stringify(page.rows) === JSON.stringify(last.rows)
}
