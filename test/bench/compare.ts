/** Runs rounds in which every server has its turn, and computes medians, spread and the ratios within each round. */
import type { Load, Outcome } from './load.ts'
import type { Helper, Server } from './children.ts'

export interface Contestant {
  readonly name: string
  readonly server: Server
  readonly paths: readonly string[]
  readonly body?: string
}

export interface Comparison {
  readonly contestants: readonly Contestant[]
  /** Results of the others are ratios to this one. */
  readonly anchor: string
  readonly connections: number
}

export interface Ground {
  readonly load: Helper<Load, Outcome>
  readonly rounds: number
  /** Duration of one turn. */
  readonly seconds: number
  readonly progress: (text: string) => void
}

export interface Row { readonly name: string, readonly cells: readonly string[] }

export const columns = ['req/s', 'spread', 'CPU us/req', 'spread', 'req/s ratio', 'CPU ratio', 'spread', 'p50 ms', 'p99 ms', 'not 200'] as const

interface Turn { readonly rate: number, readonly cpu: number, readonly p50: number, readonly p99: number, readonly bad: number }

export function median (values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] as number : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2
}

export const digits = (value: number): string => value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
export const spread = (values: readonly number[]): string => `${digits(Math.min(...values))}-${digits(Math.max(...values))}`

async function turn ({ server, paths, body }: Contestant, connections: number, seconds: number, { load }: Ground): Promise<Turn> {
  const before = server.cpuMs()
  const { requests, statuses, ms, p50, p99 } = await load.ask({ port: server.port, paths, connections, seconds, ...(body === undefined ? {} : { body }) })
  return { rate: requests / ms * 1000, cpu: (server.cpuMs() - before) * 1000 / requests, p50, p99, bad: Object.entries(statuses).reduce((sum, [status, count]) => status === '200' ? sum : sum + count, 0) }
}

/** Long enough to compile the hot code. */
const warmUpSeconds = 3

/** Runs one unmeasured turn each, then the rounds. The first server changes from round to round. */
export async function compare ({ contestants, anchor, connections }: Comparison, ground: Ground): Promise<Row[]> {
  const turns = new Map<string, Turn[]>(contestants.map(({ name }) => [name, []]))
  for (const contestant of contestants) await turn(contestant, connections, warmUpSeconds, ground)
  for (let round = 0; round < ground.rounds; round++) {
    ground.progress(`round ${round + 1} of ${ground.rounds}, ${connections} connections`)
    for (let at = 0; at < contestants.length; at++) {
      const contestant = contestants[(at + round) % contestants.length] as Contestant
      turns.get(contestant.name)?.push(await turn(contestant, connections, ground.seconds, ground))
    }
  }
  const base = turns.get(anchor) ?? []
  return [...turns].map(([name, own]) => {
    const of = (take: (turn: Turn) => number): number[] => own.map(take)
    const ratios = (take: (turn: Turn) => number): number[] => own.map((one, round) => take(one) / take(base[round] as Turn))
    const cpu = ratios((one) => one.cpu)
    return {
      name: `${name}, c=${connections}`,
      cells: [
        digits(median(of((one) => one.rate))), spread(of((one) => one.rate)),
        digits(median(of((one) => one.cpu))), spread(of((one) => one.cpu)),
        ...name === anchor ? ['1', '1', ''] : [digits(median(ratios((one) => one.rate))), digits(median(cpu)), spread(cpu)],
        digits(median(of((one) => one.p50))), digits(median(of((one) => one.p99))), String(of((one) => one.bad).reduce((sum, bad) => sum + bad, 0))
      ]
    }
  })
}
