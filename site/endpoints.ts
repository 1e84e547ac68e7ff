/** A page for each endpoint, made of the OpenAPI document: what it takes, a request for the demo, its answer and its errors. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { parse } from 'yaml'
import { cell, fields } from '../build/docs/tables.ts'
import { registry } from '../src/endpoints/index.ts'
import { codes } from '../build/docs/zh.ts'
import { parameters } from '../build/docs/zhParameters.ts'
import { chineseFor } from '../build/docs/zhTexts.ts'
import { errorCodes } from '../schemas/errors.ts'
import { accounts } from '../src/demo/accounts.ts'
import { root, type Language } from './sources.ts'
import { words } from './words.ts'

interface Parameter { readonly name: string, readonly in: string, readonly required?: boolean, readonly description?: string, readonly schema: TSchema }
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly [string]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<typeof json, { readonly schema: TSchema, readonly example: unknown }>> }
  readonly security?: readonly object[]
  readonly responses: Readonly<Record<string, { readonly $ref?: string, readonly description: string, readonly content?: Readonly<Record<typeof json, { readonly schema: TSchema, readonly examples: { readonly demo: { readonly $ref: string } } }>> }>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly tags: readonly { readonly name: string, readonly description: string }[]
  readonly components: {
    readonly schemas: Readonly<Record<string, TSchema>>
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>
    readonly responses: Readonly<Record<string, { readonly description: string }>>
  }
}

/** An endpoint with all of its paths. */
export interface EndpointPage {
  readonly name: string
  readonly tag: string
  readonly summary: string
  readonly chineseSummary: string
  readonly method: string
  readonly paths: readonly string[]
  /** Whether the answer that is shown comes only after a scan. */
  readonly afterScan: boolean
  /** Returns the page in Markdown. The long descriptions of endpoints and fields of answers are English in both languages. */
  text (language: Language): string
}

const json = 'application/json'
const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** Returns a page for each endpoint of openapi.yaml, in its order. */
export function endpointPages (): EndpointPage[] {
  const document = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8')) as Document
  const all = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })))
  // All paths of an endpoint share its example, which has its name.
  const ownerOf = ({ responses }: Operation): string => nameOf(responses['200']?.content?.[json].examples.demo.$ref ?? '')
  const owners = all.filter(({ operation }) => operation.operationId === ownerOf(operation))
  const inChinese = translations(document, owners.map(({ operation }) => operation))
  return owners.map(({ path, method, operation }) => {
    const { operationId: name, summary, tags: [tag], security = [], requestBody } = operation
    const paths = all.filter((each) => ownerOf(each.operation) === name).map((each) => each.path)
    // Every operation takes an account, which opens the relay; only some take a cookie, because their answer depends on it.
    const login = !security.some((scheme) => 'cookieHeader' in scheme) ? undefined : security.some((scheme) => Object.keys(scheme).length === 0) ? 'optional' : 'required'
    const afterScan = /^check\w+LoginQr$/.test(name)
    return {
      name, tag, summary, chineseSummary: inChinese.summary(name), method, paths, afterScan,
      text: (language) => {
        const say = words[language]
        const look = { refTo: (record: string) => `[${record}](/reference#record-${record.toLowerCase()})`, heads: say.parameterHeads, marks: say.marks }
        const answer = documentedAnswer(document, operation)
        return [
          `# ${name}`,
          `**${language === 'zh' ? inChinese.summary(name) : summary}**`,
          paths.map((each) => `\`${method} ${each}\``).join(' · '),
          operation.description.replace(/\n\nLogin: [^]*$/, ''),
          ...login === undefined ? [] : [say.login[login]],
          `## ${say.parameters}`,
          fields(inputOf(document, operation), language === 'zh' ? { ...look, meaning: inChinese.parameter } : look) || say.noParameters,
          `## ${say.request}`,
          `\`\`\`sh\n${requestOf(path, operation, login === undefined ? undefined : cookieOf(name, document))}\n\`\`\``,
          `## ${say.answer}`,
          afterScan ? say.session : say.shortened,
          `\`\`\`json\n${JSON.stringify(document.components.examples[name]?.value, null, 2)}\n\`\`\``,
          fields(answer, { ...look, heads: say.fieldHeads }),
          `${say.envelope}`,
          `## ${say.errors}`,
          [`| ${say.errorHeads.join(' | ')} |`, '|---|---|---|', ...failuresOf(document, operation, language === 'zh' ? inChinese.code : undefined)].join('\n'),
          say.whatToDo
        ].filter((part) => part !== '').join('\n\n') + '\n'
      }
    }
    function requestOf (to: string, { parameters = [], responses }: Operation, cookie: string | undefined): string {
      const query = parameters.flatMap(({ name, schema }) => schema['example'] === undefined ? [] : [`${name}=${encodeURIComponent(String(schema['example']))}`]).join('&')
      const body = requestBody?.content[json].example
      return [
        ...cookie === undefined ? [] : [`COOKIE='${cookie}'`],
        [
          `curl 'http://localhost:3200${to}${query === '' ? '' : `?${query}`}'`,
          ...cookie === undefined ? [] : ['-H "X-Custom-Cookie: $COOKIE"'],
          ...responses['302'] === undefined ? [] : [`-H 'Accept: ${json}'`],
          ...body === undefined ? [] : [`-H 'Content-Type: ${json}'`, `-d '${JSON.stringify(body)}'`]
        ].join(' \\\n  ')
      ].join('\n')
    }
  })
}

/** Returns the table of all endpoints, by tag. */
export function endpointIndex (pages: readonly EndpointPage[], language: Language): string {
  const say = words[language]
  const folder = language === 'zh' ? '/zh/endpoints' : '/endpoints'
  return [
    `# ${say.endpoints}`,
    say.every,
    ...[...new Set(pages.map(({ tag }) => tag))].flatMap((tag) => [
      `## ${say.tags[tag] ?? tag}`,
      ['| | |', '|---|---|', ...pages.filter((page) => page.tag === tag).map(({ name, summary, chineseSummary, method, paths }) => `| [${name}](${folder}/${name}) | ${cell(language === 'zh' ? chineseSummary : summary)}<br>${paths.map((path) => `\`${method} ${path}\``).join(' · ')} |`)].join('\n')
    ])
  ].join('\n\n') + '\n'
}

/** The cookie of the demo account whose answers the document shows. /user/getCookie answers all of it; elsewhere two pairs do. */
function cookieOf (name: string, { components }: Document): string {
  const { uin = '', key = '' } = accounts().find(({ name }) => name === 'member') ?? {}
  if (name !== 'getCookie') return `uin=${uin}; provider_keyst=${key}`
  const whole = components.examples[name]?.value as { data: { cookie: string } }
  return whole.data.cookie.replaceAll(`${key.slice(0, 6)}…`, key)
}

/** The parameters, or the body, as one object. */
function inputOf ({ components }: Document, { parameters = [], requestBody }: Operation): TSchema {
  const body = requestBody?.content[json].schema
  if (body !== undefined) return resolved(body, components)
  return {
    type: 'object',
    required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
    properties: Object.fromEntries(parameters.map(({ name, schema, description }) => [name, { ...schema, description }]))
  } as unknown as TSchema
}

/** The answer with the fields of its record. Records inside of it are links. */
function documentedAnswer ({ components }: Document, { responses }: Operation): TSchema {
  const inner = (schema: TSchema): TSchema => schema['$ref'] !== undefined ? resolved(schema, components) : schema['properties'] === undefined ? schema
    : { ...schema, properties: Object.fromEntries(Object.entries(schema['properties'] as Record<string, TSchema>).map(([name, property]) => [name, inner(property)])) }
  const body = responses['200']?.content?.[json].schema as TSchema
  return String(body['$ref']).endsWith('Answer') ? inner(resolved(body, components)) : resolved(body, components)
}

const resolved = (schema: TSchema, { schemas }: Document['components']): TSchema => schemas[nameOf(String(schema['$ref']))] ?? schema

/** The Chinese texts of all pages. Throws if one is missing, or left over. */
function translations (document: Document, operations: readonly Operation[]): Readonly<Record<'summary' | 'parameter' | 'code', (english: string) => string>> {
  const plain = (text: string): string => text.replace(/ Default: [^]*$/, '')
  const described = new Set(operations.flatMap((operation) => Object.values(inputOf(document, operation)['properties'] as Record<string, TSchema>).map(({ description = '' }) => plain(description))))
  const parameter = chineseFor([...described], parameters, 'build/docs/zhParameters.ts')
  return { summary: (name) => registry[name as keyof typeof registry].summaryInChinese, parameter: (english) => parameter(plain(english)), code: chineseFor(Object.keys(errorCodes), codes, 'build/docs/zh.ts') }
}

/** A row for each error code. `meaning`: what a code means in another language. */
function failuresOf ({ components }: Document, { responses }: Operation, meaning?: (code: string) => string): string[] {
  return Object.entries(responses).filter(([status]) => Number(status) >= 400).flatMap(([status, { $ref = '' }]) => {
    const { description = '' } = components.responses[nameOf($ref)] ?? {}
    return [...description.matchAll(/`([A-Z_0-9]+)`: (.*?)(?= `[A-Z_0-9]+`: |$)/g)].map(([, code = '', when = '']) => `| ${status} | \`${code}\` | ${cell(meaning?.(code) ?? when)} |`)
  })
}
