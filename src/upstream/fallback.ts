/**
 * The three functions that endpoints use for one request: `send`, `sendAll` and `firstOf`. They allow one further
 * attempt: after a broken connection or a 5xx a request gets either a retry or the next alternative, never both. The
 * exception is a POST of several modules that fails because of one of its calls: see `sendAll`.
 */
import type { AbortSignalLike } from '../common/abort.ts'
import { UpstreamError, otherCallMayHelp, rowOf } from '../common/errors.ts'
import {
  settle, valueOf, type Alternative, type MusicuCall, type Settled, type WithFallback, type Upstream,
  type UpstreamCall
} from './calls.ts'
import { deadlineOf, endQuestion, send, type Question } from './send.ts'

type Results = Settled<unknown>[]
type Element = MusicuCall<unknown> | WithFallback<unknown>

/** Maximum number of calls in one POST. */
const mostCalls = 20

/** The upstream for one question, with its credential and its deadline. The deadline starts with the first call. */
export interface RequestUpstream extends Upstream {
  /** Returns the signal that aborts at the deadline, or when the caller leaves. */
  signal (): AbortSignalLike
  /**
   * Ends the question after its answer: clears its deadline and aborts its upstream requests that are still in flight.
   */
  end (): void
}

/** Creates the functions for one question. */
export function createUpstream (question: Question): RequestUpstream {
  const { caller: { credential, observer }, shared: { health, hosts } } = question
  const loggedIn = credential !== undefined

  /** Sends POSTs in parallel. Throws when none is answered. */
  async function postEach (posts: readonly (readonly MusicuCall<unknown>[])[], retry: boolean): Promise<Results> {
    const answers = await Promise.all(posts.map(async (some) => await settle(send(question, some, retry))))
    if (answers.every(({ error }) => error !== undefined)) throw answers[0]?.error as Error
    return answers.flatMap(({ value, error }, at) => value ?? failEach(posts[at] ?? [], error))
  }

  async function sendAll (elements: readonly Element[]): Promise<Results> {
    const fallbacks = elements.map((element) => 'name' in element ? undefined : element[1])
    const calls = elements.map((element) => 'name' in element ? element : element[0])
    // If every call has a fallback, those replace the retry.
    const replaced = !fallbacks.includes(undefined)
    const spares = fallbacks.some((fallback) => fallback !== undefined)
    const retry = !replaced && !question.spent
    const posts = postsOf(calls)
    let first = await settle(posts.length > 1 ? postEach(posts, retry) : send(question, calls, retry))
    if (failsForOne(first.error) && new Set(calls.map(({ request: { module } }) => module)).size > 1) {
      // One failing call fails the whole POST, and the others succeed without it. These attempts do not use the retry
      // budget, because nothing else would answer the other calls, however long the call fails. They cannot prolong an
      // outage: then the fault is that of the host.
      if (rowOf(first.error).again === 'any') first = await settle(postEach(postsOf(calls, 1), false))
      else if (retry && (spares || rowOf(first.error).code === 'UPSTREAM_UNREADABLE') && hosts.takeRetry()) {
        // One further POST, not one for each call. Which of them is at fault is unknown, so it has all fallbacks.
        const second = await settle(postEach(postsOf(calls.map((call, at) => fallbacks[at] ?? call)), false))
        if (second.value !== undefined) return second.value
      }
    }
    if (first.error !== undefined && !(replaced && otherCallMayHelp(first.error))) throw first.error
    const results = first.value ?? failEach(calls, first.error)

    const again = results.flatMap(({ error }, at) => fallbacks[at] !== undefined && otherCallMayHelp(error) ? [at] : [])
    if (again.length === 0) return results
    // A retry might have helped. The fallbacks are sent instead of it.
    if (again.some((at) => rowOf(results[at]?.error).again !== undefined)) {
      if (!hosts.takeRetry()) return throwUnlessAnswered(first, results)
      question.spent = true
    }
    const others = postsOf(again.map((at) => fallbacks[at] as MusicuCall<unknown>))
    const second = await settle(postEach(others, replaced && !question.spent))
    for (const [index, at] of again.entries()) {
      const result = second.value?.[index] ?? { error: second.error as Error }
      // An answer such as "no such song" replaces the first error. Any other failure adds no information.
      if (!otherCallMayHelp(result.error)) results[at] = result
    }
    return second.error === undefined ? results : throwUnlessAnswered(first, results)
  }

  async function firstOf<T> (
    calls: readonly Alternative<T>[],
    matters: (error: UpstreamError) => boolean = () => false
  ): Promise<T> {
    let reason: UpstreamError | undefined
    let before: UpstreamError | undefined
    let unanswered: UpstreamError | undefined
    let weightOfReason = 0
    let further = true
    let retriable = true
    const emptied: Alternative<T>[] = []
    for (const [at, call] of calls.entries()) {
      const last = at === calls.length - 1
      if (before !== undefined && call.after?.(before) === false) continue
      if (!last && call.always !== true && health.isOff(call, loggedIn)) continue
      const retry = last && retriable
      try {
        const settled = await send(question, 'calls' in call ? call.calls : [call], retry)
        const answer = 'calls' in call ? call.read(settled) : valueOf(settled[0] as Settled<T>)
        health.answered(call, loggedIn)
        for (const each of emptied) health.contradicted(each, loggedIn)
        return answer
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        if (!last) health.failed(call, loggedIn, error) // the last one is never skipped
        if (!otherCallMayHelp(error)) throw error
        if (call.emptyCounts === true && error.code === 'UPSTREAM_EMPTY') emptied.push(call)
        before = error
        if (error.code !== 'UPSTREAM_EMPTY') unanswered ??= error
        // An answer without the data is usually more informative than a refusal.
        const weight = matters(error) ? 3 : error.code === 'UPSTREAM_EMPTY' ? 2 : 1
        if (weight > weightOfReason) [reason, weightOfReason] = [error, weight]
        const { again } = error.row
        if (again === undefined) continue
        // After a 5xx each further alternative may work, or be on another host. After a broken connection one may.
        if (again !== 'any') {
          if (!further) throw error
          further = false
        }
        // All further alternatives together replace one retry. A call that is never skipped would use up the budget of
        // others every time.
        const isFree = !retriable || (again === 'any' && call.always === true)
        if (!last && !isFree && !hosts.takeRetry()) throw error
        retriable = false
        question.spent = true
      }
    }
    if (reason?.code === 'UPSTREAM_EMPTY') reason.cause ??= unanswered
    throw reason ?? new TypeError('firstOf needs at least one call')
  }

  return {
    loggedIn,
    async send<T> (call: UpstreamCall<T>) {
      const [settled] = await send(question, [call], !question.spent)
      return valueOf(settled as Settled<T>)
    },
    sendAll: sendAll as Upstream['sendAll'],
    firstOf,
    confirmEmpty (calls) { observer?.emptyConfirmed?.(calls) },
    signal: () => deadlineOf(question).signal,
    end () { endQuestion(question) }
  }
}

/** Whether a whole POST failed or could not be read, without a code of the upstream: one of its calls may be why. */
const failsForOne = (error: unknown): boolean =>
  error instanceof UpstreamError && error.fault === 'call' && error.upstreamCode === undefined

/** Distributes calls among POSTs with so many each. */
const postsOf = (calls: readonly MusicuCall<unknown>[], most = mostCalls): (readonly MusicuCall<unknown>[])[] =>
  Array.from({ length: Math.ceil(calls.length / most) }, (_, at) => calls.slice(at * most, (at + 1) * most))

const failEach = (calls: readonly unknown[], error: Error | undefined): Results =>
  calls.map(() => ({ error: error as Error }))

function throwUnlessAnswered (first: Settled<Results>, results: Results): Results {
  if (first.error !== undefined) throw first.error
  return results
}
