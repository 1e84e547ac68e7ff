/** Items that players show with a heart: liked songs, collected albums, followed singers. */
import type { MethodContext } from './method.ts'
import { noteMissing } from './failures.ts'
import { mostFavourites } from './favourites.ts'
import { foundAlbumOf, singerOf, songOf, starredAt, type Fields } from './records.ts'

/** Maximum number of songs in one answer. The interface has no pages here. */
const most = 10_000

/** Summary of both forms in the reference. */
export const starredSummary = `The liked songs, the latest first, at most ${most.toLocaleString('en')}; the collected albums and the followed singers, at most ${mostFavourites.toLocaleString('en')} of each.`
export const starredMissing = 'When a song was liked is not known: its day of publication stands in. When a singer was followed is not known either: 1970. Albums and singers are left out while the provider does not give them.'

interface Starred { readonly artist: readonly Fields[], readonly album: readonly Fields[], readonly song: readonly Fields[] }

/** Returns singers, albums and songs. Throws RelayError. */
export async function starredOf ({ library, log }: Pick<MethodContext, 'library' | 'log'>): Promise<Starred> {
  const orNone = async <T>(rows: Promise<readonly T[]>): Promise<readonly T[]> => await rows.catch((error: unknown) => {
    noteMissing(error, log, 'a part of what is starred is missing')
    return []
  })
  const [songs, albums, singers] = await Promise.all([library.songs(0, most), orNone(library.favourites.albums()), orNone(library.favourites.singers())])
  return {
    artist: singers.map(({ singerMID: mid, singerName: name }) => ({ ...singerOf({ mid, name }), starred: starredAt(0) })),
    album: albums.flatMap((album) => foundAlbumOf(album, album.time)),
    song: songs.map((song) => songOf(song, library, { inLibrary: true }))
  }
}

// @mutate OpenSubsonic: opensubsonic
