/**
 * What to search for. Suggestions: the gateway's call of this name returns texts without ids, so it is not used. An
 * empty answer does not say whether there are none (docs/decisions.md#0008).
 */
import {
  GetHotkeyQuery, GetSmartboxQuery, Hotkeys, Smartbox, type Hotkey, type SuggestedSong
} from '../../../schemas/search.ts'
import type { Song } from '../../../schemas/song.ts'
import {
  codeMsgData, endpoint, maybe, needText, publicCodes, randomId, upstreamEmpty, type Answer, type ClassicCall,
  type MusicuCall
} from '../kit.ts'
import { mostSuggested, smartboxOf } from './found.ts'
import { searchKinds } from './searchKinds.ts'
import { readCounted, sliceOf, type CountedRows } from '../shared/pages.ts'
import { ownWords } from '../../upstream/wire/requests.ts'

const page = { size: mostSuggested, index: 0, from: 0, to: mostSuggested }

/** The site's searches, which have no turns to wait for: the first songs. */
function songsOf (key: string): ClassicCall<CountedRows<SuggestedSong>>[] {
  const suggestionOf = ({ id, mid, title, singer }: Song): SuggestedSong =>
    ({ id: String(id), mid, name: title, singer: singer.map(({ name }) => name).join('/') })
  return (searchKinds.songs.site?.searches ?? []).map(({ name, request, rows, optionalFields = [] }) => ({
    name,
    request: request(key, page),
    codes: publicCodes,
    optionalFields,
    read (answer) {
      const { rows: songs, sent, total = 0, skipped = 0 } = sliceOf(rows(answer), page)
      if (sent === 0 && total > 0) throw upstreamEmpty(name, 'a search result')
      return { rows: songs.map(suggestionOf), skipped }
    }
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
    if (!isEmpty) return found
    const { rows: songList, skipped } = await upstream.firstOf(songsOf(key))
    return { result: { ...found.result, songList }, skipped: found.skipped + skipped }
  }
})

// Trending searches. The desktop program's call comes first (eight clients of 2026), then the classic one, which
// answered HTTP 500 on some days of 2026, then the phone program's.

const classicHotkeys: ClassicCall<Hotkeys> = {
  name: 'hotkeys.classic',
  request: {
    path: '/splcloud/fcgi-bin/gethotkey.fcg',
    query: { format: 'json', g_tk: 5381, inCharset: 'utf-8', outCharset: 'utf-8', hostUin: 0, needNewCode: 0 }
  },
  read: (answer) => readHotkeys(answer, 'data.hotkey')
}

const phoneHotkeys = (): MusicuCall<Hotkeys> => ({
  name: 'hotkeys.phone',
  request: {
    module: 'music.musicsearch.HotkeyService',
    method: ownWords.phoneHotkeys,
    param: { search_id: randomId() },
    comm: 'mobile'
  },
  read: (answer) => readHotkeys(answer, 'vec_hotkey')
})

const desktopHotkeys: MusicuCall<Hotkeys> = {
  name: 'hotkeys.desktop',
  request: {
    module: ownWords.desktopHotkeyModule,
    method: ownWords.desktopHotkeys,
    param: { search_id: '', uin: 0 },
    comm: 'olderDesktop'
  },
  read: (answer) => readHotkeys(answer, 'vec_hotkey')
}

/** Classic keywords end in a space. The gateway sends the score as a string of digits. */
function readHotkeys (answer: Answer, path: string): Hotkeys {
  const { rows: hotkey, skipped } = readCounted(answer, [path], (row): Hotkey => ({
    k: needText(row, 'k', 'query').trim(),
    n: maybe.int(row, 'n', 'score') ?? 0
  }))
  if (hotkey.length === 0) throw upstreamEmpty(answer.call, 'a keyword')
  return { hotkey, skipped }
}

export const getHotkey = endpoint({
  method: 'GET',
  path: '/getHotkey',
  tag: 'search',
  summary: 'Trending searches',
  summaryInChinese: '热门搜索',
  description: 'Keywords with their heat, hottest first.',
  example: {},
  probe: () => [{}],
  input: GetHotkeyQuery,
  record: Hotkeys,
  envelope: codeMsgData,
  cache: 'lively',

  run: async (_input, { upstream }) => await upstream.firstOf([desktopHotkeys, classicHotkeys, phoneHotkeys()])
})
