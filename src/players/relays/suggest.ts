/** Looks up routes of other relays: the equivalent of a path, the address of an alias here, and what a 404 suggests. */
import { distance } from '../../common/distance.ts'
import type { Proposal } from '../../edge/files.ts'
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
interface FoundRoute { readonly route: OldRoute, readonly values: ReadonlyMap<string, string> }

/** Finds routes by path, whatever its case, unless routes differ only in case: then the exact spelling counts. */
function createLookup (routes: readonly OldRoute[]): (path: string) => FoundRoute | undefined {
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

/** Whether a path is a word with a slash, such as `AC/DC` or `22/7`, without numbers of the other relay behind it. */
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

/** A longer path is no typing mistake, and costs more to compare. */
const longest = 64

/** Paths that are off by default, each with the variable that turns it on. */
const switches: Readonly<Record<string, string>> = { '/metrics': 'METRICS', '/meting': 'METING' }

/** A path with a word that has a slash in it. */
const split: Proposal = {
  isInput: true,
  sentence: 'path: key is one part of it. Write a slash in the words as %2F, or send them as ?key=.',
  chinese: '关键词里的斜杠请写作 %2F，或改用 ?key= 传入。'
}

/**
 * Returns a function that suggests a route for an unknown path. Undefined if no route is close. `known`: the paths of
 * this relay, a path parameter as `:name`. A suggestion contains only our own text and nothing of the path.
 */
export function createSuggestions (): (path: string, known: readonly string[]) => Proposal | undefined {
  const lookup = createLookup(oldRoutes)
  const aliases = oldRoutes.filter(({ fate, path }) => fate === 'alias' && !path.includes(':')).map(({ path }) => path)
  const words = [
    ...new Set(oldRoutes.filter(({ path }) => path.includes('/:key')).map(({ path }) =>
      path.split('/:', 1)[0]?.toLowerCase() ?? ''
    ))
  ]
  return (path, known) => {
    if (
      words.some((base) => path.toLowerCase().startsWith(`${base}/`) && /\/[^/]+\/+[^/]/.test(path.slice(base.length)))
    ) { return split }
    if (path.length > longest) return undefined
    const plain = path.replace(/\/+$/, '')
    const lower = plain.toLowerCase()
    const variable = known.includes(lower) ? undefined : switches[lower]
    if (variable !== undefined) return { sentence: `${lower} is switched off; ${variable}=true turns it on.`, chinese: `这个功能没有打开，设置 ${variable}=true 后可用。` }
    const route = lookup(plain)?.route
    if (route?.fate === 'none') {
      return {
        sentence: 'This relay has nothing for this route of another one (docs/guides/migrating.md).',
        chinese: '其他中转服务的这个路由，这里没有对应的功能。'
      }
    }
    if (route?.fate === 'instead') {
      return {
        sentence: `Instead of this route of another relay, use ${route.here} (docs/guides/migrating.md).`,
        chinese: `这是其他中转服务的路由，这里请用 ${route.here}。`,
        ...openable(route.here)
      }
    }
    const paths = [...known, ...aliases]
    // Only some paths begin with /user, and proxies of others add a folder.
    const near = route?.here ?? nearest(plain, paths) ?? nearest(plain.replace(/^\/[^/]+(?=\/)/, ''), paths)
      ?? nearest(`/user${plain}`, paths)
    const [first, ...more] = near === undefined ? longer(plain, paths) : [near]
    if (first === undefined) return undefined
    const [english, chinese] = ['or', '或'].map((word) =>
      [first, ...more].join(', ').replace(/, (?=[^,]*$)/, ` ${word} `)
    )
    return { sentence: `Did you mean ${english}?`, chinese: `是不是想找 ${chinese}？`, ...openable(first) }
  }
}

/** A path with a parameter, or a command, cannot be opened. */
const openable = (here: string): { readonly path?: string } =>
  here.startsWith('/') && !here.includes(':') ? { path: here } : {}

/** Shortest beginning of a path that is completed. A shorter one begins too many. */
const leastBegun = 6

/** Returns the shortest paths that begin with an incomplete one, three at most. */
function longer (begun: string, paths: readonly string[]): readonly string[] {
  if (begun.length < leastBegun) return []
  return paths.filter((path) => !path.includes(':') && path.toLowerCase().startsWith(begun.toLowerCase())).sort((
    a,
    b
  ) => a.length - b.length).slice(0, 3)
}

/** Returns the path that is closest to a wrong one, with at most two of ten letters different. */
function nearest (wrong: string, paths: readonly string[]): string | undefined {
  let best: { readonly path: string, readonly far: number } | undefined
  const parts = wrong.split('/')
  for (const path of paths) {
    const wanted = path.split('/')
    if (wanted.length !== parts.length) continue
    // A path parameter matches any value, so its letters count neither as different nor as equal.
    const fixed = wanted.map((part, at) => part.startsWith(':') ? parts[at] as string : part).join('/')
    const letters = wanted.filter((part) => !part.startsWith(':')).join('/').length
    const bound = Math.min(best?.far ?? Infinity, Math.floor(letters / 5) + 1)
    const far = distance(wrong.toLowerCase(), fixed.toLowerCase(), bound)
    if (far < bound) best = { path, far }
  }
  return best?.path
}
