/** The playlists of others that an account collected. */
import { endpoint, maybe, nameOf, need, pictureOf, statusBody, textOf, type Answer } from '../kit.ts'
import { CollectedPlaylists, GetUserCollectedPlaylistsQuery, type CollectedPlaylist } from '../../../schemas/user.ts'
import { classicFavourites, collectedRows, readFavourites, type FavouriteCalls } from './favourites.ts'

const what = 'The list of collected playlists'

const collected: FavouriteCalls<CollectedPlaylist> = {
  /** Refuses digits (80050). */
  byEuin: (euin, { begin, num }) => ({
    name: 'user.collected.playlists',
    request: {
      module: 'music.musicasset.PlaylistFavRead',
      method: 'CgiGetPlaylistFavInfo',
      param: { uin: euin, offset: begin, size: num }
    },
    read: (answer) =>
      readFavourites(answer, {
        list: 'v_list',
        total: need.int(answer, 'total'),
        begin,
        what,
        isHidden: maybe.flag(answer, 'hide')
      }, readRow)
  }),
  byNumber: (uin, range) =>
    classicFavourites(
      { name: 'user.collected.playlists.classic', uin, kind: 3, what, ...range },
      (data) =>
        readFavourites(data, { list: 'cdlist', total: need.int(data, 'totaldiss'), begin: range.begin, what }, readRow)
    )
}

/** A row without an id is a reserved folder of the classic list. */
function readRow (row: Answer): CollectedPlaylist | undefined {
  const dissid = maybe.id(row, 'tid', 'dissid')
  if (dissid === undefined) return undefined
  return {
    dissid,
    dissname: nameOf(row, 'name', 'dissname'),
    creator: textOf(row, 'nickname'),
    songnum: maybe.int(row, 'songnum', 'songNum') ?? 0,
    picurl: pictureOf(row, 'logo'),
    time: maybe.int(row, 'orderTime', 'ordertime') ?? 0
  }
}

export const getUserCollectedPlaylists = endpoint({
  method: 'GET',
  path: '/user/getUserCollectedPlaylists',
  tag: 'user',
  summary: 'Playlists that an account collected',
  summaryInChinese: '用户收藏的歌单',
  description: 'Playlists of others that the cookie\'s account collected, or another account whose list is public. Its own playlists are at /user/getUserPlaylists. An expired cookie is reported as COOKIE_REJECTED.',
  example: { limit: 3 },
  probe: ({ accounts }) => accounts.map(() => ({ limit: 1 })),
  input: GetUserCollectedPlaylistsQuery,
  record: CollectedPlaylists,
  envelope: statusBody,
  login: 'required',

  async run (input, context) {
    const { rows, total, skipped } = await collectedRows(input, collected, context)
    return { total, hasMore: input.offset + input.limit < total, playlists: rows, skipped }
  }
})
