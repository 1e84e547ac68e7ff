/** What both QR logins have in common: how each step can fail, a pause of the upstream, who shares and who leaves. */
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import type { Fault } from '../../src/demo/upstream.ts'
import { testClock } from '../support/clock.ts'
import { demoFor, relayFor, serverFor, until, type Ask, type Reply } from '../support/helper.ts'
import { alt, channels, landing, main, type ChannelName } from '../support/logins.ts'

const names = Object.keys(channels) as ChannelName[]

const location = (to: string): Fault => ({ status: 302, headers: { location: to } })
const cookies = (...lines: string[]): Fault => ({ status: 302, headers: { 'set-cookie': lines } })
const past = 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'
const png = Buffer.from('89504e470d0a1a0a', 'hex')
const plain = { 'content-encoding': 'identity' }
const shown = (body: Buffer | string, cookie: string): Fault =>
  ({ body, headers: { ...plain, 'set-cookie': [cookie] } })

/** The code of the answer, and what happens to which hop. `hang`: nothing comes. */
const failures: Readonly<
  Record<ChannelName, readonly (readonly [hop: string, code: string, ...faults: readonly Fault[]])[]>
> = {
  main: [
    [
      main.show, 'QR_UNAVAILABLE', { body: png, headers: { 'content-type': 'image/png' } },
      shown(png, 'qrsig=; Max-Age=0'), shown(png, 'qrsig=a b'), shown('<html>', 'qrsig=abc')
    ],
    [
      main.show, 'QR_UNAVAILABLE', shown(Buffer.concat([png, Buffer.alloc(300_000)]), 'qrsig=abc'), { status: 500 },
      { reset: true }
    ],
    [main.poll, 'UPSTREAM_UNREADABLE', { body: '<html><body>403 Forbidden</body></html>' }, { body: '' }, { body: "ptuiCB(66,'0')" }],
    [main.poll, 'LOGIN_REFUSED', { body: "ptuiCB('7','0','','0','x', '')" }, { status: 403, body: 'no' }],
    [main.poll, 'UPSTREAM_UNREACHABLE', { status: 500 }, { reset: true }],
    [main.sign, 'LOGIN_P_SKEY', cookies(`p_skey=; ${past}`), cookies(`p_skey=dead; ${past}`, 'p_uin=o1'), cookies('p_skey=dead; Max-Age=0')],
    [main.sign, 'LOGIN_P_SKEY', cookies('p_skey=a"b'), cookies('skey=@abc', 'superkey=abc', '__proto__=x'), { status: 500 }, { reset: true }],
    [
      main.authorise, 'LOGIN_NO_REDIRECT', { status: 200, body: '<title>login</title>' }, { status: 302 },
      { status: 503 }, { reset: true }
    ],
    [main.authorise, 'LOGIN_NO_REDIRECT', { status: 200, headers: { location: `${landing}&code=FEED&state=state` } }],
    [main.authorise, 'LOGIN_NO_CODE', location(`${landing}&usercancel=1&state=state`), location('https://y.qq.com.evil.example/?code=FEED&state=state')],
    [main.exchange, 'LOGIN_REFUSED', { code: 1000 }, { code: 0, data: {} }, { body: '<html>' }, { status: 500 }]
  ],
  alt: [
    [alt.page, 'QR_UNAVAILABLE', { body: '<html>no id here</html>' }, { body: `<img src="/connect/qrcode/${'a'.repeat(200)}">` }, { body: '<img src="/connect/qrcode/../../evil">' }],
    [
      alt.page, 'QR_UNAVAILABLE', location('https://evil.example/connect/qrcode/abc"'),
      { body: 'x'.repeat(300_000), headers: plain }, { reset: true }
    ],
    [alt.picture, 'QR_UNAVAILABLE', { body: '<html>' }, { status: 404 }],
    [alt.poll, 'UPSTREAM_UNREACHABLE', { status: 500 }, { status: 504 }, { reset: true }],
    [alt.poll, 'UPSTREAM_UNREADABLE', { body: '<html></html>' }, { body: 'window.wx_errcode=999;' }, { body: "x='window.wx_errcode=405;window.wx_code=1'" }],
    [alt.poll, 'LOGIN_REFUSED', location('https://evil.example/')],
    [alt.poll, 'LOGIN_NO_CODE', { body: "window.wx_errcode=405;window.wx_code='';" }, { body: 'window.wx_errcode=405;' }, { body: "window.wx_errcode=405;window.wx_code='a b';" }],
    [alt.exchange, 'LOGIN_REFUSED', { code: 104400 }, { code: 0, data: { str_musicid: '12' } }, { body: 'x' }]
  ]
}

for (const name of names) {
  const { start, check, id, starts, checks } = channels[name]
  // A poll that hangs is no failure of the alternative login.
  const hangs = [...starts, ...checks]
    .filter((hop) => hop !== alt.poll).map((hop) => [hop, 'LOGIN_TIMEOUT', { hang: true }] as const)

  t.test(`${name}: each step has one failure, the steps after it are not asked, and a failed poll can be asked again`, async (t) => {
    const demo = await demoFor(t)
    const clock = testClock()
    const server = await serverFor(t, demo, clock.options)
    const wrong: string[] = []
    for (const [hop, code, ...faults] of [...failures[name], ...hangs]) {
      for (const fault of faults) {
        demo.reset()
        await clock.advance(60_000) // no host is left alone for the failures before
        const qr = demo.login.open(name)
        demo.login.confirm(qr)
        demo.next(hop, fault)
        const isStart = starts.some((each) => each === hop)
        const answer = isStart ? server.get(start) : server.post(check, { [id]: qr })
        if ('hang' in fault) {
          await until(() => demo.inFlight(hop) === 1)
          await clock.advance(5000)
        }
        const { status, body } = await answer
        const asked = (isStart ? starts : checks).findIndex((each) => each === hop) + 1
        const seen = [status, body.code, body.session, demo.received.length].join()
        const expected = [code === 'LOGIN_TIMEOUT' ? 504 : 502, code, undefined, asked].join()
        if (seen !== expected) wrong.push(`${hop} ${JSON.stringify(fault).slice(0, 100)}: ${seen} instead of ${expected}`)
        if (hop === checks[0] && (await server.post(check, { [id]: qr })).body.isOk !== true) {
          wrong.push(`${JSON.stringify(fault)}: the code is lost`)
        }
      }
    }
    t.same(wrong, [])
  })

  t.test(`${name}: a refusal says which channel works abroad, if this one may not`, async (t) => {
    const demo = await demoFor(t)
    const server = await serverFor(t, demo)
    for (const hop of [starts[0], checks[0]]) {
      demo.next(hop, { status: 403, body: 'no' })
      const { body } =
        await (hop === starts[0] ? server.get(start) : server.post(check, { [id]: demo.login.open(name) }))
      t.match(body.code, /^(?:QR_UNAVAILABLE|LOGIN_REFUSED)$/)
      t.equal(/the alternative channel \(.*\) works everywhere/.test(body.error), name === 'main', body.error)
    }
  })

  t.test(`${name}: an upstream that asks to wait is told on with its time, and the code stays good`, async (t) => {
    const clock = { now: 1_000_000 }
    const demo = await demoFor(t)
    const server = await serverFor(t, demo, { now: () => clock.now })
    const wait = (seconds: number): void => { clock.now += seconds * 1000 }
    const paused = async (answer: Promise<Reply>, seconds: number, what: string): Promise<void> => {
      const { status, headers, body } = await answer
      t.same([
        status, body.code, headers.get('retry-after'), headers.get('cache-control')
      ], [503, 'UPSTREAM_PAUSED', String(seconds), 'no-store'], what)
    }
    for (const [status, after, seconds] of [
      [429, '7', 7], [503, '3', 3], [429, undefined, 10], [429, '3600', 60]
    ] as const) {
      const fault = { status, headers: after === undefined ? {} : { 'retry-after': after } }
      for (const hop of starts) {
        demo.reset()
        demo.next(hop, fault)
        await paused(server.get(start), seconds, hop)
        wait(1)
        await paused(server.get(start), seconds - 1, hop)
        t.equal(demo.calls(hop).length, 1, 'no request is sent until then')
        wait(seconds - 1)
        t.equal((await server.get(start)).status, 200)
      }
      for (const hop of checks) {
        demo.reset()
        const code = demo.login.open(name)
        demo.login.confirm(code)
        const times = hop === alt.exchange ? 3 : 1
        demo.next(hop, fault, times)
        for (let asked = 0; asked < 2; asked++) await paused(server.post(check, { [id]: code }), seconds, hop)
        wait(seconds)
        t.match(
          (await server.post(check, { [id]: code })).body, { isOk: true, session: { uin: /^o\d/ } },
          `${status} at ${hop}`
        )
        t.same(
          checks.map((each) => demo.calls(each).length), checks.map((each) => each === hop ? times + 1 : 1),
          'no value is used twice'
        )
        t.match((await server.post(check, { [id]: code })).body, { isOk: false, status: 'expired' }, 'nor is the code')
      }
    }
    demo.next(checks[0], { status: 503 })
    t.match(await server.post(check, { [id]: 'abc' }), {
      status: 502, body: { code: 'UPSTREAM_UNREACHABLE' }
    }, 'without a time it is a failure')
    if (name === 'main') return
    const code = demo.login.open(name)
    demo.login.confirm(code)
    demo.next(alt.exchange, { status: 429, headers: { 'retry-after': '7' } })
    t.match((await server.post(check, { [id]: code })).body, { isOk: true }, 'another host of the exchange takes it')
  })

  t.test(`${name}: who waits for a poll is told when the relay stops`, { timeout: 5000 }, async (t) => {
    const demo = await demoFor(t)
    const relay = relayFor(t, demo)
    const ask = async (): Promise<unknown> =>
      await (name === 'main' ? relay.checkMainLoginQr({ qrsig: 'abc' }) : relay.checkAltLoginQr({ uuid: 'abc' }))
    demo.next(checks[0], { hang: true })
    const told = t.rejects(ask(), { code: 'STOPPING', statusCode: 503 })
    await until(() => demo.inFlight(checks[0]) === 1)
    await relay.close()
    await told
    await t.rejects(ask(), { code: 'STOPPING' })
  })

  t.test(`${name}: checks of one code share one poll and one exchange, and who leaves during the exchange can come back for the session`, async (t) => {
    const demo = await demoFor(t)
    const server = await serverFor(t, demo)
    for (const hop of [checks[0], channels[name].checks.at(-1) as string]) {
      demo.reset()
      const code = demo.login.open(name)
      demo.login.confirm(code)
      demo.next(hop, { delayMs: 1000 })
      const leaving = new AbortController()
      const left = server.post(check, { [id]: code }, { signal: leaving.signal } as Ask)
      await until(() => demo.inFlight(hop) === 1)
      if (hop !== checks[0]) {
        leaving.abort()
        await t.rejects(left)
      }
      const [one, ...more] =
        await Promise.all([check, check, `/user${check}`].map(async (path) => await server.post(path, { [id]: code })))
      t.equal(one?.body.isOk, true)
      for (const { text, headers } of more) {
        t.same([text, headers.get('cache-control')], [one?.text, 'no-store'], 'also under its other name')
      }
      t.same(checks.map((each) => demo.calls(each).length), checks.map(() => 1), hop)
      await left.catch(() => {})
    }
  })
}

t.test('a relay that stops answers those who wait over HTTP, too', { timeout: 5000 }, async (t) => {
  const demo = await demoFor(t)
  const app = await buildApp({ docs: false, upstreamOrigin: demo.origin, logLevel: 'silent' })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const { uuid } = await (await fetch(`${address}/getAltLoginQr`)).json() as { uuid: string }
  const waiting = fetch(`${address}/checkAltLoginQr`, {
    method: 'POST', body: JSON.stringify({ uuid }), headers: { 'content-type': 'application/json' }
  })
  await demo.login.held(uuid, 1)
  await app.close()
  const reply = await waiting
  t.same([
    reply.status, reply.headers.get('retry-after'), (await reply.json() as { code: string }).code
  ], [503, '5', 'STOPPING'])
})
