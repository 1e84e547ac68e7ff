/** The audio of a song under an address that stays: redirect, bytes through the relay, limits, library and client. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import type { FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { NotPlayable } from '../../src/common/errors.ts'
import { buildApp } from '../../src/app.ts'
import { createClient } from '../../src/library/httpClient.ts'
import { createAudioFiles } from '../../src/upstream/http/audio.ts'
import { listedAudio } from '../../src/upstream/http/origins.ts'
import { playerAddress } from '../../src/upstream/wire/audioRoots.ts'
import { cookieOf, demoFor, relayFor, serverOnWire, song, until } from '../support/helper.ts'
import { brisk, unhurried } from '../support/unhurried.ts'
import { servedOnWire as served, testOnWire as test } from '../support/stage.ts'
import { listening } from '../support/listening.ts'

const vkey = 'vkey.GetVkeyServer/CgiGetVkey'
const free = song(1)
const relayed = { stream: 'relay' as const }

/** A host of files that stands in for the provider's, and answers as `answer` says. */
async function filesFor (
  t: Test, answer: (request: IncomingMessage, response: ServerResponse) => void
): Promise<{ origin: string, asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    answer(request, response)
  })
  return { origin: await listening(t, server), asked }
}

const audioOptions = { connectTimeoutMs: 1000, headersTimeoutMs: 5000, bodyTimeoutMs: 5000, streams: 10 }

served('by default a player is sent to the file, which plays and is as long as the song', async ({ t, demo, server }) => {
  const { status, headers, text } = await server.get(`/stream/${free}`)
  t.match({ status, text }, { status: 302, text: '' })
  t.equal(headers.get('cache-control'), 'no-store')
  const address = headers.get('location') ?? ''
  t.ok(address.startsWith(`${demo.origin}/audio/M500${free}.mp3?`))
  const file = await fetch(address)
  const bytes = Buffer.from(await file.arrayBuffer())
  const { body } = await server.get(`/getSongInfo?songmid=${free}`)
  t.strictSame([bytes.length, bytes.readUInt16BE(0)], [
    Math.ceil(body.response.songinfo.data.track_info.interval * 1000 / 24) * 384, 0xfffb
  ])
  const [from, to] = [1_000_001, 1_300_000]
  const part = await fetch(address, { headers: { range: `bytes=${from}-${to - 1}` } })
  t.same([part.status, part.headers.get('content-range')], [206, `bytes ${from}-${to - 1}/${bytes.length}`])
  t.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(from, to)), 'a part is the same bytes')
  for (const ending of ['.mp3', '.m4a', '.flac', '.ogg']) {
    const plain = await server.get(`/stream/${free}${ending}`, { method: 'HEAD' })
    t.match([
      plain.status, plain.headers.get('content-type'), plain.headers.get('location')
    ], [302, 'audio/mpeg', /\/M500/], `${ending} chooses nothing`)
  }
  for (const odd of ['.wav', '.mp3.mp3', '.', 'mp3.']) {
    t.match(await server.get(`/stream/${free}${odd}`), { status: 400, body: { code: 'INVALID_INPUT' } }, odd)
  }
  const head = await server.get(`/stream/${free}?quality=m4a`, { method: 'HEAD' })
  t.equal(head.headers.get('content-type'), 'audio/mp4')
  t.match([head.status, head.headers.get('location')], [302, /C400/])
  t.match((await server.get(`/stream?songmid=${free}`)).status, 302)
})

test('programs that accept JSON only get the address as JSON', async ({ t, demo }) => {
  for (const settings of [{}, relayed]) {
    const server = await serverOnWire(t, demo, settings)
    const { body, headers } = await server.get(`/stream/${free}?quality=aac48`, { headers: { accept: 'application/json' } })
    t.match(body, { url: /C200/, type: 'audio/mp4', size: Number, quality: 'aac48' })
    t.match(headers.get('vary'), /accept/)
    for (const accept of ['application/json, */*;q=0.1', 'application/json, audio/mpeg', 'audio/*']) t.equal(
      (await server.get(`/stream/${free}`, { method: 'HEAD', headers: { accept } })).status,
      settings === relayed ? 200 : 302, accept
    )
    t.match(await server.get(`/cover/00DemoAlbu0001`, { headers: { accept: 'application/json' } }), { body: { url: /T002R300x300M00000DemoAlbu0001\.jpg$/ } })
  }
})

test('a song that cannot be played is 404 with reason and hint, whatever way audio takes', async ({ t, demo }) => {
  for (const settings of [{}, relayed]) {
    const server = await serverOnWire(t, demo, settings)
    const refused = async (path: string, headers = {}): Promise<unknown> => {
      const { status, body } = await server.get(path, { headers })
      return [status, body.code, body.reason, body.hint.length > 10, body.error.includes(body.hint.slice(0, 10))]
    }
    t.same(await refused(`/stream/${song(2)}`), [404, 'NOT_PLAYABLE', 'NO_COOKIE', true, true])
    t.same(await refused(`/stream/${song(3)}`, { 'x-custom-cookie': cookieOf(demo, 'ordinary') }), [404, 'NOT_PLAYABLE', 'PAID', true, true])
    t.same(await refused(`/stream/${song(7)}`, { 'x-custom-cookie': cookieOf(demo, 'member') }), [404, 'NOT_PLAYABLE', 'REGION', true, true])
    t.same(await refused('/stream/00DemoSong9999'), [404, 'NOT_PLAYABLE', 'NOT_FOUND', true, true])
    t.same(await refused(`/stream/${song(8)}`), [404, 'NOT_PLAYABLE', 'NO_SUCH_QUALITY', true, true])
    t.match(await server.get('/stream/a%2Fb'), { status: 400, body: { code: 'INVALID_INPUT' } })
    t.match(await server.get(`/stream/${free}?quality=loud`), { status: 400 })
    t.match(await server.get('/stream'), { status: 400 })
    t.match(await server.get(`/stream/${song(2)}`, { headers: { 'x-custom-cookie': cookieOf(demo, 'member') } }), {
      status: settings === relayed ? 200 : 302
    })
  }
})

served('through the relay: whole files, ranges, If-Range, HEAD and 416', { ...relayed, metrics: true }, async ({ t, server }) => {
  const address = `${server.address}/stream/${free}`
  const whole = await fetch(address)
  const bytes = Buffer.from(await whole.arrayBuffer())
  t.match(Object.fromEntries(whole.headers), {
    'content-type': 'audio/mpeg', 'accept-ranges': 'bytes', 'content-length': String(bytes.length),
    'cache-control': 'no-store', 'x-relay-source': /play\.audio/, 'x-content-type-options': 'nosniff'
  })
  const etag = whole.headers.get('etag') ?? ''
  const part = async (headers: Record<string, string>): Promise<[number, string | null, Buffer]> => {
    const answer = await fetch(address, { headers })
    return [answer.status, answer.headers.get('content-range'), Buffer.from(await answer.arrayBuffer())]
  }
  for (const [range, from, to] of [
    ['bytes=10-19', 10, 20], [`bytes=${bytes.length - 5}-`, bytes.length - 5, bytes.length],
    ['bytes=-7', bytes.length - 7, bytes.length], ['bytes=0-', 0, bytes.length]
  ] as const) {
    t.same(await part({ range }), [206, `bytes ${from}-${to - 1}/${bytes.length}`, bytes.subarray(from, to)], range)
  }
  t.same((await part({ range: 'bytes=0-3', 'if-range': etag })).slice(0, 2), [206, `bytes 0-3/${bytes.length}`])
  t.same((await part({ range: 'bytes=0-3', 'if-range': '"of another file"' }))[2].length, bytes.length)
  t.same((await part({ range: 'bytes=0-3,6-9' }))[0], 200, 'several parts at once are no promise of HTTP')
  t.same((await part({ range: 'lines=1-2' }))[0], 200)
  const head = await fetch(address, { method: 'HEAD' })
  t.match([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')], [
    200, String(bytes.length), 'bytes'
  ])
  const beyond = await server.get(`/stream/${free}`, { headers: { range: `bytes=${bytes.length}-` } })
  t.match(beyond, { status: 416, body: { code: 'RANGE_NOT_SATISFIABLE' } })
  t.equal(beyond.headers.get('content-range'), `bytes */${bytes.length}`)
  t.match(JSON.parse(server.log.find((text) => text.includes('"status":416')) ?? '{}'), {
    upstream: [{}, {}, { calls: ['play.audio'], outcome: 'refused' }]
  })
  const line = JSON.parse(server.log.find((text) => text.includes('play.audio')) ?? '{}') as Record<string, unknown>
  t.match(
    line, { route: '/stream/:songmid', status: 200, upstream: [{}, {}, { calls: ['play.audio'], outcome: 'ok' }] }
  )
  t.ok(
    ((line['upstream'] as { ms: number }[])[2]?.ms ?? Infinity) <= Math.ceil(line['ms'] as number),
    'no longer than the whole'
  )
  t.notOk(server.log.some((text) => /vkey=|guid=/.test(text)), 'no log has an address')
  t.same((await server.get('/metrics')).text.match(/_calls_total\{call="play.audio".*/g), ['_calls_total{call="play.audio",outcome="ok"} 10', '_calls_total{call="play.audio",outcome="refused"} 1'])
})

served('a stream that its player leaves is logged as well', relayed, async ({ t, demo, server }) => {
  const gone = new AbortController()
  // A smaller file may be sent as a whole before the player leaves.
  const { body } = await fetch(`${server.address}/stream/${free}?quality=flac`, {
    signal: gone.signal,
    headers: { 'x-custom-cookie': cookieOf(demo, 'member') }
  })
  await body?.getReader().read()
  gone.abort()
  await until(() => server.log.some((line) => line.includes('"left":true')))
  t.match(JSON.parse(server.log.find((line) => line.includes('"left":true')) ?? '{}'), {
    level: 'info', route: '/stream/:songmid', status: 200, upstream: [{}, {}, { outcome: 'ok' }]
  })
  t.notOk(server.log.some((line) => line.includes('"level":"warn"') || line.includes('"level":"error"')), 'which is no failure')
})

test('pages of other origins may read what audio needs', async ({ t, demo }) => {
  for (const settings of [relayed, { ...relayed, corsOrigins: ['https://blog.example'] }]) {
    const server = await serverOnWire(t, demo, settings)
    const headers = { origin: 'https://blog.example', range: 'bytes=0-9' }
    const answer = await fetch(`${server.address}/stream/${free}`, { headers })
    t.match(answer.headers.get('access-control-allow-origin'), /^(\*|https:\/\/blog\.example)$/)
    for (const name of ['content-range', 'accept-ranges', 'content-length']) t.match(answer.headers.get('access-control-expose-headers'), name)
    await answer.arrayBuffer()
    const preflight = await fetch(`${server.address}/stream/${free}`, { method: 'OPTIONS', headers: { 'origin': 'https://blog.example', 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' } })
    t.match(preflight.headers.get('access-control-allow-headers')?.toLowerCase(), /\brange\b/)
  }
})

test('a page of another site plays with no login but its own', async ({ t, demo }) => {
  const server = await serverOnWire(t, demo, { useGlobalCookie: true, globalCookie: () => cookieOf(demo, 'member') })
  t.match(await server.get(`/stream/${song(2)}`), { status: 302 })
  t.match(await server.get(`/stream/${song(2)}`, { headers: { 'sec-fetch-site': 'cross-site' } }), {
    status: 404, body: { reason: 'NO_COOKIE' }
  })
})

t.test('addresses lead to hosts of the provider only', async (t) => {
  const stays = ['https://isure.stream.qqmusic.qq.com/M5.mp3?vkey=1', 'https://ws.stream.qqmusic.qq.com/a/M5.mp3?v=1', 'https://aqqmusic.tc.qq.com/M5.mp3?v=1', 'http://127.0.0.1:4200/audio/M5.mp3?v=1']
  for (const address of stays) t.equal(playerAddress(address, 'http://127.0.0.1:4200'), address)
  const moves = ['http://ws.stream.qqmusic.qq.com/M5.mp3?v=1', 'https://evil.example/M5.mp3?v=1', 'https://evil.example\\.stream.qqmusic.qq.com/M5.mp3?v=1', 'https://me:it@isure.stream.qqmusic.qq.com/M5.mp3?v=1', 'https://isure.stream.qqmusic.qq.com:8443/M5.mp3?v=1',
    'https://stream.qqmusic.qq.com.evil.example/M5.mp3?v=1', 'https://evilstream.qqmusic.qq.com/M5.mp3?v=1', 'http://127.0.0.1:4201/M5.mp3?v=1', 'javascript:alert(1)/M5.mp3?v=1', '//evil.example/M5.mp3?v=1', 'http://192.0.2.7/x/M5.mp3?v=1']
  for (const address of moves) t.equal(playerAddress(address, 'http://127.0.0.1:4200'), 'https://isure.stream.qqmusic.qq.com/M5.mp3?v=1', address)
  for (const address of [
    '', 'https://evil.example/', 'https://evil.example/a b?c',
    `https://isure.stream.qqmusic.qq.com/${'a'.repeat(5000)}?v=1`,
    `https://isure.stream.qqmusic.qq.com/${'a'.repeat(5000)}/M5.mp3?v=1`
  ]) t.equal(playerAddress(address, undefined), undefined, address.slice(0, 40))
  t.equal(listedAudio('http://127.0.0.1/x', undefined), undefined)

  const demo = await demoFor(t)
  const elsewhere = await filesFor(t, (_request, response) => { response.end('x') })
  const server = await serverOnWire(t, demo)
  const item = { songmid: free, filename: `M500${free}.mp3`, purl: `M500${free}.mp3?vkey=1`, result: 0 }
  demo.next(vkey, { code: 0, data: { retcode: 0, sip: [`${elsewhere.origin}/`], midurlinfo: [item] } })
  const { status, headers } = await server.get(`/stream/${free}`)
  t.same([status, headers.get('location')], [302, `https://isure.stream.qqmusic.qq.com/M500${free}.mp3?vkey=1`])
  const files =
    createAudioFiles({ ...audioOptions, imageOrigin: 'https://pictures.invalid', upstreamOrigin: demo.origin })
  t.teardown(async () => { await files.close() })
  await t.rejects(files.open({ url: `${elsewhere.origin}/x?y`, type: 'audio/mpeg' }), { code: 'UPSTREAM_REFUSED' })
  t.equal(elsewhere.asked.length, 0)
})

t.test('what a host of files answers is passed on only if it is audio', async (t) => {
  let answer: (response: ServerResponse) => void = () => {}
  const host = await filesFor(t, (_request, response) => { answer(response) })
  const files =
    createAudioFiles({ ...audioOptions, imageOrigin: 'https://pictures.invalid', upstreamOrigin: host.origin })
  t.teardown(async () => { await files.close() })
  const open = async (range?: string) =>
    await files.open({ url: `${host.origin}/M5.mp3?v=1`, type: 'audio/mpeg', range, ifRange: '"v"' })
  const next = (status: number, headers: Record<string, string>, body = 'sound'): void => {
    answer = (response) => { response.writeHead(status, headers).end(body) }
  }

  next(200, { 'content-type': 'application/octet-stream', 'content-length': '5', 'set-cookie': 'a=b', 'server': 'x', 'etag': '"v"', 'accept-ranges': 'none' })
  const { status, headers, body } = await open()
  t.same([status, headers], [200, { 'content-length': '5', 'content-type': 'audio/mpeg', 'etag': '"v"' }], 'and nothing else of its headers')
  t.same(Buffer.concat(await body.toArray() as Buffer[]).toString(), 'sound')
  t.notOk(['cookie', 'authorization', 'range', 'if-range', 'referer'].some((name) => host.asked[0]?.headers[name] !== undefined))
  await files.open({ url: `${host.origin}/M5.mp3?v=1`, type: 'audio/mpeg', method: 'HEAD' })
  t.equal(host.asked[1]?.headers['range'], 'bytes=0-1', 'whether a file is there costs two bytes')
  for (const size of ['5', undefined]) {
    const length = { [size === undefined ? 'transfer-encoding' : 'content-length']: size ?? 'chunked' }
    next(200, { 'content-type': 'audio/mpeg', ...length })
    const whole = await files.open({ url: `${host.origin}/M5.mp3?v=1`, type: 'audio/mpeg', method: 'HEAD' })
    t.equal(whole.headers['content-length'], size, 'a host without ranges says the size of the whole file, if any')
  }
  for (const [code, status, headers] of [
    ['UPSTREAM_REFUSED', 302, { location: 'http://127.0.0.1:1/' }], ['UPSTREAM_REFUSED', 401, {}], ['UPSTREAM_REFUSED', 403, {}], ['UPSTREAM_REFUSED', 404, {}], ['UPSTREAM_UNREACHABLE', 500, {}],
    ['UPSTREAM_PAUSED', 429, {}], ['UPSTREAM_UNREADABLE', 206, { 'content-range': 'bytes 0-4/9' }], ['UPSTREAM_UNREADABLE', 200, { 'content-type': 'text/html' }],
    ['UPSTREAM_UNREADABLE', 200, { 'content-type': 'application/json' }], ['UPSTREAM_UNREADABLE', 200, { 'content-encoding': 'gzip', 'content-type': 'audio/mpeg' }]
  ] as const) {
    next(status, headers)
    await t.rejects(open(), { code }, `${status} ${JSON.stringify(headers)}`)
  }
  next(416, { 'content-range': 'bytes */9' }, '')
  await t.rejects(open('bytes=9-'), { code: 'RANGE_NOT_SATISFIABLE', size: 9 })
  next(416, {}, '')
  await t.rejects(open('bytes=9-'), { code: 'RANGE_NOT_SATISFIABLE', size: undefined })
  t.match(host.asked.at(-1)?.headers, { range: 'bytes=9-', 'if-range': '"v"', 'accept-encoding': 'identity' })
  answer = (response) => { response.destroy() }
  await t.rejects(open(), { code: 'UPSTREAM_UNREACHABLE', outcome: 'reset' })
  const gone = new AbortController()
  answer = () => { gone.abort() }
  await t.rejects(files.open({ url: `${host.origin}/M5.mp3?v=1`, type: 'audio/mpeg' }, gone.signal), {
    code: 'UPSTREAM_TIMEOUT', outcome: 'client_gone'
  })
})

/** A host that sends as fast as it is read, for ever, and the relay in front of it. */
async function endless (t: Test, tuning: Record<string, number> = {}, refuse?: (response: ServerResponse) => void) {
  let sent = 0
  let open = 0
  const chunk = Buffer.alloc(65_536, 7)
  const host = await filesFor(t, (_request, response) => {
    if (refuse !== undefined) return refuse(response)
    open++
    response.once('close', () => { open-- })
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    const write = (): void => {
      if (response.destroyed) return
      sent += chunk.length
      if (response.write(chunk)) setImmediate(write)
      else response.once('drain', write)
    }
    write()
  })
  const demo = await demoFor(t)
  const item = { songmid: free, filename: `M500${free}.mp3`, purl: `M500${free}.mp3?vkey=1`, result: 0 }
  demo.next(vkey, { code: 0, data: { retcode: 0, sip: [`${host.origin}/`], midurlinfo: [item] } }, 1000)
  const app = await buildApp({
    docs: false, pages: false, ...unhurried, upstreamOrigin: demo.origin, ...relayed, logLevel: 'silent',
    tuning: brisk(tuning)
  })
  // The host stands in for the provider's; the calls go to the demo.
  const files = createAudioFiles({
    ...audioOptions, imageOrigin: 'https://pictures.invalid', streams: 300, upstreamOrigin: host.origin
  })
  Object.assign(app.runtime.upstream, { audioFiles: files })
  Object.assign(
    app.runtime.resources.state, { playerAddress: (address: string) => playerAddress(address, host.origin) }
  )
  t.teardown(async () => { await app.close(); await files.close() })
  const begun: FastifyRequest[] = []
  const gate = { open: async (): Promise<void> => {} }
  app.addHook('preHandler', async (request) => { begun.push(request); await gate.open() })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}/stream/${free}`
  const player = () => {
    const socket = connect(port, '127.0.0.1', () => { socket.write(`GET /stream/${free} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`) })
    t.teardown(() => { socket.destroy() })
    let got = 0
    socket.on('data', (data) => { got += data.length }).on('error', () => {})
    return { socket, got: () => got }
  }
  return { app, address, player, begun, gate, sent: () => sent, open: () => open, streams: app.runtime.ledger.streams }
}

t.test('a player that stops reading is waited for, holds no more than buffers, and its request ends with it', async (t) => {
  const { player, sent, open, streams } = await endless(t, { clientSendMs: 20, clientCheckMs: 5 })
  const one = player()
  await until(() => one.got() > 1_000_000)
  t.same([open(), streams.all()], [1, 1])
  one.socket.pause()
  let last = -1
  await until(async () => {
    const before = last
    last = sent()
    await new Promise((resolve) => { setTimeout(resolve, 100) })
    return before === last
  })
  t.notOk(one.socket.destroyed, 'longer than any other answer may wait to be read')
  const before = one.got()
  one.socket.resume()
  await until(() => one.got() > before + 20_000_000)
  t.equal(open(), 1, 'it goes on where it was')
  one.socket.destroy()
  await until(() => open() === 0 && streams.all() === 0)
})

t.test('how a host of files fails is counted, and it need not say how long a file is', async (t) => {
  const answers = [416, 404, 500]
  const { app, address } = await endless(t, {}, (response) => { response.writeHead(answers.shift() ?? 200).end() })
  const beyond = await fetch(address, { headers: { range: 'bytes=5-' } })
  t.same([beyond.status, beyond.headers.get('content-range')], [416, null])
  await fetch(address)
  await fetch(address)
  const ended = app.runtime.upstream.counters.rows()
    .filter(({ call }) => call === 'play.audio').map(({ outcome }) => outcome)
  t.same(ended, ['refused', 'http_404', 'http_5xx'])
})

t.test('a player that leaves before its turn holds no stream', async (t) => {
  const { address, player, begun, gate } = await endless(t, { streams: 1 })
  gate.open = async () => {
    gate.open = async () => {}
    one.socket.destroy()
    await until(() => begun[0]?.raw.destroyed === true)
  }
  const one = player()
  await until(() => begun[0]?.raw.destroyed === true)
  const next = await fetch(address)
  t.equal(next.status, 200)
  await next.body?.cancel()
})

t.test('so many streams at once, in total and for a client; the one that is paused for longest gives way', async (t) => {
  const { app, address, player, open, streams } =
    await endless(t, { streams: 2, streamSlowMs: 500, streamFloorBytes: 1, clientCheckMs: 5 })
  const first = player()
  await until(() => first.got() > 100_000)
  first.socket.pause()
  const isSlow = (): boolean => [...app.connections.values()]
    .some(({ unsent, since }) => unsent > 0 && since < performance.now() - 500)
  await until(isSlow)
  const second = player()
  await until(() => second.got() > 100_000)
  t.equal(open(), 2, 'while there is room, a paused one stays')
  first.socket.resume()
  await until(() => !isSlow())
  const refused = await fetch(address)
  t.match(
    [refused.status, refused.headers.get('retry-after'), await refused.json()], [503, '5', { code: 'OVERLOADED' }]
  )
  t.equal((await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/getLyric?songmid=${free}`)).status, 200, 'nothing else is refused')
  first.socket.pause()
  let another = player()
  await until(async () => {
    if (another.got() > 100_000) return true
    if (another.got() > 0 || another.socket.destroyed) {
      another.socket.destroy() // refused; a busy machine would run out of files
      another = player()
    }
    await new Promise((resolve) => { setTimeout(resolve, 20) })
    return false
  })
  t.same([open(), streams.all()], [2, 2])
  for (const { socket } of [first, second, another]) socket.destroy()
  await until(() => streams.all() === 0)
})

t.test('a stream that is read in drips gives way to a new one, and one that is read as fast as it plays does not', async (t) => {
  for (const [streamFloorBytes, streamSlowMs, status] of [
    [1e12, 20, 200], [1e12, 60_000, 503], [0, 20, 503]
  ] as const) {
    const { app, address, player, streams } =
      await endless(t, { streams: 2, streamSlowMs, streamFloorBytes, clientCheckMs: 5 })
    const players = [player(), player()]
    // Something is always read, and more is always waiting.
    for (const { socket } of players) {
      socket.on('data', () => { socket.pause(); setTimeout(() => { socket.resume() }, 2) })
    }
    await until(() => players.every(({ got }) => got() > 1_000_000))
    await until(() => status === 503 || [...app.connections.values()]
      .some(({ slow, unsent }) => unsent > 0 && slow.since < performance.now() - 20))
    const leaving = new AbortController()
    const next = await fetch(address, { signal: leaving.signal })
    t.equal(next.status, status)
    t.equal(streams.all(), 2)
    t.equal(players.filter(({ socket }) => socket.destroyed).length <= (status === 200 ? 1 : 0), true)
    leaving.abort()
    for (const { socket } of players) socket.destroy()
    await until(() => streams.all() === 0)
  }
})

test('the library opens the file, whole or in part', async ({ t, demo }) => {
  const relay = relayFor(t, demo)
  const whole = await relay.stream({ songmid: free })
  t.match(whole, { status: 200, headers: { 'content-type': 'audio/mpeg', 'content-length': /^\d+$/ } })
  let bytes = 0
  for await (const chunk of whole.body) bytes += chunk.length
  t.equal(String(bytes), whole.headers['content-length'])
  const part = await relay.stream({ songmid: free, quality: 'm4a' }, { range: 'bytes=4-7' })
  t.match(part, { status: 206, headers: { 'content-range': /^bytes 4-7\// } })
  t.equal((await new Response(part.body).arrayBuffer()).byteLength, 4)
  await t.rejects(relay.stream({ songmid: song(2) }), { code: 'NOT_PLAYABLE', reason: 'NO_COOKIE', hint: /Log in/ })
  await t.rejects(relay.stream({ songmid: free }, { range: 'bytes=99999999-' }), { code: 'RANGE_NOT_SATISFIABLE' })
  await t.rejects(relay.stream({ songmid: free }, { signal: AbortSignal.abort() }), { code: 'UPSTREAM_TIMEOUT' })
  for (let count = 0; count < 5; count++) await (await relay.stream({ songmid: free })).body.cancel()
  const leaving = new AbortController()
  const left = await relay.stream({ songmid: free }, { signal: leaving.signal })
  leaving.abort()
  await t.rejects(new Response(left.body).arrayBuffer())
  t.match(await relay.cover({ id: '00DemoAlbu0001' }), { url: `${demo.origin}/music/photo_new/T002R300x300M00000DemoAlbu0001.jpg` })
})

test('the client opens it too, whichever way the relay answers, and sends its cookie nowhere else', async ({ t, demo }) => {
  for (const settings of [{}, relayed]) {
    const server = await serverOnWire(t, demo, settings)
    const client = createClient(server.address)
    const cookie = cookieOf(demo, 'member')
    const { status, headers, body } = await client.stream({ songmid: song(2) }, { cookie, range: 'bytes=0-99' })
    t.match(
      [status, headers['content-type'], (await new Response(body).arrayBuffer()).byteLength], [206, 'audio/mpeg', 100]
    )
    const error = await client.stream({ songmid: song(2) }).catch((thrown: unknown) => thrown)
    t.ok(error instanceof NotPlayable)
    t.match(error, { reason: 'NO_COOKIE', hint: /Log in/, statusCode: 404 })
    await t.rejects(
      client.stream({ songmid: song(2) }, { cookie, range: 'bytes=99999999-' }), { code: 'RANGE_NOT_SATISFIABLE' }
    )
    t.match(await client.cover({ id: '00DemoSing0001', type: 'singer' }), { url: /T001R300x300M00000DemoSing0001\.jpg$/ })
    const endless = await client.stream({ songmid: song(2) }, { cookie })
    await endless.body.cancel()
    await client.close()
  }
})

t.test('the client tries the further addresses of a file, and says that its host failed and not the relay', async (t) => {
  const good = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('song')
  })
  const file = { type: 'audio/mpeg', size: 4, quality: '128' }
  const dead = { ...file, url: 'http://127.0.0.1:1/song.mp3' }
  const there = { ...file, url: `${await listening(t, good)}/song.mp3` }
  let others: object[] = [dead, there]
  const relay = createServer(({ headers: { accept } }, response) => {
    if (accept !== 'application/json') return void response.writeHead(302, { location: dead.url }).end()
    response.writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...dead, others }))
  })
  const client = createClient(await listening(t, relay))
  t.equal(await new Response((await client.stream({ songmid: free })).body).text(), 'song')
  others = []
  await t.rejects(client.stream({ songmid: free }), {
    code: 'UPSTREAM_UNREACHABLE', message: /^The host of the file cannot be reached/
  })
})

served('covers: ids as records have them, sizes, and a redirect that may be cached', async ({ t, demo, server }) => {
  const shown = async (path: string): Promise<unknown> => {
    const { status, headers } = await server.get(path)
    const picture = await fetch(headers.get('location') ?? '')
    return [
      status, headers.get('cache-control'), headers.get('location')?.replace(/^.*\//, ''), picture.status,
      picture.headers.get('content-type')
    ]
  }
  const to = (file: string): unknown => [302, 'public, max-age=86400', file, 200, 'image/png']
  t.same(await shown('/cover/00DemoAlbu0001'), to('T002R300x300M00000DemoAlbu0001.jpg'))
  t.same(await shown('/cover/00DemoAlbu0001_1?size=500x500'), to('T002R500x500M00000DemoAlbu0001_1.jpg'))
  t.same(await shown('/cover/00DemoSing0001?type=singer&size=150x150'), to('T001R150x150M00000DemoSing0001.jpg'))
  t.same(await shown('/cover/T001R90x90M00000DemoSing0001'), to('T001R300x300M00000DemoSing0001.jpg'))
  t.same(await shown('/cover/T062M00000DemoSong0001?size=90x90'), to('T062R90x90M00000DemoSong0001.jpg'))
  for (const path of [
    '/cover/..%2fx', '/cover/http:%2f%2fevil', '/cover/a?size=1x1', '/cover/a?type=page', '/cover/a.jpg'
  ]) t.match(await server.get(path), { status: 400 }, path)
  t.match(await serverOnWire(t, demo, { accessToken: 'abcdefgh' }).then(async (closed) => await closed.get(
    '/cover/a', { headers: { authorization: 'Bearer abcdefgh' } }
  )).then(({ headers }) => headers.get('cache-control')), /^private/)
})
