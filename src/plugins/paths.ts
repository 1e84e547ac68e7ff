/** Paths: which ones the router accepts, and which methods each of them supports. */
import { METHODS, type IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { InvalidInput, RelayError } from '../common/errors.ts'

/** Maximum length of the last path segment, decoded, in characters. Fifty MIDs with their commas are 1649. */
const longestPart = 2048
/** A path that has no route. */
const nowhere = '//'

const methods: ReadonlySet<string | undefined> = new Set(METHODS)

/** Returns the path of a URL, still percent-encoded. */
export const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] as string

/** Returns the error for a URL that no route may have. Undefined for other URLs. */
export function refusedPath (url: string): RelayError | undefined {
  const path = pathOf(url)
  let last: string
  try {
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
 * Returns the URL for the router. The framework answers URLs that its router refuses before any hook, without limits, checks
 * and a log line. Such a request becomes one without a route, and routeError returns the reason.
 */
export function routable (request: IncomingMessage): string {
  const { method, url = '' } = request
  // The parser also accepts RTSP, whose methods the router does not have. TRACE has no routes.
  if (!methods.has(method)) request.method = 'TRACE'
  if (!url.startsWith('/')) return method === 'OPTIONS' && url === '*' ? url : nowhere
  return (url.includes('%') || url.length > longestPart) && refusedPath(url) !== undefined ? nowhere : url
}

/** The routes of an application. */
export interface Routes {
  /** Returns the methods of a path, to distinguish an unknown route from a wrong method. */
  readonly methodsOf: (path: string) => readonly string[]
  /** All paths. A path parameter is written as `:name`. */
  readonly paths: ReadonlySet<string>
}

/** Collects the routes. A path parameter matches any last segment, and `*` matches the rest of the path. */
export function collectRoutes (app: FastifyInstance): Routes {
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
  const methodsOf: Routes['methodsOf'] = (path) =>
    exact.get(path) ?? prefixes.get(path.slice(0, path.lastIndexOf('/') + 1)) ?? [...trees].find(([tree]) => path.startsWith(tree))?.[1] ?? []
  return { methodsOf, paths }
}
