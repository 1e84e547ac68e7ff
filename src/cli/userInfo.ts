/** The global login of a command that runs on: read at its start, followed while it runs. */
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { createUserInfo, userInfoFile } from '../../config/user-info.ts'
import type { UserInfoHolder } from '../../config/user-info.ts'
import { ConfigError, checkUserInfo } from '../config.ts'
import { isLogin } from '../cookies.ts'

/** The holder with what its file says now; no file means no login. Throws ConfigError for a file that cannot be used. */
export async function openUserInfo (folder: string): Promise<UserInfoHolder> {
  const userInfo = createUserInfo(folder, checkUserInfo)
  await userInfo.load().catch((error: Error) => {
    throw error instanceof ConfigError ? error : new ConfigError(`${join(folder, userInfoFile)}: ${unread(error)}`)
  })
  return userInfo
}

const unread = ({ code }: NodeJS.ErrnoException): string => `cannot be read (${code}).`

/** Says in the log when others may read the file, when it holds no login, and what becomes of it. Returns the end of that. */
export async function followUserInfo (userInfo: UserInfoHolder, log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>): Promise<() => void> {
  if (await userInfo.isExposed()) log.warn(`${userInfoFile} can be read by others on this machine: chmod 600 it`)
  const warnOfNoLogin = (): void => {
    const { cookie = '' } = userInfo.get()
    // No cookie at all is nothing to warn of: the banner says so where one is wanted.
    if (cookie !== '' && !isLogin(cookie)) log.warn(`${userInfoFile} holds no login: its cookie lacks key, account or both`)
  }
  warnOfNoLogin()
  return userInfo.watch({
    changed: () => {
      log.info(`${userInfoFile} changed: the new one is in use`)
      warnOfNoLogin()
    },
    refused: (reason) => { log.error(`${reason instanceof ConfigError ? reason.message : `${userInfoFile}: ${unread(reason)}`} The last good one stays in use.`) }
  })
}
