/** The commands with their options and help texts. Their implementations are beside this file and are loaded on use. */
import { readFile } from 'node:fs/promises'
import { Argument, Command, InvalidArgumentError, Option, CommanderError } from 'commander'
import { ConfigError } from '../common/errors.ts'
import { version } from '../common/version.ts'
import { defaultAccount } from '../relay/accountBook.ts'
import { isWildcardBind, loadSettings, type Settings } from '../relay/settings.ts'
import { renamingOf, type Renaming } from '../demo/damage.ts'
import { moodHelp, moodsNamed } from '../demo/moodNames.ts'
import { scanApps, type Channel } from '../upstream/login/scan.ts'
import { accountArgument, addAccountsCommand } from './accountsProgram.ts'
import type { DoctorTask } from './doctor.ts'
import {
  configFolder, existingFolder, help, listenHint, ownSurroundings, textIn, usual, variableToSet, warnOn, withWarnings,
  type Surroundings
} from './process.ts'
import type { Start } from './serve.ts'

const served = '0 stopped by a signal, 1 failed (the port may be taken), 2 wrong use, 78 bad configuration'
const settingsHelp =
  `Settings come from config/service-config.json (CONFIG_DIR) and the environment; docs/configuration.md lists them.
Every variable also works with the prefix MUSIC_RELAY_, such as MUSIC_RELAY_PORT, which wins over PORT.`
const addressInJson = 'print the address as one line of JSON instead of the banner'

/** Creates the command line. Parsing throws CommanderError for wrong use, and after help or version (exit code 0). */
export function createProgram (around: Surroundings = ownSurroundings()): Command {
  const { env, stdout, stderr, ends, leavingSignal } = around
  const write = (text: string): void => { stdout.write(text) }
  const program = new Command('music-relay')
    .description('Self-hosted relay that gives an online-music provider a typed JSON interface.')
    .version(version)
    .showHelpAfterError('(music-relay --help shows the commands)')
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: (text) => { stderr.write(text) } })
    .addHelpText('after', `
Examples:
  music-relay demo                      relay and demo upstream, nothing else needed
  music-relay                           relay in front of the real upstream, port 3200
  PORT=8080 HOST=0.0.0.0 music-relay    on all addresses, port 8080
  music-relay login                     log in with a phone; stores the cookie for USE_GLOBAL_COOKIE=true
  music-relay login --as living-room    log in with a phone; stores an account with its own secret
  music-relay accounts                  list the stored accounts, renew or remove them, give keys to apps
  music-relay doctor                    check the upstream, call by call
  music-relay openapi > openapi.yaml    the interface as an OpenAPI document
  music-relay <command> --help          examples and exit codes of a command

${settingsHelp}
Exit codes: 0 done, 1 failed, 2 wrong use, 78 bad configuration, 130 interrupted.`)

  program.command('serve', { isDefault: true })
    .description('start the relay (the default)')
    .option('--json', addressInJson)
    .addHelpText('after', `\n${settingsHelp}\n${help(served,
      'music-relay serve',
      'PORT=8080 HOST=0.0.0.0 ACCESS_TOKEN=… music-relay serve',
      'CONFIG_DIR=/etc/music-relay USE_GLOBAL_COOKIE=true music-relay serve')}`)
    // A mistyped command arrives here as an argument of the default command.
    .allowExcessArguments()
    .action(async (options: { json?: true }, command: Command) => {
      if (command.args[0] !== undefined) command.error(`error: unknown command '${command.args[0]}'`)
      const { serve } = await import('./serve.ts')
      await started(around, options, serve)
    })

  program.command('demo')
    .description('start the demo upstream and a relay in front of it: works offline')
    .addOption(moodOption())
    .option('--likes <number>', 'songs that the member likes, for a large library: at most 20000', wholeNumber(1, 20_000))
    .option('--json', addressInJson)
    .addHelpText('after', `\n${moodHelp()}${help(served,
      'music-relay demo',
      'music-relay demo --likes 5000',
      'music-relay demo --mood search-500,programs-2001',
      'PORT=0 music-relay demo --json')}`)
    .action(async (
      { mood: moods, likes: memberLikes, ...options }: { mood: readonly string[], likes?: number, json?: true }
    ) => {
      const { serveDemo } = await import('./serve.ts')
      await started(around, options, async (start) => {
        await serveDemo(start, { moods, ...memberLikes === undefined ? {} : { memberLikes } })
      })
    })

  program.command('demo-upstream')
    .description('start the demo upstream alone; point a relay at it with UPSTREAM_ORIGIN')
    .option('--port <number>', 'port to listen on, 0 takes a free one', wholeNumber(0, 65_535), 4200)
    .option('--rename <call:path=name>', 'rename a field in the answers of a call, to simulate a change upstream', renaming)
    .addOption(moodOption())
    .option('--json', addressInJson)
    .addHelpText('after', `\n${moodHelp()}
You can switch moods while it runs: open http://127.0.0.1:4200/demo/moods, or PUT and DELETE /demo/moods/<name>.
${help(served,
      'music-relay demo-upstream --port 4200',
      'music-relay demo-upstream --mood search-500',
      'UPSTREAM_ORIGIN=http://127.0.0.1:4200 IMAGE_ORIGIN=http://127.0.0.1:4200 music-relay')}`)
    .action(async (
      { port, rename, mood, json = false }: { port: number, rename?: Renaming, mood: readonly string[], json?: boolean }
    ) => {
      const { serveDemoUpstream } = await import('./serve.ts')
      await serveDemoUpstream({ json, out: write }, { port, moods: mood }, rename)
    })

  program.command('login')
    .description('log in by scanning a QR code with a phone, or with the cookie of a browser, and store the login in CONFIG_DIR/user-info.json')
    .addArgument(
      new Argument('[channel]', `alt for an account made with ${scanApps.alt}, main for one made with ${scanApps.main}`)
        .choices(['main', 'alt'] satisfies Channel[])
        .default('alt')
    )
    .option('--as <name>', 'store the login as this account, in CONFIG_DIR/accounts/<name>.json, and show the secret if it is new')
    .addOption(new Option('--print', 'print the cookie instead of storing it').conflicts('as'))
    .addOption(new Option('--cookie [file]', 'log in with the cookie of a browser, from a file or from stdin').conflicts('picture'))
    .option('--json', 'print the result as one line of JSON')
    .option('--picture', 'write the QR code to a file instead of drawing it')
    .addHelpText('after', `
The default is alt, because main is refused on many networks outside the provider's home country.
--cookie reads what the browser, or an extension that exports cookies, gives. A cookie is never an argument: others see those.
An expired code is replaced up to three times. Progress goes to stderr, the result to stdout.
${help(`0 logged in, 1 not logged in, ${usual}`,
      'music-relay login',
      'music-relay login --as living-room',
      'music-relay login --cookie cookies.json',
      'COOKIE=$(music-relay login --print)')}`)
    .action(async (channel: Channel, { as, ...options }: LoginOptions & { as?: string }, command: Command) => {
      ends(await logIn(around, channel, as === undefined ? undefined : accountArgument(command, as), options))
    })

  addAccountsCommand(program, around)

  program.command('doctor')
    .description('check every upstream host and call with small requests, and the stored accounts, and report their status')
    .option('--all', 'show every host, call and endpoint, not only those that need attention')
    .option('--json', 'print the whole report as one line of JSON, with facts for an issue')
    .option('--cookie-file <file>', 'file with the cookie of the account to use')
    .addHelpText('after', `
Sends about a hundred small requests, and asks a relay at HOST and PORT since when calls fail.
Reads the files of stored accounts; renews and changes none.
The report begins with a sentence that can be pasted into an issue; it holds no secret. Progress goes to stderr.
${help(`0 nothing needs attention (without a cookie, calls that require a login do not count), 1 something needs attention, ${usual}`, 'music-relay doctor', 'music-relay doctor --json --cookie-file config/user-info.json > findings.json')}`)
    .action(async (
      { json = false, all = false, cookieFile }: { json?: boolean, all?: boolean, cookieFile?: string }
    ) => {
      const { doctor } = await import('./doctor.ts')
      ends(await doctor({
        ...await watching(around, cookieFile),
        json,
        all,
        colour: stdout.isTTY === true && !env['NO_COLOR']
      }))
    })

  program.command('record')
    .description('record one answer of every call, without secrets and personal data, to compare with later ones')
    .requiredOption('--out <folder>', 'folder to write to, one file for each call')
    .option('--cookie-file <file>', 'file with the cookie of the account to use')
    .option('--json', 'print what was recorded and what was not as one line of JSON')
    .addHelpText('after', help(`0 something was recorded, 1 nothing was answered or the folder cannot be written, ${usual}`,
      'music-relay record --out recordings/today',
      'music-relay record --out recordings/today --cookie-file config/user-info.json'))
    .action(async ({ out: folder, cookieFile, json = false }: { out: string, cookieFile?: string, json?: boolean }) => {
      const { record } = await import('./doctor.ts')
      ends(await record({ ...await watching(around, cookieFile), folder, json }))
    })

  program.command('diff')
    .description('list the fields that were added, removed or retyped between two recordings')
    .argument('<old>', 'folder or file of an earlier recording')
    .argument('<new>', 'folder or file of a later one')
    .option('--json', 'print the differences as one line of JSON')
    .addHelpText('after', help('0 the shapes are the same, 1 they differ or cannot be read, 2 wrong use',
      'music-relay diff recordings/spring recordings/today'))
    .action(async (older: string, newer: string, { json = false }: { json?: boolean }) => {
      const { compare } = await import('./doctor.ts')
      ends(await compare({ older, newer, json, out: write }))
    })

  program.command('check')
    .description('say which recordings the readers of this version cannot read, and where; sends nothing')
    .argument('<folder>', 'folder or file of a recording')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText('after', help('0 all can be read, 1 some cannot, or are no recordings, 2 wrong use', 'music-relay check recordings/today'))
    .action(async (folder: string, { json = false }: { json?: boolean }) => {
      const { check } = await import('./doctor.ts')
      ends(await check({ folder, json, out: write }))
    })

  program.command('openapi')
    .description('print the OpenAPI document (YAML)')
    .option('--json', 'print JSON instead of YAML')
    .addHelpText('after', help('0 printed, 1 failed, 2 wrong use',
      'music-relay openapi > openapi.yaml',
      'music-relay openapi --json > openapi.json'))
    .action(async ({ json = false }: { json?: boolean }) => {
      const text = await readFile(new URL(import.meta.resolve('music-relay/openapi.yaml')), 'utf8')
      if (!json) return write(text)
      const { parsedYaml } = await import('../openapi/published.ts')
      write(`${JSON.stringify(await parsedYaml(text), null, 2)}\n`)
    })

  program.command('mcp')
    .description('offer the endpoints as tools to an agent (Model Context Protocol over stdin and stdout)')
    .option('--all', 'offer all endpoints; without it ten, which take a tenth of the tokens')
    .option('--demo', 'use the demo upstream and an account of it: needs no login and no Internet')
    .addHelpText('after', `
The agent starts this command; logs go to stderr. Logins and cookies are not offered as tools.
${help('0 the agent disconnected, 1 failed, 2 wrong use, 78 bad configuration',
    'music-relay mcp',
    'music-relay mcp --demo',
    'music-relay mcp --all',
    'LOG_LEVEL=warn music-relay mcp')}`)
    .action(async ({ all = false, demo: isDemo = false }: { all?: boolean, demo?: boolean }) => {
      const { mcp } = await import('./mcpCommand.ts')
      const folder = await existingFolder(env)
      ends(await withWarnings(
        stderr,
        async (warnings) => await mcp({ folder, env, warnings, all, isDemo, signal: leavingSignal() })
      ))
    })
  return program
}

async function started (
  { env, stderr }: Surroundings,
  { json = false }: { json?: boolean },
  run: (start: Start) => Promise<void>
): Promise<void> {
  const folder = await existingFolder(env)
  await withWarnings(stderr, async (warnings) => { await run({ folder, env, warnings, json }) })
}

async function watching (
  { env, stdout, stderr, leavingSignal }: Surroundings,
  cookieFile: string | undefined
): Promise<DoctorTask> {
  const folder = await existingFolder(env)
  const settings = await loadSettings({ folder, env, warn: warnOn(stderr) })
  const { createScreen } = await import('./screen.ts')
  const screen = createScreen(stderr, env)
  return {
    settings,
    cookieFile,
    relay: relayOf(settings),
    accounts: { folder },
    screen,
    out: (text) => {
      stdout.write(text)
    },
    signal: leavingSignal()
  }
}

/** The address of a relay with these settings on this machine; undefined if its port is chosen at the start. */
function relayOf (settings: Settings): string | undefined {
  const { host, port } = settings
  const own = isWildcardBind(settings) ? 'localhost' : host
  return port === 0 ? undefined : `http://${own.includes(':') ? `[${own}]` : own}:${port}`
}

/** The options of the command. `cookie`: a file; true: stdin. */
interface LoginOptions {
  readonly print?: boolean
  readonly json?: boolean
  readonly picture?: boolean
  readonly cookie?: string | true
}

async function logIn (
  { env, stdin, stdout, stderr, leavingSignal }: Surroundings,
  channel: Channel,
  as: string | undefined,
  { print = false, json = false, picture = false, cookie: from }: LoginOptions
): Promise<number> {
  const folder = configFolder(env) // created by the login if it is missing
  const settings = await loadSettings({ folder, env, warn: warnOn(stderr), warnOfRemoved: false })
  const [{ login }, { createScreen }] = [await import('./loginCommand.ts'), await import('./screen.ts')]
  if (from === true && stdin.isTTY === true) stderr.write('Paste the cookie, then press Enter and Ctrl-D:\n')
  const cookie = from === true ? await textOf(stdin) : from === undefined ? undefined : await textIn(from)
  return await login({
    cookie,
    channel,
    as: as === defaultAccount ? undefined : as,
    settings,
    folder,
    folderVariable: variableToSet(env, 'CONFIG_DIR'),
    print,
    json,
    picture,
    screen: createScreen(stderr, env),
    out: (text) => { stdout.write(text) },
    signal: leavingSignal()
  })
}

/** Longest cookie that is read, in characters: an export of a whole browser. */
const longestCookie = 512 * 1024

async function textOf (stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const part of stream) if ((text += String(part)).length > longestCookie) break
  return text
}

const wholeNumber = (least: number, most: number) => (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text)
  throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}.`)
}

function renaming (text: string): Renaming {
  const found = renamingOf(text)
  if (found === undefined) throw new InvalidArgumentError('must look like module/method:data.list[].title=headline.')
  return found
}

function moodOption (): Option {
  return new Option('--mood <names>', 'faults that the demo upstream simulates, one name or several with commas; can be repeated').default([], 'none').argParser(moods)
}

function moods (text: string, earlier: readonly string[]): readonly string[] {
  try {
    return [...earlier, ...moodsNamed(text)]
  } catch (error) {
    throw new InvalidArgumentError((error as RangeError).message)
  }
}

// Runs a command to its end, or until it listens: what is said of its errors, and the exit codes.

/** Exit codes: 0 success, 1 failure or crash, 2 wrong usage, 78 bad configuration, 130 interrupted. */
const badConfiguration = 78
const wrongUse = 2

/**
 * Runs the command with these arguments. Returns the exit code with which the process is to end at once: after an
 * error, wrong use, help or version. Undefined: it ends by itself when nothing is left to do.
 */
export async function runCommand (
  args: readonly string[],
  around: Surroundings = ownSurroundings()
): Promise<number | undefined> {
  try {
    await createProgram(around).parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const message = error instanceof Error ? `${error.message}${listenHint(error, around.env)}` : 'failed'
    const [exit, code] = error instanceof CommanderError ? [wrongUse, 'WRONG_USE'] as const
      : error instanceof ConfigError ? [badConfiguration, 'BAD_CONFIGURATION'] as const : [1, 'FAILED'] as const
    if (exit !== wrongUse) around.stderr.write(`music-relay: ${message}\n`)
    if (args.includes('--json')) around.stdout.write(`${JSON.stringify({ ok: false, code, error: message })}\n`)
    return exit
  }
}
