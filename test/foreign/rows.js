/** What the clients are asked, and what they must have read: values of the demo's catalogue. */

const song = '00DemoSong0001'
const album = '00DemoAlbu0001'
const singer = '00DemoSing0001'

/** Functions of the library: its arguments, what of the answer counts, and its value. `asks: false` needs no upstream. */
export const functions = {
  search: { args: ['First Light'], read: (rows) => rows, want: [], reason: 'it sends `new_json=1`, which empties the list (2026-07)' },
  song: { args: [song], read: ([{ id, name, artist, album: title }]) => [id, name, artist, title], want: [
    song, 'First Light', ['The Paper Lanterns'], 'Harbour Lights & Other Rooms'
  ] },
  // The provider's order, which is not that of the tracks (2026-09).
  album: {
    args: [album], read: (rows) => [rows.length, rows.some(({ name }) => name === 'First Light')], want: [10, true]
  },
  artist: {
    args: [singer, 5], read: (rows) => rows.map(({ artist }) => artist[0]), want: Array(5).fill('The Paper Lanterns')
  },
  playlist: {
    args: ['7700000001'], read: (rows) => [rows.length, rows.every(({ id }) => /^00DemoSong\d{4}$/.test(id))],
    want: [55, true]
  },
  url: {
    args: [song, 128], read: async ({ url, br }) => [br, (await fetch(url)).headers.get('content-type')],
    want: [128, 'audio/mpeg']
  },
  lyric: { args: ['00DemoSong0005'], read: ({ lyric, tlyric }) => [lyric.split('\n')[0], tlyric.split('\n')[0]], want: [
    '[ti:纸月亮 (Paper Moon)]', '[ti:纸月亮 (Paper Moon)]'
  ] },
  pic: { args: [album], asks: false, read: ({ url }) => url, want: `https://y.gtimg.cn/music/photo_new/T002R300x300M000${album}.jpg?max_age=2592000` }
}

const playlists = ({ response }) => response.data.list.map(({ dissid }) => dissid)
const hits = ({ response }) => response.data.song.list.map(({ songmid }) => songmid)
const lyric = ({ response }) => response.lyric.split('\n')[0]
const play = ({ data }) => data.playUrl[song].url
const played = async (answer) => (await fetch(play(answer))).headers.get('content-type')
const comments = ({ response }) =>
  [response.comment.commenttotal > 0, response.comment.commentlist[0].rootcommentnick[0]]

/** Goes through a login: the demo's page stands for the phone. */
async function scanned ({ ask, origin }) {
  const { ptqrtoken, qrsig } = await ask('/getQQLoginQr')
  const page = `${origin}/scan/main/${qrsig}`
  await fetch(page)
  await fetch(page, { method: 'POST', body: new URLSearchParams({ account: 'ordinary' }) })
  return { ptqrtoken, qrsig }
}
const login = { body: scanned, read: ({ isOk, session }) => [
  isOk, session.cookieObject.uin, session.cookieObject.qm_keyst.slice(0, 18)
], want: [true, '1000000101', 'Q_H_L_demoOrdinary'] }
const qrCode = { read: ({ img, qrsig }) => [img.slice(0, 22), qrsig.length], want: ['data:image/png;base64,', 86] }

const refused = (refusal, reason) => ({ refusals: [refusal], reason })
const gone = (call) => refused(`${call}: 500003`, 'the provider answers 500003, too (2026-11)')
const unknown = (call) => refused(`${call}: 500003`, 'no other client knows this call, and nobody has seen an answer')
const noReferer = (path) => refused(`${path}: 1 invalid referer`, 'it sends no Referer, which the provider refuses')
const noJson = refused('/cgi-bin/musicu.fcg: 500001', 'it sends `data[comm][ct]=24&…` where the provider reads JSON in `data`')
const othersList = refused('/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg: 4000', 'the provider refuses lists of others there (2026-05)')
const misnamed = refused('music.musichallAlbum.AlbumListServer/GetAlbumList: 104400', 'it names the singer `singermid` where the provider reads `singerMid`')
/** Rows that fail for one reason: route, refused call and path. */
const all = (reason, ...rows) =>
  Object.fromEntries(rows.map(([route, call, path]) => [route, { path, ...reason(call) }]))
const emptied = { want: [], reason: 'it sends `outCharset`, which empties the list (2026-09)' }

/**
 * Routes of the server, by its own names of them. `path` completes the route; `body` is sent as JSON. `reason`: why a
 * row fails by the client's own fault, and just so: with these `refusals` of the demo, or with less to read.
 */
export const routes = {
  'GET /user/getCookie': { asks: false, read: ({ data }) => data.cookieObject.uin, want: '1000000101' },
  'GET /user/setCookie': { asks: false, read: ({ data }) => data.code, want: 200 },
  'GET /user/getUserPlaylists': {
    path: ({ cookie }) => `?uin=1000000101&cookie=${encodeURIComponent(cookie)}`,
    read: ({ response }) => [response.data.playlists.length, response.data.playlists[0].dissid], want: [38, 7700000010]
  },
  'GET /user/getUserAvatar': { path: '?uin=1000000101', asks: false, read: ({ response }) => response.code, want: 0 },
  'GET /user/getUserLikedSongs': {
    path: '?uin=1000000101', read: ({ response }) => [response.data.total, response.data.info.id],
    want: [73, 7800000101]
  },
  'GET /downloadQQMusic': { read: ({ response }) => response.data.map(({ Ftitle }) => Ftitle), want: [
    'Demo for Windows PC', 'Demo for Mac', 'Demo for Android', 'Demo for iPhone'
  ] },
  'GET /getHotkey': { read: ({ response }) => response.data.hotkey[0].k, want: 'The Paper Lanterns ' },
  'GET /getSearchByKey/:key': { path: '/First%20Light', read: hits, want: [song] },
  'GET /getSearchByKey': { path: '?key=First%20Light', read: hits, want: [song] },
  'GET /getSmartbox/:key': {
    path: '/First?key=First', read: ({ response }) => response.data.song.itemlist[0].mid, want: song
  },
  'GET /getSmartbox': {
    path: '?key=First', read: ({ response }) => response.data.song.itemlist[0].name, want: 'First Light'
  },
  'GET /getSongListCategories': { read: ({ response }) => response.data.categories.flatMap(({ items }) =>
    items
  ).find(({ categoryId }) => categoryId === 6).categoryName, want: '流行' },
  'GET /getSongLists/:page/:limit/:categoryId/:sortId': { path: '/0/2/6/5?limit=2&categoryId=6', read: playlists, ...emptied },
  'GET /getSongLists': { path: '?limit=2&categoryId=6', read: playlists, ...emptied },
  'POST /batchGetSongLists': {
    body: { categoryIds: [6], limit: 1, page: 0 }, read: ({ data }) => data[0].list.map(({ dissid }) => dissid),
    ...emptied
  },
  'GET /getSongInfo/:songmid': { path: `/${song}?songmid=${song}`, ...noJson },
  'GET /getSongInfo': { path: `?songmid=${song}`, ...noJson },
  'POST /batchGetSongInfo': { body: { songs: [[song]] }, ...noJson },
  'GET /getSongListDetail/:disstid': { path: '/7700000001?disstid=7700000001', ...othersList },
  'GET /getSongListDetail': { path: '?disstid=7700000001', ...othersList },
  'GET /getNewDisks': { path: '?limit=3', read: ({ response }) => [
    response.new_album.data.albums.map(({ mid }) => mid.slice(0, 10)), response.new_album_tag.data.area[0].name
  ], want: [Array(3).fill('00DemoAlbu'), '内地'] },
  'GET /getMv': {
    read: ({ response }) => [response.mv_list.data.list.length, response.mv_tag.data.version[1].name], want: [10, 'MV']
  },
  'GET /getSingerList': { read: ({ response }) => response.singerList.data.singerlist.length, want: 80 },
  'GET /getSingerAlbum': { path: `?singermid=${singer}`, ...misnamed },
  'GET /getSingerHotsong': { path: `?singermid=${singer}&page=1`, read: ({ response }) => [
    response.singer.data.singer_info.name, response.singer.data.songlist.length
  ], want: ['The Paper Lanterns', 5] },
  'GET /getLyric/:songmid': { path: `/${song}`, read: lyric, want: '[ti:First Light]' },
  'GET /getLyric': { path: `?songmid=${song}`, read: lyric, want: '[ti:First Light]' },
  'GET /getMusicPlay/:songmid': { path: `/${song}`, read: played, want: 'audio/mpeg' },
  'GET /getMusicPlay': {
    path: `?songmid=${song}&quality=m4a`, read: (answer) => new URL(play(answer)).pathname.slice(0, 11),
    want: '/audio/C400'
  },
  'GET /getAlbumInfo/:albummid': { path: `/${album}?albummid=${album}`, read: ({ response }) => response.data.name, want: 'Harbour Lights &amp; Other Rooms' },
  'GET /getAlbumInfo': { path: `?albummid=${album}`, read: ({ response }) => response.data.list.length, want: 10 },
  'GET /getComments': { path: '?id=5000001', read: comments, want: [true, '@'] },
  'GET /getRecommend': { read: ({ response }) => [
    'category', 'recomPlaylist', 'playlist', 'new_song', 'new_album', 'new_album_tag', 'toplist', 'focus'
  ].map((key) => response[key].code), want: Array(8).fill(0) },
  'GET /getMvPlay': { path: '?vid=demoV000004', read: ({ response }) => [
    response.mvinfo.data.demoV000004.vid,
    response.getMVUrl.data.demoV000004.mp4.filter(({ code }) => code === 0).length, response.other.data.list.length
  ], want: ['demoV000004', 5, 10] },
  'GET /getRanks': { path: '?topId=62', read: ({ response }) => response.req_1.data.data.title, want: 'Soaring 飙升演示' },
  'GET /getTicketInfo': { read: ({ response }) => response.getFirstData.data.status, want: 1 },
  'GET /getImageUrl': {
    path: `?id=${album}`, asks: false, read: ({ response }) => response.data.imageUrl.includes(album), want: true
  },
  ...Object.fromEntries(['', '/user'].flatMap((folder) => [[`GET ${folder}/getQQLoginQr`, qrCode], [`POST ${folder}/checkQQLoginQr`, login]])),
  'GET /getPrivateFM': unknown('music.web_fm_svr/GetPrivateFmPlaylist'),
  'GET /getNewSongs': {
    read: ({ response }) => [response.new_song.data.songlist.length, response.new_song.data.lan], want: [60, '最新']
  },
  ...all(gone, ['GET /getDailyRecommend', 'music.web_srf_svr/get_recommend'], ['GET /getPersonalRecommend', 'music.web_srf_svr/get_recommend'],
    ['GET /getSimilarSongs', 'music.web_srf_svr/get_similar_song_info', `?songmid=${song}`], ['GET /getPlaylistTags', 'playlist.web_srf/get_tags'],
    ['GET /getPlaylistsByTag', 'playlist.web_srf/get_playlist_by_tag'], ['GET /getHotComments', 'comment.CommentReadServer/GetCommentList', '?id=5000001'],
    ['GET /getSingerListByArea', 'music.web_srf_svr/get_singer_list']),
  ...all(noReferer, ['GET /getMvByTag', '/mv/fcgi-bin/getmv_by_tag'], ['GET /getSimilarSinger', '/v8/fcg-bin/fcg_v8_simsinger.fcg', `?singermid=${singer}`],
    ['GET /getSingerMv', '/mv/fcgi-bin/fcg_singer_mv.fcg', `?singermid=${singer}`],
    ['GET /getSingerDesc', '/splcloud/fcgi-bin/fcg_get_singer_desc.fcg', `?singermid=${singer}`],
    ['GET /getSingerStarNum', '/rsc/fcgi-bin/fcg_order_singer_getnum.fcg', `?singermid=${singer}`], ['GET /getRadioLists', '/v8/fcg-bin/fcg_v8_radiolist.fcg'],
    ['GET /getDigitalAlbumLists', '/v8/fcg-bin/musicmall.fcg'], ['GET /getTopLists', '/v8/fcg-bin/fcg_myqq_toplist.fcg'])
}
