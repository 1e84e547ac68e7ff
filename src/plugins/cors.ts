/** CORS: preflights, and the headers for pages of other origins. */
import fastifyCors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { readableHeaders } from './headers.ts'

/** Request headers that scripts of other origins may set: those that the relay reads, and related ones. */
const allowedHeaders = ['Accept', 'Authorization', 'Cache-Control', 'Content-Type', 'If-None-Match', 'If-Range', 'Pragma', 'Range', 'X-Custom-Cookie']

const common: FastifyCorsOptions = { strictPreflight: false, methods: ['GET', 'HEAD', 'POST'], allowedHeaders, exposedHeaders: readableHeaders, maxAge: 600 }

/** Any page may read public answers. Credentials are allowed only for the origins of `corsOrigins`. */
const plugin: FastifyPluginAsync = async (app) => {
  const listed = app.runtime.settings.corsOrigins
  if (listed.length > 0) {
    await app.register(fastifyCors, {
      ...common,
      delegator: (request, callback) => {
        const known = listed.includes(request.headers.origin ?? '')
        callback(null, { ...common, origin: known ? [...listed] : '*', credentials: known })
      }
    })
    return
  }
  // Without listed origins, headers.ts sets a constant header, and the library handles only preflights. Its hook costs a tenth of
  // a cache hit.
  await app.register(async (preflights) => { await preflights.register(fastifyCors, { ...common, origin: '*' }) })
}

export const cors = fp(plugin, { name: 'cors', fastify: '5.x', dependencies: ['headers', 'errors'], decorators: { fastify: ['runtime'] } })
