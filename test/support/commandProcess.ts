/** The command as a process of its own. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { commandLine, emptyFolder } from './command.ts'
import { until } from './helper.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Process {
  readonly child: ChildProcess
  readonly address: string
  /** Output so far. */
  said (): string
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>
}

export interface Start {
  /** A file to run before the command. */
  readonly first?: string
  /** Arguments of the command. */
  readonly args?: readonly string[]
  /** Number of files that the process may open. */
  readonly openFiles?: number
  /** File for its output, or a pipe that nobody reads. The address is then that of `PORT`. */
  readonly output?: number | 'closed'
  /** User of the process. */
  readonly uid?: number | undefined
  /** Its output is a terminal. */
  readonly onTerminal?: boolean
}

/** Makes a terminal. */
export const terminal = '/usr/bin/script'

export interface Ended { readonly code: number | null, readonly out: string, readonly err: string }

/** Runs the command to its end. `stop`: it is asked to end once this matches its output. */
export async function runToEnd (args: readonly string[], env: NodeJS.ProcessEnv = {}, { stop, stdio = ['ignore', 'pipe', 'pipe'] }: { stop?: RegExp, stdio?: StdioOptions } = {}): Promise<Ended> {
  const child = spawn(process.execPath, [...commandLine, ...args], { cwd: root, stdio, env: { PATH: process.env['PATH'], HOME: process.env['HOME'], CONFIG_DIR: emptyFolder, ...env } })
  const heard = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    heard.out += text
    if (stop?.test(heard.out) === true && !child.killed) child.kill('SIGTERM')
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => { heard.err += text })
  const [code] = await once(child, 'close') as [number | null]
  return { code, ...heard }
}

/** Starts the relay as a user does, in front of a demo unless it has one itself, and waits until it listens. */
export async function start (t: Test, origin: string | undefined, env: NodeJS.ProcessEnv = {}, { first, args = [], openFiles, output, uid, onTerminal = false }: Start = {}): Promise<Process> {
  const line = [process.execPath, ...first === undefined ? [] : ['--import', first], ...commandLine, ...args]
  const wrapped = openFiles === undefined ? line : ['sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh', ...line]
  const [program = '', ...words] = onTerminal ? [terminal, '-qefc', wrapped.map((word) => `'${word}'`).join(' '), '/dev/null'] : wrapped
  const child = spawn(program, words, {
    cwd: root,
    ...uid === undefined ? {} : { uid },
    stdio: ['ignore', typeof output === 'number' ? output : 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], SHELL: '/bin/sh', CONFIG_DIR: emptyFolder, HOST: '127.0.0.1', PORT: '0', DOCS: 'false', ...origin === undefined ? {} : { UPSTREAM_ORIGIN: origin }, UPSTREAM_RATE_PER_HOST: '0', SHED_DELAY_MS: '0', ...env }
  })
  t.teardown(() => { child.kill('SIGKILL') })
  let said = ''
  if (output === 'closed') child.stdout?.destroy()
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => { said += text })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  let gone = false
  void ended.then(() => { gone = true })
  const listening = /listening.*?(http:[^\s"]+)[^\n]*\n/
  const told = output === undefined ? undefined : `http://127.0.0.1:${env['PORT']}`
  await until(async () => gone || (told === undefined ? listening.test(said) : await fetch(`${told}/health/live`).then(({ ok }) => ok, () => false)))
  const address = gone ? undefined : told ?? listening.exec(said)?.[1]
  if (address === undefined) throw new Error(`it ended: ${said}`)
  return { child, address, said: () => said, ended }
}
