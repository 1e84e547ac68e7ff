import { randomFrom, seedOf } from '../catalogue/random.ts'
import type { Album, Catalogue, Mv, Singer, Song } from '../catalogue/types.ts'
import { newSong, oldSong } from '../shapes/song.ts'
import { escapeHtml, singerText } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { mvPicture, publishedAt } from './mv.ts'
import { mistyped, numberOf, queryNumber, textOf } from './params.ts'

/** Number of rows per answer of these lists; `num` and `number` are ignored (2026-08). */
const rowsPerAnswer = 30

const popularity = (mid: string): number => randomFrom(seedOf(`heard ${mid}`)).int(100, 90_000_000)

function by (singer: Singer): (work: Song | Album | Mv) => boolean {
  return ({ singers }) => singers.includes(singer)
}

const newestFirst = (a: { published: string, id: number }, b: { published: string, id: number }): number =>
  b.published.localeCompare(a.published) || b.id - a.id

const mostHeardFirst = (a: { mid: string }, b: { mid: string }): number => popularity(b.mid) - popularity(a.mid)

/** `order` 1 is by popularity, otherwise newest first. */
export function songsOf (singer: Singer, { songs }: Catalogue, order: number): Song[] {
  return songs.filter(by(singer)).sort(order === 1 ? mostHeardFirst : newestFirst)
}

const kinds = {
  singerMid: 'string',
  singermid: 'string',
  singerid: 'number',
  order: 'number',
  begin: 'number',
  num: 'number',
  number: 'number',
  sort: 'number',
  sin: 'number',
  exstatus: 'flag'
} as const

function getSongs (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, kinds)
  if (wrong) return wrong
  const singer = catalogue.singerByMid.get(textOf(param, 'singerMid'))
  if (!singer) return { code: 104400 }
  const songs = songsOf(singer, catalogue, numberOf(param, 'order', 0))
  const begin = numberOf(param, 'begin', 0)
  const rows = songs.slice(begin, begin + rowsPerAnswer).map((song) => ({ songInfo: newSong(song) }))
  return { code: 0, data: { singerMid: singer.mid, totalNum: songs.length, songList: rows.length > 0 ? rows : null } }
}

/**
 * The old page of a singer, with at most 60 songs and the number of followers. An unknown singer is a page without a
 * name.
 */
function getDetailInfo (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, kinds)
  if (wrong) return wrong
  const singer = catalogue.singerByMid.get(textOf(param, 'singermid'))
  const songs = singer ? songsOf(singer, catalogue, numberOf(param, 'sort', 0) === 5 ? 1 : 0) : []
  const sin = numberOf(param, 'sin', 0)
  const page = songs.slice(sin, sin + Math.min(60, numberOf(param, 'num', 5)))
  const data = {
    songlist: page.map(newSong),
    singer_info: singer
      ? {
        id: singer.id,
        mid: singer.mid,
        name: singer.name,
        title: singer.name,
        type: singer.sex,
        uin: 0,
        pmid: '',
        fans: singer.fans
      }
      : { id: 0, mid: '', name: '', title: '', type: 0, uin: 0, pmid: '', fans: 0 },
    singer_brief: singer?.desc ?? '',
    music_grp: [],
    total_album: singer ? catalogue.albums.filter(by(singer)).length : 0,
    total_mv: singer ? clipsOf(singer, catalogue, 'time').length : 0,
    total_song: songs.length,
    yinyueren: '0',
    show_singer_desc: true,
    extras: page.map((song) => ({
      listen_count: popularity(song.mid),
      upload_time: `${song.published} 00:00:00`,
      is_only: 0,
      is_new: 0
    }))
  }
  return { code: 0, data }
}

export function albumsOf (singer: Singer, { albums }: Catalogue, order: 'heard' | 'new'): Album[] {
  return albums.filter(by(singer)).sort(order === 'heard' ? mostHeardFirst : newestFirst)
}

/** `totalNum` is 0 for every album (2026). */
export function albumRow (album: Album): Record<string, unknown> {
  return {
    albumMid: album.mid,
    albumName: album.name,
    albumTranName: album.otherName,
    publishDate: album.published,
    totalNum: 0,
    albumType: album.kind,
    pmid: `${album.mid}_1`,
    albumID: album.id,
    singerName: singerText(album.singers),
    tags: null,
    specIcon: '',
    pubText: '',
    trace: ''
  }
}

function getAlbums (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, kinds)
  if (wrong) return wrong
  const singer = catalogue.singerByMid.get(textOf(param, 'singerMid'))
  if (!singer) return { code: 104400 }
  const albums = albumsOf(singer, catalogue, numberOf(param, 'order', 0) === 1 ? 'heard' : 'new')
  const begin = numberOf(param, 'begin', 0)
  const albumList = albums.slice(begin, begin + rowsPerAnswer).map(albumRow)
  return { code: 0, data: { singerMid: singer.mid, albumList, total: albums.length } }
}

/** Rows in snake case. Names are escaped, as in all answers of that age. */
function olderAlbums (mid: string, begin: number, num: number, catalogue: Catalogue): Record<string, unknown> {
  const singer = catalogue.singerByMid.get(mid)
  const albums = singer ? albumsOf(singer, catalogue, 'new') : []
  const list = albums.slice(begin, begin + Math.min(rowsPerAnswer, num)).map((album) => ({
    album_id: album.id,
    album_mid: album.mid,
    album_name: escapeHtml(album.name),
    album_type: album.kind,
    pub_time: album.published,
    singer_name: escapeHtml(singerText(album.singers))
  }))
  return {
    list,
    total: albums.length,
    singer_id: singer?.id ?? 0,
    singer_mid: singer?.mid ?? '',
    singer_name: escapeHtml(singer?.name ?? '')
  }
}

function getOlderAlbums (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { ...kinds, order: 'string' })
  if (wrong) return wrong
  return {
    code: 0,
    data: olderAlbums(textOf(param, 'singermid'), numberOf(param, 'begin', 0), numberOf(param, 'num', 5), catalogue)
  }
}

/** `listen` orders by plays, `time` newest first. */
export function clipsOf (singer: Singer, { mvs }: Catalogue, order: 'listen' | 'time'): Mv[] {
  return mvs.filter(by(singer)).sort(order === 'listen' ? (a, b) => b.plays - a.plays : newestFirst)
}

export function clipRow (catalogue: Catalogue, mv: Mv): Record<string, unknown> {
  return {
    duration: mv.seconds,
    icon_type: 0,
    mvid: mv.id,
    picformat: 0,
    picurl: mvPicture(catalogue, mv),
    playcnt: mv.plays,
    pubdate: publishedAt(mv),
    title: mv.title,
    type: 0,
    vid: mv.vid
  }
}

/** `order` 1 is the ranking, 0 newest first. `count` is honoured. An unknown MID is an empty list. */
function getClips (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { singermid: 'string', order: 'number', count: 'number', start: 'number' })
  if (wrong) return wrong
  const singer = catalogue.singerByMid.get(textOf(param, 'singermid'))
  const clips = singer ? clipsOf(singer, catalogue, numberOf(param, 'order', 0) === 1 ? 'listen' : 'time') : []
  const start = numberOf(param, 'start', 0)
  const list = clips.slice(start, start + numberOf(param, 'count', 10)).map((mv) => clipRow(catalogue, mv))
  return { code: 0, data: { list, total: clips.length } }
}

export const singerWorkCalls: MusicuTable = {
  'musichall.song_list_server/GetSingerSongList': getSongs,
  'music.musichallSong.SongListInter/GetSingerSongList': getSongs,
  'music.web_singer_info_svr/get_singer_detail_info': getDetailInfo,
  'music.musichallAlbum.AlbumListServer/GetAlbumList': getAlbums,
  'music.web_singer_info_svr/get_singer_album': getOlderAlbums,
  'MvService.MvInfoProServer/GetSingerMvList': getClips
}

/** `cmd=1` selects uploads of fans. The demo has none. */
function classicClips (query: Query, { catalogue }: CallContext): unknown {
  const singer = query['cmd'] === '1' ? undefined : catalogue.singerByMid.get(query['singermid'] ?? '')
  const clips = singer ? clipsOf(singer, catalogue, query['order'] === 'time' ? 'time' : 'listen') : []
  const begin = queryNumber(query, 'begin', 0)
  const list = clips.slice(begin, begin + queryNumber(query, 'num', 5)).map((mv, at) => ({
    index: begin + at + 1,
    vid: mv.vid,
    id: String(mv.id),
    title: escapeHtml(mv.title),
    desc: '',
    pic: mvPicture(catalogue, mv),
    encrypt_uin: 'demoUploader00**',
    upload_uin: '1000000404',
    upload_nick: 'demo uploader',
    upload_pic: '',
    score: '0',
    listenCount: String(mv.plays),
    date: mv.published,
    singer_id: singer?.id ?? 0,
    singer_name: escapeHtml(singer?.name ?? ''),
    singer_mid: singer?.mid ?? ''
  }))
  return { code: 0, subcode: 0, message: 'succ', data: { list, total: clips.length } }
}

/** The songs of a singer, each wrapped in a row. `order` is `listen` (most heard first) or `time`. */
function classicTracks (query: Query, { catalogue }: CallContext): unknown {
  const singer = catalogue.singerByMid.get(query['singermid'] ?? '')
  const songs = singer ? songsOf(singer, catalogue, query['order'] === 'time' ? 0 : 1) : []
  const begin = queryNumber(query, 'begin', 0)
  const list = songs.slice(begin, begin + queryNumber(query, 'num', rowsPerAnswer)).map((song, at) => ({
    Flisten_count1: popularity(song.mid),
    Fupload_time: `${song.published} 00:00:00`,
    index: begin + at + 1,
    isnew: 0,
    listenCount: popularity(song.mid),
    musicData: query['newsong'] === '1' ? newSong(song) : oldSong(song),
    price: 320,
    vid: song.mv.vid
  }))
  return {
    code: 0,
    subcode: 0,
    message: 'succ',
    data: {
      list,
      singer_id: singer?.id ?? 0,
      singer_mid: singer?.mid ?? '',
      singer_name: escapeHtml(singer?.name ?? ''),
      total: songs.length
    }
  }
}

export const singerWorkPaths: ClassicTable = {
  '/v8/fcg-bin/fcg_v8_singer_track_cp.fcg': { answer: classicTracks, json: true },
  '/mv/fcgi-bin/fcg_singer_mv.fcg': { answer: classicClips },
  '/v8/fcg-bin/fcg_v8_singer_album.fcg': {
    answer: (query, { catalogue }) => ({
      code: 0,
      subcode: 0,
      message: 'succ',
      data: olderAlbums(
        query['singermid'] ?? '',
        queryNumber(query, 'begin', 0),
        queryNumber(query, 'num', 5),
        catalogue
      )
    })
  }
}
