/**
 * How stored logins do, for the people who run the relay: states in words that log, banner and doctor share, counted
 * renewals, warnings before a login ends, and what a relay puts in order among the files when it starts.
 */
import { dirname } from 'node:path'
import type { BaseLogger } from 'pino'
import { unwritable, unwritableInWords, writeAdvice } from '../common/fileAccess.ts'
import { spanOf } from '../common/spans.ts'
import {
  loginCommand, renewalResults, type AccountStatus, type RenewalResult, type StoredLoginState
} from '../relay/accountBook.ts'
import type { LoginFiles } from './loginFiles.ts'
import { accountOf, isRenewable, isRenewalOf, type Account, type RenewalTimes } from './record.ts'
import { byName, type LoginStore } from './store.ts'

export interface StatusFacts {
  readonly renew: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Failed renewals in a row. */
  readonly failures?: number
  /** Why the file cannot be written, if that is why the last renewal failed. */
  readonly blocked?: { readonly path: string, readonly code: string } | undefined
  /** The file cannot be used as it is now. */
  readonly unreadable?: boolean
}

/** Returns the state of an account, with what is wrong and the next step unless it is `ok`. */
function accountStatusOf (account: Account, { now, unreadable = false, ...facts }: StatusFacts): AccountStatus {
  const { name, expiresAt } = account
  const state = unreadable ? unreadableStatus(name) : stateOf(account, facts)
  return { ...state, ...expiresAt === undefined ? {} : { expiresAt, expiresIn: expiresAt - now / 1000 } }
}

/**
 * The state of an account as its file says, for those who do not know what a running relay tries. `overdue`: a relay
 * would have renewed it by now.
 */
export type FileStatus = Omit<AccountStatus, 'state'> & { readonly state: StoredLoginState | 'overdue' }

/** A relay renews what is due within a second, and tries again after a minute. Milliseconds. */
const lateMs = 3_600_000

/** Returns the state of an account as its file says, with what is wrong and the next step unless it is `ok`. */
export function fileStatusOf (account: Account, { renew, now }: Pick<StatusFacts, 'renew' | 'now'>): FileStatus {
  const status = accountStatusOf(account, { renew, now })
  const { expiresIn = Infinity } = status
  if (status.state !== 'ok' || (expiresIn > 0 && now <= 1000 * (account.renewsAt ?? Infinity) + lateMs)) return status
  const command = `music-relay accounts renew ${account.name}`
  const why = expiresIn > 0 ? 'no relay has renewed it' : 'it has expired, and no relay has renewed it'
  return { ...status, state: 'overdue', trouble: { why, next: `Start one, see its log, or renew it: ${command}`, command } }
}

function stateOf (
  { name, uin, state, reason, renewable }: Account,
  { renew, failures = 0, blocked }: Omit<StatusFacts, 'now'>
): AccountStatus {
  const again = (of: StoredLoginState, why: string): AccountStatus =>
    troubled(name, of, why, 'Log in again', loginCommand(name))
  if (uin === undefined) return again('log in again', 'its cookie is no login')
  if (state !== 'ok') return again('log in again', `the music service refuses to renew it (code ${reason})`)
  if (!renewable) return again('not renewed', 'its file lacks the data for a renewal')
  if (!renew) return troubled(name, 'not renewed', 'renewals are off', 'Renew it', `music-relay accounts renew ${name}`)
  if (failures === 0) return { name, state: 'ok' }
  if (blocked !== undefined) {
    const { words, command } = writeAdvice(blocked.code, dirname(blocked.path))
    return troubled(name, 'failing', `${blocked.path} cannot be written or read (${blocked.code})`, words, command)
  }
  const why = failures === 1 ? 'its renewal failed' : `its last ${failures} renewals failed`
  return troubled(name, 'failing', why, 'The relay tries again; if that does not help', loginCommand(name))
}

/** Returns the state of an account whose file cannot be used. */
function unreadableStatus (name: string): AccountStatus {
  return troubled(name, 'unreadable', 'its file cannot be used', 'See what is wrong', 'music-relay accounts')
}

function troubled (name: string, state: StoredLoginState, why: string, words: string, command: string): AccountStatus {
  return { name, state, trouble: { why, next: `${words}: ${command}`, command } }
}

// What a running relay watches.

/**
 * A login that is not renewed is worth a warning when it has less than this left: an evening to log in again. Seconds.
 */
const soonSeconds = 43_200
/** Interval between two checks for warnings, in milliseconds. A minute more or less of twelve hours does not matter. */
const checkMs = 60_000

export interface WatchOptions {
  readonly store: LoginStore
  readonly renew: boolean
  readonly times: RenewalTimes
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Pick<BaseLogger, 'warn'>
}

/** Creates the watch. It does nothing on its own. */
export function createWatch ({ store, renew, times, now, log }: WatchOptions) {
  const counts = Object.fromEntries(renewalResults.map((outcome) => [outcome, 0])) as Record<RenewalResult, number>
  /** The last warning about each account. */
  let warned = new Map<string, string>()
  let checkedAt: number | undefined

  /** Returns the state of every account, sorted by name. */
  function states (): AccountStatus[] {
    const unreadable = store.unreadable()
    const known = store.all().map(({ name, login, failures, file: { path }, fileError: code }) =>
      accountStatusOf(accountOf(name, login, now(), times), {
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
    /** Returns the number of attempts to renew since the start, by outcome. */
    renewals: () => ({ ...counts }),
    attempted (attempt: RenewalResult): void {
      counts[attempt]++
      checkedAt = undefined
    },
    /** Logs warnings that are due: one when a login that is not renewed ends soon, one when it has ended. */
    check (): void {
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
