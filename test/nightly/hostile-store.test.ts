/** Somebody else controls the shared store: no foreign answer, no crash, no hang, and clients are counted all the same. */
import type { Socket } from 'node:net'
import { Redis } from 'iovalkey'
import t from 'tap'
import { etagOf, type CacheEntry } from '../../src/cache/memory.ts'
import { ttlOf } from '../../src/cache/policy.ts'
import { createSeal, lifeOf } from '../../src/cache/sharedEntry.ts'
import { demoFor, serverOnWire, until } from '../support/helper.ts'
import { bulk, fakeStore, openedStore, startStore, without } from '../support/instances.ts'

const head =
  { etag: undefined, cacheControl: 'public, max-age=604800', sources: ['call'], policy: 'immutable', at: Date.now() }

/** What a store may answer to any command. Undefined: nothing. */
const replies: Readonly<Record<string, (socket: Socket) => string | undefined | void>> = {
  'nil': () => '$-1\r\n',
  'an empty list of nothing': () => '*-1\r\n',
  'a number': () => ':7\r\n',
  'a negative number': () => ':-7\r\n',
  'an error': () => '-LOADING the data set is being loaded\r\n',
  'an empty error': () => '-\r\n',
  'a word': () => '+OK\r\n',
  'a list': () => '*2\r\n:1\r\n:60000\r\n',
  'a list of texts': () => `*2\r\n${bulk('many')}${bulk('long')}`,
  'a list in lists': () => '*1\r\n'.repeat(200_000),
  'a list of a billion': () => '*1000000000\r\n',
  'a negative length': () => '$-999\r\n',
  'a length that is none': () => '$x\r\n',
  'no protocol': () => '<html>Hello</html>\r\n\r\n',
  'two answers': () => ':1\r\n:2\r\n',
  'an entry without an etag': () => bulk(`${JSON.stringify(head)}\n<html>foreign</html>`),
  'an entry with an etag': () => bulk(`${JSON.stringify({ ...head, etag: '"e"' })}\n<html>foreign</html>`),
  'an entry of 40 MB': () => bulk('foreign'.repeat(6_000_000)),
  'a part of an answer': (socket) => { socket.end('$100\r\nforeign') },
  'the end': (socket) => { socket.destroy() },
  'silence': () => undefined
}

t.test('whatever the store says, answers are the relay\'s own, and clients are counted', async (t) => {
  const demo = await demoFor(t)
  const alone = await serverOnWire(t, demo)
  const wanted = (await alone.get('/getRanks?topId=62&limit=2')).text
  for (const [name, answer] of Object.entries(replies)) {
    const server = await serverOnWire(t, demo, {
      cache: true, host: '0.0.0.0', rateLimit: 12,
      redisUrl: (await fakeStore(t, (_command, socket) => answer(socket))).url, redisSecret: 'of the instances',
      tuning: { redisTimeoutMs: 50, searchIntervalMs: 0 }
    })
    const statuses: number[] = []
    for (let times = 0; times < 4; times++) {
      for (const path of ['/getRanks?topId=62&limit=2', `/getLyric?songmid=00DemoSong000${times + 1}`]) {
        const reply = await server.get(path)
        statuses.push(reply.status)
        if (path.startsWith('/getRanks')) t.equal(reply.text, wanted, name)
        t.notMatch(reply.text, /foreign/, name)
      }
    }
    t.same([...new Set(statuses)], [200], name)
    // The store may say any number for a count, but what is no count is counted here.
    if (name !== 'a list') {
      const more =
        await Promise.all(Array.from({ length: 30 }, async () => (await server.get('/getImageUrl?id=a')).status))
      t.ok(more.includes(429), `${name}: counted`)
    }
  }
})

t.test('a good store is used however much it has sent, and one that sent too much is connected to again', async (t) => {
  const seal = createSeal('secret')
  const big = entry(JSON.stringify('x'.repeat(900_000)), 0)
  const places = new Map<string, Buffer>()
  let flood = false
  const { url, seen } = await fakeStore(t, (command, _socket, place) => {
    if (command === 'pttl') return `:${lifeOf(big.policy)}\r\n`
    if (command !== 'get') return '+OK\r\n'
    if (flood) return Buffer.concat([Buffer.from('$99000000\r\n'), Buffer.alloc(20_000_000)])
    if (!places.has(place)) places.set(place, seal.pack(place, big, 0))
    const packed = places.get(place) as Buffer
    return Buffer.concat([Buffer.from(`$${packed.length}\r\n`), packed, Buffer.from('\r\n')])
  })
  const connections = (): number => seen.filter((name) => name === 'connection').length
  const cache = (await openedStore(t, url, 'secret')).cacheFor(() => 0, [])
  await until(async () => await cache.read('a') !== undefined)
  const lengths = new Set<number | undefined>()
  for (let times = 0; times < 60; times++) lengths.add((await cache.read('a'))?.body.length)
  t.same([[...lengths], connections()], [[big.body.length], 1], 'after 60 MB')
  flood = true
  t.equal(await cache.read('a'), undefined)
  flood = false
  await until(async () => await cache.read('a') !== undefined)
  t.ok(connections() >= 2, 'connected again')
})

const entry = (body: string, since: number): CacheEntry => ({
  body: Buffer.from(body), etag: etagOf(Buffer.from(body)), cacheControl: 'public, max-age=600', sources: ['call'],
  policy: 'lively', since
})

t.test('an entry is believed where an instance wrote it, with its bytes, for its time', async (t) => {
  const clock = { wall: 1_000_000_000 }
  const seal = createSeal('secret', () => clock.wall)
  const { fresh, staleIfError } = ttlOf.lively
  const life = fresh + staleIfError
  const packed = seal.pack('place', entry('{"a":1}', 400), 1000)
  t.same(seal.unpack('place', packed, life - 600, 1000), entry('{"a":1}', 400))
  for (const [what, name, bytes, left] of [
    ['another place', 'other', packed, life], ['no time left', 'place', packed, 0], ['no end', 'place', packed, -1],
    ['no time', 'place', packed, null], ['nothing', 'place', null, life],
    ['a text', 'place', packed.toString(), life], ['too little', 'place', packed.subarray(0, 32), life],
    ['another body', 'place', Buffer.concat([packed.subarray(0, -1), Buffer.from(']')]), life],
    ['another head', 'place', Buffer.from(packed.toString('latin1').replace('lively', 'charts'), 'latin1'), life],
    ['the form of old', 'place', Buffer.from(`${JSON.stringify(head)}\n{}`), life]
  ] as const) t.equal(seal.unpack(name, bytes, left, 1000), undefined, what)
  t.equal(createSeal('other').unpack('place', packed, life, 1000), undefined, 'of somebody with another secret')
  for (const strange of [{ policy: 'eternal' }, { policy: 'toString' }, { sources: undefined, source: 'call' }]) {
    const other = seal.pack('place', { ...entry('{}', 400), ...strange } as CacheEntry, 1000)
    t.equal(seal.unpack('place', other, life - 600, 1000), undefined, `of another version: ${JSON.stringify(strange)}`)
  }
  // Put back with a new end, it is as old as it is.
  clock.wall += 3 * fresh
  t.equal(seal.unpack('place', packed, life, 1000 + 3 * fresh)?.since, 400 + 60_000, 'a minute may be the difference of two clocks')
  clock.wall += life
  t.equal(seal.unpack('place', packed, life, 1000), undefined)
})

t.test('entries of a real store that are moved, changed or kept are not used', { skip: without('redis-server') }, async (t) => {
  const demo = await demoFor(t)
  const store = await startStore(t)
  const relay = async () => {
    const server = await serverOnWire(
      t, demo, { cache: true, redisUrl: store.url, redisSecret: 'of the instances', tuning: { redisTimeoutMs: 20_000 } }
    )
    // It listens before it is connected to the store, and until then it works alone.
    await until(async () => (await server.get('/health/upstream')).body.sharedStore === 'up')
    return server
  }
  const [one, two] = [await relay(), await relay()]
  const hand = new Redis(store.url)
  t.teardown(() => { hand.disconnect() })
  const entries = async (): Promise<string[]> =>
    (await hand.keys('music-relay:*')).filter((key) => !/:count:|:turn$/.test(key))
  const shared = async (count: number): Promise<void> => { await until(async () => (await entries()).length >= count) }
  await until(async () => { await one.get('/getLyric/00DemoSong0009'); return (await entries()).length === 1 })
  const [first = ''] = await entries()
  const hot = await one.get('/getHotkey')
  await shared(2)
  const second = (await entries()).find((key) => key !== first) ?? ''
  t.equal((await two.get('/getHotkey')).headers.get('x-cache'), 'HIT', 'as long as nobody meddles, it is shared')
  const three = await relay()
  await hand.copy(first, second, 'REPLACE')
  const again = await three.get('/getHotkey')
  t.same([again.headers.get('x-cache'), again.text], ['MISS', hot.text], 'the answer to another question is not taken')
})
