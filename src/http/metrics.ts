/**
 * Figures for Prometheus. The library prom-client is loaded when the setting asks for it. Labels are names out of this
 * code, never anything of a request: route patterns, not addresses; calls, not what they asked for.
 */
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { CallHealth } from '../drift.ts'
import { loadPeer } from '../peers.ts'
import type { RelayCore } from '../relay.ts'

export const metricsPath = '/metrics'

/** Series of one metric whose labels nobody can list beforehand; what comes later is counted together. */
const mostRequests = 500
const mostOutcomes = 400

/** Seconds. */
const answerBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10]
const upstreamBuckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Library = typeof import('prom-client')

/** Counts, and answers /metrics. Each server has a registry of its own. Throws ConfigError when the library is not there. */
export async function addMetrics (app: FastifyInstance, core: RelayCore): Promise<void> {
  const library = await loadPeer('metrics', 'prom-client', async () => await import('prom-client'))
  const registry = new library.Registry()
  library.collectDefaultMetrics({ register: registry })
  countRequests(app, library, registry)
  readCore(core, library, registry)
  app.get(metricsPath, async (_request, reply) => {
    await reply.header('cache-control', 'no-store').type(registry.contentType).send(await registry.metrics())
  })
  app.addHook('onClose', async () => { registry.clear() })
}

const methods = new Set(['GET', 'HEAD', 'POST', 'OPTIONS'])

function countRequests (app: FastifyInstance, { Counter, Histogram }: Library, registry: Registry): void {
  const registers = [registry]
  const requests = new Counter({ name: 'music_relay_requests_total', help: 'Requests by route pattern, method and status.', labelNames: ['route', 'method', 'status'], registers })
  const durations = new Histogram({ name: 'music_relay_request_seconds', help: 'Time from a request to the end of its answer, by route pattern.', labelNames: ['route'], buckets: answerBuckets, registers })
  const upstream = new Histogram({ name: 'music_relay_upstream_request_seconds', help: 'Time of a request to the upstream.', buckets: upstreamBuckets, registers })
  const cache = new Counter({ name: 'music_relay_cache_answers_total', help: 'Answers that may be kept, by where they came from: hit, stale or miss.', labelNames: ['state'], registers })
  const admit = firstOnes(mostRequests)

  app.addHook('onResponse', (request, reply, done) => {
    const route = nameOf(request.routeOptions.url)
    const method = methods.has(request.method) ? request.method : 'other'
    const status = String(reply.statusCode)
    requests.inc(admit(`${route} ${method} ${status}`) ? { route, method, status } : { route: 'other', method: 'other', status: `${status.charAt(0)}xx` })
    durations.observe({ route }, reply.elapsedTime / 1000)
    if (request.cacheState !== null) cache.inc({ state: request.cacheState.toLowerCase() })
    for (const { ms } of request.exchanges ?? []) upstream.observe(ms / 1000)
    done()
  })
}

/** The pattern of a route; the files of the documentation page are one. */
function nameOf (url: string | undefined): string {
  if (url === undefined) return 'none'
  return url.startsWith('/docs') ? '/docs' : url
}

/** Says of a name whether it is among the first so many different ones. */
function firstOnes (most: number): (name: string) => boolean {
  const names = new Set<string>()
  return (name) => {
    if (names.has(name)) return true
    if (names.size >= most) return false
    names.add(name)
    return true
  }
}

type Row = readonly [labels: Record<string, string>, value: number]

/** What the relay knows anyway is asked for when somebody looks, and costs nothing in between. */
function readCore ({ upstream, drift, cache, pollsWaiting }: RelayCore, { Counter, Gauge }: Library, registry: Registry): void {
  function counter (name: string, help: string, labelNames: string[], rows: () => Row[]): void {
    registry.registerMetric(new Counter({ name, help, labelNames, registers: [], collect () {
      this.reset()
      for (const [labels, value] of rows()) this.inc(labels, value)
    } }))
  }
  function gauge (name: string, help: string, labelNames: string[], rows: () => Row[]): void {
    registry.registerMetric(new Gauge({ name, help, labelNames, registers: [], collect () {
      this.reset()
      for (const [labels, value] of rows()) this.set(labels, value)
    } }))
  }
  const admit = firstOnes(mostOutcomes)

  counter('music_relay_upstream_calls_total', 'Calls to the upstream by name and outcome.', ['call', 'outcome'], () =>
    upstream.counters.rows().map(({ call, outcome, times }) => [{ call, outcome: admit(`${call} ${outcome}`) ? outcome : 'other' }, times]))
  gauge('music_relay_upstream_host_state', 'Whether a host of the upstream is asked: 1 for the state it is in.', ['host', 'state'], () =>
    upstream.hostStates().flatMap(({ host, state }) => ['closed', 'open', 'half-open', 'paused'].map((each): Row => [{ host, state: each }, each === state ? 1 : 0])))
  gauge('music_relay_upstream_call_left_out', 'Calls that are not asked for a while because they fail and another gives the same.', ['call'], () =>
    upstream.leftOut().map((call) => [{ call }, 1]))
  const drifting = (): readonly CallHealth[] => drift.health().calls.filter(({ findings }) => findings.length > 0)
  gauge('music_relay_drift_fields', 'Fields of a call\'s answers that have been seen missing or of another type.', ['call'], () =>
    drifting().map(({ name, findings }) => [{ call: name }, findings.length]))
  counter('music_relay_drift_findings_total', 'How often such a field was met.', ['call'], () =>
    drifting().map(({ name, findings }) => [{ call: name }, findings.reduce((sum, { count }) => sum + count, 0)]))
  gauge('music_relay_login_polls_waiting', 'Checks of a QR login that wait for news.', [], () => [[{}, pollsWaiting()]])
  if (cache === undefined) return
  gauge('music_relay_cache_entries', 'Answers that are kept.', [], () => [[{}, cache.size().answers]])
  gauge('music_relay_cache_bytes', 'Memory that kept answers take.', [], () => [[{}, cache.size().bytes]])
}
