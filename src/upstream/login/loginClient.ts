/**
 * Sends the requests of a login. Login answers are read with their status, redirect address and cookies.
 * Redirects are never followed, requests are never retried, and answers are small.
 */
import { parseSetCookie } from 'cookie'
import type { AbortSignalLike } from '../../common/abort.ts'
import { UpstreamError } from '../../common/errors.ts'
import type { Client } from '../../common/ledger.ts'
import { createAgents, addressed, decompress, type Agents, type TransportOptions } from '../http/transport.ts'
import { connectOf } from '../http/connector.ts'
import { startDeadline } from '../http/deadline.ts'
import { createHosts, type HostOptions, type Hosts } from '../hosts.ts'
import { isCookieValue } from '../wire/cookies.ts'
import type { LoginCall } from './loginRequests.ts'
import { Collector, type WireAnswer } from '../http/collect.ts'
import { headerOf, pauseOf } from '../http/failures.ts'

/** One response to a login request. */
export interface LoginAnswer {
  readonly call: string
  readonly status: number
  readonly contentType: string | undefined
  /** The redirect address, as sent. */
  readonly location: string | undefined
  readonly cookies: ReadonlyMap<string, string>
  /** Empty for calls that need the headers only. */
  readonly bytes: Uint8Array
}

/** The deadline of one request, the signal that aborts it, and the client that is charged for it. */
interface LoginLimits {
  readonly deadlineMs: number
  readonly signal?: AbortSignalLike | undefined
  readonly client?: Client | undefined
}

/** The connections of all logins. */
export interface LoginClient {
  /**
   * Sends one request, within the limits of its host. Returns the answer with any HTTP status, unless it asks to wait.
   * Throws UpstreamError: UPSTREAM_PAUSED during such a pause or while the host fails, OVERLOADED, or with outcome
   * `deadline`, `client_gone` or the network's failure.
   */
  send (call: LoginCall, limits: LoginLimits): Promise<LoginAnswer>
  /** Like `send`, over separate connections, so that long polls and other requests do not wait for each other. */
  longPoll: LoginClient['send']
  /** Aborts everything in flight and closes the pools. */
  close (): Promise<void>
}

/** Login pages and QR pictures have some tens of kilobytes. */
const maxBytes = 256 * 1024

/** How long a connection waits for the next long poll, in milliseconds. */
const pollIdleMs = 4000

/**
 * Options of the connections and of the policy of each host. `pollConnections`: maximum number of long polls at once.
 */
export type LoginClientOptions = Omit<TransportOptions, 'maxAnswerBytes' | 'headersTimeoutMs'> & HostOptions & {
  readonly pollConnections: number
}

/** Creates the two pools; connections open with the first request. */
export function createLoginClient (options: LoginClientOptions): LoginClient {
  const { pollConnections } = options
  // The deadline limits the time to the first byte: a long poll has a longer one than other requests.
  const shared = {
    connect: connectOf(options.connectTimeoutMs, options.egress),
    maxResponseSize: maxBytes,
    keepAliveTimeout: 30_000,
    headersTimeout: 0,
    bodyTimeout: options.bodyTimeoutMs
  }
  const requests = createAgents({ ...shared, connections: options.upstreamConnections }, options.now)
  // A browser polls again at once or never, so these connections close early, whatever the host offers.
  const polls = createAgents({
    ...shared,
    keepAliveTimeout: pollIdleMs,
    keepAliveMaxTimeout: pollIdleMs,
    connections: pollConnections
  }, options.now)

  const sender = (
    agents: Agents,
    hosts: Hosts,
    counts: (error: unknown) => boolean
  ): LoginClient['send'] => async ({ name, request, headersOnly }, { deadlineMs, signal, client }) => {
    const deadline = startDeadline(deadlineMs, signal, options)
    const attempt = async (): Promise<LoginAnswer> => {
      const collector = new Collector({
        call: name,
        signal: deadline.signal,
        charge: () => true,
        maxAnswerBytes: maxBytes,
        wantsBody: (head) => headersOnly !== true && pauseOf(head, name) === undefined
      })
      agents.current().dispatch(addressed(request, options.upstreamOrigin), collector)
      const answer = await collector.answer
      const pause = pauseOf(answer, name)
      if (pause !== undefined) throw pause
      const bytes = await decompress(answer.bytes, headerOf(answer, 'content-encoding'), maxBytes, name)
      return {
        call: name,
        status: answer.status,
        contentType: headerOf(answer, 'content-type'),
        location: headerOf(answer, 'location'),
        cookies: cookiesOf(answer.headers),
        bytes
      }
    }
    try {
      const asked = { host: request.host, parts: [name], call: name, client, signal: deadline.signal }
      const end = await hosts.enter(asked)
      try {
        const answer = await attempt()
        end()
        return answer
      } catch (error) {
        const seen = end(counts(error) ? error : undefined)
        throw seen ?? error
      }
    } finally {
      deadline.end()
    }
  }

  return {
    send: sender(requests, createHosts(options), () => true),
    // A poll occupies a slot while it waits, and its timeout does not mean that the host fails.
    longPoll: sender(
      polls,
      createHosts({ ...options, upstreamLimit: pollConnections, upstreamLimitPerHost: pollConnections }),
      (error) => !(error instanceof UpstreamError && error.kind === 'late')
    ),
    close: async () => { await Promise.all([requests.close(), polls.close()]) }
  }
}

/**
 * Returns the cookies that a browser would store: the last value of a name, without empty, expired and unprintable
 * ones. The upstream sends deletions first.
 */
function cookiesOf (headers: WireAnswer['headers']): ReadonlyMap<string, string> {
  const lines = headers['set-cookie'] ?? []
  const stored = new Map<string, string>()
  for (const line of Array.isArray(lines) ? lines : [lines]) {
    // Values stay undecoded: they are sent back unchanged.
    const { name, value = '', expires, maxAge } = parseSetCookie(line, { decode: (text) => text })
    const dead = (maxAge ?? 1) <= 0 || (maxAge === undefined && expires !== undefined && Number(expires) <= Date.now())
    if (!dead && name !== '' && isCookieValue(value)) stored.set(name, value)
  }
  return stored
}
