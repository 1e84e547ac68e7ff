/**
 * The items that an account collected: a newer call by its encrypted id, and a classic one by its number. Both send
 * rows from any offset. Neither shape was recorded; clients of 2026 read them.
 */
import type { Filled } from '../../../schemas/common.ts'
import {
  CollectedAlbums, CollectedPlaylists, FollowedSingers, GetUserCollectedAlbumsQuery, GetUserCollectedPlaylistsQuery,
  GetUserFollowedSingersQuery, type CollectedAlbum, type CollectedPlaylist, type FollowedSinger
} from '../../../schemas/user.ts'
import {
  dayInChina, endpoint, maybe, nameOf, need, pictureOf, statusBody, textOf, type Answer, type ClassicCall, type Context,
  type MusicuCall
} from '../kit.ts'
import { euinOf, sessionCheck } from '../shared/accountCalls.ts'
import { collectRows, readSentRows, unlessBlocked, type CountedRows, type SentRows } from '../shared/pages.ts'
import { hiddenByOwner, type RowRange } from '../shared/playlistCalls.ts'
import { singerNames } from '../shared/song.ts'
import { accountDigits, type Credential } from '../../upstream/wire/credentials.ts'
import { classicFiller, profileReferer } from '../../upstream/wire/requests.ts'

type FavouritesQuery = Filled<typeof GetUserCollectedAlbumsQuery>

/** A kind of items. `key`: where the newer call has the encrypted id. `kind`, `list`, `total`: those of the classic call. */
interface Collection<T> {
  readonly name: string
  readonly what: string
  readonly module: string
  readonly method: string
  readonly key: 'uin' | 'euin'
  readonly kind: 2 | 3
  readonly list: string
  readonly total: string
  readonly readRow: (row: Answer) => T | undefined
}

/** Returns a page of what an account collected, and the total. Throws NOT_FOUND if hidden, COOKIE_REJECTED. */
async function collectedRows<T> (
  { uin, offset, limit }: FavouritesQuery,
  of: Collection<T>,
  context: Context
): Promise<CountedRows<T> & { readonly total: number }> {
  const credential = context.credential as Credential // `login: 'required'` guarantees it
  const account = accountDigits(uin ?? '') ?? credential.uin
  const euin = await euinOf(account, credential, context)
  return await collectRows(offset, limit, async (begin, num) => {
    const range = { begin, num }
    return await context.upstream.firstOf([
      ...euin === undefined ? [] : [sessionCheck(byEuin(of, euin, range))],
      byNumber(of, account, range)
    ])
  }, context.cacheAtMost)
}

const byEuin = <T>(
  { name, what, module, method, key, readRow }: Collection<T>,
  euin: string,
  { begin, num }: RowRange
): MusicuCall<SentRows<T>> => ({
  name,
  request: { module, method, param: { [key]: euin, offset: begin, size: num } },
  read (answer) {
    const sent = { list: 'v_list', total: need.int(answer, 'total'), begin, what, isHidden: maybe.flag(answer, 'hide') }
    return readFavourites(answer, sent, readRow)
  }
})

/** The classic call. Clients disagree whether `ein` is the last row or the one after it, so an extra row is cut off. */
const byNumber = <T>(
  { name: newer, what, kind, list, total, readRow }: Collection<T>,
  uin: string,
  { begin, num }: RowRange
): ClassicCall<SentRows<T>> => ({
  name: `${newer}.classic`,
  codes: { 4000: 'ok' },
  request: {
    path: '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg',
    query: {
      ...classicFiller,
      ct: 20,
      cid: 205360956,
      userid: uin,
      reqtype: kind,
      sin: begin,
      ein: begin + num,
      format: 'json'
    },
    referer: profileReferer
  },
  read (answer) {
    if (maybe.int(answer, 'code') === 4000) throw hiddenByOwner(`${newer}.classic`, what)
    const data = need.at(answer, 'data')
    return readFavourites(data, { list, total: need.int(data, total), begin, what }, readRow)
  }
})

/** `begin`: first row of the `list`. `what`: subject of messages. `isHidden`: the answer says that it is hidden. */
interface Sent {
  readonly list: string
  readonly total: number
  readonly begin: number
  readonly what: string
  readonly isHidden?: boolean | undefined
}

/** Reads rows. A list without rows is hidden (NOT_FOUND), or looks blocked (UPSTREAM_EMPTY) if its total is not 0. */
function readFavourites<T> (
  answer: Answer,
  { list, total, begin, what, isHidden }: Sent,
  readRow: (row: Answer) => T | undefined
): SentRows<T> {
  const page = readSentRows(answer, [list], total, readRow)
  if (page.sent === 0 && isHidden === true) throw hiddenByOwner(answer.call, what)
  return unlessBlocked(page, begin, answer.call, 'the list')
}

const playlists: Collection<CollectedPlaylist> = {
  name: 'user.collected.playlists',
  what: 'The list of collected playlists',
  module: 'music.musicasset.PlaylistFavRead',
  method: 'CgiGetPlaylistFavInfo',
  key: 'uin', // it refuses digits all the same (80050)
  kind: 3,
  list: 'cdlist',
  total: 'totaldiss',
  readRow: readPlaylist
}

/** A row without an id is a reserved folder of the classic list. */
function readPlaylist (row: Answer): CollectedPlaylist | undefined {
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
    const { rows, total, skipped } = await collectedRows(input, playlists, context)
    return { total, hasMore: input.offset + input.limit < total, playlists: rows, skipped }
  }
})

const albums: Collection<CollectedAlbum> = {
  name: 'user.collected.albums',
  what: 'The list of collected albums',
  module: 'music.musicasset.AlbumFavRead',
  method: 'CgiGetAlbumFavInfo',
  key: 'euin',
  kind: 2,
  list: 'albumlist',
  total: 'totalalbum',
  readRow: readAlbum
}

function readAlbum (row: Answer): CollectedAlbum {
  const singers = ['v_singer', 'singer']
  const [first] = maybe.list(row, singers, (singer) => singer)
  return {
    albumID: maybe.int(row, 'id', 'albumid') ?? 0,
    albumMID: need.text(row, 'mid', 'albummid'),
    albumName: nameOf(row, 'name', 'albumname'),
    albumPic: pictureOf(row, 'logo', 'pic'),
    // Midnight in China.
    publicTime: dayInChina(maybe.int(row, 'pubtime') ?? 0),
    singerID: (first && maybe.int(first, 'id')) ?? 0,
    singerMID: (first && maybe.text(first, 'mid')) ?? '',
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
    const { rows, total, skipped } = await collectedRows(input, albums, context)
    return { total, hasMore: input.offset + input.limit < total, albums: rows, skipped }
  }
})

// The singers that an account follows. Only one call returns them. Observed by clients 2026-09.

/** `id`: the encrypted id of the account, or its digits. Answers 1000 without a valid cookie. */
const followedBy = (id: string, { begin, num }: RowRange): MusicuCall<SentRows<FollowedSinger>> => ({
  name: 'user.followed.singers',
  request: {
    module: 'music.concern.RelationList',
    method: 'GetFollowSingerList',
    param: { HostUin: id, From: begin, Size: num }
  },
  // `LockFlag`: only 0 was ever seen. Any other number is treated as a list that its owner hides.
  read: (answer) =>
    readFavourites(answer, {
      list: 'List',
      total: need.int(answer, 'Total'),
      begin,
      what: 'The list of followed singers',
      isHidden: (maybe.int(answer, 'LockFlag') ?? 0) !== 0
    }, (row) => ({
      singerName: nameOf(row, 'Name'),
      singerMID: need.text(row, 'MID'),
      singerPic: pictureOf(row, 'AvatarUrl'),
      concernNum: maybe.int(row, 'FanNum') ?? 0
    }))
})

export const getUserFollowedSingers = endpoint({
  method: 'GET',
  path: '/user/getUserFollowedSingers',
  tag: 'user',
  summary: 'Singers that an account follows',
  summaryInChinese: '用户关注的歌手',
  description: 'Singers that the cookie\'s account follows, or another account whose list is public. An expired cookie is reported as COOKIE_REJECTED.',
  example: { limit: 3 },
  probe: ({ accounts }) => accounts.map(() => ({ limit: 1 })),
  input: GetUserFollowedSingersQuery,
  record: FollowedSingers,
  envelope: statusBody,
  login: 'required',

  async run ({ uin, offset, limit }, { upstream, credential, cacheAtMost }) {
    const own = credential as Credential // `login: 'required'` guarantees it
    const account = accountDigits(uin ?? '') ?? own.uin
    const id = (account === own.uin ? own.euin : undefined) ?? account
    const { rows, total, skipped } = await collectRows(
      offset,
      limit,
      async (begin, num) => await upstream.send(followedBy(id, { begin, num })),
      cacheAtMost
    )
    return { total, hasMore: offset + limit < total, singers: rows, skipped }
  }
})
