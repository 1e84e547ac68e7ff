/** What the commands share: their process, the environment besides settings, and what they say about variables. */
import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { variableSet } from '../relay/environment.ts'
import { ConfigError } from '../common/errors.ts'
import { inShell, unwritable } from '../common/fileAccess.ts'
import type { AccountsPlace } from './storedAccounts.ts'
import type { Output } from './screen.ts'

/** Returns the folder of the configuration: that of `CONFIG_DIR`, else `config`. It may not exist. */
export function configFolder (env: NodeJS.ProcessEnv): string {
  const variable = variableSet(env, 'CONFIG_DIR')
  return variable === undefined ? 'config' : env[variable] as string
}

/** Returns the same folder. Throws ConfigError if `CONFIG_DIR` is set and no folder: it may be mistyped. */
export async function existingFolder (env: NodeJS.ProcessEnv): Promise<string> {
  const variable = variableSet(env, 'CONFIG_DIR')
  const folder = configFolder(env)
  if (variable === undefined) return folder
  const wrong = await stat(folder).then(
    (facts) => facts.isDirectory() ? undefined : 'is not a folder. Name the folder of service-config.json',
    ({ code }: NodeJS.ErrnoException) =>
      ['ENOENT', 'ENOTDIR'].includes(code ?? '') ? 'does not exist. Create this folder or correct the variable' : `cannot be read (${code})`
  )
  if (wrong !== undefined) throw new ConfigError(`environment variable ${variable}: ${resolve(folder)} ${wrong}.`)
  return folder
}

/** Throws ConfigError if no file can be written in a folder, which may not exist yet. `refusal`: its message. */
export async function refuseUnwritable (folder: string, refusal: (wrong: string) => string): Promise<void> {
  for (let place = resolve(folder); ; place = dirname(place)) {
    const code = await stat(place).then(
      async (facts) => facts.isDirectory() ? await unwritable(place) : 'not a folder',
      (error: NodeJS.ErrnoException) => error.code
    )
    if (code === undefined) return
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw new ConfigError(refusal(`${place}: ${code}`))
  }
}

/** Returns the text of a file that an option names. Throws ConfigError if it cannot be read. */
export async function textIn (file: string): Promise<string> {
  const bytes = await readFile(file).catch(({ code }: NodeJS.ErrnoException) => {
    throw new ConfigError(`${file} cannot be read (${code}).`)
  })
  // In Windows PowerShell, `> file` writes UTF-16.
  return bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8')
}

/** Returns the name of the variable to change: the one that is set, else the one without prefix. */
export function variableToSet (env: NodeJS.ProcessEnv, name: string): string {
  return variableSet(env, name) ?? name
}

/** Returns what to do if the address or port cannot be listened on. Empty for other errors. */
export function listenHint ({ code, syscall }: NodeJS.ErrnoException, env: NodeJS.ProcessEnv): string {
  const [host, port] = ['HOST', 'PORT'].map((name) => variableToSet(env, name))
  if (code === 'EADDRINUSE') return `. The port is taken: stop the other program or set ${port} (demo-upstream: --port).`
  if (code === 'EACCES' && syscall === 'listen') return `. This port is kept for administrators: set ${port} (demo-upstream: --port), from 1024 on.`
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo') return `. ${host} must be an address of this machine; 0.0.0.0 means all of them.`
  return ''
}

/** Runs a command that collects warnings for its log. If it fails, those that the log did not get go to stderr. */
export async function withWarnings<T> (output: Output, run: (warnings: string[]) => Promise<T>): Promise<T> {
  const warnings: string[] = []
  try {
    return await run(warnings)
  } catch (error) {
    warnings.forEach(warnOn(output))
    throw error
  }
}

export const warnOn = (output: Output) => (message: string): void => { output.write(`music-relay: ${message}\n`) }

/** What a command has from its process. Those that listen, `mcp` and questions use the process itself. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly stdout: Output
  /** Takes progress, warnings and errors. */
  readonly stderr: Output
  /** Sets the exit code of a command that does not fail with an error. */
  ends (code: number): void
  /** Returns a signal that aborts when the user interrupts the command. */
  leavingSignal (): AbortSignal
}

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

export const usual = '2 wrong use, 78 bad configuration, 130 interrupted'

function leavingSignal (): AbortSignal {
  const leaving = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => { leaving.abort() })
  return leaving.signal
}

/** Returns the prefix that makes a proposed command find the same folder of settings. "" for the default one. */
export function commandPrefix (
  { folder, folderVariable = 'CONFIG_DIR' }: Pick<AccountsPlace, 'folder' | 'folderVariable'>
): string {
  return resolve(folder) === resolve('config') ? '' : `${folderVariable}=${inShell(folder)} `
}

/** A command that did not reach its aim for an expected reason, which is not a bug. Its exit code is 1. */
export class Failed extends Error {
  readonly code: string

  constructor (code: string, message: string) {
    super(message)
    this.code = code
  }
}
