/** What a singer made: songs, albums, MVs, and songs by role. */
import { GetSingerTabQuery, SingerTab } from '../../../schemas/around.ts'
import { offsetFromOne } from '../../../schemas/common.ts'
import {
  GetSingerAlbumQuery, GetSingerHotsongQuery, GetSingerMvQuery, SingerAlbums, SingerMvs, SingerSongs, type SingerAlbum,
  type SingerMv
} from '../../../schemas/singers.ts'
import type { Song } from '../../../schemas/song.ts'
import {
  codeMsgData, endpoint, maybe, midnightInChina, nameOf, need, notFound, pictureOf, pictureUrl, textOf, upstreamEmpty,
  type Alternative, type Answer, type ClassicCall, type CodeTable, type MusicuCall, type UpstreamCall
} from '../kit.ts'
import { collectRows, readCounted, readSentRows, rowsInOnePost, unlessBlocked, type SentRows } from '../shared/pages.ts'
import { listedSong, readSongRow, readWrappedSong, singerNames } from '../shared/song.ts'

/** The newer lists of one singer answer 104400 for a MID that does not exist, with and without a cookie (2026-09). */
export const unknownSinger: CodeTable = { 104400: 'missing.code' }

/** Number of rows in one response of the lists of one singer; the requested number is ignored (2026-08). */
const mostRows = 30

/** Maximum number of songs in one response of the old page of a singer. */
const singerPageRows = 60

/**
 * The old page of a singer: songs, number of fans and profile in one response (seen 2019 to 2026-09, anonymous). At
 * most 60 songs, most popular first. `read` gets the whole data after the singer is known to exist; the call fails with
 * NOT_FOUND for an unknown singer.
 */
export function singerPage<T> (
  name: string,
  singermid: string,
  sin: number,
  num: number,
  read: (data: Answer) => T
): MusicuCall<T> {
  return {
    name,
    request: {
      module: 'music.web_singer_info_svr',
      method: 'get_singer_detail_info',
      param: { sort: 5, singermid, sin, num: Math.min(singerPageRows, num) }
    },
    optionalFields: ['songlist[].songInfo'],
    read: (data) => {
      const mid = maybe.text(data, 'singer_info.mid')
      if ((data.reach('singer_info') ?? null) === null) throw upstreamEmpty(name, 'the singer')
      // For an unknown singer the upstream sends an empty name card and a success code.
      if (mid === undefined) throw notFound(name, `The singer ${singermid}`)
      return read(data)
    }
  }
}

// Songs of a singer, most popular first: always 30 rows; `number` is ignored (recorded 2026-08-06).

/** `order` 1 sorts by popularity; without it the newest come first. Clients name the count `num` or `number`. */
const songsOf = (
  name: string,
  module: string,
  singerMid: string,
  begin: number,
  num: number
): MusicuCall<SentRows<Song>> => ({
  name,
  request: { module, method: 'GetSingerSongList', param: { singerMid, order: 1, begin, num, number: num } },
  codes: unknownSinger,
  read: (answer) => readSongs(answer, begin)
})

const songChainOf = (mid: string, from: number, count: number): Alternative<SentRows<Song>>[] => [
  rowsInOnePost(
    (begin, num) => songsOf('singer.songs', 'musichall.song_list_server', mid, begin, num),
    from,
    count,
    mostRows
  ),
  rowsInOnePost(
    (begin, num) => songsOf('singer.songs.other', 'music.musichallSong.SongListInter', mid, begin, num),
    from,
    count,
    mostRows
  ),
  rowsInOnePost(
    (begin, num) => singerPage('singer.songs.older', mid, begin, num, (data) => readSongs(data, begin)),
    from,
    count,
    singerPageRows
  )
]

/** Newer rows wrap the song; in the old page a row is the song itself. */
function readSongs (answer: Answer, begin: number): SentRows<Song> {
  const page = readSentRows(
    answer,
    ['songList', 'songlist'],
    maybe.int(answer, 'totalNum', 'total_song'),
    (row) => readWrappedSong(row, 'maybe', 'songInfo')
  )
  return unlessBlocked(page, begin, answer.call, 'songs')
}

export const getSingerHotsong = endpoint({
  method: 'GET',
  path: '/getSingerHotsong',
  tag: 'singers',
  summary: 'Songs of a singer, most popular first',
  summaryInChinese: '歌手的热门歌曲',
  description: 'totalNum counts all songs of the singer; a page beyond it is empty.',
  example: { singermid: '00DemoSing0001', limit: 5 },
  probe: ({ singers }) => singers.map((singermid) => ({ singermid, limit: 1 })),
  songs: ({ songList }) => songList.map(listedSong),
  total: ({ totalNum }) => totalNum,
  input: GetSingerHotsongQuery,
  record: SingerSongs,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid, limit, page }, { upstream, cacheAtMost }) {
    const { rows, total, skipped } = await collectRows(
      offsetFromOne(page, limit),
      limit,
      (begin, num) => upstream.firstOf(songChainOf(singermid, begin, num)),
      cacheAtMost
    )
    return { singerMid: singermid, totalNum: total, songList: rows, skipped }
  }
})

// Albums of a singer. Upstream: `begin` is a row, not a page; at most 30 rows per response (recorded 2026-08-06).

interface AlbumRange {
  readonly singermid: string
  readonly begin: number
  readonly num: number
  readonly imageOrigin: string
}

/** `order` 1 resembles popularity. */
const albumsOf = ({ singermid, begin, num, imageOrigin }: AlbumRange): MusicuCall<SentRows<SingerAlbum>> => ({
  name: 'singer.albums',
  request: {
    module: 'music.musichallAlbum.AlbumListServer',
    method: 'GetAlbumList',
    param: { singerMid: singermid, order: 1, begin, num, number: num }
  },
  codes: unknownSinger,
  read: (answer) => readAlbums(answer, begin, imageOrigin)
})

const olderAlbumsOf = ({ singermid, begin, num, imageOrigin }: AlbumRange): MusicuCall<SentRows<SingerAlbum>> => ({
  name: 'singer.albums.older',
  request: {
    module: 'music.web_singer_info_svr',
    method: 'get_singer_album',
    param: { singermid, order: 'time', begin, num, exstatus: 1 }
  },
  optionalFields: ['list[].albumTranName', 'list[].pmid'],
  read: (answer) => readOlderAlbums(answer, singermid, begin, imageOrigin)
})

const classicAlbumsOf = ({ singermid, begin, num, imageOrigin }: AlbumRange): ClassicCall<SentRows<SingerAlbum>> => ({
  name: 'singer.albums.classic',
  request: {
    path: '/v8/fcg-bin/fcg_v8_singer_album.fcg',
    query: { singermid, order: 'time', begin, num, format: 'json', inCharset: 'utf8', outCharset: 'utf-8' }
  },
  optionalFields: ['data.list[].albumTranName', 'data.list[].pmid'],
  read: (answer) => readOlderAlbums(need.at(answer, 'data'), singermid, begin, imageOrigin)
})

const albumChainOf = (part: AlbumRange): Alternative<SentRows<SingerAlbum>>[] => [
  ...[albumsOf, olderAlbumsOf].map((call) =>
    rowsInOnePost((begin, num) => call({ ...part, begin, num }), part.begin, part.num, mostRows)
  ),
  classicAlbumsOf(part)
]

function readAlbums (answer: Answer, begin: number, imageOrigin: string): SentRows<SingerAlbum> {
  const page = readSentRows(
    answer,
    ['albumList', 'list'],
    maybe.int(answer, 'total'),
    (row) => readAlbum(row, imageOrigin)
  )
  return unlessBlocked(page, begin, answer.call, 'albums')
}

/** Reads older responses, which name the singer beside the list. For an unknown singer that field is missing. */
function readOlderAlbums (
  answer: Answer,
  singermid: string,
  begin: number,
  imageOrigin: string
): SentRows<SingerAlbum> {
  const page = readAlbums(answer, begin, imageOrigin)
  if (page.sent === 0 && maybe.text(answer, 'singer_mid') === undefined) {
    throw notFound(answer.call, `The singer ${singermid}`)
  }
  return page
}

/** Reads an album. No response of the older calls was ever captured. Clients read snake case or capital MIDs. */
function readAlbum (row: Answer, imageOrigin: string): SingerAlbum {
  const albumMid = need.text(row, 'albumMid', 'album_mid', 'albumMID', 'mid')
  const pmid = maybe.text(row, 'pmid') ?? albumMid
  return {
    albumID: maybe.int(row, 'albumID', 'album_id', 'albumid', 'id') ?? 0,
    albumMid,
    albumName: nameOf(row, 'albumName', 'album_name', 'name'),
    albumTranName: textOf(row, 'albumTranName', 'album_tran_name', 'trans_name'),
    albumType: textOf(row, 'albumType', 'album_type', 'albumtype'),
    publishDate: textOf(row, 'publishDate', 'pub_time', 'pubTime'),
    singerName: textOf(row, 'singerName', 'singer_name') || singerNames(row, 'singers'),
    pmid,
    albumPic: pictureUrl(imageOrigin, 'album', pmid)
  }
}

export const getSingerAlbum = endpoint({
  method: 'GET',
  path: '/getSingerAlbum',
  tag: 'singers',
  summary: 'Albums of a singer',
  summaryInChinese: '歌手的专辑',
  description: 'total counts all albums of the singer; a page beyond it is empty. The order is the upstream\'s, popular ones first.',
  example: { singermid: '00DemoSing0001', limit: 5 },
  probe: ({ singers }) => singers.map((singermid) => ({ singermid, limit: 1 })),
  input: GetSingerAlbumQuery,
  record: SingerAlbums,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid, limit, page }, { upstream, imageOrigin, cacheAtMost }) {
    const { rows, total, skipped } = await collectRows(
      offsetFromOne(page, limit),
      limit,
      (begin, num) => upstream.firstOf(albumChainOf({ singermid, begin, num, imageOrigin })),
      cacheAtMost
    )
    return { singerMid: singermid, total, albumList: rows, skipped }
  }
})

// MVs of a singer. Upstream recorded 2026-08-06; the classic call is known from responses of 2019.

type MvOrder = 'time' | 'listen'
interface MvRange { readonly singermid: string, readonly order: MvOrder, readonly begin: number, readonly num: number }

/** `order` 1 is the ranking; 0 is newest first, as in the upstream's other MV lists. */
const mvsOf = ({ singermid, order, begin, num }: MvRange): MusicuCall<SentRows<SingerMv>> => ({
  name: 'singer.mvs',
  request: {
    module: 'MvService.MvInfoProServer',
    method: 'GetSingerMvList',
    param: { singermid, order: order === 'listen' ? 1 : 0, count: num, start: begin }
  },
  read: (answer) => readMvs(answer, begin)
})

/** `cmd` is not sent: 1 would select uploads of fans. */
const classicMvsOf = ({ singermid, order, begin, num }: MvRange): ClassicCall<SentRows<SingerMv>> => ({
  name: 'singer.mvs.classic',
  request: {
    path: '/mv/fcgi-bin/fcg_singer_mv.fcg',
    query: { cid: 205360581, singermid, order, begin, num, format: 'json', inCharset: 'utf8', outCharset: 'utf-8' }
  },
  optionalFields: ['data.list[].pubdate', 'data.list[].duration'],
  read: (answer) => readMvs(need.at(answer, 'data'), begin)
})

const mvChainOf = (part: MvRange): UpstreamCall<SentRows<SingerMv>>[] => [mvsOf(part), classicMvsOf(part)]

/** Reads both generations. The classic one has numbers as strings, a day instead of a time, and no duration. */
function readMvs (answer: Answer, begin: number): SentRows<SingerMv> {
  const page = readSentRows(answer, ['list'], maybe.int(answer, 'total'), (row) => ({
    vid: need.text(row, 'vid'),
    mvid: maybe.int(row, 'mvid', 'id') ?? 0,
    title: nameOf(row, 'title'),
    picurl: pictureOf(row, 'picurl', 'pic'),
    duration: maybe.int(row, 'duration') ?? 0,
    playcnt: maybe.int(row, 'playcnt', 'listenCount') ?? 0,
    pubdate: maybe.int(row, 'pubdate') ?? midnightInChina(maybe.text(row, 'date') ?? '')
  }))
  return unlessBlocked(page, begin, answer.call, 'MVs')
}

export const getSingerMv = endpoint({
  method: 'GET',
  path: '/getSingerMv',
  tag: 'singers',
  summary: 'MVs of a singer',
  summaryInChinese: '歌手的 MV',
  description:
    'total counts all MVs of the singer; a page beyond it is empty, and so is the list of an unknown singer, because the upstream does not tell them apart.',
  example: { singermid: '00DemoSing0001', limit: 5, order: 'time' },
  probe: ({ singers }) => singers.map((singermid) => ({ singermid, limit: 1 })),
  input: GetSingerMvQuery,
  record: SingerMvs,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid, limit, order, page }, { upstream, cacheAtMost }) {
    const { rows, total, skipped } = await collectRows(
      offsetFromOne(page, limit),
      limit,
      (begin, num) => upstream.firstOf(mvChainOf({ singermid, order, begin, num })),
      cacheAtMost
    )
    // That 0 means "newest first" is known from a related call only, so the page is sorted here.
    return { total, list: order === 'time' ? [...rows].sort((a, b) => b.pubdate - a.pubdate) : rows, skipped }
  }
})

// Songs that a singer sang, wrote or produced: tabs of a home page for phones only (recorded 2026-08).

type Tab = Pick<SingerTab, 'hasMore' | 'songs' | 'skipped'>

const tabOf = (SingerMid: string, TabID: string, PageNum: number, PageSize: number): MusicuCall<Tab> => ({
  name: 'singer.tab',
  request: {
    module: 'music.UnifiedHomepage.UnifiedHomepageSrv',
    method: 'GetHomepageTabDetail',
    param: { SingerMid, IsQueryTabDetail: 1, TabID, PageNum, PageSize, Order: 0 },
    comm: 'mobile'
  },
  // Every answer contains all tabs; those that were not requested are empty.
  read (answer) {
    if ((answer.reach('SongTab') ?? null) === null) throw upstreamEmpty(answer.call, 'the songs of the singer')
    const { rows, skipped } = readCounted(answer, ['SongTab.List'], readSongRow)
    return { hasMore: maybe.flag(answer, 'HasMore') === true && rows.length + skipped > 0, songs: rows, skipped }
  }
})

export const getSingerTab = endpoint({
  method: 'GET',
  path: '/getSingerTab',
  tag: 'singers',
  summary: 'Songs that a singer sang, wrote or produced',
  summaryInChinese: '歌手演唱、作词、作曲或制作的歌曲',
  description: 'Tabs of the singer\'s page: songs by the role of the singer. /getSingerHotsong sorts by popularity and returns a total. For an unknown singer the list is empty, because the upstream sends the same answer.',
  example: { singermid: '00DemoSing0001', tab: 'song_composing', limit: 3 },
  probe: ({ singers }) => singers.map((singermid) => ({ singermid, limit: 1 })),
  songs: ({ songs }) => songs.map(listedSong),
  input: GetSingerTabQuery,
  record: SingerTab,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid, tab, limit, page }, { upstream }) {
    const found = await upstream.send(tabOf(singermid, tab, Math.max(0, page - 1), limit))
    const songs = found.songs.slice(0, limit)
    // The next page begins behind all rows that were sent.
    return { singerMid: singermid, tab, ...found, songs, skipped: found.skipped + found.songs.length - songs.length }
  }
})
