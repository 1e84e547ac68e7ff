/**
 * Calls about an account that several endpoints share: whether its login is alive, also for personal calls that the
 * upstream answers with public data to an expired cookie, and the account's playlists.
 */
import type { UserPlaylist } from '../../../schemas/user.ts'
import {
  RelayError, maybe, nameOf, need, notFound, optional, otherCallMayHelp, pictureOf, uniqueBy, upstreamEmpty, valueOf,
  type Answer, type ClassicCall, type CompositeCall, type Context, type MusicuCall
} from '../kit.ts'
import type { Credential } from '../../upstream/wire/credentials.ts'
import { classicFiller, profileReferer } from '../../upstream/wire/requests.ts'
import { readCounted, type CountedRows } from './pages.ts'

/** Checks the session: sent with other personal calls, which answer an expired cookie with public data (2026-09). */
export const whoAmI: MusicuCall<true> = {
  name: 'user.whoami',
  // The module name ends in "Server". Without it the upstream answers 500003 to a valid cookie.
  request: { module: 'music.UserInfo.userInfoServer', method: 'GetLoginUserInfo', param: {} },
  read: () => true
}

/** All playlists of any account whose lists are public. `uin` is a string, even if it would fit a number. */
export function playlistsOf<T> (uin: string, read: (answer: Answer) => T): MusicuCall<T> {
  return { name: 'user.playlists', request: { module: 'music.musicasset.PlaylistBaseRead', method: 'GetPlaylistByUin', param: { uin } }, read }
}

/** Maximum number of playlists in one answer of the older call. */
export const createdAtOnce = 200

/**
 * The older call, which also has the encrypted id. It counts nothing: a full answer may have a next one, from the row
 * `sin` on. Code 4000: the owner hides the lists, which is NOT_FOUND.
 */
export function createdListsOf<T> (uin: string, read: (data: Answer) => T, sin = 0): ClassicCall<T> {
  return {
    name: 'user.playlists.created',
    codes: { 4000: 'ok' },
    request: {
      path: '/rsc/fcgi-bin/fcg_user_created_diss',
      query: { ...classicFiller, hostuin: uin, sin, size: createdAtOnce, format: 'json' },
      referer: profileReferer
    },
    read (answer) {
      if (maybe.int(answer, 'code') === 4000) throw notFound('user.playlists.created', 'The list of playlists of this account')
      return read(need.at(answer, 'data'))
    }
  }
}

/** The profile page of an account. Requires a login. */
export function homepageOf<T> (uin: string, { uin: own }: Credential, read: (data: Answer) => T): ClassicCall<T> {
  return {
    name: 'user.homepage',
    request: {
      host: 'profile',
      path: '/rsc/fcgi-bin/fcg_get_profile_homepage.fcg',
      query: {
        ...classicFiller,
        cid: 205360838,
        userid: uin,
        reqfrom: 1,
        reqtype: 0,
        uin: own,
        g_tk_new_20200303: 5381,
        cv: 4747474,
        ct: 24,
        format: 'json',
        _: Date.now()
      },
      referer: profileReferer
    },
    optionalFields: ['data.mymusic[].dirId', 'data.mymusic[].picUrl'],
    read: (answer) => read(need.at(answer, 'data'))
  }
}

/** Returns the encrypted id of an account; undefined if no call returns it. */
export async function euinOf (uin: string, credential: Credential, { upstream }: Context): Promise<string | undefined> {
  if (uin === credential.uin && credential.euin !== undefined) return credential.euin
  const calls = [
    createdListsOf(uin, (data) => need.text(data, 'encrypt_uin')),
    homepageOf(uin, credential, (data) => need.text(data, 'creator.encrypt_uin'))
  ]
  // Hidden playlists of an account do not mean that its other lists are hidden.
  return await optional(upstream.firstOf(calls), (error) => otherCallMayHelp(error) || error.code === 'NOT_FOUND')
}

/** Folders that are not playlists of the account: play history, background music, uploads. */
const systemFolders = new Set([202, 205, 206])
/** Folder number of the liked songs in every account. Their name depends on the language. */
export const likedFolder = 201

/** Reads a playlist in any of three shapes; undefined without an id; `folder` for one that is no playlist. */
function readRow (row: Answer): UserPlaylist | 'folder' | undefined {
  const dissid = maybe.id(row, 'tid', 'dissid', 'disstid', 'id')
  const dirid = maybe.int(row, 'dirId', 'dirid') ?? 0
  if (systemFolders.has(dirid)) return 'folder'
  return dissid === undefined ? undefined : {
    dissid,
    dissname: nameOf(row, 'dirName', 'diss_name', 'dissname', 'title', 'name'),
    dirid,
    songnum: maybe.int(row, 'songNum', 'song_cnt', 'songnum', 'num0') ?? 0,
    picurl: pictureOf(row, 'picUrl', 'diss_cover', 'picurl', 'logo')
  }
}

/** `isFull`: there may be more. Only the older call says so. */
export type AccountLists = CountedRows<UserPlaylist> & { readonly isFull?: boolean }

function readLists (answer: Answer, path: string): AccountLists {
  const { rows, skipped } = readCounted(answer, [path], readRow)
  return { rows: uniqueBy(rows.filter((row) => row !== 'folder'), ({ dissid }) => dissid), skipped }
}

/** Throws UPSTREAM_UNREADABLE if there is no list at all, which is not the same as an empty one. */
const requiredLists = (answer: Answer, path: string): AccountLists => {
  need.list(answer, path, () => undefined)
  return readLists(answer, path)
}

/**
 * Reads the data of `playlistsOf`. Throws UPSTREAM_UNREADABLE if it has neither lists nor a total of 0, UPSTREAM_EMPTY
 * if it counts lists and sends none.
 */
export function readPlaylists (answer: Answer): AccountLists {
  const total = maybe.int(answer, 'total')
  if (total === 0) return { rows: [], skipped: 0 }
  const sent = need.list(answer, 'v_playlist', () => true).length
  if (sent === 0 && total !== undefined) throw upstreamEmpty(answer.call, 'the playlists')
  return readLists(answer, 'v_playlist')
}

export const readCreatedLists = (data: Answer): AccountLists => ({
  ...readLists(data, 'disslist'),
  isFull: need.list(data, 'disslist', () => true).length >= createdAtOnce
})

/** Reads the data of `homepageOf`. The liked songs come first and separately, without their folder number. */
export function readHomepage (data: Answer): AccountLists {
  const liked = readLists(data, 'mymusic').rows.slice(0, 1).map((row) => ({ ...row, dirid: likedFolder }))
  const { rows, skipped } = requiredLists(need.at(data, 'mydiss'), 'list')
  return { rows: uniqueBy([...liked, ...rows], ({ dissid }) => dissid), skipped }
}

/** The call with the session check, in one POST. Fails with COOKIE_REJECTED if the cookie has ended. */
export function sessionCheck<T> (call: MusicuCall<T>): CompositeCall<T, readonly [MusicuCall<true>, MusicuCall<T>]> {
  return {
    name: call.name,
    ...(call.codes === undefined ? {} : { codes: call.codes }),
    calls: [whoAmI, call],
    read ([who, answer]) {
      if (who.error instanceof RelayError && who.error.code === 'COOKIE_REJECTED') throw who.error
      return valueOf(answer)
    },
    always: true
  }
}

// @mutate identity: user user-lists recommend
