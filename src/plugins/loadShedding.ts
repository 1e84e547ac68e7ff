/** Refuses requests with 503 while the process is overloaded: a quick refusal helps more than a late answer. */
import underPressure from '@fastify/under-pressure'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { RelayError } from '../common/errors.ts'
import { isProbe } from './health.ts'
import { metricsPath } from './metrics.ts'

/**
 * Grace period after the start, in milliseconds. The first measurement covers the start, when everything is loaded and
 * compiled.
 */
const startMs = 3000

const plugin: FastifyPluginAsync = async (app) => {
  const { now, settings, tuning } = app.runtime
  let begun = Infinity
  app.addHook('onListen', async () => { begun = now() })
  await app.register(underPressure, {
    maxEventLoopDelay: settings.shedDelayMs,
    maxRssBytes: Math.floor((process.constrainedMemory() ?? 0) * tuning.shedMemoryPercent / 100),
    pressureHandler: async ({ routeOptions }) => {
      if (isProbe(routeOptions.url) || routeOptions.url === metricsPath || now() - begun < startMs) return
      throw new RelayError('OVERLOADED', 'The relay has more to do than it can; try again in 1 s.', { retryAfter: 1 })
    }
  })
}

export const loadShedding = fp(plugin, { name: 'load-shedding', fastify: '5.x', dependencies: ['errors'], decorators: { fastify: ['runtime'] } })
