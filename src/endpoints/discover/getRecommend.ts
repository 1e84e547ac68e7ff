/**
 * The home page: six calls in one POST, each of which may fail on its own. Row shapes are those of 2018-03 and 2026-08,
 * because it is unknown which generation of a call answers. The former calls for categories and playlists were last
 * seen in 2018 and 2019; feed and square are sent instead (2026-08).
 */
import { midPattern, offsetFromOne } from '../../../schemas/common.ts'
import {
  GetRecommendQuery, Recommend, type FocusPicture, type HomeChart, type HotCategory
} from '../../../schemas/discover.ts'
import { GetNewDisksQuery, NewAlbums, type NewAlbum, type PlaylistSummary } from '../../../schemas/playlists.ts'
import type { Song } from '../../../schemas/song.ts'
import {
  codeMsgData, endpoint, httpsPicture, maybe, nameOf, nameOfKnown, need, needText, noteMissing, pictureOf, pictureUrl,
  publicCodes, response, someRows, textOf, uniqueBy, webAddress, type Answer, type MusicuCall
} from '../kit.ts'
import { feedOf, playlistsIn } from '../recommend/recommended.ts'
import {
  collectRows, readCounted, readGroups, readPart, readSentRows, unlessBlocked, type CountedRows, type SentRows
} from '../shared/pages.ts'
import { squarePlaylists } from '../shared/playlistCalls.ts'
import { readSongRow, singerNames } from '../shared/song.ts'
import { ownWords } from '../../upstream/wire/requests.ts'

/**
 * Playlists from the feed's cards, which have no creator. Without a login a refusal sends the fallback. With one it
 * means that the login has ended: the answer is then made without it, or has the playlists of the square.
 */
const recomPlaylists = (loggedIn: boolean): MusicuCall<CountedRows<PlaylistSummary>> => ({
  ...feedOf('home.feed', 'music.recommend.RecommendFeed', 'web', playlistsIn),
  ...loggedIn ? {} : { codes: publicCodes }
})

interface Square { readonly playlists: CountedRows<PlaylistSummary>, readonly categories: HotCategory[] }

/** Playlists of the square. Their tags are the currently popular categories. */
const square: MusicuCall<Square> = {
  name: 'home.square',
  request: squarePlaylists.request,
  read: (answer) => ({
    playlists: squarePlaylists.read(answer),
    categories: uniqueBy(
      maybe.list(answer, 'List', (row) =>
        readPart(row, ['Playlist.basic.v_tag'], (tag) => ({ id: need.int(tag, 'id'), name: needText(tag, 'name') }))
          .rows).flat(),
      ({ id }) => id
    )
  })
}

function someOf<T> (answer: Answer, what: string, found: CountedRows<T>): CountedRows<T> {
  someRows(answer, what, found.rows)
  return found
}

/** `type`: 5 newest, 1 mainland, 6 Hong Kong and Taiwan, 2 Western, 4 Korea, 3 Japan. */
const newSongs: MusicuCall<CountedRows<Song>> = {
  name: 'home.songs',
  request: { module: 'newsong.NewSongServer', method: 'get_new_song_info', param: { type: 5 } },
  read: (answer) =>
    someOf(answer, 'new songs', readCounted(need.at(answer, ''), ['songlist', 'song_list'], readSongRow))
}

/** The recorded request has `start`; older clients send `sin`. */
const newAlbums = (imageOrigin: string): MusicuCall<CountedRows<NewAlbum>> => ({
  name: 'home.albums',
  request: { module: 'newalbum.NewAlbumServer', method: 'get_new_album_info', param: { area: 1, start: 0, num: 10 } },
  optionalFields: ['albums[].album'],
  read: (answer) =>
    someOf(
      answer,
      'new albums',
      readCounted(need.at(answer, ''), ['albums', 'album_list'], (row) => readAlbum(row, imageOrigin))
    )
})

function readAlbum (row: Answer, imageOrigin: string): NewAlbum {
  const album = maybe.at(row, 'album') ?? row
  const mid = maybe.text(album, 'mid') ?? ''
  const pic = maybe.text(album, 'photo.pic_mid') ?? mid
  const albumID = maybe.int(album, 'id') ?? 0
  return {
    albumID,
    albumMID: mid,
    albumName: nameOfKnown(album, [albumID, mid], 'name', 'title'),
    singerName: singerNames(row, 'singers') || singerNames(row, 'author'),
    publicTime: maybe.text(album, 'release_time', 'time_public') ?? '',
    albumPic: pic === '' ? '' : pictureUrl(imageOrigin, 'album', pic)
  }
}

const chartsOf = (name: string, module: string): MusicuCall<CountedRows<HomeChart>> => ({
  name,
  request: { module, method: 'GetAll', param: {} },
  read: (answer) =>
    someOf(
      answer,
      'charts',
      readGroups(
        (read) => maybe.list(need.at(answer, ''), ['group', 'group_list'], read),
        ['toplist', 'list'],
        (chart) => ({
          id: need.int(chart, 'topId', 'id'),
          name: nameOf(chart, 'title', 'name'),
          picUrl: pictureOf(chart, 'headPicUrl', 'frontPicUrl', 'pic'),
          period: maybe.text(chart, 'period', 'update_key') ?? ''
        })
      )
    )
})

const toplists = chartsOf('home.charts', 'music.musicToplist.Toplist')
const olderToplists = chartsOf('home.charts.older', 'musicToplist.ToplistInfoServer')

const focus: MusicuCall<CountedRows<FocusPicture>> = {
  name: 'home.focus',
  request: { module: ownWords.focusModule, method: 'GetFocus', param: {} },
  read (answer) {
    need.list(answer, 'content', () => undefined)
    return readCounted(answer, ['content'], (row) => ({
      id: maybe.int(row, 'id') ?? 0,
      type: maybe.int(row, 'type', 'jumptype') ?? 0,
      title: textOf(row, 'title'),
      subTitle: textOf(row, 'sub_title'),
      picUrl: httpsPicture(need.text(row, 'pic_info.url', 'cover')),
      jumpUrl: leadsTo(maybe.text(row, 'jump_info.url') ?? '')
    }))
  }
}

const isMid = (text: string): boolean => new RegExp(midPattern).test(text)

/** Returns a MID or an address; "" for anything else. */
const leadsTo = (text: string): string => isMid(text) ? text : webAddress(text)

export const getRecommend = endpoint({
  method: 'GET',
  path: '/getRecommend',
  tag: 'discover',
  summary: 'The home page: pictures, playlists, new songs and albums, charts',
  summaryInChinese: '首页内容：轮播图、歌单、新歌、新碟、榜单',
  description: 'Each part is fetched separately. A part that the upstream does not send is an empty list; the answer is an error only if all parts fail. With a cookie, some parts are chosen for the account.',
  example: {},
  probe: () => [{}],
  input: GetRecommendQuery,
  record: Recommend,
  envelope: response,
  login: 'optional',
  cache: 'lively',

  async run (_input, context) {
    const { upstream, imageOrigin } = context
    const parts = await upstream.sendAll([
      [recomPlaylists(upstream.loggedIn), squarePlaylists],
      square,
      newSongs,
      newAlbums(imageOrigin),
      [toplists, olderToplists],
      focus
    ])
    const errors = parts.flatMap(({ error }) => error === undefined ? [] : [error])
    if (errors.length === parts.length) throw errors[0]
    for (const error of errors) noteMissing(context, error, 'the home page lacks a part')
    const [feed, listened, songs, albums, charts, pictures] = parts
    const recommended = feed.value ?? listened.value?.playlists
    return {
      focus: pictures.value?.rows ?? [],
      categories: listened.value?.categories ?? [],
      recomPlaylists: recommended?.rows ?? [],
      playlists: listened.value?.playlists.rows ?? [],
      newSongs: songs.value?.rows ?? [],
      newAlbums: albums.value?.rows ?? [],
      toplists: charts.value?.rows ?? [],
      skipped: [
        recommended,
        listened.value?.playlists,
        songs.value,
        albums.value,
        charts.value,
        pictures.value
      ].reduce((sum, part) => sum + (part?.skipped ?? 0), 0)
    }
  }
})

// New albums. Upstream: `start` is the absolute row, counted from 0. Recorded 2026-08-06.

/** 1 mainland, 2 Hong Kong and Taiwan, 3 West, 4 Korea, 5 Japan, 6 other. The endpoint has no parameter for it. */
const area = 1

const albumPage = (start: number, num: number, imageOrigin: string): MusicuCall<SentRows<NewAlbum>> => ({
  name: 'albums.new',
  request: { module: 'newalbum.NewAlbumServer', method: 'get_new_album_info', param: { area, start, num } },
  optionalFields: ['albums[].album'],
  read (answer) {
    const rows = readSentRows(answer, ['albums'], need.int(answer, 'total'), (row) => readAlbum(row, imageOrigin))
    return unlessBlocked(rows, start, answer.call, 'new albums')
  }
})

export const getNewDisks = endpoint({
  method: 'GET',
  path: '/getNewDisks',
  tag: 'playlists',
  summary: 'New albums',
  summaryInChinese: '新碟上架',
  description: 'Albums of the mainland area, as the upstream orders them. Beyond the last page the list is empty.',
  example: { limit: 3 },
  probe: () => [{ limit: 1 }],
  samples: ({ albums }) => ({ albums: albums.map(({ albumMID }) => albumMID).filter((mid) => mid !== '') }),
  input: GetNewDisksQuery,
  record: NewAlbums,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ limit, page }, { upstream, imageOrigin, cacheAtMost }) {
    const { rows, total, skipped } = await collectRows(
      offsetFromOne(page, limit),
      limit,
      async (start, num) => await upstream.send(albumPage(start, num, imageOrigin)),
      cacheAtMost
    )
    return { total, albums: rows, skipped }
  }
})
