/** A clock that only the test moves, with its timers: the options `now` and `timers` of a relay. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Timers } from '../../src/common/timers.ts'

interface Waiting { at: number, readonly every: number | undefined, readonly run: () => void, unref (): Waiting }

export interface TestClock {
  /** For a relay. */
  readonly options: { readonly now: () => number, readonly timers: Timers }
  /** Number of timers that wait. */
  readonly pending: () => number
  /** Moves the time, and runs what is due on the way, in its order. The loop turns after each. */
  advance (ms: number): Promise<void>
}

/** Starts at a million milliseconds, so that nothing is due because it was never set. */
export function testClock (): TestClock {
  let time = 1_000_000
  const waiting = new Set<Waiting>()
  const add = (every?: true) => (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]): Waiting => {
    const each: Waiting = { at: time + ms, every: every && ms, run: () => { run(...values) }, unref: () => each }
    waiting.add(each)
    return each
  }
  const clear = (each?: Waiting): void => { if (each !== undefined) waiting.delete(each) }
  const timers =
    { setTimeout: add(), setInterval: add(true), clearTimeout: clear, clearInterval: clear } as unknown as Timers
  return {
    options: { now: () => time, timers },
    pending: () => waiting.size,
    async advance (ms) {
      const end = time + ms
      for (;;) {
        await turn()
        const due = [...waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (due === undefined) break
        time = Math.max(time, due.at)
        if (due.every === undefined) waiting.delete(due)
        else due.at += due.every
        due.run()
      }
      time = end
      await turn()
    }
  }
}
