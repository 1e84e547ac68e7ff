/**
 * Questions to the batch gateway that are asked at the same time travel together: while one is in flight, further ones of the
 * same kind wait a moment and share one POST. Each settles on its own. Background: docs/decisions/0019-shared-posts.md.
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
  /** Most questions in one POST. 1: none is shared. */
  readonly batchMost: number
  /** Longest wait for others. */
  readonly batchWaitMs: number
  /** An answer of several questions may have about so many bytes: larger ones are slow to parse at once. */
  readonly batchBytes: number
  /** How long the questions of a module travel alone after a shared POST failed. */
  readonly batchRestMs: number
  /** Time for all upstream calls of one request. */
  readonly deadlineMs: number
  readonly now?: (() => number) | undefined
}

/** One call, its client and login, what ends the interest in it, and the milliseconds until then. */
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
 * How one question is asked. After a shared POST failed, it is asked alone without a retry. `read` gets the answer of a shared POST and its
 * place in it, and throws if that POST failed as a whole. `failed` is told.
 */
export interface BatchHandlers<T> {
  readonly alone: (mayRetry: boolean) => Promise<T>
  readonly read: (shared: SharedBody, at: number, of: number) => T
  readonly failed: (error: unknown) => void
}

/** What the POSTs need of the client. */
export interface Poster {
  /** Sends the questions in one POST. */
  post (questions: readonly Question[], signal: AbortSignalLike): Promise<SharedBody>
  /** Takes one attempt from the retry budget; false when it is empty. */
  takeRetry (): boolean
}

/** The shared POSTs of one relay. */
export interface Batching {
  /** Asks alone if nothing of this group is in flight, else together with others. `group`: all that share a POST say the same here. */
  send<T> (group: string, question: Question, handlers: BatchHandlers<T>): Promise<T>
  /** An answer of this module had so many bytes per call, and took so many milliseconds. */
  measured (module: string, bytes: number, ms: number): void
}

/** Abort reason: a shared POST has had its time. */
const tooSlow: unique symbol = Symbol('too slow')

/** What became of a shared POST, for one of its questions. Undefined: it has no company and is asked alone. */
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
/** The questions of one group. */
interface Line { flying: number, readonly waiting: Rider[], timer: NodeJS.Timeout | undefined }
/** What is known of a module. There are as many as the relay has calls. */
interface Module { bytes: number, ms: number, restsUntil: number }

/** Nothing is in flight yet. */
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
    // There has to be time for a shared POST that fails, and for asking alone after it.
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

  /** Sends all who wait. */
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

  /** Waits for company, and for the answer. */
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
      // A busy relay reads the requests that have arrived before it sends.
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
          // Whatever failed may be the fault of one of the others.
          rest(question)
          if (question.signal.aborted || passage?.mayRetry() !== true) throw error
          mayRetry = false
        }
      }
      // The line may have ended meanwhile, and another one begun.
      return await fly(group, lineOf(group), async () => await alone(mayRetry))
    },
    measured (name, bytes, ms) {
      const module = moduleOf(name)
      module.bytes = Math.max(bytes, 0.9 * module.bytes)
      module.ms = ms
    }
  }
}

/** Failures of the host or of this address: each question would meet them alone, too. */
const ofAll = new Set(['connect', 'throttled', 'paused', 'rejected', 'stopping', 'client_gone'])
const concernsOne = (error: unknown): boolean =>
  error instanceof UpstreamError && !ofAll.has(error.outcome) && !error.outcome.startsWith('proxy_') && error.upstreamCode !== 2001

/**
 * What all questions that may share a POST have in common: the login, the client program, and the module, so that a slow or ill
 * one holds nobody else. Undefined: it shares none. Searches keep their pace, and the signed entry takes one call.
 */
export function groupOf ({ request: { comm, module, takesTurns, alone } }: MusicuCall<unknown>, credential: Credential | undefined): string | undefined {
  if (alone === true || takesTurns === true || comm === 'signed') return undefined
  return `${comm ?? 'web'} ${module} ${credential === undefined ? '' : cookieHeader(credential)}`
}
