/**
 * Songs, albums and MVs of a singer: pages from answers of thirty rows, orders, older calls as fallbacks, real answers.
 */
import { songsOf } from '../../src/demo/calls/singerWorks.ts'
import type { Singer } from '../../src/demo/catalogue/types.ts'
import { newSong } from '../../src/demo/shapes/song.ts'
import { paramOf } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'
import { singerAlbums as albums, singerAlbumsOlder as albumsOlder, singerMvs as mvs, singerMvsClassic as mvsClassic, singerSongs as songs, singerSongsOther as songsOther } from '../support/wires.ts'

const singermid = '00DemoSing0001'

/** Parameters of all calls, by requests. */
const paramsOf = (received: readonly { readonly body?: unknown }[]): any[][] =>
  received.map(({ body }) => Object.entries(body as Record<string, { param: unknown }>).filter(([key]) => key.startsWith('req_')).map(([, { param }]) => param))

test('songs are asked by popularity, by offset, under both names of the count', async ({ t, demo, server }) => {
  const { status, body } = await server.get(`/getSingerHotsong?singermid=${singermid}&limit=50&page=2`)
  t.equal(status, 200)
  t.same([body.code, body.data.singerMid, body.data.songList.length], [0, singermid, 50])
  t.same(paramsOf(demo.received), [[{ singerMid: singermid, order: 1, begin: 50, num: 50, number: 50 }, { singerMid: singermid, order: 1, begin: 80, num: 20, number: 20 }]], 'in one request')
  t.ok(body.data.songList.every((song: { singer: { mid: string }[] }) => song.singer.some(({ mid }) => mid === singermid)))
})

test('a row that cannot be read leaves a hole, and a null list is an empty page', async ({ t, demo, relay }) => {
  const whole = (await relay.getSingerHotsong({ singermid, limit: 4 })).songList.map((song) => song.mid)
  demo.next(songs, { mutate: (answer) => { answer.data.songList[1] = { songInfo: { id: 1 } } } })
  const holed = (await relay.getSingerHotsong({ singermid, limit: 4 })).songList.map((song) => song.mid)
  t.same(holed, [whole[0], whole[2], whole[3]])
  demo.next(songs, { mutate: (answer) => { answer.data = { singerMid: singermid, totalNum: 0, songList: null } } })
  t.same(await relay.getSingerHotsong({ singermid }), { singerMid: singermid, totalNum: 0, songList: [] })
  for (const name of [songs, songsOther]) demo.next(name, { mutate: (answer) => { answer.data = {} } })
  t.equal((await relay.getSingerHotsong({ singermid, limit: 1 })).songList.length, 1, 'an answer with neither songs nor their number is none')
})

test('a list whose number of rows nobody says ends where no more come', async ({ t, demo, relay }) => {
  const all = await relay.getSingerMv({ singermid, limit: 100 })
  t.ok(all.list.length > 0 && all.list.length < 100)
  const uncounted = { mutate: ({ data }: any) => { delete data.total; if (data.list?.length === 0) data.list = null } }
  demo.next(mvs, uncounted, Infinity)
  demo.next(mvsClassic, { mutate: (answer: any) => { uncounted.mutate(answer) } }, Infinity)
  t.same(await relay.getSingerMv({ singermid, limit: 100 }), all)
})

test('an upstream that repeats itself does not fill the page with twins', async ({ t, demo }) => {
  const first = (await relayFor(t, demo).getSingerHotsong({ singermid, limit: 5 })).songList
  let kept: unknown
  demo.next(songs, { mutate: (answer) => { kept ??= { ...answer.data, songList: answer.data.songList.slice(0, 5) }; answer.data = kept } }, 10)
  t.same((await relayFor(t, demo).getSingerHotsong({ singermid, limit: 20 })).songList, first)
})

test('rows of one request are joined up to the first failure, gap or twin, and the rest is asked for', async ({ t, demo }) => {
  const expected = (await relayFor(t, demo).getSingerHotsong({ singermid, limit: 100 })).songList
  t.equal(expected.length, 100)
  const rows = (answer: any, from: number, to: number): void => { answer.data.songList = answer.data.songList.slice(from, to) }
  for (const [what, faults, begins] of [
    ['a call that fails', [{ mutate: () => {} }, { code: 10000 }], [[0, 30, 60, 90], [30, 60, 90]]],
    ['a call without an answer', [{ mutate: () => {} }, { mutate: () => {} }, { mutate: (answer: any) => { answer.data = {} } }], [[0, 30, 60, 90], [60, 90]]],
    ['fewer rows than usual', [{ mutate: (answer: any) => { rows(answer, 0, 10) } }], [[0, 30, 60, 90], [10, 40, 70]]]
  ] as const) {
    demo.reset()
    for (const fault of faults) demo.next(songs, fault)
    t.same((await relayFor(t, demo).getSingerHotsong({ singermid, limit: 100 })).songList, expected, what)
    t.same(paramsOf(demo.received).map((params) => params.map(({ begin }) => begin)), begins, what)
  }

  demo.reset()
  let kept: unknown
  demo.next(songs, { mutate: (answer) => { kept ??= answer.data; answer.data = kept } }, Infinity)
  t.same((await relayFor(t, demo).getSingerHotsong({ singermid, limit: 100 })).songList, expected.slice(0, 30), 'an upstream that repeats itself')

  demo.reset()
  demo.next(songs, {
    instead ({ begin, num }, { catalogue }) {
      const all = songsOf(catalogue.singerByMid.get(singermid) as Singer, catalogue, 1)
      return { code: 0, data: { totalNum: all.length, songList: all.slice(begin, begin + num).map((each) => ({ songInfo: newSong(each) })) } }
    }
  }, Infinity)
  t.same((await relayFor(t, demo).getSingerHotsong({ singermid, limit: 100 })).songList, expected, 'an upstream that heeds the number')
})

test('albums are asked by offset; the older calls stand in', async ({ t, demo, server }) => {
  const path = `/getSingerAlbum?singermid=${singermid}&limit=100`
  const { body } = await server.get(path)
  t.match(body.data, { singerMid: singermid, total: 56 })
  t.match(body.data.albumList[0], { albumID: /^8\d{5}$/, albumMid: /^00DemoAlbu/, albumName: /./, publishDate: /^\d{4}-\d\d-\d\d$/, pmid: /_1$/, albumPic: /T002R300x300M00000DemoAlbu\d{4}_1\.jpg/ })
  t.same(paramsOf(demo.received), [[100, 70, 40, 10].map((num) => ({ singerMid: singermid, order: 1, begin: 100 - num, num, number: num }))])
  for (const name of [albums, albumsOlder]) demo.next(name, { code: 500003 })
  t.equal((await server.get('/getSingerAlbum?singermid=nobody')).status, 404)
})

test('MVs come most played or newest first', async ({ t, demo, server }) => {
  const get = async (query: string): Promise<any> => (await server.get(`/getSingerMv?singermid=${singermid}&${query}`)).body.data
  const played = await get('limit=10')
  t.same(played, await get('limit=10&order=listen'))
  t.same(played.list.map((mv: any) => mv.playcnt), played.list.map((mv: any) => mv.playcnt).sort((a: number, b: number) => b - a))
  const newest = await get('limit=10&order=time')
  t.same(newest.list.map((mv: any) => mv.pubdate), newest.list.map((mv: any) => mv.pubdate).sort((a: number, b: number) => b - a))
  t.notSame(newest.list, played.list)
  t.same(demo.calls(mvs).map(paramOf), [1, 1, 0].map((order) => ({ singermid, order, count: 10, start: 0 })))
})
