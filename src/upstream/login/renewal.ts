/**
 * Renews the key of a login. Public clients disagree about the form (2023 to 2026-09), so there is a chain of forms. The old
 * key becomes invalid with the answer, even if the answer is lost: a form is tried only after one that was refused as a form.
 */
import type { LoginRenewal } from '../../../schemas/config.ts'
import { UpstreamError } from '../../common/errors.ts'
import { cookieHeader, tokenOf, type Credential } from '../protocol/credentials.ts'
import { mobileApp, phoneComm } from '../protocol/requests.ts'
import { loginOf } from './answers.ts'
import { altApp, gatewayCall, type LoginCall } from './requests.ts'
import type { LoginExchange } from './steps.ts'

/**
 * Outcome of a renewal.
 * - `renewal`: the new record, complete. The old key no longer works.
 * - `refused`: the upstream's code. The login has ended; only a new one helps.
 * - `later`: the reason why there is no reliable answer, for the log. The old record may work.
 */
export type RenewalOutcome =
  { readonly renewal: LoginRenewal, readonly refused?: undefined, readonly later?: undefined } |
  { readonly renewal?: undefined, readonly refused: number, readonly later?: undefined } |
  { readonly renewal?: undefined, readonly refused?: undefined, readonly later: string }

/** Codes that mean: log in again. */
const ended: ReadonlySet<number> = new Set([1000, 104400, 104401])
/** Codes about the key alone. A form that needs a valid key returns them for an expired one, which other forms can renew. */
const ofKey: ReadonlySet<number> = new Set([1000, 104401])

/**
 * Codes about the account or its request rate, not about the form: another form would be refused too, or make it worse. 0: the
 * upstream reports success without usable values, so the old key may be invalid.
 */
const notOfForm: ReadonlySet<number> = new Set([0, 2001, 20271, 20272, 20274, 20277, 20278, 20279, 20450, 104604])

/** Renews a login: one request, or one for each form that is refused as a form. Never throws for an upstream failure. */
export async function renewLogin (known: LoginRenewal, exchange: LoginExchange): Promise<RenewalOutcome> {
  let last = 0
  for (const call of renewalCalls(known)) {
    let found
    try {
      found = await exchange.redeem(call, (answer, observer) => ({ status: answer.status, outcome: loginOf(answer, known.loginType, observer, known) }))
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return { later: error.outcome }
    }
    const { status, outcome } = found
    if (status !== 200) return { later: `http_${status}` }
    if (outcome === undefined) return { later: 'bad_payload' }
    if (outcome.login !== undefined) {
      // A record of another account must never replace this one.
      if (outcome.login.uin !== known.musicId) return { later: 'other_account' }
      return { renewal: outcome.renewal }
    }
    last = outcome.refused
    if (ended.has(last) && !(needsValidKey(call) && ofKey.has(last))) return { refused: last }
    if (notOfForm.has(last)) break
  }
  return { later: `biz_${last}` }
}

// The requests that renew a key, in the forms of public clients (2023 to 2026-09).

/**
 * Returns the forms for this login, in the order in which they are tried: web-like block, phone block, and for the main
 * channel the call of its login.
 */
function renewalCalls (known: LoginRenewal): readonly LoginCall[] {
  const { loginType } = known
  const credential: Credential = { uin: known.musicId, key: known.musicKey, loginType, euin: undefined }
  const cookie = { cookie: cookieHeader(credential) }
  const g_tk = tokenOf(credential)
  const login = { module: 'music.login.LoginServer', method: 'Login' }
  const web = gatewayCall('login.renew.web', { tmeAppID: 'qqmusic', tmeLoginType: loginType, g_tk }, { ...login, param: paramOf(known) }, 'musicu', cookie)
  const withApp = loginType === 1 ? { strAppid: altApp } : {}
  const phone = gatewayCall(
    'login.renew.phone',
    { platform: undefined, ...phoneComm(credential) },
    { ...login, param: { ...paramOf(known), ...withApp } },
    'musicu',
    { ...cookie, 'user-agent': mobileApp }
  )
  const main = gatewayCall(
    'login.renew.main',
    { tmeLoginType: loginType, g_tk },
    { module: 'QQConnectLogin.LoginServer', method: 'QQLogin', param: paramOf(known) },
    'musicu',
    cookie
  )
  return (loginType === 1 ? [web, phone] : [web, phone, main]).map((call) => withNumber(call, known.musicId))
}

/** Whether a form renews only a key that has not expired: the call of the login, which reads the key's cookie (2026-09). */
const needsValidKey = ({ name }: LoginCall): boolean => name === 'login.renew.main'

/** Returns the part of the record that a form sends. The upstream checks JSON types: a missing value is an empty text, never absent. */
function paramOf (
  { loginType, musicId, musicKey, openId = '', unionId = '', accessToken = '', accessTokenExpiresAt = 0, refreshToken = '', refreshKey = '' }:
    LoginRenewal
): Record<string, unknown> {
  const both = { openid: openId, refresh_token: refreshToken, musickey: musicKey, refresh_key: refreshKey, loginMode: 2 }
  return loginType === 1
    ? { ...both, str_musicid: musicId, unionid: unionId }
    : { ...both, access_token: accessToken, expired_in: accessTokenExpiresAt, musicid: musicId }
}

/** Makes `musicid` a JSON number. A JavaScript number above 2^53 would name another account. */
function withNumber (call: LoginCall, musicId: string): LoginCall {
  const { request } = call
  // In other strings these quotes would have backslashes, so only the field itself matches.
  const body = request.body?.replace(`"musicid":"${musicId}"`, `"musicid":${musicId}`)
  return { ...call, request: { ...request, ...body === undefined ? {} : { body } } }
}

// @mutate renewal: renewal
