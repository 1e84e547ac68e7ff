/**
 * Routes of the two relays with the same route names as this interface. Source: the routers of @sansenjian/qq-music-api
 * 2.2.10 (with additions of 2.3) and of Rain120/qq-music-api, read 2026-11. They return the upstream's data; the differences
 * are in the notes.
 */
import { alias, instead, none, same, type OldRoute } from './oldRoute.ts'

const renamedLogin = 'The login channels have neutral names here. Until the login succeeds: 200 with `isOk` false and `status`. `ptqrtoken` is optional'
const polled = 'One check waits up to 35 seconds. `errcode` 408 means: check again'
const noWrite = 'No request changes anything in the relay'
const fromOne = '`page` counts from 1'
const orders = { order: ['time', 'listen'] }
const page = '`page` becomes `offset` and `limit`; the account is the one of the login'

export const familyRoutes: readonly OldRoute[] = [
  same(
    'GET /getRanks',
    'SR',
    '`songId` and `song_id` are always present. Without `topId`, `data.topLists` is the list of all charts. `page` counts from 0. The relay requests the current issue and computes no week'
  ),
  alias('GET /getRanks/:topId/:limit?/:page?', 'R', '/getRanks'),
  alias('GET /getTopLists', 'SR', '/getRanks', { note: 'The charts are `data.topLists`' }),
  same('GET /getSongInfo', 'SR', '`songmid` works as well as `songid`. The song is at `response.songinfo.data.track_info`, built field by field'),
  same('GET /getSongInfo/:songmid', 'SR'),
  alias('GET /getSongInfo/:songmid/:songid', 'R', '/getSongInfo'),
  same('POST /batchGetSongInfo', 'SR', 'A failed song is `{ error, code, song_mid }` in its place. At most 100 songs'),
  same(
    'GET /getMusicPlay',
    'SR',
    '`url`, `size` and `quality` are at the top of `data`, all songs in `playUrl`. Without an address, `url` is "" and `reason` says why. `quality=best` is new, `resType` is ignored'
  ),
  same('GET /getMusicPlay/:songmid', 'SR'),
  alias('GET /getMusicVKey/:songmid?', 'R', '/getMusicPlay', { note: 'The older name. The address is `data.url`' }),
  same('GET /getLyric', 'SR', '`lyric` and `trans` are decoded texts and always present. `isFormat=1` adds `parsed` with times in milliseconds'),
  same('GET /getLyric/:songmid', 'SR'),
  alias('GET /getLyric/:songmid/:isFormat', 'R', '/getLyric', { note: '`isFormat` is 0 or 1' }),
  same('GET /getAlbumInfo', 'SR', '`songs` holds the whole album'),
  alias('GET /getAlbumInfo/:albummid', 'SR', '/getAlbumInfo'),
  instead('GET /getAlbumSongs/:albummid?', 'S', '/getAlbumInfo', '`songs` holds the whole album, without pages'),
  instead(
    'GET /downloadQQMusic',
    'SR',
    '/downloadProviderMusic',
    'The old route lists the provider\'s programs; this one has the address of a song\'s file, `/stream` the audio. The relay decrypts nothing'
  ),
  same(
    'GET /getSearchByKey',
    'SR',
    '`song.list`, `singer.list` and `album.list` are always lists. `page` counts from 1; 0 is the first page too. `remoteplace` is ignored'
  ),
  same('GET /getSearchByKey/:key', 'SR'),
  alias('GET /getSearchByKey/:key/:limit/:page?/:catZhida?', 'R', '/getSearchByKey', { note: '`catZhida` is 0 or 1' }),
  same('GET /getSmartbox', 'SR', 'The lists are in `data.result`'),
  alias('GET /getSmartbox/:key', 'SR', '/getSmartbox'),
  same('GET /getHotkey', 'SR', '`k` has no trailing space'),
  same('GET /getSongLists', 'SR', '`creator` is a text. `page` counts from 0'),
  alias('GET /getSongLists/:page/:limit?/:categoryId?/:sortId?', 'SR', '/getSongLists'),
  same('POST /batchGetSongLists', 'SR', '`limit` is a count. `disstid` alone returns playlists with their songs'),
  same('GET /getSongListCategories', 'SR', 'One flat list'),
  alias('GET /getPlaylistTags', 'S', '/getSongListCategories'),
  alias('GET /getPlaylistsByTag', 'S', '/getSongLists', { renamed: { tagId: 'categoryId', num: 'limit' }, note: 'A tag is the `id` of a category' }),
  same('GET /getSongListDetail', 'SR', 'Hidden and unknown playlists are errors, not empty lists. `offset` and `limit` are new'),
  same('GET /getSongListDetail/:disstid', 'SR'),
  same('GET /getNewDisks', 'SR', '`publicTime` is YYYY-MM-DD, or "" when unknown'),
  alias('GET /getNewDisks/:page/:limit?', 'R', '/getNewDisks'),
  same('GET /getSingerList', 'SR', '`area`, `sex` and `genre` as documented; the provider\'s own numbers are accepted too. `index` is ignored'),
  alias('GET /getSingerList/:area/:sex?/:genre?/:index?/:page?', 'R', '/getSingerList', { renamed: { index: '' } }),
  alias('GET /getSingerListByArea', 'S', '/getSingerList', { renamed: { pagesize: 'limit' } }),
  instead('GET /getSingerCategory', 'S', '/getSingerList', 'The values of `area`, `sex` and `genre` are in the reference'),
  same('GET /getSimilarSinger', 'SR'),
  alias('GET /getSimilarSinger/:singermid', 'R', '/getSimilarSinger'),
  same('GET /getSingerHotsong', 'SR', `Further pages work. ${fromOne}`),
  alias('GET /getSingerHotsong/:singermid/:limit?/:page?', 'R', '/getSingerHotsong', { note: fromOne }),
  same('GET /getSingerAlbum', 'SR', `Further pages work. ${fromOne}`),
  alias('GET /getSingerAlbum/:singermid/:limit?/:page?', 'R', '/getSingerAlbum', { note: fromOne }),
  same(
    'GET /getSingerMv',
    'SR',
    `Further pages work. ${fromOne}. \`num\` is \`limit\`. An \`order\` other than \`time\` and \`listen\` is 400; the old relays passed any value on`
  ),
  alias('GET /getSingerMv/:singermid/:limit?/:order?', 'R', '/getSingerMv', {
    known: orders,
    note: 'An unknown `order`, such as `all`, is left out'
  }),
  alias('GET /getSingerMV', 'SR', '/getSingerMv', {
    known: orders,
    note: 'The spelling of the old documents. An unknown `order`, such as the `all` of their example, is left out'
  }),
  same('GET /getSingerDesc', 'SR', 'JSON, not XML'),
  alias('GET /getSingerDesc/:singermid', 'R', '/getSingerDesc'),
  same('GET /getSingerStarNum', 'SR'),
  alias('GET /getSingerStarNum/:singermid', 'R', '/getSingerStarNum'),
  same('GET /getMv', 'SR', '`page` 0 and 1 are both the first page'),
  alias('GET /getMv/:area_id/:version_id?/:limit?/:page?', 'R', '/getMv'),
  instead('GET /getMvCategory', 'S', '/getMv', 'The values of `area_id` and `version_id` are in the reference'),
  same('GET /getMvPlay', 'SR', 'Files are grouped by their type from the upstream, not by their names'),
  alias('GET /getMvPlay/:vid', 'R', '/getMvPlay'),
  same('GET /getMvByTag', 'SR', '`tag` is required: a region, an area, a kind or any text'),
  same('GET /getRelatedMv', 'S', 'With `songmid`; `nextCursor` goes on'),
  same('GET /getRelatedPlaylists', 'S', 'With `songmid`; `nextCursor` goes on'),
  same(
    'GET /getImageUrl',
    'SR',
    'A `size` that the provider does not have, such as `250x250`, is 400; the old relays put any text into the address. `type` selects pictures of singers and playlists'
  ),
  same('GET /getDigitalAlbumLists', 'SR', 'The relay\'s own records, not the upstream\'s payload'),
  same('GET /getRadioLists', 'SR', 'The relay\'s own records, not the upstream\'s payload'),
  same('GET /getRecommend', 'SR', 'The relay\'s own records, not the upstream\'s payload'),
  instead('GET /getRecommendBanner', 'S', '/getRecommend', 'The pictures are part of the home page'),
  instead('GET /getNewSongs', 'S', '/getRecommend', '`newSongs`, without areas. `/getRanks` lists the charts of new songs'),
  same('GET /getTicketInfo', 'SR', 'The lists are empty, because the shop has been dead since 2019'),
  same(
    'GET /getComments',
    'SR',
    'Further pages need no cursor. `rootcommentid` asks for the replies to one comment. Comments are read-only: `cmd` values that write are refused'
  ),
  alias('GET /getComments/:id/:rootcommentid?/:cid?/:pagesize?/:pagenum?/:cmd?/:reqtype?/:biztype?', 'R', '/getComments', {
    renamed: { rootcommentid: '', cid: '' }
  }),
  alias('GET /getHotComments', 'S', '/getComments', {
    renamed: { type: 'biztype', page: 'pagenum' },
    added: { reqtype: '3' },
    note: 'The most liked first. `type` 2 is an album, 3 a playlist'
  }),
  same('GET /getDailyRecommend', 'S', '401 without a login'),
  same('GET /getPersonalRecommend', 'S', '401 without a login. `type` is ignored'),
  instead('GET /getPrivateFM', 'S', '/getPersonalRadio', '`songs`, others each time; `nextCursor` goes on without repeats'),
  same('GET /getSimilarSongs', 'S'),
  same('GET /user/getUserPlaylists', 'S', 'Only `playlists`. An expired cookie is 502 `COOKIE_REJECTED`, not the playlists of another user'),
  same('GET /user/getUserAvatar', 'S', 'Needs no cookie. `k` takes precedence over `uin`'),
  same('GET /user/getUserLikedSongs', 'S', 'A list of songs with `total` and `hasMore`'),
  same('GET /user/getUserCollectedAlbums', 'S', page),
  instead('GET /user/getUserCollectedSongLists', 'S', '/user/getUserCollectedPlaylists', page),
  instead('GET /user/getUserFollowSingers', 'S', '/user/getUserFollowedSingers', page),
  none('GET /user/getUserDetail', 'S', 'No profiles'),
  none('GET /user/getUserFollowUsers', 'S', 'No profiles'),
  none('GET /user/getUserFans', 'S', 'No profiles'),
  same('GET /user/getCookie', 'SR', 'The cookie of this request. The values of the global cookie are shown only with `EXPOSE_GLOBAL_COOKIE=true`'),
  instead('GET /user/setCookie', 'SR', 'music-relay login', noWrite),
  alias('GET /getQQLoginQr', 'S', '/getMainLoginQr', { note: renamedLogin }),
  alias('GET /user/getQQLoginQr', 'SR', '/user/getMainLoginQr', { note: renamedLogin }),
  alias('POST /checkQQLoginQr', 'S', '/checkMainLoginQr'),
  alias('POST /user/checkQQLoginQr', 'SR', '/user/checkMainLoginQr'),
  alias('GET /getWXLoginQr', 'S', '/getAltLoginQr'),
  alias('GET /user/getWXLoginQr', 'S', '/user/getAltLoginQr'),
  alias('POST /checkWXLoginQr', 'S', '/checkAltLoginQr', { note: polled }),
  alias('POST /user/checkWXLoginQr', 'S', '/user/checkAltLoginQr')
]
