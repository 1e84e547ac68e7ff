/** Alternative QR login: the long poll and its states, sharing, limits on waiting, and what ends it. */
import QRCode from 'qrcode'
import t from 'tap'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { demoFor, memberUin, relayFor, sample, sampleText, serverFor, until, withoutSamples } from '../support/helper.ts'
import type { Reply } from '../support/helper.ts'

const page = '/connect/qrconnect'
const picture = '/connect/qrcode/'
const poll = '/connect/l/qrconnect'
const exchange = 'music.login.LoginServer/Login'

async function ready (t: Test, options: Parameters<typeof serverFor>[2] = {}, demoOptions: Parameters<typeof demoFor>[1] = {}) {
  const demo = await demoFor(t, demoOptions)
  const server = await serverFor(t, demo, options)
  const fresh = (): string => demo.login.open('alt')
  const check = async (uuid: string, path = '/checkAltLoginQr') => await server.post(path, { uuid })
  /** A check that the client can abort. */
  const begin = (uuid: string) => {
    const leaving = new AbortController()
    const reply = fetch(`${server.address}/checkAltLoginQr`, { method: 'POST', body: JSON.stringify({ uuid }), headers: { 'content-type': 'application/json' }, signal: leaving.signal })
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
  t.match(body, { errcode: 405, isOk: true, status: 'confirmed' })
  const { session } = body
  t.same([session.loginUin, session.uin], [`o${memberUin}`, `o${memberUin}`], 'nineteen digits, none lost')
  t.same(Object.keys(session.cookieObject), ['uin', 'provider_key', 'provider_keyst', 'euin', 'providerLoginType'])
  t.equal(session.cookieObject.providerLoginType, '1')
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
  const [paged, pictured, polled, again, exchanged] = demo.received
  t.equal(demo.received.length, 5)
  t.equal(paged?.host, 'open.weixin.qq.com')
  t.match(paged?.query, { appid: 'wx48db31d50e334801', scope: 'snsapi_login', response_type: 'code', redirect_uri: 'https://y.qq.com/portal/wx_redirect.html?login_type=2&surl=https://y.qq.com/' })
  t.equal(pictured?.host, 'open.weixin.qq.com')
  t.equal(pictured?.path, `/connect/qrcode/${uuid}`)
  t.equal(pictured?.headers['referer'], 'https://open.weixin.qq.com/connect/qrconnect')
  t.equal(polled?.host, 'lp.open.weixin.qq.com')
  t.match(polled?.query, { uuid, _: /^\d{13}$/ })
  t.equal(polled?.query['last'], undefined)
  t.equal(polled?.headers['referer'], 'https://open.weixin.qq.com/')
  t.equal(again?.query['last'], '404', 'the upstream is reminded that the scan is no news')
  t.equal(exchanged?.host, 'u.y.qq.com')
  t.match(exchanged?.body, { comm: { tmeAppID: 'qqmusic', tmeLoginType: '1', g_tk: 5381, ct: 24, cv: 0, platform: 'yqq' }, req: { module: 'music.login.LoginServer', method: 'Login', param: { strAppid: 'wx48db31d50e334801' } } })
  t.same(demo.received.map(({ headers }) => headers['cookie']), [undefined, undefined, undefined, undefined, 'login_type=2'])
})

t.test('the exchange tries its hosts in turn, after a broken connection or a 5xx only', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const hasty = await serverFor(t, demo, { tuning: { loginStepDeadlineMs: 200 } })
  const hosts = ['u.y.qq.com', 'szu.y.qq.com', 'shu.y.qq.com']
  const login = async (asked = server): Promise<{ status: number, body: any, hosts: string[] }> => {
    const uuid = demo.login.open('alt')
    demo.login.confirm(uuid, 'member')
    const { status, body } = await asked.post('/checkAltLoginQr', { uuid })
    return { status, body, hosts: demo.calls(exchange).map(({ host }) => host) }
  }
  for (const fault of [{ reset: true }, { status: 500 }, { status: 503, body: '<html>' }] as const) {
    for (const ill of [1, 2]) {
      demo.reset()
      demo.next(exchange, fault, ill)
      t.match(await login(), { status: 200, body: { isOk: true, session: { uin: `o${memberUin}` } }, hosts: hosts.slice(0, ill + 1) }, JSON.stringify(fault))
    }
    demo.reset()
    demo.next(exchange, fault, 3)
    t.match(await login(), { status: 502, body: { code: 'LOGIN_REFUSED' }, hosts })
  }
  for (const fault of [{ code: 1000 }, { body: '<html>' }, { status: 404 }] as const) {
    demo.reset()
    demo.next(exchange, fault)
    t.match(await login(), { status: 502, body: { code: 'LOGIN_REFUSED' }, hosts: hosts.slice(0, 1) }, `${JSON.stringify(fault)} may have used up the code`)
  }
  demo.reset()
  demo.next(exchange, { hang: true })
  t.match(await login(hasty), { status: 504, body: { code: 'LOGIN_TIMEOUT' }, hosts: hosts.slice(0, 1) })
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

t.test('the relay waits for its own time only', async (t) => {
  const { demo, fresh, check } = await ready(t, { tuning: { pollDeadlineMs: 120 } })
  const uuid = fresh()
  const begun = performance.now()
  t.match((await check(uuid)).body, { errcode: 408, status: 'waiting' })
  t.ok(performance.now() - begun > 100)
  await demo.login.held(uuid, 0)
  demo.next(poll, { hang: true })
  t.match((await check(uuid)).body, { errcode: 408 })
})

t.test('health and log tell how each hop of a login went; a poll that is held to its end is well', async (t) => {
  const { demo, server: patient, fresh, check } = await ready(t)
  const hasty = await serverFor(t, demo, { tuning: { pollDeadlineMs: 120, loginStepDeadlineMs: 200 } })
  const told = async (server: typeof patient, call: string): Promise<any> => {
    const { body } = await server.get('/health/upstream')
    const { verdict, outcome, ms } = body.calls.find(({ name }: { name: string }) => name === call)
    const { upstream } = JSON.parse(server.log.findLast((line) => line.includes(`"${call}"`)) ?? '{}')
    t.match(upstream, [{ calls: [call], outcome }], 'the log says the same')
    return { verdict, outcome, ms }
  }
  const begun = performance.now()
  await hasty.post('/checkAltLoginQr', { uuid: fresh() })
  const held = await told(hasty, 'login.alt.poll')
  t.match(held, { verdict: 'ok', outcome: 'deadline' })
  t.ok(held.ms > 0 && held.ms <= performance.now() - begun + 1, 'no longer than it took')
  demo.next(page, { hang: true })
  await hasty.get('/getAltLoginQr')
  t.match(await told(hasty, 'login.alt.page'), { verdict: 'unreachable', outcome: 'deadline' })
  for (const [fault, want] of [[{ reset: true }, { verdict: 'unreachable', outcome: 'reset' }], [{ status: 403 }, { verdict: 'refused', outcome: 'http_403' }]] as const) {
    demo.next(poll, fault)
    await check(fresh())
    t.match(await told(patient, 'login.alt.poll'), want)
  }
})

t.test('the start fails as QR_UNAVAILABLE, or as LOGIN_TIMEOUT when nothing comes', async (t) => {
  const demo = await demoFor(t)
  const patient = await serverFor(t, demo)
  const hasty = await serverFor(t, demo, { tuning: { loginStepDeadlineMs: 200 } })
  for (const [hop, fault, code] of [
    [page, { body: '<html>no id here</html>' }, 'QR_UNAVAILABLE'],
    [page, { body: `<img src="/connect/qrcode/${'a'.repeat(200)}">` }, 'QR_UNAVAILABLE'],
    [page, { body: '<img src="/connect/qrcode/../../evil">' }, 'QR_UNAVAILABLE'],
    [page, { status: 302, headers: { location: 'https://evil.example/connect/qrcode/abc"' } }, 'QR_UNAVAILABLE'],
    [page, { body: 'x'.repeat(300_000), headers: { 'content-encoding': 'identity' } }, 'QR_UNAVAILABLE'],
    [page, { reset: true }, 'QR_UNAVAILABLE'],
    [page, { hang: true }, 'LOGIN_TIMEOUT'],
    [picture, { body: '<html>' }, 'QR_UNAVAILABLE'],
    [picture, { status: 404 }, 'QR_UNAVAILABLE'],
    [picture, { hang: true }, 'LOGIN_TIMEOUT']
  ] as const) {
    demo.reset() // on a busy machine, an impatient request may end before it arrives
    demo.next(hop, fault)
    const { status, body } = await ('hang' in fault ? hasty : patient).get('/getAltLoginQr')
    t.same([status, body.code], [code === 'LOGIN_TIMEOUT' ? 504 : 502, code], `${hop} ${JSON.stringify(fault).slice(0, 80)}`)
  }
})

t.test('the id of a code is found where pages had it', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  for (const body of ['<img src="/connect/qrcode/demoId-1=">', '<script>var u="https://x/?uuid=demoId-1="</script>', '{"uuid" : "demoId-1="}']) {
    demo.next(page, { body })
    demo.next(picture, { body: Buffer.from('ffd8ffe0', 'hex') })
    t.same(await relay.getAltLoginQr(), { img: 'data:image/jpeg;base64,/9j/4A==', uuid: 'demoId-1=' })
  }
})

t.test('a poll or an exchange that goes wrong is a 502, at once', async (t) => {
  const demo = await demoFor(t)
  const patient = await serverFor(t, demo)
  const hasty = await serverFor(t, demo, { tuning: { loginStepDeadlineMs: 200 } })
  const confirmed = { body: "window.wx_errcode=405;window.wx_code='demoCode';" }
  for (const [faults, status, code] of [
    [{ [poll]: { status: 500 } }, 502, 'UPSTREAM_UNREACHABLE'],
    [{ [poll]: { status: 504 } }, 502, 'UPSTREAM_UNREACHABLE'],
    [{ [poll]: { reset: true } }, 502, 'UPSTREAM_UNREACHABLE'],
    [{ [poll]: { status: 302, headers: { location: 'https://evil.example/' } } }, 502, 'LOGIN_REFUSED'],
    [{ [poll]: { body: '<html></html>' } }, 502, 'UPSTREAM_UNREADABLE'],
    [{ [poll]: { body: 'window.wx_errcode=999;' } }, 502, 'UPSTREAM_UNREADABLE'],
    [{ [poll]: { body: "x='window.wx_errcode=405;window.wx_code=1'" } }, 502, 'UPSTREAM_UNREADABLE'],
    [{ [poll]: { body: "window.wx_errcode=405;window.wx_code='';" } }, 502, 'LOGIN_NO_CODE'],
    [{ [poll]: { body: 'window.wx_errcode=405;' } }, 502, 'LOGIN_NO_CODE'],
    [{ [poll]: { body: "window.wx_errcode=405;window.wx_code='a b';" } }, 502, 'LOGIN_NO_CODE'],
    [{ [poll]: confirmed }, 502, 'LOGIN_REFUSED'],
    [{ [poll]: confirmed, [exchange]: { code: 104400 } }, 502, 'LOGIN_REFUSED'],
    [{ [poll]: confirmed, [exchange]: { code: 0, data: { str_musicid: '12' } } }, 502, 'LOGIN_REFUSED'],
    [{ [poll]: confirmed, [exchange]: { body: 'x' } }, 502, 'LOGIN_REFUSED'],
    [{ [poll]: confirmed, [exchange]: { hang: true } }, 504, 'LOGIN_TIMEOUT']
  ] as const) {
    for (const [hop, fault] of Object.entries(faults)) demo.next(hop, fault)
    const reply = await (status === 504 ? hasty : patient).post('/checkAltLoginQr', { uuid: 'abc' })
    t.same([reply.status, reply.body.code, reply.body.session], [status, code, undefined], JSON.stringify(faults))
    demo.reset()
  }
})

t.test('an upstream that asks to wait is told on with its time, and the code stays good', async (t) => {
  const clock = { now: 1_000_000 }
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { now: () => clock.now })
  const fault = { status: 429, headers: { 'retry-after': '7' } }
  const paused = ({ status, headers, body }: Reply): void => { t.same([status, body.code, headers.get('retry-after'), headers.get('cache-control')], [503, 'UPSTREAM_PAUSED', '7', 'no-store']) }
  for (const hop of [page, picture]) {
    demo.next(hop, fault)
    for (let times = 0; times < 2; times++) paused(await server.get('/getAltLoginQr'))
    t.equal(demo.calls(hop).length, 1, 'no request is sent until then')
    clock.now += 7000
    t.equal((await server.get('/getAltLoginQr')).status, 200)
    demo.reset()
  }
  for (const [hop, times] of [[poll, 1], [exchange, 3]] as const) {
    demo.reset()
    const uuid = demo.login.open('alt')
    demo.login.confirm(uuid)
    demo.next(hop, fault, times)
    for (let asked = 0; asked < 2; asked++) paused(await server.post('/checkAltLoginQr', { uuid }))
    t.equal(demo.calls(hop).length, times)
    clock.now += 7000
    t.match((await server.post('/checkAltLoginQr', { uuid })).body, { isOk: true, session: { uin: `o${memberUin}` } }, hop)
    t.equal(demo.calls(poll).length, hop === poll ? 2 : 1, 'the code is not asked for twice')
  }
  demo.reset()
  const uuid = demo.login.open('alt')
  demo.login.confirm(uuid)
  demo.next(exchange, fault)
  t.match((await server.post('/checkAltLoginQr', { uuid })).body, { isOk: true }, 'another host of the exchange takes it')
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
  for (const [tuning, polls] of [[{ pollsPerCheck: 4, pollPauseMs: 5 }, 4], [{ pollDeadlineMs: 500, pollPauseMs: 600 }, 1]] as const) {
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

t.test('checks of one code share one poll and one exchange', async (t) => {
  const { demo, fresh, check } = await ready(t)
  const uuid = fresh()
  const replies = [check(uuid), check(uuid), check(uuid, '/user/checkAltLoginQr')]
  await demo.login.held(uuid, 1)
  demo.login.confirm(uuid)
  const texts = (await Promise.all(replies)).map(({ text }) => text)
  t.equal(new Set(texts).size, 1)
  t.match(texts[0], '"isOk":true')
  t.equal(demo.calls(poll).length, 1)
  t.equal(demo.calls(exchange).length, 1)
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

t.test('fifty who leave in the middle leave nothing open', { timeout: 5000 }, async (t) => {
  const { demo, fresh, begin } = await ready(t)
  const uuids = Array.from({ length: 50 }, fresh)
  const polls = uuids.map(begin)
  await Promise.all(uuids.map(async (uuid) => { await demo.login.held(uuid, 1) }))
  t.equal(demo.inFlight(poll), 50)
  await Promise.all(polls.map(async ({ leave }) => { await leave() }))
  await Promise.all(uuids.map(async (uuid) => { await demo.login.held(uuid, 0) }))
})

t.test('who leaves during the exchange can come back for the session', async (t) => {
  const { demo, fresh, begin, check } = await ready(t)
  const uuid = fresh()
  demo.next(exchange, { delayMs: 1000 })
  demo.login.confirm(uuid)
  const one = begin(uuid)
  await until(() => demo.inFlight(exchange) > 0)
  await one.leave()
  t.equal((await check(uuid)).body.isOk, true)
  t.equal(demo.calls(exchange).length, 1)
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

t.test('who waits is told when the relay stops', { timeout: 5000 }, async (t) => {
  const demo = await demoFor(t)
  const app = await buildApp({ docs: false, upstreamOrigin: demo.origin, logLevel: 'silent' })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const { uuid } = await (await fetch(`${address}/getAltLoginQr`)).json() as { uuid: string }
  const waiting = fetch(`${address}/checkAltLoginQr`, { method: 'POST', body: JSON.stringify({ uuid }), headers: { 'content-type': 'application/json' } })
  await demo.login.held(uuid, 1)
  await app.close()
  const reply = await waiting
  t.equal(reply.status, 503)
  t.equal(reply.headers.get('retry-after'), '5')
  t.match(await reply.json(), { code: 'STOPPING' })

  const relay = relayFor(t, demo)
  const left = relay.checkAltLoginQr({ uuid })
  const told = t.rejects(left, { code: 'STOPPING', statusCode: 503 })
  await demo.login.held(uuid, 1)
  await relay.close()
  await told
  await t.rejects(relay.checkAltLoginQr({ uuid }), { code: 'STOPPING' })
})

t.test('a library caller can leave, before and during the wait', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
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

t.test('bad input is refused before anything is asked', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  for (const body of [{}, { uuid: '' }, { uuid: 1 }, { uuid: 'a&b=1' }, { uuid: '../x' }, { uuid: 'a'.repeat(129) }, { uuid: ['a'] }]) {
    const reply = await server.post('/checkAltLoginQr', body)
    t.equal(reply.status, 400)
    t.match(reply.body, { code: 'INVALID_INPUT', error: /^uuid: / })
  }
  t.equal(demo.received.length, 0)
})

t.test('real answers of each hop', { skip: withoutSamples }, async (t) => {
  const { demo, server, check } = await ready(t, { tuning: { pollsPerCheck: 1 } })
  demo.next(page, { body: sampleText('login-alt-1-qrconnect.html.txt') })
  demo.next(picture, { body: Buffer.from('ffd8ffe0', 'hex') })
  t.equal((await server.get('/getAltLoginQr')).body.uuid, '0a1FAKEuuid2b3C4')
  demo.next(page, { body: sampleText('login-alt-1-qrconnect-no-uuid.html.txt') })
  t.equal((await server.get('/getAltLoginQr')).body.code, 'QR_UNAVAILABLE')

  for (const [file, errcode] of [['402', 402], ['403', 403], ['404', 404], ['404-short', 404], ['408', 408], ['500', 402]] as const) {
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
    t.same(demo.calls(exchange)[0]?.body, { comm: { ...comm, tmeAppID: 'qqmusic', tmeLoginType: '1', g_tk: 5381 }, req }, 'the comm of 2026-11')
  }
  demo.next(poll, { body: sampleText('login-alt-3-poll-405.txt') })
  demo.next(exchange, { body: sampleText('login-alt-4-login-code1000.json') })
  t.equal((await check('abc')).body.code, 'LOGIN_REFUSED')
})
