/**
 * Rate limit of one upstream host. Slots limit the requests in flight, but a fast host still gets many requests per second.
 * An upstream that gets too many blocks the relay's address, and with it every user of the relay.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** The rate, the burst and the longest wait. */
export interface RateLimiterOptions {
  /** Average number of requests per second; 0 for no limit. */
  readonly upstreamRatePerHost: number
  /** Maximum number of requests at once after a quiet period. */
  readonly upstreamBurstPerHost: number
  /** Maximum wait for a turn. Milliseconds. */
  readonly upstreamQueueMs: number
}

/** The turns of one host. */
export interface RateLimiter {
  /**
   * Waits for a turn, or until `signal` aborts. Returns false at once when the
   * wait would be too long; no turn is used then.
   */
  acquire (signal: AbortSignal): Promise<boolean>
}

/** Creates a limiter with a full burst. `now` returns milliseconds of a monotonic clock. */
export function createRateLimiter ({ upstreamRatePerHost, upstreamBurstPerHost, upstreamQueueMs }: RateLimiterOptions, now: () => number): RateLimiter {
  if (upstreamRatePerHost === 0) return { acquire: async () => true }
  const apart = 1000 / upstreamRatePerHost
  /** When the next turn would be due without a burst. */
  let due = -Infinity
  return {
    async acquire (signal) {
      const time = now()
      const next = Math.max(due, time - apart * (upstreamBurstPerHost - 1))
      if (next - time > upstreamQueueMs) return false
      due = next + apart
      if (next > time) await sleep(next - time, undefined, { signal }).catch(() => undefined)
      return true
    }
  }
}
