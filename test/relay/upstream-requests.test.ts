/**
 * What one answer asks of the upstream when nothing is cached and all is well: how many requests, for every endpoint
 * (one, unless the table says otherwise; whoever adds a question adds a number here, and says why), and in which form.
 */
import t from 'tap'
import type { DemoAccount } from '../../src/demo/upstream.ts'
import { cookieOf, demoFor, endpoints, memberUin, relayFor, song } from '../support/helper.ts'
import type { Relay } from '../../src/library/relay.ts'
import { exactly, partOf } from '../support/partOf.ts'
import * as wires from '../support/wires.ts'

interface Row { readonly requests: number, readonly input?: object, readonly account?: DemoAccount['name'] }

const singermid = '00DemoSing0001'

/** The example of the endpoint, without a login where none is required; then other inputs. */
const table: Readonly<Record<string, readonly [number, ...Row[]]>> = {
  getRanks: [1, { input: {}, requests: 2 }, { input: { topId: 62, limit: 100 }, requests: 1 }],
  getMusicPlay: [2,
    { input: { songmid: [1, 2, 3].map(song).join() }, requests: 2 },
    { input: { songmid: song(1) }, account: 'member', requests: 2 },
    // Whether the key is alive, or lacks a right.
    { input: { songmid: song(3) }, account: 'ordinary', requests: 4 }
  ],
  batchGetSongInfo: [1, { input: { songs: Array.from({ length: 100 }, (_, at) => [song(at + 1)]) }, requests: 5 }],
  downloadProviderMusic: [2],
  stream: [2],
  // The site for the songs, a program for albums and singers.
  getSearchByKey: [2, { input: { key: 'a', limit: 100 }, requests: 3 }],
  // Most links say it themselves. A short link is asked where it leads; a number behind it becomes a MID.
  resolve: [1, { input: { text: 'https://y.qq.com/n/ryqq/songDetail/00DemoSong0001' }, requests: 0 }, {
    input: { text: 'https://c6.y.qq.com/base/fcgi-bin/u?__=s00DemoSong0001' }, requests: 1
  }, { input: { text: 'https://c6.y.qq.com/base/fcgi-bin/u?__=n5000001' }, requests: 2 }, { input: { text: '5000001' }, requests: 1 }],
  // The site for songs, playlists and MVs, page by page; a program for the others, all pages in one POST.
  search: [1,
    ...['song', 'album', 'singer', 'mv', 'lyric']
      .map((type) => ({ input: { key: 'paper', type, limit: 20 }, requests: 1 })),
    ...['song', 'playlist']
      .map((type) => ({ input: { key: 'the', type, limit: 100 }, requests: type === 'song' ? 2 : 1 })),
    ...['album', 'singer', 'lyric'].map((type) => ({ input: { key: 'a', type, limit: 100 }, requests: 1 }))
  ],
  getSongLists: [1, { input: { limit: 100 }, requests: 2 }],
  getSongListDetail: [1, { input: { disstid: '7700000001' }, requests: 1 }],
  getNewDisks: [1, { input: { limit: 100 }, requests: 1 }],
  batchGetSongLists: [3],
  getSingerList: [1, { input: { limit: 100 }, requests: 2 }],
  getSingerHotsong: [1, { input: { singermid, limit: 100 }, requests: 1 }],
  getSingerAlbum: [1, { input: { singermid, limit: 100 }, requests: 1 }],
  getSingerMv: [1, { input: { singermid, limit: 100 }, requests: 1 }],
  // A text may be a filter of the upstream; if it is none, it is searched for.
  getMvByTag: [1, { input: { tag: 'paper' }, requests: 2 }],
  getImageUrl: [0],
  cover: [0],
  // A MID is looked up first.
  getComments: [
    1, { input: { id: song(1) }, requests: 2 }, { input: { id: '00DemoAlbu0001', biztype: 2 }, requests: 2 },
    { input: { id: '5000001', pagenum: 3 }, requests: 1 }
  ],
  getUserPlaylists: [1, { input: { uin: memberUin }, account: 'member', requests: 1 }],
  getUserAvatar: [0],
  getCookie: [0],
  getPersonalRecommend: [2],
  // The number of the song; then the phone's form, which the demo refuses as the upstream does, and the web's.
  getSimilarSongs: [3],
  // The number of the song first.
  getRelatedMv: [2],
  getRelatedPlaylists: [2],
  // The personal station sends five songs at once, the radar ten.
  getPersonalRadio: [1, { input: {}, account: 'member', requests: 2 }],
  getRadarSongs: [1, { input: { limit: 30 }, requests: 3 }],
  getRadioSongs: [1, { input: { radioId: 199, limit: 30 }, requests: 1 }],
  getAltLoginQr: [2]
}

t.test('every endpoint has its number of upstream requests', async (t) => {
  t.same(Object.keys(table).filter((name) => endpoints[name] === undefined), [], 'every row is that of an endpoint')
  const demo = await demoFor(t)
  for (const [name, { example, login }] of Object.entries(endpoints)) {
    const [first, ...rows] = table[name] ?? [1]
    for (const {
      requests, input = example, account = login === 'required' ? 'member' : undefined
    } of [{ requests: first }, ...rows] as Row[]) {
      demo.reset()
      const relay = relayFor(t, demo, { tuning: { pollDeadlineMs: 100 } })
      const call = relay[name as keyof Relay] as (input: object, options: object) => Promise<unknown>
      // A login that nobody has started may fail.
      await call(input, account === undefined ? {} : { cookie: cookieOf(demo, account) }).catch(() => {})
      t.equal(demo.received.length, requests, `${name} ${JSON.stringify(input).slice(0, 80)} ${account ?? ''}: ${JSON.stringify(demo.received.map(({ path, calls }) => calls.length > 0 ? calls : path))}`)
      await relay.close()
    }
  }
})

const site = { host: 'c.y.qq.com', method: 'GET', headers: { referer: 'https://y.qq.com/' } }
const classic = (path: string, query: object, more: object = {}): object => ({ ...site, path, query, ...more })
/** A POST with these calls, in order. */
const gateway = (...calls: readonly (readonly [wire: string, param: object])[]): object => ({
  host: 'u.y.qq.com', method: 'POST', path: '/cgi-bin/musicu.fcg', headers: { referer: 'https://y.qq.com/' },
  body: Object.fromEntries([['comm', { ct: 24, cv: Number }], ...calls.map(([wire, param], at) => [
    `req_${at}`, exactly({ module: wire.split('/')[0], method: wire.split('/')[1], param: exactly(param) })
  ])])
})
const light = {
  ct: 11, cv: '1003006', v: '1003006', os_ver: '12', phonetype: '0', devicelevel: '31', tmeAppID: 'qqmusiclight',
  nettype: 'NETWORK_WIFI', udid: '0'
}
const lightSearch = (search_type: number): object => ({
  param: {
    search_id: /^\d{17,18}$/, remoteplace: 'search.android.keyboard', query: 'paper', search_type, num_per_page: 12,
    page_num: 3, highlight: 0, nqc_flag: 0, page_id: 1, grp: 1
  }
})
const everywhere = { area: -100, sex: -100, genre: -100, index: -100 }

/** Endpoint, input, and parts of each request (partOf.ts). */
const forms: readonly (
  readonly [name: keyof Relay, input: object, requests: readonly object[], account?: DemoAccount['name']]
)[] = [
  ['getAlbumInfo', { albummid: '00DemoAlbu0002' }, [gateway([wires.albumDetail, { albumMId: '00DemoAlbu0002' }], [
    wires.albumSongs, { albumMid: '00DemoAlbu0002', begin: 0, num: 999, order: 2 }
  ])]],
  ['getLyric', { songmid: song(10) }, [
    classic(wires.lyricClassic, { songmid: song(10), format: 'json', g_tk: '5381', platform: 'yqq.json' }, {
      headers: { referer: 'https://y.qq.com/portal/player.html' }
    })
  ]],
  ['getRanks', { topId: 62, limit: 5, page: 2 }, [{
    ...gateway(), query: exactly({}),
    headers: { 'content-type': 'application/json', 'referer': 'https://y.qq.com/', 'origin': 'https://y.qq.com', 'user-agent': /Mozilla.*Chrome/, 'cookie': undefined },
    body: exactly({
      comm: exactly({
        ct: 24, cv: 4747474, platform: 'yqq.json', chid: '0', g_tk: 5381, g_tk_new_20200303: 5381, format: 'json',
        inCharset: 'utf-8', outCharset: 'utf-8', notice: 0, need_new_code: 1
      }),
      req_0: exactly({ module: 'music.musicToplist.Toplist', method: 'GetDetail', param: exactly({
        topId: 62, offset: 10, num: 5, withTags: false
      }) })
    })
  }]],
  ['getDigitalAlbumLists', {}, [classic(wires.shop, { cmd: 'pc_index_new', format: 'json', outCharset: 'utf-8' })]],
  ['getRadioLists', {}, [gateway([wires.radios, { ct: '24' }])]],
  ['getRecommend', {}, [gateway(
    [wires.feed, { direction: 0, page: 1, v_cache: [], v_uniq: [], s_num: 0 }], [wires.square, { From: 0, Size: 25 }],
    [wires.newSongs, { type: 5 }],
    [wires.newAlbums, { area: 1, start: 0, num: 10 }], [wires.charts, {}], [wires.focus, {}]
  )]],
  ['getTicketInfo', {}, [gateway([wires.tickets, { city_id: -1 }], [wires.showTypes, {}])]],
  ['getMv', {}, [gateway([wires.mvTags, {}], [
    wires.mvList, { start: 0, size: 20, version_id: 7, area_id: 15, version: 7, area: 15, order: 1 }
  ])]],
  ['getMvByTag', { tag: 'korea' }, [
    gateway([wires.mvList, { start: 0, size: 20, version_id: 7, area_id: 19, version: 7, area: 19, order: 1 }])
  ]],
  ['getMvPlay', { vid: 'demoV000004' }, [gateway(
    [wires.mvUrls, {
      vids: ['demoV000004'], request_type: 10003, guid: /^[0-9a-f]{32}$/, videoformat: 1, format: 264, dolby: 1,
      use_new_domain: 1, use_ipv6: 1
    }],
    [wires.mvInfo, { vidlist: ['demoV000004'], required: Array }]
  )]],
  ['getSongListCategories', {}, [classic(wires.tagConf, { format: 'json', outCharset: 'utf-8', platform: 'yqq.json' })]],
  ['getSongListDetail', { disstid: '7700000001', limit: 3 }, [
    gateway([wires.playlist, {
      disstid: 7700000001, dirid: 0, tag: 1, song_begin: 0, song_num: 3, userinfo: 1, orderlist: 1, onlysonglist: 0
    }])
  ]],
  // Inclusive rows, and no charset, which would empty the list.
  ...([
    [{ categoryId: 6, limit: 30 }, '6', '5', '0', '29'], [{ categoryId: 6, limit: 30, sortId: 2 }, '6', '2', '0', '29'],
    [{ categoryId: 6, limit: 10, page: 2 }, '6', '5', '20', '29']
  ] as const)
    .map(([input, categoryId, sortId, sin, ein]) => ['getSongLists', input, [
      classic(wires.playlistsByTag, {
        categoryId, sortId, sin, ein, picmid: '1', rnd: /^0\.\d+$/, format: 'json', inCharset: 'utf8', needNewCode: '1',
        outCharset: undefined
      })
    ]] as const),
  ['getSongLists', { limit: 100, page: 1 }, [
    classic(wires.playlistsByTag, { sin: '100', ein: '149' }), classic(wires.playlistsByTag, { sin: '150', ein: '199' })
  ]],
  ['batchGetSongLists', {}, [
    classic(wires.playlistsByTag, { categoryId: '10000000', sortId: '5', sin: '0', ein: '18' })
  ]],
  ['getNewDisks', { limit: 5, page: 2 }, [gateway([wires.newAlbums, { area: 1, start: 5, num: 5 }])]],
  ['getSearchByKey', { key: 'paper', limit: 12, page: 3 }, [
    // Anything more may empty the list.
    classic(wires.siteSearch, exactly({ format: 'json', n: '12', p: '3', w: 'paper', cr: '1', g_tk: '5381', t: '0' })),
    { host: 'u.y.qq.com', path: '/cgi-bin/musicu.fcg', calls: [wires.lite, wires.lite], headers: {
      'user-agent': 'okhttp/3.14.9'
    }, body: exactly({ comm: light, req_0: lightSearch(2), req_1: lightSearch(1) }) }
  ]],
  ['getSmartbox', { key: 'zz & yy' }, [
    classic(wires.smartbox, { key: 'zz & yy', format: 'json', is_xml: '0', outCharset: 'utf-8' }),
    classic(wires.siteSearch, { w: 'zz & yy', n: '4', p: '1', t: '0' })
  ]],
  ['getHotkey', {}, [{ body: {
    comm: { ct: '19', cv: '1803', guid: '0', tmeAppID: 'qqmusic', tmeLoginType: 0, uin: '0' },
    req_0: { param: { search_id: '', uin: 0 } }
  } }]],
  ['search', { type: 'playlist', key: 'paper', limit: 10, page: 2 }, [classic(wires.listSearch, {
    query: 'paper', page_no: '1', num_per_page: '10', remoteplace: 'txt.yqq.playlist', format: 'json'
  })]],
  ...([['album', 2], ['singer', 1], ['lyric', 7]] as const)
    .map(([type, search_type]) => ['search', { type, key: 'the', limit: 20, page: 2 }, [
      { calls: [wires.lite], body: {
        req_0: { param: { query: 'the', search_type, num_per_page: 20, page_num: 2, highlight: 0 } }
      } }
    ]] as const),
  ['getSingerList', {}, [gateway([wires.singers, { ...everywhere, sin: 0, cur_page: 1 }])]],
  ['getSingerDesc', { singermid }, [gateway([
    wires.singerDetail, { singer_mids: [singermid], ex_singer: 1, wiki_singer: 1, group_singer: 1, pic: 1, photos: 0 }
  ])]],
  ['getSimilarSinger', { singermid }, [gateway([wires.similarSingers, { singerMid: singermid, number: 10 }])]],
  ['getSingerStarNum', { singermid }, [gateway([wires.singerPage, { sort: 5, singermid, sin: 0, num: 1 }])]],
  ['getSingerHotsong', { singermid, limit: 50, page: 2 }, [
    gateway(...[[50, 50], [80, 20]]
      .map(([begin, num]) => [wires.singerSongs, { singerMid: singermid, order: 1, begin, num, number: num }] as const))
  ]],
  ['getSingerAlbum', { singermid, limit: 100 }, [
    gateway(...[100, 70, 40, 10].map((num) =>
      [wires.singerAlbums, { singerMid: singermid, order: 1, begin: 100 - num, num, number: num }] as const))
  ]],
  ['getSingerMv', { singermid, limit: 10 }, [gateway([wires.singerMvs, { singermid, order: 1, count: 10, start: 0 }])]],
  ['getSingerMv', { singermid, limit: 10, order: 'time' }, [
    gateway([wires.singerMvs, { singermid, order: 0, count: 10, start: 0 }])
  ]],
  ['getSingerTab', { singermid, limit: 30 }, [{ body: { comm: { ct: 11 }, req_0: {
    param: { SingerMid: singermid, IsQueryTabDetail: 1, TabID: 'song_sing', PageNum: 0, PageSize: 30, Order: 0 }
  } } }]],
  ['getOtherVersions', { songmid: song(1) }, [{
    calls: [wires.otherVersions], body: { req_0: { param: exactly({ songmid: song(1) }) } }
  }]],
  ['getSongInfo', { songmid: song(2) }, [{
    calls: [wires.songDetail], body: { req_0: { param: exactly({ song_mid: song(2) }) } }
  }]],
  ['getSongInfo', { songid: 5000002 }, [{
    calls: [wires.songDetail], body: { req_0: { param: exactly({ song_id: 5000002 }) } }
  }]],
  ['getDailyRecommend', {}, [
    { calls: [wires.whoAmI, wires.playlist], body: { comm: { ct: 24, uin: '1000000101' }, req_1: { param: exactly({
      disstid: 0, dirid: 202, enc_host_uin: '1000000101', onlysonglist: 0, orderlist: 0, tag: 1, userinfo: 1,
      is_mobile: 1, new_format: 1
    }) } } }
  ], 'ordinary'],
  ['getPersonalRecommend', {}, [
    // Whose cookie it is, is asked along.
    { calls: [wires.whoAmI, wires.radar], body: { comm: { ct: 24, uin: '1000000101' }, req_1: {
      param: exactly({ Page: 1, ReqType: 0, FavSongs: [], EntranceSongs: [] })
    } } },
    { calls: [wires.feed], body: { comm: { ct: 20, platform: 'wk_v17' } } }
  ], 'ordinary'],
  ['getSimilarSongs', { songmid: song(1) }, [
    // The number first; then as a phone without a session, and as the web.
    { calls: [wires.songDetail], body: { req_0: { param: { song_mid: song(1) } } } },
    ...[11, 24].map((ct) =>
      ({ calls: [wires.similarSongs], body: { comm: { ct }, req_0: { param: exactly({ songid: 5000001 }) } } }))
  ]]
]

t.test('each endpoint asks as the clients of the upstream ask', async (t) => {
  const demo = await demoFor(t)
  for (const [name, input, requests, account] of forms) {
    demo.reset()
    const relay = relayFor(t, demo)
    await (relay[name] as (input: object, options: object) => Promise<unknown>)(
      input, account === undefined ? {} : { cookie: cookieOf(demo, account) }
    )
    t.same(partOf(demo.received, requests), requests, `${name} ${JSON.stringify(input)}`)
    await relay.close()
  }
})
