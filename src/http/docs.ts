/** The OpenAPI document from the registered routes, and Swagger UI over it. Loaded only when asked for. */
import type { FastifyInstance } from 'fastify'
import { documentFrame } from '../openapi.ts'
import type { Settings } from '../config.ts'

/** Collects the schemas of all routes registered after it. */
export async function collectDocument (app: FastifyInstance, version: string, settings: Settings): Promise<void> {
  const { default: swagger } = await import('@fastify/swagger')
  await app.register(swagger, documentFrame(version, settings))
}

/** The page under /docs: everything from this host, over plain http too. */
export async function addDocsPage (app: FastifyInstance): Promise<void> {
  const { default: ui } = await import('@fastify/swagger-ui')
  await app.register(ui, {
    routePrefix: '/docs',
    uiConfig: { validatorUrl: null, persistAuthorization: false, docExpansion: 'list' },
    staticCSP: true,
    // The default would turn every address into https (a blank page on plain http) and allow an outside validator.
    transformStaticCSP: (csp) => csp
      .replace(/ *upgrade-insecure-requests;?/, '')
      .replaceAll(/ ?https?:\/\/validator\.swagger\.io|validator\.swagger\.io/g, '')
      .replace(/style-src [^;]*/, "style-src 'self' 'unsafe-inline'")
  })
}
