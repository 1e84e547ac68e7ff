/**
 * Requests for the songs of a playlist. Flags are 0 and 1 (true was refused as the wrong type, 2026-08), and ids are
 * numbers.
 */
import type { MusicuRequest } from '../../upstream/calls.ts'

/** Songs `begin` to `begin + num - 1`. */
export interface RowRange { readonly begin: number, readonly num: number }

/** Identifies a playlist by its number, or by a folder that every account has and the account's encrypted id. */
export type PlaylistKey = { readonly disstid: string } | { readonly folder: number, readonly euin: string }

/** Returns the request for a part of a playlist. */
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

/** Returns the request for a whole folder of the account, in the form for the daily songs. The id is the account's digits (2026-11). */
export function folderRequest (folder: number, uin: string): MusicuRequest {
  return {
    module: 'music.srfDissInfo.DissInfo',
    method: 'CgiGetDiss',
    param: { disstid: 0, dirid: folder, enc_host_uin: uin, onlysonglist: 0, orderlist: 0, tag: 1, userinfo: 1, is_mobile: 1, new_format: 1 }
  }
}

/** Returns the same request as `playlistRequest` for another module, which returns the same response shape. */
export function siblingPlaylistRequest (key: PlaylistKey, range: RowRange): MusicuRequest {
  return { module: 'music.srfDissInfo.aiDissInfo', method: 'uniform_get_Dissinfo', param: { ...playlistRequest(key, range).param, enc_host_uin: '' } }
}
