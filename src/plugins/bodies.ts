/**
 * Parses request bodies: uncompressed JSON. An empty body is an empty object. Keys that would pollute prototypes are
 * refused.
 */
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import sjson from 'secure-json-parse'
import { RelayError } from '../common/errors.ts'

/** Stands for a body that is JSON `null`: the framework passes null for an absent body. The validator refuses it. */
export const jsonNull = Symbol('JSON null')

const plugin: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    try {
      if (request.headers['content-encoding'] !== undefined) throw new RelayError('UNSUPPORTED_TYPE', 'content-encoding: bodies are not compressed.')
      const body: unknown = text === '' ? {} : sjson.parse(text as string, undefined, { protoAction: 'error', constructorAction: 'error' })
      done(null, body === null ? jsonNull : body)
    } catch (error) {
      done(error instanceof RelayError ? error : new RelayError('INVALID_JSON', 'body: must be valid JSON.', { cause: error }))
    }
  })
}

export const bodies = fp(plugin, { name: 'bodies', fastify: '5.x' })
