/** The circuit breaker of a host: after too many failures the relay sends it no requests for a while. */
import {
  CircuitState, ConsecutiveBreaker, SamplingBreaker, circuitBreaker, handleWhen, type CircuitBreakerPolicy,
  type IBreaker
} from 'cockatiel'
import { UpstreamError } from '../../common/errors.ts'

/** When the circuit opens. Names that end in `Ms` are milliseconds. */
export interface CircuitOptions {
  readonly circuitFailures: number
  readonly circuitPercent: number
  readonly circuitSamples: number
  readonly circuitWindowMs: number
}

/**
 * Opens after a number of failures in a row, or when too large a share of enough requests fails. The first rule alone
 * misses a host that fails only a part of its requests. The second alone lets thousands through before it reacts.
 */
export function createCircuit (options: CircuitOptions, now: () => number): CircuitBreakerPolicy {
  const circuit: CircuitBreakerPolicy = circuitBreaker(
    // A caller who leaves gives no information about the host, but a probe without a result does not prove health
    // either.
    handleWhen((error) => isHostFailure(error) || (circuit.state === CircuitState.HalfOpen && isGone(error))),
    // The open time is measured here, on our clock; for the library the circuit may always be probed.
    { breaker: eitherBreaker(options, now), halfOpenAfter: -Infinity }
  )
  return circuit
}

function eitherBreaker (
  { circuitFailures, circuitPercent, circuitSamples, circuitWindowMs }: CircuitOptions,
  now: () => number
): IBreaker {
  const inARow = new ConsecutiveBreaker(circuitFailures)
  const sampled = (): SamplingBreaker =>
    new SamplingBreaker({
      threshold: circuitPercent / 100,
      duration: circuitWindowMs,
      minimumRps: circuitSamples * 1000 / circuitWindowMs
    })
  let part = sampled()
  let last = now()
  /** Starts a new window after a quiet period, because the library would still count the results before it. */
  const current = (): SamplingBreaker => {
    if (now() - last > circuitWindowMs) part = sampled()
    last = now()
    return part
  }
  return {
    state: undefined,
    success (state) {
      inARow.success()
      current().success(state)
    },
    failure (state) {
      const opens = [inARow.failure(), current().failure(state)]
      return opens.includes(true)
    }
  }
}

const isGone = (error: unknown): boolean => error instanceof UpstreamError && error.outcome === 'client_gone'

/**
 * The host is unreachable, broke the connection, failed in several parts or was too slow. Refusals, unreadable answers,
 * one failing part and callers who left do not count.
 */
function isHostFailure (error: unknown): boolean {
  return error instanceof UpstreamError && (error.fault === 'host' || /_timeout$|^deadline$/.test(error.outcome))
}
