/** What the doctor says about stored accounts: out of their files, and of the provider. Renews and writes nothing. */
import { dirname } from 'node:path'
import type { LoginFile } from '../accounts/loginFiles.ts'
import { accountOf, renewalFactsOf, type RenewalFacts } from '../accounts/record.ts'
import { fileStatusOf, type FileStatus } from '../accounts/status.ts'
import { inShell, isReadableByOthers, unwritable, unwritableInWords } from '../common/fileAccess.ts'
import { spanOf } from '../common/spans.ts'
import { defaultAccount } from '../relay/accountBook.ts'
import type { Settings } from '../relay/settings.ts'
import { inColumns } from '../doctor/table.ts'
import { loginInWords, type CheckLogin, type LoginState } from './loginCommand.ts'
import { loginFilesOf } from './storedAccounts.ts'

export interface AccountReport {
  readonly account: string
  readonly state: FileStatus['state']
  /** When its key expires, Unix seconds. Absent if that is not known. */
  readonly expiresAt?: number
  /** What the provider says of it. Absent if nobody asked, or if it did not say. */
  readonly login?: LoginState
  /** Names and numbers of the data for its renewal. Absent if there is none. */
  readonly renewal?: RenewalFacts
  /** What is wrong and what to do about it. Empty: nothing. */
  readonly problems: readonly string[]
}

/** Returns a report on every stored account, by name. `now`: Unix ms. `checkLogin`: asks the provider about a login. */
export async function checkAccounts (
  { folder }: { readonly folder: string },
  settings: Settings,
  now: number,
  checkLogin?: CheckLogin
): Promise<readonly AccountReport[]> {
  const files = loginFilesOf({ folder, settings })
  const unread: AccountReport[] = []
  const found = await files.names().catch((error: Error) => {
    unread.push({ account: 'accounts/', state: 'unreadable', problems: [error.message] })
    return []
  })
  const names = [defaultAccount, ...found].sort()
  return unread.concat(...await Promise.all(names.map(async (name) =>
    await reportOf(name, files.of(name), { renew: settings.renewLogins, now, checkLogin })
  )))
}

async function reportOf (
  name: string,
  file: LoginFile,
  { renew, now, checkLogin }: {
    readonly renew: boolean,
    readonly now: number,
    readonly checkLogin: CheckLogin | undefined
  }
): Promise<AccountReport[]> {
  const exposed = await isReadableByOthers(file.path) ? [`Others on this machine can read it: chmod 600 ${inShell(file.path)}`] : []
  try {
    const login = await file.read()
    if (login === undefined) return []
    const account = accountOf(name, login, now)
    const { state, expiresAt, trouble } = fileStatusOf(account, { renew, now })
    const folder = dirname(file.path)
    const code = renew && account.renewable ? await unwritable(folder) : undefined
    const said = login.cookie === undefined ? undefined : await checkLogin?.(login.cookie)
    // A renewal may still help, and says so if it does not.
    const ended = said?.alive === false && trouble === undefined
    const problems = [
      ...code === undefined ? [] : [unwritableInWords(code, folder)],
      ...ended ? [`the music service does not accept this login any more. Renew it: music-relay accounts renew ${name}`] : [],
      ...trouble === undefined ? [] : [`${trouble.why}. ${trouble.next}`]
    ]
    return [{
      account: name,
      state,
      ...expiresAt === undefined ? {} : { expiresAt },
      ...said === undefined ? {} : { login: said },
      ...login.renewal === undefined ? {} : { renewal: renewalFactsOf(login.renewal) },
      problems: [...problems, ...exposed]
    }]
  } catch (error) {
    // The message names the file and what is wrong with it, never what it holds.
    return [{ account: name, state: 'unreadable', problems: [(error as Error).message, ...exposed] }]
  }
}

/** Returns the reports as lines, below a head. `now`: milliseconds since the epoch. */
export function accountReportLines (reports: readonly AccountReport[], now: number): readonly string[] {
  const asked = reports.some(({ login }) => login !== undefined)
  return inColumns([
    ['account', 'state', 'expires in', ...asked ? ['login', 'subscription'] : [], 'next step'],
    ...reports.flatMap(({ account, state, expiresAt, login, problems: [problem = '', ...more] }) => {
      const cells = [
        account,
        state,
        expiresAt === undefined ? '' : 1000 * expiresAt > now ? spanOf(expiresAt - now / 1000) : 'expired',
        ...asked ? loginInWords(login) : []
      ]
      // A problem often ends with a command, so the next one has a line of its own.
      return [[...cells, problem], ...more.map((next) => [...cells.map(() => ''), next])]
    })
  ])
}
