/**
 * Charts: pages without gap or overlap, MIDs resolved at most five at a time, and older upstream calls as fallbacks.
 */
import t from 'tap'
import type { Chart, ChartSong } from '../../schemas/charts.ts'
import { testClock } from '../support/clock.ts'
import { checkRecord, demoFor, serverFor, until } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'
import { chart as newer, charts as all, chartsOlder as allOlder, songDetail as detail } from '../support/wires.ts'

test('a chart has its head and its songs, over HTTP and through the library', async ({ t, relay, server }) => {
  for (const topId of [62, 26, 4, 208, 6]) {
    const chart = await relay.getRanks({ topId, limit: 3 })
    t.equal(chart.topList.id, topId)
    t.same(chart.songInfoList.map((song) => song.rank), [1, 2, 3])
    t.notOk('topLists' in chart)
    for (const song of chart.songInfoList) t.equal(song.songId, song.song_id)
    const { status, body } = await server.get(`/getRanks?topId=${topId}&limit=3`)
    t.equal(status, 200)
    t.same(body, { code: 0, msg: 'ok', data: chart })
  }
})

test('the upstream is asked exactly as its own site asks', async ({ t, demo, relay }) => {
  await relay.getRanks({ topId: 62, limit: 5, page: 2 })
  const [received, ...more] = demo.received
  t.equal(more.length, 0)
  t.match(received, { host: 'u.y.qq.com', method: 'POST', path: '/cgi-bin/musicu.fcg', query: {} })
  t.match(received?.headers, { 'content-type': 'application/json', referer: 'https://y.qq.com/', origin: 'https://y.qq.com', 'user-agent': /Mozilla.*Chrome/ })
  t.notOk(received?.headers['cookie'])
  t.same(received?.body, {
    comm: { ct: 24, cv: 4747474, platform: 'yqq.json', chid: '0', g_tk: 5381, g_tk_new_20200303: 5381, format: 'json', inCharset: 'utf-8', outCharset: 'utf-8', notice: 0, need_new_code: 1 },
    req_0: { module: 'music.musicToplist.Toplist', method: 'GetDetail', param: { topId: 62, offset: 10, num: 5, withTags: false } }
  })
})

test('without topId all charts come, with the songs of chart 4', async ({ t, demo, server }) => {
  const { body } = await server.get('/getRanks?limit=2&page=1')
  t.equal(body.data.topList.id, 4)
  t.same(body.data.songInfoList.map((song: { rank: number }) => song.rank), [3, 4])
  t.ok(body.data.topLists.length >= 12)
  t.ok([4, 62, 208, 6, 104].every((id) => body.data.topLists.some((chart: { id: number }) => chart.id === id)))
  t.ok(body.data.topLists.every((chart: { songs: unknown[], picUrl: string }) => chart.songs.length <= 3 && chart.picUrl.startsWith(demo.origin)))
})

t.test('a chart without period says so with an empty text', async (t) => {
  const chart = await relayFor(t, await demoFor(t)).getRanks({ topId: 104, limit: 1 })
  t.equal(chart.topList.period, '')
})

test('a chart that sends more songs than it was asked for fills one page only', async ({ t, demo, relay }) => {
  let whole: unknown
  demo.next(newer, { mutate: (answer) => { whole = answer; return answer } })
  const { songInfoList } = await relay.getRanks({ topId: 28, limit: 20 })
  demo.reset()
  demo.next(newer, { mutate: () => whole })
  const page = await relay.getRanks({ topId: 28, limit: 3, resolveMid: true })
  t.same(page.songInfoList.map((song) => song.rank), songInfoList.slice(0, 3).map((song) => song.rank))
  t.equal(demo.calls(detail).length, new Set(page.songInfoList.map((song) => song.songId)).size, 'and asks for the MIDs of that page')
})

t.test('resolveMid asks once for each distinct song without MID, five at a time, and only then', async (t) => {
  const demo = await demoFor(t, { latencyMs: 40 })
  const relay = relayFor(t, demo)
  const server = await serverFor(t, demo)

  const without = await relay.getRanks({ topId: 28, limit: 100 })
  const missing = without.songInfoList.filter((song) => song.mid === undefined)
  t.equal(missing.length, without.songInfoList.length, 'chart 28 has no MIDs')
  for (const value of ['false', '0']) await server.get(`/getRanks?topId=28&limit=100&resolveMid=${value}`)
  t.equal(demo.calls(detail).length, 0)

  const resolvable = new Set(missing.filter((song) => song.songId > 0).map((song) => song.songId))
  t.ok(resolvable.size < missing.length, 'the chart repeats songs')
  for (const value of ['true', '1']) {
    demo.reset()
    const { body } = await server.get(`/getRanks?topId=28&limit=100&resolveMid=${value}`)
    t.equal(demo.calls(detail).length, resolvable.size)
    t.ok(body.data.songInfoList.filter((song: { mid?: string }) => song.mid !== undefined).length > 90)
    t.ok(body.data.songInfoList.every((song: { mid?: string, song_mid?: string }) => song.mid === song.song_mid))
  }

  demo.reset()
  await Promise.all([1, 2, 3].map(async () => await relay.getRanks({ topId: 28, limit: 40, resolveMid: true })))
  t.equal(demo.maxInFlight(detail), 5, 'also across requests')
})

test('resolveMid leaves alone what has a MID', async ({ t, demo, relay }) => {
  const some = await relay.getRanks({ topId: 108, limit: 100 })
  const missing = new Set(some.songInfoList.filter((song) => song.mid === undefined && song.songId > 0).map((song) => song.songId))
  t.ok(missing.size > 0 && missing.size < 90)
  await relay.getRanks({ topId: 108, limit: 100, resolveMid: true })
  t.equal(demo.calls(detail).length, missing.size)
  demo.reset()
  await relay.getRanks({ topId: 62, limit: 100, resolveMid: true })
  t.equal(demo.calls(detail).length, 0)
})

t.test('of all charts the songs of the previews get their MIDs too, each distinct song by one request', async (t) => {
  const demo = await demoFor(t, { latencyMs: 5 })
  const server = await serverFor(t, demo)
  const songsOf = ({ topLists = [], songInfoList }: Chart): ChartSong[] => [...songInfoList, ...topLists.flatMap(({ songs }) => songs)]
  const numbers = (songs: readonly ChartSong[]): number[] => [...new Set(songs.filter(({ songId }) => songId > 0).map(({ songId }) => songId))]
  const { body: { data: plain } } = await server.get('/getRanks')
  t.ok(songsOf(plain).length > numbers(songsOf(plain)).length, 'charts share songs')
  const known = new Set(plain.songInfoList.map(({ songId }: ChartSong) => songId))
  t.equal(demo.calls(detail).length, 0)

  demo.reset()
  const asked = await serverFor(t, demo)
  const { body: { data: filled } } = await asked.get('/getRanks?resolveMid=true')
  checkRecord('getRanks', filled)
  const missing = numbers(songsOf(plain)).filter((songId) => !known.has(songId))
  t.equal(demo.calls(detail).length, missing.length, 'what another row tells costs no request')
  t.ok(demo.maxInFlight(detail) <= 5)
  t.ok(songsOf(filled).every(({ mid, song_mid }) => mid !== undefined && mid === song_mid))
  const midOf = new Map(songsOf(filled).map(({ songId, mid }) => [songId, mid]))
  t.ok(songsOf(filled).every(({ songId, mid }) => midOf.get(songId) === mid), 'one song, one MID')
  const facts = (chart: Chart): unknown[] => songsOf(chart).map(({ songId, songName, singerName, rank }) => [songId, songName, singerName, rank])
  t.same(facts(filled), facts(plain), 'nothing else changes')

  demo.reset()
  demo.next(newer, { mutate: (answer) => { answer.data.data.song = answer.data.data.song.map((row: object) => ({ ...row, songId: 0 })); answer.data.songInfoList = [] } })
  for (const call of [all, allOlder]) demo.next(call, { code: 500003 })
  const { topLists = [], songInfoList } = await relayFor(t, demo).getRanks({ resolveMid: true, limit: 3 })
  t.ok([...songInfoList, ...topLists.flatMap(({ songs }) => songs)].every(({ songId, mid }) => songId === 0 && mid === undefined), 'without a number there is nothing to ask by')
  t.equal(demo.calls(detail).length, 0)
})

test('a failed detail costs its song the MID, not the chart its answer', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { tuning: { retryBurst: 0 } })
  const complete = await relay.getRanks({ topId: 28, limit: 20, resolveMid: true })
  const known = (chart: Chart): number => new Set(chart.songInfoList.filter((song) => song.mid !== undefined).map((song) => song.songId)).size
  for (const fault of [{ code: 500003 }, { status: 500 }, { body: '<html>' }, { reset: true }] as const) {
    demo.next(detail, fault)
    t.equal(known(await relay.getRanks({ topId: 28, limit: 20, resolveMid: true })), known(complete) - 1, JSON.stringify(fault))
  }
})

test('details that the deadline leaves no time for cost their MIDs only', async ({ t, demo }) => {
  demo.next(detail, { hang: true }, Infinity)
  const clock = testClock()
  const asked = relayFor(t, demo, { ...clock.options, deadlineMs: 60_000 }).getRanks({ topId: 28, limit: 20, resolveMid: true })
  await until(() => demo.calls(detail).length === 5)
  await clock.advance(60_000)
  const { songInfoList } = await asked
  t.equal(songInfoList.length, 20)
  t.ok(songInfoList.every((song) => song.mid === undefined))
})
