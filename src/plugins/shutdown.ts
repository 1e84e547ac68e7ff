/** Graceful shutdown: every request gets an answer, and a successful one while there is time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import type { Settings } from '../core/config.ts'
import { RelayError } from '../common/errors.ts'
import { isProbe } from './health.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether `close()` has begun. */
    stopping (): boolean
  }
}

/** Time for clients to read the last answers before their connections are closed, in milliseconds. */
const lastWordMs = 500
/** Interval at which idle connections are closed, in milliseconds. */
const sweepMs = 50

/** Returns the longest time that `close()` may take, in milliseconds. */
export function longestStop ({ stopDelayMs, stopMs }: Pick<Settings, 'stopDelayMs' | 'stopMs'>): number {
  return stopDelayMs + stopMs + lastWordMs + 1500
}

/**
 * Stops in steps on `close()`. 1. For `stopDelayMs`, /health/ready returns 503 and everything else works. 2. New
 * requests are refused and login polls end. Other requests have `stopMs` to finish. 3. The rest get 503, and open
 * connections are closed.
 */
const plugin: FastifyPluginAsync = async (app) => {
  const { settings: { stopDelayMs, stopMs }, stop, giveUp, close } = app.runtime
  let stopping = false
  let refusing = false
  let timers: NodeJS.Timeout[] = []

  app.addHook('onRequest', (request, _reply, done) => {
    if (!refusing || isProbe(request.routeOptions.url)) return done()
    done(new RelayError('STOPPING', 'The relay is stopping; try again in a moment.', { retryAfter: 5 }))
  })
  app.addHook('preClose', async () => {
    stopping = true
    if (stopDelayMs > 0) await sleep(stopDelayMs)
    refusing = true
    stop()
    timers = [
      // The server only closes connections that are idle now. This closes those that become idle later.
      setInterval(() => { app.server.closeIdleConnections() }, sweepMs),
      setTimeout(giveUp, stopMs),
      setTimeout(() => { app.server.closeAllConnections() }, stopMs + lastWordMs)
    ]
  })
  app.addHook('onClose', async () => {
    timers.forEach(clearTimeout)
    await close()
  })
  app.decorate('stopping', () => stopping)
}

export const shutdown = fp(plugin, { name: 'shutdown', fastify: '5.x', dependencies: ['errors'], decorators: { fastify: ['runtime'] } })
