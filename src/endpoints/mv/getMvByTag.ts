/**
 * MVs of a tag. Regions and the upstream's other filters are parts of one list; any other text is searched for. The
 * classic list of a region (2019) has no pages and is the fallback. Responses of 2019 and 2024-06.
 */
import { offsetFromOne } from '../../../schemas/common.ts'
import {
  endpoint, noteMissing, optional, otherCallMayHelp, response, upstreamEmpty, type ClassicCall, type Context
} from '../kit.ts'
import { GetMvByTagQuery, TaggedMvs, type Mv } from '../../../schemas/mv.ts'
import { allMvs, mvTags, mvsOf, readMv, type MvFilter } from './mvs.ts'
import { searchFor } from '../search/chain.ts'
import { readSentRows, collectRows, type CountedRows, type SentRows } from '../shared/pages.ts'

/** A region: its key in the classic list (`janpan` is the upstream's), its area in the filter, and its names. */
interface Region { readonly lan: string, readonly area_id: number, readonly words: readonly string[] }

const regions: readonly Region[] = [
  { lan: 'all', area_id: 15, words: ['all', 'picked', '精选', '全部'] },
  { lan: 'neidi', area_id: 16, words: ['neidi', 'mainland', '内地'] },
  { lan: 'gangtai', area_id: 17, words: ['gangtai', 'hong kong and taiwan', '港台'] },
  { lan: 'oumei', area_id: 18, words: ['oumei', 'western', 'west', '欧美'] },
  { lan: 'korea', area_id: 19, words: ['korea', 'korean', '韩国'] },
  { lan: 'janpan', area_id: 20, words: ['janpan', 'japan', 'japanese', '日本'] }
]

/** The upstream always sends the whole list and ignores the page. */
const classicListOf = (lan: string, begin: number): ClassicCall<SentRows<Mv>> => ({
  name: 'mv.tag.classic',
  request: { path: '/mv/fcgi-bin/getmv_by_tag', query: { cmd: 'shoubo', lan, format: 'json', outCharset: 'utf-8' } },
  optionalFields: ['data.mvlist[].pubdate', 'data.mvlist[].duration', 'data.mvlist[].singers[].picurl'],
  read (answer) {
    const { rows, sent } = readSentRows(answer, ['data.mvlist'], undefined, readMv)
    if (rows.length === 0) throw upstreamEmpty(answer.call, 'MVs of this region')
    return {
      total: sent,
      sent: Math.max(0, sent - begin),
      rows: rows.flatMap(({ at, row }) => at < begin ? [] : [{ at: at - begin, row }])
    }
  }
})

/**
 * Returns the filter with this id or name; undefined if there is none. If the upstream does not send its filters:
 * undefined for a name, because MV titles may contain it; throws the error for a number, because an id is in no title.
 */
async function filterOf (word: string, context: Context): Promise<MvFilter | undefined> {
  const fits = ({ id, name }: { id: number, name: string }): boolean =>
    String(id) === word || name.toLowerCase() === word
  const { area = [], version = [] } =
    await optional(
      context.upstream.send(mvTags),
      (error) =>
        !/^\d+$/.test(word) && otherCallMayHelp(error)
        && noteMissing(context, error, 'a tag is looked for, since the filters of MVs are missing')
    ) ?? {}
  const area_id = area.find(fits)?.id
  const version_id = version.find(fits)?.id
  return area_id === undefined && version_id === undefined ? undefined
    : { area_id: area_id ?? allMvs.area_id, version_id: version_id ?? allMvs.version_id }
}

async function find (
  tag: string,
  offset: number,
  limit: number,
  context: Context
): Promise<CountedRows<Mv> & { readonly total: number }> {
  const { upstream, cacheAtMost } = context
  const word = tag.trim().toLowerCase()
  const region = regions.find(({ words }) => words.includes(word))
  if (region !== undefined) {
    const { lan, area_id } = region
    return await collectRows(
      offset,
      limit,
      (begin, num) => upstream.firstOf([mvsOf({ ...allMvs, area_id }, begin, num), classicListOf(lan, begin)]),
      cacheAtMost
    )
  }
  const filter = await filterOf(word, context)
  if (filter !== undefined) {
    return await collectRows(offset, limit, (begin, num) =>
      upstream.send(mvsOf(filter, begin, num)), cacheAtMost)
  }
  const { rows, total, skipped } = await searchFor('mvs', tag.trim(), { offset, count: limit }, context)
  return { rows: [...rows], total, skipped }
}

export const getMvByTag = endpoint({
  method: 'GET',
  path: '/getMvByTag',
  tag: 'mv',
  summary: 'MVs by region, area, kind or search term',
  summaryInChinese: '按地区、类型或关键词查找 MV',
  description: 'Regions, areas and kinds (the latter two by id or name, as /getMv lists them) are sorted by popularity. Any other tag is searched in titles and singers of MVs; without hits the list is empty.',
  example: { tag: 'korea', limit: 3 },
  // A region uses a list; any other text uses the search.
  probe: ({ mvs }) =>
    [{ tag: 'all', limit: 1 }, ...mvs.map(({ word }) => ({ tag: [...word].slice(0, 64).join(''), limit: 1 }))],
  input: GetMvByTagQuery,
  record: TaggedMvs,
  envelope: response,
  cache: 'charts',

  async run ({ tag, limit, page }, context) {
    const { rows, total, skipped } = await find(tag, offsetFromOne(page, limit), limit, context)
    return { tag, total, list: rows, skipped }
  }
})
