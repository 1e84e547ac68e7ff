/** Starts real servers for the tests of several instances: relays in processes of their own, a store, a proxy. */
import { accessSync, constants, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openStore } from '../../src/cache/redis.ts'
import { root, spawned, type Spawned } from './commandProcess.ts'
import { until } from './helper.ts'
import { listening } from './listening.ts'
import { programLine } from './program.ts'
import { freePort } from './freePort.js'

/** Path of a program. Also searches the folders of system programs, which are often only in the PATH of root. */
export function programOf (name: string): string | undefined {
  return [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/sbin', '/usr/bin'].map((folder) =>
    join(folder, name)).find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** The missing programs, as the reason to skip a test. False if none is missing. */
export function without (...names: string[]): string | false {
  const missing = names.filter((name) => programOf(name) === undefined)
  return missing.length > 0 && `not installed here: ${missing.join(', ')}`
}

const answers = async (port: number): Promise<boolean> => await new Promise((resolve) => {
  const socket = connect(port, '127.0.0.1', () => { socket.destroy(); resolve(true) })
  socket.on('error', () => { resolve(false) })
})

interface Running extends Spawned { end (signal?: NodeJS.Signals): Promise<void> }

/** Starts a program. `last` is the signal that ends it with all its children. */
function run (t: Test, line: readonly string[], env = process.env, last: NodeJS.Signals = 'SIGKILL'): Running {
  const running = spawned(undefined, line, { env })
  const end = async (signal = last): Promise<void> => {
    running.child.kill('SIGCONT')
    await running.stop(signal)
  }
  t.teardown(async () => { await end() })
  return { ...running, end }
}

export interface Instance extends Running { readonly address: string }

/** Starts a relay in a process of its own. Its settings are environment variables, as for the command. */
export async function startInstance (
  t: Test, upstream: string, env: Record<string, string>,
  program: readonly string[] = programLine('test/support/instance.ts')
): Promise<Instance> {
  const running = run(t, [process.execPath, ...program], {
    PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', CONFIG_DIR: tmpdir(), LOG_LEVEL: 'silent', DOCS: 'false',
    PAGES: 'false', SHED_DELAY_MS: '0', UPSTREAM_ORIGIN: upstream, IMAGE_ORIGIN: upstream, ...env
  })
  return { ...running, address: (await running.says(/(?<=listening\s+)http:\S+/)) }
}

export interface Store extends Running { readonly url: string, readonly port: number }

/** Starts an empty store. `port` restarts one that ended. */
export async function startStore (t: Test, port?: number, settings: readonly string[] = []): Promise<Store> {
  const own = port ?? await freePort()
  const bare = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', tmpdir()]
  const running = run(t, [programOf('redis-server') as string, '--port', String(own), ...bare, ...settings])
  await until(async () => await answers(own))
  return { ...running, port: own, url: `redis://127.0.0.1:${own}` }
}

export const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`

/** A fake store. `answer` gets each command and what follows it, and returns what is sent, if anything. `seen`: commands and connections so far. */
export async function fakeStore (
  t: Test, answer: (command: string, socket: Socket, place: string) => string | Buffer | undefined | void
): Promise<{ url: string, seen: string[] }> {
  const seen: string[] = []
  const server = createServer((socket) => {
    seen.push('connection')
    socket.on('data', (bytes) => {
      for (const [, command = '', place = ''] of bytes.toString('latin1').matchAll(
        /(?<=^|\r\n)\*\d+\r\n\$\d+\r\n(\w+)\r\n(?:\$\d+\r\n([^\r]*)\r\n)?/g
      )) {
        const name = command.toLowerCase()
        const said = answer(name, socket, place)
        seen.push(name)
        if (said !== undefined && socket.writable) {
          socket.write(typeof said === 'string' ? Buffer.from(said, 'latin1') : said)
        }
      }
    })
  })
  return { url: (await listening(t, server)).replace('http', 'redis'), seen }
}

/** The store of a relay, closed after the test. */
export async function openedStore (
  t: Test, url: string, secret = 'of the instances', log: Parameters<typeof openStore>[1] = { warn () {}, info () {} }
): ReturnType<typeof openStore> {
  const store = await openStore({ url, secret, timeoutMs: 10_000 }, log)
  t.teardown(async () => { await store.close() })
  return store
}

/** Starts a proxy with the documented configuration, in which only the addresses are replaced. `bare`: it adds no header. Caddy has one instance behind it. */
export async function startProxy (
  t: Test, name: 'haproxy' | 'nginx' | 'caddy', instances: readonly [Instance, Instance], bare = false
): Promise<{ address: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'))
  t.teardown(async () => { await rm(folder, { recursive: true, force: true }) })
  const port = await freePort()
  const [one, two] = instances.map(({ address }) => new URL(address).host) as [string, string]
  const file = join(folder, 'proxy.conf')
  const documented = { haproxy: 'several-instances/haproxy.cfg', nginx: 'several-instances/nginx.conf', caddy: 'proxies/Caddyfile' }
  const text = readFileSync(join(root, 'docs', documented[name]), 'utf8')
  const config = (bare ? text.replaceAll(/^.*(?:forwardfor|X-Forwarded-).*$/gm, '') : text)
    .replace('10.0.0.11:3200', one).replace('10.0.0.12:3200', two).replace('127.0.0.1:3200', one)
    .replace('bind :80', `bind 127.0.0.1:${port}`).replace('listen 80;', `listen 127.0.0.1:${port};`).replace('music.example {', `http://:${port} {`).replace('redir /music /music/', '').replace('handle_path /music/*', 'handle')
    .replaceAll(/\/var\/log\/(?:nginx|caddy)/g, folder)
  const before = { haproxy: '', nginx: `daemon off;\npid ${folder}/pid;\n`, caddy: '{\n\tadmin off\n}\n' }
  await writeFile(file, before[name] + config)
  const args =
    { haproxy: ['-db', '-f', file], nginx: ['-p', folder, '-c', file], caddy: ['run', '--adapter', 'caddyfile', '--config', file] }
  run(t, [programOf(name) as string, ...args[name]], {
    ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder
  }, 'SIGTERM')
  await until(async () => await answers(port))
  return { address: `http://127.0.0.1:${port}` }
}
