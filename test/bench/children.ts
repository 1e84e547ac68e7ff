/** Child processes of the benchmark: helpers that answer messages, and servers that are measured from outside. */
import { fork, spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const canPin = cpus().length > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0

/** The CPU cores of the processes: servers on one core, the load and the upstream on the others. */
export const pinning = canPin ? `servers on core 0, load and upstream on core ${cpus().length > 2 ? `1 to ${cpus().length - 1}` : 1}` : 'not pinned (no taskset, or one core)'
const pinned = (pid: number | undefined, cores: string): void => { if (canPin && pid !== undefined) spawnSync('taskset', ['-a', '-p', '-c', cores, String(pid)], { stdio: 'ignore' }) }
const ended = async (child: ChildProcess): Promise<void> => { if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => { child.once('exit', resolve) }) }

/** In a helper: sends `ready`, then answers each message of its parent. The helper ends with its parent. */
export function serve<Ask, Told> (work: (ask: Ask) => Promise<Told>, ready: unknown = ''): void {
  process.on('message', (ask: Ask) => { void work(ask).then((told) => process.send?.({ told })) })
  process.on('disconnect', () => { process.exit() })
  process.send?.({ told: ready })
}

export interface Helper<Ask, Told> { readonly ready: string, ask (ask: Ask): Promise<Told>, end (): Promise<void> }

/** Starts a helper. It takes one message at a time. `measured`: it has the core of the servers for itself. */
export async function startHelper<Ask, Told> (file: string, measured = false): Promise<Helper<Ask, Told>> {
  const child = fork(here(file), { execArgv: ['--import', 'tsx'] })
  pinned(child.pid, !canPin ? '' : measured ? '0' : `1-${cpus().length - 1}`)
  const next = async <T>(): Promise<T> => await new Promise((resolve, reject) => {
    const died = (code: number | null): void => { reject(new Error(`${file} ended with ${code}`)) }
    child.once('exit', died)
    child.once('message', ({ told }: { told: T }) => {
      child.off('exit', died)
      resolve(told)
    })
  })
  return {
    ready: await next<string>(),
    async ask (ask) {
      child.send(ask as object)
      return await next<Told>()
    },
    async end () {
      if (child.connected) child.disconnect()
      await ended(child)
    }
  }
}

export interface Server {
  readonly port: number
  /** Time from the start of the process until it printed its address, in milliseconds. */
  readonly startedAt: number
  /** CPU time so far, user and system, in milliseconds. The kernel counts in steps of ten. */
  cpuMs (): number
  /** Resident memory, now and at most so far, in MB. */
  memory (): { now: number, peak: number }
  end (): Promise<void>
}

/** Starts a program that prints its address, on a core of its own if the machine has enough. `node`: the binary that runs it. */
async function startServer (file: string, args: readonly string[], env: NodeJS.ProcessEnv, node = process.execPath): Promise<Server> {
  const startedAt = performance.now()
  const command = [node, here(file), ...args]
  const child = spawn(canPin ? 'taskset' : command[0] as string, canPin ? ['-c', '0', ...command] : command.slice(1), { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (part: Buffer) => {
      if (text === '-') return
      text += part.toString()
      const found = /http:\/\/[\w.]+:(\d+)/.exec(text.slice(text.indexOf('listening')))
      if (found === null || !text.includes('listening')) return
      text = '-'
      resolve(Number(found[1]))
    })
    child.once('exit', (code) => { reject(new Error(`${file} ended with ${code}: ${text}`)) })
  })
  return { port, startedAt, ...watched(child) }
}

/** What is measured of a process from outside, and its end. */
function watched (child: ChildProcess): Omit<Server, 'port' | 'startedAt'> {
  const facts = (name: string): string => readFileSync(`/proc/${child.pid}/${name}`, 'utf8')
  return {
    cpuMs () {
      const fields = facts('stat').replace(/^.*\) /, '').split(' ')
      return (Number(fields[11]) + Number(fields[12])) * 10
    },
    memory () {
      const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(facts('status'))?.[1]) / 1024
      return { now: of('VmRSS'), peak: of('VmHWM') }
    },
    async end () {
      child.kill('SIGTERM')
      await ended(child)
    }
  }
}

/** A measured relay runs at full load and must not refuse requests for that. The checks themselves stay on. */
const unshed = { SHED_DELAY_MS: '60000' }

/** Starts the built relay as users do, with its settings in environment variables. */
export const startRelay = async (upstream: string, env: Record<string, string> = {}, node?: string): Promise<Server> =>
  await startServer('../../dist/cli.js', ['serve'], { HOST: '127.0.0.1', PORT: '0', CONFIG_DIR: tmpdir(), LOG_LEVEL: 'warn', UPSTREAM_ORIGIN: upstream, IMAGE_ORIGIN: upstream, ...unshed, ...env }, node)

/** Starts a relay whose cache was filled with so many answers. */
export const startKeeper = async (answers: number, cacheBytes: number | undefined, upstream: string): Promise<Server> =>
  await startServer('keeper.js', [String(answers), String(cacheBytes ?? '')], { UPSTREAM: upstream })

export const startAnchor = async (name: 'fastify-buffer' | 'relay-map', upstream = '', node?: string): Promise<Server> => await startServer('anchors.js', [name], { UPSTREAM: upstream }, node)

/** The published relay of the same provider, as `npm run foreign` installs it. */
const peerFolder = here('../foreign/')
export const hasPeer = (): boolean => existsSync(join(peerFolder, 'node_modules/@sansenjian/qq-music-api'))

/** Starts it. What it asks of the provider goes to `upstream` instead. */
export const startPeer = async (upstream: string, node = process.execPath): Promise<Server> => await startProgram((port) => ['env', `PORT=${port}`, `UPSTREAM=${upstream}`, 'NO_COLOR=1', node, '--import', './redirect.js', './node_modules/@sansenjian/qq-music-api/dist/app.js'], '/', peerFolder)

/** Whether nginx is there to compare with. */
export const hasNginx = (): boolean => spawnSync('nginx', ['-v']).status === 0

/** Starts a program on a free port, and waits until it answers there. */
export async function startProgram (command: (port: number) => readonly string[], path: string, folder: string): Promise<Server> {
  const free = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => { free.once('listening', resolve) })
  const { port } = free.address() as AddressInfo
  await new Promise((resolve) => { free.close(resolve) })
  const all = [...canPin ? ['taskset', '-c', '0'] : [], ...command(port)]
  const startedAt = performance.now()
  const child = spawn(all[0] as string, all.slice(1), { cwd: folder, stdio: 'ignore' })
  // Often, because the time of the start is measured, too.
  while (performance.now() - startedAt < 10_000) {
    if (await fetch(`http://127.0.0.1:${port}${path}`).then(async (answer) => { await answer.arrayBuffer() }).then(() => true, () => false)) break
    await sleep(4)
  }
  return { port, startedAt, ...watched(child) }
}

/** Starts nginx as one process that passes everything on to `upstream`, with its usual buffers. */
export async function startNginx (upstream: string): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-nginx-'))
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
  const { end, ...rest } = await startProgram((port) => {
    writeFileSync(join(folder, 'nginx.conf'), `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
events {}
http { access_log off; ${paths} keepalive_requests 1000000;
  upstream files { server ${new URL(upstream).host}; keepalive 16; }
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://files; proxy_http_version 1.1; proxy_set_header Connection ""; } } }
`)
    return ['nginx', '-p', folder, '-c', join(folder, 'nginx.conf')]
  }, '/x', folder)
  return { ...rest, async end () { await end(); rmSync(folder, { recursive: true, force: true }) } }
}
