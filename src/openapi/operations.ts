/** Builds the schemas of the routes from the registry. */
import type { FastifySchema } from 'fastify'
import { Type, type TSchema } from '@sinclair/typebox'
import { ref } from '../../schemas/common.ts'
import { formsOf, type AnyEndpoint, type RouteForm } from '../relay/endpoint.ts'

/** The schema of a route, with what only the OpenAPI document shows. */
export interface RouteSchema extends FastifySchema {
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
}

/** One path of an endpoint, as a route. */
export interface Operation {
  readonly name: string
  readonly path: string
  readonly kind: RouteForm['kind']
  readonly endpoint: AnyEndpoint
  readonly schema: RouteSchema
}

/** Headers of a cacheable response (docs/configuration.md#caching). */
const cacheHeaders = {
  'x-cache': Type.Unsafe<string>({
    type: 'string',
    enum: ['HIT', 'STALE', 'MISS'],
    description: 'HIT: a fresh cache entry. STALE: a stale cache entry. MISS: requested from the upstream just now.'
  }),
  'age': Type.Integer({ minimum: 0, description: 'Seconds since the answer, or its oldest part, was fetched; absent when it is new.' }),
  'cache-control': Type.String({
    description: 'How long browsers and proxies may store the answer, counted from the fetch: subtract age. no-store when the request had a cookie.'
  }),
  'etag': Type.String({ description: 'Changes with the bytes; absent when the request had a cookie.' })
}

const location = { location: Type.String({ description: 'Where it is.' }) }

/** The schema of a body. With M3U or audio as a second kind, generated clients would make all answers texts. */
const bodyOf = ({ envelope, record }: AnyEndpoint): TSchema =>
  envelope.schema(record.$id === undefined ? record : ref(record))

/** Returns the responses besides 200 of endpoints whose answer is not JSON. */
function deliveries ({ envelope: { delivers } }: AnyEndpoint): Record<number, object> {
  if (delivers === undefined) return {}
  return {
    ...(delivers === 'audio'
      ? { 206: { type: 'null', description: 'The part of the file (audio/*) requested by Range. Only with the setting stream=relay.' } }
      : {}),
    302: {
      type: 'null',
      description: delivers === 'audio' ? 'The file is there. Only with the setting stream=redirect.'
        : 'The picture is there. With the setting stream=relay, only one that cannot be passed on.',
      headers: location
    }
  }
}

/** A cookie in the address also works. Only descriptions name it, so that no generated client puts a login there. */
const loginSchemes = [{ cookieHeader: [] }, { account: [] }]

/**
 * Returns the schemes, with an empty alternative unless a login is required. The account stands for the access token,
 * too, so public operations have it: the document of a relay with a token has no empty alternative (published.ts).
 */
function securityOf ({ login }: AnyEndpoint): Record<string, string[]>[] {
  if (login === undefined) return [{}, { account: [] }]
  return login === 'required' ? loginSchemes : [{}, ...loginSchemes]
}

/** Returns how a caller passes a login. */
const loginHint = ({ login }: AnyEndpoint): string => login === undefined
  ? 'Login: not needed. A cookie may be passed as X-Custom-Cookie or ?cookie=.'
  : `Login: ${login}. Pass its cookie as X-Custom-Cookie or ?cookie=, or the secret of a stored account as Bearer.`

/** Returns all paths of an endpoint with their schemas. The input schema is the endpoint's own object. */
export function operations (name: string, endpoint: AnyEndpoint): Operation[] {
  const { method, path, pathParam, tag, summary, description, input, cache } = endpoint
  const common: RouteSchema = {
    tags: [tag],
    summary,
    description: `${description}\n\n${loginHint(endpoint)}`,
    security: securityOf(endpoint),
    ...(method === 'POST' ? { body: input } : { querystring: input }),
    response: {
      200: {
        ...bodyOf(endpoint),
        description: endpoint.envelope.delivers === undefined ? 'Success.'
          : `Success. This is the answer to \`Accept: application/json\`. To others, with the setting stream=relay, it is the ${endpoint.envelope.delivers === 'audio' ? 'file (audio/*)' : 'picture (image/*)'}.`,
        ...(cache === undefined ? {} : { headers: cacheHeaders })
      },
      ...deliveries(endpoint),
      ...(cache === undefined || method !== 'GET' ? {}
        : { 304: { type: 'null', description: 'The answer is still the one that If-None-Match names.' } })
    }
  }
  const own: Readonly<Record<RouteForm['kind'], (path: string) => RouteSchema>> = {
    own: () => ({ operationId: name }),
    // A path parameter is always required, even if it is optional in the query.
    param: () => ({
      operationId: `${name}ByPath`,
      params: {
        type: 'object',
        properties: { [pathParam as string]: input.properties[pathParam as string] },
        required: [pathParam]
      }
    }),
    alias: (alias) => ({
      operationId: alias.slice(1).replaceAll(/\/(\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary: `${summary} (same as ${path})`
    })
  }
  return formsOf(endpoint).map(({ kind, path: form }) => ({
    name,
    path: form,
    kind,
    endpoint,
    schema: { ...common, ...own[kind](form) }
  }))
}
