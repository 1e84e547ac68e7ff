/** What is asked about an account by several endpoints: whose cookie it is, and the lists it made. */
import type { UserPlaylist } from '../../../schemas/user.ts'
import { notFound } from '../../errors.ts'
import type { Credential } from '../../provider/credentials.ts'
import { maybe, need } from '../../provider/read.ts'
import type { Answer } from '../../provider/read.ts'
import type { ClassicCall, MusicuCall } from '../../provider/upstream.ts'
import { classicFiller, profileReferer } from '../../provider/wire.ts'
import { eachOnce } from './eachOnce.ts'
import { needText, pictureOf } from './texts.ts'

/**
 * Who the cookie belongs to. Other personal calls answer public data even with a dead key (seen 2026-09), so this one
 * travels in the same request and tells whether the cookie is still good.
 */
export const whoAmI: MusicuCall<true> = {
  name: 'user.whoami',
  // The module ends in "Server"; without it the upstream answers 500003 to a good cookie.
  ask: { module: 'music.UserInfo.userInfoServer', method: 'GetLoginUserInfo', param: {} },
  read: () => true
}

/** All lists in one answer, for anybody whose lists are public. `uin` is text, also for numbers that would fit. */
export function playlistsOf<T> (uin: string, read: (answer: Answer) => T): MusicuCall<T> {
  return { name: 'user.playlists', ask: { module: 'music.musicasset.PlaylistBaseRead', method: 'GetPlaylistByUin', param: { uin } }, read }
}

/** The older way to the same lists. 4000: the owner hides them. It also knows the encrypted account id. */
export function createdListsOf<T> (uin: string, read: (data: Answer) => T): ClassicCall<T> {
  return {
    name: 'user.playlists.created',
    codes: { 4000: 'ok' },
    ask: { path: '/rsc/fcgi-bin/fcg_user_created_diss', query: { ...classicFiller, hostuin: uin, sin: 0, size: 200, format: 'json' }, referer: profileReferer },
    read (answer) {
      if (maybe.int(answer, 'code') === 4000) throw notFound('user.playlists.created', 'The list of playlists of this account')
      return read(need.at(answer, 'data'))
    }
  }
}

/** The page of an account; only for who is logged in. */
export function homepageOf<T> (uin: string, { uin: own }: Credential, read: (data: Answer) => T): ClassicCall<T> {
  return {
    name: 'user.homepage',
    ask: {
      host: 'profile',
      path: '/rsc/fcgi-bin/fcg_get_profile_homepage.fcg',
      query: { ...classicFiller, cid: 205360838, userid: uin, reqfrom: 1, reqtype: 0, uin: own, g_tk_new_20200303: 5381, cv: 4747474, ct: 24, format: 'json', _: Date.now() },
      referer: profileReferer
    },
    sometimes: ['data.mymusic[].dirId', 'data.mymusic[].picUrl'],
    read: (answer) => read(need.at(answer, 'data'))
  }
}

/** Folders that hold no playlist of the account: what was played, background music, uploads. */
const systemFolders = new Set([202, 205, 206])
/** The liked songs have this folder number in every account; their name depends on the language. */
export const likedFolder = 201

/** One list in any of the three answers; undefined for rows that are no playlist. */
function readRow (row: Answer): UserPlaylist | undefined {
  const dissid = maybe.id(row, 'tid', 'dissid', 'disstid', 'id')
  const dirid = maybe.int(row, 'dirId', 'dirid') ?? 0
  if (dissid === undefined || systemFolders.has(dirid)) return undefined
  return {
    dissid,
    dissname: needText(row, 'dirName', 'diss_name', 'dissname', 'title', 'name'),
    dirid,
    songnum: maybe.int(row, 'songNum', 'song_cnt', 'songnum', 'num0') ?? 0,
    picurl: pictureOf(row, 'picUrl', 'diss_cover', 'picurl', 'logo')
  }
}

/** A list that comes twice counts where it comes first. */
const eachList = (rows: readonly UserPlaylist[]): UserPlaylist[] => eachOnce(rows, ({ dissid }) => dissid)

export function readPlaylists (answer: Answer): UserPlaylist[] {
  return maybe.int(answer, 'total') === 0 ? [] : eachList(need.list(answer, 'v_playlist', readRow))
}

export const readCreatedLists = (data: Answer): UserPlaylist[] => eachList(need.list(data, 'disslist', readRow))

/** The liked songs stand first and apart, without their folder number. */
export function readHomepage (data: Answer): UserPlaylist[] {
  const liked = maybe.list(data, 'mymusic', readRow).slice(0, 1).map((row) => ({ ...row, dirid: likedFolder }))
  return eachList([...liked, ...need.list(need.at(data, 'mydiss'), 'list', readRow)])
}
