/**
 * One JSON line per request: route pattern and outcome. The address is never written: it may hold a cookie. Of requests
 * that are refused for their number one line a second says how many there were.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'
import type { ErrorCode } from '../../schemas/errors.ts'
import type { CacheState } from '../cache.ts'
import type { Exchange } from '../perform.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Upstream requests made for this one. */
    exchanges: Exchange[] | null
    /** Where the answer came from, when it may be kept. */
    cacheState: CacheState | null
    /** What the request was refused with. */
    failure: ErrorCode | null
  }
}

/** Without a destination: standard output. */
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
function errorFacts (error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, call, outcome } = error as { code?: unknown, call?: unknown, outcome?: unknown }
  const cause = error.cause instanceof Error ? { type: error.cause.name, code: (error.cause as { code?: unknown }).code } : undefined
  return { type: error.name, code, call, outcome, cause, ...(code === undefined ? { message: error.message, stack: error.stack } : {}) }
}

/** Refused because there is too much to do, or too much from one client. There are many of these at once. */
const shed: ReadonlySet<ErrorCode | null> = new Set<ErrorCode>(['RATE_LIMITED', 'OVERLOADED'])

/** `now`: milliseconds that never run backwards. */
export function logRequests (app: FastifyInstance, now: () => number): void {
  app.decorateRequest('exchanges', null)
  app.decorateRequest('cacheState', null)
  app.decorateRequest('failure', null)
  const sampled = oncePerSecond(now)
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode
    const level = shed.has(request.failure) ? 'warn' : status >= 500 ? 'error' : 'info'
    if (!(app.log as Logger).isLevelEnabled(level)) return done()
    const unlogged = level === 'warn' ? sampled() : 0
    if (unlogged === undefined) return done()
    const line = {
      reqId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      cookie_source: request.cookie?.source ?? 'none',
      ...(request.cacheState === null ? {} : { cache: request.cacheState }),
      ...(request.exchanges === null ? {} : { upstream: request.exchanges.map(({ calls, outcome, ms }) => ({ calls, outcome, ms: Math.round(ms) })) }),
      ...(unlogged === 0 ? {} : { unlogged })
    }
    app.log[level](line, 'request')
    done()
  })
}

/** Undefined for what comes within a second of the last; else how many did so since then. */
function oncePerSecond (now: () => number): () => number | undefined {
  let last = -Infinity
  let left = 0
  return () => {
    if (now() - last < 1000) {
      left++
      return undefined
    }
    const before = left
    last = now()
    left = 0
    return before
  }
}
