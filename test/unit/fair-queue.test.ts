/** The queue in which clients take turns: who goes next, who gives way, and how much of everything one client gets. */
import t from 'tap'
import { clockOf } from '../../src/common/timers.ts'
import type { Client } from '../../src/common/ledger.ts'
import { createLanes, type Lane, type LaneLimits, type QueueLimits } from '../../src/upstream/lane.ts'
import { createSearchTurns } from '../../src/upstream/searchTurns.ts'
import { testClock } from '../support/clock.ts'

const [greedy, second, third] = ['greedy', 'second', 'third']
  .map((name): Client => [name, `around ${name}`]) as [Client, Client, Client]

/** A lane with so many slots. */
const slots = (total: number): LaneLimits => ({ atOnce: { total, share: Infinity } })

/** Requests at one queue, and the names of those that were served, in their order. */
function ready (
  queue: number, limits: LaneLimits,
  { longestMs = Infinity, ...more }: Omit<QueueLimits, 'queue'> & { longestMs?: number } = {}
) {
  const lanes = createLanes({ queue, ...more })
  const lane = lanes.open(limits)
  const served: string[] = []
  const refused: string[] = []
  const ends: (() => void)[] = []
  const ask = async (client: Client | undefined, name = client?.[0] ?? 'nobody', more: {
    lane?: Lane, signal?: AbortSignal, longestMs?: number
  } = {}): Promise<void> => {
    const leave = await (more.lane ?? lane).enter(client, more.longestMs ?? longestMs, more.signal)
    if (leave === undefined) {
      refused.push(name)
      return
    }
    served.push(name)
    ends.push(leave)
  }
  /** Ends the stay of the one who was served first, `times` times. */
  const end = async (times = 1): Promise<void> => {
    for (let at = 0; at < times; at++) {
      await turn()
      ends.shift()?.()
    }
    await turn()
  }
  return { lanes, served, refused, ask, end }
}

const turn = async (): Promise<void> => { await new Promise((resolve) => { setImmediate(resolve) }) }

t.test('clients take turns, however many requests one of them has', async (t) => {
  const { lanes, served, ask, end } = ready(100, slots(1))
  for (const name of ['g1', 'g2', 'g3', 'g4', 'g5']) void ask(greedy, name)
  for (const name of ['s1', 's2']) void ask(second, name)
  void ask(undefined, 'n1')
  void ask(third, 't1')
  t.equal(lanes.waiting(), 8)
  await end(9)
  t.same(served, ['g1', 's1', 'n1', 't1', 'g2', 's2', 'g3', 'g4', 'g5'])
  t.equal(lanes.waiting(), 0)
})

t.test('whoever comes later and was served longer ago goes first', async (t) => {
  const { served, ask, end } = ready(100, slots(1))
  void ask(second)
  await end()
  void ask(greedy, 'g1')
  void ask(greedy, 'g2')
  await end()
  void ask(greedy, 'g3')
  void ask(second)
  await end(2)
  t.same(served, ['second', 'g1', 'g2', 'second', 'g3'])
})

t.test('a full queue takes the newest request from the client with most of them', async (t) => {
  const { lanes, served, refused, ask, end } = ready(3, {}, { atOnce: 1 })
  for (const name of ['g1', 'g2', 'g3', 'g4']) void ask(greedy, name)
  t.same([lanes.isFull(second), lanes.isFull(greedy)], [false, true])
  await ask(greedy, 'g5')
  t.same(refused, ['g5'], 'nobody else is there')
  void ask(second, 's1')
  await turn()
  t.same(refused, ['g5', 'g4'])
  void ask(third, 't1')
  await turn()
  t.same(refused, ['g5', 'g4', 'g3'])
  t.equal(lanes.isFull(second), true, 'each has one')
  await ask(second, 's2')
  t.same(refused, ['g5', 'g4', 'g3', 's2'])
  await end(4)
  t.same(served, ['g1', 's1', 't1', 'g2'])
})

t.test('the addresses of a network count together, a quarter of it each time', async (t) => {
  const { refused, ask } = ready(10, slots(1))
  void ask(third)
  for (let at = 0; at < 10; at++) void ask([`address ${at}`, 'one network'])
  void ask(second, 's1')
  await turn()
  t.same(refused, ['address 9'], 'ten of a network weigh more than one of another')
  void ask(second, 's2')
  await turn()
  t.same(refused, ['address 9', 'address 8'])
})

t.test('who cannot be served in time is refused at once, who leaves takes no place, and nobody waits longer than it may', async (t) => {
  const clock = { now: 0 }
  const { lanes, served, refused, ask } = ready(100, { apartMs: () => 500 }, { longestMs: 1200, now: () => clock.now })
  void ask(greedy, 'g1')
  void ask(greedy, 'g2')
  void ask(greedy, 'g3')
  await ask(greedy, 'g4')
  t.same([served, refused, lanes.waiting()], [['g1'], ['g4'], 2], 'turns after 500 and 1000 ms, but not after 1500')
  void ask(second, 's1')
  await turn()
  t.same(refused, ['g4', 'g3'])
  const leaving = new AbortController()
  const lane = lanes.open(slots(1))
  const all = [
    ask(third, 'slot', { lane }), ask(third, 'leaves', { lane, signal: leaving.signal }),
    ask(third, 'waits', { lane, longestMs: 1 })
  ]
  leaving.abort()
  await Promise.all(all)
  t.same(served.slice(1).sort(), ['leaves', 'slot'], 'without a slot: it has ended')
  t.ok(refused.includes('waits'))
  await ask(third, 'ended before', { lane, signal: leaving.signal })
  t.ok(served.includes('ended before'))
})

t.test('a turn that a timer gave a fraction of a millisecond early does not cost the next one its own', async (t) => {
  const { options: { now, timers }, advance } = testClock()
  const whole = { ...timers, setTimeout: ((
    run: (slack?: number) => void, ms: number, slack?: number
  ) => timers.setTimeout(run, Math.trunc(ms), slack)) as typeof setTimeout }
  const { served, refused, ask } = ready(100, { apartMs: () => 1000 }, { now, timers: whole, longestMs: 1000 })
  void ask(greedy, '1')
  await advance(0.5)
  for (const name of ['2', '3', '4']) {
    void ask(greedy, name)
    await advance(name === '2' ? 999 : 1000)
  }
  t.same([served, refused], [['1', '2', '3', '4'], []])
})

t.test('a queue in which nobody waits any more holds no process', async (t) => {
  const timers = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length
  const before = timers()
  // No turn is too far for them, and none comes while they wait.
  const { lanes, served, ask } = ready(100, { apartMs: () => 60_000 })
  await ask(third)
  const leaving = [new AbortController(), new AbortController()] as const
  const all =
    [ask(greedy, 'first', { signal: leaving[0].signal }), ask(second, 'second', { signal: leaving[1].signal })]
  leaving[0].abort()
  await all[0]
  t.same([lanes.waiting(), timers()], [1, before + 1], 'the next turn is waited for')
  leaving[1].abort()
  await all[1]
  t.same([lanes.waiting(), timers(), served], [0, before, ['third', 'first', 'second']])
})

t.test('one client does not use up the burst of a host: others go at once, and it goes on at the pace', async (t) => {
  const clock = { now: 0 }
  const lane = createLanes({ now: () => clock.now, timers: testClock().options.timers })
    .open({ apartMs: () => 20, burst: 200 })
  // Whoever has left does not wait: it goes at once or not at all.
  const left = AbortSignal.abort()
  const burst = (client: Client | undefined): number => {
    let count = 0
    while (!(lane.enter(client, Infinity, left) instanceof Promise)) count++
    return count
  }
  t.equal(burst(greedy), 100)
  let went = 0
  for (clock.now = 20; clock.now <= 10_000; clock.now += 20) went += burst(greedy)
  t.equal(went, 500, 'its share grows again at the pace')
  t.ok(burst(second) >= 50, 'what is left is for others')
  t.ok(burst(third) >= 25)
  clock.now += 4000
  t.strictSame([burst(undefined), lane.dueMs()], [200, 20])
})

t.test('the turns of the search go to the client whose last one is longest ago', async (t) => {
  const clock = { now: 0 }
  const turns = createSearchTurns({
    searchIntervalMs: 600, searchSlowIntervalMs: 4000, searchPauseMs: 60_000, upstreamQueueMs: 1000
  }, clockOf({ now: () => clock.now }))
  const { signal } = new AbortController()
  const told: string[] = []
  const search = async (client: Client, name: string): Promise<void> => {
    await turns.take({ program: 'web', loggedIn: false, client }, 'search', signal, 0)
      .then(() => { told.push(name) }, ({ code }: { code: string }) => { told.push(`${name} ${code}`) })
  }
  await search(greedy, 'g1')
  const waiting = search(greedy, 'g2')
  await search(greedy, 'g3')
  t.same(told, ['g1', 'g3 UPSTREAM_PAUSED'], 'one waits at most')
  const polite = search(second, 's1')
  await waiting
  t.same(told, ['g1', 'g3 UPSTREAM_PAUSED', 'g2 UPSTREAM_PAUSED'], 'it gives way to whom was not served yet')
  await search(greedy, 'g4')
  await polite
  t.same(told.slice(3), ['g4 UPSTREAM_PAUSED', 's1'])
})
