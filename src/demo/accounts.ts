import type { Keys } from './keys.ts'

/** An invented account. `cookie` is the Cookie header that a browser would send. */
export interface DemoAccount {
  name: 'ordinary' | 'member' | 'expired'
  uin: string
  cookie: string
}

/** The caller as the upstream sees it. `expired` means that the key in the cookie is expired or unknown. */
export interface Identity {
  state: 'anonymous' | 'ordinary' | 'member' | 'expired'
  uin: string
  nick: string
}

/** `key` is the account's first key; `Keys` knows the one that counts now. */
export interface Registered { name: DemoAccount['name'], uin: string, key: string, euin: string, loginType: number, nick: string }

const anonymous: Identity = { state: 'anonymous', uin: '', nick: '' }

/** The member logs in through the alternative channel: its number is above 2^53 and its key starts with W_X_. */
const registered: readonly Registered[] = [
  { name: 'ordinary', uin: '1000000101', key: 'Q_H_L_demoOrdinary00000000000000000000000000000000000000000001', euin: 'demoOrdinary0**', loginType: 2, nick: 'Demo ordinary 🎧' },
  { name: 'member', uin: '1152921504600000203', key: 'W_X_demoMember000000000000000000000000000000000000000000000002', euin: 'demoMember000**', loginType: 1, nick: '演示会员' },
  { name: 'expired', uin: '1000000303', key: 'Q_H_L_demoExpired000000000000000000000000000000000000000000003', euin: 'demoExpired00**', loginType: 2, nick: 'Demo expired' }
]

export function demoAccounts (): DemoAccount[] {
  return registered.map(({ name, uin, key, euin, loginType }) => ({
    name,
    uin,
    cookie: `uin=${uin}; qqmusic_uin=${uin}; qm_keyst=${key}; qqmusic_key=${key}; euin=${euin}; tmeLoginType=${loginType}`
  }))
}

export const accounts = (): readonly Registered[] => registered

export function accountNamed (name: DemoAccount['name']): Registered {
  const account = registered.find((known) => known.name === name)
  if (!account) throw new RangeError(`no account ${name}`)
  return account
}

/** Finds an account by its number or its encrypted id. */
export function accountOf (id: string): Registered | undefined {
  return registered.find(({ uin, euin }) => id === uin || id === euin)
}

/** The token that the upstream derives from a music key: h*33 + character, seed 5381, 31 bits. */
export function hash33 (text: string, seed = 5381): number {
  let hash = seed
  for (const character of text) hash = (hash * 33 + character.charCodeAt(0)) % 0x80000000
  return hash
}

function cookiePairs (header: string): Map<string, string> {
  const pairs = new Map<string, string>()
  for (const part of header.split(';')) {
    const cut = part.indexOf('=')
    if (cut < 1) continue
    const name = part.slice(0, cut).trim()
    const value = part.slice(cut + 1).trim()
    // A browser may hold a name twice, for two domains. The first non-empty value counts.
    if (value && !pairs.has(name)) pairs.set(name, value)
  }
  return pairs
}

const digitsOf = (value: unknown): string => String(value ?? '').replace(/^o?0*/i, '')

/** The account of a number and its key. A key that does not fit is an expired one. `loginType` must fit if it is given. */
function holderOf (keys: Keys, uin: string, key: string, loginType?: unknown): Identity {
  const account = registered.find((known) => known.uin === uin)
  const fits = account !== undefined && keys.holds(account, key) && (loginType === undefined || Number(loginType) === account.loginType)
  return fits ? { state: account.name === 'expired' ? 'ordinary' : account.name, uin, nick: account.nick } : { state: 'expired', uin, nick: '' }
}

/**
 * Identifies the caller of a musicu body. `comm {uin|qq, authst, tmeLoginType}` is enough and needs no cookie (clients of
 * 2026).
 */
export function callerOf (keys: Keys, cookie: string | undefined, comm: Record<string, unknown>): Identity {
  const uin = digitsOf(comm['uin']) || digitsOf(comm['qq'])
  const { authst, tmeLoginType } = comm
  if (typeof authst !== 'string' || authst === '' || uin === '') return identityOf(keys, cookie, comm)
  return holderOf(keys, uin, authst, tmeLoginType)
}

/**
 * Identifies the caller by the Cookie header. Only the upstream's real cookie names count; the relay's neutral names
 * mean nothing here. `comm` is the common block of a musicu body: its token must fit the key, and its number must be a
 * string (2026-09: account reads are refused without the right token). Classic paths accept any token.
 */
export function identityOf (keys: Keys, cookie: string | undefined, comm?: Record<string, unknown>): Identity {
  if (!cookie) return anonymous
  const pairs = cookiePairs(cookie)
  const key = pairs.get('qm_keyst') ?? pairs.get('qqmusic_key')
  const uin = digitsOf(pairs.get('uin') ?? pairs.get('qqmusic_uin') ?? pairs.get('wxuin'))
  if (!key || !uin) return anonymous
  if (comm && (comm['g_tk'] !== hash33(key) || comm['uin'] !== uin)) return anonymous
  return holderOf(keys, uin, key)
}
