import { findAlbums, findPlaylists, findSingers, findSongs } from '../catalogue/search.ts'
import { foundAlbum, foundMv, foundPlaylist, foundSinger, plainWriting } from '../shapes/found.ts'
import { newSong } from '../shapes/song.ts'
import type { CallAnswer, CallContext, MusicuTable, Param } from '../types.ts'
import { mistyped, numberOf, textOf } from './params.ts'

type Kind = 'song' | 'singer' | 'album' | 'songlist' | 'mv'

/** `search_type` of both calls. 7, 8, 10, 15 and 18 exist upstream; the demo answers them with empty lists. */
const kindOf: Record<number, Kind | undefined> = { 0: 'song', 1: 'singer', 2: 'album', 3: 'songlist', 4: 'mv' }

const paramKinds = { query: 'string', search_type: 'number', page_num: 'number', num_per_page: 'number', searchid: 'string' } as const

function hitsOf (kind: Kind | undefined, query: string, { catalogue }: CallContext): unknown[] {
  const writing = plainWriting(query)
  if (kind === 'song') return findSongs(catalogue, query).map(newSong)
  if (kind === 'singer') return findSingers(catalogue, query).map((singer) => foundSinger(catalogue, singer, writing))
  if (kind === 'album') return findAlbums(catalogue, query).map((album) => foundAlbum(catalogue, album, writing))
  if (kind === 'songlist') return findPlaylists(catalogue, query).map((playlist) => foundPlaylist(catalogue, playlist, writing))
  return kind === 'mv' ? findSongs(catalogue, query).filter((song) => song.mv.id).map((song) => foundMv(catalogue, song, writing)) : []
}

interface Page { list: unknown[], curpage: number, perpage: number, nextpage: number, estimate_sum: number }

function pageOf (hits: unknown[], param: Param): Page {
  const curpage = Math.max(1, numberOf(param, 'page_num', 1))
  const perpage = numberOf(param, 'num_per_page', 20)
  const list = hits.slice((curpage - 1) * perpage, curpage * perpage)
  return { list, curpage, perpage, nextpage: curpage * perpage < hits.length ? curpage + 1 : -1, estimate_sum: hits.length }
}

function desktopAnswer (code: number, kind: Kind | undefined, page: Page, filter: number): CallAnswer {
  const { list, ...counted } = page
  const lists = Object.fromEntries(['album', 'mv', 'singer', 'song', 'songlist'].map((name) => [name, { list: name === kind ? list : [] }]))
  // `sum` is absent in some answers (2026-07). Here only song searches have it.
  const meta = { ...counted, ...(kind === 'song' && { sum: counted.estimate_sum }), is_filter: filter }
  return { code, data: { body: lists, code: 0, ...(code !== 0 && { feedbackURL: 'https://example.invalid/verify' }), meta } }
}

/**
 * Needs a login: anonymous callers get 2001 with `is_filter` -12 (2026-07). Since 2026-05 a `num_per_page` outside of
 * 10..50 or a `searchid` silently empties the lists.
 */
function desktopSearch (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, paramKinds)
  if (wrong) return wrong
  const kind = kindOf[numberOf(param, 'search_type', 0)]
  const { state } = context.identity
  if (state === 'anonymous' || state === 'expired') return desktopAnswer(2001, kind, pageOf([], param), -12)
  const size = numberOf(param, 'num_per_page', 20)
  const emptied = size < 10 || size > 50 || param['searchid'] !== undefined
  const hits = emptied ? [] : hitsOf(kind, textOf(param, 'query'), context)
  return desktopAnswer(0, kind, pageOf(hits, param), 0)
}

/** A full device session: an Android client with its device ids in the common block. */
function hasDevice (comm: Record<string, unknown>): boolean {
  return ['QIMEI36', 'udid', 'sid'].every((name) => typeof comm[name] === 'string' && comm[name] !== '')
}

/** The web block gets sum 0 and no rows (measured 2026-10). An Android block without device ids is blocked. */
function mobileSearch (param: Param, context: CallContext): CallAnswer {
  const wrong = mistyped(param, { ...paramKinds, highlight: 'flag', grp: 'flag' })
  if (wrong) return wrong
  const android = Number(context.comm['ct']) === 11
  const kind = kindOf[numberOf(param, 'search_type', 0)]
  if (android && !hasDevice(context.comm)) return desktopAnswer(2001, kind, pageOf([], param), -12)
  const { list, ...counted } = pageOf(android ? hitsOf(kind, textOf(param, 'query'), context) : [], param)
  const only = (name: Kind): unknown[] => name === kind ? list : []
  const body = { item_song: only('song'), singer: only('singer'), item_album: only('album'), item_songlist: only('songlist'), item_mv: only('mv'), item_user: [], item_audio: [], multi_extern_info: { selectors: [] } }
  return { code: 0, data: { code: 0, meta: { searchid: textOf(param, 'searchid'), ...counted, sum: counted.estimate_sum }, body } }
}

export const searchCalls: MusicuTable = {
  'music.search.SearchCgiService/DoSearchForQQMusicDesktop': desktopSearch,
  'music.search.SearchCgiService/DoSearchForQQMusicMobile': mobileSearch
}
