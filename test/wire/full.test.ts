/** A relay that is full of connections: whose idle one makes room for somebody new. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { demoFor, timesAsked, until } from '../support/helper.ts'
import { requestText } from '../support/raw.ts'
import { brisk, unhurried } from '../support/unhurried.ts'

// Other systems have one loopback address only, so that all clients would be one.
const skip = process.platform === 'linux' ? false : 'only Linux has many loopback addresses'

const detail = 'music.pf_song_detail_svr/get_song_detail_yqq'
const [largest, longIdle, idle, busy, newcomer] = ['127.77.1.1', '127.78.1.1', '127.79.1.1', '127.80.1.1', '127.81.1.1'] as const
const hanging = requestText('GET /getSongInfo?songmid=00DemoSong0001 HTTP/1.1')
const probe = requestText('GET /health/live HTTP/1.1')

t.test('when the relay is full and its largest client has no idle connection, the one that is idle for longest makes room', { skip }, async (t) => {
  const demo = await demoFor(t)
  demo.next(detail, { hang: true }, Infinity)
  const app = await buildApp({
    host: '0.0.0.0', docs: false, pages: false, cache: false, logLevel: 'silent', ...unhurried,
    upstreamOrigin: demo.origin, maxConnections: 8, deadlineMs: 600_000,
    tuning: brisk({ connectionSharePercent: 50, headersTimeoutMs: 600_000, clientKeepAliveMs: 600_000 })
  })
  t.teardown(async () => { await app.close() })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress })
    t.teardown(() => { socket.destroy() })
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  /** A connection with a request under way. */
  const hang = async (address: string): Promise<Socket> => {
    const before = timesAsked(demo, detail)
    const socket = await open(address)
    socket.write(hanging)
    await until(() => timesAsked(demo, detail) === before + 1)
    return socket
  }
  /** A connection that has got an answer, and waits. */
  const answered = async (address: string): Promise<Socket> => {
    const socket = await open(address)
    socket.write(probe)
    const [text] = await once(socket, 'data') as [Buffer]
    t.match(text.toString(), /^HTTP\/1\.1 200 /, address)
    return socket
  }
  const inUse = [await hang(largest), await hang(largest), await hang(largest), await hang(largest), await hang(busy), await hang(busy)]
  const first = await answered(longIdle)
  const second = await answered(idle)
  t.equal(app.connections.size, 8)
  t.equal(app.runtime.ledger.connections.largest(), app.clientOf(largest)?.[0])
  const closes = once(first, 'close')
  await answered(newcomer)
  await closes
  t.same([...inUse, second].map(({ destroyed }) => destroyed), Array(7).fill(false), 'nobody else loses one')
  t.equal(app.connections.size, 8)
})
