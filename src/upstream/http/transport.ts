/**
 * Sends one request to the upstream and reads its bytes: connection pools, timeouts, size limits. It is independent of
 * calls and endpoints, and never follows redirects.
 */
import type { Transform } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import {
  brotliDecompressSync, createBrotliDecompress, createGunzip, createInflate, gunzipSync, inflateSync
} from 'node:zlib'
import pLimit from 'p-limit'
import type { Dispatcher } from 'undici'
import { Agent } from 'undici/index.js'
import type { AbortSignalLike } from '../../common/abort.ts'
import type { UpstreamError } from '../../common/errors.ts'
import { failure } from '../../common/kinds.ts'
import { release } from '../../common/release.ts'
import { createReads } from '../../common/turns.ts'
import type { WireRequest } from '../wire/requests.ts'
import { BodyBytes, Collector, type Charge } from './collect.ts'
import { createConnector } from './connector.ts'
import type { Egress } from './egress.ts'
import { headerOf, statusError, tooManyBytes } from './failures.ts'
import { hosts, originOf } from './origins.ts'

/** Timeouts and the number of connections. Tests use others. */
export const transportLimits = {
  /**
   * Timeout of a connection. A TCP and TLS handshake takes well under a second. Two seconds leave room for one lost
   * packet.
   */
  connectTimeoutMs: 2000,
  /**
   * Timeout for the first byte of an upstream response. It leaves three of the eight seconds of `deadlineMs` for a
   * fallback.
   */
  headersTimeoutMs: 5000,
  /** Longest pause within an upstream response. A connection that is silent for longer is dead. */
  bodyTimeoutMs: 5000,
  /** Minimum connection limit for one host. QR logins also use connections, which `upstreamLimit` does not count. */
  upstreamConnections: 64
}

/** Settings of the connections. Times are milliseconds. */
export interface TransportOptions {
  /** Origin that replaces every upstream host. The Host header stays that of the upstream. */
  readonly upstreamOrigin?: string | undefined
  /** The operator's proxies. */
  readonly egress?: Egress | undefined
  readonly connectTimeoutMs: number
  readonly headersTimeoutMs: number
  readonly bodyTimeoutMs: number
  readonly maxAnswerBytes: number
  readonly upstreamConnections: number
  /** Returns milliseconds of a monotonic clock. */
  readonly now?: (() => number) | undefined
}

/** The answer of a host, decompressed. `location`: the redirect address. No body unless the status is 200. */
export interface TransportResponse {
  readonly status: number
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly location: string | undefined
}

/** The connections of one relay. */
export interface Transport {
  /**
   * Sends a request and reads the whole body. `charge` is called with all bytes before they are stored, and returns
   * false when the limit is reached. Throws UpstreamError, also for a status other than 200 that is not an answer to
   * this request; `call` is only its label.
   */
  request (request: WireRequest, call: string, signal: AbortSignalLike, charge: Charge): Promise<TransportResponse>
  /** Opens a connection to the batch gateway ahead, if none is idle, because calls are about to follow. */
  warm (): void
  /** Aborts everything in flight and closes the pools. */
  close (): Promise<void>
}

/** Decompresses one encoding. */
interface Unpacker {
  readonly atOnce: (bytes: Uint8Array, options: { maxOutputLength: number, chunkSize: number }) => Uint8Array
  readonly onThread: (options: { chunkSize: number }) => Transform
}

const gzip: Unpacker = { atOnce: gunzipSync, onThread: createGunzip }
const unpackers = new Map<string, Unpacker>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', { atOnce: inflateSync, onThread: createInflate }],
  ['br', { atOnce: brotliDecompressSync, onThread: createBrotliDecompress }]
])

/**
 * Up to this size, bodies are decompressed synchronously, in less than a millisecond: passing a usual answer to a
 * thread takes longer. Bytes.
 */
const mostAtOnce = 256 * 1024

/** Larger bodies are decompressed in pieces of this size, so that no part is in memory twice. Bytes. */
const pieceBytes = 64 * 1024

/**
 * Maximum number of answers that are decompressed in parallel: Node has as many threads for it, and the output of more
 * would only fill memory.
 */
const threads = 4

/** Bytes of answers that are read in one turn of the loop: a few milliseconds. */
const readBytes = 128 * 1024

/** Maximum number of bytes that one compressed byte usually becomes (deflate). */
const mostUnpacked = 1032

/** Creates the pools; connections open with the first request. */
export function createTransport (options: TransportOptions): Transport {
  const slots = pLimit(threads)
  const reads = createReads(readBytes)
  const connector = createConnector(options.connectTimeoutMs, options.egress)
  const agents = createAgents({
    connections: options.upstreamConnections,
    connect: connector.connect,
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.bodyTimeoutMs,
    maxResponseSize: options.maxAnswerBytes,
    keepAliveTimeout: 30_000
  }, options.now)

  async function request (
    sent: WireRequest,
    call: string,
    signal: AbortSignalLike,
    charge: Charge
  ): Promise<TransportResponse> {
    const collector = new Collector({
      call,
      signal,
      charge,
      maxAnswerBytes: options.maxAnswerBytes,
      wantsBody: ({ status }) => status === 200 && sent.redirects !== true
    })
    agents.current().dispatch(addressed(sent, options.upstreamOrigin), collector)
    const answer = await collector.answer
    const { status } = answer
    const location = headerOf(answer, 'location')
    const isAnswer = status === 200
      || (sent.redirects === true && (status === 404 || (status >= 300 && status < 400 && location !== undefined)))
    if (!isAnswer) throw statusError(answer, call, sent.headers['cookie'] !== undefined)
    if (sent.redirects === true) return { status, bytes: answer.bytes, contentType: undefined, location }
    const encoding = headerOf(answer, 'content-encoding')
    const bytes = encoding === undefined ? answer.bytes : await slots(unpacked, answer.bytes, encoding, charge, call)
    const turn = reads(bytes.length)
    if (turn !== undefined) await turn
    return { status, bytes, contentType: headerOf(answer, 'content-type'), location }
  }

  /** Charges the possible size before decompressing: a refusal afterwards would come when memory is already full. */
  async function unpacked (packed: Uint8Array, encoding: string, charge: Charge, call: string): Promise<Uint8Array> {
    const most = Math.min(options.maxAnswerBytes, mostUnpacked * packed.length)
    if (!charge(most)) throw tooManyBytes(call)
    const bytes = await decompress(packed, encoding, options.maxAnswerBytes, call)
    if (bytes !== packed) release(packed)
    if (!charge(bytes.length - most)) throw tooManyBytes(call)
    return bytes
  }

  return {
    request,
    warm () {
      const origin = originOf('musicu', options.upstreamOrigin)
      const pool = agents.current().stats[origin]
      if (Number(pool?.connected ?? 0) <= (pool?.running ?? 0)) connector.warm(origin)
    },
    async close () {
      connector.close()
      await agents.close()
    }
  }
}

/**
 * Returns the request in undici's form, to its own host or to `originOverride`, which still gets the host's name as
 * Host header.
 */
export function addressed (
  { host, method, path, headers, body }: WireRequest,
  originOverride: string | undefined
): Dispatcher.RequestOptions {
  const ownHeaders = originOverride === undefined ? headers : { host: hosts[host], ...headers }
  return { origin: originOf(host, originOverride), method, path, headers: ownHeaders, body: body ?? null }
}

/**
 * Returns the body without its content encodings, up to five. Throws UpstreamError (UPSTREAM_UNREADABLE) for an unknown
 * or broken encoding, and for a result of more than `limit` bytes.
 */
export async function decompress (
  packed: Uint8Array,
  encoding: string | undefined,
  limit: number,
  call: string
): Promise<Uint8Array> {
  const encodings = (encoding ?? '').split(',').map((word) => word.trim().toLowerCase()).filter((word) =>
    word !== '' && word !== 'identity'
  )
  const bad = (cause?: unknown): UpstreamError => failure('unreadable.packed', { call, cause })
  if (encodings.length > 5) throw bad()
  let bytes = packed
  for (const name of encodings.reverse()) {
    const unpacker = unpackers.get(name)
    if (unpacker === undefined) throw bad()
    try {
      bytes = await unpack(unpacker, bytes, sizeOf(bytes, name), limit)
    } catch (error) {
      throw isTooLarge(error) ? failure('unreadable.large', { call, cause: error }) : bad(error)
    }
  }
  return bytes
}

class TooLarge extends Error {}
const isTooLarge = (error: unknown): boolean =>
  error instanceof TooLarge || (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'

/** `size`: the expected size of the result, which may turn out larger. Bytes. */
async function unpack (
  { atOnce, onThread }: Unpacker,
  bytes: Uint8Array,
  size: number,
  limit: number
): Promise<Uint8Array> {
  if (Math.max(bytes.length, size) <= mostAtOnce) {
    const most = Math.min(limit, mostAtOnce)
    // The connection of this answer becomes free in the next turn. Without this pause, a call that follows from the
    // answer would open another one.
    await setImmediate()
    try {
      return atOnce(bytes, { maxOutputLength: most, chunkSize: Math.min(Math.max(16_384, size), limit) + 1 })
    } catch (error) {
      if (!isTooLarge(error) || most === limit) throw error
    }
  }
  return await unpackLarge(onThread({ chunkSize: pieceBytes }), bytes, limit)
}

async function unpackLarge (unpacker: Transform, bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  const body = new BodyBytes(limit)
  unpacker.end(bytes)
  try {
    for await (const piece of unpacker as AsyncIterable<Uint8Array>) {
      if (body.size + piece.length > limit) throw new TooLarge()
      body.add(piece)
    }
    return body.take()
  } catch (error) {
    body.drop()
    throw error
  }
}

/** Estimates the decompressed size. The last four bytes of a gzip file contain it. Bytes. */
function sizeOf (packed: Uint8Array, encoding: string): number {
  return encoding.endsWith('gzip') && packed.length >= 18
    ? Buffer.from(packed.buffer, packed.byteOffset, packed.length).readUInt32LE(packed.length - 4)
    : 8 * packed.length
}

// Replaces the connection pool regularly: a connection in steady use would never notice that its host has moved.
// (The pool's own limit of this kind, `clientTtl`, can spin forever when all its connections are busy and old.)
// Import the file: for the bare package name Bun substitutes its own module, which has no agents.

/** How long a pool accepts new requests. Those in flight then still end within the minute. Milliseconds. */
const longestUse = 50_000

/** A pool that is replaced when it gets old. */
export interface Agents {
  /** Returns the pool for new requests. */
  current (): Agent
  /** Aborts everything in flight and closes all pools. */
  close (): Promise<void>
}

/** Creates the first pool. `now` returns milliseconds of a monotonic clock. */
export function createAgents (options: Agent.Options, now: () => number = () => performance.now()): Agents {
  let agent = new Agent(options)
  let since = now()
  /** Replaced pools that still have requests in flight. */
  const leaving = new Set<Agent>()
  return {
    current () {
      if (now() - since > longestUse) {
        const old = agent
        leaving.add(old)
        old.close().catch(() => {}).finally(() => { leaving.delete(old) })
        agent = new Agent(options)
        since = now()
      }
      return agent
    },
    async close () { await Promise.all([agent, ...leaving].map(async (one) => { await one.destroy() })) }
  }
}
