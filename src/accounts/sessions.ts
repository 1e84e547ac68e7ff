/**
 * The browser sessions of a relay, and who stored its logins, in `sessions.json`. The file holds hashes: a stolen copy
 * opens nothing. Like accounts, it is encrypted with `accountsSecret`, if there is one.
 */
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { BaseLogger } from 'pino'
import type { SealedAccount } from '../../schemas/accounts.ts'
import { ConfigError, RelayError } from '../common/errors.ts'
import { isOutOfFiles } from '../common/fileAccess.ts'
import { readPrivate, writing } from '../common/privateFile.ts'
import type { AccountBook } from '../relay/accountBook.ts'
import {
  sessionSeconds, type BrowserSession, type NewSession, type StoringRecord
} from '../relay/browserSessions.ts'
import { parseObject } from '../relay/settings.ts'
import { sealedIfSecret, stampOf, unseal } from './loginFiles.ts'

/** Name of the file, in the folder of the settings. */
const sessionsFile = 'sessions.json'

/** Maximum number of sessions, and of those that one client began since the start. */
const most = 1000
const mostOfClient = 20
/** A use is written at most this often, in seconds. */
const useSeconds = 86_400
/** How often the file is looked at for changes of commands and other instances, in milliseconds. */
const lookMs = 1000

/** Maximum number of accounts of one session. */
const mostAccounts = 10

/**
 * A session as the file has it. `logins`: hash of the secret of each account of the browser, so that a new secret or
 * another account of the same name ends its part. `account`: the one as which the browser acts.
 */
interface StoredSession extends Omit<BrowserSession, 'others'> {
  readonly hash: string
  readonly logins: Readonly<Record<string, string>>
}

/**
 * What the file has. `stored`: how the login of each account was stored. `token`: an access token was set at a start.
 */
interface Content {
  readonly sessions: readonly StoredSession[]
  readonly stored: Readonly<Record<string, StoringRecord>>
  readonly token: boolean
}

const nothing: Content = { sessions: [], stored: {}, token: false }

/** What exists from the time without an access token. */
export type OpenTime = Pick<Content, 'stored'> & { readonly sessions: number }

/** The sessions, for the relay and for commands. */
export type StoredSessions = Awaited<ReturnType<typeof openSessions>>

/** Options. `secret`: the setting `accountsSecret`. `now`: milliseconds since the epoch. */
export interface SessionsOptions {
  readonly folder: string
  readonly secret: string
  readonly accounts: Pick<AccountBook, 'secretOf'>
  readonly now?: () => number
  readonly log: Pick<BaseLogger, 'error'>
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Opens the sessions of a folder. What cannot be read is logged; then there are none, and none can begin. */
export async function openSessions (
  { folder, secret, accounts, now = Date.now, log }: SessionsOptions
) {
  const file = join(folder, sessionsFile)
  let content = nothing
  let stamp: string | undefined = ''
  let problem = ''
  /** Sessions by hash, and the number that each client began since the start. */
  let byHash = new Map<string, StoredSession>()
  const clientOf = new Map<string, string>()
  const seconds = (): number => Math.floor(now() / 1000)

  function adopt (next: Content): void {
    content = next
    byHash = new Map(next.sessions.map((session) => [session.hash, session]))
    for (const hash of clientOf.keys()) if (!byHash.has(hash)) clientOf.delete(hash)
  }

  async function read (): Promise<Content> {
    const text = await readPrivate(file)
    if (text === undefined) return nothing
    const value = parseObject(text, file)
    if (!('sealed' in value)) return { ...nothing, ...value }
    const plain = secret === '' ? undefined : unseal(value as unknown as SealedAccount, sessionsFile, secret)
    if (plain === undefined) throw new ConfigError(`${file}: encrypted with another ACCOUNTS_SECRET, or damaged. Set that secret, or remove the file: all browsers then log in again.`)
    return { ...nothing, ...parseObject(plain, file) }
  }

  /** Reads the file again if it has changed. Never throws. */
  async function refresh (): Promise<void> {
    try {
      const seen = await stampOf(file)
      if (seen === stamp) return
      stamp = seen
      const before = content
      const next = await read()
      problem = ''
      // If this process has changed it meanwhile, the next look compares again.
      if (content === before) adopt(next)
    } catch (error) {
      if (isOutOfFiles(error)) {
        stamp = '' // the next look may be luckier; the relay logs this
        return
      }
      problem = error instanceof ConfigError ? error.message : `${file}: cannot be read (${(error as NodeJS.ErrnoException).code}).`
      adopt(nothing)
      log.error(`browser sessions: ${problem}`)
    }
  }

  /** Changes the file as its only writer. Sessions that have expired are left out. */
  async function change (make: (before: Content) => Content): Promise<void> {
    await writing(file, async (write) => {
      const next = make(await read())
      const kept = { ...next, sessions: next.sessions.filter(isLasting) }
      await write(sealedIfSecret(kept, sessionsFile, secret))
      adopt(kept)
    })
  }

  const isLasting = ({ usedAt }: StoredSession): boolean => seconds() - usedAt < sessionSeconds
  const isBound = (account: string, bound: string | undefined): boolean => {
    const own = accounts.secretOf(account)
    return own !== undefined && bound === hashOf(own)
  }
  /** Returns what a session still gives: undefined if nothing. */
  function shown (
    { id, account = '', logins, operator, createdAt, usedAt }: StoredSession
  ): BrowserSession | undefined {
    const bound = Object.keys(logins).filter((name) => isBound(name, logins[name]))
    if (!operator && bound.length === 0) return undefined
    return {
      id,
      account: bound.find((name) => name === account),
      others: bound.filter((name) => name !== account),
      operator,
      createdAt,
      usedAt
    }
  }

  const list = (): readonly BrowserSession[] =>
    [...byHash.values()].filter(isLasting).flatMap((each) => shown(each) ?? [])

  await refresh()
  const timer = setInterval(() => { void refresh() }, lookMs).unref()

  return {
    find (text: string): BrowserSession | undefined {
      const found = byHash.get(hashOf(text))
      if (found === undefined || !isLasting(found)) return undefined
      if (seconds() - found.usedAt >= useSeconds) {
        const used = { ...found, usedAt: seconds() }
        byHash.set(found.hash, used)
        change(({ sessions, ...rest }) => ({
          ...rest,
          sessions: sessions.map((each) => each.hash === found.hash ? used : each)
        })).catch(() => {})
      }
      return shown(found)
    },
    async begin ({ account, operator = false, replaces, client }: NewSession): Promise<string> {
      const text = randomBytes(32).toString('base64url')
      const hash = hashOf(text)
      const own = account === undefined ? undefined : accounts.secretOf(account)
      const login = account === undefined || own === undefined ? {} : { [account]: hashOf(own) }
      const ofClient = [...clientOf].filter(([, name]) => name === client).map(([each]) => each)
      const oldest = ofClient.slice(0, Math.max(0, ofClient.length - mostOfClient + 1))
      const replaced = replaces === undefined ? '' : hashOf(replaces)
      await change(({ sessions, ...rest }) => {
        const lasting = sessions.filter(isLasting)
        const before = lasting.find((each) => each.hash === replaced)
        const others = lasting.filter((each) => each !== before && !oldest.includes(each.hash))
        if (others.length >= most) {
          throw new RelayError(
            'OVERLOADED',
            'Too many browsers are logged in: the operator ends some with music-relay accounts sessions --end.',
            { retryAfter: 60 }
          )
        }
        const created: StoredSession = {
          hash,
          // Hexadecimal digits, because a command takes a text that begins with a hyphen for an option.
          id: before?.id ?? randomBytes(4).toString('hex'),
          account: account ?? before?.account,
          logins: Object.fromEntries(Object.entries({ ...login, ...before?.logins, ...login }).slice(0, mostAccounts)),
          operator: operator || before?.operator === true,
          createdAt: before?.createdAt ?? seconds(),
          usedAt: seconds()
        }
        return { ...rest, sessions: [...others, created] }
      })
      clientOf.delete(replaced)
      if (client !== undefined) clientOf.set(hash, client)
      return text
    },
    async end (text: string, account?: string): Promise<void> {
      const hash = hashOf(text)
      await change(({ sessions, ...rest }) => ({
        ...rest,
        sessions: sessions.flatMap((each) => {
          if (each.hash !== hash) return [each]
          const logins = Object.fromEntries(Object.entries(each.logins).filter(([name]) => name !== account))
          return account === undefined || (!each.operator && Object.keys(logins).length === 0) ? []
            : [{ ...each, logins }]
        })
      }))
    },
    async stored (account: string, how: Omit<StoringRecord, 'at'>): Promise<void> {
      await change((before) => ({ ...before, stored: { ...before.stored, [account]: { at: seconds(), ...how } } }))
    },
    list,
    /** Returns who stored logins, by account. */
    trail: () => content.stored,
    /** Ends a session by its id, or all. Returns the number of ended ones. */
    async revoke (id?: string): Promise<number> {
      let ended = 0
      await change(({ sessions, ...rest }) => {
        const left = sessions.filter((each) => id !== undefined && each.id !== id)
        ended = sessions.length - left.length
        return { ...rest, sessions: left }
      })
      return ended
    },
    /**
     * Notes whether an access token is set. When it is for the first time, ends the operator's sessions, because
     * anybody may have begun them before, and returns what exists.
     */
    async tokenSet (isSet: boolean): Promise<OpenTime | undefined> {
      if (problem !== '' || content.token === isSet) return undefined
      const sessions = list().length
      const stored = Object.fromEntries(
        Object.entries(content.stored).filter(([name]) => accounts.secretOf(name) !== undefined)
      )
      // Nothing was stored, so there is nothing to say and nothing to write.
      if (stamp === undefined) return undefined
      await change((before) => ({
        ...before,
        token: isSet,
        sessions: isSet ? before.sessions.filter(({ operator }) => !operator) : before.sessions
      }))
      return isSet ? { sessions, stored } : undefined
    },
    refresh,
    close (): void { clearInterval(timer) }
  }
}

// @mutate accounts: sessions
