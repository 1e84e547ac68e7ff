/** openapi.yaml describes the routes: it is up to date and complete, and its examples run. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { generated } from '../../build/docs/generate.ts'
import { typesText } from '../../build/types.ts'
import { whole } from '../support/whole.ts'
import { errorCodes, type ErrorCode } from '../../schemas/errors.ts'
import { components } from '../../schemas/index.ts'
import { buildApp, type AppOptions } from '../../src/app.ts'
import { documentOf } from '../../build/openapi/plugin.ts'
import { foldedName, schemasWithoutTwins, withoutTwins } from '../../build/openapi/twins.ts'
import { withoutUnions } from '../../build/openapi/unions.ts'
import { yamlOf } from '../../build/openapi/yaml.ts'
import { routes } from '../support/everyRoute.ts'
import { cookieOf, demoFor, endpoints, serverFor } from '../support/helper.ts'

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')

// Untyped: what is there is what is tested.
let document: Promise<any> | undefined
/** Made once: an application stands behind it. */
const published = async (): Promise<any> => await (document ??= documentOf())
const operationsOf = ({ paths }: any): { path: string, method: string, operation: any }[] =>
  Object.entries<object>(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
const named = (reference: string | undefined): string => reference?.split('/').at(-1) ?? ''
/** The responses of an operation, those of failures included. */
const responsesOf = ({ components }: any, { responses }: any): [string, any][] =>
  Object.entries<any>(responses).map(([status, response]) =>
    [status, response.$ref === undefined ? response : components.responses[named(response.$ref)]])

t.test('openapi.yaml, the generated parts of the docs and the snapshot of the endpoints are fresh (npm run openapi writes them)', { skip: whole ? false : 'the gate runs npm run openapi' }, async (t) => {
  for (const [file, text] of Object.entries(await generated())) t.equal(read(file), text, file)
})

t.test('every operation is complete', async (t) => {
  const document = await published()
  t.equal(document.openapi, '3.0.3')
  const operations = operationsOf(document)
  const expected = Object.values(endpoints).flatMap(({ path, aliases = [], pathParam }) =>
    [path, ...aliases, ...(pathParam === undefined ? [] : [`${path}/{${pathParam}}`])])
  t.same(operations.map(({ path }) => path).sort(), expected.sort(), 'no route is missing or undocumented')
  t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
  const tags = document.tags.map(({ name }: any) => name)
  const wrong: string[] = []
  for (const { path, operation } of operations) {
    const demand = (is: unknown, what: string): void => {
      if (is === false || is === undefined) wrong.push(`${path}: ${what}`)
    }
    demand(operation.summary !== '' && operation.summary, 'a summary')
    demand(operation.description?.length > 20, 'a description')
    demand(operation.tags?.every((tag: string) => tags.includes(tag)), 'known tags')
    for (const { name, description } of operation.parameters ?? []) {
      demand(description !== '' && description, `${name} is described`)
    }
    for (const [status, { description, content }] of responsesOf(document, operation)) {
      demand(description !== '' && description !== 'Default Response' && description, `${status} is described`)
      demand((content === undefined) === ['206', '302', '304'].includes(status), `${status} has a body of JSON, or none`)
      demand(content === undefined || content['application/json'], `${status} is JSON`)
    }
    for (const status of ['200', '400', '502']) demand(operation.responses[status], status)
  }
  t.same(wrong, [])
})

t.test('every named record of the document is a type of the library and the client', async (t) => {
  const exported = new Set([...typesText().matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name))
  const all = components.map(({ $id = '' }) => $id)
  t.same(all.filter((name) => !exported.has(name)), [])
  const { schemas } = (await published()).components
  t.same(all.filter((name) => schemas[name] === undefined).sort(), ['FailedCategory', 'FailedPlaylist', 'SongInfoFailure'], 'of the document: all but those that are merged with the rows that they stand in for')
})

t.test('a parameter with a default is optional and says its default; a required one has an example', async (t) => {
  const { paths } = await published()
  for (const [name, { path, method, input, example, songs }] of Object.entries(endpoints)) {
    const required = input.required ?? []
    // The form of a list is no input of its function.
    const defaults = {
      ...Object.fromEntries(Object.entries(input.properties).map(([key, schema]) => [key, schema.default])),
      ...(songs === undefined ? {} : { format: 'json' })
    } as Record<string, unknown>
    const parameters = paths[path]?.[method.toLowerCase()]?.parameters ?? []
    t.same(
      parameters.map((parameter: any) => [parameter.name, parameter.required ?? false, parameter.schema.default]),
      parameters.map(({ name }: any) => [name, required.includes(name), defaults[name]]), name
    )
    t.same(required.filter((key) => !Object.hasOwn(example, key)), [], `${name}: the example has all`)
  }
})

t.test('every example runs on the demo upstream, at every path', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const headers = { 'accept': 'application/json', 'x-custom-cookie': cookieOf(demo, 'member') }
  const keys = new Map<string, string[]>()
  for (const { name, method, form, query, body: sent } of routes) {
    const { status, body } = method === 'GET' ? await server.get(`${form}?${query}`, { headers })
      : await server.post(form, sent, { headers })
    t.same([
      status, keys.get(name) ?? Object.keys(body)
    ], [200, Object.keys(body)], `${form} ${JSON.stringify(body).slice(0, 200)}`)
    keys.set(name, Object.keys(body))
  }
})

t.test('what an envelope wraps, it unwraps', async (t) => {
  const record = { some: 'thing' }
  for (const [name, { envelope }] of Object.entries(endpoints)) {
    t.same(envelope.unwrap(envelope.wrap(record)), record, name)
  }
})

t.test('every operation has its failures: those of all, of bodies, of paths, of logins', async (t) => {
  const document = await published()
  const always = ['INVALID_INPUT', 'TOKEN_REQUIRED', 'HOST_NOT_ALLOWED', 'NOT_FOUND', 'RATE_LIMITED', 'INTERNAL', 'UPSTREAM_REFUSED', 'COOKIE_REJECTED', 'OVERLOADED', 'UPSTREAM_TIMEOUT']
  for (const [name, { path, method, pathParam, login, tag }] of Object.entries(endpoints)) {
    for (const form of [path, ...(pathParam === undefined ? [] : [`${path}/{${pathParam}}`])]) {
      const responses = Object.fromEntries(responsesOf(document, document.paths[form][method.toLowerCase()]))
      const codes = new Set(Object.values(responses)
        .flatMap(({ description }) => description.match(/`[A-Z_]+`/g) ?? []).map((word: string) => word.slice(1, -1)))
      const posts = method === 'POST'
      const expected: Readonly<Record<string, boolean>> = {
        ...Object.fromEntries(always.map((code) => [code, true])), INVALID_JSON: posts, BODY_TOO_LARGE: posts,
        UNSUPPORTED_TYPE: posts, URL_TOO_LONG: form !== path, LOGIN_REQUIRED: login === 'required',
        CROSS_SITE: login === 'required' || tag === 'login', LOGIN_TIMEOUT: tag === 'login', METHOD_NOT_ALLOWED: false,
        ROUTE_NOT_FOUND: false
      }
      t.same(Object.keys(expected).filter((code) => codes.has(code) !== expected[code]), [], `${name} ${form}`)
      t.same(
        [...codes].filter((code) => !(String(errorCodes[code as ErrorCode].status) in responses)), [],
        `${form}: each with its status`
      )
    }
  }
  t.same(document.components.schemas.ErrorBody.properties.code.enum, Object.keys(errorCodes), 'and all there are')
})

t.test('no two names of the document become one name in a generated client', async (t) => {
  const document = await published()
  const twins = (names: readonly string[]): string[] =>
    names.filter((name, at) => names.findIndex((other) => foldedName(other) === foldedName(name)) !== at)
  const lists: Array<readonly [where: string, names: string[]]> = [
    ['operations', operationsOf(document).map(({ operation }) => operation.operationId)],
    ['schemas', Object.keys(document.components.schemas)]
  ]
  function walk (value: unknown, where: string): void {
    if (typeof value !== 'object' || value === null) return
    const { properties, parameters } = value as { properties?: object, parameters?: { name: string }[] }
    if (properties !== undefined) lists.push([where, Object.keys(properties)])
    if (Array.isArray(parameters)) lists.push([where, parameters.map(({ name }) => name)])
    for (const [key, inner] of Object.entries(value)) walk(inner, `${where}/${key}`)
  }
  walk({ paths: document.paths, schemas: document.components.schemas }, '')
  t.ok(lists.length > 100)
  t.same(lists.filter(([, names]) => twins(names).length > 0), [])

  const { properties, required } = document.components.schemas.ChartSong
  t.match(properties.songId, { 'description': /Also sent as `song_id`\./, 'x-also-sent': ['song_id'] })
  t.same([properties.song_id, required.includes('song_id')], [undefined, false])
  t.ok(
    endpoints['getRanks']?.record !== undefined && JSON.stringify(components).includes('"song_id"'),
    'the schemas of the library keep both'
  )
})

t.test('twins of a schema or of parameters keep one name and tell of the others, unless they are of different types', async (t) => {
  const integer = { type: 'integer', description: 'Number.' }
  t.same(schemasWithoutTwins({ items: { type: 'object', required: ['songId', 'song_id'], properties: {
    songId: integer, song_id: integer, SONGID: integer, name: { type: 'string' }
  } } }, 'accepted'), {
    items: { type: 'object', required: ['songId'], properties: {
      songId: { 'type': 'integer', 'description': 'Number. Also accepted as `song_id`. Also accepted as `SONGID`.', 'x-also-accepted': ['song_id', 'SONGID'] }, name: { type: 'string' }
    } }
  })
  t.throws(() => withoutTwins(
    [{ name: 'songId', type: 'integer', schema: {} }, { name: 'song_id', type: 'string', schema: {} }], 'sent'
  ), /songId and song_id collide/)
})

t.test('in place of a choice there is one schema that fits every one of it', async (t) => {
  const found = { type: 'object', description: 'Found.', required: ['id', 'at'], properties: {
    id: { type: 'integer' }, at: { type: 'string' }
  } }
  const failed = { type: 'object', description: 'Failed.', required: ['id', 'code'], properties: {
    id: { type: 'integer' }, code: { type: 'string' }, at: { type: 'integer', description: 'When.' }
  } }
  t.same(withoutUnions({
    anyOf: [{ $ref: '#/components/schemas/Found' }, { $ref: '#/components/schemas/Failed' }]
  }, { Found: found, Failed: failed }, 'Element'), {
    title: 'Element', type: 'object', description: 'One of these: Found (Found), Failed (Failed).',
    properties: { id: { type: 'integer' }, at: { description: 'When.' }, code: { type: 'string' } }, required: ['id']
  })
  t.same(
    withoutUnions({ description: 'A word.', anyOf: [{ type: 'integer' }, { type: 'string', maxLength: 3 }] }, {}, 'x'),
    { 'type': 'string', 'maxLength': 3, 'description': 'A word. Also accepted: integer.', 'x-also-accepted': ['integer'] }
  )
  t.throws(() => withoutUnions({ anyOf: [{ type: 'integer' }, { type: 'boolean' }] }, {}, 'x'), /no type for a choice/)
  t.notMatch(JSON.stringify(await published()), /"(anyOf|oneOf|allOf)"/)
})

t.test('bodies and failures are named components, and whole numbers have room', async (t) => {
  const document = await published()
  const contents = (of: any): any[] => Object.values(of?.content ?? {}).map(({ schema }: any) => schema.$ref)
  for (const { path, operation } of operationsOf(document)) {
    for (const [status, response] of Object.entries<any>(operation.responses)) {
      if (Number(status) >= 400) t.match(response.$ref, new RegExp(`^#/components/responses/Error${status}[A-Za-z]*$`), `${path} ${status}`)
      else for (const reference of contents(response)) {
        t.match(reference, /^#\/components\/schemas\/\w+$/, `${path} ${status}`)
      }
    }
    for (const reference of contents(operation.requestBody)) {
      t.match(reference, /^#\/components\/schemas\/\w+Body$/, path)
    }
  }
  t.same([...new Set(Object.values(document.components.responses).map((response) => contents(response)[0]))], [
    '#/components/schemas/ErrorBody'
  ])
  t.match(document.components.schemas.GetRanksAnswer, { properties: { data: { $ref: '#/components/schemas/Chart' } } })
  t.equal(document.components.schemas.ChartSong.properties.songId.format, 'int64', 'Java and Go would read 32 bits')
})

t.test('every answer and every failure has an example, which fits its schema', async (t) => {
  const document = await published()
  const ajv = new Ajv({ strict: false, formats: { int64: true } })
  ajv.addSchema({ $id: 'document', ...document })
  const wrong: string[] = []
  const fits = ({ $ref }: any, value: unknown, what: string): void => {
    if (value === undefined || !ajv.validate({ $ref: `document${$ref}` }, value)) wrong.push(`${what}: ${ajv.errorsText()}`)
  }
  for (const { path, operation: { responses, requestBody } } of operationsOf(document)) {
    const { schema, examples } = responses['200'].content['application/json']
    fits(schema, document.components.examples[named(examples?.demo?.$ref)]?.value, path)
    for (const { schema: body, example } of Object.values<any>(requestBody?.content ?? {})) {
      fits(body, example, `what ${path} is sent`)
    }
  }
  for (const [name, { description, content }] of Object.entries<any>(document.components.responses)) {
    const { schema, examples } = content['application/json']
    t.same(
      Object.keys(examples), [...description.matchAll(/`([A-Z_]+)`:/g)].map(([, code]) => code),
      `${name}: one for each code`
    )
    for (const [code, { value }] of Object.entries<any>(examples)) {
      fits(schema, value, code)
      t.equal(value.code, code)
    }
  }
  t.same(wrong, [])
})

t.test('a login goes into a header, and is asked for where it counts only', async (t) => {
  const document = await published()
  t.match(document.components.securitySchemes, {
    cookieHeader: { type: 'apiKey', in: 'header' }, account: { type: 'http', scheme: 'bearer' }
  })
  t.same(Object.keys(document.components.securitySchemes), ['cookieHeader', 'account'])
  const ways = [{ cookieHeader: [] }, { account: [] }]
  for (const { path, operation } of operationsOf(document)) {
    const { login } = Object.values(endpoints).find((endpoint) => [endpoint.path, ...endpoint.aliases ?? []]
      .some((own) => path === own || path.startsWith(`${own}/{`))) ?? {}
    t.same(
      operation.security, login === undefined ? [{}, { account: [] }] : login === 'required' ? ways : [{}, ...ways],
      path
    )
    t.notMatch((operation.parameters ?? []).map(({ name }: any) => name), 'cookie', path)
    t.match(operation.description, /X-Custom-Cookie or \?cookie=/, path)
  }
})

/** A relay with its documentation. Returns the text at a path. */
async function docsOf (t: Test, options: AppOptions = {}): Promise<(
  path: string, headers?: Record<string, string>
) => Promise<string>> {
  const app = await buildApp({
    docs: true, pages: false, shedDelayMs: 0, upstreamOrigin: 'http://127.0.0.1:1', logLevel: 'silent', ...options
  })
  t.teardown(async () => { await app.close() })
  const own = { host: 'localhost:1', authorization: 'Bearer a token of this test' }
  return async (url, headers = {}) => (await app.inject({ url, headers: { ...own, ...headers } })).body
}

t.test('clients ask where the document comes from', async (t) => {
  t.same((await published()).servers.map(({ url }: any) => url), ['http://127.0.0.1:3200'], 'of the file: a whole address, because generators cannot use a relative one')
  const ask = await docsOf(t)
  const [json, yaml] = [JSON.parse(await ask('/docs/json')), await ask('/docs/yaml')]
  t.same(json.servers, [{ url: 'http://localhost:1' }])
  t.equal(yaml, read('openapi.yaml').replace('url: http://127.0.0.1:3200\n    description: The relay.\n', 'url: http://localhost:1\n'), 'the file, letter by letter')
  if (whole) t.same(parse(yaml, { version: '1.1' }), json, 'to readers of YAML 1.1, too')
  const texts = { plain: '2026_46', date: '2015-08-10', time: '2015-08-10T10:00:00Z', spaced: '2015-08-10 10:00', minutes: '4:12', no: 'no', on: 'On' }
  t.same(parse(yamlOf(texts), { version: '1.1' }), texts)
  t.same(JSON.parse(await ask('/docs/json', { 'sec-fetch-site': 'same-origin' })).servers, [{ url: '..' }], 'of the page at /docs: a proxy may have another protocol or a path')
  t.same(JSON.parse(await ask('/docs/json?relative')).servers, [{ url: '..' }], 'on plain http a browser does not say who asks')
})

t.test('the document of a relay says what its callers must send: access token, name of the cookie parameter, no cookie that is ignored', async (t) => {
  const [account, cookieHeader] = [{ account: [] }, { cookieHeader: [] }]
  const both = { account: [], cookieHeader: [] }
  for (const [options, security, more = {}] of [
    [{}, [[{}, account], [{}, cookieHeader, account], [cookieHeader, account]]],
    [{ accessToken: 'a token of this test', cookieParamName: 'login' }, [[account], [both, account], [both, account]], {
      words: [/\?login=\.$/, /\?login=,/, /\?login=,/]
    }],
    [{ fallbackMode: false, publicOrigin: 'https://music.example/relay' }, [[{}, account], [{}, account], [account]], {
      url: 'https://music.example/relay'
    }]
  ] as readonly [AppOptions, object[], { words?: RegExp[], url?: string }?][]) {
    const { paths, servers } = JSON.parse(await (await docsOf(t, options))('/docs/json'))
    const of = ['/getRanks', '/getMusicPlay', '/account'].map((path) => paths[path].get)
    t.same(of.map((operation) => operation.security), security)
    if (more.words !== undefined) t.match(of.map(({ description }) => description), more.words)
    t.same(servers, [{ url: more.url ?? 'http://localhost:1' }])
  }
})

t.test('a body may be absent where nothing in it is required, and its defaults are defaults', async (t) => {
  const { paths, components } = await published()
  const bodies = Object.entries<any>(paths).flatMap(([path, { post }]) => post === undefined ? [] : [[
    path, post.requestBody.required,
    components.schemas[post.requestBody.content['application/json'].schema.$ref.split('/').at(-1)]
  ] as const])
  for (const [path, required, schema] of bodies) t.equal(required, (schema.required ?? []).length > 0, path)
  t.same(bodies.find(([path]) => path === '/batchGetSongInfo')?.[2].properties.songs.default, [])
  t.match(bodies.find(([path]) => path === '/batchGetSongLists')?.[2].properties, {
    limit: { default: Number }, page: { default: Number }
  })
})
