/** Charts: one, all, past issues. The list of all has two generations (recorded 2026-08), and a classic call. */
import {
  Chart, GetRankPeriodsQuery, GetRanksQuery, RankPeriods, type ChartHead, type ChartPreview, type ChartSong
} from '../../../schemas/charts.ts'
import {
  InvalidInput, UpstreamError, codeMsgData, endpoint, maybe, nameOf, need, needText, notFound, noteMissing, pictureOf,
  proseOf, settle, someRows, textOf, unescapeText, type Answer, type ClassicCall, type Context, type MusicuCall,
  type UpstreamCall
} from '../kit.ts'
import { confirmedIfEmpty, readCounted, readPart } from '../shared/pages.ts'
import { placeOf, readFacts, singerNames, songDetail, songIdOf, songMidOf, titleOf, unwrapped } from '../shared/song.ts'

/** Returns the newer and the older call, whose answers also contain the issues of each chart. */
const chartLists = <T>(read: (answer: Answer) => T): MusicuCall<T>[] => [
  { name: 'chart.all', request: { module: 'music.musicToplist.Toplist', method: 'GetAll', param: {} }, read },
  { name: 'chart.all.older', request: { module: 'musicToplist.ToplistInfoServer', method: 'GetAll', param: {} }, read }
]

/** Returns a period without the zero that some clients write before a week: `2026_03` is `2026_3`. */
const plainPeriod = (period: string): string => period.replace('_0', '_')

const allCharts: readonly UpstreamCall<ChartPreview[]>[] = [
  ...chartLists(readAllCharts),
  {
    name: 'chart.all.classic',
    request: {
      path: '/v8/fcg-bin/fcg_myqq_toplist.fcg',
      query: { format: 'json', platform: 'h5', needNewCode: 1, uin: 0, g_tk: 5381 }
    },
    read (answer) {
      return someRows(answer, 'charts', need.list(need.at(answer, 'data'), 'topList', (chart) => ({
        id: need.int(chart, 'id'),
        name: nameOf(chart, 'topTitle'),
        period: '',
        picUrl: pictureOf(chart, 'picUrl'),
        ...previewOf(chart, 'songList', (row, index) => chartSong(0, undefined, {
          songName: need.text(row, 'songname'),
          singerName: textOf(row, 'singername'),
          rank: index + 1
        }))
      })))
    }
  }
]

function previewOf (
  chart: Answer,
  path: string,
  readRow: (row: Answer, index: number) => ChartSong
): Pick<ChartPreview, 'songs' | 'songInfoList' | 'skipped'> {
  const { rows: songs, skipped } = readPart(chart, [path], (row, index) => {
    const song = row.value === null ? undefined : readRow(row, index)
    return song?.songName === '' && song.songId === 0 ? undefined : song
  })
  return { songs, songInfoList: songs, skipped }
}

function readAllCharts (answer: Answer): ChartPreview[] {
  return someRows(answer, 'charts', need.list(answer, 'group', (group) => maybe.list(group, 'toplist', (chart) => ({
    id: need.int(chart, 'topId'),
    name: nameOf(chart, 'title'),
    period: maybe.text(chart, 'period') ?? '',
    picUrl: pictureOf(chart, 'headPicUrl', 'frontPicUrl'),
    ...previewOf(chart, 'song', (row, index) => chartSong(maybe.int(row, 'songId') ?? 0, undefined, {
      songName: nameOf(row, 'title'),
      singerName: textOf(row, 'singerName'),
      rank: maybe.int(row, 'rank') ?? index + 1
    }))
  }))).flat())
}

/** Returns a song of a chart. One without a title is deleted. */
function chartSong (
  songId: number,
  mid: string | undefined,
  row: Omit<ChartSong, 'songId' | 'song_id' | 'song_mid' | 'mid'>
): ChartSong {
  const gone = row.songName === '' ? { unplayable: true as const } : {}
  return {
    songId,
    song_id: songId,
    ...(mid === undefined ? {} : { song_mid: mid, mid }),
    ...row,
    songName: unescapeText(row.songName),
    ...gone
  }
}

// One chart. Upstream: `offset` is the absolute row, counted from 0 (recorded 2026-08-06).

/** 10007 means "no data": no such chart. It was seen on other calls; an unknown chart was never recorded. */
const codes = { 10007: 'missing.code' } as const

interface ChartPage { readonly topId: number, readonly offset: number, readonly num: number, readonly period?: string }

const chartOf = ({ topId, offset, num, period }: ChartPage): MusicuCall<ChartAnswer> => ({
  name: 'chart.detail',
  // Without a period the upstream sends the current issue. A computed week is wrong for daily charts.
  request: {
    module: 'music.musicToplist.Toplist',
    method: 'GetDetail',
    param: { topId, offset, num, withTags: false, ...period === undefined ? {} : { period } }
  },
  codes,
  optionalFields: ['songInfoList[].songInfo'],
  read: (answer) => ({ chart: readChart(answer, topId, offset), cut: false })
})

const olderChartOf = ({ topId, offset, num, period = '' }: ChartPage): MusicuCall<ChartAnswer> => ({
  name: 'chart.detail.older',
  request: { module: 'musicToplist.ToplistInfoServer', method: 'GetDetail', param: { topId, offset, num, period } },
  codes,
  optionalFields: ['songInfoList[].songInfo'],
  read: (answer) => ({ chart: readChart(answer, topId, offset), cut: false })
})

/** Maximum rows of one classic response. */
const mostClassic = 50

/** A chart. `cut` is true if the response was too short to hold the whole page. */
interface ChartAnswer { readonly chart: Chart, readonly cut: boolean }

const classicChartOf = ({ topId, offset, num }: ChartPage): ClassicCall<ChartAnswer> => ({
  name: 'chart.classic',
  request: {
    path: '/v8/fcg-bin/fcg_v8_toplist_cp.fcg',
    query: {
      topid: topId,
      page: 'detail',
      type: 'top',
      tpl: 3,
      song_begin: offset,
      song_num: Math.min(num, mostClassic),
      format: 'json',
      inCharset: 'utf8',
      outCharset: 'utf-8',
      platform: 'yqq.json'
    }
  },
  optionalFields: ['songlist[].data.id'], // old rows have a `songid`
  read (answer) {
    const chart = readClassicChart(answer, offset)
    const { totalNum } = chart.topList
    return { chart, cut: num > mostClassic && (totalNum === 0 || totalNum > offset + mostClassic) }
  }
})

type Sending = Pick<Context, 'upstream' | 'cacheAtMost'>

/** Sends calls for a page. The first page of a chart that counts songs has some, unless two say otherwise. */
const answerOf = async (
  calls: readonly UpstreamCall<ChartAnswer>[],
  { offset }: ChartPage,
  context: Sending
): Promise<ChartAnswer> =>
  await confirmedIfEmpty(calls, ({ chart: { songInfoList, skipped, topList } }) =>
    songInfoList.length + skipped === 0 && offset === 0 && topList.totalNum > 0, 'the songs of the chart', context)

/** Fetches a page of a past issue. For one that does not exist the upstream sends the current head (2026-08). */
async function pastPage (page: ChartPage, period: string, context: Sending): Promise<Chart> {
  const { chart } = await answerOf([chartOf(page), olderChartOf(page)], page, context)
  if (plainPeriod(chart.topList.period) !== period) throw notFound('chart.detail', `The issue ${period} of the chart ${page.topId}`)
  return chart
}

/** Fetches a page of a chart. The classic call has the current issue only, and a long page in two requests. */
async function chartPage (page: ChartPage, context: Sending): Promise<Chart> {
  if (page.period !== undefined) return await pastPage(page, page.period, context)
  const { chart, cut } = await answerOf([chartOf(page), olderChartOf(page), classicChartOf(page)], page, context)
  if (!cut) return chart
  const second = { ...page, offset: page.offset + mostClassic, num: page.num - mostClassic }
  const rest = await context.upstream.send(classicChartOf(second))
  return {
    ...chart,
    songInfoList: [...chart.songInfoList, ...rest.chart.songInfoList],
    skipped: chart.skipped + rest.chart.skipped
  }
}

const detailLists = ['songInfoList', 'song_info_list', 'songList', 'song_list', 'data.songInfoList'] as const

/** Rows come twice: `song[]`, without MID, and `songInfoList[]`, sometimes empty. They are matched by id. */
function readChart (answer: Answer, topId: number, offset: number): Chart {
  const head = need.at(answer, 'data')
  if (maybe.int(head, 'topId') === 0) throw notFound(answer.call, `The chart ${topId}`)
  const infos = maybe.list(
    answer,
    detailLists,
    (row) => row.value === null ? undefined : maybe.at(row, 'songInfo') ?? row
  )
  const detailed = new Map(infos.map((info) => [songIdOf(info), info]))
  const sent = readCounted(head, ['song'], (row, index) => {
    if (row.value === null) return undefined
    const songId = need.int(row, 'songId')
    const info = detailed.get(songId)
    const songName = (info === undefined ? undefined : maybe.text(info, 'title', 'name')) ?? nameOf(row, 'title')
    return songId === 0 && songName === '' ? undefined
      : chartSong(songId, info === undefined ? undefined : songMidOf(info), {
        songName,
        singerName: (info === undefined ? '' : singerNames(info)) || textOf(row, 'singerName'),
        rank: maybe.int(row, 'rank') ?? offset + index + 1,
        ...info === undefined ? {} : placeOf(info)
      })
  })
  const { rows: songs, skipped } = sent.rows.length > 0
    ? sent
    : readCounted(answer, detailLists, (row, index) => songAt(unwrapped(row, 'maybe', 'songInfo'), offset + index + 1))
  return { topList: readHead(head), songInfoList: songs, skipped }
}

/** Reads a song of a list of songs as a row of a chart. Undefined if the upstream sends nothing in its place. */
function songAt (song: Answer | undefined, rank: number): ChartSong | undefined {
  return song
    && chartSong(songIdOf(song) ?? 0, songMidOf(song), {
      songName: titleOf(song),
      singerName: singerNames(song),
      rank,
      ...placeOf(song)
    })
}

function readHead (head: Answer): ChartHead {
  return {
    id: need.int(head, 'topId'),
    name: needText(head, 'title'),
    period: maybe.text(head, 'period') ?? '', // the MV chart has none
    picUrl: pictureOf(head, 'headPicUrl', 'frontPicUrl'),
    updateTime: maybe.text(head, 'updateTime') ?? '',
    intro: proseOf(head, 'intro'),
    listenNum: maybe.int(head, 'listenNum') ?? 0,
    totalNum: maybe.int(head, 'totalNum') ?? 0
  }
}

function readClassicChart (answer: Answer, offset: number): Chart {
  const head = need.at(answer, 'topinfo')
  const begin = maybe.int(answer, 'song_begin') ?? offset
  const { rows: songInfoList, skipped } = readCounted(
    answer,
    ['songlist'],
    (row, index) => songAt(unwrapped(row, 'need', 'data'), begin + index + 1)
  )
  return {
    topList: {
      id: need.int(head, 'topID'),
      name: needText(head, 'ListName'),
      period: maybe.text(answer, 'date') ?? '',
      picUrl: pictureOf(head, 'pic_v12', 'pic'),
      updateTime: maybe.text(answer, 'update_time') ?? '',
      intro: proseOf(head, 'info'),
      listenNum: maybe.int(head, 'listennum') ?? 0,
      totalNum: maybe.int(answer, 'total_song_num') ?? 0
    },
    songInfoList,
    skipped
  }
}

/**
 * Adds missing `mid` values to the songs of the chart and of all previews: one detail request per distinct id that no
 * other row has with a MID. At most five of these requests run at once for the whole relay. A song stays without `mid`
 * if its request fails or the deadline leaves no time for it.
 */
async function withMids (chart: Chart, context: Context): Promise<Chart> {
  const { upstream, detailSlots, songs: songFacts } = context
  const rows = [...chart.songInfoList, ...(chart.topLists ?? []).flatMap(({ songs }) => songs)]
  const found =
    new Map(rows.flatMap(({ songId, mid }) => mid === undefined || songId <= 0 ? [] : [[songId, mid] as const]))
  for (const { songId } of rows) {
    const mid = found.has(songId) ? undefined : songFacts.get({ song_id: songId })?.mid
    if (mid !== undefined) found.set(songId, mid)
  }
  const missing = [...new Set(rows.map(({ songId }) => songId))].filter((songId) => songId > 0 && !found.has(songId))
  const midCall = (song_id: number): MusicuCall<string> => {
    const call = songDetail({ song_id }, (_data, track) => {
      songFacts.store(() => readFacts(track))
      return need.text(track, 'mid')
    })
    // Sharing a POST would only delay these calls, because at most five run at once.
    return { ...call, request: { ...call.request, alone: true } }
  }

  /** Set when the time of the request is over: no further song is requested. */
  let late: Error | undefined
  const one = async (song_id: number): Promise<void> => {
    const { value, error } = await detailSlots(async () =>
      late === undefined ? await settle(upstream.send(midCall(song_id))) : { error: late }
    )
    if (error === undefined) found.set(song_id, value)
    else noteMissing(context, error, 'a song of a chart stays without MID')
    if (error instanceof UpstreamError && error.kind === 'late') late = error
  }
  await Promise.all(missing.map(one))
  const filled = (songs: readonly ChartSong[]): ChartSong[] =>
    songs.map((song) => song.mid === undefined ? { ...song, ...midsOf(found.get(song.songId)) } : song)
  const topLists = chart.topLists?.map((preview) => {
    const songs = filled(preview.songs)
    return { ...preview, songs, songInfoList: songs }
  })
  return { ...chart, ...topLists === undefined ? {} : { topLists }, songInfoList: filled(chart.songInfoList) }
}

const midsOf = (mid: string | undefined): Pick<ChartSong, 'mid' | 'song_mid'> =>
  mid === undefined ? {} : { song_mid: mid, mid }

const defaultChart = 4

export const getRanks = endpoint({
  method: 'GET',
  path: '/getRanks',
  tag: 'charts',
  summary: 'One chart with its songs, or all charts',
  summaryInChinese: '一个榜单及其歌曲，或全部榜单',
  description: 'Without topId: all charts in topLists, and the songs of chart 4. period selects a past issue; /getRankPeriods lists them. Chart ids are the upstream\'s own; the answer to a call without topId lists them. Every song has songId and song_id; song_mid and mid are present when known. resolveMid=true looks up missing ones, in topLists too; a song has none if its detail request fails or if it has no number.',
  example: { topId: 62, limit: 3, resolveMid: true },
  probe: () => [{ limit: 1 }],
  samples: ({ songInfoList }) => ({
    songs: songInfoList.flatMap(({ mid, songId, songName }) =>
      mid === undefined || songId <= 0 ? [] : [{ id: String(songId), mid, title: songName }]
    )
  }),
  songs: ({ songInfoList }) =>
    songInfoList.map(({ mid = '', songName, singerName, unplayable }) =>
      ({ mid: unplayable === true ? '' : mid, title: songName, artist: singerName, seconds: 0 })),
  total: ({ topList }) => topList.totalNum,
  input: GetRanksQuery,
  record: Chart,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ topId, page, limit, resolveMid, period }, context) {
    if (topId === undefined && period !== undefined) throw new InvalidInput('period: needs topId, the chart whose issue it is.')
    const requested = {
      topId: topId ?? defaultChart,
      offset: page * limit,
      num: limit,
      ...period === undefined ? {} : { period: plainPeriod(period) }
    }
    const [chart, topLists] = await Promise.all([
      chartPage(requested, context),
      topId === undefined ? context.upstream.firstOf(allCharts) : undefined
    ])
    const asFound = {
      ...topLists === undefined ? {} : { topLists },
      ...chart,
      songInfoList: chart.songInfoList.slice(0, limit)
    }
    return resolveMid ? await withMids(asFound, context) : asFound
  }
})

// Past issues, from the list of all charts, which has them as years with week numbers (recorded 2026-08).

const number = (value: Answer): number => need.int(value, '')

function readPeriods (answer: Answer, topId: number): RankPeriods {
  const charts = need.list(answer, 'group', (group) =>
    maybe.list(group, 'toplist', (chart) => ({ id: need.int(chart, 'topId'), chart }))).flat()
  const chart = charts.find(({ id }) => id === topId)?.chart
  if (chart === undefined) throw notFound(answer.call, `The chart ${topId}`)
  const years = maybe.list(chart, 'history.year', number)
  const weeks = maybe.list(chart, 'history.subPeriod', (year) => maybe.list(year, '', number))
  return {
    topId,
    name: nameOf(chart, 'title'),
    period: maybe.text(chart, 'period') ?? '',
    periods: years.flatMap((year, at) => (weeks[at] ?? []).map((week) => `${year}_${week}`))
  }
}

export const getRankPeriods = endpoint({
  method: 'GET',
  path: '/getRankPeriods',
  tag: 'charts',
  summary: 'Past issues of a chart',
  summaryInChinese: '榜单的往期',
  description: 'Use one as the period of /getRanks. Weekly charts have issues of several years, daily charts none. A chart that is not in the list of all charts is 404, even if /getRanks knows it.',
  example: { topId: 5 },
  probe: () => [{ topId: 5 }],
  input: GetRankPeriodsQuery,
  record: RankPeriods,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ topId }, { upstream }) {
    return await upstream.firstOf(chartLists((answer) => readPeriods(answer, topId)))
  }
})
