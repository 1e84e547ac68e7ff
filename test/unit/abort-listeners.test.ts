/** One signal may serve many calls: after each of them, whatever its end, no listener of it stays on the signal. */
import { getEventListeners } from 'node:events'
import t from 'tap'
import type { Dispatcher } from 'undici'
import { createHolding } from '../../src/common/ledger.ts'
import { sleep } from '../../src/common/timers.ts'
import { createBatching, type PendingCall } from '../../src/upstream/batching.ts'
import { Collector } from '../../src/upstream/http/collect.ts'
import { startDeadline } from '../../src/upstream/http/deadline.ts'
import { createLanes } from '../../src/upstream/lane.ts'
import { createPollLimiter } from '../../src/upstream/login/pollLimiter.ts'
import { testClock } from '../support/clock.ts'

/** What is done with a signal. `leave` aborts it. */
type Work = (signal: AbortSignal, leave: () => void) => unknown

const controller = { abort () {} } as unknown as Dispatcher.DispatchController

/** An exchange in which these events happen, with a reader that wants the body if `wantsBody`, and takes ten bytes. */
const exchange = (happens: (events: Collector, leave: () => void) => void, wantsBody = true): Work =>
  async (signal, leave) => {
    const collector = new Collector({
      call: 'call', signal, wantsBody: () => wantsBody, charge: (bytes) => bytes <= 10, maxAnswerBytes: 1000
    })
    collector.onRequestStart(controller)
    happens(collector, leave)
    await collector.answer
  }

/** Waits in a queue with one place, which is freed or not. */
const queued = (
  waits: (leave: () => void, free: () => void, pass: (ms: number) => Promise<void>) => unknown
): Work => async (signal, leave) => {
  const clock = testClock()
  const lane = createLanes({ queue: 10, ...clock.options }).open({ atOnce: { total: 1, share: 1 } })
  const free = await lane.enter(undefined, 1000)
  const waiting = lane.enter(undefined, 1000, signal)
  await waits(leave, free as () => void, clock.advance)
  await waiting
}

/** Two calls that share a POST, because another one is in flight. */
const shared = (ends: 'answered' | 'failed'): Work => async (signal) => {
  const clock = testClock()
  const options =
    { batchMost: 20, batchWaitMs: 3, batchBytes: 100_000, batchPauseMs: 1000, deadlineMs: 8000, ...clock.options }
  const batching = createBatching(options, async () => {
    if (ends === 'failed') throw new Error('failed')
    return { body: {}, bytes: 10 }
  }, () => false)
  const pending = {
    call: { name: 'call', request: { module: 'm', method: 'x', param: {} } }, client: undefined, credential: undefined,
    signal, leftMs: 8000
  }
  const free = batching.begin('group')
  const joined = [1, 2].map(() => batching.join('group', pending as unknown as PendingCall))
  await clock.advance(10)
  free()
  const shares = await Promise.all(joined)
  if (shares.some((share) => (share?.body === undefined) !== (ends === 'failed'))) throw new Error('they share no POST')
}

const ends: Readonly<Record<string, Work>> = {
  'a whole answer': exchange((events) => {
    events.onResponseStart(controller, 200, {})
    events.onResponseData(controller, Buffer.from('{}'))
    events.onResponseEnd()
  }),
  'an answer whose body is not read': exchange((events) => { events.onResponseStart(controller, 404, {}) }, false),
  'an answer of too many bytes': exchange((events) => {
    events.onResponseStart(controller, 200, {})
    events.onResponseData(controller, Buffer.alloc(11))
  }),
  'a broken connection': exchange((events) => { events.onResponseError(controller, new Error('broken')) }),
  'a caller who leaves': exchange((_events, leave) => { leave() }),
  'a deadline whose work is done': (signal) => { startDeadline(1000, signal, testClock().options).end() },
  'a deadline that is given up': (signal) => {
    startDeadline(1000, signal, testClock().options).giveUp(Symbol('stop') as never)
  },
  'a sleep': async (signal) => {
    const clock = testClock()
    const slept = sleep(1000, clock.options.timers, signal)
    await clock.advance(1000)
    await slept
  },
  'a turn in the queue': queued((_leave, free) => { free() }),
  'a wait in the queue that takes too long': queued(async (_leave, _free, pass) => { await pass(1000) }),
  'a caller who leaves the queue': queued((leave) => { leave() }),
  'a login poll': async (signal) => {
    await createPollLimiter(createHolding({ total: 1, share: 1 }))
      .take({ client: ['a'], signal, canGo: () => true }, async () => 'scanned')
  },
  'a login poll that fails': async (signal) => {
    await createPollLimiter(createHolding({ total: 1, share: 1 }))
      .take({ client: ['a'], signal, canGo: () => true }, async () => { throw new Error('failed') })
  },
  'calls that shared a POST': shared('answered'),
  'calls whose shared POST failed': shared('failed')
}

for (const [title, work] of Object.entries(ends)) {
  t.test(`${title} leaves no listener on the signal`, async (t) => {
    const caller = new AbortController()
    await Promise.allSettled([work(caller.signal, () => { caller.abort() })])
    t.same(getEventListeners(caller.signal, 'abort'), [])
  })
}
