/**
 * The home page: seven calls in one POST, each of which may fail by itself. Row shapes of 2018-03 and 2026-08, since
 * nobody knows which generation of a call answers.
 */
import { GetRecommendQuery, Recommend } from '../../../schemas/discover.ts'
import type { FocusPicture, HomeChart, HotCategory } from '../../../schemas/discover.ts'
import { response } from '../../../schemas/envelopes.ts'
import type { NewAlbum, PlaylistSummary } from '../../../schemas/playlists.ts'
import type { Song } from '../../../schemas/song.ts'
import { endpoint } from '../../endpoint.ts'
import { otherCallMayHelp, RelayError } from '../../errors.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import { httpsPicture, pictureUrl } from '../../provider/text.ts'
import type { MusicuCall, Settled, Upstream } from '../../provider/upstream.ts'
import { nobody, ownWords } from '../../provider/wire.ts'
import { readSong, singerNames } from '../shared/song.ts'
import { readPlazaRow, squarePlaylists } from '../shared/square.ts'
import { needText, pictureOf, textOf } from '../shared/texts.ts'

const categories: MusicuCall<HotCategory[]> = {
  name: 'home.categories',
  ask: { module: 'music.web_category_svr', method: 'get_hot_category', param: nobody },
  read: (answer) => need.list(answer, 'category', (group) => maybe.list(group, 'items', (item) => ({ id: need.int(item, 'item_id'), name: needText(item, 'item_name') }))).flat()
}

/** 10014 is a playlist; other types lead elsewhere. */
const recomPlaylists: MusicuCall<PlaylistSummary[]> = {
  name: 'home.playlists.recommended',
  ask: { module: 'playlist.HotRecommendServer', method: 'get_hot_recommend', param: { async: 1, cmd: 2 } },
  read: (answer) => need.list(answer, 'v_hot', (row) => (maybe.int(row, 'type') ?? 10014) !== 10014 ? undefined : {
    dissid: need.id(row, 'content_id'),
    dissname: needText(row, 'title'),
    creator: textOf(row, 'username'),
    listen_num: maybe.int(row, 'listen_num') ?? 0,
    imgurl: pictureOf(row, 'cover')
  })
}

const playlists: MusicuCall<PlaylistSummary[]> = {
  name: 'home.playlists',
  ask: { module: 'playlist.PlayListPlazaServer', method: 'get_playlist_by_category', param: { id: 8, curPage: 1, size: 40, order: 5, titleid: 8 } },
  read: (answer) => need.list(answer, 'v_playlist', readPlazaRow)
}

/** 5 newest; 1 mainland, 6 Hong Kong and Taiwan, 2 Western, 4 Korea, 3 Japan. */
const newSongs: MusicuCall<Song[]> = {
  name: 'home.songs',
  ask: { module: 'newsong.NewSongServer', method: 'get_new_song_info', param: { type: 5 } },
  read: (answer) => maybe.list(need.at(answer, ''), ['songlist', 'song_list'], readSong)
}

/** `start`, not `sin` as older clients send: recorded so. */
const newAlbums = (imageOrigin: string): MusicuCall<NewAlbum[]> => ({
  name: 'home.albums',
  ask: { module: 'newalbum.NewAlbumServer', method: 'get_new_album_info', param: { area: 1, start: 0, num: 10 } },
  sometimes: ['albums[].album'],
  read: (answer) => maybe.list(need.at(answer, ''), ['albums', 'album_list'], (row) => readAlbum(row, imageOrigin))
})

function readAlbum (row: Answer, imageOrigin: string): NewAlbum {
  const album = maybe.at(row, 'album') ?? row
  const mid = maybe.text(album, 'mid') ?? ''
  const pic = maybe.text(album, 'photo.pic_mid') ?? mid
  return {
    albumID: maybe.int(album, 'id') ?? 0,
    albumMID: mid,
    albumName: needText(album, 'name', 'title'),
    singerName: singerNames(row, 'singers') || singerNames(row, 'author'),
    publicTime: maybe.text(album, 'release_time', 'time_public') ?? '',
    albumPic: pic === '' ? '' : pictureUrl(imageOrigin, 'album', pic)
  }
}

const chartsOf = (name: string, module: string): MusicuCall<HomeChart[]> => ({
  name,
  ask: { module, method: 'GetAll', param: {} },
  read: (answer) => maybe.list(need.at(answer, ''), ['group', 'group_list'], (group) => maybe.list(group, ['toplist', 'list'], (chart) => ({
    id: need.int(chart, 'topId', 'id'),
    name: needText(chart, 'title', 'name'),
    picUrl: pictureOf(chart, 'headPicUrl', 'frontPicUrl', 'pic'),
    period: maybe.text(chart, 'period', 'update_key') ?? ''
  }))).flat()
})

const toplists = chartsOf('home.charts', 'music.musicToplist.Toplist')
const olderToplists = chartsOf('home.charts.older', 'musicToplist.ToplistInfoServer')

const focus: MusicuCall<FocusPicture[]> = {
  name: 'home.focus',
  ask: { module: ownWords.focusModule, method: 'GetFocus', param: {} },
  read: (answer) => need.list(answer, 'content', (row) => ({
    id: maybe.int(row, 'id') ?? 0,
    type: maybe.int(row, 'type', 'jumptype') ?? 0,
    title: textOf(row, 'title'),
    subTitle: textOf(row, 'sub_title'),
    picUrl: httpsPicture(need.text(row, 'pic_info.url', 'cover')),
    jumpUrl: maybe.text(row, 'jump_info.url') ?? ''
  }))
}

/** The part, or what another call knows of it; a second failure leaves the first. */
async function orElse<T> (part: Settled<T>, spare: MusicuCall<T>, upstream: Upstream): Promise<Settled<T>> {
  if (part.error === undefined || !otherCallMayHelp(part.error)) return part
  return await upstream.once.send(spare).then((value) => ({ value }), (error: unknown) => {
    if (!(error instanceof RelayError)) throw error
    return part
  })
}

export const getRecommend = endpoint({
  method: 'GET',
  path: '/getRecommend',
  tag: 'discover',
  summary: 'The home page: pictures, playlists, new songs and albums, charts',
  description: 'Each part is asked for by itself. A part that the upstream does not give is an empty list; the answer is an error only when no part can be had. With a cookie some parts are chosen for the account.',
  example: {},
  input: GetRecommendQuery,
  record: Recommend,
  envelope: response,
  login: 'optional',
  cache: 'lively',

  async run (_input, { upstream, imageOrigin, keepFor, log }) {
    const [hotCategories, featured, listened, songs, albums, ranked, pictures] = await upstream.sendAll([categories, recomPlaylists, playlists, newSongs, newAlbums(imageOrigin), toplists, focus])
    const [recommended, charts] = await Promise.all([orElse(featured, squarePlaylists, upstream), orElse(ranked, olderToplists, upstream)])
    const parts = [hotCategories, recommended, listened, songs, albums, charts, pictures]
    const errors = parts.flatMap(({ error }) => error === undefined ? [] : [error])
    if (errors.length === parts.length) throw errors[0]
    if (errors.length > 0) keepFor('brief')
    for (const error of errors) log.debug({ call: (error as { call?: string }).call, reason: (error as { code?: string }).code }, 'the home page lacks a part')
    return {
      focus: pictures.value ?? [],
      categories: hotCategories.value ?? [],
      recomPlaylists: recommended.value ?? [],
      playlists: listened.value ?? [],
      newSongs: songs.value ?? [],
      newAlbums: albums.value ?? [],
      toplists: charts.value ?? []
    }
  }
})
