/** What the definitions of the commands share. */
import { resolve } from 'node:path'
import type { AccountsPlace } from './openAccounts.ts'

/** The help text below the options of a command: examples and exit codes. */
export const help = (exits: string, ...examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}\nExit codes: ${exits}.`

/** The usual exit codes besides 0 and 1. */
export const usual = '2 wrong use, 78 bad configuration, 130 interrupted'

/** Returns a signal that aborts when the user interrupts the command. */
export function leavingSignal (): AbortSignal {
  const leaving = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => { leaving.abort() })
  return leaving.signal
}

/** Prints a result. */
export function write (text: string): void {
  process.stdout.write(text)
}

/** Returns what a command that a text proposes begins with, so that it finds the same folder of settings. Empty for the default folder. */
export function commandPrefix ({ folder, folderVariable = 'CONFIG_DIR' }: Pick<AccountsPlace, 'folder' | 'folderVariable'>): string {
  return resolve(folder) === resolve('config') ? '' : `${folderVariable}=${folder} `
}
