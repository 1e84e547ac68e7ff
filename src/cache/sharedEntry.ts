/**
 * The form of a cache entry in the shared store. Whoever can write to the store could otherwise put anything into answers, so
 * an entry carries a code that only the instances can make. Nothing in it is used before the code has been checked.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { etagOf } from './memory.ts'
import type { CacheEntry } from './memory.ts'
import { ttlOf } from './policy.ts'
import type { CachePolicy } from './policy.ts'

/** Turns entries into bytes and back. `now`: clock of the local cache, in milliseconds that never run backwards. */
export interface EntrySeal {
  /** Returns the bytes of an entry for the place `name`. At any other place they are refused. */
  pack (name: string, entry: CacheEntry, now: number): Buffer
  /** Returns the entry, or undefined for anything that no instance wrote there. `leftMs`: the store's remaining time. */
  unpack (name: string, packed: unknown, leftMs: unknown, now: number): CacheEntry | undefined
}

interface Head extends Pick<CacheEntry, 'cacheControl' | 'sources' | 'policy'> {
  /** When the oldest part was fetched, in milliseconds since the epoch. */
  readonly at: number
}

const macBytes = 32

/** How far the clocks of instances may differ, in milliseconds. Within that, the age follows from the store's remaining time. */
const clockDifference = 60_000

/** Returns the seal of all instances with the same secret. `wallClock`: milliseconds since the epoch. */
export function createSeal (secret: string, wallClock: () => number = Date.now): EntrySeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'music-relay cache entries', 32))
  const macOf = (name: string, text: Buffer): Buffer => createHmac('sha256', key).update(`${name}\n`).update(text).digest()

  return {
    pack (name, { cacheControl, sources, policy, since, body }, now) {
      const head: Head = { cacheControl, sources, policy, at: wallClock() - (now - since) }
      const text = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body])
      return Buffer.concat([macOf(name, text), text])
    },
    unpack (name, packed, leftMs, now) {
      if (!Buffer.isBuffer(packed) || packed.length <= macBytes || typeof leftMs !== 'number' || !(leftMs > 0)) return undefined
      const text = packed.subarray(macBytes)
      if (!timingSafeEqual(packed.subarray(0, macBytes), macOf(name, text))) return undefined
      const end = text.indexOf('\n')
      const head = JSON.parse(text.subarray(0, end).toString()) as Head
      if (!isOurs(head)) return undefined
      const { cacheControl, sources, policy, at } = head
      const life = lifeOf(policy)
      // The remaining time needs no equal clocks. The time of the fetch unmasks an old entry that was put back.
      const age = Math.max(0, life - leftMs, wallClock() - at - clockDifference)
      const body = text.subarray(end + 1)
      return age >= life ? undefined : { body, etag: etagOf(body), cacheControl, sources, policy, since: now - age }
    }
  }
}

/** Returns how long an entry may be used at all, in milliseconds from its fetch. */
export function lifeOf (policy: CachePolicy): number {
  const { fresh, staleWhileRevalidate, staleIfError } = ttlOf[policy]
  return fresh + Math.max(staleWhileRevalidate, staleIfError)
}

/** Whether an entry is one of this version. While instances are updated, others with the same secret write to the store, too. */
const isOurs = ({ policy, sources }: Head): boolean => Object.hasOwn(ttlOf, policy) && Array.isArray(sources)
