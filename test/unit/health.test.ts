/** What turns hosts and calls off, for how long, and what brings them back. */
import t from 'tap'
import { failure, type Kind } from '../../src/common/kinds.ts'
import { callHealthLimits, createCallHealth, createHostHealth, hostHealthLimits } from '../../src/upstream/health.ts'

const { circuitFailures, circuitSamples, circuitWindowMs, circuitPauseMs, hostFailingParts } = hostHealthLimits
const { fallbackFailures, fallbackPauseMs } = callHealthLimits

/** A host, its clock, and what happens to it: `ok` or a kind of failure. */
function hostOn (limits: Partial<typeof hostHealthLimits> = {}) {
  const clock = { now: 1_000_000 }
  const host = createHostHealth({ ...hostHealthLimits, ...limits }, () => clock.now)
  const ends = (kind: Kind | 'ok', part = 'a part'): unknown => {
    host.assertUp('a call')
    return host.begin([part])(kind === 'ok' ? undefined : failure(kind, { call: 'a call', word: 500, retryAfter: 7 }))
  }
  const times = (count: number, kind: Kind | 'ok'): void => { for (let at = 0; at < count; at++) ends(kind) }
  return { clock, host, ends, times }
}

t.test('failures in a row turn a host off; an answer between them, and what says nothing of the host, do not', async (t) => {
  for (const kind of ['reset', 'connect.refused', 'late', 'late.headers', 'dns'] as const) {
    const { host, times, ends } = hostOn()
    times(circuitFailures - 1, kind)
    ends('ok')
    times(circuitFailures - 1, kind)
    t.equal(host.state(), 'closed', kind)
    ends(kind)
    t.strictSame([host.state(), host.waitMs()], ['open', circuitPauseMs], kind)
    t.throws(() => { host.assertUp('a call') }, {
      code: 'UPSTREAM_PAUSED', outcome: 'paused', retryAfter: circuitPauseMs / 1000
    })
  }
  for (const kind of ['left', 'refused', 'refused.http', 'unreadable', 'empty', 'missing', 'full', 'stopping'] as const) {
    const { host, times } = hostOn()
    times(circuitFailures - 1, 'reset')
    times(100, kind)
    t.equal(host.state(), 'closed', kind)
    times(1, 'reset')
    t.equal(host.state(), 'open', `${kind} is no answer either`)
  }
})

t.test('a share of failures turns a host off, of enough requests within its window', async (t) => {
  const { host, clock, ends, times } = hostOn()
  const half = (pairs: number): void => { for (let at = 0; at < pairs; at++) { ends('reset'); ends('ok') } }
  half(circuitSamples / 2)
  t.equal(host.state(), 'closed', 'half of them')
  ends('reset')
  t.equal(host.state(), 'open', 'more than half')
  const other = hostOn()
  other.ends('ok')
  for (let at = 0; at < circuitSamples - 2; at++) other.ends(at % 3 === 0 ? 'ok' : 'reset')
  t.equal(other.host.state(), 'closed', 'too few')
  other.clock.now += circuitWindowMs + 1000
  other.ends('reset')
  t.equal(other.host.state(), 'closed', 'the others are long ago')
  clock.now += circuitPauseMs
  ends('ok')
  times(1, 'reset')
  t.equal(host.state(), 'closed', 'it begins anew')
})

t.test('one request tries a host that is off, and decides', async (t) => {
  for (const [kind, state] of [['ok', 'closed'], ['refused', 'closed'], ['reset', 'open'], ['left', 'open']] as const) {
    const { host, clock, times } = hostOn({ circuitFailures: 1 })
    times(1, 'reset')
    clock.now += circuitPauseMs
    t.strictSame([host.state(), host.waitMs()], ['half-open', 0])
    host.assertUp('first')
    const end = host.begin(['a part'])
    t.equal(host.state(), 'half-open')
    t.throws(() => { host.assertUp('second') }, { code: 'UPSTREAM_PAUSED', retryAfter: 1 }, 'the others do not')
    end(kind === 'ok' ? undefined : failure(kind, { call: 'first' }))
    t.equal(host.state(), state, kind)
  }
})

t.test('a 5xx is the fault of its call until several parts fail, or no part answers', async (t) => {
  const { ends, clock } = hostOn()
  const fault = (part: string, kind: Kind = 'failing'): unknown => (ends(kind, part) as { kind?: unknown }).kind
  for (let part = 1; part < hostFailingParts; part++) t.equal(fault(`part ${part}`), 'failing')
  t.equal(fault('part 1'), 'failing', 'the same part')
  t.same([fault(`part ${hostFailingParts}`), fault('part 1', 'failing.late')], ['down', 'down.late'])
  ends('ok', 'part 1')
  t.equal(fault('part 2'), 'failing', 'one of them answers')
  clock.now += circuitWindowMs + 1
  for (let at = 1; at < circuitFailures; at++) t.equal(fault('part 1'), 'failing')
  t.equal(fault('part 1'), 'down', 'no part answers')
})

t.test('a host that asks for a pause gets it', async (t) => {
  const { host, clock, ends } = hostOn()
  ends('throttled')
  t.strictSame([host.state(), host.waitMs()], ['paused', 7000])
  t.throws(() => { host.assertUp('a call') }, { code: 'UPSTREAM_PAUSED', retryAfter: 7 })
  clock.now += 7000
  t.strictSame([host.state(), host.waitMs()], ['closed', 0])
})

t.test('a call that fails in a row by its own fault is left out, tried once a pause, and back after an answer; with a login apart', async (t) => {
  const clock = { now: 1_000_000 }
  const calls = createCallHealth(callHealthLimits, () => clock.now)
  const call = { name: 'a call' }
  const fails = (kind: Kind, loggedIn = false): void => {
    calls.failed(call, loggedIn, failure(kind, { call: 'a call', word: 'x' }))
  }
  for (let at = 0; at < 2 * fallbackFailures; at++) {
    for (const kind of ['reset', 'late', 'missing', 'refused', 'empty'] as const) fails(kind)
  }
  for (let at = 1; at < fallbackFailures; at++) fails('retired')
  t.equal(calls.isOff(call, false), false)
  calls.contradicted(call, false)
  t.strictSame([calls.isOff(call, false), calls.isOff(call, true), calls.off()], [true, false, ['a call']])
  clock.now += fallbackPauseMs
  t.strictSame([calls.off(), calls.isOff(call, false), calls.isOff(call, false)], [[], false, true], 'one tries it')
  calls.answered(call, true)
  t.equal(calls.isOff(call, false), true)
  calls.answered(call, false)
  t.strictSame([calls.isOff(call, false), calls.off()], [false, []])
})
