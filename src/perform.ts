/** The one pipeline every call of an endpoint goes through, whoever asks. */
import { anonymous, etagOf, timesOf } from './cache.ts'
import type { Cache, Found, Kept, Times } from './cache.ts'
import { none, shownPairs } from './cookies.ts'
import type { ResolvedCookie } from './cookies.ts'
import type { AnyEndpoint, Context } from './endpoint.ts'
import { RelayError } from './errors.ts'
import type { Logins } from './login/logins.ts'
import type { Credential } from './provider/credentials.ts'
import type { Exchange, Provider } from './provider/client.ts'
import type { Listener } from './provider/read.ts'
import type { Settled } from './provider/upstream.ts'

export type { Exchange } from './provider/client.ts'

/** Who asks, and who wants to know how it went. */
export interface Asker {
  readonly credential?: Credential | undefined
  /** The whole cookie, for who wants to see it; calls to the upstream use `credential`. */
  readonly cookie?: ResolvedCookie | undefined
  /** Whom waiting login polls are counted for, like an address. */
  readonly client?: string | undefined
  /** Aborted when the asker leaves: upstream work ends. */
  readonly signal?: AbortSignal | undefined
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/** What the endpoints of one relay share. */
export interface Shared extends Pick<Context, 'detailSlots' | 'midBatchSize' | 'imageOrigin' | 'log'> {
  readonly provider: Provider
  readonly logins: Logins
  readonly exposeGlobalCookie: boolean
  readonly listener: Listener
  /** Absent when it is switched off. */
  readonly cache: Cache | undefined
  /** Whether caches behind the relay may keep answers for everybody. */
  readonly publicAnswers: boolean
  /** A name of the global account for keys of the cache; another account has another. */
  readonly globalName: (credential: Credential) => string
}

/** What `run` may say about keeping its answer. */
type Keeping = Pick<Context, 'keepFor' | 'elements'>

/** Nothing is kept: a personal answer, or a caller of the library. */
export const keepNothing: Keeping = { keepFor () {}, elements: async (_endpoint, inputs, fetch) => await fetch(inputs) }

/** Runs an endpoint on input that its own schema has accepted. Throws RelayError; a foreign error is a bug. */
export async function perform (endpoint: AnyEndpoint, input: unknown, asker: Asker, shared: Shared, keeping: Keeping = keepNothing): Promise<unknown> {
  const { credential, cookie = none, signal, client, onExchange } = asker
  if (endpoint.login === 'required' && credential === undefined) {
    throw new RelayError('LOGIN_REQUIRED', cookie.source === 'none'
      ? 'This endpoint needs a login: pass a cookie with key and account, or scan a login QR code first.'
      : 'This endpoint needs a login, and the cookie lacks key, account or both: it is name=value pairs, uin and provider_keyst among them.')
  }
  const { provider, logins, exposeGlobalCookie, listener, detailSlots, midBatchSize, imageOrigin, log } = shared
  const upstream = provider.forRequest({ credential, signal, listener, onExchange })
  try {
    const login = logins.forRequest({ signal, client, onExchange })
    return await endpoint.run(input as never, { upstream, credential, shownCookie: shownPairs(cookie, exposeGlobalCookie), login, detailSlots, midBatchSize, imageOrigin, log, ...keeping })
  } finally {
    upstream.end()
  }
}

/**
 * The finished body, shared by all who ask for the same; undefined when this endpoint's answers are not kept or the
 * asker brought a cookie. The fetch belongs to nobody: it goes on when its asker leaves.
 */
export function performShared (endpoint: AnyEndpoint, input: unknown, asker: Omit<Asker, 'signal'>, reload: boolean, shared: Shared): Found | Promise<Found> | undefined {
  const { cache } = shared
  if (cache === undefined || endpoint.cache === undefined) return undefined
  const identity = identityOf(asker, shared)
  if (identity === undefined) return undefined
  return cache.find(keyOf(endpoint, input, identity), async () => await make({ endpoint, input, asker, identity, reload }, shared, cache), reload)
}

/** `undefined`: an account of the request's own. Its answers are never kept, even where it is no login. */
function identityOf ({ cookie = none, credential }: Asker, { globalName }: Shared): string | undefined {
  if (cookie.source !== 'none' && cookie.source !== 'global') return undefined
  return credential === undefined ? anonymous : globalName(credential)
}

/** Endpoint, identity and input; parameters in the order of the schema, with defaults, so that equal questions have equal keys. */
function keyOf (endpoint: AnyEndpoint, input: unknown, identity: string): string {
  let key = `${identity} ${endpoint.path}`
  for (const name in endpoint.input.properties) {
    const value = (input as Record<string, unknown>)[name]
    if (value !== undefined) key += ` ${name}=${typeof value === 'number' || typeof value === 'boolean' ? value : JSON.stringify(value)}`
  }
  return key
}

/** Collects of which calls an answer is made: the names of those that were answered, each once, in that order. */
export class Sources {
  readonly #names = new Set<string>()

  add (names: Iterable<string> = []): void {
    for (const name of names) this.#names.add(name)
  }

  toString (): string { return [...this.#names].join(', ') }
}

/** What makes an answer. `reload`: of no copies. */
interface Question { readonly endpoint: AnyEndpoint, readonly input: unknown, readonly asker: Asker, readonly identity: string, readonly reload: boolean }

/** Runs the endpoint and finishes its answer, which says how long it holds and of which copies it is made. */
async function make ({ endpoint, input, asker, identity, reload }: Question, shared: Shared, cache: Cache): Promise<Kept> {
  const begun = cache.now()
  const sources = new Sources()
  /** Copies it is made of. */
  const parts: Kept[] = []
  let limit: Times | undefined
  const atMost = (times: Times): void => { if (limit === undefined || times.fresh < limit.fresh) limit = times }
  const finish = (of: AnyEndpoint, record: unknown, since: number): Kept => {
    const own = timesOf[of.cache ?? 'brief']
    const times = limit !== undefined && limit.fresh < own.fresh ? limit : own
    const scope = identity === anonymous && shared.publicAnswers ? 'public' : 'private'
    const body = Buffer.from(JSON.stringify(of.envelope.wrap(record)))
    return { body, etag: etagOf(body), cacheControl: `${scope}, max-age=${times.fresh / 1000}`, source: String(sources), since, times }
  }
  const keeping: Keeping = {
    keepFor (keep) { atMost(timesOf[keep]) },
    async elements<T> (of: AnyEndpoint, inputs: readonly unknown[], fetch: (missing: readonly never[]) => Promise<readonly Settled<T>[]>): Promise<Settled<T>[]> {
      const copies = inputs.map((one) => reload ? undefined : cache.fresh(keyOf(of, one, identity)))
      const missing = inputs.filter((_one, at) => copies[at] === undefined)
      const fetched = missing.length === 0 ? [] : [...await fetch(missing as never[])]
      return copies.map((copy, at) => {
        if (copy !== undefined) {
          parts.push(copy)
          sources.add(copy.source.split(', '))
          return { value: of.envelope.unwrap(JSON.parse(copy.body.toString())) as T }
        }
        const settled = fetched.shift() as Settled<T>
        if (settled.error === undefined) cache.keep(keyOf(of, inputs[at], identity), finish(of, settled.value, begun))
        return settled
      })
    }
  }
  const onExchange = (exchange: Exchange): void => {
    sources.add(exchange.answered)
    asker.onExchange?.(exchange)
  }
  const record = await perform(endpoint, input, { ...asker, onExchange }, shared, keeping)
  // An answer is as old as its oldest part, and holds no longer than the one that holds shortest.
  for (const { times } of parts) atMost(times)
  return finish(endpoint, record, Math.min(begun, ...parts.map(({ since }) => since)))
}
