/**
 * Decides which request of a connection is the last. This prevents request smuggling: Node's strict parser accepts some
 * requests that a proxy might read differently. They get one 400 and the connection ends, so that no request hidden
 * behind them is processed or answered. A connection also ends after a number of requests.
 */
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { connectionLimits } from './connections.ts'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { InvalidInput, RelayError } from '../common/errors.ts'
import { hasBody } from './errors.ts'
import { closeGently, endConnection } from './lastAnswer.ts'

const plugin: FastifyPluginAsync = async (app) => {
  const { maxRequestsPerConnection } = { ...connectionLimits, ...app.runtime.tuning }
  /** Number of requests of each connection. */
  const counts = new WeakMap<Socket, number>()
  /** Connections whose last answer was sent. */
  const ended = new WeakSet<Socket>()

  // No hook runs for these two events. (Node itself answers `Expect: 100-continue`.)
  app.server.on('connect', (_request, socket) => {
    // Node has removed its own listener. Without one, a client that resets this connection would end the process.
    socket.on('error', () => {})
    endConnection(app.log, socket as Socket, new InvalidInput('CONNECT: this relay is no proxy.'))
  })
  app.server.on('checkExpectation', ({ socket }) => {
    ended.add(socket)
    endConnection(app.log, socket, new RelayError('EXPECTATION_FAILED', 'expect: only 100-continue is known.'))
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const count = (counts.get(socket) ?? 0) + 1
    counts.set(socket, count)
    if (ended.has(socket)) {
      reply.hijack()
      return
    }
    const wrong = malformed(request.originalUrl, request.raw)
    // Only POST bodies are read. For other methods the connection ends, so that the body is neither awaited nor read as
    // the next request. (Node's own limit of requests would answer later ones with a bare 503.)
    if (
      wrong !== undefined || count >= maxRequestsPerConnection || (request.method !== 'POST' && hasBody(request.raw))
    ) {
      ended.add(socket)
      closeGently(socket)
      void reply.header('connection', 'close')
    }
    if (wrong === undefined) done()
    else done(new InvalidInput(wrong))
  })
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

export const framing = fp(plugin, {
  name: 'framing',
  fastify: '5.x',
  dependencies: ['headers', 'logging'],
  decorators: { fastify: ['runtime'] }
})
