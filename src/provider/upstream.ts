/** What an endpoint may see of the upstream: calls as values, and three ways to send them. */
import type { UpstreamError } from '../errors.ts'
import type { Answer } from './read.ts'
import type { CodeTable } from './codes.ts'

/** Which client program a call says it comes from: some calls answer only one. */
export type CommKind = 'web' | 'desktop' | 'olderDesktop' | 'mobile' | 'plaza' | 'feed'

/** A module/method pair of the batch gateway. Numbers in `param` stay numbers: the upstream checks JSON types. */
export interface MusicuAsk {
  readonly module: string
  readonly method: string
  readonly param: Readonly<Record<string, unknown>>
  readonly comm?: CommKind
  /** Play URLs want the key in the body too. */
  readonly authst?: boolean
}

/** A classic CGI call. */
export interface ClassicAsk {
  /** Personal pages have a host of their own. */
  readonly host?: 'classic' | 'profile'
  readonly path: string
  readonly query: Readonly<Record<string, string | number>>
  readonly referer?: string
  /** Most answer JSON; a few answer XML or HTML, which the reader gets as one text. */
  readonly as?: 'json' | 'text'
}

/**
 * An upstream call is a value: what to send, and a pure function that reads the answer.
 * `read` sees the data of the call (batch gateway) or the whole body (classic), after the codes were checked.
 */
export interface UpstreamCall<T, A extends MusicuAsk | ClassicAsk = MusicuAsk | ClassicAsk> {
  /** Our name of the call, like `lyric.classic`: in logs, counters and drift reports. */
  readonly name: string
  readonly ask: A
  /** Codes that mean something else here than in general. */
  readonly codes?: CodeTable
  /** Optional fields that answers may lack altogether, by the first of their names; `*` at the end stands for any rest. */
  readonly sometimes?: readonly string[]
  readonly read: (answer: Answer) => T
}

export type MusicuCall<T> = UpstreamCall<T, MusicuAsk>
export type ClassicCall<T> = UpstreamCall<T, ClassicAsk>

export type Settled<T> = { readonly value: T, readonly error?: undefined } | { readonly value?: undefined, readonly error: Error }

/** A link that takes more than one call: named after the one that counts, whose error it throws. Sends over the upstream it is given. */
export interface Way<T> {
  readonly name: string
  readonly codes?: CodeTable
  readonly via: (upstream: Upstream) => Promise<T>
}

export type Link<T> = UpstreamCall<T> | Way<T>

export interface Upstream {
  /** Whether the caller of this request (or the relay's global cookie) is logged in. */
  readonly loggedIn: boolean
  /** Sends one call. Throws UpstreamError. */
  send<T> (call: UpstreamCall<T>): Promise<T>
  /**
   * Several calls in one POST; each settles on its own. Throws only when nothing was answered at all.
   * All calls of one batch use the same `comm`; at most 20.
   */
  sendAll<const C extends readonly MusicuCall<unknown>[]> (calls: C): Promise<{ [I in keyof C]: C[I] extends MusicuCall<infer T> ? Settled<T> : never }>
  /**
   * The first call that answers. Moves on when the call is at fault (retired, refused for platform reasons, empty
   * though it cannot be, unreadable) or the host broke off; never after a timeout, never for the caller's mistake.
   * When none has the data, throws the first call's error, or UPSTREAM_EMPTY where one answered without it.
   */
  firstOf<T> (calls: readonly Link<T>[]): Promise<T>
  /** The same without the one further attempt after a broken connection: something else will be tried then. */
  readonly once: Upstream
}

/** What a chain that `firstOf` cannot express goes on with: a broken connection leaves one attempt, not several. */
export function afterFailure (upstream: Upstream, error: UpstreamError): Upstream {
  return error.fault === 'host' ? upstream.once : upstream
}
