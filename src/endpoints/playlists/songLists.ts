/**
 * Playlists by category, the categories, several of both at once, and playlists related to a song. By category: `sin`
 * and `ein` are row numbers from 0, both inclusive. Recorded 2017-12, 2018-03, 2023-03.
 */
import pLimit from 'p-limit'
import { GetRelatedPlaylistsQuery, RelatedPlaylists, mostShown } from '../../../schemas/around.ts'
import {
  BatchGetSongListsBody, GetSongListCategoriesQuery, GetSongListsQuery, PlaylistBatch, PlaylistCategories, PlaylistPage,
  allPlaylists, mostElements, type PlaylistCategory, type PlaylistSummary
} from '../../../schemas/playlists.ts'
import {
  InvalidInput, codeMsgData, elementsOf, endpoint, maybe, nameOf, need, needText, pictureOf, settle, statusData, textOf,
  uniqueBy, upstreamEmpty, type Answer, type ClassicCall, type MusicuCall, type Settled, type UpstreamCall
} from '../kit.ts'
import { getSongListDetail } from './getSongListDetail.ts'
import {
  fetchPages, firstRowOf, readGroups, readPart, readSentRows, sliceOf, together, unlessBlockedPage, upstreamPages,
  type CountedRows, type PageSlice, type UpstreamPage
} from '../shared/pages.ts'
import { readPlazaRow } from '../shared/playlistCalls.ts'
import { songFactsOf } from '../shared/song.ts'
import { classicFiller, noAccount } from '../../upstream/wire/requests.ts'

type Summaries = PageSlice<PlaylistSummary>
interface PlaylistFilter { readonly categoryId: number, readonly sortId: number }

const { outCharset, ...filler } = classicFiller

/** What the first call said: it has no playlist at all. */
interface Evidence { nothing: boolean }

const playlistsOf = (
  { categoryId, sortId }: PlaylistFilter,
  page: UpstreamPage,
  evidence: Evidence
): ClassicCall<Summaries> => ({
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
  read (answer) {
    const found = readPlaylists(answer, page)
    evidence.nothing = found.sent === 0 && (found.total ?? 0) === 0
    return unlessBlockedPage(found, page, answer.call, 'a playlist')
  }
})

/**
 * In 2026-09 the list was always empty with outCharset, but older clients all send it. The call without it comes first,
 * and this one is its fallback.
 */
function playlistsWithCharset (
  filter: PlaylistFilter,
  page: UpstreamPage,
  evidence: Evidence
): ClassicCall<Summaries> {
  const { request: { path, query } } = playlistsOf(filter, page, evidence)
  return {
    name: 'playlists.classic.charset',
    request: { path, query: { ...query, outCharset } },
    knownIssue: { verdict: 'empty', note: 'empty while playlists.classic answers; one of the two always did', since: '2026-09' },
    read (answer) {
      const found = readPlaylists(answer, page)
      // An unknown category looks like an empty one, but "all" always has playlists. Alone, this call says nothing.
      const none = evidence.nothing && filter.categoryId !== allPlaylists && (found.total ?? 0) === 0
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
      const evidence = { nothing: false }
      const chain: UpstreamCall<Summaries>[] = [
        playlistsOf(filter, upstreamPage, evidence),
        playlistsWithCharset(filter, upstreamPage, evidence)
      ]
      return await upstream.firstOf(categoryId === allPlaylists ? [...chain, square(filter, upstreamPage)] : chain)
    })
    return { categoryId, sum: total, playlists: rows, skipped }
  }
})

// Categories of playlists. The gateway has a list with other numbers for the same names (59 is a different mood in
// each), which do not work in /getSongLists. It is the fallback for the categories whose names have a number in the
// classic list. Classic call alive 2026-09, gateway 2026-02.

const allCategories: ClassicCall<PlaylistCategories> = {
  name: 'playlists.categories',
  request: { path: '/splcloud/fcgi-bin/fcg_get_diss_tag_conf.fcg', query: { format: 'json', ...classicFiller } },
  read (answer) {
    const found = readGroups<PlaylistCategory>(
      (read) => need.list(need.at(answer, 'data'), 'categories', read),
      ['items'],
      (item, group) => ({
        id: need.int(item, 'categoryId'),
        name: nameOf(item, 'categoryName'),
        group: textOf(group, 'categoryGroupName')
      })
    )
    return requireCategories(found, answer)
  }
}

const gatewayCategories: MusicuCall<PlaylistCategories> = {
  name: 'playlists.categories.gateway',
  request: { module: 'playlist.PlaylistAllCategoriesServer', method: 'get_all_categories', param: noAccount },
  read (answer) {
    const known =
      readGroups<PlaylistCategory>((read) => need.list(answer, 'v_group', read), ['v_item'], (item, group) => {
        const name = needText(item, 'name')
        const id = categoryIds.get(name)
        return id === undefined ? undefined : { id, name, group: textOf(group, 'group_name') }
      })
    const { categories, skipped } = requireCategories({ ...known, rows: uniqueBy(known.rows, ({ id }) => id) }, answer)
    return { categories: [allCategory, ...categories], skipped }
  }
}

function requireCategories (
  { rows: categories, skipped }: CountedRows<PlaylistCategory>,
  { call }: Answer
): PlaylistCategories {
  if (categories.length === 0) throw upstreamEmpty(call, 'a category')
  return { categories, skipped }
}

export const getSongListCategories = endpoint({
  method: 'GET',
  path: '/getSongListCategories',
  tag: 'playlists',
  summary: 'Categories of playlists',
  summaryInChinese: '歌单分类',
  description: 'The categories for /getSongLists, with the name of their group. 10000000 is all playlists.',
  example: {},
  probe: () => [{}],
  input: GetSongListCategoriesQuery,
  record: PlaylistCategories,
  envelope: codeMsgData,
  cache: 'slow',

  run: async (_input, { upstream }) => await upstream.firstOf([allCategories, gatewayCategories])
})

// Numbers of playlist categories in the classic calls, which /getSongLists sends. Unchanged from 2017 to 2026.

/** The category of all playlists, with its name in the classic list. */
const allCategory: PlaylistCategory = { id: allPlaylists, name: '全部', group: '热门' }

const categoryIds: ReadonlyMap<string, number> = new Map([
  // Languages
  ['国语', 165], ['英语', 167], ['韩语', 168], ['粤语', 166], ['日语', 169], ['小语种', 170], ['闽南语', 203],
  ['法语', 204], ['拉丁语', 205],
  // Genres
  ['流行', 6], ['轻音乐', 15], ['摇滚', 11], ['民谣', 28], ['R&B', 8], ['嘻哈', 153], ['电子', 24], ['古典', 27],
  ['乡村', 18], ['蓝调', 22], ['爵士', 21], ['新世纪', 164], ['拉丁', 25], ['后摇', 218], ['中国传统', 219],
  ['世界音乐', 220],
  // Themes
  ['ACG', 39], ['经典', 136], ['网络歌曲', 146], ['影视', 133], ['KTV热歌', 141], ['儿歌', 131], ['中国风', 145],
  ['古风', 194], ['情歌', 148], ['城市', 196], ['现场音乐', 197], ['背景音乐', 199], ['佛教音乐', 200], ['UP主', 201],
  ['乐器', 202], ['MC喊麦', 226], ['DJ', 14],
  // Moods
  ['伤感', 52], ['安静', 122], ['快乐', 117], ['治愈', 116], ['励志', 125], ['甜蜜', 59], ['寂寞', 55],
  ['宣泄', 126], ['思念', 68],
  // Occasions
  ['睡前', 78], ['夜店', 102], ['学习', 101], ['运动', 99], ['开车', 85], ['约会', 76], ['工作', 94], ['旅行', 81],
  ['派对', 103], ['婚礼', 222], ['咖啡馆', 223], ['跳舞', 224], ['校园', 16]
])

// Several categories, several playlists, or both in one request. Each element has the record of the single endpoint.

const atOnce = 5

type Answered = Awaited<ReturnType<typeof getSongLists.run | typeof getSongListDetail.run>>
type Element = { readonly categoryId: number } | { readonly disstid: string }

/** Returns the categories, then the playlists; the category of all if neither is given. Throws InvalidInput. */
function askedFor (categoryIds: readonly number[] | undefined, disstid: string | undefined): Element[] {
  const ids = disstid?.split(',').map((id) => ({ disstid: id.trim() })) ?? []
  const categories = categoryIds ?? (disstid === undefined ? [allPlaylists] : [])
  const elements = [...categories.map((categoryId) => ({ categoryId })), ...ids]
  if (elements.length > mostElements) throw new InvalidInput(`categoryIds: must be, together with disstid, at most ${mostElements} elements.`)
  return elements
}

export const batchGetSongLists = endpoint({
  method: 'POST',
  path: '/batchGetSongLists',
  tag: 'playlists',
  summary: 'Playlists of several categories, or several playlists with their songs',
  summaryInChinese: '多个分类的歌单，或多个歌单的详情和歌曲',
  description: 'One element per category as /getSongLists answers it, then one per playlist id as /getSongListDetail answers it (its first 1000 songs). If the upstream refuses an element, it has `code` and `error` instead; the request as a whole fails only if all elements fail. An empty body returns one page of all playlists, an empty list of categories an empty answer.',
  example: { categoryIds: [10000000, 6], limit: 3, disstid: '7700000001' },
  probe: ({ playlists }) => playlists.map((disstid) => ({ disstid, categoryIds: [10000000], limit: 1 })),
  input: BatchGetSongListsBody,
  record: PlaylistBatch,
  envelope: statusData,
  cache: 'lively',

  async run ({ categoryIds, page, limit, sortId, disstid }, context) {
    const elements = askedFor(categoryIds, disstid)
    const slots = pLimit(atOnce)
    const each = <I, R>(run: (input: I) => R | Promise<R>) => async (inputs: readonly I[]) =>
      await Promise.all(inputs.map((input) => settle(slots(async () => await run(input)))))
    const categories = elements.flatMap((element) =>
      'categoryId' in element ? [{ ...element, page, limit, sortId }] : []
    )
    const lists = elements.flatMap((element) => 'disstid' in element ? [{ ...element, offset: 0, limit: 1000 }] : [])
    const answers = await Promise.all([
      context.elements(getSongLists, categories, each((input) => getSongLists.run(input, context))),
      context.elements(getSongListDetail, lists, each((input) => getSongListDetail.run(input, context)))
    ])
    const settled: Settled<Answered>[] = answers.flat()
    return await elementsOf(
      settled,
      context,
      ({ code, message: error }, index) => ({ code, error, ...elements[index] as Element })
    )
  }
})

// Playlists related to a song, without a login (observed 2026-09). The next ones depend on the request's list of
// playlists already shown. The upstream accepts only the number of the song.

interface PlaylistsAround {
  readonly next: PlaylistSummary[]
  readonly steady: PlaylistSummary[]
  readonly hasMore: boolean
  readonly skipped: number
}

const relatedOf = (songid: number, shown: readonly number[]): MusicuCall<PlaylistsAround> => ({
  name: 'song.playlists',
  request: { module: 'music.recommend.TrackRelationServer', method: 'GetRelatedPlaylist', param: { songid, vecPlaylist: shown } },
  // Reads three playlists that depend on those already shown, and a few groups that never change.
  read (answer) {
    if (answer.reach('vecPlaylist') === undefined && answer.reach('hasMore') === undefined) {
      throw upstreamEmpty(answer.call, 'playlists')
    }
    const next = readPart(answer, ['vecPlaylist'], readPlaylist)
    const groups = maybe.list(answer, 'vecPlaylistNew', (group) => readPart(group, ['playlists'], readPlaylist))
    const { rows, skipped } = together([next, ...groups])
    const hasMore = maybe.flag(answer, 'hasMore') ?? false
    if (hasMore && rows.length + skipped === 0) throw upstreamEmpty(answer.call, 'playlists')
    return { next: next.rows, steady: rows.slice(next.rows.length), skipped, hasMore }
  }
})

/** Reads a playlist. Its count is a text, usually an empty one. */
function readPlaylist (row: Answer): PlaylistSummary {
  return {
    dissid: need.id(row, 'tid'),
    dissname: nameOf(row, 'title'),
    creator: textOf(row, 'creator'),
    listen_num: maybe.int(row, 'playCnt') ?? 0,
    imgurl: pictureOf(row, 'cover')
  }
}

export const getRelatedPlaylists = endpoint({
  method: 'GET',
  path: '/getRelatedPlaylists',
  tag: 'playlists',
  summary: 'Playlists related to a song',
  summaryInChinese: '与歌曲相关的歌单',
  description: 'nextCursor continues for some sixty playlists, without duplicates. An unknown song is 404.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetRelatedPlaylistsQuery,
  record: RelatedPlaylists,
  envelope: codeMsgData,
  cache: 'slow',

  async run ({ songmid, cursor }, context) {
    const { id: songid } = await songFactsOf({ song_mid: songmid }, context)
    const shown = cursor?.split('.') ?? []
    const { next, steady, hasMore, skipped } = await context.upstream.send(relatedOf(songid, shown.map(Number)))
    const playlists = uniqueBy(cursor === undefined ? [...next, ...steady] : next, ({ dissid }) => dissid)
      .filter(({ dissid }) => !shown.includes(dissid))
    const all = [...shown, ...playlists.map(({ dissid }) => dissid)]
    return {
      songid,
      songmid,
      playlists,
      skipped,
      ...(hasMore && playlists.length > 0 && all.length <= mostShown ? { nextCursor: all.join('.') } : {})
    }
  }
})
