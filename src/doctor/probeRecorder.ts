/**
 * Records the upstream calls of endpoints while they are probed, with their answers and how each call ended. Every
 * alternative of every fallback is sent, not only the first that answers. A request is sent once, even if several
 * endpoints need it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AbortSignalLike } from '../common/abort.ts'
import { UpstreamError } from '../common/errors.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import type { UpstreamCaller } from '../upstream/caller.ts'
import type { RequestUpstream } from '../upstream/request.ts'
import { noopObserver, type Finding, type UpstreamObserver } from '../upstream/reader/observer.ts'
import { readAnswer } from '../upstream/reader/readAnswer.ts'
import {
  settle as settled, valueOf, type Alternative, type KnownIssue, type MusicuCall, type Settled, type WithFallback,
  type Upstream, type UpstreamCall
} from '../upstream/calls.ts'
import { callStatusOf, type CallStatus } from '../upstream/callStatus.ts'

type AnyCall = UpstreamCall<unknown>

/** The results of the probes for one call. */
export interface Probe {
  verdict: CallStatus
  outcome: string
  ms: number
  readonly findings: Map<string, Finding>
  /** Endpoints that sent the call, successfully or not. */
  readonly endpoints: Set<string>
  readonly knownIssue: KnownIssue | undefined
  /** Logical name of its host. Absent: a login. */
  host?: string
  /** The first call that was refused, and how. */
  refused?: { readonly call: AnyCall, readonly error: UpstreamError }
  /** The first call with an answer, and that answer. Absent until then. */
  heard?: { readonly call: AnyCall, readonly answer: unknown }
}

/** A call and its fallbacks, by name. `answered` is the first that answers; absent if none does. */
export interface Chain { readonly calls: readonly string[], answered?: string }

export interface ProbeRecorder {
  readonly probes: ReadonlyMap<string, Probe>
  /** The chains of an endpoint in the order of sending, as observed while nothing was denied. */
  chainsOf (endpoint: string): Chain[]
  /** Returns each call that was answered, with its request and its answer. */
  answers (): [call: string, request: AnyCall['request'], answer: unknown][]
  readonly observer: UpstreamObserver
  upstream (own: UpstreamClient): UpstreamClient
  /**
   * Runs `work` and attributes its upstream calls to this endpoint. Denied calls fail without being sent, so that
   * their fallbacks are sent.
   */
  during<T> (endpoint: string, work: () => Promise<T>, denied?: ReadonlySet<string>): Promise<T>
  /** Ends what follows the probes through every promise of the process. */
  close (): void
}

interface ProbeContext { readonly endpoint: string, readonly denied: ReadonlySet<string> }
type Heard = { readonly answer: unknown } | { readonly error: Error }

/** Returns the first success, otherwise the first failure. */
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

/**
 * Creates a recorder without probes. Pass `observer` and `upstream` to the runtime whose calls are to be recorded.
 * `replay`: answers by the names of their calls, which are read instead of sending anything. `searchMs`: least time
 * between two searches, so that the probes do not cause the refusals that they report.
 */
export function createProbeRecorder (
  searchMs: number,
  replay?: ReadonlyMap<string, { readonly answer: unknown }>
): ProbeRecorder {
  const searchTurn = spacer(searchMs)
  const probes = new Map<string, Probe>()
  const heard = new Map<string, Heard>()
  const failures = new Map<string, Error>()
  const knownIssues = new Map<string, KnownIssue>()
  const chains = new Map<string, Map<string, Chain>>()
  const contexts = new AsyncLocalStorage<ProbeContext>()

  /**
   * Records these calls for the endpoint, in the order of sending, and returns a function that records which of them
   * answered. Runs with denied calls are not recorded, because they do not show the usual order.
   */
  function chainOf (names: readonly string[]): (ended: readonly Settled<unknown>[]) => void {
    const context = contexts.getStore()
    if (context === undefined || context.denied.size > 0) return () => {}
    const own = chains.get(context.endpoint) ?? new Map<string, Chain>()
    const chain = own.get(names.join()) ?? { calls: names }
    chains.set(context.endpoint, own.set(names.join(), chain))
    return (ended) => {
      const answered = chain.answered ?? names[ended.findIndex(({ error }) => error === undefined)]
      if (answered !== undefined) chain.answered = answered
    }
  }

  function probeOf (call: string): Probe {
    let probe = probes.get(call)
    if (probe === undefined) {
      probes.set(
        call,
        probe = {
          verdict: 'unreachable',
          outcome: '',
          ms: 0,
          findings: new Map(),
          endpoints: new Set(),
          knownIssue: knownIssues.get(call)
        }
      )
    }
    const endpoint = contexts.getStore()?.endpoint
    if (endpoint !== undefined) probe.endpoints.add(endpoint)
    return probe
  }

  const observer: UpstreamObserver = {
    finding (finding) {
      probeOf(finding.call).findings.set(`${finding.path} ${finding.expected} ${finding.seen}`, finding)
    },
    callEnded ({ call, verdict, outcome, ms }) {
      const probe = probeOf(call)
      // The failure that caused a pause says more than the pause.
      if (outcome === 'paused' && probe.outcome !== '') return
      // A success outweighs a later empty answer. Drift outweighs both.
      if ((probe.outcome !== 'ok' && probe.verdict !== 'drift') || verdict === 'drift') {
        Object.assign(probe, { verdict, outcome, ms })
      }
    }
  }

  function recorded (call: AnyCall): AnyCall {
    if (call.knownIssue !== undefined) knownIssues.set(call.name, call.knownIssue)
    probeOf(call.name).host = 'module' in call.request ? 'musicu' : call.request.host ?? 'classic'
    return {
      ...call,
      read (answer) {
        heard.set(keyOf(call), { answer: answer.value })
        const probe = probeOf(call.name)
        probe.heard ??= { call, answer: answer.value }
        return call.read(answer)
      }
    }
  }

  function again (call: AnyCall, known: Heard): Settled<unknown> {
    probeOf(call.name)
    if ('error' in known) return known
    try {
      return { value: readAnswer(call, known.answer, noopObserver) }
    } catch (error) {
      return { error: error as Error }
    }
  }

  /**
   * Returns the earlier failure of a call that should not be sent again. Some requests contain a random number and are
   * never the same. While calls are denied to reach fallbacks, a call that failed before is not sent again.
   */
  function hopeless ({ name }: AnyCall, denied: ReadonlySet<string> | undefined): Heard | undefined {
    const error = denied === undefined || denied.size === 0 || probes.get(name)?.outcome === 'ok' ? undefined
      : failures.get(name)
    return error === undefined ? undefined : { error }
  }

  function watched (own: UpstreamClient, caller: UpstreamCaller): Upstream {
    /** Gives each request the whole deadline, so that a slow call takes no time from the next. */
    async function fresh<T> (work: (upstream: RequestUpstream) => Promise<T>): Promise<T> {
      const upstream = own.forRequest(caller)
      try {
        return await work(upstream)
      } finally {
        upstream.end()
      }
    }

    function replayed (call: AnyCall): Settled<unknown> {
      const recording = replay?.get(call.name)
      if (recording === undefined) {
        return {
          error: new UpstreamError('UPSTREAM_REFUSED', 'Not recorded.', {
            fault: 'call',
            call: call.name,
            outcome: 'denied'
          })
        }
      }
      let ended: Settled<unknown>
      try {
        ended = { value: readAnswer(recorded(call), recording.answer, observer) }
      } catch (error) {
        ended = { error: error as Error }
      }
      observer.callEnded?.({ call: call.name, ...callStatusOf(ended.error), ms: 0 })
      return ended
    }

    async function transmit (calls: readonly AnyCall[]): Promise<Settled<unknown>[]> {
      if (replay !== undefined) return calls.map(replayed)
      if (calls.some(({ request }) => 'takesTurns' in request)) await searchTurn(caller.signal)
      const ended = await fresh(async (upstream) =>
        calls.length === 1
          ? [await settled(upstream.send(recorded(calls[0] as AnyCall)))]
          : await upstream.sendAll(calls.map(recorded) as never) as Settled<unknown>[]
      ).catch((error: unknown) => calls.map(() => ({ error: error as Error })))
      ended.forEach(({ error }, at) => {
        if (error === undefined) return
        const call = calls[at] as AnyCall
        failures.set(call.name, error)
        if (error instanceof UpstreamError && isRefusal(error)) probeOf(call.name).refused ??= { call, error }
        if (!heard.has(keyOf(call))) heard.set(keyOf(call), { error })
      })
      return ended
    }

    async function settle (calls: readonly AnyCall[]): Promise<Settled<unknown>[]> {
      const denied = contexts.getStore()?.denied
      const known = calls.map((call): Settled<unknown> | undefined => {
        if (denied?.has(call.name) === true) {
          return {
            error: new UpstreamError('UPSTREAM_REFUSED', 'Another call is wanted.', {
              fault: 'call',
              call: call.name,
              outcome: 'denied'
            })
          }
        }
        const before = heard.get(keyOf(call)) ?? hopeless(call, denied)
        return before === undefined ? undefined : again(call, before)
      })
      const rest = calls.filter((_call, at) => known[at] === undefined)
      const asked = rest.length === 0 ? [] : await transmit(rest)
      return known.map((one) => one ?? asked.shift() as Settled<unknown>)
    }

    async function send (call: AnyCall): Promise<unknown> {
      const note = chainOf([call.name])
      const ended = await settle([call])
      note(ended)
      return valueOf(ended[0] as Settled<unknown>)
    }

    /** Sends the fallbacks too, in the same POST. */
    async function sendAll (
      elements: readonly (MusicuCall<unknown> | WithFallback<unknown>)[]
    ): Promise<Settled<unknown>[]> {
      const each = elements.map((element): readonly AnyCall[] => 'name' in element ? [element] : element)
      const notes = each.map((chain) => chainOf(chain.map(({ name }) => name)))
      const ended = await settle(each.flat())
      return each.map((chain, at) => {
        const own = ended.splice(0, chain.length)
        notes[at]?.(own)
        return best(own)
      })
    }

    async function firstOf (calls: readonly Alternative<unknown>[]): Promise<unknown> {
      const note = chainOf(calls.map(({ name }) => name))
      const ended: Settled<unknown>[] = []
      for (const call of calls) {
        ended.push(
          await settled(
            'calls' in call
              ? settle(call.calls).then((all) => call.read(all))
              : settle([call]).then(([one]) => valueOf(one as Settled<unknown>))
          )
        )
      }
      note(ended)
      return valueOf(best(ended))
    }

    return {
      loggedIn: caller.credential !== undefined,
      send: send as Upstream['send'],
      sendAll: sendAll as unknown as Upstream['sendAll'],
      firstOf: firstOf as Upstream['firstOf'],
      confirmEmpty () {}
    }
  }

  return {
    probes,
    chainsOf: (endpoint) => [...chains.get(endpoint)?.values() ?? []],
    answers: () => [...heard].flatMap(([key, known]) => {
      const [call, request] = JSON.parse(key) as [string, AnyCall['request']]
      return 'answer' in known ? [[call, request, known.answer] as const] : []
    }) as ReturnType<ProbeRecorder['answers']>,
    observer,
    upstream: (own) => ({
      ...own,
      forRequest: (caller) => ({
        ...watched(own, caller),
        signal: () => caller.signal ?? new AbortController().signal,
        end () {}
      })
    }),
    during: async (endpoint, work, denied = new Set()) => await contexts.run({ endpoint, denied }, work),
    close () { contexts.disable() }
  }
}
