/** One word on how a call does, out of how it ended; for who watches over the upstream. */
import { UpstreamError } from '../errors.ts'
import { generalMeaningOf } from './codes.ts'
import type { Meaning } from './codes.ts'

/**
 * - `ok` answered, and "there is no such thing" is an answer
 * - `drift` answered in another shape than its reader knows
 * - `retired` the upstream no longer serves it
 * - `risk-controlled` refused to this address or at this rate
 * - `login needed` wants a cookie, or a better one
 * - `refused` for another reason
 * - `empty` success without the data, which is also how some refusals look
 * - `unreachable` no answer, or not in time
 */
export type Verdict = 'ok' | 'drift' | 'retired' | 'risk-controlled' | 'login needed' | 'refused' | 'empty' | 'unreachable'

/** How one call ended; `outcome` is `ok` or the class of the failure, like `biz_2000` or `reset`. */
export interface Ended { readonly call: string, readonly verdict: Verdict, readonly outcome: string, readonly ms: number }

const ofMeaning: Readonly<Record<Meaning, Verdict>> = {
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

/** Whether the shape is the known one is not seen from here: that is what findings say. */
export function verdictOf (error: unknown): Pick<Ended, 'verdict' | 'outcome'> {
  if (error === undefined) return { verdict: 'ok', outcome: 'ok' }
  // A reader that breaks on an answer is a bug of ours, and the answer is of no known shape.
  if (!(error instanceof UpstreamError)) return { verdict: 'drift', outcome: 'bug' }
  return { verdict: wordFor(error), outcome: error.outcome }
}

function wordFor (error: UpstreamError): Verdict {
  const { code, fault, outcome } = error
  switch (code) {
    case 'NOT_FOUND': return 'ok'
    case 'COOKIE_REJECTED': return 'login needed'
    case 'UPSTREAM_UNREADABLE': return 'drift'
    case 'UPSTREAM_EMPTY': return 'empty'
    // Asked to wait, or left alone because it fails.
    case 'UPSTREAM_PAUSED': return fault === 'host' ? 'unreachable' : 'risk-controlled'
    case 'UPSTREAM_REFUSED':
      if (outcome === 'http_404') return 'retired'
      if (outcome === 'auth') return 'login needed'
      return ofMeaning[generalMeaningOf(error) ?? 'other']
    default: return 'unreachable'
  }
}

/** Of a login request, of which any HTTP status is an answer. */
export function verdictOfStatus (status: number): Pick<Ended, 'verdict' | 'outcome'> {
  if (status < 400) return { verdict: 'ok', outcome: 'ok' }
  const verdict = status >= 500 ? 'unreachable' : status === 404 || status === 410 ? 'retired' : status === 429 ? 'risk-controlled' : 'refused'
  return { verdict, outcome: `http_${status}` }
}
