/** Suggestions for a 404: the route that was probably meant. */
import { distance } from '../../common/distance.ts'
import type { Proposal } from '../../edge/files.ts'
import { createLookup } from './aliases.ts'
import { oldRoutes } from './oldRoutes.ts'

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
    const variable = switches[plain.toLowerCase()]
    if (variable !== undefined) return { sentence: `${plain.toLowerCase()} is switched off; ${variable}=true turns it on.`, chinese: `这个功能没有打开，设置 ${variable}=true 后可用。` }
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
