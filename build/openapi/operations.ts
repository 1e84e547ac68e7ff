/** The parts of an operation that only the OpenAPI document has, and the frame of that document. */
import type { FastifySchema } from 'fastify'
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { TSchema } from '@sinclair/typebox'
import { wordOf } from '../../schemas/common.ts'
import type { Settings } from '../../src/relay/settings.ts'
import type { Operation } from '../../src/openapi/operations.ts'

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
  { name: 'radio', description: 'Songs a few at each call, without repetitions, until the upstream has no new ones: radio stations, the personal station, the radar.' },
  { name: 'user', description: 'Playlists, liked songs and pictures of accounts; the cookie in use.' },
  { name: 'login', description: 'QR logins over two channels, each with a start and a check. The resulting session is a cookie for all other endpoints.' }
] as const

/** Parameter of endpoints with a list of songs. Not in their input, because functions return records. */
const format = wordOf(['json', 'm3u'], {
  default: 'json',
  description:
    'm3u: the songs as a list for players, one address of /stream a line. The same as Accept: audio/x-mpegurl. Songs without a MID are left out. A list that is cut says so in a comment, with the parameter that has the next songs.'
})

/** Returns a route's schema for the document: examples, and each parameter in its place. document.ts adds the rest. */
export function documented ({ endpoint, kind, schema }: Operation): FastifySchema {
  const { method, pathParam, example, input, songs } = endpoint
  const { querystring: _, ...rest } = schema
  if (method === 'POST') return { ...rest, body: { ...input, example } }
  const properties = Object.entries(input.properties).map(([name, property]) =>
    [name, Object.hasOwn(example, name) ? { ...property, example: example[name] } : property] as [string, TSchema]
  )
  const inPath = (name: string): boolean => kind === 'param' && name === pathParam
  const inQuery = [
    ...properties.filter(([name]) => !inPath(name)),
    ...(songs === undefined ? [] : [['format', format] as [string, TSchema]])
  ]
  return {
    ...rest,
    ...(inQuery.length === 0
      ? {}
      : {
        querystring: {
          ...input,
          properties: Object.fromEntries(inQuery),
          required: (input.required ?? []).filter((name) => !inPath(name))
        }
      }),
    ...(kind === 'param'
      ? {
        params: {
          ...schema.params as object,
          properties: Object.fromEntries(properties.filter(([name]) => inPath(name)))
        }
      }
      : {})
  }
}

/** Returns the rules for the input of every operation, for the document and the reference. */
export function inputRules ({ cookieParamName }: Pick<Settings, 'cookieParamName'>): string {
  return [
    'An empty text and JSON null count as a parameter that was left out: an optional one then has its default, a required one is a 400 that names it.',
    'Of a repeated query parameter the first value counts, and the header x-relay-warning says so. Booleans, and numbers that are 0 or 1, are true, True, 1, false, False and 0. Parameters and keys of a body that an operation does not know are ignored; the header x-relay-warning names them.',
    `A cookie is read from ?${cookieParamName}=, then X-Custom-Cookie, then Cookie. One without an account or a key is ignored, with the header x-relay-warning; any other counts, even if it has expired. Without a usable one, the secret of a stored account counts (Authorization: Bearer, or the password of Basic), then the global cookie.`
  ].join(' ')
}

/** Returns the frame of the OpenAPI document: title, servers, tags, security schemes and component names. */
export function documentFrame (
  version: string,
  settings: Pick<Settings, 'cookieParamName' | 'publicOrigin' | 'port'>
): FastifyDynamicSwaggerOptions {
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
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) => typeof json['$id'] === 'string' ? json['$id'] : `def-${i}`
    }
  }
}
