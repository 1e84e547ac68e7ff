/**
 * Batches calls to the gateway: while one POST is in flight, further calls of the same group wait at most `batchWaitMs`
 * and share the next POST. Each call settles on its own. Background: docs/decisions.md#0019.
 */
import { createAbort, type AbortSignalLike } from '../common/abort.ts'
import { UpstreamError } from '../common/errors.ts'
import type { Client } from '../common/ledger.ts'
import { clockOf, type Clock } from '../common/timers.ts'
import { networkError } from './http/failures.ts'
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

/** The limits, and the milliseconds for all upstream calls of one question. */
export type BatchingOptions = Clock & typeof batchLimits & { readonly deadlineMs: number }

/** A call to send, its client and login, the signal that aborts it, and the milliseconds until then. */
export interface PendingCall {
  readonly call: MusicuCall<unknown>
  readonly client: Client | undefined
  readonly credential: Credential | undefined
  readonly signal: AbortSignalLike
  readonly leftMs: number
}

/**
 * The answer to a shared POST. `body` is taken out of it where it is used: a promise that is old when it settles would
 * keep it until the next full collection, and the garbage collector would copy it twice.
 */
export interface SharedBody { body: Record<string, unknown> | undefined, readonly bytes: number }

/**
 * What a call gets from a shared POST: the answer, the place of the call in it and its part of the bytes, or an error.
 * `body` is taken out, too. `mayGoAlone`: after a failure of the POST or of its reading, returns whether the call may
 * be sent again alone.
 */
export interface Share {
  body?: Record<string, unknown> | undefined
  readonly from: number
  readonly bytes: number
  readonly error?: unknown
  readonly mayGoAlone: (error: unknown) => boolean
}

/** The shared POSTs of one relay. A group has the calls that may share a POST. */
export interface Batching {
  /**
   * Waits for other calls and for the answer to all of them, if a POST of the group is in flight. Undefined, at once or
   * later: the call must be sent alone.
   */
  join (group: string, pending: PendingCall): Promise<Share | undefined> | undefined
  /** Counts a POST of the group as in flight. Returns the function that ends it: calls that waited for it go next. */
  begin (group: string): () => void
  /** Records the bytes per call and the milliseconds of one answer of this module. */
  measured (module: string, bytes: number, ms: number): void
}

/** Abort reason: the time of a shared POST is over. */
const tooSlow: unique symbol = Symbol('too slow')

/** A call that waits, or whose POST is in flight. `left` is called when its caller leaves meanwhile. */
interface Waiting {
  readonly pending: PendingCall
  readonly settle: (share: Share | undefined) => void
  left: () => void
}
interface Group { inFlight: number, waiting: Waiting[], timer: NodeJS.Timeout | undefined }
/** Measurements of one module. The number of modules is limited by the relay's calls. */
interface Module { bytes: number, ms: number, aloneUntil: number }

/**
 * Creates the batching of one relay, with nothing in flight. `post` sends calls in one POST; `takeRetry` takes one
 * attempt from the retry budget and returns false when it is empty.
 */
export function createBatching (
  options: BatchingOptions,
  post: (calls: readonly PendingCall[], signal: AbortSignalLike) => Promise<SharedBody>,
  takeRetry: () => boolean
): Batching {
  const { now, timers: { setTimeout, clearTimeout } } = clockOf(options)
  const groups = new Map<string, Group>()
  const modules = new Map<string, Module>()

  function moduleOf (name: string): Module {
    let module = modules.get(name)
    if (module === undefined) modules.set(name, module = { bytes: 0, ms: 0, aloneUntil: -Infinity })
    return module
  }
  function batchSizeFor ({ call, leftMs }: PendingCall): number {
    const { bytes, ms, aloneUntil } = moduleOf(call.request.module)
    // Leave time for a shared POST that fails, and for sending the call alone after it.
    const isLate = leftMs < options.deadlineMs / 2 || ms > leftMs / 4
    if (isLate || aloneUntil > now()) return 1
    return Math.max(1, Math.min(options.batchMost, Math.floor(options.batchBytes / bytes)))
  }

  function begin (key: string): () => void {
    let group = groups.get(key)
    if (group === undefined) groups.set(key, group = { inFlight: 0, waiting: [], timer: undefined })
    const own = group
    own.inFlight++
    return () => {
      own.inFlight--
      if (own.waiting.length > 0) flush(key, own)
      else if (own.inFlight === 0) groups.delete(key)
    }
  }

  /** Sends all waiting calls. */
  function flush (key: string, group: Group): void {
    clearTimeout(group.timer)
    group.timer = undefined
    while (group.waiting.length > 0) {
      const batch = group.waiting.splice(0, batchSizeFor((group.waiting[0] as Waiting).pending))
      if (batch.length === 1) batch[0]?.settle(undefined)
      else void sendBatch(batch).finally(begin(key))
    }
  }

  async function sendBatch (batch: readonly Waiting[]): Promise<void> {
    const whole = createAbort()
    const timer = setTimeout(whole.abort, Math.min(...batch.map(({ pending }) => pending.leftMs)) / 2, tooSlow)
    let interested = batch.length
    for (const one of batch) one.left = () => { if (--interested === 0) whole.abort(one.pending.signal.reason) }
    const shared: Partial<Share> = await post(batch.map(({ pending }) => pending), whole.signal)
      .catch((reason: unknown) => ({ error: reason }))
    const { body, bytes = 0, error } = shared
    shared.body = undefined
    clearTimeout(timer)
    let isAllowed: boolean | undefined
    for (const [from, { pending: { call, signal }, settle }] of batch.entries()) {
      const mayGoAlone = (failure: unknown): boolean => {
        if (!concernsOne(failure)) return false
        // Another call of the POST may have caused the failure.
        moduleOf(call.request.module).aloneUntil = now() + options.batchPauseMs
        return !signal.aborted && (isAllowed ??= takeRetry())
      }
      settle({ body, from, bytes: Math.ceil(bytes / batch.length), error, mayGoAlone })
    }
  }

  return {
    join (key, pending) {
      const { call, signal } = pending
      const group = groups.get(key)
      if (group === undefined || group.inFlight === 0 || batchSizeFor(pending) === 1 || signal.aborted) return undefined
      return new Promise((resolve) => {
        const leave = (): void => {
          signal.removeEventListener('abort', leave)
          const error = networkError(undefined, call.name, 'request', signal)
          resolve({ from: 0, bytes: 0, error, mayGoAlone: () => false })
          own.left()
        }
        const own: Waiting = {
          pending,
          settle (share) {
            signal.removeEventListener('abort', leave)
            resolve(share)
          },
          left () { group.waiting = group.waiting.filter((one) => one !== own) }
        }
        signal.addEventListener('abort', leave)
        group.waiting.push(own)
        if (group.waiting.length >= batchSizeFor(pending)) return void flush(key, group)
        // The immediate lets a busy relay read the requests that have already arrived before it sends.
        group.timer ??= setTimeout(() => {
          setImmediate(flush, key, group)
        }, Math.min(options.batchWaitMs, moduleOf(call.request.module).ms / 10 || Infinity))
      })
    },
    begin,
    measured (name, bytes, ms) {
      const module = moduleOf(name)
      module.bytes = Math.max(bytes, 0.9 * module.bytes)
      module.ms = ms
    }
  }
}

/** Whether sending the calls alone may help: not if the host or this address is refused. */
const concernsOne = (error: unknown): boolean => error instanceof UpstreamError && error.row.everyone !== true

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
