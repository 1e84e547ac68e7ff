/**
 * What greedy clients cost the others. Each client has an address of its own and keeps to its rate limit; the greedy ones ask what
 * causes most upstream calls. The upstream has the default pace.
 */
import { startHelper } from '../bench/children.ts'
import type { Load, Outcome } from '../bench/load.ts'
import { withRelay, type Case, type Figure, type Generator, type Ground } from './cases.ts'

/** Addresses of this machine, each in a network of its own. */
const addresses = (from: number, count: number): string[] => Array.from({ length: count }, (_, at) => `127.0.${from + at}.1`)

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

async function beside (ground: Ground, generator: Generator, count: number, bar: number, { path, rate, ...demand }: typeof demands[number]): Promise<Figure[]> {
  return await withRelay(ground, { host: '0.0.0.0', upstreamRatePerHost: 50 }, async ({ load, upstream, say, quick }) => {
    const others = async (seconds: number): Promise<Outcome> => await load('/getSongInfo?songid={n}', 16, seconds, { rate: 16, from: addresses(1, 8) })
    await others(3)
    const seconds = quick ? 6 : 12
    const alone = await others(seconds)
    const { requests: before } = await upstream.ask({})
    const greed = load(path, 8 * rate * count, seconds + 2, { ...demand, rate: rate * count, from: addresses(100, count) }, generator)
    const meanwhile = await others(seconds)
    const told = await greed
    const { requests } = await upstream.ask({})
    say(`  ${path}: ${JSON.stringify(told.statuses)} for the greedy, ${JSON.stringify(meanwhile.statuses)} for the others; ${requests} upstream calls, ${before} before`)
    return [
      { what: `${path.split('?')[0]}: p99 of the others alone`, is: alone.good.p99, unit: 'ms' },
      { what: '  beside the greedy', is: meanwhile.good.p99, unit: 'ms', atMost: Math.round(alone.good.p99 * bar) },
      { what: '  others answered', is: (meanwhile.statuses['200'] ?? 0) / meanwhile.requests * 100, unit: '%', atLeast: 100 }
    ]
  })
}

/** One costs the others at most a tenth of their p99, ten at most as much again. */
export const fairness: readonly Case[] = [greedyClients(1, 1.1), greedyClients(10, 2)]
