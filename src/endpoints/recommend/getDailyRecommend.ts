/**
 * Today's songs for an account. There is no call for them: a card of the home feed, or the first page of the Mac
 * client, names a playlist, and that is loaded. Feed recorded 2024-03; page as clients of 2026 read it.
 */
import { DailyRecommend, GetDailyRecommendQuery } from '../../../schemas/recommend.ts'
import { statusBody } from '../../../schemas/envelopes.ts'
import { endpoint } from '../../endpoint.ts'
import { UpstreamError, upstreamEmpty } from '../../errors.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { ClassicCall, MusicuCall, Upstream } from '../../provider/upstream.ts'
import { feedChain, playlistJump } from '../shared/feed.ts'
import { withGoodCookie } from '../shared/goodCookie.ts'
import { personalRadio } from '../shared/personalRadio.ts'
import { playlistAsk, siblingPlaylistAsk } from '../shared/playlistAsk.ts'
import { readSong } from '../shared/song.ts'
import { textOf } from '../shared/texts.ts'

/** What the upstream calls the playlist: "thirty a day", "shared with you today". */
const titles = ['每日30首', '今日私享']

/** The shelf holds the personal station too, so only a card that leads to a playlist counts. */
function dailyOf (cards: readonly Answer[], call: string): string {
  const lists = cards.filter((card) => maybe.int(card, 'jumptype') === playlistJump)
  const card = lists.find((each) => titles.includes(maybe.text(each, 'title') ?? '')) ??
    lists.find((each) => maybe.text(each, 'extra_info.moduleID')?.startsWith('recforyou') === true)
  if (card === undefined) throw upstreamEmpty(call, 'a daily playlist')
  return need.id(card, 'id')
}

const macPage: ClassicCall<string> = {
  name: 'daily.page',
  ask: { path: '/node/musicmac/v6/index.html', query: {}, as: 'text' },
  read (answer) {
    const item = need.text(answer, '').split('playlist__item').find((part) => titles.some((title) => part.includes(title)))
    const dissid = /data-rid=["']?(\d{1,19})\b/.exec(item ?? '')?.[1]
    if (dissid === undefined) throw upstreamEmpty(answer.call, 'a daily playlist')
    return dissid
  }
}

type Daily = Pick<DailyRecommend, 'dissname' | 'songs'>

const songsOf = (disstid: string): readonly [MusicuCall<Daily>, MusicuCall<Daily>] => {
  const whole = { begin: 0, num: 100 }
  return [
    { name: 'daily.songs', ask: playlistAsk({ disstid }, whole), read: readDaily },
    { name: 'daily.songs.sibling', ask: siblingPlaylistAsk({ disstid }, whole), read: readDaily }
  ]
}

function readDaily (answer: Answer): Daily {
  const songs = maybe.list(answer, 'songlist', readSong)
  if (songs.length === 0) throw upstreamEmpty(answer.call, 'the songs of the daily playlist')
  return { dissname: textOf(answer, 'dirinfo.title'), songs }
}

/** Undefined when a call is at fault, not the caller, the host or the time. */
async function unlessRefused<T> (asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof UpstreamError && error.fault === 'call') return undefined
    throw error
  }
}

async function dailyPlaylist (upstream: Upstream): Promise<DailyRecommend | undefined> {
  const dissid = await unlessRefused(upstream.firstOf<string>([...feedChain(dailyOf), macPage]))
  if (dissid === undefined) return undefined
  const [first, sibling] = songsOf(dissid)
  const found = await unlessRefused(withGoodCookie(upstream, first, async (rest) => await rest.send(sibling)))
  return found === undefined ? undefined : { dissid, ...found }
}

export const getDailyRecommend = endpoint({
  method: 'GET',
  path: '/getDailyRecommend',
  tag: 'recommend',
  summary: 'Today\'s songs for an account',
  description: 'The playlist that the upstream makes for the account every day. When it shows none, the songs are those of the personal radio station, and dissid is "". An expired cookie is COOKIE_REJECTED.',
  example: {},
  input: GetDailyRecommendQuery,
  record: DailyRecommend,
  envelope: statusBody,
  login: 'required',

  async run (_input, { upstream }) {
    return await dailyPlaylist(upstream) ?? { dissid: '', dissname: '', songs: await upstream.firstOf(personalRadio) }
  }
})
