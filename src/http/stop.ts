/** The stop of the server: everybody gets an answer, a good one while there is time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../config.ts'
import { RelayError } from '../errors.ts'
import type { Core } from '../relay.ts'
import { isProbe } from './health.ts'

/** Between the last answers and the cut of what is still connected: time to read them. Milliseconds. */
const lastWordMs = 500
/** How often connections are closed that have become idle. Milliseconds. */
const sweepMs = 50

/** Longest time that `close()` may take. Milliseconds. */
export function longestStop ({ stopDelayMs, stopMs }: Pick<Settings, 'stopDelayMs' | 'stopMs'>): number {
  return stopDelayMs + stopMs + lastWordMs + 1500
}

/**
 * What happens on `close()`, in this order. /health/ready says 503 and all else goes on, for `stopDelayMs`. New requests
 * are refused, login polls end, the others may take `stopMs`; then they get 503, and who is still connected is cut off.
 * Returns whether the stop has begun.
 */
export function stopInOrder (app: FastifyInstance, { stop, giveUp, close }: Core, { stopDelayMs, stopMs }: Settings): () => boolean {
  let leaving = false
  let refusing = false
  let timers: NodeJS.Timeout[] = []

  app.addHook('onRequest', (request, _reply, done) => {
    if (!refusing || isProbe(request.routeOptions.url)) return done()
    done(new RelayError('STOPPING', 'The relay is stopping; try again in a moment.', { retryAfter: 5 }))
  })
  app.addHook('preClose', async () => {
    leaving = true
    if (stopDelayMs > 0) await sleep(stopDelayMs)
    refusing = true
    stop()
    timers = [
      // The server closes connections that idle now; later nobody would.
      setInterval(() => { app.server.closeIdleConnections() }, sweepMs),
      setTimeout(giveUp, stopMs),
      setTimeout(() => { app.server.closeAllConnections() }, stopMs + lastWordMs)
    ]
  })
  app.addHook('onClose', async () => {
    timers.forEach(clearTimeout)
    await close()
  })
  return () => leaving
}
