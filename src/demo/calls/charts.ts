import { pictureUrl } from '../catalogue/index.ts'
import type { Catalogue, Chart, ChartRow } from '../catalogue/types.ts'
import { newSong, oldSong } from '../shapes/song.ts'
import { escapeHtml, singerText } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param } from '../types.ts'
import { mistyped, numberOf, queryNumber, textOf } from './params.ts'

function coverOf (catalogue: Catalogue, row: ChartRow): string {
  return row.song?.album ? pictureUrl(catalogue, 'T002', 300, `${row.song.album.mid}_1`) : ''
}

/** Rows of `song[]` never carry the MID of the song (2026-08). */
function rowShape (catalogue: Catalogue, row: ChartRow, rank: number): Record<string, unknown> {
  const rankType = [6, 1, 2, 3, 4][rank % 5]
  return {
    rank,
    rankType,
    rankValue: rankType === 6 ? `${400 - rank}%` : String(rank % 9),
    recType: 0,
    songId: row.id,
    vid: row.song?.mv.vid ?? '',
    albumMid: row.song?.album?.mid ?? '',
    title: row.title,
    singerName: row.singerName,
    singerMid: row.song?.singers[0]?.mid ?? '',
    songType: 0,
    uuidCnt: 0,
    cover: coverOf(catalogue, row),
    mvid: row.song?.mv.id ?? 0
  }
}

/** Weekly charts have issues of two years, daily charts have none (2026-08). */
function historyOf ({ period }: Chart): { year: number[], subPeriod: number[][] } {
  const [year, week] = period.split('_').map(Number)
  if (year === undefined || week === undefined) return { year: [], subPeriod: [] }
  const weeksTo = (last: number): number[] => Array.from({ length: last }, (_, at) => last - at)
  return { year: [year, year - 1], subPeriod: [weeksTo(week), weeksTo(52)] }
}

/** Returns the issue of a period: the current one, or an older one with other ranks. Undefined if there is none. */
function issueOf (chart: Chart, period: string): Chart | undefined {
  if (period === '' || period === chart.period) return chart
  const { year, subPeriod } = historyOf(chart)
  const back = year.flatMap((each, at) => (subPeriod[at] ?? []).map((week) => `${each}_${week}`)).indexOf(period)
  return back < 0 ? undefined
    : {
      ...chart,
      period,
      rows: [...chart.rows.slice(back % chart.rows.length), ...chart.rows.slice(0, back % chart.rows.length)]
    }
}

function headOf (
  catalogue: Catalogue,
  chart: Chart,
  rows: readonly ChartRow[],
  offset: number
): Record<string, unknown> {
  return {
    topId: chart.id,
    recType: 10005,
    topType: 0,
    updateType: chart.period.includes('_') ? 2 : 1,
    title: chart.title,
    titleDetail: chart.period ? `${chart.title} ${chart.period}` : chart.title,
    titleShare: chart.title,
    titleSub: '',
    intro: chart.intro,
    cornerMark: 0,
    period: chart.period,
    updateTime: chart.updated,
    history: historyOf(chart),
    listenNum: chart.listeners,
    totalNum: chart.rows.length,
    song: rows.map((row, at) => rowShape(catalogue, row, offset + at + 1)),
    headPicUrl: pictureUrl(catalogue, 'T003', 500, chart.picture),
    frontPicUrl: pictureUrl(catalogue, 'T003', 300, chart.picture),
    mbFrontPicUrl: pictureUrl(catalogue, 'T003', 300, chart.picture),
    mbHeadPicUrl: pictureUrl(catalogue, 'T003', 500, chart.picture),
    pcSubTopIds: [],
    pcSubTopTitles: [],
    subTopIds: [],
    adJumpUrl: '',
    h5JumpUrl: '',
    url_key: '',
    url_params: '',
    tjreport: `2_1_0_2_10005_${chart.id}`,
    rt: 0,
    updateTips: `${chart.rows.length % 37} new`,
    bannerText: '',
    AdShareContent: chart.title,
    abt: '',
    cityId: 0,
    provId: 0,
    sinceCV: 0,
    musichallTitle: chart.title,
    musichallSubtitle: '',
    musichallPicUrl: pictureUrl(catalogue, 'T003', 300, chart.picture),
    cityName: '',
    magicColor: { r: 54, g: 142, b: 204 },
    groupType: 0,
    icon: 0,
    adID: 0
  }
}

/** Chart 28 sends no songs at all, chart 108 sends some without MID, chart 201 sends null. */
function songsOf (chart: Chart, rows: readonly ChartRow[]): unknown[] | null {
  if (chart.rows.length === 0) return null
  if (!chart.songInfo) return []
  return rows.flatMap(({ song, hasMid }) => song ? [hasMid ? newSong(song) : { ...newSong(song), mid: '' }] : [])
}

/**
 * Without `period`, returns the current issue; with a period of the history, that issue (2026-09). Any other period
 * returns the head of the current issue without rows. An unknown chart was never recorded: the demo answers 10007, "no
 * data".
 */
function getDetail (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, {
    topId: 'number',
    topid: 'number',
    offset: 'number',
    num: 'number',
    withTags: 'boolean',
    period: 'string'
  })
  if (wrong) return wrong
  const chart = catalogue.chartById.get(numberOf(param, 'topId', numberOf(param, 'topid', -1)))
  if (!chart) return { code: 10007 }

  const issue = issueOf(chart, textOf(param, 'period'))
  const offset = Math.max(0, numberOf(param, 'offset', 0))
  const rows = issue?.rows.slice(offset, offset + numberOf(param, 'num', 20)) ?? []
  return {
    code: 0,
    data: {
      data: headOf(catalogue, issue ?? chart, rows, offset),
      songInfoList: songsOf(chart, rows),
      extInfoList: [],
      songTagInfoList: [],
      indexInfoList: null
    }
  }
}

const groupNames = ['巅峰榜', '地区榜', '特色榜', '全球榜']

/** Every chart with a preview of three rows. The upstream has no pages here. */
function getAll (_param: Param, { catalogue }: CallContext): CallAnswer {
  const group = groupNames.map((groupName, groupId) => ({
    groupId,
    groupName,
    toplist: catalogue.charts.filter((chart) => chart.group === groupId).map((chart) =>
      headOf(catalogue, chart, chart.rows.slice(0, 3), 0)
    ),
    type: 0,
    myFeatureButtonText: '',
    myFeatureButtonScheme: ''
  }))
  return {
    code: 0,
    data: { group, refreshInterval: 1, abt: '', location: { province: { provinceID: 0, name: '', pinyin: '' } } }
  }
}

export const chartCalls: MusicuTable = {
  'music.musicToplist.Toplist/GetDetail': getDetail,
  'music.musicToplist.Toplist/GetAll': getAll,
  'musicToplist.ToplistInfoServer/GetDetail': getDetail,
  'musicToplist.ToplistInfoServer/GetAll': getAll,
  // The method exists, but answers no caller (2026).
  'musicToplist.ToplistInfoServer/GetOverview': () => ({ code: 500005 })
}

const classicRows = 50

function classicDetail (query: Record<string, string>, { catalogue }: CallContext): unknown {
  const chart = catalogue.chartById.get(queryNumber(query, 'topid', -1))
  if (!chart) return { code: -1, subcode: -1, message: 'no such toplist' }
  const begin = queryNumber(query, 'song_begin', 0)
  const rows = chart.rows.slice(begin, begin + Math.min(classicRows, queryNumber(query, 'song_num', classicRows)))
  const songlist = rows.flatMap(({ song }, at) =>
    song
      ? [{
        Franking_value: String(begin + at + 1),
        cur_count: String(begin + at + 1),
        data: oldSong(song),
        in_count: '0.0000',
        mb: '',
        old_count: '0',
        vid: { Fmv_id: String(song.mv.id), Fstatus: '0', Fvid: song.mv.vid }
      }]
      : []
  )
  return {
    code: 0,
    color: 5112324,
    comment_num: 0,
    cur_song_num: songlist.length,
    day_of_year: 324,
    song_begin: begin,
    total_song_num: chart.rows.length,
    date: chart.updated,
    update_time: chart.updated,
    songlist,
    topinfo: {
      ListName: escapeHtml(chart.title),
      UpdateType: '1',
      albuminfo: '',
      info: chart.intro,
      listennum: chart.listeners,
      pic: pictureUrl(catalogue, 'T003', 300, chart.picture),
      picDetail: pictureUrl(catalogue, 'T003', 500, chart.picture),
      topID: String(chart.id),
      type: '0'
    }
  }
}

function classicAll (_query: Record<string, string>, { catalogue }: CallContext): unknown {
  const topList = catalogue.charts.map((chart) => ({
    id: chart.id,
    listenCount: chart.listeners,
    picUrl: pictureUrl(catalogue, 'T003', 300, chart.picture),
    songList: chart.rows.slice(0, 3).map(({ song, title }) => ({
      singername: escapeHtml(singerText(song?.singers ?? [])),
      songname: escapeHtml(title)
    })),
    topTitle: escapeHtml(chart.title),
    type: 0
  }))
  return { code: 0, subcode: 0, message: '', default: 0, data: { topList } }
}

export const chartPaths: ClassicTable = {
  '/v8/fcg-bin/fcg_v8_toplist_cp.fcg': { answer: classicDetail, gbk: true },
  '/v8/fcg-bin/fcg_myqq_toplist.fcg': { answer: classicAll }
}
