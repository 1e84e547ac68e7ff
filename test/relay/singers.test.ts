/** Singers: filters in this relay's numbers, descriptions from two sources, their songs, albums and MVs. Pages: pages.test.ts; fallbacks: stand-ins.test.ts. */
import { commOf, cookieOf, dead, paramOf } from '../support/helper.ts'
import { sharedStage, relayFor } from '../support/stage.ts'
import {
  fans, similarSingers, singerDetail as detail, singerPage, singerWiki as wiki, singers as list, singerMvs as mvs,
  singerMvsClassic as mvsClassic, singerSongs as songs, singerSongsOther as songsOther, singersOlder, singersWhole
} from '../support/wires.ts'
import { songsOf } from '../../src/demo/calls/singerWorks.ts'
import type { Singer } from '../../src/demo/catalogue/types.ts'
import type { Fault } from '../../src/demo/types.ts'
import { newSong } from '../../src/demo/shapes/song.ts'

const test = sharedStage('singers')

test('the list of singers has names, MIDs, pictures and the choices of each filter', async ({ t, demo, relay }) => {
  const { singers, total, page, limit, tags } = await relay.getSingerList({})
  t.same([singers.length, total, page, limit], [80, 220, 1, 80])
  t.equal(demo.calls(list).length, 1, 'the default page is one page of the upstream')
  t.ok(singers.every(({ singerName, singerMID, singerPic }) => singerName !== '' && /^00DemoSing\d{4}$/
    .test(singerMID) && singerPic.startsWith(demo.origin)))
  t.same(tags.sex.map(({ id }) => id), [-1, 1, 2, 3])
  t.same(new Set(tags.area.map(({ id }) => id)), new Set([-1, 1, 2, 3, 4, 5, 6]))
  demo.reset()
  await relay.getSingerList({ page: 2, limit: 70 })
  t.same(demo.received.map(paramOf).map(({ sin, cur_page }) => [sin, cur_page]), [[0, 1], [80, 2]])
})

test('the list with a thousand singers says nothing of those behind them', async ({ t, demo, relay }) => {
  for (const call of [list, singersOlder]) demo.next(call, { code: 500003 }, 9)
  demo.next(singersWhole, { mutate: ({ data }) => {
    const [row] = data.singerlist
    data.singerlist = Array.from({ length: 1000 }, (_, at) => ({ ...row, singer_mid: `mid${at}` }))
  } }, 9)
  t.match((await relay.getSingerList({ page: 10, limit: 100 })).singers, { length: 100, 99: { singerMID: 'mid999' } })
  await t.rejects(relay.getSingerList({ page: 11, limit: 100 }), { code: 'UPSTREAM_EMPTY' })
})

test('filters are given in this relay\'s numbers and asked in the upstream\'s', async ({ t, demo, relay }) => {
  const numbers = {
    area: { 1: 200, 2: 2, 3: 5, 4: 3, 5: 4, 6: 6, 200: 200, '-100': -100 },
    sex: { 0: 0, 1: 0, 2: 1, 3: 2, '-100': -100 },
    genre: {
      1: 7, 2: 4, 3: 8, 4: 2, 5: 14, 6: 3, 7: 7, 8: 11, 9: 93, 10: 37, 11: 11, 13: 13, 14: 33, 19: 19, 20: 10, 25: 13,
      33: 33, 37: 37, 93: 93
    }
  }
  for (const [filter, values] of Object.entries(numbers)) for (const [given, upstream] of Object.entries(values)) {
    demo.reset()
    await relay.getSingerList({ [filter]: Number(given) })
    t.same(paramOf(demo.received[0]), {
      area: -100, sex: -100, genre: -100, [filter]: upstream, index: -100, sin: 0, cur_page: 1
    }, `${filter} ${given}`)
  }
  const filtered = await relay.getSingerList({ area: 3, sex: 3, limit: 100 })
  t.ok(filtered.total > 0 && filtered.total < 40 && filtered.singers.length === filtered.total)
})

test('a description comes from the newer call when it has one', async ({ t, demo, relay }) => {
  const of = async (number: number) => await relay.getSingerDesc({ singermid: `00DemoSing000${number}` })
  const found = await of(3)
  t.match(found, {
    singerMID: '00DemoSing0003', singerName: '云野铃', foreignName: 'Yun Yeling', birth: /年/, birthPlace: /Bay/,
    desc: /^云野铃 is .*\nFormed/
  })
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
  const of = async (number: number) =>
    await relay.getSingerDesc({ singermid: `00DemoSing00${String(number).padStart(2, '0')}` })
  t.match(await of(7), { desc: /Formed in a kitchen/, birth: /年/, singerName: /./ })
  t.match(demo.calls(wiki)[0], {
    query: { singermid: '00DemoSing0007', utf8: '1', outCharset: 'utf-8', format: 'xml' },
    headers: { referer: 'https://y.qq.com/' }
  })
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
  t.same(
    await relay.getSingerMv({ singermid: 'nobody' }), { total: 0, list: [], skipped: 0 },
    'of MVs the upstream does not know who is unknown'
  )
})

const singermid = '00DemoSing0001'

test('songs are those of the singer; albums have a number, a picture and a day; MVs come most played or newest first', async ({ t, relay }) => {
  const { singerMid, songList } = await relay.getSingerHotsong({ singermid, limit: 50, page: 2 })
  t.same([singerMid, songList.length], [singermid, 50])
  t.ok(songList.every(({ singer }) => singer.some(({ mid }) => mid === singermid)))
  const made = await relay.getSingerAlbum({ singermid, limit: 100 })
  t.same(
    [made.singerMid, made.total, (await relay.getSingerAlbum({ singermid })).albumList.length], [singermid, 56, 20]
  )
  t.match(made.albumList[0], {
    albumID: /^8\d{5}$/, albumMid: /^00DemoAlbu/, albumName: /./, publishDate: /^\d{4}-\d\d-\d\d$/, pmid: /_1$/,
    albumPic: /T002R300x300M00000DemoAlbu\d{4}_1\.jpg/
  })
  const [played, listened, newest] = await Promise.all([{}, { order: 'listen' } as const, { order: 'time' } as const]
    .map(async (order) => (await relay.getSingerMv({ singermid, limit: 10, ...order })).list))
  t.same(played, listened)
  t.notSame(played, newest)
  for (const [list = [], key] of [[played, 'playcnt'], [newest, 'pubdate']] as const) {
    t.same(list.map((mv) => mv[key]), list.map((mv) => mv[key]).sort((a, b) => b - a), key)
  }
})

test('a row that cannot be read leaves a hole, and a null list is an empty page', async ({ t, demo, relay }) => {
  const mids = async (): Promise<string[]> =>
    (await relay.getSingerHotsong({ singermid, limit: 4 })).songList.map(({ mid }) => mid)
  const whole = await mids()
  demo.next(songs, { mutate: (answer) => { answer.data.songList[1] = { songInfo: { odd: 1 } } } })
  t.same(await mids(), whole.filter((_, at) => at !== 1))
  demo.next(songs, { mutate: (answer) => { answer.data = { singerMid: singermid, totalNum: 0, songList: null } } })
  t.same(await relay.getSingerHotsong({ singermid }), { singerMid: singermid, totalNum: 0, songList: [], skipped: 0 })
  for (const name of [songs, songsOther]) demo.next(name, { mutate: (answer) => { answer.data = {} } })
  t.same(await mids(), whole, 'an answer with neither songs nor their number is none')
})

test('a list whose number of rows nobody says ends where no more come', async ({ t, demo, relay }) => {
  const all = await relay.getSingerMv({ singermid, limit: 100 })
  t.ok(all.list.length > 0 && all.list.length < 100)
  const uncounted: Fault =
    { mutate: ({ data }) => { delete data.total; if (data.list?.length === 0) data.list = null } }
  for (const call of [mvs, mvsClassic]) demo.next(call, uncounted, Infinity)
  t.same(await relay.getSingerMv({ singermid, limit: 100 }), all)
})

test('rows of one request are joined up to the first failure, gap or twin, and the rest is asked for', async ({ t, demo, relay }) => {
  const expected = (await relay.getSingerHotsong({ singermid, limit: 100 })).songList
  t.equal(expected.length, 100)
  const again = (fault: Fault): Fault[] => Array.from({ length: 20 }, () => fault)
  const fine: Fault = { mutate: () => {} }
  /** The first answer again and again, cut to so many rows. */
  const repeating = (rows: number): Fault => {
    let kept: unknown
    return { mutate: (answer) => {
      kept ??= { ...answer.data, songList: answer.data.songList.slice(0, rows) }
      answer.data = kept
    } }
  }
  const heeding: Fault = {
    instead ({ begin, num }, { catalogue }) {
      const all = songsOf(catalogue.singerByMid.get(singermid) as Singer, catalogue, 1)
      return { code: 0, data: {
        totalNum: all.length, songList: all.slice(begin, begin + num).map((each) => ({ songInfo: newSong(each) }))
      } }
    }
  }
  const rows: readonly (readonly [
    what: string, faults: readonly Fault[], limit: number, rows: number, begins?: readonly (readonly number[])[]
  ])[] = [
    ['a call that fails', [fine, { code: 10000 }], 100, 100, [[0, 30, 60, 90], [30, 60, 90]]],
    [
      'a call without an answer', [fine, fine, { mutate: (answer) => { answer.data = {} } }], 100, 100,
      [[0, 30, 60, 90], [60, 90]]
    ],
    [
      'fewer rows than usual', [{ mutate: ({ data }) => { data.songList = data.songList.slice(0, 10) } }], 100, 100,
      [[0, 30, 60, 90], [10, 40, 70]]
    ],
    ['an upstream that repeats itself', again(repeating(30)), 100, 30],
    ['one that repeats a short answer', again(repeating(5)), 20, 5],
    ['one that heeds the number', again(heeding), 100, 100]
  ]
  for (const [what, faults, limit, count, begins] of rows) {
    demo.reset()
    for (const fault of faults) demo.next(songs, fault)
    t.same((await relayFor(t, demo).getSingerHotsong({ singermid, limit })).songList, expected.slice(0, count), what)
    const asked = demo.received.map(({ body }) => Object.entries<any>(body as object)
      .filter(([key]) => key.startsWith('req_')).map(([, { param }]) => param.begin))
    if (begins !== undefined) t.same(asked, begins, what)
  }
})
