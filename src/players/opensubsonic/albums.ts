/** Albums by id, with their songs. An album of the catalogue has all its songs, an album of the library only the liked ones. */
import { Type } from '@sinclair/typebox'
import { getAlbumInfo } from '../../endpoints/music/getAlbumInfo.ts'
import type { Song } from '../../../schemas/song.ts'
import type { Call } from '../call.ts'
import { readId } from './ids.ts'
import { id, type MethodContext } from './method.ts'
import { albumOf, noAlbum, songOf, type Fields } from './records.ts'
import { picturesOf } from './singers.ts'

/** Returns an album and its songs. Throws NOT_FOUND. */
export async function albumWithSongs (
  id: string,
  { call, library }: Pick<MethodContext, 'call' | 'library'>
): Promise<{ readonly album: Fields, readonly songs: readonly Fields[] }> {
  const { kind, own } = readId(id, 'al', 'la')
  if (kind === 'la') {
    const { album, songs } = await library.album(id)
    return { album: albumOf(album), songs: songs.map((song) => songOf(song, library, { inLibrary: true })) }
  }
  const { albumName, singerName, publicTime, songs } = await call(getAlbumInfo, { albummid: own })
  const [first] = songs
  const singers = singerName === '' ? [] : singerName.split('/').map((name) => ({ mid: first?.singer.find((each) => each.name === name)?.mid ?? '', name }))
  return {
    album: albumOf({
      id,
      name: albumName,
      picture: pictureOf(songs, own),
      singers,
      day: publicTime,
      songCount: songs.length,
      seconds: songs.reduce((sum, { interval }) => sum + interval, 0)
    }),
    songs: songs.map((song, at) => songOf(song, library, { track: at + 1 }))
  }
}

export const albumInfoInput = Type.Object({ id: id('an album') })

/** Returns text and pictures of an album. Throws NOT_FOUND. */
export async function aboutAlbum (id: string, call: Call): Promise<Fields> {
  const { own } = readId(id, 'al', 'la')
  if (own === noAlbum.mid) return {}
  const { desc, songs } = await call(getAlbumInfo, { albummid: own })
  return { notes: desc || undefined, ...await picturesOf(pictureOf(songs, own), 'album', call) }
}

/** Returns the id of the picture of an album. Its songs may have a better one than its MID. */
const pictureOf = ([first]: readonly Song[], own: string): string => first?.album.pmid || own

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods opensubsonic-library
