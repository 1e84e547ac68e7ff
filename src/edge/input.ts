/**
 * The input of a request: bodies are parsed, and query, path and body are validated with the schema of the route before
 * the handler. The validator is that of the library: both accept the same input and give the same messages.
 */
import type { TObject } from '@sinclair/typebox'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyPluginAsync, preParsingHookHandler, preValidationHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import sjson from 'secure-json-parse'
import { InvalidInput, RelayError } from '../common/errors.ts'
import type { Client } from '../common/ledger.ts'
import type { RawInput } from '../relay/validate.ts'
import { addWarning } from './headers.ts'
import { nearest, shownName, warningOf } from './unknownNames.ts'

const plugin: FastifyPluginAsync = async (app) => {
  parseBodies(app)
  validateInput(app)
}

// Bodies: uncompressed JSON.

/**
 * Represents a body that is JSON `null`, because the framework passes null for an absent body. The validator refuses
 * it.
 */
const jsonNull = Symbol('JSON null')

/**
 * An empty body is an empty object. Keys that would pollute prototypes are refused. A body's bytes are charged to its
 * client from its headers until its answer has ended.
 */
function parseBodies (app: FastifyInstance): void {
  const { ledger: { bodyBytes } } = app.runtime
  /** Requests with bodies in progress, in the order of their arrival. */
  const underWay = new Set<{ readonly client: Client | undefined, readonly socket: Socket, readonly end: () => void }>()

  /** Ends the oldest body of the client with the most bytes in progress. Returns false if there is none. */
  function giveWay (): boolean {
    const address = bodyBytes.largest()
    for (const { client, socket, end } of underWay) {
      if (client?.[0] !== address) continue
      end()
      socket.destroy()
      return true
    }
    return false
  }

  // No other method has a body.
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().includes('POST')) route.preParsing = [charge, ...[route.preParsing ?? []].flat()]
  })

  const charge: preParsingHookHandler = (request, reply, _payload, done) => {
    const { 'content-length': length, 'transfer-encoding': chunked } = request.headers
    // A body of unknown length is charged with the framework's limit.
    const bytes = chunked === undefined ? Number(length ?? 0) : request.routeOptions.bodyLimit
    if (bytes === 0 || bytes > request.routeOptions.bodyLimit) return done()
    const { caller: { client }, raw: { socket } } = request
    while (
      bodyBytes.isFull(undefined, bytes) && !bodyBytes.isOverdrawn(client, bytes) && client?.[0] !== bodyBytes.largest()
      && giveWay()
    ) { /* one at a time */ }
    if (!bodyBytes.take(client, bytes)) {
      return done(
        new RelayError('OVERLOADED', 'Too many bytes of request bodies are in progress; try again in 1 s.', { retryAfter: 1 })
      )
    }
    const entry = {
      client,
      socket,
      end () { if (underWay.delete(entry)) bodyBytes.give(client, bytes) }
    }
    underWay.add(entry)
    reply.raw.once('close', entry.end)
    // The client may have left while it was counted in the shared store. There is no further close event.
    if (reply.raw.destroyed) entry.end()
    done()
  }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    try {
      if (request.headers['content-encoding'] !== undefined) throw new RelayError('UNSUPPORTED_TYPE', 'content-encoding: bodies are not compressed.')
      const body: unknown = text === '' ? {}
        : sjson.parse(text as string, undefined, { protoAction: 'error', constructorAction: 'error' })
      done(null, body === null ? jsonNull : body)
    } catch (error) {
      done(error instanceof RelayError ? error
        : new RelayError('INVALID_JSON', 'body: must be valid JSON.', { cause: error }))
    }
  })
}

// Validation.

/** Number of names that are compared with a missing one. */
const mostNames = 20

type Validated = { readonly value: unknown } | { readonly error: Error }

function validateInput (app: FastifyInstance): void {
  const { validator: { fromText, fromValues }, settings: { cookieParamName } } = app.runtime

  app.addHook('onRoute', (route) => {
    const endpoint = route.config?.operation?.endpoint
    if (endpoint === undefined) return
    // The last two are read elsewhere.
    const known = [
      ...Object.keys(endpoint.input.properties),
      cookieParamName,
      ...endpoint.songs === undefined ? [] : ['format']
    ]
    const isPost = endpoint.method === 'POST'
    /** Warnings by query object: the query parser returns the same object for a cached text. */
    const warnings = new WeakMap<object, string | undefined>()
    // Before the handler, so that cached answers and refusals have the warning, too.
    const warn: preValidationHookHandler = (request, reply, done) => {
      const { body } = request
      const query = request.query as object
      if (!warnings.has(query)) {
        const instead = isPost ? `${endpoint.path} reads its JSON body` : undefined
        warnings.set(query, warningOf(query, isPost ? [cookieParamName] : known, instead))
      }
      const warning = warnings.get(query)
      if (warning !== undefined) addWarning(reply, warning)
      const ofBody = isPost && typeof body === 'object' && body !== null && !Array.isArray(body)
        ? warningOf(body, known) : undefined
      if (ofBody !== undefined) addWarning(reply, ofBody)
      done()
    }
    route.preValidation = [warn, ...[route.preValidation ?? []].flat()]
  })

  app.setValidatorCompiler<TObject>(({ schema, httpPart }) => {
    // A path parameter is merged into the query and validated there.
    if (httpPart === 'params') return (params: unknown): Validated => ({ value: params })
    // The framework passes null for an absent body.
    if (httpPart === 'body') {
      return (body: unknown): Validated =>
        validated(() => fromValues(schema, body === jsonNull ? null : body ?? {}), body)
    }
    const known = new WeakMap<object, Validated>()
    return (query: RawInput): Validated => {
      const before = known.get(query)
      if (before !== undefined) return before
      const result = validated(() => Object.freeze(fromText(schema, query)), query)
      if ('value' in result) known.set(query, result)
      return result
    }
  })
  // Response schemas are only for the document. They do not change responses.
  app.setSerializerCompiler(() => JSON.stringify)
}

/**
 * Returns an InvalidInput instead of throwing it, because the framework treats a thrown error as a server error. If a
 * required field is missing, the message names the given one that was probably meant.
 */
function validated (validate: () => unknown, given: unknown): Validated {
  try {
    return { value: validate() }
  } catch (error) {
    if (error instanceof InvalidInput) {
      const [, missing] = error.kind === 'missing' ? /^(\w+): /.exec(error.message) ?? [] : []
      const meant = missing === undefined || typeof given !== 'object' || given === null
        ? undefined
        : Object.keys(given).slice(0, mostNames).find((name) =>
          name !== missing && shownName(name) !== undefined && nearest(name, [missing]) !== undefined
        )
      return { error: meant === undefined ? error : new InvalidInput(`${error.message} ${meant} is not its name.`, 'missing') }
    }
    throw error
  }
}

export const input = fp(plugin, { name: 'input', dependencies: ['headers', 'refusals', 'callers'] })
