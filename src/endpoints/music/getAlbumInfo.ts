/** An album with its songs: two gateway calls in one POST, or a classic call. None is in order (2026-07 to 09). */
import {
  codeMsgData, endpoint, isUnknown, maybe, nameOf, need, needText, notFound, optional, proseOf, textOf, upstreamEmpty,
  valueOf, type ClassicCall, type CompositeCall, type MusicuCall, type Settled, type Upstream
} from '../kit.ts'
import { AlbumInfo, GetAlbumInfoQuery } from '../../../schemas/music.ts'
import { classicFiller } from '../../upstream/wire/requests.ts'
import { readCounted } from '../shared/pages.ts'
import { inAlbumOrder, listedSong, readSongRow, readWrappedSong } from '../shared/song.ts'

type Head = Omit<AlbumInfo, 'songs' | 'total' | 'skipped'>
type Songs = Pick<AlbumInfo, 'songs' | 'total' | 'skipped'>

/** Either the MID is unknown or, with a cookie, the key has expired. The classic calls distinguish the two. */
const codes = { 104400: 'refused.item' } as const

const headOf = (albummid: string): MusicuCall<Head> => ({
  name: 'album.detail',
  request: { module: 'music.musichallAlbum.AlbumInfoServer', method: 'GetAlbumDetail', param: { albumMId: albummid } },
  codes,
  // A head without a name means that the album is unknown.
  read (answer) {
    const head = maybe.at(answer, 'basicInfo')
    if (head === undefined) throw upstreamEmpty(answer.call, 'the album')
    if (maybe.text(head, 'albumName') === undefined) throw notFound(answer.call, `The album ${albummid}`)
    const people = maybe.list(
      answer,
      'singer.singerList',
      (person) => ({ name: nameOf(person, 'name'), role: maybe.text(person, 'role') })
    )
    const singers = people.filter(({ role }) => role === 'singer')
    return {
      id: maybe.int(head, 'albumID') ?? 0,
      mid: maybe.text(head, 'albumMid') ?? albummid,
      albumName: textOf(head, 'albumName'),
      singerName: (singers.length > 0 ? singers : people).map(({ name }) => name).filter(Boolean).join('/'),
      publicTime: maybe.text(head, 'publishDate') ?? '',
      desc: proseOf(head, 'desc'),
      company: textOf(answer, 'company.name'),
      genre: textOf(head, 'genre', 'genreNew'),
      language: textOf(head, 'language')
    }
  }
})

const songsOf = (albummid: string): MusicuCall<Songs> => ({
  name: 'album.songs',
  request: {
    module: 'music.musichallAlbum.AlbumSongList',
    method: 'GetAlbumSongList',
    param: { albumMid: albummid, begin: 0, num: 999, order: 2 }
  },
  read (answer) {
    const { rows, skipped } = readCounted(answer, ['songList'], (row) => readWrappedSong(row, 'need', 'songInfo'))
    const total = maybe.int(answer, 'totalNum')
    if (rows.length + skipped === 0 && total !== 0) throw upstreamEmpty(answer.call, 'songs')
    return { total: total ?? rows.length + skipped, songs: inAlbumOrder(rows), skipped }
  }
})

/** `exists` is called if the album exists, with or without its songs. */
const albumOf = (
  albummid: string,
  exists: () => void
): CompositeCall<AlbumInfo, readonly [MusicuCall<Head>, MusicuCall<Songs>]> => ({
  name: 'album.detail',
  codes,
  calls: [headOf(albummid), songsOf(albummid)],
  read ([head, songs]) {
    const found = valueOf(head)
    exists()
    return { ...found, ...valueOf(songs) }
  },
  always: true // only the head distinguishes an unknown album from a blocked call
})

const classicOf = (albummid: string): ClassicCall<AlbumInfo> => ({
  name: 'album.classic',
  request: {
    path: '/v8/fcg-bin/fcg_v8_album_info_cp.fcg',
    query: { ...classicFiller, albummid, format: 'json', newsong: 1 }
  },
  optionalFields: ['data'], // absent for an unknown album
  // An unknown album has code 0 without `data`, and so has a blocked call.
  read (answer) {
    const album = maybe.at(answer, 'data')
    if (album === undefined) throw upstreamEmpty(answer.call, 'the album')
    const { rows, skipped } = readCounted(album, ['list'], readSongRow)
    const total = maybe.int(album, 'total_song_num', 'total') ?? rows.length + skipped
    if (rows.length + skipped === 0 && total !== 0) throw upstreamEmpty(answer.call, 'songs')
    return {
      id: maybe.int(album, 'id') ?? 0,
      mid: maybe.text(album, 'mid') ?? albummid,
      albumName: needText(album, 'name'),
      singerName: textOf(album, 'singername'),
      publicTime: maybe.text(album, 'aDate') ?? '',
      desc: proseOf(album, 'desc'),
      company: textOf(album, 'company', 'company_new.name'),
      genre: textOf(album, 'genre'),
      language: textOf(album, 'lan'),
      total,
      songs: inAlbumOrder(rows),
      skipped
    }
  }
})

const classicDetailOf = (albummid: string): ClassicCall<AlbumInfo> => ({
  name: 'album.classic.detail',
  request: {
    path: '/v8/fcg-bin/fcg_v8_album_detail_cp.fcg',
    query: { ...classicFiller, albummid, format: 'json', newsong: 1 }
  },
  optionalFields: ['data.getSongInfo[].album.pmid'],
  // The fields are columns of the upstream's tables, and numbers are strings.
  read (answer) {
    const data = maybe.at(answer, 'data')
    if (data === undefined) throw upstreamEmpty(answer.call, 'the album')
    const album = need.at(data, 'getAlbumInfo')
    const { rows, skipped } = readCounted(data, ['getSongInfo'], readSongRow)
    return {
      id: maybe.int(album, 'Falbum_id') ?? 0,
      mid: maybe.text(album, 'Falbum_mid') ?? albummid,
      albumName: needText(album, 'Falbum_name'),
      singerName: maybe.list(data, 'singerInfo', (singer) => nameOf(singer, 'Fsinger_name') || undefined).join('/')
        || textOf(data, 'getSingerInfo.Fsinger_name'),
      publicTime: maybe.text(album, 'Fpublic_time') ?? '',
      desc: proseOf(data, 'getAlbumDesc.Falbum_desc'),
      company: textOf(data, 'company.name', 'getCompanyInfo.Fcompany_name'),
      genre: textOf(data, 'genre'),
      language: textOf(data, 'language'),
      total: rows.length + skipped,
      songs: inAlbumOrder(rows),
      skipped
    }
  }
})

/** Fetches many albums, ten in each POST. Each settles on its own, in the order of `albummids`, without a fallback. */
export async function eachAlbum (
  upstream: Upstream,
  albummids: readonly string[]
): Promise<readonly Settled<AlbumInfo>[]> {
  if (albummids.length === 0) return []
  const calls: readonly MusicuCall<Head | Songs>[] =
    albummids.flatMap((albummid) => [headOf(albummid), songsOf(albummid)])
  const parts = await upstream.sendAll(calls)
  return albummids.map((_mid, at) => {
    const [head, songs] = parts.slice(2 * at, 2 * at + 2)
    const error = head?.error ?? songs?.error
    return error === undefined ? { value: { ...head?.value, ...songs?.value } as AlbumInfo } : { error }
  })
}

export const getAlbumInfo = endpoint({
  method: 'GET',
  path: '/getAlbumInfo',
  tag: 'music',
  summary: 'One album with its songs',
  summaryInChinese: '专辑详情和全部歌曲',
  description: 'All songs of the album at once. songs are the records that /getSongInfo has as track_info.',
  example: { albummid: '00DemoAlbu0001' },
  probe: ({ albums }) => albums.map((albummid) => ({ albummid })),
  songs: ({ songs }) => songs.map(listedSong),
  total: ({ total }) => total,
  input: GetAlbumInfoQuery,
  record: AlbumInfo,
  envelope: codeMsgData,
  cache: 'slow',

  async run ({ albummid }, { upstream }) {
    let isKnown = false
    const exists = (): void => { isKnown = true }
    const album = await optional(
      upstream.firstOf<AlbumInfo>([albumOf(albummid, exists), classicOf(albummid), classicDetailOf(albummid)]),
      (error) => !isKnown && isUnknown(error)
    )
    if (album === undefined) throw notFound('album.classic', `The album ${albummid}`)
    return album
  }
})
