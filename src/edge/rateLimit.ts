/** Rate limits per client. Background: docs/decisions.md#0010. */
import type { FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { clientLimits } from '../relay/clientLimits.ts'
import { tellsClientsApart } from '../relay/settings.ts'
import type { AnyEndpoint } from '../relay/endpoint.ts'
import { RelayError } from '../common/errors.ts'
import type { SharedCounts } from '../cache/redis.ts'
import type { Caller } from './caller.ts'
import { isProbe } from './health.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts a request of a derived caller for the limit of its key. Throws RATE_LIMITED. */
    countKey (caller: Caller): Promise<void>
  }
  interface FastifyContextConfig {
    /** Kind of request for the rate limit. Absent: a normal request. */
    cost?: Cost
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

/** Options of the plugin. */
export interface RateLimitOptions {
  /** Shared counters. Undefined: requests are counted in this process. */
  readonly counts: SharedCounts | undefined
}

/** Counts the requests of each client, and refuses those over the limit. */
const plugin: FastifyPluginAsync<RateLimitOptions> = async (app, { counts }) => {
  const { settings, tuning, now, accounts, ledger } = app.runtime
  const { rateLimitBatchWeight, playerRequests, loginChecksPerStart, requestWork, rateLimitClients } = {
    ...requestCosts,
    ...clientLimits,
    ...tuning
  }
  const perAddress = tellsClientsApart(settings)
  if (!perAddress && accounts === undefined) {
    app.decorate('countKey', async () => {})
    return
  }
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

  app.addHook('onRequest', async (request) => {
    const { caller } = request
    const { url, config: { cost, open } } = request.routeOptions
    if (isProbe(url) || open === true) return
    await countKey(caller, cost === 'batch' ? rateLimitBatchWeight : 1)
    if (!perAddress) return
    ledger.work.charge(caller.client, requestWork)
    if (cost === 'player') return await take(caller, players, 1)
    if (cost === 'copy') return await take(caller, copies, 1)
    if (cost !== undefined && cost !== 'batch') await take(caller, logins[cost], 1)
    await take(caller, all, cost === 'batch' ? rateLimitBatchWeight : 1)
  })
  app.decorate('countKey', async (caller) => { await countKey(caller, 1) })
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

export const rateLimit = fp(plugin, {
  name: 'rate-limit',
  fastify: '5.x',
  dependencies: ['errors', 'callers', 'load-shedding'],
  decorators: { fastify: ['runtime'] }
})
