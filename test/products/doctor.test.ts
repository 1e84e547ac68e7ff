/** The doctor diagnoses each call. Recordings contain no secrets, and their differences are listed. */
import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import t from 'tap'
import { doctor, record } from '../../src/cli/doctor.ts'
import { kinds, type Kind } from '../../src/common/kinds.ts'
import { calls, examine, type CallReport } from '../../src/doctor/examine.ts'
import { diff, scrub } from '../../src/doctor/recording.ts'
import { nextStep, table } from '../../src/doctor/table.ts'
import { musicuCalls } from '../../src/demo/calls/index.ts'
import type { Fault } from '../../src/demo/upstream.ts'
import { settingsOf } from '../../src/relay/settings.ts'
import { reachHosts, regionHint } from '../../src/doctor/surroundings.ts'
import { egressOf } from '../../src/upstream/http/egress.ts'
import { classicLyric, console, settingsFor, tuning } from '../support/doctor.ts'
import { networkError } from '../../src/upstream/http/failures.ts'
import { withoutOpenssl } from '../support/certificates.ts'
import { cookieOf, endpoints, serverFor } from '../support/helper.ts'
import { freePort } from '../support/freePort.js'
import { listening } from '../support/listening.ts'
import { connectProxy } from '../support/proxies.ts'
import { test } from '../support/stage.ts'
import { whole } from '../support/whole.ts'

/** What an examination asks, by the names of the demo. The first test that examines a demo notes it. */
const asked = new Set<string>()

/** Number of endpoints, including those without upstream calls. */
const all = Object.keys(endpoints).length

test('the demo upstream is well: every call of every chain is asked and answers', async ({ t, demo }) => {
  const progress: string[] = []
  const { calls: reports, recorder: { probes } } = await examine({
    settings: settingsFor(demo), tuning, cookie: cookieOf(demo, 'member'),
    progress: (done, all, endpoint) => { progress.push(`${done}/${all} ${endpoint}`) }
  })
  t.same(reports.map(({ call }) => call), Object.keys(calls).sort(), 'the list names them all')
  t.same([...probes.keys()].filter((name) => !Object.hasOwn(calls, name)), [], 'no call is asked that is not in the list')
  for (const report of reports) {
    const { call, verdict, endpoints } = report
    if (verdict === 'not probed') {
      t.ok(calls[call]?.afterScan === true, `${call} was probed`)
      continue
    }
    t.equal(verdict, 'ok', call)
    t.same([...probes.get(call)?.endpoints ?? []].sort(), [...endpoints].sort(), `${call}: the endpoints that use it`)
    const { knownIssue, verdict: found } = probes.get(call) ?? {}
    t.equal(report.note, knownIssue?.verdict === found ? knownIssue?.note : undefined, call)
  }
  t.same(reports.filter(({ note }) => note !== undefined).map(({ call }) => call), [
    'playlist.detail.own', 'playlists.classic.charset', 'song.similar'
  ], 'what is as good as it gets')
  t.equal(progress.length, all)
  t.ok(progress.at(-1)?.startsWith(`${all}/${all} `))
  for (const { calls: names } of demo.received) for (const name of names) asked.add(name)
  t.ok(demo.received.length < 200, `${demo.received.length} requests`)
  t.ok(Math.max(...[...asked].map((name) => demo.maxInFlight(name))) <= 3, 'not many at once')
})

/** A fault of a call, and the doctor's verdict. */
const damages: readonly (readonly [wire: string, fault: Fault, call: string, verdict: string, outcome: string])[] = [
  ['music.musicToplist.Toplist/GetDetail', { mutate: (answer) => { answer.data.data.period = { odd: 1 } } }, 'chart.detail', 'drift', 'ok'],
  [
    'music.musichallAlbum.AlbumInfoServer/GetAlbumDetail',
    { mutate: (answer) => { delete answer.data.basicInfo.publishDate } }, 'album.detail', 'drift', 'ok'
  ],
  ['music.pf_song_detail_svr/get_song_detail_yqq', { mutate: (answer) => { delete answer.data.track_info } }, 'song.detail', 'drift', 'not_found'],
  [classicLyric, { body: '<!doctype html><p>gone</p>' }, 'lyric.classic', 'drift', 'bad_payload'],
  ['music.musichallSinger.SingerList/GetSingerListIndex', { code: 500003 }, 'singer.list', 'retired', 'biz_500003'],
  ['/v8/fcg-bin/fcg_v8_toplist_cp.fcg', { status: 404 }, 'chart.classic', 'retired', 'http_404'],
  ['music.recommend.TrackRelationServer/GetSimilarSongs', { code: 2001 }, 'song.similar.web', 'risk-controlled', 'biz_2001'],
  ['MvService.MvInfoProServer/GetSingerMvList', { code: 104604 }, 'singer.mvs', 'risk-controlled', 'biz_104604'],
  ['music.musichallAlbum.AlbumSongList/GetAlbumSongList', { code: 1000 }, 'album.songs', 'login needed', 'biz_1000'],
  ['/splcloud/fcgi-bin/smartbox_new.fcg', { reset: true }, 'search.suggestions', 'unreachable', 'reset'],
  ['/splcloud/fcgi-bin/gethotkey.fcg', { status: 500 }, 'hotkeys.classic', 'unreachable', 'http_5xx'],
  ['music.musichallSinger.SingerInfoInter/GetSingerDetail', { code: 104403 }, 'singer.detail', 'refused', 'biz_104403'],
  ['playlist.PlayListPlazaServer/get_playlist_by_tag', { mutate: (answer) => { answer.data.v_playlist = [] } }, 'playlists.square', 'empty', 'empty']
]

test('each kind of damage has its name, and what is whole is called whole', async ({ t, demo }) => {
  for (const [wire, fault] of damages) demo.next(wire, fault, 1000)
  const { calls: reports, endpoints: lines } = await examine({ settings: settingsFor(demo), tuning })
  const of = (name: string) => reports.find(({ call }) => call === name)
  for (const [wire, , call, verdict, outcome] of damages) {
    const report = of(call)
    t.same([report?.verdict, report?.outcome], [verdict, outcome], `${call} (${wire})`)
    t.not(report === undefined ? '' : nextStep(report, false), '', 'says what to do')
    if (outcome === 'http_5xx') {
      t.match(report === undefined ? '' : nextStep(report, false), /the upstream fails at it, not the network/)
    }
  }
  t.same(of('chart.detail')?.findings, [{ path: 'data.period', expected: 'text', seen: 'object' }])
  t.same(of('album.detail')?.findings, [{ path: 'basicInfo.publishDate', expected: 'text', seen: 'absent' }])
  // Damage to one address or page reaches the few that share it, which are calls of the same endpoints.
  const damaged = new Set(damages.flatMap(([, , call]) => calls[call]?.endpoints ?? []))
  const besides = reports.filter(({ call, verdict, outcome }) => !damages.some(([, , name]) => name === call)
    && !(verdict === 'ok' || verdict === 'not probed' || outcome === 'no cookie'))
  for (const { call, verdict, outcome } of besides) {
    t.ok(calls[call]?.endpoints.some((name) => damaged.has(name)), `${call}: ${verdict}, ${outcome}`)
  }
  t.ok(besides.length < damages.length / 2, besides.map(({ call }) => call).join())
  const text = table(reports, lines, { withCookie: false, colour: false })
  t.match(
    text,
    /^chart\.detail +drift +\d+ ms +getRanks +its reader needs a repair.*\n +data\.period: should be text, is object$/m
  )
  t.match(text, /^singer\.list +retired +biz_500003 /m)
  t.match(text, /Touched: .*getRanks/)
  t.notOk(text.includes('\u001b'))
  t.ok(table(reports, lines, { withCookie: false, colour: true }).includes('\u001b[35mdrift'))
})

test('without a cookie, an account\'s call is not said to need a login if nobody could connect to its host', async ({ t, demo }) => {
  const ask = async (settings: ReturnType<typeof settingsFor>) => (await examine({ settings, tuning })).calls
    .filter(({ ms, verdict }) => ms === undefined && verdict !== 'not probed')
  const proxy = await connectProxy(t, { refuses: 403 })
  const refused = await ask(settingsOf({ upstreamProxy: [proxy.address] }))
  t.ok(refused.length > 5)
  for (const report of refused) t.match(report, { verdict: 'unreachable', outcome: 'proxy_refused' }, report.call)
  if (!whole) return
  for (const name of Object.keys(musicuCalls)) {
    for (const label of [name, `signed/${name}`]) demo.next(label, { reset: true }, Infinity)
  }
  const unsent = await ask(settingsFor(demo))
  t.ok(unsent.length > 10)
  for (const report of unsent) {
    const isGateway = calls[report.call]?.host === 'musicu'
    t.match(report, isGateway ? { verdict: 'unreachable', outcome: 'reset' } : {
      verdict: 'login needed', outcome: 'no cookie'
    }, report.call)
  }
  t.same([...new Set(unsent.map(({ verdict }) => verdict))].sort(), ['login needed', 'unreachable'], 'the classic hosts answer')
})

test('the command: exit code, JSON, cookie file', async ({ t, demo }) => {
  const folder = t.testdir({
    'dead.txt': `Cookie: "${cookieOf(demo, 'expired')}"\n`,
    'user-info.json': JSON.stringify({ cookie: `${cookieOf(demo, 'member')}; wxopenid=SECRET1; wxrefresh_token=SECRET2; wxunionid=SECRET3` }),
    'empty.json': '{}',
    'empty': {},
    'odd.txt': 'uin=1; qm_keyst=ké'
  })
  const { address: relay } = await serverFor(t, demo)
  const plain = console(demo)
  const noAccounts = { folder: join(folder, 'empty') }
  t.equal(
    await doctor({ ...plain.task, relay, accounts: noAccounts, json: false, all: true, colour: false }), 0,
    'without a cookie, a wanted login is no trouble'
  )
  t.match(plain.said.out, /^user\.liked +login needed +getUserLikedSongs +bring a cookie/m)
  t.ok(plain.said.progress.includes(`${all} of ${all}`))
  t.notMatch(plain.said.progress, 'The login')

  t.match(plain.said.out, new RegExp(`^\\d+ of ${all} endpoints work; \\d+ need a login \\(--cookie-file\\); none needs attention\\.\nmusic-relay \\S+ · 2\\S+Z · Node v\\S+ · \\w+ \\w+ · proxy: none · own origin: set · folder of settings: writable · port: a relay · clock: right\n\nhost `), 'without accounts, the hosts follow')
  if (whole) {
    const dead = console(demo, join(folder, 'dead.txt'))
    t.equal(await doctor({ ...dead.task, json: true, colour: false }), 1)
    const { ok, calls: reports } = JSON.parse(dead.said.out)
    t.equal(ok, false)
    t.match(reports.find(({ call }: { call: string }) => call === 'user.whoami'), {
      verdict: 'login needed', outcome: 'biz_1000', nextStep: /expired/, endpoints: ['getUserPlaylists']
    })
    t.notOk(dead.said.out.includes('demoExpired'))
    t.same(JSON.parse(dead.said.out).login, { alive: false, vip: null })
    t.match(dead.said.progress, 'The login of the cookie: ended.')
  }

  const good = console(demo, join(folder, 'user-info.json'))
  const free = await freePort()
  const settingsOfFree = { ...good.task.settings, host: '127.0.0.1', port: free }
  t.equal(await doctor({
    ...good.task, settings: settingsOfFree, relay: `http://127.0.0.1:${free}`, json: true, colour: false
  }), 0)
  t.match(JSON.parse(good.said.out).login, { alive: true, vip: { member: true, until: '2027-03-01' } })
  const { facts, verdict } = JSON.parse(good.said.out)
  t.match([verdict, facts.surroundings], [new RegExp(`^${all} of ${all} endpoints work; none needs attention`), {
    node: process.version, proxy: false, ownOrigin: true, port: 'free', clockAhead: Number
  }])
  const values = Object.values(facts.answers).flatMap((of) => Object.values(of as object))
  t.ok(
    values.length > 10 && values.every((value) => typeof value === 'boolean' || Math.abs(value) < 1e6),
    'yes, no and small numbers'
  )
  t.match(facts.answers, {
    'search.songs.phone': { is_filter: 0, rows: Number }, 'mv.urls': { newFileType: 0 },
    'user.collected.albums': { hide: 0 }
  })
  t.match(facts.rowsOf100, { 'playlist.detail': 55, 'singer.songs': Number, 'singer.albums': Number })
  for (const program of ['web', 'webNewer', 'phone']) t.match(
    facts.files.filter((file: any) => file.program === program && file.granted && file.range === 206).length, 11,
    program
  )
  t.same(facts.renewals, [{ channel: 'alt', fields: ['openId', 'unionId', 'refreshToken'] }])
  t.notMatch(good.said.out, /SECRET/)
  t.match(good.said.progress, 'The login of the cookie: alive, subscription: until 2027-03-01.')
  await t.rejects(doctor({ ...console(demo, join(folder, 'empty.json')).task, json: true, colour: false }), {
    name: 'ConfigError', message: /empty\.json holds no login: it has neither account nor key: copy uin/
  })
  const odd = console(demo, join(folder, 'odd.txt'))
  await t.rejects(doctor({ ...odd.task, json: true, colour: false }), {
    name: 'ConfigError', message: /odd\.txt holds no login: it has an account but no key: copy qm_keyst/
  })
  t.equal(odd.said.progress, '', 'the upstream is not asked')
  await t.rejects(
    doctor({ ...console(demo, join(folder, 'none')).task, json: true, colour: false }), { message: /cannot be read/ }
  )

  const gone = console({ origin: 'http://127.0.0.1:9' })
  const settings = { ...gone.task.settings, redisUrl: 'redis://127.0.0.1:9' }
  const accounts = { folder: join(folder, 'none') }
  t.equal(await doctor({ ...gone.task, settings, accounts, json: true, colour: false }), 1)
  t.match(JSON.parse(gone.said.out), {
    facts: { surroundings: { node: process.version, folder: 'ENOENT' } }, sharedStore: 'down'
  }, 'all that needs no upstream is checked')
  t.notOk('clockAhead' in JSON.parse(gone.said.out).facts.surroundings)
  gone.said.out = ''
  t.equal(await doctor({ ...gone.task, settings, accounts, json: false, colour: false }), 1)
  t.match(
    gone.said.out,
    /^UPSTREAM_ORIGIN .* is refused\.\nmusic-relay .* folder of settings: ENOENT · clock: not checked\nThe shared store does not answer\..*\n$/
  )
  gone.said.out = ''
  t.equal(await doctor({ ...gone.task, json: false, colour: false }), 1)
  t.equal(gone.said.out, 'UPSTREAM_ORIGIN (http://127.0.0.1:9) does not answer. The upstream cannot be reached: the connection is refused.\n')
  gone.said.out = ''
  t.equal(await doctor({ ...gone.task, accounts: { folder }, all: true, json: false, colour: false }), 1)
  t.match(
    gone.said.out,
    /\naccount +state .*\ndefault [^]*\nhost +through .*\n127\.0\.0\.1:9 +direct +no +connect_refused .*\n$/,
    'stored accounts, and each host'
  )
  const json = console({ origin: 'http://127.0.0.1:9' })
  t.equal(await doctor({ ...json.task, json: true, colour: false }), 1)
  t.match(
    JSON.parse(json.said.out), { ok: false, outage: /connection is refused/, hosts: [{ outcome: 'connect_refused' }] }
  )
  t.equal(await doctor({ ...console(demo, undefined, AbortSignal.abort()).task, json: false, colour: false }), 130)
  t.equal(await doctor({ ...gone.task, signal: AbortSignal.abort(), json: false, colour: false }), 130)
})

t.test('each host of the upstream has a line, by its own way', async (t) => {
  // Nothing leaves this machine: the proxy refuses all of them.
  const proxy = await connectProxy(t, { refuses: 403 })
  const reports =
    await reachHosts({ upstreamOrigin: undefined, egress: egressOf([proxy.address]), connectTimeoutMs: 5000 })
  t.ok(reports.length > 10)
  t.same(proxy.asked.sort(), reports.map(({ host }) => `${host}:443`).sort())
  for (const report of reports) t.match(report, { proxy: proxy.address, answers: false, outcome: 'proxy_refused' })
})

t.test('why no connection is opened has a class, and a reason in words', async (t) => {
  const outcomeOf = (code: string) => {
    const { outcome, message } =
      networkError(Object.assign(new Error(code), { code }), 'a', 'request', { aborted: false, reason: undefined })
    return [outcome, message]
  }
  for (const [code, outcome, words] of [
    ['ENOTFOUND', 'dns', /name is not found/], ['EAI_AGAIN', 'dns', /DNS/],
    ['ECONNREFUSED', 'connect_refused', /is refused/], ['ETIMEDOUT', 'connect_timeout', /firewall/],
    ['ENETUNREACH', 'network', /no network/], ['CERT_NOT_YET_VALID', 'certificate_early', /check the clock/],
    ['CERT_HAS_EXPIRED', 'certificate_expired', /clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate_name', /another name/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate_untrusted', /not trusted/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate_untrusted', /not trusted/], ['EPROTO', 'tls', /TLS/],
    ['ODD', 'connect', /cannot be reached\.$/]
  ] as const) t.match(outcomeOf(code), [outcome, words], code)
})

t.test('a certificate that nobody trusts is told by the doctor, in a failure and in the state of the upstream', { skip: withoutOpenssl }, async (t) => {
  const folder = t.testdir({})
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-subj', '/CN=localhost', '-keyout', key, '-out', cert])
  let behindMs = 0
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
    response.setHeader('date', new Date(Date.now() - behindMs).toUTCString()).end()
  })
  const origin = (await listening(t, server)).replace('http:', 'https:')
  const { task, said } = console({ origin })
  t.equal(await doctor({ ...task, json: false, colour: false }), 1)
  t.match(
    said.out,
    /^UPSTREAM_ORIGIN \(https:.*\) does not answer\. The upstream cannot be reached: its certificate is not trusted\. Something may stand in between\.\n$/
  )
  behindMs = 86_400_000
  const ahead = console({ origin })
  t.equal(await doctor({ ...ahead.task, json: false, colour: false }), 1)
  t.match(
    ahead.said.out, /is not trusted\..*\nmusic-relay .* · clock: 864\d\d s ahead, set it\n$/,
    'although the certificate is not valid'
  )
  const relay = await serverFor(t, { origin } as never)
  t.match(await relay.get('/getHotkey'), { status: 502, body: { code: 'UPSTREAM_UNREACHABLE', error: /certificate is not trusted/ } })
  t.match((await relay.get('/health/upstream')).body.calls[0], { verdict: 'unreachable', outcome: 'certificate_untrusted' })
  t.match(JSON.stringify(relay.log), /certificate_untrusted/)
})

t.test('refusals that look like those of a place bring a hint', (t) => {
  const here = [{ host: 'a', answers: true, outcome: 'ok', ms: 1 }]
  const call = (name: string, verdict: CallReport['verdict'], outcome = 'ok', kind?: Kind): CallReport =>
    ({ call: name, verdict, outcome, kind, findings: [], endpoints: [] })
  const calls = (refused: number, verdict: CallReport['verdict'], kind?: Kind): CallReport[] =>
    Array.from({ length: 20 }, (_, at) => at < refused ? call(`c${at}`, verdict, 'x', kind) : call(`c${at}`, 'ok'))
  t.equal(regionHint(here, calls(20, 'ok'), new Set()), undefined)
  for (const [verdict, kind] of [['risk-controlled', 'refused.risk'], ['empty', 'empty'], ['refused', 'refused.http']] as const) {
    t.equal(regionHint(here, calls(3, verdict, kind), new Set()), undefined, 'a few calls are faults of their own')
    t.match(
      regionHint(here, calls(6, verdict, kind), new Set()),
      /^6 of 20 calls are refused or empty: .*UPSTREAM_PROXY sends/
    )
  }
  t.equal(regionHint(here, calls(20, 'refused', 'refused.platform'), new Set()), undefined, 'another reason')
  const logins = [call('login.main.qr', 'refused', 'http_403', 'refused.http'), call('login.alt.qr', 'ok')]
  t.match(regionHint(here, logins, new Set()), /^the main login is refused and the alternative one is not: /)
  t.equal(regionHint(here, logins.slice(0, 1), new Set()), undefined)
  t.match(
    regionHint(here, [], new Set(['getMusicPlay'])), /^a song is not offered where the relay runs \(getMusicPlay\): /
  )
  t.match(
    regionHint([{ ...here[0], proxy: 'http://127.0.0.1:1' } as never], calls(6, 'empty'), new Set()),
    /Try a proxy in another place/
  )
  const gone = { host: 'a', answers: false, outcome: 'connect', ms: 1 }
  t.match(regionHint([gone, { ...gone, host: 'b' }], [], new Set()), /^no host answers: /)
  t.equal(regionHint([gone, ...here], [], new Set()), undefined)
  const nameless = { ...gone, outcome: 'dns' }
  t.equal(regionHint([nameless, nameless], [], new Set()), undefined, 'the fault is here')
  t.end()
})

const privateNames = ['uin', 'host_uin', 'ip', 'clientIp', 'key', 'musickey', 'vkey', 'ekey', 'guid', 'nick', 'nickName', 'encrypt_uin', 'encryptUin', 'EncryptUin', 'openid', 'unionid', 'access_token', 'phone', 'phoneNum', 'avatarurl', 'headpic', 'creator', 'userinfo']

/** Puts a secret into every object of an answer, of a list into the first row: as a text, in an address, as a number, and nested. */
function plant (value: any, secret: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const held of Object.values(value).slice(0, Array.isArray(value) && !whole ? 1 : Infinity)) plant(held, secret)
  if (Array.isArray(value)) return
  for (const name of privateNames) value[name] ??= 'MARK'
  value.marks = { token: { deep: ['MARK', 777777771] }, creator: { name: 'MARK', city: 'MARK' }, uin: 777777772 }
  value.address = 'https://media.example/a.m4a?guid=MARK&vkey=MARK&uin=MARK&fromtag=3'
  value.note = `{"ip":"10.11.12.13","uin":"MARK"} ${secret} x`
  value.report = JSON.stringify({
    nick: 'MARK and MARK', musicid: '77777777', inner: JSON.stringify({ creator: { text: 'MARK' }, uin: 777777772 })
  })
  value.link = 'https://x.example/?next=a%26vkey%3DMARK'
  value.odd = { [secret]: 1, [`k_${secret}`]: [
    secret.toUpperCase(), Buffer.from(`;${secret}`).toString('base64'), Buffer.from(secret).toString('hex')
  ] }
}

test('a recording holds no secret and no person, and every shape', async ({ t, demo }) => {
  const cookie = cookieOf(demo, 'member')
  const folder = t.testdir({ 'cookie.txt': cookie })
  t.ok(asked.size > 60)
  const secrets = cookie.split('; ')
    .map((pair) => pair.slice(pair.indexOf('=') + 1)).filter((value) => value.length > 3)
  for (const name of asked) demo.next(name, { mutate: (answer: any) => { plant(answer, secrets.join(' ')) } }, 1000)

  const { task, said } = console(demo, join(folder, 'cookie.txt'))
  t.equal(await record({ ...task, folder: join(folder, 'marked') }), 0)
  const files = readdirSync(join(folder, 'marked'))
  t.ok(files.includes('song.similar.refused.json'), 'a refusal is recorded, too')
  const unrecorded = Object.keys(calls).filter((call) => !call.startsWith('login.') && !files.includes(`${call}.json`))
  t.same(unrecorded, ['playlist.detail.own', 'song.similar'], 'every call is recorded; two are refused')
  t.ok(files.length > 60, said.out)
  for (const file of files) {
    const text = readFileSync(join(folder, 'marked', file), 'utf8')
    const found = ['MARK', '77777777', '10.11.12.13', ...secrets].filter((mark) => text.includes(mark))
    t.same(found, [], file)
  }
  const chart = JSON.parse(readFileSync(join(folder, 'marked', 'chart.detail.json'), 'utf8'))
  t.match(chart, { call: 'chart.detail', ask: { module: 'music.musicToplist.Toplist' }, answer: {
    data: { topId: 4, title: /./, uin: 'scrubbed', marks: { uin: 1 } }
  } })
  const comments = readFileSync(join(folder, 'marked', 'comments.classic.json'), 'utf8')
  t.notMatch(comments, /"(rootcommentcontent|rootcommentnick)": "(?!scrubbed|")/, 'what people write is left out')
})

t.test('scrubbing keeps types and emptiness', async (t) => {
  const told = { call: 'x', secrets: ['s3cretkey'] }
  t.same(scrub({ uin: '123', nick: '', key: 5, vkey: null, list: [{ ip: '1.2.3.4', id: 9 }], ok: true }, told), {
    uin: '1', nick: '', key: 1, vkey: null, list: [{ ip: 'scrubbed', id: 9 }], ok: true
  })
  t.same(scrub({ text: 'a s3cretkey b', s3cretkey: 1 }, told), { text: 'a scrubbed b', scrubbed: 1 })
  t.same(scrub({ id: -1234567, hidden: `x ${Buffer.from('; s3cretkey').toString('base64url')} y`, S3CRETKEY: 'S3cretKey', picture: 'T002R300x300M000000MkMni19ClKG' }, {
    call: 'x', secrets: ['s3cretkey', '1234567']
  }), { id: -1, hidden: 'x scrubbed y', scrubbed: 'scrubbed', picture: 'T002R300x300M000000MkMni19ClKG' })
  t.same(scrub({ text: '{"uin":1152921504600000203,"name":"a song"}' }, { call: 'x', secrets: ['1152921504600000203'] }), { text: '{"uin":"1","name":"a song"}' })
  t.same(scrub({ text: '{no JSON} s3cretkey' }, told), { text: '{no JSON} scrubbed' })
  const open = {
    dissid: 77, vip: 1, design: 'a', capacity: 9, hotkey: 'b', keyword: 'c', singerid: 5, tip: 'd',
    desc: 'x?dissid=5&vip=1', isvip: 1, albumid: 3
  }
  t.same(scrub(open, told), open, 'names that only end like a private one')
  t.same(
    scrub({
      user_id: 7, musicid: 7, hostUid: 7, p_skey: 'a', clientip: 'b', skey2: 'c', link: 'a?sid=1&p_skey=2&clientip=3'
    }, told),
    {
      user_id: 1, musicid: 1, hostUid: 1, p_skey: 'scrubbed', clientip: 'scrubbed', skey2: 'scrubbed',
      link: 'a?sid=1&p_skey=scrubbed&clientip=scrubbed'
    }
  )
  t.same(scrub({
    jumptype: 10014, cardType: 3, id: 'abc!1', title: '今日私享',
    page: '<!doctype html><b onclick=x() class="item" data-rid="77" title=\'me\'>me</b>me <i'
  }, { ...told, call: 'feed' }),
    { jumptype: 10014, cardType: 3, id: 'scrubbed!', title: '今日私享', page: '<!doctype html><b class="item" data-rid="1">scrubbed</b>scrubbed' }, 'what readers go by stays')
  t.same(scrub({ title: 'A song' }, { ...told, call: 'user.playlists' }), { title: 'scrubbed' })
  t.same(scrub(`${'a'.repeat(200_000)}=`, told), `${'a'.repeat(200_000)}=`, 'in linear time')
})

t.test('a call that cannot be reached is told from one that fails: the next step follows from the cause', async (t) => {
  const said: readonly (readonly [Kind, RegExp])[] = [
    ['connect', /^check the network, and UPSTREAM_ORIGIN/], ['dns', /^check the network and its DNS$/],
    ['certificate.early', /clock of this machine/], ['certificate.name', /^something stands between/],
    ['proxy.login', /correct UPSTREAM_PROXY$/]
  ]
  for (const [kind, step] of said) {
    const { verdict, outcome = '' } = kinds[kind]
    t.match(nextStep({ call: 'a.call', verdict, outcome, kind, findings: [], endpoints: [] }, false), step, kind)
  }
})

const recorded = (answer: unknown, ask: unknown = {}) => new Map([['a', { call: 'a', ask, answer }]])

t.test('nothing is said about what a recording cannot know', async (t) => {
  const changes = (older: unknown, newer: unknown): unknown =>
    diff(recorded(older), recorded(newer)).changed.map(({ added, removed, retyped }) => ({ added, removed, retyped }))
  t.same(changes({ rows: [{ id: 1 }] }, { rows: [] }), [], 'a list without rows')
  t.same(changes({ album: { id: 1 } }, { album: null }), [], 'null')
  t.same(changes({ album: { id: 1 } }, {}), [{
    added: [], removed: [{ path: 'album', type: 'object' }], retyped: []
  }], 'what is gone is named once')
  t.same(changes({ rows: [{ id: 1 }, { id: null, name: 'a' }] }, { rows: [{ id: '1' }] }), [{
    added: [], removed: [{ path: 'rows[].name', type: 'string' }],
    retyped: [{ path: 'rows[].id', from: 'number', to: 'string' }]
  }], 'rows are one')
  const [one, other] = ['vid1', 'vid2'].map((vid) => recorded({ [vid]: { mp4: [] } }, { param: { vidlist: [vid] } }))
  t.same(diff(one as never, other as never).changed, [], 'keys that were asked for')
  t.same(diff(recorded({}), new Map()).removed, ['a'])
})
