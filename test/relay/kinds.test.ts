/** Kinds of failure: each is made by a fault on the relay's own path, and what the table says of it is what happens. */
import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import { errorCodes } from '../../schemas/errors.ts'
import { UpstreamError } from '../../src/common/errors.ts'
import { kinds, type Kind, type KindFacts } from '../../src/common/kinds.ts'
import { createProbeRecorder } from '../../src/doctor/probeRecorder.ts'
import { createClient } from '../../src/library/httpClient.ts'
import type { Relay, RelayOptions } from '../../src/library/relay.ts'
import { callStatusOf } from '../../src/upstream/read/observer.ts'
import type { UpstreamClient } from '../../src/upstream/client.ts'
import { ProxyFailure } from '../../src/upstream/http/egress.ts'
import { networkError } from '../../src/upstream/http/failures.ts'
import type { DemoUpstream, Fault } from '../../src/demo/upstream.ts'
import { canaryFor, demo as healthy, groundFor, isHeavy, isSlow } from '../faults/matrix.ts'
import { rowsOf, shapes, type Probe } from '../faults/probes.ts'
import { emptyMv, shapeless, type Row } from '../faults/rows.ts'
import { startFaultServer, type FaultServer } from '../faults/server.ts'
import { testClock } from '../support/clock.ts'
import { cookieOf, demoFor, relayFor, serverFor, song, until } from '../support/helper.ts'
import { listening } from '../support/listening.ts'
import { alt, landing, main } from '../support/logins.ts'
import { connectProxy, type ProxyOptions } from '../support/proxies.ts'
import { forgetful } from '../support/unhurried.ts'
import { sampleOf } from '../support/whole.ts'
import * as wires from '../support/wires.ts'

const [single, , chart] = shapes as [Probe, Probe, Probe]
const rows: readonly Row[] = [
  ...rowsOf(single, 'http://127.0.0.1:9'), ...emptyMv,
  ...shapeless.slice(0, 1).map(([name, fault]): Row =>
    ({ name, fault, status: 502, code: 'UPSTREAM_UNREADABLE', outcome: /^bad_shape$/, blame: 'call' }))
]
const rowNamed = (wanted: string): Row => rows.find(({ name }) => name === wanted) as Row

const hour = 3_600_000

type Ask = (relay: Relay) => Promise<unknown>
/** Makes a failure and returns it. */
type Input = (t: Test) => Promise<unknown>

const failureOf = async (answer: Promise<unknown>): Promise<unknown> =>
  await answer.then(() => undefined, (error: unknown) => error)
const radar: Ask = async (relay) => await relay.getRadarSongs({ limit: 3 })
const quick = { ...forgetful, retryDelayMinMs: 0, retryDelayMaxMs: 0 }

async function faultServerFor (t: Test, fault: Row['fault']): Promise<FaultServer> {
  const server = await startFaultServer(healthy)
  t.teardown(async () => { await server.close() })
  server.fail(fault)
  return server
}

/** The last of several questions, while an upstream fails like this row of the matrix. */
const row = (
  name: string, { tuning, times = 1, ask = radar }: { tuning?: RelayOptions['tuning'], times?: number, ask?: Ask } = {}
): Input => async (t) => {
  const { settings = {} } = rowNamed(name)
  const relay = relayFor(t, await faultServerFor(t, rowNamed(name).fault), {
    ...settings, tuning: { ...quick, ...settings.tuning, ...tuning }
  })
  for (let time = 1; time < times; time++) await failureOf(ask(relay))
  return await failureOf(ask(relay))
}
/** A question to the demo, some of whose calls fail. */
const demoed = (
  faults: Readonly<Record<string, Fault>>, ask: (relay: Relay, demo: DemoUpstream) => Promise<unknown>,
  { tuning, ...options }: RelayOptions = {}
): Input => async (t) => {
  const demo = await demoFor(t)
  for (const [wire, fault] of Object.entries(faults)) demo.next(wire, fault, Infinity)
  return await failureOf(ask(relayFor(t, demo, { ...options, tuning: { ...quick, ...tuning } }), demo))
}
const coded = (code: number): Input => demoed({ [wires.radar]: { code } }, radar)
const at = (origin: (t: Test) => Promise<string>): Input =>
  async (t) => await failureOf(radar(relayFor(t, { origin: await origin(t) }, { tuning: quick })))
const through = (options: ProxyOptions | 'closed'): Input => async (t) => {
  // No process of a test gets this port: it is none of those that are given out.
  const { address } = options === 'closed' ? { address: 'http://127.0.0.1:1023' } : await connectProxy(t, options)
  const isSilent = options !== 'closed' && options.instead === 'nothing'
  return await failureOf(radar(relayFor(t, { origin: 'http://127.0.0.1:9' }, {
    upstreamProxy: [address], tuning: { ...quick, ...isSilent ? { connectTimeoutMs: 300 } : {} }
  })))
}
/** What Node says of a connection that a test cannot make on every machine. */
const node = (error: Error): Input => async () => networkError(error, 'a.call', 'request', new AbortController().signal)
const said = (code: string): Input => node(Object.assign(new Error('no'), { code }))

/** Asks with a login, which only the first of its calls needs. */
const collected = 'music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo'

const programs = [wires.lite, wires.signed, wires.phone, wires.desktop]
/** A search of which nothing else than a program answers. `meta`: what that says. */
const searched = (fault: Fault, options: RelayOptions = {}, times = 1, type: 'song' | 'lyric' = 'song'): Input =>
  demoed({
    ...Object.fromEntries([wires.siteSearch, wires.pagesSearch, wires.listSearch, wires.smartbox]
      .map((wire) => [wire, { status: 500 }])),
    ...Object.fromEntries(programs.map((wire) => [wire, fault]))
  }, async (relay) => {
    for (let time = 1; time < times; time++) await failureOf(relay.search({ type, key: 'paper' }))
    return await relay.search({ type, key: 'rain' })
  }, options)
const filtered = (meta: object): Fault =>
  ({ mutate: ({ data }) => { Object.assign(data, { body: { item_song: [] } }); Object.assign(data.meta, meta) } })

const login = (channel: 'main' | 'alt', hop: string, fault: Fault): Input =>
  demoed({ [hop]: fault }, async (relay, demo) => {
    const id = demo.login.open(channel)
    demo.login.confirm(id)
    const isStart = hop === main.show || hop === alt.page
    if (channel === 'main') return await (isStart ? relay.getMainLoginQr() : relay.checkMainLoginQr({ qrsig: id }))
    return await (isStart ? relay.getAltLoginQr() : relay.checkAltLoginQr({ uuid: id }))
  })
const to = (location: string): Fault => ({ status: 302, headers: { location } })

/** An input for each kind: the name of a row of the matrix, or what makes it. */
const inputs: Readonly<Record<Kind, Input>> = {
  'connect': said('EACCES'),
  'connect.refused': at(async () => 'http://127.0.0.1:1023'),
  'connect.late': said('UND_ERR_CONNECT_TIMEOUT'),
  'dns': at(async () => 'https://a..b'),
  'network': said('ENETUNREACH'),
  'certificate.name': said('ERR_TLS_CERT_ALTNAME_INVALID'),
  'certificate.early': said('CERT_NOT_YET_VALID'),
  'certificate.expired': said('CERT_HAS_EXPIRED'),
  'certificate.untrusted': said('SELF_SIGNED_CERT_IN_CHAIN'),
  'tls': at(async (t) => (await listening(
    t, createServer((socket) => { socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') })
  )).replace('http:', 'https:')),
  'proxy.connect': through('closed'),
  'proxy.timeout': through({ instead: 'nothing' }),
  'proxy.login': through({ credentials: 'a:b' }),
  'proxy.refused': through({ refuses: 403 }),
  'proxy.protocol': through({ instead: '<html>' }),
  'proxy.closed': through({ instead: 'end' }),
  'proxy.certificate': node(new ProxyFailure('certificate')),
  'proxy.tls': node(new ProxyFailure('tls')),
  'reset': row('a reset before the answer'),
  'truncated': row('an end in the body'),
  'late': row('a body in drips'),
  'late.headers': row('no answer'),
  'late.body': row('headers, then nothing'),
  'failing': row('HTTP 500'),
  'failing.late': row('HTTP 504'),
  'down': row('HTTP 500', { tuning: { hostFailingParts: 1 } }),
  'down.late': row('HTTP 504', { tuning: { hostFailingParts: 1 } }),
  'refused.http': row('HTTP 403'),
  'retired.http': row('HTTP 404'),
  'redirect': row('a redirect to nowhere'),
  'refused.login.http': row('HTTP 401'),
  'refused.cookie.http': demoed({ [collected]: { status: 401 } }, async (relay, demo) =>
    await relay.getUserCollectedAlbums({}, { cookie: cookieOf(demo, 'member') })
  ),
  'throttled': row('HTTP 429, retry after 7'),
  'pause': row('HTTP 429, retry after 7', { times: 2 }),
  'pause.circuit': row('a reset before the answer', { times: 2, tuning: { circuitFailures: 1 } }),
  'pause.search': searched({ code: 2001 }, {}, 2),
  'full': demoed({}, async (relay) => { await radar(relay); await radar(relay) }, {
    upstreamRatePerHost: 1, now: () => 0, tuning: { upstreamBurstSeconds: 1, upstreamQueueMs: 0 }
  }),
  'full.bytes': async (t) => {
    const server = await faultServerFor(t, ({ write }) => { write(`HTTP/1.1 200 OK\r\ncontent-length: 90000\r\n\r\n${' '.repeat(89_000)}`) })
    const relay =
      relayFor(t, server, { maxAnswerBytes: 100_000, tuning: { ...quick, heldAnswerBytes: 0, bodyTimeoutMs: 150 } })
    const errors =
      await Promise.all([1, 2, 3].map(async (each) => await failureOf(relay.getLyric({ songmid: song(each) }))))
    return errors.find((error) => (error as UpstreamError).kind !== 'late.body')
  },
  'full.search': searched(
    filtered({ is_filter: -2 }), { now: () => 0, tuning: { searchIntervalMs: 60_000, upstreamQueueMs: 0 } }, 2, 'lyric'
  ),
  'left': demoed({ [wires.radar]: { hang: true } }, async (relay, demo) => {
    const leaving = new AbortController()
    const answer = relay.getRadarSongs({ limit: 3 }, { signal: leaving.signal })
    await until(() => demo.inFlight(wires.radar) === 1)
    leaving.abort()
    return await answer
  }),
  'stopping': demoed({ [wires.radar]: { hang: true } }, async (relay, demo) => {
    const answer = failureOf(radar(relay))
    await until(() => demo.inFlight(wires.radar) === 1)
    await relay.close()
    throw await answer
  }),
  'unreadable': row('HTML'),
  'unreadable.none': row('204'),
  'unreadable.shape': row('an empty object'),
  'unreadable.text': row('invalid UTF-8, declared'),
  'unreadable.packed': row('cut gzip'),
  'unreadable.large': row('5 MB unpacked'),
  'unreadable.http': row('garbage'),
  'empty': row('no MV in the answer', { ask: async (relay) => await relay.getMvPlay({ vid: 'demoV000004' }) }),
  'missing': demoed({}, async (relay) => await relay.getSongInfo({ songmid: '00DemoSong9999' })),
  'bug': async () =>
    ({ ...callStatusOf(new TypeError('a bug')), code: 'INTERNAL', fault: 'call', message: kinds.bug.says }),
  'missing.code': demoed({ [wires.singerSongs]: { code: 104400 } }, async (relay) =>
    await relay.getSingerHotsong({ singermid: '00DemoSing0001' })
  ),
  'refused.cookie': demoed({ [collected]: { code: 1000 } }, async (relay, demo) =>
    await relay.getUserCollectedAlbums({}, { cookie: cookieOf(demo, 'member') })
  ),
  'refused.login': row('business code of "not logged in"'),
  'refused.public': searched({ code: 1000 }, {}, 1, 'lyric'),
  'refused.item': searched({ code: 104400 }, {}, 1, 'lyric'),
  'refused.rate': row('business code 104604'),
  'refused.risk': row('business code 2001'),
  'refused.platform': coded(104403),
  'retired': row('business code 500003'),
  'refused': row('business code 10000'),
  'search': searched(filtered({ is_filter: -2 })),
  'search.safety': searched(filtered({ safetyType: 1 })),
  'search.fast': searched(filtered({ is_filter: -12 })),
  'login.qr': login('alt', alt.page, { status: 500 }),
  'login.mainQr': login('main', main.show, { status: 500 }),
  'login.sign': login('main', main.poll, { body: "ptuiCB('0','0','https://evil.example/','0','', '')" }),
  'login.p_skey': login('main', main.sign, { reset: true }),
  'login.redirect': login('main', main.authorise, { status: 503 }),
  'login.code': login('main', main.authorise, to(`${landing}&usercancel=1&state=state`)),
  'login.exchange': login('main', main.exchange, { reset: true }),
  'login.refused': login('main', main.exchange, { code: 1000 }),
  'login.poll': login('main', main.poll, { body: "ptuiCB('7','0','','0','x', '')" }),
  'login.failing': login('main', main.poll, { status: 500 }),
  'login.poll.refused': login('alt', alt.poll, { status: 403 }),
  'login.late': async (t) => {
    const [demo, clock] = [await demoFor(t), testClock()]
    demo.next(main.poll, { hang: true })
    const answer = failureOf(relayFor(t, demo, clock.options).checkMainLoginQr({ qrsig: demo.login.open('main') }))
    await until(() => demo.inFlight(main.poll) === 1)
    await clock.advance(5000)
    return await answer
  },
  'denied': async () => {
    const recorder = createProbeRecorder(0)
    const call = { name: 'a.call', request: { path: '/', query: {} }, read: () => 0 }
    return await failureOf(recorder.during('getRanks', async () => await recorder.upstream(
      {} as UpstreamClient
    ).forRequest({ credential: undefined }).send(call), new Set(['a.call'])))
  },
  'remote': async (t) => {
    const client = createClient((await serverFor(t, await demoFor(t))).address)
    t.teardown(async () => { await client.close() })
    return await failureOf(client.getSongInfo({ songmid: '00DemoSong9999' }))
  }
}

/** The sentence of a kind, with anything for its details. */
const sentence = ({ says }: { says: string }): RegExp =>
  new RegExp(`^${says.split(/\{(?:word|wait)\}/).map((text) => text.replaceAll(/[.()/']/g, '\\$&')).join('.*')}`)

t.test('every kind is made by a fault, with the code, the word, the cause and the sentence of its row', async (t) => {
  for (const [kind, make] of Object.entries(inputs) as [Kind, Input][]) {
    const { code, fault, outcome } = kinds[kind]
    const error = await make(t)
    if (kind === 'remote') t.match(error, { kind, code: 'NOT_FOUND', fault: 'caller', outcome: 'remote' })
    else t.match(
      error, { kind, code, fault, outcome: outcome ?? /^(?:biz_|filter_|http_)/, message: sentence(kinds[kind]) }, kind
    )
    if (error instanceof UpstreamError && kind !== 'remote') {
      t.equal(error.statusCode, kind.startsWith('refused.cookie') ? 401 : errorCodes[code].status, kind)
    }
  }
})

/** How often the upstream is asked for what has failed so, by the row of the kind: a matrix of its own says the same in other words. */
const blameOf = ({ again, fault }: KindFacts): Row['blame'] =>
  again === 'any' ? 'failing' : again !== undefined ? 'host' : fault === 'call' ? 'call' : 'time'

t.test('every fault of the matrix is of a kind, and ends as its row says: again, stale, remembered, and whom it counts against, its status', async (t) => {
  const canary = await canaryFor(t)
  const kindsSeen = new Map<Kind, Row>()
  const server = await startFaultServer(healthy)
  t.teardown(async () => { await server.close() })
  const relay = relayFor(t, server, { tuning: quick })
  for (const each of rowsOf(single, canary.origin).filter(
    (one) => one.code !== undefined && !isSlow(one) && !isHeavy(one)
  )) {
    server.heal()
    server.fail(each.fault)
    const error =
      await failureOf(radar(each.status === 503 ? relayFor(t, server, { tuning: quick }) : relay)) as UpstreamError
    const { code, outcome = error.outcome, ...facts } = kinds[error.kind]
    t.match([
      code, errorCodes[code].status, error.outcome, blameOf({ ...facts, code })
    ], [each.code, each.status, outcome, each.blame], each.name)
    t.match(outcome, each.outcome, each.name)
    if (!kindsSeen.has(error.kind)) kindsSeen.set(error.kind, each)
  }

  const [link = ''] = chart.links
  for (const [kind, { fault }] of sampleOf([...kindsSeen], 2)) {
    const { counts, ofHost, remembered, stale, verdict } = kinds[kind]
    const { ask, server, clock, close } = await groundFor({ cache: true, tuning: { fallbackFailures: 3 } })
    const asked = async (own = {}): Promise<string> => {
      server.received.length = 0
      const { status, headers, text } = await ask(chart, own)
      return `${status === 200 ? headers.get('x-cache') : text} ${server.received.length > 0}`
    }
    await asked()
    clock.now += hour
    server.fail(fault)
    t.equal((await asked()).startsWith('STALE'), stale !== undefined, `${kind}: a stale answer stands in`)
    clock.now += 48 * hour
    const [first, second] = [await asked(), await asked()]
    t.equal(first.replace('true', 'false') === second, remembered === true, `${kind}: is remembered`)
    server.heal()

    clock.now += 48 * hour
    server.fail(fault, { call: link })
    for (let time = 0; time < 3; time++) await asked({ 'cache-control': 'no-cache' })
    const last = await asked({ 'cache-control': 'no-cache' })
    t.equal(last.startsWith('MISS') && server.asked(link) === 0, counts === 'call', `${kind}: the call is left out`)
    await close()

    const other = await groundFor({ tuning: { circuitFailures: 5 } })
    other.server.fail(fault)
    const health = async (): Promise<any> => JSON.parse((await other.ask({ path: '/health/upstream' })).text)
    await other.ask(single)
    t.equal((await health()).calls[0].verdict, verdict, `${kind}: the status of the call`)
    for (let time = 1; time < 6; time++) await other.ask(single)
    const isOpen = (await health()).hosts.some(({ state }: { state: string }) => state === 'open')
    t.equal(isOpen, counts === 'host' || ofHost !== undefined, `${kind}: the host is left alone`)
    await other.close()
  }
  t.equal(canary.asked(), 0)
})
