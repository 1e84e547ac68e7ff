/** The search for one type of item, over the sources of chain.ts that support it. */
import type { Mv } from '../../../schemas/mv.ts'
import type { FoundLyric, FoundPlaylist } from '../../../schemas/typedSearch.ts'
import {
  isUnknown, maybe, need, needText, optional, pictureOf, publicCodes, textOf, unescapeText, type Answer,
  type ClassicCall, type CompositeCall, type Context, type MusicuCall, type Settled, type UpstreamCall
} from '../kit.ts'
import { readMv, readPhoneMv } from '../mv/mvs.ts'
import { readFoundSong } from './found.ts'
import {
  readSentRows, fetchPages, firstRowOf, isBlockedSlice, sliceOf, upstreamPages, unlessBlockedPage, type PageSlice,
  type UpstreamPage
} from '../shared/pages.ts'
import {
  albumsOf, emptyFrom, fromProgram, joined, nothing, singersOf, suggestionsFor, unlessNothing, isPhone, pageSizes,
  programs, searchOfProgram, sitePlaylistSearch, siteSearch, type AlbumsAndSingers, type CallsOf, type EmptySources,
  type Stretch, type Program
} from './chain.ts'

/** A type of item. `site`: the search of the site, if it has a working one. `suggested`: the rows among the suggestions. */
interface SearchKind<T> {
  readonly name: string
  readonly of: CallsOf<T>
  readonly site?: (key: string, page: UpstreamPage) => ClassicCall<PageSlice<T>>
  readonly suggested?: (found: AlbumsAndSingers) => PageSlice<T>
}

/** Reads rows of the site and of desktop programs, and of phone programs, which have other names (2026-09). */
const readPlaylist = (row: Answer): FoundPlaylist => ({
  dissid: need.id(row, 'dissid'),
  dissname: needText(row, 'dissname'),
  creator: textOf(row, 'creator.name', 'nickname'),
  listen_num: maybe.int(row, 'listennum') ?? 0,
  imgurl: pictureOf(row, 'imgurl', 'logo'),
  songnum: maybe.int(row, 'song_count', 'songnum') ?? 0
})

const playlistsOf: CallsOf<FoundPlaylist> = (program, key, { offset, count }) =>
  upstreamPages(offset, count, pageSizes.playlists).map((page) =>
    searchOfProgram(
      program,
      {
        name: 'search.playlists',
        search_type: 3,
        paths: isPhone(program) ? ['body.item_songlist'] : ['body.songlist.list'],
        read: readPlaylist,
        optionalFields: []
      },
      key,
      page
    )
  )

/** The site has a separate search for playlists, at another path. */
const sitePlaylists = (key: string, page: UpstreamPage): ClassicCall<PageSlice<FoundPlaylist>> => ({
  name: 'search.playlists.classic',
  request: sitePlaylistSearch(key, page),
  read: (answer) => sliceOf(readSentRows(answer, ['data.list'], maybe.int(answer, 'data.sum'), readPlaylist), page)
})

/** Hits of lyrics are songs with the text around the hit. The shape for desktop programs is assumed from the phone program's (2026-07). */
const readLyric = (row: Answer): FoundLyric => ({
  song: readFoundSong(row),
  text: unescapeText(maybe.text(row, 'content') ?? '').replaceAll(/\\n|\n/g, ' ').trim()
})

const lyricsOf: CallsOf<FoundLyric> = (program, key, { offset, count }) =>
  upstreamPages(offset, count, pageSizes.lyrics).map((page) =>
    searchOfProgram(
      program,
      {
        name: 'search.lyrics',
        search_type: 7,
        paths: isPhone(program) ? ['body.item_song'] : ['body.song.list'],
        read: readLyric,
        optionalFields: ['body.song.list[].pubtime', 'body.item_song[].pubtime']
      },
      key,
      page
    )
  )

/** Finds items of one type. */
type Find<T> = (key: string, stretch: Stretch, context: Context) => Promise<Pick<PageSlice<T>, 'rows' | 'total'>>

/** The search function of each type. */
export const findKind = {
  album: finderOf({ name: 'search.albums', of: albumsOf, suggested: ({ albums }) => albums }),
  singer: finderOf({ name: 'search.singers', of: singersOf, suggested: ({ singers }) => singers }),
  playlist: finderOf({ name: 'search.playlists', of: playlistsOf, site: sitePlaylists }),
  lyric: finderOf({ name: 'search.lyrics', of: lyricsOf })
} as const

/** One POST to a program for all rows of the stretch. */
function programPage<T> (
  { name, of }: SearchKind<T>,
  program: Program,
  key: string,
  stretch: Stretch,
  emptySources: EmptySources
): CompositeCall<PageSlice<T>> {
  return fromProgram(name, program, of(program, key, stretch), (settled) => {
    const found = joined(settled as Settled<PageSlice<T>>[])
    return isBlockedSlice(found, stretch.offset) ? undefined : found
  }, emptySources)
}

function fromSite<T> (call: ClassicCall<PageSlice<T>>, page: UpstreamPage, emptySources: EmptySources): ClassicCall<PageSlice<T>> {
  return {
    ...call,
    codes: publicCodes,
    emptyCounts: true,
    read (answer) {
      const found = call.read(answer)
      if (isBlockedSlice(found, firstRowOf(page))) throw emptyFrom(call.name, emptySources)
      return found
    }
  }
}

/** Finds the items of one page. The site is asked, too, if `page` says which of its pages that is. */
async function findPage<T> (
  kind: SearchKind<T>,
  key: string,
  stretch: Stretch,
  page: UpstreamPage | undefined,
  { upstream, cacheAtMost }: Context
): Promise<PageSlice<T>> {
  const { site, suggested } = kind
  const emptySources: EmptySources = new Set()
  const suggestions = suggested === undefined ? [] : suggestionsFor(key, stretch, emptySources).map((call) => ({
    ...call,
    read (answer: Answer) {
      const found = suggested(call.read(answer))
      cacheAtMost('brief')
      return found
    }
  }))
  return await unlessNothing(upstream.firstOf<PageSlice<T>>([
    ...site === undefined || page === undefined ? [] : [fromSite(site(key, page), page, emptySources)],
    ...programs.map((program) => programPage(kind, program, key, stretch, emptySources)),
    ...suggestions
  ]), emptySources, upstream) ?? nothing
}

/**
 * Returns the search function of a type. An empty result is accepted as in a search for songs
 * (docs/decisions/0008-empty-searches.md). The pages of programs are sent in one POST, the site's pages one after the other.
 */
function finderOf<T> (kind: SearchKind<T>): Find<T> {
  if (kind.site === undefined) return async (key, stretch, context) => await findPage(kind, key, stretch, undefined, context)
  return async (key, { offset, count }, context) =>
    await fetchPages(upstreamPages(offset, count), async (page) =>
      await findPage(kind, key, { offset: firstRowOf(page) + page.from, count: page.to - page.from }, page, context))
}

// The search for MVs: the site's search, then the programs.

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
