/** The command line for people and scripts: help, JSON, exit codes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import pLimit from 'p-limit'
import t from 'tap'
import { parse } from 'yaml'
import { listenHint } from '../../src/cli/process.ts'
import { createProgram } from '../../src/cli/program.ts'
import { run } from '../support/accountCommands.ts'
import { commandLine, emptyFolder, root, runToEnd, start, type Ended } from '../support/commandProcess.ts'
import { demoFor, memberUin, until } from '../support/helper.ts'

const inTurn = pLimit(3)
/** Runs the command as a process. (`run` is for those that end before anything listens.) */
const asProcess: typeof runToEnd = async (...given) => await inTurn(async () => await runToEnd(...given))
const firstLine = /\n/

let parsed: unknown
/** The published document. Parsing it takes as long as a start of the command. */
const published = (): unknown => parsed ??= parse(readFileSync(`${root}openapi.yaml`, 'utf8'))

const commands = ['serve', 'demo', 'demo-upstream', 'login', 'accounts', 'doctor', 'record', 'diff', 'check', 'openapi', 'mcp']

t.test('every command has help with examples and its exit codes', async (t) => {
  const helpOf = (...args: string[]): string => {
    let out = ''
    const program = createProgram()
    for (const command of [program, ...program.commands]) {
      command.configureOutput({ writeOut: (text) => { out += text } })
    }
    t.throws(() => program.parse([...args, '--help'], { from: 'user' }), { code: 'commander.helpDisplayed' })
    return out
  }
  const all = helpOf()
  for (const name of commands) {
    const out = helpOf(name)
    t.match(all, new RegExp(`^  ${name}\\b`, 'm'))
    t.match(out, new RegExp(`^Usage: music-relay ${name}`))
    t.match(out, /\nExamples:\n( {2}.*music-relay.*\n)+\nExit codes: 0 [^\n]*, 1 [^\n]*, 2 wrong use[^\n]*\.\n$/, name)
    if (name !== 'mcp') t.match(out, /--json/, name)
    if (name.startsWith('demo')) {
      t.match(out, /--mood <names>[^]*\nMoods:\n {2}search-\{500,404,html,empty\} [^]*\n {2}key-expired /, name)
    }
  }
})

t.test('a script learns from one line of JSON where a relay listens', async (t) => {
  const [demo, upstream, wrong] = await Promise.all([
    asProcess(['demo', '--json', '--mood', 'search-empty'], { PORT: '0' }, { stop: firstLine }),
    asProcess(['demo-upstream', '--port', '0', '--json', '--mood', 'search-500,key-expired', '--mood', 'play-404'], {}, { stop: firstLine }),
    run(['demo-upstream', '--port', '0', '--mood', 'search-418'], {})
  ])
  t.equal(demo.code, 0, demo.err)
  t.match(JSON.parse(demo.out.split('\n', 1)[0] ?? ''), {
    msg: 'listening', version: String, address: /^http:\/\/localhost:\d+$/, upstream: 'demo',
    accounts: [{ name: 'ordinary', cookie: String }], moods: ['search-empty']
  })
  for (const line of demo.out.trimEnd().split('\n')) t.doesNotThrow(() => JSON.parse(line) as unknown)
  t.equal(upstream.code, 0, upstream.err)
  t.match(JSON.parse(upstream.out), { msg: 'listening', address: /^http:\/\/127\.0\.0\.1:\d+$/, moods: ['search-500', 'play-404', 'key-expired'] })
  t.match([wrong.code, wrong.err], [2, /There is no mood "search-418"\. The moods are search-500, /])
})

t.test('what is off by default works too: an address for others, their limits, metrics', async (t) => {
  const { address } = await start(t, undefined, {
    DOCS: 'true', HOST: '0.0.0.0', RATE_LIMIT: '4', METRICS: 'true', LOG_LEVEL: 'silent'
  }, { args: ['demo', '--json'] })
  const { port } = new URL(address)
  for (const [path, status, text] of [
    ['/getHotkey', 200, /"hotkey":\[/], ['/metrics', 200, /^# HELP/], ['/docs/json', 200, /./], ['/', 200, /./],
    ['/getHotkey', 200, /./], ['/getHotkey', 429, /RATE_LIMITED/]
  ] as const) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    t.match([answer.status, await answer.text()], [status, text], path)
  }
})

t.test('openapi prints the document that is published, as YAML or as JSON', async (t) => {
  const [yaml, json] = await Promise.all([asProcess(['openapi']), run(['openapi', '--json'], {})])
  t.same([yaml.code, yaml.out], [0, readFileSync(`${root}openapi.yaml`, 'utf8')])
  t.equal(json.code, 0, json.err)
  t.same(JSON.parse(json.out), published())
})

t.test('who reads only the first lines of a long answer hears of no failure', async (t) => {
  const child = spawn(process.execPath, [...commandLine, 'openapi'], { cwd: root, env: { PATH: process.env['PATH'] } })
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => { err += text })
  child.stdout.destroy()
  t.same([await once(child, 'close'), err], [[0, null], ''])
})

t.test('an output that cannot be written is said in one line, and progress is not an output', { skip: existsSync('/dev/full') ? false : 'there is no /dev/full' }, async (t) => {
  const demo = await demoFor(t)
  const full = openSync('/dev/full', 'w')
  const ends = async (args: readonly string[], stdio: ['ignore', number | 'pipe', number | 'pipe']): Promise<Ended> =>
    await runToEnd(args, { UPSTREAM_ORIGIN: demo.origin, UPSTREAM_RATE_PER_HOST: '0' }, { stdio })
  const said = { code: 1, out: '', err: 'music-relay: the output cannot be written (ENOSPC).\n' }
  t.same(await ends(['openapi'], ['ignore', full, 'pipe']), said)
  t.same(await ends(['demo-upstream', '--port', '0'], ['ignore', full, 'pipe']), said)
  t.match(await ends(['--help'], ['ignore', full, 'pipe']), { code: 1 })
  const login = ends(['login', '--print', '--json'], ['ignore', 'pipe', full])
  await until(() => demo.login.ids('alt').length > 0)
  demo.login.confirm(demo.login.ids('alt')[0] ?? '', 'member')
  const { code, out } = await login
  t.equal(code, 0)
  t.match(JSON.parse(out), { ok: true, loginUin: `o${memberUin}`, cookie: String })
  closeSync(full)
})

t.test('what cannot be done ends with the documented code and one line that says why', async (t) => {
  const folder = t.testdir({ 'user-info.json': {} })
  const cases: readonly [
    readonly string[], Record<string, string>, number, RegExp, (typeof run | typeof asProcess)?
  ][] = [
    [['diff', 'absent', 'absent'], {}, 1, /^music-relay: absent cannot be read \(ENOENT\)\.\n$/],
    [['diff', 'openapi.yaml', 'openapi.yaml'], {}, 1, /^music-relay: openapi.yaml is no recording/, run],
    // No progress is printed, because no upstream request is sent.
    [
      ['record', '--out', 'openapi.yaml/x'], { UPSTREAM_ORIGIN: 'http://127.0.0.1:1' }, 1,
      /^music-relay: openapi.yaml\/x cannot be written \(ENOTDIR\)\.\n$/
    ],
    [['record'], {}, 2, /--out/],
    [['login', 'other'], {}, 2, /main, alt/, run],
    [['mcp'], { PORT: 'x' }, 78, /^music-relay: environment variable PORT: port: must be a whole number/, run],
    [['doctor', '--cookie-file', 'absent'], { UPSTREAM_ORIGIN: 'http://127.0.0.1:1' }, 78, /^music-relay: absent cannot be read/],
    [
      ['serve'], { PORT: '0', HOST: '192.0.2.1', LOG_LEVEL: 'silent' }, 1,
      /^music-relay: .*HOST must be an address of this machine/
    ],
    [
      ['serve'], { PORT: '0', CONFIG_DIR: folder, USE_GLOBAL_COOKIE: 'true' }, 78,
      /^music-relay: .*user-info\.json: cannot be read \(EISDIR\)\.\n$/
    ]
  ]
  await Promise.all(cases.map(async ([args, env, code, words, by = asProcess]) => {
    const ended = await by(args, { CONFIG_DIR: emptyFolder, ...env })
    t.equal(ended.code, code, args.join(' '))
    t.match(ended.err, words)
    t.equal(ended.out, '')
  }))
  for (const code of ['EADDRINUSE', 'EACCES']) {
    const error = Object.assign(new Error(code), { code, syscall: 'listen' })
    t.match(listenHint(error, {}), /set PORT \(demo-upstream: --port\)/, code)
  }
})

t.test('the command shows its documentation: the page, the document in both formats, the files', async (t) => {
  const { address } =
    await start(t, undefined, { DOCS: 'true', LOG_LEVEL: 'warn', HOST: 'localhost' }, { args: ['serve', '--json'] })
  const text = async (path: string): Promise<string> => {
    const reply = await fetch(`${address}${path}`)
    t.equal(reply.status, 200, path)
    return await reply.text()
  }
  t.match(await text('/docs'), /<title>/)
  t.match(await text('/docs/static/index.css'), /box-sizing/)
  const document = JSON.parse(await text('/docs/json')) as { servers: { url: string }[] }
  t.same(parse(await text('/docs/yaml')), document)
  const { servers, ...rest } = published() as typeof document
  t.same({ ...rest, servers: [{ url: address }] }, document, 'the file, but for the address')
  t.equal(servers.length, 1)
})
