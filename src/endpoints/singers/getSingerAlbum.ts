/** Albums of a singer. Upstream: `begin` is a row, not a page; at most 30 rows per response (recorded 2026-08-06). */
import { offsetFromOne } from '../../../schemas/common.ts'
import {
  codeMsgData, endpoint, maybe, need, nameOf, notFound, pictureUrl, textOf, type Alternative, type Answer,
  type ClassicCall, type MusicuCall
} from '../kit.ts'
import { GetSingerAlbumQuery, SingerAlbums, type SingerAlbum } from '../../../schemas/singers.ts'
import { readSentRows, collectRows, rowsInOnePost, unlessBlocked, type SentRows } from '../shared/pages.ts'
import { mostRows, unknownSinger } from './singer.ts'
import { singerNames } from '../shared/song.ts'

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

const chainOf = (part: AlbumRange): Alternative<SentRows<SingerAlbum>>[] => [
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
      (begin, num) => upstream.firstOf(chainOf({ singermid, begin, num, imageOrigin })),
      cacheAtMost
    )
    return { singerMid: singermid, total, albumList: rows, skipped }
  }
})
