/** Pieces that every schema file uses. */
import { Type } from '@sinclair/typebox'
import type { Static, TObject, TOptional, TProperties, TSchema, TUnsafe } from '@sinclair/typebox'

/** A property that the caller may leave out and the endpoint always finds. */
export type Defaulted<T extends TSchema> = TOptional<T> & { readonly defaulted: true }

/**
 * Optional for the caller, never undefined for `run`.
 * A plain `{ default }` would be published as a required parameter, hence the wrapper.
 */
export function defaulted<T extends TSchema> (schema: T, value: Static<T>): Defaulted<T> {
  return Type.Optional({ ...schema, default: value }) as unknown as Defaulted<T>
}

type DefaultedKeys<P extends TProperties> = { [K in keyof P]: P[K] extends { readonly defaulted: true } ? K : never }[keyof P]

/** What `run` receives: the input with its defaults in place. */
export type Filled<I extends TObject> = Omit<Static<I>, DefaultedKeys<I['properties']>> & { [K in DefaultedKeys<I['properties']>]: Exclude<Static<I>[K & keyof Static<I>], undefined> }

/** A reference to a named component (a schema with `$id`), so that generated clients get one named type. */
export function ref<T extends TSchema> (schema: T): TUnsafe<Static<T>> {
  return Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` })
}

/** OpenAPI 3.0 has no null type; `nullable` is its word for it. */
export function nullable<T extends TSchema> (schema: T): TUnsafe<Static<T> | null> {
  return Type.Unsafe<Static<T> | null>({ ...schema, nullable: true })
}

/** One of a few numbers, with one clear sentence when it is another one. */
export function numberOf<const V extends readonly number[]> (values: V, options: { description?: string } = {}): TUnsafe<V[number]> {
  return Type.Unsafe<V[number]>({ type: 'integer', enum: [...values], ...options })
}

/** One of a few words. */
export function wordOf<const V extends readonly string[]> (values: V, options: { description?: string, default?: V[number] } = {}): TUnsafe<V[number]> {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })
}

/** The ids that the upstream calls MIDs (songs, singers, albums) and vids (MVs). */
export const midPattern = '^[0-9A-Za-z_]{1,32}$'

export function mid (what: string): ReturnType<typeof Type.String> {
  return Type.String({ pattern: midPattern, 'x-allowed': '1 to 32 letters, digits or underscores', description: `MID of the ${what}: 1 to 32 letters, digits or underscores.` })
}

/** Rows per page. */
export function limit (fallback: number, maximum = 100): Defaulted<ReturnType<typeof Type.Integer>> {
  return defaulted(Type.Integer({ minimum: 1, maximum, description: `How many rows, 1 to ${maximum}.` }), fallback)
}

/** Pages counted from 0. */
export function pageFromZero (): Defaulted<ReturnType<typeof Type.Integer>> {
  return defaulted(Type.Integer({ minimum: 0, maximum: 10000, description: 'Page, counted from 0; the first row is page * limit.' }), 0)
}

/** Pages counted from 1; 0 is accepted and means the first page too. */
export function pageFromOne (): Defaulted<ReturnType<typeof Type.Integer>> {
  return defaulted(Type.Integer({ minimum: 0, maximum: 10000, description: 'Page, counted from 1; 0 also means the first page.' }), 1)
}

/** First row of a page counted from 1 (0 = first). */
export function offsetFromOne (page: number, limitOfPage: number): number {
  return Math.max(0, page - 1) * limitOfPage
}

export const songId = (description = 'Number of the song.'): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })
