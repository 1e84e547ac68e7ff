/** Special fallbacks: session checks, stand-ins, and how many requests a broken connection costs. */
import t from 'tap'
import type { Fault } from '../../src/demo/upstream.ts'
import { queryOf } from '../support/asks.ts'
import { cookieOf, dead, demoFor, endpoints, serverFor } from '../support/helper.ts'
import { served, sharedStage } from '../support/stage.ts'
import { forgetful } from '../support/unhurried.ts'
import {
  accountPlaylists as playlists, collectedAlbums, collectedPlaylists, playlist, whoAmI
} from '../support/wires.ts'

const test = sharedStage('fallbacks')

const detail = 'music.pf_song_detail_svr/get_song_detail_yqq'
const tracks = 'music.trackInfo.UniformRuleCtrl/CgiGetTrackInfo'
const songs = { songs: [['00DemoSong0001'], ['00DemoSong0002']] }

test('an expired cookie is reported even while the call that travels with the question fails time after time', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { tuning: { fallbackFailures: 1, fallbackPauseMs: 600_000 } })
  const ask = async (name: 'member' | 'expired') =>
    await server.get('/user/getUserPlaylists?uin=1000000303', { headers: { 'x-custom-cookie': cookieOf(demo, name) } })
  demo.next(playlists, { code: 500003 }, 100)
  for (let time = 0; time < 3; time++) t.equal((await ask('member')).headers.get('x-relay-source'), 'user.whoami, user.playlists.created, user.homepage')
  t.match(await ask('expired'), { status: 502, body: { code: 'COOKIE_REJECTED' } })
  t.equal(demo.calls(playlists).length, 4)
})

served('an expired cookie is reported also while the calls that usually refuse it fail, whatever they fail with', { tuning: forgetful }, async ({ t, demo, server }) => {
  const expired = { headers: { 'x-custom-cookie': cookieOf(demo, 'expired') } }
  const reporting = Object.values(endpoints)
    .filter(({ login, failsWithEndedLogin }) => login === 'required' || failsWithEndedLogin === true)
  t.ok(reporting.length > 8)
  for (const fault of [...dead, { reset: true } as const]) for (const { method, path, example } of reporting) {
    demo.reset()
    for (const call of [whoAmI, playlists, playlist, collectedPlaylists, collectedAlbums]) {
      demo.next(call, fault, Infinity)
    }
    t.equal(method, 'GET')
    const { status, body } = await server.get(`${path}?${queryOf(example)}`, expired)
    t.ok(status >= 400, `${path} ${JSON.stringify(fault)}: ${status} ${body.code}`)
    if (path === '/user/getUserPlaylists') t.match([status, body.code], [502, 'COOKIE_REJECTED'])
  }
})

served('the stand-ins of calls that failed travel together, and a verdict of theirs counts', async ({ t, demo, server }) => {
  for (const wire of ['music.recommend.RecommendFeed/get_recommend_feed', 'music.musicToplist.Toplist/GetAll']) demo.next(wire, { code: 500003 })
  const home = await server.get('/getRecommend')
  t.match(home.headers.get('x-relay-source'), /recommend\.playlists\.square, home\.charts\.older/)
  t.equal(demo.received.length, 2)

  demo.reset()
  demo.next(detail, { code: 500003 }, 100)
  const { status, body } = await server.post('/batchGetSongInfo', { songs: [...songs.songs, ['00NobodysSong1']] })
  t.match({ status, body }, { status: 200, body: { response: { data: [{}, {}, { code: 'NOT_FOUND' }] } } })
  t.equal(demo.received.length, 2)
})

test('a chain spends the retry budget on calls that fail, but not after one that is never skipped', async ({ t, demo }) => {
  const server =
    await serverFor(t, demo, { tuning: { retryPercent: 0, retryFloor: 0, retryBurst: 1, fallbackFailures: 1000 } })
  demo.next(detail, { status: 503 }, 100)
  const statuses = []
  for (let time = 0; time < 3; time++) {
    statuses.push((await server.get(`/getSongInfo?songmid=00DemoSong000${time + 1}`)).status)
  }
  t.same(statuses, [200, 502, 502])
  t.equal(demo.calls(tracks).length, 1)

  demo.next('music.musichallAlbum.AlbumInfoServer/GetAlbumDetail', { status: 503 }, 100)
  t.equal((await server.get('/getAlbumInfo?albummid=00DemoAlbu0001')).status, 200)
})

test('a host that answers nothing opens its circuit breaker, also while requests go to a single part', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { tuning: {
    retryPercent: 0, retryFloor: 0, retryBurst: 0, fallbackFailures: 1000, circuitFailures: 4, circuitPauseMs: 600_000
  } })
  const song = async (): Promise<number> => (await server.get('/getSongInfo?songmid=00DemoSong0001')).status
  demo.next(detail, { status: 503 }, 100)
  for (let time = 0; time < 10; time++) {
    t.equal(await song(), 502, 'of one that answers, a part is ill')
    if (time % 2 === 1) t.equal((await server.get(`/getSingerDesc?singermid=00DemoSing000${time}`)).status, 200)
  }
  const statuses = []
  for (let time = 0; time < 9; time++) statuses.push(await song())
  // Three are of the part, and four of the host open the circuit breaker. Then another host is asked.
  t.same(statuses, [502, 502, 502, 502, 502, 502, 502, 200, 200])
  t.equal(demo.calls(detail).length, 17)
})

test('a call that fails every half minute is no failing host, even if nobody asks for another', async ({ t, demo }) => {
  let clock = 0
  const server = await serverFor(t, demo, { now: () => clock, tuning: {
    retryPercent: 0, retryFloor: 0, retryBurst: 0, fallbackFailures: 1000, circuitFailures: 4, circuitPauseMs: 600_000
  } })
  demo.next(detail, { status: 503 }, 100)
  for (let time = 0; time < 10; time++) {
    t.equal((await server.get('/getSongInfo?songmid=00DemoSong0001')).status, 502)
    clock += 31_000
  }
  t.strictSame(
    [demo.calls(detail).length, (await server.get('/getSingerDesc?singermid=00DemoSing0001')).status], [10, 200]
  )
})

t.test('searches that all fail close nothing else', async (t) => {
  const demo = await demoFor(t, { moods: ['search-500', 'search-for-500', 'suggestions-500', 'programs-500'] })
  let clock = 0
  const server = await serverFor(t, demo, { now: () => clock })
  for (let time = 0; time < 8; time++) {
    t.ok((await server.get(`/getSearchByKey?key=paper${time}`)).status >= 502)
    clock += 3000
  }
  for (const path of ['/getDigitalAlbumLists', '/getSongLists?categoryId=6', '/getMv', '/getLyric/00DemoSong0001']) {
    t.equal((await server.get(path)).status, 200, path)
  }
})

test('a broken connection leaves one further attempt, which counts against the retry budget', async ({ t, demo }) => {
  const rich = await serverFor(t, demo, { tuning: { retryDelayMinMs: 1, retryDelayMaxMs: 1 } })
  const poor = await serverFor(t, demo, { tuning: { retryPercent: 0, retryFloor: 0, retryBurst: 0 } })
  for (const fault of [{ reset: true }, { status: 503 }] satisfies Fault[]) {
    demo.reset()
    demo.next(detail, fault, 100)
    const reply = await rich.post('/batchGetSongInfo', songs)
    t.same([reply.status, reply.headers.get('x-relay-source'), demo.received.length], [200, 'song.tracks', 2])

    demo.reset()
    for (const wire of [detail, tracks]) demo.next(wire, fault, 100)
    t.match(await rich.post('/batchGetSongInfo', songs), { status: 502, body: { code: 'UPSTREAM_UNREACHABLE' } })
    t.equal(demo.received.length, 2, 'the stand-in has no retry')
    t.match(await poor.post('/batchGetSongInfo', songs), { status: 502, body: { code: 'UPSTREAM_UNREACHABLE' } })
    t.equal(demo.received.length, 3, 'an empty budget leaves none')

    demo.reset()
    demo.next(playlist, fault, 100)
    const liked = await rich.get('/user/getUserLikedSongs', { headers: { 'x-custom-cookie': cookieOf(demo, 'member') } })
    t.match(liked, 'reset' in fault ? { status: 502, body: { code: 'UPSTREAM_UNREACHABLE' } } : { status: 200 })
    t.equal(demo.received.length, 'reset' in fault ? 3 : 4, 'the songs, the number of their list, and the songs by that number once; a call that is ill has a sibling')
  }
})

served('a call that is ill spoils no other call of its POST, also when the retry budget is empty', {
  tuning: { retryPercent: 0, retryFloor: 0, retryBurst: 0 }
}, async ({ t, demo, server }) => {
  const well = await server.get('/getRecommend')
  t.equal(demo.received.length, 1)
  demo.next('music.recommend.RecommendFeed/get_recommend_feed', { status: 500 }, 100)
  for (let time = 0; time < 3; time++) {
    const { status, body } = await server.get('/getRecommend')
    t.equal(status, 200)
    t.same(body.response, { ...well.body.response, recomPlaylists: well.body.response.playlists })
  }
})
