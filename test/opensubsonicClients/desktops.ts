/** Players for desktops: Feishin and Supersonic. */
import { each } from './types.ts'
import type { Client } from './types.ts'

const album = ['id', 'name', 'artist', 'songCount', 'duration', 'created'] as const
const song = ['id', 'title', 'contentType', 'artist', 'duration', 'size', 'path', 'coverArt'] as const
const owned = [...song, 'album', 'albumId', 'starred'] as const
const nothing = { artistCount: 0, artistOffset: 0, albumCount: 0, albumOffset: 0, songCount: 0, songOffset: 0 } as const
/** Addresses that Feishin makes itself, for a player and for pictures: without a format. */
const made = { manner: { http: 'GET', view: true }, common: { f: undefined } } as const

/**
 * Begins with GET, and posts everything as soon as the server says that it takes forms. Two methods are asked without `.view`.
 * It reads `contentType` of every song, and `album.song` and `albumList2.album` without a look whether they are there.
 */
export const feishin: Client = {
  name: 'Feishin 1.x',
  source: ['jeffvli/feishin: src/renderer/api/subsonic/subsonic-api.ts, subsonic-controller.ts; src/shared/api/subsonic/subsonic-normalize.ts'],
  manner: { http: 'POST', view: true },
  common: { c: 'Feishin', f: 'json', v: '1.13.0' },
  proofs: ['token', 'plain'],
  steps: [
    { at: 'adding the server', ask: 'getUser', with: { username: 'demo' }, manner: { http: 'GET', view: true }, reads: each('user', 'username', 'adminRole') },
    { at: 'adding the server', ask: 'ping', manner: { http: 'GET', view: true }, reads: ['version', 'openSubsonic', 'serverVersion', 'type'] },
    { at: 'adding the server', ask: 'getOpenSubsonicExtensions', manner: { http: 'GET', view: true }, reads: each('openSubsonicExtensions', 'name', 'versions') },
    { at: 'adding the server', ask: 'getMusicFolders', reads: each('musicFolders.musicFolder', 'id', 'name'), keeps: { folder: 'musicFolders.musicFolder.id' } },
    { at: 'home', ask: 'getPlaylists', reads: each('playlists.playlist', 'id', 'name', 'songCount', 'duration', 'public', 'owner', 'changed'), keeps: { list: 'playlists.playlist.id' } },
    ...(['random', 'recent', 'frequent'] as const).map((type) => ({ at: 'home', ask: 'getAlbumList2', with: { type, offset: 0, size: 15 }, reads: each('albumList2.album', ...album) })),
    { at: 'home', ask: 'getAlbumList2', with: { type: 'newest', offset: 0, size: 15, musicFolderId: '{folder}' }, reads: each('albumList2.album', 'id', 'name', 'created', 'coverArt') },
    { at: 'home', ask: 'getStarred', with: { musicFolderId: '{folder}' }, reads: each('starred.song', ...owned) },
    { at: 'albums', ask: 'getAlbumList2', with: { type: 'alphabeticalByName', offset: 0, size: 500 }, reads: each('albumList2.album', ...album), keeps: { album: 'albumList2.album.id', cover: 'albumList2.album.coverArt' } },
    { at: 'albums', ask: 'getAlbumList2', with: { type: 'byYear', fromYear: 0, toYear: 2026, offset: 0, size: 100 }, reads: each('albumList2.album', ...album) },
    { at: 'opening an album', ask: 'getAlbum', with: { id: '{album}' }, reads: [...each('album', ...album), ...each('album.song', ...owned)], keeps: { song: 'album.song.id', artist: 'album.song.artistId' } },
    { at: 'artists', ask: 'getArtists', reads: each('artists.index.artist', 'id', 'name', 'albumCount') },
    { at: 'opening an artist', ask: 'getArtistInfo', with: { id: 'ar-00DemoSing0001' }, reads: each('artistInfo.similarArtist', 'id', 'name') },
    { at: 'opening an artist', ask: 'getArtist', with: { id: '{artist}' }, reads: [...each('artist', 'id', 'name'), ...each('artist.album', 'id', 'name', 'created', 'duration', 'songCount')], keeps: { artistName: 'artist.name', theirs: 'artist.album.id' } },
    { at: 'opening an artist', ask: 'getTopSongs', with: { artist: '{artistName}', count: 10 }, reads: each('topSongs.song', ...song) },
    { at: 'opening an artist', ask: 'getAlbum', with: { id: '{theirs}' }, reads: each('album.song', ...song) },
    { at: 'songs', ask: 'search3', with: { ...nothing, query: '', songCount: 1 }, reads: ['searchResult3.song.id'] },
    { at: 'songs', ask: 'search3', with: { ...nothing, query: '', songCount: 1, songOffset: 5000 }, reads: ['searchResult3'] },
    { at: 'songs', ask: 'search3', with: { ...nothing, query: '', songCount: 500 }, reads: each('searchResult3.song', ...owned) },
    { at: 'genres', ask: 'getGenres', reads: each('genres.genre', 'value', 'songCount', 'albumCount'), keeps: { genre: 'genres.genre.value' } },
    { at: 'genres', ask: 'getSongsByGenre', with: { count: 1, genre: '{genre}', offset: 0, musicFolderId: '{folder}' }, reads: each('songsByGenre.song', ...song) },
    { at: 'genres', ask: 'getAlbumList2', with: { type: 'byGenre', genre: '{genre}', offset: 0, size: 100 }, reads: ['albumList2.album'] },
    { at: 'searching', ask: 'search3', with: { query: 'light', artistCount: 4, artistOffset: 0, albumCount: 4, albumOffset: 0, songCount: 4, songOffset: 0 }, reads: [...each('searchResult3.album', 'id', 'name', 'created'), ...each('searchResult3.song', 'id', 'title', 'contentType')] },
    { at: 'opening a playlist', ask: 'getPlaylist', with: { id: '{list}' }, reads: [...each('playlist', 'id', 'name', 'songCount', 'duration', 'owner'), ...each('playlist.entry', ...song)] },
    { at: 'folders', ask: 'getIndexes', with: { musicFolderId: '{folder}' }, reads: each('indexes.index.artist', 'id', 'name') },
    { at: 'folders', ask: 'getMusicDirectory', with: { id: '{artist}' }, reads: each('directory.child', 'id', 'title', 'isDir') },
    { at: 'folders', ask: 'getMusicDirectory', with: { id: '{album}' }, reads: each('directory.child', ...song) },
    { at: 'playing', ask: 'stream', with: { id: '{song}' }, ...made, leads: 'audio' },
    { at: 'playing', ask: 'getCoverArt', with: { id: '{cover}', size: 300 }, ...made, leads: 'image' },
    { at: 'playing', ask: 'scrobble', with: { id: '{song}', submission: false } },
    { at: 'playing', ask: 'getLyricsBySongId', with: { id: '{song}' }, reads: [...each('lyricsList.structuredLyrics', 'lang', 'synced'), ...each('lyricsList.structuredLyrics.line', 'value', 'start')] },
    { at: 'playing', ask: 'getSong', with: { id: '{song}' }, reads: each('song', ...song) },
    { at: 'playing', ask: 'scrobble', with: { id: '{song}', submission: true } },
    { at: 'going on', ask: 'getSimilarSongs', with: { id: '{song}', count: 50 }, manner: { http: 'POST', view: false }, reads: each('similarSongs.song', ...song) },
    { at: 'going on', ask: 'getSimilarSongs2', with: { id: '{artist}', count: 50 }, reads: each('similarSongs2.song', ...song) },
    { at: 'going on', ask: 'getRandomSongs', with: { size: 100, musicFolderId: '{folder}' }, reads: each('randomSongs.song', ...song) },
    { at: 'queue', ask: 'savePlayQueue', with: { current: '{song}', id: ['{song}'], position: 1000 }, fails: 50 },
    { at: 'queue', ask: 'getPlayQueue', reads: each('playQueue', 'changed', 'username') },
    { at: 'radio', ask: 'getInternetRadioStations', reads: ['internetRadioStations'] },
    { at: 'loading', ask: 'download', with: { id: '{song}' }, ...made, leads: 'audio' },
    { at: 'liking', ask: 'star', with: { id: '{song}' }, fails: 50 },
    { at: 'liking', ask: 'unstar', with: { albumId: '{album}' }, fails: 50 },
    { at: 'liking', ask: 'setRating', with: { id: '{song}', rating: 5 }, fails: 50 },
    { at: 'changing a playlist', ask: 'createPlaylist', with: { name: 'Mine' }, fails: 50 },
    { at: 'changing a playlist', ask: 'updatePlaylist', with: { playlistId: '{list}', songIdToAdd: ['{song}'] }, fails: 50 },
    { at: 'changing a playlist', ask: 'updatePlaylist', with: { playlistId: '{list}', songIndexToRemove: ['1', '0'] }, fails: 50 },
    { at: 'changing a playlist', ask: 'deletePlaylist', with: { id: '{list}' }, fails: 50 }
  ]
}

const row = ['id', 'title', 'artist', 'duration', 'path', 'size', 'bitRate', 'coverArt'] as const
const head = ['id', 'name', 'artist', 'coverArt', 'songCount', 'duration', 'created'] as const

/** Reads XML. What is said about singers and albums it looks for in elements, not in attributes. */
export const supersonic: Client = {
  name: 'Supersonic 0.x',
  source: ['dweymouth/supersonic: backend/mediaprovider/subsonic/subsonicmediaprovider.go, albumiterator.go, searchall.go', 'supersonic-app/go-subsonic: subsonic/client.go, models.go'],
  manner: { http: 'GET', view: false },
  common: { f: 'xml', v: '1.8.0', c: 'supersonic' },
  proofs: ['token', 'plain'],
  steps: [
    { at: 'adding the server', ask: 'ping', reads: ['version'] },
    { at: 'albums', ask: 'getAlbumList2', with: { type: 'newest', size: 20, offset: 0 }, reads: each('albumList2.album', 'id', 'name', 'created', 'coverArt') },
    ...(['recent', 'frequent', 'random', 'alphabeticalByName', 'alphabeticalByArtist'] as const).map((type) => ({ at: 'albums', ask: 'getAlbumList2', with: { type, size: 20, offset: 0 }, reads: each('albumList2.album', ...head) })),
    { at: 'albums', ask: 'getAlbumList2', with: { type: 'byYear', fromYear: 3000, toYear: 0, offset: 0, limit: 20 }, reads: each('albumList2.album', ...head), keeps: { album: 'albumList2.album.id', cover: 'albumList2.album.coverArt' } },
    { at: 'albums', ask: 'getAlbumList2', with: { type: 'starred', size: 20, offset: 0 }, reads: ['albumList2.album.id'] },
    { at: 'opening an album', ask: 'getAlbum', with: { id: '{album}' }, reads: [...each('album', ...head), ...each('album.song', ...row)], keeps: { song: 'album.song.id', artist: 'album.song.artistId' } },
    { at: 'opening an album', ask: 'getAlbumInfo', with: { id: '{album}' }, reads: ['albumInfo.notes'] },
    { at: 'artists', ask: 'getArtists', reads: each('artists.index.artist', 'id', 'name', 'albumCount', 'coverArt') },
    { at: 'opening an artist', ask: 'getArtist', with: { id: '{artist}' }, reads: [...each('artist', 'id', 'name'), ...each('artist.album', 'id', 'name', 'created')], keeps: { artistName: 'artist.name' } },
    { at: 'opening an artist', ask: 'getArtistInfo2', with: { id: '{artist}' }, reads: ['artistInfo2.largeImageUrl'] },
    { at: 'opening an artist', ask: 'getArtistInfo2', with: { id: 'ar-00DemoSing0001' }, reads: ['artistInfo2.biography', ...each('artistInfo2.similarArtist', 'id', 'name')] },
    { at: 'opening an artist', ask: 'getTopSongs', with: { artist: '{artistName}', count: 20 }, reads: each('topSongs.song', ...row) },
    { at: 'opening an artist', ask: 'getSimilarSongs2', with: { id: '{artist}', count: 20 }, reads: each('similarSongs2.song', ...row) },
    { at: 'favourites', ask: 'getStarred2', reads: each('starred2.song', ...row, 'starred') },
    { at: 'genres', ask: 'getGenres', reads: each('genres.genre', 'value', 'songCount', 'albumCount'), keeps: { genre: 'genres.genre.value' } },
    { at: 'genres', ask: 'getRandomSongs', with: { size: 20, genre: '{genre}' }, reads: each('randomSongs.song', ...row) },
    { at: 'playlists', ask: 'getPlaylists', reads: each('playlists.playlist', 'id', 'name', 'songCount', 'duration', 'owner', 'public'), keeps: { list: 'playlists.playlist.id' } },
    { at: 'opening a playlist', ask: 'getPlaylist', with: { id: '{list}' }, reads: [...each('playlist', 'id', 'name', 'songCount'), ...each('playlist.entry', ...row)] },
    { at: 'searching', ask: 'search3', with: { query: 'light', artistCount: 6, albumCount: 6, songCount: 6 }, reads: [...each('searchResult3.album', 'id', 'name'), ...each('searchResult3.song', ...row)] },
    { at: 'playing', ask: 'stream', with: { id: '{song}', format: 'raw' }, leads: 'audio' },
    { at: 'playing', ask: 'getCoverArt', with: { id: '{cover}', size: 250 }, leads: 'image' },
    { at: 'playing', ask: 'scrobble', with: { id: '{song}', time: 1_760_000_000_000, submission: false } },
    { at: 'playing', ask: 'getLyricsBySongId', with: { id: '{song}' }, reads: ['lyricsList.structuredLyrics.line.value'] },
    { at: 'playing', ask: 'getSong', with: { id: '{song}' }, reads: each('song', ...row) },
    { at: 'loading', ask: 'download', with: { id: '{song}' }, leads: 'audio' },
    { at: 'liking', ask: 'star', with: { id: ['{song}'] }, fails: 50 },
    { at: 'looking for news', ask: 'startScan', fails: 50 }
  ]
}
