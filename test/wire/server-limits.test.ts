/** Limits of the server: request rates, addresses, slow clients, connections. Also its health checks. */
import dns from 'node:dns/promises'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { mock } from 'node:test'
import { setTimeout as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { listen } from '../../src/cli/serve.ts'
import { RelayError } from '../../src/common/errors.ts'
import { withDeadline } from '../../src/edge/asking.ts'
import { loadSettings } from '../../src/relay/settings.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { demoFor, serverOnWire, timesAsked, until, type Reply, type Server } from '../support/helper.ts'
import { exchange, requestText, hasStrictParser } from '../support/raw.ts'
import { refusalProblem } from '../support/shape.ts'
import { servedOnWire as served, testOnWire as test } from '../support/stage.ts'

const own = '/getImageUrl?id=00DemoAlbu0001'
const batch = { songs: [['00DemoSong0001']] }
/** Settings of a public relay behind a proxy on this machine. */
const open = { host: '0.0.0.0', trustProxy: ['127.0.0.1'] }
const from = (address: string): { headers: Record<string, string> } => ({ headers: { 'x-forwarded-for': address } })

async function publicServer (
  t: Test, options: Parameters<typeof serverOnWire>[2] = {}
): Promise<{ server: Server, clock: { now: number } }> {
  const clock = { now: 1_000_000 }
  return { server: await serverOnWire(t, await demoFor(t), { ...open, now: () => clock.now, ...options }), clock }
}

/** Statuses of `count` requests, one after the other. */
async function statuses (count: number, ask: () => Promise<Reply>): Promise<number[]> {
  const list: number[] = []
  for (let at = 0; at < count; at++) list.push((await ask()).status)
  return list
}

t.test('a client that asks too often is told when to come back, and then may', async (t) => {
  const { server, clock } = await publicServer(t, { rateLimit: 3 })
  t.same(await statuses(3, async () => await server.get(own, from('203.0.113.5'))), [200, 200, 200])
  clock.now += 20_500
  const refused = await server.get('/nothing/here', from('203.0.113.5'))
  t.same([
    refused.status, refused.body.code, refused.headers.get('retry-after')
  ], [429, 'RATE_LIMITED', '40'], 'an unknown path counts as well')
  t.equal(
    refusalProblem({ ...refused, header: (name) => refused.headers.get(name) }, { secrets: ['203.0.113.5'] }), undefined
  )
  t.equal(refused.headers.get('access-control-allow-origin'), '*', 'a page may read why')
  t.equal((await server.get(own, from('203.0.113.6'))).status, 200, 'others go on')
  for (const path of ['/health/live', '/health/ready']) {
    t.equal((await server.get(path, from('203.0.113.5'))).status, 200, path)
  }
  clock.now += 39_500
  t.equal((await server.get(own, from('203.0.113.5'))).status, 200)
  t.notMatch(server.log.join(''), /203\.0\.113/)
})

t.test('of refusals for their number one log line a second tells how many', async (t) => {
  const { server, clock } = await publicServer(t, { rateLimit: 1 })
  const ask = async (): Promise<Reply> => await server.get(own, from('203.0.113.5'))
  const lines = (): unknown[] => server.log.map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'request').map(({ level, status, unlogged }) => [level, status, unlogged])
  t.same(await statuses(5, ask), [200, 429, 429, 429, 429])
  t.same(lines(), [['info', 200, undefined], ['warn', 429, undefined]])
  clock.now += 1000
  t.same(await statuses(2, ask), [429, 429])
  t.same(lines().slice(2), [['warn', 429, 3]])
})

t.test('nobody is counted on a loopback bind, unless a proxy says who asks', async (t) => {
  const local = await publicServer(t, { host: 'localhost', trustProxy: [], rateLimit: 1 })
  t.same(await statuses(3, async () => await local.server.get(own, from('203.0.113.5'))), [200, 200, 200])
  const behind = await publicServer(t, { host: 'localhost', rateLimit: 1 })
  t.same(await statuses(2, async () => await behind.server.get(own, from('203.0.113.5'))), [200, 429])
  const without = await publicServer(t, { rateLimit: 0 })
  t.same(await statuses(2, async () => await without.server.get(own)), [200, 200], 'and 0 is no limit')
})

t.test('a batch counts as ten requests, a login is counted apart, under all its addresses', async (t) => {
  const { server } =
    await publicServer(t, { rateLimit: 25, rateLimitLoginStarts: 2, tuning: { loginChecksPerStart: 0.5 } })
  t.same(
    await statuses(3, async () => await server.post('/batchGetSongInfo', batch, from('203.0.113.5'))), [200, 200, 429]
  )
  const { server: small } = await publicServer(t, { rateLimit: 5 })
  t.same([
    ...await statuses(2, async () => await small.post('/batchGetSongInfo', batch, from('203.0.113.5'))),
    (await small.get(own, from('203.0.113.5'))).status
  ], [200, 429, 429], 'but never more than there are')
  const start = async (path: string): Promise<number> => (await server.get(path, from('203.0.113.6'))).status
  t.same([
    await start('/getAltLoginQr'), await start('/user/getMainLoginQr'), await start('/getAltLoginQr'),
    await start('/getMainLoginQr')
  ], [200, 200, 429, 429])
  const check = async (path: string): Promise<number> =>
    (await server.post(path, { qrsig: 'demo-unknown-qrsig', ptqrtoken: '1' }, from('203.0.113.6'))).status
  t.not(await check('/checkMainLoginQr'), 429)
  t.strictSame([
    await check('/user/checkMainLoginQr'), (await server.get(own, from('203.0.113.6'))).status
  ], [429, 200], 'all else goes on')
})

t.test('only a listed proxy says who asks', async (t) => {
  for (const trustProxy of [[], ['10.0.0.0/8', '2001:db8::/32']]) {
    const { server } = await publicServer(t, { trustProxy, rateLimit: 2 })
    let invented = 0
    t.same(
      await statuses(3, async () => await server.get(own, from(`198.51.100.${++invented}`))), [200, 200, 429],
      `invented addresses are one client: ${trustProxy.join()}`
    )
  }
  const { server } = await publicServer(t, { rateLimit: 2 })
  let invented = 0
  t.same(
    await statuses(3, async () => await server.get(own, from(`198.51.100.${++invented}, 203.0.113.5`))),
    [200, 200, 429], 'nor does what stands before the address that the proxy saw'
  )
  t.equal((await server.get(own, from('203.0.113.6'))).status, 200)
})

t.test('the addresses of an IPv6 network are one client', async (t) => {
  const { server } = await publicServer(t, { rateLimit: 1 })
  const ask = async (address: string): Promise<number> => (await server.get(own, from(address))).status
  t.strictSame([await ask('2001:db8:0:1::1'), await ask('2001:db8:0:1:ffff::2'), await ask('2001:db8:0:2::1')], [200, 429, 200])
  t.strictSame([await ask('203.0.113.5'), await ask('::ffff:203.0.113.5')], [200, 429], 'an IPv4 address in the form of an IPv6 address is the same')
})

t.test('a port behind an address in X-Forwarded-For is not a part of it, for clients and for proxies', async (t) => {
  const { server } = await publicServer(t, { rateLimit: 1, trustProxy: ['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48'] })
  const ask = async (address: string): Promise<number> => (await server.get(own, from(address))).status
  t.equal(await ask('203.0.113.9:51234'), 200)
  for (const same of ['203.0.113.9:51235', '203.0.113.9', '198.51.100.1:1, 203.0.113.9:2', '203.0.113.9:3,10.0.0.5:4711', '203.0.113.9 , [2001:db8:ffff::1]:443 , 10.0.0.6:1']) t.equal(await ask(same), 429, same)
  t.strictSame([await ask('203.0.113.10:51234'), await ask('[2001:db8:0:1::1]:443')], [200, 200], 'another one')
  for (const same of ['[2001:db8:0:1::2]:444', '[2001:db8:0:1::3]', '2001:db8:0:1::4']) t.equal(await ask(same), 429, same)
  const alone = await publicServer(t, { rateLimit: 2, trustProxy: [] })
  let invented = 0
  t.same(
    await statuses(3, async () => await alone.server.get(own, from(`198.51.100.${++invented}:80`))), [200, 200, 429],
    'nobody is trusted'
  )
})

served('login polls of one IPv6 network are one client\'s', {
  ...open, tuning: { pollLimitPerClient: 1 }
}, async ({ t, demo, server }) => {
  const [first, second, third] = ['', '', ''].map(() => demo.login.open('alt')) as [string, string, string]
  const waiting = server.post('/checkAltLoginQr', { uuid: first }, from('2001:db8:0:1::1'))
  await demo.login.held(first, 1)
  const refused = await server.post('/checkAltLoginQr', { uuid: second }, from('2001:db8:0:1::2'))
  t.same([refused.status, refused.body.code], [503, 'OVERLOADED'])
  demo.login.scan(third)
  t.equal((await server.post('/checkAltLoginQr', { uuid: third }, from('2001:db8:0:2::1'))).body.errcode, 404)
  demo.login.scan(first)
  await waiting
})

t.test('counts are bounded: a flood of addresses makes the oldest forgotten, not the memory grow', async (t) => {
  const { server } = await publicServer(t, { rateLimit: 1, tuning: { rateLimitClients: 3 } })
  const ask = async (last: number): Promise<number> => (await server.get(own, from(`203.0.113.${last}`))).status
  t.same([await ask(1), await ask(1)], [200, 429])
  for (const other of [2, 3, 4]) await ask(other)
  t.strictSame([await ask(1), await ask(4)], [200, 429])
})

t.test('a proxy list takes addresses and networks, and nothing that trusts everybody', async (t) => {
  for (const wrong of ['true', '1', 'loopback', 'proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0', '0.0.0.0/0', '::/0', '10.0.0.1, *', 'fe80::1%eth0']) {
    await t.rejects(loadSettings({ folder: 'absent', env: { TRUST_PROXY: wrong } }), {
      name: 'ConfigError',
      message: /^environment variable TRUST_PROXY: trustProxy\[\d\]: must be an IP address, or a network such as /
    }, wrong)
  }
  const folder = t.testdir({ 'service-config.json': '{"trustProxy": true}' })
  await t.rejects(loadSettings({ folder, env: {} }), { name: 'ConfigError', message: /service-config\.json: trustProxy: must be a list/ })
  t.same((await loadSettings({ folder: 'absent', env: { TRUST_PROXY: '10.0.0.0/8, ::1,192.0.2.7' } })).trustProxy, [
    '10.0.0.0/8', '::1', '192.0.2.7'
  ])
})

t.test('unchecked certificates stop the start', async (t) => {
  await t.rejects(loadSettings({ folder: 'absent', env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } }), {
    name: 'ConfigError', message: /NODE_TLS_REJECT_UNAUTHORIZED: must not be 0/
  })
  t.ok(await loadSettings({ folder: 'absent', env: { NODE_TLS_REJECT_UNAUTHORIZED: '1' } }))
})

t.test('an overloaded relay refuses early, and says how it is all the same', async (t) => {
  const clock = { now: 0 }
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => { mock.timers.reset() })
  const server = await serverOnWire(t, await demoFor(t), {
    shedDelayMs: 20, now: () => clock.now, cache: true, pages: true, meting: true, subsonicPassword: 'of the house'
  })
  const copies = ['/', '/login', '/sw.js', '/page/icon.svg', '/page/manifest.webmanifest', '/cover/00DemoAlbu0001', '/health/upstream', '/getHotkey', '/getAlbumInfo/00DemoAlbu0001', '/rest/getCoverArt?u=a&p=of+the+house&id=al-00DemoAlbu0001']
  const pictures = (await server.get('/meting?type=album&id=00DemoAlbu0001')).body
    .map(({ pic }: { pic: string }) => pic.slice(server.address.length))
  for (const path of copies) t.ok((await server.get(path)).status < 400, path)
  /** Work that leaves the event loop no turn, and the measurement after it: the lag is measured once a second. */
  const busy = async (): Promise<number> => {
    for (const end = performance.now() + 100; performance.now() < end;);
    await turn(20)
    mock.timers.tick(1000)
    return (await server.get(own)).status
  }
  t.same([await busy(), await busy(), await busy()], [200, 200, 200], 'that a start is work is no overload')
  clock.now += 3000
  await until(async () => await busy() === 503)
  const refused = await server.get(own)
  t.same([refused.status, refused.body.code, refused.headers.get('retry-after')], [503, 'OVERLOADED', '1'])
  t.equal(refusalProblem({ ...refused, header: (name) => refused.headers.get(name) }), undefined)
  // What costs a copy is sent, what costs work is not.
  for (const path of ['/health/live', '/health/ready', ...copies, pictures[0]]) {
    t.ok((await server.get(path)).status < 400, path)
  }
  for (const path of [
    '/getHotkey?cookie=uin%3D1%3B+provider_key%3Dx', '/getAlbumInfo/00DemoAlbu0002',
    '/getAlbumInfo/00DemoAlbu0001?format=m3u', '/stream/00DemoSong0001', '/meting?type=album&id=00DemoAlbu0001',
    '/rest/getAlbumList2?u=a&p=of+the+house&type=newest'
  ]) t.equal((await server.get(path)).status, 503, path)
  t.equal((await server.get('/getHotkey', { headers: { 'cache-control': 'no-cache' } })).status, 503, 'a reload is work')
  t.equal((await server.get('/getHotkey', { headers: { 'cache-control': 'max-age=0' } })).status, 200)
})

t.test('the client that caused most of the work is refused first, and the others only if that does not help', async (t) => {
  const clock = { now: 0 }
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => { mock.timers.reset() })
  const server = await serverOnWire(t, await demoFor(t), {
    shedDelayMs: 1, now: () => clock.now, host: '0.0.0.0', trustProxy: ['127.0.0.1'], allowedHosts: []
  })
  const from = async (address: string): Promise<number> =>
    (await server.get('/getHotkey', { headers: { 'x-forwarded-for': address } })).status
  const [heavy, light] = ['203.0.113.5', '198.51.100.7']
  clock.now += 5000
  /** Both work, one of them much more. Then the event loop has no turn, and is measured. */
  const second = async (): Promise<[number, number]> => {
    const seen = [await from(heavy), await from(light)] as [number, number]
    clock.now += 1000
    if (seen[0] === 200) for (let at = 0; at < 9; at++) await from(heavy)
    for (const end = performance.now() + 150; performance.now() < end;);
    await turn(20)
    mock.timers.tick(1000)
    return seen
  }
  const seen: string[] = []
  await until(async () => {
    seen.push(String(await second()))
    return seen.at(-1) === '503,503' // it does not help
  })
  t.equal(seen.find((each) => each !== '200,200'), '503,200', 'first the heavy one')
  t.notOk(seen.includes('200,503'))
})

/** A slow connection that its client never closes. Resolves once the server closes it. */
function dripping (server: Server, begin: string, drop: string): Promise<unknown> {
  const { hostname, port } = new URL(server.address)
  const socket: Socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {}).resume().write(begin)
  const talking = setInterval(() => { if (socket.writable && drop !== '') socket.write(drop) }, 20)
  return once(socket, 'close').finally(() => { clearInterval(talking) })
}

t.test('who sends a request drop by drop, or none at all, is sent away; everybody else is answered meanwhile', async (t) => {
  const server = await serverOnWire(
    t, await demoFor(t), { tuning: { clientHeadersTimeoutMs: 700, clientRequestTimeoutMs: 1000, clientCheckMs: 50 } }
  )
  const head = 'POST /batchGetSongInfo HTTP/1.1\r\nhost: localhost\r\n'
  const body = `${head}content-type: application/json\r\ncontent-length: 100000\r\n\r\n`
  const ends =
    Promise.all([dripping(server, head, 'x-slow: 1\r\n'), dripping(server, body, ' '), dripping(server, '', '')])
  let slow = true
  void ends.then(() => { slow = false })
  const broken = exchange(server.address, head)
  const meanwhile = new Set<number>()
  await until(async () => {
    meanwhile.add((await server.get(own)).status)
    return !slow
  })
  t.same([...meanwhile], [200])
  const { answers, closed } = await broken
  t.same([answers.map(({ status }) => status), closed], [[400], true])
  t.equal(
    refusalProblem({ status: 400, text: answers[0]?.text ?? '', header: (name) => answers[0]?.headers.get(name) }),
    undefined
  )
})

const detail = 'music.pf_song_detail_svr/get_song_detail_yqq'

/** Three connections, each with a request under way, leave no room for a fourth. */
async function busyAndFull (t: Test, demo: DemoUpstream, address: string): Promise<void> {
  demo.next(detail, { hang: true }, 3)
  const before = timesAsked(demo, detail)
  const { hostname, port } = new URL(address)
  const sockets = [1, 2, 3].map((number) => {
    const socket = connect({ host: hostname.replace(/[[\]]/g, ''), port: Number(port) })
    socket.on('error', () => {}).write(requestText(`GET /getSongInfo?songmid=00DemoSong000${before + number} HTTP/1.1`))
    return socket
  })
  await until(() => timesAsked(demo, detail) === before + 3)
  const last = requestText(`GET ${own} HTTP/1.1`, ['Connection: close'])
  t.same((await exchange(address, last)).answers, [])
  for (const socket of sockets) socket.destroy()
  await until(async () => (await exchange(address, last)).answers.length === 1)
}

test('a connection ends after its requests, and after a silence; while all are busy, further ones are closed', async ({ t, demo }) => {
  const server = await serverOnWire(t, demo, { deadlineMs: 600_000, maxConnections: 3, tuning: {
    maxRequestsPerConnection: 2, clientKeepAliveMs: 20, clientCheckMs: 20
  } })
  const ask = requestText(`GET ${own} HTTP/1.1`)
  const two = await exchange(server.address, ask + ask)
  t.same([two.answers.map(({ status, headers }) => [status, headers.get('connection')]), two.closed], [
    [[200, 'keep-alive'], [200, 'close']], true
  ])
  const one = await exchange(server.address, ask)
  t.same([one.answers.length, one.closed], [1, true])

  await busyAndFull(t, demo, server.address)
})

served('of pipelined requests none is lost or answered beyond the last of its connection, whose answer says so', {
  tuning: { maxRequestsPerConnection: 50 }
}, async ({ t, demo, server }) => {
  const { hostname, port } = new URL(server.address)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  let text = ''
  let failure: Error | undefined
  const ends = once(socket, 'end')
  const closes = once(socket, 'close')
  socket.on('error', (error) => { failure = error })
    .setEncoding('latin1').on('data', (part: string) => { text += part })
  // More arrives while the last answers are sent, and after them.
  let sent = 0
  const send = (count: number): void => {
    for (let at = 0; at < count; at++) socket.write(requestText(`GET /getSmartbox?key=${++sent} HTTP/1.1`))
  }
  send(60)
  await until(() => text.includes('connection: close'))
  send(10)
  await ends
  send(10)
  socket.end()
  await closes
  t.equal(failure, undefined)
  const answers = text.split('HTTP/1.1 ').slice(1)
  t.same(answers.map((answer) => `${answer.slice(0, 3)} ${/^connection: (\S+)/im.exec(answer)?.[1]}`), [...Array<string>(49).fill('200 keep-alive'), '200 close'])
  t.equal(demo.calls('/splcloud/fcgi-bin/smartbox_new.fcg').length, 50, 'what is not answered has not been processed')
  t.equal(server.log.filter((line) => line.includes('"msg":"request"')).length, 50)
})

test('a flood behind the last request of a connection is cut off', async ({ t, demo }) => {
  demo.next('music.pf_song_detail_svr/get_song_detail_yqq', { hang: true }, Infinity)
  const server = await serverOnWire(t, demo, { tuning: { maxRequestsPerConnection: 3 }, deadlineMs: 600_000 })
  const { answers, closed } =
    await exchange(server.address, requestText('GET /getSongInfo?songmid=00DemoSong0001 HTTP/1.1').repeat(7))
  t.same([answers, closed], [[], true])
})

t.test('each address of localhost has the same limits and refusals, and the same end', {
  skip: Object.values(networkInterfaces()).flat().some((each) => each?.address === '::1') ? false
    : 'this machine has no ::1'
}, async (t) => {
  // Some machines, containers above all, know one of them only.
  const { lookup } = dns
  t.teardown(() => { dns.lookup = lookup })
  dns.lookup = (async () => await Promise.resolve([
    { address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }
  ])) as unknown as typeof lookup
  const demo = await demoFor(t, { latencyMs: 300 })
  const app = await buildApp({
    docs: false, pages: false, upstreamOrigin: demo.origin, logLevel: 'silent', shedDelayMs: 0, maxConnections: 3,
    deadlineMs: 600_000,
    tuning: {
      maxRequestsPerConnection: 2, clientHeadersTimeoutMs: 1000, clientRequestTimeoutMs: 1500, clientCheckMs: 50,
      drainMs: 0
    }
  })
  t.teardown(async () => { await app.close() })
  const port = await listen(app, { host: 'localhost', port: 0 })
  const addresses = [`http://127.0.0.1:${port}`, `http://[::1]:${port}`]
  const refuses = async (address: string, text: string, status: number): Promise<void> => {
    const { answers: [answer, ...more], closed, rest } = await exchange(address, text)
    t.same([answer?.status, more, closed, rest], [status, [], true, ''], `${address} ${text.slice(0, 40)}`)
    t.equal(
      refusalProblem({ status, text: answer?.text ?? '', header: (name) => answer?.headers.get(name) }), undefined
    )
  }
  for (const address of addresses) {
    await refuses(address, requestText(hasStrictParser ? 'POST /getSearchByKey?key=纸月亮 HTTP/1.1' : 'get /getHotkey HTTP/1.1'), 400)
    await refuses(address, requestText('CONNECT evil.example:443 HTTP/1.1'), 400)
    await refuses(address, requestText('GET /health/live HTTP/1.1', ['Expect: tea']), 417)
    await refuses(address, requestText(`GET /health/live?x=${'y'.repeat(20_000)} HTTP/1.1`), 431)
    await refuses(address, requestText('GET /health/live HTTP/1.1', ['Host: localhost']), 400)
    const ask = requestText('GET /health/live HTTP/1.1')
    const two = await exchange(address, ask + ask)
    t.same([two.answers.map(({ status, headers }) => [status, headers.get('connection')]), two.closed], [
      [[200, 'keep-alive'], [200, 'close']], true
    ])
    await busyAndFull(t, demo, address)
  }
  await Promise.all(addresses.map(async (address) => {
    await refuses(address, 'GET /health/live HTTP/1.1\r\nHost: lo', 400)
  }))
  const before = demo.received.length
  const running = addresses.map(async (address, at) =>
    (await exchange(address, requestText(`GET /getSmartbox?key=${at} HTTP/1.1`))).answers.map(({ status }) => status))
  await until(() => demo.received.length === before + 2)
  await app.close()
  t.same(await Promise.all(running), [[200], [200]], 'what runs is answered before the end')
  for (const address of addresses) await t.rejects(fetch(address), 'and nobody listens any more')
})

t.test('work that does not end is answered with 504', async (t) => {
  await t.rejects(withDeadline(globalThis, 1, new Promise(() => {})), new RelayError(
    'UPSTREAM_TIMEOUT', 'The answer did not come in time; try again.'
  ))
  t.equal(await withDeadline(globalThis, 60_000, Promise.resolve(5)), 5)
  await t.rejects(
    withDeadline(globalThis, 60_000, Promise.reject(new RelayError('NOT_FOUND', 'no'))), { code: 'NOT_FOUND' }
  )
})

t.test('health is told to whoever asks: no token, no name, and nothing but the state', async (t) => {
  // Nothing listens on this port.
  const server = await serverOnWire(t, { origin: 'http://127.0.0.1:1' }, {
    accessToken: 'token', tuning: { circuitFailures: 1, circuitPauseMs: 60_000 }
  })
  const token = { headers: { authorization: 'Bearer token' } }
  const told = async (path: string): Promise<[number, unknown]> => await new Promise((resolve, reject) => {
    httpRequest(`${server.address}${path}`, { headers: { host: 'supervisor.example' } }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => { text += chunk })
        .on('end', () => { resolve([answer.statusCode ?? 0, JSON.parse(text)]) })
    }).on('error', reject).end()
  })
  t.same(await told('/health/live'), [200, { status: 'live' }])
  t.same(await told('/health/ready'), [200, { status: 'ready' }])
  t.match(await told('/health/upstream'), [403, { code: 'HOST_NOT_ALLOWED' }])
  t.equal((await server.get('/health/upstream')).status, 401)
  t.equal((await server.get('/health/ready', { method: 'DELETE', ...token })).headers.get('allow'), 'GET, HEAD, OPTIONS')
  t.equal((await server.get('/getSongInfo?songmid=00DemoSong0001', token)).status, 502)
  const ready = await server.get('/health/ready')
  t.same([ready.status, ready.body.code, refusalProblem({ ...ready, header: (name) => ready.headers.get(name) })], [
    503, 'UPSTREAM_PAUSED', undefined
  ])
  t.same(await told('/health/live'), [200, { status: 'live' }])
})
