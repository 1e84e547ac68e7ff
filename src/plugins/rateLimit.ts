/** Rate limits per client. Background: docs/decisions/0010-client-limits.md. */
import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyRateLimitStoreCtor, RateLimitPluginOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { tellsClientsApart } from '../core/config.ts'
import type { AnyEndpoint } from '../core/endpoint.ts'
import { RelayError } from '../common/errors.ts'
import { isProbe } from './health.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Keyed hash of the client's address. Null where addresses do not distinguish clients. */
    client: string | null
  }
  interface FastifyContextConfig {
    /** Kind of request for the rate limit. Absent: a normal request. */
    cost?: Cost
  }
}

/** Kinds of requests with their own cost or limit. */
export type Cost = 'batch' | 'login start' | 'login check'

/**
 * Where requests are counted. Instances with common limits share a store, and the secret that hashes client addresses.
 */
export interface Counts extends Pick<RateLimitPluginOptions, 'redis' | 'nameSpace' | 'skipOnError'> {
  readonly secret: string
}

const minute = 60_000

/** Returns the kind of an endpoint for the rate limit. Undefined: a normal request. */
export function costOf ({ tag, method, input }: AnyEndpoint): Cost | undefined {
  if (tag === 'login') return method === 'GET' ? 'login start' : 'login check'
  return Object.values(input.properties).some(({ type }) => type === 'array') ? 'batch' : undefined
}

/** Options of the plugin. */
export interface RateLimitOptions {
  /** Where requests are counted. Undefined: in this process. */
  readonly counts: Counts | undefined
}

/** Counts the requests of each client, and refuses those over the limit. */
const plugin: FastifyPluginAsync<RateLimitOptions> = async (app, { counts }) => {
  const { settings, tuning, now } = app.runtime
  app.decorateRequest('client', null)
  if (!tellsClientsApart(settings)) return
  // In the built command, the package has its default export only.
  const { default: fastifyRateLimit } = await import('@fastify/rate-limit')
  const nameOf = clientNames(counts?.secret, (address) => fastifyRateLimit.normalizeIP(address, 64))
  const { secret: _, ...shared } = counts ?? { secret: '' }
  await app.register(fastifyRateLimit, { global: false, ...(counts === undefined ? { store: memoryCounts(tuning.rateLimitClients, now) } : shared) })
  const counter = (prefix: string, max: number): Count | undefined =>
    max === 0 ? undefined : app.createRateLimit({ max, timeWindow: minute, keyGenerator: ({ client }) => `${prefix} ${client}` })
  const all = counter('all', settings.rateLimit)
  const logins = { 'login start': counter('start', settings.rateLimitLoginStarts), 'login check': counter('check', settings.rateLimitLoginStarts * tuning.loginChecksPerStart) }

  app.addHook('onRequest', async (request) => {
    const { url, config: { cost } } = request.routeOptions
    if (isProbe(url)) return
    request.client = nameOf(request.ip)
    if (cost !== undefined && cost !== 'batch') await take(request, logins[cost], 1)
    await take(request, all, cost === 'batch' ? tuning.rateLimitBatchWeight : 1)
  })
}

type Count = ReturnType<FastifyInstance['createRateLimit']>

/** Counts a request `times` times, because the library only counts in ones. Throws RATE_LIMITED over the limit. */
async function take (request: FastifyRequest, count: Count | undefined, times: number): Promise<void> {
  if (count === undefined) return
  const counted = await Promise.all(Array.from({ length: times }, async () => await count(request)))
  for (const each of counted) {
    if (each.isAllowed || !each.isExceeded) continue
    const retryAfter = Math.max(1, each.ttlInSeconds)
    throw new RelayError('RATE_LIMITED', `This client has asked as often as one may in a minute (${each.max}); try again in ${retryAfter} s.`, { retryAfter })
  }
}

/**
 * Returns a function that hashes an address (for IPv6, its whole network) with the secret. The hash cannot be reversed
 * without it.
 */
function clientNames (secret: string | Buffer = randomBytes(32), networkOf: (address: string) => string): (address: string) => string {
  return (address) => createHmac('sha256', secret).update(networkOf(address)).digest('base64url')
}

/**
 * Counters in this process. `now`: milliseconds that never run backwards. The library's own store uses the wall clock:
 * if that is set back, clients are locked out.
 */
function memoryCounts (most: number, now: () => number): FastifyRateLimitStoreCtor {
  const windows = new LRUCache<string, { current: number, readonly end: number }>({ max: most })
  return class MemoryCounts {
    incr (key: string, done: (error: null, count: { current: number, ttl: number }) => void, timeWindow: number): void {
      let window = windows.get(key)
      if (window === undefined || window.end <= now()) {
        window = { current: 0, end: now() + timeWindow }
        windows.set(key, window)
      }
      done(null, { current: ++window.current, ttl: window.end - now() })
    }

    child (): this { return this }
  }
}

export const rateLimit = fp(plugin, { name: 'rate-limit', fastify: '5.x', dependencies: ['errors', 'load-shedding'], decorators: { fastify: ['runtime'] } })
