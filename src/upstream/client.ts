/** The upstream client of one relay: the state that all its questions share. */
import { refuseOverdrawn, type Client } from '../common/ledger.ts'
import { clockOf } from '../common/timers.ts'
import { batchLimits, createBatching } from './batching.ts'
import { createUpstream, type RequestUpstream } from './fallback.ts'
import { callHealthLimits, createCallHealth, hostHealthLimits } from './health.ts'
import { createHosts, hostLimits, type HostOptions, type Hosts } from './hosts.ts'
import { relayStops, type Deadline } from './http/deadline.ts'
import { createTransport, type TransportOptions } from './http/transport.ts'
import { createSearchTurns, searchLimits } from './searchTurns.ts'
import {
  beginQuestion, retryLimits, sendShared, type SendOptions, type Shared, type UpstreamCaller
} from './send.ts'
import { createDevice } from './wire/requests.ts'

/** Limits of hosts, calls, searches, retries and shared POSTs. Tests use others. */
export const upstreamLimits = {
  ...hostLimits, ...hostHealthLimits, ...callHealthLimits, ...searchLimits, ...retryLimits, ...batchLimits
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
export type UpstreamClientOptions = typeof upstreamLimits & TransportOptions & HostOptions & SendOptions

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
    forRequest: (caller) => createUpstream(beginQuestion(shared, caller)),
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
