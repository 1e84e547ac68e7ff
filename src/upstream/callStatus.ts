/** How one call ended, for monitoring. */
import { UpstreamError } from '../common/errors.ts'
import { kinds, type Verdict, type Kind } from '../common/kinds.ts'

/**
 * How one call ended. `kind`: of its failure. `outcome`: `ok`, or the word of the failure, like `biz_2000` or `reset`.
 * `ms`: milliseconds.
 */
export interface CallOutcome {
  readonly call: string
  readonly verdict: Verdict
  readonly outcome: string
  readonly kind?: Kind
  readonly ms: number
}

type Ended = Pick<CallOutcome, 'verdict' | 'outcome' | 'kind'>

/** Whether the call had a usable answer, in a known shape or another one. */
export const isAnswered = ({ verdict, outcome }: { readonly verdict: string, readonly outcome: string }): boolean =>
  verdict === 'ok' || outcome === 'ok'

const ofKind = (kind: Kind, outcome = kinds[kind].outcome ?? ''): Ended =>
  ({ verdict: kinds[kind].verdict, outcome, kind })

/**
 * Returns the end with an error, or with a success (undefined). A changed shape is not visible here; findings report
 * it. A reader that crashes is a bug of the relay, and the answer has an unknown shape.
 */
export function callStatusOf (error: unknown): Ended {
  if (error === undefined) return { verdict: 'ok', outcome: 'ok' }
  return error instanceof UpstreamError ? ofKind(error.kind, error.outcome) : ofKind('bug')
}

/** Returns the end of a login request, for which any HTTP status is an answer. */
export function statusOfLogin (status: number): Ended {
  if (status < 400) return { verdict: 'ok', outcome: 'ok' }
  const kind = status >= 500 ? 'login.failing' : status === 404 || status === 410 ? 'retired.http' : 'refused.http'
  return ofKind(kind, `http_${status}`)
}
