/**
 * The format of a cache entry in the shared store. Other programs may be able to write to the store and so change
 * answers, so an entry carries a code that only the instances can compute. The code is verified before anything in the
 * entry is used.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { etagOf, type CacheEntry } from './memory.ts'
import { ttlOf, type CachePolicy } from './policy.ts'

interface Head extends Pick<CacheEntry, 'cacheControl' | 'sources' | 'policy'> {
  /** When the oldest part was fetched, in milliseconds since the epoch. */
  readonly at: number
}

const macBytes = 32

/**
 * Maximum difference between the clocks of instances, in milliseconds. Within it, the age follows from the store's
 * remaining time.
 */
const clockDifference = 60_000

/** Converts entries to bytes and back. */
export type EntrySeal = ReturnType<typeof createSeal>

/**
 * Returns the seal of all instances with the same secret. `wallClock`: milliseconds since the epoch. `now`: clock of
 * the local cache, in milliseconds that never run backwards.
 */
export function createSeal (secret: string, wallClock: () => number = Date.now) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'music-relay cache entries', 32))
  const macOf = (name: string, text: Buffer): Buffer =>
    createHmac('sha256', key).update(`${name}\n`).update(text).digest()

  return {
    /** Returns the bytes of an entry for the key `name`. Under any other key they are refused. */
    pack (name: string, { cacheControl, sources, policy, since, body }: CacheEntry, now: number): Buffer {
      const head: Head = { cacheControl, sources, policy, at: wallClock() - (now - since) }
      const text = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body])
      return Buffer.concat([macOf(name, text), text])
    },
    /**
     * Returns the entry, or undefined if no instance wrote these bytes under this key. `leftMs`: the remaining time in
     * the store.
     */
    unpack (name: string, packed: unknown, leftMs: unknown, now: number): CacheEntry | undefined {
      if (
        !Buffer.isBuffer(packed) || packed.length <= macBytes || typeof leftMs !== 'number' || !(leftMs > 0)
      ) { return undefined }
      const text = packed.subarray(macBytes)
      if (!timingSafeEqual(packed.subarray(0, macBytes), macOf(name, text))) return undefined
      const end = text.indexOf('\n')
      const head = JSON.parse(text.subarray(0, end).toString()) as Head
      const { cacheControl, sources, policy, at } = head
      // During an update, other versions with the same secret also write to the store.
      if (!Object.hasOwn(ttlOf, policy) || !Array.isArray(sources)) return undefined
      const life = lifeOf(policy)
      // The remaining time needs no equal clocks. The time of the fetch reveals an old entry that was written back.
      const age = Math.max(0, life - leftMs, wallClock() - at - clockDifference)
      const body = text.subarray(end + 1)
      return age >= life ? undefined : { body, etag: etagOf(body), cacheControl, sources, policy, since: now - age }
    }
  }
}

/** Returns the total time for which an entry may be used, in milliseconds from its fetch. */
export function lifeOf (policy: CachePolicy): number {
  const { fresh, staleWhileRevalidate, staleIfError } = ttlOf[policy]
  return fresh + Math.max(staleWhileRevalidate, staleIfError)
}
