/**
 * Holder of the global login state (`user-info.json`): load, get, replace.
 * Nothing is read or written on import, and loading never writes.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UserInfo } from '../schemas/config.ts'

export interface UserInfoHolder {
  /** Reads and checks the file; an absent one means no global login. Throws what `check` throws. */
  load (): Promise<UserInfo>
  get (): UserInfo
  replace (info: UserInfo): void
}

export const userInfoFile = 'user-info.json'

/** `check` turns the file's text into a valid record or throws, naming file, key and expectation. */
export function createUserInfo (folder: string, check: (text: string, file: string) => UserInfo): UserInfoHolder {
  const file = join(folder, userInfoFile)
  let current: UserInfo = {}
  return {
    async load () {
      let text: string
      try {
        text = await readFile(file, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return current
        throw error
      }
      current = check(text, file)
      return current
    },
    get: () => current,
    replace (info) { current = info }
  }
}
