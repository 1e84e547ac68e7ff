/** Questions that are asked at the same time share a POST of the batch gateway: who with whom, what it costs, and what a failure hits. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { createAbort } from '../../src/common/abort.ts'
import { failure, type Kind } from '../../src/common/kinds.ts'
import { createBatching } from '../../src/upstream/batching.ts'
import { createRelay, type Relay } from '../../src/library/relay.ts'
import type { Fault } from '../../src/demo/upstream.ts'
import { testClock } from '../support/clock.ts'
import { cookieOf, dead, demoFor, relayFor, serverOnWire, song, until } from '../support/helper.ts'
import { all, withServer } from '../faults/matrix.ts'
import {
  badPayload, broken, honest, large, noHttp, passing, redirects, shapeless, slow, statuses
} from '../faults/rows.ts'
import { well } from '../faults/server.ts'
import { unhurried } from '../support/unhurried.ts'
import { sampleOf } from '../support/whole.ts'
import { testOnWire as test } from '../support/stage.ts'
import { settled } from '../support/settled.ts'

const detail = 'music.pf_song_detail_svr/get_song_detail_yqq'
const midOf = (record: any): unknown => (record.response ?? record).songinfo.data.track_info.mid
const numbers = (most: number): number[] => Array.from({ length: most }, (_, at) => at + 1)
/** Asks for songs at the same time. Returns the MID of each answer, or the error. */
const askFor = async (relay: Pick<Relay, 'getSongInfo'>, which: readonly number[]): Promise<unknown[]> =>
  await Promise.all(which.map(async (number) => await relay.getSongInfo({ songmid: song(number) })
    .then(midOf, (error: unknown) => error)))

/** Sends all requests at the same time, each over a connection of its own that the relay has accepted already: it accepts one in each turn. Returns the bodies. */
async function askAtOnce (address: string, paths: readonly string[]): Promise<string[]> {
  const { port, hostname } = new URL(address)
  const request = (path: string | undefined, connection: string): string => `GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: ${connection}\r\n\r\n`
  const sockets = await Promise.all(paths.map(async () => {
    const socket = connect(Number(port), hostname)
    socket.write(request('/health/live', 'keep-alive'))
    await once(socket, 'data')
    return socket
  }))
  sockets.forEach((socket, at) => { socket.write(request(paths[at], 'close')) })
  return await Promise.all(sockets.map(async (socket) => {
    const answer = await text(socket)
    return answer.slice(answer.indexOf('\r\n\r\n') + 4)
  }))
}

t.test('a hundred clients who ask for a hundred songs cost ten requests at most, and each gets its own', async (t) => {
  const demo = await demoFor(t, { latencyMs: 200 })
  const { address } = await serverOnWire(t, demo)
  const bodies = await askAtOnce(address, numbers(100).map((number) => `/getSongInfo?songmid=${song(number)}`))
  t.same(bodies.map((body) => midOf(JSON.parse(body))), numbers(100).map(song))
  t.ok(demo.received.length <= 10, `${demo.received.length} requests`)
  t.ok(demo.received.every(({ calls }) => calls.length <= 20))
})

test('a lone question goes alone, and what follows it does, too', async ({ t, demo }) => {
  const relay = relayFor(t, demo)
  for (const number of numbers(3)) t.equal(midOf(await relay.getSongInfo({ songmid: song(number) })), song(number))
  t.same(demo.received.map(({ calls }) => calls.length), [1, 1, 1])
})

t.test('another login, another program or another module is another POST', async (t) => {
  const demo = await demoFor(t, { latencyMs: 20 })
  const relay = relayFor(t, demo)
  const cookies = ['member', 'partner', undefined]
    .map((name) => name === undefined ? {} : { cookie: cookieOf(demo, name as 'member') })
  await Promise.all(numbers(4).flatMap((number) => cookies.map(async (options) => {
    await relay.getSongInfo({ songmid: song(number) }, options)
  })))
  await Promise.all([
    ...numbers(4).map(async (number) => { await relay.getSongInfo({ songmid: song(number) }) }),
    relay.getSongListCategories(), relay.getSongListCategories()
  ])
  for (const { body, headers, calls } of demo.calls(detail)) {
    const { comm } = body as { comm: { uin?: unknown } }
    const cookie = headers['cookie'] ?? ''
    t.equal(
      cookie === '', comm.uin === undefined || comm.uin === 0 || comm.uin === '0',
      'the login of the POST is that of its block'
    )
    if (cookie !== '') t.ok(cookie.includes(String(comm.uin)))
    t.equal(new Set(calls).size, 1, 'one module')
  }
  t.equal(demo.calls(detail).length, 3 * 2 + 2, 'one alone, and the other three together, for each login')
})

t.test('searches keep their pace', async (t) => {
  const demo = await demoFor(t, { latencyMs: 20 })
  const relay = relayFor(t, demo)
  await Promise.all(['a', 'b', 'c'].map(async (key) => { await relay.getSearchByKey({ key }) }))
  t.ok(
    demo.received.every(({ calls }) => calls.filter((call) => call.includes('SearchCgiService')).length <= 2),
    'the two of one search'
  )
})

t.test('large answers travel alone once their size is known', async (t) => {
  const demo = await demoFor(t, { latencyMs: 20 })
  const relay = relayFor(t, demo)
  await relay.getRanks({ topId: 62, limit: 100 })
  demo.reset()
  await Promise.all([26, 27, 62, 4].map(async (topId) => { await relay.getRanks({ topId, limit: 100 }) }))
  t.same(demo.received.map(({ calls }) => calls.length), [1, 1, 1, 1])
})

t.test('who leaves takes nobody along, and when all have left the request ends', async (t) => {
  const demo = await demoFor(t, { latencyMs: 300 })
  const relay = relayFor(t, demo)
  const leaving = numbers(4).map(() => new AbortController())
  const asked = leaving.map(async ({ signal }, at) => await relay.getSongInfo({ songmid: song(at + 1) }, { signal })
    .then(midOf, (error: { outcome?: string }) => error.outcome))
  await until(() => demo.inFlight(detail) === 2)
  leaving[1]?.abort()
  t.strictSame([await asked[1], demo.inFlight(detail)], ['client_gone', 2], 'at once')
  t.same(await Promise.all([0, 2, 3].map(async (at) => await asked[at])), [song(1), song(3), song(4)])
  const gone = new AbortController()
  const given = numbers(4).map(async (number) => await relay.getSongInfo(
    { songmid: song(number + 10) }, { signal: gone.signal }
  ).then(midOf, (error: { outcome?: string }) => error.outcome))
  await until(() => demo.inFlight(detail) === 2)
  gone.abort()
  t.same(await Promise.all(given), numbers(4).map(() => 'client_gone'))
  await until(() => demo.inFlight(detail) === 0)
})

t.test('a failure of one question in a shared POST is its own', async (t) => {
  const faults: Readonly<Record<string, Fault>> = {
    ...Object.fromEntries(dead.map((fault, at) => [`dead ${at}`, fault])), refused: { code: 10000 },
    empty: { code: 0, data: {} }, odd: { mutate: () => 'text' }, reset: { reset: true }
  }
  for (const [name, fault] of Object.entries(faults)) {
    const demo = await demoFor(t)
    const relay = relayFor(t, demo)
    demo.next(`${detail}?song_mid=${song(3)}`, fault, 9)
    t.same(await askFor(relay, numbers(6)), numbers(6).map(song), `${name}: the ill one is answered by its alternative`)
  }
})

test('a question that is never answered holds the others for half of the time', async ({ t, demo }) => {
  const clock = testClock()
  const relay = relayFor(
    t, demo, { deadlineMs: 1000, ...clock.options, tuning: { headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000 } }
  )
  demo.next(`${detail}?song_mid=${song(3)}`, { hang: true }, 9)
  const asked = askFor(relay, numbers(6))
  let ended = false
  void asked.then(() => { ended = true })
  await until(async () => {
    await settled()
    await clock.advance(10)
    return ended
  })
  const [first, , third, ...rest] = await asked
  t.same([first, ...rest], [1, 4, 5, 6].map(song))
  t.match(third, { code: 'UPSTREAM_TIMEOUT' })
  demo.reset()
  t.same(await askFor(relay, numbers(4)), numbers(4).map(song))
  t.same(demo.received.map(({ calls }) => calls.length), [1, 1, 1, 1], 'for a while they travel alone')
})

t.test('a slow upstream is asked as if nobody shared', async (t) => {
  const demo = await demoFor(t, { latencyMs: 600 })
  const relay = relayFor(t, demo, { deadlineMs: 2000 })
  t.same(await askFor(relay, numbers(1)), numbers(1).map(song))
  demo.reset()
  t.same(await askFor(relay, numbers(8)), numbers(8).map(song))
  t.same(demo.received.map(({ calls }) => calls.length), Array.from({ length: 8 }, () => 1))
})

test('a host that asks to wait is not asked again one by one', async ({ t, demo }) => {
  const relay = relayFor(t, demo)
  demo.next(`${detail}?song_mid=${song(3)}`, { status: 429 }, 9)
  const [first, ...rest] = await askFor(relay, numbers(6))
  t.equal(first, song(1))
  for (const error of rest) t.match(error, { code: 'UPSTREAM_PAUSED' })
  t.equal(demo.received.length, 2)
})

t.test('what fails for everybody is not asked again one by one, and what may be the failure of one is', async (t) => {
  const ofOne: readonly Kind[] = ['reset', 'truncated', 'late', 'failing', 'refused.http', 'unreadable', 'refused', 'retired']
  const ofAll: readonly Kind[] = [
    'connect', 'dns', 'certificate.expired', 'proxy.login', 'throttled', 'pause', 'pause.circuit', 'full', 'full.bytes',
    'left', 'stopping', 'refused.risk'
  ]
  for (const kind of [...ofOne, ...ofAll]) {
    const limits = { batchMost: 2, batchWaitMs: 60_000, batchBytes: 1_000_000, batchPauseMs: 0, deadlineMs: 1000 }
    const batching = createBatching(limits, async () => { throw failure(kind, { call: 'some' }) }, () => true)
    const end = batching.begin('group')
    const shares = await Promise.all(['first', 'second'].map(async (name) => {
      const call = { name, request: { module: 'some', method: name, param: {} }, read: () => name }
      return await batching.join('group', {
        call, client: undefined, credential: undefined, signal: createAbort().signal, leftMs: 1000
      })
    }))
    end()
    t.match(shares, [{ error: { kind } }, { error: { kind } }])
    t.same(shares.map((share) => share?.mayGoAlone(share.error)), Array(2).fill(ofOne.includes(kind)), kind)
  }
})

t.test('every fault of the matrix, in one question of a shared POST, leaves the others their answers', async (t) => {
  const rows = [
    ...slow, ...honest, ...passing, ...broken, ...noHttp, ...badPayload, ...large, ...statuses,
    ...redirects('http://127.0.0.1:9')
  ].filter(({ blame, retryAfter }) => blame !== 'time' || retryAfter === undefined)
  // The last one would say of all songs that there is none.
  const cases = sampleOf(
    [...rows, ...shapeless.slice(0, -1).map(([name, fault]) => ({ name, fault, times: undefined, settings: {} }))], 3
  )
  await all(cases, async ({ name, fault, times = Infinity, settings = {} }) => {
    await withServer(async (server) => {
      let left = times
      server.fail(async (exchange) => {
        let asked = ''
        await exchange.healthy((text) => asked = text)
        const isIll = exchange.calls.includes(detail) && asked.includes(song(3)) && left-- > 0
        await (isIll ? fault : well)(exchange)
      })
      const relay = createRelay({ upstreamOrigin: server.origin, ...unhurried, ...settings, deadlineMs: 20_000 })
      const found = await askFor(relay, numbers(6))
      t.same(found.filter((_one, at) => at !== 2), [1, 2, 4, 5, 6].map(song), name)
      await relay.close()
    })
  })
})

t.test('who is asked again after a shared POST failed has company, too', async (t) => {
  const posts: { names: readonly string[], end: () => void }[] = []
  const batching = createBatching({
    batchMost: 2, batchWaitMs: 60_000, batchBytes: 1_000_000, batchPauseMs: 0, deadlineMs: 1000
  }, async (questions) =>
    await new Promise((_resolve, reject) => {
      posts.push({
        names: questions.map(({ call }) => call.name), end: () => { reject(failure('unreadable', { call: 'some' })) }
      })
    }), () => true)
  const alone: { name: string, end: () => void }[] = []
  const send = async (name: string): Promise<string> => {
    const call = { name, request: { module: 'some', method: name, param: {} }, read: () => name }
    const joined = batching.join(
      'group', { call, client: undefined, credential: undefined, signal: createAbort().signal, leftMs: 1000 }
    )
    const share = joined && await joined
    if (share?.mayGoAlone(share.error) === false) throw share.error
    const end = batching.begin('group')
    await new Promise<void>((resolve) => { alone.push({ name, end: resolve }) })
    end()
    return name
  }
  const turn = async (): Promise<void> => { await settled(1) }
  const asked = ['first', 'second', 'third'].map(send)
  await turn()
  alone[0]?.end()
  await turn()
  posts[0]?.end()
  await turn()
  t.same([posts.map(({ names }) => names), alone.map(({ name }) => name)], [
    [['second', 'third']], ['first', 'second', 'third']
  ])
  asked.push(send('fourth'), send('fifth'))
  await turn()
  t.same(posts.map(({ names }) => names), [['second', 'third'], ['fourth', 'fifth']], 'they share a POST while the others are under way alone')
  posts[1]?.end()
  await turn()
  for (const { end } of alone) end()
  t.same(await Promise.all(asked), ['first', 'second', 'third', 'fourth', 'fifth'])
})
