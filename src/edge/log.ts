/**
 * Logs one JSON line per request, with route pattern and outcome. The URL is never logged, because it may contain a
 * cookie. What programs request by themselves (files of a page, covers, health checks, metrics) is logged at `debug`,
 * unless it fails. Requests refused by rate limit or overload get one line per second, with the number of unlogged
 * ones.
 */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { pino, type DestinationStream, type Logger } from 'pino'
import type { ErrorCode } from '../../schemas/errors.ts'
import { RelayError } from '../common/errors.ts'
import type { CacheState } from '../cache/memory.ts'
import type { UpstreamReport } from '../upstream/send.ts'
import type { Caller } from './caller.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Logs a request whose client disconnected during the answer. The framework reports only answers that were sent.
     */
    logLeft (request: FastifyRequest, reply: FastifyReply): void
  }
  interface FastifyRequest {
    /** Upstream requests made for this request. Null if there were none. */
    upstreamReports: UpstreamReport[] | null
    /** Whether the answer came from the cache. Null if it is not cacheable. */
    cacheState: CacheState | null
    /** Error code of the response. Null if it succeeded. */
    failure: ErrorCode | null
    /** The method that a player calls, where one route has many methods. Null elsewhere. */
    called: string | null
    /** The caller that the player's request proves to be. Null elsewhere. */
    calledAs: Caller | null
  }
}

/** Returns the logger of the server. Default destination: standard output. */
export function createLogger (level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // Second line of defence. Our own lines contain none of these, and lines of plugins must not either.
    redact: { paths: ['req.headers', 'headers', 'cookie', '*.cookie', 'req.url'], remove: true },
    serializers: {
      req: (request: FastifyRequest) => ({ method: request.method, route: request.routeOptions?.url }),
      res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
      err: errorFacts
    }
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Logs only allow-listed fields of an error. Errors of HTTP clients contain requests, and requests contain cookies. */
function errorFacts (error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, call, outcome } = error as { code?: unknown, call?: unknown, outcome?: unknown }
  const cause = error.cause instanceof Error
    ? { type: error.cause.name, code: (error.cause as { code?: unknown }).code } : undefined
  return {
    type: error.name,
    code,
    call,
    outcome,
    cause,
    ...code === undefined ? { message: error.message, stack: error.stack }
      : error instanceof RelayError ? {} : { stack: error.stack?.split('\n').filter((line) => /^ {4}at /.test(line)) }
  }
}

/**
 * Route patterns that a person does not ask for by hand: a page, a player, a supervisor or Prometheus does, many times
 * a minute.
 */
const byPrograms = /^\/(?:health\/|metrics$|docs|guide|cover(?:\/|$))|\.\w+$/
/** Methods of players for a cover. */
const covers: ReadonlySet<string | null> = new Set(['getCoverArt', 'pic'])

const isByProgram = ({ called, routeOptions: { url = '' } }: FastifyRequest): boolean =>
  covers.has(called) || byPrograms.test(url)

/** Refusals by overload or rate limit. They occur in large numbers. */
const rejected: ReadonlySet<ErrorCode | null> = new Set<ErrorCode>(['RATE_LIMITED', 'OVERLOADED'])

const plugin: FastifyPluginAsync = async (app) => {
  app.decorateRequest('upstreamReports', null)
  app.decorateRequest('cacheState', null)
  app.decorateRequest('failure', null)
  app.decorateRequest('called', null)
  app.decorateRequest('calledAs', null)
  const sampled = oncePerSecond(app.runtime.now)
  function log (request: FastifyRequest, reply: FastifyReply, more: object = {}): void {
    const status = reply.statusCode
    const level = rejected.has(request.failure) ? 'warn'
      : status >= 500 ? 'error' : status < 400 && isByProgram(request) ? 'debug' : 'info'
    if (!(app.log as Logger).isLevelEnabled(level)) return
    const unlogged = level === 'warn' ? sampled() : 0
    if (unlogged === undefined) return
    const upstream = request.upstreamReports?.map(({ calls, outcome, ms }) => ({ calls, outcome, ms: Math.round(ms) }))
    const line = {
      reqId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      ...(request.called === null ? {} : { called: request.called }),
      status,
      // Some players need a 200 also for a failure.
      ...(request.failure === null ? {} : { failed: request.failure }),
      ms: Math.round(reply.elapsedTime * 10) / 10,
      cookie_source: (request.calledAs ?? request.caller).identity.source,
      ...(request.cacheState === null ? {} : { cache: request.cacheState }),
      ...(upstream === undefined ? {} : { upstream }),
      ...(unlogged === 0 ? {} : { unlogged }),
      ...more
    }
    app.log[level](line, 'request')
  }
  app.addHook('onResponse', (request, reply, done) => {
    log(request, reply)
    done()
  })
  app.decorate('logLeft', (request, reply) => { log(request, reply, { left: true }) })
}

/**
 * Returns a sampler. It returns undefined within a second of the last sample, else the number of skipped calls since
 * then.
 * `now`: milliseconds that never run backwards.
 */
export function oncePerSecond (now: () => number): () => number | undefined {
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

export const log = fp(plugin, { name: 'log' })
