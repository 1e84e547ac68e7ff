/**
 * Pictures, songs, films and scan pages of the demo on the relay's own port. The demo upstream listens on loopback and on
 * a random port: another machine, or one in front of a container, reaches the relay's port only.
 */
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { mediaPaths } from '../demo/upstream.ts'
import type { DemoUpstream } from '../demo/upstream.ts'

/** A Host header that is an origin's host and no more: what goes into an answer is not the client's to choose. */
const wellFormed = /^(?:[\w.-]+|\[[\dA-Fa-f:.]+\])(?::\d{1,5})?$/

const plugin: FastifyPluginAsync<{ readonly demo: Pick<DemoUpstream, 'origin' | 'page'> }> = async (app, { demo }) => {
  for (const path of mediaPaths) {
    app.route({
      method: path === '/scan' ? ['GET', 'POST'] : 'GET',
      url: `${path}/*`,
      config: { open: true },
      schema: { hide: true },
      onRequest: (request, reply) => {
        reply.hijack()
        // The demo's pages have styles and forms, which the policy of an answer forbids.
        for (const [name, value] of Object.entries(reply.getHeaders())) if (name !== 'content-security-policy' && value !== undefined) reply.raw.setHeader(name, value)
        demo.page(request.raw, reply.raw)
      },
      handler: () => {}
    })
  }
  // Cached answers are rewritten at each request, so that all hosts share them. Their ETag stays: it belongs to an
  // address, and the address has the host.
  app.addHook('onSend', (request, _reply, payload, done) => {
    const { host = '' } = request.headers
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isText || !payload.includes(demo.origin) || !wellFormed.test(host)) return done(null, payload)
    done(null, payload.toString().replaceAll(demo.origin, `${request.protocol}://${host}`))
  })
}

export const demoMedia = fp(plugin, { name: 'demo-media', fastify: '5.x', dependencies: ['headers', 'endpoints'] })
