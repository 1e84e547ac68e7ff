/** Tables of the generated pages: one row for each field of a schema. */
import type { TObject, TSchema } from '@sinclair/typebox'
import { kinds, type Kind } from '../../src/common/kinds.ts'
import { formsOf, type AnyEndpoint } from '../../src/relay/endpoint.ts'

export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;')

/** Returns a table of the kinds of failure of upstream calls, each with its sentence. `of`: the sentences by kind. */
export const failureTable = (heads: string, of: Readonly<Record<string, string>>): string =>
  [...new Set([heads, '|---|---|---|---|', ...Object.entries(of).map(([kind, text]) => {
    const { code, outcome, verdict } = kinds[kind as Kind]
    const word = outcome ?? (kind.startsWith('search') ? 'filter_…' : kind.startsWith('login.') ? 'http_…' : 'biz_…')
    return `| \`${word}\` | \`${code}\` | ${verdict} | ${cell(text)} |`
  })])].join('\n')

/** Returns a table of endpoints, with a row as `rowOf` puts it: what one returns, and whether it needs a login. */
export const endpointTable = (
  endpoints: readonly AnyEndpoint[],
  heads: string,
  rowOf: (endpoint: AnyEndpoint) => readonly [summary: string, login: string]
): string =>
  [
    heads,
    '|---|---|---|---|',
    ...endpoints.map((endpoint) => {
      const [summary, login] = rowOf(endpoint)
      const paths = formsOf(endpoint).map(({ path }) => `\`${path}\``).join(' ')
      return `| ${endpoint.method} | ${paths} | ${cell(summary)} | ${login} |`
    })
  ].join('\n')

/**
 * How the tables of a page name other records. `refTo` returns a link to one, `heads` are the titles of the columns,
 * `marks` the words for a field that may be absent, `meaning` translates a description.
 */
export interface TableLook {
  readonly refTo: (name: string) => string
  readonly heads: readonly string[]
  readonly marks?: { readonly optional: string, readonly default: string }
  readonly meaning?: (description: string) => string
}

export const linkTo = (name: string): string => `[${name}](#record-${name.toLowerCase()})`

const look: TableLook = { refTo: linkTo, heads: ['Field', 'Type', 'Meaning'] }

/** Returns a type in words: `integer 1..100`, `list of Song`, `one of 0, 1`. */
export function typeOf (schema: TSchema, refTo = linkTo): string {
  const { $ref, type, enum: words, minimum, maximum, items, anyOf, const: constant } = schema as
    & Record<string, unknown>
    & { items?: TSchema, anyOf?: TSchema[] }
  if (typeof $ref === 'string') return refTo($ref.replaceAll(/^.*\/|#/g, ''))
  if (Array.isArray(words)) return words.map((word) => `\`${String(word)}\``).join(' ')
  if (constant !== undefined) return `\`${String(constant)}\``
  if (anyOf !== undefined) return anyOf.map((each) => typeOf(each, refTo)).join(' or ')
  if (type === 'array' && items !== undefined) return `list of ${typeOf(items, refTo)}`
  if (
    type === 'integer' && typeof minimum === 'number' && typeof maximum === 'number'
  ) { return maximum === Number.MAX_SAFE_INTEGER ? `integer from ${minimum}` : `integer ${minimum}..${maximum}` }
  return String(type ?? 'any')
}

/** One table row per field. Fields of nested objects have dotted names. */
function fieldRows (schema: TSchema, look: TableLook, prefix = ''): string[] {
  const { refTo, marks: names = { optional: 'optional', default: 'default' }, meaning = (text) => text } = look
  const object = schema as TObject
  if (object.properties === undefined) return []
  const required = new Set((object as { required?: string[] }).required)
  return Object.entries(object.properties).flatMap(([name, property]) => {
    const marks = [
      required.has(name) ? '' : names.optional,
      property['default'] === undefined ? '' : `${names.default} \`${String(property['default'])}\``
    ].filter((mark) => mark !== '').join(', ')
    const own = `| \`${prefix}${name}\` | ${typeOf(property, refTo)}${property['nullable'] === true ? ' or null' : ''}${marks === '' ? '' : `, ${marks}`} | ${cell(meaning(property.description ?? ''))} |`
    const inner = property['properties'] !== undefined ? fieldRows(property, look, `${prefix}${name}.`)
      : property['items']?.['properties'] !== undefined
      ? fieldRows(property['items'] as TSchema, look, `${prefix}${name}[].`) : []
    return [own, ...inner]
  })
}

export function fields (schema: TSchema, own = look): string {
  const { heads } = own
  const rows = fieldRows(schema, own)
  return rows.length === 0 ? '' : [`| ${heads.join(' | ')} |`, '|---|---|---|', ...rows].join('\n')
}

/** Returns a length of time in its largest unit. */
export function timeInWords (ms: number): string {
  if (ms === 0) return '–'
  const [unit, length] =
    ([['d', 86_400_000], ['h', 3_600_000], ['min', 60_000]] as const).find(([, size]) => ms > size || ms % size === 0)
      ?? ['s', 1000]
  return `${ms / length} ${unit}`
}
