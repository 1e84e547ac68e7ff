/** The search for MVs: the site's search, then the programs. */
import type { Mv } from '../../../schemas/mv.ts'
import type { Context } from '../../core/endpoint.ts'
import { publicCodes } from '../../upstream/protocol/codes.ts'
import { maybe } from '../../upstream/reader/read.ts'
import type { ClassicCall, MusicuCall, UpstreamCall } from '../../upstream/calls.ts'
import { readMv, readPhoneMv } from './mv.ts'
import { isUnknown, optional } from './optional.ts'
import { readSentRows } from './pages.ts'
import { isPhone, programs, searchOfProgram, siteSearch, type Program } from './searches.ts'
import { sliceOf, unlessBlockedPage, type PageSlice, type UpstreamPage } from './upstreamPages.ts'

/** Fields that MVs in search results lack. */
const foundOptionalFields = (rows: string): readonly string[] => [`${rows}.subtitle`, `${rows}.pubdate`, `${rows}.singers[].picurl`, `${rows}.singer_list[].picurl`]

const searchOf = (word: string, page: UpstreamPage): ClassicCall<PageSlice<Mv>> => ({
  name: 'mv.search.classic',
  request: siteSearch(word, 12, page),
  codes: publicCodes,
  optionalFields: foundOptionalFields('data.mv.list[]'),
  read: (answer) => sliceOf(readSentRows(answer, ['data.mv.list'], maybe.int(answer, 'data.mv.totalnum'), readMv), page)
})

/** No response of the desktop program for MVs has been published; clients expect the classic rows. */
const programSearchOf = (program: Program, word: string, page: UpstreamPage): MusicuCall<PageSlice<Mv>> =>
  searchOfProgram(
    program,
    {
      name: 'mv.search',
      search_type: 4,
      ...isPhone(program)
        ? { paths: ['body.item_mv'], read: readPhoneMv, optionalFields: [] }
        : { paths: ['body.mv.list'], read: readMv, optionalFields: foundOptionalFields('body.mv.list[]') }
    },
    word,
    page
  )

/**
 * Finds MVs by a search text. A refused search has no rows either, so a client program's search follows. Its empty list is
 * accepted; further programs are used only if it fails.
 */
export async function searchMvs (word: string, page: UpstreamPage, { upstream }: Context): Promise<PageSlice<Mv>> {
  const withEmptyCheck = <C extends UpstreamCall<PageSlice<Mv>>>(call: C): C => ({
    ...call,
    emptyCounts: true,
    read: (answer) => unlessBlockedPage(call.read(answer), page, call.name, 'a search result')
  })
  const further = programs.map((program): MusicuCall<PageSlice<Mv>> => ({
    ...withEmptyCheck(programSearchOf(program, word, page)),
    after: ({ code, outcome }) => outcome !== 'rejected' && (code !== 'UPSTREAM_EMPTY' || program === programs[0])
  }))
  const calls = [withEmptyCheck(searchOf(word, page)), ...further]
  const found = await optional(upstream.firstOf(calls), isUnknown)
  if (found === undefined) upstream.confirmEmpty(calls.map(({ name }) => name))
  return found ?? { rows: [], sent: 0, total: 0 }
}
