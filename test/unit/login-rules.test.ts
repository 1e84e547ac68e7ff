/**
 * Login rules that need no connection: how a step fails, which callers share a check, how many may wait, what is
 * remembered.
 */
import { getEventListeners } from 'node:events'
import t from 'tap'
import { RelayError } from '../../src/common/errors.ts'
import { failure, type Kind } from '../../src/common/kinds.ts'
import { createTtlMap } from '../../src/common/ttlMap.ts'
import { createSingleFlight, type SharedWork } from '../../src/upstream/login/singleFlight.ts'
import { scanPagesOf } from '../../src/upstream/login/scan.ts'
import { step, unusablePoll } from '../../src/upstream/login/steps.ts'

t.test('a step ends in its one failure, a late one in LOGIN_TIMEOUT, and a bug stays a bug', async (t) => {
  const failing = (kind: Kind) => async () => { throw failure(kind, { call: 'c' }) }
  t.strictSame([await step('code', () => 'value'), await step('code', async () => '')], ['value', ''], 'an empty text is there')
  for (const [name, code] of [['qr', 'QR_UNAVAILABLE'], ['sign', 'LOGIN_SIGN_URL'], ['p_skey', 'LOGIN_P_SKEY'], ['redirect', 'LOGIN_NO_REDIRECT'], ['code', 'LOGIN_NO_CODE'], ['exchange', 'LOGIN_REFUSED']] as const) {
    await t.rejects(step(name, () => undefined), { code, outcome: name, fault: 'caller' })
    await t.rejects(step(name, failing('reset')), { code, cause: { code: 'UPSTREAM_UNREACHABLE' } })
    await t.rejects(step(name, failing('late.body')), { code: 'LOGIN_TIMEOUT', call: 'c', outcome: 'body_timeout' })
  }
  await t.rejects(step('qr', () => { throw new TypeError('a bug') }), TypeError)
  await t.rejects(step('qr', () => { throw new RelayError('OVERLOADED', 'full') }), { code: 'OVERLOADED' })
  for (const [status, code, outcome] of [
    [500, 'UPSTREAM_UNREACHABLE', 'http_500'], [503, 'UPSTREAM_UNREACHABLE', 'http_503'],
    [499, 'LOGIN_REFUSED', 'http_499'], [302, 'LOGIN_REFUSED', 'http_302'], [200, 'UPSTREAM_UNREADABLE', 'bad_payload']
  ] as const) {
    t.match(unusablePoll({
      call: 'login', status, contentType: undefined, location: undefined, cookies: new Map(), bytes: new Uint8Array()
    }), { code, outcome }, String(status))
  }
})

/** Work that the test ends. */
function work () {
  let resolve = (_value: string): void => {}
  let reject = (_error: Error): void => {}
  const done = new Promise<string>((...ends) => { [resolve, reject] = ends })
  const begun: SharedWork[] = []
  return {
    resolve, reject, begun,
    start: async (flight: SharedWork): Promise<string> => { begun.push(flight); return await done }
  }
}
const turn = async (): Promise<void> => { await new Promise((resolve) => { setImmediate(resolve) }) }

t.test('who asks for the same while it is under way waits for the same result, and the next one begins anew', async (t) => {
  const flights = createSingleFlight<string>(2)
  const [first, second] = [work(), work()]
  const replies = [
    flights.join('a', undefined, first.start), flights.join('a', undefined, second.start),
    flights.join('a', new AbortController().signal, second.start)
  ]
  await turn()
  first.resolve('one')
  t.same(await Promise.all(replies), ['one', 'one', 'one'])
  t.same([first.begun.length, second.begun.length], [1, 0])
  second.resolve('two')
  t.equal(await flights.join('a', undefined, second.start), 'two')
  const failing = work()
  const told = [flights.join('a', undefined, failing.start), flights.join('a', undefined, failing.start)]
    .map(async (reply) => { await t.rejects(reply, { message: 'no' }) })
  failing.reject(new Error('no'))
  await Promise.all(told)
})

t.test('work ends when its last caller leaves, unless it has passed the point of no return', async (t) => {
  const flights = createSingleFlight<string>(9)
  const [one, two] = [new AbortController(), new AbortController()]
  const lonely = work()
  const replies = [one, two].map(({ signal }) => flights.join('a', signal, lonely.start))
  const told =
    replies.map(async (reply) => { await t.rejects(reply, { code: 'UPSTREAM_TIMEOUT', outcome: 'client_gone' }) })
  await turn()
  one.abort()
  await told[0]
  t.equal(lonely.begun[0]?.signal.aborted, false, 'somebody still waits')
  two.abort()
  await told[1]
  t.equal(lonely.begun[0]?.signal.aborted, true)
  const again = work()
  const later = flights.join('a', undefined, again.start)
  await turn()
  t.equal(again.begun.length, 1, 'nobody joins what was given up')
  lonely.reject(new Error('nobody hears this'))
  await turn()
  const joined = flights.join('a', undefined, work().start)
  again.resolve('again')
  t.same(await Promise.all([later, joined]), ['again', 'again'], 'the end of what was given up ends nothing else')

  const [leaving, precious] = [new AbortController(), work()]
  const left =
    t.rejects(flights.join('b', leaving.signal, precious.start), { code: 'UPSTREAM_TIMEOUT', outcome: 'client_gone' })
  await turn()
  precious.begun[0]?.commit()
  leaving.abort()
  await left
  t.equal(precious.begun[0]?.signal.aborted, false)
  const back = flights.join('b', undefined, work().start)
  precious.resolve('kept')
  t.equal(await back, 'kept')

  const unwanted = work()
  await t.rejects(
    flights.join('c', AbortSignal.abort(), unwanted.start), { code: 'UPSTREAM_TIMEOUT', outcome: 'client_gone' }
  )
  t.equal(unwanted.begun.length, 0, 'who has left already begins nothing')
  const { signal } = new AbortController()
  for (let times = 0; times < 3; times++) await flights.join('d', signal, async () => 'at once')
  t.same(getEventListeners(signal, 'abort'), [], 'one signal may serve many questions')
})

t.test('only so much is followed at once, and nothing when the relay stops', async (t) => {
  const flights = createSingleFlight<string>(2)
  const [one, two] = [work(), work()]
  const told = [flights.join('a', undefined, one.start), flights.join('b', undefined, two.start)]
    .map(async (reply) => { await t.rejects(reply, { code: 'STOPPING', retryAfter: 5 }) })
  await t.rejects(flights.join('c', undefined, one.start), { code: 'OVERLOADED', retryAfter: 5 })
  await turn()
  flights.stop()
  await Promise.all(told)
  t.same([one, two].map(({ begun }) => begun[0]?.signal.aborted), [true, true])
  await t.rejects(flights.join('a', undefined, one.start), { code: 'STOPPING' })
  flights.stop()
})

t.test('what is remembered for a while is bounded in number and time', async (t) => {
  let now = 0
  const memory = createTtlMap<string>(2, 100, () => now)
  t.equal(memory.get('a'), undefined)
  memory.set('a', 'x')
  now = 50
  memory.set('b', 'x')
  memory.set('a', 'x')
  memory.set('c', 'x')
  t.same(
    ['a', 'b', 'c'].map((key) => memory.get(key) !== undefined), [true, false, true], 'the one longest untouched goes'
  )
  now = 149
  t.same(['a', 'c'].map((key) => memory.get(key) !== undefined), [true, true])
  memory.delete('a')
  t.same(['a', 'c'].map((key) => memory.get(key) !== undefined), [false, true])
  now = 150
  t.equal(memory.get('c'), undefined)
  now = 149
  t.equal(memory.get('c'), undefined, 'what expired is gone, and not only hidden')
})

t.test('only an upstream on this machine has pages that stand for the phone', async (t) => {
  t.same(['http://127.0.0.1:4200', 'http://localhost:1', 'https://mirror.example', ''].map(scanPagesOf), ['http://127.0.0.1:4200/scan', 'http://localhost:1/scan', undefined, undefined])
})
