/**
 * Categories of playlists. The gateway has its own list with other numbers for the same names (59 is one mood here and
 * another there), which /getSongLists would not understand. There is therefore no second source. Alive 2026-09.
 */
import { codeMsgData } from '../../../schemas/envelopes.ts'
import { GetSongListCategoriesQuery, PlaylistCategories } from '../../../schemas/playlists.ts'
import type { PlaylistCategory } from '../../../schemas/playlists.ts'
import { endpoint } from '../../core/endpoint.ts'
import { upstreamEmpty } from '../../common/errors.ts'
import { maybe, need } from '../../upstream/reader/read.ts'
import type { Answer } from '../../upstream/reader/read.ts'
import type { ClassicCall } from '../../upstream/calls.ts'
import { classicFiller } from '../../upstream/protocol/requests.ts'
import { needText, textOf } from '../shared/fields.ts'

const allCategories: ClassicCall<PlaylistCategories> = {
  name: 'playlists.categories',
  request: { path: '/splcloud/fcgi-bin/fcg_get_diss_tag_conf.fcg', query: { format: 'json', ...classicFiller } },
  read: readCategories
}

function readCategories (answer: Answer): PlaylistCategories {
  const categories = need.list(need.at(answer, 'data'), 'categories', (group) => maybe.list(group, 'items', (item): PlaylistCategory => ({
    id: need.int(item, 'categoryId'),
    name: needText(item, 'categoryName'),
    group: textOf(group, 'categoryGroupName')
  }))).flat()
  if (categories.length === 0) throw upstreamEmpty(answer.call, 'a category')
  return { categories }
}

export const getSongListCategories = endpoint({
  method: 'GET',
  path: '/getSongListCategories',
  tag: 'playlists',
  summary: 'Categories of playlists',
  description: 'The categories that /getSongLists takes, with the name of their group. 10000000 is all playlists.',
  example: {},
  probe: () => [{}],
  input: GetSongListCategoriesQuery,
  record: PlaylistCategories,
  envelope: codeMsgData,
  cache: 'slow',

  run: async (_input, { upstream }) => await upstream.send(allCategories)
})
