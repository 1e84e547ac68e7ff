/** Query strings to values. */
import { LRUCache } from 'lru-cache'

/** Texts that are remembered, and the longest that is. */
const most = 1000
const longest = 500

/**
 * A repeated parameter counts once: its first value. What was asked lately is not taken apart again: the same frozen
 * object comes back, by which others know the question too. Nothing that holds a cookie is remembered.
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
