/** Charts: pages without gap or overlap, MIDs filled at most five at a time, older upstream calls when the newer fail. */
import t from 'tap'
import { checkRecord, demoFor, relayFor, serverFor } from './helper.ts'

const detail = 'music.pf_song_detail_svr/get_song_detail_yqq'

t.test('a chart has its head and its songs', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const chart = await relay.getRanks({ topId: 62, limit: 3 })
  checkRecord('getRanks', chart)
  t.equal(chart.topList.id, 62)
  t.equal(chart.songInfoList.length, 3)
  t.same(chart.songInfoList.map((song) => song.rank), [1, 2, 3])
  t.equal(chart.topLists, undefined)
})

t.test('resolveMid asks once for each song without MID', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const { body } = await server.get('/getRanks?topId=28&limit=20&resolveMid=1')
  t.equal(body.data.songInfoList.filter((song: { mid?: string }) => song.mid !== undefined).length, 20)
  t.equal(demo.calls(detail).length, 20)
  t.ok(demo.maxInFlight(detail) <= 5)
})
