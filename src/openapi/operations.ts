/**
 * Builds the schemas of the routes from the registry, the parts of an operation that only the OpenAPI document has, and the
 * frame of that document.
 */
import type { FastifySchema } from 'fastify'
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { Type } from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'
import { ref, wordOf } from '../../schemas/common.ts'
import type { Settings } from '../core/config.ts'
import { formsOf } from '../core/endpoint.ts'
import type { AnyEndpoint, RouteForm } from '../core/endpoint.ts'

/** One path of an endpoint, as a route. */
export interface Operation {
  /** Name of the endpoint. */
  readonly name: string
  readonly path: string
  readonly kind: RouteForm['kind']
  readonly endpoint: AnyEndpoint
  readonly schema: FastifySchema
}

/** Tags in the order of the documentation, one per group of endpoints. */
export const tags = [
  { name: 'charts', description: 'Charts and the songs in them.' },
  { name: 'music', description: 'Play addresses, lyrics, albums, song information, downloads.' },
  { name: 'search', description: 'Search, suggestions, hot keywords.' },
  { name: 'playlists', description: 'Playlists, their categories, new albums.' },
  { name: 'singers', description: 'Singers: lists, descriptions, songs, albums, MVs, similar ones, popularity.' },
  { name: 'comments', description: 'Comments on songs, albums, playlists and MVs.' },
  { name: 'mv', description: 'MVs: lists, tags, play addresses.' },
  { name: 'discover', description: 'Pictures, digital albums, radio stations, the home page, tickets.' },
  { name: 'recommend', description: 'Recommendations for an account, and similar songs.' },
  { name: 'radio', description: 'Endless lists of songs: radio stations, the personal station, the radar.' },
  { name: 'user', description: 'Playlists, liked songs and pictures of accounts; the cookie in use.' },
  { name: 'login', description: 'QR logins over two channels, each with a start and a check. The resulting session is a cookie for all other endpoints.' }
] as const

/** Headers of a cacheable response (docs/caching.md). */
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

/**
 * The schema of a successful body. M3U and audio appear only in descriptions: with two kinds, generated clients make every
 * answer a text, a file or a record.
 */
const bodyOf = ({ envelope, record }: AnyEndpoint): TSchema => envelope.schema(record.$id === undefined ? record : ref(record))

/** Returns the responses besides 200 of endpoints whose answer is not JSON. */
function deliveries ({ envelope: { delivers } }: AnyEndpoint): Record<number, object> {
  if (delivers === undefined) return {}
  return {
    ...(delivers === 'audio'
      ? { 206: { type: 'null', description: 'The part of the file (audio/*) requested by Range. Only with the setting stream=relay.' } }
      : {}),
    302: {
      type: 'null',
      description: delivers === 'audio' ? 'The file is there. Only with the setting stream=redirect.' : 'The picture is there.',
      headers: location
    }
  }
}

/** Parameter of endpoints whose answer is a list of songs. It is no part of their input, because functions return records. */
const format = wordOf(['json', 'm3u'], {
  default: 'json',
  description:
    'm3u: the songs as a list for players, one address of /stream a line. The same as Accept: audio/x-mpegurl. Songs without a MID are left out.'
})

/** A cookie in the address also works. The document omits it, so that no generated client puts a login there. */
const loginSchemes = [{ cookieHeader: [] }, { account: [] }]

/** Returns no scheme, or the schemes, with an empty alternative if the login is optional. */
function securityOf ({ login }: AnyEndpoint): Record<string, string[]>[] {
  if (login === undefined) return []
  return login === 'required' ? loginSchemes : [{}, ...loginSchemes]
}

/** Returns all paths of an endpoint, each with the schema of its route. The input schema is the endpoint's own object, not a copy. */
export function operations (name: string, endpoint: AnyEndpoint): Operation[] {
  const { method, path, pathParam, tag, summary, description, input, login, cache } = endpoint
  const common: FastifySchema = {
    tags: [tag],
    summary,
    description: login === undefined
      ? description
      : `${description}\n\nLogin: ${login}. Pass its cookie as X-Custom-Cookie, or the secret of a stored account as Bearer.`,
    security: securityOf(endpoint),
    ...(method === 'POST' ? { body: input } : { querystring: input }),
    response: {
      200: {
        ...bodyOf(endpoint),
        description: endpoint.envelope.delivers === 'audio'
          ? 'Success. This is the answer to `Accept: application/json`. To others, with the setting stream=relay, it is the file (audio/*).'
          : 'Success.',
        ...(cache === undefined ? {} : { headers: cacheHeaders })
      },
      ...deliveries(endpoint),
      ...(cache === undefined || method !== 'GET' ? {} : { 304: { type: 'null', description: 'The answer is still the one that If-None-Match names.' } })
    }
  }
  const own: Readonly<Record<RouteForm['kind'], (path: string) => FastifySchema>> = {
    own: () => ({ operationId: name }),
    // A path parameter is always required, even if it is optional in the query.
    param: () => ({
      operationId: `${name}ByPath`,
      params: { type: 'object', properties: { [pathParam as string]: input.properties[pathParam as string] }, required: [pathParam] }
    }),
    alias: (alias) => ({
      operationId: alias.slice(1).replaceAll(/\/(\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary: `${summary} (same as ${path})`
    })
  }
  return formsOf(endpoint).map(({ kind, path: form }) => ({ name, path: form, kind, endpoint, schema: { ...common, ...own[kind](form) } }))
}

/**
 * Returns the schema of a route for the OpenAPI document: with examples, and each parameter in query, path or body.
 * document.ts adds the rest.
 */
export function documented ({ endpoint, kind, schema }: Operation): FastifySchema {
  const { method, pathParam, example, input, songs } = endpoint
  const { querystring: _, ...rest } = schema
  if (method === 'POST') return { ...rest, body: { ...input, example } }
  const properties = Object.entries(input.properties).map(([name, property]) =>
    [name, Object.hasOwn(example, name) ? { ...property, example: example[name] } : property] as [string, TSchema]
  )
  const inPath = (name: string): boolean => kind === 'param' && name === pathParam
  const inQuery = [...properties.filter(([name]) => !inPath(name)), ...(songs === undefined ? [] : [['format', format] as [string, TSchema]])]
  return {
    ...rest,
    ...(inQuery.length === 0
      ? {}
      : { querystring: { ...input, properties: Object.fromEntries(inQuery), required: (input.required ?? []).filter((name) => !inPath(name)) } }),
    ...(kind === 'param'
      ? { params: { ...schema.params as object, properties: Object.fromEntries(properties.filter(([name]) => inPath(name))) } }
      : {})
  }
}

/** Returns the rules for the input of every operation, for the document and the reference. */
export function inputRules ({ cookieParamName }: Pick<Settings, 'cookieParamName'>): string {
  return [
    'An empty text and JSON null count as a parameter that was left out: an optional one then has its default, a required one is a 400 that names it.',
    'Of a repeated query parameter the first value counts. Booleans, and numbers that are 0 or 1, are true, True, 1, false, False and 0. Parameters that an operation does not know are ignored.',
    `A cookie is read from ?${cookieParamName}=, then X-Custom-Cookie, then Cookie. One without an account or a key is ignored, with the header x-relay-warning; any other counts, even if it has expired. Without a usable one, the secret of a stored account counts (Authorization: Bearer, or the password of Basic), then the global cookie.`
  ].join(' ')
}

/** Returns the frame of the OpenAPI document: title, servers, tags, security schemes and component names. */
export function documentFrame (version: string, settings: Pick<Settings, 'cookieParamName' | 'publicOrigin' | 'port'>): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.0.3',
      info: {
        title: 'music-relay',
        version,
        description:
          'Self-hosted relay in front of an online-music provider: charts, search, play addresses, lyrics, albums, playlists, singers, MVs, comments, recommendations, an account\'s own library and QR logins as clean, typed JSON. Not affiliated with the provider; respect its terms and the copyright of what you play.\n\n' +
          inputRules(settings) +
          '\n\nThe example answers are those of the demo (`music-relay demo`). Lists in them end after two elements, long texts in ….',
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
        contact: { name: 'music-relay' }
      },
      servers: [{ url: settings.publicOrigin || `http://127.0.0.1:${settings.port}`, description: 'The relay.' }],
      tags: [...tags],
      components: {
        securitySchemes: {
          cookieHeader: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Custom-Cookie',
            description: 'Cookie text of a logged-in account. (Browsers cannot set Cookie themselves.)'
          },
          account: {
            type: 'http',
            scheme: 'bearer',
            description: 'Secret or key of an account that this relay stores, or the access token, which stands for no account.'
          }
        }
      }
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => typeof json['$id'] === 'string' ? json['$id'] : `def-${i}` }
  }
}
