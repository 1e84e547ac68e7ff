/**
 * The definition of an endpoint. One file exports one plain object with its contract and `run`, an ordinary function
 * that composes upstream calls. Routes, library, OpenAPI and tools are derived from it. A new field needs three
 * endpoints that use it. Until then, it is code inside `run`.
 */
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { BaseLogger } from 'pino'
import type { Filled } from '../../schemas/common.ts'
import type { Envelope } from '../../schemas/envelopes.ts'
import type { TtlMap } from '../common/ttlMap.ts'
import type { CacheClass, CachePolicy } from '../cache/policy.ts'
import type { Pair } from '../upstream/wire/cookies.ts'
import type { Login } from '../upstream/login/logins.ts'
import type { Credential } from '../upstream/wire/credentials.ts'
import type { Settled, Upstream } from '../upstream/calls.ts'
import type { AccountFacts } from './accountBook.ts'
import type { DetailSlots, Songs } from './songFacts.ts'

/** State that all requests to the endpoints of one relay share. */
export interface EndpointState {
  /** Rows of upstream lists by list and position. Later pages continue from these cursors. */
  readonly listMarks: TtlMap<string>
  /** Origin of picture addresses. */
  readonly imageOrigin: string
  /** Returns the address of an audio file for players, on a host of the provider. Undefined if it names no file. */
  readonly playerAddress: (address: string) => string | undefined
  readonly log: Pick<BaseLogger, 'debug' | 'info' | 'warn'>
}

/** What `run` may use besides its input. */
export interface Context extends EndpointState {
  readonly upstream: Upstream
  /** Credential of the caller. Present if the cookie holds a key and an account. */
  readonly credential: Credential | undefined
  /**
   * The cookie of this request as the caller may see it, with neutral names. Values of the global cookie are shown only
   * if allowed.
   */
  readonly shownCookie: readonly Pair[]
  /**
   * The stored account whose login is used. Undefined if the request's own cookie is used or the relay stores no
   * account.
   */
  readonly stored: AccountFacts | undefined
  /**
   * Whether the caller may see the account of the login. False for the global login, unless the settings show its
   * cookie.
   */
  readonly isShown: boolean
  /**
   * Called when the upstream refuses the login in its answer. The answer then does not count as a sign of a valid
   * login. Throws the refusal if another key has replaced this one meanwhile, so that the request is repeated with the
   * new key, or if there is an answer without the caller's own login. Always throws it if the endpoint requires that.
   */
  readonly loginEnded: (refusal: Error) => Promise<void>
  /**
   * Called if the upstream refuses the login, and the answer says so by itself. With the `error` of a part that is
   * missing for that reason, it throws this if the request can be repeated without the caller's own login.
   */
  readonly loginRefused: (error?: Error) => void
  /** QR logins for this request. */
  readonly login: Login
  /** Slots for the detail requests of `resolveMid`: at most five at once for the whole relay. */
  readonly detailSlots: DetailSlots
  /** Facts of songs from earlier details. They save detail requests that would only return a number or a file name. */
  readonly songs: Songs
  /** Limits how long this answer is cached, because it is incomplete or may soon change. */
  readonly cacheAtMost: (policy: CachePolicy) => void
  /**
   * Records of another endpoint that make up this answer, in the order of `inputs`: fresh cache entries, and `fetch`
   * for the rest.
   */
  readonly elements: <I extends TObject, R extends TSchema>(
    endpoint: Endpoint<I, R>,
    inputs: readonly Filled<I>[],
    fetch: (missing: readonly Filled<I>[]) => Promise<readonly Settled<Static<R>>[]>
  ) => Promise<readonly Settled<Static<R>>[]>
}

/**
 * Items that exist upstream at the moment, as inputs for probes. A list is empty while no item is known. A probe that
 * maps over it then sends nothing.
 */
export interface SampleIds {
  readonly songs: readonly { readonly id: string, readonly mid: string, readonly title: string }[]
  readonly singers: readonly string[]
  readonly albums: readonly string[]
  readonly playlists: readonly string[]
  /** `word`: a search term that finds the MV. */
  readonly mvs: readonly { readonly vid: string, readonly word: string }[]
  /** Comments of a song that have replies. */
  readonly comments: readonly string[]
  /** The account of the cookie. */
  readonly accounts: readonly string[]
  /** Codes of QR logins that wait for a scan. */
  readonly mainQrCodes: readonly string[]
  readonly altQrCodes: readonly string[]
}

/** A song of a list, with the fields for a player's list. `mid`: "" if unknown. `seconds`: 0 if unknown. */
export interface ListedSong {
  readonly mid: string
  readonly title: string
  readonly artist: string
  readonly seconds: number
}

/** Contract and implementation of an endpoint. */
export interface Endpoint<I extends TObject = TObject, R extends TSchema = TSchema> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** This parameter may also be given as the last path segment. */
  readonly pathParam?: string
  /** Further paths with the same answer, for compatibility. */
  readonly aliases?: readonly string[]
  /** Group in the documentation. */
  readonly tag: string
  readonly summary: string
  readonly summaryInChinese: string
  /** What a new user must know before the first call: behaviour, oddities, the meaning of absent values. */
  readonly description: string
  /** An input that works with the demo upstream. A test runs it. */
  readonly example: Partial<Static<I>>
  /**
   * Inputs of the doctor. Together they reach every upstream call with as few requests as possible. `none`: there is no
   * upstream call.
   */
  readonly probe: 'none' | ((sampleIds: SampleIds) => readonly Static<I>[])
  /**
   * Returns sample ids from the record, for later probes of this and other endpoints. The first probe of an endpoint
   * that supplies others must not need any itself.
   */
  readonly samples?: (record: Static<R>) => Partial<SampleIds>
  /** Returns the songs of the record. With it, the answer is also available as M3U. */
  readonly songs?: (record: Static<R>) => readonly ListedSong[]
  /** Returns the number of songs of the list of which the record is a part. 0: unknown. */
  readonly total?: (record: Static<R>) => number
  /** Query parameters (GET) or body (POST). */
  readonly input: I
  /** The result without its envelope. */
  readonly record: R
  readonly envelope: Envelope
  /**
   * Absent: no login needed. `optional`: the answer depends on the login. `required`: fails with LOGIN_REQUIRED
   * without one.
   */
  readonly login?: 'optional' | 'required'
  /**
   * The optional login decides what may be played. Elsewhere, a key that may not call endpoints that need a login gets
   * the answer without an optional one.
   */
  readonly plays?: true
  /**
   * The endpoint fails with a login that has ended. Otherwise one without a required login answers as for no login,
   * with a warning.
   */
  readonly failsWithEndedLogin?: true
  /** Step of a QR login. It decides who may call the endpoint, how often, and how long the answer may take. */
  readonly loginStep?: 'start' | 'check'
  /** How long the answer is cached. Absent: never. */
  readonly cache?: CacheClass
  readonly run: (input: Filled<I>, context: Context) => Promise<Static<R>> | Static<R>
}

/** Returns the definition unchanged, with its types inferred. */
export function endpoint<I extends TObject, R extends TSchema> (definition: Endpoint<I, R>): Endpoint<I, R> {
  return definition
}

/**
 * An endpoint with any input and record, for code that handles all of them. `run` receives input that its own schema
 * accepted.
 */
export type AnyEndpoint = Omit<Endpoint, 'run' | 'example' | 'probe' | 'samples' | 'songs' | 'total'> & {
  readonly example: Readonly<Record<string, unknown>>
  readonly probe: 'none' | ((sampleIds: SampleIds) => readonly object[])
  readonly samples?: (record: never) => Partial<SampleIds>
  readonly songs?: (record: never) => readonly ListedSong[]
  readonly total?: (record: never) => number
  readonly run: (input: never, context: Context) => unknown
}

/** A path of an endpoint. `param`: the last segment is the value of `pathParam`. */
export interface RouteForm { readonly kind: 'own' | 'param' | 'alias', readonly path: string }

/** Returns all paths of an endpoint: its own, the one with the path parameter, and the aliases. */
export function formsOf (
  { path, pathParam, aliases = [] }: Pick<AnyEndpoint, 'path' | 'pathParam' | 'aliases'>
): RouteForm[] {
  return [
    { kind: 'own', path },
    ...pathParam === undefined ? [] : [{ kind: 'param', path: `${path}/:${pathParam}` } as const],
    ...aliases.map((alias) => ({ kind: 'alias', path: alias } as const))
  ]
}
