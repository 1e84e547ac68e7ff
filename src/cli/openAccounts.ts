/**
 * Opens the stored accounts for one command. To renew logins, it takes the locks, the requests and the shared store of
 * a running relay.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Accounts } from '../accounts/accounts.ts'
import { createLoginFiles } from '../accounts/files.ts'
import { ConfigError } from '../common/errors.ts'
import type { SharedStore } from '../cache/redis.ts'
import type { Settings } from '../core/config.ts'
import { openSharedStore } from '../core/sharedStore.ts'
import { tuning } from '../core/tuning.ts'
import { refuseUnwritable } from './environment.ts'
import { openStoredAccounts, type Renewing } from './loginAs.ts'

/** Where the accounts are. */
export interface AccountsPlace {
  readonly settings: Settings
  /** Folder of the settings. */
  readonly folder: string
  /** Variable that names the folder. Default: `CONFIG_DIR`. */
  readonly folderVariable?: string
}

/** The accounts, as one command has them. */
export interface OpenAccounts {
  readonly accounts: Accounts
  /** What is wrong with files, or with writing them. */
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  /** Why the last renewal got no answer to rely on. */
  failure (): string | undefined
}

/** Most commands renew nothing, and need not load a client. */
const renewingNothing: Renewing = {
  logins: { async renew () { throw new TypeError('the accounts were opened without what renews them') } },
  lock: undefined
}

/**
 * Opens the accounts. Nothing happens by itself; close them before the runtime. Without what renews logins, none can be
 * renewed. Throws ConfigError if their folder cannot be read.
 */
export async function openAccountsOf (
  { folder, settings }: AccountsPlace,
  { logins, lock }: Renewing = renewingNothing
): Promise<OpenAccounts> {
  await createLoginFiles({ folder, secret: settings.accountsSecret }).names() // for its error
  const errors: string[] = []
  const warnings: string[] = []
  let failure: string | undefined
  const renew: typeof logins.renew = async (record) => {
    const outcome = await logins.renew(record)
    failure = outcome.later
    return outcome
  }
  const log = {
    info () {},
    warn (line: string) {
      warnings.push(line)
    },
    error (line: string) {
      errors.push(line)
    }
  }
  const accounts = await openStoredAccounts({
    folder,
    settings,
    log,
    renew: false,
    upkeep: false,
    app: () => ({ runtime: { logins: { renew }, lock } })
  })
  return { accounts, errors, warnings, failure: () => failure }
}

/** Throws ConfigError if accounts cannot be stored in the folder. */
export async function refuseUnwritableAccounts (
  { folder, folderVariable = 'CONFIG_DIR' }: AccountsPlace
): Promise<void> {
  await refuseUnwritable(
    join(folder, 'accounts'),
    (wrong) => `${folderVariable}: accounts cannot be stored or changed in ${folder} (${wrong}). Set it to a writable folder.`
  )
}

/**
 * Throws ConfigError if a login cannot be stored under this name: the folder is not writable, or a file is there that
 * cannot be read.
 */
export async function refuseUnusable (name: string, place: AccountsPlace): Promise<void> {
  await refuseUnwritableAccounts(place)
  const { folder, settings } = place
  await createLoginFiles({ folder, secret: settings.accountsSecret }).of(name).read()
    .catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error
      const removal = `music-relay accounts remove ${name}`
      // The command ends the text: who copies the line runs nothing else.
      const next = error.message.endsWith(removal) ? '' : ` Correct that, or remove the account first: ${removal}`
      throw new ConfigError(`A login as ${name} would replace the secret and the keys of a file that cannot be read. ${error.message}${next}`)
    })
}

/**
 * How long a command waits for the shared store: some commands fail before it is connected, and then it rests.
 * Milliseconds.
 */
const connectMs = 3000
const lookMs = 100

/** Returns the store that instances share, if there is one. A lock waits for its connection. */
export async function sharedStoreOf (settings: Settings): Promise<SharedStore | undefined> {
  const store = await openSharedStore(settings, tuning.redisTimeoutMs, { info () {}, warn () {} })
  return store && {
    ...store,
    async lock (what, ms) {
      for (const end = Date.now() + connectMs; ;) {
        const taken = await store.lock(what, ms)
        if (taken !== undefined || Date.now() > end) return taken
        await pause(lookMs)
      }
    }
  }
}
