/** Stored accounts: their files, their secrets, and what becomes of files that others wrote. When keys are renewed: renewal.test.ts. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, symlinkSync,
  unlinkSync, utimesSync, writeFileSync
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { seal, unseal } from '../../src/accounts/loginFiles.ts'
import { withFileLock } from '../../src/common/fileLock.ts'
import { InvalidInput } from '../../src/common/errors.ts'
import {
  before, blocked, canary, fileOf, folderFor, holding, onDisk, put, sceneFor, unwritable, type Keeper
} from '../support/accountsHelper.ts'
import { until } from '../support/helper.ts'
import { keepsFiles, withoutFiles } from '../support/noFiles.ts'
import { runs } from '../support/whole.ts'

const onWindows = process.platform === 'win32'
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
const namesIn = (keeper: Keeper): string[] => keeper.list().map(({ name }) => name)
const unreadable = (keeper: Keeper): string[] =>
  keeper.states().filter(({ state }) => state === 'unreadable').map(({ name }) => name)
const wasSaid = (keeper: Keeper, words: RegExp): number => keeper.log.filter((line) => words.test(line)).length
const sealedKeys = ['sealed', 'salt', 'nonce', 'data']
const operator = 'a secret of the operator'

t.test('an account is stored with a secret of its own, and only its owner can read the file', async (t) => {
  const { folder, upstream, keeper, another, clock } = await sceneFor(t)
  t.same(keeper.list(), [])
  const login = upstream.login('10001')
  const secret = await keeper.save('living-room', { ...login, nickname: 'Anna' }) as string
  t.match(secret, /^mr_[0-9A-Za-z_-]{43}$/)
  t.match(onDisk(folder, 'living-room'), { ...login, secret, nickname: 'Anna' })
  if (!onWindows) t.same(
    [fileOf(folder, 'living-room'), join(folder, 'accounts')].map((path) => statSync(path).mode & 0o777), [0o600, 0o700]
  )
  t.same(readdirSync(join(folder, 'accounts')), ['living-room.json'], 'nothing else is left there')
  const times = { renewsAt: Number, expiresAt: clock.now / 1000 + 259_200, createdAt: clock.now / 1000 }
  t.match(keeper.get('living-room'), {
    name: 'living-room', uin: '10001', channel: 'main', nickname: 'Anna', state: 'ok', renewable: true, ...times
  })
  for (const text of [canary, secret]) t.notMatch(JSON.stringify(keeper.list()), text, 'what is listed holds no secret')
  t.same(
    keeper.credentialOf('living-room'), { uin: '10001', key: login.renewal?.musicKey, loginType: 2, euin: undefined }
  )

  const again = await another({ now: () => clock.now + 60_000 })
  t.same([again.list(), again.log], [keeper.list(), []], 'after a restart, of which there is nothing to say')
  t.same([again.bySecret(secret)?.name, again.secretOf('living-room')], ['living-room', secret])
  t.equal(await again.save('living-room', upstream.login('10001')), secret, 'a new login keeps the secret: players go on')
  t.equal(again.get('living-room')?.createdAt, keeper.get('living-room')?.createdAt)
})

t.test('a secret finds its account and no other', async (t) => {
  const { upstream, keeper } = await sceneFor(t)
  const secrets = new Map<string, string>()
  for (const name of ['a', 'b', 'c']) {
    secrets.set(name, await keeper.save(name, upstream.login(`1000${secrets.size}`)) as string)
  }
  for (const [name, secret] of secrets) t.equal(keeper.bySecret(secret)?.name, name)
  const changed = fc.constantFrom(...secrets.values()).chain((secret) =>
    fc.tuple(fc.nat(secret.length), fc.string({ minLength: 1 })).map(([at, text]) => secret.slice(0, at) + text))
  fc.assert(fc.property(fc.oneof(fc.string(), changed), (guess) =>
    keeper.bySecret(guess)?.name === [...secrets].find(([, secret]) => secret === guess)?.[0]
  ), runs(t))
  const old = secrets.get('b') as string
  const fresh = await keeper.newSecret('b')
  t.same([old, fresh].map((secret) => keeper.bySecret(secret)?.name), [undefined, 'b'])
  t.same([await keeper.remove('b'), keeper.bySecret(fresh), await keeper.remove('b')], [true, undefined, false])
  await t.rejects(keeper.newSecret('b'), InvalidInput)
})

t.test('an account is removed also if its play queue cannot be deleted', async (t) => {
  const { folder, upstream, keeper } = await sceneFor(t)
  const secret = await keeper.save('a', upstream.login('10001')) as string
  mkdirSync(join(folder, 'queues', 'a.json'), { recursive: true })
  t.same([await keeper.remove('a'), keeper.bySecret(secret), namesIn(keeper)], [true, undefined, []])
  t.equal(wasSaid(keeper, /a is removed, but its play queue cannot be deleted \(E\w+\): delete queues\/a\.json$/), 1)
})

t.test('a key acts for its account within its limits until it is revoked, and only its hash is stored', async (t) => {
  for (const secret of ['', operator]) {
    const { folder, upstream, keeper, another, edit } = await sceneFor(t, { secret })
    const own = await keeper.save('a', { ...upstream.login('10001'), nickname: 'Anna' }) as string
    await keeper.save('b', upstream.login('10002'))
    const limits = { plain: {}, reader: { readOnly: true }, player: { noLoginEndpoints: true, perMinute: 60 }, off: {
      readOnly: false, noLoginEndpoints: false, perMinute: undefined
    } }
    const keys = new Map<string, string>()
    for (const [id, limit] of Object.entries(limits)) keys.set(id, await keeper.addKey('a', id, limit))
    const texts = [...keys.values()]
    const reader = keys.get('reader') as string
    const other = await keeper.addKey('b', 'plain', {})
    for (const text of texts) t.match(text, /^mk_[0-9A-Za-z_-]{43}$/)
    const none = { readOnly: false, noLoginEndpoints: false }
    const expected = [
      { id: 'plain', ...none }, { id: 'reader', ...none, readOnly: true },
      { id: 'player', ...none, noLoginEndpoints: true, perMinute: 60 }, { id: 'off', ...none }
    ]
    for (const used of [keeper, await another()]) {
      t.strictSame(texts.map((text) => used.bySecret(text)), expected.map((key) => ({ name: 'a', key })))
      t.strictSame(used.bySecret(own), { name: 'a' }, 'the own secret has no limits')
      t.match(used.bySecret(other), { name: 'b', key: { id: 'plain' } }, 'ids are those of one account')
      t.match(used.get('a')?.keys, expected.map((key) => ({ ...key, createdAt: used.get('a')?.createdAt })))
      const hidden =
        [...texts, other, ...secret === '' ? onDisk(folder, 'a').keys.map(({ hash }: { hash: string }) => hash) : []]
      t.same(hidden.filter((text) => `${JSON.stringify([used.list(), used.get('a')])}${used.log.join()}`.includes(text)), [], 'no key and no hash in a list')
    }
    if (secret === '') {
      const hashes = onDisk(folder, 'a').keys.map(({ hash }: { hash: string }) => hash)
      t.same(hashes, texts.map(hashOf))
      for (const hash of hashes) t.equal(keeper.bySecret(hash), undefined, 'a stolen hash is no key')
    }
    t.same(texts.filter((text) => readFileSync(fileOf(folder, 'a'), 'utf8').includes(text)), [])

    await keeper.newSecret('a')
    await keeper.save('a', upstream.login('10001'))
    t.equal(await keeper.renewNow('a'), 'renewed')
    for (const text of texts) t.equal(keeper.bySecret(text)?.name, 'a', 'a new secret, a new login and a renewal keep the keys')
    t.same([
      await keeper.revokeKey('a', 'reader'), keeper.bySecret(reader), await keeper.revokeKey('a', 'reader')
    ], [true, undefined, false])
    t.equal(keeper.bySecret(keys.get('plain') as string)?.name, 'a')
    t.not(await keeper.addKey('a', 'reader', {}), reader)
    t.equal(keeper.bySecret(reader), undefined, 'the same id is another key')
    if (secret === '') {
      const edited = onDisk(folder, 'a')
      await edit('a', { ...edited, keys: [...edited.keys, { ...edited.keys.at(-1), hash: hashOf(reader) }] })
      t.equal(keeper.bySecret(reader)?.key?.id, 'reader', 'an id may be twice in an edited file')
      t.same([await keeper.revokeKey('a', 'reader'), keeper.bySecret(reader)], [true, undefined], 'both end')
    }
    await keeper.remove('a')
    for (const text of texts) t.equal(keeper.bySecret(text), undefined)
    t.equal(keeper.bySecret(other)?.name, 'b')
  }
})

t.test('keys have names and limits, and a number of keys is enough', async (t) => {
  const { folder, upstream, keeper, edit } = await sceneFor(t)
  await edit('default', upstream.login('10002'))
  await keeper.save('a', upstream.login('10001'))
  for (const id of ['', 'A', '-a', 'a_b', '../a', 'a\n', 'a'.repeat(33), canary]) {
    await t.rejects(keeper.addKey('a', id, {}), { name: 'InvalidInput', message: /^key: must have a name/ })
  }
  for (const perMinute of [0, -1, 1.5, NaN, Infinity, 1_000_001, '5' as unknown as number]) {
    await t.rejects(keeper.addKey('a', 'k', { perMinute }), { message: /^perMinute: must be a whole number/ })
  }
  for (const name of ['default', 'absent', '../a']) {
    await t.rejects(keeper.addKey(name, 'k', {}), InvalidInput)
    await t.rejects(keeper.revokeKey(name, 'k'), InvalidInput)
  }
  for (let count = 0; count < 50; count++) {
    await keeper.addKey('a', `k${count}`, count < 2 ? { perMinute: [1, 1_000_000][count] } : {})
  }
  await t.rejects(keeper.addKey('a', 'more', {}), { message: /has 50 keys, which is the most/ })
  await t.rejects(keeper.addKey('a', 'k7', {}), { message: /k7 exists/ })
  await keeper.revokeKey('a', 'k0')
  await keeper.addKey('a', 'more', {})
  t.equal(onDisk(folder, 'a').keys.length, 50)
  const { keys: [first], ...rest } = onDisk(folder, 'a')
  for (const [name, keys] of Object.entries({
    many: Array(51).fill(first), text: [{ ...first, text: 'mk_' }], short: [{ ...first, hash: canary }],
    named: [{ ...first, id: canary }]
  })) put(folder, name, { ...rest, keys })
  await keeper.tick()
  t.same(namesIn(keeper), ['a', 'default'])
  t.notMatch(keeper.log.join('\n'), canary)
})

t.test('a revoked key does not come back: not with a renewal that could not be written, nor with a copy or an interrupted write', async (t) => {
  const { folder, upstream, keeper, another } = await sceneFor(t)
  const secret = await keeper.save('a', upstream.login('10001')) as string
  const key = await keeper.addKey('a', 'radio', {})
  const accounts = join(folder, 'accounts')
  const old = readFileSync(fileOf(folder, 'a'), 'utf8')
  let unblock = (): void => {}
  before(upstream, () => { unblock = blocked(folder, 'a') })
  t.equal(await keeper.renewNow('a'), 'renewed')
  unblock()
  put(folder, 'a', old)
  const other = await another()
  t.equal(await other.revokeKey('a', 'radio'), true)
  const fresh = await other.newSecret('a')
  await keeper.tick()
  t.match(onDisk(folder, 'a'), { cookie: keeper.cookieOf('a'), keys: { length: 0 } }, 'the renewal is written')
  t.same([key, secret, fresh].map((text) => keeper.bySecret(text)?.name), [undefined, undefined, 'a'])

  const next = await keeper.addKey('a', 'radio', {})
  copyFileSync(fileOf(folder, 'a'), fileOf(folder, 'b'))
  const { cookie, renewal, ...rest } = onDisk(folder, 'a')
  const newer = upstream.login('10001')
  put(folder, 'a', { ...rest, cookie, renewal })
  writeFileSync(join(accounts, 'a.json.123456789'), JSON.stringify({ ...rest, cookie: newer.cookie, renewal: {
    ...newer.renewal, previous: { ...newer.renewal, musicKey: renewal.musicKey }
  } }))
  await keeper.revokeKey('a', 'radio')
  const restarted = await another()
  t.same(
    [restarted.cookieOf('a'), restarted.bySecret(next)], [newer.cookie, undefined], 'the interrupted renewal counts'
  )

  await keeper.addKey('a', 'late', {})
  await restarted.tick()
  await keeper.revokeKey('a', 'late')
  await restarted.newSecret('a')
  t.same(onDisk(folder, 'a').keys, [], 'nor with what another process has not seen yet')
})

t.test('an account whose renewal could not be written keeps login and secret, also when its file is gone', async (t) => {
  const { folder, upstream, keeper } = await sceneFor(t, { renew: false })
  const secret = await keeper.save('a', upstream.login('10001'))
  const old = readFileSync(fileOf(folder, 'a'), 'utf8')
  let unblock = (): void => {}
  before(upstream, () => { unblock = blocked(folder, 'a') })
  t.equal(await keeper.renewNow('a'), 'renewed')
  unblock()
  put(folder, 'a', old)
  for (const gone of [false, true]) {
    if (gone) unlinkSync(fileOf(folder, 'a'))
    await keeper.tick()
    t.ok(upstream.works(keeper.credentialOf('a')?.key), gone ? 'without its file' : 'the key in the file is dead')
  }
  t.equal(await keeper.save('a', upstream.login('10001')), secret)
  t.equal(onDisk(folder, 'a').cookie, keeper.cookieOf('a'))
})

t.test('an account whose file goes while it is renewed stays until the renewal has ended', async (t) => {
  const { folder, upstream, keeper, edit } = await sceneFor(t)
  await edit('default', upstream.login('10002'))
  await keeper.save('a', upstream.login('10001'))
  const { held, go } = holding(upstream, 2)
  const renewals = ['a', 'default'].map(async (name) => await keeper.renewNow(name))
  await until(() => held() === 2)
  unlinkSync(fileOf(folder, 'a'))
  await edit('default', '{}')
  t.same(namesIn(keeper), ['a', 'default'])
  go()
  t.same(await Promise.all(renewals), ['renewed', 'renewed'])
  for (const name of ['a', 'default']) t.ok(upstream.works(onDisk(folder, name).renewal.musicKey), name)
  await edit('default', '{}')
  t.same(keeper.states().map(({ name, state }) => [name, state]), [['a', 'ok']], 'a user-info.json without a login is no account, and no bad file')
  await edit('default', '{')
  t.equal(keeper.states()[1]?.state, 'unreadable')
  await edit('default')
  t.equal(keeper.states().length, 1)
})

t.test('names are lower-case words, and never a path', async (t) => {
  const { folder, upstream, keeper } = await sceneFor(t)
  for (const name of ['', 'A', '-a', 'a_b', 'a.b', '../a', 'a/b', 'a\n', 'a b', 'ä', 'a'.repeat(33)]) {
    await t.rejects(keeper.save(name, upstream.login('10001')), InvalidInput, JSON.stringify(name))
    await t.rejects(keeper.remove(name), InvalidInput)
    await t.rejects(async () => {
      await keeper.renewNow(name)
    }, { name: 'InvalidInput', message: /^account: must be a name/ }, 'which does not repeat it')
  }
  t.same(readdirSync(folder), [])
  for (const name of ['a', '0', 'living-room', 'a'.repeat(32), 'constructor']) {
    await keeper.save(name, upstream.login('10001'))
  }
  t.equal(keeper.list().length, 5)
})

t.test('the login of user-info.json is the account default', async (t) => {
  const { folder, upstream, another } = await sceneFor(t)
  const login = upstream.login('10001')
  put(folder, 'default', login)
  put(folder, 'living-room', '{}')
  mkdirSync(join(folder, 'accounts'), { recursive: true })
  put(folder, 'a-b', '{}')
  writeFileSync(join(folder, 'accounts', 'default.json'), JSON.stringify(login))
  const keeper = await another()
  t.same(keeper.list().map(({ name, uin }) => [name, uin]), [['default', '10001']])
  t.same([keeper.secretOf('default'), keeper.bySecret('')], [undefined, undefined], 'an empty secret is not that of an account without one')
  t.notMatch(keeper.log.join('\n'), /encrypted/, 'it is never encrypted')
  await t.rejects(keeper.newSecret('default'), InvalidInput)
  t.equal(await keeper.save('default', upstream.login('10002')), undefined)
  t.same(Object.keys(onDisk(folder, 'default')), ['loginUin', 'cookie', 'renewal'], 'the file stays what it is')
  t.equal(keeper.credentialOf('default')?.uin, '10002')
})

t.test('user-info.json may hold the cookies of a whole browser, is renewed all the same, and is never read without end', async (t) => {
  const { folder, upstream, keeper, edit } = await sceneFor(t)
  const { cookie, ...login } = upstream.login('10001')
  await edit('default', { ...login, cookie: `${'x'.repeat(500_000)}=1; ${cookie}` })
  t.same(keeper.states().map(({ name, state }) => [name, state]), [['default', 'ok']])
  t.equal(await keeper.renewNow('default'), 'renewed')
  t.ok(upstream.works(onDisk(folder, 'default').renewal.musicKey))
  const key = keeper.credentialOf('default')?.key
  await edit('default', ' '.repeat(5_000_000))
  t.same([unreadable(keeper), keeper.credentialOf('default')?.key], [['default'], key], 'the last good login stays in use')
  if (onWindows) return
  unlinkSync(fileOf(folder, 'default'))
  execFileSync('mkfifo', [fileOf(folder, 'default')])
  await keeper.tick()
  t.same([unreadable(keeper), keeper.credentialOf('default')?.key], [['default'], key])
})

t.test('a bad file is named, with its field, and the other accounts work', async (t) => {
  const { folder, upstream, keeper: first, another } = await sceneFor(t)
  await first.save('good', upstream.login('10001'))
  const good = onDisk(folder, 'good')
  const secret = `${canary}-in-a-wrong-place`
  const cases: Record<string, [content: unknown, expected: RegExp]> = {
    text: [secret, /text\.json: not valid JSON/],
    empty: ['', /empty\.json: not valid JSON/],
    cut: [JSON.stringify(good).slice(0, -20), /cut\.json: not valid JSON/],
    list: [[], /list\.json: must hold one JSON object/],
    nothing: [{}, /nothing\.json: secret: is required/],
    key: [{ ...good, [secret]: 1 }, /key\.json: it has an unknown key/],
    proto: [`{"__proto__": {"secret": "${secret}"}}`, /proto\.json: /],
    short: [{ ...good, secret: 'mr_short' }, /short\.json: secret: must be a secret that the relay made/],
    cookie: [
      { ...good, cookie: `${secret}\r\nset-cookie: a=b` }, /cookie\.json: cookie: must be a text of at most 8192/
    ],
    id: [{ ...good, renewal: { ...good.renewal, musicId: secret } }, /id\.json: renewal\.musicId: must be/],
    state: [
      { ...good, renewal: { ...good.renewal, state: secret } },
      /state\.json: renewal\.state: must be one of ok, log in again/
    ],
    previous: [
      { ...good, renewal: { ...good.renewal, previous: { musicKey: secret } } },
      /previous\.json: renewal\.previous\.\w+: is required/
    ],
    version: [{ sealed: 2, data: secret }, /version\.json: /],
    large: [' '.repeat(300_000), /large\.json: is too large/]
  }
  for (const [name, [content]] of Object.entries(cases)) put(folder, name, content)
  mkdirSync(fileOf(folder, 'folder'))
  if (!onWindows) execFileSync('mkfifo', [fileOf(folder, 'pipe')]) // a read of it would never end
  symlinkSync('nowhere', fileOf(folder, 'dangling'))
  const device = '/proc/self/mem' // a file, and reading it fails for every user
  if (existsSync(device)) symlinkSync(device, fileOf(folder, 'device'))
  put(folder, 'full', JSON.stringify({ ...good, secret: `mr_${'0'.repeat(43)}` }).padEnd(256 * 1024))
  for (const name of ['UPPER.json', 'a b.json', '.json', 'note.txt', 'line\n.json']) writeFileSync(join(folder, 'accounts', name), secret)

  const keeper = await another()
  t.same(namesIn(keeper), ['full', 'good'])
  t.equal(keeper.bySecret(good.secret)?.name, 'good')
  if (existsSync(device)) t.equal(wasSaid(keeper, /device\.json: cannot be read \(EIO\)/), 1)
  for (const expected of [...Object.values(cases).map(([, words]) => words), /folder\.json: is not a file/]) {
    t.equal(wasSaid(keeper, expected), 1, String(expected))
  }
  t.notMatch(keeper.log.join('\n'), canary)
  const lines = keeper.log.length
  await keeper.tick()
  t.equal(keeper.log.length, lines, 'each is reported once')
  await t.rejects(keeper.remove('folder'), { code: /^(EISDIR|EPERM)$/ }, 'what cannot be removed is not said to be')
  t.equal(await keeper.remove('cut'), true)
  t.match(await keeper.save('cut', upstream.login('10002')), /^mr_/)
  t.equal(keeper.get('cut')?.uin, '10002')
})

t.test('whatever a file holds, the start succeeds, the others work and nothing of it is logged', async (t) => {
  const { folder, upstream, keeper, another } = await sceneFor(t)
  await keeper.save('good', upstream.login('10001'))
  const good = onDisk(folder, 'good')
  const fields = fc.constantFrom('secret', 'createdAt', 'nickname', 'loginUin', 'cookie', 'renewal', 'sealed', 'salt', 'nonce', 'data', '__proto__', 'constructor', 'other')
  const secret = fc.constant(`${canary}${canary}`)
  const value = fc.oneof(fc.jsonValue(), secret, fc.dictionary(fc.constantFrom(
    'loginType', 'musicId', 'musicKey', 'previous', 'state', 'reason', 'renewedAt', 'keyCreatedAt', 'keyExpiresIn'
  ), fc.oneof(fc.jsonValue(), secret)))
  const content = fc.oneof(
    fc.tuple(fields, value).map(([field, each]) => JSON.stringify({ ...good, [field]: each })),
    fc.tuple(fc.constantFrom(...Object.keys(good.renewal), 'previous', 'renewedAt'), value)
      .map(([field, each]) => JSON.stringify({ ...good, renewal: { ...good.renewal, [field]: each } })),
    fc.json(),
    fc.nat(JSON.stringify(good).length).map((length) => JSON.stringify(good).slice(0, length)))
  await fc.assert(fc.asyncProperty(content, async (text) => {
    put(folder, 'bad', text)
    const opened = await another({ secret: operator, tuning: { accountsMost: 2 } })
    opened.list()
    opened.credentialOf('bad')
    opened.cookieOf('bad')
    return opened.get('good')?.state === 'ok' && !opened.log.join('\n').includes(canary)
  }), runs(t, 500))
})

t.test('changes by other processes are noticed, and a bad one does not take effect', async (t) => {
  const { folder, upstream, keeper, another } = await sceneFor(t, { tuning: { accountsLookMs: 20 } })
  const other = await another()
  keeper.start()
  const stay = setInterval(() => {}, 1000) // the timer of the accounts is not a reason to stay
  t.teardown(() => { clearInterval(stay) })
  const secret = await other.save('kitchen', upstream.login('10001')) as string
  const noticed = async (line: string, known?: string): Promise<void> => {
    await until(() => keeper.log.includes(line) && (known === undefined || keeper.bySecret(known)?.name === 'kitchen'))
  }
  await noticed('account kitchen is new', secret)
  const fresh = await other.newSecret('kitchen')
  await noticed('account kitchen changed: what its file says is in use', fresh)
  t.equal(keeper.bySecret(secret), undefined)
  const good = readFileSync(fileOf(folder, 'kitchen'), 'utf8')
  put(folder, 'kitchen', good.slice(0, 50))
  await until(() => wasSaid(keeper, /^account \w+: the last good login stays in use\. .*not valid JSON/) > 0)
  t.equal(keeper.bySecret(fresh)?.name, 'kitchen')
  await other.remove('kitchen')
  await noticed('account kitchen is removed')
  await until(() => keeper.get('kitchen') === undefined)
  t.equal(keeper.bySecret(fresh), undefined)
  writeFileSync(join(folder, 'elsewhere.json'), good)
  const link = (to: string): void => { // as orchestrators do
    symlinkSync(to, join(folder, 'link'))
    renameSync(join(folder, 'link'), fileOf(folder, 'kitchen'))
  }
  link('../elsewhere.json')
  await until(() => keeper.bySecret(fresh)?.name === 'kitchen')
  writeFileSync(join(folder, 'broken.json'), '{')
  link('../broken.json')
  await until(() => keeper.states()[0]?.state === 'unreadable')
  link('../elsewhere.json')
  await until(() => keeper.states()[0]?.state === 'ok') // the file that was good before is good again
  put(folder, 'default', upstream.login('10002'))
  await until(() => keeper.get('default')?.uin === '10002')
  for (const text of [canary, 'default']) t.notMatch(keeper.log.join('\n'), text, 'no secret; of user-info.json others tell')

  await keeper.close()
  other.start()
  for (const [at, name] of ['cellar', 'attic'].entries()) {
    const length = other.log.length
    put(folder, name, '{')
    await until(() => other.log.length > length)
    t.notOk(keeper.log.some((line) => line.includes(name)), `closed, it looks no more (${at})`)
  }
})

t.test('a copy of an account gets no calls of the original, and the number of accounts has a limit', async (t) => {
  const { folder, upstream, keeper } = await sceneFor(t, { tuning: { accountsMost: 3 } })
  const secret = await keeper.save('a', upstream.login('10001')) as string
  copyFileSync(fileOf(folder, 'a'), fileOf(folder, 'b'))
  await keeper.tick()
  t.same([keeper.bySecret(secret)?.name, wasSaid(keeper, /account b is a copy of account a/)], ['a', 1])
  await keeper.save('c', upstream.login('10002'))
  await keeper.tick()
  t.equal(wasSaid(keeper, /there are/), 0, 'three are not too many')
  await t.rejects(keeper.save('d', upstream.login('10003')), { message: /3 are stored, which is the most/ })
  await keeper.save('c', upstream.login('10002'))
  copyFileSync(fileOf(folder, 'a'), fileOf(folder, 'd'))
  await keeper.tick()
  t.same([namesIn(keeper), wasSaid(keeper, /there are 4 accounts: the first 3 by name are used/)], [['a', 'b', 'c'], 1])
})

t.test('a file that others can read is worth a warning', { skip: onWindows && 'files have no mode there' }, async (t) => {
  const { folder, upstream, keeper, another } = await sceneFor(t)
  await keeper.save('a', upstream.login('10001'))
  await keeper.save('b', upstream.login('10002'))
  chmodSync(fileOf(folder, 'a'), 0o644)
  const next = await another()
  t.equal(wasSaid(next, /a\.json can be read by others on this machine: chmod 600 it/), 1)
  writeFileSync(fileOf(folder, 'a'), JSON.stringify({ ...onDisk(folder, 'a'), nickname: 'Anna' }))
  await next.tick()
  t.same([next.get('a')?.nickname, wasSaid(next, /can be read by others/)], ['Anna', 1], 'once, not at each change')
})

t.test('what interrupted writes left behind is removed, and nothing else', async (t) => {
  const { folder, upstream, keeper, another } = await sceneFor(t)
  await keeper.save('a', upstream.login('10001'))
  const names = ['a.json.123456789', 'a.json.20261101', 'a.json.bak', 'A.json.123456789', 'note.123456789']
  const hourAgo = new Date(Date.now() - 3_600_000)
  for (const name of names) {
    writeFileSync(join(folder, 'accounts', name), '')
    utimesSync(join(folder, 'accounts', name), hourAgo, hourAgo)
  }
  const next = await another()
  t.same(readdirSync(join(folder, 'accounts')).sort(), ['a.json', ...names.slice(1)].sort())
  t.match(next.log.join('\n'), /removed what an interrupted write left behind: a\.json\.123456789$/m)
})

t.test('a renewal that an interrupted write left behind stays until it has taken effect', { skip: onWindows && 'links differ there' }, async (t) => {
  const { folder, upstream, keeper, another } = await sceneFor(t, { secret: operator })
  await keeper.save('a', upstream.login('10001'))
  const old = readFileSync(fileOf(folder, 'a'), 'utf8')
  t.equal(await keeper.renewNow('a'), 'renewed')
  const leftover = `${fileOf(folder, 'a')}.1234567890`
  const hourAgo = new Date(Date.now() - 3_600_000)
  const leave = (): void => {
    copyFileSync(fileOf(folder, 'a'), leftover)
    utimesSync(leftover, hourAgo, hourAgo)
  }
  leave()
  put(folder, 'a', old)
  const warning = /accounts\/a\.json\.1234567890 may hold the only login .* it is kept/
  for (const wrong of ['', 'another secret, also long']) {
    const locked = await another({ secret: wrong })
    t.match(locked.log.join('\n'), warning)
    t.ok(existsSync(leftover), 'what cannot be read is kept')
  }
  const writable = unwritable(folder, 'a')
  t.match((await another()).log.join('\n'), warning)
  t.ok(existsSync(leftover), 'what could not be written is kept')
  writable()
  const command = await another({ upkeep: false })
  t.ok(upstream.works(command.credentialOf('a')?.key), 'then it takes effect')
  t.ok(existsSync(leftover), 'commands delete nothing')
  const next = await another()
  t.ok(upstream.works(next.credentialOf('a')?.key))
  t.notOk(existsSync(leftover), 'a relay that starts removes what has taken effect')
  leave()
  await next.remove('a')
  t.same(readdirSync(join(folder, 'accounts')), [], 'a removal leaves no copy of the login')
})

t.test('a file that cannot be read is not replaced, and a folder that cannot be read is no empty one', { skip: onWindows && 'links and modes differ there' }, async (t) => {
  const { folder, upstream, keeper, another, edit } = await sceneFor(t)
  await keeper.save('a', upstream.login('10001'))
  const broken = readFileSync(fileOf(folder, 'a'), 'utf8').slice(0, -20)
  put(folder, 'a', broken)
  const refusal = { name: 'InvalidInput', message: /file of a cannot be read, so it is not replaced\. .*music-relay accounts remove a$/ }
  for (const used of [keeper, await another()]) await t.rejects(used.save('a', upstream.login('10001')), refusal)
  t.equal(readFileSync(fileOf(folder, 'a'), 'utf8'), broken)
  await keeper.tick()
  t.same([unreadable(keeper), await keeper.remove('a'), unreadable(keeper)], [['a'], true, []])
  t.match(await keeper.save('a', upstream.login('10001')), /^mr_/)

  await edit('b', broken)
  await t.rejects(keeper.save('b', upstream.login('10002')), { name: 'InvalidInput' })
  await edit('b')
  t.same(unreadable(keeper), [])
  t.match(await keeper.save('b', upstream.login('10002')), /^mr_/, 'deleted by hand, its name is free')

  const aside = join(folder, 'c.json')
  await edit('c', broken)
  renameSync(fileOf(folder, 'c'), aside)
  await keeper.tick()
  t.same(unreadable(keeper), [])
  renameSync(aside, fileOf(folder, 'c'))
  await keeper.tick()
  t.same(unreadable(keeper), ['c'], 'the same file, back again')

  const accounts = join(folder, 'accounts')
  renameSync(accounts, join(folder, 'aside'))
  symlinkSync(accounts, accounts) // fails for every user, unlike missing rights
  const blind = await another()
  for (const used of [blind, keeper]) {
    for (let ticks = 0; ticks < 3; ticks++) await used.tick()
    const seen = used.log.filter((line) => /accounts: cannot be read \(ELOOP\)\. .*chown/.test(line))
    t.match(seen, [used === blind ? /No stored account works\.$/ : /The accounts in use stay in use/], 'said once')
    t.equal(wasSaid(used, /a\.json: cannot be read/), used === keeper ? 1 : 0)
  }
  t.equal(keeper.get('a')?.uin, '10001', 'what was read stays in use')
  unlinkSync(accounts)
  writeFileSync(accounts, '')
  t.match((await another()).log.join('\n'), /accounts: is not a folder/)
  unlinkSync(accounts)
  renameSync(join(folder, 'aside'), accounts)
  await blind.tick()
  t.equal(blind.get('a')?.uin, '10001', 'afterwards everything works without a restart')
})

t.test('while the process can open no file, nothing changes and no account is blamed', { skip: keepsFiles }, async (t) => {
  const { folder, upstream, keeper } = await sceneFor(t)
  await keeper.save('a', upstream.login('10001'))
  await keeper.save('default', upstream.login('10002'))
  await keeper.tick()
  put(folder, 'b', { ...onDisk(folder, 'a'), nickname: 'Bea' })
  const place = join(folder, 'user-info.json')
  writeFileSync(place, readFileSync(place, 'utf8').replaceAll('10002', '10003'))
  const uins = (): unknown[] => keeper.list().map(({ name, uin }) => [name, uin])
  await withoutFiles(async () => { await keeper.tick() })
  t.same(keeper.log, [], 'the relay itself says so')
  t.same(uins(), [['a', '10001'], ['default', '10002']])
  await keeper.tick()
  t.same(uins(), [['a', '10001'], ['b', '10001'], ['default', '10003']])
})

t.test('with ACCOUNTS_SECRET the files are encrypted, and another secret is a clear error', async (t) => {
  const { folder, upstream, keeper: open, another } = await sceneFor(t)
  const secret = await open.save('a', upstream.login('10001')) as string
  const command = await another({ secret: operator, upkeep: false })
  t.equal(command.bySecret(secret)?.name, 'a', 'open files are read')
  t.equal(onDisk(folder, 'a').secret, secret, 'a command leaves them as they are')
  const keeper = await another({ secret: operator })
  t.same(Object.keys(onDisk(folder, 'a')), sealedKeys, 'a relay that starts encrypts them')
  t.ok(keeper.log.includes('encrypted with ACCOUNTS_SECRET: a. Older backups of these files are not.'))
  t.same((await another({ secret: operator })).log, [], 'the next start finds them so')
  t.equal(keeper.bySecret(secret)?.name, 'a')
  await keeper.save('b', upstream.login('10002'))
  await keeper.newSecret('a')
  for (const name of ['a', 'b']) {
    t.same(Object.keys(onDisk(folder, name)), sealedKeys, `${name} is encrypted by its next write`)
    t.notMatch(readFileSync(fileOf(folder, name), 'utf8'), canary)
  }
  t.not(onDisk(folder, 'a').salt, onDisk(folder, 'b').salt)
  const again = await another({ secret: operator })
  t.same([again.list(), again.secretOf('a')], [keeper.list(), keeper.secretOf('a')])

  copyFileSync(fileOf(folder, 'b'), fileOf(folder, 'c'))
  for (const [other, expected] of [
    ['another secret, also long', /encrypted with another ACCOUNTS_SECRET, or damaged/],
    ['', /is encrypted, and ACCOUNTS_SECRET is not set/]
  ] as const) {
    const locked = await another({ secret: other })
    t.same(locked.list(), [])
    for (const name of ['a', 'b']) {
      t.ok(locked.log.some((line) => line.includes(fileOf(folder, name)) && expected.test(line)), name)
    }
  }
  t.same(namesIn(await another({ secret: operator })), ['a', 'b'], 'a file under another name is not that account')
  const changed = await another({ secret: 'another secret, also long' })
  await t.rejects(changed.save('a', upstream.login('10003')), InvalidInput)
  await changed.remove('a')
  await changed.save('a', upstream.login('10003'))
  t.same([changed.get('a')?.uin, changed.bySecret(secret)], ['10003', undefined], 'removed and stored again, the account works with the new secret')
})

t.test('a lock whose process is gone does not hold, any other does', async (t) => {
  const folder = folderFor(t)
  const file = join(folder, 'a.json')
  const lock = `${file}.lock`
  const gone = spawnSync(process.execPath, ['-e', '']).pid
  const left = { host: hostname(), pid: gone, started: 1, token: 'x' }
  const past = (seconds: number): void => {
    utimesSync(lock, new Date(Date.now() - 1000 * seconds), new Date(Date.now() - 1000 * seconds))
  }
  for (const [what, content, age] of [
    ['a process that is gone', JSON.stringify(left), 0],
    ['the number of this process before a restart', JSON.stringify({ ...left, pid: process.pid }), 0],
    ['nobody: its maker was killed at once', '', 10],
    ['another machine, long ago', JSON.stringify({ ...left, host: 'elsewhere' }), 200],
    ['a process that runs, long ago', JSON.stringify({ ...left, pid: process.ppid }), 200],
    ['nonsense', '{"pid":"SECRET"', 10]
  ] as const) {
    writeFileSync(lock, content)
    past(age)
    t.equal(await withFileLock(file, async () => 'done'), 'done', what)
    t.same(readdirSync(folder), [], what)
  }
  const held = [
    ['a process that runs', JSON.stringify({ ...left, pid: process.ppid })],
    ['another machine', JSON.stringify({ ...left, host: 'elsewhere' })],
    ['nobody yet: its maker writes', ''],
    ['no process', JSON.stringify({ ...left, pid: -1 })]
  ].map(([what = '', content = ''], at) => {
    const own = join(folder, `${at}.json`)
    writeFileSync(`${own}.lock`, content)
    const one = { what, own, entered: false, work: Promise.resolve() }
    return Object.assign(one, { work: withFileLock(own, async () => { one.entered = true }) })
  })
  await sleep(120) // two looks; a lock that held wrongly would be noticed later, never a right one
  for (const { what, own, entered } of held) {
    t.notOk(entered, what)
    unlinkSync(`${own}.lock`)
  }
  await Promise.all(held.map(async ({ work }) => { await work }))
  let inside = 0
  let most = 0
  for (let times = 0; times < 10; times++) {
    writeFileSync(lock, JSON.stringify(left))
    await Promise.all(Array.from({ length: 20 }, async () => await withFileLock(file, async () => {
      most = Math.max(most, ++inside)
      await sleep(1)
      inside--
    })))
  }
  t.equal(most, 1, 'also if several found at once that it was left')
  const long = join(folder, 'a'.repeat(247)) // its lock can be made, but nothing beside it
  writeFileSync(`${long}.lock`, JSON.stringify(left))
  await t.rejects(withFileLock(long, async () => {}), { code: 'ENAMETOOLONG' }, 'one that cannot be removed is an error')
  unlinkSync(`${long}.lock`)
  await t.rejects(withFileLock(file, async () => await Promise.reject(new Error('failed'))), { message: 'failed' })
  await t.rejects(withFileLock(join(folder, 'absent', 'a.json'), async () => {}), { code: 'ENOENT' })
  t.same(readdirSync(folder), [])
})

t.test('a process that can open no file gives its lock back', { skip: keepsFiles }, async (t) => {
  const folder = folderFor(t)
  const file = join(folder, 'a.json')
  let end = (): void => {}
  let entered = false
  const held = withFileLock(file, async () => {
    entered = true
    await new Promise<void>((resolve) => { end = resolve })
  })
  await until(() => entered)
  await withoutFiles(async () => {
    end()
    await held
  })
  t.same(readdirSync(folder), [], 'nobody waits two minutes for it')
})

t.test('a text is only opened by its secret, for its account, and unchanged', async (t) => {
  const some = fc.string({ minLength: 1 })
  fc.assert(fc.property(
    fc.string(), some, some, (text, name, secret) => unseal(seal(text, name, secret), name, secret) === text
  ), runs(t))
  const sealed = seal('text', 'a', 'secret')
  t.same([sealed.salt, sealed.nonce].map((text) => Buffer.from(text, 'base64url').length), [32, 12])
  for (const [name, secret] of [['a', 'secret2'], ['b', 'secret']] as const) {
    t.equal(unseal(sealed, name, secret), undefined)
  }
  for (const field of ['salt', 'nonce', 'data'] as const) {
    const bytes = Buffer.from(sealed[field], 'base64url')
    const changed = Array.from(bytes, (_, at) => bytes.map((byte, place) => place === at ? byte ^ 1 : byte))
    for (const wrong of [...changed, Buffer.alloc(0), bytes.subarray(0, 8)]) {
      t.equal(unseal({ ...sealed, [field]: Buffer.from(wrong).toString('base64url') }, 'a', 'secret'), undefined)
    }
  }
})
