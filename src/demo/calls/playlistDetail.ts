import type { Identity } from '../accounts.ts'
import { pictureUrl } from '../catalogue/index.ts'
import type { Catalogue, Playlist, Song } from '../catalogue/types.ts'
import { deletedRow, oldSong, playlistSong } from '../shapes/song.ts'
import { escapeHtml } from '../shapes/text.ts'
import type { CallAnswer, CallContext, ClassicTable, MusicuTable, Param, Query } from '../types.ts'
import { folderDiss, isOwn, lightDaily } from './folders.ts'
import { mistyped, numberOf, queryNumber } from './params.ts'

/** Owners see their own hidden playlists. */
function hiddenFrom ({ creator, state }: Playlist, { uin }: Identity): boolean {
  return state !== 'public' && String(creator.number) !== uin
}

/** `<br>` in a description stays markup. The rest of the text is escaped. */
function descOf ({ desc }: Playlist): string {
  return desc.split('<br>').map(escapeHtml).join('<br>')
}

function tagsOf ({ tags }: Playlist): unknown[] {
  return tags.map(({ id, name }) => ({ id, name: escapeHtml(name), pid: id }))
}

/** Returns the row at a place. Deleted songs have numbers that belong to no song. */
function rowOf (
  { deleted }: Playlist,
  song: Song,
  place: number,
  write: (song: Song) => unknown = playlistSong
): unknown {
  const kind = deleted.get(place)
  return kind === undefined ? write(song) : deletedRow(kind, 123450 + place, write !== playlistSong)
}

function dirInfo (catalogue: Catalogue, playlist: Playlist): Record<string, unknown> {
  const picurl = pictureUrl(catalogue, 'T003', 300, playlist.picture)
  const seconds = Date.parse(playlist.created) / 1000
  return {
    id: playlist.id,
    host_uin: 0,
    dirid: 0,
    title: playlist.title,
    picurl,
    picid: 0,
    desc: descOf(playlist),
    vec_tagid: playlist.tags.map((tag) => tag.id),
    vec_tagname: playlist.tags.map((tag) => tag.name),
    ctime: seconds,
    mtime: seconds,
    listennum: playlist.listeners,
    ordernum: 0,
    picmid: '',
    dirtype: 0,
    host_nick: playlist.creator.nick,
    songnum: playlist.songs.length,
    ordertime: 0,
    show: 1,
    picurl2: picurl,
    disstype: 0,
    dir_show: 1,
    encrypt_uin: 'demoListener00**',
    owndir: 0,
    headurl: '',
    tag: tagsOf(playlist),
    creator: {
      musicid: playlist.creator.number,
      type: 0,
      singerid: 0,
      nick: playlist.creator.nick,
      headurl: '',
      ifpicurl: '',
      encrypt_uin: 'demoListener00**',
      isVip: 0
    },
    status: 0,
    edge_mark: '',
    ad_tag: false
  }
}

/** The title of a playlist that its owner made private (2026-08). */
const privateTitle = '歌单被主人设为隐私'

/**
 * An unknown id is 10004. A hidden playlist has an inner code, a hollow one only empty fields. `end`: the call has no
 * rows from there on.
 */
function getDiss (param: Param, context: CallContext, widest: number, end = Infinity): CallAnswer {
  const { catalogue, identity } = context
  const wrong = mistyped(param, {
    disstid: 'number',
    dirid: 'number',
    song_begin: 'number',
    song_num: 'number',
    tag: 'boolean',
    userinfo: 'boolean',
    orderlist: 'boolean',
    onlysonglist: 'boolean',
    is_mobile: 'boolean',
    new_format: 'boolean',
    enc_host_uin: 'string'
  })
  if (wrong) return wrong
  const folder = folderDiss(param, context, end)
  if (folder) return folder
  const playlist = catalogue.playlistById.get(String(numberOf(param, 'disstid', 0)))
  if (!playlist) return { code: 10004, data: { code: 10004, subcode: 10004, msg: 'disstid' } }

  const caller = { login_uin: 0, encrypt_login: '', ct: 24, cv: 4747474, ip: '192.0.2.1', srf_ip: '192.0.2.1' }
  const hidden = hiddenFrom(playlist, identity)
  const code = hidden && playlist.state === 'hidden' ? 4000 : 0
  const begin = numberOf(param, 'song_begin', 0)
  const count = Math.min(widest, numberOf(param, 'song_num', 0) || 10)
  const rows = hidden ? [] : playlist.songs.slice(begin, Math.min(end, begin + count))
  const total = hidden ? 0 : playlist.songs.length
  const data = {
    code,
    subcode: code,
    msg: '',
    from_gedan_plaza: 1,
    accessed_plaza_cache: 0,
    accessed_byfav: 1,
    optype: 0,
    filter_song_num: 0,
    dirinfo: hidden
      ? {
        id: 0,
        title: playlist.state === 'private' ? privateTitle : '',
        picurl: '',
        desc: '',
        songnum: 0,
        listennum: 0,
        host_nick: '',
        tag: [],
        creator: { nick: '' }
      }
      : dirInfo(catalogue, playlist),
    songlist_size: rows.length,
    songlist: rows.map((song, at) => rowOf(playlist, song, begin + at)),
    songtag: [],
    toplist_song: [],
    invalid_song: [],
    filtered_song: [],
    total_song_num: total,
    orderlist: [],
    bitflag: 0,
    hasmore: begin + rows.length < total ? 1 : 0,
    ...caller
  }
  return { code: 0, data }
}

export const playlistDetailCalls: MusicuTable = {
  'music.qqmusiclite.MtRecommendSvr/GetDaily30': lightDaily,
  // 1233 rows came at once when 1400 were requested (2026-11). The sibling cuts at 1000 (2026-09).
  'music.srfDissInfo.DissInfo/CgiGetDiss': (param, context) => getDiss(param, context, 1400),
  'music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo': (param, context) => getDiss(param, context, 1000, 1000)
}

const oldRow = (song: Song): Record<string, unknown> => ({
  ...oldSong(song),
  songid: song.id % 10 === 3 ? String(song.id) : song.id
})

/** `dissid` is truncated here. Only `disstid` identifies the playlist. */
function cdOf (catalogue: Catalogue, playlist: Playlist, query: Query, newShape: boolean): Record<string, unknown> {
  const begin = queryNumber(query, 'song_begin', 0)
  const rows = playlist.songs.slice(begin, begin + queryNumber(query, 'song_num', playlist.songs.length))
  const seconds = Date.parse(playlist.created) / 1000
  return {
    disstid: String(playlist.id),
    coveradurl: '',
    dissid: Number(String(playlist.id).slice(0, 7)),
    uin: 'demoListener00**',
    encrypt_uin: 'demoListener00**',
    owndir: 0,
    dissname: escapeHtml(playlist.title),
    logo: pictureUrl(catalogue, 'T003', 300, playlist.picture),
    pic_mid: '',
    album_pic_mid: '',
    pic_dpi: 300,
    isAd: 0,
    desc: descOf(playlist),
    ctime: seconds,
    mtime: seconds,
    headurl: '',
    ifpicurl: '',
    nick: escapeHtml(playlist.creator.nick),
    nickname: escapeHtml(playlist.creator.nick),
    type: 0,
    singerid: 0,
    singermid: '',
    isvip: 0,
    isdj: 0,
    tags: tagsOf(playlist),
    songnum: playlist.songs.length,
    songids: playlist.songs.map((song) => song.id).join(','),
    songtypes: playlist.songs.map(() => 13).join(','),
    total_song_num: playlist.songs.length,
    song_begin: begin,
    cur_song_num: rows.length,
    // The number of an old row was sometimes seen as a text.
    songlist: rows.map((song, at) => rowOf(playlist, song, begin + at, newShape ? playlistSong : oldRow)),
    visitnum: playlist.listeners,
    cmtnum: 0,
    buynum: 0,
    scoreavage: '0.0',
    scoreusercount: 0
  }
}

const hollow = {
  songnum: 0,
  songids: '',
  songtypes: '',
  total_song_num: 0,
  song_begin: 0,
  cur_song_num: 0,
  songlist: []
}

const head = { accessed_plaza_cache: 0, accessed_favbase: 0, login: '' }
const refused = { code: 0, subcode: 4000, msg: '', ...head, cdnum: 0 }

/** A playlist that is not public: subcode 4000 without `cdlist` (2026-05), or empty fields with code 0 (2026-09). */
function classicDetail (query: Query, { catalogue, identity }: CallContext): unknown {
  const playlist = catalogue.playlistById.get(query['disstid'] ?? '')
  if (!playlist) return { code: 0, subcode: 0, ...head, cdnum: 0, cdlist: [], realcdnum: 0 }
  if (!hiddenFrom(playlist, identity)) {
    return {
      code: 0,
      subcode: 0,
      ...head,
      cdnum: 1,
      cdlist: [cdOf(catalogue, playlist, query, query['new_format'] === '1')],
      realcdnum: 1
    }
  }
  if (playlist.state === 'hidden') return refused
  return {
    code: 0,
    subcode: 0,
    ...head,
    cdnum: 1,
    cdlist: [playlist.state === 'private' ? { ...hollow, dissname: privateTitle } : hollow],
    realcdnum: 1
  }
}

/** Since 2026-05 only the owner's lists. Lists of others are refused, public or not. */
function ownDetail (query: Query, context: CallContext): unknown {
  const playlist = context.catalogue.playlistById.get(query['disstid'] ?? '')
  return playlist && !isOwn(context.catalogue, playlist, context.identity) ? refused : classicDetail(query, context)
}

function thirdDetail (query: Query, { catalogue, identity }: CallContext): unknown {
  const playlist = catalogue.playlistById.get(query['id'] ?? '')
  if (!playlist || hiddenFrom(playlist, identity)) return { code: 0, subcode: 0, data: { cdlist: [], cdnum: 0 } }
  return {
    code: 0,
    subcode: 0,
    data: { cdlist: [cdOf(catalogue, playlist, query, query['newsong'] === '1')], cdnum: 1 }
  }
}

/**
 * The folder is `fcg-bin`. The same name under `fcgi-bin` is 404, like every path that is not in a table. The path
 * under `qzone-music` works for all callers (2026-08).
 */
export const playlistDetailPaths: ClassicTable = {
  '/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg': { answer: ownDetail, callback: 'playlistInfoCallback', gbk: true },
  '/qzone-music/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg': { answer: classicDetail, callback: 'playlistInfoCallback', gbk: true },
  '/v8/fcg-bin/fcg_v8_playlist_cp.fcg': { answer: thirdDetail, callback: 'jsonCallback' }
}
