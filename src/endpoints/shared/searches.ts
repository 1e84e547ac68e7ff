/** Searches for whatever kind of thing: the site's, and those of the provider's own programs. Seen 2018 to 2026-10. */
import { maybe } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { ClassicAsk, MusicuCall } from '../../provider/upstream.ts'
import { ownWords, searchFiller } from '../../provider/wire.ts'
import { readSentRows } from './pages.ts'
import { randomId } from './randomId.ts'
import { wanted } from './windows.ts'
import type { Part, Window } from './windows.ts'

export type Program = 'desktop' | 'phone'

/** What is looked for in a program: the upstream's number of the kind, and where its rows are. `name` begins the name of the call. */
export interface Sought<T> { readonly name: string, readonly search_type: number, readonly paths: readonly string[], readonly read: (row: Answer) => T, readonly sometimes: readonly string[] }

/**
 * The site's search; `t` is its number of the kind. Never with `new_json=1`: it silently empties the list (measured
 * 2026-07-27: 0 rows with, 600 without).
 */
export const siteSearch = (words: string, t: number, catZhida: 0 | 1, { size, index }: Window): ClassicAsk => ({
  path: '/soso/fcgi-bin/client_search_cp',
  query: { ...searchFiller, w: words, n: size, p: index + 1, t, format: 'json', cr: 1, aggr: 1, catZhida, lossless: 0, flag_qc: 0 }
})

/** A dead cookie need not end a public search: the next source works without. */
export const searchCodes = { 1000: 'other', 104400: 'other', 104401: 'other' } as const

/**
 * The desktop program's search wants a login; the phone's a device session that this relay has not, but it has
 * answered without. Since 2026-05 less than 10 or more than 50 rows, and a fixed search id, give empty lists.
 */
export function searchOfProgram<T> (program: Program, { name, search_type, paths, read, sometimes }: Sought<T>, query: string, window: Window): MusicuCall<Part<T>> {
  const times = Math.max(1, Math.ceil(10 / window.size))
  const skipped = window.index % times * window.size
  const place = { from: skipped + window.from, to: skipped + window.to }
  const param = { query, search_type, page_num: Math.floor(window.index / times) + 1, num_per_page: window.size * times }
  const phoneParam = { searchid: randomId(), ...param, highlight: 0, grp: 1, selectors: {}, vec_selectors: [] }
  return {
    name: `${name}.${program}`,
    ask: {
      module: 'music.search.SearchCgiService',
      ...(program === 'desktop' ? { method: ownWords.desktopSearch, param, comm: 'desktop' } : { method: ownWords.phoneSearch, param: phoneParam, comm: 'mobile' })
    },
    codes: searchCodes,
    sometimes,
    read: (answer) => wanted(readSentRows(answer, paths, maybe.int(answer, 'meta.sum', 'meta.estimate_sum'), read), place)
  }
}
