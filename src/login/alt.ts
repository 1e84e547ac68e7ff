/**
 * The alternative channel: one long poll per check, then the exchange. Waiting is an answer, not an error: the
 * upstream holds a poll 15 to 25 s, the relay gives up after its own deadline, and both read 408.
 */
import type { AltLoginCheck, AltLoginQr } from '../../schemas/login.ts'
import { UpstreamError } from '../errors.ts'
import { altStateOf, loginOf, pictureOf, uuidOf } from '../provider/loginRead.ts'
import type { LoginAnswer } from '../provider/loginDoor.ts'
import { altExchangeCall, altImageCall, altPageCall, altPollCall } from '../provider/loginWire.ts'
import type { Flight } from './flights.ts'
import type { Memory } from './memory.ts'
import { refusalReason, sessionOf } from './session.ts'
import { failed, step, unusablePoll } from './steps.ts'
import type { Hops } from './steps.ts'

export async function startAlt (hops: Hops, signal: AbortSignal | undefined): Promise<AltLoginQr> {
  const uuid = await step('qr', async () => uuidOf(await hops.ask(altPageCall(), signal)))
  const img = await step('qr', async () => pictureOf(await hops.ask(altImageCall(uuid), signal)))
  return { img, uuid }
}

const waiting: AltLoginCheck = { errcode: 408, isOk: false, status: 'waiting', message: 'Waiting for the scan: scan the QR code and ask again.' }
const scanned: AltLoginCheck = { errcode: 404, isOk: false, status: 'scanned', message: 'Scanned: confirm the login on the phone and ask again in a second.' }
const expired: AltLoginCheck = { errcode: 402, isOk: false, status: 'expired', refresh: true, message: 'The QR code is expired: request a new one.' }
const cancelled: AltLoginCheck = { errcode: 403, isOk: false, status: 'cancelled', refresh: true, message: 'The login was cancelled on the phone: request a new QR code.' }

/** `scans` remembers which QR codes were seen scanned, because the upstream wants to be reminded. */
export async function checkAlt (uuid: string, hops: Hops, exchangeHops: () => Hops, scans: Memory, { signal, commit }: Flight): Promise<AltLoginCheck> {
  const seen = scans.has(uuid)
  const stillWaiting = seen ? { ...scanned, errcode: 408 } : waiting
  let answer: LoginAnswer
  try {
    answer = await hops.hold(altPollCall(uuid, seen, hops.now()), signal)
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
  commit() // the code is good for one use: nobody who leaves may stop the exchange
  const code = await step('code', () => state.code === '' ? undefined : state.code)
  const { login, refused } = await step('exchange', async () => await exchangeHops().exchange(altExchangeCall(code), (answer, listener) => loginOf(answer, 1, listener)))
  if (login === undefined) throw failed('LOGIN_REFUSED', `Login failed: the upstream refused the exchange (${refusalReason(refused)}); request a new QR code.`, 'exchange')
  return { errcode: 405, isOk: true, status: 'confirmed', message: 'Logged in.', session: sessionOf(login) }
}
