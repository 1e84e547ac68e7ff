/** The ledger: what clients hold and have caused is counted for an address, for the networks around it, and for all. */
import t from 'tap'
import { createHolding, createUsage, type Client } from '../../src/common/ledger.ts'

const client = (...names: [string, ...string[]]): Client => names

t.test('a client has its share, and all have the total', async (t) => {
  const seats = createHolding({ total: 4, share: 2, reserved: 0 })
  const [a, b, c] = [client('a'), client('b'), client('c')]
  t.same([a, a, a].map((one) => seats.take(one)), [true, true, false])
  t.ok(seats.isFull(a))
  t.notOk(seats.isFull(b))
  t.same([b, undefined, c, b, undefined].map((one) => seats.take(one)), [true, true, false, false, false])
  t.same(seats.state(), { largest: 2, refused: 4 })
  t.strictSame([seats.all(), seats.largest()], [4, 'a'])
  seats.give(undefined)
  t.notOk(seats.take(a), 'what another returned is not for the one who has its share')
  seats.give(a)
  t.same([seats.heldBy(a), seats.all()], [1, 2])
  t.ok(seats.take(a))
  seats.give(b)
  t.same([b, b, c].map((one) => seats.take(one)), [true, true, false])
  for (const one of [a, a, b, b]) seats.give(one)
  t.same(seats.state(), { largest: 0, refused: 6 })
  t.same([seats.all(), seats.largest()], [0, undefined], 'empty accounts are gone')
})

t.test('a network holds four times the share of an address, and the network around it sixteen times', async (t) => {
  const seats = createHolding({ total: 1000, share: 2, reserved: 0 })
  let held = 0
  for (let address = 0; address < 100; address++) {
    for (const _seat of [1, 2, 3]) if (seats.take(client(`address ${address}`, 'narrow', 'wide'))) held++
  }
  t.equal(held, 8, 'one /56')
  for (let address = 0; address < 100; address++) {
    if (seats.take(client(`further ${address}`, `narrow ${address}`, 'wide'))) held++
  }
  t.equal(held, 32, 'one /48')
  t.ok(seats.take(client('elsewhere', 'other', 'far')))
})

t.test('a part of the total is kept for clients who hold nothing', async (t) => {
  const seats = createHolding({ total: 10, share: 9, reserved: 3 })
  const greedy = client('greedy')
  t.equal(Array.from({ length: 9 }, () => seats.take(greedy)).filter(Boolean).length, 7)
  t.same(['a', 'b', 'c', 'd'].map((name) => seats.take(client(name))), [true, true, true, false])
})

t.test('nobody in particular has no share, and what cannot be refused is charged all the same', async (t) => {
  const bytes = createHolding({ total: 9, share: 1, reserved: 0 })
  t.equal(Array.from({ length: 12 }, () => bytes.take(undefined)).filter(Boolean).length, 9)
  const reader = client('reader')
  bytes.charge(reader, 50)
  t.same([bytes.all(), bytes.heldBy(reader), bytes.isFull(client('other'))], [59, 50, true])
  bytes.give(reader, 50)
  bytes.give(undefined, 9)
  t.same([bytes.all(), bytes.isFull(reader)], [0, false])
})

t.test('what a client has caused counts for a minute', async (t) => {
  let now = 0
  const calls = createUsage(20, 2, () => now)
  const [a, b] = [client('a', 'network'), client('b', 'network')]
  calls.charge(a, 19)
  t.equal(calls.waitMs(a), 0)
  now = 15_000
  calls.charge(a, 5)
  t.strictSame([calls.waitMs(a), calls.waitMs(b), calls.waitMs(undefined)], [45_000, 0, 0])
  calls.charge(undefined, 100)
  t.same(calls.state(), { largest: 24, refused: 1 })
  now = 60_000
  t.same([calls.waitMs(a), calls.state().largest], [0, 0], 'a new minute')
  for (const name of ['x', 'y', 'z']) calls.charge(client(name), 20)
  t.same(
    ['x', 'y', 'z'].map((name) => calls.waitMs(client(name))), [0, 60_000, 60_000],
    'a bounded number of clients is remembered'
  )
})

t.test('a network may cause four times as much as an address, and be compared with one', async (t) => {
  const calls = createUsage(10, 100, () => 0)
  for (let address = 0; address < 8; address++) calls.charge(client(`address ${address}`, 'narrow', 'wide'), 5)
  t.strictSame([
    calls.waitMs(client('address 9', 'narrow', 'wide')), calls.waitMs(client('address 9', 'other', 'wide'))
  ], [60_000, 0])
  for (let address = 10; address < 34; address++) calls.charge(client(`address ${address}`, `narrow ${address}`, 'wide'), 5)
  t.equal(calls.waitMs(client('address 9', 'other', 'wide')), 60_000)
  t.same(calls.state(), { largest: 5, refused: 2 })

  const seats = createHolding({ total: 100, share: Infinity, reserved: 0 })
  seats.take(client('one', 'its own'), 3)
  for (let address = 0; address < 16; address++) seats.take(client(`of many ${address}`, 'network'))
  t.same(['one', 'of many 0', 'nobody'].map((name) => seats.loadOf(
    client(name, name === 'of many 0' ? 'network' : 'its own')
  )), [3, 4, 0.75])
})

t.test('whoever shares what is free leaves something, a network a fifth, and those who are nobody in particular do not share', async (t) => {
  const few = createHolding({ total: 1, share: 'free', reserved: 0 })
  t.ok(few.take(client('a')))
  const many = createHolding({ total: 32, share: 'free', reserved: 0 })
  const taken = Array.from({ length: 40 }, (_, at) => many.take(client(`address ${at}`, 'one network'))).filter(Boolean)
  t.ok(taken.length <= 26, `${taken.length}`)
  const slots = createHolding({ total: 8, share: 'free', reserved: 0 })
  const most = (one: Client | undefined): number => {
    let taken = 0
    while (slots.take(one)) taken++
    return taken
  }
  t.same([most(client('a')), most(client('b')), most(client('c'))], [4, 2, 1])
  slots.give(client('a'), 4)
  t.equal(most(undefined), 5)
  t.ok(slots.isFull(client('d')))
})
