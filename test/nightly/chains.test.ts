/**
 * Every list of fallbacks under every failure of a call: the answer stays the same and names its source. Searches
 * have tests of their own (search-links.test.ts, mv.test.ts).
 */
import { inspect } from 'node:util'
import t from 'tap'
import { cookieOf, demoFor, serverFor } from '../support/helper.ts'
import type { Fault } from '../../src/demo/types.ts'
import { registry } from '../../src/endpoints/index.ts'
import type { RelayOptions } from '../../src/library/relay.ts'
import type { RelayFunctions } from '../../src/common/types.ts'

/** A call or fallback: its name in this project, and its upstream name. */
type Link = readonly [name: string, wire: string]

interface Chain<Facts = (body: unknown) => unknown> {
  readonly path: string
  /** The call and its fallbacks, in the order in which they are sent. */
  readonly links: readonly Link[]
  /**
   * The part of an answer that is the same for all alternatives, if one knows less or sorts differently. Default:
   * everything.
   */
  readonly facts?: Facts
  readonly login?: true
  /** The first two links are one call, sent as the phone program and as the web. */
  readonly twice?: true
  /** Number of requests that a broken host fails. Lower if another alternative in between uses the same host. */
  readonly broken?: number
  /** Failures that look like a regular answer if all calls have them, with the status and the source. */
  readonly allDead?: Readonly<Record<string, readonly [status: number, source: string | null]>>
}

/** The protocol has no other form for "there is none": see docs/decisions/0009. */
const unknownLooksBlocked = { 'is blocked without a word': [404, null] } as const

type RecordOf<K extends keyof RelayFunctions> = Awaited<ReturnType<RelayFunctions[K]>>

/**
 * The fallbacks of this endpoint. `facts` is typed by its record, because a misspelt field would be absent, hence
 * equal, in all answers.
 */
function chain<K extends keyof RelayFunctions> (name: K, { facts, ...rest }: Chain<(record: RecordOf<K>) => unknown>): Chain {
  const { envelope } = registry[name]
  return facts === undefined ? rest : { ...rest, facts: (body) => facts(envelope.unwrap(body) as RecordOf<K>) }
}

const everything = (body: unknown): unknown => body
const album = '00DemoAlbu0009'

const chains: Readonly<Record<string, Chain>> = {
  'a chart': chain('getRanks', {
    path: '/getRanks?topId=62&limit=3',
    links: [['chart.detail', 'music.musicToplist.Toplist/GetDetail'], ['chart.detail.older', 'musicToplist.ToplistInfoServer/GetDetail'], ['chart.classic', '/v8/fcg-bin/fcg_v8_toplist_cp.fcg']],
    facts: ({ songInfoList, topList }) => [songInfoList, topList?.id]
  }),
  'the list of charts': chain('getRanks', {
    path: '/getRanks?limit=1',
    links: [['chart.all', 'music.musicToplist.Toplist/GetAll'], ['chart.all.older', 'musicToplist.ToplistInfoServer/GetAll'], ['chart.all.classic', '/v8/fcg-bin/fcg_myqq_toplist.fcg']],
    facts: ({ topLists }) => topLists?.map(({ id }) => id).sort()
  }),
  'a past chart': chain('getRanks', {
    path: '/getRanks?topId=5&limit=3&period=2026_30',
    links: [['chart.detail', 'music.musicToplist.Toplist/GetDetail'], ['chart.detail.older', 'musicToplist.ToplistInfoServer/GetDetail']]
  }),
  'the issues of a chart': chain('getRankPeriods', {
    path: '/getRankPeriods?topId=5',
    links: [['chart.all', 'music.musicToplist.Toplist/GetAll'], ['chart.all.older', 'musicToplist.ToplistInfoServer/GetAll']]
  }),
  'a song': chain('getSongInfo', {
    path: '/getSongInfo?songmid=00DemoSong0001',
    links: [['song.detail', 'music.pf_song_detail_svr/get_song_detail_yqq'], ['song.tracks', 'music.trackInfo.UniformRuleCtrl/CgiGetTrackInfo'], ['song.classic', '/v8/fcg-bin/fcg_play_single_song.fcg']],
    facts: ({ songinfo }) => songinfo.data.track_info
  }),
  'a play URL': chain('getMusicPlay', {
    path: '/getMusicPlay?songmid=00DemoSong0001',
    links: [['play.vkey', 'vkey.GetVkeyServer/CgiGetVkey'], ['play.vkey.newer', 'music.vkey.GetVkey/UrlGetVkey']],
    facts: ({ url }) => url.split('?')[0],
    allDead: { 'is refused by risk control': [200, 'song.detail'] } // with that as its reason
  }),
  'a download URL': chain('downloadProviderMusic', {
    path: '/downloadProviderMusic?songmid=00DemoSong0001',
    links: [['play.vkey', 'vkey.GetVkeyServer/CgiGetVkey'], ['play.vkey.newer', 'music.vkey.GetVkey/UrlGetVkey']],
    facts: ({ url }) => url.split('?')[0],
    allDead: { 'is refused by risk control': [200, 'song.detail'] }
  }),
  'a lyric': chain('getLyric', {
    path: '/getLyric/00DemoSong0001',
    links: [['lyric.classic', '/lyric/fcgi-bin/fcg_query_lyric_new.fcg'], ['lyric.musicu', 'music.musichallSong.PlayLyricInfo/GetPlayLyricInfo']],
    allDead: { 'is blocked without a word': [200, 'song.detail'] } // how a song without a lyric looks
  }),
  'an album': chain('getAlbumInfo', {
    path: `/getAlbumInfo?albummid=${album}`,
    links: [['album.detail', 'music.musichallAlbum.AlbumInfoServer/GetAlbumDetail'], ['album.classic', '/v8/fcg-bin/fcg_v8_album_info_cp.fcg'], ['album.classic.detail', '/v8/fcg-bin/fcg_v8_album_detail_cp.fcg']],
    allDead: unknownLooksBlocked
  }),
  'the songs of an album': chain('getAlbumInfo', {
    path: `/getAlbumInfo?albummid=${album}`,
    links: [['album.songs', 'music.musichallAlbum.AlbumSongList/GetAlbumSongList'], ['album.classic', '/v8/fcg-bin/fcg_v8_album_info_cp.fcg'], ['album.classic.detail', '/v8/fcg-bin/fcg_v8_album_detail_cp.fcg']],
    allDead: unknownLooksBlocked
  }),
  'hot words': chain('getHotkey', {
    path: '/getHotkey',
    links: [['hotkeys.desktop', 'tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC'], ['hotkeys.classic', '/splcloud/fcgi-bin/gethotkey.fcg'], ['hotkeys.phone', 'music.musicsearch.HotkeyService/GetHotkeyForQQMusicMobile']]
  }),
  'playlists': chain('getSongLists', {
    path: '/getSongLists?limit=3',
    broken: 1,
    links: [['playlists.classic', '/splcloud/fcgi-bin/fcg_get_diss_by_tag.fcg'], ['playlists.square', 'playlist.PlayListPlazaServer/get_playlist_by_tag']]
  }),
  'a playlist': chain('getSongListDetail', {
    path: '/getSongListDetail?disstid=7700000001&limit=3',
    // A further call answers the owner of a playlist only: see playlists.test.ts.
    links: [['playlist.detail', 'music.srfDissInfo.DissInfo/CgiGetDiss'], ['playlist.detail.sibling', 'music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo'], ['playlist.detail.whole', '/v8/fcg-bin/fcg_v8_playlist_cp.fcg'], ['playlist.detail.classic', '/qzone-music/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg']],
    allDead: unknownLooksBlocked
  }),
  'singers': chain('getSingerList', {
    path: '/getSingerList?limit=5',
    links: [['singer.list', 'music.musichallSinger.SingerList/GetSingerListIndex'], ['singer.list.older', 'Music.SingerListServer/get_singer_list'], ['singer.list.whole', 'music.musichallSinger.SingerList/GetSingerList']],
    facts: ({ singers }) => singers.map(({ singerMID }) => singerMID)
  }),
  'a singer': chain('getSingerDesc', {
    path: '/getSingerDesc?singermid=00DemoSing0001',
    links: [['singer.detail', 'music.musichallSinger.SingerInfoInter/GetSingerDetail'], ['singer.desc.classic', '/splcloud/fcgi-bin/fcg_get_singer_desc.fcg']],
    facts: (singer) => ({ ...singer, singerPic: '' })
  }),
  'songs of a singer': chain('getSingerHotsong', {
    path: '/getSingerHotsong?singermid=00DemoSing0001&limit=3',
    links: [['singer.songs', 'musichall.song_list_server/GetSingerSongList'], ['singer.songs.other', 'music.musichallSong.SongListInter/GetSingerSongList'], ['singer.songs.older', 'music.web_singer_info_svr/get_singer_detail_info']]
  }),
  'albums of a singer': chain('getSingerAlbum', {
    path: '/getSingerAlbum?singermid=00DemoSing0001&limit=3',
    links: [['singer.albums', 'music.musichallAlbum.AlbumListServer/GetAlbumList'], ['singer.albums.older', 'music.web_singer_info_svr/get_singer_album'], ['singer.albums.classic', '/v8/fcg-bin/fcg_v8_singer_album.fcg']],
    facts: ({ singerMid, total, albumList }) => [singerMid, total, albumList.length]
  }),
  'MVs of a singer': chain('getSingerMv', {
    path: '/getSingerMv?singermid=00DemoSing0001&limit=5',
    links: [['singer.mvs', 'MvService.MvInfoProServer/GetSingerMvList'], ['singer.mvs.classic', '/mv/fcgi-bin/fcg_singer_mv.fcg']],
    facts: ({ total, list }) => [total, list.map(({ vid }) => vid)]
  }),
  'similar singers': chain('getSimilarSinger', {
    path: '/getSimilarSinger?singermid=00DemoSing0001',
    links: [['singer.similar', 'music.SimilarSingerSvr/GetSimilarSingerList'], ['singer.similar.classic', '/v8/fcg-bin/fcg_v8_simsinger.fcg']],
    facts: ({ singers }) => singers.map(({ singerMID }) => singerMID)
  }),
  'fans of a singer': chain('getSingerStarNum', {
    path: '/getSingerStarNum?singermid=00DemoSing0001',
    links: [['singer.fans.page', 'music.web_singer_info_svr/get_singer_detail_info'], ['singer.fans.classic', '/rsc/fcgi-bin/fcg_order_singer_getnum.fcg'], ['singer.homepage', 'music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageHeader']]
  }),
  'the files of an MV': chain('getMvPlay', {
    path: '/getMvPlay?vid=demoV000004',
    links: [['mv.urls', 'music.stream.MvUrlProxy/GetMvUrls'], ['mv.urls.older', 'gosrf.Stream.MvUrlProxy/GetMvUrls']],
    facts: ({ urls }) => urls.length
  }),
  'MVs of a region': chain('getMvByTag', {
    path: '/getMvByTag?tag=korea&limit=3',
    links: [['mv.list', 'MvService.MvInfoProServer/GetAllocMvInfo'], ['mv.tag.classic', '/mv/fcgi-bin/getmv_by_tag']],
    facts: ({ list }) => list.length
  }),
  'radios': chain('getRadioLists', {
    path: '/getRadioLists',
    links: [['radios', 'pf.radiosvr/GetRadiolist'], ['radios.classic', '/v8/fcg-bin/fcg_v8_radiolist.fcg']]
  }),
  'a station': chain('getRadioSongs', {
    path: '/getRadioSongs?radioId=199&limit=3',
    login: true,
    links: [['radio.songs', 'pf.radiosvr/GetRadiosonglist'], ['radio.songs.older', 'mb_track_radio_svr/get_radio_track']],
    facts: ({ songs }) => songs.length,
    allDead: unknownLooksBlocked
  }),
  'the personal station': chain('getPersonalRadio', {
    path: '/getPersonalRadio?limit=3',
    login: true,
    links: [['radio.personal', 'music.radioProxy.MbTrackRadioSvr/get_radio_track'], ['radio.personal.older', 'mb_track_radio_svr/get_radio_track']],
    facts: ({ songs }) => songs.length
  }),
  'comments': chain('getComments', {
    path: '/getComments?id=5000001&reqtype=3&pagesize=3',
    links: [['comments.GetHotCommentList', 'music.globalComment.CommentRead/GetHotCommentList'], ['comments.classic', '/base/fcgi-bin/fcg_global_comment_h5.fcg']],
    facts: ({ comment }) => [comment.total, comment.list.map(({ nick, content }) => [nick, content])]
  }),
  'similar songs': chain('getSimilarSongs', {
    path: '/getSimilarSongs?songmid=00DemoSong0001',
    twice: true,
    links: [['song.similar', 'music.recommend.TrackRelationServer/GetSimilarSongs'], ['song.similar.web', 'music.recommend.TrackRelationServer/GetSimilarSongs'], ['song.similar.older', 'rcmusic.similarSongRadioServer/get_simsongs']],
    facts: ({ songmid }) => songmid,
    allDead: { 'is blocked without a word': [200, 'song.detail'] } // how a song looks that nothing resembles
  }),
  'collected playlists': chain('getUserCollectedPlaylists', {
    path: '/user/getUserCollectedPlaylists?limit=3',
    login: true,
    links: [['user.collected.playlists', 'music.musicasset.PlaylistFavRead/CgiGetPlaylistFavInfo'], ['user.collected.playlists.classic', '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg']],
    facts: ({ playlists }) => playlists // the classic total counts a reserved folder
  }),
  'collected albums': chain('getUserCollectedAlbums', {
    path: '/user/getUserCollectedAlbums?limit=3',
    login: true,
    links: [['user.collected.albums', 'music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo'], ['user.collected.albums.classic', '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg']]
  }),
  'the daily playlist': chain('getDailyRecommend', {
    path: '/getDailyRecommend',
    login: true,
    links: [['daily.folder', 'music.srfDissInfo.DissInfo/CgiGetDiss'], ['daily.page', '/node/musicmac/v6/index.html'], ['feed', 'music.recommend.RecommendFeed/get_recommend_feed'], ['feed.older', 'recommend.RecommendFeedServer/get_recommend_feed'], ['radio.personal', 'music.radioProxy.MbTrackRadioSvr/get_radio_track'], ['radio.personal.older', 'mb_track_radio_svr/get_radio_track']],
    facts: ({ songs }) => songs.length > 0
  })
}

const isClassic = (wire: string): boolean => wire.startsWith('/')

/** An empty answer instead of data: how a call looks that the upstream blocks silently. */
const blocked = (wire: string): Fault => isClassic(wire) ? { mutate: () => ({ code: 0, subcode: 0 }) } : { mutate: (answer) => ({ ...answer, data: {} }) }

const ways: Readonly<Record<string, (wire: string) => Fault>> = {
  'answers a page of HTML': () => ({ body: '<html>gone</html>' }),
  'is retired': () => ({ code: 500003 }),
  'is refused to this platform': () => ({ code: 104403 }),
  'is refused by risk control': () => ({ code: 2001 }),
  'is blocked without a word': blocked,
  'is gone (404)': () => ({ status: 404 }),
  'breaks off': () => ({ reset: true }),
  'fails (500)': () => ({ status: 500 })
}

/** Disables circuit breakers and budgets, which have tests of their own. Here each answer counts alone. */
const patient: RelayOptions = { tuning: { circuitFailures: 1_000_000, circuitSamples: 1_000_000, fallbackFailures: 1_000_000, retryBurst: 10_000, retryDelayMinMs: 1, retryDelayMaxMs: 1 } }

for (const [what, { path, links, facts = everything, login, twice, broken = 100, allDead = {} }] of Object.entries(chains)) {
  t.test(`${what}: dead calls change nothing but the header`, async (t) => {
    const demo = await demoFor(t, twice === true ? { trustDevices: true } : {})
    const server = await serverFor(t, demo, patient)
    const headers = login === true ? { 'x-custom-cookie': demo.accounts[0]?.cookie ?? '' } : {}
    const sourcesOf = (text: string | null): string[] => text?.split(', ') ?? []

    const healthy = await server.get(path, { headers })
    t.equal(healthy.status, 200)
    t.notOk(inspect(facts(healthy.body), { depth: null }).includes('undefined'), 'there is something to compare')
    t.ok(sourcesOf(healthy.headers.get('x-relay-source')).includes(links[0]?.[0] ?? ''), healthy.headers.get('x-relay-source') ?? 'no source')

    for (const [way, fault] of Object.entries(ways)) {
      // A broken connection leaves one further attempt, whichever call it is for.
      const once = ['breaks off', 'fails (500)'].includes(way)
      const most = once ? 1 : links.length - 1
      for (let dead = 1; dead <= most; dead++) {
        demo.reset()
        for (const [, wire] of links.slice(0, dead)) demo.next(wire, fault(wire), twice === true ? 1 : once ? broken : 100)
        const reply = await server.get(path, { headers })
        const sources = sourcesOf(reply.headers.get('x-relay-source'))
        const said = `${links[dead - 1]?.[0]} ${way}`
        if (!t.equal(reply.status, 200, `${said}: ${reply.text.slice(0, 200)}`)) continue
        t.same(facts(reply.body), facts(healthy.body), said)
        t.ok(sources.includes(links[dead]?.[0] ?? ''), `${said}: ${sources.join(', ')}`)
        t.notOk(links.slice(0, dead).some(([name]) => sources.includes(name)), `${said}: nothing dead is named`)
      }
      demo.reset()
      for (const [, wire] of links) demo.next(wire, fault(wire), 100)
      const none = await server.get(path, { headers })
      const [status, source] = allDead[way] ?? [502, null]
      t.equal(none.status, status, `all: ${way}: ${none.text.slice(0, 160)}`)
      t.equal(none.headers.get('x-relay-source'), source)
    }
  })
}

t.test('what is kept says where it came from, and so does a batch that is made of copies', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { cache: true })
  const asked = async (): Promise<(string | null)[]> => {
    const { headers } = await server.get('/getLyric/00DemoSong0001')
    return [headers.get('x-cache'), headers.get('x-relay-source')]
  }
  demo.next('/lyric/fcgi-bin/fcg_query_lyric_new.fcg', { code: 500003 })
  t.same([await asked(), await asked()], [['MISS', 'lyric.musicu'], ['HIT', 'lyric.musicu']])

  const songs = ['00DemoSong0001', '00DemoSong0002'].map((mid) => [mid])
  demo.next('music.pf_song_detail_svr/get_song_detail_yqq', { code: 500003 })
  await server.get('/getSongInfo?songmid=00DemoSong0001')
  const batch = await server.post('/batchGetSongInfo', { songs })
  t.equal(batch.headers.get('x-relay-source'), 'song.detail, song.tracks')
})

t.test('when the host refuses connections all calls are dead, and one clear error says so', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, patient)
  await demo.close()
  for (const { path, login } of Object.values(chains)) {
    const reply = await server.get(path, login === true ? { headers: { 'x-custom-cookie': demo.accounts[0]?.cookie ?? '' } } : {})
    t.match(reply, { status: 502, body: { code: 'UPSTREAM_UNREACHABLE' } }, path)
  }
})

t.test('a list that is said to have rows and sends none is blocked: the next call is asked; a filter that fits nobody is not', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, patient)
  const lists = { 'singers': 'singerlist', 'songs of a singer': 'songList', 'albums of a singer': 'albumList', 'MVs of a singer': 'list' } as const
  for (const [what, rows] of Object.entries(lists)) {
    const { path, links: [[, first], [second]], facts = everything } = chains[what] as Chain & { links: [Link, Link] }
    const healthy = await server.get(path)
    for (const nothing of [null, []]) {
      demo.next(first, { mutate: (answer) => { answer.data[rows] = nothing } })
      const reply = await server.get(path)
      t.equal(reply.headers.get('x-relay-source'), second, what)
      t.same(facts(reply.body), facts(healthy.body), what)
    }
  }
  const [, older] = chains['singers']?.links ?? []
  demo.next('music.musichallSinger.SingerList/GetSingerListIndex', { mutate: (answer) => { answer.data = { ...answer.data, singerlist: [], total: 0 } } }, 2)
  t.equal((await server.get('/getSingerList')).headers.get('x-relay-source'), older?.[0], 'there are always some')
  const none = await server.get('/getSingerList?area=6')
  t.same([none.status, none.headers.get('x-relay-source'), none.body.data.singers, none.body.data.total], [200, 'singer.list', [], 0])
  for (const data of [{}, { total: 7, list: null }]) {
    demo.next('MvService.MvInfoProServer/GetAllocMvInfo', { mutate: (answer) => ({ ...answer, data }) })
    t.match(await server.get('/getMv'), { status: 502, body: { code: 'UPSTREAM_EMPTY' } }, 'and where no other call gives the same, that is said')
  }
  const beyond = await server.get('/getSingerHotsong?singermid=00DemoSing0001&page=50')
  t.match(beyond, { status: 200, body: { data: { songList: [] } } }, 'a page beyond the end is no block')
})

t.test('a call that is dead time after time is left alone for a while, then looked at by one request, wherever it stands in a chain', async (t) => {
  for (const what of ['a lyric', 'singers', 'a singer', 'the files of an MV', 'radios'] as const) {
    const { path, links: [[first, wire]] } = chains[what] as Chain & { links: [Link] }
    let clock = 0
    const demo = await demoFor(t)
    const server = await serverFor(t, demo, { tuning: { fallbackFailures: 3, fallbackPauseMs: 1000 }, now: () => clock })
    const asksItFor = async (headers = {}): Promise<boolean> => {
      const before = demo.calls(wire).length
      t.match(await server.get(path, { headers }), { status: 200 }, what)
      return demo.calls(wire).length > before
    }
    demo.next(wire, { code: 500003 }, 1000)
    t.same([await asksItFor(), await asksItFor(), await asksItFor(), await asksItFor()], [true, true, true, false], `${what}: three failures are enough`)
    t.equal(await asksItFor({ 'x-custom-cookie': cookieOf(demo, 'member') }), true, `${what}: who is logged in may have better luck`)
    clock += 1001
    t.same([await asksItFor(), await asksItFor()], [true, false], `${what}: one request looks after the pause`)
    demo.reset()
    clock += 1001
    const back = await server.get(path)
    t.match(back.headers.get('x-relay-source'), first, `${what}: it is back`)
    t.equal(await asksItFor(), true)
  }
})

t.test('after a timeout, and for what the caller got wrong, no other call is tried', async (t) => {
  const demo = await demoFor(t)
  const slow = await serverFor(t, demo, { ...patient, deadlineMs: 150 })
  for (const what of ['singers', 'a singer', 'the files of an MV', 'MVs of a region', 'comments', 'radios'] as const) {
    const { path, links: [[, first], [, second]] } = chains[what] as Chain & { links: [Link, Link] }
    demo.reset()
    demo.next(first, { hang: true })
    t.match(await slow.get(path), { status: 504, body: { code: 'UPSTREAM_TIMEOUT' } }, what)
    t.equal(demo.calls(second).length, 0, what)
  }
  const server = await serverFor(t, demo, patient)
  for (const what of ['a singer', 'songs of a singer', 'albums of a singer', 'similar singers'] as const) {
    const { path, links: [[, first]] } = chains[what] as Chain & { links: [Link] }
    demo.reset()
    demo.next(first, { code: 104400 })
    t.match(await server.get(path), { status: 404, body: { code: 'NOT_FOUND' } }, what)
    t.equal(demo.received.length, 1, what)
  }
})

t.test('a broken host costs a chain two requests, however many calls it has, and a failing one each call once', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, patient)
  for (const fault of [{ status: 503 }, { reset: true }] satisfies Fault[]) {
    for (const [what, { path, links, login }] of Object.entries(chains)) {
      // The song, the words or the account are looked up at the same time, or before.
      if (login === true || ['a play URL', 'a download URL', 'a lyric', 'the list of charts', 'an album', 'the songs of an album', 'similar songs'].includes(what)) continue
      demo.reset()
      for (const [, wire] of links) demo.next(wire, fault, 100)
      t.match(await server.get(path), { status: 502, body: { code: 'UPSTREAM_UNREACHABLE' } }, what)
      // Two chains have one call more than their links here.
      const most = 'reset' in fault ? 2 : links.length + 1
      t.ok(demo.received.length <= most, `${what}: ${demo.received.length} requests`)
    }
  }
})

t.test('one host is asked at its pace: who would wait too long is told to come back', async (t) => {
  let clock = 0
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { upstreamRatePerHost: 1, tuning: { upstreamBurstSeconds: 2, upstreamQueueMs: 500 }, now: () => clock })
  const ask = async (): Promise<number> => (await server.get('/getHotkey')).status
  t.same([await ask(), await ask()], [200, 200], 'a few may go at once')
  const late = await server.get('/getHotkey')
  t.match(late, { status: 503, body: { code: 'OVERLOADED' } })
  t.equal(late.headers.get('retry-after'), '1')
  t.equal((await server.get('/getSongLists?limit=1')).status, 200, 'another host has its own pace')
  t.equal(demo.received.length, 3)
  clock += 600
  t.equal(await ask(), 200, 'a turn that is near is waited for')
  clock += 1000
  t.equal(await ask(), 200)
})
