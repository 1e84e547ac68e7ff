/** Paths: which ones the router accepts, and which methods each of them supports. */
import { isUtf8 } from 'node:buffer'
import { METHODS, type IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { InvalidInput, RelayError } from '../common/errors.ts'
import { isKeyName } from '../upstream/wire/credentials.ts'
import { hostNotAllowed } from './access.ts'

/** Maximum length of the last path segment, decoded, in characters. Fifty MIDs with their commas are 1649. */
const longestPart = 2048
/** A path that has no route. */
const nowhere = '//'

const methods: ReadonlySet<string | undefined> = new Set(METHODS)

/** Returns the path of a URL, still percent-encoded. */
export const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] as string

/** Bytes beyond ASCII, which the parser of Node 20.19 lets through. Others refuse them, and framing.ts reads them. */
const raw = /[\x80-\xff]/

/** Returns an address with its bytes beyond ASCII percent-encoded. */
export const percentEncoded = (url: string): string =>
  raw.test(url)
    ? url.replaceAll(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
    : url

/** Returns the error for a URL that no route may have. Undefined for other URLs. */
export function refusedPath (url: string): RelayError | undefined {
  const path = pathOf(percentEncoded(url))
  let last: string
  try {
    if (raw.test(url) && !isUtf8(Buffer.from(url, 'latin1'))) throw new URIError('These bytes are no UTF-8.')
    decodeURI(path)
    last = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  } catch {
    return new InvalidInput(
      'path: a "%" in it must begin an encoded UTF-8 character; percent-encode the address, the percent sign itself as %25. 请对地址进行百分号编码，百分号本身写作 %25。'
    )
  }
  return last.length > longestPart ? new RelayError('URL_TOO_LONG', 'path: its last part is too long.') : undefined
}

/**
 * Returns the URL for the router. The framework answers URLs that its router refuses before any hook, without limits,
 * checks and a log line. Such a request becomes one without a route, and routeError returns the reason.
 */
export function routable (request: IncomingMessage): string {
  const { method, url = '' } = request
  // The parser also accepts RTSP, whose methods the router does not have. TRACE has no routes.
  if (!methods.has(method)) request.method = 'TRACE'
  if (!url.startsWith('/')) return method === 'OPTIONS' && url === '*' ? url : nowhere
  const encoded = percentEncoded(url)
  const isDoubtful = encoded !== url || url.includes('%') || url.length > longestPart
  return isDoubtful && refusedPath(url) !== undefined ? nowhere : encoded
}

/**
 * Collects the routes. A path parameter matches any last segment, and `*` matches the rest of the path. `methodsOf`
 * returns the methods of a path, to distinguish an unknown route from a wrong method. In `paths`, a path parameter is
 * written as `:name`.
 */
export function collectRoutes (app: FastifyInstance) {
  const paths = new Set<string>()
  const exact = new Map<string, string[]>()
  const prefixes = new Map<string, string[]>()
  const trees = new Map<string, string[]>()
  app.addHook('onRoute', ({ url, method }) => {
    // Preflights match any path.
    if (url === '*') return
    const [, path = url, end = ''] = /^(.*\/)(:\w+|\*)$/.exec(url) ?? []
    const table = end === '' ? exact : end === '*' ? trees : prefixes
    table.set(path, [...table.get(path) ?? [], ...[method].flat()])
    if (end !== '*') paths.add(url)
  })
  const methodsOf = (path: string): readonly string[] =>
    exact.get(path) ?? prefixes.get(path.slice(0, path.lastIndexOf('/') + 1)) ?? [...trees].find(([tree]) =>
      path.startsWith(tree)
    )?.[1] ?? []
  return { methodsOf, paths }
}

// Parses query strings.

/** Number of cached query strings, and the maximum length of one in characters. */
const most = 1000
const longest = 500

/**
 * Parameters with which players and signed links log in. A player sends a new salt and token with each request, so its
 * query never repeats, and a secret must not stay in memory.
 */
const secrets = ['p', 't', 's', 'apiKey', 'auth'] as const

/** Signs of a pasted cookie, which may stand under any name, such as `?cookies=`: its pairs, or an export of them. */
const pasted = /[=;"\t\n]/

/** Key of the further values of names that a query has more than once. */
export const repeated: unique symbol = Symbol('repeated')

type Further = [name: string, value: string][]

export type Query = Readonly<Record<string, string>> & { readonly [repeated]?: Readonly<Further> }

/**
 * Returns the names and values of a query or a form. Bytes that are no UTF-8 become half of a character, which
 * validate.ts refuses with the name of its parameter. Their usual stand-in, U+FFFD, would be searched for.
 */
export function pairsOf (text: string): [string, string][] {
  const pairs = [...new URLSearchParams(text)]
  if (!/%[89a-f]/i.test(text) || /%ef%bf%bd/i.test(text)) return pairs
  return pairs.map(([name, value]) => [name, value.replaceAll('\ufffd', '\udfff')])
}

/**
 * Returns a parser of query strings. The first value of a repeated parameter counts. Parsed strings are cached: an
 * equal string gives the same object, so input.ts validates it only once. A string with a cookie or another secret
 * is never cached.
 */
export function queryReader (cookieParamName: string): (text: string) => Query {
  const known = new LRUCache<string, Query>({ max: most })
  const neverCached = new Set<string>([cookieParamName, ...secrets])
  const isSecret = ([name, value]: readonly [string, string]): boolean =>
    neverCached.has(name) || isKeyName(name) || pasted.test(value)
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const values = Object.create(null) as Record<string, string> & { [repeated]?: Further }
    for (const [name, value] of pairsOf(text)) {
      if (name in values) (values[repeated] ??= []).push([name, value])
      else values[name] = value
    }
    const all = [...Object.entries(values), ...values[repeated] ?? []]
    if (text.length <= longest && !all.some(isSecret)) known.set(text, Object.freeze(values))
    return values
  }
}

// The address at which the caller reaches this relay, for links in answers.

/** A host name or address, with or without a port. Other text from the client must not get into an answer. */
const wellFormed = /^(?:[0-9A-Za-z][\w.-]{0,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

/**
 * Returns origin and path prefix, without a slash at the end: the setting `publicOrigin`, else protocol and host of the
 * request. Undefined if the request has no valid host, or one that `allowedHosts` lacks. `X-Forwarded-Proto` and
 * `X-Forwarded-Host` count only from listed proxies. `X-Forwarded-Prefix` never counts, because most proxies forward
 * the client's value.
 */
export function publicOriginOf ({ server, host, protocol }: FastifyRequest): string | undefined {
  const { publicOrigin } = server.runtime.settings
  if (publicOrigin !== '') return publicOrigin
  if (!server.mayBeLinked(host)) return undefined
  const origin = `${protocol === 'https' ? 'https' : 'http'}://${host}`
  return wellFormed.test(host) && URL.canParse(origin) ? new URL(origin).origin : undefined
}

/**
 * The same, but throws HOST_NOT_ALLOWED for a host that `allowedHosts` lacks, and InvalidInput if there is no address.
 */
export function requirePublicOrigin (request: FastifyRequest): string {
  const found = publicOriginOf(request)
  if (found === undefined) {
    // The Host header itself was checked before, so this one comes from a proxy.
    if (
      wellFormed.test(request.host) && !request.server.mayBeLinked(request.host)
    ) { throw hostNotAllowed('X-Forwarded-Host') }
    throw new InvalidInput('host: the Host header must name this relay, because links in the answer begin with it. Behind a proxy, set publicOrigin.')
  }
  return found
}
