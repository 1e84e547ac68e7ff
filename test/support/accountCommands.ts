/** Commands that end by themselves, such as those about stored accounts, as a script runs them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { runCommand } from '../../src/cli/program.ts'
import type { AccountName } from '../../src/demo/accounts.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { commandLine } from './command.ts'
import { root } from './commandProcess.ts'

export interface Ended { readonly code: number | null, readonly out: string, readonly err: string }

/** Runs a command. `meanwhile` gets what stderr says so far. */
export type Run = (args: readonly string[], env: NodeJS.ProcessEnv, meanwhile?: (err: string) => void) => Promise<Ended>

const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], UPSTREAM_RATE_PER_HOST: '0', ...env })

/** Runs the command in a process of its own. `uid`: the user of the process. */
export async function runProcess (args: readonly string[], env: NodeJS.ProcessEnv, meanwhile?: (err: string) => void, uid?: number): Promise<Ended> {
  const child = spawn(process.execPath, [...commandLine, ...args], { cwd: root, ...uid === undefined ? {} : { uid }, stdio: ['ignore', 'pipe', 'pipe'], env: environment(env) })
  const heard = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => { heard.out += text })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.err += text
    meanwhile?.(heard.err)
  })
  const [code] = await once(child, 'close') as [number | null]
  return { code, ...heard }
}

/** Runs all of the command but src/cli.ts in this process: most of a short command is the start of its process. */
const runHere: Run = async (args, env, meanwhile) => {
  const heard = { out: '', err: '' }
  let code = 0
  const failed = await runCommand(args, {
    env: environment(env),
    stdin: Readable.from([]),
    stdout: { write: (text) => { heard.out += text } },
    stderr: { write (text) {
      heard.err += text
      meanwhile?.(heard.err)
    } },
    ends: (given) => { code = given },
    leavingSignal: () => new AbortController().signal
  })
  return { code: failed ?? code, ...heard }
}

/** Runs the command in this process, or the built one that COMMAND names. */
export const run: Run = process.env['COMMAND'] === undefined ? runHere : runProcess

/** Logs in on the command line; the demo's person confirms as soon as there is a code. */
export async function logIn (demo: DemoUpstream, env: NodeJS.ProcessEnv, args: readonly string[], person: AccountName = 'member', by: Run = run): Promise<Ended> {
  let confirmed = false
  return await by(['login', ...args], env, (err) => {
    if (confirmed || !err.includes('Waiting')) return
    confirmed = true
    demo.login.confirm(demo.login.ids('alt').at(-1) ?? '', person)
  })
}
