/**
 * What greedy clients cost the others. Each client has an address of its own and keeps to its rate limit; the greedy ones ask what
 * causes most upstream calls. The upstream has the default pace.
 */
import { withRelay } from './cases.ts'
import type { Case, Figure, Ground } from './cases.ts'
import { startLoad } from './children.ts'
import type { RelayChild } from './children.ts'
import type { Load, Outcome } from './load.ts'

/** Addresses of this machine, each in a network of its own. */
const addresses = (from: number, count: number): string[] => Array.from({ length: count }, (_, at) => `127.0.${from + at}.1`)

const polite = { path: '/getSongInfo?songid={n}', clients: 16, rate: 16, from: addresses(1, 8) }

/** What one greedy client asks, without answers from the cache, within its 300 requests a minute, of which a batch counts as ten. */
const demands: readonly (Pick<Load, 'path' | 'body'> & { readonly rate: number })[] = [
  { path: '/getRanks?topId=28&limit=100&resolveMid=true&cookie=uin%3Do1%3B%20provider_key%3Dkey{n}', rate: 5 },
  { path: '/getSongListDetail?disstid={n}&limit=1000', rate: 5 },
  { path: '/batchGetSongLists', body: `{"page":{page},"categoryIds":[${Array.from({ length: 50 }, (_, at) => at + 1).join()}]}`, rate: 0.5 }
]

const share = (outcome: Outcome, status: string): number => (outcome.statuses[status] ?? 0) / Object.values(outcome.statuses).reduce((sum, count) => sum + count, 0) * 100

function greedyClients (count: number, bar: number): Case {
  return {
    name: `fair: ${count} greedy client${count > 1 ? 's' : ''} beside 8 others, upstream 200 ms`,
    run: async (ground) => {
      const greedy = await startLoad()
      try {
        const figures: Figure[] = []
        for (const demand of demands) figures.push(...await beside(ground, greedy, count, bar, demand))
        return figures
      } finally {
        await greedy.end()
      }
    }
  }
}

async function beside (ground: Ground, generator: Ground['load'], count: number, bar: number, demand: typeof demands[number]): Promise<Figure[]> {
  return await withRelay(ground, { host: '0.0.0.0', upstreamRatePerHost: 50 }, async (relay: RelayChild) => {
    const others = async (seconds: number): Promise<Outcome> => await ground.load.ask({ origin: relay.origin, ...polite, seconds })
    await others(3)
    const seconds = ground.quick ? 6 : 12
    const alone = await others(seconds)
    const { asked: before } = await ground.upstream.ask({ reset: true })
    const greed = generator.ask({ origin: relay.origin, ...demand, rate: demand.rate * count, clients: 8 * demand.rate * count, from: addresses(100, count), seconds: seconds + 2 })
    const meanwhile = await others(seconds)
    const told = await greed
    const { asked } = await ground.upstream.ask({})
    ground.say(`  ${demand.path}: ${JSON.stringify(told.statuses)} for the greedy, ${JSON.stringify(meanwhile.statuses)} for the others; ${asked} upstream calls, ${before} before`)
    return [
      { what: `${demand.path.split('?')[0]}: p99 of the others alone`, is: alone.good.p99, unit: 'ms' },
      { what: '  beside the greedy', is: meanwhile.good.p99, unit: 'ms', atMost: Math.round(alone.good.p99 * bar) },
      { what: '  others answered', is: share(meanwhile, '200'), unit: '%', atLeast: 100 }
    ]
  })
}

/** One costs the others at most a tenth of their p99, ten at most as much again. */
export const fairness: readonly Case[] = [greedyClients(1, 1.1), greedyClients(10, 2)]
