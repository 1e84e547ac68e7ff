/** `music-relay serve`, `demo` and `demo-upstream`: the commands that listen on a port. The demo is loaded on use. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { ServiceConfig } from '../../schemas/config.ts'
import { buildApp } from '../app.ts'
import { defaultAccount } from '../core/accountBook.ts'
import { loadSettings, serviceConfigFile, upstreamKind } from '../core/config.ts'
import { refuseOpenAccess } from '../core/openAccess.ts'
import { variableSet } from '../core/environment.ts'
import type { Renaming } from '../demo/damage.ts'
import type { DemoOptions, DemoUpstream } from '../demo/upstream.ts'
import { longestStop } from '../plugins/shutdown.ts'
import { refuseParameterName } from '../library/relay.ts'
import { version } from '../common/version.ts'
import { variableToSet } from './environment.ts'
import { banner, demoUpstreamBanner, shownProxies } from './banner.ts'
import { linkSecretIn } from './linkSecret.ts'
import { listen } from './listen.ts'
import { createLoginStorage } from './loginAs.ts'
import { logOutput } from './logOutput.ts'
import { lowered, openFileLimit } from './openFiles.ts'
import { readable } from './readableLog.ts'
import { openStoredAccounts } from './storedAccounts.ts'
import { followUserInfo, globalCookieState, openUserInfo } from './userInfo.ts'

/** What each of these commands needs. */
export interface Start {
  /** Folder of the configuration. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Takes the warnings that come before there is a log. They are removed when the log has them. */
  readonly warnings: string[]
  /** Print one line of JSON instead of the banner. */
  readonly json: boolean
}

/** Starts the relay and resolves when it listens. `options` override file and environment. Throws ConfigError. */
export async function serve ({ folder, env, warnings, json }: Start, options: Partial<ServiceConfig> = {}, demo?: DemoUpstream): Promise<void> {
  const loaded = await loadSettings({ folder, env, options, warn: (message) => { warnings.push(message) } })
  const fitting = lowered(loaded, await openFileLimit(), demo !== undefined)
  if (fitting !== undefined) warnings.push(fitting.warning)
  const settings = { ...loaded, maxConnections: fitting?.maxConnections ?? loaded.maxConnections }
  const settingsFile = join(folder, serviceConfigFile)
  const variable = (name: string): string => variableToSet(env, name)
  // Everybody knows the password of the demo.
  refuseOpenAccess(demo === undefined ? settings : { ...settings, subsonicPassword: '' }, { file: settingsFile, variable })
  // It also signs the links of /meting.
  if (settings.redisSecret !== '' && settings.redisUrl === '' && !settings.meting) {
    warnings.push(`${variable('REDIS_SECRET')} has no effect, because no shared store is set. Set ${variable('REDIS_URL')}, or remove it.`)
  }
  refuseParameterName(settings.cookieParamName, settingsFile)
  const userInfo = await openUserInfo(folder, settings.useGlobalCookie)
  const logTo = !json && process.stdout.isTTY ? logOutput(readable) : logOutput()
  const log = lateLog()
  // The demo upstream has keys of its own: it would refuse to renew those of real accounts.
  const accounts = await openStoredAccounts({ folder, userInfo, settings, log, renew: demo === undefined, app: () => app })
  // What the demo stores is no login of the provider: only in a folder that somebody chose.
  const stores = demo === undefined || variableSet(env, 'CONFIG_DIR') !== undefined
  const stored = stores ? { loginStorage: createLoginStorage(accounts, folder, () => app), linkSecret: linkSecretIn(folder, log) } : {}
  const app: FastifyInstance = await buildApp({
    ...settings,
    ...stored,
    logTo,
    globalCookie: () => accounts.cookieOf(defaultAccount) ?? userInfo.get().cookie,
    demo: demo !== undefined,
    accounts,
    ...demoLogin(demo)
  })
  // Before the connections to the upstream are closed: the answer of a renewal holds the only good key.
  let accountsClosed: Promise<unknown> | undefined
  app.addHook('preClose', async () => {
    accountsClosed = Promise.race([accounts.close(), sleep(settings.stopDelayMs + settings.stopMs, undefined, { ref: false })])
  })
  app.addHook('onClose', async () => {
    await accountsClosed
  })
  if (demo !== undefined) await app.register((await import('./demoMedia.ts')).demoMedia, { demo })
  let unwatch: (() => void) | undefined
  app.addHook('onClose', () => { unwatch?.() })
  closeWithGrace({ delay: longestStop(settings), skip: crashes, logger: pino({ level: 'silent' }) }, async ({ err, signal }) => {
    logTo.oneByOne()
    if (err !== undefined) app.log.fatal({ err }, 'bug: the relay stops')
    else app.log.info({ signal }, 'stopping')
    await app.close()
    await demo?.close()
    app.log.info('stopped')
  })
  app.log.level = 'silent' // the banner must come before the first log line
  const port = await listen(app, settings)
  const shown = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`
  const globalCookie = globalCookieState(settings.useGlobalCookie, userInfo)
  // Like the log, because a full disk must not stop a start.
  logTo.write(
    json
      ? line({
        address: shown,
        upstream: upstreamKind(settings, demo !== undefined),
        globalCookie: globalCookie.state,
        ...shownProxies(settings),
        ...demoFacts(demo)
      })
      : banner({ address: shown, settings, settingsFile, globalCookie: globalCookie.text, accounts: accounts.states(), env, demo })
  )
  app.log.level = settings.logLevel
  for (const warning of warnings.splice(0)) app.log.warn(warning)
  log.begin(app.log)
  accounts.start()
  unwatch = await followUserInfo(userInfo, app.log, settings.useGlobalCookie)
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

/** Starts the demo upstream, in these moods, and a relay in front of it. */
export async function serveDemo (start: Start, moods: readonly string[] = []): Promise<void> {
  const { startDemoUpstream } = await import('../demo/upstream.ts')
  const demo = await startDemoUpstream({ moods })
  // No rate limit: this upstream blocks nobody.
  await serve(start, { upstreamOrigin: demo.origin, imageOrigin: demo.origin, upstreamRatePerHost: 0, meting: true, subsonicPassword: 'demo' }, demo)
}

/**
 * Faults in native code, as of Node when its terminal is gone. With a listener the process would not end: the same instruction
 * fails again and again, at full load.
 */
const crashes = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] satisfies NodeJS.Signals[]

/** Players of the demo are the member, who has a library and may play everything. */
function demoLogin (demo: DemoUpstream | undefined): { playerCookie?: () => string | undefined } {
  return demo === undefined ? {} : { playerCookie: () => demo.accounts.find(({ name }) => name === 'member')?.cookie }
}

/** Starts the demo upstream without a relay. */
export async function serveDemoUpstream (
  { json, out }: Pick<Start, 'json'> & { readonly out: (text: string) => void },
  options: Pick<DemoOptions, 'port' | 'moods'>,
  rename: Renaming | undefined
): Promise<void> {
  const [{ startDemoUpstream }, { renamed }] = [await import('../demo/upstream.ts'), await import('../demo/damage.ts')]
  const demo = await startDemoUpstream(options)
  closeWithGrace({ delay: 8000, skip: crashes }, async () => { await demo.close() }) // before the output: its reader may stop the process at once
  if (rename !== undefined) demo.next(rename.call, renamed(rename), Infinity)
  out(json ? line({ address: demo.origin, ...demoFacts(demo) }) : demoUpstreamBanner(demo))
}

const line = (facts: object): string => `${JSON.stringify({ msg: 'listening', version, ...facts })}\n`

/** Accounts and moods of the demo, if there is one. */
function demoFacts (
  demo: DemoUpstream | undefined
): { readonly accounts?: readonly { readonly name: string, readonly cookie: string }[], readonly moods?: readonly string[] } {
  return demo === undefined
    ? {}
    : {
      accounts: demo.accounts.map(({ name, cookie }) => ({ name, cookie })),
      moods: demo.moods.list().filter(({ on }) => on).map(({ name }) => name)
    }
}
