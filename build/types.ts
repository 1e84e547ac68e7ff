/**
 * Writes the declarations that users of the library see: inputs, records, settings, error codes and functions, with the
 * descriptions from the schemas, so that an editor shows them. `npm run build` puts them into `dist`;
 * test/gate/typesMatch.ts proves that they equal the schemas. The alternative json-schema-to-typescript was tried: it
 * adds 15 packages and 3 s, puts a sentence of its own into every comment, and omits defaults.
 */
import { writeFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'
import { typeName } from '../schemas/common.ts'
import { LoginRenewal, ServiceConfig } from '../schemas/config.ts'
import { errorCodes } from '../schemas/errors.ts'
import { components } from '../schemas/index.ts'
import type { AnyEndpoint } from '../src/relay/endpoint.ts'
import { registry } from '../src/endpoints/index.ts'

/** The keywords that the schemas use. `typeOf` reports any other keyword as a mistake. */
interface Schema {
  readonly [typeName]?: string
  readonly $id?: string
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly nullable?: boolean
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const endpoints = Object.entries(registry as Record<string, AnyEndpoint>)
const plain: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  object: 'Record<string, unknown>'
}
const described: ReadonlyMap<string, string | undefined> =
  new Map(components.map(({ $id = '', description }) => [$id, description]))

const capitalized = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name)
const inputName = (name: string, { input }: AnyEndpoint): string =>
  Object.keys(input.properties).length === 0 ? 'NoInput' : `${capitalized(name)}Input`

/** A JSON value as a JavaScript literal: `{ songmid: '00DemoSong0001' }`. */
function literal (value: unknown): string {
  if (typeof value === 'string') return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, inner]) => `${isIdentifier(key) ? key : literal(key)}: ${literal(inner)}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

/** A JSDoc comment with these paragraphs, or "" if there are none. */
function comment (paragraphs: readonly (string | undefined)[], indent = ''): string {
  const lines = paragraphs.flatMap((text) => text === undefined ? [] : text.replaceAll('*/', '*\\/').split('\n'))
  if (lines.length === 0) return ''
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

function typeOf (schema: Schema, indent: string): string {
  if (schema.nullable === true) return `${typeOf({ ...schema, nullable: false }, indent)} | null`
  if (schema[typeName] !== undefined) return schema[typeName]
  if (schema.$ref !== undefined) return schema.$ref.replace('#', '')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeOf(each, indent)).join(' | ')
  if (schema.items !== undefined) {
    const element = typeOf(schema.items, indent)
    return / \| /.test(element) ? `(${element})[]` : `${element}[]`
  }
  if (schema.properties !== undefined) return `{\n${fieldsOf(schema, `${indent}  `)}${indent}}`
  const [values] = Object.values(schema.patternProperties ?? {})
  if (values !== undefined) return `Record<string, ${typeOf(values, indent)}>`
  const type = plain[schema.type ?? '']
  if (type === undefined) throw new TypeError(`build/types.ts knows no TypeScript type for ${JSON.stringify(schema)}`)
  return type
}

function fieldsOf ({ properties = {}, required = [] }: Schema, indent: string): string {
  return Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema, indent)
    const fallback = schema.default === undefined ? undefined : `@default ${literal(schema.default)}`
    return `${comment([schema.description ?? described.get(type), fallback], indent)}${indent}${isIdentifier(name) ? name : literal(name)}${required.includes(name) ? '' : '?'}: ${type}\n`
  }).join('')
}

/** Declares a type, not an interface: an interface cannot be passed as a `Record<string, unknown>`. */
function declaration (name: string, schema: Schema, description = schema.description): string {
  return `${comment([description])}export type ${name} = ${typeOf(schema, '')}\n`
}

/** The error codes with which a call of this function can fail, through `createRelay` or `createClient`. */
function codesOf ({ tag, login, input, envelope }: AnyEndpoint): string[] {
  const always = /^(UPSTREAM_|NOT_FOUND$|COOKIE_REJECTED$|OVERLOADED$)/
  return Object.keys(errorCodes).filter((code) => always.test(code) ||
    (code === 'INVALID_INPUT' && Object.keys(input.properties).length > 0) ||
    (envelope.delivers === 'audio' && /^(NOT_PLAYABLE|RANGE_NOT_SATISFIABLE)$/.test(code)) ||
    (code === 'LOGIN_REQUIRED' && login === 'required') ||
    (tag === 'login' && /^(LOGIN_(?!REQUIRED$)|QR_)/.test(code)))
}

function method (name: string, endpoint: AnyEndpoint): string {
  const { summary, description, login, input, record, example } = endpoint
  const type = inputName(name, endpoint)
  const result = endpoint.envelope.delivers === 'audio' ? 'AudioStream'
    : record.$id === undefined ? typeOf(record as Schema, '  ') : record.$id
  const mayBeLeftOut = ((input as Schema).required ?? []).length === 0
  const given = [
    ...type === 'NoInput' && login !== 'required' ? [] : [literal(example)],
    ...login === 'required' ? ['{ cookie }'] : []
  ]
  return `${
    comment([
      `${summary}.`,
      '',
      description,
      ...login === undefined ? [] : ['', `A login is ${login}: pass its cookie as \`options.cookie\`.`],
      '',
      ...Object.entries(input.properties as Record<string, Schema>).map(([key, schema]) =>
        `@param input.${key} ${schema.description ?? ''}${schema.default === undefined ? '' : ` Default: ${literal(schema.default)}.`}`),
      '@param options Cookie of the caller, and a signal that ends the call early.',
      ...endpoint.envelope.delivers === 'audio' ? ['@returns The file: status, headers and a stream of its bytes.']
        : record.description === undefined ? [] : [`@returns ${record.description}`],
      `@throws {RelayError} with one of these codes (see {@link ErrorCode}): ${codesOf(endpoint).join(', ')}.`,
      '@example',
      `await relay.${name}(${given.join(', ')})`
    ], '  ')
  }  ${name} (input${mayBeLeftOut ? '?' : ''}: ${type}, options?: CallOptions): Promise<${result}>\n`
}

/** All schemas with a type name, at any depth. */
function wordsOf (value: unknown, found = new Map<string, Schema>()): Map<string, Schema> {
  if (typeof value !== 'object' || value === null) return found
  const schema = value as Schema
  const name = schema[typeName]
  if (name !== undefined && !found.has(name)) found.set(name, { ...schema, [typeName]: undefined } as unknown as Schema)
  for (const inner of Object.values(value)) wordsOf(inner, found)
  return found
}

const codeList = Object.entries(errorCodes).map(([code, { status, meaning }]) =>
  `- \`${code}\` (${status}): ${meaning}`
)

export function typesText (): string {
  const words = wordsOf([components, endpoints.map(([, { input, record }]) => [input, record])])
  const inputs = endpoints.filter(([name, endpoint]) => inputName(name, endpoint) !== 'NoInput')
  const declarations = [
    ...inputs.map(([name, endpoint]) =>
      declaration(inputName(name, endpoint), endpoint.input as Schema, `Input of \`${name}\`: ${endpoint.summary}.`)
    ),
    ...components.map((schema: TSchema) => declaration(schema.$id ?? '', schema as Schema)),
    ...[...words].map(([name, schema]) =>
      declaration(
        name,
        schema,
        name === 'ErrorCode'
          ? ['Why a call failed. The list is closed; in parentheses the HTTP status:', ...codeList].join('\n')
          : schema.description
      )
    ),
    declaration('ServiceConfig', ServiceConfig as Schema, 'The settings. docs/configuration.md says how a file and the environment set them.'),
    declaration('LoginRenewal', LoginRenewal as Schema)
  ]
  return [
    "/** The public types. Written by the build from the schemas and the registry. */\nimport type { AudioStream, CallOptions } from './callOptions.js'\n",
    '/** What both `createRelay` and `createClient` return. */\nexport interface Relay extends RelayFunctions {\n  /** Ends upstream work and closes its connections; of a client, ends its calls. */\n  close (): Promise<void>\n}\n',
    `/** A function for every endpoint. Each takes its input and, beside it, the options of the call. */\nexport interface RelayFunctions {\n${endpoints.map(([name, endpoint]) => method(name, endpoint)).join('\n')}}\n`,
    '/** The input of a function without parameters: `{}`, or nothing. */\nexport type NoInput = Record<never, never>\n',
    ...declarations
  ].join('\n')
}

/** Writes the declarations into `folder`, in place of the compiler's two files of the same names. */
export function writeTypes (folder: string): void {
  writeFileSync(`${folder}/src/common/schemaTypes.d.ts`, typesText())
  writeFileSync(`${folder}/src/library/types.d.ts`, "export type { Relay, RelayFunctions } from '../common/schemaTypes.js'\n")
}
