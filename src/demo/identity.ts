/** Identifies a caller by an account number and its key. */
import { accounts, type Identity } from './accounts.ts'
import type { Keys } from './keys.ts'

const anonymous: Identity = { state: 'anonymous', uin: '', nick: '' }

function cookiePairs (header: string): Map<string, string> {
  const pairs = new Map<string, string>()
  for (const part of header.split(';')) {
    const cut = part.indexOf('=')
    if (cut < 1) continue
    const name = part.slice(0, cut).trim()
    const value = part.slice(cut + 1).trim()
    // A browser may have a name twice, for two domains. The first non-empty value counts.
    if (value && !pairs.has(name)) pairs.set(name, value)
  }
  return pairs
}

const digitsOf = (value: unknown): string => String(value ?? '').replace(/^o?0*/i, '')

/**
 * Returns the account of a number and its key. A key that does not match is an expired one. `loginType` must match if
 * it is given.
 */
function holderOf (keys: Keys, uin: string, key: string, loginType?: unknown): Identity {
  const account = accounts().find((known) => known.uin === uin)
  const fits = account !== undefined && keys.holds(account, key)
    && (loginType === undefined || Number(loginType) === account.loginType)
  return fits ? { state: account.vip ? 'member' : 'ordinary', uin, nick: account.nick }
    : { state: 'expired', uin, nick: '' }
}

/**
 * Identifies the caller of a musicu body by `comm {uin|qq, authst, tmeLoginType}`. That needs no cookie (clients of
 * 2026), and a cookie alone does not count (2026-06-17).
 */
export function callerOf (keys: Keys, comm: Record<string, unknown>): Identity {
  const uin = digitsOf(comm['uin']) || digitsOf(comm['qq'])
  const { authst, tmeLoginType } = comm
  if (typeof authst !== 'string' || authst === '' || uin === '') return anonymous
  return holderOf(keys, uin, authst, tmeLoginType)
}

/**
 * Identifies the caller of a classic path by the Cookie header. Only the upstream's real cookie names count; the
 * relay's neutral names are ignored. Any token is accepted.
 */
export function identityOf (keys: Keys, cookie: string | undefined): Identity {
  if (!cookie) return anonymous
  const pairs = cookiePairs(cookie)
  const key = pairs.get('qm_keyst') ?? pairs.get('qqmusic_key')
  const uin = digitsOf(pairs.get('uin') ?? pairs.get('qqmusic_uin') ?? pairs.get('wxuin'))
  if (!key || !uin) return anonymous
  return holderOf(keys, uin, key)
}
