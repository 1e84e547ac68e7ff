/**
 * Facts about songs from earlier detail requests, cached so that a play address or a page of comments needs no detail
 * request of its own. Background: docs/decisions.md#0018.
 */
import { createHash } from 'node:crypto'
import pLimit, { type LimitFunction } from 'p-limit'
import type { FileQuality } from '../../schemas/music.ts'
import type { AbortSignalLike } from '../common/abort.ts'
import type { Client } from '../common/ledger.ts'
import { createTtlMap } from '../common/ttlMap.ts'
import type { Settled } from '../upstream/calls.ts'
import { cookieHeader, type Credential } from '../upstream/wire/credentials.ts'
import { createLanes } from '../upstream/lane.ts'

/** Identifies a song. The upstream accepts only one of the two. */
export type SongKey = { readonly song_id: number } | { readonly song_mid: string }

/** Facts of one song, from its track. They are the same for every account. */
export interface SongFacts {
  readonly id: number
  readonly mid: string | undefined
  /** Differs from the song's MID for many songs. */
  readonly mediaMid: string
  readonly trialMid: string | undefined
  readonly songType: number
  /** Length; 0 if unknown. */
  readonly seconds: number
  /** Size in bytes by quality. Only existing files are listed. */
  readonly sizes: ReadonlyMap<FileQuality, number>
  /** True if the song cannot be played from here at all, paid or not. */
  readonly closed: boolean
}

/** `known`: this request did not fetch it. */
export type FoundFacts = Settled<SongFacts> & { readonly known?: true }

type Fetch = (missing: readonly SongKey[]) => Promise<readonly Settled<SongFacts>[]>

/** The cached facts, as one request may use them. */
export interface Songs {
  /**
   * Returns the facts of songs in the order of `keys`: cached ones, and `fetch` for the rest. If other requests are
   * already fetching all of the rest, it waits for them instead. `afresh`: fetches all of them.
   */
  find (keys: readonly SongKey[], fetch: Fetch, afresh?: boolean): Promise<readonly FoundFacts[]>
  /** Returns the cached facts of a song. */
  get (key: SongKey): SongFacts | undefined
  /** Stores the facts of a song. `read` is not called if facts are not cached. */
  store (read: () => SongFacts): void
}

/** Stores nothing. Used by the library and without the cache. */
export const noSongFacts: Songs = { find: async (keys, fetch) => await fetch(keys), get: () => undefined, store () {} }

/** A request: its login, the signal that ends its waiting, and whether it ignores cached facts. */
export interface SongsRequest {
  readonly credential: Credential | undefined
  readonly signal: () => AbortSignalLike
  readonly reload: boolean
}

/** Maximum length of a cached MID. The upstream's have 14 characters. */
const longestMid = 64

const nameOf = (key: SongKey): string => 'song_id' in key ? `id ${key.song_id}` : `mid ${key.song_mid}`

/**
 * Returns an empty cache for the facts of songs. `most`: names of songs. Each song has up to three: the requested one,
 * its number and its MID. `ttlMs`: milliseconds on the clock `now`. Facts fetched without a login are used for
 * everybody. Facts fetched with a login are used for that login only, because only the upstream knows whether another
 * login is valid.
 */
export function createSongFacts (most: number, ttlMs: number, now: () => number): (request: SongsRequest) => Songs {
  const entries = createTtlMap<SongFacts>(most, ttlMs, now)
  /** Detail requests in progress. They never reject. */
  const inFlight = new Map<string, Promise<void>>()

  return ({ credential, signal, reload }) => {
    const own = credential === undefined ? 'public'
      : createHash('sha256').update(cookieHeader(credential)).digest('base64url')
    const get = (key: SongKey): SongFacts | undefined =>
      entries.get(`${own} ${nameOf(key)}`)
        ?? (credential === undefined ? undefined : entries.get(`public ${nameOf(key)}`))
    const set = (facts: SongFacts, ...keys: SongKey[]): void => {
      const { id, mid, mediaMid, trialMid } = facts
      if ([mid, mediaMid, trialMid].some((text = '') => text.length > longestMid)) return
      for (const key of [...keys, { song_id: id }, ...mid === undefined ? [] : [{ song_mid: mid }]]) {
        entries.set(`${own} ${nameOf(key)}`, facts)
      }
    }

    /** Fetches facts, also for requests that need them meanwhile. */
    async function fetchFor (missing: readonly SongKey[], fetch: Fetch): Promise<readonly Settled<SongFacts>[]> {
      const names = missing.map((key) => `${own} ${nameOf(key)}`)
      const work = fetch(missing).then((settled) => {
        for (const [at, { value }] of settled.entries()) if (value !== undefined) set(value, missing[at] as SongKey)
        return settled
      })
      const over = work.then(() => {}, () => {})
      for (const name of names) inFlight.set(name, over)
      try {
        return await work
      } finally {
        for (const name of names) if (inFlight.get(name) === over) inFlight.delete(name)
      }
    }

    async function find (keys: readonly SongKey[], fetch: Fetch, afresh = reload): Promise<readonly FoundFacts[]> {
      if (afresh) return await fetchFor(keys, fetch)
      const others = keys.filter((key) => get(key) === undefined).map((key) => inFlight.get(`${own} ${nameOf(key)}`))
      // A request that must fetch one of the songs fetches all of them. Songs that the others did not find are fetched
      // again, because their requests may have been aborted.
      if (others.length > 0 && !others.includes(undefined)) await unlessAborted(Promise.all(others), signal())
      const found = keys.map(get)
      const missing = keys.filter((_key, at) => found[at] === undefined)
      const fetched = missing.length === 0 ? [] : [...await fetchFor(missing, fetch)]
      return found.map((value) => value === undefined ? fetched.shift() as Settled<SongFacts> : { value, known: true })
    }

    return { find, get: (key) => reload ? undefined : get(key), store: (read) => { set(read()) } }
  }
}

/** Waits for the work or for the abort. The calls that follow an abort fail by themselves. */
async function unlessAborted (work: Promise<unknown>, signal: AbortSignalLike): Promise<void> {
  if (signal.aborted) return
  await Promise.race([work, new Promise<void>((resolve) => { signal.addEventListener('abort', () => { resolve() }) })])
}

// Slots for the detail requests of `resolveMid`, of which a chart may have hundreds.

/** Runs the work when it has a slot. */
export type DetailSlots = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Creates `most` slots for the whole relay, in which clients take turns. Returns the slots for one request of a client.
 * A request queues for at most `most` songs at once, so that the queue stays short. After its `signal` has aborted it
 * no longer waits, and its calls fail at once.
 */
export function createDetailSlots (
  most: number
): (client: Client | undefined, signal: () => AbortSignalLike) => DetailSlots {
  const lane = createLanes().open({ atOnce: { total: most, share: Infinity } })
  return (client, signal) => {
    let own: LimitFunction | undefined
    return async (work) => await (own ??= pLimit(most))(async () => {
      const leave = await lane.enter(client, Infinity, signal())
      try {
        return await work()
      } finally {
        leave?.()
      }
    })
  }
}
