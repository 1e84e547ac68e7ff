/**
 * Parts of a host that answer HTTP 5xx. One path can fail for a day while all others answer (search, 2026-04 to 2026-09):
 * a 5xx is the fault of its call, and of the host only while several parts fail.
 */
import { UpstreamError } from '../../common/errors.ts'

/** `hostIllParts`: failing parts that make an ill host. `circuitWindowMs`: milliseconds for which a failure counts. */
export interface IllPartsOptions {
  readonly hostIllParts: number
  readonly circuitWindowMs: number
}

/** The failing parts of one host. A part is a path, or a call of the batch gateway, which has one path for all. */
export interface IllParts {
  /** The part answered: it is well again. */
  answered (part: string): void
  /** Returns the error with the fault that it has now: `host` for a 5xx while several parts fail. */
  judged (part: string, error: unknown): unknown
}

/** Creates an empty record. `now` returns milliseconds of a monotonic clock. */
export function createIllParts ({ hostIllParts, circuitWindowMs }: IllPartsOptions, now: () => number): IllParts {
  /** When each part failed last. Never more parts than make an ill host. */
  const failedAt = new Map<string, number>()
  return {
    answered (part) { failedAt.delete(part) },
    judged (part, error) {
      if (!(error instanceof UpstreamError && error.outcome === 'http_5xx')) return error
      for (const [each, at] of failedAt) if (now() - at > circuitWindowMs) failedAt.delete(each)
      if (failedAt.has(part) || failedAt.size < hostIllParts) failedAt.set(part, now())
      return failedAt.size < hostIllParts ? error : ofHost(error)
    }
  }
}

function ofHost ({ code, message, call, outcome, cause }: UpstreamError): UpstreamError {
  return new UpstreamError(code, message, { fault: 'host', call, outcome, cause })
}
