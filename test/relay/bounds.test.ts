/** What requests under way may hold: bytes of their bodies, and bytes of upstream answers. */
import { connect, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import fp from 'fastify-plugin'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { createTransport } from '../../src/upstream/http/transport.ts'
import { demoFor, until } from '../support/helper.ts'
import { brisk, unhurried } from '../support/unhurried.ts'

const behindProxy = {
  host: '0.0.0.0', trustProxy: ['127.0.0.1'], docs: false, pages: false, logLevel: 'silent'
} satisfies Parameters<typeof buildApp>[0]
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })

t.test('bodies that do not arrive are charged to their clients, and leave room for others', async (t) => {
  const demo = await demoFor(t)
  const app = await buildApp({ ...unhurried, ...behindProxy, upstreamOrigin: demo.origin, tuning: brisk({
    heldBodyBytes: 1_000_000, heldBodySharePercent: 40
  }) })
  t.teardown(async () => { await app.close() })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const { ledger: { bodyBytes } } = app.runtime
  const batch = JSON.stringify({ songs: [['00DemoSong0001']] })
  const ask = async (address: string): Promise<[number, string | undefined]> => {
    const answer = await fetch(`http://127.0.0.1:${port}/batchGetSongInfo`, {
      method: 'POST', headers: { 'content-type': 'application/json', ...from(address) }, body: batch
    })
    return [answer.status, (await answer.json() as { code?: string }).code]
  }
  const stall = async (address: string, length: string): Promise<() => void> => {
    const before = bodyBytes.all()
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => {})
    socket.write(`POST /batchGetSongInfo HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`)
    await until(() => bodyBytes.all() > before)
    return () => { socket.destroy() }
  }
  const ends = [await stall('203.0.113.5', 'Content-Length: 200000'), await stall('203.0.113.5', 'Content-Length: 199990')]
  t.match(await ask('203.0.113.5'), [503, 'OVERLOADED'], 'this client has its share')
  t.match(await ask('203.0.113.6'), [200, undefined], 'others have theirs')
  ends.push(await stall('198.51.100.1', 'Transfer-Encoding: chunked'), await stall('192.0.2.1', 'Transfer-Encoding: chunked'))
  t.equal(bodyBytes.all(), 399_990 + 2 * 256 * 1024, 'a length that is not known counts as the longest')
  ends.push(await stall('192.0.2.77', 'Content-Length: 75700'))
  const before = bodyBytes.all()
  t.match(await ask('203.0.113.6'), [200, undefined], 'together they hold all that there is: whoever holds most gives way')
  await until(() => bodyBytes.all() < before)
  t.equal(before - bodyBytes.all(), 200_000)
  t.match(await ask('203.0.113.5'), [200, undefined], 'and has room again')
  for (const end of ends) end()
  await until(() => bodyBytes.all() === 0)
  t.match(await ask('203.0.113.5'), [200, undefined])
  await until(() => bodyBytes.all() === 0)
  t.equal(bodyBytes.state().refused, 1)
})

t.test('who leaves while the request is counted holds nothing afterwards, and has nothing asked', async (t) => {
  const demo = await demoFor(t)
  const waits: (() => void)[] = []
  const asSharedStore = fp(async (app) => {
    app.addHook('onRequest', async () => { await new Promise<void>((resolve) => { waits.push(resolve) }) })
  })
  const app = await buildApp({
    ...unhurried, ...behindProxy, upstreamOrigin: demo.origin, beforeRoutes: asSharedStore
  })
  t.teardown(async () => { await app.close() })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const { ledger: { bodyBytes } } = app.runtime
  for (const head of ['POST /batchGetSongInfo HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 200000', 'GET /radio/199.mp3 HTTP/1.1']) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${head}\r\nHost: localhost\r\n\r\n`)
    await until(() => waits.length > 0)
    socket.destroy()
    await until(() => app.connections.size === 0)
    waits.pop()?.()
    await new Promise((resolve) => { setTimeout(resolve, 50) }) // nothing tells that it goes on
    t.same([bodyBytes.all(), demo.received.length], [0, 0], head)
  }
})

/** An upstream whose answers are of 90 KB, and end only when they are let go. */
async function slowUpstream (t: Test): Promise<{ origin: string, letGo (): void }> {
  let go = (): void => {}
  const gone = new Promise<void>((resolve) => { go = resolve })
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(`{"code":0,"lyric":"${'x'.repeat(89_000)}`)
      void gone.then(() => { response.end('"}') })
    })
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => { server.closeAllConnections(); server.close() })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, letGo: () => { go() } }
}

t.test('bytes of upstream answers are charged to who asked until the request is answered', async (t) => {
  const upstream = await slowUpstream(t)
  const app = await buildApp({
    ...unhurried, ...behindProxy, upstreamOrigin: upstream.origin, maxAnswerBytes: 100_000, cache: false,
    tuning: brisk({ heldAnswerBytes: 300_000, heldAnswerSharePercent: 50, fallbackFailures: 100 })
  })
  t.teardown(async () => { await app.close() })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const { ledger: { answerBytes } } = app.runtime
  const ask = async (client: string, song: number): Promise<unknown> =>
    await (await fetch(`${address}/getLyric/00DemoSong000${song}`, { headers: from(client) })).json()
  const [first, second] = [ask('203.0.113.5', 1), ask('203.0.113.5', 2)]
  await until(() => answerBytes.all() > 170_000)
  t.match(await ask('203.0.113.5', 3), { code: 'OVERLOADED' }, 'two answers are the share of a client')
  const other = ask('198.51.100.1', 4)
  await until(() => answerBytes.all() > 260_000)
  t.match(await ask('192.0.2.1', 5), { code: 'OVERLOADED' }, 'three are all that there is')
  upstream.letGo()
  for (const answer of [first, second, other]) t.notMatch(await answer, { code: 'OVERLOADED' })
  await until(() => answerBytes.all() === 0)
  t.ok(answerBytes.state().refused >= 2)
})

t.test('answers are decompressed few at a time', async (t) => {
  const many = 24
  const packed = gzipSync('x'.repeat(3_900_000))
  const server =
    createServer((_request, answer) => { answer.writeHead(200, { 'content-encoding': 'gzip' }).end(packed) })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => { server.close() })
  const upstreamOrigin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const transport = createTransport({
    upstreamOrigin, connectTimeoutMs: 60_000, headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000,
    maxAnswerBytes: 4_000_000, upstreamConnections: many
  })
  t.teardown(transport.close)
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  const watch = setInterval(() => { most = Math.max(most, process.memoryUsage().arrayBuffers - before) }, 5)
  const asked = Array.from({ length: many }, async () => {
    const { bytes } = await transport.request(
      { host: 'musicu', method: 'GET', path: '/', headers: {} }, 'packed', new AbortController().signal, () => true
    )
    return bytes.length
  })
  t.strictSame(new Set(await Promise.all(asked)), new Set([3_900_000]))
  clearInterval(watch)
  t.ok(most < many * 3_900_000, `${Math.round(most / 1e6)} MB at most: nobody keeps an answer, and what nobody keeps is collected`)
})
