/** Playlists, albums and singers that an account collected or follows. Liked songs are in library.ts. */
import type { CollectedAlbum, CollectedPlaylist, FollowedSinger } from '../../../schemas/user.ts'
import { getUserCollectedAlbums } from '../../endpoints/user/getUserCollectedAlbums.ts'
import { getUserCollectedPlaylists } from '../../endpoints/user/getUserCollectedPlaylists.ts'
import { getUserFollowedSingers } from '../../endpoints/user/getUserFollowedSingers.ts'
import type { Call } from '../call.ts'

/** Maximum number of listed rows of each kind, which is ten pages. Rows on a page of the endpoints. */
export const mostFavourites = 1000
const pageRows = 100

/** Players request these repeatedly, so they are cached per account. */
const playlistsPage = { ...getUserCollectedPlaylists, cache: 'lively' as const }
const albumsPage = { ...getUserCollectedAlbums, cache: 'lively' as const }
const singersPage = { ...getUserFollowedSingers, cache: 'lively' as const }

/** Each function returns at most `mostFavourites` rows, in the provider's order. */
export interface Favourites {
  playlists (): Promise<readonly CollectedPlaylist[]>
  albums (): Promise<readonly CollectedAlbum[]>
  singers (): Promise<readonly FollowedSinger[]>
}

/** The favourites without a login: none. */
export const noFavourites: Favourites = { playlists: async () => [], albums: async () => [], singers: async () => [] }

/** Returns the favourites of the account of `call`. */
export const favouritesOf = (call: Call): Favourites => ({
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

// @mutate OpenSubsonic: opensubsonic
