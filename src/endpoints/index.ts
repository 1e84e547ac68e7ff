/** The endpoint registry: one import and one key per endpoint. Everything else is derived from it. */
import type { AnyEndpoint } from '../relay/endpoint.ts'
import { getRankPeriods, getRanks } from './charts/getRanks.ts'
import { batchGetSongInfo, getOtherVersions, getSimilarSongs, getSongInfo } from './music/songInfo.ts'
import { downloadProviderMusic, getMusicPlay, stream } from './music/playing.ts'
import { getAlbumInfo } from './music/getAlbumInfo.ts'
import { getLyric } from './music/getLyric.ts'
import { getHotkey, getSmartbox } from './search/suggestions.ts'
import { getSearchByKey, search } from './search/chain.ts'
import { resolve } from './search/resolve.ts'
import { batchGetSongLists, getRelatedPlaylists, getSongListCategories, getSongLists } from './playlists/songLists.ts'
import { getNewDisks, getRecommend } from './discover/getRecommend.ts'
import { getSongListDetail } from './playlists/getSongListDetail.ts'
import { getSingerList } from './singers/getSingerList.ts'
import { getSimilarSinger, getSingerDesc, getSingerStarNum } from './singers/about.ts'
import { getSingerAlbum, getSingerHotsong, getSingerMv, getSingerTab } from './singers/works.ts'
import { getComments } from './comments/getComments.ts'
import { getMv, getRelatedMv } from './mv/mvs.ts'
import { getMvPlay } from './mv/getMvPlay.ts'
import { getMvByTag } from './mv/getMvByTag.ts'
import { cover, getImageUrl } from './discover/imageUrls.ts'
import { getDigitalAlbumLists, getTicketInfo } from './discover/shops.ts'
import { getPersonalRadio, getRadarSongs, getRadioLists, getRadioSongs } from './radio/radioSongs.ts'
import { getDailyRecommend, getPersonalRecommend } from './recommend/recommended.ts'
import { account, getCookie, getUserAvatar } from './user/account.ts'
import { getUserCollectedAlbums, getUserCollectedPlaylists, getUserFollowedSingers } from './user/collected.ts'
import { getUserLikedSongs, getUserPlaylists } from './user/ownLists.ts'
import { checkAltLoginQr, checkMainLoginQr, getAltLoginQr, getMainLoginQr } from './login/qrLogins.ts'

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
