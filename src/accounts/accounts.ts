/**
 * The stored accounts of a relay, by name: each has a login that the relay renews, a secret that stands for it, and
 * keys with limits. The account `default` is the login of `user-info.json`; it has neither. Cookies of requests are
 * never stored or renewed.
 */
import type { Tuning } from '../relay/runtime.ts'
import { randomBytes } from 'node:crypto'
import type { UserInfo } from '../../schemas/config.ts'
import { defaultAccount, type NamedKey, type RenewalResult } from '../relay/accountBook.ts'
import { InvalidInput } from '../common/errors.ts'
import type { Timers } from '../common/timers.ts'
import { withKey } from '../upstream/wire/cookies.ts'
import type { Credential } from '../upstream/wire/credentials.ts'
import { createLoginFiles, type LoginFilesOptions, type StoredLogin } from './loginFiles.ts'
import {
  accountKeyOf, accountOf, credentialOf, withNewKey, withSecretsOf, type Account, type KeyLimits, renewalTimes
} from './record.ts'
import { removeQueue } from './queues.ts'
import { createRenewer, keyInUse, type RenewerOptions } from './renewer.ts'
import { createWatch, maintainFiles } from './status.ts'
import { createLoginStore, type Entry } from './store.ts'

/** How often files are looked at, and how many there may be. Tests use others. */
export const accountLimits = {
  /** Interval between two checks of the stored accounts. A change must take effect within about a second. */
  accountsLookMs: 1000,
  /** Maximum number of stored accounts. Each check reads the state of every file. */
  accountsMost: 1000
}

/** A login to store, as the login command has it. */
export interface NewLogin extends Required<Pick<UserInfo, 'loginUin' | 'cookie'>>, Pick<UserInfo, 'renewal'> {
  readonly nickname?: string | undefined
}

export interface AccountsOptions extends LoginFilesOptions, Omit<RenewerOptions, 'store' | 'times'> {
  /** The setting `renewLogins`. */
  readonly renew: boolean
  /** Throw ConfigError, before anything is written, if user-info.json cannot be used. */
  readonly needsUserInfo?: boolean | undefined
  /**
   * Encrypt files that are not, and remove what interrupted writes left behind. Default: true; commands leave that to a
   * relay that starts.
   */
  readonly upkeep?: boolean
  /** Constants that replace those beside their use, for tests. */
  readonly tuning?: Tuning | undefined
  /** Timers that follow the clock. Default: Node's. */
  readonly timers?: Timers | undefined
}

/** The stored accounts. */
export type Accounts = Awaited<ReturnType<typeof openAccounts>>

/**
 * Reads all accounts. What cannot be read is logged and left out. Functions that take a name throw InvalidInput if it
 * is unusable or not stored, where they say so.
 */
export async function openAccounts (
  { folder, secret, origin, renew, needsUserInfo = false, upkeep = true, tuning, ...options }: AccountsOptions
) {
  const { log, now, timers = globalThis } = options
  const times = { ...renewalTimes, ...accountLimits, ...tuning }
  const files = createLoginFiles({ folder, secret, origin })
  const store = createLoginStore(files, times.accountsMost, log)
  const watch = createWatch({ store, renew, times, now, log })
  const renewer = createRenewer({
    ...options, store, times, origin,
    attempted (name, attempt) {
      watch.attempted(attempt)
      options.attempted?.(name, attempt)
    }
  })
  const intervals: NodeJS.Timeout[] = []
  let looking: Promise<void> | undefined
  let closed = false

  await store.refresh()
  if (needsUserInfo) store.assertUserInfo()
  await renewer.recover()
  if (upkeep) await maintainFiles(files, store, log, renew)

  /**
   * One look: reads files that changed, renews what is due, and warns of logins that end. Resolves when both have
   * ended. Never throws.
   */
  async function tick (): Promise<void> {
    looking ??= store.refresh().finally(() => { looking = undefined })
    await looking
    if (renew && !closed) await renewer.due()
    watch.check()
  }

  function stored (name: string): Entry {
    files.of(name) // refuses an unusable name, which the message must not repeat
    const entry = store.get(name)
    if (entry === undefined) throw new InvalidInput(`account: ${name} is not stored.`)
    return entry
  }

  /** Refuses `default` and what is not stored: neither has a secret or keys. Returns the name. */
  function named (name: string): string {
    if (name === defaultAccount) throw new InvalidInput('account: default is the login of user-info.json, which has no secret and no keys.')
    return stored(name).name
  }

  /** Changes an account as the only writer of its file. */
  async function changed (name: string, change: (old: StoredLogin | undefined) => StoredLogin): Promise<StoredLogin> {
    const file = files.of(name)
    return await file.change(async (write) => {
      const before = await file.read().catch(() => {
        // Secret and keys of the account would be lost. The path of the file is not for clients.
        throw new InvalidInput(
          `account: the file of ${name} cannot be read, so it is not replaced. Correct it, or set the former ACCOUNTS_SECRET if it is encrypted, or remove it first: music-relay accounts remove ${name}`
        )
      })
      // What could not be written yet is newer than the file.
      const newer = store.get(name)?.unwritten?.login
      const next = change(newer === undefined || before === undefined ? newer ?? before : withSecretsOf(before, newer))
      await write(next)
      store.adopt(name, next).unwritten = undefined
      return next
    })
  }

  /** Returns the credential that calls of this account use now. */
  function credentialInUse (name: string): Credential | undefined {
    const entry = store.get(name)
    const credential = entry && credentialOf(entry.login)
    return credential && { ...credential, key: keyInUse(entry) ?? credential.key }
  }

  /** Returns the cookie text with that credential. */
  function cookieOf (name: string): string | undefined {
    const entry = store.get(name)
    const key = entry && keyInUse(entry)
    return key === undefined ? entry?.login.cookie : withKey(entry?.login.cookie ?? '', key)
  }

  /**
   * A call was refused because the login of this credential ended. Begins a renewal in the background, once per key,
   * and never waits.
   */
  function ended (name: string, credential: Credential): void {
    const entry = store.get(name)
    if (entry !== undefined && !closed) renewer.ended(entry, credential, renew)
  }

  return {
    store,
    /** Returns all accounts by name, `default` included. */
    list: (): readonly Account[] => store.all().map(({ name, login }) => accountOf(name, login, now(), times)),
    get (name: string): Account | undefined {
      const entry = store.get(name)
      return entry && accountOf(name, entry.login, now(), times)
    },
    bySecret: store.bySecret,
    credentialOf: credentialInUse,
    cookieOf,
    secretOf: (name: string) => store.get(name)?.login.secret,
    /** Returns the key of an account with this id. Undefined if it was revoked. */
    keyOf (name: string, id: string): NamedKey | undefined {
      const key = store.get(name)?.login.keys?.find((each) => each.id === id)
      return key && { key: accountKeyOf(key), hash: key.hash }
    },
    /**
     * Stores a login, on disk when it resolves. An account that exists keeps its secret and its keys. Returns the
     * secret; undefined for `default`. Throws InvalidInput for an unusable name, too many accounts or a stored file
     * that cannot be read, and file system errors.
     */
    async save (name: string, { loginUin, cookie, renewal, nickname }: NewLogin): Promise<string | undefined> {
      const login = { loginUin, cookie, ...renewal === undefined ? {} : { renewal } }
      if (
        name !== defaultAccount && store.get(name) === undefined && (await files.names()).length >= times.accountsMost
      ) {
        throw new InvalidInput(`account: ${times.accountsMost} are stored, which is the most; remove one first.`)
      }
      const { secret: own } = await changed(name, (old) =>
        name === defaultAccount ? login : {
          ...login,
          secret: old?.secret ?? newSecretText(),
          createdAt: old?.createdAt ?? Math.floor(now() / 1000),
          ...nickname === undefined ? {} : { nickname },
          ...old?.keys === undefined ? {} : { keys: old.keys }
        })
      return own
    },
    /** Removes an account with its file; false if there is none. Throws InvalidInput and file system errors. */
    async remove (name: string): Promise<boolean> {
      const file = files.of(name)
      const removed = await file.change(async () => await file.remove())
      store.forget(name)
      // Without its account nobody gets a queue, so the account is removed also if its queue cannot be.
      await removeQueue(folder, name).catch((error: NodeJS.ErrnoException) => {
        log.warn(`account ${name} is removed, but its play queue cannot be deleted (${error.code ?? error.name}): delete queues/${name}.json`)
      })
      return removed
    },
    /** Replaces the secret; the old one stops working. Returns it. Throws InvalidInput, also for `default`. */
    async newSecret (name: string): Promise<string> {
      const { secret: own } = await changed(
        named(name),
        (old) => ({ ...old ?? stored(name).login, secret: newSecretText() })
      )
      return own as string
    },
    /** Adds a key. Returns its text, which is not stored. Throws InvalidInput, also for `default`. */
    async addKey (name: string, id: string, limits: KeyLimits): Promise<string> {
      let text = ''
      await changed(named(name), (old = stored(name).login) => {
        const added = withNewKey(old.keys ?? [], id, limits, Math.floor(now() / 1000))
        text = added.text
        return { ...old, keys: added.keys }
      })
      return text
    },
    /** Removes a key, which stops working. Returns false if the account has none of this id. Throws InvalidInput. */
    async revokeKey (name: string, id: string): Promise<boolean> {
      let found = false
      await changed(named(name), (old = stored(name).login) => {
        const { keys = [] } = old
        found = keys.some((key) => key.id === id)
        return { ...old, keys: keys.filter((key) => key.id !== id) } // an edited file may have an id twice
      })
      return found
    },
    /** Renews an account now, due or not, also with `renew` off. Throws InvalidInput if it is not stored. */
    renewNow: async (name: string): Promise<RenewalResult> => await renewer.renew(stored(name)),
    ended,
    async replaced (name: string, credential: Credential): Promise<string | undefined> {
      const entry = store.get(name)
      // The key dies upstream before its successor is on disk here.
      for (let looks = mostWaitMs / waitLookMs; entry !== undefined && looks > 0; looks--) {
        await store.refresh(name)
        if (credentialInUse(name)?.key !== credential.key) return cookieOf(name)
        ended(name, credential)
        if (entry.busy === undefined && !entry.lockedElsewhere) break
        await Promise.race([
          ...entry.busy === undefined ? [] : [entry.busy],
          new Promise((resolve) => {
            timers.setTimeout(resolve, waitLookMs).unref()
          })
        ])
      }
      return credentialInUse(name)?.key === credential.key ? undefined : cookieOf(name)
    },
    /** A call with this credential was answered. After a renewal, the record before is removed. */
    answered (name: string, credential: Credential): void {
      const entry = store.get(name)
      if (entry !== undefined && !closed) renewer.answered(entry, credential)
    },
    states: watch.states,
    renewals: watch.renewals,
    tick,
    /** Looks every second until `close`. The timer does not keep a process alive. */
    start (): void {
      intervals.push(timers.setInterval(() => { void tick() }, times.accountsLookMs).unref())
    },
    /**
     * Ends the looks and waits for renewals under way: their answer holds the only good key. Close the upstream after
     * this.
     */
    async close (): Promise<void> {
      closed = true
      for (const interval of intervals) timers.clearInterval(interval)
      await looking
      await renewer.stop()
    }
  }
}

/**
 * How long a refused call waits for a renewal under way, which takes less than a second, and how often it looks.
 * Milliseconds.
 */
const mostWaitMs = 2000
const waitLookMs = 50

const newSecretText = (): string => `mr_${randomBytes(32).toString('base64url')}`

// @mutate accounts: accounts renewal account account-requests accounts-seen
