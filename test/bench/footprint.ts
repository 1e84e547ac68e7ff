/** The phases that measure what a relay costs whether or not anybody asks: its start and its memory. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digits, median, spread } from './compare.ts'
import type { Row } from './compare.ts'
import { hasPeer, startAnchor, startPeer, startRelay } from './children.ts'
import type { Server } from './children.ts'
import { lengthOf, standing, uncached, wide } from './ground.ts'
import type { Phase } from './ground.ts'
import { chart, mixedPaths, song } from './questions.ts'

const peerName = '@sansenjian/qq-music-api'

/** Version of a Node, and whether it keeps compiled code between starts. */
function factsOf (node: string): { readonly version: string, readonly caches: boolean } {
  const { stdout, status } = spawnSync(node, ['-p', "process.version + ' ' + typeof require('node:module').enableCompileCache"], { encoding: 'utf8' })
  if (status !== 0) throw new TypeError(`--node: ${node} does not run`)
  const [version = '', kind] = stdout.trim().split(' ')
  return { version, caches: kind === 'function' }
}

/** A program, how it is started with a folder for temporary files, and what it is asked. */
type Starter = readonly [name: string, begin: (folder: string) => Promise<Server>, path: string]

export const start: Phase = {
  name: 'start',
  about: 'from the start of the process to the first 200; a first start finds no compiled code of an earlier one',
  run: async (bench) => await standing(() => [], async (_servers, { ready: origin }) => {
    const rows: Row[] = []
    for (const node of bench.nodes) {
      const { version, caches } = factsOf(node)
      const relay = (name: string, env: Record<string, string> = {}): Starter => [name, async (folder) => await startRelay(origin, { TMPDIR: folder, ...env }, node), '/getHotkey']
      // In this order: what the first start compiles, the second one finds.
      const starters: Starter[] = [
        ...caches ? [relay('relay, first start'), relay('relay, second start')] : [relay('relay')],
        relay('relay, DOCS=false PAGES=false', { DOCS: 'false', PAGES: 'false' }),
        ['relay-map', async () => await startAnchor('relay-map', origin, node), song.anchor],
        ...hasPeer() ? [[peerName, async () => await startPeer(origin, node), '/getHotkey'] satisfies Starter] : []
      ]
      const times = new Map<string, number[]>(starters.map(([name]) => [name, []]))
      const cpu = new Map<string, number[]>(starters.map(([name]) => [name, []]))
      for (let round = -1; round < bench.rounds * 2; round++) {
        bench.progress(`${version}, start ${round + 1} of ${bench.rounds * 2}`)
        const folder = mkdtempSync(join(tmpdir(), 'bench-start-'))
        for (const [name, begin, path] of starters) {
          const server = await begin(folder)
          await lengthOf(server, path)
          if (round >= 0) {
            times.get(name)?.push(performance.now() - server.startedAt)
            cpu.get(name)?.push(server.cpuMs())
          }
          await server.end()
        }
        rmSync(folder, { recursive: true, force: true })
      }
      const ratios = (of: ReadonlyMap<string, number[]>, name: string, other: string): string[] => {
        const base = of.get(other)
        const each = base === undefined ? [] : (of.get(name) ?? []).map((ms, at) => ms / (base[at] as number))
        return base === undefined ? ['', ''] : [digits(median(each)), spread(each)]
      }
      for (const [name, list] of times) {
        const cells = [digits(median(list)), spread(list), ...ratios(times, name, 'relay-map'), ...ratios(times, name, peerName), digits(median(cpu.get(name) ?? [])), ...ratios(cpu, name, peerName)]
        rows.push({ name: `${version} ${name}`, cells })
      }
    }
    return { columns: ['ms', 'spread', 'of relay-map', 'spread', 'of the peer', 'spread', 'CPU ms', 'of the peer', 'spread'], rows }
  })
}

export const memory: Phase = {
  name: 'memory',
  about: 'resident size, 20 connections each, what is in memory and what is not; at rest is before the first request',
  run: async (bench) => await standing((origin) => [startRelay(origin, wide), startRelay(origin, uncached), startAnchor('relay-map', origin), ...hasPeer() ? [startPeer(origin)] : []], async ([keeps, asks, bare, published]) => {
    const seconds = bench.quick ? 10 : 60
    const servers: [string, Server, readonly string[]][] = [
      ['relay-map', bare as Server, [chart.anchor]],
      ['relay', keeps as Server, mixedPaths],
      ['relay, CACHE=false', asks as Server, [chart.ours]],
      ...published === undefined ? [] : [[peerName, published, [chart.ours]] satisfies [string, Server, string[]]]
    ]
    const atRest = servers.map(([_name, server]) => server.memory().now)
    const after: { now: number, peak: number, requests: number }[] = []
    for (const [name, server, paths] of servers) {
      bench.progress(name)
      const { requests } = await bench.load.ask({ port: server.port, paths, connections: 20, seconds })
      after.push({ ...server.memory(), requests })
    }
    const ratio = (values: readonly number[], at: number): string => digits((values[at] as number) / (values[0] as number))
    return {
      columns: ['MB at rest', 'of relay-map', `MB after ${seconds} s`, 'of relay-map', 'MB at most', 'of relay-map', 'requests'],
      rows: servers.map(([name], at) => ({
        name,
        cells: [...[atRest, after.map(({ now }) => now), after.map(({ peak }) => peak)].flatMap((values) => [digits(values[at] as number), ratio(values, at)]), String(after[at]?.requests)]
      }))
    }
  })
}
