/** Cache keys. Equal requests of equal identities have equal keys. */
import type { TObject } from '@sinclair/typebox'

type Keyed = { readonly path: string, readonly input: TObject }

/** The key of a cache entry. */
export interface CacheKey {
  /** Name of the account of the answer, without secrets. Undefined for anonymous answers. Only these are shared between instances. */
  readonly account: string | undefined
  /** Account, endpoint and input as one text. */
  readonly text: string
}

/** Returns the key of an endpoint's answer to validated input. Parameters are in the order of the schema and include defaults. */
export function cacheKeyOf ({ path, input: { properties } }: Keyed, input: unknown, account: string | undefined): CacheKey {
  let text = `${account ?? 'anonymous'} ${path}`
  for (const name in properties) {
    const value = (input as Record<string, unknown>)[name]
    if (value !== undefined) text += ` ${name}=${JSON.stringify(value)}`
  }
  return { account, text }
}

/**
 * Returns `cacheKeyOf` for anonymous answers, memoized: equal query strings are validated once, to one object, and the key of
 * that object is computed once.
 */
export function createAnonymousKeys (): (endpoint: Keyed, input: object) => CacheKey {
  const known = new WeakMap<object, { readonly path: string, readonly key: CacheKey }>()
  return (endpoint, input) => {
    const before = known.get(input)
    if (before?.path === endpoint.path) return before.key
    const key = cacheKeyOf(endpoint, input, undefined)
    known.set(input, { path: endpoint.path, key })
    return key
  }
}

// @mutate cache: cache-rules cache
