/** The search for one type of item, with pages. The sources and their order are those of getSearchByKey. */
import { offsetFromOne } from '../../../schemas/common.ts'
import { codeMsgData, endpoint, type Context } from '../kit.ts'
import { SearchQuery, TypedSearchResult } from '../../../schemas/typedSearch.ts'
import { findKind, searchMvs } from './kinds.ts'
import { findSongs, pageSizes, type Stretch } from './chain.ts'
import { listedSong } from '../shared/song.ts'
import { fetchPages, upstreamPages } from '../shared/pages.ts'

type Lists = Omit<TypedSearchResult, 'keyword' | 'type' | 'total'>

const none: Lists = { songs: [], albums: [], singers: [], playlists: [], mvs: [], lyrics: [] }

/** Returns all lists; only the list of `type` has rows. */
async function find (type: TypedSearchResult['type'], key: string, stretch: Stretch, context: Context): Promise<Partial<Lists> & { total: number }> {
  const { offset, count } = stretch
  const totalOf = ({ total = 0, rows }: { readonly total?: number | undefined, readonly rows: readonly unknown[] }): { total: number } => ({
    total: Math.max(total, rows.length)
  })
  switch (type) {
    case 'song': {
      const found = await fetchPages(upstreamPages(offset, count), async (page) => await findSongs(key, page, undefined, context))
      if (found.first.few === true) context.cacheAtMost('brief')
      return { ...totalOf(found), songs: found.rows }
    }
    case 'mv': {
      const found = await fetchPages(upstreamPages(offset, count, pageSizes.mvs), async (page) => await searchMvs(key, page, context))
      return { ...totalOf(found), mvs: found.rows }
    }
    default: {
      const found = await findKind[type](key, stretch, context)
      return { ...totalOf(found), [`${type}s`]: found.rows }
    }
  }
}

export const search = endpoint({
  method: 'GET',
  path: '/search',
  tag: 'search',
  summary: 'Search for songs, albums, singers, playlists, MVs or lyrics',
  description: 'One kind, page by page; /getSearchByKey returns songs, albums and singers at once. The rows are in the list named after the type; the other lists are empty. Songs, playlists and MVs come from the site first, the other kinds from the provider\'s programs, which answer about one search a second. If all refuse, albums and singers are a few suggestions. Rows of lyric were seen from one program, for an account; other programs are tried in the same way. Without hits the list is empty.',
  example: { key: 'paper', type: 'playlist', limit: 3 },
  // /getSearchByKey and /getMvByTag test the other types. These search texts have results everywhere.
  probe: () => [{ key: 'songs', type: 'playlist' as const, limit: 1 }, { key: 'the', type: 'lyric' as const, limit: 1 }],
  songs: ({ songs, lyrics }) => [...songs, ...lyrics.map(({ song }) => song)].map(listedSong),
  input: SearchQuery,
  record: TypedSearchResult,
  envelope: codeMsgData,
  cache: 'query',

  async run ({ key, type, limit, page }, context) {
    const { total, ...lists } = await find(type, key, { offset: offsetFromOne(page, limit), count: limit }, context)
    return { keyword: key, type, total, ...none, ...lists }
  }
})
