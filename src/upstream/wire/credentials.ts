/**
 * The upstream's cookie: its names, its account, and the form in which it is sent.
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

const neutralNames: Readonly<Record<string, string>> =
  Object.fromEntries(Object.entries(upstreamNames).map(([neutral, real]) => [real, neutral]))

/** Names of accounts, and of keys. A cookie text is used only if it has one of these. */
const accountNames = new Set(['uin', 'qqmusic_uin', 'wxuin', 'p_uin'])
const keyNames = new Set(['qqmusic_key', 'qm_keyst'])

/** All names that are read from a cookie text. Other names are dropped first. */
const knownNames = new Set([...accountNames, ...keyNames, 'euin', 'tmeLoginType', 'login_type'])

/** The same names in both spellings. */
export const knownNameList: readonly string[] = [...knownNames, ...Object.keys(upstreamNames)]

/** A login: the account and its key. */
export interface Credential {
  /** Account number, digits only. */
  readonly uin: string
  /** The music key, the result of a login. */
  readonly key: string
  /** 1: alternative channel, 2: main channel. */
  readonly loginType: 1 | 2
  /** Encrypted account id, if the cookie has it. */
  readonly euin: string | undefined
}

/** Returns the upstream's spelling of a name. */
function upstreamNameOf (name: string): string {
  return Object.hasOwn(upstreamNames, name) ? upstreamNames[name] as string : name
}

/** Returns the neutral spelling of a name, which the relay's interface uses. */
export function neutralNameOf (name: string): string {
  return Object.hasOwn(neutralNames, name) ? neutralNames[name] as string : name
}

/** Whether a cookie of this name (in either spelling) is a key. */
export function isKeyName (name: string): boolean {
  return keyNames.has(upstreamNameOf(name))
}

/** Whether a cookie of this name (in either spelling) is an account number. */
export function isAccountName (name: string): boolean {
  return accountNames.has(upstreamNameOf(name))
}

/** Whether a cookie (its name in either spelling) is a key or an account number. */
export function isIdentity (name: string, value: string): boolean {
  return isKeyName(name) || (isAccountName(name) && accountDigits(value) !== undefined)
}

/** What pages and tools write where there is no value. */
const placeholder = /^(?:0|null|undefined|none|deleted|\*+|\.+)$/i

/** Whether a value can be what a known cookie of this name (in either spelling) stands for. */
export function isUsable (name: string, value: string): boolean {
  if (isAccountName(name)) return accountDigits(value) !== undefined
  return /^[\x21-\x3a\x3c-\x7e]{1,8192}$/.test(value) && !(isKeyName(name) && placeholder.test(value))
}

/** Whether the relay reads a cookie of this name (in either spelling). */
export function isKnownName (name: string): boolean {
  return knownNames.has(upstreamNameOf(name))
}

/**
 * Returns the first usable account and key of either channel, from cookie pairs in either spelling. Returns undefined
 * when one of them is missing, which is not a login. A cookie may hold the names of both channels, several times and
 * without a use, as browsers keep `uin=0` of a visit without a login.
 */
export function readCredential (pairs: Iterable<readonly [name: string, value: string]>): Credential | undefined {
  const jar = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const real = upstreamNameOf(name)
    if (knownNames.has(real) && isUsable(real, value)) jar.set(real, [...jar.get(real) ?? [], value])
  }
  const of = (name: string): readonly string[] => jar.get(name) ?? []
  const keys = [...new Set([...keyNames].flatMap(of))].flatMap((key): { key: string, loginType: 1 | 2 }[] => {
    const loginType = loginTypeOf(key, jar)
    // Without any sign of the channel, the account decides.
    return loginType === undefined ? [{ key, loginType: 2 }, { key, loginType: 1 }] : [{ key, loginType }]
  })
  // An account of the alternative channel may stand under a name of the main one, unless that belongs to another key.
  for (const names of [{ 1: ['wxuin'], 2: ['uin', 'qqmusic_uin', 'p_uin'] }, { 1: ['uin', 'qqmusic_uin'], 2: [] }]) {
    for (const { key, loginType } of keys) {
      const uin = names[loginType].flatMap(of)[0]
      if (uin !== undefined) return { uin: accountDigits(uin) as string, key, loginType, euin: of('euin')[0] }
    }
  }
  return undefined
}

/** Returns the channel of a key: by its prefix, else by the cookies that name it. Undefined if none does. */
function loginTypeOf (key: string, jar: ReadonlyMap<string, readonly string[]>): 1 | 2 | undefined {
  if (key.startsWith('W_X')) return 1
  if (key.startsWith('Q_H_L')) return 2
  const [type] = jar.get('tmeLoginType')?.filter((text) => text === '1' || text === '2') ?? []
  if (type !== undefined) return type === '1' ? 1 : 2
  const [other] = jar.get('login_type') ?? [] // this name uses the numbers the other way round
  return other === '2' ? 1 : other === '1' ? 2 : undefined
}

/** Returns the digits of an account: `o0123456789` and `123456789` are the same one. Undefined for anything else. */
export function accountDigits (uin: string): string | undefined {
  const digits = uin.replace(/^[oO]/, '').replace(/^0+/, '')
  return /^[1-9]\d{0,19}$/.test(digits) ? digits : undefined
}

/**
 * Returns the Cookie header for the music servers. It is rebuilt from the credential; a caller's header is never
 * forwarded.
 */
export function cookieHeader (credential: Credential): string {
  const { uin, key, loginType, euin } = credential
  const pairs = [`uin=${uin}`, `qqmusic_uin=${uin}`, `qm_keyst=${key}`, `qqmusic_key=${key}`, `tmeLoginType=${loginType}`]
  if (euin !== undefined) pairs.push(`euin=${euin}`)
  if (loginType === 1) pairs.push(`wxuin=${uin}`)
  return pairs.join('; ')
}

/**
 * Returns the upstream's text hash. With seed 5381 over the music key it is `g_tk`; with seed 0 over a QR signature it
 * is the poll token.
 */
export function hash33 (text: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = (hash + (hash << 5) + text.charCodeAt(i)) | 0
  return hash & 0x7fffffff
}

/** `g_tk` of anonymous calls. */
const anonymousToken = 5381

/** Returns `g_tk` for a credential, or for an anonymous call. */
export function tokenOf (credential: Credential | undefined): number {
  return credential === undefined ? anonymousToken : hash33(credential.key, 5381)
}

// @mutate identity: cookie-rules user
