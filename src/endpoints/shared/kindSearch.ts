/** The search for one type of item, over the sources of searchChain.ts that support it. */
import type { FoundLyric, FoundPlaylist } from '../../../schemas/typedSearch.ts'
import type { Context } from '../../core/endpoint.ts'
import { publicCodes } from '../../upstream/protocol/codes.ts'
import { maybe, need, type Answer } from '../../upstream/reader/read.ts'
import type { ClassicCall, CompositeCall, Settled } from '../../upstream/calls.ts'
import { unescapeText } from '../../upstream/reader/text.ts'
import { needText, pictureOf, textOf } from './fields.ts'
import { readSentRows } from './pages.ts'
import {
  albumsOf, emptyFrom, fromProgram, joined, nothing, singersOf, suggestionsFor, unlessNothing, type AlbumsAndSingers,
  type CallsOf, type EmptySources, type Stretch
} from './searchChain.ts'
import { isPhone, pageSizes, programs, searchOfProgram, sitePlaylistSearch, type Program } from './searches.ts'
import { readFoundSong } from './searchRows.ts'
import {
  fetchPages, firstRowOf, isBlockedSlice, sliceOf, upstreamPages, type PageSlice, type UpstreamPage
} from './upstreamPages.ts'

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
