/**
 * Batches calls to the gateway: while one POST is in flight, further calls of the same group wait at most `batchWaitMs` and
 * share the next POST. Each call settles on its own. Background: docs/decisions/0019-shared-posts.md.
 */
import { createAbort } from '../common/abort.ts'
import type { AbortSignalLike } from '../common/abort.ts'
import { UpstreamError } from '../common/errors.ts'
import type { Client } from '../common/ledger.ts'
import { networkError } from './http/failures.ts'
import type { MusicuCall } from './calls.ts'
import { cookieHeader } from './protocol/credentials.ts'
import type { Credential } from './protocol/credentials.ts'

/** Times in milliseconds. */
export interface BatchingOptions {
  /** Maximum number of calls in one POST. 1: no POST is shared. */
  readonly batchMost: number
  /** Maximum time that a call waits for others. */
  readonly batchWaitMs: number
  /** Approximate limit for the answer of a shared POST, in bytes: larger answers are slow to parse at once. */
  readonly batchBytes: number
  /** How long the calls of a module are sent alone after a shared POST failed. */
  readonly batchRestMs: number
  /** Time for all upstream calls of one request. */
  readonly deadlineMs: number
  readonly now?: (() => number) | undefined
}

/** One call, its client and login, the signal that aborts it, and the milliseconds until then. */
export interface Question {
  readonly call: MusicuCall<unknown>
  readonly client: Client | undefined
  readonly credential: Credential | undefined
  readonly signal: AbortSignalLike
  readonly leftMs: number
}

/** The answer of a shared POST. */
export interface SharedBody { readonly body: Record<string, unknown>, readonly bytes: number }

/**
 * How one call is sent and read. `alone` sends it in a separate POST, without a retry after a shared POST failed. `read` gets
 * the answer of a shared POST and the call's place in it, and throws if the POST failed as a whole. `failed` is called after a
 * failure.
 */
export interface BatchHandlers<T> {
  readonly alone: (mayRetry: boolean) => Promise<T>
  readonly read: (shared: SharedBody, at: number, of: number) => T
  readonly failed: (error: unknown) => void
}

/** What batching needs from the client. */
export interface Poster {
  /** Sends the calls in one POST. */
  post (questions: readonly Question[], signal: AbortSignalLike): Promise<SharedBody>
  /** Takes one attempt from the retry budget; false when it is empty. */
  takeRetry (): boolean
}

/** The shared POSTs of one relay. */
export interface Batching {
  /**
   * Sends the call alone if nothing of its group is in flight, else together with others. `group`: the same for all calls that
   * may share a POST.
   */
  send<T> (group: string, question: Question, handlers: BatchHandlers<T>): Promise<T>
  /** Records the bytes per call and the milliseconds of one answer of this module. */
  measured (module: string, bytes: number, ms: number): void
}

/** Abort reason: the time of a shared POST is over. */
const tooSlow: unique symbol = Symbol('too slow')

/** The result of a shared POST for one call. Undefined: send it alone. */
type Passage = {
  readonly at: number
  readonly of: number
  readonly shared?: SharedBody | undefined
  readonly error?: unknown
  readonly mayRetry: () => boolean
} | undefined
interface Rider {
  readonly question: Question
  readonly end: (passage: Passage) => void
}
/** The calls of one group. */
interface Line { flying: number, readonly waiting: Rider[], timer: NodeJS.Timeout | undefined }
/** Measurements of one module. The number of modules is limited by the relay's calls. */
interface Module { bytes: number, ms: number, restsUntil: number }

/** Creates the batching of one relay, with nothing in flight. */
export function createBatching (options: BatchingOptions, { post, takeRetry }: Poster): Batching {
  const now = options.now ?? (() => performance.now())
  const lines = new Map<string, Line>()
  const modules = new Map<string, Module>()

  function moduleOf (name: string): Module {
    let module = modules.get(name)
    if (module === undefined) modules.set(name, module = { bytes: 0, ms: 0, restsUntil: -Infinity })
    return module
  }
  const placesFor = ({ call, leftMs }: Question): number => {
    const { bytes, ms, restsUntil } = moduleOf(call.request.module)
    // Leave time for a shared POST that fails, and for sending the call alone after it.
    const isLate = leftMs < options.deadlineMs / 2 || ms > leftMs / 4
    return isLate || restsUntil > now() ? 1 : Math.min(options.batchMost, Math.floor(options.batchBytes / bytes))
  }
  const rest = ({ call }: Question): void => { moduleOf(call.request.module).restsUntil = now() + options.batchRestMs }

  function lineOf (group: string): Line {
    let line = lines.get(group)
    if (line === undefined) lines.set(group, line = { flying: 0, waiting: [], timer: undefined })
    return line
  }

  async function fly<T> (group: string, line: Line, work: () => Promise<T>): Promise<T> {
    line.flying++
    try {
      return await work()
    } finally {
      line.flying--
      if (line.waiting.length > 0) depart(group, line)
      else if (line.flying === 0) lines.delete(group)
    }
  }

  /** Sends all waiting calls. */
  function depart (group: string, line: Line): void {
    clearTimeout(line.timer)
    line.timer = undefined
    while (line.waiting.length > 0) {
      const riders = line.waiting.splice(0, Math.max(1, placesFor((line.waiting[0] as Rider).question)))
      if (riders.length === 1) riders[0]?.end(undefined)
      else void fly(group, line, async () => { await travel(riders) })
    }
  }

  async function travel (riders: readonly Rider[]): Promise<void> {
    const whole = createAbort()
    const timer = setTimeout(whole.abort, Math.min(...riders.map(({ question: { leftMs } }) => leftMs)) / 2, tooSlow)
    let interested = riders.length
    const leave = riders.map(({ question: { signal } }) => (): void => { if (--interested === 0) whole.abort(signal.reason) })
    riders.forEach(({ question: { signal } }, at) => { signal.addEventListener('abort', leave[at] as () => void) })
    let shared: SharedBody | undefined
    let error: unknown
    try {
      shared = await post(riders.map(({ question }) => question), whole.signal)
    } catch (reason) {
      error = reason
    }
    clearTimeout(timer)
    let again: boolean | undefined
    const mayRetry = (): boolean => again ??= takeRetry()
    riders.forEach(({ question: { signal }, end }, at) => {
      signal.removeEventListener('abort', leave[at] as () => void)
      end({ at, of: riders.length, shared, error, mayRetry })
    })
  }

  /** Waits for other calls, then for the answer. */
  async function ride (group: string, line: Line, question: Question): Promise<Passage> {
    return await new Promise((resolve) => {
      const { call, signal } = question
      const gone = (): void => {
        const at = line.waiting.indexOf(rider)
        if (at >= 0) line.waiting.splice(at, 1)
        resolve({ at: 0, of: 1, error: networkError(undefined, call.name, 'request', signal), mayRetry: () => false })
      }
      const rider: Rider = {
        question,
        end (passage) {
          signal.removeEventListener('abort', gone)
          resolve(passage)
        }
      }
      if (signal.aborted) return void gone()
      signal.addEventListener('abort', gone)
      line.waiting.push(rider)
      if (line.waiting.length >= placesFor(question)) depart(group, line)
      // Lets a busy relay read the requests that have already arrived before it sends.
      else {line.timer ??= setTimeout(() => {
          setImmediate(depart, group, line)
        }, Math.min(options.batchWaitMs, moduleOf(call.request.module).ms / 10 || Infinity))}
    })
  }

  return {
    async send (group, question, { alone, read, failed }) {
      let mayRetry = true
      const line = lineOf(group)
      if (line.flying > 0 && placesFor(question) > 1) {
        const passage = await ride(group, line, question)
        try {
          if (passage?.error !== undefined) throw passage.error
          if (passage?.shared !== undefined) return read(passage.shared, passage.at, passage.of)
        } catch (error) {
          failed(error)
          if (!concernsOne(error)) throw error
          // Another call of the POST may have caused the failure.
          rest(question)
          if (question.signal.aborted || passage?.mayRetry() !== true) throw error
          mayRetry = false
        }
      }
      // The group may have been removed and created again meanwhile.
      return await fly(group, lineOf(group), async () => await alone(mayRetry))
    },
    measured (name, bytes, ms) {
      const module = moduleOf(name)
      module.bytes = Math.max(bytes, 0.9 * module.bytes)
      module.ms = ms
    }
  }
}

/** Failures of the host or of this address: sending the calls alone would fail in the same way. */
const ofAll = new Set(['connect', 'throttled', 'paused', 'rejected', 'stopping', 'client_gone'])
const concernsOne = (error: unknown): boolean =>
  error instanceof UpstreamError && !ofAll.has(error.outcome) && !error.outcome.startsWith('proxy_') && error.upstreamCode !== 2001

/**
 * Returns the group of a call: calls share a POST only with the same login, client program and module, so that a slow or
 * failing module delays no other. Undefined: the call shares no POST. Searches are rate-limited, and the signed entry takes one
 * call per POST.
 */
export function groupOf ({ request: { comm, module, takesTurns, alone } }: MusicuCall<unknown>, credential: Credential | undefined): string | undefined {
  if (alone === true || takesTurns === true || comm === 'signed') return undefined
  return `${comm ?? 'web'} ${module} ${credential === undefined ? '' : cookieHeader(credential)}`
}
