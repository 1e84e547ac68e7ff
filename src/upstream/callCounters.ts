/** Counts how upstream calls ended, per call and outcome, since the relay started. */

/** The counters of one relay. */
export interface Counters {
  count (call: string, outcome: string): void
  /** Returns a copy of all counters. */
  rows (): { readonly call: string, readonly outcome: string, readonly times: number }[]
}

/**
 * Maximum number of outcomes per call; further ones count as `other`. Outcomes contain
 * business codes, and the upstream may invent any number of them.
 */
const mostOutcomes = 40

/** Creates empty counters. */
export function createCounters (): Counters {
  const calls = new Map<string, Map<string, number>>()
  return {
    count (call, outcome) {
      let outcomes = calls.get(call)
      if (outcomes === undefined) calls.set(call, outcomes = new Map())
      const label = outcomes.has(outcome) || outcomes.size < mostOutcomes ? outcome : 'other'
      outcomes.set(label, (outcomes.get(label) ?? 0) + 1)
    },
    rows: () =>
      [...calls].flatMap(([call, outcomes]) => [...outcomes].map(([outcome, times]) => ({ call, outcome, times })))
  }
}
