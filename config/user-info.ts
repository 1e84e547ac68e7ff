/**
 * Loads, watches and saves the global login (`user-info.json`). Nothing is read or written on import. Only `save`
 * writes, `removeLeftovers` removes what it left behind, and a reader never sees a partial file.
 */
import { watchFile, unwatchFile, type Stats } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { UserInfo } from '../schemas/config.ts'
import { isReadableByOthers } from '../src/common/files.ts'
import { readPrivate, removeLeftovers, writing, type Leftovers } from '../src/common/privateFile.ts'

export interface UserInfoHolder {
  /**
   * Reads and checks the file. Without a file there is no global login. Throws what `check` throws, and file system
   * errors.
   */
  load (): Promise<UserInfo>
  /** Returns the last valid record; empty before `load`. */
  get (): UserInfo
  /**
   * Watches the file. A valid new version is used at once; an invalid one is reported, and the last valid one stays in
   * use. Returns a function that stops watching.
   */
  watch (on: { changed: () => void, refused: (reason: Error) => void }): () => void
  /** Replaces the file atomically. Only its owner can read it (mode 0600; the folder has 0700 if it is created here). */
  save (info: UserInfo): Promise<void>
  /** Runs `work` as the only writer of the file, in all processes. What it reads by `load` stays true until it writes. */
  change<T> (work: (write: (info: UserInfo) => Promise<void>) => Promise<T>): Promise<T>
  /** Returns true if users other than the owner may read the file; false if there is no file, and on Windows. */
  isExposed (): Promise<boolean>
  /**
   * Removes what an interrupted write left behind: a copy of the login that nobody would look for. It stays while the file
   * cannot be read, or if it holds a renewal of the stored login: then its key is the only good one.
   */
  removeLeftovers (): Promise<Leftovers>
}

/** File name of the global login. */
export const userInfoFile = 'user-info.json'

/** Interval between checks of the file, in milliseconds. A change must take effect within a second. */
const lookEvery = 400

/**
 * Creates the holder of the global login in `folder`. `check` turns the file's text into a valid record, or throws an
 * error that names file, key and expectation.
 */
export function createUserInfo (folder: string, check: (text: string, file: string) => UserInfo): UserInfoHolder {
  const file = join(folder, userInfoFile)
  let current: UserInfo = {}

  async function load (): Promise<UserInfo> {
    const text = await readPrivate(file)
    current = text === undefined ? {} : check(text, file)
    return current
  }

  async function change<T> (work: (write: (info: UserInfo) => Promise<void>) => Promise<T>): Promise<T> {
    return await writing(file, async (write) => await work(async (info) => {
      await write(info)
      current = info
    }))
  }

  return {
    load,
    get: () => current,
    watch ({ changed, refused }) {
      let reported = current
      const take = (): void => {
        load().then(() => {
          // It may have been written anew with what it held.
          if (isDeepStrictEqual(current, reported)) return
          reported = current
          changed()
        }, refused)
      }
      const look = (now: Stats, before: Stats): void => {
        // `watchFile` also reports its first look at a missing file.
        if (now.mtimeMs !== 0 || before.mtimeMs !== 0) take()
      }
      watchFile(file, { interval: lookEvery, persistent: false }, look)
      // `watchFile` compares with its own first look, so it would miss a change between `load` and that look.
      take()
      return () => { unwatchFile(file, look) }
    },
    change,
    save: async (info) => { await change(async (write) => { await write(info) }) },
    isExposed: async () => await isReadableByOthers(file),
    removeLeftovers: async () => await removeLeftovers(folder, (name) => name === userInfoFile, async (_, text) => {
      const { renewal } = await load()
      const { previous } = check(text, file).renewal ?? {}
      return previous === undefined || previous.musicKey !== renewal?.musicKey
    })
  }
}
