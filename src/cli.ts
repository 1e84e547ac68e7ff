#!/usr/bin/env node
/** The command line. Here and in src/cli is all that listens, reads the environment or handles signals. */
import { createProgram } from './cli/program.ts'
import { ConfigError } from './config.ts'

/** Exit codes: 0 done, 1 failed or crashed, 2 wrong use, 78 bad configuration, 130 interrupted. */
const badConfiguration = 78
const wrongUse = 2

try {
  await createProgram((error) => process.exit(error.exitCode === 0 ? 0 : wrongUse)).parseAsync()
} catch (error) {
  const code = (error as NodeJS.ErrnoException).code
  const hint = code === 'EADDRINUSE' ? ' The port is taken: stop the other program or set PORT.' : ''
  process.stderr.write(`music-relay: ${error instanceof Error ? error.message : 'failed'}${hint}\n`)
  process.exit(error instanceof ConfigError ? badConfiguration : 1)
}
