/** Resolves the cookie of a request, once, before any handler. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { none, resolveCookie } from '../cookies.ts'
import type { ResolvedCookie } from '../cookies.ts'
import type { RelayCore } from '../relay.ts'

declare module 'fastify' {
  interface FastifyRequest {
    cookie: ResolvedCookie | null
    /** An identity was there, and was kept back because another site's page asks. */
    identityWithheld: boolean
  }
}

export function resolveCredentials (app: FastifyInstance, core: RelayCore): void {
  const trusted = new Set(core.settings.corsOrigins)
  app.decorateRequest('cookie', null)
  app.decorateRequest('identityWithheld', false)
  app.addHook('onRequest', (request, _reply, done) => {
    try {
      const { headers } = request
      const ambient = { cookieHeader: headers.cookie, global: core.globalCookie() }
      const named = {
        query: (request.query as Record<string, unknown>)[core.settings.cookieParamName],
        customHeader: headers['x-custom-cookie']
      }
      if (named.query === undefined && named.customHeader === undefined && ambient.cookieHeader === undefined && ambient.global === undefined) {
        request.cookie = none
        return done()
      }
      const foreign = isForeign(request, trusted)
      request.cookie = resolveCookie(foreign ? named : { ...named, ...ambient }, core.settings)
      request.identityWithheld = foreign && request.cookie.source === 'none' && resolveCookie(ambient, core.settings).credential !== undefined
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

/**
 * Asked by a page of another site. Such a page may read public answers and may bring a cookie it knows; the identity
 * that a browser or the relay would add by itself is not for it.
 */
function isForeign ({ headers }: FastifyRequest, trusted: ReadonlySet<string>): boolean {
  const { origin, host } = headers
  if (origin !== undefined && trusted.has(origin)) return false
  if (headers['sec-fetch-site'] === 'cross-site') return true
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase()
}
