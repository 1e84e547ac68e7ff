/** Songs: one by its id, recommended, random, starred and similar ones, and the most popular ones of a singer. */
import { Type } from '@sinclair/typebox'
import type { Song } from '../../../schemas/song.ts'
import { RelayError } from '../../common/errors.ts'
import { uniqueBy } from '../../endpoints/shared/rows.ts'
import { getAlbumInfo } from '../../endpoints/music/getAlbumInfo.ts'
import { getSimilarSongs, getSongInfo } from '../../endpoints/music/songInfo.ts'
import { getSmartbox } from '../../endpoints/search/suggestions.ts'
import { getSimilarSinger } from '../../endpoints/singers/about.ts'
import { getSingerHotsong } from '../../endpoints/singers/works.ts'
import type { Call } from '../call.ts'
import { isTolerable, noteMissing } from './subsonicErrors.ts'
import { newAlbums, newAlbumsName } from './albums.ts'
import { readId, readIdOf } from './ids.ts'
import { mostFavourites } from './library.ts'
import { count, id, method, noInput, offset, type AnyMethod, type MethodContext } from './method.ts'
import { listNames, songsOfList, usualSongs } from './playlists.ts'
import { noAlbum, playable, foundAlbumOf, singerOf, albumFolderOf, type Fields, type Singer } from './records.ts'
import { shuffled, upTo } from './songRows.ts'
import { mayUseLogin } from './users.ts'

/** Recommendations take the place of genres and random songs: two kinds, with their usual number of songs. */
export const recommendations = (['daily', 'radar'] as const).map((list) => ({
  list,
  name: listNames[list],
  songs: usualSongs[list]
}))

/** Returns the songs of one kind, or of both. Empty without a login. */
async function recommendedTo ({ user, call, library }: MethodContext, genre?: string): Promise<readonly Song[]> {
  if (user.identity.credential === undefined) return []
  const kinds = recommendations.filter(({ name }) => genre === undefined || name === genre)
  const found = await Promise.all(kinds.map(async ({ list }) => await songsOfList(list, { call, library })))
  const byMid = new Map(playable(found.flat()).map((song) => [song.mid, song]))
  return [...byMid.values()]
}

const similarInput = Type.Object({ id: id('a song, an album or a singer'), count: count(50) })

/** Number of similar singers, and of songs of each. */
const mostSingers = 5
const songsOfEach = 20

async function similarTo (
  { id, count }: { readonly id: string, readonly count: number },
  { call, records }: Pick<MethodContext, 'call' | 'records'>
): Promise<Fields[]> {
  const { kind, own } = readId(id, 'so', 'al', 'la', 'ar')
  const songs = kind === 'ar' ? await likeSinger(own, call)
    : await likeSong(kind === 'so' ? own : await firstOf(own, call), call)
  return await records.songs(playable(songs).slice(0, count))
}

const likeSong = async (songmid: string | undefined, call: Call): Promise<readonly Song[]> =>
  songmid === undefined ? [] : (await call(getSimilarSongs, { songmid })).songs

const firstOf = async (albummid: string, call: Call): Promise<string | undefined> =>
  albummid === noAlbum.mid ? undefined : playable((await call(getAlbumInfo, { albummid })).songs)[0]?.mid

async function likeSinger (singermid: string, call: Call): Promise<readonly Song[]> {
  const { singers } = await call(getSimilarSinger, { singermid })
  const mids = [singermid, ...singers.slice(0, mostSingers).map(({ singerMID }) => singerMID)].filter((mid) =>
    mid !== ''
  )
  const found =
    await Promise.all(mids.map(async (mid) =>
      (await call(getSingerHotsong, { singermid: mid, limit: songsOfEach })).songList
    ))
  return shuffled(uniqueBy(found.flat(), ({ mid }) => mid))
}

/** Maximum number of starred songs in one answer. The interface has no pages here. */
const mostStarred = 10_000

const starredSummary = `The liked songs, the latest first, at most ${mostStarred.toLocaleString('en')}; the collected albums and the followed singers, at most ${mostFavourites.toLocaleString('en')} of each.`
const starredMissing = 'When a song was liked is not known: its day of publication stands in. When a singer was followed is not known either: the day on which the relay started stands in. Albums and singers are left out while the provider does not give them.'

interface Starred {
  readonly artist: readonly Fields[]
  readonly album: readonly Fields[]
  readonly song: readonly Fields[]
}

/** Returns what players show with a heart: followed singers, collected albums, liked songs. Throws RelayError. */
async function starredOf (
  { library, records, log, work }: Pick<MethodContext, 'library' | 'records' | 'log' | 'work'>
): Promise<Starred> {
  await work.alone()
  const orNone = async <T>(rows: Promise<readonly T[]>): Promise<readonly T[]> => await rows.catch((error: unknown) => {
    noteMissing(error, log, 'a part of what is starred is missing')
    return []
  })
  const [songs, albums, singers] = await Promise.all([
    library.songs(0, mostStarred),
    orNone(library.favourites.albums()),
    orNone(library.favourites.singers())
  ])
  const counts = library.albumCounts()
  return {
    artist: singers.map(({ singerMID: mid, singerName: name }) => ({
      ...singerOf({ mid, name }, counts.get(mid)),
      starred: records.began
    })),
    album: await records.albums(albums.flatMap((album) => foundAlbumOf(album, album.time))),
    song: await records.songs(songs, true)
  }
}

const mostRandom = 500
const mostTop = 100

/** Returns the MID of a singer. Undefined if none has this name. Of several singers the first counts. */
async function singerNamed (name: string, { call, library }: MethodContext): Promise<string | undefined> {
  const [first = ''] = name.split(' / ')
  if (first.trim() === '') return undefined
  const isMeant = (singer: { readonly name: string }): boolean => singer.name.toLowerCase() === first.toLowerCase()
  // Without a login, the singer is found in the catalogue.
  const { singers } = await library.index().catch((error: unknown) => {
    if (!isTolerable(error)) throw error
    return { singers: [] as Singer[] }
  })
  const known = singers.find(isMeant)
  return known?.mid ?? ((await call(getSmartbox, { key: first })).result.singerList.find(isMeant)?.mid || undefined)
}

const asMatches = (songs: readonly Fields[]): Fields[] => songs.map((entry) => ({ entry, similarity: -1 }))

const notThere = (): never => { throw new RelayError('NOT_FOUND', 'id: the provider has deleted this song.') }

export const songMethods = {
  getSong: method({
    summary: 'A song.',
    input: Type.Object({ id: id('a song') }),

    async run ({ id }, { call, records }) {
      const [song] = await records.songs([
        (await call(getSongInfo, { songmid: readId(id, 'so').own })).songinfo.data.track_info
      ])
      return { song: song ?? notThere() }
    }
  }),
  getRandomSongs: method({
    summary: 'Songs that the provider recommends today, mixed with liked ones from a random place in the library.',
    missing: 'genre, fromYear and toYear are ignored.',
    input: Type.Object({ size: count(10) }),

    async run ({ size: wanted }, context) {
      const size = Math.min(wanted, mostRandom)
      const from = upTo(Math.max(0, await context.library.total() - size))
      const [recommended, liked] = await Promise.all([recommendedTo(context), context.library.songs(from, size)])
      const byMid = new Map(playable([...liked, ...recommended]).map((song) => [song.mid, song]))
      return { randomSongs: { song: await context.records.songs(shuffled([...byMid.values()]).slice(0, size)) } }
    }
  }),
  getGenres: method({
    summary: 'The new albums of the provider, and the two kinds of recommendations. The latter need an account with a login, or a key that may use it.',
    missing: 'Genres of songs are unknown.',
    input: noInput,

    async run (_input, { user, call, log }) {
      const albums = await newAlbums(call).catch((error: unknown) => {
        noteMissing(error, log, 'the new albums are missing')
        return []
      })
      const recommended = mayUseLogin(user.identity) ? recommendations : []
      return {
        genres: {
          genre: [
            ...recommended.map(({ name, songs }) => ({ songCount: songs, albumCount: 0, value: name })),
            ...albums.length === 0 ? [] : [{ songCount: 0, albumCount: albums.length, value: newAlbumsName }]
          ]
        }
      }
    }
  }),
  getSongsByGenre: method({
    summary: 'Recommended songs of one kind; getGenres lists the kinds.',
    input: Type.Object({
      genre: Type.String({ maxLength: 200, description: 'A name of getGenres.' }),
      count: count(10),
      offset: offset()
    }),

    async run ({ genre, count, offset }, context) {
      const songs = await recommendedTo(context, genre)
      return { songsByGenre: { song: await context.records.songs(songs.slice(offset, offset + count)) } }
    }
  }),
  getTopSongs: method({
    summary: 'The most popular songs of a singer.',
    input: Type.Object({
      artist: Type.Optional(Type.String({ maxLength: 200, description: 'Name of the singer. The library is looked through first, then the catalogue.' })),
      id: Type.Optional(Type.String({ maxLength: 64, description: 'Id of the singer. It counts before the name.' })),
      count: count(50)
    }),

    async run ({ artist = '', id, count }, context) {
      const singermid = id === undefined ? await singerNamed(artist, context) : readId(id, 'ar').own
      if (singermid === undefined || count === 0) return { topSongs: { song: [] } }
      const { songList } = await context.call(getSingerHotsong, { singermid, limit: Math.min(count, mostTop) })
      return { topSongs: { song: await context.records.songs(songList) } }
    }
  }),
  getSimilarSongs: method({
    summary: 'Songs similar to a song or an album; for a singer, songs of the singer and of similar singers.',
    input: similarInput,
    run: async (input, context) => ({ similarSongs: { song: await similarTo(input, context) } })
  }),
  getSimilarSongs2: method({
    summary: 'Songs similar to a song or an album; for a singer, songs of the singer and of similar singers.',
    input: similarInput,
    run: async (input, context) => ({ similarSongs2: { song: await similarTo(input, context) } })
  }),
  getSonicSimilarTracks: method({
    summary: 'Songs similar to a song, in the order of the provider.',
    missing: 'How similar they are is not known: -1.',
    input: Type.Object({ id: id('a song'), count: count(10) }),

    async run ({ id, count }, context) {
      readId(id, 'so')
      return { sonicMatch: asMatches(await similarTo({ id, count }, context)) }
    }
  }),
  findSonicPath: method({
    summary: 'A way from a song to another one: songs similar to the first, then songs similar to the second.',
    missing: 'How similar they are is not known: -1.',
    input: Type.Object({ startSongId: id('the first song'), endSongId: id('the last song'), count: count(25) }),

    async run ({ startSongId, endSongId, count }, context) {
      const ends = Object.entries({ startSongId, endSongId }).map(([name, id]) => readIdOf(name, id, 'so').own)
      const found = await Promise.all(ends.map(async (mid) => {
        const [{ songinfo }, similar] = await Promise.all([
          context.call(getSongInfo, { songmid: mid }),
          likeSong(mid, context.call)
        ])
        return { own: songinfo.data.track_info, similar: playable(similar) }
      }))
      const [first, last] = found as [typeof found[number], typeof found[number]]
      const each = Math.max(0, Math.floor(count / 2) - 1)
      const way = [first.own, ...first.similar.slice(0, each), ...last.similar.slice(0, each).reverse(), last.own]
      return { sonicMatch: asMatches(await context.records.songs(uniqueBy(way, ({ mid }) => mid).slice(0, count))) }
    }
  }),
  getStarred: method({
    summary: `${starredSummary} For clients that browse folders.`,
    missing: starredMissing,
    input: noInput,
    isLong: true,

    async run (_input, context) {
      const { artist, album, song } = await starredOf(context)
      return {
        starred: {
          artist: artist.map(({ id, name, starred }) => ({ id, name, starred })),
          album: album.map(albumFolderOf),
          song
        }
      }
    }
  }),
  getStarred2: method({
    summary: starredSummary,
    missing: starredMissing,
    input: noInput,
    isLong: true,
    run: async (_input, context) => ({ starred2: { ...await starredOf(context) } })
  })
} satisfies Readonly<Record<string, AnyMethod>>

// @mutate OpenSubsonic: opensubsonic opensubsonic-users opensubsonic-methods
