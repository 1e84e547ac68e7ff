/**
 * Renews the key of a login. Public clients disagree about the form (2023 to 2026-11), so there is a chain of forms.
 * The old key becomes invalid with the answer, even if the answer is lost: a form is tried only after one that was
 * refused as a form.
 */
import type { LoginRenewal } from '../../../schemas/config.ts'
import { UpstreamError } from '../../common/errors.ts'
import { cookieHeader, readCredential, tokenOf, type Credential } from '../wire/credentials.ts'
import { isCookieValue, knownPairs } from '../wire/cookies.ts'
import { parseCookie } from '../wire/pasted.ts'
import { createDevice, mobileApp, phoneComm } from '../wire/requests.ts'
import { loginOf } from './loginAnswers.ts'
import { altApp, gatewayCall, mainClient, type LoginCall } from './loginRequests.ts'
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
/**
 * Codes about the key alone. A form that needs a valid key returns them for an expired one, which other forms can
 * renew.
 */
const ofKey: ReadonlySet<number> = new Set([1000, 104401])

/**
 * Codes about the account or its request rate, not about the form: another form would be refused too, or make it worse.
 * 0: the upstream reports success without usable values, so the old key may be invalid.
 */
const notOfForm: ReadonlySet<number> = new Set([0, 2001, 20271, 20272, 20274, 20277, 20278, 20279, 20450, 104604])

/**
 * Renews a login: one request, or one for each form that is refused as a form. Never throws for an upstream failure.
 */
export async function renewLogin (known: LoginRenewal, exchange: LoginExchange): Promise<RenewalOutcome> {
  let last = 0
  for (const call of renewalCalls(known)) {
    let found
    try {
      found = await exchange.redeem(
        call,
        (answer, observer) => ({ status: answer.status, outcome: loginOf(answer, known.loginType, observer, known) })
      )
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
      // The old key with its old time is the answer of an upstream that did nothing.
      const { musicKey, keyCreatedAt = 0 } = outcome.renewal
      return musicKey === known.musicKey && keyCreatedAt <= (known.keyCreatedAt ?? 0) ? { later: 'same_key' }
        : { renewal: outcome.renewal }
    }
    last = outcome.refused
    if (ended.has(last) && !(needsValidKey(call) && ofKey.has(last))) return { refused: last }
    if (notOfForm.has(last)) break
  }
  return { later: `biz_${last}` }
}

// The requests that renew a key, in the forms of public clients (2023 to 2026-11).

/**
 * Returns the forms for this login, in the order in which they are tried. Main channel: web-like block, phone block,
 * the call of its login, desktop block. Alternative channel: the phone block, which one client saw work from end to end
 * (2026-08), then the web-like one.
 */
function renewalCalls (known: LoginRenewal): readonly LoginCall[] {
  const { loginType, musicId: uin, musicKey: authst } = known
  const isAlt = loginType === 1
  const credential: Credential = { uin, key: authst, loginType, euin: undefined }
  const cookie = { cookie: cookieHeader(credential) }
  const g_tk = tokenOf(credential)
  const login = { module: 'music.login.LoginServer', method: 'Login' }
  const param = paramOf(known)
  // Without the account in `comm` the cookie alone is nobody's (2026-06).
  const web = gatewayCall(
    'login.renew.web',
    { format: 'json', tmeAppID: 'qqmusic', tmeLoginType: loginType, uin, authst, g_tk },
    { ...login, param: { ...param, ...isAlt ? { strAppid: altApp } : { str_musicid: uin } } },
    'musicu',
    cookie
  )
  const version = isAlt ? { cv: 13_020_508, v: 13_020_508 } : {}
  const phone = gatewayCall(
    'login.renew.phone',
    { platform: undefined, ...phoneComm(credential), ...version },
    { ...login, param },
    'musicu',
    { ...cookie, 'user-agent': mobileApp }
  )
  if (isAlt) return [phone, web]
  const main = gatewayCall(
    'login.renew.main',
    { tmeLoginType: loginType, g_tk },
    { module: 'QQConnectLogin.LoginServer', method: 'QQLogin', param },
    'musicu',
    cookie
  )
  const { openId = '', unionId = '', accessToken = '', accessTokenExpiresAt = 0 } = known
  const psrf = {
    psrf_qqopenid: openId,
    psrf_qqaccess_token: accessToken,
    psrf_access_token_expiresAt: accessTokenExpiresAt,
    psrf_qqunionid: unionId
  }
  const desktop = gatewayCall(
    'login.renew.desktop',
    {
      platform: undefined,
      ct: 19,
      cv: 2192,
      tmeAppID: 'qqmusic',
      tmeLoginType: loginType,
      uin,
      authst,
      ...createDevice(),
      ...psrf
    },
    // The names of the device are constants: they name none.
    {
      ...login,
      param: {
        ...param,
        expired_in: 0,
        appid: mainClient,
        deviceName: 'PC',
        deviceType: 'PC',
        forceRefreshToken: 0,
        onlyNeedAccessToken: 0
      }
    },
    'musicu',
    cookie
  )
  return [web, phone, main, desktop].map((call) => withNumber(call, uin))
}

/**
 * Whether a form renews only a key that has not expired: the call of the login, which reads the key's cookie (2026-09).
 */
const needsValidKey = ({ name }: LoginCall): boolean => name === 'login.renew.main'

/**
 * Returns the part of the record that a form sends. The upstream checks JSON types: a missing value is an empty text,
 * never absent.
 */
function paramOf (
  {
    loginType,
    musicId,
    musicKey,
    openId = '',
    unionId = '',
    accessToken = '',
    accessTokenExpiresAt = 0,
    refreshToken = '',
    refreshKey = ''
  }: LoginRenewal
): Record<string, unknown> {
  const both = {
    openid: openId,
    refresh_token: refreshToken,
    musickey: musicKey,
    refresh_key: refreshKey,
    loginMode: 2
  }
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

// What a browser keeps of a login besides its account and key (several clients; one renews from it, 2026-08).

/** Names of the cookies with the text fields of a renewal, for each channel. All of these are needed. */
const pastedTexts = {
  1: { openId: 'wxopenid', refreshToken: 'wxrefresh_token', unionId: 'wxunionid' },
  2: { openId: 'psrf_qqopenid', accessToken: 'psrf_qqaccess_token', refreshToken: 'psrf_qqrefresh_token' }
} as const
/** Names of the cookies with times, in Unix seconds. */
const pastedTimes = { accessTokenExpiresAt: 'psrf_access_token_expiresAt', keyCreatedAt: 'psrf_musickey_createtime' } as const

/** Returns what a renewal needs, from a cookie as a browser has it. Undefined if that is not there. */
export function renewalIn (cookie: string): LoginRenewal | undefined {
  const credential = readCredential(knownPairs(cookie))
  if (credential === undefined) return undefined
  const { loginType, uin, key } = credential
  const pairs = parseCookie(cookie)
  const valueOf = (name: string): string | undefined =>
    pairs.find(([own, value]) => own === name && isCookieValue(value))?.[1]
  const read = (names: Readonly<Record<string, string>>): [string, string | undefined][] =>
    Object.entries(names).map(([field, name]) => [field, valueOf(name)])
  const texts = read(pastedTexts[loginType])
  if (texts.some(([, value]) => value === undefined)) return undefined
  const times = loginType === 1 ? []
    : read(pastedTimes).filter(([, value]) => /^[1-9]\d{9}$/.test(value ?? '')).map((
      [field, value]
    ) => [field, Number(value)])
  const unionId = loginType === 2 ? valueOf('psrf_qqunionid') : undefined
  return {
    loginType,
    musicId: uin,
    musicKey: key,
    ...Object.fromEntries(texts),
    ...Object.fromEntries(times),
    ...unionId === undefined ? {} : { unionId }
  }
}

// @mutate renewal: renewal login-command
