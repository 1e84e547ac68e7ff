/**
 * Rate limit of one upstream host. Slots limit the requests in flight, but a fast host still gets many requests per
 * second. An upstream that gets too many blocks the relay's address, and with it every user of the relay.
 */
import { createHolding, type Client } from '../../common/ledger.ts'
import type { Limiter } from './fairQueue.ts'

/** The rate and the burst. */
export interface RateLimiterOptions {
  /** Average number of requests per second; 0 for no limit. */
  readonly upstreamRatePerHost: number
  /** Maximum number of requests at once after a quiet period. One client gets half of them. */
  readonly upstreamBurstPerHost: number
}

/** The turns of one host. */
export type RateLimiter = Omit<Limiter, 'leave'>

/** Creates a limiter with a full burst. `now` returns milliseconds of a monotonic clock. */
export function createRateLimiter (
  { upstreamRatePerHost, upstreamBurstPerHost }: RateLimiterOptions,
  now: () => number
): RateLimiter {
  if (upstreamRatePerHost === 0) return { apartMs: 0, dueMs: () => 0, fits: () => true, enter () {} }
  const apartMs = 1000 / upstreamRatePerHost
  /** When the next turn would be due without a burst. */
  let due = -Infinity
  /** The burst. The part that a client takes counts as held until it has grown again, the oldest first. */
  const burst = createHolding({ total: upstreamBurstPerHost, share: 'free' })
  const takers: (Client | undefined)[] = []
  let returned = 0

  function giveBack (): void {
    const missing = (due - now()) / apartMs + upstreamBurstPerHost - 1
    while (returned < takers.length && burst.all() > missing) burst.give(takers[returned++])
    if (returned < 1000 && returned < takers.length) return
    takers.splice(0, returned)
    returned = 0
  }

  return {
    apartMs,
    dueMs: () => due - now(),
    fits (client) {
      if (client === undefined) return true
      giveBack()
      return !burst.isFull(client)
    },
    enter (client) {
      giveBack()
      burst.charge(client, 1)
      takers.push(client)
      due = Math.max(due, now() - apartMs * (upstreamBurstPerHost - 1)) + apartMs
    }
  }
}
