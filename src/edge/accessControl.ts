/** Access to the relay as a whole: the Host check against DNS rebinding, and the optional access token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { isLoopbackBind } from '../relay/settings.ts'
import { RelayError } from '../common/errors.ts'
import { isLoopbackHost } from '../upstream/http/origins.ts'
import { authorizationOf, hasAccountSecret, isAccountSecret } from './caller.ts'
import { isProbe } from './health.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Whether links in answers may name this host, which a listed proxy may have sent: `allowedHosts` must have it,
     * unless that is empty.
     */
    mayBeLinked (host: string): boolean
  }
  interface FastifyContextConfig {
    /** Requests without a token are also accepted. All limits apply. */
    tokenless?: true
  }
  interface FastifyRequest {
    /**
     * Whether the request may use all of the relay: it has the access token or an account's secret, or no token is set.
     */
    admitted: boolean
  }
}

const plugin: FastifyPluginAsync = async (app) => {
  const { settings, accounts } = app.runtime
  const hostAllowed = hostCheck(settings.allowedHosts, isLoopbackBind(settings))
  const tokenRight = settings.accessToken === '' ? undefined : tokenCheck(settings.accessToken)
  app.decorate('mayBeLinked', hostCheck(settings.allowedHosts, false))
  app.decorateRequest('admitted', false)
  app.addHook('onRequest', (request, reply, done) => {
    if (isProbe(request.routeOptions.url)) return done()
    if (!hostAllowed(request.headers.host ?? '')) {
      return done(hostNotAllowed('Host'))
    }
    const { open, tokenless } = request.routeOptions.config
    const { secret } = authorizationOf(request)
    const isOfAccount = accounts !== undefined && request.account === null && hasAccountSecret(request)
    // A browser whose account in use was logged out has to choose another one.
    const isLoggedIn = request.account !== null || (request.session?.others ?? []).length > 0
    request.admitted = isLoggedIn || (tokenRight === undefined ? !isOfAccount : tokenRight(secret))
    if (request.admitted || open === true || (tokenless === true && secret === undefined && !isOfAccount)) return done()
    void reply.header('www-authenticate', 'Basic realm="music-relay"')
    done(
      new RelayError(
        'TOKEN_REQUIRED',
        isAccountSecret(secret)
          ? 'No account of this relay has this secret or key (any more): music-relay accounts shows them.'
          : isOfAccount
          ? 'The secret or key of an account is sent in a form that this relay does not read. Send it as it was shown: Authorization: Bearer <secret>, or as the password of Basic.'
          : 'This relay asks for its access token: send it as Authorization: Bearer, or as the password of Basic.'
      )
    )
  })
}

/** Returns the refusal of a host. `header`: the header that names it. */
export function hostNotAllowed (header: 'Host' | 'X-Forwarded-Host'): RelayError {
  return new RelayError('HOST_NOT_ALLOWED', `The ${header} header names a host that this relay does not serve; add it to allowedHosts.`)
}

/**
 * Protects against DNS rebinding: a page of another site can make its own name resolve to this machine, but it cannot
 * send another Host.
 */
function hostCheck (allowedHosts: readonly string[], loopback: boolean): (host: string) => boolean {
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
export function hostOf (header: string): { readonly name: string, readonly port: string | undefined } {
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(:\d{1,5})?$/.exec(header) ?? []
  return { name, port }
}

const hashed = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares hashes in constant time, so that response times reveal neither the length nor a prefix of the token. */
export function tokenCheck (token: string): (given: string | undefined) => boolean {
  const expected = hashed(token)
  return (given) => given !== undefined && timingSafeEqual(hashed(given), expected)
}

export const accessControl = fp(plugin, {
  name: 'access-control',
  fastify: '5.x',
  dependencies: ['errors', 'request-account'],
  decorators: { fastify: ['runtime'] }
})
