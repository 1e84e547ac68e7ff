/**
 * Search, the upstream's weakest call: it refuses addresses of data centres at times, or answers success without rows.
 * Four sources in order. Only the last one, the suggestions, can be believed when it finds nothing. Seen 2018 to 2026-10.
 */
import { codeMsgData } from '../../../schemas/envelopes.ts'
import { GetSearchByKeyQuery, SearchResult } from '../../../schemas/search.ts'
import type { DirectHit, FoundAlbum, FoundSinger } from '../../../schemas/search.ts'
import { offsetFromOne } from '../../../schemas/common.ts'
import type { Song } from '../../../schemas/song.ts'
import { endpoint } from '../../endpoint.ts'
import type { Context } from '../../endpoint.ts'
import { RelayError, upstreamEmpty } from '../../errors.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { ClassicCall, MusicuCall, UpstreamCall } from '../../provider/upstream.ts'
import { readSentRows } from '../shared/pages.ts'
import { searchCodes, searchOfProgram, siteSearch } from '../shared/searches.ts'
import type { Program } from '../shared/searches.ts'
import { smartboxOf } from '../shared/smartbox.ts'
import { firstRowOf, isSuspect, joinWindows, wanted, windowsOf } from '../shared/windows.ts'
import type { Part, Window } from '../shared/windows.ts'
import { albumOfSuggestion, readFoundAlbum, readFoundSinger, readFoundSong, singerOfSuggestion, songOfSuggestion } from '../shared/found.ts'
import { classicSongLacks } from '../shared/song.ts'

interface Question { readonly key: string, readonly catZhida: 0 | 1 }

/** One of the three lists: how each source is asked for it, and where its rows are. */
interface Kind<T> { readonly name: string, readonly t: number, readonly search_type: number, readonly classic: string, readonly desktop: string[], readonly phone: string[], readonly read: (row: Answer) => T }

const songs: Kind<Song> = { name: 'songs', t: 0, search_type: 0, classic: 'data.song', desktop: ['body.song.list'], phone: ['body.item_song', 'body.song.list'], read: readFoundSong }
const singers: Kind<FoundSinger> = { name: 'singers', t: 9, search_type: 1, classic: 'data.singer', desktop: ['body.singer.list'], phone: ['body.singer.list', 'body.singer'], read: readFoundSinger }
const albums: Kind<FoundAlbum> = { name: 'albums', t: 8, search_type: 2, classic: 'data.album', desktop: ['body.album.list'], phone: ['body.item_album', 'body.album.list'], read: readFoundAlbum }

const classicSearch = <T>(kind: Kind<T>, { key, catZhida }: Question, window: Window): ClassicCall<Part<T>> => ({
  name: `search.${kind.name}.classic`,
  ask: siteSearch(key, kind.t, catZhida, window),
  codes: searchCodes,
  sometimes: ['data.zhida.*', ...classicSongLacks('data.song.list[]')],
  read (answer) {
    const section = need.at(answer, kind.classic)
    return wanted(readSentRows(section, ['list'], maybe.int(section, 'totalnum'), kind.read), window)
  }
})

const programSearch = <T>(program: Program, { name, search_type, read, [program]: paths }: Kind<T>, { key }: Question, window: Window): MusicuCall<Part<T>> =>
  searchOfProgram(program, { name: `search.${name}`, search_type, paths, read, sometimes: ['body.song.list[].pubtime', 'body.item_song[].pubtime'] }, key, window)

/** Songs, and what else their source says about singers and albums. */
interface SongsFound extends Part<Song> {
  readonly source: 'classic' | Program | 'suggestions'
  readonly singers?: FoundSinger[]
  readonly albums?: FoundAlbum[]
  readonly zhida?: DirectHit
}

/** No rows is how a blocked search looks too: the next source may know more. */
function believable<T extends Part<unknown>> (call: string, found: T, window: Window): T {
  if (isSuspect(found, window)) throw upstreamEmpty(call, 'a search result')
  return found
}

const songChain = (question: Question, window: Window, loggedIn: boolean): UpstreamCall<SongsFound>[] => {
  const classic = classicSearch(songs, question, window)
  const programs = (loggedIn ? ['desktop', 'phone'] as const : ['phone'] as const)
    .map((program) => [program, programSearch(program, songs, question, window)] as const)
  return [
    { ...classic, read: (answer) => ({ ...believable(classic.name, classic.read(answer), window), source: 'classic', ...readDirectHit(answer) }) },
    ...programs.map(([source, call]): UpstreamCall<SongsFound> => ({ ...call, read: (answer) => ({ ...believable(call.name, call.read(answer), window), source }) })),
    smartboxOf(question.key, ({ songList, singerList, albumList }) => {
      const start = firstRowOf(window)
      const rows = songList.slice(start + window.from, start + window.to).map(songOfSuggestion)
      return { rows, sent: songList.length, total: songList.length, source: 'suggestions', singers: singerList.map(singerOfSuggestion), albums: albumList.map(albumOfSuggestion) }
    })
  ]
}

/** The block of the direct hit: absent, null, a singer with some albums, or an album; told by what is in it, not by its type. */
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

/** Singers or albums of the page. They come beside the songs: when they cannot be had, the list is empty. */
async function beside<T> (windows: readonly Window[], ask: (window: Window) => UpstreamCall<Part<T>>, { upstream, keepFor, log }: Context): Promise<List<T>> {
  try {
    return await joinWindows(windows, async (window) => await upstream.send(ask(window)))
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    keepFor('brief')
    log.debug({ reason: error.code }, 'a search answers without one of its lists')
    return none
  }
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
  input: GetSearchByKeyQuery,
  record: SearchResult,
  envelope: codeMsgData,
  cache: 'query',

  async run ({ key, limit, page, catZhida }, context) {
    const { upstream } = context
    const question = { key, catZhida }
    const windows = windowsOf(offsetFromOne(page, limit), limit)
    const [found, foundSingers, foundAlbums] = await Promise.all([
      joinWindows(windows, async (window) => await upstream.firstOf(songChain(question, window, upstream.loggedIn))),
      beside(windows, (window) => classicSearch(singers, question, window), context),
      beside(windows, (window) => classicSearch(albums, question, window), context)
    ])
    const { source, zhida } = found.first
    if (source === 'suggestions') context.keepFor('brief')

    /** The classic list; without rows, what the source of the songs knows instead. */
    async function completed<T> (list: List<T>, kind: Kind<T>, known: T[] = []): Promise<List<T>> {
      if (list.rows.length > 0) return list
      if (source === 'desktop' || source === 'phone') return await beside(windows, (window) => programSearch(source, kind, question, window), context)
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
