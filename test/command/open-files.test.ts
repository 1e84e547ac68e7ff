/** A process that may open few files: it serves fewer connections, says so, and lives on when no more can be opened. */
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { lowered } from '../../src/cli/serve.ts'
import { start, type Process } from '../support/commandProcess.ts'
import { demoFor, until } from '../support/helper.ts'

const skip = existsSync('/proc/self/limits') ? false : 'only Linux tells the limit'

const clients = 400
const queue = '/proc/sys/net/core/somaxconn'
const shortQueue = existsSync(queue) && Number(readFileSync(queue, 'latin1')) < clients
  && `this machine lets fewer than ${clients} connections wait to be accepted`

/** Opens connections that say nothing. */
async function idle (address: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(address)
  const sockets =
    Array.from({ length: count }, () => connect({ host: hostname, port: Number(port) }).on('error', () => {}).resume())
  await Promise.all(sockets.map(async (socket) => {
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  }))
  return sockets
}
const openOf = (sockets: readonly Socket[]): number => sockets.filter(({ closed }) => !closed).length
const lives = async ({ address }: Process): Promise<boolean> =>
  await fetch(`${address}/health/live`).then(({ ok }) => ok, () => false)

/** Asks over one connection that stays open. */
function keptOpen (address: string): (path: string) => Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return async (path) => await new Promise((resolve) => {
    httpRequest(`${address}${path}`, { agent }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => { text += part })
        .on('end', () => { resolve(`${answer.statusCode} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`) })
    }).on('error', (error) => { resolve(String(error)) }).end()
  })
}

const lines = ({ said }: Process): Record<string, unknown>[] =>
  said().split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Record<string, unknown>)
const warnings = (relay: Process): Record<string, unknown>[] =>
  lines(relay).filter(({ level, msg }) => level === 'warn' && msg !== 'request')
const cannotOpen = /^connections and files cannot be opened; .* raise the limit of open files .* or lower MAX_CONNECTIONS$/

t.test('more idle connections than files may be open: fewer are served, the log says so, and the relay lives on', { skip: skip || shortQueue }, async (t) => {
  const demo = await demoFor(t)
  for (const args of [['serve'], ['demo']]) {
    const relay = await start(t, demo.origin, {}, { args, openFiles: 256 })
    const ask = keptOpen(relay.address)
    t.equal(await ask('/health/live'), '200 ')
    // All of them wait to be accepted at the same time.
    relay.child.kill('SIGSTOP')
    const strangers = await idle(relay.address, clients)
    relay.child.kill('SIGCONT')
    await until(() => openOf(strangers) <= 127)
    for (const path of ['/health/live', '/health/ready', '/getHotkey', '/getSmartbox?key=a', '/']) t.equal(await ask(path), '200 ', `${args} ${path}: within the limit`)
    for (const socket of strangers) socket.destroy()
    await until(async () => await lives(relay))
    t.equal(await relay.stop(), 0)
    t.match(warnings(relay), [{ msg: /^MAX_CONNECTIONS is 128 instead of 2000, because this process may open 256 files only: raise that limit to \d+ / }])
    t.equal(warnings(relay).length, 1)
  }
})

t.test('when no file at all can be opened, open connections are answered, one line a second says why, and it ends well', { skip }, async (t) => {
  const folder = t.testdir({
    'taken.mjs': `import { closeSync, openSync } from 'node:fs'
    const taken = []
    process.on('SIGWINCH', () => {
      if (taken.length > 0) for (const file of taken.splice(0)) closeSync(file)
      else {
        try {
          for (;;) taken.push(openSync('/dev/null'))
        } catch (error) {
          process.stderr.write('taken ' + error.code + '\\n')
        }
      }
    })`
  })
  const demo = await demoFor(t)
  const relay = await start(t, demo.origin, { DOCS: 'true', METRICS: 'true', MAX_CONNECTIONS: '64' }, {
    openFiles: 256, first: join(folder, 'taken.mjs')
  })
  const ask = keptOpen(relay.address)
  const take = async (times: number): Promise<void> => {
    relay.child.kill('SIGWINCH')
    await until(() => relay.said().split('taken EMFILE').length > times)
  }
  t.equal(await ask('/getHotkey'), '200 ')
  await take(1)
  for (const path of ['/health/live', '/getHotkey', '/', '/metrics']) t.equal(await ask(path), '200 ', path)
  t.equal(await ask('/docs'), '503 OVERLOADED')
  const begun = performance.now()
  const strangers = await idle(relay.address, 100)
  await until(() => openOf(strangers) === 0)
  await until(() => warnings(relay).length >= 2)
  t.ok(warnings(relay).length <= 2 + (performance.now() - begun) / 1000, 'no more than one line a second')
  for (const { msg, err } of warnings(relay)) t.match([msg, err], [cannotOpen, { code: 'EMFILE' }])

  relay.child.kill('SIGWINCH')
  await until(async () => await lives(relay))
  for (const path of ['/getHotkey', '/docs', '/docs/static/swagger-ui.css', '/getSmartbox?key=b']) t.equal(await ask(path), '200 ', `${path}: all is well again`)
  await take(2)
  t.equal(await ask('/docs/static/swagger-ui-bundle.js'), '503 OVERLOADED', 'it is there all the same')
  t.equal(await relay.stop(), 0)
  t.same(lines(relay).filter(({ level }) => level === 'fatal' || level === 'error'), [])
})

t.test('an error of accepting a connection is a line of the log, not the end', async (t) => {
  const clock = { now: 0 }
  const log: string[] = []
  const app = await buildApp({
    docs: false, pages: false, shedDelayMs: 0, upstreamOrigin: 'http://127.0.0.1:1', now: () => clock.now,
    logTo: { write: (line) => { if (line.includes('"warn"')) log.push(line) } }
  })
  t.teardown(async () => { await app.close() })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const fail = (): void => { app.server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' })) }
  for (let times = 0; times < 1000; times++) fail()
  clock.now += 1000
  fail()
  t.match(log.map((line) => JSON.parse(line) as unknown), [
    { level: 'warn', msg: cannotOpen, err: { code: 'EMFILE' } }, { level: 'warn', msg: cannotOpen, unlogged: 999 }
  ])
  t.equal((await fetch(`${address}/health/live`)).status, 200)
})

t.test('the number of connections fits the limit of open files', async (t) => {
  const settings = { maxConnections: 2000, upstreamLimit: 64 }
  for (const [own, files, demo, maxConnections] of [
    [{}, Infinity, false, undefined], [{}, 2392, false, undefined], [{}, 2391, false, 1999],
    [{}, 2392, true, 1672], // the demo holds the other end of each upstream connection
    [{ upstreamLimit: 10_000 }, 1024, false, 512], // half of it is for clients
    [{ maxConnections: 100 }, 256, false, undefined] // a setting that fits stays
  ] as const) t.equal(
    lowered({ ...settings, ...own }, files, demo)?.maxConnections, maxConnections,
    `${JSON.stringify(own)} ${files} ${demo}`
  )
  t.match(
    lowered(settings, 2391, false)?.warning,
    /^MAX_CONNECTIONS is 1999 instead of 2000, .* may open 2391 files only: raise that limit to 2392 /
  )
})
