/** The list of all charts: two generations of one shape (recorded 2026-08), and a classic call. */
import type { ChartPreview, ChartSong } from '../../../schemas/charts.ts'
import {
  maybe, nameOf, need, needText, pictureOf, someRows, textOf, unescapeText, type Answer, type MusicuCall,
  type UpstreamCall
} from '../kit.ts'
import { readCounted } from '../shared/pages.ts'

/** Returns the newer and the older call, whose answers also contain the issues of each chart. */
export const chartLists = <T>(read: (answer: Answer) => T): MusicuCall<T>[] => [
  { name: 'chart.all', request: { module: 'music.musicToplist.Toplist', method: 'GetAll', param: {} }, read },
  { name: 'chart.all.older', request: { module: 'musicToplist.ToplistInfoServer', method: 'GetAll', param: {} }, read }
]

/** Returns a period without the zero that some clients write before a week: `2026_03` is `2026_3`. */
export const plainPeriod = (period: string): string => period.replace('_0', '_')

/** All charts with their first songs. */
export const allCharts: readonly UpstreamCall<ChartPreview[]>[] = [
  ...chartLists(readAllCharts),
  {
    name: 'chart.all.classic',
    request: {
      path: '/v8/fcg-bin/fcg_myqq_toplist.fcg',
      query: { format: 'json', platform: 'h5', needNewCode: 1, uin: 0, g_tk: 5381 }
    },
    read: readClassicCharts
  }
]

function previewOf (
  chart: Answer,
  path: string,
  readRow: (row: Answer, index: number) => ChartSong
): Pick<ChartPreview, 'songs' | 'songInfoList' | 'skipped'> {
  const { rows: songs, skipped } = readCounted(chart, [path], (row, index) => {
    const song = row.value === null ? undefined : readRow(row, index)
    return song?.songName === '' && song.songId === 0 ? undefined : song
  })
  return { songs, songInfoList: songs, skipped }
}

function readAllCharts (answer: Answer): ChartPreview[] {
  return someRows(answer, 'charts', need.list(answer, 'group', (group) => maybe.list(group, 'toplist', (chart) => ({
    id: need.int(chart, 'topId'),
    name: needText(chart, 'title'),
    period: maybe.text(chart, 'period') ?? '',
    picUrl: pictureOf(chart, 'headPicUrl', 'frontPicUrl'),
    ...previewOf(chart, 'song', (row, index) => chartSong(maybe.int(row, 'songId') ?? 0, undefined, {
      songName: nameOf(row, 'title'),
      singerName: textOf(row, 'singerName'),
      rank: maybe.int(row, 'rank') ?? index + 1
    }))
  }))).flat())
}

function readClassicCharts (answer: Answer): ChartPreview[] {
  return someRows(answer, 'charts', need.list(need.at(answer, 'data'), 'topList', (chart) => ({
    id: need.int(chart, 'id'),
    name: needText(chart, 'topTitle'),
    period: '',
    picUrl: pictureOf(chart, 'picUrl'),
    ...previewOf(chart, 'songList', (row, index) => chartSong(0, undefined, {
      songName: need.text(row, 'songname'),
      singerName: textOf(row, 'singername'),
      rank: index + 1
    }))
  })))
}

/** Returns a song of a chart. One without a title is deleted. */
export function chartSong (
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
