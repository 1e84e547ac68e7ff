/** How long something may take, and why it was given up. */

/** Reason of an abort because the caller left, as opposed to a deadline. */
export const clientGone: unique symbol = Symbol('client gone')

/** Reason of an abort because the relay stops. */
export const relayStops: unique symbol = Symbol('relay stops')

export interface Deadline {
  readonly signal: AbortSignal
  /** Gives up now: the relay stops. */
  stop (): void
  end (): void
}

/** Aborts when the time is over or the caller leaves, whichever comes first. */
export function startDeadline (ms: number, gone: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => { controller.abort(new Error('deadline')) }, ms)
  const leave = (): void => { controller.abort(clientGone) }
  if (gone?.aborted === true) leave()
  gone?.addEventListener('abort', leave, { once: true })
  return {
    signal: controller.signal,
    stop () { controller.abort(relayStops) },
    end () {
      clearTimeout(timer)
      gone?.removeEventListener('abort', leave)
    }
  }
}
