/**
 * Prometheus metrics. The library prom-client is loaded only if the setting `metrics` is on. Labels are names from this
 * code, never data of a request: route patterns instead of URLs, names of calls instead of their parameters.
 */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import type { Registry } from 'prom-client'
import type { SeenCall } from '../upstream/monitor.ts'
import { countsByState } from '../relay/accountBook.ts'
import type { Runtime } from '../relay/runtime.ts'
import { version } from '../common/version.ts'

export const metricsPath = '/metrics'

/** Maximum number of series of a metric with open-ended labels. Further ones are counted together as `other`. */
const mostRequests = 500
const mostOutcomes = 400

/** Histogram buckets, in seconds. */
const answerBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10]
const upstreamBuckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Library = typeof import('prom-client')

/** Counts requests and serves /metrics. Each server has its own registry. */
const plugin: FastifyPluginAsync = async (app) => {
  const { default: library } = await import('prom-client')
  const registry = new library.Registry()
  library.collectDefaultMetrics({ register: registry })
  countRequests(app, library, registry)
  readRuntime(app.runtime, library, registry)
  app.get(metricsPath, async (_request, reply) => {
    await reply.header('cache-control', 'no-store').type(registry.contentType).send(await registry.metrics())
  })
  app.addHook('onClose', async () => { registry.clear() })
}

const methods = new Set(['GET', 'HEAD', 'POST', 'OPTIONS'])

function countRequests (app: FastifyInstance, { Counter, Histogram }: Library, registry: Registry): void {
  const registers = [registry]
  const requests = new Counter({
    name: 'music_relay_requests_total',
    help: 'Requests by route pattern, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers
  })
  const durations = new Histogram({
    name: 'music_relay_request_seconds',
    help: 'Time from a request to the end of its answer, by route pattern.',
    labelNames: ['route'],
    buckets: answerBuckets,
    registers
  })
  const upstream = new Histogram({
    name: 'music_relay_upstream_request_seconds',
    help: 'Time of a request to the upstream.',
    buckets: upstreamBuckets,
    registers
  })
  const cache = new Counter({
    name: 'music_relay_cache_answers_total',
    help: 'Cacheable answers by cache state: hit, stale or miss.',
    labelNames: ['state'],
    registers
  })
  const isNamed = firstOnes(mostRequests)

  app.addHook('onResponse', (request, reply, done) => {
    const route = nameOf(request.routeOptions.url)
    const method = methods.has(request.method) ? request.method : 'other'
    const status = String(reply.statusCode)
    requests.inc(isNamed(`${route} ${method} ${status}`) ? { route, method, status }
      : { route: 'other', method: 'other', status: `${status.charAt(0)}xx` })
    durations.observe({ route }, reply.elapsedTime / 1000)
    if (request.cacheState !== null) cache.inc({ state: request.cacheState.toLowerCase() })
    for (const { ms } of request.upstreamReports ?? []) upstream.observe(ms / 1000)
    done()
  })
}

/** Label of a route: its pattern. The files of the documentation share one, and so do those of the page. */
function nameOf (url: string | undefined): string {
  if (url === undefined) return 'none'
  return /^\/(?:docs|page)(?=\/|$)/.exec(url)?.[0] ?? url
}

/** Returns a function that returns true for the first `most` different names. */
function firstOnes (most: number): (name: string) => boolean {
  const names = new Set<string>()
  return (name) => {
    if (names.has(name)) return true
    if (names.size >= most) return false
    names.add(name)
    return true
  }
}

type Sample = readonly [labels: Record<string, string>, value: number]

/** Metrics of existing state. They are read when /metrics is requested, so they cost nothing in between. */
function readRuntime (
  { upstream: { calls, counters, monitor }, answers: { cache }, ledger, accounts, settings, store }: Runtime,
  { Counter, Gauge }: Library,
  registry: Registry
): void {
  function counter (name: string, help: string, labelNames: string[], rows: () => Sample[]): void {
    registry.registerMetric(new Counter({ name, help, labelNames, registers: [], collect () {
      this.reset()
      for (const [labels, value] of rows()) this.inc(labels, value)
    } }))
  }
  function gauge (name: string, help: string, labelNames: string[], rows: () => Sample[]): void {
    registry.registerMetric(new Gauge({ name, help, labelNames, registers: [], collect () {
      this.reset()
      const current = rows()
      if (current.length === 0 && labelNames.length === 0) this.remove() // the reset set it to 0, which is a value
      for (const [labels, value] of current) this.set(labels, value)
    } }))
  }
  const isNamed = firstOnes(mostOutcomes)

  gauge('music_relay_info', 'The version of the relay, with the value 1.', ['version'], () => [[{ version }, 1]])

  counter(
    'music_relay_upstream_calls_total',
    'Calls to the upstream by name and outcome.',
    ['call', 'outcome'],
    () =>
      counters.rows().map((
        { call, outcome, times }
      ) => [{ call, outcome: isNamed(`${call} ${outcome}`) ? outcome : 'other' }, times])
  )
  gauge(
    'music_relay_upstream_host_state',
    'Whether a host of the upstream is asked: 1 for the state it is in.',
    ['host', 'state'],
    () =>
      calls.hostStates().flatMap(({ host, state }) =>
        ['closed', 'open', 'half-open', 'paused'].map((each): Sample => [{ host, state: each }, each === state ? 1 : 0])
      )
  )
  gauge(
    'music_relay_upstream_call_disabled',
    'Calls that are disabled for a while: they fail, and a fallback gives the same.',
    ['call'],
    () => calls.disabledCalls().map((call) => [{ call }, 1])
  )
  const drifting = (): readonly SeenCall[] => monitor.health().calls.filter(({ findings }) => findings.length > 0)
  gauge(
    'music_relay_drift_fields',
    'Fields of a call\'s answers that have been seen missing or of another type.',
    ['call'],
    () => drifting().map(({ name, findings }) => [{ call: name }, findings.length])
  )
  counter(
    'music_relay_drift_findings_total',
    'How often such a field was met.',
    ['call'],
    () => drifting().map(({ name, findings }) => [{ call: name }, findings.reduce((sum, { count }) => sum + count, 0)])
  )
  const held = {
    connections: ledger.connections,
    unsent_bytes: ledger.unsentBytes,
    answer_bytes: ledger.answerBytes,
    body_bytes: ledger.bodyBytes,
    waiting_bytes: ledger.waitingBytes,
    login_polls: ledger.loginPolls,
    streams: ledger.streams
  }
  const charged = { ...held, upstream_calls: ledger.upstreamCalls }
  gauge(
    'music_relay_held',
    'What all clients hold together: connections, bytes of answers that they have not read, of upstream answers and of request bodies for requests under way, of requests that wait for the one before them, waiting login checks, audio streams.',
    ['what'],
    () => Object.entries(held).map(([what, holding]) => [{ what }, holding.all()])
  )
  gauge(
    'music_relay_held_by_largest_client',
    'What the client that holds most of it holds; of upstream calls, has caused within a minute.',
    ['what'],
    () => Object.entries(charged).map(([what, book]) => [{ what }, book.state().largest])
  )
  counter(
    'music_relay_charges_refused_total',
    'How often clients were refused because of what they hold or have caused.',
    ['what'],
    () => Object.entries(charged).map(([what, book]) => [{ what }, book.state().refused])
  )
  if (cache !== undefined) {
    gauge('music_relay_cache_entries', 'Cache entries.', [], () => [[{}, cache.size().entries]])
    gauge('music_relay_cache_bytes', 'Memory used by cache entries.', [], () => [[{}, cache.size().bytes]])
  }
  if (store !== undefined) {
    gauge('music_relay_shared_store_up', 'Whether the shared store answers: 1 or 0.', [], () => [[{}, Number(store.isUp())]])
  }
  if (accounts === undefined) return
  const named = settings.metricsAccountNames
  gauge(
    'music_relay_account_expires_seconds',
    `Time until the key of a stored login expires, negative if it has: ${named ? 'by account' : 'of the one that expires first'}.`,
    named ? ['account'] : [],
    () => {
      const left = accounts.states().flatMap(({ name, expiresIn }): Sample[] =>
        expiresIn === undefined ? [] : [[{ account: name }, expiresIn]]
      )
      return named || left.length === 0 ? left : [[{}, Math.min(...left.map(([, seconds]) => seconds))]]
    }
  )
  gauge(
    'music_relay_accounts',
    'Stored logins by state.',
    ['state'],
    () => Object.entries(countsByState(accounts.states())).map(([state, times]) => [{ state }, times])
  )
  counter(
    'music_relay_account_renewals_total',
    'Attempts to renew a stored login by outcome.',
    ['outcome'],
    () => Object.entries(accounts.renewals()).map(([outcome, times]) => [{ outcome }, times])
  )
}

export const metrics = fp(plugin, { name: 'metrics', dependencies: ['headers', 'log'] })
