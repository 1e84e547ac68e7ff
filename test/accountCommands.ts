/** The commands about stored accounts, as a script runs them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AccountName } from '../src/demo/accounts.ts'
import type { DemoUpstream } from '../src/demo/upstream.ts'
import { commandLine } from './command.ts'
import { root } from './commandProcess.ts'

export interface Ended { readonly code: number | null, readonly out: string, readonly err: string }

/** Runs the command as a script does. `meanwhile` gets what stderr says so far. */
export async function run (args: readonly string[], env: NodeJS.ProcessEnv, meanwhile?: (err: string) => void, uid?: number): Promise<Ended> {
  const child = spawn(process.execPath, [...commandLine, ...args], { cwd: root, ...uid === undefined ? {} : { uid }, stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], UPSTREAM_RATE_PER_HOST: '0', ...env } })
  const heard = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => { heard.out += text })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.err += text
    meanwhile?.(heard.err)
  })
  const [code] = await once(child, 'close') as [number | null]
  return { code, ...heard }
}

/** Logs in on the command line; the demo's person confirms as soon as there is a code. */
export async function logIn (demo: DemoUpstream, env: NodeJS.ProcessEnv, args: readonly string[], person: AccountName = 'member'): Promise<Ended> {
  let confirmed = false
  return await run(['login', ...args], env, (err) => {
    if (confirmed || !err.includes('Waiting')) return
    confirmed = true
    demo.login.confirm(demo.login.ids('alt').at(-1) ?? '', person)
  })
}
