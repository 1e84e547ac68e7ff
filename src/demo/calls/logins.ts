import type { Registered } from '../accounts.ts'
import { recordOf } from '../loginRecord.ts'
import type { CallAnswer, CallContext, MusicuTable, Param } from '../types.ts'
import { textOf } from './params.ts'
import { renewal, siteRenewal } from './renewals.ts'

/**
 * The web gateway also sets the cookies of the music site (reported 2026; the names besides the keys are *assumed*).
 */
function setCookies ({ uin, euin, loginType }: Registered, key: string, { cookies }: CallContext): void {
  const pairs = { uin, qqmusic_uin: uin, qqmusic_key: key, qm_keyst: key, euin, tmeLoginType: loginType }
  cookies.push(...Object.entries(pairs).map(([name, value]) => `${name}=${value}; Path=/; Domain=qq.com; Secure; SameSite=None`))
}

/** Exchanges a code once. A used or unknown code is 1000. */
function exchange (kind: 'main-code' | 'alt-code', param: Param, context: CallContext): CallAnswer {
  const { logins, keys } = context
  const account = logins.redeem(kind, textOf(param, 'code'))
  if (!account || (kind === 'alt-code' && param['strAppid'] !== 'wx48db31d50e334801')) return { code: 1000, data: {} }
  const grant = keys.login(account)
  if (kind === 'main-code') setCookies(account, grant.key, context)
  return { code: 0, data: recordOf(account, grant) }
}

/** Both calls log in with a code, and renew with a key. */
export const loginCalls: MusicuTable = {
  'QQConnectLogin.LoginServer/QQLogin': (param, context) =>
    textOf(param, 'code') === '' && param['musickey'] !== undefined ? siteRenewal(param, context)
      : exchange('main-code', param, context),
  'music.login.LoginServer/Login': (param, context) =>
    param['loginMode'] === 2 ? renewal(param, context) : exchange('alt-code', param, context)
}
