/**
 * Routes of a relay with its own names and envelopes, `{ result: 100, data }`. None is an alias, because an app for those
 * envelopes cannot read ours. Source: the router and the documentation of jsososo/QQMusicApi, read 2026-11.
 */
import { instead, none, same, type OldRoute } from './oldRoute.ts'

const relay = 'J'
const paged = '`pageNo` is `page`, `pageSize` is `limit`'
const own = 'The account is the one of the login. `pageNo` and `pageSize` become `offset` and `limit`'
const readOnly = 'The relay writes nothing to the provider'
const noProfiles = 'No profiles'
const readHere = 'The values are in the reference'

const use = (path: string, here: string, note = ''): OldRoute => instead(`GET ${path}`, relay, here, note)
const nothing = (route: string, note: string): OldRoute => none(route, relay, note)

export const resourceRoutes: readonly OldRoute[] = [
  use('/song', '/getSongInfo', 'With `songmid`'),
  instead('POST /song/batch', relay, '/batchGetSongInfo', 'JSON: `{ "songs": [["<songmid>"], …] }`. The old route takes GET too'),
  use('/song/url', '/getMusicPlay', '`id` is `songmid`, `type` is `quality`. For `isRedirect`: `/stream/:songmid`'),
  use('/song/urls', '/getMusicPlay', '`id` is `songmid`, up to fifty with commas; the addresses are in `playUrl`'),
  use('/song/find', '/getSearchByKey', 'With `limit=1`; then `/getMusicPlay`'),
  nothing('POST /song/finds', 'One `/getSearchByKey` for each'),
  use('/song/similar', '/getSimilarSongs', '`id` becomes `songmid`'),
  use('/song/playlist', '/getRelatedPlaylists', '`id` becomes `songmid`'),
  use('/song/mv', '/getRelatedMv', '`id` becomes `songmid`'),
  use('/vkey', '/getMusicPlay', 'It has whole addresses'),
  use('/lyric', '/getLyric', 'With `songmid`'),
  same('GET /search', relay, `Other parameters and another envelope: \`t\` becomes \`type\`, which is required. ${paged}`),
  use('/search/hot', '/getHotkey'),
  use('/search/quick', '/getSmartbox'),
  use('/album', '/getAlbumInfo', 'With `albummid`'),
  use('/album/songs', '/getAlbumInfo', '`songs` holds the whole album'),
  use('/songlist', '/getSongListDetail', '`id` is `disstid`'),
  use('/songlist/category', '/getSongListCategories'),
  use('/songlist/list', '/getSongLists', '`category` is `categoryId`, `sort` is `sortId`, `pageSize` is `limit`; `pageNo` counts from 1, `page` from 0'),
  use('/songlist/map', '/user/getUserLikedSongs', 'Whole songs instead of pairs of ids'),
  ...['add', 'remove', 'create', 'delete', 'collect'].map((verb) => nothing(`GET /songlist/${verb}`, readOnly)),
  use('/singer/desc', '/getSingerDesc'),
  use('/singer/songs', '/getSingerHotsong', '`num` is `limit`'),
  use('/singer/album', '/getSingerAlbum', paged),
  use('/singer/mv', '/getSingerMv', paged),
  use('/singer/sim', '/getSimilarSinger'),
  use('/singer/category', '/getSingerList', readHere),
  use('/singer/list', '/getSingerList', '`pageNo` is `page`. `index` has no equal'),
  use('/comment', '/getComments', '`pageNo` counts from 1, `pagenum` from 0. `biztype` 4 is an MV here; there are no comments on charts'),
  nothing('POST /comment/send', readOnly),
  nothing('GET /comment/del', readOnly),
  nothing('GET /comment/like', readOnly),
  use('/radio', '/getRadioSongs', '`id` is `radioId`. `/getPersonalRadio` for station 99'),
  use('/radio/category', '/getRadioLists'),
  use('/mv', '/getMvPlay', '`id` is `vid`'),
  use('/mv/url', '/getMvPlay', '`id` is `vid`, one at a time'),
  use('/mv/category', '/getMv', readHere),
  use('/mv/list', '/getMv', '`area` is `area_id`, `version` is `version_id`'),
  use('/new/songs', '/getRecommend', '`newSongs`, without areas'),
  use('/new/album', '/getNewDisks', '`num` is `limit`; without areas'),
  use('/new/mv', '/getMvByTag', '`tag` is the area'),
  use('/recommend/playlist', '/getSongLists', '`id` is another number: `/getSongListCategories`'),
  use('/recommend/playlist/u', '/getPersonalRecommend', '`playlists`'),
  use('/recommend/daily', '/getDailyRecommend', 'The songs at once'),
  use('/recommend/banner', '/getRecommend', 'The pictures are part of the home page'),
  use('/top', '/getRanks', '`id` is `topId`, `pageSize` is `limit`; `period` has the same form'),
  use('/top/category', '/getRanks', 'Without `topId`'),
  use('/user/cookie', '/user/getCookie'),
  instead('POST /user/setCookie', relay, 'music-relay login', 'No request changes anything in the relay'),
  use('/user/songlist', '/user/getUserPlaylists', '`id` is `uin`'),
  use('/user/collect/songlist', '/user/getUserCollectedPlaylists', own),
  use('/user/collect/album', '/user/getUserCollectedAlbums', own),
  use('/user/follow/singers', '/user/getUserFollowedSingers', own),
  nothing('GET /user/follow', readOnly),
  nothing('GET /user/detail', noProfiles),
  nothing('GET /user/follow/users', noProfiles),
  nothing('GET /user/fans', noProfiles),
  use('/data', '/metrics', 'With `METRICS=true`; without addresses of clients'),
  nothing('GET /data/:list', '`RATE_LIMIT` limits clients'),
  nothing('GET /feedback/:verb?', 'No feedback form')
]
