/** Graceful shutdown: every request gets an answer, and a successful one while there is time. */
import { Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import type { Settings } from '../relay/settings.ts'
import { relayStopping } from '../common/kinds.ts'
import type { Connection } from './connections.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether `close()` has begun. */
    stopping (): boolean
    /** All servers that accept connections for this application. */
    acceptors: Set<Server>
  }
}

/** Time for clients to read the last answers before their connections are closed, in milliseconds. */
const lastAnswerMs = 500
/**
 * How long a stopping relay still answers on open connections. A busy client sends its next request within some
 * milliseconds.
 */
export const stopLimits = { drainMs: 500 }
/** Number of steps of the time in which every answer ends its connection. */
const drainSteps = 10
/** Interval at which idle connections are closed, in milliseconds. */
const sweepMs = 50

/** Returns the longest time that `close()` may take, in milliseconds. */
export function longestStop ({ stopDelayMs, stopMs }: Pick<Settings, 'stopDelayMs' | 'stopMs'>): number {
  return stopDelayMs + stopLimits.drainMs + stopMs + lastAnswerMs + 1500
}

/**
 * Stops in steps on `close()`. 1. For `stopDelayMs`, /health/ready returns 503 and everything else works. 2. No new
 * connection is accepted, and for `drainMs` every answer ends its connection, because a client would lose a request
 * that it sends while its connection is closed. 3. New requests are refused, login polls end and idle connections are
 * closed. Other requests have `stopMs` to finish. 4. The rest get 503, and open connections are closed.
 */
const plugin: FastifyPluginAsync = async (app) => {
  const {
    connections,
    runtime: {
      settings: { maxConnections, stopDelayMs, stopMs },
      tuning,
      upstream: { calls, logins },
      close
    }
  } = app
  const { drainMs } = { ...stopLimits, ...tuning }
  let stopping = false
  let refusing = false
  let timers: NodeJS.Timeout[] = []

  app.addHook('onRequest', (request, _reply, done) => {
    if (!refusing || request.routeOptions.config.probe === true) return done()
    done(relayStopping())
  })
  /** Accepts connections that the system has already opened, because they would be reset. One is accepted per turn. */
  async function acceptWaiting (): Promise<void> {
    let accepted = 0
    const count = (): void => { accepted++ }
    app.server.on('connection', count)
    // Counted in turns, because each may take long on a busy machine.
    for (let seen = -1, turns = 0; seen !== accepted && turns < maxConnections; turns++) {
      seen = accepted
      await nextTurn()
      await nextTurn()
    }
    app.server.off('connection', count)
  }

  /** To the server, a connection without a request yet is not idle. Browsers open such connections in advance. */
  async function closeUnused (): Promise<void> {
    const unused = [...connections.keys()].filter(({ bytesRead }) => bytesRead === 0)
    // After a long turn, requests that have arrived meanwhile are read only now.
    await nextTurn()
    await nextTurn()
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy()
  }

  app.addHook('preClose', async () => {
    stopping = true
    if (stopDelayMs > 0) await sleep(stopDelayMs)
    await acceptWaiting()
    // The method of the HTTP server would also close idle connections.
    for (const server of app.acceptors) Server.prototype.close.call(server)
    connections.forEach(endWithAnswer)
    // Waits in steps, so that a busy process reads the data that has arrived in between.
    for (let step = 0; step < drainSteps && connections.size > 0; step++) await sleep(drainMs / drainSteps)
    refusing = true
    logins.stop()
    timers = [
      // The server closes only connections that are idle now. This closes those that become idle later.
      setInterval(() => {
        app.server.closeIdleConnections()
        void closeUnused()
      }, sweepMs),
      setTimeout(calls.stop, stopMs),
      setTimeout(() => { app.server.closeAllConnections() }, stopMs + lastAnswerMs)
    ]
  })
  app.addHook('onClose', async () => {
    timers.forEach(clearTimeout)
    await close()
  })
  app.decorate('stopping', () => stopping)
  app.decorate('acceptors', new Set([app.server]))
}

/** Makes the next answer the last one of its connection. The framework does so for later requests. */
function endWithAnswer ({ response, waiting }: Connection): void {
  const next = response?.headersSent === false ? response : waiting[0]?.response
  if (next !== undefined) next.shouldKeepAlive = false
}

export const shutdown = fp(plugin, { name: 'shutdown', dependencies: ['refusals', 'connections'] })
