/**
 * Charts: pages without gap or overlap, MIDs resolved at most five at a time, and older upstream calls as fallbacks.
 */
import t from 'tap'
import type { Chart, ChartSong } from '../../schemas/charts.ts'
import { testClock } from '../support/clock.ts'
import { checkRecord, demoFor, sampleText, serverFor, subAnswers, until, withoutSamples } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'

const newer = 'music.musicToplist.Toplist/GetDetail'
const older = 'musicToplist.ToplistInfoServer/GetDetail'
const classic = '/v8/fcg-bin/fcg_v8_toplist_cp.fcg'
const all = 'music.musicToplist.Toplist/GetAll'
const allOlder = 'musicToplist.ToplistInfoServer/GetAll'
const allClassic = '/v8/fcg-bin/fcg_myqq_toplist.fcg'
const detail = 'music.pf_song_detail_svr/get_song_detail_yqq'

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

test('pages joined have no gap and no overlap', async ({ t, relay }) => {
  for (const limit of [7, 20, 33]) {
    const ranks: number[] = []
    for (let page = 0; ; page++) {
      const { songInfoList, topList } = await relay.getRanks({ topId: 62, limit, page })
      t.ok(songInfoList.length <= limit)
      ranks.push(...songInfoList.map((song) => song.rank))
      if ((page + 1) * limit >= topList.totalNum) break
    }
    t.same(ranks, Array.from({ length: 100 }, (_, index) => index + 1), `limit ${limit}`)
  }
  t.same((await relay.getRanks({ topId: 62, page: 9999 })).songInfoList, [])
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

test('when a call dies the next one answers the same chart', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { tuning: { fallbackFailures: 100 } })
  const healthy = await relay.getRanks({ topId: 62, limit: 10, page: 1 })
  for (const fault of [{ code: 500003 }, { code: 2000 }, { body: '<html>gone</html>' }, { status: 404 }, { status: 500 }, { reset: true }] as const) {
    demo.reset()
    demo.next(newer, fault)
    t.same(await relay.getRanks({ topId: 62, limit: 10, page: 1 }), healthy, JSON.stringify(fault))
    t.same(demo.received.map(({ calls }) => calls[0]), [newer, older])
    t.match(demo.received[1]?.body, { req_0: { param: { topId: 62, offset: 10, num: 10, period: '' } } })
  }
  demo.reset()
  demo.next(newer, { code: 500003 })
  demo.next(older, { code: 500003 })
  const old = await relay.getRanks({ topId: 62, limit: 10, page: 1 })
  t.same(old.songInfoList, healthy.songInfoList)
  t.match(demo.received[2], { host: 'c.y.qq.com', method: 'GET', path: classic, query: { topid: '62', song_begin: '10', song_num: '10', page: 'detail', tpl: '3' } })
})

test('pages of the classic chart have no gap, though it sends fifty songs at most', async ({ t, demo, relay }) => {
  for (const page of [{ limit: 100, page: 0 }, { limit: 60, page: 1 }, { limit: 100, page: 2 }]) {
    const { songInfoList } = await relay.getRanks({ topId: 62, ...page })
    for (const name of [newer, older]) demo.next(name, { code: 500003 })
    t.same((await relay.getRanks({ topId: 62, ...page })).songInfoList, songInfoList, `limit ${page.limit}, page ${page.page}`)
  }
})

test('when the list of charts dies the next call lists them', async ({ t, demo, relay }) => {
  const ids = async (): Promise<number[]> => (await relay.getRanks({ limit: 1 })).topLists?.map((chart) => chart.id) ?? []
  const healthy = await ids()
  for (const fault of [{ code: 500003 }, { mutate: (answer: any) => { answer.data.group = [] } }]) {
    demo.next(all, fault)
    t.same(await ids(), healthy)
  }
  demo.next(all, { code: 500003 })
  demo.next(allOlder, { code: 500003 })
  t.ok((await ids()).length > 0)
  t.equal(demo.calls(allClassic).length, 1)
})

test('failures say what they are', async ({ t, demo, server, hasty }) => {
  const unknown = await server.get('/getRanks?topId=999999')
  t.match(unknown, { status: 404, body: { code: 'NOT_FOUND' } })
  for (const name of [newer, older, classic]) demo.next(name, { body: 'nothing' }, Infinity)
  t.match(await server.get('/getRanks?topId=62'), { status: 502, body: { code: 'UPSTREAM_UNREADABLE' } })
  demo.reset()
  demo.next(newer, { hang: true })
  t.match(await hasty.get('/getRanks?topId=62'), { status: 504, body: { code: 'UPSTREAM_TIMEOUT' } })
  t.equal(demo.received.length, 1, 'nothing is tried again after a timeout')
  demo.reset()
  for (const name of [newer, older, classic]) demo.next(name, { status: 500 }, Infinity)
  t.match(await server.get('/getRanks?topId=62'), { status: 502, body: { code: 'UPSTREAM_UNREACHABLE' } })
  t.equal(demo.received.length, 3, 'each call that fails is asked once')
})

test('bad input is refused by name', async ({ t, demo, server }) => {
  for (const [query, field] of [
    ['topId=x', 'topId'], ['topId=-1', 'topId'], ['topId=62.0', 'topId'], ['topId=0x3e', 'topId'],
    ['limit=0', 'limit'], ['limit=101', 'limit'], ['limit=1e1', 'limit'], ['limit=%205', 'limit'], ['limit=Infinity', 'limit'], ['limit=1e999', 'limit'],
    ['page=-1', 'page'], ['page=10001', 'page'], ['page=1.5', 'page'],
    ['resolveMid=yes', 'resolveMid'], ['resolveMid=TRUE', 'resolveMid']
  ] as const) {
    const { status, body } = await server.get(`/getRanks?${query}`)
    t.equal(status, 400, query)
    t.match(body, { code: 'INVALID_INPUT', error: new RegExp(`^${field}: must be `) })
  }
  t.equal(demo.received.length, 0)
  t.equal((await server.get('/getRanks?topId=62&topId=x&limit=&page=')).status, 200, 'first value of a repeated parameter; empty is absent')
})

test('real answers become charts', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  const through = async (file: string, input: { topId?: number } = { topId: 62 }, name = newer): Promise<Chart> => {
    demo.next(name, { mutate: () => subAnswers(file)[0] })
    const chart = await relay.getRanks(input)
    return chart
  }
  const chart = await through('getRanks.json')
  t.match(chart.topList, { id: 62, period: '2026-08-06', totalNum: 100 })
  t.equal(chart.songInfoList.length, 3)
  t.ok(chart.songInfoList.every((song) => song.mid?.length === 14 && song.songId > 0 && song.songName !== ''))
  t.same(chart.songInfoList.map((song) => song.rank), [1, 2, 3])

  const midless = await through('getRanks.midless.json')
  t.same(midless.songInfoList.map((song) => song.songId), chart.songInfoList.map((song) => song.songId))
  t.ok(midless.songInfoList.every((song) => song.mid === undefined))

  t.match((await through('getRanks.detail-header-2019.json', { topId: 4 })).topList, { id: 4, period: '2019-06-03', updateTime: '2019-06-03' })

  const { topLists = [] } = await through('getRanks.all.json', {}, all)
  t.match(topLists.find(({ id }) => id === 62), { id: 62, picUrl: /^https:/ })
  t.ok(topLists.every(({ name, songs }) => name !== '' && songs.length <= 3))
  t.match(topLists.find(({ id }) => id === 108), { period: '2026_31' })
  t.equal(topLists.length, 8)

  for (const name of [newer, older]) demo.next(name, { code: 500003 })
  demo.next(classic, { body: sampleText('getRanks.legacy-detail.json') })
  const legacy = await relay.getRanks({ topId: 4 })
  t.match(legacy.topList, { period: '2017-12-20', totalNum: 100 })
  t.equal(legacy.songInfoList.length, 4)
  t.ok(legacy.songInfoList.every((song) => song.mid !== undefined && song.songId > 0))

  for (const name of [all, allOlder]) demo.next(name, { code: 500003 })
  demo.next(allClassic, { body: sampleText('getRanks.legacy-all.json') })
  const { topLists: old = [] } = await relay.getRanks({})
  t.equal(old.length, 5)
  t.match(old[0], { id: 4, period: '' })
  t.equal(old[0]?.songs.length, 3)
})
