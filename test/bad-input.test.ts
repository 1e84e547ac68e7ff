/** Whatever a client sends: a refusal that names the field, nothing asked upstream, and a relay that goes on. */
import { connect } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import type { Test } from 'tap'
import type { DemoUpstream } from '../src/demo/upstream.ts'
import type { AnyEndpoint } from '../src/endpoint.ts'
import { demoFor, endpoints, relayFor, serverFor } from './helper.ts'
import type { Reply, Server } from './helper.ts'
import { refusedTexts, refusedValues } from './hostile.ts'
import { exchange, requestText } from './raw.ts'
import { refusalProblem } from './shape.ts'

const all = Object.entries(endpoints)
const properties = ({ input }: AnyEndpoint): [string, AnyEndpoint['input']['properties'][string]][] => Object.entries(input.properties)
const paths = ({ path, aliases = [] }: AnyEndpoint): string[] => [path, ...aliases]
const queryOf = (values: Readonly<Record<string, unknown>>): string => new URLSearchParams(Object.entries(values).map(([name, value]): [string, string] => [name, String(value)])).toString()
const without = (values: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> => Object.fromEntries(Object.entries(values).filter(([key]) => key !== name))
const json = { 'content-type': 'application/json' }

const problemOf = ({ status, text, headers }: Reply, secrets: readonly string[] = []): string | undefined =>
  refusalProblem({ status, text, header: (name) => headers.get(name) }, { secrets })

/** Why a reply is not the refusal it should be; undefined when it is. */
function wrongRefusal (reply: Reply, field: string, statuses: readonly number[] = [400]): string | undefined {
  if (!statuses.includes(reply.status)) return `${reply.status} ${reply.text.slice(0, 100)}`
  if (reply.status === 400 && !new RegExp(`^${field}(\\[\\d+\\])*: `).test(String(reply.body.error))) return `does not name ${field}: ${reply.body.error}`
  return problemOf(reply)
}

/** After the worst: the process lives, nothing was asked, nothing stuck to the prototypes, and the next request is answered. */
async function goesOn (t: Test, server: Server, demo: DemoUpstream, what: string): Promise<void> {
  t.equal(demo.received.length, 0, `${what}: nothing was asked upstream`)
  t.same(Object.keys(Object.prototype), [], 'no prototype is polluted')
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
  t.equal((await server.get('/getHotkey')).status, 200, 'the next request is answered')
  demo.reset()
}

t.test('every parameter of every endpoint refuses what it cannot be, by name, in the query and in the path', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  let asked = 0
  for (const [name, endpoint] of all.filter(([, { method }]) => method === 'GET')) {
    const wrong: string[] = []
    for (const [field, schema] of properties(endpoint)) {
      const refused = refusedTexts(schema)
      t.ok(refused.length >= 3, `${name} ${field}`)
      const forms = paths(endpoint).map((path) => (value: string) => `${path}?${queryOf({ ...endpoint.example, [field]: value })}`)
      if (endpoint.pathParam === field) forms.push((value) => `${endpoint.path}/${encodeURIComponent(value)}?${queryOf(without(endpoint.example, field))}`)
      for (const form of forms) {
        await Promise.all(refused.map(async (value) => {
          asked++
          const problem = wrongRefusal(await server.get(form(value)), field, form === forms[0] ? [400] : [400, 414])
          if (problem !== undefined) wrong.push(`${field}=${JSON.stringify(value).slice(0, 40)}: ${problem}`)
        }))
      }
    }
    t.same(wrong, [], name)
  }
  t.ok(asked > 2000, `${asked} values`)
  await goesOn(t, server, demo, 'queries')
})

t.test('what an endpoint cannot do without is asked for by name', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  for (const [name, { method, path, input, example }] of all) {
    for (const field of input.required ?? []) {
      const rest = without(example, field)
      const reply = method === 'GET' ? await server.get(`${path}?${queryOf(rest)}`) : await server.post(path, rest)
      t.equal(wrongRefusal(reply, field), undefined, `${name} without ${field}`)
      t.match(reply.body.error, /: is required\.$/)
    }
  }
  for (const [path, words] of [['/getSongInfo', 'songid or songmid'], ['/user/getUserAvatar', 'uin']] as const) t.equal(wrongRefusal(await server.get(path), words), undefined, path)
  await goesOn(t, server, demo, 'missing')
})

t.test('every field of every body refuses what it cannot be, by name', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  for (const [name, endpoint] of all.filter(([, { method }]) => method === 'POST')) {
    const wrong: string[] = []
    for (const [field, schema] of properties(endpoint)) {
      for (const path of paths(endpoint)) {
        for (const value of refusedValues(schema)) {
          const problem = wrongRefusal(await server.post(path, { ...endpoint.example, [field]: value }), field)
          if (problem !== undefined) wrong.push(`${path} ${field}: ${JSON.stringify(value).slice(0, 60)}: ${problem}`)
        }
        for (const number of ['1e999', '-1e999', '1e400']) {
          const problem = wrongRefusal(await server.get(path, { method: 'POST', headers: json, body: JSON.stringify({ ...endpoint.example, [field]: 0 }).replace(`"${field}":0`, `"${field}":${number}`) }), field)
          if (problem !== undefined) wrong.push(`${path} ${field}: ${number}: ${problem}`)
        }
      }
    }
    t.same(wrong, [], name)
  }
  t.equal(wrongRefusal(await server.post('/batchGetSongLists', { categoryIds: Array.from({ length: 26 }, () => 6), disstid: Array.from({ length: 25 }, () => '7700000001').join() }), '.*'), undefined, 'fifty elements in all')
  await goesOn(t, server, demo, 'bodies')
})

t.test('bodies that are no JSON objects, too large, too deep or in disguise are refused on every path that takes one', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const deep = (open: string, close: string): string => `${open.repeat(40_000)}1${close.repeat(40_000)}`
  for (const [, endpoint] of all.filter(([, { method }]) => method === 'POST')) {
    const [field = ''] = Object.keys(endpoint.input.properties)
    const bodies: readonly [string, readonly number[], Record<string, string>?][] = [
      ['{', [400]], ['{"a":1,}', [400]], ["{'a':1}", [400]], ['{a:1}', [400]], ['NaN', [400]], ['\0', [400]], ['{"a":"\n"}', [400]], ['[1', [400]], ['{}{}', [400]], ['undefined', [400]],
      ['[]', [400]], ['null', [400]], ['true', [400]], ['0', [400]], ['""', [400]], [`[${JSON.stringify(endpoint.example)}]`, [400]],
      ['{"__proto__":{"polluted":1}}', [400]], [`{"${field}":{"__proto__":{"polluted":1}}}`, [400]], ['{"a":[{"constructor":{"prototype":{"polluted":1}}}]}', [400]], ['{"\\u005f_proto__":{"polluted":1}}', [400]],
      [`{"${field}":${deep('[', ']')}}`, [400]], [`{"${field}":${deep('{"a":', '}')}}`, [400, 413]], [deep('[', ']'), [400]],
      [`{"${field}":"${'x'.repeat(300_000)}"}`, [413]], [`{"${field}":[${'[],'.repeat(1_000_000)}[]]}`, [413]], [`{"${field}":[${'1,'.repeat(100_000)}1]}`, [400]],
      ['a=b', [415], { 'content-type': 'application/x-www-form-urlencoded' }], ['{}', [415], { 'content-type': 'text/plain' }], ['{}', [415], { 'content-type': 'application/jsonp' }],
      ['--b--', [415], { 'content-type': 'multipart/form-data; boundary=b' }], ['<a/>', [415], { 'content-type': 'application/xml' }], ['{}', [415], { 'content-type': 'nonsense' }],
      ['{}', [415], { 'content-encoding': 'gzip' }], ['{}', [415], { 'content-encoding': 'br' }], ['{}', [415], { 'content-encoding': 'identity, gzip' }]
    ]
    for (const path of paths(endpoint)) {
      const wrong: string[] = []
      for (const [body, statuses, headers = {}] of bodies) {
        const reply = await server.get(path, { method: 'POST', body, headers: { ...json, ...headers } })
        const problem = statuses.includes(reply.status) ? problemOf(reply) : String(reply.status)
        if (problem !== undefined) wrong.push(`${body.slice(0, 40)} ${JSON.stringify(headers)}: ${problem}`)
      }
      t.same(wrong, [], path)
    }
  }
  await goesOn(t, server, demo, 'disguises')
})

t.test('words of any script reach the upstream unchanged', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const words = ['雨天 的 歌', '𝕊𝕠𝕟𝕘 𠜎', 'שלום עולם', '\u202Eabc\u202C مرحبا', '👩‍👩‍👧‍👦🏳️‍🌈', 'e\u0301 é ﬁ', 'A\u030A Å Å', 'a\uFEFFb\u200B', '%', '%25 %zz', 'a+b', 'a&b=c#d?e/f;g', '"\'\\`', '<b>&amp;</b>', '\0\u0001\u007F', '${x} {{y}}', 'x'.repeat(60), '雨'.repeat(60)]
  const asks: readonly ((word: string) => string)[] = [
    (word) => `/getSearchByKey?${queryOf({ key: word })}`, (word) => `/getSearchByKey/${encodeURIComponent(word)}`, (word) => `/getSmartbox?${queryOf({ key: word })}`, (word) => `/getMvByTag?${queryOf({ tag: word })}`
  ]
  const textsIn = (value: unknown): string[] => typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
  for (const ask of asks) {
    const lost: string[] = []
    for (const word of words) {
      demo.reset()
      const { status } = await server.get(ask(word))
      const seen = demo.received.flatMap(({ query, body }) => [...textsIn(query), ...textsIn(body)])
      if (status !== 200 || !seen.includes(word)) lost.push(`${status} ${JSON.stringify(word)}`)
    }
    t.same(lost, [], ask('x'))
  }
  for (const word of ['雨'.repeat(200), '𝕊'.repeat(200)]) {
    t.equal((await server.get(`/getSearchByKey?${queryOf({ key: word })}`)).status, 200, 'characters are counted, not bytes')
    t.equal((await server.get(`/getSearchByKey/${encodeURIComponent(word)}`)).status, 200, 'in the path too')
  }
})

t.test('half characters and broken encodings are refused or replaced, never a failure of ours', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const broken = ['%', '%z', '%zz', '%C0%80', '%ED%A0%80', '%ED%B0%80', '%FF%FE', '%E9', '%F8%88%80%80%80', '%u0041', 'a%']
  for (const part of broken) {
    for (const path of [`/getSearchByKey/${part}`, `/getLyric/${part}`, `/${part}`, `/user/${part}`]) {
      const reply = await server.get(path)
      t.equal(reply.status, 400, path)
      t.equal(problemOf(reply), undefined, path)
    }
  }
  t.equal(demo.received.length, 0)
  for (const part of broken) {
    for (const path of [`/getSearchByKey?key=${part}`, `/getSearchByKey?key=x&${part}=1`, `/getLyric?songmid=${part}`, `/user/getCookie?cookie=${part}`]) {
      const reply = await server.get(path)
      t.ok([200, 400].includes(reply.status), `${path} ${reply.status}`)
      t.equal(reply.status === 400 ? problemOf(reply) : undefined, undefined, path)
    }
  }
  demo.reset()
  const relay = relayFor(t, demo)
  const calls: readonly Promise<unknown>[] = [relay.getSearchByKey({ key: 'a\uD800' }), relay.getSmartbox({ key: '\uDC00a' }), relay.getMvByTag({ tag: '\uD83D' }), relay.getUserAvatar({ k: '\uD800' })]
  for (const call of calls) {
    await t.rejects(call, { code: 'INVALID_INPUT', message: /^(key|tag|k): must be well-formed/ })
  }
  await goesOn(t, server, demo, 'half characters')
})

t.test('a repeated parameter counts once, by its first value; names with brackets or dots are unknown names', async (t) => {
  const server = await serverFor(t, await demoFor(t))
  const hostile = '!'.repeat(300)
  for (const [name, { method, path, input, example, login }] of all) {
    if (method !== 'GET') continue
    const names = Object.keys(input.properties)
    const plain = queryOf(example)
    const status = login === 'required' ? 401 : 200
    const again = names.filter((field) => Object.hasOwn(example, field)).map((field) => `${field}=${hostile}`)
    const odd = names.flatMap((field) => [`${field}[]=${hostile}`, `${field}[0]=${hostile}`, `${field}[a]=x`, `${field}.x=1`, `${field.toUpperCase()}X=1`])
    t.equal((await server.get(`${path}?${[plain, ...again].join('&')}`)).status, status, `${name}, repeated`)
    t.equal((await server.get(`${path}?${[plain, ...odd, '__proto__=1', '__proto__[polluted]=1', 'constructor.prototype.polluted=1', 'a[b]=1'].join('&')}`)).status, status, `${name}, odd names`)
    for (const field of again) t.equal((await server.get(`${path}?${[field, plain].join('&')}`)).status, 400, `${name}, first value`)
  }
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

t.test('a cookie with names of prototypes is a cookie without them, and one that breaks lines is refused from every source', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const cookie = '__proto__=polluted; constructor=x; prototype=y; toString=z; hasOwnProperty=1; uin=o10001; provider_key=Q_H_L_k'
  for (const [path, headers] of [[`/user/getCookie?${queryOf({ cookie })}`, {}], ['/user/getCookie', { 'x-custom-cookie': cookie }], ['/user/getCookie', { cookie }]] as const) {
    const { status, body } = await server.get(path, { headers })
    t.equal(status, 200)
    t.same(body.data.cookieObject, { uin: 'o10001', provider_key: 'Q_H_L_k' })
    t.same(body.data.cookieList, ['uin=o10001', 'provider_key=Q_H_L_k'])
  }
  const secret = 'SECRETMARK'
  for (const name of ['X-Custom-Cookie', 'Cookie']) {
    for (const odd of ['\0', '\r', '\n', '\r\nX-Evil: y', '\u0001', '\u007F', 'é', '密', '\u00FF']) {
      const { answers } = await exchange(server.address, Buffer.from(requestText('GET /getRanks?topId=62 HTTP/1.1', [`${name}: uin=1; provider_key=${secret}${odd}`, 'Connection: close']), odd === '\u00FF' ? 'latin1' : 'utf8'))
      if (odd === '\r\nX-Evil: y') continue // two headers, and nothing wrong with either
      t.equal(answers.length, 1, `${name} ${JSON.stringify(odd)}`)
      const [{ status, text, headers } = { status: 0, text: '', headers: new Map<string, string>() }] = answers
      t.equal(status, 400, `${name} ${JSON.stringify(odd)} ${text}`)
      t.equal(refusalProblem({ status, text, header: (header) => headers.get(header) }, { secrets: [secret] }), undefined)
    }
  }
  demo.received.length = 0
  for (const odd of ['\0', '\r', '\n', 'é', '\u007F', 'k'.repeat(8200)]) {
    const reply = await server.get(`/getRanks?${queryOf({ topId: 62, cookie: `uin=1; provider_key=${secret}${odd}` })}`)
    t.equal(wrongRefusal(reply, 'cookie'), undefined, JSON.stringify(odd).slice(0, 20))
    t.equal(problemOf(reply, [secret]), undefined)
  }
  t.notMatch(server.log.join(''), secret)
  await goesOn(t, server, demo, 'cookies')
})

t.test('a method that a path does not answer is 405, whatever it brings', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const forms = all.flatMap(([, endpoint]) => [...paths(endpoint), ...(endpoint.pathParam === undefined ? [] : [`${endpoint.path}/x`])].map((path) => ({ path, own: endpoint.method })))
  const brought: readonly [string[], string][] = [[[], ''], [['Content-Type: text/plain', 'Content-Length: 2'], 'ab'], [['Content-Type: application/json', 'Content-Length: 2'], 'ab']]
  for (const { path, own } of forms) {
    const wrong: string[] = []
    await Promise.all(['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY', 'LINK', own === 'GET' ? 'POST' : 'GET'].flatMap((method) => brought.map(async ([headers, body]) => {
      const { answers } = await exchange(server.address, requestText(`${method} ${path} HTTP/1.1`, [...headers, 'Connection: close'], body))
      const [answer] = answers
      if (answer?.status !== 405 || answers.length !== 1) wrong.push(`${method}: ${answer?.status}`)
      else if (answer.headers.get('allow') !== (own === 'GET' ? 'GET, HEAD' : 'POST')) wrong.push(`${method}: allow ${answer.headers.get('allow')}`)
      else {
        const problem = refusalProblem({ ...answer, header: (name) => answer.headers.get(name) })
        if (problem !== undefined) wrong.push(`${method}: ${problem}`)
      }
    })))
    t.same(wrong, [], path)
    t.equal((await server.get(path, { method: 'OPTIONS' })).status, 204, `OPTIONS ${path}`)
  }
  await goesOn(t, server, demo, 'methods')
})

t.test('HEAD is refused as GET is, without a body', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  for (const target of ['/getRanks?limit=x', '/getLyric', '/nothing', '/batchGetSongInfo', '/getLyric/%zz', '/getDailyRecommend', `/getSmartbox?key=${'x'.repeat(201)}`]) {
    const { status } = await server.get(target)
    const { answers, rest } = await exchange(server.address, requestText(`HEAD ${target} HTTP/1.1`, ['Connection: close']), { head: true })
    t.equal(answers[0]?.status, status, target)
    t.equal(rest, '')
    t.equal(refusalProblem({ status, text: answers[0]?.text ?? '?', header: (name) => answers[0]?.headers.get(name) }, { bodyless: true }), undefined, target)
  }
  await goesOn(t, server, demo, 'HEAD')
})

const post = (headers: readonly string[], body: string): string => requestText('POST /batchGetSongInfo HTTP/1.1', ['Content-Type: application/json', ...headers], body)
/** Hidden behind each malformed request: it must never be answered. */
const hidden = requestText('GET /getHotkey HTTP/1.1', ['X-Hidden: 1'])

const malformed: Readonly<Record<string, readonly [string | Buffer, number?]>> = {
  'a length and a coding': [post(['Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
  'a coding and a length': [post(['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n')],
  'two lengths': [post(['Content-Length: 2', 'Content-Length: 3'], '{}')],
  'the same length twice': [post(['Content-Length: 2', 'Content-Length: 2'], '{}')],
  'a list of lengths': [post(['Content-Length: 2, 2'], '{}')],
  'a signed length': [post(['Content-Length: +2'], '{}')],
  'a negative length': [post(['Content-Length: -2'], '{}')],
  'a length in hex': [post(['Content-Length: 0x2'], '{}')],
  'a length beyond all numbers': [post(['Content-Length: 99999999999999999999'], '{}')],
  'a length with a blank before the colon': [post(['Content-Length : 2'], '{}')],
  'an unknown coding': [post(['Transfer-Encoding: xchunked'], '0\r\n\r\n')],
  'an unknown coding before chunked': [post(['Transfer-Encoding: gzip, chunked'], '2\r\n{}\r\n0\r\n\r\n')],
  'a coding after chunked': [post(['Transfer-Encoding: chunked, identity'], '0\r\n\r\n')],
  'two codings': [post(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], '0\r\n\r\n')],
  'chunked twice': [post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
  'a coding with a blank before the colon': [post(['Transfer-Encoding : chunked'], '0\r\n\r\n')],
  'a coding with a vertical tab': [post(['Transfer-Encoding:\u000Bchunked'], '0\r\n\r\n')],
  'a negative chunk': [post(['Transfer-Encoding: chunked'], '-2\r\n{}\r\n0\r\n\r\n')],
  'a chunk beyond all numbers': [post(['Transfer-Encoding: chunked'], 'ffffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
  'a chunk that does not end': [post(['Transfer-Encoding: chunked'], '2\r\n{}XX0\r\n\r\n')],
  'a chunk size that is no number': [post(['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n')],
  'a folded header': [requestText('GET /getHotkey HTTP/1.1', ['X-A: b\r\n c'])],
  'a folded length': [post(['Content-Length:\r\n 2'], '{}')],
  'line feeds only': ['GET /getHotkey HTTP/1.1\nHost: localhost\n\n'],
  'one bare line feed': ['GET /getHotkey HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n'],
  'a bare carriage return': ['GET /getHotkey HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n'],
  'no Host': ['GET /getHotkey HTTP/1.1\r\n\r\n'],
  'two Hosts': [requestText('GET /getHotkey HTTP/1.1', ['Host: localhost'])],
  'no Host, with a body': ['POST /batchGetSongInfo HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'],
  'CONNECT': [requestText('CONNECT evil.example:443 HTTP/1.1')],
  'an address of another host': [requestText('GET http://evil.example/getHotkey HTTP/1.1')],
  'an address of this host': [requestText('GET http://localhost/getHotkey HTTP/1.1')],
  'an address of another kind': [requestText('GET file:///etc/passwd HTTP/1.1')],
  'an address without path': [requestText('GET getHotkey HTTP/1.1')],
  'an unknown method': [requestText('FOO /getHotkey HTTP/1.1')],
  'a method in lower case': [requestText('get /getHotkey HTTP/1.1')],
  'the greeting of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'a greeting of TLS': [Buffer.from('160301020001000001fc0303', 'hex')],
  'bytes in the address': [Buffer.from(requestText('GET /getSmartbox?key=\u00e4\u00bd\u00a0 HTTP/1.1'), 'latin1')],
  'NUL in the address': [requestText('GET /get\0Hotkey HTTP/1.1')],
  'NUL in a header': [requestText('GET /getHotkey HTTP/1.1', ['X-A: b\0c'])],
  'a header without name': [requestText('GET /getHotkey HTTP/1.1', [': b'])],
  'a header without colon': [requestText('GET /getHotkey HTTP/1.1', ['nonsense'])],
  'a megabyte of query': [requestText(`GET /getRanks?x=${'y'.repeat(1_000_000)} HTTP/1.1`), 431],
  'a header of 64 KB': [requestText('GET /getRanks HTTP/1.1', [`X-A: ${'y'.repeat(65_536)}`]), 431],
  'three thousand headers': [requestText('GET /getRanks HTTP/1.1', Array.from({ length: 3000 }, (_, at) => `X-${at}: y`)), 431],
  'a body of the wrong type that never comes': [requestText('POST /batchGetSongInfo HTTP/1.1', ['Content-Type: text/plain', 'Content-Length: 500'], '{}'), 415],
  'a compressed body that never comes': [requestText('POST /nothing HTTP/1.1', ['Content-Encoding: gzip', 'Content-Length: 500'], '{}'), 404],
  'a body of a gigabyte': [post(['Content-Length: 1000000000'], '{'), 413],
  'an endless body': [post(['Transfer-Encoding: chunked'], `40000\r\n${'x'.repeat(0x40000)}\r\n1\r\nx\r\n`), 413],
  'a body where none is taken': [requestText('DELETE /getHotkey HTTP/1.1', ['Transfer-Encoding: chunked'], 'zz\r\n'), 405],
  'an expectation': [requestText('GET /getHotkey HTTP/1.1', ['Expect: tea']), 417]
}

t.test('a malformed request gets one refusal and the end of the connection, and nothing behind it is ever answered', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  await Promise.all(Object.entries(malformed).map(async ([what, [bytes, status = 400]]) => {
    const { answers, closed, rest } = await exchange(server.address, Buffer.concat([Buffer.from(bytes), Buffer.from(hidden)]))
    t.same([answers.map((answer) => answer.status), closed, rest], [[status], true, ''], what)
    for (const answer of answers) {
      t.equal(refusalProblem({ ...answer, header: (name) => answer.headers.get(name) }), undefined, what)
      t.equal(answer.headers.get('connection'), 'close', what)
    }
  }))
  await goesOn(t, server, demo, 'malformed')
  const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  t.equal(lines.filter(({ msg, status }) => msg === 'request' && Number(status) >= 400).length, Object.keys(malformed).length, 'each has its line in the log')
})

t.test('a body where none is read is no second request, and nobody waits for it', async (t) => {
  const server = await serverFor(t, await demoFor(t))
  for (const [header, body] of [['Content-Length: 500', hidden], ['Transfer-Encoding: chunked', '5\r\nhello\r\n'], [`Content-Length: ${Buffer.byteLength(hidden)}`, hidden]] as const) {
    const { answers, closed } = await exchange(server.address, requestText('GET /user/getCookie HTTP/1.1', [header], body))
    t.same([answers.map(({ status }) => status), closed], [[200], true], header)
  }
})

t.test('a refused client that neither takes the end nor stops sending is cut off', async (t) => {
  const server = await serverFor(t, await demoFor(t))
  const { hostname, port } = new URL(server.address)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const talking = setInterval(() => { socket.write('x'.repeat(100)) }, 50)
  t.teardown(() => {
    clearInterval(talking)
    socket.destroy()
  })
  const cut = new Promise<void>((resolve) => { socket.on('error', () => {}).once('close', () => { resolve() }) })
  socket.resume().write('NONSENSE\r\n\r\n')
  await once(socket, 'end')
  t.notOk(socket.destroyed, 'the answer is there, and the other half still open')
  await cut
  t.ok(socket.destroyed)
})
