/**
 * What clients may cause: requests in a minute, answers that they do not read, and work at all while the relay is
 * overloaded. A quick refusal helps more than a late answer. Background: docs/decisions.md#0010.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyContextConfig, FastifyInstance, FastifyPluginAsync } from 'fastify'
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
 * work; whoever passes a picture on instead sheds load then.
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

export interface LimitsOptions {
  /** Shared counters. Undefined: requests are counted in this process. */
  readonly counts: SharedCounts | undefined
}

const plugin: FastifyPluginAsync<LimitsOptions> = async (app, { counts }) => {
  const { answers: { cache }, ledger: { unsentBytes } } = app.runtime
  const refuses = watchLoad(app)
  const overloaded = (): RelayError => new RelayError('OVERLOADED', 'The relay is overloaded; try again in 1 s.', { retryAfter: 1 })
  const unread = new RelayError('OVERLOADED', 'Earlier answers are unread; read them, or try again in 5 s.', { retryAfter: 5 })
  const { countRequest, countKey } = countersOf(app, counts)

  app.decorate('countKey', async (caller) => { await countKey?.(caller) })
  app.decorate('shed', (caller) => {
    if (refuses(caller)) throw overloaded()
  })

  app.addHook('onRequest', (request, _reply, done) => {
    const { caller, routeOptions: { config } } = request
    const { url, cost, shedsLate, open, probe } = config
    if (probe === true) return done()
    const isSpared = url === '/health/upstream' || url === metricsPath || cost === 'copy' || shedsLate === true
    if (!isSpared && refuses(caller)) return done(overloaded())
    const refuseUnread = (): void => {
      if (!unsentBytes.isOverdrawn(caller.client) || url === metricsPath) return done()
      unsentBytes.refuse()
      done(unread)
    }
    if (countRequest === undefined || open === true) return refuseUnread()
    try {
      const counting = countRequest(caller, config)
      if (counting === undefined) refuseUnread()
      else counting.then(refuseUnread, done)
    } catch (error) {
      done(error as Error)
    }
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
  /** Counts a request for its key and its client. Throws RATE_LIMITED, or rejects, where the counts are shared. */
  readonly countRequest?: (caller: Caller, config: FastifyContextConfig) => Promise<void> | undefined
  readonly countKey?: (caller: Caller) => Promise<void> | undefined
}

/** What a request counts: as `times` of `max` a minute under a name. With `max` 0 there is no limit. */
type Charge = readonly [name: string, max: number, times: number]

/** Returns what counts requests. Nothing does where clients have neither different addresses nor accounts. */
function countersOf (app: FastifyInstance, counts: SharedCounts | undefined): Counters {
  const { settings: { rateLimit, rateLimitLoginStarts }, settings, tuning, now, accounts, ledger } = app.runtime
  const { rateLimitBatchWeight, playerRequests, loginChecksPerStart, requestWork, rateLimitClients } = {
    ...requestCosts,
    ...clientLimits,
    ...tuning
  }
  const perAddress = tellsClientsApart(settings)
  if (!perAddress && accounts === undefined) return {}
  const here = countsIn(rateLimitClients, now)
  const logins = { 'login start': rateLimitLoginStarts, 'login check': rateLimitLoginStarts * loginChecksPerStart }

  const ofKey = ({ account, identity: { key } }: Caller, times: number): Charge[] =>
    key?.perMinute === undefined ? []
      : [[`key ${app.clientNamed(`${account} ${key.id}`)[0]}`, key.perMinute, Math.min(times, key.perMinute)]]

  function ofClient ({ client }: Caller, cost: Cost | undefined, times: number): Charge[] {
    const address = client?.[0]
    if (cost === 'player' || cost === 'copy') return [[`${cost} ${address}`, rateLimit * playerRequests, 1]]
    const all: Charge = [`all ${address}`, rateLimit, Math.min(times, rateLimit)]
    if (cost === undefined || cost === 'batch') return [all]
    return [[`${cost.slice('login '.length)} ${address}`, logins[cost], 1], all]
  }

  async function countShared (charges: readonly Charge[], { add }: SharedCounts): Promise<void> {
    for (const [name, max, times] of charges) {
      if (max === 0) continue
      const added = await Promise.all(Array.from({ length: times }, async () => await add(name, minute)))
      for (const count of added) refuseOver(max, count ?? here(name, 1))
    }
  }

  function count (charges: readonly Charge[]): Promise<void> | undefined {
    if (counts !== undefined) return countShared(charges, counts)
    for (const [name, max, times] of charges) if (max > 0) refuseOver(max, here(name, times))
    return undefined
  }

  return {
    countKey: (caller) => count(ofKey(caller, 1)),
    countRequest (caller, { cost }) {
      const times = cost === 'batch' ? rateLimitBatchWeight : 1
      if (!perAddress) return count(ofKey(caller, times))
      ledger.work.charge(caller.client, requestWork)
      return count([...ofKey(caller, times), ...ofClient(caller, cost, times)])
    }
  }
}

/** Throws RATE_LIMITED for a count over its limit. `ttl`: milliseconds until its window ends. */
function refuseOver (max: number, { current, ttl }: { readonly current: number, readonly ttl: number }): void {
  if (current <= max) return
  const retryAfter = Math.max(1, Math.ceil(ttl / 1000))
  throw new RelayError('RATE_LIMITED', `This client has reached its limit of requests in a minute (${max}); try again in ${retryAfter} s.`, { retryAfter })
}

/** Returns counters of this process, in windows of a minute. `now`: milliseconds that never run backwards. */
function countsIn (most: number, now: () => number) {
  const windows = new LRUCache<string, { current: number, readonly end: number }>({ max: most })
  return (name: string, times: number): { readonly current: number, readonly ttl: number } => {
    let window = windows.get(name)
    if (window === undefined || window.end <= now()) {
      window = { current: 0, end: now() + minute }
      windows.set(name, window)
    }
    window.current += times
    return { current: window.current, ttl: window.end - now() }
  }
}

export const limits = fp(plugin, { name: 'limits', dependencies: ['refusals', 'connections', 'callers'] })
