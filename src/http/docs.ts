/** The OpenAPI document, and Swagger UI over it. What they need is loaded when somebody first asks: no start waits for it. */
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { components } from '../../schemas/index.ts'
import type { Settings } from '../config.ts'
import type { AnyEndpoint } from '../endpoint.ts'
import { documentFrame, operations } from '../openapi.ts'
import { version } from '../version.ts'

type Endpoints = Readonly<Record<string, AnyEndpoint>>

/** The OpenAPI document (3.0.3) of a relay with these settings. */
export async function documentOf (endpoints: Endpoints, settings: Pick<Settings, 'cookieParamName'>): Promise<object> {
  const server = await described(endpoints, settings)
  await server.ready()
  return server.swagger()
}

/** A server that has the routes with their schemas and nothing behind them: what the document is collected from. */
async function described (endpoints: Endpoints, settings: Pick<Settings, 'cookieParamName'>): Promise<FastifyInstance> {
  const { default: swagger } = await import('@fastify/swagger')
  const server = Fastify({ exposeHeadRoutes: false })
  server.setValidatorCompiler(() => () => true)
  server.setSerializerCompiler(() => JSON.stringify)
  await server.register(swagger, documentFrame(version, settings))
  for (const component of components) server.addSchema(component)
  for (const [name, endpoint] of Object.entries(endpoints)) {
    for (const { path, schema } of operations(name, endpoint, settings)) server.route({ method: endpoint.method, url: path, schema, handler: () => {} })
  }
  return server
}

/** The page under /docs: everything from this host, over plain http too. The document is /docs/json and /docs/yaml. */
export function addDocsPage (app: FastifyInstance, endpoints: Endpoints, settings: Settings): void {
  let pages: Promise<FastifyInstance> | undefined

  async function show (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    pages ??= pagesOf(endpoints, settings).catch((error: unknown) => { pages = undefined; throw error })
    const { statusCode, headers, rawPayload } = await (await pages).inject({ method: 'GET', url: request.url, headers: conditionsOf(request) })
    if (statusCode === 404) {
      reply.callNotFound()
      return reply
    }
    // Of the connection the inner server knows nothing: kept open, one that has had its last answer would hang.
    delete headers.connection
    return await reply.code(statusCode).headers(headers).send(rawPayload.length === 0 ? undefined : rawPayload)
  }
  app.get('/docs', show)
  app.get('/docs/*', show)
  app.addHook('onClose', async () => { await (await pages)?.close() })
}

/** The one style that the page's script writes into it; with another version of the page the browser tells the new one. */
const ownStyle = 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='

/** Nothing from elsewhere, and nobody frames it. Not the page's own: that would turn addresses into https (a blank page on plain http) and allow an outside validator. */
const policy = [
  "default-src 'none'", "script-src 'self'", `style-src 'self' '${ownStyle}'`, "img-src 'self' data:", "font-src 'self' data:", "connect-src 'self'",
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
].join('; ')

/** What decides whether the browser has the file already. */
function conditionsOf ({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(['if-none-match', 'if-modified-since'].flatMap((name) => typeof headers[name] === 'string' ? [[name, headers[name]]] : []))
}

async function pagesOf (endpoints: Endpoints, settings: Settings): Promise<FastifyInstance> {
  const server = await described(endpoints, settings)
  const { default: ui } = await import('@fastify/swagger-ui')
  await server.register(ui, {
    routePrefix: '/docs',
    // Links relative to the page: a proxy may have the relay under a path of its own.
    indexPrefix: '.',
    uiConfig: { validatorUrl: null, persistAuthorization: false, docExpansion: 'list' },
    staticCSP: policy
  })
  return server
}
