/** Searches. With a search term, they cover the whole catalogue; without one, the library page by page. */
import { Type, type Static } from '@sinclair/typebox'
import { getSearchByKey } from '../../endpoints/search/getSearchByKey.ts'
import { mostText } from '../../../schemas/resolve.ts'
import type { SearchResult } from '../../../schemas/search.ts'
import { linkedBy } from './links.ts'
import { count, offset, type MethodContext } from './method.ts'
import { albumOf, foundAlbumOf, songOf, type Fields, type Singer } from './records.ts'
import { rowsOf } from './songs.ts'

export const searchInput = Type.Object({
  query: Type.Optional(
    Type.String({
      maxLength: mostText,
      description:
        'Words, at most 200 characters, or a link to a song, album, singer, playlist or chart of the provider. Left out, empty or "": the library.'
    })
  ),
  artistCount: count(20),
  artistOffset: offset(),
  albumCount: count(20),
  albumOffset: offset(),
  songCount: count(20),
  songOffset: offset()
})

export const searchMissing = 'Beyond the first 1,000 rows the provider finds nothing more.'

/** The results of a search. */
export interface FoundRecords {
  readonly singers: readonly (Singer & { readonly albums?: number })[]
  readonly albums: readonly Fields[]
  readonly songs: readonly Fields[]
}

/** Rows of one kind in an answer; rows on a page of the endpoint; last row that it finds. */
const most = 500
const pageRows = 50
const lastRow = 1000

/** Returns the results. Throws RelayError. */
export async function find (
  { query = '', artistCount, artistOffset, albumCount, albumOffset, songCount, songOffset }: Required<Omit<Static<typeof searchInput>, 'query'>> & {
    query?: string
  },
  context: MethodContext
): Promise<FoundRecords> {
  const { call, library } = context
  const words = query.replace(/^"(.*)"$/, '$1').replace(/\*$/, '').trim()
  const [artists, albums, songs] = [artistCount, albumCount, songCount].map((count) => Math.min(count, most)) as [number, number, number]
  if (words === '') {
    const index = artists + albums > 0 ? await library.index() : { singers: [], albums: [] }
    return {
      singers: index.singers.slice(artistOffset, artistOffset + artists),
      albums: index.albums.slice(albumOffset, albumOffset + albums).map(albumOf),
      songs: (await library.songs(songOffset, songs)).map((song) => songOf(song, library, { inLibrary: true }))
    }
  }
  const linked = await linkedBy(words, context)
  if (linked !== undefined) {
    return {
      singers: linked.singers.slice(artistOffset, artistOffset + artists),
      albums: linked.albums.slice(albumOffset, albumOffset + albums),
      songs: linked.songs.slice(songOffset, songOffset + songs)
    }
  }
  // A page has all three kinds, so an answer costs as many calls as its longest list.
  const pages = new Map<number, Promise<SearchResult>>()
  const pageOf = async (page: number): Promise<SearchResult> => {
    const known = pages.get(page) ?? call(getSearchByKey, { key: words, limit: pageRows, page: page + 1, catZhida: 0 })
    pages.set(page, known)
    return await known
  }
  const rows = async <T>(from: number, count: number, kind: (found: SearchResult) => readonly T[]): Promise<T[]> =>
    await rowsOf(from, Math.min(count, Math.max(0, lastRow - from)), pageRows, async (page) => kind(await pageOf(page)))
  const [foundSingers, foundAlbums, foundSongs] = await Promise.all([
    rows(artistOffset, artists, ({ singer }) => singer.list),
    rows(albumOffset, albums, ({ album }) => album.list),
    rows(songOffset, songs, ({ song }) => song.list)
  ])
  return {
    singers: foundSingers.flatMap(({ singerMID: mid, singerName: name, albumNum }) => mid === '' ? [] : [{ mid, name, albums: albumNum }]),
    albums: foundAlbums.flatMap((album) => foundAlbumOf(album)),
    songs: foundSongs.filter(({ mid }) => mid !== '').map((song) => songOf(song, library))
  }
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-account
