/** The endpoint registry: one import and one key per endpoint. Everything else is derived from it. */
import type { AnyEndpoint } from '../relay/endpoint.ts'
import { getRanks } from './charts/getRanks.ts'
import { getRankPeriods } from './charts/getRankPeriods.ts'
import { getSongInfo } from './music/getSongInfo.ts'
import { batchGetSongInfo } from './music/batchGetSongInfo.ts'
import { downloadProviderMusic } from './music/downloadProviderMusic.ts'
import { getAlbumInfo } from './music/getAlbumInfo.ts'
import { getLyric } from './music/getLyric.ts'
import { getOtherVersions } from './music/getOtherVersions.ts'
import { getMusicPlay } from './music/getMusicPlay.ts'
import { getHotkey } from './search/getHotkey.ts'
import { stream } from './music/stream.ts'
import { getSearchByKey } from './search/getSearchByKey.ts'
import { getSmartbox } from './search/getSmartbox.ts'
import { resolve } from './search/resolve.ts'
import { search } from './search/search.ts'
import { batchGetSongLists } from './playlists/batchGetSongLists.ts'
import { getNewDisks } from './playlists/getNewDisks.ts'
import { getRelatedPlaylists } from './playlists/getRelatedPlaylists.ts'
import { getSongListCategories } from './playlists/getSongListCategories.ts'
import { getSongListDetail } from './playlists/getSongListDetail.ts'
import { getSongLists } from './playlists/getSongLists.ts'
import { getSingerList } from './singers/getSingerList.ts'
import { getSingerDesc } from './singers/getSingerDesc.ts'
import { getSingerHotsong } from './singers/getSingerHotsong.ts'
import { getSingerAlbum } from './singers/getSingerAlbum.ts'
import { getSingerMv } from './singers/getSingerMv.ts'
import { getSimilarSinger } from './singers/getSimilarSinger.ts'
import { getSingerTab } from './singers/getSingerTab.ts'
import { getSingerStarNum } from './singers/getSingerStarNum.ts'
import { getComments } from './comments/getComments.ts'
import { getMv } from './mv/getMv.ts'
import { getMvPlay } from './mv/getMvPlay.ts'
import { getRelatedMv } from './mv/getRelatedMv.ts'
import { getMvByTag } from './mv/getMvByTag.ts'
import { getImageUrl } from './discover/getImageUrl.ts'
import { cover } from './discover/cover.ts'
import { getDigitalAlbumLists } from './discover/getDigitalAlbumLists.ts'
import { getRadioLists } from './discover/getRadioLists.ts'
import { getRecommend } from './discover/getRecommend.ts'
import { getTicketInfo } from './discover/getTicketInfo.ts'
import { getDailyRecommend } from './recommend/getDailyRecommend.ts'
import { getPersonalRecommend } from './recommend/getPersonalRecommend.ts'
import { getSimilarSongs } from './recommend/getSimilarSongs.ts'
import { getPersonalRadio } from './radio/getPersonalRadio.ts'
import { getRadarSongs } from './radio/getRadarSongs.ts'
import { getRadioSongs } from './radio/getRadioSongs.ts'
import { getUserAvatar } from './user/getUserAvatar.ts'
import { getUserCollectedAlbums } from './user/getUserCollectedAlbums.ts'
import { getUserCollectedPlaylists } from './user/getUserCollectedPlaylists.ts'
import { getUserFollowedSingers } from './user/getUserFollowedSingers.ts'
import { getUserLikedSongs } from './user/getUserLikedSongs.ts'
import { getUserPlaylists } from './user/getUserPlaylists.ts'
import { account } from './user/account.ts'
import { getCookie } from './user/getCookie.ts'
import { getMainLoginQr } from './login/getMainLoginQr.ts'
import { checkMainLoginQr } from './login/checkMainLoginQr.ts'
import { getAltLoginQr } from './login/getAltLoginQr.ts'
import { checkAltLoginQr } from './login/checkAltLoginQr.ts'

export const registry = {
  getRanks,
  getRankPeriods,
  getSongInfo,
  getMusicPlay,
  getLyric,
  getAlbumInfo,
  getOtherVersions,
  batchGetSongInfo,
  downloadProviderMusic,
  stream,
  getSearchByKey,
  search,
  getSmartbox,
  getHotkey,
  resolve,
  getSongLists,
  getSongListCategories,
  getSongListDetail,
  getRelatedPlaylists,
  getNewDisks,
  batchGetSongLists,
  getSingerList,
  getSingerDesc,
  getSingerHotsong,
  getSingerAlbum,
  getSingerMv,
  getSimilarSinger,
  getSingerStarNum,
  getSingerTab,
  getMv,
  getMvPlay,
  getMvByTag,
  getRelatedMv,
  getImageUrl,
  cover,
  getDigitalAlbumLists,
  getRadioLists,
  getRecommend,
  getTicketInfo,
  getComments,
  getUserPlaylists,
  getUserAvatar,
  getUserLikedSongs,
  getUserCollectedPlaylists,
  getUserCollectedAlbums,
  getUserFollowedSingers,
  account,
  getCookie,
  getDailyRecommend,
  getPersonalRecommend,
  getSimilarSongs,
  getRadioSongs,
  getRadarSongs,
  getPersonalRadio,
  getMainLoginQr,
  checkMainLoginQr,
  getAltLoginQr,
  checkAltLoginQr
} satisfies Readonly<Record<string, AnyEndpoint>>

export type Registry = typeof registry
