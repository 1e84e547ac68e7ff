import { accountOf } from '../accounts.ts'
import { pictureUrl } from '../catalogue/index.ts'
import type { Catalogue } from '../catalogue/types.ts'
import { escapeHtml } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { foldersOf, lives, type Folder } from './folders.ts'
import { mistyped, queryNumber, textOf } from './params.ts'

/** This account hides its lists from all callers (4000). */
export const hiddenAccount = '1000000404'

const pictureOf = (catalogue: Catalogue, { picture }: Folder): string =>
  picture === '' ? '' : pictureUrl(catalogue, 'T003', 300, picture)

/** Uses the account number only and ignores an expired or missing key (tested by others, 2026-09). `uin` is text. */
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

/** Public lists by the encrypted id, in a row shape of their own (2026-08). */
function listsByEuin (query: Query, euin: string, catalogue: Catalogue): unknown {
  const from = queryNumber(query, 'sin', 0)
  const lst = foldersOf(catalogue, accountOf(euin)?.uin ?? '').filter(({ tid, dirId, shown }) =>
    shown && tid > 0 && dirId !== 201
  )
    .slice(from, from + Math.min(200, queryNumber(query, 'n', 20)))
    .map((folder) => ({
      dissid: folder.tid,
      title: escapeHtml(folder.name),
      picurl: pictureOf(catalogue, folder),
      intro: '',
      song_count: folder.songs
    }))
  return { code: 0, subcode: 0, message: '', default: 0, data: { lst } }
}

/**
 * The classic list does not contain the liked songs. `hostuin` is a JSON number, which is imprecise for an account of
 * 19 digits.
 */
function createdLists (query: Query, { catalogue }: CallContext): unknown {
  const euin = query['hostmid'] ?? ''
  if (euin !== '') return listsByEuin(query, euin, catalogue)
  const uin = query['hostuin'] ?? ''
  if (uin === hiddenAccount) return { code: 4000, subcode: 4000, message: 'no permission', default: 0, data: {} }
  const from = queryNumber(query, 'sin', 0)
  const rows = foldersOf(catalogue, uin).filter(({ dirId }) => dirId !== 201).slice(
    from,
    from + Math.min(200, queryNumber(query, 'size', 20))
  )
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
  return {
    code: 0,
    subcode: 0,
    message: '',
    default: 0,
    data: { hostuin: Number(uin), encrypt_uin: account?.euin ?? '', hostname: account?.nick ?? '', disslist }
  }
}

/** Requires a valid key. */
function homepage (query: Query, { catalogue, identity }: CallContext): unknown {
  if (!lives(identity)) return { code: 1000, subcode: 1000, message: '', default: 0, data: {} }
  const uin = query['userid'] ?? ''
  const [liked, ...rest] = foldersOf(catalogue, uin)
  const list = rest.filter(({ tid, shown }) => tid > 0 && shown).map((folder) => ({
    dissid: folder.tid,
    dirid: folder.dirId,
    title: folder.name,
    subtitle: `${folder.songs}首`,
    picurl: pictureOf(catalogue, folder),
    songnum: folder.songs
  }))
  const account = accountOf(uin)
  return {
    code: 0,
    subcode: 0,
    message: '',
    default: 0,
    data: {
      creator: { uin: Number(uin), encrypt_uin: account?.euin ?? '', nick: account?.nick ?? '', headpic: '' },
      mymusic: liked === undefined ? []
        : [{ id: liked.tid, title: liked.name, type: 1, num0: liked.songs, num1: 0, num2: 0 }],
      mydiss: { num: list.length, list }
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
