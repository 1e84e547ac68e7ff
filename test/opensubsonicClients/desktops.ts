/** Players for desktops: Feishin and Supersonic. */
import { recorded, type Client } from './types.ts'

const album = 'id,name,artist,songCount,duration,created'
const song = 'id,title,contentType,artist,duration,size,path,coverArt'
const owned = `${song},album,albumId,starred`

/**
 * Begins with GET, and posts everything as soon as the server says that it takes forms. Two methods are asked without
 * `.view`. It reads `contentType` of every song, and `album.song` and `albumList2.album` without a look whether they
 * are there.
 */
export const feishin: Client = {
  name: 'Feishin 1.x',
  source: ['jeffvli/feishin: src/renderer/api/subsonic/subsonic-api.ts, subsonic-controller.ts; src/shared/api/subsonic/subsonic-normalize.ts'],
  manner: { http: 'POST', view: true }, common: { c: 'Feishin', f: 'json', v: '1.13.0' }, proofs: ['token', 'plain'],
  steps: recorded(`
    adding the server: [get]getUser?username=demo user(username,adminRole); [get]ping version openSubsonic serverVersion type;
      [get]getOpenSubsonicExtensions openSubsonicExtensions(name,versions); getMusicFolders musicFolders.musicFolder(id,name) folder=musicFolders.musicFolder.id
    home: getPlaylists playlists.playlist(id,name,songCount,duration,public,owner,changed) list=playlists.playlist.id;
      getAlbumList2?type=random&offset=0&size=15 albumList2.album(${album}); getAlbumList2?type=recent&offset=0&size=15 albumList2.album(${album});
      getAlbumList2?type=frequent&offset=0&size=15 albumList2.album(${album});
      getAlbumList2?type=newest&offset=0&size=15&musicFolderId={folder} albumList2.album(id,name,created,coverArt); getStarred?musicFolderId={folder} starred.song(${owned})
    albums: getAlbumList2?type=alphabeticalByName&offset=0&size=500 albumList2.album(${album}) album=albumList2.album.id cover=albumList2.album.coverArt;
      getAlbumList2?type=byYear&fromYear=0&toYear=2026&offset=0&size=100 albumList2.album(${album})
    opening an album: getAlbum?id={album} album(${album}) album.song(${owned}) song=album.song.id artist=album.song.artistId
    artists: getArtists artists.index.artist(id,name,albumCount)
    opening an artist: getArtistInfo?id=ar-00DemoSing0001 artistInfo.similarArtist(id,name);
      getArtist?id={artist} artist(id,name) artist.album(id,name,created,duration,songCount) artistName=artist.name theirs=artist.album.id;
      getTopSongs?artist={artistName}&count=10 topSongs.song(${song}); getAlbum?id={theirs} album.song(${song})
    songs: search3?artistCount=0&artistOffset=0&albumCount=0&albumOffset=0&songCount=1&songOffset=0&query= searchResult3.song.id;
      search3?artistCount=0&artistOffset=0&albumCount=0&albumOffset=0&songCount=1&songOffset=5000&query= searchResult3;
      search3?artistCount=0&artistOffset=0&albumCount=0&albumOffset=0&songCount=500&songOffset=0&query= searchResult3.song(${owned})
    genres: getGenres genres.genre(value,songCount,albumCount) genre=genres.genre.value;
      getSongsByGenre?count=1&genre={genre}&offset=0&musicFolderId={folder} songsByGenre.song(${song});
      getAlbumList2?type=byGenre&genre={genre}&offset=0&size=100 albumList2.album
    searching: search3?query=light&artistCount=4&artistOffset=0&albumCount=4&albumOffset=0&songCount=4&songOffset=0 searchResult3.album(id,name,created) searchResult3.song(id,title,contentType)
    opening a playlist: getPlaylist?id={list} playlist(id,name,songCount,duration,owner) playlist.entry(${song})
    folders: getIndexes?musicFolderId={folder} indexes.index.artist(id,name); getMusicDirectory?id={artist} directory.child(id,title,isDir);
      getMusicDirectory?id={album} directory.child(${song})
    playing: [made]stream?id={song} >audio; [made]getCoverArt?id={cover}&size=300 >image; scrobble?id={song}&submission=false;
      getLyricsBySongId?id={song} lyricsList.structuredLyrics(lang,synced) lyricsList.structuredLyrics.line(value,start); getSong?id={song} song(${song});
      scrobble?id={song}&submission=true
    going on: [bare]getSimilarSongs?id={song}&count=50 similarSongs.song(${song}); getSimilarSongs2?id={artist}&count=50 similarSongs2.song(${song});
      getRandomSongs?size=100&musicFolderId={folder} randomSongs.song(${song})
    queue: savePlayQueue?current={song}&id={song}&position=1000; getPlayQueue playQueue(changed,username,current,position)
    radio: getInternetRadioStations internetRadioStations
    loading: [made]download?id={song} >audio
    liking: star?id={song} !50; unstar?albumId={album} !50; setRating?id={song}&rating=5 !50
    changing a playlist: createPlaylist?name=Mine !50; updatePlaylist?playlistId={list}&songIdToAdd={song} !50;
      updatePlaylist?playlistId={list}&songIndexToRemove=1&songIndexToRemove=0 !50; deletePlaylist?id={list} !50
  `, {
    get: { manner: { http: 'GET', view: true } },
    // Addresses that it makes itself, for a player and for pictures: without a format.
    made: { manner: { http: 'GET', view: true }, common: { f: undefined } },
    bare: { manner: { http: 'POST', view: false } }
  })
}

const row = 'id,title,artist,duration,path,size,bitRate,coverArt'
const head = 'id,name,artist,coverArt,songCount,duration,created'

/** Reads XML. What is said about singers and albums it looks for in elements, not in attributes. */
export const supersonic: Client = {
  name: 'Supersonic 0.x',
  source: ['dweymouth/supersonic: backend/mediaprovider/subsonic/subsonicmediaprovider.go, albumiterator.go, searchall.go', 'supersonic-app/go-subsonic: subsonic/client.go, models.go'],
  manner: { http: 'GET', view: false }, common: { f: 'xml', v: '1.8.0', c: 'supersonic' }, proofs: ['token', 'plain'],
  steps: recorded(`
    adding the server: ping version
    albums: getAlbumList2?type=newest&size=20&offset=0 albumList2.album(id,name,created,coverArt); getAlbumList2?type=recent&size=20&offset=0 albumList2.album(${head});
      getAlbumList2?type=frequent&size=20&offset=0 albumList2.album(${head}); getAlbumList2?type=random&size=20&offset=0 albumList2.album(${head});
      getAlbumList2?type=alphabeticalByName&size=20&offset=0 albumList2.album(${head}); getAlbumList2?type=alphabeticalByArtist&size=20&offset=0 albumList2.album(${head});
      getAlbumList2?type=byYear&fromYear=3000&toYear=0&offset=0&limit=20 albumList2.album(${head}) album=albumList2.album.id cover=albumList2.album.coverArt;
      getAlbumList2?type=starred&size=20&offset=0 albumList2.album.id
    opening an album: getAlbum?id={album} album(${head}) album.song(${row}) song=album.song.id artist=album.song.artistId; getAlbumInfo?id={album} albumInfo.notes
    artists: getArtists artists.index.artist(id,name,albumCount,coverArt)
    opening an artist: getArtist?id={artist} artist(id,name) artist.album(id,name,created) artistName=artist.name; getArtistInfo2?id={artist} artistInfo2.largeImageUrl;
      getArtistInfo2?id=ar-00DemoSing0001 artistInfo2.biography artistInfo2.similarArtist(id,name); getTopSongs?artist={artistName}&count=20 topSongs.song(${row});
      getSimilarSongs2?id={artist}&count=20 similarSongs2.song(${row})
    favourites: getStarred2 starred2.song(${row},starred)
    genres: getGenres genres.genre(value,songCount,albumCount) genre=genres.genre.value; getRandomSongs?size=20&genre={genre} randomSongs.song(${row})
    playlists: getPlaylists playlists.playlist(id,name,songCount,duration,owner,public) list=playlists.playlist.id
    opening a playlist: getPlaylist?id={list} playlist(id,name,songCount) playlist.entry(${row})
    searching: search3?query=light&artistCount=6&albumCount=6&songCount=6 searchResult3.album(id,name) searchResult3.song(${row})
    playing: stream?id={song}&format=raw >audio; getCoverArt?id={cover}&size=250 >image; scrobble?id={song}&time=1760000000000&submission=false;
      getLyricsBySongId?id={song} lyricsList.structuredLyrics.line.value; getSong?id={song} song(${row})
    loading: download?id={song} >audio
    liking: star?id={song} !50
    looking for news: startScan !50
  `)
}
