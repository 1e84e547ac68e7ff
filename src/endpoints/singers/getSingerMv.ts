/** MVs of a singer. Upstream recorded 2026-08-06; the classic call is known from responses of 2019. */
import { offsetFromOne } from '../../../schemas/common.ts'
import {
  codeMsgData, endpoint, maybe, midnightInChina, nameOf, need, pictureOf, type Answer, type ClassicCall,
  type MusicuCall, type UpstreamCall
} from '../kit.ts'
import { GetSingerMvQuery, SingerMvs, type SingerMv } from '../../../schemas/singers.ts'
import { readSentRows, collectRows, unlessBlocked, type SentRows } from '../shared/pages.ts'

type MvOrder = 'time' | 'listen'
interface MvRange { readonly singermid: string, readonly order: MvOrder, readonly begin: number, readonly num: number }

/** `order` 1 is the ranking; 0 is newest first, as in the upstream's other MV lists. */
const mvsOf = ({ singermid, order, begin, num }: MvRange): MusicuCall<SentRows<SingerMv>> => ({
  name: 'singer.mvs',
  request: {
    module: 'MvService.MvInfoProServer',
    method: 'GetSingerMvList',
    param: { singermid, order: order === 'listen' ? 1 : 0, count: num, start: begin }
  },
  read: (answer) => readMvs(answer, begin)
})

/** `cmd` is not sent: 1 would select uploads of fans. */
const classicMvsOf = ({ singermid, order, begin, num }: MvRange): ClassicCall<SentRows<SingerMv>> => ({
  name: 'singer.mvs.classic',
  request: {
    path: '/mv/fcgi-bin/fcg_singer_mv.fcg',
    query: { cid: 205360581, singermid, order, begin, num, format: 'json', inCharset: 'utf8', outCharset: 'utf-8' }
  },
  optionalFields: ['data.list[].pubdate', 'data.list[].duration'],
  read: (answer) => readMvs(need.at(answer, 'data'), begin)
})

const chainOf = (part: MvRange): UpstreamCall<SentRows<SingerMv>>[] => [mvsOf(part), classicMvsOf(part)]

/** Reads both generations. The classic one has numbers as strings, a day instead of a time, and no duration. */
function readMvs (answer: Answer, begin: number): SentRows<SingerMv> {
  const page = readSentRows(answer, ['list'], maybe.int(answer, 'total'), (row) => ({
    vid: need.text(row, 'vid'),
    mvid: maybe.int(row, 'mvid', 'id') ?? 0,
    title: nameOf(row, 'title'),
    picurl: pictureOf(row, 'picurl', 'pic'),
    duration: maybe.int(row, 'duration') ?? 0,
    playcnt: maybe.int(row, 'playcnt', 'listenCount') ?? 0,
    pubdate: maybe.int(row, 'pubdate') ?? midnightInChina(maybe.text(row, 'date') ?? '')
  }))
  return unlessBlocked(page, begin, answer.call, 'MVs')
}

export const getSingerMv = endpoint({
  method: 'GET',
  path: '/getSingerMv',
  tag: 'singers',
  summary: 'MVs of a singer',
  summaryInChinese: '歌手的 MV',
  description:
    'total counts all MVs of the singer; a page beyond it is empty, and so is the list of an unknown singer, because the upstream does not tell them apart.',
  example: { singermid: '00DemoSing0001', limit: 5, order: 'time' },
  probe: ({ singers }) => singers.map((singermid) => ({ singermid, limit: 1 })),
  input: GetSingerMvQuery,
  record: SingerMvs,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid, limit, order, page }, { upstream, cacheAtMost }) {
    const { rows, total, skipped } = await collectRows(
      offsetFromOne(page, limit),
      limit,
      (begin, num) => upstream.firstOf(chainOf({ singermid, order, begin, num })),
      cacheAtMost
    )
    // That 0 means "newest first" is known from a related call only, so the page is sorted here.
    return { total, list: order === 'time' ? [...rows].sort((a, b) => b.pubdate - a.pubdate) : rows, skipped }
  }
})
