/**
 * The cache of finished responses, stored as the bytes that are sent. lru-cache bounds the memory.
 * This file decides when an entry may be used. Background: docs/decisions.md#0006.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ttlOf, type CacheKey, type CachePolicy } from './policy.ts'
import { UpstreamError, rowOf } from '../common/errors.ts'
import type { Client } from '../common/ledger.ts'
import type { Timers } from '../common/timers.ts'

/** Largest body that is cached, in bytes. */
const maxEntryBytes = 1024 * 1024
/** Maximum number of cached refusals. They are stored apart from the entries, so they evict none. */
const mostRefusals = 1000

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
export type Cache = ReturnType<typeof createCache>

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

export function createCache (options: CacheOptions) {
  const { cacheBytes, cacheEntries, softDeadlineMs, now, assertCapacity, onBackgroundError, shared } = options
  const { setTimeout, clearTimeout } = options.timers ?? globalThis
  const refusals = new LRUCache<string, { error: UpstreamError, until: number }>({ max: mostRefusals })
  const entries = new LRUCache<string, CacheEntry>({
    max: cacheEntries,
    maxSize: cacheBytes,
    maxEntrySize: Math.min(maxEntryBytes, cacheBytes),
    sizeCalculation: ({ body }, key) => body.length + 2 * key.length + 500
  })
  /** The fetches in progress, one per key. Each has a waiting caller. */
  const inFlight = new Map<string, Promise<CacheEntry>>()
  /** The shared cache, if this key may be shared. */
  const sharedOf = ({ account }: CacheKey): SharedCache | undefined => account === undefined ? shared : undefined

  /**
   * Stores an entry. One that is incomplete takes no place of a complete one, which outlives it: it is stored beside
   * that.
   */
  function store (key: string, entry: CacheEntry): void {
    const isBeside = entry.policy === 'brief' && (entries.peek(key)?.policy ?? 'brief') !== 'brief'
    entries.set(isBeside ? besideOf(key) : key, entry)
  }

  const besideOf = (key: string): string => `${key} brief`

  /** Returns the entry of this key if it is fresh. */
  function freshAt (key: string): CacheEntry | undefined {
    const entry = entries.get(key)
    return entry !== undefined && now() - entry.since < ttlOf[entry.policy].fresh ? entry : undefined
  }

  /** Returns the refusal that is cached for this key, if it has not expired. */
  function refusalOf (key: string): UpstreamError | undefined {
    const refusal = refusals.get(key)
    if (refusal === undefined || now() < refusal.until) return refusal?.error
    refusals.delete(key)
    return undefined
  }

  /** Stores what a fetch returns, or its refusal. A failed fetch does not remove the old entry. */
  async function stored (key: string, fetching: Promise<CacheEntry>): Promise<CacheEntry> {
    try {
      const entry = await fetching
      store(key, entry)
      return entry
    } catch (error) {
      if (error instanceof UpstreamError && error.row.remembered === true) {
        // Without its cause, which would hold its request in memory.
        refusals.set(key, { error: error.with({ cause: undefined }), until: now() + ttlOf.brief.fresh })
      }
      throw error
    } finally {
      inFlight.delete(key)
    }
  }

  const found = (state: CacheState, entry: CacheEntry, age = now() - entry.since): CacheResult => ({
    state,
    entry,
    age
  })

  /** Uses, revalidates or fetches the entry, depending on the entry in memory. */
  function find (
    key: CacheKey,
    produce: () => Promise<CacheEntry>,
    reload: boolean,
    client?: Client
  ): CacheResult | Promise<CacheResult> {
    const { text } = key
    const entry = reload ? undefined : entries.get(text)
    const age = entry === undefined ? 0 : now() - entry.since
    const { fresh, staleWhileRevalidate, staleIfError } = ttlOf[entry?.policy ?? 'brief']
    if (entry !== undefined && age < fresh) return found('HIT', entry, age)
    const refusal = reload ? undefined : refusalOf(text)
    if (refusal !== undefined) throw refusal.with({})
    const isUsable = entry !== undefined && age < fresh + staleWhileRevalidate
    const old = entry !== undefined && age < fresh + staleIfError ? entry : undefined
    let fetching = inFlight.get(text)
    const beside = entry === undefined ? undefined : freshAt(besideOf(text))
    if (isUsable && (fetching ?? beside) !== undefined) return found('STALE', entry, age)
    if (beside !== undefined) return found('HIT', beside)
    if (fetching === undefined) {
      try {
        // A caller over its limit must not start a fetch that others would join.
        assertCapacity(client)
      } catch (error) {
        if (old === undefined) throw error
        if (isUsable) onBackgroundError(error)
        return found('STALE', old, age)
      }
      const others = sharedOf(key)
      fetching = stored(text, others === undefined ? produce() : others.fetch(text, produce, reload))
      inFlight.set(text, fetching)
    }
    if (isUsable) {
      fetching.catch(onBackgroundError)
      return found('STALE', entry, age)
    }
    return old === undefined ? fetching.then((made) => found('MISS', made)) : unlessSlow(fetching, old)
  }

  /** Returns the fetched entry, or the stale one if the fetch fails or takes too long. */
  async function unlessSlow (fetching: Promise<CacheEntry>, old: CacheEntry): Promise<CacheResult> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        resolve(undefined)
      }, softDeadlineMs)
    })
    try {
      const entry = await Promise.race([fetching, timeout])
      if (entry !== undefined) return found('MISS', entry)
      fetching.catch(onBackgroundError)
      return found('STALE', old)
    } catch (error) {
      if (rowOf(error).stale === undefined) throw error
      return found('STALE', old)
    } finally {
      clearTimeout(timer)
    }
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

  const findShared: typeof find = (key, produce, reload, client) => {
    const others = reload || entries.has(key.text) || refusalOf(key.text) !== undefined ? undefined : sharedOf(key)
    return others === undefined ? find(key, produce, reload, client)
      : readShared(key.text, others).then(() => find(key, produce, reload, client))
  }

  return {
    /** The clock, in milliseconds. */
    now,
    /**
     * Returns the entry if it may be used, else the result of `produce`. A fresh entry is returned synchronously.
     * `reload` skips the lookup and stores the new entry. `client` is charged for a fetch. Throws the error of
     * `produce` or of `assertCapacity`, or a cached refusal.
     */
    find: shared === undefined ? find : findShared,
    getFresh: ({ text }: CacheKey): CacheEntry | undefined => freshAt(text),
    /** Whether `find` returns an entry in memory at once. */
    isAtHand ({ text }: CacheKey): boolean {
      const entry = entries.peek(text)
      const { fresh, staleWhileRevalidate } = ttlOf[entry?.policy ?? 'brief']
      return entry !== undefined
        && (now() - entry.since < fresh + staleWhileRevalidate || freshAt(besideOf(text)) !== undefined)
    },
    /** Stores an entry, also in the shared cache. */
    set (key: CacheKey, entry: CacheEntry): void {
      store(key.text, entry)
      sharedOf(key)?.write(key.text, entry)
    },
    /** Returns the number of entries and their size in bytes. */
    size: () => ({ entries: entries.size, bytes: entries.calculatedSize }),
    /** @internal Returns the texts of all keys, including those of cached refusals, for tests. */
    keys: () => [...entries.keys(), ...refusals.keys()]
  }
}

/** Returns a strong ETag for a body. */
export function etagOf (body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
}

// @mutate cache: cache-rules cache
