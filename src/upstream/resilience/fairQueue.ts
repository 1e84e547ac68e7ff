/**
 * A queue in which clients take turns: a client who asks for much waits longer itself, and does not make the others wait. Of the
 * requests that may go, that of the client who was served longest ago goes first.
 * Background: docs/decisions/0010-client-limits.md.
 */
import { LRUCache } from 'lru-cache'
import type { AbortSignalLike } from '../../common/abort.ts'
import { createHolding } from '../../common/ledger.ts'
import type { Client } from '../../common/ledger.ts'

/** What a request waits for: turns that become due with time, and room that others leave. */
export interface Gate {
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
  /** Undefined: one of those who cannot be told apart. They count as one client. */
  readonly client: Client | undefined
  readonly gate: Gate
  /** Milliseconds. */
  readonly longestMs: number
  readonly signal?: AbortSignalLike | undefined
}

/** A queue in front of one or several gates. */
export interface FairQueue {
  /**
   * Waits. Returns the function that ends the stay behind the gate, or undefined if the request cannot be served in time: at once,
   * or when a client with fewer waiting requests takes its place. After an abort it returns without a place.
   */
  pass (wait: Wait): Promise<(() => void) | undefined>
  /** Number of waiting requests. */
  waiting (): number
  /** Returns the client of whom a request would go first. */
  firstOf (clients: readonly (Client | undefined)[]): Client | undefined
  /** Whether a full queue would make room for this client. */
  givesWayTo (client: Client | undefined): boolean
}

interface Entry {
  readonly lane: Lane
  readonly end: (leave: (() => void) | undefined) => void
}

/** What one client waits for at one gate, in the order of arrival. */
interface Lane extends Pick<Wait, 'client' | 'gate'> {
  /** The client's name in the queue's own counts. */
  readonly who: Client
  readonly entries: Entry[]
}

const nobody: Client = ['']
/** Clients whose last turn is remembered. Whoever is forgotten goes first, which does no harm. */
const remembered = 1000

/** Creates an empty queue. `places`: how many may wait. */
export function createFairQueue (places: number): FairQueue {
  /** Lanes in use, by gate and client. */
  const gates = new Map<Gate, Map<string, Lane>>()
  const counts = createHolding({ total: Infinity, share: Infinity })
  const turns = new LRUCache<string, number>({ max: remembered })
  let turn = 0
  let timer: NodeJS.Timeout | undefined

  const servedAt = ({ who: [name] }: Pick<Lane, 'who'>): number => turns.peek(name) ?? 0
  const isOpen = ({ client, gate }: Pick<Lane, 'client' | 'gate'>, slack = 0): boolean => gate.dueMs() <= slack && gate.fits(client)

  function admit ({ client, gate, who }: Pick<Lane, 'client' | 'gate' | 'who'>): () => void {
    gate.enter(client)
    turns.set(who[0], ++turn)
    return () => {
      gate.leave(client)
      serve()
    }
  }

  function add (entry: Entry): void {
    const { gate, who: [name], entries } = entry.lane
    gates.set(gate, (gates.get(gate) ?? new Map<string, Lane>()).set(name, entry.lane))
    entries.push(entry)
    counts.charge(entry.lane.who, 1)
  }

  function remove (entry: Entry): void {
    const { gate, who, entries } = entry.lane
    const at = entries.indexOf(entry)
    if (at < 0) return
    entries.splice(at, 1)
    counts.give(who)
    const lanes = gates.get(gate)
    if (entries.length === 0) lanes?.delete(who[0])
    if (lanes?.size === 0) gates.delete(gate)
    // Else a relay that is closed would hold its process until then.
    if (gates.size === 0) clearTimeout(timer)
  }

  const lanesOf = (some: Iterable<Map<string, Lane>>): Lane[] => [...some].flatMap((lanes) => [...lanes.values()])

  /** Serves all who may go. `slack`: the first one may go these milliseconds early, because a timer has waited for them. */
  function serve (slack = 0): void {
    for (;;) {
      let next: Lane | undefined
      for (const lane of lanesOf(gates.values())) {
        if ((next === undefined || servedAt(lane) < servedAt(next)) && isOpen(lane, slack)) next = lane
      }
      if (next === undefined) break
      slack = 0
      next.entries[0]?.end(admit(next))
    }
    clearTimeout(timer)
    // Time also makes room for a client that has taken its share.
    const times = [...gates.keys()].map((gate) => gate.dueMs() > 0 ? gate.dueMs() : gate.apartMs).filter((ms) => ms > 0)
    if (times.length > 0) timer = setTimeout(serve, Math.min(...times), Math.min(...times))
  }

  /** The lane of the client with most waiting requests; of equals, of the one who was served last. */
  function longest (lanes: readonly Lane[]): Lane | undefined {
    let found: Lane | undefined
    for (const lane of lanes) {
      const more = found === undefined ? 0 : counts.loadOf(lane.who) - counts.loadOf(found.who) || servedAt(lane) - servedAt(found)
      if (more >= 0) found = lane
    }
    return found
  }

  /** Ends the newest request of whoever has most, if there are too many, or too many to serve this gate in time. */
  function makeRoom (gate: Gate, longestMs: number): void {
    const same = [...gates.get(gate)?.values() ?? []]
    const late = gate.dueMs() + (same.reduce((sum, { entries }) => sum + entries.length, 0) - 1) * gate.apartMs > longestMs
    if (late) longest(same)?.entries.at(-1)?.end(undefined)
    else if (counts.all() > places) longest(lanesOf(gates.values()))?.entries.at(-1)?.end(undefined)
  }

  return {
    async pass ({ client, gate, longestMs, signal }) {
      const who = client ?? nobody
      const lane = gates.get(gate)?.get(who[0]) ?? { client, gate, who, entries: [] }
      if (counts.all() === 0 && isOpen(lane)) return admit(lane)
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
        if (lane.entries.includes(entry)) makeRoom(gate, longestMs)
      })
    },
    waiting: counts.all,
    firstOf: (clients) => clients.reduce((first, each) => servedAt({ who: each ?? nobody }) < servedAt({ who: first ?? nobody }) ? each : first),
    givesWayTo (client) {
      const found = longest(lanesOf(gates.values()))
      return found !== undefined && counts.loadOf(found.who) > counts.loadOf(client ?? nobody) + 1
    }
  }
}
