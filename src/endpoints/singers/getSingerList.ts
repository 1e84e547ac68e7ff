/** Singers by area, sex and genre. Upstream: 80 rows a page, filter numbers of its own (recorded 2026-08-06). */
import {
  codeMsgData, endpoint, httpsPicture, maybe, nameOf, need, needText, pictureUrl, textOf, upstreamEmpty, type Answer,
  type MusicuCall
} from '../kit.ts'
import { GetSingerListQuery, SingerList, type ListedSinger, type SingerFilter } from '../../../schemas/singers.ts'
import { offsetFromOne } from '../../../schemas/common.ts'
import { readPart, readSentRows, collectRows, unlessBlocked, type SentRows } from '../shared/pages.ts'

const upstreamPage = 80

/** The upstream's number for no filter. */
const everybody = -100

/** Maps public numbers to the upstream's. There, sex 1 is female, area 3 is Korea, and -1 matches no singer. */
const upstreamIds = {
  area: { [-1]: -100, 1: 200, 2: 2, 3: 5, 4: 3, 5: 4, 6: 6, 200: 200, [-100]: -100 },
  sex: { [-1]: -100, 0: 0, 1: 0, 2: 1, 3: 2, [-100]: -100 },
  genre: {
    [-1]: -100,
    1: 7,
    2: 4,
    3: 8,
    4: 2,
    5: 14,
    6: 3,
    7: 7,
    8: 11,
    9: 93,
    10: 37,
    11: 11,
    13: 13,
    14: 33,
    19: 19,
    20: 10,
    25: 13,
    33: 33,
    37: 37,
    93: 93,
    [-100]: -100
  }
} as const

interface Filters { readonly area: number, readonly sex: number, readonly genre: number }
interface SingerPage extends SentRows<ListedSinger> { readonly tags: SingerList['tags'] }

const paged = (filters: Filters, page: number): Readonly<Record<string, number>> => ({
  ...filters,
  index: -100,
  sin: (page - 1) * upstreamPage,
  cur_page: page
})

const listOf = (filters: Filters, page: number, imageOrigin: string): MusicuCall<SingerPage> => ({
  name: 'singer.list',
  request: { module: 'music.musichallSinger.SingerList', method: 'GetSingerListIndex', param: paged(filters, page) },
  read: (answer) => readSingerPage(answer, filters, page, imageOrigin)
})

const olderListOf = (filters: Filters, page: number, imageOrigin: string): MusicuCall<SingerPage> => ({
  name: 'singer.list.older',
  request: { module: 'Music.SingerListServer', method: 'get_singer_list', param: paged(filters, page) },
  read: (answer) => readSingerPage(answer, filters, page, imageOrigin)
})

/** Maximum number of rows in the response with all singers. */
const mostOfWhole = 1000

/** Returns the first thousand singers in one response, which says nothing of those behind them. `first`: a row. */
const wholeListOf = (
  filters: Filters,
  page: number,
  imageOrigin: string,
  first: number
): MusicuCall<SingerPage> => ({
  name: 'singer.list.whole',
  request: { module: 'music.musichallSinger.SingerList', method: 'GetSingerList', param: { hastag: 0, ...filters } },
  optionalFields: ['total', 'tags.*'],
  read (answer) {
    const whole = readSingerPage(answer, filters, 1, imageOrigin)
    if (whole.sent >= mostOfWhole && first >= whole.sent) throw upstreamEmpty(answer.call, 'these singers')
    return pageOfWhole(whole, (page - 1) * upstreamPage)
  }
})

/** Field names differ by generation; the oldest response is a table dump with `F` before each column. */
function readSingerPage (answer: Answer, filters: Filters, number: number, imageOrigin: string): SingerPage {
  const page = readSentRows(
    answer,
    ['singerlist', 'list'],
    maybe.int(answer, 'total', 'totalNum'),
    (row) => readListedSinger(row, imageOrigin)
  )
  // A filter may match no singer, but the list without filters is never empty.
  if (page.sent === 0 && number === 1 && Object.values(filters).every((id) => id === everybody)) {
    throw upstreamEmpty(answer.call, 'singers')
  }
  return {
    ...unlessBlocked(page, (number - 1) * upstreamPage, answer.call, 'singers'),
    tags: { area: legendOf(answer, 'area'), sex: legendOf(answer, 'sex'), genre: legendOf(answer, 'genre') }
  }
}

function readListedSinger (row: Answer, imageOrigin: string): ListedSinger {
  const singerMID = need.text(row, 'singer_mid', 'Fsinger_mid', 'mid')
  const picture = maybe.text(row, 'singer_pic')
  return {
    singerName: nameOf(row, 'singer_name', 'Fsinger_name', 'name'),
    singerMID,
    singerPic: picture === undefined ? pictureUrl(imageOrigin, 'singer', maybe.text(row, 'singer_pmid') ?? singerMID)
      : httpsPicture(picture),
    singerId: maybe.int(row, 'singer_id', 'Fsinger_id') ?? 0,
    otherName: textOf(row, 'other_name', 'Fother_name'),
    country: textOf(row, 'country'),
    concernNum: maybe.int(row, 'concernNum') ?? 0
  }
}

/** Returns the upstream's own list of filter values in public numbers. A value without a public number is dropped. */
function legendOf (answer: Answer, filter: keyof typeof upstreamIds): SingerFilter[] {
  const publicIds = new Map<number, number>()
  // Several public numbers map to one upstream number. The first positive one (-1 for all) is the documented one.
  for (const [own, upstream] of Object.entries(upstreamIds[filter])) {
    if (Number(own) !== -100 && Number(own) !== 0 && !publicIds.has(upstream)) publicIds.set(upstream, Number(own))
  }
  return readPart(answer, [`tags.${filter}`], (row) => {
    const id = publicIds.get(need.int(row, 'id'))
    return id === undefined ? undefined : { id, name: needText(row, 'name') }
  }).rows
}

function pageOfWhole (whole: SingerPage, begin: number): SingerPage {
  const rows = whole.rows.filter(({ at }) => at >= begin && at < begin + upstreamPage).map(({ at, row }) => ({
    at: at - begin,
    row
  }))
  return { tags: whole.tags, total: whole.sent, sent: Math.max(0, Math.min(upstreamPage, whole.sent - begin)), rows }
}

export const getSingerList = endpoint({
  method: 'GET',
  path: '/getSingerList',
  tag: 'singers',
  summary: 'Singers by area, sex and genre',
  summaryInChinese: '歌手列表，按地区、性别和流派筛选',
  description: 'The numbers of area, sex and genre are defined by this relay; tags in the answer lists them. total counts the matching singers; a page beyond it is empty.',
  example: { area: 3, sex: -1, page: 1, limit: 5 },
  probe: () => [{ limit: 1 }],
  samples: ({ singers }) => ({ singers: singers.map(({ singerMID }) => singerMID) }),
  input: GetSingerListQuery,
  record: SingerList,
  envelope: codeMsgData,
  cache: 'slow',

  async run ({ area, sex, genre, page, limit }, { upstream, imageOrigin, cacheAtMost }) {
    const filters: Filters = {
      area: upstreamIds.area[area],
      sex: upstreamIds.sex[sex],
      genre: upstreamIds.genre[genre]
    }
    let tags: SingerList['tags'] = { area: [], sex: [], genre: [] }
    // The upstream's page boundaries are fixed: fetch the page with this row, and drop the rows before it.
    const fetchRows = async (begin: number): Promise<SentRows<ListedSinger>> => {
      const number = Math.floor(begin / upstreamPage) + 1
      const before = begin % upstreamPage
      const found = await upstream.firstOf([
        listOf(filters, number, imageOrigin),
        olderListOf(filters, number, imageOrigin),
        wholeListOf(filters, number, imageOrigin, begin)
      ])
      tags = found.tags
      return {
        total: found.total,
        sent: found.sent === 0 ? 0
          : found.total === undefined ? Math.max(0, found.sent - before) : upstreamPage - before,
        rows: found.rows.filter(({ at }) => at >= before).map(({ at, row }) => ({ at: at - before, row }))
      }
    }
    const { rows, total, skipped } = await collectRows(offsetFromOne(page, limit), limit, fetchRows, cacheAtMost)
    return { singers: rows, total, page: Math.max(1, page), limit, tags, skipped }
  }
})
