#!/usr/bin/env node
/** The command line. Only this file and src/cli read the environment, handle signals or listen, besides the demo upstream. */
import module from 'node:module'

// Otherwise Node would open its inspector, and with it the memory and its cookies, to everything on this machine.
process.on('SIGUSR1', () => {})

// Node 22.1 and later cache compiled code in the temporary folder, if it is writable. The second start is then faster.
;(module as { enableCompileCache?: () => unknown }).enableCompileCache?.()
const [{ createProgram }, { listenHint }, { ConfigError }] = [
  await import('./cli/program.ts'),
  await import('./cli/environment.ts'),
  await import('./common/errors.ts')
]

/** Exit codes: 0 success, 1 failure or crash, 2 wrong usage, 78 bad configuration, 130 interrupted. */
const badConfiguration = 78
const wrongUse = 2

// A reader such as `head` closes the pipe early. That is success.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`music-relay: the output cannot be written (${error.code}).\n`)
  process.exit(1)
})
// A closed stderr only hides progress messages. The command goes on.
process.stderr.on('error', () => {})

try {
  await createProgram((error) => process.exit(error.exitCode !== 0 ? wrongUse : process.stdout.errored === null ? 0 : 1)).parseAsync()
} catch (error) {
  process.stderr.write(`music-relay: ${error instanceof Error ? `${error.message}${listenHint(error, process.env)}` : 'failed'}\n`)
  process.exit(error instanceof ConfigError ? badConfiguration : 1)
}
