/** The one error shape, for our failures and the framework's own. */
import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RelayError } from '../errors.ts'
import type { ErrorCode } from '../../schemas/errors.ts'
import { jsonHeaders, unkeptJson } from './headers.ts'

/** Headers of every refusal, besides its own id. */
const refusalHeaders = { ...jsonHeaders, ...unkeptJson } as const

/** Methods of each path, to tell an unknown route from a wrong method. */
export interface RouteTable { methodsOf (path: string): readonly string[] }

type Refusal = readonly [ErrorCode, string]

const tooLarge: Refusal = ['BODY_TOO_LARGE', 'body: is larger than the relay takes (256 KB).']
const notJson: Refusal = ['INVALID_JSON', 'body: must be valid JSON.']

/** The framework's error codes, and what they are in our words. */
const framework: Readonly<Record<string, Refusal>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_TYPE', 'content-type: must be application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: tooLarge,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['INVALID_JSON', 'body: its length is not what content-length says.'],
  FST_ERR_CTP_INVALID_JSON_BODY: notJson,
  FST_ERR_CTP_EMPTY_JSON_BODY: notJson,
  FST_ERR_BAD_URL: ['INVALID_INPUT', 'path: must be validly percent-encoded.'],
  FST_ERR_MAX_PARAM_LENGTH: ['URL_TOO_LONG', 'path: its last part is too long.']
}

/** Any thrown thing as one of our errors; what we do not know is INTERNAL and keeps its secrets. */
function asRelayError (error: unknown): RelayError {
  if (error instanceof RelayError) return error
  const { code, statusCode } = error as Partial<FastifyError>
  const known = code !== undefined && Object.hasOwn(framework, code) ? framework[code] : undefined
  const [ours, sentence] = known ?? (statusCode === 413 ? tooLarge : statusCode === 400 ? notJson : ['INTERNAL', 'The relay failed; the log has the details.'])
  return new RelayError(ours, sentence, { cause: error })
}

export function sendError (error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = asRelayError(error)
  request.failure = failure.code
  if (failure.code === 'INTERNAL') request.server.log.error({ reqId: request.id, err: failure.cause }, 'bug')
  else if (failure.statusCode >= 500) request.server.log.debug({ reqId: request.id, err: failure }, 'failed')
  if (failure.retryAfter !== undefined) void reply.header('retry-after', String(failure.retryAfter))
  // What is left of a refused body would be waited for, and its lateness answered a second time.
  if (hasBody(request.raw) && !request.raw.complete) void reply.header('connection', 'close')
  // All headers here: an address that cannot be decoded fails before any hook could set them.
  void reply.code(failure.statusCode)
    .headers({ ...refusalHeaders, 'x-request-id': request.id })
    .send(JSON.stringify(failure.toBody()))
}

/** Whether a request announces a body. */
export function hasBody ({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

export function handleErrors (app: FastifyInstance, table: RouteTable): void {
  app.setErrorHandler(sendError)
  app.setNotFoundHandler((request, reply) => { sendError(routeError(request, reply), request, reply) })
  // Before the body is read: what is wrong with it does not matter on a path that takes none.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.is404) done(routeError(request, reply))
    else done(null, payload)
  })

  function routeError ({ url }: FastifyRequest, reply: FastifyReply): RelayError {
    const methods = table.methodsOf(url.split('?', 1)[0] ?? '')
    if (methods.length === 0) return new RelayError('ROUTE_NOT_FOUND', 'There is no such route. Paths are case-sensitive; /docs lists them all where it is switched on.')
    void reply.header('allow', methods.join(', '))
    return new RelayError('METHOD_NOT_ALLOWED', `This path answers ${methods.join(' and ')} only.`)
  }
}

/** What the HTTP parser refuses gets the same shape over the bare socket. */
export function refuseOnSocket (this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  endWith(this.log, socket, error.code === 'HPE_HEADER_OVERFLOW'
    ? new RelayError('HEADERS_TOO_LARGE', 'The request line or headers are larger than the relay takes (16 KB).')
    : new RelayError('INVALID_INPUT', error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'The request did not arrive in time.' : 'The request is not valid HTTP.'))
}

/** How long a refused client may take to read the answer and close. Milliseconds. */
const grace = 1000

/** The last answer on a connection. What still arrives is dropped, and a client that does not close is cut off. */
export function endWith (log: FastifyBaseLogger, socket: Socket, failure: RelayError): void {
  // A request refused by its head may break off in its body: it has its answer.
  const answered = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent === true
  if (answered || !socket.writable) return
  const body = JSON.stringify(failure.toBody())
  const headers = { ...refusalHeaders, 'x-request-id': randomUUID(), 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${failure.statusCode} ${STATUS_CODES[failure.statusCode]}\r\n${lines}\r\n${body}`)
  const cut = setTimeout(() => { socket.destroy() }, grace)
  socket.once('close', () => { clearTimeout(cut) })
  log.info({ reqId: headers['x-request-id'], method: null, route: null, status: failure.statusCode, cookie_source: 'none' }, 'request')
}
