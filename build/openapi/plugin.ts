/** Makes the OpenAPI document out of the routes that a relay has registered. */
import swagger from '@fastify/swagger'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { components } from '../../schemas/index.ts'
import { complete, type Document } from './document.ts'
import { buildApp } from '../../src/app.ts'
import type { Operation } from '../../src/openapi/operations.ts'
import { documentFrame, documented } from './operations.ts'
import { version } from '../../src/common/version.ts'

const plugin: FastifyPluginAsync = async (app) => {
  const operations = new Map<string, Operation>()
  await app.register(swagger, {
    ...documentFrame(version, app.runtime.settings),
    // Pages, health checks and metrics have no tag.
    hideUntagged: true,
    transform: ({ schema, url, route }) => {
      const operation = route.config?.operation
      if (operation === undefined) return { schema, url }
      operations.set(operation.schema.operationId as string, operation)
      return { schema: documented(operation), url }
    },
    transformObject: (built) => {
      if (!('openapiObject' in built)) return {}
      complete(built.openapiObject as Document, operations)
      return built.openapiObject
    }
  })
  // Only the document needs the components. In a separate context they do not slow down the routes.
  await app.register(async (named) => {
    for (const component of components) named.addSchema(component)
  })
}

/** Returns the OpenAPI document (3.0.3) of a relay with default settings. */
export async function documentOf (): Promise<object> {
  const app = await buildApp({
    docs: false,
    logLevel: 'silent',
    beforeRoutes: fp(plugin, { name: 'openapi', fastify: '5.x', decorators: { fastify: ['runtime'] } })
  })
  try {
    await app.ready()
    return app.swagger()
  } finally {
    await app.close()
  }
}
