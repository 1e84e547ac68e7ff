/** The cache: when an entry is used, for which caller and how long, and what is never cached. */
import t from 'tap'
import { anonymousIdentity } from '../../src/relay/identity.ts'
import { executeCached } from '../../src/relay/run.ts'
import { createRuntime } from '../../src/relay/runtime.ts'
import { resolveOptions } from '../../src/library/relay.ts'
import { cookieOf, endpoints, memberUin, serverFor, song, until, type Reply } from '../support/helper.ts'
import {
  ask, cached, chartLinks, chartUrl, detail, hour, minute, ready, songUrl, state
} from '../support/cacheHelper.ts'
import { test } from '../support/stage.ts'
import { unhurried } from '../support/unhurried.ts'

cached('asked again, the same bytes come from memory and say how old they are', async ({ t, demo, clock, server }) => {
  const first = await server.get(songUrl)
  t.equal(state(first), '200 MISS -')
  clock.now += 12_900
  const again = await server.get(songUrl)
  t.strictSame(
    [state(again), again.text, again.headers.get('etag')], ['200 HIT 12', first.text, first.headers.get('etag')]
  )
  t.match(again.headers.get('etag'), /^"[\w-]{27}"$/)
  t.equal(again.headers.get('cache-control'), 'public, max-age=21600', 'with age, what is left of it')
  t.strictSame([again.headers.get('vary'), again.headers.get('content-type')], ['x-custom-cookie, cookie', 'application/json; charset=utf-8'])
  t.equal(again.headers.get('content-length'), String(Buffer.byteLength(first.text)))
  t.ok(again.headers.get('x-content-type-options'))
  t.not(again.headers.get('x-request-id'), first.headers.get('x-request-id'))
  t.equal(demo.received.length, 1)
  t.same(
    server.log.map((line) => (JSON.parse(line) as { cache?: string }).cache).filter((word) => word !== undefined),
    ['MISS', 'HIT'], 'the log says it too'
  )
})

cached('one question in other words is the same question; another one is not', async ({ t, demo, server }) => {
  await server.get('/getLyric?songmid=00DemoSong0005')
  const one = demo.received.length
  for (const url of ['/getLyric/00DemoSong0005', '/getLyric?isFormat=0&songmid=00DemoSong0005', '/getLyric?isFormat=&songmid=00DemoSong0005&unknown=1']) t.equal(await ask(server, url), '200 HIT 0', url)
  t.strictSame([demo.received.length, await ask(server, '/getLyric?isFormat=1&songmid=00DemoSong0005')], [one, '200 MISS -'])
  t.strictSame([await ask(server, chartUrl), await ask(server, '/getRanks?limit=3&topId=62&page=0&resolveMid=0')], ['200 MISS -', '200 HIT 0'])
  t.equal(await ask(server, '/getRanks?topId=62&limit=4'), '200 MISS -')
  t.equal((await server.get('/getRanks?topId=62&limit=x')).status, 400, 'a wrong input is refused as ever')
  t.match(server.cacheKeys().join(), 'songmid="00DemoSong0005"', 'a text stands in quotes, so that none can pose as another parameter')
})

cached('64 who ask for the same at once make one call, and each gets the answer', async ({ t, demo, server }) => {
  demo.next(detail, { delayMs: 150 })
  const replies = await Promise.all(Array.from({ length: 64 }, async () => await server.get(songUrl)))
  t.ok(replies.every(({ status, text }) => status === 200 && text === replies[0]?.text))
  t.equal(demo.received.length, 1)
})

cached('when nothing more can be asked, a new question is refused at once; copies and company are not', {
  upstreamLimit: 1, tuning: { upstreamQueue: 0 }
}, async ({ t, demo, server }) => {
  await server.get(songUrl)
  const slow = '/getSongInfo?songmid=00DemoSong0002'
  demo.next(detail, { delayMs: 1500 })
  const waiting = [server.get(slow), server.get(slow)]
  await until(() => demo.inFlight(detail) === 1)
  t.match(await server.get('/getSongInfo?songmid=00DemoSong0003'), { status: 503, body: { code: 'OVERLOADED' } })
  t.equal((await server.get(songUrl)).headers.get('x-cache'), 'HIT')
  t.same((await Promise.all(waiting)).map(({ status }) => status), [200, 200])
  t.equal(demo.calls(detail).length, 2)
})

cached('who leaves takes nothing from the others, nor from those who come later', async ({ t, demo, server }) => {
  demo.next(detail, { delayMs: 1000 })
  const leaver = new AbortController()
  const gone = fetch(`${server.address}${songUrl}`, { signal: leaver.signal }).then(() => 'answered', () => 'left')
  await until(() => demo.received.length === 1)
  const stayed = server.get(songUrl)
  leaver.abort()
  t.strictSame([await gone, (await stayed).status], ['left', 200])
  demo.next(detail, { delayMs: 1000 })
  const alone = new AbortController()
  const last = fetch(`${server.address}/getSongInfo?songmid=${song(2)}`, { signal: alone.signal }).catch(() => {})
  await until(() => demo.received.length === 2)
  alone.abort()
  await last
  await until(() => demo.inFlight(detail) === 0)
  await until(() => server.cacheKeys().length === 2)
  t.strictSame([await ask(server, `/getSongInfo?songmid=${song(2)}`), demo.received.length], ['200 HIT 0', 2])
})

cached('past its time a copy is sent at once, while one new answer is fetched for all', async ({ t, demo, clock, server }) => {
  const old = await server.get(songUrl)
  clock.now += 6 * hour - 1
  t.equal(await ask(server, songUrl), '200 HIT 21599')
  clock.now += 1
  demo.next(detail, { delayMs: 500 })
  const replies = await Promise.all(Array.from({ length: 50 }, async () => await server.get(songUrl)))
  t.equal(state(replies[0] as Reply), '200 STALE 21600')
  t.ok(replies.every(({ text }) => text === old.text))
  await until(async () => await ask(server, songUrl) === '200 HIT 0')
  t.equal(demo.received.length, 2)
})

cached('each kind of answer has its times', async ({ t, demo, clock, server }) => {
  const kinds = {
    '/getLyric?songmid=00DemoSong0005': 7 * 24 * hour, [songUrl]: 6 * hour, [chartUrl]: 30 * minute,
    '/getHotkey': 10 * minute, '/getSearchByKey?key=paper&limit=3': 2 * minute, '/getMvPlay?vid=demoV000004': 2 * minute
  }
  for (const [url, fresh] of Object.entries(kinds)) {
    t.match((await server.get(url)).headers.get('cache-control'), `public, max-age=${fresh / 1000}`, url)
    clock.now += fresh - 1
    const { length } = demo.received
    t.match(await ask(server, url), /^200 HIT/, url)
    t.equal(demo.received.length, length)
    clock.now += 1
    t.match(await ask(server, url), url.startsWith('/getMvPlay') ? '200 MISS -' : /^200 STALE/, `${url}, a moment later: a signed address is never stale`)
    await until(async () => (await ask(server, url)).startsWith('200 HIT')) // the next one counts requests
  }
})

cached('A, nobody, B: an answer to a cookie is for its owner, and is neither kept nor taken from what is kept', async ({ t, demo, server }) => {
  const [a, b] = [cookieOf(demo, 'ordinary'), cookieOf(demo, 'member')]
  const as = async (cookie?: string): Promise<Reply> =>
    await server.get(songUrl, { headers: cookie === undefined ? {} : { 'x-custom-cookie': cookie } })
  for (const [cookie, shown] of [
    [a, '200 MISS -'], [undefined, '200 MISS -'], [b, '200 MISS -'], [undefined, '200 HIT 0'], [a, '200 MISS -']
  ] as const) {
    const reply = await as(cookie)
    t.equal(state(reply), shown)
    if (cookie !== undefined) t.equal(reply.headers.get('cache-control'), 'no-store')
    if (cookie !== undefined) t.equal(reply.headers.get('etag'), null)
  }
  t.equal(demo.received.length, 4)
  const senders = demo.received.map(({ headers }) => /uin=(\d+)/.exec(headers['cookie'] ?? '')?.[1] ?? 'nobody')
  t.same(senders, ['1000000101', 'nobody', memberUin, '1000000101'])
  await Promise.all([as(a), as(b), as(a)])
  t.equal(demo.received.length, 7, 'nor do they share a question under way')
  t.equal(state(await server.get(`${songUrl}&cookie=uin=o1`)), '200 MISS -', 'a cookie that is no login is one all the same')
  const ignored = await server.get(`${songUrl}&cookie=nothing=known`)
  t.match([state(ignored), ignored.headers.get('x-relay-warning')], ['200 HIT 0', /ignored/], 'one without account and key is none')
  t.equal(await ask(server, songUrl, { cookie: 'theme=dark; session=of-another-program' }), '200 HIT 0', 'a browser\'s other cookies are not ours')
})

test('answers to the global account are kept apart from those to nobody, and from those to the account before', async ({ t, demo }) => {
  let stored = cookieOf(demo, 'ordinary')
  const server = await serverFor(t, demo, { cache: true, useGlobalCookie: true, globalCookie: () => stored })
  const url = '/getMusicPlay?songmid=00DemoSong0003'
  const ordinary = await server.get(url)
  t.strictSame([state(ordinary), ordinary.headers.get('cache-control'), await ask(server, url)], [
    '200 MISS -', 'private, max-age=120', '200 HIT 0'
  ])
  const stranger = { origin: 'https://other.example' }
  const foreign = await server.get(url, { headers: stranger })
  t.equal(state(foreign), '200 MISS -', 'a page of another site gets what nobody gets')
  t.match([ordinary.body.data.reason, foreign.body.data.reason], ['PAID', 'NO_COOKIE'])
  t.strictSame([foreign.headers.get('cache-control'), await ask(server, url, stranger)], ['private, max-age=120', '200 HIT 0'])
  stored = cookieOf(demo, 'member')
  const member = await server.get(url)
  t.equal(state(member), '200 MISS -', 'another account, another answer')
  t.not(member.body.data.url, '')
  const secrets = (['ordinary', 'member'] as const)
    .flatMap((name) => cookieOf(demo, name).split(/[=;] ?/)).filter((text) => text.length > 5)
  t.same(secrets.filter((secret) => server.cacheKeys().join().includes(secret)), [])
})

cached('behind an access token no cache of others may keep an answer', { accessToken: 'token' }, async ({ t, server }) => {
  t.equal(
    (await server.get(songUrl, { headers: { authorization: 'Bearer token' } })).headers.get('cache-control'),
    'private, max-age=21600'
  )
})

const exposed = 'x-request-id, x-cache, x-relay-source, x-relay-warning, age, etag, retry-after, accept-ranges, content-length, content-range, x-total-count, icy-metaint, icy-name'

cached('any page may read a copy, an error and a refusal, and hears so before it asks', async ({ t, server }) => {
  const origin = { origin: 'https://player.example' }
  for (const url of [songUrl, songUrl, '/getSongInfo', '/nothing', '/user/getCookie']) {
    const { headers } = await server.get(url, { headers: origin })
    t.same([headers.get('access-control-allow-origin'), headers.get('access-control-expose-headers')], ['*', exposed], url)
  }
  const preflight = await server.get(songUrl, { method: 'OPTIONS', headers: {
    ...origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-custom-cookie'
  } })
  t.same([
    preflight.status, preflight.headers.get('access-control-allow-origin'),
    preflight.headers.get('access-control-max-age')
  ], [204, '*', '600'])
})

cached('a page of a trusted origin may read a copy as it may read the first answer', { corsOrigins: ['https://player.example'] }, async ({ t, server }) => {
  for (const shown of ['200 MISS -', '200 HIT 0']) {
    const reply = await server.get(songUrl, { headers: { origin: 'https://player.example' } })
    t.equal(state(reply), shown)
    t.match(Object.fromEntries(reply.headers), { 'access-control-allow-origin': 'https://player.example', 'access-control-expose-headers': exposed, 'access-control-allow-credentials': 'true', 'vary': 'Origin, x-custom-cookie, cookie', 'content-security-policy': /default-src 'none'/ })
  }
})

cached('who has the bytes gets 304 without them', async ({ t, demo, server }) => {
  const { headers } = await server.get(songUrl)
  const etag = headers.get('etag') ?? ''
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const reply = await server.get(songUrl, { headers: { 'if-none-match': known } })
    t.strictSame([state(reply), reply.text, reply.headers.get('etag')], ['304 HIT 0', '', etag], known)
    t.equal(reply.headers.get('cache-control'), headers.get('cache-control'))
  }
  t.equal(await ask(server, songUrl, { 'if-none-match': '"other"' }), '200 HIT 0')
  t.strictSame([await ask(server, `/getSongInfo?songmid=${song(2)}`, { 'if-none-match': etag }), demo.received.length], ['200 MISS -', 2])
  const head = await server.get(songUrl, { method: 'HEAD' })
  t.strictSame([state(head), head.text, head.headers.get('etag')], ['200 HIT 0', '', etag])
  t.equal(head.headers.get('content-length'), headers.get('content-length'))
  const unchanged = await server.get(songUrl, { method: 'HEAD', headers: { 'if-none-match': etag } })
  t.strictSame([state(unchanged), unchanged.headers.get('content-length')], ['304 HIT 0', null], 'no length, which would have to be that of the 200')
  t.strictSame([unchanged.headers.get('content-type'), await ask(server, `/getSongInfo?songmid=${song(3)}`)], [null, '200 MISS -'])
  t.equal(state(await server.get(`/getSongInfo?songmid=${song(4)}`, { method: 'HEAD' })), '200 MISS -')
  t.equal(await ask(server, `/getSongInfo?songmid=${song(4)}`), '200 HIT 0', 'what a HEAD fetched is there')
})

cached('who wants no copy gets a new answer, and leaves it to the others', async ({ t, demo, clock, server }) => {
  await server.get(songUrl)
  clock.now += 5000
  demo.next(detail, { mutate: (answer) => { answer.data.track_info.title = 'Renamed' } })
  const renewed = await server.get(songUrl, { headers: { 'cache-control': 'No-Cache' } })
  t.strictSame([state(renewed), renewed.body.response.songinfo.data.track_info.title], ['200 MISS -', 'Renamed'])
  const after = await server.get(songUrl)
  t.strictSame([state(after), after.text], ['200 HIT 0', renewed.text])
  clock.now += 13 * hour
  demo.next(detail, { status: 429 }, 9)
  t.equal((await server.get(songUrl, { headers: { 'cache-control': 'no-cache' } })).status, 503, 'nor an old one when there is no new one')
})

cached('a refusal is believed for ten seconds; a breakdown, or the wish for a login, is not', async ({ t, demo, clock, server }) => {
  const unknown = `/getSongInfo?songmid=unknownmid`
  const status = async (path: string): Promise<number> => (await server.get(path)).status
  t.equal(await status(unknown), 404)
  const { length } = demo.received
  clock.now += 9999
  const reply = await server.get(unknown)
  t.match([reply.status, reply.body.code, reply.headers.get('cache-control')], [404, 'NOT_FOUND', 'no-store'])
  t.equal(demo.received.length, length)
  clock.now += 1
  t.strictSame([await status(unknown), demo.received.length], [404, length * 2])

  clock.now += hour
  for (const link of chartLinks) demo.next(link, { status: 500 })
  t.equal(await status(chartUrl), 502)
  demo.reset()
  t.equal(await status(chartUrl), 200)
})

cached('who wants no copy while something fails gets what there is, and leaves the complete answer', async ({ t, demo, server }) => {
  const url = '/getRanks?topId=28&limit=20&resolveMid=true'
  const whole = await server.get(url)
  demo.next(detail, { status: 500 }, 99)
  const reloaded = await server.get(url, { headers: { 'cache-control': 'no-cache' } })
  t.strictSame([state(reloaded), reloaded.headers.get('cache-control')], ['200 MISS -', 'public, max-age=10'])
  t.not(reloaded.text, whole.text)
  t.equal((await server.get(url)).text, whole.text)
})

cached('an answer that lacks something is asked for again soon', async ({ t, demo, clock, server }) => {
  demo.next(detail, { status: 500 }, 99)
  const url = '/getRanks?topId=28&limit=20&resolveMid=true'
  const lacking = await server.get(url)
  t.match(lacking.headers.get('cache-control'), 'public, max-age=10')
  demo.reset()
  t.equal(await ask(server, url), '200 HIT 0')
  clock.now += 10_000
  const whole = await server.get(url)
  t.equal(state(whole), '200 MISS -')
  t.match(whole.headers.get('cache-control'), 'public, max-age=1800')
  t.ok(whole.body.data.songInfoList.every(({ mid }: { mid?: string }) => mid !== undefined))

  const silent = (answer: any): void => { Object.assign(answer, { cdlist: [], data: {} }) }
  const playlist = '/getSongListDetail/7700000005'
  demo.next('music.srfDissInfo.DissInfo/CgiGetDiss', {
    mutate: ({ data }: any) => { Object.assign(data, { songlist: data.songlist.slice(0, 10), hasmore: 1 }) }
  })
  for (const call of ['music.srfDissInfo.DissInfo/CgiGetDiss', 'music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo', '/v8/fcg-bin/fcg_v8_playlist_cp.fcg', '/qzone-music/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg']) demo.next(call, { mutate: silent })
  const part = await server.get(playlist)
  t.equal(part.body.data.songlist.length, 10)
  t.match(part.headers.get('cache-control'), 'public, max-age=10')
  const batch = await server.post('/batchGetSongLists', { disstid: '7700000005' })
  t.same(batch.body.data, [part.body.data])
  t.match(batch.headers.get('cache-control'), 'public, max-age=10', 'a batch holds no longer than its parts')
  clock.now += 10_000
  t.equal((await server.get(playlist)).body.data.songlist.length, 420)
  t.match((await server.post('/batchGetSongLists', { disstid: '7700000005' })).headers.get('cache-control'), 'public, max-age=600')

  t.match((await server.get(`/getLyric?songmid=${song(5)}`)).headers.get('cache-control'), 'public, max-age=604800')
  t.match((await server.get(`/getLyric?songmid=${song(4)}`)).headers.get('cache-control'), 'public, max-age=600', 'a lyric may come later')
  for (const [at, fault] of [{ status: 404 }, { status: 500 }, { body: '<html>' }].entries()) {
    clock.now += hour
    demo.next('/lyric/fcgi-bin/fcg_query_lyric_new.fcg', fault, 9)
    const { headers } = await server.get(`/getLyric?songmid=nobody${at}`)
    t.match(headers.get('cache-control'), 'public, max-age=10', 'the call that failed may know one')
    demo.reset()
  }
})

cached('a batch takes its elements from what is kept, and leaves the others there', async ({ t, demo, clock, server }) => {
  const single = await server.get(songUrl)
  clock.now += hour
  demo.reset()
  const songs = [[song(1)], [song(2)], ['unknownmid']]
  const batch = await server.post('/batchGetSongInfo', { songs })
  t.strictSame([batch.headers.get('x-cache'), batch.headers.get('age')], ['MISS', '3600'], 'as old as its oldest part')
  t.match(batch.headers.get('cache-control'), 'max-age=10', 'one of its songs could not be had')
  t.same(batch.body.response.data[0], single.body.response)
  t.match(batch.body.response.data[2], { code: 'NOT_FOUND' })
  t.notMatch(JSON.stringify(demo.received.map(({ body }) => body)), song(1))
  t.equal(await ask(server, `/getSongInfo/${song(2)}`), '200 HIT 0')

  demo.reset()
  t.equal(state(await server.post('/batchGetSongInfo', { songs: [[song(2)], [song(1)]] })), '200 MISS 3600')
  t.equal(demo.received.length, 0, 'all of it was there')
  t.equal(state(await server.post('/batchGetSongInfo', { songs: [[song(2)], [song(1)]] })), '200 HIT 3600')
  t.equal(state(await server.post('/batchGetSongInfo', { songs: [[song(1)], [song(2)]] })), '200 MISS 3600', 'the order is part of the question')
  t.equal(
    state(await server.post('/batchGetSongInfo', { songs: [[song(2)]] }, { headers: { 'if-none-match': '*' } })),
    '200 MISS -', 'a POST is always answered whole'
  )
  t.equal(
    state(await server.post('/batchGetSongInfo', { songs: [[song(1)]] }, { headers: { 'cache-control': 'no-cache' } })),
    '200 MISS -', 'who wants no copy gets none of an element either'
  )
  t.equal(state(await server.get(`/getSongInfo?songmid=${song(1)}`)), '200 HIT 0', 'and leaves a new one')

  const lists = await server.post('/batchGetSongLists', { categoryIds: [6], limit: 3, disstid: '7700000001' })
  demo.reset()
  t.same((await server.get('/getSongLists?categoryId=6&limit=3')).body.data, lists.body.data[0])
  t.same((await server.get('/getSongListDetail/7700000001')).body.data, lists.body.data[1])
  t.equal(demo.received.length, 0)
  const cookie = cookieOf(demo, 'ordinary')
  await server.post('/batchGetSongLists', { categoryIds: [6], limit: 3 }, { headers: { 'x-custom-cookie': cookie } })
  t.ok(demo.received.length > 0, 'not for who brings a cookie')
})

t.test('memory is bounded in bytes and in entries; what does not fit is not kept', async (t) => {
  const few = await ready(t, { tuning: { cacheEntryBytes: 32 * 1024 * 1024 } })
  for (const n of [1, 2, 3]) await few.server.get(`/getSongInfo?songmid=${song(n)}`)
  t.strictSame([few.server.cacheKeys().length, await ask(few.server, `/getSongInfo?songmid=${song(3)}`)], [2, '200 HIT 0'])
  t.equal(await ask(few.server, songUrl), '200 MISS -', 'the one that was not used for the longest time went')

  const small = await ready(t, { cacheBytes: 65_536 })
  for (let limit = 1; limit <= 100; limit += 9) await small.server.get(`/getRanks?topId=62&limit=${limit}`)
  const kept = small.server.cacheKeys().length
  t.ok(kept > 0 && kept < 10, `${kept} charts of up to 20 KB`)
})

cached('what is personal, or built here, says that nobody may keep it', async ({ t, demo, server }) => {
  const cookie = cookieOf(demo, 'ordinary')
  for (const [url, headers] of [
    ['/user/getUserAvatar?uin=1000000101', {}], ['/user/getCookie', {}], ['/getMainLoginQr', {}],
    ['/getDailyRecommend', { 'x-custom-cookie': cookie }]
  ] as const) {
    const reply = await server.get(url, { headers })
    t.match([
      reply.status, reply.headers.get('cache-control'), reply.headers.get('x-cache'), reply.headers.get('etag')
    ], [200, 'no-store', null, null], url)
  }
  t.same(server.cacheKeys(), [])
})

cached('switched off, everything is asked for', { cache: false }, async ({ t, demo, server }) => {
  for (const _time of [1, 2]) {
    const { headers } = await server.get(songUrl)
    t.match([headers.get('x-cache'), headers.get('cache-control')], [null, 'no-store'])
  }
  t.equal(demo.received.length, 2)
})

test('an answer has the maximum size at most', async ({ t, demo, server }) => {
  const { length } = Buffer.from((await server.get(chartUrl)).text)
  for (const [largestAnswerBytes, status] of [[length, 200], [length - 1, 502]] as const) {
    const bounded = await serverFor(t, demo, { cache: true, tuning: { largestAnswerBytes } })
    t.equal((await bounded.get(chartUrl)).status, status, `${largestAnswerBytes} of ${length} bytes`)
  }
})

test('a login that is required is asked for before the cache is', async ({ t, demo }) => {
  const runtime = createRuntime(resolveOptions({ upstreamOrigin: demo.origin, ...unhurried }), {})
  t.teardown(async () => { await runtime.close() })
  const ask = (login?: 'required') => executeCached(
    { ...endpoints['getSongInfo'], ...login && { login } } as never, { songmid: song(1) },
    { identity: anonymousIdentity }, runtime
  )
  t.match(await ask(), { state: 'MISS' })
  t.throws(() => ask('required'), { code: 'LOGIN_REQUIRED' })
})
