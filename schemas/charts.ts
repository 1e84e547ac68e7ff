/** Charts and the songs in them. */
import { Type, type Static } from '@sinclair/typebox'
import { defaulted, findable, limit, pageFromZero, ref, skipped } from './common.ts'
import { trackFields, unplayable } from './song.ts'

export const GetRanksQuery = Type.Object({
  topId: Type.Optional(
    Type.Integer({
      ...findable,
      minimum: 0,
      maximum: 1_000_000,
      description: 'Chart id; any id the upstream knows. If omitted: all charts, with the songs of chart 4.'
    })
  ),
  limit: limit(20),
  page: pageFromZero(),
  period: Type.Optional(
    Type.String({
      pattern: '^[0-9]{4}(_[0-9]{1,2}|-[0-9]{2}-[0-9]{2})$',
      'x-allowed': 'YYYY_W or YYYY-MM-DD',
      description:
        'A past issue of the chart of topId, from /getRankPeriods. If omitted: the current one. An issue unknown to the upstream is 404.'
    })
  ),
  resolveMid: defaulted(
    Type.Boolean({
      description:
        'true or 1: songs without a MID get theirs from detail requests, one for each distinct song of songInfoList and topLists (at most five at once for the whole relay). Without topId that can be some dozens. false or 0: no detail requests.'
    }),
    false
  )
})

export const GetRankPeriodsQuery = Type.Object({
  topId: Type.Integer({
    ...findable,
    minimum: 0,
    maximum: 1_000_000,
    description: 'Chart id, from /getRanks without topId.'
  })
})

export const RankPeriods = Type.Object({
  topId: Type.Integer({ description: 'Chart id.' }),
  name: Type.String({ description: 'Chart name.' }),
  period: Type.String({ description: 'The current issue; "" when the chart has none.' }),
  periods: Type.Array(Type.String(), { description: 'Issues that the upstream has, the latest first: weeks as YYYY_W. Daily charts have none.' })
}, { $id: 'RankPeriods', description: 'The issues of a chart.' })

export type RankPeriods = Static<typeof RankPeriods>

export const ChartHead = Type.Object({
  id: Type.Integer({ description: 'Chart id.' }),
  name: Type.String({ description: 'Chart name.' }),
  period: Type.String({ description: 'Issue: a day (YYYY-MM-DD) or a week (YYYY_W); "" when the chart has none.' }),
  picUrl: Type.String({ description: 'Address of the chart picture; "" when there is none.' }),
  updateTime: Type.String({ description: 'Day of the last update, YYYY-MM-DD; "" when unknown.' }),
  intro: Type.String({ description: 'Description of the chart; "" when unknown.' }),
  listenNum: Type.Integer({ description: 'Play count; 0 when unknown.' }),
  totalNum: Type.Integer({ description: 'Number of songs; 0 when unknown.' })
}, { $id: 'ChartHead', description: 'A chart without its songs.' })

export const ChartSong = Type.Object({
  songId: Type.Integer({ description: 'Number of the song; 0 when the upstream gives none.' }),
  song_id: Type.Integer({ description: 'The same number.' }),
  song_mid: Type.Optional(Type.String({ description: 'MID of the song; absent when unknown.' })),
  mid: Type.Optional(Type.String({ description: 'The same MID.' })),
  songName: Type.String({ description: 'Title; "" for a deleted song.' }),
  singerName: Type.String({ description: 'Singers, joined by "/".' }),
  rank: Type.Integer({ description: 'Position in the chart, from 1.' }),
  ...trackFields,
  unplayable
}, { $id: 'ChartSong', description: 'A song of a chart.' })

export const ChartPreview = Type.Object({
  id: Type.Integer({ description: 'Chart id.' }),
  name: Type.String({ description: 'Chart name.' }),
  period: Type.String({ description: 'Issue; "" when the chart has none.' }),
  picUrl: Type.String({ description: 'Address of the chart picture; "" when there is none.' }),
  songs: Type.Array(ref(ChartSong), {
    description: 'The first songs, usually three. The upstream sends them without MIDs; resolveMid=true adds those of all songs with a number.'
  }),
  songInfoList: Type.Array(ref(ChartSong), { description: 'The same rows, under the name that one chart has.' }),
  skipped
}, { $id: 'ChartPreview', description: 'A chart with its first songs.' })

export const Chart = Type.Object({
  topLists: Type.Optional(Type.Array(ref(ChartPreview), { description: 'All charts; present only when topId is left out.' })),
  topList: ref(ChartHead),
  songInfoList: Type.Array(ref(ChartSong), { description: 'Songs of the page, in chart order.' }),
  skipped
}, { $id: 'Chart', description: 'A chart and one page of its songs.' })

export type Chart = Static<typeof Chart>
export type ChartHead = Static<typeof ChartHead>
export type ChartSong = Static<typeof ChartSong>
export type ChartPreview = Static<typeof ChartPreview>
