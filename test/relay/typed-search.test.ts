/** /search: each kind with pages, what each source is asked and how its rows are read, and what stands in for what. */
import t from 'tap'
import type { SearchType, TypedSearchResult } from '../../schemas/typedSearch.ts'
import { checkRecord, dead, demoFor, paramOf } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'
import { desktop, listSearch as siteLists, lite, phone, siteSearch as site, smartbox } from '../support/wires.ts'

const types = ['song', 'album', 'singer', 'playlist', 'mv', 'lyric'] as const
const programs = [lite, `signed/${desktop}`, phone, desktop]

/** Words that find many of the kind. */
const statusFor = (type: SearchType): string => type === 'lyric' ? 'the' : 'paper'
const listOf = (found: TypedSearchResult): readonly unknown[] => found[`${found.type}s`]
const idsOf = (found: TypedSearchResult): unknown[] => listOf(found).map((row: any) => row.mid ?? row.albumMID ?? row.singerMID ?? row.dissid ?? row.vid ?? row.song.mid)

test('each kind is in its own list, one request each, and the others are empty', async ({ t, demo, server }) => {
  for (const type of types) {
    demo.reset()
    const { status, body: { data } } = await server.get(`/search?type=${type}&key=${statusFor(type)}&limit=5`)
    t.equal(status, 200)
    t.match(data, { keyword: statusFor(type), type })
    t.equal(listOf(data).length, 5, type)
    t.ok(data.total >= 5)
    for (const other of types.filter((each) => each !== type)) t.same(data[`${other}s`], [])
    t.equal(demo.received.length, 1, type)
  }
})

test('each source is asked for the kind as its clients ask it', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { tuning: { searchIntervalMs: 0 } })
  await relay.search({ type: 'playlist', key: 'paper', limit: 10, page: 2 })
  t.match(demo.received[0], { host: 'c.y.qq.com', path: siteLists, query: { query: 'paper', page_no: '1', num_per_page: '10', remoteplace: 'txt.yqq.playlist', format: 'json' } })
  for (const [type, search_type] of [['album', 2], ['singer', 1], ['lyric', 7]] as const) {
    demo.reset()
    await relay.search({ type, key: 'the', limit: 20, page: 2 })
    t.same(demo.received.map(({ calls }) => calls), [[lite]], type)
    t.match(paramOf(demo.received[0]), { query: 'the', search_type, num_per_page: 20, page_num: 2, highlight: 0 })
  }
  demo.reset()
  demo.next(siteLists, { status: 404 })
  await relay.search({ type: 'playlist', key: 'paper', limit: 20 })
  t.match(paramOf(demo.calls(lite)[0]), { query: 'paper', search_type: 3, num_per_page: 20, page_num: 1 })
})

t.test('the rows of every source become the same records, without the marks of a hit', async (t) => {
  const demo = await demoFor(t, { trustDevices: true })
  for (const type of ['album', 'singer', 'playlist', 'mv', 'lyric'] as const) {
    let first: unknown
    for (const [at, source] of [...type === 'playlist' ? [siteLists] : [], ...programs].entries()) {
      demo.reset()
      for (const other of [siteLists, site, ...programs].filter((each) => each !== source)) demo.next(other, { code: 500003 }, 9)
      const relay = relayFor(t, demo, { tuning: { searchIntervalMs: 0 } })
      // Without a login the unsigned desktop program answers only for playlists.
      const found = await relay.search({ type, key: statusFor(type), limit: 3 }, source === desktop ? { cookie: demo.accounts[0]?.cookie ?? '' } : {})
      t.equal(listOf(found).length, 3, `${type} ${source}`)
      checkRecord('search', found)
      t.notMatch(JSON.stringify(found), /<em>/)
      if (at === 0) first = idsOf(found)
      t.same(idsOf(found), first, `${type} ${source}`)
      await relay.close()
    }
  }
  demo.reset()
  const marked = (answer: any): void => { for (const row of answer.data.body.item_album) Object.assign(row, { name: `<em>${row.name}</em>` }) }
  demo.next(lite, { mutate: marked })
  t.notMatch(JSON.stringify(await relayFor(t, demo).search({ type: 'album', key: 'paper' })), /em>/)
  const [hit] = (await relayFor(t, demo).search({ type: 'lyric', key: 'the', limit: 1 })).lyrics
  t.match(hit, { text: /\bthe\b/i, song: { mid: /./ } })
})

test('with one source dead in any way the next one answers; with all programs dead, the suggestions for albums and singers', async ({ t, demo }) => {
  for (const fault of [...dead, { code: 2001 }]) {
    for (const type of types) {
      const relay = relayFor(t, demo, { tuning: { searchIntervalMs: 0 } })
      demo.reset()
      demo.next(type === 'playlist' ? siteLists : type === 'song' || type === 'mv' ? site : lite, fault, 9)
      t.equal(listOf(await relay.search({ type, key: statusFor(type), limit: 3 })).length, 3, `${type} ${JSON.stringify(fault)}`)
      demo.reset()
      for (const source of [site, siteLists, '/soso/fcgi-bin/search_for_qq_cp', ...programs]) demo.next(source, fault, Infinity)
      const found = relay.search({ type, key: statusFor(type), limit: 3 })
      if (type === 'album' || type === 'singer') t.equal(listOf(await found).length, 2, type)
      else if (type === 'song') t.ok(listOf(await found).length > 0)
      else await t.rejects(found, { code: /^UPSTREAM_/ }, type)
      await relay.close()
    }
  }
})

test('nothing to find is an empty list once two sources say so, and one alone is not believed', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { tuning: { searchIntervalMs: 0 } })
  for (const type of types) {
    demo.reset()
    const found = await relay.search({ type, key: 'nothing has these words' })
    t.same([found.total, listOf(found)], [0, []], type)
    t.ok(demo.received.length >= 2 && demo.received.length <= 4, `${type}: ${demo.received.length}`)
  }
  // An empty list of the first source is contradicted by the next.
  for (const [type, source, emptied] of [['playlist', siteLists, (answer: any) => { Object.assign(answer.data, { list: [], sum: 0 }) }], ['album', lite, (answer: any) => { Object.assign(answer.data.body, { item_album: [] }); Object.assign(answer.data.meta, { sum: 0, estimate_sum: 0 }) }]] as const) {
    demo.next(source, { mutate: emptied })
    t.equal(listOf(await relay.search({ type, key: 'paper', limit: 2 })).length, 2, type)
  }
})

test('kinds share the pace of the programs: who finds no turn gets what needs none', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { now: () => 0, tuning: { searchIntervalMs: 60_000, upstreamQueueMs: 1000 } })
  t.equal((await relay.search({ type: 'album', key: 'paper', limit: 5 })).albums.length, 5)
  t.equal((await relay.search({ type: 'singer', key: 'paper', limit: 5 })).singers.length, 2, 'the suggestions')
  await t.rejects(relay.search({ type: 'lyric', key: 'the' }), { code: 'UPSTREAM_PAUSED', statusCode: 503 })
  t.equal((await relay.search({ type: 'playlist', key: 'paper', limit: 2 })).playlists.length, 2, 'the site')
  t.equal(demo.calls(lite).length, 1)
  t.equal(demo.calls(smartbox).length, 1)
})

test('songs are also a list for players', async ({ t, server }) => {
  t.match((await server.get('/search?type=lyric&key=the&limit=2', { headers: { accept: 'audio/x-mpegurl' } })).text, /^#EXTM3U\n#EXTINF:\d+,.* - .*\nhttp/)
})
