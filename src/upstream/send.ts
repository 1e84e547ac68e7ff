/**
 * Sends the calls of one question: its deadline, its place at the host, at most one retry, the bytes that are charged
 * to its client, and a report of how each call ended.
 */
import type { AbortSignalLike } from '../common/abort.ts'
import { rowOf } from '../common/errors.ts'
import { kinds } from '../common/kinds.ts'
import { refuseOverdrawn, type Client, type Holding, type Usage } from '../common/ledger.ts'
import { release } from '../common/release.ts'
import { clockOf, sleep, type Clock } from '../common/timers.ts'
import { groupOf, type Batching, type PendingCall, type SharedBody } from './batching.ts'
import { callStatusOf, noopObserver, type UpstreamObserver } from './read/observer.ts'
import type { ClassicCall, MusicuCall, Settled, UpstreamCall } from './calls.ts'
import type { CallHealth } from './health.ts'
import type { EndOfRequest, Hosts } from './hosts.ts'
import { createHeldBytes, type AnswerBytes, type HeldBytes } from './http/collect.ts'
import { clientGone, relayStops, startDeadline, type Deadline } from './http/deadline.ts'
import { tooManyBytes } from './http/failures.ts'
import type { Transport, TransportResponse } from './http/transport.ts'
import { readBody } from './read/decode.ts'
import type { Counters } from './monitor.ts'
import type { Searcher, SearchTurns } from './searchTurns.ts'
import { readBatch, readClassic } from './wire/exchange.ts'
import type { Credential } from './wire/credentials.ts'
import { classicRequest, musicuRequest, type Device, type WireRequest } from './wire/requests.ts'

/** Report of one request to the upstream, for logs. `ms`: milliseconds. */
export interface UpstreamReport {
  readonly calls: readonly string[]
  /** `ok` if any of the calls was answered, else the outcome of the first. */
  readonly outcome: string
  readonly ms: number
  /** Names of the calls with a usable answer. */
  readonly answered?: readonly string[]
  /** Bytes that were read, compressed and not. */
  readonly bytes?: number
}

/** The caller of one request. */
export interface UpstreamCaller {
  readonly credential?: Credential | undefined
  /**
   * The client that is charged for the work and takes turns with others. Undefined: only the limits for all clients
   * together apply.
   */
  readonly client?: Client | undefined
  /** Aborted when the caller leaves. */
  readonly signal?: AbortSignalLike | undefined
  readonly observer?: UpstreamObserver | undefined
  readonly onUpstreamRequest?: ((report: UpstreamReport) => void) | undefined
}

/** What all questions of one relay share. Times are milliseconds. */
export interface Shared {
  readonly transport: Transport
  readonly hosts: Hosts
  readonly health: CallHealth
  readonly turns: SearchTurns
  readonly batching: Batching
  readonly device: Device
  readonly clock: Clock
  readonly options: SendOptions
  /** Running deadlines. */
  readonly deadlines: Set<Deadline>
  isStopped (): boolean
}

/** Waits before a retry. Tests use others. */
export const retryLimits = {
  /** Shortest wait before a retry. An immediate retry after a reset would be reset again. */
  retryDelayMinMs: 50,
  /** Longest wait before a retry. The range spreads callers that failed together. A caller hardly notices the wait. */
  retryDelayMaxMs: 250
}

type RetryLimits = typeof retryLimits

export interface SendOptions extends RetryLimits {
  /** Milliseconds for all upstream calls of one question. */
  readonly deadlineMs: number
  /** Counts the requests that are sent for each client. */
  readonly upstreamCalls?: Usage | undefined
  /** Limit for the bytes of upstream answers that questions in progress hold. Absent: no limit. */
  readonly answerBytes?: Holding
  readonly counters?: Pick<Counters, 'count'>
}

/** One question of a caller: the context of all its calls. Its deadline starts with the first one. */
export interface Question {
  readonly shared: Shared
  readonly caller: UpstreamCaller
  readonly held: HeldBytes
  deadline: Deadline | undefined
  /** Its first call was sent. */
  begun: boolean
  /** It was answered. */
  ended: boolean
  /** An alternative was sent instead of a retry: later calls get no retry. */
  spent: boolean
  /** Exchanges in flight. */
  inFlight: number
  /** Milliseconds that its searches have waited for their turns. */
  waitedMs: number
}

export function beginQuestion (shared: Shared, caller: UpstreamCaller): Question {
  const held = createHeldBytes(shared.options.answerBytes, caller.client)
  const none = { deadline: undefined, begun: false, ended: false, spent: false, inFlight: 0, waitedMs: 0 }
  return { shared, caller, held, ...none }
}

/** Ends a question after its answer: clears its deadline and aborts its upstream requests that are still in flight. */
export function endQuestion (question: Question): void {
  question.ended = true
  question.held.end()
  const { deadline, shared } = question
  if (deadline === undefined) return
  shared.deadlines.delete(deadline)
  // One of several parallel calls failed, so the results of the others are not needed.
  if (question.inFlight > 0) deadline.giveUp(clientGone)
  else deadline.end()
}

/** Returns the deadline of a question, which starts now at the latest. */
export function deadlineOf (question: Question): Deadline {
  const { shared: { clock, deadlines, isStopped, options }, caller, ended } = question
  let { deadline } = question
  if (deadline === undefined) {
    question.deadline = deadline = startDeadline(options.deadlineMs, caller.signal, clock)
    if (!ended) deadlines.add(deadline)
  }
  if (isStopped() || ended) deadline.giveUp(isStopped() ? relayStops : clientGone)
  return deadline
}

/**
 * How calls are sent and read together. `parts`: the parts of the host that they use. `searcher`: the client program
 * whose turn they take. `group`: the calls with which a single one may share a POST.
 */
interface Exchange {
  readonly names: readonly string[]
  readonly host: WireRequest['host']
  readonly parts: readonly string[]
  readonly as: 'json' | 'text' | 'redirect'
  readonly searcher?: Searcher | undefined
  readonly group?: string | undefined
  readonly build: () => WireRequest
  /** `from`: the place of the first call in the answer. */
  readonly read: (body: unknown, from: number) => Settled<unknown>[]
}

function exchangeOf ({ caller, shared }: Question, calls: readonly UpstreamCall<unknown>[]): Exchange {
  const { credential, client, observer = noopObserver } = caller
  const reading = { loggedIn: credential !== undefined, observer }
  const names = calls.map(({ name }) => name)
  const [first] = calls
  if (first !== undefined && !('module' in first.request)) {
    const { request } = first as ClassicCall<unknown>
    return {
      names,
      host: request.host ?? 'classic',
      parts: [request.part ?? request.path],
      as: request.as ?? 'json',
      build: () => classicRequest(request, credential),
      read: (body) => [readClassic(first as ClassicCall<unknown>, body, reading)]
    }
  }
  const musicu = calls as readonly MusicuCall<unknown>[]
  const requests = musicu.map(({ request }) => request)
  const takesTurns = requests.some((request) => request.takesTurns === true)
  return {
    names,
    host: 'musicu',
    parts: [...new Set(requests.map(({ module }) => module))],
    as: 'json',
    searcher: takesTurns ? { program: requests[0]?.comm ?? 'web', loggedIn: reading.loggedIn, client } : undefined,
    group: musicu.length === 1 ? groupOf(musicu[0] as MusicuCall<unknown>, credential) : undefined,
    build: () => musicuRequest(requests, credential, shared.device),
    read: (body, from) => readBatch(musicu, body as Record<string, unknown>, reading, from)
  }
}

/** Whether a retry may help: a broken connection or an HTTP 5xx. Timeouts and rate limits are not retried. */
function isPassing (error: unknown): boolean {
  const { again } = rowOf(error)
  return again === 'any' || again === 'once'
}

/**
 * Sends calls in one request, once or, with `retry`, twice. A single call of the batch gateway shares a POST with
 * others where possible; if that fails, it is sent alone once. Each call settles on its own. Throws UpstreamError when
 * the whole answer failed, and RATE_LIMITED, before the first call of a question, for a client over its limit.
 */
export async function send (
  question: Question,
  calls: readonly UpstreamCall<unknown>[],
  retry: boolean
): Promise<Settled<unknown>[]> {
  const { caller: { client, credential }, held, shared } = question
  const { batching, clock, hosts, options, transport, turns } = shared
  // Only before the first call: afterwards the calls already sent would be wasted.
  if (!question.begun && options.upstreamCalls !== undefined) refuseOverdrawn(options.upstreamCalls, client)
  question.begun = true
  const { signal, leftMs } = deadlineOf(question)
  const exchange = exchangeOf(question, calls)
  const { names, host, parts, as, searcher, group } = exchange
  const call = names.join(' + ')
  let mayRetry = retry
  let joined = group === undefined ? undefined
    : batching.join(group, { call: calls[0] as MusicuCall<unknown>, client, credential, signal, leftMs: leftMs() })
  let leaveGroup: (() => void) | undefined
  let hasTurn = searcher === undefined
  question.inFlight++
  try {
    for (;;) {
      const answer = held.forAnswer()
      let started = performance.now()
      let end: EndOfRequest | undefined
      let mayGoAlone: ((error: unknown) => boolean) | undefined
      try {
        let body: unknown
        let from = 0
        const share = joined && await joined
        if (share !== undefined) {
          mayGoAlone = share.mayGoAlone
          if (share.error !== undefined) throw share.error
          if (!answer.charge(share.bytes)) throw tooManyBytes(call)
          ;({ body, from } = share)
          share.body = undefined
        } else {
          leaveGroup ??= group === undefined ? undefined : batching.begin(group)
          if (!hasTurn) question.waitedMs += await turns.take(searcher as Searcher, call, signal, question.waitedMs)
          hasTurn = true
          const entered = hosts.enter({ host, parts, call, client, signal })
          end = entered instanceof Promise ? await entered : entered
          started = performance.now()
          const response = await transport.request(exchange.build(), call, signal, answer.charge)
          if (host === 'musicu') {
            batching.measured(parts[0] as string, response.bytes.length / calls.length, performance.now() - started)
          }
          body = bodyOf(response, as, call)
          end()
          end = undefined
        }
        const settled = exchange.read(body, from)
        // The whole shared answer was unreadable, perhaps because of the other calls.
        if (mayGoAlone !== undefined && isUnreadable(settled[0]?.error)) throw settled[0]?.error
        report(question, exchange, settled.map(({ error }) => error), started, answer)
        answer.becomes(settled.map(({ value }) => value))
        return settled
      } catch (reason) {
        const error = end === undefined ? reason : end(reason)
        report(question, exchange, calls.map(() => error), started, answer)
        const isAgain = mayGoAlone === undefined
          ? mayRetry && isPassing(error) && !signal.aborted && hosts.takeRetry() : mayGoAlone(error)
        if (!isAgain) throw error
        if (mayGoAlone === undefined) await sleep(retryDelayOf(options), clockOf(clock).timers)
        mayRetry = false
        hasTurn = searcher === undefined
        joined = undefined
      }
    }
  } finally {
    question.inFlight--
    leaveGroup?.()
  }
}

const retryDelayOf = ({ retryDelayMinMs, retryDelayMaxMs }: SendOptions): number =>
  retryDelayMinMs + Math.random() * (retryDelayMaxMs - retryDelayMinMs)

const isUnreadable = (error: unknown): boolean => rowOf(error).code === 'UPSTREAM_UNREADABLE'

/** Returns the text, the JSON object or the redirect of an answer, and frees its bytes. */
function bodyOf (
  { status, bytes, contentType, location = '' }: TransportResponse,
  as: Exchange['as'],
  call: string
): unknown {
  try {
    return as === 'redirect' ? { status, location } : readBody(bytes, contentType, as, call)
  } finally {
    release(bytes)
  }
}

/** Reports the ends of calls that were sent together at `started`, each with its error or undefined. */
function report (
  { caller: { observer, onUpstreamRequest }, shared }: Question,
  { names, searcher }: Exchange,
  errors: readonly unknown[],
  started: number,
  answer: AnswerBytes
): void {
  const ms = performance.now() - started
  const isTooFast = searcher !== undefined && errors.some((error) => rowOf(error).search === 'tooFast')
  if (isTooFast) shared.turns.refused(searcher)
  const ends = names.map((name, at) => ({ call: name, ...callStatusOf(errors[at]), ms }))
  for (const end of ends) {
    shared.options.counters?.count(end.call, end.outcome)
    // A refusal by an overloaded relay gives no information about the call.
    if (end.kind === undefined || kinds[end.kind].own !== 'limit') observer?.callEnded?.(end)
  }
  const answered = ends.filter(({ outcome }) => outcome === 'ok').map(({ call }) => call)
  // An answer in which every call failed is not used.
  if (answered.length === 0) answer.letGo()
  onUpstreamRequest?.({
    calls: names,
    outcome: answered.length > 0 ? 'ok' : ends[0]?.outcome ?? '',
    ms,
    answered,
    bytes: answer.read()
  })
}

/**
 * Sends the calls of several questions in one POST, with the turn of the client that is served first. Its bytes are not
 * charged to a client yet.
 */
export async function sendShared (
  { batching, device, hosts, options, transport }: Shared,
  pending: readonly PendingCall[],
  signal: AbortSignalLike
): Promise<SharedBody> {
  const others = pending.map(({ client }) => client)
  const leader = hosts.nextClient(others)
  others.splice(others.indexOf(leader), 1)
  for (const client of others) options.upstreamCalls?.charge(client)
  const { call: { name, request: { module } }, credential } = pending[0] as PendingCall
  const held = createHeldBytes(options.answerBytes, undefined)
  const end = await hosts.enter({ host: 'musicu', parts: [module], call: name, client: leader, signal })
  const started = performance.now()
  try {
    const request = musicuRequest(pending.map(({ call }) => call.request), credential, device)
    const response = await transport.request(request, name, signal, held.forAnswer().charge)
    const size = response.bytes.length
    batching.measured(module, size / pending.length, performance.now() - started)
    const body = bodyOf(response, 'json', name) as Record<string, unknown>
    end()
    return { body, bytes: size }
  } catch (error) {
    throw end(error)
  } finally {
    held.end()
  }
}
