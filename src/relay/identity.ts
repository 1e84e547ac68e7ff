/**
 * The identity of a request. It comes from one cookie: the request's own (query parameter, X-Custom-Cookie, Cookie),
 * else that of the stored account whose secret is sent, else the global cookie, else none. Library and HTTP server
 * resolve it here, and `authorize` decides whether it may use an endpoint.
 */
import { checkCookie, hasIdentity, knownOf, lackInWords } from '../upstream/wire/cookies.ts'
import { parseCookie, type Pair } from '../upstream/wire/pasted.ts'
import type { AnyEndpoint } from './endpoint.ts'
import type { AccountKey } from './accountBook.ts'
import type { Settings } from './settings.ts'
import { RelayError } from '../common/errors.ts'
import { neutralNameOf, readCredential, type Credential } from '../upstream/wire/credentials.ts'

/** Sources in which a request can name a cookie for this relay only. */
type NamedSource = 'query' | 'header'

/** Source of the cookie. */
export type IdentitySource = NamedSource | 'cookie' | 'account' | 'global' | 'none'

/** The account that a request uses. */
export interface Identity {
  readonly source: IdentitySource
  /** Name of the stored account in use. */
  readonly account?: string
  /** The key of the request, with its limits. It also applies if the request sends its own cookie. */
  readonly key?: AccountKey | undefined
  /** Key and account. Absent if the cookie lacks either. */
  readonly credential: Credential | undefined
  /** Pairs with known names. For each name, the first usable value. */
  readonly cookies: readonly Pair[]
  /**
   * Which half of a login the cookie lacks, to follow "the cookie has". Absent if it is a login, and without a cookie.
   */
  readonly lack?: string
  /** Set if the Cookie header or the global cookie was ignored because a page of another site sent the request. */
  readonly withheld?: true
  /**
   * Sources in which the request named a cookie without a usable pair. They were ignored, so that a source of lower
   * priority counts.
   */
  readonly ignored?: readonly NamedSource[]
}

/** The identity of a request without a cookie. */
export const anonymousIdentity: Identity = { source: 'none', credential: undefined, cookies: [] }

/** The possible sources of a cookie, in descending priority. */
export interface CookieOffers {
  readonly query?: unknown
  readonly customHeader?: unknown
  readonly cookieHeader?: unknown
  /** The stored account whose secret the request sends, and its cookie. */
  readonly account?: { readonly name: string, readonly cookie: string | undefined } | undefined
  readonly global?: string | undefined
}

/**
 * Returns the identity from the usable cookie with the highest priority. A cookie is usable if it contains an account
 * or a key, expired or not.
 * @throws {InvalidInput} A cookie is too long.
 */
export function resolveIdentity (
  offers: CookieOffers,
  rules: Pick<Settings, 'fallbackMode' | 'useGlobalCookie'>
): Identity {
  const ignored: NamedSource[] = []
  if (rules.fallbackMode) {
    for (const [source, text] of [['query', offers.query], ['header', offers.customHeader]] as const) {
      if (!isGiven(text)) continue
      checkCookie(text)
      const pairs = parseCookie(text)
      // One with half a login counts, too: if it were passed over, the request would use the account of somebody else.
      if (hasIdentity(pairs)) return withNote(identityOf(source, pairs), ignored)
      ignored.push(source)
    }
    const pairs = isGiven(offers.cookieHeader) ? parseCookie(offers.cookieHeader) : []
    if (hasIdentity(pairs)) {
      checkCookie(offers.cookieHeader as string)
      return withNote(identityOf('cookie', pairs), ignored)
    }
  }
  if (offers.account !== undefined) {
    const { name, cookie = '' } = offers.account
    return withNote({ ...identityOf('account', parseCookie(cookie)), account: name }, ignored)
  }
  if (!rules.useGlobalCookie || !isGiven(offers.global)) return withNote(anonymousIdentity, ignored)
  return withNote(identityOf('global', parseCookie(offers.global)), ignored)
}

/**
 * Throws KEY_LIMITED if the key of the request may not use the endpoint. Throws LOGIN_REQUIRED or CROSS_SITE if the
 * endpoint requires a login and the identity has no credential.
 */
export function authorize (
  { login, loginStep }: Pick<AnyEndpoint, 'login' | 'loginStep'>,
  { source, credential, withheld, ignored, account, key, lack = lackInWords([]) }: Identity
): void {
  if (
    key !== undefined
    && ((loginStep !== undefined && (key.readOnly || key.noLoginEndpoints))
      || (login === 'required' && key.noLoginEndpoints))
  ) {
    throw new RelayError('KEY_LIMITED', 'This key may not use this endpoint: use another key of the account, or its secret.')
  }
  if (login !== 'required' || credential !== undefined) return
  if (withheld === true) {
    throw new RelayError(
      'CROSS_SITE',
      'A page of another site asks: it gets nothing that a browser adds by itself (cookies, the password of Basic), nor the global cookie. Send the cookie as X-Custom-Cookie or the secret as Bearer, or list the origin in corsOrigins (not for sessions).'
    )
  }
  if (account !== undefined) {
    throw new RelayError('LOGIN_REQUIRED', `The account ${account} of this relay has no login: store one with music-relay login --as ${account}.`)
  }
  throw new RelayError(
    'LOGIN_REQUIRED',
    source === 'none' && ignored === undefined
      ? 'This endpoint needs a login: pass a cookie with key and account, or scan a login QR code first.'
      : `This endpoint needs a login, and the cookie has ${lack}.`
  )
}

/**
 * Returns the pairs with neutral names, each once. Values of the relay's own accounts are shown as `***`, those of the
 * global cookie unless `exposeGlobal`.
 */
export function shownCookies ({ source, cookies }: Identity, exposeGlobal: boolean): Pair[] {
  const shown = new Map<string, string>()
  for (const [name, value] of cookies) {
    const neutral = neutralNameOf(name)
    if (!shown.has(neutral)) {
      shown.set(neutral, source === 'account' || (source === 'global' && !exposeGlobal) ? '***' : value)
    }
  }
  return [...shown]
}

/** Whether the login belongs to the relay, not to the request. */
export const isOfRelay = ({ source }: Identity): boolean => source === 'account' || source === 'global'

/** Returns the same identity with another cookie of its account. */
export function withCookie (identity: Identity, text: string): Identity {
  const { lack: _, ...rest } = identity
  return { ...rest, ...identityOf(identity.source, parseCookie(text)) }
}

function isGiven (text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== ''
}

function withNote (identity: Identity, ignored: readonly NamedSource[]): Identity {
  return ignored.length === 0 ? identity : { ...identity, ignored }
}

function identityOf (source: IdentitySource, pairs: readonly Pair[]): Identity {
  const cookies = knownOf(pairs)
  const credential = readCredential(cookies)
  return { source, credential, cookies, ...credential === undefined ? { lack: lackInWords(cookies) } : {} }
}

// @mutate identity: cookie-rules user safety account-requests
