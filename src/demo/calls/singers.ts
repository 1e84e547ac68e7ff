import { pictureUrl } from '../catalogue/index.ts'
import { singerLegend } from '../catalogue/singers.ts'
import type { Catalogue, Singer } from '../catalogue/types.ts'
import { wikiInfo, wikiPage } from '../shapes/wiki.ts'
import { escapeHtml } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { mistyped, numberOf, queryNumber, textOf } from './params.ts'
import { isPhone } from './phone.ts'

const rowsPerPage = 80
const all = -100

function rowOf (singer: Singer): Record<string, unknown> {
  return {
    area_id: 0,
    singer_id: singer.id,
    country_id: 0,
    singer_name: singer.name,
    country: '',
    other_name: singer.otherName,
    singer_mid: singer.mid,
    spell: singer.name.toLowerCase().replaceAll(/[^a-z]/g, ''),
    trend: 0
  }
}

/** Returns the index: 1 to 26 are letters, 27 is everything else. */
function indexOf (singer: Singer): number {
  return singer.index === '#' ? 27 : singer.index.charCodeAt(0) - 64
}

/** Most followed first. An id that is not in the legend matches no singer (2026-08: -1 gives an empty list). */
function filtered (param: Param, { singers }: Catalogue): Singer[] {
  const fits = (name: string, own: number): boolean => [all, own].includes(numberOf(param, name, all))
  return singers
    .filter((singer) =>
      fits('area', singer.area) && fits('sex', singer.sex) && fits('genre', singer.genre)
      && fits('index', indexOf(singer))
    )
    .sort((a, b) => b.fans - a.fans)
}

const filters = {
  area: 'number',
  sex: 'number',
  genre: 'number',
  index: 'number',
  sin: 'number',
  cur_page: 'number',
  hastag: 'flag'
} as const

function filtersOf (param: Param): Record<string, number> {
  return { area: numberOf(param, 'area', all), sex: numberOf(param, 'sex', all), genre: numberOf(param, 'genre', all) }
}

/** Eighty rows from `sin`, without a size parameter. Followers and picture ids are empty here (2026-08). */
function getListPage (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, filters)
  if (wrong) return wrong
  const found = filtered(param, catalogue)
  const sin = numberOf(param, 'sin', 0)
  const singerlist = found.slice(sin, sin + rowsPerPage).map((singer) => ({
    ...rowOf(singer),
    singer_pmid: '',
    concernNum: 0,
    singer_pic: pictureUrl(catalogue, 'T001', 300, singer.mid).replace(/jpg$/, 'webp')
  }))
  const index = [all, ...Array.from({ length: 27 }, (_, at) => at + 1)].map((id) => ({
    id,
    name: id === all ? '全部' : id === 27 ? '#' : String.fromCharCode(64 + id)
  }))
  return {
    code: 0,
    data: {
      ...filtersOf(param),
      singerlist,
      tags: { ...singerLegend, index },
      index: numberOf(param, 'index', all),
      total: found.length
    }
  }
}

/** At most a thousand rows, with followers and without pictures. */
function getWholeList (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, filters)
  if (wrong) return wrong
  const rows = filtered(param, catalogue).slice(0, 1000).map((singer) => ({
    ...rowOf(singer),
    singer_pmid: `${singer.mid}_1`,
    concernNum: singer.fans,
    singer_pic: ''
  }))
  return {
    code: 0,
    data: {
      ...filtersOf(param),
      hotlist: rows.slice(0, 200),
      singerlist: rows,
      tags: {},
      code: 0,
      tjReport: '',
      ext: { abt: '' }
    }
  }
}

function detailOf (singer: Singer, param: Param, catalogue: Catalogue): Record<string, unknown> {
  const extended = param['ex_singer'] === 1 && ['wiki', 'short'].includes(singer.text)
  return {
    basic_info: {
      singer_mid: singer.mid,
      name: singer.name,
      type: singer.sex,
      has_photo: 1,
      singer_id: singer.id,
      singer_pmid: `${singer.mid}_1`,
      wikiurl: ''
    },
    ex_info: {
      area: 0,
      desc: extended ? singer.desc.replace(/\n.*/s, '') : '',
      tag: '',
      identity: 0,
      instrument: 0,
      genre: 0,
      foreign_name: extended ? singer.otherName : '',
      birthday: extended && singer.sex !== 2 ? '1990-02-03' : '',
      enter: 0,
      blogFlag: 0
    },
    wiki: param['wiki_singer'] === 1 && singer.text === 'wiki' ? wikiInfo(singer) : '',
    group_list: [],
    pic: param['pic'] === 1
      ? { big_black: '', big_white: '', pic: pictureUrl(catalogue, 'T001', 300, `${singer.mid}_1`) }
      : { big_black: '', big_white: '', pic: '' },
    photos: [],
    group_info: []
  }
}

/**
 * Flags are the integers 0 and 1. A misspelt flag silently empties its part. The phone program is refused (2026-09).
 */
function getDetail (param: Param, context: CallContext): CallAnswer {
  if (isPhone(context)) return { code: 104403 }
  const wrong = mistyped(param, {
    singer_mids: 'strings',
    ex_singer: 'flag',
    wiki_singer: 'flag',
    group_singer: 'flag',
    pic: 'flag',
    photos: 'flag'
  })
  if (wrong) return wrong
  const mids = (param['singer_mids'] ?? []) as string[]
  const singers = mids.map((mid) => context.catalogue.singerByMid.get(mid)).filter((singer) => singer !== undefined)
  return { code: 0, data: { singer_list: singers.map((singer) => detailOf(singer, param, context.catalogue)) } }
}

/** At most ten neighbours in the catalogue. Singer 9 has none: null. */
function similarTo (singer: Singer, count: number, { singers }: Catalogue): Singer[] {
  if (singer.mid.endsWith('0009')) return []
  const at = singers.indexOf(singer)
  return Array.from({ length: Math.min(10, count) }, (_, i) => singers[(at + (i + 1) * 7) % singers.length]).filter((
    other
  ) => other !== undefined)
}

function getSimilar (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { singerMid: 'string', number: 'number' })
  if (wrong) return wrong
  const singer = catalogue.singerByMid.get(textOf(param, 'singerMid'))
  if (!singer) return { code: 104400 }
  const rows = similarTo(singer, numberOf(param, 'number', 10), catalogue).map((other, at) => ({
    singerId: other.id,
    singerMid: other.mid,
    singerName: other.name,
    singerPic: pictureUrl(catalogue, 'T001', 150, other.mid),
    pic_mid: `${other.mid}_1`,
    trace: `11_0_31_2_${singer.id}_2_${other.id}_2001_0_${at + 1}`,
    abt: '',
    tf: ''
  }))
  return { code: 0, data: { singerlist: rows.length > 0 ? rows : null, code: 0, errMsg: '' } }
}

export const singerCalls: MusicuTable = {
  'music.musichallSinger.SingerList/GetSingerListIndex': getListPage,
  'music.musichallSinger.SingerList/GetSingerList': getWholeList,
  'Music.SingerListServer/get_singer_list': getListPage,
  'music.musichallSinger.SingerInfoInter/GetSingerDetail': getDetail,
  'music.SimilarSingerSvr/GetSimilarSingerList': getSimilar
}

/** The answer has no code, and the host of its pictures no longer exists. */
function classicSimilar (query: Query, { catalogue }: CallContext): unknown {
  const singer = catalogue.singerByMid.get(query['singer_mid'] ?? '')
  const rows = singer ? similarTo(singer, queryNumber(query, 'num', 5), catalogue) : []
  const pic = (mid: string): string => `http://imgcache.qq.com/music/photo/mid_singer_150/${mid.at(-2)}/${mid.at(-1)}/${mid}.jpg`
  return {
    singers: {
      hasmore: rows.length > 0 ? 1 : 0,
      items: rows.map(({ id, mid, name }) => ({ id, mid, name: escapeHtml(name), pic: pic(mid) }))
    }
  }
}

/** An unknown singer has 0 followers. */
function classicFollowers (query: Query, { catalogue, identity }: CallContext): unknown {
  const singer = catalogue.singerByMid.get(query['singermid'] ?? '')
  const follows = singer !== undefined && (identity.state === 'ordinary' || identity.state === 'member')
  return { code: 0, subcode: 0, num: singer?.fans ?? 0, status: follows ? 1 : 0, blogflag: 0 }
}

export const singerPaths: ClassicTable = {
  '/splcloud/fcgi-bin/fcg_get_singer_desc.fcg': {
    answer: ({ singermid }, { catalogue }) => wikiPage(catalogue.singerByMid.get(singermid ?? '')),
    type: 'text/xml; charset=utf-8'
  },
  '/v8/fcg-bin/fcg_v8_simsinger.fcg': { answer: classicSimilar },
  '/rsc/fcgi-bin/fcg_order_singer_getnum.fcg': { answer: classicFollowers }
}
