/** Song information: one song or a batch, in order. Each song fails separately. */
import t from 'tap'
import type { SongInfo } from '../../schemas/music.ts'
import { checkRecord, demoFor, song } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'
import { songClassic as classic, songDetail as detail, songTracks as tracks } from '../support/wires.ts'

const trackOf = (info: SongInfo): SongInfo['songinfo']['data']['track_info'] => info.songinfo.data.track_info
const keys = (demo: { calls: (name: string) => { body: unknown }[] }, name: string): unknown[] => demo.calls(name).flatMap(({ body }) =>
  Object.entries(body as Record<string, { param: unknown }>).filter(([key]) => key !== 'comm').map(([, { param }]) => param))

test('a song is found by number, by MID and in the path', async ({ t, demo, relay, server }) => {
  const record = await relay.getSongInfo({ songmid: song(2) })
  for (const path of ['/getSongInfo?songid=5000002', `/getSongInfo?songmid=${song(2)}`, `/getSongInfo/${song(2)}`, `/getSongInfo?songmid=${song(2)}&songid=5000001`, `/getSongInfo/${song(2)}?songid=5000001`, `/getSongInfo/${song(2)}?songmid=${song(1)}`]) {
    const { status, body } = await server.get(path)
    t.equal(status, 200)
    t.same(body, { response: record }, path)
  }
  t.same(keys(demo, detail).slice(0, 2), [{ song_mid: song(2) }, { song_id: 5000002 }])
  t.match(trackOf(record), { id: 5000002, mid: song(2), name: '第二稿', singer: [{ id: 900001, name: 'The Paper Lanterns' }], file: { media_mid: '00DemoFile0002' } })
  const { info, extras } = record.songinfo.data
  t.same(Object.keys(info), ['company', 'genre', 'intro', 'lan', 'pub_time'])
  t.match(info.intro?.values[0], /was written for this demo & for nothing else/)
  t.equal(extras.name, '第二稿')
})

test('a song without album has no information but its date', async ({ t, demo, relay }) => {
  demo.next(detail, { mutate: (answer) => { answer.data.info = { pub_time: answer.data.info.pub_time, genre: null } } })
  const { info } = (await relay.getSongInfo({ songmid: song(1) })).songinfo.data
  t.same(Object.keys(info), ['pub_time'])
  demo.next(detail, { mutate: (answer) => { answer.data.info = null; delete answer.data.extras } })
  const bare = await relay.getSongInfo({ songmid: song(1) })
  t.same([bare.songinfo.data.info, bare.songinfo.data.extras.name], [{}, ''])
})

test('failures of one song say what they are', async ({ t, demo, server }) => {
  demo.next(detail, { code: 0, data: {} })
  demo.next(tracks, { code: 0, data: {} })
  demo.next(classic, { body: '{"code":0,"data":{}}' })
  t.match(await server.get('/getSongInfo/nosuchsong'), { status: 502, body: { code: /^UPSTREAM_/ } }, 'parts without anything say nothing about the song')
  demo.reset()
  for (const path of ['/getSongInfo?songid=1', '/getSongInfo/nosuchsong']) t.match(await server.get(path), { status: 404, body: { code: 'NOT_FOUND' } })
  t.equal(demo.received.length, 2, 'nobody else is asked about a song that does not exist')
})

test('a batch keeps its order, by MID or by number', async ({ t, demo, relay, server }) => {
  const songs = [[song(3)], [song(1), 5000009], [song(2), ''], ['', 5000005], ['', '5000004'], [song(3)]]
  const { status, body } = await server.post('/batchGetSongInfo', { songs })
  t.equal(status, 200)
  t.equal(body.response.code, 0)
  t.same(body.response.data.map((info: SongInfo) => trackOf(info).mid), [3, 1, 2, 5, 4, 3].map(song))
  t.same(body.response.data[0], await relay.getSongInfo({ songmid: song(3) }), 'an element is the record of getSongInfo')
  t.equal(demo.calls(detail).length, 2)
  t.same(keys(demo, detail).slice(0, 5), [{ song_mid: song(3) }, { song_mid: song(1) }, { song_mid: song(2) }, { song_id: 5000005 }, { song_id: 5000004 }])
})

test('a batch of nothing is nothing', async ({ t, demo, relay, server }) => {
  for (const body of [undefined, {}, { songs: [] }]) t.match(await server.post('/batchGetSongInfo', body), { status: 200, body: { response: { code: 0, data: [] } } })
  t.same(await relay.batchGetSongInfo(), [])
  t.equal(demo.received.length, 0)
})

t.test('a hundred songs are five requests', async (t) => {
  const demo = await demoFor(t, { latencyMs: 5 })
  const songs = Array.from({ length: 100 }, (_, at) => [song(at + 1)])
  const batch = await relayFor(t, demo).batchGetSongInfo({ songs })
  checkRecord('batchGetSongInfo', batch)
  t.same(batch.map((info) => trackOf(info as SongInfo).mid), songs.flat())
  t.same(demo.received.map(({ calls }) => calls.length), [20, 20, 20, 20, 20])
  t.ok(demo.maxInFlight(detail) <= 5)
})

test('a failing element stands in its place and harms no other', async ({ t, demo, server }) => {
  const { status, body: { response: { data } } } = await server.post('/batchGetSongInfo', { songs: [[song(1)], ['nosuchsong'], ['', 1], [song(2)]] })
  t.equal(status, 200)
  t.match(data, [{ songinfo: {} }, { code: 'NOT_FOUND', song_mid: 'nosuchsong', error: /nosuchsong/ }, { code: 'NOT_FOUND', song_mid: '' }, { songinfo: {} }])
  const none = await server.post('/batchGetSongInfo', { songs: [['nosuchsong'], ['noneeither']] })
  t.match(none, { status: 200, body: { response: { data: [{ code: 'NOT_FOUND' }, { code: 'NOT_FOUND' }] } } }, 'not even when all fail')
  for (const name of [detail, tracks]) demo.next(name, { code: 10004 })
  const refused = await server.post('/batchGetSongInfo', { songs: [[song(1)]] })
  t.match(refused, { status: 200, body: { response: { data: [{ code: 'UPSTREAM_REFUSED', song_mid: song(1) }] } } })
  demo.next(detail, { code: 10004 })
  demo.next(tracks, { mutate: (answer) => { answer.data = {} } })
  const twice = await server.post('/batchGetSongInfo', { songs: [[song(1)]] })
  t.match(twice.body.response.data, [{ code: 'UPSTREAM_REFUSED' }], 'a second failure adds nothing to the first')
})

test('elements that the detail call cannot answer are asked for once more, together', async ({ t, demo, relay }) => {
  demo.next(detail, { code: 500003 }, 2)
  const batch = await relay.batchGetSongInfo({ songs: [[song(1)], ['nosuchsong'], [song(3)]] })
  t.match(batch, [{ songinfo: { data: { track_info: { mid: song(1) }, info: {} } } }, { code: 'NOT_FOUND' }, { songinfo: { data: { track_info: { mid: song(3) } } } }])
  t.same(demo.received.map(({ calls }) => calls), [[detail, detail, detail], [tracks, tracks]])

  demo.reset()
  demo.next(detail, { mutate: () => {} })
  demo.next(detail, { code: 500003 })
  t.match(await relay.batchGetSongInfo({ songs: [[song(1)], [song(2)]] }), [1, 2].map((number) => ({ songinfo: { data: { track_info: { mid: song(number) } } } })), 'each in its own place')
  t.match(keys(demo, tracks), [{ mids: [song(2)] }])

  demo.reset()
  demo.next(detail, { status: 500 })
  const twentyOne = await relay.batchGetSongInfo({ songs: Array.from({ length: 21 }, (_, at) => [song(at + 1)]) })
  t.ok(twentyOne.every((info) => 'songinfo' in info), 'also when a whole request broke')
  t.equal(demo.received.length, 3)
})

test('a batch fails as a whole only when the upstream was down for every element', async ({ t, demo, server, hasty }) => {
  const songs = [[song(1)], [song(2)]]
  for (const [fault, status, code] of [
    [{ status: 500 }, 502, 'UPSTREAM_UNREACHABLE'], [{ reset: true }, 502, 'UPSTREAM_UNREACHABLE'], [{ body: 'nothing' }, 502, 'UPSTREAM_UNREADABLE'],
    [{ hang: true }, 504, 'UPSTREAM_TIMEOUT'], [{ status: 429, headers: { 'retry-after': '7' } }, 503, 'UPSTREAM_PAUSED']
  ] as const) {
    demo.reset()
    for (const name of [detail, tracks]) demo.next(name, fault)
    const reply = await ('hang' in fault ? hasty : server).post('/batchGetSongInfo', { songs })
    t.match(reply, { status, body: { code } }, JSON.stringify(fault))
    t.equal(reply.headers.get('retry-after'), status === 503 ? '7' : null)
  }
})
