/**
 * Protects the relay and each upstream host from each other. A request passes these steps, from the outside in:
 *
 *   one retry, within the retry budget → pause and circuit breaker of the host → the queue in which clients take
 *   turns, for the rate limit of the host and slots (of this host, of all hosts) → pause and circuit breaker again →
 *   the network
 *
 * All times come from a monotonic clock, so that setting the machine's clock does not open or close a circuit.
 */
import { CircuitState } from 'cockatiel'
import type { AbortSignalLike } from '../../common/abort.ts'
import { UpstreamError } from '../../common/errors.ts'
import type { Client, Usage } from '../../common/ledger.ts'
import { clockOf, sleep, type Clock } from '../../common/timers.ts'
import { pausedFor } from '../http/failures.ts'
import type { HostName } from '../http/origins.ts'
import { createCircuit, type CircuitOptions } from './circuit.ts'
import { createLanes, type Lane } from '../lane.ts'
import { createFailingParts, type FailingPartsOptions } from './failingParts.ts'
import { createRetryBudget, type RetryBudgetOptions } from './retryBudget.ts'

/** Limits, circuit breaker and retry delays. Names that end in `Ms` are milliseconds. */
export interface HostPolicyOptions
  extends CircuitOptions, RetryBudgetOptions, FailingPartsOptions, Clock {
  /** Average number of requests per second to one host; 0 for no limit. */
  readonly upstreamRatePerHost: number
  /** Maximum number of requests to one host at once after a quiet period. One client gets half of them. */
  readonly upstreamBurstPerHost: number
  /** Maximum number of requests in flight, to all hosts and to one host. One client gets half of them. */
  readonly upstreamLimit: number
  readonly upstreamLimitPerHost: number
  /** Maximum number of requests that wait for their turn, each for `upstreamQueueMs` at most. */
  readonly upstreamQueue: number
  readonly upstreamQueueMs: number
  /** Counts the requests that are sent for each client. */
  readonly upstreamCalls?: Usage | undefined
  readonly circuitPauseMs: number
  readonly retryDelayMinMs: number
  readonly retryDelayMaxMs: number
}

/**
 * One request: its host, the parts of the host that it uses (failingParts.ts), its label for errors, the client that is
 * charged for it, its deadline, and whether it may be retried.
 */
export interface HostRequest extends HostCall {
  readonly host: HostName
  readonly signal: AbortSignalLike
  readonly retry: boolean
}

/** The parts that a request uses, its label for errors, and its client. */
interface HostCall { readonly parts: readonly string[], readonly call: string, readonly client: Client | undefined }

/** The policies of all hosts. */
export interface HostPolicy {
  /** Runs `attempt` once, or twice with a retry. Throws its error, OVERLOADED or UPSTREAM_PAUSED. */
  run<T> (request: HostRequest, attempt: () => Promise<T>): Promise<T>
  /** Throws OVERLOADED while the queue has no place for this client, so that a caller fails before any work is done. */
  assertCapacity (client: Client | undefined): void
  /** Returns the client whose request would be served first. */
  nextClient (clients: readonly (Client | undefined)[]): Client | undefined
  /** Takes one attempt from the retry budget; false when it is empty. */
  takeRetry (): boolean
  /** Seconds until some host accepts requests again; 0 while at least one does, or none was used yet. */
  waitSeconds (): number
  /** Returns the state of each host that was used. */
  states (): { readonly host: HostName, readonly state: HostState }[]
}

/** State of a host. `half-open`: one request probes whether the host is back. `paused`: the host sent a rate limit. */
export type HostState = 'closed' | 'open' | 'half-open' | 'paused'

/** Outcomes that a retry may resolve: a broken connection or an HTTP 5xx. Timeouts and rate limits are not retried. */
const passing = new Set(['reset', 'truncated', 'http_5xx'])
const isPassing = (error: unknown): boolean => error instanceof UpstreamError && passing.has(error.outcome)

/** Creates the policies; each host gets its own with its first request. */
export function createHostPolicy (options: HostPolicyOptions): HostPolicy {
  const { now, timers } = clockOf(options)
  const budget = createRetryBudget(options, now)
  const lanes = createLanes({ atOnce: options.upstreamLimit, queue: options.upstreamQueue, now, timers })
  const apart = options.upstreamRatePerHost === 0 ? 0 : 1000 / options.upstreamRatePerHost
  const limiters = new Map<HostName, HostLimiter>()

  function limiterOf (host: HostName): HostLimiter {
    let hostLimiter = limiters.get(host)
    if (hostLimiter === undefined) {
      hostLimiter = createHostLimiter(options, now, lanes.open({
        apartMs: () => apart,
        burst: options.upstreamBurstPerHost,
        atOnce: { total: options.upstreamLimitPerHost, share: 'free' }
      }))
      limiters.set(host, hostLimiter)
    }
    return hostLimiter
  }

  return {
    async run ({ host, signal, retry: mayRetry, ...asked }, attempt) {
      const hostLimiter = limiterOf(host)
      const guarded = async (): Promise<Awaited<ReturnType<typeof attempt>>> => {
        const answer = await hostLimiter.pass(asked, signal, attempt)
        budget.answered()
        return answer
      }
      try {
        return await guarded()
      } catch (error) {
        if (!mayRetry || !isPassing(error) || signal.aborted || !budget.take()) throw error
      }
      await sleep(options.retryDelayMinMs + Math.random() * (options.retryDelayMaxMs - options.retryDelayMinMs), timers)
      return await guarded()
    },
    assertCapacity (client) {
      if (lanes.isFull(client)) throw overloaded('any')
    },
    nextClient: lanes.nextClient,
    takeRetry: budget.take,
    waitSeconds () {
      const waits = [...limiters.values()].map((hostLimiter) => hostLimiter.waitMs())
      return waits.length === 0 ? 0 : Math.ceil(Math.min(...waits) / 1000)
    },
    states: () => [...limiters].map(([host, hostLimiter]) => ({ host, state: hostLimiter.state() }))
  }
}

interface HostLimiter {
  pass<T> (asked: HostCall, signal: AbortSignalLike, attempt: () => Promise<T>): Promise<T>
  /** Milliseconds until this host accepts requests again; 0 for now. */
  waitMs (): number
  state (): HostState
}

/** The policy of one host: its circuit breaker, its pause, its rate limit and its slots. */
function createHostLimiter (options: HostPolicyOptions, now: () => number, lane: Lane): HostLimiter {
  const circuit = createCircuit(options, now)
  const failingParts = createFailingParts(options, now)
  let openUntil = -Infinity
  let pausedUntil = -Infinity
  circuit.onBreak(() => { openUntil = now() + options.circuitPauseMs })

  /** A probe is in flight: other requests are refused until it ends. */
  const probing = (): boolean => circuit.state === CircuitState.HalfOpen
  const openMs = (): number => circuit.state === CircuitState.Open ? Math.max(0, openUntil - now()) : 0
  const pausedMs = (): number => Math.max(0, pausedUntil - now())

  function refuseWhilePaused (call: string): void {
    if (pausedMs() > 0) {
      throw pausedFor(pausedMs(), 'The upstream asked the relay to wait', { fault: 'time', call, outcome: 'paused' })
    }
    if (openMs() > 0 || probing()) {
      throw pausedFor(openMs(), 'The upstream fails too often', { fault: 'host', call, outcome: 'paused' })
    }
  }

  async function send<T> (
    { parts, call, client }: HostCall,
    signal: AbortSignalLike,
    attempt: () => Promise<T>
  ): Promise<T> {
    // A caller who left while waiting gives no information about the host.
    if (signal.aborted) return await attempt()
    refuseWhilePaused(call)
    const judged = async (): Promise<T> => {
      options.upstreamCalls?.charge(client)
      try {
        const answer = await attempt()
        failingParts.answered(parts)
        return answer
      } catch (error) {
        throw failingParts.judged(parts, error)
      }
    }
    try {
      return await circuit.execute(judged)
    } catch (error) {
      if (error instanceof UpstreamError && error.outcome === 'throttled') {
        pausedUntil = now() + (error.retryAfter ?? 0) * 1000
      }
      throw error
    }
  }

  return {
    async pass (asked, signal, attempt) {
      const { call, client } = asked
      refuseWhilePaused(call)
      const leave = await lane.enter(client, options.upstreamQueueMs, signal)
      if (leave === undefined) throw overloaded(call)
      try {
        return await send(asked, signal, attempt)
      } finally {
        leave()
      }
    },
    waitMs: () => Math.max(pausedMs(), openMs()),
    state: () =>
      pausedMs() > 0 ? 'paused' : openMs() > 0 ? 'open' : circuit.state === CircuitState.Closed ? 'closed' : 'half-open'
  }
}

function overloaded (call: string): UpstreamError {
  return new UpstreamError('OVERLOADED', 'The relay has too many requests to the upstream; try again in 1 s.', {
    fault: 'time',
    call,
    outcome: 'rejected',
    retryAfter: 1
  })
}
