/** What waits in the queue when its host is paused or its circuit opens is refused, not sent. */
import t from 'tap'
import type { UpstreamError } from '../../src/common/errors.ts'
import { failure } from '../../src/common/kinds.ts'
import { createAbort } from '../../src/common/abort.ts'
import { constants } from '../support/constants.ts'
import { createHosts } from '../../src/upstream/hosts.ts'
import { testClock } from '../support/clock.ts'

const cases: readonly { readonly title: string, readonly ends: UpstreamError, readonly message: RegExp }[] = [
  {
    title: 'a request that was queued when its host asked for a pause',
    ends: failure('throttled', { call: 'first', word: 429, retryAfter: 7 }),
    message: /asked the relay to wait; try again in 7 s/
  },
  {
    title: 'a request that was queued when the circuit of its host opened',
    ends: failure('connect', { call: 'first' }),
    message: /fails too often; try again in 5 s/
  }
]

for (const { title, ends, message } of cases) {
  t.test(`${title} is refused, and sends nothing; afterwards the host is asked again`, async (t) => {
    const clock = testClock()
    const hosts = createHosts({
      ...constants, ...clock.options, circuitFailures: 1, upstreamLimit: 100, upstreamLimitPerHost: 1,
      upstreamRatePerHost: 0, upstreamBurstPerHost: 0
    })
    const { signal } = createAbort()
    const sent: string[] = []
    const ask = async (call: string, attempt: () => Promise<string>): Promise<string> => {
      const end = await hosts.enter({ host: 'musicu', parts: [call], call, client: undefined, signal })
      sent.push(call)
      try {
        const answer = await attempt()
        end()
        return answer
      } catch (error) {
        throw end(error)
      }
    }
    let fail = (): void => {}
    const first = ask('first', async () => await new Promise((_resolve, reject) => {
      fail = () => { reject(ends) }
    }))
    const queued = ask('queued', async () => 'answered')
    await clock.advance(0)
    t.same(sent, ['first'], 'the second one waits')
    fail()
    await t.rejects(first, { message: ends.message })
    await t.rejects(queued, { code: 'UPSTREAM_PAUSED', outcome: 'paused', message })
    t.same(sent, ['first'])
    await clock.advance(7000)
    t.equal(await ask('later', async () => 'answered'), 'answered')
  })
}
