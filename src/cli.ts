#!/usr/bin/env node
/** The command line. Only this file, src/cli and the demo read the environment, handle signals or listen. */
import module from 'node:module'

// Otherwise Node would open its inspector, and with it the memory and its cookies, to everything on this machine.
process.on('SIGUSR1', () => {})

// Node 22.1 and later cache compiled code in the temporary folder, if it is writable. The second start is then faster.
;(module as { enableCompileCache?: () => unknown }).enableCompileCache?.()
const { runCommand } = await import('./cli/program.ts')

// A reader such as `head` closes the pipe early. That is success.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`music-relay: the output cannot be written (${error.code}).\n`)
  process.exit(1)
})
// A closed stderr only hides progress messages. The command goes on.
process.stderr.on('error', () => {})

const code = await runCommand(process.argv.slice(2))
// The help may not have been written.
if (code !== undefined) process.exit(code === 0 && process.stdout.errored !== null ? 1 : code)
