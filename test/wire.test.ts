/** The wire: where requests go, and how bytes become values. What every way of failing is called: test/faults*.test.ts. */
import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { createRelay } from '../src/relay.ts'
import { checkOrigin, hosts, originOf } from '../src/provider/origins.ts'
import { Answer, maybe, need } from '../src/provider/read.ts'
import { plainText } from '../src/provider/text.ts'
import { decodeText, parseAnswer } from '../src/provider/decode.ts'
import { demoFor, serverFor } from './helper.ts'

t.test('without an override each host is reached over https under its own name, and no other host exists', async (t) => {
  for (const name of Object.keys(hosts) as (keyof typeof hosts)[]) {
    t.equal(originOf(name, undefined), `https://${hosts[name]}`)
    t.equal(originOf(name, 'http://127.0.0.1:9'), 'http://127.0.0.1:9')
  }
  t.same([hosts.musicu, hosts.classic], ['u.y.qq.com', 'c.y.qq.com'])
})

t.test('only an origin may stand in for the upstream, http only on this machine', async (t) => {
  for (const good of ['http://127.0.0.1:4200', 'http://localhost:1', 'http://[::1]:5', 'http://127.9.9.9:80', 'https://mirror.example', 'https://10.0.0.1:8443']) t.equal(checkOrigin(good, 'x'), new URL(good).origin)
  for (const bad of ['http://mirror.example', 'http://10.0.0.1', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example', 'https://user:pw@mirror.example', 'https://mirror.example/path', 'https://mirror.example?q', 'ftp://127.0.0.1', '127.0.0.1:4200', 'nonsense']) {
    t.throws(() => checkOrigin(bad, 'upstreamOrigin'), { message: /^upstreamOrigin: must be an origin/ }, bad)
  }
})

t.test('the Host header is the upstream\'s own when another origin stands in', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  await server.get('/getRanks?topId=62', { headers: { 'x-forwarded-for': '1.2.3.4', 'x-real-ip': '1.2.3.4', 'x-custom': 'mark' } })
  await server.get('/getLyric?songmid=00DemoSong0001')
  t.same([...new Set(demo.received.map(({ host }) => host))], ['u.y.qq.com', 'c.y.qq.com'])
  for (const { headers } of demo.received) t.notMatch(JSON.stringify(headers), /1\.2\.3\.4|mark/, 'nothing of the client\'s headers goes upstream')
})

t.test('a caller who leaves ends the upstream call', async (t) => {
  const demo = await demoFor(t)
  const call = 'music.musicToplist.Toplist/GetDetail'
  demo.next(call, { hang: true })
  const relay = createRelay({ upstreamOrigin: demo.origin })
  t.teardown(async () => { await relay.close() })
  const leaving = new AbortController()
  const answer = relay.getRanks({ topId: 62 }, { signal: leaving.signal })
  while (demo.inFlight(call) === 0) await new Promise((resolve) => { setImmediate(resolve) })
  leaving.abort()
  await t.rejects(answer, { code: 'UPSTREAM_TIMEOUT', outcome: 'client_gone' })
  while (demo.inFlight(call) > 0) await new Promise((resolve) => { setImmediate(resolve) })
  t.equal(demo.received.length, 1, 'and nothing else is tried')
})

t.test('when one of the questions asked at once decides the answer, the others are given up', async (t) => {
  const demo = await demoFor(t, { latencyMs: 50 })
  const [chart, charts] = ['music.musicToplist.Toplist/GetDetail', 'music.musicToplist.Toplist/GetAll']
  demo.next(chart, { code: 10007 })
  demo.next(charts, { hang: true })
  const relay = createRelay({ upstreamOrigin: demo.origin, headersTimeoutMs: 600_000 })
  t.teardown(async () => { await relay.close() })
  await t.rejects(relay.getRanks(), { code: 'NOT_FOUND' })
  while (demo.inFlight(charts) > 0) await new Promise((resolve) => { setImmediate(resolve) })
  t.ok(demo.received.length <= 2, 'and nothing else is tried')
})

t.test('whole numbers beyond 2^53 keep every digit, texts keep theirs', async (t) => {
  t.same(parseAnswer('{"id":1152921504699999999,"list":[9007199254740993],"small":42,"text":"x:1152921504699999999,\\"12345678901234567\\"","negative":-9223372036854775808}'),
    { id: '1152921504699999999', list: ['9007199254740993'], small: 42, text: 'x:1152921504699999999,"12345678901234567"', negative: '-9223372036854775808' })
  const numbers = '"small":0.00001840055038902544,"large":1234567890123456789.5,"exponent":1234567890123456789e2'
  t.same(parseAnswer(`{"id":9007199254740993,${numbers}}`), { id: '9007199254740993', ...JSON.parse(`{${numbers}}`) }, 'fractions and exponents are no ids')
  // Whole numbers that JSON writes with 16 digits or more come as text; keys that pollute are dropped.
  const expected = (text: string): unknown => JSON.parse(text, (key, value: unknown) => key === '__proto__' ? undefined : typeof value === 'number' && /^-?\d{16,}$/.test(String(value)) ? String(value) : value)
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
    const text = JSON.stringify({ value })
    assert.deepStrictEqual(structuredClone(parseAnswer(text)), structuredClone(expected(text)))
  }), { numRuns: 2000, seed: 1 })
  fc.assert(fc.property(fc.bigInt({ min: 10n ** 16n, max: 10n ** 19n }), fc.string(), (id, text) => {
    const read = new Answer(parseAnswer(JSON.stringify({ text }).replace('{', `{"id":${id},`)), 'x')
    t.equal(need.id(read, 'id'), String(id))
    t.equal(maybe.text(read, 'text') ?? '', text)
  }), { numRuns: 200, seed: 1 })
})

t.test('keys that could change a prototype are dropped, however they are spelt, and what is nested too deeply is refused', async (t) => {
  for (const key of ['__proto__', '\\u005f_proto__']) t.same(Object.getOwnPropertyNames((parseAnswer(`{"a":{"b":[{"${key}":{"polluted":1},"c":2}]}}`) as any).a.b[0]), ['c'], key)
  t.same(parseAnswer('{"a":{"constructor":{"prototype":{"polluted":1}},"b":12345678901234567890}}'), { a: { b: '12345678901234567890' } })
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  t.ok(parseAnswer(nested(64)))
  t.throws(() => parseAnswer(nested(66)), RangeError)
  t.throws(() => parseAnswer(nested(200_000)), RangeError)
})

t.test('hostile text is read or refused in linear time', async (t) => {
  const started = performance.now()
  for (const text of ['('.repeat(1e6), `cb(${')'.repeat(1e6)}`, `{"a":"${'\\"'.repeat(4e5)}`, `{"a":12345678901234567,"b":"${'\\\\'.repeat(3e5)}"}`, ' '.repeat(1e6), `${'a.'.repeat(5e5)}(`]) {
    try {
      parseAnswer(text)
    } catch (error) {
      t.ok(error instanceof SyntaxError)
    }
  }
  plainText('<br'.repeat(3e5))
  plainText('&#'.repeat(3e5))
  t.ok(performance.now() - started < 8000, 'within a request\'s deadline')
})

t.test('texts are decoded by their declared charset, never with a replacement character', async (t) => {
  const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3])
  t.equal(decodeText(gbk, 'text/html; charset=gb2312'), '你好')
  t.equal(decodeText(gbk, undefined), '你好')
  for (const text of ['你好', 'plain', 'é 🎵 \u0000', '']) t.equal(decodeText(Buffer.from(text), 'application/json'), text)
  t.equal(decodeText(Buffer.from('\ufeff{}'), undefined), '{}')
  t.equal(decodeText(new Uint8Array(Buffer.from('xx你好x')).subarray(2, 8), undefined), '你好', 'a part of a larger buffer')
  t.throws(() => decodeText(gbk, 'application/json; charset=utf-8'), TypeError)
  t.throws(() => decodeText(Buffer.from([0xff, 0xff]), undefined), TypeError)
})
