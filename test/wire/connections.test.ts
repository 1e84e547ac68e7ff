/** What a client may hold with its connections: their number, answers that it does not read, requests that wait. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import type { FastifyInstance } from 'fastify'
import { buildApp, type AppOptions } from '../../src/app.ts'
import { testClock } from '../support/clock.ts'
import { cookieOf, demoFor, song, timesAsked, until } from '../support/helper.ts'
import { exchange, requestText } from '../support/raw.ts'
import { settled } from '../support/settled.ts'
import { brisk, unhurried } from '../support/unhurried.ts'

// Other systems have one loopback address only, so that all clients would be one.
const skip = process.platform === 'linux' ? false : 'only Linux has many loopback addresses'

const attacker = '127.0.0.2'
const probe = requestText('GET /health/live HTTP/1.1')
const own = requestText('GET /getImageUrl?id=00DemoAlbu0001 HTTP/1.1')
/** 1.7 MB. */
const large = requestText('GET /docs/static/swagger-ui-bundle.js HTTP/1.1')

/** A relay that others can reach. */
async function publicApp (t: Test, options: AppOptions = {}): Promise<{
  app: FastifyInstance, port: number, address: string
}> {
  const app = await buildApp({
    host: '0.0.0.0', docs: false, pages: false, logLevel: 'silent', ...unhurried, ...options,
    tuning: brisk({ clientCheckMs: 50, ...options.tuning })
  })
  t.teardown(async () => { await app.close() })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, address, port: Number(new URL(address).port) }
}

/** A connection that sends these bytes. It reads nothing. */
async function open (t: Test, port: number, bytes: string, localAddress = attacker): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  t.teardown(() => { socket.destroy() })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

/** A client that reads. `answers` counts what has arrived. */
async function reader (
  t: Test, port: number, bytes: string, localAddress?: string
): Promise<{ socket: Socket, answers: () => number, closed: () => boolean }> {
  const socket = await open(t, port, bytes, localAddress)
  let text = ''
  let gone = false
  socket.setEncoding('latin1').on('data', (chunk: string) => { text += chunk }).once('close', () => { gone = true })
  return { socket, answers: () => text.split('HTTP/1.1 200 ').length - 1, closed: () => gone }
}

t.test('requests of one connection are answered one after the other', async (t) => {
  const demo = await demoFor(t, { holdMs: 60_000 })
  const { app, address } = await publicApp(t, { upstreamOrigin: demo.origin })
  const uuid = demo.login.open('alt')
  const body = JSON.stringify({ uuid })
  const poll = requestText('POST /checkAltLoginQr HTTP/1.1', ['Content-Type: application/json', `Content-Length: ${body.length}`], body)
  const last = requestText('GET /getSmartbox?key=b HTTP/1.1', ['Connection: close'])
  const asked = exchange(address, poll + requestText('GET /getSmartbox?key=a HTTP/1.1') + own + last)
  await demo.login.held(uuid, 1)
  t.equal((await exchange(address, requestText('GET /getSmartbox?key=other HTTP/1.1', ['Connection: close']))).answers[0]?.status, 200)
  const searches = (): number => demo.received.filter(({ path }) => path.includes('smartbox')).length
  t.equal(searches(), 1, 'others go on, and what is behind the check is not begun')
  t.ok(app.runtime.ledger.waitingBytes.all() > 0, 'it is charged')
  demo.login.cancel(uuid)
  const { answers, closed, rest } = await asked
  t.same([answers.map(({ status }) => status), closed, rest], [[200, 200, 200, 200], true, ''])
  t.equal(searches(), 3)
  const { waitingBytes, unsentBytes, connections } = app.runtime.ledger
  await until(() => [waitingBytes, unsentBytes, connections].every((held) => held.all() === 0))
})

t.test('when the relay stops, the answer under way is the last one, and what waits behind it is not begun', async (t) => {
  const demo = await demoFor(t, { latencyMs: 500 })
  const { app, address } = await publicApp(t, { upstreamOrigin: demo.origin })
  const asked = exchange(address, requestText('GET /getSmartbox?key=a HTTP/1.1') + requestText('GET /getSmartbox?key=b HTTP/1.1').repeat(20))
  await until(() => demo.received.length === 1)
  await app.close()
  const { answers, closed, rest } = await asked
  t.same([
    answers.map(({ status, headers }) => [status, headers.get('connection')]), closed, rest
  ], [[[200, 'close']], true, ''])
  t.equal(demo.received.length, 1)
  t.same([app.runtime.ledger.waitingBytes.all(), app.runtime.ledger.connections.all()], [0, 0])
})

t.test('a connection that nobody used, such as one that a browser opened in advance, does not hold up a stop', { timeout: 5000 }, async (t) => {
  const { app, port } = await publicApp(t, { stopMs: 600_000 })
  const unused = await open(t, port, '')
  await until(() => app.connections.size === 1)
  await app.close()
  if (!unused.closed) await once(unused, 'close')
  t.equal(unused.bytesRead, 0, 'no answer to a question that was not asked')
})

t.test('a connection opened in advance and not used in time is closed without an answer; half a request gets one', async (t) => {
  const { address, port } = await publicApp(t, { tuning: { clientHeadersTimeoutMs: 50, clientCheckMs: 20 } })
  const unused = (await open(t, port, '')).resume()
  if (!unused.closed) await once(unused, 'close')
  t.equal(unused.bytesRead, 0, 'a browser would take it as the answer to what it asks at this moment')
  const { answers, closed } = await exchange(address, 'GET /health/live HTTP/1.1\r\nHost: a')
  t.same([answers.map(({ status }) => status), closed], [[400], true])
})

t.test('a thousand requests at once on one connection are all answered, and who sends more than fits loses the connection', async (t) => {
  const { app, address } = await publicApp(t, { rateLimit: 0 })
  const { answers } =
    await exchange(address, own.repeat(999) + requestText('GET /nothing HTTP/1.1', ['Connection: close']))
  t.same([
    answers.length, answers.slice(0, 999).every(({ status }) => status === 200), answers.at(-1)?.status
  ], [1000, true, 404])
  const { waitingBytes } = app.runtime.ledger
  await until(() => waitingBytes.all() === 0)
  const greedy = await publicApp(t, { rateLimit: 0, tuning: { waitingBytes: 1_000_000 } })
  t.equal((await exchange(greedy.address, own.repeat(999))).closed, true)
  await until(() => greedy.app.runtime.ledger.waitingBytes.all() === 0)
  t.equal((await exchange(
    greedy.address, own.repeat(3) + requestText('GET /nothing HTTP/1.1', ['Connection: close'])
  )).answers.length, 4)
})

t.test('when all have left too much unread, whoever has most gives way', { skip }, async (t) => {
  const { app, address, port } =
    await publicApp(t, { docs: true, rateLimit: 0, tuning: { unsentBytes: 9_000_000, unsentSharePercent: 90 } })
  const { unsentBytes } = app.runtime.ledger
  const hoard = async (localAddress: string, count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, async () => await open(t, port, large.repeat(3), localAddress)))
  }
  await (await fetch(`${address}/docs/static/swagger-ui-bundle.js`)).arrayBuffer()
  await hoard('127.77.1.1', 3)
  await hoard('127.78.1.1', 20)
  await until(() => unsentBytes.state().refused > 0)
  t.equal((await fetch(`${address}/docs/static/swagger-ui.css`)).status, 200, 'others read')
  t.equal((await (await fetch(`${address}/docs/static/swagger-ui-bundle.js`)).text()).length > 1_000_000, true, 'a large one, too')
  t.ok(unsentBytes.all() <= 9_000_000 + 1_700_000)
  t.ok(unsentBytes.state().largest < 7 * 1_700_000)
})

t.test('who does not read gets no further answers, at the cost of nobody else', { skip }, async (t) => {
  const { app, address, port } = await publicApp(t, { docs: true, metrics: true, tuning: { unsentBytes: 8_000_000 } })
  await (await fetch(`${address}/docs/static/swagger-ui-bundle.js`)).arrayBuffer()
  const { unsentBytes } = app.runtime.ledger
  const before = process.memoryUsage().arrayBuffers
  const sockets = await Promise.all(Array.from({ length: 29 }, async () => await open(t, port, large.repeat(10))))
  await until(() => unsentBytes.isFull(app.clientOf(attacker)))
  t.ok(process.memoryUsage().arrayBuffers - before < 20_000_000, 'all send from one buffer')
  const [refused] = (await exchangeFrom(t, port, own + probe)).split('HTTP/1.1 ').slice(1)
  t.match(refused, /^503 [^]*\r\nretry-after: 5\r\n[^]*"code":"OVERLOADED"/)
  t.equal((await fetch(`${address}/docs/static/swagger-ui.css`)).status, 200, 'others read')
  t.ok(unsentBytes.all() < 2_000_000 + 29 * 1_700_000, 'one answer for each connection at most')
  const metrics = await (await fetch(`${address}/metrics`)).text()
  const largest = Number(/^music_relay_held_by_largest_client\{what="unsent_bytes"\} (\d+)$/m.exec(metrics)?.[1])
  t.ok(largest > 2_000_000, 'operators see it')
  t.notMatch(metrics, attacker)
  for (const socket of sockets) socket.destroy()
  await until(() => unsentBytes.all() === 0)
})

/** The answers to these bytes, from the attacker's address. */
async function exchangeFrom (t: Test, port: number, bytes: string): Promise<string> {
  const { socket, closed } = await reader(t, port, '')
  let text = ''
  socket.on('data', (chunk: string) => { text += chunk })
  socket.write(bytes + requestText('GET /health/ready HTTP/1.1', ['Connection: close']))
  await until(closed)
  return text
}

t.test('no answer is larger than any may be', async (t) => {
  const demo = await demoFor(t)
  const { app, address } = await publicApp(t, { upstreamOrigin: demo.origin, tuning: { largestAnswerBytes: 2000 } })
  const asked = async (headers: Record<string, string> = {}, limit = 55): Promise<unknown[]> => {
    const answer = await fetch(`${address}/getSongListDetail?disstid=7700000001&limit=${limit}`, { headers })
    return [answer.status, (await answer.json() as { code?: unknown }).code]
  }
  t.same(await asked(), [502, 'UPSTREAM_UNREADABLE'])
  t.same(await asked({ cookie: cookieOf(demo, 'ordinary') }), [502, 'UPSTREAM_UNREADABLE'], 'a personal answer')
  const batch = await fetch(`${address}/batchGetSongInfo`, {
    method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ songs: [1, 2, 3, 4].map((number) => [song(number)]) })
  })
  t.match([batch.status, await batch.json()], [502, { error: /larger than the relay sends.*ask for less/ }])
  t.same(app.runtime.answers.cache?.keys().filter((key) => !key.includes('getSongInfo')), [], 'it is not cached')
  t.same(await asked({}, 2), [200, 0])
})

t.test('a client has its share of the connections, and its longest idle one gives way for its next', { skip }, async (t) => {
  const { app, port } = await publicApp(t, { maxConnections: 20 })
  const { connections } = app.runtime.ledger
  const other = await reader(t, port, probe, '127.0.0.1')
  await until(() => other.answers() === 1)
  const many: Awaited<ReturnType<typeof reader>>[] = []
  for (let at = 0; at < 30; at++) {
    const one = await reader(t, port, probe)
    await until(() => one.answers() === 1)
    many.push(one)
    // The second one stays in use.
    if (at > 0) {
      many[1]?.socket.write(probe)
      await until(() => many[1]?.answers() === at + 1)
    }
  }
  await until(() => many.filter(({ closed }) => closed()).length === 25)
  t.same(many.flatMap(({ closed }, at) => closed() ? [] : [at]), [1, 26, 27, 28, 29])
  t.equal(connections.heldBy(app.clientOf(attacker) as [string]), 5)
  t.notOk(other.closed())
  other.socket.write(probe)
  await until(() => other.answers() === 2)

  // From several addresses: the one that holds most gives way.
  for (const address of ['127.0.1.1', '127.0.2.1', '127.0.3.1']) {
    await Promise.all(Array.from({ length: 4 }, async () => await reader(t, port, probe, address)))
  }
  await until(() => connections.all() === 18)
  const late: typeof many = []
  for (const address of ['127.0.4.1', '127.0.4.2', '127.0.4.3']) late.push(await reader(t, port, probe, address))
  await until(() => late.every(({ answers }) => answers() === 1))
  t.equal(connections.all(), 20)
  await until(() => many.filter(({ closed }) => closed()).length === 26)
  t.ok(many[26]?.closed())
  t.notOk(other.closed())
})

t.test('where addresses do not tell clients apart, the longest idle connection of all gives way', async (t) => {
  for (const options of [{ host: 'localhost' }, { host: '0.0.0.0', trustProxy: ['10.0.0.1', '127.0.0.0/8'] }]) {
    const { app, port } = await publicApp(t, { ...options, maxConnections: 5 })
    const many: Awaited<ReturnType<typeof reader>>[] = []
    for (let at = 0; at < 8; at++) {
      many.push(await reader(t, port, probe, '127.0.0.1'))
      await until(() => many[at]?.answers() === 1)
    }
    await until(() => many.filter(({ closed }) => closed()).length === 3)
    t.same(many.flatMap(({ closed }, at) => closed() ? [] : [at]), [3, 4, 5, 6, 7])
    t.equal(app.runtime.ledger.connections.largest(), undefined, 'a proxy is no client')
  }
})

t.test('bytes between requests do not keep a connection open', async (t) => {
  const clock = testClock()
  const { port } = await publicApp(
    t, { ...clock.options, tuning: { clientKeepAliveMs: 60_000, clientHeadersTimeoutMs: 10_000, clientCheckMs: 1000 } }
  )
  const { socket, answers, closed } = await reader(t, port, probe)
  await until(() => answers() === 1)
  for (let second = 0; second < 70; second++) {
    socket.write('\r\n')
    await clock.advance(1000)
  }
  t.notOk(closed(), 'there is time for a request')
  await clock.advance(1000)
  await until(closed)
  t.equal(answers(), 1)
})

t.test('when the relay is full and its largest client has no idle connection, the one that is idle for longest makes room', { skip }, async (t) => {
  const detail = 'music.pf_song_detail_svr/get_song_detail_yqq'
  const [largest, longIdle, idle, busy, newcomer] = ['127.77.1.1', '127.78.1.1', '127.79.1.1', '127.80.1.1', '127.81.1.1'] as const
  const demo = await demoFor(t)
  demo.next(detail, { hang: true }, Infinity)
  const { app, port } = await publicApp(t, {
    upstreamOrigin: demo.origin, cache: false, maxConnections: 8, deadlineMs: 600_000,
    tuning: { connectionSharePercent: 50, headersTimeoutMs: 600_000, clientKeepAliveMs: 600_000 }
  })
  /** A connection with a request under way. */
  const hang = async (address: string): Promise<Socket> => {
    const before = timesAsked(demo, detail)
    const socket = await open(t, port, requestText('GET /getSongInfo?songmid=00DemoSong0001 HTTP/1.1'), address)
    await until(() => timesAsked(demo, detail) === before + 1)
    return socket
  }
  /** A connection that has got an answer, and waits. */
  const answered = async (address: string): Promise<Socket> => {
    const { socket, answers } = await reader(t, port, probe, address)
    await until(() => answers() === 1)
    return socket
  }
  const inUse = [
    await hang(largest), await hang(largest), await hang(largest), await hang(largest), await hang(busy),
    await hang(busy)
  ]
  const first = await answered(longIdle)
  const second = await answered(idle)
  t.same([app.connections.size, app.runtime.ledger.connections.largest()], [8, app.clientOf(largest)?.[0]])
  const closes = once(first, 'close')
  await answered(newcomer)
  await closes
  t.same([
    [...inUse, second].map(({ destroyed }) => destroyed), app.connections.size
  ], [Array(7).fill(false), 8], 'nobody else loses one')
})

t.test('who reads slowly makes progress between two looks and gets all of it, and who reads nothing is sent away', { skip }, async (t) => {
  const clock = testClock()
  const { app, port } =
    await publicApp(t, { ...clock.options, docs: true, tuning: { clientSendMs: 3000, clientCheckMs: 1000 } })
  const [slow, stalled] = [
    await open(t, port, large.repeat(9) + requestText('GET /health/live HTTP/1.1', ['Connection: close'])),
    await open(t, port, large.repeat(9), '127.77.1.1')
  ]
  await until(() => app.runtime.ledger.unsentBytes.all() > 2_000_000)
  const unsent = (): number =>
    [...app.connections.values()].find(({ client }) => client?.[0] === app.clientOf(attacker)?.[0])?.unsent ?? NaN
  const gone = once(stalled, 'close')
  await clock.advance(1000)
  let [total, enough] = [0, 0]
  slow.on('data', (chunk: Buffer) => {
    total += chunk.length
    if (total > enough) slow.pause()
  }).pause()
  for (let second = 0; second < 3; second++) {
    // It reads a part, of which the relay sends more.
    const before = unsent()
    enough = total + 3_000_000
    slow.resume()
    await until(() => total > enough)
    await settled()
    await clock.advance(1000)
    t.not(unsent(), before, 'never at the same byte')
  }
  stalled.resume()
  await gone
  // The system may hold the rest of its answers already: only what arrives shows that it was not sent away.
  t.notOk(slow.closed)
  enough = Infinity
  slow.resume()
  await once(slow, 'close')
  t.ok(total > 9 * 1_600_000)
  await until(() => app.runtime.ledger.connections.all() === 0)
})
