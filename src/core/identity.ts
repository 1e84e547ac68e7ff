/**
 * The identity of a request. It comes from one cookie: the request's own (query parameter, X-Custom-Cookie, Cookie), else
 * the global cookie, else none. Library and HTTP server resolve it here, and only `authorize` decides about access.
 */
import { checkCookieCharacters, checkCookieLength, knownPairs, parseCookie } from '../upstream/protocol/cookies.ts'
import type { Pair } from '../upstream/protocol/cookies.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { RelayError } from '../common/errors.ts'
import { isIdentity, isKnownName, neutralNameOf, readCredential } from '../upstream/protocol/credentials.ts'
import type { Credential } from '../upstream/protocol/credentials.ts'

/** Where a request can name a cookie for this relay only. */
type NamedSource = 'query' | 'header'

/** Source of the cookie. */
export type IdentitySource = NamedSource | 'cookie' | 'global' | 'none'

/** The account that a request uses. */
export interface Identity {
  readonly source: IdentitySource
  /** Key and account. Absent if the cookie lacks either. */
  readonly credential: Credential | undefined
  /** Pairs with known names, unchanged. Of each name the first non-empty value. */
  readonly cookies: readonly Pair[]
  /** Set if the Cookie header or the global cookie was ignored because a page of another site sent the request. */
  readonly withheld?: true
  /** Where the request named a cookie without a usable pair. It was ignored, so that a source of lower priority counts. */
  readonly ignored?: readonly NamedSource[]
}

/** The identity of a request without a cookie. */
export const anonymousIdentity: Identity = { source: 'none', credential: undefined, cookies: [] }

/** Settings that decide which cookies are used. */
export interface IdentityRules {
  readonly fallbackMode: boolean
  readonly useGlobalCookie: boolean
}

/** The possible sources of a cookie, in descending priority. */
export interface CookieOffers {
  readonly query?: unknown
  readonly customHeader?: unknown
  readonly cookieHeader?: unknown
  readonly global?: string | undefined
}

/**
 * Returns the identity from the usable cookie with the highest priority. A cookie is usable if it holds an account or a
 * key, expired or not.
 * @throws {InvalidInput} The cookie is too long, or holds characters that are not allowed in a header.
 */
export function resolveIdentity (offers: CookieOffers, rules: IdentityRules): Identity {
  const ignored: NamedSource[] = []
  if (rules.fallbackMode) {
    for (const [source, text] of [['query', offers.query], ['header', offers.customHeader]] as const) {
      if (!isGiven(text)) continue
      const identity = checked(source, text)
      if (isUsable(text)) return withNote(identity, ignored)
      ignored.push(source)
    }
    // A browser also sends cookies of other programs on the same host.
    if (isGiven(offers.cookieHeader) && isUsable(offers.cookieHeader)) {
      checkCookieLength(offers.cookieHeader)
      // An invalid key is refused. If it were ignored, the request would use the global account.
      for (const [name, value] of parseCookie(offers.cookieHeader)) if (isKnownName(name)) checkCookieCharacters(value)
      return withNote(identityOf('cookie', offers.cookieHeader), ignored)
    }
  }
  const rest = rules.useGlobalCookie && isGiven(offers.global) ? checked('global', offers.global) : anonymousIdentity
  return withNote(rest, ignored)
}

/** Throws LOGIN_REQUIRED or CROSS_SITE if the endpoint requires a login and the identity has no credential. */
export function authorize ({ login }: Pick<AnyEndpoint, 'login'>, { source, credential, withheld, ignored }: Identity): void {
  if (login !== 'required' || credential !== undefined) return
  if (withheld === true) {
    throw new RelayError('CROSS_SITE', 'A page of another site asks: it gets neither the Cookie header nor the global cookie. Bring the cookie as X-Custom-Cookie, or list the origin in corsOrigins.')
  }
  throw new RelayError('LOGIN_REQUIRED', source === 'none' && ignored === undefined
    ? 'This endpoint needs a login: pass a cookie with key and account, or scan a login QR code first.'
    : 'This endpoint needs a login, and the cookie lacks key, account or both: it is name=value pairs, uin and provider_keyst among them.')
}

/**
 * Returns the pairs with neutral names, each once. Values of the global cookie are the owner's: they show as `***`
 * unless `exposeGlobal`.
 */
export function shownCookies ({ source, cookies }: Identity, exposeGlobal: boolean): Pair[] {
  const shown = new Map<string, string>()
  for (const [name, value] of cookies) {
    const neutral = neutralNameOf(name)
    if (!shown.has(neutral)) shown.set(neutral, source === 'global' && !exposeGlobal ? '***' : value)
  }
  return [...shown]
}

function isGiven (text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== ''
}

/** Whether the cookie holds an account or a key, valid or not. */
function isUsable (text: string): boolean {
  return parseCookie(text).some(([name, value]) => isIdentity(name, value))
}

function withNote (identity: Identity, ignored: readonly NamedSource[]): Identity {
  return ignored.length === 0 ? identity : { ...identity, ignored }
}

function checked (source: IdentitySource, text: string): Identity {
  checkCookieLength(text)
  checkCookieCharacters(text)
  return identityOf(source, text)
}

function identityOf (source: IdentitySource, text: string): Identity {
  const cookies = knownPairs(text)
  return { source, credential: readCredential(cookies), cookies }
}
