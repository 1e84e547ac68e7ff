/** Environment variables: two names for each setting, misspelt ones, and what an empty one means. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { Test } from 'tap'
import { ServiceConfig } from '../../schemas/config.ts'
import { loadSettings, settingsOf, variableOf } from '../../src/core/config.ts'
import { removedSettings } from '../../src/core/removedSettings.ts'
import { demoFor, serverFor } from '../support/helper.ts'
import { sampleOf } from '../support/whole.ts'

const names = Object.keys(ServiceConfig.properties).flatMap((key) => variableOf(key) ?? [])
/** A value that every message would have to leave out. */
const secret = 'SECRETVALUE'

/** Loads settings from these variables only. Returns them with the warnings. */
async function loaded (env: NodeJS.ProcessEnv, folder = 'absent'): Promise<{ settings: Awaited<ReturnType<typeof loadSettings>>, warned: string[] }> {
  const warned: string[] = []
  return { settings: await loadSettings({ folder, env, warn: (line) => { warned.push(line) } }), warned }
}

const warnedOf = async (...variables: string[]): Promise<string[]> => (await loaded(Object.fromEntries(variables.map((name) => [name, secret])))).warned

const refusal = async (env: NodeJS.ProcessEnv, t: Test): Promise<string> => {
  const message = await loaded(env).then(() => 'accepted', (error: Error) => error.message)
  t.notMatch(message, secret)
  return message
}

t.test('a misspelt variable is named with the one that was probably meant', async (t) => {
  t.same(await warnedOf('TRUST_PROXIES'), [], 'three letters')
  for (const [wrong, right] of [
    ['ACCES_TOKEN', 'ACCESS_TOKEN'], ['ACCESS_TOKENS', 'ACCESS_TOKEN'], ['ACCESS_TOEKN', 'ACCESS_TOKEN'], ['ACCES_TOEKN', 'ACCESS_TOKEN'], ['ACCESSTOKEN', 'ACCESS_TOKEN'], ['ASSESS_TOKEN', 'ACCESS_TOKEN'],
    ['USE_GLOBAL_COOKIES', 'USE_GLOBAL_COOKIE'], ['TRUSTED_PROXY', 'TRUST_PROXY'], ['LOGLEVEL', 'LOG_LEVEL'], ['REDIS_URI', 'REDIS_URL'], ['METRIC', 'METRICS'], ['CONFIGDIR', 'CONFIG_DIR'],
    ['ALOWED_HOST', 'ALLOWED_HOSTS'], ['RATE_LIMIT_LOGIN_START', 'RATE_LIMIT_LOGIN_STARTS'], ['PROT', 'PORT'], ['HSOT', 'HOST'], ['CAHCE', 'CACHE'], ['PAGE', 'PAGES'],
    ['access_token', 'ACCESS_TOKEN'], ['accessToken', 'ACCESS_TOKEN'],
    ['MUSIC_RELY_PORT', 'MUSIC_RELAY_PORT'], ['MUSIC_RELAY_PROT', 'MUSIC_RELAY_PORT'], ['MUSIC_RELAY_HOME', 'MUSIC_RELAY_HOST'], ['music_relay_access_token', 'MUSIC_RELAY_ACCESS_TOKEN'], ['MUSIC_RELAY_CONFIGDIR', 'MUSIC_RELAY_CONFIG_DIR']
  ] as const) {
    t.same(await warnedOf(wrong), [`environment variable ${wrong}: unknown; did you mean ${right}?`], wrong)
  }
  t.same(await warnedOf('ACCES_TOKEN', 'PROT', 'STOP_M'), ['ACCES_TOKEN: unknown; did you mean ACCESS_TOKEN?', 'PROT: unknown; did you mean PORT?', 'STOP_M: unknown; did you mean STOP_MS?'].map((words) => `environment variable ${words}`), 'each has its line')
})

t.test('every long name is recognized with any one or two letters wrong', async (t) => {
  const edits: readonly ((text: string, at: number) => string)[] = [
    (text, at) => text.slice(0, at) + text.slice(at + 1),
    (text, at) => `${text.slice(0, at)}Q${text.slice(at)}`,
    (text, at) => `${text.slice(0, at)}Q${text.slice(at + 1)}`,
    (text, at) => text.slice(0, at) + text.slice(at, at + 2).split('').reverse().join('') + text.slice(at + 2)
  ]
  for (const [turn, name] of [...names, 'CONFIG_DIR'].filter(({ length }) => length > 6).entries()) {
    const wrong = new Set<string>()
    for (const first of edits) for (const second of edits) for (let at = 0; at < name.length; at++) wrong.add(second(first(name, at), (at * 7 + 3) % name.length))
    for (const known of [...names, ...names.map((one) => `MUSIC_RELAY_${one}`)]) wrong.delete(known)
    const missed = (await Promise.all(sampleOf([...wrong], 5, turn).map(async (one) => (await warnedOf(one)).some((line) => line.startsWith(`environment variable ${one}: unknown; did you mean `)) ? [] : [one]))).flat()
    t.same(missed, [], name)
  }
})

t.test('known names and everyday variables of other programs are no misspelt settings', async (t) => {
  t.same(await warnedOf('CONFIG_DIR', 'MUSIC_RELAY_CONFIG_DIR'), [])
  const values = await loaded({ ...Object.fromEntries(Object.keys(removedSettings).map((key) => [variableOf(key) as string, '1'])), PORT: '1', MUSIC_RELAY_PORT: '2', STOP_MS: '3', STOP_DELAY_MS: '4' })
  t.match(values.warned, [/^Settings that no longer exist are ignored\. /])
  t.equal(values.warned.length, 1)
  const others = `PATH HOME SHELL USER LOGNAME LANG LC_ALL TERM PWD OLDPWD SHLVL MAIL EDITOR PAGER LESS HOSTNAME HOSTTYPE OSTYPE MACHTYPE HISTFILE TZ TMPDIR TMP TEMP DISPLAY SSH_AUTH_SOCK
    XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_CACHE_HOME NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION YARN_VERSION npm_config_cache npm_package_json INIT_CWD CI GITHUB_ACTIONS GITHUB_TOKEN CI_SERVER_HOST CI_JOB_TOKEN
    RUNNER_OS KUBERNETES_SERVICE_HOST KUBERNETES_PORT DOCKER_HOST DOCKER_CONFIG container INVOCATION_ID JOURNAL_STREAM STATE_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY CONFIGURATION_DIRECTORY NOTIFY_SOCKET
    COLORTERM NO_COLOR HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy SSL_CERT_FILE SSL_CERT_DIR REDIS_HOST REDIS_PORT DATABASE_URL PATHEXT COMSPEC SystemRoot APPDATA PORTS HOSTS POST SORT DOCKER CCACHE
    CACHE_DIR DOC_ROOT ACCESS_KEY CONFIG CONFIG_FILE LOG_FILE METRICS_PORT host port docs cache`
  t.same(await warnedOf(...others.split(/\s+/)), [])
})

t.test('a variable with the prefix is always named if it is unknown', async (t) => {
  const [tea, ...more] = await warnedOf('MUSIC_RELAY_TEA')
  t.equal(tea, `environment variable MUSIC_RELAY_TEA: unknown; known are MUSIC_RELAY_ followed by CONFIG_DIR, ${names.join(', ')}.`)
  t.same(more, [])
  t.match(await warnedOf('MUSIC_RELAY_'), [/^environment variable MUSIC_RELAY_: unknown; known are /])
  t.match(await warnedOf('MUSIC_RELAY_uin=1; provider_key'), [/^environment variable MUSIC_RELAY_…: unknown; known are /], 'a misplaced value is not shown')
  for (const name of ['COOKIE_PARAM_NAME', 'MUSIC_RELAY_COOKIE_PARAM_NAME']) {
    t.same(await warnedOf(name), [`environment variable ${name}: unknown; cookieParamName has no variable, set it in service-config.json.`])
  }
})

t.test('every setting also has a variable with the prefix, which wins', async (t) => {
  const values: Readonly<Record<string, readonly [string, string]>> = {
    string: ['x', 'y'], boolean: ['true', 'false'], upstreamOrigin: ['http://127.0.0.1:9', 'http://127.0.0.1:8'], imageOrigin: ['https://a.example', 'https://b.example'], publicOrigin: ['https://a.example/relay', 'http://b.example:8080'], redisUrl: ['redis://a:1', 'redis://b:1'], upstreamProxy: ['http://a.example', 'http://b.example'],
    allowedHosts: ['a.example,b.example', 'c.example'], corsOrigins: ['https://a.example', 'https://b.example'], trustProxy: ['10.0.0.0/8', '::1'], accountsSecret: ['x'.repeat(16), 'y'.repeat(16)]
  }
  for (const [key, schema] of Object.entries(ServiceConfig.properties)) {
    const variable = variableOf(key)
    if (variable === undefined) continue
    const { type, minimum = 0, maximum, enum: words } = schema as { type?: string, minimum?: number, maximum?: number, enum?: string[] }
    const [one, other] = values[key] ?? (words === undefined ? values[type ?? ''] : [words[0] as string, words[1] as string]) ?? [String(minimum), String(maximum)]
    const valueOf = async (env: NodeJS.ProcessEnv): Promise<string> => {
      const { settings, warned } = await loaded(env)
      t.same(warned, [], variable)
      return String(settings[key as keyof typeof settings])
    }
    t.equal(await valueOf({ [`MUSIC_RELAY_${variable}`]: one }), one, variable)
    t.equal(await valueOf({ [`MUSIC_RELAY_${variable}`]: other, [variable]: one }), other, `${variable}: the prefix wins`)
    t.equal(await valueOf({ [`MUSIC_RELAY_${variable}`]: one, [variable]: other }), one, `${variable}: the prefix wins, the other way round`)
  }
  t.match(await loaded({ MUSIC_RELAY_PORT: '3201', PORT: 'tcp' }), { settings: { port: 3201 } }, 'the plain name may belong to another program')
})

t.test('messages name the variable that was set', async (t) => {
  t.match(await refusal({ PORT: secret }, t), /^environment variable PORT: port: must be /)
  t.match(await refusal({ MUSIC_RELAY_PORT: secret, PORT: '1' }, t), /^environment variable MUSIC_RELAY_PORT: port: must be /)
  t.match(await refusal({ MUSIC_RELAY_UPSTREAM_ORIGIN: `ftp://${secret}` }, t), /^environment variable MUSIC_RELAY_UPSTREAM_ORIGIN: upstreamOrigin: must be /)
  const { warned } = await loaded({ MUSIC_RELAY_RETRY_FLOOR: '1', CACHE_ENTRIES: '1' })
  t.same(warned, ['Settings that no longer exist are ignored. Remove MUSIC_RELAY_RETRY_FLOOR: the value is fixed now. Remove CACHE_ENTRIES: cacheBytes limits the cache.'])
})

t.test('an empty boolean stops the start; any other empty variable is absent', async (t) => {
  const folder = t.testdir({ 'service-config.json': '{"useGlobalCookie": true, "metrics": true, "port": 3201, "accessToken": "x"}' })
  chmodSync(join(folder, 'service-config.json'), 0o600)
  for (const [key, schema] of Object.entries(ServiceConfig.properties)) {
    const name = variableOf(key)
    for (const variable of name === undefined ? [] : [name, `MUSIC_RELAY_${name}`]) {
      if ((schema as { type?: string }).type === 'boolean') t.equal(await refusal({ [variable]: '' }, t), `environment variable ${variable}: ${key}: must be true or false.`)
      else t.same(await loaded({ [variable]: '' }, folder), { settings: settingsOf({ useGlobalCookie: true, metrics: true, port: 3201, accessToken: 'x' }), warned: [] }, variable)
    }
  }
  t.match(await loaded({ MUSIC_RELAY_PORT: '', PORT: '3202' }), { settings: { port: 3202 } })
  t.match(await loaded({ MUSIC_RELAY_FALLBACK_MODE: 'false', FALLBACK_MODE: '' }), { settings: { fallbackMode: false } }, 'what is overridden is not looked at')
})

t.test('variables that Kubernetes sets for a service called music-relay are no settings', async (t) => {
  const links = { MUSIC_RELAY_SERVICE_HOST: '10.0.0.1', MUSIC_RELAY_SERVICE_PORT: '3200', MUSIC_RELAY_SERVICE_PORT_HTTP: '3200', MUSIC_RELAY_PORT: 'tcp://10.0.0.1:3200', MUSIC_RELAY_PORT_3200_TCP: 'tcp://10.0.0.1:3200', MUSIC_RELAY_PORT_3200_TCP_PROTO: 'tcp', MUSIC_RELAY_PORT_3200_TCP_PORT: '3200', MUSIC_RELAY_PORT_3200_TCP_ADDR: '10.0.0.1' }
  t.same(await loaded(links), { settings: settingsOf(), warned: [] })
  t.match(await loaded({ ...links, PORT: '3201' }), { settings: { port: 3201 }, warned: [] })
  t.match(await refusal({ ...links, MUSIC_RELAY_PORT: 'ftp://10.0.0.1' }, t), /^environment variable MUSIC_RELAY_PORT: port: must be /)
})

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')

t.test('no file for containers or services passes an empty variable', async (t) => {
  for (const file of ['compose.yaml', 'Dockerfile', 'docs/systemd/music-relay.service']) t.notMatch(read(file), /\$\{\w+:?-\}|\b[A-Z]+(_[A-Z]+)*=(\s|$)/m, file)
})

t.test('the health check of the image asks at the port that counts', async (t) => {
  const server = await serverFor(t, await demoFor(t))
  const [, command = ''] = /^HEALTHCHECK .* CMD (.*)$/m.exec(read('Dockerfile')) ?? []
  const [, ...args] = JSON.parse(command) as string[]
  const { port } = new URL(server.address)
  for (const [env, code] of [[{ PORT: port }, 0], [{ PORT: '1', MUSIC_RELAY_PORT: port }, 0], [{ PORT: port, MUSIC_RELAY_PORT: '1' }, 1]] as const) {
    const child = spawn(process.execPath, args, { env })
    t.same(await once(child, 'close'), [code, null], Object.keys(env).join())
  }
})
