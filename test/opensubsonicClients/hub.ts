/** Music Assistant, the hub of Home Assistant. */
import { recorded, type Client } from './types.ts'

/** Its library makes records of answers, and throws where one of these is missing. */
const album = 'id,name,songCount,duration,created'
const song = 'id,isDir,title'
const used = `${song},duration,contentType,artistId,artist,coverArt`
const list = 'id,name,songCount,duration,created,changed'

/**
 * Asks with GET, and takes every status from 400 on as an outage. Its copy looks at the album of each song, at what is
 * known about that album, and at the lyric of each song.
 */
export const musicAssistant: Client = {
  name: 'Music Assistant 2.x',
  source: ['music-assistant/server: music_assistant/providers/opensubsonic/sonic_provider.py, parsers.py', 'khers/py-opensonic: src/libopensonic/_async/connection.py, media/media_types.py'],
  manner: { http: 'GET', view: true }, common: { f: 'json', v: '1.16.1', c: 'Music Assistant' }, proofs: ['token', 'hidden', 'key'],
  steps: recorded(`
    adding the server: ping; getOpenSubsonicExtensions openSubsonicExtensions(name,versions)
    first copy: getArtists artists.index.name artists.index.artist(id,name);
      getAlbumList2?type=alphabeticalByArtist&size=200&offset=0 albumList2.album(${album},artistId,artist) album=albumList2.album.id cover=albumList2.album.coverArt;
      getAlbumList2?type=alphabeticalByArtist&size=200&offset=200 albumList2;
      search3?query=&artistCount=0&artistOffset=0&albumCount=0&albumOffset=0&songCount=200&songOffset=0 searchResult3.song(${used},album,albumId) song=searchResult3.song.id songAlbum=searchResult3.song.albumId;
      getAlbum?id={songAlbum} album(${album}) album.song(${used}); getAlbumInfo2?id={songAlbum} albumInfo(notes,smallImageUrl);
      getLyricsBySongId?id={song} lyricsList.structuredLyrics(lang,synced) lyricsList.structuredLyrics.line.value;
      search3?query=&artistCount=0&artistOffset=0&albumCount=0&albumOffset=0&songCount=200&songOffset=200 searchResult3;
      getPlaylists playlists.playlist(${list}) list=playlists.playlist.id; getPodcasts?includeEpisodes=True podcasts; getInternetRadioStations internetRadioStations
    home: getNewestPodcasts?count=10 newestPodcasts; getStarred2 starred2.song(${used});
      getAlbumList2?type=newest&size=10&offset=0 albumList2.album(${album}) fresh=albumList2.album.id; getAlbumList2?type=frequent&size=10&offset=0 albumList2.album(${album});
      getAlbum?id={fresh} album(${album})
    opening an album: getAlbum?id={album} album.song(${used}) artist=album.song.artistId
    opening an artist: getArtist?id={artist} artist(id,name) artist.album(${album}) artistName=artist.name;
      getArtistInfo2?id={artist}&count=20&includeNotPresent=False artistInfo2.smallImageUrl; getTopSongs?artist={artistName}&count=50 topSongs.song(${used})
    opening a playlist: getPlaylist?id={list} playlist(${list}) playlist.entry(${used})
    searching: search3?query=light&artistCount=20&artistOffset=0&albumCount=20&albumOffset=0&songCount=20&songOffset=0 searchResult3.album(${album}) searchResult3.song(${song})
    playing: getSong?id={song} song(${used}); stream?id={song}&maxBitRate=0&format=raw&estimateContentLength=True&converted=False >audio; getCoverArt?id={cover} >image
    going on: getSimilarSongs?id={song}&count=25 similarSongs.song(${used})
    going back: getBookmarks bookmarks
    liking: star?id={song} !50
    changing a playlist: createPlaylist?name=Mine !50; updatePlaylist?playlistId={list}&songIdToAdd={song} !50
    asking for what is gone: getAlbum?id=al-00NoSuchAlbum !70; getArtist?id=ar-00NoSuchSing !70; getSong?id=so-00NoSuchSong !70; getPlaylist?id=pl-1 !70
  `)
}
