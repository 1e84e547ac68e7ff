/**
 * Finished answers, kept in memory as the bytes that go out. lru-cache bounds the memory and lets equal questions share
 * one fetch; here is only when a copy may be used. What and why: docs/decisions/0006-cache.md.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Keep } from './endpoint.ts'
import { RelayError, UpstreamError, isOutage } from './errors.ts'
import { generalMeaningOf } from './provider/codes.ts'

/** Milliseconds. Both stale times begin where `fresh` ends. */
export interface Times {
  /** Used without asking anyone. */
  readonly fresh: number
  /** Used at once, while a new one is fetched. */
  readonly whileRevalidate: number
  /** Used when a new one cannot be had, or not soon. */
  readonly ifError: number
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

export const timesOf: Readonly<Record<Keep, Times>> = {
  'immutable': { fresh: 7 * day, whileRevalidate: 7 * day, ifError: 30 * day },
  'slow': { fresh: 6 * hour, whileRevalidate: 6 * hour, ifError: 7 * day },
  'charts': { fresh: 30 * minute, whileRevalidate: 30 * minute, ifError: 24 * hour },
  'lively': { fresh: 10 * minute, whileRevalidate: 10 * minute, ifError: 24 * hour },
  'query': { fresh: 2 * minute, whileRevalidate: 2 * minute, ifError: hour },
  // Signed addresses expire.
  'short-lived': { fresh: 2 * minute, whileRevalidate: 0, ifError: 0 },
  'brief': { fresh: 10 * second, whileRevalidate: 0, ifError: 0 }
}

/** Largest answer that is kept. Bytes. */
const largest = 1024 * 1024
/** Refusals are kept beside the answers, so that they push none out. */
const mostRefusals = 1000

/** A finished answer. */
export interface Kept {
  readonly body: Buffer
  /** Strong: a hash of the bytes. */
  readonly etag: string
  /** The header for who caches behind us. */
  readonly cacheControl: string
  /** Names of the upstream calls it was made of, as in `x-relay-source`. */
  readonly source: string
  /** When its oldest part was fetched, on the cache's clock. */
  readonly since: number
  readonly times: Times
}

export type CacheState = 'HIT' | 'STALE' | 'MISS'

export interface Found {
  readonly state: CacheState
  readonly kept: Kept
  /** Milliseconds since it was fetched. */
  readonly age: number
}

export interface Cache {
  readonly now: () => number
  /** The copy while it may be used, else what `make` makes; a copy that needs nothing is there at once. `reload` takes no copy, and leaves one. */
  find (key: string, make: () => Promise<Kept>, reload: boolean): Found | Promise<Found>
  /** A copy that is still fresh. */
  fresh (key: string): Kept | undefined
  keep (key: string, kept: Kept): void
  keys (): string[]
  /** Answers that are kept, and the memory they take. */
  size (): { readonly answers: number, readonly bytes: number }
}

/** What several instances keep together. */
export interface SharedCache {
  /** What any instance has kept under this key; undefined when there is nothing, or the store does not say. */
  read (key: string): Promise<Kept | undefined>
  /** What `make` makes, or what another instance makes meanwhile. `reload` takes no copy. */
  fetch (key: string, make: () => Promise<Kept>, reload: boolean): Promise<Kept>
  write (key: string, kept: Kept): void
}

export interface CacheOptions {
  readonly cacheBytes: number
  readonly cacheEntries: number
  readonly softDeadlineMs: number
  /** Milliseconds that never run backwards. */
  readonly now: () => number
  /** Throws when nothing more can be fetched now. */
  readonly admit: () => void
  /** Told why a fetch failed that nobody waits for. */
  readonly unseen: (error: unknown) => void
  /** Where other instances keep theirs. Answers to an account stay in this process. */
  readonly shared?: SharedCache | undefined
}

/** Who asks without an account: the identity at the beginning of such a key. */
export const anonymous = 'anonymous'
const isAnybodys = (key: string): boolean => key.startsWith(`${anonymous} `)

interface Fetching { readonly make: () => Promise<Kept>, readonly reload: boolean }

export function createCache ({ cacheBytes, cacheEntries, softDeadlineMs, now, admit, unseen, shared }: CacheOptions): Cache {
  const refusals = new LRUCache<string, { readonly facts: RefusalFacts, readonly until: number }>({ max: mostRefusals })
  const memory = new LRUCache<string, Kept, Fetching>({
    max: cacheEntries,
    maxSize: cacheBytes,
    maxEntrySize: Math.min(largest, cacheBytes),
    sizeCalculation: ({ body }, key) => body.length + 2 * key.length + 500,
    fetchMethod: async (key, _old, { context: { make, reload } }) => {
      try {
        return await (shared !== undefined && isAnybodys(key) ? shared.fetch(key, make, reload) : make())
      } catch (error) {
        if (isRefusal(error)) refusals.set(key, { facts: factsOf(error), until: now() + timesOf.brief.fresh })
        throw error
      }
    },
    // The old copy outlives a failure; a fetch goes on when its place is given to another.
    noDeleteOnFetchRejection: true,
    ignoreFetchAbort: true
  })
  /** One at a time for each key. A fetch is always awaited by somebody, so there is a value or an error. */
  const going = new Set<string>()
  async function fetch (key: string, make: () => Promise<Kept>, reload = false): Promise<Kept> {
    going.add(key)
    try {
      return await memory.fetch(key, { forceRefresh: true, context: { make, reload } }) as Kept
    } finally {
      going.delete(key)
    }
  }

  /** What the upstream said about this question a moment ago. */
  function refusalOf (key: string): RefusalFacts | undefined {
    const refusal = refusals.get(key)
    if (refusal === undefined || now() < refusal.until) return refusal?.facts
    refusals.delete(key)
    return undefined
  }

  const found = (state: CacheState, kept: Kept, age = now() - kept.since): Found => ({ state, kept, age })

  function find (key: string, make: () => Promise<Kept>, reload: boolean): Found | Promise<Found> {
    if (reload) return fetchOr(undefined, key, make, true)
    if (shared !== undefined && isAnybodys(key) && !memory.has(key) && refusalOf(key) === undefined) return fromOthers(key, shared).then(() => decide(key, make))
    return decide(key, make)
  }

  /** Puts into memory what other instances have; all who ask meanwhile wait for the same word. */
  const looking = new Map<string, Promise<void>>()
  async function fromOthers (key: string, others: SharedCache): Promise<void> {
    let look = looking.get(key)
    if (look === undefined) {
      // A fetch that has begun meanwhile brings a newer one, which this would keep out.
      look = others.read(key).then((kept) => { if (kept !== undefined && !memory.has(key) && !going.has(key)) memory.set(key, kept) }).finally(() => { looking.delete(key) })
      looking.set(key, look)
    }
    await look
  }

  /** What to do with the copy in memory, if there is one. */
  function decide (key: string, make: () => Promise<Kept>): Found | Promise<Found> {
    const kept = memory.get(key)
    const age = kept === undefined ? 0 : now() - kept.since
    if (kept !== undefined && age < kept.times.fresh) return found('HIT', kept, age)
    const refusal = refusalOf(key)
    if (refusal !== undefined) throw new UpstreamError(refusal.code, refusal.message, refusal)
    if (kept !== undefined && age < kept.times.fresh + kept.times.whileRevalidate) {
      if (!going.has(key)) fetch(key, make).catch(unseen)
      return found('STALE', kept, age)
    }
    // Nothing to send and nothing to join: when it could not be fetched either, that is said before any work goes into it.
    if (kept === undefined && !going.has(key)) admit()
    return fetchOr(kept !== undefined && age < kept.times.fresh + kept.times.ifError ? kept : undefined, key, make)
  }

  /** A new answer; the old one when that fails or takes too long. */
  async function fetchOr (old: Kept | undefined, key: string, make: () => Promise<Kept>, reload = false): Promise<Found> {
    const fetched = fetch(key, make, reload)
    if (old === undefined) return found('MISS', await fetched)
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<undefined>((resolve) => { timer = setTimeout(() => { resolve(undefined) }, softDeadlineMs) })
    try {
      const kept = await Promise.race([fetched, patience])
      if (kept !== undefined) return found('MISS', kept)
      fetched.catch(unseen)
      return found('STALE', old)
    } catch (error) {
      if (!mayStandIn(error)) throw error
      return found('STALE', old)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    now,
    find,
    fresh (key) {
      const kept = memory.get(key)
      return kept !== undefined && now() - kept.since < kept.times.fresh ? kept : undefined
    },
    keep (key, kept) {
      memory.set(key, kept)
      if (isAnybodys(key)) shared?.write(key, kept)
    },
    size: () => ({ answers: memory.size, bytes: memory.calculatedSize }),
    keys: () => [...memory.keys(), ...refusals.keys()]
  }
}

export function etagOf (body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
}

/** Whether an old copy may stand in: something is wrong with the upstream, its front or the time, and it said nothing about the thing itself. */
function mayStandIn (error: unknown): boolean {
  if (!(error instanceof RelayError)) return false
  if (isOutage(error)) return true
  return error.code === 'UPSTREAM_REFUSED' && error instanceof UpstreamError && error.upstreamCode === undefined && error.outcome !== 'auth'
}

/** What makes an equal error again. The error itself is not kept: its stack and its cause hold on to the request that met it. */
type RefusalFacts = Pick<UpstreamError, 'code' | 'message' | 'fault' | 'call' | 'outcome'> & { readonly upstreamCode?: number, readonly retryAfter?: number }

function factsOf ({ code, message, fault, call, outcome, upstreamCode, retryAfter }: UpstreamError): RefusalFacts {
  return { code, message, fault, call, outcome, ...(upstreamCode === undefined ? {} : { upstreamCode }), ...(retryAfter === undefined ? {} : { retryAfter }) }
}

/** The upstream's own verdict, which asking again at once does not change. That a login is wanted is none. */
function isRefusal (error: unknown): error is UpstreamError {
  if (!(error instanceof UpstreamError) || error.code === 'COOKIE_REJECTED') return false
  const meaning = generalMeaningOf(error)
  return error.code === 'NOT_FOUND' || (meaning !== undefined && meaning !== 'login')
}
