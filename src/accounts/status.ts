/** How stored logins do, in words that log, banner and doctor share: the state, why, and what to do next. */
import { dirname } from 'node:path'
import type { UserInfo } from '../../schemas/config.ts'
import { writeAdvice } from '../common/files.ts'
import { loginCommand, type AccountStatus, type StoredLoginState } from '../core/accountBook.ts'
import type { Account } from './record.ts'

/** What is known besides the account. */
export interface StatusFacts {
  /** Whether the relay renews logins. */
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
export function accountStatusOf (account: Account, { now, unreadable = false, ...facts }: StatusFacts): AccountStatus {
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
export function unreadableStatus (name: string): AccountStatus {
  return troubled(name, 'unreadable', 'its file cannot be used', 'See what is wrong', 'music-relay accounts')
}

function troubled (name: string, state: StoredLoginState, why: string, words: string, command: string): AccountStatus {
  return { name, state, trouble: { why, next: `${words}: ${command}`, command } }
}

// Whose refusal a stored login holds. A demo or a mirror in place of the upstream (the setting `upstreamOrigin`)
// refuses logins that it does not know; that must not end them where they were made.

/**
 * Returns a login of a file as it counts at this origin: without the refusal of another one. `origin`: empty for the
 * upstream itself, whose refusal counts everywhere.
 */
export function refusalsAt<T extends UserInfo> (origin: string, login: T): T {
  const { state: _, reason: __, refusedBy, ...unrefused } = login.renewal ?? {}
  return refusedBy === undefined || refusedBy === origin ? login : { ...login, renewal: unrefused }
}

// @mutate accounts: accounts-seen accounts
