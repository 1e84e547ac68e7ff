/** A household: people of the demo as stored accounts of a relay. */
import type { Test } from 'tap'
import { folderFor, keptAccounts } from './accountsHelper.ts'
import { demoFor } from './helper.ts'

export const people = ['ordinary', 'member', 'partner', 'child'] as const
export type Person = typeof people[number]

export type Household = Awaited<ReturnType<typeof household>>

/** Stores the demo's people as accounts. */
export async function household (t: Test) {
  const demo = await demoFor(t)
  const accounts = await keptAccounts(folderFor(t))
  t.teardown(async () => { await accounts.close() })
  const secrets = {} as Record<Person, string>
  for (const { name, cookie, uin } of demo.accounts) if (people.includes(name as Person)) secrets[name as Person] =
    await accounts.save(name, { loginUin: uin, cookie }) ?? ''
  return { demo, accounts, secrets }
}
