/**
 * The alternative login channel: long polls until the state changes, then the exchange. "Still waiting" is an answer,
 * not an error: the upstream ends a poll after 15 to 25 s with 408, and the relay polls again until its own deadline is
 * over.
 */
import type { LoginRenewal } from '../../../schemas/config.ts'
import type { AltLoginCheck, AltLoginQr, LoginSession } from '../../../schemas/login.ts'
import type { AbortSignalLike } from '../../common/abort.ts'
import { UpstreamError } from '../../common/errors.ts'
import { failure } from '../../common/kinds.ts'
import { sleep, type Timers } from '../../common/timers.ts'
import {
  altStateOf, loginOf, qrPictureOf, uuidOf, type LoginOutcome, refusalReason, sessionOf
} from './loginAnswers.ts'
import type { LoginAnswer } from './loginClient.ts'
import { altExchangeCall, altExchangeHosts, altImageCall, altPageCall, altPollCall } from './loginRequests.ts'
import type { SharedWork } from './singleFlight.ts'
import { isPause, step, unusablePoll, type LoginExchange } from './steps.ts'
import type { TtlMap } from '../../common/ttlMap.ts'

/** Requests a QR code. Throws QR_UNAVAILABLE, or LOGIN_TIMEOUT when the upstream is too slow. */
export async function startAlt (exchange: LoginExchange, signal: AbortSignalLike | undefined): Promise<AltLoginQr> {
  const uuid = await step('qr', async () => uuidOf(await exchange.send(altPageCall(), signal)))
  const img = await step('qr', async () => qrPictureOf(await exchange.send(altImageCall(uuid), signal)))
  return { img, uuid }
}

const waiting: AltLoginCheck = {
  errcode: 408,
  isOk: false,
  status: 'waiting',
  message: 'Waiting for the scan: scan the QR code and ask again.'
}
const scanned: AltLoginCheck = {
  errcode: 404,
  isOk: false,
  status: 'scanned',
  message: 'Scanned: confirm the login on the phone and ask again in a second.'
}
const expired: AltLoginCheck = {
  errcode: 402,
  isOk: false,
  status: 'expired',
  refresh: true,
  message: 'The QR code is expired: request a new one.'
}
const cancelled: AltLoginCheck = {
  errcode: 403,
  isOk: false,
  status: 'cancelled',
  refresh: true,
  message: 'The login was cancelled on the phone: request a new QR code.'
}

/** Returns the state of a code without news. */
export function stillWaiting (uuid: string, scans: TtlMap<true>): AltLoginCheck {
  return scans.get(uuid) === true ? { ...scanned, errcode: 408 } : waiting
}

/**
 * How a check polls, and the state that checks of one relay share. `scans`: codes that were already scanned, which the
 * next poll must tell the upstream. `paused`: authorisation codes of logins whose exchange the upstream asked to delay.
 */
export interface AltPolling {
  readonly scans: TtlMap<true>
  readonly paused: TtlMap<string>
  /** Maximum number of polls in one check, and the pause before each further one in milliseconds. */
  readonly pollsPerCheck: number
  readonly pollPauseMs: number
  readonly timers: Timers
}

/**
 * Checks a QR code with long polls. After a confirmation it also runs the exchange and returns the session. `redeeming`
 * creates the exchange with the time that is left. `completed` receives the data that only a stored login may hold.
 * Throws UpstreamError, with LOGIN_NO_CODE, LOGIN_REFUSED or LOGIN_TIMEOUT after a confirmation. After UPSTREAM_PAUSED
 * the next check continues with the step that was refused.
 */
export async function checkAlt (
  uuid: string,
  exchange: LoginExchange,
  redeeming: () => LoginExchange,
  polling: AltPolling,
  { signal, commit }: SharedWork,
  completed: (session: LoginSession, renewal: LoginRenewal) => void
): Promise<AltLoginCheck> {
  const { paused } = polling
  const found = paused.get(uuid) ?? await news(uuid, exchange, polling, signal)
  if (typeof found !== 'string') return found
  commit() // the code works once, so a caller who leaves must not abort the exchange
  paused.delete(uuid)
  const code = await step('code', () => found === '' ? undefined : found)
  const { login, renewal, refused } = await step('exchange', async () => await redeemed(code, redeeming()))
    .catch((error: unknown) => {
      if (isPause(error)) paused.set(uuid, code)
      throw error
    })
  if (login === undefined) {
    throw failure('login.refused', { call: 'login exchange', word: refusalReason(refused) })
  }
  const session = sessionOf(login)
  completed(session, renewal)
  return { errcode: 405, isOk: true, status: 'confirmed', message: 'Logged in.', session }
}

/**
 * Polls until the state changes or the time is over. Returns the state, or the authorisation code of a confirmed login.
 */
async function news (
  uuid: string,
  exchange: LoginExchange,
  { scans, pollsPerCheck, pollPauseMs, timers }: AltPolling,
  signal: AbortSignal
): Promise<AltLoginCheck | string> {
  for (let polls = 1;; polls++) {
    const state = await polled(uuid, exchange, scans, signal)
    if (typeof state === 'string' || state.errcode !== 408) return state
    if (polls >= pollsPerCheck || exchange.pollLeftMs() <= pollPauseMs) return state
    await sleep(pollPauseMs, timers, signal) // the next poll throws the reason
  }
}

/** Sends one long poll. Returns the state, or the authorisation code of a confirmed login. */
async function polled (
  uuid: string,
  exchange: LoginExchange,
  scans: TtlMap<true>,
  signal: AbortSignal
): Promise<AltLoginCheck | string> {
  const seen = scans.get(uuid) === true
  let answer: LoginAnswer
  try {
    answer = await exchange.longPoll(altPollCall(uuid, seen, exchange.now()), signal)
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'late') return stillWaiting(uuid, scans)
    throw error
  }
  const state = altStateOf(answer)
  if (state === undefined) throw unusablePoll(answer)
  if (state.errcode === 408) return stillWaiting(uuid, scans)
  if (state.errcode === 404) {
    scans.set(uuid, true)
    return scanned
  }
  scans.delete(uuid)
  switch (state.errcode) {
    case 402:
    case 500: return expired
    case 403: return cancelled
    case 405: return state.code
    default: throw unusablePoll(answer)
  }
}

/**
 * Tries the hosts in turn. Only a broken connection, a 5xx or a request to wait leads to the next one: any other answer
 * consumed the code.
 */
async function redeemed (code: string, exchange: LoginExchange): Promise<LoginOutcome | undefined> {
  let failure: unknown
  for (const host of altExchangeHosts) {
    try {
      const { status, outcome } = await exchange.redeem(
        altExchangeCall(code, host),
        (answer, observer) => ({ status: answer.status, outcome: loginOf(answer, 1, observer) })
      )
      if (status < 500) return outcome
    } catch (error) {
      if (!(error instanceof UpstreamError && (error.fault === 'host' || isPause(error)))) throw error
      if (!isPause(failure)) failure = error
    }
  }
  if (failure !== undefined) throw failure
  return undefined
}

// @mutate login steps: login-alt login-both
