/** Song information: one song or a batch, in order. Each song fails separately. */
import t from 'tap'
import type { SongInfo } from '../../schemas/music.ts'
import { demoFor, song } from '../support/helper.ts'
import { relayFor, sharedStage } from '../support/stage.ts'
import { songClassic as classic, songDetail as detail, songTracks as tracks } from '../support/wires.ts'

const test = sharedStage('song information')

const trackOf = (info: SongInfo): SongInfo['songinfo']['data']['track_info'] => info.songinfo.data.track_info
const midsOf = (batch: readonly object[]): string[] => batch.map((info) => trackOf(info as SongInfo).mid)
const keys = (demo: { calls: (name: string) => { body: unknown }[] }, name: string): unknown[] => demo.calls(name)
  .flatMap(({ body }) =>
    Object.entries(body as Record<string, { param: unknown }>)
      .filter(([key]) => key !== 'comm').map(([, { param }]) => param))

test('a song is found by number, by MID and in the path', async ({ t, relay, server }) => {
  const record = await relay.getSongInfo({ songmid: song(2) })
  for (const form of ['?songid=5000002', `?songmid=${song(2)}`, `/${song(2)}`, `?songmid=${song(2)}&songid=5000001`, `/${song(2)}?songid=5000001`, `/${song(2)}?songmid=${song(1)}`]) {
    t.same((await server.get(`/getSongInfo${form}`)).body, { response: record }, form)
  }
  t.match(trackOf(record), {
    id: 5000002, mid: song(2), name: '第二稿', singer: [{ id: 900001, name: 'The Paper Lanterns' }],
    file: { media_mid: '00DemoFile0002' }
  })
  const { info, extras } = record.songinfo.data
  t.same(Object.keys(info), ['company', 'genre', 'intro', 'lan', 'pub_time'])
  t.match(info.intro?.values[0], /was written for this demo & for nothing else/)
  t.equal(extras.name, '第二稿')
})

test('a song may have no information but its date, or none; parts without anything say nothing about it', async ({ t, demo, relay }) => {
  const data = async (mutate: (answer: any) => void) => {
    demo.next(detail, { mutate })
    return (await relay.getSongInfo({ songmid: song(1) })).songinfo.data
  }
  t.same(
    Object.keys((await data(({ data }) => { data.info = { pub_time: data.info.pub_time, genre: null } })).info),
    ['pub_time']
  )
  const bare = await data(({ data }) => { data.info = null; delete data.extras })
  t.same([bare.info, bare.extras.name], [{}, ''])
  demo.next(detail, { code: 500003 })
  t.same((await relay.getSongInfo({ songmid: song(3) })).songinfo.data.info, {}, 'older calls know the track only')
  for (const [call, fault] of [
    [detail, { code: 0, data: {} }], [tracks, { code: 0, data: {} }], [classic, { body: '{"code":0,"data":{}}' }]
  ] as const) demo.next(call, fault)
  await t.rejects(relay.getSongInfo({ songmid: 'nosuchsong' }), { code: /^UPSTREAM_/ })
  demo.reset()
  await t.rejects(relay.getSongInfo({ songmid: 'nosuchsong' }), { code: 'NOT_FOUND' })
  t.equal(demo.received.length, 1, 'nobody else is asked about a song that does not exist')
})

t.test('a batch keeps its order, by MID or by number; a hundred songs are five requests', async (t) => {
  const demo = await demoFor(t, { latencyMs: 5 })
  const relay = relayFor(t, demo)
  t.same([
    await relay.batchGetSongInfo(), await relay.batchGetSongInfo({}), await relay.batchGetSongInfo({ songs: [] })
  ], [[], [], []])
  t.equal(demo.received.length, 0, 'a batch of nothing is nothing')
  const few = await relay.batchGetSongInfo({
    songs: [[song(3)], [song(1), 5000009], [song(2), ''], ['', 5000005], ['', '5000004'], [song(3)]]
  })
  t.same(midsOf(few), [3, 1, 2, 5, 4, 3].map(song))
  t.same(keys(demo, detail), [
    { song_mid: song(3) }, { song_mid: song(1) }, { song_mid: song(2) }, { song_id: 5000005 }, { song_id: 5000004 },
    { song_mid: song(3) }
  ])
  t.same(few[0], await relay.getSongInfo({ songmid: song(3) }), 'an element is the record of getSongInfo')
  demo.reset()
  const songs = Array.from({ length: 100 }, (_, at) => [song(at + 1)])
  t.same(midsOf(await relay.batchGetSongInfo({ songs })), songs.flat())
  t.same(demo.received.map(({ calls }) => calls.length), [20, 20, 20, 20, 20])
  t.ok(demo.maxInFlight(detail) <= 5)
})

test('a failing element stands in its place and harms no other', async ({ t, demo, relay }) => {
  const batch = async (...songs: (string | number)[][]) => (await relay.batchGetSongInfo({ songs }))
    .map((info) => 'songinfo' in info ? trackOf(info).mid : `${info.code} ${info.song_mid}`)
  t.same(await batch([song(1)], ['nosuchsong'], ['', 1], [song(2)]), [song(1), 'NOT_FOUND nosuchsong', 'NOT_FOUND ', song(2)])
  t.match(await relay.batchGetSongInfo({ songs: [['nosuchsong']] }), [{ error: /nosuchsong/ }])
  t.same(await batch(['nosuchsong'], ['noneeither']), ['NOT_FOUND nosuchsong', 'NOT_FOUND noneeither'], 'not even when all fail')
  for (const fault of [{ code: 10004 }, { mutate: (answer: any) => { answer.data = {} } }]) {
    demo.next(detail, { code: 10004 })
    demo.next(tracks, fault)
    t.same(await batch([song(1)]), [`UPSTREAM_REFUSED ${song(1)}`], 'a second failure adds nothing to the first')
  }

  // What the detail call cannot answer is asked for once more, together.
  demo.reset()
  demo.next(detail, { code: 500003 }, 2)
  t.same(await batch([song(1)], ['nosuchsong'], [song(3)]), [song(1), 'NOT_FOUND nosuchsong', song(3)])
  t.same(demo.received.map(({ calls }) => calls), [[detail, detail, detail], [tracks, tracks]])
  demo.reset()
  demo.next(detail, { mutate: () => {} })
  demo.next(detail, { code: 500003 })
  t.same(await batch([song(1)], [song(2)]), [song(1), song(2)], 'each in its own place')
  t.match(keys(demo, tracks), [{ mids: [song(2)] }])
  demo.reset()
  demo.next(detail, { status: 500 })
  const twentyOne = Array.from({ length: 21 }, (_, at) => song(at + 1))
  t.same(await batch(...twentyOne.map((mid) => [mid])), twentyOne, 'also when a whole request broke')
  t.equal(demo.received.length, 3)
})

test('a batch fails as a whole only when the upstream was down for every element', async ({ t, demo, server, hasty }) => {
  for (const [fault, status, code] of [
    [{ status: 500 }, 502, 'UPSTREAM_UNREACHABLE'], [{ reset: true }, 502, 'UPSTREAM_UNREACHABLE'], [{ body: 'nothing' }, 502, 'UPSTREAM_UNREADABLE'],
    [{ status: 429, headers: { 'retry-after': '7' } }, 503, 'UPSTREAM_PAUSED'],
    // The last one: what it sends late would take the fault of the next.
    [{ hang: true }, 504, 'UPSTREAM_TIMEOUT']
  ] as const) {
    demo.reset()
    for (const name of [detail, tracks]) demo.next(name, fault)
    const reply = await ('hang' in fault ? hasty : server).post('/batchGetSongInfo', { songs: [[song(1)], [song(2)]] })
    t.match(reply, { status, body: { code } }, JSON.stringify(fault))
    t.equal(reply.headers.get('retry-after'), status === 503 ? '7' : null)
  }
})
