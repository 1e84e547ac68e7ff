/** A map whose entries expire after a time. When it is full, setting a key removes the entry that was set first. */
export interface TtlMap<V> {
  get (key: string): V | undefined
  set (key: string, value: V): void
  delete (key: string): void
}

/** `most`: maximum number of entries. `ttlMs`: lifetime of an entry in milliseconds, on the clock `now`. */
export function createTtlMap<V> (most: number, ttlMs: number, now: () => number): TtlMap<V> {
  const entries = new Map<string, { readonly value: V, readonly since: number }>()
  /** The oldest entries are first, so the loop stops at the first one that has not expired. */
  function dropExpired (): void {
    for (const [key, { since }] of entries) {
      if (now() - since < ttlMs) return
      entries.delete(key)
    }
  }

  return {
    get (key) {
      dropExpired()
      return entries.get(key)?.value
    },
    set (key, value) {
      dropExpired()
      entries.delete(key)
      entries.set(key, { value, since: now() })
      const oldest = entries.keys().next()
      if (entries.size > most && oldest.done !== true) entries.delete(oldest.value)
    },
    delete: (key) => { entries.delete(key) }
  }
}

// @mutate login steps: login-rules
