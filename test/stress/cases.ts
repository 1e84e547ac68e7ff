/** The cases of load and abuse, each with its measurements and the bars for them. */
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { startHelper, type Helper } from '../bench/children.ts'
import { otherThan, type Upstream } from '../bench/ground.ts'
import type { Counts, Orders } from '../bench/upstream.ts'
import type { Load, Outcome } from '../bench/load.ts'
import type { RelayOptions } from '../../src/library/relay.ts'
import type { Size } from './relay.ts'
import { crowd, pipelined } from './sockets.ts'

export interface Figure {
  readonly what: string
  readonly is: number
  readonly unit: string
  readonly atMost?: number
  readonly atLeast?: number
}

type Generator = Helper<Load, Outcome>
export interface Ground {
  readonly upstream: Upstream
  readonly generator: Generator
  readonly quick: boolean
  readonly soakMinutes: number
  say (text: string): void
}

interface Case { readonly name: string, readonly run: (ground: Ground) => Promise<Figure[]> }

/** What a case has: its relay, and patient clients. */
interface Tools extends Ground {
  readonly origin: string
  readonly port: number
  /** Duration of one measurement. */
  readonly seconds: number
  size (): Promise<Size>
  load (
    path: string, connections: number, seconds: number, more?: Partial<Load> & { readonly rate?: number },
    generator?: Generator
  ): Promise<Outcome>
}

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
  otherThan(allowed, statuses)
const errors = (outcome: Outcome, what = 'errors'): Figure => atMost(what, broken(outcome, ['200']), 0)

async function withRelay<T> (ground: Ground, settings: RelayOptions, run: (tools: Tools) => Promise<T>): Promise<T> {
  const { upstream, generator: usual, say, quick } = ground
  say(`  settings: ${Object.keys(settings).length === 0 ? 'the defaults' : JSON.stringify(settings)}, but no pace upstream`)
  await upstream.ask({ latencyMs: 200, stress: { failing: 0 }, holdMs: 5000 })
  const relay = await startHelper<Record<never, never>, Size>(
    '../stress/relay.ts', undefined, [JSON.stringify({ upstreamOrigin: upstream.ready, ...settings }), 'dist/index.js']
  )
  const port = Number(new URL(relay.ready).port)
  try {
    return await run({
      ...ground, origin: relay.ready, port, seconds: quick ? 3 : 10, size: async () => await relay.ask({}),
      load: async (path, connections, seconds, { rate, ...more } = {}, generator = usual) => await generator.ask({
        port, paths: [path], connections, seconds, patient: rate === undefined ? {} : { rate }, ...more
      })
    })
  } finally {
    await relay.end()
  }
}

/** A case with a relay of its own. `warm`: it is warmed up first. */
const caseOf = (name: string, settings: RelayOptions, run: (tools: Tools) => Promise<Figure[]>, warm = true): Case => ({
  name,
  run: async (ground) => await withRelay(ground, settings, async (tools) => {
    if (warm) {
      await tools.load(distinct, 32, 1.5)
      await tools.load(own, 8, 0.5)
      await ground.upstream.ask({})
    }
    return await run(tools)
  })
})

/** The bars are for 64 concurrent upstream requests, and here all of them go to one host. */
const manyClients = (clients: number, bars: (outcome: Outcome) => Figure[]): Case =>
  caseOf(`${clients} clients, distinct keys, upstream 200 ms`, {
    tuning: { upstreamHostPercent: 100 }
  } as RelayOptions, async ({ load, upstream, seconds, say }) => {
    const outcome = await load(distinct, clients, seconds)
    const { most } = await upstream.ask({})
    say(`  answers by status: ${JSON.stringify(outcome.statuses)}`)
    return [
      ...bars(outcome), atMost('other answers than 200 and 503', broken(outcome), 0),
      atMost('503 without Retry-After', outcome.bare, 0), atMost('upstream calls in flight', most, 64)
    ]
  })

/** Requests per second that the relay answers with 64 concurrent upstream calls. */
const capacity = 320

const loads: readonly Case[] = [
  manyClients(64, (outcome) => [
    atMost('p99', outcome.good.p99, 300, 'ms'), errors(outcome), shown('goodput', outcome.goodput, '/s')
  ]),
  manyClients(256, (outcome) => [
    atMost('p99 of 200s', outcome.good.p99, 1000, 'ms'), atLeast('goodput', outcome.goodput, capacity * 0.75, '/s'),
    atMost('p95 of refusals', outcome.refused.p95, 50, 'ms')
  ]),
  manyClients(1024, (outcome) => [
    atMost('p99 of 200s', outcome.good.p99, 2500, 'ms'), atLeast('goodput', outcome.goodput, capacity * 0.5, '/s'),
    shown('p95 of refusals', outcome.refused.p95, 'ms')
  ]),
  caseOf('256 clients, one same key', {}, async ({ load, upstream, seconds }) => {
    const outcome = await load('/getSongInfo?songid=5000001', 256, seconds)
    const { requests } = await upstream.ask({})
    return [
      atMost('upstream calls', requests, 1), atLeast('goodput', outcome.goodput, 5000, '/s'),
      atMost('p99', outcome.good.p99, 150, 'ms'), errors(outcome)
    ]
  }),
  caseOf('30 % of upstream calls answer 503', {}, async ({ load, upstream, seconds }) => {
    await upstream.ask({ stress: { failing: 3 } })
    const { requests, statuses } = await load(distinct, 32, 2 * seconds)
    const { requests: asked } = await upstream.ask({})
    return [
      atMost('upstream calls per request', asked / requests, 1.1), shown('requests', requests),
      shown('answered', (statuses['200'] ?? 0) / requests * 100, '%')
    ]
  }),
  caseOf('upstream all 503 for 8 s (4 s when quick), 32 clients', {}, async ({ load, upstream, quick }) => {
    await upstream.ask({ stress: { failing: 10 } })
    const during = await load(distinct, 32, quick ? 4 : 8)
    const { requests } = await upstream.ask({ stress: { failing: 0 } })
    const after = await load(distinct, 32, 8)
    return [
      atMost('upstream calls', requests, 100), atMost('p95 of refusals', during.refused.p95, 20, 'ms'),
      atMost('first 200 after recovery', after.firstGood / 1000, 6, 's'),
      atLeast('goodput after', after.goodput, 1, '/s')
    ]
  }),
  caseOf('a batch of 100 songs', {}, async ({ origin, upstream }) => {
    const { status } = await post(`${origin}/batchGetSongInfo`, JSON.stringify({
      songs: Array.from({ length: 100 }, (_, at) => [`00DemoSong${String(at + 1000)}`])
    }))
    const { most } = await upstream.ask({})
    return [atMost('upstream calls in flight', most, 5), atMost('answered other than with 200', status === 200 ? 0 : 1, 0)]
  })
]

async function post (url: string, text: string, signal?: AbortSignal): Promise<{ status: number, wait: number }> {
  const { statusCode, headers, body } = await request(url, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: text,
    ...signal === undefined ? {} : { signal }
  })
  await body.dump()
  return { status: statusCode, wait: Number(headers['retry-after']) }
}

/** Concurrent waiting polls: their cost, and their effect on other requests. */
const polls = (
  count: number, megabytes: number
): Case => caseOf(`${count} long polls at once`, { maxConnections: 10 * (count + 10) }, async (tools) => {
  const { load, upstream, size, quick } = tools
  await upstream.ask({ holdMs: quick ? 5000 : 12_000 })
  const before = await size()
  const waiting = load(poll.path, count, 0, { body: poll.body })
  await sleep(2000)
  const others = await load(distinct, 4, 2, { rate: 20 })
  const during = await size()
  const done = await waiting
  return [
    atMost('memory', during.rss - before.rss, megabytes, 'MB'),
    atLeast('polls answered', done.statuses['200'] ?? 0, count), atMost('p99 of others', others.good.p99, 250, 'ms'),
    atMost('open files left', await settled(tools, before.files) - before.files, 0)
  ]
})

/** Number of open files after idle connections were closed. */
async function settled ({ size }: Tools, files: number): Promise<number> {
  let now = Infinity
  for (let round = 0; round < 20 && now > files; round++) {
    if (round > 0) await sleep(500)
    now = (await size()).files
  }
  return now
}

const waiting: readonly Case[] = [
  polls(200, 15),
  polls(1000, 64),
  caseOf('220 long polls where 200 may wait', {}, async ({ load, upstream, origin, seconds }) => {
    const { statuses, refused } = await load(poll.path, 220, 0, { body: poll.body })
    await upstream.ask({ holdMs: 2 * seconds * 1000 })
    const [late, { status, wait }] = await withPolls(origin, 200, async () => [
      await load(poll.path, 20, seconds, { body: poll.body, rate: 40 }),
      await post(`${origin}${poll.path}`, '{"uuid":"late"}')
    ] as const)
    return [
      atLeast('answered', statuses['200'] ?? 0, 200), atLeast('refused with 503', statuses['503'] ?? 0, 20),
      shown('p95 of refusals, all 220 at the same moment', refused.p95, 'ms'),
      atMost('p95 of refusals while 200 wait', late.refused.p95, 100, 'ms'),
      atMost(
        'refused other than with 503 and Retry-After 5',
        otherThan(['503'], late.statuses) + late.bare + (status === 503 && wait === 5 ? 0 : 1), 0
      )
    ]
  }, false),
  caseOf('50 clients leave in mid poll', {}, async ({ upstream, origin }) => {
    const held = await withPolls(origin, 50, async () => (await upstream.ask({})).now)
    await sleep(1500)
    return [atLeast('polls that were held', held, 50), atMost('upstream calls still open', (await upstream.ask({})).now, 0)]
  }, false)
]

/** Runs `run` while `count` polls wait, then ends the polls. */
async function withPolls<T> (origin: string, count: number, run: () => Promise<T>): Promise<T> {
  const leave = new AbortController()
  setMaxListeners(0, leave.signal)
  const all = Array.from({ length: count }, async (_, at) => {
    await post(`${origin}${poll.path}`, `{"uuid":"held${at}"}`, leave.signal).catch(() => {})
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
  caseOf('1000 idle connections, 200 slow headers, 200 slow bodies', {}, async (tools) => {
    const { origin, load, size } = tools
    const before = await size()
    const idle = await crowd(origin, 1000, '')
    await sleep(500)
    const during = await size()
    const headers = await crowd(origin, 200, 'GET /getHotkey HTTP/1.1\r\nhost: localhost\r\n', 'x-slow: 1\r\n')
    const bodies = await crowd(origin, 200, 'POST /batchGetSongInfo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n', ' ')
    const others = await load(own, 4, 4, { rate: 40 })
    const closed = await Promise.all(([
      ['idle ones', idle], ['slow headers', headers], ['slow bodies', bodies]
    ] as const).map(async ([name, each]) => atMost(`${name} closed after`, await each.gone(22), 20, 's')))
    return [
      atMost('memory of idle ones', during.rss - before.rss, 10, 'MB'),
      atMost('others, slowest', others.good.max, 100, 'ms'), errors(others, 'others refused'),
      ...closed, atMost('open files left', await settled(tools, before.files) - before.files, 0)
    ]
  }),
  caseOf('100 pipelined requests on one connection', {}, async ({ origin, load }) => {
    const paths = Array.from({ length: 100 }, (_, at) => at % 2 === 0 ? `/getImageUrl?id=00DemoAlbu${1000 + at}` : `/getSongInfo?songid=${1000 + at}`)
    const [answers, others] = await Promise.all([pipelined(origin, paths), load(distinct, 4, 2, { rate: 20 })])
    const misplaced = paths.filter((_, at) => !(answers[at]?.startsWith('200') === true
      && answers[at].includes(at % 2 === 1 ? 'songinfo' : `00DemoAlbu${1000 + at}`))).length
    return [
      atMost('answers missing or out of order', misplaced + Math.abs(answers.length - 100), 0),
      atMost('p99 of others', others.good.p99, 500, 'ms'), errors(others, 'others refused')
    ]
  })
]

export const soak: Case = caseOf('soak: 50 requests a second, 30 % of upstream calls answer 503', {}, async (
  { load, upstream, size, say, quick, soakMinutes }
) => {
  const seconds = 20
  await upstream.ask({ stress: { failing: 3 } })
  // Fill the cache first: until then, memory has to grow.
  await load(distinct, 20, quick ? 5 : 60, { rate: 150 })
  const roundsOf = (minutes: number): number => Math.max(3, Math.round(minutes * 60 / seconds))
  const warmUp = roundsOf(Math.min(5, soakMinutes / 2))
  const sizes: (Size & { readonly minute: number })[] = []
  let bugs = 0
  const started = performance.now()
  for (let left = warmUp + roundsOf(soakMinutes); left > 0; left--) {
    const outcome = await load(distinct, 20, seconds, { rate: 50 })
    bugs += broken(outcome, ['200', '502', '503'])
    const now = { ...await size(), minute: (performance.now() - started) / 60_000 }
    sizes.push(now)
    say(`  ${now.minute.toFixed(1)} min: ${now.rss.toFixed(1)} MB, ${now.files} files, ${JSON.stringify(outcome.statuses)}`)
  }
  const measured = sizes.slice(warmUp)
  const files = measured.map((size) => size.files)
  return [
    atMost('memory in 10 minutes', slopeOf(measured.map(({ minute, rss }) => [minute, rss] as const)) * 10, 1, 'MB'),
    atMost('open files, more at the end', (files.at(-1) ?? 0) - Math.max(...files.slice(0, 2)), 2),
    atMost('answers other than 200, 502, 503', bugs, 0)
  ]
}, false)

/** Slope of the best-fitting line. */
function slopeOf (points: readonly (readonly [number, number])[]): number {
  const mean = (pick: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)]
  const spread = mean(([at]) => (at - x) ** 2)
  return spread === 0 ? 0 : mean(([at, value]) => (at - x) * (value - y)) / spread
}

// What greedy clients cost the others. Each client has an address of its own and keeps to its rate limit; the greedy
// ones ask what causes most upstream calls.

/** Addresses of this machine, each in a network of its own. */
const addresses = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `127.0.${from + at}.1`)

/** What one greedy client asks, without answers from the cache, within its 300 requests a minute, of which a batch counts as ten. */
const demands: readonly { readonly path: string, readonly body?: string, readonly rate: number }[] = [
  { path: '/getRanks?topId=28&limit=100&resolveMid=true&cookie=uin%3Do1%3B%20provider_key%3Dkey{n}', rate: 5 },
  { path: '/getSongListDetail?disstid={n}&limit=1000', rate: 5 },
  { path: '/batchGetSongLists', body: `{"page":{page},"categoryIds":[${Array.from({ length: 50 }, (_, at) => at + 1).join()}]}`, rate: 0.5 }
]

const greedyClients = (count: number, bar: number): Case => ({
  name: `fair: ${count} greedy client${count > 1 ? 's' : ''} beside 8 others, upstream 200 ms`,
  run: async (ground) => {
    const greedy: Generator = await startHelper<Load, Outcome>('load.ts')
    try {
      const figures: Figure[] = []
      for (const demand of demands) figures.push(...await beside(ground, greedy, count, bar, demand))
      return figures
    } finally {
      await greedy.end()
    }
  }
})

/** The upstream has the default pace. */
async function beside (
  ground: Ground, generator: Generator, count: number, bar: number, { path, rate, ...demand }: typeof demands[number]
): Promise<Figure[]> {
  return await withRelay(ground, {
    host: '0.0.0.0', upstreamRatePerHost: 50
  }, async ({ load, upstream, say, quick }) => {
    const others = async (seconds: number): Promise<Outcome> =>
      await load(distinct, 16, seconds, { rate: 16, from: addresses(1, 8) })
    await others(3)
    const seconds = quick ? 6 : 12
    const alone = await others(seconds)
    const { requests: before } = await upstream.ask({})
    const greed = load(
      path, 8 * rate * count, seconds + 2, { ...demand, rate: rate * count, from: addresses(100, count) }, generator
    )
    const meanwhile = await others(seconds)
    const told = await greed
    const { requests } = await upstream.ask({})
    say(`  ${path}: ${JSON.stringify(told.statuses)} for the greedy, ${JSON.stringify(meanwhile.statuses)} for the others; ${requests} upstream calls, ${before} before`)
    return [
      shown(`${path.split('?')[0]}: p99 of the others alone`, alone.good.p99, 'ms'),
      atMost('  beside the greedy', meanwhile.good.p99, Math.round(alone.good.p99 * bar), 'ms'),
      atLeast('  others answered', (meanwhile.statuses['200'] ?? 0) / meanwhile.requests * 100, 100, '%')
    ]
  })
}

/** One costs the others at most a tenth of their p99, ten at most as much again. */
const fairness: readonly Case[] = [greedyClients(1, 1.1), greedyClients(10, 2)]

/** What takes most CPU and needs no upstream: answers that are made anew from cached pages, of ten thousand songs. */
const dearest = ['/rest/getRandomSongs?size=500&f=json', '/rest/search3?query=a{n}&songCount=500&f=json', '/rest/getStarred2?f=json', '/rest/getStarred2?f=xml']

/**
 * Clients that ask for the dearest answers, six thousand a minute each, beside twenty that read a cached one. `bar`:
 * for the p99 of the twenty, in multiples of the one without the others. `refused`: how many of them may be, in per
 * cent.
 */
const dear = (count: number, bar: number, refused: number): Case => ({
  name: `dear: ${count} client${count > 1 ? 's' : ''} with a library of 10,000 songs beside 20 others`,
  run: async ({ generator, quick, say }) => {
    const library = await startHelper<Orders, Counts>('upstream.ts', undefined, ['10000'])
    const greedy = await startHelper<Load, Outcome>('load.ts')
    const settings = { upstreamOrigin: library.ready, host: '0.0.0.0', household: count }
    const relay = await startHelper<Record<never, never>, Size>(
      '../stress/relay.ts', undefined, [JSON.stringify(settings), 'dist/index.js']
    )
    const [address = '', ...secrets] = relay.ready.split('#')
    const port = Number(new URL(address).port)
    const load = async (seconds: number): Promise<Outcome> =>
      await generator.ask({
        port, paths: ['/getHotkey'], connections: 20, seconds, patient: { rate: 90 }, from: addresses(1, 20)
      })
    try {
      await load(4)
      const seconds = quick ? 8 : 20
      const paths = secrets.flatMap((secret) => dearest.map((path) => `${path}&c=x&v=1.16.1&apiKey=${secret}`))
      // The pages of each library are in the cache from here on.
      await greedy.ask({
        port, paths, connections: 4 * count, requests: paths.length, patient: {}, from: addresses(100, count)
      })
      const alone = await load(seconds)
      const greed = greedy.ask({
        port, paths, connections: 8 * count, seconds: seconds + 2, patient: { rate: 100 * count },
        from: addresses(100, count)
      })
      await sleep(1000)
      const meanwhile = await load(seconds)
      const told = await greed
      const share = 100 - (meanwhile.statuses['200'] ?? 0) / meanwhile.requests * 100
      say(`  ${JSON.stringify(told.statuses)} for them, ${JSON.stringify(meanwhile.statuses)} for the others`)
      return [
        shown('p99 of the others alone', alone.good.p99, 'ms'),
        atMost('  beside them', meanwhile.good.p99, Number((alone.good.p99 * bar).toFixed(2)), 'ms'),
        shown('p50 alone', alone.good.p50, 'ms'), shown('  beside them', meanwhile.good.p50, 'ms'),
        atMost('others refused', share, refused, '%')
      ]
    } finally {
      await Promise.all([relay.end(), greedy.end(), library.end()])
    }
  }
})

export const cases: readonly Case[] =
  [...loads, ...waiting, ...badClients, ...fairness, dear(1, 2, 0), dear(10, Infinity, 1)]
