/** Searches: with words, the catalogue; without, the library page by page; with a link, the item of the link. */
import { Type } from '@sinclair/typebox'
import type { Filled } from '../../../schemas/common.ts'
import { mostText, type Resolved } from '../../../schemas/resolve.ts'
import type { SearchResult } from '../../../schemas/search.ts'
import { InvalidInput, RelayError } from '../../common/errors.ts'
import { getSongInfo } from '../../endpoints/music/songInfo.ts'
import { getSearchByKey } from '../../endpoints/search/chain.ts'
import { resolve } from '../../endpoints/search/resolve.ts'
import { albumWithSongs } from './albums.ts'
import { count, offset, method, type MethodContext, type AnyMethod } from './method.ts'
import { playlistWithSongs } from './playlists.ts'
import { foundAlbumOf, albumFolderOf, singerFolderOf, singerOf, type Fields, type Singer } from './records.ts'
import { nameOf } from './singers.ts'
import { rowsOf } from './songRows.ts'

const searchInput = Type.Object({
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

const searchMissing = 'Beyond the first 1,000 rows the provider finds nothing more.'

interface FoundRecords {
  readonly singers: readonly (Singer & { readonly albums?: number })[]
  readonly albums: readonly Fields[]
  readonly songs: readonly Fields[]
}

/** Characters of words that are searched for. */
const mostWords = 200
/** Rows of one kind in an answer; rows on a page of the endpoint; last row that it finds. */
const most = 500
const pageRows = 50
const lastRow = 1000

async function find (
  { query = '', artistCount, artistOffset, albumCount, albumOffset, songCount, songOffset }: Filled<typeof searchInput>,
  context: MethodContext
): Promise<FoundRecords> {
  const { call, library, records } = context
  const words = query.replace(/^"(.*)"$/, '$1').replace(/\*$/, '').trim()
  const [artists, albums, songs] = [Math.min(artistCount, most), Math.min(albumCount, most), Math.min(songCount, most)]
  if (words === '') {
    const index = artists + albums > 0 ? await library.index() : { singers: [], albums: [] }
    return {
      singers: index.singers.slice(artistOffset, artistOffset + artists),
      albums: await records.albums(index.albums.slice(albumOffset, albumOffset + albums)),
      songs: await records.songs(await library.songs(songOffset, songs), true)
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
  if (words.length > mostWords) throw new InvalidInput(`query: must be at most ${mostWords} characters, or a link.`)
  // A page has all three kinds, so an answer costs as many calls as its longest list.
  const pages = new Map<number, Promise<SearchResult>>()
  const pageOf = async (page: number): Promise<SearchResult> => {
    const known = pages.get(page) ?? call(getSearchByKey, { key: words, limit: pageRows, page: page + 1, catZhida: 0 })
    pages.set(page, known)
    return await known
  }
  const rows = async <T>(
    from: number,
    count: number,
    kind: (found: SearchResult) => { readonly list: readonly T[], readonly skipped: number }
  ): Promise<T[]> =>
    await rowsOf(from, Math.min(count, Math.max(0, lastRow - from)), pageRows, async (page) => {
      const { list, skipped } = kind(await pageOf(page))
      return { rows: list, skipped }
    })
  const [foundSingers, foundAlbums, foundSongs] = await Promise.all([
    rows(artistOffset, artists, ({ singer }) => singer),
    rows(albumOffset, albums, ({ album }) => album),
    rows(songOffset, songs, ({ song }) => song)
  ])
  return {
    singers: foundSingers.flatMap(({ singerMID: mid, singerName: name, albumNum }) =>
      mid === '' ? [] : [{ mid, name, ...albumNum > 0 ? { albums: albumNum } : {} }]),
    albums: await records.albums(foundAlbums.flatMap((album) => foundAlbumOf(album))),
    songs: await records.songs(foundSongs)
  }
}

const nothing: FoundRecords = { singers: [], albums: [], songs: [] }

/** An address of any site, with or without a scheme. The endpoint decides whether it belongs to the provider. */
const anyLink = /https?:\/\/\S|(?:^|\s)[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}\/\S/i

/** Returns the item of the first link in the text. Undefined if there is no link. Throws RelayError. */
async function linkedBy (words: string, context: MethodContext): Promise<FoundRecords | undefined> {
  if (!anyLink.test(words)) return undefined
  try {
    return await linked(await context.call(resolve, { text: words }), context)
  } catch (error) {
    const code = error instanceof RelayError ? error.code : undefined
    // No link of the provider. A title may look like a link.
    if (code === 'INVALID_INPUT') return undefined
    if (code === 'NOT_FOUND') return nothing
    throw error
  }
}

/** A playlist or chart is represented by its songs, because the lists of a search have no playlists. */
async function linked ({ type, id, mid }: Resolved, context: MethodContext): Promise<FoundRecords> {
  const { call, records } = context
  switch (type) {
    case 'song':
      return {
        ...nothing,
        songs: await records.songs([(await call(getSongInfo, { songmid: mid })).songinfo.data.track_info])
      }
    case 'album': return { ...nothing, albums: [(await albumWithSongs(`al-${mid}`, context)).album] }
    case 'singer': return { ...nothing, singers: [{ mid, name: await nameOf(mid, call) }] }
    case 'playlist':
    case 'chart':
      return {
        ...nothing,
        songs: (await playlistWithSongs(`${type === 'chart' ? 'ch' : 'pl'}-${id}`, context))['entry'] as Fields[]
      }
    default: return nothing
  }
}

export const searchMethods = {
  search2: method({
    summary: 'The same as search3, for clients that browse folders.',
    missing: searchMissing,
    input: searchInput,

    async run (input, context) {
      const { singers, albums, songs } = await find(input, context)
      return { searchResult2: { artist: singers.map(singerFolderOf), album: albums.map(albumFolderOf), song: songs } }
    }
  }),
  search3: method({
    summary: 'With words: the whole catalogue of the provider. Without words: the library page by page, so that clients can copy it.',
    missing: searchMissing,
    input: searchInput,

    async run (input, context) {
      const { singers, albums, songs } = await find(input, context)
      return {
        searchResult3: { artist: singers.map((singer) => singerOf(singer, singer.albums)), album: albums, song: songs }
      }
    }
  })
} satisfies Readonly<Record<string, AnyMethod>>

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
