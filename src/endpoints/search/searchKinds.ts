/** What a search can look for: for each kind its names upstream, its sources, and the reading of its rows. */
import type { Mv } from '../../../schemas/mv.ts'
import type { DirectHit, FoundAlbum, FoundSinger } from '../../../schemas/search.ts'
import type { Song } from '../../../schemas/song.ts'
import type { FoundLyric, FoundPlaylist } from '../../../schemas/typedSearch.ts'
import { maybe, nameOf, need, pictureOf, textOf, unescapeText, type Answer, type ClassicRequest } from '../kit.ts'
import { ownWords } from '../../upstream/wire/requests.ts'
import { readMv, readPhoneMv } from '../mv/mvs.ts'
import { readSentRows, type PageSizes, type SentRows, type UpstreamPage } from '../shared/pages.ts'
import { classicSongOptionalFields } from '../shared/song.ts'
import { readFoundAlbum, readFoundSinger, readFoundSong, readPhoneAlbum } from './found.ts'
import type { Sought } from './programs.ts'

/** The rows of each kind. */
export interface RowOf {
  readonly songs: Song
  readonly albums: FoundAlbum
  readonly singers: FoundSinger
  readonly playlists: FoundPlaylist
  readonly mvs: Mv
  readonly lyrics: FoundLyric
}
export type KindName = keyof RowOf

/** A search of the site. */
export interface SiteSearch<T> {
  readonly name: string
  readonly request: (words: string, page: UpstreamPage) => ClassicRequest
  readonly rows: (answer: Answer) => SentRows<T>
  /** Reads the direct hit, which is often absent. */
  readonly zhida?: (answer: Answer) => DirectHit | undefined
  readonly optionalFields?: readonly string[]
}

/**
 * A kind. `sizes`: pages that every program serves. `site`: the searches of the site, the better one first, and their
 * pages.
 */
export interface SearchKind<T> extends Sought<T> {
  readonly sizes: PageSizes
  readonly site?: { readonly sizes: PageSizes, readonly searches: readonly SiteSearch<T>[] }
}

/**
 * The request of the site's search; `t` is the site's number of the kind. It is short, because more or newer parameters
 * silently empty the list (2026-06; `new_json=1`: 0 rows with it, 600 without, 2026-07).
 */
const siteSearch = (t: number) => (words: string, { size, index }: UpstreamPage): ClassicRequest => ({
  path: '/soso/fcgi-bin/client_search_cp',
  part: 'search',
  query: { format: 'json', n: size, p: index + 1, w: words, cr: 1, g_tk: 5381, t }
})

/** Reads the direct hit: absent, null, a singer, or an album. Its content decides, not its type. */
function readDirectHit (answer: Answer): DirectHit | undefined {
  const singer = maybe.at(answer, 'data.zhida.zhida_singer')
  if (singer !== undefined && maybe.text(singer, 'singerName') !== undefined) {
    return { type: 'singer', singer: readFoundSinger(singer) }
  }
  const album = maybe.at(answer, 'data.zhida.zhida_album')
  return album !== undefined && maybe.text(album, 'albumName') !== undefined
    ? { type: 'album', album: readFoundAlbum(album) } : undefined
}

/** What both searches of the site for songs have in common. */
const siteSongs = {
  rows (answer: Answer): SentRows<Song> {
    const section = need.at(answer, 'data.song')
    return readSentRows(section, ['list'], maybe.int(section, 'totalnum'), readFoundSong)
  },
  zhida: readDirectHit
}
const siteOptionalFields = ['data.zhida.*', ...classicSongOptionalFields('data.song.list[]')]

/** Reads rows of the site and of desktop programs, and of phone programs, which have other names (2026-09). */
const readPlaylist = (row: Answer): FoundPlaylist => ({
  dissid: need.id(row, 'dissid'),
  dissname: nameOf(row, 'dissname'),
  creator: textOf(row, 'creator.name', 'nickname'),
  listen_num: maybe.int(row, 'listennum') ?? 0,
  imgurl: pictureOf(row, 'imgurl', 'logo'),
  songnum: maybe.int(row, 'song_count', 'songnum') ?? 0
})

/**
 * Hits of lyrics are songs with the text around the hit. The shape for desktop programs is assumed from the phone
 * program's (2026-07).
 */
const readLyric = (row: Answer): FoundLyric => ({
  song: readFoundSong(row),
  text: unescapeText(maybe.text(row, 'content') ?? '').replaceAll(/\\n|\n/g, ' ').trim()
})

/** Fields that MVs of the site and of desktop programs lack. */
const mvOptionalFields = ['subtitle', 'pubdate', 'singers[].picurl', 'singer_list[].picurl']

/**
 * Fewer than 10 rows are refused by a desktop program (2026-05). More than 30 albums or singers come back whole and
 * empty (2026-08).
 */
const short: PageSizes = { least: 10, most: 30 }
const long: PageSizes = { least: 10, most: 50 }
const ofSite: PageSizes = { least: 1, most: 50 }

/** All kinds. Albums and singers have no search of the site, because its lists of them are always empty (2026-08). */
export const searchKinds: { readonly [K in KindName]: SearchKind<RowOf[K]> } = {
  songs: {
    name: 'search.songs',
    type: 0,
    sizes: long,
    desktop: { path: 'body.song.list', read: readFoundSong, optionalFields: ['pubtime'] },
    phone: { path: 'body.item_song', read: readFoundSong, optionalFields: ['pubtime'] },
    site: {
      sizes: ofSite,
      searches: [
        { ...siteSongs, name: 'search.songs.classic', request: siteSearch(0), optionalFields: siteOptionalFields },
        {
          ...siteSongs,
          name: 'search.songs.classic.other',
          // Finds songs only (four clients of 2026).
          request: (words, { size, index }) => ({
            path: ownWords.siteSearchPath,
            part: 'search',
            query: { w: words, p: index + 1, n: size, format: 'json' }
          }),
          optionalFields: siteOptionalFields.filter((path) => !path.endsWith('.media_mid'))
        }
      ]
    }
  },
  albums: {
    name: 'search.albums',
    type: 2,
    sizes: short,
    desktop: { path: 'body.album.list', read: readFoundAlbum },
    phone: { path: 'body.item_album', read: readPhoneAlbum, optionalFields: ['songnum'] }
  },
  singers: {
    name: 'search.singers',
    type: 1,
    sizes: short,
    desktop: { path: 'body.singer.list', read: readFoundSinger },
    phone: { path: 'body.singer', read: readFoundSinger }
  },
  playlists: {
    name: 'search.playlists',
    type: 3,
    sizes: short,
    desktop: { path: 'body.songlist.list', read: readPlaylist },
    phone: { path: 'body.item_songlist', read: readPlaylist },
    site: {
      sizes: ofSite,
      searches: [{
        name: 'search.playlists.classic',
        // Its pages count from 0 (a client of 2026-05).
        request: (words, { size, index }) => ({
          path: '/soso/fcgi-bin/client_music_search_songlist',
          part: 'search',
          query: {
            page_no: index,
            num_per_page: size,
            format: 'json',
            query: words,
            remoteplace: 'txt.yqq.playlist',
            inCharset: 'utf8',
            outCharset: 'utf-8'
          }
        }),
        rows: (answer) => readSentRows(answer, ['data.list'], maybe.int(answer, 'data.sum'), readPlaylist)
      }]
    }
  },
  mvs: {
    name: 'mv.search',
    type: 4,
    sizes: long,
    // No response of the desktop program for MVs has been published; clients expect the classic rows.
    desktop: { path: 'body.mv.list', read: readMv, optionalFields: mvOptionalFields },
    phone: { path: 'body.item_mv', read: readPhoneMv },
    site: {
      sizes: long,
      searches: [{
        name: 'mv.search.classic',
        request: siteSearch(12),
        rows: (answer) => readSentRows(answer, ['data.mv.list'], maybe.int(answer, 'data.mv.totalnum'), readMv),
        optionalFields: mvOptionalFields.map((field) => `data.mv.list[].${field}`)
      }]
    }
  },
  lyrics: {
    name: 'search.lyrics',
    type: 7,
    sizes: long,
    desktop: { path: 'body.song.list', read: readLyric, optionalFields: ['pubtime'] },
    phone: { path: 'body.item_song', read: readLyric, optionalFields: ['pubtime'] }
  }
}
