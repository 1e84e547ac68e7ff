/**
 * Trending searches. The desktop program's call comes first (eight clients of 2026), then the classic one, which
 * answered HTTP 500 on some days of 2026, then the phone program's.
 */
import {
  codeMsgData, endpoint, maybe, needText, randomId, upstreamEmpty, type Answer, type ClassicCall, type MusicuCall
} from '../kit.ts'
import { GetHotkeyQuery, Hotkeys, type Hotkey } from '../../../schemas/search.ts'
import { ownWords } from '../../upstream/wire/requests.ts'
import { readCounted } from '../shared/pages.ts'

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
