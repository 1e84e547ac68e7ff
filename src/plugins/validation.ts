/**
 * Validation of query, path and body. The framework validates each request with the schema of its route, before the handler.
 * It uses the validator of the library (core/validate.ts), so that both accept the same input and give the same messages.
 */
import type { TObject } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { InvalidInput } from '../common/errors.ts'
import type { RawInput } from '../core/validate.ts'
import { jsonNull } from './bodies.ts'

type Validated = { readonly value: unknown } | { readonly error: Error }

const plugin: FastifyPluginAsync = async (app) => {
  const { fromText, fromValues } = app.runtime.validator

  app.setValidatorCompiler<TObject>(({ schema, httpPart }) => {
    // A path parameter is merged into the query and validated there.
    if (httpPart === 'params') return (params: unknown): Validated => ({ value: params })
    // The framework passes null for an absent body.
    if (httpPart === 'body') return (body: unknown): Validated => validated(() => fromValues(schema, body === jsonNull ? null : body ?? {}))
    /** Results by query object. The query parser returns the same object for a cached text, so it is validated once. */
    const known = new WeakMap<object, Validated>()
    return (query: RawInput): Validated => {
      const before = known.get(query)
      if (before !== undefined) return before
      const result = validated(() => Object.freeze(fromText(schema, query)))
      if ('value' in result) known.set(query, result)
      return result
    }
  })
  // Response schemas are only for the document. They do not change responses.
  app.setSerializerCompiler(() => JSON.stringify)
}

/** Returns an InvalidInput instead of throwing it, because the framework treats a thrown error as a server error. */
function validated (validate: () => unknown): Validated {
  try {
    return { value: validate() }
  } catch (error) {
    if (error instanceof InvalidInput) return { error }
    throw error
  }
}

export const validation = fp(plugin, { name: 'validation', fastify: '5.x', dependencies: ['errors', 'bodies'], decorators: { fastify: ['runtime'] } })
