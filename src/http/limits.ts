/**
 * What protects the relay from too much: early refusals while the process is overloaded, how often one client may ask,
 * how long an answer may take, and what a connection may do. Why it is built so: docs/decisions/0010-client-limits.md.
 */
import { createHmac, randomBytes } from 'node:crypto'
import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRateLimitStoreCtor, RateLimitPluginOptions } from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { tellsClientsApart } from '../config.ts'
import type { Settings } from '../config.ts'
import type { AnyEndpoint } from '../endpoint.ts'
import { RelayError } from '../errors.ts'
import { isProbe } from './health.ts'
import { metricsPath } from './metrics.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Names who asks without saying it; null where addresses do not tell clients apart. */
    client: string | null
  }
  interface FastifyContextConfig {
    /** What a request costs its client; absent: as much as any. */
    cost?: Cost
  }
}

export type Cost = 'batch' | 'login start' | 'login check'

/** Where requests are counted. Instances that count together share a store, and the secret that names clients in it. */
export interface Counts extends Pick<RateLimitPluginOptions, 'redis' | 'nameSpace' | 'skipOnError'> {
  readonly secret: string
}

const minute = 60_000

export function costOf ({ tag, method, input }: AnyEndpoint): Cost | undefined {
  if (tag === 'login') return method === 'GET' ? 'login start' : 'login check'
  return Object.values(input.properties).some(({ type }) => type === 'array') ? 'batch' : undefined
}

/** Settings of the server's sockets. */
export function socketLimits (settings: Settings) {
  return {
    trustProxy: settings.trustProxy.length > 0 && settings.trustProxy,
    requestTimeout: settings.clientRequestTimeoutMs,
    keepAliveTimeout: settings.clientKeepAliveMs,
    maxRequestsPerSocket: settings.maxRequestsPerConnection,
    // The headers are a part of the request; what Node would compare them with is a default of its own.
    http: { requestTimeout: settings.clientRequestTimeoutMs, headersTimeout: Math.min(settings.clientHeadersTimeoutMs, settings.clientRequestTimeoutMs), connectionsCheckingInterval: settings.clientCheckMs, maxHeaderSize: 16 * 1024, requireHostHeader: false }
  }
}

/** The first look at the process after its start tells of the start: everything is loaded and compiled then. Milliseconds. */
const startMs = 3000

/** Refuses while there is more to do than can be done in time: a short answer now helps more than a good one too late. */
export async function shedEarly (app: FastifyInstance, { shedDelayMs, shedUtilisationPercent, shedMemoryPercent }: Settings, now: () => number): Promise<void> {
  let begun = Infinity
  app.addHook('onListen', async () => { begun = now() })
  await app.register(underPressure, {
    maxEventLoopDelay: shedDelayMs,
    maxEventLoopUtilization: shedUtilisationPercent / 100,
    eventLoopUtilizationMode: 'interval',
    maxRssBytes: Math.floor((process.constrainedMemory() ?? 0) * shedMemoryPercent / 100),
    pressureHandler: async ({ routeOptions }) => {
      if (isProbe(routeOptions.url) || routeOptions.url === metricsPath || now() - begun < startMs) return
      throw new RelayError('OVERLOADED', 'The relay has more to do than it can; try again in 1 s.', { retryAfter: 1 })
    }
  })
}

/** Counts what each client asks, and refuses what is too much. `now`: milliseconds that never run backwards. */
export async function limitClients (app: FastifyInstance, settings: Settings, now: () => number, counts?: Counts): Promise<void> {
  app.decorateRequest('client', null)
  if (!tellsClientsApart(settings)) return
  const nameOf = clientNames(counts?.secret)
  const { secret: _, ...shared } = counts ?? { secret: '' }
  await app.register(rateLimit, { global: false, ...(counts === undefined ? { store: memoryCounts(settings.rateLimitClients, now) } : shared) })
  const counter = (prefix: string, max: number): Count | undefined =>
    max === 0 ? undefined : app.createRateLimit({ max, timeWindow: minute, keyGenerator: ({ client }) => `${prefix} ${client}` })
  const all = counter('all', settings.rateLimit)
  const logins = { 'login start': counter('start', settings.rateLimitLoginStarts), 'login check': counter('check', settings.rateLimitLoginChecks) }

  app.addHook('onRequest', async (request) => {
    const { url, config: { cost } } = request.routeOptions
    if (isProbe(url)) return
    request.client = nameOf(request.ip)
    if (cost !== undefined && cost !== 'batch') await take(request, logins[cost], 1)
    await take(request, all, cost === 'batch' ? settings.rateLimitBatchWeight : 1)
  })
}

type Count = ReturnType<FastifyInstance['createRateLimit']>

/** The library counts in ones, so what costs more is counted more often. */
async function take (request: FastifyRequest, count: Count | undefined, times: number): Promise<void> {
  if (count === undefined) return
  const counted = await Promise.all(Array.from({ length: times }, async () => await count(request)))
  for (const each of counted) {
    if (each.isAllowed || !each.isExceeded) continue
    const retryAfter = Math.max(1, each.ttlInSeconds)
    throw new RelayError('RATE_LIMITED', `This client has asked as often as one may in a minute (${each.max}); try again in ${retryAfter} s.`, { retryAfter })
  }
}

/** A name for an address, that of the whole /64 network with IPv6, which nobody can turn back without the secret. */
function clientNames (secret: string | Buffer = randomBytes(32)): (address: string) => string {
  return (address) => createHmac('sha256', secret).update(normalizeIP(address, 64)).digest('base64url')
}

/** Counts in this process. The library's own store goes by the wall clock: set back, it would lock clients out. */
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

/** How long the answer of an endpoint may take, all its waiting included. Milliseconds. */
export function answerTimeOf (endpoint: AnyEndpoint, { deadlineMs, upstreamQueueMs, loginDeadlineMs, pollDeadlineMs }: Settings): number {
  const spare = 1000 // so that what runs out first is what knows why
  if (endpoint.tag !== 'login') return deadlineMs + upstreamQueueMs + spare
  return Math.max(loginDeadlineMs, costOf(endpoint) === 'login check' ? pollDeadlineMs + 3000 : 0) + spare
}

/** The work's end, or UPSTREAM_TIMEOUT. (The framework's own timer ends for every POST when its body is read.) */
export async function within<T> (ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => { reject(new RelayError('UPSTREAM_TIMEOUT', 'The answer did not come in time; try again.')) }, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
