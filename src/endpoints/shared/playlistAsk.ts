/** How the songs of a playlist are asked for. Flags are 0 and 1 (true was refused as the wrong type, 2026-08), and ids are numbers. */
import type { MusicuAsk } from '../../provider/upstream.ts'

/** Songs `begin` to `begin + num - 1`. */
export interface Stretch { readonly begin: number, readonly num: number }

/** By the number of the list, or by a folder that every account has and the account's encrypted id. */
export type PlaylistKey = { readonly disstid: string } | { readonly folder: number, readonly euin: string }

export function playlistAsk (key: PlaylistKey, { begin, num }: Stretch): MusicuAsk {
  const which = 'disstid' in key
    ? { disstid: Number(key.disstid), dirid: 0, onlysonglist: 0 }
    : { disstid: 0, dirid: key.folder, enc_host_uin: key.euin }
  return {
    module: 'music.srfDissInfo.DissInfo',
    method: 'CgiGetDiss',
    param: { ...which, tag: 1, song_begin: begin, song_num: num, userinfo: 1, orderlist: 1 }
  }
}

/** Another module that answers alike. */
export function siblingPlaylistAsk (key: PlaylistKey, stretch: Stretch): MusicuAsk {
  return { module: 'music.srfDissInfo.aiDissInfo', method: 'uniform_get_Dissinfo', param: { ...playlistAsk(key, stretch).param, enc_host_uin: '' } }
}
