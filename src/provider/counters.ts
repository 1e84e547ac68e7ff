/** How calls to the upstream ended, per call and outcome, since the start. */

export interface Counters {
  count (call: string, outcome: string): void
  /** A copy: call, outcome, times. */
  rows (): { readonly call: string, readonly outcome: string, readonly times: number }[]
}

/** Outcomes hold business codes of the upstream, and those it may invent: beyond this many of one call they are one. */
const mostOutcomes = 40

export function createCounters (): Counters {
  const calls = new Map<string, Map<string, number>>()
  return {
    count (call, outcome) {
      let outcomes = calls.get(call)
      if (outcomes === undefined) calls.set(call, outcomes = new Map())
      const kept = outcomes.has(outcome) || outcomes.size < mostOutcomes ? outcome : 'other'
      outcomes.set(kept, (outcomes.get(kept) ?? 0) + 1)
    },
    rows: () => [...calls].flatMap(([call, outcomes]) => [...outcomes].map(([outcome, times]) => ({ call, outcome, times })))
  }
}
