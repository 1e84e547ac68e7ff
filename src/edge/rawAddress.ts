/**
 * Answers requests whose address has raw UTF-8 in it, as typed into curl: `?key=云野铃`. Node's strict parser refuses such
 * an address. The lenient one would accept much more, so the refused request is read here again, by stricter rules than
 * the parser's: one GET or HEAD, whole and without a body, nothing before and nothing behind it. Anything else stays a
 * 400. The answer ends the connection.
 */
import type { FastifyInstance } from 'fastify'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { STATUS_CODES, type OutgoingHttpHeaders } from 'node:http'
import { maxHeaderSize } from './connections.ts'
import { closeGently } from './lastAnswer.ts'
import { percentEncoded } from './paths.ts'

/** A request with the address as it should have been written. */
export interface ReadRequest {
  readonly method: 'GET' | 'HEAD'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Requests at once, because their answers are not charged as unread ones. Further ones are refused as the parser does.
 */
const mostAtOnce = 4

/** Routes whose answers may be long streams. */
const streams = /^\/(?:stream|meting|rest)(?:[/.?]|$)/i

const requestLine = /^(GET|HEAD) (\/[\x21-\x7e\x80-\xff]*) HTTP\/1\.1$/
const headerLine = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/
/** Headers of requests with a body, or of another protocol. */
const unfit: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer'])

/**
 * Reads a packet that the parser has refused. `failedAt`: how many bytes it had read. Undefined if the packet is not
 * exactly one request whose only fault is raw UTF-8 in its address.
 */
export function readRawRequest (packet: Uint8Array, failedAt: number): ReadRequest | undefined {
  const bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength)
  if (bytes.length > maxHeaderSize || bytes.indexOf('\r\n\r\n') !== bytes.length - 4) return undefined
  const firstRaw = bytes.findIndex((byte) => byte > 0x7f)
  const [first = '', ...lines] = bytes.toString('latin1', 0, bytes.length - 4).split('\r\n')
  const [, method, address = ''] = requestLine.exec(first) ?? []
  // The parser was at the beginning of a request only if it has read exactly what precedes the first raw character.
  if (method === undefined || firstRaw === -1 || firstRaw >= first.length || failedAt !== firstRaw) return undefined
  const raw = Buffer.from(address, 'latin1')
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(raw)
  } catch {
    return undefined
  }
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, spelled = '', value = ''] = headerLine.exec(line) ?? []
    const name = spelled.toLowerCase()
    if (name === '' || unfit.has(name) || Object.hasOwn(headers, name)) return undefined
    headers[name] = value.trimEnd()
  }
  if (headers['host'] === undefined) return undefined
  const url = percentEncoded(address)
  return streams.test(url) ? undefined : { method: method as 'GET' | 'HEAD', url, headers }
}

/**
 * Returns a function that answers such a request on its socket. It returns false if the request is not one, or there
 * are too many.
 */
export function createRawAddresses (): (
  app: FastifyInstance,
  packet: unknown,
  failedAt: number | undefined,
  socket: Socket
) => boolean {
  const underWay = new Set<Socket>()
  return (app, packet, failedAt, socket) => {
    // What follows on the connection is no request any more.
    if (underWay.has(socket)) return true
    const isBusy = ((socket as Socket & { _httpMessage?: unknown })._httpMessage ?? null) !== null
    if (isBusy || !socket.writable || underWay.size >= mostAtOnce) return false
    if (!(packet instanceof Uint8Array) || failedAt === undefined) return false
    const request = readRawRequest(packet, failedAt)
    if (request === undefined) return false
    underWay.add(socket)
    const left = new AbortController()
    socket.once('close', () => {
      underWay.delete(socket)
      left.abort()
    })
    closeGently(socket)
    answer(app, request, socket, left.signal).catch(() => { socket.destroy() })
    return true
  }
}

async function answer (
  app: FastifyInstance,
  { method, url, headers }: ReadRequest,
  socket: Socket,
  signal: AbortSignal
): Promise<void> {
  const remoteAddress = socket.remoteAddress ?? ''
  const response =
    await app.inject({ method, url, headers, remoteAddress, payloadAsStream: true, signal } as never) as unknown as {
      readonly statusCode: number
      readonly headers: OutgoingHttpHeaders
      stream (): Readable
    }
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = response.headers
  const lines = Object.entries({ ...rest, connection: 'close' }).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${String(each)}\r\n`)
  )
  socket.write(`HTTP/1.1 ${response.statusCode} ${STATUS_CODES[response.statusCode] ?? ''}\r\n${lines.join('')}\r\n`, 'latin1')
  response.stream().on('error', () => {
    socket.destroy()
  }).on('data', (chunk: Buffer) => {
    socket.write(chunk)
  }).once('end', () => {
    socket.destroySoon()
  })
}
