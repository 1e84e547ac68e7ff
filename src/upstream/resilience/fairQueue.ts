/**
 * A fair queue: of the requests that may go, the one of the client served longest ago goes first. A client with many
 * requests waits longer itself and does not delay the others. Background: docs/decisions.md#0010.
 */
import { LRUCache } from 'lru-cache'
import type { AbortSignalLike } from '../../common/abort.ts'
import { createHolding, type Client } from '../../common/ledger.ts'
import type { Timers } from '../../common/timers.ts'

/** The resource that a request waits for: turns that become due with time, and room that other requests free. */
export interface Limiter {
  /** Milliseconds until the next turn is due; 0 or less for now. */
  dueMs (): number
  /** Milliseconds between two turns; 0 if they need no time. */
  readonly apartMs: number
  /** Whether there is room for one more request of this client. */
  fits (client: Client | undefined): boolean
  enter (client: Client | undefined): void
  leave (client: Client | undefined): void
}

/** How one request waits. */
export interface Wait {
  /** Undefined: an unknown client. All unknown clients count as one. */
  readonly client: Client | undefined
  readonly limiter: Limiter
  /** Milliseconds. */
  readonly longestMs: number
  readonly signal?: AbortSignalLike | undefined
}

/** A queue in front of one or several limiters. */
export interface FairQueue {
  /**
   * Waits for a place. Returns the function that frees it, or undefined if the request cannot be served in time: at
   * once, or when a client with fewer waiting requests takes its place. After an abort it returns without a place.
   */
  pass (wait: Wait): Promise<(() => void) | undefined>
  /** Number of waiting requests. */
  waiting (): number
  /** Returns the client whose request would go first. */
  nextClient (clients: readonly (Client | undefined)[]): Client | undefined
  /** Whether a full queue would make room for this client. */
  givesWayTo (client: Client | undefined): boolean
}

interface Entry {
  readonly lane: Lane
  readonly end: (leave: (() => void) | undefined) => void
}

/** The waiting requests of one client at one limiter, in the order of arrival. */
interface Lane extends Pick<Wait, 'client' | 'limiter'> {
  /** The client's name in the queue's own counts. */
  readonly who: Client
  readonly entries: Entry[]
}

const nobody: Client = ['']
/** Number of clients whose last turn is stored. A client that was evicted goes first, which does no harm. */
const remembered = 1000

/** Creates an empty queue. `mostWaiting`: maximum number of waiting requests. */
export function createFairQueue (mostWaiting: number, { setTimeout, clearTimeout }: Timers = globalThis): FairQueue {
  /** Lanes in use, by limiter and client. */
  const byLimiter = new Map<Limiter, Map<string, Lane>>()
  const counts = createHolding({ total: Infinity, share: Infinity })
  const lastServed = new LRUCache<string, number>({ max: remembered })
  let served = 0
  let timer: NodeJS.Timeout | undefined

  const servedAt = ({ who: [name] }: Pick<Lane, 'who'>): number => lastServed.peek(name) ?? 0
  const isOpen = ({ client, limiter }: Pick<Lane, 'client' | 'limiter'>, slack = 0): boolean =>
    limiter.dueMs() <= slack && limiter.fits(client)

  function enter ({ client, limiter, who }: Pick<Lane, 'client' | 'limiter' | 'who'>): () => void {
    limiter.enter(client)
    lastServed.set(who[0], ++served)
    return () => {
      limiter.leave(client)
      serve()
    }
  }

  function add (entry: Entry): void {
    const { limiter, who: [name], entries } = entry.lane
    byLimiter.set(limiter, (byLimiter.get(limiter) ?? new Map<string, Lane>()).set(name, entry.lane))
    entries.push(entry)
    counts.charge(entry.lane.who, 1)
  }

  function remove (entry: Entry): void {
    const { limiter, who, entries } = entry.lane
    const at = entries.indexOf(entry)
    if (at < 0) return
    entries.splice(at, 1)
    counts.give(who)
    const lanes = byLimiter.get(limiter)
    if (entries.length === 0) lanes?.delete(who[0])
    if (lanes?.size === 0) byLimiter.delete(limiter)
    // Otherwise the timer of a closed relay would keep the process running.
    if (byLimiter.size === 0) clearTimeout(timer)
  }

  const lanesOf = (some: Iterable<Map<string, Lane>>): Lane[] => [...some].flatMap((lanes) => [...lanes.values()])

  /**
   * Serves all requests that may go. `slack`: milliseconds by which the first one may go early, because a timer has
   * waited for it.
   */
  function serve (slack = 0): void {
    for (;;) {
      let next: Lane | undefined
      for (const lane of lanesOf(byLimiter.values())) {
        if ((next === undefined || servedAt(lane) < servedAt(next)) && isOpen(lane, slack)) next = lane
      }
      if (next === undefined) break
      slack = 0
      next.entries[0]?.end(enter(next))
    }
    clearTimeout(timer)
    // A client that has used its share also gets room as time passes.
    const times = [...byLimiter.keys()].map((limiter) => limiter.dueMs() > 0 ? limiter.dueMs() : limiter.apartMs)
      .filter((ms) => ms > 0)
    if (times.length > 0) timer = setTimeout(serve, Math.min(...times), Math.min(...times))
  }

  /** Returns the lane of the client with most waiting requests; with equal counts, of the client served last. */
  function longest (lanes: readonly Lane[]): Lane | undefined {
    let found: Lane | undefined
    for (const lane of lanes) {
      const more = found === undefined ? 0
        : counts.loadOf(lane.who) - counts.loadOf(found.who) || servedAt(lane) - servedAt(found)
      if (more >= 0) found = lane
    }
    return found
  }

  /**
   * Ends the newest request of the client with most waiting requests, if there are too many, or too many to serve this
   * limiter in time.
   */
  function makeRoom (limiter: Limiter, longestMs: number): void {
    const same = [...byLimiter.get(limiter)?.values() ?? []]
    const late =
      limiter.dueMs() + (same.reduce((sum, { entries }) => sum + entries.length, 0) - 1) * limiter.apartMs > longestMs
    if (late) longest(same)?.entries.at(-1)?.end(undefined)
    else if (counts.all() > mostWaiting) longest(lanesOf(byLimiter.values()))?.entries.at(-1)?.end(undefined)
  }

  return {
    async pass ({ client, limiter, longestMs, signal }) {
      const who = client ?? nobody
      const lane = byLimiter.get(limiter)?.get(who[0]) ?? { client, limiter, who, entries: [] }
      if (counts.all() === 0 && isOpen(lane)) return enter(lane)
      return await new Promise((resolve) => {
        const expire = (): void => {
          serve() // its turn may have come just now
          entry.end(undefined)
        }
        const abort = (): void => { entry.end(() => {}) }
        const limit = longestMs < Infinity ? setTimeout(expire, longestMs) : undefined
        const entry: Entry = {
          lane,
          end (leave) {
            remove(entry)
            clearTimeout(limit)
            signal?.removeEventListener('abort', abort)
            resolve(leave)
          }
        }
        add(entry)
        signal?.addEventListener('abort', abort)
        if (signal?.aborted === true) abort()
        else serve()
        if (lane.entries.includes(entry)) makeRoom(limiter, longestMs)
      })
    },
    waiting: counts.all,
    nextClient: (clients) =>
      clients.reduce((first, each) =>
        servedAt({ who: each ?? nobody }) < servedAt({ who: first ?? nobody }) ? each : first
      ),
    givesWayTo (client) {
      const found = longest(lanesOf(byLimiter.values()))
      return found !== undefined && counts.loadOf(found.who) > counts.loadOf(client ?? nobody) + 1
    }
  }
}
