/** Inputs for every method of OpenSubsonic that give answers with content, with ids from earlier answers. */
import type { methods } from '../../src/players/opensubsonic/opensubsonic.ts'
import { name, type Parameters, type Player } from './opensubsonicPlayer.ts'

export type MethodName = keyof typeof methods

/** Ids of one thing of each kind, as answers gave them. `lyrics`: songs with a lyric, a translated one, an instrumental one and none. */
export type Known = Awaited<ReturnType<typeof knownTo>>

/** Asks for one thing of each kind. */
export async function knownTo ({ ask }: Pick<Player, 'ask'>) {
  const { searchResult3: { song: [liked] } } = (await ask('search3', { query: '', songCount: 1 })).body
  const { searchResult3: { song: [found], album: [album] } } =
    (await ask('search3', { query: 'light', songCount: 50 })).body
  const { playlists: { playlist } } = (await ask('getPlaylists')).body
  const idLike = (start: string): string => playlist.find(({ id }: { id: string }) => id.startsWith(start)).id
  const { genres: { genre: [genre] } } = (await ask('getGenres')).body
  const [song, singer, title, artist] =
    [liked.id, liked.artistId, found.title, found.artist] as [string, string, string, string]
  return {
    song, singer, title, artist,
    album: album.id as string,
    libraryAlbum: liked.albumId as string,
    playlist: idLike('pl-'),
    chart: idLike('ch-'),
    station: idLike('ra-'),
    lists: ['li-liked', 'li-daily', 'li-radar'],
    genre: genre.value as string,
    lyrics: ['so-00DemoSong0001', 'so-00DemoSong0006', 'so-00DemoSong0029', 'so-00DemoSong0023']
  }
}

const ids = (...ids: readonly (string | undefined)[]): readonly Parameters[] => ids.map((id) => ({ id }))
const albumLists = ({ genre }: Known): readonly Parameters[] => [
  ...['random', 'newest', 'highest', 'frequent', 'recent', 'alphabeticalByName', 'alphabeticalByArtist', 'starred'].map((type) => ({ type, size: 20 })),
  { type: 'byYear', fromYear: 2000, toYear: 2026, size: 20 },
  { type: 'byYear', fromYear: 2026, toYear: 2000, size: 20 }, { type: 'byGenre', genre },
  { type: 'byGenre', genre: '新专辑 New albums' }, { type: 'alphabeticalByName', offset: 100_000 }
]
const searches = (): readonly Parameters[] => [
  { query: '' }, { query: '""', songCount: 500, albumCount: 500, artistCount: 500 }, { query: 'light' }, { query: '纸' },
  { query: 'no such thing at all' }, { query: 'light', songCount: 0, albumCount: 0, artistCount: 0 }
]
const folders = (): readonly Parameters[] => [{}, { musicFolderId: 1 }]
const notes = ({ album, libraryAlbum }: Known): readonly Parameters[] => ids(album, libraryAlbum, 'al-00DemoAlbu0004')

const withInput: { readonly [Name in MethodName]?: (known: Known) => readonly Parameters[] } = {
  getIndexes: () => [...folders(), { ifModifiedSince: 0 }],
  getArtists: folders,
  getMusicDirectory: ({ singer, album, libraryAlbum }) => ids(singer, album, libraryAlbum),
  getArtist: ({ singer }) =>
    ids(singer, ...[1, 9, 18, 27, 204].map((number) => `ar-00DemoSing${String(number).padStart(4, '0')}`)),
  getAlbum: ({ album, libraryAlbum }) => ids(album, libraryAlbum, 'al-00DemoAlbu0002', 'al-00DemoAlbu0004', 'al-00DemoAlbu0009'),
  getSong: ({ song }) => ids(song, 'so-00DemoSong0001', 'so-00DemoSong0002', 'so-00DemoSong0013'),
  getArtistInfo: ({ singer }) => [{ id: singer }, { id: 'ar-00DemoSing0002', count: 3 }],
  getArtistInfo2: ({ singer }) => [{ id: singer }, { id: 'ar-00DemoSing0002', count: 3, includeNotPresent: true }],
  getAlbumInfo: notes,
  getAlbumInfo2: notes,
  getSimilarSongs: ({ song, singer, album }) => ids(song, singer, album),
  getSimilarSongs2: ({ song, singer }) => [{ id: singer, count: 7 }, { id: song }],
  getTopSongs: ({ artist, singer }) => [{ artist, count: 5 }, { artist: 'Nobody of this name' }, { id: singer }],
  getAlbumList: albumLists,
  getAlbumList2: albumLists,
  getRandomSongs: () => [{}, { size: 500 }],
  getSongsByGenre: ({ genre }) => [{ genre, count: 500 }, { genre: 'no such' }],
  getStarred: folders,
  getStarred2: folders,
  search2: searches,
  search3: searches,
  getPlaylist: ({ playlist, chart, lists, station }) => ids(playlist, chart, ...lists, station),
  stream: ({ song }) => [{ id: song, maxBitRate: 128, format: 'raw' }, { id: song, format: 'mp3' }],
  getSonicSimilarTracks: ({ song }) => [{ id: song, count: 5 }],
  findSonicPath: ({ song }) => [{ startSongId: song, endSongId: 'so-00DemoSong0001', count: 6 }],
  savePlayQueue: ({ song }) => [{ id: [song, 'so-00DemoSong0001'], current: song, position: 10 }],
  savePlayQueueByIndex: ({ song }) => [{ id: [song, 'so-00DemoSong0001'], currentIndex: 1, position: 10 }],
  createBookmark: ({ song }) => [{ id: song, position: 1000 }],
  deleteBookmark: ({ song }) => ids(song),
  reportPlayback: ({ song }) => [{ mediaId: song, mediaType: 'song', positionMs: 5, state: 'playing' }],
  download: ({ song }) => ids(song),
  getCoverArt: ({ singer, album, playlist, chart, song }) => ids(singer, album, playlist, chart, song)
    .map((each) => ({ ...each, size: 300 })),
  getAvatar: () => [{ username: name }],
  getLyrics: ({ title, artist }) => [{ title, artist }, { title: 'no such thing at all' }, {}],
  getLyricsBySongId: ({ song, lyrics }) => ids(song, ...lyrics),
  getUser: () => [{ username: name }, {}],
  scrobble: ({ song }) => [{ id: song, submission: false }, { id: song, time: 1_700_000_000_000, submission: true }],
  getPodcasts: () => [{ includeEpisodes: false }],
  getNewestPodcasts: () => [{ count: 20 }]
}

/** Methods whose answers are bytes, or lead to them. */
export const media: ReadonlySet<string> = new Set<MethodName>(['stream', 'download', 'getCoverArt', 'getAvatar'])

/** Methods that refuse whatever they are asked. */
export const refusing: ReadonlySet<string> = new Set<MethodName>([
  'star', 'unstar', 'setRating', 'createPlaylist', 'updatePlaylist', 'deletePlaylist',
  'createShare', 'updateShare', 'deleteShare', 'addChatMessage', 'createPodcastChannel', 'deletePodcastChannel', 'deletePodcastEpisode', 'downloadPodcastEpisode', 'refreshPodcasts',
  'createInternetRadioStation', 'updateInternetRadioStation', 'deleteInternetRadioStation', 'startScan', 'getUsers', 'createUser', 'updateUser', 'deleteUser', 'changePassword', 'jukeboxControl'
])

/** What a method that refuses may be asked, all at once: a parameter that a method does not know is nothing to it. */
const asWrite = ({ song, album, playlist }: Known): Parameters => ({
  id: song, albumId: album, rating: 5, songId: [`${song}`, `${song}`], playlistId: playlist, songIdToAdd: [`${song}`],
  current: song, currentIndex: 0, position: 10, message: 'hello', action: 'get', name: 'mine',
  url: 'http://pod.example/', streamUrl: 'http://radio.example/', username: 'x', password: 'x', email: 'x@example.com'
})

/** The inputs of a method; one that is neither here nor refuses has no parameters. */
export const inputsOf = (name: MethodName, known: Known): readonly Parameters[] =>
  refusing.has(name) ? [asWrite(known)] : withInput[name]?.(known) ?? [{}]
