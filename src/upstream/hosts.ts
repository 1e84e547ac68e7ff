/**
 * Protects the relay and each upstream host from each other. A request enters its host: the host must be up, the
 * request waits in the lane of the host for its turn, and the host must still be up. All times come from a monotonic
 * clock, so that setting the machine's clock does not turn a host on or off.
 */
import type { AbortSignalLike } from '../common/abort.ts'
import type { UpstreamError } from '../common/errors.ts'
import { failure } from '../common/kinds.ts'
import type { Client, Usage } from '../common/ledger.ts'
import { clockOf, type Clock } from '../common/timers.ts'
import { createHostHealth, type HostHealth, type hostHealthLimits, type HostState } from './health.ts'
import { networkError } from './http/failures.ts'
import type { HostName } from './http/origins.ts'
import { createLanes, type Lane, type Leave } from './lane.ts'

/** Limits of hosts, and the retry budget. Tests use others. */
export const hostLimits = {
  /**
   * Share of `upstreamLimit` for one host. At half, a slow host never holds all slots. One client gets half of that.
   */
  upstreamHostPercent: 50,
  /**
   * Burst after a quiet time, in seconds of `upstreamRatePerHost`. By default 200 requests, which is four pages of a
   * player.
   */
  upstreamBurstSeconds: 4,
  /**
   * Maximum number of requests that wait for their turn and a slot. With more than two per slot, the rest would only
   * time out (`upstreamQueueMs`).
   */
  upstreamQueue: 128,
  /**
   * Maximum wait in this queue. After a second, a quick 503 helps the caller more than an answer that may come too
   * late.
   */
  upstreamQueueMs: 1000,
  /** Retry budget. Retries may add at most a tenth to the load of a failing host. */
  retryPercent: 10,
  /**
   * Retries per second that are always allowed. On a quiet relay, a tenth of the few upstream responses would be none.
   */
  retryFloor: 1,
  /** Maximum size of the retry budget: enough for a network hiccup, too few to prolong an outage. */
  retryBurst: 10
}

type Limits = typeof hostLimits & typeof hostHealthLimits

/** The limits, and those that follow from settings. */
export interface HostOptions extends Clock, Limits {
  /** Maximum number of requests in flight, to all hosts and to one host. One client gets half of them. */
  readonly upstreamLimit: number
  readonly upstreamLimitPerHost: number
  /** Average number of requests per second to one host; 0 for no limit. */
  readonly upstreamRatePerHost: number
  /** Maximum number of requests to one host at once after a quiet period. One client gets half of them. */
  readonly upstreamBurstPerHost: number
  /** Counts the requests that are sent for each client. */
  readonly upstreamCalls?: Usage | undefined
}

/**
 * One request: its host, the parts of the host that it uses (health.ts), its label for errors, the client that is
 * charged for it, and its deadline.
 */
export interface HostRequest {
  readonly host: HostName
  readonly parts: readonly string[]
  readonly call: string
  readonly client: Client | undefined
  readonly signal: AbortSignalLike
}

/**
 * Ends a request to a host, with the error of a failure. Returns that error with its current fault. Must be called
 * once.
 */
export type EndOfRequest = (error?: unknown) => unknown

export interface Hosts {
  /**
   * Begins a request, at once or when it is its turn. Throws OVERLOADED, UPSTREAM_PAUSED, or the error of an abort.
   */
  enter (request: HostRequest): EndOfRequest | Promise<EndOfRequest>
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

/** Creates the hosts; each gets its lane and its record with its first request. */
export function createHosts (options: HostOptions): Hosts {
  const { now, timers } = clockOf(options)
  const lanes = createLanes({ atOnce: options.upstreamLimit, queue: options.upstreamQueue, now, timers })
  const apart = options.upstreamRatePerHost === 0 ? 0 : 1000 / options.upstreamRatePerHost
  const hosts = new Map<HostName, { readonly lane: Lane, readonly health: HostHealth }>()
  const budget = createRetryBudget(options, now)

  function hostOf (name: HostName) {
    let host = hosts.get(name)
    if (host === undefined) {
      const lane = lanes.open({
        apartMs: () => apart,
        burst: options.upstreamBurstPerHost,
        atOnce: { total: options.upstreamLimitPerHost, share: 'free' }
      })
      hosts.set(name, host = { lane, health: createHostHealth(options, now) })
    }
    return host
  }

  function begin (leave: Leave | undefined, { host, parts, call, client, signal }: HostRequest): EndOfRequest {
    if (leave === undefined) throw overloaded(call)
    const { health } = hostOf(host)
    try {
      // A caller who left while waiting gives no information about the host.
      if (signal.aborted) throw networkError(undefined, call, 'request', signal)
      health.assertUp(call)
    } catch (error) {
      leave()
      throw error
    }
    options.upstreamCalls?.charge(client)
    const end = health.begin(parts)
    return (error) => {
      if (error === undefined) budget.answered()
      leave()
      return end(error)
    }
  }

  return {
    enter (request) {
      const { lane, health } = hostOf(request.host)
      health.assertUp(request.call)
      const place = lane.enter(request.client, options.upstreamQueueMs, request.signal)
      return place instanceof Promise ? place.then((leave) => begin(leave, request)) : begin(place, request)
    },
    assertCapacity (client) {
      if (lanes.isFull(client)) throw overloaded('any')
    },
    nextClient: lanes.nextClient,
    takeRetry: budget.take,
    waitSeconds () {
      const waits = [...hosts.values()].map(({ health }) => health.waitMs())
      return waits.length === 0 ? 0 : Math.ceil(Math.min(...waits) / 1000)
    },
    states: () => [...hosts].map(([host, { health }]) => ({ host, state: health.state() }))
  }
}

/**
 * Creates a full retry budget. By default it grows by a tenth of the answered requests, or by one per second if that is
 * more: doubling the load of a failing host is how an outage spreads.
 */
function createRetryBudget (
  { retryPercent, retryFloor, retryBurst }: HostOptions,
  now: () => number
): { answered (): void, take (): boolean } {
  let left = retryBurst
  let answers = 0
  let last = now()
  return {
    answered () { answers++ },
    take () {
      const earned = Math.max(answers * retryPercent / 100, (now() - last) / 1000 * retryFloor)
      left = Math.min(retryBurst, left + earned)
      answers = 0
      last = now()
      if (left < 1) return false
      left--
      return true
    }
  }
}

const overloaded = (call: string): UpstreamError => failure('full', { call, retryAfter: 1 })
