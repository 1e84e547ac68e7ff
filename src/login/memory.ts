/** A set that forgets: after a time, and the oldest first when it is full. */
export interface Memory {
  has (key: string): boolean
  add (key: string): void
  delete (key: string): void
}

export function createMemory (most: number, keepMs: number, now: () => number): Memory {
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
