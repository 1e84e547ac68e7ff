/**
 * Categories of playlists. The gateway has a list with other numbers for the same names (59 is a different mood in each), which
 * do not work in /getSongLists. It is the fallback for the categories whose names have a number in the classic list. Classic
 * call alive 2026-09, gateway 2026-02.
 */
import { codeMsgData } from '../../../schemas/envelopes.ts'
import { GetSongListCategoriesQuery, PlaylistCategories, type PlaylistCategory } from '../../../schemas/playlists.ts'
import { endpoint } from '../../core/endpoint.ts'
import { upstreamEmpty } from '../../common/errors.ts'
import { maybe, need, type Answer } from '../../upstream/reader/read.ts'
import type { ClassicCall, MusicuCall } from '../../upstream/calls.ts'
import { classicFiller, noAccount } from '../../upstream/protocol/requests.ts'
import { allCategory, categoryIds } from '../shared/categoryIds.ts'
import { needText, textOf } from '../shared/fields.ts'
import { uniqueBy } from '../shared/uniqueBy.ts'

const allCategories: ClassicCall<PlaylistCategories> = {
  name: 'playlists.categories',
  request: { path: '/splcloud/fcgi-bin/fcg_get_diss_tag_conf.fcg', query: { format: 'json', ...classicFiller } },
  read: (answer) => requireCategories(need.list(need.at(answer, 'data'), 'categories', (group) => maybe.list(group, 'items', (item): PlaylistCategory => ({
    id: need.int(item, 'categoryId'),
    name: needText(item, 'categoryName'),
    group: textOf(group, 'categoryGroupName')
  }))).flat(), answer)
}

const gatewayCategories: MusicuCall<PlaylistCategories> = {
  name: 'playlists.categories.gateway',
  request: { module: 'playlist.PlaylistAllCategoriesServer', method: 'get_all_categories', param: noAccount },
  read (answer) {
    const known = need.list(answer, 'v_group', (group) => maybe.list(group, 'v_item', (item): PlaylistCategory | undefined => {
      const name = needText(item, 'name')
      const id = categoryIds.get(name)
      return id === undefined ? undefined : { id, name, group: textOf(group, 'group_name') }
    })).flat()
    const { categories } = requireCategories(uniqueBy(known, ({ id }) => id), answer)
    return { categories: [allCategory, ...categories] }
  }
}

function requireCategories (categories: PlaylistCategory[], { call }: Answer): PlaylistCategories {
  if (categories.length === 0) throw upstreamEmpty(call, 'a category')
  return { categories }
}

export const getSongListCategories = endpoint({
  method: 'GET',
  path: '/getSongListCategories',
  tag: 'playlists',
  summary: 'Categories of playlists',
  description: 'The categories for /getSongLists, with the name of their group. 10000000 is all playlists.',
  example: {},
  probe: () => [{}],
  input: GetSongListCategoriesQuery,
  record: PlaylistCategories,
  envelope: codeMsgData,
  cache: 'slow',

  run: async (_input, { upstream }) => await upstream.firstOf([allCategories, gatewayCategories])
})
