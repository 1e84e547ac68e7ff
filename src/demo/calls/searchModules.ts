import { findAlbums, findLines, findPlaylists, findSingers, findSongs } from '../catalogue/search.ts'
import { foundAlbum, foundMv, foundPlaylist, foundSinger, marked, plainWriting } from '../shapes/found.ts'
import { phoneAlbum, phoneMv, phonePlaylist, phoneSinger } from '../shapes/foundPhone.ts'
import { newSong } from '../shapes/song.ts'
import type { CallAnswer, CallContext, MusicuTable, Param } from '../types.ts'
import { mistyped, numberOf, textOf } from './params.ts'

type FoundKind = 'song' | 'singer' | 'album' | 'songlist' | 'mv' | 'lyric'

/** `search_type` of all searches. 8, 10, 15 and 18 exist upstream; the demo answers them with empty lists. */
const kindOf: Record<number, FoundKind | undefined> = {
  0: 'song',
  1: 'singer',
  2: 'album',
  3: 'songlist',
  4: 'mv',
  7: 'lyric'
}

/**
 * Hits in lyrics are rows of songs with the text around the hit, marked in spite of `highlight` 0 (observed 2026-09).
 */
const lyricRows = (query: string, { catalogue }: CallContext): unknown[] =>
  findLines(catalogue, query).map(({ song, line }) => ({
    ...newSong(song),
    content: marked(line, plainWriting(query))
  }))

const kindWanted = (param: Param): FoundKind | undefined => kindOf[numberOf(param, 'search_type', 0)]

const paramKinds = {
  query: 'string',
  search_type: 'number',
  page_num: 'number',
  num_per_page: 'number',
  searchid: 'string',
  search_id: 'string',
  highlight: 'flag',
  grp: 'flag'
} as const

function desktopRows (kind: FoundKind | undefined, query: string, context: CallContext): unknown[] {
  const { catalogue } = context
  const writing = plainWriting(query)
  if (kind === 'song') return findSongs(catalogue, query).map(newSong)
  if (kind === 'lyric') return lyricRows(query, context)
  if (kind === 'singer') return findSingers(catalogue, query).map((singer) => foundSinger(catalogue, singer, writing))
  if (kind === 'album') return findAlbums(catalogue, query).map((album) => foundAlbum(catalogue, album, writing))
  if (kind === 'songlist') {
    return findPlaylists(catalogue, query).map((playlist) => foundPlaylist(catalogue, playlist, writing))
  }
  return kind === 'mv'
    ? findSongs(catalogue, query).filter((song) => song.mv.id).map((song) => foundMv(catalogue, song, writing)) : []
}

function phoneRows (kind: FoundKind | undefined, query: string, context: CallContext, light: boolean): unknown[] {
  const { catalogue } = context
  if (kind === 'song') return findSongs(catalogue, query).map(newSong)
  if (kind === 'lyric') return lyricRows(query, context)
  if (kind === 'singer') return findSingers(catalogue, query).map((singer) => phoneSinger(catalogue, singer))
  if (kind === 'album') return findAlbums(catalogue, query).map((album) => phoneAlbum(catalogue, album, light))
  if (kind === 'songlist') return findPlaylists(catalogue, query).map((playlist) => phonePlaylist(catalogue, playlist))
  return kind === 'mv'
    ? findSongs(catalogue, query).filter((song) => song.mv.id).map((song) => phoneMv(catalogue, song)) : []
}

/** Whether a search was refused: 0, or the reason of the refusal (2026-05 to 2026-10). */
export type IsFilter = 0 | -2 | -9 | -12

interface FoundPage {
  list: unknown[]
  curpage: number
  perpage: number
  nextpage: number
  estimate_sum: number
  is_filter: IsFilter
  ret: 0
  safetyType: 0
  safetyUrl: ''
}

/** A page of hits. A refused search has none, and may have a large estimate (observed 2026-09). */
function pageOf (hits: unknown[], param: Param, is_filter: IsFilter): FoundPage {
  const curpage = Math.max(1, numberOf(param, 'page_num', 1))
  const perpage = numberOf(param, 'num_per_page', 20)
  const common = { curpage, perpage, is_filter, ret: 0, safetyType: 0, safetyUrl: '' } as const
  if (is_filter !== 0) return { ...common, list: [], nextpage: -1, estimate_sum: is_filter === -2 ? 18_990 : 0 }
  const list = hits.slice((curpage - 1) * perpage, curpage * perpage)
  return { ...common, list, nextpage: curpage * perpage < hits.length ? curpage + 1 : -1, estimate_sum: hits.length }
}

/** The parts of every answer of the desktop program. One of them has rows. */
const desktopParts = ['album', 'gedantip', 'mv', 'qc', 'singer', 'song', 'songlist', 'user', 'zhida'] as const

function desktopData (param: Param, hits: unknown[], filter: IsFilter): Record<string, unknown> {
  const kind = kindWanted(param)
  const { list, ...counted } = pageOf(hits, param, filter)
  const part = kind === 'lyric' ? 'song' : kind
  const body = Object.fromEntries(desktopParts.map((name) => [name, { list: name === part ? list : [] }]))
  // `sum` is absent in some answers (2026-07). Here only song searches have it.
  const meta = {
    ...counted,
    dir: '',
    ein: counted.curpage * counted.perpage - 1,
    query: textOf(param, 'query'),
    sin: (counted.curpage - 1) * counted.perpage,
    ...(kind === 'song' && { sum: filter === 0 ? counted.estimate_sum : 0 })
  }
  return { body, code: 0, meta, ver: 0 }
}

/**
 * The refusal of every search program: a complete answer without rows, and a page that requires a login (obs. 2026-08).
 */
export function refusedSearch (param: Param): CallAnswer {
  const feedbackURL = 'https://y.qq.com/wk_v17/common_login.html#/login?appid=qqmusic&from=search'
  return { code: 2001, data: { ...desktopData(param, [], -12), feedbackURL } }
}

const manyOf: Record<FoundKind, number> = { song: 50, singer: 30, album: 30, songlist: 50, mv: 50, lyric: 50 }

/**
 * Anonymous callers get 2001, except for playlists (2026-08). A page of fewer than 10 or too many rows is refused, and
 * so is every page of a request with a `searchid` (2026-05). Signed, it works without a login and with a `searchid`
 * (2026-09).
 */
function desktopSearch (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, paramKinds)
  if (wrong) return wrong
  const { identity: { state }, signed, comm } = context
  const kind = kindWanted(param)
  const known = state === 'ordinary' || state === 'member' || (signed && Number(comm['ct']) === 19)
  if (!known && kind !== 'songlist') return refusedSearch(param)
  const size = numberOf(param, 'num_per_page', 20)
  const isWrong = size < 10 || size > manyOf[kind ?? 'song'] || (!signed && param['searchid'] !== undefined)
  return {
    code: 0,
    data: desktopData(param, isWrong ? [] : desktopRows(kind, textOf(param, 'query'), context), isWrong ? -9 : 0)
  }
}

/**
 * Page sizes that clients report as safe (2026-09). Larger pages are refused, like those of the desktop program:
 * assumed.
 */
const safeSize: Record<FoundKind, number> = { song: 60, singer: 40, album: 60, songlist: 30, mv: 60, lyric: 60 }

function phoneAnswer (param: Param, context: CallContext, filter: IsFilter, light = false): CallAnswer {
  const kind = kindWanted(param)
  const isLarge = numberOf(param, 'num_per_page', 20) > safeSize[kind ?? 'song']
  const refused = filter === 0 && isLarge ? -9 : filter
  const { list, ...counted } = pageOf(
    refused === 0 ? phoneRows(kind, textOf(param, 'query'), context, light) : [],
    param,
    refused
  )
  const only = (name: FoundKind): unknown[] => name === (kind === 'lyric' ? 'song' : kind) ? list : []
  const body = {
    item_song: only('song'),
    singer: only('singer'),
    item_album: only('album'),
    item_songlist: only('songlist'),
    item_mv: only('mv'),
    item_user: [],
    item_audio: [],
    multi_extern_info: { selectors: [] }
  }
  const sum = refused === 0 ? counted.estimate_sum : 0
  return {
    code: 0,
    data: { code: 0, meta: { searchid: textOf(param, 'searchid', 'search_id'), ...counted, sum }, body }
  }
}

/**
 * The phone's block as clients without a device send it: everything is there, and `QIMEI36` is not empty (measured
 * 2026-09).
 */
function isPhone (comm: Record<string, unknown>): boolean {
  const isText = (name: string): boolean => typeof comm[name] === 'string' && comm[name] !== ''
  const isThere = (name: string): boolean => comm[name] !== undefined && comm[name] !== ''
  const isWhole = ['cv', 'v', 'uid', 'tmeAppID'].every(isThere) && comm['format'] === 'json'
    && [comm['inCharset'], comm['outCharset']].every((name) => name === 'utf-8')
  const hasSession = isText('udid') && isText('sid')
  return Number(comm['ct']) === 11 && isText('QIMEI36') && (isWhole || hasSession)
}

/** A packed number as text, whose high part is not 0 (measured 2026-09). */
const isPacked = (id: unknown): boolean => typeof id === 'string' && /^\d{1,19}$/.test(id) && BigInt(id) >> 54n !== 0n

/** Any other block, that of the web included, gets no rows and -2 (2026-09, 2026-10), and any other id -9. */
function phoneSearch (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, paramKinds)
  if (wrong) return wrong
  return phoneAnswer(param, context, !isPhone(context.comm) ? -2 : isPacked(param['searchid']) ? 0 : -9)
}

/** Only the light program's own block is served; the answer to others is assumed. */
function lightSearch (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, { ...paramKinds, nqc_flag: 'flag', page_id: 'number' })
  if (wrong) return wrong
  const { ct, tmeAppID } = context.comm
  return Number(ct) === 11 && tmeAppID === 'qqmusiclight' ? phoneAnswer(param, context, 0, true) : refusedSearch(param)
}

export const searchCalls: MusicuTable = {
  'music.search.SearchCgiService/DoSearchForQQMusicDesktop': desktopSearch,
  'music.search.SearchCgiService/DoSearchForQQMusicMobile': phoneSearch,
  'music.search.SearchCgiService/DoSearchForQQMusicLite': lightSearch
}
