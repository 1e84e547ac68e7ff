/**
 * Memory: a short search for what makes it grow most (`npm run memory -- --minutes 60` by hand). The bounds that it
 * tries are listed in docs/running-in-public.md.
 */
import { request } from 'undici'
import t from 'tap'
import { demo } from '../faults/matrix.ts'
import { badPayload, large } from '../faults/rows.ts'
import { startFaultServer } from '../faults/server.ts'
import { startHelper } from '../bench/children.ts'
import type { Size } from '../stress/relay.ts'
import { bar, search } from '../memory/search.ts'

/** The first ten are random, the others mostly children of the worst ones. `MEMORY_ATTACKS=200` is the long run. */
const attacks = Number(process.env['MEMORY_ATTACKS'] ?? 18)

t.test('no attack of clients or of the upstream takes three quarters of a container of 512 MB', { timeout: 300_000 + attacks * 10_000 }, async (t) => {
  const { alive, attacks: tried, peakMb, worst } = await search({ attacks, seed: 1 })
  t.ok(alive, `the process lives and answers after ${tried} attacks`)
  t.equal(tried, attacks)
  t.ok(peakMb > 50 && peakMb < bar, `at most ${peakMb.toFixed(0)} MB; the worst: ${JSON.stringify(worst[0])}`)
})

t.test('what is too large or too deep is gone from memory afterwards, and never was in it as a whole', async (t) => {
  const server = await startFaultServer(demo)
  t.teardown(server.close)
  const relay = await startHelper<object, Size>(
    '../stress/relay.ts', undefined, [JSON.stringify({ upstreamOrigin: server.origin, shedDelayMs: 0 }), 'src/app.ts']
  )
  t.teardown(async () => { await relay.end() })
  const rows = [...large, ...badPayload.filter(({ name }) => name.includes('deep'))]
  let page = 0
  const ask = async (path: string): Promise<number> => {
    const { statusCode, body } = await request(`${relay.ready}${path}`)
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
