/** What details say about songs is kept: which requests it saves, for whom, for how long, and that it never says no. */
import t from 'tap'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { hour, ready } from '../support/cacheHelper.ts'
import { cookieOf, serverFor, song, timesAsked, until } from '../support/helper.ts'
import { relayFor } from '../support/stage.ts'
import { recComments as comments, songDetail as detail, vkey } from '../support/wires.ts'

/** The calls of each request since the last look. */
function calls (demo: DemoUpstream): string[][] {
  const seen = demo.received.map((received) => [...received.calls])
  demo.reset()
  return seen
}

const as = (demo: DemoUpstream, name: 'ordinary' | 'member'): { headers: Record<string, string> } => ({ headers: { 'x-custom-cookie': cookieOf(demo, name) } })

t.test('a play address of a known song takes one request: another quality, the audio itself; another login looks it up once', async (t) => {
  const { demo, server } = await ready(t)
  const play = `/getMusicPlay?songmid=${song(1)}`
  const first = await server.get(play, as(demo, 'member'))
  t.same(calls(demo), [[detail], [vkey]])
  const again = await server.get(play, as(demo, 'member'))
  t.same(calls(demo), [[vkey]])
  t.same({ ...again.body.data, url: '', playUrl: '' }, { ...first.body.data, url: '', playUrl: '' }, 'and says the same')
  t.match((await server.get(`${play}&quality=flac`, as(demo, 'member'))).body.data, { quality: 'flac', size: Number })
  await server.get(play, as(demo, 'ordinary'))
  await server.get(`/downloadProviderMusic?songmid=${song(1)}`, as(demo, 'ordinary'))
  await server.get(`/stream/${song(1)}`, as(demo, 'ordinary'))
  t.same(calls(demo), [[vkey], [detail], [vkey], [vkey], [vkey]], 'another login looks it up once')
  t.match((await server.get(`${play},${song(2)}&quality=320`, as(demo, 'member'))).body.data.playUrl, { [song(1)]: { quality: '320' }, [song(2)]: { quality: '320' } })
  t.same(calls(demo), [[detail], [vkey]], 'only the unknown song is looked up')
})

t.test('every detail is of use, whoever asked for it', async (t) => {
  const { demo, server } = await ready(t)
  await server.get(`/getSongInfo?songmid=${song(1)}`)
  await server.post('/batchGetSongInfo', { songs: [[song(2)], ['', 5000003]] })
  calls(demo)
  for (const number of [1, 2, 3]) await server.get(`/getMusicPlay?songmid=${song(number)}`, as(demo, 'member'))
  t.same(calls(demo), [[vkey], [vkey], [vkey]])
  const byMid = await server.get(`/getComments?id=${song(1)}`)
  t.same(calls(demo), [[comments]])
  t.same((await server.get('/getComments?id=5000001')).body, byMid.body)
  calls(demo)
  await server.get(`/getSimilarSongs?songmid=${song(1)}`, as(demo, 'member'))
  t.notOk(calls(demo).flat().includes(detail))

  await server.get(`/getComments?id=${song(4)}`)
  await server.get(`/getMusicPlay?songmid=${song(4)}`)
  t.same(calls(demo), [[detail], [comments], [vkey]])
})

t.test('charts use the MIDs of known songs, and make songs known', async (t) => {
  const { demo, server } = await ready(t)
  const chart = 'music.musicToplist.Toplist/GetDetail'
  const bare = { mutate: (answer: any) => { answer.data.songInfoList = [] } }
  demo.next(chart, bare, 2)
  const { body } = await server.get('/getRanks?topId=62&limit=3&resolveMid=true')
  const mids = body.data.songInfoList.map(({ mid }: { mid: string }) => mid)
  t.same(demo.calls(detail).length, 3)
  demo.received.splice(0)
  await server.get(`/getMusicPlay?songmid=${mids.join()}`)
  t.match((await server.get('/getRanks?topId=62&limit=4&resolveMid=true')).body.data.songInfoList.slice(0, 3), mids.map((mid: string) => ({ mid })))
  t.same(demo.received.map(({ calls: each }) => each), [[vkey], [chart], [detail]])
})

t.test('what was asked for with a login serves nobody without one', async (t) => {
  const { demo, server } = await ready(t)
  await server.get(`/getMusicPlay?songmid=${song(1)}`, as(demo, 'member'))
  calls(demo)
  await server.get(`/getMusicPlay?songmid=${song(1)}`)
  t.same(calls(demo), [[detail], [vkey]])
})

t.test('what was asked for with a login serves no other one, which may be made up', async (t) => {
  const { demo, server } = await ready(t)
  const path = `/getMusicPlay?songmid=${song(1)}`
  await server.get(path, as(demo, 'member'))
  calls(demo)
  await server.get(path, { headers: { 'x-custom-cookie': 'uin=1000000777; qm_keyst=Q_H_L_none' } })
  t.match(calls(demo), [[detail], [vkey]])
  await server.get(path, as(demo, 'member'))
  t.same(calls(demo), [[vkey]])
})

t.test('facts are kept as long as the details of songs', async (t) => {
  const { demo, server, clock } = await ready(t)
  const play = async (): Promise<string[][]> => {
    await server.get(`/getMusicPlay?songmid=${song(1)}`, as(demo, 'member'))
    return calls(demo)
  }
  t.same(await play(), [[detail], [vkey]])
  clock.now += 6 * hour - 1
  t.same(await play(), [[vkey]])
  clock.now += 1
  t.same(await play(), [[detail], [vkey]])
})

t.test('a caller who wants no cached answer gets no kept facts; without the cache and in the library nothing is kept', async (t) => {
  const { demo, server } = await ready(t)
  const path = `/getMusicPlay?songmid=${song(1)}`
  const fresh = { 'cache-control': 'no-cache' }
  for (const headers of [fresh, { ...as(demo, 'member').headers, ...fresh }]) {
    for (let round = 0; round < 2; round++) await server.get(path, { headers })
    t.same(calls(demo), [[detail], [vkey], [detail], [vkey]])
  }
  await server.get(`${path}&quality=m4a`)
  t.same(calls(demo), [[vkey]], 'but what such a caller was told is kept')

  const without = await serverFor(t, demo)
  for (let round = 0; round < 2; round++) await without.get(path)
  const relay = relayFor(t, demo)
  for (let round = 0; round < 2; round++) await relay.getMusicPlay({ songmid: song(1) })
  t.same(calls(demo), Array.from({ length: 4 }, () => [[detail], [vkey]]).flat())
})

t.test('kept facts never say no: a file or a quality that is missing is looked up anew', async (t) => {
  const { demo, server } = await ready(t)
  const play = async (quality = '128'): Promise<any> => (await server.get(`/getMusicPlay?songmid=${song(2)}&quality=${quality}`, as(demo, 'member'))).body.data
  const outdated = { mutate: (answer: any) => { Object.assign(answer.data.track_info.file, { media_mid: 'gone', size_320mp3: 0 }) } }
  demo.next(detail, outdated)
  t.match(await play(), { reason: 'NOT_FOUND' })
  t.same(calls(demo), [[detail], [vkey]], 'an answer of now is believed')
  t.match(await play(), { quality: '128', url: /M50000DemoFile0002/ })
  t.same(calls(demo), [[vkey], [detail], [vkey]])
  t.match(await play(), { quality: '128' })
  t.same(calls(demo), [[vkey]], 'and the new facts are kept')

  demo.next(detail, outdated)
  await server.get(`/getMusicPlay?songmid=${song(2)}`, { headers: { ...as(demo, 'member').headers, 'cache-control': 'no-cache' } })
  calls(demo)
  t.match(await play('320'), { quality: '320' })
  t.same(calls(demo), [[detail], [vkey]])
  t.match(await play('ape'), { reason: 'NO_SUCH_QUALITY' })
  t.same(calls(demo), [[detail]], 'which costs no more than without kept facts')
  t.match((await server.get(`/getMusicPlay?songmid=${song(3)},${song(2)}`, as(demo, 'ordinary'))).body.data.playUrl, { [song(3)]: { reason: 'PAID' } })
  calls(demo)
  await server.get(`/getMusicPlay?songmid=${song(3)}`, as(demo, 'ordinary'))
  t.notOk(calls(demo).flat().includes(detail), 'a missing right says nothing against the facts')
})

t.test('an unknown song is not kept', async (t) => {
  const { demo, server } = await ready(t)
  for (let round = 0; round < 2; round++) {
    t.match((await server.get('/getMusicPlay?songmid=nobody', as(demo, 'member'))).body.data, { reason: 'NOT_FOUND' })
    t.same(calls(demo), [[detail]])
  }
})

t.test('a MID that is none is not kept', async (t) => {
  const { demo, server } = await ready(t)
  demo.next(detail, { mutate: (answer: any) => { answer.data.track_info.file.media_mid = 'x'.repeat(65) } })
  for (let round = 0; round < 2; round++) await server.get(`/getMusicPlay?songmid=${song(1)}`, as(demo, 'member'))
  t.same(calls(demo), [[detail], [vkey], [detail], [vkey]])
})

t.test('a number of another song is still ignored', async (t) => {
  const { demo, server } = await ready(t)
  const { body } = await server.get(`/getMusicPlay?songmid=${song(5)}&songid=5000001`, as(demo, 'member'))
  t.match(body.data.url, /0005/)
  t.same(calls(demo), [[detail], [detail], [vkey]])
  t.match((await server.get(`/getMusicPlay?songmid=${song(5)}&songid=5000001`, as(demo, 'member'))).body.data.url, /0005/)
  t.same(calls(demo), [[vkey]])
})

t.test('those who ask for one song at the same time share the look-up; if it fails, each asks for itself', async (t) => {
  const { demo, server } = await ready(t)
  const listen = async (): Promise<number> => (await server.get(`/stream/${song(1)}`, { headers: { accept: 'application/json' } })).status
  demo.next(detail, { delayMs: 200 })
  t.same(await Promise.all(Array.from({ length: 10 }, listen)), Array.from({ length: 10 }, () => 200))
  t.equal(demo.calls(detail).length, 1)
  t.equal(timesAsked(demo, vkey), 10)

  demo.reset()
  demo.next(detail, { hang: true })
  const gone = new AbortController()
  const first = fetch(`${server.address}/stream/${song(2)}`, { signal: gone.signal }).catch(() => 'gone')
  await until(() => demo.calls(detail).length === 1)
  const second = server.get(`/getComments?id=${song(2)}`)
  gone.abort()
  t.equal(await first, 'gone')
  t.equal((await second).status, 200)
  t.equal(demo.calls(detail).length, 2)
})

t.test('what waits for another look-up keeps its own deadline', async (t) => {
  const { demo, server } = await ready(t, { deadlineMs: 400 })
  demo.next(detail, { hang: true }, 2)
  const begun = [1, 2].map(async () => await server.get(`/stream/${song(2)}`))
  t.same((await Promise.all(begun)).map(({ status }) => status), [504, 504])
  t.ok(demo.calls(detail).length <= 2)
})
