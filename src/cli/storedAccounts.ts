/** The stored accounts of a relay that listens: their logins are renewed by the relay's own upstream client. */
import type { FastifyInstance } from 'fastify'
import { openAccounts } from '../accounts/accounts.ts'
import type { Accounts, AccountsOptions } from '../accounts/accounts.ts'
import type { Settings } from '../core/config.ts'
import { tuning } from '../core/tuning.ts'

/** How long an instance may take to renew an account before another one may, in milliseconds: every form of every record. */
const renewalTurnMs = 10 * tuning.loginDeadlineMs

/** What is needed. `renew`: false for an upstream that is not the one of the accounts. `app`: the server, once it exists. */
export interface StoredAccountsOptions extends Pick<AccountsOptions, 'folder' | 'userInfo' | 'log'> {
  readonly settings: Pick<Settings, 'accountsSecret' | 'renewLogins'>
  readonly renew: boolean
  readonly app: () => FastifyInstance
}

/** Opens the accounts of a folder. Renewals begin with `start`. */
export async function openStoredAccounts ({ settings, renew, app, ...options }: StoredAccountsOptions): Promise<Accounts> {
  return await openAccounts({
    ...options,
    tuning,
    secret: settings.accountsSecret,
    renew: renew && settings.renewLogins,
    now: Date.now,
    renewLogin: async (record) => await app().runtime.logins.renew(record),
    takeTurn: async (uin) => await app().runtime.takeTurn?.(`renewal of ${uin}`, renewalTurnMs)
  })
}
