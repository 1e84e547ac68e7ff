/** MVs in the upstream's three row shapes, and the two calls for lists of them. Recorded 2019 and 2024-06. */
import type { Mv, MvTag } from '../../../schemas/mv.ts'
import {
  maybe, midnightInChina, nameOf, need, needText, pictureOf, textOf, upstreamEmpty, type Answer, type MusicuCall
} from '../kit.ts'
import { readSentRows, unlessBlocked, type SentRows } from '../shared/pages.ts'

/** The filters of the MV list: areas and kinds. */
export interface MvTags { readonly area: MvTag[], readonly version: MvTag[] }

/** The call that returns all filters. */
export const mvTags: MusicuCall<MvTags> = {
  name: 'mv.tags',
  request: { module: 'MvService.MvInfoProServer', method: 'GetAllocTag', param: {} },
  read (answer) {
    const tags = { area: maybe.list(answer, 'area', readTag), version: maybe.list(answer, 'version', readTag) }
    if (tags.area.length + tags.version.length === 0) throw upstreamEmpty(answer.call, 'areas and kinds of MVs')
    return tags
  }
}

const readTag = (row: Answer): MvTag => ({ id: need.int(row, 'id'), name: needText(row, 'name') })

/** An area and a kind in the upstream's numbers. */
export interface MvFilter { readonly area_id: number, readonly version_id: number }

/** The filter that matches all MVs. */
export const allMvs: MvFilter = { area_id: 15, version_id: 7 }

/**
 * A part of the MV list. `start` is a row, counted from 0; `order` 1 is hottest first. The list is null if there are no
 * rows. Both spellings of the filters are sent: with `_id` (2019 to 2024) and without (2026-07).
 */
export const mvsOf = ({ area_id, version_id }: MvFilter, start: number, size: number): MusicuCall<SentRows<Mv>> => ({
  name: 'mv.list',
  request: {
    module: 'MvService.MvInfoProServer',
    method: 'GetAllocMvInfo',
    param: { start, size, version_id, area_id, version: version_id, area: area_id, order: 1 }
  },
  read: (answer) =>
    unlessBlocked(
      readSentRows(need.at(answer, ''), ['list'], maybe.int(answer, 'total'), readMv),
      start,
      answer.call,
      'MVs'
    )
})

/**
 * Reads a row of the gateway's list, of the classic list (`mvtitle` …) or of a search (`v_id` …). Throws
 * UPSTREAM_UNREADABLE without a vid.
 */
export function readMv (row: Answer): Mv {
  return {
    vid: need.text(row, 'vid', 'v_id'),
    mvid: maybe.int(row, 'mvid', 'mv_id') ?? 0,
    title: nameOf(row, 'title', 'mvtitle', 'mv_name'),
    subtitle: textOf(row, 'subtitle', 'mvdesc'),
    singers: readMvSingers(row),
    picurl: pictureOf(row, 'picurl', 'mv_pic_url'),
    playcnt: maybe.int(row, 'playcnt', 'listennum', 'play_count') ?? 0,
    pubdate: maybe.int(row, 'pubdate') ?? midnightInChina(maybe.text(row, 'pub_date', 'publish_date') ?? ''),
    duration: maybe.int(row, 'duration') ?? 0
  }
}

/** Reads a row of a phone program's search, which contains one singer (2026-09). */
export function readPhoneMv (row: Answer): Mv {
  const name = textOf(row, 'singername')
  return {
    vid: need.text(row, 'vid'),
    mvid: maybe.int(row, 'id') ?? 0,
    title: nameOf(row, 'title'),
    subtitle: '',
    singers: name === '' ? []
      : [{ id: maybe.int(row, 'singerid') ?? 0, mid: maybe.text(row, 'singermid') ?? '', name, picurl: '' }],
    picurl: pictureOf(row, 'pic'),
    playcnt: maybe.int(row, 'play_count') ?? 0,
    pubdate: midnightInChina(maybe.text(row, 'publish_date') ?? ''),
    duration: maybe.int(row, 'duration') ?? 0
  }
}

export function readMvSingers (row: Answer): Mv['singers'] {
  return maybe.list(row, ['singers', 'singer_list'], (singer) => {
    const name = nameOf(singer, 'name')
    return name === '' ? undefined
      : {
        id: maybe.int(singer, 'id') ?? 0,
        mid: maybe.text(singer, 'mid') ?? '',
        name,
        picurl: pictureOf(singer, 'picurl')
      }
  })
}
