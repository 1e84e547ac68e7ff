/**
 * Answers that their clients do not read: their bytes are charged, and who has left too many unread gets no further ones. When all
 * have left too many together, those of whoever has most are given up.
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
    if (!unsentBytes.isOverdrawn(request.client) || isProbe(url) || url === metricsPath) return done()
    unsentBytes.refuse()
    done(refusal)
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' ? Buffer.byteLength(payload) : Buffer.isBuffer(payload) ? payload.length : 0
    const connection = app.connections.get(request.raw.socket)
    // What is injected has no reader. The charge is returned when the system has taken the answer, or nobody reads it.
    if (connection !== undefined && connection.response === reply.raw) {
      unsentBytes.charge(request.client, bytes - connection.charged)
      connection.reader = request.client
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
