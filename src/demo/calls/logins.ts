import type { Registered } from '../accounts.ts'
import type { CallAnswer, CallContext, MusicuTable, Param } from '../types.ts'
import { textOf } from './params.ts'

/** The fields of a redacted real answer. `musicid` is a JSON number, also with 19 digits: see `bigNumbers`. */
function recordOf ({ uin, key, euin, loginType }: Registered, now: number): Record<string, unknown> {
  const seconds = Math.floor(now / 1000)
  const main = loginType === 2
  return {
    openid: main ? 'DEMO0123456789ABCDEF0123456789AB' : 'oDemoOpenId00000000000000000',
    refresh_token: main ? 'DEMO0123456789ABCDEF0123456789AC' : '99_demoRefresh',
    access_token: main ? 'DEMO0123456789ABCDEF0123456789AD' : '99_demoAccess',
    expired_at: main ? seconds + 5_184_000 : 0,
    musicid: `#${uin}`,
    musickey: key,
    musickeyCreateTime: seconds,
    first_login: 0,
    errMsg: '',
    sessionKey: '',
    unionid: main ? 'DEMO0123456789ABCDEF0123456789AE' : 'oDemoUnionId0000000000000',
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

/** Exchanges a code once. A used or unknown code is 1000. */
const exchange = (kind: 'main-code' | 'alt-code') => (param: Param, { logins, now }: CallContext): CallAnswer => {
  const account = logins.redeem(kind, textOf(param, 'code'))
  if (!account || (kind === 'alt-code' && param['strAppid'] !== 'wx48db31d50e334801')) return { code: 1000, data: {} }
  return { code: 0, data: recordOf(account, now) }
}

export const loginCalls: MusicuTable = {
  'QQConnectLogin.LoginServer/QQLogin': exchange('main-code'),
  'music.login.LoginServer/Login': exchange('alt-code')
}
