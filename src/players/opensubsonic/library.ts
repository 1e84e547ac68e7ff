/**
 * The library of an account: its liked songs, their albums and singers, and what it collected or follows. Songs are
 * read by page. For albums and singers an index is cached, which contains the places of an album's songs.
 */
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Song } from '../../../schemas/song.ts'
import type { LikedSongs } from '../../../schemas/user.ts'
import { RelayError } from '../../common/errors.ts'
import { defaultAccount } from '../../relay/accountBook.ts'
import { authorize, type Identity } from '../../relay/identity.ts'
import type { Runtime } from '../../relay/runtime.ts'
import {
  getUserCollectedAlbums, getUserCollectedPlaylists, getUserFollowedSingers
} from '../../endpoints/user/collected.ts'
import { getUserLikedSongs } from '../../endpoints/user/ownLists.ts'
import type { Call } from '../call.ts'
import { idOf } from './ids.ts'
import { noAlbum, playable, type AlbumFacts, type Singer } from './records.ts'
import { mayUseLogin } from './users.ts'

const pageSongs = 100
/** The last page that the endpoint has. */
const lastPage = 1000
/** Maximum number of liked songs whose albums are known: two hundred pages, which is a multiple of `pagesAtOnce`. */
const mostIndexed = 20_000
const pagesAtOnce = 5
/** Albums and singers in all indexes together, some 300 bytes each. `midsOfRow` MIDs of songs count as one. */
const mostRows = 100_000
const midsOfRow = 3
/** How long an index is fresh, in milliseconds. Afterwards it is revalidated in the background. */
const freshMs = 600_000
/** Songs of a library that is read before a player asks for it: one round of pages. */
const smallLibrary = pagesAtOnce * pageSongs
/** Age in ms before an unknown id has the index read again: made-up ids would cause a loop of reads. */
const trustedMs = 10_000

/** The liked songs change rarely, and clients ask page by page: cached per account like other lists. */
const likedPage = { ...getUserLikedSongs, cache: 'lively' as const }

/** Collected or followed rows of each kind, which is ten pages, and rows on a page of the endpoints. */
export const mostFavourites = 1000
const pageRows = 100

/** Players request these repeatedly, so they are cached per account. */
const playlistsPage = { ...getUserCollectedPlaylists, cache: 'lively' as const }
const albumsPage = { ...getUserCollectedAlbums, cache: 'lively' as const }
const singersPage = { ...getUserFollowedSingers, cache: 'lively' as const }

type Favourites = ReturnType<typeof favouritesOf>

const noFavourites: Favourites = { playlists: async () => [], albums: async () => [], singers: async () => [] }

/** Each function returns at most `mostFavourites` rows, in the provider's order. */
const favouritesOf = (call: Call) => ({
  playlists: async () => await allRows(async (page) => await call(playlistsPage, page), ({ playlists }) => playlists),
  albums: async () => await allRows(async (page) => await call(albumsPage, page), ({ albums }) => albums),
  singers: async () => await allRows(async (page) => await call(singersPage, page), ({ singers }) => singers)
})

async function allRows<P extends { readonly hasMore: boolean }, T> (
  pageOf: (page: { offset: number, limit: number }) => Promise<P>,
  rowsOf: (page: P) => readonly T[]
): Promise<T[]> {
  const rows: T[] = []
  for (let offset = 0; offset < mostFavourites; offset += pageRows) {
    const page = await pageOf({ offset, limit: pageRows })
    rows.push(...rowsOf(page))
    if (!page.hasMore) break
  }
  return rows
}

/** An album of the library. `at`: places of its songs among the liked songs. */
export interface LibraryAlbum extends AlbumFacts { readonly at: readonly number[] }

/** Albums and singers of a library, the latest liked first. `liked`: MIDs of its songs. */
export interface Index {
  readonly albums: readonly LibraryAlbum[]
  readonly byId: ReadonlyMap<string, LibraryAlbum>
  readonly singers: readonly (Singer & { readonly albums: number })[]
  readonly liked: ReadonlySet<string>
  /** Number of liked songs as the provider counts them: with those that are deleted or cannot be read. */
  readonly total: number
  /** When reading began, on the clock of the relay. */
  readonly since: number
}

/** The library of a user; empty without a login. `isLiked` knows the index while one is in memory. */
export interface Library {
  readonly isLiked: (mid: string) => boolean
  /** Returns number and length of the liked songs that can be played. Without a current index in memory: of all. */
  length (): Promise<{ readonly songCount: number, readonly seconds?: number }>
  /** Returns the number of albums of each singer of the index in memory, by MID. */
  albumCounts (): ReadonlyMap<string, number>
  /** Reads the index of a small library, so that `isLiked` knows its songs. Throws RelayError. */
  know (): Promise<void>
  readonly favourites: Favourites
  /** Returns a number that changes with the index in memory. */
  version (): number
  /** Returns liked songs from a place on, the latest first. */
  songs (from: number, count: number): Promise<readonly Song[]>
  total (): Promise<number>
  index (): Promise<Index>
  /** Returns an album of the index with its songs. Throws NOT_FOUND. */
  album (id: string): Promise<{ readonly album: LibraryAlbum, readonly songs: readonly Song[] }>
}

const empty: Index = { albums: [], byId: new Map(), singers: [], liked: new Set(), total: 0, since: 0 }
const nothing: Library = {
  favourites: noFavourites,
  isLiked: () => false,
  know: async () => {},
  albumCounts: () => new Map(),
  length: async () => ({ songCount: 0 }),
  version: () => 0,
  songs: async () => [],
  total: async () => 0,
  index: async () => empty,
  album: async () => notThere()
}

/**
 * Returns a function that returns the library of an identity. `call` calls endpoints on its behalf, `shared` those for
 * whose answers others may wait.
 */
export function createLibraries (
  { answers: { accountName }, now }: Pick<Runtime, 'answers' | 'now'>
): (identity: Identity, call: Call, shared: Call) => Library {
  const indexes = new LRUCache<string, Index, Call>({
    max: 1000,
    maxSize: mostRows,
    sizeCalculation: ({ albums, singers, liked }) =>
      1 + albums.length + singers.length + Math.ceil(liked.size / midsOfRow),
    ttl: freshMs,
    perf: { now },
    allowStale: true,
    noDeleteOnFetchRejection: true,
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _old, { context }) => await indexOf(context, now())
  })

  return (identity, call, shared) => {
    const { credential, account = defaultAccount } = identity
    if (credential === undefined) return nothing
    const key = accountName(account, credential)
    const index = async (): Promise<Index> => {
      // The index also contains data that another key of the account may see.
      authorize(getUserLikedSongs, identity)
      return await indexes.forceFetch(key, { context: shared })
    }
    /** Returns an index read after `old`, or `old` while it is fresh. Concurrent calls wait for the same one. */
    const indexAfter = async (old: Index): Promise<Index> => {
      const latest = indexes.peek(key)
      if (latest !== undefined && latest !== old) return latest
      return now() - old.since < trustedMs ? old
        : await indexes.forceFetch(key, { context: shared, forceRefresh: true, allowStale: false })
    }
    const songsAt = async (album: LibraryAlbum): Promise<readonly Song[]> => {
      const pages = await pagesOf(call, album.at.map((place) => Math.floor(place / pageSongs)))
      return [...new Set(album.at)].flatMap((place) =>
        pages.get(Math.floor(place / pageSongs))?.songs[place % pageSongs] ?? []
      ).filter((song) => libraryIdOf(song) === album.id)
    }
    return {
      favourites: favouritesOf(call),
      isLiked: (mid) => mayUseLogin(identity) && indexes.peek(key)?.liked.has(mid) === true,
      async know () {
        if (mayUseLogin(identity) && !indexes.has(key) && (await pageOf(shared, 0)).total <= smallLibrary) await index()
      },
      async length () {
        const { total } = await pageOf(call, 0)
        const known = indexes.peek(key)
        if (known?.total !== total || total > mostIndexed) return { songCount: total }
        const { albums } = known
        return {
          songCount: albums.reduce((sum, { at }) => sum + at.length, 0),
          seconds: albums.reduce((sum, { seconds = 0 }) => sum + seconds, 0)
        }
      },
      albumCounts: () => new Map(indexes.peek(key)?.singers.map(({ mid, albums }) => [mid, albums])),
      version: () => indexes.peek(key)?.since ?? 0,
      async songs (from, count) {
        const first = Math.floor(from / pageSongs)
        const numbers = Array.from({ length: Math.ceil((from + count) / pageSongs) - first }, (_, at) => first + at)
        const pages = await pagesOf(call, numbers)
        // Neither unreadable nor deleted songs, which are left out, may shift the songs of later pages.
        return [...pages].flatMap(([page, { songs }]) =>
          playable(songs.filter((_song, at) => isWithin(page * pageSongs + at, from, count)))
        )
      },
      total: async () => (await pageOf(call, 0)).total,
      index,
      async album (id) {
        const known = await index()
        const album = known.byId.get(id)
        const songs = album === undefined ? [] : await songsAt(album)
        if (album !== undefined && songs.length > 0) return { album, songs }
        // The library may have changed meanwhile.
        const changed = (await indexAfter(known)).byId.get(id) ?? notThere()
        return { album: changed, songs: await songsAt(changed) }
      }
    }
  }
}

const isWithin = (place: number, from: number, count: number): boolean => place >= from && place < from + count

function notThere (): never {
  throw new RelayError('NOT_FOUND', 'id: no liked song of this account is on this album.')
}

const pageOf = async (call: Call, page: number): Promise<LikedSongs> =>
  await call(likedPage, { offset: page * pageSongs, limit: pageSongs })

/** Returns pages by their number. `pages` are ascending and may repeat. Pages after the end are left out. */
async function pagesOf (call: Call, pages: readonly number[]): Promise<ReadonlyMap<number, LikedSongs>> {
  const [first, ...rest] = new Set(pages.filter((page) => page <= lastPage))
  if (first === undefined) return new Map()
  const start = await pageOf(call, first)
  const atOnce = pLimit(pagesAtOnce)
  const others =
    await Promise.all(rest.filter((page) => page * pageSongs < start.total).map(async (page) =>
      [page, await atOnce(pageOf, call, page)] as const
    ))
  return new Map([[first, start], ...others])
}

/** Reads all pages and stores the fields of the index. `since`: the current time. */
async function indexOf (call: Call, since: number): Promise<Index> {
  const albums = new Map<string, LibraryAlbum & { at: number[], songCount: number, seconds: number }>()
  const singers = new Map<string, Singer & { albums: number }>()
  const liked = new Set<string>()
  let total = Infinity
  for (let begin = 0; begin * pageSongs < Math.min(total, mostIndexed); begin += pagesAtOnce) {
    const numbers = Array.from({ length: pagesAtOnce }, (_, at) => begin + at)
    for (const [page, { songs, total: now }] of await pagesOf(call, numbers)) {
      total = now
      for (const [at, song] of songs.entries()) if (playable([song]).length > 0) add(song, page * pageSongs + at)
    }
  }
  return { albums: [...albums.values()], byId: albums, singers: [...singers.values()], liked, total, since }

  function add (song: Song, place: number): void {
    const id = libraryIdOf(song)
    liked.add(song.mid)
    const known = albums.get(id)
    if (known !== undefined) {
      known.at.push(place)
      known.songCount++
      known.seconds += song.interval
      return
    }
    const { album, singer, interval, time_public: day } = song
    const isAlbum = album.mid !== ''
    const main = singer[0]
    albums.set(id, {
      id,
      name: isAlbum ? album.name : noAlbum.name,
      picture: album.mid || album.pmid,
      singers: isAlbum && main !== undefined ? [{ mid: main.mid, name: main.name }] : [],
      day: isAlbum ? day : '',
      songCount: 1,
      seconds: interval,
      at: [place]
    })
    if (!isAlbum || main === undefined || main.mid === '') return
    const listed = singers.get(main.mid) ?? { mid: main.mid, name: main.name, albums: 0 }
    listed.albums++
    singers.set(main.mid, listed)
  }
}

const libraryIdOf = ({ album }: Song): string => idOf('la', album.mid) ?? `la-${noAlbum.mid}`

// @mutate OpenSubsonic: opensubsonic opensubsonic-users opensubsonic-library
