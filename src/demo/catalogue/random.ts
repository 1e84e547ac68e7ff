/** A seeded random source. The same seed gives the same catalogue on every machine. */
export interface Random {
  /** 0 <= value < 1 */
  next: () => number
  /** Both ends included. */
  int: (from: number, to: number) => number
  pick: <T>(list: readonly T[]) => T
}

/** Returns the seed for an id: FNV-1a, 32 bits. */
export function seedOf (text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Returns the random source of a seed: mulberry32. */
export function randomFrom (seed: number): Random {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  const pick = <T>(list: readonly T[]): T => {
    const chosen = list[int(0, list.length - 1)]
    if (chosen === undefined) throw new RangeError('nothing to pick from')
    return chosen
  }
  return { next, int, pick }
}
