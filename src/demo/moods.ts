import { means, type Called } from './faults.ts'
import type { Keys } from './keys.ts'
import { moodFaults, type Standing } from './moodFaults.ts'
import { moodLines, moodsNamed, type MoodLine } from './moodNames.ts'
import type { Fault } from './types.ts'

export interface MoodVerbs {
  /** Every mood, and whether it is on. */
  list: () => Array<MoodLine & { on: boolean }>
  /**
   * Switches moods on: one name, or several with commas. Throws a RangeError that lists the moods if a name is unknown.
   */
  on: (names: string) => void
  /** Switches moods off. A mood that is off stays off. */
  off: (names: string) => void
}

export interface Moods extends MoodVerbs {
  /** Returns the fault of this call. Of several moods, the one that was switched on first counts. */
  standing: (called: Called) => Fault | undefined
}

/** Risk control ends after 60 to 90 seconds (2026-08). */
const lastsMs = 60_000

/** The moods of one demo. */
export function buildMoods ({ keys, now }: { keys: Keys, now: () => number }): Moods {
  const faults = moodFaults()
  const active = new Map<string, { faults: readonly Standing[], until: number }>()

  const isOn = (name: string): boolean => {
    const until = active.get(name)?.until
    if (until !== undefined && now() >= until) active.delete(name)
    return active.has(name)
  }
  const switched = (name: string, on: boolean): void => {
    if (name === 'key-expired') keys.expireAll(on)
    if (name === 'key-rotated' && on) keys.renewAll()
    if (name === 'key-rotated' && !on) keys.restoreAll()
    if (name === 'renewal-forgiving') keys.forgive(on)
  }

  return {
    list: () => moodLines().map((line) => ({ ...line, on: isOn(line.name) })),
    on: (names) => {
      for (const name of moodsNamed(names)) {
        if (!active.has(name)) switched(name, true)
        active.set(name, {
          faults: faults.get(name) ?? [],
          until: /-(?:2001|filter12)$/.test(name) ? now() + lastsMs : Infinity
        })
      }
    },
    off: (names) => {
      for (const name of moodsNamed(names)) if (active.delete(name)) switched(name, false)
    },
    standing: (called) => {
      for (const [name, mood] of active) {
        const found = mood.faults.find(([calls]) => means(calls, called))
        if (!found || !isOn(name)) continue
        // The mood ends after one lost answer.
        if ('lost' in found[1]) active.delete(name)
        return found[1]
      }
      return undefined
    }
  }
}
