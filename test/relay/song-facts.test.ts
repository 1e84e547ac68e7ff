/** What details say about songs is kept: which requests it saves, for whom, for how long, and that it never says no. */
import t, { type Test } from 'tap'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { hour, ready } from '../support/cacheHelper.ts'
import { testClock } from '../support/clock.ts'
import { cookieOf, serverFor, song, timesAsked, until, type Server } from '../support/helper.ts'
import { settled } from '../support/settled.ts'
import { relayFor } from '../support/stage.ts'
import { chart, recComments as comments, songDetail as detail, vkey, whoAmI } from '../support/wires.ts'

type Headers = Readonly<Record<string, string>>
type Who = 'nobody' | 'ordinary' | 'member' | Headers
interface Scene {
  readonly t: Test
  readonly demo: DemoUpstream
  readonly server: Server
  readonly clock: { now: number }
}
/** Who asks for what, the calls that it takes, and parts of the data; or something that happens in between. */
type Step = readonly [who: Who, path: string, calls: readonly string[], data?: object] | ((scene: Scene) => unknown)

const headersOf = (demo: DemoUpstream, who: Who): Record<string, string> =>
  typeof who === 'object' ? { ...who } : who === 'nobody' ? {} : { 'x-custom-cookie': cookieOf(demo, who) }
const play = (number: number, more = ''): string => `/getMusicPlay?songmid=${song(number)}${more}`
const fresh = { 'cache-control': 'no-cache' }
const both = [detail, vkey]

/** A test that takes these steps one after the other. Each request is one call of these. */
function follow (title: string, steps: readonly Step[]): void {
  t.test(title, async (t) => {
    const { demo, server, clock } = await ready(t)
    for (const [at, step] of steps.entries()) {
      demo.received.length = 0
      if (typeof step === 'function') {
        await step({ t, demo, server, clock })
        continue
      }
      const [who, path, calls, data = {}] = step
      const { body } = await server.get(path, { headers: headersOf(demo, who) })
      t.same(demo.received.flatMap((each) => each.calls), calls, `step ${at}: ${path}`)
      t.equal(demo.received.length, calls.length)
      t.match(body?.data ?? body?.response?.data ?? {}, data, `step ${at}: ${path}`)
    }
  })
}

follow('a play address of a known song takes one request: another quality, the audio itself; another login looks it up once', [
  ['member', play(1), both],
  ['member', play(1), [vkey]],
  ['member', play(1, '&quality=flac'), [vkey], { quality: 'flac', size: Number }],
  ['ordinary', play(1), both],
  ['ordinary', `/downloadProviderMusic?songmid=${song(1)}`, [vkey]],
  ['ordinary', `/stream/${song(1)}`, [vkey]],
  // Only the unknown song is looked up.
  [
    'member', play(1, `,${song(2)}&quality=320`), both,
    { playUrl: { [song(1)]: { quality: '320' }, [song(2)]: { quality: '320' } } }
  ]
])

t.test('kept facts say the same as new ones', async (t) => {
  const { demo, server } = await ready(t)
  const ask = async (): Promise<object> =>
    ({ ...(await server.get(play(1), { headers: headersOf(demo, 'member') })).body.data, url: '', playUrl: '' })
  t.same(await ask(), await ask())
})

follow('every detail is of use, whoever asked for it', [
  ['nobody', `/getSongInfo?songmid=${song(1)}`, [detail]],
  async ({ server }) => await server.post('/batchGetSongInfo', { songs: [[song(2)], ['', 5000003]] }),
  ...[1, 2, 3].map((number): Step => ['member', play(number), [vkey]]),
  ['nobody', `/getComments?id=${song(1)}`, [comments]],
  async ({ t, demo, server }) => {
    t.same((await server.get('/getComments?id=5000001')).body, (await server.get(`/getComments?id=${song(1)}`)).body)
    await server.get(`/getSimilarSongs?songmid=${song(1)}`, { headers: headersOf(demo, 'member') })
    t.equal(timesAsked(demo, detail), 0)
  },
  ['nobody', `/getComments?id=${song(4)}`, [detail, comments]],
  ['nobody', play(4), [vkey]]
])

t.test('charts use the MIDs of known songs, and make songs known', async (t) => {
  const { demo, server } = await ready(t)
  demo.next(chart, { mutate: (answer: any) => { answer.data.songInfoList = [] } }, 2)
  const midsOf = async (limit: number): Promise<string[]> => (await server.get(
    `/getRanks?topId=62&limit=${limit}&resolveMid=true`
  )).body.data.songInfoList.map(({ mid }: { mid: string }) => mid)
  const mids = await midsOf(3)
  t.equal(demo.calls(detail).length, 3)
  demo.received.length = 0
  await server.get(`/getMusicPlay?songmid=${mids.join()}`)
  t.same((await midsOf(4)).slice(0, 3), mids)
  t.same(demo.received.map(({ calls }) => calls), [[vkey], [chart], [detail]])
})

follow('what was asked for with a login serves nobody without one', [['member', play(1), both], ['nobody', play(1), both]])

follow('what was asked for with a login serves no other one, which may be made up', [
  ['member', play(1), both], [{ 'x-custom-cookie': 'uin=1000000777; qm_keyst=Q_H_L_none' }, play(1), [...both, whoAmI]], ['member', play(1), [vkey]]
])

follow('facts are kept as long as the details of songs', [
  ['member', play(1), both], ({ clock }) => { clock.now += 6 * hour - 1 }, ['member', play(1), [vkey]],
  ({ clock }) => { clock.now += 1 }, ['member', play(1), both]
])

follow('a caller who wants no cached answer gets no kept facts; without the cache and in the library nothing is kept', [
  [fresh, play(1), both], [fresh, play(1), both],
  // What such a caller was told is kept.
  ['nobody', play(1, '&quality=m4a'), [vkey]],
  async ({ t, demo }) => {
    const [server, relay] = [await serverFor(t, demo), relayFor(t, demo)]
    for (let round = 0; round < 2; round++) await server.get(play(1))
    for (let round = 0; round < 2; round++) await relay.getMusicPlay({ songmid: song(1) })
    t.same(demo.received.flatMap(({ calls }) => calls), Array.from({ length: 4 }, () => both).flat())
  }
])

follow('nor with a login', [1, 2].map((): Step => async ({ t, demo, server }) => {
  await server.get(play(1), { headers: { ...headersOf(demo, 'member'), ...fresh } })
  t.same(demo.received.flatMap(({ calls }) => calls), both)
}))

const outdated: Step = ({ demo }) => { demo.next(detail, {
  mutate: (answer: any) => { Object.assign(answer.data.track_info.file, { media_mid: 'gone', size_320mp3: 0 }) }
}) }

follow('kept facts never say no: a file or a quality that is missing is looked up anew', [
  outdated,
  // An answer of now is believed.
  ['member', play(2), both, { reason: 'NOT_FOUND' }],
  ['member', play(2), [vkey, detail, vkey], { quality: '128', url: /M50000DemoFile0002/ }],
  ['member', play(2), [vkey], { quality: '128' }],
  outdated,
  async ({ demo, server }) => await server.get(play(2), { headers: { ...headersOf(demo, 'member'), ...fresh } }),
  ['member', play(2, '&quality=320'), both, { quality: '320' }],
  // This costs no more than without kept facts.
  ['member', play(2, '&quality=ape'), [detail], { reason: 'NO_SUCH_QUALITY' }],
  async ({ t, demo, server }) => {
    const paid = async (path: string): Promise<any> =>
      (await server.get(path, { headers: headersOf(demo, 'ordinary') })).body.data
    t.match((await paid(play(3, `,${song(2)}`))).playUrl, { [song(3)]: { reason: 'PAID' } })
    demo.received.length = 0
    await paid(play(3))
    t.equal(timesAsked(demo, detail), 0, 'a missing right says nothing against the facts')
  }
])

follow('an unknown song is not kept', [1, 2].map((): Step => ['member', '/getMusicPlay?songmid=nobody', [detail], { reason: 'NOT_FOUND' }]))

follow('a MID that is none is not kept', [
  ({ demo }) => {
    demo.next(detail, { mutate: (answer: any) => { answer.data.track_info.file.media_mid = 'x'.repeat(65) } })
  }, ['member', play(1), both], ['member', play(1), both]
])

follow('a number of another song is still ignored', [
  ['member', play(5, '&songid=5000001'), [detail, detail, vkey], { url: /0005/ }],
  ['member', play(5, '&songid=5000001'), [vkey], { url: /0005/ }]
])

t.test('those who ask for one song at the same time share the look-up; if it fails, each asks for itself', async (t) => {
  const { demo, server } = await ready(t)
  const listen = async (): Promise<number> =>
    (await server.get(`/stream/${song(1)}`, { headers: { accept: 'application/json' } })).status
  demo.next(detail, { delayMs: 200 })
  t.same(await Promise.all(Array.from({ length: 10 }, listen)), Array.from({ length: 10 }, () => 200))
  t.same([demo.calls(detail).length, timesAsked(demo, vkey)], [1, 10])

  demo.reset()
  demo.next(detail, { hang: true })
  const gone = new AbortController()
  const first = fetch(`${server.address}/stream/${song(2)}`, { signal: gone.signal }).catch(() => 'gone')
  await until(() => demo.calls(detail).length === 1)
  const second = server.get(`/getComments?id=${song(2)}`)
  gone.abort()
  t.same([await first, (await second).status, demo.calls(detail).length], ['gone', 200, 2])
})

t.test('what waits for another look-up keeps its own deadline', async (t) => {
  const clock = testClock()
  const { demo, server } = await ready(t, { ...clock.options, deadlineMs: 60_000 })
  demo.next(detail, { hang: true }, Infinity)
  const listen = async (): Promise<number> => (await server.get(`/stream/${song(2)}`)).status
  const first = listen()
  await until(() => demo.calls(detail).length === 1)
  await clock.advance(30_000)
  const second = listen()
  await settled(5)
  t.equal(demo.calls(detail).length, 1, 'it waits for the first one')
  await clock.advance(30_000)
  t.equal(await first, 504)
  await until(() => demo.calls(detail).length === 2)
  await clock.advance(30_000)
  t.equal(await second, 504)
})
