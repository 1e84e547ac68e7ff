/** `music-relay serve`, `demo` and `demo-upstream`: the commands that listen on a port. The demo is loaded on use. */
import { randomBytes } from 'node:crypto'
import dns from 'node:dns/promises'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { ServiceConfig } from '../../schemas/config.ts'
import { buildApp } from '../app.ts'
import { isOutOfFiles } from '../common/fileAccess.ts'
import { readPrivate, writing } from '../common/privateFile.ts'
import { dayOf } from '../common/spans.ts'
import { version } from '../common/version.ts'
import { defaultAccount } from '../relay/accountBook.ts'
import { pollLimitOf } from '../relay/clientLimits.ts'
import { loadSettings, serviceConfigFile, upstreamKind, type Settings } from '../relay/settings.ts'
import { variableSet } from '../relay/environment.ts'
import { refuseOpenAccess } from '../relay/openAccess.ts'
import type { Renaming } from '../demo/damage.ts'
import type { DemoOptions, DemoUpstream } from '../demo/upstream.ts'
import { refuseParameterName } from '../library/relay.ts'
import { longestStop } from '../edge/shutdown.ts'
import { storedQueues } from '../accounts/queues.ts'
import { openSessions, type OpenTime } from '../accounts/sessions.ts'
import { variableToSet } from './process.ts'
import { banner, demoUpstreamBanner, logOutput, readable, shownProxies } from './output.ts'
import {
  createLoginStorage, followUserInfo, globalCookieState, openStoredAccounts, sharedStoreOf
} from './storedAccounts.ts'

export interface Start {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Takes the warnings that come before there is a log. They are removed when the log has them. */
  readonly warnings: string[]
  readonly json: boolean
}

/** Starts the relay and resolves when it listens. `options` override file and environment. Throws ConfigError. */
export async function serve (
  { folder, env, warnings, json }: Start,
  options: Partial<ServiceConfig> = {},
  demo?: DemoUpstream
): Promise<void> {
  const loaded = await loadSettings({ folder, env, options, warn: (message) => { warnings.push(message) } })
  const fitting = lowered(loaded, await openFileLimit(), demo !== undefined)
  if (fitting !== undefined) warnings.push(fitting.warning)
  const settings = { ...loaded, maxConnections: fitting?.maxConnections ?? loaded.maxConnections }
  const settingsFile = join(folder, serviceConfigFile)
  const variable = (name: string): string => variableToSet(env, name)
  // Everybody knows the password of the demo.
  refuseOpenAccess(demo === undefined ? settings : { ...settings, subsonicPassword: '' }, {
    file: settingsFile,
    variable
  })
  // It also signs the links of /meting.
  if (settings.redisSecret !== '' && settings.redisUrl === '' && !settings.meting) {
    warnings.push(`${variable('REDIS_SECRET')} has no effect, because no shared store is set. Set ${variable('REDIS_URL')}, or remove it.`)
  }
  refuseParameterName(settings.cookieParamName, settingsFile)
  const logTo = !json && process.stdout.isTTY ? logOutput(readable) : logOutput()
  const log = lateLog()
  // The demo upstream has keys of its own: it would refuse to renew those of real accounts.
  const accounts = await openStoredAccounts({
    folder,
    settings,
    log,
    needsUserInfo: settings.useGlobalCookie,
    renew: demo === undefined,
    app: () => app
  })
  // What the demo stores is no login of the provider: only in a folder that somebody chose.
  const stores = demo === undefined || variableSet(env, 'CONFIG_DIR') !== undefined
  const stored = stores
    ? { loginStorage: createLoginStorage(accounts, folder, () => app), linkSecret: linkSecretIn(folder, log) } : {}
  const sessions = stores ? await openSessions({ folder, secret: settings.accountsSecret, accounts, log }) : undefined
  const openTime = await sessions?.tokenSet(settings.accessToken !== '').catch(() => undefined)
  if (openTime !== undefined) warnings.push(openTimeInWords(openTime))
  const operatorCode = sessions === undefined || !settings.pages || settings.accessToken !== '' ? undefined
    : randomBytes(24).toString('base64url')
  const app: FastifyInstance = await buildApp({
    ...settings,
    ...stored,
    ...sessions === undefined ? {}
      : { sessions, queues: storedQueues({ folder, secret: settings.accountsSecret, accounts, log }) },
    ...operatorCode === undefined ? {} : { operatorCode },
    logTo,
    globalCookie: () => accounts.cookieOf(defaultAccount),
    demo: demo !== undefined,
    accounts,
    ...demoLogin(demo)
  })
  // Before the connections to the upstream are closed: the answer of a renewal holds the only good key.
  let accountsClosed: Promise<unknown> | undefined
  app.addHook('preClose', async () => {
    accountsClosed = Promise.race([
      accounts.close(),
      sleep(settings.stopDelayMs + settings.stopMs, undefined, { ref: false })
    ])
  })
  app.addHook('onClose', async () => {
    await accountsClosed
  })
  if (demo !== undefined) await app.register((await import('./demoMedia.ts')).demoMedia, { demo })
  app.addHook('onClose', () => { sessions?.close() })
  // Not the library's limit: it exits with 1, and supervisors would take a stop that they asked for for a failure.
  closeWithGrace({ delay: false, skip: crashes, logger: pino({ level: 'silent' }) }, async ({ err, signal }) => {
    const limit = sleep(longestStop(settings), 'cut' as const)
    logTo.oneByOne()
    if (err !== undefined) app.log.fatal({ err }, 'bug: the relay stops')
    else app.log.info({ signal }, 'stopping')
    if (await Promise.race([app.close().then(() => demo?.close()), limit]) !== 'cut') return app.log.info('stopped')
    const requests = [...app.connections.values()].filter(({ response }) => response !== undefined).length
    app.log.warn({ connections: app.connections.size, requests }, 'stopped at the time limit: what was still open is cut')
  })
  app.log.level = 'silent' // the banner must come before the first log line
  const port = await listen(app, settings)
  const shown = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`
  const globalCookie = globalCookieState(settings.useGlobalCookie, accounts.store)
  // Like the log, because a full disk must not stop a start.
  logTo.write(json
    ? line({
      address: shown,
      upstream: upstreamKind(settings, demo !== undefined),
      globalCookie: globalCookie.state,
      ...operatorCode === undefined ? {} : { operator: `${shown}/login#operator=${operatorCode}` },
      ...shownProxies(settings),
      ...demoFacts(demo)
    })
    : banner({
      address: shown,
      settings,
      settingsFile,
      globalCookie: globalCookie.text,
      accounts: accounts.states(),
      env,
      demo,
      operatorCode
    }))
  app.log.level = settings.logLevel
  for (const warning of warnings.splice(0)) app.log.warn(warning)
  log.begin(app.log)
  accounts.start()
  await followUserInfo(accounts.store, app.log, settings.useGlobalCookie)
}

/** Says what exists from the time in which anybody at the machine could be the operator. */
function openTimeInWords ({ sessions, stored }: OpenTime): string {
  const accounts = Object.entries(stored).flatMap(([name, { at, through }]) =>
    through === 'page' ? [`${name} (${dayOf(at)})`] : []
  )
  return `an access token is set for the first time. From before it: ${sessions} browser sessions, of which the operator's are ended now; accounts stored by the page: ${accounts.join(', ') || 'none'}. Check them with music-relay accounts, and remove what is not yours`
}

type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>

/** A log whose lines wait for the real one, because the banner comes first. */
function lateLog (): Log & { begin (log: Log): void } {
  let write = (level: keyof Log, line: string): void => { waiting.push([level, line]) }
  const waiting: [keyof Log, string][] = []
  const at = (level: keyof Log) => (line: string): void => { write(level, line) }
  return {
    info: at('info'), warn: at('warn'), error: at('error'),
    begin (log) {
      write = (level, line) => { log[level](line) }
      for (const [level, line] of waiting.splice(0)) log[level](line)
    }
  }
}

/** Starts the demo upstream, in these moods and with so many liked songs, and a relay in front of it. */
export async function serveDemo (
  start: Start,
  options: Pick<DemoOptions, 'moods' | 'memberLikes'> = {}
): Promise<void> {
  const { startDemoUpstream } = await import('../demo/upstream.ts')
  const demo = await startDemoUpstream(options)
  // No rate limit: this upstream blocks nobody.
  await serve(start, {
    upstreamOrigin: demo.origin,
    imageOrigin: demo.origin,
    upstreamRatePerHost: 0,
    meting: true,
    subsonicPassword: 'demo'
  }, demo)
}

/** Faults in native code. With a listener the process would not end: the instruction fails again, at full load. */
const crashes = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] satisfies NodeJS.Signals[]

/** Players of the demo are the member, who has a library and may play everything. */
function demoLogin (demo: DemoUpstream | undefined): { playerCookie?: () => string | undefined } {
  return demo === undefined ? {} : { playerCookie: () => demo.accounts.find(({ name }) => name === 'member')?.cookie }
}

export async function serveDemoUpstream (
  { json, out }: Pick<Start, 'json'> & { readonly out: (text: string) => void },
  options: Pick<DemoOptions, 'port' | 'moods'>,
  rename: Renaming | undefined
): Promise<void> {
  const [{ startDemoUpstream }, { renamed }] = [await import('../demo/upstream.ts'), await import('../demo/damage.ts')]
  const demo = await startDemoUpstream(options)
  closeWithGrace({ delay: 8000, skip: crashes }, async () => {
    await demo.close()
  }) // before the output: its reader may stop the process at once
  if (rename !== undefined) demo.next(rename.call, renamed(rename), Infinity)
  out(json ? line({ address: demo.origin, ...demoFacts(demo) }) : demoUpstreamBanner(demo))
}

const line = (facts: object): string => `${JSON.stringify({ msg: 'listening', version, ...facts })}\n`

function demoFacts (
  demo: DemoUpstream | undefined
): {
  readonly accounts?: readonly { readonly name: string, readonly cookie: string }[],
  readonly moods?: readonly string[]
} {
  return demo === undefined
    ? {}
    : {
      accounts: demo.accounts.map(({ name, cookie }) => ({ name, cookie })),
      moods: demo.moods.list().filter(({ on }) => on).map(({ name }) => name)
    }
}

// Listens for connections, on each address of `localhost`.

/**
 * Number of connections that wait to be accepted. It does not depend on the limit of connections, because those above
 * it are to be closed: when this queue overflows, Linux may forget a connection that its client believes to be open.
 * The system lowers it to its own limit.
 */
const backlog = 4096

/**
 * Listens on the host and port of the settings, and returns the port. `localhost` has two addresses on most machines.
 * For the second, the framework would create a server without the limits and handlers of the first. Here it only
 * accepts connections, and the first server answers them.
 */
export async function listen (app: FastifyInstance, { host, port }: Pick<Settings, 'host' | 'port'>): Promise<number> {
  const found = host === 'localhost' ? await dns.lookup(host, { all: true }) : []
  const [first = host, ...others] = new Set(found.map(({ address }) => address))
  // The framework waits for the connections of the first address only.
  app.addHook('onClose', async () => {
    const further = [...app.acceptors].filter((server) => server !== app.server)
    await Promise.all(further.map(async (server) => { await new Promise((resolve) => { server.close(resolve) }) }))
  })
  await app.listen({ host: first, port, backlog })
  const bound = (app.server.address() as AddressInfo).port
  for (const address of others) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      app.server.emit('connection', socket)
    })
    try {
      await once(server.listen({ host: address, port: bound, backlog }), 'listening')
      app.acceptors.add(server.on('error', app.openFailed))
    } catch {
      // The machine knows the name of this address, but does not have it, or another program has its port.
    }
  }
  return bound
}

// The secret of signed links: made at the first one, the same for all instances of a folder.

export const linkSecretFile = 'link-secret.json'

/** Returns what reads, or makes, the secret of a folder. Where it can do neither, it lasts as long as the process. */
export function linkSecretIn (folder: string, log: Pick<FastifyBaseLogger, 'warn'>): () => Promise<string> {
  const file = join(folder, linkSecretFile)
  return async () => {
    try {
      return secretOf(await readPrivate(file)) ?? await writing(file, async (write) => {
        const others = secretOf(await readPrivate(file))
        if (others !== undefined) return others
        const secret = randomBytes(32).toString('hex')
        await write({ secret })
        return secret
      })
    } catch (error) {
      if (isOutOfFiles(error)) throw error // the next request may be luckier
      log.warn(`${file}: ${(error as NodeJS.ErrnoException).code ?? 'it is not what the relay writes; remove it'}: links are signed with a secret that ends with this process`)
      return randomBytes(32).toString('hex')
    }
  }
}

/** Throws if the text is not that of such a file. */
function secretOf (text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const { secret } = JSON.parse(text) as { secret?: unknown }
  if (typeof secret !== 'string' || secret.length < 32) throw new TypeError('no secret')
  return secret
}

// Fits the number of client connections to the number of files that the system lets this process open.

/** Files of the process itself: event loop, log, login, shared store, pages that are read. 25 were counted. */
const ownFiles = 64

/**
 * Returns the number of client connections that fits, with a warning, or undefined if the setting fits. `limit`: number
 * of files that the process may open. At least half of it is for clients. `demo`: the demo upstream runs in this
 * process, and holds the other end of each upstream connection.
 */
export function lowered (
  { maxConnections, upstreamLimit }: Pick<Settings, 'maxConnections' | 'upstreamLimit'>,
  limit: number,
  demo: boolean
): { readonly maxConnections: number, readonly warning: string } | undefined {
  // Upstream connections stay open for a while without a request, so there are twice as many.
  const others = ownFiles + (2 * upstreamLimit + pollLimitOf({ settings: { maxConnections } })) * (demo ? 2 : 1)
  const fits = Math.max(limit - others, Math.floor(limit / 2))
  if (fits >= maxConnections) return undefined
  return {
    maxConnections: fits,
    warning: `MAX_CONNECTIONS is ${fits} instead of ${maxConnections}, because this process may open ${limit} files only: raise that limit to ${maxConnections + others} (LimitNOFILE of systemd, ulimit -n), or lower MAX_CONNECTIONS`
  }
}

/** Returns the number of files that this process may open; Infinity if the system does not tell (only Linux does). */
async function openFileLimit (): Promise<number> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  return Number(/^Max open files +(\d+)/m.exec(text)?.[1] ?? Infinity)
}

// What the doctor says about the store that instances share.

/** Asks the store, as an instance would. Returns undefined without one. */
export async function checkStore (
  settings: Settings
): Promise<{ readonly state: 'up' | 'down', readonly line: string } | undefined> {
  const store = await sharedStoreOf(settings)
  if (store === undefined) return undefined
  const lock = await store.lock('a check of the doctor', 1000)
  await store.close()
  return lock === undefined
    ? { state: 'down', line: 'The shared store does not answer. Check that it runs, and the address and the password in REDIS_URL.' }
    : { state: 'up', line: 'The shared store answers.' }
}
