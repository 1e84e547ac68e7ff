/** How long something may take, and why it was given up. */

/** Reason of an abort because nobody waits for the answer any more, as opposed to a deadline. */
export const clientGone: unique symbol = Symbol('client gone')

/** Reason of an abort because the relay stops. */
export const relayStops: unique symbol = Symbol('relay stops')

export interface Deadline {
  readonly signal: AbortSignal
  /** Gives up now, for this reason. */
  giveUp (reason: typeof clientGone | typeof relayStops): void
  /** It is done in time: nothing will be given up any more. */
  end (): void
}

/** Aborts when the time is over or the caller leaves, whichever comes first. */
export function startDeadline (ms: number, gone: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
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
