/**
 * The stored accounts of a relay, by name: each has a login that the relay renews, and a secret that stands for it. The
 * account `default` is the login of `user-info.json`; it has no secret. Cookies of requests are never stored or renewed.
 */
import { randomBytes } from 'node:crypto'
import type { UserInfo } from '../../schemas/config.ts'
import type { AccountBook } from '../core/accountBook.ts'
import { InvalidInput } from '../common/errors.ts'
import type { Tuning } from '../core/tuning.ts'
import type { UserInfoHolder } from '../../config/user-info.ts'
import { withKey } from '../upstream/protocol/cookies.ts'
import type { Credential } from '../upstream/protocol/credentials.ts'
import { createLoginFiles, defaultAccount } from './files.ts'
import type { StoredLogin } from './files.ts'
import { accountOf, credentialOf } from './record.ts'
import type { Account } from './record.ts'
import { createRenewer, keyInUse } from './renewer.ts'
import type { Attempt, RenewerOptions } from './renewer.ts'
import { createLoginStore } from './store.ts'
import type { Entry } from './store.ts'

export type { Account } from './record.ts'
export type { Attempt } from './renewer.ts'

/** A login to store, as the login command has it. */
export interface NewLogin extends Required<Pick<UserInfo, 'loginUin' | 'cookie'>>, Pick<UserInfo, 'renewal'> { readonly nickname?: string | undefined }

/** What the accounts need. */
export interface AccountsOptions extends Omit<RenewerOptions, 'store' | 'tuning'> {
  /** Folder of the settings: accounts are in its folder `accounts`. */
  readonly folder: string
  /** Holder of the login in the same folder. */
  readonly userInfo: UserInfoHolder
  /** The setting `accountsSecret`. */
  readonly secret: string
  /** The setting `renewLogins`. */
  readonly renew: boolean
  readonly tuning: Tuning
}

/** The stored accounts. Functions that take a name throw InvalidInput if it is unusable or not stored, where they say so. */
export interface Accounts extends AccountBook {
  /** All accounts by name, `default` included. */
  list (): readonly Account[]
  get (name: string): Account | undefined
  /** Returns the credential that calls of this account use now. */
  credentialOf (name: string): Credential | undefined
  /** Returns the cookie text with that credential. */
  cookieOf (name: string): string | undefined
  /** Returns the secret. Undefined for `default` and for an account that is not stored. */
  secretOf (name: string): string | undefined
  /**
   * Stores a login, on disk when it resolves. An account that exists keeps its secret. Returns the secret; undefined for
   * `default`. Throws InvalidInput for an unusable name or too many accounts, and file system errors.
   */
  save (name: string, login: NewLogin): Promise<string | undefined>
  /** Removes an account with its file. Returns false if there is none. Throws InvalidInput and file system errors. */
  remove (name: string): Promise<boolean>
  /** Replaces the secret; the old one stops working. Returns it. Throws InvalidInput, also for `default`. */
  newSecret (name: string): Promise<string>
  /** Renews an account now, due or not, also with `renew` off. Throws InvalidInput if it is not stored. */
  renewNow (name: string): Promise<Attempt>
  /** A call was refused because the login of this credential ended. Begins a renewal in the background, once per key. */
  ended (name: string, credential: Credential): void
  /** A call with this credential was answered. After a renewal, the record before is removed. */
  answered (name: string, credential: Credential): void
  /** One look: reads files that changed, and renews what is due. Resolves when both have ended. Never throws. */
  tick (): Promise<void>
  /** Looks every second until `close`. The timer does not keep a process alive. */
  start (): void
  /** Ends the looks and waits for renewals under way: their answer holds the only good key. Close the upstream after this. */
  close (): Promise<void>
}

/** Reads all accounts. What cannot be read is logged and left out. */
export async function openAccounts ({ folder, userInfo, secret, renew, tuning, ...options }: AccountsOptions): Promise<Accounts> {
  const { log, now } = options
  const files = createLoginFiles(folder, userInfo, secret)
  const store = createLoginStore(files, tuning.accountsMost, log)
  const renewer = createRenewer({ ...options, store, tuning })
  const timers: NodeJS.Timeout[] = []
  let looking: Promise<void> | undefined
  let closed = false

  await store.refresh()
  await renewer.recover()
  const leftovers = await files.removeLeftovers()
  if (leftovers.length > 0) log.info(`removed what an interrupted write left behind: ${leftovers.join(', ')}`)

  async function tick (): Promise<void> {
    looking ??= store.refresh().finally(() => { looking = undefined })
    await looking
    if (renew && !closed) await renewer.due()
  }

  function stored (name: string): Entry {
    files.of(name) // refuses an unusable name, which the message must not repeat
    const entry = store.get(name)
    if (entry === undefined) throw new InvalidInput(`account: ${name} is not stored.`)
    return entry
  }

  /** Changes an account as the only writer of its file. */
  async function changed (name: string, change: (old: StoredLogin | undefined) => StoredLogin): Promise<StoredLogin> {
    const file = files.of(name)
    return await file.change(async (write) => {
      // What could not be written yet is newer than the file.
      const next = change(store.get(name)?.unwritten?.login ?? await file.read().catch(() => undefined))
      await write(next)
      store.adopt(name, next).unwritten = undefined
      return next
    })
  }

  return {
    list: () => store.all().map(({ name, login }) => accountOf(name, login, now())),
    get (name) {
      const entry = store.get(name)
      return entry && accountOf(name, entry.login, now())
    },
    bySecret (secret) {
      const name = store.nameOf(secret)
      return name === undefined ? undefined : { name }
    },
    credentialOf (name) {
      const entry = store.get(name)
      const credential = entry && credentialOf(entry.login)
      return credential && { ...credential, key: keyInUse(entry) ?? credential.key }
    },
    cookieOf (name) {
      const entry = store.get(name)
      const key = entry && keyInUse(entry)
      return key === undefined ? entry?.login.cookie : withKey(entry?.login.cookie ?? '', key)
    },
    secretOf: (name) => store.get(name)?.login.secret,
    async save (name, { loginUin, cookie, renewal, nickname }) {
      const login = { loginUin, cookie, ...renewal === undefined ? {} : { renewal } }
      if (name !== defaultAccount && store.get(name) === undefined && (await files.names()).length >= tuning.accountsMost) throw new InvalidInput(`account: ${tuning.accountsMost} are stored, which is the most; remove one first.`)
      const { secret: own } = await changed(name, (old) => name === defaultAccount ? login : {
        ...login, secret: old?.secret ?? newSecretText(), createdAt: old?.createdAt ?? Math.floor(now() / 1000), ...nickname === undefined ? {} : { nickname }
      })
      return own
    },
    async remove (name) {
      const file = files.of(name)
      const removed = await file.change(async () => await file.remove())
      store.forget(name)
      return removed
    },
    async newSecret (name) {
      if (name === defaultAccount) throw new InvalidInput('account: default is the login of user-info.json, which has no secret.')
      stored(name)
      const { secret: own } = await changed(name, (old) => ({ ...old ?? stored(name).login, secret: newSecretText() }))
      return own as string
    },
    renewNow: async (name) => await renewer.renew(stored(name)),
    ended (name, credential) {
      const entry = store.get(name)
      if (entry !== undefined && !closed) renewer.ended(entry, credential, renew)
    },
    answered (name, credential) {
      const entry = store.get(name)
      if (entry !== undefined && !closed) renewer.answered(entry, credential)
    },
    tick,
    start () {
      timers.push(setInterval(() => { void tick() }, tuning.accountsLookMs).unref())
    },
    async close () {
      closed = true
      for (const timer of timers) clearInterval(timer)
      await looking
      await renewer.stop()
    }
  }
}

const newSecretText = (): string => `mr_${randomBytes(32).toString('base64url')}`
