/** What the real answers of the upstream become: a row for each that was saved. Those of play calls: play-reasons.test.ts. */
import t from 'tap'
import type { Relay } from '../../src/library/relay.ts'
import { cookieOf, demoFor, sample, sampleText, subAnswers, withoutSamples } from '../support/helper.ts'
import { partOf } from '../support/partOf.ts'
import { relayFor } from '../support/stage.ts'
import * as wires from '../support/wires.ts'

/** A saved file, and which of its answers, by place or name: else the whole of a classic one, the first one of the gateway. */
type Given = typeof dead | string | readonly [file: string, at: number | string]
type Name = keyof typeof wires
/** What is asked, what calls answer, and a part of the record (partOf.ts), or the code of its failure. */
type Row =
  readonly [name: keyof Relay, input: object, given: Readonly<Partial<Record<Name, Given>>>, fields: object | string]

const dead = { code: 500003 }
/** Accounts, addresses and keys that the saved answers hold. */
const secrets = /fakeEuin|FAKEfakeFA7c|192\.0\.2|"10000000\d\d"|10000001(?!_)|encrypt|"upload|"vkey|musicid|uin"/
const https = /^https:/
const real = '0025NhlN2yWrP4'
const byNumber = (...ids: number[]) => ids.map((id) => ({ id }))
const chartSongs = [1, 2, 3].map((rank) => ({ rank, mid: /^\w{14}$/, songName: /./ }))
const suggested = [97773, 5177680, 102065750, 410316]
const home: Row[2] = {
  feed: 'getRecommend.feed.json', square: 'getRecommend.songlist.json', newSongs: ['getRecommend.json', 'new_song'], newAlbums: ['getRecommend.json', 'new_album'],
  charts: ['getRecommend.json', 'toplist'], focus: ['getRecommend.json', 'focus']
}
const found = {
  song: {
    totalnum: 397,
    list: [[107345779, '000zkPrb2O7BBW', 223, '2005-11-04'], [102786427, '001NS6mJ3SJeCM', 241, '2008-11-10'], [783354, '001JDoGv0NiN5t', 187, '2010-12-30']]
      .map(([id, mid, interval, time_public]) =>
        ({ id, mid, interval, time_public, singer: { 0: { name: /^((?!&#).)*$/ } } }))
  },
  zhida: null
}

const rows = (): Row[] => [
  // Albums and lyrics
  ['getAlbumInfo', { albummid: '003RMaRI1iFoYd' }, { albumDetail: 'getAlbumInfo.json', albumSongs: ['getAlbumInfo.json', 1] },
    { id: 1458791, mid: '003RMaRI1iFoYd', publicTime: '2016-06-24', total: 10, genre: 'Pop', songs: byNumber(
      107192078, 107192079, 107192080
    ) }],
  ['getAlbumInfo', { albummid: '002N84iF3QxG1c' }, { albumDetail: dead, albumClassic: 'getAlbumInfo.legacy.json' },
    { id: 7215891, publicTime: '2019-07-21', company: 'G Nation', total: 1, songs: [{
      id: 234824638, mid: '000wocYU11tSzS', interval: 230, mv: { vid: 'b0031kyhy1p' }
    }] }],
  ['getAlbumInfo', { albummid: '001CrpRT25yAN5' }, { albumDetail: dead, albumClassic: dead, albumTables: 'getAlbumInfo.detail-cp.json' },
    { id: 3913679, publicTime: '2018-02-18', total: 1, singerName: sample(
      'getAlbumInfo.detail-cp.json'
    ).data.getSingerInfo.Fsinger_name,
    songs: [{ id: 213085460, file: { media_mid: '004do4r32YTObs' } }] }],
  [
    'getLyric', { songmid: 'x', isFormat: 1 }, { lyricClassic: 'getLyric.json' },
    { trans: '', parsed: { lines: [560, 2420, 3990].map((time) => ({ time })) } }
  ],
  ['getLyric', { songmid: 'x', isFormat: 1 }, { lyricClassic: 'getLyric.notfound.json', lyricGateway: 'getLyric.musicu.json' },
    { lyric: /^\[ti:/, parsed: { lines: [0, 520, 1040].map((time) => ({ time })) } }],
  // The encrypted form is never taken for a lyric.
  ['getLyric', { songmid: 'x' }, { lyricClassic: 'getLyric.notfound.json', lyricGateway: 'getLyric.musicu-crypt1.json' }, { lyric: '', trans: '' }],

  // Charts
  [
    'getRanks', { topId: 62 }, { chart: 'getRanks.json' },
    { topList: { id: 62, period: '2026-08-06', totalNum: 100 }, songInfoList: chartSongs }
  ],
  ['getRanks', { topId: 62 }, { chart: 'getRanks.midless.json' },
    { songInfoList: subAnswers('getRanks.json')[0]?.data.songInfoList
      .map(({ id }: { id: number }) => ({ songId: id, mid: undefined })) }],
  // It counts songs and holds none, so others are asked, too.
  ['getRanks', { topId: 4 },
    { chart: 'getRanks.detail-header-2019.json', chartOlder: dead, chartClassic: dead },
    { topList: { id: 4, period: '2019-06-03', updateTime: '2019-06-03' } }],
  ['getRanks', {}, { charts: 'getRanks.all.json' }, {
    topLists: [[62, '2026-08-06'], [26, '2026-08-06'], [5, '2026_32'], [59, '2026_32'], [58, '2026_32'], [57, '2026_32'], [108, '2026_31'], [129, '2026_31']]
      .map(([id, period]) => ({ id, period, name: /./, picUrl: https, songs: { length: 3 } }))
  }],
  ['getRanks', { topId: 4 }, { chart: dead, chartOlder: dead, chartClassic: 'getRanks.legacy-detail.json' },
    { topList: { period: '2017-12-20', totalNum: 100 }, songInfoList: Array.from(
      { length: 4 }, () => ({ mid: /./, songId: Number })
    ) }],
  [
    'getRanks', {}, { charts: dead, chartsOlder: dead, chartsClassic: 'getRanks.legacy-all.json' },
    { topLists: { length: 5, 0: { id: 4, period: '', songs: { length: 3 } } } }
  ],

  // Comments
  ['getComments', { id: '97773' }, { recComments: 'getComments.commentread.json' }, {
    comment: { total: 83633, list: { 0: {
      seqNo: '1628467045072956929', time: 1718079153, praisenum: 1, replynum: 1,
      replies: { 0: { praisenum: 2, time: 1718080000 } }
    } } },
    morecomment: true, nextCursor: '1.1628467045072956929'
  }],
  ['getComments', { id: '8220', biztype: 2, cmd: 8 }, { commentsClassic: 'getComments.json' }, {
    comment: {
      total: 1367,
      list: [
        {
          rootcommentid: 'album_8220_10000001_1558068713', praisenum: 1, time: 1558068713, nick: 'user-a', replies: []
        },
        {
          rootcommentid: 'album_8220_10000003_1558060000', praisenum: 12, time: 1558060000, nick: 'user-c',
          replies: [{ nick: 'user-b' }]
        }
      ]
    },
    morecomment: true, hot_comment: { total: 15, list: { 0: { praisenum: 2048 } } }
  }],

  // The home page and the shops
  ['getDigitalAlbumLists', {}, { shop: 'getDigitalAlbumLists.json' }, {
    total: 1, albums: [{
      album_id: 6752567, album_mid: '002Ao9Zw1xJu7O', singer_id: 178578, price: 1500, salecount: 115952,
      publictime: 1557849600
    }],
    banner: { 0: { album_id: 6744287, price: 300, picurl: https } }
  }],
  ['getRadioLists', {}, { radios: dead, radiosClassic: 'getRadioLists.json' },
    { groups: {
      0: { radios: [{ radioId: 99, listenNum: 12810800 }, { radioId: 199, listenNum: 2703600, radioImg: https }] }
    } }],
  ['getRecommend', {}, home, {
    focus: { length: 3, 0: { id: 14550, type: 10002, jumpUrl: '0034Tb9X3qty2r', picUrl: https } },
    categories: [{ id: 165, name: '国语' }, { id: 6, name: '流行' }, { id: 148, name: '情歌' }, { id: 166, name: '粤语' }],
    recomPlaylists: [{ dissid: '7110294730' }, { dissid: '6929902945' }],
    playlists: [{ dissname: /./, imgurl: https }, {}, {}],
    newSongs: [{ id: 213226698, mid: '001L5hVD2FqAcW' }, { mv: { vid: 'k002671le5d' } }, { interval: 262 }],
    newAlbums: [
      { albumID: 3767136, albumMID: '001f5qLB0VIsA2', publicTime: '2017-12-14', singerName: /./ }, { singerName: /./ },
      { singerName: /./ }
    ],
    toplists: [{ id: 4, period: '2018-03-04' }, ...byNumber(26, 27, 169, 108, 123)]
  }],
  ['getRecommend', {}, { ...home, newSongs: 'getRecommend.newsong.json', charts: 'getRanks.all.json', newAlbums: 'getNewDisks.json' }, {
    newSongs: { 0: { id: 713873050, mid: '002gGxra1TDnym', interval: 256, time_public: '2026-08-06' } },
    toplists: byNumber(62, 26, 5, 59, 58, 57, 108, 129),
    newAlbums: { 0: { albumMID: '000qNWwz2c9cVj' } }
  }],
  ['getTicketInfo', {}, { tickets: 'getTicketInfo.json', showTypes: ['getTicketInfo.json', 1] },
    {
      cities: [], hotCities: [], banners: [], classes: [], shows: [], tags: {}, localCity: undefined,
      timestamp: 1559647024
    }],

  // MVs. The saved list has three rows, and further ones are not asked of the demo.
  ['getMv', { limit: 3 }, { mvTags: 'getMv.json', mvList: ['getMv.json', 1] }, {
    total: 1000, area: { length: 6 },
    list: [{
      vid: '0025IM2j3t05Sl', mvid: 2156259, duration: 221, pubdate: 1717948800, picurl: https,
      singers: { 0: { id: 199509 } }
    }, {}, { title: /^Ain't/ }]
  }],
  ['getMvByTag', { tag: 'all' }, { mvList: dead, mvByTag: 'getMvByTag.json' },
    { tag: 'all', total: 1,
    list: [{
      vid: 'z0030xeusmt', mvid: 1534589, playcnt: 4381, pubdate: Date.parse('2019-05-28T16:00:00Z') / 1000, duration: 0,
      singers: { length: 2 }
    }] }],
  ['getMvPlay', { vid: 'Z0090nXwBaj' }, { mvUrls: 'getMvPlay.json', mvInfo: ['getMvPlay.json', 1] }, {
    playLists: { f10: { length: 2 }, f20: { length: 2 }, f30: { length: 2, 0: /\.f9834\.mp4$/ }, f40: [], others: [] },
    reason: undefined,
    urls: { 2: { filetype: 30, type: 'mp4', format: 264, fileSize: 40060599, expire: 86400 } },
    mvinfo: { duration: 270, playcnt: 1203344, pubdate: 1135612800, singers: { 0: { mid: '003RVAdJ1YT5AI' } } }
  }],
  ['getMvPlay', { vid: '013xscuH0xlbie' }, { mvUrls: 'getMvPlay.tencentmusic.json', mvInfo: ['getMvPlay.tencentmusic.json', 1] },
    { playLists: { f10: [], f20: [/\.f120000\.mp4/, /\.f220000\.m3u8/], f30: [], f40: [], others: [] }, mvinfo: {
      duration: 15, playcnt: 2321
    } }],

  // Playlists and new albums
  ['getSongLists', { limit: 30 }, { playlistsByTag: 'getSongLists.json' }, {
    sum: 5209,
    playlists: [['2388868886', 18327], ['1769770161', 78759], ['1176858708', 23856],
    ['1188783193', 16432]].map(([dissid, listen_num]) => ({ dissid, listen_num, imgurl: https, creator: /^.{5}$/ }))
  }],
  ['batchGetSongLists', { limit: 30 }, { playlistsByTag: 'batchGetSongLists.json' },
    { 0: { categoryId: 10000000, sum: 5523, playlists: {
      0: { dissid: '891964140', listen_num: 806282 }, 1: { dissid: '2048723012' }, 2: { dissid: '3663979435' }
    } } }],
  ['getSongLists', { limit: 3 }, { playlistsByTag: dead, playlistsSquare: 'getSongLists.plaza.json' },
    { sum: 747, playlists: {
      0: { dissid: '6975481262', listen_num: 19652 }, 1: { dissid: '4180513374', listen_num: 59797 }
    } }],
  ['getSongListCategories', {}, { tagConf: 'getSongListCategories.json' },
    { categories: { ...byNumber(10000000, 165, 167), length: sample(
      'getSongListCategories.json'
    ).data.categories.flatMap((group: any) => group.items).length } }],
  ['getSongListDetail', { disstid: '7700000001', limit: 3 }, { playlist: 'getSongListDetail.json' }, {
    songnum: 30, listen_num: 0, imgurl: https, dissname: /^.{5}$/,
    songlist: [
      { songid: 696262512, songmid: '002AZauQ1UKQxe', interval: 210, albumid: 96350322, vid: '002LY1bM2uks1Y' }, {}, {}
    ]
  }],
  ['getSongListDetail', { disstid: '7700000001', limit: 50 }, { playlist: dead, playlistSibling: 'getSongListDetail.uniform.json' },
    { songnum: 1, songlist: [{ songid: 443993, media_mid: '000tDTCi0tbNGQ', albummid: '002RLd9D4RcjhT' }] }],
  ['getSongListDetail', { disstid: '7700000001', limit: 4 }, {
    playlist: dead, playlistSibling: dead, playlistWhole: dead, playlistClassic: 'getSongListDetail.legacy.json'
  }, {
    songnum: 31, listen_num: 23092, desc: { length: 124 },
    songlist: [{ songid: 5184132, songmid: '0020Nusr2RXcGV', albumid: 456549, vid: 'n00163ni28p' }, {}, {}, {}]
  }],
  ['getSongListDetail', { disstid: '7700000001', limit: 3 },
    {
      playlist: dead, playlistSibling: dead, playlistWhole: dead,
      playlistClassic: 'getSongListDetail.legacy-new-format.json'
    },
    { songnum: 31, songlist: [{ songid: 696262512 }, {}, {}] }],
  ...['hidden', 'subcode4000'].map((kind): Row => (
    ['getSongListDetail', { disstid: '7700000001' }, {
      playlist: dead, playlistSibling: dead, playlistWhole: dead, playlistClassic: `getSongListDetail.${kind}.json`
    },
      'NOT_FOUND'])),
  ['getNewDisks', { limit: 2 }, { newAlbums: 'getNewDisks.json' }, {
    total: 4499, albums: [{
      albumID: 99271794, albumMID: '000qNWwz2c9cVj', publicTime: '2026-08-06', singerName: /^[^/]+\/[^/]+$/,
      albumPic: /000qNWwz2c9cVj_1\.jpg$/
    }, {}]
  }],

  // Recommendations
  ['getDailyRecommend', {}, { macPage: dead, feed: ['getDailyRecommend.json', ''], playlist: 'getSongListDetail.json' }, {
    // The card of the playlist, not the one of the station beside it.
    dissid: '7251579717', songs: { length: subAnswers('getSongListDetail.json')[0]?.data.songlist.length, 0: {
      id: 696262512, mid: '002AZauQ1UKQxe', interval: 210
    } }
  }],
  ['getPersonalRecommend', {}, { radar: 'getPersonalRecommend.json', feed: 'getRecommend.feed.json' }, {
    songs: { 0: {
      id: 718477, mid: '001zMQr71F1Qo8', mv: { vid: 'T0010Rcobut' }, album: { pmid: '0024bjiL2aocxT_5' }, pay: { pay_play: 1 }
    }, 1: { id: 309124022 } },
    hasMore: true,
    playlists: { 0: { dissid: '7110294730', listen_num: 1012216, imgurl: https }, 1: { dissid: '6929902945' } }
  }],
  ['getPersonalRecommend', {}, {
    feed: dead, feedOlder: dead, radar: dead, square: 'getRecommend.songlist.json',
    personalRadio: 'getPersonalRecommend.guess.json'
  },
    { songs: [{ id: 410316, mid: '002qU5aY3Qu24y' }, {}],
    playlists: [
      { dissid: '9282300617', creator: 'user-a', listen_num: 13558387 }, { dissid: '9480382160' }, { dissid: '9752093366' }
    ] }],
  ['getSimilarSongs', { songmid: '00DemoSong0001' }, { similarSongs: 'getSimilarSongs.json' }, { songs: [
    ...byNumber(5177680, 447257),
    { id: 7112749, mid: '0001oIjs0YFIf7', interval: 246, singer: [{ id: 22704 }, { id: 29263 }], album: { id: 91325 } },
    ...byNumber(107187351)
  ] }],

  // Search. What programs answer: search.test.ts.
  ['getSearchByKey', { key: 'paper' }, { siteSearch: 'getSearchByKey.json' }, found],
  ['getSearchByKey', { key: 'paper' }, { siteSearch: dead, pagesSearch: 'getSearchByKey.json' }, found],
  ['getSearchByKey', { key: 'x' },
    {
      lite: dead, signed: dead, phone: dead, desktop: dead, siteSearch: 'getSearchByKey.empty.json',
      pagesSearch: 'getSearchByKey.empty.json', smartbox: 'getSmartbox.json'
    },
    { song: { list: byNumber(...suggested) }, singer: { list: [{ singerID: 4558 }, { singerID: 1561248 }] } }],
  ['getSearchByKey', { key: 'paper' }, {
    siteSearch: dead, pagesSearch: dead, lite: dead, phone: dead, desktop: dead,
    signed: 'getSearchByKey.musicu-blocked.json'
  },
    { song: { totalnum: 4 } }],
  ['getSmartbox', { key: 'x' }, { smartbox: 'getSmartbox.json' }, { result: {
    songList: byNumber(...suggested).map(({ id }) => ({ id: String(id) })),
    singerList: [{ mid: '0025NhlN2yWrP4' }, { mid: '00203xA13apUJN' }],
    albumList: [{ id: '36062', pic: https }, { id: '60671', pic: https }]
  } }],
  ['getHotkey', {}, { hotkeyDesktop: dead, hotkeyClassic: 'getHotkey.json' },
    { hotkey: [[3, 85228], [4, 81282], [3, 78055], [3, 70432], [3, 65388]]
      .map(([length, n]) => ({ k: { length }, n })) }],
  ['getHotkey', {}, { hotkeyDesktop: dead, hotkeyClassic: dead, hotkeyPhone: 'getHotkey.musicu.json' },
    { hotkey: [{ k: { length: 6 }, n: 405528 }, { k: { length: 4 }, n: 341521 }] }],

  // Singers: newest shapes, then others
  ['getSingerList', {}, { singers: 'getSingerList.json' }, {
    total: 6797, tags: { area: { length: 6 }, genre: { length: 14 }, sex: byNumber(-1, 1, 2, 3) },
    singers: { length: 5, 0: {
      singerMID: real, singerId: 4558, otherName: 'Jay Chou',
      singerPic: `https://y.gtimg.cn/music/photo_new/T001R300x300M000${real}.webp`
    } }
  }],
  ['getSingerDesc', { singermid: real }, { singerDetail: 'getSingerDesc.json' },
    {
      birth: /^1979年1月18日（/, birthPlace: '台湾省新北市', foreignName: 'Jay Chou', singerPic: /^https:.*_11\.jpg$/,
      basic: { length: 6 }
    }],
  ['getSingerHotsong', { singermid: real }, { singerSongs: 'getSingerHotsong.json' },
    { totalNum: 1013, songList: [{ id: 97773, file: { size_flac: 55397039 } }, ...byNumber(102065750, 5177680)] }],
  ['getSingerAlbum', { singermid: real }, { singerAlbums: 'getSingerAlbum.json' },
    { total: 43, albumList: {
      length: 5, 0: { albumID: '1458791' }, 1: { publishDate: '2007-11-02', pmid: '002eFUFm2XYZ7z_3' }
    } }],
  ['getSingerMv', { singermid: real, limit: 5 }, { singerMvs: 'getSingerMv.json' }, {
    total: 10425,
    list: [{ pubdate: 1779206400, duration: 189, picurl: https }, {
      vid: 'w0026q7f01a', playcnt: 120172419, picurl: https
    },
    ...Array.from({ length: 3 }, () => ({ picurl: https }))]
  }],
  ['getSimilarSinger', { singermid: real }, { similarSingers: 'getSimilarSinger.json' },
    { singers: [245, 265, 4351, 227, 60505].map((singerId) => ({ singerId, singerPic: https })) }],
  [
    'getSingerStarNum', { singermid: real }, { singerPage: 'getSingerHotsong.legacy.json' },
    { singermid: real, num: 13508928, status: 0 }
  ],
  [
    'getSingerStarNum', { singermid: real }, { singerPage: dead, fans: 'getSingerStarNum.json' },
    { singermid: real, num: 13508928, status: 0 }
  ],
  ['getSingerStarNum', { singermid: real }, { singerPage: dead, fans: dead, singerHome: 'getSingerStarNum.homepage.json' },
    { num: sample('getSingerStarNum.homepage.json').req_0.data.Info.FansNum.Num }],
  ['getSingerList', {}, { singers: dead, singersOlder: dead, singersWhole: 'getSingerList.unpaged.json' },
    { singers: [{ singerPic: new RegExp(`T001R300x300M000${real}_11.jpg`) }, {}, {
      singerMID: '003Nz2So3XXYek', concernNum: 22242245
    }] }],
  ['getSingerHotsong', { singermid: real }, {
    singerSongs: dead, singerSongsOther: dead, singerPage: 'getSingerHotsong.legacy.json'
  },
    { totalNum: 810, songList: [{ id: 97773 }, { id: 102065750, mid: '001Bbywq2gicae' }] }],
  ['getSingerMv', { singermid: real, limit: 2 }, { singerMvs: dead, singerMvsClassic: 'getSingerMv.legacy.json' },
    { total: 33, list: [
      { vid: 'k0026m921rg', mvid: 1455656, pubdate: Date.UTC(2018, 2, 26, 16) / 1000 }, { playcnt: 54108 }
    ] }],
  ['getSimilarSinger', { singermid: real }, { similarSingers: dead, similarSingersClassic: 'getSimilarSinger.legacy.json' },
    { singers: {
      length: 5, 1: { singerId: 13948, singerMID: '001fNHEf1SFEFN', singerPic: /T001R300x300M000001fNHEf1SFEFN\.jpg/ }
    } }],

  // Songs
  ['getSongInfo', { songmid: '0039MnYb0qxYhV' }, { songDetail: 'getSongInfo.json' }, { songinfo: { data: {
    track_info: { id: 97773, mid: '0039MnYb0qxYhV', interval: 269, time_public: '2003-07-31', file: {
      media_mid: '003Qui1q2u1Zho', size_flac: 55397039
    }, album: { id: 8220 },
    pay: { pay_play: 0 } },
    info: { company: {}, genre: {}, intro: {}, lan: {}, pub_time: { values: ['2003-07-31'] } }
  } } }],
  ['getSongInfo', { songid: 186016 }, { songDetail: 'getSongInfo.by-id.json' },
    { songinfo: { data: { track_info: { id: 186016, mid: '001qHjVZ4SfmWQ', pay: { pay_play: 1, pay_month: 1 } }, info: {
      genre: { values: ['Pop'] }
    } } } }],
  ['batchGetSongInfo', { songs: [['0010JX7W3lWmvS']] }, { songDetail: dead, songTracks: 'batchGetSongInfo.json' },
    { 0: { songinfo: {
      data: { track_info: { id: 214982607, mid: '0010JX7W3lWmvS', mv: { vid: 'u002711kpfx' }, interval: 282 } }
    } } }]
]

t.test('each real answer becomes a record with these fields, and with nothing about accounts', { skip: withoutSamples }, async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo, { tuning: { fallbackFailures: 1000 } })
  for (const [name, input, given, fields] of rows()) {
    demo.reset()
    // The folder of the day is the same call as a playlist, and is asked for first.
    if (name === 'getDailyRecommend') demo.next(wires.playlist, dead)
    for (const [call, saved] of Object.entries(given)) {
      const wire = wires[call as Name]
      const [file, at] = typeof saved === 'string' ? [saved, 0] : Array.isArray(saved) ? saved : ['', 0]
      const answer = (): unknown =>
        typeof at === 'number' ? subAnswers(file)[at] : at === '' ? sample(file) : sample(file)[at]
      if (saved === dead) demo.next(wire, dead, Infinity)
      else demo.next(wire, wire.startsWith('/') ? { body: sampleText(file) } : { mutate: answer })
    }
    const record = await (relay[name] as (...given: unknown[]) => Promise<unknown>)(
      input, { cookie: cookieOf(demo, 'ordinary') }
    ).catch((error: { code: string }) => error.code)
    const what = `${name} ${JSON.stringify(given)}`
    t.same(partOf(record, fields), fields, what)
    t.notMatch(JSON.stringify(record), secrets, what)
  }
})
