/** Rows of answers: texts and pictures ("" if absent; `needText` throws), and what stands in for missing parts. */
import { RelayError, rowOf } from '../../common/errors.ts'
import { upstreamEmpty } from '../../common/kinds.ts'
import type { Context } from '../../relay/endpoint.ts'
import type { Settled } from '../../upstream/calls.ts'
import { maybe, need, type Answer } from '../../upstream/read/read.ts'
import { httpsPicture, plainText, unescapeText, webAddress } from '../../upstream/read/text.ts'

/** Returns a name or title with HTML entities decoded. Throws UPSTREAM_UNREADABLE if there is none. */
export const needText = (row: Answer, ...paths: string[]): string => unescapeText(need.text(row, ...paths))

/** Returns a name or title with HTML entities decoded; "" if there is none. */
export const textOf = (row: Answer, ...paths: string[]): string => unescapeText(maybe.text(row, ...paths) ?? '')

/**
 * Returns the name of a row that a number or MID identifies: "" if the upstream sends an empty one, so that the row
 * stays. Throws UPSTREAM_UNREADABLE if it sends none of these fields, because then their names have changed.
 */
export function nameOf (row: Answer, ...paths: string[]): string {
  const values = paths.map((path) => row.reach(path))
  const isEmpty = values.some((value) => value === '' || value === null)
    && values.every((value) => (value ?? '') === '')
  return isEmpty ? '' : needText(row, ...paths)
}

/** Like `nameOf` for a row that may lack both its number and its MID (`ids`): then it is no row without a name. */
export function nameOfKnown (row: Answer, ids: readonly (number | string)[], ...paths: string[]): string {
  return ids.some((id) => id !== 0 && id !== '') ? nameOf(row, ...paths) : needText(row, ...paths)
}

/** Returns a description with several lines; "" if there is none. */
export const proseOf = (row: Answer, ...paths: string[]): string => plainText(maybe.text(row, ...paths) ?? '')

/** Returns the URL of a page; "" if there is none. */
export const addressOf = (row: Answer, ...paths: string[]): string => webAddress(maybe.text(row, ...paths) ?? '')

/** Returns the HTTPS URL of a picture; "" if there is none. */
export const pictureOf = (row: Answer, ...paths: string[]): string => httpsPicture(maybe.text(row, ...paths) ?? '')

/** Returns the value, or undefined after a RelayError that `tolerates` accepts. Throws every other error. */
export async function optional<T> (
  promise: Promise<T>,
  tolerates: (error: RelayError) => boolean
): Promise<T | undefined> {
  return await promise.catch((error: unknown) => {
    if (error instanceof RelayError && tolerates(error)) return undefined
    throw error
  })
}

/** True if the upstream answered without the data. */
export const isEmpty = ({ code }: RelayError): boolean => code === 'UPSTREAM_EMPTY'

/**
 * True if the upstream answered without the data, so that the item may not exist. Throws the failure of another call
 * whose answer was unreadable: then it is unknown whether the item exists.
 */
export function isUnknown (error: RelayError): boolean {
  if (!isEmpty(error)) return false
  if (error.cause instanceof RelayError && error.cause.code === 'UPSTREAM_UNREADABLE') throw error.cause
  return true
}

/**
 * Records that a part of the answer is missing: the answer is cached briefly, and the reason is logged at debug level.
 * Returns true, so that `optional` tolerates the error. Throws the refusal of a login if there is an answer without it.
 */
export function noteMissing (
  { cacheAtMost, loginRefused, log }: Pick<Context, 'cacheAtMost' | 'loginRefused' | 'log'>,
  error: Error,
  message: string
): true {
  const { call, code } = error as { call?: string, code?: string }
  cacheAtMost('brief')
  if (code === 'COOKIE_REJECTED') loginRefused(error)
  log.debug({ call, reason: code }, message)
  return true
}

export function uniqueBy<T> (rows: readonly T[], keyOf: (row: T) => string | number): T[] {
  const seen = new Set<string | number>()
  return rows.filter((row) => {
    const key = keyOf(row)
    return !seen.has(key) && seen.add(key)
  })
}

export const chunksOf = <T>(rows: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.ceil(rows.length / most) }, (_, at) => rows.slice(at * most, (at + 1) * most))

// For lists that always have rows.

/** Returns the rows. Throws UPSTREAM_EMPTY without any: a blocked call looks like that and would be cached. */
export function someRows<T> ({ call }: Answer, what: string, rows: T[]): T[] {
  if (rows.length === 0) throw upstreamEmpty(call, what)
  return rows
}

// Days in the upstream's time zone: eight hours ahead of UTC, without summer time.

const aheadMs = 8 * 3_600_000
/** Later seconds have no date of ten characters. */
const lastSecond = Date.parse('9999-12-31T00:00:00Z') / 1000

/** Returns Unix seconds as YYYY-MM-DD; "" for 0 and for numbers that are not a date. */
export function dayInChina (seconds: number): string {
  return seconds > 0 && seconds < lastSecond ? new Date(seconds * 1000 + aheadMs).toISOString().slice(0, 10) : ''
}

/** Returns the Unix seconds at which a YYYY-MM-DD day begins; 0 if the text is not a day. */
export function midnightInChina (day: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) - aheadMs : Number.NaN
  return Number.isNaN(ms) ? 0 : ms / 1000
}

/**
 * Returns a random number as a string. It identifies one search: the gateway's search calls require a new one each
 * time. It is not a secret, so the slower secure random source is not needed.
 */
export const randomId = (): string => String(Math.floor(1e13 + Math.random() * 9e13))

// Code for the batch endpoints: one failed element never fails the others, an upstream outage fails the whole batch.

/**
 * Returns one element per result: its value, or the result of `failed` for its error. Throws the first error if every
 * element failed because of an outage, any error that is a bug, and a refusal of the login if the request can be
 * repeated. An answer with an error in it is cached briefly.
 */
export async function elementsOf<T, F> (
  settled: readonly Settled<T>[],
  { cacheAtMost, loginEnded }: Pick<Context, 'cacheAtMost' | 'loginEnded'>,
  failed: (error: RelayError, index: number) => F
): Promise<(T | F)[]> {
  const errors = settled.flatMap(({ error }) => error === undefined ? [] : [error])
  const bug = errors.find((error) => !(error instanceof RelayError))
  if (bug !== undefined) throw bug
  if (
    errors.length > 0 && errors.length === settled.length && errors.every((error) => rowOf(error).stale === 'outage')
  ) { throw errors[0] }
  const refusal = errors.find((error) => (error as RelayError).code === 'COOKIE_REJECTED')
  if (refusal !== undefined) await loginEnded(refusal)
  if (errors.length > 0) cacheAtMost('brief')
  return settled.map(({ value, error }, index) => error === undefined ? value : failed(error as RelayError, index))
}

// @mutate readers: reading
