/**
 * Watches the stored logins for the people who run the relay: states, counted renewals, and warnings before a login
 * ends.
 */
import { dirname } from 'node:path'
import type { BaseLogger } from 'pino'
import { unwritable, unwritableInWords } from '../common/files.ts'
import { spanOf } from '../common/spans.ts'
import { renewalResults, type AccountStatus, type RenewalResult } from '../core/accountBook.ts'
import type { LoginFiles } from './files.ts'
import { accountOf, isRenewable, isRenewalOf } from './record.ts'
import { accountStatusOf, unreadableStatus } from './status.ts'
import { byName, type LoginStore } from './store.ts'

/**
 * A login that is not renewed is worth a warning when it has less than this left: an evening to log in again. Seconds.
 */
const soonSeconds = 43_200
/** Interval between two checks for warnings, in milliseconds. A minute more or less of twelve hours does not matter. */
const checkMs = 60_000

/** What is watched. */
export interface WatchOptions {
  readonly store: LoginStore
  /** Whether the relay renews logins. */
  readonly renew: boolean
  readonly tuning: Parameters<typeof accountOf>[3]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Pick<BaseLogger, 'warn'>
}

/** The watch of one relay. */
export interface Watch {
  /** Returns the state of every account, sorted by name. */
  states (): readonly AccountStatus[]
  /** Returns the number of attempts to renew since the start, by outcome. */
  renewals (): Readonly<Record<RenewalResult, number>>
  /** Counts an attempt. */
  attempted (attempt: RenewalResult): void
  /** Logs warnings that are due: one when a login that is not renewed ends soon, one when it has ended. */
  check (): void
}

/** Creates the watch. It does nothing on its own. */
export function createWatch ({ store, renew, tuning, now, log }: WatchOptions): Watch {
  const counts = Object.fromEntries(renewalResults.map((outcome) => [outcome, 0])) as Record<RenewalResult, number>
  /** The last warning about each account. */
  let warned = new Map<string, string>()
  let checkedAt: number | undefined

  function states (): AccountStatus[] {
    const unreadable = store.unreadable()
    const known = store.all().map(({ name, login, failures, file: { path }, fileError: code }) =>
      accountStatusOf(accountOf(name, login, now(), tuning), {
        renew,
        now: now(),
        failures,
        blocked: code === undefined ? undefined : { path, code },
        unreadable: unreadable.includes(name)
      })
    )
    const others = unreadable.filter((name) => store.get(name) === undefined).map(unreadableStatus)
    return [...known, ...others].sort(byName)
  }

  return {
    states,
    renewals: () => ({ ...counts }),
    attempted (attempt) {
      counts[attempt]++
      checkedAt = undefined
    },
    check () {
      const at = now()
      // A clock that was set back counts as time that has passed.
      if (checkedAt !== undefined && at >= checkedAt && at < checkedAt + checkMs) return
      checkedAt = at
      const before = warned
      warned = new Map()
      for (const { name, trouble, expiresAt, expiresIn = Infinity } of states()) {
        if (trouble === undefined || expiresIn >= soonSeconds) continue
        const ended = expiresIn <= 0
        const stage = `${ended} ${expiresAt}`
        warned.set(name, stage)
        if (before.get(name) !== stage) {
          log.warn(`account ${name} ${ended ? 'has expired' : `expires in ${spanOf(expiresIn)}`}: ${trouble.why}. ${trouble.next}`)
        }
      }
    }
  }
}

// What a relay puts in order among the files of accounts when it starts.

/**
 * Warns of folders in which no renewed login could be stored, if the relay `renews`; encrypts files that are not
 * encrypted though they should be, then removes what interrupted writes left behind. Never throws: what cannot be done
 * is logged.
 */
export async function maintainFiles (
  files: LoginFiles,
  store: LoginStore,
  log: Pick<BaseLogger, 'info' | 'warn'>,
  renews: boolean
): Promise<void> {
  const renewable = renews ? store.all().filter(({ login }) => isRenewable(login)) : []
  await Promise.all([...new Set(renewable.map(({ file }) => dirname(file.path)))].map(async (folder) => {
    const code = await unwritable(folder)
    if (code !== undefined) log.warn(unwritableInWords(code, folder))
  }))
  const sealed: string[] = []
  await Promise.all(store.all().map(async ({ name, file }) => {
    await file.seal().then((done) => { if (done) sealed.push(name) }, (error: NodeJS.ErrnoException) => {
      log.warn(`account ${name}: its file is not encrypted, and cannot be written (${error.code ?? error.name}). Make it writable, then restart the relay.`)
    })
  }))
  if (sealed.length > 0) log.info(`encrypted with ACCOUNTS_SECRET: ${sealed.sort().join(', ')}. Older backups of these files are not.`)
  const { removed, left } = await files.removeLeftovers('accounts', isRenewalOf)
  if (removed.length > 0) log.info(`removed what an interrupted write left behind: ${removed.join(', ')}`)
  for (const name of left) {
    log.warn(
      `accounts/${name} may hold the only login of its account that works, and cannot be used as it is: it is kept. Correct what the log says about the account (ACCOUNTS_SECRET, rights, a full disk), then restart the relay. If the account works without it, delete it.`
    )
  }
}

// @mutate accounts: accounts-seen accounts
