/** `music-relay login --as <name>`: stores a finished login as an account of this relay. */
import { join } from 'node:path'
import type { LoginRenewal } from '../../schemas/config.ts'
import type { LoginSession } from '../../schemas/login.ts'
import { RelayError } from '../common/errors.ts'
import { defaultAccount } from '../core/accountBook.ts'
import { resolveIdentity } from '../core/identity.ts'
import type { Runtime } from '../core/runtime.ts'
import { whoAmI } from '../endpoints/shared/account.ts'
import { accountDigits } from '../upstream/protocol/credentials.ts'
import { maybe } from '../upstream/reader/read.ts'
import { Failed } from './failed.ts'
import type { AccountsPlace, OpenAccounts } from './openAccounts.ts'

/** A login that is stored as an account. */
export interface StoredAs {
  readonly file: string
  /** The secret, if it is new: it is shown once. */
  readonly secret: string | undefined
  /** Other accounts of the relay with the same account number. */
  readonly others: readonly string[]
}

/** Stores a login under this name. Throws Failed if that is not possible. */
export async function storeLogin (name: string, { loginUin, cookie }: LoginSession, renewal: LoginRenewal | undefined, { accounts }: OpenAccounts, { folder }: AccountsPlace, runtime: Runtime): Promise<StoredAs> {
  const file = join(folder, 'accounts', `${name}.json`)
  const before = accounts.secretOf(name)
  const nickname = await nicknameOf(cookie, runtime)
  let secret: string | undefined
  try {
    secret = await accounts.save(name, { loginUin, cookie, ...renewal === undefined ? {} : { renewal }, nickname })
  } catch (error) {
    const reason = error instanceof RelayError ? error.message : `${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'failed'}). Make it writable, then log in again.`
    throw new Failed('NOT_STORED', `Logged in as ${loginUin}, but the login is not stored: ${reason}`)
  }
  const others = accounts.list().filter((other) => other.name !== name && other.uin === accountDigits(loginUin)).map((other) => other.name)
  return { file, secret: secret === before ? undefined : secret, others }
}

/** What to do about further accounts with the same number. */
export function othersText (others: readonly string[]): string[] {
  const [other] = others
  if (other === undefined) return []
  return [`The same account is stored as ${others.join(', ')}, too. A renewal of one may end the other: keep one of them.${other === defaultAccount ? '' : ` To remove: music-relay accounts remove ${other}`}`]
}

/** The name that the account shows to others; undefined if the upstream does not say it at once. */
async function nicknameOf (cookie: string, runtime: Runtime): Promise<string | undefined> {
  const { credential } = resolveIdentity({ query: cookie }, { ...runtime.settings, fallbackMode: true })
  const upstream = runtime.upstream.forRequest({ credential })
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

/** Longest nickname that is stored. */
const mostLetters = 60
