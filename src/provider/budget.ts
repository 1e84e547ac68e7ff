/** How many further attempts there may be. */

export interface BudgetOptions {
  /** Part of the requests that the upstream answers. Percent. */
  readonly retryPercent: number
  /** Attempts per second that are allowed in any case. */
  readonly retryFloor: number
  /** Most that may be saved up. */
  readonly retryBurst: number
}

/**
 * Further attempts are a tenth of what the upstream answers, or one per second if that is more: doubling the work of
 * a host in trouble is how an outage spreads.
 */
export function createBudget ({ retryPercent, retryFloor, retryBurst }: BudgetOptions, now: () => number): { answered (): void, take (): boolean } {
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
