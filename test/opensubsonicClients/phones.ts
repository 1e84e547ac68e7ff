/** Players for phones that read JSON: Symfonium, Tempo and Ultrasonic. */
import { recorded, type Client } from './types.ts'

const album = 'id,name,artist,songCount,duration,created'
const song = 'id,title,artist,duration,size,suffix,contentType,coverArt'

/**
 * Its source is closed. Threads of servers have its requests: the copy by search3 with two quotation marks for no
 * words, what it asks besides (a field that the standard requires and that is missing ends the whole copy), and what it
 * asks while it plays.
 */
export const symfonium: Client = {
  name: 'Symfonium 11 to 14',
  source: ['threads koel/koel#2619, sentriz/gonic#229, kagemomiji/airsonic-advanced#333, Chevron7Locked/kima-hub#126, navidrome/navidrome#3719, ampache/ampache#4220'],
  manner: { http: 'GET', view: true }, common: { v: '1.13.0', c: 'Symfonium', f: 'json' }, proofs: ['token', 'plain', 'key'],
  steps: recorded(`
    adding the server: ping version type serverVersion openSubsonic; getOpenSubsonicExtensions openSubsonicExtensions(name,versions);
      getMusicFolders musicFolders.musicFolder(id,name) folder=musicFolders.musicFolder.id
    first copy: search3?songOffset=0&songCount=0&albumOffset=0&albumCount=0&artistOffset=0&artistCount=500&query="" searchResult3.artist(id,name) artist=searchResult3.artist.id;
      search3?songOffset=0&songCount=0&albumOffset=0&albumCount=500&artistOffset=0&artistCount=0&query=""&musicFolderId={folder} searchResult3.album(${album}) cover=searchResult3.album.coverArt;
      search3?songOffset=0&songCount=500&albumOffset=0&albumCount=0&artistOffset=0&artistCount=0&query=""&musicFolderId={folder} searchResult3.song(${song},isDir,artistId) song=searchResult3.song.id;
      search3?songOffset=500&songCount=500&albumOffset=0&albumCount=0&artistOffset=0&artistCount=0&query="" searchResult3; getGenres genres.genre(value,songCount,albumCount);
      getBookmarks bookmarks; getStarred2 starred2.song(id,starred); getInternetRadioStations internetRadioStations
    playlists: getPlaylists playlists.playlist(id,name,songCount,duration,created,changed) list=playlists.playlist.id; getPlaylist?id={list} playlist.entry(id,title,isDir)
    opening an artist: getArtistInfo2?id=ar-00DemoSing0001 artistInfo2.biography
    playing: ping; [play]stream?id={song}&format=raw >audio; scrobble?id={song}&submission=false;
      getLyricsBySongId?id={song} lyricsList.structuredLyrics(lang,synced) lyricsList.structuredLyrics.line.value; getCoverArt?id={cover}&size=600 >image;
      scrobble?id={song}&submission=true&time=1760000000000
  `, { play: { manner: { http: 'GET', view: true, headers: { 'range': 'bytes=0-', 'user-agent': 'Lavf/60.3.100' } } } })
}

/** Asks without `.view`, and its addresses for players and pictures have no format. Lists that are missing in an answer stop it. */
export const tempo: Client = {
  name: 'Tempo 3.x',
  source: ['CappielloAntonio/tempo: subsonic/Subsonic.java, subsonic/api/**/*Service.java, repository/*Repository.java, util/MusicUtil.java'],
  manner: { http: 'GET', view: false }, common: { v: '1.15.0', c: 'Tempo', f: 'json' }, proofs: ['token', 'hidden'],
  steps: recorded(`
    adding the server: ping status version type serverVersion openSubsonic; getOpenSubsonicExtensions openSubsonicExtensions.name
    home: getAlbumList2?type=random&size=20&offset=0 albumList2.album(${album}); getAlbumList2?type=frequent&size=20&offset=0 albumList2.album(${album});
      getAlbumList2?type=recent&size=20&offset=0 albumList2.album(${album}); getAlbumList2?type=newest&size=20&offset=0 albumList2.album(id,name,coverArt);
      getAlbumList2?type=byYear&size=1&offset=0&fromYear=1900&toYear=2026 albumList2.album.year;
      getAlbumList2?type=byYear&size=1&offset=0&fromYear=2026&toYear=1900 albumList2.album.year album=albumList2.album.id cover=albumList2.album.coverArt;
      getStarred2 starred2.song(${song}); getRandomSongs?size=10 randomSongs.song(${song})
    opening an album: getAlbum?id={album} album.song(${song}) song=album.song.id artist=album.song.artistId artistNames=album.song.artist title=album.song.title;
      getAlbumInfo2?id={album} albumInfo.notes; getSimilarSongs2?id={album}&count=20 similarSongs2.song(${song})
    artists: getArtists artists.index.artist(id,name,albumCount)
    opening an artist: getArtist?id={artist} artist(id,name) artist.album(id,name,year) artistName=artist.name;
      getArtistInfo2?id=ar-00DemoSing0001 artistInfo2.biography artistInfo2.similarArtist(id,name); getTopSongs?artist={artistName}&count=20 topSongs.song(${song})
    genres: getGenres genres.genre(value,songCount,albumCount) genre=genres.genre.value; getSongsByGenre?genre={genre}&count=100&offset=0 songsByGenre.song(${song})
    searching: search3?query=lig&songCount=5&albumCount=5&artistCount=5 searchResult3;
      search3?query=light&songCount=20&albumCount=20&artistCount=20 searchResult3.song(${song})
    playlists: getPlaylists playlists.playlist(id,name,songCount,duration) list=playlists.playlist.id; getPlaylist?id={list} playlist.entry(${song})
    folders: getMusicFolders musicFolders.musicFolder(id,name) folder=musicFolders.musicFolder.id; getIndexes?musicFolderId={folder} indexes.index.artist(id,name);
      getMusicDirectory?id={artist} directory.name directory.child(id,isDir,title)
    playing: [made]stream?maxBitRate=320&format=mp3&estimateContentLength=true&id={song} >audio; [made]getCoverArt?size=300&id={cover} >image;
      getLyrics?artist={artistNames}&title={title} lyrics.value; scrobble?id={song}&submission=true
    loading: [made]download?id={song} >audio
    podcasts: getPodcasts?includeEpisodes=true podcasts; getNewestPodcasts?count=20 newestPodcasts
    radio: getInternetRadioStations internetRadioStations
    sharing: getShares shares
    queue: getPlayQueue playQueue
    liking: star?id={song} !50
    looking for news: getScanStatus scanStatus(scanning,count); startScan !50
  `, { made: { common: { f: undefined } } })
}

/** Goes through folders or tags, as its settings say, and tries at first what else the server has. */
export const ultrasonic: Client = {
  name: 'Ultrasonic 4.x',
  source: ['ultrasonic/ultrasonic: core/subsonic-api/src/main/kotlin/org/moire/ultrasonic/api/subsonic/SubsonicAPIDefinition.kt, SubsonicAPIClient.kt; ultrasonic/src/main/kotlin/org/moire/ultrasonic/service/RESTMusicService.kt'],
  manner: { http: 'GET', view: true }, common: { c: 'Ultrasonic', f: 'json', v: '1.7.0' }, proofs: ['hidden', 'token'],
  steps: recorded(`
    adding the server: ping status version; getLicense license.valid; getChatMessages chatMessages; getBookmarks bookmarks; getShares shares; getPodcasts podcasts;
      getVideos videos; jukeboxControl?action=status !50
    folders: getMusicFolders musicFolders.musicFolder(id,name); getIndexes indexes.lastModified indexes.index.artist(id,name) artist=indexes.index.artist.id;
      getMusicDirectory?id={artist} directory(id,name) directory.child(id,isDir,title) album=directory.child.id;
      getMusicDirectory?id={album} directory.child(${song}) song=directory.child.id title=directory.child.title names=directory.child.artist cover=directory.child.coverArt
    tags: getArtists artists.index.artist(id,name); getArtist?id={artist} artist.album(id,name); getAlbum?id={album} album.song(${song})
    lists: getAlbumList?type=newest&size=20&offset=0 albumList.album(id,isDir,title); getAlbumList2?type=alphabeticalByArtist&size=20&offset=0 albumList2.album(id,name);
      getStarred starred.song(${song}); getStarred2 starred2.song(${song})
    searching: search2?query=light&artistCount=3&albumCount=5&songCount=10 searchResult2.album(id,isDir,title) searchResult2.song(${song})
    playing: [play]stream?id={song}&maxBitRate=320 >audio; getCoverArt?id={cover}&size=256 >image; getLyrics?artist={names}&title={title} lyrics.value;
      scrobble?id={song}&submission=false; getUser?username=demo user(username,adminRole,downloadRole,streamRole,shareRole)
  `, { play: { manner: { http: 'GET', view: true, headers: { range: 'bytes=0-' } } } })
}
