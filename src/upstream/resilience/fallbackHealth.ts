/**
 * Tracks which alternatives of a fallback are usable. A call that is retired, refused or unreadable several times in a
 * row is disabled, and the next alternative is used. From time to time one request tries the call again.
 */
import type { UpstreamError } from '../../common/errors.ts'
import { isFiltered, meaningOf, type CodeTable } from '../wire/codes.ts'

/**
 * `fallbackFailures`: failures in a row that disable a call. `fallbackPauseMs`: milliseconds until it is tried again.
 * `now` returns milliseconds of a monotonic clock.
 */
export interface FallbackHealthOptions {
  readonly fallbackFailures: number
  readonly fallbackPauseMs: number
  readonly now?: (() => number) | undefined
}

interface WatchedCall { readonly name: string, readonly codes?: CodeTable }

/** Number of failures in a row, and the time until which the call is disabled. */
interface Failures { count: number, disabledUntil: number }

/** Some calls answer only callers who are logged in, so anonymous failures are counted separately. */
interface HealthEntry { anonymous?: Failures | undefined, loggedIn?: Failures | undefined }

/** The health of the calls in all `firstOf` lists, shared by all callers. */
export interface FallbackHealth {
  /** Whether to skip the call. Once per pause it returns `false` for a disabled call: that request tries it again. */
  isDisabled (call: WatchedCall, loggedIn: boolean): boolean
  /** Records a success, which enables the call again. */
  answered (call: WatchedCall, loggedIn: boolean): void
  /** Records a failure. It counts only if the call itself is at fault. */
  failed (call: WatchedCall, loggedIn: boolean, error: UpstreamError): void
  /** Records that another call returned the data that was missing from this call's answer. */
  contradicted (call: WatchedCall, loggedIn: boolean): void
  /** Returns the names of the calls that are disabled now, for anonymous or logged-in callers. */
  disabled (): string[]
}

/** Creates an empty record: all calls are enabled. */
export function createFallbackHealth (
  { fallbackFailures, fallbackPauseMs, now = () => performance.now() }: FallbackHealthOptions
): FallbackHealth {
  // Bounded: the keys are the names of the relay's own calls.
  const entries = new Map<string, HealthEntry>()
  const kindOf = (loggedIn: boolean): keyof HealthEntry => loggedIn ? 'loggedIn' : 'anonymous'
  const count = (name: string, loggedIn: boolean): void => {
    const entry = entries.get(name) ?? {}
    const kind = kindOf(loggedIn)
    entry[kind] = { count: (entry[kind]?.count ?? 0) + 1, disabledUntil: now() + fallbackPauseMs }
    entries.set(name, entry)
  }
  const isDown = (failures: Failures | undefined): failures is Failures =>
    failures !== undefined && failures.count >= fallbackFailures

  return {
    isDisabled ({ name }, loggedIn) {
      const failures = entries.get(name)?.[kindOf(loggedIn)]
      if (!isDown(failures)) return false
      if (now() < failures.disabledUntil) return true
      failures.disabledUntil = now() + fallbackPauseMs
      return false
    },
    answered ({ name }, loggedIn) {
      const entry = entries.get(name)
      if (entry !== undefined) entry[kindOf(loggedIn)] = undefined
    },
    failed ({ name, codes }, loggedIn, error) {
      if (callIsDead(error, codes, loggedIn)) count(name, loggedIn)
    },
    contradicted ({ name }, loggedIn) { count(name, loggedIn) },
    disabled () {
      const time = now()
      return [...entries].filter(([, entry]) =>
        [entry.anonymous, entry.loggedIn].some((failures) => isDown(failures) && time < failures.disabledUntil)
      ).map(([name]) => name)
    }
  }
}

const deadMeanings = new Set(['retired', 'platform', 'risk', 'throttled'])
const deadOutcomes = new Set(['http_404', 'http_4xx', 'http_5xx', 'redirect', 'protocol', 'bad_payload', 'bad_encoding', 'bad_shape', 'too_large'])

/** Whether the call itself is at fault, for any request. A refused argument or missing data does not count. */
function callIsDead (error: UpstreamError, codes: CodeTable | undefined, loggedIn: boolean): boolean {
  if (error.upstreamCode !== undefined) return deadMeanings.has(meaningOf(error.upstreamCode, codes, loggedIn))
  return error.fault === 'call' && (deadOutcomes.has(error.outcome) || isFiltered(error))
}
