/** Code for both channels: sends the request of a step, and defines the failure of each step. */
import type { AbortSignalLike } from '../../common/abort.ts'
import { RelayError, UpstreamError } from '../../common/errors.ts'
import { failure } from '../../common/kinds.ts'
import type { Client } from '../../common/ledger.ts'
import { clockOf, type Clock } from '../../common/timers.ts'
import type { LoginAnswer, LoginClient } from './loginClient.ts'
import { scanApps, type LoginCall } from './loginRequests.ts'
import { type UpstreamObserver, callStatusOf, statusOfLogin, type CallOutcome } from '../read/observer.ts'
import type { UpstreamReport } from '../send.ts'

/** Seen by several operators, 2026. */
const foreignHint = `It refuses the main channel (${scanApps.main}) from many networks outside mainland China; the alternative channel (${scanApps.alt}) works everywhere.`

/** Name of a login step that has its own failure. */
export type StepName = 'qr' | 'mainQr' | 'sign' | 'p_skey' | 'redirect' | 'code' | 'exchange'

/**
 * Runs a step and returns its value. A missing value or a broken connection becomes the step's failure. A timeout
 * becomes LOGIN_TIMEOUT. UPSTREAM_PAUSED and OVERLOADED are passed on: the step can be repeated later.
 */
export async function step<T> (name: StepName, take: () => Promise<T | undefined> | T | undefined): Promise<T> {
  let cause: unknown
  try {
    const value = await take()
    if (value !== undefined) return value
  } catch (error) {
    if (!(error instanceof UpstreamError) || isPause(error)) throw error
    if (error.code === 'UPSTREAM_TIMEOUT') throw tooSlow(error)
    cause = error
  }
  throw failure(`login.${name}`, { call: `login ${name}`, word: foreignHint, cause })
}

/** Whether the request was not sent, or was answered only with a request to wait. Its values are still valid. */
export const isPause = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.code === 'UPSTREAM_PAUSED' || error.code === 'OVERLOADED')

/** Returns LOGIN_TIMEOUT, which replaces the timeout of one request. */
export function tooSlow (error: UpstreamError): RelayError {
  return failure('login.late', { call: error.call, outcome: error.outcome, cause: error })
}

/** Returns the error for a poll without a state. Nothing was consumed, so the caller may poll again. */
export function unusablePoll (answer: LoginAnswer): UpstreamError {
  const { call, status } = answer
  if (status === 200) {
    return failure('unreadable', { call, message: 'The upstream answer does not contain the state of this QR code; try again.' })
  }
  const outcome = `http_${status}`
  if (status >= 500) return failure('login.failing', { call, outcome, word: status })
  const refused = failure('login.poll.refused', { call, outcome, word: status })
  return call.startsWith('login.main') ? refused.with({ message: `${refused.message} ${foreignHint}` }) : refused
}

/** How one login sends requests: its client, its clock, and a report of each request. */
export interface LoginExchange {
  /** Returns milliseconds since the epoch, which some requests contain. */
  readonly now: () => number
  /** Sends a short request. Each has the deadline `stepMs`, and all requests of a login together have `wholeMs`. */
  send (call: LoginCall, signal?: AbortSignalLike): Promise<LoginAnswer>
  /** Sends the last request and reads its record. Findings of the reader count for this call. */
  redeem<T> (call: LoginCall, read: (answer: LoginAnswer, observer: UpstreamObserver) => T): Promise<T>
  /** Sends a long poll. Throws UpstreamError (`late`) when `pollLeftMs` is over without an answer. */
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
        send === client.longPoll && error instanceof UpstreamError && error.kind === 'late'
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
