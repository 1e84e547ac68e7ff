/** Sends all errors in one shape: ours, those of the framework and those of the HTTP parser. */
import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RelayError } from '../common/errors.ts'
import type { ErrorCode } from '../../schemas/errors.ts'
import { privateJson, standardHeaders } from './headers.ts'

/** Headers of every error response, besides its request id. */
const refusalHeaders = { ...standardHeaders, ...privateJson } as const

type Refusal = readonly [ErrorCode, string]

const tooLarge: Refusal = ['BODY_TOO_LARGE', 'body: is larger than the relay takes (256 KB).']
const notJson: Refusal = ['INVALID_JSON', 'body: must be valid JSON.']

/** Error codes of the framework, with our code and message. */
const framework: Readonly<Record<string, Refusal>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_TYPE', 'content-type: must be application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: tooLarge,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['INVALID_JSON', 'body: its length is not what content-length says.'],
  FST_ERR_CTP_INVALID_JSON_BODY: notJson,
  FST_ERR_CTP_EMPTY_JSON_BODY: notJson,
  FST_ERR_BAD_URL: ['INVALID_INPUT', 'path: must be validly percent-encoded.'],
  FST_ERR_MAX_PARAM_LENGTH: ['URL_TOO_LONG', 'path: its last part is too long.']
}

/** Converts anything thrown to a RelayError. An unknown error becomes INTERNAL, without its message. */
function asRelayError (error: unknown): RelayError {
  if (error instanceof RelayError) return error
  const { code, statusCode } = error as Partial<FastifyError>
  const known = code !== undefined && Object.hasOwn(framework, code) ? framework[code] : undefined
  const [ours, sentence] = known ?? (statusCode === 413 ? tooLarge : statusCode === 400 ? notJson : ['INTERNAL', 'The relay failed; the log has the details.'])
  return new RelayError(ours, sentence, { cause: error })
}

/** Logs an error and sends it with all headers of an error response. */
export function sendError (error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = asRelayError(error)
  request.failure = failure.code
  if (failure.code === 'INTERNAL') request.server.log.error({ reqId: request.id, err: failure.cause }, 'bug')
  else if (failure.statusCode >= 500) request.server.log.debug({ reqId: request.id, err: failure }, 'failed')
  if (failure.retryAfter !== undefined) void reply.header('retry-after', String(failure.retryAfter))
  // Otherwise the server would wait for the rest of a refused body, and answer its timeout a second time.
  if (hasBody(request.raw) && !request.raw.complete) void reply.header('connection', 'close')
  // All headers are set here, because a URL that cannot be decoded fails before any hook runs.
  void reply.code(failure.statusCode)
    .headers({ ...refusalHeaders, 'x-request-id': request.id })
    .send(JSON.stringify(failure.toBody()))
}

/** Returns whether a request announces a body. */
export function hasBody ({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

const plugin: FastifyPluginAsync = async (app) => {
  const methodsOf = collectMethods(app)
  app.setErrorHandler(sendError)
  app.setNotFoundHandler((request, reply) => { sendError(routeError(request, reply), request, reply) })
  // Before the body is read: on an unknown path, an error in the body does not matter.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.is404) done(routeError(request, reply))
    else done(null, payload)
  })

  function routeError ({ url }: FastifyRequest, reply: FastifyReply): RelayError {
    const methods = methodsOf(url.split('?', 1)[0] ?? '')
    if (methods.length === 0) return new RelayError('ROUTE_NOT_FOUND', 'There is no such route. Paths are case-sensitive; /docs lists them all where it is switched on.')
    void reply.header('allow', methods.join(', '))
    return new RelayError('METHOD_NOT_ALLOWED', `This path answers ${methods.join(' and ')} only.`)
  }
}

/**
 * Collects the methods of each path, to distinguish an unknown route from a wrong method. A path parameter matches any
 * last segment.
 */
function collectMethods (app: FastifyInstance): (path: string) => readonly string[] {
  const exact = new Map<string, string[]>()
  const prefixes = new Map<string, string[]>()
  app.addHook('onRoute', ({ url, method }) => {
    // Preflights match any path. Under /docs, a wrong method is an unknown route.
    if (url.includes('*') || url === '/docs') return
    const at = url.indexOf('/:')
    const [table, path] = at === -1 ? [exact, url] as const : [prefixes, url.slice(0, at)] as const
    table.set(path, [...table.get(path) ?? [], ...[method].flat()])
  })
  return (path) => exact.get(path) ?? prefixes.get(/^(.+)\/[^/]*$/.exec(path)?.[1] ?? '') ?? []
}

/** Answers a request that the HTTP parser refused, with the same error shape, on the socket. */
export function refuseOnSocket (this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  endConnection(this.log, socket, error.code === 'HPE_HEADER_OVERFLOW'
    ? new RelayError('HEADERS_TOO_LARGE', 'The request line or headers are larger than the relay takes (16 KB).')
    : new RelayError('INVALID_INPUT', error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'The request did not arrive in time.' : 'The request is not valid HTTP.'))
}

/** Time for a refused client to read the answer and close, in milliseconds. */
const grace = 1000

/**
 * Sends the last answer on a connection. Further data is dropped, and a client that does not close is disconnected
 * after a second.
 */
export function endConnection (log: FastifyBaseLogger, socket: Socket, failure: RelayError): void {
  // The request may already have its answer: refused by its headers, it then failed in its body.
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

export const errors = fp(plugin, { name: 'errors', fastify: '5.x', dependencies: ['headers', 'logging'] })
