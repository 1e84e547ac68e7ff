/** For lists that always have rows. */
import { upstreamEmpty } from '../../common/errors.ts'
import type { Answer } from '../../upstream/reader/read.ts'

/**
 * Returns the rows. Throws UPSTREAM_EMPTY if there are none: a blocked call looks like an empty list, which would be cached
 * like a full one. `what` names the rows.
 */
export function someRows<T> ({ call }: Answer, what: string, rows: T[]): T[] {
  if (rows.length === 0) throw upstreamEmpty(call, what)
  return rows
}
