/** `music-relay login --as` and `music-relay accounts`: what they store, print and refuse, beside a relay that runs. */
import {
  chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import type { CommanderError, Command as Parsed } from 'commander'
import pLimit from 'p-limit'
import t, { type Test } from 'tap'
import { checkAccounts } from '../../src/cli/accountReports.ts'
import { accountLines, removeAccount } from '../../src/cli/accountsCommand.ts'
import { createProgram } from '../../src/cli/program.ts'
import { createScreen } from '../../src/cli/screen.ts'
import { spanOf } from '../../src/common/spans.ts'
import { settingsOf } from '../../src/relay/settings.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { fileOf, folderFor, onDisk, unwritable } from '../support/accountsHelper.ts'
import { logIn, run } from '../support/accountCommands.ts'
import { runToEnd, start, type Ended } from '../support/commandProcess.ts'
import { demoFor, memberUin, until } from '../support/helper.ts'
import { openedStore, startStore, without } from '../support/instances.ts'

type Command = (...args: string[]) => Promise<Ended>

/** `script` starts a process, as each command is started once; `command` saves its start. */
async function ready (t: Test): Promise<{
  demo: DemoUpstream, folder: string, env: NodeJS.ProcessEnv, command: Command, script: Command
}> {
  const demo = await demoFor(t)
  const folder = folderFor(t)
  const env = { UPSTREAM_ORIGIN: demo.origin, CONFIG_DIR: folder }
  return {
    demo, folder, env, command: async (...args) => await run(args, env),
    script: async (...args) => await runToEnd(args, env)
  }
}

/** Every text of a stored login that nobody may see. */
function secretsIn (folder: string, name: string): string[] {
  const { cookie, renewal, secret, keys = [] } = onDisk(folder, name)
  const { musicKey, openId, unionId, accessToken, refreshToken } = renewal
  return [
    cookie, musicKey, openId, unionId, accessToken, refreshToken, secret,
    ...keys.map(({ hash }: { hash: string }) => hash)
  ].filter((text) => text !== undefined && text !== '')
}

const shown = (secrets: readonly string[], text: string): string[] => secrets.filter((secret) => text.includes(secret))

t.test('a login is stored under a name, with a secret that is shown once; listed, renewed and removed', async (t) => {
  const { demo, folder, env, command, script } = await ready(t)
  const first = await logIn(demo, env, ['--as', 'living-room'], 'member', runToEnd)
  t.match([first.code, first.err], [0, new RegExp(`Logged in as o${memberUin}\\.\n$`)])
  const { secret } = onDisk(folder, 'living-room')
  t.match(secret, /^mr_/)
  t.equal(first.out.split(secret).length, 2, 'once')
  t.match(
    first.out,
    /^Stored as living-room in \S+living-room\.json, readable only by you\.[^]*Authorization: Bearer[^]*music-relay accounts key living-room/
  )
  t.same(shown(secretsIn(folder, 'living-room'), first.err + first.out), [secret])
  t.notOk(first.err.includes(secret))
  t.equal(statSync(fileOf(folder, 'living-room')).mode & 0o777, 0o600)
  t.match(onDisk(folder, 'living-room'), {
    loginUin: `o${memberUin}`, nickname: '演示会员', renewal: { musicId: memberUin, refreshToken: /./ }
  })
  t.notOk(existsSync(join(folder, 'user-info.json')), 'the global login is another one')

  const again = await logIn(demo, env, ['--as', 'living-room', '--json'])
  t.same(JSON.parse(again.out), {
    ok: true, loginUin: `o${memberUin}`, file: fileOf(folder, 'living-room'), account: 'living-room'
  }, 'a known secret is not shown again')
  t.equal(onDisk(folder, 'living-room').secret, secret)
  const second = await logIn(demo, env, ['--as', 'kitchen', '--json'])
  t.match(JSON.parse(second.out), { ok: true, account: 'kitchen', secret: onDisk(folder, 'kitchen').secret })
  t.match(second.err, /The same account is stored as living-room, too\.[^]*music-relay accounts remove living-room/)
  t.equal((await logIn(demo, env, ['--as', 'default'])).code, 0)
  t.match(onDisk(folder, 'default'), { loginUin: `o${memberUin}` }, 'default is user-info.json')

  const [list, json] = [await script('accounts'), await command('accounts', '--json')]
  t.match(
    list.out,
    /^name +nickname +channel +expires in +last renewal +state +keys\ndefault +- +alt +2 d 23 h +never +ok +-\nkitchen +演示会员 +alt +2 d 23 h +never +ok +-\nliving-room /
  )
  t.match(JSON.parse(json.out), { ok: true, problems: [], accounts: [
    { name: 'default' }, { name: 'kitchen', keys: [] },
    {
      name: 'living-room', uin: memberUin, nickname: '演示会员', channel: 'alt', state: 'ok', renewable: true,
      expiresAt: Number
    }
  ] })
  for (const name of ['living-room', 'kitchen', 'default']) {
    t.same(shown(secretsIn(folder, name), list.out + json.out + list.err + json.err), [], name)
  }

  t.match(await script('accounts', 'remove', 'kitchen', '--yes'), { code: 0, out: /^kitchen is removed: \S+kitchen\.json is deleted/, err: /^$/ })
  t.same(readdirSync(join(folder, 'accounts')), ['living-room.json'])
  t.match(await script('accounts', 'remove', 'kitchen', '--yes', '--json'), { code: 1, out: /"code":"UNKNOWN_ACCOUNT"/ })
  t.equal((await command('accounts', 'secret', 'living-room')).out, `${secret}\n`)
  const fresh = await script('accounts', 'secret', 'living-room', '--new')
  t.equal(fresh.out, `${onDisk(folder, 'living-room').secret}\n`)
  t.not(fresh.out, `${secret}\n`)
  t.notMatch(fresh.err, fresh.out.trim())
  t.same(JSON.parse((await command('accounts', 'secret', 'living-room', '--json')).out), {
    ok: true, name: 'living-room', secret: fresh.out.trim()
  })
})

t.test('another person does not replace an account; the commands that are named find the folder', async (t) => {
  const { demo, folder, env, command } = await ready(t)
  const first = await logIn(demo, env, ['--as', 'anna'])
  t.match(first.out, `\n  CONFIG_DIR=${folder} music-relay accounts key anna <app>\n`)
  const before = onDisk(folder, 'anna')
  const refusal = `another account of the provider is stored as anna. Choose another name, or remove that one first: CONFIG_DIR=${folder} music-relay accounts remove anna`
  t.match(await logIn(demo, env, ['--as', 'anna'], 'child'), { code: 1, out: /^$/, err: `the login is not stored: ${refusal}\n` })
  const json = await logIn(demo, env, ['--as', 'anna', '--json'], 'child')
  t.match([json.code, JSON.parse(json.out)], [1, { ok: false, code: 'NOT_STORED', error: /remove that one first/ }])
  t.same(onDisk(folder, 'anna'), before)
  t.match(await logIn(demo, env, ['--as', 'anna']), { code: 0, out: `the same: CONFIG_DIR=${folder} music-relay accounts secret anna\n` })
  t.match((await logIn(demo, env, ['--as', 'second'])).err, `To remove: CONFIG_DIR=${folder} music-relay accounts remove anna\n`)
  for (const name of ['anna', 'second']) await command('accounts', 'remove', name, '--yes')
  await logIn(demo, env, [])
  t.match((await logIn(demo, env, ['--as', 'anna'])).err, `To remove: delete ${join(folder, 'user-info.json')}\n`)
})

t.test('a running relay notices a new account, its keys and their end, and the renewal by a command', async (t) => {
  const { demo, folder, env, command, script } = await ready(t)
  const relay = await start(t, demo.origin, { CONFIG_DIR: folder })
  const { out } = await logIn(demo, env, ['--as', 'living-room', '--json'])
  const { secret } = JSON.parse(out) as { secret: string }
  const ask = async (key: string, path: string): Promise<number> =>
    (await fetch(`${relay.address}${path}`, { headers: { authorization: `Bearer ${key}` } })).status
  const becomes = async (status: number, key: string, path: string): Promise<void> => {
    await until(async () => await ask(key, path) === status)
  }
  const liked = '/user/getUserLikedSongs?limit=5'
  await becomes(200, secret, liked)

  const made = await script('accounts', 'key', 'living-room', 'radio', '--no-login-endpoints')
  const radio = made.out.trim()
  t.match([made.code, made.out, made.err], [
    0, /^mk_[\w-]{43}\n$/, /^Key radio of living-room\. It is shown only now;.*accounts revoke living-room radio\n$/
  ])
  t.notMatch(made.err, radio)
  const json = JSON.parse(
    (await command('accounts', 'key', 'living-room', 'tv', '--read-only', '--per-minute', '60', '--json')).out
  ) as { secret: string }
  t.match(json, {
    ok: true, name: 'living-room', key: { id: 'tv', readOnly: true, noLoginEndpoints: false, perMinute: 60 },
    secret: /^mk_/
  })
  await becomes(200, radio, '/getHotkey')
  await becomes(200, json.secret, liked)
  t.same([
    await ask(radio, liked), await ask(radio, '/getAltLoginQr'), await ask(json.secret, '/getAltLoginQr')
  ], [403, 403, 403], 'their limits hold')
  t.match(
    (await command('accounts')).out,
    /radio \(no login endpoints\); tv \(read-only, 60 a minute\)\n\nname +stored +through +by\nliving-room +\S+ +command +\S+\n$/
  )

  const before = demo.keys.of('member')
  t.match(await script('accounts', 'renew', 'living-room'), { code: 0, out: /^living-room is renewed; its key expires in 2 d 23 h\.\n$/, err: /^Renewing living-room …\n$/ })
  t.same([demo.keys.of('member').renewals, demo.keys.valid(before.key)], [before.renewals + 1, false])
  await becomes(200, secret, liked)
  await becomes(200, json.secret, liked)
  t.match((await command('accounts')).out, /2 d 23 h +0 min ago +ok +radio .*tv/, 'keys stay')
  t.equal(demo.keys.of('member').renewals, before.renewals + 1, 'the relay has not renewed it again')

  t.match(await script('accounts', 'revoke', 'living-room', 'radio'), { code: 0, out: /^Key radio of living-room stops working within a second\.\n$/, err: /^$/ })
  await becomes(401, radio, '/getHotkey')
  t.match(await command('accounts', 'revoke', 'living-room', 'radio', '--json'), { code: 1, out: /"code":"UNKNOWN_KEY".*Its keys: tv\./ })
  t.match(await command('accounts', 'key', 'living-room', 'tv'), { code: 1, out: /^$/, err: /tv exists\. Revoke it first/ })
  await command('accounts', 'remove', 'living-room', '--yes')
  for (const key of [secret, json.secret]) await becomes(401, key, '/getHotkey')
  t.equal(await relay.stop(), 0)
  t.match(relay.said(), /"msg":"account living-room is removed"[^]*"signal":"SIGTERM","msg":"stopping"\}\n[^]*"msg":"stopped"\}\n$/)
  t.same(shown([secret, radio, json.secret, before.key, demo.keys.of('member').key], relay.said() + made.err), [])
})

t.test('a renewal that fails says what to do next, and the login of user-info.json is renewed like any other', async (t) => {
  const { demo, folder, env, command } = await ready(t)
  await logIn(demo, env, [])
  t.match(await command('accounts', 'renew', 'default'), { code: 0, out: /^default is renewed/ })
  await logIn(demo, env, ['--as', 'a'], 'child')
  demo.next('music.login.LoginServer/Login', { status: 500 }, 5)
  const failed = await command('accounts', 'renew', 'a', '--json')
  t.match([failed.code, JSON.parse(failed.out)], [1, {
    ok: false, code: 'NOT_RENEWED',
    error: /^a is not renewed: the music service gave no usable answer \(http_5\w+\)\. Try again/
  }])
  demo.reset()
  demo.keys.revoke('child')
  t.match(await command('accounts', 'renew', 'a'), { code: 1, out: /^$/, err: /The music service refuses to renew a \(code 104400\)\. Log in again: CONFIG_DIR=\S+ music-relay login --as a\n$/ })
  t.match((await command('accounts', 'renew', 'a', '--json')).out, /"code":"LOG_IN_AGAIN"/, 'and says so again without another request')
  t.match(
    (await command('accounts')).out,
    /^a .* log in again [^]*\n\na: the music service refuses to renew it \(code 104400\)\. Log in again: music-relay login --as a\n$/m
  )
  t.match(await logIn(demo, env, ['--as', 'a'], 'child'), { code: 0, out: /Its secret and its keys stay the same/ })
  t.match(await command('accounts', 'renew', 'a'), { code: 0 })

  const { renewal: _, ...bare } = onDisk(folder, 'a')
  writeFileSync(fileOf(folder, 'a'), JSON.stringify(bare))
  t.match(await command('accounts', 'renew', 'a'), { code: 1, err: /lacks the data for a renewal\. Log in again/ })
  t.match(
    (await command('accounts')).out,
    /^a .* not renewed [^]*\n\na: its file lacks the data for a renewal\. Log in again: music-relay login --as a\n$/m
  )
})

t.test('a backup from before a renewal has lost the login, and still has the secret and the keys', async (t) => {
  const { demo, folder, env, command } = await ready(t)
  await logIn(demo, env, ['--as', 'a'])
  await command('accounts', 'key', 'a', 'radio')
  const backup = readFileSync(fileOf(folder, 'a'))
  writeFileSync(fileOf(folder, 'a'), backup)
  t.match(await command('accounts', 'renew', 'a'), { code: 0 }, 'a backup of the present login works')
  writeFileSync(fileOf(folder, 'a'), backup)
  t.match(await command('accounts', 'renew', 'a'), { code: 1, err: /Log in again: CONFIG_DIR=\S+ music-relay login --as a\n$/ })
  t.match(await logIn(demo, env, ['--as', 'a']), { code: 0, out: /Its secret and its keys stay the same/ })
  const { secret, keys } = JSON.parse(String(backup)) as { secret: string, keys: object[] }
  t.match(onDisk(folder, 'a'), { secret, keys })
  t.match(await command('accounts', 'renew', 'a'), { code: 0 })
})

t.test('a login that no relay has renewed is overdue, and one with renewals off is not renewed: the list and its JSON say so', async (t) => {
  const { demo, folder, env, command } = await ready(t)
  await logIn(demo, env, ['--as', 'a'])
  const login = onDisk(folder, 'a')
  const aged = (days: number): void => {
    const { keyCreatedAt } = login.renewal as { keyCreatedAt: number }
    writeFileSync(fileOf(folder, 'a'), JSON.stringify({
      ...login, renewal: { ...login.renewal, keyCreatedAt: keyCreatedAt - 86_400 * days }
    }))
  }
  aged(4)
  const next = 'Start one, see its log, or renew it: music-relay accounts renew a'
  t.match(await command('accounts'), { code: 0, out: new RegExp(`^a +.* expired +never +overdue +-\\n\\na: it has expired, and no relay has renewed it\\. ${next}\\n$`, 'm') })
  t.match(JSON.parse((await command('accounts', '--json')).out), {
    ok: true, accounts: [{ name: 'a', state: 'overdue', trouble: { next } }]
  })
  aged(2.6)
  t.match((await command('accounts')).out, new RegExp(`^a +.* 9 h \\d+ min +never +overdue +-\\n\\na: no relay has renewed it\\. ${next}\\n$`, 'm'))
  const off = await run(['accounts'], { ...env, RENEW_LOGINS: 'false' })
  t.match(off.out, /^a +.* not renewed +-\n\na: renewals are off\. Renew it: music-relay accounts renew a\n$/m)
})

t.test('with a shared store, an account that another instance renews is left alone', { skip: without('redis-server') }, async (t) => {
  const { demo, env } = await ready(t)
  await logIn(demo, env, ['--as', 'a'])
  const server = await startStore(t)
  const store = await openedStore(t, server.url)
  const turn = async (): Promise<unknown> => await store.lock(`renewal of ${memberUin}`, 600_000)
  let free: unknown
  await until(async () => (free = await turn()) !== undefined)
  t.type(free, 'function')
  const renew = async (): Promise<Ended> =>
    await run(['accounts', 'renew', 'a', '--json'], { ...env, REDIS_URL: server.url, REDIS_SECRET: 'of the instances' })
  const { renewals } = demo.keys.of('member')
  t.match(await renew(), { code: 1, out: /"code":"BUSY","error":"Another instance is renewing a\./ })
  t.equal(demo.keys.of('member').renewals, renewals)
  ;(free as () => void)()
  // The store answers in order: then it has heard of that, too.
  await store.lock('something else', 1000)
  t.match(await renew(), { code: 0 })
  await server.end()
  t.match(await renew(), { code: 0 }, 'without the store, the lock of the file is left')
  t.equal(demo.keys.of('member').renewals, renewals + 2)
})

t.test('ACCOUNTS_SECRET, bad files, folders and names end with a clear sentence and the documented code', async (t) => {
  const { demo, folder, env } = await ready(t)
  const sealed = { ...env, ACCOUNTS_SECRET: 'a secret of the operator' }
  t.match(await logIn(demo, sealed, ['--as', 'a']), { code: 0, out: /a\.json, encrypted\./ })
  t.same(Object.keys(onDisk(folder, 'a')), ['sealed', 'salt', 'nonce', 'data'])
  t.match((await run(['accounts', 'key', 'a', 'radio'], sealed)).out, /^mk_/)
  t.match((await run(['accounts'], sealed)).out, /^a .* radio$/m)
  await logIn(demo, env, ['--as', 'open'], 'child')
  const broken = join(folderFor(t), 'config')
  mkdirSync(broken)
  writeFileSync(join(broken, 'accounts'), '')
  const wrong = { ...env, ACCOUNTS_SECRET: 'another secret, also long' }
  const unset = /a\.json: is encrypted, and ACCOUNTS_SECRET is not set\. Set it to that of the service\.\n/
  const other = /a\.json: encrypted with another ACCOUNTS_SECRET, or damaged\. Is ACCOUNTS_SECRET that of the service\? .*remove the account and log in again: music-relay accounts remove a\n/
  const cases: readonly [readonly string[], NodeJS.ProcessEnv, number, RegExp][] = [
    [['accounts'], env, 78, unset],
    [['accounts', 'secret', 'a'], env, 78, unset],
    [['accounts', 'renew', 'a'], wrong, 78, other],
    [['accounts', 'key', 'a', 'tv'], wrong, 78, other],
    [['accounts', 'revoke', 'a', 'radio'], wrong, 78, other],
    [['login', '--as', 'a'], wrong, 78, other],
    [
      ['login', 'alt', '--as', 'a'], env, 78,
      /^music-relay: A login as a would replace the secret and the keys of a file that cannot be read\. .*ACCOUNTS_SECRET is not set\. .*: music-relay accounts remove a\n$/
    ],
    [['accounts', 'secret', 'open'], wrong, 0, /^$/],
    [['accounts', 'secret', 'a'], { ...env, ACCOUNTS_SECRET: 'short' }, 78, /ACCOUNTS_SECRET/],
    [['accounts'], { CONFIG_DIR: join(folder, 'absent') }, 78, /absent does not exist/],
    [['accounts'], { CONFIG_DIR: broken }, 78, /accounts: is not a folder/],
    [
      ['accounts', 'key', 'a', 'tv'], { CONFIG_DIR: broken }, 78,
      /^music-relay: CONFIG_DIR: accounts cannot be stored or changed in .*not a folder.*writable/
    ],
    [['login', '--as', 'a'], { ...env, CONFIG_DIR: broken }, 78, /^music-relay: CONFIG_DIR: accounts cannot be stored/],
    [['accounts', 'renew', 'absent'], env, 1, /No account absent is stored in .*music-relay login --as absent/],
    [['accounts', 'renew', 'default'], env, 1, /No login is stored in .*user-info\.json.*music-relay login stores it/],
    [['accounts', 'revoke', 'a', 'mk_secret'], env, 2, /name of the key must have/],
    [['accounts', 'remove', 'open'], env, 2, /this needs a terminal to ask for confirmation\. Or add --yes/]
  ]
  const calls = demo.received.length
  const inTurn = pLimit(3)
  await Promise.all(cases.map(async ([args, variables, code, words]) => {
    const ended = await inTurn(run, args, variables)
    t.match([ended.code, ended.err], [code, words], args.join(' '))
    t.notMatch(ended.err, 'mk_secret', 'what was typed in a wrong place is not repeated')
  }))
  t.equal(demo.received.length, calls, 'the upstream is not asked')
  t.match(JSON.parse((await run(['accounts', '--json'], env)).out), {
    ok: false, accounts: [{ name: 'open' }], problems: [/ACCOUNTS_SECRET is not set/]
  })
  renameSync(fileOf(folder, 'open'), join(folder, 'open'))
  t.match(await run(['accounts'], wrong), { code: 78, out: /^No account in \S+ can be read\.\n$/, err: new RegExp(`^\\S+${other.source}$`) }, 'nothing follows a command, and nothing is said of others')
  renameSync(join(folder, 'open'), fileOf(folder, 'open'))
  const writable = unwritable(folder, 'open')
  t.match(await run(['accounts', 'key', 'open', 'tv'], env), { code: 1, out: /^$/, err: /^\S+open\.json cannot be changed \(ENAMETOOLONG\)\. Make it writable: ls -ld \S+accounts\n$/ })
  writable()
  t.match(await run(['accounts', 'remove', 'a', '--yes'], env), { code: 0 }, 'what cannot be read can be removed')
  writeFileSync(join(folder, 'user-info.json'), '{')
  t.match(await run(['accounts'], env), { code: 78, out: /^open /m, err: /user-info\.json: not valid JSON/ })
  chmodSync(fileOf(folder, 'open'), 0o644)
  renameSync(join(folder, 'user-info.json'), join(folder, 'aside'))
  t.match(await run(['accounts'], env), { code: 0, err: process.platform === 'win32' ? /^$/ : /chmod 600/ })
})

t.test('a relay starts beside accounts that it cannot read, and says so', async (t) => {
  const { demo, folder, env } = await ready(t)
  const userInfo = join(folder, 'user-info.json')
  writeFileSync(userInfo, '{')
  writeFileSync(join(folder, 'accounts'), '')
  const relay = await start(t, demo.origin, { CONFIG_DIR: folder })
  t.equal((await fetch(`${relay.address}/getHotkey`)).status, 200)
  await until(() => /user-info\.json: not valid JSON/
    .test(relay.said()) && /accounts: is not a folder\. Remove the file\./.test(relay.said()))
  await t.rejects(
    start(t, demo.origin, { CONFIG_DIR: folder, USE_GLOBAL_COOKIE: 'true' }),
    /it ended: .*user-info\.json: not valid JSON/s, 'a login that requests need stops the start'
  )
  const place = { folder }
  t.match(await checkAccounts(place, settingsOf({}), Date.now()), [
    { account: 'accounts/', state: 'unreadable', problems: [/is not a folder/] },
    { account: 'default', state: 'unreadable', problems: [/not valid JSON/] }
  ])
  t.match(await run(['accounts', 'secret', 'a'], env), { code: 78, err: /accounts: is not a folder/ })
})

t.test('the removal asks on a terminal, and only yes removes', async (t) => {
  const { demo, folder, env } = await ready(t)
  await logIn(demo, env, ['--as', 'a'])
  let [out, screen] = ['', '']
  const task = {
    folder, json: false, settings: settingsOf({ upstreamOrigin: demo.origin }),
    screen: createScreen({ write: (text) => { screen += text } }, {}), out: (text: string) => { out += text }
  }
  const asked: string[] = []
  const answer = (yes: boolean) => async (question: string): Promise<boolean> => {
    asked.push(question)
    return yes
  }
  t.equal(await removeAccount(task, 'a', answer(false)), 1)
  t.same([out, screen], ['', 'Nothing was removed.\n'])
  t.ok(existsSync(fileOf(folder, 'a')))
  t.equal(await removeAccount(task, 'absent', answer(true)), 1)
  t.same(asked, ['Remove a with its secret and its keys? [y/N] '], 'nothing is asked about what is not there')
  mkdirSync(join(folder, 'queues', 'a.json'), { recursive: true }) // nothing deletes it as a file
  screen = ''
  t.equal(await removeAccount(task, 'a', answer(true)), 0)
  t.notOk(existsSync(fileOf(folder, 'a')))
  t.match([out, screen], [/^a is removed: /, /^account a is removed, but its play queue cannot be deleted/])
})

/** Reads arguments as the command does, in this process. Returns the output and why it ended. */
async function parsed (...args: readonly string[]): Promise<{ readonly text: string, readonly error: CommanderError }> {
  let text = ''
  const program = createProgram()
  const heard = (command: Parsed): void => {
    command.configureOutput({ writeOut: (part) => { text += part }, writeErr: (part) => { text += part } })
    command.commands.forEach(heard)
  }
  heard(program)
  const error = await program.parseAsync(args, { from: 'user' })
    .then(() => undefined, (reason: unknown) => reason) as CommanderError
  return { text, error }
}

t.test('wrong use is named without repeating what was typed', async (t) => {
  const limits = ['0', '1.5', '1e3', '-1', '', '1000001', '9'.repeat(30)]
  const cases: readonly [readonly string[], RegExp][] = [
    ...['../a', 'A', '', 'mk_secret', 'a'.repeat(33)].flatMap((name): [readonly string[], RegExp][] => [
      ...['renew', 'secret', 'remove'].map((verb): [readonly string[], RegExp] =>
        [['accounts', verb, name], /name of the account must have 1 to 32/]),
      [['accounts', 'key', 'a', name], /name of the key must have/],
      [['login', '--as', name], /name of the account must have/]
    ]),
    ...limits.map((limit): [readonly string[], RegExp] =>
      [['accounts', 'key', 'a', 'b', `--per-minute=${limit}`], /must be a whole number from 1 to 1000000/]),
    [['login', '--as', 'a', '--print'], /cannot be used with/],
    [['accounts', 'key', 'a'], /missing required argument 'id'/],
    [['accounts', 'mk_secret'], /unknown command/],
    [['accounts', 'secret', 'default'], /default is the login of user-info\.json\. It has no secret/],
    [['accounts', 'key', 'default', 'a'], /It has no keys/],
    [['accounts', 'revoke', 'default', 'a'], /It has no keys/],
    [['accounts', 'remove', 'default', '--yes'], /delete user-info\.json/]
  ]
  for (const [args, words] of cases) {
    const { text, error } = await parsed(...args)
    t.match(text, words, args.join(' '))
    t.match([error.name, error.exitCode], ['CommanderError', 1], 'the command makes 2 of it')
    t.notMatch(text, 'mk_secret')
  }
})

t.test('every command has help with examples and its exit codes', async (t) => {
  for (const args of [[], ['list'], ['renew'], ['remove'], ['secret'], ['key'], ['revoke']]) {
    const { text, error } = await parsed('accounts', ...args, '--help')
    t.equal(error.code, 'commander.helpDisplayed')
    t.match(
      text,
      /\nExamples:\n( {2}.*music-relay.*\n)+\nExit codes: 0 [^\n]*, 1 [^\n]*, 2 wrong use, 78 bad configuration[^\n]*\.\n$/, args.join()
    )
    if (args.length > 0) t.match(text, /--json/)
  }
})

t.test('the table says how long a login lasts, and what is wrong with it', async (t) => {
  t.same([0, -5, 59, 60, 3660, 90_000].map(spanOf), ['0 min', '0 min', '0 min', '1 min', '1 h 1 min', '1 d 1 h'])
  const account = { name: 'a', uin: '1', channel: 'main', state: 'ok', renewable: true, keys: [] } as const
  const [, ...lines] = accountLines([
    account, { ...account, expiresAt: 5 }, { ...account, uin: undefined, expiresAt: 7210, renewedAt: 8 }
  ], { now: 10_000, renew: true })
  t.match(lines, [
    /unknown +never +ok/, /expired +never +overdue/, /2 h 0 min +0 min ago +log in again/, /^$/, /^a: it has expired/,
    /^a: its cookie is no login\. Log in again/
  ])
  const nicknames = ['Anna', '演示会员', 'さくら', 'カナ', '민수', 'Zoe\u0301', '🎵音', '（a）', '-']
  const columns = [4, 8, 6, 4, 4, 3, 4, 5, 1]
  const [, ...rows] =
    accountLines(nicknames.map((nickname) => ({ ...account, nickname })), { now: 10_000, renew: true })
  rows.forEach((row, at) => { t.ok(row.startsWith(`a     ${nicknames[at]}${' '.repeat(10 - (columns[at] ?? 0))}main`), row) })
})

t.test('with --json, every error is one line of JSON on stdout, also wrong use and a bad configuration', async (t) => {
  const env = { CONFIG_DIR: folderFor(t) }
  for (const [args, more, exit, code, said] of [
    [['accounts', 'secret', 'nobody'], {}, 1, 'UNKNOWN_ACCOUNT', /^No account nobody is stored/],
    [['accounts', 'secret', 'BAD!'], {}, 2, 'WRONG_USE', /the name of the account must have/],
    [['login', 'both'], {}, 2, 'WRONG_USE', /Allowed choices are main, alt/],
    [['accounts'], { ACCOUNTS_SECRET: 'short' }, 78, 'BAD_CONFIGURATION', /ACCOUNTS_SECRET/],
    [['login', '--cookie', '/absent/cookie'], {}, 78, 'BAD_CONFIGURATION', /cannot be read \(ENOENT\)/],
    [['check', '/absent'], {}, 1, 'FAILED', /cannot be read \(ENOENT\)/]
  ] as const) {
    const ended = await run([...args, '--json'], { ...env, ...more })
    t.equal(ended.code, exit, code)
    t.match(JSON.parse(ended.out), { ok: false, code, error: said })
    t.equal(ended.out.split('\n').length, 2)
    t.match(ended.err, said, 'and for people on stderr')
    t.equal((await run(args, { ...env, ...more })).out, '')
  }
})
