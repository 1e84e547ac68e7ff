/** Resolves the identity of a request once, before any handler. Blocks access to logins from pages of other origins. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { anonymousIdentity, resolveIdentity, type Identity } from '../relay/identity.ts'
import { RelayError } from '../common/errors.ts'
import { addWarning } from './headers.ts'
import { lackInWords } from '../upstream/wire/cookies.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Only programs and the relay's own pages may call the route. All other pages are refused, including those of a
     * listed origin.
     */
    ownPages?: true
  }
  interface FastifyRequest {
    /** Identity of the request. Null if the request was refused earlier. */
    identity: Identity | null
    /** The upstream refused the cookie of the request, and the answer is the one without a login. */
    loginRefused: boolean
  }
}

/** No listed origins. */
const noOrigins: ReadonlySet<string> = new Set()

const plugin: FastifyPluginAsync = async (app) => {
  const { settings, globalCookie, accounts } = app.runtime
  const trusted = new Set(settings.corsOrigins)

  function identityOf (request: FastifyRequest): Identity {
    const { 'cookie': cookieHeader, 'x-custom-cookie': customHeader } = request.headers
    const query = (request.query as Record<string, unknown>)[settings.cookieParamName]
    const global = globalCookie()
    const account = request.account === null ? undefined
      : { name: request.account.name, cookie: accounts?.cookieOf(request.account.name) }
    if (
      account === undefined && query === undefined && customHeader === undefined && cookieHeader === undefined
      && global === undefined
    ) {
      return anonymousIdentity
    }
    const isAmbient = request.account?.ambient === true
    const named = { query, customHeader, ...(isAmbient ? {} : { account }) }
    const ambient = { cookieHeader, global, ...(isAmbient ? { account } : {}) }
    if (!isForeign(request, trusted)) return resolveIdentity({ ...named, ...ambient }, settings)
    const own = resolveIdentity(named, settings)
    const withheld = own.source === 'none' && resolveIdentity(ambient, settings).credential !== undefined
    return withheld ? { ...own, withheld } : own
  }

  app.decorateRequest('identity', null)
  app.decorateRequest('loginRefused', false)
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.loginRefused) addWarning(reply, refusedWarning)
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    try {
      const { operation, ownPages } = request.routeOptions.config
      if (ownPages === true && isOtherPage(request, noOrigins)) {
        throw new RelayError(
          'CROSS_SITE',
          'A page of another origin asks: only this relay\'s own pages and programs may. (A proxy in front must pass on the Host header.)'
        )
      }
      if (operation?.endpoint.loginStep !== undefined && isOtherPage(request, trusted)) {
        throw new RelayError(
          'CROSS_SITE',
          'A page of another origin asks for a login: only this relay\'s own pages and programs may, and origins that are listed in corsOrigins. (A proxy in front must pass on the Host header.)'
        )
      }
      const identity = identityOf(request)
      request.identity = request.account?.key === undefined ? identity : { ...identity, key: request.account.key }
      for (const warning of warningsOf(request.identity, settings.cookieParamName)) addWarning(reply, warning)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

const refusedWarning = 'the upstream rejects the cookie, which is expired or invalid: this is the answer without a login; log in again'

/** Returns what is wrong with the cookies of a request. It never quotes them, and says nothing of the relay's own. */
function warningsOf ({ source, ignored = [], lack }: Identity, cookieParamName: string): string[] {
  const placeOf = (from: Identity['source']): string =>
    from === 'query' ? `?${cookieParamName}=` : from === 'header' ? 'X-Custom-Cookie' : 'Cookie'
  const own = source === 'query' || source === 'header' || source === 'cookie'
  return [
    ...ignored.length === 0 ? [] : [`${ignored.map(placeOf).join(' and ')} ignored: it has ${lackInWords([])}`],
    ...own && lack !== undefined ? [`${placeOf(source)} is no login: it has ${lack}`] : []
  ]
}

/**
 * Whether a page of another site sent the request. Such a page may read public answers and may send a cookie that it
 * knows. It may not use the Cookie header that a browser adds, or the global cookie.
 */
function isForeign ({ headers, host }: FastifyRequest, trusted: ReadonlySet<string>): boolean {
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
export function isOtherPage (request: FastifyRequest, trusted: ReadonlySet<string>): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site === undefined || (origin !== undefined && trusted.has(origin))) return isForeign(request, trusted)
  return site !== 'same-origin' && site !== 'none'
}

/** Whether a page of this relay sent the request, and the browser says so. Programs say nothing. */
export function isOwnPage (request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  return (site === undefined ? origin !== undefined : site === 'same-origin') && !isForeign(request, noOrigins)
}

export const authenticate = fp(plugin, {
  name: 'authenticate',
  fastify: '5.x',
  dependencies: ['errors', 'request-account', 'access-control'],
  decorators: { fastify: ['runtime'] }
})

// @mutate identity: safety bad-input cookies login-keep
