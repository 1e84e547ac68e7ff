/** What the definitions of the commands share. */
import { resolve } from 'node:path'
import type { AccountsPlace } from './openAccounts.ts'
import type { Output } from './screen.ts'

/** What a command has from its process. The commands that listen, `mcp` and questions on a terminal use the process itself. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  /** Takes results. */
  readonly stdout: Output
  /** Takes progress, warnings and errors. */
  readonly stderr: Output
  /** Sets the exit code of a command that does not fail with an error. */
  ends (code: number): void
  /** Returns a signal that aborts when the user interrupts the command. */
  leavingSignal (): AbortSignal
}

/** Returns those of this process. */
export const ownSurroundings = (): Surroundings => ({
  env: process.env,
  // Opened on use.
  get stdin () { return process.stdin },
  stdout: process.stdout,
  stderr: process.stderr,
  ends: (code) => { process.exitCode = code },
  leavingSignal
})

/** The help text below the options of a command: examples and exit codes. */
export const help = (exits: string, ...examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}\nExit codes: ${exits}.`

/** The usual exit codes besides 0 and 1. */
export const usual = '2 wrong use, 78 bad configuration, 130 interrupted'

function leavingSignal (): AbortSignal {
  const leaving = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => { leaving.abort() })
  return leaving.signal
}

/** Returns what a command that a text proposes begins with, so that it finds the same folder of settings. Empty for the default folder. */
export function commandPrefix ({ folder, folderVariable = 'CONFIG_DIR' }: Pick<AccountsPlace, 'folder' | 'folderVariable'>): string {
  return resolve(folder) === resolve('config') ? '' : `${folderVariable}=${folder} `
}
