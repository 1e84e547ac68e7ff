/**
 * Search, the upstream's least reliable function: each of its calls fails on some days, refuses data centres, or reports
 * success without rows (2026-04 to 2026-11). The site's two searches find the songs; their lists of albums and singers have
 * always been empty since 2026-08. One POST to a client program's search adds these, and the songs too when the site finds
 * none. Suggestions are the last source. An empty result is accepted when two sources agree, or when the suggestions confirm
 * it.
 */
import { codeMsgData, endpoint, noteMissing, optional, type CompositeCall, type Context, type Settled } from '../kit.ts'
import { GetSearchByKeyQuery, SearchResult, type DirectHit } from '../../../schemas/search.ts'
import { offsetFromOne } from '../../../schemas/common.ts'
import type { Song } from '../../../schemas/song.ts'
import {
  albumsOf, albumsAndSingersIn, findSongs, fromProgram, nothing, singersOf, suggestionsFor, unlessNothing, programs,
  type AlbumsAndSingers, type EmptySources, type FoundSongs, type Stretch, type Program
} from './chain.ts'
import { fetchPages, isBlockedSlice, upstreamPages, type PageSlice } from '../shared/pages.ts'
import { listedSong } from '../shared/song.ts'

/** One POST to a program for albums and singers. */
function albumsAndSingersFrom (program: Program, key: string, stretch: Stretch, emptySources: EmptySources): CompositeCall<AlbumsAndSingers> {
  const albums = albumsOf(program, key, stretch)
  const singers = singersOf(program, key, stretch)
  return fromProgram('search.albums', program, [...albums, ...singers], (settled) => {
    const found = albumsAndSingersIn(settled as Settled<PageSlice<never>>[], albums.length)
    return isBlockedSlice(found.albums, stretch.offset) && isBlockedSlice(found.singers, stretch.offset) ? undefined : found
  }, emptySources)
}

/** Finds albums and singers. They only supplement the songs, so a failure gives empty lists. */
async function findAlbumsAndSingers (key: string, stretch: Stretch, context: Context): Promise<AlbumsAndSingers & { few?: true }> {
  const emptySources: EmptySources = new Set()
  const found = unlessNothing(context.upstream.firstOf<AlbumsAndSingers & { few?: true }>([
    ...programs.map((program) => albumsAndSingersFrom(program, key, stretch, emptySources)),
    ...suggestionsFor(key, stretch, emptySources)
  ]), emptySources, context.upstream)
  return await optional(found, (error) => noteMissing(context, error, 'a search answers without albums and singers')) ?? { albums: nothing, singers: nothing }
}

/** Returns the singer or album named exactly like the search text, for sources without a direct hit. */
function namedLike (key: string, { albums, singers }: AlbumsAndSingers): DirectHit {
  const words = key.trim().toLowerCase()
  const singer = singers.rows.find(({ singerName }) => singerName.toLowerCase() === words)
  if (singer !== undefined) return { type: 'singer', singer }
  const album = albums.rows.find(({ albumName }) => albumName.toLowerCase() === words)
  return album === undefined ? null : { type: 'album', album }
}

const listOf = <T>({ rows, total = 0 }: Pick<PageSlice<T>, 'rows' | 'total'>, page: number): { list: T[], curnum: number, curpage: number, totalnum: number } =>
  ({ list: [...rows], curnum: rows.length, curpage: Math.max(1, page), totalnum: Math.max(total, rows.length) })

export const getSearchByKey = endpoint({
  method: 'GET',
  path: '/getSearchByKey',
  pathParam: 'key',
  tag: 'search',
  summary: 'Search for songs, singers and albums',
  description: 'All three lists have the same page number. If the upstream refuses a search, other sources are tried; the last one is its suggestions, with at most four songs. Without hits the three lists are empty. zhida is the singer or album that the words name exactly, or null. The upstream answers about one search for albums and singers a second; under load these two lists are short.',
  example: { key: 'paper', limit: 3 },
  probe: ({ songs }) => songs.map(({ title }) => ({ key: title, limit: 1 })),
  songs: ({ song }) => song.list.map(listedSong),
  input: GetSearchByKeyQuery,
  record: SearchResult,
  envelope: codeMsgData,
  cache: 'query',

  async run ({ key, limit, page, catZhida }, context) {
    const stretch = { offset: offsetFromOne(page, limit), count: limit }
    const pages = upstreamPages(stretch.offset, limit)
    const found = await fetchPages<Song, FoundSongs>(pages, async (upstreamPage) =>
      await findSongs(key, upstreamPage, upstreamPage === pages[0] ? stretch : undefined, context))
    const { albums, singers, zhida, few } = found.first
    const beside = albums !== undefined && singers !== undefined ? { albums, singers, few } : await findAlbumsAndSingers(key, stretch, context)
    if (few === true || beside.few === true) context.cacheAtMost('brief')
    return {
      keyword: key,
      song: listOf(found, page),
      singer: listOf(beside.singers, page),
      album: listOf(beside.albums, page),
      ...(catZhida === 1 ? { zhida: zhida ?? namedLike(key, beside) } : {})
    }
  }
})
