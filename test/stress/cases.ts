/** The cases of load and abuse, each with its measurements and the bars for them. */
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { RelayOptions } from '../../src/library/relay.ts'
import { startRelay } from './children.ts'
import type { LoadChild, RelayChild, UpstreamChild } from './children.ts'
import type { Load, Outcome } from './load.ts'
import { crowd, pipelined } from './sockets.ts'

export interface Figure { readonly what: string, readonly is: number, readonly unit: string, readonly atMost?: number, readonly atLeast?: number }

export interface Ground {
  readonly upstream: UpstreamChild
  readonly load: LoadChild
  readonly quick: boolean
  readonly soakMinutes: number
  say (text: string): void
}

export interface Case { readonly name: string, readonly run: (ground: Ground) => Promise<Figure[]> }

/** One upstream call, a different one for every number. */
const distinct = '/getSongInfo?songid={n}'
/** No upstream call at all. */
const own = '/getImageUrl?id=00DemoAlbu0001'
const poll = { path: '/checkAltLoginQr', body: '{"uuid":"u{n}"}' }

const atMost = (what: string, is: number, bar: number, unit = ''): Figure => ({ what, is, unit, atMost: bar })
const atLeast = (what: string, is: number, bar: number, unit = ''): Figure => ({ what, is, unit, atLeast: bar })
const shown = (what: string, is: number, unit = ''): Figure => ({ what, is, unit })

/** Number of answers that are neither a success nor a proper refusal. */
const broken = ({ statuses }: Outcome, allowed: readonly string[] = ['200', '503']): number =>
  Object.entries(statuses).reduce((sum, [status, count]) => allowed.includes(status) ? sum : sum + count, 0)

export async function withRelay<T> ({ upstream, say }: Ground, settings: RelayOptions, run: (relay: RelayChild) => Promise<T>): Promise<T> {
  say(`  settings: ${Object.keys(settings).length === 0 ? 'the defaults' : JSON.stringify(settings)}, but no pace upstream`)
  await upstream.ask({ latencyMs: 200, failing: 0, down: false, holdMs: 5000, reset: true })
  const relay = await startRelay({ upstreamOrigin: upstream.origin, ...settings }, 'dist/src/app.js')
  try {
    return await run(relay)
  } finally {
    await relay.end()
  }
}

/** Warms up the relay before it is measured. */
async function warm ({ load, upstream }: Ground, relay: RelayChild): Promise<void> {
  await load.ask({ origin: relay.origin, path: distinct, clients: 32, seconds: 1.5 })
  await load.ask({ origin: relay.origin, path: own, clients: 8, seconds: 0.5 })
  await upstream.ask({ reset: true })
}

const seconds = ({ quick }: Ground): number => quick ? 3 : 10

/** The bars are for 64 concurrent upstream requests, and here all of them go to one host. */
const oneHost = { tuning: { upstreamHostPercent: 100 } }

function manyClients (clients: number, bars: (outcome: Outcome) => Figure[]): Case {
  return {
    name: `${clients} clients, distinct keys, upstream 200 ms`,
    run: async (ground) => await withRelay(ground, oneHost, async (relay) => {
      await warm(ground, relay)
      const outcome = await ground.load.ask({ origin: relay.origin, path: distinct, clients, seconds: seconds(ground) })
      const { most } = await ground.upstream.ask({})
      ground.say(`  answers by status: ${JSON.stringify(outcome.statuses)}`)
      return [...bars(outcome), atMost('other answers than 200 and 503', broken(outcome), 0), atMost('503 without Retry-After', outcome.bare, 0), atMost('upstream calls in flight', most, 64)]
    })
  }
}

/** Requests per second that the relay answers with 64 concurrent upstream calls. */
const capacity = 320

const load: readonly Case[] = [
  manyClients(64, (outcome) => [atMost('p99', outcome.good.p99, 300, 'ms'), atMost('errors', broken(outcome, ['200']), 0), shown('goodput', outcome.goodput, '/s')]),
  manyClients(256, (outcome) => [atMost('p99 of 200s', outcome.good.p99, 1000, 'ms'), atLeast('goodput', outcome.goodput, capacity * 0.75, '/s'), atMost('p95 of refusals', outcome.refused.p95, 50, 'ms')]),
  manyClients(1024, (outcome) => [atMost('p99 of 200s', outcome.good.p99, 2500, 'ms'), atLeast('goodput', outcome.goodput, capacity * 0.5, '/s'), shown('p95 of refusals', outcome.refused.p95, 'ms')]),
  {
    name: '256 clients, one same key',
    run: async (ground) => await withRelay(ground, {}, async (relay) => {
      await warm(ground, relay)
      const outcome = await ground.load.ask({ origin: relay.origin, path: '/getSongInfo?songid=5000001', clients: 256, seconds: seconds(ground) })
      const { asked } = await ground.upstream.ask({})
      return [atMost('upstream calls', asked, 1), atLeast('goodput', outcome.goodput, 5000, '/s'), atMost('p99', outcome.good.p99, 150, 'ms'), atMost('errors', broken(outcome, ['200']), 0)]
    })
  },
  {
    name: '30 % of upstream calls answer 503',
    run: async (ground) => await withRelay(ground, {}, async (relay) => {
      await warm(ground, relay)
      await ground.upstream.ask({ failing: 3, reset: true })
      const outcome = await ground.load.ask({ origin: relay.origin, path: distinct, clients: 32, seconds: 2 * seconds(ground) })
      const { asked } = await ground.upstream.ask({})
      const requests = Object.values(outcome.statuses).reduce((sum, count) => sum + count, 0)
      return [atMost('upstream calls per request', asked / requests, 1.1), shown('requests', requests), shown('answered', (outcome.statuses['200'] ?? 0) / requests * 100, '%')]
    })
  },
  {
    name: 'upstream all 503 for 8 s (4 s when quick), 32 clients',
    run: async (ground) => await withRelay(ground, {}, async (relay) => {
      await warm(ground, relay)
      await ground.upstream.ask({ down: true, reset: true })
      const during = await ground.load.ask({ origin: relay.origin, path: distinct, clients: 32, seconds: ground.quick ? 4 : 8 })
      const { asked } = await ground.upstream.ask({ down: false })
      const after = await ground.load.ask({ origin: relay.origin, path: distinct, clients: 32, seconds: 8 })
      return [atMost('upstream calls', asked, 100), atMost('p95 of refusals', during.refused.p95, 20, 'ms'), atMost('first 200 after recovery', after.firstGood / 1000, 6, 's'), atLeast('goodput after', after.goodput, 1, '/s')]
    })
  },
  {
    name: 'a batch of 100 songs',
    run: async (ground) => await withRelay(ground, {}, async (relay) => {
      await warm(ground, relay)
      const songs = Array.from({ length: 100 }, (_, at) => [`00DemoSong${String(at + 1000)}`])
      const { statusCode, body } = await request(`${relay.origin}/batchGetSongInfo`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ songs }) })
      await body.dump()
      const { most } = await ground.upstream.ask({})
      return [atMost('upstream calls in flight', most, 5), atMost('answered other than with 200', statusCode === 200 ? 0 : 1, 0)]
    })
  }
]

/** Concurrent waiting polls: their cost, and their effect on other requests. */
function polls (count: number, megabytes: number): Case {
  return {
    name: `${count} long polls at once`,
    run: async (ground) => await withRelay(ground, { maxConnections: 10 * (count + 10) }, async (relay) => {
      await warm(ground, relay)
      await ground.upstream.ask({ holdMs: ground.quick ? 5000 : 12_000 })
      const before = await relay.ask({})
      const waiting = ground.load.ask({ origin: relay.origin, ...poll, clients: count, seconds: 0 })
      await sleep(2000)
      const others = await ground.load.ask({ origin: relay.origin, path: distinct, clients: 4, rate: 20, seconds: 2 })
      const during = await relay.ask({})
      const done = await waiting
      const after = await settled(relay, before.files)
      return [
        atMost('memory', during.rss - before.rss, megabytes, 'MB'), atLeast('polls answered', done.statuses['200'] ?? 0, count),
        atMost('p99 of others', others.good.p99, 250, 'ms'), atMost('open files left', after - before.files, 0)
      ]
    })
  }
}

/** Number of open files after idle connections were closed. */
async function settled (relay: RelayChild, files: number): Promise<number> {
  let now = Infinity
  for (let round = 0; round < 20 && now > files; round++) {
    if (round > 0) await sleep(500)
    now = (await relay.ask({})).files
  }
  return now
}

const waiting: readonly Case[] = [
  polls(200, 15),
  polls(1000, 64),
  {
    name: '220 long polls where 200 may wait',
    run: async (ground) => await withRelay(ground, {}, async (relay) => {
      const outcome = await ground.load.ask({ origin: relay.origin, ...poll, clients: 220, seconds: 0 })
      const refusal = await withPolls(relay.origin, 200, async () => {
        const { statusCode, headers, body } = await request(`${relay.origin}${poll.path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"uuid":"late"}' })
        await body.dump()
        return { statusCode, wait: Number(headers['retry-after']) }
      })
      return [
        atLeast('answered', outcome.statuses['200'] ?? 0, 200), atLeast('refused with 503', outcome.statuses['503'] ?? 0, 20), atMost('p95 of refusals', outcome.refused.p95, 250, 'ms'),
        atMost('refused other than with 503 and Retry-After 5', refusal.statusCode === 503 && refusal.wait === 5 ? 0 : 1, 0)
      ]
    })
  },
  {
    name: '50 clients leave in mid poll',
    run: async (ground) => await withRelay(ground, {}, async (relay) => {
      let held = 0
      await withPolls(relay.origin, 50, async () => { held = (await ground.upstream.ask({})).now })
      await sleep(1500)
      const { now } = await ground.upstream.ask({})
      return [atLeast('polls that were held', held, 50), atMost('upstream calls still open', now, 0)]
    })
  }
]

/** Runs `run` while `count` polls wait, then ends the polls. */
async function withPolls<T> (origin: string, count: number, run: () => Promise<T>): Promise<T> {
  const leave = new AbortController()
  setMaxListeners(0, leave.signal)
  const all = Array.from({ length: count }, async (_, at) => {
    await request(`${origin}${poll.path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: `{"uuid":"held${at}"}`, signal: leave.signal }).catch(() => {})
  })
  await sleep(1000)
  try {
    return await run()
  } finally {
    leave.abort()
    await Promise.all(all)
  }
}

const badClients: readonly Case[] = [
  {
    name: '1000 idle connections, 200 slow headers, 200 slow bodies',
    run: async (ground) => await withRelay(ground, {}, async (relay) => {
      await warm(ground, relay)
      const before = await relay.ask({})
      const idle = await crowd(relay.origin, 1000, () => {})
      await sleep(500)
      const during = await relay.ask({})
      const headers = await crowd(relay.origin, 200, (socket) => { socket.write('GET /getHotkey HTTP/1.1\r\nhost: localhost\r\n') }, (socket) => { socket.write('x-slow: 1\r\n') })
      const bodies = await crowd(relay.origin, 200, (socket) => { socket.write('POST /batchGetSongInfo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n') }, (socket) => { socket.write(' ') })
      const others = await ground.load.ask({ origin: relay.origin, path: own, clients: 4, rate: 40, seconds: 4 })
      const [idleGone, headersGone, bodiesGone] = await Promise.all([idle.gone(22), headers.gone(22), bodies.gone(22)])
      for (const each of [idle, headers, bodies]) each.end()
      const after = await settled(relay, before.files)
      return [
        atMost('memory of idle ones', during.rss - before.rss, 10, 'MB'), atMost('others, slowest', others.good.max, 100, 'ms'), atMost('others refused', broken(others, ['200']), 0),
        atMost('idle ones closed after', idleGone, 20, 's'), atMost('slow headers closed after', headersGone, 20, 's'), atMost('slow bodies closed after', bodiesGone, 20, 's'),
        atMost('open files left', after - before.files, 0)
      ]
    })
  },
  {
    name: '100 pipelined requests on one connection',
    run: async (ground) => await withRelay(ground, {}, async (relay) => {
      await warm(ground, relay)
      const paths = Array.from({ length: 100 }, (_, at) => at % 2 === 0 ? `/getImageUrl?id=00DemoAlbu${1000 + at}` : `/getSongInfo?songid=${1000 + at}`)
      const [answers, others] = await Promise.all([
        pipelined(relay.origin, paths),
        ground.load.ask({ origin: relay.origin, path: distinct, clients: 4, rate: 20, seconds: 2 })
      ])
      const misplaced = paths.filter((_, at) => !(answers[at]?.startsWith('200') === true && (at % 2 === 1 ? answers[at].includes('songinfo') : answers[at].includes(`00DemoAlbu${1000 + at}`)))).length
      return [atMost('answers missing or out of order', misplaced + Math.abs(answers.length - 100), 0), atMost('p99 of others', others.good.p99, 500, 'ms'), atMost('others refused', broken(others, ['200']), 0)]
    })
  }
]

const soak: Case = {
  name: 'soak: 50 requests a second, 30 % of upstream calls answer 503',
  run: async (ground) => await withRelay(ground, {}, async (relay) => {
    const work: Load = { origin: relay.origin, path: distinct, clients: 20, rate: 50, seconds: 20 }
    await ground.upstream.ask({ failing: 3 })
    // Fill the cache first: until then, memory has to grow.
    await ground.load.ask({ ...work, rate: 150, seconds: ground.quick ? 5 : 60 })
    const roundsOf = (minutes: number): number => Math.max(3, Math.round(minutes * 60 / work.seconds))
    const warmUp = roundsOf(Math.min(5, ground.soakMinutes / 2))
    const rounds = warmUp + roundsOf(ground.soakMinutes)
    const sizes: { minute: number, rss: number, files: number }[] = []
    let bugs = 0
    const started = performance.now()
    for (let round = 1; round <= rounds; round++) {
      const outcome = await ground.load.ask(work)
      bugs += broken(outcome, ['200', '502', '503'])
      const { rss, files } = await relay.ask({})
      sizes.push({ minute: (performance.now() - started) / 60_000, rss, files })
      ground.say(`  ${(sizes.at(-1)?.minute ?? 0).toFixed(1)} min: ${rss.toFixed(1)} MB, ${files} files, ${JSON.stringify(outcome.statuses)}`)
    }
    const measured = sizes.slice(warmUp)
    const files = measured.map((size) => size.files)
    return [atMost('memory in 10 minutes', slopeOf(measured.map(({ minute, rss }) => [minute, rss] as const)) * 10, 1, 'MB'), atMost('open files, more at the end', (files.at(-1) ?? 0) - Math.max(...files.slice(0, 2)), 2), atMost('answers other than 200, 502, 503', bugs, 0)]
  })
}

/** Slope of the best-fitting line. */
function slopeOf (points: readonly (readonly [number, number])[]): number {
  const mean = (pick: (point: readonly [number, number]) => number): number => points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)]
  const spread = mean(([at]) => (at - x) ** 2)
  return spread === 0 ? 0 : mean(([at, value]) => (at - x) * (value - y)) / spread
}

export const cases: readonly Case[] = [...load, ...waiting, ...badClients]
export { soak }
