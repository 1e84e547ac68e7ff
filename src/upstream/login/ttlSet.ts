/** A set whose keys expire after a time. When it is full, adding a key drops the oldest. */
export interface TtlSet {
  has (key: string): boolean
  add (key: string): void
  delete (key: string): void
}

/** `most`: maximum number of keys. `keepMs`: lifetime of a key in milliseconds, on the clock `now`. */
export function createTtlSet (most: number, keepMs: number, now: () => number): TtlSet {
  const since = new Map<string, number>()
  return {
    has: (key) => now() - (since.get(key) ?? -Infinity) < keepMs,
    add (key) {
      since.delete(key)
      since.set(key, now())
      const oldest = since.keys().next()
      if (since.size > most && oldest.done !== true) since.delete(oldest.value)
    },
    delete: (key) => { since.delete(key) }
  }
}
