/**
 * Categories of playlists. The gateway has a list with other numbers for the same names (59 is a different mood in
 * each), which do not work in /getSongLists. It is the fallback for the categories whose names have a number in the
 * classic list. Classic call alive 2026-09, gateway 2026-02.
 */
import {
  codeMsgData, endpoint, nameOf, need, needText, textOf, uniqueBy, upstreamEmpty, type Answer, type ClassicCall,
  type MusicuCall
} from '../kit.ts'
import {
  GetSongListCategoriesQuery, PlaylistCategories, allPlaylists, type PlaylistCategory
} from '../../../schemas/playlists.ts'
import { classicFiller, noAccount } from '../../upstream/wire/requests.ts'
import { readCounted, together, type CountedRows } from '../shared/pages.ts'

const allCategories: ClassicCall<PlaylistCategories> = {
  name: 'playlists.categories',
  request: { path: '/splcloud/fcgi-bin/fcg_get_diss_tag_conf.fcg', query: { format: 'json', ...classicFiller } },
  read (answer) {
    const groups = need.list(
      need.at(answer, 'data'),
      'categories',
      (group) =>
        readCounted(group, ['items'], (item): PlaylistCategory => ({
          id: need.int(item, 'categoryId'),
          name: nameOf(item, 'categoryName'),
          group: textOf(group, 'categoryGroupName')
        }))
    )
    return requireCategories(together(groups), answer)
  }
}

const gatewayCategories: MusicuCall<PlaylistCategories> = {
  name: 'playlists.categories.gateway',
  request: { module: 'playlist.PlaylistAllCategoriesServer', method: 'get_all_categories', param: noAccount },
  read (answer) {
    const known =
      together(need.list(
        answer,
        'v_group',
        (group) =>
          readCounted(group, ['v_item'], (item): PlaylistCategory | undefined => {
            const name = needText(item, 'name')
            const id = categoryIds.get(name)
            return id === undefined ? undefined : { id, name, group: textOf(group, 'group_name') }
          })
      ))
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

/** The number of each category, by its name. */
export const categoryIds: ReadonlyMap<string, number> = new Map([
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
