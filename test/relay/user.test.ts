/** The picture of an account, which cookie a request uses, and real answers. Its lists: user-lists.test.ts. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { resolveIdentity } from '../../src/relay/identity.ts'
import { readCredential } from '../../src/upstream/wire/credentials.ts'
import { parseCookie } from '../../src/upstream/wire/pasted.ts'
import {
  cookieOf, demoFor, relayFor, sample, sampleText, serverFor, subAnswers, withoutSamples, type Server
} from '../support/helper.ts'
import { sharedStage } from '../support/stage.ts'

const test = sharedStage('an account')

const whoAmI = 'music.UserInfo.userInfoServer/GetLoginUserInfo'
const lists = 'music.musicasset.PlaylistBaseRead/GetPlaylistByUin'
const diss = 'music.srfDissInfo.DissInfo/CgiGetDiss'
const created = '/rsc/fcgi-bin/fcg_user_created_diss'
const homepage = '/rsc/fcgi-bin/fcg_get_profile_homepage.fcg'

const query = (cookie: string): string => `cookie=${encodeURIComponent(cookie)}`

test('the picture of an account is an address, made here', async ({ t, demo, relay, server }) => {
  const { status, headers, body } = await server.get('/user/getUserAvatar?uin=123456789')
  t.same([status, headers.get('cache-control')], [200, 'no-store'])
  t.match(body, { response: { code: 0, data: { avatarUrl: /^https:\/\/.*123456789.*140$/, message: 'ok' } } })
  t.match((await server.get('/user/getUserAvatar?k=abc&uin=1&size=640')).body.response.data.avatarUrl, /k=abc&s=640$/)
  t.equal((await server.get('/user/getUserAvatar?k=&uin=1')).status, 200, 'an empty k is none')
  for (const uin of ['', 'nonsense', '9'.repeat(100), '%F0%9F%8E%B5']) {
    t.match(
      (await server.get(`/user/getUserAvatar?k=abc&uin=${uin}`)).body.response?.data.avatarUrl, /k=abc&s=140$/,
      'with k, the uin is not looked at'
    )
  }
  t.match(await relay.getUserAvatar({ k: 'abc', uin: 'nonsense' }), { avatarUrl: /k=abc&s=140$/ })
  const notUin = /^uin: must be an account number/
  for (const [query, error] of [
    ['k=&uin=nonsense', notUin], ['k=&k=abc&uin=nonsense', notUin],
    ['k=&uin=', 'uin: is required when k is not given.'], ['', /^uin: /], ['uin=12%263', /^uin: /],
    ['uin=1&size=141', /^size: must be one of 40, 100, 140, 640/],
    ['uin=1&size=', /^size: must be one of 40, 100, 140, 640/], ['uin=1&size=abc', /^size: /]
  ] as const) {
    t.match(await server.get(`/user/getUserAvatar?${query}`), { status: 400, body: { code: 'INVALID_INPUT', error } }, query)
  }
  t.equal(demo.received.length, 0)
})

test('getCookie shows the cookie of the request in neutral names', async ({ t, demo, server }) => {
  const shown = async (path: string, headers: Record<string, string> = {}): Promise<any> =>
    (await server.get(`/user/getCookie${path}`, { headers })).body.data
  const own = 'uin=o123; qqmusic_key=k=1==; qm_keyst=k=1==; tmeLoginType=2; euin=e**; skey=@secret; other=1'
  const want = {
    code: 200, cookie: 'uin=o123; provider_key=k=1==; provider_keyst=k=1==; providerLoginType=2; euin=e**',
    cookieObject: { uin: 'o123', provider_key: 'k=1==', provider_keyst: 'k=1==', providerLoginType: '2', euin: 'e**' }
  }
  t.match(await shown(`?${query(own)}`), want)
  t.match(await shown('', { 'x-custom-cookie': own }), want)
  t.match(await shown('', { cookie: own }), want)
  t.same((await shown(`?${query(own)}`)).cookieList, want.cookie.split('; '))
  t.match((await shown(`?${query(want.cookie)}`)).cookie, want.cookie, 'what comes out can go in')
  const nothing = { code: 200, cookie: '', cookieList: [], cookieObject: {} }
  t.same(await shown(''), nothing)
  t.same(await shown('', { cookie: 'session=of-another-program' }), nothing)
  t.equal(demo.received.length, 0)
})

test('the global cookie shows its names, and its values only when that is allowed', async ({ t, demo }) => {
  const options = { useGlobalCookie: true, globalCookie: () => 'uin=o123; qm_keyst=topsecret' }
  const [hidden, exposed] =
    [await serverFor(t, demo, options), await serverFor(t, demo, { ...options, exposeGlobalCookie: true })]
  const shown = async (server: Server, path = ''): Promise<any> =>
    (await server.get(`/user/getCookie${path}`)).body.data
  t.same(await shown(hidden), {
    code: 200, cookie: 'uin=***; provider_keyst=***', cookieList: ['uin=***', 'provider_keyst=***'],
    cookieObject: { uin: '***', provider_keyst: '***' }
  })
  t.equal((await shown(exposed)).cookie, 'uin=o123; provider_keyst=topsecret')
  t.equal((await shown(hidden, `?${query('uin=1; qm_keyst=mine')}`)).cookie, 'uin=1; provider_keyst=mine', 'a cookie of the request beats it')
})

test('the global cookie has liked songs of its own', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { useGlobalCookie: true, globalCookie: () => cookieOf(demo, 'ordinary') })
  t.equal((await server.get('/user/getUserLikedSongs')).body.body.response.total, 73)
  t.equal((await server.get(
    '/user/getUserLikedSongs', { headers: { 'x-custom-cookie': cookieOf(demo, 'member') } }
  )).body.body.response.total, 140)
})

t.test('account and key out of every known form of a cookie', { skip: withoutSamples }, async (t) => {
  const { vectors } = sample('user-cookie-parse-vectors.json')
  t.ok(vectors.length > 10)
  for (const { cookie, uin, type, key, login } of vectors) {
    const want = login === false ? undefined : { uin, key, loginType: type }
    const { euin: _, ...read } = readCredential(parseCookie(cookie)) ?? {}
    t.same(Object.keys(read).length === 0 ? undefined : read, want, cookie)
    const { credential } = resolveIdentity({ query: cookie }, { fallbackMode: true, useGlobalCookie: false })
    t.same(credential === undefined ? undefined : {
      uin: credential.uin, key: credential.key, loginType: credential.loginType
    }, want)
  }
})

t.test('every known form of a picture address', { skip: withoutSamples }, async (t) => {
  const server = await serverFor(t, await demoFor(t))
  const { vectors } = sample('user-avatar-url-vectors.json')
  for (const { query, avatarUrl } of vectors) {
    const { status, body } = await server.get(`/user/getUserAvatar?${query}`)
    t.same(
      [status, body.response?.data.avatarUrl], avatarUrl === undefined ? [400, undefined] : [200, avatarUrl], query
    )
  }
})

t.test('HTTP 401 to a call that carried a cookie rejects the cookie, to any other call it refuses the call', async (t) => {
  let status = 401
  const cookies = new Set<boolean>()
  const upstream = createServer(({ headers }, answer) => {
    cookies.add(headers.cookie !== undefined)
    answer.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  t.teardown(() => { upstream.close().closeAllConnections() })
  await new Promise((resolve) => { upstream.once('listening', resolve) })
  const relay = relayFor(t, { origin: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` })
  const cookie = 'uin=10001; provider_key=Q_H_L_1; provider_keyst=Q_H_L_1'
  for (const [answer, options, code, outcome, fault] of [
    [401, { cookie }, 'COOKIE_REJECTED', 'auth', 'caller'], [401, {}, 'UPSTREAM_REFUSED', 'auth', 'call'], [403, { cookie }, 'UPSTREAM_REFUSED', 'http_4xx', 'call']
  ] as const) {
    status = answer
    cookies.clear()
    await t.rejects(relay.getSongInfo({ songmid: '00DemoSong0001' }, options), { code, outcome, fault })
    t.same([...cookies], ['cookie' in options])
  }
})

test('real answers of the account calls', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  const cookie = cookieOf(demo, 'ordinary')
  const ask = async (): Promise<any> => await relay.getUserPlaylists({ uin: '123456789' }, { cookie })
  const gateway = (file: string) => ({ mutate: () => subAnswers(file)[0] })
  const reads = (call: string, file: string): void => {
    demo.next(call, call.startsWith('/') ? { body: sampleText(`user-playlists-${file}`) } : gateway(`user-${file}`))
  }
  const facts = ({ playlists }: any): unknown[] =>
    playlists.map(({ dissid, dirid, songnum }: any) => [dissid, dirid, songnum])
  const listsDead = (file?: string): void => {
    if (file === undefined) demo.next(lists, { code: 500003 })
    else reads(lists, `playlists-getplaylistbyuin-${file}.json`)
  }

  listsDead('ok')
  const found = await ask()
  t.same([found.total, facts(found)], [3, [['7000000201', 201, 2], ['7000000006', 6, 39], ['7000000003', 3, 12]]], 'the folder without a list is left out')
  t.match(found.playlists[0]?.picurl, /^https:/)
  listsDead('empty')
  t.same(await ask(), { playlists: [], total: 0, skipped: 0 })

  const [dead, alive] = subAnswers('user-playlists-batch-who-plus-list-expired.json')
  for (const [who, file] of [[dead, undefined], [undefined, 'ok'], [undefined, 'code1000']] as const) {
    if (file === undefined) demo.next(whoAmI, { mutate: () => who })
    else reads(whoAmI, `getloginuserinfo-${file}.json`)
    demo.next(lists, { mutate: () => alive })
    if (file === 'ok') t.equal((await ask()).total, 1)
    else await t.rejects(ask(), { code: 'COOKIE_REJECTED' })
    demo.reset()
  }
  for (const file of ['code2000', 'code104604', 'malformed']) {
    listsDead(file)
    reads(created, 'created_diss-ok.json')
    t.same((await ask()).playlists.map(({ dissid }: any) => dissid), [
      '7000000006', '7000000005', '7000000004', '7000000002'
    ], file)
  }
  for (const file of ['code1000', 'code104401']) {
    listsDead(file)
    await t.rejects(ask(), { code: 'COOKIE_REJECTED' }, file)
  }
  listsDead()
  reads(created, 'created_diss-4000.json')
  await t.rejects(relay.getUserPlaylists({ uin: '123456789' }), { code: 'NOT_FOUND' })
  for (const file of ['ok', 'code1000']) {
    listsDead()
    demo.next(created, { status: 404 })
    reads(homepage, `homepage-${file}.json`)
    if (file === 'ok') t.same(
      facts(await ask()), [['7000000201', 201, 88], ['7000000006', 6, 39], ['7000000004', 4, 57]]
    )
    else await t.rejects(ask(), { code: 'COOKIE_REJECTED' })
  }

  reads(diss, 'liked-cgigetdiss-ok.json')
  const liked = await relay.getUserLikedSongs({}, { cookie })
  t.same([liked.total, liked.hasMore], [3, false])
  t.same(liked.songs.map(({ id, mid, interval }) => [id, mid, interval]), [
    [106359731, '000P8peU0HhORi', 168], [5, '003s9sXr2So0QE', 235], [696262512, '002AZauQ1UKQxe', 210]
  ])
  t.match(liked.songs[2], { album: { pmid: '00446QRA1fTdqA_2' }, mv: { vid: '002LY1bM2uks1Y' } })
  const { req } = sample('user-liked-cgigetdiss-request.json')
  const { body: sent } = demo.calls(diss)[0] as { body: any }
  t.same({
    ...sent.req_1, param: { ...sent.req_1.param, enc_host_uin: '' }
  }, { ...req, param: { ...req.param, enc_host_uin: '' } }, 'asked the way others ask')
  reads(diss, 'liked-cgigetdiss-empty.json')
  t.same(await relay.getUserLikedSongs({}, { cookie }), { total: 0, hasMore: false, songs: [], skipped: 0 })
  reads(diss, 'liked-cgigetdiss-code1000.json')
  await t.rejects(relay.getUserLikedSongs({}, { cookie }), { code: 'COOKIE_REJECTED' })
})
