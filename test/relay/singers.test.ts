/** Singers: filters in this relay's numbers, descriptions from two sources. Pages: pages.test.ts; fallbacks: stand-ins.test.ts. */
import { commOf, cookieOf, dead, paramOf } from '../support/helper.ts'
import { test } from '../support/stage.ts'
import { fans, similarSingers, singerDetail as detail, singerPage, singerWiki as wiki, singers as list } from '../support/wires.ts'

test('the list of singers has names, MIDs, pictures and the choices of each filter', async ({ t, demo, relay }) => {
  const { singers, total, page, limit, tags } = await relay.getSingerList({})
  t.same([singers.length, total, page, limit], [80, 220, 1, 80])
  t.equal(demo.calls(list).length, 1, 'the default page is one page of the upstream')
  t.ok(singers.every(({ singerName, singerMID, singerPic }) => singerName !== '' && /^00DemoSing\d{4}$/.test(singerMID) && singerPic.startsWith(demo.origin)))
  t.same(tags.sex.map(({ id }) => id), [-1, 1, 2, 3])
  t.same(new Set(tags.area.map(({ id }) => id)), new Set([-1, 1, 2, 3, 4, 5, 6]))
  demo.reset()
  await relay.getSingerList({ page: 2, limit: 70 })
  t.same(demo.received.map(paramOf).map(({ sin, cur_page }) => [sin, cur_page]), [[0, 1], [80, 2]])
})

test('filters are given in this relay\'s numbers and asked in the upstream\'s', async ({ t, demo, relay }) => {
  const numbers = {
    area: { 1: 200, 2: 2, 3: 5, 4: 3, 5: 4, 6: 6, 200: 200, '-100': -100 }, sex: { 0: 0, 1: 0, 2: 1, 3: 2, '-100': -100 },
    genre: { 1: 7, 2: 4, 3: 8, 4: 2, 5: 14, 6: 3, 7: 7, 8: 11, 9: 93, 10: 37, 11: 11, 13: 13, 14: 33, 19: 19, 20: 10, 25: 13, 33: 33, 37: 37, 93: 93 }
  }
  for (const [filter, values] of Object.entries(numbers)) for (const [given, upstream] of Object.entries(values)) {
    demo.reset()
    await relay.getSingerList({ [filter]: Number(given) })
    t.same(paramOf(demo.received[0]), { area: -100, sex: -100, genre: -100, [filter]: upstream, index: -100, sin: 0, cur_page: 1 }, `${filter} ${given}`)
  }
  const filtered = await relay.getSingerList({ area: 3, sex: 3, limit: 100 })
  t.ok(filtered.total > 0 && filtered.total < 40 && filtered.singers.length === filtered.total)
})

test('a description comes from the newer call when it has one', async ({ t, demo, relay }) => {
  const of = async (number: number) => await relay.getSingerDesc({ singermid: `00DemoSing000${number}` })
  const found = await of(3)
  t.match(found, { singerMID: '00DemoSing0003', singerName: '云野铃', foreignName: 'Yun Yeling', birth: /年/, birthPlace: /Bay/, desc: /^云野铃 is .*\nFormed/ })
  t.same(found.basic.at(-1), { key: '代表作品', value: '《无人码头》<demo> & more' })
  t.equal(demo.received.length, 1)
  t.equal(commOf(demo.received[0]).ct, 24, 'the phone program is not served here')
  t.same((await of(4)).basic, [{ key: '职业', value: 'Kettle tuner & "singer"' }], 'one fact is a list of one')
  const group = await of(1)
  t.match(group, { birth: /年/, birthPlace: /Bay/ })
  t.equal(group.basic.find(({ key }) => key === '成立日期')?.value, group.birth)
  t.match(await of(5), { desc: /invented act/, birth: '1990-02-03', birthPlace: /^$/, basic: { length: 0 } })
})

test('a description that the newer call keeps back comes from the old XML', async ({ t, demo, relay }) => {
  const of = async (number: number) => await relay.getSingerDesc({ singermid: `00DemoSing00${String(number).padStart(2, '0')}` })
  t.match(await of(7), { desc: /Formed in a kitchen/, birth: /年/, singerName: /./ })
  t.match(demo.calls(wiki)[0], { query: { singermid: '00DemoSing0007', utf8: '1', outCharset: 'utf-8', format: 'xml' }, headers: { referer: 'https://y.qq.com/' } })
  t.match((await of(17)).desc, /Formed in a kitchen/, 'its text is in a comment')
  const expected = await of(3)
  demo.reset()
  demo.next(detail, { code: 10006 })
  t.same(await of(3), expected)
  t.same(demo.calls(detail).map(paramOf)[1], { singer_mids: ['00DemoSing0003'], pic: 1 })
  t.equal(demo.calls(wiki).length, 1)
  for (const fault of dead) {
    demo.next(detail, fault, 2)
    const { desc, birth, basic, singerName, singerPic } = await of(3)
    t.same([desc, birth, basic, singerName], [expected.desc, expected.birth, expected.basic, '云野铃'])
    t.match(singerPic, /00DemoSing0003/)
  }
})

test('a singer without any text is a name and a picture; one whose text could not be had is an error', async ({ t, demo, relay }) => {
  const of = async (singermid = '00DemoSing0010') => await relay.getSingerDesc({ singermid })
  const plain = await of()
  t.match(plain, { desc: /^$/, birth: /^$/, birthPlace: /^$/, basic: { length: 0 }, singerName: /./ })
  demo.next(wiki, { status: 500 })
  t.same(await of(), plain)
  demo.reset()
  demo.next(detail, { code: 10006 })
  demo.next(wiki, { body: '<result><code>-1</code></result>' })
  t.same(await of(), plain, 'whom the newer call knows, the old one cannot deny')
  demo.next(detail, { code: 10006 })
  demo.next(wiki, { body: 'no XML at all' })
  await t.rejects(of(), { code: 'UPSTREAM_UNREADABLE' })
  for (const [mid, code] of [['00DemoSing0010', 'UPSTREAM_EMPTY'], ['nobody', 'NOT_FOUND']] as const) {
    demo.next(detail, { code: 500003 }, 2)
    await t.rejects(of(mid), { code })
  }
})

test('similar singers come with pictures, and there may be none; the number of followers comes with whether the account follows', async ({ t, demo, relay }) => {
  const singermid = '00DemoSing0001'
  const { singers } = await relay.getSimilarSinger({ singermid })
  t.equal(singers.length, 10)
  t.match(singers[0], { singerMID: '00DemoSing0008', singerId: 900008, singerName: /./, singerPic: /T001R150x150/ })
  demo.next(similarSingers, { code: 500003 })
  t.match((await relay.getSimilarSinger({ singermid })).singers[0]?.singerPic, /T001R300x300M00000DemoSing0008/)
  t.same(await relay.getSimilarSinger({ singermid: '00DemoSing0009' }), { singers: [], skipped: 0 })
  const found = await relay.getSingerStarNum({ singermid })
  t.match(found, { singermid, status: 0 })
  t.ok(found.num > 0)
  demo.next(singerPage, { code: 500003 })
  demo.next(fans, { mutate: (answer: any) => { answer.num = 0 } })
  t.same(await relay.getSingerStarNum({ singermid }), found, 'no follower at all is not believed')
  t.equal((await relay.getSingerStarNum({ singermid }, { cookie: cookieOf(demo, 'ordinary') })).status, 1)
  t.same(await relay.getSingerMv({ singermid: 'nobody' }), { total: 0, list: [], skipped: 0 }, 'of MVs the upstream does not know who is unknown')
})
