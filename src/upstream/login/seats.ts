/** The places of waiting login checks. When all are taken, whoever holds most of them gives one to a client who has none. */
import type { AbortSignalLike } from '../../common/abort.ts'
import type { Client, Holding } from '../../common/ledger.ts'
import { overloaded } from './singleFlight.ts'

/** The places of one relay. */
export interface Seats {
  /**
   * Runs `wait` in a place. Undefined: the place was given to another client, and the signal of `wait` has aborted. Throws OVERLOADED
   * if there is no place, and what `wait` throws.
   */
  take<T> (who: Sitter, wait: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>
}

/** Who waits, and whether it can still be sent away: a check that has begun to finish a login cannot. */
export interface Sitter {
  readonly client: Client | undefined
  readonly signal: AbortSignalLike | undefined
  readonly canGo: () => boolean
}

interface Seat extends Sitter { readonly leave: AbortController, given: boolean }

/** `polls`: the account book of the places. */
export function createSeats (polls: Holding): Seats {
  /** In the order of arrival. */
  const seats = new Set<Seat>()

  /** Ends the wait of whoever holds most; of equals, of the one who has waited longest. */
  function makeRoomFor (client: Client): void {
    let found: Seat | undefined
    let most = 0
    for (const seat of seats) {
      const load = seat.client === undefined || !seat.canGo() ? 0 : polls.loadOf(seat.client)
      if (load > most) [found, most] = [seat, load]
    }
    if (found === undefined) return
    polls.give(found.client)
    // The network of the newcomer may have its share already.
    if (polls.isFull(client)) return polls.charge(found.client, 1)
    seats.delete(found)
    found.given = true
    found.leave.abort()
  }

  return {
    async take (sitter, wait) {
      const { client, signal } = sitter
      const held = client === undefined ? 0 : polls.heldBy(client)
      if (client !== undefined && held === 0 && polls.isFull(undefined)) makeRoomFor(client)
      if (!polls.take(client)) throw overloaded(held > 0 ? 'This client has as many login polls waiting as one may have' : 'As many login polls as this relay holds are waiting')
      const seat: Seat = { ...sitter, leave: new AbortController(), given: false }
      const gone = (): void => { seat.leave.abort() }
      if (signal?.aborted === true) gone()
      signal?.addEventListener('abort', gone)
      seats.add(seat)
      try {
        return await wait(seat.leave.signal)
      } catch (error) {
        if (seat.given) return undefined
        throw error
      } finally {
        signal?.removeEventListener('abort', gone)
        seats.delete(seat)
        if (!seat.given) polls.give(client)
      }
    }
  }
}
