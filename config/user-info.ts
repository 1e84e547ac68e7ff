/**
 * The global login: the name of its file, and who hears of what the file holds. It is the file of the account `default`,
 * which the store of accounts reads, watches, renews and writes like that of any other. Nothing is read on import.
 */
import { isDeepStrictEqual } from 'node:util'
import type { UserInfo } from '../schemas/config.ts'

/** File name of the global login. */
export const userInfoFile = 'user-info.json'

/** What becomes of the file while a command runs. */
export interface UserInfoNews {
  /** It holds something else, which is in use. `info` is empty if there is no file. */
  changed (info: UserInfo): void
  /** It cannot be used as it is, and the last good one stays in use. */
  refused (reason: Error): void
}

/** Passes on what the store of accounts finds in the file. */
export interface UserInfoReader extends UserInfoNews {
  /** Who is told from now on. */
  tell (whom: UserInfoNews): void
}

/** Returns the reader. What it gets before anybody follows the file is not told later. */
export function createUserInfoReader (): UserInfoReader {
  let last: UserInfo = {}
  let followed: UserInfoNews | undefined
  return {
    tell (whom) { followed = whom },
    changed (info) {
      // The file may have been written anew with what it held.
      if (isDeepStrictEqual(info, last)) return
      last = info
      followed?.changed(info)
    },
    refused (reason) { followed?.refused(reason) }
  }
}
