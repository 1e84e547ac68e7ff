/** Resolves the cookie of a request, once, before any handler. */
import type { FastifyInstance } from 'fastify'
import { resolveCookie } from '../cookies.ts'
import type { ResolvedCookie } from '../cookies.ts'
import type { RelayCore } from '../relay.ts'

declare module 'fastify' {
  interface FastifyRequest {
    cookie: ResolvedCookie | null
  }
}

export function resolveCredentials (app: FastifyInstance, core: RelayCore): void {
  app.decorateRequest('cookie', null)
  app.addHook('onRequest', (request, _reply, done) => {
    try {
      request.cookie = resolveCookie({
        query: (request.query as Record<string, unknown>)[core.settings.cookieParamName],
        customHeader: request.headers['x-custom-cookie'],
        cookieHeader: request.headers.cookie,
        global: core.globalCookie()
      }, core.settings)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}
