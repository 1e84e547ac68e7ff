/** Charts: MIDs resolved at most five at a time. Pages: pages.test.ts. What stands in for a call: stand-ins.test.ts. */
import t from 'tap'
import type { Chart, ChartSong } from '../../schemas/charts.ts'
import { testClock } from '../support/clock.ts'
import { demoFor, serverFor, until } from '../support/helper.ts'
import { relayFor, sharedStage } from '../support/stage.ts'
import { chart, chartOlder, charts, chartsOlder, songDetail as detail } from '../support/wires.ts'

const test = sharedStage('charts')

const songsOf = ({ topLists = [], songInfoList }: Chart): ChartSong[] =>
  [...songInfoList, ...topLists.flatMap(({ songs }) => songs)]
/** Numbers of distinct songs that have one. */
const numbers = (songs: readonly ChartSong[]): number[] =>
  [...new Set(songs.filter(({ songId }) => songId > 0).map(({ songId }) => songId))]
const ranks = ({ songInfoList }: Chart): number[] => songInfoList.map(({ rank }) => rank)

test('a chart has its head and its songs; without topId all charts come, with the songs of chart 4', async ({ t, demo, relay }) => {
  for (const topId of [62, 26, 4, 208, 6]) {
    const found = await relay.getRanks({ topId, limit: 3 })
    t.same([found.topList.id, ranks(found), 'topLists' in found], [topId, [1, 2, 3], false])
    t.ok(found.songInfoList.every((song) => song.songId === song.song_id))
  }
  t.equal((await relay.getRanks({ topId: 104, limit: 1 })).topList.period, '', 'a chart without period says so with an empty text')
  const all = await relay.getRanks({ limit: 2, page: 1 })
  t.same([all.topList.id, ranks(all)], [4, [3, 4]])
  const { topLists = [] } = all
  t.ok(topLists.length >= 12 && [4, 62, 208, 6, 104].every((wanted) => topLists.some(({ id }) => id === wanted)))
  t.ok(topLists.every(({ songs, picUrl }) => songs.length <= 3 && picUrl.startsWith(demo.origin)))
  t.ok(
    topLists.every(({ songs, songInfoList }) => JSON.stringify(songs) === JSON.stringify(songInfoList)),
    'one reader for both forms'
  )
})

test('a chart with an empty name is a chart', async ({ t, demo, relay, server }) => {
  const { topLists = [] } = await relay.getRanks({ limit: 1 })
  const { periods } = await relay.getRankPeriods({ topId: 62 })
  const namesOf = async (): Promise<unknown> =>
    (await relay.getRanks({ limit: 1 })).topLists?.map(({ id, name }) => [id, name])
  const want = topLists.map(({ id, name }) => [id, id === 62 ? '' : name])
  const nameless = ({ data }: any): void => {
    for (const { toplist } of data.group) for (const chart of toplist) if (chart.topId === 62) chart.title = ''
  }
  demo.next(charts, { mutate: nameless })
  t.same(await namesOf(), want)
  demo.next(charts, { mutate: nameless })
  t.same((await server.get('/getRankPeriods?topId=62')).body.data.periods, periods)
})

test('a chart that counts songs and sends none is asked for elsewhere', async ({ t, demo, relay }) => {
  const bare = { mutate: ({ data }: any) => { Object.assign(data, { songInfoList: [] }).data.song = [] } }
  const want = await relay.getRanks({ topId: 62, limit: 3 })
  for (const period of [undefined, want.topList.period]) {
    demo.reset()
    demo.next(chart, bare)
    const found = await relay.getRanks({ topId: 62, limit: 3, ...period === undefined ? {} : { period } })
    t.same(found.songInfoList.map(({ songId }) => songId), want.songInfoList.map(({ songId }) => songId))
    t.equal(demo.received.length, 2)
  }
  for (const call of [chart, chartOlder]) demo.next(call, bare)
  t.match(await relay.getRanks({ topId: 62, limit: 3 }), { topList: { totalNum: 100 }, songInfoList: { length: 0 } })
})

test('a chart that sends more songs than it was asked for fills one page only', async ({ t, demo, relay }) => {
  let whole: unknown
  demo.next(chart, { mutate: (answer) => { whole = answer; return answer } })
  const all = await relay.getRanks({ topId: 28, limit: 20 })
  demo.reset()
  demo.next(chart, { mutate: () => whole })
  const page = await relay.getRanks({ topId: 28, limit: 3, resolveMid: true })
  t.same(ranks(page), ranks(all).slice(0, 3))
  t.equal(
    demo.calls(detail).length, new Set(page.songInfoList.map(({ songId }) => songId)).size,
    'and asks for the MIDs of that page'
  )
})

t.test('resolveMid asks once for each distinct song without MID, five at a time, and only then', async (t) => {
  const demo = await demoFor(t, { latencyMs: 40 })
  const relay = relayFor(t, demo, { deadlineMs: 600_000 })
  const server = await serverFor(t, demo, { deadlineMs: 600_000 })
  const asked = async (topId: number, resolveMid: string): Promise<ChartSong[]> => {
    demo.reset()
    return (await server.get(`/getRanks?topId=${topId}&limit=100&resolveMid=${resolveMid}`)).body.data.songInfoList
  }
  const rows = await asked(28, 'false')
  t.ok(rows.every(({ mid }) => mid === undefined), 'chart 28 has no MIDs')
  t.ok(numbers(rows).length < rows.filter(({ songId }) => songId > 0).length, 'and repeats songs')
  t.equal(demo.calls(detail).length, 0)
  for (const value of ['true', '1']) {
    const resolved = await asked(28, value)
    t.equal(demo.calls(detail).length, numbers(rows).length)
    t.ok(resolved.filter(({ mid }) => mid !== undefined).length > 90
      && resolved.every(({ mid, song_mid }) => mid === song_mid))
  }
  const without = numbers((await asked(108, '0')).filter(({ mid }) => mid === undefined)).length
  t.ok(without > 0 && without < 90)
  for (const [topId, details] of [[108, without], [62, 0]] as const) {
    await asked(topId, 'true')
    t.equal(demo.calls(detail).length, details, 'what has a MID is left alone')
  }
  demo.reset()
  await Promise.all([1, 2, 3].map(async () => await relay.getRanks({ topId: 28, limit: 40, resolveMid: true })))
  t.equal(demo.maxInFlight(detail), 5, 'also across requests')
})

t.test('of all charts the songs of the previews get their MIDs too, each distinct song by one request', async (t) => {
  const demo = await demoFor(t, { latencyMs: 5 })
  const plain = await relayFor(t, demo).getRanks({})
  t.ok(songsOf(plain).length > numbers(songsOf(plain)).length, 'charts share songs')
  t.equal(demo.calls(detail).length, 0)

  const filled = songsOf(await relayFor(t, demo).getRanks({ resolveMid: true }))
  const known = new Set(plain.songInfoList.map(({ songId }) => songId))
  t.equal(
    demo.calls(detail).length, numbers(songsOf(plain)).filter((songId) => !known.has(songId)).length,
    'what another row tells costs no request'
  )
  t.ok(demo.maxInFlight(detail) <= 5)
  const midOf = new Map(filled.map(({ songId, mid }) => [songId, mid]))
  t.ok(
    filled.every(({ songId, mid, song_mid }) => mid !== undefined && mid === song_mid && midOf.get(songId) === mid),
    'one song, one MID'
  )
  const facts = ({ songId, songName, singerName, rank }: ChartSong): unknown[] => [songId, songName, singerName, rank]
  t.same(filled.map(facts), songsOf(plain).map(facts), 'nothing else changes')

  demo.reset()
  demo.next(chart, { mutate: (answer) => {
    answer.data.data.song = answer.data.data.song.map((row: object) => ({ ...row, songId: 0 }))
    answer.data.songInfoList = []
  } })
  for (const call of [charts, chartsOlder]) demo.next(call, { code: 500003 })
  t.ok(songsOf(await relayFor(t, demo).getRanks({ resolveMid: true, limit: 3 })).every(
    ({ songId, mid }) => songId === 0 && mid === undefined
  ), 'without a number there is nothing to ask by')
  t.equal(demo.calls(detail).length, 0)
})

test('a detail that fails, or that the deadline leaves no time for, costs its song the MID, not the chart its answer', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { tuning: { retryBurst: 0 } })
  const known = async (): Promise<number> => numbers((await relay.getRanks({
    topId: 28, limit: 20, resolveMid: true
  })).songInfoList.filter(({ mid }) => mid !== undefined)).length
  const complete = await known()
  for (const fault of [{ code: 500003 }, { status: 500 }, { body: '<html>' }, { reset: true }] as const) {
    demo.next(detail, fault)
    t.equal(await known(), complete - 1, JSON.stringify(fault))
  }
  demo.reset()
  demo.next(detail, { hang: true }, Infinity)
  const clock = testClock()
  const asked = relayFor(t, demo, { ...clock.options, deadlineMs: 60_000 })
    .getRanks({ topId: 28, limit: 20, resolveMid: true })
  await until(() => demo.calls(detail).length === 5)
  await clock.advance(60_000)
  const { songInfoList } = await asked
  t.ok(songInfoList.length === 20 && songInfoList.every(({ mid }) => mid === undefined))
})
