/**
 * Playlists: summaries, categories, songs and new albums in exact pages; batches in which one failure affects no other
 * element.
 */
import t from 'tap'
import type { PlaylistBatch, PlaylistDetail, PlaylistPage } from '../../schemas/playlists.ts'
import { gbkEncoder } from '../../src/demo/gbk.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { checkRecord, commOf, cookieOf, demoFor, sample, sampleText, serverFor, subAnswers, withoutSamples } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'

const byTag = '/splcloud/fcgi-bin/fcg_get_diss_by_tag.fcg'
const square = 'playlist.PlayListPlazaServer/get_playlist_by_tag'
const tagConf = '/splcloud/fcgi-bin/fcg_get_diss_tag_conf.fcg'
const gatewayTags = 'playlist.PlaylistAllCategoriesServer/get_all_categories'
const diss = 'music.srfDissInfo.DissInfo/CgiGetDiss'
const sibling = 'music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo'
const wholeDetail = '/v8/fcg-bin/fcg_v8_playlist_cp.fcg'
const classicDetail = '/qzone-music/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg'
/** The same in another folder, for the caller's own lists only. */
const ownDetail = '/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg'
const sources = [diss, sibling, wholeDetail, classicDetail, ownDetail]
const newAlbum = 'newalbum.NewAlbumServer/get_new_album_info'

const faults = [{ code: 500003 }, { body: '<html>no entry</html>' }, { status: 404 }, { status: 500 }] as const
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

test('pages of playlists joined have no gap and no overlap', async ({ t, demo, relay }) => {
  const join = async (categoryId: number, limit: number): Promise<string[]> => {
    const joined: string[] = []
    for (let page = 0; ; page++) {
      const found = await relay.getSongLists({ categoryId, limit, page })
      t.ok(found.playlists.length <= limit)
      joined.push(...ids(found))
      if ((page + 1) * limit >= found.sum) return joined
    }
  }
  const whole = await join(10000000, 50)
  t.equal(new Set(whole).size, 498)
  for (const limit of [33, 53, 77, 86, 100]) t.same(await join(10000000, limit), whole, `limit ${limit}`)
  demo.next(byTag, { code: 500003 }, Infinity)
  for (const limit of [50, 77, 86]) t.same(await join(10000000, limit), whole, `square, limit ${limit}`)
  demo.reset()
  t.same((await relay.getSongLists({ page: 400 })).playlists, [])
  t.equal(demo.received.length, 1, 'the end of a list is believed')
})

test('an empty list is asked for once more with a charset, and "all" then at the square', async ({ t, demo, relay }) => {
  const healthy = await relay.getSongLists({ limit: 5, page: 2 })
  demo.reset()
  demo.next(byTag, emptied)
  t.same(await relay.getSongLists({ limit: 5, page: 2 }), healthy)
  t.same(demo.calls(byTag).map(({ query }) => query['outCharset']), [undefined, 'utf-8'])
  t.match(demo.calls(square)[0]?.body, { comm: { ct: 20, cv: 1602 }, req_0: { param: { id: 10000000, sin: 10, size: 5, order: 5, cur_page: 3 } } })
  for (const fault of faults) {
    demo.reset()
    demo.next(byTag, fault, 'status' in fault && fault.status === 500 ? 1 : 2)
    t.same(await relay.getSongLists({ limit: 5, page: 2 }), healthy, JSON.stringify(fault))
  }
  demo.reset()
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

test('every source answers the same playlist', async ({ t, demo }) => {
  const relay = relayFor(t, demo, { tuning: { fallbackFailures: 1000 } })
  for (const asked of [{ disstid: '7700000001' }, { disstid: '7700000005', offset: 37, limit: 150 }, { disstid: '7700000005', offset: 410 }, { disstid: '7700000004' }]) {
    demo.reset()
    const healthy = await relay.getSongListDetail(asked)
    for (let dead = 1; dead < sources.indexOf(ownDetail); dead++) {
      for (const fault of faults.slice(0, 3)) {
        demo.reset()
        for (const source of sources.slice(0, dead)) demo.next(source, fault, Infinity)
        t.same(await relay.getSongListDetail(asked), healthy, `${dead} dead of ${JSON.stringify(fault)}`)
      }
    }
  }
  const own = { cookie: cookieOf(demo, 'ordinary') }
  demo.reset()
  const healthy = await relay.getSongListDetail({ disstid: '7700000012', limit: 5 })
  for (const source of sources) if (source !== ownDetail) demo.next(source, { code: 500003 }, Infinity)
  t.same(await relay.getSongListDetail({ disstid: '7700000012', limit: 5 }, own), healthy, 'the last one answers the owner')
  await t.rejects(relay.getSongListDetail({ disstid: '7700000012', limit: 5 }), { code: 'UPSTREAM_REFUSED' } as any, 'its refusal of others says nothing about the list')

  demo.reset()
  for (const source of [diss, sibling]) demo.next(source, { code: 500003 }, Infinity)
  demo.next(wholeDetail, { code: -1 })
  await relay.getSongListDetail({ disstid: '7700000005', offset: 10, limit: 20 })
  t.match(demo.calls(sibling)[0]?.body, { req_0: { param: { disstid: 7700000005, enc_host_uin: '', song_begin: 10, song_num: 20 } } })
  const referer = 'https://y.qq.com/n/yqq/playlist'
  t.match(demo.calls(classicDetail)[0], { query: { disstid: '7700000005', type: '1', json: '1', utf8: '1', onlysong: '0', new_format: '1', song_begin: '10', song_num: '20', outCharset: 'utf-8' }, headers: { referer } })
  t.same(demo.calls(wholeDetail)[0]?.query, { id: '7700000005', newsong: '1', format: 'json', platform: 'yqq', inCharset: 'utf8', outCharset: 'utf-8' })
  t.equal(demo.calls(wholeDetail)[0]?.headers['referer'], referer)
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
  for (const limit of [17, 100, 333]) {
    const joined: string[] = []
    for (let offset = 0; offset < 420; offset += limit) joined.push(...mids(await relay.getSongListDetail({ disstid: '7700000005', offset, limit })))
    t.same(joined, mids(whole), `limit ${limit}`)
  }
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

test('what the upstream says of a playlist that is no answer is said on', async ({ t, demo, server, hasty }) => {
  const path = '/getSongListDetail/7700000001'
  for (const source of sources) demo.next(source, { code: 2000 })
  t.match(await server.get(path), { status: 502, body: { code: 'UPSTREAM_REFUSED' } })
  demo.next(diss, { hang: true })
  t.match(await hasty.get(path), { status: 504, body: { code: 'UPSTREAM_TIMEOUT' } })
  demo.next(diss, { code: 1000 })
  const cookie = cookieOf(demo, 'expired')
  t.match(await server.get(path, { headers: { 'x-custom-cookie': cookie } }), { status: 502, body: { code: 'COOKIE_REJECTED' } })
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

test('pages of new albums joined have no gap and no overlap', async ({ t, demo, relay }) => {
  const whole = (await relay.getNewDisks({ limit: 100 })).albums
  t.equal(new Set(whole.map(({ albumID }) => albumID)).size, 55)
  // An upstream that sends at most eight is asked again.
  for (const most of [100, 8]) {
    demo.reset()
    demo.next(newAlbum, { mutate: (answer: any) => { answer.data.albums = answer.data.albums.slice(0, most) } }, Infinity)
    for (const limit of [7, 20, 54]) {
      const joined = []
      for (let page = 1; (page - 1) * limit < 55; page++) joined.push(...(await relay.getNewDisks({ limit, page })).albums)
      t.same(joined, whole, `limit ${limit}, ${most} at most`)
    }
  }
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

test('pages of a batch joined have no gap and no overlap', async ({ t, relay }) => {
  const [whole] = await relay.batchGetSongLists({ categoryIds: [6], limit: 100 }) as PlaylistPage[]
  for (const limit of [1, 7, 19]) {
    const joined: string[] = []
    for (let page = 0; page * limit < (whole?.sum ?? 0); page++) joined.push(...(await relay.batchGetSongLists({ categoryIds: [6], limit, page }) as PlaylistPage[]).flatMap(ids))
    t.same(joined, ids(whole as PlaylistPage), `limit ${limit}`)
  }
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

test('bad input is refused by name, before anything is asked', async ({ t, demo, server }) => {
  const refused = (reply: { status: number, body: any }, field: string, what: string): void => {
    t.match({ status: reply.status, ...reply.body }, { status: 400, code: 'INVALID_INPUT', error: new RegExp(`^${field}`) }, what)
  }
  for (const [path, field] of [
    ['/getSongLists?categoryId=-1', 'categoryId'], ['/getSongLists?categoryId=pop', 'categoryId'], ['/getSongLists?sortId=0', 'sortId'], ['/getSongLists?sortId=6', 'sortId'],
    ['/getSongLists?limit=101', 'limit'], ['/getSongLists?page=-1', 'page'], ['/getSongListDetail', 'disstid'], ['/getSongListDetail?disstid=', 'disstid'], ['/getSongListDetail/12a', 'disstid'],
    ['/getSongListDetail?disstid=12345678901234567890', 'disstid'], ['/getSongListDetail?disstid=1&limit=1001', 'limit'], ['/getSongListDetail?disstid=1&offset=100001', 'offset'],
    ['/getNewDisks?limit=0', 'limit'], ['/getNewDisks?page=10001', 'page']
  ] as const) refused(await server.get(path), field, path)
  const fifty = Array.from({ length: 50 }, (_, at) => at)
  for (const [body, field] of [
    [{ categoryIds: '6' }, 'categoryIds'], [{ categoryIds: ['6'] }, 'categoryIds\\[0\\]'], [{ categoryIds: [6.5] }, 'categoryIds\\[0\\]'], [{ categoryIds: [null] }, 'categoryIds\\[0\\]'], [{ categoryIds: [...fifty, 50] }, 'categoryIds: .*50'],
    [{ categoryIds: fifty, disstid: '1' }, 'categoryIds: .*disstid.*50'], [{ disstid: 7700000001 }, 'disstid'], [{ disstid: '1,,2' }, 'disstid'], [{ disstid: '1;2' }, 'disstid'],
    [{ disstid: Array.from({ length: 51 }, () => '1').join() }, 'disstid: .*50'], [{ limit: '5' }, 'limit'], [{ limit: 101 }, 'limit'], [{ page: -1 }, 'page'], [{ sortId: 9 }, 'sortId'], [[], 'body']
  ] as const) refused(await server.post('/batchGetSongLists', body), field, JSON.stringify(body).slice(0, 60))
  t.equal(demo.received.length, 0)
})

test('real lists of playlists are read', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  demo.next(byTag, { body: sampleText('getSongLists.json') })
  const found = await relay.getSongLists({ limit: 30 })
  t.equal(found.sum, 5209)
  t.same(found.playlists.map(({ dissid, listen_num }) => [dissid, listen_num]), [['2388868886', 18327], ['1769770161', 78759], ['1176858708', 23856], ['1188783193', 16432]])
  t.ok(found.playlists.every(({ imgurl, creator }) => imgurl.startsWith('https://') && creator.length === 5))
  t.notMatch(JSON.stringify(found), /fakeEuin|10000000\d\d/)

  demo.next(byTag, { body: sampleText('batchGetSongLists.json') })
  const batch = await relay.batchGetSongLists({ limit: 30 })
  t.match(batch, [{ categoryId: 10000000, sum: 5523, playlists: [{ dissid: '891964140', listen_num: 806282 }, { dissid: '2048723012' }, { dissid: '3663979435' }] }])

  demo.next(byTag, { code: 1 }, 2)
  demo.next(square, { mutate: () => subAnswers('getSongLists.plaza.json')[0] })
  const plaza = await relay.getSongLists({ limit: 3 })
  t.equal(plaza.sum, 747)
  t.same(plaza.playlists.map(({ dissid, listen_num }) => [dissid, listen_num]).slice(0, 2), [['6975481262', 19652], ['4180513374', 59797]])
  t.notMatch(JSON.stringify(plaza), /10000000\d\d"/)

  demo.next(tagConf, { body: sampleText('getSongListCategories.json') })
  const { categories } = await relay.getSongListCategories()
  checkRecord('getSongListCategories', { categories })
  t.equal(categories.length, sample('getSongListCategories.json').data.categories.flatMap((group: any) => group.items).length)
  t.same(categories.slice(0, 3).map(({ id }) => id), [10000000, 165, 167])
  t.equal(categories.find(({ id }) => id === 8)?.name, 'R&B')
})

test('real playlists are read, in every form that was seen', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  const detail = async (limit: number): Promise<PlaylistDetail> => {
    const found = await relay.getSongListDetail({ disstid: '7700000001', limit })
    t.notMatch(JSON.stringify(found), /fakeEuin|192\.0\.2|10000000\d\d/, 'nothing private')
    return found
  }
  demo.next(diss, { mutate: () => subAnswers('getSongListDetail.json')[0] })
  const newest = await detail(3)
  t.match(newest, { songnum: 30, listen_num: 0, imgurl: /^https:/, songlist: [{ songid: 696262512, songmid: '002AZauQ1UKQxe', interval: 210, albumid: 96350322, vid: '002LY1bM2uks1Y' }, {}, {}] })
  t.equal(newest.dissname.length, 5)

  demo.next(diss, { code: 500003 }, Infinity)
  demo.next(sibling, { mutate: () => subAnswers('getSongListDetail.uniform.json')[0] })
  t.match(await detail(50), { songnum: 1, songlist: [{ songid: 443993, media_mid: '000tDTCi0tbNGQ', albummid: '002RLd9D4RcjhT' }] })

  for (const source of [sibling, wholeDetail]) demo.next(source, { code: 500003 }, Infinity)
  demo.next(classicDetail, { body: sampleText('getSongListDetail.legacy.json') })
  const old = await detail(4)
  t.match(old, { songnum: 31, listen_num: 23092, songlist: [{ songid: 5184132, songmid: '0020Nusr2RXcGV', albumid: 456549, vid: 'n00163ni28p' }, {}, {}, {}] })
  t.equal(old.desc.length, 124)
  demo.next(classicDetail, { body: sampleText('getSongListDetail.legacy-new-format.json') })
  t.match(await detail(3), { songnum: 31, songlist: [{ songid: 696262512 }, {}, {}] })

  for (const file of ['getSongListDetail.hidden.json', 'getSongListDetail.subcode4000.json']) {
    demo.next(classicDetail, { body: sampleText(file) })
    await t.rejects(relay.getSongListDetail({ disstid: '7700000001' }), { code: 'NOT_FOUND' } as any, file)
  }
})

test('real new albums are read', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  demo.next(newAlbum, { mutate: () => subAnswers('getNewDisks.json')[0] })
  const found = await relay.getNewDisks({ limit: 2 })
  t.equal(found.total, 4499)
  t.match(found.albums[0], { albumID: 99271794, albumMID: '000qNWwz2c9cVj', publicTime: '2026-08-06', singerName: /^[^/]+\/[^/]+$/, albumPic: /000qNWwz2c9cVj_1\.jpg$/ })
  t.equal(found.albums.length, 2)
})
