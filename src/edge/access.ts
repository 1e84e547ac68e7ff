/** What a request says about its sender: a token, the secret of an account, the host, a session, and the page. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { RelayError } from '../common/errors.ts'
import { isLoopbackHost } from '../upstream/http/origins.ts'

// The Authorization header: the token of Bearer, or the password of Basic.

/** The content of the header. `scheme` is in lower case. */
export interface Authorization { readonly scheme: string, readonly secret: string | undefined }

const none: Authorization = { scheme: '', secret: undefined }

export function authorizationOf ({ headers: { authorization } }: Pick<FastifyRequest, 'headers'>): Authorization {
  if (authorization === undefined) return none
  const [, word = '', value = ''] = /^(\S+) +(.*)$/.exec(authorization) ?? []
  const scheme = word.toLowerCase()
  if (scheme === 'bearer') return { scheme, secret: value }
  if (scheme !== 'basic') return { scheme, secret: undefined }
  const pair = decoded(value)
  const colon = pair.indexOf(':')
  // Some clients have one field for a key and send it as the user name.
  return { scheme, secret: colon === pair.length - 1 ? pair.slice(0, colon) : pair.slice(colon + 1) }
}

/** Whether a text looks like a secret or key of an account. */
export const isAccountSecret = (text: string | undefined): boolean => text !== undefined && /^m[rk]_/.test(text)

/**
 * Whether the header contains the secret or key of an account, also in a form that {@link authorizationOf} does not
 * read. Such a request is for that account and must not get the answers of another one.
 */
export function hasAccountSecret (authorization: string | undefined, { secret }: Authorization): boolean {
  if (authorization === undefined) return false
  return isAccountSecret(secret) || /(?<![\w.-])m[rk]_/i.test(authorization) ||
    // User names may begin like a secret. Secrets are longer.
    /:m[rk]_|(?<![\w.-])m[rk]_[\w-]{20}/i.test(decoded(authorization.split(/\s/).at(-1) ?? ''))
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8')

const hashed = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares hashes in constant time, so that response times reveal neither the length nor a prefix of the token. */
export function tokenCheck (token: string): (given: string | undefined) => boolean {
  const expected = hashed(token)
  return (given) => given !== undefined && timingSafeEqual(hashed(given), expected)
}

// The Host header.

/** Returns the refusal of a host. `header`: the header that names it. */
export function hostNotAllowed (header: 'Host' | 'X-Forwarded-Host'): RelayError {
  return new RelayError('HOST_NOT_ALLOWED', `The ${header} header names a host that this relay does not serve; add it to allowedHosts.`)
}

/**
 * Protects against DNS rebinding: a page of another site can make its own name resolve to this machine, but it cannot
 * send another Host.
 */
export function hostCheck (allowedHosts: readonly string[], loopback: boolean): (host: string) => boolean {
  if (!loopback && allowedHosts.length === 0) return () => true
  const allowed = new Set(allowedHosts.map((name) => name.toLowerCase()))
  let last: string | undefined
  const isAllowed = (host: string): boolean => {
    const { name, port } = hostOf(host.toLowerCase())
    // Clients leave out the port of http and https.
    const ports = port === undefined ? [':80', ':443'] : [port]
    return allowed.has(name) || ports.some((each) => allowed.has(name + each)) || isLoopbackHost(name)
  }
  return (host) => {
    if (host !== last && !isAllowed(host)) return false
    last = host // a client almost always sends the same Host
    return true
  }
}

/**
 * Returns the parts of a Host header. An IPv6 address includes its brackets, the port its colon. For any other text the
 * name is "".
 */
function hostOf (header: string): { readonly name: string, readonly port: string | undefined } {
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(:\d{1,5})?$/.exec(header) ?? []
  return { name, port }
}

// The cookie of a browser session.

/** Name of the cookie. */
export const sessionCookie = 'music_relay_session'

export function sessionTextOf ({ headers: { cookie } }: Pick<FastifyRequest, 'headers'>): string | undefined {
  return cookie === undefined ? undefined : new RegExp(`(?:^|;)\\s*${sessionCookie}=([\\w-]{43})(?:;|\\s|$)`).exec(cookie)?.[1]
}

// The page that sent the request, as the browser says.

const noOrigins: ReadonlySet<string> = new Set()

/**
 * Whether a page of another site sent the request. Such a page may read public answers and may send a cookie that it
 * knows. It may not use the Cookie header that a browser adds, or the global cookie.
 */
export function isForeign ({ headers, host }: FastifyRequest, trusted = noOrigins): boolean {
  const { origin } = headers
  if (origin !== undefined && trusted.has(origin)) return false
  if (headers['sec-fetch-site'] === 'cross-site') return true
  if (origin === undefined) return false
  if (!URL.canParse(origin)) return true
  // Both are compared without the default port of their scheme. `host` is that of a trusted proxy, if it sends one.
  const page = new URL(origin)
  const asked = `${page.protocol}//${host}`
  return !URL.canParse(asked) || new URL(asked).host !== page.host
}

/**
 * Whether a page of another origin sent the request, even one on the same domain. Without this check, any open page
 * could log in through a relay on this machine and read the session.
 */
export function isOtherPage (request: FastifyRequest, trusted = noOrigins): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site === undefined || (origin !== undefined && trusted.has(origin))) return isForeign(request, trusted)
  return site !== 'same-origin' && site !== 'none'
}

/** Whether a page of this relay sent the request, and the browser says so. Programs say nothing. */
export function isOwnPage (request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  return (site === undefined ? origin !== undefined : site === 'same-origin') && !isForeign(request)
}

// @mutate identity: safety bad-input callers login-keep
