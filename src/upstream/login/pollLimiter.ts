/**
 * Limits waiting login checks. When all slots are taken, the client with most of them loses one to a client that has
 * none.
 */
import type { AbortSignalLike } from '../../common/abort.ts'
import type { Client, Holding } from '../../common/ledger.ts'
import { overloaded } from './singleFlight.ts'

/** The slots of one relay. */
export interface PollLimiter {
  /**
   * Runs `wait` in a slot. Undefined: the slot was given to another client, and the signal of `wait` was aborted.
   * Throws OVERLOADED if no slot is free, and any error of `wait`.
   */
  take<T> (who: WaitingPoll, wait: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>
}

/** A waiting check and its client. A check that has begun to finish a login can no longer be ended. */
export interface WaitingPoll {
  readonly client: Client | undefined
  readonly signal: AbortSignalLike | undefined
  readonly canGo: () => boolean
}

interface Slot extends WaitingPoll { readonly leave: AbortController, given: boolean }

/** Creates a limiter. `polls`: the holding that counts the slots. */
export function createPollLimiter (polls: Holding): PollLimiter {
  /** In the order of arrival. */
  const slots = new Set<Slot>()

  /** Ends a check of the client with most slots; with equal counts, the check that waits longest. */
  function makeRoomFor (client: Client): void {
    let found: Slot | undefined
    let most = 0
    for (const slot of slots) {
      const load = slot.client === undefined || !slot.canGo() ? 0 : polls.loadOf(slot.client)
      if (load > most) [found, most] = [slot, load]
    }
    if (found === undefined) return
    polls.give(found.client)
    // The network of the new client may have used its share already.
    if (polls.isFull(client)) return polls.charge(found.client, 1)
    slots.delete(found)
    found.given = true
    found.leave.abort()
  }

  return {
    async take (poll, wait) {
      const { client, signal } = poll
      const held = client === undefined ? 0 : polls.heldBy(client)
      if (client !== undefined && held === 0 && polls.isFull(undefined)) makeRoomFor(client)
      if (!polls.take(client)) {
        throw overloaded(
          held > 0 ? 'This client has as many login polls waiting as one may have' : 'As many login polls as this relay holds are waiting'
        )
      }
      const slot: Slot = { ...poll, leave: new AbortController(), given: false }
      const gone = (): void => { slot.leave.abort() }
      if (signal?.aborted === true) gone()
      signal?.addEventListener('abort', gone)
      slots.add(slot)
      try {
        return await wait(slot.leave.signal)
      } catch (error) {
        if (slot.given) return undefined
        throw error
      } finally {
        signal?.removeEventListener('abort', gone)
        slots.delete(slot)
        if (!slot.given) polls.give(client)
      }
    }
  }
}
