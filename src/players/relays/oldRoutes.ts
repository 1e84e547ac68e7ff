/**
 * Routes of other relays for the same provider, and what answers them here. The guide, the aliases and the 404 read
 * this one table. Sources, read 2026-11: the routers of S and R, which have our route names; router and documentation
 * of J, which has its own names and envelopes, so that none of its routes is an alias.
 */

/** The relays with known routes, each with its public name. */
export const relays = {
  S: '@sansenjian/qq-music-api',
  R: 'Rain120/qq-music-api',
  J: 'jsososo/QQMusicApi'
} as const

export interface OldRoute {
  readonly method: 'GET' | 'POST'
  /** `:name` is a path parameter, `:name?` an optional one. */
  readonly path: string
  /** Keys of `relays`. */
  readonly of: string
  /**
   * `same`: answered under this path. `alias`: answered as the route `here`. `instead`: 404, and `here` is the
   * replacement.
   * `none`: 404, without a replacement.
   */
  readonly fate: 'same' | 'alias' | 'instead' | 'none'
  /** A path of this relay, or for `instead` also a command. '' if there is none. */
  readonly here: string
  /** For an alias: parameters with another name here, or '' if they mean something else and are left out. */
  readonly renamed: Readonly<Record<string, string>>
  /** For an alias: further parameters that the route here needs. */
  readonly added: Readonly<Record<string, string>>
  /** For an alias: values of a parameter that are passed on. The other relay ignored all others. */
  readonly known: Readonly<Record<string, readonly string[]>>
}

type Details = Partial<Pick<OldRoute, 'renamed' | 'added' | 'known'>>

function row (route: string, of: string, fate: OldRoute['fate'], here: string, details: Details = {}): OldRoute {
  const [method, path] = route.split(' ') as [OldRoute['method'], string]
  return { method, path, of, fate, here, renamed: {}, added: {}, known: {}, ...details }
}

/** The route has the same path here. */
export const same = (route: string, of: string): OldRoute => row(route, of, 'same', route.split(' ')[1] as string)

/** The path is answered as another route. */
const alias = (route: string, of: string, here: string, details?: Details): OldRoute =>
  row(route, of, 'alias', here, details)

/** Another route or command replaces it. */
const instead = (route: string, of: string, here: string): OldRoute => row(route, of, 'instead', here)

/** It has no replacement. */
const none = (route: string, of: string): OldRoute => row(route, of, 'none', '')

export const oldRoutes: readonly OldRoute[] = [
  same('GET /getRanks', 'SR'),
  alias('GET /getRanks/:topId/:limit?/:page?', 'R', '/getRanks'),
  alias('GET /getTopLists', 'SR', '/getRanks'),
  same('GET /getSongInfo', 'SR'),
  same('GET /getSongInfo/:songmid', 'SR'),
  alias('GET /getSongInfo/:songmid/:songid', 'R', '/getSongInfo'),
  same('POST /batchGetSongInfo', 'SR'),
  same('GET /getMusicPlay', 'SR'),
  same('GET /getMusicPlay/:songmid', 'SR'),
  alias('GET /getMusicVKey/:songmid?', 'R', '/getMusicPlay'),
  same('GET /getLyric', 'SR'),
  same('GET /getLyric/:songmid', 'SR'),
  alias('GET /getLyric/:songmid/:isFormat', 'R', '/getLyric'),
  same('GET /getAlbumInfo', 'SR'),
  alias('GET /getAlbumInfo/:albummid', 'SR', '/getAlbumInfo'),
  instead('GET /getAlbumSongs/:albummid?', 'S', '/getAlbumInfo'),
  instead('GET /downloadQQMusic', 'SR', '/downloadProviderMusic'),
  same('GET /getSearchByKey', 'SR'),
  same('GET /getSearchByKey/:key', 'SR'),
  alias('GET /getSearchByKey/:key/:limit/:page?/:catZhida?', 'R', '/getSearchByKey'),
  same('GET /getSmartbox', 'SR'),
  alias('GET /getSmartbox/:key', 'SR', '/getSmartbox'),
  same('GET /getHotkey', 'SR'),
  same('GET /getSongLists', 'SR'),
  alias('GET /getSongLists/:page/:limit?/:categoryId?/:sortId?', 'SR', '/getSongLists'),
  same('POST /batchGetSongLists', 'SR'),
  same('GET /getSongListCategories', 'SR'),
  alias('GET /getPlaylistTags', 'S', '/getSongListCategories'),
  alias('GET /getPlaylistsByTag', 'S', '/getSongLists', { renamed: { tagId: 'categoryId', num: 'limit' } }),
  same('GET /getSongListDetail', 'SR'),
  same('GET /getSongListDetail/:disstid', 'SR'),
  same('GET /getNewDisks', 'SR'),
  alias('GET /getNewDisks/:page/:limit?', 'R', '/getNewDisks'),
  same('GET /getSingerList', 'SR'),
  alias('GET /getSingerList/:area/:sex?/:genre?/:index?/:page?', 'R', '/getSingerList', { renamed: { index: '' } }),
  alias('GET /getSingerListByArea', 'S', '/getSingerList', { renamed: { pagesize: 'limit' } }),
  instead('GET /getSingerCategory', 'S', '/getSingerList'),
  same('GET /getSimilarSinger', 'SR'),
  alias('GET /getSimilarSinger/:singermid', 'R', '/getSimilarSinger'),
  same('GET /getSingerHotsong', 'SR'),
  alias('GET /getSingerHotsong/:singermid/:limit?/:page?', 'R', '/getSingerHotsong'),
  same('GET /getSingerAlbum', 'SR'),
  alias('GET /getSingerAlbum/:singermid/:limit?/:page?', 'R', '/getSingerAlbum'),
  same('GET /getSingerMv', 'SR'),
  alias('GET /getSingerMv/:singermid/:limit?/:order?', 'R', '/getSingerMv', { known: { order: ['time', 'listen'] } }),
  alias('GET /getSingerMV', 'SR', '/getSingerMv', { known: { order: ['time', 'listen'] } }),
  same('GET /getSingerDesc', 'SR'),
  alias('GET /getSingerDesc/:singermid', 'R', '/getSingerDesc'),
  same('GET /getSingerStarNum', 'SR'),
  alias('GET /getSingerStarNum/:singermid', 'R', '/getSingerStarNum'),
  same('GET /getMv', 'SR'),
  alias('GET /getMv/:area_id/:version_id?/:limit?/:page?', 'R', '/getMv'),
  instead('GET /getMvCategory', 'S', '/getMv'),
  same('GET /getMvPlay', 'SR'),
  alias('GET /getMvPlay/:vid', 'R', '/getMvPlay'),
  same('GET /getMvByTag', 'SR'),
  same('GET /getRelatedMv', 'S'),
  same('GET /getRelatedPlaylists', 'S'),
  same('GET /getImageUrl', 'SR'),
  same('GET /getDigitalAlbumLists', 'SR'),
  same('GET /getRadioLists', 'SR'),
  same('GET /getRecommend', 'SR'),
  instead('GET /getRecommendBanner', 'S', '/getRecommend'),
  instead('GET /getNewSongs', 'S', '/getRecommend'),
  same('GET /getTicketInfo', 'SR'),
  same('GET /getComments', 'SR'),
  alias('GET /getComments/:id/:rootcommentid?/:cid?/:pagesize?/:pagenum?/:cmd?/:reqtype?/:biztype?', 'R', '/getComments', {
    renamed: { rootcommentid: '', cid: '' }
  }),
  alias('GET /getHotComments', 'S', '/getComments', {
    renamed: { type: 'biztype', page: 'pagenum' },
    added: { reqtype: '3' }
  }),
  same('GET /getDailyRecommend', 'S'),
  same('GET /getPersonalRecommend', 'S'),
  instead('GET /getPrivateFM', 'S', '/getPersonalRadio'),
  same('GET /getSimilarSongs', 'S'),
  same('GET /user/getUserPlaylists', 'S'),
  same('GET /user/getUserAvatar', 'S'),
  same('GET /user/getUserLikedSongs', 'S'),
  same('GET /user/getUserCollectedAlbums', 'S'),
  instead('GET /user/getUserCollectedSongLists', 'S', '/user/getUserCollectedPlaylists'),
  instead('GET /user/getUserFollowSingers', 'S', '/user/getUserFollowedSingers'),
  none('GET /user/getUserDetail', 'S'),
  none('GET /user/getUserFollowUsers', 'S'),
  none('GET /user/getUserFans', 'S'),
  same('GET /user/getCookie', 'SR'),
  instead('GET /user/setCookie', 'SR', 'music-relay login'),
  alias('GET /getQQLoginQr', 'S', '/getMainLoginQr'),
  alias('GET /user/getQQLoginQr', 'SR', '/user/getMainLoginQr'),
  alias('POST /checkQQLoginQr', 'S', '/checkMainLoginQr'),
  alias('POST /user/checkQQLoginQr', 'SR', '/user/checkMainLoginQr'),
  alias('GET /getWXLoginQr', 'S', '/getAltLoginQr'),
  alias('GET /user/getWXLoginQr', 'S', '/user/getAltLoginQr'),
  alias('POST /checkWXLoginQr', 'S', '/checkAltLoginQr'),
  alias('POST /user/checkWXLoginQr', 'S', '/user/checkAltLoginQr'),
  instead('GET /song', 'J', '/getSongInfo'),
  instead('POST /song/batch', 'J', '/batchGetSongInfo'),
  instead('GET /song/url', 'J', '/getMusicPlay'),
  instead('GET /song/urls', 'J', '/getMusicPlay'),
  instead('GET /song/find', 'J', '/getSearchByKey'),
  none('POST /song/finds', 'J'),
  instead('GET /song/similar', 'J', '/getSimilarSongs'),
  instead('GET /song/playlist', 'J', '/getRelatedPlaylists'),
  instead('GET /song/mv', 'J', '/getRelatedMv'),
  instead('GET /vkey', 'J', '/getMusicPlay'),
  instead('GET /lyric', 'J', '/getLyric'),
  same('GET /search', 'J'),
  instead('GET /search/hot', 'J', '/getHotkey'),
  instead('GET /search/quick', 'J', '/getSmartbox'),
  instead('GET /album', 'J', '/getAlbumInfo'),
  instead('GET /album/songs', 'J', '/getAlbumInfo'),
  instead('GET /songlist', 'J', '/getSongListDetail'),
  instead('GET /songlist/category', 'J', '/getSongListCategories'),
  instead('GET /songlist/list', 'J', '/getSongLists'),
  instead('GET /songlist/map', 'J', '/user/getUserLikedSongs'),
  none('GET /songlist/add', 'J'),
  none('GET /songlist/remove', 'J'),
  none('GET /songlist/create', 'J'),
  none('GET /songlist/delete', 'J'),
  none('GET /songlist/collect', 'J'),
  instead('GET /singer/desc', 'J', '/getSingerDesc'),
  instead('GET /singer/songs', 'J', '/getSingerHotsong'),
  instead('GET /singer/album', 'J', '/getSingerAlbum'),
  instead('GET /singer/mv', 'J', '/getSingerMv'),
  instead('GET /singer/sim', 'J', '/getSimilarSinger'),
  instead('GET /singer/category', 'J', '/getSingerList'),
  instead('GET /singer/list', 'J', '/getSingerList'),
  instead('GET /comment', 'J', '/getComments'),
  none('POST /comment/send', 'J'),
  none('GET /comment/del', 'J'),
  none('GET /comment/like', 'J'),
  instead('GET /radio', 'J', '/getRadioSongs'),
  instead('GET /radio/category', 'J', '/getRadioLists'),
  instead('GET /mv', 'J', '/getMvPlay'),
  instead('GET /mv/url', 'J', '/getMvPlay'),
  instead('GET /mv/category', 'J', '/getMv'),
  instead('GET /mv/list', 'J', '/getMv'),
  instead('GET /new/songs', 'J', '/getRecommend'),
  instead('GET /new/album', 'J', '/getNewDisks'),
  instead('GET /new/mv', 'J', '/getMvByTag'),
  instead('GET /recommend/playlist', 'J', '/getSongLists'),
  instead('GET /recommend/playlist/u', 'J', '/getPersonalRecommend'),
  instead('GET /recommend/daily', 'J', '/getDailyRecommend'),
  instead('GET /recommend/banner', 'J', '/getRecommend'),
  instead('GET /top', 'J', '/getRanks'),
  instead('GET /top/category', 'J', '/getRanks'),
  instead('GET /user/cookie', 'J', '/user/getCookie'),
  instead('POST /user/setCookie', 'J', 'music-relay login'),
  instead('GET /user/songlist', 'J', '/user/getUserPlaylists'),
  instead('GET /user/collect/songlist', 'J', '/user/getUserCollectedPlaylists'),
  instead('GET /user/collect/album', 'J', '/user/getUserCollectedAlbums'),
  instead('GET /user/follow/singers', 'J', '/user/getUserFollowedSingers'),
  none('GET /user/follow', 'J'),
  none('GET /user/detail', 'J'),
  none('GET /user/follow/users', 'J'),
  none('GET /user/fans', 'J'),
  instead('GET /data', 'J', '/metrics'),
  none('GET /data/:list', 'J'),
  none('GET /feedback/:verb?', 'J')
]
