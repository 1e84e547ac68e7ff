/** Deadlines, and the reasons why work was aborted. */
import { createAbort, type AbortSignalLike } from '../../common/abort.ts'
import { clockOf, type Clock } from '../../common/timers.ts'

/** Abort reason: the caller left, so the answer is not needed. */
export const clientGone: unique symbol = Symbol('client gone')

/** Abort reason: the relay is stopping. */
export const relayStops: unique symbol = Symbol('relay stops')

/** Abort reason: the time is over. */
const timeIsOver: unique symbol = Symbol('deadline')

/** A time limit for one piece of work. */
export interface Deadline {
  readonly signal: AbortSignalLike
  /** Milliseconds until its time is over. */
  leftMs (): number
  /** Aborts now, with this reason. */
  giveUp (reason: typeof clientGone | typeof relayStops): void
  /** The work is done: clears the timer, so that nothing is aborted later. */
  end (): void
}

/** Starts a deadline. Its signal aborts after `ms` milliseconds, or when `gone` aborts, whichever comes first. */
export function startDeadline (ms: number, gone: AbortSignalLike | undefined, clock: Clock = {}): Deadline {
  const { now, timers: { setTimeout, clearTimeout } } = clockOf(clock)
  const { signal, abort } = createAbort()
  const timer = setTimeout(abort, ms, timeIsOver)
  const over = now() + ms
  const leave = (): void => { abort(clientGone) }
  if (gone?.aborted === true) leave()
  gone?.addEventListener('abort', leave)
  const end = (): void => {
    clearTimeout(timer)
    gone?.removeEventListener('abort', leave)
  }
  return {
    signal,
    leftMs: () => over - now(),
    giveUp (reason) {
      end()
      abort(reason)
    },
    end
  }
}
