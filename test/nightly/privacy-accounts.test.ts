/**
 * What is stored of an account never leaks: not its secret, its keys, its cookie, nor any field of its renewal record.
 * Searched are all answers, the log at its lowest level, metrics, health, the shared store, the end by a bug, and what
 * the commands print.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'iovalkey'
import t from 'tap'
import { createLoginFiles, type StoredLogin } from '../../src/accounts/loginFiles.ts'
import type { AccountName } from '../../src/demo/accounts.ts'
import { logIn, run } from '../support/accountCommands.ts'
import { folderFor } from '../support/accountsHelper.ts'
import { start } from '../support/commandProcess.ts'
import { headersOf, others, routes, type Route } from '../support/everyRoute.ts'
import { demoFor, until } from '../support/helper.ts'
import { startStore, without } from '../support/instances.ts'

const renewal = 'music.login.LoginServer/Login'
const accountsSecret = 'CANARY of the operator, long enough'

/** Times and lives that nothing else has. When the login was stored is no secret, so the key is made to be older. */
const numbers =
  { keyCreatedAt: Math.floor(Date.now() / 1000) - 1777, keyExpiresIn: 259_277, accessTokenExpiresAt: 1_999_999_977 }

/** Fields of a record that are no secret: the number of the account, and who refused it. */
const open = new Set(['musicId', 'state', 'refusedBy'])

/** All texts of a stored login that nobody may see. */
function canariesIn ({
  cookie = '', secret = '', keys = [], renewal: { previous, ...record } = {} as NonNullable<StoredLogin['renewal']>
}: StoredLogin): string[] {
  const texts = [...Object.entries(record), ...Object.entries(previous ?? {})]
    .flatMap(([name, value]) => typeof value === 'string' && !open.has(name) ? [value] : [])
  return [cookie, secret, ...keys.map(({ hash }) => hash), ...texts].filter((text) => text !== '')
}

/** How a text looks when it is quoted or encoded. */
const formsOf = (text: string): string[] => [
  text, encodeURIComponent(text), Buffer.from(text).toString('base64url').slice(0, -2),
  Buffer.from(text).toString('hex')
]

/** Does a text hold a canary, in any form? A number has to stand alone: sums of metrics have long rows of digits after their point. */
const holds = (text: string, canary: string): boolean => /^\d+$/.test(canary)
  ? new RegExp(`(?<![\\d.])${canary}(?!\\d)`).test(text)
  : formsOf(canary).some((form) => text.includes(form))

/** The ways to bring the secret of an account, including wrong ones. */
const ways: readonly ((secret: string) => { query?: string, headers?: Record<string, string> })[] = [
  (secret) => ({ headers: { authorization: `Bearer ${secret}` } }),
  (secret) => ({ headers: { authorization: `Basic ${Buffer.from(`anybody:${secret}`).toString('base64')}` } }),
  (secret) => ({ headers: { 'authorization': `Bearer ${secret}x`, 'x-custom-cookie': secret, 'referer': `http://x/?secret=${secret}`, 'origin': 'https://other.example', 'x-request-id': secret } }),
  (secret) => ({ query: new URLSearchParams({ cookie: secret, secret, limit: secret, quality: secret }).toString() })
]

t.test('whatever happens to stored accounts, nothing of them is in any output', { timeout: 300_000 }, async (t) => {
  const demo = await demoFor(t)
  const folder = folderFor(t)
  const env = { UPSTREAM_ORIGIN: demo.origin, CONFIG_DIR: folder, ACCOUNTS_SECRET: accountsSecret }
  const files = createLoginFiles({ folder, secret: accountsSecret, origin: demo.origin })
  const stored = async (name: string): Promise<StoredLogin> => await files.of(name).read() ?? {}
  const canaries = new Set<string>([accountsSecret, ...Object.values(numbers).map(String)])
  /** Every output, by what it is. */
  const outputs: [what: string, text: string][] = []
  const note = async (): Promise<void> => {
    for (const name of Object.keys(people)) for (const text of canariesIn(await stored(name))) canaries.add(text)
  }

  const people: Readonly<Record<string, AccountName>> =
    { renewed: 'member', refused: 'partner', lost: 'child', default: 'ordinary' }
  const secrets: Record<string, string> = {}
  for (const [name, person] of Object.entries(people)) {
    const { code, out, err } = await logIn(demo, env, name === 'default' ? [] : ['--as', name], person)
    t.equal(code, 0, err)
    await files.of(name).change(async (write) => {
      const login = await stored(name)
      await write({ ...login, renewal: { ...login.renewal as NonNullable<StoredLogin['renewal']>, ...numbers } })
    })
    secrets[name] = (await stored(name)).secret ?? ''
    t.equal(secrets[name] !== '' && out.includes(secrets[name]), name !== 'default', 'it is shown once, to whoever logged in')
    outputs.push([`login ${name}`, err + (secrets[name] === '' ? out : out.replace(secrets[name], ''))])
  }
  for (const id of ['radio', 'screen']) {
    const { out, err } = await run(['accounts', 'key', 'renewed', id, ...id === 'screen' ? ['--no-login-endpoints'] : []], env)
    secrets[id] = out.trim()
    canaries.add(out.trim())
    outputs.push(['accounts key', err])
  }
  for (const secret of Object.values(secrets)) {
    if (secret !== '') canaries.add(Buffer.from(`anybody:${secret}`).toString('base64'))
  }
  await note()

  const store = without('redis-server') === false ? await startStore(t) : undefined
  const bug = `process.on('SIGWINCH', () => {
    const login = JSON.parse(process.env.STORED)
    throw Object.assign(new TypeError('nobody caught it'), { login, request: { headers: { authorization: login.secret } }, cause: Object.assign(new Error(login.cookie), { code: 'ECAUSE', login }) })
  })`
  const relay = await start(t, demo.origin, {
    ...env, STORED: JSON.stringify(await stored('renewed')), LOG_LEVEL: 'trace', METRICS: 'true',
    METRICS_ACCOUNT_NAMES: 'true', DOCS: 'true', PAGES: 'true', USE_GLOBAL_COOKIE: 'true', GLOBAL_COOKIE_SCOPE: 'login',
    RATE_LIMIT: '1000000', RATE_LIMIT_LOGIN_STARTS: '1000000',
    ...store === undefined ? {} : { REDIS_URL: store.url, REDIS_SECRET: 'of the instances' }
  }, { first: join(t.testdir({ 'bug.mjs': bug }), 'bug.mjs') })

  const ask = async (
    { method, form, query: own, body }: Route, { query = '', headers = {} }: ReturnType<typeof ways[number]> = {}
  ): Promise<number> => {
    const reply = await fetch(`${relay.address}${form}?${[own, query].filter((part) => part !== '').join('&')}`, {
      method, redirect: 'manual',
      headers: { ...headers, ...body === undefined ? {} : { 'content-type': 'application/json' } },
      ...body === undefined ? {} : { body: JSON.stringify(body) }
    })
    outputs.push([`${form} ${reply.status}`, await reply.text() + headersOf(reply)])
    return reply.status
  }
  const askAll = async (secret: string, all = [...routes, ...others]): Promise<void> => {
    for (const way of ways) for (const route of all) await ask(route, way(secret))
  }
  // Large pages, the same for everybody: asking for them once in every way, and once in none, is enough.
  const pages = ['/', '/login', '/docs', '/docs/json', '/guide/']
  const personal = [
    ...routes.filter(({ form }) => form.startsWith('/user/') || form.startsWith('/getDaily')),
    ...others.filter(({ form }) => !pages.includes(form))
  ]
  const liked = routes.find(({ form }) => form === '/user/getUserLikedSongs') as Route
  const asking = (name: string): Promise<number> => ask(liked, name === 'default' ? {} : ways[0]?.(secrets[name] ?? ''))

  await askAll(secrets['renewed'] ?? '')
  for (const id of ['radio', 'screen']) await askAll(secrets[id] ?? '', personal)
  for (const route of [...routes, ...others]) await ask(route)
  t.equal(await asking('renewed'), 200)
  t.equal(await ask(liked, ways[0]?.(secrets['screen'] ?? '')), 403)

  /** What becomes of the renewal of an account, and when it has. */
  const fates: Readonly<Record<string, () => Promise<() => boolean | Promise<boolean>>>> = {
    async renewed () {
      const { musicKey } = (await stored('renewed')).renewal ?? {}
      demo.keys.kill('member')
      return async () => (await stored('renewed')).renewal?.musicKey !== musicKey
    },
    async refused () {
      demo.keys.revoke('partner')
      return async () => (await stored('refused')).renewal?.state === 'log in again'
    },
    async lost () {
      demo.keys.kill('child')
      demo.next(renewal, { lost: true })
      return () => /account lost was not renewed/.test(relay.said())
    },
    async default () {
      demo.keys.kill('ordinary')
      demo.next(renewal, { body: `{"code":0,"req":{"code":0,"data":${JSON.stringify({ ...(await stored('default')).renewal })}` })
      return () => /account default was not renewed/.test(relay.said())
    }
  }
  for (const [name, begin] of Object.entries(fates)) {
    const happened = await begin()
    await asking(name)
    await until(happened)
    await note()
    if (name === 'default') for (const route of personal) await ask(route)
    else await askAll(secrets[name] ?? '', personal)
  }
  t.equal(await asking('renewed'), 200, 'with the new key')

  for (const args of [['accounts'], ['accounts', '--json'], ['accounts', 'renew', 'renewed'], ['accounts', 'renew', 'refused', '--json'], ['accounts', 'revoke', 'renewed', 'radio'], ['doctor', '--json'], ['accounts', 'remove', 'lost', '--yes']]) {
    const { out, err } = await run(args, env)
    outputs.push([args.join(' '), out + err])
    await note()
  }
  if (store !== undefined) {
    const reader = new Redis(store.url)
    t.teardown(() => { reader.disconnect() })
    const keys = await reader.keys('*')
    t.ok(keys.length > 20, `${keys.length} entries in the shared store`)
    for (const key of keys) outputs.push(['the shared store', `${key} ${await reader.type(key) === 'string' ? String(await reader.getBuffer(key)) : ''}`])
    t.same(keys.filter((key) => demo.accounts.some(({ uin }) => key.includes(uin))), [])
  }
  t.equal(await relay.stop('SIGWINCH'), 1)
  t.match(relay.said(), /"level":"fatal".*nobody caught it/)
  outputs.push(['the log', relay.said()])
  for (const { uin } of demo.accounts) t.notOk(relay.said().includes(uin), 'account numbers are not logged')
  t.same(readdirSync(folder).sort(), ['accounts', 'sessions.json', 'user-info.json'], 'a crash leaves no file behind')

  t.ok(canaries.size > 40, `${canaries.size} texts`)
  t.ok(outputs.length > 500, `${outputs.length} outputs`)
  const found = outputs.flatMap(([what, text]) => [...canaries]
    .flatMap((canary) => holds(text, canary) ? [`${what}: ${canary}`] : []))
  // How long a key lives is a fact that the doctor is asked for; it is the same for every key of a kind.
  t.same([...new Set(found)].filter((each) => each !== `doctor --json: ${numbers.keyExpiresIn}`), [])
})
