/** Runs a command to its end, or until it listens: what is said of its errors, and the exit codes. */
import { CommanderError } from 'commander'
import { ConfigError } from '../common/errors.ts'
import { listenHint } from './environment.ts'
import { createProgram } from './program.ts'
import type { Surroundings } from './programParts.ts'

/** Exit codes: 0 success, 1 failure or crash, 2 wrong usage, 78 bad configuration, 130 interrupted. */
const badConfiguration = 78
const wrongUse = 2

/**
 * Runs the command with these arguments. Returns the exit code with which the process is to end at once: after an error, wrong use, help or
 * version. Undefined: it ends by itself when nothing is left to do.
 */
export async function runCommand (args: readonly string[], around: Surroundings): Promise<number | undefined> {
  try {
    await createProgram(around).parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUse
    around.stderr.write(`music-relay: ${error instanceof Error ? `${error.message}${listenHint(error, around.env)}` : 'failed'}\n`)
    return error instanceof ConfigError ? badConfiguration : 1
  }
}
