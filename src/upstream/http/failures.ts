/** Creates the errors for failed requests to the upstream. */
import type { IncomingHttpHeaders } from 'node:http'
import type { AbortSignalLike } from '../../common/abort.ts'
import { UpstreamError, callStopped, callerLeft, type Fault, type UpstreamFacts } from '../../common/errors.ts'
import type { ErrorCode } from '../../../schemas/errors.ts'
import { clientGone, relayStops } from './deadline.ts'
import { ProxyFailure, type ProxyTrouble } from './egress.ts'

/** The beginning of an answer. */
export interface AnswerHead { readonly status: number, readonly headers: IncomingHttpHeaders }

/** Returns a response header: the first value if several were sent. */
export function headerOf ({ headers }: Pick<AnswerHead, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Returns the error for an answer that exceeds the byte limit. */
export function tooManyBytes (call: string): UpstreamError {
  return new UpstreamError('OVERLOADED', 'The relay has too many bytes of upstream answers in memory; try again in 1 s, or request fewer items at once.', {
    fault: 'time',
    call,
    outcome: 'rejected',
    retryAfter: 1
  })
}

/** Returns the error for a call that the relay does not send for the next `ms` milliseconds. */
export function pausedFor (
  ms: number,
  why: string,
  facts: Pick<UpstreamFacts, 'fault' | 'call' | 'outcome'>
): UpstreamError {
  const retryAfter = Math.max(1, Math.ceil(ms / 1000))
  return new UpstreamError('UPSTREAM_PAUSED', `${why}; try again in ${retryAfter} s.`, { ...facts, retryAfter })
}

/**
 * Returns the error for a status other than 200. The upstream answers 200 even for its own errors, so the status comes
 * from its gateway or from another server.
 */
export function statusError (answer: AnswerHead, call: string, withCookie: boolean): UpstreamError {
  const { status } = answer
  const pause = pauseOf(answer, call)
  if (pause !== undefined) return pause
  const failed = (code: ErrorCode, text: string, fault: Fault, outcome: string, advice = ''): UpstreamError =>
    new UpstreamError(code, `The upstream ${text} (HTTP ${status})${advice}.`, { fault, call, outcome })
  // Attributed to this call until several calls of the host fail (health.ts).
  if (status === 504) return failed('UPSTREAM_TIMEOUT', 'was too slow', 'call', 'http_5xx', '; try again later')
  if (status === 501) return failed('UPSTREAM_REFUSED', 'does not serve this call', 'call', 'http_4xx')
  if (status >= 500) return failed('UPSTREAM_UNREACHABLE', 'failed', 'call', 'http_5xx', '; try again later')
  if (status === 401 && withCookie) return failed('COOKIE_REJECTED', 'rejects the cookie', 'caller', 'auth')
  if (status === 404) return failed('UPSTREAM_REFUSED', 'no longer serves this call', 'call', 'http_404')
  if (status >= 400) return failed('UPSTREAM_REFUSED', 'refused', 'call', status === 401 ? 'auth' : 'http_4xx')
  if (status >= 300) return failed('UPSTREAM_REFUSED', 'redirects, which is not followed', 'call', 'redirect')
  return failed('UPSTREAM_UNREADABLE', 'answered without a body', 'call', 'bad_payload')
}

/**
 * Returns the error for an answer that requests a pause: 429, or 503 with Retry-After. Undefined for any other answer.
 */
export function pauseOf (answer: AnswerHead, call: string): UpstreamError | undefined {
  const { status } = answer
  const wait = secondsOf(headerOf(answer, 'retry-after'))
  if (status !== 429 && !(status === 503 && wait > 0)) return undefined
  const retryAfter = wait > 0 ? Math.min(Math.ceil(wait), 60) : 10
  return new UpstreamError('UPSTREAM_PAUSED', `The upstream asked the relay to wait (HTTP ${status}); try again in ${retryAfter} s.`, {
    fault: 'time',
    call,
    outcome: 'throttled',
    retryAfter
  })
}

/** Seconds of a Retry-After header, which is a number or a date; 0 for none. */
function secondsOf (value = ''): number {
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return seconds > 0 ? seconds : 0
}

/** Proxy failures in messages for callers: they never contain the proxy's address. */
const proxyTroubles: Readonly<Record<ProxyTrouble, string>> = {
  connect: 'cannot be reached',
  timeout: 'did not connect to the upstream in time',
  login: 'refuses its user or password',
  refused: 'refuses to connect to the upstream',
  protocol: 'does not answer like a proxy of its kind',
  closed: 'closed the connection to the upstream',
  certificate: 'has no valid certificate',
  tls: 'leads to a server without a valid certificate of the upstream'
}

/**
 * Why no connection was opened: the codes of Node that mean it, the class for logs and counters, and the reason in
 * words.
 */
const connectTroubles: readonly (readonly [codes: RegExp, outcome: string, reason: string])[] = [
  [/^(ENOTFOUND|EAI_)/, 'dns', 'its name is not found. The operator can check the network and its DNS'],
  [/^ECONNREFUSED$/, 'connect_refused', 'the connection is refused'],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'connect_timeout', 'the connection is not answered. A firewall may drop it'],
  [/^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL)$/, 'network', 'there is no network that leads to it'],
  [/^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, 'certificate_name', 'its certificate is for another name. Something may stand in between'],
  [/^CERT_NOT_YET_VALID$/, 'certificate_early', 'its certificate is not yet valid. The operator can check the clock of this machine'],
  [/^CERT_HAS_EXPIRED$/, 'certificate_expired', 'its certificate has expired, or the clock of this machine is ahead'],
  [/CERT|SIGNATURE|INVALID_CA/, 'certificate_untrusted', 'its certificate is not trusted. Something may stand in between'],
  [/^(EPROTO|ERR_SSL)/, 'tls', 'it does not speak TLS as it should']
]

const ofConnecting: ReadonlySet<string> = new Set(['connect', ...connectTroubles.map(([, outcome]) => outcome)])

/** Whether an outcome means that no connection to the upstream was opened. */
export const neverConnected = (outcome: string): boolean => ofConnecting.has(outcome) || outcome.startsWith('proxy_')

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '')

/**
 * Returns the UpstreamError for an error of undici or Node, which becomes its `cause`. `stage`: which part failed, the
 * request or the body.
 */
export function networkError (
  error: unknown,
  call: string,
  stage: 'request' | 'body',
  signal: Pick<AbortSignalLike, 'aborted' | 'reason'>
): UpstreamError {
  const code = codeOf(error)
  const made = (word: ErrorCode, text: string, fault: Fault, outcome: string): UpstreamError =>
    new UpstreamError(word, text, { fault, call, outcome, cause: error })
  const slow = 'The upstream did not answer in time.'
  if (signal.reason === relayStops) return callStopped(call)
  if (signal.reason === clientGone) return callerLeft(call, error)
  if (signal.aborted) return made('UPSTREAM_TIMEOUT', slow, 'time', 'deadline')
  if (error instanceof ProxyFailure) {
    const { trouble, answer } = error
    return made(
      'UPSTREAM_UNREACHABLE',
      `The relay's proxy ${proxyTroubles[trouble]}${answer === undefined ? '' : ` (${answer})`}. Its operator can check UPSTREAM_PROXY.`,
      'host',
      `proxy_${trouble}`
    )
  }
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return made('UPSTREAM_TIMEOUT', slow, 'time', 'headers_timeout')
  if (code === 'UND_ERR_BODY_TIMEOUT') return made('UPSTREAM_TIMEOUT', slow, 'time', 'body_timeout')
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return made('UPSTREAM_UNREADABLE', 'The upstream answer is larger than the relay takes.', 'call', 'too_large')
  // The answer has two lengths, or a length and chunks. In the body stage the same code means a truncated answer.
  const oddLength = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && stage === 'request'
  if ((error as Error | undefined)?.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW' || oddLength) {
    return made('UPSTREAM_UNREADABLE', 'The upstream answer is not valid HTTP.', 'call', 'protocol')
  }
  if (stage === 'body') return made('UPSTREAM_UNREACHABLE', 'The upstream broke off in the middle of its answer.', 'host', 'truncated')
  if (/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code)) {
    return made('UPSTREAM_UNREACHABLE', 'The upstream closed the connection.', 'host', 'reset')
  }
  const [, outcome, reason] = connectTroubles.find(([codes]) => codes.test(code)) ?? [undefined, 'connect', undefined]
  return made('UPSTREAM_UNREACHABLE', `The upstream cannot be reached${reason === undefined ? '' : `: ${reason}`}.`, 'host', outcome)
}
