import { createHash } from 'node:crypto'
import { accounts } from '../accounts.ts'
import type { Registered } from '../accounts.ts'
import type { CallAnswer, CallContext, MusicuTable, Param } from '../types.ts'
import { mistyped, textOf } from './params.ts'

const digest = (text: string): string => createHash('md5').update(text).digest('hex').toUpperCase()

/** What an account needs for a renewal, besides its key. `refreshKey` belongs to the key that is valid now. */
function secretsOf ({ uin, loginType }: Registered, key: string): Record<'openid' | 'unionid' | 'accessToken' | 'refreshToken' | 'refreshKey', string> {
  const main = loginType === 2
  const made = (what: string): string => main ? digest(`${what} ${uin}`) : `o${digest(`${what} ${uin}`).slice(0, 27)}`
  const token = (what: string): string => main ? digest(`${what} ${uin}`) : `99_${digest(`${what} ${uin}`)}`
  return { openid: made('openid'), unionid: made('unionid'), accessToken: token('access'), refreshToken: token('refresh'), refreshKey: digest(`refresh ${key}`) }
}

/** The fields of a redacted real answer. `musicid` is a JSON number, also with 19 digits: see `bigNumbers`. */
function recordOf (account: Registered, key: string, now: number): Record<string, unknown> {
  const { uin, euin, loginType } = account
  const { openid, unionid, accessToken, refreshToken } = secretsOf(account, key)
  const seconds = Math.floor(now / 1000)
  return {
    openid,
    refresh_token: refreshToken,
    access_token: accessToken,
    expired_at: loginType === 2 ? seconds + 5_184_000 : 0,
    musicid: `#${uin}`,
    musickey: key,
    musickeyCreateTime: seconds,
    first_login: 0,
    errMsg: '',
    sessionKey: '',
    unionid,
    str_musicid: uin,
    errtip: '',
    nick: '',
    logo: '',
    feedbackURL: '',
    encryptUin: euin,
    userip: '192.0.2.1',
    lastLoginTime: 0,
    keyExpiresIn: 259200,
    refresh_key: '',
    loginType,
    prompt2bind: 0,
    logoffStatus: 0,
    otherAccounts: [],
    otherPhoneNo: '',
    token: '',
    isPrized: -1,
    isShowDevManage: 0,
    errTip2: '',
    tip3: '',
    encryptedPhoneNo: '',
    phoneNo: '',
    bindAccountType: loginType,
    needRefreshKeyIn: 0
  }
}

/** The web gateway sets the cookies of the music site, too (reported 2026; the names besides the keys are *assumed*). */
function setCookies ({ uin, euin, loginType }: Registered, key: string, { cookies }: CallContext): void {
  const pairs = { uin, qqmusic_uin: uin, qqmusic_key: key, qm_keyst: key, euin, tmeLoginType: loginType }
  cookies.push(...Object.entries(pairs).map(([name, value]) => `${name}=${value}; Path=/; Domain=qq.com; Secure; SameSite=None`))
}

/** Exchanges a code once. A used or unknown code is 1000. */
function exchange (kind: 'main-code' | 'alt-code', param: Param, context: CallContext): CallAnswer {
  const { logins, keys, now } = context
  const account = logins.redeem(kind, textOf(param, 'code'))
  if (!account || (kind === 'alt-code' && param['strAppid'] !== 'wx48db31d50e334801')) return { code: 1000, data: {} }
  const key = keys.current(account)
  if (kind === 'main-code') setCookies(account, key, context)
  return { code: 0, data: recordOf(account, key, now) }
}

const renewalKinds = {
  openid: 'string', access_token: 'string', refresh_token: 'string', refresh_key: 'string', musickey: 'string', unionid: 'string', str_musicid: 'string', strAppid: 'string',
  expired_in: 'number', musicid: 'number', loginMode: 'number'
} as const

/**
 * A new key for both kinds of login, under the web block and the phone block (2026-06, 2026-09). The old key dies. 20261
 * is a bad login type; which of the three refusals belongs to which secret is *assumed*. Tokens that did not change come
 * back empty.
 */
function renewal (param: Param, { comm, keys, now }: CallContext): CallAnswer {
  const wrong = mistyped(param, renewalKinds)
  if (wrong) return wrong
  const type = Number(comm['tmeLoginType'])
  if (type !== 1 && type !== 2) return { code: 20261, data: {} }
  const id = type === 2 ? String(param['musicid']) : textOf(param, 'str_musicid')
  const account = accounts().find(({ uin, loginType }) => loginType === type && uin === id)
  if (!account) return { code: 1000, data: {} }
  const { openid, unionid, accessToken, refreshToken, refreshKey } = secretsOf(account, keys.current(account))
  const proof = type === 2 ? textOf(param, 'access_token') === accessToken : textOf(param, 'unionid') === unionid
  if (textOf(param, 'openid') !== openid || textOf(param, 'musickey') === '') return { code: 1000, data: {} }
  if (textOf(param, 'refresh_token') !== refreshToken || !proof) return { code: 104400, data: {} }
  if (!['', refreshKey].includes(textOf(param, 'refresh_key'))) return { code: 104401, data: {} }

  const key = keys.renew(account)
  return { code: 0, data: { ...recordOf(account, key, now), refresh_key: secretsOf(account, key).refreshKey, refresh_token: '', access_token: '', unionid: '' } }
}

export const loginCalls: MusicuTable = {
  'QQConnectLogin.LoginServer/QQLogin': (param, context) => exchange('main-code', param, context),
  'music.login.LoginServer/Login': (param, context) => param['loginMode'] === 2 ? renewal(param, context) : exchange('alt-code', param, context)
}
