/**
 * Pictures, songs, films and scan pages of the demo on the relay's own port. The demo upstream listens on loopback and
 * on a random port: another machine, or one in front of a container, reaches the relay's port only.
 */
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { mediaPaths, type DemoUpstream } from '../demo/upstream.ts'
import { publicOriginOf } from '../edge/paths.ts'

const plugin: FastifyPluginAsync<{ readonly demo: Pick<DemoUpstream, 'origin' | 'page'> }> = async (app, { demo }) => {
  for (const path of mediaPaths) {
    app.route({
      method: path === '/scan' ? ['GET', 'POST'] : 'GET',
      url: `${path}/*`,
      config: { open: true, cost: 'copy' },
      onRequest: (request, reply) => {
        reply.hijack()
        // The demo's pages have styles and forms, which the policy of an answer forbids. Hosts of files and pictures
        // send no headers for pages of other origins, as those of the provider.
        for (const [name, value] of Object.entries(reply.getHeaders())) {
          if (!/^(?:content-security-policy|access-control-)/.test(name) && value !== undefined) {
            reply.raw.setHeader(name, value)
          }
        }
        demo.page(request.raw, reply.raw)
      },
      handler: () => {}
    })
  }
  // Cached answers are rewritten at each request: all hosts share them. Their ETag belongs to an address with a host.
  app.addHook('onSend', (request, reply, payload, done) => {
    const location = reply.getHeader('location')
    const moved = typeof location === 'string' && location.startsWith(demo.origin)
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
    const named = isText && payload.includes(demo.origin)
    const own = moved || named ? publicOriginOf(request) : undefined
    if (own === undefined) return done(null, payload)
    if (moved) void reply.header('location', location.replace(demo.origin, own))
    done(null, named ? payload.toString().replaceAll(demo.origin, own) : payload)
  })
}

export const demoMedia = fp(plugin, { name: 'demo-media', dependencies: ['headers', 'routes'] })
