/**
 * The stored logins in memory: read at the start and when their files change. One bad file does not affect the others.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { BaseLogger } from 'pino'
import { createUserInfoReader, type UserInfoNews } from '../../config/user-info.ts'
import { isOutOfFiles, isReadableByOthers } from '../common/fileAccess.ts'
import { ConfigError } from '../common/errors.ts'
import { defaultAccount, type SecretOwner } from '../relay/accountBook.ts'
import { unusableInWords, type LoginFile, type LoginFiles, type StoredLogin } from './loginFiles.ts'
import { accountKeyOf, hashOfSecret } from './record.ts'

/** One login, and what this process knows about it. */
export interface Entry {
  readonly name: string
  readonly file: LoginFile
  login: StoredLogin
  /** State of the file that `login` came from. */
  stamp: string | undefined
  /** Keys of the login that the upstream refused in a call. */
  readonly ended: Set<string>
  /** Failed renewals in a row, and the uptime at which the next one may begin. */
  failures: number
  retryAt: number
  /** Error code of the file system, if that is why the last renewal failed. */
  fileError: string | undefined
  /** A renewal is due because a call said that the login ended. */
  isUrgent: boolean
  /** The cookie that is not renewed again yet, and the uptime at which this rest ends. */
  rest: { readonly of: string | undefined, readonly end: number } | undefined
  /** A renewed login that could not be written yet. `replacedCookie`: the cookie in the file that it replaces. */
  unwritten: { readonly login: StoredLogin, readonly replacedCookie: string } | undefined
  /** The key whose first answer was noticed. */
  confirmed: string | undefined
  /** Another instance held the lock at the last attempt. */
  lockedElsewhere: boolean
  /** The renewal under way. */
  busy: Promise<unknown> | undefined
}

/** What is known of a login before the first attempt to renew it. */
const untried = { failures: 0, retryAt: 0, isUrgent: false, lockedElsewhere: false } as const

/** Puts names in the order of files and lists. No name is there twice. */
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number => a.name < b.name ? -1 : 1

/** The logins of one relay. */
export type LoginStore = ReturnType<typeof createLoginStore>

/** Creates the store; it is empty until `refresh`. `most`: maximum number of accounts. */
export function createLoginStore (
  files: LoginFiles,
  most: number,
  log: Pick<BaseLogger, 'info' | 'warn' | 'error'>
) {
  const entries = new Map<string, Entry>()
  /** Files without a usable login by name: the state in which they were last looked at, and why they cannot be used. */
  const bad = new Map<string, { readonly stamp: string, readonly error?: Error }>()
  const userInfo = createUserInfoReader()
  let owners: Map<string, SecretOwner> | undefined
  let first = true
  let warnedOf = ''
  let folderError = ''
  // A second hash, with a key of this process: nobody can choose a guess by its hash.
  const ownKey = randomBytes(32)
  const placeOf = (hash: string): string => createHmac('sha256', ownKey).update(hash).digest('base64')

  function warnOnce (text: string): void {
    if (text !== warnedOf) log.warn(text)
    warnedOf = text
  }

  function allOwners (): Map<string, SecretOwner> {
    const found = new Map<string, SecretOwner>()
    for (const { name, login: { secret, keys = [] } } of all()) {
      if (secret === undefined) continue
      const place = placeOf(hashOfSecret(secret))
      const original = found.get(place)?.name
      if (original !== undefined) {
        // Its keys do not count: one that is revoked in the original must not work here.
        warnOnce(`account ${name} is a copy of account ${original}: its secret counts for that one. Log in again as ${name}, or remove it.`)
        continue
      }
      found.set(place, { name })
      for (const key of keys) {
        if (!found.has(placeOf(key.hash))) { found.set(placeOf(key.hash), { name, key: accountKeyOf(key) }) }
      }
    }
    return found
  }

  const all = (): Entry[] => [...entries.values()].sort(byName)

  /** Uses a login that was written, or read, just now. */
  function adopt (name: string, login: StoredLogin): Entry {
    const entry = entries.get(name) ??
      {
        name,
        file: files.of(name),
        login: {},
        stamp: undefined,
        ended: new Set(),
        ...untried,
        rest: undefined,
        fileError: undefined,
        unwritten: undefined,
        confirmed: undefined,
        busy: undefined
      }
    entries.set(name, entry)
    if (entry.login.secret !== login.secret || !isDeepStrictEqual(entry.login.keys, login.keys)) owners = undefined
    if (entry.login.cookie !== login.cookie) {
      Object.assign(entry, untried)
      for (
        const ended of entry.ended
      ) {
        if (ended !== login.renewal?.previous?.musicKey && ended !== login.renewal?.musicKey) {
          entry.ended.delete(ended)
        }
      }
    }
    entry.login = login
    return entry
  }

  function forget (name: string): void {
    if (entries.delete(name)) owners = undefined
    bad.delete(name)
  }

  async function look (name: string): Promise<void> {
    const file = files.of(name)
    const stamp = await file.stamp()
    const known = entries.get(name)
    if (stamp === undefined) {
      bad.delete(name)
      if (name === defaultAccount) userInfo.changed({})
      // What is not written yet would be lost if the file is only gone with its disk, for a while.
      if (known === undefined || known.busy !== undefined || known.unwritten !== undefined) return
      forget(name)
      if (name !== defaultAccount) log.info(`account ${name} is removed`)
      return
    }
    if (stamp === (bad.get(name) ?? known)?.stamp) return
    const before = known?.login
    try {
      const content = await file.content()
      if (name === defaultAccount) userInfo.changed(content ?? {})
      const login = files.loginIn(content)
      if (entries.get(name)?.login !== before) return // changed by this process meanwhile: the next look compares again
      bad.delete(name)
      if (login === undefined) {
        if (known?.busy !== undefined) return
        forget(name)
        bad.set(name, { stamp })
        return
      }
      if (known?.unwritten !== undefined) return
      const entry = adopt(name, login)
      if (!first && !isDeepStrictEqual(login, before) && name !== defaultAccount) {
        log.info(`account ${name} ${before === undefined ? 'is new' : 'changed: what its file says is in use'}`)
      }
      if (entry.stamp === undefined && name !== defaultAccount && await isReadableByOthers(file.path)) {
        log.warn(`${file.path} can be read by others on this machine: chmod 600 it`)
      }
      entry.stamp = stamp
    } catch (error) {
      const reason = error as ConfigError
      if (isOutOfFiles(reason.cause)) return // the next look reads it
      bad.set(name, { stamp, error: reason })
      if (name === defaultAccount) userInfo.refused(reason)
      else log.error(`${before === undefined ? '' : `account ${name}: the last good login stays in use. `}${reason.message}`)
    }
  }

  /**
   * While the folder cannot be read, the accounts are those that are known. Undefined: the next look may be luckier.
   */
  async function namesNow (): Promise<readonly string[] | undefined> {
    try {
      const found = await files.names()
      folderError = ''
      return found
    } catch (error) {
      if (isOutOfFiles(error)) return undefined // the relay logs this
      const { message } = error as Error
      if (message !== folderError) log.error(`${message} ${first ? 'No stored account works.' : 'The accounts in use stay in use as far as possible.'}`)
      folderError = message
      return [...entries.keys()].filter((name) => name !== defaultAccount)
    }
  }

  return {
    files,
    get: (name: string) => entries.get(name),
    all,
    /** Returns names whose file cannot be used as it is now. The last good login of some is in use. */
    unreadable: () => [...bad].filter(([, { error }]) => error !== undefined).map(([name]) => name),
    /** Throws ConfigError if user-info.json could not be used when it was last read. */
    assertUserInfo (): void {
      const { error } = bad.get(defaultAccount) ?? {}
      if (error !== undefined) throw new ConfigError(unusableInWords(error, files.of(defaultAccount).path))
    },
    /**
     * Tells of user-info.json from now on, first if it cannot be used. Nothing is logged about it: the command that
     * follows the global login says what its changes mean.
     */
    followUserInfo (whom: UserInfoNews): void {
      userInfo.tell(whom)
      bad.delete(defaultAccount)
      void look(defaultAccount)
    },
    /** Returns the account with this secret, or with this key. The time it takes says nothing about either. */
    bySecret: (secret: string) => (owners ??= allOwners()).get(placeOf(hashOfSecret(secret))),
    adopt,
    forget,
    /**
     * Reads the files that changed, or the one of this account. Never throws: what cannot be read is logged, and the
     * last good login stays in use.
     */
    async refresh (name?: string): Promise<void> {
      if (name !== undefined) {
        if (entries.has(name)) await look(name)
        return
      }
      const found = await namesNow()
      if (found === undefined) return await look(defaultAccount)
      const names = new Set([defaultAccount, ...found.slice(0, most)])
      if (found.length > most) warnOnce(`there are ${found.length} accounts: the first ${most} by name are used`)
      for (const name of entries.keys()) if (!names.has(name)) await look(name)
      await Promise.all([...names].map(look))
      for (const name of bad.keys()) if (!names.has(name)) bad.delete(name)
      first = false
    }
  }
}

// @mutate accounts: accounts renewal accounts-seen settings
