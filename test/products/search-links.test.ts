/** Search while its sources are dead: one at a time, all of them, and too many searches at once. And the others of a host while one call is ill. */
import type { SearchResult } from '../../schemas/search.ts'
import type { Fault } from '../../src/demo/upstream.ts'
import { testClock } from '../support/clock.ts'
import { cookieOf, serverFor, until } from '../support/helper.ts'
import { settled } from '../support/settled.ts'
import { relayFor, sharedStage } from '../support/stage.ts'
import { brisk } from '../support/unhurried.ts'
import { sampleOf } from '../support/whole.ts'
import * as wires from '../support/wires.ts'

const test = sharedStage('links of the search')

const { siteSearch: classic, pagesSearch: other, lite, signed, phone, desktop, smartbox } = wires
const programs = [lite, signed, phone, desktop]
const links = [classic, other, ...programs, smartbox, `c6.y.qq.com${smartbox}`]

/** Success without rows, in the shape of each source, and without a word of the programs about a refusal. */
function emptyAll (value: any): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries<any>(value)) {
    if (Array.isArray(inner)) value[key] = []
    else if (key === 'is_filter') delete value[key]
    else if (/^(totalnum|curnum|sum|estimate_sum|count)$/.test(key)) value[key] = 0
    else emptyAll(inner)
  }
}

const deaths: readonly (readonly [name: string, fault: Fault])[] = [
  ['500', { status: 500, body: '' }], ['404', { status: 404 }], ['empty', { mutate: emptyAll }],
  ['2001', { code: 2001 }], ['HTML', { body: '<html>no entry</html>' }]
]

const ids = ({ song, album, singer }: SearchResult): unknown[] => [
  song.list.map(({ mid }) => mid), album.list.map(({ albumMID }) => albumMID),
  singer.list.map(({ singerMID }) => singerMID)
]
const sizes = ({ song, album, singer }: SearchResult): number[] => [song, album, singer].map(({ list }) => list.length)

test('with any one source dead, songs, albums and singers are all there, on each page, with and without a login', async ({ t, demo, relay: healthy }) => {
  const asks = [{ key: 'paper', limit: 5 }, { key: 'paper', limit: 5, page: 2 }]
  const whole = await Promise.all(asks.map(async (ask) => ids(await healthy.getSearchByKey(ask))))
  const cases = links.flatMap((link) => deaths.map((death) => [link, death] as const))
  for (const [turn, options] of [
    {}, { cookie: cookieOf(demo, 'ordinary') }
  ].entries()) for (const [link, [death, fault]] of sampleOf(cases, 6, turn)) {
    demo.reset()
    demo.next(link, fault, Infinity)
    const relay = relayFor(t, demo)
    for (const [at, ask] of asks.entries()) t.same(
      ids(await relay.getSearchByKey(ask, options)), whole[at],
      `${link} ${death}, page ${at + 1}, ${JSON.stringify(options).length > 2 ? 'logged in' : 'anonymous'}`
    )
    await relay.close()
  }
})

test('once the memory knows a dead source it is skipped: a search costs three questions at most', async ({ t, demo }) => {
  for (const [turn, [death, fault]] of deaths.entries()) for (const dead of [
    ...sampleOf(links, 8, turn).map((link) => [link]), links
  ]) {
    demo.reset()
    const relay = relayFor(t, demo)
    const search = async (key: string): Promise<number> =>
      await relay.getSearchByKey({ key }).then(() => 200, ({ statusCode }) => statusCode)
    for (const link of dead) demo.next(link, fault, Infinity)
    for (let time = 0; time < 8; time++) await search(`a${time}`)
    demo.received.length = 0
    const status = await search('a')
    t.ok((dead === links && death !== 'empty' ? [502, 503] : [200]).includes(status), `${dead.length} ${death}: ${status}`)
    t.ok(demo.received.length <= 3, `${dead.length} ${death}: ${demo.received.length} questions`)
    await relay.close()
  }
})

test('programs take turns: at most one request in a second, and nobody waits longer than a turn', async ({ t, demo }) => {
  let clock = 0
  const relay = relayFor(t, demo, { now: () => clock, tuning: { searchIntervalMs: 60_000, upstreamQueueMs: 1000 } })
  const search = async (limit: number): Promise<SearchResult> => await relay.getSearchByKey({ key: 'paper', limit })
  t.same(sizes(await search(5)), [5, 5, 5])
  const second = await search(6)
  t.same(sizes(second), [6, 2, 2], 'the suggestions stand in')
  t.equal(demo.calls(lite).length, 1)
  t.same(ids(second)[0], ids(await search(6))[0])
  t.ok([signed, phone, desktop].every((link) => demo.calls(link).length === 0), 'no other program is asked instead')
  clock += 60_000
  t.equal((await search(7)).album.list.length, 7)
  t.equal(demo.calls(lite).length, 2)
})

test('a search that got no turn, and of which nothing else is known, may be sent again soon: the upstream did not refuse it', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { now: () => 0, tuning: { searchIntervalMs: 60_000, upstreamQueueMs: 1000 } })
  t.match(await server.get('/search?type=album&key=zzqq1'), { status: 200, body: { data: { total: 0 } } })
  const { status, body, headers } = await server.get('/search?type=album&key=zzqq2')
  t.match([status, body, headers.get('retry-after')], [503, { code: 'UPSTREAM_PAUSED', error: /one request at a time; try again in 60 s/ }, '60'])
  t.equal(demo.calls(lite).length, 1)
})

test('a turn that is near is waited for, unless the caller leaves', async ({ t, demo }) => {
  const clock = testClock()
  const server =
    await serverFor(t, demo, { ...clock.options, tuning: { searchIntervalMs: 300, upstreamQueueMs: 60_000 } })
  const search = async (limit: number): Promise<number> =>
    (await server.get(`/getSearchByKey?key=paper&limit=${limit}`)).body.data.album.list.length
  const finding = Promise.all([5, 6, 7].map(search))
  for (const turn of [1, 2]) {
    await until(() => demo.calls(lite).length === turn)
    await clock.advance(299)
    t.equal(demo.calls(lite).length, turn)
    await clock.advance(1)
  }
  t.same(await finding, [5, 6, 7])
  t.equal(demo.calls(lite).length, 3)
})

test('while all programs are ill, a caller waits for one turn of each', async ({ t, demo }) => {
  const clock = testClock()
  const server = await serverFor(t, demo, { ...clock.options, tuning: { searchIntervalMs: 800, upstreamQueueMs: 800 } })
  for (const program of programs) demo.next(program, { status: 500 }, Infinity)
  let [turns, done] = [0, false]
  const asked = server.get('/getSearchByKey?key=paper&limit=5').finally(() => { done = true })
  for (await settled(); !done; turns++) {
    await clock.advance(800)
    await settled()
  }
  const { body, headers } = await asked
  t.same([...sizes(body.data), headers.get('x-relay-source')], [5, 2, 2, 'search.songs.classic, search.suggestions'])
  t.ok(turns <= 4, `${turns} turns`)
  t.same(programs.map((program) => demo.calls(program).length), [1, 1, 1, 1])
})

test('a program that is refused with 2001 rests for a minute, and all do when two are, while the site goes on', async ({ t, demo }) => {
  let clock = 0
  const relay = relayFor(t, demo, { now: () => clock, tuning: { fallbackFailures: 1000 } })
  /** Number of songs and albums, and of the calls of the site and each program so far. */
  const search = async (limit: number): Promise<number[][]> => [
    sizes(await relay.getSearchByKey({ key: 'paper', limit })).slice(0, 2),
    [classic, ...programs].map((link) => demo.calls(link).length)
  ]
  demo.next(lite, { code: 2001 })
  t.same(await search(5), [[5, 5], [1, 1, 1, 0, 0]], 'the signed program answers')
  t.same(await search(6), [[6, 6], [2, 1, 2, 0, 0]], 'the light one rests')
  clock += 60_000
  t.same(await search(7), [[7, 7], [3, 2, 2, 0, 0]])

  demo.reset()
  for (const program of programs) demo.next(program, { code: 2001 }, Infinity)
  t.same(await search(8), [[8, 2], [1, 1, 1, 0, 0]])
  t.same(await search(9), [[9, 2], [2, 1, 1, 0, 0]], 'never a repeat')
  demo.reset()
  t.same(await search(10), [[10, 2], [1, 0, 0, 0, 0]])
  clock += 60_000
  t.same((await search(11))[0], [11, 11])
})

test('the refusals of one caller say nothing about callers with a login', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { now: () => 0 })
  for (const program of programs) demo.next(program, { code: 2001 }, 1)
  await relay.getSearchByKey({ key: 'paper', limit: 5 })
  demo.reset()
  t.equal(
    (await relay.getSearchByKey({ key: 'paper', limit: 6 }, { cookie: cookieOf(demo, 'ordinary') })).album.list.length,
    6
  )
  t.same([demo.calls(lite).length, demo.received.length], [1, 2])
})

test('while all programs fail, the suggestions stand in for albums and singers', async ({ t, demo, relay }) => {
  for (const [death, fault] of deaths) {
    demo.reset()
    for (const program of programs) demo.next(program, fault, Infinity)
    t.same(sizes(await relay.getSearchByKey({ key: 'paper', limit: 4 })), [4, 2, 2], death)
  }
})

/** Endpoints that ask the host of the site's search. */
const neighbours = ['getSmartbox?key=paper', 'getSongListCategories', 'getDigitalAlbumLists', 'getHotkey', 'getLyric?songmid=00DemoSong0001', 'getSongLists', 'getRanks?topId=62&limit=1', 'getSongListDetail?disstid=7700000001&limit=1']

test('one call that answers 500 for five minutes closes no other endpoint, and the search answers from another source', async ({ t, demo }) => {
  let clock = 0
  const server = await serverFor(t, demo, { now: () => clock })
  demo.next(classic, { status: 500, body: '' }, Infinity)
  for (let round = 0; round < 12; round++, clock += 25_000) {
    demo.received.length = 0
    t.match(await server.get(`/getSearchByKey?key=paper&limit=${1 + round}`), {
      status: 200, body: { data: { song: { curnum: 1 + round } } }
    })
    t.ok(demo.received.length <= 3, `${demo.received.length} questions`)
    const path = neighbours[round % neighbours.length] ?? ''
    t.equal((await server.get(`/${path}`)).status, 200, path)
  }
  t.ok(demo.calls(classic).length <= 2)
})

test('a host whose calls all answer 500 is at fault as a whole: its circuit opens', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { tuning: brisk({ retryBurst: 100 }) })
  const {
    playlist, playlistSibling, playlistWhole, playlistOwn, songDetail, songTracks, songClassic, chart, chartOlder,
    chartClassic
  } = wires
  for (const wire of [
    playlist, playlistSibling, playlistWhole, playlistOwn, songDetail, songTracks, songClassic, chart, chartOlder,
    chartClassic
  ]) demo.next(wire, { status: 500 }, Infinity)
  for (let time = 0; time < 12; time++) {
    await relay.getSongListDetail({ disstid: '7700000001' }).catch(() => {})
    await relay.getSongInfo({ songmid: '00DemoSong0001' }).catch(() => {})
    await relay.getRanks({ topId: 62 }).catch(() => {})
  }
  demo.received.length = 0
  await t.rejects(relay.getSongInfo({ songmid: '00DemoSong0002' }), { code: 'UPSTREAM_PAUSED', statusCode: 503 })
  t.equal(demo.received.length, 0)
})
