import type { Album, Song } from '../catalogue/types.ts'
import { newSong, oldSong } from '../shapes/song.ts'
import { escapeHtml, singerText } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { mistyped, numberOf, textOf } from './params.ts'

/**
 * Returns the songs in the upstream's order, which is not that of the tracks (2026-09): here the first of the second
 * half, the first of the first half, and so on.
 */
function sentSongs ({ songs }: Album): Song[] {
  const half = Math.floor(songs.length / 2)
  return songs.map((_, at) => songs[at % 2 ? (at - 1) / 2 : half + at / 2] as Song)
}

function albumAsked (param: Param, { catalogue }: CallContext): Album | undefined {
  const mid = textOf(param, 'albumMId', 'albumMid', 'albumMID')
  return mid ? catalogue.albumByMid.get(mid)
    : catalogue.albumById.get(numberOf(param, 'albumId', numberOf(param, 'albumID', 0)))
}

const kinds = {
  albumMId: 'string',
  albumMid: 'string',
  albumId: 'number',
  albumID: 'number',
  begin: 'number',
  num: 'number',
  order: 'number'
} as const

/** An unknown MID is refused (104400, "bad argument" without a cookie). An unknown number returns an empty head. */
function getDetail (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, kinds)
  if (wrong) return wrong
  const album = albumAsked(param, context)
  if (!album && textOf(param, 'albumMId', 'albumMid')) return { code: 104400 }
  if (!album) return { code: 0, data: { basicInfo: {}, company: {}, singer: { singerList: [] }, extra: null } }
  const basicInfo = {
    albumMid: album.mid,
    albumName: album.name,
    tranName: album.otherName,
    publishDate: album.published,
    desc: album.desc,
    genre: album.genre.name,
    language: album.language.name,
    albumType: album.kind,
    genreURL: '',
    lanURL: '',
    albumTag3: 0,
    recordNum: '',
    albumID: album.id,
    pmid: `${album.mid}_1`,
    type: 0,
    modifyTime: 1790000000,
    color: 5119262,
    adJson: '{}',
    albumDuration: Math.round(album.songs.reduce((sum, song) => sum + song.interval, 0) / 60),
    genreNew: album.genre.name
  }
  const singerList = album.singers.map((singer) => ({
    mid: singer.mid,
    name: singer.name,
    transName: singer.otherName,
    role: 'singer',
    instrument: '无乐器',
    singerID: singer.id,
    type: singer.sex,
    singerType: 0,
    pmid: ''
  }))
  return {
    code: 0,
    data: {
      basicInfo,
      company: { ID: album.company.id, name: album.company.name, headPic: '', isShow: 1, brief: '' },
      singer: { singerList },
      extra: null
    }
  }
}

function getSongList (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, kinds)
  if (wrong) return wrong
  const album = albumAsked(param, context)
  const begin = numberOf(param, 'begin', 0)
  const songs = album ? sentSongs(album).slice(begin, begin + numberOf(param, 'num', 10)) : []
  const songList = songs.map((song) => ({
    songInfo: newSong(song),
    listenCount: 0,
    uploadTime: '',
    isThemeSong: 0,
    teamStr: ''
  }))
  return {
    code: 0,
    data: {
      albumMid: album?.mid ?? '',
      totalNum: album?.songs.length ?? 0,
      songList,
      classicList: [],
      sort: 0,
      albumTips: '',
      index: 0,
      curBegin: begin,
      cdNewStyle: 0,
      cdNameMap: null
    }
  }
}

export const albumCalls: MusicuTable = {
  'music.musichallAlbum.AlbumInfoServer/GetAlbumDetail': getDetail,
  'music.musichallAlbum.AlbumSongList/GetAlbumSongList': getSongList
}

/**
 * Album and songs in one answer. Songs have the new shape with `newsong=1`. An unknown album is code 0 without `data`.
 */
function classicInfo (query: Query, { catalogue }: CallContext): unknown {
  const album = catalogue.albumByMid.get(query['albummid'] ?? '')
  if (!album) return { code: 0, message: '', subcode: 0 }
  const [first] = album.singers
  const data = {
    aDate: album.published,
    albumTips: '',
    color: 1704579,
    company: escapeHtml(album.company.name),
    company_new: { brief: '', headPic: '', id: album.company.id, is_show: 1, name: escapeHtml(album.company.name) },
    cur_song_num: album.songs.length,
    desc: escapeHtml(album.desc),
    genre: escapeHtml(album.genre.name),
    id: album.id,
    lan: album.language.name,
    list: sentSongs(album).map(query['newsong'] === '1' ? newSong : oldSong),
    mid: album.mid,
    name: escapeHtml(album.name),
    radio_anchor: 0,
    singerid: first?.id ?? 0,
    singermblog: '',
    singermid: first?.mid ?? '',
    singername: escapeHtml(singerText(album.singers)),
    song_begin: 0,
    total: album.songs.length,
    total_song_num: album.songs.length
  }
  return { code: 0, data, message: 'succ', subcode: 0 }
}

/** All values are text, including numbers. */
function classicDetail (query: Query, { catalogue }: CallContext): unknown {
  const album = catalogue.albumByMid.get(query['albummid'] ?? '')
  if (!album) return { code: -1, subcode: -1, message: 'no such album' }
  const singerRows = album.singers.map((singer) => ({
    Fsinger_id: String(singer.id),
    Fsinger_mid: singer.mid,
    Fsinger_name: escapeHtml(singer.name),
    Fother_name: escapeHtml(singer.otherName),
    Ftype: String(singer.sex)
  }))
  const data = {
    albumTips: '',
    albumtype: album.kind,
    company: { brief: '', headPic: '', id: album.company.id, is_show: 1, name: escapeHtml(album.company.name) },
    genre: escapeHtml(album.genre.name),
    genre_id: album.genre.id,
    getAlbumDesc: {
      Falbum_desc: escapeHtml(album.desc),
      Falbum_id: String(album.id),
      Falbum_tag3: '0',
      Falbum_tag5: ''
    },
    getAlbumInfo: {
      Falbum_id: String(album.id),
      Falbum_mid: album.mid,
      Falbum_name: escapeHtml(album.name),
      Fother_name: escapeHtml(album.otherName),
      Fpublic_time: album.published,
      Fstatus: '0',
      buy: 0,
      price: 0
    },
    getCompanyInfo: { Fcompany_id: String(album.company.id), Fcompany_name: escapeHtml(album.company.name) },
    getSingerInfo: singerRows[0] ?? null,
    getSongInfo: sentSongs(album).map(query['newsong'] === '1' ? newSong : oldSong),
    language: album.language.name,
    radio_anchor: 0,
    singerInfo: singerRows
  }
  return { code: 0, data }
}

export const albumPaths: ClassicTable = {
  '/v8/fcg-bin/fcg_v8_album_info_cp.fcg': { answer: classicInfo },
  '/v8/fcg-bin/fcg_v8_album_detail_cp.fcg': { answer: classicDetail }
}
