/**
 * Playlists of a category. Upstream: `sin` and `ein` are row numbers from 0, both inclusive. Recorded 2017-12, 2018-03,
 * 2023-03.
 */
import {
  codeMsgData, endpoint, maybe, nameOf, need, pictureOf, textOf, type Answer, type ClassicCall, type MusicuCall,
  type UpstreamCall
} from '../kit.ts'
import { GetSongListsQuery, PlaylistPage, allPlaylists, type PlaylistSummary } from '../../../schemas/playlists.ts'
import { classicFiller } from '../../upstream/wire/requests.ts'
import {
  readSentRows, firstRowOf, fetchPages, unlessBlockedPage, sliceOf, upstreamPages, type PageSlice, type UpstreamPage
} from '../shared/pages.ts'
import { readPlazaRow } from '../shared/playlistCalls.ts'

type Summaries = PageSlice<PlaylistSummary>
interface PlaylistFilter { readonly categoryId: number, readonly sortId: number }

const { outCharset, ...filler } = classicFiller

const playlistsOf = ({ categoryId, sortId }: PlaylistFilter, page: UpstreamPage): ClassicCall<Summaries> => ({
  name: 'playlists.classic',
  request: {
    path: '/splcloud/fcgi-bin/fcg_get_diss_by_tag.fcg',
    query: {
      picmid: 1,
      rnd: Math.random(),
      categoryId,
      sortId,
      sin: firstRowOf(page),
      ein: firstRowOf(page) + page.size - 1,
      format: 'json',
      ...filler,
      needNewCode: 1
    }
  },
  read: (answer) => unlessBlockedPage(readPlaylists(answer, page), page, answer.call, 'a playlist')
})

/**
 * In 2026-09 the list was always empty with outCharset, but older clients all send it. The call without it comes first,
 * and this one is its fallback.
 */
function playlistsWithCharset (filter: PlaylistFilter, page: UpstreamPage): ClassicCall<Summaries> {
  const { request: { path, query } } = playlistsOf(filter, page)
  return {
    name: 'playlists.classic.charset',
    request: { path, query: { ...query, outCharset } },
    knownIssue: { verdict: 'empty', note: 'empty while playlists.classic answers; one of the two always did', since: '2026-09' },
    read (answer) {
      const found = readPlaylists(answer, page)
      // An unknown category looks like an empty one, but "all" always has playlists.
      const none = filter.categoryId !== allPlaylists && (found.total ?? 0) === 0
      return none ? found : unlessBlockedPage(found, page, answer.call, 'a playlist')
    }
  }
}

/** The square of all playlists. Its other categories have different numbers, so it is a fallback for "all" only. */
const square = ({ sortId }: PlaylistFilter, page: UpstreamPage): MusicuCall<Summaries> => ({
  name: 'playlists.square',
  request: {
    module: 'playlist.PlayListPlazaServer',
    method: 'get_playlist_by_tag',
    param: { id: allPlaylists, sin: firstRowOf(page), size: page.size, order: sortId, cur_page: page.index + 1 },
    comm: 'plaza'
  },
  read: (answer) =>
    unlessBlockedPage(
      sliceOf(readSentRows(answer, ['v_playlist'], need.int(answer, 'total'), readPlazaRow), page),
      page,
      answer.call,
      'a playlist'
    )
})

function readPlaylists (answer: Answer, page: Pick<UpstreamPage, 'from' | 'to'>): Summaries {
  const data = need.at(answer, 'data')
  return sliceOf(readSentRows(data, ['list'], maybe.int(data, 'sum'), (row) => ({
    dissid: need.id(row, 'dissid'),
    dissname: nameOf(row, 'dissname'),
    creator: textOf(row, 'creator.name'),
    listen_num: maybe.int(row, 'listennum') ?? 0,
    imgurl: pictureOf(row, 'imgurl')
  })), page)
}

export const getSongLists = endpoint({
  method: 'GET',
  path: '/getSongLists',
  tag: 'playlists',
  summary: 'Playlists of a category',
  summaryInChinese: '某个分类下的歌单',
  description: 'Without a category: all playlists. For an unknown category the list is empty, because the upstream sends the same answer as for an empty one.',
  example: { categoryId: 10000000, limit: 3 },
  probe: () => [{ limit: 1 }],
  samples: ({ playlists }) => ({ playlists: playlists.map(({ dissid }) => dissid) }),
  input: GetSongListsQuery,
  record: PlaylistPage,
  envelope: codeMsgData,
  cache: 'lively',

  async run ({ categoryId, sortId, limit, page }, { upstream }) {
    const filter = { categoryId, sortId }
    const { rows, total, skipped } = await fetchPages(upstreamPages(page * limit, limit), async (upstreamPage) => {
      const chain: UpstreamCall<Summaries>[] = [
        playlistsOf(filter, upstreamPage),
        playlistsWithCharset(filter, upstreamPage)
      ]
      return await upstream.firstOf(categoryId === allPlaylists ? [...chain, square(filter, upstreamPage)] : chain)
    })
    return { categoryId, sum: total, playlists: rows, skipped }
  }
})
