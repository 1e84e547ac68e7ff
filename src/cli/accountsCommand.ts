/** `music-relay accounts`: lists, renews and removes stored accounts, and gives out their secrets and keys. */
import { dirname, join } from 'node:path'
import { userInfoFile } from '../../config/user-info.ts'
import type { LoginFile } from '../accounts/loginFiles.ts'
import type { Account, KeyLimits } from '../accounts/record.ts'
import { fileStatusOf } from '../accounts/status.ts'
import { InvalidInput } from '../common/errors.ts'
import { writeAdviceInWords } from '../common/fileAccess.ts'
import { dayOf, spanOf } from '../common/spans.ts'
import { openSessions, type StoredSessions } from '../accounts/sessions.ts'
import { defaultAccount, loginCommand, type AccountBook, type RenewalResult } from '../relay/accountBook.ts'
import { inColumns } from '../doctor/table.ts'
import { commandPrefix, Failed } from './process.ts'
import type { Screen } from './screen.ts'
import {
  loginFilesOf, openAccountsOf, refuseUnwritableAccounts, sharedStoreOf, type AccountsPlace, type OpenAccounts,
  type Renewing
} from './storedAccounts.ts'

export interface AccountsTask extends AccountsPlace {
  readonly json: boolean
  readonly screen: Screen
  /** Prints the result. Everything else goes to the screen. */
  readonly out: (text: string) => void
}

interface Result { readonly facts: object, readonly text: string }

/** Lists the accounts. Returns the exit code: 0, or 78 if a file cannot be read. Throws ConfigError. */
export async function listAccounts (task: AccountsTask): Promise<number> {
  return await withAccounts(task, undefined, async ({ accounts, errors, warnings }) => {
    // Errors of this file are told to those who follow it, so that they are not among the others.
    const problems = [
      ...errors,
      ...await fileOf(task, defaultAccount).read().then(() => [], (error: Error) => [error.message])
    ]
    const list = accounts.list()
    const facts = { now: Date.now(), renew: task.settings.renewLogins }
    const stateOf = (account: Account): object => {
      const { state, trouble } = fileStatusOf(account, facts)
      return trouble === undefined ? { state } : { state, trouble }
    }
    const unread: string[] = []
    const sessions = await sessionsOf(task, accounts, (line) => { unread.push(line) })
    const trail = sessions.trail()
    // With the wrong secret, nothing can be read, and the first line says enough. The accounts work without the trail.
    task.screen.lines([...warnings, ...problems, ...problems.length === 0 ? unread : []])
    const stated = list.map((account) => ({ ...account, ...stateOf(account), stored: trail[account.name] }))
    if (task.json) task.out(`${JSON.stringify({ ok: problems.length === 0, accounts: stated, problems })}\n`)
    else if (list.length > 0) task.out(`${[...accountLines(list, facts), ...trailLines(list, trail)].join('\n')}\n`)
    else if (problems.length > 0) task.out(`No account in ${task.folder} can be read.\n`)
    else task.out(`No account is stored in ${task.folder}.\n\nNext:\n  ${commandPrefix(task)}music-relay login --as living-room\n`)
    return problems.length === 0 ? 0 : 78
  })
}

async function sessionsOf (
  { folder, settings }: AccountsTask,
  accounts: Pick<AccountBook, 'secretOf'>,
  error: (line: string) => void
): Promise<StoredSessions> {
  const sessions = await openSessions({ folder, secret: settings.accountsSecret, accounts, log: { error } })
  sessions.close()
  return sessions
}

/** Says who stored which login, when and through what, where that is known. */
function trailLines (accounts: readonly Account[], trail: ReturnType<StoredSessions['trail']>): string[] {
  const rows = accounts.flatMap(({ name }) => {
    const { at, through, by } = trail[name] ?? {}
    return at === undefined || through === undefined || by === undefined ? []
      : [[name, dayOf(at), through === 'page' ? 'page /login' : through, by]]
  })
  return rows.length === 0 ? [] : ['', ...inColumns([['name', 'stored', 'through', 'by'], ...rows])]
}

/** Lists the browsers that are logged in, or ends one or all. Returns the exit code: 0, or 1 if none was ended. */
export async function browserSessions (task: AccountsTask, end?: string): Promise<number> {
  return await withAccounts(task, undefined, async ({ accounts }) => {
    const problems: string[] = []
    const sessions = await sessionsOf(task, accounts, (line) => { problems.push(line) })
    if (problems.length > 0) throw new Failed('NOT_READ', problems.join('\n'))
    if (end !== undefined) {
      const ended = await sessions.revoke(end === 'all' ? undefined : end)
      if (ended === 0 && end !== 'all') throw new Failed('NOT_FOUND', `No browser session has the id ${end}. See them: music-relay accounts sessions`)
      return print(task, { facts: { ended }, text: `${ended} browser sessions are ended. They stop working within a second.` })
    }
    const list = sessions.list()
    const table = inColumns([
      ['id', 'accounts', 'operator', 'since', 'last used'],
      ...list.map(({ id, account, others, operator, createdAt, usedAt }) => [
        id,
        [...account === undefined ? [] : [account], ...others].join(', ') || '-',
        operator ? 'yes' : 'no',
        dayOf(createdAt),
        dayOf(usedAt)
      ])
    ])
    return print(task, {
      facts: { sessions: list },
      text: list.length === 0 ? 'No browser is logged in.' : table.join('\n')
    })
  })
}

/** Renews an account now, due or not. Returns the exit code: 0 renewed, 1 not. Throws ConfigError. */
export async function renewAccount (task: AccountsTask, name: string): Promise<number> {
  await refuseUnwritableAccounts(task)
  return await withAccounts(task, name, async (stored) => {
    const { accounts, errors } = stored
    await known(task, stored, name)
    const before = errors.length
    task.screen.state(`Renewing ${name} …`)
    const attempt = await accounts.renewNow(name)
    await accounts.close() // writes what could not be written
    const account = accounts.get(name)
    const left = account?.expiresAt === undefined ? '' : `; its key expires in ${spanOf(account.expiresAt - Date.now() / 1000)}`
    const wrong = errors.slice(before)
    if (wrong.length > 0 && attempt !== 'refused') throw new Failed('NOT_STORED', wrong.join('\n'))
    if (attempt !== 'renewed' && attempt !== 'changed') throw notRenewed(attempt, task, name, account, stored.failure())
    return print(task, {
      facts: { name, outcome: attempt, expiresAt: account?.expiresAt },
      text: `${name} ${attempt === 'renewed' ? 'is renewed' : 'was just renewed by another process'}${left}.`
    })
  }, await renewing(task))
}

/** What renews a login. It is loaded on use: the other commands need none of it, and start faster without. */
async function renewing ({ settings }: AccountsTask): Promise<Renewing & { close (): Promise<void> }> {
  const [{ createRuntime }, { resolveOptions }] = [
    await import('../relay/runtime.ts'),
    await import('../library/relay.ts')
  ]
  const store = await sharedStoreOf(settings)
  const runtime = createRuntime(resolveOptions(settings), { store })
  return {
    upstream: runtime.upstream,
    store,
    close: async () => {
      await Promise.all([runtime.close(), store?.close()])
    }
  }
}

function notRenewed (
  attempt: Exclude<RenewalResult, 'renewed' | 'changed'>,
  place: AccountsPlace,
  name: string,
  account: Account | undefined,
  failure: string | undefined
): Failed {
  const again = `Log in again: ${commandPrefix(place)}${loginCommand(name)}`
  if (attempt === 'refused' || account?.state === 'log in again') {
    return new Failed('LOG_IN_AGAIN', `The music service refuses to renew ${name} (code ${account?.reason}). ${again}`)
  }
  if (attempt === 'impossible') return new Failed('NOT_RENEWABLE', `The stored login of ${name} lacks the data for a renewal. ${again}`)
  if (attempt === 'busy') return new Failed('BUSY', `Another instance is renewing ${name}. Check in a minute: music-relay accounts`)
  return new Failed('NOT_RENEWED', `${name} is not renewed: the music service gave no usable answer (${failure ?? 'unknown'}). Try again in some minutes. A running relay tries by itself.`)
}

/** Removes an account, if `confirm` agrees. Returns the exit code: 0 removed, 1 not. Throws ConfigError. */
export async function removeAccount (
  task: AccountsTask,
  name: string,
  confirm?: (question: string) => Promise<boolean>
): Promise<number> {
  await refuseUnwritableAccounts(task)
  return await withAccounts(task, name, async ({ accounts, warnings }) => {
    const { path, stamp } = fileOf(task, name)
    if (await stamp() === undefined) throw unknown(task, name)
    if (confirm !== undefined && !await confirm(`Remove ${name} with its secret and its keys? [y/N] `)) throw new Failed('CANCELLED', 'Nothing was removed.')
    const before = warnings.length
    if (!await accounts.remove(name)) throw unknown(task, name)
    task.screen.lines(warnings.slice(before))
    return print(task, {
      facts: { name, file: path },
      text:
        `${name} is removed: ${path} is deleted, its secret and its keys stop working within a second.\nThe music service may accept the key of the login until it expires.`
    })
  })
}

/** Prints the secret of an account, and nothing else. `fresh`: a new one. Returns the exit code. Throws ConfigError. */
export async function showSecret (task: AccountsTask, name: string, fresh: boolean): Promise<number> {
  if (fresh) await refuseUnwritableAccounts(task)
  return await withAccounts(task, name, async (stored) => {
    await known(task, stored, name)
    const secret = fresh ? await stored.accounts.newSecret(name) : stored.accounts.secretOf(name)
    if (fresh) task.screen.lines([`${name} has a new secret. The old one stops working within a second; keys are not affected.`])
    return print(task, { facts: { name, secret }, text: secret ?? '' })
  })
}

/** Adds a key and prints its text, and nothing else. Returns the exit code. Throws ConfigError. */
export async function addKey (task: AccountsTask, name: string, id: string, limits: KeyLimits): Promise<number> {
  await refuseUnwritableAccounts(task)
  return await withAccounts(task, name, async (stored) => {
    await known(task, stored, name)
    const secret = await stored.accounts.addKey(name, id, limits)
    const { createdAt: _, ...key } = stored.accounts.get(name)?.keys.find((each) => each.id === id) ?? { createdAt: 0 }
    task.screen.lines([
      `Key ${id} of ${name}. It is shown only now; send it as Authorization: Bearer, or as the password of a player with legacy login. To end it: music-relay accounts revoke ${name} ${id}`
    ])
    return print(task, { facts: { name, key, secret }, text: secret })
  })
}

export async function revokeKey (task: AccountsTask, name: string, id: string): Promise<number> {
  await refuseUnwritableAccounts(task)
  return await withAccounts(task, name, async (stored) => {
    const { keys } = await known(task, stored, name)
    if (!await stored.accounts.revokeKey(name, id)) {
      throw new Failed(
        'UNKNOWN_KEY',
        `${name} has no key ${id}. ${keys.length === 0 ? 'It has no keys.' : `Its keys: ${keys.map((key) => key.id).join(', ')}.`}`
      )
    }
    return print(task, { facts: { name, id }, text: `Key ${id} of ${name} stops working within a second.` })
  })
}

/** Runs one command on the accounts. What it cannot do for an expected reason is printed. Returns the exit code. */
async function withAccounts (
  task: AccountsTask,
  name: string | undefined,
  work: (stored: OpenAccounts) => Promise<number>,
  runtime?: Awaited<ReturnType<typeof renewing>>
): Promise<number> {
  let stored: OpenAccounts | undefined
  try {
    stored = await openAccountsOf(task, runtime)
    return await work(stored)
  } catch (error) {
    const { code, message } = expected(
      error,
      name === undefined ? join(task.folder, 'accounts') : fileOf(task, name).path
    )
    task.screen.lines([message])
    if (task.json) task.out(`${JSON.stringify({ ok: false, code, error: message })}\n`)
    return 1
  } finally {
    await stored?.accounts.close()
    await runtime?.close()
  }
}

/** Returns an error that a command prints. Throws any other. `path`: the file of the account. */
function expected (error: unknown, path: string): { readonly code: string, readonly message: string } {
  if (error instanceof Failed || error instanceof InvalidInput) return error
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined || code === undefined) throw error
  return { code: 'NOT_STORED', message: `${path} cannot be changed (${code}). ${writeAdviceInWords(code, dirname(path))}` }
}

function print ({ json, out }: AccountsTask, { facts, text }: Result): number {
  out(json ? `${JSON.stringify({ ok: true, ...facts })}\n` : `${text}\n`)
  return 0
}

/** Returns the account. Throws ConfigError if its file cannot be read, Failed if there is none. */
async function known (task: AccountsTask, { accounts }: OpenAccounts, name: string): Promise<Account> {
  await fileOf(task, name).read()
  const account = accounts.get(name)
  if (account === undefined) throw unknown(task, name)
  return account
}

function unknown (task: AccountsTask, name: string): Failed {
  const where = name === defaultAccount ? `No login is stored in ${join(task.folder, userInfoFile)}`
    : `No account ${name} is stored in ${task.folder}`
  return new Failed('UNKNOWN_ACCOUNT', `${where}. music-relay accounts lists the stored ones; ${commandPrefix(task)}${loginCommand(name)} stores it.`)
}

const fileOf = (task: AccountsTask, name: string): LoginFile => loginFilesOf(task).of(name)

// The table of `music-relay accounts`.

/** One line for each account below a head, and what to do about those that need somebody. `now`: Unix ms. */
export function accountLines (
  accounts: readonly Account[],
  { now, renew }: { readonly now: number, readonly renew: boolean }
): string[] {
  const states = accounts.map((account) => fileStatusOf(account, { now, renew }))
  const troubles = states.flatMap(({ name, trouble }) =>
    trouble === undefined ? [] : [`${name}: ${trouble.why}. ${trouble.next}`]
  )
  const ago = (then: number | undefined): string => then === undefined ? 'never' : `${spanOf(now / 1000 - then)} ago`
  const left = ({ expiresAt }: Account): string =>
    expiresAt === undefined ? 'unknown' : expiresAt <= now / 1000 ? 'expired' : spanOf(expiresAt - now / 1000)
  const table = inColumns([
    ['name', 'nickname', 'channel', 'expires in', 'last renewal', 'state', 'keys'],
    ...accounts.map((account, at) => [
      account.name,
      account.nickname ?? '-',
      account.channel ?? '-',
      left(account),
      ago(account.renewedAt),
      states[at]?.state ?? '',
      account.keys.map(keyText).join('; ') || '-'
    ])
  ])
  return troubles.length === 0 ? table : [...table, '', ...troubles]
}

function keyText ({ id, readOnly, noLoginEndpoints, perMinute }: Account['keys'][number]): string {
  const limits = [
    readOnly ? 'read-only' : '',
    noLoginEndpoints ? 'no login endpoints' : '',
    perMinute === undefined ? '' : `${perMinute} a minute`
  ]
    .filter((text) => text !== '')
  return limits.length === 0 ? id : `${id} (${limits.join(', ')})`
}
