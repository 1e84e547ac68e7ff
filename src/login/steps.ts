/** What the two channels share: how a hop is asked, and which failure each step of a login ends in. */
import { RelayError, UpstreamError } from '../errors.ts'
import type { ErrorCode } from '../../schemas/errors.ts'
import type { LoginAnswer, LoginDoor } from '../provider/loginDoor.ts'
import type { LoginCall } from '../provider/loginWire.ts'
import type { Listener } from '../provider/read.ts'
import { verdictOf, verdictOfStatus } from '../provider/verdict.ts'
import type { Ended } from '../provider/verdict.ts'

/** Each step and the one failure it can end in, beside the timeout. */
const failures = {
  qr: ['QR_UNAVAILABLE', 'No QR code could be had from the upstream; try again.'],
  sign: ['LOGIN_SIGN_URL', 'Login failed: cannot extract checkSigUrl from the upstream answer; request a new QR code.'],
  p_skey: ['LOGIN_P_SKEY', 'Login failed: cannot extract p_skey from the upstream answer; request a new QR code.'],
  redirect: ['LOGIN_NO_REDIRECT', 'Login failed: the authorisation response lacks the redirect address; request a new QR code.'],
  code: ['LOGIN_NO_CODE', 'Login failed: the authorisation redirect lacks the code; request a new QR code.'],
  exchange: ['LOGIN_REFUSED', 'Login failed: the upstream did not answer the exchange; request a new QR code.']
} as const satisfies Readonly<Record<string, readonly [ErrorCode, string]>>

export type StepName = keyof typeof failures

/** Takes what a step must yield. Nothing, or a broken connection, is that step's failure; too slow is LOGIN_TIMEOUT. */
export async function step<T> (name: StepName, take: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const [code, sentence] = failures[name]
  let cause: unknown
  try {
    const value = await take()
    if (value !== undefined) return value
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    if (error.code === 'UPSTREAM_TIMEOUT') throw tooSlow(error)
    cause = error
  }
  throw failed(code, sentence, name, cause)
}

export function failed (code: ErrorCode, sentence: string, name: string, cause?: unknown): UpstreamError {
  return new UpstreamError(code, sentence, { fault: 'caller', call: `login ${name}`, outcome: name, cause })
}

export function tooSlow (error: UpstreamError): RelayError {
  return new UpstreamError('LOGIN_TIMEOUT', 'The upstream did not answer the login in time; try again, with a new QR code when it was already confirmed.', { fault: 'time', call: error.call, outcome: error.outcome, cause: error })
}

/** A state poll that is no answer: nothing is consumed, so the caller may ask again. */
export function unusablePoll (answer: LoginAnswer): UpstreamError {
  const facts = { call: answer.call, outcome: `http_${answer.status}`, fault: 'call' as const }
  if (answer.status >= 500) return new UpstreamError('UPSTREAM_UNREACHABLE', `The upstream failed (HTTP ${answer.status}); ask again.`, facts)
  if (answer.status !== 200) return new UpstreamError('LOGIN_REFUSED', `The upstream refuses to tell the state of this QR code (HTTP ${answer.status}); request a new one.`, facts)
  return new UpstreamError('UPSTREAM_UNREADABLE', 'The upstream answer does not tell the state of this QR code; ask again.', { ...facts, outcome: 'bad_payload' })
}

export interface Told { readonly calls: readonly string[], readonly outcome: string, readonly ms: number }

/** How one login talks to the upstream: its door, its clock, and who is told of each exchange. */
export interface Hops {
  /** Milliseconds since the epoch, as the upstream wants to be told. */
  readonly now: () => number
  /** A short hop; together with its predecessors it may not outlast the whole. */
  ask (call: LoginCall, signal?: AbortSignal): Promise<LoginAnswer>
  /** The last hop, whose answer is a record: what was noticed in it counts for this call. */
  exchange<T> (call: LoginCall, read: (answer: LoginAnswer, listener: Listener) => T): Promise<T>
  /** A long poll. Throws UpstreamError with outcome `deadline` when it was held for the whole time. */
  hold (call: LoginCall, signal: AbortSignal): Promise<LoginAnswer>
}

export interface HopTimes { readonly hopMs: number, readonly wholeMs: number, readonly pollMs: number }

/** `wholeMs` counts from now. */
export function createHops (door: LoginDoor, times: HopTimes, listener: Listener, now: () => number, onExchange?: (told: Told) => void): Hops {
  const begun = performance.now()
  const told = async <T>(call: LoginCall, send: LoginDoor['send'], deadlineMs: number, signal: AbortSignal | undefined, read: (answer: LoginAnswer) => T): Promise<T> => {
    const started = performance.now()
    const done = (how: Pick<Ended, 'verdict' | 'outcome'>): void => {
      const ms = performance.now() - started
      onExchange?.({ calls: [call.name], outcome: how.outcome, ms })
      listener.ended?.({ call: call.name, ...how, ms })
    }
    try {
      const answer = await send(call, { deadlineMs, signal })
      const result = read(answer)
      done(verdictOfStatus(answer.status))
      return result
    } catch (error) {
      // A poll that was held to its end is how "no news" looks.
      done(send === door.hold && error instanceof UpstreamError && error.outcome === 'deadline' ? { verdict: 'ok', outcome: 'deadline' } : verdictOf(error))
      throw error
    }
  }
  const asItCame = (answer: LoginAnswer): LoginAnswer => answer
  const hopMs = (): number => Math.max(1, Math.min(times.hopMs, times.wholeMs - (performance.now() - begun)))
  return {
    now,
    ask: async (call, signal) => await told(call, door.send, hopMs(), signal, asItCame),
    exchange: async (call, read) => await told(call, door.send, hopMs(), undefined, (answer) => read(answer, listener)),
    hold: async (call, signal) => await told(call, door.hold, times.pollMs, signal, asItCame)
  }
}
