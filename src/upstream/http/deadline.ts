/** Deadlines, and the reasons why work was aborted. */
import { setMaxListeners } from 'node:events'

/** Abort reason: the caller left, so nobody waits for the answer. */
export const clientGone: unique symbol = Symbol('client gone')

/** Abort reason: the relay is stopping. */
export const relayStops: unique symbol = Symbol('relay stops')

/** A time limit for one piece of work. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Aborts now, with this reason. */
  giveUp (reason: typeof clientGone | typeof relayStops): void
  /** The work is done: clears the timer, so that nothing is aborted later. */
  end (): void
}

/** Starts a deadline. Its signal aborts after `ms` milliseconds, or when `gone` aborts, whichever comes first. */
export function startDeadline (ms: number, gone: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal) // one for each call of the request that waits or is in flight
  const timer = setTimeout(() => { controller.abort(new Error('deadline')) }, ms)
  const leave = (): void => { controller.abort(clientGone) }
  if (gone?.aborted === true) leave()
  gone?.addEventListener('abort', leave, { once: true })
  const end = (): void => {
    clearTimeout(timer)
    gone?.removeEventListener('abort', leave)
  }
  return {
    signal: controller.signal,
    giveUp (reason) {
      end()
      controller.abort(reason)
    },
    end
  }
}
