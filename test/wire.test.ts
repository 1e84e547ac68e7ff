/** The wire: where requests go, and how bytes become values. What every way of failing is called: test/faults*.test.ts. */
import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { createRelay } from '../src/relay.ts'
import { accountDigits, cookieHeader, hash33, readCredential } from '../src/provider/credentials.ts'
import { checkOrigin, hosts, originOf } from '../src/provider/origins.ts'
import { Answer, maybe, need } from '../src/provider/read.ts'
import type { Finding } from '../src/provider/read.ts'
import { httpsPicture, plainText } from '../src/provider/text.ts'
import { decodeText, parseAnswer } from '../src/provider/decode.ts'
import { demoFor, sample, serverFor, withoutSamples } from './helper.ts'

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

t.test('the reader names what is missing, retyped or unusable, and skips rows it cannot read', async (t) => {
  const findings: Finding[] = []
  const answer = new Answer({ a: { n: '5', big: '12345678901234567890', s: 7, empty: '' }, rows: [{ id: 1 }, { id: 'x' }, null, { id: 2 }], bad: [{}, {}], none: null }, 'call', { finding: (finding) => { findings.push(finding) } })
  t.equal(need.int(answer, 'a.n'), 5)
  t.equal(need.id(answer, 'a.big'), '12345678901234567890')
  t.equal(need.int(answer, 'a.gone', 'a.n'), 5, 'the next name counts')
  t.equal(maybe.text(answer, 'a.empty'), undefined)
  t.same(findings, [])
  t.equal(maybe.text(answer, 'a.s'), undefined)
  t.same(findings, [{ call: 'call', path: 'a.s', expected: 'text', seen: 'number' }])
  t.same(need.list(answer, 'rows', (row) => need.int(row, 'id')), [1, 2])
  t.match(findings.slice(1), [{ path: 'rows[].id', expected: 'int', seen: 'string' }])
  t.throws(() => need.list(answer, 'bad', (row) => need.int(row, 'id')), { code: 'UPSTREAM_UNREADABLE', message: /bad\[\]\.id should be an int, and is absent/ })
  t.throws(() => need.list(answer, 'none', () => 1), { code: 'UPSTREAM_UNREADABLE', message: /none should be a list, and is null/ })
  t.same(maybe.list(answer, ['gone', 'rows'], (row) => maybe.int(row, 'id')), [1, 2])
  t.throws(() => need.text(new Answer({ __proto__: { x: 'y' } }, 'call'), 'x'), { code: 'UPSTREAM_UNREADABLE' }, 'own keys only')
  t.notMatch(JSON.stringify(findings), /12345678901234567890/)
})

t.test('a credential is read from either spelling and leaves in one', async (t) => {
  t.equal(accountDigits('o0123456789'), '123456789')
  for (const bad of ['', 'o', 'o000', 'abc', '1'.repeat(21), '-5', '1e5']) t.equal(accountDigits(bad), undefined, bad)
  t.equal(readCredential([['uin', 'o1']]), undefined)
  const both = readCredential([['uin', '10001'], ['wxuin', '1152921504699999999'], ['provider_key', 'W_X_k'], ['tmeLoginType', '2']])
  t.match(both, { uin: '1152921504699999999', loginType: 1 }, 'the prefix of the key decides')
  t.match(readCredential([['login_type', '2'], ['wxuin', '12345'], ['qm_keyst', 'old']]), { uin: '12345', loginType: 1 })
  t.match(readCredential([['uin', ''], ['uin', '7'], ['qqmusic_key', 'k']]), { uin: '7', loginType: 2 }, 'first non-empty value')
  t.equal(cookieHeader({ uin: '7', key: 'k', loginType: 2, euin: undefined }), 'uin=7; qqmusic_uin=7; qm_keyst=k; qqmusic_key=k; tmeLoginType=2')
})

t.test('pictures come over https, except from this machine', async (t) => {
  t.equal(httpsPicture('http://y.gtimg.cn/a.jpg'), 'https://y.gtimg.cn/a.jpg')
  t.equal(httpsPicture('//y.gtimg.cn/a.jpg'), 'https://y.gtimg.cn/a.jpg')
  t.equal(httpsPicture('http://127.0.0.1:4200/a.jpg'), 'http://127.0.0.1:4200/a.jpg')
  t.equal(httpsPicture(''), '')
})

t.test('the upstream\'s text hash agrees with the known vectors', { skip: withoutSamples }, async (t) => {
  const vectors = JSON.stringify(sample('login-hash33-vectors.json'))
  t.equal(hash33('mockQrSig', 0), 1306433520)
  t.equal(hash33('PSKEY', 5381), 232092721)
  for (const [input, token] of [['abc', 108966], ['@aBcDeFgHi', 2037649997]] as const) {
    t.equal(hash33(input, 0), token)
    t.ok(vectors.includes(String(token)))
  }
})
