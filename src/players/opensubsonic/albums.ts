/**
 * Albums: by id with their songs, and lists of every type of the interface. An album of the catalogue has all its songs, an
 * album of the library only the liked ones.
 */
import { Type, type Static } from '@sinclair/typebox'
import { wordOf } from '../../../schemas/common.ts'
import type { Song } from '../../../schemas/song.ts'
import { InvalidInput } from '../../common/errors.ts'
import { getAlbumInfo } from '../../endpoints/music/getAlbumInfo.ts'
import { getNewDisks } from '../../endpoints/playlists/getNewDisks.ts'
import { inAlbumOrder } from '../../endpoints/shared/song.ts'
import type { Call } from '../call.ts'
import { readId, idOf } from './ids.ts'
import type { LibraryAlbum } from './library.ts'
import { id, count, offset, method, type MethodContext, type AnyMethod } from './method.ts'
import { albumOf, noAlbum, playable, songOf, foundAlbumOf, yearOf, albumFolderOf, type Fields } from './records.ts'
import { picturesOf, albumsOfSinger, nameOf } from './singers.ts'
import { rowsOf, shuffled } from './rows.ts'

/** Returns an album and its songs. Throws NOT_FOUND. */
export async function albumWithSongs (
  id: string,
  { call, library }: Pick<MethodContext, 'call' | 'library'>
): Promise<{ readonly album: Fields, readonly songs: readonly Fields[] }> {
  const { kind, own } = readId(id, 'al', 'la')
  if (kind === 'la') {
    const { album, songs } = await library.album(id)
    return { album: albumOf(album), songs: inAlbumOrder(songs).map((song) => songOf(song, library, { inLibrary: true })) }
  }
  const { albumName, singerName, publicTime, songs: rows } = await call(getAlbumInfo, { albummid: own })
  const songs = playable(rows)
  const [first] = songs
  const isNumbered = songs.some(({ track }) => track !== undefined)
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
    songs: songs.map((song, at) => songOf(song, library, isNumbered ? {} : { at: at + 1 }))
  }
}

const albumInfoInput = Type.Object({ id: id('an album') })

/** Returns text and pictures of an album. Throws NOT_FOUND. */
export async function aboutAlbum (id: string, call: Call): Promise<Fields> {
  const { own } = readId(id, 'al', 'la')
  if (own === noAlbum.mid) return {}
  const { desc, songs } = await call(getAlbumInfo, { albummid: own })
  return { notes: desc || undefined, ...await picturesOf(pictureOf(songs, own), 'album', call) }
}

/** Returns the id of the picture of an album. Its songs may have a better one than its MID. */
const pictureOf = ([first]: readonly Song[], own: string): string => first?.album.pmid || own

/** Maximum number of albums in one answer. */
const most = 500
/** Albums on a page of the endpoint for new albums. */
const pageAlbums = 100

const year = (): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: -10_000, maximum: 10_000, description: 'Year, for byYear. From the later to the earlier one reverses the order.' })

const albumListInput = Type.Object({
  type: wordOf(['random', 'newest', 'highest', 'frequent', 'recent', 'alphabeticalByName', 'alphabeticalByArtist', 'starred', 'byYear', 'byGenre'], {
    description:
      'newest: new albums of the provider. starred: the collected albums. All others: albums of the library, which are those of liked songs.'
  }),
  size: count(10),
  offset: offset(),
  fromYear: Type.Optional(year()),
  toYear: Type.Optional(year()),
  genre: Type.Optional(Type.String({ description: 'For byGenre. Genres are not known, so that the list is empty.' }))
})

/** Summary of both forms in the reference. */
const albumListSummary = 'Albums of the library; with newest, new albums of the provider; with starred, the collected albums.'
const albumListMissing = 'What was played often or lately, and ratings, are not known: highest, frequent and recent are the latest liked first. byGenre is empty. New albums do not say how many songs they have, nor how long they are.'

const byText = new Intl.Collator('zh', { numeric: true })

/** Returns the albums of a list. Throws RelayError. */
async function albumsOfList (
  input: Static<typeof albumListInput> & { size: number, offset: number },
  { call, library }: MethodContext
): Promise<Fields[]> {
  const { type, offset } = input
  const size = Math.min(input.size, most)
  if (type === 'newest') {
    const rows = await rowsOf(offset, size, pageAlbums, async (page) => {
      const { albums, skipped } = await call(getNewDisks, { limit: pageAlbums, page: page + 1 })
      return { rows: albums, skipped }
    })
    return rows.flatMap(({ albumMID, albumName, singerName, publicTime }) => {
      const id = idOf('al', albumMID)
      return id === undefined
        ? []
        : [albumOf({ id, name: albumName, picture: albumMID, singers: singerName.split('/').map((name) => ({ mid: '', name })), day: publicTime })]
    })
  }
  if (type === 'starred') return (await library.favourites.albums()).flatMap((album) => foundAlbumOf(album, album.time)).slice(offset, offset + size)
  const { albums } = await library.index()
  return ordered(albums, input).slice(offset, offset + size).map(albumOf)
}

function ordered (albums: readonly LibraryAlbum[], { type, fromYear, toYear }: Static<typeof albumListInput>): readonly LibraryAlbum[] {
  const singer = ({ singers }: LibraryAlbum): string => singers[0]?.name ?? ''
  switch (type) {
    case 'alphabeticalByName': return [...albums].sort((a, b) => byText.compare(a.name, b.name))
    case 'alphabeticalByArtist': return [...albums].sort((a, b) => byText.compare(singer(a), singer(b)) || byText.compare(a.name, b.name))
    case 'random': return shuffled(albums)
    case 'byGenre': return []
    case 'byYear': {
      if (fromYear === undefined || toYear === undefined) {
        throw new InvalidInput(`${fromYear === undefined ? 'fromYear' : 'toYear'}: is required with type=byYear.`, 'missing')
      }
      const [low, high] = [Math.min(fromYear, toYear), Math.max(fromYear, toYear)]
      const within = albums.filter(({ day }) => {
        const year = yearOf(day)
        return year !== undefined && year >= low && year <= high
      })
      const sorted = within.sort((a, b) => a.day.localeCompare(b.day))
      return fromYear > toYear ? sorted.reverse() : sorted
    }
    default: return albums
  }
}

/** The methods of albums. */
export const albumMethods = {
  getAlbum: method({
    summary: 'An album with its songs. Albums of the library have only the liked songs; the whole album is in the list of its singer, and in search.',
    input: Type.Object({ id: id('an album') }),

    async run ({ id }, context) {
      const { album, songs } = await albumWithSongs(id, context)
      return { album: { ...album, song: songs } }
    }
  }),
  getAlbumInfo: method({
    summary: 'About an album: text and pictures, for clients that browse folders.',
    input: albumInfoInput,
    run: async ({ id }, { call }) => ({ albumInfo: await aboutAlbum(id, call) })
  }),
  getAlbumInfo2: method({
    summary: 'About an album: text and pictures.',
    input: albumInfoInput,
    run: async ({ id }, { call }) => ({ albumInfo: await aboutAlbum(id, call) })
  }),
  getAlbumList: method({
    summary: `${albumListSummary} For clients that browse folders.`,
    missing: albumListMissing,
    input: albumListInput,
    run: async (input, context) => ({ albumList: { album: (await albumsOfList(input, context)).map(albumFolderOf) } })
  }),
  getAlbumList2: method({
    summary: albumListSummary,
    missing: albumListMissing,
    input: albumListInput,
    run: async (input, context) => ({ albumList2: { album: await albumsOfList(input, context) } })
  }),
  getMusicDirectory: method({
    summary: 'A singer with the albums, or an album with its songs, for clients that browse folders.',
    input: Type.Object({ id: id('a singer or an album') }),

    async run ({ id }, context) {
      const { kind, own } = readId(id, 'ar', 'al', 'la')
      if (kind === 'ar') {
        const [name, albums] = await Promise.all([nameOf(own, context.call), albumsOfSinger(own, context.call)])
        return { directory: { id, name, child: albums.map(albumFolderOf) } }
      }
      const { album: { name, artistId }, songs } = await albumWithSongs(id, context)
      return { directory: { id, parent: artistId, name, child: songs } }
    }
  })
} satisfies Readonly<Record<string, AnyMethod>>

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
