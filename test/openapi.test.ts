/** openapi.yaml describes the routes: it is up to date and complete, and its examples run. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { generated } from '../docs/generate.ts'
import { errorCodes } from '../schemas/errors.ts'
import type { ErrorCode } from '../schemas/errors.ts'
import { components } from '../schemas/index.ts'
import { documentOf } from '../src/app.ts'
import { checkRecord, cookieOf, demoFor, endpoints, relayFor, serverFor } from './helper.ts'

interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: { name: string, in: string, required?: boolean, description?: string, example?: unknown, schema: { default?: unknown, example?: unknown } }[]
  requestBody?: { content: Record<string, { schema: { properties?: Record<string, { description?: string }>, required?: string[] } }> }
  responses: Record<string, { description: string, content?: Record<string, { schema: unknown }> }>
}
interface Document { openapi: string, paths: Record<string, Record<string, Operation>>, components: { schemas: Record<string, unknown> }, tags: { name: string }[] }

const published = async (): Promise<Document> => await documentOf() as Document

t.test('openapi.yaml, the generated parts of the docs and the snapshot of the endpoints are fresh (npm run openapi writes them)', async (t) => {
  for (const [file, text] of Object.entries(await generated())) {
    t.equal(readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8'), text, file)
  }
})

t.test('every operation is complete', async (t) => {
  const { openapi, paths, tags } = await published()
  t.equal(openapi, '3.0.3')
  const operations = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
  const expected = Object.values(endpoints).flatMap(({ path, aliases = [], pathParam }) => [path, ...aliases, ...(pathParam === undefined ? [] : [`${path}/{${pathParam}}`])])
  t.same(operations.map(({ path }) => path).sort(), expected.sort(), 'no route is missing or undocumented')
  t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
  for (const { path, operation } of operations) {
    t.ok(operation.summary, `${path} has a summary`)
    t.ok((operation.description?.length ?? 0) > 20, `${path} has a description`)
    t.ok(operation.tags?.every((tag) => tags.some(({ name }) => name === tag)), `${path} has a known tag`)
    for (const { name, description } of operation.parameters ?? []) t.ok(description, `${path}: ${name} is described`)
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      t.ok(description && description !== 'Default Response', `${path} ${status}`)
      if (status === '304' || status === '302') t.equal(content, undefined, `${path} ${status} has no body`)
      else if (status === '206') t.same(Object.keys(content ?? {}), ['audio/*'])
      else t.ok(content?.['application/json'], `${path} ${status} is JSON`)
    }
    t.ok(operation.responses['200'] && operation.responses['400'] && operation.responses['502'], path)
  }
})

t.test('every named record of the document is a type of the library and the client', async (t) => {
  const exported = new Set([...readFileSync(new URL('../src/common/types.ts', import.meta.url), 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name))
  for (const { $id = '' } of components) t.ok(exported.has($id === 'Error' ? 'ErrorBody' : $id), `src/common/types.ts has ${$id}`)
})

t.test('a parameter with a default is optional and says its default; a required one has an example', async (t) => {
  const { paths } = await published()
  for (const [name, { path, method, input, example, songs }] of Object.entries(endpoints)) {
    const required = new Set<unknown>((input as { required?: string[] }).required)
    for (const parameter of paths[path]?.[method.toLowerCase()]?.parameters ?? []) {
      // The form of a list is no input of its function.
      const schema = (songs !== undefined && parameter.name === 'format' ? { default: 'json' } : input.properties[parameter.name]) as { default?: unknown }
      t.equal(parameter.required ?? false, required.has(parameter.name), `${name}.${parameter.name}`)
      t.same(parameter.schema.default, schema.default)
    }
    for (const key of required) t.ok(Object.hasOwn(example, key as string), `${name}: the example has ${key}`)
  }
})

t.test('every example runs on the demo upstream, over HTTP and through the library', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const relay = relayFor(t, demo) as unknown as Record<string, (input: unknown, options: { cookie?: string }) => Promise<unknown>>
  const cookie = cookieOf(demo, 'member')
  for (const [name, { method, path, pathParam, example, login, envelope }] of Object.entries(endpoints)) {
    const headers: Record<string, string> = { accept: 'application/json', ...(login === undefined ? {} : { 'x-custom-cookie': cookie }) }
    const search = new URLSearchParams(Object.entries(example).map(([key, value]): [string, string] => [key, String(value)]))
    const { status, body } = method === 'GET' ? await server.get(`${path}?${search.toString()}`, { headers }) : await server.post(path, example, { headers })
    t.ok(status === 200, `${name}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
    if (pathParam !== undefined) {
      const part = search.get(pathParam) ?? ''
      search.delete(pathParam)
      const byPath = await server.get(`${path}/${encodeURIComponent(part)}?${search.toString()}`, { headers })
      t.equal(byPath.status, 200, `${name} by path`)
      t.same(Object.keys(byPath.body), Object.keys(body))
    }
    if (envelope.delivers === 'audio') continue // as a function it opens the file: test/stream.test.ts
    if (name.startsWith('check')) continue // a login is followed once; the second try would find it used
    const record = await relay[name]?.(example, login === undefined ? {} : { cookie })
    checkRecord(name as keyof typeof import('../src/endpoints/index.ts').registry, record)
    t.same(Object.keys(envelope.unwrap(body) as object), Object.keys(record as object), `${name}: HTTP and library agree`)
  }
})

t.test('what an envelope wraps, it unwraps', async (t) => {
  const record = { some: 'thing' }
  for (const [name, { envelope }] of Object.entries(endpoints)) t.same(envelope.unwrap(envelope.wrap(record)), record, name)
})

t.test('every operation has its failures: those of all, of bodies, of paths, of logins', async (t) => {
  const { paths } = await published()
  for (const [name, { path, method, pathParam, login, tag }] of Object.entries(endpoints)) {
    for (const form of [path, ...(pathParam === undefined ? [] : [`${path}/{${pathParam}}`])]) {
      const operation = paths[form]?.[method.toLowerCase()]
      const responses = operation?.responses ?? {}
      const codes = new Set(Object.values(responses).flatMap(({ description }) => description.match(/`[A-Z_]+`/g) ?? []).map((word) => word.slice(1, -1)))
      const expected: readonly [string, boolean][] = [
        ...['INVALID_INPUT', 'TOKEN_REQUIRED', 'HOST_NOT_ALLOWED', 'NOT_FOUND', 'RATE_LIMITED', 'INTERNAL', 'UPSTREAM_REFUSED', 'COOKIE_REJECTED', 'OVERLOADED', 'UPSTREAM_TIMEOUT'].map((code): [string, boolean] => [code, true]),
        ...['INVALID_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_TYPE'].map((code): [string, boolean] => [code, method === 'POST']),
        ['URL_TOO_LONG', form !== path], ['LOGIN_REQUIRED', login === 'required'], ['CROSS_SITE', login === 'required' || tag === 'login'], ['LOGIN_TIMEOUT', tag === 'login'],
        ['METHOD_NOT_ALLOWED', false], ['ROUTE_NOT_FOUND', false]
      ]
      for (const [code, has] of expected) t.equal(codes.has(code), has, `${name} ${form} ${code}`)
      for (const code of codes) t.ok(String(errorCodes[code as ErrorCode].status) in responses, `${form} ${code}`)
    }
  }
})

t.test('every error code is documented with its status', async (t) => {
  const { components } = await published()
  t.same((components.schemas['Error'] as { properties: { code: { enum: string[] } } }).properties.code.enum, Object.keys(errorCodes))
})
