/** Parses query strings. */
import { LRUCache } from 'lru-cache'

/** Number of cached query strings, and the maximum length of one in characters. */
const most = 1000
const longest = 500

/**
 * Parameters with which players and signed links log in. A player sends a new salt and token with each request, so its query
 * never repeats, and a secret must not stay in memory.
 */
const secrets = ['p', 't', 's', 'apiKey', 'auth'] as const

/**
 * Returns a parser of query strings. The first value of a repeated parameter counts. Parsed strings are cached: an equal
 * string gives the same object, so validation.ts validates it only once. A string with a cookie or another secret is never
 * cached.
 */
export function queryReader (cookieParamName: string): (text: string) => Readonly<Record<string, string>> {
  const known = new LRUCache<string, Readonly<Record<string, string>>>({ max: most })
  const neverCached = [cookieParamName, ...secrets]
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const values = Object.create(null) as Record<string, string>
    for (const [name, value] of new URLSearchParams(text)) values[name] ??= value
    if (text.length <= longest && !neverCached.some((name) => name in values)) known.set(text, Object.freeze(values))
    return values
  }
}
