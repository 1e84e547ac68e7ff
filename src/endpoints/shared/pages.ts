/** Pages of a list whose upstream sends as many rows as it likes, whatever was asked (30 always, or at most 60; 2026-08). */
import type { Context } from '../../endpoint.ts'
import { UpstreamError, upstreamEmpty } from '../../errors.ts'
import { maybe } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'

/** Rows as one answer sent them. `at` is the place of a row in that answer: unreadable rows leave a hole, not a shift. */
export interface SentRows<T> {
  /** Rows of the whole list; undefined when the upstream does not say. */
  readonly total: number | undefined
  /** How many rows were sent, unreadable ones included. */
  readonly sent: number
  readonly rows: readonly { readonly at: number, readonly row: T }[]
}

export function readSentRows<T> (answer: Answer, paths: readonly string[], total: number | undefined, readRow: (row: Answer) => T): SentRows<T> {
  let sent = 0
  const rows = maybe.list(answer, paths, (row, at) => {
    sent = Math.max(sent, at + 1)
    return { at, row: readRow(row) }
  })
  return { total, sent, rows }
}

/**
 * The same, unless it is how a blocked call looks: no rows and no count, or none at the `begin`ning of a list that is
 * said to have some. Throws UPSTREAM_EMPTY.
 */
export function unlessBlocked<T> (page: SentRows<T>, begin: number, call: string, what: string): SentRows<T> {
  if (page.sent === 0 && (page.total === undefined || (begin === 0 && page.total > 0))) throw upstreamEmpty(call, what)
  return page
}

/**
 * Rows `offset` to `offset + limit` of the list, in as many requests as it takes. `ask(begin, num)` fetches from a row on.
 * Pages taken this way have no gap and no overlap. The page stays shorter when the upstream sends next to nothing (more
 * than `mostAnswers` for one page), repeats itself instead of going on, or has nothing to say any more about what it just
 * listed; in that last case it is kept briefly.
 */
export async function rowsFrom<T> (offset: number, limit: number, ask: (begin: number, num: number) => Promise<SentRows<T>>, keepFor: Context['keepFor'], mostAnswers = 10): Promise<{ rows: T[], total: number }> {
  const end = offset + limit
  const rows: T[] = []
  let begin = offset
  let total: number | undefined
  let last: SentRows<T> | undefined
  for (let answers = 0; answers < mostAnswers && begin < Math.min(end, total ?? end); answers++) {
    const page = await ask(begin, end - begin).catch((error: unknown) => {
      if (last === undefined || !(error instanceof UpstreamError) || (error.code !== 'NOT_FOUND' && error.code !== 'UPSTREAM_EMPTY')) throw error
      keepFor('brief')
      return undefined
    })
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
