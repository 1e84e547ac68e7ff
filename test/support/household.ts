/** A household: people of the demo as stored accounts of a relay. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createUserInfo } from '../../config/user-info.ts'
import { openAccounts } from '../../src/accounts/accounts.ts'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { checkUserInfo } from '../../src/core/config.ts'
import { tuning } from '../../src/core/tuning.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { demoFor } from './helper.ts'

export const people = ['ordinary', 'member', 'partner', 'child'] as const
export type Person = typeof people[number]

export interface Household { readonly demo: DemoUpstream, readonly accounts: Accounts, readonly secrets: Readonly<Record<Person, string>> }

/** Stores the demo's people as accounts. */
export async function household (t: Test): Promise<Household> {
  const demo = await demoFor(t)
  const folder = mkdtempSync(join(tmpdir(), 'music-relay-household-'))
  t.teardown(() => { rmSync(folder, { recursive: true }) })
  const quiet = (): void => {}
  const accounts = await openAccounts({ folder, userInfo: createUserInfo(folder, checkUserInfo), secret: '', renew: false, now: Date.now, tuning, log: { info: quiet, warn: quiet, error: quiet }, renewLogin: async () => { throw new Error('not here') } })
  t.teardown(async () => { await accounts.close() })
  const secrets: Partial<Record<Person, string>> = {}
  for (const name of people) {
    const { cookie, uin } = demo.accounts.find((account) => account.name === name) as { cookie: string, uin: string }
    secrets[name] = await accounts.save(name, { loginUin: uin, cookie }) ?? ''
  }
  return { demo, accounts, secrets: secrets as Record<Person, string> }
}
