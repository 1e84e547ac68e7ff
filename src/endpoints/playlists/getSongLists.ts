/** Playlists of a category. Upstream: `sin` and `ein` are row numbers from 0, both inclusive. Recorded 2017-12, 2018-03, 2023-03. */
import { codeMsgData } from '../../../schemas/envelopes.ts'
import { GetSongListsQuery, PlaylistPage, allPlaylists } from '../../../schemas/playlists.ts'
import type { PlaylistSummary } from '../../../schemas/playlists.ts'
import { endpoint } from '../../endpoint.ts'
import { upstreamEmpty } from '../../errors.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { ClassicCall, MusicuCall, UpstreamCall } from '../../provider/upstream.ts'
import { classicFiller } from '../../provider/wire.ts'
import { readSentRows } from '../shared/pages.ts'
import { readPlazaRow } from '../shared/square.ts'
import { needText, pictureOf, textOf } from '../shared/texts.ts'
import { firstRowOf, isSuspect, joinWindows, wanted, windowsOf } from '../shared/windows.ts'
import type { Part, Window } from '../shared/windows.ts'

type Summaries = Part<PlaylistSummary>
interface Question { readonly categoryId: number, readonly sortId: number }

const { outCharset, ...filler } = classicFiller

const playlistsOf = ({ categoryId, sortId }: Question, window: Window): ClassicCall<Summaries> => ({
  name: 'playlists.classic',
  ask: {
    path: '/splcloud/fcgi-bin/fcg_get_diss_by_tag.fcg',
    query: { picmid: 1, rnd: Math.random(), categoryId, sortId, sin: firstRowOf(window), ein: firstRowOf(window) + window.size - 1, format: 'json', ...filler, needNewCode: 1 }
  },
  read: (answer) => believable(answer.call, readPlaylists(answer, window), window)
})

/** 2026-09: with outCharset the list was always empty; older clients all send it. Without comes first, so this is the other half. */
function playlistsWithCharset (question: Question, window: Window): ClassicCall<Summaries> {
  const { ask: { path, query } } = playlistsOf(question, window)
  return {
    name: 'playlists.classic.charset',
    ask: { path, query: { ...query, outCharset } },
    read (answer) {
      const found = readPlaylists(answer, window)
      // An unknown category looks like an empty one; there always are playlists in "all".
      const none = question.categoryId !== allPlaylists && (found.total ?? 0) === 0
      return none ? found : believable(answer.call, found, window)
    }
  }
}

/** The square of all playlists. Its other categories are numbered differently, so it stands in for "all" only. */
const square = ({ sortId }: Question, window: Window): MusicuCall<Summaries> => ({
  name: 'playlists.square',
  ask: {
    module: 'playlist.PlayListPlazaServer',
    method: 'get_playlist_by_tag',
    param: { id: allPlaylists, sin: firstRowOf(window), size: window.size, order: sortId, cur_page: window.index + 1 },
    comm: 'plaza'
  },
  read: (answer) => believable(answer.call, wanted(readSentRows(answer, ['v_playlist'], need.int(answer, 'total'), readPlazaRow), window), window)
})

function believable (call: string, found: Summaries, window: Window): Summaries {
  if (isSuspect(found, window)) throw upstreamEmpty(call, 'a playlist')
  return found
}

function readPlaylists (answer: Answer, window: Pick<Window, 'from' | 'to'>): Summaries {
  const data = need.at(answer, 'data')
  return wanted(readSentRows(data, ['list'], maybe.int(data, 'sum'), (row) => ({
    dissid: need.id(row, 'dissid'),
    dissname: needText(row, 'dissname'),
    creator: textOf(row, 'creator.name'),
    listen_num: maybe.int(row, 'listennum') ?? 0,
    imgurl: pictureOf(row, 'imgurl')
  })), window)
}

export const getSongLists = endpoint({
  method: 'GET',
  path: '/getSongLists',
  tag: 'playlists',
  summary: 'Playlists of a category',
  description: 'Without a category: all playlists. An unknown category has an empty list, because the upstream does not tell it from an empty one.',
  example: { categoryId: 10000000, limit: 3 },
  input: GetSongListsQuery,
  record: PlaylistPage,
  envelope: codeMsgData,
  cache: 'lively',

  async run ({ categoryId, sortId, limit, page }, { upstream }) {
    const question = { categoryId, sortId }
    const { rows, total } = await joinWindows(windowsOf(page * limit, limit), async (window) => {
      const chain: UpstreamCall<Summaries>[] = [playlistsOf(question, window), playlistsWithCharset(question, window)]
      return await upstream.firstOf(categoryId === allPlaylists ? [...chain, square(question, window)] : chain)
    })
    return { categoryId, sum: total, playlists: rows }
  }
})
