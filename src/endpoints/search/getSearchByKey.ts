/**
 * Search, the upstream's least reliable function (chain.ts). The site's searches find songs only, so one POST to a
 * program adds albums and singers, and the songs too when the site finds none.
 */
import { codeMsgData, endpoint, noteMissing, optional } from '../kit.ts'
import { GetSearchByKeyQuery, SearchResult, type DirectHit } from '../../../schemas/search.ts'
import { offsetFromOne } from '../../../schemas/common.ts'
import { searchBeside, searchFor, type Found } from './chain.ts'
import { listedSong } from '../shared/song.ts'

/** Returns the singer or album named exactly like the search text, for sources without a direct hit. */
function namedLike (key: string, { albums, singers }: Found): DirectHit {
  const words = key.trim().toLowerCase()
  const singer = singers?.rows.find(({ singerName }) => singerName.toLowerCase() === words)
  if (singer !== undefined) return { type: 'singer', singer }
  const album = albums?.rows.find(({ albumName }) => albumName.toLowerCase() === words)
  return album === undefined ? null : { type: 'album', album }
}

interface ListedRows<T> { readonly rows: readonly T[], readonly total?: number | undefined, readonly skipped?: number }

const listOf = <T>(
  { rows, total = 0, skipped = 0 }: ListedRows<T> = { rows: [] },
  page: number
): Omit<SearchResult['song'], 'list'> & { list: T[] } => ({
  list: [...rows],
  curnum: rows.length,
  curpage: Math.max(1, page),
  totalnum: Math.max(total, rows.length),
  skipped
})

export const getSearchByKey = endpoint({
  method: 'GET',
  path: '/getSearchByKey',
  pathParam: 'key',
  tag: 'search',
  summary: 'Search for songs, singers and albums',
  summaryInChinese: '按关键词搜索歌曲、歌手和专辑',
  description: 'All three lists have the same page number. If the upstream refuses a search, other sources are tried; the last one is its suggestions, with at most four songs. Without hits the three lists are empty; if every source refuses the search, it fails. zhida is the singer or album that the words name exactly, or null. The upstream answers about one search for albums and singers a second; under load these two lists are short.',
  example: { key: 'paper', limit: 3 },
  probe: ({ songs }) => songs.map(({ title }) => ({ key: title, limit: 1 })),
  songs: ({ song }) => song.list.map(listedSong),
  total: ({ song }) => song.totalnum,
  input: GetSearchByKeyQuery,
  record: SearchResult,
  envelope: codeMsgData,
  cache: 'query',

  async run ({ key, limit, page, catZhida }, context) {
    const stretch = { offset: offsetFromOne(page, limit), count: limit }
    const songs = await searchFor('songs', key, stretch, context, stretch)
    const { zhida, albums, singers, by } = songs.first
    // Albums and singers supplement songs: without songs, a list that nobody could ask for must not look empty.
    const beside: Found = albums !== undefined && singers !== undefined
      ? { albums, singers }
      : await optional(searchBeside(key, stretch, context, by), (error) =>
        songs.total > 0 && noteMissing(context, error, 'a search answers without albums and singers')) ?? {}
    return {
      keyword: key,
      song: listOf(songs, page),
      singer: listOf(beside.singers, page),
      album: listOf(beside.albums, page),
      ...(catZhida === 1 ? { zhida: zhida ?? namedLike(key, beside) } : {})
    }
  }
})
