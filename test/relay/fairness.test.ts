/** Clients beside each other: who pays for upstream calls, who waits for greedy ones, and who gets the places of waiting logins. */
import t, { type Test } from 'tap'
import type { RelayOptions } from '../../src/library/relay.ts'
import { testClock } from '../support/clock.ts'
import { demoFor, serverFor, timesAsked, until, type Reply } from '../support/helper.ts'
import { settled } from '../support/settled.ts'
import { served, test } from '../support/stage.ts'
import { chart as wholeChart, siteSearch, songDetail as detail } from '../support/wires.ts'

/** Settings of a public relay behind a proxy on this machine. */
const open: RelayOptions = { host: '0.0.0.0', trustProxy: ['127.0.0.1'] }
const from = (address: string, more: Record<string, string> = {}): { headers: Record<string, string> } =>
  ({ headers: { 'x-forwarded-for': address, ...more } })
const chart = '/getRanks?topId=28&limit=20&resolveMid=true'
const [greedy, polite] = ['203.0.113.5', '198.51.100.6']
const codeOf = ({ status, body }: Reply): string => status === 200 ? '200' : `${status} ${body.code}`

t.test('a client pays for the upstream calls that its requests cause, and may read what is cached all the same', async (t) => {
  const clock = { now: 1_000_000 }
  const demo = await demoFor(t)
  const server = await serverFor(
    t, demo, { ...open, cache: true, rateLimit: 20, tuning: { callsPerRequest: 0.5 }, now: () => clock.now }
  )
  const ask = async (path: string, address = greedy, more = {}): Promise<Reply> =>
    await server.get(path, from(address, more))
  t.strictSame([codeOf(await ask('/getHotkey')), codeOf(await ask(chart))], ['200', '200'])
  t.ok(demo.calls(detail).length > 10, 'a request that has begun is finished')
  clock.now += 15_500
  demo.reset()
  const refused = await ask('/getSongLists?limit=3')
  t.same([refused.status, refused.body.code, refused.headers.get('retry-after')], [429, 'RATE_LIMITED', '45'])
  t.equal(refused.body.error, 'The requests of this client caused too many calls to the upstream; try again in 45 s.')
  t.equal(codeOf(await ask('/getDailyRecommend', greedy, { 'x-custom-cookie': 'uin=o10001; provider_key=Q_H_L_own' })), '429 RATE_LIMITED', 'a login has no limit of its own')
  t.same([codeOf(await ask('/getAltLoginQr')), codeOf(await ask('/getMainLoginQr'))], ['429 RATE_LIMITED', '429 RATE_LIMITED'])
  for (const [path, body] of [
    ['/checkAltLoginQr', { uuid: '0123456789abcdef' }], ['/checkMainLoginQr', { qrsig: 'a'.repeat(64), ptqrtoken: 1 }]
  ] as const) {
    t.equal(codeOf(await server.post(path, body, from(greedy))), '429 RATE_LIMITED', path)
  }
  t.strictSame([demo.received.length, (await ask(chart)).headers.get('x-cache')], [0, 'HIT'])
  t.equal(codeOf(await ask('/getImageUrl?id=00DemoAlbu0001')), '200', 'what asks nobody is free')
  t.equal(codeOf(await ask('/getSongLists?limit=3', polite)), '200', 'others go on')
  t.equal((await ask('/getSongLists?limit=3')).headers.get('x-cache'), 'HIT', 'and what they fetched is for all')
  clock.now += 45_000
  t.equal(codeOf(await ask('/getSongLists?limit=4')), '200')
})

t.test('each attempt counts, for the one who begins a fetch, also in the background', async (t) => {
  const clock = { now: 1_000_000 }
  const demo = await demoFor(t)
  const server = await serverFor(
    t, demo, { ...open, cache: true, rateLimit: 20, tuning: { callsPerRequest: 0.25 }, now: () => clock.now }
  )
  const ask = async (limit: number, address: string): Promise<string> => {
    const reply = await server.get(`/getSongLists?limit=${limit}`, from(address))
    return `${codeOf(reply)} ${reply.headers.get('x-cache')}`
  }
  const wire = '/splcloud/fcgi-bin/fcg_get_diss_by_tag.fcg'
  demo.next(wire, { delayMs: 300 })
  const begun = ask(3, greedy)
  await until(() => demo.inFlight(wire) === 1)
  await Promise.all([begun, ask(3, polite)])
  t.equal(demo.received.length, 1, 'one fetch')
  const stale = 11 * 60_000
  clock.now += stale
  t.equal(await ask(3, polite), '200 STALE')
  await until(() => demo.received.length === 2)
  demo.next(wire, { reset: true }, 1)
  t.same([await ask(4, polite), await ask(5, polite)], ['200 MISS', '200 MISS'])
  t.strictSame([demo.received.length, await ask(7, polite)], [6, '429 RATE_LIMITED null'], 'one in the background, three for the first one, one more')
  t.equal(await ask(7, greedy), '200 MISS')

  clock.now += stale
  for (const limit of [8, 9, 10, 11, 12]) await ask(limit, polite)
  demo.reset()
  t.same([await ask(3, polite), await ask(13, polite)], ['200 STALE', '429 RATE_LIMITED null'])
  t.strictSame([demo.received.length, await ask(3, greedy)], [0, '200 STALE'], 'it revalidates nothing then')
  await until(() => demo.received.length === 1)
  clock.now += 2 * stale
  for (const limit of [8, 9, 10, 11, 12]) await ask(limit, polite)
  t.equal(await ask(3, polite), '200 STALE', 'an old entry is better than a refusal')
})

test('without a limit on requests there is none on calls, and clients that cannot be told apart have none', async ({ t, demo }) => {
  for (const settings of [{ ...open, rateLimit: 0 }, { rateLimit: 1 }]) {
    const server = await serverFor(t, demo, { ...settings, tuning: { callsPerRequest: 0.001 } })
    for (let limit = 3; limit < 8; limit++) {
      t.equal(codeOf(await server.get(`/getSongLists?limit=${limit}`, from(greedy))), '200')
    }
  }
})

served('beside three greedy clients nobody else is refused', {
  demo: { latencyMs: 20 }, ...open, upstreamRatePerHost: 20, tuning: { upstreamBurstSeconds: 1 }
}, async ({ t, demo, server }) => {
  const categoryIds = Array.from({ length: 50 }, (_, at) => at + 1)
  const greed = Promise.all(['203.0.113.5', '203.0.112.5', '203.0.111.5'].flatMap((address) => [1, 2, 3, 4]
    .map(async (page) => await server.post('/batchGetSongLists', { categoryIds, page }, from(address)))))
  await until(() => demo.received.length >= 20)
  const others: string[] = []
  for (let limit = 3; limit < 10; limit++) others.push(...await Promise.all([1, 2, 3].map(async (client) => codeOf(
    await server.get(`/getSongLists?limit=${limit}&page=${client}`, from(`198.51.${client}.6`))
  ))))
  t.same(others.filter((code) => code !== '200'), [])
  await greed
})

served('the detail requests of one client leave slots for those of others', { demo: { latencyMs: 10 }, ...open }, async ({ t, demo, server }) => {
  const begun = demo.received.length
  const many = [0, 1].map(async () => await server.get('/getRanks?topId=28&limit=100&resolveMid=true', from(greedy)))
  await until(() => demo.calls(detail).length > 10)
  const few = await server.get('/getRanks?topId=28&limit=10&resolveMid=true', from(polite))
  const meanwhile = demo.calls(detail).length
  t.equal(few.status, 200)
  await Promise.all(many)
  t.ok(meanwhile < demo.calls(detail).length, `not behind all others: ${meanwhile} of ${demo.calls(detail).length}, from ${begun}`)
})

t.test('a chart whose songs wait for those of others is answered when its time is over', async (t) => {
  const clock = testClock()
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { ...open, ...clock.options, deadlineMs: 60_000 })
  demo.next(detail, { hang: true }, Infinity)
  const charts = [1, 2, 3, 4].map(async () => await server.get(chart, from(greedy)))
  await until(() => timesAsked(demo, wholeChart) === 4 && demo.inFlight(wholeChart) === 0 && demo.inFlight(detail) > 0)
  await settled(5)
  await clock.advance(60_000)
  t.same((await Promise.all(charts)).map(codeOf), ['200', '200', '200', '200'])
  // Their times end one after the other, so that the slots of one may be free for another for a moment.
  t.ok(demo.calls(detail).length <= 4 * 5, `the others do not ask any more: ${demo.calls(detail).length}`)
})

/** Checks of the alternative login that wait, one for each address. */
async function waitingChecks (t: Test, settings: RelayOptions) {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { ...open, ...settings })
  const check = async (uuid: string, address: string): Promise<Reply> =>
    await server.post('/checkAltLoginQr', { uuid }, from(address))
  const hold = async (address: string): Promise<{ uuid: string, reply: Promise<Reply> }> => {
    const uuid = demo.login.open('alt')
    const reply = check(uuid, address)
    await Promise.race([demo.login.held(uuid, 1), reply])
    return { uuid, reply }
  }
  const end = async (held: readonly { uuid: string, reply: Promise<Reply> }[]): Promise<void> => {
    for (const { uuid } of held) demo.login.expire(uuid)
    await Promise.all(held.map(async ({ reply }) => await reply))
  }
  return { demo, check, hold, end }
}

t.test('many addresses of one provider do not hold all places of waiting logins', async (t) => {
  const { check, demo, end } = await waitingChecks(t, { rateLimit: 0 })
  const uuid = demo.login.open('alt')
  const held: { uuid: string, reply: Promise<Reply> }[] = []
  let refused = 0
  const attacks: Promise<unknown>[] = []
  for (let network = 0; network < 67; network++) for (let poll = 0; poll < 3; poll++) {
    const own = demo.login.open('alt')
    const reply = check(own, `2001:db8:0:${network.toString(16)}::1`)
    held.push({ uuid: own, reply })
    attacks.push(Promise.race([demo.login.held(own, 1), reply.then(({ status }) => { if (status === 503) refused++ })]))
  }
  await Promise.all(attacks)
  t.equal(refused, 201 - 12, 'a /56 has twelve')
  demo.login.scan(uuid)
  t.match(await check(uuid, '2001:db8:1::1'), { status: 200, body: { errcode: 404 } })
  await end(held)
})

t.test('some places are kept for clients who have none, and then whoever holds most and longest makes room, without losing its code', async (t) => {
  const { check, demo, hold, end } = await waitingChecks(t, { tuning: { pollPercent: 0.4 } })
  const first = [
    await hold('203.0.113.1'), await hold('203.0.113.1'), await hold('203.0.112.1'), await hold('203.0.112.1'),
    await hold('203.0.112.1'), await hold('203.0.111.1')
  ]
  const refused = await (await hold('203.0.113.1')).reply
  t.same([codeOf(refused), refused.headers.get('retry-after')], ['503 OVERLOADED', '5'], 'two places of eight are kept')
  const kept = [await hold('203.0.110.1'), await hold('203.0.109.1')]
  const third = first[2] as typeof first[0]
  const newcomer = await hold('203.0.108.1')
  const early = await third.reply
  t.same([early.status, early.body], [200, {
    errcode: 408, isOk: false, status: 'waiting', message: 'Waiting for the scan: scan the QR code and ask again.'
  }])
  await demo.login.held(third.uuid, 0)
  t.same(codeOf(await (await hold('203.0.108.1')).reply), '503 OVERLOADED', 'one who has a place takes none from others')
  await end(first.filter((one) => one !== third))
  demo.login.confirm(third.uuid)
  t.match(await check(third.uuid, '203.0.112.1'), {
    status: 200, body: { errcode: 405, isOk: true }
  }, 'the code is still good')
  await end([...kept, newcomer])
})

t.test('the early answer says that a code was scanned, and a login that is being finished keeps its place', async (t) => {
  const { check, demo, hold, end } = await waitingChecks(t, { tuning: { pollPercent: 0.05 } })
  const one = demo.login.open('alt')
  demo.login.scan(one)
  t.match((await check(one, '203.0.113.1')).body, { errcode: 404 })
  const again = check(one, '203.0.113.1')
  await demo.login.held(one, 1)
  const next = await hold('203.0.112.1')
  t.match((await again).body, { errcode: 408, isOk: false, status: 'scanned' })
  const exchange = 'music.login.LoginServer/Login'
  demo.next(exchange, { delayMs: 500 })
  demo.login.confirm(next.uuid)
  await until(() => demo.inFlight(exchange) === 1)
  const refused = await (await hold('203.0.111.1')).reply
  t.equal(codeOf(refused), '503 OVERLOADED')
  t.match((await next.reply).body, { errcode: 405, isOk: true })
  await end([])
})

test('a client makes one large list for a player at a time, and small ones beside it', { ...open, subsonicPassword: 'open-sesame' }, async ({ t, demo, server }) => {
  const ask = async (words: string, songs: number): Promise<number> =>
    (await server.get(`/rest/search3?u=me&p=open-sesame&v=1.16.1&c=test&f=json&query=${words}&songCount=${songs}&albumCount=0&artistCount=0`)).status
  const isAsked = (words: string): boolean =>
    demo.calls(siteSearch).some((call) => JSON.stringify(call).includes(words))
  demo.next(siteSearch, { delayMs: 300 }, 2)
  const first = ask('lantern', 500)
  await until(() => isAsked('lantern'))
  const second = ask('harbour', 500)
  const small = ask('paper', 100)
  await until(() => isAsked('paper'))
  t.notOk(isAsked('harbour'), 'it waits')
  t.same([await first, await second, await small, isAsked('harbour')], [200, 200, 200, true])
})
