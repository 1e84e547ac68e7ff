/** Building blocks for all schema files. */
import {
  Type, type Static, type TObject, type TOptional, type TProperties, type TSchema, type TUnsafe
} from '@sinclair/typebox'

/** Key of the TypeScript type name in an enum schema. A symbol, so that no document and no validator sees it. */
export const typeName: unique symbol = Symbol('typeName')

/** In every record of rows: how many of them are missing here. */
export const skipped = Type.Integer({
  description: 'Number of rows that the upstream sent in this place and that are left out: empty ones, and ones that cannot be read. Usually 0. Rows that are left out keep their place: no page shifts.'
})

/** The same in records that have the rows of one page or of several lists. */
export const skippedInAll = Type.Integer({ description: 'Number of rows of the whole list that are left out: empty ones, and ones that cannot be read. Usually 0.' })

/** A property that is optional for the caller and always present for the endpoint. */
export type Defaulted<T extends TSchema> = TOptional<T> & { readonly defaulted: true }

/** A schema that is optional for the caller and never undefined for `run`. `{ default }` would make it required. */
export function defaulted<T extends TSchema> (schema: T, value: Static<T>): Defaulted<T> {
  return Type.Optional({ ...schema, default: value }) as unknown as Defaulted<T>
}

type DefaultedKeys<P extends TProperties> = {
  [K in keyof P]: P[K] extends { readonly defaulted: true } ? K : never
}[keyof P]

/** The input that `run` receives, with defaults applied. */
export type Filled<I extends TObject> =
  & Omit<Static<I>, DefaultedKeys<I['properties']>>
  & { [K in DefaultedKeys<I['properties']>]: Exclude<Static<I>[K & keyof Static<I>], undefined> }

/** Returns a reference to a named component (a schema with `$id`), so that generated clients get one named type. */
export function ref<T extends TSchema> (schema: T): TUnsafe<Static<T>> {
  return Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` })
}

/** Returns a schema that also allows null. OpenAPI 3.0 has no null type, only `nullable`. */
export function nullable<T extends TSchema> (schema: T): TUnsafe<Static<T> | null> {
  return Type.Unsafe<Static<T> | null>({ ...schema, nullable: true })
}

/** Returns a schema for one of several numbers. Any other number gets one clear error sentence. */
export function numberOf<const V extends readonly number[]> (
  values: V,
  options: { readonly description: string, readonly 'x-empty'?: 'error' }
): TUnsafe<V[number]> {
  return Type.Unsafe<V[number]>({ type: 'integer', enum: [...values], ...options })
}

/** Returns a schema for one of several strings. */
export function wordOf<const V extends readonly string[]> (
  values: V,
  options: { description?: string, default?: V[number], [typeName]?: string } = {}
): TUnsafe<V[number]> {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })
}

export const playReasons = ['NO_COOKIE', 'COOKIE_EXPIRED', 'PAID', 'NO_SUCH_QUALITY', 'NOT_FOUND', 'REGION', 'RISK_CONTROL', 'UNKNOWN'] as const

export const playReason = wordOf(playReasons, {
  [typeName]: 'PlayReason',
  description: 'Only without an address, or with that of a trial that was not asked for. NO_COOKIE: needs a login. COOKIE_EXPIRED: log in again. PAID: needs a subscription or a purchase. NO_SUCH_QUALITY: the song has no such file. NOT_FOUND: no such song or file. REGION: not offered where the relay runs. RISK_CONTROL: the upstream suspects a robot. UNKNOWN: none of these.'
})

export type PlayReason = Static<typeof playReason>

/** Pattern of the ids that the upstream calls MIDs (songs, singers, albums) and vids (MVs). */
export const midPattern = '^[0-9A-Za-z_]{1,32}$'

/** Marks an id that users may have as a link: its validation error names an endpoint that finds the id. */
export const findable = { 'x-findable': true } as const

/** Marks a MID: a number instead of it gets a sentence of its own. MIDs have 14 characters, a few digits only. */
export const isMid = { 'x-mid': true } as const

/** Returns the schema of a MID. `what` names its owner in the description. */
export function mid (what: string): ReturnType<typeof Type.String> {
  return Type.String({
    ...findable,
    ...isMid,
    pattern: midPattern,
    'x-allowed': '1 to 32 letters, digits or underscores',
    description: `MID of the ${what}: 1 to 32 letters, digits or underscores.`
  })
}

/** Returns the schema of the rows per page, with its default and maximum. */
export function limit (fallback: number, maximum = 100): Defaulted<ReturnType<typeof Type.Integer>> {
  return defaulted(Type.Integer({ minimum: 1, maximum, description: `Number of rows, 1 to ${maximum}.` }), fallback)
}

/** Returns the schema of a page counted from 0. `firstRow`: how its first row follows from it. */
export function pageFromZero (firstRow = 'page * limit'): Defaulted<ReturnType<typeof Type.Integer>> {
  return defaulted(
    Type.Integer({ minimum: 0, maximum: 10000, description: `Page, counted from 0; the first row is ${firstRow}.` }),
    0
  )
}

/** Returns the schema of a page counted from 1; 0 is accepted and also means the first page. */
export function pageFromOne (): Defaulted<ReturnType<typeof Type.Integer>> {
  return defaulted(
    Type.Integer({ minimum: 0, maximum: 10000, description: 'Page, counted from 1; 0 also means the first page.' }),
    1
  )
}

/** Returns the first row of a page counted from 1; 0 also means the first page. Rows count from 0. */
export function offsetFromOne (page: number, limitOfPage: number): number {
  return Math.max(0, page - 1) * limitOfPage
}

export const songId = (description: string): ReturnType<typeof Type.Integer> =>
  Type.Integer({ ...findable, minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })
