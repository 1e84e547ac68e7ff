/** Albums of a singer. Upstream: `begin` is a row, not a page; 30 rows at most per answer (recorded 2026-08-06). */
import { offsetFromOne } from '../../../schemas/common.ts'
import { codeMsgData } from '../../../schemas/envelopes.ts'
import { GetSingerAlbumQuery, SingerAlbums } from '../../../schemas/singers.ts'
import type { SingerAlbum } from '../../../schemas/singers.ts'
import { endpoint } from '../../endpoint.ts'
import { notFound } from '../../errors.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import { pictureUrl } from '../../provider/text.ts'
import type { ClassicCall, MusicuCall, UpstreamCall } from '../../provider/upstream.ts'
import { readSentRows, rowsFrom, unlessBlocked } from '../shared/pages.ts'
import type { SentRows } from '../shared/pages.ts'
import { unknownSinger } from '../shared/singer.ts'
import { singerNames } from '../shared/song.ts'
import { needText, textOf } from '../shared/texts.ts'

interface Part { readonly singermid: string, readonly begin: number, readonly num: number, readonly imageOrigin: string }

/** `order` 1 resembles popularity. */
const albumsOf = ({ singermid, begin, num, imageOrigin }: Part): MusicuCall<SentRows<SingerAlbum>> => ({
  name: 'singer.albums',
  ask: { module: 'music.musichallAlbum.AlbumListServer', method: 'GetAlbumList', param: { singerMid: singermid, order: 1, begin, num, number: num } },
  codes: unknownSinger,
  read: (answer) => readAlbums(answer, begin, imageOrigin)
})

const olderAlbumsOf = ({ singermid, begin, num, imageOrigin }: Part): MusicuCall<SentRows<SingerAlbum>> => ({
  name: 'singer.albums.older',
  ask: { module: 'music.web_singer_info_svr', method: 'get_singer_album', param: { singermid, order: 'time', begin, num, exstatus: 1 } },
  sometimes: ['list[].albumTranName', 'list[].pmid'],
  read: (answer) => readOlderAlbums(answer, singermid, begin, imageOrigin)
})

const classicAlbumsOf = ({ singermid, begin, num, imageOrigin }: Part): ClassicCall<SentRows<SingerAlbum>> => ({
  name: 'singer.albums.classic',
  ask: { path: '/v8/fcg-bin/fcg_v8_singer_album.fcg', query: { singermid, order: 'time', begin, num, format: 'json', inCharset: 'utf8', outCharset: 'utf-8' } },
  sometimes: ['data.list[].albumTranName', 'data.list[].pmid'],
  read: (answer) => readOlderAlbums(need.at(answer, 'data'), singermid, begin, imageOrigin)
})

const chainOf = (part: Part): UpstreamCall<SentRows<SingerAlbum>>[] => [albumsOf(part), olderAlbumsOf(part), classicAlbumsOf(part)]

function readAlbums (answer: Answer, begin: number, imageOrigin: string): SentRows<SingerAlbum> {
  const page = readSentRows(answer, ['albumList', 'list'], maybe.int(answer, 'total'), (row) => readAlbum(row, imageOrigin))
  return unlessBlocked(page, begin, answer.call, 'albums')
}

/** The older answers name the singer beside the list; an unknown one has no name. */
function readOlderAlbums (answer: Answer, singermid: string, begin: number, imageOrigin: string): SentRows<SingerAlbum> {
  const page = readAlbums(answer, begin, imageOrigin)
  if (page.sent === 0 && maybe.text(answer, 'singer_mid') === undefined) throw notFound(answer.call, `The singer ${singermid}`)
  return page
}

/** No answer of the older calls was ever captured; clients read snake case or capital MIDs. */
function readAlbum (row: Answer, imageOrigin: string): SingerAlbum {
  const albumMid = need.text(row, 'albumMid', 'album_mid', 'albumMID', 'mid')
  const pmid = maybe.text(row, 'pmid') ?? albumMid
  return {
    albumID: maybe.int(row, 'albumID', 'album_id', 'albumid', 'id') ?? 0,
    albumMid,
    albumName: needText(row, 'albumName', 'album_name', 'name'),
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
  description: 'total counts all albums of the singer; a page beyond it is empty. The order is the upstream\'s, popular ones first.',
  example: { singermid: '00DemoSing0001', limit: 5 },
  input: GetSingerAlbumQuery,
  record: SingerAlbums,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid, limit, page }, { upstream, imageOrigin, keepFor }) {
    const { rows, total } = await rowsFrom(offsetFromOne(page, limit), limit, (begin, num) => upstream.firstOf(chainOf({ singermid, begin, num, imageOrigin })), keepFor)
    return { singerMid: singermid, total, albumList: rows }
  }
})
