/**
 * The bytes of a connection as requests. This prevents request smuggling: Node's strict parser accepts some requests
 * that a proxy might read differently. They get one 400 and the connection ends, so that no request hidden behind them
 * is processed or answered. Requests that the parser refuses are answered on the socket.
 */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InvalidInput, RelayError } from '../common/errors.ts'
import { readableByAll } from './headers.ts'
import { hasBody, refusalHeaders, type Refusal } from './refusals.ts'
import { percentEncoded } from './paths.ts'

/** Maximum size of request line and headers, in bytes. */
export const maxHeaderSize = 16 * 1024

declare module 'fastify' {
  interface FastifyInstance {
    /** Name of a header that only the relay itself can set: the answer is written to a bare socket. */
    bareSocket: string
  }
  interface FastifyContextConfig {
    /** The answer may be a long stream, which a bare socket would not slow down. */
    streams?: true
  }
}

/** Answers two kinds of requests for which no hook runs. (Node itself answers `Expect: 100-continue`.) */
export function refuseOddRequests (app: FastifyInstance): void {
  const { server, log } = app
  app.decorate('bareSocket', randomUUID())
  server.on('connect', (_request, socket) => {
    // Node has removed its own listener. Without one, a client that resets this connection would end the process.
    socket.on('error', () => {})
    endConnection(log, socket as Socket, new InvalidInput('CONNECT: this relay is no proxy.'))
  })
  server.on('checkExpectation', ({ socket }) => {
    endConnection(log, socket, new RelayError('EXPECTATION_FAILED', 'expect: only 100-continue is known.'))
  })
}

/**
 * Returns the refusal of a request that a proxy might read differently. Ends the connection after the answer to it, and
 * to the last request that the connection may have.
 */
export function framingOf (
  { originalUrl, raw, raw: { socket }, routeOptions, server }: FastifyRequest,
  reply: FastifyReply,
  isLast: boolean
): InvalidInput | undefined {
  const wrong = malformed(originalUrl, raw)
  // Only POST bodies are read. For other methods the connection ends, so that the body is neither awaited nor read as
  // the next request. (Node's own limit of requests would answer later ones with a bare 503.)
  if (wrong !== undefined || isLast || (raw.method !== 'POST' && hasBody(raw))) {
    closeGently(socket)
    void reply.header('connection', 'close')
  }
  const isBareStream = routeOptions.config.streams === true && server.bareSocket in raw.headers
  return wrong !== undefined || isBareStream ? new InvalidInput(wrong ?? rawAddress) : undefined
}

function malformed (url: string, { method, headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  let hosts = 0
  for (
    let at = 0; at < rawHeaders.length; at += 2
  ) { if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') { hosts++ } }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'host: this header is required, once.'
  // `OPTIONS *` refers to the server as a whole.
  if (!url.startsWith('/') && (url !== '*' || method !== 'OPTIONS')) return 'path: must begin with "/"; this relay is no proxy.'
  const coding = headers['transfer-encoding']
  if (coding !== undefined && httpVersion === '1.0') return 'transfer-encoding: not known in HTTP/1.0.'
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'transfer-encoding: only chunked is known.'
  return undefined
}

// What is answered on the socket.

const rawAddress =
  'path: has characters that must be percent-encoded, or does not begin with "/"; percent-encode the address (curl: --data-urlencode with -G). 请对地址进行百分号编码（curl：-G 加 --data-urlencode）。'
const wrong = (sentence: string): Refusal => ['INVALID_INPUT', sentence]
const requestLine = wrong(
  'request line: must be a method, an address and a version of HTTP, one space between them; a space in the address is written %20. 地址中的空格请写作 %20。'
)
const lineEnds = wrong('The lines of the head and of a chunked body must end with CR LF, and nothing else may stand there.')
const contentLength = wrong('content-length: must be one number, and must not be sent together with transfer-encoding.')

/**
 * Error codes of the parser, with the relay's code and message. The parser's own messages are not used, because they
 * change with its version. Nothing of the request is quoted, because it may contain a cookie.
 */
const parser: Readonly<Record<string, Refusal>> = {
  HPE_INVALID_METHOD: wrong('method: is not one of HTTP; its name is in capital letters, such as GET.'),
  HPE_INVALID_URL: wrong(rawAddress),
  HPE_INVALID_CONSTANT: requestLine,
  HPE_INVALID_VERSION: requestLine,
  HPE_INVALID_HEADER_TOKEN: wrong('headers: a line is not "name: value", or has a character that is not allowed there.'),
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The request line or headers are larger than the relay takes (16 KB).'],
  HPE_STRICT: lineEnds,
  HPE_CR_EXPECTED: lineEnds,
  HPE_LF_EXPECTED: lineEnds,
  HPE_INVALID_CONTENT_LENGTH: contentLength,
  HPE_UNEXPECTED_CONTENT_LENGTH: contentLength,
  HPE_INVALID_TRANSFER_ENCODING: wrong('transfer-encoding: only chunked is known, and must not be sent together with content-length.'),
  ERR_HTTP_REQUEST_TIMEOUT: wrong('The request did not arrive in time.')
}

/**
 * Returns the handler of requests that the HTTP parser refused. It answers on the socket, in the same error format, or
 * reads the request again if only its address is in raw UTF-8.
 */
export function clientErrors (): (this: FastifyInstance, error: Error, socket: Socket) => void {
  const answerRaw = createRawAddresses()
  return function (error, socket) {
    const { code = '', rawPacket, bytesParsed } = error as {
      readonly code?: string,
      readonly rawPacket?: unknown,
      readonly bytesParsed?: number
    }
    if (code === 'HPE_INVALID_URL' && answerRaw(this, rawPacket, bytesParsed, socket)) return
    // Browsers connect in advance. They would take an answer that nobody asked for as that to their next request.
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return void socket.destroy()
    // A TLS handshake begins with these two bytes.
    const isTls = code === 'HPE_INVALID_METHOD' && rawPacket instanceof Uint8Array && rawPacket[0] === 0x16
      && rawPacket[1] === 3
    const [ours, sentence] = isTls
      ? wrong('This relay speaks plain HTTP, without TLS; for TLS, put a proxy in front of it.')
      : parser[code] ?? wrong('The request is not valid HTTP.')
    endConnection(this.log, socket, new RelayError(ours, sentence))
  }
}

/** Time for a client to read its last answer and close, in milliseconds. */
const grace = 1000

/**
 * Ends a connection without a reset, after an answer with `connection: close`. Node would close it at once. If the
 * client has sent more by then, the system drops answers that are still on their way. So only our half is closed, and
 * incoming data is read until the client closes too or a second has passed.
 */
function closeGently (socket: Socket): void {
  socket.destroySoon = () => {
    socket.end(() => { cutLater(socket) })
  }
}

/**
 * Sends the last answer on a connection. Further data is dropped, and a client that does not close is disconnected
 * after a second.
 */
function endConnection (log: FastifyBaseLogger, socket: Socket, failure: RelayError): void {
  // The request may already have its answer: it was refused by its headers and then failed in its body.
  const answered = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent === true
  if (answered || !socket.writable) return
  const body = JSON.stringify(failure.toBody())
  const headers = {
    ...refusalHeaders,
    ...readableByAll,
    'x-request-id': randomUUID(),
    'content-length': Buffer.byteLength(body),
    connection: 'close'
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${failure.statusCode} ${STATUS_CODES[failure.statusCode]}\r\n${lines}\r\n${body}`)
  cutLater(socket)
  log.info({
    reqId: headers['x-request-id'],
    method: null,
    route: null,
    status: failure.statusCode,
    cookie_source: 'none'
  }, 'request')
}

function cutLater (socket: Socket): void {
  const cut = setTimeout(() => { socket.destroy() }, grace)
  socket.once('close', () => { clearTimeout(cut) })
}

// Requests whose address has raw UTF-8 in it, as typed into curl: `?key=云野铃`. Node's strict parser refuses such an
// address. The lenient one would accept much more, so the refused request is read here again, by stricter rules than
// the parser's: one GET or HEAD, whole and without a body, nothing before and nothing behind it. Anything else stays a
// 400. The answer ends the connection.

/** A request with the address as it should have been written. */
interface ReadRequest {
  readonly method: 'GET' | 'HEAD'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Requests at once, because their answers are not charged as unread ones. Further ones are refused as the parser does.
 */
const mostAtOnce = 4

const rawRequestLine = /^(GET|HEAD) (\/[\x21-\x7e\x80-\xff]*) HTTP\/1\.1$/
const headerLine = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/
/** Headers of requests with a body, or of another protocol. */
const unfit: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer'])

/**
 * Reads a packet that the parser has refused. `failedAt`: how many bytes it had read. Undefined if the packet is not
 * exactly one request whose only fault is raw UTF-8 in its address.
 */
function readRawRequest (packet: Uint8Array, failedAt: number): ReadRequest | undefined {
  const bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength)
  if (bytes.length > maxHeaderSize || bytes.indexOf('\r\n\r\n') !== bytes.length - 4) return undefined
  const firstRaw = bytes.findIndex((byte) => byte > 0x7f)
  const [first = '', ...lines] = bytes.toString('latin1', 0, bytes.length - 4).split('\r\n')
  const [, method, address = ''] = rawRequestLine.exec(first) ?? []
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
  return { method: method as 'GET' | 'HEAD', url: percentEncoded(address), headers }
}

/**
 * Returns a function that answers such a request on its socket. It returns false if the request is not one, or there
 * are too many.
 */
function createRawAddresses (): (
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
    await app.inject({ method, url, headers: { ...headers, [app.bareSocket]: '' }, remoteAddress, payloadAsStream: true, signal } as never) as unknown as {
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
