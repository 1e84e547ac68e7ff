/** Commands that end by themselves, such as those about stored accounts, as a script runs them. */
import { Readable } from 'node:stream'
import { runCommand } from '../../src/cli/program.ts'
import type { AccountName } from '../../src/demo/accounts.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { runToEnd, type Ended, type Ending } from './commandProcess.ts'

/** Runs a command. */
export type Run = (args: readonly string[], env: NodeJS.ProcessEnv, how?: Pick<Ending, 'meanwhile'>) => Promise<Ended>

/** Runs all of the command but src/cli.ts in this process: most of a short command is the start of its process. */
const runHere: Run = async (args, env, { meanwhile } = {}) => {
  const heard = { out: '', err: '' }
  let code = 0
  const failed = await runCommand(args, {
    env: { PATH: process.env['PATH'], UPSTREAM_RATE_PER_HOST: '0', ...env },
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
export const run: Run = process.env['COMMAND'] === undefined ? runHere : runToEnd

/** Logs in on the command line; the demo's person confirms as soon as there is a code. */
export async function logIn (
  demo: DemoUpstream, env: NodeJS.ProcessEnv, args: readonly string[], person: AccountName = 'member', by: Run = run
): Promise<Ended> {
  let confirmed = false
  return await by(['login', ...args], env, { meanwhile (err) {
    if (confirmed || !err.includes('Waiting')) return
    confirmed = true
    demo.login.confirm(demo.login.ids('alt').at(-1) ?? '', person)
  } })
}
