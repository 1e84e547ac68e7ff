/**
 * What clients may cause: requests in a minute, answers that they do not read, and work at all while the relay is
 * overloaded. A quick refusal helps more than a late answer. Background: docs/decisions.md#0010.
 */
import type { FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyContextConfig, FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { SharedCounts } from '../cache/redis.ts'
import { RelayError } from '../common/errors.ts'
import { clientLimits } from '../relay/clientLimits.ts'
import type { AnyEndpoint } from '../relay/endpoint.ts'
import { isCached } from '../relay/run.ts'
import { tellsClientsApart } from '../relay/settings.ts'
import { isReload } from './asking.ts'
import type { Caller } from './caller.ts'
import { isProbe } from './health.ts'
import { metricsPath } from './metrics.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Throws OVERLOADED if the work of a caller is refused. For routes with `shedsLate`. */
    shed (caller: Pick<Caller, 'client'>): void
    /** Counts a request of a derived caller for the limit of its key. Throws RATE_LIMITED. */
    countKey (caller: Caller): Promise<void>
  }
  interface FastifyContextConfig {
    /** Kind of request for the rate limit. Absent: a normal request. */
    cost?: Cost
    /** The route calls `shed` before it works, because only then it knows whether the answer is a copy. */
    shedsLate?: true
  }
}

/**
 * Kinds of requests with a separate cost or limit. `copy`: bytes in memory or a redirect, which is never refused as
 * work.
 */
export type Cost = 'batch' | 'login start' | 'login check' | 'player' | 'copy'

const minute = 60_000

/** What requests count. Tests use others. */
export const requestCosts = {
  /**
   * Number of requests that a batch counts as in the rate limit. A batch causes several upstream requests: five for a
   * hundred songs, more for playlists.
   */
  rateLimitBatchWeight: 10,
  /**
   * Requests of players (OpenSubsonic) that count as one in the rate limit. A player that copies a library requests
   * each album and each cover, nearly all of them from the cache. Upstream calls have a limit of their own.
   */
  playerRequests: 20,
  /** Login checks per start of `rateLimitLoginStarts`. By default 30 a minute: /login sends one every two seconds. */
  loginChecksPerStart: 3,
  /** Work that any request is, in bytes: it takes as long as reading or making so many. */
  requestWork: 8 * 1024
}

/** Returns the rate limit kind of an endpoint. Undefined: a normal request. */
export function costOf ({ loginStep, input, envelope }: AnyEndpoint): Cost | undefined {
  if (envelope.delivers === 'redirect') return 'copy'
  if (loginStep !== undefined) return `login ${loginStep}`
  return Object.values(input.properties).some(({ type }) => type === 'array') ? 'batch' : undefined
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

/** Options of the plugin. */
export interface LimitsOptions {
  /** Shared counters. Undefined: requests are counted in this process. */
  readonly counts: SharedCounts | undefined
}

const plugin: FastifyPluginAsync<LimitsOptions> = async (app, { counts }) => {
  const { answers: { cache }, ledger: { unsentBytes } } = app.runtime
  const refuses = watchLoad(app)
  const overloaded = (): RelayError => new RelayError('OVERLOADED', 'The relay is overloaded; try again in 1 s.', { retryAfter: 1 })
  const unread = new RelayError('OVERLOADED', 'Earlier answers are unread; read them, or try again in 5 s.', { retryAfter: 5 })
  const { countRequest, countKey } = await countersOf(app, counts)

  app.decorate('countKey', async (caller) => { await countKey?.(caller, 1) })
  app.decorate('shed', (caller) => {
    if (refuses(caller)) throw overloaded()
  })

  app.addHook('onRequest', (request, _reply, done) => {
    const { caller, routeOptions: { config } } = request
    const { url, cost, shedsLate, open } = config
    if (isProbe(url)) return done()
    const isSpared = url === '/health/upstream' || url === metricsPath || cost === 'copy' || shedsLate === true
    if (!isSpared && refuses(caller)) return done(overloaded())
    const read = (): void => {
      if (!unsentBytes.isOverdrawn(caller.client) || url === metricsPath) return done()
      unsentBytes.refuse()
      done(unread)
    }
    if (countRequest === undefined || open === true) read()
    else countRequest(caller, config).then(read, done)
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
      done(isCopy ? undefined : overloaded())
    }]
  })
}

/**
 * Returns whether work of a client is refused because the process is overloaded. Copies of bytes in memory, redirects
 * and health checks are no work. The clients that caused most of the work are refused first, all others only if that
 * does not help.
 */
function watchLoad (app: FastifyInstance): (caller: Pick<Caller, 'client'>) => boolean {
  const { now, settings: { shedDelayMs }, tuning, ledger: { work } } = app.runtime
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
  return ({ client }) => {
    if (now() - begun < startMs) return false
    if (maxBytes > 0 && bytes > maxBytes) return true
    if (!isLate()) return false
    return late > stepsToAll || refused.size === 0 || refused.has(client?.[0] ?? '')
  }
}

type Counters = {
  /** Counts a request for its key and its client. Throws RATE_LIMITED. */
  readonly countRequest?: (caller: Caller, config: FastifyContextConfig) => Promise<void>
  readonly countKey?: (caller: Caller, times: number) => Promise<void>
}

/** Returns what counts requests. Nothing does where clients have neither different addresses nor accounts. */
async function countersOf (app: FastifyInstance, counts: SharedCounts | undefined): Promise<Counters> {
  const { settings, tuning, now, accounts, ledger } = app.runtime
  const { rateLimitBatchWeight, playerRequests, loginChecksPerStart, requestWork, rateLimitClients } = {
    ...requestCosts,
    ...clientLimits,
    ...tuning
  }
  const perAddress = tellsClientsApart(settings)
  if (!perAddress && accounts === undefined) return {}
  // In the built command, the package has only its default export.
  const { default: fastifyRateLimit } = await import('@fastify/rate-limit')
  await app.register(fastifyRateLimit, { global: false, store: countsIn(rateLimitClients, now, counts) })
  const counter = (prefix: string, max: number): Count | undefined =>
    max === 0 ? undefined : app.createRateLimit({
      max,
      timeWindow: minute,
      keyGenerator: ({ caller: { client } }) => `${prefix} ${client?.[0]}`
    })
  const all = counter('all', settings.rateLimit)
  const ofKey = app.createRateLimit({
    max: ({ caller: { identity: { key } } }) => key?.perMinute ?? Infinity,
    timeWindow: minute,
    keyGenerator: ({ caller: { account, identity: { key } } }) => `key ${app.clientNamed(`${account} ${key?.id}`)[0]}`
  })
  const countKey = async (caller: Caller, times: number): Promise<void> => {
    if (caller.identity.key?.perMinute !== undefined) await take(caller, ofKey, times)
  }
  const players = counter('player', settings.rateLimit * playerRequests)
  const copies = counter('copy', settings.rateLimit * playerRequests)
  const logins = {
    'login start': counter('start', settings.rateLimitLoginStarts),
    'login check': counter('check', settings.rateLimitLoginStarts * loginChecksPerStart)
  }

  return {
    countKey,
    async countRequest (caller, { cost }) {
      await countKey(caller, cost === 'batch' ? rateLimitBatchWeight : 1)
      if (!perAddress) return
      ledger.work.charge(caller.client, requestWork)
      if (cost === 'player') return await take(caller, players, 1)
      if (cost === 'copy') return await take(caller, copies, 1)
      if (cost !== undefined && cost !== 'batch') await take(caller, logins[cost], 1)
      await take(caller, all, cost === 'batch' ? rateLimitBatchWeight : 1)
    }
  }
}

type Count = ReturnType<FastifyInstance['createRateLimit']>

/** Counts a request `times` times, because the library only counts in ones. Throws RATE_LIMITED over the limit. */
async function take (caller: Caller, count: Count | undefined, times: number): Promise<void> {
  if (count === undefined) return
  // The library reads the limits of a route, of which there are none.
  const asked = { caller, routeOptions: {} } as FastifyRequest
  const counted = await Promise.all(Array.from({ length: times }, async () => await count(asked)))
  for (const each of counted) {
    if (each.isAllowed || !each.isExceeded) continue
    const retryAfter = Math.max(1, each.ttlInSeconds)
    throw new RelayError('RATE_LIMITED', `This client has reached its limit of requests in a minute (${each.max}); try again in ${retryAfter} s.`, { retryAfter })
  }
}

/**
 * Counters of the shared store, or of this process if there is none or it fails. `now`: milliseconds that never run
 * backwards. The library's own store uses the wall clock. If that is set back, clients are locked out.
 */
function countsIn (most: number, now: () => number, shared: SharedCounts | undefined): FastifyRateLimitStoreCtor {
  const here = new LRUCache<string, { current: number, readonly end: number }>({ max: most })
  function addHere (key: string, timeWindow: number): { current: number, ttl: number } {
    let window = here.get(key)
    if (window === undefined || window.end <= now()) {
      window = { current: 0, end: now() + timeWindow }
      here.set(key, window)
    }
    return { current: ++window.current, ttl: window.end - now() }
  }

  return class Counts {
    incr (key: string, done: (error: null, count: { current: number, ttl: number }) => void, timeWindow: number): void {
      if (shared === undefined) done(null, addHere(key, timeWindow))
      else void shared.add(key, timeWindow).then((counted) => { done(null, counted ?? addHere(key, timeWindow)) })
    }

    child (): this { return this }
  }
}

export const limits = fp(plugin, {
  name: 'limits',
  fastify: '5.x',
  dependencies: ['refusals', 'connections', 'callers'],
  decorators: { fastify: ['runtime'] }
})
