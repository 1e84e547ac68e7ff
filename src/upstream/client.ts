/** The upstream client: sends the calls of each request within its deadline and reports how each call ended. */
import type { AbortSignalLike } from '../common/abort.ts'
import { UpstreamError } from '../common/errors.ts'
import { refuseOverdrawn } from '../common/ledger.ts'
import type { Client, Holding } from '../common/ledger.ts'
import { release } from '../common/release.ts'
import { readBatch, readClassic } from './protocol/answers.ts'
import { readBody } from './reader/body.ts'
import { createHeldBytes } from './http/heldBytes.ts'
import { clientGone, relayStops, startDeadline } from './http/deadline.ts'
import type { Deadline } from './http/deadline.ts'
import { noopObserver } from './reader/read.ts'
import type { UpstreamObserver } from './reader/read.ts'
import type { Counters } from './callCounters.ts'
import { createHostPolicy } from './resilience/hostPolicy.ts'
import type { HostPolicy, HostPolicyOptions } from './resilience/hostPolicy.ts'
import { createUpstream } from './fallback.ts'
import { createFallbackHealth } from './resilience/fallbackHealth.ts'
import type { FallbackHealthOptions } from './resilience/fallbackHealth.ts'
import { createTransport } from './http/transport.ts'
import type { TransportOptions } from './http/transport.ts'
import { statusOf } from './callStatus.ts'
import { createTurns } from './resilience/turns.ts'
import type { Searcher, TurnsOptions } from './resilience/turns.ts'
import { createDevice } from './protocol/device.ts'
import { classicRequest, musicuRequest } from './protocol/requests.ts'
import type { WireRequest } from './protocol/requests.ts'
import type { Credential } from './protocol/credentials.ts'
import type { ClassicCall, MusicuCall, Settled, Upstream, UpstreamCall } from './calls.ts'

/** Report of one request to the upstream, for logs. `ms`: milliseconds. */
export interface Exchange {
  readonly calls: readonly string[]
  /** `ok` if any of the calls was answered, else the outcome of the first. */
  readonly outcome: string
  readonly ms: number
  /** Names of the calls with a usable answer. */
  readonly answered?: readonly string[]
}

/** The caller of one request. */
export interface UpstreamCaller {
  readonly credential?: Credential | undefined
  /** Who is charged for the work, and takes turns with others. Undefined: nobody, only what all hold together is limited. */
  readonly client?: Client | undefined
  /** Aborted when the caller leaves. */
  readonly signal?: AbortSignalLike | undefined
  readonly observer?: UpstreamObserver | undefined
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/** The upstream for one request, with its credential and its deadline. The deadline starts with the first call. */
export interface RequestUpstream extends Upstream {
  /** Returns the signal that aborts at the deadline, or when the caller leaves. */
  signal (): AbortSignalLike
  /** The request is answered: clears its deadline and aborts its upstream requests that are still in flight. */
  end (): void
}

/** The upstream client of one relay. */
export interface UpstreamClient {
  forRequest (caller: UpstreamCaller): RequestUpstream
  /** Throws OVERLOADED while no further request of this client may wait, RATE_LIMITED after too many of them. */
  assertCapacity (client: Client | undefined): void
  /** Seconds until some host accepts requests again; 0 while at least one does. */
  waitSeconds (): number
  /** Returns the state of each host that was used. */
  readonly hostStates: HostPolicy['states']
  /** Returns the names of calls that are skipped for a while, because an alternative answers instead. */
  disabledCalls (): string[]
  /** The relay is stopping: aborts everything in flight, and every later call. */
  stop (): void
  /** Aborts everything in flight and closes the pools. */
  close (): Promise<void>
}

/**
 * How to send a request. `build`: makes it once it may be sent. `parts`: what of the host it asks. `searcher`: whose turn
 * it takes.
 */
interface Sending {
  readonly host: WireRequest['host']
  readonly build: () => WireRequest
  readonly as: 'json' | 'text'
  readonly parts: readonly string[]
  readonly retry: boolean
  readonly searcher?: Searcher | undefined
}

const isMusicu = (call: UpstreamCall<unknown>): call is MusicuCall<unknown> => 'module' in call.request

/** `deadlineMs`: time for all upstream calls of one request. Milliseconds. */
export interface UpstreamClientOptions extends TransportOptions, HostPolicyOptions, FallbackHealthOptions, TurnsOptions {
  readonly deadlineMs: number
  /** Bytes of upstream answers that requests under way hold. Absent: without a limit. */
  readonly answerBytes?: Holding
  readonly counters?: Pick<Counters, 'count'>
}

/** Creates the client of a relay. */
export function createUpstreamClient (options: UpstreamClientOptions): UpstreamClient {
  const transport = createTransport(options)
  const hostPolicy = createHostPolicy(options)
  const health = createFallbackHealth(options)
  const turns = createTurns(options, options.now ?? (() => performance.now()))
  const device = createDevice()
  const deadlines = new Set<Deadline>()
  let stopped = false

  function refuseGreedy (client: Client | undefined): void {
    if (options.upstreamCalls !== undefined) refuseOverdrawn(options.upstreamCalls, client)
  }

  function forRequest ({ credential, client, signal, observer = noopObserver, onExchange }: UpstreamCaller): RequestUpstream {
    const reading = { loggedIn: credential !== undefined, observer }
    let deadline: Deadline | undefined
    let begun = false
    /** Exchanges in flight. */
    let inFlight = 0
    /** Milliseconds that searches of programs have waited for their turns. */
    let waited = 0
    const held = createHeldBytes(options.answerBytes, client)
    let ended = false

    function running (): Deadline {
      if (deadline === undefined) {
        deadline = startDeadline(options.deadlineMs, signal)
        if (!ended) deadlines.add(deadline)
      }
      if (stopped || ended) deadline.giveUp(stopped ? relayStops : clientGone)
      return deadline
    }

    /** Sends a request and passes the body to `settle`, which returns the outcome of each call. Every attempt is reported. */
    async function exchange (calls: readonly string[], { host, build, as, parts, retry, searcher }: Sending, settle: (body: unknown) => Settled<unknown>[]): Promise<Settled<unknown>[]> {
      const label = calls.join(' + ')
      // Only before the first one: half an answer would have been for nothing.
      if (!begun) refuseGreedy(client)
      begun = true
      const { signal } = running()
      let started = performance.now()
      const ofAnswer = held.forAnswer()
      const report = (errors: readonly unknown[]): void => {
        if (searcher !== undefined && errors.some(isRiskControl)) turns.refused(searcher)
        const ms = performance.now() - started
        const ends = calls.map((name, at) => ({ call: name, ...statusOf(errors[at]), ms }))
        for (const end of ends) {
          options.counters?.count(end.call, end.outcome)
          // An overloaded relay says nothing about the call.
          if (end.outcome !== 'shed') observer.callEnded?.(end)
        }
        const answered = ends.filter(({ outcome }) => outcome === 'ok').map(({ call }) => call)
        // Nothing is made of an answer in which every call failed.
        if (answered.length === 0) ofAnswer.letGo()
        onExchange?.({ calls, outcome: answered.length > 0 ? 'ok' : ends[0]?.outcome ?? '', ms, answered })
      }
      const failed = (error: unknown): void => { report(calls.map(() => error)) }
      const attempt = async (): Promise<unknown> => {
        started = performance.now()
        try {
          const { bytes, contentType } = await transport.exchange(build(), label, signal, ofAnswer.hold)
          try {
            return readBody(bytes, contentType, as, label)
          } finally {
            release(bytes)
          }
        } catch (error) {
          failed(error)
          throw error
        }
      }
      const asked = { host, parts, call: label, client, signal, retry }
      const send = async (): Promise<unknown> => {
        if (searcher !== undefined) waited += await turns.take(searcher, label, signal, waited)
        return await hostPolicy.run(asked, attempt)
      }
      inFlight++
      const body = await send().catch((error: unknown) => {
        if (wasNotAsked(error)) failed(error)
        throw error
      }).finally(() => { inFlight-- })
      try {
        const settled = settle(body)
        report(settled.map(({ error }) => error))
        ofAnswer.becomes(settled.map(({ value }) => value))
        return settled
      } catch (error) {
        failed(error)
        throw error
      }
    }

    async function sendMusicu (calls: readonly MusicuCall<unknown>[], retry: boolean): Promise<Settled<unknown>[]> {
      const requests = calls.map((call) => call.request)
      const searcher = requests.some(({ paced }) => paced === true) ? { program: requests[0]?.comm ?? 'web', loggedIn: reading.loggedIn, client } : undefined
      const parts = [...new Set(requests.map(({ module }) => module))]
      return await exchange(calls.map((call) => call.name), { host: 'musicu', build: () => musicuRequest(requests, credential, device), as: 'json', parts, retry, searcher }, (body) => readBatch(calls, body as Record<string, unknown>, reading))
    }

    async function sendClassic (call: ClassicCall<unknown>, retry: boolean): Promise<Settled<unknown>[]> {
      const { request } = call
      return await exchange([call.name], { host: request.host ?? 'classic', build: () => classicRequest(request, credential), as: request.as ?? 'json', parts: [request.path], retry }, (body) => [readClassic(call, body, reading)])
    }

    async function send<T> (call: UpstreamCall<T>, retry: boolean): Promise<T> {
      const [result] = isMusicu(call) ? await sendMusicu([call], retry) : await sendClassic(call as ClassicCall<T>, retry)
      if (result?.error !== undefined) throw result.error
      return result?.value as T
    }

    const upstream = createUpstream({ loggedIn: reading.loggedIn, send, sendAll: sendMusicu, spare: hostPolicy.spare }, health)
    return {
      ...upstream,
      signal: () => running().signal,
      end () {
        ended = true
        held.end()
        if (deadline === undefined) return
        deadlines.delete(deadline)
        // One of several parallel calls failed: nobody waits for the others.
        if (inFlight > 0) deadline.giveUp(clientGone)
        else deadline.end()
      }
    }
  }

  return {
    forRequest,
    assertCapacity (client) {
      refuseGreedy(client)
      hostPolicy.assertCapacity(client)
    },
    waitSeconds: hostPolicy.waitSeconds,
    hostStates: hostPolicy.states,
    disabledCalls: health.disabled,
    stop () {
      stopped = true
      for (const deadline of deadlines) deadline.giveUp(relayStops)
    },
    close: transport.close
  }
}

const isRiskControl = (error: unknown): boolean => error instanceof UpstreamError && error.upstreamCode === 2001

/** Whether the relay itself refused to send. */
const wasNotAsked = (error: unknown): boolean => error instanceof UpstreamError && (error.outcome === 'paused' || error.outcome === 'shed')
