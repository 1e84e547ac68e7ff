/** The search for one kind of item, with pages. The sources and their order are those of getSearchByKey. */
import { offsetFromOne } from '../../../schemas/common.ts'
import { codeMsgData, endpoint } from '../kit.ts'
import { SearchQuery, TypedSearchResult } from '../../../schemas/typedSearch.ts'
import { searchFor } from './chain.ts'
import { listedSong } from '../shared/song.ts'

const none: Omit<TypedSearchResult, 'keyword' | 'type' | 'total' | 'skipped'> = {
  songs: [],
  albums: [],
  singers: [],
  playlists: [],
  mvs: [],
  lyrics: []
}

export const search = endpoint({
  method: 'GET',
  path: '/search',
  tag: 'search',
  summary: 'Search for songs, albums, singers, playlists, MVs or lyrics',
  summaryInChinese: '按关键词搜索一类内容（歌曲、专辑、歌手、歌单、MV 或歌词），分页',
  description: 'One kind, page by page; /getSearchByKey returns songs, albums and singers at once. The rows are in the list named after the type; the other lists are empty. Songs, playlists and MVs come from the site first, the other kinds from the provider\'s programs, which answer about one search a second. If all refuse, albums and singers are a few suggestions. Rows of lyric were seen from one program, for an account; other programs are tried in the same way. Without hits the list is empty; if every source refuses the search, it fails.',
  example: { key: 'paper', type: 'playlist', limit: 3 },
  // /getSearchByKey and /getMvByTag test the other types. These search texts have results everywhere.
  probe:
    () => [{ key: 'songs', type: 'playlist' as const, limit: 1 }, { key: 'the', type: 'lyric' as const, limit: 1 }],
  songs: ({ songs, lyrics }) => [...songs, ...lyrics.map(({ song }) => song)].map(listedSong),
  total: ({ total }) => total,
  input: SearchQuery,
  record: TypedSearchResult,
  envelope: codeMsgData,
  cache: 'query',

  async run ({ key, type, limit, page }, context) {
    const { total, skipped, rows } = await searchFor(`${type}s`, key, {
      offset: offsetFromOne(page, limit),
      count: limit
    }, context)
    return { keyword: key, type, total, skipped, ...none, [`${type}s`]: rows }
  }
})
