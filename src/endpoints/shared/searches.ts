/** Searches of every kind: the site's search, and those of the provider's own programs. Seen 2018 to 2026-10. */
import { maybe } from '../../upstream/reader/read.ts'
import type { Answer } from '../../upstream/reader/read.ts'
import type { ClassicRequest, KnownIssue, MusicuCall } from '../../upstream/calls.ts'
import { ownWords, searchFiller } from '../../upstream/protocol/requests.ts'
import { readSentRows } from './pages.ts'
import { randomId } from './randomId.ts'
import { sliceOf } from './upstreamPages.ts'
import type { PageSlice, UpstreamPage } from './upstreamPages.ts'

export type Program = 'desktop' | 'phone'

/**
 * What to search for in a program: the upstream's number of the kind, and the paths of its rows. The call's name begins
 * with `name`.
 */
export interface Sought<T> { readonly name: string, readonly search_type: number, readonly paths: readonly string[], readonly read: (row: Answer) => T, readonly optionalFields: readonly string[] }

/**
 * The request of the site's search; `t` is the site's number of the kind. It must not contain `new_json=1`, which
 * silently empties the list (measured 2026-07-27: 0 rows with it, 600 without).
 */
export const siteSearch = (words: string, t: number, catZhida: 0 | 1, { size, index }: UpstreamPage): ClassicRequest => ({
  path: '/soso/fcgi-bin/client_search_cp',
  query: { ...searchFiller, w: words, n: size, p: index + 1, t, format: 'json', cr: 1, aggr: 1, catZhida, lossless: 0, flag_qc: 0 }
})

/** An expired cookie must not fail a public search: the next source works without one. */
export const searchCodes = { 1000: 'other', 104400: 'other', 104401: 'other' } as const

const noDevice: KnownIssue = { verdict: 'risk-controlled', note: 'wants a device session, which no relay has; it has answered without' }

/**
 * The search of one program. The desktop program's requires a login. The phone's requires a device session, which this
 * relay does not have, but it has answered without one. Since 2026-05 fewer than 10 or more than 50 rows, and a fixed
 * search id, give empty lists.
 */
export function searchOfProgram<T> (program: Program, { name, search_type, paths, read, optionalFields }: Sought<T>, query: string, window: UpstreamPage): MusicuCall<PageSlice<T>> {
  const times = Math.max(1, Math.ceil(10 / window.size))
  const skipped = window.index % times * window.size
  const place = { from: skipped + window.from, to: skipped + window.to }
  const param = { query, search_type, page_num: Math.floor(window.index / times) + 1, num_per_page: window.size * times }
  const phoneParam = { searchid: randomId(), ...param, highlight: 0, grp: 1, selectors: {}, vec_selectors: [] }
  return {
    name: `${name}.${program}`,
    request: {
      module: 'music.search.SearchCgiService',
      ...(program === 'desktop' ? { method: ownWords.desktopSearch, param, comm: 'desktop' } : { method: ownWords.phoneSearch, param: phoneParam, comm: 'mobile' })
    },
    codes: searchCodes,
    optionalFields,
    ...program === 'phone' ? { knownIssue: noDevice } : {},
    read: (answer) => sliceOf(readSentRows(answer, paths, maybe.int(answer, 'meta.sum', 'meta.estimate_sum'), read), place)
  }
}
