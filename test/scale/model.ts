/** What listeners cost a relay, hour by hour: closed forms for caches with a time to live and a bound, and measured costs. */
import { ttlOf, type CacheClass } from '../../src/cache/policy.ts'
import { session, sessionsADay, type Ask, type Kind, type Random } from './sessions.ts'

/** How many items of a kind there are, and how steep their popularity is: item i is asked for in proportion to 1 / i^steepness. */
const catalogue: Readonly<Record<Kind, { readonly items: number, readonly steepness: number }>> = {
  song: { items: 2_000_000, steepness: 0.9 },
  album: { items: 200_000, steepness: 0.9 },
  artist: { items: 50_000, steepness: 0.9 },
  list: { items: 200_000, steepness: 0.9 },
  query: { items: 500_000, steepness: 0.8 },
  library: { items: 1, steepness: 0 }
}

/** Class of what a method reads first. A method that is not here asks nothing, or what belongs to the library. */
const classes: Readonly<Record<string, CacheClass>> = {
  getAlbum: 'slow', getAlbumInfo: 'slow', getAlbumInfo2: 'slow', getSong: 'slow', getArtistInfo: 'slow',
  getArtistInfo2: 'slow', getMusicDirectory: 'slow', getArtist: 'charts', getTopSongs: 'charts', getPlaylist: 'lively',
  getSimilarSongs: 'lively', getSimilarSongs2: 'lively', search2: 'query', search3: 'query',
  getLyrics: 'immutable', getLyricsBySongId: 'immutable', stream: 'short-lived', download: 'short-lived'
}

/** Seconds for which an answer to the method is fresh. The library of a login: ten minutes. */
const freshSeconds = (method: string): number => ttlOf[classes[method] ?? 'lively'].fresh / 1000

/** Shares of the day's sessions by hour, and of the week's by day from Monday: evenings, and weekends. */
const hours = [
  2.2, 1.3, 0.8, 0.5, 0.5, 0.8, 1.8, 3.4, 4.2, 4.2, 4.1, 4.2, 4.7, 4.6, 4.3, 4.3, 4.7, 5.4, 6.2, 7.2, 8.4, 8.9, 7.6, 5.7
].map((percent) => percent / 100)
const days = [0.95, 0.95, 0.95, 0.97, 1.06, 1.1, 1.02]

/** Measured costs. Times are microseconds of CPU. */
export interface Costs {
  /** An answer from memory. */
  readonly answerUs: number
  /** One request to the upstream, with the reading of its answer. */
  readonly upstreamUs: number
  /** Requests to the upstream for an answer that nobody had. */
  readonly requestsOf: Readonly<Record<string, number>>
}

/** Requests of one kind to one method: how many in a session. */
interface Slot { readonly method: string, readonly kind: Kind, readonly times: number }

/** Counts the requests of many sessions. */
export function slotsOf (random: Random, sessions = 20_000): readonly Slot[] {
  const counts = new Map<string, Slot>()
  for (let left = sessions; left > 0; left--) {
    for (const { method, kind } of session(random, () => 0, () => ({}))) {
      const key = `${method} ${kind}`
      counts.set(key, { method, kind, times: (counts.get(key)?.times ?? 0) + 1 / sessions })
    }
  }
  return [...counts.values()]
}

/** Ranks in groups that grow by a tenth, each with its number of items and the share of one of them. */
function popularity (kind: Kind): ReadonlyArray<{ readonly items: number, readonly share: number }> {
  const { items, steepness } = catalogue[kind]
  const groups: Array<{ items: number, share: number }> = []
  for (let from = 1; from <= items;) {
    const to = Math.min(items, Math.max(from, Math.floor(from * 1.1)))
    groups.push({ items: to - from + 1, share: ((from + to) / 2) ** -steepness })
    from = to + 1
  }
  const all = groups.reduce((sum, group) => sum + group.items * group.share, 0)
  return groups.map((group) => ({ ...group, share: group.share / all }))
}

const groupsOf = Object.fromEntries((Object.keys(catalogue) as Kind[])
  .map((kind) => [kind, popularity(kind)])) as Record<Kind, ReturnType<typeof popularity>>

/** What one hour asks of all instances together, each second. `fromMemory`: also what needs no question. `plays`: requests for play addresses among those to the upstream. */
export interface Hour {
  readonly asks: number
  readonly fromMemory: number
  readonly fromStore: number
  readonly upstream: number
  readonly plays: number
  readonly storeCommands: number
  readonly cores: number
}

/** Entries that a relay caches by default: one for each 13 KB of `cacheBytes`. */
export const usualEntries = 5000

interface Plan { readonly instances: number, readonly entries: number, readonly store: boolean }

/**
 * The time after which an entry that nobody asks for is displaced, in seconds: the one in which an instance is asked
 * for as many different things as it has room for (Che's approximation). Infinity if it has room for all.
 */
function displacedAfter (rates: ReadonlyArray<{ items: number, rate: number }>, entries: number): number {
  const asked = (seconds: number): number =>
    rates.reduce((sum, { items, rate }) => sum + items * -Math.expm1(-rate * seconds), 0)
  if (asked(30 * 86_400) <= entries) return Infinity
  let [low, high] = [0, 30 * 86_400]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (asked(middle) > entries) high = middle
    else low = middle
  }
  return low
}

/** Hits for each fetch of an entry that is asked for with this rate, fresh for so long, and displaced when nobody asks for so long. */
const hitsOf = (rate: number, fresh: number, displaced: number): number =>
  Math.min(rate * fresh, displaced === Infinity ? Infinity : Math.expm1(Math.min(rate * displaced, 50)))

/** One hour of so many sessions. */
function hourOf (
  sessions: number, slots: readonly Slot[], { instances, entries, store }: Plan,
  { answerUs, upstreamUs, requestsOf }: Costs
): Hour {
  const rates = slots.flatMap(({ method, kind, times }) =>
    groupsOf[kind].map(({ items, share }) => ({ method, items, rate: sessions * times * share / 3600 })))
    .filter(({ method }) => (requestsOf[method] ?? 0) > 0)
  const displaced = displacedAfter(rates.map(({ items, rate }) => ({ items, rate: rate / instances })), entries)
  const asks = sessions * slots.reduce((sum, { times }) => sum + times, 0) / 3600
  let [missed, fetched, upstream, plays] = [0, 0, 0, 0]
  for (const { method, items, rate } of rates) {
    const fresh = freshSeconds(method)
    const misses = items * rate / (1 + hitsOf(rate / instances, fresh, displaced))
    const fetches = store ? Math.min(misses, items * rate / (1 + rate * fresh)) : misses
    missed += misses
    fetched += fetches
    upstream += fetches * (requestsOf[method] ?? 0)
    // One request of those is the play address itself.
    if (method === 'stream') plays += fetches
  }
  return {
    asks,
    fromMemory: asks - missed,
    fromStore: missed - fetched,
    upstream,
    plays,
    storeCommands: store ? missed + fetched : 0,
    cores: (asks * answerUs + upstream * upstreamUs) / 1e6
  }
}

/** A week of so many listeners a day, hour by hour from Monday. */
export const weekOf = (listeners: number, slots: readonly Slot[], plan: Plan, costs: Costs): readonly Hour[] =>
  days.flatMap((day) => hours.map((share) => hourOf(listeners * sessionsADay * day * share, slots, plan, costs)))

/** What a relay did with a sequence of requests. */
interface Replayed {
  readonly asks: number
  readonly fromMemory: number
  readonly fromStore: number
  readonly upstream: number
}

/** Plays requests one by one, round robin, to instances with a bounded memory each, and a store. They come within seconds, so nothing expires. */
export function replay (
  list: Iterable<Ask>, { instances, entries, store }: Plan, requestsOf: Costs['requestsOf']
): Replayed {
  const memories = Array.from({ length: instances }, () => new Set<string>())
  const shared = new Set<string>()
  let [asks, fromMemory, fromStore, upstream] = [0, 0, 0, 0]
  for (const { method, kind, item, parameters } of list) {
    const memory = memories[asks++ % instances] as Set<string>
    const requests = requestsOf[method] ?? 0
    const key = `${method} ${kind} ${item} ${JSON.stringify(parameters)}`
    if (requests === 0 || memory.has(key)) fromMemory++
    else if (store && shared.has(key)) fromStore++
    else upstream += requests
    shared.add(key)
    memory.delete(key)
    memory.add(key)
    if (memory.size > entries) memory.delete(memory.keys().next().value as string)
  }
  return { asks, fromMemory, fromStore, upstream }
}
