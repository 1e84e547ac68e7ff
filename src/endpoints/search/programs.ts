/** The provider's own programs whose search the relay uses: the form of each, and the reading of their answers. */
import { randomBytes, randomInt } from 'node:crypto'
import {
  failure, maybe, publicCodes, upstreamEmpty, type Answer, type CommKind, type Kind, type KnownIssue, type MusicuCall,
  type UpstreamError
} from '../kit.ts'
import { ownWords } from '../../upstream/wire/requests.ts'
import {
  firstRowOf, isBlockedSlice, readSentRows, sliceOf, type PageSlice, type UpstreamPage
} from '../shared/pages.ts'

/**
 * The light phone program, the desktop program at the signed entry, the phone program, and the desktop program at the
 * open entry.
 */
export type Program = 'lite' | 'signed' | 'phone' | 'desktop'

/** All programs, the most reliable first (2026-08 to 2026-11). */
export const programs = ['lite', 'signed', 'phone', 'desktop'] as const satisfies readonly Program[]

/** The rows of a kind in the answers of a program. */
export interface ProgramRows<T> {
  readonly path: string
  readonly read: (row: Answer) => T
  readonly optionalFields?: readonly string[]
}

/** What to search for in a program. `type`: the upstream's number of the kind. The call's name begins with `name`. */
export interface Sought<T> {
  readonly name: string
  readonly type: number
  readonly desktop: ProgramRows<T>
  readonly phone: ProgramRows<T>
}

/**
 * Rows of a program. `isSure`: the upstream says that it accepted the search, so that a list without rows means no
 * hits.
 */
export interface ProgramSlice<T> extends PageSlice<T> { readonly isSure?: boolean }

interface SearchParams {
  readonly query: string
  readonly search_type: number
  readonly num_per_page: number
  readonly page_num: number
}

/**
 * Returns the id of a search as the phone programs pack it: a number from 1 to 20, a random one, and the milliseconds
 * of the day. The upstream refuses an id whose high part is 0 (2026-09).
 */
const packedId = (): string =>
  String((BigInt(randomInt(1, 21)) << 54n) + (BigInt(randomInt(2 ** 22)) << 32n) + BigInt(Date.now() % 86_400_000))

/** The request of each program, as its own clients send it. */
const forms: Readonly<
  Record<
    Program,
    {
      readonly method: string,
      readonly comm: CommKind,
      readonly param: (params: SearchParams) => Record<string, unknown>
    }
  >
> = {
  lite: {
    method: ownWords.liteSearch,
    comm: 'lite',
    param: (params) => ({
      search_id: packedId(),
      remoteplace: 'search.android.keyboard',
      ...params,
      highlight: 0,
      nqc_flag: 0,
      page_id: 1,
      grp: 1
    })
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
    param: (params) => ({ searchid: packedId(), ...params, highlight: 0, grp: 1, selectors: {}, vec_selectors: [] })
  },
  // Any search id is refused here.
  desktop: { method: ownWords.desktopSearch, comm: 'desktop', param: (params) => ({ ...params }) }
}

const oftenRefused: KnownIssue = { verdict: 'risk-controlled', note: 'refuses two of three searches without a login', since: '2026-08' }

/**
 * Fields that say whether a search was refused. Desktop programs always send the first one (recorded 2026-07, 2026-08).
 */
const verdictFields = ['meta.is_filter', 'meta.ret', 'meta.safetyType', 'meta.safetyUrl'] as const

/**
 * Whether the upstream says that it accepted the search. Throws UPSTREAM_REFUSED if it says that it refused: such an
 * answer has code 0 and no rows, like one without hits (2026-05 to 2026-10). Without data, every search was refused for
 * a while (2026-09).
 */
function isAccepted (answer: Answer): boolean {
  const { call, value } = answer
  const refused = (word: string, why: string | number, kind: Kind = 'search'): UpstreamError =>
    failure(kind, { call, word, outcome: `filter_${why}` })
  if (value === undefined || value === null) throw refused('no data', 'null')
  const [filter, ret = 0, type = 0] = verdictFields.slice(0, 3).map((field) => maybe.int(answer, field))
  if (filter !== undefined && filter < 0) {
    throw refused(`is_filter ${filter}`, filter, filter === -12 ? 'search.fast' : 'search')
  }
  if (ret !== 0) throw refused(`ret ${ret}`, 'ret')
  if (type !== 0 || maybe.text(answer, 'meta.safetyUrl') !== undefined) {
    throw refused('a safety check', 'safety', 'search.safety')
  }
  return filter === 0
}

/**
 * The search of one program for one of its pages. If it `begins` a list, an answer without rows is UPSTREAM_EMPTY,
 * unless the upstream says that there are none.
 */
export function searchOfProgram<T> (
  program: Program,
  sought: Sought<T>,
  query: string,
  page: UpstreamPage,
  begins: boolean
): MusicuCall<ProgramSlice<T>> {
  const { method, comm, param } = forms[program]
  const isPhone = program === 'lite' || program === 'phone'
  const { path, read, optionalFields = [] } = isPhone ? sought.phone : sought.desktop
  const name = `${sought.name}.${program}`
  return {
    name,
    request: {
      module: 'music.search.SearchCgiService',
      method,
      comm,
      takesTurns: true,
      param: param({ query, search_type: sought.type, num_per_page: page.size, page_num: page.index + 1 })
    },
    codes: publicCodes,
    optionalFields: [...verdictFields.slice(isPhone ? 0 : 1), ...optionalFields.map((field) => `${path}[].${field}`)],
    ...program === 'desktop' ? { knownIssue: oftenRefused } : {},
    read (answer) {
      const isSure = isAccepted(answer)
      const slice = sliceOf(
        readSentRows(answer, [path], maybe.int(answer, 'meta.sum', 'meta.estimate_sum'), read),
        page
      )
      if (
        begins && isBlockedSlice(slice, firstRowOf(page)) && !(isSure && (slice.total ?? 0) === 0)
      ) { throw upstreamEmpty(name, 'a search result') }
      return { ...slice, isSure }
    }
  }
}
