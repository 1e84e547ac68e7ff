/**
 * Batches calls to the gateway: while one POST is in flight, further calls of the same group wait at most `batchWaitMs`
 * and share the next POST. Each call settles on its own. Background: docs/decisions.md#0019.
 */
import { createAbort, type AbortSignalLike } from '../common/abort.ts'
import { UpstreamError } from '../common/errors.ts'
import type { Client } from '../common/ledger.ts'
import { clockOf, type Clock } from '../common/timers.ts'
import { networkError, neverConnected } from './http/failures.ts'
import type { MusicuCall } from './calls.ts'
import { cookieHeader, type Credential } from './wire/credentials.ts'

/** Limits of shared POSTs. Tests use others. */
export const batchLimits = {
  /** Calls from several requests in one POST to the batch gateway, which accepts 30. */
  batchMost: 20,
  /**
   * Maximum wait for further calls before a POST to the batch gateway, while another one is in flight. It is at most a
   * tenth of a round trip, so that callers do not notice.
   */
  batchWaitMs: 3,
  /**
   * Size of a shared answer. A text of more than 65,536 characters lies in memory pages of its own, which the system
   * maps anew for each text: on some machines that costs more than reading it. An answer has at most as many characters
   * as bytes.
   */
  batchBytes: 60 * 1024,
  /** How long calls of a module are sent alone after a shared POST failed: as long as a refusal usually lasts. */
  batchPauseMs: 60_000
}

/** Times in milliseconds. */
export interface BatchingOptions extends Clock {
  /** Maximum number of calls in one POST. 1: no POST is shared. */
  readonly batchMost: number
  /** Maximum time that a call waits for others. */
  readonly batchWaitMs: number
  /** Approximate limit for the answer of a shared POST, in bytes: larger answers are slow to parse at once. */
  readonly batchBytes: number
  /** How long the calls of a module are sent alone after a shared POST failed. */
  readonly batchPauseMs: number
  /** Time for all upstream calls of one request. */
  readonly deadlineMs: number
}

/** A call to send, its client and login, the signal that aborts it, and the milliseconds until then. */
export interface PendingCall {
  readonly call: MusicuCall<unknown>
  readonly client: Client | undefined
  readonly credential: Credential | undefined
  readonly signal: AbortSignalLike
  readonly leftMs: number
}

/** The answer of a shared POST. */
export interface SharedBody { readonly body: Record<string, unknown>, readonly bytes: number }

/**
 * How one call is sent and read. `alone` sends it in a separate POST, without a retry after a shared POST failed.
 * `read` gets the answer of a shared POST and the call's place in it, and throws if the POST failed as a whole.
 * `failed` is called after a failure.
 */
export interface BatchHandlers<T> {
  readonly alone: (mayRetry: boolean) => Promise<T>
  readonly read: (shared: SharedBody, at: number, of: number) => T
  readonly failed: (error: unknown) => void
}

/** What batching needs from the client. */
export interface Poster {
  /** Sends the calls in one POST. */
  post (calls: readonly PendingCall[], signal: AbortSignalLike): Promise<SharedBody>
  /** Takes one attempt from the retry budget; false when it is empty. */
  takeRetry (): boolean
}

/** The shared POSTs of one relay. */
export interface Batching {
  /**
   * Sends the call alone if nothing of its group is in flight, else together with others. `key`: the same for all calls
   * that may share a POST.
   */
  send<T> (key: string, pending: PendingCall, handlers: BatchHandlers<T>): Promise<T>
  /** Records the bytes per call and the milliseconds of one answer of this module. */
  measured (module: string, bytes: number, ms: number): void
}

/** Abort reason: the time of a shared POST is over. */
const tooSlow: unique symbol = Symbol('too slow')

/** The result of a shared POST for one call. Undefined: send it alone. */
type BatchResult = {
  readonly at: number
  readonly of: number
  readonly shared?: SharedBody | undefined
  readonly error?: unknown
  readonly mayRetry: () => boolean
} | undefined
interface QueuedCall {
  readonly pending: PendingCall
  readonly settle: (result: BatchResult) => void
}
/** The calls of one group. */
interface Group {
  readonly key: string
  inFlight: number
  readonly waiting: QueuedCall[]
  timer: NodeJS.Timeout | undefined
}
/** Measurements of one module. The number of modules is limited by the relay's calls. */
interface Module { bytes: number, ms: number, aloneUntil: number }

/** Creates the batching of one relay, with nothing in flight. */
export function createBatching (options: BatchingOptions, { post, takeRetry }: Poster): Batching {
  const { now, timers: { setTimeout, clearTimeout } } = clockOf(options)
  const groups = new Map<string, Group>()
  const modules = new Map<string, Module>()

  function moduleOf (name: string): Module {
    let module = modules.get(name)
    if (module === undefined) modules.set(name, module = { bytes: 0, ms: 0, aloneUntil: -Infinity })
    return module
  }
  const batchSizeFor = ({ call, leftMs }: PendingCall): number => {
    const { bytes, ms, aloneUntil } = moduleOf(call.request.module)
    // Leave time for a shared POST that fails, and for sending the call alone after it.
    const isLate = leftMs < options.deadlineMs / 2 || ms > leftMs / 4
    return isLate || aloneUntil > now() ? 1 : Math.min(options.batchMost, Math.floor(options.batchBytes / bytes))
  }
  const sendAloneForNow = ({ call }: PendingCall): void => {
    moduleOf(call.request.module).aloneUntil = now() + options.batchPauseMs
  }

  function groupFor (key: string): Group {
    let group = groups.get(key)
    if (group === undefined) groups.set(key, group = { key, inFlight: 0, waiting: [], timer: undefined })
    return group
  }

  /** Counts a POST as in flight while it is sent. Calls that waited for it go next. */
  async function inFlight<T> (group: Group, post: () => Promise<T>): Promise<T> {
    group.inFlight++
    try {
      return await post()
    } finally {
      group.inFlight--
      if (group.waiting.length > 0) flush(group)
      else if (group.inFlight === 0) groups.delete(group.key)
    }
  }

  /** Sends all waiting calls. */
  function flush (group: Group): void {
    clearTimeout(group.timer)
    group.timer = undefined
    while (group.waiting.length > 0) {
      const batch = group.waiting.splice(0, Math.max(1, batchSizeFor((group.waiting[0] as QueuedCall).pending)))
      if (batch.length === 1) batch[0]?.settle(undefined)
      else void inFlight(group, async () => { await sendBatch(batch) })
    }
  }

  async function sendBatch (batch: readonly QueuedCall[]): Promise<void> {
    const whole = createAbort()
    const timer = setTimeout(whole.abort, Math.min(...batch.map(({ pending: { leftMs } }) => leftMs)) / 2, tooSlow)
    let interested = batch.length
    const leave = batch.map(({ pending: { signal } }) => (): void => {
      if (--interested === 0) { whole.abort(signal.reason) }
    })
    batch.forEach(({ pending: { signal } }, at) => { signal.addEventListener('abort', leave[at] as () => void) })
    let shared: SharedBody | undefined
    let error: unknown
    try {
      shared = await post(batch.map(({ pending }) => pending), whole.signal)
    } catch (reason) {
      error = reason
    }
    clearTimeout(timer)
    let again: boolean | undefined
    const mayRetry = (): boolean => again ??= takeRetry()
    batch.forEach(({ pending: { signal }, settle }, at) => {
      signal.removeEventListener('abort', leave[at] as () => void)
      settle({ at, of: batch.length, shared, error, mayRetry })
    })
  }

  /** Waits for other calls, then for the answer. */
  async function enqueue (group: Group, pending: PendingCall): Promise<BatchResult> {
    return await new Promise((resolve) => {
      const { call, signal } = pending
      const gone = (): void => {
        const at = group.waiting.indexOf(queued)
        if (at >= 0) group.waiting.splice(at, 1)
        resolve({ at: 0, of: 1, error: networkError(undefined, call.name, 'request', signal), mayRetry: () => false })
      }
      const queued: QueuedCall = {
        pending,
        settle (result) {
          signal.removeEventListener('abort', gone)
          resolve(result)
        }
      }
      if (signal.aborted) return void gone()
      signal.addEventListener('abort', gone)
      group.waiting.push(queued)
      if (group.waiting.length >= batchSizeFor(pending)) return void flush(group)
      // The immediate lets a busy relay read the requests that have already arrived before it sends.
      group.timer ??= setTimeout(() => {
        setImmediate(flush, group)
      }, Math.min(options.batchWaitMs, moduleOf(call.request.module).ms / 10 || Infinity))
    })
  }

  return {
    async send (key, pending, { alone, read, failed }) {
      let mayRetry = true
      const group = groupFor(key)
      if (group.inFlight > 0 && batchSizeFor(pending) > 1) {
        const result = await enqueue(group, pending)
        try {
          if (result?.error !== undefined) throw result.error
          if (result?.shared !== undefined) return read(result.shared, result.at, result.of)
        } catch (error) {
          failed(error)
          if (!concernsOne(error)) throw error
          // Another call of the POST may have caused the failure.
          sendAloneForNow(pending)
          if (pending.signal.aborted || result?.mayRetry() !== true) throw error
          mayRetry = false
        }
      }
      // The group may have been removed and created again meanwhile.
      return await inFlight(groupFor(key), async () => await alone(mayRetry))
    },
    measured (name, bytes, ms) {
      const module = moduleOf(name)
      module.bytes = Math.max(bytes, 0.9 * module.bytes)
      module.ms = ms
    }
  }
}

/** Failures of the host or of this address: sending the calls alone would fail in the same way. */
const ofAll = new Set(['throttled', 'paused', 'rejected', 'stopping', 'client_gone'])
const concernsOne = (error: unknown): boolean =>
  error instanceof UpstreamError && !ofAll.has(error.outcome) && !neverConnected(error.outcome)
  && error.upstreamCode !== 2001

/**
 * Returns the group of a call: calls share a POST only with the same login, client program and module, so that a slow
 * or failing module delays no other. Undefined: the call shares no POST. Searches are rate-limited, and the signed
 * entry takes one call per POST.
 */
export function groupOf (
  { request: { comm, module, takesTurns, alone } }: MusicuCall<unknown>,
  credential: Credential | undefined
): string | undefined {
  if (alone === true || takesTurns === true || comm === 'signed') return undefined
  return `${comm ?? 'web'} ${module} ${credential === undefined ? '' : cookieHeader(credential)}`
}
