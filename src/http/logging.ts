/**
 * One JSON line per request: route pattern and outcome. The address is never written: it may hold a cookie.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'
import type { CacheState } from '../cache.ts'
import type { Exchange } from '../perform.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Upstream requests made for this one. */
    exchanges: Exchange[] | null
    /** Where the answer came from, when it may be kept. */
    cacheState: CacheState | null
  }
}

export function createLogger (level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // Second net: no line of ours holds these, and a plugin's line shall not either.
    redact: { paths: ['req.headers', 'headers', 'cookie', '*.cookie', 'req.url'], remove: true },
    serializers: {
      req: (request: FastifyRequest) => ({ method: request.method, route: request.routeOptions?.url }),
      res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
      err: errorFacts
    }
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Allow-listed facts of an error. Errors of HTTP clients carry requests, and requests carry cookies. */
export function errorFacts (error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, call, outcome } = error as { code?: unknown, call?: unknown, outcome?: unknown }
  const cause = error.cause instanceof Error ? { type: error.cause.name, code: (error.cause as { code?: unknown }).code } : undefined
  return { type: error.name, code, call, outcome, cause, ...(code === undefined ? { message: error.message, stack: error.stack } : {}) }
}

export function logRequests (app: FastifyInstance): void {
  app.decorateRequest('exchanges', null)
  app.decorateRequest('cacheState', null)
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode
    const level = status >= 500 ? 'error' : status === 429 ? 'warn' : 'info'
    if (!(app.log as Logger).isLevelEnabled(level)) return done()
    const line = {
      reqId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      cookie_source: request.cookie?.source ?? 'none',
      ...(request.cacheState === null ? {} : { cache: request.cacheState }),
      ...(request.exchanges === null ? {} : { upstream: request.exchanges.map(({ calls, outcome, ms }) => ({ calls, outcome, ms: Math.round(ms) })) })
    }
    app.log[level](line, 'request')
    done()
  })
}
