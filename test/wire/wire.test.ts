/** The wire protocol: where requests go, and how bytes become values. For failures see test/faults*.test.ts. */
import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { createRelay } from '../../src/library/relay.ts'
import { checkOrigin, hosts, originOf } from '../../src/upstream/http/origins.ts'
import { Answer, maybe, need } from '../../src/upstream/read/read.ts'
import { plainText } from '../../src/upstream/read/text.ts'
import { decodeText, parseAnswer } from '../../src/upstream/read/decode.ts'
import type { Received } from '../../src/demo/upstream.ts'
import type { RelayFunctions } from '../../src/library/types.ts'
import { demoFor, relayFor } from '../support/helper.ts'
import { servedOnWire as served, testOnWire as test } from '../support/stage.ts'

t.test('without an override each host is reached over https under its own name, and no other host exists', async (t) => {
  for (const name of Object.keys(hosts) as (keyof typeof hosts)[]) {
    t.strictSame([originOf(name, undefined), originOf(name, 'http://127.0.0.1:9')], [`https://${hosts[name]}`, 'http://127.0.0.1:9'])
  }
  t.same([hosts.musicu, hosts.classic], ['u.y.qq.com', 'c.y.qq.com'])
})

t.test('only an origin may stand in for the upstream, http only on this machine', async (t) => {
  for (const good of [
    'http://127.0.0.1:4200', 'http://localhost:1', 'http://[::1]:5', 'http://127.9.9.9:80', 'https://mirror.example',
    'https://10.0.0.1:8443'
  ]) t.equal(checkOrigin(good, 'x'), new URL(good).origin)
  for (const bad of ['http://mirror.example', 'http://10.0.0.1', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example', 'https://user:pw@mirror.example', 'https://mirror.example/path', 'https://mirror.example?q', 'ftp://127.0.0.1', '127.0.0.1:4200', 'nonsense']) {
    t.throws(() => checkOrigin(bad, 'upstreamOrigin'), { message: /^upstreamOrigin: must be an origin/ }, bad)
  }
})

served('the Host header is the upstream\'s own when another origin stands in', async ({ t, demo, server }) => {
  await server.get('/getRanks?topId=62', { headers: { 'x-forwarded-for': '1.2.3.4', 'x-real-ip': '1.2.3.4', 'x-custom': 'mark' } })
  await server.get('/getLyric?songmid=00DemoSong0001')
  t.same([...new Set(demo.received.map(({ host }) => host))], ['u.y.qq.com', 'c.y.qq.com'])
  for (const { headers } of demo.received) {
    t.notMatch(JSON.stringify(headers), /1\.2\.3\.4|mark/, 'nothing of the client\'s headers goes upstream')
  }
})

test('a caller who leaves ends the upstream call', async ({ t, demo }) => {
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
  const relay = createRelay({ upstreamOrigin: demo.origin, tuning: { headersTimeoutMs: 600_000 } })
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
  const expected = (text: string): unknown => JSON.parse(text, (key, value: unknown) =>
    key === '__proto__' ? undefined
      : typeof value === 'number' && /^-?\d{16,}$/.test(String(value)) ? String(value) : value
  )
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
    const text = JSON.stringify({ value })
    assert.deepStrictEqual(structuredClone(parseAnswer(text)), structuredClone(expected(text)))
  }), { numRuns: 2000, seed: 1 })
  fc.assert(fc.property(fc.bigInt({ min: 10n ** 16n, max: 10n ** 19n }), fc.string(), (id, text) => {
    const read = new Answer(parseAnswer(JSON.stringify({ text }).replace('{', `{"id":${id},`)), 'x')
    t.strictSame([need.id(read, 'id'), maybe.text(read, 'text') ?? ''], [String(id), text])
  }), { numRuns: 200, seed: 1 })
})

t.test('keys that could change a prototype are dropped, however they are spelt, and what is nested too deeply is refused', async (t) => {
  for (const key of ['__proto__', '\\u005f_proto__']) t.same(
    Object.getOwnPropertyNames((parseAnswer(`{"a":{"b":[{"${key}":{"polluted":1},"c":2}]}}`) as any).a.b[0]), ['c'], key
  )
  t.same(parseAnswer('{"a":{"constructor":{"prototype":{"polluted":1}},"b":12345678901234567890}}'), { a: { b: '12345678901234567890' } })
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  t.ok(parseAnswer(nested(64)))
  t.throws(() => parseAnswer(nested(66)), RangeError)
  t.throws(() => parseAnswer(nested(200_000)), RangeError)
})

t.test('a long text is surveyed before it is parsed: its depth, its number of values, its long numbers', async (t) => {
  const filler = `"${'x'.repeat(200_000)}"`
  const nested = (levels: number): string => `[${filler},${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}]`
  t.ok(parseAnswer(nested(64)))
  t.throws(() => parseAnswer(nested(66)), { name: 'RangeError', message: 'it is nested too deeply' })
  t.throws(() => parseAnswer(`${'['.repeat(1e6)}`), RangeError, 'before it turns out to be no JSON')
  t.equal((parseAnswer(`[${'1,'.repeat(300_000)}1]`) as unknown[]).length, 300_001)
  for (const part of ['1', '{}', '""', '{"a":1}']) t.throws(
    () => parseAnswer(`[${`${part},`.repeat(400_000)}1]`), { message: 'it has more values than the relay takes' }, part
  )
  t.equal((parseAnswer(`["${'[,:{'.repeat(400_000)}"]`) as string[])[0]?.length, 1_600_000, 'what stands in a string is no structure')
  const escaped = ['\\"[[', '\\\\', '\\"', '"'].map((text) => JSON.stringify(text)).join()
  const numbers = '1234567890123456,-1234567890123456,12345678901234567.5,1e2,-0.12345678901234567,1234567890123456e1'
  t.same((parseAnswer(`[${filler},${escaped},{"a":${numbers.replaceAll(',', ',"a":')}},${numbers}]`) as unknown[]).slice(1), (parseAnswer(`[${escaped},{"a":${numbers.replaceAll(',', ',"a":')}},${numbers}]`) as unknown[]), 'a long text is read like a short one')
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
    const text = JSON.stringify({ value })
    assert.deepStrictEqual((parseAnswer(`[${filler},${text}]`) as unknown[])[1], parseAnswer(text))
  }), { numRuns: 100, seed: 1 })
})

t.test('hostile text is read or refused in linear time', async (t) => {
  const before = process.cpuUsage()
  for (const text of ['('.repeat(1e6), `cb(${')'.repeat(1e6)}`, `{"a":"${'\\"'.repeat(4e5)}`, `{"a":12345678901234567,"b":"${'\\\\'.repeat(3e5)}"}`, ' '.repeat(1e6), `${'a.'.repeat(5e5)}(`]) {
    try {
      parseAnswer(text)
    } catch (error) {
      t.ok(error instanceof SyntaxError)
    }
  }
  plainText('<br'.repeat(3e5))
  plainText('&#'.repeat(3e5))
  // The CPU of this process, because another one may have the machine.
  t.ok(process.cpuUsage(before).user < 8_000_000, 'within a request\'s deadline')
})

t.test('texts are decoded by their declared charset, never with a replacement character', async (t) => {
  const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3])
  t.strictSame([decodeText(gbk, 'text/html; charset=gb2312'), decodeText(gbk, undefined)], ['你好', '你好'])
  for (const text of ['你好', 'plain', 'é 🎵 \u0000', '']) t.equal(decodeText(Buffer.from(text), 'application/json'), text)
  t.equal(decodeText(Buffer.from('\ufeff{}'), undefined), '{}')
  t.equal(decodeText(new Uint8Array(Buffer.from('xx你好x')).subarray(2, 8), undefined), '你好', 'a part of a larger buffer')
  t.throws(() => decodeText(gbk, 'application/json; charset=utf-8'), TypeError)
  t.throws(() => decodeText(Buffer.from([0xff, 0xff]), undefined), TypeError)
})

t.test('the text of a large answer is whole, and lies in the heap, where garbage is collected in time', async (t) => {
  for (const [name, text] of [['ASCII', 'plain '.repeat(5e5)], ['other', '你好 é 🎵 '.repeat(2e5)]] as const) {
    const bytes = Buffer.from(`\ufeff${text}`)
    const plain = bytes.subarray(3)
    const before = process.memoryUsage().external
    const decoded = decodeText(plain, undefined)
    const grown = process.memoryUsage().external - before
    t.ok(decoded === text, name)
    t.ok(decodeText(bytes, undefined) === text, `${name}, without its mark`)
    t.ok(grown < 500_000, `${name}: ${plain.length} bytes, ${grown} outside the heap`)
  }
  // One byte more each time, so that a character lies across the end of a piece.
  for (const start of ['', 'x', 'xx', 'xxx']) {
    const text = start + '你🎵'.repeat(80_000)
    t.ok(decodeText(Buffer.from(text), undefined) === text, `${start.length} bytes more`)
    // The older charset: two bytes each, and four.
    const older =
      Buffer.concat([Buffer.from(start), Buffer.alloc(400_000 * 6, Buffer.from([0xc4, 0xe3, 0x94, 0x39, 0xda, 0x33]))])
    t.ok(decodeText(older, 'text/html; charset=gbk') === start + '你💩'.repeat(400_000), `${start.length} bytes more, in the older charset`)
    t.throws(() => decodeText(older.subarray(0, -1), 'text/html; charset=gbk'), TypeError, 'a character that breaks off')
  }
})

/** Fixed parameters of the site: in the body of a gateway call, in the query of a classic call. */
const comm = {
  ct: 24, cv: 4747474, platform: 'yqq.json', chid: '0', g_tk: 5381, g_tk_new_20200303: 5381, format: 'json',
  inCharset: 'utf-8', outCharset: 'utf-8', notice: 0, need_new_code: 1
}
const filler = {
  g_tk: '5381', loginUin: '0', hostUin: '0', inCharset: 'utf8', outCharset: 'utf-8', notice: '0', platform: 'yqq.json',
  needNewCode: '0'
}
const site = 'https://y.qq.com/'

const gateway = (...calls: readonly (readonly [string, object])[]): object => ({
  host: 'u.y.qq.com', method: 'POST', path: '/cgi-bin/musicu.fcg', query: {}, referer: site, origin: 'https://y.qq.com',
  type: 'application/json',
  body: { comm, ...Object.fromEntries(
    calls.map(([name, param], at) => [`req_${at}`, { module: name.split('/')[0], method: name.split('/')[1], param }])
  ) }
})
const classic = (path: string, query: object, referer = site): object =>
  ({ host: 'c.y.qq.com', method: 'GET', path, query, referer, origin: undefined, type: undefined, body: undefined })

const detail = (key: object): readonly [string, object] => ['music.pf_song_detail_svr/get_song_detail_yqq', key]
const grant = (filename: string): readonly [string, object] => ['vkey.GetVkeyServer/CgiGetVkey', {
  guid: '<guid>', songmid: ['00DemoSong0001'], filename: [filename], songtype: [0], uin: '0', loginflag: 1,
  platform: '20'
}]
const playlist = (num: number): readonly [string, object] => ['music.srfDissInfo.DissInfo/CgiGetDiss', {
  disstid: 7700000001, dirid: 0, tag: 1, song_begin: 0, song_num: num, userinfo: 1, orderlist: 1, onlysonglist: 0
}]
const { outCharset: _, ...listFiller } = filler
const lists = (query: object): object => classic('/splcloud/fcgi-bin/fcg_get_diss_by_tag.fcg', {
  ...listFiller, picmid: '1', rnd: '<rnd>', format: 'json', needNewCode: '1', ...query
})
const search = classic('/soso/fcgi-bin/client_search_cp', { w: 'paper', n: '12', p: '2', t: '0', format: 'json', cr: '1', g_tk: '5381' })
const lightComm = {
  ct: 11, cv: '1003006', v: '1003006', os_ver: '12', phonetype: '0', devicelevel: '31', tmeAppID: 'qqmusiclight',
  nettype: 'NETWORK_WIFI', udid: '0'
}
const light = (search_type: number): readonly [string, object] => ['music.search.SearchCgiService/DoSearchForQQMusicLite', {
  search_id: '<id>', remoteplace: 'search.android.keyboard', query: 'paper', search_type, num_per_page: 12, page_num: 2,
  highlight: 0, nqc_flag: 0, page_id: 1, grp: 1
}]
/** A gateway request of a program instead of the site. */
const program = (request: object, comm: object, headers: object = {}): object =>
  ({ ...request, ...headers, body: { ...(request as { body: object }).body, comm } })

const asks: readonly (readonly [keyof RelayFunctions, object, ...object[]])[] = [
  ['getRanks', { topId: 62, page: 2, limit: 3 }, gateway([
    'music.musicToplist.Toplist/GetDetail', { topId: 62, offset: 6, num: 3, withTags: false }
  ])],
  [
    'getRanks', {},
    gateway(['music.musicToplist.Toplist/GetDetail', { topId: 4, offset: 0, num: 20, withTags: false }]),
    gateway(['music.musicToplist.Toplist/GetAll', {}])
  ],
  ['getSongInfo', { songid: 5000001 }, gateway(detail({ song_id: 5000001 }))],
  ['getSongInfo', { songmid: '00DemoSong0001' }, gateway(detail({ song_mid: '00DemoSong0001' }))],
  ['getMusicPlay', { songmid: '00DemoSong0001' }, gateway(detail({ song_mid: '00DemoSong0001' })), gateway(grant('M50000DemoSong0001.mp3'))],
  ['getLyric', { songmid: '00DemoSong0001' }, classic('/lyric/fcgi-bin/fcg_query_lyric_new.fcg', {
    ...filler, songmid: '00DemoSong0001', format: 'json', pcachetime: '<now>'
  }, `${site}portal/player.html`)],
  ['getAlbumInfo', { albummid: '00DemoAlbu0001' }, gateway(['music.musichallAlbum.AlbumInfoServer/GetAlbumDetail', { albumMId: '00DemoAlbu0001' }], [
    'music.musichallAlbum.AlbumSongList/GetAlbumSongList', { albumMid: '00DemoAlbu0001', begin: 0, num: 999, order: 2 }
  ])],
  ['batchGetSongInfo', { songs: [['00DemoSong0001'], ['', '5000002']] }, gateway(
    detail({ song_mid: '00DemoSong0001' }), detail({ song_id: 5000002 })
  )],
  [
    'downloadProviderMusic', { songmid: '00DemoSong0001', quality: 'flac' },
    gateway(detail({ song_mid: '00DemoSong0001' })), gateway(grant('F00000DemoSong0001.flac'))
  ],
  [
    'getSearchByKey', { key: 'paper', limit: 12, page: 2 }, search,
    program(gateway(light(2), light(1)), lightComm, { referer: undefined, origin: undefined })
  ],
  ['getSmartbox', { key: 'pap & er' }, classic('/splcloud/fcgi-bin/smartbox_new.fcg', {
    key: 'pap & er', format: 'json', is_xml: '0', inCharset: 'utf-8', outCharset: 'utf-8', g_tk: '5381'
  })],
  ['getHotkey', {}, program(
    gateway(['tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC', { search_id: '', uin: 0 }]),
    { ct: '19', cv: '1803', guid: '0', tmeAppID: 'qqmusic', tmeLoginType: 0, uin: '0' }
  )],
  ['getSongLists', { categoryId: 6, sortId: 2, limit: 10, page: 3 }, lists({
    categoryId: '6', sortId: '2', sin: '30', ein: '39'
  })],
  ['getSongListCategories', {}, classic('/splcloud/fcgi-bin/fcg_get_diss_tag_conf.fcg', { ...filler, format: 'json' })],
  ['getSongListDetail', { disstid: '7700000001', limit: 30 }, gateway(playlist(30))],
  ['getNewDisks', { limit: 5, page: 2 }, gateway(['newalbum.NewAlbumServer/get_new_album_info', { area: 1, start: 5, num: 5 }])],
  [
    'batchGetSongLists', { categoryIds: [6], page: 1, limit: 19, disstid: '7700000001' },
    lists({ categoryId: '6', sortId: '5', sin: '19', ein: '37' }), gateway(playlist(1000))
  ]
]

/** A request in the form of the table, with placeholders for values that change each time. */
function told ({ host, method, path, query, headers, body }: Received): object {
  const words: Readonly<Record<string, RegExp>> = { rnd: /^0\.\d+(e-\d+)?$/, pcachetime: /^\d{13}$/ }
  const named: Readonly<Record<string, string>> = { rnd: '<rnd>', pcachetime: '<now>' }
  const text = JSON.stringify(body)?.replace(/"guid":"[0-9a-f]{32}"/, '"guid":"<guid>"').replaceAll(/"search_id":"\d{17,18}"/g, '"search_id":"<id>"')
  return {
    host, method, path, referer: headers['referer'], origin: headers['origin'], type: headers['content-type'],
    query: Object.fromEntries(Object.entries(query)
      .map(([name, value]) => [name, words[name]?.test(value) === true ? named[name] : value])),
    body: text === undefined ? undefined : JSON.parse(text)
  }
}

/** Sorts keys and requests, because the order of concurrent requests is undefined. */
function inOrder (requests: readonly object[]): unknown[] {
  const ordered = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value) ? value : Object.fromEntries(
      Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, each]) => [key, ordered(each)])
    )
  return requests.map((request) => JSON.stringify(ordered(request))).sort().map((text) => JSON.parse(text) as unknown)
}

test('charts, music, search and playlists ask exactly what the provider\'s own site and programs ask', async ({ t, demo }) => {
  const relay = relayFor(t, demo) as unknown as Record<string, (input: object) => Promise<unknown>>
  for (const [name, input, ...expected] of asks) {
    demo.reset()
    await relay[name]?.(input)
    t.strictSame(inOrder(demo.received.map(told)), inOrder(expected), name)
    for (const { headers } of demo.received) {
      t.match(headers, { 'user-agent': /^Mozilla.*Chrome|^okhttp\//, 'cookie': undefined })
    }
  }
})
