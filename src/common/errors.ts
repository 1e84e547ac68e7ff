/** All errors of this relay. An error contains a message and a code, never a cookie, a header or a payload. */
import { errorCodes } from '../../schemas/errors.ts'
import type { ErrorBody, ErrorCode, PlayReason } from './types.ts'

/** Details of an error besides its code and message. */
export interface ErrorDetails {
  /** The cause of the error. */
  readonly cause?: unknown
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number
  /** HTTP status, where it is not that of the code. */
  readonly status?: number
}

/** Thrown by every function of the relay. `message` is one sentence for people, with at most 300 characters. */
export class RelayError extends Error {
  /** Why the call failed, for programs. {@link ErrorCode} lists and explains all codes. */
  readonly code: ErrorCode
  /**
   * HTTP status. That of `code`, but 401 for COOKIE_REJECTED if the caller's own cookie was refused where a login is
   * required.
   */
  readonly statusCode: number
  /** Seconds to wait before a retry. Present with 429 and 503. */
  readonly retryAfter: number | undefined

  constructor (code: ErrorCode, message: string, options: ErrorDetails = {}) {
    // A stack that was never read holds its functions in memory, and with them whole upstream answers, for as long as
    // the error lives. The code says where the error came from, and the library adds the stack of its caller.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(
      message.length > 300 ? `${message.slice(0, 299)}…` : message,
      'cause' in options ? { cause: options.cause } : undefined
    )
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'RelayError'
    this.code = code
    this.statusCode = options.status ?? errorCodes[code].status
    this.retryAfter = options.retryAfter
  }

  /** Returns the HTTP response body for this error. */
  toBody (): ErrorBody {
    return { error: this.message, code: this.code }
  }

  /** Serializers see only the response body, so that no secret leaks. */
  toJSON (): ErrorBody {
    return this.toBody()
  }
}

/** The caller's input is invalid. `message` names the field. */
export class InvalidInput extends RelayError {
  /**
   * `missing`: a required field was left out. Undefined: any other mistake, and every refusal by the relay in the HTTP
   * client.
   */
  readonly kind: 'missing' | undefined

  constructor (message: string, kind?: 'missing' | undefined) {
    super('INVALID_INPUT', message)
    this.name = 'InvalidInput'
    this.kind = kind
  }
}

/** The song has no play address for this caller. `reason` is the cause, `hint` the next step. */
export class NotPlayable extends RelayError {
  /** Why it cannot be played, for programs. */
  readonly reason: PlayReason
  /** The next step for the listener, one sentence. */
  readonly hint: string

  constructor (reason: PlayReason, hint: string) {
    super('NOT_PLAYABLE', `This song cannot be played. ${hint}`)
    this.name = 'NotPlayable'
    this.reason = reason
    this.hint = hint
  }

  override toBody (): ErrorBody {
    return { ...super.toBody(), reason: this.reason, hint: this.hint }
  }
}

/** The file is shorter than the requested range. */
export class RangeNotSatisfiable extends RelayError {
  /** Size of the file in bytes, if known. */
  readonly size: number | undefined

  constructor (size: number | undefined) {
    super('RANGE_NOT_SATISFIABLE', `The file ${size === undefined ? 'does not have these bytes' : `has ${size} bytes`}: ask for a range within it.`)
    this.name = 'RangeNotSatisfiable'
    this.size = size
  }
}

/**
 * Cause of an upstream failure. It decides whether a fallback is tried (docs/decisions.md#0002).
 * - `call`: this call is retired, refused for platform reasons, failing (5xx), unreadable or blocked. Another call may
 *   work.
 * - `host`: the host refused or reset the connection, or several of its calls, or all that were tried, answered 5xx.
 *   One more
 *   attempt is allowed: a fallback or a retry.
 * - `time`: too slow. Another request would make it worse.
 * - `caller`: the requested item does not exist, or the cookie is no longer valid. No other call will help.
 */
export type Fault = 'call' | 'host' | 'time' | 'caller'

/** Details of a failed upstream call. */
export interface UpstreamFacts extends ErrorDetails {
  /** Cause of the failure. */
  readonly fault: Fault
  /** This relay's name for the upstream call, such as `lyric.classic`. */
  readonly call: string
  /** Class of the failure for logs and counters: `connect`, `reset`, `http_5xx`, `bad_payload`, `biz_1000` … */
  readonly outcome: string
  /** Business code of the upstream, if it sent one. */
  readonly upstreamCode?: number
}

/** The upstream refused the call, or the call failed. */
export class UpstreamError extends RelayError {
  /** Cause of the failure. */
  readonly fault: Fault
  /** This relay's name for the upstream call, such as `lyric.classic`. */
  readonly call: string
  /** Class of the failure for logs and counters: `connect`, `reset`, `http_5xx`, `bad_payload`, `biz_1000` … */
  readonly outcome: string
  /** Business code of the upstream, if it sent one. */
  readonly upstreamCode: number | undefined

  constructor (code: ErrorCode, message: string, facts: UpstreamFacts) {
    const { cause, retryAfter, status } = facts
    super(code, message, {
      cause: kindOf(cause),
      ...retryAfter === undefined ? {} : { retryAfter },
      ...status === undefined ? {} : { status }
    })
    this.name = 'UpstreamError'
    this.fault = facts.fault
    this.call = facts.call
    this.outcome = facts.outcome
    this.upstreamCode = facts.upstreamCode
  }

  /** @internal Returns the same error with another HTTP status. */
  withStatus (status: number): UpstreamError {
    const { code, message, fault, call, outcome, upstreamCode, cause } = this
    return new UpstreamError(code, message, {
      fault,
      call,
      outcome,
      cause,
      status,
      ...upstreamCode === undefined ? {} : { upstreamCode }
    })
  }
}

/** Copies name and code of the cause. The original error could keep large objects alive, such as a decompressor. */
function kindOf (cause: unknown): Error | undefined {
  if (cause instanceof RelayError) return cause
  if (!(cause instanceof Error)) return undefined
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const { name, code } = cause as NodeJS.ErrnoException
  const copy = Object.assign(new Error(code ?? name), { name, ...code === undefined ? {} : { code } })
  Error.stackTraceLimit = stackTraceLimit
  return copy
}

/** Thrown by the HTTP client if the address does not respond or is not a relay. */
export class RelayUnreachable extends RelayError {
  constructor (code: 'UPSTREAM_UNREACHABLE' | 'UPSTREAM_UNREADABLE', message: string, cause?: unknown) {
    super(code, message, { cause })
    this.name = 'RelayUnreachable'
  }
}

const outages: ReadonlySet<ErrorCode> = new Set(['UPSTREAM_UNREACHABLE', 'UPSTREAM_UNREADABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_PAUSED', 'OVERLOADED'])

/**
 * Whether the upstream was unreachable, unreadable, too slow, paused or over capacity. This says nothing about the
 * requested item.
 */
export function isOutage ({ code }: RelayError): boolean {
  return outages.has(code)
}

/** Whether a fallback may succeed: this call is at fault, or the connection broke. */
export function otherCallMayHelp (error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && (error.fault === 'call' || error.fault === 'host')
}

/** Returns the error for an item that does not exist upstream. `what` is the subject of the message. */
export function notFound (call: string, what: string): UpstreamError {
  return new UpstreamError('NOT_FOUND', `${what} does not exist, or is not public.`, { fault: 'caller', call, outcome: 'not_found' })
}

/** Returns the error for a successful answer without its data. Another call may have the data. `what` names it. */
export function upstreamEmpty (call: string, what: string): UpstreamError {
  return new UpstreamError('UPSTREAM_EMPTY', `The upstream answered without ${what}.`, { fault: 'call', call, outcome: 'empty' })
}

const stopsNow = 'The relay is stopping; try again in a moment.'

/** The error for requests that arrive or wait while the relay stops. */
export const relayStopping = (): RelayError => new RelayError('STOPPING', stopsNow, { retryAfter: 5 })

/** The same error for an upstream call that the stop has ended. */
export function callStopped (call: string): UpstreamError {
  return new UpstreamError('STOPPING', stopsNow, { fault: 'time', call, outcome: 'stopping', retryAfter: 5 })
}

/** The error for a call whose caller has disconnected. */
export function callerLeft (call: string, cause?: unknown): UpstreamError {
  return new UpstreamError('UPSTREAM_TIMEOUT', 'The caller left before the answer.', { fault: 'time', call, outcome: 'client_gone', cause })
}

/**
 * A setting is wrong, so the relay does not start. `message` names the file or variable, the key and the expected
 * value.
 */
export class ConfigError extends Error {
  constructor (message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ConfigError'
  }
}
