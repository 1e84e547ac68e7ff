#!/usr/bin/env node
/** The command line. Here and in src/cli is all that listens, reads the environment or handles signals. */
import module from 'node:module'

// From Node 22.1 on, the second start finds compiled code where the first has left it; below the folder for passing files, if that can be written to.
;(module as { enableCompileCache?: () => unknown }).enableCompileCache?.()
const [{ createProgram }, { ConfigError }] = [await import('./cli/program.ts'), await import('./config.ts')]

/** Exit codes: 0 done, 1 failed or crashed, 2 wrong use, 78 bad configuration, 130 interrupted. */
const badConfiguration = 78
const wrongUse = 2

/** What to do about a place to listen that cannot be had. */
function hintOf ({ code, syscall }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return '. The port is taken: stop the other program or set PORT (demo-upstream: --port).'
  if (code === 'EACCES' && syscall === 'listen') return '. This port is kept for administrators: set PORT, from 1024 on.'
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo') return '. HOST must be an address of this machine; 0.0.0.0 means all of them.'
  return ''
}

// Who reads only the first lines, as `head` does, has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`music-relay: the output cannot be written (${error.code}).\n`)
  process.exit(1)
})
// Progress that nobody can see is no reason to stop.
process.stderr.on('error', () => {})

try {
  await createProgram((error) => process.exit(error.exitCode !== 0 ? wrongUse : process.stdout.errored === null ? 0 : 1)).parseAsync()
} catch (error) {
  process.stderr.write(`music-relay: ${error instanceof Error ? `${error.message}${hintOf(error)}` : 'failed'}\n`)
  process.exit(error instanceof ConfigError ? badConfiguration : 1)
}
