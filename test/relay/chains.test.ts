/**
 * Every list of fallbacks (test/faults/chains.ts) under every failure of a call: the answer stays the same and names
 * its source. Searches have tests of their own (search-links.test.ts, mv.test.ts).
 */
import { inspect } from 'node:util'
import type { Fault } from '../../src/demo/types.ts'
import type { RelayOptions } from '../../src/library/relay.ts'
import { chains, type Chain } from '../faults/chains.ts'
import { cookieOf, serverFor, type Reply } from '../support/helper.ts'
import { served } from '../support/stage.ts'
import { sampleOf } from '../support/whole.ts'

/** An empty answer instead of data: how a call looks that the upstream blocks silently. */
const blocked = (wire: string): Fault =>
  wire.startsWith('/') ? { mutate: () => ({ code: 0, subcode: 0 }) } : { mutate: (answer) => ({ ...answer, data: {} }) }

const ways: Readonly<Record<string, (wire: string) => Fault>> = {
  'answers a page of HTML': () => ({ body: '<html>gone</html>' }),
  'is retired': () => ({ code: 500003 }),
  'is refused to this platform': () => ({ code: 104403 }),
  'is refused by risk control': () => ({ code: 2001 }),
  'is blocked without a word': blocked,
  'is gone (404)': () => ({ status: 404 }),
  'breaks off': () => ({ reset: true }),
  'fails (500)': () => ({ status: 500 })
}

/** Disables circuit breakers and budgets, which have tests of their own. Here each answer counts alone. */
const patient: RelayOptions = { tuning: {
  circuitFailures: 1_000_000, circuitSamples: 1_000_000, fallbackFailures: 1_000_000, retryBurst: 10_000,
  retryDelayMinMs: 1, retryDelayMaxMs: 1
} }
const all: readonly (readonly [string, Chain])[] = Object.entries(chains)
const sourceOf = ({ headers }: Reply): string | null => headers.get('x-relay-source')

served('whichever calls of a chain are dead, and in whatever way, the answer is the same and names its source', {
  ...patient, demo: { trustDevices: true }
}, async ({ t, demo, server }) => {
  const wrong: string[] = []
  for (const [turn, [what, { path, links, facts, login, twice, broken = 100, allDead = {} }]] of all.entries()) {
    const ask = async (): Promise<Reply> =>
      await server.get(path, login === true ? { headers: { 'x-custom-cookie': cookieOf(demo, 'ordinary') } } : {})
    const names = Object.keys(links)
    demo.reset()
    const healthy = await ask()
    const known = inspect(facts(healthy.body), { depth: null })
    t.equal(healthy.status, 200, what)
    t.notOk(known.includes('undefined'), `${what}: there is something to compare`)
    t.ok(sourceOf(healthy)?.split(', ').includes(names[0] ?? ''), `${what}: ${sourceOf(healthy)}`)
    for (const [way, fault] of sampleOf(Object.entries(ways), 16, turn)) {
      // A broken connection leaves one further attempt, whichever call it is for.
      const once = ['breaks off', 'fails (500)'].includes(way)
      for (let dead = 1; dead < (once ? 2 : names.length); dead++) {
        demo.reset()
        for (const wire of Object.values(links).slice(0, dead)) {
          demo.next(wire, fault(wire), twice === true ? 1 : once ? broken : 100)
        }
        const reply = await ask()
        const sources = sourceOf(reply)?.split(', ') ?? []
        const isRight = reply.status === 200 && inspect(facts(reply.body), { depth: null }) === known
          && sources.includes(names[dead] ?? '') && !names.slice(0, dead).some((name) => sources.includes(name))
        if (!isRight) wrong.push(`${what}, ${names[dead - 1]} ${way}: ${sources.join()} ${reply.text.slice(0, 200)}`)
      }
      demo.reset()
      for (const wire of Object.values(links)) demo.next(wire, fault(wire), 100)
      const none = await ask()
      const [status, source] = allDead[way] ?? [502, null]
      if (none.status !== status || sourceOf(none) !== source) wrong.push(`${what}, each ${way}: ${sourceOf(none)} ${none.text.slice(0, 200)}`)
    }
  }
  t.same(wrong, [])
})

served('what is kept says where it came from, and so does a batch that is made of copies', { cache: true }, async ({ t, demo, server }) => {
  const asked = async (): Promise<(string | null)[]> => {
    const reply = await server.get('/getLyric/00DemoSong0001')
    return [reply.headers.get('x-cache'), sourceOf(reply)]
  }
  demo.next('/lyric/fcgi-bin/fcg_query_lyric_new.fcg', { code: 500003 })
  t.same([await asked(), await asked()], [['MISS', 'lyric.musicu'], ['HIT', 'lyric.musicu']])

  demo.next('music.pf_song_detail_svr/get_song_detail_yqq', { code: 500003 })
  await server.get('/getSongInfo?songmid=00DemoSong0001')
  t.equal(sourceOf(await server.post('/batchGetSongInfo', { songs: [['00DemoSong0001'], ['00DemoSong0002']] })), 'song.detail, song.tracks')
})

served('when the host refuses connections all calls are dead, and one clear error says so', patient, async ({ t, demo, server }) => {
  await demo.close()
  for (const [what, { path, login }] of sampleOf(all, 8)) {
    const reply =
      await server.get(path, login === true ? { headers: { 'x-custom-cookie': cookieOf(demo, 'ordinary') } } : {})
    t.match(reply, { status: 502, body: { code: 'UPSTREAM_UNREACHABLE' } }, what)
  }
})

served('a list that is said to have rows and sends none is blocked: the next call is asked; a filter that fits nobody is not', patient, async ({ t, demo, server }) => {
  const lists = { 'singers': 'singerlist', 'songs of a singer': 'songList', 'albums of a singer': 'albumList', 'MVs of a singer': 'list' } as const
  for (const [what, rows] of Object.entries(lists)) {
    const { path, links, facts }: Chain = chains[what as keyof typeof lists]
    const [first = ''] = Object.values(links)
    const healthy = await server.get(path)
    for (const nothing of [null, []]) {
      demo.next(first, { mutate: (answer) => { answer.data[rows] = nothing } })
      const reply = await server.get(path)
      t.same([sourceOf(reply), facts(reply.body)], [Object.keys(links)[1], facts(healthy.body)], what)
    }
  }
  demo.next('music.musichallSinger.SingerList/GetSingerListIndex', {
    mutate: (answer) => { answer.data = { ...answer.data, singerlist: [], total: 0 } }
  }, 2)
  t.equal(sourceOf(await server.get('/getSingerList')), 'singer.list.older', 'there are always some')
  const none = await server.get('/getSingerList?area=6')
  t.same([none.status, sourceOf(none), none.body.data.singers, none.body.data.total], [200, 'singer.list', [], 0])
  for (const data of [{}, { total: 7, list: null }]) {
    demo.next('MvService.MvInfoProServer/GetAllocMvInfo', { mutate: (answer) => ({ ...answer, data }) })
    t.match(await server.get('/getMv'), { status: 502, body: { code: 'UPSTREAM_EMPTY' } }, 'and where no other call gives the same, that is said')
  }
  t.match(await server.get('/getSingerHotsong?singermid=00DemoSing0001&page=50'), {
    status: 200, body: { data: { songList: [] } }
  }, 'a page beyond the end is no block')
})

served('a call that is dead time after time is left alone for a while, then looked at by one request, wherever it stands in a chain', async ({ t, demo }) => {
  for (const what of sampleOf(['a lyric', 'singers', 'a singer', 'the files of an MV', 'radios'] as const, 5)) {
    const { path, links }: Chain = chains[what]
    const [[first, wire]] = Object.entries(links) as [[string, string]]
    let clock = 0
    const server =
      await serverFor(t, demo, { tuning: { fallbackFailures: 3, fallbackPauseMs: 1000 }, now: () => clock })
    const asksItFor = async (headers = {}): Promise<boolean> => {
      const before = demo.calls(wire).length
      t.match(await server.get(path, { headers }), { status: 200 }, what)
      return demo.calls(wire).length > before
    }
    demo.next(wire, { code: 500003 }, 1000)
    t.same([
      await asksItFor(), await asksItFor(), await asksItFor(), await asksItFor()
    ], [true, true, true, false], `${what}: three failures are enough`)
    t.equal(await asksItFor({ 'x-custom-cookie': cookieOf(demo, 'member') }), true, `${what}: who is logged in may have better luck`)
    clock += 1001
    t.same([await asksItFor(), await asksItFor()], [true, false], `${what}: one request looks after the pause`)
    demo.reset()
    clock += 1001
    t.match(sourceOf(await server.get(path)), first, `${what}: it is back`)
    t.equal(await asksItFor(), true)
  }
})

served('for what the caller got wrong no other call is tried', patient, async ({ t, demo, server }) => {
  for (const what of sampleOf(['a singer', 'songs of a singer', 'albums of a singer', 'similar singers'] as const, 2)) {
    const { path, links }: Chain = chains[what]
    const [first = '', second = ''] = Object.values(links)
    demo.reset()
    demo.next(first, { code: 104400 })
    t.match(await server.get(path), { status: 404, body: { code: 'NOT_FOUND' } }, what)
    t.same([demo.calls(first).length, demo.calls(second).length], [1, 0], what)
  }
})

served('a broken host costs a chain two requests, however many calls it has, and a failing one each call once', patient, async ({ t, demo, server }) => {
  // The song, the words or the account are looked up at the same time, or before.
  const besides = ['a play URL', 'a download URL', 'a lyric', 'the list of charts', 'an album', 'the songs of an album', 'similar songs']
  for (const [turn, fault] of ([{ status: 503 }, { reset: true }] satisfies Fault[]).entries()) {
    for (const [what, { path, links }] of sampleOf(
      all.filter(([what, { login }]) => login !== true && !besides.includes(what)), 8, turn
    )) {
      demo.reset()
      for (const wire of Object.values(links)) demo.next(wire, fault, 100)
      t.match(await server.get(path), { status: 502, body: { code: 'UPSTREAM_UNREACHABLE' } }, what)
      // Two chains have one call more than their links here.
      const most = 'reset' in fault ? 2 : Object.keys(links).length + 1
      t.ok(demo.received.length <= most, `${what}: ${demo.received.length} requests`)
    }
  }
})

served('one host is asked at its pace: who would wait too long is told to come back', {
  standing: true, upstreamRatePerHost: 1, tuning: { upstreamBurstSeconds: 2, upstreamQueueMs: 500 }
}, async ({ t, demo, server, clock }) => {
  const ask = async (): Promise<number> => (await server.get('/getHotkey')).status
  t.same([await ask(), await ask()], [200, 200], 'a few may go at once')
  const late = await server.get('/getHotkey')
  t.match([late.status, late.body.code, late.headers.get('retry-after')], [503, 'OVERLOADED', '1'])
  t.equal((await server.get('/getSongLists?limit=1')).status, 200, 'another host has its own pace')
  t.equal(demo.received.length, 3)
  clock.now += 600
  t.equal(await ask(), 200, 'a turn that is near is waited for')
  clock.now += 1000
  t.equal(await ask(), 200)
})
