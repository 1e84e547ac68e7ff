/** Singers: filters in this relay's numbers, pages without gap or overlap, descriptions from two sources. */
import { commOf, dead, paramOf } from '../support/helper.ts'
import { test } from '../support/stage.ts'

const list = 'music.musichallSinger.SingerList/GetSingerListIndex'
const listOlder = 'Music.SingerListServer/get_singer_list'
const listWhole = 'music.musichallSinger.SingerList/GetSingerList'
const detail = 'music.musichallSinger.SingerInfoInter/GetSingerDetail'
const wiki = '/splcloud/fcgi-bin/fcg_get_singer_desc.fcg'
const similar = 'music.SimilarSingerSvr/GetSimilarSingerList'
const similarClassic = '/v8/fcg-bin/fcg_v8_simsinger.fcg'
const fans = '/rsc/fcgi-bin/fcg_order_singer_getnum.fcg'
const page = 'music.web_singer_info_svr/get_singer_detail_info'
const homepage = 'music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageHeader'

test('the list of singers has names, MIDs, pictures and the choices of each filter', async ({ t, demo, relay, server }) => {
  const { status, body } = await server.get('/getSingerList')
  t.equal(status, 200)
  t.same([body.code, body.data.singers.length, body.data.total, body.data.page, body.data.limit], [0, 80, 220, 1, 80])
  t.equal(demo.calls(list).length, 1, 'the default page is one page of the upstream')
  for (const singer of body.data.singers) {
    t.match(singer, { singerName: /./, singerMID: /^00DemoSing\d{4}$/ })
    t.ok(singer.singerPic.startsWith(demo.origin))
  }
  t.same(body.data.tags.sex.map((tag: { id: number }) => tag.id), [-1, 1, 2, 3])
  t.same(new Set(body.data.tags.area.map((tag: { id: number }) => tag.id)), new Set([-1, 1, 2, 3, 4, 5, 6]))
  t.same(body.data, await relay.getSingerList({}))
})

test('filters are given in this relay\'s numbers and asked in the upstream\'s', async ({ t, demo, relay }) => {
  const asked = async (input: object): Promise<number[]> => {
    demo.reset()
    await relay.getSingerList(input)
    const { area, sex, genre } = paramOf(demo.received[0])
    return [area, sex, genre]
  }
  t.same(await asked({}), [-100, -100, -100])
  for (const [area, upstream] of [[1, 200], [2, 2], [3, 5], [4, 3], [5, 4], [6, 6], [200, 200], [-100, -100]] as const) t.same(await asked({ area }), [upstream, -100, -100])
  for (const [sex, upstream] of [[0, 0], [1, 0], [2, 1], [3, 2], [-100, -100]] as const) t.same(await asked({ sex }), [-100, upstream, -100])
  for (const [genre, upstream] of [[1, 7], [2, 4], [3, 8], [4, 2], [5, 14], [6, 3], [7, 7], [8, 11], [9, 93], [10, 37], [11, 11], [13, 13], [14, 33], [19, 19], [20, 10], [25, 13], [33, 33], [37, 37], [93, 93]] as const) t.same(await asked({ genre }), [-100, -100, upstream])
  t.same(paramOf(demo.received[0]), { area: -100, sex: -100, genre: 93, index: -100, sin: 0, cur_page: 1 })
  const filtered = await relay.getSingerList({ area: 3, sex: 3, limit: 100 })
  t.ok(filtered.total > 0 && filtered.total < 40)
  t.equal(filtered.singers.length, filtered.total)
})

test('pages of singers joined have no gap and no overlap, whatever their size', async ({ t, demo, relay }) => {
  let all: string[] = []
  for (const limit of [100, 80, 33, 7]) {
    const joined: string[] = []
    for (let number = 1; joined.length < 220; number++) {
      const { singers } = await relay.getSingerList({ page: number, limit })
      t.ok(singers.length === limit || joined.length + singers.length === 220)
      joined.push(...singers.map((singer) => singer.singerMID))
    }
    t.equal(new Set(joined).size, 220, `limit ${limit}`)
    if (all.length === 0) all = joined
    t.same(joined, all)
  }
  t.same((await relay.getSingerList({ page: 0, limit: 5 })).singers, (await relay.getSingerList({ page: 1, limit: 5 })).singers)
  t.same((await relay.getSingerList({ page: 9999 })).singers, [])
  demo.reset()
  await relay.getSingerList({ page: 2, limit: 70 })
  t.same(demo.received.map(paramOf).map(({ sin, cur_page }) => [sin, cur_page]), [[0, 1], [80, 2]])
})

test('older lists stand in for the newer', async ({ t, demo, relay }) => {
  const mids = async (): Promise<string[]> => (await relay.getSingerList({ page: 2, limit: 60 })).singers.map((singer) => singer.singerMID)
  const whole = await mids()
  for (const fault of dead) {
    demo.next(list, fault, 2)
    t.same(await mids(), whole)
    t.same(paramOf(demo.calls(listOlder).at(-1)), { area: -100, sex: -100, genre: -100, index: -100, sin: 80, cur_page: 2 })
  }
  demo.next(list, { code: 500003 }, 2)
  demo.next(listOlder, { code: 500003 }, 2)
  t.same(await mids(), whole)
  t.same(paramOf(demo.calls(listWhole).at(-1)), { hastag: 0, area: -100, sex: -100, genre: -100 })
  demo.next(list, { mutate: (answer) => { answer.data = { singerlist: null, tags: null } } })
  t.equal((await relay.getSingerList({ limit: 1 })).singers.length, 1)
})

test('a description comes from the newer call when it has one', async ({ t, demo, server }) => {
  const { body } = await server.get('/getSingerDesc?singermid=00DemoSing0003')
  t.match(body.data, { singerMID: '00DemoSing0003', singerName: '云野铃', foreignName: 'Yun Yeling', birth: /年/, birthPlace: /Bay/, desc: /^云野铃 is .*\nFormed/ })
  t.same(body.data.basic.at(-1), { key: '代表作品', value: '《无人码头》<demo> & more' })
  t.equal(demo.received.length, 1)
  t.same(paramOf(demo.received[0]), { singer_mids: ['00DemoSing0003'], ex_singer: 1, wiki_singer: 1, group_singer: 1, pic: 1, photos: 0 })
  t.equal(commOf(demo.received[0]).ct, 24, 'the phone program is not served here')
  const single = await server.get('/getSingerDesc?singermid=00DemoSing0004')
  t.same(single.body.data.basic, [{ key: '职业', value: 'Kettle tuner & "singer"' }], 'one fact is a list of one')
  const group = await server.get('/getSingerDesc?singermid=00DemoSing0001')
  t.match(group.body.data, { birth: /年/, birthPlace: /Bay/ })
  t.same(group.body.data.basic.find(({ key }: { key: string }) => key === '成立日期').value, group.body.data.birth)
  const short = await server.get('/getSingerDesc?singermid=00DemoSing0005')
  t.match(short.body.data, { desc: /invented act/, birth: '1990-02-03', birthPlace: '', basic: [] })
})

test('a description that the newer call keeps back comes from the old XML', async ({ t, demo, relay }) => {
  const old = await relay.getSingerDesc({ singermid: '00DemoSing0007' })
  t.match(old, { desc: /Formed in a kitchen/, birth: /年/, singerName: /./ })
  t.match(demo.calls(wiki)[0], { query: { singermid: '00DemoSing0007', utf8: '1', outCharset: 'utf-8', format: 'xml' }, headers: { referer: 'https://y.qq.com/' } })
  const commented = await relay.getSingerDesc({ singermid: '00DemoSing0017' })
  t.match(commented.desc, /Formed in a kitchen/)

  const expected = await relay.getSingerDesc({ singermid: '00DemoSing0003' })
  demo.reset()
  demo.next(detail, { code: 10006 })
  t.same(await relay.getSingerDesc({ singermid: '00DemoSing0003' }), expected)
  t.same(demo.calls(detail).map(paramOf)[1], { singer_mids: ['00DemoSing0003'], pic: 1 })
  t.equal(demo.calls(wiki).length, 1)

  for (const fault of dead) {
    demo.next(detail, fault, 2)
    t.match(await relay.getSingerDesc({ singermid: '00DemoSing0003' }), { desc: expected.desc, birth: expected.birth, basic: expected.basic, singerName: '云野铃', singerPic: /00DemoSing0003/ })
  }
})

test('a singer without any text is a name and a picture; one whose text could not be had is an error', async ({ t, demo, relay }) => {
  const plain = await relay.getSingerDesc({ singermid: '00DemoSing0010' })
  t.match(plain, { desc: '', birth: '', birthPlace: '', basic: [], singerName: /./ })
  demo.next(wiki, { status: 500 })
  t.same(await relay.getSingerDesc({ singermid: '00DemoSing0010' }), plain)
  demo.reset()
  demo.next(detail, { code: 10006 })
  demo.next(wiki, { body: '<result><code>-1</code></result>' })
  t.same(await relay.getSingerDesc({ singermid: '00DemoSing0010' }), plain, 'whom the newer call knows, the old one cannot deny')
  demo.next(detail, { code: 10006 })
  demo.next(wiki, { body: 'no XML at all' })
  await t.rejects(relay.getSingerDesc({ singermid: '00DemoSing0010' }), { code: 'UPSTREAM_UNREADABLE' })
  demo.next(detail, { code: 500003 }, 2)
  await t.rejects(relay.getSingerDesc({ singermid: '00DemoSing0010' }), { code: 'UPSTREAM_EMPTY' })
  demo.next(detail, { code: 500003 }, 2)
  await t.rejects(relay.getSingerDesc({ singermid: 'nobody' }), { code: 'NOT_FOUND' })
})

test('similar singers come with pictures; there may be none', async ({ t, demo, server }) => {
  const { body } = await server.get('/getSimilarSinger?singermid=00DemoSing0001')
  t.equal(body.data.singers.length, 10)
  t.match(body.data.singers[0], { singerMID: '00DemoSing0008', singerId: 900008, singerName: /./, singerPic: /T001R150x150/ })
  t.same(paramOf(demo.received[0]), { singerMid: '00DemoSing0001', number: 10 })
  for (const fault of dead) {
    demo.next(similar, fault)
    const older = await server.get('/getSimilarSinger?singermid=00DemoSing0001')
    t.same(older.body.data.singers.map((singer: { singerMID: string }) => singer.singerMID), body.data.singers.map((singer: { singerMID: string }) => singer.singerMID))
    t.match(older.body.data.singers[0].singerPic, /T001R300x300M00000DemoSing0008/)
  }
  t.match(demo.calls(similarClassic)[0]?.query, { singer_mid: '00DemoSing0001', start: '0', num: '10', utf8: '1', format: 'json', outCharset: 'utf-8' })
  t.same((await server.get('/getSimilarSinger?singermid=00DemoSing0009')).body.data, { singers: [] })
})

test('the number of followers has three sources', async ({ t, demo, server }) => {
  const path = '/getSingerStarNum?singermid=00DemoSing0001'
  const { body } = await server.get(path)
  t.match(body.data, { singermid: '00DemoSing0001', status: 0 })
  t.ok(body.data.num > 0)
  t.same(demo.received.map(({ calls }) => calls), [[page]])
  t.same(paramOf(demo.calls(page)[0]), { sort: 5, singermid: '00DemoSing0001', sin: 0, num: 1 })
  for (const fault of dead) {
    demo.next(page, fault)
    t.same((await server.get(path)).body, body)
  }
  t.match(demo.calls(fans)[0], { host: 'c.y.qq.com', path: fans, query: { singermid: '00DemoSing0001', utf8: '1', format: 'json', outCharset: 'utf-8', rnd: /^\d{13}$/ }, headers: { referer: 'https://y.qq.com/' } })
  demo.next(page, { code: 500003 })
  demo.next(fans, { mutate: (answer: any) => { answer.num = 0 } })
  t.same((await server.get(path)).body, body)
  t.same(paramOf(demo.calls(homepage)[0]), { SingerMid: '00DemoSing0001' })
  t.match(commOf(demo.calls(homepage)[0]), { ct: 11, tmeAppID: /./ })
  const { cookie } = demo.accounts[0] as { cookie: string }
  t.equal((await server.get(path, { headers: { 'x-custom-cookie': cookie } })).body.data.status, 1, 'the account of the cookie follows')
})

test('an unknown singer is 404', async ({ t, demo, server }) => {
  const { cookie } = demo.accounts[0] as { cookie: string }
  for (const path of ['getSingerDesc', 'getSingerHotsong', 'getSingerAlbum', 'getSimilarSinger', 'getSingerStarNum']) {
    for (const headers of [{}, { 'x-custom-cookie': cookie }]) {
      const { status, body } = await server.get(`/${path}?singermid=nobody`, { headers })
      t.same([status, body.code], [404, 'NOT_FOUND'], path)
    }
  }
  t.same((await server.get('/getSingerMv?singermid=nobody')).body.data, { total: 0, list: [] }, 'of MVs the upstream does not know it')
})

test('when every call fails, the answer is 502', async ({ t, demo, relay }) => {
  for (const name of [list, listOlder, listWhole, similar]) demo.next(name, { code: 500003 })
  demo.next(similarClassic, { status: 500 }, 2)
  await t.rejects(relay.getSingerList({}), { code: 'UPSTREAM_REFUSED', statusCode: 502 })
  await t.rejects(relay.getSimilarSinger({ singermid: '00DemoSing0001' }), { code: 'UPSTREAM_REFUSED' })
  demo.next(fans, { body: '{"code":0,"num":"many"}' })
  demo.next(page, { mutate: (answer) => { answer.data.singer_info.fans = 'many' } })
  demo.next(homepage, { code: 500003 })
  await t.rejects(relay.getSingerStarNum({ singermid: '00DemoSing0001' }), { code: 'UPSTREAM_UNREADABLE' })
})

test('bad input is refused, naming the field', async ({ t, demo, server }) => {
  const one = 'singermid=00DemoSing0001'
  const bad: [string, string][] = [
    ['/getSingerList?area=7', 'area: must be one of -1, 1'], ['/getSingerList?sex=4', 'sex: must be one of'], ['/getSingerList?genre=12', 'genre: must be one of'],
    ['/getSingerList?limit=101', 'limit:'], ['/getSingerList?limit=0', 'limit:'], ['/getSingerList?page=-1', 'page:'], ['/getSingerList?page=1e3', 'page:'],
    ...['getSingerDesc', 'getSingerHotsong', 'getSingerAlbum', 'getSingerMv', 'getSimilarSinger', 'getSingerStarNum'].flatMap((name): [string, string][] => [
      [`/${name}`, 'singermid: is required'], [`/${name}?singermid=a-b`, 'singermid: must be 1 to 32'], [`/${name}?singermid=`, 'singermid: is required']
    ]),
    ...['getSingerHotsong', 'getSingerAlbum', 'getSingerMv'].flatMap((name): [string, string][] => [[`/${name}?${one}&limit=101`, 'limit:'], [`/${name}?${one}&page=x`, 'page:']]),
    [`/getSingerMv?${one}&order=best`, 'order: must be one of time, listen']
  ]
  for (const [path, words] of bad) {
    const { status, body } = await server.get(path)
    t.same([status, body.code], [400, 'INVALID_INPUT'], path)
    t.ok(body.error.startsWith(words), `${path}: ${body.error}`)
  }
  t.equal(demo.received.length, 0)
})
