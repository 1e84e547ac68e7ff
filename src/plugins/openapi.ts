/** Builds the OpenAPI document from the routes. It is registered before them, so that it sees them. */
import swagger from '@fastify/swagger'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { components } from '../../schemas/index.ts'
import { complete } from '../openapi/document.ts'
import type { Document } from '../openapi/document.ts'
import { documentFrame, documented } from '../openapi/operations.ts'
import type { Operation } from '../openapi/operations.ts'
import { version } from '../common/version.ts'

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

export const openapi = fp(plugin, { name: 'openapi', fastify: '5.x', decorators: { fastify: ['runtime'] } })
