/**
 * The cache of finished responses, stored as the bytes that are sent. lru-cache bounds the memory.
 * This file decides when an entry may be used. Background: docs/decisions.md#0006.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { factsOf, isRefusal, allowsStale, ttlOf, type CacheKey, type CachePolicy, type RefusalFacts } from './policy.ts'
import { UpstreamError } from '../common/errors.ts'
import type { Client } from '../common/ledger.ts'
import type { Timers } from '../common/timers.ts'

/** Largest body that is cached, in bytes. */
const maxEntryBytes = 1024 * 1024
/** Maximum number of cached refusals. They are stored apart from the entries, so they evict none. */
const mostRefusals = 1000

/** A cached response. */
export interface CacheEntry {
  readonly body: Buffer
  /** Strong ETag: a hash of the body. */
  readonly etag: string
  /** The Cache-Control header for downstream caches. */
  readonly cacheControl: string
  /** Names of the upstream calls behind the entry, each once, in the order of their answers. */
  readonly sources: readonly string[]
  /** When its oldest part was fetched, in milliseconds of the cache's clock. */
  readonly since: number
  /** How long it may be used. */
  readonly policy: CachePolicy
}

/** HIT: fresh entry. STALE: stale entry. MISS: entry that was just fetched. */
export type CacheState = 'HIT' | 'STALE' | 'MISS'

/** An entry, and the cache state in which it was found. */
export interface CacheResult {
  readonly state: CacheState
  readonly entry: CacheEntry
  /** Milliseconds since the fetch. */
  readonly age: number
}

/** The cache of one relay. */
export interface Cache {
  /** The clock, in milliseconds. */
  readonly now: () => number
  /**
   * Returns the entry if it may be used, else the result of `produce`. A fresh entry is returned synchronously.
   * `reload` skips the lookup and stores the new entry. `client` is charged for a fetch. Throws the error of `produce`
   * or of
   * `assertCapacity`, or a cached refusal.
   */
  find (
    key: CacheKey,
    produce: () => Promise<CacheEntry>,
    reload: boolean,
    client?: Client
  ): CacheResult | Promise<CacheResult>
  /** Returns the entry if it is fresh. */
  getFresh (key: CacheKey): CacheEntry | undefined
  /** Whether `find` returns an entry in memory at once, fresh or stale. */
  isAtHand (key: CacheKey): boolean
  /** Stores an entry, also in the shared cache. */
  set (key: CacheKey, entry: CacheEntry): void
  /** @internal Returns the texts of all keys, including those of cached refusals, for tests. */
  keys (): string[]
  /** Returns the number of entries and their size in bytes. */
  size (): { readonly entries: number, readonly bytes: number }
}

/** A cache that several instances share. */
export interface SharedCache {
  /** Returns the entry of this key. Undefined if there is none or the store does not answer. */
  read (key: string): Promise<CacheEntry | undefined>
  /**
   * Returns the result of `produce`, or that of another instance that is already fetching. `reload` skips the lookup.
   */
  fetch (key: string, produce: () => Promise<CacheEntry>, reload: boolean): Promise<CacheEntry>
  /** Stores an entry. Does not wait and never fails. */
  write (key: string, entry: CacheEntry): void
}

/** Options of `createCache`. */
export interface CacheOptions {
  readonly cacheBytes: number
  readonly cacheEntries: number
  /** Longest wait for a fetch while a stale entry may be used. */
  readonly softDeadlineMs: number
  /** Clock in milliseconds that never runs backwards. */
  readonly now: () => number
  /** Timers that follow this clock. Default: Node's. */
  readonly timers?: Timers | undefined
  /** Called before a fetch. Throws if the upstream is at capacity, or if this client is over its limit. */
  readonly assertCapacity: (client: Client | undefined) => void
  /** Called with the error of a background fetch. */
  readonly onBackgroundError: (error: unknown) => void
  /** Shared cache for anonymous answers. Answers for an account stay in this process. */
  readonly shared?: SharedCache | undefined
}

interface Lookup {
  readonly key: CacheKey
  readonly produce: () => Promise<CacheEntry>
  readonly reload: boolean
  readonly client: Client | undefined
}
interface Fetching {
  readonly produce: () => Promise<CacheEntry>
  readonly reload: boolean
  readonly sharedBy: SharedCache | undefined
}

/** Returns an empty cache. */
export function createCache (options: CacheOptions): Cache {
  const { cacheBytes, cacheEntries, softDeadlineMs, now, assertCapacity, onBackgroundError, shared } = options
  const { setTimeout, clearTimeout } = options.timers ?? globalThis
  const refusals = new LRUCache<string, { readonly facts: RefusalFacts, readonly until: number }>({ max: mostRefusals })
  const entries = new LRUCache<string, CacheEntry, Fetching>({
    max: cacheEntries,
    maxSize: cacheBytes,
    maxEntrySize: Math.min(maxEntryBytes, cacheBytes),
    sizeCalculation: ({ body }, key) => body.length + 2 * key.length + 500,
    fetchMethod: async (key, _old, { context: { produce, reload, sharedBy } }) => {
      try {
        return await (sharedBy === undefined ? produce() : sharedBy.fetch(key, produce, reload))
      } catch (error) {
        if (isRefusal(error)) refusals.set(key, { facts: factsOf(error), until: now() + ttlOf.brief.fresh })
        throw error
      }
    },
    // A failed fetch does not remove the old entry. A fetch continues if its slot is evicted.
    noDeleteOnFetchRejection: true,
    ignoreFetchAbort: true
  })
  /** The shared cache, if this key may be shared. */
  const sharedOf = ({ account }: CacheKey): SharedCache | undefined => account === undefined ? shared : undefined

  /**
   * The fetches in progress, one per key, also while their slots are evicted. Each has a waiting caller, so
   * `entries.fetch` returns a value or an error.
   */
  const inFlight = new Map<string, Promise<CacheEntry>>()
  async function fetch ({ key, produce, client, reload }: Lookup): Promise<CacheEntry> {
    let fetching = inFlight.get(key.text)
    if (fetching === undefined) {
      // A caller over its limit must not start a fetch that others would join.
      assertCapacity(client)
      const context = { produce, reload, sharedBy: sharedOf(key) }
      fetching = (entries.fetch(key.text, { forceRefresh: true, context }) as Promise<CacheEntry>).finally(() => {
        inFlight.delete(key.text)
      })
      inFlight.set(key.text, fetching)
    }
    return await fetching
  }

  /** Returns the refusal that is cached for this key, if it has not expired. */
  function refusalOf (key: string): RefusalFacts | undefined {
    const refusal = refusals.get(key)
    if (refusal === undefined || now() < refusal.until) return refusal?.facts
    refusals.delete(key)
    return undefined
  }

  const found = (state: CacheState, entry: CacheEntry, age = now() - entry.since): CacheResult => ({
    state,
    entry,
    age
  })

  function find (lookup: Lookup): CacheResult | Promise<CacheResult> {
    const { key } = lookup
    if (lookup.reload) return fetchOr(undefined, lookup)
    const others = sharedOf(key)
    if (others !== undefined && !entries.has(key.text) && refusalOf(key.text) === undefined) {
      return readShared(key.text, others).then(() =>
        decide(lookup)
      )
    }
    return decide(lookup)
  }

  /** Reads the shared entry into memory. Concurrent requests for a key share one read. */
  const sharedReads = new Map<string, Promise<void>>()
  async function readShared (key: string, others: SharedCache): Promise<void> {
    let reading = sharedReads.get(key)
    if (reading === undefined) {
      // A fetch that started meanwhile will store a newer entry.
      reading = others.read(key).then((entry) => {
        if (entry !== undefined && !entries.has(key) && !inFlight.has(key)) entries.set(key, entry)
      }).finally(() => {
        sharedReads.delete(key)
      })
      sharedReads.set(key, reading)
    }
    await reading
  }

  /** Uses, revalidates or fetches the entry, depending on the entry in memory. */
  function decide (lookup: Lookup): CacheResult | Promise<CacheResult> {
    const { key } = lookup
    const entry = entries.get(key.text)
    const age = entry === undefined ? 0 : now() - entry.since
    const { fresh, staleWhileRevalidate, staleIfError } = ttlOf[entry?.policy ?? 'brief']
    if (entry !== undefined && age < fresh) return found('HIT', entry, age)
    const refusal = refusalOf(key.text)
    if (refusal !== undefined) throw new UpstreamError(refusal.code, refusal.message, refusal)
    if (entry !== undefined && age < fresh + staleWhileRevalidate) {
      if (!inFlight.has(key.text)) fetch(lookup).catch(onBackgroundError)
      return found('STALE', entry, age)
    }
    return fetchOr(entry !== undefined && age < fresh + staleIfError ? entry : undefined, lookup)
  }

  /** Fetches an entry. Falls back to the stale one if the fetch fails or takes too long. */
  async function fetchOr (old: CacheEntry | undefined, lookup: Lookup): Promise<CacheResult> {
    const fetched = fetch(lookup)
    if (old === undefined) return found('MISS', await fetched)
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        resolve(undefined)
      }, softDeadlineMs)
    })
    try {
      const entry = await Promise.race([fetched, timeout])
      if (entry !== undefined) return found('MISS', entry)
      fetched.catch(onBackgroundError)
      return found('STALE', old)
    } catch (error) {
      if (!allowsStale(error)) throw error
      return found('STALE', old)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    now,
    find: (key, produce, reload, client) => find({ key, produce, reload, client }),
    getFresh ({ text }) {
      const entry = entries.get(text)
      return entry !== undefined && now() - entry.since < ttlOf[entry.policy].fresh ? entry : undefined
    },
    isAtHand ({ text }) {
      const entry = entries.peek(text)
      const { fresh, staleWhileRevalidate } = ttlOf[entry?.policy ?? 'brief']
      return entry !== undefined && now() - entry.since < fresh + staleWhileRevalidate
    },
    set (key, entry) {
      entries.set(key.text, entry)
      sharedOf(key)?.write(key.text, entry)
    },
    size: () => ({ entries: entries.size, bytes: entries.calculatedSize }),
    keys: () => [...entries.keys(), ...refusals.keys()]
  }
}

/** Returns a strong ETag for a body. */
export function etagOf (body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
}

// @mutate cache: cache-rules cache
