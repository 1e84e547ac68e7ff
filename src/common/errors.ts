/** All errors of this relay. An error contains a message and a code, never a cookie, a header or a payload. */
import { errorCodes } from '../../schemas/errors.ts'
import type { Fault, Kind, KindFacts } from './kinds.ts'
import type { ErrorBody, ErrorCode, PlayReason } from './schemaTypes.ts'

export type { Fault, Kind } from './kinds.ts'

/** Details of an error besides its code and message. */
export interface ErrorDetails {
  /** The cause of the error. */
  readonly cause?: unknown
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number | undefined
  /** HTTP status, where it is not that of the code. */
  readonly status?: number | undefined
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

/** Details of a failed upstream call, beside its kind. */
export interface UpstreamFacts extends ErrorDetails {
  /** This relay's name for the upstream call, such as `lyric.classic`. */
  readonly call: string
  /** The detail for the sentence. */
  readonly word?: string | number
  /** Another sentence than that of the kind. */
  readonly message?: string
  /** Word for logs and counters, where the kind has none or a general one. */
  readonly outcome?: string
  /** Business code of the upstream, if it sent one. */
  readonly upstreamCode?: number | undefined
}

/** The upstream refused the call, or the call failed. */
export class UpstreamError extends RelayError {
  /** What failed, from a closed list. It decides everything that follows from the failure. */
  readonly kind: Kind
  /** Cause of the failure. */
  readonly fault: Fault
  /** This relay's name for the upstream call, such as `lyric.classic`. */
  readonly call: string
  /** Class of the failure for logs and counters: `connect`, `reset`, `http_5xx`, `bad_payload`, `biz_1000` … */
  readonly outcome: string
  /** Business code of the upstream, if it sent one. */
  readonly upstreamCode: number | undefined
  /** @internal What its kind means. */
  declare readonly row: KindFacts

  /** Made by the relay. `row`: what the kind means. */
  constructor (kind: Kind, row: KindFacts, facts: UpstreamFacts) {
    const { call, word = '', retryAfter, status, upstreamCode, message } = facts
    const words: Readonly<Record<string, string | number | undefined>> = { word, wait: retryAfter }
    super(row.code, message ?? row.says.replaceAll(/\{(word|wait)\}/g, (_, name: string) => String(words[name])), {
      cause: copyOf(facts.cause),
      retryAfter,
      status
    })
    this.name = 'UpstreamError'
    this.kind = kind
    this.fault = row.fault
    this.call = call
    this.outcome = facts.outcome ?? row.outcome ?? `biz_${upstreamCode}`
    this.upstreamCode = upstreamCode
    Object.defineProperty(this, 'row', { value: row })
  }

  /** @internal Returns the same error with changed facts, such as another HTTP status. */
  with (facts: Partial<UpstreamFacts>): UpstreamError {
    return new UpstreamError(this.kind, this.row, { ...this.facts(), ...facts })
  }

  /** @internal Returns the facts from which an equal error can be made. */
  facts (): UpstreamFacts {
    const { message, call, outcome, upstreamCode, retryAfter, statusCode: status, cause } = this
    return { message, call, outcome, upstreamCode, retryAfter, status, cause }
  }
}

/** Copies name and code of the cause. The original error could keep large objects alive, such as a decompressor. */
function copyOf (cause: unknown): Error | undefined {
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

/** The limits of the relay itself, which are no failures of a call. */
const ownLimits: Partial<Record<ErrorCode, Partial<KindFacts>>> = {
  OVERLOADED: { stale: 'outage' }, RATE_LIMITED: { stale: 'refusal' }
}

/** Returns what is known of any error: the row of its kind if it is that of an upstream call. */
export function rowOf (error: unknown): Partial<KindFacts> {
  if (error instanceof UpstreamError) return error.row
  return error instanceof RelayError ? ownLimits[error.code] ?? {} : {}
}

/** Whether a fallback may succeed: this call is at fault, or the connection broke. */
export function otherCallMayHelp (error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && (error.fault === 'call' || error.fault === 'host')
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
