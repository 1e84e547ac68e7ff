/** What the clients are asked, and what they must have read: values of the demo's catalogue. */

const song = '00DemoSong0001'
const album = '00DemoAlbu0001'
const singer = '00DemoSing0001'

const names = (rows) => rows.map(({ name }) => name)

/** Functions of the library: its arguments, what of the answer counts, and its value. `asks: false` needs no upstream. */
export const functions = {
  search: { args: ['First Light'], read: names, want: ['First Light'] },
  song: { args: [song], read: ([{ id, name, artist, album: title }]) => [id, name, artist, title], want: [song, 'First Light', ['The Paper Lanterns'], 'Harbour Lights & Other Rooms'] },
  album: { args: [album], read: (rows) => [rows.length, rows[0].name], want: [10, 'First Light'] },
  artist: { args: [singer, 5], read: (rows) => rows.map(({ artist }) => artist[0]), want: Array(5).fill('The Paper Lanterns') },
  playlist: { args: ['7700000001'], read: (rows) => [rows.length, rows.every(({ id }) => /^00DemoSong\d{4}$/.test(id))], want: [55, true] },
  url: { args: [song, 128], read: async ({ url, br }) => [br, (await fetch(url)).headers.get('content-type')], want: [128, 'audio/wav'] },
  lyric: { args: ['00DemoSong0005'], read: ({ lyric, tlyric }) => [lyric.split('\n')[0], tlyric.split('\n')[0]], want: ['[ti:纸月亮 (Paper Moon)]', '[ti:纸月亮 (Paper Moon)]'] },
  pic: { args: [album], asks: false, read: ({ url }) => url, want: `https://y.gtimg.cn/music/photo_new/T002R300x300M000${album}.jpg?max_age=2592000` }
}

const playlists = ({ response }) => response.data.list.map(({ dissid }) => dissid)
const detail = ({ response }) => response.songinfo.data.track_info.name
const hits = ({ response }) => response.data.song.list.map(({ songmid }) => songmid)
const lyric = ({ response }) => response.lyric.split('\n')[0]
const play = ({ data }) => data.playUrl[song].url
const played = async (answer) => (await fetch(play(answer))).headers.get('content-type')
const comments = ({ response }) => [response.comment.commenttotal > 0, response.comment.commentlist[0].rootcommentnick[0]]

/** Goes through a login: the demo's page stands for the phone. */
async function scanned ({ ask, origin }) {
  const { ptqrtoken, qrsig } = await ask('/getQQLoginQr')
  const page = `${origin}/scan/main/${qrsig}`
  await fetch(page)
  await fetch(page, { method: 'POST', body: new URLSearchParams({ account: 'ordinary' }) })
  return { ptqrtoken, qrsig }
}
const login = { body: scanned, read: ({ isOk, session }) => [isOk, session.cookieObject.uin, session.cookieObject.qm_keyst.slice(0, 18)], want: [true, '1000000101', 'Q_H_L_demoOrdinary'] }
const qrCode = { read: ({ img, qrsig }) => [img.slice(0, 22), qrsig.length], want: ['data:image/png;base64,', 86] }

/** Routes of the server, by its own names of them. `path` completes the route; `body` is sent as JSON. */
export const routes = {
  'GET /user/getCookie': { asks: false, read: ({ data }) => data.cookieObject.uin, want: '1000000101' },
  'GET /user/setCookie': { asks: false, read: ({ data }) => data.code, want: 200 },
  'GET /user/getUserPlaylists': { path: ({ cookie }) => `?uin=1000000101&cookie=${encodeURIComponent(cookie)}`, read: ({ response }) => [response.data.playlists.length, response.data.playlists[0].dissid], want: [38, 7700000010] },
  'GET /user/getUserAvatar': { path: '?uin=1000000101', asks: false, read: ({ response }) => response.code, want: 0 },
  'GET /user/getUserLikedSongs': { path: '?uin=1000000101', read: ({ response }) => [response.data.total, response.data.info.id], want: [73, 7800000101] },
  'GET /downloadQQMusic': { read: ({ response }) => response.data.map(({ Ftitle }) => Ftitle), want: ['Demo for Windows PC', 'Demo for Mac', 'Demo for Android', 'Demo for iPhone'] },
  'GET /getHotkey': { read: ({ response }) => response.data.hotkey[0].k, want: 'The Paper Lanterns ' },
  'GET /getSearchByKey/:key': { path: '/First%20Light', read: hits, want: [song] },
  'GET /getSearchByKey': { path: '?key=First%20Light', read: hits, want: [song] },
  'GET /getSmartbox/:key': { path: '/First?key=First', read: ({ response }) => response.data.song.itemlist[0].mid, want: song },
  'GET /getSmartbox': { path: '?key=First', read: ({ response }) => response.data.song.itemlist[0].name, want: 'First Light' },
  'GET /getSongListCategories': { read: ({ response }) => response.data.categories.flatMap(({ items }) => items).find(({ categoryId }) => categoryId === 6).categoryName, want: '流行' },
  'GET /getSongLists/:page/:limit/:categoryId/:sortId': { path: '/0/2/6/5?limit=2&categoryId=6', read: playlists, want: ['7700000006', '7700000009'] },
  'GET /getSongLists': { path: '?limit=2&categoryId=6', read: playlists, want: ['7700000006', '7700000009'] },
  'POST /batchGetSongLists': { body: { categoryIds: [6], limit: 1, page: 0 }, read: ({ data }) => data[0].list.map(({ dissid }) => dissid), want: ['7700000006', '7700000009'] },
  'GET /getSongInfo/:songmid': { path: `/${song}?songmid=${song}`, read: detail, want: 'First Light' },
  'GET /getSongInfo': { path: `?songmid=${song}`, read: detail, want: 'First Light' },
  'POST /batchGetSongInfo': { body: { songs: [[song]] }, read: ({ response }) => response.data.map((one) => detail({ response: one })), want: ['First Light'] },
  'GET /getSongListDetail/:disstid': { path: '/7700000001?disstid=7700000001', read: ({ response }) => response.cdlist[0].songlist.length, want: 55 },
  'GET /getSongListDetail': { path: '?disstid=7700000001', read: ({ response }) => response.cdlist[0].songlist.length, want: 55 },
  'GET /getNewDisks': { path: '?limit=3', read: ({ response }) => [response.new_album.data.albums.map(({ mid }) => mid.slice(0, 10)), response.new_album_tag.data.area[0].name], want: [Array(3).fill('00DemoAlbu'), '内地'] },
  'GET /getMvByTag': { read: ({ response }) => response.data.mvlist.length, want: 50 },
  'GET /getMv': { read: ({ response }) => [response.mv_list.data.list.length, response.mv_tag.data.version[1].name], want: [10, 'MV'] },
  'GET /getSingerList': { read: ({ response }) => response.singerList.data.singerlist.length, want: 80 },
  'GET /getSimilarSinger': { path: `?singermid=${singer}`, read: ({ response }) => response.singers.items.length, want: 5 },
  'GET /getSingerAlbum': { path: `?singermid=${singer}`, read: ({ response }) => response.singer.data.total, want: 56 },
  'GET /getSingerHotsong': { path: `?singermid=${singer}&page=1`, read: ({ response }) => [response.singer.data.singer_info.name, response.singer.data.songlist.length], want: ['The Paper Lanterns', 5] },
  'GET /getSingerMv': { path: `?singermid=${singer}`, read: ({ response }) => response.data.list.length, want: 5 },
  'GET /getSingerDesc': { path: `?singermid=${singer}`, read: ({ response }) => response.includes('The Paper Lanterns'), want: true },
  'GET /getSingerStarNum': { path: `?singermid=${singer}`, read: ({ response }) => response.num > 100, want: true },
  'GET /getRadioLists': { read: ({ response }) => response.data.data.groupList[0].radioList[0].radioId, want: '99' },
  'GET /getDigitalAlbumLists': { read: ({ response }) => response.data.content.length, want: 3 },
  'GET /getLyric/:songmid': { path: `/${song}`, read: lyric, want: '[ti:First Light]' },
  'GET /getLyric': { path: `?songmid=${song}`, read: lyric, want: '[ti:First Light]' },
  'GET /getMusicPlay/:songmid': { path: `/${song}`, read: played, want: 'audio/wav' },
  'GET /getMusicPlay': { path: `?songmid=${song}&quality=m4a`, read: (answer) => new URL(play(answer)).pathname.slice(0, 11), want: '/audio/C400' },
  'GET /getAlbumInfo/:albummid': { path: `/${album}?albummid=${album}`, read: ({ response }) => response.data.name, want: 'Harbour Lights &amp; Other Rooms' },
  'GET /getAlbumInfo': { path: `?albummid=${album}`, read: ({ response }) => response.data.list.length, want: 10 },
  'GET /getComments': { path: '?id=5000001', read: comments, want: [true, '@'] },
  'GET /getRecommend': { read: ({ response }) => ['category', 'recomPlaylist', 'playlist', 'new_song', 'new_album', 'new_album_tag', 'toplist', 'focus'].map((key) => response[key].code), want: Array(8).fill(0) },
  'GET /getMvPlay': { path: '?vid=demoV000004', read: ({ response }) => [response.mvinfo.data.demoV000004.vid, response.getMVUrl.data.demoV000004.mp4.filter(({ code }) => code === 0).length, response.other.data.list.length], want: ['demoV000004', 5, 10] },
  'GET /getTopLists': { read: ({ response }) => response.data.topList.length, want: 19 },
  'GET /getRanks': { path: '?topId=62', read: ({ response }) => response.req_1.data.data.title, want: 'Soaring 飙升演示' },
  'GET /getTicketInfo': { read: ({ response }) => response.getFirstData.data.status, want: 1 },
  'GET /getImageUrl': { path: `?id=${album}`, asks: false, read: ({ response }) => response.data.imageUrl.includes(album), want: true },
  'GET /getQQLoginQr': qrCode,
  'GET /user/getQQLoginQr': qrCode,
  'POST /checkQQLoginQr': login,
  'POST /user/checkQQLoginQr': login,
  'GET /getDailyRecommend': {},
  'GET /getPrivateFM': {},
  'GET /getNewSongs': { read: ({ response }) => [response.new_song.data.songlist.length, response.new_song.data.lan], want: [60, '最新'] },
  'GET /getPersonalRecommend': {},
  'GET /getSimilarSongs': { path: `?songmid=${song}` },
  'GET /getPlaylistTags': {},
  'GET /getPlaylistsByTag': {},
  'GET /getHotComments': { path: '?id=5000001' },
  'GET /getSingerListByArea': {}
}

const gone = (call) => ({ refusals: [`${call}: 500003`], reason: 'the provider answers 500003, too (2026-11)' })
const unknown = (call) => ({ refusals: [`${call}: 500003`], reason: 'no other client knows this call, and nobody has seen an answer' })
const noReferer = (path) => ({ refusals: [`${path}: 1 invalid referer`], reason: 'it sends no Referer, which the provider refuses' })
const noJson = { refusals: ['/cgi-bin/musicu.fcg: 500001'], reason: 'it sends `data[comm][ct]=24&…` where the provider reads JSON in `data`' }
const othersList = { refusals: ['/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg: 4000'], reason: 'the provider refuses lists of others there (2026-05)' }
const charset = (want) => ({ want, reason: 'it sends `outCharset`, which empties the list (2026-09)' })

/** Rows that fail for a reason of the client's own: what the demo refuses, or what there is to read instead. */
export const theirs = {
  'search': { want: [], reason: 'it sends `new_json=1`, which empties the list (2026-07)' },
  'GET /getSongLists/:page/:limit/:categoryId/:sortId': charset([]),
  'GET /getSongLists': charset([]),
  'POST /batchGetSongLists': charset([]),
  'GET /getSongInfo/:songmid': noJson,
  'GET /getSongInfo': noJson,
  'POST /batchGetSongInfo': noJson,
  'GET /getSongListDetail/:disstid': othersList,
  'GET /getSongListDetail': othersList,
  'GET /getMvByTag': noReferer('/mv/fcgi-bin/getmv_by_tag'),
  'GET /getSimilarSinger': noReferer('/v8/fcg-bin/fcg_v8_simsinger.fcg'),
  'GET /getSingerAlbum': { refusals: ['music.musichallAlbum.AlbumListServer/GetAlbumList: 104400'], reason: 'it names the singer `singermid` where the provider reads `singerMid`' },
  'GET /getSingerMv': noReferer('/mv/fcgi-bin/fcg_singer_mv.fcg'),
  'GET /getSingerDesc': noReferer('/splcloud/fcgi-bin/fcg_get_singer_desc.fcg'),
  'GET /getSingerStarNum': noReferer('/rsc/fcgi-bin/fcg_order_singer_getnum.fcg'),
  'GET /getRadioLists': noReferer('/v8/fcg-bin/fcg_v8_radiolist.fcg'),
  'GET /getDigitalAlbumLists': noReferer('/v8/fcg-bin/musicmall.fcg'),
  'GET /getTopLists': noReferer('/v8/fcg-bin/fcg_myqq_toplist.fcg'),
  'GET /getDailyRecommend': gone('music.web_srf_svr/get_recommend'),
  'GET /getPrivateFM': unknown('music.web_fm_svr/GetPrivateFmPlaylist'),
  'GET /getPersonalRecommend': gone('music.web_srf_svr/get_recommend'),
  'GET /getSimilarSongs': gone('music.web_srf_svr/get_similar_song_info'),
  'GET /getPlaylistTags': gone('playlist.web_srf/get_tags'),
  'GET /getPlaylistsByTag': gone('playlist.web_srf/get_playlist_by_tag'),
  'GET /getHotComments': gone('comment.CommentReadServer/GetCommentList'),
  'GET /getSingerListByArea': gone('music.web_srf_svr/get_singer_list')
}
