/** The global login of a long-running command: read at the start and reloaded when its file changes. */
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { createUserInfo, userInfoFile, type UserInfoHolder } from '../../config/user-info.ts'
import { checkUserInfo } from '../core/config.ts'
import { ConfigError } from '../common/errors.ts'
import { isLogin, lackOf } from '../upstream/protocol/cookies.ts'

/**
 * Returns the holder with the current content of its file; no file means no login. Throws ConfigError for an unusable file, unless the login
 * is not `needed`: following the file logs that.
 */
export async function openUserInfo (folder: string, needed = true): Promise<UserInfoHolder> {
  const userInfo = createUserInfo(folder, checkUserInfo)
  await userInfo.load().catch((error: Error) => {
    if (!needed) return
    throw error instanceof ConfigError ? error : new ConfigError(`${join(folder, userInfoFile)}: ${unread(error)}`)
  })
  return userInfo
}

const unread = ({ code }: NodeJS.ErrnoException): string => `cannot be read (${code}).`

/** State of the global cookie, for programs. */
export type GlobalCookieState = 'off' | 'on' | 'on, none stored' | 'on, no login stored'

/** Returns the state of the global cookie, and for people what to do about it. */
export function globalCookieState (on: boolean, userInfo: UserInfoHolder): { readonly state: GlobalCookieState, readonly text: string } {
  const { cookie = '' } = userInfo.get()
  if (!on || isLogin(cookie)) return on ? { state: 'on', text: 'on' } : { state: 'off', text: 'off' }
  const until = (what: string): string => `requests stay anonymous until music-relay login stores ${what}`
  if (cookie === '') return { state: 'on, none stored', text: `on, but none is stored: ${until('one')}` }
  return { state: 'on, no login stored', text: `on, but the cookie in ${userInfoFile} lacks ${lackOf(cookie)}: ${until('a login')}` }
}

/**
 * Reloads the file when it changes. Logs a warning if others may read it or if it holds no login, and logs each reload.
 * `needed`: no cookie at all is worth a warning, too. Returns a function that stops this.
 */
export async function followUserInfo (userInfo: UserInfoHolder, log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>, needed = false): Promise<() => void> {
  const { removed, left } = await userInfo.removeLeftovers()
  if (removed.length > 0) log.info(`removed what an interrupted save left behind: ${removed.join(', ')}`)
  for (const name of left) {
    log.warn(
      `${name} may hold the only login that works: it is kept. Make ${userInfoFile} readable and writable, then start music-relay serve. If the login works without it, delete it.`
    )
  }
  if (await userInfo.isExposed()) log.warn(`${userInfoFile} can be read by others on this machine: chmod 600 it`)
  const warnOfNoLogin = (): void => {
    const { cookie = '' } = userInfo.get()
    if (cookie === '' && needed) {
      log.warn(`useGlobalCookie is on, but ${userInfoFile} holds no cookie: requests stay anonymous until music-relay login stores one`)
    }
    if (cookie !== '' && !isLogin(cookie)) log.warn(`${userInfoFile} holds no login: its cookie lacks key, account or both`)
  }
  warnOfNoLogin()
  return userInfo.watch({
    changed: () => {
      log.info(`${userInfoFile} changed: the new one is in use`)
      warnOfNoLogin()
    },
    refused: (reason) => {
      log.error(`${reason instanceof ConfigError ? reason.message : `${userInfoFile}: ${unread(reason)}`} The last good one stays in use.`)
    }
  })
}
