/**
 * Renews stored logins: before their key expires, and when a call says that the login ended. The upstream gives up the
 * old key with its answer, so nothing is sent before the file was written once in the same place.
 */
import { dirname } from 'node:path'
import pLimit from 'p-limit'
import type { BaseLogger } from 'pino'
import type { LoginRenewal } from '../../schemas/config.ts'
import { ConfigError } from '../common/errors.ts'
import { writeAdviceInWords } from '../common/fileAccess.ts'
import { loginCommand, type RenewalResult } from '../relay/accountBook.ts'
import type { RenewalOutcome } from '../upstream/login/renewal.ts'
import type { Credential } from '../upstream/wire/credentials.ts'
import {
  credentialOf, dueAt, isRenewable, isRenewalOf, pauseAfter, recordsOf, refused, renewed, withSecretsOf,
  withoutPrevious, type RenewalTimes
} from './record.ts'
import type { StoredLogin } from './loginFiles.ts'
import type { Entry, LoginStore } from './store.ts'

export interface RenewerOptions {
  readonly store: LoginStore
  /** Sends a renewal. Never throws for an upstream failure. */
  readonly renewLogin: (record: LoginRenewal) => Promise<RenewalOutcome>
  /** The setting `upstreamOrigin`: what refuses a login in place of the upstream. */
  readonly origin?: string | undefined
  /**
   * Locks an account among instances. Returns the function that unlocks it, `taken` if another instance has the lock,
   * or undefined if there is no store or it does not answer.
   */
  readonly lock?: ((uin: string) => Promise<(() => void) | 'taken' | undefined>) | undefined
  readonly times: RenewalTimes
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Milliseconds that never run backwards. Default: the time since the start of the process. */
  readonly uptime?: (() => number) | undefined
  readonly log: Pick<BaseLogger, 'info' | 'warn' | 'error'>
  /** Called after each attempt. */
  readonly attempted?: ((name: string, attempt: RenewalResult) => void) | undefined
}

type Write = (login: StoredLogin) => Promise<void>

/** The key that calls use: the newest one, or the one before if the newest was refused before it ever answered. */
export function keyInUse ({ login, ended }: Pick<Entry, 'login' | 'ended'>): string | undefined {
  const key = credentialOf(login)?.key
  const before = recordsOf(login)[1]?.musicKey
  return key !== undefined && ended.has(key) && before !== undefined && !ended.has(before) ? before : key
}

/**
 * Creates the renewer. It does nothing on its own. The age of a key follows the wall clock, because it outlives the
 * process. All pauses follow the uptime: a clock that jumps must not make the relay send more.
 */
export function createRenewer (
  { store, renewLogin, origin = '', lock, times, now, uptime = () => performance.now(), log, attempted }:
    RenewerOptions
) {
  const slots = pLimit(times.renewalsAtOnce)
  const running = new Set<Promise<unknown>>()
  let stopped = false

  function track (work: Promise<unknown>): void {
    const tracked = work.finally(() => { running.delete(tracked) })
    running.add(tracked)
  }

  const isPossible = ({ login }: Entry): boolean => isRenewable(login) && login.renewal?.state !== 'log in again'

  function isDue (entry: Entry): boolean {
    if (entry.busy !== undefined || uptime() < entry.retryAt) return false
    if (entry.unwritten !== undefined) return true
    return isPossible(entry) && uptime() >= restEnd(entry)
      && (entry.isUrgent || now() >= dueAt(entry.login, now(), times))
  }

  /** Returns the uptime before which the login is not renewed again, whoever renewed it last. */
  function restEnd (entry: Entry): number {
    const { cookie: of, renewal: { renewedAt = 0 } = {} } = entry.login
    if (entry.rest === undefined || entry.rest.of !== of) {
      // Only the time of a renewal before the start is taken from the file.
      const left = renewedAt === 0 ? 0
        : entry.rest === undefined ? 1000 * renewedAt + times.renewGapMs - now() : times.renewGapMs
      entry.rest = { of, end: uptime() + Math.max(0, Math.min(times.renewGapMs, left)) }
    }
    return entry.rest.end
  }

  async function renew (entry: Entry): Promise<RenewalResult> {
    // Whoever waits for a place or for the file means this login, not the one that another process made of it
    // meanwhile.
    const { cookie } = entry.login
    const attempt = (entry.busy as Promise<RenewalResult> | undefined)
      ?? slots(async () => await once(entry, cookie)).finally(() => {
        entry.busy = undefined
      })
    entry.busy = attempt
    return await attempt
  }

  async function once (entry: Entry, cookie: string | undefined): Promise<RenewalResult> {
    const attempt = await tried(entry, cookie)
    restEnd(entry) // another process may have renewed it just now
    entry.lockedElsewhere = attempt === 'busy' && entry.login.cookie === cookie
    if (attempt === 'failed' || attempt === 'busy') {
      entry.retryAt = uptime() + pauseAfter(attempt === 'failed' ? ++entry.failures : 1, times)
    }
    attempted?.(entry.name, attempt)
    return attempt
  }

  async function tried (entry: Entry, cookie: string | undefined): Promise<RenewalResult> {
    const uin = credentialOf(entry.login)?.uin
    if (uin === undefined || (entry.unwritten === undefined && (stopped || !isPossible(entry)))) return 'impossible'
    let unlock
    entry.fileError = undefined
    try {
      unlock = await lock?.(uin)
      if (unlock === 'taken') return 'busy'
      return await entry.file.change(async (write) => await renewAsWriter(entry, cookie, write))
    } catch (error) {
      // Errors of the file system, and of a file that somebody made unusable.
      const { code } = error as NodeJS.ErrnoException
      const { name, file: { path } } = entry
      if (error instanceof ConfigError || code === undefined) log.error(`account ${name} cannot be renewed: ${path} cannot be used (${(error as Error).name})`)
      else {
        entry.fileError = code
        log.error(`account ${name} cannot be renewed: ${path} cannot be written or read (${code}). ${writeAdviceInWords(code, dirname(path))}`)
      }
      return 'failed'
    } finally {
      if (typeof unlock === 'function') unlock()
    }
  }

  /** Returns the stored login. A renewed one that a killed process left complete beside it takes its place. */
  async function current ({ name, file }: Entry, write: Write): Promise<StoredLogin | undefined> {
    const login = await file.read()
    const found = login && (await file.interrupted()).find((interrupted) => isRenewalOf(interrupted, login))
    if (login === undefined || found === undefined) return login
    const next = withSecretsOf(login, found)
    await write(next)
    log.info(`account ${name}: a renewal that was interrupted is completed`)
    return next
  }

  async function completeInterrupted (entry: Entry): Promise<void> {
    try {
      if (!(await entry.file.interrupted()).some((found) => isRenewalOf(found, entry.login))) return
      const login = await entry.file.change(async (write) => await current(entry, write))
      if (login !== undefined) store.adopt(entry.name, login)
    } catch {} // the next renewal does it, and tells what is wrong
  }

  /** Runs as the only writer of the file. */
  async function renewAsWriter (entry: Entry, cookie: string | undefined, write: Write): Promise<RenewalResult> {
    const before = await current(entry, write)
    if (before === undefined) return 'impossible'
    const { unwritten } = entry
    if (unwritten !== undefined && before.cookie === unwritten.replacedCookie) {
      const next = withSecretsOf(before, unwritten.login)
      await write(next)
      entry.unwritten = undefined
      store.adopt(entry.name, next)
      return 'changed'
    }
    entry.unwritten = undefined
    const isOther = before.cookie !== cookie
    store.adopt(entry.name, before)
    if (isOther || !isPossible(entry)) return isOther ? 'changed' : 'impossible'
    await write(before) // what cannot be written must not be renewed
    const inUse = keyInUse(entry)
    const records = [...recordsOf(before)].sort((a, b) => Number(b.musicKey === inUse) - Number(a.musicKey === inUse))
    let code = 0
    for (const record of records) {
      const { renewal, refused: refusal, later } = await renewLogin(record)
      if (later !== undefined) {
        log.warn(`account ${entry.name} was not renewed (${later}): the relay tries again`)
        return 'failed'
      }
      if (renewal !== undefined) {
        return await adoptRenewed(entry, before, renewed(before, record, renewal, now()), write)
      }
      code = refusal
    }
    const ended = refused(before, code, origin)
    await write(ended)
    store.adopt(entry.name, ended)
    log.error(`account ${entry.name} has ended: the upstream refuses to renew it (code ${code}). Log in again: ${loginCommand(entry.name)}`)
    return 'refused'
  }

  async function adoptRenewed (
    entry: Entry,
    before: StoredLogin,
    next: StoredLogin,
    write: Write
  ): Promise<RenewalResult> {
    try {
      await write(next)
      log.info(`account ${entry.name} is renewed`)
    } catch (error) {
      entry.unwritten = { login: next, replacedCookie: before.cookie ?? '' }
      log.error(`account ${entry.name} is renewed, but its file cannot be written (${(error as NodeJS.ErrnoException).code}): the relay tries again. A stop before that loses the login.`)
    }
    entry.rest = { of: next.cookie, end: uptime() + times.renewGapMs }
    store.adopt(entry.name, next)
    return 'renewed'
  }

  return {
    /** Completes renewals of a process that was killed. Never throws. */
    async recover (): Promise<void> {
      await Promise.all(store.all().map(completeInterrupted))
    },
    /** Begins what is due and resolves when it has ended. Never throws. */
    async due (): Promise<void> {
      await Promise.all(store.all().filter(isDue).map(renew))
    },
    /** Renews a login now, due or not. */
    renew,
    /**
     * A call with this credential was refused because the login ended. If `renews`, it begins a renewal, once per key.
     */
    ended (entry: Entry, { key }: Credential, renews: boolean): void {
      if (![credentialOf(entry.login)?.key, recordsOf(entry.login)[1]?.musicKey].includes(key)) return
      if (entry.ended.has(key)) {
        // Who asks in vain must not wait for the end of a long pause after the upstream has recovered.
        entry.retryAt = Math.min(entry.retryAt, uptime() + times.renewGapMs)
        return
      }
      entry.ended.add(key)
      const inUse = keyInUse(entry)
      // The record before may still work.
      if (!renews || (inUse !== undefined && !entry.ended.has(inUse))) return
      entry.isUrgent = true
      entry.retryAt = 0
      // The pause between renewals is the upstream's. What a killed process has left on disk need not wait.
      track(isDue(entry) ? renew(entry) : completeInterrupted(entry))
    },
    /** A call with this credential was answered. */
    answered (entry: Entry, { key }: Credential): void {
      const { login } = entry
      if (login.renewal?.previous === undefined || entry.confirmed === key || credentialOf(login)?.key !== key) return
      entry.confirmed = key
      track(entry.file.change(async (write) => {
        const before = await entry.file.read()
        if (before === undefined || before.cookie !== login.cookie || before.renewal?.previous === undefined) return
        const next = withoutPrevious(before)
        await write(next)
        store.adopt(entry.name, next)
      }).catch((error: NodeJS.ErrnoException) => { log.warn(`account ${entry.name}: its file cannot be written (${error.code ?? error.name})`) }))
    },
    /** Begins nothing more. Resolves when what is under way has ended and is on disk, as far as that is possible. */
    async stop (): Promise<void> {
      stopped = true
      while (running.size > 0) await Promise.all(running)
      await Promise.all(store.all().map(async (entry) => {
        await entry.busy
        if (entry.unwritten !== undefined) await once(entry, entry.login.cookie)
      }))
    }
  }
}

// @mutate renewal: renewal accounts
