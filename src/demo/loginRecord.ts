import { createHash } from 'node:crypto'
import type { Registered } from './accounts.ts'
import { keyLife, type Grant } from './keys.ts'

const digest = (text: string): string => createHash('md5').update(text).digest('hex').toUpperCase()

/** Returns the secrets that a renewal of this account needs, besides its key and its refresh key. */
export function secretsOf (
  { uin, loginType }: Registered
): Record<'openid' | 'unionid' | 'accessToken' | 'refreshToken', string> {
  const main = loginType === 2
  const made = (what: string): string => main ? digest(`${what} ${uin}`) : `o${digest(`${what} ${uin}`).slice(0, 27)}`
  const token = (what: string): string => main ? digest(`${what} ${uin}`) : `99_${digest(`${what} ${uin}`)}`
  return {
    openid: made('openid'),
    unionid: made('unionid'),
    accessToken: token('access'),
    refreshToken: token('refresh')
  }
}

/** Returns the fields of a redacted real answer. `musicid` is a JSON number, even with 19 digits: see `bigNumbers`. */
export function recordOf (
  account: Registered,
  { key, created, tokensUntil, refreshKey }: Grant
): Record<string, unknown> {
  const { uin, euin, loginType } = account
  const { openid, unionid, accessToken, refreshToken } = secretsOf(account)
  return {
    openid,
    refresh_token: refreshToken,
    access_token: accessToken,
    expired_at: loginType === 2 ? tokensUntil : created + 7200,
    musicid: `#${uin}`,
    musickey: key,
    musickeyCreateTime: created,
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
    keyExpiresIn: keyLife,
    refresh_key: refreshKey,
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
