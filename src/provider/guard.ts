/**
 * What stands between the relay and each upstream host, so that neither brings the other down. One request passes,
 * from the outside in:
 *
 *   one retry, within a budget → the host's pause and circuit → its pace → places (all hosts, this host) → circuit →
 *   the network
 *
 * Times are taken from a clock that never jumps, so that setting the machine's clock opens or closes nothing.
 */
import { CircuitState, ConsecutiveBreaker, DelegateBackoff, SamplingBreaker, bulkhead, circuitBreaker, handleWhen, isBulkheadRejectedError, retry, wrap } from 'cockatiel'
import type { CircuitBreakerPolicy, IBreaker } from 'cockatiel'
import { UpstreamError } from '../errors.ts'
import type { hosts } from './origins.ts'
import { createBudget } from './budget.ts'
import type { BudgetOptions } from './budget.ts'
import { createPace } from './pace.ts'
import type { PaceOptions } from './pace.ts'

export interface GuardOptions extends PaceOptions, BudgetOptions {
  /** Requests in flight, to all hosts and to one. */
  readonly upstreamLimit: number
  readonly upstreamLimitPerHost: number
  /** Requests that wait for a place, each for `upstreamQueueMs` at most. */
  readonly upstreamQueue: number
  readonly circuitFailures: number
  readonly circuitPercent: number
  readonly circuitSamples: number
  readonly circuitWindowMs: number
  readonly circuitPauseMs: number
  readonly retryDelayMinMs: number
  readonly retryDelayMaxMs: number
  /** Milliseconds on a clock that never goes back. */
  readonly now?: (() => number) | undefined
}

type HostName = keyof typeof hosts

export interface Asked { readonly host: HostName, readonly call: string, readonly signal: AbortSignal, readonly retry: boolean }

export interface Guard {
  /** Runs `attempt` under all of it, once or twice. Throws what it throws, OVERLOADED or UPSTREAM_PAUSED. */
  run<T> (asked: Asked, attempt: () => Promise<T>): Promise<T>
  /** Throws OVERLOADED when nothing more may wait, before any work is put into a question. */
  admit (): void
  /** Takes one further attempt out of the budget; false when it is empty. */
  spare (): boolean
  /** Seconds until some host may be asked again; 0 while at least one may be, or none was asked yet. */
  waitSeconds (): number
  /** Of each host that was asked. */
  states (): { readonly host: HostName, readonly state: HostState }[]
}

/** `half-open`: one request looks whether the host is back. `paused`: the host asked to wait. */
export type HostState = 'closed' | 'open' | 'half-open' | 'paused'

/** The network did what another attempt may mend. Nothing was too slow, and nobody asked to wait. */
const passing = new Set(['reset', 'truncated', 'http_5xx'])
const isPassing = (error: unknown): boolean => error instanceof UpstreamError && passing.has(error.outcome)

export function createGuard (options: GuardOptions): Guard {
  const now = options.now ?? (() => performance.now())
  const budget = createBudget(options, now)
  const admitted = bulkhead(options.upstreamLimit + options.upstreamQueue, 0)
  const everywhere = bulkhead(options.upstreamLimit, options.upstreamQueue)
  const gates = new Map<HostName, Gate>()
  const backoff = new DelegateBackoff(() => options.retryDelayMinMs + Math.random() * (options.retryDelayMaxMs - options.retryDelayMinMs))

  function gateOf (host: HostName): Gate {
    let gate = gates.get(host)
    if (gate === undefined) {
      const places = wrap(admitted, bulkhead(options.upstreamLimitPerHost, options.upstreamQueue), everywhere)
      gate = createGate(options, now, async (work) => await places.execute(work), () => admitted.executionSlots === 0)
      gates.set(host, gate)
    }
    return gate
  }

  return {
    async run ({ host, call, signal, retry: mayRetry }, attempt) {
      const gate = gateOf(host)
      const guarded = async (): Promise<Awaited<ReturnType<typeof attempt>>> => {
        const answer = await gate.pass(call, signal, attempt)
        budget.answered()
        return answer
      }
      if (!mayRetry) return await guarded()
      let failures = 0
      const once = handleWhen((error) => ++failures === 1 && isPassing(error) && !signal.aborted && budget.take())
      return await retry(once, { maxAttempts: 1, backoff }).execute(guarded)
    },
    admit () { if (admitted.executionSlots === 0) throw overloaded('any') },
    spare: budget.take,
    waitSeconds () {
      const waits = [...gates.values()].map((gate) => gate.waitMs())
      return waits.length === 0 ? 0 : Math.ceil(Math.min(...waits) / 1000)
    },
    states: () => [...gates].map(([host, gate]) => ({ host, state: gate.state() }))
  }
}

interface Gate {
  pass<T> (call: string, signal: AbortSignal, attempt: () => Promise<T>): Promise<T>
  /** How long this host is not asked from now on. */
  waitMs (): number
  state (): HostState
}

type Places = <T>(work: () => Promise<T>) => Promise<T>

/** One host: its circuit, its pause, its share of the places. */
function createGate (options: GuardOptions, now: () => number, places: Places, full: () => boolean): Gate {
  const circuit = createCircuit(options, now)
  const pace = createPace(options, now)
  let openUntil = -Infinity
  let askedToWaitUntil = -Infinity
  circuit.onBreak(() => { openUntil = now() + options.circuitPauseMs })

  /** A probe is on its way: until it is back nobody else asks. */
  const probing = (): boolean => circuit.state === CircuitState.HalfOpen
  const openMs = (): number => circuit.state === CircuitState.Open ? Math.max(0, openUntil - now()) : 0
  const pausedMs = (): number => Math.max(0, askedToWaitUntil - now())

  function refuseWhileClosed (call: string): void {
    if (pausedMs() > 0) throw paused(call, pausedMs(), 'The upstream asked to wait', 'time')
    if (openMs() > 0 || probing()) throw paused(call, openMs(), 'The upstream fails too often to be asked now', 'host')
  }

  async function ask<T> (call: string, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    // Who left while waiting says nothing about the host.
    if (signal.aborted) return await attempt()
    refuseWhileClosed(call)
    try {
      return await circuit.execute(attempt)
    } catch (error) {
      if (error instanceof UpstreamError && error.outcome === 'throttled') askedToWaitUntil = now() + (error.retryAfter ?? 0) * 1000
      throw error
    }
  }

  return {
    async pass (call, signal, attempt) {
      refuseWhileClosed(call)
      // Said at once, without a place in any line: a refusal that costs much is an overload of its own.
      if (full() || !await pace.turn(signal)) throw overloaded(call)
      return await placed(places, options.upstreamQueueMs, call, async () => await ask(call, signal, attempt))
    },
    waitMs: () => Math.max(pausedMs(), openMs()),
    state: () => pausedMs() > 0 ? 'paused' : openMs() > 0 ? 'open' : circuit.state === CircuitState.Closed ? 'closed' : 'half-open'
  }
}

/** Runs in a place when one is free in time; who waits in vain gets OVERLOADED. */
async function placed<T> (places: Places, longestMs: number, call: string, work: () => Promise<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    let waiting = true
    const timer = setTimeout(() => {
      waiting = false
      reject(overloaded(call))
    }, longestMs)
    places(async () => {
      clearTimeout(timer)
      // Given up already: the place goes to the next at once. (An abort signal would leave the next one waiting.)
      if (!waiting) throw overloaded(call)
      return await work()
    }).then(resolve, (error: unknown) => {
      clearTimeout(timer)
      reject(isBulkheadRejectedError(error) ? overloaded(call) : error as Error)
    })
  })
}

/**
 * Opens after so many failures in a row, or when too large a part of enough requests fails: rows alone miss a host
 * that is half dead, parts alone let thousands through before they notice.
 */
function createCircuit (options: GuardOptions, now: () => number): CircuitBreakerPolicy {
  const circuit: CircuitBreakerPolicy = circuitBreaker(
    // A caller who leaves says nothing about the host; but a probe without a result is no proof of health either.
    handleWhen((error) => saysHostIsIll(error) || (circuit.state === CircuitState.HalfOpen && isGone(error))),
    // How long it stays open is measured by us, on our clock: for the library it may always be probed.
    { breaker: eitherBreaker(options, now), halfOpenAfter: -Infinity }
  )
  return circuit
}

function eitherBreaker ({ circuitFailures, circuitPercent, circuitSamples, circuitWindowMs }: GuardOptions, now: () => number): IBreaker {
  const inARow = new ConsecutiveBreaker(circuitFailures)
  const sampled = (): SamplingBreaker => new SamplingBreaker({ threshold: circuitPercent / 100, duration: circuitWindowMs, minimumRps: circuitSamples * 1000 / circuitWindowMs })
  let part = sampled()
  let last = now()
  /** After a silence the library would still count what was before it. */
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

/** Unreachable, broken off, failing or too slow. Refusals, unreadable answers and who left do not count. */
function saysHostIsIll (error: unknown): boolean {
  return error instanceof UpstreamError && (error.fault === 'host' || /_timeout$|^deadline$/.test(error.outcome))
}

function paused (call: string, ms: number, why: string, fault: 'host' | 'time'): UpstreamError {
  const retryAfter = Math.max(1, Math.ceil(ms / 1000))
  return new UpstreamError('UPSTREAM_PAUSED', `${why}; try again in ${retryAfter} s.`, { fault, call, outcome: 'paused', retryAfter })
}

function overloaded (call: string): UpstreamError {
  // Thousands in a second may be made, and where from is no secret: no stack.
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return new UpstreamError('OVERLOADED', 'The relay has as many requests to the upstream as it takes; try again in 1 s.', { fault: 'time', call, outcome: 'shed', retryAfter: 1 })
  } finally { Error.stackTraceLimit = limit }
}
