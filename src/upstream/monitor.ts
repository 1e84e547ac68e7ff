/**
 * Records the state of the upstream as one relay sees it: fields that differ from those that readers expect, and how
 * each call last ended. It records types and paths only, never a value.
 */
import type { BaseLogger } from 'pino'
import { type Finding, type UpstreamObserver, isAnswered, type CallOutcome } from './read/observer.ts'
import type { Kind, Verdict } from '../common/kinds.ts'

/** A finding with its frequency. */
export interface SeenFinding extends Omit<Finding, 'call'> {
  /** Occurrences, over all answers and all their rows. */
  readonly count: number
  /** ISO times of the first and the last occurrence. */
  readonly first: string
  readonly last: string
}

/** How one upstream call last ended, and its findings. */
export interface SeenCall {
  readonly name: string
  /** How the last request ended; absent until one has ended. */
  readonly verdict?: Verdict
  readonly outcome?: string
  /** ISO time and duration (milliseconds) of the last request. */
  readonly at?: string
  readonly ms?: number
  /** ISO time since when the call has had usable answers, or none. */
  readonly since?: string
  /** All findings since the relay started, in order of their first occurrence. */
  readonly findings: readonly SeenFinding[]
}

/** The health of all upstream calls. */
export interface UpstreamHealth {
  /** Calls sent since the relay started, by name. */
  readonly calls: readonly SeenCall[]
  /** Number of findings beyond the limit, which are only counted. */
  readonly further: number
}

/** Observes the calls of a relay. */
export interface UpstreamMonitor {
  /** Pass this as `observer` to `UpstreamClient.forRequest` and `createLogins`. */
  readonly observer: UpstreamObserver
  /** Returns a copy of the records. */
  health (): UpstreamHealth
}

interface Seen {
  readonly finding: Finding
  count: number
  readonly first: number
  last: number
}
type LastEnd = Pick<CallOutcome, 'verdict' | 'outcome' | 'ms'> & {
  readonly kind: Kind | undefined
  readonly at: number
  readonly since: number
  /** Start of the answered period before the call became empty, if there was one. */
  readonly answeredSince: number | undefined
}
interface State {
  ended: LastEnd | undefined
  fresh: boolean
  readonly findings: Map<string, Seen>
}

/**
 * `most`: maximum number of distinct findings; further ones are only counted. `now` returns milliseconds since the
 * epoch.
 */
export function createUpstreamMonitor (
  { log, now = Date.now, most = 1000 }: {
    readonly log: Pick<BaseLogger, 'warn'>,
    readonly now?: () => number,
    readonly most?: number
  }
): UpstreamMonitor {
  const states = new Map<string, State>()
  let recorded = 0
  let further = 0

  function stateOf (call: string): State {
    let state = states.get(call)
    if (state === undefined) states.set(call, state = { ended: undefined, fresh: false, findings: new Map() })
    return state
  }

  function note (findings: Map<string, Seen>, finding: Finding): void {
    const key = `${finding.path} ${finding.expected} ${finding.seen}`
    const seen = findings.get(key)
    if (seen !== undefined) {
      seen.count++
      seen.last = now()
    } else if (recorded < most) {
      recorded++
      findings.set(key, { finding, count: 1, first: now(), last: now() })
      log.warn({ drift: finding }, 'the upstream answers in another shape: a field is not as expected')
    } else if (++further === 1) log.warn({ recorded }, 'the upstream answers in another shape: further fields are only counted')
  }

  return {
    observer: {
      finding (finding) {
        const state = stateOf(finding.call)
        state.fresh = true
        note(state.findings, finding)
      },
      callEnded (ended) {
        const state = stateOf(ended.call)
        const { fresh } = state
        state.fresh = false
        if (ended.kind === 'left') return
        // Log it here: if other calls still produce an answer, nothing else reports the bug.
        if (ended.kind === 'bug' && state.ended?.kind !== 'bug') {
          log.warn({ call: ended.call }, 'a reader broke on an answer of the upstream: that is a bug of the relay')
        }
        const verdict = fresh && (ended.verdict === 'ok' || ended.verdict === 'empty') ? 'drift' : ended.verdict
        const at = now()
        const { outcome, kind, ms } = ended
        const before = state.ended
        const wasAnswered = before !== undefined && isAnswered(before)
        const isSame = before !== undefined && wasAnswered === isAnswered({ verdict, outcome })
        state.ended = {
          verdict,
          outcome,
          kind,
          ms,
          at,
          since: isSame ? before.since : at,
          answeredSince: verdict !== 'empty' ? undefined : wasAnswered ? before.since : before?.answeredSince
        }
      },
      emptyConfirmed (calls) {
        for (const call of calls) {
          const { ended } = stateOf(call)
          if (ended?.verdict === 'empty') {
            stateOf(call).ended = { ...ended, verdict: 'ok', outcome: 'ok', since: ended.answeredSince ?? ended.at }
          }
        }
      }
    },
    health: () => ({
      calls: [...states].sort(([a], [b]) => a < b ? -1 : 1).map(([name, { ended, findings }]) => ({
        name,
        ...(ended === undefined
          ? {}
          : {
            verdict: ended.verdict,
            outcome: ended.outcome,
            at: iso(ended.at),
            ms: Math.round(ended.ms),
            since: iso(ended.since)
          }),
        findings: [...findings.values()].map(({ finding: { path, expected, seen }, count, first, last }) => ({
          path,
          expected,
          seen,
          count,
          first: iso(first),
          last: iso(last)
        }))
      })),
      further
    })
  }
}

// Counts how calls ended, per call and outcome, since the relay started.

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

const iso = (at: number): string => new Date(at).toISOString()
