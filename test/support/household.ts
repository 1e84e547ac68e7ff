/** A household: people of the demo as stored accounts of a relay. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createUserInfo } from '../../config/user-info.ts'
import { openAccounts, type Accounts } from '../../src/accounts/accounts.ts'
import { checkUserInfo } from '../../src/core/config.ts'
import { tuning } from '../../src/core/tuning.ts'
import { demoFor } from './helper.ts'

export const people = ['ordinary', 'member', 'partner', 'child'] as const
export type Person = typeof people[number]

export type Household = Awaited<ReturnType<typeof household>>

const quiet = (): void => {}

/** Stores the demo's people as accounts. */
export async function household (t: Test) {
  const demo = await demoFor(t)
  const folder = mkdtempSync(join(tmpdir(), 'music-relay-household-'))
  t.teardown(() => { rmSync(folder, { recursive: true }) })
  const accounts: Accounts = await openAccounts({ folder, userInfo: createUserInfo(folder, checkUserInfo), secret: '', renew: false, now: Date.now, tuning, log: { info: quiet, warn: quiet, error: quiet }, renewLogin: async () => { throw new Error('not here') } })
  t.teardown(async () => { await accounts.close() })
  const secrets = {} as Record<Person, string>
  for (const { name, cookie, uin } of demo.accounts) if (people.includes(name as Person)) secrets[name as Person] = await accounts.save(name, { loginUin: uin, cookie }) ?? ''
  return { demo, accounts, secrets }
}
