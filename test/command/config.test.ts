/** Settings on the command line: what a wrong one ends with, what the start says, and a login that is replaced. The rules are in test/relay/settings.test.ts. */
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import {
  chmodSync, mkdirSync, readFileSync, renameSync, rmSync, rmdirSync, statSync, symlinkSync, writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { followUserInfo, openUserInfo } from '../../src/cli/storedAccounts.ts'
import { version } from '../../src/common/version.ts'
import { run } from '../support/accountCommands.ts'
import { root, runToEnd, type Ended } from '../support/commandProcess.ts'
import { demoFor, serverOnWire, until } from '../support/helper.ts'
import { userInfoIn } from '../support/userInfo.ts'

t.test('the command line says wrong use with 2 and bad configuration with 78', async (t) => {
  const folder = t.testdir({
    wrong: { 'service-config.json': '{"fallbackMode": "yes"}' },
    shadowing: { 'service-config.json': '{"cookieParamName": "limit"}' },
    port: { 'service-config.json': '{"port": "x"}' }
  })
  const [absent, port] = [join(folder, 'absent'), { MUSIC_RELAY_CONFIG_DIR: join(folder, 'port') }]
  const noFolder = `music-relay: environment variable CONFIG_DIR: ${absent} does not exist.`
  const rows: ReadonlyArray<readonly [readonly string[], NodeJS.ProcessEnv, number, RegExp | string]> = [
    [
      ['serve'], { CONFIG_DIR: join(folder, 'wrong') }, 78,
      /^music-relay: .*service-config\.json: fallbackMode: must be true or false.*\n$/s
    ],
    [
      ['serve'], { CONFIG_DIR: join(folder, 'shadowing') }, 78,
      /^music-relay: .*service-config\.json: cookieParamName: "limit" is a parameter of \/\w+; choose another name\.\n$/
    ],
    [['nonsense'], {}, 2, /unknown command 'nonsense'\n.*--help/],
    [['demo-upstream', '--port', 'x'], {}, 2, /port/],
    [['serve'], { CONFIG_DIR: absent }, 78, noFolder],
    [['mcp'], { CONFIG_DIR: absent }, 78, noFolder],
    [['demo'], port, 78, /^music-relay: \S+port\/service-config\.json: port: must be /],
    [['doctor'], port, 78, /^music-relay: \S+port\/service-config\.json: port: must be /],
    [
      [], { PORT: '0', NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 78,
      /^music-relay: environment variable NODE_TLS_REJECT_UNAUTHORIZED: must not be 0/m
    ]
  ]
  await Promise.all(rows.map(async ([args, env, code, words], at) => {
    const { err, ...ended } = await (at % 2 === 0 ? runToEnd : run)(args, env)
    t.same(ended, { code, out: '' }, args.join(' '))
    t.match(err, words)
  }))
  t.match(await run(['--help'], {}), { code: 0, out: /Examples:[\s\S]*music-relay demo/ })
})

t.test('the start says modes and never values, and the process ends cleanly', async (t) => {
  const demo = await demoFor(t)
  const base = { PORT: '0', UPSTREAM_ORIGIN: demo.origin, LOG_LEVEL: 'trace' }
  const folder = t.testdir({ stored: { 'service-config.json': '{"cookieParamName":"auth"}', 'user-info.json': '{"loginUin":"o70007","cookie":"uin=o70007; provider_key=SECRETKEY"}' } })
  const stored = join(folder, 'stored')
  const json = { PORT: '0', UPSTREAM_ORIGIN: demo.origin, CONFIG_DIR: folder }
  const invented = { PORT: '0', CONFIG_DIR: stored, ACCESS_TOKEN: 'SECRETKEY' }
  const [on, behind, guarded, none, usable, off, trial, closed] = await Promise.all([
    runToEnd(['serve'], {
      ...base, CONFIG_DIR: stored, USE_GLOBAL_COOKIE: 'true', MUSIC_RELAY_HOST: 'localhost', METRICS: 'true',
      UPSTREAM_PROXY: 'http://op:SECRETKEY@127.0.0.1:8,127.0.0.1=direct'
    }, { stop: /only this machine/ }),
    runToEnd(['serve'], {
      ...base, CONFIG_DIR: folder, MUSIC_RELAY_HOST: 'localhost', PUBLIC_ORIGIN: 'https://music.example/relay'
    }, { stop: /only this machine.*\n/ }),
    runToEnd([], {
      ...base, CONFIG_DIR: folder, HOST: '0.0.0.0', ACCESS_TOKEN: 'SECRETKEY', METING: 'true',
      SUBSONIC_PASSWORD: 'SECRETKEY', PUBLIC_ORIGIN: 'https://music.example/relay/'
    }, { stop: /access token.*\n/ }),
    runToEnd(['serve', '--json'], { ...json, USE_GLOBAL_COOKIE: 'true' }, { stop: /"level":"warn"/ }),
    runToEnd(['serve', '--json'], { ...json, USE_GLOBAL_COOKIE: 'true', CONFIG_DIR: stored }, { stop: /\n/ }),
    // The secret has an effect: it signs the links.
    runToEnd(['serve', '--json'], { ...json, REDIS_SECRET: 'SECRETKEY', METING: 'true' }, { stop: /\n/ }),
    runToEnd(['demo'], invented, { stop: /child .*\n/ }),
    runToEnd(['demo'], { ...invented, FALLBACK_MODE: 'false' }, { stop: /child .*\n/ })
  ])
  for (const { code, out, err } of [on, behind, guarded, none, usable, off, trial, closed]) {
    t.equal(code, 0, err)
    t.notMatch(out + err, /SECRETKEY|70007/)
  }
  t.ok(on.out.startsWith(`music-relay ${version}\n`))
  t.match(on.out, /settings +\S+service-config\.json\n[\s\S]*fallback mode +on: .*\?auth=[\s\S]*global cookie +on\n/)
  t.match(
    on.out,
    /listening +(http:\/\/localhost:\d+)\n[^]*upstream proxy +http:\/\/127\.0\.0\.1:8, [^]*metrics +\1\/metrics\n[^]*set MUSIC_RELAY_HOST=0\.0\.0\.0 to/
  )
  t.match(
    behind.out, /only this machine can reach it; a proxy on it makes it https:\/\/music\.example\/relay\n/,
    'HOST would open the port beside the proxy'
  )
  t.match(
    trial.out,
    /curl -H "Authorization: Bearer \$ACCESS_TOKEN" 'http:[^]*\nDemo accounts \(pass one as X-Custom-Cookie or \?auth=\):\n/
  )
  t.match(closed.out, /\nDemo accounts:\n/, 'where no request may bring a cookie')
  t.match(guarded.out, /settings +\S+service-config\.json \(missing/)
  t.match(guarded.out, /documentation +https:\/\/music\.example\/relay\/docs\n/)
  t.match(guarded.out, /access token +on\n/)
  t.match(
    guarded.out,
    /listening +http:\/\/0\.0\.0\.0:\d+\n[\s\S]*blog widgets +https:\/\/music\.example\/relay\/meting\?[\s\S]*players +https:\/\/music\.example\/relay \(/, 'what others paste is the address that they reach'
  )

  const first = ({ out }: Ended): unknown => JSON.parse(out.split('\n', 1)[0] ?? '')
  const warned = ({ out }: Ended): string[] => out.split('\n')
    .filter((line) => line.includes('"level":"warn"')).map((line) => (JSON.parse(line) as { msg: string }).msg)
  t.match(first(none), {
    msg: 'listening', version, address: /^http:/, upstream: 'another origin', globalCookie: 'on, none stored'
  }, 'the first line is the one with the address')
  t.same(warned(none), ['useGlobalCookie is on, but user-info.json holds no cookie: requests stay anonymous until music-relay login stores one'])
  t.match([usable, off].map((ended) => [first(ended), warned(ended)]), [
    [{ globalCookie: 'on' }, []], [{ globalCookie: 'off' }, []]
  ])
})

t.test('the start warns once of each misspelt variable, removed setting and secret without a store, and never says their values', async (t) => {
  const folder = t.testdir({ old: { 'service-config.json': '{"retryFloor": 2}' } })
  const env = { CONFIG_DIR: folder, PORT: '0', ACCES_TOKEN: 'SECRETKEY' }
  const more = { CONFIG_DIR: join(folder, 'old'), CIRCUIT_FAILURES: '3', UPSTREAM_ORIGIN: 'http://127.0.0.1:1' }
  const misspelt = 'environment variable ACCES_TOKEN: unknown; did you mean ACCESS_TOKEN?'
  const removed = 'Settings that no longer exist are ignored. Remove retryFloor, CIRCUIT_FAILURES: the value is fixed now.'
  const needless = 'MUSIC_RELAY_REDIS_SECRET has no effect, because no shared store is set. Set REDIS_URL, or remove it.'
  const served =
    await runToEnd(['serve'], { ...env, ...more, MUSIC_RELAY_REDIS_SECRET: 'SECRETKEY' }, { stop: /has no effect/ })
  t.match(served, { code: 0, out: /^music-relay/, err: '' }, 'the banner comes first')
  t.notMatch(served.out, 'SECRETKEY')
  for (const words of [misspelt, removed, needless]) {
    t.same(served.out.split('\n').filter((line) => line.includes(words)).map(
      (line) => JSON.parse(line) as { level: string, msg: string }
    ).map(({ level, msg }) => [level, msg]), [['warn', words]], 'once')
  }
  await Promise.all(([
    [
      { HOST: '0.0.0.0', USE_GLOBAL_COOKIE: 'true' }, 78,
      /\nmusic-relay: useGlobalCookie: .*needs accessToken\. Set ACCESS_TOKEN, or accessToken in \S+service-config\.json\./
    ],
    [{ PORT: 'x' }, 78, /\nmusic-relay: environment variable PORT: port: must be /],
    // This one has begun a relay when it fails.
    [{ MUSIC_RELAY_HOST: '192.0.2.1' }, 1, /\nmusic-relay: .*MUSIC_RELAY_HOST must be an address of this machine/]
  ] as const).map(async ([own, code, reason]) => {
    const { err, ...ended } = await (code === 1 ? runToEnd : run)(['serve'], { ...env, ...own })
    t.same([ended, err.split('\n')[0]], [{ code, out: '' }, `music-relay: ${misspelt}`])
    t.match(err, reason)
    t.notMatch(err, 'SECRETKEY')
  }))
  // It ends before its requests, which nobody would answer here.
  const doctor = await run(['doctor', '--cookie-file', 'absent'], { ...env, ...more })
  for (const words of [misspelt, removed]) {
    t.equal(doctor.err.split('\n').filter((line) => line === `music-relay: ${words}`).length, 1, doctor.err)
  }
  for (const args of [['accounts'], ['login']]) {
    const { err } = await run(args, { ...env, ...more })
    t.match(err, `music-relay: ${misspelt}\n`, 'other warnings are there')
    t.notMatch(err, 'no longer exist', `${args.join(' ')} does not repeat what the relay says at its start`)
  }
})

t.test('the health check of the image asks at the port that counts', async (t) => {
  const { port } = new URL((await serverOnWire(t, await demoFor(t))).address)
  const [, command = ''] = /^HEALTHCHECK .* CMD (.*)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? []
  const [, ...args] = JSON.parse(command) as string[]
  for (const [env, code] of [
    [{ PORT: port }, 0], [{ PORT: '1', MUSIC_RELAY_PORT: port }, 0], [{ PORT: port, MUSIC_RELAY_PORT: '1' }, 1]
  ] as const) {
    t.same(await once(spawn(process.execPath, args, { env }), 'close'), [code, null], Object.keys(env).join())
  }
})

t.test('a replaced user-info.json is used within a second, and a bad one is not', async (t) => {
  const folder = t.testdir({})
  const file = join(folder, 'user-info.json')
  const info = userInfoIn(folder)
  await info.load()
  const events = new EventEmitter()
  t.teardown(info.watch({ changed: () => { events.emit('changed') }, refused: () => { events.emit('refused') } }))
  const followed = once(events, 'changed')
  await info.save({ cookie: 'uin=1; provider_key=a' })
  await followed
  t.equal(info.get().cookie, 'uin=1; provider_key=a')
  t.same([statSync(file).mode & 0o777, await info.isExposed()], [0o600, false])
  for (const [text, event, key] of [['{"cookie": "uin=2; provider_key=b"', 'refused', 'a'], ['{"cookie": "uin=3; provider_key=c"}', 'changed', 'c']] as const) {
    writeFileSync(file, text)
    await once(events, event)
    t.match(info.get().cookie, `provider_key=${key}`, 'the last good one stays')
  }
  chmodSync(file, 0o644)
  t.equal(await info.isExposed(), true)
})

t.test('the log says what becomes of user-info.json, whatever is put in its place, and quotes nothing', async (t) => {
  const folder = t.testdir({ 'user-info.json': '{"cookie":"uin=1; other=SECRET1"}' })
  const file = join(folder, 'user-info.json')
  chmodSync(file, 0o600)
  const info = await openUserInfo(folder)
  const lines: string[] = []
  const note = (line: unknown): void => { lines.push(String(line)) }
  const said = async (words: RegExp, cookie: string): Promise<void> => {
    await until(() => lines.some((line) => words.test(line)) && info.get('default')?.login.cookie === cookie)
    t.notMatch(lines.splice(0).join('\n'), 'SECRET')
  }
  await followUserInfo(info, { info: note, warn: note, error: note })
  const looks = setInterval(() => { void info.refresh() }, 100)
  t.teardown(() => { clearInterval(looks) })
  t.same(lines.splice(0), ['user-info.json holds no login: its cookie has an account but no key: copy qm_keyst or qqmusic_key, too'])

  // At once, before the first look; by renaming, as the login and editors do.
  writeFileSync(`${file}.new`, '{"cookie":"uin=2; provider_key=SECRET2"}')
  renameSync(`${file}.new`, file)
  await said(/^user-info\.json changed: the new one is in use$/, 'uin=2; provider_key=SECRET2')
  writeFileSync(file, '{"cookie":3}')
  await said(/cookie: must be a text.* The last good one stays in use\.$/, 'uin=2; provider_key=SECRET2')
  rmSync(file)
  mkdirSync(file)
  await said(
    /^user-info\.json: cannot be read \(EISDIR\)\. The last good one stays in use\.$/, 'uin=2; provider_key=SECRET2'
  )
  rmdirSync(file)
  // A link to what is somewhere else, as orchestrators make them.
  writeFileSync(join(folder, 'elsewhere.json'), '{"cookie":"uin=4; provider_key=SECRET4"}')
  symlinkSync('elsewhere.json', file)
  await said(/changed/, 'uin=4; provider_key=SECRET4')
  writeFileSync(join(folder, 'elsewhere.json'), '{"cookie":"uin=5; other=SECRET5"}')
  await said(/holds no login/, 'uin=5; other=SECRET5')
})
