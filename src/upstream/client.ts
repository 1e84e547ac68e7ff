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
import { createTurns, type TurnsOptions } from './resilience/turns.ts'

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
  extends TransportOptions, HostPolicyOptions, FallbackHealthOptions, TurnsOptions, BatchingOptions {
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
  const turns = createTurns(options, clock)
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
