/** Who asks over OpenSubsonic: every way in, whose library it is, and what never leaves the relay. */
import fc from 'fast-check'
import t from 'tap'
import type { Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { cookieOf, demoFor, serverFor } from '../support/helper.ts'
import type { Server } from '../support/helper.ts'
import { household, people } from '../support/household.ts'
import { play, tokenOf } from '../support/opensubsonicHelper.ts'
import { hidden, queryOf } from '../support/opensubsonicPlayer.ts'

/** A relay with options of the application, too. */
const relay = async (t: Test, demo: DemoUpstream, options: AppOptions): Promise<Server> => await serverFor(t, demo, options)

t.test('a relay without accounts and without a password serves no player', async (t) => {
  const demo = await demoFor(t)
  t.match(await (await serverFor(t, demo)).get('/rest/ping?u=a&p=b'), { status: 404, body: { code: 'ROUTE_NOT_FOUND' } })
  const { accounts } = await household(t)
  for (const name of people) await accounts.remove(name)
  await accounts.save('default', { loginUin: 'o10001', cookie: 'uin=o10001; provider_key=Q_H_L_x' })
  const server = await relay(t, demo, { accounts })
  for (const method of ['ping', 'getOpenSubsonicExtensions']) t.match(await play(server, method, { u: 'member', p: 'x' }), { http: 404, status: 'failed', error: { code: 0, message: /login --as/ } })
  const { uin, cookie } = demo.accounts.find(({ name }) => name === 'child') as { uin: string, cookie: string }
  const secret = await accounts.save('child', { loginUin: uin, cookie }) as string
  t.match(await play(server, 'ping', { u: 'child', p: secret }), { http: 200, status: 'ok' }, 'at once when there is one')
  t.match(await play(server, 'getOpenSubsonicExtensions'), { status: 'ok' })
})

t.test('every way in leads to the library of that account, and to no other', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const key = await accounts.addKey('partner', 'kitchen', {})
  const server = await relay(t, demo, { accounts, cache: true, subsonicPassword: 'of the house', playerCookie: () => cookieOf(demo, 'ordinary') })
  const liked = async (name: typeof people[number]): Promise<string[]> =>
    (await server.get('/user/getUserLikedSongs?limit=100', { headers: { authorization: `Bearer ${secrets[name]}` } })).body.body.response.songs.map(({ mid }: { mid: string }) => `so-${mid}`)
  const own = Object.fromEntries(await Promise.all(people.map(async (name) => [name, (await liked(name)).slice(0, 20)] as const)))
  const ways: [typeof people[number], Record<string, string | number>][] = [
    ...people.flatMap((name): typeof ways => [[name, { u: name, p: secrets[name] }], [name, { u: name, p: hidden(secrets[name]) }], [name, tokenOf(name, secrets[name])], [name, { apiKey: secrets[name] }]]),
    ['partner', { apiKey: key }],
    ['member', { ...tokenOf('member', secrets.member), t: tokenOf('member', secrets.member).t.toUpperCase() }],
    ['partner', { u: 'partner', p: key }],
    ['ordinary', { u: 'anybody', p: 'of the house' }],
    ['ordinary', tokenOf('小明', 'of the house')]
  ]
  await fc.assert(fc.asyncProperty(fc.shuffledSubarray(ways, { minLength: ways.length }), async (mixed) => {
    await Promise.all(mixed.map(async ([name, way]) => {
      const { status, body } = await play(server, 'search3', { ...way, query: '', songCount: 20, artistCount: 0, albumCount: 0 })
      t.same([status, body.searchResult3.song.map(({ id }: { id: string }) => id)], ['ok', own[name]?.slice(0, 20)])
      const { body: { playlists } } = await play(server, 'getPlaylists', way)
      t.equal(playlists.playlist[0].id, 'li-liked')
    }))
  }), { numRuns: 5 })
  t.match(await play(server, 'tokenInfo', { apiKey: key }), { status: 'ok', body: { tokenInfo: { username: 'partner' } } })
  for (const line of [...server.log, ...server.cacheKeys()]) for (const secret of [...Object.values(secrets), key, 'of the house', hidden(secrets.member)]) t.notOk(line.includes(secret))
})

t.test('wrong proofs are refused with the number that clients know', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const key = await accounts.addKey('member', 'radio', {})
  const server = await relay(t, demo, { accounts, subsonicPassword: 'of the house', accessToken: 'operator-token' })
  const cases: [number, Record<string, string>][] = [
    [10, {}], [10, { p: 'of the house' }], [10, { t: tokenOf('', 'of the house').t, s: 'salt9' }], [10, { u: 'member' }], [10, { u: 'member', t: 'x' }],
    [40, { u: 'member', p: 'x' }], [40, { u: 'member', p: secrets.partner }], [40, { u: 'Member', p: secrets.member }], [40, { u: 'nobody', p: secrets.member }],
    [40, { u: 'member', p: 'of the house' }], [40, tokenOf('member', 'of the house')], [40, tokenOf('member', key)], [40, { u: 'x', p: 'operator-token' }],
    [40, { u: 'member', p: `enc:${secrets.member}` }], [10, { u: 'member', p: '', t: '', s: 'a' }],
    [43, { u: 'member', apiKey: secrets.member }], [43, { p: secrets.member, apiKey: secrets.member }], [43, { t: 'x', apiKey: secrets.member }], [44, { apiKey: 'of the house' }], [44, { apiKey: `mr_${'x'.repeat(43)}` }], [44, { apiKey: 'operator-token' }]
  ]
  for (const [code, proof] of cases) t.match(await play(server, 'ping', proof), { http: 200, status: 'failed', error: { code } }, JSON.stringify(Object.keys(proof)))
  t.match(await play(server, 'ping', { u: 'member', p: secrets.member }), { status: 'ok' }, 'no access token is needed beside the secret')
  t.match(await play(server, 'getCoverArt', { u: 'member', p: 'x', id: 'al-00DemoAlbu0001' }), { http: 401, error: { code: 40 } }, 'media have a status')
  await accounts.revokeKey('member', 'radio')
  t.match(await play(server, 'ping', { apiKey: key }), { error: { code: 44 } })
})

t.test('cookies of the request, and pages of other origins, change nothing about who asks', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const server = await relay(t, demo, { accounts, useGlobalCookie: true, globalCookie: () => cookieOf(demo, 'member') })
  const first = async (headers: Record<string, string>, more = {}): Promise<string> => (await play(server, 'getStarred2', { u: 'child', p: secrets.child, ...more }, headers)).body.starred2.song[0].id
  const own = await first({})
  const cookie = cookieOf(demo, 'member')
  for (const headers of [{ cookie }, { 'x-custom-cookie': cookie }, { 'origin': 'https://player.example', 'sec-fetch-site': 'cross-site' }, { authorization: `Bearer ${secrets.member}` }]) t.equal(await first(headers), own)
  t.equal(await first({}, { cookie }), own)
  demo.next('music.srfDissInfo.DissInfo/CgiGetDiss', { code: 1000 }, 9)
  t.match(await play(server, 'getStarred2', { u: 'child', p: secrets.child }), { error: { code: 50, message: /login --as child\b/ } })
})

t.test('wrong tries are limited for a user at an address, and others go on', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const clock = { now: 0 }
  const server = await relay(t, demo, { accounts, host: '0.0.0.0', trustProxy: ['127.0.0.1'], now: () => clock.now, subsonicPassword: 'of the house' })
  const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })
  for (let at = 0; at < 20; at++) t.match(await play(server, 'ping', { u: 'guest', p: `guess ${at}` }, from('203.0.113.5')), { error: { code: 40 } })
  clock.now = 19_500
  const late = await play(server, 'ping', { u: 'guest', p: 'of the house' }, from('203.0.113.5'))
  t.match(late, { http: 429, status: 'failed', error: { code: 0, message: /wrong passwords/ } })
  t.equal(late.headers.get('retry-after'), '41')
  t.match(await play(server, 'ping', { u: 'child', p: secrets.child }, from('203.0.113.5')), { status: 'ok' }, 'another user of the household')
  t.match(await play(server, 'ping', { u: 'another guest', p: 'of the house' }, from('203.0.113.5')), { status: 'ok' }, 'another guest')
  t.match(await play(server, 'ping', { u: 'Guest', p: 'of the house' }, from('203.0.113.5')), { status: 'ok' }, 'of another first letter')
  for (let at = 0; at < 20; at++) await play(server, 'ping', { u: `${'n'.repeat(64)}${at}`, p: 'x' }, from('203.0.113.8'))
  for (const [length, http] of [[63, 200], [65, 429]] as const) t.equal((await play(server, 'ping', { u: 'n'.repeat(length), p: 'of the house' }, from('203.0.113.8'))).http, http, 'a long name counts by its first 64 letters')
  t.match(await play(server, 'ping', { u: 'guest', p: 'of the house' }, from('203.0.114.9')), { status: 'ok' }, 'the same user elsewhere')
  for (let at = 1; at <= 20; at++) await play(server, 'ping', { u: 'guest', p: 'x' }, from(`2001:db8:0:1::${at}`))
  for (const [address, http] of [['2001:db8:0:1::99', 429], ['2001:db8:0:2::99', 200]] as const) {
    t.equal((await play(server, 'ping', { u: 'guest', p: 'of the house' }, from(address))).http, http, 'the addresses of one line count as one')
  }
  for (let at = 0; at < 25; at++) await play(server, 'ping', { apiKey: `mr_${at}${'x'.repeat(40)}` }, from('203.0.113.5'))
  t.match(await play(server, 'ping', { apiKey: secrets.child }, from('203.0.113.5')), { status: 'ok' }, 'a revoked key shuts nobody out')
  for (let at = 0; at < 25; at++) t.match(await play(server, 'ping', { u: 'member', p: 'an old secret' }, from('203.0.113.5')), { error: { code: 40 } })
  clock.now = 60_000
  t.match(await play(server, 'ping', { u: 'guest', p: 'of the house' }, from('203.0.113.5')), { status: 'ok' }, 'a minute later')
  for (let at = 0; at < 200; at++) await play(server, 'ping', { u: `guest ${at}`, p: 'x' }, from('203.0.113.7'))
  t.match(await play(server, 'ping', { u: 'guest 999', p: 'of the house' }, from('203.0.113.7')), { http: 429 }, 'under many names')
})

t.test('limits of a key hold here, too', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const server = await relay(t, demo, { accounts, cache: true, host: '0.0.0.0', trustProxy: ['127.0.0.1'] })
  const slow = await accounts.addKey('member', 'slow', { perMinute: 2 })
  for (const http of [200, 200, 429]) t.equal((await play(server, 'ping', { apiKey: slow })).http, http)
  const blind = await accounts.addKey('member', 'blind', { noLoginEndpoints: true })
  const { body: { starred2: { song: [{ id: liked }] } } } = await play(server, 'getStarred2', { apiKey: secrets.member })
  for (const way of [{ apiKey: secrets.member }, { apiKey: blind }]) {
    for (const method of ['getStarred2', 'getArtists', 'getIndexes', 'getScanStatus', 'search3', 'getRandomSongs']) {
      const answer = await play(server, method, { ...way, artist: 'Nobody' })
      if (way.apiKey === blind) t.match(answer, { http: 200, error: { code: 50, message: /key/ } }, method)
      else t.equal(answer.status, 'ok', 'first the secret, whose answers are kept')
    }
    const { status, body } = await play(server, 'getPlaylists', way)
    t.same([status, body.playlists.playlist.some(({ id }: { id: string }) => id.startsWith('li-'))], ['ok', way.apiKey !== blind])
    t.equal(body.playlists.playlist.some(({ id }: { id: string }) => id.startsWith('pl-77000003')), way.apiKey !== blind, 'nor what the account collected')
    t.equal((await play(server, 'getGenres', way)).body.genres.genre.length, way.apiKey === blind ? 0 : 2, 'kinds that it may not open')
    const { body: { song: { starred } } } = await play(server, 'getSong', { ...way, id: liked })
    t.equal(starred !== undefined, way.apiKey !== blind, 'nor whether a song is liked')
    for (const id of ['li-daily', 'li-radar', 'li-liked']) t.equal((await play(server, 'getPlaylist', { ...way, id })).status, way.apiKey === blind ? 'failed' : 'ok')
  }
  t.match(await play(server, 'search3', { apiKey: blind, query: 'light' }), { status: 'ok' })
})

t.test('the form of the request: GET and POST, .view, XML as the default, JSONP', async (t) => {
  const { demo, accounts, secrets } = await household(t)
  const server = await relay(t, demo, { accounts })
  const proof = { u: 'child', p: secrets.child }
  const form = async (path: string, given: Record<string, string>): Promise<string> =>
    (await server.get(path, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: queryOf(given) })).text
  const xml = (await server.get(`/rest/getAlbum.view?${queryOf({ ...proof, id: 'al-00DemoAlbu0001' })}`)).text
  t.match(xml, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<subsonic-response xmlns="http:\/\/subsonic.org\/restapi" status="ok" .*<album id="al-00DemoAlbu0001"/)
  t.equal(await form('/rest/getAlbum', { ...proof, id: 'al-00DemoAlbu0001' }), xml)
  t.equal(await form('/rest/getAlbum.view?id=al-00DemoAlbu0001', proof), xml, 'query and form together')
  t.equal(await form('/rest/getAlbum?id=al-1', { ...proof, id: 'al-00DemoAlbu0001' }), xml, 'the form counts')
  const jsonp = await server.get(`/rest/ping?${queryOf({ ...proof, f: 'jsonp', callback: 'player.took' })}`)
  t.match(jsonp.headers.get('content-type'), 'application/javascript')
  t.match(jsonp.text, /^\/\*\*\/player\.took\(\{"subsonic-response":\{"status":"ok".*\}\);$/)
  t.match(await play(server, 'ping', tokenOf('guest', '')), { error: { code: 40 } }, 'no password is no empty one')
  t.match(await play(server, 'ping', { u: 'guest', p: 'x' }), { error: { code: 40 } }, 'nor any other')
  for (const callback of ['', 'alert(1)//', 'a b', 'a.', 'a..b']) t.match((await server.get(`/rest/ping?${queryOf({ ...proof, f: 'jsonp', callback })}`)).text, /code="10"/)
  for (const [type, body] of [['application/json', '['], ['application/json', '{"u":{"a":1},"p":5}'], ['text/plain', 'x']] as const) {
    t.match((await server.get('/rest/ping', { method: 'POST', headers: { 'content-type': type }, body })).text, /status="failed".*code="10"/)
    t.match((await server.get(`/rest/ping?${queryOf(proof)}`, { method: 'POST', headers: { 'content-type': type }, body })).text, /status="ok"/)
  }
  t.match(await server.get('/rest/ping', { method: 'PUT' }), { status: 405 })
  t.match(await play(server, 'getLyricsBySongIdd', proof), { http: 404, error: { code: 0 } })
  t.match(await play(server, 'toString', proof), { http: 404 })
})
