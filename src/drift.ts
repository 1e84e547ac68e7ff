/**
 * What a relay has noticed about its upstream: fields that are not as their readers know them, and how each call last
 * ended. One per relay; types and places only, never a value.
 */
import type { BaseLogger } from 'pino'
import type { Finding, Listener } from './provider/read.ts'
import type { Ended, Verdict } from './provider/verdict.ts'

export interface SeenFinding extends Omit<Finding, 'call'> {
  /** In how many fields of how many answers. */
  readonly count: number
  /** ISO times of the first and the last one. */
  readonly first: string
  readonly last: string
}

export interface CallHealth {
  readonly name: string
  /** How the last one ended; absent while none has. */
  readonly verdict?: Verdict
  readonly outcome?: string
  /** ISO time and duration in milliseconds of the last one. */
  readonly at?: string
  readonly ms?: number
  /** Everything noticed since the relay started, newest last. */
  readonly findings: readonly SeenFinding[]
}

export interface UpstreamHealth {
  /** Calls sent since the relay started, by name. */
  readonly calls: readonly CallHealth[]
  /** Findings beyond those kept apart. */
  readonly further: number
}

export interface Drift {
  readonly listener: Listener
  health (): UpstreamHealth
}

interface Seen { readonly finding: Finding, count: number, readonly first: number, last: number }
interface State { ended: (Ended & { readonly at: number }) | undefined, fresh: boolean, readonly findings: Map<string, Seen> }

/** `most` distinct findings are kept apart; the rest is only counted. */
export function createDrift ({ log, now = Date.now, most = 1000 }: { readonly log: Pick<BaseLogger, 'warn'>, readonly now?: () => number, readonly most?: number }): Drift {
  const states = new Map<string, State>()
  let kept = 0
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
    } else if (kept < most) {
      kept++
      findings.set(key, { finding, count: 1, first: now(), last: now() })
      log.warn({ drift: finding }, 'the upstream answers in another shape: a field is not as expected')
    } else if (++further === 1) log.warn({ kept }, 'the upstream answers in another shape: further fields are only counted')
  }

  return {
    listener: {
      finding (finding) {
        const state = stateOf(finding.call)
        state.fresh = true
        note(state.findings, finding)
      },
      ended (ended) {
        const state = stateOf(ended.call)
        const { fresh } = state
        state.fresh = false
        if (ended.outcome === 'client_gone') return
        // Where other calls make an answer all the same, nobody else would tell.
        if (ended.outcome === 'bug' && state.ended?.outcome !== 'bug') log.warn({ call: ended.call }, 'a reader broke on an answer of the upstream: that is a bug of the relay')
        state.ended = { ...ended, verdict: fresh && (ended.verdict === 'ok' || ended.verdict === 'empty') ? 'drift' : ended.verdict, at: now() }
      }
    },
    health: () => ({
      calls: [...states].sort(([a], [b]) => a < b ? -1 : 1).map(([name, { ended, findings }]) => ({
        name,
        ...(ended === undefined ? {} : { verdict: ended.verdict, outcome: ended.outcome, at: iso(ended.at), ms: Math.round(ended.ms) }),
        findings: [...findings.values()].map(({ finding: { path, expected, seen }, count, first, last }) => ({ path, expected, seen, count, first: iso(first), last: iso(last) }))
      })),
      further
    })
  }
}

const iso = (at: number): string => new Date(at).toISOString()
