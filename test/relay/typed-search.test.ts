/** /search: each kind, how rows of each source are read, and what stands in for what. Pages: pages.test.ts. */
import t from 'tap'
import type { SearchType, TypedSearchResult } from '../../schemas/typedSearch.ts'
import { dead, demoFor, paramOf } from '../support/helper.ts'
import { relayFor, sharedStage } from '../support/stage.ts'
import { desktop, listSearch, lite, pagesSearch, phone, signed, siteSearch, smartbox } from '../support/wires.ts'

const test = sharedStage('search by kind')

const types = ['song', 'album', 'singer', 'playlist', 'mv', 'lyric'] as const
const programs = [lite, signed, phone, desktop]
const sources = [siteSearch, listSearch, pagesSearch, ...programs]
const firstFor = (type: SearchType): string =>
  type === 'playlist' ? listSearch : type === 'song' || type === 'mv' ? siteSearch : lite

/** Words that find many of the kind. */
const wordsFor = (type: SearchType): string => type === 'lyric' ? 'the' : 'paper'
const listOf = (found: TypedSearchResult): readonly unknown[] => found[`${found.type}s`]
const idsOf = (found: TypedSearchResult): unknown[] =>
  listOf(found).map((row: any) => row.mid ?? row.albumMID ?? row.singerMID ?? row.dissid ?? row.vid ?? row.song.mid)

test('each kind is in its own list, one request each, and the others are empty; songs are also a list for players', async ({ t, demo, relay, server }) => {
  for (const type of types) {
    demo.reset()
    const found = await relay.search({ type, key: wordsFor(type), limit: 5 })
    t.same([found.keyword, found.type, found.total >= 5], [wordsFor(type), type, true])
    t.same(types.map((each) => found[`${each}s`].length), types.map((each) => each === type ? 5 : 0), type)
    t.equal(demo.received.length, 1, type)
  }
  t.match(
    (await server.get('/search?type=lyric&key=the&limit=2', { headers: { accept: 'audio/x-mpegurl' } })).text,
    /^#EXTM3U\n# 2 of .+\n#EXTINF:\d+,.* - .*\nhttp/
  )
})

test('a program that counts other kinds than songs in its estimate alone has a total, and the pages go on', async ({ t, demo, relay }) => {
  const estimated = { mutate: ({ data: { meta } }: any) => { meta.sum = 0 } }
  for (const type of ['album', 'singer', 'lyric'] as const) {
    const ask = async (page: number) => await relay.search({ type, key: wordsFor(type), limit: 5, page })
    const want = [await ask(1), await ask(2)]
    demo.next(lite, estimated, 2)
    t.same([await ask(1), await ask(2)], want, type)
    t.ok((want[0]?.total ?? 0) > 5)
    demo.next(lite, estimated, 9)
    t.match(await relay.search({ type, key: 'zzqqxx' }), { total: 0 }, 'no rows are no hits')
    demo.reset()
  }
})

test('sources that count hits and send none do not agree that there are none; a part in the middle is counted', async ({ t, demo, relay }) => {
  const silent = { mutate: ({ data }: any) => {
    for (const part of Object.values<any>(data.body ?? data)) if (Array.isArray(part?.list)) part.list = []
    for (const name in data.body) if (Array.isArray(data.body[name])) data.body[name] = []
  } }
  for (const type of types) {
    demo.reset()
    for (const source of sources) if (source !== listSearch) demo.next(source, silent, 99)
    demo.next(listSearch, { mutate: ({ data }: any) => { data.list = [] } }, 99)
    demo.next(smartbox, { code: -3 }, 99)
    await t.rejects(relay.search({ type, key: wordsFor(type) }), { code: 'UPSTREAM_REFUSED' }, type)
  }
  demo.reset()
  const whole = await relay.search({ type: 'album', key: 'paper', limit: 60 })
  demo.next(lite, { mutate: () => {} })
  demo.next(lite, silent)
  const part = await relay.search({ type: 'album', key: 'paper', limit: 60 })
  t.same(idsOf(part), idsOf(whole).slice(0, 30))
  t.same([part.total, part.skipped], [whole.total, 30])
})

test('MVs of a phone program are named in either of two fields', async ({ t, demo, relay }) => {
  demo.next(siteSearch, { code: 500003 }, 2)
  const want = await relay.search({ type: 'mv', key: 'paper', limit: 3 })
  demo.next(lite, { mutate: ({ data: { body } }) => {
    for (const row of body.item_mv) {
      row.mvname = row.title
      delete row.title
    }
  } })
  t.same(await relay.search({ type: 'mv', key: 'paper', limit: 3 }), want)
})

t.test('the rows of every source become the same records, without the marks of a hit', async (t) => {
  const demo = await demoFor(t, { trustDevices: true })
  for (const type of types.filter((each) => each !== 'song')) {
    const found: unknown[][] = []
    for (const source of [...type === 'playlist' ? [listSearch] : [], ...programs]) {
      demo.reset()
      for (const other of sources) if (other !== source) demo.next(other, { code: 500003 }, 9)
      // Without a login the unsigned desktop program answers only for playlists.
      const record = await relayFor(t, demo).search(
        { type, key: wordsFor(type), limit: 3 }, source === desktop ? { cookie: demo.accounts[0]?.cookie ?? '' } : {}
      )
      t.notMatch(JSON.stringify(record), /<em>/)
      found.push(idsOf(record))
    }
    t.same(found, found.map(() => found[0]), type)
    t.equal(found[0]?.length, 3, type)
  }
  demo.reset()
  demo.next(lite, { mutate: ({ data: { body } }) => {
    for (const row of body.item_album) Object.assign(row, { name: `<em>${row.name}</em>` })
  } })
  t.notMatch(JSON.stringify(await relayFor(t, demo).search({ type: 'album', key: 'paper' })), /em>/)
  const [hit] = (await relayFor(t, demo).search({ type: 'lyric', key: 'the', limit: 1 })).lyrics
  t.match(hit, { text: /\bthe\b/i, song: { mid: /./ } })
})

test('with one source dead in any way the next one answers; with all programs dead, the suggestions for albums and singers', async ({ t, demo }) => {
  for (const fault of [...dead, { code: 2001 }]) for (const type of types) {
    const relay = relayFor(t, demo)
    const search = async (): Promise<number> =>
      listOf(await relay.search({ type, key: wordsFor(type), limit: 3 })).length
    demo.reset()
    demo.next(firstFor(type), fault, 9)
    t.equal(await search(), 3, `${type} ${JSON.stringify(fault)}`)
    demo.reset()
    for (const source of sources) demo.next(source, fault, Infinity)
    if (type === 'album' || type === 'singer') t.equal(await search(), 2, type)
    else if (type === 'song') t.ok(await search() > 0)
    else await t.rejects(search(), { code: /^UPSTREAM_/ }, type)
    await relay.close()
  }
  demo.reset()
  demo.next(listSearch, { status: 404 })
  await relayFor(t, demo).search({ type: 'playlist', key: 'paper', limit: 20 })
  t.match(paramOf(demo.calls(lite)[0]), { query: 'paper', search_type: 3, num_per_page: 20, page_num: 1 })
})

test('nothing to find is an empty list once a program or two other sources say so, and the site alone is not believed', async ({ t, demo, relay }) => {
  for (const type of types) {
    demo.reset()
    const found = await relay.search({ type, key: 'nothing has these words' })
    t.same([found.total, listOf(found)], [0, []], type)
    t.same(demo.received.map(({ calls }) => calls[0]), firstFor(type) === lite ? [lite] : [firstFor(type), lite], type)
  }
  for (const [type, emptied] of [
    ['playlist', ({ data }: any) => { Object.assign(data, { list: [], sum: 0 }) }],
    ['album', ({ data: { body, meta } }: any) => {
      Object.assign(body, { item_album: [] })
      Object.assign(meta, { sum: 0, estimate_sum: 0, is_filter: undefined })
    }]
  ] as const) {
    demo.next(firstFor(type), { mutate: emptied })
    t.equal(listOf(await relay.search({ type, key: 'paper', limit: 2 })).length, 2, type)
  }
})

test('kinds share the pace of the programs: who finds no turn gets what needs none', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { now: () => 0, tuning: { searchIntervalMs: 60_000, upstreamQueueMs: 1000 } })
  // A program, the suggestions, the site.
  for (const [type, limit, rows] of [['album', 5, 5], ['singer', 5, 2], ['playlist', 2, 2]] as const) {
    t.equal(listOf(await relay.search({ type, key: 'paper', limit })).length, rows, type)
  }
  await t.rejects(relay.search({ type: 'lyric', key: 'the' }), { code: 'UPSTREAM_PAUSED', statusCode: 503 })
  t.same([demo.calls(lite).length, demo.calls(smartbox).length], [1, 1])
})

test('an album of a phone program stays if no name of its singers is known', async ({ t, demo, relay }) => {
  const ask = async (): Promise<TypedSearchResult> => await relay.search({ type: 'album', key: 'paper', limit: 3 })
  const whole = await ask()
  demo.reset()
  demo.next(lite, { mutate: ({ data }) => {
    for (const singer of data.body.item_album[0].singer_list) singer.name = ''
  } })
  const found = await ask()
  t.same(found.albums.map(({ albumMID }) => albumMID), whole.albums.map(({ albumMID }) => albumMID))
})
