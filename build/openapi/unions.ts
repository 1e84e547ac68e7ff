/**
 * Replaces choices between schemas (`anyOf`). Many generators create a type for them that does not exist, or code that
 * does not compile. So the OpenAPI document has one schema instead that says less and matches every choice.
 */

type Json = Record<string, unknown>

/** Returns the value with one schema for every choice. `named`: components by name. `title`: of a merged object. */
export function withoutUnions (value: unknown, named: Readonly<Record<string, Json>>, title: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutUnions(each, named, title))
  if (typeof value !== 'object' || value === null) return value
  const { anyOf, ...rest } = value as Json
  if (!Array.isArray(anyOf)) {
    return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, withoutUnions(inner, named, title)]))
  }
  const choices = (anyOf as Json[]).map((choice) => {
    const name = String(choice['$ref']).split('/').at(-1) ?? ''
    return named[name] === undefined ? choice : { ...withoutUnions(named[name], named, title) as Json, name }
  })
  const merged = choices.every(({ type }) => type === 'object') ? objectOf(choices, title) : plainOf(choices)
  return {
    ...rest,
    ...merged,
    description: [rest['description'], merged['description']].filter((text) => text !== undefined).join(' ')
  }
}

/** Merges the fields of all choices. Required are those that all of them require. */
function objectOf (choices: readonly Json[], title: string): Json {
  const properties: Record<string, Json> = {}
  for (const choice of choices) {
    for (const [name, schema] of Object.entries(choice['properties'] as Record<string, Json>)) {
      const before = properties[name]
      // A field with several types gets no type.
      properties[name] = before === undefined || typeOf(before) === typeOf(schema) ? before ?? schema
        : { description: String(schema['description'] ?? '') }
    }
  }
  const required = Object.keys(properties).filter((name) =>
    choices.every((choice) => (choice['required'] as string[] | undefined ?? []).includes(name))
  )
  const description = `One of these: ${choices.map(({ name, description: text }) => `${String(name)} (${String(text).replace(/\.$/, '')})`).join(', ')}.`
  return { title, type: 'object', description, properties, ...required.length === 0 ? {} : { required } }
}

const typeOf = ({ type, $ref, items }: Json): string =>
  JSON.stringify([type, $ref, (items as Json | undefined)?.['$ref']])

/** For plain values returns a text, which the relay accepts for all of them. */
function plainOf (choices: readonly Json[]): Json {
  const text = choices.find(({ type }) => type === 'string')
  if (text === undefined) throw new TypeError(`generators know no type for a choice without a text: ${JSON.stringify(choices)}`)
  const others = choices.filter((choice) => choice !== text).map(({ type }) => String(type))
  return { ...text, 'description': `Also accepted: ${others.join(', ')}.`, 'x-also-accepted': others }
}
