/**
 * Twins are names that differ only in case, `_` and `-`, such as `songId` and `song_id`. The API has both. Generators
 * turn them into one identifier and their clients do not compile, so the OpenAPI document contains only the first and
 * lists the others with it.
 */

/** A named part of the document: a parameter or a property. `schema`: its description. */
interface Named { readonly name: string, readonly type: unknown, readonly schema: Record<string, unknown> }

/** Returns the form that a generator may give to a name. Two names with the same form collide. */
export const foldedName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

/** Returns the parts without twins: the first says that there is another. Throws if their types differ. */
export function withoutTwins<T extends Named> (parts: readonly T[], verb: 'sent' | 'accepted'): T[] {
  const firsts = new Map<string, T>()
  for (const part of parts) {
    const first = firsts.get(foldedName(part.name))
    if (first === undefined) firsts.set(foldedName(part.name), part)
    else firsts.set(foldedName(part.name), { ...first, schema: marked(first, part, verb) })
  }
  return [...firsts.values()]
}

function marked (first: Named, twin: Named, verb: 'sent' | 'accepted'): Record<string, unknown> {
  const { schema } = first
  if (first.type === undefined || first.type !== twin.type) {
    throw new TypeError(`${first.name} and ${twin.name} collide in generated clients and are of different types: rename one`)
  }
  const key = `x-also-${verb}`
  const also = [...schema[key] as string[] | undefined ?? [], twin.name]
  return { ...schema, description: `${String(schema['description'] ?? '')} Also ${verb} as \`${twin.name}\`.`.trim(), [key]: also }
}

/** Returns the value with twins removed from every object schema in it, at any depth. */
export function schemasWithoutTwins (value: unknown, verb: 'sent' | 'accepted'): unknown {
  if (Array.isArray(value)) return value.map((each) => schemasWithoutTwins(each, verb))
  if (typeof value !== 'object' || value === null) return value
  const copy =
    Object.fromEntries(Object.entries(value).map((
      [key, inner]
    ) => [key, key === 'properties' ? inner : schemasWithoutTwins(inner, verb)]))
  const { properties, required } = copy as { properties?: Record<string, Record<string, unknown>>, required?: string[] }
  if (typeof properties !== 'object') return copy
  const left = withoutTwins(
    Object.entries(properties).map(([name, schema]) => ({
      name,
      type: schema['type'],
      schema: schemasWithoutTwins(schema, verb) as Record<string, unknown>
    })),
    verb
  )
  copy['properties'] = Object.fromEntries(left.map(({ name, schema }) => [name, schema]))
  if (Array.isArray(required)) {
    copy['required'] = required.filter((name) => Object.hasOwn(copy['properties'] as object, name))
  }
  return copy
}

/** Returns an example without the second of two twins: linters allow only the fields of the schema. */
export function exampleWithoutTwins (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(exampleWithoutTwins)
  if (typeof value !== 'object' || value === null) return value
  const names = new Set<string>()
  return Object.fromEntries(Object.entries(value).flatMap(([name, inner]) => {
    if (names.has(foldedName(name))) return []
    names.add(foldedName(name))
    return [[name, exampleWithoutTwins(inner)]]
  }))
}
