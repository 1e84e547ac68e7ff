/** The upstream client of one relay: the state that all its requests to the upstream share. */
import { refuseOverdrawn, type Client, type Holding } from '../common/ledger.ts'
import { clockOf } from '../common/timers.ts'
import { createBatching, type Batching, type BatchingOptions, type PendingCall, type SharedBody } from './batching.ts'
import type { Counters } from './callCounters.ts'
import { fetchBody } from './fetchBody.ts'
import { relayStops, type Deadline } from './http/deadline.ts'
import { createHeldBytes } from './http/collect.ts'
import { createTransport, type TransportOptions } from './http/transport.ts'
import { createDevice, musicuRequest } from './wire/requests.ts'
import { createRequestUpstream, type RequestUpstream } from './request.ts'
import type { UpstreamCaller } from './caller.ts'
import { createFallbackHealth, type FallbackHealthOptions } from './resilience/fallbackHealth.ts'
import { createHostPolicy, type HostPolicy, type HostPolicyOptions } from './resilience/hostPolicy.ts'
import { createSearchTurns, type SearchTurnsOptions } from './searchTurns.ts'

/** Limits of hosts, calls and searches. Tests use others. */
export const upstreamLimits = {
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
  circuitPauseMs: 5000,
  /** Shortest wait before a retry. An immediate retry after a reset would be reset again. */
  retryDelayMinMs: 50,
  /** Longest wait before a retry. The range spreads callers that failed together. A caller hardly notices the wait. */
  retryDelayMaxMs: 250,
  /** Retry budget. Retries may add at most a tenth to the load of a failing host. */
  retryPercent: 10,
  /**
   * Retries per second that are always allowed. On a quiet relay, a tenth of the few upstream responses would be none.
   */
  retryFloor: 1,
  /** Maximum size of the retry budget: enough for a network hiccup, too few to prolong an outage. */
  retryBurst: 10,
  /** Consecutive failures that disable a call while a fallback gives the same data. Five are not a coincidence. */
  fallbackFailures: 5,
  /** How long it is disabled. A retired call does not come back within seconds, and each probe delays one caller. */
  fallbackPauseMs: 30_000,
  /**
   * Time between two requests to the gateway's search module, over all callers. At 0.2 s most were refused as too fast,
   * at 2 s none was; public clients wait a second (2026-09).
   */
  searchIntervalMs: 1000,
  /** The same for a while after such a refusal: at 3 s every fourth was refused, at 4 s none of 16 (2026). */
  searchSlowIntervalMs: 4000,
  /** How long a search program is not used after such a refusal. Refusals lasted 60 to 90 s (2026-09). */
  searchPauseMs: 60_000
}

/** The upstream client of one relay. */
export interface UpstreamClient {
  forRequest (caller: UpstreamCaller): RequestUpstream
  /** Throws OVERLOADED while the queue has no place for this client, RATE_LIMITED after too many requests. */
  assertCapacity (client: Client | undefined): void
  /** Seconds until some host accepts requests again; 0 while at least one does. */
  waitSeconds (): number
  /** Opens a connection ahead, because calls are about to follow. */
  warm (): void
  /** Returns the state of each host that was used. */
  readonly hostStates: HostPolicy['states']
  /** Returns the names of calls that are skipped for a while, because an alternative answers instead. */
  disabledCalls (): string[]
  /** Aborts everything in flight and every later call, because the relay is stopping. */
  stop (): void
  /** Aborts everything in flight and closes the pools. */
  close (): Promise<void>
}

/** `deadlineMs`: time for all upstream calls of one request. Milliseconds. */
export interface UpstreamClientOptions
  extends TransportOptions, HostPolicyOptions, FallbackHealthOptions, SearchTurnsOptions, BatchingOptions {
  /** Limit for the bytes of upstream answers that requests in progress hold. Absent: no limit. */
  readonly answerBytes?: Holding
  readonly counters?: Pick<Counters, 'count'>
}

/** Creates the client of a relay. */
export function createUpstreamClient (options: UpstreamClientOptions): UpstreamClient {
  const transport = createTransport(options)
  const hostPolicy = createHostPolicy(options)
  const health = createFallbackHealth(options)
  const clock = clockOf(options)
  const turns = createSearchTurns(options, clock)
  const device = createDevice()
  const batching: Batching = createBatching(options, { post, takeRetry: hostPolicy.takeRetry })
  const deadlines = new Set<Deadline>()
  let stopped = false

  /**
   * Sends the calls of several requests in one POST, with the turn of the client that is served first. Its bytes are
   * not charged to a client yet.
   */
  async function post (pending: readonly PendingCall[], signal: PendingCall['signal']): Promise<SharedBody> {
    const leader = hostPolicy.nextClient(pending.map(({ client }) => client))
    const others = pending.map(({ client }) => client)
    others.splice(others.indexOf(leader), 1)
    for (const client of others) options.upstreamCalls?.charge(client)
    const requests = pending.map(({ call }) => call.request)
    const { call: { name, request: { module } }, credential } = pending[0] as PendingCall
    const held = createHeldBytes(options.answerBytes, undefined)
    try {
      return await hostPolicy.run(
        { host: 'musicu', parts: [module], call: name, client: leader, signal, retry: false },
        async () => {
          let size = 0
          const measured = (bytes: number, ms: number): void => {
            batching.measured(module, (size = bytes) / pending.length, ms)
          }
          const body = await fetchBody(transport, musicuRequest(requests, credential, device), {
            call: name,
            as: 'json',
            signal,
            charge: held.forAnswer().charge,
            measured
          })
          return { body: body as Record<string, unknown>, bytes: size }
        }
      )
    } finally {
      held.end()
    }
  }

  const shared = {
    transport, hostPolicy, health, turns, batching, device, deadlines,
    clock,
    deadlineMs: options.deadlineMs,
    isStopped: () => stopped,
    upstreamCalls: options.upstreamCalls,
    answerBytes: options.answerBytes,
    counters: options.counters
  }
  return {
    forRequest: (caller) => createRequestUpstream(shared, caller),
    assertCapacity (client) {
      if (options.upstreamCalls !== undefined) refuseOverdrawn(options.upstreamCalls, client)
      hostPolicy.assertCapacity(client)
    },
    waitSeconds: hostPolicy.waitSeconds,
    warm: transport.warm,
    hostStates: hostPolicy.states,
    disabledCalls: health.disabled,
    stop () {
      stopped = true
      for (const deadline of deadlines) deadline.giveUp(relayStops)
    },
    close: transport.close
  }
}
