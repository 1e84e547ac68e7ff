/** Recommendations: what an account gets, the fallbacks of each source, and the answer to an expired cookie. */
import type { DemoAccount, DemoUpstream } from '../../src/demo/upstream.ts'
import type { Fault } from '../../src/demo/types.ts'
import { cookieOf, dead, demoFor } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'
import { feed, feedOlder as olderFeed, macPage, personalRadio as radio, personalRadioOlder as olderRadio, playlist, playlistSibling as sibling, radar, similarSongs as similar, similarSongsOlder as olderSimilar, songDetail as detail, square, whoAmI } from '../support/wires.ts'

const loginOf = (demo: DemoUpstream, name: DemoAccount['name']): { cookie: string } => ({ cookie: cookieOf(demo, name) })
const mids = (songs: { mid: string }[]): string[] => songs.map(({ mid }) => mid)

/** Fails the request for the folder of the day. The request for a playlist is the same call, and comes later. */
const withoutFolder = (demo: DemoUpstream): void => { demo.next(playlist, { code: 500003 }) }

test('the songs of the day are a folder of the account', async ({ t, demo, relay, server }) => {
  const cookie = cookieOf(demo, 'ordinary')
  const { status, headers, body } = await server.get('/getDailyRecommend', { headers: { 'x-custom-cookie': cookie } })
  t.equal(status, 200)
  t.equal(headers.get('cache-control'), 'no-store')
  t.equal(headers.get('x-relay-source'), 'user.whoami, daily.folder')
  t.equal(body.status, 200)
  const { dissid, dissname, songs } = body.body.response
  t.match({ dissid, dissname }, { dissid: /^77\d{8}$/, dissname: '每日30首' })
  t.equal(songs.length, 30)
  t.same(demo.received.map(({ calls }) => calls), [[whoAmI, playlist]])
  const asked = demo.received.map(({ body }) => (body as { req_1?: { param: object } }).req_1?.param)
  t.same(asked, [{ disstid: 0, dirid: 202, enc_host_uin: '1000000101', onlysonglist: 0, orderlist: 0, tag: 1, userinfo: 1, is_mobile: 1, new_format: 1 }])
  t.match(demo.received[0]?.body, { comm: { ct: 24, uin: '1000000101' } })
  const shown = await relay.getSongListDetail({ disstid: dissid }, { cookie })
  t.same(mids(songs), shown.songlist.map(({ songmid }) => songmid))
  t.not((await relay.getDailyRecommend({}, loginOf(demo, 'member'))).dissid, dissid, 'another account gets another playlist')
  demo.next(playlist, { mutate: (answer) => { answer.data.dirinfo.id = 0 } })
  t.match(await relay.getDailyRecommend({}, { cookie }), { dissid: '', dissname: '每日30首', songs: { length: 30 } }, 'a folder without an id')
})

test('the feed is asked the way the Windows program asks, the playlist with the same cookie', async ({ t, demo, relay }) => {
  withoutFolder(demo)
  demo.next(macPage, { body: '<html>no login</html>' })
  await relay.getDailyRecommend({}, loginOf(demo, 'ordinary'))
  const [asked] = demo.calls(feed)
  t.match(asked?.body, {
    comm: { ct: 20, cv: 1770, platform: 'wk_v17', uin: '1000000101', g_tk: Number, format: 'json', inCharset: 'utf-8', outCharset: 'utf-8', uid: '', guid: '' },
    req_0: { module: 'music.recommend.RecommendFeed', method: 'get_recommend_feed', param: { direction: 0, page: 1, v_cache: [], v_uniq: [], s_num: 0 } }
  })
  const loaded = demo.received.at(-1)
  t.same(loaded?.calls, [whoAmI, playlist])
  t.match(loaded?.body, { req_1: { param: { disstid: Number, dirid: 0, song_begin: 0, song_num: 100, tag: 1, userinfo: 1, orderlist: 1, onlysonglist: 0 } } })
  for (const { headers } of demo.received) t.match(headers['cookie'], /^uin=1000000101; /)
})

test('without the folder, the page and both feeds name the playlist of the day', async ({ t, demo, relay }) => {
  const login = loginOf(demo, 'ordinary')
  const { dissid, songs } = await relay.getDailyRecommend({}, login)
  const usual = { dissid, songs: mids(songs) }
  const daily = async (): Promise<typeof usual> => {
    const found = await relay.getDailyRecommend({}, login)
    return { dissid: found.dissid, songs: mids(found.songs) }
  }
  for (const fault of [...dead, { mutate: (answer: any) => { answer.data.songlist = [] } }]) {
    demo.reset()
    demo.next(playlist, fault)
    t.same(await daily(), usual, JSON.stringify(fault))
    t.match(demo.calls(macPage), { length: 1, 0: { method: 'GET', query: {}, headers: { referer: 'https://y.qq.com/', cookie: /uin=/ } } })
    t.equal(demo.calls(feed).length, 0)
  }
  demo.reset()
  withoutFolder(demo)
  demo.next(macPage, { status: 404 })
  t.same(await daily(), usual, 'the feed')
  const nameless: readonly Fault[] = [
    ...dead.filter((fault) => !('status' in fault)),
    { mutate: (answer: any) => { answer.data.v_shelf = answer.data.v_shelf.slice(1) } },
    { mutate: (answer: any) => { answer.data.v_shelf[0].v_niche[0].v_card[1].id = '0' } }
  ]
  for (const fault of nameless) {
    demo.reset()
    withoutFolder(demo)
    demo.next(macPage, { status: 404 })
    demo.next(feed, fault)
    t.same(await daily(), usual, `the older feed, after ${JSON.stringify(fault)}`)
    t.equal(demo.calls(olderFeed).length, 1)
  }
  demo.reset()
  demo.next(playlist, { code: 500003 }, 2)
  t.same(await daily(), usual, 'and loaded by the sibling call')
  t.equal(demo.calls(sibling).length, 1)
})

test('only a card that leads to a playlist counts, by its title or its place', async ({ t, demo, relay }) => {
  const login = loginOf(demo, 'ordinary')
  const { dissid } = await relay.getDailyRecommend({}, login)
  const cards = (answer: any): any[] => answer.data.v_shelf[0].v_niche[0].v_card
  const onFeed = async (fault: Fault): Promise<string> => {
    withoutFolder(demo)
    demo.next(macPage, { body: '<html>no login</html>' })
    demo.next(feed, fault)
    return (await relay.getDailyRecommend({}, login)).dissid
  }
  t.equal(await onFeed({ mutate: (answer) => { Object.assign(cards(answer)[1], { title: '今日私享', extra_info: {} }) } }), dissid)
  t.equal(await onFeed({ mutate: (answer) => { cards(answer)[1].title = 'Another name' } }), dissid, 'the module tells when the title does not')
  t.equal(demo.calls(feed).length, 2)
  t.equal(demo.calls(olderFeed).length, 0)
})

test('without a playlist of the day the personal station plays', async ({ t, demo, relay }) => {
  const login = loginOf(demo, 'ordinary')
  const noCard = (): void => {
    withoutFolder(demo)
    for (const call of [feed, olderFeed]) demo.next(call, { mutate: (answer) => { answer.data.v_shelf = null } })
    demo.next(macPage, { body: '<html>no login</html>' })
  }
  noCard()
  const record = await relay.getDailyRecommend({}, login)
  t.match(record, { dissid: '', dissname: '' })
  t.equal(record.songs.length, 5)
  t.match(demo.calls(radio)[0]?.body, { req_0: { param: { id: 99, num: 10, from: 0, scene: 0, song_ids: [] } } })
  noCard()
  demo.next(radio, { code: 500003 })
  t.equal((await relay.getDailyRecommend({}, login)).songs.length, 5)
  t.match(demo.calls(olderRadio)[0]?.body, { req_0: { param: { id: 99, firstplay: 1, num: 15 } } })
  demo.next(playlist, { mutate: (answer) => { answer.data.songlist = [] } }, 2)
  demo.next(sibling, { mutate: (answer) => { answer.data.songlist = [] } })
  t.match(await relay.getDailyRecommend({}, login), { dissid: '', songs: { length: 5 } }, 'a playlist without songs is none')
})

test('personal recommendations are songs and playlists', async ({ t, demo, server }) => {
  const cookie = cookieOf(demo, 'ordinary')
  const { status, headers, body } = await server.get('/getPersonalRecommend', { headers: { 'x-custom-cookie': cookie } })
  t.equal(status, 200)
  t.equal(headers.get('cache-control'), 'no-store')
  const { songs, hasMore, playlists } = body.body.response
  t.equal(songs.length, 10)
  t.equal(hasMore, true)
  t.ok(playlists.length > 3)
  t.match(playlists[1], { dissid: /^77\d{8}$/, dissname: /./, creator: '', listen_num: Number, imgurl: demo.origin })
  const asked = demo.calls(radar)[0]
  t.same(asked?.calls, [whoAmI, radar], 'whose cookie it is, is asked along')
  t.match(asked?.body, { comm: { ct: 24, uin: '1000000101' }, req_1: { module: 'music.recommend.TrackRelationServer', method: 'GetRadarSong', param: { Page: 1, ReqType: 0, FavSongs: [], EntranceSongs: [] } } })
  t.match(demo.calls(feed)[0]?.body, { comm: { ct: 20, platform: 'wk_v17' } })
})

test('personal recommendations survive the loss of a source', async ({ t, demo, relay }) => {
  const login = loginOf(demo, 'member')
  const usual = await relay.getPersonalRecommend({}, login)
  for (const fault of [...dead, { mutate: (answer: any) => { answer.data.VecSongs = null } }]) {
    demo.next(radar, fault)
    const record = await relay.getPersonalRecommend({}, login)
    t.equal(record.songs.length, 5, JSON.stringify(fault))
    t.notSame(mids(record.songs), mids(usual.songs))
    t.same(record.playlists, usual.playlists)
  }
  for (const call of [feed, olderFeed]) demo.next(call, { code: 500003 })
  const fromSquare = await relay.getPersonalRecommend({}, login)
  t.equal(fromSquare.playlists.length, 25)
  t.match(fromSquare.playlists[0]?.creator, /./)
  t.match(demo.calls(square)[0]?.body, { comm: { ct: 24 }, req_0: { param: { From: 0, Size: 25 } } })
  for (const call of [feed, olderFeed]) demo.next(call, { code: 500003 })
  demo.next(square, { mutate: ({ data }: any) => { data.List.push(data.List[0]) } })
  t.same((await relay.getPersonalRecommend({}, login)).playlists, fromSquare.playlists, 'a playlist that comes twice stays where it stands first')
  for (const call of [feed, olderFeed, square]) demo.next(call, { code: 500003 })
  t.same(await relay.getPersonalRecommend({}, login), { ...usual, playlists: [] })
  for (const call of [radar, radio, olderRadio]) demo.next(call, { code: 500003 })
  await t.rejects(relay.getPersonalRecommend({}, login), { code: 'UPSTREAM_REFUSED' })
})

test('without a login there is nothing personal, and a dead cookie is told so', async ({ t, demo, relay, server }) => {
  for (const path of ['/getDailyRecommend', '/getPersonalRecommend']) {
    t.match(await server.get(path), { status: 401, body: { code: 'LOGIN_REQUIRED' } }, path)
    t.match(await server.get(path, { headers: { 'x-custom-cookie': 'uin=o1000000101' } }), { status: 401 }, 'a cookie without key is none')
    t.equal(demo.received.length, 0)
    t.match(await server.get(path, { headers: { 'x-custom-cookie': cookieOf(demo, 'expired') } }), { status: 502, body: { code: 'COOKIE_REJECTED' } }, path)
    demo.reset()
  }
  demo.next(radar, { mutate: () => ({ code: 0, data: { VecSongs: [] } }) })
  await t.rejects(relay.getPersonalRecommend({}, loginOf(demo, 'expired')), { code: 'COOKIE_REJECTED' })
})

test('songs like a song, asked for by its number', async ({ t, demo, server }) => {
  const { status, body } = await server.get('/getSimilarSongs?songmid=00DemoSong0001')
  t.equal(status, 200)
  const { songid, songmid, songs } = body.body.response
  t.match({ songid, songmid }, { songid: 5000001, songmid: '00DemoSong0001' })
  t.equal(songs.length, 26)
  t.equal(new Set(mids(songs)).size, 26)
  t.match(demo.calls(detail)[0]?.body, { req_0: { param: { song_mid: '00DemoSong0001' } } })
  for (const [at, ct] of [11, 24].entries()) {
    t.match(demo.calls(similar)[at]?.body, { comm: { ct }, req_0: { module: 'music.recommend.TrackRelationServer', method: 'GetSimilarSongs', param: { songid: 5000001 } } }, 'as a phone without a session, then as the web')
  }
  const trusting = await demoFor(t, { trustDevices: true })
  const relay = relayFor(t, trusting)
  trusting.next(similar, { mutate: (answer) => { answer.data.vecSong.push(...answer.data.vecSongNew[0].songs) } })
  t.equal((await relay.getSimilarSongs({ songmid })).songs.length, 26, 'no song twice')
  t.equal(trusting.calls(similar).length, 1)
  trusting.next(similar, { mutate: (answer) => { delete answer.data.vecSongNew } })
  t.equal((await relay.getSimilarSongs({ songmid }, loginOf(trusting, 'ordinary'))).songs.length, 11)
})

test('an older call knows similar songs when the newer one is dead or knows none', async ({ t, demo, relay }) => {
  for (const fault of dead) {
    // After a broken host there is one further attempt, which is the same call as the web asks it.
    const broken = 'status' in fault
    demo.next(similar, fault, broken ? 1 : 2)
    const record = await relay.getSimilarSongs({ songmid: '00DemoSong0001' })
    t.equal(record.songs.length, broken ? 26 : 5, JSON.stringify(fault))
  }
  t.match(demo.calls(olderSimilar)[0]?.body, { comm: { ct: 24 }, req_0: { module: 'rcmusic.similarSongRadioServer', method: 'get_simsongs', param: { songid: 5000001 } } })
  t.equal((await relay.getSimilarSongs({ songmid: '00DemoSong0012' })).songs.length, 5)
  t.same((await relay.getSimilarSongs({ songmid: '00DemoSong0013' })).songs, [], 'a song that nothing is like')
})
