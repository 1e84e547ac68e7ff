import { accountOf, accounts } from '../accounts.ts'
import type { Identity, Registered } from '../accounts.ts'
import { pictureUrl } from '../catalogue/index.ts'
import type { Catalogue, Song } from '../catalogue/types.ts'
import { newSong, playlistSong } from '../shapes/song.ts'
import { escapeHtml } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { mistyped, numberOf, queryNumber, textOf } from './params.ts'

interface Folder { tid: number, dirId: number, name: string, songs: number, picture: string, shown: boolean }

/**
 * Lists and liked songs of each account: one with more lists than fit on a page, one with a few, and one with an
 * expired key.
 */
const sizes: Readonly<Record<Registered['name'], { lists: number, liked: number, firstList: number }>> = {
  ordinary: { lists: 38, liked: 73, firstList: 10 },
  member: { lists: 6, liked: 140, firstList: 60 },
  expired: { lists: 3, liked: 61, firstList: 80 }
}

/** This account hides its lists from everybody (4000). */
const hiddenAccount = '1000000404'

/** Id of the list of liked songs. Its folder number is 201 in every account; this id is unique. */
const likedIdOf = ({ uin }: Registered): number => 7800000000 + Number(uin.slice(-3))

const likedOf = (catalogue: Catalogue, { name }: Registered): Song[] =>
  Array.from({ length: sizes[name].liked }, (_, at) => catalogue.songs[(at * 7 + sizes[name].firstList) % catalogue.songs.length]).filter((song) => song !== undefined)

/** The liked songs, then two system folders (one of them without a list), then the account's own lists. */
function foldersOf (catalogue: Catalogue, uin: string): Folder[] {
  const account = accountOf(uin)
  if (account?.uin !== uin) {
    return catalogue.playlists.filter(({ creator, state }) => String(creator.number) === uin && state === 'public')
      .map(({ id, title, songs, picture }, at) => ({ tid: id, dirId: at + 1, name: title, songs: songs.length, picture, shown: true }))
  }
  const { lists, firstList } = sizes[account.name]
  const own = catalogue.playlists.slice(firstList - 1, firstList - 1 + lists)
  return [
    { tid: likedIdOf(account), dirId: 201, name: '我喜欢', songs: sizes[account.name].liked, picture: '00DemoLiked', shown: true },
    { tid: 0, dirId: 205, name: 'Demo background music', songs: 4, picture: '', shown: false },
    { tid: likedIdOf(account) + 1000, dirId: 206, name: 'Demo uploads', songs: 2, picture: '', shown: false },
    ...own.map(({ id, title, songs, picture }, at) => ({ tid: id, dirId: at + 1, name: title, songs: songs.length, picture, shown: true }))
  ]
}

const pictureOf = (catalogue: Catalogue, { picture }: Folder): string => picture === '' ? '' : pictureUrl(catalogue, 'T003', 300, picture)
const lives = ({ state }: Identity): boolean => state === 'ordinary' || state === 'member'

/**
 * Answers by the account number alone, also with an expired key or none (tested by others, 2026-09). `uin` is a text.
 */
function getPlaylistByUin (param: Param, { catalogue, identity }: CallContext): CallAnswer {
  const wrong = mistyped(param, { uin: 'string' })
  if (wrong) return wrong
  const uin = textOf(param, 'uin')
  const folders = uin === hiddenAccount && identity.uin !== uin ? [] : foldersOf(catalogue, uin)
  const v_playlist = folders.map((folder) => ({
    tid: folder.tid,
    dirId: folder.dirId,
    dirName: folder.name,
    picUrl: pictureOf(catalogue, folder),
    bigpicUrl: '',
    albumPicUrl: '',
    songNum: folder.songs,
    createTime: 1600000000,
    updateTime: 1700000000,
    uin,
    nick: accountOf(uin)?.nick ?? '',
    desc: '',
    avatar: '',
    identIcon: '',
    layerUrl: '',
    invalid: false,
    dirShow: folder.shown ? 1 : 0,
    fav_cnt: 0,
    play_cnt: 0,
    comment_cnt: 0,
    opType: 0,
    sortWeight: 0
  }))
  return { code: 0, data: { total: v_playlist.length, v_playlist, v_delTid: [], bFinish: true } }
}

/**
 * The classic list lacks the liked songs. `hostuin` is a JSON number, which is imprecise for an account of 19 digits.
 */
function createdLists (query: Query, { catalogue }: CallContext): unknown {
  const uin = query['hostuin'] ?? ''
  if (uin === hiddenAccount) return { code: 4000, subcode: 4000, message: 'no permission', default: 0, data: {} }
  const from = queryNumber(query, 'sin', 0)
  const rows = foldersOf(catalogue, uin).filter(({ dirId }) => dirId !== 201).slice(from, from + Math.min(200, queryNumber(query, 'size', 20)))
  const disslist = rows.map((folder) => ({
    diss_name: escapeHtml(folder.name),
    diss_cover: pictureOf(catalogue, folder),
    song_cnt: folder.songs,
    listen_num: 0,
    dirid: folder.dirId,
    tid: folder.tid,
    dir_show: folder.shown ? 1 : 0
  }))
  const account = accountOf(uin)
  return { code: 0, subcode: 0, message: '', default: 0, data: { hostuin: Number(uin), encrypt_uin: account?.euin ?? '', hostname: account?.nick ?? '', disslist } }
}

/** Needs a valid key. */
function homepage (query: Query, { catalogue, identity }: CallContext): unknown {
  if (!lives(identity)) return { code: 1000, subcode: 1000, message: '', default: 0, data: {} }
  const uin = query['userid'] ?? ''
  const [liked, ...rest] = foldersOf(catalogue, uin)
  const list = rest.filter(({ tid, shown }) => tid > 0 && shown).map((folder) => ({ dissid: folder.tid, dirid: folder.dirId, title: folder.name, subtitle: `${folder.songs}首`, picurl: pictureOf(catalogue, folder), songnum: folder.songs }))
  const account = accountOf(uin)
  return {
    code: 0,
    subcode: 0,
    message: '',
    default: 0,
    data: {
      creator: { uin: Number(uin), encrypt_uin: account?.euin ?? '', nick: account?.nick ?? '', headpic: '' },
      mymusic: liked === undefined ? [] : [{ id: liked.tid, title: liked.name, type: 1, num0: liked.songs, num1: 0, num2: 0 }],
      mydiss: { num: list.length, list }
    }
  }
}

/** Most rows of an answer. Consistent with every read reported so far. */
const widest = 200

/**
 * Answers the liked songs: folder 201 of the account with this encrypted id (empty: the caller's own), or the list with
 * this id. Undefined if the request is for another list. Needs a valid key.
 */
export function likedDiss (param: Param, { catalogue, identity }: CallContext): CallAnswer | undefined {
  const disstid = numberOf(param, 'disstid', 0)
  const byList = disstid === 0 ? undefined : accounts().find((account) => likedIdOf(account) === disstid)
  if (byList === undefined && (disstid !== 0 || param['dirid'] !== 201)) return undefined
  if (!lives(identity)) return { code: 1000, data: {} }
  const account = byList ?? accountOf(textOf(param, 'enc_host_uin') || identity.uin)
  const all = account === undefined ? [] : likedOf(catalogue, account)
  const begin = numberOf(param, 'song_begin', 0)
  const rows = all.slice(begin, begin + Math.min(widest, numberOf(param, 'song_num', 0) || 10))
  return {
    code: 0,
    data: {
      code: 0,
      subcode: 0,
      msg: '',
      dirinfo: {
        id: account === undefined ? 0 : likedIdOf(account),
        dirid: 201,
        title: '我喜欢',
        picurl: pictureUrl(catalogue, 'T003', 300, '00DemoLiked'),
        desc: '',
        songnum: all.length,
        listennum: 0,
        creator: { musicid: `#${account?.uin ?? '0'}`, nick: account?.nick ?? '', headurl: '', encrypt_uin: account?.euin ?? '' }
      },
      // Rows have the full shape or the shorter one of playlists.
      songlist: rows.map((song, at) => at % 5 === 0 ? newSong(song) : playlistSong(song)),
      songlist_size: rows.length,
      total_song_num: all.length,
      hasmore: begin + rows.length < all.length ? 1 : 0
    }
  }
}

export const libraryCalls: MusicuTable = {
  'music.musicasset.PlaylistBaseRead/GetPlaylistByUin': getPlaylistByUin
}

export const libraryPaths: ClassicTable = {
  '/rsc/fcgi-bin/fcg_user_created_diss': { answer: createdLists },
  '/rsc/fcgi-bin/fcg_get_profile_homepage.fcg': { answer: homepage }
}
