/** Creates the errors for failed requests to the upstream. */
import type { IncomingHttpHeaders } from 'node:http'
import type { AbortSignalLike } from '../../common/abort.ts'
import type { UpstreamError } from '../../common/errors.ts'
import { failure, type Kind } from '../../common/kinds.ts'
import { clientGone, relayStops } from './deadline.ts'
import { ProxyFailure } from './egress.ts'

/** The beginning of an answer. */
export interface AnswerHead { readonly status: number, readonly headers: IncomingHttpHeaders }

/** Returns a response header: the first value if several were sent. */
export function headerOf ({ headers }: Pick<AnswerHead, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Returns the error for an answer that exceeds the byte limit. */
export function tooManyBytes (call: string): UpstreamError {
  return failure('full.bytes', { call, retryAfter: 1 })
}

/** Returns the error for a call that the relay does not send for the next `ms` milliseconds. */
export function pausedFor (ms: number, call: string, kind: Kind): UpstreamError {
  return failure(kind, { call, retryAfter: Math.max(1, Math.ceil(ms / 1000)) })
}

/**
 * Returns the error for a status other than 200. The upstream answers 200 even for its own errors, so the status comes
 * from its gateway or from another server.
 */
export function statusError (answer: AnswerHead, call: string, withCookie: boolean): UpstreamError {
  const { status } = answer
  const pause = pauseOf(answer, call)
  if (pause !== undefined) return pause
  if (status === 501) {
    return failure('refused.http', { call, message: 'The upstream does not serve this call (HTTP 501).' })
  }
  // A 5xx is attributed to this call until several calls of the host fail (health.ts).
  const kind: Kind = status === 504 ? 'failing.late' : status >= 500 ? 'failing'
    : status === 401 ? withCookie ? 'refused.cookie.http' : 'refused.login.http'
    : status === 404 ? 'retired.http' : status >= 400 ? 'refused.http' : status >= 300 ? 'redirect' : 'unreadable.none'
  return failure(kind, { call, word: status })
}

/**
 * Returns the error for an answer that requests a pause: 429, or 503 with Retry-After. Undefined for any other answer.
 */
export function pauseOf (answer: AnswerHead, call: string): UpstreamError | undefined {
  const { status } = answer
  const wait = secondsOf(headerOf(answer, 'retry-after'))
  if (status !== 429 && !(status === 503 && wait > 0)) return undefined
  const retryAfter = wait > 0 ? Math.min(Math.ceil(wait), 60) : 10
  return failure('throttled', { call, word: status, retryAfter })
}

/** Seconds of a Retry-After header, which is a number or a date; 0 for none. */
function secondsOf (value = ''): number {
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return seconds > 0 ? seconds : 0
}

/** Why no connection was opened: the codes of Node that mean it. */
const connectTroubles: readonly (readonly [codes: RegExp, kind: Kind])[] = [
  [/^(ENOTFOUND|EAI_)/, 'dns'],
  [/^ECONNREFUSED$/, 'connect.refused'],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'connect.late'],
  [/^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL)$/, 'network'],
  [/^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, 'certificate.name'],
  [/^CERT_NOT_YET_VALID$/, 'certificate.early'],
  [/^CERT_HAS_EXPIRED$/, 'certificate.expired'],
  [/CERT|SIGNATURE|INVALID_CA/, 'certificate.untrusted'],
  [/^(EPROTO|ERR_SSL)/, 'tls']
]

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
  const failed = (kind: Kind, word = ''): UpstreamError => failure(kind, { call, word, cause: error })
  if (signal.reason === relayStops) return failure('stopping', { call, retryAfter: 5 })
  if (signal.reason === clientGone) return failed('left')
  if (signal.aborted) return failed('late')
  if (error instanceof ProxyFailure) {
    return failed(`proxy.${error.trouble}`, error.answer === undefined ? '' : ` (${error.answer})`)
  }
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return failed('late.headers')
  if (code === 'UND_ERR_BODY_TIMEOUT') return failed('late.body')
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return failed('unreadable.large')
  // The answer has two lengths, or a length and chunks. In the body stage the same code means a truncated answer.
  const oddLength = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && stage === 'request'
  if ((error as Error | undefined)?.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW' || oddLength) {
    return failed('unreadable.http')
  }
  if (stage === 'body') return failed('truncated')
  if (/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code)) return failed('reset')
  return failed(connectTroubles.find(([codes]) => codes.test(code))?.[1] ?? 'connect')
}
