/** The stored accounts of a relay that listens, or of a command: their logins are renewed by its own upstream client. */
import { openAccounts, type Accounts, type AccountsOptions } from '../accounts/accounts.ts'
import type { Settings } from '../core/config.ts'
import type { Runtime } from '../core/runtime.ts'
import { tuning } from '../core/tuning.ts'

/** How long an instance may take to renew an account before another one may, in milliseconds: every form of every record. */
const renewalLockMs = 10 * tuning.loginDeadlineMs

/** What renews logins. */
export interface Renewing extends Pick<Runtime, 'lock'> { readonly logins: Pick<Runtime['logins'], 'renew'> }

/**
 * What is needed. `renew`: false for an upstream that is not the one of the accounts. `app`: what has the runtime, once it exists. `now`:
 * default `Date.now`.
 */
export interface StoredAccountsOptions
  extends Pick<AccountsOptions, 'folder' | 'userInfo' | 'log' | 'attempted'>, Partial<Pick<AccountsOptions, 'now' | 'upkeep'>> {
  readonly settings: Pick<Settings, 'accountsSecret' | 'renewLogins' | 'upstreamOrigin'>
  readonly renew: boolean
  readonly app: () => { readonly runtime: Renewing }
}

/** Opens the accounts of a folder. Renewals begin with `start`. */
export async function openStoredAccounts ({ settings, renew, app, ...options }: StoredAccountsOptions): Promise<Accounts> {
  return await openAccounts({
    now: Date.now,
    ...options,
    tuning,
    secret: settings.accountsSecret,
    origin: settings.upstreamOrigin,
    renew: renew && settings.renewLogins,
    renewLogin: async (record) => await app().runtime.logins.renew(record),
    lock: async (uin) => await app().runtime.lock?.(`renewal of ${uin}`, renewalLockMs)
  })
}
