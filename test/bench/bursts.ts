/** The phases in which many questions come at the same time. */
import { digits, median, spread } from './compare.ts'
import type { Row } from './compare.ts'
import { startAnchor, startRelay } from './children.ts'
import type { Server } from './children.ts'
import { lengthOf, standing, uncached, wide } from './ground.ts'
import type { Bench, Phase, Table } from './ground.ts'
import type { Outcome } from './load.ts'

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

/** As many songs as the demo has details of. */
const manySongs = Array.from({ length: 100 }, (_, at) => String(at + 1).padStart(4, '0'))

export const together: Phase = {
  name: 'together',
  about: 'a hundred clients who ask for a hundred songs at the same time; the upstream takes 20 ms',
  run: async (bench) => await standing((origin) => [startRelay(origin, uncached), startAnchor('relay-map', origin)], async ([ours, bare], upstream) => {
    const servers: [string, Server, string][] = [['relay', ours as Server, '/getSongInfo?songmid='], ['relay-map', bare as Server, '/song?songmid=']]
    const names = ['upstream requests', '200s', 'ms', 'p50 ms', 'CPU us/req']
    await upstream.ask({ latencyMs: 20 })
    const rows: Row[] = []
    for (const [name, { port, cpuMs }, path] of servers) {
      const paths = manySongs.map((number) => `${path}00DemoSong${number}`)
      const ask = async (): Promise<Outcome> => await bench.load.ask({ port, paths, connections: 100, requests: 2000 })
      await ask()
      await upstream.ask({})
      const values = await shots(bench, names, async () => {
        const before = cpuMs()
        const { statuses, ms, p50 } = await ask()
        return [(await upstream.ask({})).requests / 20, (statuses['200'] ?? 0) / 20, ms / 20, p50, (cpuMs() - before) * 1000 / 2000]
      })
      rows.push(...shotTable(name, names, values).rows)
    }
    return { columns: names.flatMap((what) => [what, 'spread']), rows }
  })
}

export const coalescing: Phase = {
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

export const resolving: Phase = {
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

export const batch: Phase = {
  name: 'batch',
  about: '/batchGetSongInfo with 100 songs, uncached: five requests of twenty',
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
