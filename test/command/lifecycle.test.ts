/**
 * Start and end of the process: the effect of a signal, a bug, a bad file or a jump of the clock on running requests.
 * (A wrong configuration is in config.test.ts, a login that cannot be stored in cli-login.test.ts.)
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync, closeSync, existsSync, openSync, readdirSync, readFileSync, utimesSync, writeFileSync
} from 'node:fs'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildSync } from 'esbuild'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { createAgents } from '../../src/upstream/http/transport.ts'
import { listen } from '../../src/cli/serve.ts'
import { root, start } from '../support/commandProcess.ts'
import { cookieOf, demoFor, timesAsked, until } from '../support/helper.ts'
import { ready, songUrl, state } from '../support/cacheHelper.ts'
import { freePort } from '../support/freePort.js'
import { listening } from '../support/listening.ts'
import { requestText } from '../support/raw.ts'
import { unhurried } from '../support/unhurried.ts'
import { userInfoIn } from '../support/userInfo.ts'
import { whole } from '../support/whole.ts'

/** How often busy clients are stopped, for each kind of answer. */
const stopRounds = Number(process.env['STOP_ROUNDS'] ?? 2)

/** The status, and the error code of a refusal. */
async function heard (asked: Promise<Response>): Promise<readonly [status: number, code: unknown]> {
  const answer = await asked
  const { code } = await answer.json() as { code?: unknown }
  return [answer.status, answer.ok ? '' : code]
}

const search = async (address: string, key: string): ReturnType<typeof heard> =>
  await heard(fetch(`${address}/getSmartbox?key=${key}`))
const searches = async (address: string): Promise<string> =>
  String(await Promise.all(['k', 'l', 'm'].map(async (key) => await search(address, key))))
const poll = async (address: string, uuid: string): ReturnType<typeof heard> => await heard(
  fetch(`${address}/checkAltLoginQr`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ uuid }) })
)
const details = 'music.pf_song_detail_svr/get_song_detail_yqq'
const withoutFullDisk = existsSync('/dev/full') ? false : 'there is no /dev/full'

function connected (address: string): Socket {
  const { hostname, port } = new URL(address)
  return connect({ host: hostname, port: Number(port) })
}

/** Whether new connections are refused. */
async function isShut (address: string): Promise<boolean> {
  const socket = connected(address)
  return await once(socket, 'connect').then(() => false, () => true).finally(() => { socket.destroy() })
}

/** Opens a connection, sends these bytes and collects what arrives. */
function opened (address: string, bytes: string): { socket: Socket, text: () => string } {
  let text = ''
  const socket = connected(address)
  socket.on('error', () => {}).setEncoding('utf8').on('data', (chunk: string) => { text += chunk }).write(bytes)
  return { socket, text: () => text }
}

const answersIn = (text: string): string[] => text.split('HTTP/1.1 ').slice(1).map((answer) =>
  `${answer.slice(0, 3)} ${/"code":"(\w+)"/.exec(answer)?.[1] ?? ''} ${/^connection: (\S+)/im.exec(answer)?.[1] ?? ''}`)

t.test('asked to stop, the relay answers all that is in flight and nothing new, and ends well', async (t) => {
  const demo = await demoFor(t, { latencyMs: 3000 })
  // A configuration folder that cannot be written.
  const folder = t.testdir({ config: {} })
  chmodSync(join(folder, 'config'), 0o500)
  const relay = await start(t, demo.origin, {
    STOP_MS: '20000', DEADLINE_MS: '20000', UPSTREAM_LIMIT: '128', CACHE: 'false', CONFIG_DIR: join(folder, 'config')
  })
  const asked = Array.from({ length: 50 }, async (_, at) => await search(relay.address, `k${at}`))
  const busy = ['/getImageUrl?id=00DemoAlbu0001', '/health/ready']
    .map((next) => ({ next, ...opened(relay.address, requestText('GET /getSmartbox?key=busy HTTP/1.1')) }))
  await until(() => demo.received.length >= 52)
  relay.child.kill('SIGTERM')
  await until(async () => await isShut(relay.address))
  for (const { socket, next } of busy) socket.write(requestText(`GET ${next} HTTP/1.1`))
  t.same([...new Set((await Promise.all(asked)).map(String))], ['200,'], 'none is lost')
  t.equal(await relay.ended, 0)
  for (const { text, next } of busy) t.same(answersIn(text()), ['200  close'], `${next}: the answer before it was the last`)
})

t.test('who was connected when the stop came gets an answer, accepted or not', async (t) => {
  const demo = await demoFor(t)
  const relay = await start(t, demo.origin)
  const asked =
    Array.from({ length: 64 }, () => opened(relay.address, requestText('GET /getImageUrl?id=00DemoAlbu0001 HTTP/1.1')))
  await Promise.all(asked.map(async ({ socket }) => { await once(socket, 'connect') }))
  relay.child.kill('SIGTERM')
  await Promise.all(asked.map(async ({ socket }) => { await once(socket, 'close') }))
  t.same(
    asked.map(({ text }) => answersIn(text())[0]?.slice(0, 3)).filter((status) => status !== '200'), [], 'none is lost'
  )
  t.equal(await relay.ended, 0)
})

/** A client that sends its next request as soon as it has an answer, until one says that it is the last. */
function busyClient (address: string, nextPath: () => string): {
  readonly ended: Promise<'told' | 'lost'>, answers: () => number
} {
  let answered = 0
  const socket = connected(address)
  const ended = new Promise<'told' | 'lost'>((resolve) => {
    let text = ''
    const send = (): void => { socket.write(requestText(`GET ${nextPath()} HTTP/1.1`)) }
    socket.once('connect', send).on('error', () => {}).once('close', () => {
      resolve('lost')
    }).setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
      const end = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? NaN)
      if (end === -1 || text.length < end + 4 + length) return
      answered++
      if (/^connection: close/im.test(text.slice(0, end))) {
        resolve(text.startsWith('HTTP/1.1 200 ') ? 'told' : 'lost')
        socket.destroy()
      } else {
        text = ''
        send()
      }
    })
  })
  return { ended, answers: () => answered }
}

t.test('busy clients on open connections get their answers while the relay stops, and hear which one is the last', async (t) => {
  const demo = await demoFor(t)
  let asked = 0
  for (const nextPath of [() => '/getHotkey', () => `/getSmartbox?key=new${++asked}`]) {
    for (let round = 0; round < stopRounds; round++) {
      // In one process, no pause of the machine comes between an answer and the next request only.
      const app = await buildApp({
        ...unhurried, upstreamOrigin: demo.origin, host: 'localhost', port: 0, logLevel: 'silent',
        tuning: { drainMs: 2000 }
      })
      const port = await listen(app, app.runtime.settings)
      const clients = Array.from(
        { length: 64 }, (_, at) => busyClient(`http://${at % 2 === 0 ? 'localhost' : '127.0.0.1'}:${port}`, nextPath)
      )
      await until(() => clients.every(({ answers }) => answers() > 2))
      await app.close()
      const ends = await Promise.all(clients.map(async ({ ended }) => await ended))
      t.same([...new Set(ends)], ['told'], `${ends.filter((end) => end === 'lost').length} of 64 lose an answer in round ${round}`)
    }
  }
})

t.test('a login that is stored while the relay is asked all the time is used from some request on, and none is lost', async (t) => {
  const demo = await demoFor(t)
  const folder = t.testdir({})
  const stored = userInfoIn(folder)
  await stored.save({ cookie: cookieOf(demo, 'ordinary') })
  const relay = await start(t, demo.origin, { CONFIG_DIR: folder, USE_GLOBAL_COOKIE: 'true' })
  const liked = async (): Promise<string> => {
    const answer = await fetch(`${relay.address}/user/getUserLikedSongs?limit=1`)
    const { body } = await answer.json() as { body?: { response: { total: number } } }
    return `${answer.status} ${body?.response.total}`
  }
  const heard: string[] = []
  const asking = Array.from({ length: 3 }, async () => {
    while (heard.at(-1) !== '200 140') heard.push(await liked())
  })
  await until(() => heard.length > 10)
  await stored.save({ cookie: cookieOf(demo, 'member') })
  await Promise.all(asking)
  t.same([...new Set(heard)], ['200 73', '200 140'])
  writeFileSync(join(folder, 'user-info.json'), '{"cookie":"uin=')
  await relay.says(/The last good one stays in use\./)
  t.equal(await liked(), '200 140')
})

t.test('what hangs when the relay stops gets a definite answer, and who says nothing does not hold it up', { timeout: 20_000 }, async (t) => {
  const demo = await demoFor(t, { holdMs: 60_000 })
  const folder = t.testdir({ 'user-info.json': '{"loginUin":"o70007","cookie":"uin=o70007; provider_key=SECRETKEY"}' })
  const relay = await start(t, demo.origin, { STOP_MS: '1000', CONFIG_DIR: folder })
  await relay.says(/user-info\.json can be read by others/) // after the banner
  t.notMatch(relay.said(), 'SECRETKEY')
  const uuids = [demo.login.open('alt'), demo.login.open('alt')]
  const polls = uuids.map(async (uuid) => await poll(relay.address, uuid))
  await Promise.all(uuids.map(async (uuid) => { await demo.login.held(uuid, 1) }))
  demo.next(details, { hang: true }, Infinity)
  const hanging = [1, 2, 3].map(async (n) => await heard(fetch(`${relay.address}/getSongInfo?songmid=00DemoSong000${n}`)))
  await until(() => timesAsked(demo, details) >= 3)
  const silent = [opened(relay.address, ''), opened(relay.address, 'GET /getHotkey HTTP/1.1\r\nhost: localh')]
  await Promise.all(silent.map(async ({ socket }) => { await once(socket, 'connect') }))
  t.equal(await relay.stop(), 0)
  for (const answer of [...polls, ...hanging]) t.same(await answer, [503, 'STOPPING'])
})

t.test('a fault in native code ends the process: with a listener for it, the same instruction would fail for ever', async (t) => {
  const relay = await start(t, (await demoFor(t)).origin)
  await relay.stop('SIGSEGV')
  t.equal(relay.child.signalCode, 'SIGSEGV')
})

t.test('a second signal ends the process at once, and not well', async (t) => {
  const demo = await demoFor(t)
  const relay = await start(t, demo.origin, { STOP_MS: '600000' })
  demo.next(details, { hang: true }, Infinity)
  const lost = t.rejects(fetch(`${relay.address}/getSongInfo?songmid=00DemoSong0001`))
  await until(() => demo.received.length > 0)
  relay.child.kill('SIGTERM')
  await until(async () => await isShut(relay.address))
  t.equal(await relay.stop('SIGINT'), 1)
  await lost
})

t.test('an error that nobody caught is logged without what it holds, and the relay ends in order', async (t) => {
  const demo = await demoFor(t, { latencyMs: 500 })
  const folder = t.testdir({
    'bug.mjs': `process.on('SIGWINCH', () => {
      const error = Object.assign(new TypeError('nobody caught it'), { request: { headers: { cookie: 'provider_key=SECRETKEY' } }, cookie: 'provider_key=SECRETKEY' })
      error.cause = Object.assign(new Error('provider_key=SECRETKEY'), { code: 'ECAUSE' })
      Promise.reject(error)
    })`
  })
  const relay = await start(t, demo.origin, { CACHE: 'false' }, { first: join(folder, 'bug.mjs') })
  const asked = search(relay.address, 'k')
  await until(() => demo.received.length > 0)
  relay.child.kill('SIGWINCH')
  t.same(await asked, [200, ''])
  t.equal(await relay.ended, 1)
  t.match(relay.said(), /"level":"fatal".*"err":\{"type":"TypeError".*nobody caught it.*bug/)
  t.match(relay.said(), 'ECAUSE')
  t.notMatch(relay.said(), 'SECRETKEY')
})

t.test('a full disk costs lines of the log, and neither answers nor the end in order', { skip: withoutFullDisk }, async (t) => {
  const demo = await demoFor(t)
  // Standard output comes to lie on a disk that is full, then on one that is not.
  const folder = t.testdir({
    'disk.mjs': `import { closeSync, openSync } from 'node:fs'
    const places = ['/dev/full', process.env.LATER]
    process.on('SIGWINCH', () => {
      const place = places.shift()
      if (place === undefined) return Promise.reject(new TypeError('nobody caught it'))
      closeSync(1)
      open(place)
    })
    // A thread of the relay that reads a file at this moment may get the number first, and gives it back.
    function open (place) {
      const number = openSync(place, 'w')
      if (number === 1) return void process.stderr.write('moved\\n')
      closeSync(number)
      setTimeout(open, 5, place)
    }`
  })
  const later = join(folder, 'later.log')
  const relay = await start(t, demo.origin, { CACHE: 'false', LATER: later }, { first: join(folder, 'disk.mjs') })
  const moved = async (times: number): Promise<void> => {
    relay.child.kill('SIGWINCH')
    await until(() => relay.said().split('moved').length > times)
  }
  await moved(1)
  t.equal(await searches(relay.address), '200,,200,,200,')
  await moved(2)
  t.same(await search(relay.address, 'n'), [200, ''])
  await until(() => readFileSync(later, 'utf8').includes('\n'))
  t.match(JSON.parse(readFileSync(later, 'utf8')), { route: '/getSmartbox', status: 200 })
  t.equal(await relay.stop(), 0)

  const other = await start(t, demo.origin, {}, { first: join(folder, 'disk.mjs') })
  other.child.kill('SIGWINCH')
  await until(() => other.said().includes('moved'))
  t.equal(await other.stop('SIGWINCH'), 1)
})

t.test('a full disk or a closed pipe under its output does not stop a start', { skip: withoutFullDisk }, async (t) => {
  const demo = await demoFor(t)
  const full = openSync('/dev/full', 'w')
  t.teardown(() => { closeSync(full) })
  for (const [args, output, code] of [
    [['serve'], full, 'ENOSPC'], [['demo', '--json'], full, 'ENOSPC'], [['serve'], 'closed', 'EPIPE']
  ] as const) {
    const relay = await start(t, demo.origin, { PORT: String(await freePort()) }, { args, output })
    t.equal(await searches(relay.address), '200,,200,,200,', `${args} ${code}`)
    t.equal(await relay.stop(), 0)
    t.equal(relay.said(), `music-relay: the log cannot be written (${code}); the relay goes on without it\n`)
  }
})

t.test('a signal does not make the relay a debugger that everything on the machine can reach', { skip: process.platform === 'win32' ? 'Windows has no such signal' : false }, async (t) => {
  const port = await freePort()
  const demo = await demoFor(t)
  const relay = await start(t, demo.origin, { NODE_OPTIONS: `--inspect-port=127.0.0.1:${port}` })
  relay.child.kill('SIGUSR1')
  await sleep(1000)
  t.same(await search(relay.address, 'k'), [200, ''])
  t.ok(await isShut(`http://127.0.0.1:${port}`))
  t.equal(await relay.stop(), 0)
  t.notMatch(relay.said(), /debugger/i)
})

t.test('a reader of the log that has stopped reading holds up neither answers nor the end', async (t) => {
  const demo = await demoFor(t)
  // As much as fits is on its way to the reader already.
  const folder = t.testdir({
    'filled.mjs': `import { writeSync } from 'node:fs'
    process.on('SIGWINCH', () => {
      try {
        for (;;) writeSync(1, 'x'.repeat(65536))
      } catch (error) {
        process.stderr.write('filled ' + error.code + '\\n')
      }
    })`
  })
  const relay =
    await start(t, demo.origin, { CACHE: 'false', STOP_MS: '600000' }, { first: join(folder, 'filled.mjs') })
  relay.child.stdout?.pause()
  relay.child.kill('SIGWINCH')
  await relay.says(/filled EAGAIN/)
  t.equal(await searches(relay.address), '200,,200,,200,')
  const ended = once(relay.child, 'exit')
  relay.child.kill('SIGTERM')
  t.same(await ended, [0, null])
})

t.test('a stop that was asked for ends with 0 within its limit, whatever does not end; a log line says what is cut', async (t) => {
  const demo = await demoFor(t)
  // The server never says that it is closed.
  const folder = t.testdir({ 'open.mjs': "import { Server } from 'node:net'\nServer.prototype.close = function () { return this }" })
  const relay = await start(t, demo.origin, { STOP_MS: '1' }, { first: join(folder, 'open.mjs') })
  t.same(await search(relay.address, 'k'), [200, ''])
  t.equal(await relay.stop(), 0)
  t.match(relay.said(), /"level":"warn",[^\n]*"connections":\d+,"requests":0,[^\n]*stopped at the time limit/)
})

t.test('with a delay before the stop, balancers hear of it while everybody is still answered', async (t) => {
  const demo = await demoFor(t)
  const app =
    await buildApp({ docs: false, upstreamOrigin: demo.origin, logLevel: 'silent', stopDelayMs: 4000, shedDelayMs: 0 })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  t.equal((await fetch(`${address}/health/ready`)).status, 200)
  const closed = app.close()
  t.same(await heard(fetch(`${address}/health/ready`)), [503, 'STOPPING'])
  t.equal((await fetch(`${address}/health/live`)).status, 200)
  const answer = await fetch(`${address}/getHotkey`)
  t.same([answer.status, answer.headers.get('connection')], [200, 'close'])
  await closed
  t.ok(await isShut(address))
})

t.test('a relay that takes most of its container\'s memory refuses work until it takes less, but not its supervisor', { timeout: 60_000 }, async (t) => {
  const { constrainedMemory } = process
  t.teardown(() => { process.constrainedMemory = constrainedMemory })
  process.constrainedMemory = () => 64 * 1024 * 1024 // less than any process of Node takes
  const demo = await demoFor(t)
  const [full, roomy] = await Promise.all([75, 0].map(async (shedMemoryPercent) => {
    // The clock of the relay stands beyond the seconds in which it looks away from its own start.
    let now = 0
    const app = await buildApp({
      docs: false, upstreamOrigin: demo.origin, logLevel: 'silent', shedDelayMs: 0, stream: 'relay',
      imageOrigin: demo.origin, tuning: { shedMemoryPercent }, now: () => now += 10_000
    })
    t.teardown(async () => { await app.close() })
    return await app.listen({ host: '127.0.0.1', port: 0 })
  })) as [string, string]
  const ask = async (): Promise<Response> => await fetch(`${full}/getImageUrl?id=00DemoAlbu0001`)
  let refused = await ask()
  while (refused.status === 200) refused = await ask()
  t.same([
    refused.status, refused.headers.get('retry-after'), (await refused.json() as { code: string }).code
  ], [503, '1', 'OVERLOADED'])
  t.equal((await fetch(`${full}/health/live`)).status, 200)
  t.same(await Promise.all([full, roomy].map(async (address) => (await fetch(
    `${address}/cover/00DemoAlbu0001`, { redirect: 'manual' }
  )).status)), [302, 200], 'a picture is not passed on')
  t.equal((await fetch(`${roomy}/getImageUrl?id=00DemoAlbu0001`)).status, 200, 'switched off, it does not look')
})

/** Number of kill points. `KILL_POINTS=500` is the long run. */
const killPoints = Number(process.env['KILL_POINTS'] ?? (whole ? 20 : 8))

t.test(`a kill at any of ${killPoints} moments of a save leaves the old file or the new one`, async (t) => {
  const folder = t.testdir({})
  const file = join(folder, 'user-info.json')
  // One small file: starting it costs little.
  const holder = join(folder, 'private-file.cjs')
  buildSync({
    stdin: { resolveDir: root, contents: "export { writing } from './src/common/privateFile.ts'" }, outfile: holder,
    bundle: true, platform: 'node', format: 'cjs'
  })
  const versions = ['a', 'b'].map((key) => `uin=1; provider_key=${key.repeat(4000)}`)
  writeFileSync(file, JSON.stringify({ cookie: versions[0] }))
  const script = `
    const { writing } = require(${JSON.stringify(holder)})
    const save = (i) => writing(${JSON.stringify(file)}, (write) => write({ cookie: ${JSON.stringify(versions)}[i % 2] })).then(() => save(i + 1))
    console.log('ready')
    save(0)`
  const stored = (): string => (JSON.parse(readFileSync(file, 'utf8')) as { cookie: string }).cookie
  for (let round = 0; round < killPoints; round++) {
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'close')
    await once(child.stdout, 'data')
    t.ok(versions.includes(stored()), 'no reader sees a part')
    await sleep(Math.random() * 20)
    child.kill('SIGKILL')
    t.same(await ended, [null, 'SIGKILL'])
    t.ok(versions.includes(stored()), `after ${round}`)
  }
})

t.test('copies of the login that interrupted saves left behind are removed at the start', async (t) => {
  const folder = t.testdir({ 'user-info.json': '{"cookie":"uin=1; provider_key=a"}', 'user-info.json.123456789': 'old', 'user-info.json.3123456789': 'of now', 'user-info.json.1': 'mine', 'user-info.json.20261101': 'mine', 'user-info.json.2026110112': 'mine', 'user-info.json.bak': 'mine', 'other.json.123456789': 'mine' })
  const hourAgo = new Date(Date.now() - 3_600_000)
  const now = 'user-info.json.3123456789'
  for (const name of readdirSync(folder)) if (name !== now) utimesSync(join(folder, name), hourAgo, hourAgo)
  const holder = userInfoIn(folder)
  t.same(await holder.removeLeftovers(), { removed: ['user-info.json.123456789'], left: [] })
  t.same(readdirSync(folder).sort(), ['other.json.123456789', 'user-info.json', 'user-info.json.1', 'user-info.json.2026110112', 'user-info.json.20261101', now, 'user-info.json.bak'].sort())
  t.equal((await holder.load()).cookie, 'uin=1; provider_key=a')
  await userInfoIn(join(folder, 'absent')).removeLeftovers()

  const renewal = { loginType: 2, musicId: '1', musicKey: 'a' }
  const leave = (name: string, content: unknown): void => {
    writeFileSync(join(folder, name), JSON.stringify(content))
    utimesSync(join(folder, name), hourAgo, hourAgo)
  }
  leave('user-info.json', { renewal })
  leave('user-info.json.123456788', { renewal: { ...renewal, musicKey: 'b', previous: renewal } })
  leave('user-info.json.123456789', { renewal: { ...renewal, musicKey: 'b' } })
  const renewed = userInfoIn(folder)
  t.same(await renewed.removeLeftovers(), { removed: ['user-info.json.123456789'], left: ['user-info.json.123456788'] }, 'a renewal of the stored login stays')
  leave('user-info.json', 'broken')
  t.same(await renewed.removeLeftovers(), { removed: [], left: ['user-info.json.123456788'] }, 'beside a file that cannot be read, nothing is removed')
})

t.test('a jump of the machine\'s clock makes no kept answer older, nor a client come too often', async (t) => {
  const { server } = await ready(t, { now: () => performance.now(), host: '0.0.0.0', rateLimit: 3 })
  const real = Date.now
  t.teardown(() => { Date.now = real })
  t.equal(state(await server.get(songUrl)), '200 MISS -')
  for (const jump of [30, -30]) {
    Date.now = () => real() + jump * 86_400_000
    t.equal((await server.get(songUrl)).headers.get('x-cache'), 'HIT', `${jump} days`)
  }
  const refused = await server.get(songUrl)
  t.equal(refused.status, 429, 'nor less often')
  t.ok(Number(refused.headers.get('retry-after')) <= 60)
})

t.test('hosts are looked up again within a minute, however much they are asked', async (t) => {
  let connections = 0
  const host = createServer((_request, answer) => { setTimeout(() => { answer.end('{}') }, 5) })
  const origin = await listening(t, host.on('connection', () => { connections++ }))
  let now = 0
  const agents = createAgents({ connections: 1 }, () => now)
  const ask = async (): Promise<number> => {
    const { statusCode, body } = await agents.current().request({ origin, path: '/', method: 'GET' })
    await body.dump()
    return statusCode
  }
  for (; now <= 50_000; now += 10_000) t.equal(await ask(), 200)
  t.equal(connections, 1)
  now = 50_000
  const last = ask()
  now = 60_000
  t.same(await Promise.all([last, ask()]), [200, 200], 'the old connection ends what it has begun')
  t.equal(connections, 2)
  await agents.close()
})
