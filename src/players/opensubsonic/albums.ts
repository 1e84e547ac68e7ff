/** Albums by id, and lists of every type. An album of the library has only its liked songs, others have all. */
import { Type, type Static } from '@sinclair/typebox'
import { wordOf } from '../../../schemas/common.ts'
import { InvalidInput } from '../../common/errors.ts'
import { getAlbumInfo } from '../../endpoints/music/getAlbumInfo.ts'
import { getNewDisks } from '../../endpoints/discover/getRecommend.ts'
import { inAlbumOrder } from '../../endpoints/shared/song.ts'
import type { Call } from '../call.ts'
import { readId, idOf } from './ids.ts'
import type { LibraryAlbum } from './library.ts'
import { id, count, offset, method, type MethodContext, type AnyMethod } from './method.ts'
import { albumOf, noAlbum, foundAlbumOf, yearOf, albumFolderOf, type AlbumFacts, type Fields } from './records.ts'
import { albumFactsOf } from './shelf.ts'
import { picturesOf, albumsOfSinger, byName, nameOf } from './singers.ts'
import { shuffled } from './songRows.ts'

/** Returns an album and its songs. Throws NOT_FOUND. */
export async function albumWithSongs (
  id: string,
  { call, library, records }: Pick<MethodContext, 'call' | 'library' | 'records'>
): Promise<{ readonly album: Fields, readonly songs: readonly Fields[] }> {
  const { kind, own } = readId(id, 'al', 'la')
  if (kind === 'la') {
    const { album, songs } = await library.album(id)
    return { album: albumOf(album, records.began), songs: await records.songs(inAlbumOrder(songs), true) }
  }
  const info = await call(getAlbumInfo, { albummid: own })
  return { album: albumOf(albumFactsOf(id, info), records.began), songs: await records.songs(info.songs) }
}

const albumInfoInput = Type.Object({ id: id('an album') })

async function aboutAlbum (id: string, call: Call): Promise<Fields> {
  const { own } = readId(id, 'al', 'la')
  if (own === noAlbum.mid) return {}
  const { desc } = await call(getAlbumInfo, { albummid: own })
  return { notes: desc || undefined, ...await picturesOf(own, 'album', call) }
}

const most = 500
const pageAlbums = 100

const year = (): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: -10_000, maximum: 10_000, description: 'Year, for byYear. From the later to the earlier one reverses the order.' })

const albumListInput = Type.Object({
  type: wordOf(['random', 'newest', 'highest', 'frequent', 'recent', 'alphabeticalByName', 'alphabeticalByArtist', 'starred', 'byYear', 'byGenre'], {
    description:
      'starred: the collected albums. byGenre: what getGenres lists. All others: albums of the library, which are those of liked songs.'
  }),
  size: count(10),
  offset: offset(),
  fromYear: Type.Optional(year()),
  toYear: Type.Optional(year()),
  genre: Type.Optional(Type.String({ maxLength: 200, description: 'For byGenre: a name of getGenres.' }))
})

const albumListSummary = 'Albums of the library; with starred, the collected albums. The header x-total-count says how many there are.'
const albumListMissing = 'What was played often or lately, and ratings, are not known: newest, highest, frequent and recent are the latest liked first. The new albums of the provider are a genre.'

async function albumsOfList (
  input: Static<typeof albumListInput> & { size: number, offset: number },
  { call, library, records, count }: MethodContext
): Promise<Fields[]> {
  const { type, offset, genre } = input
  if (type === 'byGenre' && genre === undefined) throw new InvalidInput('genre: is required with type=byGenre.', 'missing')
  const facts: readonly AlbumFacts[] = type === 'starred'
    ? (await library.favourites.albums()).flatMap((album) => foundAlbumOf(album, album.time))
    : type !== 'byGenre'
    ? ordered((await library.index()).albums, input)
    : genre === newAlbumsName
    ? await newAlbums(call)
    : []
  count(facts.length)
  return await records.albums(facts.slice(offset, offset + Math.min(input.size, most)))
}

/** Name of the genre that has the new albums of the provider. */
export const newAlbumsName = '新专辑 New albums'

export async function newAlbums (call: Call): Promise<AlbumFacts[]> {
  const { albums } = await call(getNewDisks, { limit: pageAlbums, page: 1 })
  return albums.flatMap(({ albumMID, albumName, singerName, publicTime }) => {
    const id = idOf('al', albumMID)
    const singers = singerName.split('/').map((name) => ({ mid: '', name }))
    return id === undefined ? [] : [{ id, name: albumName, picture: albumMID, singers, day: publicTime }]
  })
}

function ordered (
  albums: readonly LibraryAlbum[],
  { type, fromYear, toYear }: Static<typeof albumListInput>
): readonly LibraryAlbum[] {
  const singer = ({ singers }: LibraryAlbum): string => singers[0]?.name ?? ''
  switch (type) {
    case 'alphabeticalByName': return [...albums].sort((a, b) => byName.compare(a.name, b.name))
    case 'alphabeticalByArtist':
      return [...albums].sort((a, b) => byName.compare(singer(a), singer(b)) || byName.compare(a.name, b.name))
    case 'random': return shuffled(albums)
    case 'byYear': {
      if (fromYear === undefined || toYear === undefined) {
        throw new InvalidInput(`${fromYear === undefined ? 'fromYear' : 'toYear'}: is required with type=byYear.`, 'missing')
      }
      const [low, high] = [Math.min(fromYear, toYear), Math.max(fromYear, toYear)]
      const within = albums.filter(({ day }) => {
        const year = yearOf(day)
        return year !== undefined && year >= low && year <= high
      })
      const sorted = within.sort((a, b) => a.day < b.day ? -1 : Number(a.day > b.day))
      return fromYear > toYear ? sorted.reverse() : sorted
    }
    default: return albums
  }
}

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
    // Clients that read all lists of albums alike need name and number of songs, which only the other list has.
    async run (input, context) {
      const albums = await albumsOfList(input, context)
      return {
        albumList: {
          album: albums.map((album) => ({
            ...albumFolderOf(album),
            name: album['name'],
            songCount: album['songCount']
          }))
        }
      }
    }
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
        const [name, albums] = await Promise.all([nameOf(own, context.call), albumsOfSinger(own, context)])
        return { directory: { id, name, child: albums.map(albumFolderOf) } }
      }
      const { album: { name, artistId }, songs } = await albumWithSongs(id, context)
      return { directory: { id, parent: artistId, name, child: songs } }
    }
  })
} satisfies Readonly<Record<string, AnyMethod>>

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
