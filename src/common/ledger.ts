/**
 * The ledger: what each client holds of this relay at the same time, and what it has caused in the last minute. It is the
 * one place that charges clients, so that no client takes what others need. Background: docs/decisions/0010-client-limits.md.
 */
import { LRUCache } from 'lru-cache'
import { RelayError } from './errors.ts'

/** Who is charged: names (keyed hashes) of an address, and of the networks around it, from narrow to wide. */
export type Client = readonly [address: string, ...networks: string[]]

/** Limits of one thing. */
export interface Limits {
  /** For all clients together. */
  readonly total: number
  /**
   * For one address. A network around it may hold `networkFactor` times as much, the network around that as much again.
   * `free`: as much as is still free then, so that something is left for others however many hold a share.
   */
  readonly share: number | 'free'
  /** Part of the total that is reserved for clients who hold nothing. Default: none. */
  readonly reserved?: number
}

/** Several people share a network. A provider gives an IPv6 customer up to 65,536 networks of which each counts as an address. */
const networkFactor = 4

/** One thing that clients hold. Without a client only the total counts. */
export interface Holding {
  /** Charges the client. False, and nothing is charged, if that would be too much. */
  take (client: Client | undefined, amount?: number): boolean
  /** Charges the client even beyond the limits: for what cannot be refused any more. */
  charge (client: Client | undefined, amount: number): void
  /** Counts a refusal because it is full. */
  refuse (): void
  /** Returns what was taken or charged. */
  give (client: Client | undefined, amount?: number): void
  /** Whether the client, or all together, hold as much as they may. */
  isFull (client: Client | undefined, amount?: number): boolean
  /** Whether the client, or a network around it, has no room for so much more in its own share, whatever others hold. */
  isOverdrawn (client: Client | undefined, amount?: number): boolean
  /** What this address holds. */
  heldBy (client: Client): number
  /** What this address holds, or what a network around it holds, by what it may hold compared with an address, if that is more. */
  loadOf (client: Client): number
  /** What all hold. */
  all (): number
  /** Name of the address that holds most. */
  largest (): string | undefined
  /** For metrics: no names. */
  state (): { readonly largest: number, readonly refused: number }
}

/** Creates the account book of one thing. */
export function createHolding ({ total, share, reserved = 0 }: Limits): Holding {
  /** By name, for each width of networks. Empty accounts are removed, so they are no more than what is held. */
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
  function isOverdrawn (client: Client | undefined, amount = 1): boolean {
    const most = share === 'free' ? total - all : share
    return client?.some((name, width) => held(name, width) + amount > most * networkFactor ** width) === true
  }

  return {
    take (client, amount = 1) {
      const taken = fits(client, amount)
      if (taken) change(client, amount)
      else refused++
      return taken
    },
    charge: change,
    refuse () { refused++ },
    give (client, amount = 1) { change(client, -amount) },
    isFull: (client, amount = 1) => !fits(client, amount),
    isOverdrawn,
    heldBy: ([address]) => held(address, 0),
    loadOf: (client) => Math.max(...client.map((name, width) => held(name, width) / networkFactor ** width)),
    all: () => all,
    largest: () => largestOf(bookOf(0))[0],
    state: () => ({ largest: largestOf(bookOf(0))[1], refused })
  }
}

function largestOf (book: ReadonlyMap<string, number>): readonly [name: string | undefined, held: number] {
  let most: readonly [string | undefined, number] = [undefined, 0]
  for (const row of book) if (row[1] > most[1]) most = row
  return most
}

/** What each client has caused within a minute. */
export interface Usage {
  /** Adds to the client's minute. */
  charge (client: Client | undefined, amount?: number): void
  /** Milliseconds until the client may cause more; 0 for now. */
  waitMs (client: Client | undefined): number
  /** For metrics: no names. */
  state (): { readonly largest: number, readonly refused: number }
}

const minute = 60_000

/**
 * `most`: what one address may cause in a minute; for networks as in {@link Limits}. `clients`: number of addresses that are
 * remembered. `now`: milliseconds that never run backwards.
 */
export function createUsage (most: number, clients: number, now: () => number): Usage {
  type Minute = { used: number, readonly end: number }
  /** By name, for each width of networks. */
  const books: LRUCache<string, Minute>[] = []
  const bookOf = (width: number): LRUCache<string, Minute> => books[width] ??= new LRUCache({ max: clients })
  const current = (name: string, width: number): Minute | undefined => {
    const found = bookOf(width).get(name)
    return found !== undefined && found.end > now() ? found : undefined
  }
  let refused = 0
  return {
    charge (client, amount = 1) {
      client?.forEach((name, width) => {
        const found = current(name, width)
        if (found === undefined) bookOf(width).set(name, { used: amount, end: now() + minute })
        else found.used += amount
      })
    },
    waitMs (client) {
      const longest = Math.max(0, ...(client ?? []).map((name, width) => {
        const found = current(name, width)
        return found === undefined || found.used < most * networkFactor ** width ? 0 : found.end - now()
      }))
      if (longest > 0) refused++
      return longest
    },
    state () {
      const used = [...bookOf(0).values()].filter(({ end }) => end > now()).map((one) => one.used)
      return { largest: Math.max(0, ...used), refused }
    }
  }
}

/** Throws RATE_LIMITED if the client has caused more upstream calls within a minute than it may. */
export function refuseOverdrawn (calls: Usage, client: Client | undefined): void {
  const ms = calls.waitMs(client)
  if (ms === 0) return
  const retryAfter = Math.ceil(ms / 1000)
  throw new RelayError('RATE_LIMITED', `The requests of this client caused too many calls to the upstream; try again in ${retryAfter} s.`, { retryAfter })
}

/** All accounts of one relay. */
export interface Ledger {
  readonly connections: Holding
  /** Bytes of answers that are finished, but not read by their clients. */
  readonly unsentBytes: Holding
  /** Bytes of upstream answers that requests under way have read. */
  readonly answerBytes: Holding
  /** Bytes of request bodies that have not arrived yet, or are not read yet. */
  readonly bodyBytes: Holding
  /** Bytes of requests that wait for the one before them on their connection. */
  readonly waitingBytes: Holding
  readonly loginPolls: Holding
  /** Audio files that are passed on to players. */
  readonly streams: Holding
  /** Upstream calls of the last minute. */
  readonly upstreamCalls: Usage
}
