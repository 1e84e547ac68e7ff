/** Everything this relay throws. An error carries a sentence and a word, never a cookie, a header or a payload. */
import { errorCodes } from '../schemas/errors.ts'
import type { ErrorBody, ErrorCode } from '../schemas/errors.ts'

export class RelayError extends Error {
  readonly code: ErrorCode
  readonly statusCode: number
  /** Seconds after which asking again makes sense; present with 429 and 503. */
  readonly retryAfter: number | undefined

  constructor (code: ErrorCode, message: string, options: { cause?: unknown, retryAfter?: number } = {}) {
    super(message.length > 300 ? `${message.slice(0, 299)}…` : message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'RelayError'
    this.code = code
    this.statusCode = errorCodes[code].status
    this.retryAfter = options.retryAfter
  }

  toBody (): ErrorBody {
    return { error: this.message, code: this.code }
  }

  /** What any serializer gets: the body and nothing that could hold a secret. */
  toJSON (): ErrorBody {
    return this.toBody()
  }
}

/** The caller's input is refused. `message` names the field. */
export class InvalidInput extends RelayError {
  constructor (message: string) {
    super('INVALID_INPUT', message)
    this.name = 'InvalidInput'
  }
}

/**
 * Whose fault an upstream failure is; a chain of alternative calls asks this (docs/decisions/0002-chain-errors.md).
 * - `call`: this call is retired, refused for platform reasons, unreadable or blocked; another call may work
 * - `host`: the host refused, reset or answered 5xx; one more attempt is allowed, by the next call or a retry
 * - `time`: too slow; asking again makes it worse
 * - `caller`: asked for something that does not exist or with a dead cookie; nobody else will know better
 */
export type Fault = 'call' | 'host' | 'time' | 'caller'

export class UpstreamError extends RelayError {
  readonly fault: Fault
  /** Our name of the call, like `lyric.classic`. */
  readonly call: string
  /** Class for logs and counters: `connect`, `reset`, `http_5xx`, `bad_payload`, `biz_1000` … */
  readonly outcome: string
  /** The upstream's business code, where it gave one. */
  readonly upstreamCode: number | undefined

  constructor (code: ErrorCode, message: string, facts: { fault: Fault, call: string, outcome: string, upstreamCode?: number, retryAfter?: number, cause?: unknown }) {
    super(code, message, { cause: facts.cause, ...(facts.retryAfter === undefined ? {} : { retryAfter: facts.retryAfter }) })
    this.name = 'UpstreamError'
    this.fault = facts.fault
    this.call = facts.call
    this.outcome = facts.outcome
    this.upstreamCode = facts.upstreamCode
  }
}

/** A client found no relay where it asked: nothing is there, or something else. */
export class RelayUnreachable extends RelayError {
  constructor (code: 'UPSTREAM_UNREACHABLE' | 'UPSTREAM_UNREADABLE', message: string, cause?: unknown) {
    super(code, message, { cause })
    this.name = 'RelayUnreachable'
  }
}

const outages: ReadonlySet<ErrorCode> = new Set(['UPSTREAM_UNREACHABLE', 'UPSTREAM_UNREADABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_PAUSED', 'OVERLOADED'])

/** Whether the upstream could not be reached, not be read, or not in time: that says nothing about the thing asked for. */
export function isOutage ({ code }: RelayError): boolean {
  return outages.has(code)
}

/** Whether another call for the same thing may do better; a chain that `firstOf` cannot express asks this. */
export function otherCallMayHelp (error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && (error.fault === 'call' || error.fault === 'host')
}

/** The upstream answered, and the thing does not exist there. */
export function notFound (call: string, what: string): UpstreamError {
  return new UpstreamError('NOT_FOUND', `${what} does not exist, or is not public.`, { fault: 'caller', call, outcome: 'not_found' })
}

/** The upstream answered success without the data it should hold; another call may have it. */
export function upstreamEmpty (call: string, what: string): UpstreamError {
  return new UpstreamError('UPSTREAM_EMPTY', `The upstream answered without ${what}.`, { fault: 'call', call, outcome: 'empty' })
}
