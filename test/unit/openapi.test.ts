/** openapi.yaml describes the routes: it is up to date and complete, and its examples run. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { generated } from '../../docs/generate.ts'
import { errorCodes } from '../../schemas/errors.ts'
import type { ErrorCode } from '../../schemas/errors.ts'
import { components } from '../../schemas/index.ts'
import { documentOf } from '../../src/app.ts'
import { foldedName, schemasWithoutTwins, withoutTwins } from '../../src/openapi/twins.ts'
import { withoutUnions } from '../../src/openapi/unions.ts'
import { yamlOf } from '../../src/openapi/yaml.ts'
import { checkRecord, cookieOf, demoFor, endpoints, relayFor, serverFor } from '../support/helper.ts'

interface Response { $ref?: string, description: string, content?: Record<string, { schema: Schema, examples?: Record<string, { $ref?: string, value?: unknown }> }> }
interface Schema { $ref?: string, type?: string, title?: string, description?: string, properties?: Record<string, Schema>, required?: string[], items?: Schema, [keyword: string]: unknown }
interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: { name: string, in: string, required?: boolean, description?: string, example?: unknown, schema: { default?: unknown, example?: unknown } }[]
  requestBody?: { content: Record<string, { schema: Schema, example?: unknown }> }
  responses: Record<string, Response>
  security?: Record<string, string[]>[]
}
interface Document {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>, responses: Record<string, Response>, examples: Record<string, { value: unknown }>, securitySchemes: Record<string, Record<string, string>> }
  tags: { name: string }[]
}

let document: Promise<Document> | undefined
/** Made once: an application stands behind it. */
const published = async (): Promise<Document> => await (document ??= documentOf() as Promise<Document>)
const operationsOf = ({ paths }: Document): { path: string, method: string, operation: Operation }[] =>
  Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
const named = (reference: string | undefined): string => reference?.split('/').at(-1) ?? ''
/** The responses of an operation, those of failures included. */
const responsesOf = ({ components }: Document, { responses }: Operation): [string, Response][] =>
  Object.entries(responses).map(([status, response]) => [status, response.$ref === undefined ? response : components.responses[named(response.$ref)] as Response])

t.test('openapi.yaml, the generated parts of the docs and the snapshot of the endpoints are fresh (npm run openapi writes them)', async (t) => {
  for (const [file, text] of Object.entries(await generated())) {
    t.equal(readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8'), text, file)
  }
})

t.test('every operation is complete', async (t) => {
  const document = await published()
  const { openapi, tags } = document
  t.equal(openapi, '3.0.3')
  const operations = operationsOf(document)
  const expected = Object.values(endpoints).flatMap(({ path, aliases = [], pathParam }) => [path, ...aliases, ...(pathParam === undefined ? [] : [`${path}/{${pathParam}}`])])
  t.same(operations.map(({ path }) => path).sort(), expected.sort(), 'no route is missing or undocumented')
  t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
  for (const { path, operation } of operations) {
    t.ok(operation.summary, `${path} has a summary`)
    t.ok((operation.description?.length ?? 0) > 20, `${path} has a description`)
    t.ok(operation.tags?.every((tag) => tags.some(({ name }) => name === tag)), `${path} has a known tag`)
    for (const { name, description } of operation.parameters ?? []) t.ok(description, `${path}: ${name} is described`)
    for (const [status, { description, content }] of responsesOf(document, operation)) {
      t.ok(description && description !== 'Default Response', `${path} ${status}`)
      if (['206', '302', '304'].includes(status)) t.equal(content, undefined, `${path} ${status} has no body of JSON`)
      else t.ok(content?.['application/json'], `${path} ${status} is JSON`)
    }
    t.ok(operation.responses['200'] && operation.responses['400'] && operation.responses['502'], path)
  }
})

t.test('every named record of the document is a type of the library and the client', async (t) => {
  const exported = new Set([...readFileSync(new URL('../../src/common/types.ts', import.meta.url), 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name))
  for (const { $id = '' } of components) t.ok(exported.has($id), `src/common/types.ts has ${$id}`)
  const { schemas } = (await published()).components
  t.same(components.map(({ $id = '' }) => $id).filter((name) => schemas[name] === undefined).sort(), ['FailedCategory', 'FailedPlaylist', 'SongInfoFailure'], 'of the document: all but those that are merged with the rows that they stand in for')
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
    if (envelope.delivers === 'audio') continue // as a function it opens the file: test/wire/stream.test.ts
    if (name.startsWith('check')) continue // a login is followed once; the second try would find it used
    const record = await relay[name]?.(example, login === undefined ? {} : { cookie })
    checkRecord(name as keyof typeof import('../../src/endpoints/index.ts').registry, record)
    t.same(Object.keys(envelope.unwrap(body) as object), Object.keys(record as object), `${name}: HTTP and library agree`)
  }
})

t.test('what an envelope wraps, it unwraps', async (t) => {
  const record = { some: 'thing' }
  for (const [name, { envelope }] of Object.entries(endpoints)) t.same(envelope.unwrap(envelope.wrap(record)), record, name)
})

t.test('every operation has its failures: those of all, of bodies, of paths, of logins', async (t) => {
  const document = await published()
  const { paths } = document
  for (const [name, { path, method, pathParam, login, tag }] of Object.entries(endpoints)) {
    for (const form of [path, ...(pathParam === undefined ? [] : [`${path}/{${pathParam}}`])]) {
      const operation = paths[form]?.[method.toLowerCase()]
      const responses = Object.fromEntries(responsesOf(document, operation as Operation))
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
  t.same(components.schemas['ErrorBody']?.properties?.['code']?.['enum'], Object.keys(errorCodes))
})

t.test('no two names of the document become one name in a generated client', async (t) => {
  const document = await published()
  const twins = (names: readonly string[]): string[] => names.filter((name, at) => names.findIndex((other) => foldedName(other) === foldedName(name)) !== at)
  let objects = 0
  function walk (value: unknown, where: string): void {
    if (typeof value !== 'object' || value === null) return
    const { properties, parameters } = value as { properties?: object, parameters?: { name: string }[] }
    if (properties !== undefined) {
      objects++
      t.same(twins(Object.keys(properties)), [], where)
    }
    if (Array.isArray(parameters)) t.same(twins(parameters.map(({ name }) => name)), [], where)
    for (const [key, inner] of Object.entries(value)) walk(inner, `${where}/${key}`)
  }
  walk({ paths: document.paths, schemas: document.components.schemas }, '')
  t.ok(objects > 100)
  t.same(twins(operationsOf(document).map(({ operation }) => operation.operationId)), [])
  t.same(twins(Object.keys(document.components.schemas)), [])

  const { properties, required } = document.components.schemas['ChartSong'] as Schema
  t.match(properties?.['songId'], { 'description': /Also sent as `song_id`\./, 'x-also-sent': ['song_id'] })
  t.same([properties?.['song_id'], required?.includes('song_id')], [undefined, false])
  t.ok(endpoints['getRanks']?.record !== undefined && JSON.stringify(components).includes('"song_id"'), 'the schemas of the library keep both')
})

t.test('twins of a schema or of parameters keep one name and tell of the others, unless they are of different types', async (t) => {
  const integer = { type: 'integer', description: 'Number.' }
  t.same(schemasWithoutTwins({ items: { type: 'object', required: ['songId', 'song_id'], properties: { songId: integer, song_id: integer, SONGID: integer, name: { type: 'string' } } } }, 'accepted'), {
    items: { type: 'object', required: ['songId'], properties: { songId: { 'type': 'integer', 'description': 'Number. Also accepted as `song_id`. Also accepted as `SONGID`.', 'x-also-accepted': ['song_id', 'SONGID'] }, name: { type: 'string' } } }
  })
  t.throws(() => withoutTwins([{ name: 'songId', type: 'integer', schema: {} }, { name: 'song_id', type: 'string', schema: {} }], 'sent'), /songId and song_id collide/)
})

t.test('in place of a choice there is one schema that fits every one of it', async (t) => {
  const found = { type: 'object', description: 'Found.', required: ['id', 'at'], properties: { id: { type: 'integer' }, at: { type: 'string' } } }
  const failed = { type: 'object', description: 'Failed.', required: ['id', 'code'], properties: { id: { type: 'integer' }, code: { type: 'string' }, at: { type: 'integer', description: 'When.' } } }
  t.same(withoutUnions({ anyOf: [{ $ref: '#/components/schemas/Found' }, { $ref: '#/components/schemas/Failed' }] }, { Found: found, Failed: failed }, 'Element'), {
    title: 'Element', type: 'object', description: 'One of these: Found (Found), Failed (Failed).', properties: { id: { type: 'integer' }, at: { description: 'When.' }, code: { type: 'string' } }, required: ['id']
  })
  t.same(withoutUnions({ description: 'A word.', anyOf: [{ type: 'integer' }, { type: 'string', maxLength: 3 }] }, {}, 'x'), { 'type': 'string', 'maxLength': 3, 'description': 'A word. Also accepted: integer.', 'x-also-accepted': ['integer'] })
  t.throws(() => withoutUnions({ anyOf: [{ type: 'integer' }, { type: 'boolean' }] }, {}, 'x'), /no type for a choice/)
  t.notMatch(JSON.stringify(await published()), /"(anyOf|oneOf|allOf)"/)
})

t.test('bodies and failures are named components, and whole numbers have room', async (t) => {
  const document = await published()
  for (const { path, operation } of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) >= 400) t.match(response.$ref, new RegExp(`^#/components/responses/Error${status}[A-Za-z]*$`), `${path} ${status}`)
      else for (const { schema } of Object.values(response.content ?? {})) t.match(schema, { $ref: /^#\/components\/schemas\/\w+$/ }, `${path} ${status}`)
    }
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) t.match(schema.$ref, /^#\/components\/schemas\/\w+Body$/, path)
  }
  for (const { content } of Object.values(document.components.responses)) t.equal(content?.['application/json']?.schema.$ref, '#/components/schemas/ErrorBody')
  t.match(document.components.schemas['GetRanksAnswer'], { properties: { data: { $ref: '#/components/schemas/Chart' } } })
  t.equal(document.components.schemas['ChartSong']?.properties?.['songId']?.['format'], 'int64', 'Java and Go would read 32 bits')
})

t.test('every answer and every failure has an example, which fits its schema', async (t) => {
  const document = await published()
  const ajv = new Ajv({ strict: false, formats: { int64: true } })
  ajv.addSchema({ $id: 'document', ...document })
  const fits = (reference: string | undefined, value: unknown, what: string): void => {
    t.ok(ajv.validate({ $ref: `document${String(reference)}` }, value), `${what}: ${ajv.errorsText()}`)
  }
  for (const { path, operation: { responses, requestBody } } of operationsOf(document)) {
    const { schema, examples } = responses['200']?.content?.['application/json'] ?? { schema: {} }
    const example = document.components.examples[named(examples?.['demo']?.$ref)]
    t.ok(example !== undefined, `${path} has an example`)
    fits(schema.$ref, example?.value, path)
    for (const { schema: body, example: sent } of Object.values(requestBody?.content ?? {})) fits(body.$ref, sent, `what ${path} is sent`)
  }
  for (const [name, { description, content }] of Object.entries(document.components.responses)) {
    const { schema, examples = {} } = content?.['application/json'] ?? { schema: {} }
    t.same(Object.keys(examples), [...description.matchAll(/`([A-Z_]+)`:/g)].map(([, code]) => code), `${name}: one for each code`)
    for (const [code, { value }] of Object.entries(examples)) {
      fits(schema.$ref, value, code)
      t.match(value, { code })
    }
  }
})

t.test('a login goes into a header, and is asked for where it counts only', async (t) => {
  const document = await published()
  t.match(document.components.securitySchemes, { cookieHeader: { type: 'apiKey', in: 'header' }, account: { type: 'http', scheme: 'bearer' } })
  t.same(Object.keys(document.components.securitySchemes), ['cookieHeader', 'account'])
  const ways = [{ cookieHeader: [] }, { account: [] }]
  for (const { path, operation } of operationsOf(document)) {
    t.notOk(operation.parameters?.some(({ name }) => name === 'cookie'), path)
    t.notMatch(operation.description, /\?cookie=/, path)
    const { login } = Object.values(endpoints).find((endpoint) => [endpoint.path, ...endpoint.aliases ?? []].some((own) => path === own || path.startsWith(`${own}/{`))) ?? {}
    t.same(operation.security, login === undefined ? [] : login === 'required' ? ways : [{}, ...ways], path)
  }
})

t.test('clients ask where the document comes from', async (t) => {
  const { servers } = await published()
  t.same(servers.map(({ url }) => url), ['http://127.0.0.1:3200'], 'of the file: a whole address, because generators cannot use a relative one')
  const server = await serverFor(t, await demoFor(t), { docs: true })
  t.same((await server.get('/docs/json')).body.servers, [{ url: server.address }])
  t.equal((await server.get('/docs/yaml')).text, readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8').replace('url: http://127.0.0.1:3200\n    description: The relay.\n', `url: ${server.address}\n`), 'the file, letter by letter')
  t.same(parse((await server.get('/docs/yaml')).text, { version: '1.1' }), (await server.get('/docs/json')).body, 'to readers of YAML 1.1, too')
  const texts = { plain: '2026_46', date: '2015-08-10', time: '2015-08-10T10:00:00Z', spaced: '2015-08-10 10:00', minutes: '4:12', no: 'no', on: 'On' }
  t.same(parse(yamlOf(texts), { version: '1.1' }), texts)
  t.same((await server.get('/docs/json', { headers: { 'sec-fetch-site': 'same-origin' } })).body.servers, [{ url: '..' }], 'of the page at /docs: a proxy may have another protocol or a path')
  const behind = await serverFor(t, await demoFor(t), { docs: true, publicOrigin: 'https://music.example/relay' })
  t.same((await behind.get('/docs/json')).body.servers, [{ url: 'https://music.example/relay' }])
})
