/**
 * Playlists: requests for their songs, whether the owner hides one, and the playlist square. In requests flags are 0
 * and 1 (true was refused as the wrong type, 2026-08), and ids are numbers.
 */
import type { PlaylistSummary } from '../../../schemas/playlists.ts'
import {
  failure, maybe, nameOf, need, pictureOf, textOf, uniqueBy, upstreamEmpty, type Answer, type MusicuCall,
  type MusicuRequest, type UpstreamError
} from '../kit.ts'
import { readCounted, type CountedRows } from './pages.ts'

export interface RowRange { readonly begin: number, readonly num: number }

/** Identifies a playlist by its number, or by a folder that every account has and the account's encrypted id. */
export type PlaylistKey = { readonly disstid: string } | { readonly folder: number, readonly euin: string }

export function playlistRequest (key: PlaylistKey, { begin, num }: RowRange): MusicuRequest {
  const which = 'disstid' in key
    ? { disstid: Number(key.disstid), dirid: 0, onlysonglist: 0 }
    : { disstid: 0, dirid: key.folder, enc_host_uin: key.euin }
  return {
    module: 'music.srfDissInfo.DissInfo',
    method: 'CgiGetDiss',
    param: { ...which, tag: 1, song_begin: begin, song_num: num, userinfo: 1, orderlist: 1 }
  }
}

/** The request for a whole folder of the account, as for the daily songs. The id is the account's digits (2026-11). */
export function folderRequest (folder: number, uin: string): MusicuRequest {
  return {
    module: 'music.srfDissInfo.DissInfo',
    method: 'CgiGetDiss',
    param: {
      disstid: 0,
      dirid: folder,
      enc_host_uin: uin,
      onlysonglist: 0,
      orderlist: 0,
      tag: 1,
      userinfo: 1,
      is_mobile: 1,
      new_format: 1
    }
  }
}

/** The sibling call returns the first 1000 songs only (2026-09). */
export const siblingEnd = 1000

/** Returns the same request as `playlistRequest` for another module, which returns the same response shape. */
export function siblingPlaylistRequest (key: PlaylistKey, range: RowRange): MusicuRequest {
  return {
    module: 'music.srfDissInfo.aiDissInfo',
    method: 'uniform_get_Dissinfo',
    param: { ...playlistRequest(key, range).param, enc_host_uin: '' }
  }
}

// Playlists that their owner hides.

/** The title that the upstream sends instead of a hidden playlist, with code 0 and without songs (2026-08). */
const hiddenTitle = '歌单被主人设为隐私'

export const isHidden = (title: string | undefined, songs: number | undefined): boolean =>
  title === hiddenTitle && (songs ?? 0) === 0

/** Returns the error for a hidden playlist. `what` is the subject of the message. */
export function hiddenByOwner (call: string, what: string): UpstreamError {
  return failure('missing', { call, message: `${what} is hidden by its owner. Only the owner's cookie shows it.` })
}

// The playlist square, which is public. Cover and creator are null for some callers. Recorded 2026-08.

export const squarePlaylists: MusicuCall<CountedRows<PlaylistSummary>> = {
  name: 'recommend.playlists.square',
  request: { module: 'music.playlist.PlaylistSquare', method: 'GetRecommendFeed', param: { From: 0, Size: 25 } },
  read: (answer) => requirePlaylists(readCounted(answer, ['List'], (row) => {
    const basic = need.at(row, 'Playlist.basic')
    return {
      dissid: need.id(basic, 'tid'),
      dissname: nameOf(basic, 'title'),
      creator: textOf(basic, 'creator.nick'),
      listen_num: maybe.int(basic, 'play_cnt') ?? 0,
      imgurl: pictureOf(basic, 'cover.default_url', 'cover.medium_url', 'cover.big_url')
    }
  }), answer.call)
}

/** Reads a row of the older square, by category or by tag. */
export function readPlazaRow (row: Answer): PlaylistSummary {
  return {
    dissid: need.id(row, 'tid'),
    dissname: nameOf(row, 'title'),
    creator: textOf(row, 'creator_info.nick'),
    listen_num: maybe.int(row, 'access_num') ?? 0,
    imgurl: pictureOf(row, 'cover_url_big', 'cover_url_medium', 'cover_url_small')
  }
}

/** Removes repeated playlists; the first one stays. Throws UPSTREAM_EMPTY if there is none. */
export function requirePlaylists (
  { rows, skipped }: CountedRows<PlaylistSummary>,
  call: string
): CountedRows<PlaylistSummary> {
  const each = uniqueBy(rows, ({ dissid }) => dissid)
  if (each.length === 0) throw upstreamEmpty(call, 'playlists')
  return { rows: each, skipped }
}
