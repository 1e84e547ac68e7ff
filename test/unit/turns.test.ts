/** Long work shares the event loop: one slice in a turn, clients in turn, and one large answer of a client at a time. */
import fc from 'fast-check'
import t from 'tap'
import { createWorkCount } from '../../src/common/ledger.ts'
import { createFinished } from '../../src/relay/finished.ts'
import { jsonTextOf } from '../../src/common/size.ts'
import { createReads, createTurns } from '../../src/common/turns.ts'
import { runs } from '../support/whole.ts'

t.test('one slice of all long work runs in a turn; clients take turns, the oldest request of each first', async (t) => {
  const turns = createTurns(5000)
  const done: string[] = []
  const perTurn: number[] = []
  let rows = 0
  let on = true
  const probe = (): void => {
    perTurn.push(rows)
    rows = 0
    if (on) setImmediate(probe)
  }
  const copy = async (name: string, client: [string]): Promise<void> => {
    const made = await turns.begin(client)
      .rows(Array.from({ length: 100 }, (_, at) => at), (at) => { rows++; return at * 2 })
    t.same([made.length, made[99]], [100, 198])
    done.push(name)
  }
  const all = Promise.all([copy('a1', ['a']), copy('a2', ['a']), copy('a3', ['a']), copy('b1', ['b'])])
  probe()
  await all
  on = false
  t.same(done, ['a1', 'b1', 'a2', 'a3'])
  t.ok(Math.max(...perTurn.slice(1)) <= 10, `${Math.max(...perTurn.slice(1))} rows in a turn`)
})

t.test('a client makes one large answer at a time, others do not wait for it, and an end always lets the next one begin', async (t) => {
  const turns = createTurns(1)
  const works = [['a'], ['a'], ['a'], ['b'], undefined].map((client) => turns.begin(client as [string] | undefined))
  const begun: number[] = []
  const waits = works.map(async (work, at) => { await work.alone(); begun.push(at) })
  await Promise.all([waits[0], waits[3], waits[4]])
  t.same(begun, [0, 3, 4])
  works[1]?.end() // who waited has left
  works[0]?.end()
  await Promise.all(waits)
  t.same(begun, [0, 3, 4, 1, 2])
  for (const work of works) work.end()
  await turns.begin(['a']).alone()
})

t.test('answers that arrive in one turn of the loop are read in several, in their order, and one is read at once', async (t) => {
  const reads = createReads(100)
  t.equal(reads(5000), undefined)
  const order: number[] = []
  const perTurn: number[] = []
  let on = true
  const probe = (): void => {
    perTurn.push(order.length)
    if (on) setImmediate(probe)
  }
  probe()
  await Promise.all([40, 40, 40, 200, 1, 1].map(async (bytes, at) => { await reads(bytes); order.push(at) }))
  on = false
  t.same(order, [0, 1, 2, 3, 4, 5])
  t.same([...new Set(perTurn)].filter((count) => count > 0 && count < 6), [2, 3, 4])
})

t.test('the heaviest clients are those that caused half of the work since the last look', async (t) => {
  const work = createWorkCount(3)
  for (const [name, bytes] of [['a', 10], ['b', 60], ['c', 20], ['a', 35], ['d', 1000]] as const) {
    work.charge([name], bytes)
  }
  work.charge(undefined, 5000)
  t.same(work.heaviest(), ['b', 'a'], 'more clients than are counted apart count for none')
  t.same(work.heaviest(), [])
})

t.test('a finished answer is used while its pages are fresh, equal requests make it once, and failures and small ones are not kept', async (t) => {
  const finished = createFinished(100_000)
  const state = { fresh: true, made: 0 }
  const large = Buffer.alloc(20_000)
  const ask = async (body = large, key = 'k'): Promise<Buffer> => await finished.find(key, async () => {
    state.made++
    if (body.length === 1) throw new Error('failed')
    await new Promise((resolve) => { setImmediate(resolve) })
    finished.set(key, body, () => state.fresh)
    return body
  })
  await Promise.all([ask(), ask(), ask()])
  t.equal(state.made, 1)
  state.fresh = false
  await ask()
  await ask()
  t.equal(state.made, 3)
  await t.rejects(ask(Buffer.alloc(1), 'other'))
  await ask(Buffer.alloc(2), 'small')
  await ask(Buffer.alloc(2), 'small')
  t.equal(state.made, 6)
  state.fresh = true
  for (let at = 0; at < 20; at++) await ask(large, `k${at}`)
  t.equal(finished.get('k0'), undefined, 'all together have a bound')
  t.ok(finished.get('k19'))
})

t.test('a long JSON text is written in pieces, with turns in between, is the text of JSON.stringify, and stops at its limit', async (t) => {
  const pieces: number[] = []
  const work = { did: (bytes: number) => { pieces.push(bytes); return undefined } }
  await fc.assert(fc.asyncProperty(fc.jsonValue(), fc.integer({ min: 1, max: 60 }), async (value, size) => {
    t.equal(await jsonTextOf(value, Infinity, size, work), JSON.stringify(value))
  }), runs(t))
  const rows = {
    a: undefined, rows: Array.from({ length: 20_000 }, (_, at) => ({ at, name: 'x'.repeat(at % 50), none: undefined })),
    end: []
  }
  pieces.length = 0
  t.equal(await jsonTextOf(rows, 10_000_000, 1000, work), JSON.stringify(rows))
  t.ok(Math.max(...pieces) <= 1000 && pieces.length > 500)
  pieces.length = 0
  t.equal(await jsonTextOf(rows, 50_000, 1000, work), undefined)
  t.ok(pieces.reduce((sum, each) => sum + each, 0) < 52_000, 'what is too large is not made')
})
