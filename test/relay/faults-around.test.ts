/** Failures other than an answer: no connection, one song of a batch, bodies without an end, and addresses that are no links. */
import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { allRows, common, demo, groundFor, isHeavy, isSlow } from '../faults/matrix.ts'
import { startFaultServer, type FaultServer } from '../faults/server.ts'
import { endpoints, until, relayFor } from '../support/helper.ts'
import { listening } from '../support/listening.ts'
import { sampleOf } from '../support/whole.ts'

async function faultServerFor (t: Test): Promise<FaultServer> {
  const server = await startFaultServer(demo)
  t.teardown(async () => { await server.close() })
  return server
}

/** A process that listens without accepting. Its queue holds two, so the next connection hangs. */
async function fullQueue (t: Test): Promise<number> {
  const child = spawn(process.execPath, ['-e', `
    const server = require('node:net').createServer()
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => { child.kill('SIGKILL') })
  const port = Number(await new Promise<Buffer>((resolve) => { child.stdout.once('data', resolve) }))
  let waiting = 0
  for (let count = 0; count < 8; count++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {}).once('connect', () => { waiting++ })
    t.teardown(() => { socket.destroy() })
  }
  await until(() => waiting >= 2)
  return port
}

t.test('where nobody can be connected to, it is the upstream that cannot be reached', async (t) => {
  const tls = (origin: string): string => origin.replace('http:', 'https:')
  const places = [
    ['a closed port', 'http://127.0.0.1:1023', /^connect_refused$/],
    ['a name that does not exist', 'https://a..b', /^dns$/],
    ['a name that cannot exist', `https://${'x'.repeat(64)}.example`, /^dns$/],
    [
      'plain text instead of TLS',
      tls(await listening(t, createServer((socket) => { socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') }))), /^tls$/
    ],
    ['silence instead of TLS', tls(await listening(t, createServer())), /^connect_timeout$/],
    ['a queue that is full', `http://127.0.0.1:${await fullQueue(t)}`, /^connect_timeout$/]
  ] as const
  await Promise.all(places.map(async ([name, upstreamOrigin, expected]) => {
    const { askOnce, close } = await groundFor({ upstreamOrigin, tuning: { connectTimeoutMs: 300 } })
    t.teardown(close)
    const seen = await askOnce({ path: '/getRanks?topId=62' })
    t.match([seen.status, JSON.parse(seen.text).code], [502, 'UPSTREAM_UNREACHABLE'], name)
    t.same(common({ ...seen, next: 200 }), [], name)
    const outcomes = seen.line.upstream?.map(({ outcome }) => outcome) ?? []
    t.ok(outcomes.length === 1 || outcomes.length === 2, `${name}: ${outcomes.length} attempts`)
    t.match([...new Set(outcomes)], [expected], name)
  }))
})

t.test('several modules in one POST cost two requests, whatever fails, and each its own only after HTTP 5xx, which one of them may cause', async (t) => {
  const { server, clock, askOnce, close } = await groundFor()
  t.teardown(close)
  for (const row of sampleOf(allRows('http://127.0.0.1:9').filter((row) => !isSlow(row) && !isHeavy(row)), 3)) {
    clock.now += 3_600_000
    server.heal()
    server.fail(row.fault, row.times === undefined ? {} : { times: row.times })
    const { asked, status } = await askOnce({ path: '/getRecommend' })
    t.ok(asked <= (row.blame === 'failing' ? 8 : 2), `${row.name}: ${asked} requests`)
    t.equal(status, row.status === 504 && row.blame === 'failing' ? 504 : row.status, row.name)
  }
  for (const row of allRows('http://127.0.0.1:9').filter(({ name }) => /^cut |within a chunk/.test(name))) {
    clock.now += 3_600_000
    server.heal()
    server.fail(row.fault, { times: 1 })
    t.match(await askOnce({ path: '/getRecommend' }), { asked: 2, status: 200 }, `${row.name}, once`)
  }
})

t.test('one song of a batch that fails is told in its place; a batch of which nothing can be had fails', async (t) => {
  const server = await faultServerFor(t)
  const ask = async (): Promise<any> =>
    await relayFor(t, server).batchGetSongInfo({ songs: [['00DemoSong0001'], ['00DemoSong0002'], ['00DemoSong0003']] })
  const mids = (record: any): string[] =>
    record.map((element: any) => element.songinfo?.data.track_info.mid ?? element.code)

  server.fail(async ({ answer, healthy, keys }) => {
    const body = JSON.parse((await healthy()).body)
    body[keys.length === 1 ? 'req_0' : 'req_1'] = { code: 10000 } // the second song, also when it is asked for alone
    answer(JSON.stringify(body))
  })
  t.same(mids(await ask()), ['00DemoSong0001', 'UPSTREAM_REFUSED', '00DemoSong0003'])
  server.heal()
  server.fail(({ socket }) => { socket.resetAndDestroy() })
  await t.rejects(ask(), { statusCode: 502, code: 'UPSTREAM_UNREACHABLE' })
})

t.test('a refused answer whose body never ends holds no connection', async (t) => {
  const server = await faultServerFor(t)
  const tuning = { fallbackFailures: 1000, upstreamQueueMs: 30_000, headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000 }
  const relay = relayFor(t, server, { deadlineMs: 60_000, tuning })
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
    const asked = Array.from({ length: 100 }, async (_, page) =>
      await relay.getRanks({ topId: 62, page }).catch(({ code }: { code: string }) => code)
    )
    t.same([...new Set(await Promise.all(asked))], ['UPSTREAM_REFUSED'])
    await until(() => dripping === 0)
    server.heal()
    t.equal((await relay.getRanks({ topId: 62 })).topList.id, 62, `after ${status}`)
  }
})

t.test('only addresses of the web come out of records', async (t) => {
  const server = await faultServerFor(t)
  const relay = relayFor(t, server, { tuning: { fallbackFailures: 1000 } })
  const cookie = 'uin=o1000000101; provider_key=Q_H_L_demo'
  const textsIn = (value: unknown): string[] => {
    if (typeof value === 'string') return [value]
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
  }
  const scripts: string[] = []
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
    const ask = relay[name as 'getHotkey'] as (input: object, options: object) => Promise<unknown>
    const record = await ask(example, { cookie }).catch((error: unknown) => error)
    scripts.push(...textsIn(record).filter((text) => text.startsWith('javascript:')).map((text) => `${name}: ${text}`))
  }
  t.same(scripts, [])
  t.ok(replaced > 200, `${replaced} addresses`)
})
