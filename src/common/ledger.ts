/**
 * The ledger counts what each client holds at the same time and what it has caused in the last minute. Clients are
 * charged only here, so that no client uses the share of others. Background: docs/decisions.md#0010.
 */
import { LRUCache } from 'lru-cache'
import { RelayError } from './errors.ts'

/** The charged client: names (keyed hashes) of an address and of the networks around it, from narrow to wide. */
export type Client = readonly [address: string, ...networks: string[]]

/** Limits of one resource. */
export interface Limits {
  /** Limit for all clients together. */
  readonly total: number
  /**
   * Limit for one address. A network around it may hold `networkFactor` times as much, the network around that
   * `networkFactor` times as much again. `free`: as much as is still free, so that some remains for others.
   */
  readonly share: number | 'free'
  /** Part of the total that is reserved for clients without any holding. Default: none. */
  readonly reserved?: number
}

/**
 * Several people share a network. A provider gives an IPv6 customer up to 65,536 networks of which each counts as an
 * address.
 */
const networkFactor = 4

/** One resource that clients hold. Without a client, only the total counts. */
export type Holding = ReturnType<typeof createHolding>

export function createHolding ({ total, share, reserved = 0 }: Limits) {
  /**
   * Amounts by name, for each width of networks. Names without an amount are removed, so there are no more of them than
   * amounts held.
   */
  const books: Map<string, number>[] = []
  const bookOf = (width: number): Map<string, number> => books[width] ??= new Map()
  let all = 0
  let refused = 0

  const held = (name: string, width: number): number => bookOf(width).get(name) ?? 0
  function change (client: Client | undefined, by: number): void {
    all += by
    client?.forEach((name, width) => {
      const own = held(name, width) + by
      if (own <= 0) bookOf(width).delete(name)
      else bookOf(width).set(name, own)
    })
  }
  function fits (client: Client | undefined, amount: number): boolean {
    if (client === undefined) return all + amount <= total
    const open = held(client[0], 0) === 0 ? total : total - reserved
    return all + amount <= open && !isOverdrawn(client, amount)
  }
  /** Whether this amount would exceed the share of the client or of a network around it, whatever others hold. */
  function isOverdrawn (client: Client | undefined, amount = 1): boolean {
    const most = share === 'free' ? total - all : share
    return client?.some((name, width) => held(name, width) + amount > most * networkFactor ** width) === true
  }

  return {
    /** Charges the client. Returns false and charges nothing if that would exceed a limit. */
    take (client: Client | undefined, amount = 1): boolean {
      const taken = fits(client, amount)
      if (taken) change(client, amount)
      else refused++
      return taken
    },
    /** Charges the client even beyond the limits. Used when a refusal is no longer possible. */
    charge: change,
    refuse () { refused++ },
    /** Releases an amount that was taken or charged. */
    give (client: Client | undefined, amount = 1): void { change(client, -amount) },
    /** Whether this amount would exceed the limit of the client or the total. */
    isFull: (client: Client | undefined, amount = 1) => !fits(client, amount),
    isOverdrawn,
    /** Returns the amount that this address holds. */
    heldBy: ([address]: Client) => held(address, 0),
    /** Returns the same, or the amount of a network around it divided by the network's factor if that is more. */
    loadOf: (client: Client) => Math.max(...client.map((name, width) => held(name, width) / networkFactor ** width)),
    all: () => all,
    /** Returns the name of the address with the largest amount. */
    largest: () => largestOf(bookOf(0))[0],
    /** Returns the state for metrics, without names. */
    state: () => ({ largest: largestOf(bookOf(0))[1], refused })
  }
}

function largestOf (book: ReadonlyMap<string, number>): readonly [name: string | undefined, held: number] {
  let most: readonly [string | undefined, number] = [undefined, 0]
  for (const row of book) if (row[1] > most[1]) most = row
  return most
}

/** Counts what each client has caused within a minute. */
export type Usage = ReturnType<typeof createUsage>

const minute = 60_000

/**
 * `most`: limit for one address per minute; for networks as in {@link Limits}. `clients`: number of remembered
 * addresses.
 * `now`: milliseconds that never run backwards.
 */
export function createUsage (most: number, clients: number, now: () => number) {
  type Minute = { used: number, readonly end: number }
  /** Counts by name, for each width of networks. */
  const books: LRUCache<string, Minute>[] = []
  const bookOf = (width: number): LRUCache<string, Minute> => books[width] ??= new LRUCache({ max: clients })
  const current = (name: string, width: number): Minute | undefined => {
    const found = bookOf(width).get(name)
    return found !== undefined && found.end > now() ? found : undefined
  }
  let refused = 0
  return {
    /** Adds to the client's current minute. */
    charge (client: Client | undefined, amount = 1): void {
      client?.forEach((name, width) => {
        const found = current(name, width)
        if (found === undefined) bookOf(width).set(name, { used: amount, end: now() + minute })
        else found.used += amount
      })
    },
    /** Returns the milliseconds until the client may cause more. 0: now. */
    waitMs (client: Client | undefined): number {
      const longest = Math.max(0, ...(client ?? []).map((name, width) => {
        const found = current(name, width)
        return found === undefined || found.used < most * networkFactor ** width ? 0 : found.end - now()
      }))
      if (longest > 0) refused++
      return longest
    },
    /** Returns the state for metrics, without names. */
    state () {
      const used = [...bookOf(0).values()].filter(({ end }) => end > now()).map((one) => one.used)
      return { largest: Math.max(0, ...used), refused }
    }
  }
}

/** Counts what each client has made the relay do, for load shedding. */
export type WorkCount = ReturnType<typeof createWorkCount>

/** `clients`: number of addresses that are counted apart. */
export function createWorkCount (clients: number) {
  let counts = new Map<string, number>()
  return {
    /** Adds work, in bytes that were read or made. */
    charge (client: Client | undefined, bytes: number): void {
      if (client === undefined || (counts.size >= clients && !counts.has(client[0]))) return
      counts.set(client[0], (counts.get(client[0]) ?? 0) + bytes)
    },
    /**
     * Returns the names of the addresses that caused most of the work since the last call, half of it together, and
     * starts anew.
     */
    heaviest (): readonly string[] {
      const sorted = [...counts].sort(([, a], [, b]) => b - a)
      counts = new Map()
      const half = sorted.reduce((sum, [, bytes]) => sum + bytes, 0) / 2
      let sum = 0
      return sorted.filter(([, bytes]) => {
        const isHeavy = sum < half
        sum += bytes
        return isHeavy
      }).map(([name]) => name)
    }
  }
}

/** Throws RATE_LIMITED if the client has exceeded its limit of upstream calls per minute. */
export function refuseOverdrawn (calls: Usage, client: Client | undefined): void {
  const ms = calls.waitMs(client)
  if (ms === 0) return
  const retryAfter = Math.ceil(ms / 1000)
  throw new RelayError('RATE_LIMITED', `The requests of this client caused too many calls to the upstream; try again in ${retryAfter} s.`, { retryAfter })
}

/** All counts of one relay. */
export interface Ledger {
  readonly connections: Holding
  /** Bytes of finished answers that their clients have not read. */
  readonly unsentBytes: Holding
  /** Bytes of upstream answers that requests in progress have read. */
  readonly answerBytes: Holding
  /** Bytes of the request bodies of requests in progress. */
  readonly bodyBytes: Holding
  /** Bytes of requests that wait for an earlier one on their connection. */
  readonly waitingBytes: Holding
  readonly loginPolls: Holding
  /** Audio files that are streamed to players. */
  readonly streams: Holding
  /** Upstream calls of the last minute. */
  readonly upstreamCalls: Usage
  /** Work of the last second. */
  readonly work: WorkCount
}
