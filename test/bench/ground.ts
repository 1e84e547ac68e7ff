/** What all phases share: an upstream with servers in front of it, rounds, and tables of medians. */
import { startHelper, type Helper, type Server } from './children.ts'
import type { Load, Outcome } from './load.ts'
import type { Counts, Orders } from './upstream.ts'

/** `ofRelease`: CPU of this relay as a ratio to the first one of `--against`. `unsteady`: that ratio's spread was too wide. */
export interface Row {
  readonly name: string
  readonly cells: readonly string[]
  readonly ofRelease?: number
  readonly unsteady?: boolean
}
export interface Table { readonly columns: readonly string[], readonly rows: readonly Row[] }
export type Upstream = Helper<Orders, Counts>
/** Another version of the relay, which is measured in turn. `cli`: path of its command. */
export interface Release { readonly name: string, readonly cli: string }
export interface Bench {
  readonly load: Helper<Load, Outcome>
  readonly rounds: number
  /** Duration of one turn. */
  readonly seconds: number
  readonly quick: boolean
  /** The versions of `--against`. */
  readonly releases: readonly Release[]
  /** Binaries of Node with which the phase `start` starts its servers. */
  readonly nodes: readonly string[]
  readonly progress: (text: string) => void
}
export interface Phase { readonly name: string, readonly about: string, run (bench: Bench): Promise<Table> }

/** The usual limits would hide the cost of a request. One host gets half of this limit, enough for all connections. */
export const wide = { UPSTREAM_LIMIT: '2000', UPSTREAM_RATE_PER_HOST: '0' }

/** Nothing is kept: every request asks the upstream. */
export const uncached = { CACHE: 'false', ...wide }

/** Size of an answer. */
export const lengthOf = async ({ port }: Server, path: string): Promise<number> =>
  (await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer()).byteLength

/** Starts an upstream and servers in front of it, runs `work`, and stops them all. */
export async function standing<T> (
  servers: (origin: string) => readonly Promise<Server>[], work: (servers: Server[], upstream: Upstream) => Promise<T>
): Promise<T> {
  const upstream: Upstream = await startHelper('upstream.ts', 'others')
  const started: Server[] = []
  try {
    for (const server of servers(upstream.ready)) started.push(await server)
    return await work(started, upstream)
  } finally {
    await Promise.all([...started.map(async (server) => { await server.end() }), upstream.end()])
  }
}

export function median (values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] as number
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2
}

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

export const digits = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
/** Two cells: the median of some values, and their smallest and largest. */
export const spread = (values: readonly number[]): string[] => values.length === 0 ? ['', '']
  : [digits(median(values)), `${digits(Math.min(...values))}-${digits(Math.max(...values))}`]
export const spreads = (columns: readonly string[]): string[] => columns.flatMap((name) => [name, 'spread'])
/** Ratios within each round. */
export const ratios = (values: readonly number[], base: readonly number[]): number[] =>
  values.map((value, round) => value / (base[round] as number))

/** Gives each a turn in each round; the first one changes from round to round. Returns what the turns told, by contestant. */
export async function rounds<T, Told> (
  bench: Bench, all: readonly T[], turn: (one: T) => Promise<Told>, about = '', count = bench.rounds
): Promise<Told[][]> {
  const told = all.map((): Told[] => [])
  for (let round = 0; round < count; round++) {
    bench.progress(`${about}round ${round + 1} of ${count}`)
    for (let i = 0; i < all.length; i++) {
      const at = (i + round) % all.length
      told[at]?.push(await turn(all[at] as T))
    }
  }
  return told
}

/** What a server does while it is asked: times in milliseconds, CPU of the server and of the client in microseconds a request. */
export interface Turn {
  readonly rate: number
  readonly cpu: number
  readonly load: number
  readonly p50: number
  readonly p99: number
  readonly bad: number
}

export async function turn ({ load }: Bench, server: Server, ask: Omit<Load, 'port'>): Promise<Turn> {
  const before = server.cpuMs()
  const { requests, statuses, ms, p50, p99, cpuMs } = await load.ask({ ...ask, port: server.port })
  const each = (ms: number): number => ms * 1000 / requests
  return {
    rate: requests / ms * 1000, cpu: each(server.cpuMs() - before), load: each(cpuMs), p50, p99,
    bad: otherThan(['200'], statuses)
  }
}

/** Number of answers with another status than these. */
export const otherThan = (allowed: readonly string[], statuses: Outcome['statuses']): number =>
  Object.entries(statuses).reduce((sum, [status, count]) => allowed.includes(status) ? sum : sum + count, 0)

export type Contestant = readonly [name: string, server: Server, ...paths: readonly string[]]

/** Long enough to compile the hot code. */
const warmUpSeconds = 3

/** A ratio with a wider spread, as a share of its median, says more of the machine than of the programs. */
const mostSpread = 1 / 3
const isUnsteady = (list: readonly number[]): boolean =>
  (Math.max(...list) - Math.min(...list)) / median(list) > mostSpread

/** The parts of a turn. Those of all contestants alternate: the speed of a shared machine changes within seconds. */
const parts = 4

function wholeOf (turns: readonly Turn[]): Turn {
  const of = (key: keyof Turn): number[] => turns.map((one) => one[key])
  // All parts take the same time, so the rate stands for the number of requests.
  const each = (key: 'cpu' | 'load'): number => sum(turns.map((one) => one[key] * one.rate)) / sum(of('rate'))
  return {
    rate: sum(of('rate')) / turns.length, cpu: each('cpu'), load: each('load'), p50: median(of('p50')),
    p99: median(of('p99')), bad: sum(of('bad'))
  }
}

/**
 * Compares servers over some connections. Results of the others are ratios to the one that is called `anchor`. The
 * first one is also compared with the first of `--against`.
 */
export async function compare (
  bench: Bench, connections: number, anchor: string, contestants: readonly Contestant[]
): Promise<Table> {
  const ask = (seconds: number) => async ([, server, ...paths]: Contestant): Promise<Turn> =>
    await turn(bench, server, { paths, connections, seconds })
  for (const contestant of contestants) await ask(warmUpSeconds)(contestant)
  const turns = contestants.map((): Turn[] => [])
  for (let round = 1; round <= bench.rounds; round++) {
    bench.progress(`${connections} connections, round ${round} of ${bench.rounds}`)
    const told = await rounds({ ...bench, progress () {} }, contestants, ask(bench.seconds / parts), '', parts)
    for (const [at, list] of told.entries()) turns[at]?.push(wholeOf(list))
  }
  const turnsOf = (wanted: string): readonly Turn[] => turns[contestants.findIndex(([name]) => name === wanted)] ?? []
  const base = turnsOf(anchor)
  const release = turnsOf(nameOfRelease(bench.releases[0]))
  const rows = contestants.map(([name], at): Row => {
    const of = (key: keyof Turn, list = turns[at] ?? []): number[] => list.map((one) => one[key])
    const compared = (list: readonly Turn[], key: 'rate' | 'cpu'): number[] => ratios(of(key), of(key, [...list]))
    const toAnchor = compared(base, 'cpu')
    const ofAnchor = name === anchor
      ? ['1', '1', '']
      : isUnsteady(toAnchor) ? ['unsteady', 'unsteady', '']
        : [digits(median(compared(base, 'rate'))), ...spread(toAnchor)]
    const toRelease = at > 0 || release.length === 0 ? [] : compared(release, 'cpu')
    const unsteady = isUnsteady(toRelease)
    const cells = [
      ...spread(of('rate')), ...spread(of('cpu')), ...ofAnchor,
      ...release.length === 0 ? [] : unsteady ? ['unsteady', ''] : spread(toRelease),
      digits(median(of('p50'))), digits(median(of('p99'))), String(sum(of('bad')))
    ]
    const measured = toRelease.length === 0 ? {} : unsteady ? { unsteady } : { ofRelease: median(toRelease) }
    return { name: `${name}, c=${connections}`, cells, ...measured }
  })
  const ofRelease = release.length === 0 ? [] : [`CPU of ${bench.releases[0]?.name ?? ''}`, 'spread']
  return { columns: ['req/s', 'spread', 'CPU us/req', 'spread', 'req/s ratio', 'CPU ratio', 'spread', ...ofRelease, 'p50 ms', 'p99 ms', 'not 200'], rows }
}

/** Name of a relay of `--against` among the contestants. */
export const nameOfRelease = (release: Release | undefined): string => `relay ${release?.name ?? ''}`

/** Tables with the same columns as one. */
export const joined = (...tables: readonly Table[]): Table =>
  ({ columns: tables[0]?.columns ?? [], rows: tables.flatMap(({ rows }) => rows) })
