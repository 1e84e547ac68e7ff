/** Singers: filters in this relay's numbers, pages without gap or overlap, descriptions from two sources. */
import { commOf, cookieOf, dead, paramOf } from '../support/helper.ts'
import { test } from '../support/stage.ts'
import { fans, similarSingers as similar, singerDetail as detail, singerPage as page, singerWiki as wiki, singers as list } from '../support/wires.ts'

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

test('similar singers come with pictures; there may be none', async ({ t, demo, relay }) => {
  const { singers } = await relay.getSimilarSinger({ singermid: '00DemoSing0001' })
  t.equal(singers.length, 10)
  t.match(singers[0], { singerMID: '00DemoSing0008', singerId: 900008, singerName: /./, singerPic: /T001R150x150/ })
  t.same(paramOf(demo.received[0]), { singerMid: '00DemoSing0001', number: 10 })
  demo.next(similar, { code: 500003 })
  t.match((await relay.getSimilarSinger({ singermid: '00DemoSing0001' })).singers[0]?.singerPic, /T001R300x300M00000DemoSing0008/)
  t.same(await relay.getSimilarSinger({ singermid: '00DemoSing0009' }), { singers: [] })
})

test('the number of followers, and whether the account of the cookie follows', async ({ t, demo, relay }) => {
  const ask = async (options = {}) => await relay.getSingerStarNum({ singermid: '00DemoSing0001' }, options)
  const found = await ask()
  t.match(found, { singermid: '00DemoSing0001', status: 0 })
  t.ok(found.num > 0)
  t.same(demo.received.map(({ calls }) => calls), [[page]])
  t.same(paramOf(demo.calls(page)[0]), { sort: 5, singermid: '00DemoSing0001', sin: 0, num: 1 })
  demo.next(page, { code: 500003 })
  demo.next(fans, { mutate: (answer: any) => { answer.num = 0 } })
  t.same(await ask(), found, 'no follower at all is not believed')
  t.equal((await ask({ cookie: cookieOf(demo, 'ordinary') })).status, 1)
})
