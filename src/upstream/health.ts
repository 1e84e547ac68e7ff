/**
 * Health of hosts and calls: one record for each, which says until when it is not used. A host is off after too many
 * failures, and paused if it asked for that. A call of `firstOf` that is retired, refused or unreadable several times
 * in a row is off, and the next alternative is used. From time to time one request tries them again.
 */
import { UpstreamError, rowOf } from '../common/errors.ts'
import { failure } from '../common/kinds.ts'
import { pausedFor } from './http/failures.ts'

/** When hosts are off. Tests use others. */
export const hostHealthLimits = {
  /**
   * Consecutive failures that open the circuit breaker of a host. As many 5xx answers in a row within
   * `circuitWindowMs`, even from a few parts, count as failures of the host. A healthy host does not fail ten times in
   * a row by chance.
   */
  circuitFailures: 10,
  /** Failure rate that also opens it. A host that fails every second request does more harm than good. */
  circuitPercent: 50,
  /** Minimum number of requests for a failure rate. With fewer than twenty, half may fail by chance. */
  circuitSamples: 20,
  /**
   * Number of parts of a host (paths, or modules of the gateway) that must answer 5xx before the host counts as
   * failing. One or two were observed to fail for days while the others answered.
   */
  hostFailingParts: 3,
  /** Window of the failure rate: long enough for twenty requests, short enough to forget an outage. */
  circuitWindowMs: 10_000,
  /** How long the breaker stays open. One probe in five seconds is no load for a host, and detects a recovery soon. */
  circuitPauseMs: 5000
}

/** State of a host. `half-open`: one request probes whether the host is back. `paused`: the host sent a rate limit. */
export type HostState = 'closed' | 'open' | 'half-open' | 'paused'

/**
 * The health of one host. A part of it is a path, or a module of the batch gateway, which has one path for all. One
 * path can fail for a day while all others answer (search, 2026-04 to 2026-09): a 5xx is the fault of its call, and of
 * the host only while several parts fail, or while no part answers.
 */
export interface HostHealth {
  /** Throws UPSTREAM_PAUSED while the host is off or paused. `call`: its label for errors. */
  assertUp (call: string): void
  /**
   * Begins a request that uses these parts at once. Returns the function that records its end, with the error of a
   * failure. It returns that error with its current fault: `host` for a 5xx while the host is failing.
   */
  begin (parts: readonly string[]): (error?: unknown) => unknown
  /** Milliseconds until this host accepts requests again; 0 for now. */
  waitMs (): number
  state (): HostState
}

/** Parts that were requested together and failed. `at`: when they failed last. */
interface FailingPart { readonly parts: readonly string[], readonly at: number }

/** Creates the record of a host without failures. `now` returns milliseconds of a monotonic clock. */
export function createHostHealth (limits: typeof hostHealthLimits, now: () => number): HostHealth {
  const { circuitFailures, circuitPercent, circuitSamples, circuitWindowMs, circuitPauseMs, hostFailingParts } = limits
  let isOff = false
  let isProbing = false
  let offUntil = -Infinity
  let pausedUntil = -Infinity
  let inARow = 0
  /** Requests and failures within the window, in tenths of it. */
  let slices: { readonly at: number, all: number, failed: number }[] = []
  /** Each entry is a different failing part. At most as many as make a failing host. */
  let failing: FailingPart[] = []
  /** Times of the last 5xx without an answer between them. */
  let serverErrors: number[] = []

  const offMs = (): number => isOff && !isProbing ? Math.max(0, offUntil - now()) : 0
  const pausedMs = (): number => Math.max(0, pausedUntil - now())

  /**
   * Counts an answer or a failure. Returns whether the host must be turned off. The share alone would let thousands
   * through before it reacts; failures in a row alone would miss a host that fails only a part of its requests.
   */
  function tooMany (hasFailed: boolean): boolean {
    inARow = hasFailed ? inARow + 1 : 0
    const at = Math.floor(now() / circuitWindowMs * 10)
    if (slices.at(-1)?.at !== at) slices = [...slices.filter((slice) => slice.at > at - 10), { at, all: 0, failed: 0 }]
    const slice = slices.at(-1) as (typeof slices)[number]
    slice.all++
    if (hasFailed) slice.failed++
    const all = slices.reduce((sum, each) => sum + each.all, 0)
    const failed = slices.reduce((sum, each) => sum + each.failed, 0)
    return hasFailed && (inARow >= circuitFailures || (all >= circuitSamples && failed > all * circuitPercent / 100))
  }

  function answered (parts: readonly string[]): void {
    serverErrors = []
    failing = failing.filter((each) => !each.parts.every((part) => parts.includes(part)))
  }

  /** Returns the error with its current fault. A batch uses several parts, and its failure does not say which fails. */
  function judged (parts: readonly string[], error: unknown): unknown {
    const { ofHost } = rowOf(error)
    if (ofHost === undefined) return error
    // One path that fails every half minute says nothing of its host, even if nobody asks for another.
    serverErrors = [...serverErrors.filter((at) => now() - at <= circuitWindowMs), now()].slice(-circuitFailures)
    failing = failing.filter(({ at }) => now() - at <= circuitWindowMs)
    const known = failing.find((each) => each.parts.some((part) => parts.includes(part)))
    // If two requests failed, their common part is at fault.
    const suspects = known === undefined ? parts : known.parts.filter((part) => parts.includes(part))
    if (known !== undefined || failing.length < hostFailingParts) {
      failing = [...failing.filter((each) => each !== known), { parts: suspects, at: now() }]
    }
    return failing.length < hostFailingParts && serverErrors.length < circuitFailures ? error
      : failure(ofHost, (error as UpstreamError).facts())
  }

  function turnOff (): void {
    isOff = true
    offUntil = now() + circuitPauseMs
  }

  return {
    assertUp (call) {
      if (pausedMs() > 0) {
        throw pausedFor(pausedMs(), call, 'pause')
      }
      if (offMs() > 0 || isProbing) {
        throw pausedFor(offMs(), call, 'pause.circuit')
      }
    },
    begin (parts) {
      const isProbe = isOff
      if (isProbe) isProbing = true
      return (error) => {
        if (error === undefined) answered(parts)
        const seen = error === undefined ? undefined : judged(parts, error)
        if (seen instanceof UpstreamError && seen.kind === 'throttled') {
          pausedUntil = now() + (seen.retryAfter ?? 0) * 1000
        }
        if (isProbe) {
          isProbing = false
          // A caller who leaves gives no information about the host, but a probe without a result does not prove
          // health either.
          if (isHostFailure(seen) || isGone(seen)) turnOff()
          else {
            isOff = false
            inARow = 0
            slices = []
          }
        } else if (seen === undefined || isHostFailure(seen)) {
          if (tooMany(seen !== undefined) && !isOff) turnOff()
        }
        return seen
      }
    },
    waitMs: () => Math.max(pausedMs(), offMs()),
    state: () => pausedMs() > 0 ? 'paused' : offMs() > 0 ? 'open' : isOff ? 'half-open' : 'closed'
  }
}

const isGone = (error: unknown): boolean => error instanceof UpstreamError && error.kind === 'left'

/**
 * The host is unreachable, broke the connection, failed in several parts or was too slow. Refusals, unreadable answers,
 * one failing part and callers who left do not count.
 */
const isHostFailure = (error: unknown): boolean => rowOf(error).counts === 'host'

/** When calls are off. Tests use others. */
export const callHealthLimits = {
  /** Consecutive failures that disable a call while a fallback gives the same data. Five are not a coincidence. */
  fallbackFailures: 5,
  /** How long it is disabled. A retired call does not come back within seconds, and each probe delays one caller. */
  fallbackPauseMs: 30_000
}

interface WatchedCall { readonly name: string }

/**
 * The health of the calls in all `firstOf` lists, shared by all callers. Some calls answer only callers who are logged
 * in, so anonymous failures are counted separately.
 */
export interface CallHealth {
  /** Whether to skip the call. Once per pause it returns `false` for a call that is off: that request tries it again. */
  isOff (call: WatchedCall, loggedIn: boolean): boolean
  /** Records a success, which turns the call on again. */
  answered (call: WatchedCall, loggedIn: boolean): void
  /** Records a failure. It counts only if the call itself is at fault. */
  failed (call: WatchedCall, loggedIn: boolean, error: UpstreamError): void
  /** Records that another call returned the data that was missing from this call's answer. */
  contradicted (call: WatchedCall, loggedIn: boolean): void
  /** Returns the names of the calls that are off now, for anonymous or logged-in callers. */
  off (): string[]
}

/** Creates the records of calls without failures. `now` returns milliseconds of a monotonic clock. */
export function createCallHealth (
  { fallbackFailures, fallbackPauseMs }: typeof callHealthLimits,
  now: () => number
): CallHealth {
  // Bounded: the keys are the names of the relay's own calls.
  const records = { anonymous: new Map<string, CallRecord>(), loggedIn: new Map<string, CallRecord>() }
  const recordsOf = (loggedIn: boolean): Map<string, CallRecord> => loggedIn ? records.loggedIn : records.anonymous
  const count: CallHealth['contradicted'] = ({ name }, loggedIn) => {
    const { inARow = 0 } = recordsOf(loggedIn).get(name) ?? {}
    recordsOf(loggedIn).set(name, { inARow: inARow + 1, offUntil: now() + fallbackPauseMs })
  }
  return {
    isOff ({ name }, loggedIn) {
      const record = recordsOf(loggedIn).get(name)
      if (record === undefined || record.inARow < fallbackFailures) return false
      if (now() < record.offUntil) return true
      record.offUntil = now() + fallbackPauseMs
      return false
    },
    answered ({ name }, loggedIn) { recordsOf(loggedIn).delete(name) },
    failed (call, loggedIn, error) { if (error.row.counts === 'call') count(call, loggedIn) },
    contradicted: count,
    off: () => [...new Set([...records.anonymous, ...records.loggedIn].flatMap(([name, { inARow, offUntil }]) =>
      inARow >= fallbackFailures && now() < offUntil ? [name] : []))]
  }
}

interface CallRecord { readonly inARow: number, offUntil: number }
