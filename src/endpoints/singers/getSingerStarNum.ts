/**
 * The number of followers of a singer. Sources: the singer's page (used in 2026), a classic call (2019), and the phone
 * program's home page.
 */
import {
  codeMsgData, endpoint, maybe, need, upstreamEmpty, type Answer, type ClassicCall, type MusicuCall, type UpstreamCall
} from '../kit.ts'
import { GetSingerStarNumQuery, SingerStarNum } from '../../../schemas/singers.ts'
import { singerPage } from './singer.ts'

type Fans = Pick<SingerStarNum, 'num' | 'status'>

const followersOf = (singermid: string): ClassicCall<Fans> => ({
  name: 'singer.fans.classic',
  request: {
    path: '/rsc/fcgi-bin/fcg_order_singer_getnum.fcg',
    query: { singermid, utf8: 1, format: 'json', inCharset: 'utf8', outCharset: 'utf-8', rnd: Date.now() }
  },
  read: readFollowers
})

const pageFansOf = (singermid: string): MusicuCall<Fans> =>
  singerPage('singer.fans.page', singermid, 0, 1, (data) => ({ num: need.int(data, 'singer_info.fans'), status: 0 }))

/** With the web's `comm` the response is an empty shell. */
const homepageOf = (SingerMid: string): MusicuCall<Fans> => ({
  name: 'singer.homepage',
  request: { module: 'music.UnifiedHomepage.UnifiedHomepageSrv', method: 'GetHomepageHeader', param: { SingerMid }, comm: 'mobile' },
  read: readHomepage
})

/**
 * The page (used in 2026) precedes the older call, but only that one returns whether the account follows the singer.
 */
function chainOf (singermid: string, loggedIn: boolean): UpstreamCall<Fans>[] {
  const calls = [pageFansOf(singermid), followersOf(singermid)]
  return [...(loggedIn ? calls.reverse() : calls), homepageOf(singermid)]
}

/**
 * Reads the followers. An unknown singer has none either, so a 0 must be confirmed by a call that detects unknown
 * singers.
 */
function readFollowers (answer: Answer): Fans {
  const num = need.int(answer, 'num')
  if (num === 0) throw upstreamEmpty(answer.call, 'a number of followers')
  return { num, status: maybe.int(answer, 'status') ?? 0 }
}

function readHomepage (answer: Answer): Fans {
  const info = need.at(answer, 'Info')
  if (maybe.text(info, 'Singer.SingerMid') === undefined) throw upstreamEmpty(answer.call, 'a singer')
  return { num: need.int(info, 'FansNum.Num'), status: maybe.int(info, 'IsFollowed') ?? 0 }
}

export const getSingerStarNum = endpoint({
  method: 'GET',
  path: '/getSingerStarNum',
  tag: 'singers',
  summary: 'Number of followers of a singer',
  summaryInChinese: '歌手的关注人数',
  description: 'The upstream counts differently in different places, so the number may change by more than the real followers.',
  example: { singermid: '00DemoSing0001' },
  probe: ({ singers }) => singers.map((singermid) => ({ singermid })),
  input: GetSingerStarNumQuery,
  record: SingerStarNum,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid }, { upstream }) {
    return { singermid, ...await upstream.firstOf(chainOf(singermid, upstream.loggedIn)) }
  }
})
