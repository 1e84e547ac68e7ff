/** Settings: files, then environment, then options. A wrong one stops the start, is named, and changes nothing. */
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, rmdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import t from 'tap'
import type { Test } from 'tap'
import { ServiceConfig } from '../../schemas/config.ts'
import { createUserInfo } from '../../config/user-info.ts'
import { banner } from '../../src/cli/banner.ts'
import { existingFolder } from '../../src/cli/environment.ts'
import { followUserInfo, globalCookieState, openUserInfo } from '../../src/cli/userInfo.ts'
import { checkUserInfo, loadSettings, settingsOf, variableOf } from '../../src/core/config.ts'
import { ConfigError } from '../../src/common/errors.ts'
import { removedSettings } from '../../src/core/removedSettings.ts'
import { tuning } from '../../src/core/tuning.ts'
import { version } from '../../src/common/version.ts'
import { createRelay, resolveOptions } from '../../src/library/relay.ts'
import { upstreamOptions } from '../../src/core/runtime.ts'
import { run } from '../support/accountCommands.ts'
import { commandLine } from '../support/command.ts'
import { demoFor, serverFor, until } from '../support/helper.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function folderWith (t: Test, files: Parameters<Test['testdir']>[0]): string {
  return t.testdir(files)
}

const load = async (folder: string, env: NodeJS.ProcessEnv = {}): ReturnType<typeof loadSettings> => await loadSettings({ folder, env })

t.test('a settings file with secrets that others can read is worth a warning', { skip: process.platform === 'win32' && 'files have no mode there' }, async (t) => {
  const warned = async (settings: object, mode: number): Promise<string[]> => {
    const folder = folderWith(t, { 'service-config.json': JSON.stringify(settings) })
    chmodSync(join(folder, 'service-config.json'), mode)
    const lines: string[] = []
    await loadSettings({ folder, env: {}, warn: (line) => { lines.push(line) } })
    return lines
  }
  for (const secret of [{ accessToken: 'secret-1' }, { redisUrl: 'redis://:secret-1@127.0.0.1' }, { redisSecret: 'secret-1' }, { accountsSecret: 'secret-1, a longer one' }, { subsonicPassword: 'secret-1' }, { upstreamProxy: ['http://op:secret-1@proxy.example'] }]) {
    t.match(await warned(secret, 0o644), [/service-config\.json holds secrets and can be read by others on this machine: chmod 600 it$/])
    t.same(await warned(secret, 0o600), [])
  }
  t.same(await warned({ port: 1, accessToken: '', upstreamProxy: [] }, 0o644), [])
})

t.test('without files the shipped defaults hold', async (t) => {
  const folder = join(folderWith(t, {}), 'absent')
  const settings = await load(folder)
  t.match(settings, { fallbackMode: true, useGlobalCookie: false, cookieParamName: 'cookie', port: 3200, host: 'localhost', globalCookieScope: 'all' })
  t.ok(Object.isFrozen(settings))
  const shipped = JSON.parse(readFileSync(join(root, 'config/service-config.json'), 'utf8')) as Record<string, unknown>
  for (const [key, value] of Object.entries(shipped)) t.equal(settings[key as keyof typeof settings], value)
})

t.test('every default is a value that its own setting allows', async (t) => {
  const ajv = new Ajv({ strict: false, formats: { 'ip-network': true } })
  for (const [key, schema] of Object.entries(ServiceConfig.properties)) t.ok(ajv.validate(schema, schema.default), key)
  t.same(Object.keys(settingsOf()), Object.keys(ServiceConfig.properties))
})

t.test('there are at most forty settings, and the table in the documentation shows all of each', async (t) => {
  const settings = Object.entries(ServiceConfig.properties)
  t.ok(settings.length <= 40, `${settings.length} settings`)
  const rows = readFileSync(join(root, 'docs/configuration.md'), 'utf8').split('\n').filter((line) => /^\| `\w+` \|/.test(line)).map((line) => line.split('|').map((cell) => cell.trim()))
  t.equal(rows.length, settings.length)
  for (const [key, { description, default: usual }] of settings) {
    const variable = variableOf(key)
    t.match(rows.find(([, name]) => name === `\`${key}\``), ['', `\`${key}\``, variable === undefined ? '–' : `\`${variable}\``, /\S/, `\`${JSON.stringify(usual)}\``, description], key)
    t.match(description, /^\/?\w.*\.$/, key)
  }
})

t.test('no figure is both a setting and a constant, and no removed setting is still one', async (t) => {
  for (const key of Object.keys(ServiceConfig.properties)) {
    t.notOk(Object.hasOwn(tuning, key), key)
    t.notOk(Object.hasOwn(removedSettings, key), key)
  }
  t.ok(Object.isFrozen(tuning))
})

t.test('the limits of one host follow the settings for all', async (t) => {
  const limits = { upstreamLimitPerHost: 32, upstreamBurstPerHost: 200, upstreamConnections: 64 }
  t.match(upstreamOptions(resolveOptions()), limits)
  t.match(upstreamOptions(resolveOptions({ upstreamLimit: 301, upstreamRatePerHost: 5 })), { upstreamLimitPerHost: 151, upstreamBurstPerHost: 20, upstreamConnections: 301 })
  t.match(upstreamOptions(resolveOptions({ upstreamLimit: 1 })), { ...limits, upstreamLimitPerHost: 1 })
})

t.test('removed settings are ignored, and one line says which and why', async (t) => {
  const warned = async (file: object, env: NodeJS.ProcessEnv, options: object = {}): Promise<string[]> => {
    const lines: string[] = []
    const folder = folderWith(t, { 'service-config.json': JSON.stringify(file) })
    t.same(await loadSettings({ folder, env, options, warn: (line) => { lines.push(line) } }), settingsOf({ port: 3201 }))
    return lines
  }
  const port = { port: 3201 }
  t.same(await warned(port, { RETRY_FLOOR: '', RETRY_FLOORS: '2' }), [], 'an empty variable is absent')
  t.same(await warned({ ...port, retryFloor: 'whatever', cacheEntries: 10 }, {}), ['Settings that no longer exist are ignored. Remove retryFloor: the value is fixed now. Remove cacheEntries: cacheBytes limits the cache.'])
  t.same(await warned(port, { LINK_PAUSE_MS: '5', CIRCUIT_FAILURES: '1' }), ['Settings that no longer exist are ignored. Remove CIRCUIT_FAILURES, LINK_PAUSE_MS: the value is fixed now.'])
  t.same(await warned({ retryFloor: 1 }, { PORT: '3201', RETRY_FLOOR: '2' }, { stray: undefined, midBatchSize: 3 }).catch((error: Error) => error.message), 'options: stray: unknown key. Known keys: ' + Object.keys(ServiceConfig.properties).join(', ') + '.')
  t.same(await warned({ retryFloor: 1 }, { PORT: '3201', RETRY_FLOOR: '2' }, { midBatchSize: 3 }), ['Settings that no longer exist are ignored. Remove retryFloor, RETRY_FLOOR, midBatchSize: the value is fixed now.'])
  for (const key of Object.keys(removedSettings)) {
    const variable = variableOf(key) as string
    t.match(await warned({ ...port, [key]: 1 }, { [variable]: '1' }), [new RegExp(`^[^\n]*Remove ${key}, ${variable}: [^\n]+\\.$`)])
  }
  t.match(await load(folderWith(t, { 'service-config.json': '{"retryFloor": 1}' }), { RETRY_FLOOR: '1' }), { port: 3200 }, 'nobody needs to listen')
})

t.test('removed options of a program are ignored with a warning in its log', async (t) => {
  const old = { softDeadlineMs: 1, CACHE_ENTRIES: 1 } as object
  t.throws(() => createRelay(old), { name: 'ConfigError', message: /^options: CACHE_ENTRIES: unknown key/ }, 'only keys are options')
  const { log } = await serverFor(t, await demoFor(t), { softDeadlineMs: 1, cacheEntries: undefined } as object)
  t.same(log.map((line) => JSON.parse(line) as { level: string, msg: string }).filter(({ level }) => level === 'warn').map(({ msg }) => msg), ['Settings that no longer exist are ignored. Remove softDeadlineMs: the value is fixed now.'])
  const silent = createRelay({ softDeadlineMs: 1 } as object)
  await silent.close()
})

t.test('the environment beats the file in both directions, options beat both', async (t) => {
  for (const inFile of [true, false]) {
    const folder = folderWith(t, { 'service-config.json': JSON.stringify({ fallbackMode: inFile, useGlobalCookie: inFile }) })
    t.match(await load(folder), { fallbackMode: inFile, useGlobalCookie: inFile })
    for (const inEnv of [true, false]) {
      t.match(await load(folder, { FALLBACK_MODE: String(inEnv), USE_GLOBAL_COOKIE: String(inEnv) }), { fallbackMode: inEnv, useGlobalCookie: inEnv })
    }
  }
  const options = await loadSettings({ folder: 'absent', env: { PORT: '1' }, options: { port: 2 } })
  t.equal(options.port, 2)
})

t.test('every setting has its variable, except the name of the cookie parameter', async (t) => {
  const values: Readonly<Record<string, string>> = { string: 'x', boolean: 'true' }
  const special: Readonly<Record<string, string>> = { accountsSecret: 'x'.repeat(16), upstreamOrigin: 'http://127.0.0.1:9', imageOrigin: 'https://pictures.example', publicOrigin: 'https://music.example/relay', redisUrl: 'rediss://:password@store.example:6379/1', allowedHosts: 'a.example,b.example', corsOrigins: 'https://a.example,http://b.example:8080', trustProxy: '10.0.0.0/8,::1', upstreamProxy: 'socks5://op:p%2Cw@proxy.example,u.y.qq.com=direct' }
  for (const [key, schema] of Object.entries(ServiceConfig.properties)) {
    const variable = variableOf(key)
    if (variable === undefined) {
      t.equal(key, 'cookieParamName')
      continue
    }
    const { type, minimum, enum: words } = schema as { type?: string, minimum?: number, enum?: string[] }
    const value = special[key] ?? words?.at(-1) ?? values[type ?? ''] ?? String(minimum)
    const settings = await load('absent', { [variable]: value })
    t.equal(String(settings[key as keyof typeof settings]), value, variable)
  }
  t.equal((await load('absent', { COOKIE_PARAM_NAME: 'x' })).cookieParamName, 'cookie')
})

t.test('a wrong file stops the start, naming file, key and expectation, and stays as it was', async (t) => {
  for (const [text, expected] of [
    ['{"fallbackMode": "yes"}', /service-config\.json: fallbackMode: must be true or false/],
    ['{"fallbackMode": 1}', /fallbackMode: must be true or false/],
    ['{"fallbackmode": true}', /service-config\.json: fallbackmode: unknown key\. Did you mean fallbackMode\?$/],
    ['{"prot": 1}', /prot: unknown key\. Did you mean port\?$/],
    ['{"ACCESS_TOKEN": "x"}', /ACCESS_TOKEN: unknown key\. Did you mean accessToken\?$/],
    ['{"acessToken": "x"}', /acessToken: unknown key\. Did you mean accessToken\?$/],
    ['{"acces_tokn": "x"}', /acces_tokn: unknown key\. Did you mean accessToken\?$/],
    ['{"cach": "x"}', /cach: unknown key\. Did you mean cache or cacheBytes\?$/],
    ['{"tea": 1}', /tea: unknown key\. Known keys: fallbackMode, /],
    ['{"cookieParamName": ""}', /cookieParamName: must be a parameter name/],
    ['{"cookieParamName": "a b"}', /cookieParamName: must be a parameter name/],
    ['{"port": 70000}', /port: must be a whole number from 0 to 65535/],
    ['{"port": "3200"}', /port: must be a whole number/],
    ['{"globalCookieScope": "some"}', /globalCookieScope: must be one of all, login/],
    ['{"upstreamOrigin": "http://mirror.example"}', /service-config\.json: upstreamOrigin: must be an origin/],
    ['{"imageOrigin": "http://mirror.example"}', /service-config\.json: imageOrigin: must be an origin/],
    ['{"accessToken": "SECRET\\n"}', /service-config\.json: accessToken: must be a text of at most 512 printable ASCII/],
    ['{"fallbackMode": tr', /service-config\.json: not valid JSON/],
    ['{\n  "port": 3201,\n}', /service-config\.json: not valid JSON \(line 3\);/],
    ['[]', /must hold one JSON object/],
    ['', /not valid JSON/]
  ] as const) {
    const folder = folderWith(t, { 'service-config.json': text })
    await t.rejects(load(folder), { name: 'ConfigError', message: expected }, text)
    t.equal(readFileSync(join(folder, 'service-config.json'), 'utf8'), text)
  }
})

t.test('a wrong variable stops the start, naming it', async (t) => {
  for (const [variable, value] of [
    ['FALLBACK_MODE', '1'], ['FALLBACK_MODE', 'TRUE'], ['USE_GLOBAL_COOKIE', 'yes'], ['PORT', '0x10'], ['PORT', '99999'],
    ['LOG_LEVEL', 'loud'], ['UPSTREAM_ORIGIN', 'ftp://127.0.0.1'], ['UPSTREAM_ORIGIN', 'http://10.0.0.1'], ['UPSTREAM_ORIGIN', 'http://127.0.0.1/path'],
    ['UPSTREAM_ORIGIN', 'https://user@mirror.example'], ['DEADLINE_MS', '-5']
  ] as const) {
    await t.rejects(load('absent', { [variable]: value }), { name: 'ConfigError', message: new RegExp(`^environment variable ${variable}: \\w+: must be `) }, `${variable}=${value}`)
  }
})

t.test('a token that no header can carry stops the start, from wherever it comes; any other one opens the relay', async (t) => {
  const demo = await demoFor(t)
  const expected = /accessToken: must be a text of at most 512 printable ASCII characters, without a space at either end, because it is sent in a header\.$/
  for (const token of ['SECRET\n', 'SECRET\r\n', '\nSECRET', 'SEC\nRET', 'SEC\tRET', 'SEC\u0000RET', 'SECRET\u007f', ' SECRET', 'SECRET ', 'SECRET\t', ' ', 'SECRETé', 'SECRET\u00a0', '密码SECRET', '\ufeffSECRET', 'SECRET\u2028', `SECRET${'0'.repeat(507)}`]) {
    const folder = folderWith(t, { 'service-config.json': JSON.stringify({ accessToken: token }) })
    const attempts: readonly [RegExp, () => unknown][] = [
      [/^\S+service-config\.json: /, async () => await load(folder)],
      [/^environment variable ACCESS_TOKEN: /, async () => await load('absent', { ACCESS_TOKEN: token })],
      [/^options: /, async () => await loadSettings({ folder: 'absent', env: {}, options: { accessToken: token } })],
      [/^options: /, () => createRelay({ accessToken: token })]
    ]
    for (const [from, attempt] of attempts) {
      const { name, message } = await Promise.resolve().then(attempt).then(() => ({ name: 'accepted', message: '' }), (error: Error) => error)
      t.equal(name, 'ConfigError', encodeURIComponent(token))
      t.match(message, from)
      t.match(message, expected)
      t.notMatch(message, 'SECRET')
    }
  }
  for (const token of ['x', '0', 'a b  c', '"quoted"', 'a:b:c', ':', 'a=b==', '~!{}', '#%&?', 'Bearer x', `${'0'.repeat(512)}`]) {
    const server = await serverFor(t, demo, { accessToken: token })
    for (const authorization of [`Bearer ${token}`, `Basic ${Buffer.from(`anyone:${token}`).toString('base64')}`]) {
      t.equal((await server.get('/getImageUrl?id=00DemoAlbu0001', { headers: { authorization } })).status, 200, authorization)
    }
    t.equal((await server.get('/getImageUrl?id=00DemoAlbu0001', { headers: { authorization: `Bearer ${token}x` } })).status, 401, token)
  }
})

t.test('user-info.json is checked the same way, and its cookie is never quoted', async (t) => {
  const holder = (folder: string) => createUserInfo(folder, checkUserInfo)
  t.same(await holder(join(folderWith(t, {}), 'absent')).load(), {})
  const good = folderWith(t, { 'user-info.json': '{"loginUin":"o10001","cookie":"uin=o10001; provider_key=k"}' })
  const info = holder(good)
  t.same(await info.load(), { loginUin: 'o10001', cookie: 'uin=o10001; provider_key=k' })
  t.equal(info.get().cookie, 'uin=o10001; provider_key=k')
  for (const [text, expected] of [
    ['{"cookie": 5}', /user-info\.json: cookie: must be a text/],
    ['{"loginUin": "abc"}', /loginUin: must be an account number/],
    ['{"Cookie": "uin=1; provider_key=SECRET"}', /Cookie: unknown key/],
    ['{"uin=1; provider_key=SECRET": ""}', /user-info\.json: it has an unknown key\. Known keys: loginUin, cookie, renewal\.$/],
    [`{"Q_H_L_SECRET${'0'.repeat(40)}": ""}`, /user-info\.json: it has an unknown key/],
    // Kept, each of them would be refused at every request.
    ['{"cookie": "uin=1; provider_key=SECRET\\n"}', /cookie: must be a text of at most 8192 printable ASCII characters, without line breaks/],
    ['{"cookie": "uin=1; provider_key=SECRETé"}', /cookie: must be a text of/],
    ['{"renewal": "SECRET"}', /user-info\.json: renewal: must be a JSON object\.$/],
    ['{"renewal": {"loginType": 2, "musicKey": "SECRET"}}', /renewal\.musicId: is required\.$/],
    ['{"renewal": {"loginType": 2, "musicId": "SECRET", "musicKey": "SECRET"}}', /renewal\.musicId: must be /],
    [`{"cookie": "uin=1; provider_key=SECRET${'0'.repeat(8192)}"}`, /cookie: must be a text of at most 8192/],
    ['{"cookie": "uin=1; provider_key=SECRET', /not valid JSON/]
  ] as const) {
    const folder = folderWith(t, { 'user-info.json': text })
    const error: unknown = await holder(folder).load().catch((reason: unknown) => reason)
    t.ok(error instanceof ConfigError)
    t.match((error as Error).message, expected)
    t.notMatch((error as Error).message, 'SECRET')
    t.equal(readFileSync(join(folder, 'user-info.json'), 'utf8'), text)
  }
})

t.test('loginUin is the account of a stored cookie that names none', async (t) => {
  const demo = await demoFor(t)
  const cookieOf = (info: object): string | undefined => checkUserInfo(JSON.stringify(info), 'user-info.json').cookie
  for (const [loginUin, cookie, uin] of [
    ['o0010001', 'provider_key=Q_H_L_a', '10001'], ['1152921504699999999', 'theme=dark; provider_keyst=W_X_a', '1152921504699999999'], ['10001', 'uin=abc; provider_key=Q_H_L_a', '10001'],
    ['10001', 'uin=o20002; provider_key=Q_H_L_a', '20002'], ['10001', 'wxuin=20002; provider_key=W_X_a', '20002'],
    ['', 'provider_key=Q_H_L_a', undefined], ['o000', 'provider_key=Q_H_L_a', undefined], ['10001', 'euin=a', undefined], ['10001', '', undefined]
  ] as const) {
    demo.reset()
    const relay = createRelay({ upstreamOrigin: demo.origin, useGlobalCookie: true, globalCookie: () => cookieOf({ loginUin, cookie }) })
    await relay.getHotkey()
    await relay.close()
    t.equal(/^uin=(\d+); /.exec(demo.received[0]?.headers['cookie'] ?? '')?.[1], uin, `${loginUin} ${cookie}`)
  }
  t.same([cookieOf({ loginUin: '10001' }), cookieOf({ cookie: 'provider_key=a' })], [undefined, 'provider_key=a'])
  const long = `provider_key=${'k'.repeat(8192 - 'provider_key='.length)}`
  t.equal(cookieOf({ loginUin: '10001', cookie: long }), long, 'it never becomes too long to be used')
})

t.test('the cookie parameter may not shadow a parameter of an endpoint', async (t) => {
  for (const name of ['songmid', 'limit', 'topId']) t.throws(() => createRelay({ cookieParamName: name }), { name: 'ConfigError', message: new RegExp(`cookieParamName: "${name}" is a parameter of /`) })
  t.throws(() => settingsOf({ fallbackMode: 'x' as unknown as boolean }), { name: 'ConfigError' })
})

interface Run { code: number | null, out: string, err: string }

/** Starts the command as a process. Ends it once `until` matches its output. `run` is for those that end before anything listens. */
async function start (args: string[], env: NodeJS.ProcessEnv, until?: RegExp): Promise<Run> {
  const child = spawn(process.execPath, [...commandLine, ...args], { cwd: root, env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env } })
  const run: Run = { code: null, out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    run.out += chunk
    if (until?.test(run.out) === true && !child.killed) child.kill('SIGTERM')
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { run.err += chunk })
  return await new Promise((resolve) => { child.on('close', (code) => { resolve({ ...run, code }) }) })
}

t.test('the command line says wrong use with 2 and bad configuration with 78', async (t) => {
  const folder = folderWith(t, { 'service-config.json': '{"fallbackMode": "yes"}' })
  const bad = await start(['serve'], { CONFIG_DIR: folder })
  t.equal(bad.code, 78)
  t.match(bad.err, /^music-relay: .*service-config\.json: fallbackMode: must be true or false.*\n$/s)
  t.equal(bad.out, '')
  const shadowing = await run(['serve'], { CONFIG_DIR: folderWith(t, { 'service-config.json': '{"cookieParamName": "limit"}' }) })
  t.equal(shadowing.code, 78)
  t.match(shadowing.err, /^music-relay: .*service-config\.json: cookieParamName: "limit" is a parameter of \/\w+; choose another name\.\n$/)
  const wrong = await start(['nonsense'], {})
  t.equal(wrong.code, 2)
  t.match(wrong.err, /unknown command 'nonsense'\n.*--help/)
  t.equal((await run(['demo-upstream', '--port', 'x'], {})).code, 2)
  const help = await run(['--help'], {})
  t.equal(help.code, 0)
  t.match(help.out, /Examples:[\s\S]*music-relay demo/)
})

t.test('a folder that CONFIG_DIR names must exist; the usual one may be missing', async (t) => {
  const folder = folderWith(t, { file: '' })
  const [empty, absent, file] = ['empty', 'absent', 'file'].map((name) => join(folder, name)) as [string, string, string]
  mkdirSync(empty)
  symlinkSync('empty', join(folder, 'linked'))
  const wrongOf = async (env: NodeJS.ProcessEnv): Promise<unknown> => await existingFolder(env).then((found) => ({ found }), ({ name, message }: Error) => [name, message])
  t.same(await wrongOf({ CONFIG_DIR: absent }), ['ConfigError', `environment variable CONFIG_DIR: ${absent} does not exist. Create this folder or correct the variable.`])
  t.same(await wrongOf({ MUSIC_RELAY_CONFIG_DIR: absent, CONFIG_DIR: empty }), ['ConfigError', `environment variable MUSIC_RELAY_CONFIG_DIR: ${absent} does not exist. Create this folder or correct the variable.`])
  t.same(await wrongOf({ CONFIG_DIR: join(file, 'below') }), ['ConfigError', `environment variable CONFIG_DIR: ${file}/below does not exist. Create this folder or correct the variable.`])
  t.same(await wrongOf({ CONFIG_DIR: file }), ['ConfigError', `environment variable CONFIG_DIR: ${file} is not a folder. Name the folder of service-config.json.`])
  t.match(await wrongOf({ CONFIG_DIR: 'absent' }), ['ConfigError', `: ${join(process.cwd(), 'absent')} does not exist.`], 'a relative path is shown in full')
  for (const found of [empty, join(folder, 'linked')]) t.same(await wrongOf({ CONFIG_DIR: found }), { found })
  t.same(await wrongOf({ CONFIG_DIR: absent, MUSIC_RELAY_CONFIG_DIR: empty }), { found: empty })
  for (const env of [{}, { CONFIG_DIR: '' }]) t.same(await wrongOf(env), { found: 'config' })

  writeFileSync(join(empty, 'service-config.json'), '{"port": "x"}')
  const ends = await Promise.all((['serve', 'demo', 'mcp', 'doctor'] as const).map(async (command, at) => await (command === 'demo' ? start : run)([command], at % 2 === 0 ? { CONFIG_DIR: absent } : { MUSIC_RELAY_CONFIG_DIR: empty })))
  for (const [at, { code, out, err }] of ends.entries()) {
    t.same([code, out], [78, ''])
    t.match(err, at % 2 === 0 ? `music-relay: environment variable CONFIG_DIR: ${absent} does not exist.` : /^music-relay: \S+empty\/service-config\.json: port: must be /)
  }
})

/** The banner of a relay with these settings, without the relay. */
async function bannerOf (folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const settings = await load(folder, env)
  const globalCookie = globalCookieState(settings.useGlobalCookie, await openUserInfo(folder)).text
  return banner({ address: `http://${settings.host}:3201`, settings, settingsFile: join(folder, 'service-config.json'), globalCookie, accounts: [], env, demo: undefined })
}

t.test('the banner says modes and never values, and the process ends cleanly', async (t) => {
  const demo = await demoFor(t)
  const base = { PORT: '0', UPSTREAM_ORIGIN: demo.origin, LOG_LEVEL: 'trace' }
  const folder = folderWith(t, {})
  mkdirSync(join(folder, 'stored'))
  writeFileSync(join(folder, 'stored', 'service-config.json'), '{"cookieParamName":"auth"}')
  writeFileSync(join(folder, 'stored', 'user-info.json'), '{"loginUin":"o70007","cookie":"uin=o70007; provider_key=SECRETKEY"}')
  const [on, guarded] = await Promise.all([
    start(['serve'], { ...base, CONFIG_DIR: join(folder, 'stored'), USE_GLOBAL_COOKIE: 'true', MUSIC_RELAY_HOST: 'localhost', METRICS: 'true', UPSTREAM_PROXY: 'http://op:SECRETKEY@127.0.0.1:8,127.0.0.1=direct' }, /only this machine/),
    start([], { ...base, CONFIG_DIR: folder, HOST: '0.0.0.0', ACCESS_TOKEN: 'SECRETKEY', METING: 'true', SUBSONIC_PASSWORD: 'SECRETKEY', PUBLIC_ORIGIN: 'https://music.example/relay/' }, /access token.*\n/)
  ])
  t.ok(on.out.startsWith(`music-relay ${version}\n`))
  t.match(on.out, /settings +\S+service-config\.json\n[\s\S]*fallback mode +on: .*\?auth=[\s\S]*global cookie +on\n/)
  t.match(on.out, /listening +(http:\/\/localhost:\d+)\n[^]*upstream proxy +http:\/\/127\.0\.0\.1:8, [^]*metrics +\1\/metrics\n[^]*set MUSIC_RELAY_HOST=0\.0\.0\.0 to/)
  t.match(guarded.out, /settings +\S+service-config\.json \(missing/)
  t.match(guarded.out, /documentation +https:\/\/music\.example\/relay\/docs\n/)
  t.match(guarded.out, /access token +on\n/)
  t.match(guarded.out, /listening +http:\/\/0\.0\.0\.0:\d+\n[\s\S]*blog widgets +https:\/\/music\.example\/relay\/meting\?[\s\S]*players +https:\/\/music\.example\/relay \(/, 'what others paste is the address that they reach')
  for (const { code, out, err } of [on, guarded]) {
    t.equal(code, 0, err)
    t.notMatch(out + err, /SECRETKEY|70007/)
  }
  t.match(await bannerOf(folder, { ...base, FALLBACK_MODE: 'false' }), /fallback mode +off[\s\S]*global cookie +off/)
  t.match(await bannerOf(folder, { ...base, USE_GLOBAL_COOKIE: 'true' }), /fallback mode +on: .*\?cookie=.*X-Custom-Cookie or Cookie[\s\S]*global cookie +on, but none is stored/)
  const open = await bannerOf(folder, { ...base, HOST: '0.0.0.0', METING: 'true' })
  t.match(open, /blog widgets +http:\/\/<this machine>:\d+\/meting\?[\s\S]*access token +off: everybody/)
  t.match(open, /listening +http:\/\/0\.0\.0\.0:(\d+)\n[\s\S]*documentation +http:\/\/<this machine>:\1\/docs\n +try it +http:\/\/<this machine>:\1\/\n +log in +http:\/\/<this machine>:\1\/login\n/)
})

t.test('what the start says of a global cookie: whether it is usable, what it lacks, how to mend it', async (t) => {
  const demo = await demoFor(t)
  const stay = 'requests stay anonymous until music-relay login stores'
  const warned = (out: string): string[] => out.split('\n').filter((line) => line.includes('"level":"warn"')).map((line) => (JSON.parse(line) as { msg: string }).msg)
  const noLogin = 'user-info.json holds no login: its cookie lacks key, account or both'
  const none = 'useGlobalCookie is on, but user-info.json holds no cookie: requests stay anonymous until music-relay login stores one'
  const cases: readonly [string | undefined, string, string, string[]][] = [
    [undefined, 'on, none stored', `on, but none is stored: ${stay} one`, [none]],
    ['{}', 'on, none stored', `on, but none is stored: ${stay} one`, [none]],
    ['{"cookie": ""}', 'on, none stored', `on, but none is stored: ${stay} one`, [none]],
    ['{"loginUin": "o70007"}', 'on, none stored', `on, but none is stored: ${stay} one`, [none]],
    ['{"cookie": "uin=o70007"}', 'on, no login stored', `on, but the cookie in user-info.json lacks a key: ${stay} a login`, [noLogin]],
    ['{"cookie": "provider_keyst=SECRETKEY"}', 'on, no login stored', `on, but the cookie in user-info.json lacks an account: ${stay} a login`, [noLogin]],
    ['{"cookie": "uin=abc; provider_key=SECRETKEY"}', 'on, no login stored', `on, but the cookie in user-info.json lacks an account: ${stay} a login`, [noLogin]],
    ['{"cookie": "theme=SECRETKEY"}', 'on, no login stored', `on, but the cookie in user-info.json lacks a key and an account: ${stay} a login`, [noLogin]],
    ['{"cookie": "uin=o70007; provider_key=SECRETKEY"}', 'on', 'on', []]
  ]
  const folder = folderWith(t, {})
  for (const [at, [info, state, text, warnings]] of cases.entries()) {
    const own = join(folder, String(at))
    mkdirSync(own)
    if (info !== undefined) writeFileSync(join(own, 'user-info.json'), info, { mode: 0o600 })
    const userInfo = await openUserInfo(own)
    t.same(globalCookieState(true, userInfo), { state, text }, info ?? 'no file')
    t.same(globalCookieState(false, userInfo), { state: 'off', text: 'off' })
    const lines: string[] = []
    const log = { info () {}, error () {}, warn (line: unknown) { lines.push(String(line)) } }
    const unwatch = await followUserInfo(userInfo, log, true)
    unwatch()
    t.same(lines, warnings, info ?? 'no file')
  }
  const env = { PORT: '0', UPSTREAM_ORIGIN: demo.origin, USE_GLOBAL_COOKIE: 'true' }
  t.equal(/^ {2}global cookie {4}(.*)$/m.exec(await bannerOf(join(folder, '4'), env))?.[1], cases[4]?.[2])
  const [json, ...rest] = await Promise.all([
    start(['serve', '--json'], { ...env, CONFIG_DIR: join(folder, '0') }, /"level":"warn"/),
    start(['serve', '--json'], { ...env, CONFIG_DIR: join(folder, '8') }, /\n/),
    // The secret has an effect: it signs the links.
    start(['serve', '--json'], { ...env, CONFIG_DIR: folder, USE_GLOBAL_COOKIE: 'false', REDIS_SECRET: 'SECRETKEY', METING: 'true' }, /\n/)
  ])
  const first = ({ out }: Run): unknown => JSON.parse(out.split('\n', 1)[0] ?? '')
  t.match(first(json), { msg: 'listening', version, address: /^http:/, upstream: 'another origin', globalCookie: 'on, none stored' }, 'the first line is the one with the address')
  t.same(warned(json.out), [none])
  t.match(rest.map((run) => [first(run), warned(run.out)]), [[{ globalCookie: 'on' }, []], [{ globalCookie: 'off' }, []]])
  for (const { code, out, err } of [json, ...rest]) {
    t.equal(code, 0, err)
    t.notMatch(out + err, /SECRETKEY|70007/)
  }
})

t.test('the banner names metrics, the shared store and proxies, without their passwords, and the variables that are set', async (t) => {
  const folder = folderWith(t, {})
  const on = await bannerOf(folder, { METRICS: 'true', REDIS_URL: 'rediss://user:p@SECRET@127.0.0.1:1/3?password=a@SECRET', UPSTREAM_PROXY: 'http://op:SECRET@127.0.0.1:8,u.y.qq.com=direct', MUSIC_RELAY_HOST: 'localhost', MUSIC_RELAY_UPSTREAM_ORIGIN: 'http://127.0.0.1:1' })
  t.match(on, /\n {2}listening {8}(http:\/\/localhost:\d+)\n[^]*\n {2}metrics {10}\1\/metrics\n/)
  t.match(on, /\n {2}shared store {5}rediss:\/\/127\.0\.0\.1:1\/3\n/)
  t.match(on, /another origin \(MUSIC_RELAY_UPSTREAM_ORIGIN\)[^]*set MUSIC_RELAY_HOST=0\.0\.0\.0 to/)
  t.match(on, /\n {2}upstream proxy {3}http:\/\/127\.0\.0\.1:8, u\.y\.qq\.com=direct\n/)
  t.notMatch(on, /SECRET/)
  const off = await bannerOf(folder, { UPSTREAM_ORIGIN: 'http://127.0.0.1:1' })
  t.match(off, /another origin \(UPSTREAM_ORIGIN\)[^]*set HOST=0\.0\.0\.0 to/)
  t.notMatch(off, /^ {2}(metrics|shared store|upstream proxy) /m)
})

t.test('the start warns once of each misspelt variable, removed setting and secret without a store, and never says their values', async (t) => {
  const folder = folderWith(t, { old: { 'service-config.json': '{"retryFloor": 2}' } })
  const env = { CONFIG_DIR: folder, PORT: '0', ACCES_TOKEN: 'SECRETKEY' }
  const more = { CONFIG_DIR: join(folder, 'old'), CIRCUIT_FAILURES: '3', UPSTREAM_ORIGIN: 'http://127.0.0.1:1' }
  const misspelt = 'environment variable ACCES_TOKEN: unknown; did you mean ACCESS_TOKEN?'
  const removed = 'Settings that no longer exist are ignored. Remove retryFloor, CIRCUIT_FAILURES: the value is fixed now.'
  const needless = 'MUSIC_RELAY_REDIS_SECRET has no effect, because no shared store is set. Set REDIS_URL, or remove it.'
  const served = await start(['serve'], { ...env, ...more, MUSIC_RELAY_REDIS_SECRET: 'SECRETKEY' }, /has no effect/)
  t.match(served, { code: 0, err: '' })
  t.match(served.out, /^music-relay/, 'the banner comes first')
  t.notMatch(served.out, 'SECRETKEY')
  for (const words of [misspelt, removed, needless]) {
    t.same(served.out.split('\n').filter((line) => line.includes(words)).map((line) => JSON.parse(line) as { level: string, msg: string }).map(({ level, msg }) => [level, msg]), [['warn', words]], 'once')
  }

  const failures: readonly [Record<string, string>, number, RegExp][] = [
    [{ HOST: '0.0.0.0', USE_GLOBAL_COOKIE: 'true' }, 78, /\nmusic-relay: useGlobalCookie: .*needs accessToken\. Set ACCESS_TOKEN, or accessToken in \S+service-config\.json\./],
    [{ PORT: 'x' }, 78, /\nmusic-relay: environment variable PORT: port: must be /],
    [{ MUSIC_RELAY_HOST: '192.0.2.1' }, 1, /\nmusic-relay: .*MUSIC_RELAY_HOST must be an address of this machine/]
  ]
  // The last one has begun a relay when it fails.
  const ends = await Promise.all(failures.map(async ([more, code]) => await (code === 1 ? start : run)(['serve'], { ...env, ...more })))
  for (const [at, [, code, reason]] of failures.entries()) {
    const { out, err, ...ended } = ends[at] as Run
    t.same([ended.code, out], [code, ''], err)
    t.equal(err.split('\n')[0], `music-relay: ${misspelt}`)
    t.match(err, reason)
    t.notMatch(err, 'SECRETKEY')
  }

  // It ends before its requests, which nobody would answer here.
  const doctor = await run(['doctor', '--cookie-file', 'absent'], { ...env, ...more })
  for (const words of [misspelt, removed]) t.equal(doctor.err.split('\n').filter((line) => line === `music-relay: ${words}`).length, 1, doctor.err)
  for (const args of [['accounts'], ['login']]) {
    const { err } = await run(args, { ...env, ...more })
    t.match(err, `music-relay: ${misspelt}\n`, 'other warnings are there')
    t.notMatch(err, 'no longer exist', `${args.join(' ')} does not repeat what the relay says at its start`)
  }
})

t.test('a replaced user-info.json is used within a second, and a bad one is not', async (t) => {
  const folder = t.testdir({})
  const file = join(folder, 'user-info.json')
  const info = createUserInfo(folder, checkUserInfo)
  await info.load()
  const events = new EventEmitter()
  t.teardown(info.watch({ changed: () => { events.emit('changed') }, refused: () => { events.emit('refused') } }))
  // The watch is not a reason for a process to stay; this test is.
  const stay = setInterval(() => {}, 1000)
  t.teardown(() => { clearInterval(stay) })
  const followed = once(events, 'changed')
  await info.save({ cookie: 'uin=1; provider_key=a' })
  await followed
  t.equal(info.get().cookie, 'uin=1; provider_key=a')
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.equal(await info.isExposed(), false)
  writeFileSync(file, '{"cookie": "uin=2; provider_key=b"')
  await once(events, 'refused')
  t.equal(info.get().cookie, 'uin=1; provider_key=a', 'the last good one stays')
  writeFileSync(file, '{"cookie": "uin=3; provider_key=c"}')
  await once(events, 'changed')
  t.equal(info.get().cookie, 'uin=3; provider_key=c')
  chmodSync(file, 0o644)
  t.equal(await info.isExposed(), true)
})

t.test('the log says what becomes of user-info.json, whatever is put in its place, and quotes nothing', async (t) => {
  const folder = folderWith(t, { 'user-info.json': '{"cookie":"uin=1; other=SECRET1"}' })
  const file = join(folder, 'user-info.json')
  chmodSync(file, 0o600)
  const info = await openUserInfo(folder)
  const lines: string[] = []
  const note = (line: unknown): void => { lines.push(String(line)) }
  const said = async (words: RegExp, cookie: string): Promise<void> => {
    await until(() => lines.some((line) => words.test(line)) && info.get().cookie === cookie)
    t.notMatch(lines.splice(0).join('\n'), 'SECRET')
  }
  t.teardown(await followUserInfo(info, { info: note, warn: note, error: note }))
  t.same(lines.splice(0), ['user-info.json holds no login: its cookie lacks key, account or both'])

  // At once, before the first look; by renaming, as the login and editors do.
  writeFileSync(`${file}.new`, '{"cookie":"uin=2; provider_key=SECRET2"}')
  renameSync(`${file}.new`, file)
  await said(/^user-info\.json changed: the new one is in use$/, 'uin=2; provider_key=SECRET2')
  writeFileSync(file, '{"cookie":"uin=3; provider_key=SECRET3\\n"}')
  await said(/cookie: must be a text of at most 8192 printable ASCII characters.* The last good one stays in use\.$/, 'uin=2; provider_key=SECRET2')
  rmSync(file)
  mkdirSync(file)
  await until(() => lines.some((line) => /^user-info\.json: cannot be read \(EISDIR\)\. The last good one stays in use\.$/.test(line)))
  rmdirSync(file)
  // A link to what is somewhere else, as orchestrators make them.
  writeFileSync(join(folder, 'elsewhere.json'), '{"cookie":"uin=4; provider_key=SECRET4"}')
  symlinkSync('elsewhere.json', file)
  await said(/changed/, 'uin=4; provider_key=SECRET4')
  writeFileSync(join(folder, 'elsewhere.json'), '{"cookie":"uin=5; other=SECRET5"}')
  await said(/holds no login/, 'uin=5; other=SECRET5')
})
