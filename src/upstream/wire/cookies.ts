/**
 * Which cookies of a text count, and what is missing in one. How a text is read: pasted.ts. Which cookie a request
 * uses: identity.ts.
 */
import { InvalidInput } from '../../common/errors.ts'
import {
  accountDigits, isAccountName, isIdentity, isKeyName, isKnownName, isUsable, readCredential
} from './credentials.ts'
import { decoded, parseCookie, type Pair } from './pasted.ts'

export type { Pair }

/** Maximum length of the cookie text of a request. Characters. */
const maximumLength = 8192

/** Returns the pairs with names that the relay supports. A name counts once, with its first usable value. */
export const knownPairs = (text: string): Pair[] => knownOf(parseCookie(text))

/** The same, of the pairs of a text. */
export function knownOf (pairs: readonly Pair[]): Pair[] {
  const seen = new Set<string>()
  return pairs.flatMap(([name, written]): Pair[] => {
    if (!isKnownName(name) || seen.has(name)) return []
    // No known value has a percent sign of its own.
    const value = isCookieValue(decoded(written)) ? decoded(written) : written
    if (!isUsable(name, value)) return []
    seen.add(name)
    return [[name, value]]
  })
}

/** Returns the text if it is `a=b; c=d`; otherwise the same of its known pairs, "" if it has none. */
export function plainCookie (text: string): string {
  const isPlain =
    text.split(';').every((part) => /^\s*[\w.-]+=[!#-+\--:<-[\]-~]*\s*$/.test(part) && !part.includes('\n'))
    && text.length <= maximumLength
  return isPlain ? text : knownPairs(text).map(([name, value]) => `${name}=${value}`).join('; ')
}

/** Whether a Cookie header may hold this value between two semicolons: 1 to 4096 characters. */
export function isCookieValue (value: string): boolean {
  return /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,4096}$/.test(value)
}

/** Whether an account or a key is among the pairs of a text, valid or not. */
export const hasIdentity = (pairs: readonly Pair[]): boolean => pairs.some(([name, value]) => isIdentity(name, value))

/** Whether this cookie is a login, that is, has a key and an account. */
export const isLogin = (text: string): boolean => readCredential(knownPairs(text)) !== undefined

/**
 * Returns which half of a login these pairs lack, and under which names a browser shows it, to follow "the cookie has".
 * The channel of a key decides the name of its account.
 */
export function lackInWords (pairs: readonly Pair[]): string {
  const key = pairs.find(([name]) => isKeyName(name))?.[1]
  const account = pairs.find(([name, value]) => isAccountName(name) && accountDigits(value) !== undefined)
  const accountNames = key?.startsWith('W_X') === true ? 'wxuin'
    : key?.startsWith('Q_H_L') === true ? 'uin' : 'uin, or wxuin after a WeChat login'
  const keyNames = 'qm_keyst or qqmusic_key'
  if (key !== undefined) return `a key but no account: copy ${accountNames}, too`
  if (account !== undefined) return `an account but no key: copy ${keyNames}, too`
  return `neither account nor key: copy ${accountNames}, and ${keyNames}`
}

/** Returns the text with this account in front if it has a key but no account. Otherwise returns it unchanged. */
export function withAccount (cookie: string, account: string): string {
  const completed = `uin=${account}; ${cookie}`
  return !isLogin(cookie) && isLogin(completed) && completed.length <= maximumLength ? completed : cookie
}

/** Returns the text with its key replaced by this one, under every name of a key. Other pairs stay unchanged. */
export function withKey (cookie: string, key: string): string {
  return parseCookie(cookie).map(([name, value]) => `${name}=${isKeyName(name) ? key : value}`).join('; ')
}

/** Throws InvalidInput for the cookie text of a request that is too long. */
export function checkCookie (text: string): void {
  if (text.length > maximumLength) {
    throw new InvalidInput(`cookie: must be a text of at most ${maximumLength} characters. Leave out what other pages keep: account and key are enough.`)
  }
}

// @mutate identity: cookie-rules user
