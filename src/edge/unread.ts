/**
 * Charges clients for answers that they do not read. A client over its share gets 503. When the total is exceeded, the
 * connection with the most unread bytes of the largest client is closed.
 */
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { RelayError } from '../common/errors.ts'
import { isProbe } from './health.ts'
import { metricsPath } from './metrics.ts'

const plugin: FastifyPluginAsync = async (app) => {
  const { ledger: { unsentBytes } } = app.runtime
  const refusal = new RelayError('OVERLOADED', 'Earlier answers are unread; read them, or try again in 5 s.', { retryAfter: 5 })

  app.addHook('onRequest', (request, _reply, done) => {
    const { url } = request.routeOptions
    if (!unsentBytes.isOverdrawn(request.caller.client) || isProbe(url) || url === metricsPath) return done()
    unsentBytes.refuse()
    done(refusal)
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' ? Buffer.byteLength(payload)
      : Buffer.isBuffer(payload) ? payload.length : 0
    const connection = app.connections.get(request.raw.socket)
    // Injected requests have no reader. The charge is returned when the answer has ended.
    if (connection !== undefined && connection.response === reply.raw) {
      const { client } = request.calledAs ?? request.caller
      unsentBytes.charge(client, bytes - connection.charged)
      connection.reader = client
      connection.charged = bytes
      while (unsentBytes.isFull(undefined) && app.closeUnread()) { /* one at a time */ }
    }
    done()
  })
}

export const unread = fp(plugin, {
  name: 'unread',
  fastify: '5.x',
  dependencies: ['errors', 'connections', 'rate-limit'],
  decorators: { fastify: ['runtime'] }
})
