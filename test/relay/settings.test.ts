/** Settings: files, then environment, then options. A wrong one stops the start, is named, and changes nothing. */
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import t, { type Test } from 'tap'
import { ServiceConfig } from '../../schemas/config.ts'
import { banner } from '../../src/cli/output.ts'
import { existingFolder } from '../../src/cli/process.ts'
import { followUserInfo, globalCookieState, openUserInfo } from '../../src/cli/storedAccounts.ts'
import { checkUserInfo, loadSettings, settingsOf, variableOf } from '../../src/relay/settings.ts'
import { removedSettings } from '../../src/relay/environment.ts'
import { upstreamOptions } from '../../src/relay/runtime.ts'
import { constants } from '../support/constants.ts'
import { createRelay, resolveOptions } from '../../src/library/relay.ts'
import { demoFor, serverFor, until } from '../support/helper.ts'
import { userInfoIn } from '../support/userInfo.ts'
import { sampleOf } from '../support/whole.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const all = Object.entries(ServiceConfig.properties)
const names = all.flatMap(([key]) => variableOf(key) ?? [])
/** A value that every message would have to leave out. */
const secret = 'SECRETVALUE'

const folderWith = (t: Test, settings: string | object): string =>
  t.testdir({ 'service-config.json': typeof settings === 'string' ? settings : JSON.stringify(settings) })

/** Loads settings. Returns them with the warnings. */
async function loaded (
  env: NodeJS.ProcessEnv, folder = 'absent', options: object = {}
): Promise<{ settings: Awaited<ReturnType<typeof loadSettings>>, warned: string[] }> {
  const warned: string[] = []
  return { settings: await loadSettings({ folder, env, options, warn: (line) => { warned.push(line) } }), warned }
}

const warnedOf = async (...variables: string[]): Promise<string[]> =>
  (await loaded(Object.fromEntries(variables.map((name) => [name, secret])))).warned

/** The message of a ConfigError, which quotes no secret. Another outcome is told as such. */
async function refusal (t: Test, attempt: () => unknown): Promise<string> {
  const message = await Promise.resolve().then(attempt)
    .then(() => 'accepted', ({ name, message }: Error) => name === 'ConfigError' ? message : `${name}: ${message}`)
  t.notMatch(message, 'SECRET')
  return message
}

const removed = (words: string): string[] => [`Settings that no longer exist are ignored. Remove ${words}`]

t.test('a settings file with secrets that others can read is worth a warning', { skip: process.platform === 'win32' && 'files have no mode there' }, async (t) => {
  const warned = async (settings: object, mode: number): Promise<string[]> => {
    const folder = folderWith(t, settings)
    chmodSync(join(folder, 'service-config.json'), mode)
    return (await loaded({}, folder)).warned
  }
  for (const key of ['accessToken', 'redisUrl', 'redisSecret', 'accountsSecret', 'subsonicPassword', 'upstreamProxy']) {
    const values: Readonly<Record<string, unknown>> =
      { redisUrl: 'redis://:secret-1@127.0.0.1', accountsSecret: 'secret-1, a longer one', upstreamProxy: ['http://op:secret-1@proxy.example'] }
    const settings = { [key]: values[key] ?? 'secret-1' }
    t.match(await warned(settings, 0o644), [
      /service-config\.json holds secrets and can be read by others on this machine: chmod 600 it$/
    ], key)
    t.same(await warned(settings, 0o600), [], key)
  }
  t.same(await warned({ port: 1, accessToken: '', upstreamProxy: [] }, 0o644), [])
})

t.test('without files the shipped defaults hold; each is allowed, and no figure is both a setting and a constant', async (t) => {
  const { settings } = await loaded({})
  t.match(settings, {
    fallbackMode: true, useGlobalCookie: false, cookieParamName: 'cookie', port: 3200, host: 'localhost',
    globalCookieScope: 'all'
  })
  t.match(settings, JSON.parse(read('config/service-config.json')))
  t.ok(Object.isFrozen(settings))
  t.same(Object.keys(settingsOf()), all.map(([key]) => key))
  const ajv = new Ajv({ strict: false, formats: { 'ip-network': true } })
  t.same(all.filter(([key, schema]) =>
    !ajv.validate(schema, schema.default) || Object.hasOwn(constants, key) || Object.hasOwn(removedSettings, key)
  ), [])
})

t.test('there are at most forty settings, and the table in the documentation shows all of each', async (t) => {
  t.ok(all.length <= 40, `${all.length} settings`)
  const rows = read('docs/configuration.md').split('\n').filter((line) => /^\| `\w+` \| (?:`[A-Z_]+`|–) \|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  t.equal(rows.length, all.length)
  for (const [key, { description, default: usual }] of all) {
    const variable = variableOf(key)
    t.match(rows.find(([, name]) => name === `\`${key}\``), [
      '', `\`${key}\``, variable === undefined ? '–' : `\`${variable}\``, /\S/, `\`${JSON.stringify(usual)}\``,
      description
    ], key)
    t.match(description, /^\/?\w.*\.$/, key)
  }
})

t.test('the limits of one host follow the settings for all', async (t) => {
  const limits = { upstreamLimitPerHost: 32, upstreamBurstPerHost: 200, upstreamConnections: 64 }
  t.match(upstreamOptions(resolveOptions()), limits)
  t.match(upstreamOptions(resolveOptions({ upstreamLimit: 301, upstreamRatePerHost: 5 })), {
    upstreamLimitPerHost: 151, upstreamBurstPerHost: 20, upstreamConnections: 301
  })
  t.match(upstreamOptions(resolveOptions({ upstreamLimit: 1 })), { ...limits, upstreamLimitPerHost: 1 })
})

t.test('removed settings are ignored, and one line says which and why', async (t) => {
  const port = { port: 3201 }
  for (const [file, env, options, expected] of [
    [port, { RETRY_FLOOR: '', RETRY_FLOORS: '2' }, {}, []],
    [{ ...port, retryFloor: 'whatever', cacheEntries: 10 }, {}, {}, removed('retryFloor: the value is fixed now. Remove cacheEntries: cacheBytes limits the cache.')],
    [port, { LINK_PAUSE_MS: '5', CIRCUIT_FAILURES: '1' }, {}, removed('CIRCUIT_FAILURES, LINK_PAUSE_MS: the value is fixed now.')],
    [
      { retryFloor: 1 }, { PORT: '3201', RETRY_FLOOR: '2' }, { midBatchSize: 3 },
      removed('retryFloor, RETRY_FLOOR, midBatchSize: the value is fixed now.')
    ],
    [port, { MUSIC_RELAY_RETRY_FLOOR: '1', CACHE_ENTRIES: '1' }, {}, removed('MUSIC_RELAY_RETRY_FLOOR: the value is fixed now. Remove CACHE_ENTRIES: cacheBytes limits the cache.')]
  ] as const) t.same(await loaded(env, folderWith(t, file), options), { settings: settingsOf(port), warned: expected })
  for (const key of Object.keys(removedSettings)) {
    const variable = variableOf(key) as string
    t.match((await loaded({ [variable]: '1' }, folderWith(t, { [key]: 1 }))).warned, [
      new RegExp(`^[^\n]*Remove ${key}, ${variable}: [^\n]+\\.$`)
    ])
  }
  t.match(
    await loadSettings({ folder: folderWith(t, { retryFloor: 1 }), env: { RETRY_FLOOR: '1' } }), { port: 3200 },
    'nobody needs to listen'
  )
  t.equal(
    await refusal(t, async () => await loaded({}, 'absent', { stray: undefined, midBatchSize: 3 })),
    `options: stray: unknown key. Known keys: ${all.map(([key]) => key).join(', ')}.`
  )
})

t.test('removed options of a program are ignored with a warning in its log', async (t) => {
  t.match(
    await refusal(t, () => createRelay({ softDeadlineMs: 1, CACHE_ENTRIES: 1 } as object)),
    /^options: CACHE_ENTRIES: unknown key/, 'only keys are options'
  )
  const { log } = await serverFor(t, await demoFor(t), { softDeadlineMs: 1, cacheEntries: undefined } as object)
  t.same(log.map(
    (line) => JSON.parse(line) as { level: string, msg: string }
  ).filter(({ level }) => level === 'warn').map(({ msg }) => msg), removed('softDeadlineMs: the value is fixed now.'))
  await createRelay({ softDeadlineMs: 1 } as object).close()
})

t.test('every setting has a variable, except the name of the cookie parameter; one with the prefix wins over it, it over the file, and options over all', async (t) => {
  const values: Readonly<Record<string, readonly [string, string]>> = {
    string: ['x', 'y'], boolean: ['true', 'false'], upstreamOrigin: ['http://127.0.0.1:9', 'http://127.0.0.1:8'],
    imageOrigin: ['https://a.example', 'https://b.example'],
    publicOrigin: ['https://a.example/relay', 'http://b.example:8080'],
    redisUrl: ['rediss://:password@store.example:6379/1', 'redis://b:1'],
    upstreamProxy: ['socks5://op:p%2Cw@proxy.example,u.y.qq.com=direct', 'http://b.example'],
    allowedHosts: ['a.example,b.example', 'c.example'],
    corsOrigins: ['https://a.example,http://b.example:8080', 'https://b.example'],
    trustProxy: ['10.0.0.0/8,::1', '::1'], accountsSecret: ['x'.repeat(16), 'y'.repeat(16)]
  }
  const wrong: string[] = []
  for (const [key, schema] of all) {
    const variable = variableOf(key)
    if (variable === undefined) continue
    const { type, minimum = 0, maximum, enum: words } =
      schema as { type?: string, minimum?: number, maximum?: number, enum?: string[] }
    const [one, other] = values[key] ?? (words === undefined ? values[type ?? '']
      : [words.at(-1) as string, words[0] as string]) ?? [String(minimum), String(maximum)]
    const prefixed = `MUSIC_RELAY_${variable}`
    for (const [env, expected] of [
      [{ [variable]: one }, one], [{ [prefixed]: one }, one], [{ [prefixed]: other, [variable]: one }, other],
      [{ [prefixed]: one, [variable]: other }, one]
    ] as const) {
      const { settings, warned } = await loaded(env)
      if (String(settings[key as keyof typeof settings]) !== expected || warned.length > 0) {
        wrong.push(`${JSON.stringify(env)} ${warned.join()}`)
      }
    }
  }
  t.same(wrong, [])
  t.same(all.filter(([key]) => variableOf(key) === undefined).map(([key]) => key), ['cookieParamName'])
  t.equal((await loaded({ COOKIE_PARAM_NAME: 'x' })).settings.cookieParamName, 'cookie')
  for (const inFile of [true, false]) {
    const folder = folderWith(t, { fallbackMode: inFile, useGlobalCookie: inFile })
    t.match((await loaded({}, folder)).settings, { fallbackMode: inFile, useGlobalCookie: inFile })
    for (const inEnv of [true, false]) t.match(
      (await loaded({ FALLBACK_MODE: String(inEnv), USE_GLOBAL_COOKIE: String(inEnv) }, folder)).settings,
      { fallbackMode: inEnv, useGlobalCookie: inEnv }
    )
  }
  t.match(
    await loaded({ MUSIC_RELAY_PORT: '3201', PORT: 'tcp' }), { settings: { port: 3201 } },
    'the plain name may belong to another program'
  )
  t.equal((await loaded({ PORT: '1' }, 'absent', { port: 2 })).settings.port, 2)
})

t.test('a wrong file stops the start, naming file, key and expectation, quotes no login, and stays as it was', async (t) => {
  const key = `{"Q_H_L_SECRET${'0'.repeat(40)}": ""}`
  // As a file that is written so is read.
  const utf16 = (text: string): string => Buffer.from(`\ufeff${text}`, 'utf16le').toString()
  const long = `{"cookie": "uin=1; provider_key=SECRET${'0'.repeat(524_288)}"}`
  const files: Readonly<Record<string, ReadonlyArray<readonly [string, RegExp]>>> = {
    'service-config.json': [
      ['{"fallbackMode": "yes"}', /fallbackMode: must be true or false/],
      ['{"fallbackMode": 1}', /fallbackMode: must be true or false/],
      ['{"fallbackmode": true}', /fallbackmode: unknown key\. Did you mean fallbackMode\?$/],
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
      ['{"upstreamOrigin": "http://mirror.example"}', /upstreamOrigin: must be an origin/],
      ['{"imageOrigin": "http://mirror.example"}', /imageOrigin: must be an origin/],
      ['{"accessToken": "SECRET\\n"}', /accessToken: must be a text of at most 512 printable ASCII/],
      ['{"fallbackMode": tr', /not valid JSON/],
      ['{\n  "port": 3201,\n}', /has a comma after the last value \(line 2\)\. Remove/],
      ['{\n  "port": 3201 // SECRET\n}', /has a comment \(line 2\), which JSON does not have/],
      ['{ /* SECRET */ }', /has a comment \(line 1\)/],
      ['# SECRET\n{}', /has a comment \(line 1\)/],
      ['{“port”: 3201}', /has other quotes than " \(line 1\)/],
      ["{'port': 3201}", /has other quotes than " \(line 1\)/],
      ['{\n  "accessToken": "http://x,}"\n  "port": 1}', /not valid JSON \(line 3\);/],
      [utf16('{"port": 3201}'), /is UTF-16 text\. Save it as UTF-8/],
      ['[]', /must hold one JSON object/],
      ['', /not valid JSON/]
    ],
    // Kept, each of these cookies would be refused at every request.
    'user-info.json': [
      ['{"cookie": 5}', /cookie: must be a text/],
      ['{"loginUin": "abc"}', /loginUin: must be an account number/],
      ['{"Cookie": "uin=1; provider_key=SECRET"}', /Cookie: unknown key/],
      ['{"uin=1; provider_key=SECRET": ""}', /it has an unknown key\. Known keys: loginUin, cookie, renewal\.$/],
      [key, /it has an unknown key/],
      ['{"renewal": "SECRET"}', /renewal: must be a JSON object\.$/],
      ['{"renewal": {"loginType": 2, "musicKey": "SECRET"}}', /renewal\.musicId: is required\.$/],
      ['{"renewal": {"loginType": 2, "musicId": "SECRET", "musicKey": "SECRET"}}', /renewal\.musicId: must be /],
      [long, /cookie: must be a text of at most 524288 characters/],
      ['{"cookie": "uin=1; provider_key=SECRET', /not valid JSON/]
    ]
  }
  for (const [name, rows] of Object.entries(files)) {
    for (const [text, expected] of rows) {
      const folder = t.testdir({ [name]: text })
      const message = await refusal(
        t, async () => name === 'user-info.json' ? await userInfoIn(folder).load() : await loaded({}, folder)
      )
      t.match(message, new RegExp(`${name}: .*${expected.source}`, 's'), text)
      t.equal(readFileSync(join(folder, name), 'utf8'), text)
    }
  }
})

t.test('a byte order mark before either file is skipped', async (t) => {
  const folder = t.testdir({ 'service-config.json': '\ufeff{"fallbackMode":false}\r\n', 'user-info.json': '\ufeff{"cookie":"uin=1; qm_keyst=k"}' })
  t.match((await loaded({}, folder)).settings, { fallbackMode: false })
  t.same(await userInfoIn(folder).load(), { cookie: 'uin=1; qm_keyst=k' })
})

t.test('a wrong variable stops the start, naming the one that was set', async (t) => {
  for (const [variable, value, more] of [
    ['FALLBACK_MODE', '1'], ['FALLBACK_MODE', 'TRUE'], ['USE_GLOBAL_COOKIE', 'yes'], ['PORT', '0x10'],
    ['PORT', '99999'], ['PORT', secret], ['MUSIC_RELAY_PORT', secret, { PORT: '1' }],
    ['LOG_LEVEL', 'loud'], ['UPSTREAM_ORIGIN', 'ftp://127.0.0.1'], ['UPSTREAM_ORIGIN', 'http://10.0.0.1'],
    ['UPSTREAM_ORIGIN', 'http://127.0.0.1/path'],
    ['UPSTREAM_ORIGIN', 'https://user@mirror.example'], ['MUSIC_RELAY_UPSTREAM_ORIGIN', `ftp://${secret}`],
    ['DEADLINE_MS', '-5']
  ] as const) t.match(
    await refusal(t, async () => await loaded({ [variable]: value, ...more })),
    new RegExp(`^environment variable ${variable}: \\w+: must be `), `${variable}=${value}`
  )
  for (const name of ['songmid', 'limit', 'topId']) t.match(
    await refusal(t, () => createRelay({ cookieParamName: name })), `cookieParamName: "${name}" is a parameter of /`
  )
  t.match(await refusal(t, () => settingsOf({ fallbackMode: 'x' as unknown as boolean })), 'fallbackMode')
})

t.test('a token that no header can carry stops the start, from wherever it comes; any other one opens the relay', async (t) => {
  const demo = await demoFor(t)
  const expected = 'accessToken: must be a text of at most 512 printable ASCII characters, without a space at either end, because it is sent in a header.'
  for (const accessToken of ['SECRET\n', 'SECRET\r\n', '\nSECRET', 'SEC\nRET', 'SEC\tRET', 'SEC\u0000RET', 'SECRET\u007f', ' SECRET', 'SECRET ', 'SECRET\t', ' ', 'SECRETé', 'SECRET\u00a0', '密码SECRET', '\ufeffSECRET', 'SECRET\u2028', `SECRET${'0'.repeat(507)}`]) {
    const folder = folderWith(t, { accessToken })
    t.same([
      await refusal(t, async () => await loaded({}, folder)),
      await refusal(t, async () => await loaded({ ACCESS_TOKEN: accessToken })),
      await refusal(t, async () => await loaded({}, 'absent', { accessToken })),
      await refusal(t, () => createRelay({ accessToken }))
    ], [join(folder, 'service-config.json'), 'environment variable ACCESS_TOKEN', 'options', 'options'].map((from) => `${from}: ${expected}`), encodeURIComponent(accessToken))
  }
  for (const token of sampleOf(['x', '0', 'a b  c', '"quoted"', 'a:b:c', ':', 'a=b==', '~!{}', '#%&?', 'Bearer x', `${'0'.repeat(512)}`], 3)) {
    const server = await serverFor(t, demo, { accessToken: token })
    const status = async (authorization: string): Promise<number> =>
      (await server.get('/getImageUrl?id=00DemoAlbu0001', { headers: { authorization } })).status
    t.same([
      await status(`Bearer ${token}`), await status(`Basic ${Buffer.from(`anyone:${token}`).toString('base64')}`),
      await status(`Bearer ${token}x`)
    ], [200, 200, 401], token)
  }
})

t.test('user-info.json is read, and loginUin is the account of a stored cookie that names none', async (t) => {
  const info = userInfoIn(t.testdir({ 'user-info.json': '{"loginUin":"o10001","cookie":"uin=o10001; provider_key=k"}' }))
  t.same(await info.load(), { loginUin: 'o10001', cookie: 'uin=o10001; provider_key=k' })
  t.equal(info.get().cookie, 'uin=o10001; provider_key=k')
  t.same(await userInfoIn('absent').load(), {})
  const demo = await demoFor(t)
  const cookieOf = (info: object): string | undefined => checkUserInfo(JSON.stringify(info), 'user-info.json').cookie
  for (const [loginUin, cookie, uin] of [
    ['o0010001', 'provider_key=Q_H_L_a', '10001'], ['1152921504699999999', 'theme=dark; provider_keyst=W_X_a', '1152921504699999999'], ['10001', 'uin=abc; provider_key=Q_H_L_a', '10001'],
    ['10001', 'uin=o20002; provider_key=Q_H_L_a', '20002'], ['10001', 'wxuin=20002; provider_key=W_X_a', '20002'],
    ['', 'provider_key=Q_H_L_a', undefined], ['o000', 'provider_key=Q_H_L_a', undefined], ['10001', 'euin=a', undefined], ['10001', '', undefined]
  ] as const) {
    demo.reset()
    const relay = createRelay({
      upstreamOrigin: demo.origin, useGlobalCookie: true, globalCookie: () => cookieOf({ loginUin, cookie })
    })
    await relay.getHotkey()
    await relay.close()
    t.equal(/^uin=(\d+); /.exec(demo.received[0]?.headers['cookie'] ?? '')?.[1], uin, `${loginUin} ${cookie}`)
  }
  t.same([cookieOf({ loginUin: '10001' }), cookieOf({ cookie: 'provider_key=a' })], [undefined, 'provider_key=a'])
  const long = `provider_key=${'k'.repeat(8192 - 'provider_key='.length)}`
  t.equal(cookieOf({ loginUin: '10001', cookie: long }), long, 'it never becomes too long to be used')
})

t.test('who follows user-info.json hears that it is gone, and what is wrong with it as it is', async (t) => {
  const folder = t.testdir({ 'user-info.json': '{"cookie":"uin=1; qm_keyst=k"}' })
  const file = join(folder, 'user-info.json')
  const store = await openUserInfo(folder)
  const told: unknown[] = []
  const follow = (): void => {
    store.followUserInfo({
      changed (info) { told.push(info) },
      refused ({ message }) { told.push(message) }
    })
  }
  follow()
  rmSync(file)
  await store.refresh()
  t.same(told.splice(0), [{}])
  writeFileSync(file, '{"cookie":3}')
  await store.refresh()
  t.match(told.splice(0), [/cookie: must be a text/])
  follow()
  await until(() => told.length > 0)
  t.match(told, [/cookie: must be a text/], 'also who follows it later')
})

t.test('a folder that CONFIG_DIR names must exist; the usual one may be missing', async (t) => {
  const folder = t.testdir({ file: '', empty: {} })
  const [empty, absent, file, linked] = ['empty', 'absent', 'file', 'linked']
    .map((name) => join(folder, name)) as [string, string, string, string]
  symlinkSync('empty', linked)
  const missing = (path: string): string => `${path} does not exist. Create this folder or correct the variable.`
  for (const [env, expected] of [
    [{ CONFIG_DIR: absent }, `CONFIG_DIR: ${missing(absent)}`],
    [{ MUSIC_RELAY_CONFIG_DIR: absent, CONFIG_DIR: empty }, `MUSIC_RELAY_CONFIG_DIR: ${missing(absent)}`],
    [{ CONFIG_DIR: join(file, 'below') }, `CONFIG_DIR: ${missing(join(file, 'below'))}`],
    [{ CONFIG_DIR: file }, `CONFIG_DIR: ${file} is not a folder. Name the folder of service-config.json.`],
    [{ CONFIG_DIR: 'absent' }, `CONFIG_DIR: ${missing(join(process.cwd(), 'absent'))}`]
  ] as const) t.equal(await refusal(t, async () => await existingFolder(env)), `environment variable ${expected}`)
  for (const [env, found] of [
    [{ CONFIG_DIR: empty }, empty], [{ CONFIG_DIR: linked }, linked],
    [{ CONFIG_DIR: absent, MUSIC_RELAY_CONFIG_DIR: empty }, empty], [{}, 'config'], [{ CONFIG_DIR: '' }, 'config']
  ] as const) {
    t.equal(await existingFolder(env), found)
  }
})

t.test('a misspelt variable is named with the one that was probably meant', async (t) => {
  const meant = (wrong: string, right: string): string => `environment variable ${wrong}: unknown; did you mean ${right}?`
  t.same(await warnedOf('TRUST_PROXIES'), [], 'three letters')
  for (const [wrong, right] of [
    ['ACCES_TOKEN', 'ACCESS_TOKEN'], ['ACCESS_TOKENS', 'ACCESS_TOKEN'], ['ACCESS_TOEKN', 'ACCESS_TOKEN'], ['ACCES_TOEKN', 'ACCESS_TOKEN'], ['ACCESSTOKEN', 'ACCESS_TOKEN'], ['ASSESS_TOKEN', 'ACCESS_TOKEN'],
    ['USE_GLOBAL_COOKIES', 'USE_GLOBAL_COOKIE'], ['TRUSTED_PROXY', 'TRUST_PROXY'], ['LOGLEVEL', 'LOG_LEVEL'], ['REDIS_URI', 'REDIS_URL'], ['METRIC', 'METRICS'], ['CONFIGDIR', 'CONFIG_DIR'],
    ['ALOWED_HOST', 'ALLOWED_HOSTS'], ['RATE_LIMIT_LOGIN_START', 'RATE_LIMIT_LOGIN_STARTS'], ['PROT', 'PORT'], ['HSOT', 'HOST'], ['CAHCE', 'CACHE'], ['PAGE', 'PAGES'],
    ['access_token', 'ACCESS_TOKEN'], ['accessToken', 'ACCESS_TOKEN'],
    ['MUSIC_RELY_PORT', 'MUSIC_RELAY_PORT'], ['MUSIC_RELAY_PROT', 'MUSIC_RELAY_PORT'], ['MUSIC_RELAY_HOME', 'MUSIC_RELAY_HOST'], ['music_relay_access_token', 'MUSIC_RELAY_ACCESS_TOKEN'], ['MUSIC_RELAY_CONFIGDIR', 'MUSIC_RELAY_CONFIG_DIR']
  ] as const) t.same(await warnedOf(wrong), [meant(wrong, right)], wrong)
  t.same(await warnedOf('ACCES_TOKEN', 'PROT', 'STOP_M'), [meant('ACCES_TOKEN', 'ACCESS_TOKEN'), meant('PROT', 'PORT'), meant('STOP_M', 'STOP_MS')], 'each has its line')
})

t.test('every long name is recognized with any one or two letters wrong', async (t) => {
  const edits: readonly ((text: string, at: number) => string)[] = [
    (text, at) => text.slice(0, at) + text.slice(at + 1),
    (text, at) => `${text.slice(0, at)}Q${text.slice(at)}`,
    (text, at) => `${text.slice(0, at)}Q${text.slice(at + 1)}`,
    (text, at) => text.slice(0, at) + text.slice(at, at + 2).split('').reverse().join('') + text.slice(at + 2)
  ]
  const known = new Set([...names, ...names.map((name) => `MUSIC_RELAY_${name}`)])
  const missed: string[] = []
  for (const [turn, name] of [...names, 'CONFIG_DIR'].filter(({ length }) => length > 6).entries()) {
    const wrong = new Set(edits.flatMap((first) => edits.flatMap((second) => Array.from(
      name, (_, at) => second(first(name, at), (at * 7 + 3) % name.length)
    ))).filter((one) => !known.has(one)))
    for (const one of sampleOf([...wrong], 50, turn)) if (!(await warnedOf(one)).some((line) => line.startsWith(
      `environment variable ${one}: unknown; did you mean `
    ))) missed.push(one)
  }
  t.same(missed, [])
})

t.test('known names, everyday variables of other programs and those of a service in Kubernetes are no misspelt settings', async (t) => {
  t.same(await warnedOf('CONFIG_DIR', 'MUSIC_RELAY_CONFIG_DIR'), [])
  const { warned } = await loaded({
    ...Object.fromEntries(Object.keys(removedSettings).map((key) => [variableOf(key) as string, '1'])), PORT: '1',
    MUSIC_RELAY_PORT: '2', STOP_MS: '3', STOP_DELAY_MS: '4'
  })
  t.match([warned.length, warned[0]], [1, /^Settings that no longer exist are ignored\. /])
  const others = `PATH HOME SHELL USER LOGNAME LANG LC_ALL TERM PWD OLDPWD SHLVL MAIL EDITOR PAGER LESS HOSTNAME HOSTTYPE OSTYPE MACHTYPE HISTFILE TZ TMPDIR TMP TEMP DISPLAY SSH_AUTH_SOCK
    XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_CACHE_HOME NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION YARN_VERSION npm_config_cache npm_package_json INIT_CWD CI GITHUB_ACTIONS GITHUB_TOKEN CI_SERVER_HOST CI_JOB_TOKEN
    RUNNER_OS KUBERNETES_SERVICE_HOST KUBERNETES_PORT DOCKER_HOST DOCKER_CONFIG container INVOCATION_ID JOURNAL_STREAM STATE_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY CONFIGURATION_DIRECTORY NOTIFY_SOCKET
    COLORTERM NO_COLOR HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy SSL_CERT_FILE SSL_CERT_DIR REDIS_HOST REDIS_PORT DATABASE_URL PATHEXT COMSPEC SystemRoot APPDATA PORTS HOSTS POST SORT DOCKER CCACHE
    CACHE_DIR DOC_ROOT ACCESS_KEY CONFIG CONFIG_FILE LOG_FILE METRICS_PORT host port docs cache`
  t.same(await warnedOf(...others.split(/\s+/)), [])

  const tcp = 'MUSIC_RELAY_PORT_3200_TCP'
  const links = {
    MUSIC_RELAY_SERVICE_HOST: '10.0.0.1', MUSIC_RELAY_SERVICE_PORT: '3200', MUSIC_RELAY_SERVICE_PORT_HTTP: '3200',
    MUSIC_RELAY_PORT: 'tcp://10.0.0.1:3200', [tcp]: 'tcp://10.0.0.1:3200', [`${tcp}_PROTO`]: 'tcp',
    [`${tcp}_PORT`]: '3200', [`${tcp}_ADDR`]: '10.0.0.1'
  }
  t.same(await loaded(links), { settings: settingsOf(), warned: [] })
  t.match(await loaded({ ...links, PORT: '3201' }), { settings: { port: 3201 }, warned: [] })
  t.match(
    await refusal(t, async () => await loaded({ ...links, MUSIC_RELAY_PORT: 'ftp://10.0.0.1' })),
    /^environment variable MUSIC_RELAY_PORT: port: must be /
  )
})

t.test('a variable with the prefix is always named if it is unknown', async (t) => {
  const list = `unknown; known are MUSIC_RELAY_ followed by CONFIG_DIR, ${names.join(', ')}.`
  t.same(await warnedOf('MUSIC_RELAY_TEA'), [`environment variable MUSIC_RELAY_TEA: ${list}`])
  t.same(await warnedOf('MUSIC_RELAY_'), [`environment variable MUSIC_RELAY_: ${list}`])
  t.same(await warnedOf('MUSIC_RELAY_uin=1; provider_key'), [`environment variable MUSIC_RELAY_…: ${list}`], 'a misplaced value is not shown')
  for (const name of ['COOKIE_PARAM_NAME', 'MUSIC_RELAY_COOKIE_PARAM_NAME']) t.same(await warnedOf(name), [`environment variable ${name}: unknown; cookieParamName has no variable, set it in service-config.json.`])
})

t.test('an empty boolean stops the start; any other empty variable is absent', async (t) => {
  const file = { useGlobalCookie: true, metrics: true, port: 3201, accessToken: 'x' }
  const folder = folderWith(t, file)
  chmodSync(join(folder, 'service-config.json'), 0o600)
  for (const [key, schema] of all) {
    const name = variableOf(key)
    for (const variable of name === undefined ? [] : [name, `MUSIC_RELAY_${name}`]) {
      if ((schema as { type?: string }).type === 'boolean') t.equal(
        await refusal(t, async () => await loaded({ [variable]: '' })),
        `environment variable ${variable}: ${key}: must be true or false.`
      )
      else t.same(await loaded({ [variable]: '' }, folder), { settings: settingsOf(file), warned: [] }, variable)
    }
  }
  t.match(await loaded({ MUSIC_RELAY_PORT: '', PORT: '3202' }), { settings: { port: 3202 } })
  t.match(
    await loaded({ MUSIC_RELAY_FALLBACK_MODE: 'false', FALLBACK_MODE: '' }), { settings: { fallbackMode: false } },
    'what is overridden is not looked at'
  )
  for (const name of ['compose.yaml', 'Dockerfile', 'docs/systemd/music-relay.service']) {
    t.notMatch(read(name), /\$\{\w+:?-\}|\b[A-Z]+(_[A-Z]+)*=(\s|$)/m, `${name} passes none`)
  }
})

t.test('what the start says of a global cookie: whether it is usable, what it lacks, how to mend it', async (t) => {
  const stay = 'requests stay anonymous until music-relay login stores'
  const none = ['useGlobalCookie is on, but user-info.json holds no cookie: requests stay anonymous until music-relay login stores one']
  const folder = t.testdir({})
  for (const [at, [info, state, text, warnings]] of ([
    ...[undefined, '{}', '{"cookie": ""}', '{"loginUin": "o70007"}'].map((info) => [info, 'on, none stored', `on, but none is stored: ${stay} one`, none] as const),
    ...([['uin=o70007', 'an account but no key: copy qm_keyst or qqmusic_key, too'], ['provider_keyst=Q_H_L_SECRETKEY', 'a key but no account: copy uin, too'], ['uin=abc; provider_key=W_X_SECRETKEY', 'a key but no account: copy wxuin, too'], ['theme=SECRETKEY', 'neither account nor key: copy uin, or wxuin after a WeChat login, and qm_keyst or qqmusic_key']] as const)
      .map(([cookie, lacks]) => [JSON.stringify({ cookie }), 'on, no login stored', `on, but the cookie in user-info.json has ${lacks}; ${stay} a login`, [`user-info.json holds no login: its cookie has ${lacks}`]] as const),
    ['{"cookie": "uin=o70007; provider_key=SECRETKEY"}', 'on', 'on', []] as const
  ] as const).entries()) {
    const own = join(folder, String(at))
    mkdirSync(own)
    if (info !== undefined) writeFileSync(join(own, 'user-info.json'), info, { mode: 0o600 })
    const userInfo = await openUserInfo(own)
    t.same([
      globalCookieState(true, userInfo), globalCookieState(false, userInfo)
    ], [{ state, text }, { state: 'off', text: 'off' }], info ?? 'no file')
    const lines: string[] = []
    await followUserInfo(userInfo, { info () {}, error () {}, warn (line: unknown) { lines.push(String(line)) } }, true)
    t.same(lines, warnings, info ?? 'no file')
    if (info?.includes('uin=o70007"') === true) {
      t.match(await bannerOf(own, { USE_GLOBAL_COOKIE: 'true' }), `\n  global cookie    ${text}\n`)
    }
  }
})

/** The banner of a relay with these settings, without the relay. */
async function bannerOf (folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { settings } = await loaded(env, folder)
  const globalCookie = globalCookieState(settings.useGlobalCookie, await openUserInfo(folder)).text
  return banner({
    address: `http://${settings.host}:3201`, settings, settingsFile: join(folder, 'service-config.json'), globalCookie,
    accounts: [], env, demo: undefined
  })
}

t.test('the banner names modes, metrics, the shared store and proxies, without their passwords, and the variables that are set', async (t) => {
  const folder = t.testdir({})
  const origin = { UPSTREAM_ORIGIN: 'http://127.0.0.1:1' }
  const on = await bannerOf(folder, {
    METRICS: 'true', REDIS_URL: 'rediss://user:p@SECRET@127.0.0.1:1/3?password=a@SECRET',
    UPSTREAM_PROXY: 'http://op:SECRET@127.0.0.1:8,u.y.qq.com=direct', MUSIC_RELAY_HOST: 'localhost',
    MUSIC_RELAY_UPSTREAM_ORIGIN: 'http://127.0.0.1:1'
  })
  t.match(on, /\n {2}listening {8}(http:\/\/localhost:\d+)\n[^]*\n {2}metrics {10}\1\/metrics\n/)
  t.match(on, /\n {2}shared store {5}rediss:\/\/127\.0\.0\.1:1\/3\n/)
  t.match(on, /another origin \(MUSIC_RELAY_UPSTREAM_ORIGIN\)[^]*set MUSIC_RELAY_HOST=0\.0\.0\.0 to/)
  t.match(on, /\n {2}upstream proxy {3}http:\/\/127\.0\.0\.1:8, u\.y\.qq\.com=direct\n/)
  t.notMatch(on, /SECRET/)
  const off = await bannerOf(folder, { ...origin, FALLBACK_MODE: 'false' })
  t.match(
    off, /another origin \(UPSTREAM_ORIGIN\)[^]*fallback mode +off[\s\S]*global cookie +off[^]*set HOST=0\.0\.0\.0 to/
  )
  t.notMatch(off, /^ {2}(metrics|shared store|upstream proxy) /m)
  t.match(
    await bannerOf(folder, { MUSIC_RELAY_RATE_LIMIT: '5' }),
    /\n {2}rate limit {7}MUSIC_RELAY_RATE_LIMIT has no effect here: on localhost all clients .*set TRUST_PROXY\n/
  )
  for (const env of [
    {}, { RATE_LIMIT: '5', TRUST_PROXY: '127.0.0.1' }, { RATE_LIMIT: '5', HOST: '0.0.0.0' }
  ] as Record<string, string>[]) t.notMatch(await bannerOf(folder, env), 'rate limit', JSON.stringify(env))
  t.match(
    await bannerOf(folder, { USE_GLOBAL_COOKIE: 'true' }),
    /fallback mode +on: .*\?cookie=.*X-Custom-Cookie or Cookie[\s\S]*global cookie +on, but none is stored/
  )
  const open = await bannerOf(folder, { HOST: '0.0.0.0', METING: 'true' })
  t.match(open, /blog widgets +http:\/\/<this machine>:\d+\/meting\?[\s\S]*access token +off: everybody/)
  t.match(
    open,
    /listening +http:\/\/0\.0\.0\.0:(\d+)\n[\s\S]*documentation +http:\/\/<this machine>:\1\/docs\n +try it +http:\/\/<this machine>:\1\/\n +log in +http:\/\/<this machine>:\1\/login\n/
  )
})
