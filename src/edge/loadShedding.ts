/**
 * Refuses requests with 503 while the process is overloaded: a quick refusal helps more than a late answer. Only work
 * is refused. Copies of bytes in memory, redirects and health checks are always sent. The clients that caused most of
 * the work are refused first, all others only if that does not help.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { RelayError } from '../common/errors.ts'
import { isCached } from '../relay/run.ts'
import type { Caller } from './caller.ts'
import { isReload } from './endpoints.ts'
import { isProbe } from './health.ts'
import { metricsPath } from './metrics.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Throws OVERLOADED if the work of a caller is refused. For routes with `shedsLate`. */
    shed (caller: Pick<Caller, 'client'>): void
  }
  interface FastifyContextConfig {
    /** The route calls `shed` before it works, because only then it knows whether the answer is a copy. */
    shedsLate?: true
  }
}

/**
 * Grace period after the start, in milliseconds. The first measurement includes the start, when everything is loaded
 * and compiled.
 */
const startMs = 3000
/** Interval of the measurements, in milliseconds. */
const sampleMs = 1000
/** Share of the container's memory above which requests are refused. A quarter stays free for requests in flight. */
export const shedMemoryPercent = 75
/** Number of late measurements in a row after which everybody is refused. */
const stepsToAll = 3
/** Resolution of the measured lag, in milliseconds. It is included in each measured value. */
const resolution = 10

const plugin: FastifyPluginAsync = async (app) => {
  const { now, settings: { shedDelayMs }, tuning, answers: { cache }, ledger: { work } } = app.runtime
  const percent = tuning['shedMemoryPercent'] ?? shedMemoryPercent
  const maxBytes = Math.floor((process.constrainedMemory() ?? 0) * percent / 100)
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  let lag = 0
  let bytes = 0
  let begun = Infinity
  /** Clients that are refused while the event loop lags. Everybody is refused if that does not help. */
  const refused = new Set<string>()
  let late = 0
  const timer = setInterval(() => {
    // No value: the event loop did not run.
    lag = delays.count === 0 ? Infinity : delays.mean / 1e6 - resolution
    delays.reset()
    const heaviest = work.heaviest()
    late = isLate() ? late + 1 : 0
    if (late === 0) refused.clear()
    else for (const name of heaviest) refused.add(name)
    try {
      bytes = process.memoryUsage.rss()
    } catch (error) {
      // The system reports memory in a file. A failure to open it also shows that too many files are open.
      app.openFailed(error)
    }
  }, sampleMs).unref()
  app.addHook('onListen', async () => { begun = now() })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    delays.disable()
  })
  const isLate = (): boolean => shedDelayMs > 0 && lag > shedDelayMs
  function refuses ({ client }: Pick<Caller, 'client'>): boolean {
    if (now() - begun < startMs) return false
    if (maxBytes > 0 && bytes > maxBytes) return true
    if (!isLate()) return false
    return late > stepsToAll || refused.size === 0 || refused.has(client?.[0] ?? '')
  }
  const refusal = (): RelayError => new RelayError('OVERLOADED', 'The relay is overloaded; try again in 1 s.', { retryAfter: 1 })

  app.decorate('shed', (caller) => {
    if (refuses(caller)) throw refusal()
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const { url, config } = request.routeOptions
    if (isSpared(url) || config.cost === 'copy' || config.shedsLate === true || !refuses(request.caller)) done()
    else done(refusal())
  })
  // Answers of endpoints may be in the cache. Which one is meant is known after the validation.
  app.addHook('onRoute', (route) => {
    const endpoint = route.config?.operation?.endpoint
    if (cache === undefined || endpoint?.cache === undefined || route.config === undefined) return
    route.config.shedsLate = true
    route.preHandler = [...[route.preHandler ?? []].flat(), (request, _reply, done) => {
      if (!refuses(request.caller)) return done()
      const input = endpoint.method === 'GET' ? request.query : request.body
      const isCopy = !request.asM3u && !isReload(request) && isCached(endpoint, input, request.caller, app.runtime)
      done(isCopy ? undefined : refusal())
    }]
  })
}

/** Whether the route tells how the relay is. */
const isSpared = (url: string | undefined): boolean => isProbe(url) || url === '/health/upstream' || url === metricsPath

export const loadShedding = fp(plugin, {
  name: 'load-shedding',
  fastify: '5.x',
  dependencies: ['errors', 'open-files', 'callers'],
  decorators: { fastify: ['runtime'] }
})
