/** Players for phones that read XML: Amperfy and DSub. */
import { recorded, type Client } from './types.ts'

const album = 'id,name,coverArt,songCount,duration'
const song = 'id,title,isDir,artist,duration,size,contentType,suffix,coverArt'

/** Never says which format it wants. */
export const amperfy: Client = {
  name: 'Amperfy 2.x',
  source: ['BLeeEZ/amperfy: AmperfyKit/Api/Subsonic/SubsonicServerApi.swift, SubsonicLibrarySyncer.swift, Ss*ParserDelegate.swift'],
  manner: { http: 'GET', view: true }, common: { v: '1.13.0', c: 'Amperfy' }, proofs: ['token', 'plain'],
  steps: recorded(`
    adding the server: ping version status
    first copy: getGenres genres.genre.value; getArtists artists.index.artist(id,name,albumCount,coverArt);
      getAlbumList2?type=alphabeticalByName&size=500&offset=0 albumList2.album(${album}) album=albumList2.album.id;
      getAlbumList2?type=alphabeticalByName&size=500&offset=500 albumList2; getPlaylists playlists.playlist(id,name,songCount,duration) list=playlists.playlist.id;
      getPodcasts?includeEpisodes=false podcasts
    home: getAlbumList2?type=newest&size=50&offset=0 albumList2.album(id,name,coverArt); getAlbumList2?type=recent&size=50&offset=0 albumList2.album(${album});
      getRandomSongs?size=100 randomSongs.song(${song}); getStarred2 starred2.song(${song}); getNewestPodcasts?count=20 newestPodcasts;
      getInternetRadioStations internetRadioStations
    opening an album: getAlbum?id={album} album(${album}) album.song(${song}) song=album.song.id artist=album.song.artistId cover=album.song.coverArt
    opening an artist: getArtist?id={artist} artist(id,name) artist.album(id,name)
    opening a playlist: getPlaylist?id={list} playlist(id,name,songCount) playlist.entry(${song})
    searching: search3?artistCount=40&artistOffset=0&albumCount=0&albumOffset=0&songCount=0&songOffset=0&query=light searchResult3;
      search3?artistCount=0&artistOffset=0&albumCount=40&albumOffset=0&songCount=0&songOffset=0&query=light searchResult3.album(id,name);
      search3?artistCount=0&artistOffset=0&albumCount=0&albumOffset=0&songCount=40&songOffset=0&query=light searchResult3.song(${song})
    folders: getMusicFolders musicFolders.musicFolder(id,name) folder=musicFolders.musicFolder.id; getIndexes?musicFolderId={folder} indexes.index.artist(id,name);
      getMusicDirectory?id={artist} directory.child(id,title,isDir)
    playing: getOpenSubsonicExtensions openSubsonicExtensions.name;
      getLyricsBySongId?id={song} lyricsList.structuredLyrics(synced,lang) lyricsList.structuredLyrics.line(start,value); stream?id={song}&format=mp3&maxBitRate=192 >audio;
      getCoverArt?id={cover} >image; getSong?id={song} song(${song}); scrobble?id={song}&submission=false; scrobble?id={song}&date=1760000000&submission=true
    loading: download?id={song} >audio
    liking: star?id={song} !50; setRating?id={song}&rating=5 !50
    changing a playlist: createPlaylist?name=Mine !50; updatePlaylist?playlistId={list}&name=Mine&songIndexToRemove=0&songIndexToRemove=1&songIdToAdd={song} !50
    asking for what is gone: getAlbum?id=al-00NoSuchAlbum !70; getArtist?id=ar-00NoSuchSing !70
  `)
}

/** Posts, with all parameters in the address and no body. The version that it says it speaks is the oldest of all. */
export const dsub: Client = {
  name: 'DSub 5.x',
  source: ['daneren2005/Subsonic: app/src/main/java/github/daneren2005/dsub/service/RESTMusicService.java, service/parser/*.java', 'thread ampache/ampache#1203'],
  manner: { http: 'bare', view: true, headers: { 'user-agent': 'DSub', 'accept-encoding': 'gzip' } },
  common: { v: '1.2.0', c: 'DSub' }, proofs: ['hidden', 'token'],
  steps: recorded(`
    adding the server: ping version type; getLicense license.valid; getUser?username=demo user(username,adminRole,streamRole,downloadRole); getBookmarks bookmarks;
      getAvatar?username=demo >elsewhere
    folders: getMusicFolders musicFolders.musicFolder(id,name) folder=musicFolders.musicFolder.id;
      getIndexes?musicFolderId={folder} indexes.lastModified indexes.index.artist(id,name) artist=indexes.index.artist.id;
      getMusicDirectory?id={artist} directory.child(id,title,isDir) album=directory.child.id;
      getMusicDirectory?id={album} directory.child(${song},path) song=directory.child.id names=directory.child.artist title=directory.child.title cover=directory.child.coverArt
    opening an artist: getArtistInfo?id={artist}&includeNotPresent=true artistInfo.largeImageUrl;
      getArtistInfo?id=ar-00DemoSing0001&includeNotPresent=true artistInfo.biography artistInfo.similarArtist(id,name)
    lists: getAlbumList?type=newest&size=20&offset=0 albumList.album(id,title,isDir);
      getAlbumList?size=20&offset=0&type=byYear&fromYear=2010&toYear=2020 albumList.album(id,title); getStarred starred.song(${song});
      getRandomSongs?size=50&musicFolderId={folder} randomSongs.song(${song}); getGenres genres.genre.value
    searching: search2?query=light&artistCount=5&albumCount=5&songCount=10 searchResult2.song(${song})
    playlists: getPlaylists playlists.playlist(id,name,songCount,owner,public) list=playlists.playlist.id; getPlaylist?id={list} playlist.name playlist.entry(${song})
    playing: stream?id={song}&maxBitRate=320 >audio; getCoverArt?id={cover} >image; getLyrics?artist={names}&title={title} lyrics.value; scrobble?id={song}&submission=true
    going on: getSimilarSongs?id={artist}&count=20 similarSongs.song(${song})
    queue: savePlayQueue?id={song}&current={song}&position=0; getPlayQueue playQueue(changed,current)
    podcasts: getPodcasts?includeEpisodes=false podcasts
  `)
}
