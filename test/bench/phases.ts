/** The phases of the benchmark. docs/performance.md explains each result. */
import { digits, median, spread } from './compare.ts'
import type { Row } from './compare.ts'
import { hasNginx, startAnchor, startNginx, startRelay } from './children.ts'
import type { Server } from './children.ts'
import { rowsOf, standing, wide } from './ground.ts'
import type { Bench, Phase, Table } from './ground.ts'
import { players } from './players.ts'

/** An answer of 43 KB from the cache. The upstream's answer for one chart also has 43 KB. */
const hotPath = '/getSearchByKey?key=a&limit=45'
const chart = { ours: '/getRanks?topId=62&limit=20', anchor: '/chart?topId=62&limit=20' }
const search = { ours: '/getSearchByKey?key=a&limit=10', anchor: '/search?key=a&limit=10' }
const song = { ours: '/getSongInfo?songmid=00DemoSong0001', anchor: '/song?songmid=00DemoSong0001' }

const uncached = { CACHE: 'false', ...wide }

const lengthOf = async ({ port }: Server, path: string): Promise<number> => (await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer()).byteLength

const hot = (name: string, connections: number): Phase => ({
  name,
  about: `one answer of some 43 KB from memory, ${connections} connections; with request lines switched on beside it`,
  run: async (bench) => await standing((origin) => [startRelay(origin), startRelay(origin, { LOG_LEVEL: 'info' }), startAnchor('fastify-buffer')], async ([quiet, logging, bare]) => {
    const size = await lengthOf(quiet as Server, hotPath)
    await lengthOf(logging as Server, hotPath)
    return await rowsOf(bench, {
      anchor: 'fastify-buffer',
      connections,
      contestants: [
        { name: 'relay', server: quiet as Server, paths: [hotPath] },
        { name: 'relay, LOG_LEVEL=info', server: logging as Server, paths: [hotPath] },
        { name: 'fastify-buffer', server: bare as Server, paths: [`/?size=${size}`] }
      ]
    })
  })
})

const fresh = (name: string, about: string, paths: { ours: string, anchor: string }): Phase => ({
  name,
  about: `${about}, nothing kept: every request asks the upstream`,
  run: async (bench) => await standing((origin) => [startRelay(origin, uncached), startAnchor('relay-map', origin)], async ([ours, bare]) => await rowsOf(bench, {
    anchor: 'relay-map',
    connections: 10,
    contestants: [
      { name: 'relay', server: ours as Server, paths: [paths.ours] },
      { name: 'relay-map', server: bare as Server, paths: [paths.anchor] }
    ]
  }))
})

/** Nine of ten requests are repeats. */
const mixedPaths = [
  '/getHotkey', chart.ours, song.ours, '/getLyric?songmid=00DemoSong0005', '/getRanks?topId=4&limit=100', search.ours, '/getSingerList', '/getSongListCategories', '/getMusicPlay?songmid=00DemoSong0001',
  '/getSearchByKey?limit=10&key=a{n}'
]

const mixed: Phase = {
  name: 'mixed',
  about: 'ten kinds of question, nine of them asked before; beside a relay that keeps nothing',
  run: async (bench) => await standing((origin) => [startRelay(origin, wide), startRelay(origin, uncached)], async ([keeps, asks]) => await rowsOf(bench, {
    anchor: 'relay, CACHE=false',
    connections: 10,
    contestants: [
      { name: 'relay', server: keeps as Server, paths: mixedPaths },
      { name: 'relay, CACHE=false', server: asks as Server, paths: mixedPaths }
    ]
  }))
}

/** Runs one shot per round, which returns a value for each name. Returns the values by name. */
async function shots (bench: Bench, names: readonly string[], shot: (round: number) => Promise<readonly number[]>): Promise<readonly number[][]> {
  const rounds: (readonly number[])[] = []
  for (let round = 0; round < bench.rounds; round++) {
    bench.progress(`round ${round + 1} of ${bench.rounds}`)
    rounds.push(await shot(round))
  }
  return names.map((_name, at) => rounds.map((values) => values[at] as number))
}

const shotTable = (name: string, names: readonly string[], values: readonly number[][]): Table => ({
  columns: names.flatMap((what) => [what, 'spread']),
  rows: [{ name, cells: values.flatMap((list) => [digits(median(list)), spread(list)]) }]
})

const coalescing: Phase = {
  name: 'coalescing',
  about: '1000 who ask for one chart at the same time; the upstream takes 100 ms',
  run: async (bench) => await standing((origin) => [startRelay(origin, wide)], async ([ours], upstream) => {
    await lengthOf(ours as Server, '/getHotkey')
    await upstream.ask({ latencyMs: 100 })
    const names = ['upstream calls', '200s', 'ms', 'CPU us/req']
    return shotTable('relay', names, await shots(bench, names, async (round) => {
      const { port, cpuMs } = ours as Server
      const before = cpuMs()
      const { statuses, ms } = await bench.load.ask({ port, paths: [`/getRanks?topId=62&limit=${20 + round}`], connections: 1000, requests: 1000 })
      return [(await upstream.ask({})).requests, statuses['200'] ?? 0, ms, cpuMs() - before]
    }))
  })
}

const resolving: Phase = {
  name: 'resolve',
  about: 'ten charts of 100 songs without MID at once, at most 5 requests at a time; the upstream takes 20 ms',
  run: async (bench) => {
    const names = ['ms', 'of the ideal', 'requests', 'most at once', 'MIDs', 'CPU us/song']
    return shotTable('relay', names, await shots(bench, names, async () => await standing((origin) => [startRelay(origin, { ...wide, DEADLINE_MS: '30000' })], async ([ours], upstream) => {
      const { port, cpuMs } = ours as Server
      await lengthOf(ours as Server, '/getRanks?topId=62&resolveMid=true')
      await upstream.ask({ latencyMs: 20 })
      const before = cpuMs()
      const begin = performance.now()
      const charts = await Promise.all(Array.from({ length: 10 }, async (_, at) => await (await fetch(`http://127.0.0.1:${port}/getRanks?topId=${900 + at}&limit=100&resolveMid=true`)).json() as { data: { songInfoList: { mid?: string }[] } }))
      const ms = performance.now() - begin
      const { requests, mostDetails } = await upstream.ask({})
      return [ms, ms / (20 + 1000 / 5 * 20), requests, mostDetails, charts.flatMap(({ data }) => data.songInfoList).filter(({ mid }) => mid !== undefined).length, cpuMs() - before]
    })))
  }
}

const batch: Phase = {
  name: 'batch',
  about: '/batchGetSongInfo with 100 songs, nothing kept: five requests of twenty',
  run: async (bench) => await standing((origin) => [startRelay(origin, uncached)], async ([ours], upstream) => {
    const body = JSON.stringify({ songs: Array.from({ length: 100 }, (_, at) => ['', 5_000_001 + at]) })
    const names = ['upstream calls', '200s', 'ms', 'CPU us/song']
    const { port, cpuMs } = ours as Server
    const ask = async (requests: number): Promise<{ statuses: Readonly<Record<string, number>>, ms: number }> => await bench.load.ask({ port, paths: ['/batchGetSongInfo'], body, connections: 1, requests })
    await ask(20)
    await upstream.ask({})
    return shotTable('relay', names, await shots(bench, names, async () => {
      const before = cpuMs()
      const { statuses, ms } = await ask(20)
      return [(await upstream.ask({})).requests / 20, (statuses['200'] ?? 0) / 20, ms / 20, (cpuMs() - before) / 20 * 10]
    }))
  })
}

const start: Phase = {
  name: 'start',
  about: 'from the start of the process to the first 200',
  run: async (bench) => await standing(() => [], async (_servers, upstream) => {
    const starters: Record<string, [() => Promise<Server>, string]> = {
      'relay': [async () => await startRelay(upstream.ready), '/getHotkey'],
      'relay, DOCS=false PAGES=false': [async () => await startRelay(upstream.ready, { DOCS: 'false', PAGES: 'false' }), '/getHotkey'],
      'relay-map': [async () => await startAnchor('relay-map', upstream.ready), song.anchor]
    }
    const times = new Map<string, number[]>(Object.keys(starters).map((name) => [name, []]))
    for (let round = -1; round < bench.rounds * 2; round++) {
      bench.progress(`start ${round + 1} of ${bench.rounds * 2}`)
      for (const [name, [begin, path]] of Object.entries(starters)) {
        const server = await begin()
        await lengthOf(server, path)
        if (round >= 0) times.get(name)?.push(performance.now() - server.startedAt)
        await server.end()
      }
    }
    const anchor = times.get('relay-map') as number[]
    return { columns: ['ms', 'spread', 'ratio'], rows: [...times].map(([name, list]) => ({ name, cells: [digits(median(list)), spread(list), digits(median(list.map((ms, at) => ms / (anchor[at] as number))))] })) }
  })
}

const memory: Phase = {
  name: 'memory',
  about: 'resident size, 20 connections each: what is in memory and what is not, in turn',
  run: async (bench) => await standing((origin) => [startRelay(origin, wide), startRelay(origin, uncached), startAnchor('relay-map', origin)], async ([keeps, asks, bare]) => {
    const seconds = bench.quick ? 10 : 60
    const servers: [string, Server, string[]][] = [['relay', keeps as Server, mixedPaths], ['relay, CACHE=false', asks as Server, [chart.ours]], ['relay-map', bare as Server, [chart.anchor]]]
    const rows: Row[] = []
    for (const [name, server, paths] of servers) {
      bench.progress(name)
      const { now } = server.memory()
      const { requests } = await bench.load.ask({ port: server.port, paths, connections: 20, seconds })
      const after = server.memory()
      rows.push({ name, cells: [digits(now), digits(after.now), digits(after.peak), String(requests)] })
    }
    return { columns: ['MB at start', `MB after ${seconds} s`, 'MB at most', 'requests'], rows }
  })
}

const crowd: Phase = {
  name: 'connections',
  about: '1000 connections: answers from memory, and uncached ones from an upstream that takes 20 ms',
  run: async (bench) => await standing((origin) => [startRelay(origin), startAnchor('fastify-buffer'), startRelay(origin, uncached), startAnchor('relay-map', origin)], async ([keeps, buffer, asks, bare], upstream) => {
    const size = await lengthOf(keeps as Server, hotPath)
    await upstream.ask({ latencyMs: 20 })
    return await rowsOf(bench,
      { anchor: 'fastify-buffer', connections: 1000, contestants: [{ name: 'relay, hot', server: keeps as Server, paths: [hotPath] }, { name: 'fastify-buffer', server: buffer as Server, paths: [`/?size=${size}`] }] },
      { anchor: 'relay-map', connections: 1000, contestants: [{ name: 'relay, uncached', server: asks as Server, paths: [chart.ours] }, { name: 'relay-map', server: bare as Server, paths: [chart.anchor] }] })
  })
}

const audio: Phase = {
  name: 'audio',
  about: 'files of 16 MB through the relay (STREAM=relay), beside nginx with proxy_pass; CPU per request is CPU per 16 MB',
  run: async (bench) => hasNginx() ? await standing((origin) => [startRelay(origin, { STREAM: 'relay', ...wide }), startNginx(origin)], async ([ours, bare]) => await rowsOf(bench, {
    anchor: 'nginx',
    connections: 10,
    contestants: [
      { name: 'relay', server: ours as Server, paths: ['/stream/00DemoSong0001'] },
      { name: 'nginx', server: bare as Server, paths: ['/audio/M500.mp3'] }
    ]
  })) : { columns: ['nginx is not installed'], rows: [] }
}

export const phases: readonly Phase[] = [
  hot('hot', 10),
  hot('hot-100', 100),
  fresh('chart', 'a chart of 20 songs, 43 KB from the upstream', chart),
  fresh('search', 'a search, two upstream calls', search),
  fresh('song', 'a song, 3 KB from the upstream', song),
  mixed,
  coalescing,
  resolving,
  batch,
  start,
  memory,
  crowd,
  audio,
  players
]
