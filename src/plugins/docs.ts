/**
 * Swagger UI for the application's own OpenAPI document. It is loaded at the first request: registered with the other
 * routes, it would cost every start 50 ms of CPU (2026-11, a sixth of the start).
 */
import module from 'node:module'
import swagger from '@fastify/swagger'
import type { StaticDocumentSpec } from '@fastify/swagger'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

type SwaggerUi = typeof import('@fastify/swagger-ui').default

/**
 * Serves the page under /docs, and the document as /docs/json and /docs/yaml. All files come from this host, over
 * plain http too.
 */
const plugin: FastifyPluginAsync = async (app) => {
  let files: Promise<FastifyInstance> | undefined

  async function show (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    files ??= filesOf(app).catch((error: unknown) => { files = undefined; throw error })
    const { statusCode, headers, rawPayload } = await (await files).inject({ method: 'GET', url: request.url, headers: conditionsOf(request) })
    // What its server refuses, such as a path out of its folder, is no file either. Its words are not in our shape.
    if (statusCode >= 400) {
      reply.callNotFound()
      return reply
    }
    // The inner server does not know the real connection. Its keep-alive header would leave a closing connection hanging.
    delete headers.connection
    return await reply.code(statusCode).headers(headers).send(rawPayload.length === 0 ? undefined : rawPayload)
  }
  app.get('/docs', show)
  app.get('/docs/*', show)
  app.addHook('onClose', async () => { await (await files)?.close() })
}

/**
 * Hash of the one inline style that the page's script adds. After an upgrade of Swagger UI, the browser's console
 * shows the new hash.
 */
const ownStyle = 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='

/**
 * Loads nothing from other hosts, and forbids framing. The library's own policy upgrades URLs to https (a blank page
 * on plain http) and allows an external validator.
 */
const policy = [
  "default-src 'none'", "script-src 'self'", `style-src 'self' '${ownStyle}'`, "img-src 'self' data:", "font-src 'self' data:", "connect-src 'self'",
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
].join('; ')

/** The request headers that decide whether the browser already has the file. */
function conditionsOf ({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(['if-none-match', 'if-modified-since'].flatMap((name) => typeof headers[name] === 'string' ? [[name, headers[name]]] : []))
}

/** Returns an inner server with the files of Swagger UI and the application's document. */
async function filesOf (app: FastifyInstance): Promise<FastifyInstance> {
  // Not `import()`, which remembers a failure for ever, such as too many open files.
  const ui = module.createRequire(import.meta.url)('@fastify/swagger-ui') as SwaggerUi
  const server = Fastify()
  await server.register(swagger, { mode: 'static', specification: { document: app.swagger() as StaticDocumentSpec['document'] } })
  await server.register(ui, {
    routePrefix: '/docs',
    // Links are relative, because a proxy may serve the relay under a path prefix.
    indexPrefix: '.',
    uiConfig: { validatorUrl: null, persistAuthorization: false, docExpansion: 'list' },
    staticCSP: policy
  })
  return server
}

export const docs = fp(plugin, { name: 'docs', fastify: '5.x', dependencies: ['headers', 'errors', 'openapi'] })
