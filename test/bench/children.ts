/** Child processes of bench, scale, stress and memory: helpers that answer messages, and servers that are measured from outside. */
import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/freePort.js'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const canPin = cpus().length > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0
const otherCores = cpus().length > 2 ? `1-${cpus().length - 1}` : '1'

/** The CPU cores of the benchmark: servers on one core, the load and the upstream on the others. */
export const pinning = canPin ? `servers on core 0, load and upstream on core ${otherCores.replace('-', ' to ')}` : 'not pinned (no taskset, or one core)'
const ended = async (child: ChildProcess): Promise<void> => { if (
  child.exitCode === null && child.signalCode === null
) await new Promise((resolve) => { child.once('exit', resolve) }) }

/** In a helper: answers the messages of its parent. `ready` is what it says first. The helper ends with its parent. */
export function serve<Ask, Told> (work: (ask: Ask) => Promise<Told>, ready = ''): void {
  process.on('message', ({ id, ask }: { id: number, ask: Ask }) => {
    void work(ask).then((told) => process.send?.({ id, told }))
  })
  process.on('disconnect', () => { process.exit() })
  process.send?.({ id: 0, told: ready })
}

export interface Helper<Ask, Told> { readonly ready: string, ask (ask: Ask): Promise<Told>, end (): Promise<void> }

/** Starts a helper. `on`: the cores of the servers, or those of everything else; absent: any. */
export async function startHelper<Ask, Told> (
  file: string, on?: 'servers' | 'others', args: readonly string[] = []
): Promise<Helper<Ask, Told>> {
  const child = fork(here(file), args, { execArgv: ['--expose-gc', '--import', 'tsx'] })
  if (canPin && on !== undefined) spawnSync(
    'taskset', ['-a', '-p', '-c', on === 'servers' ? '0' : otherCores, String(child.pid)], { stdio: 'ignore' }
  )
  const waiting = new Map<number, { resolve: (told: never) => void, reject: (error: Error) => void }>()
  child.on('message', ({ id, told }: { id: number, told: never }) => {
    waiting.get(id)?.resolve(told)
    waiting.delete(id)
  })
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended with ${code}`))
  })
  const told = async <T>(id: number): Promise<T> =>
    await new Promise((resolve, reject) => { waiting.set(id, { resolve, reject }) })
  let last = 0
  return {
    ready: await told<string>(0),
    async ask (ask) {
      child.send({ id: ++last, ask: ask as object })
      return await told<Told>(last)
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
  alive (): boolean
  /** CPU time so far, user and system, in milliseconds. The kernel counts in steps of ten. */
  cpuMs (): number
  /** Resident memory, now and at most so far, in MB; 0 if it has ended. */
  memory (): { now: number, peak: number }
  end (signal?: NodeJS.Signals): Promise<void>
}

/** What is measured of a process from outside, and its end. */
function watched (child: ChildProcess): Omit<Server, 'port' | 'startedAt'> {
  const alive = (): boolean => child.exitCode === null && child.signalCode === null
  const facts = (name: string): string => alive() ? readFileSync(`/proc/${child.pid}/${name}`, 'utf8') : ''
  return {
    alive,
    cpuMs () {
      const fields = facts('stat').replace(/^.*\) /, '').split(' ')
      return (Number(fields[11]) + Number(fields[12])) * 10
    },
    memory () {
      const of = (name: string): number =>
        Number(new RegExp(`${name}:\\s+(\\d+)`).exec(facts('status'))?.[1] ?? 0) / 1024
      return { now: of('VmRSS'), peak: of('VmHWM') }
    },
    async end (signal = 'SIGTERM') {
      child.kill(signal)
      await ended(child)
    }
  }
}

/** Starts a program that prints its address, on a core of its own if the machine has enough. `node`: the binary that runs it. */
async function startServer (
  file: string, args: readonly string[], env: NodeJS.ProcessEnv, node = process.execPath
): Promise<Server> {
  const startedAt = performance.now()
  const [program = '', ...words] = [...canPin ? ['taskset', '-c', '0'] : [], node, resolve(here('.'), file), ...args]
  const child =
    spawn(program, words, { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (part: Buffer) => {
      if (text.length < 10_000) text += part.toString()
      const found = /listening[^]*?http:\/\/[\w.]+:(\d+)/.exec(text)
      if (found !== null) resolve(Number(found[1]))
    })
    child.once('exit', (code) => { reject(new Error(`${file} ended with ${code}: ${text}`)) })
  })
  return { port, startedAt, ...watched(child) }
}

/** Starts a program on a free port, and waits until it answers there, or has ended. */
export async function startProgram (
  command: (port: number) => readonly string[], path: string,
  { folder, env, pin = canPin }: { folder?: string, env?: NodeJS.ProcessEnv, pin?: boolean } = {}
): Promise<Server> {
  const port = await freePort()
  const [program = '', ...words] = [...pin ? ['taskset', '-c', '0'] : [], ...command(port)]
  const startedAt = performance.now()
  const child =
    spawn(program, words, { cwd: folder, env, stdio: ['ignore', 'ignore', env === undefined ? 'ignore' : 'inherit'] })
  const server = { port, startedAt, ...watched(child) }
  // Often, because the time of the start is measured, too.
  while (server.alive() && performance.now() - startedAt < 10_000 && await statusOf(server, path) === undefined) {
    await sleep(4)
  }
  return server
}

/** The status of an answer to this path; undefined if there is none. */
export const statusOf = async ({ port }: Pick<Server, 'port'>, path: string): Promise<number | undefined> =>
  await fetch(`http://127.0.0.1:${port}${path}`).then(async (answer) => {
    await answer.arrayBuffer()
    return answer.status
  }).catch(() => undefined)

/** A measured relay runs at full load and must not refuse requests for that. The checks themselves stay on. */
const unshed = { SHED_DELAY_MS: '60000' }

/** Starts the built relay as users do, with its settings in environment variables. `cli`: path of its command. */
export const startRelay = async (
  upstream: string, env: Record<string, string> = {}, node?: string, cli = here('../../dist/cli.js')
): Promise<Server> =>
  await startServer(cli, ['serve'], {
    HOST: '127.0.0.1', PORT: '0', CONFIG_DIR: tmpdir(), LOG_LEVEL: 'warn', UPSTREAM_ORIGIN: upstream,
    IMAGE_ORIGIN: upstream, ...unshed, ...env
  }, node)

/** Starts a relay whose cache was filled with so many answers. */
export const startKeeper = async (answers: number, cacheBytes: number | undefined, upstream: string): Promise<Server> =>
  await startServer('keeper.js', [String(answers), String(cacheBytes ?? '')], { UPSTREAM: upstream })

export const startAnchor = async (
  name: 'fastify-buffer' | 'relay-map', upstream = '', node?: string
): Promise<Server> => await startServer('anchors.js', [name], { UPSTREAM: upstream }, node)

/** The published relay of the same provider, as `npm run foreign` installs it. */
const peerFolder = here('../foreign/')
export const peerName = '@sansenjian/qq-music-api'
export const hasPeer = (): boolean => existsSync(join(peerFolder, 'node_modules', peerName))

/** Starts it. What it asks of the provider goes to `upstream` instead. */
export const startPeer = async (upstream: string, node = process.execPath): Promise<Server> =>
  await startProgram((port) => ['env', `PORT=${port}`, `UPSTREAM=${upstream}`, 'NO_COLOR=1', node, '--import', './redirect.js', `./node_modules/${peerName}/dist/app.js`], '/', { folder: peerFolder })

/** Whether nginx is there to compare with. */
export const hasNginx = (): boolean => spawnSync('nginx', ['-v']).status === 0

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
  }, '/x', { folder })
  return { ...rest, async end () { await end(); rmSync(folder, { recursive: true, force: true }) } }
}
