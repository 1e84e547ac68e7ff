/**
 * Validation of query, path and body. The framework validates each request with the schema of its route, before the
 * handler. It uses the validator of the library (core/validate.ts), so that both accept the same input and give the
 * same messages.
 */
import type { TObject } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { InvalidInput } from '../common/errors.ts'
import type { AnyEndpoint } from '../relay/endpoint.ts'
import type { RawInput } from '../relay/validate.ts'
import { jsonNull } from './bodies.ts'
import { addWarning } from './headers.ts'
import { nearest, shownName, warningOf } from './unknownNames.ts'

/** What is left out of a comparison of names: they are read elsewhere. */
const readElsewhere = (
  { songs }: AnyEndpoint,
  cookieParamName: string
): readonly string[] => [cookieParamName, ...songs === undefined ? [] : ['format']]

/** Number of names that are compared with a missing one. */
const mostNames = 20

type Validated = { readonly value: unknown } | { readonly error: Error }

const plugin: FastifyPluginAsync = async (app) => {
  const { validator: { fromText, fromValues }, settings: { cookieParamName } } = app.runtime

  const knownOf = new Map<AnyEndpoint, readonly string[]>()
  app.addHook('onRoute', ({ config }) => {
    const endpoint = config?.operation?.endpoint
    if (endpoint === undefined) return
    knownOf.set(endpoint, [...Object.keys(endpoint.input.properties), ...readElsewhere(endpoint, cookieParamName)])
  })

  // Before the handler, so that cached answers and refusals have the warning, too.
  app.addHook('preValidation', (request, reply, done) => {
    const { operation } = request.routeOptions.config
    if (operation === undefined) return done()
    const { endpoint } = operation
    const known = knownOf.get(endpoint) ?? []
    const isPost = endpoint.method === 'POST'
    const warning = warningOf(
      request.query as object,
      isPost ? [cookieParamName] : known,
      isPost ? `${endpoint.path} reads its JSON body` : undefined
    )
    if (warning !== undefined) addWarning(reply, warning)
    const { body } = request
    const ofBody = isPost && typeof body === 'object' && body !== null && !Array.isArray(body) ? warningOf(body, known)
      : undefined
    if (ofBody !== undefined) addWarning(reply, ofBody)
    done()
  })

  app.setValidatorCompiler<TObject>(({ schema, httpPart }) => {
    // A path parameter is merged into the query and validated there.
    if (httpPart === 'params') return (params: unknown): Validated => ({ value: params })
    // The framework passes null for an absent body.
    if (httpPart === 'body') {
      return (body: unknown): Validated =>
        validated(() => fromValues(schema, body === jsonNull ? null : body ?? {}), body)
    }
    /** Results by query object. The query parser returns the same object for a cached text, so it is validated once. */
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

export const validation = fp(plugin, {
  name: 'validation',
  fastify: '5.x',
  dependencies: ['headers', 'errors', 'bodies'],
  decorators: { fastify: ['runtime'] }
})
