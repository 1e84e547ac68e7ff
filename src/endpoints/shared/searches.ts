/** Requests for searches of every type: the site's two searches, and those of the provider's own programs. Seen 2018 to 2026-11. */
import { randomBytes, randomInt } from 'node:crypto'
import { maybe, type Answer } from '../../upstream/reader/read.ts'
import type { ClassicRequest, CommKind, KnownIssue, MusicuCall } from '../../upstream/calls.ts'
import { publicCodes } from '../../upstream/protocol/codes.ts'
import { ownWords } from '../../upstream/protocol/requests.ts'
import { readSentRows } from './pages.ts'
import { randomId } from './randomId.ts'
import { sliceOf, type PageSizes, type PageSlice, type UpstreamPage } from './upstreamPages.ts'

/**
 * The request of the site's search; `t` is the site's number of the type. It is short, because more or newer parameters
 * silently empty the list (2026-06; `new_json=1`: 0 rows with it, 600 without, 2026-07).
 */
export const siteSearch = (words: string, t: number, { size, index }: UpstreamPage): ClassicRequest => ({
  path: '/soso/fcgi-bin/client_search_cp',
  part: 'search',
  query: { format: 'json', n: size, p: index + 1, w: words, cr: 1, g_tk: 5381, t }
})

/** The request of the site's other search, which finds songs only (four clients of 2026). */
export const otherSiteSearch = (words: string, { size, index }: UpstreamPage): ClassicRequest => ({
  path: ownWords.siteSearchPath,
  part: 'search',
  query: { w: words, p: index + 1, n: size, format: 'json' }
})

/** The request of the site's search for playlists, whose pages count from 0 (a client of 2026-05). */
export const sitePlaylistSearch = (words: string, { size, index }: UpstreamPage): ClassicRequest => ({
  path: '/soso/fcgi-bin/client_music_search_songlist',
  part: 'search',
  query: { page_no: index, num_per_page: size, format: 'json', query: words, remoteplace: 'txt.yqq.playlist', inCharset: 'utf8', outCharset: 'utf-8' }
})

/**
 * The client programs whose search is used: the light phone program, the desktop program at the signed entry, the phone
 * program, and the desktop program at the open entry.
 */
export type Program = 'lite' | 'signed' | 'phone' | 'desktop'

/** All programs, the most reliable first (2026-08 to 2026-11). */
export const programs = ['lite', 'signed', 'phone', 'desktop'] as const satisfies readonly Program[]

/** Whether a program is a phone program, whose rows have another shape. */
export const isPhone = (program: Program): boolean => program === 'lite' || program === 'phone'

/** Fewer than 10 rows empty the list of a desktop program (2026-05). */
const least = 10

/** Sizes of a page that every program serves (2026-08): more than 30 albums or singers come back whole and empty. */
export const pageSizes = {
  songs: { least, most: 50 },
  albums: { least, most: 30 },
  singers: { least, most: 30 },
  mvs: { least, most: 50 },
  playlists: { least, most: 30 },
  lyrics: { least, most: 50 }
} as const satisfies Record<string, PageSizes>

interface SearchParams { readonly query: string, readonly search_type: number, readonly num_per_page: number, readonly page_num: number }

/** The request of each program. Each search needs a new id: a fixed one empties the list (2026-05). */
const forms: Readonly<
  Record<Program, { readonly method: string, readonly comm: CommKind, readonly param: (params: SearchParams) => Record<string, unknown> }>
> = {
  lite: {
    method: ownWords.liteSearch,
    comm: 'lite',
    param: (params) => ({ search_id: randomId(), remoteplace: 'search.android.keyboard', ...params, highlight: 0, nqc_flag: 0, page_id: 1, grp: 1 })
  },
  signed: {
    method: ownWords.desktopSearch,
    comm: 'signed',
    param: (params) => ({
      grp: 1,
      ...params,
      remoteplace: 'txt.newclient.top',
      searchid: `${randomBytes(16).toString('hex').toUpperCase()}${randomInt(10_000, 100_000)}`
    })
  },
  phone: {
    method: ownWords.phoneSearch,
    comm: 'phone',
    param: (params) => ({ searchid: randomId(), ...params, highlight: 0, grp: 1, selectors: {}, vec_selectors: [] })
  },
  // Any search id empties the list here.
  desktop: { method: ownWords.desktopSearch, comm: 'desktop', param: (params) => ({ ...params }) }
}

const oftenRefused: KnownIssue = { verdict: 'risk-controlled', note: 'refuses two of three searches without a login', since: '2026-08' }

/** The search target in a program: the upstream's number of the type, and the paths of its rows. The call's name begins with `name`. */
export interface Sought<T> {
  readonly name: string
  readonly search_type: number
  readonly paths: readonly string[]
  readonly read: (row: Answer) => T
  readonly optionalFields: readonly string[]
}

/** The search of one program for one of its pages. */
export function searchOfProgram<T> (
  program: Program,
  { name, search_type, paths, read, optionalFields }: Sought<T>,
  query: string,
  page: UpstreamPage
): MusicuCall<PageSlice<T>> {
  const { method, comm, param } = forms[program]
  return {
    name: `${name}.${program}`,
    request: {
      module: 'music.search.SearchCgiService',
      method,
      comm,
      takesTurns: true,
      param: param({ query, search_type, num_per_page: page.size, page_num: page.index + 1 })
    },
    codes: publicCodes,
    optionalFields,
    ...program === 'desktop' ? { knownIssue: oftenRefused } : {},
    read: (answer) => sliceOf(readSentRows(answer, paths, maybe.int(answer, 'meta.sum', 'meta.estimate_sum'), read), page)
  }
}
