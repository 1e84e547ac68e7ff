/**
 * Opens audio files and pictures of the provider for players that get them through the relay. It contacts only the
 * hosts of `listedAudio`, and the origin of pictures, sends no cookie, follows no redirect, and buffers only the bytes
 * in transit.
 */
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { AbortSignalLike } from '../../common/abort.ts'
import { RangeNotSatisfiable, RelayError, UpstreamError, otherCallMayHelp } from '../../common/errors.ts'
import { failure } from '../../common/kinds.ts'
import { createAgents } from './transport.ts'
import { connectOf } from './connector.ts'
import { clientGone } from './deadline.ts'
import type { Egress } from './egress.ts'
import { listedAudio, listedPicture } from './origins.ts'
import { headerOf, networkError, statusError } from './failures.ts'

/** Settings of the connections. Times are milliseconds. */
export interface AudioOptions {
  /** Origin that replaces the provider and may also serve files. */
  readonly upstreamOrigin?: string | undefined
  /** Origin of pictures. */
  readonly imageOrigin: string
  /** The operator's proxies. */
  readonly egress?: Egress | undefined
  readonly connectTimeoutMs: number
  readonly headersTimeoutMs: number
  /** Maximum pause of the file's host. Time in which the player does not read is not counted. */
  readonly bodyTimeoutMs: number
  /** Maximum number of connections to one host. */
  readonly streams: number
  readonly now?: (() => number) | undefined
}

/** A file, or a part of it. */
export interface AudioRequest {
  readonly url: string
  /** Content type to use if the host sends none for audio. */
  readonly type: string
  /** The file is a picture. */
  readonly isPicture?: boolean
  readonly method?: 'GET' | 'HEAD'
  /** Headers of the player. A `range` of several parts is ignored, as HTTP allows. */
  readonly range?: string | undefined
  readonly ifRange?: string | undefined
}

/** An open file. The receiver must read `body` to the end or destroy it, which ends the request to the host. */
export interface AudioAnswer {
  readonly status: 200 | 206
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

/** Where a file may be. */
type Address = Pick<AudioRequest, 'url' | 'type'>

type Tried = (outcome: string, ms: number) => void

/** The connections to the hosts of audio files. */
export interface AudioFiles {
  /**
   * Opens a file. `gone` aborts when the player leaves, also while the file is read.
   * Throws RelayError: the host is not of the provider, cannot be reached, refuses, or does not have the range.
   */
  open (request: AudioRequest, gone?: AbortSignalLike): Promise<AudioAnswer>
  /**
   * Opens the first of these addresses that has the file. `tried` is called after each, with its outcome and its
   * milliseconds. Throws as `open` does; the error of the first address if all fail.
   */
  openFirst (
    addresses: readonly Address[],
    request: Omit<AudioRequest, keyof Address>,
    gone?: AbortSignalLike,
    tried?: Tried
  ): Promise<AudioAnswer>
  /** Ends all streams and closes all connections. */
  close (): Promise<void>
}

/** Name of these requests in logs and errors. */
export const audioCall = 'play.audio'

/**
 * The request for a HEAD. Clients ask for the first two bytes to find out whether a file is there (2026-11). Whether
 * every host of files answers HEAD is unknown.
 */
const firstBytes = { range: 'bytes=0-1' } as const

const oneRange = /^bytes=(?:\d{1,15}-\d{0,15}|-\d{1,15})$/
const isValidator = (text: string | undefined): text is string => text !== undefined && /^[ -~]{1,256}$/.test(text)

/** Response headers that are passed on, each with the form it must have. */
const passedOn: Readonly<Record<string, RegExp>> = {
  'content-length': /^\d{1,15}$/,
  'content-range': /^bytes \d{1,15}-\d{1,15}\/(?:\d{1,15}|\*)$/,
  'accept-ranges': /^bytes$/,
  'etag': /^(?:W\/)?"[!#-~]{0,200}"$/,
  'last-modified': /^[ -~]{1,40}$/
}

/** Maximum addresses that are tried for one request. */
const mostAddresses = 6

/**
 * Opens the first of these addresses that has the file; see `AudioFiles.openFirst`. Hosts of files refuse granted files
 * (404 and 403, 2026-06 and 2026-09), and break connections.
 */
export async function openFirst (
  open: AudioFiles['open'],
  addresses: readonly Address[],
  request: Omit<AudioRequest, keyof Address>,
  gone: AbortSignalLike | undefined,
  tried: Tried = () => {}
): Promise<AudioAnswer> {
  let first: UpstreamError | undefined
  const some = addresses.slice(0, mostAddresses)
  const waiting = new Set<string>()
  for (const { url, type } of some) {
    if (waiting.has(hostOf(url))) continue
    const started = performance.now()
    let outcome = 'ok'
    try {
      return await open({ ...request, url, type }, gone)
    } catch (error) {
      outcome = error instanceof UpstreamError ? error.outcome : 'refused'
      // A host that asks to wait says nothing about the others.
      const isPause = error instanceof UpstreamError && error.kind === 'throttled'
      if (!(isPause || otherCallMayHelp(error)) || gone?.aborted === true) throw error
      if (isPause) waiting.add(hostOf(url))
      first ??= error
    } finally {
      tried(outcome, performance.now() - started)
    }
  }
  if (first === undefined) throw new TypeError('there is no address to open')
  throw first.kind === 'throttled' ? first : noHost(first, some.length)
}

const hostOf = (url: string): string => URL.canParse(url) ? new URL(url).host : url

/** Returns the error for a file that no address has. */
function noHost (cause: UpstreamError, tried: number): UpstreamError {
  const hosts = tried === 1 ? 'The host of the provider does' : `The hosts of the provider (${tried} addresses were tried) do`
  return cause.with({ message: `${hosts} not send the file of this song. Try again later, or request another quality.`, cause })
}

/** Creates the pool; connections open with the first file. */
export function createAudioFiles (options: AudioOptions): AudioFiles {
  const agents = createAgents({
    connections: options.streams,
    connect: connectOf(options.connectTimeoutMs, options.egress),
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.bodyTimeoutMs,
    keepAliveTimeout: 10_000
  }, options.now)

  async function open (
    { url: text, type, isPicture = false, method = 'GET', range = '', ifRange }: AudioRequest,
    gone?: AbortSignalLike
  ): Promise<AudioAnswer> {
    const url = isPicture ? listedPicture(text, options.imageOrigin, options.upstreamOrigin)
      : listedAudio(text, options.upstreamOrigin)
    if (url === undefined) throw new RelayError('UPSTREAM_REFUSED', 'The address of the file does not belong to the provider.')
    const isHead = method === 'HEAD'
    const part = isHead ? firstBytes
      : oneRange.test(range) ? { range, ...(isValidator(ifRange) ? { 'if-range': ifRange } : {}) } : {}
    // Request uncompressed bytes: a range of a compressed file would not be a range of the audio.
    const headers = { 'accept': '*/*', 'accept-encoding': 'identity', ...part }
    let answer: Dispatcher.ResponseData
    try {
      answer = await agents.current().request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'GET',
        headers,
        signal: gone
      })
    } catch (error) {
      throw networkError(error, audioCall, 'request', {
        aborted: gone?.aborted === true,
        reason: gone?.aborted === true ? clientGone : undefined
      })
    }
    try {
      const status = statusOf(answer, 'range' in part)
      const passed = headersOf(answer, type, isPicture ? 'image' : 'audio')
      if (!isHead) return { status, headers: passed, body: answer.body }
      drop(answer)
      return { status: 200, headers: ofWhole(passed), body: Readable.from([]) }
    } catch (error) {
      drop(answer)
      throw error
    }
  }

  return {
    open,
    openFirst: async (addresses, request, gone, tried) => await openFirst(open, addresses, request, gone, tried),
    close: agents.close
  }
}

/** Reading to the end would free the connection for the next request, but a body that drips never ends. */
const drop = ({ body }: Dispatcher.ResponseData): void => { body.on('error', () => {}).destroy() }

/** Returns the headers of the whole file from those of its first bytes. */
function ofWhole (
  { 'content-range': range, 'content-length': length, ...headers }: Readonly<Record<string, string>>
): Record<string, string> {
  if (range === undefined) return length === undefined ? headers : { ...headers, 'content-length': length }
  const size = /\/(\d+)$/.exec(range)?.[1]
  return { 'accept-ranges': 'bytes', ...headers, ...size === undefined ? {} : { 'content-length': size } }
}

/** Returns 200 or 206. Throws for all other answers. */
function statusOf (answer: Dispatcher.ResponseData, askedForPart: boolean): 200 | 206 {
  const { statusCode } = answer
  if (statusCode === 416) {
    const size = /^bytes \*\/(\d{1,15})$/.exec(headerOf(answer, 'content-range') ?? '')?.[1]
    throw new RangeNotSatisfiable(size === undefined ? undefined : Number(size))
  }
  if (statusCode === 200 || (statusCode === 206 && askedForPart)) return statusCode
  throw statusError({ status: statusCode, headers: answer.headers }, audioCall, false)
}

function headersOf (answer: Dispatcher.ResponseData, usual: string, kind: 'audio' | 'image'): Record<string, string> {
  const encoding = headerOf(answer, 'content-encoding') ?? 'identity'
  const type = headerOf(answer, 'content-type') ?? ''
  // An error page of the host is not audio.
  if (encoding !== 'identity' || /^text\/|json|xml/i.test(type)) {
    throw failure('unreadable', { call: audioCall, message: 'The answer of the upstream is not audio.' })
  }
  const passed = Object.entries(passedOn).flatMap(([name, form]) => {
    const value = headerOf(answer, name)
    return value !== undefined && form.test(value) ? [[name, value] as const] : []
  })
  return {
    ...Object.fromEntries(passed),
    'content-type': new RegExp(`^${kind}/[\\w.+-]{1,40}$`, 'i').test(type) ? type : usual
  }
}

// @mutate streams: stream play-sources
