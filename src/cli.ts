#!/usr/bin/env node
/** The command line: the only file that listens, reads the environment and handles signals. */
import { readFile } from 'node:fs/promises'
import closeWithGrace from 'close-with-grace'
import { Argument, Command, InvalidArgumentError } from 'commander'
import { pino } from 'pino'
import { createUserInfo, userInfoFile } from '../config/user-info.ts'
import type { ServiceConfig } from '../schemas/config.ts'
import { buildApp } from './app.ts'
import { ConfigError, checkUserInfo, loadSettings, refuseOpenGlobalCookie } from './config.ts'
import { renamed, renamingOf } from './demo/damage.ts'
import type { Renaming } from './demo/damage.ts'
import { startDemoUpstream } from './demo/upstream.ts'
import type { DoctorTask } from './cli/doctor.ts'
import type { DemoUpstream } from './demo/upstream.ts'
import { banner } from './http/banner.ts'
import { longestStop } from './http/stop.ts'
import { scanApps } from './login/scan.ts'
import type { Channel } from './login/scan.ts'
import { version } from './version.ts'

/** Exit codes: 0 done, 1 failed or crashed, 2 wrong use, 78 bad configuration, 130 interrupted. */
const badConfiguration = 78
const wrongUse = 2

const program = new Command('music-relay')
  .description('Self-hosted relay that gives an online-music provider a typed JSON interface.')
  .version(version)
  .showHelpAfterError('(music-relay --help shows the commands)')
  .exitOverride((error) => { process.exit(error.exitCode === 0 ? 0 : wrongUse) })
  .addHelpText('after', `
Examples:
  music-relay demo                      relay and demo upstream, nothing else needed
  music-relay                           relay in front of the real upstream, port 3200
  PORT=8080 HOST=0.0.0.0 music-relay    on all addresses, port 8080
  music-relay login                     log in with a phone; the cookie is kept for USE_GLOBAL_COOKIE=true
  music-relay doctor                    how the upstream does, call by call
  music-relay openapi > openapi.yaml    the interface as a document

Settings come from config/service-config.json (CONFIG_DIR) and the environment; docs/configuration.md lists them.
Exit codes: 0 done, 1 failed, 2 wrong use, 78 bad configuration, 130 interrupted.`)

program.command('serve', { isDefault: true })
  .description('start the relay (the default)')
  .action(async () => { await serve() })

program.command('demo')
  .description('start the demo upstream and a relay in front of it: works offline')
  .action(async () => {
    const demo = await startDemoUpstream()
    await serve({ upstreamOrigin: demo.origin, imageOrigin: demo.origin }, demo)
  })

program.command('demo-upstream')
  .description('start the demo upstream alone; point a relay at it with UPSTREAM_ORIGIN')
  .option('--port <number>', 'port to listen on, 0 takes a free one', portNumber, 4200)
  .option('--rename <call:path=name>', 'give a field of a call\'s answers another name, as a real upstream might', renaming)
  .action(async ({ port, rename }: { port: number, rename?: Renaming }) => {
    const demo = await startDemoUpstream({ port })
    if (rename !== undefined) demo.next(rename.call, renamed(rename), Infinity)
    process.stdout.write(`demo upstream listening on ${demo.origin}\n\n  UPSTREAM_ORIGIN=${demo.origin} IMAGE_ORIGIN=${demo.origin} music-relay\n\n${accountLines(demo)}`)
    closeWithGrace({ delay: 8000 }, async () => { await demo.close() })
  })

program.command('login')
  .description('log in by scanning a QR code with a phone, and store the cookie in CONFIG_DIR/user-info.json')
  .addArgument(new Argument('[channel]', `alt for an account made with ${scanApps.alt}, main for one made with ${scanApps.main}`).choices(['main', 'alt'] satisfies Channel[]).default('alt'))
  .option('--print', 'print the cookie instead of storing it')
  .option('--json', 'say the end as one line of JSON')
  .option('--picture', 'write the QR code to a file instead of drawing it')
  .addHelpText('after', `
The default is alt, because main is refused on many networks outside the provider's home country.
An expired code is replaced, three times. Progress goes to stderr, the result to stdout:
  COOKIE=$(music-relay login --print)
Exit codes: 0 logged in, 1 not, 2 wrong use, 78 bad configuration, 130 interrupted.`)
  .action(async (channel: Channel, options: { print?: true, json?: true, picture?: true }) => { process.exitCode = await logIn(channel, options) })

program.command('doctor')
  .description('ask the upstream a little of everything, and say of each call how it does')
  .option('--json', 'the findings as one line of JSON')
  .option('--cookie-file <file>', 'file with the cookie of the account that asks')
  .addHelpText('after', `
Sends some 150 small requests. Progress goes to stderr, the table to stdout.
Exit codes: 0 all is well (without a cookie, calls that want a login count as well), 1 not, 2 wrong use,
78 bad configuration, 130 interrupted.`)
  .action(async ({ json = false, cookieFile }: { json?: boolean, cookieFile?: string }) => {
    const { doctor } = await import('./cli/doctor.ts')
    process.exitCode = await doctor({ ...await watching(cookieFile), json, colour: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined })
  })

program.command('record')
  .description('keep an answer of every call, without secrets and persons, to compare with later ones')
  .requiredOption('--out <folder>', 'folder to write to, one file for each call')
  .option('--cookie-file <file>', 'file with the cookie of the account that asks')
  .action(async ({ out: folder, cookieFile }: { out: string, cookieFile?: string }) => {
    const { record } = await import('./cli/doctor.ts')
    process.exitCode = await record({ ...await watching(cookieFile), folder })
  })

program.command('diff')
  .description('list the fields that were added, removed or retyped between two recordings')
  .argument('<old>', 'folder or file of an earlier recording')
  .argument('<new>', 'folder or file of a later one')
  .option('--json', 'the differences as one line of JSON')
  .addHelpText('after', '\nExit codes: 0 the shapes are the same, 1 they differ or cannot be read, 2 wrong use.')
  .action(async (older: string, newer: string, { json = false }: { json?: boolean }) => {
    const { compare } = await import('./cli/doctor.ts')
    process.exitCode = await compare({ older, newer, json, out: write })
  })

program.command('openapi')
  .description('print the OpenAPI document (YAML)')
  .action(async () => { process.stdout.write(await readFile(new URL(import.meta.resolve('music-relay/openapi.yaml')), 'utf8')) })

/** Starts the relay; `options` beat file and environment. */
async function serve (options: Partial<ServiceConfig> = {}, demo?: DemoUpstream): Promise<void> {
  const folder = process.env['CONFIG_DIR'] || 'config'
  const settings = await loadSettings({ folder, env: process.env, options })
  refuseOpenGlobalCookie(settings)
  const userInfo = createUserInfo(folder, checkUserInfo)
  const { cookie = '' } = await userInfo.load()
  const app = await buildApp({ ...settings, demo: demo !== undefined, globalCookie: () => userInfo.get().cookie })
  if (await userInfo.isExposed()) app.log.warn(`${userInfoFile} can be read by others on this machine: chmod 600 it`)
  app.addHook('onClose', userInfo.watch({
    changed: () => { app.log.info(`${userInfoFile} changed: the new one is in use`) },
    refused: (reason) => { app.log.error(`${reason.message} The last good one stays in use.`) }
  }))
  closeWithGrace({ delay: longestStop(settings), logger: pino({ level: 'silent' }) }, async ({ err }) => {
    if (err !== undefined) app.log.fatal({ err }, 'bug: the relay stops')
    await app.close()
    await demo?.close()
  })
  app.log.level = 'silent' // the banner says where it listens, and comes before the first log line
  await app.listen({ host: settings.host, port: settings.port })
  app.log.level = settings.logLevel
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : settings.port
  const shown = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`
  process.stdout.write(banner({ version, address: shown, settings, globalCookieStored: cookie !== '', ...(demo === undefined ? {} : { demo: demoLines(shown, demo) }) }))
}

/** What a command needs that looks at the upstream. */
async function watching (cookieFile: string | undefined): Promise<DoctorTask> {
  const settings = await loadSettings({ folder: process.env['CONFIG_DIR'] || 'config', env: process.env })
  const { createScreen } = await import('./cli/screen.ts')
  return { settings, cookieFile, screen: createScreen(process.stderr, process.env), out: write, signal: leavingSignal() }
}

/** Aborted when the person gives up. */
function leavingSignal (): AbortSignal {
  const leaving = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => { leaving.abort() })
  return leaving.signal
}

const write = (text: string): void => { process.stdout.write(text) }

async function logIn (channel: Channel, { print = false, json = false, picture = false }: { print?: boolean, json?: boolean, picture?: boolean }): Promise<number> {
  const folder = process.env['CONFIG_DIR'] || 'config'
  const settings = await loadSettings({ folder, env: process.env })
  const [{ login }, { createScreen }] = [await import('./cli/login.ts'), await import('./cli/screen.ts')]
  return await login({
    channel, settings, folder, print, json, picture,
    userInfo: createUserInfo(folder, checkUserInfo),
    screen: createScreen(process.stderr, process.env),
    out: write,
    signal: leavingSignal()
  })
}

function demoLines (address: string, demo: DemoUpstream): string {
  return `
Try it:
  curl '${address}/getRanks?topId=62&limit=3&resolveMid=true'
  curl '${address}/getLyric/00DemoSong0001?isFormat=1'
  curl '${address}/getMusicPlay?songmid=00DemoSong0001'

${accountLines(demo)}`
}

function accountLines (demo: DemoUpstream): string {
  return `Demo accounts (pass one as X-Custom-Cookie or ?cookie=):\n${demo.accounts.map(({ name, cookie }) => `  ${name.padEnd(9)} ${cookie}\n`).join('')}\n`
}

function portNumber (text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) throw new InvalidArgumentError('must be a whole number from 0 to 65535.')
  return Number(text)
}

function renaming (text: string): Renaming {
  const found = renamingOf(text)
  if (found === undefined) throw new InvalidArgumentError('must look like module/method:data.list[].title=headline.')
  return found
}

try {
  await program.parseAsync()
} catch (error) {
  const code = (error as NodeJS.ErrnoException).code
  const hint = code === 'EADDRINUSE' ? ' The port is taken: stop the other program or set PORT.' : ''
  process.stderr.write(`music-relay: ${error instanceof Error ? error.message : 'failed'}${hint}\n`)
  process.exit(error instanceof ConfigError ? badConfiguration : 1)
}
