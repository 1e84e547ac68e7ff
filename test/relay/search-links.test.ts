/**
 * Search while its sources are dead: one at a time, all of them, and too many searches at once. And while one call of a
 * host is ill, the others of this host.
 */
import t from 'tap'
import type { SearchResult } from '../../schemas/search.ts'
import type { DemoUpstream, Fault } from '../../src/demo/upstream.ts'
import { testClock } from '../support/clock.ts'
import { brisk } from '../support/unhurried.ts'
import { cookieOf, demoFor, serverFor, until } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'
import { sampleOf } from '../support/whole.ts'
import { desktop, lite, pagesSearch as other, phone, signed, siteSearch as classic, smartbox } from '../support/wires.ts'

const secondEntry = `c6.y.qq.com${smartbox}`
const links = [classic, other, lite, signed, phone, desktop, smartbox, secondEntry]

/** Success without rows, in the shape of each source. */
const emptied: Fault = {
  mutate (answer) {
    const emptyAll = (value: any): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, inner] of Object.entries<any>(value)) {
        if (Array.isArray(inner)) value[key] = []
        else if (/^(totalnum|curnum|sum|estimate_sum|count)$/.test(key)) value[key] = 0
        else emptyAll(inner)
      }
    }
    emptyAll(answer)
    return answer
  }
}

const deaths: readonly (readonly [name: string, fault: Fault])[] = [
  ['500', { status: 500, body: '' }], ['404', { status: 404 }], ['empty', emptied], ['2001', { code: 2001 }], ['HTML', { body: '<html>no entry</html>' }]
]

const ids = ({ song, album, singer }: SearchResult): unknown[] =>
  [song.list.map(({ mid }) => mid), album.list.map(({ albumMID }) => albumMID), singer.list.map(({ singerMID }) => singerMID)]

test('with any one source dead, songs, albums and singers are all there, on each page, with and without a login', async ({ t, demo }) => {
  const healthy = relayFor(t, demo)
  const asks = [{ key: 'paper', limit: 5 }, { key: 'paper', limit: 5, page: 2 }]
  const whole = await Promise.all(asks.map(async (ask) => ids(await healthy.getSearchByKey(ask))))
  for (const [turn, cookie] of [undefined, cookieOf(demo, 'ordinary')].entries()) for (const [link, [death, fault]] of sampleOf(links.flatMap((link) => deaths.map((death) => [link, death] as const)), 2, turn)) {
    demo.reset()
    demo.next(link, fault, Infinity)
    const relay = relayFor(t, demo)
    for (const [at, ask] of asks.entries()) {
      t.same(ids(await relay.getSearchByKey(ask, cookie === undefined ? {} : { cookie })), whole[at], `${link} ${death}, page ${at + 1}, ${cookie === undefined ? 'anonymous' : 'logged in'}`)
    }
    await relay.close()
  }
})

test('once the memory knows a dead source it is skipped: a search costs three questions at most', async ({ t, demo }) => {
  const counted = async (faulty: readonly string[], fault: Fault): Promise<{ status: number, asked: number }> => {
    demo.reset()
    const server = await serverFor(t, demo)
    for (const link of faulty) demo.next(link, fault, Infinity)
    for (let time = 0; time < 8; time++) await server.get(`/getSearchByKey?key=a${time}`)
    demo.received.length = 0
    const { status } = await server.get('/getSearchByKey?key=a')
    return { status, asked: demo.received.length }
  }
  for (const [turn, [death, fault]] of deaths.entries()) {
    for (const link of sampleOf(links, 3, turn)) {
      const { status, asked } = await counted([link], fault)
      t.ok(status === 200 && asked <= 3, `${link} ${death}: ${status} after ${asked}`)
    }
    const { status, asked } = await counted(links, fault)
    t.ok(asked <= 3, `all dead, ${death}: ${status} after ${asked}`)
    t.ok(death === 'empty' ? status === 200 : [502, 503].includes(status), `${death}: ${status}`)
  }
})

test('programs take turns: at most one request in a second, and nobody waits longer than a turn', async ({ t, demo }) => {
  let clock = 0
  const relay = relayFor(t, demo, { now: () => clock, tuning: { searchIntervalMs: 60_000, upstreamQueueMs: 1000 } })
  const first = await relay.getSearchByKey({ key: 'paper', limit: 5 })
  const second = await relay.getSearchByKey({ key: 'paper', limit: 6 })
  t.equal(demo.calls(lite).length, 1)
  t.same(ids(second)[0], ids(await relay.getSearchByKey({ key: 'paper', limit: 6 }))[0])
  t.equal(second.song.list.length, 6)
  t.same([first.album.list.length, first.singer.list.length, second.album.list.length, second.singer.list.length], [5, 5, 2, 2], 'the suggestions stand in')
  t.ok(links.slice(3, 6).every((link) => demo.calls(link).length === 0), 'no other program is asked instead')
  clock += 60_000
  t.equal((await relay.getSearchByKey({ key: 'paper', limit: 7 })).album.list.length, 7)
  t.equal(demo.calls(lite).length, 2)
})

test('a turn that is near is waited for, unless the caller leaves', async ({ t, demo }) => {
  const clock = testClock()
  const server = await serverFor(t, demo, { ...clock.options, tuning: { searchIntervalMs: 300, upstreamQueueMs: 60_000 } })
  const search = async (limit: number): Promise<number> => (await server.get(`/getSearchByKey?key=paper&limit=${limit}`)).body.data.album.list.length
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

test('while all programs are ill, a caller waits for two turns at most', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { tuning: { searchIntervalMs: 800, upstreamQueueMs: 800 } })
  for (const program of [lite, signed, phone, desktop]) demo.next(program, { status: 500 }, Infinity)
  const { body, headers } = await server.get('/getSearchByKey?key=paper&limit=5')
  t.same([body.data.song.list.length, body.data.album.list.length, headers.get('x-relay-source')], [5, 2, 'search.songs.classic, search.suggestions'])
  t.ok([phone, desktop].reduce((sum, program) => sum + demo.calls(program).length, 0) <= 1, 'not each program in turn')
})

test('a program that is refused with 2001 rests for a minute, and all do when two are, while the site goes on', async ({ t, demo }) => {
  let clock = 0
  const relay = relayFor(t, demo, { now: () => clock, tuning: { fallbackFailures: 1000 } })
  const search = async (limit: number): Promise<SearchResult> => await relay.getSearchByKey({ key: 'paper', limit })
  const countsOf = (): number[] => [classic, lite, signed, phone, desktop].map((link) => demo.calls(link).length)

  demo.next(lite, { code: 2001 })
  t.equal((await search(5)).album.list.length, 5)
  t.equal((await search(6)).album.list.length, 6)
  t.same(countsOf(), [2, 1, 2, 0, 0], 'the light program rests, the signed one answers')
  clock += 60_000
  t.equal((await search(7)).album.list.length, 7)
  t.same(countsOf(), [3, 2, 2, 0, 0])

  demo.reset()
  for (const program of [lite, signed, phone, desktop]) demo.next(program, { code: 2001 }, Infinity)
  for (const limit of [8, 9]) {
    const { song, album } = await search(limit)
    t.same([song.list.length, album.list.length], [limit, 2])
  }
  t.same(countsOf(), [2, 1, 1, 0, 0], 'never a repeat')
  demo.reset()
  t.equal((await search(10)).album.list.length, 2)
  t.same(countsOf(), [1, 0, 0, 0, 0])
  clock += 60_000
  t.equal((await search(11)).album.list.length, 11)
})

test('the refusals of one caller say nothing about callers with a login', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { now: () => 0 })
  for (const program of [lite, signed, phone, desktop]) demo.next(program, { code: 2001 }, 1)
  await relay.getSearchByKey({ key: 'paper', limit: 5 })
  demo.reset()
  t.equal((await relay.getSearchByKey({ key: 'paper', limit: 6 }, { cookie: cookieOf(demo, 'ordinary') })).album.list.length, 6)
  t.same([demo.calls(lite).length, demo.received.length], [1, 2])
})

test('while all programs fail, the suggestions stand in for albums and singers', async ({ t, demo, relay }) => {
  for (const [death, fault] of deaths) {
    demo.reset()
    for (const program of [lite, signed, phone, desktop]) demo.next(program, fault, Infinity)
    const { song, album, singer } = await relay.getSearchByKey({ key: 'paper', limit: 4 })
    t.same([song.list.length, album.list.length, singer.list.length], [4, 2, 2], death)
  }
})

/** Endpoints that ask the host of the site's search. */
const neighbours = ['/getSmartbox?key=paper', '/getSongListCategories', '/getDigitalAlbumLists', '/getHotkey', '/getLyric?songmid=00DemoSong0001', '/getSongLists', '/getRanks?topId=62&limit=1', '/getSongListDetail?disstid=7700000001&limit=1']

test('one call that answers 500 for five minutes closes no other endpoint, and the search answers from another source', async ({ t, demo }) => {
  let clock = 0
  const server = await serverFor(t, demo, { now: () => clock })
  demo.next(classic, { status: 500, body: '' }, Infinity)
  for (let second = 0; second < 300; second += 5, clock += 5000) {
    demo.received.length = 0
    const search = await server.get(`/getSearchByKey?key=paper&limit=${1 + second / 5 % 40}`)
    t.match(search, { status: 200, body: { data: { song: { curnum: 1 + second / 5 % 40 } } } })
    t.ok(demo.received.length <= 3, `${demo.received.length} questions`)
    const path = neighbours[second / 5 % neighbours.length] ?? ''
    t.equal((await server.get(path)).status, 200, path)
  }
  t.ok(demo.calls(classic).length <= 2)
})

t.test('a host whose calls all answer 500 is at fault as a whole: its circuit opens', async (t) => {
  const demo: DemoUpstream = await demoFor(t)
  const server = await serverFor(t, demo, { tuning: brisk({ retryBurst: 100 }) })
  const wires = ['music.srfDissInfo.DissInfo/CgiGetDiss', 'music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo', 'music.pf_song_detail_svr/get_song_detail_yqq', 'music.trackInfo.UniformRuleCtrl/CgiGetTrackInfo', 'music.musicToplist.Toplist/GetDetail', 'musicToplist.ToplistInfoServer/GetDetail']
  for (const wire of wires) demo.next(wire, { status: 500 }, Infinity)
  for (const path of ['/v8/fcg-bin/fcg_v8_playlist_cp.fcg', '/v8/fcg-bin/fcg_play_single_song.fcg', '/v8/fcg-bin/fcg_v8_toplist_cp.fcg', '/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg']) demo.next(path, { status: 500 }, Infinity)
  for (let time = 0; time < 12; time++) {
    for (const path of ['/getSongListDetail?disstid=7700000001', '/getSongInfo?songmid=00DemoSong0001', '/getRanks?topId=62']) await server.get(path)
  }
  demo.received.length = 0
  const reply = await server.get('/getSongInfo?songmid=00DemoSong0002')
  t.match(reply, { status: 503, body: { code: 'UPSTREAM_PAUSED' } })
  t.equal(demo.received.length, 0)
})
