/** Inputs for every method of OpenSubsonic that give answers with content, with ids from earlier answers. */
import type { methods } from '../../src/players/opensubsonic/methods/index.ts'
import { name } from './opensubsonicPlayer.ts'
import type { Parameters, Player } from './opensubsonicPlayer.ts'

export type MethodName = keyof typeof methods

/** Ids of one thing of each kind, as answers gave them. */
export interface Known {
  readonly song: string
  readonly album: string
  readonly libraryAlbum: string
  readonly singer: string
  readonly playlist: string
  readonly chart: string
  readonly lists: readonly string[]
  readonly genre: string
  readonly title: string
  readonly artist: string
  /** Songs with a lyric, a translated one, an instrumental one and none. */
  readonly lyrics: readonly string[]
}

/** Asks for one thing of each kind. */
export async function knownTo ({ ask }: Player): Promise<Known> {
  const { searchResult3: { song: [liked] } } = (await ask('search3', { query: '', songCount: 1 })).body
  const { searchResult3: { song: found, album: albums } } = (await ask('search3', { query: 'light', songCount: 50 })).body
  const { playlists: { playlist } } = (await ask('getPlaylists')).body
  const idLike = (start: string): string => playlist.find(({ id }: { id: string }) => id.startsWith(start)).id
  const { genres: { genre: [genre] } } = (await ask('getGenres')).body
  return {
    song: liked.id,
    album: albums[0].id,
    libraryAlbum: liked.albumId,
    singer: liked.artistId,
    playlist: idLike('pl-'),
    chart: idLike('ch-'),
    lists: ['li-liked', 'li-daily', 'li-radar'],
    genre: genre.value,
    title: found[0].title,
    artist: found[0].artist,
    lyrics: ['so-00DemoSong0001', 'so-00DemoSong0006', 'so-00DemoSong0029', 'so-00DemoSong0023']
  }
}

const none = (): readonly Parameters[] => [{}]
const ids = (...ids: readonly string[]): readonly Parameters[] => ids.map((id) => ({ id }))
const albumTypes = ['random', 'newest', 'highest', 'frequent', 'recent', 'alphabeticalByName', 'alphabeticalByArtist', 'starred'] as const
const albumLists = ({ genre }: Known): readonly Parameters[] => [
  ...albumTypes.map((type) => ({ type, size: 20 })),
  { type: 'byYear', fromYear: 2000, toYear: 2026, size: 20 },
  { type: 'byYear', fromYear: 2026, toYear: 2000, size: 20 },
  { type: 'byGenre', genre },
  { type: 'alphabeticalByName', offset: 100_000 }
]
const searches = (): readonly Parameters[] => [{ query: '' }, { query: '""', songCount: 500, albumCount: 500, artistCount: 500 }, { query: 'light' }, { query: '纸' }, { query: 'no such thing at all' }, { query: 'light', songCount: 0, albumCount: 0, artistCount: 0 }]
const starred = (): readonly Parameters[] => [{}, { musicFolderId: 1 }]

/** The inputs of each method. A method that is not here does not compile. */
export const inputs: Readonly<Record<MethodName, (known: Known) => readonly Parameters[]>> = {
  ping: none,
  getLicense: none,
  getOpenSubsonicExtensions: none,
  tokenInfo: none,
  getMusicFolders: none,
  getScanStatus: none,
  getIndexes: () => [{}, { musicFolderId: 1 }, { ifModifiedSince: 0 }],
  getArtists: starred,
  getMusicDirectory: ({ singer, album, libraryAlbum }) => ids(singer, album, libraryAlbum),
  getArtist: ({ singer }) => ids(singer),
  getAlbum: ({ album, libraryAlbum }) => ids(album, libraryAlbum, 'al-00DemoAlbu0002', 'al-00DemoAlbu0004', 'al-00DemoAlbu0009'),
  getSong: ({ song }) => ids(song, 'so-00DemoSong0001', 'so-00DemoSong0002', 'so-00DemoSong0013'),
  getGenres: none,
  getArtistInfo: ({ singer }) => [{ id: singer }, { id: 'ar-00DemoSing0002', count: 3 }],
  getArtistInfo2: ({ singer }) => [{ id: singer }, { id: 'ar-00DemoSing0002', count: 3, includeNotPresent: true }],
  getAlbumInfo: ({ album, libraryAlbum }) => ids(album, libraryAlbum, 'al-00DemoAlbu0004'),
  getAlbumInfo2: ({ album, libraryAlbum }) => ids(album, libraryAlbum, 'al-00DemoAlbu0004'),
  getSimilarSongs: ({ song, singer, album }) => ids(song, singer, album),
  getSimilarSongs2: ({ song, singer }) => [{ id: singer, count: 7 }, { id: song }],
  getTopSongs: ({ artist, singer }) => [{ artist, count: 5 }, { artist: 'Nobody of this name' }, { id: singer }],
  getAlbumList: albumLists,
  getAlbumList2: albumLists,
  getRandomSongs: () => [{}, { size: 500 }],
  getSongsByGenre: ({ genre }) => [{ genre, count: 500 }, { genre: 'no such' }],
  getNowPlaying: none,
  getStarred: starred,
  getStarred2: starred,
  search2: searches,
  search3: searches,
  getPlaylists: none,
  getPlaylist: ({ playlist, chart, lists }) => ids(playlist, chart, ...lists),
  stream: ({ song }) => [{ id: song, maxBitRate: 128, format: 'raw' }],
  download: ({ song }) => ids(song),
  getCoverArt: ({ singer, album, playlist, chart, song }) => ids(singer, album, playlist, chart, song).map((each) => ({ ...each, size: 300 })),
  getAvatar: () => [{ username: name }],
  getLyrics: ({ title, artist }) => [{ title, artist }, { title: 'no such thing at all' }, {}],
  getLyricsBySongId: ({ song, lyrics }) => ids(song, ...lyrics),
  getUser: () => [{ username: name }, {}],
  scrobble: ({ song }) => [{ id: song, submission: false }, { id: song, time: 1_700_000_000_000, submission: true }],
  getPodcasts: () => [{ includeEpisodes: false }],
  getNewestPodcasts: () => [{ count: 20 }],
  getInternetRadioStations: none,
  getBookmarks: none,
  getPlayQueue: none,
  getPlayQueueByIndex: none,
  getShares: none,
  getVideos: none,
  getChatMessages: none,
  star: ({ song }) => ids(song),
  unstar: ({ album }) => [{ albumId: album }],
  setRating: ({ song }) => [{ id: song, rating: 5 }],
  createPlaylist: ({ song }) => [{ name: 'mine', songId: [song, song] }],
  updatePlaylist: ({ playlist, song }) => [{ playlistId: playlist, songIdToAdd: [song] }],
  deletePlaylist: ({ playlist }) => ids(playlist),
  savePlayQueue: ({ song }) => [{ id: [song], current: song, position: 10 }],
  savePlayQueueByIndex: ({ song }) => [{ id: [song], currentIndex: 0 }],
  createBookmark: ({ song }) => [{ id: song, position: 1 }],
  deleteBookmark: ({ song }) => ids(song),
  createShare: ({ song }) => ids(song),
  updateShare: () => ids('1'),
  deleteShare: () => ids('1'),
  addChatMessage: () => [{ message: 'hello' }],
  createPodcastChannel: () => [{ url: 'http://pod.example/' }],
  deletePodcastChannel: () => ids('1'),
  deletePodcastEpisode: () => ids('1'),
  downloadPodcastEpisode: () => ids('1'),
  refreshPodcasts: none,
  createInternetRadioStation: () => [{ streamUrl: 'http://radio.example/', name: 'x' }],
  updateInternetRadioStation: () => [{ id: '1', streamUrl: 'http://radio.example/', name: 'x' }],
  deleteInternetRadioStation: () => ids('1'),
  startScan: none,
  getUsers: none,
  createUser: () => [{ username: 'x', password: 'x', email: 'x@example.com' }],
  updateUser: () => [{ username: 'x' }],
  deleteUser: () => [{ username: 'x' }],
  changePassword: () => [{ username: 'x', password: 'x' }],
  jukeboxControl: () => [{ action: 'get' }]
}

/** Methods whose answers are bytes, or lead to them. */
export const media: ReadonlySet<string> = new Set<MethodName>(['stream', 'download', 'getCoverArt', 'getAvatar'])

/** Methods that refuse whatever they are asked. */
export const refusing: ReadonlySet<string> = new Set<MethodName>([
  'star', 'unstar', 'setRating', 'createPlaylist', 'updatePlaylist', 'deletePlaylist', 'savePlayQueue', 'savePlayQueueByIndex', 'createBookmark', 'deleteBookmark',
  'createShare', 'updateShare', 'deleteShare', 'addChatMessage', 'createPodcastChannel', 'deletePodcastChannel', 'deletePodcastEpisode', 'downloadPodcastEpisode', 'refreshPodcasts',
  'createInternetRadioStation', 'updateInternetRadioStation', 'deleteInternetRadioStation', 'startScan', 'getUsers', 'createUser', 'updateUser', 'deleteUser', 'changePassword', 'jukeboxControl'
])
