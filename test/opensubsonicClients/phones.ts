/** Players for phones that read JSON: Symfonium, Tempo and Ultrasonic. */
import { each } from './types.ts'
import type { Client } from './types.ts'

const album = ['id', 'name', 'artist', 'songCount', 'duration', 'created'] as const
const song = ['id', 'title', 'artist', 'duration', 'size', 'suffix', 'contentType', 'coverArt'] as const
const nothing = { songOffset: 0, songCount: 0, albumOffset: 0, albumCount: 0, artistOffset: 0, artistCount: 0 } as const

/**
 * Its source is closed. Threads of servers have its requests: the copy by search3 with two quotation marks for no words, what
 * it asks besides (a field that the standard requires and that is missing ends the whole copy), and what it asks while it plays.
 */
export const symfonium: Client = {
  name: 'Symfonium 11 to 14',
  source: ['threads koel/koel#2619, sentriz/gonic#229, kagemomiji/airsonic-advanced#333, Chevron7Locked/kima-hub#126, navidrome/navidrome#3719, ampache/ampache#4220'],
  manner: { http: 'GET', view: true },
  common: { v: '1.13.0', c: 'Symfonium', f: 'json' },
  proofs: ['token', 'plain', 'key'],
  steps: [
    { at: 'adding the server', ask: 'ping', reads: ['version', 'type', 'serverVersion', 'openSubsonic'] },
    { at: 'adding the server', ask: 'getOpenSubsonicExtensions', reads: each('openSubsonicExtensions', 'name', 'versions') },
    { at: 'adding the server', ask: 'getMusicFolders', reads: each('musicFolders.musicFolder', 'id', 'name'), keeps: { folder: 'musicFolders.musicFolder.id' } },
    { at: 'first copy', ask: 'search3', with: { ...nothing, query: '""', artistCount: 500 }, reads: each('searchResult3.artist', 'id', 'name'), keeps: { artist: 'searchResult3.artist.id' } },
    { at: 'first copy', ask: 'search3', with: { ...nothing, query: '""', albumCount: 500, musicFolderId: '{folder}' }, reads: each('searchResult3.album', ...album), keeps: { cover: 'searchResult3.album.coverArt' } },
    { at: 'first copy', ask: 'search3', with: { ...nothing, query: '""', songCount: 500, musicFolderId: '{folder}' }, reads: each('searchResult3.song', ...song, 'isDir', 'artistId'), keeps: { song: 'searchResult3.song.id' } },
    { at: 'first copy', ask: 'search3', with: { ...nothing, query: '""', songCount: 500, songOffset: 500 }, reads: ['searchResult3'] },
    { at: 'first copy', ask: 'getGenres', reads: each('genres.genre', 'value', 'songCount', 'albumCount') },
    { at: 'first copy', ask: 'getBookmarks', reads: ['bookmarks'] },
    { at: 'first copy', ask: 'getStarred2', reads: each('starred2.song', 'id', 'starred') },
    { at: 'first copy', ask: 'getInternetRadioStations', reads: ['internetRadioStations'] },
    { at: 'playlists', ask: 'getPlaylists', reads: each('playlists.playlist', 'id', 'name', 'songCount', 'duration', 'created', 'changed'), keeps: { list: 'playlists.playlist.id' } },
    { at: 'playlists', ask: 'getPlaylist', with: { id: '{list}' }, reads: each('playlist.entry', 'id', 'title', 'isDir') },
    { at: 'opening an artist', ask: 'getArtistInfo2', with: { id: 'ar-00DemoSing0001' }, reads: ['artistInfo2.biography'] },
    { at: 'playing', ask: 'ping' },
    { at: 'playing', ask: 'stream', with: { id: '{song}', format: 'raw' }, manner: { http: 'GET', view: true, headers: { 'range': 'bytes=0-', 'user-agent': 'Lavf/60.3.100' } }, leads: 'audio' },
    { at: 'playing', ask: 'scrobble', with: { id: '{song}', submission: false } },
    { at: 'playing', ask: 'getLyricsBySongId', with: { id: '{song}' }, reads: [...each('lyricsList.structuredLyrics', 'lang', 'synced'), 'lyricsList.structuredLyrics.line.value'] },
    { at: 'playing', ask: 'getCoverArt', with: { id: '{cover}', size: 600 }, leads: 'image' },
    { at: 'playing', ask: 'scrobble', with: { id: '{song}', submission: true, time: 1_760_000_000_000 } }
  ]
}

/** Asks without `.view`, and its addresses for players and pictures have no format. Lists that are missing in an answer stop it. */
export const tempo: Client = {
  name: 'Tempo 3.x',
  source: ['CappielloAntonio/tempo: subsonic/Subsonic.java, subsonic/api/**/*Service.java, repository/*Repository.java, util/MusicUtil.java'],
  manner: { http: 'GET', view: false },
  common: { v: '1.15.0', c: 'Tempo', f: 'json' },
  proofs: ['token', 'hidden'],
  steps: [
    { at: 'adding the server', ask: 'ping', reads: ['status', 'version', 'type', 'serverVersion', 'openSubsonic'] },
    { at: 'adding the server', ask: 'getOpenSubsonicExtensions', reads: ['openSubsonicExtensions.name'] },
    ...(['random', 'frequent', 'recent'] as const).map((type) => ({ at: 'home', ask: 'getAlbumList2', with: { type, size: 20, offset: 0 }, reads: each('albumList2.album', ...album) })),
    { at: 'home', ask: 'getAlbumList2', with: { type: 'newest', size: 20, offset: 0 }, reads: each('albumList2.album', 'id', 'name', 'coverArt') },
    { at: 'home', ask: 'getAlbumList2', with: { type: 'byYear', size: 1, offset: 0, fromYear: 1900, toYear: 2026 }, reads: ['albumList2.album.year'] },
    { at: 'home', ask: 'getAlbumList2', with: { type: 'byYear', size: 1, offset: 0, fromYear: 2026, toYear: 1900 }, reads: ['albumList2.album.year'], keeps: { album: 'albumList2.album.id', cover: 'albumList2.album.coverArt' } },
    { at: 'home', ask: 'getStarred2', reads: each('starred2.song', ...song) },
    { at: 'home', ask: 'getRandomSongs', with: { size: 10 }, reads: each('randomSongs.song', ...song) },
    { at: 'opening an album', ask: 'getAlbum', with: { id: '{album}' }, reads: each('album.song', ...song), keeps: { song: 'album.song.id', artist: 'album.song.artistId', artistNames: 'album.song.artist', title: 'album.song.title' } },
    { at: 'opening an album', ask: 'getAlbumInfo2', with: { id: '{album}' }, reads: ['albumInfo.notes'] },
    { at: 'opening an album', ask: 'getSimilarSongs2', with: { id: '{album}', count: 20 }, reads: each('similarSongs2.song', ...song) },
    { at: 'artists', ask: 'getArtists', reads: each('artists.index.artist', 'id', 'name', 'albumCount') },
    { at: 'opening an artist', ask: 'getArtist', with: { id: '{artist}' }, reads: [...each('artist', 'id', 'name'), ...each('artist.album', 'id', 'name', 'year')], keeps: { artistName: 'artist.name' } },
    { at: 'opening an artist', ask: 'getArtistInfo2', with: { id: 'ar-00DemoSing0001' }, reads: ['artistInfo2.biography', ...each('artistInfo2.similarArtist', 'id', 'name')] },
    { at: 'opening an artist', ask: 'getTopSongs', with: { artist: '{artistName}', count: 20 }, reads: each('topSongs.song', ...song) },
    { at: 'genres', ask: 'getGenres', reads: each('genres.genre', 'value', 'songCount', 'albumCount'), keeps: { genre: 'genres.genre.value' } },
    { at: 'genres', ask: 'getSongsByGenre', with: { genre: '{genre}', count: 100, offset: 0 }, reads: each('songsByGenre.song', ...song) },
    { at: 'searching', ask: 'search3', with: { query: 'lig', songCount: 5, albumCount: 5, artistCount: 5 }, reads: ['searchResult3'] },
    { at: 'searching', ask: 'search3', with: { query: 'light', songCount: 20, albumCount: 20, artistCount: 20 }, reads: each('searchResult3.song', ...song) },
    { at: 'playlists', ask: 'getPlaylists', reads: each('playlists.playlist', 'id', 'name', 'songCount', 'duration'), keeps: { list: 'playlists.playlist.id' } },
    { at: 'playlists', ask: 'getPlaylist', with: { id: '{list}' }, reads: each('playlist.entry', ...song) },
    { at: 'folders', ask: 'getMusicFolders', reads: each('musicFolders.musicFolder', 'id', 'name'), keeps: { folder: 'musicFolders.musicFolder.id' } },
    { at: 'folders', ask: 'getIndexes', with: { musicFolderId: '{folder}' }, reads: each('indexes.index.artist', 'id', 'name') },
    { at: 'folders', ask: 'getMusicDirectory', with: { id: '{artist}' }, reads: ['directory.name', ...each('directory.child', 'id', 'isDir', 'title')] },
    { at: 'playing', ask: 'stream', with: { maxBitRate: '320', format: 'mp3', estimateContentLength: 'true', id: '{song}' }, common: { f: undefined }, leads: 'audio' },
    { at: 'playing', ask: 'getCoverArt', with: { size: 300, id: '{cover}' }, common: { f: undefined }, leads: 'image' },
    { at: 'playing', ask: 'getLyrics', with: { artist: '{artistNames}', title: '{title}' }, reads: ['lyrics.value'] },
    { at: 'playing', ask: 'scrobble', with: { id: '{song}', submission: true } },
    { at: 'loading', ask: 'download', with: { id: '{song}' }, common: { f: undefined }, leads: 'audio' },
    { at: 'podcasts', ask: 'getPodcasts', with: { includeEpisodes: 'true' }, reads: ['podcasts'] },
    { at: 'podcasts', ask: 'getNewestPodcasts', with: { count: 20 }, reads: ['newestPodcasts'] },
    { at: 'radio', ask: 'getInternetRadioStations', reads: ['internetRadioStations'] },
    { at: 'sharing', ask: 'getShares', reads: ['shares'] },
    { at: 'queue', ask: 'getPlayQueue', reads: ['playQueue'] },
    { at: 'liking', ask: 'star', with: { id: '{song}' }, fails: 50 },
    { at: 'looking for news', ask: 'getScanStatus', reads: each('scanStatus', 'scanning', 'count') },
    { at: 'looking for news', ask: 'startScan', fails: 50 }
  ]
}

/** Goes through folders or tags, as its settings say, and tries at first what else the server has. */
export const ultrasonic: Client = {
  name: 'Ultrasonic 4.x',
  source: ['ultrasonic/ultrasonic: core/subsonic-api/src/main/kotlin/org/moire/ultrasonic/api/subsonic/SubsonicAPIDefinition.kt, SubsonicAPIClient.kt; ultrasonic/src/main/kotlin/org/moire/ultrasonic/service/RESTMusicService.kt'],
  manner: { http: 'GET', view: true },
  common: { c: 'Ultrasonic', f: 'json', v: '1.7.0' },
  proofs: ['hidden', 'token'],
  steps: [
    { at: 'adding the server', ask: 'ping', reads: ['status', 'version'] },
    { at: 'adding the server', ask: 'getLicense', reads: ['license.valid'] },
    { at: 'adding the server', ask: 'getChatMessages', reads: ['chatMessages'] },
    { at: 'adding the server', ask: 'getBookmarks', reads: ['bookmarks'] },
    { at: 'adding the server', ask: 'getShares', reads: ['shares'] },
    { at: 'adding the server', ask: 'getPodcasts', reads: ['podcasts'] },
    { at: 'adding the server', ask: 'getVideos', reads: ['videos'] },
    { at: 'adding the server', ask: 'jukeboxControl', with: { action: 'status' }, fails: 50 },
    { at: 'folders', ask: 'getMusicFolders', reads: each('musicFolders.musicFolder', 'id', 'name') },
    { at: 'folders', ask: 'getIndexes', reads: ['indexes.lastModified', ...each('indexes.index.artist', 'id', 'name')], keeps: { artist: 'indexes.index.artist.id' } },
    { at: 'folders', ask: 'getMusicDirectory', with: { id: '{artist}' }, reads: [...each('directory', 'id', 'name'), ...each('directory.child', 'id', 'isDir', 'title')], keeps: { album: 'directory.child.id' } },
    { at: 'folders', ask: 'getMusicDirectory', with: { id: '{album}' }, reads: each('directory.child', ...song), keeps: { song: 'directory.child.id', title: 'directory.child.title', names: 'directory.child.artist', cover: 'directory.child.coverArt' } },
    { at: 'tags', ask: 'getArtists', reads: each('artists.index.artist', 'id', 'name') },
    { at: 'tags', ask: 'getArtist', with: { id: '{artist}' }, reads: each('artist.album', 'id', 'name') },
    { at: 'tags', ask: 'getAlbum', with: { id: '{album}' }, reads: each('album.song', ...song) },
    { at: 'lists', ask: 'getAlbumList', with: { type: 'newest', size: 20, offset: 0 }, reads: each('albumList.album', 'id', 'isDir', 'title') },
    { at: 'lists', ask: 'getAlbumList2', with: { type: 'alphabeticalByArtist', size: 20, offset: 0 }, reads: each('albumList2.album', 'id', 'name') },
    { at: 'lists', ask: 'getStarred', reads: each('starred.song', ...song) },
    { at: 'lists', ask: 'getStarred2', reads: each('starred2.song', ...song) },
    { at: 'searching', ask: 'search2', with: { query: 'light', artistCount: 3, albumCount: 5, songCount: 10 }, reads: [...each('searchResult2.album', 'id', 'isDir', 'title'), ...each('searchResult2.song', ...song)] },
    { at: 'playing', ask: 'stream', with: { id: '{song}', maxBitRate: 320 }, manner: { http: 'GET', view: true, headers: { range: 'bytes=0-' } }, leads: 'audio' },
    { at: 'playing', ask: 'getCoverArt', with: { id: '{cover}', size: 256 }, leads: 'image' },
    { at: 'playing', ask: 'getLyrics', with: { artist: '{names}', title: '{title}' }, reads: ['lyrics.value'] },
    { at: 'playing', ask: 'scrobble', with: { id: '{song}', submission: 'false' } },
    { at: 'playing', ask: 'getUser', with: { username: 'demo' }, reads: each('user', 'username', 'adminRole', 'downloadRole', 'streamRole', 'shareRole') }
  ]
}
