/** Every failure of the upstream at every endpoint of test/faults/probes.ts, and what large answers leave behind. */
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { request } from 'undici'
import t from 'tap'
import type { Test } from 'tap'
import { canaryFor, demo, groundFor, wrongWith, wrongWithFirst, wrongWithoutData } from '../faults/matrix.ts'
import { further, rowsOf, shapes } from '../faults/probes.ts'
import { badPayload, large } from '../faults/rows.ts'
import { startFaultServer } from '../faults/server.ts'
import { startRelay } from '../stress/children.ts'

for (const probe of [...shapes, ...further]) {
  t.test(`${probe.name}: every failure, of all calls and of the first one`, async (t) => {
    const canary = await canaryFor(t)
    t.same(await wrongWith(probe, rowsOf(probe, canary.origin)), [])
    if (probe.rows === undefined) t.same(await wrongWithoutData(probe), [])
    // A good answer of the first call is no failure, and shows nothing about the next one.
    const failures = rowsOf(probe, canary.origin).filter(({ blame, times }) => blame !== 'none' && times === undefined)
    if (probe.links.length > 1) t.same(await wrongWithFirst(probe, failures), [])
    t.equal(canary.asked(), 0, 'no other host is asked')
  })
}

/** A process that listens without accepting. Its queue is full, so the next connection hangs. */
async function fullQueue (t: Test): Promise<number> {
  const child = spawn(process.execPath, ['-e', `
    const server = require('node:net').createServer()
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => { child.kill('SIGKILL') })
  const port = Number(await new Promise<Buffer>((resolve) => { child.stdout.once('data', resolve) }))
  for (let waiting = true; waiting;) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    t.teardown(() => { socket.destroy() })
    waiting = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => { resolve(false) }, 300)
      socket.once('connect', () => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }
  return port
}

t.test('a host whose queue of connections is full cannot be reached', async (t) => {
  const ground = await groundFor({ upstreamOrigin: `http://127.0.0.1:${await fullQueue(t)}`, tuning: { connectTimeoutMs: 300 } })
  const { status, text } = await ground.ask({ path: '/getRanks?topId=62' })
  t.match([status, JSON.parse(text)], [502, { code: 'UPSTREAM_UNREACHABLE' }])
  await ground.close()
})

t.test('what is too large or too deep is gone from memory afterwards, and never was in it as a whole', async (t) => {
  const server = await startFaultServer(demo)
  t.teardown(async () => { await server.close() })
  const relay = await startRelay({ upstreamOrigin: server.origin, shedDelayMs: 0 })
  t.teardown(async () => { await relay.end() })
  const rows = [...large, ...badPayload.filter(({ name }) => name.includes('deep'))]
  let page = 0
  const ask = async (path: string): Promise<number> => {
    const { statusCode, body } = await request(`${relay.origin}${path}`)
    await body.dump()
    return statusCode
  }
  /**
   * Runs each fault with healthy requests in between. Otherwise the relay would rightly send fewer and fewer requests.
   */
  const round = async (): Promise<void> => {
    for (const { name, fault } of rows) {
      server.fail(fault)
      t.equal(await ask('/getLyric?songmid=00DemoSong0001'), 502, name)
      server.heal()
      for (let times = 0; times < 6; times++) t.equal(await ask(`/getRanks?topId=62&limit=1&page=${page++}`), 200)
    }
  }
  // The allocator does not return memory, so the first two rounds are not measured.
  await round()
  await round()
  const before = await relay.ask({})
  await round()
  await round()
  const after = await relay.ask({})
  t.ok(after.rss - before.rss <= 20, `${(after.rss - before.rss).toFixed(1)} MB are left`)
  t.ok(after.peak - before.rss <= 32, `${(after.peak - before.rss).toFixed(1)} MB more at the most`)
})
