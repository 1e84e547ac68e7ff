/**
 * Today's songs for an account: a folder that every account has (2026-11). Without it, the first page of the Mac client
 * or a card of the home feed names a playlist, which is then loaded; then the light program's call. Feed recorded
 * 2024-03, page 2026-08.
 */
import { ownWords } from '../../upstream/wire/requests.ts'
import { DailyRecommend, GetDailyRecommendQuery } from '../../../schemas/recommend.ts'
import {
  UpstreamError, endpoint, maybe, need, optional, statusBody, textOf, upstreamEmpty, type Answer, type ClassicCall,
  type MusicuCall, type RelayError, type Upstream
} from '../kit.ts'
import type { Credential } from '../../upstream/wire/credentials.ts'
import { feedChain, playlistJump, personalRadio } from '../shared/recommended.ts'
import { folderRequest, playlistRequest, siblingPlaylistRequest } from '../shared/playlistCalls.ts'
import { sessionCheck } from '../shared/accountCalls.ts'
import { readCounted } from '../shared/pages.ts'
import { readSongRow } from '../shared/song.ts'

/** Folder number of the daily songs in every account. */
const dailyFolder = 202

/** Titles of the playlist: "thirty a day", "shared with you today". */
const titles = ['每日30首', '今日私享']

/**
 * Returns the id of the daily playlist, which some cards lack (0). The shelf also contains the personal station, so
 * only playlist cards count.
 */
function dailyOf (cards: readonly Answer[], call: string): string {
  const lists = cards.filter((card) => maybe.int(card, 'jumptype') === playlistJump)
  const card = lists.find((each) => titles.includes(maybe.text(each, 'title') ?? '')) ??
    lists.find((each) => maybe.text(each, 'extra_info.moduleID')?.startsWith('recforyou') === true)
  const dissid = card === undefined ? '0' : need.id(card, 'id')
  if (Number(dissid) === 0) throw upstreamEmpty(call, 'a daily playlist')
  return dissid
}

const macPage: ClassicCall<string> = {
  name: 'daily.page',
  request: { path: '/node/musicmac/v6/index.html', query: {}, as: 'text' },
  read (answer) {
    const item = need.text(answer, '').split('playlist__item').find((part) =>
      titles.some((title) => part.includes(title))
    )
    const dissid = /data-rid=["']?(\d{1,19})\b/.exec(item ?? '')?.[1]
    if (dissid === undefined) throw upstreamEmpty(answer.call, 'a daily playlist')
    return dissid
  }
}

const folderOf = (uin: string): MusicuCall<DailyRecommend> => ({
  name: 'daily.folder',
  request: folderRequest(dailyFolder, uin),
  read: (answer) => ({ dissid: dissidOf(answer), ...readDaily(answer) })
})

function dissidOf (answer: Answer): string {
  const id = maybe.id(answer, 'dirinfo.id') ?? '0'
  return Number(id) === 0 ? '' : id
}

/**
 * The light program's call for the same folder (2026-11). No answer of it was seen whole; it is read like that of the
 * folder.
 */
const lightDaily: MusicuCall<DailyRecommend> = {
  name: 'daily.light',
  request: {
    module: ownWords.lightDailyModule,
    method: 'GetDaily30',
    param: {
      disstid: 0,
      dirid: dailyFolder,
      onlysonglist: 0,
      song_begin: 0,
      song_num: 2_147_483_647,
      userinfo: 1,
      pic_dpi: 800,
      orderlist: 1
    },
    comm: 'lite'
  },
  optionalFields: ['dirinfo.*'],
  read: (answer) => ({ dissid: dissidOf(answer), ...readDaily(answer) })
}

type Daily = Pick<DailyRecommend, 'dissname' | 'songs' | 'skipped'>

const songsOf = (disstid: string): readonly [MusicuCall<Daily>, MusicuCall<Daily>] => {
  const whole = { begin: 0, num: 100 }
  return [
    { name: 'daily.songs', request: playlistRequest({ disstid }, whole), read: readDaily },
    { name: 'daily.songs.sibling', request: siblingPlaylistRequest({ disstid }, whole), read: readDaily }
  ]
}

function readDaily (answer: Answer): Daily {
  const { rows: songs, skipped } = readCounted(answer, ['songlist'], readSongRow)
  if (songs.length === 0) throw upstreamEmpty(answer.call, 'the songs of the daily playlist')
  return { dissname: textOf(answer, 'dirinfo.title'), songs, skipped }
}

/** True if the calls are at fault, not the caller, the host or the time. */
const isRefused = (error: RelayError): boolean => error instanceof UpstreamError && error.fault === 'call'

async function dailyPlaylist (uin: string, upstream: Upstream): Promise<DailyRecommend | undefined> {
  const found = await optional(
    upstream.firstOf<DailyRecommend | string>([
      sessionCheck(folderOf(uin)),
      macPage,
      ...feedChain(dailyOf),
      lightDaily
    ]),
    isRefused
  )
  if (typeof found !== 'string') return found
  const [first, sibling] = songsOf(found)
  const daily = await optional(upstream.firstOf([sessionCheck(first), sibling]), isRefused)
  return daily === undefined ? undefined : { dissid: found, ...daily }
}

export const getDailyRecommend = endpoint({
  method: 'GET',
  path: '/getDailyRecommend',
  tag: 'recommend',
  summary: 'Today\'s songs for an account',
  summaryInChinese: '每日推荐歌曲',
  description: 'The playlist that the upstream makes for the account every day. If there is none, the songs come from the personal radio station, and dissid is "". An expired cookie is COOKIE_REJECTED.',
  example: {},
  probe: ({ accounts }) => accounts.map(() => ({})),
  input: GetDailyRecommendQuery,
  record: DailyRecommend,
  envelope: statusBody,
  login: 'required',

  async run (_input, { upstream, credential }) {
    const { uin } = credential as Credential // `login: 'required'` guarantees it
    return await dailyPlaylist(uin, upstream)
      ?? await upstream.firstOf(personalRadio(({ rows: songs, skipped }) => ({
        dissid: '',
        dissname: '',
        songs,
        skipped
      })))
  }
})
