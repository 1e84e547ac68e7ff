/**
 * Songs of a singer, most popular first. Upstream: always 30 rows per response; `number` is ignored (recorded
 * 2026-08-06).
 */
import { offsetFromOne } from '../../../schemas/common.ts'
import { codeMsgData, endpoint, maybe, type Alternative, type Answer, type MusicuCall } from '../kit.ts'
import { GetSingerHotsongQuery, SingerSongs } from '../../../schemas/singers.ts'
import type { Song } from '../../../schemas/song.ts'
import { readSentRows, collectRows, rowsInOnePost, unlessBlocked, type SentRows } from '../shared/pages.ts'
import { mostRows, singerPage, singerPageRows, unknownSinger } from './singer.ts'
import { listedSong, readWrappedSong } from '../shared/song.ts'

/** `order` 1 sorts by popularity; without it the newest come first. Clients name the count `num` or `number`. */
const songsOf = (
  name: string,
  module: string,
  singerMid: string,
  begin: number,
  num: number
): MusicuCall<SentRows<Song>> => ({
  name,
  request: { module, method: 'GetSingerSongList', param: { singerMid, order: 1, begin, num, number: num } },
  codes: unknownSinger,
  read: (answer) => readSongs(answer, begin)
})

const chainOf = (mid: string, from: number, count: number): Alternative<SentRows<Song>>[] => [
  rowsInOnePost(
    (begin, num) => songsOf('singer.songs', 'musichall.song_list_server', mid, begin, num),
    from,
    count,
    mostRows
  ),
  rowsInOnePost(
    (begin, num) => songsOf('singer.songs.other', 'music.musichallSong.SongListInter', mid, begin, num),
    from,
    count,
    mostRows
  ),
  rowsInOnePost(
    (begin, num) => singerPage('singer.songs.older', mid, begin, num, (data) => readSongs(data, begin)),
    from,
    count,
    singerPageRows
  )
]

/** Newer rows wrap the song; in the old page a row is the song itself. */
function readSongs (answer: Answer, begin: number): SentRows<Song> {
  const page = readSentRows(
    answer,
    ['songList', 'songlist'],
    maybe.int(answer, 'totalNum', 'total_song'),
    (row) => readWrappedSong(row, 'maybe', 'songInfo')
  )
  return unlessBlocked(page, begin, answer.call, 'songs')
}

export const getSingerHotsong = endpoint({
  method: 'GET',
  path: '/getSingerHotsong',
  tag: 'singers',
  summary: 'Songs of a singer, most popular first',
  summaryInChinese: '歌手的热门歌曲',
  description: 'totalNum counts all songs of the singer; a page beyond it is empty.',
  example: { singermid: '00DemoSing0001', limit: 5 },
  probe: ({ singers }) => singers.map((singermid) => ({ singermid, limit: 1 })),
  songs: ({ songList }) => songList.map(listedSong),
  total: ({ totalNum }) => totalNum,
  input: GetSingerHotsongQuery,
  record: SingerSongs,
  envelope: codeMsgData,
  cache: 'charts',

  async run ({ singermid, limit, page }, { upstream, cacheAtMost }) {
    const { rows, total, skipped } = await collectRows(
      offsetFromOne(page, limit),
      limit,
      (begin, num) => upstream.firstOf(chainOf(singermid, begin, num)),
      cacheAtMost
    )
    return { singerMid: singermid, totalNum: total, songList: rows, skipped }
  }
})
