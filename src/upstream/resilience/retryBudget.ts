/** The retry budget: how many further attempts are allowed. */

/** The size of the budget. */
export interface RetryBudgetOptions {
  /** Attempts per 100 requests that the upstream answered. */
  readonly retryPercent: number
  /** Attempts per second that are always allowed. */
  readonly retryFloor: number
  /** Maximum number of attempts that can be saved up. */
  readonly retryBurst: number
}

/**
 * Creates a full budget. By default it grows by a tenth of the answered requests, or by one per second if that is more:
 * doubling the load of a failing host is how an outage spreads. `take` uses one attempt; false when none is left.
 */
export function createRetryBudget (
  { retryPercent, retryFloor, retryBurst }: RetryBudgetOptions,
  now: () => number
): { answered (): void, take (): boolean } {
  let left = retryBurst
  let answers = 0
  let last = now()
  return {
    answered () { answers++ },
    take () {
      const earned = Math.max(answers * retryPercent / 100, (now() - last) / 1000 * retryFloor)
      left = Math.min(retryBurst, left + earned)
      answers = 0
      last = now()
      if (left < 1) return false
      left--
      return true
    }
  }
}
