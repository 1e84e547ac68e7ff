/**
 * The stored accounts, as a relay that listens and the commands have them: opened with what renews their logins; the
 * global login, which a long-running command follows; and a finished login that is stored, for `music-relay login --as
 * <name>` and for the page /login.
 */
import { loginLimits, type Logins } from '../upstream/login/logins.ts'
import { userInfo as systemUser } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { userInfoFile } from '../../config/user-info.ts'
import type { LoginRenewal } from '../../schemas/config.ts'
import type { LoginSession } from '../../schemas/login.ts'
import { openAccounts, type Accounts, type AccountsOptions } from '../accounts/accounts.ts'
import { createLoginFiles, unusableInWords, type LoginFiles } from '../accounts/loginFiles.ts'
import { followsKeyOf } from '../accounts/record.ts'
import { openSessions } from '../accounts/sessions.ts'
import { createLoginStore, type LoginStore } from '../accounts/store.ts'
import { openSharedStore, redisTimeoutMs, type SharedStore } from '../cache/redis.ts'
import { ConfigError, InvalidInput, RelayError } from '../common/errors.ts'
import { isReadableByOthers, writeAdvice, writeAdviceInWords } from '../common/fileAccess.ts'
import { defaultAccount, type LoginStorage, type StoredAs } from '../relay/accountBook.ts'
import type { Settings } from '../relay/settings.ts'
import { resolveIdentity } from '../relay/identity.ts'
import type { Runtime } from '../relay/runtime.ts'
import { whoAmI } from '../endpoints/shared/accountCalls.ts'
import { isLogin, knownPairs, lackInWords } from '../upstream/wire/cookies.ts'
import { accountDigits } from '../upstream/wire/credentials.ts'
import { maybe } from '../upstream/read/read.ts'
import { refuseUnwritable, Failed, commandPrefix } from './process.ts'

/** How long an instance may take to renew an account before another may, in ms: every form of every record. */
const renewalLockMs = 10 * loginLimits.loginDeadlineMs

export interface Renewing {
  readonly upstream: { readonly logins: Pick<Logins, 'renew'> }
  readonly store: Pick<SharedStore, 'lock'> | undefined
}

/** `renew`: false for an upstream that is not that of the accounts. `app`: what has the runtime, once it exists. */
interface StoredAccountsOptions
  extends
    Pick<AccountsOptions, 'folder' | 'log' | 'attempted'>,
    Partial<Pick<AccountsOptions, 'now' | 'uptime' | 'needsUserInfo' | 'upkeep'>> {
  readonly settings: Pick<Settings, 'accountsSecret' | 'renewLogins' | 'upstreamOrigin'>
  readonly renew: boolean
  readonly app: () => { readonly runtime: Renewing }
}

/** Opens the accounts of a folder. Renewals begin with `start`. */
export async function openStoredAccounts (
  { settings, renew, app, ...options }: StoredAccountsOptions
): Promise<Accounts> {
  return await openAccounts({
    now: Date.now,
    ...options,
    secret: settings.accountsSecret,
    origin: settings.upstreamOrigin,
    renew: renew && settings.renewLogins,
    renewLogin: async (record) => await app().runtime.upstream.logins.renew(record),
    lock: async (uin) => await app().runtime.store?.lock(`renewal of ${uin}`, renewalLockMs)
  })
}

export interface AccountsPlace {
  readonly settings: Settings
  readonly folder: string
  /** Variable that names the folder. Default: `CONFIG_DIR`. */
  readonly folderVariable?: string
}

export const loginFilesOf = (
  { folder, settings: { accountsSecret: secret, upstreamOrigin: origin } }: Pick<AccountsPlace, 'folder' | 'settings'>
): LoginFiles => createLoginFiles({ folder, secret, origin })

/** Most commands renew nothing, and need not load a client. */
const renewingNothing: Renewing = {
  upstream: {
    logins: { async renew () { throw new TypeError('the accounts were opened without what renews them') } }
  },
  store: undefined
}

/**
 * Opens the accounts. Nothing happens by itself; close them before the runtime. Without what renews logins, none can be
 * renewed. Throws ConfigError if their folder cannot be read.
 */
export async function openAccountsOf (
  { folder, settings }: AccountsPlace,
  { upstream: { logins }, store }: Renewing = renewingNothing
) {
  await loginFilesOf({ folder, settings }).names() // for its error
  /** What is wrong with files, or with writing them. */
  const errors: string[] = []
  const warnings: string[] = []
  /** Why the last renewal got no answer to rely on. */
  let failure: string | undefined
  const renew: typeof logins.renew = async (record) => {
    const outcome = await logins.renew(record)
    failure = outcome.later
    return outcome
  }
  const log = {
    info () {},
    warn (line: string) { warnings.push(line) },
    error (line: string) { errors.push(line) }
  }
  const app = (): { readonly runtime: Renewing } => ({ runtime: { upstream: { logins: { renew } }, store } })
  const accounts = await openStoredAccounts({ folder, settings, log, renew: false, upkeep: false, app })
  return { accounts, errors, warnings, failure: () => failure }
}

export type OpenAccounts = Awaited<ReturnType<typeof openAccountsOf>>

/** Throws ConfigError if accounts cannot be stored in the folder. */
export async function refuseUnwritableAccounts (
  { folder, folderVariable = 'CONFIG_DIR' }: AccountsPlace
): Promise<void> {
  await refuseUnwritable(
    join(folder, 'accounts'),
    (wrong) => `${folderVariable}: accounts cannot be stored or changed in ${folder} (${wrong}). Set it to a writable folder.`
  )
}

/** Throws ConfigError if a login cannot be stored under this name: no writable folder, or an unreadable file. */
export async function refuseUnusable (name: string, place: AccountsPlace): Promise<void> {
  await refuseUnwritableAccounts(place)
  await loginFilesOf(place).of(name).read().catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error
    const removal = `music-relay accounts remove ${name}`
    // The command ends the text: who copies the line runs nothing else.
    const next = error.message.endsWith(removal) ? '' : ` Correct that, or remove the account first: ${removal}`
    throw new ConfigError(`A login as ${name} would replace the secret and the keys of a file that cannot be read. ${error.message}${next}`)
  })
}

/** How long a command waits for the shared store, which rests after a command that came too early. Milliseconds. */
const connectMs = 3000
const lookMs = 100

/** Returns the store that instances share, if there is one. A lock waits for its connection. */
export async function sharedStoreOf (settings: Settings): Promise<SharedStore | undefined> {
  const store = await openSharedStore(settings, redisTimeoutMs, { info () {}, warn () {} })
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

// The global login of a long-running command: read at the start and reloaded when its file changes.

const quiet = { info () {}, warn () {}, error () {} }

/** Returns a store of the account `default` alone, which renews nothing. `refresh` looks at its file. */
export function createUserInfoStore (folder: string): LoginStore {
  const files = { ...createLoginFiles({ folder, secret: '' }), names: async () => await Promise.resolve([]) }
  return createLoginStore(files, 0, quiet)
}

/** Returns that store after its first look. Throws ConfigError for an unusable file if the login is `needed`. */
export async function openUserInfo (folder: string, needed = true): Promise<LoginStore> {
  const store = createUserInfoStore(folder)
  await store.refresh()
  if (needed) store.assertUserInfo()
  return store
}

/** Returns the state of the global cookie, and for people what to do about it. */
export function globalCookieState (
  on: boolean,
  store: Accounts['store']
): { readonly state: string, readonly text: string } {
  const { cookie = '' } = store.get(defaultAccount)?.login ?? {}
  if (!on || isLogin(cookie)) return on ? { state: 'on', text: 'on' } : { state: 'off', text: 'off' }
  const until = (what: string): string => `requests stay anonymous until music-relay login stores ${what}`
  if (cookie === '') return { state: 'on, none stored', text: `on, but none is stored: ${until('one')}` }
  return { state: 'on, no login stored', text: `on, but the cookie in ${userInfoFile} has ${lackInWords(knownPairs(cookie))}; ${until('a login')}` }
}

/**
 * Logs what becomes of the file while the store looks at it. Logs a warning if others may read it or if it holds no
 * login. `needed`: no cookie at all is worth a warning, too.
 */
export async function followUserInfo (
  store: Accounts['store'],
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>,
  needed = false
): Promise<void> {
  const { removed, left } = await store.files.removeLeftovers('user-info', followsKeyOf)
  if (removed.length > 0) log.info(`removed what an interrupted save left behind: ${removed.join(', ')}`)
  for (const name of left) {
    log.warn(
      `${name} may hold the only login that works: it is kept. Make ${userInfoFile} readable and writable, then start music-relay serve. If the login works without it, delete it.`
    )
  }
  if (await isReadableByOthers(store.files.of(defaultAccount).path)) {
    log.warn(`${userInfoFile} can be read by others on this machine: chmod 600 it`)
  }
  const warnOfNoLogin = (cookie = ''): void => {
    if (cookie === '' && needed) {
      log.warn(`useGlobalCookie is on, but ${userInfoFile} holds no cookie: requests stay anonymous until music-relay login stores one`)
    }
    if (cookie !== '' && !isLogin(cookie)) log.warn(`${userInfoFile} holds no login: its cookie has ${lackInWords(knownPairs(cookie))}`)
  }
  warnOfNoLogin(store.get(defaultAccount)?.login.cookie)
  store.followUserInfo({
    changed: ({ cookie }) => {
      log.info(`${userInfoFile} changed: the new one is in use`)
      warnOfNoLogin(cookie)
    },
    refused: (reason) => {
      log.error(`${unusableInWords(reason, userInfoFile)} The last good one stays in use.`)
    }
  })
}

// Stores a finished login.

/** Stores a login under this name, and returns its file, too. Throws Failed if that is not possible. */
export async function storeLogin (
  name: string,
  session: LoginSession,
  renewal: LoginRenewal | undefined,
  { accounts }: OpenAccounts,
  place: AccountsPlace,
  runtime: Runtime
): Promise<StoredAs & { readonly file: string }> {
  const file = join(place.folder, 'accounts', `${name}.json`)
  try {
    if (name !== defaultAccount && isOfAnother(name, session, accounts)) {
      const remove = `${commandPrefix(place)}music-relay accounts remove ${name}`
      throw new InvalidInput(
        `another account of the provider is stored as ${name}. Choose another name, or remove that one first: ${remove}`
      )
    }
    const done = { file, ...await stored(name, session, renewal, accounts, runtime) }
    if (name !== defaultAccount) await noteStored(name, accounts, place)
    return done
  } catch (error) {
    const reason = error instanceof RelayError ? error.message : notWritten(error, file)
    throw new Failed('NOT_STORED', `Logged in as ${session.loginUin}, but the login is not stored: ${reason}`)
  }
}

/** Name of the system's user. A container may run with a number that has no name. */
function userName (): string {
  try {
    return systemUser().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}

/** Notes that this command stored a login. Not being able to do that is no failure of the login. */
async function noteStored (name: string, accounts: Accounts, { folder, settings }: AccountsPlace): Promise<void> {
  const sessions = await openSessions({ folder, secret: settings.accountsSecret, accounts, log: { error () {} } })
  sessions.close()
  await sessions.stored(name, { through: 'command', by: userName() }).catch(() => {})
}

/** Says that the file of a login cannot be written, and what to do. `instead`: what else the user may do. */
export function notWritten (error: unknown, file: string, instead = ''): string {
  const { code } = error as NodeJS.ErrnoException
  return `${file} cannot be written (${code ?? 'failed'}). Correct that${instead}, then log in again. ${writeAdviceInWords(code, dirname(file))}`
}

export function createLoginStorage (
  accounts: Accounts,
  folder: string,
  app: () => { readonly runtime: Runtime }
): LoginStorage {
  return {
    async refusal () {
      try {
        await refuseUnwritable(
          join(folder, 'accounts'),
          () => 'The relay cannot write to the folder of its accounts, in CONFIG_DIR. Make it writable, then try again.'
        )
        return undefined
      } catch (error) {
        if (error instanceof ConfigError) return error.message
        throw error
      }
    },
    async store (name, session, renewal) {
      if (isOfAnother(name, session, accounts)) {
        throw new InvalidInput(
          'name: another account of the provider is stored under this name. Choose another name, or remove that one first: music-relay accounts remove.'
        )
      }
      try {
        return await stored(name, session, renewal, accounts, app().runtime)
      } catch (error) {
        if (error instanceof RelayError) throw error
        const { code } = error as NodeJS.ErrnoException
        throw new RelayError('INTERNAL', `Logged in, but the login is not stored: the file of the account cannot be written (${code ?? 'failed'}). ${writeAdvice(code, '').words}, then log in again.`, { cause: error })
      }
    }
  }
}

/** Whether another person's login has this name: likely a mistake, and apps would play for somebody else. */
function isOfAnother (name: string, { loginUin }: LoginSession, accounts: Accounts): boolean {
  const before = accounts.get(name)?.uin
  return before !== undefined && before !== accountDigits(loginUin)
}

async function stored (
  name: string,
  { loginUin, cookie }: LoginSession,
  renewal: LoginRenewal | undefined,
  accounts: Accounts,
  runtime: Runtime
): Promise<StoredAs> {
  const before = accounts.secretOf(name)
  const nickname = await nicknameOf(cookie, runtime)
  const secret = await accounts.save(name, { loginUin, cookie, ...renewal === undefined ? {} : { renewal }, nickname })
  const others = accounts.list().filter((other) => other.name !== name && other.uin === accountDigits(loginUin))
    .map((other) => other.name)
  return { secret: secret === before ? undefined : secret, others }
}

/** What to do about further accounts with the same number. */
export function othersText (
  others: readonly string[],
  place: Pick<AccountsPlace, 'folder' | 'folderVariable'>
): string[] {
  const [other] = others
  if (other === undefined) return []
  const removal = other === defaultAccount ? `delete ${join(place.folder, userInfoFile)}` : `${commandPrefix(place)}music-relay accounts remove ${other}`
  return [`The same account is stored as ${others.join(', ')}, too. A renewal of one may end the other: keep one of them. To remove: ${removal}`]
}

/** The name that the account shows to others; undefined if the upstream does not say it at once. */
async function nicknameOf (cookie: string, runtime: Runtime): Promise<string | undefined> {
  const { credential } = resolveIdentity({ query: cookie }, { ...runtime.settings, fallbackMode: true })
  const upstream = runtime.upstream.calls.forRequest({ credential })
  try {
    const nickname = await upstream.send({ ...whoAmI, read: (answer) => maybe.text(answer, 'info.nick') })
    // Anybody chooses such a name, and terminals show it.
    return [...(nickname ?? '').replaceAll(/\p{C}/gu, '').trim()].slice(0, mostLetters).join('') || undefined
  } catch {
    return undefined
  } finally {
    upstream.end()
  }
}

const mostLetters = 60
