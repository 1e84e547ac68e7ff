/**
 * Where a value is in the answers of the two relays with our names, and where it is here. Both answer most routes with
 * `{ response }` that contains the upstream's payload. Source: their answers, read 2026-11. Routes with equal answers
 * are not listed.
 */

/** A place in an answer, as a program reads it. `…`: a name that differs between versions. */
interface Moved { readonly earlier: string, readonly here: string }

const place = (earlier: string, here: string): Moved => ({ earlier, here })

/** Keys are paths without their parameters. */
export const moved: Readonly<Record<string, Moved>> = {
  '/getRanks': place('response.….data.songInfoList', 'data.songInfoList'),
  '/getTopLists': place('response.data.topList', 'data.topLists'),
  '/getMusicVKey': place('response.playLists[0]', 'data.url'),
  '/getLyric': place('response.lyric', 'data.lyric'),
  '/getAlbumInfo': place('response.data.list', 'data.songs'),
  '/getSearchByKey': place('response.data.song.list', 'data.song.list'),
  '/getSmartbox': place('response.data.song.itemlist', 'data.result.songList'),
  '/getHotkey': place('response.data.hotkey', 'data.hotkey'),
  '/getSongLists': place('response.data.list', 'data.playlists'),
  '/batchGetSongLists': place('data[0].list', 'data[0].playlists'),
  '/getSongListCategories': place('response.data.categories[0].items', 'data.categories'),
  '/getSongListDetail': place('response.cdlist[0].songlist', 'data.songlist'),
  '/getNewDisks': place('response.new_album.data.albums', 'data.albums'),
  '/getSingerList': place('response.singerList.data.singerlist', 'data.singers'),
  '/getSimilarSinger': place('response.singers.items', 'data.singers'),
  '/getSingerHotsong': place('response.singer.data.songlist', 'data.songList'),
  '/getSingerAlbum': place('response.singer.data', 'data.albumList'),
  '/getSingerMv': place('response.data.list', 'data.list'),
  '/getSingerMV': place('response.data.list', 'data.list'),
  '/getSingerDesc': place('response', 'data.desc'),
  '/getSingerStarNum': place('response.num', 'data.num'),
  '/getComments': place('response.comment.commentlist', 'data.comment.list'),
  '/getMv': place('response.mv_list.data.list', 'response.list')
}
