/**
 * Lanes limit requests: how many per second, and how many at once. Those that must wait stand in a fair queue: the next
 * place goes to the client served longest ago, so a client with many requests waits longer itself and does not delay
 * the others. Each upstream host has a lane, the search has one, and the details of `resolveMid`. Background:
 * docs/decisions.md#0010.
 */
import { LRUCache } from 'lru-cache'
import type { AbortSignalLike } from '../common/abort.ts'
import { createHolding, type Client, type Limits } from '../common/ledger.ts'
import { clockOf, type Clock } from '../common/timers.ts'

/** Limits of one lane. Absent: no limit. */
export interface LaneLimits {
  /** Returns the milliseconds between two requests; 0: they need no time. An upstream that gets too many blocks us. */
  readonly apartMs?: () => number
  /** Maximum number of requests at once after a quiet period. One client gets half of them. Default: 1. */
  readonly burst?: number
  /** Maximum number of requests in the lane. */
  readonly atOnce?: Pick<Limits, 'total' | 'share'>
}

/** What several lanes share. Absent: no limit. */
export interface QueueLimits extends Clock {
  /** Maximum number of requests in all lanes. One client gets half of them. */
  readonly atOnce?: number
  /** Maximum number of waiting requests. */
  readonly queue?: number
}

/** Frees a place. */
export type Leave = () => void

export interface Lane {
  /**
   * Returns a place, at once if one is free. Undefined: the request cannot be served within `longestMs`, or a client
   * with fewer waiting requests takes its turn. After an abort it returns without a place. All unknown clients count as
   * one.
   */
  enter (
    client: Client | undefined,
    longestMs: number,
    signal?: AbortSignalLike
  ): Leave | undefined | Promise<Leave | undefined>
  /** Milliseconds until the next request is due; 0 or less for now. */
  dueMs (): number
}

/** Lanes with a common queue. */
export interface Lanes {
  open (limits: LaneLimits): Lane
  /** Number of waiting requests. */
  waiting (): number
  /** Returns the client whose request would go first. */
  nextClient (clients: readonly (Client | undefined)[]): Client | undefined
  /** Whether a request of this client would be refused, as far as that is known before. */
  isFull (client: Client | undefined): boolean
}

interface Wait {
  readonly client: Client | undefined
  /** The client's name in the queue's own counts. */
  readonly who: Client
  readonly lane: Inside
  readonly end: (leave: Leave | undefined) => void
}

/** The inside of a lane. `slack`: milliseconds by which a request may go early. */
interface Inside extends Pick<Lane, 'dueMs'> {
  readonly apartMs: () => number
  isOpen (client: Client | undefined, slack?: number): boolean
  take (client: Client | undefined): void
  give (client: Client | undefined): void
}

const nobody: Client = ['']
/**
 * Timers count whole milliseconds: one that waits for a turn may end so much early, and the next turn is due so much
 * later.
 */
const timerMs = 1
/** Number of clients whose last turn is stored. A client that was evicted goes first, which does no harm. */
const remembered = 1000

/** Creates an empty queue without lanes. */
export function createLanes ({ atOnce = Infinity, queue = Infinity, ...clock }: QueueLimits = {}): Lanes {
  const { now, timers: { setTimeout, clearTimeout } } = clockOf(clock)
  const everywhere = createHolding({ total: atOnce, share: 'free' })
  /** In the order of their arrival. */
  const waits: Wait[] = []
  const counts = createHolding({ total: Infinity, share: Infinity })
  const lastServed = new LRUCache<string, number>({ max: remembered })
  let served = 0
  let timer: NodeJS.Timeout | undefined

  const servedAt = ([name]: Client): number => lastServed.peek(name) ?? 0

  function insideOf (
    { apartMs = () => 0, burst = 1, atOnce: limits = { total: Infinity, share: Infinity } }: LaneLimits
  ): Inside {
    const held = createHolding(limits)
    /** When the last request was due. */
    let last = -Infinity
    const dueMs = (): number => last + apartMs() - now()
    /** The burst. The part that a client takes counts as held until it has grown again, the oldest first. */
    const taken = createHolding({ total: burst, share: 'free' })
    const takers: (Client | undefined)[] = []
    function giveBack (): void {
      const missing = dueMs() / apartMs() + burst - 1
      while (takers.length > 0 && taken.all() > missing) taken.give(takers.shift())
    }
    function hasBurst (client: Client | undefined): boolean {
      if (client === undefined || burst === 1 || apartMs() === 0) return true
      giveBack()
      return !taken.isFull(client)
    }
    return {
      apartMs,
      dueMs,
      isOpen: (client, slack = 0) =>
        dueMs() <= slack && !held.isFull(client) && !everywhere.isFull(client) && hasBurst(client),
      take (client) {
        held.charge(client, 1)
        everywhere.charge(client, 1)
        if (apartMs() === 0) return
        giveBack()
        taken.charge(client, 1)
        takers.push(client)
        last = Math.max(last + apartMs(), now() - apartMs() * (burst - 1))
      },
      give (client) {
        held.give(client)
        everywhere.give(client)
      }
    }
  }

  function place ({ client, who, lane }: Omit<Wait, 'end'>): Leave {
    lane.take(client)
    lastServed.set(who[0], ++served)
    return () => {
      lane.give(client)
      serve()
    }
  }

  /**
   * Serves all requests that may go. `slack`: milliseconds by which the first one may go early, because a timer has
   * waited for it.
   */
  function serve (slack = 0): void {
    while (waits.length > 0) {
      let next: Wait | undefined
      for (const wait of waits) {
        const isNext = next === undefined || servedAt(wait.who) < servedAt(next.who)
        if (isNext && wait.lane.isOpen(wait.client, slack)) next = wait
      }
      if (next === undefined) break
      slack = 0
      next.end(place(next))
    }
    clearTimeout(timer)
    // A client that has used its share also gets room as time passes.
    const times = [...new Set(waits.map(({ lane }) => lane))]
      .map((lane) => lane.dueMs() > 0 ? lane.dueMs() : lane.apartMs()).filter((ms) => ms > 0)
    if (times.length > 0) timer = setTimeout(serve, Math.min(...times), Math.min(...times))
  }

  /** Returns the newest request of the client with most of them; with equal counts, of the client served last. */
  function longest (some: readonly Wait[]): Wait | undefined {
    let found: Wait | undefined
    for (const wait of some) {
      const more = found === undefined ? 0
        : counts.loadOf(wait.who) - counts.loadOf(found.who) || servedAt(wait.who) - servedAt(found.who)
      if (more >= 0) found = wait
    }
    return found
  }

  /** Ends a request if there are too many, or too many to serve this lane in time. */
  function makeRoom (lane: Inside, longestMs: number): void {
    const same = waits.filter((wait) => wait.lane === lane)
    const isLate = lane.dueMs() + (same.length - 1) * lane.apartMs() > longestMs + timerMs
    if (isLate) longest(same)?.end(undefined)
    else if (waits.length > queue) longest(waits)?.end(undefined)
  }

  function givesWayTo (client: Client | undefined): boolean {
    const found = longest(waits)
    return found !== undefined && counts.loadOf(found.who) > counts.loadOf(client ?? nobody) + 1
  }

  async function wait (
    asked: Omit<Wait, 'end'>,
    longestMs: number,
    signal: AbortSignalLike | undefined
  ): Promise<Leave | undefined> {
    return await new Promise((resolve) => {
      const expire = (): void => {
        serve(timerMs) // its turn may come just now
        own.end(undefined)
      }
      const abort = (): void => { own.end(() => {}) }
      const limit = longestMs < Infinity ? setTimeout(expire, longestMs) : undefined
      const own: Wait = {
        ...asked,
        end (leave) {
          const at = waits.indexOf(own)
          if (at >= 0) {
            waits.splice(at, 1)
            counts.give(own.who)
          }
          // Otherwise the timer of a closed relay would keep the process running.
          if (waits.length === 0) clearTimeout(timer)
          clearTimeout(limit)
          signal?.removeEventListener('abort', abort)
          resolve(leave)
        }
      }
      waits.push(own)
      counts.charge(own.who, 1)
      signal?.addEventListener('abort', abort)
      if (signal?.aborted === true) abort()
      else serve()
      if (waits.includes(own)) makeRoom(own.lane, longestMs)
    })
  }

  return {
    open (limits) {
      const lane = insideOf(limits)
      return {
        enter (client, longestMs, signal) {
          const asked = { client, who: client ?? nobody, lane }
          return waits.length === 0 && lane.isOpen(client) ? place(asked) : wait(asked, longestMs, signal)
        },
        dueMs: lane.dueMs
      }
    },
    waiting: () => waits.length,
    nextClient: (clients) =>
      clients.reduce((first, each) => servedAt(each ?? nobody) < servedAt(first ?? nobody) ? each : first),
    isFull: (client) => everywhere.all() + waits.length >= atOnce + queue && !givesWayTo(client)
  }
}
