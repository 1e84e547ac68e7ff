/** Players for phones that read XML: Amperfy and DSub. */
import { each } from './types.ts'
import type { Client } from './types.ts'

const album = ['id', 'name', 'coverArt', 'songCount', 'duration'] as const
const song = ['id', 'title', 'isDir', 'artist', 'duration', 'size', 'contentType', 'suffix', 'coverArt'] as const
const only = { artistCount: 0, artistOffset: 0, albumCount: 0, albumOffset: 0, songCount: 0, songOffset: 0 } as const

/** Never says which format it wants. */
export const amperfy: Client = {
  name: 'Amperfy 2.x',
  source: ['BLeeEZ/amperfy: AmperfyKit/Api/Subsonic/SubsonicServerApi.swift, SubsonicLibrarySyncer.swift, Ss*ParserDelegate.swift'],
  manner: { http: 'GET', view: true },
  common: { v: '1.13.0', c: 'Amperfy' },
  proofs: ['token', 'plain'],
  steps: [
    { at: 'adding the server', ask: 'ping', reads: ['version', 'status'] },
    { at: 'first copy', ask: 'getGenres', reads: ['genres.genre.value'] },
    { at: 'first copy', ask: 'getArtists', reads: each('artists.index.artist', 'id', 'name', 'albumCount', 'coverArt') },
    { at: 'first copy', ask: 'getAlbumList2', with: { type: 'alphabeticalByName', size: 500, offset: 0 }, reads: each('albumList2.album', ...album), keeps: { album: 'albumList2.album.id' } },
    { at: 'first copy', ask: 'getAlbumList2', with: { type: 'alphabeticalByName', size: 500, offset: 500 }, reads: ['albumList2'] },
    { at: 'first copy', ask: 'getPlaylists', reads: each('playlists.playlist', 'id', 'name', 'songCount', 'duration'), keeps: { list: 'playlists.playlist.id' } },
    { at: 'first copy', ask: 'getPodcasts', with: { includeEpisodes: 'false' }, reads: ['podcasts'] },
    { at: 'home', ask: 'getAlbumList2', with: { type: 'newest', size: 50, offset: 0 }, reads: each('albumList2.album', 'id', 'name', 'coverArt') },
    { at: 'home', ask: 'getAlbumList2', with: { type: 'recent', size: 50, offset: 0 }, reads: each('albumList2.album', ...album) },
    { at: 'home', ask: 'getRandomSongs', with: { size: 100 }, reads: each('randomSongs.song', ...song) },
    { at: 'home', ask: 'getStarred2', reads: each('starred2.song', ...song) },
    { at: 'home', ask: 'getNewestPodcasts', with: { count: 20 }, reads: ['newestPodcasts'] },
    { at: 'home', ask: 'getInternetRadioStations', reads: ['internetRadioStations'] },
    { at: 'opening an album', ask: 'getAlbum', with: { id: '{album}' }, reads: [...each('album', ...album), ...each('album.song', ...song)], keeps: { song: 'album.song.id', artist: 'album.song.artistId', cover: 'album.song.coverArt' } },
    { at: 'opening an artist', ask: 'getArtist', with: { id: '{artist}' }, reads: [...each('artist', 'id', 'name'), ...each('artist.album', 'id', 'name')] },
    { at: 'opening a playlist', ask: 'getPlaylist', with: { id: '{list}' }, reads: [...each('playlist', 'id', 'name', 'songCount'), ...each('playlist.entry', ...song)] },
    { at: 'searching', ask: 'search3', with: { ...only, query: 'light', artistCount: 40 }, reads: ['searchResult3'] },
    { at: 'searching', ask: 'search3', with: { ...only, query: 'light', albumCount: 40 }, reads: each('searchResult3.album', 'id', 'name') },
    { at: 'searching', ask: 'search3', with: { ...only, query: 'light', songCount: 40 }, reads: each('searchResult3.song', ...song) },
    { at: 'folders', ask: 'getMusicFolders', reads: each('musicFolders.musicFolder', 'id', 'name'), keeps: { folder: 'musicFolders.musicFolder.id' } },
    { at: 'folders', ask: 'getIndexes', with: { musicFolderId: '{folder}' }, reads: each('indexes.index.artist', 'id', 'name') },
    { at: 'folders', ask: 'getMusicDirectory', with: { id: '{artist}' }, reads: each('directory.child', 'id', 'title', 'isDir') },
    { at: 'playing', ask: 'getOpenSubsonicExtensions', reads: ['openSubsonicExtensions.name'] },
    { at: 'playing', ask: 'getLyricsBySongId', with: { id: '{song}' }, reads: [...each('lyricsList.structuredLyrics', 'synced', 'lang'), ...each('lyricsList.structuredLyrics.line', 'start', 'value')] },
    { at: 'playing', ask: 'stream', with: { id: '{song}', format: 'mp3', maxBitRate: 192 }, leads: 'audio' },
    { at: 'playing', ask: 'getCoverArt', with: { id: '{cover}' }, leads: 'image' },
    { at: 'playing', ask: 'getSong', with: { id: '{song}' }, reads: each('song', ...song) },
    { at: 'playing', ask: 'scrobble', with: { id: '{song}', submission: 'false' } },
    { at: 'playing', ask: 'scrobble', with: { id: '{song}', date: 1_760_000_000, submission: 'true' } },
    { at: 'loading', ask: 'download', with: { id: '{song}' }, leads: 'audio' },
    { at: 'liking', ask: 'star', with: { id: '{song}' }, fails: 50 },
    { at: 'liking', ask: 'setRating', with: { id: '{song}', rating: 5 }, fails: 50 },
    { at: 'changing a playlist', ask: 'createPlaylist', with: { name: 'Mine' }, fails: 50 },
    { at: 'changing a playlist', ask: 'updatePlaylist', with: { playlistId: '{list}', name: 'Mine', songIndexToRemove: ['0', '1'], songIdToAdd: ['{song}'] }, fails: 50 },
    { at: 'asking for what is gone', ask: 'getAlbum', with: { id: 'al-00NoSuchAlbum' }, fails: 70 },
    { at: 'asking for what is gone', ask: 'getArtist', with: { id: 'ar-00NoSuchSing' }, fails: 70 }
  ]
}

/** Posts, with all parameters in the address and no body. The version that it says it speaks is the oldest of all. */
export const dsub: Client = {
  name: 'DSub 5.x',
  source: ['daneren2005/Subsonic: app/src/main/java/github/daneren2005/dsub/service/RESTMusicService.java, service/parser/*.java', 'thread ampache/ampache#1203'],
  manner: { http: 'bare', view: true, headers: { 'user-agent': 'DSub', 'accept-encoding': 'gzip' } },
  common: { v: '1.2.0', c: 'DSub' },
  proofs: ['hidden', 'token'],
  steps: [
    { at: 'adding the server', ask: 'ping', reads: ['version', 'type'] },
    { at: 'adding the server', ask: 'getLicense', reads: ['license.valid'] },
    { at: 'adding the server', ask: 'getUser', with: { username: 'demo' }, reads: each('user', 'username', 'adminRole', 'streamRole', 'downloadRole') },
    { at: 'adding the server', ask: 'getBookmarks', reads: ['bookmarks'] },
    { at: 'adding the server', ask: 'getAvatar', with: { username: 'demo' }, leads: 'elsewhere' },
    { at: 'folders', ask: 'getMusicFolders', reads: each('musicFolders.musicFolder', 'id', 'name'), keeps: { folder: 'musicFolders.musicFolder.id' } },
    { at: 'folders', ask: 'getIndexes', with: { musicFolderId: '{folder}' }, reads: ['indexes.lastModified', ...each('indexes.index.artist', 'id', 'name')], keeps: { artist: 'indexes.index.artist.id' } },
    { at: 'folders', ask: 'getMusicDirectory', with: { id: '{artist}' }, reads: each('directory.child', 'id', 'title', 'isDir'), keeps: { album: 'directory.child.id' } },
    { at: 'folders', ask: 'getMusicDirectory', with: { id: '{album}' }, reads: each('directory.child', ...song, 'path'), keeps: { song: 'directory.child.id', names: 'directory.child.artist', title: 'directory.child.title', cover: 'directory.child.coverArt' } },
    { at: 'opening an artist', ask: 'getArtistInfo', with: { id: '{artist}', includeNotPresent: 'true' }, reads: ['artistInfo.largeImageUrl'] },
    { at: 'opening an artist', ask: 'getArtistInfo', with: { id: 'ar-00DemoSing0001', includeNotPresent: 'true' }, reads: ['artistInfo.biography', ...each('artistInfo.similarArtist', 'id', 'name')] },
    { at: 'lists', ask: 'getAlbumList', with: { type: 'newest', size: 20, offset: 0 }, reads: each('albumList.album', 'id', 'title', 'isDir') },
    { at: 'lists', ask: 'getAlbumList', with: { size: 20, offset: 0, type: 'byYear', fromYear: 2010, toYear: 2020 }, reads: each('albumList.album', 'id', 'title') },
    { at: 'lists', ask: 'getStarred', reads: each('starred.song', ...song) },
    { at: 'lists', ask: 'getRandomSongs', with: { size: 50, musicFolderId: '{folder}' }, reads: each('randomSongs.song', ...song) },
    { at: 'lists', ask: 'getGenres', reads: ['genres.genre.value'] },
    { at: 'searching', ask: 'search2', with: { query: 'light', artistCount: 5, albumCount: 5, songCount: 10 }, reads: each('searchResult2.song', ...song) },
    { at: 'playlists', ask: 'getPlaylists', reads: each('playlists.playlist', 'id', 'name', 'songCount', 'owner', 'public'), keeps: { list: 'playlists.playlist.id' } },
    { at: 'playlists', ask: 'getPlaylist', with: { id: '{list}' }, reads: ['playlist.name', ...each('playlist.entry', ...song)] },
    { at: 'playing', ask: 'stream', with: { id: '{song}', maxBitRate: 320 }, leads: 'audio' },
    { at: 'playing', ask: 'getCoverArt', with: { id: '{cover}' }, leads: 'image' },
    { at: 'playing', ask: 'getLyrics', with: { artist: '{names}', title: '{title}' }, reads: ['lyrics.value'] },
    { at: 'playing', ask: 'scrobble', with: { id: '{song}', submission: 'true' } },
    { at: 'going on', ask: 'getSimilarSongs', with: { id: '{artist}', count: 20 }, reads: each('similarSongs.song', ...song) },
    { at: 'queue', ask: 'savePlayQueue', with: { id: ['{song}'], current: '{song}', position: 0 }, fails: 50 },
    { at: 'queue', ask: 'getPlayQueue', reads: ['playQueue.changed'] },
    { at: 'podcasts', ask: 'getPodcasts', with: { includeEpisodes: 'false' }, reads: ['podcasts'] }
  ]
}
