/** The doctor's whole examinations: through proxies, beside a running relay, and of calls that fail for a long time. */
import http from 'node:http'
import t from 'tap'
import { doctor } from '../../src/cli/doctor.ts'
import { settingsOf } from '../../src/relay/settings.ts'
import { examine, type EndpointReport } from '../../src/doctor/examine.ts'
import { table } from '../../src/doctor/table.ts'
import { classicLyric, console, lineOf, settingsFor, tuning } from '../support/doctor.ts'
import { cookieOf, demoFor, endpoints, serverOnWire } from '../support/helper.ts'
import { listening } from '../support/listening.ts'
import { connectProxy, socksProxy } from '../support/proxies.ts'

t.test('the doctor says which host answers, through which proxy', async (t) => {
  const demo = await demoFor(t)
  const { host } = new URL(demo.origin)
  const through = async (address: string | undefined, json: boolean): Promise<{ code: number, out: string }> => {
    const { task, said } = console(demo)
    const settings = settingsOf({ ...task.settings, upstreamProxy: address === undefined ? [] : [address] })
    return { code: await doctor({ ...task, settings, json, all: true, colour: false }), out: said.out }
  }
  const direct = await through(undefined, false)
  t.equal(direct.code, 0)
  t.match(direct.out, new RegExp(`\n\nhost +through +answers +outcome +time +what failed\\n${host} +direct +yes +\\d+ ms\\n\\ncall `))
  t.notMatch(direct.out, /^Hint/m)
  const proxy = await socksProxy(t, { credentials: 'op:SECRETPASS' })
  const good = await through(proxy.address.replace('://', '://op:SECRETPASS@'), true)
  t.equal(good.code, 0)
  t.match(JSON.parse(good.out), {
    ok: true, hosts: [{ host, proxy: proxy.address, answers: true, outcome: 'ok', ms: Number }]
  })
  t.notOk('hint' in JSON.parse(good.out))
  const closed = await connectProxy(t, { refuses: 403 })
  const bad = await through(closed.address.replace('://', '://op:SECRETPASS@'), false)
  t.equal(bad.code, 1)
  t.match(
    bad.out,
    /^UPSTREAM_ORIGIN \(.*\) does not answer\. The relay's proxy refuses to connect to the upstream \(HTTP 403\)\. Its operator can check UPSTREAM_PROXY\.\nhost +through .*\n127\.0\.0\.1:\d+ .*\n$/
  )
  t.notMatch(good.out + bad.out, 'SECRETPASS')
})

t.test('each endpoint names the call that answers it now, and those that do not', async (t) => {
  const demo = await demoFor(t)
  const cookie = cookieOf(demo, 'member')
  const healthy = (await examine({ settings: settingsFor(demo), tuning, cookie })).endpoints
  t.same(
    healthy.map(({ endpoint }) => endpoint), Object.keys(endpoints).filter((name) => endpoints[name]?.probe !== 'none')
  )
  for (const { endpoint, answeredBy } of healthy) t.ok(answeredBy.length > 0, endpoint)
  t.same(lineOf(healthy, 'getLyric'), { endpoint: 'getLyric', answeredBy: ['lyric.classic'], failing: [] })
  t.same(lineOf(healthy, 'getMainLoginQr'), { endpoint: 'getMainLoginQr', answeredBy: ['login.main.qr'], failing: [] })
  t.same(lineOf(healthy, 'getDailyRecommend')?.answeredBy, ['daily.folder'])
  t.match(lineOf(healthy, 'getSongListDetail'), {
    answeredBy: ['playlist.detail'], failing: [{ call: 'playlist.detail.own', verdict: 'refused', since: '2026-05' }]
  }, 'a known issue has its month')

  demo.next(classicLyric, { status: 404 }, 1000)
  for (const name of ['music.recommend.TrackRelationServer/GetSimilarSongs', 'rcmusic.similarSongRadioServer/get_simsongs']) demo.next(name, { code: 500003 }, 1000)
  const { calls: reports, endpoints: ill } = await examine({
    settings: settingsFor(demo), tuning, cookie,
    failingSince: new Map([['lyric.classic', '2026-11-20T08:15:42.000Z'], ['lyric.musicu', '2026-11-20T08:15:42.000Z']])
  })
  t.same(lineOf(ill, 'getLyric')?.answeredBy, ['lyric.musicu'])
  t.same(lineOf(ill, 'getLyric')?.failing.map(({ call, since }) => [call, since]), [
    ['lyric.classic', '2026-11-20T08:15:42.000Z'], ['lyric.classic.plain', undefined]
  ], 'what answers fails since no time')
  t.match(lineOf(ill, 'getSimilarSongs'), { answeredBy: ['song.detail'], failing: [
    { call: 'song.similar', verdict: 'retired', outcome: 'biz_500003' }, { call: 'song.similar.older' },
    { call: 'song.similar.web' }
  ] })
  t.equal(reports.find(({ call }) => call === 'lyric.classic')?.since, '2026-11-20T08:15:42.000Z')
  const text = table(reports, ill, { withCookie: true, colour: false })
  t.match(text, /^endpoint +answered by +not answered by$/m)
  t.match(
    text,
    /^getLyric +lyric\.musicu +lyric\.classic \(retired since 2026-11-20 08:15 UTC\), lyric\.classic\.plain \(retired\)$/m
  )
  t.match(text, /^getSongListDetail +playlist\.detail +playlist\.detail\.own \(refused since 2026-05\)$/m)

  const { endpoints: anonymous } = await examine({ settings: settingsFor(demo), tuning })
  t.match(lineOf(anonymous, 'getUserLikedSongs'), {
    answeredBy: [], failing: [{ call: 'user.homepage', verdict: 'login needed', outcome: 'no cookie' }]
  })
  t.same(lineOf(anonymous, 'getPersonalRecommend')?.answeredBy, [], 'what answered another endpoint does not count')
  t.match(table(reports, anonymous, { withCookie: false, colour: false }), /^getUserLikedSongs +no call +/m)
})

t.test('a running relay tells the doctor since when a call does not answer', async (t) => {
  const demo = await demoFor(t)
  const server = await serverOnWire(t, demo, { accessToken: 'open sesame' })
  const headers = { authorization: 'Bearer open sesame' }
  await server.get('/getLyric/00DemoSong0001', { headers })
  demo.next(classicLyric, { body: '<html>gone</html>' }, 1000)
  const sinceOf = async (): Promise<string> => (await server.get('/health/upstream', { headers })).body.calls
    .find(({ name }: { name: string }) => name === 'lyric.classic').since
  const well = await sinceOf()
  for (let round = 0; round < 2; round++) await server.get('/getLyric/00DemoSong0001', { headers })
  const ill = await sinceOf()
  t.ok(Date.parse(ill) >= Date.parse(well))
  await server.get('/getLyric/00DemoSong0002', { headers })
  t.equal(await sinceOf(), ill, 'a further failure changes nothing')

  const { task, said } = console(demo)
  const settings = { ...task.settings, accessToken: 'open sesame' }
  t.equal(await doctor({ ...task, settings, relay: server.address, json: true, colour: false }), 1)
  const { calls: reports, endpoints: lines } = JSON.parse(said.out)
  t.match(
    lineOf(lines, 'getLyric'), { answeredBy: ['lyric.musicu'], failing: [{ call: 'lyric.classic', since: ill }, {}] }
  )
  t.equal(reports.find(({ call }: { call: string }) => call === 'lyric.classic').since, ill)
  for (const [relay, accessToken] of [
    [server.address, 'another'], ['http://127.0.0.1:9', ''], [demo.origin, '']
  ] as const) {
    const alone = console(demo)
    t.equal(await doctor({
      ...alone.task, settings: { ...alone.task.settings, accessToken }, relay, json: true, colour: false
    }), 1, relay)
    t.notOk('since' in JSON.parse(alone.said.out).endpoints.find(
      ({ endpoint }: EndpointReport) => endpoint === 'getLyric'
    ).failing[0], 'without its word the time is unknown')
  }
})

t.test('a port that another program has is trouble', async (t) => {
  const demo = await demoFor(t)
  const other = await listening(t, http.createServer((_request, response) => { response.end('<p>not a relay') }))
  const { task, said } = console(demo)
  const settings = { ...task.settings, host: '127.0.0.1', port: Number(new URL(other).port) }
  t.equal(await doctor({ ...task, settings, relay: other, json: false, colour: false }), 1)
  t.match(said.out, ` · port: ${settings.port} is taken by another program · clock`)
})

t.test('what needs attention is named first, and what is well is left out', async (t) => {
  const demo = await demoFor(t)
  const short = console(demo)
  demo.next(classicLyric, { status: 404 }, 1000)
  t.equal(await doctor({ ...short.task, json: false, colour: false }), 1)
  t.match(
    short.said.out,
    /; 1 needs attention: getLyric \(lyric\.classic retired[^)]*\)\.\nmusic-relay .*\n\nlyric\.classic: retired \(http_404\)\. look for a newer version/
  )
  t.match(short.said.out, /\n\n--all shows every host, call and endpoint\.\n$/)
})
