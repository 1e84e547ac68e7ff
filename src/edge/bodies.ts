/**
 * Parses request bodies: uncompressed JSON. An empty body is an empty object. Keys that would pollute prototypes are
 * refused. A body's bytes are charged to its client from its headers until its answer has ended.
 */
import type { Socket } from 'node:net'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import sjson from 'secure-json-parse'
import { RelayError } from '../common/errors.ts'
import type { Client } from '../common/ledger.ts'

/**
 * Represents a body that is JSON `null`, because the framework passes null for an absent body. The validator refuses
 * it.
 */
export const jsonNull = Symbol('JSON null')

const plugin: FastifyPluginAsync = async (app) => {
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

  app.addHook('preParsing', (request, reply, _payload, done) => {
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
    done()
  })
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

export const bodies = fp(plugin, {
  name: 'bodies',
  fastify: '5.x',
  dependencies: ['errors', 'callers'],
  decorators: { fastify: ['runtime'] }
})
