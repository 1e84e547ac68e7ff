/**
 * Search, the upstream's least reliable call: at times it refuses addresses of data centres, or reports success without
 * rows. Four sources are tried in order. An empty result is trusted only from the last one, the suggestions. Seen 2018
 * to 2026-10.
 */
import { codeMsgData } from '../../../schemas/envelopes.ts'
import { GetSearchByKeyQuery, SearchResult } from '../../../schemas/search.ts'
import type { DirectHit, FoundAlbum, FoundSinger } from '../../../schemas/search.ts'
import { offsetFromOne } from '../../../schemas/common.ts'
import type { Song } from '../../../schemas/song.ts'
import { endpoint } from '../../core/endpoint.ts'
import type { Context } from '../../core/endpoint.ts'
import { maybe, need } from '../../upstream/reader/read.ts'
import type { Answer } from '../../upstream/reader/read.ts'
import type { ClassicCall, MusicuCall, UpstreamCall } from '../../upstream/calls.ts'
import { noteMissing, optional } from '../shared/optional.ts'
import { readSentRows } from '../shared/pages.ts'
import { searchCodes, searchOfProgram, siteSearch } from '../shared/searches.ts'
import type { Program } from '../shared/searches.ts'
import { smartboxOf } from '../shared/smartbox.ts'
import { firstRowOf, fetchPages, unlessBlockedPage, sliceOf, upstreamPages } from '../shared/upstreamPages.ts'
import type { PageSlice, UpstreamPage } from '../shared/upstreamPages.ts'
import { albumOfSuggestion, readFoundAlbum, readFoundSinger, readFoundSong, singerOfSuggestion, songOfSuggestion } from '../shared/searchRows.ts'
import { classicSongLacks } from '../shared/song.ts'

interface SearchWords { readonly key: string, readonly catZhida: 0 | 1 }

/** One of the three lists: how each source is requested, and the path of its rows. */
interface SearchKind<T> { readonly name: string, readonly t: number, readonly search_type: number, readonly classic: string, readonly desktop: string[], readonly phone: string[], readonly read: (row: Answer) => T }

const songs: SearchKind<Song> = { name: 'songs', t: 0, search_type: 0, classic: 'data.song', desktop: ['body.song.list'], phone: ['body.item_song', 'body.song.list'], read: readFoundSong }
const singers: SearchKind<FoundSinger> = { name: 'singers', t: 9, search_type: 1, classic: 'data.singer', desktop: ['body.singer.list'], phone: ['body.singer.list', 'body.singer'], read: readFoundSinger }
const albums: SearchKind<FoundAlbum> = { name: 'albums', t: 8, search_type: 2, classic: 'data.album', desktop: ['body.album.list'], phone: ['body.item_album', 'body.album.list'], read: readFoundAlbum }

const classicSearch = <T>(kind: SearchKind<T>, { key, catZhida }: SearchWords, window: UpstreamPage): ClassicCall<PageSlice<T>> => ({
  name: `search.${kind.name}.classic`,
  request: siteSearch(key, kind.t, catZhida, window),
  codes: searchCodes,
  optionalFields: ['data.zhida.*', ...classicSongLacks('data.song.list[]')],
  read (answer) {
    const section = need.at(answer, kind.classic)
    return sliceOf(readSentRows(section, ['list'], maybe.int(section, 'totalnum'), kind.read), window)
  }
})

const programSearch = <T>(program: Program, { name, search_type, read, [program]: paths }: SearchKind<T>, { key }: SearchWords, window: UpstreamPage): MusicuCall<PageSlice<T>> =>
  searchOfProgram(program, { name: `search.${name}`, search_type, paths, read, optionalFields: ['body.song.list[].pubtime', 'body.item_song[].pubtime'] }, key, window)

/** Songs, and the singers and albums that the same source returned. */
interface SongsFound extends PageSlice<Song> {
  readonly source: 'classic' | Program | 'suggestions'
  readonly singers?: FoundSinger[]
  readonly albums?: FoundAlbum[]
  readonly zhida?: DirectHit
}

const songChain = (keywords: SearchWords, window: UpstreamPage, loggedIn: boolean): UpstreamCall<SongsFound>[] => {
  // A blocked search has no rows either, so the next source is tried.
  const believed = ({ name, read }: UpstreamCall<PageSlice<Song>>, answer: Answer): PageSlice<Song> => unlessBlockedPage(read(answer), window, name, 'a search result')
  const classic = classicSearch(songs, keywords, window)
  const programs = (loggedIn ? ['desktop', 'phone'] as const : ['phone'] as const)
    .map((program) => [program, programSearch(program, songs, keywords, window)] as const)
  return [
    { ...classic, read: (answer) => ({ ...believed(classic, answer), source: 'classic', ...readDirectHit(answer) }) },
    ...programs.map(([source, call]): UpstreamCall<SongsFound> => ({ ...call, read: (answer) => ({ ...believed(call, answer), source }) })),
    smartboxOf(keywords.key, ({ songList, singerList, albumList }) => {
      const start = firstRowOf(window)
      const rows = songList.slice(start + window.from, start + window.to).map(songOfSuggestion)
      return { rows, sent: songList.length, total: songList.length, source: 'suggestions', singers: singerList.map(singerOfSuggestion), albums: albumList.map(albumOfSuggestion) }
    })
  ]
}

/** Reads the direct hit: absent, null, a singer with some albums, or an album. Its content decides, not its type. */
function readDirectHit (answer: Answer): Pick<SongsFound, 'zhida' | 'singers' | 'albums'> {
  const singer = maybe.at(answer, 'data.zhida.zhida_singer')
  if (singer !== undefined && maybe.text(singer, 'singerName') !== undefined) {
    const found = readFoundSinger(singer)
    const own = maybe.list(singer, 'hotalbum', (row) => maybe.text(row, 'albumName') === undefined ? undefined : readFoundAlbum(row))
    return { zhida: { type: 'singer', singer: found }, singers: [found], albums: own }
  }
  const album = maybe.at(answer, 'data.zhida.zhida_album')
  if (album === undefined || maybe.text(album, 'albumName') === undefined) return { zhida: null }
  const found = readFoundAlbum(album)
  return { zhida: { type: 'album', album: found }, albums: [found] }
}

interface List<T> { readonly rows: readonly T[], readonly total: number }
const none: List<never> = { rows: [], total: 0 }

/** Fetches the singers or albums of the page. They only accompany the songs, so a failure gives an empty list. */
async function beside<T> (windows: readonly UpstreamPage[], callOf: (window: UpstreamPage) => UpstreamCall<PageSlice<T>>, context: Context): Promise<List<T>> {
  const found = fetchPages(windows, async (window) => await context.upstream.send(callOf(window)))
  return await optional(found, (error) => noteMissing(context, error, 'a search answers without one of its lists')) ?? none
}

const listOf = <T>({ rows, total }: List<T>, page: number): { list: T[], curnum: number, curpage: number, totalnum: number } =>
  ({ list: [...rows], curnum: rows.length, curpage: Math.max(1, page), totalnum: Math.max(total, rows.length) })

export const getSearchByKey = endpoint({
  method: 'GET',
  path: '/getSearchByKey',
  pathParam: 'key',
  tag: 'search',
  summary: 'Songs, singers and albums by words',
  description: 'All three lists are the same page of their kind. The upstream refuses searches at times; then other sources are asked, down to its suggestions, which know at most four songs. Words that nothing is found for have three empty lists. zhida is null when there is no direct hit, or when the source that answered knows none. A login cookie makes the search more reliable.',
  example: { key: 'paper', limit: 3 },
  probe: ({ songs }) => songs.map(({ title }) => ({ key: title, limit: 1 })),
  input: GetSearchByKeyQuery,
  record: SearchResult,
  envelope: codeMsgData,
  cache: 'query',

  async run ({ key, limit, page, catZhida }, context) {
    const { upstream } = context
    const keywords = { key, catZhida }
    const windows = upstreamPages(offsetFromOne(page, limit), limit)
    const [found, foundSingers, foundAlbums] = await Promise.all([
      fetchPages(windows, async (window) => await upstream.firstOf(songChain(keywords, window, upstream.loggedIn))),
      beside(windows, (window) => classicSearch(singers, keywords, window), context),
      beside(windows, (window) => classicSearch(albums, keywords, window), context)
    ])
    const { source, zhida } = found.first
    if (source === 'suggestions') context.cacheAtMost('brief')

    /** Returns the classic list. If it has no rows, the source of the songs provides them. */
    async function completed<T> (list: List<T>, kind: SearchKind<T>, known: T[] = []): Promise<List<T>> {
      if (list.rows.length > 0) return list
      if (source === 'desktop' || source === 'phone') return await beside(windows, (window) => programSearch(source, kind, keywords, window), context)
      return page <= 1 ? { rows: known.slice(0, limit), total: known.length } : list
    }
    const [singerList, albumList] = await Promise.all([completed(foundSingers, singers, found.first.singers), completed(foundAlbums, albums, found.first.albums)])
    return {
      keyword: key,
      song: listOf(found, page),
      singer: listOf(singerList, page),
      album: listOf(albumList, page),
      ...(catZhida === 1 ? { zhida: zhida ?? null } : {})
    }
  }
})
