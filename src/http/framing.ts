/**
 * Requests that Node's strict parser lets through although a proxy in front might read them in another way: one 400,
 * and the connection ends, so that nothing hidden behind them is ever worked on or answered.
 */
import type { FastifyInstance } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { InvalidInput, RelayError } from '../errors.ts'
import { endWith, hasBody } from './errors.ts'

export function checkFraming (app: FastifyInstance): void {
  /** Connections that have had their last answer. */
  const ended = new WeakSet<Socket>()

  // Neither comes as far as a hook. (`Expect: 100-continue` is answered by Node itself.)
  app.server.on('connect', (_request, socket) => { endWith(app.log, socket as Socket, new InvalidInput('CONNECT: this relay is no proxy.')) })
  app.server.on('checkExpectation', ({ socket }) => {
    ended.add(socket)
    endWith(app.log, socket, new RelayError('EXPECTATION_FAILED', 'expect: only 100-continue is known.'))
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    if (ended.has(socket)) {
      reply.hijack()
      return
    }
    const wrong = malformed(request.raw)
    // A body where none is read: its rest must not be taken for the next request, nor waited for.
    if (wrong !== undefined || (request.method !== 'POST' && hasBody(request.raw))) {
      ended.add(socket)
      void reply.header('connection', 'close')
    }
    if (wrong === undefined) done()
    else done(new InvalidInput(wrong))
  })
}

function malformed ({ url, headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'host: this header is required, once.'
  // `OPTIONS *` asks about the server as a whole.
  if (url?.startsWith('/') !== true && url !== '*') return 'path: must begin with "/"; this relay is no proxy.'
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'transfer-encoding: only chunked is known.'
  return undefined
}
