/** The table of methods, with one import and one key each. Everything else is derived from it. */
import type { AnyMethod } from '../method.ts'
import { download } from './download.ts'
import { emptyLists } from './emptyLists.ts'
import { getAlbum } from './getAlbum.ts'
import { getAlbumInfo } from './getAlbumInfo.ts'
import { getAlbumInfo2 } from './getAlbumInfo2.ts'
import { getAlbumList } from './getAlbumList.ts'
import { getAlbumList2 } from './getAlbumList2.ts'
import { getArtist } from './getArtist.ts'
import { getArtistInfo } from './getArtistInfo.ts'
import { getArtistInfo2 } from './getArtistInfo2.ts'
import { getArtists } from './getArtists.ts'
import { getAvatar } from './getAvatar.ts'
import { getCoverArt } from './getCoverArt.ts'
import { getGenres } from './getGenres.ts'
import { getIndexes } from './getIndexes.ts'
import { getInternetRadioStations } from './getInternetRadioStations.ts'
import { getLicense } from './getLicense.ts'
import { getLyrics } from './getLyrics.ts'
import { getLyricsBySongId } from './getLyricsBySongId.ts'
import { getMusicDirectory } from './getMusicDirectory.ts'
import { getMusicFolders } from './getMusicFolders.ts'
import { getOpenSubsonicExtensions } from './getOpenSubsonicExtensions.ts'
import { getPlaylist } from './getPlaylist.ts'
import { getPlaylists } from './getPlaylists.ts'
import { getRandomSongs } from './getRandomSongs.ts'
import { getScanStatus } from './getScanStatus.ts'
import { getSimilarSongs } from './getSimilarSongs.ts'
import { getSimilarSongs2 } from './getSimilarSongs2.ts'
import { getSong } from './getSong.ts'
import { getSongsByGenre } from './getSongsByGenre.ts'
import { getStarred } from './getStarred.ts'
import { getStarred2 } from './getStarred2.ts'
import { getTopSongs } from './getTopSongs.ts'
import { getUser } from './getUser.ts'
import { ping } from './ping.ts'
import { refusedWrites } from './refusedWrites.ts'
import { scrobble } from './scrobble.ts'
import { search2 } from './search2.ts'
import { search3 } from './search3.ts'
import { stream } from './stream.ts'
import { tokenInfo } from './tokenInfo.ts'

export const methods = {
  download,
  getAlbum,
  getAlbumInfo,
  getAlbumInfo2,
  getAlbumList,
  getAlbumList2,
  getArtist,
  getArtistInfo,
  getArtistInfo2,
  getArtists,
  getAvatar,
  getCoverArt,
  getGenres,
  getIndexes,
  getInternetRadioStations,
  getLicense,
  getLyrics,
  getLyricsBySongId,
  getMusicDirectory,
  getMusicFolders,
  getOpenSubsonicExtensions,
  getPlaylist,
  getPlaylists,
  getRandomSongs,
  getScanStatus,
  getSimilarSongs,
  getSimilarSongs2,
  getSong,
  getSongsByGenre,
  getStarred,
  getStarred2,
  getTopSongs,
  getUser,
  ping,
  scrobble,
  search2,
  search3,
  stream,
  tokenInfo,
  ...emptyLists,
  ...refusedWrites
} satisfies Readonly<Record<string, AnyMethod>>
