/**
 * Records the upstream calls of endpoints while they are probed: listens to the relay's own client, which sends, times
 * and judges them, for their answers and how each ended. Every alternative of every fallback is sent, not only the
 * first that answers. A request is sent once, even if several endpoints need it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AbortSignalLike } from '../common/abort.ts'
import { UpstreamError } from '../common/errors.ts'
import { failure, kinds, type Kind, type Verdict } from '../common/kinds.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import type { RequestUpstream } from '../upstream/fallback.ts'
import type { UpstreamCaller } from '../upstream/send.ts'
import { noopObserver, type Finding, type UpstreamObserver, callStatusOf } from '../upstream/read/observer.ts'
import { readAnswer } from '../upstream/read/readAnswer.ts'
import {
  settle, settled, valueOf, type Alternative, type KnownIssue, type MusicuCall, type Settled, type WithFallback,
  type UpstreamCall
} from '../upstream/calls.ts'

type AnyCall = UpstreamCall<unknown>
type Results = Settled<unknown>[]

export interface Heard { readonly call: AnyCall, readonly answer: unknown }

export interface Probe {
  verdict: Verdict
  outcome: string
  kind?: Kind | undefined
  ms: number
  readonly findings: Map<string, Finding>
  /** Endpoints that sent the call, successfully or not. */
  readonly endpoints: Set<string>
  readonly knownIssue: KnownIssue | undefined
  /** Logical name of its host. Absent: a login. */
  readonly host?: string
  refused?: { readonly call: AnyCall, readonly error: UpstreamError }
  /** The first call with an answer. Absent until then. */
  heard?: Heard
}

/** A call and its fallbacks, by name. `answered` is the first that answers; absent if none does. */
export interface Chain { readonly calls: readonly string[], answered?: string }

interface ProbeContext { readonly endpoint: string, readonly denied: ReadonlySet<string> }

const best = (ended: readonly Settled<unknown>[]): Settled<unknown> =>
  ended.find(({ error }) => error === undefined) ?? ended[0] as Settled<unknown>

/** Returns a function that waits until `ms` have passed since it was called before, or until the signal aborts. */
function spacer (ms: number): (signal?: AbortSignalLike) => Promise<void> {
  let next = -Infinity
  return async (signal) => {
    const now = performance.now()
    next = Math.max(now, next + ms)
    await sleep(next - now, undefined, signal === undefined ? {} : { signal: signal as AbortSignal }).catch(() => {})
  }
}

const isRefusal = ({ code }: UpstreamError): boolean => code === 'UPSTREAM_REFUSED' || code === 'COOKIE_REJECTED'

const keyOf = (call: AnyCall): string => JSON.stringify([call.name, call.request])

const notSent = (call: string, why: string): Settled<unknown> =>
  ({ error: failure('denied', { call, word: why }) })

/**
 * Creates a recorder without probes. Pass `observer` and `upstream` to the runtime whose calls are to be recorded.
 * `replay`: answers by the names of their calls, which are read instead of sending anything. `searchMs`: least time
 * between two searches, so that the probes do not cause the refusals that they report.
 */
export function createProbeRecorder (
  searchMs: number,
  replay?: ReadonlyMap<string, { readonly answer: unknown }>
) {
  const searchTurn = spacer(searchMs)
  const probes = new Map<string, Probe>()
  const heard = new Map<string, Heard | Error>()
  const failures = new Map<string, Error>()
  const chains = new Map<string, Map<string, Chain>>()
  const contexts = new AsyncLocalStorage<ProbeContext>()

  /**
   * Records these calls for the endpoint, in the order of sending, and returns a function that records which of them
   * answered. Runs with denied calls are not recorded, because they do not show the usual order.
   */
  function chainOf (calls: readonly { readonly name: string }[]): (ended: readonly Settled<unknown>[]) => void {
    const context = contexts.getStore()
    if (context === undefined || context.denied.size > 0) return () => {}
    const names = calls.map(({ name }) => name)
    const own = chains.get(context.endpoint) ?? new Map<string, Chain>()
    const chain = own.get(names.join()) ?? { calls: names }
    chains.set(context.endpoint, own.set(names.join(), chain))
    return (ended) => {
      const answered = chain.answered ?? names[ended.findIndex(({ error }) => error === undefined)]
      if (answered !== undefined) chain.answered = answered
    }
  }

  /** `call`: absent for a login. */
  function probeOf (name: string, call?: AnyCall): Probe {
    const probe = probes.get(name) ?? {
      verdict: 'unreachable',
      outcome: '',
      ms: 0,
      findings: new Map(),
      endpoints: new Set(),
      knownIssue: call?.knownIssue,
      ...call === undefined ? {} : { host: 'module' in call.request ? 'musicu' : call.request.host ?? 'classic' }
    }
    probes.set(name, probe)
    const endpoint = contexts.getStore()?.endpoint
    if (endpoint !== undefined) probe.endpoints.add(endpoint)
    return probe
  }

  const observer = {
    finding (finding) {
      probeOf(finding.call).findings.set(`${finding.path} ${finding.expected} ${finding.seen}`, finding)
    },
    answered (of, answer) {
      const call = of as AnyCall
      const known = { call, answer }
      heard.set(keyOf(call), known)
      probeOf(call.name).heard ??= known
    },
    callEnded ({ call, verdict, outcome, kind, ms }) {
      const probe = probeOf(call)
      // The failure that caused a pause says more than the pause.
      if (kind !== undefined && kinds[kind].own === 'pause' && probe.outcome !== '') return
      // A success outweighs a later empty answer. Drift outweighs both.
      if ((probe.outcome !== 'ok' && probe.verdict !== 'drift') || verdict === 'drift') {
        Object.assign(probe, { verdict, outcome, kind, ms })
      }
    }
  } satisfies UpstreamObserver

  /** Returns how a call ends without being sent: denied, known from before, or recorded. Undefined: it must be sent. */
  function unsent (call: AnyCall): Settled<unknown> | undefined {
    const { name } = call
    const { denied } = contexts.getStore() ?? { denied: new Set() }
    if (denied.has(name)) return notSent(name, 'Another call is wanted.')
    // Some requests hold a random number. While calls are denied, one that failed before is not sent again.
    const isHopeless = denied.size > 0 && probes.get(name)?.outcome !== 'ok'
    const before = heard.get(keyOf(call)) ?? (isHopeless ? failures.get(name) : undefined)
    if (before !== undefined) {
      probeOf(name)
      return before instanceof Error ? { error: before } : settled(() => readAnswer(call, before.answer, noopObserver))
    }
    if (replay === undefined) return undefined
    const recording = replay.get(name)
    if (recording === undefined) return notSent(name, 'Not recorded.')
    probeOf(name, call)
    const ended = settled(() => readAnswer(call, recording.answer, observer))
    observer.callEnded({ call: name, ...callStatusOf(ended.error), ms: 0 })
    return ended
  }

  /** Sends calls together. Each time they have the whole deadline, so that a slow one takes no time from the next. */
  async function transmit (own: UpstreamClient, caller: UpstreamCaller, calls: readonly AnyCall[]): Promise<Results> {
    if (calls.some(({ request }) => 'takesTurns' in request)) await searchTurn(caller.signal)
    for (const call of calls) probeOf(call.name, call)
    const upstream = own.forRequest(caller)
    const ended: Results = calls.length === 1 ? [await settle(upstream.send(calls[0] as AnyCall))]
      : [...await upstream.sendAll(calls as readonly MusicuCall<unknown>[])
          .catch((error: Error) => calls.map(() => ({ error })))]
    upstream.end()
    for (const [at, call] of calls.entries()) {
      const error = ended[at]?.error
      if (error === undefined) continue
      failures.set(call.name, error)
      if (error instanceof UpstreamError && isRefusal(error)) probeOf(call.name).refused ??= { call, error }
      if (!heard.has(keyOf(call))) heard.set(keyOf(call), error)
    }
    return ended
  }

  function watched (own: UpstreamClient, caller: UpstreamCaller): RequestUpstream {
    async function ask (calls: readonly AnyCall[]): Promise<Results> {
      const known = calls.map(unsent)
      const rest = calls.filter((_call, at) => known[at] === undefined)
      const sent = rest.length === 0 ? [] : await transmit(own, caller, rest)
      return known.map((one) => one ?? sent.shift() as Settled<unknown>)
    }

    /** Sends the fallbacks too, in the same POST. */
    async function sendAll (elements: readonly (MusicuCall<unknown> | WithFallback<unknown>)[]): Promise<Results> {
      const each = elements.map((element): readonly AnyCall[] => 'name' in element ? [element] : element)
      const notes = each.map(chainOf)
      const ended = await ask(each.flat())
      return each.map((chain, at) => {
        const own = ended.splice(0, chain.length)
        notes[at]?.(own)
        return best(own)
      })
    }

    async function firstOf (calls: readonly Alternative<unknown>[]): Promise<unknown> {
      const note = chainOf(calls)
      const ended: Results = []
      for (const call of calls) {
        const parts = await ask('calls' in call ? call.calls : [call])
        ended.push('calls' in call ? settled(() => call.read(parts)) : best(parts))
      }
      note(ended)
      return valueOf(best(ended))
    }

    return {
      loggedIn: caller.credential !== undefined,
      send: (async (call: AnyCall) => await firstOf([call])) as RequestUpstream['send'],
      sendAll: sendAll as unknown as RequestUpstream['sendAll'],
      firstOf: firstOf as RequestUpstream['firstOf'],
      confirmEmpty () {},
      signal: () => caller.signal ?? new AbortController().signal,
      end () {}
    }
  }

  return {
    probes: probes as ReadonlyMap<string, Probe>,
    /** The chains of an endpoint in the order of sending, as observed while nothing was denied. */
    chainsOf: (endpoint: string): Chain[] => [...chains.get(endpoint)?.values() ?? []],
    /** Returns each call that was answered, the last one with the same request. */
    answers: (): Heard[] => [...heard.values()].filter((known) => 'answer' in known),
    observer: observer as UpstreamObserver,
    upstream: (own: UpstreamClient): UpstreamClient => ({ ...own, forRequest: (caller) => watched(own, caller) }),
    /** Attributes the calls of `work` to this endpoint. Denied calls fail unsent, so that their fallbacks are sent. */
    during: async <T>(endpoint: string, work: () => Promise<T>, denied: ReadonlySet<string> = new Set()): Promise<T> =>
      await contexts.run({ endpoint, denied }, work),
    /** Ends what follows the probes through every promise of the process. */
    close () { contexts.disable() }
  }
}

export type ProbeRecorder = ReturnType<typeof createProbeRecorder>
