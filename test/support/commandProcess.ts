/** The command as a process of its own. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { until } from './helper.ts'
import { programLine } from './program.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

const built = process.env['COMMAND']
/** Arguments that start the command: the file named in COMMAND, such as the built dist/cli.js, or from its sources. */
export const commandLine: readonly string[] = built === undefined ? programLine('src/cli.ts') : [built]

/** A folder of the repository without settings and login. `config` may hold those of a developer. */
export const emptyFolder = 'schemas'

/** Makes a terminal. */
export const terminal = '/usr/bin/script'

/** A program that runs. */
export interface Spawned {
  readonly child: ChildProcess
  /** Output so far: standard output, standard error, and both in the order of their arrival. */
  out (): string
  err (): string
  said (): string
  /** Resolves to what the output says of this, once it does. Rejects if the program ends before. */
  says (pattern: RegExp): Promise<string>
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>
  /** Asks it to end. Resolves to the exit code. */
  stop (signal?: NodeJS.Signals): Promise<number | null>
}

export interface Process extends Spawned { readonly address: string }

/** Starts a program, in the folder of the project. It ends with the test, at the latest. */
export function spawned (
  t: Pick<Test, 'teardown'> | undefined, [program = '', ...args]: readonly string[], options: SpawnOptions = {}
): Spawned {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options })
  // A program with processes of its own must be asked to end, or they stay.
  t?.teardown(() => { child.kill(options.killSignal ?? 'SIGKILL') })
  const heard = { out: '', err: '', said: '' }
  const take = (name: 'out' | 'err') => (text: string): void => {
    heard[name] += text
    heard.said += text
  }
  child.stdout?.setEncoding('utf8').on('data', take('out'))
  child.stderr?.setEncoding('utf8').on('data', take('err'))
  let gone = false
  const ended = once(child, 'close').then(([code]) => {
    gone = true
    return code as number | null
  })
  return {
    child,
    out: () => heard.out,
    err: () => heard.err,
    said: () => heard.said,
    async says (pattern) {
      await until(() => gone || pattern.test(heard.said))
      const found = pattern.exec(heard.said)
      if (found === null) throw new Error(`it ended: ${heard.said}`)
      return found[0]
    },
    ended,
    async stop (signal = 'SIGTERM') {
      child.kill(signal)
      return await ended
    }
  }
}

export interface Ended { readonly code: number | null, readonly out: string, readonly err: string }

/** How a command that ends by itself is run. */
export interface Ending extends Pick<SpawnOptions, 'stdio' | 'uid'> {
  /** It is asked to end once this matches its output. */
  readonly stop?: RegExp
  /** Gets what standard error says so far. */
  readonly meanwhile?: ((err: string) => void) | undefined
}

/** Runs the command to its end. */
export async function runToEnd (
  args: readonly string[], env: NodeJS.ProcessEnv = {}, { stop, meanwhile, ...options }: Ending = {}
): Promise<Ended> {
  const { PATH, HOME } = process.env
  const own = { PATH, HOME, CONFIG_DIR: emptyFolder, UPSTREAM_RATE_PER_HOST: '0', ...env }
  const { child, out, err, ended } =
    spawned(undefined, [process.execPath, ...commandLine, ...args], { ...options, env: own })
  child.stdout?.on('data', () => { if (stop?.test(out()) === true && !child.killed) child.kill('SIGTERM') })
  child.stderr?.on('data', () => { meanwhile?.(err()) })
  return { code: await ended, out: out(), err: err() }
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

/** Starts the relay as a user does, in front of a demo unless it has one itself, and waits until it listens. */
export async function start (
  t: Test, origin: string | undefined, env: NodeJS.ProcessEnv = {},
  { first, args = [], openFiles, output, uid, onTerminal = false }: Start = {}
): Promise<Process> {
  const line = [process.execPath, ...first === undefined ? [] : ['--import', first], ...commandLine, ...args]
  const limited = openFiles === undefined ? line : ['sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh', ...line]
  const relay = spawned(t, onTerminal ? [
    terminal, '-qefc', limited.map((word) => `'${word}'`).join(' '), '/dev/null'
  ] : limited, {
    ...uid === undefined ? {} : { uid },
    stdio: ['ignore', typeof output === 'number' ? output : 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'], SHELL: '/bin/sh', CONFIG_DIR: emptyFolder, HOST: '127.0.0.1', PORT: '0', DOCS: 'false',
      ...origin === undefined ? {} : { UPSTREAM_ORIGIN: origin }, UPSTREAM_RATE_PER_HOST: '0', SHED_DELAY_MS: '0',
      ...env
    }
  })
  if (output === 'closed') relay.child.stdout?.destroy()
  if (output === undefined) {
    return { ...relay, address: /http:[^\s"]+/.exec(await relay.says(/listening.*?http:[^\s"]+[^\n]*\n/))?.[0] ?? '' }
  }
  const address = `http://127.0.0.1:${env['PORT']}`
  const lives = async (): Promise<boolean> => await fetch(`${address}/health/live`).then(({ ok }) => ok, () => false)
  let gone = false
  void relay.ended.then(() => { gone = true })
  await until(async () => gone || await lives())
  if (gone) throw new Error(`it ended: ${relay.said()}`)
  return { ...relay, address }
}
