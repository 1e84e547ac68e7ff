/** Definitions to routes: the path, its aliases, and the form with the parameter in the path. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AnyEndpoint } from '../endpoint.ts'
import { RelayError } from '../errors.ts'
import type { RelayCore } from '../relay.ts'
import type { RouteTable } from './errors.ts'
import { operations } from '../openapi.ts'

export function addRoutes (app: FastifyInstance, core: RelayCore, endpoints: Readonly<Record<string, AnyEndpoint>>): void {
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const handler = handlerOf(endpoint, core)
    for (const { path, schema } of operations(name, endpoint, core.settings)) {
      app.route({ method: endpoint.method, url: path, schema, handler })
    }
  }
}

function handlerOf (endpoint: AnyEndpoint, core: RelayCore) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const input = endpoint.method === 'GET'
      ? core.inputs.fromText(endpoint.input, { ...request.query as object, ...request.params as object })
      : core.inputs.fromValues(endpoint.input, request.body === undefined ? {} : request.body)
    const cookie = request.cookie
    if (endpoint.login === 'required' && request.identityWithheld) {
      throw new RelayError('CROSS_SITE', 'A page of another site asks: it gets neither the Cookie header nor the global cookie. Bring the cookie as X-Custom-Cookie, or list the origin in corsOrigins.')
    }
    const exchanges = request.exchanges = []
    const record = await core.perform(endpoint, input, {
      credential: cookie === null ? undefined : core.credentialFor(endpoint, cookie),
      cookie: cookie ?? undefined,
      client: request.ip,
      signal: goneSignal(reply),
      onExchange: (exchange) => { (exchanges as typeof exchange[]).push(exchange) }
    })
    if (endpoint.cache === undefined || (cookie !== null && cookie.source !== 'none' && cookie.source !== 'global')) void reply.header('cache-control', 'no-store')
    void reply.header('content-type', 'application/json; charset=utf-8')
    return JSON.stringify(endpoint.envelope.wrap(record))
  }
}

/** Aborted when the connection closes before the answer is out. (The framework's own signal aborts every POST once its body is read.) */
function goneSignal (reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => { if (!reply.raw.writableFinished) controller.abort() })
  return controller.signal
}

/** Which methods a path answers, for 405. Path forms match any one last part; pages are there to be looked at. */
export function routeTable (endpoints: Readonly<Record<string, AnyEndpoint>>, pages: readonly string[]): RouteTable {
  const methods = (endpoint: AnyEndpoint): string[] => endpoint.method === 'GET' ? ['GET', 'HEAD'] : ['POST']
  const exact = new Map<string, string[]>()
  const prefixes = new Map<string, string[]>()
  for (const path of pages) exact.set(path, ['GET', 'HEAD'])
  for (const endpoint of Object.values(endpoints)) {
    for (const path of [endpoint.path, ...endpoint.aliases ?? []]) exact.set(path, methods(endpoint))
    if (endpoint.pathParam !== undefined) prefixes.set(endpoint.path, methods(endpoint))
  }
  return {
    methodsOf: (path) => exact.get(path) ?? prefixes.get(/^(.+)\/[^/]*$/.exec(path)?.[1] ?? '') ?? []
  }
}
