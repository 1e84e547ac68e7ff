/**
 * Holder of the global login state (`user-info.json`): load, get, watch, save.
 * Nothing is read or written on import; only `save` writes, and a reader never sees half a file.
 */
import { watchFile, unwatchFile } from 'node:fs'
import type { Stats } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import writeFileAtomic from 'write-file-atomic'
import type { UserInfo } from '../schemas/config.ts'

export interface UserInfoHolder {
  /** Reads and checks the file; an absent one means no global login. Throws what `check` throws. */
  load (): Promise<UserInfo>
  get (): UserInfo
  /** Follows the file: a good new version is used at once, a bad one is reported and the last good one stays. Returns the end of it. */
  watch (on: { changed: () => void, refused: (reason: Error) => void }): () => void
  /** Replaces the file, atomically, readable by its owner only (folder 0700 when it is made here, file 0600). */
  save (info: UserInfo): Promise<void>
  /** Whether others than the owner may read the file. False where there is none. */
  isExposed (): Promise<boolean>
}

export const userInfoFile = 'user-info.json'

/** How often the file is looked at: often enough for "within a second". Milliseconds. */
const lookEvery = 400

/** `check` turns the file's text into a valid record or throws, naming file, key and expectation. */
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
        // The first look at a file that is not there is told of as well.
        if (now.mtimeMs !== 0 || before.mtimeMs !== 0) load().then(changed, refused)
      }
      const before = current
      watchFile(file, { interval: lookEvery, persistent: false }, look)
      // The first look is what later ones are compared with: what was replaced since `load` would go unnoticed.
      load().then(() => { if (!isDeepStrictEqual(current, before)) changed() }, refused)
      return () => { unwatchFile(file, look) }
    },
    async save (info) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFileAtomic(file, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 })
      current = info
    },
    async isExposed () {
      const facts = await stat(file).catch(() => undefined)
      return facts !== undefined && process.platform !== 'win32' && (facts.mode & 0o077) !== 0
    }
  }
}
