/**
 * Sends one request to the upstream and reads its bytes: connection pools, timeouts, size limits, and an error for each
 * kind of failure. It knows no call and no endpoint. It never follows redirects.
 */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import pLimit from 'p-limit'
import type { Dispatcher } from 'undici'
import { UpstreamError } from '../../common/errors.ts'
import type { Fault } from '../../common/errors.ts'
import { release } from '../../common/release.ts'
import type { ErrorCode } from '../../../schemas/errors.ts'
import { createAgents } from './agents.ts'
import { clientGone, relayStops } from './deadline.ts'
import { hosts, originOf } from './origins.ts'
import type { WireRequest } from '../protocol/requests.ts'

/** Settings of the connections. Times are milliseconds. */
export interface TransportOptions {
  /** Origin that replaces every upstream host. The Host header stays that of the upstream. */
  readonly upstreamOrigin?: string | undefined
  readonly connectTimeoutMs: number
  readonly headersTimeoutMs: number
  readonly bodyTimeoutMs: number
  readonly maxAnswerBytes: number
  readonly upstreamConnections: number
  /** Returns milliseconds of a monotonic clock. */
  readonly now?: (() => number) | undefined
}

/** Charges somebody for bytes that will be kept. False: they may not be. A negative number gives bytes back. */
export type Hold = (bytes: number) => boolean

/** The connections of one relay. */
export interface Transport {
  /**
   * Sends a request and reads the whole body. `hold` is told of all bytes before they are kept, and returns false when that
   * would be too much. Throws UpstreamError; `call` is only its label.
   */
  exchange (request: WireRequest, call: string, signal: AbortSignal, hold: Hold): Promise<{ bytes: Uint8Array, contentType: string | undefined }>
  /** Aborts everything in flight and closes the pools. */
  close (): Promise<void>
}

const unpack: Readonly<Record<string, (bytes: Uint8Array, options: { maxOutputLength: number, chunkSize: number }) => Promise<Uint8Array>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress)
}

/** Answers that are decompressed at once: Node has as many threads for it. What more of them produce would only fill memory. */
const decompressedAtOnce = 4

/** How many bytes one compressed byte can become (deflate), as a rule. */
const mostUnpacked = 1032

/** Creates the pools; connections open with the first request. */
export function createTransport (options: TransportOptions): Transport {
  const slots = pLimit(decompressedAtOnce)
  const agents = createAgents({
    connections: options.upstreamConnections,
    connect: { timeout: options.connectTimeoutMs },
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.bodyTimeoutMs,
    maxResponseSize: options.maxAnswerBytes,
    keepAliveTimeout: 30_000
  }, options.now)

  async function exchange (request: WireRequest, call: string, signal: AbortSignal, hold: Hold): Promise<{ bytes: Uint8Array, contentType: string | undefined }> {
    const stage = { name: 'request' as 'request' | 'body' }
    try {
      const answer = await agents.current().request({ ...addressed(request, options.upstreamOrigin), signal })
      stage.name = 'body'
      if (answer.statusCode !== 200) {
        discard(answer.body) // the status is the error
        throw statusError(answer, call, request.headers['cookie'] !== undefined)
      }
      const packed = await collect(answer.body, hold, call)
      const encoding = headerOf(answer, 'content-encoding')
      const bytes = encoding === undefined ? packed : await slots(unpacked, packed, encoding, hold, call)
      return { bytes, contentType: headerOf(answer, 'content-type') }
    } catch (error) {
      throw error instanceof UpstreamError ? error : networkError(error, call, stage.name, signal)
    }
  }

  /** Charges what the bytes may become before they do: what is refused afterwards would have filled memory all the same. */
  async function unpacked (packed: Uint8Array, encoding: string, hold: Hold, call: string): Promise<Uint8Array> {
    const most = Math.min(options.maxAnswerBytes, mostUnpacked * packed.length)
    if (!hold(most)) throw tooManyBytes(call)
    const bytes = await decompress(packed, encoding, options.maxAnswerBytes, call)
    if (bytes !== packed) release(packed)
    if (!hold(bytes.length - most)) throw tooManyBytes(call)
    return bytes
  }

  return { exchange, close: agents.close }
}

/** Reads a body. Throws OVERLOADED, and closes its connection, when no more bytes may be held. */
async function collect (body: Dispatcher.ResponseData['body'], hold: Hold, call: string): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (!hold(chunk.length)) throw tooManyBytes(call)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooManyBytes (call: string): UpstreamError {
  return new UpstreamError('OVERLOADED', 'The relay holds as many bytes of upstream answers as it can; try again in 1 s, or ask for less at once.', { fault: 'time', call, outcome: 'shed', retryAfter: 1 })
}

/**
 * Closes the connection of an answer whose body nobody reads. Waiting for its end would free the connection for the next
 * request, but a body that drips never ends, and would hold it for ever.
 */
export function discard (body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => {}).destroy()
}

/** The request in undici's form, to its own host or to `standIn`. A stand-in still gets the host's name as Host header. */
export function addressed ({ host, method, path, headers, body }: WireRequest, standIn: string | undefined): Dispatcher.RequestOptions {
  return { origin: originOf(host, standIn), method, path, headers: standIn === undefined ? headers : { ...headers, host: hosts[host] }, body: body ?? null }
}

/** Returns a response header, the first one where several were sent. */
export function headerOf (answer: Dispatcher.ResponseData, name: string): string | undefined {
  const value = answer.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/**
 * Undoes the content encodings, up to five. Throws UpstreamError (UPSTREAM_UNREADABLE) for an unknown or broken encoding,
 * and for a result of more than `limit` bytes.
 */
export async function decompress (packed: Uint8Array, encoding: string | undefined, limit: number, call: string): Promise<Uint8Array> {
  const encodings = (encoding ?? '').split(',').map((word) => word.trim().toLowerCase()).filter((word) => word !== '' && word !== 'identity')
  const bad = (outcome: string, cause?: unknown): UpstreamError => new UpstreamError('UPSTREAM_UNREADABLE',
    outcome === 'too_large' ? 'The upstream answer is larger than the relay takes.' : 'The upstream answer is compressed in a way that cannot be read.', { fault: 'call', call, outcome, cause })
  if (encodings.length > 5) throw bad('bad_encoding')
  let bytes = packed
  for (const name of encodings.reverse()) {
    const step = Object.hasOwn(unpack, name) ? unpack[name] : undefined
    if (step === undefined) throw bad('bad_encoding')
    try {
      // In one piece, as a rule: each further one is a turn in the queue of the threads, and a copy.
      bytes = await step(bytes, { maxOutputLength: limit, chunkSize: Math.min(Math.max(16_384, sizeOf(bytes, name)), limit) + 1 })
    } catch (error) {
      throw bad(codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'bad_encoding', error)
    }
  }
  return bytes
}

/** Estimates the size that bytes will have. The last four bytes of a gzip file say it. */
function sizeOf (packed: Uint8Array, encoding: string): number {
  return encoding.endsWith('gzip') && packed.length >= 18 ? Buffer.from(packed.buffer, packed.byteOffset, packed.length).readUInt32LE(packed.length - 4) : 8 * packed.length
}

/**
 * The error for a status other than 200. The upstream answers 200 even for its own
 * errors, so this comes from its gateway or from another server.
 */
export function statusError (answer: Dispatcher.ResponseData, call: string, withCookie: boolean): UpstreamError {
  const status = answer.statusCode
  const pause = pauseOf(answer, call)
  if (pause !== undefined) return pause
  const failed = (code: ErrorCode, text: string, fault: Fault, outcome: string, advice = ''): UpstreamError =>
    new UpstreamError(code, `The upstream ${text} (HTTP ${status})${advice}.`, { fault, call, outcome })
  // The fault of this call, until several calls of the host fail (hostPolicy.ts).
  if (status === 504) return failed('UPSTREAM_TIMEOUT', 'was too slow', 'call', 'http_5xx', '; try again later')
  if (status === 501) return failed('UPSTREAM_REFUSED', 'does not serve this call', 'call', 'http_4xx')
  if (status >= 500) return failed('UPSTREAM_UNREACHABLE', 'failed', 'call', 'http_5xx', '; try again later')
  if (status === 401 && withCookie) return failed('COOKIE_REJECTED', 'rejects the cookie', 'caller', 'auth')
  if (status === 404) return failed('UPSTREAM_REFUSED', 'no longer serves this call', 'call', 'http_404')
  if (status >= 400) return failed('UPSTREAM_REFUSED', 'refused', 'call', status === 401 ? 'auth' : 'http_4xx')
  if (status >= 300) return failed('UPSTREAM_REFUSED', 'redirects, which is not followed', 'call', 'redirect')
  return failed('UPSTREAM_UNREADABLE', 'answered without a body', 'call', 'bad_payload')
}

/** Returns the error for an answer that asks to wait: 429, or 503 with Retry-After. Undefined for any other answer. */
export function pauseOf (answer: Dispatcher.ResponseData, call: string): UpstreamError | undefined {
  const status = answer.statusCode
  const wait = secondsOf(headerOf(answer, 'retry-after'))
  if (status !== 429 && !(status === 503 && wait > 0)) return undefined
  const retryAfter = wait > 0 ? Math.min(Math.ceil(wait), 60) : 10
  return new UpstreamError('UPSTREAM_PAUSED', `The upstream asks to wait (HTTP ${status}); try again in ${retryAfter} s.`, { fault: 'time', call, outcome: 'throttled', retryAfter })
}

/** Seconds of a Retry-After header, which is a number or a date; 0 for none. */
function secondsOf (value = ''): number {
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return seconds > 0 ? seconds : 0
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '')

/**
 * The UpstreamError for an error of undici or Node, which stays as its
 * `cause`. `stage`: what failed, the request or the body.
 */
export function networkError (error: unknown, call: string, stage: 'request' | 'body', signal: AbortSignal): UpstreamError {
  const code = codeOf(error)
  const made = (word: ErrorCode, text: string, fault: Fault, outcome: string): UpstreamError =>
    new UpstreamError(word, text, { fault, call, outcome, cause: error })
  const slow = 'The upstream did not answer in time.'
  if (signal.reason === relayStops) return new UpstreamError('STOPPING', 'The relay is stopping; try again in a moment.', { fault: 'time', call, outcome: 'stopping', retryAfter: 5 })
  if (signal.reason === clientGone) return made('UPSTREAM_TIMEOUT', 'The caller left before the answer.', 'time', 'client_gone')
  if (signal.aborted) return made('UPSTREAM_TIMEOUT', slow, 'time', 'deadline')
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return made('UPSTREAM_TIMEOUT', slow, 'time', 'headers_timeout')
  if (code === 'UND_ERR_BODY_TIMEOUT') return made('UPSTREAM_TIMEOUT', slow, 'time', 'body_timeout')
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return made('UPSTREAM_UNREADABLE', 'The upstream answer is larger than the relay takes.', 'call', 'too_large')
  // Two lengths, or a length and chunks. In the body stage the same code means a truncated answer.
  const oddLength = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && stage === 'request'
  if ((error as Error).name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW' || oddLength) return made('UPSTREAM_UNREADABLE', 'The upstream answer is not valid HTTP.', 'call', 'protocol')
  if (stage === 'body') return made('UPSTREAM_UNREACHABLE', 'The upstream broke off in the middle of its answer.', 'host', 'truncated')
  if (/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code)) return made('UPSTREAM_UNREACHABLE', 'The upstream closed the connection.', 'host', 'reset')
  return made('UPSTREAM_UNREACHABLE', 'The upstream cannot be reached.', 'host', 'connect')
}
