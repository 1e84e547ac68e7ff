/** The upstream client of one relay: the state that all its questions share. */
import type { AbortSignalLike } from '../common/abort.ts'
import { refuseOverdrawn, type Client } from '../common/ledger.ts'
import { clockOf } from '../common/timers.ts'
import { createBatching, type BatchingOptions } from './batching.ts'
import type { UpstreamCaller } from './caller.ts'
import type { Upstream } from './calls.ts'
import { createUpstream } from './fallback.ts'
import { createCallHealth, type CallHealthOptions } from './health.ts'
import { createHosts, type HostOptions, type Hosts } from './hosts.ts'
import { relayStops, type Deadline } from './http/deadline.ts'
import { createTransport, type TransportOptions } from './http/transport.ts'
import { createSearchTurns, type SearchTurnsOptions } from './searchTurns.ts'
import { beginQuestion, deadlineOf, endQuestion, sendShared, type SendOptions, type Shared } from './send.ts'
import { createDevice } from './wire/requests.ts'

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

/** The upstream for one question, with its credential and its deadline. The deadline starts with the first call. */
export interface RequestUpstream extends Upstream {
  /** Returns the signal that aborts at the deadline, or when the caller leaves. */
  signal (): AbortSignalLike
  /**
   * Ends the question after its answer: clears its deadline and aborts its upstream requests that are still in flight.
   */
  end (): void
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
  readonly hostStates: Hosts['states']
  /** Returns the names of calls that are skipped for a while, because an alternative answers instead. */
  disabledCalls (): string[]
  /** Aborts everything in flight and every later call, because the relay is stopping. */
  stop (): void
  /** Aborts everything in flight and closes the pools. */
  close (): Promise<void>
}

/** Options of all parts of a client. */
export type UpstreamClientOptions =
  TransportOptions & HostOptions & CallHealthOptions & SearchTurnsOptions & BatchingOptions & SendOptions

/** Creates the client of a relay. */
export function createUpstreamClient (options: UpstreamClientOptions): UpstreamClient {
  const clock = clockOf(options)
  const transport = createTransport(options)
  const hosts = createHosts(options)
  const health = createCallHealth(options, clock.now)
  let stopped = false
  const shared: Shared = {
    transport,
    hosts,
    health,
    turns: createSearchTurns(options, clock),
    batching: createBatching(options, async (some, signal) => await sendShared(shared, some, signal), hosts.takeRetry),
    device: createDevice(),
    clock,
    options,
    deadlines: new Set<Deadline>(),
    isStopped: () => stopped
  }
  return {
    forRequest (caller) {
      const question = beginQuestion(shared, caller)
      return {
        ...createUpstream(question),
        signal: () => deadlineOf(question).signal,
        end () { endQuestion(question) }
      }
    },
    assertCapacity (client) {
      if (options.upstreamCalls !== undefined) refuseOverdrawn(options.upstreamCalls, client)
      hosts.assertCapacity(client)
    },
    waitSeconds: hosts.waitSeconds,
    warm: transport.warm,
    hostStates: hosts.states,
    disabledCalls: health.off,
    stop () {
      stopped = true
      for (const deadline of shared.deadlines) deadline.giveUp(relayStops)
    },
    close: transport.close
  }
}
