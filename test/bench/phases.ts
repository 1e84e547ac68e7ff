/** The phases of the benchmark. docs/performance.md explains each result. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasNginx, hasPeer, peerName, startAnchor, startNginx, startPeer, startRelay, type Server } from './children.ts'
import {
  compare, digits, joined, lengthOf, nameOfRelease, ratios, rounds, spread, spreads, standing, uncached, wide,
  type Bench, type Contestant, type Phase, type Row, type Table, type Upstream
} from './ground.ts'
import { growth } from './growth.ts'
import type { Load } from './load.ts'
import { players } from './players.ts'

/** One question: its path here and at the published relay, and at the anchor. */
interface Question { readonly about: string, readonly ours: string, readonly anchor: string, readonly peer?: string }

const chart: Question = { about: 'a chart of 20 songs, 43 KB from the upstream', ours: '/getRanks?topId=62&limit=20', anchor: '/chart?topId=62&limit=20' }
const search: Question = { about: 'a search; the anchor sends three upstream requests, the relay two', ours: '/getSearchByKey?key=a&limit=10', anchor: '/search?key=a&limit=10' }
const song: Question = { about: 'a song, 3 KB from the upstream', ours: '/getSongInfo?songmid=00DemoSong0001', anchor: '/song?songmid=00DemoSong0001' }
const questions: Readonly<Record<string, Question>> = {
  chart,
  search,
  song,
  lyric: { about: 'a lyric', ours: '/getLyric?songmid=00DemoSong0005', anchor: '/lyric?songmid=00DemoSong0005' },
  comments: { about: 'comments of a song', ours: '/getComments?id=5000001', anchor: '/comments?id=5000001' },
  play: { about: 'a play address, two upstream requests', ours: '/getMusicPlay?songmid=00DemoSong0001', anchor: '/play?songmid=00DemoSong0001' },
  singer: { about: 'thirty songs of a singer', ours: '/getSingerHotsong?singermid=00DemoSing0001&limit=30', anchor: '/singer?singermid=00DemoSing0001', peer: '/getSingerHotsong?singermid=00DemoSing0001&page=1&limit=30' }
}
/** Nine of ten requests are repeats. */
const mixedPaths = [
  '/getHotkey', chart.ours, song.ours, '/getLyric?songmid=00DemoSong0005', '/getRanks?topId=4&limit=100', search.ours, '/getSingerList', '/getSongListCategories', '/getMusicPlay?songmid=00DemoSong0001',
  '/getSearchByKey?limit=10&key=a{n}'
]
/** An answer of 43 KB from the cache. The upstream's answer for one chart also has 43 KB. */
const hotPath = '/getSearchByKey?key=a&limit=45'

type Servers = (origin: string, bench: Bench) => readonly Promise<Server>[]
type Work = (bench: Bench, servers: readonly Server[], upstream: Upstream) => Promise<Table>

const phase = (name: string, about: string, servers: Servers, work: Work): Phase =>
  ({ name, about, run: async (bench) => await standing((origin) => servers(origin, bench), async (started, upstream) =>
    await work(bench, started as readonly Server[], upstream)
  ) })

/** The relays of `--against`. */
const released = ({ releases }: Bench, origin: string, env: Record<string, string> = {}): Promise<Server>[] =>
  releases.map(async ({ cli }) => await startRelay(origin, env, undefined, cli))

/** The same as contestants, all with one path. */
const asContestants = ({ releases }: Bench, servers: readonly Server[], path: string): Contestant[] =>
  releases.map((release, at) => [nameOfRelease(release), servers[at] as Server, path])

const hot = (name: string, connections: number): Phase => phase(
  name, `one answer of some 43 KB from memory, ${connections} connections; with request lines switched on beside it`,
  (origin, bench) => [
    startRelay(origin), startRelay(origin, { LOG_LEVEL: 'info' }), startAnchor('fastify-buffer'),
    ...released(bench, origin)
  ],
  async (bench, [quiet, logging, bare, ...before]) => {
    const size = await lengthOf(quiet as Server, hotPath)
    for (const server of [logging as Server, ...before]) await lengthOf(server, hotPath)
    return await compare(bench, connections, 'fastify-buffer', [
      ['relay', quiet as Server, hotPath],
      ['relay, LOG_LEVEL=info', logging as Server, hotPath],
      ['fastify-buffer', bare as Server, `/?size=${size}`],
      ...asContestants(bench, before, hotPath)
    ])
  }
)

const fresh = (name: string, { about, ours, anchor, peer = ours }: Question): Phase => phase(
  name, `${about}; uncached: every request goes to the upstream`,
  (origin, bench) => [
    startRelay(origin, uncached), startAnchor('relay-map', origin), ...released(bench, origin, uncached),
    ...hasPeer() ? [startPeer(origin)] : []
  ],
  async (bench, servers) => {
    const others = [
      ...bench.releases.map((release) => [nameOfRelease(release), ours] as const),
      ...hasPeer() ? [[peerName, peer] as const] : []
    ]
    const named = [['relay', ours] as const, ['relay-map', anchor] as const, ...others]
    return await compare(
      bench, 10, 'relay-map', named.map(([name, path], at): Contestant => [name, servers[at] as Server, path])
    )
  }
)

/** Answers of the upstream below and above 65,536 characters, where a text begins to need fresh pages of memory. */
const sizes = phase(
  'sizes', 'charts whose upstream answers have 20, 43, 64, 90 and 200 KB; uncached',
  (origin, bench) =>
    [startRelay(origin, uncached), startAnchor('relay-map', origin), ...released(bench, origin, uncached)],
  async (bench, [ours, bare, ...before]) => {
    const tables: Table[] = []
    for (const [kilobytes, limit] of [[20, 9], [43, 20], [64, 30], [90, 42], [200, 93]] as const) {
      const path = `/getRanks?topId=62&limit=${limit}`
      const table = await compare(bench, 10, 'relay-map', [
        ['relay', ours as Server, path],
        ['relay-map', bare as Server, `/chart?topId=62&limit=${limit}`],
        ...asContestants(bench, before, path)
      ])
      tables.push({ ...table, rows: table.rows.map((row) => ({ ...row, name: `${kilobytes} KB: ${row.name}` })) })
    }
    return joined(...tables)
  }
)

/** Runs one shot a round, which returns a value for each column. */
async function shots (
  bench: Bench, name: string, columns: readonly string[], shot: () => Promise<readonly number[]>
): Promise<Table> {
  const [told = []] = await rounds(bench, [shot], async (shoot) => await shoot())
  return { columns: spreads(columns), rows: [{
    name, cells: columns.flatMap((_, at) => spread(told.map((values) => values[at] as number)))
  }] }
}

/** Sends so many requests at once. Returns what each took: requests to the upstream, 200s, times and CPU of the server. */
async function shotAt (
  bench: Bench, { port, cpuMs }: Server, upstream: Upstream, ask: Omit<Load, 'port'> & { readonly requests: number }
): Promise<{ calls: number, good: number, ms: number, p50: number, cpuUs: number }> {
  await upstream.ask({})
  const before = cpuMs()
  const { statuses, ms, p50 } = await bench.load.ask({ port, ...ask })
  return {
    calls: (await upstream.ask({})).requests, good: statuses['200'] ?? 0, ms, p50,
    cpuUs: (cpuMs() - before) * 1000 / ask.requests
  }
}

const together = phase(
  'together', 'a hundred clients who ask for a hundred songs, or for a chart of 43 KB, at the same time; the upstream takes 20 ms',
  (origin) => [startRelay(origin, uncached), startAnchor('relay-map', origin)],
  async (bench, [ours, bare], upstream) => {
    await upstream.ask({ latencyMs: 20 })
    const tables: Table[] = []
    // As many songs as the demo has details of.
    const songs = (path: string): string[] =>
      Array.from({ length: 100 }, (_, at) => `${path}00DemoSong${String(at + 1).padStart(4, '0')}`)
    for (const [name, server, paths] of [
      ['relay, songs', ours as Server, songs('/getSongInfo?songmid=')],
      ['relay-map, songs', bare as Server, songs('/song?songmid=')],
      ['relay, charts', ours as Server, [chart.ours]],
      ['relay-map, charts', bare as Server, [chart.anchor]]
    ] as const) {
      const shot = async (): Promise<readonly number[]> => {
        const { calls, good, ms, p50, cpuUs } =
          await shotAt(bench, server, upstream, { paths, connections: 100, requests: 2000 })
        return [calls / 20, good / 20, ms / 20, p50, cpuUs]
      }
      await shot()
      tables.push(await shots(bench, name, ['upstream requests', '200s', 'ms', 'p50 ms', 'CPU us/req'], shot))
    }
    return joined(...tables)
  }
)

const coalescing = phase(
  'coalescing', '1000 who ask for one chart at the same time; the upstream takes 100 ms',
  (origin) => [startRelay(origin, wide)],
  async (bench, [ours], upstream) => {
    await lengthOf(ours as Server, '/getHotkey')
    await upstream.ask({ latencyMs: 100 })
    let limit = 20
    return await shots(bench, 'relay', ['upstream calls', '200s', 'ms', 'CPU us/req'], async () => {
      const { calls, good, ms, cpuUs } = await shotAt(bench, ours as Server, upstream, {
        paths: [`/getRanks?topId=62&limit=${limit++}`], connections: 1000, requests: 1000
      })
      return [calls, good, ms, cpuUs]
    })
  }
)

const resolving: Phase = {
  name: 'resolve',
  about: 'ten charts of 100 songs without MID at once, at most 5 requests at a time; the upstream takes 20 ms',
  run: async (bench) => await shots(bench, 'relay', ['ms', 'of the ideal', 'requests', 'most at once', 'MIDs', 'CPU us/song'], async () =>
    await standing((origin) => [startRelay(origin, { ...wide, DEADLINE_MS: '30000' })], async ([ours], upstream) => {
      const { port, cpuMs } = ours as Server
      await lengthOf(ours as Server, '/getRanks?topId=62&resolveMid=true')
      await upstream.ask({ latencyMs: 20 })
      const before = cpuMs()
      const begin = performance.now()
      const charts = await Promise.all(Array.from({ length: 10 }, async (_, at) => await (await fetch(
        `http://127.0.0.1:${port}/getRanks?topId=${900 + at}&limit=100&resolveMid=true`
      )).json() as { data: { songInfoList: { mid?: string }[] } }))
      const ms = performance.now() - begin
      const { requests, mostDetails } = await upstream.ask({})
      return [
        ms, ms / (20 + 1000 / 5 * 20), requests, mostDetails,
        charts.flatMap(({ data }) => data.songInfoList).filter(({ mid }) => mid !== undefined).length, cpuMs() - before
      ]
    }))
}

const batch = phase(
  'batch', '/batchGetSongInfo with 100 songs, uncached: five requests of twenty',
  (origin) => [startRelay(origin, uncached)],
  async (bench, [ours], upstream) => {
    const body = JSON.stringify({ songs: Array.from({ length: 100 }, (_, at) => ['', 5_000_001 + at]) })
    const shot = async (): Promise<readonly number[]> => {
      const { calls, good, ms, cpuUs } = await shotAt(
        bench, ours as Server, upstream, { paths: ['/batchGetSongInfo'], body, connections: 1, requests: 20 }
      )
      return [calls / 20, good / 20, ms / 20, cpuUs / 100]
    }
    await shot()
    return await shots(bench, 'relay', ['upstream calls', '200s', 'ms', 'CPU us/song'], shot)
  }
)

const mixed = phase(
  'mixed', 'ten kinds of request, nine of them cached; beside a relay without a cache',
  (origin) => [startRelay(origin, wide), startRelay(origin, uncached)],
  async (bench, [keeps, asks]) => await compare(bench, 10, 'relay, CACHE=false', [
    ['relay', keeps as Server, ...mixedPaths], ['relay, CACHE=false', asks as Server, ...mixedPaths]
  ])
)

const crowd = phase(
  'connections', '1000 connections: answers from memory, and uncached ones from an upstream that takes 20 ms',
  (origin) =>
    [startRelay(origin), startAnchor('fastify-buffer'), startRelay(origin, uncached), startAnchor('relay-map', origin)],
  async (bench, [keeps, buffer, asks, bare], upstream) => {
    const size = await lengthOf(keeps as Server, hotPath)
    await upstream.ask({ latencyMs: 20 })
    return joined(
      await compare(bench, 1000, 'fastify-buffer', [
        ['relay, hot', keeps as Server, hotPath], ['fastify-buffer', buffer as Server, `/?size=${size}`]
      ]),
      await compare(bench, 1000, 'relay-map', [
        ['relay, uncached', asks as Server, chart.ours], ['relay-map', bare as Server, chart.anchor]
      ])
    )
  }
)

const audioAbout = 'files of 16 MB through the relay (STREAM=relay), beside nginx with proxy_pass; CPU per request is CPU per 16 MB'
const relayed = { STREAM: 'relay', ...wide }
const songPath = '/stream/00DemoSong0001'
const audio: Phase = hasNginx()
  ? phase('audio', audioAbout, (origin, bench) => [
    startRelay(origin, relayed), startNginx(origin), ...released(bench, origin, relayed)
  ], async (bench, [ours, bare, ...before]) => await compare(bench, 10, 'nginx', [
    ['relay', ours as Server, songPath], ['nginx', bare as Server, '/audio/M500.mp3'],
    ...asContestants(bench, before, songPath)
  ]))
  : { name: 'audio', about: audioAbout, run: async () => await Promise.resolve({
    columns: ['nginx is not installed'], rows: []
  }) }

/** Version of a Node, and whether it keeps compiled code between starts. */
function factsOf (node: string): { readonly version: string, readonly caches: boolean } {
  const { stdout, status } = spawnSync(node, ['-p', "process.version + ' ' + typeof require('node:module').enableCompileCache"], { encoding: 'utf8' })
  if (status !== 0) throw new TypeError(`--node: ${node} does not run`)
  const [version = '', kind] = stdout.trim().split(' ')
  return { version, caches: kind === 'function' }
}

/** A program, how it is started with a folder for temporary files, and what it is asked. */
type Starter = readonly [name: string, begin: (folder: string) => Promise<Server>, path: string]

const start = phase(
  'start', 'from the start of the process to the first 200; a first start finds no compiled code of an earlier one', () => [],
  async (bench, _servers, { ready: origin }) => {
    const rows: Row[] = []
    for (const node of bench.nodes) {
      const { version, caches } = factsOf(node)
      const relay = (name: string, env: Record<string, string> = {}): Starter =>
        [name, async (folder) => await startRelay(origin, { TMPDIR: folder, ...env }, node), '/getHotkey']
      // In this order: what the first start compiles, the second one finds.
      const starters: Starter[] = [
        ...caches ? [relay('relay, first start'), relay('relay, second start')] : [relay('relay')],
        relay('relay, DOCS=false PAGES=false', { DOCS: 'false', PAGES: 'false' }),
        ['relay-map', async () => await startAnchor('relay-map', origin, node), song.anchor],
        ...hasPeer() ? [[peerName, async () => await startPeer(origin, node), '/getHotkey'] satisfies Starter] : [],
        ...bench.releases.map((release): Starter => [
          nameOfRelease(release),
          async (folder: string) => await startRelay(origin, { TMPDIR: folder }, node, release.cli), '/getHotkey'
        ])
      ]
      const [, ...measured] = (await rounds(bench, [starters], async () => {
        const folder = mkdtempSync(join(tmpdir(), 'bench-start-'))
        const turn: Array<{ readonly ms: number, readonly cpu: number }> = []
        for (const [, begin, path] of starters) {
          const server = await begin(folder)
          await lengthOf(server, path)
          turn.push({ ms: performance.now() - server.startedAt, cpu: server.cpuMs() })
          await server.end()
        }
        rmSync(folder, { recursive: true, force: true })
        return turn
      }, `${version}, starts, `, bench.rounds * 2 + 1))[0] ?? []
      const of = (key: 'ms' | 'cpu', at: number): number[] => measured.flatMap((turn) => turn[at]?.[key] ?? [])
      const compared = (key: 'ms' | 'cpu', at: number, other: string): string[] => {
        const base = of(key, starters.findIndex(([name]) => name === other))
        return spread(base.length === 0 ? [] : ratios(of(key, at), base))
      }
      rows.push(...starters.map(([name], at) => ({
        name: `${version} ${name}`,
        cells: [
          ...spread(of('ms', at)), ...compared('ms', at, 'relay-map'), ...compared('ms', at, peerName),
          spread(of('cpu', at))[0] as string, ...compared('cpu', at, peerName)
        ]
      })))
    }
    return { columns: ['ms', 'spread', 'of relay-map', 'spread', 'of the peer', 'spread', 'CPU ms', 'of the peer', 'spread'], rows }
  }
)

const memory = phase(
  'memory',
  'resident size, 20 connections each, what is in memory and what is not; at rest is before the first request',
  (origin) => [
    startAnchor('relay-map', origin), startRelay(origin, wide), startRelay(origin, uncached),
    ...hasPeer() ? [startPeer(origin)] : []
  ],
  async (bench, servers) => {
    const seconds = bench.quick ? 10 : 60
    const asked = [
      ['relay-map', [chart.anchor]], ['relay', mixedPaths], ['relay, CACHE=false', [chart.ours]],
      [peerName, [chart.ours]]
    ] as const
    const sizes = servers.map((server) => ({ rest: server.memory().now, now: 0, peak: 0, requests: 0 }))
    for (const [at, server] of servers.entries()) {
      const [name, paths] = asked[at] as typeof asked[number]
      bench.progress(name)
      const { requests } = await bench.load.ask({ port: server.port, paths, connections: 20, seconds })
      sizes[at] = { ...sizes[at] as typeof sizes[number], ...server.memory(), requests }
    }
    return {
      columns: ['MB at rest', 'of relay-map', `MB after ${seconds} s`, 'of relay-map', 'MB at most', 'of relay-map', 'requests'],
      rows: sizes.map((size, at) => ({ name: asked[at]?.[0] ?? '', cells: [
        ...(['rest', 'now', 'peak'] as const)
          .flatMap((key) => [digits(size[key]), digits(size[key] / (sizes[0]?.[key] ?? NaN))]),
        String(size.requests)
      ] }))
    }
  }
)

export const phases: readonly Phase[] = [
  hot('hot', 10), hot('hot-100', 100), ...Object.entries(questions).map(([name, question]) => fresh(name, question)),
  sizes, together, mixed, coalescing, resolving, batch, start, memory, growth, crowd, audio, players
]
