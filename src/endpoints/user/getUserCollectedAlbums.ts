/** The albums that an account collected. */
import { dayInChina, endpoint, maybe, nameOf, need, pictureOf, statusBody, type Answer } from '../kit.ts'
import { CollectedAlbums, GetUserCollectedAlbumsQuery, type CollectedAlbum } from '../../../schemas/user.ts'
import { classicFavourites, collectedRows, readFavourites, type FavouriteCalls } from './favourites.ts'
import { singerNames } from '../shared/song.ts'

const what = 'The list of collected albums'

const collected: FavouriteCalls<CollectedAlbum> = {
  byEuin: (euin, { begin, num }) => ({
    name: 'user.collected.albums',
    request: {
      module: 'music.musicasset.AlbumFavRead',
      method: 'CgiGetAlbumFavInfo',
      param: { euin, offset: begin, size: num }
    },
    read: (answer) => {
      const sent = {
        list: 'v_list',
        total: need.int(answer, 'total'),
        begin,
        what,
        isHidden: maybe.flag(answer, 'hide')
      }
      return readFavourites(answer, sent, (row) => readRow(row, 'v_singer'))
    }
  }),
  byNumber: (uin, range) =>
    classicFavourites(
      { name: 'user.collected.albums.classic', uin, kind: 2, what, ...range },
      (data) =>
        readFavourites(
          data,
          { list: 'albumlist', total: need.int(data, 'totalalbum'), begin: range.begin, what },
          (row) => readRow(row, 'singer')
        )
    )
}

/** `singers`: name of the list of singers. */
function readRow (row: Answer, singers: string): CollectedAlbum {
  const [first] = maybe.list(
    row,
    singers,
    (singer) => ({ id: maybe.int(singer, 'id') ?? 0, mid: maybe.text(singer, 'mid') ?? '' })
  )
  return {
    albumID: maybe.int(row, 'id', 'albumid') ?? 0,
    albumMID: need.text(row, 'mid', 'albummid'),
    albumName: nameOf(row, 'name', 'albumname'),
    albumPic: pictureOf(row, 'logo', 'pic'),
    // Midnight in China.
    publicTime: dayInChina(maybe.int(row, 'pubtime') ?? 0),
    singerID: first?.id ?? 0,
    singerMID: first?.mid ?? '',
    singerName: singerNames(row, singers),
    song_count: maybe.int(row, 'songnum') ?? 0,
    time: maybe.int(row, 'ordertime') ?? 0
  }
}

export const getUserCollectedAlbums = endpoint({
  method: 'GET',
  path: '/user/getUserCollectedAlbums',
  tag: 'user',
  summary: 'Albums that an account collected',
  summaryInChinese: '用户收藏的专辑',
  description: 'Albums that the cookie\'s account collected, or another account whose list is public. An expired cookie is reported as COOKIE_REJECTED.',
  example: { limit: 3 },
  probe: ({ accounts }) => accounts.map(() => ({ limit: 1 })),
  input: GetUserCollectedAlbumsQuery,
  record: CollectedAlbums,
  envelope: statusBody,
  login: 'required',

  async run (input, context) {
    const { rows, total, skipped } = await collectedRows(input, collected, context)
    return { total, hasMore: input.offset + input.limit < total, albums: rows, skipped }
  }
})
