/** The requests that renew a key, in the forms of public clients (2023 to 2026-09). */
import type { LoginRenewal } from '../../../schemas/config.ts'
import { cookieHeader, tokenOf, type Credential } from '../protocol/credentials.ts'
import { mobileApp, phoneComm } from '../protocol/requests.ts'
import { altApp, gatewayCall, type LoginCall } from './requests.ts'

/**
 * Returns the forms for this login, in the order in which they are tried: web-like block, phone block, and for the main
 * channel the call of its login.
 */
export function renewalCalls (known: LoginRenewal): readonly LoginCall[] {
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
export const needsValidKey = ({ name }: LoginCall): boolean => name === 'login.renew.main'

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
