/**
 * The sources of a search, in their order. Each fails on some days, refuses data centres, or reports success without rows
 * (2026-04 to 2026-11). Reasons: docs/decisions/0015-search-sources.md.
 */
import type { DirectHit, FoundAlbum, FoundSinger } from '../../../schemas/search.ts'
import type { Song } from '../../../schemas/song.ts'
import type { Context } from '../../core/endpoint.ts'
import { upstreamEmpty, type UpstreamError } from '../../common/errors.ts'
import { publicCodes } from '../../upstream/protocol/codes.ts'
import { maybe, need, type Answer } from '../../upstream/reader/read.ts'
import type { ClassicCall, ClassicRequest, CompositeCall, MusicuCall, Settled, UpstreamCall } from '../../upstream/calls.ts'
import { valueOf } from '../../upstream/settled.ts'
import { optional } from './optional.ts'
import { readSentRows } from './pages.ts'
import { isPhone, otherSiteSearch, pageSizes, programs, searchOfProgram, siteSearch, type Program } from './searches.ts'
import { smartboxOf } from './smartbox.ts'
import {
  firstRowOf, isBlockedSlice, sliceOf, upstreamPages, type PageSlice, type UpstreamPage
} from './upstreamPages.ts'
import { albumOfSuggestion, readFoundAlbum, readFoundSinger, readFoundSong, readPhoneAlbum, singerOfSuggestion, songOfSuggestion } from './searchRows.ts'
import { classicSongOptionalFields } from './song.ts'

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
