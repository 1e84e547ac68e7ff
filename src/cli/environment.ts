/** What the commands read from the environment besides settings, the folder that it names, and what they say about variables. */
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { variableSet } from '../core/environment.ts'
import { ConfigError } from '../common/errors.ts'
import { unwritable } from '../common/files.ts'
import type { Output } from './screen.ts'

/** Returns the folder of the configuration: that of `CONFIG_DIR`, else `config`. It may not exist. */
export function configFolder (env: NodeJS.ProcessEnv): string {
  const variable = variableSet(env, 'CONFIG_DIR')
  return variable === undefined ? 'config' : env[variable] as string
}

/** Returns the same folder. Throws ConfigError if `CONFIG_DIR` is set and is no folder: a mistyped one would mean the defaults. */
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

/** Throws ConfigError if no file can be written in a folder, which may not exist yet. `refusal`: the message, for the place and what is wrong with it. */
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

/** Returns the name of the variable to change: the one that is set, else the one without prefix. */
export function variableToSet (env: NodeJS.ProcessEnv, name: string): string {
  return variableSet(env, name) ?? name
}

/** Returns what to do if the address or port cannot be listened on. Empty for other errors. */
export function listenHint ({ code, syscall }: NodeJS.ErrnoException, env: NodeJS.ProcessEnv): string {
  const [host, port] = ['HOST', 'PORT'].map((name) => variableToSet(env, name))
  if (code === 'EADDRINUSE') return `. The port is taken: stop the other program or set ${port} (demo-upstream: --port).`
  if (code === 'EACCES' && syscall === 'listen') return `. This port is kept for administrators: set ${port}, from 1024 on.`
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo') return `. ${host} must be an address of this machine; 0.0.0.0 means all of them.`
  return ''
}

/**
 * Runs a command that collects warnings for its log. If it fails, the warnings that the log did not get go to stderr:
 * a misspelt variable is often the reason.
 */
export async function withWarnings<T> (output: Output, run: (warnings: string[]) => Promise<T>): Promise<T> {
  const warnings: string[] = []
  try {
    return await run(warnings)
  } catch (error) {
    warnings.forEach(warnOn(output))
    throw error
  }
}

/** Returns what prints warnings on this output. */
export const warnOn = (output: Output) => (message: string): void => { output.write(`music-relay: ${message}\n`) }
