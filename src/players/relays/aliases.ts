/** Looks up routes of other relays: the equivalent of a path, and the address of an alias here. */
import { oldRoutes, same, type OldRoute } from './oldRoutes.ts'

/** A row with the parts of its path. */
interface Pattern {
  readonly route: OldRoute
  /** The path without its parameters. */
  readonly base: string
  /** Names of the path parameters in their order, and the number of required ones. */
  readonly names: readonly string[]
  readonly required: number
}

function patternOf (route: OldRoute): Pattern {
  const [base = '', ...names] = route.path.split('/:')
  return {
    route,
    base,
    names: names.map((name) => name.replace('?', '')),
    required: names.filter((name) => !name.endsWith('?')).length
  }
}

/** A matching row, and the values of its path parameters, percent-encoded as in the path. */
export interface FoundRoute { readonly route: OldRoute, readonly values: ReadonlyMap<string, string> }

/**
 * Finds routes by path. Case is ignored, unless routes differ only in case: then the route with the path's exact
 * spelling is found.
 */
export function createLookup (routes: readonly OldRoute[]): (path: string) => FoundRoute | undefined {
  const byBase = new Map<string, Pattern[]>()
  const patterns = routes.map(patternOf)
  for (const pattern of patterns) {
    byBase.set(pattern.base.toLowerCase(), [...byBase.get(pattern.base.toLowerCase()) ?? [], pattern])
  }
  const most = Math.max(...patterns.map(({ names }) => names.length))

  return (path) => {
    let base = path
    const parts: string[] = []
    while (base.length > 1) {
      const fitting = byBase.get(base.toLowerCase())?.filter(({ names, required }) =>
        parts.length >= required && parts.length <= names.length
      ) ?? []
      const found = fitting.find((pattern) => pattern.base === base) ?? fitting[0]
      if (found !== undefined) {
        return { route: found.route, values: new Map(parts.map((part, at) => [found.names[at] as string, part])) }
      }
      const slash = base.lastIndexOf('/')
      const part = base.slice(slash + 1)
      if (part === '' || parts.length === most) return undefined
      parts.unshift(part)
      base = base.slice(0, slash)
    }
    return undefined
  }
}

/**
 * Returns a function that converts the URL of an alias to the URL of its route, and a path of this relay in other case
 * (`/getranks`) to its spelling, because the routers of the other relays accept both. Any other URL is unchanged. The
 * router sees the result, so that limits, access and logs are those of that route. `own`: the paths of the endpoints, a
 * path parameter as `:name`.
 */
export function createAliases (own: readonly string[]): (url: string) => string {
  const ours = own.map((path) => same(`GET ${path}`, ''))
  const aliases = oldRoutes.filter(({ fate }) => fate === 'alias')
  const lookup = createLookup([...ours, ...aliases])
  const exact = new Set(own)
  return (url) => {
    const mark = url.search(/[?#]/)
    const path = mark === -1 ? url : url.slice(0, mark)
    if (exact.has(path)) return url
    const found = lookup(path)
    if (found === undefined || isSplitWord(found)) return url
    const { route, values } = found
    if (route.fate === 'alias') {
      return aliased(route, values, mark === -1 || url[mark] === '#' ? '' : url.slice(mark).split('#', 1)[0] as string)
    }
    const base = route.path.split('/:', 1)[0] as string
    return url.startsWith(base) ? url : `${base}${url.slice(base.length)}`
  }
}

/**
 * Whether a path is a word with a slash, such as `AC/DC` or `22/7`, and not a word with the numbers of the other relay
 * behind it.
 */
function isSplitWord ({ values }: FoundRoute): boolean {
  const [key, ...rest] = [...values.values()]
  return values.has('key') && rest.length > 0
    && (rest.some((text) => !/^\d*$/.test(text)) || (rest.length === 1 && /^\d+$/.test(key ?? '')))
}

/** Returns the URL of the route behind an alias. */
function aliased ({ here, renamed, added, known }: OldRoute, values: FoundRoute['values'], search: string): string {
  // The first value of a repeated parameter counts: that of the path, as in our own path forms.
  const pairs = [
    ...Object.entries(added),
    ...[...values].map(([name, text]) => [name, decodeURIComponent(text)] as const),
    ...new URLSearchParams(search)
  ]
  const query = new URLSearchParams()
  for (const [name, text] of pairs) {
    const now = Object.hasOwn(renamed, name) ? renamed[name] as string : name
    if (now !== '' && (!Object.hasOwn(known, name) || known[name]?.includes(text) === true)) query.append(now, text)
  }
  const text = query.toString()
  return text === '' ? here : `${here}?${text}`
}
