/**
 * The sources of a search, in their order. Each fails on some days, refuses data centres, or reports success without rows
 * (2026-04 to 2026-11). Reasons: docs/decisions/0015-search-sources.md.
 */
import { randomBytes, randomInt } from 'node:crypto'
import type { DirectHit, FoundAlbum, FoundSinger } from '../../../schemas/search.ts'
import type { Song } from '../../../schemas/song.ts'
import {
  maybe, need, optional, publicCodes, upstreamEmpty, valueOf, type Answer, type ClassicCall,
  type ClassicRequest, type CommKind, type CompositeCall, type Context, type KnownIssue, type MusicuCall, type Settled,
  type UpstreamCall, type UpstreamError
} from '../kit.ts'
import { ownWords } from '../../upstream/protocol/requests.ts'
import {
  readSentRows, firstRowOf, isBlockedSlice, sliceOf, upstreamPages, type PageSlice, type UpstreamPage, type PageSizes
} from '../shared/pages.ts'
import {
  albumOfSuggestion, readFoundAlbum, readFoundSinger, readFoundSong, readPhoneAlbum, singerOfSuggestion,
  songOfSuggestion, smartboxOf
} from './found.ts'
import { classicSongOptionalFields } from '../shared/song.ts'

/** Rows `offset` to `offset + count - 1` of a list. */
export interface Stretch { readonly offset: number, readonly count: number }

/** Albums and singers. */
export interface AlbumsAndSingers { readonly albums: PageSlice<FoundAlbum>, readonly singers: PageSlice<FoundSinger> }

/** Songs, and other results of their source. `few`: the source returns only a few of each. */
export interface FoundSongs extends PageSlice<Song>, Partial<AlbumsAndSingers> { readonly zhida?: DirectHit, readonly few?: true }

/** Names of the sources that answered without a row. */
export type EmptySources = Set<string>

const suggestions = 'search.suggestions'
export const nothing: PageSlice<never> = { rows: [], sent: 0, total: 0 }

/** Fields that the songs of the site's searches lack. The direct hit is often absent. */
const siteOptionalFields = ['data.zhida.*', ...classicSongOptionalFields('data.song.list[]')]
const otherOptionalFields = siteOptionalFields.filter((path) => !path.endsWith('.media_mid'))

const siteSongs = (
  name: string,
  request: ClassicRequest,
  optionalFields: readonly string[],
  page: UpstreamPage,
  emptySources: EmptySources
): ClassicCall<FoundSongs> => ({
  name,
  request,
  codes: publicCodes,
  optionalFields,
  emptyCounts: true,
  read (answer) {
    const section = need.at(answer, 'data.song')
    const songs = sliceOf(readSentRows(section, ['list'], maybe.int(section, 'totalnum'), readFoundSong), page)
    if (isBlockedSlice(songs, firstRowOf(page))) throw emptyFrom(name, emptySources)
    return { ...songs, ...readDirectHit(answer) }
  }
})

export function emptyFrom (call: string, emptySources: EmptySources): UpstreamError {
  emptySources.add(call)
  return upstreamEmpty(call, 'a search result')
}

/** Reads the direct hit: absent, null, a singer, or an album. Its content decides, not its type. */
function readDirectHit (answer: Answer): Pick<FoundSongs, 'zhida'> {
  const singer = maybe.at(answer, 'data.zhida.zhida_singer')
  if (singer !== undefined && maybe.text(singer, 'singerName') !== undefined) return { zhida: { type: 'singer', singer: readFoundSinger(singer) } }
  const album = maybe.at(answer, 'data.zhida.zhida_album')
  if (album !== undefined && maybe.text(album, 'albumName') !== undefined) return { zhida: { type: 'album', album: readFoundAlbum(album) } }
  return {}
}

/** The calls of one program for one list: as many pages as the stretch needs. */
export type CallsOf<T> = (program: Program, key: string, stretch: Stretch) => MusicuCall<PageSlice<T>>[]

const songsOf: CallsOf<Song> = (program, key, { offset, count }) =>
  upstreamPages(offset, count, pageSizes.songs).map((page) =>
    searchOfProgram(
      program,
      {
        name: 'search.songs',
        search_type: 0,
        paths: isPhone(program) ? ['body.item_song'] : ['body.song.list'],
        read: readFoundSong,
        optionalFields: ['body.song.list[].pubtime', 'body.item_song[].pubtime']
      },
      key,
      page
    )
  )

export const albumsOf: CallsOf<FoundAlbum> = (program, key, { offset, count }) =>
  upstreamPages(offset, count, pageSizes.albums).map((page) =>
    searchOfProgram(
      program,
      {
        name: 'search.albums',
        search_type: 2,
        optionalFields: ['body.item_album[].songnum'],
        ...isPhone(program) ? { paths: ['body.item_album'], read: readPhoneAlbum } : { paths: ['body.album.list'], read: readFoundAlbum }
      },
      key,
      page
    )
  )

export const singersOf: CallsOf<FoundSinger> = (program, key, { offset, count }) =>
  upstreamPages(offset, count, pageSizes.singers).map((page) =>
    searchOfProgram(
      program,
      {
        name: 'search.singers',
        search_type: 1,
        paths: isPhone(program) ? ['body.singer'] : ['body.singer.list'],
        read: readFoundSinger,
        optionalFields: []
      },
      key,
      page
    )
  )

/** Joins the pages of one list. Throws the error of a page that failed. */
export function joined<T> (pages: readonly Settled<PageSlice<T>>[]): PageSlice<T> {
  const parts = pages.map(valueOf)
  return { rows: parts.flatMap(({ rows }) => rows), sent: parts.reduce((sum, { sent }) => sum + sent, 0), total: parts[0]?.total }
}

/**
 * Whether to use a program's search. When two sources found nothing, the suggestions decide, and only the first program is also
 * used. When it got no turn (`rejected`), the others get none either.
 */
const unlessDoubtful = (program: Program, emptySources: EmptySources): ((before: UpstreamError) => boolean) =>
  ({ outcome }) => outcome !== 'rejected' && (emptySources.size < 2 || program === programs[0])

/** One POST to a program. `read` returns undefined if rows are missing that the program should have. */
export function fromProgram<T extends object> (
  kind: string,
  program: Program,
  calls: readonly MusicuCall<unknown>[],
  read: (settled: readonly Settled<unknown>[]) => T | undefined,
  emptySources: EmptySources
): CompositeCall<T> {
  const name = `${kind}.${program}`
  return {
    name,
    calls,
    codes: publicCodes,
    emptyCounts: true,
    after: unlessDoubtful(program, emptySources),
    read (settled) {
      const found = read(settled)
      if (found === undefined) throw emptyFrom(name, emptySources)
      return found
    }
  }
}

export const albumsAndSingersIn = (settled: readonly Settled<PageSlice<never>>[], albums: number): AlbumsAndSingers => ({
  albums: joined(settled.slice(0, albums)),
  singers: joined(settled.slice(albums))
})

/** One POST to a program for songs, and for the albums and singers of `beside`. */
function allFrom (program: Program, key: string, stretch: Stretch, beside: Stretch | undefined, emptySources: EmptySources): CompositeCall<FoundSongs> {
  const songs = songsOf(program, key, stretch)
  const albums = beside === undefined ? [] : albumsOf(program, key, beside)
  const singers = beside === undefined ? [] : singersOf(program, key, beside)
  return fromProgram('search.songs', program, [...songs, ...albums, ...singers], (settled) => {
    const found = joined(settled.slice(0, songs.length) as Settled<PageSlice<Song>>[])
    const others = settled.slice(songs.length) as Settled<PageSlice<never>>[]
    // Songs that were found stay, also if another source must be asked for the rest.
    const isWhole = beside !== undefined && others.every(({ error }) => error === undefined)
    return isBlockedSlice(found, stretch.offset) ? undefined : { ...found, ...isWhole ? albumsAndSingersIn(others, albums.length) : {} }
  }, emptySources)
}

/** The suggestions through their two entries. The second is used if the first returns none at all. */
export function suggestionsFor (key: string, { offset, count }: Stretch, emptySources: EmptySources): UpstreamCall<FoundSongs & AlbumsAndSingers>[] {
  let answered = false
  const part = <S, T>(list: readonly S[], toRow: (row: S) => T): PageSlice<T> => ({
    rows: list.slice(offset, offset + count).map(toRow),
    sent: list.length,
    total: list.length
  })
  return smartboxOf(key, ({ songList, singerList, albumList }): FoundSongs & AlbumsAndSingers => {
    answered = true
    if (songList.length + singerList.length + albumList.length === 0) throw emptyFrom(suggestions, emptySources)
    return { ...part(songList, songOfSuggestion), singers: part(singerList, singerOfSuggestion), albums: part(albumList, albumOfSuggestion), few: true }
  }).map((call) => ({ ...call, after: () => !answered }))
}

/** Returns the first source's result; undefined if there are no results, which does not count as a failure of the sources. */
export async function unlessNothing<T> (found: Promise<T>, emptySources: EmptySources, upstream: Context['upstream']): Promise<T | undefined> {
  const result = await optional(found, ({ code }) => code === 'UPSTREAM_EMPTY' && (emptySources.size > 1 || emptySources.has(suggestions)))
  if (result === undefined) upstream.confirmEmpty(emptySources)
  return result
}

/** Finds the songs of a page, and perhaps more. `beside`: the albums and singers to request if the source has them. */
export async function findSongs (key: string, page: UpstreamPage, beside: Stretch | undefined, { upstream }: Context): Promise<FoundSongs> {
  const emptySources: EmptySources = new Set()
  const stretch = { offset: firstRowOf(page) + page.from, count: page.to - page.from }
  const other = siteSongs('search.songs.classic.other', otherSiteSearch(key, page), otherOptionalFields, page, emptySources)
  return await unlessNothing(upstream.firstOf<FoundSongs>([
    siteSongs('search.songs.classic', siteSearch(key, 0, page), siteOptionalFields, page, emptySources),
    // The cause that empties one search of the site may empty the other: a program's answer is then more reliable.
    { ...other, after: () => emptySources.size === 0 },
    ...programs.map((program) => allFrom(program, key, stretch, beside, emptySources)),
    { ...other, after: ({ code }) => emptySources.size === 1 && code !== 'UPSTREAM_EMPTY' },
    ...suggestionsFor(key, stretch, emptySources)
  ]), emptySources, upstream) ?? { ...nothing, albums: nothing, singers: nothing }
}

// Requests for searches of every type: the site's two searches, and those of the provider's own programs. Seen 2018 to 2026-11.

/**
 * The request of the site's search; `t` is the site's number of the type. It is short, because more or newer parameters
 * silently empty the list (2026-06; `new_json=1`: 0 rows with it, 600 without, 2026-07).
 */
export const siteSearch = (words: string, t: number, { size, index }: UpstreamPage): ClassicRequest => ({
  path: '/soso/fcgi-bin/client_search_cp',
  part: 'search',
  query: { format: 'json', n: size, p: index + 1, w: words, cr: 1, g_tk: 5381, t }
})

/** The request of the site's other search, which finds songs only (four clients of 2026). */
const otherSiteSearch = (words: string, { size, index }: UpstreamPage): ClassicRequest => ({
  path: ownWords.siteSearchPath,
  part: 'search',
  query: { w: words, p: index + 1, n: size, format: 'json' }
})

/** The request of the site's search for playlists, whose pages count from 0 (a client of 2026-05). */
export const sitePlaylistSearch = (words: string, { size, index }: UpstreamPage): ClassicRequest => ({
  path: '/soso/fcgi-bin/client_music_search_songlist',
  part: 'search',
  query: { page_no: index, num_per_page: size, format: 'json', query: words, remoteplace: 'txt.yqq.playlist', inCharset: 'utf8', outCharset: 'utf-8' }
})

/**
 * The client programs whose search is used: the light phone program, the desktop program at the signed entry, the phone
 * program, and the desktop program at the open entry.
 */
export type Program = 'lite' | 'signed' | 'phone' | 'desktop'

/** All programs, the most reliable first (2026-08 to 2026-11). */
export const programs = ['lite', 'signed', 'phone', 'desktop'] as const satisfies readonly Program[]

/** Whether a program is a phone program, whose rows have another shape. */
export const isPhone = (program: Program): boolean => program === 'lite' || program === 'phone'

/** Fewer than 10 rows empty the list of a desktop program (2026-05). */
const least = 10

/** Sizes of a page that every program serves (2026-08): more than 30 albums or singers come back whole and empty. */
export const pageSizes = {
  songs: { least, most: 50 },
  albums: { least, most: 30 },
  singers: { least, most: 30 },
  mvs: { least, most: 50 },
  playlists: { least, most: 30 },
  lyrics: { least, most: 50 }
} as const satisfies Record<string, PageSizes>

interface SearchParams { readonly query: string, readonly search_type: number, readonly num_per_page: number, readonly page_num: number }

/**
 * Returns the id of a search as the phone programs pack it: a number from 1 to 20, a random one, and the milliseconds of the day.
 * The upstream refuses an id whose high part is 0 (2026-09).
 */
const packedId = (): string =>
  String((BigInt(randomInt(1, 21)) << 54n) + (BigInt(randomInt(2 ** 22)) << 32n) + BigInt(Date.now() % 86_400_000))

/** The request of each program. Each search needs a new id: a fixed one empties the list (2026-05). */
const forms: Readonly<
  Record<Program, { readonly method: string, readonly comm: CommKind, readonly param: (params: SearchParams) => Record<string, unknown> }>
> = {
  lite: {
    method: ownWords.liteSearch,
    comm: 'lite',
    param: (params) => ({ search_id: packedId(), remoteplace: 'search.android.keyboard', ...params, highlight: 0, nqc_flag: 0, page_id: 1, grp: 1 })
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
  // Any search id empties the list here.
  desktop: { method: ownWords.desktopSearch, comm: 'desktop', param: (params) => ({ ...params }) }
}

const oftenRefused: KnownIssue = { verdict: 'risk-controlled', note: 'refuses two of three searches without a login', since: '2026-08' }

/** The search target in a program: the upstream's number of the type, and the paths of its rows. The call's name begins with `name`. */
export interface Sought<T> {
  readonly name: string
  readonly search_type: number
  readonly paths: readonly string[]
  readonly read: (row: Answer) => T
  readonly optionalFields: readonly string[]
}

/** The search of one program for one of its pages. */
export function searchOfProgram<T> (
  program: Program,
  { name, search_type, paths, read, optionalFields }: Sought<T>,
  query: string,
  page: UpstreamPage
): MusicuCall<PageSlice<T>> {
  const { method, comm, param } = forms[program]
  return {
    name: `${name}.${program}`,
    request: {
      module: 'music.search.SearchCgiService',
      method,
      comm,
      takesTurns: true,
      param: param({ query, search_type, num_per_page: page.size, page_num: page.index + 1 })
    },
    codes: publicCodes,
    optionalFields,
    ...program === 'desktop' ? { knownIssue: oftenRefused } : {},
    read: (answer) => sliceOf(readSentRows(answer, paths, maybe.int(answer, 'meta.sum', 'meta.estimate_sum'), read), page)
  }
}
