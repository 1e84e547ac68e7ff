/** What a search can look for, and where: the provider's programs, with the form of each, and the site. */
import { randomBytes, randomInt } from 'node:crypto'
import type { Mv } from '../../../schemas/mv.ts'
import type { DirectHit, FoundAlbum, FoundSinger } from '../../../schemas/search.ts'
import type { Song } from '../../../schemas/song.ts'
import type { FoundLyric, FoundPlaylist } from '../../../schemas/typedSearch.ts'
import {
  failure, maybe, nameOf, need, pictureOf, publicCodes, textOf, unescapeText, upstreamEmpty, type Answer,
  type ClassicRequest, type CommKind, type Kind, type KnownIssue, type MusicuCall, type UpstreamError
} from '../kit.ts'
import { readMv, readPhoneMv } from '../mv/mvs.ts'
import { readFoundAlbum, readFoundSinger, readFoundSong, readPhoneAlbum } from './found.ts'
import {
  firstRowOf, isBlockedSlice, readSentRows, sliceOf, type PageSizes, type PageSlice, type SentRows, type UpstreamPage
} from '../shared/pages.ts'
import { classicSongOptionalFields } from '../shared/song.ts'
import { ownWords } from '../../upstream/wire/requests.ts'

/** The light phone program, the desktop program at the signed entry, the phone program, and the open desktop entry. */
export type Program = 'lite' | 'signed' | 'phone' | 'desktop'

/** All programs, the most reliable first (2026-08 to 2026-11). */
export const programs = ['lite', 'signed', 'phone', 'desktop'] as const satisfies readonly Program[]

interface ProgramRows<T> {
  readonly path: string
  readonly read: (row: Answer) => T
  readonly optionalFields?: readonly string[]
}

/** Rows of a program. `isSure`: the upstream says that it accepted the search, so that no rows means no hits. */
export interface ProgramSlice<T> extends PageSlice<T> { readonly isSure?: boolean }

interface SearchParams {
  readonly query: string
  readonly search_type: number
  readonly num_per_page: number
  readonly page_num: number
}

/**
 * Returns the id of a search as the phone programs pack it: a number from 1 to 20, a random one, and the milliseconds
 * of the day. The upstream refuses an id whose high part is 0 (2026-09).
 */
const packedId = (): string =>
  String((BigInt(randomInt(1, 21)) << 54n) + (BigInt(randomInt(2 ** 22)) << 32n) + BigInt(Date.now() % 86_400_000))

interface ProgramForm {
  readonly method: string
  readonly comm: CommKind
  readonly param: (params: SearchParams) => Record<string, unknown>
}

/** The request of each program, as its own clients send it. */
const forms: Readonly<Record<Program, ProgramForm>> = {
  lite: {
    method: ownWords.liteSearch,
    comm: 'lite',
    param: (params) => ({
      search_id: packedId(),
      remoteplace: 'search.android.keyboard',
      ...params,
      highlight: 0,
      nqc_flag: 0,
      page_id: 1,
      grp: 1
    })
  },
  signed: {
    method: ownWords.desktopSearch,
    comm: 'signed',
    param: (params) => ({
      grp: 1,
      ...params,
      remoteplace: 'txt.newclient.top',
      searchid: `${randomBytes(16).toString('hex').toUpperCase()}${randomInt(10_000, 100_000)}`
    })
  },
  phone: {
    method: ownWords.phoneSearch,
    comm: 'phone',
    param: (params) => ({ searchid: packedId(), ...params, highlight: 0, grp: 1, selectors: {}, vec_selectors: [] })
  },
  // Any search id is refused here.
  desktop: { method: ownWords.desktopSearch, comm: 'desktop', param: (params) => ({ ...params }) }
}

const oftenRefused: KnownIssue = { verdict: 'risk-controlled', note: 'refuses two of three searches without a login', since: '2026-08' }

/** Fields that say whether a search was refused. Desktop programs always send the first (2026-07, 2026-08). */
const verdictFields = ['meta.is_filter', 'meta.ret', 'meta.safetyType', 'meta.safetyUrl'] as const

/**
 * Whether the upstream says that it accepted the search. Throws UPSTREAM_REFUSED if it says that it refused: such an
 * answer has code 0 and no rows, like one without hits (2026-05 to 2026-10). Without data, every search was refused for
 * a while (2026-09).
 */
function isAccepted (answer: Answer): boolean {
  const { call, value } = answer
  const refused = (word: string, why: string | number, kind: Kind = 'search'): UpstreamError =>
    failure(kind, { call, word, outcome: `filter_${why}` })
  if (value === undefined || value === null) throw refused('no data', 'null')
  const [filter, ret = 0, type = 0] = verdictFields.slice(0, 3).map((field) => maybe.int(answer, field))
  if (filter !== undefined && filter < 0) {
    throw refused(`is_filter ${filter}`, filter, filter === -12 ? 'search.fast' : 'search')
  }
  if (ret !== 0) throw refused(`ret ${ret}`, 'ret')
  if (type !== 0 || maybe.text(answer, 'meta.safetyUrl') !== undefined) {
    throw refused('a safety check', 'safety', 'search.safety')
  }
  return filter === 0
}

/**
 * The search of a program for a page. No rows where a list `begins` is UPSTREAM_EMPTY, unless it is sure; further on
 * they are left out. `counted` is called if there are no rows although the program counts some.
 */
export function searchOfProgram<T> (
  program: Program,
  sought: SearchKind<T>,
  query: string,
  page: UpstreamPage,
  begins: boolean,
  counted: () => void
): MusicuCall<ProgramSlice<T>> {
  const { method, comm, param } = forms[program]
  const isPhone = program === 'lite' || program === 'phone'
  const { path, read, optionalFields = [] } = isPhone ? sought.phone : sought.desktop
  const name = `${sought.name}.${program}`
  return {
    name,
    request: {
      module: 'music.search.SearchCgiService',
      method,
      comm,
      takesTurns: true,
      param: param({ query, search_type: sought.type, num_per_page: page.size, page_num: page.index + 1 })
    },
    codes: publicCodes,
    optionalFields: [...verdictFields.slice(isPhone ? 0 : 1), ...optionalFields.map((field) => `${path}[].${field}`)],
    ...program === 'desktop' ? { knownIssue: oftenRefused } : {},
    read (answer) {
      const isSure = isAccepted(answer)
      const found = readSentRows(answer, [path], maybe.int(answer, 'meta.sum', 'meta.estimate_sum'), read)
      // Only for songs does every program count in `sum` (2026-09).
      const isEstimated = found.total === 0 && found.sent > 0
      const slice = sliceOf(isEstimated ? { ...found, total: maybe.int(answer, 'meta.estimate_sum') } : found, page)
      const { total = 0 } = slice
      const isBlocked = isBlockedSlice(slice, firstRowOf(page))
      if (isBlocked && total > 0) counted()
      if (begins && isBlocked && !(isSure && total === 0)) throw upstreamEmpty(name, 'a search result')
      const lost = isBlocked && total > 0 ? Math.min(page.to, total - firstRowOf(page)) - page.from : 0
      return { ...slice, isSure, skipped: (slice.skipped ?? 0) + Math.max(0, lost) }
    }
  }
}

export interface RowOf {
  readonly songs: Song
  readonly albums: FoundAlbum
  readonly singers: FoundSinger
  readonly playlists: FoundPlaylist
  readonly mvs: Mv
  readonly lyrics: FoundLyric
}
export type KindName = keyof RowOf

export interface SiteSearch<T> {
  readonly name: string
  readonly request: (words: string, page: UpstreamPage) => ClassicRequest
  readonly rows: (answer: Answer) => SentRows<T>
  /** Reads the direct hit, which is often absent. */
  readonly zhida?: (answer: Answer) => DirectHit | undefined
  readonly optionalFields?: readonly string[]
}

/**
 * A kind. `type`: the upstream's number. The names of its calls begin with `name`. `sizes`: pages that every program
 * serves. `site`: the searches of the site, the better one first, and their pages.
 */
interface SearchKind<T> {
  readonly name: string
  readonly type: number
  readonly desktop: ProgramRows<T>
  readonly phone: ProgramRows<T>
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

/** Songs with the text around the hit. The desktop shape is assumed from the phone program's (2026-07). */
const readLyric = (row: Answer): FoundLyric => ({
  song: readFoundSong(row),
  text: unescapeText(maybe.text(row, 'content') ?? '').replaceAll(/\\n|\n/g, ' ').trim()
})

/** Fields that MVs of the site and of desktop programs lack. */
const mvOptionalFields = ['subtitle', 'pubdate', 'singers[].picurl', 'singer_list[].picurl']

/** A desktop program refuses fewer than 10 rows (2026-05); more than 30 albums or singers are empty (2026-08). */
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
