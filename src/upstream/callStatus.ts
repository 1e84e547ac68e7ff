/** The status of a call, derived from how it ended; for monitoring. */
import { UpstreamError } from '../common/errors.ts'
import { generalMeaningOf, isFiltered, isTooFast, type Meaning } from './wire/codes.ts'

/**
 * Status of a call.
 * - `ok` answered; "not found" is an answer too
 * - `drift` answered in an unknown shape
 * - `retired` no longer served by the upstream
 * - `risk-controlled` refused to this address or at this rate
 * - `login needed` requires a cookie, or another one
 * - `refused` for another reason
 * - `empty` success without the data, which can also be a hidden refusal
 * - `unreachable` no answer, or not in time
 */
export type CallStatus = 'ok' | 'drift' | 'retired' | 'risk-controlled' | 'login needed' | 'refused' | 'empty' | 'unreachable'

/** How one call ended. `outcome`: `ok`, or the kind of failure, like `biz_2000` or `reset`. `ms`: milliseconds. */
export interface CallOutcome {
  readonly call: string
  readonly verdict: CallStatus
  readonly outcome: string
  readonly ms: number
}

/** Whether the call had a usable answer, in a known shape or another one. */
export const isAnswered = ({ verdict, outcome }: { readonly verdict: string, readonly outcome: string }): boolean =>
  verdict === 'ok' || outcome === 'ok'

const ofMeaning: Readonly<Record<Meaning, CallStatus>> = {
  'ok': 'ok',
  'login': 'login needed',
  'not found': 'ok',
  'platform': 'refused',
  'throttled': 'risk-controlled',
  'risk': 'risk-controlled',
  'retired': 'retired',
  'argument': 'refused',
  'other': 'refused'
}

/**
 * Returns the status for an error, or for a success (undefined). A changed shape is not visible here; findings report
 * it.
 */
export function callStatusOf (error: unknown): Pick<CallOutcome, 'verdict' | 'outcome'> {
  if (error === undefined) return { verdict: 'ok', outcome: 'ok' }
  // A reader that crashes is a bug of the relay, and the answer has an unknown shape.
  if (!(error instanceof UpstreamError)) return { verdict: 'drift', outcome: 'bug' }
  return { verdict: statusFor(error), outcome: error.outcome }
}

function statusFor (error: UpstreamError): CallStatus {
  const { code, fault, outcome } = error
  switch (code) {
    case 'NOT_FOUND': return 'ok'
    case 'COOKIE_REJECTED': return 'login needed'
    case 'UPSTREAM_UNREADABLE': return 'drift'
    case 'UPSTREAM_EMPTY': return 'empty'
    // Either the circuit breaker is open (host), or the upstream asked the relay to wait.
    case 'UPSTREAM_PAUSED': return fault === 'host' ? 'unreachable' : 'risk-controlled'
    case 'UPSTREAM_REFUSED':
      if (outcome === 'http_404') return 'retired'
      if (outcome === 'auth') return 'login needed'
      if (isFiltered(error)) return isTooFast(error) || outcome === 'filter_safety' ? 'risk-controlled' : 'refused'
      return ofMeaning[generalMeaningOf(error) ?? 'other']
    default: return 'unreachable'
  }
}

/** Returns the status of a login request, for which any HTTP status is an answer. */
export function statusOfLogin (status: number): Pick<CallOutcome, 'verdict' | 'outcome'> {
  if (status < 400) return { verdict: 'ok', outcome: 'ok' }
  const verdict = status >= 500 ? 'unreachable'
    : status === 404 || status === 410 ? 'retired' : status === 429 ? 'risk-controlled' : 'refused'
  return { verdict, outcome: `http_${status}` }
}
