/**
 * The main channel. A check that finds the scan confirmed runs the rest at once, in this order, because each thing is
 * good for one use: poll, sign address, p_skey, redirect, code, exchange. Each step has one failure.
 */
import type { MainLoginCheck, MainLoginQr } from '../../schemas/login.ts'
import { UpstreamError } from '../errors.ts'
import { authorisationCodeOf, loginOf, mainStateOf, pictureOf, redirectOf, signCookiesOf, signValuesOf, signatureOf } from '../provider/loginRead.ts'
import { mainAuthoriseCall, mainExchangeCall, mainPollCall, mainPollToken, mainQrCall, mainSignCall } from '../provider/loginWire.ts'
import type { Flight } from './flights.ts'
import { refusalReason, sessionOf } from './session.ts'
import { failed, step, tooSlow, unusablePoll } from './steps.ts'
import type { Hops } from './steps.ts'

export async function startMain (hops: Hops, signal: AbortSignal | undefined): Promise<MainLoginQr> {
  const answer = await step('qr', async () => await hops.ask(mainQrCall(), signal))
  const img = await step('qr', () => pictureOf(answer))
  const qrsig = await step('qr', () => signatureOf(answer))
  return { img, qrsig, ptqrtoken: mainPollToken(qrsig) }
}

/** What a poll may say besides "confirmed" (code 0). */
const states: Readonly<Record<string, MainLoginCheck>> = {
  66: { isOk: false, refresh: false, status: 'waiting', message: 'Waiting for the scan: scan the QR code, then ask again.' },
  67: { isOk: false, refresh: false, status: 'scanned', message: 'Scanned: confirm the login on the phone, then ask again.' },
  65: { isOk: false, refresh: true, status: 'expired', message: 'The QR code is expired: request a new one.', error: 'The QR code is expired: request a new one.' },
  68: { isOk: false, refresh: true, status: 'refused', message: 'The login was refused on the phone: request a new QR code.', error: 'The login was refused on the phone: request a new QR code.' }
}

export async function checkMain (qrsig: string, hops: Hops, { signal, commit }: Flight): Promise<MainLoginCheck> {
  const poll = await hops.ask(mainPollCall(qrsig, hops.now()), signal).catch((error: unknown) => {
    throw error instanceof UpstreamError && error.code === 'UPSTREAM_TIMEOUT' ? tooSlow(error) : error
  })
  const state = mainStateOf(poll)
  if (state === undefined) throw unusablePoll(poll)
  const known = states[state.code]
  if (known !== undefined) return known
  if (state.code !== '0') throw failed('LOGIN_REFUSED', `The upstream refuses this QR code (code ${state.code}); request a new one.`, 'poll')

  commit() // the confirmation is used up: nobody who leaves may stop what follows
  const sign = await step('sign', () => signValuesOf(state.address))
  const cookies = await step('p_skey', async () => signCookiesOf(await hops.ask(mainSignCall(sign))))
  const redirect = await step('redirect', async () => redirectOf(await hops.ask(mainAuthoriseCall(cookies, hops.now()))))
  const code = await step('code', () => authorisationCodeOf(redirect))
  const { login, refused } = await step('exchange', async () => await hops.exchange(mainExchangeCall(code, cookies), (answer, listener) => loginOf(answer, 2, listener)))
  if (login === undefined) throw failed('LOGIN_REFUSED', `Login failed: the upstream refused the exchange (${refusalReason(refused)}); request a new QR code.`, 'exchange')
  return { isOk: true, message: 'Logged in.', session: sessionOf(login) }
}
