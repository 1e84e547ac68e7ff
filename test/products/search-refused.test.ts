/** Searches that the upstream refuses, whatever the refusal looks like: never an empty answer, and named wherever the relay tells of its upstream. */
import t from 'tap'
import type { AppOptions } from '../../src/app.ts'
import type { DemoUpstream, Fault } from '../../src/demo/upstream.ts'
import { examine } from '../../src/doctor/examine.ts'
import { nextStep } from '../../src/doctor/table.ts'
import { testClock } from '../support/clock.ts'
import { settingsFor, tuning } from '../support/doctor.ts'
import { commOf, cookieOf, demoFor, serverFor, until, type Reply, type Server } from '../support/helper.ts'
import { playerFor } from '../support/opensubsonicPlayer.ts'
import { settled } from '../support/settled.ts'
import { relayFor, sharedStage } from '../support/stage.ts'
import { sampleOf } from '../support/whole.ts'
import { desktop, listSearch, lite, pagesSearch, phone, signed, siteSearch, smartbox } from '../support/wires.ts'

const test = sharedStage('refused searches')

const programs = [lite, signed, phone, desktop]
const site = [siteSearch, pagesSearch, listSearch]
const types = ['song', 'album', 'singer', 'playlist', 'mv', 'lyric'] as const

/** Success without rows, in the shape of each program, with another `meta`. */
const filtered = (more: object): Fault => ({
  mutate ({ data: { body, meta } }) {
    for (const [name, part] of Object.entries<any>(body)) {
      if (Array.isArray(part)) body[name] = []; else if (Array.isArray(part.list)) part.list = []
    }
    Object.assign(meta, { is_filter: 0, sum: 0, estimate_sum: 0, nextpage: -1 }, more)
  }
})

/** Every form of a refusal: the answer, its outcome, and its place in the report of the relay. */
const refusals: readonly (readonly [fault: Fault, outcome: string, verdict: string])[] = [
  [filtered({ is_filter: -2, estimate_sum: 18_990 }), 'filter_-2', 'refused'],
  [filtered({ is_filter: -9 }), 'filter_-9', 'refused'],
  [filtered({ is_filter: -12 }), 'filter_-12', 'risk-controlled'],
  [filtered({ is_filter: '-7' }), 'filter_-7', 'refused'],
  [filtered({ ret: 10 }), 'filter_ret', 'refused'],
  [filtered({ safetyType: 1 }), 'filter_safety', 'risk-controlled'],
  [filtered({ safetyUrl: 'https://example.invalid/verify' }), 'filter_safety', 'risk-controlled'],
  [{ code: 0, data: null }, 'filter_null', 'refused'],
  [{ code: 2001 }, 'biz_2001', 'risk-controlled']
]

function kill (demo: DemoUpstream, calls: readonly string[], fault: Fault): void {
  for (const call of calls) demo.next(call, fault, Infinity)
}

/** Every form of a search, by its path: the number of rows of its answer. */
const forms = (key: string): Readonly<Record<string, (body: any) => number>> => ({
  ...Object.fromEntries(
    types.map((type) => [`/search?type=${type}&key=${key}`, ({ data }: any): number => data[`${type}s`].length])
  ),
  [`/search?type=album&page=2&limit=2&key=${key}`]: ({ data }) => data.albums.length,
  [`/getSearchByKey?key=${key}`]: ({ data: { song, album, singer } }) =>
    song.list.length + album.list.length + singer.list.length,
  [`/getSearchByKey?page=2&limit=3&key=${key}`]: ({ data: { song, album, singer } }) =>
    song.list.length + album.list.length + singer.list.length,
  [`/getMvByTag?tag=${key}`]: ({ response }) => response.list.length,
  [`/meting?server=tencent&type=search&id=${key}`]: (list) => list.length
})

const withMeting: AppOptions = { meting: true, linkSecret: async () => 'a secret of this test' }

/** The answers of every form of a search: either rows, or an error that says that the search was refused. */
async function askAll (
  server: Server, key: string, check: (reply: Reply, rows: number | undefined, path: string) => void
): Promise<void> {
  for (const [path, rowsOf] of Object.entries(forms(key))) {
    const reply = await server.get(path)
    check(reply, reply.status === 200 ? rowsOf(reply.body) : undefined, path)
  }
}

test('a refused search is never an empty answer, in every form, whatever refuses it and whatever the site says', async ({ t, demo }) => {
  const emptied: Fault = { mutate: ({ data }) => { for (const part of [data, ...Object.values<any>(data)]) {
    if (Array.isArray(part?.list)) Object.assign(part, { list: [], totalnum: 0, sum: 0 })
  } } }
  const says = [['500', { status: 500 }], ['empty', emptied]] as const
  const cases = refusals.flatMap((refusal) =>
    says.flatMap((said) => ([['paper', true], ['zzqqxx', false]] as const).map((key) => [refusal, said, key] as const)))
  for (const [[fault, outcome, verdict], [said, others], [key, hasSuggestions]] of sampleOf(cases, 11)) {
    demo.reset()
    kill(demo, site, others)
    kill(demo, programs, fault)
    const server = await serverFor(
      t, demo, { ...withMeting, cache: true, tuning: { retryBurst: 1000, searchPauseMs: 0 } } as AppOptions
    )
    await askAll(server, key, ({ status, body, headers }, rows, path) => {
      const about = `${outcome}, the site: ${said}, ${path}`
      // The site's lists and the suggestions agree that nothing is called so; nobody says so of another kind.
      if (rows === 0) t.ok(
        said === 'empty' && key === 'zzqqxx' && /getSearchByKey|type=song|meting/.test(path) && /max-age=10\b|no-store/.test(headers.get('cache-control') ?? 'no-store'), about
      )
      else if (rows === undefined) t.match([status, body.code, body.error], [
        502, 'UPSTREAM_REFUSED',
        /^The upstream refuses this search \((?:is_filter -\d+|ret 10|a safety check|no data|code 2001)\)/
      ], about)
      else t.ok(
        hasSuggestions && rows > 0 && rows <= 8 && /max-age=10\b|no-store/.test(headers.get('cache-control') ?? 'no-store'), `${about}: ${rows} rows`
      )
    })
    const { body: { calls } } = await server.get('/health/upstream')
    const seen = calls.filter(({ name }: any) => /^(?:mv\.)?search\..*(?:lite|signed|phone|desktop)$/.test(name))
    // The unsigned desktop program refuses nearly all callers without a login by itself.
    t.same(seen.filter(({ name, verdict: each, outcome: seen }: any) =>
      !(each === verdict && seen === outcome) && !(name.endsWith('desktop') && seen === 'biz_2001')
    ), [], outcome)
    t.ok(seen.length >= 20, `${seen.length} calls`)
  }
})

test('words without suggestions have the songs of the site; while its searches fail, they are no empty answer', async ({ t, demo }) => {
  const bare: Fault =
    { mutate: ({ data }) => { for (const section of Object.values<any>(data)) section.itemlist = [] } }
  const ask = async (key: string): Promise<Reply> =>
    await (await serverFor(t, demo, { cache: true })).get(`/getSmartbox?key=${key}`)
  t.match(await ask('zzqqxx'), { status: 200, body: {
    data: { result: { songList: { length: 0 }, singerList: { length: 0 }, albumList: { length: 0 } } }
  } }, 'the search of the site agrees')
  demo.next(smartbox, bare, Infinity)
  t.match((await ask('paper')).body.data.result.songList, {
    length: 4, 0: { id: '5000001', mid: '00DemoSong0001', name: 'First Light', singer: 'The Paper Lanterns' }
  })
  demo.next(siteSearch, { status: 500 })
  t.equal((await ask('paper')).body.data.result.songList.length, 4)
  kill(demo, site, { status: 500 })
  for (const key of ['paper', 'zzqqxx']) t.match(await ask(key), { status: 502, body: { code: /^UPSTREAM/ } }, key)
})

test('while one program answers, every kind of search has rows, whatever the others refuse it with', async ({ t, demo }) => {
  for (const [healthy, [fault, outcome]] of sampleOf(
    programs.flatMap((healthy) => refusals.map((refusal) => [healthy, refusal] as const)), 10
  )) {
    demo.reset()
    kill(demo, site, { status: 500 })
    kill(demo, programs.filter((program) => program !== healthy), fault)
    // A program that is too fast for two of its kind stops all of them for a minute.
    const relay = relayFor(t, demo, { tuning: { retryBurst: 1000, searchPauseMs: 0 } })
    const cookie = healthy === desktop ? { cookie: cookieOf(demo, 'ordinary') } : {}
    for (const type of types) t.equal(
      (await relay.search({ type, key: type === 'lyric' ? 'the' : 'paper', limit: 3 }, cookie))[`${type}s`].length, 3,
      `${healthy} ${type} ${outcome}`
    )
    const { song, album, singer } = await relay.getSearchByKey({ key: 'paper', limit: 4 }, cookie)
    t.same([song, album, singer].map(({ list }) => list.length), [4, 4, 4], `${healthy} ${outcome}`)
    t.equal((await relay.getMvByTag({ tag: 'paper', limit: 2 }, cookie)).list.length, 2)
    await relay.close()
  }
})

test('a page past the end of the site\'s songs is the end of them, also while nobody answers for albums and singers', async ({ t, demo, server }) => {
  kill(demo, programs, filtered({ is_filter: -2 }))
  const { status, body, headers } = await server.get('/getSearchByKey?key=paper&limit=50&page=40')
  t.match([status, body.data.song.list.length, body.data.song.totalnum > 100, headers.get('x-relay-source')], [
    200, 0, true, 'search.songs.classic'
  ])
})

t.test('the players see a refused search as a failure', async (t) => {
  const { demo, ask } = await playerFor(t)
  kill(demo, site, { status: 500 })
  kill(demo, programs, filtered({ is_filter: -2 }))
  for (const method of ['search2', 'search3']) t.match(
    await ask(method, { query: 'zzqqxx' }), { status: 'failed', error: { message: /refuses this search/ } }, method
  )
})

test('a stale answer stands in while all sources refuse', async ({ t, demo }) => {
  for (const [fault, outcome] of sampleOf(refusals, 3)) {
    demo.reset()
    let now = 0
    const server = await serverFor(t, demo, { cache: true, now: () => now })
    const state = async (): Promise<string> => await server.get('/search?type=lyric&key=the&limit=3')
      .then(({ status, headers, body }) => `${status} ${headers.get('x-cache')} ${body.data?.lyrics.length}`)
    t.equal(await state(), '200 MISS 3')
    kill(demo, programs, fault)
    now += 600_000
    for (let time = 0; time < 7; time++) t.equal(await state(), '200 STALE 3', outcome)
    now += 3_600_000
    t.match(await state(), /^50[23] /, 'for an hour')
  }
})

test('only the light program is asked for three kinds at once, the others for songs alone', async ({ t, demo, relay }) => {
  kill(demo, site, { status: 500 })
  demo.next(lite, filtered({ is_filter: -2 }), 3)
  const { song, album, singer } = await relay.getSearchByKey({ key: 'paper', limit: 5 })
  t.same([song, album, singer].map(({ list }) => list.length), [5, 5, 5])
  t.same(
    [lite, signed].map((call) => demo.calls(call).map(({ calls }) => calls.length)), [[3], [1, 2]],
    'who found the songs is asked for the rest'
  )
  const comm = commOf(demo.calls(signed)[0])
  t.equal(comm.ct, '19')
})

t.test('also at the usual pace a search reaches the only program that answers, right after other searches', async (t) => {
  const clock = testClock()
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { ...clock.options, tuning: { searchIntervalMs: 1000 } })
  kill(demo, [...site, smartbox, `c6.y.qq.com${smartbox}`], { status: 500 })
  kill(demo, [lite, signed], filtered({ is_filter: -2 }))
  for (const type of ['song', 'album', 'singer', 'lyric'] as const) {
    let seen: Reply | undefined
    const asked = server.get(`/search?type=${type}&key=the&limit=3`).then((reply) => { seen = reply })
    for (let turn = 0; turn < 4 && seen === undefined; turn++) {
      await settled()
      await clock.advance(1000)
      await settled()
    }
    await asked
    t.match([
      seen?.status, seen?.body.data[`${type}s`].length, seen?.headers.get('x-relay-source')
    ], [200, 3, `search.${type}s.phone`], type)
  }
})

t.test('a search that is sent again takes another turn', async (t) => {
  const clock = testClock()
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { ...clock.options, deadlineMs: 60_000, tuning: { searchIntervalMs: 1000 } })
  for (const call of [lite, signed, phone]) demo.next(call, { code: 500003 })
  demo.next(desktop, { reset: true })
  const asked = server.get('/search?type=lyric&key=the&limit=3')
  for (const call of [lite, signed, phone]) {
    await until(() => demo.calls(call).length === 1)
    await settled()
    await clock.advance(1000)
  }
  await until(() => demo.calls(desktop).length === 1)
  await settled()
  await clock.advance(500)
  await settled()
  t.equal(demo.calls(desktop).length, 1, 'not at once')
  await clock.advance(500)
  await asked
  t.equal(demo.calls(desktop).length, 2)
})

t.test('after a search that was too fast the program rests, and the others have a turn in four seconds until a minute has passed', async (t) => {
  for (const fault of [{ code: 2001 }, filtered({ is_filter: -12 })]) {
    const clock = testClock()
    const demo = await demoFor(t)
    const server = await serverFor(t, demo, { ...clock.options, deadlineMs: 60_000, tuning: {
      searchIntervalMs: 1000, searchSlowIntervalMs: 4000, fallbackFailures: 1000
    } })
    const asked = (): number[] => [lite, signed].map((call) => demo.calls(call).length)
    const search = async (limit: number): Promise<number> => await server.get(
      `/search?type=lyric&key=the&limit=${limit}`
    ).then(({ status, body }) => status === 200 ? body.data.lyrics.length : status)
    demo.next(lite, fault)
    const first = search(3)
    await until(() => asked()[0] === 1)
    await settled()
    await clock.advance(3999)
    await settled()
    t.same(asked(), [1, 0], 'nobody is asked at once')
    await clock.advance(1)
    t.equal(await first, 3)
    t.same(asked(), [1, 1])
    await clock.advance(55_000)
    t.equal(await search(4), 4)
    const next = search(5)
    await settled()
    t.equal(await search(6), 503, 'one waits at most')
    await clock.advance(4000)
    t.equal(await next, 5)
    t.same(asked(), [1, 3], 'the program rests')
    await clock.advance(4000)
    t.equal(await search(7), 7)
    const soon = search(8)
    await settled()
    await clock.advance(1000)
    t.equal(await soon, 8, 'the usual pace again')
    t.same(asked(), [3, 3])
  }
})

test('the doctor and the metrics name every refused call', async ({ t, demo }) => {
  for (const call of programs) demo.next(call, filtered({ is_filter: -2 }), Infinity)
  const { calls } = await examine({ settings: settingsFor(demo), tuning, cookie: cookieOf(demo, 'member') })
  const refused = calls.filter(({ call }) => /^(?:mv\.)?search\..*(?:lite|signed|phone|desktop)$/.test(call))
  t.equal(refused.length, 24)
  for (const report of refused) t.match(
    [report.verdict, report.outcome, nextStep(report, true)], ['refused', 'filter_-2', /the outcome names/], report.call
  )
  kill(demo, site, { status: 500 })
  const { calls: anonymous } = await examine({ settings: settingsFor(demo), tuning })
  const named = anonymous.filter(({ call, ms, outcome }) => refused.some((one) => one.call === call)
    && ms !== undefined && /^(?:filter_-2|biz_2001)$/.test(outcome))
  t.same(named.map(({ call }) => call), refused.map(({ call }) => call), 'without a cookie, while the site fails, too')
  const server = await serverFor(t, demo, { metrics: true })
  await server.get('/search?type=lyric&key=the')
  t.match((await server.get('/metrics')).text, /upstream_calls_total\{call="search\.lyrics\.lite",outcome="filter_-2"\} 1/)
})
