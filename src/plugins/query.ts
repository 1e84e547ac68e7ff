/** Parses query strings. */
import { LRUCache } from 'lru-cache'

/** Number of cached query strings, and the maximum length of one in characters. */
const most = 1000
const longest = 500

/**
 * Returns a parser of query strings. Of a repeated parameter the first value counts. Parsed strings are cached: an
 * equal string gives the same object, so validation.ts validates it only once. A string with a cookie is never cached.
 */
export function queryReader (cookieParamName: string): (text: string) => Readonly<Record<string, string>> {
  const known = new LRUCache<string, Readonly<Record<string, string>>>({ max: most })
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const values = Object.create(null) as Record<string, string>
    for (const [name, value] of new URLSearchParams(text)) values[name] ??= value
    if (text.length <= longest && values[cookieParamName] === undefined) known.set(text, Object.freeze(values))
    return values
  }
}
