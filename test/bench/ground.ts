/** What all phases of the benchmark share. */
import { columns, compare } from './compare.ts'
import type { Comparison, Ground, Row } from './compare.ts'
import { startHelper } from './children.ts'
import type { Helper, Server } from './children.ts'
import type { Counts, Orders } from './upstream.ts'

export interface Table { readonly columns: readonly string[], readonly rows: readonly Row[] }
export type Upstream = Helper<Orders, Counts>
export interface Bench extends Ground {
  readonly quick: boolean
  /** Binaries of Node with which the phase `start` starts its servers. */
  readonly nodes: readonly string[]
}
export interface Phase { readonly name: string, readonly about: string, run (bench: Bench): Promise<Table> }

/** The usual limits would hide the cost of a request. One host gets half of this limit, enough for all connections. */
export const wide = { UPSTREAM_LIMIT: '2000', UPSTREAM_RATE_PER_HOST: '0' }

/** Nothing is kept: every request asks the upstream. */
export const uncached = { CACHE: 'false', ...wide }

/** Size of an answer. */
export const lengthOf = async ({ port }: Server, path: string): Promise<number> => (await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer()).byteLength

/** Starts an upstream and servers in front of it, runs `work`, and stops them all. */
export async function standing<T> (servers: (origin: string) => Promise<Server>[], work: (servers: Server[], upstream: Upstream) => Promise<T>): Promise<T> {
  const upstream: Upstream = await startHelper('upstream.ts')
  const started: Server[] = []
  try {
    for (const server of servers(upstream.ready)) started.push(await server)
    return await work(started, upstream)
  } finally {
    await Promise.all([...started.map(async (server) => { await server.end() }), upstream.end()])
  }
}

export const rowsOf = async (bench: Bench, ...comparisons: Comparison[]): Promise<Table> => {
  const rows: Row[] = []
  for (const comparison of comparisons) rows.push(...await compare(comparison, bench))
  return { columns, rows }
}
