/** How long entries may be used, and when a stale one may replace an error. Background: docs/decisions.md#0006. */
import type { TObject } from '@sinclair/typebox'

/** Cache class of an endpoint. An endpoint without one is never cached. */
export type CacheClass = 'immutable' | 'slow' | 'charts' | 'lively' | 'query' | 'short-lived'

/** A cache class, or `brief` for an answer that should soon be fetched again. */
export type CachePolicy = CacheClass | 'brief'

/** Times to live, in milliseconds. Both stale times begin where `fresh` ends. */
export interface Ttl {
  /** The entry is used without revalidation. */
  readonly fresh: number
  /** The entry is used at once, and revalidated in the background. */
  readonly staleWhileRevalidate: number
  /** The entry is used if a fetch fails or is slow. */
  readonly staleIfError: number
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

export const ttlOf: Readonly<Record<CachePolicy, Ttl>> = {
  'immutable': { fresh: 7 * day, staleWhileRevalidate: 7 * day, staleIfError: 30 * day },
  'slow': { fresh: 6 * hour, staleWhileRevalidate: 6 * hour, staleIfError: 7 * day },
  'charts': { fresh: 30 * minute, staleWhileRevalidate: 30 * minute, staleIfError: 24 * hour },
  'lively': { fresh: 10 * minute, staleWhileRevalidate: 10 * minute, staleIfError: 24 * hour },
  'query': { fresh: 2 * minute, staleWhileRevalidate: 2 * minute, staleIfError: hour },
  // Signed URLs expire.
  'short-lived': { fresh: 2 * minute, staleWhileRevalidate: 0, staleIfError: 0 },
  'brief': { fresh: 10 * second, staleWhileRevalidate: 0, staleIfError: 0 }
}

// Cache keys. Equal requests of equal identities have equal keys.

type Keyed = { readonly path: string, readonly input: TObject }

/** The key of a cache entry. */
export interface CacheKey {
  /**
   * Name of the account of the answer, without secrets. Undefined for anonymous answers. Only these are shared between
   * instances.
   */
  readonly account: string | undefined
  /** Account, endpoint and input as one text. */
  readonly text: string
}

/**
 * Returns the key of an endpoint's answer to validated input. Parameters are in the order of the schema and include
 * defaults.
 */
export function cacheKeyOf (
  { path, input: { properties } }: Keyed,
  input: unknown,
  account: string | undefined
): CacheKey {
  let text = `${account ?? 'anonymous'} ${path}`
  for (const name in properties) {
    const value = (input as Record<string, unknown>)[name]
    if (value !== undefined) text += ` ${name}=${JSON.stringify(value)}`
  }
  return { account, text }
}

/**
 * Returns `cacheKeyOf` for answers to a login, or to none. Limits, the cache and players ask for the key of one
 * request: it is computed once. Equal query strings without a login are validated once, to one object, and have one
 * key.
 */
export function createKeys<Login extends object> (
  nameOf: (account: string, login: Login) => string
): (endpoint: Keyed, input: object, account: string, login: Login | undefined) => CacheKey {
  /** By login, which lives as long as its request, or else by input. */
  const known = new WeakMap<object, { readonly path: string, readonly input: object, readonly key: CacheKey }>()
  return (endpoint, input, account, login) => {
    const { path } = endpoint
    const before = known.get(login ?? input)
    if (before?.path === path && before.input === input) return before.key
    const key = cacheKeyOf(endpoint, input, login && nameOf(account, login))
    known.set(login ?? input, { path, input, key })
    return key
  }
}

// @mutate cache: cache-rules cache
