/** Connections to the upstream: one is opened ahead, and TLS sessions outlive the pools. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import net, { type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { createConnector } from '../../src/upstream/http/connector.ts'
import { createTransport, type Transport } from '../../src/upstream/http/transport.ts'
import { createAbort } from '../../src/common/abort.ts'
import { certified, withoutOpenssl } from '../support/certificates.ts'
import { demoFor, serverOnWire, until } from '../support/helper.ts'
import { settled } from '../support/settled.ts'
import { listening } from '../support/listening.ts'

const patience = {
  connectTimeoutMs: 60_000, headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000, maxAnswerBytes: 1000,
  upstreamConnections: 4
}

interface Upstream { readonly opened: Socket[], readonly transport: Transport, readonly ask: () => Promise<number> }

/** An upstream that keeps its connections, and a transport to it. */
async function upstreamFor (t: Test): Promise<Upstream> {
  const opened: Socket[] = []
  const server = createServer((_request, response) => { response.end('{"code":0}') })
  server.on('connection', (socket: Socket) => { opened.push(socket) })
  const transport = createTransport({ upstreamOrigin: await listening(t, server), ...patience })
  t.teardown(transport.close)
  const ask = async (): Promise<number> => (await transport.request(
    { host: 'musicu', method: 'POST', path: '/', headers: {}, body: '{}' }, 'test', createAbort().signal, () => true
  )).bytes.length
  return { opened, transport, ask }
}

t.test('a connection that was opened ahead carries the first request, and no second one is opened beside an idle one', async (t) => {
  const { opened, transport, ask } = await upstreamFor(t)
  transport.warm()
  transport.warm()
  t.equal(await ask(), 10)
  await settled() // its connection is idle again
  transport.warm()
  await ask()
  t.equal(opened.length, 1)
})

t.test('one that the upstream has closed meanwhile is not used, and makes room for another one', async (t) => {
  const { opened, transport, ask } = await upstreamFor(t)
  for (const count of [1, 2]) {
    transport.warm()
    await settled()
    t.equal(opened.length, count)
    opened.at(-1)?.resetAndDestroy()
    await settled()
  }
  t.same([await ask(), opened.length], [10, 3])
})

t.test('one that breaks in the very turn in which a request would take it is not taken', async (t) => {
  const { connect } = net
  const sockets: Socket[] = []
  net.connect = ((...given: Parameters<typeof connect>) => {
    sockets.push(connect(...given))
    return sockets.at(-1)
  }) as typeof connect
  t.teardown(() => { net.connect = connect })
  const { host } = new URL(await listening(t, net.createServer()))
  const connector = createConnector(60_000)
  t.teardown(connector.close)
  connector.warm(`http://${host}`)
  const [first] = sockets as [Socket]
  await once(first, 'connect')
  await settled()
  first.destroy()
  const taken = await new Promise<Socket | null>((resolve) => { connector.connect(
    { hostname: '127.0.0.1', host, protocol: 'http:', port: host.slice(10) }, (_error, socket) => { resolve(socket) }
  ) })
  t.ok(taken !== null && taken !== first && !taken.destroyed)
  taken?.destroy()
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
  await settled()
  t.equal(opened.length, 1)
})

t.test('an upstream that cannot be reached is nobody\'s error until somebody asks', async (t) => {
  const transport = createTransport({ upstreamOrigin: 'http://127.0.0.1:1', ...patience })
  t.teardown(transport.close)
  transport.warm()
  await settled()
  await t.rejects(transport.request(
    { host: 'musicu', method: 'POST', path: '/', headers: {}, body: '{}' }, 'test', createAbort().signal, () => true
  ), { code: 'UPSTREAM_UNREACHABLE' })
})

t.test('a relay opens one when it listens, and when a browser opens the front page', async (t) => {
  const opened: Socket[] = []
  const upstream = createServer().on('connection', (socket: Socket) => { opened.push(socket) })
  const origin = await listening(t, upstream)
  const server = await serverOnWire(t, { ...await demoFor(t), origin }, { pages: true })
  await until(() => opened.length === 1)
  opened[0]?.resetAndDestroy()
  await settled()
  await server.get('/')
  await settled()
  t.equal(opened.length, 1, 'a program that reads the page asks for nothing')
  await server.get('/', { headers: { 'sec-fetch-site': 'none' } })
  await until(() => opened.length === 2)
})

t.test('the TLS session outlives its pool', { skip: withoutOpenssl }, async (t) => {
  const { stdout, stderr } = certified(t, 'test/support/connectorTls.ts', 1)
  t.equal(stdout, 'TLSv1.2 false true\nTLSv1.3 false true\n', `a whole handshake, then a resumed one ${stderr}`)
})
