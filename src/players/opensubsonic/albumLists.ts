/** Lists of albums, of every type of the interface, including random order. */
import { Type, type Static } from '@sinclair/typebox'
import { wordOf } from '../../../schemas/common.ts'
import { InvalidInput } from '../../common/errors.ts'
import { getNewDisks } from '../../endpoints/playlists/getNewDisks.ts'
import { idOf } from './ids.ts'
import type { LibraryAlbum } from './library.ts'
import { count, offset, type MethodContext } from './method.ts'
import { albumOf, foundAlbumOf, yearOf, type Fields } from './records.ts'
import { rowsOf } from './songs.ts'

/** Maximum number of albums in one answer. */
const most = 500
/** Albums on a page of the endpoint for new albums. */
const pageAlbums = 100

const year = (): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: -10_000, maximum: 10_000, description: 'Year, for byYear. From the later to the earlier one reverses the order.' })

export const albumListInput = Type.Object({
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
export const albumListSummary = 'Albums of the library; with newest, new albums of the provider; with starred, the collected albums.'
export const albumListMissing = 'What was played often or lately, and ratings, are not known: highest, frequent and recent are the latest liked first. byGenre is empty. New albums do not say how many songs they have, nor how long they are.'

const byText = new Intl.Collator('zh', { numeric: true })

/** Returns the albums of a list. Throws RelayError. */
export async function albumsOfList (
  input: Static<typeof albumListInput> & { size: number, offset: number },
  { call, library }: MethodContext
): Promise<Fields[]> {
  const { type, offset } = input
  const size = Math.min(input.size, most)
  if (type === 'newest') {
    const rows = await rowsOf(offset, size, pageAlbums, async (page) => (await call(getNewDisks, { limit: pageAlbums, page: page + 1 })).albums)
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

/** Returns a random whole number from 0 to `last`. */
export const upTo = (last: number): number => Math.floor(Math.random() * (last + 1))

/** Returns the same rows in random order. */
export function shuffled<T> (rows: readonly T[]): T[] {
  const mixed = [...rows]
  for (const at of mixed.keys()) {
    const other = upTo(at);
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T]
  }
  return mixed
}

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods opensubsonic-library
