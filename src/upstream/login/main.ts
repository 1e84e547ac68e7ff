/**
 * The main login channel. A check that finds the scan confirmed runs all other steps at once, because each value works
 * only once. The steps are: poll, sign address, p_skey, redirect, code, exchange. Each step has one failure.
 */
import type { LoginRenewal } from '../../../schemas/config.ts'
import type { LoginSession, MainLoginCheck, MainLoginQr } from '../../../schemas/login.ts'
import type { AbortSignalLike } from '../../common/abort.ts'
import { UpstreamError } from '../../common/errors.ts'
import { failure } from '../../common/kinds.ts'
import {
  authorisationCodeOf, loginOf, mainStateOf, qrPictureOf, qrsigOf, redirectOf, signCookiesOf, signValuesOf,
  type LoginOutcome, refusalReason, sessionOf
} from './loginAnswers.ts'
import {
  mainAuthoriseCall, mainExchangeCall, mainPollCall, mainPollToken, mainQrCall, mainSignCall, type SignCookies,
  type SignValues
} from './loginRequests.ts'
import type { SharedWork } from './singleFlight.ts'
import { isPause, step, tooSlow, unusablePoll, type LoginExchange } from './steps.ts'
import type { TtlMap } from '../../common/ttlMap.ts'

/** Requests a QR code. Throws QR_UNAVAILABLE, or LOGIN_TIMEOUT when the upstream is too slow. */
export async function startMain (exchange: LoginExchange, signal: AbortSignalLike | undefined): Promise<MainLoginQr> {
  const answer = await step('mainQr', async () => await exchange.send(mainQrCall(), signal))
  const img = await step('mainQr', () => qrPictureOf(answer))
  const qrsig = await step('mainQr', () => qrsigOf(answer))
  return { img, qrsig, ptqrtoken: mainPollToken(qrsig) }
}

/** The states of a poll other than "confirmed" (code 0). */
const states: Readonly<Record<string, MainLoginCheck>> = {
  66: { isOk: false, refresh: false, status: 'waiting', message: 'Waiting for the scan: scan the QR code, then ask again.' },
  67: { isOk: false, refresh: false, status: 'scanned', message: 'Scanned: confirm the login on the phone, then ask again.' },
  65: {
    isOk: false,
    refresh: true,
    status: 'expired',
    message: 'The QR code is expired: request a new one.',
    error: 'The QR code is expired: request a new one.'
  },
  68: {
    isOk: false,
    refresh: true,
    status: 'refused',
    message: 'The login was refused on the phone: request a new QR code.',
    error: 'The login was refused on the phone: request a new QR code.'
  }
}

/** The values that the steps of a confirmed login returned so far. */
export interface ConfirmedLogin { readonly sign: SignValues, cookies?: SignCookies, code?: string }

/**
 * Checks a QR code with one poll. After a confirmation it also runs the other steps and returns the session. When the
 * upstream asks to wait, `paused` stores the login, and the next check continues with the step that was refused.
 * `completed` receives the data that only a stored login may hold. Throws UpstreamError with the failed step's code,
 * LOGIN_TIMEOUT or UPSTREAM_PAUSED.
 */
export async function checkMain (
  qrsig: string,
  exchange: LoginExchange,
  paused: TtlMap<ConfirmedLogin>,
  { signal, commit }: SharedWork,
  completed: (session: LoginSession, renewal: LoginRenewal) => void
): Promise<MainLoginCheck> {
  const found = paused.get(qrsig) ?? await polled(qrsig, exchange, signal)
  if (!('sign' in found)) return found
  commit() // the confirmation works once, so a caller who leaves must not abort the rest
  paused.delete(qrsig)
  try {
    const { login, renewal, refused } = await redeemed(found, exchange)
    if (login === undefined) {
      throw failure('login.refused', { call: 'login exchange', word: refusalReason(refused) })
    }
    const session = sessionOf(login)
    completed(session, renewal)
    return { isOk: true, message: 'Logged in.', session }
  } catch (error) {
    if (isPause(error)) paused.set(qrsig, found)
    throw error
  }
}

/** Returns the state of a QR code, or the login if it is confirmed. */
async function polled (
  qrsig: string,
  exchange: LoginExchange,
  signal: AbortSignal
): Promise<MainLoginCheck | ConfirmedLogin> {
  const poll = await exchange.send(mainPollCall(qrsig, exchange.now()), signal).catch((error: unknown) => {
    throw error instanceof UpstreamError && error.code === 'UPSTREAM_TIMEOUT' ? tooSlow(error) : error
  })
  const state = mainStateOf(poll)
  if (state === undefined) throw unusablePoll(poll)
  const known = states[state.code]
  if (known !== undefined) return known
  if (state.code !== '0') throw failure('login.poll', { call: 'login poll', word: state.code })
  return { sign: await step('sign', () => signValuesOf(state.address)) }
}

/** Runs the steps of a confirmed login that are still to do. Each value works once, so no step is repeated. */
async function redeemed (login: ConfirmedLogin, exchange: LoginExchange): Promise<LoginOutcome> {
  const cookies = login.cookies ??= await step(
    'p_skey',
    async () => signCookiesOf(await exchange.send(mainSignCall(login.sign)))
  )
  const code = login.code ??= await authorised(cookies, exchange)
  return await step(
    'exchange',
    async () =>
      await exchange.redeem(mainExchangeCall(code, cookies), (answer, observer) => loginOf(answer, 2, observer))
  )
}

async function authorised (cookies: SignCookies, exchange: LoginExchange): Promise<string> {
  const redirect = await step(
    'redirect',
    async () => redirectOf(await exchange.send(mainAuthoriseCall(cookies, exchange.now())))
  )
  return await step('code', () => authorisationCodeOf(redirect))
}

// @mutate login steps: login-main login-both
