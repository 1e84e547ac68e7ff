/** The last step to the OpenAPI document: named components, no twins, examples, readable clients everywhere. */
import { readFileSync } from 'node:fs'
import { failuresOf, type Failure } from './failures.ts'
import type { Operation } from '../../src/openapi/operations.ts'
import { exampleWithoutTwins, schemasWithoutTwins, withoutTwins } from './twins.ts'
import { withoutUnions } from './unions.ts'

type Json = Record<string, unknown>
interface Parameter extends Json {
  readonly name: string
  readonly in: string
  readonly schema: Json
  readonly description?: string
}
interface Body extends Json { content?: Record<string, { schema: Json, example?: unknown, examples?: unknown }> }
interface Method { parameters?: Parameter[], requestBody?: Body, responses: Record<string, Body> }

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Method & { readonly operationId: string }>>>>
  components: { schemas: Record<string, Json>, responses?: Json, examples?: Json }
}

/** Answers by the name of the endpoint, and failures by error code. observeAnswers.ts writes them. */
const { answers, failures } = JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Readonly<
  Record<'answers' | 'failures', Json>
>
const json = 'application/json'
const capitalized = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
const refTo = (kind: 'schemas' | 'responses' | 'examples', name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

/** Completes the document in place. `operations`: all of its operations, by their ids. */
export function complete (document: Document, operations: ReadonlyMap<string, Operation>): void {
  const { components, paths } = document
  for (const [name, schema] of Object.entries(components.schemas)) {
    components.schemas[name] = plain(schema, name, 'sent', components)
  }
  for (const method of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const operation = operations.get(method.operationId)
    if (operation === undefined) throw new TypeError(`${method.operationId} is no operation of an endpoint`)
    nameInput(method, operation, components)
    nameAnswer(method, operation, components)
    for (const failure of failuresOf(operation.endpoint, operation.kind)) {
      method.responses[failure.status] = refTo('responses', failure.name)
      components.responses = { ...components.responses, [failure.name]: responseOf(failure) }
    }
  }
  dropUnused(document)
}

/** Removes schemas without references: those that unions.ts has merged. */
function dropUnused (document: Document): void {
  const { schemas } = document.components
  const used =
    new Set([...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name))
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name]
}

/** Returns the simplified schema for a component of this name. */
function plain (schema: Json, name: string, verb: 'sent' | 'accepted', { schemas }: Document['components']): Json {
  // In this order, because the fields of two choices may be twins.
  return withWidths(schemasWithoutTwins(
    withoutUnions(schema, schemas, `${name.replace(/Answer$/, '')}Element`),
    verb
  )) as Json
}

/** Adds formats to whole numbers. Without one, Java and Go read 32 bits and fail on a larger song id or count. */
function withWidths (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWidths)
  if (typeof value !== 'object' || value === null) return value
  const { type, enum: words, maximum = Infinity } = value as { type?: unknown, enum?: unknown, maximum?: number }
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withWidths(inner)]))
  return type === 'integer' && words === undefined && maximum > 0x7fffffff ? { ...copy, format: 'int64' } : copy
}

function nameInput (method: Method, { name }: Operation, components: Document['components']): void {
  if (method.parameters !== undefined) method.parameters = publishedParameters(method.parameters)
  const content = method.requestBody?.content?.[json]
  if (content === undefined) return
  const { example, ...schema } = content.schema
  const component = `${capitalized(name)}Body`
  components.schemas[component] = plain(schema, component, 'accepted', components)
  content.schema = refTo('schemas', component)
  content.example = example
  // The framework marks every body as required.
  if (method.requestBody !== undefined && schema['required'] === undefined) {
    method.requestBody = { ...method.requestBody, required: false }
  }
}

function publishedParameters (parameters: readonly Parameter[]): Parameter[] {
  return withoutTwins(
    parameters.map((parameter) => ({
      name: parameter.name,
      parameter,
      type: parameter.schema['type'],
      schema: { description: parameter.description } as Json
    })),
    'accepted'
  )
    .map(({ parameter, schema }) => ({ ...parameter, ...schema, schema: withWidths(parameter.schema) as Json }))
}

/** Alias and path form have the same answer as the endpoint's own path, so all share one name. */
function nameAnswer (
  { responses }: Method,
  { name, endpoint: { path } }: Operation,
  components: Document['components']
): void {
  const content = responses['200']?.content?.[json]
  if (content === undefined) return
  if (content.schema['$ref'] === undefined) {
    const component = `${capitalized(name)}Answer`
    components.schemas[component] = {
      ...plain(content.schema, component, 'sent', components),
      description: `What ${path} answers.`
    }
    content.schema = refTo('schemas', component)
  }
  const example = answers[name]
  if (example === undefined) return
  components.examples = { ...components.examples, [name]: { value: exampleWithoutTwins(example) } }
  content.examples = { demo: refTo('examples', name) }
}

function responseOf ({ codes, description }: Failure): Json {
  const known =
    Object.fromEntries(codes.flatMap((code) => failures[code] === undefined ? [] : [[code, { value: failures[code] }]]))
  return {
    description,
    content: {
      [json]: { schema: refTo('schemas', 'ErrorBody'), ...(Object.keys(known).length === 0 ? {} : { examples: known }) }
    }
  }
}
