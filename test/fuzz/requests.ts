/** Generates requests from the route schemas: valid, almost valid and hostile ones, and raw bytes. */
import * as fc from 'fast-check'
import type { TSchema } from '@sinclair/typebox'
import { demoAccounts } from '../../src/demo/accounts.ts'
import type { AnyEndpoint } from '../../src/relay/endpoint.ts'
import { refusedTexts, refusedValues, type Facts as HostileFacts } from '../support/hostile.ts'
import { requestText } from '../support/raw.ts'
import { pageRequests } from './pages.ts'
import { playerRequests } from './players.ts'
import { cursors, links } from './texts.ts'

export type Kind = 'valid' | 'almost' | 'hostile' | 'odd' | 'player' | 'page' | 'raw'

/** A request for an HTTP client, or bytes for a socket. */
export type FuzzRequest =
  | {
    readonly kind: Kind, readonly method: string, readonly target: string,
    readonly headers: Readonly<Record<string, string>>, readonly body?: string
  }
  | { readonly kind: 'raw', readonly bytes: Buffer }

type Values = Readonly<Record<string, unknown>>
interface Facts extends HostileFacts {
  minItems?: number
  items?: TSchema
  anyOf?: readonly TSchema[]
}

/** Values that a schema accepts. Integers are small more often than large. */
export function valid (schema: TSchema): fc.Arbitrary<unknown> {
  const {
    type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, enum: allowed, pattern, maxLength = 64, minItems = 0,
    maxItems = 5, items, anyOf
  } = schema as Facts
  if (allowed !== undefined) return fc.constantFrom(...allowed)
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(valid))
  if (type === 'integer') return fc.oneof(
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 30) }), fc.integer({ min: minimum, max: maximum }),
    fc.constantFrom(minimum, maximum)
  )
  if (type === 'boolean') return fc.boolean()
  if (type === 'array') return fc.array(
    valid(items ?? { type: 'string' } as unknown as TSchema), { minLength: minItems, maxLength: Math.min(maxItems, 8) }
  )
  if (pattern === '\\S') return fc.string({ unit: 'grapheme', maxLength: Math.min(maxLength - 1, 30) })
    .map((text) => `${text}x`.slice(-maxLength))
  return pattern === undefined ? fc.string({ maxLength })
    : fc.stringMatching(new RegExp(pattern.replaceAll('\\s*', ' ?')), { size: 'xsmall' })
}

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ maxLength: 2000, size: 'max' }),
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'null', 'NaN', '-0', '1e999', '\0', '\r\n', '%', '%00', '../', '${1}', '😀', '\u202E', '\uFFFD')
).map((text) => text.replaceAll(/\p{Surrogate}/gu, '\uFFFD'))

const names = (endpoints: Readonly<Record<string, AnyEndpoint>>): fc.Arbitrary<string> => fc.oneof(
  fc.constantFrom(...new Set(Object.values(endpoints).flatMap(({ input }) => Object.keys(input.properties)))),
  fc.constantFrom('cookie', '__proto__', 'constructor', 'a[b]', 'a.b', '', 'limit[]', 'then', 'toJSON', 'length'),
  anything
)

const cookiePairs = fc.array(fc.tuple(
  fc.constantFrom('uin', 'provider_key', 'provider_keyst', 'euin', 'providerLoginType', 'alt_uin', '__proto__', 'theme', ''),
  fc.oneof(fc.constantFrom('o10001', 'Q_H_L_x', 'W_X_x', '2', '', '=', '%'), fc.string({ maxLength: 40 }))
), { maxLength: 6 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('; '))
const cookie = fc.oneof(cookiePairs, anything)

/** A header value that every HTTP client can send. */
const headerText = (text: string): string => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').trim()

const headers: fc.Arbitrary<Record<string, string>> = fc.record({
  cookie: cookie.map(headerText), 'x-custom-cookie': cookie.map(headerText),
  origin: fc.constantFrom('null', 'https://a.example', 'http://localhost', 'x', '//'),
  'sec-fetch-site': fc.constantFrom('cross-site', 'none', 'x'), authorization: anything.map(headerText),
  accept: anything.map(headerText), 'if-none-match': fc.constantFrom('*', '"x"', 'W/"', ''),
  'accept-encoding': fc.constantFrom('gzip', 'br;q=9', '*', ''), range: fc.constantFrom('bytes=0-1', 'x'),
  'x-forwarded-for': fc.constantFrom('1.2.3.4', '::1, x', ''),
  'cache-control': fc.constantFrom('no-cache', 'max-age=0'),
  'access-control-request-method': fc.constantFrom('POST', 'X')
}, { requiredKeys: [] })
const fewHeaders =
  fc.oneof({ weight: 3, arbitrary: fc.constant<Record<string, string>>({}) }, { weight: 1, arbitrary: headers })
const accounts = fc.constantFrom(...demoAccounts())
  .map((account): Record<string, string> => ({ 'x-custom-cookie': account.cookie }))

const queryText = (values: Values): string =>
  new URLSearchParams(Object.entries(values).map(([name, value]): [string, string] => [name, String(value)])).toString()

function requestOf (
  kind: Kind, { method, path, aliases = [], pathParam }: AnyEndpoint, values: Values,
  { pick, inPath, head, added }: { pick: number, inPath: boolean, head: boolean, added: Record<string, string> }
): FuzzRequest {
  const form = [path, ...aliases][pick % (aliases.length + 1)] as string
  if (method === 'POST') return {
    kind, method, target: form, headers: { ...added, 'content-type': 'application/json' }, body: JSON.stringify(values)
  }
  const part = pathParam === undefined ? undefined : values[pathParam]
  const target = inPath && part !== undefined
    ? `${path}/${encodeURIComponent(String(part))}?${queryText(Object.fromEntries(Object.entries(values).filter(([name]) => name !== pathParam)))}`
    : `${form}?${queryText(values)}`
  return { kind, method: head ? 'HEAD' : 'GET', target, headers: added }
}

const manner = fc.record({
  pick: fc.nat(3), inPath: fc.boolean(), head: fc.integer({ min: 0, max: 19 }).map((dice) => dice === 0),
  added: fc.oneof({ weight: 4, arbitrary: fewHeaders }, { weight: 1, arbitrary: accounts })
})

/** Texts that matter, by the name of their parameter. They may be refused. */
const known: Readonly<Record<string, fc.Arbitrary<string>>> = { text: links, cursor: cursors }

function validValues ({ input, example }: AnyEndpoint): fc.Arbitrary<Values> {
  const required = input.required ?? []
  const fields = Object.fromEntries(Object.entries(input.properties)
    .map(([name, schema]) => [name, Object.hasOwn(example, name) ? fc.oneof(
      fc.constant(example[name]), known[name] ?? valid(schema), valid(schema)
    ) : fc.oneof(known[name] ?? valid(schema), valid(schema))]))
  return fc.record(fields, { requiredKeys: [...required] })
}

/** Valid values, except for one that its schema refuses. */
function almostValues (endpoint: AnyEndpoint): fc.Arbitrary<Values> {
  const fields = Object.entries(endpoint.input.properties)
  if (fields.length === 0) return fc.dictionary(anything, anything, { maxKeys: 3 })
  return fc.oneof(...fields.map(([name, schema]) => fc.tuple(validValues(endpoint), fc.constantFrom(
    ...(endpoint.method === 'GET' ? refusedTexts(schema) : refusedValues(schema))
  )).map(([values, value]) => ({ ...values, [name]: value }))))
}

/** A complete request as bytes, then damaged. */
function damaged (endpoints: readonly AnyEndpoint[]): fc.Arbitrary<FuzzRequest> {
  const line = fc.constantFrom('', 'Transfer-Encoding: chunked', 'Transfer-Encoding: gzip', 'Content-Length: 5', 'Content-Length: 0', 'Content-Length: -1', 'Connection: upgrade', 'Upgrade: h2c', 'Expect: tea', 'Expect: 100-continue', 'Host: evil.example', 'X-A: b\r\n c', 'Content-Type: application/json', 'Content-Type: text/plain', ': x', 'x')
  const whole = fc.tuple(
    fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'OPTIONS', 'TRACE', 'CONNECT', 'FOO', ''),
    fc.constantFrom(...endpoints), fc.constantFrom('', '?limit=1', '?cookie=uin=1', '/%00', '?%', '#x', ' x'),
    fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'http/1.1', ''), fc.array(line, { maxLength: 4 }),
    fc.oneof(fc.constant(''), fc.constantFrom('{}', '2\r\n{}\r\n0\r\n\r\n', 'zz\r\n', '5\r\nhello\r\n0\r\n\r\n'), anything)
  )
    .map(([method, { path }, tail, version, lines, body]) =>
      Buffer.from(requestText(`${method} ${path}${tail} ${version}`, [...lines, 'Connection: close'], body)))
  const wound = fc.tuple(
    fc.constantFrom('flip', 'insert', 'delete', 'double', 'cut', 'none', 'none'), fc.nat(),
    fc.uint8Array({ minLength: 1, maxLength: 8 })
  )
  return fc.tuple(whole, fc.array(wound, { maxLength: 3 })).map(([bytes, wounds]) => {
    let hurt = bytes
    for (const [how, where, what] of wounds) {
      const at = where % (hurt.length + 1)
      if (how === 'flip' && at < hurt.length) hurt[at] = what[0] as number
      if (how === 'insert') hurt = Buffer.concat([hurt.subarray(0, at), what, hurt.subarray(at)])
      if (how === 'delete') hurt = Buffer.concat([hurt.subarray(0, at), hurt.subarray(at + what.length)])
      if (how === 'double') hurt = Buffer.concat([hurt, hurt.subarray(at)])
      if (how === 'cut') hurt = hurt.subarray(0, Math.max(at, 1))
    }
    return { kind: 'raw', bytes: hurt }
  })
}

const bodyTexts =
  fc.oneof(fc.json({ maxDepth: 4 }), anything, fc.constantFrom('', 'null', '[]', '{"__proto__":1}', '{"a":{"constructor":{"prototype":1}}}', `${'['.repeat(5000)}`, '{"songs":[[1e999]]}', '{"songs":{"length":1e9}}'))

/** All kinds of requests, in fixed shares. */
export function requests (endpoints: Readonly<Record<string, AnyEndpoint>>): fc.Arbitrary<FuzzRequest> {
  const list = Object.values(endpoints)
  const each = (kind: Kind, values: (endpoint: AnyEndpoint) => fc.Arbitrary<Values>): fc.Arbitrary<FuzzRequest> =>
    fc.oneof(...list.map((endpoint) => fc.tuple(values(endpoint), manner)
      .map(([chosen, how]) => requestOf(kind, endpoint, chosen, how))))
  const hostile = fc.tuple(
    fc.constantFrom(...list), fc.array(fc.tuple(names(endpoints), fc.oneof(anything, cookie)), { maxLength: 6 }),
    bodyTexts, manner, fc.constantFrom('application/json', 'application/json; charset=x', 'text/plain', 'x')
  )
    .map(([endpoint, pairs, body, { pick, head, added }, type]): FuzzRequest => endpoint.method === 'POST'
      ? {
        kind: 'hostile', method: 'POST',
        target: `${endpoint.path}?${new URLSearchParams(pairs).toString()}`.slice(0, 12_000),
        headers: { ...added, 'content-type': type }, body
      }
      : {
        kind: 'hostile', method: head ? 'HEAD' : 'GET', target: `${[endpoint.path, ...endpoint.aliases ?? []][pick % ((endpoint.aliases?.length ?? 0) + 1)]}?${new URLSearchParams(pairs).toString()}`.slice(0, 12_000), headers: added
      })
  const odd = fc.tuple(
    fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'),
    fc.oneof(
      fc.constantFrom(...list.map(({ path }) => path)), fc.webPath().map((path) => `/${path}`),
      anything.map((text) => `/${encodeURIComponent(text)}`), fc.constantFrom('/%', '/%zz', '/..', '//', '/getLyric/%ED%A0%80', '/getRanks/', '/docs', '/login', '/login/account', '/user', '/health/live')
    ), fc.oneof(fc.constant(''), fc.webQueryParameters().map((text) => `?${text}`)), fewHeaders,
    fc.option(bodyTexts, { nil: undefined })
  )
    .map(([method, path, query, added, body]): FuzzRequest => ({
      kind: 'odd', method, target: `${path}${query}`.slice(0, 12_000),
      headers: body === undefined ? added : { ...added, 'content-type': 'application/json' },
      ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body })
    }))
  return fc.oneof(
    { weight: 25, arbitrary: each('valid', validValues) }, { weight: 35, arbitrary: each('almost', almostValues) },
    { weight: 20, arbitrary: hostile }, { weight: 12, arbitrary: odd },
    { weight: 10, arbitrary: playerRequests(anything, valid) }, { weight: 10, arbitrary: pageRequests(anything) },
    { weight: 8, arbitrary: damaged(list) }
  )
}
