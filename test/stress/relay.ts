/**
 * The relay under load, in a process of its own: `relay.ts <settings as JSON> <module of buildApp>`. Sends its address, behind
 * which the secrets of `household` accounts follow, then its size on request.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Accounts } from '../../src/accounts/accounts.ts'
import type * as App from '../../src/app.ts'
import { listen } from '../../src/cli/serve.ts'
import { demoAccounts } from '../../src/demo/accounts.ts'
import { serve } from '../bench/children.ts'
import { keptAccounts } from '../support/accountsHelper.ts'

/** Size of a process: MB after a garbage collection, most MB since the previous measurement, open files. Linux only. */
export interface Size { readonly rss: number, readonly peak: number, readonly files: number }

// The loader of this file turns them on. For the first error whose stack anybody reads, that of the whole command would
// be parsed: 300 ms in which nobody is answered.
process.setSourceMapsEnabled(false)

const [, , settings = '{}', module = ''] = process.argv
const { household = 0, ...given } = JSON.parse(settings) as { readonly household?: number }
const { accounts, secrets } = household === 0 ? { accounts: undefined, secrets: [] } : await householdOf(household)
const { buildApp } = await import(new URL(`../../${module}`, import.meta.url).href) as typeof App
const app = await buildApp({
  docs: false, upstreamRatePerHost: 0, logTo: { write () {} }, ...accounts === undefined ? {} : { accounts }, ...given
})
const host = '127.0.0.1'
const address = `http://${host}:${await listen(app, { host, port: 0 })}`

/** Accounts that are all the same login of the demo, which has ten thousand liked songs. */
async function householdOf (count: number): Promise<{
  readonly accounts: Accounts, readonly secrets: readonly string[]
}> {
  const folder = mkdtempSync(join(tmpdir(), 'stress-'))
  process.once('exit', () => { rmSync(folder, { recursive: true, force: true }) })
  const stored = await keptAccounts(folder)
  const cookie = demoAccounts().find(({ name }) => name === 'member')?.cookie ?? ''
  const named = Array.from({ length: count }, (_, at) => `member-${at}`)
  return { accounts: stored, secrets: await Promise.all(
    named.map(async (name) => await stored.save(name, { loginUin: '1', cookie }) ?? '')
  ) }
}

async function size (): Promise<Size> {
  const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) / 1024
  for (let round = 0; round < 3; round++) {
    (globalThis as { gc?: () => void }).gc?.()
    await sleep(50)
  }
  writeFileSync('/proc/self/clear_refs', '5') // resets the peak
  return { rss: process.memoryUsage().rss / 1024 / 1024, peak, files: readdirSync('/proc/self/fd').length }
}

serve(size, [address, ...secrets].join('#'))
