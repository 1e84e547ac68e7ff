/** Failures other than an answer: no connection, one song of a batch, bodies that never end, addresses that are none. */
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { createRelay } from '../../src/library/relay.ts'
import { demo, groundFor } from '../faults/matrix.ts'
import { badPayload, large } from '../faults/rows.ts'
import { startFaultServer } from '../faults/server.ts'
import type { FaultServer } from '../faults/server.ts'
import { endpoints, until } from '../support/helper.ts'
import { freePort } from '../support/freePort.js'
import { brisk, unhurried } from '../support/unhurried.ts'

async function faultServerFor (t: Test): Promise<FaultServer> {
  const server = await startFaultServer(demo)
  t.teardown(async () => { await server.close() })
  return server
}

async function listening (t: Test, onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    onSocket(socket)
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

t.test('where nobody can be connected to, it is the upstream that cannot be reached', async (t) => {
  const places = [
    ['a closed port', `http://127.0.0.1:${await freePort()}`],
    ['a name that does not exist', 'https://a..b'],
    ['a name that cannot exist', `https://${'x'.repeat(64)}.example`],
    ['plain text instead of TLS', `https://127.0.0.1:${await listening(t, (socket) => { socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') })}`],
    ['silence instead of TLS', `https://127.0.0.1:${await listening(t, () => {})}`]
  ] as const
  for (const [name, origin] of places) {
    const ground = await groundFor({ upstreamOrigin: origin, tuning: { connectTimeoutMs: 300 } })
    const { status, text } = await ground.ask({ path: '/getRanks?topId=62' })
    t.match([status, JSON.parse(text)], [502, { code: 'UPSTREAM_UNREACHABLE' }], name)
    const outcomes = ground.log.flatMap(({ upstream = [] }) => upstream.map(({ outcome }) => outcome))
    t.same([...new Set(outcomes)], ['connect'], `${name}: in the log`)
    t.ok(outcomes.length <= 2, `${name}: one attempt, or two`)
    await ground.close()
  }
})

t.test('one song of a batch that fails is told in its place; a batch of which nothing can be had fails', async (t) => {
  const server = await faultServerFor(t)
  const ask = async (): Promise<any> => {
    const relay = createRelay({ upstreamOrigin: server.origin })
    try {
      return await relay.batchGetSongInfo({ songs: [['00DemoSong0001'], ['00DemoSong0002'], ['00DemoSong0003']] })
    } finally {
      await relay.close()
    }
  }
  const mids = (record: any): string[] => record.map((element: any) => element.songinfo?.data.track_info.mid ?? element.code)

  server.fail(async ({ answer, healthy, keys }) => {
    const body = JSON.parse((await healthy()).body)
    body[keys.length === 1 ? 'req_0' : 'req_1'] = { code: 10000 } // the second song, also when it is asked for alone
    answer(JSON.stringify(body))
  })
  t.same(mids(await ask()), ['00DemoSong0001', 'UPSTREAM_REFUSED', '00DemoSong0003'])

  for (const [name, row] of [['HTML', badPayload.find(({ name }) => name === 'HTML')], ['too much', large[0]]] as const) {
    server.heal()
    server.fail((row as typeof large[0] & object).fault)
    await t.rejects(ask(), { statusCode: 502, code: 'UPSTREAM_UNREADABLE' }, name)
  }
  server.heal()
  server.fail(({ socket }) => { socket.resetAndDestroy() })
  await t.rejects(ask(), { statusCode: 502, code: 'UPSTREAM_UNREACHABLE' })
})

t.test('a refused answer whose body never ends holds no connection', async (t) => {
  const server = await faultServerFor(t)
  const relay = createRelay({ upstreamOrigin: server.origin, upstreamRatePerHost: 0, deadlineMs: 60_000, tuning: { fallbackFailures: 1000, upstreamQueueMs: 30_000 } })
  t.teardown(async () => { await relay.close() })
  let dripping = 0
  for (const status of [403, 302]) {
    server.fail(({ socket, write }) => {
      write(`HTTP/1.1 ${status} Said\r\nlocation: /\r\ncontent-length: 1000000\r\n\r\n`)
      const drip = setInterval(() => { write('x') }, 100)
      dripping++
      socket.once('close', () => {
        clearInterval(drip)
        dripping--
      })
    })
    await Promise.all(Array.from({ length: 100 }, async (_, at) => { await t.rejects(relay.getRanks({ topId: 62, page: at }), { code: 'UPSTREAM_REFUSED' }) }))
    await until(() => dripping === 0)
    server.heal()
    t.equal((await relay.getRanks({ topId: 62 })).topList.id, 62, `after ${status}`)
  }
})

t.test('only addresses of the web come out of records', async (t) => {
  const server = await faultServerFor(t)
  const relay = createRelay({ upstreamOrigin: server.origin, ...unhurried, tuning: brisk({ fallbackFailures: 1000 }) })
  t.teardown(async () => { await relay.close() })
  const cookie = 'uin=o1000000101; provider_key=Q_H_L_demo'
  const textsIn = (value: unknown): string[] => typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
  let replaced = 0
  server.fail(async ({ answer, healthy }) => {
    const { body, status, type } = await healthy()
    answer(body.replaceAll(/"(https?:)?\/\/[^"]/g, (start) => {
      replaced++
      return `"javascript:alert(1)${start.slice(1)}`
    }), { status, type })
  })
  for (const [name, { example, tag }] of Object.entries(endpoints)) {
    if (tag === 'login') continue
    const record = await (relay[name as 'getHotkey'] as (input: object, options: object) => Promise<unknown>)(example, { cookie }).catch((error: unknown) => error)
    t.same(textsIn(record).filter((text) => text.startsWith('javascript:')), [], name)
  }
  t.ok(replaced > 200, `${replaced} addresses`)
})
