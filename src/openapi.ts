/** What the registry knows of the OpenAPI document: operations with examples, aliases and errors, and the frame around them. */
import type { FastifySchema } from 'fastify'
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { Type } from '@sinclair/typebox'
import type { TObject, TSchema } from '@sinclair/typebox'
import { ref } from '../schemas/common.ts'
import { ErrorBody, errorCodes } from '../schemas/errors.ts'
import type { ErrorCode } from '../schemas/errors.ts'
import type { Settings } from './config.ts'
import { formsOf } from './endpoint.ts'
import type { AnyEndpoint, Form } from './endpoint.ts'

export interface Operation { readonly path: string, readonly schema: FastifySchema }

/** Tags in the order of the documentation, one per family. */
export const tags = [
  { name: 'charts', description: 'Charts and the songs in them.' },
  { name: 'music', description: 'Play addresses, lyrics, albums, song information, downloads.' },
  { name: 'search', description: 'Search, suggestions, hot keywords.' },
  { name: 'playlists', description: 'Playlists, their categories, new albums.' },
  { name: 'singers', description: 'Singers: lists, descriptions, songs, albums, MVs, similar ones, popularity.' },
  { name: 'comments', description: 'Comments on songs, albums, playlists and MVs.' },
  { name: 'mv', description: 'MVs: lists, tags, play addresses.' },
  { name: 'discover', description: 'Pictures, digital albums, radio stations, the home page, tickets.' },
  { name: 'recommend', description: 'Recommendations for an account, and songs like a song.' },
  { name: 'user', description: 'Playlists, liked songs and pictures of accounts; the cookie in use.' },
  { name: 'login', description: 'QR logins over two channels, each a start and a check. The session they end in is a cookie for all other endpoints.' }
] as const

/** Words that only some operations answer. A failure of the request as such (405, 417, 431) is of no operation: docs/reference.md lists them all. */
const onlyWhere: Partial<Readonly<Record<ErrorCode, (endpoint: AnyEndpoint, kind: Form['kind']) => boolean>>> = {
  INVALID_JSON: ({ method }) => method === 'POST',
  BODY_TOO_LARGE: ({ method }) => method === 'POST',
  UNSUPPORTED_TYPE: ({ method }) => method === 'POST',
  LOGIN_REQUIRED: ({ login }) => login === 'required',
  CROSS_SITE: ({ login }) => login === 'required',
  ROUTE_NOT_FOUND: () => false,
  METHOD_NOT_ALLOWED: () => false,
  URL_TOO_LONG: (_endpoint, kind) => kind === 'param',
  EXPECTATION_FAILED: () => false,
  HEADERS_TOO_LARGE: () => false
}

const loginOnly = /^(LOGIN_(?!REQUIRED$)|QR_)/

/** Every failure of an operation by its status, with the words for it. */
function errorResponses (endpoint: AnyEndpoint, kind: Form['kind']): Record<number, TSchema> {
  const meanings: Record<number, string> = {}
  for (const [code, { status, meaning }] of Object.entries(errorCodes)) {
    const answers = onlyWhere[code as ErrorCode]?.(endpoint, kind) ?? (endpoint.tag === 'login' || !loginOnly.test(code))
    if (answers) meanings[status] = `${meanings[status] === undefined ? '' : `${meanings[status]} `}\`${code}\`: ${meaning}`
  }
  return Object.fromEntries(Object.entries(meanings).map(([status, description]) => [status, { ...ref(ErrorBody), description }]))
}

/** What an answer that may be kept says about it (docs/caching.md). */
const keptHeaders = {
  'x-cache': Type.Unsafe<string>({ type: 'string', enum: ['HIT', 'STALE', 'MISS'], description: 'HIT: a kept answer that is fresh. STALE: a kept answer that is not. MISS: asked for just now.' }),
  'age': Type.Integer({ minimum: 0, description: 'Seconds since the answer, or its oldest part, was asked for; absent when it is new.' }),
  'cache-control': Type.String({ description: 'How long others may keep it, counted from the beginning: subtract age. no-store when the request brought a cookie.' }),
  'etag': Type.String({ description: 'Changes with the bytes; absent when the request brought a cookie.' })
}

/** The input with the example's values beside its parameters. */
function withExamples (input: TObject, example: Readonly<Record<string, unknown>>): TObject {
  const properties = Object.entries(input.properties).map(([name, schema]) => [name, Object.hasOwn(example, name) ? { ...schema, example: example[name] } : schema])
  return { ...input, properties: Object.fromEntries(properties) }
}

/** Every route of an endpoint with its schema: the path itself, aliases, and the form with the parameter in the path. */
export function operations (name: string, endpoint: AnyEndpoint, settings: Pick<Settings, 'cookieParamName'>): Operation[] {
  const { method, path, pathParam, tag, summary, description, example, input, record, envelope, login, cache } = endpoint
  const common = (kind: Form['kind']): FastifySchema => ({
    tags: [tag],
    summary,
    description: login === undefined ? description : `${description}\n\nLogin: ${login}. Pass the cookie as X-Custom-Cookie or ?${settings.cookieParamName}=.`,
    response: {
      200: { ...envelope.schema(record.$id === undefined ? record : ref(record)), description: 'Success.', ...(cache === undefined ? {} : { headers: keptHeaders }) },
      ...(cache === undefined || method !== 'GET' ? {} : { 304: { type: 'null', description: 'The answer is still the one that If-None-Match names.' } }),
      ...errorResponses(endpoint, kind)
    }
  })
  const full = withExamples(input, example)
  const given: FastifySchema = method === 'POST'
    ? { body: { ...input, example } }
    : Object.keys(input.properties).length === 0 ? {} : { querystring: full }
  const schemas: Readonly<Record<Form['kind'], (path: string) => object>> = {
    own: () => ({ ...common('own'), ...given, operationId: name }),
    param: () => {
      const { [pathParam as string]: part, ...rest } = full.properties
      const params = Type.Object({ [pathParam as string]: { ...part, example: example[pathParam as string] } as TSchema })
      // The parameter may be optional in the query form; as a part of the path it never is.
      const query = Object.keys(rest).length === 0 ? {} : { querystring: Type.Object(rest) }
      return { ...common('param'), ...query, params: { ...params, required: [pathParam] }, operationId: `${name}ByPath` }
    },
    alias: (alias) => ({ ...common('alias'), ...given, summary: `${summary} (same as ${path})`, operationId: alias.slice(1).replaceAll(/\/(\w)/g, (_, letter: string) => letter.toUpperCase()) })
  }
  return formsOf(endpoint).map((form) => ({ path: form.path, schema: schemas[form.kind](form.path) as FastifySchema }))
}

/** Title, servers, security and component names of the document. */
export function documentFrame (version: string, settings: Pick<Settings, 'cookieParamName'>): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.0.3',
      info: {
        title: 'music-relay',
        version,
        description: 'Self-hosted relay in front of an online-music provider: charts, search, play addresses, lyrics, albums, playlists, singers, MVs, comments, recommendations, an account\'s own library and QR logins as clean, typed JSON. Not affiliated with the provider; respect its terms and the copyright of what you play.',
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
        contact: { name: 'music-relay', url: 'https://www.npmjs.com/package/music-relay' }
      },
      servers: [{ url: '/', description: 'The relay that serves this document.' }],
      tags: [...tags],
      security: [{}, { cookieQuery: [] }, { cookieHeader: [] }],
      components: {
        securitySchemes: {
          cookieQuery: { type: 'apiKey', in: 'query', name: settings.cookieParamName, description: 'Cookie text of a logged-in account.' },
          cookieHeader: { type: 'apiKey', in: 'header', name: 'X-Custom-Cookie', description: 'Cookie text of a logged-in account. (Browsers cannot set Cookie themselves.)' }
        }
      }
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => typeof json['$id'] === 'string' ? json['$id'] : `def-${i}` }
  }
}
