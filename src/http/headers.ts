/** Constant headers of every JSON answer, set by one cheap hook. */
import type { FastifyInstance } from 'fastify'

/** Nothing in an answer may be run, framed or sniffed; a cookie in an address must not travel in a Referer. */
export const jsonHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'cross-origin'
} as const

export function setHeaders (app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(jsonHeaders)
    void reply.header('x-request-id', request.id)
    done()
  })
}
