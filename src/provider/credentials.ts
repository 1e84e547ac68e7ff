/**
 * The upstream's cookie: its names, who it belongs to, and the form in which it leaves.
 * Facts observed 2021 to 2026-10. Account numbers stay text: they have up to 19 digits and do not fit a double.
 */

/** Neutral name and upstream name of the same cookie. */
const upstreamNames: Readonly<Record<string, string>> = {
  provider_key: 'qqmusic_key',
  provider_keyst: 'qm_keyst',
  providerLoginType: 'tmeLoginType',
  provider_uin: 'qqmusic_uin',
  alt_uin: 'wxuin'
}

const neutralNames: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(upstreamNames).map(([neutral, real]) => [real, neutral]))

/** Names that carry an account or a key: what makes a browser's Cookie header ours at all. */
const identityNames = new Set(['uin', 'qqmusic_uin', 'wxuin', 'p_uin', 'qqmusic_key', 'qm_keyst'])

/** Everything that is read from a cookie text; all other names are dropped before anything else happens. */
const knownNames = new Set([...identityNames, 'euin', 'tmeLoginType', 'login_type'])

export interface Credential {
  /** Account number, digits only. */
  readonly uin: string
  /** The music key: what a login yields. */
  readonly key: string
  /** 1 the alternative channel, 2 the main channel. */
  readonly loginType: 1 | 2
  /** Encrypted account id, when the cookie has it. */
  readonly euin: string | undefined
}

/** A name as the upstream spells it. */
function upstreamNameOf (name: string): string {
  return Object.hasOwn(upstreamNames, name) ? upstreamNames[name] as string : name
}

/** A name as this relay's interface spells it. */
export function neutralNameOf (name: string): string {
  return Object.hasOwn(neutralNames, name) ? neutralNames[name] as string : name
}

export function isIdentityName (name: string): boolean {
  return identityNames.has(upstreamNameOf(name))
}

/** Whether this relay reads a cookie of this name (in either spelling) at all. */
export function isKnownName (name: string): boolean {
  return knownNames.has(upstreamNameOf(name))
}

/**
 * Account and key out of cookie pairs in either spelling; undefined when one of them is missing: that is no login.
 * A jar may hold both channels' names, and only the key's prefix tells them apart.
 */
export function readCredential (pairs: Iterable<readonly [name: string, value: string]>): Credential | undefined {
  const jar = new Map<string, string>()
  for (const [name, value] of pairs) {
    const real = upstreamNameOf(name)
    if (knownNames.has(real) && value !== '' && !jar.has(real)) jar.set(real, value)
  }
  const key = jar.get('qqmusic_key') ?? jar.get('qm_keyst')
  if (key === undefined) return undefined
  const loginType = loginTypeOf(key, jar)
  const uin = (loginType === 1 ? ['wxuin', 'uin', 'qqmusic_uin'] : ['uin', 'qqmusic_uin', 'p_uin'])
    .map((name) => jar.get(name)).find((value) => value !== undefined)
  const digits = uin === undefined ? undefined : accountDigits(uin)
  if (digits === undefined) return undefined
  return { uin: digits, key, loginType, euin: jar.get('euin') }
}

function loginTypeOf (key: string, jar: ReadonlyMap<string, string>): 1 | 2 {
  if (key.startsWith('W_X')) return 1
  if (key.startsWith('Q_H_L')) return 2
  const type = jar.get('tmeLoginType')
  if (type === '1' || type === '2') return type === '1' ? 1 : 2
  return jar.get('login_type') === '2' ? 1 : 2 // the other name counts the other way round
}

/** `o0123456789` and `123456789` are the same account; undefined when it is no account number. */
export function accountDigits (uin: string): string | undefined {
  const digits = uin.replace(/^[oO]/, '').replace(/^0+/, '')
  return /^[1-9]\d{0,19}$/.test(digits) ? digits : undefined
}

/** The Cookie header for the music servers: rebuilt from what was understood, never forwarded as received. */
export function cookieHeader (credential: Credential): string {
  const { uin, key, loginType, euin } = credential
  const pairs = [`uin=${uin}`, `qqmusic_uin=${uin}`, `qm_keyst=${key}`, `qqmusic_key=${key}`, `tmeLoginType=${loginType}`]
  if (euin !== undefined) pairs.push(`euin=${euin}`)
  if (loginType === 1) pairs.push(`wxuin=${uin}`)
  return pairs.join('; ')
}

/** The upstream's text hash; seed 5381 over the music key is `g_tk`, seed 0 over a QR signature its poll token. */
export function hash33 (text: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = (hash + (hash << 5) + text.charCodeAt(i)) | 0
  return hash & 0x7fffffff
}

/** `g_tk` of anonymous calls. */
const anonymousToken = 5381

export function tokenOf (credential: Credential | undefined): number {
  return credential === undefined ? anonymousToken : hash33(credential.key, 5381)
}
