/** MVs in the three row shapes of the upstream, and the two calls behind lists of them. Recorded 2019 and 2024-06. */
import type { Mv, MvTag } from '../../../schemas/mv.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { MusicuCall } from '../../provider/upstream.ts'
import { midnightInChina } from './days.ts'
import { readSentRows, unlessBlocked } from './pages.ts'
import type { SentRows } from './pages.ts'
import { needText, pictureOf, textOf } from './texts.ts'

/** Areas and kinds, the filters of the list. */
export interface MvTags { readonly area: MvTag[], readonly version: MvTag[] }

export const mvTags: MusicuCall<MvTags> = {
  name: 'mv.tags',
  ask: { module: 'MvService.MvInfoProServer', method: 'GetAllocTag', param: {} },
  read: (answer) => ({ area: maybe.list(answer, 'area', readTag), version: maybe.list(answer, 'version', readTag) })
}

const readTag = (row: Answer): MvTag => ({ id: need.int(row, 'id'), name: needText(row, 'name') })

export interface MvFilter { readonly area_id: number, readonly version_id: number }

/** Areas and kinds of everything. */
export const allMvs: MvFilter = { area_id: 15, version_id: 7 }

/** `start` is a row, counted from 0; `order` 1 is hottest first. The list is null where there are no rows. */
export const mvsOf = ({ area_id, version_id }: MvFilter, start: number, size: number): MusicuCall<SentRows<Mv>> => ({
  name: 'mv.list',
  ask: { module: 'MvService.MvInfoProServer', method: 'GetAllocMvInfo', param: { start, size, version_id, area_id, order: 1 } },
  read: (answer) => unlessBlocked(readSentRows(need.at(answer, ''), ['list'], maybe.int(answer, 'total'), readMv), start, answer.call, 'MVs')
})

/** A row of the gateway's list, of the classic list (`mvtitle` …) or of a search (`v_id` …). */
export function readMv (row: Answer): Mv {
  return {
    vid: need.text(row, 'vid', 'v_id'),
    mvid: maybe.int(row, 'mvid', 'mv_id') ?? 0,
    title: needText(row, 'title', 'mvtitle', 'mv_name'),
    subtitle: textOf(row, 'subtitle', 'mvdesc'),
    singers: readMvSingers(row),
    picurl: pictureOf(row, 'picurl', 'mv_pic_url'),
    playcnt: maybe.int(row, 'playcnt', 'listennum', 'play_count') ?? 0,
    pubdate: maybe.int(row, 'pubdate') ?? midnightInChina(maybe.text(row, 'pub_date', 'publish_date') ?? ''),
    duration: maybe.int(row, 'duration') ?? 0
  }
}

export function readMvSingers (row: Answer): Mv['singers'] {
  return maybe.list(row, ['singers', 'singer_list'], (singer) => ({
    id: maybe.int(singer, 'id') ?? 0,
    mid: maybe.text(singer, 'mid') ?? '',
    name: needText(singer, 'name'),
    picurl: pictureOf(singer, 'picurl')
  }))
}
