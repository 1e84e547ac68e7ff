/** MVs of a singer. Upstream recorded 2026-08-06; the classic call is known from answers of 2019. */
import { offsetFromOne } from '../../../schemas/common.ts'
import { codeMsgData } from '../../../schemas/envelopes.ts'
import { GetSingerMvQuery, SingerMvs } from '../../../schemas/singers.ts'
import type { SingerMv } from '../../../schemas/singers.ts'
import { endpoint } from '../../endpoint.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { ClassicCall, MusicuCall, UpstreamCall } from '../../provider/upstream.ts'
import { midnightInChina } from '../shared/days.ts'
import { readSentRows, rowsFrom, unlessBlocked } from '../shared/pages.ts'
import type { SentRows } from '../shared/pages.ts'
import { needText, pictureOf } from '../shared/texts.ts'

type Order = 'time' | 'listen'
interface Part { readonly singermid: string, readonly order: Order, readonly begin: number, readonly num: number }

/** 1 is the ranking; 0 is newest first, as in the upstream's other MV lists. */
const mvsOf = ({ singermid, order, begin, num }: Part): MusicuCall<SentRows<SingerMv>> => ({
  name: 'singer.mvs',
  ask: { module: 'MvService.MvInfoProServer', method: 'GetSingerMvList', param: { singermid, order: order === 'listen' ? 1 : 0, count: num, start: begin } },
  read: (answer) => readMvs(answer, begin)
})

/** No `cmd`: 1 would select what fans uploaded. */
const classicMvsOf = ({ singermid, order, begin, num }: Part): ClassicCall<SentRows<SingerMv>> => ({
  name: 'singer.mvs.classic',
  ask: { path: '/mv/fcgi-bin/fcg_singer_mv.fcg', query: { cid: 205360581, singermid, order, begin, num, format: 'json', inCharset: 'utf8', outCharset: 'utf-8' } },
  sometimes: ['data.list[].pubdate', 'data.list[].duration'],
  read: (answer) => readMvs(need.at(answer, 'data'), begin)
})

const chainOf = (part: Part): UpstreamCall<SentRows<SingerMv>>[] => [mvsOf(part), classicMvsOf(part)]

/** Either generation: the classic one has numbers as text, a day instead of a moment, and no length. */
function readMvs (answer: Answer, begin: number): SentRows<SingerMv> {
  const page = readSentRows(answer, ['list'], maybe.int(answer, 'total'), (row) => ({
    vid: need.text(row, 'vid'),
    mvid: maybe.int(row, 'mvid', 'id') ?? 0,
    title: needText(row, 'title'),
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
  description: 'total counts all MVs of the singer; a page beyond it is empty, and so is the list of an unknown singer, because the upstream does not tell them apart.',
  example: { singermid: '00DemoSing0001', limit: 5, order: 'time' },
  input: GetSingerMvQuery,
  record: SingerMvs,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid, limit, order, page }, { upstream, keepFor }) {
    const { rows, total } = await rowsFrom(offsetFromOne(page, limit), limit, (begin, num) => upstream.firstOf(chainOf({ singermid, order, begin, num })), keepFor)
    // 0 as "newest first" is known from a sister call only: within the page the order is made sure of.
    return { total, list: order === 'time' ? [...rows].sort((a, b) => b.pubdate - a.pubdate) : rows }
  }
})
