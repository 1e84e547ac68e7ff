/**
 * Sends the last answer on a connection, mostly for requests that the HTTP parser or an earlier check refused before
 * the framework.
 */
import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RelayError } from '../common/errors.ts'
import { refusalHeaders, type Refusal } from './errors.ts'

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
  HPE_INVALID_URL: wrong(
    'path: has characters that must be percent-encoded, or does not begin with "/"; percent-encode the address (curl: --data-urlencode with -G). 请对地址进行百分号编码（curl：-G 加 --data-urlencode）。'
  ),
  HPE_INVALID_CONSTANT: requestLine,
  HPE_INVALID_VERSION: requestLine,
  HPE_PAUSED_H2_UPGRADE: wrong('This relay speaks HTTP/1.1; for HTTP/2, put a proxy in front of it.'),
  HPE_INVALID_HEADER_TOKEN: wrong('headers: a line is not "name: value", or has a character that is not allowed there.'),
  HPE_UNEXPECTED_SPACE: wrong('headers: a line begins with a space.'),
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The request line or headers are larger than the relay takes (16 KB).'],
  HPE_STRICT: lineEnds,
  HPE_CR_EXPECTED: lineEnds,
  HPE_LF_EXPECTED: lineEnds,
  HPE_INVALID_CONTENT_LENGTH: contentLength,
  HPE_UNEXPECTED_CONTENT_LENGTH: contentLength,
  HPE_INVALID_TRANSFER_ENCODING: wrong('transfer-encoding: only chunked is known, and must not be sent together with content-length.'),
  HPE_INVALID_CHUNK_SIZE: wrong('body: a chunk does not begin with its size.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['BODY_TOO_LARGE', 'body: its chunk extensions are larger than the relay takes (16 KB).'],
  HPE_CLOSED_CONNECTION: wrong('More was sent after a request that said connection: close.'),
  HPE_INVALID_EOF_STATE: wrong('The connection ended before the request was complete.'),
  ERR_HTTP_REQUEST_TIMEOUT: wrong('The request did not arrive in time.')
}

/** Answers a request that the HTTP parser refused, in the same error format, on the socket. */
export function refuseOnSocket (
  this: FastifyInstance,
  { code = '', rawPacket }: Error & { code?: string, rawPacket?: unknown },
  socket: Socket
): void {
  // A TLS handshake begins with these two bytes.
  const isTls = code === 'HPE_INVALID_METHOD' && rawPacket instanceof Uint8Array && rawPacket[0] === 0x16
    && rawPacket[1] === 3
  const [ours, sentence] = isTls
    ? wrong('This relay speaks plain HTTP, without TLS; for TLS, put a proxy in front of it.')
    : parser[code] ?? wrong('The request is not valid HTTP.')
  endConnection(this.log, socket, new RelayError(ours, sentence))
}

/** Time for a client to read its last answer and close, in milliseconds. */
const grace = 1000

/**
 * Ends a connection without a reset, after an answer with `connection: close`. Node would close it at once. If the
 * client has sent more by then, the system drops answers that are still on their way. So only our half is closed, and
 * incoming data is read until the client closes too or a second has passed.
 */
export function closeGently (socket: Socket): void {
  socket.destroySoon = () => {
    socket.end(() => { cutLater(socket) })
  }
}

/**
 * Sends the last answer on a connection. Further data is dropped, and a client that does not close is disconnected
 * after a second.
 */
export function endConnection (log: FastifyBaseLogger, socket: Socket, failure: RelayError): void {
  // The request may already have its answer: it was refused by its headers and then failed in its body.
  const answered = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent === true
  if (answered || !socket.writable) return
  const body = JSON.stringify(failure.toBody())
  const headers = {
    ...refusalHeaders,
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
