import { accounts, type Registered } from '../accounts.ts'
import { identityOf } from '../identity.ts'
import { recordOf, secretsOf } from '../loginRecord.ts'
import type { CallAnswer, CallContext, Param } from '../types.ts'
import { lives } from './folders.ts'
import { mistyped, textOf } from './params.ts'
import { isPhone } from './phone.ts'

const kinds = {
  openid: 'string',
  access_token: 'string',
  refresh_token: 'string',
  refresh_key: 'string',
  musickey: 'string',
  unionid: 'string',
  str_musicid: 'string',
  strAppid: 'string',
  expired_in: 'number',
  expired_at: 'number',
  musicid: 'number',
  loginMode: 'number'
} as const

const accountWith = (loginType: number, id: string): Registered | undefined =>
  accounts().find((account) => account.loginType === loginType && account.uin === id)

/**
 * Returns a new key for both kinds of login. The old key becomes invalid. An expired key can be renewed like any other
 * (clients of 2025 and 2026). 20261 is a bad login type; the assignment of the three refusals to the secrets is
 * *assumed*. Unchanged tokens are returned empty.
 */
export function renewal (param: Param, { comm, keys }: CallContext): CallAnswer {
  const wrong = mistyped(param, kinds)
  if (wrong) return wrong
  const type = Number(comm['tmeLoginType'])
  if (type !== 1 && type !== 2) return { code: 20261, data: {} }
  const account = accountWith(type, type === 2 ? String(param['musicid']) : textOf(param, 'str_musicid'))
  if (!account) return { code: 1000, data: {} }
  // In the web's block the cookie is nobody's.
  const named = String(comm['uin']) === account.uin && textOf(comm, 'authst') === textOf(param, 'musickey')
  if (Number(comm['ct']) === 24 && !named) return { code: 1000, data: {} }
  const { openid, unionid, accessToken, refreshToken } = secretsOf(account)
  const proof = type === 2 ? textOf(param, 'access_token') === accessToken : textOf(param, 'unionid') === unionid
  const musickey = textOf(param, 'musickey')
  if (textOf(param, 'openid') !== openid || musickey === '') return { code: 1000, data: {} }
  if (textOf(param, 'refresh_token') !== refreshToken || !proof) return { code: 104400, data: {} }
  const refused = keys.refusal(account, musickey, textOf(param, 'refresh_key'))
  if (refused) return { code: refused, data: {} }
  return {
    code: 0,
    data: { ...recordOf(account, keys.renew(account, musickey)), refresh_token: '', access_token: '', unionid: '' }
  }
}

/**
 * The renewal of the website, for main logins only: with the key's cookie, while the key is still valid. Its answer has
 * the tokens, but no `openid`, `expired_at` or `refresh_key` (one redacted answer).
 */
export function siteRenewal (param: Param, { keys, headers }: CallContext): CallAnswer {
  const wrong = mistyped(param, kinds)
  if (wrong) return wrong
  const account = accountWith(2, String(param['musicid']))
  const musickey = textOf(param, 'musickey')
  const caller = identityOf(keys, headers['cookie'])
  if (!account || !lives(caller) || caller.uin !== account.uin || !keys.holds(account, musickey)) {
    return { code: 1000, data: {} }
  }
  const { accessToken, refreshToken } = secretsOf(account)
  if (textOf(param, 'access_token') !== accessToken || textOf(param, 'refresh_token') !== refreshToken) {
    return { code: 104400, data: {} }
  }
  return { code: 0, data: { ...recordOf(account, keys.renew(account, musickey, true)), openid: '', expired_at: 0 } }
}

/** The forms of a renewal. The sources disagree about which one works, so a mood may accept only one of them. */
export type RenewalForm = 'web' | 'phone' | 'site'

/** The phone form is a whole block: with its version, and with the account (*assumed*: any ids of the device). */
function formOf (param: Param, context: CallContext): RenewalForm | undefined {
  const { comm } = context
  if (isPhone(context)) {
    return comm['v'] !== undefined && textOf(comm, 'authst') === textOf(param, 'musickey') ? 'phone' : undefined
  }
  return Number(comm['ct']) === 24 ? 'web' : undefined
}

/**
 * Returns a renewal handler that refuses all other forms, with the code for a platform that may not call the method.
 */
export function renewalOnly (form: RenewalForm, called: 'Login' | 'QQLogin') {
  return (param: Param, context: CallContext): CallAnswer => {
    const used = called === 'QQLogin' ? 'site' : formOf(param, context)
    if (used !== form) return { code: 104403, data: {} }
    return used === 'site' ? siteRenewal(param, context) : renewal(param, context)
  }
}
