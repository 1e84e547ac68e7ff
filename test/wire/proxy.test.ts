/**
 * The operator's proxies: every request to the upstream goes through the proxy of its host, and a failure says that it
 * is the proxy. (The command with a proxy is in proxy-command.test.ts.)
 */
import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import { createAbort } from '../../src/common/abort.ts'
import { loadSettings, settingsOf } from '../../src/relay/settings.ts'
import { egressOf } from '../../src/upstream/http/egress.ts'
import { createTransport, type Transport } from '../../src/upstream/http/transport.ts'
import { certified, withoutOpenssl } from '../support/certificates.ts'
import { testClock } from '../support/clock.ts'
import { cookieOf, demoFor, relayFor, serverOnWire, song, until } from '../support/helper.ts'
import { settled } from '../support/settled.ts'
import { connectProxy, socksProxy, type ProxyOptions, type TestProxy } from '../support/proxies.ts'
import { testOnWire as test } from '../support/stage.ts'
import { listening } from '../support/listening.ts'

type Make = (t: Test, options?: ProxyOptions) => Promise<TestProxy>
const kinds: readonly (readonly [string, Make])[] = [['http', connectProxy], ['socks5', socksProxy]]
const hostOf = (origin: string): string => new URL(origin).host
/** The address of a proxy, with user and password. */
const withLogin = ({ address }: TestProxy, login: string): string => address.replace('://', `://${login}@`)

for (const [kind, make] of kinds) {
  t.test(`${kind}: calls, a login, its long poll and audio go through the proxy, with and without a password`, async (t) => {
    const demo = await demoFor(t)
    for (const credentials of [undefined, 'op:p@ss:w%rd']) {
      demo.reset()
      const proxy = await make(t, { credentials })
      const upstreamProxy = [credentials === undefined ? proxy.address : withLogin(proxy, 'op:p%40ss:w%25rd')]
      const server = await serverOnWire(t, demo, { upstreamProxy, stream: 'relay' })
      t.equal((await server.get(`/getSongInfo?songmid=${song(1)}`)).status, 200)
      t.ok(proxy.accepted() > 0 && proxy.asked.every((target) => target === hostOf(demo.origin)), proxy.asked.join())
      const afterCalls = proxy.asked.length
      t.strictSame([
        (await server.get(`/getLyric/${song(1)}`)).status, proxy.asked.length
      ], [200, afterCalls], 'the connection is used again')

      t.strictSame([
        (await server.get('/getMainLoginQr')).status, proxy.asked.length
      ], [200, afterCalls + 1], 'logins have a pool of their own')
      const uuid = demo.login.open('alt')
      const check = server.post('/checkAltLoginQr', { uuid })
      await demo.login.held(uuid, 1)
      demo.login.confirm(uuid, 'member')
      t.match((await check).body, { isOk: true })
      t.ok(proxy.asked.length > afterCalls + 1, 'long polls, too')

      const before = proxy.asked.length
      const audio = await fetch(`${server.address}/stream/${song(1)}`, { headers: { 'x-custom-cookie': cookieOf(demo, 'member') } })
      t.equal(audio.status, 200)
      t.ok((await audio.arrayBuffer()).byteLength > 1000)
      t.equal(proxy.asked.length, before + 1, 'and audio')
      t.match((await server.get('/health/upstream')).body, { proxy: true })
    }
  })
}

/** How the relay says that a proxy fails: sentence and outcome. */
const troubles: readonly (readonly [
  name: string, make: Make, options: ProxyOptions, login: string | undefined, sentence: RegExp, outcome: string
])[] = [
  [
    'no password', connectProxy, { credentials: 'a:b' }, undefined, /refuses its user or password \(HTTP 407\)/,
    'proxy_login'
  ],
  [
    'a wrong password', connectProxy, { credentials: 'a:b' }, 'op:SECRETPASS',
    /refuses its user or password \(HTTP 407\)/, 'proxy_login'
  ],
  [
    'a refusal', connectProxy, { refuses: 403 }, 'op:SECRETPASS', /refuses to connect to the upstream \(HTTP 403\)/,
    'proxy_refused'
  ],
  [
    'an upstream that it cannot reach', connectProxy, { leadsTo: { host: '127.0.0.1', port: 1 } }, 'op:SECRETPASS',
    /refuses to connect to the upstream \(HTTP 502\)/, 'proxy_refused'
  ],
  ['a page', connectProxy, { instead: '<html>SECRETPASS</html>' }, 'op:SECRETPASS', /does not answer like a proxy/, 'proxy_protocol'],
  ['endless headers', connectProxy, { instead: `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n` }, undefined, /does not answer like a proxy/, 'proxy_protocol'],
  [
    'silence', connectProxy, { instead: 'nothing' }, 'op:SECRETPASS', /did not connect to the upstream in time/,
    'proxy_timeout'
  ],
  ['an end', connectProxy, { instead: 'end' }, 'op:SECRETPASS', /closed the connection/, 'proxy_closed'],
  ['no password', socksProxy, { credentials: 'a:b' }, undefined, /refuses its user or password/, 'proxy_login'],
  ['a wrong password', socksProxy, { credentials: 'a:b' }, 'op:SECRETPASS', /refuses its user or password/, 'proxy_login'],
  [
    'a refusal', socksProxy, { refuses: 2 }, undefined, /refuses to connect to the upstream \(SOCKS 2\)/,
    'proxy_refused'
  ],
  [
    'an upstream that it cannot reach', socksProxy, { leadsTo: { host: '127.0.0.1', port: 1 } }, undefined,
    /refuses to connect to the upstream \(SOCKS 5\)/, 'proxy_refused'
  ],
  ['a page', socksProxy, { instead: 'HTTP/1.1 400 Bad Request\r\n\r\n' }, 'op:SECRETPASS', /does not answer like a proxy/, 'proxy_protocol'],
  ['silence', socksProxy, { instead: 'nothing' }, 'op:SECRETPASS', /did not connect to the upstream in time/, 'proxy_timeout'],
  ['an end', socksProxy, { instead: 'end' }, 'op:SECRETPASS', /closed the connection/, 'proxy_closed']
]

test('each fault of a proxy has its sentence, which names neither its address nor its password', async ({ t, demo }) => {
  const check = async (name: string, address: string, sentence: RegExp, outcome: string): Promise<void> => {
    const server = await serverOnWire(t, demo, {
      upstreamProxy: [address], logLevel: 'trace', metrics: true, stream: 'relay',
      tuning: { connectTimeoutMs: outcome === 'proxy_timeout' ? 300 : 60_000, retryDelayMinMs: 0, retryDelayMaxMs: 0 }
    })
    const reply = await server.get('/getHotkey')
    t.match([reply.status, reply.body.code, reply.body.error], [502, 'UPSTREAM_UNREACHABLE', sentence], name)
    t.match(reply.body.error, /UPSTREAM_PROXY/, name)
    t.equal((await server.get('/getMainLoginQr')).status, 502, `${name}: login`)
    const health = await server.get('/health/upstream')
    t.same(new Set(health.body.calls.map((call: { outcome: string }) => call.outcome)), new Set([outcome]), name)
    const all = [reply.text, health.text, (await server.get('/metrics')).text, ...server.log].join('\n')
    t.notMatch(all, /SECRETPASS/, name)
    t.notOk(all.includes(Buffer.from('op:SECRETPASS').toString('base64')), name)
    t.notOk(all.includes(`:${new URL(address).port}`), `${name}: its port`)
  }
  for (const [name, make, options, login, sentence, outcome] of troubles) {
    const proxy = await make(t, options)
    await check(
      `${new URL(proxy.address).protocol} ${name}`, login === undefined ? proxy.address : withLogin(proxy, login),
      sentence, outcome
    )
    await until(() => proxy.open() === 0)
  }
  for (const [, make] of kinds) {
    const nobody = withLogin(await make(t), 'op:SECRETPASS').replace(/:\d+(?=\/?$)/, ':1023')
    await check('nobody there', nobody, /cannot be reached/, 'proxy_connect')
  }
  t.equal(demo.received.length, 0, 'nothing took another way')
})

test('a proxy that fails opens the circuit breaker, and the relay goes on when it is back', async ({ t, demo }) => {
  const proxy = await connectProxy(t)
  await proxy.close()
  let now = 0
  const server =
    await serverOnWire(t, demo, { upstreamProxy: [proxy.address], now: () => now, tuning: { circuitFailures: 3 } })
  const ask = async (): Promise<string> => {
    const { status, body } = await server.get('/getHotkey')
    return `${status} ${body.error}`
  }
  t.match(await ask(), /^502 /)
  for (let time = 0; time < 3; time++) await ask()
  t.match(await ask(), /^503 /)
  const back = createServer((client) => {
    client.on('error', () => {}).once('data', () => { client.end('HTTP/1.1 403 No\r\n\r\n') })
  })
  await new Promise<void>((resolve) => { back.listen(proxy.port, '127.0.0.1', resolve) })
  t.teardown(() => { back.close() })
  t.match(await ask(), /^503 /, 'not before its pause has ended')
  now += 600_000
  t.match(await ask(), /refuses to connect.*HTTP 403/)
})

test('questions that share a POST are not asked one by one after the proxy has failed', async ({ t, demo }) => {
  const proxy = await connectProxy(t, { refuses: 403 })
  const relay =
    relayFor(t, demo, { upstreamProxy: [proxy.address], tuning: { circuitFailures: 1000, circuitSamples: 1000 } })
  await Promise.all(Array.from({ length: 12 }, async (_, at) => await t.rejects(
    relay.getSongInfo({ songmid: song(at + 1) }), { code: 'UPSTREAM_UNREACHABLE' }
  )))
  // Each song is asked for in two ways, and the questions of one turn share POSTs: asking them again would be a tunnel
  // for each.
  t.ok(proxy.asked.length < 12, `${proxy.asked.length} tunnels`)
})

const patience = {
  connectTimeoutMs: 10_000, headersTimeoutMs: 10_000, bodyTimeoutMs: 10_000, maxAnswerBytes: 1_000_000,
  upstreamConnections: 4
}
const ask = async (transport: Transport, signal = createAbort().signal): Promise<number> => (await transport.request(
  { host: 'musicu', method: 'POST', path: '/cgi-bin/musicu.fcg', headers: {}, body: '{}' }, 'test', signal, () => true
)).bytes.length

test('a deadline and a caller who leaves end a request whose proxy hangs; closing the relay closes what it opened', async ({ t, demo }) => {
  for (const [kind, make] of kinds) {
    const silent = await make(t, { instead: 'nothing' })
    const clock = testClock()
    const server = await serverOnWire(
      t, demo, { ...clock.options, upstreamProxy: [silent.address], tuning: { connectTimeoutMs: 60_000 } }
    )
    const late = server.get('/getHotkey')
    await until(() => silent.accepted() > 0)
    await clock.advance(8000)
    t.match((await late).body, { code: 'UPSTREAM_TIMEOUT' }, kind)
    const stuck = createTransport({
      ...patience, connectTimeoutMs: 500, upstreamOrigin: demo.origin, egress: egressOf([silent.address], demo.origin)
    })
    const leaving = createAbort()
    const asked = ask(stuck, leaving.signal)
    leaving.abort(undefined)
    await t.rejects(asked, { code: 'UPSTREAM_TIMEOUT' })
    await stuck.close()

    const proxy = await make(t)
    const transport =
      createTransport({ ...patience, upstreamOrigin: demo.origin, egress: egressOf([proxy.address], demo.origin) })
    transport.warm()
    await until(() => proxy.open() === 1)
    await ask(transport)
    t.equal(proxy.asked.length, 1, `${kind}: the connection that was opened ahead carries the first request`)
    await transport.close()
    await until(() => proxy.open() === 0)
  }
})

test('a connection ahead that the proxy has closed meanwhile is not used', async ({ t, demo }) => {
  for (const [kind, make] of kinds) {
    const proxy = await make(t)
    const transport =
      createTransport({ ...patience, upstreamOrigin: demo.origin, egress: egressOf([proxy.address], demo.origin) })
    t.teardown(transport.close)
    transport.warm()
    await until(() => proxy.open() === 1)
    proxy.drop()
    await until(() => proxy.open() === 0)
    await settled()
    t.ok(await ask(transport) > 0, kind)
    t.equal(proxy.asked.length, 2)
  }
})

t.test('certificates are checked through the proxy, end to end', { skip: withoutOpenssl }, async (t) => {
  const child = certified(t, 'test/support/proxyTls.ts', 2)
  t.equal(child.status, 0, child.stderr)
  t.notMatch(child.stderr, /Warning/, 'nothing is experimental')
  t.match(JSON.parse(child.stdout || '{}'), {
    connect: ['ok', 'ok'],
    tls: ['ok'],
    socks: ['ok'],
    resumed: [false, true, false, false],
    asked: true,
    stranger: [/^proxy_tls: The relay's proxy leads to a server without a valid certificate of the upstream\./],
    strangerBySocks: [/^proxy_tls: /],
    noTls: [/^proxy_closed: /],
    strangeProxy: [/^proxy_certificate: The relay's proxy has no valid certificate\./],
    plainProxy: [/^proxy_protocol: /]
  })
})

t.test('the longest name decides which proxy a host has', async (t) => {
  const egress = egressOf(['http://all.example', 'c.y.qq.com=direct', '.y.qq.com=socks5://127.0.0.1', '.qq.com=https://wide.example:8443', '.stream.qqmusic.qq.com=direct', 'isure.stream.qqmusic.qq.com=socks5h://user:secret@[2001:db8::1]:9'])
  const ways = (...names: string[]): unknown[] => names.map((name) => egress?.proxyFor(name)?.shown)
  t.same(ways('c.y.qq.com', 'u.y.qq.com', 'graph.qq.com', 'open.weixin.qq.com', 'ws.stream.qqmusic.qq.com', 'isure.stream.qqmusic.qq.com', 'mirror.example', 'evily.qq.com'), [
    undefined, 'socks5://127.0.0.1:1080', 'https://wide.example:8443', 'https://wide.example:8443', undefined, 'socks5h://[2001:db8::1]:9', 'http://all.example:80', 'https://wide.example:8443'
  ])
  t.same(egress?.shown, ['http://all.example:80', 'c.y.qq.com=direct', '.y.qq.com=socks5://127.0.0.1:1080', '.qq.com=https://wide.example:8443', '.stream.qqmusic.qq.com=direct', 'isure.stream.qqmusic.qq.com=socks5h://[2001:db8::1]:9'])
  t.notMatch(JSON.stringify(egress?.proxyFor('isure.stream.qqmusic.qq.com')), 'secret')
  t.equal(egressOf([]), undefined)
  t.equal(egressOf(['u.y.qq.com=http://127.0.0.1'])?.proxyFor('c.y.qq.com'), undefined, 'others are reached directly')
  t.equal(egressOf(['[::1]=http://127.0.0.1:8'], 'http://[::1]:4200')?.proxyFor('[::1]')?.shown, 'http://127.0.0.1:8', 'the host of UPSTREAM_ORIGIN may be named')
})

test('a host of its own rule takes its own way', async ({ t, demo }) => {
  const [one, other] = [await connectProxy(t), await socksProxy(t)]
  const status = async (...upstreamProxy: string[]): Promise<number> =>
    (await (await serverOnWire(t, demo, { upstreamProxy })).get('/getHotkey')).status
  t.equal(await status(one.address, `127.0.0.1=${other.address}`), 200)
  t.same([one.asked.length, other.asked.length > 0], [0, true])
  const before = other.asked.length
  t.strictSame([await status(other.address, '127.0.0.1=direct'), other.asked.length], [200, before])
})

t.test('a wrong rule stops the start; the message quotes neither address nor password', async (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['http://', /must be a proxy such as/], ['proxy.example:8080', /must be a proxy such as/],
    ['SECRET', /must be a proxy such as/], ['direct', /must be a proxy such as/],
    ['ftp://SECRET@proxy.example', /must be a proxy such as/], ['socks4://proxy.example', /must be a proxy such as/],
    ['http://proxy.example/path', /must be a proxy such as/],
    ['http://proxy.example:0', /from 1 to 65535/], ['http://proxy.example:70000', /from 1 to 65535/],
    ['http://a:SECRET%zz@proxy.example', /percent-encode/], ['http://a:SECRET%0a@proxy.example', /control characters/],
    ['http://a%3a:SECRET@proxy.example', /colon/], ['socks5://SECRET@proxy.example', /of 1 to 255 bytes each/],
    [`socks5://a:${'S'.repeat(256)}@proxy.example`, /of 1 to 255 bytes each/],
    [
      'mirror.example=http://SECRET@proxy.example',
      /does not contact this host\. Known hosts: u\.y\.qq\.com, .*\.stream\.qqmusic\.qq\.com, /
    ], ['.com=direct', /^$/],
    ['u.y.qq.com=SECRET', /must be a proxy such as/]
  ]
  for (const [rule, expected] of cases) {
    const error = await loadSettings({ folder: 'absent', env: { UPSTREAM_PROXY: ` , ${rule}` } })
      .then(() => new Error(''), (refused: Error) => refused)
    t.match(error.message, expected, rule)
    if (error.message === '') continue
    t.match(error, { name: 'ConfigError', message: /^environment variable UPSTREAM_PROXY: upstreamProxy\[0\]: / }, rule)
    t.notMatch(error.message, /SECRET|proxy\.example\/|S{20}/, rule)
  }
  t.throws(() => settingsOf({ upstreamProxy: ['http://a.example', 'http://b.example'] }), { message: /^options: upstreamProxy\[1\]: only one proxy/ })
  t.throws(() => settingsOf({ upstreamProxy: ['u.y.qq.com=direct', 'U.y.qq.com=direct'] }), { message: /another rule for u\.y\.qq\.com/ })
})

test('variables of other programs, headers and parameters choose no proxy', async ({ t, demo }) => {
  const proxy = await connectProxy(t)
  const before = Object.entries(process.env)
  t.teardown(() => { for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
    if (!before.some(([known]) => known === name)) delete process.env[name]
  } })
  Object.assign(process.env, {
    HTTP_PROXY: proxy.address, http_proxy: proxy.address, ALL_PROXY: proxy.address, NODE_USE_ENV_PROXY: '1'
  })
  const server = await serverOnWire(t, demo)
  const asked = await server.get(`/getHotkey?upstreamProxy=${proxy.address}&proxy=${proxy.address}`, {
    headers: { 'x-upstream-proxy': proxy.address, 'proxy': proxy.address }
  })
  t.strictSame([asked.status, proxy.accepted()], [200, 0])
})

t.test('what arrives in a tunnel before the request is a failure, once, and no reason to open another one', async (t) => {
  for (const early of ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}', '']) {
    const origin = await listening(t, createServer((socket) => { socket.end(early) }))
    for (const [kind, make] of kinds) {
      const proxy = await make(t)
      const transport =
        createTransport({ ...patience, upstreamOrigin: origin, egress: egressOf([proxy.address], origin) })
      const outcome = await ask(transport).then(() => 'ok', (error: { outcome?: string }) => error.outcome)
      t.ok(['ok', 'reset', 'proxy_closed', 'proxy_protocol'].includes(String(outcome)), `${kind}: ${outcome}`)
      t.equal(proxy.asked.length, 1, kind)
      await transport.close()
    }
  }
})
