/** Deadlines of a relay, on a clock that only the test moves. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { testClock } from '../support/clock.ts'
import { serverFor, until } from '../support/helper.ts'

/** An upstream that never answers. */
async function silentUpstream (t: Test): Promise<{ origin: string, asked: () => number }> {
  let asked = 0
  const server = createServer(() => { asked++ }).listen(0, '127.0.0.1')
  await new Promise((resolve) => { server.once('listening', resolve) })
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked }
}

t.test('an upstream that never answers is given up after the deadline, not before', async (t) => {
  const upstream = await silentUpstream(t)
  const clock = testClock()
  const server = await serverFor(t, upstream, { ...clock.options, tuning: { headersTimeoutMs: 600_000, bodyTimeoutMs: 600_000 } })
  let ended = false
  const answer = server.get('/getHotkey').finally(() => { ended = true })
  await until(() => upstream.asked() === 1)
  await clock.advance(7999)
  t.notOk(ended)
  await clock.advance(1)
  t.match(await answer, { status: 504, body: { code: 'UPSTREAM_TIMEOUT' } })
})
