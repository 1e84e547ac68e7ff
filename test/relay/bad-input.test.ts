/** Invalid input: the refusal names the field, nothing is sent upstream, and the relay keeps working. */
import t from 'tap'
import type { AnyEndpoint } from '../../src/core/endpoint.ts'
import { createInputValidator } from '../../src/core/validate.ts'
import { demoFor, endpoints, relayFor, serverFor } from '../support/helper.ts'
import type { Reply } from '../support/helper.ts'
import { refusedTexts, refusedValues } from '../support/hostile.ts'
import { exchange, requestText } from '../support/raw.ts'
import { goesOn, refusalProblem } from '../support/shape.ts'

const all = Object.entries(endpoints)
const properties = ({ input }: AnyEndpoint): [string, AnyEndpoint['input']['properties'][string]][] => Object.entries(input.properties)
const paths = ({ path, aliases = [] }: AnyEndpoint): string[] => [path, ...aliases]
const queryOf = (values: Readonly<Record<string, unknown>>): string => new URLSearchParams(Object.entries(values).map(([name, value]): [string, string] => [name, String(value)])).toString()
const without = (values: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> => Object.fromEntries(Object.entries(values).filter(([key]) => key !== name))
const json = { 'content-type': 'application/json' }

const problemOf = ({ status, text, headers }: Reply, secrets: readonly string[] = []): string | undefined =>
  refusalProblem({ status, text, header: (name) => headers.get(name) }, { secrets })

/** Describes how a reply differs from the expected refusal. Undefined if it does not. */
function wrongRefusal (reply: Reply, field: string, statuses: readonly number[] = [400]): string | undefined {
  if (!statuses.includes(reply.status)) return `${reply.status} ${reply.text.slice(0, 100)}`
  if (reply.status === 400 && !new RegExp(`^${field}(\\[\\d+\\])*: `).test(String(reply.body.error))) return `does not name ${field}: ${reply.body.error}`
  return problemOf(reply)
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

t.test('the ends of every range are taken, in the query as in a call of the library', async (t) => {
  const inputs = createInputValidator()
  let ends = 0
  for (const [name, endpoint] of all.filter(([, { method }]) => method === 'GET')) {
    for (const [field, { minimum, maximum }] of properties(endpoint)) {
      for (const end of [minimum, maximum].filter((value) => typeof value === 'number')) {
        ends++
        const given = { ...endpoint.example, [field]: end }
        const texts = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]))
        t.same(inputs.fromText(endpoint.input, texts), inputs.fromValues(endpoint.input, given), `${name} ${field}=${end}`)
      }
    }
  }
  t.ok(ends > 60, `${ends} ends`)
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
  for (const [name, { method, path, input, example, login, envelope }] of all) {
    if (method !== 'GET') continue
    const names = Object.keys(input.properties)
    const plain = queryOf(example)
    const status = login === 'required' ? 401 : envelope.delivers === undefined ? 200 : 302
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
