/** Parses cookie texts and checks which ones are accepted. Which cookie a request uses: identity.ts. */
import { parse } from 'cookie'
import { InvalidInput } from '../../common/errors.ts'
import { isIdentity, isKeyName, isKnownName, readCredential } from './credentials.ts'

/** One cookie. */
export type Pair = readonly [name: string, value: string]

/** Maximum length of a cookie text. Characters; all are ASCII. */
const maximumLength = 8192

/** Returns the pairs of `a=b; c=d`, each name with its first non-empty value. Nothing is decoded: values are passed on unchanged. */
export function parseCookie (text: string): Pair[] {
  return Object.entries(parse(text, { decode: (value) => value === '' ? undefined : value }))
    .flatMap(([name, value]): Pair[] => name === '' || value === undefined ? [] : [[name, value]])
}

/** Returns the pairs with names that the relay supports. A name counts once, with its first value, and only if that is printable. */
export function knownPairs (text: string): Pair[] {
  const seen = new Set<string>()
  return parseCookie(text).filter(([name, value]) => {
    const first = isKnownName(name) && /^[\x21-\x7e]+$/.test(value) && !seen.has(name)
    seen.add(name)
    return first
  })
}

/** Whether a Cookie header may hold this value between two semicolons: 1 to 4096 characters. */
export function isCookieValue (value: string): boolean {
  return /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,4096}$/.test(value)
}

/** Whether the text holds an account or a key, valid or not. */
export const hasIdentity = (text: string): boolean => parseCookie(text).some(([name, value]) => isIdentity(name, value))

/** Whether this cookie is a login, that is, has a key and an account. */
export const isLogin = (text: string): boolean => readCredential(knownPairs(text)) !== undefined

/** Returns the missing part of a cookie that is not a login: `a key`, `an account` or both. */
export function lackOf (text: string): string {
  const pairs = knownPairs(text)
  if (pairs.some(([name]) => isKeyName(name))) return 'an account'
  return pairs.some(([name, value]) => isIdentity(name, value)) ? 'a key' : 'a key and an account'
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

/** Throws InvalidInput for a cookie text that is too long, or holds characters that are not allowed in a header. */
export function checkCookie (text: string): void {
  checkLength(text)
  checkCharacters(text)
}

/**
 * Like `checkCookie`, for a Cookie header that may contain pairs of other programs on the same host: only the pairs that the
 * relay reads are checked.
 */
export function checkCookieHeader (text: string): void {
  checkLength(text)
  for (const [name, value] of parseCookie(text)) if (isKnownName(name)) checkCharacters(value)
}

function checkLength (text: string): void {
  if (text.length > maximumLength) throw new InvalidInput(`cookie: must be a text of at most ${maximumLength} characters.`)
}

function checkCharacters (text: string): void {
  if (/[^\t\x20-\x7e]/.test(text)) throw new InvalidInput('cookie: must be printable ASCII text, name=value pairs separated by "; ".')
}

// @mutate identity: cookie-rules user
