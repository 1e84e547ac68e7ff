/** Recommendations: what an account gets, the fallbacks of each source, and the answer to an expired cookie. */
import type { DemoAccount, DemoUpstream } from '../../src/demo/upstream.ts'
import type { Fault } from '../../src/demo/types.ts'
import { cookieOf, dead, demoFor } from '../support/helper.ts'
import { relayFor, sharedStage } from '../support/stage.ts'
import {
  feed, feedOlder, lightDaily, macPage, personalRadio as radio, personalRadioOlder, playlist,
  playlistSibling as sibling, radar, similarSongs as similar, similarSongsOlder, square, whoAmI
} from '../support/wires.ts'

const test = sharedStage('recommendations')

const loginOf = (demo: DemoUpstream, name: DemoAccount['name']): { cookie: string } =>
  ({ cookie: cookieOf(demo, name) })
const mids = (songs: { mid: string }[]): string[] => songs.map(({ mid }) => mid)
const refused = { code: 500003 }
const noLogin = { body: '<html>no login</html>' }

/** Fails the request for the folder of the day. The request for a playlist is the same call, and comes later. */
const withoutFolder = (demo: DemoUpstream, page: Fault = noLogin): void => {
  demo.next(playlist, refused)
  demo.next(macPage, page)
}

test('the songs of the day are a folder of the account', async ({ t, demo, relay, server }) => {
  const login = loginOf(demo, 'ordinary')
  const { headers, body } = await server.get('/getDailyRecommend', { headers: { 'x-custom-cookie': login.cookie } })
  t.same([headers.get('cache-control'), headers.get('x-relay-source')], ['no-store', 'user.whoami, daily.folder'])
  const { dissid, dissname, songs } = body.body.response
  t.match({ dissid, dissname, songs }, { dissid: /^77\d{8}$/, dissname: '每日30首', songs: { length: 30 } })
  const shown = await relay.getSongListDetail({ disstid: dissid }, login)
  t.same(mids(songs), shown.songlist.map(({ songmid }) => songmid))
  t.not((await relay.getDailyRecommend({}, loginOf(demo, 'member'))).dissid, dissid, 'another account gets another playlist')
  demo.next(playlist, { mutate: (answer) => { answer.data.dirinfo.id = 0 } })
  t.match(await relay.getDailyRecommend({}, login), {
    dissid: /^$/, dissname: '每日30首', songs: { length: 30 }
  }, 'a folder without an id')
})

test('the feed is asked the way the Windows program asks, the playlist with the same cookie', async ({ t, demo, relay }) => {
  withoutFolder(demo)
  await relay.getDailyRecommend({}, loginOf(demo, 'ordinary'))
  t.match(demo.calls(feed)[0]?.body, {
    comm: {
      ct: 20, cv: 1770, platform: 'wk_v17', uin: '1000000101', g_tk: Number, format: 'json', inCharset: 'utf-8',
      outCharset: 'utf-8', uid: '', guid: ''
    },
    req_0: { module: 'music.recommend.RecommendFeed', method: 'get_recommend_feed', param: {
      direction: 0, page: 1, v_cache: [], v_uniq: [], s_num: 0
    } }
  })
  const loaded = demo.received.at(-1)
  t.same(loaded?.calls, [whoAmI, playlist])
  t.match(loaded?.body, { req_1: { param: {
    disstid: Number, dirid: 0, song_begin: 0, song_num: 100, tag: 1, userinfo: 1, orderlist: 1, onlysonglist: 0
  } } })
  for (const { headers } of demo.received) t.match(headers['cookie'], /^uin=1000000101; /)
})

test('without the folder, the page and both feeds name the playlist of the day', async ({ t, demo, relay }) => {
  const daily = async (): Promise<unknown[]> => {
    const { dissid, songs } = await relay.getDailyRecommend({}, loginOf(demo, 'ordinary'))
    return [dissid, mids(songs)]
  }
  const usual = await daily()
  for (const fault of [...dead, { mutate: (answer: any) => { answer.data.songlist = [] } }]) {
    demo.reset()
    demo.next(playlist, fault)
    t.same(await daily(), usual, JSON.stringify(fault))
    t.match(demo.calls(macPage), {
      length: 1, 0: { method: 'GET', query: {}, headers: { referer: 'https://y.qq.com/', cookie: /uin=/ } }
    })
    t.equal(demo.calls(feed).length, 0)
  }
  const cardOf = ({ data }: any): any => data.v_shelf[0].v_niche[0].v_card[1]
  const named: readonly (readonly [fault: Fault, olderFeeds: number])[] = [
    [{ mutate: () => {} }, 0],
    ...dead.filter((fault) => !('status' in fault)).map((fault) => [fault, 1] as const),
    [{ mutate: (answer) => { answer.data.v_shelf = answer.data.v_shelf.slice(1) } }, 1],
    [{ mutate: (answer) => { cardOf(answer).id = '0' } }, 1],
    // Only a card that leads to a playlist counts, by its title or its module.
    [{ mutate: (answer) => { Object.assign(cardOf(answer), { title: '今日私享', extra_info: {} }) } }, 0],
    [{ mutate: (answer) => { cardOf(answer).title = 'Another name' } }, 0]
  ]
  for (const [fault, olderFeeds] of named) {
    demo.reset()
    withoutFolder(demo, { status: 404 })
    demo.next(feed, fault)
    t.same(await daily(), usual, JSON.stringify(fault))
    t.same([demo.calls(feed).length, demo.calls(feedOlder).length], [1, olderFeeds])
  }
  demo.reset()
  demo.next(playlist, refused, 2)
  t.same(await daily(), usual, 'loaded by the sibling call')
  t.equal(demo.calls(sibling).length, 1)
})

test('when nothing names a playlist of the day, the light program has its songs', async ({ t, demo, relay }) => {
  const usual = await relay.getDailyRecommend({}, loginOf(demo, 'ordinary'))
  withoutFolder(demo)
  for (const call of [feed, feedOlder]) demo.next(call, refused)
  t.same(await relay.getDailyRecommend({}, loginOf(demo, 'ordinary')), usual)
  t.match(demo.calls(lightDaily)[0]?.body, {
    comm: { ct: 11, tmeAppID: 'qqmusiclight', uin: '1000000101', authst: /^Q_H_L_/ },
    req_0: { param: {
      disstid: 0, dirid: 202, onlysonglist: 0, song_begin: 0, song_num: 2147483647, userinfo: 1, pic_dpi: 800,
      orderlist: 1
    } }
  })
})

test('without a playlist of the day the personal station plays', async ({ t, demo, relay }) => {
  const daily = async (prepare: () => void): Promise<void> => {
    demo.reset()
    prepare()
    const { dissid, dissname, songs } = await relay.getDailyRecommend({}, loginOf(demo, 'ordinary'))
    t.same([dissid, dissname, songs.length], ['', '', 5])
  }
  const noCard = (): void => {
    withoutFolder(demo)
    for (const call of [feed, feedOlder]) demo.next(call, { mutate: (answer) => { answer.data.v_shelf = null } })
    demo.next(lightDaily, refused)
  }
  await daily(noCard)
  t.match(demo.calls(radio)[0]?.body, { req_0: { param: { id: 99, num: 10, from: 0, scene: 0, song_ids: [] } } })
  await daily(() => {
    noCard()
    demo.next(radio, refused)
  })
  t.match(demo.calls(personalRadioOlder)[0]?.body, { req_0: { param: { id: 99, firstplay: 1, num: 15 } } })
  await daily(() => { for (const [call, times] of [[playlist, 2], [sibling, 1]] as const) {
    demo.next(call, { mutate: (answer) => { answer.data.songlist = [] } }, times)
  } })
})

test('personal recommendations are songs and playlists, and survive the loss of a source', async ({ t, demo, relay, server }) => {
  const login = loginOf(demo, 'member')
  const { headers, body } = await server.get('/getPersonalRecommend', { headers: { 'x-custom-cookie': login.cookie } })
  t.equal(headers.get('cache-control'), 'no-store')
  t.match(body.body.response, { songs: { length: 10 }, hasMore: true, playlists: {
    1: { dissid: /^77\d{8}$/, dissname: /./, creator: /^$/, listen_num: Number, imgurl: demo.origin }
  } })
  const ask = async () => await relay.getPersonalRecommend({}, login)
  const kill = (...calls: string[]): void => { for (const call of calls) demo.next(call, refused) }
  const usual = await ask()
  t.ok(usual.playlists.length > 3)
  for (const fault of [...dead, { mutate: (answer: any) => { answer.data.VecSongs = null } }]) {
    demo.next(radar, fault)
    const { songs, playlists } = await ask()
    t.equal(songs.length, 5, JSON.stringify(fault))
    t.notSame(mids(songs), mids(usual.songs))
    t.same(playlists, usual.playlists)
  }
  kill(feed, feedOlder)
  const { playlists } = await ask()
  t.match(playlists, { length: 25, 0: { creator: /./ } })
  t.match(demo.calls(square)[0]?.body, { comm: { ct: 24 }, req_0: { param: { From: 0, Size: 25 } } })
  kill(feed, feedOlder)
  demo.next(square, { mutate: ({ data }: any) => { data.List.push(data.List[0]) } })
  t.same((await ask()).playlists, playlists, 'a playlist that comes twice stays where it stands first')
  kill(feed, feedOlder, square)
  t.same(await ask(), { ...usual, playlists: [] })
  kill(radar, radio, personalRadioOlder)
  await t.rejects(ask(), { code: 'UPSTREAM_REFUSED' })
})

test('without a login there is nothing personal, and a dead cookie is told so', async ({ t, demo, relay, server }) => {
  for (const path of ['/getDailyRecommend', '/getPersonalRecommend']) {
    // A cookie without key is none.
    for (const headers of [{}, { 'x-custom-cookie': 'uin=o1000000101' }]) {
      t.match(await server.get(path, { headers }), { status: 401, body: { code: 'LOGIN_REQUIRED' } }, path)
    }
    t.equal(demo.received.length, 0)
    // A part that is refused first must not promise an answer without a login.
    demo.next(radar, { delayMs: 50 })
    const refused = await server.get(path, { headers: { 'x-custom-cookie': cookieOf(demo, 'expired') } })
    t.match(
      [refused.status, refused.body.code, refused.headers.get('x-relay-warning')], [401, 'COOKIE_REJECTED', null], path
    )
    demo.reset()
  }
  demo.next(radar, { mutate: () => ({ code: 0, data: { VecSongs: [] } }) })
  await t.rejects(relay.getPersonalRecommend({}, loginOf(demo, 'expired')), { code: 'COOKIE_REJECTED' })
})

test('songs like a song come each once; an older call knows them when the newer one is dead or knows none', async ({ t, demo, relay }) => {
  const songmid = '00DemoSong0001'
  const found = await relay.getSimilarSongs({ songmid })
  t.same([found.songid, found.songmid, found.songs.length, new Set(mids(found.songs)).size], [5000001, songmid, 26, 26])
  const trusting = await demoFor(t, { trustDevices: true })
  const phone = relayFor(t, trusting)
  trusting.next(similar, { mutate: ({ data }) => { data.vecSong.push(...data.vecSongNew[0].songs) } })
  t.equal((await phone.getSimilarSongs({ songmid })).songs.length, 26, 'no song twice')
  t.equal(trusting.calls(similar).length, 1)
  trusting.next(similar, { mutate: ({ data }) => { delete data.vecSongNew } })
  t.equal((await phone.getSimilarSongs({ songmid }, loginOf(trusting, 'ordinary'))).songs.length, 11)
  for (const fault of dead) {
    // After a broken host there is one further attempt, which is the same call as the web asks it.
    const broken = 'status' in fault
    demo.next(similar, fault, broken ? 1 : 2)
    t.equal((await relay.getSimilarSongs({ songmid })).songs.length, broken ? 26 : 5, JSON.stringify(fault))
  }
  t.match(demo.calls(similarSongsOlder)[0]?.body, { comm: { ct: 24 }, req_0: {
    module: 'rcmusic.similarSongRadioServer', method: 'get_simsongs', param: { songid: 5000001 }
  } })
  t.equal((await relay.getSimilarSongs({ songmid: '00DemoSong0012' })).songs.length, 5)
  t.same((await relay.getSimilarSongs({ songmid: '00DemoSong0013' })).songs, [], 'a song that nothing is like')
})
