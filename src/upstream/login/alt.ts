/**
 * The alternative login channel: one long poll per check, then the exchange. "Still waiting" is an answer, not an error:
 * the upstream holds a poll for 15 to 25 s, the relay ends it after its own deadline, and both give 408.
 */
import type { LoginRenewal } from '../../../schemas/config.ts'
import type { AltLoginCheck, AltLoginQr } from '../../../schemas/login.ts'
import { UpstreamError } from '../../common/errors.ts'
import { altStateOf, loginOf, pictureOf, uuidOf } from './answers.ts'
import type { LoginOutcome } from './answers.ts'
import type { LoginAnswer } from './client.ts'
import { altExchangeCall, altExchangeHosts, altImageCall, altPageCall, altPollCall } from './requests.ts'
import type { SharedWork } from './singleFlight.ts'
import type { TtlSet } from './ttlSet.ts'
import { refusalReason, sessionOf } from './session.ts'
import { failed, step, unusablePoll } from './steps.ts'
import type { LoginExchange } from './steps.ts'

/** Requests a QR code. Throws QR_UNAVAILABLE, or LOGIN_TIMEOUT when the upstream is too slow. */
export async function startAlt (exchange: LoginExchange, signal: AbortSignal | undefined): Promise<AltLoginQr> {
  const uuid = await step('qr', async () => uuidOf(await exchange.send(altPageCall(), signal)))
  const img = await step('qr', async () => pictureOf(await exchange.send(altImageCall(uuid), signal)))
  return { img, uuid }
}

const waiting: AltLoginCheck = { errcode: 408, isOk: false, status: 'waiting', message: 'Waiting for the scan: scan the QR code and ask again.' }
const scanned: AltLoginCheck = { errcode: 404, isOk: false, status: 'scanned', message: 'Scanned: confirm the login on the phone and ask again in a second.' }
const expired: AltLoginCheck = { errcode: 402, isOk: false, status: 'expired', refresh: true, message: 'The QR code is expired: request a new one.' }
const cancelled: AltLoginCheck = { errcode: 403, isOk: false, status: 'cancelled', refresh: true, message: 'The login was cancelled on the phone: request a new QR code.' }

/**
 * Checks a QR code with one long poll. After a confirmation it also runs the exchange and returns the session.
 * `redeeming` creates the exchange with the time that is left. `scans` remembers which codes were seen scanned, because
 * the next poll must tell the upstream. `completed` gets what only a stored login may hold. Throws UpstreamError, with LOGIN_NO_CODE, LOGIN_REFUSED or LOGIN_TIMEOUT after a
 * confirmation.
 */
export async function checkAlt (uuid: string, exchange: LoginExchange, redeeming: () => LoginExchange, scans: TtlSet, { signal, commit }: SharedWork, completed: (renewal: LoginRenewal) => void): Promise<AltLoginCheck> {
  const seen = scans.has(uuid)
  const stillWaiting = seen ? { ...scanned, errcode: 408 } : waiting
  let answer: LoginAnswer
  try {
    answer = await exchange.longPoll(altPollCall(uuid, seen, exchange.now()), signal)
  } catch (error) {
    if (error instanceof UpstreamError && error.outcome === 'deadline') return stillWaiting
    throw error
  }
  const state = altStateOf(answer)
  if (state === undefined) throw unusablePoll(answer)
  if (state.errcode === 408) return stillWaiting
  if (state.errcode === 404) {
    scans.add(uuid)
    return scanned
  }
  scans.delete(uuid)
  switch (state.errcode) {
    case 402:
    case 500: return expired
    case 403: return cancelled
    case 405: break
    default: throw unusablePoll(answer)
  }
  commit() // the code works once, so a caller who leaves must not abort the exchange
  const code = await step('code', () => state.code === '' ? undefined : state.code)
  const { login, renewal, refused } = await step('exchange', async () => await redeemed(code, redeeming()))
  if (login === undefined) throw failed('LOGIN_REFUSED', `Login failed: the upstream refused the exchange (${refusalReason(refused)}); request a new QR code.`, 'exchange')
  completed(renewal)
  return { errcode: 405, isOk: true, status: 'confirmed', message: 'Logged in.', session: sessionOf(login) }
}

/** Tries the hosts in turn. Only a broken connection or a 5xx leads to the next one: any other answer used up the code. */
async function redeemed (code: string, exchange: LoginExchange): Promise<LoginOutcome | undefined> {
  let failure: unknown
  for (const host of altExchangeHosts) {
    try {
      const { status, outcome } = await exchange.redeem(altExchangeCall(code, host), (answer, observer) => ({ status: answer.status, outcome: loginOf(answer, 1, observer) }))
      if (status < 500) return outcome
    } catch (error) {
      if (!(error instanceof UpstreamError && error.fault === 'host')) throw error
      failure = error
    }
  }
  if (failure !== undefined) throw failure
  return undefined
}
