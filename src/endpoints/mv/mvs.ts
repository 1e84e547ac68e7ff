/** MVs in the upstream's three row shapes, their lists, and MVs related to a song. Recorded 2019 and 2024-06. */
import { GetRelatedMvQuery, RelatedMvs } from '../../../schemas/around.ts'
import { GetMvQuery, Mvs, type Mv, type MvTag } from '../../../schemas/mv.ts'
import {
  codeMsgData, endpoint, maybe, midnightInChina, nameOf, need, needText, noteMissing, pictureOf, response, textOf,
  upstreamEmpty, valueOf, type Answer, type MusicuCall
} from '../kit.ts'
import { collectRows, readCounted, readSentRows, unlessBlocked, type SentRows } from '../shared/pages.ts'
import { songFactsOf } from '../shared/song.ts'

interface MvTags { readonly area: MvTag[], readonly version: MvTag[] }

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

export interface MvFilter { readonly area_id: number, readonly version_id: number }

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

/** Reads a row of the gateway, the classic list (`mvtitle` …) or a search (`v_id` …). Needs a vid. */
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
    title: nameOf(row, 'title', 'mvname'),
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

export const getMv = endpoint({
  method: 'GET',
  path: '/getMv',
  tag: 'mv',
  summary: 'MVs by area and kind',
  summaryInChinese: 'MV 列表，按地区和类型筛选',
  description: 'The hottest MVs of an area and a kind. area and version list the values of area_id and version_id. They are empty if the upstream does not send them; the MVs are present anyway.',
  example: { area_id: 15, version_id: 7, limit: 3 },
  probe: () => [{ limit: 1 }],
  samples: ({ list }) => ({ mvs: list.map(({ vid, singers, title }) => ({ vid, word: singers[0]?.name ?? title })) }),
  input: GetMvQuery,
  record: Mvs,
  envelope: response,
  cache: 'charts',

  async run ({ area_id, version_id, limit, page }, context) {
    let tags: MvTags | undefined
    const { rows, total, skipped } = await collectRows(page * limit, limit, async (begin, num) => {
      const [filters, mvs] = await context.upstream.sendAll([mvTags, mvsOf({ area_id, version_id }, begin, num)])
      const found = valueOf(mvs)
      if (filters.error !== undefined) noteMissing(context, filters.error, 'MVs come without their areas and kinds')
      tags ??= filters.value
      return found
    }, context.cacheAtMost)
    return { total, list: rows, area: tags?.area ?? [], version: tags?.version ?? [], skipped }
  }
})

// MVs related to a song, three at once, without a login (2026-09), by the number of the song as text.

type MvsAround = Pick<RelatedMvs, 'list' | 'nextCursor' | 'skipped'>

/** `lastmvid`: number of the last MV of the previous answer. */
const relatedOf = (songid: number, lastmvid: number): MusicuCall<MvsAround> => ({
  name: 'song.mvs',
  request: {
    module: 'MvService.MvInfoProServer',
    method: 'GetSongRelatedMv',
    param: { songid: String(songid), songtype: 1, lastmvid }
  },
  optionalFields: ['list[].duration', 'list[].subtitle', 'list[].pubdate', 'list[].pub_date'],
  read: readRelated
})

function readRelated (answer: Answer): MvsAround {
  if (answer.reach('list') === undefined && answer.reach('hasmore') === undefined) {
    throw upstreamEmpty(answer.call, 'MVs')
  }
  const { rows: list, skipped } = readCounted(answer, ['list'], readMv)
  const last = list.at(-1)?.mvid ?? 0
  const hasMore = maybe.flag(answer, 'hasmore') === true
  if (hasMore && list.length + skipped === 0) throw upstreamEmpty(answer.call, 'MVs')
  return { list, skipped, ...(hasMore && last > 0 ? { nextCursor: String(last) } : {}) }
}

export const getRelatedMv = endpoint({
  method: 'GET',
  path: '/getRelatedMv',
  tag: 'mv',
  summary: 'MVs related to a song',
  summaryInChinese: '与歌曲相关的 MV',
  description: 'The song\'s own MV and others, usually three at once; nextCursor fetches more. An unknown song is 404.',
  example: { songmid: '00DemoSong0001' },
  probe: ({ songs }) => songs.map(({ mid }) => ({ songmid: mid })),
  input: GetRelatedMvQuery,
  record: RelatedMvs,
  envelope: codeMsgData,
  cache: 'slow',

  async run ({ songmid, cursor }, context) {
    const { id: songid } = await songFactsOf({ song_mid: songmid }, context)
    return { songid, songmid, ...await context.upstream.send(relatedOf(songid, Number(cursor ?? 0))) }
  }
})
