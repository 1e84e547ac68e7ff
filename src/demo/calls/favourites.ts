import { accountOf, type AccountName, type Registered } from '../accounts.ts'
import { pictureUrl } from '../catalogue/index.ts'
import type { Album, Catalogue, Playlist, Singer } from '../catalogue/types.ts'
import { escapeHtml } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { lives } from './folders.ts'
import { hiddenAccount } from './library.ts'
import { mistyped, numberOf, queryNumber, textOf } from './params.ts'

/**
 * For each account: the number of collected playlists, collected albums and followed singers, and the number of the
 * first of each.
 */
const holdings: Readonly<Record<AccountName, { lists: number, albums: number, singers: number, first: number }>> = {
  ordinary: { lists: 43, albums: 35, singers: 34, first: 60 },
  member: { lists: 12, albums: 15, singers: 8, first: 20 },
  expired: { lists: 4, albums: 3, singers: 2, first: 5 },
  partner: { lists: 5, albums: 2, singers: 3, first: 90 },
  child: { lists: 1, albums: 0, singers: 0, first: 110 }
}

/** The first playlist of another user; the accounts' own playlists are before it. */
const firstForeign = 300

const some = <T>(rows: readonly T[], { name }: Registered, kind: 'lists' | 'albums' | 'singers', from = 0): T[] =>
  rows.slice(from + holdings[name].first, from + holdings[name].first + holdings[name][kind])

const listsOf = ({ playlists }: Catalogue, account: Registered): Playlist[] =>
  some(playlists, account, 'lists', firstForeign)
const albumsOf = ({ albums }: Catalogue, account: Registered): Album[] => some(albums, account, 'albums')
const singersOf = ({ singers }: Catalogue, account: Registered): Singer[] => some(singers, account, 'singers')

/** The latest first, one day apart. Unix seconds. */
const collectedAt = (place: number): number => 1_760_000_000 - place * 86_400

/** Midnight in China, Unix seconds. */
const publishedAt = ({ published }: Album): number => Date.parse(`${published}T00:00:00+08:00`) / 1000

interface RowsPage<T> { rows: T[], begin: number, total: number, hasmore: 0 | 1 }

function pageOf<T> (rows: readonly T[], begin: number, size: number): RowsPage<T> {
  const page = rows.slice(begin, begin + size)
  return { rows: page, begin, total: rows.length, hasmore: begin + page.length < rows.length ? 1 : 0 }
}

/** Accepts the encrypted id only: digits are 80050. The caller's key does not matter, as in the account's own list. */
function favouritePlaylists (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { uin: 'string', offset: 'number', size: 'number' })
  if (wrong) return wrong
  const euin = textOf(param, 'uin')
  if (/^\d+$/.test(euin)) return { code: 80050, data: {} }
  const account = accountOf(euin)
  const { rows, begin, total, hasmore } = pageOf(
    account ? listsOf(catalogue, account) : [],
    numberOf(param, 'offset', 0),
    numberOf(param, 'size', 10)
  )
  const v_list = rows.map(({ id, title, picture, songs, creator }, at) => ({
    tid: id,
    dirId: 0,
    name: title,
    logo: pictureUrl(catalogue, 'T003', 300, picture),
    songnum: songs.length,
    uin: String(creator.number),
    nickname: creator.nick,
    createtime: 1_600_000_000,
    updateTime: 1_700_000_000,
    orderTime: collectedAt(begin + at),
    dirType: 0
  }))
  return { code: 0, data: { number: rows.length, total, hasmore, hide: false, v_list, v_delTids: [], v_failTids: [] } }
}

/** Without an encrypted id: 80000, and a page without content. At most 20 rows, whatever `size` (one client 2026). */
function favouriteAlbums (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { euin: 'string', offset: 'number', size: 'number' })
  if (wrong) return wrong
  const account = accountOf(textOf(param, 'euin'))
  const { rows, begin, total, hasmore } = pageOf(
    account ? albumsOf(catalogue, account) : [],
    numberOf(param, 'offset', 0),
    Math.min(20, numberOf(param, 'size', 10))
  )
  const v_list = rows.map((album, at) => ({
    id: album.id,
    mid: album.mid,
    name: album.name,
    pmid: album.mid,
    logo: pictureUrl(catalogue, 'T002', 300, album.mid),
    songnum: album.songs.length,
    pubtime: publishedAt(album),
    ordertime: collectedAt(begin + at),
    status: 0,
    v_singer: album.singers.map(({ id, mid, name }) => ({ id, mid, name }))
  }))
  return {
    code: textOf(param, 'euin') === '' ? 80000 : 0,
    data: { total, hasmore, hide: 0, v_list, v_failAlbumId: [] }
  }
}

/** Accepts digits or the encrypted id. Requires a valid key. */
function followedSingers (param: Param, { catalogue, identity }: CallContext): CallAnswer {
  const wrong = mistyped(param, { HostUin: 'string', From: 'number', Size: 'number' })
  if (wrong) return wrong
  if (!lives(identity)) return { code: 1000, data: {} }
  const account = accountOf(textOf(param, 'HostUin'))
  const { rows, begin, total, hasmore } = pageOf(
    account ? singersOf(catalogue, account) : [],
    numberOf(param, 'From', 0),
    numberOf(param, 'Size', 10)
  )
  const List = rows.map(({ mid, name, desc, fans }) => ({
    MID: mid,
    EncUin: '',
    Name: name,
    Desc: desc,
    AvatarUrl: pictureUrl(catalogue, 'T001', 300, mid),
    FanNum: fans,
    IsFollow: account?.uin === identity.uin
  }))
  return {
    code: 0,
    data: { Total: total, List, HasMore: hasmore === 1, LastPos: String(begin + rows.length), LockFlag: 0, LockMsg: '' }
  }
}

/** Collected playlists and albums, by digits. `ein` is the last row. The last playlist represents a reserved folder. */
function orderedAssets (query: Query, { catalogue, identity }: CallContext): unknown {
  const answer = (code: number, data: unknown): unknown => ({ code, subcode: code, message: '', default: 0, data })
  if (!lives(identity)) return answer(1000, {})
  const uin = query['userid'] ?? ''
  if (uin === hiddenAccount) return answer(4000, {})
  const account = accountOf(uin)
  const sin = queryNumber(query, 'sin', 0)
  const size = queryNumber(query, 'ein', sin + 9) - sin + 1
  if (query['reqtype'] === '2') {
    const { rows, begin, total } = pageOf(account ? albumsOf(catalogue, account) : [], sin, size)
    const albumlist = rows.map((album, at) => ({
      albumid: album.id,
      albummid: album.mid,
      albumname: escapeHtml(album.name),
      pic: pictureUrl(catalogue, 'T002', 300, album.mid),
      songnum: album.songs.length,
      pubtime: publishedAt(album),
      ordertime: collectedAt(begin + at),
      singer: album.singers.map(({ id, mid, name }) => ({ id, mid, name: escapeHtml(name) }))
    }))
    return answer(0, { totalalbum: total, albumlist })
  }
  const { rows, begin, total } = pageOf([...account ? listsOf(catalogue, account) : [], undefined], sin, size)
  const cdlist = rows.map((playlist, at) =>
    playlist === undefined
      ? { dissid: 0, dissname: '', logo: '', songnum: 0, nickname: '', uin: '0', ordertime: 0 }
      : {
        dissid: playlist.id,
        dissname: escapeHtml(playlist.title),
        logo: pictureUrl(catalogue, 'T003', 300, playlist.picture),
        songnum: playlist.songs.length,
        nickname: escapeHtml(playlist.creator.nick),
        uin: String(playlist.creator.number),
        ordertime: collectedAt(begin + at)
      }
  )
  return answer(0, { totaldiss: total, cdlist })
}

export const favouriteCalls: MusicuTable = {
  'music.musicasset.PlaylistFavRead/CgiGetPlaylistFavInfo': favouritePlaylists,
  'music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo': favouriteAlbums,
  'music.concern.RelationList/GetFollowSingerList': followedSingers
}

export const favouritePaths: ClassicTable = {
  '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg': { answer: orderedAssets }
}
