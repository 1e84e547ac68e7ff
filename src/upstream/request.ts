/**
 * The upstream for one request of a caller: its deadline, the answer bytes charged to it, and a report of how each call
 * ended.
 */
import type { AbortSignalLike } from '../common/abort.ts'
import { UpstreamError } from '../common/errors.ts'
import { refuseOverdrawn, type Holding, type Usage } from '../common/ledger.ts'
import type { Clock } from '../common/timers.ts'
import { groupOf, type Batching, type SharedBody } from './batching.ts'
import type { UpstreamCaller } from './caller.ts'
import type { Counters } from './callCounters.ts'
import { callStatusOf } from './callStatus.ts'
import type { ClassicCall, MusicuCall, Settled, Upstream, UpstreamCall } from './calls.ts'
import { createUpstream } from './fallback.ts'
import { fetchBody } from './fetchBody.ts'
import { clientGone, relayStops, startDeadline, type Deadline } from './http/deadline.ts'
import { tooManyBytes } from './http/failures.ts'
import { createHeldBytes, type AnswerBytes } from './http/collect.ts'
import type { Transport } from './http/transport.ts'
import { readBatch, readClassic } from './wire/answers.ts'
import { isTooFast } from './wire/codes.ts'
import { classicRequest, musicuRequest, type Device, type WireRequest } from './wire/requests.ts'
import { noopObserver } from './read/observer.ts'
import type { FallbackHealth } from './resilience/fallbackHealth.ts'
import type { HostPolicy } from './resilience/hostPolicy.ts'
import type { Searcher, SearchTurns } from './searchTurns.ts'

/** The upstream for one request, with its credential and its deadline. The deadline starts with the first call. */
export interface RequestUpstream extends Upstream {
  /** Returns the signal that aborts at the deadline, or when the caller leaves. */
  signal (): AbortSignalLike
  /**
   * Ends the request after its answer: clears its deadline and aborts its upstream requests that are still in flight.
   */
  end (): void
}

/** The state that all requests of one relay share. */
export interface UpstreamRuntime {
  readonly transport: Transport
  readonly hostPolicy: HostPolicy
  readonly health: FallbackHealth
  readonly turns: SearchTurns
  readonly batching: Batching
  readonly device: Device
  readonly clock: Clock
  /** Time for all upstream calls of one request. Milliseconds. */
  readonly deadlineMs: number
  /** Running deadlines. */
  readonly deadlines: Set<Deadline>
  isStopped (): boolean
  /** Counts the requests that are sent for each client. */
  readonly upstreamCalls: Usage | undefined
  /** Limit for the bytes of upstream answers that requests in progress hold. Undefined: no limit. */
  readonly answerBytes: Holding | undefined
  readonly counters: Pick<Counters, 'count'> | undefined
}

/**
 * How to send a request. `build`: creates it when it may be sent. `parts`: the parts of the host that it uses.
 * `searcher`: the client program whose turn it takes.
 */
interface Sending {
  readonly host: WireRequest['host']
  readonly build: () => WireRequest
  readonly as: 'json' | 'text' | 'redirect'
  readonly parts: readonly string[]
  readonly retry: boolean
  readonly searcher?: Searcher | undefined
}

const isMusicu = (call: UpstreamCall<unknown>): call is MusicuCall<unknown> => 'module' in call.request

/** Creates the upstream for one request. */
export function createRequestUpstream (
  shared: UpstreamRuntime,
  { credential, client, signal, observer = noopObserver, onUpstreamRequest }: UpstreamCaller
): RequestUpstream {
  const { transport, hostPolicy, turns, batching, deadlines, counters } = shared
  const reading = { loggedIn: credential !== undefined, observer }
  let deadline: Deadline | undefined
  let begun = false
  /** Exchanges in flight. */
  let inFlight = 0
  /** Milliseconds that this request's searches have waited for their turns. */
  let waited = 0
  const held = createHeldBytes(shared.answerBytes, client)
  let ended = false

  function running (): Deadline {
    if (deadline === undefined) {
      deadline = startDeadline(shared.deadlineMs, signal, shared.clock)
      if (!ended) deadlines.add(deadline)
    }
    if (shared.isStopped() || ended) deadline.giveUp(shared.isStopped() ? relayStops : clientGone)
    return deadline
  }

  /** Refuses a client over its limit. Only before the first call: afterwards the calls already sent would be wasted. */
  function begin (): AbortSignalLike {
    if (!begun && shared.upstreamCalls !== undefined) refuseOverdrawn(shared.upstreamCalls, client)
    begun = true
    return running().signal
  }

  /** Reports the ends of calls that were sent together at `started`, each with its error or undefined. */
  function report (calls: readonly string[], errors: readonly unknown[], started: number, ofAnswer: AnswerBytes): void {
    const ms = performance.now() - started
    const ends = calls.map((name, at) => ({ call: name, ...callStatusOf(errors[at]), ms }))
    for (const end of ends) {
      counters?.count(end.call, end.outcome)
      // A refusal by an overloaded relay gives no information about the call.
      if (end.outcome !== 'rejected') observer.callEnded?.(end)
    }
    const answered = ends.filter(({ outcome }) => outcome === 'ok').map(({ call }) => call)
    // An answer in which every call failed is not used.
    if (answered.length === 0) ofAnswer.letGo()
    onUpstreamRequest?.({
      calls,
      outcome: answered.length > 0 ? 'ok' : ends[0]?.outcome ?? '',
      ms,
      answered,
      bytes: ofAnswer.read()
    })
  }

  /**
   * Sends a request and passes the body to `settle`, which returns the outcome of each call. Every attempt is reported.
   */
  async function sendAndReport (
    calls: readonly string[],
    { host, build, as, parts, retry, searcher }: Sending,
    settle: (body: unknown) => Settled<unknown>[]
  ): Promise<Settled<unknown>[]> {
    const label = calls.join(' + ')
    const signal = begin()
    let started = performance.now()
    const ofAnswer = held.forAnswer()
    const failed = (error: unknown): void => {
      if (searcher !== undefined && isTooFast(error)) turns.refused(searcher)
      report(calls, calls.map(() => error), started, ofAnswer)
    }
    const attempt = async (): Promise<unknown> => {
      started = performance.now()
      try {
        const measured = host === 'musicu' ? (bytes: number, ms: number) => {
          batching.measured(parts[0] as string, bytes / calls.length, ms)
        } : undefined
        return await fetchBody(transport, build(), { call: label, as, signal, charge: ofAnswer.charge, measured })
      } catch (error) {
        failed(error)
        throw error
      }
    }
    let asked = false
    inFlight++
    try {
      if (searcher !== undefined) waited += await turns.take(searcher, label, signal, waited)
      const body = await hostPolicy.run({ host, parts, call: label, client, signal, retry }, attempt)
      asked = true
      const settled = settle(body)
      const errors = settled.map(({ error }) => error)
      if (searcher !== undefined && errors.some(isTooFast)) turns.refused(searcher)
      report(calls, errors, started, ofAnswer)
      ofAnswer.becomes(settled.map(({ value }) => value))
      return settled
    } catch (error) {
      if (asked || wasNotAsked(error)) failed(error)
      throw error
    } finally {
      inFlight--
    }
  }

  async function postAlone (calls: readonly MusicuCall<unknown>[], retry: boolean): Promise<Settled<unknown>[]> {
    const requests = calls.map((call) => call.request)
    const takesTurns = requests.some((request) => request.takesTurns === true)
    const searcher = takesTurns ? { program: requests[0]?.comm ?? 'web', loggedIn: reading.loggedIn, client }
      : undefined
    const parts = [...new Set(requests.map(({ module }) => module))]
    const sending = {
      host: 'musicu',
      build: () => musicuRequest(requests, credential, shared.device),
      as: 'json',
      parts,
      retry,
      searcher
    } as const
    return await sendAndReport(
      calls.map((call) => call.name),
      sending,
      (body) => readBatch(calls, body as Record<string, unknown>, reading)
    )
  }

  /** Sends one call to the batch gateway, in a shared POST where possible. */
  async function sendOne (call: MusicuCall<unknown>, retry: boolean): Promise<Settled<unknown>[]> {
    const alone = async (mayRetry: boolean): Promise<Settled<unknown>[]> => await postAlone([call], retry && mayRetry)
    const group = groupOf(call, credential)
    if (group === undefined) return await alone(true)
    const signal = begin()
    const started = performance.now()
    const ofAnswer = held.forAnswer()
    const read = ({ body, bytes }: SharedBody, at: number, of: number): Settled<unknown>[] => {
      if (!ofAnswer.charge(Math.ceil(bytes / of))) throw tooManyBytes(call.name)
      const settled = readBatch([call], body, reading, at)
      // The whole answer was unreadable, perhaps because of the other calls.
      if (settled[0]?.error instanceof UpstreamError && settled[0].error.code === 'UPSTREAM_UNREADABLE') {
        throw settled[0].error
      }
      report([call.name], [settled[0]?.error], started, ofAnswer)
      return settled
    }
    inFlight++
    try {
      return await batching.send(group, { call, client, credential, signal, leftMs: running().leftMs() }, {
        alone,
        read,
        failed (error) { report([call.name], [error], started, ofAnswer) }
      })
    } finally {
      inFlight--
    }
  }

  const sendMusicu = async (calls: readonly MusicuCall<unknown>[], retry: boolean): Promise<Settled<unknown>[]> =>
    calls.length === 1 ? await sendOne(calls[0] as MusicuCall<unknown>, retry) : await postAlone(calls, retry)

  async function sendClassic (call: ClassicCall<unknown>, retry: boolean): Promise<Settled<unknown>[]> {
    const { request } = call
    return await sendAndReport([call.name], {
      host: request.host ?? 'classic',
      build: () => classicRequest(request, credential),
      as: request.as ?? 'json',
      parts: [request.part ?? request.path],
      retry
    }, (body) => [readClassic(call, body, reading)])
  }

  async function send<T> (call: UpstreamCall<T>, retry: boolean): Promise<T> {
    const [result] = isMusicu(call) ? await sendOne(call, retry) : await sendClassic(call as ClassicCall<T>, retry)
    if (result?.error !== undefined) throw result.error
    return result?.value as T
  }

  const upstream = createUpstream({
    loggedIn: reading.loggedIn,
    send,
    sendAll: sendMusicu,
    takeRetry: hostPolicy.takeRetry,
    confirmEmpty (calls) { observer.emptyConfirmed?.(calls) }
  }, shared.health)
  return {
    ...upstream,
    signal: () => running().signal,
    end () {
      ended = true
      held.end()
      if (deadline === undefined) return
      deadlines.delete(deadline)
      // One of several parallel calls failed, so the results of the others are not needed.
      if (inFlight > 0) deadline.giveUp(clientGone)
      else deadline.end()
    }
  }
}

/** Whether the relay itself refused to send. */
const wasNotAsked = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.outcome === 'paused' || error.outcome === 'rejected')
