/** Refuses requests with 503 while the process is overloaded: a quick refusal helps more than a late answer. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { RelayError } from '../common/errors.ts'
import { isProbe } from './health.ts'
import { metricsPath } from './metrics.ts'

/** Grace period after the start, in milliseconds. The first measurement includes the start, when everything is loaded and compiled. */
const startMs = 3000
/** Interval of the measurements, in milliseconds. */
const sampleMs = 1000
/** Resolution of the measured lag, in milliseconds. It is included in each measured value. */
const resolution = 10

const plugin: FastifyPluginAsync = async (app) => {
  const { now, settings: { shedDelayMs }, tuning } = app.runtime
  const maxBytes = Math.floor((process.constrainedMemory() ?? 0) * tuning.shedMemoryPercent / 100)
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  let lag = 0
  let bytes = 0
  let begun = Infinity
  const timer = setInterval(() => {
    // No value: the event loop did not run.
    lag = delays.count === 0 ? Infinity : delays.mean / 1e6 - resolution
    delays.reset()
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
  app.addHook('onRequest', ({ routeOptions }, _reply, done) => {
    const overloaded = (shedDelayMs > 0 && lag > shedDelayMs) || (maxBytes > 0 && bytes > maxBytes)
    if (!overloaded || isProbe(routeOptions.url) || routeOptions.url === metricsPath || now() - begun < startMs) done()
    else done(new RelayError('OVERLOADED', 'The relay is overloaded; try again in 1 s.', { retryAfter: 1 }))
  })
}

export const loadShedding = fp(plugin, { name: 'load-shedding', fastify: '5.x', dependencies: ['errors', 'open-files'], decorators: { fastify: ['runtime'] } })
