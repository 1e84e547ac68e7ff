/**
 * MVs of a tag. The upstream's classic list knows regions only and has no pages; other tags are its filters, and any
 * other word is looked for. Answers of 2019 and 2024-06.
 */
import { offsetFromOne } from '../../../schemas/common.ts'
import { response } from '../../../schemas/envelopes.ts'
import { GetMvByTagQuery, TaggedMvs } from '../../../schemas/mv.ts'
import type { Mv } from '../../../schemas/mv.ts'
import { endpoint } from '../../endpoint.ts'
import type { Context } from '../../endpoint.ts'
import { otherCallMayHelp, RelayError, upstreamEmpty } from '../../errors.ts'
import { maybe } from '../../provider/read.ts'
import type { ClassicCall, MusicuCall } from '../../provider/upstream.ts'
import { allMvs, mvTags, mvsOf, readMv } from '../shared/mv.ts'
import type { MvFilter } from '../shared/mv.ts'
import { readSentRows, rowsFrom } from '../shared/pages.ts'
import type { SentRows } from '../shared/pages.ts'
import { searchCodes, searchOfProgram, siteSearch } from '../shared/searches.ts'
import { isSuspect, joinWindows, wanted, windowsOf } from '../shared/windows.ts'
import type { Part, Window } from '../shared/windows.ts'

/** A region: the classic list's key (`janpan` is the upstream's spelling), the filter's area, and the words for it. */
interface Region { readonly lan: string, readonly area_id: number, readonly words: readonly string[] }

const regions: readonly Region[] = [
  { lan: 'all', area_id: 15, words: ['all', 'picked', '精选', '全部'] },
  { lan: 'neidi', area_id: 16, words: ['neidi', 'mainland', '内地'] },
  { lan: 'gangtai', area_id: 17, words: ['gangtai', 'hong kong and taiwan', '港台'] },
  { lan: 'oumei', area_id: 18, words: ['oumei', 'western', 'west', '欧美'] },
  { lan: 'korea', area_id: 19, words: ['korea', 'korean', '韩国'] },
  { lan: 'janpan', area_id: 20, words: ['janpan', 'japan', 'japanese', '日本'] }
]

/** The list comes whole, whatever the page. */
const classicListOf = (lan: string, begin: number): ClassicCall<SentRows<Mv>> => ({
  name: 'mv.tag.classic',
  ask: { path: '/mv/fcgi-bin/getmv_by_tag', query: { cmd: 'shoubo', lan, format: 'json', outCharset: 'utf-8' } },
  sometimes: ['data.mvlist[].pubdate', 'data.mvlist[].duration', 'data.mvlist[].singers[].picurl'],
  read (answer) {
    const { rows, sent } = readSentRows(answer, ['data.mvlist'], undefined, readMv)
    if (rows.length === 0) throw upstreamEmpty(answer.call, 'MVs of this region')
    return { total: sent, sent: Math.max(0, sent - begin), rows: rows.flatMap(({ at, row }) => at < begin ? [] : [{ at: at - begin, row }]) }
  }
})

/** What MVs that were looked for do not say. */
const foundLacks = (rows: string): readonly string[] => [`${rows}.subtitle`, `${rows}.pubdate`, `${rows}.singers[].picurl`, `${rows}.singer_list[].picurl`]

const searchOf = (word: string, window: Window): ClassicCall<Part<Mv>> => ({
  name: 'mv.search.classic',
  ask: siteSearch(word, 12, 1, window),
  codes: searchCodes,
  sometimes: foundLacks('data.mv.list[]'),
  read: (answer) => wanted(readSentRows(answer, ['data.mv.list'], maybe.int(answer, 'data.mv.totalnum'), readMv), window)
})

/** Nobody has published an answer of it for MVs; clients expect the classic rows. */
const desktopSearchOf = (word: string, window: Window): MusicuCall<Part<Mv>> =>
  searchOfProgram('desktop', { name: 'mv.search', search_type: 4, paths: ['body.mv.list'], read: readMv, sometimes: foundLacks('body.mv.list[]') }, word, window)

/** No rows is how a blocked search looks as well, so who is logged in has it looked for once more. Found nowhere, it is nowhere. */
async function search (word: string, window: Window, { upstream }: Context): Promise<Part<Mv>> {
  const classic = searchOf(word, window)
  if (!upstream.loggedIn) return await upstream.send(classic)
  const believed: ClassicCall<Part<Mv>> = {
    ...classic,
    read (answer) {
      const found = classic.read(answer)
      if (isSuspect(found, window)) throw upstreamEmpty(classic.name, 'a search result')
      return found
    }
  }
  return await upstream.firstOf([believed, desktopSearchOf(word, window)]).catch((error: unknown) => {
    if (!(error instanceof RelayError) || error.code !== 'UPSTREAM_EMPTY') throw error
    return { rows: [], sent: 0, total: 0 }
  })
}

/** The filter a tag names, by id or name; undefined when it names none, or when the upstream does not tell its filters. */
async function filterOf (word: string, { upstream, keepFor, log }: Context): Promise<MvFilter | undefined> {
  const fits = ({ id, name }: { id: number, name: string }): boolean => String(id) === word || name.toLowerCase() === word
  try {
    const { area, version } = await upstream.send(mvTags)
    const area_id = area.find(fits)?.id
    const version_id = version.find(fits)?.id
    return area_id === undefined && version_id === undefined ? undefined : { area_id: area_id ?? allMvs.area_id, version_id: version_id ?? allMvs.version_id }
  } catch (error) {
    if (!otherCallMayHelp(error)) throw error
    keepFor('brief')
    log.debug({ reason: error.code }, 'a tag is looked for, since the filters of MVs cannot be had')
    return undefined
  }
}

async function find (tag: string, offset: number, limit: number, context: Context): Promise<{ rows: Mv[], total: number }> {
  const { upstream, keepFor } = context
  const word = tag.trim().toLowerCase()
  const region = regions.find(({ words }) => words.includes(word))
  if (region !== undefined) {
    const { lan, area_id } = region
    return await rowsFrom(offset, limit, (begin, num) => upstream.firstOf([classicListOf(lan, begin), mvsOf({ ...allMvs, area_id }, begin, num)]), keepFor)
  }
  const filter = await filterOf(word, context)
  if (filter !== undefined) return await rowsFrom(offset, limit, (begin, num) => upstream.send(mvsOf(filter, begin, num)), keepFor)
  return await joinWindows(windowsOf(offset, limit), (window) => search(tag.trim(), window, context))
}

export const getMvByTag = endpoint({
  method: 'GET',
  path: '/getMvByTag',
  tag: 'mv',
  summary: 'MVs of a region, an area, a kind or a word',
  description: 'A region is answered by the upstream\'s list of it, which is short. Areas and kinds (id or name, as /getMv lists them) are answered hottest first. Any other tag is looked for in titles and singers of MVs; one that nothing is found for has an empty list.',
  example: { tag: 'korea', limit: 3 },
  input: GetMvByTagQuery,
  record: TaggedMvs,
  envelope: response,
  cache: 'charts',

  async run ({ tag, limit, page }, context) {
    const { rows, total } = await find(tag, offsetFromOne(page, limit), limit, context)
    return { tag, total, list: rows }
  }
})
