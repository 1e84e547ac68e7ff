/** Slots for the detail requests of `resolveMid`, of which a chart may have hundreds. */
import pLimit, { type LimitFunction } from 'p-limit'
import type { AbortSignalLike } from '../common/abort.ts'
import type { Client } from '../common/ledger.ts'
import { createFairQueue, type Limiter } from '../upstream/resilience/fairQueue.ts'

/** Runs the work when it has a slot. */
export type DetailSlots = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Creates `most` slots for the whole relay, in which clients take turns. Returns the slots for one request of a client. A
 * request queues for at most `most` songs at once, so that the queue stays short. After its `signal` has aborted it no longer
 * waits, and its calls fail at once.
 */
export function createDetailSlots (most: number): (client: Client | undefined, signal: () => AbortSignalLike) => DetailSlots {
  const queue = createFairQueue(Infinity)
  let busy = 0
  const limiter: Limiter = { apartMs: 0, dueMs: () => 0, fits: () => busy < most, enter () { busy++ }, leave () { busy-- } }
  return (client, signal) => {
    let own: LimitFunction | undefined
    return async (work) => await (own ??= pLimit(most))(async () => {
      const leave = await queue.pass({ client, limiter, longestMs: Infinity, signal: signal() })
      try {
        return await work()
      } finally {
        leave?.()
      }
    })
  }
}
