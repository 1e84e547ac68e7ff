/** Playlists: summaries, categories, songs and new albums; batches in which one failure affects no other element. Pages: pages.test.ts. */
import t from 'tap'
import type { PlaylistBatch, PlaylistDetail, PlaylistPage } from '../../schemas/playlists.ts'
import { gbkEncoder } from '../../src/demo/gbk.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import type { Fault } from '../../src/demo/types.ts'
import { testClock } from '../support/clock.ts'
import { cookieOf, demoFor, serverFor, timesAsked, until } from '../support/helper.ts'
import { settled } from '../support/settled.ts'
import { relayFor, sharedStage } from '../support/stage.ts'
import {
  gatewayTags, newAlbums, playlist as diss, playlistClassic, playlistOwn, playlistSibling as sibling, playlistWhole,
  playlistsByTag as byTag, playlistsSquare as square, songDetail, tagConf
} from '../support/wires.ts'

const test = sharedStage('playlists')

const sources = [diss, sibling, playlistWhole, playlistClassic, playlistOwn]

const ids = ({ playlists }: Pick<PlaylistPage, 'playlists'>): string[] => playlists.map(({ dissid }) => dissid)
const mids = ({ songlist }: PlaylistDetail): string[] => songlist.map(({ songmid }) => songmid)
const listed = (list: readonly object[], sum: number): Fault =>
  ({ mutate: ({ data }) => { Object.assign(data, { list, sum }) } })

test('playlists have a name, a creator and a count, and a category and an order choose', async ({ t, demo, relay }) => {
  const found = await relay.getSongLists({ limit: 3 })
  t.same([found.categoryId, found.sum, found.playlists.length], [10000000, 498, 3])
  t.same(found.playlists[0], {
    dissid: '7700000001', dissname: 'Demo "favourites" & <friends> 🎶', creator: '纸飞机1', listen_num: 681106, imgurl: `${demo.origin}/music/photo_new/T003R300x300M00000DemoList0001.jpg`
  })
  const pop = await relay.getSongLists({ categoryId: 6, limit: 30 })
  t.ok(pop.categoryId === 6 && pop.sum > 30 && pop.sum < 100)
  t.notSame(ids(await relay.getSongLists({ categoryId: 6, limit: 30, sortId: 2 })), ids(pop))
  demo.reset()
  t.same((await relay.getSongLists({ page: 400 })).playlists, [])
  t.equal(demo.received.length, 1, 'the end of a list is believed')
})

test('an empty list is asked for once more with a charset, and "all" then at the square, where no category means anything', async ({ t, demo, relay }) => {
  const healthy = await relay.getSongLists({ limit: 5, page: 2 })
  demo.reset()
  demo.next(byTag, listed([], 0))
  t.same(await relay.getSongLists({ limit: 5, page: 2 }), healthy)
  t.same(demo.calls(byTag).map(({ query }) => query['outCharset']), [undefined, 'utf-8'])
  demo.reset()
  demo.next(byTag, listed([], 0))
  demo.next(byTag, listed([{ dissid: '77', dissname: 'A&#38;B', listennum: '5' }], 1))
  t.same((await relay.getSongLists({ categoryId: 6 })).playlists, [{
    dissid: '77', dissname: 'A&B', creator: '', listen_num: 5, imgurl: ''
  }])
  t.same(await relay.getSongLists({ categoryId: 3317 }), {
    categoryId: 3317, sum: 0, playlists: [], skipped: 0
  }, 'an unknown category is empty')
  t.equal(demo.calls(square).length, 0)
  for (const fault of [{ body: '<html>' }, { status: 500 }, listed([], 9)]) {
    demo.next(byTag, fault)
    await t.rejects(
      relay.getSongLists({ categoryId: 6 }), { code: /^UPSTREAM/ },
      'the call with a charset is always empty: it says nothing alone'
    )
  }
  demo.next(byTag, listed([], 9), 2)
  await t.rejects(relay.getSongLists({ categoryId: 6 }), { code: 'UPSTREAM_EMPTY' }, 'nine playlists, and none of them there')
})

test('categories come in one list with the name of their group', async ({ t, demo, relay }) => {
  const { categories } = await relay.getSongListCategories()
  const all = { id: 10000000, name: '全部', group: '热门' }
  t.same(categories[0], all)
  t.ok(categories.some(({ id, name }) => id === 8 && name === 'R&B'), 'names are unescaped')
  for (const [fault, code] of [
    [{ code: 4 }, 'UPSTREAM_REFUSED'], [{ subcode: 1 }, 'UPSTREAM_REFUSED'],
    [{ body: '{"code":0,"data":{"categories":[]}}' }, 'UPSTREAM_EMPTY'], [{ body: '<html>' }, 'UPSTREAM_UNREADABLE']
  ] as const) {
    demo.next(tagConf, fault)
    demo.next(gatewayTags, { code: 500003 })
    await t.rejects(relay.getSongListCategories(), { code, statusCode: 502 })
  }
  // When the list is dead, the gateway names them, and their numbers are those of the dead list.
  demo.next(tagConf, { status: 404 })
  const named = (await relay.getSongListCategories()).categories
  const usual = new Map(categories.map(({ id, name }) => [name, id]))
  t.same(named[0], all)
  t.ok(named.length > 20 && named.every(({ id, name }) => id === usual.get(name)), `${named.length} of ${usual.size}`)
  t.notOk(named.some(({ name }) => name === '官方歌单'), 'what the classic calls have no number for is left out')
})

test('playlists in the Chinese charset, with or without its name, are read', async ({ t, demo, relay }) => {
  const body = gbkEncoder()(JSON.stringify({
    code: 0, data: { sum: 1, list: [{ dissid: '77', dissname: '旧歌单', listennum: 5, creator: { name: '甲' } }] }
  }))
  for (const type of ['application/json', 'application/json; charset=GBK', 'text/html; charset=gb2312']) {
    demo.next(byTag, { body, headers: { 'content-type': type } })
    t.match(await relay.getSongLists({ categoryId: 6 }), { playlists: [{ dissname: '旧歌单', creator: '甲' }] }, type)
  }
})

test('a playlist has its songs; a bad row costs itself only; an empty one is empty', async ({ t, demo, relay, server }) => {
  const found = await relay.getSongListDetail({ disstid: '7700000001', limit: 3 })
  t.match(found, {
    disstid: '7700000001', dissname: 'Demo "favourites" & <friends> 🎶', desc: /^.+\nMade for tests, it's true\.$/,
    creator: '纸飞机1', listen_num: 681106, songnum: 55
  })
  t.ok(found.songlist.length === 3 && found.songlist.every((
    { songid, songmid, songname, singer, interval, albumname }
  ) => songid > 0 && interval > 0 && ![songmid, songname, singer, albumname].includes('')))
  t.same((await server.get('/getSongListDetail/7700000001?limit=3')).body.data, found, 'in the path')
  demo.next(diss, { mutate: ({ data }) => { delete data.songlist[1].title; delete data.songlist[1].name } })
  t.same(
    mids(await relay.getSongListDetail({ disstid: '7700000001', limit: 3 })), mids(found).filter((_, at) => at !== 1)
  )
  t.match(await relay.getSongListDetail({ disstid: '7700000004' }), { songnum: 0, songlist: { length: 0 } })
})

test('a first page without songs of a list that counts some needs a second call', async ({ t, demo, relay }) => {
  const ask = async (): Promise<PlaylistDetail> => await relay.getSongListDetail({ disstid: '7700000001', limit: 3 })
  const want = await ask()
  const blocked: Fault = { mutate: ({ data }) => { data.songlist = [] } }
  demo.next(diss, blocked)
  t.same(await ask(), want, 'the sibling has them')
  for (const call of [diss, sibling]) demo.next(call, blocked)
  t.match(await ask(), { songnum: 55, songlist: { length: 0 } }, 'two say so')
})

test('the source that stops at song 1000 is not believed to be at the end, and not asked beyond', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { tuning: { fallbackFailures: 1000 } })
  const ask = async (input: object) => await relay.getSongListDetail({ disstid: '7700000001', ...input })
  /** Songs from `begin` on of a list that the source knows `total` songs of. */
  const stretch = (begin: number, num: number, total: number): Fault => ({
    mutate: ({ data }) => {
      const songlist = Array.from({ length: Math.min(num, total - begin) }, (_, at) => ({
        id: begin + at + 1, mid: `s${begin + at}`, title: 'Demo', singer: []
      }))
      Object.assign(data, { songlist, total_song_num: total, hasmore: begin + songlist.length < total ? 1 : 0 })
    }
  })
  demo.next(diss, stretch(0, 1000, 1250))
  t.match(await ask({}), { songnum: 1250, songlist: { length: 1000 } })
  t.equal(demo.received.length, 1, 'a thousand songs come in one answer')

  demo.next(diss, { code: 500003 })
  demo.next(sibling, stretch(900, 100, 1000))
  demo.next(diss, stretch(1000, 100, 1250))
  t.same(
    (await ask({ offset: 900, limit: 200 })).songlist.map(({ songid }) => songid),
    Array.from({ length: 200 }, (_, at) => 901 + at)
  )
  t.match(demo.calls(sibling)[0]?.body, { req_0: { param: { song_begin: 900, song_num: 100 } } })

  demo.reset()
  demo.next(diss, { code: 500003 })
  await ask({ offset: 1000, limit: 50 })
  t.same(demo.received.map(({ calls }) => calls[0]), [diss, playlistWhole])
})

test('a long playlist is whole, however few songs the upstream sends at a time', async ({ t, demo, relay }) => {
  const disstid = '7700000005'
  const whole = mids(await relay.getSongListDetail({ disstid }))
  t.equal(whole.length, 420)
  const ten: Fault =
    { mutate: ({ data }) => { Object.assign(data, { songlist: data.songlist.slice(0, 10), hasmore: 1 }) } }
  demo.next(diss, ten, Infinity)
  t.same(mids(await relay.getSongListDetail({ disstid, limit: 45 })), whole.slice(0, 45), 'ten at a time')
  demo.reset()
  demo.next(diss, ten)
  for (const source of sources) demo.next(source, { mutate: (answer) => {
    if (source === diss || source === sibling) answer.data = {}; else Object.assign(answer, { cdlist: [], data: {} })
  } })
  t.match(
    await relay.getSongListDetail({ disstid, limit: 45 }), { songnum: 420, songlist: { length: 10 } },
    'a list that was there is not called missing when the rest of it cannot be had'
  )
})

test('an unknown playlist, and one that is not public, is not found; one that its owner hides is said to be hidden', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { tuning: { fallbackFailures: 1000 } })
  const ask = async (disstid: string) => await server.get(`/getSongListDetail/${disstid}`)
  for (const disstid of ['7700000002', '7700000003', '12', '0', '9007199254740993', '9999999999999999999']) {
    demo.reset()
    t.match(await ask(disstid), {
      status: 404, body: { code: 'NOT_FOUND', error: new RegExp(`The playlist ${disstid} .*not public`) }
    })
    t.equal(demo.received.length, disstid.length > 15 ? 0 : sources.length, 'all sources are asked')
  }
  const hidden = { status: 404, body: { code: 'NOT_FOUND', error: /^The playlist 7700000501 is hidden by its owner\./ } }
  demo.reset()
  t.match(await ask('7700000501'), hidden)
  t.equal(demo.received.length, 1, 'the first one that says so is believed')
  for (const source of sources.slice(0, 3)) demo.next(source, { code: 500003 })
  t.match(await ask('7700000501'), hidden, 'whichever says so')
  const { body: { data } } = await server.post('/batchGetSongLists', { disstid: '7700000501,7700000004' })
  t.match(data, [{ disstid: '7700000501', code: 'NOT_FOUND', error: /hidden by its owner/ }, { songnum: 0 }])
  demo.next(diss, { mutate: ({ data: { dirinfo } }) => { dirinfo.title = '歌单被主人设为隐私' } })
  t.match((await ask('7700000001?limit=1')).body.data, { songlist: { length: 1 } }, 'one of this name with songs is a playlist')
  demo.next(diss, { code: 1000 })
  const dead = await server.get('/getSongListDetail/7700000001', { headers: { 'x-custom-cookie': cookieOf(demo, 'expired') } })
  t.match([dead.status, dead.headers.get('x-relay-warning')], [200, /rejects the cookie/])
  demo.next(diss, { code: 1000 })
  for (const source of sources.slice(0, 4)) demo.next(source, { code: 500003 })
  t.match(
    await server.get('/getSongListDetail/7700000001', { headers: { 'x-custom-cookie': cookieOf(demo, 'expired') } }),
    { status: 502, body: { code: 'COOKIE_REJECTED' } }, 'without any answer the refusal is the error'
  )
})

test('a batch with an expired cookie is answered like a single request, without the login', async ({ t, demo, server, relay }) => {
  const cookie = cookieOf(demo, 'expired')
  for (const [path, call, body] of [
    ['/batchGetSongLists', diss, { disstid: '7700000001,7700000004' }],
    ['/batchGetSongInfo', songDetail, { songs: [['00DemoSong0001'], ['00DemoSong0002']] }]
  ] as const) {
    const want = await server.post(path, body)
    demo.next(call, { code: 1000 })
    const found = await server.post(path, body, { headers: { 'x-custom-cookie': cookie } })
    t.same(found.body, want.body, path)
    t.match([want, found].map(({ headers }) => headers.get('x-relay-warning')), [null, /rejects the cookie/])
  }
  demo.next(songDetail, { code: 1000 })
  t.match(
    await relay.batchGetSongInfo({ songs: [['00DemoSong0001'], ['00DemoSong0002']] }, { cookie }),
    [{ code: 'COOKIE_REJECTED' }, { songinfo: {} }], 'the library cannot warn, and fails the element'
  )
})

test('new albums have their singers and days', async ({ t, demo, relay }) => {
  const { albums } = await relay.getNewDisks({ limit: 5, page: 2 })
  t.equal(albums.length, 5)
  const picture = `${demo.origin}/music/photo_new/T002R300x300M000`
  t.ok(albums.every(({ albumName, singerName, publicTime, albumPic }) => albumName !== ''
    && singerName !== '' && /^\d{4}-\d\d-\d\d$/.test(publicTime) && albumPic.startsWith(picture)))
  for (const [fault, code] of [
    [{ code: 500003 }, 'UPSTREAM_REFUSED'], [{ mutate: (answer: any) => { answer.data.albums = [] } }, 'UPSTREAM_EMPTY']
  ] as const) {
    demo.next(newAlbums, fault)
    await t.rejects(relay.getNewDisks(), { code }, 'no row on the first page of 55')
  }
})

/** The id of each element of a batch, and its number of rows or its failure. */
const outline = (batch: PlaylistBatch): string[] => batch.map((element) =>
  `${'categoryId' in element ? element.categoryId : element.disstid} ${'error' in element ? element.code : 'playlists' in element ? element.playlists.length : element.songlist.length}`)

test('a batch holds its categories and then its playlists, each as its own endpoint answers', async ({ t, relay, server }) => {
  t.same(await relay.batchGetSongLists({
    categoryIds: [165, 10000000], page: 1, limit: 4, sortId: 2, disstid: '7700000001, 7700000005'
  }), [
    await relay.getSongLists({ categoryId: 165, page: 1, limit: 4, sortId: 2 }),
    await relay.getSongLists({ page: 1, limit: 4, sortId: 2 }),
    await relay.getSongListDetail({ disstid: '7700000001' }), await relay.getSongListDetail({ disstid: '7700000005' })
  ])
  for (const [asked, expected] of [
    [undefined, ['10000000 19']], [{}, ['10000000 19']], [{ limit: 2 }, ['10000000 2']],
    [{ categoryIds: [6, 6], limit: 1 }, ['6 1', '6 1']], [{ categoryIds: [] }, []],
    [{ disstid: '7700000004' }, ['7700000004 0']]
  ] as const) {
    t.same(outline((await server.post('/batchGetSongLists', asked)).body.data), expected, JSON.stringify(asked))
  }
})

/** Makes every request for this category fail. */
const refuse = (demo: DemoUpstream, categoryId: number): void => {
  demo.next(byTag, { mutate: (answer: any) => answer.data.categoryId === categoryId ? {
    code: 4, subcode: 4, message: 'category closed'
  } : answer }, Infinity)
}

test('what fails in a batch stays in its place and says why', async ({ t, demo, relay }) => {
  refuse(demo, 6)
  const batch = await relay.batchGetSongLists({ categoryIds: [165, 6, 15], limit: 2, disstid: '7700000002,7700000001' })
  t.same(outline(batch), ['165 2', '6 UPSTREAM_REFUSED', '15 2', '7700000002 NOT_FOUND', '7700000001 55'])
  t.match(batch[1], { categoryId: 6, error: /code 4 "category closed"/ })
  t.same(outline(await relay.batchGetSongLists({ categoryIds: [6], disstid: '7700000002' })), [
    '6 UPSTREAM_REFUSED', '7700000002 NOT_FOUND'
  ], 'even when all fail')
})

test('a batch fails as a whole only when the upstream is away for all of it', async ({ t, demo }) => {
  for (const [fault, code] of [
    [{ status: 500 }, 'UPSTREAM_UNREACHABLE'], [{ body: '<html>' }, 'UPSTREAM_UNREADABLE'],
    [{ hang: true }, 'UPSTREAM_TIMEOUT']
  ] as const) {
    for (const [dead, wanted] of [
      [[byTag, ...sources], code], [[byTag], [`6 ${code}`, `165 ${code}`, '7700000001 55']]
    ] as const) {
      demo.reset()
      for (const call of dead) demo.next(call, fault, Infinity)
      const clock = testClock()
      const relay = relayFor(t, demo, { ...clock.options, deadlineMs: 60_000 })
      const asked = relay.batchGetSongLists({ categoryIds: [6, 165], disstid: '7700000001' })
        .then(outline, (error: { code: string }) => error.code)
      if ('hang' in fault) {
        await until(() => timesAsked(demo, byTag) === 2 && timesAsked(demo, diss) === 1)
        await settled()
        await clock.advance(60_000)
      }
      t.same(await asked, wanted, JSON.stringify(fault))
    }
  }
})

t.test('a batch asks for at most five things at a time', async (t) => {
  const demo = await demoFor(t, { latencyMs: 40 })
  const batch = await relayFor(t, demo)
    .batchGetSongLists({ categoryIds: Array.from({ length: 50 }, (_, at) => at), limit: 100 })
  t.equal(batch.length, 50)
  t.equal(demo.maxInFlight(byTag), 5)
})
