/** Songs, albums and MVs of a singer: rows of several answers of thirty, orders. Pages: pages.test.ts; fallbacks: stand-ins.test.ts. */
import { songsOf } from '../../src/demo/calls/singerWorks.ts'
import type { Singer } from '../../src/demo/catalogue/types.ts'
import type { Fault } from '../../src/demo/types.ts'
import { newSong } from '../../src/demo/shapes/song.ts'
import { relayFor, test } from '../support/stage.ts'
import { singerMvs as mvs, singerMvsClassic as mvsClassic, singerSongs as songs, singerSongsOther as songsOther } from '../support/wires.ts'

const singermid = '00DemoSing0001'

test('songs are those of the singer; albums have a number, a picture and a day; MVs come most played or newest first', async ({ t, relay }) => {
  const { singerMid, songList } = await relay.getSingerHotsong({ singermid, limit: 50, page: 2 })
  t.same([singerMid, songList.length], [singermid, 50])
  t.ok(songList.every(({ singer }) => singer.some(({ mid }) => mid === singermid)))
  const made = await relay.getSingerAlbum({ singermid, limit: 100 })
  t.same([made.singerMid, made.total, (await relay.getSingerAlbum({ singermid })).albumList.length], [singermid, 56, 20])
  t.match(made.albumList[0], { albumID: /^8\d{5}$/, albumMid: /^00DemoAlbu/, albumName: /./, publishDate: /^\d{4}-\d\d-\d\d$/, pmid: /_1$/, albumPic: /T002R300x300M00000DemoAlbu\d{4}_1\.jpg/ })
  const [played, listened, newest] = await Promise.all([{}, { order: 'listen' } as const, { order: 'time' } as const].map(async (order) => (await relay.getSingerMv({ singermid, limit: 10, ...order })).list))
  t.same(played, listened)
  t.notSame(played, newest)
  for (const [list = [], key] of [[played, 'playcnt'], [newest, 'pubdate']] as const) t.same(list.map((mv) => mv[key]), list.map((mv) => mv[key]).sort((a, b) => b - a), key)
})

test('a row that cannot be read leaves a hole, and a null list is an empty page', async ({ t, demo, relay }) => {
  const mids = async (): Promise<string[]> => (await relay.getSingerHotsong({ singermid, limit: 4 })).songList.map(({ mid }) => mid)
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
  const uncounted: Fault = { mutate: ({ data }) => { delete data.total; if (data.list?.length === 0) data.list = null } }
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
    return { mutate: (answer) => { kept ??= { ...answer.data, songList: answer.data.songList.slice(0, rows) }; answer.data = kept } }
  }
  const heeding: Fault = {
    instead ({ begin, num }, { catalogue }) {
      const all = songsOf(catalogue.singerByMid.get(singermid) as Singer, catalogue, 1)
      return { code: 0, data: { totalNum: all.length, songList: all.slice(begin, begin + num).map((each) => ({ songInfo: newSong(each) })) } }
    }
  }
  const rows: readonly (readonly [what: string, faults: readonly Fault[], limit: number, rows: number, begins?: readonly (readonly number[])[]])[] = [
    ['a call that fails', [fine, { code: 10000 }], 100, 100, [[0, 30, 60, 90], [30, 60, 90]]],
    ['a call without an answer', [fine, fine, { mutate: (answer) => { answer.data = {} } }], 100, 100, [[0, 30, 60, 90], [60, 90]]],
    ['fewer rows than usual', [{ mutate: ({ data }) => { data.songList = data.songList.slice(0, 10) } }], 100, 100, [[0, 30, 60, 90], [10, 40, 70]]],
    ['an upstream that repeats itself', again(repeating(30)), 100, 30],
    ['one that repeats a short answer', again(repeating(5)), 20, 5],
    ['one that heeds the number', again(heeding), 100, 100]
  ]
  for (const [what, faults, limit, count, begins] of rows) {
    demo.reset()
    for (const fault of faults) demo.next(songs, fault)
    t.same((await relayFor(t, demo).getSingerHotsong({ singermid, limit })).songList, expected.slice(0, count), what)
    const asked = demo.received.map(({ body }) => Object.entries<any>(body as object).filter(([key]) => key.startsWith('req_')).map(([, { param }]) => param.begin))
    if (begins !== undefined) t.same(asked, begins, what)
  }
})
