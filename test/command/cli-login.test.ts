/**
 * `music-relay login` and the page /login of the built command: what is stored, who is offered it, and a signal in the
 * middle.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { modulesOfPng } from '../../src/cli/screen.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { folderFor, onDisk } from '../support/accountsHelper.ts'
import { commandLine, root, runToEnd, spawned, type Spawned } from '../support/commandProcess.ts'
import { demoFor, memberUin, until } from '../support/helper.ts'
import { bearer, codeOf, offers, posted } from '../support/loginPages.ts'

const memberKey = 'W_X_demoMember'

/** Starts the command as a user does, with pipes instead of a terminal. */
const start = (t: Test, args: readonly string[], env: NodeJS.ProcessEnv): Spawned =>
  spawned(t, [process.execPath, ...commandLine, ...args], { env: { PATH: process.env['PATH'], ...env } })

/** Id of the next QR code that has a waiting poll. */
async function shown (demo: DemoUpstream, { says }: Spawned): Promise<string> {
  await says(/Waiting/)
  const uuid = demo.login.ids('alt').at(-1) ?? ''
  await demo.login.held(uuid, 1)
  return uuid
}

t.test('after a login on the alternative channel the relay has that account, without anybody copying a cookie', async (t) => {
  const demo = await demoFor(t)
  const folder = join(t.testdir({}), 'new', 'config')
  const env = { UPSTREAM_ORIGIN: demo.origin, CONFIG_DIR: folder }
  const command = start(t, ['login', 'alt'], env)
  const uuid = await shown(demo, command)
  const picture = (await command.says(/\/\S+\/login-1\.png/))
  t.ok(modulesOfPng(readFileSync(picture)), 'without a terminal the code is a picture')
  t.equal(statSync(picture).mode & 0o777, 0o600)

  const page = (await command.says(/Simulate the scan: \S+\n/)).trim().split(': ')[1] ?? ''
  t.equal(page, demo.login.scanUrl(uuid), 'the page that simulates the scan is named')
  await fetch(page)
  await command.says(/Scanned: now confirm/)
  await demo.login.held(uuid, 1)
  await fetch(page, { method: 'POST', body: new URLSearchParams({ account: 'member' }) })
  t.equal(await command.ended, 0, command.err())
  t.match(command.out(), /Stored in .*user-info\.json[\s\S]*CONFIG_DIR=\S+ USE_GLOBAL_COOKIE=true music-relay\n/)
  t.match(command.err(), new RegExp(`Logged in as o${memberUin}\\.`))
  t.notMatch(command.out() + command.err(), memberKey, 'the key is nowhere to be read')
  t.notOk(existsSync(dirname(picture)), 'the picture is gone')
  const file = join(folder, 'user-info.json')
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.equal(statSync(folder).mode & 0o777, 0o700)
  const { renewal, ...stored } = JSON.parse(readFileSync(file, 'utf8'))
  t.match(stored, { loginUin: `o${memberUin}`, cookie: new RegExp(`^uin=o${memberUin}; provider_key=${memberKey}`) })
  t.match(renewal, {
    loginType: 1, musicId: memberUin, musicKey: new RegExp(`^${memberKey}`), keyCreatedAt: Number, keyExpiresIn: 259200,
    openId: /./, unionId: /./, accessToken: /./, refreshToken: /./
  })
  const { openId, unionId, accessToken, refreshToken } = renewal
  const secrets = [openId, unionId, accessToken, refreshToken]
  t.same(
    secrets.filter((secret) => (stored.cookie + command.out() + command.err()).includes(secret)), [],
    'what a renewal needs is in the file only'
  )

  const relay = start(t, ['serve'], { ...env, USE_GLOBAL_COOKIE: 'true', PORT: '0', SHED_DELAY_MS: '0' })
  const address = (await relay.says(/http:\/\/localhost:\d+/))
  await relay.says(/only this machine/)
  const { body } = await (await fetch(`${address}/user/getUserLikedSongs`))
    .json() as { body: { response: { total: number, songs: unknown[] } } }
  t.match(body.response, { total: 140, songs: { length: 30 } })
  const told = await Promise.all(['/user/getCookie', '/health/upstream', '/getDailyRecommend']
    .map(async (path) => await (await fetch(`${address}${path}`)).text()))
  t.same(secrets.filter((secret) => told.join('').includes(secret)), [])
  t.equal(await relay.stop(), 0)
  t.notMatch(relay.out() + relay.err(), memberKey)
  t.same(secrets.filter((secret) => (relay.out() + relay.err()).includes(secret)), [])
})

t.test('Ctrl-C ends it at once, with 130 and without leftovers', async (t) => {
  const demo = await demoFor(t)
  const folder = t.testdir({})
  const command = start(t, ['login', 'alt'], { UPSTREAM_ORIGIN: demo.origin, CONFIG_DIR: folder })
  const uuid = await shown(demo, command)
  const picture = await command.says(/\/\S+\/login-1\.png/)
  t.equal(await command.stop('SIGINT'), 130)
  await demo.login.held(uuid, 0)
  t.match(command.err(), /Stopped; nothing was stored\.\n$/)
  t.equal(command.out(), '')
  t.notOk(existsSync(dirname(picture)))
  t.same(readdirSync(folder), [])
})

/** Starts the demo command in an empty folder. Returns its address, and the link that makes a browser the operator's. */
async function demoCommand (t: Test, env: Record<string, string>): Promise<{
  readonly address: string, readonly operator?: string
}> {
  // Absolute paths: the folder `config` of the repository must not be its settings.
  const line = commandLine.map((part) => part === 'tsx' ? import.meta.resolve(part)
    : part.includes('/') ? resolve(root, part) : part)
  const demo = spawned(t, [process.execPath, ...line, 'demo', '--json'], {
    cwd: folderFor(t), env: { PATH: process.env['PATH'], PORT: '0', SHED_DELAY_MS: '0', ...env }
  })
  return JSON.parse(await demo.says(/^.*\n/)) as { address: string, operator?: string }
}

/** Opens the link of the start, as a browser does. Returns the headers of its next requests. */
async function openedLink (
  { address, operator = '' }: { readonly address: string, readonly operator?: string }
): Promise<{ cookie: string, 'sec-fetch-site': string }> {
  const own = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const { headers } = await fetch(`${address}/login/operator`, {
    method: 'POST', headers: own, body: JSON.stringify({ code: operator.split('#operator=')[1] })
  })
  return { 'cookie': headers.get('set-cookie')?.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin' }
}

t.test('the command offers it; the demo only in a folder that somebody chose', async (t) => {
  const folder = folderFor(t)
  const start = await demoCommand(t, { CONFIG_DIR: folder })
  const { address } = start
  t.notOk(await offers({ address }, []), 'being at this machine is not enough')
  const own = await openedLink(start)
  t.ok(await offers({ address }, [`Cookie: ${own.cookie}`]))
  const json = async (path: string, init: RequestInit = {}): Promise<any> =>
    await (await fetch(`${address}${path}`, init)).json()
  const { uuid } = await json('/getAltLoginQr')
  await fetch(`${address}/scan/alt/${uuid}`, { method: 'POST', body: new URLSearchParams({ account: 'member' }) })
  const { account } = await json('/login/account', {
    method: 'POST', headers: { 'content-type': 'application/json', ...own },
    body: JSON.stringify({ name: 'kitchen', uuid })
  })
  t.match(account, { name: 'kitchen', secret: /^mr_/ })
  t.equal(onDisk(folder, 'kitchen').secret, account.secret)
  t.equal((await json('/user/getUserLikedSongs', bearer(account.secret))).body.response.total, 140)
  t.match((await json('/login/account', bearer(account.secret))).account, { name: 'kitchen' })
  const list = await runToEnd(['accounts'], { CONFIG_DIR: folder })
  t.match([list.code, list.out], [
    0, /\nname +stored +through +by\nkitchen +\d{4}-\d\d-\d\d +page \/login +browser [\da-f]{8}\n$/
  ])
  t.match((await runToEnd(['accounts', 'sessions'], { CONFIG_DIR: folder })).out, /^id +accounts +operator[^]*yes/)
  t.match(
    (await runToEnd(['accounts', 'sessions', '--end', 'all'], { CONFIG_DIR: folder })).out,
    /1 browser sessions are ended/
  )
  await until(async () => !await offers({ address }, [`Cookie: ${own.cookie}`]))
  const other = await demoCommand(t, {})
  t.same([other.operator, await offers(other, [])], [undefined, false])
})

const outer = Object.values(networkInterfaces())
  .flat().find((each) => each?.internal === false && each.family === 'IPv4')?.address

t.test('another machine is not the operator, whatever host it names', { skip: outer === undefined ? 'this machine has no network' : false }, async (t) => {
  const { port } = new URL((await demoCommand(t, { CONFIG_DIR: folderFor(t), HOST: '0.0.0.0' })).address)
  const address = `http://${outer}:${port}`
  t.notOk(await offers({ address }, [], { host: 'localhost' }))
  t.equal(codeOf(await posted({ address }, '{}', [], { host: '127.0.0.1' })), '401 TOKEN_REQUIRED')
})
