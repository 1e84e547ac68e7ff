/**
 * The chain of every search: the site, the provider's programs, the suggestions. Each fails on some days, refuses data
 * centres, or reports success without rows (2026-04 to 2026-11). Reasons: docs/decisions.md#0008, #0015.
 */
import { offsetFromOne } from '../../../schemas/common.ts'
import { GetSearchByKeyQuery, SearchResult, type DirectHit } from '../../../schemas/search.ts'
import { SearchQuery, TypedSearchResult } from '../../../schemas/typedSearch.ts'
import {
  UpstreamError, codeMsgData, endpoint, failure, isEmpty, notFound, noteMissing, optional, publicCodes, settled,
  upstreamEmpty, valueOf, type Answer, type ClassicCall, type CompositeCall, type Context, type MusicuCall,
  type Settled
} from '../kit.ts'
import { mostSuggested, smartboxOf, suggestedRows } from './found.ts'
import {
  programs, searchKinds, searchOfProgram, type KindName, type Program, type ProgramSlice, type RowOf, type SiteSearch
} from './searchKinds.ts'
import {
  fetchPages, firstRowOf, isBlockedSlice, sliceOf, upstreamPages, type PageSlice, type UpstreamPage
} from '../shared/pages.ts'
import { listedSong } from '../shared/song.ts'

interface Stretch { readonly offset: number, readonly count: number }

/** Rows of several kinds, as far as there are. `by`: the program that has them. `few`: only suggestions. */
type Found = { readonly [K in KindName]?: ProgramSlice<RowOf[K]> } & {
  readonly zhida?: DirectHit | undefined
  readonly by?: Program
  readonly few?: true
}

/**
 * The words, the kinds that are needed, and the rows of them. `beside`: rows of albums and singers to add if the source
 * has them.
 * `from`: the first program to ask; those before it have just failed.
 */
interface Search {
  readonly key: string
  readonly wanted: readonly KindName[]
  readonly stretch: Stretch
  readonly beside?: Stretch | undefined
  readonly from?: Program | undefined
}

/**
 * What the sources of one search say about hits. `empty`: sources without a row that do not say whether they refused.
 * `counted`: one of them counts hits. `nothing`: the answer of one that accepted the search and has no hits.
 */
interface Evidence { readonly empty: Set<string>, counted?: boolean, nothing?: Found }

const besides = ['albums', 'singers'] as const
const suggestions = 'search.suggestions'
const noRows: PageSlice<never> = { rows: [], sent: 0, total: 0 }

/** Whether a source knows for certain that there are no hits. */
const isNothing = ({ isSure, sent, total = 0 }: ProgramSlice<unknown>): boolean =>
  isSure === true && sent === 0 && total === 0

function emptyFrom (call: string, { empty }: Evidence): UpstreamError {
  empty.add(call)
  return upstreamEmpty(call, 'a search result')
}

function fromSite (
  kind: KindName,
  { name, request, rows, zhida, optionalFields = [] }: SiteSearch<unknown>,
  key: string,
  page: UpstreamPage,
  evidence: Evidence
): ClassicCall<Found> {
  return {
    name,
    request: request(key, page),
    codes: publicCodes,
    optionalFields,
    emptyCounts: true,
    read (answer: Answer) {
      const slice = sliceOf(rows(answer), page)
      if (isBlockedSlice(slice, firstRowOf(page))) {
        evidence.counted ||= (slice.total ?? 0) > 0
        throw emptyFrom(name, evidence)
      }
      return { [kind]: slice, zhida: zhida?.(answer) }
    }
  }
}

/** Joins the pages of one list. Throws the error of a page that failed. */
function joined (pages: readonly Settled<ProgramSlice<unknown>>[]): ProgramSlice<unknown> {
  const parts = pages.map(valueOf)
  const sumOf = (count: (part: ProgramSlice<unknown>) => number): number =>
    parts.reduce((sum, part) => sum + count(part), 0)
  return {
    ...parts[0] as ProgramSlice<unknown>,
    rows: parts.flatMap(({ rows }) => rows),
    sent: sumOf(({ sent }) => sent),
    skipped: sumOf(({ skipped = 0 }) => skipped)
  }
}

/** One POST to a program for all kinds. Rows of needed kinds stay, also if another source is asked for the rest. */
function fromProgram (
  program: Program,
  { key, wanted, stretch, beside }: Search,
  evidence: Evidence
): CompositeCall<Found> {
  const name = `${searchKinds[wanted[0] as KindName].name}.${program}`
  const listed = [
    ...wanted.map((kind) => [kind, stretch] as const),
    ...beside === undefined ? [] : besides.map((kind) => [kind, beside] as const)
  ]
  let made: readonly { readonly kind: KindName, readonly calls: readonly MusicuCall<unknown>[] }[] | undefined
  const parts = (): NonNullable<typeof made> => made ??= listed.map(([kind, { offset, count }]) => ({
    kind,
    calls: upstreamPages(offset, count, searchKinds[kind].sizes).map((page, at) =>
      searchOfProgram<unknown>(program, searchKinds[kind], key, page, at === 0, () => {
        evidence.counted ||= wanted.includes(kind)
      })
    )
  }))
  return {
    name,
    // Made when they are sent: most searches end with an earlier source.
    get calls () { return parts().flatMap(({ calls }) => calls) },
    codes: publicCodes,
    emptyCounts: true,
    // A program without a turn leaves none to the others. After two empty sources only suggestions are of use.
    after: ({ row }) => row.own !== 'limit' && evidence.empty.size < 2,
    read (answers: readonly Settled<unknown>[]) {
      let from = 0
      const lists = parts().map(({ kind, calls }) => {
        const pages = answers.slice(from, from += calls.length) as Settled<ProgramSlice<unknown>>[]
        return { kind, ...settled(() => joined(pages)) }
      })
      const [needed, further] = [lists.slice(0, wanted.length), lists.slice(wanted.length)]
      const failed = needed.find(({ error }) => error !== undefined && !isEmpty(error as UpstreamError))
      if (failed !== undefined) throw failed.error
      const isWhole = further.every(({ error }) => error === undefined)
      const found: Found =
        Object.fromEntries([...needed, ...isWhole ? further : []].map(({ kind, value = noRows }) => [kind, value]))
      if (needed.every(({ value }) => value !== undefined && isNothing(value))) {
        evidence.nothing = found
        throw notFound(name, 'A hit') // ends the chain, and is caught behind it
      }
      if (needed.every(({ value }) => value === undefined || isNothing(value))) throw emptyFrom(name, evidence)
      return { by: program, ...found }
    }
  }
}

/** The suggestions through their two entries, the second if the first does not answer. They need a needed row. */
function fromSuggestions (
  { key, wanted, stretch: { offset, count } }: Search,
  evidence: Evidence
): ClassicCall<Found>[] {
  if (
    offset >= mostSuggested || !wanted.every((kind) => kind === 'songs' || kind === 'albums' || kind === 'singers')
  ) { return [] }
  let answered = false
  const part = <T>(rows: readonly T[]): PageSlice<T> => ({
    rows: rows.slice(offset, offset + count),
    sent: rows.length,
    total: rows.length
  })
  return smartboxOf(key, ({ result }): Found => {
    answered = true
    const { songs, albums, singers } = suggestedRows(result)
    if (songs.length + albums.length + singers.length === 0) evidence.empty.add(suggestions)
    const found: Found = { songs: part(songs), albums: part(albums), singers: part(singers), few: true }
    if (wanted.every((kind) => found[kind]?.rows.length === 0)) throw upstreamEmpty(suggestions, 'a search result')
    return found
  }).map((call) => ({ ...call, after: () => !answered }))
}

/** Whether enough sources have no hits. The two searches of the site count as one: one cause empties both. */
function agree ({ empty }: Evidence, ofSite: readonly { readonly name: string }[]): boolean {
  const others = [...empty].filter((each) => ofSite.every(({ name }) => name !== each))
  return others.length > 1 || (others.length === 1 && empty.size > 1)
}

/** Whether a program, the gateway or a pause refused the search (not a circuit breaker). */
const isRefused = ({ row }: UpstreamError): boolean => row.search !== undefined

/**
 * Sends one search through the chain. `page`: the page of the site with these rows. Returns no rows only if a source
 * knows that there are none, or if two agree and none counts any. If no source has rows and one refused, throws
 * UPSTREAM_REFUSED, or UPSTREAM_PAUSED during a pause.
 */
async function find (
  search: Search,
  page: UpstreamPage | undefined,
  { upstream, cacheAtMost }: Context
): Promise<Found> {
  const { key, wanted: [main = 'songs'], beside, from = programs[0] } = search
  const evidence: Evidence = { empty: new Set() }
  const ofSite = page === undefined ? []
    : (searchKinds[main].site?.searches ?? []).map((each) => fromSite(main, each, key, page, evidence))
  const [first, second] = ofSite
  const found = await upstream.firstOf<Found>([
    ...first === undefined ? [] : [first],
    // The cause that empties one search of the site may empty the other: a program's answer is then more reliable.
    ...second === undefined ? [] : [{ ...second, after: () => evidence.empty.size === 0 }],
    // Only the light program is sent several kinds in one POST (2026): the others get the needed ones alone.
    ...programs.slice(programs.indexOf(from)).map((program) =>
      fromProgram(program, program === programs[0] ? search : { ...search, beside: undefined }, evidence)),
    ...second === undefined ? [] : [{
      ...second,
      after: ({ code }: UpstreamError) => evidence.empty.size === 1 && code !== 'UPSTREAM_EMPTY'
    }],
    ...fromSuggestions(search, evidence)
  ], isRefused).catch((error: unknown) => {
    if (!(error instanceof UpstreamError)) throw error
    const isRefusal = isRefused(error)
    const agrees = evidence.counted !== true && agree(evidence, ofSite)
    if (evidence.nothing !== undefined || (agrees && (isEmpty(error) || isRefusal))) {
      if (isRefusal) cacheAtMost('brief')
      return undefined
    }
    // Whatever hides the rows, it is not the words: the error lets a stale answer stand in.
    const { call, outcome, kind, upstreamCode } = error
    const word = isEmpty(error) ? 'no source says what there is'
      : kind === 'refused.risk' ? `code ${upstreamCode}` : undefined
    throw word === undefined ? error : failure('search', { call, outcome, word })
  })
  if (found === undefined) upstream.confirmEmpty(evidence.empty)
  if (found?.few === true) cacheAtMost('brief')
  return found ?? evidence.nothing
    ?? Object.fromEntries([...search.wanted, ...beside === undefined ? [] : besides].map((kind) => [kind, noRows]))
}

/** Rows of one kind, and their number upstream. `skipped`: left out. `first`: the first answer, with other kinds. */
interface FoundRows<T> {
  readonly rows: readonly T[]
  readonly total: number
  readonly skipped: number
  readonly first: Found
}

/** Searches for one kind, in as many requests as the stretch needs. `beside`: as in `Search`, in the first of them. */
export async function searchFor<K extends KindName> (
  kind: K,
  key: string,
  stretch: Stretch,
  context: Context,
  beside?: Stretch
): Promise<FoundRows<RowOf[K]>> {
  const { site } = searchKinds[kind]
  const sliceIn = (found: Found): PageSlice<RowOf[K]> & { readonly found: Found } => ({
    ...found[kind] as PageSlice<RowOf[K]> ?? noRows,
    found
  })
  if (site === undefined) {
    const { rows, total, skipped = 0, found } =
      sliceIn(await find({ key, wanted: [kind], stretch }, undefined, context))
    return { rows, total: Math.max(total ?? 0, rows.length), skipped, first: found }
  }
  const pages = upstreamPages(stretch.offset, stretch.count, site.sizes)
  const { rows, total, skipped, first } = await fetchPages<RowOf[K], ReturnType<typeof sliceIn>>(
    pages,
    async (page) => {
      const own = { offset: firstRowOf(page) + page.from, count: page.to - page.from }
      return sliceIn(await find(
        { key, wanted: [kind], stretch: own, beside: page === pages[0] ? beside : undefined },
        page,
        context
      ))
    }
  )
  return { rows, total: Math.max(total, rows.length), skipped, first: first.found }
}

/** Searches for albums and singers at once. `from`: the program that has just found the songs, if one has. */
const searchBeside = async (key: string, stretch: Stretch, context: Context, from?: Program): Promise<Found> =>
  await find({ key, wanted: besides, stretch, from }, undefined, context)

// The site finds songs only: one POST to a program adds albums and singers, and songs if the site has none.

/** Returns the singer or album named exactly like the search text, for sources without a direct hit. */
function namedLike (key: string, { albums, singers }: Found): DirectHit {
  const words = key.trim().toLowerCase()
  const singer = singers?.rows.find(({ singerName }) => singerName.toLowerCase() === words)
  if (singer !== undefined) return { type: 'singer', singer }
  const album = albums?.rows.find(({ albumName }) => albumName.toLowerCase() === words)
  return album === undefined ? null : { type: 'album', album }
}

interface ListedRows<T> { readonly rows: readonly T[], readonly total?: number | undefined, readonly skipped?: number }

const listOf = <T>(
  { rows, total = 0, skipped = 0 }: ListedRows<T> = { rows: [] },
  page: number
): Omit<SearchResult['song'], 'list'> & { list: T[] } => ({
  list: [...rows],
  curnum: rows.length,
  curpage: Math.max(1, page),
  totalnum: Math.max(total, rows.length),
  skipped
})

export const getSearchByKey = endpoint({
  method: 'GET',
  path: '/getSearchByKey',
  pathParam: 'key',
  tag: 'search',
  summary: 'Search for songs, singers and albums',
  summaryInChinese: '按关键词搜索歌曲、歌手和专辑',
  description: 'All three lists have the same page number. If the upstream refuses a search, other sources are tried; the last one is its suggestions, with at most four songs. Without hits the three lists are empty; if every source refuses the search, it fails. zhida is the singer or album that the words name exactly, or null. The upstream answers about one search for albums and singers a second; under load these two lists are short.',
  example: { key: 'paper', limit: 3 },
  probe: ({ songs }) => songs.map(({ title }) => ({ key: title, limit: 1 })),
  songs: ({ song }) => song.list.map(listedSong),
  total: ({ song }) => song.totalnum,
  input: GetSearchByKeyQuery,
  record: SearchResult,
  envelope: codeMsgData,
  cache: 'query',

  async run ({ key, limit, page, catZhida }, context) {
    const stretch = { offset: offsetFromOne(page, limit), count: limit }
    const songs = await searchFor('songs', key, stretch, context, stretch)
    const { zhida, albums, singers, by } = songs.first
    // Albums and singers supplement songs: without songs, a list that nobody could ask for must not look empty.
    const beside: Found = albums !== undefined && singers !== undefined
      ? { albums, singers }
      : await optional(searchBeside(key, stretch, context, by), (error) =>
        songs.total > 0 && noteMissing(context, error, 'a search answers without albums and singers')) ?? {}
    return {
      keyword: key,
      song: listOf(songs, page),
      singer: listOf(beside.singers, page),
      album: listOf(beside.albums, page),
      ...(catZhida === 1 ? { zhida: zhida ?? namedLike(key, beside) } : {})
    }
  }
})

const none: Omit<TypedSearchResult, 'keyword' | 'type' | 'total' | 'skipped'> = {
  songs: [],
  albums: [],
  singers: [],
  playlists: [],
  mvs: [],
  lyrics: []
}

export const search = endpoint({
  method: 'GET',
  path: '/search',
  tag: 'search',
  summary: 'Search for songs, albums, singers, playlists, MVs or lyrics',
  summaryInChinese: '按关键词搜索一类内容（歌曲、专辑、歌手、歌单、MV 或歌词），分页',
  description: 'One kind, page by page; /getSearchByKey returns songs, albums and singers at once. The rows are in the list named after the type; the other lists are empty. Songs, playlists and MVs come from the site first, the other kinds from the provider\'s programs, which answer about one search a second. If all refuse, albums and singers are a few suggestions. Rows of lyric were seen from one program, for an account; other programs are tried in the same way. Without hits the list is empty; if every source refuses the search, it fails.',
  example: { key: 'paper', type: 'playlist', limit: 3 },
  // /getSearchByKey and /getMvByTag test the other types. These search texts have results everywhere.
  probe:
    () => [{ key: 'songs', type: 'playlist' as const, limit: 1 }, { key: 'the', type: 'lyric' as const, limit: 1 }],
  songs: ({ songs, lyrics }) => [...songs, ...lyrics.map(({ song }) => song)].map(listedSong),
  total: ({ total }) => total,
  input: SearchQuery,
  record: TypedSearchResult,
  envelope: codeMsgData,
  cache: 'query',

  async run ({ key, type, limit, page }, context) {
    const { total, skipped, rows } = await searchFor(`${type}s`, key, {
      offset: offsetFromOne(page, limit),
      count: limit
    }, context)
    return { keyword: key, type, total, skipped, ...none, [`${type}s`]: rows }
  }
})
