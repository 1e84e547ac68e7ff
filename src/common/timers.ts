/** The clock of a relay and its timers. They belong together: whoever replaces one, such as a test, replaces both. */
import type { AbortSignalLike } from './abort.ts'

/** The timers that a relay uses. Default: Node's. */
export type Timers = Pick<typeof globalThis, 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval'>

/** A clock in milliseconds that never runs backwards, and timers that follow it. */
export interface Clock {
  readonly now?: (() => number) | undefined
  readonly timers?: Timers | undefined
}

/** Returns the clock of the machine where `clock` has none. */
export function clockOf (
  { now = () => performance.now(), timers = globalThis }: Clock
): { readonly now: () => number, readonly timers: Timers } {
  return { now, timers }
}

/** Resolves after `ms` milliseconds, or when `signal` aborts. */
export async function sleep (
  ms: number,
  { setTimeout, clearTimeout }: Timers,
  signal?: AbortSignalLike
): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    if (signal?.aborted === true) end()
  })
}
