/**
 * The one validator: HTTP, library and tools accept and refuse the same things with the same words.
 * Query and path texts are first converted by a strict grammar; bodies and library values never are.
 */
import { Ajv } from 'ajv'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { TObject, TSchema } from '@sinclair/typebox'
import { InvalidInput } from './errors.ts'

export type Raw = Readonly<Record<string, unknown>>

export interface InputReader {
  /**
   * Texts of a query and path: `5` is a number where one is wanted, empty counts as absent except for texts. A frozen
   * question is looked at once, and answered with the same frozen input from then on.
   */
  fromText (schema: TObject, raw: Raw): unknown
  /** Values of a body or a library call, taken as they are. */
  fromValues (schema: TObject, raw: unknown): unknown
}

/** Also of the checks that build/client.ts makes beforehand. */
export const validatorOptions = { strict: false, meta: false, validateSchema: false, strictNumbers: true, useDefaults: true, verbose: true } as const

export function createInputReader (): InputReader {
  const ajv = new Ajv(validatorOptions)
  const compiled = new WeakMap<TObject, ValidateFunction>()
  const known = new WeakMap<TObject, WeakMap<Raw, unknown>>()

  function check (schema: TObject, input: Record<string, unknown>): unknown {
    let validate = compiled.get(schema)
    if (validate === undefined) {
      validate = ajv.compile(schema)
      compiled.set(schema, validate)
    }
    if (!validate(input)) throw new InvalidInput(sentence(validate.errors?.[0]))
    return input
  }

  return {
    fromText (schema, raw) {
      if (!Object.isFrozen(raw)) return check(schema, ownOf(schema, raw, textToValue))
      let inputs = known.get(schema)
      if (inputs === undefined) known.set(schema, inputs = new WeakMap())
      let input = inputs.get(raw)
      if (input === undefined) inputs.set(raw, input = Object.freeze(check(schema, ownOf(schema, raw, textToValue))))
      return input
    },
    fromValues (schema, raw) {
      if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new InvalidInput('body: must be a JSON object.')
      // A new object: defaults are filled in, and the caller's stays as it was.
      return check(schema, ownOf(schema, raw as Raw, (value) => value))
    }
  }
}

/** Only the parameters of this endpoint; everything else (a cookie among them) is ignored. */
function ownOf (schema: TObject, raw: Raw, convert: (value: unknown, schema: TSchema) => unknown): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(raw, name) ? convert(raw[name], property) : undefined
    // Half a character has no form in an address.
    if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) throw new InvalidInput(`${name}: must be well-formed Unicode text.`)
    if (value !== undefined) input[name] = value
  }
  return input
}

const booleans: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false }

/** What does not fit the grammar stays text, and the check refuses it. */
export function textToValue (text: unknown, schema: TSchema): unknown {
  const type: unknown = schema['type']
  if (type === 'string' || typeof text !== 'string') return text
  if (text === '') return undefined
  // One beyond 2^53 would become another number: left as text, it is refused.
  if (type === 'integer') return /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text
  if (type === 'boolean') return Object.hasOwn(booleans, text) ? booleans[text] : text
  return text
}

/** `limit: must be a whole number from 1 to 100.` */
export function sentence (error: ErrorObject | undefined): string {
  if (error === undefined) return 'The input is refused.'
  const where = error.instancePath.slice(1).replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')
  if (error.keyword === 'required') {
    const name = String(error.params['missingProperty'])
    return `${where === '' ? name : `${where}.${name}`}: is required.`
  }
  return `${where || 'input'}: ${wanted(error.parentSchema as TSchema | undefined)}.`
}

/** What a schema allows, in words. `x-allowed` says it where the schema cannot. */
function wanted (schema: TSchema | undefined): string {
  if (schema === undefined) return 'is not allowed'
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema as Record<string, number | undefined>
  const range = (unit: string, low: number | undefined, high: number | undefined): string =>
    low !== undefined && high !== undefined ? ` ${low} to ${high}${unit}` : high !== undefined ? ` at most ${high}${unit}` : low !== undefined ? ` at least ${low}${unit}` : ''
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
