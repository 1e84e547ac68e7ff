/** The upstream as endpoints see it: calls as values, and three functions that send them. */
import type { UpstreamError } from '../common/errors.ts'
import type { Verdict } from '../common/kinds.ts'
import type { CodeTable } from './wire/codes.ts'
import type { Answer } from './read/read.ts'

/** The client program that a call claims to come from. Some calls answer only one. */
export type CommKind = 'web' | 'desktop' | 'signed' | 'olderDesktop' | 'mobile' | 'phone' | 'lite' | 'plaza' | 'feed'

/** A module/method pair of the batch gateway. Numbers in `param` must be numbers: the upstream checks JSON types. */
export interface MusicuRequest {
  readonly module: string
  readonly method: string
  readonly param: Readonly<Record<string, unknown>>
  readonly comm?: CommKind
  /** The upstream refuses quick repeats: requests with such a call take turns (searchTurns.ts). */
  readonly takesTurns?: true
  /** Shares no POST with calls of other requests (batching.ts). */
  readonly alone?: true
}

/** A classic CGI call. */
export interface ClassicRequest {
  /** Personal pages have their own host. */
  readonly host?: 'classic' | 'profile'
  readonly path: string
  readonly query: Readonly<Record<string, string | number>>
  /**
   * The part of its host that it belongs to, if that has several paths: when these fail, the others may well answer.
   */
  readonly part?: 'search'
  readonly referer?: string
  /**
   * The format of the answer. Most calls answer JSON. A few answer XML or HTML, which the reader gets as one text.
   * `redirect`: the redirect is not followed; the reader gets `status` (3xx, 404 or 200) and `location`. Such a call
   * sends no account.
   */
  readonly as?: 'json' | 'text' | 'redirect'
  /** Sends no account, even for a logged-in caller. */
  readonly nameless?: true
}

/** Conditions under which `firstOf` sends an alternative. */
interface Conditions {
  /** Send it only if the last alternative that was sent failed like this, or none was sent. */
  readonly after?: (error: UpstreamError) => boolean
  /** Never skip it, however often it failed: no other alternative detects what this one refuses. */
  readonly always?: true
  /** An answer without the data counts as a failure if a later alternative has the data. */
  readonly emptyCounts?: true
}

/** A long-standing state of a call that needs no attention. */
export interface KnownIssue {
  readonly verdict: Verdict
  /** The explanation in the doctor's report. */
  readonly note: string
  /** When it was first seen: a year, or a year and a month. */
  readonly since: string
}

/**
 * An upstream call is a value: what to send, and a pure function that reads the answer.
 * `read` gets the data of the call (batch gateway) or the whole body (classic), after the codes were checked.
 */
export interface UpstreamCall<T, A extends MusicuRequest | ClassicRequest = MusicuRequest | ClassicRequest>
  extends Conditions {
  /** Our name of the call, like `lyric.classic`. It appears in logs, counters and drift reports. */
  readonly name: string
  readonly request: A
  /** Codes whose meaning differs from the general one. */
  readonly codes?: CodeTable
  /**
   * Optional fields that may be missing from a whole answer, each by its first name. A `*` at the end matches any rest.
   */
  readonly optionalFields?: readonly string[]
  /** The call no longer works but may work again one day. The doctor reports this state as ok. */
  readonly knownIssue?: KnownIssue
  readonly read: (answer: Answer) => T
}

/** A call of the batch gateway. */
export type MusicuCall<T> = UpstreamCall<T, MusicuRequest>
/** A call of the classic CGIs. */
export type ClassicCall<T> = UpstreamCall<T, ClassicRequest>

/** A value or an error. */
export type Settled<T> = { readonly value: T, readonly error?: undefined } | {
  readonly value?: undefined,
  readonly error: Error
}

/** The outcomes of several calls, in their order. */
export type SettledAll<C extends readonly unknown[]> = {
  [I in keyof C]: C[I] extends MusicuCall<infer T> | WithFallback<infer T> ? Settled<T> : never
}

/**
 * Several gateway calls that together answer one request, sent in one POST. `read` gets all their outcomes; its error
 * counts like that of a single call. The name is the name of the decisive call.
 */
export interface CompositeCall<T, C extends readonly MusicuCall<unknown>[] = readonly MusicuCall<unknown>[]>
  extends Conditions {
  readonly name: string
  /** Codes whose meaning differs from the general one, as in the decisive call. */
  readonly codes?: CodeTable
  readonly calls: C
  read (settled: SettledAll<C>): T
}

/** One of several calls for the same data. */
export type Alternative<T> = UpstreamCall<T> | CompositeCall<T>

/** A call of `sendAll`, and its fallback: a call for the same data that is sent when the first one fails. */
export type WithFallback<T> = readonly [MusicuCall<T>, MusicuCall<T>]

/**
 * Sends calls for one request of a caller. After a broken connection there is one further attempt: a retry, or the next
 * alternative instead. Every further attempt uses the relay's retry budget, except when one call fails a shared POST
 * and the others are sent again (`sendAll`).
 */
export interface Upstream {
  /** Whether the request has a login, from its caller or from the relay's global cookie. */
  readonly loggedIn: boolean
  /** Sends one call. Throws UpstreamError. */
  send<T> (call: UpstreamCall<T>): Promise<T>
  /**
   * Sends several calls in one POST, or in several POSTs for more than 20. Each call settles on its own. Throws only
   * when no call was answered. All calls must use the same `comm`. After a 5xx for calls of several modules, each call
   * is sent again alone, regardless of the retry budget: one failing call fails the whole POST. If several modules are
   * refused by HTTP, or their answer cannot be read, they are asked once more, with the fallbacks of those that have
   * one. Fallbacks of failed calls follow in a second POST; when a fallback fails too, the first error stays.
   */
  sendAll<const C extends readonly (MusicuCall<unknown> | WithFallback<unknown>)[]> (calls: C): Promise<SettledAll<C>>
  /**
   * Returns the result of the first alternative that succeeds. Moves on when a call is at fault (retired, refused for
   * platform reasons, failing with 5xx, unexpectedly empty, unreadable) and, once, when the connection broke. Never
   * moves on after a timeout or a mistake of the caller. After a 5xx or a broken connection the next one uses the retry
   * budget. Skips calls that failed several times in a row, except the last alternative. If all fail, throws the first
   * error, or UPSTREAM_EMPTY if one answered without the data. Its `cause` is then the failure of another alternative
   * that could have returned the data. The first error that `matters` accepts comes before both.
   */
  firstOf<T> (calls: readonly Alternative<T>[], matters?: (error: UpstreamError) => boolean): Promise<T>
  /** Reports that calls correctly answered without rows, so that their health counts as answered. */
  confirmEmpty (calls: Iterable<string>): void
}

// Outcomes as values, for work that continues when a part of it fails.

/** Returns the promise's value or error. Never rejects. */
export async function settle<T> (work: Promise<T>): Promise<Settled<T>> {
  return await work.then((value) => ({ value }), (error: unknown) => ({ error: error as Error }))
}

/** Returns what the work returns or throws. */
export function settled<T> (work: () => T): Settled<T> {
  try {
    return { value: work() }
  } catch (error) {
    return { error: error as Error }
  }
}

/** Returns the value, or throws the error. */
export function valueOf<T> ({ value, error }: Settled<T>): T {
  if (error !== undefined) throw error
  return value as T
}
