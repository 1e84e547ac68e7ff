/**
 * Cookie text to list and object and back, and the rule of which cookie a request uses:
 * one in the request (query parameter, X-Custom-Cookie, Cookie), else the global one, else none.
 */
import { InvalidInput } from './errors.ts'
import { isIdentityName, isKnownName, neutralNameOf, readCredential } from './provider/credentials.ts'
import type { Credential } from './provider/credentials.ts'

export type CookieSource = 'query' | 'header' | 'cookie' | 'global' | 'none'

export interface ResolvedCookie {
  readonly source: CookieSource
  /** Pairs whose names this relay knows, first non-empty value of each, as given. */
  readonly pairs: readonly Pair[]
  /** Present when the pairs hold a key and an account. */
  readonly credential: Credential | undefined
}

export type Pair = readonly [name: string, value: string]

export interface CookieRules {
  readonly fallbackMode: boolean
  readonly useGlobalCookie: boolean
}

/** Longest cookie text that is taken. Bytes. */
const maximumLength = 8192
const pollution = new Set(['__proto__', 'constructor', 'prototype'])

/** `a=b; c=d` to pairs. A pair splits at its first `=`; nothing is decoded, since values are passed on verbatim. */
export function parseCookie (text: string): Pair[] {
  return text.split(';').flatMap((part): Pair[] => {
    const at = part.indexOf('=')
    const name = part.slice(0, at).trim()
    const value = part.slice(at + 1).trim()
    return at < 1 || name === '' || value === '' || pollution.has(name) ? [] : [[name, value]]
  })
}

/** The pairs in neutral names, each once. Values of the global cookie belong to the relay's owner and show as `***`. */
export function shownPairs ({ source, pairs }: ResolvedCookie, exposeGlobal: boolean): Pair[] {
  const shown = new Map<string, string>()
  for (const [name, value] of pairs) {
    const neutral = neutralNameOf(name)
    if (!shown.has(neutral)) shown.set(neutral, source === 'global' && !exposeGlobal ? '***' : value)
  }
  return [...shown]
}

/** Whether a request with this cookie asks as somebody: it has a key and an account. */
export const isLogin = (text: string): boolean => readCredential(knownPairs(text)) !== undefined

/** The text with this account in front, where it has a key but no account of its own; else as it is. */
export function withAccount (cookie: string, account: string): string {
  const completed = `uin=${account}; ${cookie}`
  return !isLogin(cookie) && isLogin(completed) && completed.length <= maximumLength ? completed : cookie
}

export const none: ResolvedCookie = { source: 'none', pairs: [], credential: undefined }

/** Where a cookie may come from, most important first. */
export interface CookieOffers {
  readonly query?: unknown
  readonly customHeader?: unknown
  readonly cookieHeader?: unknown
  readonly global?: string | undefined
}

/** Throws InvalidInput for a cookie that is too long or holds characters that no header may hold. */
export function resolveCookie (offers: CookieOffers, rules: CookieRules): ResolvedCookie {
  if (rules.fallbackMode) {
    if (isGiven(offers.query)) return explicit('query', offers.query)
    if (isGiven(offers.customHeader)) return explicit('header', offers.customHeader)
    if (isGiven(offers.cookieHeader)) {
      // A browser sends unrelated cookies of other programs on the same host: ours only with an identity or key name.
      const ours = parseCookie(offers.cookieHeader).filter(([name]) => isKnownName(name))
      if (ours.some(([name]) => isIdentityName(name))) {
        checkLength(offers.cookieHeader)
        // Left out, a broken key would turn the request into one of the global account.
        for (const [, value] of ours) checkCharacters(value)
        return resolved('cookie', knownPairs(offers.cookieHeader))
      }
    }
  }
  if (rules.useGlobalCookie && isGiven(offers.global)) return explicit('global', offers.global)
  return none
}

function isGiven (text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== ''
}

function explicit (source: CookieSource, text: string): ResolvedCookie {
  checkLength(text)
  checkCharacters(text)
  return resolved(source, knownPairs(text))
}

function checkLength (text: string): void {
  if (text.length > maximumLength) throw new InvalidInput(`cookie: must be a text of at most ${maximumLength} characters.`)
}

function checkCharacters (text: string): void {
  if (/[^\t\x20-\x7e]/.test(text)) throw new InvalidInput('cookie: must be printable ASCII text, name=value pairs separated by "; ".')
}

function knownPairs (text: string): Pair[] {
  const seen = new Set<string>()
  return parseCookie(text).filter(([name, value]) => {
    const first = isKnownName(name) && /^[\x21-\x7e]+$/.test(value) && !seen.has(name)
    seen.add(name)
    return first
  })
}

function resolved (source: CookieSource, pairs: readonly Pair[]): ResolvedCookie {
  return { source, pairs, credential: readCredential(pairs) }
}
