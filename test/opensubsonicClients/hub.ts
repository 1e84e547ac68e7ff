/** Music Assistant, the hub of Home Assistant. */
import { each } from './types.ts'
import type { Client } from './types.ts'

/** Its library makes records of answers, and throws where one of these is missing. */
const album = ['id', 'name', 'songCount', 'duration', 'created'] as const
const song = ['id', 'isDir', 'title'] as const
const used = [...song, 'duration', 'contentType', 'artistId', 'artist', 'coverArt'] as const
const list = ['id', 'name', 'songCount', 'duration', 'created', 'changed'] as const

/**
 * Asks with GET, and takes every status from 400 on as an outage. Its copy looks at the album of each song, at what is known
 * about that album, and at the lyric of each song.
 */
export const musicAssistant: Client = {
  name: 'Music Assistant 2.x',
  source: ['music-assistant/server: music_assistant/providers/opensubsonic/sonic_provider.py, parsers.py', 'khers/py-opensonic: src/libopensonic/_async/connection.py, media/media_types.py'],
  manner: { http: 'GET', view: true },
  common: { f: 'json', v: '1.16.1', c: 'Music Assistant' },
  proofs: ['token', 'hidden', 'key'],
  steps: [
    { at: 'adding the server', ask: 'ping' },
    { at: 'adding the server', ask: 'getOpenSubsonicExtensions', reads: each('openSubsonicExtensions', 'name', 'versions') },
    { at: 'first copy', ask: 'getArtists', reads: ['artists.index.name', ...each('artists.index.artist', 'id', 'name')] },
    { at: 'first copy', ask: 'getAlbumList2', with: { type: 'alphabeticalByArtist', size: 200, offset: 0 }, reads: each('albumList2.album', ...album, 'artistId', 'artist'), keeps: { album: 'albumList2.album.id', cover: 'albumList2.album.coverArt' } },
    { at: 'first copy', ask: 'getAlbumList2', with: { type: 'alphabeticalByArtist', size: 200, offset: 200 }, reads: ['albumList2'] },
    { at: 'first copy', ask: 'search3', with: { query: '', artistCount: 0, artistOffset: 0, albumCount: 0, albumOffset: 0, songCount: 200, songOffset: 0 }, reads: each('searchResult3.song', ...used, 'album', 'albumId'), keeps: { song: 'searchResult3.song.id', songAlbum: 'searchResult3.song.albumId' } },
    { at: 'first copy', ask: 'getAlbum', with: { id: '{songAlbum}' }, reads: [...each('album', ...album), ...each('album.song', ...used)] },
    { at: 'first copy', ask: 'getAlbumInfo2', with: { id: '{songAlbum}' }, reads: each('albumInfo', 'notes', 'smallImageUrl') },
    { at: 'first copy', ask: 'getLyricsBySongId', with: { id: '{song}' }, reads: [...each('lyricsList.structuredLyrics', 'lang', 'synced'), 'lyricsList.structuredLyrics.line.value'] },
    { at: 'first copy', ask: 'search3', with: { query: '', artistCount: 0, artistOffset: 0, albumCount: 0, albumOffset: 0, songCount: 200, songOffset: 200 }, reads: ['searchResult3'] },
    { at: 'first copy', ask: 'getPlaylists', reads: each('playlists.playlist', ...list), keeps: { list: 'playlists.playlist.id' } },
    { at: 'first copy', ask: 'getPodcasts', with: { includeEpisodes: 'True' }, reads: ['podcasts'] },
    { at: 'first copy', ask: 'getInternetRadioStations', reads: ['internetRadioStations'] },
    { at: 'home', ask: 'getNewestPodcasts', with: { count: 10 }, reads: ['newestPodcasts'] },
    { at: 'home', ask: 'getStarred2', reads: each('starred2.song', ...used) },
    { at: 'home', ask: 'getAlbumList2', with: { type: 'newest', size: 10, offset: 0 }, reads: each('albumList2.album', ...album), keeps: { fresh: 'albumList2.album.id' } },
    { at: 'home', ask: 'getAlbumList2', with: { type: 'frequent', size: 10, offset: 0 }, reads: each('albumList2.album', ...album) },
    { at: 'home', ask: 'getAlbum', with: { id: '{fresh}' }, reads: each('album', ...album) },
    { at: 'opening an album', ask: 'getAlbum', with: { id: '{album}' }, reads: each('album.song', ...used), keeps: { artist: 'album.song.artistId' } },
    { at: 'opening an artist', ask: 'getArtist', with: { id: '{artist}' }, reads: [...each('artist', 'id', 'name'), ...each('artist.album', ...album)], keeps: { artistName: 'artist.name' } },
    { at: 'opening an artist', ask: 'getArtistInfo2', with: { id: '{artist}', count: 20, includeNotPresent: 'False' }, reads: ['artistInfo2.smallImageUrl'] },
    { at: 'opening an artist', ask: 'getTopSongs', with: { artist: '{artistName}', count: 50 }, reads: each('topSongs.song', ...used) },
    { at: 'opening a playlist', ask: 'getPlaylist', with: { id: '{list}' }, reads: [...each('playlist', ...list), ...each('playlist.entry', ...used)] },
    { at: 'searching', ask: 'search3', with: { query: 'light', artistCount: 20, artistOffset: 0, albumCount: 20, albumOffset: 0, songCount: 20, songOffset: 0 }, reads: [...each('searchResult3.album', ...album), ...each('searchResult3.song', ...song)] },
    { at: 'playing', ask: 'getSong', with: { id: '{song}' }, reads: each('song', ...used) },
    { at: 'playing', ask: 'stream', with: { id: '{song}', maxBitRate: 0, format: 'raw', estimateContentLength: 'True', converted: 'False' }, leads: 'audio' },
    { at: 'playing', ask: 'getCoverArt', with: { id: '{cover}' }, leads: 'image' },
    { at: 'going on', ask: 'getSimilarSongs', with: { id: '{song}', count: 25 }, reads: each('similarSongs.song', ...used) },
    { at: 'going back', ask: 'getBookmarks', reads: ['bookmarks'] },
    { at: 'liking', ask: 'star', with: { id: ['{song}'] }, fails: 50 },
    { at: 'changing a playlist', ask: 'createPlaylist', with: { name: 'Mine' }, fails: 50 },
    { at: 'changing a playlist', ask: 'updatePlaylist', with: { playlistId: '{list}', songIdToAdd: ['{song}'] }, fails: 50 },
    { at: 'asking for what is gone', ask: 'getAlbum', with: { id: 'al-00NoSuchAlbum' }, fails: 70 },
    { at: 'asking for what is gone', ask: 'getArtist', with: { id: 'ar-00NoSuchSing' }, fails: 70 },
    { at: 'asking for what is gone', ask: 'getSong', with: { id: 'so-00NoSuchSong' }, fails: 70 },
    { at: 'asking for what is gone', ask: 'getPlaylist', with: { id: 'pl-1' }, fails: 70 }
  ]
}
