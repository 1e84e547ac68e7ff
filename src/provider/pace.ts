/**
 * How fast one upstream host is asked. Places bound what is in flight; when the host is quick that is still many requests
 * a second, and an upstream that is asked more than it likes blocks the address, for every user of the relay at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export interface PaceOptions {
  /** Requests per second in the long run; 0 for no limit. */
  readonly upstreamRatePerHost: number
  /** Requests that may go at once after a quiet time. */
  readonly upstreamBurstPerHost: number
  /** Longest wait for a turn. Milliseconds. */
  readonly upstreamQueueMs: number
}

export interface Pace {
  /** Waits for a turn, or until `signal` says that nobody does; false when it would take too long, and then no turn is used. */
  turn (signal: AbortSignal): Promise<boolean>
}

/** `now`: milliseconds on a clock that never goes back. */
export function createPace ({ upstreamRatePerHost, upstreamBurstPerHost, upstreamQueueMs }: PaceOptions, now: () => number): Pace {
  if (upstreamRatePerHost === 0) return { turn: async () => true }
  const apart = 1000 / upstreamRatePerHost
  /** When the next turn would be due if none could be saved up. */
  let due = -Infinity
  return {
    async turn (signal) {
      const time = now()
      const next = Math.max(due, time - apart * (upstreamBurstPerHost - 1))
      if (next - time > upstreamQueueMs) return false
      due = next + apart
      if (next > time) await sleep(next - time, undefined, { signal }).catch(() => undefined)
      return true
    }
  }
}
