/** Sends all errors in one format: those of the relay, the framework and the HTTP parser. */
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { IncomingMessage } from 'node:http'
import { InvalidInput, RelayError } from '../common/errors.ts'
import { isOutOfFiles } from '../common/fileAccess.ts'
import type { ErrorCode } from '../../schemas/errors.ts'
import { privateJson, standardHeaders } from './headers.ts'
import { asksForPage, type MissingPage, type Proposal } from './files.ts'
import { collectRoutes, pathOf, refusedPath } from './paths.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the reason why a request has no route. Sets `Allow` if its path has routes for other methods. */
    routeError (request: FastifyRequest, reply: FastifyReply): RelayError
  }
}

/** Headers of every error response, except its request id. */
export const refusalHeaders = { ...standardHeaders, ...privateJson } as const

/** Code and message of a refusal. */
export type Refusal = readonly [ErrorCode, string]

/** No route has this path. `proposal`: the route that was probably meant. */
class RouteNotFound extends RelayError {
  readonly proposal: Proposal | undefined

  constructor (proposal: Proposal | undefined) {
    const meant = proposal === undefined ? '' : ` ${proposal.sentence}`
    super('ROUTE_NOT_FOUND', `There is no such route.${meant} Paths do not end with a slash; /docs lists them all where it is switched on.`)
    this.name = 'RouteNotFound'
    this.proposal = proposal
  }
}

const tooLarge: Refusal = ['BODY_TOO_LARGE', 'body: is larger than the relay takes (256 KB).']
const notJson: Refusal = ['INVALID_JSON', 'body: must be valid JSON.']

/** Error codes of the framework, with the relay's code and message. */
const framework: Readonly<Record<string, Refusal>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_TYPE', 'content-type: must be application/json (curl: -H \'content-type: application/json\').'],
  FST_ERR_CTP_BODY_TOO_LARGE: tooLarge,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['INVALID_JSON', 'body: its length is not what content-length says.'],
  FST_ERR_CTP_INVALID_JSON_BODY: notJson,
  FST_ERR_CTP_EMPTY_JSON_BODY: notJson
}

/** Converts any thrown value to a RelayError. An unknown error becomes INTERNAL, without its message. */
function asRelayError (error: unknown): RelayError {
  if (error instanceof RelayError) return error
  if (isOutOfFiles(error)) {
    return new RelayError('OVERLOADED', 'The relay has too many files open; try again in a moment.', { retryAfter: 1, cause: error })
  }
  const { code, statusCode } = error as Partial<FastifyError>
  const known = code !== undefined && Object.hasOwn(framework, code) ? framework[code] : undefined
  const [ours, sentence] = known
    ?? (statusCode === 413 ? tooLarge
      : statusCode === 400 ? notJson : ['INTERNAL', 'The relay failed; the log has the details.'])
  return new RelayError(ours, sentence, { cause: error })
}

/** Logs an error and sends it with all headers of an error response. */
export function sendError (error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = noteFailure(error, request, reply)
  void reply.code(failure.statusCode).send(JSON.stringify(failure.toBody()))
}

/** Logs an error and sets all headers of an error response. Returns the error to send. */
export function noteFailure (error: unknown, request: FastifyRequest, reply: FastifyReply): RelayError {
  const failure = asRelayError(error)
  request.failure = failure.code
  if (failure.code === 'INTERNAL') {
    const { cause: err, message } = failure
    request.server.log.error({ reqId: request.id, err }, err === undefined ? message : 'bug')
  }
  else if (failure.statusCode >= 500) request.server.log.debug({ reqId: request.id, err: failure }, 'failed')
  if (failure.retryAfter !== undefined) void reply.header('retry-after', String(failure.retryAfter))
  // Without this, the server would wait for the rest of a refused body and send its timeout as a second answer.
  if (hasBody(request.raw) && !request.raw.complete) void reply.header('connection', 'close')
  // All headers are set here, because an error of the framework itself may occur before any hook.
  void reply.headers({ ...refusalHeaders, 'x-request-id': request.id })
  return failure
}

/** Returns whether a request announces a body. */
export function hasBody ({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

export interface RefusalsOptions {
  /** Returns the known path that was probably meant by a path without a route. Undefined for most. */
  readonly suggest: (path: string, known: readonly string[]) => Proposal | undefined
  /** The page for an address without a route. Without it, browsers also get JSON. */
  readonly page: MissingPage | undefined
}

const plugin: FastifyPluginAsync<RefusalsOptions> = async (app, { suggest, page }) => {
  const { methodsOf, paths } = collectRoutes(app)
  const send = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    if (
      page === undefined || !(error instanceof RelayError) || error.code !== 'ROUTE_NOT_FOUND' || !asksForPage(request)
    ) {
      return sendError(error, request, reply)
    }
    const { statusCode } = noteFailure(error, request, reply)
    const { html, headers } = page(
      request.originalUrl,
      error instanceof RouteNotFound ? error.proposal : { sentence: error.message, chinese: '' }
    )
    void reply.code(statusCode).headers(headers).send(html)
  }
  app.setErrorHandler(send)
  app.setNotFoundHandler((request, reply) => { send(routeError(request, reply), request, reply) })
  app.decorate('routeError', routeError)

  function routeError (request: FastifyRequest, reply: FastifyReply): RelayError {
    const { originalUrl, url, method } = request
    const refused = refusedPath(originalUrl)
    if (refused !== undefined) return refused
    // `url` is the URL of the route behind an alias.
    const path = decodeURI(pathOf(url))
    const methods = methodsOf(path)
    if (methods.length === 0 || methods.includes(method)) {
      const proposal = suggest(path, [...paths])
      return proposal?.isInput === true ? new InvalidInput(`${proposal.sentence} ${proposal.chinese}`)
        : new RouteNotFound(proposal)
    }
    void reply.header('allow', [...methods, 'OPTIONS'].join(', '))
    const how = methods.includes('GET') ? 'with parameters in the address' : 'with a JSON body'
    return new RelayError('METHOD_NOT_ALLOWED', `This path answers ${methods.join(' and ')} only, ${how}.`)
  }
}

export const refusals = fp(plugin, { name: 'refusals', dependencies: ['headers', 'log'] })
