/** Finished answers that take much work to make from cached pages. Each is used while its pages are fresh. */
import { LRUCache } from 'lru-cache'
import type { Cache, CacheEntry } from '../cache/memory.ts'
import type { CacheKey } from '../cache/policy.ts'

/** The cache entries that an answer is made of. */
export type Pages = ReturnType<typeof createPages>

/** Returns an empty list. Only the tags of the entries are kept, so that it holds no memory of theirs. */
export function createPages ({ getFresh }: Pick<Cache, 'getFresh'>) {
  const pages: (readonly [key: CacheKey, etag: string])[] = []
  let isWhole = true
  return {
    add (key: CacheKey, { etag }: CacheEntry): void { pages.push([key, etag]) },
    /** Notes that a part of the answer is missing or is not cached: the answer is not kept. */
    spoil (): void { isWhole = false },
    /** Whether all entries are still the fresh ones. */
    areFresh: () => isWhole && pages.length > 0 && pages.every(([key, etag]) => getFresh(key)?.etag === etag)
  }
}

/** Finished answers by key. */
export type Finished = ReturnType<typeof createFinished>

/** Smallest answer that is kept, in bytes. */
const smallest = 16 * 1024

/** `bytes`: size of all answers together. */
export function createFinished (bytes: number) {
  const kept = new LRUCache<string, { readonly body: Buffer, readonly isFresh: () => boolean }>({
    maxSize: bytes,
    sizeCalculation: ({ body }, key) => body.length + 2 * key.length + 500
  })
  const underWay = new Map<string, Promise<unknown>>()

  function get (key: string): Buffer | undefined {
    const found = kept.get(key)
    if (found === undefined || found.isFresh()) return found?.body
    kept.delete(key)
    return undefined
  }

  return {
    get,
    /** Keeps an answer while `isFresh` says so. Small ones are not kept, because they are soon made. */
    set (key: string, body: Buffer, isFresh: () => boolean): void {
      if (body.length >= smallest && isFresh()) kept.set(key, { body, isFresh })
    },
    /** Returns an answer, or what `make` returns. Equal requests at the same time wait for the first one. */
    async find (key: string, make: () => Promise<Buffer>): Promise<Buffer> {
      // The first one may fail or be too small to be kept. Then each makes its own.
      const first = underWay.get(key)
      if (first !== undefined) await first
      const found = get(key)
      if (found !== undefined) return found
      const making = make()
      if (!underWay.has(key)) underWay.set(key, making.catch(() => {}).finally(() => { underWay.delete(key) }))
      return await making
    }
  }
}
