/** Several instances behind a proxy with a shared store: what they share, and what is lost if a part fails. */
import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { Redis } from 'iovalkey'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { etagOf, type CacheEntry } from '../../src/cache/memory.ts'
import { createSeal } from '../../src/cache/sharedEntry.ts'
import { run } from '../support/accountCommands.ts'
import { commandLine } from '../support/commandProcess.ts'
import { cookieOf, demoFor, serverOnWire, until } from '../support/helper.ts'
import {
  bulk, fakeStore, openedStore, startInstance, startProxy, startStore, without, type Instance, type Store
} from '../support/instances.ts'
import { ask, chartUrl } from '../support/cacheHelper.ts'
import { settled } from '../support/settled.ts'

const chartCall = 'music.musicToplist.Toplist/GetDetail'
const wordsCall = '/splcloud/fcgi-bin/smartbox_new.fcg'

async function get (
  address: string, path: string, ask: RequestInit = {}
): Promise<{ status: number, state: string, text: string, body: any }> {
  const answer = await fetch(`${address}${path}`, ask)
  const text = await answer.text()
  return {
    status: answer.status, state: `${answer.status} ${answer.headers.get('x-cache')}`, text,
    body: answer.headers.get('content-type')?.startsWith('application/json') === true ? JSON.parse(text) : undefined
  }
}

/** Counter for new request paths, which no cache contains. */
const asked = { last: 0 }
const somethingNew = (): string => `/getSmartbox?key=word${++asked.last}`

async function pair (t: Test, store: Store, upstream: string): Promise<[Instance, Instance]> {
  const env = { REDIS_URL: store.url, TRUST_PROXY: '127.0.0.1', RATE_LIMIT: '100000', RATE_LIMIT_LOGIN_STARTS: '2' }
  const both = await Promise.all([startInstance(t, upstream, env), startInstance(t, upstream, env)])
  // An instance listens before it is connected to the store, and until then it works alone.
  await until(async () => (await Promise.all(
    both.map(async ({ address }) => (await get(address, '/health/upstream')).body.sharedStore)
  )).every((state) => state === 'up'))
  return both
}

t.test('two instances behind a proxy', { skip: without('redis-server', 'haproxy') }, async (t) => {
  const demo = await demoFor(t)
  const store = await startStore(t)
  const [one, two] = await pair(t, store, demo.origin)
  const { address } = await startProxy(t, 'haproxy', [one, two])
  const nginx = without('nginx') === false ? await startProxy(t, 'nginx', [one, two]) : undefined

  await t.test('who ask both for the same at once make one call together', async (t) => {
    demo.next(chartCall, { delayMs: 1000 })
    const replies = await Promise.all(Array.from({ length: 40 }, async () => await get(address, chartUrl)))
    t.ok(replies.every(({ status, text }) => status === 200 && text === replies[0]?.text))
    t.equal(demo.calls(chartCall).length, 1)
    t.same([(await get(one.address, chartUrl)).state, (await get(two.address, chartUrl)).state], ['200 HIT', '200 HIT'])
  })

  await t.test('what one keeps the other has, in the same bytes and of the same age; the store holds no question and nothing personal', async (t) => {
    const search = '/getSearchByKey?key=lantern&limit=3'
    const first = await get(one.address, search)
    const { length } = demo.received
    const second = await get(two.address, search)
    t.same([first.state, second.state, second.text === first.text], ['200 MISS', '200 HIT', true])
    const cookie = cookieOf(demo, 'ordinary')
    t.equal(
      (await get(one.address, search, { headers: { 'x-custom-cookie': cookie } })).state, '200 MISS',
      'who brings a cookie gets nothing of it'
    )
    t.ok(demo.received.length > length)
    t.equal((await get(one.address, search, { headers: { 'cache-control': 'no-cache' } })).state, '200 MISS')
    const reader = new Redis(store.url)
    t.teardown(() => { reader.disconnect() })
    const keys = await reader.keys('*')
    t.ok(keys.length >= 2)
    for (const key of keys) t.match(key, /^music-relay:([\w-]{10}:[\w-]{43}|count:(all|start|check) [\w-]{43})$/)
    for (const key of keys) t.notMatch((await reader.get(key)) ?? '', /uin=|provider_key|1000000101/)
  })

  await t.test('a QR login goes on wherever its requests come to, and starts are counted together', async (t) => {
    const check = async (at: Instance, channel: 'Main' | 'Alt', values: object): Promise<unknown> =>
      (await get(at.address, `/check${channel}LoginQr`, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(values)
      })).body
    const { qrsig, ptqrtoken } = (await get(one.address, '/getMainLoginQr')).body
    t.match(await check(two, 'Main', { qrsig, ptqrtoken }), { isOk: false, status: 'waiting' })
    demo.login.scan(qrsig)
    t.match(await check(one, 'Main', { qrsig, ptqrtoken }), { isOk: false, status: 'scanned' })
    demo.login.confirm(qrsig, 'ordinary')
    t.match(await check(two, 'Main', { qrsig, ptqrtoken }), { isOk: true, session: { loginUin: /\d/ } })
    const { uuid } = (await get(two.address, '/getAltLoginQr')).body
    demo.login.scan(uuid)
    t.match(await check(two, 'Alt', { uuid }), { isOk: false, status: 'scanned' })
    demo.login.confirm(uuid, 'member')
    t.match(await check(one, 'Alt', { uuid }), { isOk: true, session: { loginUin: /\d/ } })
    t.equal((await get(one.address, '/getMainLoginQr')).status, 429, 'the third start in a minute, the second here')
  })

  await t.test('a store that hangs or dies is missed by nobody, and used again when it is back', async (t) => {
    store.child.kill('SIGSTOP')
    await Promise.all([one, two, one, two, one, two]
      .map(async (at) => { t.equal((await get(at.address, somethingNew())).state, '200 MISS') }))
    await store.end()
    for (const at of [one, two, one, two]) t.equal((await get(at.address, somethingNew())).state, '200 MISS')
    t.equal((await get(one.address, chartUrl)).state, '200 HIT', 'what is in memory is there')
    await startStore(t, store.port)
    await until(async () => {
      const url = somethingNew()
      await get(one.address, url)
      return (await get(two.address, url)).state === '200 HIT'
    })
  })

  await t.test('an instance killed in the middle of its work costs no answer', async (t) => {
    demo.next(wordsCall, { delayMs: 100 }, 400)
    const replies = Array.from({ length: 20 }, async () => {
      const states: number[] = []
      for (let n = 0; n < 8; n++) states.push((await get(address, somethingNew())).status)
      return states
    })
    await until(() => demo.inFlight(wordsCall) > 4)
    await one.end('SIGKILL')
    const states = (await Promise.all(replies)).flat()
    t.same([...new Set(states)], [200])
    t.equal(states.length, 160)
  })

  await t.test('with nginx in front, too, the other one answers', { skip: without('nginx') }, async (t) => {
    for (let n = 0; n < 6; n++) t.equal((await get(nginx?.address ?? '', somethingNew())).status, 200)
  })
})

t.test('the command uses the store that REDIS_URL names', { skip: without('redis-server') }, async (t) => {
  const demo = await demoFor(t)
  const store = await startStore(t)
  const { address } = await startInstance(t, demo.origin, { REDIS_URL: store.url }, [...commandLine, 'serve'])
  const reader = new Redis(store.url)
  t.teardown(() => { reader.disconnect() })
  await until(async () => {
    t.equal((await get(address, somethingNew())).status, 200)
    return (await reader.keys('music-relay:*')).length > 0
  })
})

t.test('an address that is none is refused', async (t) => {
  for (const redisUrl of ['localhost', 'redis://', 'redis://localhost/first', 'http://localhost']) {
    await t.rejects(buildApp({ logLevel: 'silent', redisUrl }), {
      name: 'ConfigError', message: /redisUrl: must be an address/
    }, redisUrl)
  }
})

type Answer = Parameters<typeof fakeStore>[1]

/** A store that a client of ours can work with, with scripted replies to the rest. */
const storeThat = async (t: Test, answer: Answer): ReturnType<typeof fakeStore> =>
  await fakeStore(t, (command, socket, place) =>
    command === 'info' ? bulk('redis_version:7') : command === 'client' ? '+OK\r\n' : answer(command, socket, place)
  )

const nothing = '$-1\r\n'
const secret = 'of the instances'
const entryOf = (body: string, since = 1_000_000): CacheEntry => ({
  body: Buffer.from(body), etag: etagOf(Buffer.from(body)), cacheControl: 'public, max-age=10', sources: ['call'],
  policy: 'brief', since
})
/** An entry as an instance writes it for this key. */
const packed = (body: string, key = 'anonymous /x'): string =>
  bulk(createSeal(secret).pack(`music-relay:${hash('[]').slice(0, 10)}:${hash(key)}`, entryOf(body), 1_000_000).toString('latin1'))
const hash = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Resolves once a client is connected to the store. */
async function connected (seen: readonly string[]): Promise<void> {
  await until(() => seen.includes('connection'))
  await settled(20)
}

/** The cache of a relay in such a store, once it is ready. */
async function cacheIn (t: Test, answer: Answer) {
  const { url, seen } = await storeThat(t, answer)
  const store = await openedStore(t, url, secret)
  await connected(seen)
  return store.cacheFor(() => 1_000_000, [])
}

t.test('without any request, the log, the metrics and the health tell whether the store answers', { skip: without('redis-server') }, async (t) => {
  const demo = await demoFor(t)
  const store = await startStore(t, undefined, ['--requirepass', 'right'])
  const servers = await Promise.all(['right', 'wrong', 'unheard'].map(async (password) => {
    const redisUrl = `redis://:${password}@${password === 'unheard' ? '127.0.0.1:1' : new URL(store.url).host}`
    const server = await serverOnWire(t, demo, { cache: true, redisUrl, metrics: true })
    const state = async (): Promise<unknown[]> => [
      /^music_relay_shared_store_up (\d)$/m.exec((await server.get('/metrics')).text)?.[1],
      (await server.get('/health/upstream')).body.sharedStore
    ]
    const warnings = (): string[] => server.log.filter((line) => line.includes('the shared store'))
    return { server, state, warnings }
  }))
  const [fine, wrong, none] = servers as [typeof servers[number], typeof servers[number], typeof servers[number]]
  for (const [{ server, state, warnings }, reason] of [
    [wrong, /"reason":"(WRONGPASS|NOAUTH)".*does not answer/], [none, /"reason":"ECONNREFUSED".*does not answer/]
  ] as const) {
    await until(() => warnings().length > 0)
    t.match(warnings(), [reason])
    t.same(await state(), ['0', 'down'])
    t.same([await ask(server, chartUrl), await ask(server, chartUrl)], ['200 MISS -', '200 HIT 0'], 'each instance works alone')
    t.notMatch(server.log.join(''), /right|wrong|unheard/)
  }
  t.same([await fine.state(), fine.warnings()], [['1', 'up'], []], 'a first connection that takes its time is no failure')
  await store.end()
  await until(async () => (await fine.state()).join() === '0,down')
  await until(() => fine.warnings().length === 1)
  await startStore(t, store.port, ['--requirepass', 'right'])
  await until(async () => (await fine.state()).join() === '1,up')
  t.match(fine.warnings(), [/does not answer/, /answers again/])
  const without = await serverOnWire(t, demo, { metrics: true })
  t.notMatch((await without.get('/metrics')).text, 'shared_store')
  t.notOk('sharedStore' in (await without.get('/health/upstream')).body)
})

t.test('the doctor says whether the store answers', { skip: without('redis-server') }, async (t) => {
  const store = await startStore(t, undefined, ['--requirepass', 'right'])
  const ask = async (password: string, ...more: string[]): Promise<{ code: number | null, out: string }> =>
    await run(['doctor', ...more], {
      UPSTREAM_ORIGIN: 'http://127.0.0.1:1', CONFIG_DIR: t.testdir({}),
      REDIS_URL: store.url.replace('redis://', `redis://:${password}@`)
    })
  t.match(JSON.parse((await ask('right', '--json')).out), { sharedStore: 'up' })
  t.match(await ask('wrong'), { code: 1, out: /^UPSTREAM_ORIGIN \(http:\/\/127\.0\.0\.1:1\) does not answer[^]*^The shared store does not answer\. Check that it runs, and the address and the password in REDIS_URL\.\n/m })
})

for (const [how, answer, reason] of [
  ['answers with errors', () => '-ERR gone\r\n', undefined],
  ['ends each connection', (_command: string, socket: Socket) => { socket.resetAndDestroy() }, 'ECONNRESET']
] as const) {
  t.test(`one line tells that the store is gone, however often it is tried, and one that it is back: it ${how}`, async (t) => {
    let works = false
    const { url, seen } = await storeThat(t, (command, socket) => works ? nothing : answer(command, socket))
    const said: unknown[][] = []
    const store = await openedStore(t, url, secret, {
      warn: (facts: unknown, text?: string) => { said.push([facts, text]) },
      info: (text: unknown) => { said.push([text]) }
    })
    const cache = store.cacheFor(() => 1_000_000, [])
    const asking = async (happened: () => boolean): Promise<void> => {
      await until(async () => { await cache.read('anonymous /x'); return happened() })
    }
    const tried = (): number => seen.filter((name) => name !== 'connection').length
    await asking(() => said.length > 0)
    // The circuit lets one command through every two seconds.
    const before = tried()
    await asking(() => tried() >= before + 2)
    t.match(said, [[{ reason }, 'the shared store does not answer: this instance works alone']])
    if (reason !== undefined) return
    works = true
    await asking(() => said.length > 1)
    t.match(said.slice(1), [['the shared store answers again']])
  })
}

t.test('a copy that is replaced while it is read is never an old one taken for new', async (t) => {
  const held = { body: 'old', left: 1000 }
  const cache = await cacheIn(t, (command) => {
    const said = command === 'get' ? packed(held.body) : `:${held.left}\r\n`
    Object.assign(held, { body: 'new', left: 10_000 })
    return said
  })
  const kept = await cache.read('anonymous /x')
  t.match({
    body: kept?.body.toString(), since: kept?.since
  }, { body: 'new', since: 1_000_000 - 9000 }, 'rather older than it is')
})

t.test('who waits for another instance takes its answer, also when its turn ends between two looks', async (t) => {
  let others = 'none'
  const cache = await cacheIn(t, (command) => {
    const there = others === 'copy'
    if (others === 'turn') others = 'copy'
    if (command === 'set') others = 'turn'
    if (command === 'exists') return there ? ':0\r\n' : ':1\r\n'
    if (command === 'pttl') return there ? ':10000\r\n' : ':-2\r\n'
    return command === 'get' && there ? packed('theirs') : nothing
  })
  const kept = await cache.fetch('anonymous /x', async () => { throw new Error('asked a second time') }, false)
  t.equal(kept.body.toString(), 'theirs')
})

t.test('who leaves while being counted elsewhere costs the upstream nothing', async (t) => {
  const waiting: Socket[] = []
  const store = await storeThat(t, (_command, socket) => { waiting.push(socket); return undefined })
  const demo = await demoFor(t)
  const server = await serverOnWire(
    t, demo, { host: '0.0.0.0', redisUrl: store.url, rateLimit: 1000, tuning: { redisTimeoutMs: 20_000 } }
  )
  const count = async (): Promise<void> => {
    await until(() => waiting.length === 1)
    waiting.pop()?.write('*2\r\n:1\r\n:60000\r\n')
  }
  await connected(store.seen)
  const leaving = new AbortController()
  const left = fetch(`${server.address}/getHotkey`, { signal: leaving.signal }).catch(() => 'left')
  await until(() => waiting.length === 1)
  leaving.abort()
  t.equal(await left, 'left')
  t.equal((await server.get('/health/live')).status, 200)
  await count()
  const [stayed] = await Promise.all([server.get('/getHotkey'), count()])
  t.equal(stayed.status, 200)
  t.equal(demo.received.length, 1)
})

t.test('a refused setting leaves no connection to the store behind', async (t) => {
  const { url: redisUrl, seen } = await fakeStore(t, () => {})
  for (const wrong of [{ cookieParamName: 'songmid' }, { rateLimit: -1 }, { logLevel: 'loud' as 'info' }]) {
    await t.rejects(buildApp({ redisUrl, ...wrong }), { name: 'ConfigError' }, Object.keys(wrong)[0] ?? '')
  }
  await fetch(redisUrl.replace('redis', 'http'), { signal: AbortSignal.timeout(100) }).catch(() => undefined)
  t.same(seen, ['connection'], 'this question alone')
})
