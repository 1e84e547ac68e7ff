import { accountOf, accounts, type AccountName, type Identity, type Registered } from '../accounts.ts'
import { pictureUrl } from '../catalogue/index.ts'
import type { Catalogue, Playlist, Song } from '../catalogue/types.ts'
import { newSong, playlistSong } from '../shapes/song.ts'
import type { CallAnswer, CallContext, Param } from '../types.ts'
import { numberOf, textOf } from './params.ts'

export interface Folder { tid: number, dirId: number, name: string, songs: number, picture: string, shown: boolean }

/**
 * The data of each account: the number of its lists and liked songs, the number of its first list, and today's
 * playlist. One account has more lists than fit on a page.
 */
const holdings: Readonly<Record<AccountName, { lists: number, liked: number, firstList: number, daily: string }>> = {
  ordinary: { lists: 38, liked: 73, firstList: 10, daily: '7700000009' },
  member: { lists: 6, liked: 140, firstList: 60, daily: '7700000010' },
  expired: { lists: 3, liked: 61, firstList: 80, daily: '7700000009' },
  partner: { lists: 12, liked: 25, firstList: 120, daily: '7700000301' },
  child: { lists: 2, liked: 9, firstList: 200, daily: '7700000302' }
}

/** Id of the list of liked songs. Its folder number is 201 in every account; this id is unique. */
const likedIdOf = ({ uin }: Registered): number => 7800000000 + Number(uin.slice(-3))

const likesOf = ({ memberLikes }: Catalogue, name: AccountName): number =>
  (name === 'member' ? memberLikes : undefined) ?? holdings[name].liked

/** Returns songs from the whole catalogue, without repeats. */
function likedOf (catalogue: Catalogue, { name }: Registered): Song[] {
  const { songs, memberLikes } = catalogue
  const step = memberLikes !== undefined && songs.length % 7 === 0 ? 11 : 7
  return Array.from(
    { length: likesOf(catalogue, name) },
    (_, at) => songs[(at * step + holdings[name].firstList) % songs.length]
  ).filter((song) => song !== undefined)
}

const folderOf = ({ id, title, songs, picture }: Catalogue['playlists'][number], at: number): Folder =>
  ({ tid: id, dirId: at + 1, name: title, songs: songs.length, picture, shown: true })

/** Returns the liked songs, then two system folders (one of them without a list), then the account's own lists. */
export function foldersOf (catalogue: Catalogue, uin: string): Folder[] {
  const account = accountOf(uin)
  if (account?.uin !== uin) {
    return catalogue.playlists.filter(({ creator, state }) => String(creator.number) === uin && state === 'public')
      .map(folderOf)
  }
  const { lists, firstList } = holdings[account.name]
  const own = catalogue.playlists.slice(firstList - 1, firstList - 1 + lists)
  return [
    {
      tid: likedIdOf(account),
      dirId: 201,
      name: '我喜欢',
      songs: likesOf(catalogue, account.name),
      picture: '00DemoLiked',
      shown: true
    },
    { tid: 0, dirId: 205, name: 'Demo background music', songs: 4, picture: '', shown: false },
    { tid: likedIdOf(account) + 1000, dirId: 206, name: 'Demo uploads', songs: 2, picture: '', shown: false },
    ...own.map(folderOf)
  ]
}

/** Whether the caller has a valid key. */
export const lives = ({ state }: Identity): boolean => state === 'ordinary' || state === 'member'

/** Whether the playlist is the caller's own. */
export function isOwn (catalogue: Catalogue, { id, creator }: Playlist, identity: Identity): boolean {
  return lives(identity)
    && (String(creator.number) === identity.uin || foldersOf(catalogue, identity.uin).some(({ tid }) => tid === id))
}

/** Returns today's playlist of an account. It is a playlist of the catalogue, and the account's folder 202. */
export function dailyOf ({ playlistById }: Catalogue, identity: Identity): Playlist | undefined {
  const account = lives(identity) ? accountOf(identity.uin) : undefined
  return account && playlistById.get(holdings[account.name].daily)
}

interface Shown {
  id: number
  dirid: number
  title: string
  picture: string
  owner: Registered | undefined
  songs: readonly Song[]
}

function folderAnswer (
  { id, dirid, title, picture, owner, songs }: Shown,
  begin: number,
  count: number,
  catalogue: Catalogue
): CallAnswer {
  const rows = songs.slice(begin, begin + count)
  const dirinfo = {
    id,
    dirid,
    title,
    picurl: pictureUrl(catalogue, 'T003', 300, picture),
    desc: '',
    songnum: songs.length,
    listennum: 0,
    creator: { musicid: `#${owner?.uin ?? '0'}`, nick: owner?.nick ?? '', headurl: '', encrypt_uin: owner?.euin ?? '' }
  }
  return {
    code: 0,
    data: {
      code: 0,
      subcode: 0,
      msg: '',
      dirinfo,
      // Rows have the full shape or the shorter one of playlists.
      songlist: rows.map((song, at) => at % 5 === 0 ? newSong(song) : playlistSong(song)),
      songlist_size: rows.length,
      total_song_num: songs.length,
      hasmore: begin + rows.length < songs.length ? 1 : 0
    }
  }
}

/** Maximum number of rows in an answer for the liked songs. Consistent with every read reported so far. */
const widest = 200

/** The account with this number or encrypted id. Empty means the caller's own. */
const ownerOf = (param: Param, identity: Identity): Registered | undefined =>
  accountOf(textOf(param, 'enc_host_uin') || identity.uin)

/** All daily songs are returned without `song_num` (2026-11). Another account's folder is empty. */
function dailyFolder (param: Param, { catalogue, identity }: CallContext): CallAnswer {
  if (!lives(identity)) return { code: 1000, data: {} }
  const owner = ownerOf(param, identity)
  const daily = owner?.uin === identity.uin ? dailyOf(catalogue, identity) : undefined
  const shown = {
    id: daily?.id ?? 0,
    dirid: 202,
    title: daily ? '每日30首' : '',
    picture: daily?.picture ?? '',
    owner,
    songs: daily?.songs ?? []
  }
  return folderAnswer(shown, numberOf(param, 'song_begin', 0), numberOf(param, 'song_num', 0) || 30, catalogue)
}

/**
 * The daily songs for the light program (2026-11). The shape is that of the folder (*assumed*); other programs get
 * none.
 */
export function lightDaily (param: Param, context: CallContext): CallAnswer {
  return context.comm['tmeAppID'] === 'qqmusiclight' ? dailyFolder(param, context) : { code: 1000, data: {} }
}

/**
 * Returns a system folder of an account: the liked songs (201, or the list with their id) and the daily songs (202).
 * Undefined if the request is for another list. Requires a valid key. `end`: the call has no rows from there on.
 */
export function folderDiss (param: Param, context: CallContext, end: number): CallAnswer | undefined {
  const { catalogue, identity } = context
  const disstid = numberOf(param, 'disstid', 0)
  if (disstid === 0 && param['dirid'] === 202) return dailyFolder(param, context)
  const byList = disstid === 0 ? undefined : accounts().find((account) => likedIdOf(account) === disstid)
  if (byList === undefined && (disstid !== 0 || param['dirid'] !== 201)) return undefined
  if (!lives(identity)) return { code: 1000, data: {} }
  const owner = byList ?? ownerOf(param, identity)
  const shown = {
    id: owner === undefined ? 0 : likedIdOf(owner),
    dirid: 201,
    title: '我喜欢',
    picture: '00DemoLiked',
    owner,
    songs: owner === undefined ? [] : likedOf(catalogue, owner)
  }
  const begin = numberOf(param, 'song_begin', 0)
  const count = Math.min(widest, numberOf(param, 'song_num', 0) || 10, Math.max(0, end - begin))
  return folderAnswer(shown, begin, count, catalogue)
}
