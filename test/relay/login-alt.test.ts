/** Alternative QR login: the long poll and its states, limits on waiting, and what ends it. How its steps fail: login-both.test.ts. */
import QRCode from 'qrcode'
import t, { type Test } from 'tap'
import { testClock } from '../support/clock.ts'
import {
  demoFor, memberUin, relayFor, sample, sampleText, serverFor, until, withoutSamples
} from '../support/helper.ts'
import { alt } from '../support/logins.ts'
import { settled } from '../support/settled.ts'
import { sharedStage } from '../support/stage.ts'

const test = sharedStage('the alternative login')

const { page, picture, poll, exchange } = alt

async function ready (
  t: Test, options: Parameters<typeof serverFor>[2] = {}, demoOptions: Parameters<typeof demoFor>[1] = {}
) {
  const demo = await demoFor(t, demoOptions)
  const server = await serverFor(t, demo, options)
  const fresh = (): string => demo.login.open('alt')
  const check = async (uuid: string, path = '/checkAltLoginQr') => await server.post(path, { uuid })
  /** A check that the client can abort. */
  const begin = (uuid: string) => {
    const leaving = new AbortController()
    const reply = fetch(`${server.address}/checkAltLoginQr`, {
      method: 'POST', body: JSON.stringify({ uuid }), headers: { 'content-type': 'application/json' },
      signal: leaving.signal
    })
    return { reply, leave: async () => { leaving.abort(); await reply.catch(() => {}) } }
  }
  return { demo, server, fresh, check, begin }
}

t.test('a person scans the code on the demo\'s page, confirms, and the cookie works everywhere', async (t) => {
  const { demo, server, check } = await ready(t)
  const { headers, body: { img, uuid } } = await server.get('/user/getAltLoginQr')
  t.equal(headers.get('cache-control'), 'no-store')
  const url = demo.login.scanUrl(uuid)
  t.equal(img, `data:image/png;base64,${(await QRCode.toBuffer(url, { width: 235, margin: 2 })).toString('base64')}`, 'the picture says the address of the page')

  const first = check(uuid)
  await demo.login.held(uuid, 1)
  await fetch(url)
  t.match((await first).body, { errcode: 404, isOk: false, status: 'scanned' })
  const second = check(uuid)
  await demo.login.held(uuid, 1)
  await fetch(url, { method: 'POST', body: new URLSearchParams({ account: 'member' }) })
  const { body } = await second
  t.match(body, { errcode: 405, isOk: true, status: 'confirmed', session: {
    loginUin: `o${memberUin}`, uin: `o${memberUin}`, cookieObject: { providerLoginType: '1' }
  } }, 'nineteen digits, none lost')
  const { session } = body
  t.same(Object.keys(session.cookieObject), ['uin', 'provider_key', 'provider_keyst', 'euin', 'providerLoginType'])
  t.equal(session.cookie, session.cookieList.join('; '))
  t.equal((await server.get(`/user/getUserLikedSongs?cookie=${encodeURIComponent(session.cookie)}`)).body.body.response.total, 140)
  t.match((await check(uuid)).body, { errcode: 402, refresh: true }, 'a code is good for one login')
  for (const secret of [uuid, session.cookieObject.provider_key]) t.notMatch(server.log.join(''), secret)
})

t.test('each hop asks what it should, without the cookie of anybody', async (t) => {
  const { demo, server, check } = await ready(t)
  const { body: { uuid } } = await server.get('/getAltLoginQr')
  demo.login.scan(uuid)
  await check(uuid)
  demo.login.confirm(uuid)
  await check(uuid)
  const [paged, pictured, polled, again, exchanged, ...more] = demo.received
  t.same(more, [])
  const redirect_uri = 'https://y.qq.com/portal/wx_redirect.html?login_type=2&surl=https://y.qq.com/'
  t.match(paged, { host: 'open.weixin.qq.com', query: {
    appid: 'wx48db31d50e334801', scope: 'snsapi_login', response_type: 'code', redirect_uri
  } })
  t.match(pictured, { host: 'open.weixin.qq.com', path: `/connect/qrcode/${uuid}`, headers: { referer: 'https://open.weixin.qq.com/connect/qrconnect' } })
  t.match(polled, {
    host: 'lp.open.weixin.qq.com', query: { uuid, _: /^\d{13}$/, last: undefined },
    headers: { referer: 'https://open.weixin.qq.com/' }
  })
  t.equal(again?.query['last'], '404', 'the upstream is reminded that the scan is no news')
  const comm = { tmeAppID: 'qqmusic', tmeLoginType: '1', g_tk: 5381, ct: 24, cv: 0, platform: 'yqq' }
  t.match(exchanged, { host: 'u.y.qq.com', body: {
    comm, req: { module: 'music.login.LoginServer', method: 'Login', param: { strAppid: 'wx48db31d50e334801' } }
  } })
  t.same(
    demo.received.map(({ headers }) => headers['cookie']), [undefined, undefined, undefined, undefined, 'login_type=2']
  )
})

test('the exchange tries its hosts in turn, after a broken connection or a 5xx only', async ({ t, demo, server }) => {
  const hosts = ['u.y.qq.com', 'szu.y.qq.com', 'shu.y.qq.com']
  const login = async (): Promise<{ status: number, body: any, hosts: string[] }> => {
    const uuid = demo.login.open('alt')
    demo.login.confirm(uuid, 'member')
    const { status, body } = await server.post('/checkAltLoginQr', { uuid })
    return { status, body, hosts: demo.calls(exchange).map(({ host }) => host) }
  }
  for (const fault of [{ reset: true }, { status: 500 }, { status: 503, body: '<html>' }] as const) {
    for (const ill of [1, 2]) {
      demo.reset()
      demo.next(exchange, fault, ill)
      t.match(await login(), {
        status: 200, body: { isOk: true, session: { uin: `o${memberUin}` } }, hosts: hosts.slice(0, ill + 1)
      }, JSON.stringify(fault))
    }
    demo.reset()
    demo.next(exchange, fault, 3)
    t.match(await login(), { status: 502, body: { code: 'LOGIN_REFUSED' }, hosts })
  }
  for (const fault of [{ code: 1000 }, { body: '<html>' }, { status: 404 }] as const) {
    demo.reset()
    demo.next(exchange, fault)
    t.match(await login(), {
      status: 502, body: { code: 'LOGIN_REFUSED' }, hosts: hosts.slice(0, 1)
    }, `${JSON.stringify(fault)} may have used up the code`)
  }
})

t.test('every state has its errcode', async (t) => {
  const { demo, fresh, check } = await ready(t, { tuning: { pollsPerCheck: 1 } })
  const told = async (uuid: string, change: (uuid: string) => void): Promise<any> => {
    const reply = check(uuid)
    await demo.login.held(uuid, 1)
    change(uuid)
    const { status, body } = await reply
    t.equal(status, 200)
    return body
  }
  const uuid = fresh()
  t.match(await told(uuid, demo.login.elapse), { errcode: 408, isOk: false, status: 'waiting' })
  t.match(await told(uuid, demo.login.scan), { errcode: 404, isOk: false, status: 'scanned' })
  t.match(await told(uuid, demo.login.elapse), { errcode: 408, isOk: false, status: 'scanned' })
  t.match(await told(uuid, demo.login.cancel), { errcode: 403, isOk: false, status: 'cancelled', refresh: true })
  await check(uuid)
  t.equal(demo.calls(poll).at(-1)?.query['last'], undefined, 'what has ended is not remembered')
  t.match(await told(fresh(), demo.login.expire), { errcode: 402, isOk: false, status: 'expired', refresh: true })
  t.match((await check('nobody-knows-this')).body, { errcode: 402, status: 'expired' }, 'the upstream\'s own 500 means the same')
})

t.test('a code grows old', async (t) => {
  let clock = Date.now()
  const { fresh, check } = await ready(t, {}, { now: () => clock })
  const uuid = fresh()
  clock += 301_000
  t.match((await check(uuid)).body, { errcode: 402 })
})

t.test('a check waits for its own time only, and health and log tell how each hop of a login went', async (t) => {
  const clock = testClock()
  const { demo, server, fresh, check } = await ready(t, clock.options)
  const told = async (call: string): Promise<any> => {
    const { body } = await server.get('/health/upstream')
    const { verdict, outcome, ms } = body.calls.find(({ name }: { name: string }) => name === call)
    const { upstream } = JSON.parse(server.log.findLast((line) => line.includes(`"${call}"`)) ?? '{}')
    t.match(upstream, [{ calls: [call], outcome }], 'the log says the same')
    return { verdict, outcome, ms }
  }
  for (const hang of [false, true]) {
    const uuid = fresh()
    if (hang) demo.next(poll, { hang })
    let ended = false
    const waiting = check(uuid).finally(() => { ended = true })
    await until(() => demo.inFlight(poll) === 1)
    await clock.advance(34_999)
    await settled()
    t.notOk(ended)
    await clock.advance(1)
    t.match((await waiting).body, { errcode: 408, status: 'waiting' })
    t.same(await told('login.alt.poll'), { verdict: 'ok', outcome: 'deadline', ms: 35_000 }, 'held to its end it is well')
    await until(() => demo.inFlight(poll) === 0)
  }
  demo.next(page, { hang: true })
  const start = server.get('/getAltLoginQr')
  await until(() => demo.inFlight(page) === 1)
  await clock.advance(5000)
  await start
  t.match(await told('login.alt.page'), { verdict: 'unreachable', outcome: 'deadline' })
  for (const [fault, want] of [
    [{ reset: true }, { verdict: 'unreachable', outcome: 'reset' }],
    [{ status: 403 }, { verdict: 'refused', outcome: 'http_403' }]
  ] as const) {
    demo.next(poll, fault)
    await check(fresh())
    t.match(await told('login.alt.poll'), want)
  }
})

t.test('a code that is confirmed at the end of a poll leaves the exchange three seconds more, and no more', async (t) => {
  const clock = testClock()
  const { demo, fresh, check } = await ready(t, clock.options)
  const uuid = fresh()
  demo.next(exchange, { hang: true })
  let ended = false
  const waiting = check(uuid).finally(() => { ended = true })
  await until(() => demo.inFlight(poll) === 1)
  await clock.advance(34_000)
  demo.login.confirm(uuid)
  await until(() => demo.inFlight(exchange) === 1)
  await clock.advance(3999)
  await settled()
  t.notOk(ended)
  await clock.advance(1)
  t.match(await waiting, { status: 504, body: { code: 'LOGIN_TIMEOUT' } })
})

t.test('a poll that the upstream ends early is repeated within the same check', async (t) => {
  const { demo, fresh, check } = await ready(t, { tuning: { pollPauseMs: 5 } })
  const uuid = fresh()
  const reply = check(uuid)
  for (let polls = 1; polls < 4; polls++) {
    await until(() => demo.calls(poll).length === polls)
    await demo.login.held(uuid, 1)
    demo.login.elapse(uuid)
  }
  await until(() => demo.calls(poll).length === 4)
  await demo.login.held(uuid, 1)
  demo.login.scan(uuid)
  t.match((await reply).body, { errcode: 404, status: 'scanned' })
  t.equal(demo.calls(poll).length, 4)

  const early = { body: "window.wx_errcode=408;window.wx_code='';" }
  // After the first poll, less of a check's time is left than the pause before the next one.
  for (const [tuning, polls] of [
    [{ pollsPerCheck: 4, pollPauseMs: 5 }, 4], [{ pollDeadlineMs: 30_000, pollPauseMs: 30_000 }, 1]
  ] as const) {
    demo.reset()
    demo.next(poll, early, 99)
    const server = await serverFor(t, demo, { tuning })
    t.match((await server.post('/checkAltLoginQr', { uuid })).body, { errcode: 408 })
    t.equal(demo.calls(poll).length, polls, 'not without end')
  }

  const patient = await ready(t, { tuning: { pollPauseMs: 30_000 } })
  patient.demo.next(poll, early)
  const other = patient.fresh()
  const leaving = patient.begin(other)
  await until(() => patient.demo.calls(poll).length === 1)
  await leaving.leave()
  const back = patient.begin(other)
  await patient.demo.login.held(other, 1)
  t.equal(patient.demo.calls(poll).length, 2, 'who leaves during the pause ends it')
  await back.leave()

  demo.reset()
  const relay = relayFor(t, demo, { tuning: { pollPauseMs: 30_000 } })
  demo.next(poll, early)
  const told = t.rejects(relay.checkAltLoginQr({ uuid: fresh() }), { code: 'STOPPING' })
  await until(() => demo.calls(poll).length === 1)
  await relay.close()
  await told
})

t.test('the poll goes on while somebody waits, and ends when the last one leaves', { timeout: 5000 }, async (t) => {
  const { demo, fresh, begin } = await ready(t)
  const uuid = fresh()
  const [one, two] = [begin(uuid), begin(uuid)]
  await demo.login.held(uuid, 1)
  await one.leave()
  demo.login.scan(uuid)
  t.match(await (await two.reply).json(), { errcode: 404 })

  const last = begin(uuid)
  await demo.login.held(uuid, 1)
  await last.leave()
  await demo.login.held(uuid, 0)

  const again = begin(uuid)
  await demo.login.held(uuid, 1)
  demo.login.confirm(uuid)
  t.match(await (await again.reply).json(), { isOk: true }, 'who comes back starts a new poll')
})

t.test('only so many may wait; the others are told when to come back', async (t) => {
  const { demo, server, fresh, begin, check } = await ready(t, { tuning: { pollPercent: 0.1 } })
  const [a, b, c] = [fresh(), fresh(), fresh()]
  const [one, two] = [begin(a), begin(b)]
  await Promise.all([demo.login.held(a, 1), demo.login.held(b, 1)])
  const refused = await check(c)
  t.same([refused.status, refused.body.code, refused.headers.get('retry-after')], [503, 'OVERLOADED', '5'])
  t.equal((await server.get('/getMainLoginQr')).status, 200, 'everything else goes on')
  await one.leave()
  await demo.login.held(a, 0)
  const three = begin(c)
  await demo.login.held(c, 1)
  await Promise.all([two.leave(), three.leave()])
})

t.test('one client may have a few polls, unless all clients look alike or logins are not limited', async (t) => {
  const { demo, fresh, begin, check } = await ready(t, { tuning: { pollLimitPerClient: 1 }, host: '0.0.0.0' })
  const [a, b] = [fresh(), fresh()]
  const one = begin(a)
  await demo.login.held(a, 1)
  const refused = await check(b)
  t.same([refused.status, refused.body.code, refused.headers.get('retry-after')], [503, 'OVERLOADED', '5'])
  await one.leave()
  await demo.login.held(a, 0)
  demo.login.scan(b)
  t.equal((await check(b)).body.errcode, 404)

  for (const unlimited of [{}, { host: '0.0.0.0', rateLimitLoginStarts: 0 }]) {
    const local = await ready(t, { tuning: { pollLimitPerClient: 1 }, ...unlimited })
    const uuids = [local.fresh(), local.fresh()]
    const polls = uuids.map(local.begin)
    await Promise.all(uuids.map(async (uuid) => { await local.demo.login.held(uuid, 1) }))
    await Promise.all(polls.map(async ({ leave }) => { await leave() }))
  }
})

test('a library caller can leave, before and during the wait', async ({ t, demo, relay }) => {
  const { uuid } = await relay.getAltLoginQr()
  await t.rejects(relay.checkAltLoginQr({ uuid }, { signal: AbortSignal.abort() }), { code: 'UPSTREAM_TIMEOUT' })
  t.equal(demo.calls(poll).length, 0)
  const leaving = new AbortController()
  const left = t.rejects(relay.checkAltLoginQr({ uuid }, { signal: leaving.signal }), { code: 'UPSTREAM_TIMEOUT' })
  await demo.login.held(uuid, 1)
  leaving.abort()
  await left
  await demo.login.held(uuid, 0)
})

t.test('real answers of each hop', { skip: withoutSamples }, async (t) => {
  const { demo, server, check } = await ready(t, { tuning: { pollsPerCheck: 1 } })
  demo.next(page, { body: sampleText('login-alt-1-qrconnect.html.txt') })
  demo.next(picture, { body: Buffer.from('ffd8ffe0', 'hex') })
  t.equal((await server.get('/getAltLoginQr')).body.uuid, '0a1FAKEuuid2b3C4')
  demo.next(page, { body: sampleText('login-alt-1-qrconnect-no-uuid.html.txt') })
  t.equal((await server.get('/getAltLoginQr')).body.code, 'QR_UNAVAILABLE')

  for (const [file, errcode] of [
    ['402', 402], ['403', 403], ['404', 404], ['404-short', 404], ['408', 408], ['500', 402]
  ] as const) {
    demo.next(poll, { body: sampleText(`login-alt-3-poll-${file}.txt`) })
    t.equal((await check(`u${file}`)).body.errcode, errcode, file)
  }
  for (const [file, code] of [['405-empty-code', 'LOGIN_NO_CODE'], ['garbage', 'UPSTREAM_UNREADABLE']] as const) {
    demo.next(poll, { body: sampleText(`login-alt-3-poll-${file}.txt`) })
    t.equal((await check('abc')).body.code, code, file)
  }

  const want = sample('login-relay-alt-success.json').session
  for (const file of ['ok', 'ok-no-str_musicid']) {
    demo.reset()
    demo.next(poll, { body: sampleText('login-alt-3-poll-405.txt') })
    demo.next(exchange, { body: sampleText(`login-alt-4-login-${file}.json`) })
    const { body: { session } } = await check('abc')
    t.equal(session.uin, 'o1152921599999999999', 'the account with its "o", not rounded')
    t.same(session.cookieObject, { ...want.cookieObject, uin: session.uin })
    const { comm, req } = sample('login-alt-4-login-request.json')
    t.same(demo.calls(exchange)[0]?.body, {
      comm: { ...comm, tmeAppID: 'qqmusic', tmeLoginType: '1', g_tk: 5381 }, req
    }, 'the comm of 2026-11')
  }
  demo.next(poll, { body: sampleText('login-alt-3-poll-405.txt') })
  demo.next(exchange, { body: sampleText('login-alt-4-login-code1000.json') })
  t.equal((await check('abc')).body.code, 'LOGIN_REFUSED')
})
