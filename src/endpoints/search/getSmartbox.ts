/**
 * Suggestions. The gateway's call of this name returns texts without ids, so it is not used. An empty answer does not
 * say whether there are none (docs/decisions.md#0008).
 */
import { codeMsgData, endpoint, publicCodes, type ClassicCall } from '../kit.ts'
import type { Song } from '../../../schemas/song.ts'
import { GetSmartboxQuery, Smartbox, type SuggestedSong } from '../../../schemas/search.ts'
import { mostSuggested, smartboxOf } from './found.ts'
import { searchKinds } from './searchKinds.ts'

const page = { size: mostSuggested, index: 0, from: 0, to: mostSuggested }

/** The site's searches, which have no turns to wait for: the first songs. */
function songsOf (key: string): ClassicCall<SuggestedSong[]>[] {
  const suggestionOf = ({ id, mid, title, singer }: Song): SuggestedSong =>
    ({ id: String(id), mid, name: title, singer: singer.map(({ name }) => name).join('/') })
  return (searchKinds.songs.site?.searches ?? []).map(({ name, request, rows, optionalFields = [] }) => ({
    name,
    request: request(key, page),
    codes: publicCodes,
    optionalFields,
    read: (answer) => rows(answer).rows.map(({ row }) => suggestionOf(row))
  }))
}

export const getSmartbox = endpoint({
  method: 'GET',
  path: '/getSmartbox',
  tag: 'search',
  summary: 'Search suggestions while typing',
  summaryInChinese: '输入时的搜索建议',
  description: 'A few songs, singers and albums that may match the words. Numbers are texts here, as the upstream sends them. If the upstream has no suggestions, the songs are the first ones of its search; if that fails, so does the request. Without hits the three lists are empty.',
  example: { key: 'paper' },
  probe: ({ songs }) => songs.map(({ title }) => ({ key: title })),
  input: GetSmartboxQuery,
  record: Smartbox,
  envelope: codeMsgData,
  cache: 'query',

  async run ({ key }, { upstream }) {
    const found = await upstream.firstOf(smartboxOf(key, (found) => found))
    const isEmpty = Object.values(found.result).every((rows) => rows.length === 0)
    return isEmpty ? { ...found, result: { ...found.result, songList: await upstream.firstOf(songsOf(key)) } } : found
  }
})
