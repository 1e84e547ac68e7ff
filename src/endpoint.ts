/**
 * An endpoint is one file that exports one plain object: its contract, and `run`, an ordinary function that
 * composes upstream calls. Routes, library, OpenAPI and tools are derived from it.
 * A new field needs three endpoints that use it; until then it is code inside `run`.
 */
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { LimitFunction } from 'p-limit'
import type { BaseLogger } from 'pino'
import type { Filled } from '../schemas/common.ts'
import type { Envelope } from '../schemas/envelopes.ts'
import type { Pair } from './cookies.ts'
import type { Login } from './login/logins.ts'
import type { Credential } from './provider/credentials.ts'
import type { Settled, Upstream } from './provider/upstream.ts'

/** How long a finished answer may be reused; absent means never. The times of each class live in one table. */
export type CacheClass = 'immutable' | 'slow' | 'charts' | 'lively' | 'query' | 'short-lived'

/** The same, and `brief` for what should soon be asked for again. */
export type Keep = CacheClass | 'brief'

/** What `run` may use besides its input. */
export interface Context {
  readonly upstream: Upstream
  /** Who asks, when a cookie with key and account was given. */
  readonly credential: Credential | undefined
  /** The cookie of this request as it may be shown to who asks: neutral names, and no value of the global one unless that is allowed. */
  readonly shownCookie: readonly Pair[]
  readonly login: Login
  /** The detail requests of `resolveMid`: at most five at once for the whole relay. */
  readonly detailSlots: LimitFunction
  /** How many of these details travel in one request. */
  readonly midBatchSize: number
  /** Where picture addresses point. */
  readonly imageOrigin: string
  /** This answer lacks something, or may soon be another: it is kept no longer than this. */
  readonly keepFor: (keep: Keep) => void
  /** Records of another endpoint that this answer is made of: copies where there are any, `fetch` for the rest. In order. */
  readonly elements: <I extends TObject, R extends TSchema>(
    endpoint: Endpoint<I, R>,
    inputs: readonly Filled<I>[],
    fetch: (missing: readonly Filled<I>[]) => Promise<readonly Settled<Static<R>>[]>
  ) => Promise<readonly Settled<Static<R>>[]>
  readonly log: Pick<BaseLogger, 'debug' | 'info' | 'warn'>
}

export interface Endpoint<I extends TObject = TObject, R extends TSchema = TSchema> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** This parameter may also be the last part of the path. */
  readonly pathParam?: string
  /** Further paths with the same answers, for compatibility. */
  readonly aliases?: readonly string[]
  /** Family: groups the documentation. */
  readonly tag: string
  readonly summary: string
  /** What a stranger must know before the first call: behaviour, oddities, what absence means. */
  readonly description: string
  /** An input that works on the demo upstream; a test runs it. */
  readonly example: Partial<Static<I>>
  /** Query parameters (GET) or body (POST). */
  readonly input: I
  /** The bare result, without envelope. */
  readonly record: R
  readonly envelope: Envelope
  /** Absent: none needed. `optional`: the answer depends on it. `required`: LOGIN_REQUIRED without. */
  readonly login?: 'optional' | 'required'
  readonly cache?: CacheClass
  readonly run: (input: Filled<I>, context: Context) => Promise<Static<R>> | Static<R>
}

/** Gives a definition its types. */
export function endpoint<I extends TObject, R extends TSchema> (definition: Endpoint<I, R>): Endpoint<I, R> {
  return definition
}

/** An endpoint of any input and record, as the adapters handle it. `run` receives what its own schema accepted. */
export type AnyEndpoint = Omit<Endpoint, 'run' | 'example'> & {
  readonly example: Readonly<Record<string, unknown>>
  readonly run: (input: never, context: Context) => unknown
}

/** A path that an endpoint answers. `param`: its last part is the value of `pathParam`. */
export interface Form { readonly kind: 'own' | 'param' | 'alias', readonly path: string }

/** All of them: its own, the one with the parameter in the path, the aliases. */
export function formsOf ({ path, pathParam, aliases = [] }: Pick<AnyEndpoint, 'path' | 'pathParam' | 'aliases'>): Form[] {
  return [
    { kind: 'own', path },
    ...pathParam === undefined ? [] : [{ kind: 'param', path: `${path}/:${pathParam}` } as const],
    ...aliases.map((alias) => ({ kind: 'alias', path: alias } as const))
  ]
}
