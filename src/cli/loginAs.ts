/** Stores a finished login as an account of this relay, for `music-relay login --as <name>` and for the page /login. */
import { dirname, join } from 'node:path'
import { userInfoFile } from '../../config/user-info.ts'
import type { LoginRenewal } from '../../schemas/config.ts'
import type { LoginSession } from '../../schemas/login.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { ConfigError, InvalidInput, RelayError } from '../common/errors.ts'
import { writeAdvice, writeAdviceInWords } from '../common/files.ts'
import { defaultAccount, type LoginStorage, type StoredAs } from '../core/accountBook.ts'
import { resolveIdentity } from '../core/identity.ts'
import type { Runtime } from '../core/runtime.ts'
import { whoAmI } from '../endpoints/shared/account.ts'
import { accountDigits } from '../upstream/protocol/credentials.ts'
import { maybe } from '../upstream/reader/read.ts'
import { refuseUnwritable } from './environment.ts'
import { Failed } from './failed.ts'
import type { AccountsPlace, OpenAccounts } from './openAccounts.ts'
import { commandPrefix } from './programParts.ts'

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
    if (name !== defaultAccount && isOfAnother(name, session, accounts)) throw new InvalidInput(`another account of the provider is stored as ${name}. Choose another name, or remove that one first: ${commandPrefix(place)}music-relay accounts remove ${name}`)
    return { file, ...await stored(name, session, renewal, accounts, runtime) }
  } catch (error) {
    const reason = error instanceof RelayError ? error.message : notWritten(error, file)
    throw new Failed('NOT_STORED', `Logged in as ${session.loginUin}, but the login is not stored: ${reason}`)
  }
}

/** Says that the file of a login cannot be written, and what to do. `instead`: what else the user may do. */
export function notWritten (error: unknown, file: string, instead = ''): string {
  const { code } = error as NodeJS.ErrnoException
  return `${file} cannot be written (${code ?? 'failed'}). Correct that${instead}, then log in again. ${writeAdviceInWords(code, dirname(file))}`
}

/** Returns what stores the logins of the page /login in `folder`. */
export function createLoginStorage (accounts: Accounts, folder: string, app: () => { readonly runtime: Runtime }): LoginStorage {
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

/** Whether another person's login has this name. Then it is more likely a mistake than a wish, and the apps of the account would play for somebody else. */
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
  const others = accounts.list().filter((other) => other.name !== name && other.uin === accountDigits(loginUin)).map((other) => other.name)
  return { secret: secret === before ? undefined : secret, others }
}

/** What to do about further accounts with the same number. */
export function othersText (others: readonly string[], place: Pick<AccountsPlace, 'folder' | 'folderVariable'>): string[] {
  const [other] = others
  if (other === undefined) return []
  const removal = other === defaultAccount ? `delete ${join(place.folder, userInfoFile)}` : `${commandPrefix(place)}music-relay accounts remove ${other}`
  return [`The same account is stored as ${others.join(', ')}, too. A renewal of one may end the other: keep one of them. To remove: ${removal}`]
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
