/**
 * Loads, watches and saves the global login (`user-info.json`). Nothing is read or written on import. Only `save`
 * writes, `removeLeftovers` removes what it left behind, and a reader never sees a partial file.
 */
import { watchFile, unwatchFile } from 'node:fs'
import type { Stats } from 'node:fs'
import { mkdir, readFile, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import writeFileAtomic from 'write-file-atomic'
import type { UserInfo } from '../schemas/config.ts'
import { isReadableByOthers } from '../src/common/files.ts'

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
  /** Returns true if users other than the owner may read the file; false if there is no file, and on Windows. */
  isExposed (): Promise<boolean>
  /** Removes what an interrupted `save` left behind: a copy of the login that nobody would look for. Returns its names. */
  removeLeftovers (): Promise<readonly string[]>
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
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
      throw error
    })
    current = text === undefined ? {} : check(text, file)
    return current
  }

  return {
    load,
    get: () => current,
    watch ({ changed, refused }) {
      const look = (now: Stats, before: Stats): void => {
        // `watchFile` also reports its first look at a missing file.
        if (now.mtimeMs !== 0 || before.mtimeMs !== 0) load().then(changed, refused)
      }
      const before = current
      watchFile(file, { interval: lookEvery, persistent: false }, look)
      // `watchFile` compares with its own first look, so it would miss a change between `load` and that look.
      load().then(() => { if (!isDeepStrictEqual(current, before)) changed() }, refused)
      return () => { unwatchFile(file, look) }
    },
    async save (info) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFileAtomic(file, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 })
      current = info
    },
    isExposed: async () => await isReadableByOthers(file),
    async removeLeftovers () {
      const removed: string[] = []
      for (const name of await readdir(folder).catch(() => [])) {
        if (!leftoverName.test(name)) continue
        const leftover = join(folder, name)
        const { mtimeMs = Infinity } = await stat(leftover).catch(() => undefined) ?? {}
        if (Date.now() - mtimeMs > longestSave) await unlink(leftover).then(() => { removed.push(name) }, () => {})
      }
      return removed
    }
  }
}

/**
 * What `save` calls its file until it is complete: a random number of 32 bits at the end. Small numbers and dates are names
 * that people and programs give to copies of their own.
 */
const leftoverName = /^user-info\.json\.(?!(?:19|20)\d{8}$)\d{9,10}$/
/** A younger one may belong to a process that saves at the moment. Milliseconds. */
const longestSave = 60_000
