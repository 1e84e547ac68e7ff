/**
 * The only validator: HTTP, library and tools accept the same input and give the same error messages. Query and path
 * texts are first converted by a strict grammar. Bodies and library values never are. One rule for absence holds
 * everywhere: an empty text and JSON null count as a parameter that was left out.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TObject, TSchema } from '@sinclair/typebox'
import { InvalidInput } from '../common/errors.ts'

/** Parameters before validation. */
export type RawInput = Readonly<Record<string, unknown>>

export type InputValidator = ReturnType<typeof createInputValidator>

/** Options of Ajv, also used for the checks that build/client.ts compiles at build time. */
export const validatorOptions = {
  strict: false,
  meta: false,
  validateSchema: false,
  strictNumbers: true,
  useDefaults: true,
  verbose: true
} as const

/**
 * Returns a validator that compiles each schema once, at its first use. Both functions return a new object with the
 * endpoint's own parameters and their defaults. They throw InvalidInput.
 */
export function createInputValidator () {
  // A schema compiles in half the time, and a check takes a tenth of a microsecond longer.
  const ajv = new Ajv({ ...validatorOptions, code: { optimize: false } })
  const compiled = new WeakMap<TObject, ValidateFunction>()

  function check (schema: TObject, input: Record<string, unknown>): unknown {
    let validate = compiled.get(schema)
    if (validate === undefined) {
      validate = ajv.compile(schema)
      compiled.set(schema, validate)
    }
    if (!validate(input)) {
      throw new InvalidInput(
        sentence(validate.errors?.[0]),
        validate.errors?.[0]?.keyword === 'required' ? 'missing' : undefined
      )
    }
    return input
  }

  return {
    /** Validates texts of a query and path. `5` becomes a number if the schema requires one. */
    fromText: (schema: TObject, raw: RawInput) => check(schema, ownOf(schema, raw, textToValue)),
    /** Validates values of a body or a library call, without conversion. */
    fromValues (schema: TObject, raw: unknown): unknown {
      if (
        typeof raw !== 'object' || raw === null || Array.isArray(raw)
      ) { throw new InvalidInput('body: must be a JSON object.') }
      return check(schema, ownOf(schema, raw as RawInput, withoutNulls))
    }
  }
}

/**
 * Returns only the parameters of this endpoint and ignores all others, such as a cookie. A parameter is also ignored if
 * its schema names a given one in `x-unless`. An empty text is absent, except where the interface has it as an error:
 * `x-empty`.
 */
function ownOf (
  schema: TObject,
  raw: RawInput,
  convert: (value: unknown, schema: TSchema) => unknown
): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties)) {
    const isEmptyError = raw[name] === '' && property['x-empty'] === 'error'
    if (!(isGiven(raw, name) || isEmptyError) || isGiven(raw, property['x-unless'])) continue
    const value = convert(raw[name], property)
    // A lone surrogate cannot be encoded in a URL.
    if (
      typeof value === 'string' && /\p{Surrogate}/u.test(value)
    ) { throw new InvalidInput(`${name}: must be well-formed Unicode text; in an address, percent-encode it as UTF-8.`) }
    if (property['x-mid'] === true && holdsNumber(value)) throw new InvalidInput(`${name}: is a number, not a MID. ${whereMidIs(schema, name)}`)
    input[name] = value
  }
  return input
}

/**
 * Whether a MID, or one of several, is a number. The upstream knows no such MID, and answers as for a song without a
 * lyric.
 */
export function holdsNumber (mid: unknown): boolean {
  return typeof mid === 'string' && mid.split(',').some((each) => /^[1-9]\d{0,12}(?:\.\w+)?$/.test(each))
}

/** Returns what to do with a number instead of a MID. */
function whereMidIs ({ properties, required = [] }: TObject, name: string): string {
  if (name === 'singermid') return 'A search for the name of the singer finds the MID.'
  return `${properties['songid'] === undefined || required.includes(name) ? '' : 'Send it as songid=. '}/resolve?text= finds the MID of a number.`
}

function isGiven (raw: RawInput, name: unknown): boolean {
  return typeof name === 'string' && Object.hasOwn(raw, name) && !isAbsent(raw[name])
}

/**
 * Whether a value counts as left out. Forms send empty fields, and many programs send null for fields that they do not
 * set.
 */
export function isAbsent (value: unknown): value is '' | null | undefined {
  return value === undefined || value === null || value === ''
}

/** Writes null as an empty text in the lists of a list: `[mid, null]` means `[mid, ""]`. */
function withoutNulls (value: unknown): unknown {
  if (!Array.isArray(value)) return value
  return value.map((row: unknown) => Array.isArray(row) ? row.map((each: unknown) => each ?? '') : row)
}

/** Booleans as query texts. Python writes the capitalised ones. */
const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  True: true,
  1: true,
  false: false,
  False: false,
  0: false
}

/**
 * Converts a text to the type of its schema. A text that does not match the grammar stays text, and validation refuses
 * it.
 */
export function textToValue (text: unknown, schema: TSchema): unknown {
  const type: unknown = schema['type']
  if (type === 'string' || typeof text !== 'string') return text
  // Apps of other relays send true and false for switches of 0 and 1.
  if (String(schema['enum']) === '0,1' && Object.hasOwn(booleans, text)) return Number(booleans[text])
  // Beyond 2^53 the number would change. As text it is refused.
  if (type === 'integer') return /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text
  if (type === 'boolean') return Object.hasOwn(booleans, text) ? booleans[text] : text
  return text
}

/** Added to messages about ids, because people have links rather than ids. */
const whereIdsAre = ' /resolve?text= finds it in a link.'

/** Returns a validation error as a sentence, such as `limit: must be a whole number from 1 to 100.` */
export function sentence (error: ErrorObject | undefined): string {
  if (error === undefined) return 'The input is refused.'
  const where = error.instancePath.slice(1).replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')
  if (error.keyword === 'required') {
    const name = String(error.params['missingProperty'])
    return `${where === '' ? name : `${where}.${name}`}: is required.`
  }
  const schema = error.parentSchema as TSchema | undefined
  return `${where || 'input'}: ${expectation(schema)}.${schema?.['x-findable'] === true ? whereIdsAre : ''}`
}

/** Describes the values that a schema allows. `x-allowed` contains the description where the schema cannot give one. */
function expectation (schema: TSchema | undefined): string {
  if (schema === undefined) return 'is not allowed'
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema as Record<string, number | undefined>
  const range = (unit: string, low: number | undefined, high: number | undefined): string =>
    low !== undefined && high !== undefined
      ? ` ${low} to ${high}${unit}`
      : high !== undefined
      ? ` at most ${high}${unit}`
      : low !== undefined
      ? ` at least ${low}${unit}`
      : ''
  if (schema['x-allowed'] !== undefined) return `must be ${String(schema['x-allowed'])}`
  if (Array.isArray(schema['enum'])) return `must be one of ${(schema['enum'] as unknown[]).join(', ')}`
  switch (schema['type']) {
    case 'integer': return `must be a whole number${minimum !== undefined && maximum !== undefined ? ` from ${minimum} to ${maximum}` : ''}`
    case 'boolean': return 'must be true or false'
    case 'string': return `must be a text${range(' characters', minLength, maxLength) && ` of${range(' characters', minLength, maxLength)}`}`
    case 'array': return `must be a list${range(' elements', minItems, maxItems) && ` of${range(' elements', minItems, maxItems)}`}`
    default: return 'must be a JSON object'
  }
}
