/** Stale entries: which upstream failures they cover, and which they never hide. */
import { createServer, request as httpRequest } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as consume } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import pLimit from 'p-limit'
import t from 'tap'
import type { Test } from 'tap'
import { gbkEncoder } from '../../src/demo/gbk.ts'
import type { Fault, Received } from '../../src/demo/types.ts'
import { demoFor, until } from '../support/helper.ts'
import { ask, chartLinks, chartUrl, detail, hour, minute, ready, songUrl, state } from '../support/cacheHelper.ts'

/** Limits concurrent cases. Each has a relay and an upstream of its own. */
const slots = pLimit(4)

/** A short deadline only for tests of waiting. Otherwise the first answer may be slow on a busy machine. */
const patienceFor = (name: string): { deadlineMs?: number } => ['hang', 'headers, then nothing', 'drip'].includes(name) ? { deadlineMs: 4000 } : {}

/** Failures of the demo that a stale entry covers (reliability: "Stale copy"). */
const covered: Readonly<Record<string, Fault>> = {
  'hang': { hang: true },
  'reset': { reset: true },
  'server error 500': { status: 500 },
  'server error 502': { status: 502 },
  'server error 503': { status: 503 },
  'gateway timeout 504': { status: 504 },
  '400': { status: 400 },
  '403': { status: 403 },
  '404': { status: 404 },
  '405': { status: 405 },
  '501': { status: 501 },
  '204': { status: 204 },
  'throttled 429': { status: 429, headers: { 'retry-after': '7' } },
  'throttled 503': { status: 503, headers: { 'retry-after': '7' } },
  'redirect': { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
  'cut JSON': { body: '{"code":0,"req_0":{"code":0,"da' },
  'HTML': { body: '<html><body>busy</body></html>' },
  'empty body': { body: '' },
  'null': { body: 'null' },
  'number': { body: '7' },
  'list': { body: '[]' },
  'JSON 200,000 deep': { body: `{"code":0,"req_0":{"code":0,"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}}` },
  'no fields': { body: '{}' },
  'wrong types': { body: '{"code":0,"req_0":{"code":0,"data":{"data":7}},"songlist":7,"topinfo":7}' },
  'more than is taken': { body: JSON.stringify({ code: 0, padding: 'x'.repeat(300_000) }) },
  'gzip bomb': { body: gzipSync(Buffer.alloc(8_000_000)), headers: { 'content-encoding': 'gzip' } },
  'broken gzip': { body: 'no gzip', headers: { 'content-encoding': 'gzip' } },
  'unknown encoding': { body: '{}', headers: { 'content-encoding': 'zebra' } },
  'too many encodings': { body: '{}', headers: { 'content-encoding': 'gzip, gzip, gzip, gzip, gzip, gzip' } },
  'invalid UTF-8': { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) }
}

/** Upstream answers about the request itself are passed on. */
const passedOn: Readonly<Record<string, readonly [Fault, number]>> = {
  'a refusal by its code': [{ code: 10000 }, 502],
  'not logged in, by code': [{ code: 1000 }, 502],
  'not logged in, by status': [{ status: 401 }, 502]
}

t.test('past that, an old copy stands in for an upstream that fails, in every way it can fail', async (t) => {
  await Promise.all(Object.entries(covered).map(([name, fault]) => slots(async () => {
    const { demo, clock, server } = await ready(t, { maxAnswerBytes: 200_000, ...patienceFor(name) })
    const { text } = await server.get(chartUrl)
    clock.now += hour
    for (const link of chartLinks) demo.next(link, fault, 9)
    const { length } = demo.received
    const reply = await server.get(chartUrl)
    t.equal(state(reply), '200 STALE 3600', name)
    t.equal(reply.text, text, name)
    t.equal(reply.headers.get('retry-after'), null, name)
    t.ok(demo.received.length > length, `${name}: the upstream was asked`)
  })))
})

t.test('what the upstream says about the question itself is passed on, whatever is kept', async (t) => {
  for (const [name, [fault, status]] of Object.entries(passedOn)) {
    const { demo, clock, server } = await ready(t)
    await server.get(chartUrl)
    clock.now += hour
    for (const link of chartLinks) demo.next(link, fault, 9)
    t.equal((await server.get(chartUrl)).status, status, name)
  }
  const { demo, clock, server } = await ready(t)
  await server.get(songUrl)
  clock.now += 13 * hour
  demo.next(detail, { mutate: (answer) => { answer.data = { info: {} } } })
  t.equal((await server.get(songUrl)).body.code, 'NOT_FOUND', 'it no longer exists')
  const film = '/getMvPlay?vid=demoV000004'
  t.equal((await server.get(film)).status, 200)
  clock.now += 3 * minute
  for (const link of ['music.stream.MvUrlProxy/GetMvUrls', 'gosrf.Stream.MvUrlProxy/GetMvUrls']) demo.next(link, { mutate: (answer) => { answer.data = {} } })
  t.match(await server.get(film), { status: 502, body: { code: 'UPSTREAM_EMPTY' } }, 'a film without addresses')
})

/** A proxy in front of the demo. If `broken` is set, it answers instead. */
async function frontFor (t: Test, demo: { origin: string }) {
  const front = { origin: '', broken: undefined as ((response: ServerResponse) => void) | undefined, close () { server.closeAllConnections(); server.close() } }
  const server = createServer((request, response) => {
    if (front.broken !== undefined) return front.broken(response)
    request.pipe(httpRequest(`${demo.origin}${request.url}`, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    }))
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(front.close)
  front.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return front
}

t.test('an answer in the Chinese charset is read, and takes the place of the old copy', async (t) => {
  const { demo, clock, server } = await ready(t)
  const { text } = await server.get(chartUrl)
  clock.now += hour
  const { headers, body } = demo.received[0] as Received
  const plain = await new Promise<string>((resolve, reject) => {
    const asked = httpRequest(`${demo.origin}/cgi-bin/musicu.fcg`, { method: 'POST', headers: { 'host': headers['host'], 'content-type': 'application/json' } }, (answer) => { consume(answer).then(resolve, reject) })
    asked.end(JSON.stringify(body))
  })
  demo.next(chartLinks[0] as string, { body: gbkEncoder()(plain), headers: { 'content-type': 'text/html; charset=gbk' } })
  const reply = await server.get(chartUrl)
  t.equal(state(reply), '200 MISS -')
  t.equal(reply.text, text)
})

t.test('it also stands in for an upstream that breaks off, drips, talks no HTTP or is not there', async (t) => {
  const broken: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'headers, then nothing': (response) => { response.writeHead(200, { 'content-length': '999' }).flushHeaders() },
    'headers, then a reset': (response) => { response.writeHead(200, { 'content-length': '999' }).write('{"code":0', () => { response.socket?.resetAndDestroy() }) },
    'cut off': (response) => { response.writeHead(200, { 'content-length': '999' }).write('{"code":0', () => { response.socket?.end() }) },
    'cut chunk': (response) => { response.writeHead(200).write('{"code":0', () => { response.socket?.destroy() }) },
    'drip': (response) => {
      response.writeHead(200, { 'content-length': '99999' })
      const dripping = setInterval(() => { response.write(' ') }, 10)
      response.on('close', () => { clearInterval(dripping) })
    },
    'no HTTP': (response) => { response.socket?.end('SSH-2.0-OpenSSH\r\n') },
    'two lengths': (response) => { response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}') },
    'huge headers': (response) => { response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(180_000)}\r\n\r\n{}`) }
  }
  await Promise.all(Object.entries({ ...broken, 'refused': undefined }).map(([name, breaks]) => slots(async () => {
    const front = await frontFor(t, await demoFor(t))
    const { clock, server } = await ready(t, { upstreamOrigin: front.origin, ...patienceFor(name) })
    const { text } = await server.get(chartUrl)
    clock.now += hour
    front.broken = breaks
    if (breaks === undefined) front.close()
    const reply = await server.get(chartUrl)
    t.equal(state(reply), '200 STALE 3600', name)
    t.equal(reply.text, text, name)
    clock.now += 24 * hour
    t.ok((await server.get(chartUrl)).status >= 502, `${name}: a copy that is too old does not`)
  })))
})

t.test('who is too slow is not waited for: the old copy goes out, and the new one is kept when it comes', async (t) => {
  const { demo, clock, server } = await ready(t, { tuning: { softDeadlineMs: 30, headersTimeoutMs: 60_000 } })
  await server.get(songUrl)
  clock.now += 13 * hour
  let release = (): void => {}
  const released = new Promise<void>((resolve) => { release = resolve })
  demo.next(detail, { mutate: async (answer) => {
    await released
    return answer
  } })
  t.equal(await ask(server, songUrl), '200 STALE 46800')
  t.equal(demo.inFlight(detail), 1, 'the question is still under way')
  t.equal(await ask(server, songUrl), '200 STALE 46800')
  release()
  await until(async () => await ask(server, songUrl) === '200 HIT 0')
  t.equal(demo.received.length, 2)

  const patient = await ready(t)
  await patient.server.get(songUrl)
  patient.clock.now += 13 * hour
  patient.demo.next(detail, { delayMs: 50 })
  t.equal(await ask(patient.server, songUrl), '200 MISS -', 'within that time the new one wins')
})

t.test('a copy outlives a failure in the background, and a bad moment does not make it older', async (t) => {
  const { demo, clock, server } = await ready(t)
  await server.get(songUrl)
  clock.now += 7 * hour
  for (const link of [detail, 'music.trackInfo.UniformRuleCtrl/CgiGetTrackInfo', '/v8/fcg-bin/fcg_play_single_song.fcg']) demo.next(link, { status: 500 }, 2)
  t.equal(await ask(server, songUrl), '200 STALE 25200')
  await until(() => demo.received.length >= 3 && demo.inFlight(detail) === 0)
  demo.reset()
  await until(async () => await ask(server, songUrl) === '200 HIT 0')
})
