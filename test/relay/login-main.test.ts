/** Main QR login: what a person sees, what each hop asks, and no request off the path. How its steps fail: login-both.test.ts. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import QRCode from 'qrcode'
import t, { type Test } from 'tap'
import { hash33 } from '../../src/upstream/wire/credentials.ts'
import { callArguments, signValuesOf } from '../../src/upstream/login/loginAnswers.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { testClock } from '../support/clock.ts'
import { demoFor, sample, sampleText, serverFor, until, withoutSamples } from '../support/helper.ts'
import { landing, main, signHost } from '../support/logins.ts'
import { settled } from '../support/settled.ts'
import { sharedStage } from '../support/stage.ts'

const test = sharedStage('the main login')

const { show, poll, sign, authorise, exchange } = main

/** A server and a QR code that waits for its scan. */
async function ready (t: Test, demoOptions: Parameters<typeof demoFor>[1] = {}) {
  const demo = await demoFor(t, demoOptions)
  const server = await serverFor(t, demo)
  const { body } = await server.get('/getMainLoginQr')
  const qrsig: string = body.qrsig
  const check = async (path = '/checkMainLoginQr') => await server.post(path, { qrsig })
  return { demo, server, qrsig, start: body, check }
}

/** A code that was scanned and confirmed. */
function confirmed (demo: DemoUpstream): { qrsig: string } {
  const qrsig = demo.login.open('main')
  demo.login.confirm(qrsig)
  return { qrsig }
}

/** A server that must not be contacted. Counts the connections. */
async function canaryFor (t: Test): Promise<{ port: number, asked: () => number }> {
  let asked = 0
  const server = createServer((_request, reply) => { reply.end('x') }).on('connection', () => { asked++ })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => { server.closeAllConnections(); server.close() })
  return { port: (server.address() as AddressInfo).port, asked: () => asked }
}

t.test('a person scans the code on the demo\'s page, confirms, and the cookie works everywhere', async (t) => {
  const { demo, server, qrsig, start, check } = await ready(t)
  const url = demo.login.scanUrl(qrsig)
  t.equal(start.img, `data:image/png;base64,${(await QRCode.toBuffer(url, { width: 147, margin: 2 })).toString('base64')}`, 'the picture says the address of the page')
  t.equal(start.ptqrtoken, String(hash33(qrsig, 0)))

  t.match((await check()).body, { isOk: false, refresh: false, status: 'waiting' })
  t.match(await (await fetch(url)).text(), /Who are you/)
  t.match((await check()).body, { isOk: false, refresh: false, status: 'scanned' })
  await fetch(url, { method: 'POST', body: new URLSearchParams({ account: 'ordinary' }) })
  const { status, headers, body } = await check()
  t.match({ status, cache: headers.get('cache-control') }, { status: 200, cache: 'no-store' })
  t.same(Object.keys(body).sort(), ['isOk', 'message', 'session'])
  const { session } = body
  t.match(body, { isOk: true, session: {
    loginUin: 'o1000000101', uin: 'o1000000101', cookieObject: { providerLoginType: '2' },
    cookie: session.cookieList.join('; ')
  } })
  t.same(Object.keys(session.cookieObject), ['uin', 'provider_key', 'provider_keyst', 'euin', 'providerLoginType'])

  const liked = await server.get(`/user/getUserLikedSongs?limit=2&cookie=${encodeURIComponent(session.cookie)}`)
  t.equal(liked.body.body.response.total, 73)
  t.equal(
    (await server.get('/user/getCookie', { headers: { 'x-custom-cookie': session.cookie } })).body.data.cookie,
    session.cookie
  )
  t.match((await check()).body, { isOk: false, refresh: true, status: 'expired' }, 'a code is good for one login')
  for (const secret of [qrsig, session.cookieObject.provider_key, 'demoPt4']) t.notMatch(server.log.join(''), secret)
})

t.test('what changed in the record of an exchange is told of that exchange, not of the next', async (t) => {
  const { demo, server, qrsig, check } = await ready(t)
  const health = async () => (await server.get('/health/upstream')).body.calls
    .find(({ name }: { name: string }) => name === 'login.main.exchange')
  demo.login.confirm(qrsig)
  demo.next(exchange, { mutate: ({ data }) => { data.encryptUin = 5 } })
  t.equal((await check()).body.isOk, true)
  t.match(await health(), {
    verdict: 'drift', findings: [{ path: 'req.data.encryptUin', expected: 'text', seen: 'number', count: 1 }]
  })
  t.equal((await server.post('/checkMainLoginQr', confirmed(demo))).body.isOk, true)
  t.match(await health(), { verdict: 'ok', findings: [{ count: 1 }] })
})

t.test('each hop asks what it should, and a cookie goes only to the host it belongs to', async (t) => {
  const { demo, qrsig, check } = await ready(t)
  demo.login.confirm(qrsig)
  t.equal((await check()).body.isOk, true)
  const [shown, polled, signed, authorised, exchanged, ...more] = demo.received
  t.same(more, [])
  t.match(shown, { host: 'ssl.ptlogin2.qq.com', query: { appid: '716027609', daid: '383', pt_3rd_aid: '100497308' } })
  t.match(polled, {
    host: 'ssl.ptlogin2.qq.com', headers: { cookie: `qrsig=${qrsig}`, referer: 'https://xui.ptlogin2.qq.com/' },
    query: {
      ptqrtoken: String(hash33(qrsig, 0)), aid: '716027609', u1: 'https://graph.qq.com/oauth2.0/login_jump',
      from_ui: '1', action: /^0-0-\d{13}$/
    }
  })
  t.match(signed, { host: signHost, query: {
    uin: '1000000101', service: 'ptqrlogin', s_url: 'https://graph.qq.com/oauth2.0/login_jump', ptredirect: '100'
  } })
  for (const received of [shown, signed, exchanged]) t.equal(received?.headers['cookie'], undefined)

  t.match(authorised, { host: 'graph.qq.com', method: 'POST' })
  const cookie = authorised?.headers['cookie'] ?? ''
  t.same(cookie.split('; ').map((pair) => pair.split('=', 1)[0]), ['p_uin', 'pt4_token', 'p_skey', 'pt_oauth_token', 'pt_login_type'], 'no key of the whole account')
  const g_tk = hash33(/p_skey=([^;]+)/.exec(cookie)?.[1] ?? '', 5381)
  const form = Object.fromEntries(new URLSearchParams(String(authorised?.body)))
  t.match(form, {
    response_type: 'code', client_id: '100497308', redirect_uri: landing, state: 'state', g_tk: String(g_tk),
    from_ptlogin: '1'
  })
  const req = { module: 'QQConnectLogin.LoginServer', method: 'QQLogin', param: { code: /^[0-9A-F]{32}$/ } }
  t.match(
    exchanged, { host: 'u.y.qq.com', body: { comm: { ct: 24, cv: 0, platform: 'yqq', g_tk, tmeLoginType: 2 }, req } }
  )
})

t.test('a code that expired, was refused or is unknown wants a new one', async (t) => {
  let clock = Date.now()
  const { demo, server, qrsig, check } = await ready(t, { now: () => clock })
  demo.login.scan(qrsig)
  clock += 121_000
  t.match(await check(), { status: 200, body: { isOk: false, refresh: true, status: 'expired', error: /expired/ } })
  const second: string = (await server.get('/user/getMainLoginQr')).body.qrsig
  demo.login.cancel(second)
  t.match((await server.post('/checkMainLoginQr', { qrsig: second })).body, {
    isOk: false, refresh: true, status: 'refused', error: /refused/
  })
  t.match((await server.post('/checkMainLoginQr', { qrsig: 'nobody-knows-this' })).body, { status: 'expired' })
})

t.test('the key of the sign-on goes on under the name that it came with', async (t) => {
  const { demo, server } = await ready(t)
  for (const name of ['p_skey', 'p-skey', 'pskey', 'ptsigx'] as const) {
    demo.reset()
    demo.login.nameSignOn(name)
    t.match(await server.post('/checkMainLoginQr', confirmed(demo)), {
      status: 200, body: { isOk: true, session: { cookie: /provider_key=/ } }
    }, name)
    t.match(demo.calls(authorise)[0]?.headers['cookie'], new RegExp(`; ${name}=[^;]+; pt_oauth_token`))
  }
})

t.test('of a cookie that is set twice the last value counts; dates with commas and a flood of others do no harm', async (t) => {
  const { demo, qrsig, check } = await ready(t)
  demo.login.confirm(qrsig)
  const flood = Array.from({ length: 200 }, (_, at) => `c${at}=x; Expires=Fri, 01 Jan 2100 00:00:00 GMT`)
  demo.next(sign, { status: 302, headers: { 'set-cookie': ['p_skey=first', ...flood, 'p_skey=last=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT', 'p_skey=; Max-Age=0', '__proto__=y', 'pt4_token=z'] } })
  t.equal((await check()).body.code, 'LOGIN_NO_REDIRECT', 'the demo does not know this p_skey')
  t.equal(demo.calls(authorise)[0]?.headers['cookie'], 'pt4_token=z; p_skey=last=1')
})

test('all hops together have a deadline, too', async ({ t, demo }) => {
  const clock = testClock()
  const server =
    await serverFor(t, demo, { ...clock.options, tuning: { loginStepDeadlineMs: 5000, loginDeadlineMs: 7000 } })
  demo.next(sign, { delayMs: 1000 })
  demo.next(authorise, { hang: true })
  let ended = false
  const answer = server.post('/checkMainLoginQr', confirmed(demo)).finally(() => { ended = true })
  await until(() => demo.calls(sign).length === 1)
  await clock.advance(4000)
  await until(() => demo.inFlight(authorise) === 1)
  await clock.advance(2999)
  t.notOk(ended)
  await clock.advance(1)
  t.match(await answer, { status: 504, body: { code: 'LOGIN_TIMEOUT' } })
})

test('what the music service refuses is said in words', async ({ t, demo, relay }) => {
  for (const [code, words] of [
    [20450, /banned/], [20279, /too many devices/], [1000, /expired or already used/], [77777, /code 77777\)/]
  ] as const) {
    demo.next(exchange, { code, data: { feedbackURL: 'https://example.invalid/', errMsg: 'device limit' } })
    await t.rejects(relay.checkMainLoginQr(confirmed(demo)), { code: 'LOGIN_REFUSED', message: words })
  }
})

t.test('twelve hostile addresses of the sign step, and a redirect at every hop, reach nobody', async (t) => {
  const { port, asked } = await canaryFor(t)
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const here = `127.0.0.1:${port}`
  const origins = [
    `http://${here}`, `https://2130706433:${port}`, `https://[::ffff:127.0.0.1]:${port}`, `https://0x7f000001:${port}`, `https://${here}\\\\@${signHost}`,
    `https://${signHost}@${here}`, `https://user@${signHost}`, `https://${signHost}.evil.example`, `https://evil.example/?https://${signHost}`,
    `https://${signHost}:22`, `ftp://${signHost}`, `http://${signHost}`, '//evil.example'
  ]
  const paths = ['/other?uin=1000000101&ptsigx=f00d', '/check_sig/../x?uin=1&ptsigx=f00d', '/check_sig?uin=1%26x&ptsigx=f00d', '/check_sig?uin=1000000101&ptsigx=a%0d%0ab', '/check_sig?uin=1000000101']
  const rest = 'check_sig?uin=1000000101&ptsigx=f00d'
  const others = [`https:\\\\\\\\${signHost}\\\\${rest}`, 'file:///etc/passwd?uin=1&ptsigx=f00d', 'javascript:alert(1)', '']
  for (const address of [
    ...origins.map((origin) => `${origin}/${rest}`), ...paths.map((path) => `https://${signHost}${path}`), ...others
  ]) {
    demo.next(poll, { body: `ptuiCB('0','0','${address}','0','x', 'nick')` })
    t.match(await server.post('/checkMainLoginQr', { qrsig: 'abc' }), {
      status: 502, body: { code: 'LOGIN_SIGN_URL', error: /cannot extract checkSigUrl/ }
    }, address)
  }
  t.equal(demo.calls(sign).length, 0)

  const away = { status: 302, headers: { location: `http://${here}/`, 'set-cookie': ['p_skey=abc'] } }
  for (const hop of [show, poll, sign, authorise, exchange]) {
    const { qrsig } = confirmed(demo)
    demo.next(hop, away)
    const { status } = hop === show ? await server.get('/getMainLoginQr')
      : await server.post('/checkMainLoginQr', { qrsig })
    t.equal(status, 502, hop)
    demo.reset()
  }
  t.equal(asked(), 0)
})

t.test('a megabyte of hostile text is read in no time', async (t) => {
  const begun = process.cpuUsage()
  for (const text of [`ptuiCB(${"'\\".repeat(500_000)}`, `ptuiCB('${'\\'.repeat(1_000_000)}`, `ptuiCB(${"'',".repeat(300_000)}`, `ptuiCB(${' '.repeat(1_000_000)}'0'`, ' '.repeat(1_000_000)]) callArguments(text)
  t.ok(process.cpuUsage(begun).user < 8_000_000, 'within the CPU of one deadline')
  t.equal(signValuesOf(`https://${signHost}/check_sig?${'&amp;'.repeat(250_000)}`), undefined)
})

test('the token of a poll is computed here, whatever a caller sends', async ({ t, demo, server }) => {
  for (const ptqrtoken of ['1&u1=https://evil.example', 12, '12']) {
    t.equal((await server.post('/checkMainLoginQr', { qrsig: 'abc', ptqrtoken })).status, 200)
  }
  t.same(demo.calls(poll).map(({ query }) => query['ptqrtoken']), ['108966', '108966', '108966'])
})

t.test('the token of a real signature and all known values of the hash', { skip: withoutSamples }, async (t) => {
  const { vectors } = sample('login-hash33-vectors.json')
  t.ok(vectors.length > 10)
  for (const { input, seed0, seed5381 } of vectors) {
    t.same([hash33(input, 0), hash33(input, 5381)], [seed0, seed5381], input)
  }
})

test('real answers of each hop', { skip: withoutSamples }, async ({ t, demo, server }) => {
  const check = async () => await server.post('/checkMainLoginQr', { qrsig: 'abc' })
  const replay = (file: string) => {
    const { response } = sample(file)
    return {
      status: response.status, headers: response.headers,
      ...(response.body === undefined ? {} : { body: response.body })
    }
  }

  const { response, relay } = sample('login-main-1-ptqrshow.json')
  demo.next(show, { body: Buffer.from(response.bodyBase64, 'base64'), headers: response.headers })
  const start = (await server.get('/getMainLoginQr')).body
  t.same([start.qrsig, start.ptqrtoken], [relay.qrsig, String(relay.ptqrtoken)])
  t.match(start.img, /^data:image\/png;base64,iVBOR/)

  const states = { '66': 'waiting', '67': 'scanned', '67-forged-words': 'scanned', '65': 'expired', '68': 'refused' }
  const codes = { '7': 'LOGIN_REFUSED', 'garbage': 'UPSTREAM_UNREADABLE', '0-no-url': 'LOGIN_SIGN_URL', '0-foreign-host': 'LOGIN_SIGN_URL', '0-lookalike-host': 'LOGIN_SIGN_URL' }
  for (const [file, want] of Object.entries({ ...states, ...codes })) {
    demo.next(poll, { body: sampleText(`login-main-2-ptqrlogin-${file}.txt`) })
    const { body } = await check()
    t.equal(body.code ?? body.status, want, file)
  }
  t.equal(demo.calls(sign).length, 0)

  for (const file of ['0', '0-amp-escaped', '0-hostile-nick']) {
    demo.reset()
    demo.next(poll, { body: sampleText(`login-main-2-ptqrlogin-${file}.txt`) })
    demo.next(sign, replay('login-main-3-check_sig-ok.json'))
    demo.next(authorise, replay('login-main-4-authorize-ok.json'))
    demo.next(exchange, { body: sampleText('login-main-5-qqlogin-ok.json') })
    const { body } = await check()
    t.same({ ...body, message: '' }, { ...sample('login-relay-main-success.json'), message: '' }, file)
    t.match(demo.calls(sign)[0]?.query, { uin: '123456789', ptsigx: /^(f00dfeed){10,20}$/ })
    t.equal(new URLSearchParams(String(demo.calls(authorise)[0]?.body)).get('g_tk'), '140425456')
    t.same(demo.calls(exchange)[0]?.body, sample('login-main-5-qqlogin-request.json'))
  }

  for (const [hop, fault, code] of [
    [sign, replay('login-main-3-check_sig-no-pskey.json'), 'LOGIN_P_SKEY'],
    [authorise, replay('login-main-4-authorize-no-location.json'), 'LOGIN_NO_REDIRECT'],
    [authorise, replay('login-main-4-authorize-no-code.json'), 'LOGIN_NO_CODE'],
    [authorise, replay('login-main-4-authorize-foreign-location.json'), 'LOGIN_NO_CODE'],
    ...['code1000', 'code104400', 'code104604', 'code20279', 'code20450', 'code0-without-key'].map((file) => [exchange, { body: sampleText(`login-main-5-qqlogin-${file}.json`) }, 'LOGIN_REFUSED'] as const)
  ] as const) {
    demo.next(hop, fault)
    const { status, body } = await server.post('/checkMainLoginQr', confirmed(demo))
    t.same([status, body.code], [502, code])
    t.notMatch(body.error, /device limit|example\.invalid/)
    demo.reset()
  }
})

test('logins keep to the pace of their host, and leave one that fails alone for a while', async ({ t, demo }) => {
  const clock = testClock()
  const paced = await serverFor(t, demo, { ...clock.options, upstreamRatePerHost: 5, tuning: { upstreamQueueMs: 100 } })
  let ended = false
  const all = Promise.all(Array.from({ length: 100 }, async () => await paced.get('/getMainLoginQr')))
    .finally(() => { ended = true })
  while (!ended) {
    await settled()
    await clock.advance(100)
  }
  const refused = (await all).filter(({ status }) => status !== 200)
  t.ok(demo.calls(show).length < 40, `a burst of twenty, not ${demo.calls(show).length}`)
  t.equal(refused.length, 100 - demo.calls(show).length)
  for (const { status, body, headers } of refused) {
    t.same([status, body.code, headers.get('retry-after')], [503, 'OVERLOADED', '1'])
  }

  for (const [start, name] of [['/getMainLoginQr', show], ['/getAltLoginQr', '/connect/qrconnect']] as const) {
    demo.reset()
    const server = await serverFor(t, demo, clock.options)
    demo.next(name, { reset: true }, Infinity)
    const failed: unknown[] = []
    for (let times = 0; times < 40; times++) failed.push((await server.get(start)).body.code)
    t.same([...new Set(failed)], ['QR_UNAVAILABLE', 'UPSTREAM_PAUSED'])
    t.ok(demo.calls(name).length < 15, `${demo.calls(name).length} requests to a host that fails`)
    const last = await server.get(start)
    t.match([last.status, last.headers.get('retry-after')], [503, /^[1-5]$/])
  }
})
