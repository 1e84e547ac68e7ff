/**
 * Tracks parts of a host that answer HTTP 5xx. One path can fail for a day while all others answer (search, 2026-04 to
 * 2026-09): a 5xx is the fault of its call, and of the host only while several parts fail, or while no part answers.
 */
import { UpstreamError } from '../../common/errors.ts'

/**
 * When a host counts as failing: `hostFailingParts` failing parts, or `circuitFailures` failures without an answer
 * between them.
 * `circuitWindowMs`: milliseconds for which a failing part, or a failure, counts.
 */
export interface FailingPartsOptions {
  readonly hostFailingParts: number
  readonly circuitFailures: number
  readonly circuitWindowMs: number
}

/**
 * The failing parts of one host. A part is a path, or a module of the batch gateway, which has one path for all. A
 * batch uses several parts at once, and its failure does not show which of them is failing.
 */
export interface FailingParts {
  /** Records an answer of these parts, which are no longer failing. */
  answered (parts: readonly string[]): void
  /** Returns the error with its current fault: `host` for a 5xx while the host is failing. */
  judged (parts: readonly string[], error: unknown): unknown
}

/** Parts that were requested together and failed. `at`: when they failed last. */
interface Failure { readonly parts: readonly string[], readonly at: number }

/** Creates an empty record. `now` returns milliseconds of a monotonic clock. */
export function createFailingParts (
  { hostFailingParts, circuitFailures, circuitWindowMs }: FailingPartsOptions,
  now: () => number
): FailingParts {
  /** Each entry is a different failing part. At most as many as make a failing host. */
  let failing: Failure[] = []
  /** Times of the last failures without an answer between them. */
  let inARow: number[] = []
  return {
    answered (parts) {
      inARow = []
      failing = failing.filter((each) => !each.parts.every((part) => parts.includes(part)))
    },
    judged (parts, error) {
      if (!(error instanceof UpstreamError && error.outcome === 'http_5xx')) return error
      // One path that fails every half minute says nothing of its host, even if nobody asks for another.
      inARow = [...inARow.filter((at) => now() - at <= circuitWindowMs), now()].slice(-circuitFailures)
      failing = failing.filter(({ at }) => now() - at <= circuitWindowMs)
      const known = failing.find((each) => each.parts.some((part) => parts.includes(part)))
      // If two requests failed, their common part is at fault.
      const suspects = known === undefined ? parts : known.parts.filter((part) => parts.includes(part))
      if (known !== undefined || failing.length < hostFailingParts) {
        failing = [...failing.filter((each) => each !== known), { parts: suspects, at: now() }]
      }
      return failing.length < hostFailingParts && inARow.length < circuitFailures ? error : ofHost(error)
    }
  }
}

function ofHost ({ code, message, call, outcome, cause }: UpstreamError): UpstreamError {
  return new UpstreamError(code, message, { fault: 'host', call, outcome, cause })
}
