/** Connections to the upstream: one is opened ahead, and TLS sessions outlive the pools. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { Test } from 'tap'
import { createTransport } from '../../src/upstream/http/transport.ts'
import type { Transport } from '../../src/upstream/http/transport.ts'
import { createAbort } from '../../src/common/abort.ts'
import { demoFor, serverFor } from '../support/helper.ts'

interface Upstream { readonly opened: Socket[], readonly transport: Transport, readonly ask: () => Promise<number> }

/** An upstream that keeps its connections, and a transport to it. */
async function upstreamFor (t: Test): Promise<Upstream> {
  const opened: Socket[] = []
  const server = createServer((_request, response) => { response.end('{"code":0}') })
  server.on('connection', (socket: Socket) => { opened.push(socket) })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  const upstreamOrigin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const transport = createTransport({ upstreamOrigin, connectTimeoutMs: 5000, headersTimeoutMs: 5000, bodyTimeoutMs: 5000, maxAnswerBytes: 1000, upstreamConnections: 4 })
  t.teardown(async () => {
    await transport.close()
    await new Promise((resolve) => { server.close(resolve) })
  })
  const ask = async (): Promise<number> => (await transport.request({ host: 'musicu', method: 'POST', path: '/', headers: {}, body: '{}' }, 'test', createAbort().signal, () => true)).bytes.length
  return { opened, transport, ask }
}

const until = async (test: () => boolean): Promise<void> => { while (!test()) await sleep(5) }

t.test('a connection that was opened ahead carries the first request, and no second one is opened beside an idle one', async (t) => {
  const { opened, transport, ask } = await upstreamFor(t)
  transport.warm()
  transport.warm()
  t.equal(await ask(), 10)
  await sleep(50) // its connection is idle again
  await setImmediate()
  transport.warm()
  await ask()
  t.equal(opened.length, 1)
})

t.test('one that the upstream has closed meanwhile is not used', async (t) => {
  const { opened, transport, ask } = await upstreamFor(t)
  transport.warm()
  await until(() => opened.length > 0)
  opened[0]?.resetAndDestroy()
  await sleep(100)
  await setImmediate() // a timer that is late comes before what has arrived
  t.equal(await ask(), 10)
  t.equal(opened.length, 2)
})

t.test('one that nobody used ends with the transport, and none is opened after', async (t) => {
  const { opened, transport } = await upstreamFor(t)
  transport.warm()
  await until(() => opened.length > 0)
  const ended = once(opened[0] as Socket, 'close')
  opened[0]?.resume()
  await transport.close()
  await ended
  transport.warm()
  await sleep(50)
  t.equal(opened.length, 1)
})

t.test('an upstream that cannot be reached is nobody\'s error until somebody asks', async (t) => {
  const transport = createTransport({ upstreamOrigin: 'http://127.0.0.1:1', connectTimeoutMs: 1000, headersTimeoutMs: 1000, bodyTimeoutMs: 1000, maxAnswerBytes: 1000, upstreamConnections: 4 })
  t.teardown(transport.close)
  transport.warm()
  await sleep(50)
  await t.rejects(transport.request({ host: 'musicu', method: 'POST', path: '/', headers: {}, body: '{}' }, 'test', createAbort().signal, () => true), { code: 'UPSTREAM_UNREACHABLE' })
})

t.test('a relay opens one when it listens, and when a browser opens the front page', async (t) => {
  const opened: Socket[] = []
  const upstream = createServer().on('connection', (socket: Socket) => { opened.push(socket) })
  await new Promise<void>((resolve) => { upstream.listen(0, '127.0.0.1', resolve) })
  t.teardown(async () => { await new Promise((resolve) => { upstream.close(resolve) }) })
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const server = await serverFor(t, { ...await demoFor(t), origin }, { pages: true })
  await until(() => opened.length === 1)
  opened[0]?.resetAndDestroy()
  await sleep(100)
  await server.get('/')
  await sleep(100)
  t.equal(opened.length, 1, 'a program that reads the page asks for nothing')
  await server.get('/', { headers: { 'sec-fetch-site': 'none' } })
  await until(() => opened.length === 2)
})

t.test('the TLS session outlives its pool', { skip: spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed' }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'connector-'))
  t.teardown(() => { rmSync(folder, { recursive: true }) })
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert])
  t.equal(made.status, 0, String(made.stderr))
  for (const version of ['TLSv1.2', 'TLSv1.3']) {
    const child = spawnSync(process.execPath, ['--import', 'tsx', fileURLToPath(new URL('../support/connectorTls.ts', import.meta.url)), key, cert, version], { env: { ...process.env, NODE_EXTRA_CA_CERTS: cert }, encoding: 'utf8' })
    t.equal(child.stdout.trim(), 'false true', `${version}: a whole handshake, then a resumed one ${child.stderr}`)
  }
})
