/** Converts schemas to self-contained JSON Schema, for readers that know neither our components nor OpenAPI. */
import type { TSchema } from '@sinclair/typebox'
import { components } from '../../schemas/index.ts'

export interface JsonSchema { readonly [keyword: string]: unknown }

const named: ReadonlyMap<string, TSchema> = new Map(components.map((schema) => [String(schema.$id), schema]))

/** Returns the schema with all that it refers to under `$defs`, without `nullable` and `x-` keywords. */
export function plainSchema (schema: TSchema): JsonSchema {
  const defs = new Map<string, unknown>()
  const plain = convert(schema, defs) as JsonSchema
  return defs.size === 0 ? plain : { ...plain, $defs: Object.fromEntries(defs) }
}

function convert (value: unknown, defs: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => convert(one, defs))
  if (typeof value !== 'object' || value === null) return value
  const { $id: _id, $ref: reference, nullable, properties, ...rest } = value as Record<string, unknown>
  const plain: Record<string, unknown> = {}
  for (const [keyword, inner] of Object.entries(rest)) {
    if (!keyword.startsWith('x-')) { plain[keyword] = convert(inner, defs) }
  }
  // The keys of `properties` are names, not keywords.
  if (typeof properties === 'object' && properties !== null) {
    plain['properties'] =
      Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, convert(inner, defs)]))
  }
  if (typeof reference === 'string') plain['$ref'] = define(reference.replace('#', ''), defs)
  if (nullable !== true) return plain
  const { description, ...type } = plain
  return { ...(description === undefined ? {} : { description }), anyOf: [type, { type: 'null' }] }
}

function define (name: string, defs: Map<string, unknown>): string {
  const schema = named.get(name)
  if (schema === undefined) throw new TypeError(`${name} is no component`)
  if (!defs.has(name)) {
    defs.set(name, {}) // a component may refer to itself
    defs.set(name, convert(schema, defs))
  }
  return `#/$defs/${name}`
}
