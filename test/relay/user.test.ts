/** An account's playlists, liked songs and picture; and which cookie a request uses. */
import t from 'tap'
import { resolveIdentity } from '../../src/core/identity.ts'
import { readCredential } from '../../src/upstream/protocol/credentials.ts'
import { parseCookie } from '../../src/upstream/protocol/cookies.ts'
import { checkRecord, cookieOf, demoFor, memberUin, relayFor, sample, sampleText, serverFor, subAnswers, withoutSamples } from '../support/helper.ts'

const whoAmI = 'music.UserInfo.userInfoServer/GetLoginUserInfo'
const lists = 'music.musicasset.PlaylistBaseRead/GetPlaylistByUin'
const diss = 'music.srfDissInfo.DissInfo/CgiGetDiss'
const created = '/rsc/fcgi-bin/fcg_user_created_diss'
const homepage = '/rsc/fcgi-bin/fcg_get_profile_homepage.fcg'

const ordinaryUin = '1000000101'
const withoutEuin = (cookie: string): string => cookie.replace(/; euin=[^;]*/, '')
const query = (cookie: string): string => `cookie=${encodeURIComponent(cookie)}`

t.test('the playlists of an account come in its own envelope, never stored', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const { status, headers, body } = await server.get(`/user/getUserPlaylists?uin=o0${ordinaryUin}&limit=2&${query(cookieOf(demo, 'ordinary'))}`)
  t.equal(status, 200)
  t.equal(headers.get('cache-control'), 'no-store')
  t.same(Object.keys(body), ['code', 'data'])
  t.equal(body.code, 0)
  t.equal(body.data.total, 39)
  t.equal(body.data.playlists.length, 2)
  t.match(body.data.playlists[0], { dissid: '7800000101', dirid: 201, songnum: 73 })
  t.notOk(JSON.stringify(body).includes(ordinaryUin), 'nothing raw is passed on')

  const [asked] = demo.calls(lists)
  t.same(asked?.calls, [whoAmI, lists], 'who asks is checked in the same request')
  t.match(asked?.body, { comm: { uin: ordinaryUin }, req_0: { module: 'music.UserInfo.userInfoServer', method: 'GetLoginUserInfo', param: {} }, req_1: { param: { uin: ordinaryUin } } })
  const detail = await server.get(`/getSongListDetail?disstid=${body.data.playlists[1].dissid}&limit=1`)
  t.equal(detail.body.data.dissname, body.data.playlists[1].dissname, 'the id opens the playlist')
})

t.test('pages of playlists joined have no gap and no overlap', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const whole = await relay.getUserPlaylists({ uin: ordinaryUin, limit: 100 })
  checkRecord('getUserPlaylists', whole)
  t.equal(whole.playlists.length, whole.total)
  t.equal(new Set(whole.playlists.map(({ dissid }) => dissid)).size, whole.total)
  for (const limit of [1, 7, 30]) {
    const joined = []
    for (let offset = 0; offset < whole.total; offset += limit) joined.push(...(await relay.getUserPlaylists({ uin: ordinaryUin, offset, limit })).playlists)
    t.same(joined, whole.playlists)
  }
  t.same((await relay.getUserPlaylists({ uin: ordinaryUin, offset: 1000 })), { playlists: [], total: whole.total })
  t.equal((await relay.getUserPlaylists({ uin: ordinaryUin })).playlists.length, 30)
  t.same(whole.playlists.filter(({ dissid, dirid }) => dissid === '0' || [202, 205, 206].includes(dirid)), [], 'system folders are no playlists')
})

t.test('public lists need no login, and somebody else\'s can be read', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  t.ok((await relay.getUserPlaylists({ uin: '1000001010' })).total > 3)
  t.same(demo.calls(lists)[0]?.calls, [lists])
  t.equal(demo.calls(lists)[0]?.headers['cookie'], undefined)
  t.equal((await relay.getUserPlaylists({ uin: ordinaryUin }, { cookie: cookieOf(demo, 'member') })).total, 39)
  t.same(await relay.getUserPlaylists({ uin: '999' }), { playlists: [], total: 0 })
})

t.test('an expired cookie is reported although the upstream would answer', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const { status, body } = await server.get(`/user/getUserPlaylists?uin=1000000303&${query(cookieOf(demo, 'expired'))}`)
  t.same([status, body.code], [502, 'COOKIE_REJECTED'])
  t.match(body.error, /code 1000/)
  t.equal((await server.get('/user/getUserPlaylists?uin=1000000303')).status, 200)
  const liked = await server.get(`/user/getUserLikedSongs?${query(cookieOf(demo, 'expired'))}`)
  t.same([liked.status, liked.body.code], [502, 'COOKIE_REJECTED'])
})

t.test('when the newer call is dead the older ones have the lists', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const cookie = cookieOf(demo, 'ordinary')
  const names = (rows: { dissname: string }[]): string[] => rows.map(({ dissname }) => dissname)
  const best = await relay.getUserPlaylists({ uin: ordinaryUin, limit: 100 }, { cookie })
  for (const fault of [{ code: 500003 }, { code: 2000 }, { body: '<html>' }, { status: 500 }, { mutate: (answer: any) => { delete answer.data.v_playlist } }]) {
    demo.reset()
    demo.next(lists, fault)
    const found = await relay.getUserPlaylists({ uin: ordinaryUin, limit: 100 }, { cookie })
    t.same(names(found.playlists), names(best.playlists).slice(1), `${JSON.stringify(fault)}: the classic lists lack the liked songs`)
    const [asked] = demo.calls(created)
    t.match(asked, { host: 'c.y.qq.com', query: { hostuin: ordinaryUin, sin: '0', size: '200', loginUin: ordinaryUin, format: 'json' }, headers: { referer: 'https://y.qq.com/portal/profile.html' } })
  }
  demo.reset()
  demo.next(lists, { code: 500003 })
  demo.next(created, { body: '<html>' })
  t.same(names((await relay.getUserPlaylists({ uin: ordinaryUin, limit: 100 }, { cookie })).playlists), names(best.playlists), 'the page of the account has them all')
  const [asked] = demo.calls(homepage)
  t.match(asked, { host: 'c6.y.qq.com', query: { cid: '205360838', userid: ordinaryUin, uin: ordinaryUin, loginUin: ordinaryUin } })
  t.equal(asked?.query['g_tk'], asked?.query['g_tk_new_20200303'])
  t.not(asked?.query['g_tk'], '5381')

  demo.next(lists, { code: 500003 })
  demo.next(created, { status: 404 })
  await t.rejects(relay.getUserPlaylists({ uin: ordinaryUin }), { code: 'UPSTREAM_REFUSED', statusCode: 502 }, 'without a login there is no third way')
  demo.reset()
  demo.next(lists, { reset: true })
  demo.next(created, { reset: true })
  await t.rejects(relay.getUserPlaylists({ uin: ordinaryUin }, { cookie }), { code: 'UPSTREAM_UNREACHABLE' })
  t.equal(demo.calls(homepage).length, 0, 'a broken host is tried once more, not twice')
})

t.test('hidden lists are not found, a slow upstream is a 504', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { deadlineMs: 2000 })
  demo.next(lists, { code: 500003 })
  const hidden = await server.get('/user/getUserPlaylists?uin=1000000404')
  t.same([hidden.status, hidden.body.code], [404, 'NOT_FOUND'])
  t.notMatch(hidden.body.error, '1000000404')
  demo.next(lists, { hang: true })
  t.equal((await server.get(`/user/getUserPlaylists?uin=${ordinaryUin}`)).body.code, 'UPSTREAM_TIMEOUT')
  t.equal(demo.calls(created).length, 1)
})

t.test('liked songs are songs, in pages without gap and overlap', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const relay = relayFor(t, demo)
  const cookie = cookieOf(demo, 'member')
  const { status, headers, body } = await server.get('/user/getUserLikedSongs?limit=3', { headers: { cookie } })
  t.same([status, headers.get('cache-control')], [200, 'no-store'])
  t.same(Object.keys(body), ['status', 'body'])
  t.match(body.body.response, { total: 140, hasMore: true, songs: [{ mid: /^00DemoSong\d{4}$/, title: /./, singer: [{ name: /./ }] }] })
  const [asked] = demo.calls(diss)
  t.same(asked?.calls, [whoAmI, diss])
  t.match(asked?.body, { comm: { uin: memberUin }, req_1: { param: { disstid: 0, dirid: 201, tag: 1, song_begin: 0, song_num: 3, userinfo: 1, orderlist: 1, enc_host_uin: 'demoMember000**' } } })

  const joined: number[] = []
  for (let offset = 0, more = true; more; offset += 30) {
    const page = await relay.getUserLikedSongs({ offset }, { cookie })
    checkRecord('getUserLikedSongs', page)
    joined.push(...page.songs.map(({ id }) => id))
    more = page.hasMore
  }
  t.equal(joined.length, 140)
  const whole = [...(await relay.getUserLikedSongs({ limit: 100 }, { cookie })).songs, ...(await relay.getUserLikedSongs({ limit: 100, offset: 100 }, { cookie })).songs]
  t.same(joined, whole.map(({ id }) => id))
  t.match(await relay.getUserLikedSongs({ offset: 140 }, { cookie }), { total: 140, hasMore: false, songs: [] })
})

t.test('liked songs need a cookie with key and account', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  for (const [path, words] of [['', /: pass a cookie/], ['?uin=123', /: pass a cookie/], ['?cookie=uin%3Do123', /the cookie lacks/], ['?cookie=qm_keyst%3Dabc', /the cookie lacks/], ['?cookie=nonsense', /the cookie lacks/]] as const) {
    t.match(await server.get(`/user/getUserLikedSongs${path}`), { status: 401, body: { code: 'LOGIN_REQUIRED', error: words } }, path)
  }
  t.equal(demo.received.length, 0)
})

t.test('the encrypted id is found where the cookie lacks it, in each way there is', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const cookie = withoutEuin(cookieOf(demo, 'ordinary'))
  const want = await relay.getUserLikedSongs({}, { cookie: cookieOf(demo, 'ordinary') })
  demo.reset()
  t.same(await relay.getUserLikedSongs({}, { cookie }), want)
  t.equal(demo.calls(created).length, 1)
  demo.reset()
  demo.next(created, { body: '<html>' })
  t.same(await relay.getUserLikedSongs({}, { cookie }), want)
  t.equal(demo.calls(homepage).length, 1)
  demo.reset()
  demo.next(created, { body: '<html>' })
  demo.next(homepage, { code: 500003 })
  t.same(await relay.getUserLikedSongs({}, { cookie }), want, 'by the number of the list')
  t.match(demo.calls(diss)[0]?.body, { req_0: { param: { disstid: 7800000101, dirid: 0 } } })
})

t.test('when the liked songs cannot be asked for by account, they are by their list', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const cookie = cookieOf(demo, 'ordinary')
  const want = await relay.getUserLikedSongs({}, { cookie })
  for (const fault of [{ code: 500003 }, { body: '<html>' }, { status: 500 }, { mutate: (answer: any) => { answer.data.code = 77 } }, { mutate: (answer: any) => { answer.data = {} } }]) {
    demo.next(diss, fault)
    t.same(await relay.getUserLikedSongs({}, { cookie }), want, JSON.stringify(fault))
  }
  demo.next(diss, { code: 500003 })
  demo.next(lists, { code: 500003 })
  t.same(await relay.getUserLikedSongs({}, { cookie }), want, 'the page of the account knows the list, too')
  demo.next(diss, { code: 500003 }, 4)
  t.same(await relay.getUserLikedSongs({}, { cookie }), want, 'from the sibling of the call')
  demo.next('music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo', { code: 500003 })
  await t.rejects(relay.getUserLikedSongs({}, { cookie }), { code: 'UPSTREAM_REFUSED' })
  demo.reset()
  demo.next(diss, { reset: true }, 10)
  await t.rejects(relay.getUserLikedSongs({}, { cookie }), { code: 'UPSTREAM_UNREACHABLE' })
  t.equal(demo.calls(diss).length, 2, 'a broken host is asked once more, and not again for the list')
})

t.test('uin asks for the liked songs of somebody else', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const cookie = cookieOf(demo, 'ordinary')
  t.equal((await relay.getUserLikedSongs({ uin: memberUin }, { cookie })).total, 140)
  t.equal((await relay.getUserLikedSongs({ uin: `o${ordinaryUin}` }, { cookie })).total, 73)
  t.equal((await relay.getUserLikedSongs({ uin: '' }, { cookie })).total, 73, 'an empty one is none')
  demo.next(diss, { mutate: (answer) => { answer.data.code = 4000 } })
  await t.rejects(relay.getUserLikedSongs({ uin: memberUin }, { cookie }), { code: 'NOT_FOUND' })
  demo.next(diss, { mutate: ({ data }) => { Object.assign(data, { songlist: [], total_song_num: 0, hasmore: 0, dirinfo: { ...data.dirinfo, title: '歌单被主人设为隐私', songnum: 0 } }) } })
  await t.rejects(relay.getUserLikedSongs({ uin: memberUin }, { cookie }), { code: 'NOT_FOUND' }, 'a title instead of the songs')
  await t.rejects(relay.getUserLikedSongs({ uin: '1000000404' }, { cookie }), { code: 'NOT_FOUND' }, 'hidden from everybody')
})

t.test('the picture of an account is an address, made here', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const { status, headers, body } = await server.get('/user/getUserAvatar?uin=123456789')
  t.same([status, headers.get('cache-control')], [200, 'no-store'])
  t.match(body, { response: { code: 0, data: { avatarUrl: /^https:\/\/.*123456789.*140$/, message: 'ok' } } })
  t.match((await server.get('/user/getUserAvatar?k=abc&uin=1&size=640')).body.response.data.avatarUrl, /k=abc&s=640$/)
  t.equal((await server.get('/user/getUserAvatar?k=&uin=1')).status, 200, 'an empty k is none')
  t.match((await server.get('/user/getUserAvatar?k=abc&uin=')).body.response.data.avatarUrl, /k=abc&s=140$/, 'nor is an empty uin one')
  t.match((await server.get('/user/getUserAvatar?k=&uin=')).body, { code: 'INVALID_INPUT', error: 'uin: is required when k is not given.' })
  t.match((await server.get('/user/getUserAvatar')).body, { code: 'INVALID_INPUT', error: /^uin: / })
  t.match((await server.get('/user/getUserAvatar?uin=1&size=141')).body, { code: 'INVALID_INPUT', error: /^size: must be one of 40, 100, 140, 640/ })
  t.equal(demo.received.length, 0)
})

t.test('a wrong parameter is named', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  for (const [path, words] of [
    ['/user/getUserPlaylists', /^uin: is required/],
    ['/user/getUserPlaylists?uin=', /^uin: /],
    ['/user/getUserPlaylists?uin=abc', /^uin: /],
    ['/user/getUserPlaylists?uin=o0', /^uin: /],
    ['/user/getUserPlaylists?uin=12345678901234567890', /^uin: /],
    ['/user/getUserPlaylists?uin=1&limit=0', /^limit: /],
    ['/user/getUserPlaylists?uin=1&limit=101', /^limit: /],
    ['/user/getUserPlaylists?uin=1&offset=-1', /^offset: /],
    ['/user/getUserPlaylists?uin=1&offset=1e3', /^offset: /],
    [`/user/getUserLikedSongs?uin=x&${query(cookieOf(demo, 'ordinary'))}`, /^uin: /],
    [`/user/getUserLikedSongs?limit=101&${query(cookieOf(demo, 'ordinary'))}`, /^limit: /],
    ['/user/getUserAvatar?uin=12%263', /^uin: /],
    ['/user/getUserAvatar?uin=1&size=abc', /^size: /]
  ] as const) {
    const { status, body } = await server.get(path)
    t.equal(status, 400, path)
    t.match(body, { code: 'INVALID_INPUT', error: words }, path)
  }
  t.equal(demo.received.length, 0)
})

t.test('getCookie shows the cookie of the request in neutral names', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const shown = async (path: string, headers: Record<string, string> = {}): Promise<any> => (await server.get(`/user/getCookie${path}`, { headers })).body.data
  const own = 'uin=o123; qqmusic_key=k=1==; qm_keyst=k=1==; tmeLoginType=2; euin=e**; skey=@secret; other=1'
  const want = { code: 200, cookie: 'uin=o123; provider_key=k=1==; provider_keyst=k=1==; providerLoginType=2; euin=e**', cookieObject: { uin: 'o123', provider_key: 'k=1==', provider_keyst: 'k=1==', providerLoginType: '2', euin: 'e**' } }
  t.match(await shown(`?${query(own)}`), want)
  t.match(await shown('', { 'x-custom-cookie': own }), want)
  t.match(await shown('', { cookie: own }), want)
  t.same((await shown(`?${query(own)}`)).cookieList, want.cookie.split('; '))
  t.match((await shown(`?${query(want.cookie)}`)).cookie, want.cookie, 'what comes out can go in')
  t.match((await shown(`?${query('wxuin=9; provider_key=n; qqmusic_key=r')}`)).cookie, 'alt_uin=9; provider_key=n', 'each name once, the first value')
  const nothing = { code: 200, cookie: '', cookieList: [], cookieObject: {} }
  t.same(await shown(''), nothing)
  t.same(await shown('', { cookie: 'session=of-another-program' }), nothing)
  t.equal(demo.received.length, 0)
})

t.test('the global cookie shows its names, and its values only when that is allowed', async (t) => {
  const demo = await demoFor(t)
  const options = { useGlobalCookie: true, globalCookie: () => 'uin=o123; qm_keyst=topsecret' }
  const shown = async (more: object, path = ''): Promise<any> => (await (await serverFor(t, demo, { ...options, ...more })).get(`/user/getCookie${path}`)).body.data
  t.same(await shown({}), { code: 200, cookie: 'uin=***; provider_keyst=***', cookieList: ['uin=***', 'provider_keyst=***'], cookieObject: { uin: '***', provider_keyst: '***' } })
  t.equal((await shown({ exposeGlobalCookie: true })).cookie, 'uin=o123; provider_keyst=topsecret')
  t.equal((await shown({}, `?${query('uin=1; qm_keyst=mine')}`)).cookie, 'uin=1; provider_keyst=mine', 'a cookie of the request beats it')
  t.equal((await shown({ useGlobalCookie: false })).cookie, '')
  t.equal((await shown({ fallbackMode: false }, `?${query('uin=1; qm_keyst=mine')}`)).cookie, 'uin=***; provider_keyst=***')
})

t.test('the global cookie has liked songs of its own', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { useGlobalCookie: true, globalCookie: () => cookieOf(demo, 'ordinary') })
  t.equal((await server.get('/user/getUserLikedSongs')).body.body.response.total, 73)
  t.equal((await server.get('/user/getUserLikedSongs', { headers: { 'x-custom-cookie': cookieOf(demo, 'member') } })).body.body.response.total, 140)
})

t.test('account and key out of every known form of a cookie', { skip: withoutSamples }, async (t) => {
  const { vectors } = sample('user-cookie-parse-vectors.json')
  t.ok(vectors.length > 10)
  for (const { cookie, uin, type, key, login } of vectors) {
    const want = login === false ? undefined : { uin, key, loginType: type }
    const { euin: _, ...read } = readCredential(parseCookie(cookie)) ?? {}
    t.same(Object.keys(read).length === 0 ? undefined : read, want, cookie)
    const { credential } = resolveIdentity({ query: cookie }, { fallbackMode: true, useGlobalCookie: false })
    t.same(credential === undefined ? undefined : { uin: credential.uin, key: credential.key, loginType: credential.loginType }, want)
  }
})

t.test('every known form of a picture address', { skip: withoutSamples }, async (t) => {
  const server = await serverFor(t, await demoFor(t))
  const { vectors } = sample('user-avatar-url-vectors.json')
  for (const { query, avatarUrl } of vectors) {
    const { status, body } = await server.get(`/user/getUserAvatar?${query}`)
    t.same([status, body.response?.data.avatarUrl], avatarUrl === undefined ? [400, undefined] : [200, avatarUrl], query)
  }
})

t.test('real answers of the account calls', { skip: withoutSamples }, async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const cookie = cookieOf(demo, 'ordinary')
  const ask = async (options: { cookie?: string } = {}) => {
    const record = await relay.getUserPlaylists({ uin: '123456789' }, options)
    checkRecord('getUserPlaylists', record)
    return record
  }
  const gateway = (file: string) => ({ mutate: () => subAnswers(file)[0] })

  demo.next(lists, gateway('user-playlists-getplaylistbyuin-ok.json'))
  const found = await ask()
  t.equal(found.total, 3, 'the folder without a list is left out')
  t.same(found.playlists.map(({ dissid, dirid, songnum }) => [dissid, dirid, songnum]), [['7000000201', 201, 2], ['7000000006', 6, 39], ['7000000003', 3, 12]])
  t.match(found.playlists[0]?.picurl, /^https:/)
  demo.next(lists, gateway('user-playlists-getplaylistbyuin-empty.json'))
  t.same(await ask(), { playlists: [], total: 0 })

  const [dead, alive] = subAnswers('user-playlists-batch-who-plus-list-expired.json')
  demo.next(whoAmI, { mutate: () => dead })
  demo.next(lists, { mutate: () => alive })
  await t.rejects(ask({ cookie }), { code: 'COOKIE_REJECTED' })
  demo.next(whoAmI, gateway('user-getloginuserinfo-ok.json'))
  demo.next(lists, { mutate: () => alive })
  t.equal((await ask({ cookie })).total, 1)
  demo.next(whoAmI, gateway('user-getloginuserinfo-code1000.json'))
  await t.rejects(ask({ cookie }), { code: 'COOKIE_REJECTED' })

  for (const file of ['code2000', 'code104604', 'malformed']) {
    demo.next(lists, gateway(`user-playlists-getplaylistbyuin-${file}.json`))
    demo.next(created, { body: sampleText('user-playlists-created_diss-ok.json') })
    t.same((await ask({ cookie })).playlists.map(({ dissid }) => dissid), ['7000000006', '7000000005', '7000000004', '7000000002'], file)
  }
  for (const file of ['code1000', 'code104401']) {
    demo.next(lists, gateway(`user-playlists-getplaylistbyuin-${file}.json`))
    await t.rejects(ask({ cookie }), { code: 'COOKIE_REJECTED' }, file)
  }
  demo.next(lists, { code: 500003 })
  demo.next(created, { body: sampleText('user-playlists-created_diss-4000.json') })
  await t.rejects(ask(), { code: 'NOT_FOUND' })

  const classicDead = (): void => { demo.next(lists, { code: 500003 }); demo.next(created, { status: 404 }) }
  classicDead()
  demo.next(homepage, { body: sampleText('user-playlists-homepage-ok.json') })
  const home = await ask({ cookie })
  t.same(home.playlists.map(({ dissid, dirid, songnum }) => [dissid, dirid, songnum]), [['7000000201', 201, 88], ['7000000006', 6, 39], ['7000000004', 4, 57]])
  classicDead()
  demo.next(homepage, { body: sampleText('user-playlists-homepage-code1000.json') })
  await t.rejects(ask({ cookie }), { code: 'COOKIE_REJECTED' })

  demo.next(diss, gateway('user-liked-cgigetdiss-ok.json'))
  const liked = await relay.getUserLikedSongs({}, { cookie })
  checkRecord('getUserLikedSongs', liked)
  t.same([liked.total, liked.hasMore], [3, false])
  t.same(liked.songs.map(({ id, mid, interval }) => [id, mid, interval]), [[106359731, '000P8peU0HhORi', 168], [5, '003s9sXr2So0QE', 235], [696262512, '002AZauQ1UKQxe', 210]])
  t.match(liked.songs[2], { album: { pmid: '00446QRA1fTdqA_2' }, mv: { vid: '002LY1bM2uks1Y' } })
  demo.next(diss, gateway('user-liked-cgigetdiss-empty.json'))
  t.same(await relay.getUserLikedSongs({}, { cookie }), { total: 0, hasMore: false, songs: [] })
  demo.next(diss, gateway('user-liked-cgigetdiss-code1000.json'))
  await t.rejects(relay.getUserLikedSongs({}, { cookie }), { code: 'COOKIE_REJECTED' })
  const { req } = sample('user-liked-cgigetdiss-request.json')
  const { body: sent } = demo.calls(diss)[0] as { body: any }
  t.same({ ...sent.req_1, param: { ...sent.req_1.param, enc_host_uin: '' } }, { ...req, param: { ...req.param, enc_host_uin: '' } }, 'asked the way others ask')
})
