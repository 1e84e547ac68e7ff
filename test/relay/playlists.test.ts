/**
 * Playlists: summaries, categories, songs and new albums in exact pages; batches in which one failure affects no other
 * element.
 */
import t from 'tap'
import type { PlaylistBatch, PlaylistDetail, PlaylistPage } from '../../schemas/playlists.ts'
import { gbkEncoder } from '../../src/demo/gbk.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { commOf, cookieOf, demoFor, serverFor } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'
import { gatewayTags, newAlbums as newAlbum, playlist as diss, playlistClassic as classicDetail, playlistOwn as ownDetail, playlistSibling as sibling, playlistWhole as wholeDetail, playlistsByTag as byTag, playlistsSquare as square, tagConf } from '../support/wires.ts'

const sources = [diss, sibling, wholeDetail, classicDetail, ownDetail]

const ids = ({ playlists }: Pick<PlaylistPage, 'playlists'>): string[] => playlists.map(({ dissid }) => dissid)
const emptied = { mutate: (answer: any) => { Object.assign(answer.data, { list: [], sum: 0 }) } }

test('playlists have a name, a creator and a count, over HTTP and through the library', async ({ t, demo, relay }) => {
  const found = await relay.getSongLists({ limit: 3 })
  t.same([found.categoryId, found.sum, found.playlists.length], [10000000, 498, 3])
  t.same(found.playlists[0], {
    dissid: '7700000001', dissname: 'Demo "favourites" & <friends> 🎶', creator: '纸飞机1', listen_num: 681106, imgurl: `${demo.origin}/music/photo_new/T003R300x300M00000DemoList0001.jpg`
  })
  const { status, body } = await (await serverFor(t, demo)).get('/getSongLists?limit=3')
  t.equal(status, 200)
  t.same(body, { code: 0, msg: 'ok', data: found })
})

test('category, order, page and number of playlists reach the upstream as inclusive rows, without a charset', async ({ t, demo, server }) => {
  const pop = (await server.get('/getSongLists?categoryId=6&limit=30')).body.data
  t.equal(pop.categoryId, 6)
  t.ok(pop.sum > 30 && pop.sum < 100)
  const newest = (await server.get('/getSongLists?categoryId=6&limit=30&sortId=2')).body.data
  t.not(ids(newest).join(), ids(pop).join())
  t.same(ids((await server.get('/getSongLists?categoryId=6&limit=10&page=2')).body.data), ids(pop).slice(20))
  const asked = demo.calls(byTag)
  t.same(asked.map(({ query: { categoryId, sortId, sin, ein } }) => [categoryId, sortId, sin, ein].join(' ')), ['6 5 0 29', '6 2 0 29', '6 5 20 29'])
  for (const { host, method, query, headers } of asked) {
    t.match({ host, method, ...query }, { host: 'c.y.qq.com', method: 'GET', picmid: '1', rnd: /^0\.\d+$/, format: 'json', inCharset: 'utf8', needNewCode: '1' })
    t.notOk('outCharset' in query, 'which would empty the list')
    t.equal(headers['referer'], 'https://y.qq.com/')
  }
  demo.reset()
  await server.get('/getSongLists?limit=100&page=1')
  t.same(demo.calls(byTag).map(({ query: { sin, ein } }) => [sin, ein]), [['100', '149'], ['150', '199']])
})

test('an empty list is asked for once more with a charset, and "all" then at the square', async ({ t, demo, relay }) => {
  const healthy = await relay.getSongLists({ limit: 5, page: 2 })
  demo.reset()
  demo.next(byTag, emptied)
  t.same(await relay.getSongLists({ limit: 5, page: 2 }), healthy)
  t.same(demo.calls(byTag).map(({ query }) => query['outCharset']), [undefined, 'utf-8'])
  demo.next(byTag, emptied)
  demo.next(byTag, { mutate: (answer: any) => { Object.assign(answer.data, { sum: 1, list: [{ dissid: '77', dissname: 'A&#38;B', listennum: '5' }] }) } })
  t.same((await relay.getSongLists({ categoryId: 6 })).playlists, [{ dissid: '77', dissname: 'A&B', creator: '', listen_num: 5, imgurl: '' }])
})

test('an unknown category is empty, and its number means nothing at the square', async ({ t, demo, relay, server }) => {
  t.same(await relay.getSongLists({ categoryId: 3317 }), { categoryId: 3317, sum: 0, playlists: [] })
  t.equal(demo.calls(square).length, 0)
  demo.next(byTag, { mutate: (answer: any) => { Object.assign(answer.data, { list: [], sum: 9 }) } }, 2)
  t.match(await server.get('/getSongLists?categoryId=6'), { status: 502, body: { code: 'UPSTREAM_EMPTY' } }, 'nine playlists, and none of them there')
})

test('categories come in one list with the name of their group', async ({ t, demo, relay, server }) => {
  const found = await relay.getSongListCategories()
  t.same(found.categories[0], { id: 10000000, name: '全部', group: '热门' })
  t.ok(found.categories.some(({ id, name }) => id === 8 && name === 'R&B'), 'names are unescaped')
  t.match(demo.calls(tagConf)[0], { host: 'c.y.qq.com', query: { format: 'json', outCharset: 'utf-8', platform: 'yqq.json' }, headers: { referer: 'https://y.qq.com/' } })
  t.same((await server.get('/getSongListCategories')).body, { code: 0, msg: 'ok', data: found })
  for (const [fault, code] of [[{ code: 4 }, 'UPSTREAM_REFUSED'], [{ subcode: 1 }, 'UPSTREAM_REFUSED'], [{ body: '{"code":0,"data":{"categories":[]}}' }, 'UPSTREAM_EMPTY'], [{ body: '<html>' }, 'UPSTREAM_UNREADABLE']] as const) {
    demo.next(tagConf, fault)
    demo.next(gatewayTags, { code: 500003 })
    t.match(await server.get('/getSongListCategories'), { status: 502, body: { code } })
  }
})

test('when the list of categories is dead, the gateway names them, and their numbers are those of the dead list', async ({ t, demo, relay }) => {
  const usual = new Map((await relay.getSongListCategories()).categories.map(({ id, name }) => [name, id]))
  demo.next(tagConf, { status: 404 })
  const found = await relay.getSongListCategories()
  t.same(found.categories[0], { id: 10000000, name: '全部', group: '热门' })
  for (const { id, name } of found.categories) t.equal(id, usual.get(name), name)
  t.ok(found.categories.length > 20, `${found.categories.length} of ${usual.size}`)
  t.notOk(found.categories.some(({ name }) => name === '官方歌单'), 'what the classic calls have no number for is left out')
})

test('playlists in the Chinese charset, with or without its name, are read', async ({ t, demo, relay }) => {
  const body = gbkEncoder()(JSON.stringify({ code: 0, data: { sum: 1, list: [{ dissid: '77', dissname: '旧歌单', listennum: 5, creator: { name: '甲' } }] } }))
  for (const type of ['application/json', 'application/json; charset=GBK', 'text/html; charset=gb2312']) {
    demo.next(byTag, { body, headers: { 'content-type': type } })
    t.match(await relay.getSongLists({ categoryId: 6 }), { playlists: [{ dissname: '旧歌单', creator: '甲' }] }, type)
  }
})

test('a playlist has its songs, over HTTP, in the path and through the library', async ({ t, demo, relay, server }) => {
  const found = await relay.getSongListDetail({ disstid: '7700000001', limit: 3 })
  t.match(found, { disstid: '7700000001', dissname: 'Demo "favourites" & <friends> 🎶', desc: /^.+\nMade for tests, it's true\.$/, creator: '纸飞机1', listen_num: 681106, songnum: 55 })
  t.same(found.songlist.length, 3)
  t.ok(found.songlist.every(({ songid, songmid, songname, singer, interval, albumname }) => songid > 0 && songmid !== '' && songname !== '' && singer !== '' && interval > 0 && albumname !== ''))
  for (const path of ['/getSongListDetail?disstid=7700000001&limit=3', '/getSongListDetail/7700000001?limit=3']) {
    t.same((await server.get(path)).body, { code: 0, msg: 'ok', data: found }, path)
  }
  const [asked] = demo.received
  t.match(commOf(asked), { ct: 24, cv: 4747474 })
  t.same((asked?.body as any)?.req_0, { module: 'music.srfDissInfo.DissInfo', method: 'CgiGetDiss', param: { disstid: 7700000001, dirid: 0, tag: 1, song_begin: 0, song_num: 3, userinfo: 1, orderlist: 1, onlysonglist: 0 } })
})

test('the source that stops at song 1000 is not believed to be at the end, and not asked beyond', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { tuning: { fallbackFailures: 1000 } })
  /** Songs from `begin` on of a list that the source knows `total` songs of. */
  const stretch = (begin: number, num: number, total: number) => ({
    mutate: (answer: any) => {
      const songlist = Array.from({ length: Math.min(num, total - begin) }, (_, at) => ({ id: begin + at + 1, mid: `s${begin + at}`, title: 'Demo', singer: [] }))
      Object.assign(answer.data, { songlist, total_song_num: total, hasmore: begin + songlist.length < total ? 1 : 0 })
    }
  })
  const numbers = ({ songlist }: PlaylistDetail): number[] => songlist.map(({ songid }) => songid)
  demo.next(diss, stretch(0, 1000, 1250))
  t.match(await relay.getSongListDetail({ disstid: '7700000001' }), { songnum: 1250, songlist: { length: 1000 } })
  t.equal(demo.received.length, 1, 'a thousand songs come in one answer')

  demo.next(diss, { code: 500003 })
  demo.next(sibling, stretch(900, 100, 1000))
  demo.next(diss, stretch(1000, 100, 1250))
  const joined = await relay.getSongListDetail({ disstid: '7700000001', offset: 900, limit: 200 })
  t.same(numbers(joined), Array.from({ length: 200 }, (_, at) => 901 + at))
  t.match(demo.calls(sibling)[0]?.body, { req_0: { param: { song_begin: 900, song_num: 100 } } })

  demo.reset()
  demo.next(diss, { code: 500003 })
  await relay.getSongListDetail({ disstid: '7700000001', offset: 1000, limit: 50 })
  t.same(demo.received.map(({ calls }) => calls[0]), [diss, wholeDetail])
})

test('a long playlist is whole, however few songs the upstream sends at a time', async ({ t, demo, relay }) => {
  const mids = ({ songlist }: PlaylistDetail): string[] => songlist.map(({ songmid }) => songmid)
  const whole = await relay.getSongListDetail({ disstid: '7700000005' })
  t.equal(whole.songnum, 420)
  t.equal(whole.songlist.length, 420)
  demo.next(diss, { mutate: (answer: any) => { Object.assign(answer.data, { songlist: answer.data.songlist.slice(0, 10), hasmore: 1 }) } }, Infinity)
  t.same(mids(await relay.getSongListDetail({ disstid: '7700000005', limit: 45 })), mids(whole).slice(0, 45), 'ten at a time')
  demo.reset()
  demo.next(diss, { mutate: (answer: any) => { Object.assign(answer.data, { songlist: answer.data.songlist.slice(0, 10), hasmore: 1 }) } })
  for (const source of sources) demo.next(source, { mutate: (answer: any) => { if (source === diss || source === sibling) answer.data = {}; else Object.assign(answer, { cdlist: [], data: {} }) } })
  t.match(await relay.getSongListDetail({ disstid: '7700000005', limit: 45 }), { songnum: 420, songlist: { length: 10 } }, 'a list that was there is not called missing when the rest of it cannot be had')
  demo.reset()
  demo.next(diss, { mutate: (answer: any) => { delete answer.data.songlist[1].title; delete answer.data.songlist[1].name } })
  t.same(mids(await relay.getSongListDetail({ disstid: '7700000005', limit: 5 })), mids(whole).slice(0, 5).filter((_, at) => at !== 1), 'a bad row costs itself only')
  t.same(mids(await relay.getSongListDetail({ disstid: '7700000005', offset: 500 })), [])
})

test('an unknown playlist, and one that is not public, is not found; an empty one is empty', async ({ t, demo, server }) => {
  for (const disstid of ['7700000002', '7700000003', '12', '0', '9007199254740993', '9999999999999999999']) {
    demo.reset()
    const { status, body } = await server.get(`/getSongListDetail?disstid=${disstid}`)
    t.match({ status, ...body }, { status: 404, code: 'NOT_FOUND', error: new RegExp(`The playlist ${disstid} .*not public`) })
    t.equal(demo.received.length, disstid.length > 15 ? 0 : sources.length, 'all sources are asked')
  }
  t.match((await server.get('/getSongListDetail/7700000004')).body.data, { songnum: 0, songlist: [] })
})

test('a playlist that its owner hides is said to be hidden, whichever source says so, and not shown as an empty one', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { tuning: { fallbackFailures: 1000 } })
  const hidden = { status: 404, body: { code: 'NOT_FOUND', error: /^The playlist 7700000501 is hidden by its owner\./ } }
  t.match(await server.get('/getSongListDetail/7700000501'), hidden)
  t.equal(demo.received.length, 1, 'the first one that says so is believed')
  for (const source of [diss, sibling, wholeDetail]) demo.next(source, { code: 500003 })
  t.match(await server.get('/getSongListDetail/7700000501'), hidden)
  const { body: { data } } = await server.post('/batchGetSongLists', { disstid: '7700000501,7700000004' })
  t.match(data, [{ disstid: '7700000501', code: 'NOT_FOUND', error: /hidden by its owner/ }, { songnum: 0 }])
  demo.next(diss, { mutate: (answer: any) => { answer.data.dirinfo.title = '歌单被主人设为隐私' } })
  t.match(await server.get('/getSongListDetail/7700000001?limit=1'), { status: 200, body: { data: { songlist: { length: 1 } } } }, 'one of this name with songs is a playlist')
})

test('an expired cookie is told of, also where a playlist is public', async ({ t, demo, server }) => {
  demo.next(diss, { code: 1000 })
  t.match(await server.get('/getSongListDetail/7700000001', { headers: { 'x-custom-cookie': cookieOf(demo, 'expired') } }), { status: 502, body: { code: 'COOKIE_REJECTED' } })
})

test('new albums have their singers and days, over HTTP and through the library', async ({ t, demo, relay, server }) => {
  const found = await relay.getNewDisks({ limit: 5, page: 2 })
  t.equal(found.albums.length, 5)
  t.ok(found.albums.every(({ albumName, singerName, publicTime, albumPic }) => albumName !== '' && singerName !== '' && /^\d{4}-\d\d-\d\d$/.test(publicTime) && albumPic.startsWith(`${demo.origin}/music/photo_new/T002R300x300M000`)))
  const body = demo.received[0]?.body as any
  t.same(body.req_0, { module: 'newalbum.NewAlbumServer', method: 'get_new_album_info', param: { area: 1, start: 5, num: 5 } })
  t.same((await server.get('/getNewDisks?limit=5&page=2')).body, { code: 0, msg: 'ok', data: found })
  t.same(await relay.getNewDisks({ page: 0 }), await relay.getNewDisks({ page: 1 }))
  demo.next(newAlbum, { code: 500003 })
  t.match(await server.get('/getNewDisks'), { status: 502, body: { code: 'UPSTREAM_REFUSED' } })
  demo.next(newAlbum, { mutate: (answer) => { answer.data.albums = [] } })
  t.match(await server.get('/getNewDisks'), { status: 502, body: { code: 'UPSTREAM_EMPTY' } }, 'no row on the first page of 55')
  t.match(await server.get('/getNewDisks?page=99'), { status: 200, body: { data: { total: 55, albums: [] } } })
})

/** The id of each element of a batch, and whether it failed. */
const outline = (batch: PlaylistBatch): string[] => batch.map((element) =>
  `${'categoryId' in element ? element.categoryId : element.disstid} ${'error' in element ? element.code : 'playlists' in element ? element.playlists.length : element.songlist.length}`)

test('a batch holds its categories and then its playlists, each as its own endpoint answers', async ({ t, demo, relay, server }) => {
  const { status, body } = await server.post('/batchGetSongLists', { categoryIds: [165, 10000000], page: 1, limit: 4, sortId: 2, disstid: '7700000001, 7700000005' })
  t.equal(status, 200)
  t.equal(body.status, 200)
  t.same(body.data, [
    await relay.getSongLists({ categoryId: 165, page: 1, limit: 4, sortId: 2 }),
    await relay.getSongLists({ page: 1, limit: 4, sortId: 2 }),
    await relay.getSongListDetail({ disstid: '7700000001' }),
    await relay.getSongListDetail({ disstid: '7700000005' })
  ])
  for (const [asked, expected] of [
    [undefined, ['10000000 19']], [{}, ['10000000 19']], [{ limit: 2 }, ['10000000 2']], [{ categoryIds: [6, 6], limit: 1 }, ['6 1', '6 1']], [{ categoryIds: [] }, []], [{ disstid: '7700000004' }, ['7700000004 0']]
  ] as const) t.same(outline((await server.post('/batchGetSongLists', asked)).body.data), expected, JSON.stringify(asked))
  demo.reset()
  await relay.batchGetSongLists()
  t.match(demo.received[0]?.query, { categoryId: '10000000', sortId: '5', sin: '0', ein: '18' })
})

/** Makes every request for this category fail. */
const refuse = (demo: DemoUpstream, categoryId: number): void => {
  demo.next(byTag, { mutate: (answer: any) => answer.data.categoryId === categoryId ? { code: 4, subcode: 4, message: 'category closed' } : answer }, Infinity)
}

test('what fails in a batch stays in its place and says why', async ({ t, demo, server }) => {
  refuse(demo, 6)
  const { status, body } = await server.post('/batchGetSongLists', { categoryIds: [165, 6, 15], limit: 2, disstid: '7700000002,7700000001' })
  t.equal(status, 200)
  t.same(outline(body.data), ['165 2', '6 UPSTREAM_REFUSED', '15 2', '7700000002 NOT_FOUND', '7700000001 55'])
  t.match(body.data[1], { categoryId: 6, error: /code 4 "category closed"/ })
  t.same(outline((await server.post('/batchGetSongLists', { categoryIds: [6], disstid: '7700000002' })).body.data), ['6 UPSTREAM_REFUSED', '7700000002 NOT_FOUND'], 'even when all fail')
})

test('a batch fails as a whole only when the upstream is away for all of it', async ({ t, demo, server }) => {
  const hasty = await serverFor(t, demo, { deadlineMs: 2000 })
  const asked = { categoryIds: [6, 165], disstid: '7700000001' }
  const all = [byTag, ...sources]
  for (const [fault, status, code] of [[{ status: 500 }, 502, 'UPSTREAM_UNREACHABLE'], [{ body: '<html>' }, 502, 'UPSTREAM_UNREADABLE'], [{ hang: true }, 504, 'UPSTREAM_TIMEOUT']] as const) {
    demo.reset()
    for (const call of all) demo.next(call, fault, Infinity)
    const asking = 'hang' in fault ? hasty : server
    t.match(await asking.post('/batchGetSongLists', asked), { status, body: { code } }, JSON.stringify(fault))
    demo.reset()
    demo.next(byTag, fault, Infinity)
    t.same(outline((await asking.post('/batchGetSongLists', asked)).body.data), [`6 ${code}`, `165 ${code}`, '7700000001 55'])
  }
})

t.test('a batch asks for at most five things at a time', async (t) => {
  const demo = await demoFor(t, { latencyMs: 40 })
  const batch = await relayFor(t, demo).batchGetSongLists({ categoryIds: Array.from({ length: 50 }, (_, at) => at), limit: 100 })
  t.equal(batch.length, 50)
  t.equal(demo.maxInFlight(byTag), 5)
})
