/** Code for both channels: sends the request of a step, and defines the failure of each step. */
import type { AbortSignalLike } from '../../common/abort.ts'
import { RelayError, UpstreamError } from '../../common/errors.ts'
import type { ErrorCode } from '../../../schemas/errors.ts'
import type { Client } from '../../common/ledger.ts'
import { clockOf, type Clock } from '../../common/timers.ts'
import type { LoginAnswer, LoginClient } from './client.ts'
import { scanApps, type LoginCall } from './requests.ts'
import type { UpstreamObserver } from '../read/observer.ts'
import { callStatusOf, statusOfLogin, type CallOutcome } from '../callStatus.ts'
import type { UpstreamReport } from '../caller.ts'

/** Seen by several operators, 2026. */
const foreignHint = `It refuses the main channel (${scanApps.main}) from many networks outside mainland China; the alternative channel (${scanApps.alt}) works everywhere.`

/** The failure of each step, apart from the timeout. */
const failures = {
  qr: ['QR_UNAVAILABLE', 'The upstream sent no QR code; try again.'],
  mainQr: ['QR_UNAVAILABLE', `The upstream sent no QR code; try again. ${foreignHint}`],
  sign: ['LOGIN_SIGN_URL', 'Login failed: cannot extract checkSigUrl from the upstream answer; request a new QR code.'],
  p_skey: ['LOGIN_P_SKEY', 'Login failed: cannot extract p_skey from the upstream answer; request a new QR code.'],
  redirect: ['LOGIN_NO_REDIRECT', 'Login failed: the authorisation response lacks the redirect address; request a new QR code.'],
  code: ['LOGIN_NO_CODE', 'Login failed: the authorisation redirect lacks the code; request a new QR code.'],
  exchange: ['LOGIN_REFUSED', 'Login failed: the upstream did not answer the exchange; request a new QR code.']
} as const satisfies Readonly<Record<string, readonly [ErrorCode, string]>>

/** Name of a login step that has its own failure. */
export type StepName = keyof typeof failures

/**
 * Runs a step and returns its value. A missing value or a broken connection becomes the step's failure. A timeout
 * becomes LOGIN_TIMEOUT. UPSTREAM_PAUSED and OVERLOADED are passed on: the step can be repeated later.
 */
export async function step<T> (name: StepName, take: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const [code, sentence] = failures[name]
  let cause: unknown
  try {
    const value = await take()
    if (value !== undefined) return value
  } catch (error) {
    if (!(error instanceof UpstreamError) || isPause(error)) throw error
    if (error.code === 'UPSTREAM_TIMEOUT') throw tooSlow(error)
    cause = error
  }
  throw failed(code, sentence, name, cause)
}

/** Whether the request was not sent, or was answered only with a request to wait. Its values are still valid. */
export const isPause = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.code === 'UPSTREAM_PAUSED' || error.code === 'OVERLOADED')

/** Returns the error of a failed step. `name`: the step. */
export function failed (code: ErrorCode, sentence: string, name: string, cause?: unknown): UpstreamError {
  return new UpstreamError(code, sentence, { fault: 'caller', call: `login ${name}`, outcome: name, cause })
}

/** Returns LOGIN_TIMEOUT, which replaces the timeout of one request. */
export function tooSlow (error: UpstreamError): RelayError {
  return new UpstreamError(
    'LOGIN_TIMEOUT',
    'The upstream did not answer the login in time; try again, with a new QR code when it was already confirmed.',
    { fault: 'time', call: error.call, outcome: error.outcome, cause: error }
  )
}

/** Returns the error for a poll without a state. Nothing was consumed, so the caller may poll again. */
export function unusablePoll (answer: LoginAnswer): UpstreamError {
  const facts = { call: answer.call, outcome: `http_${answer.status}`, fault: 'call' as const }
  if (answer.status >= 500) return new UpstreamError('UPSTREAM_UNREACHABLE', `The upstream failed (HTTP ${answer.status}); ask again.`, facts)
  if (answer.status !== 200) {
    return new UpstreamError(
      'LOGIN_REFUSED',
      `The upstream refuses to tell the state of this QR code (HTTP ${answer.status}); request a new one.${answer.call.startsWith('login.main') ? ` ${foreignHint}` : ''}`,
      facts
    )
  }
  return new UpstreamError('UPSTREAM_UNREADABLE', 'The upstream answer does not contain the state of this QR code; try again.', {
    ...facts,
    outcome: 'bad_payload'
  })
}

/** How one login sends requests: its client, its clock, and a report of each request. */
export interface LoginExchange {
  /** Returns milliseconds since the epoch, which some requests contain. */
  readonly now: () => number
  /** Sends a short request. Each has the deadline `stepMs`, and all requests of a login together have `wholeMs`. */
  send (call: LoginCall, signal?: AbortSignalLike): Promise<LoginAnswer>
  /** Sends the last request and reads its record. Findings of the reader count for this call. */
  redeem<T> (call: LoginCall, read: (answer: LoginAnswer, observer: UpstreamObserver) => T): Promise<T>
  /** Sends a long poll. Throws UpstreamError with outcome `deadline` when `pollLeftMs` is over without an answer. */
  longPoll (call: LoginCall, signal: AbortSignalLike): Promise<LoginAnswer>
  /** Returns how much of `pollMs` is left, in milliseconds. */
  pollLeftMs (): number
}

/** Deadlines in milliseconds: of one request, of a whole login, of all long polls of a check. */
export interface LoginTimes extends Clock {
  readonly stepMs: number
  readonly wholeMs: number
  readonly pollMs: number
}

/** The client that is charged for the requests of a login, and the receiver of reports about them. */
export interface LoginParty {
  readonly client?: Client | undefined
  readonly onUpstreamRequest?: ((report: UpstreamReport) => void) | undefined
}

/** Creates the exchange of one login; its times count from now. `now` returns milliseconds since the epoch. */
export function createLoginExchange (
  client: LoginClient,
  times: LoginTimes,
  observer: UpstreamObserver,
  now: () => number,
  party: LoginParty = {}
): LoginExchange {
  const steady = clockOf(times).now
  const begun = steady()
  const report = async <T>(
    call: LoginCall,
    send: LoginClient['send'],
    deadlineMs: number,
    signal: AbortSignalLike | undefined,
    read: (answer: LoginAnswer) => T
  ): Promise<T> => {
    const started = steady()
    const done = (how: Pick<CallOutcome, 'verdict' | 'outcome'>): void => {
      const ms = steady() - started
      party.onUpstreamRequest?.({ calls: [call.name], outcome: how.outcome, ms })
      observer.callEnded?.({ call: call.name, ...how, ms })
    }
    try {
      const answer = await send(call, { deadlineMs, signal, client: party.client })
      const result = read(answer)
      done(statusOfLogin(answer.status))
      return result
    } catch (error) {
      // A long poll without an answer means "no news", not a failure.
      done(
        send === client.longPoll && error instanceof UpstreamError && error.outcome === 'deadline'
          ? { verdict: 'ok', outcome: 'deadline' }
          : callStatusOf(error)
      )
      throw error
    }
  }
  const asItCame = (answer: LoginAnswer): LoginAnswer => answer
  const stepMs = (): number => Math.max(1, Math.min(times.stepMs, times.wholeMs - (steady() - begun)))
  const pollLeftMs = (): number => Math.max(1, times.pollMs - (steady() - begun))
  return {
    now,
    pollLeftMs,
    send: async (call, signal) => await report(call, client.send, stepMs(), signal, asItCame),
    redeem: async (call, read) =>
      await report(call, client.send, stepMs(), undefined, (answer) => read(answer, observer)),
    longPoll: async (call, signal) => await report(call, client.longPoll, pollLeftMs(), signal, asItCame)
  }
}

// @mutate login steps: login-rules login-alt login-main login-both
