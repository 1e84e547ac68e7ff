/**
 * Songs, albums and MVs of a singer: pages from answers of thirty rows, orders, older calls as fallbacks, real answers.
 */
import t from 'tap'
import { songsOf } from '../../src/demo/calls/singerWorks.ts'
import type { Singer } from '../../src/demo/catalogue/types.ts'
import { newSong } from '../../src/demo/shapes/song.ts'
import { dead, demoFor, paramOf, sample, sampleText, subAnswers, withoutSamples } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'
import type { Relay } from '../../src/library/relay.ts'

const songs = 'musichall.song_list_server/GetSingerSongList'
const songsOther = 'music.musichallSong.SongListInter/GetSingerSongList'
const page = 'music.web_singer_info_svr/get_singer_detail_info'
const albums = 'music.musichallAlbum.AlbumListServer/GetAlbumList'
const albumsOlder = 'music.web_singer_info_svr/get_singer_album'
const albumsClassic = '/v8/fcg-bin/fcg_v8_singer_album.fcg'
const mvs = 'MvService.MvInfoProServer/GetSingerMvList'
const mvsClassic = '/mv/fcgi-bin/fcg_singer_mv.fcg'

const singermid = '00DemoSing0001'

/** Parameters of all calls, by requests. */
const paramsOf = (received: readonly { readonly body?: unknown }[]): any[][] =>
  received.map(({ body }) => Object.entries(body as Record<string, { param: unknown }>).filter(([key]) => key.startsWith('req_')).map(([, { param }]) => param))

/** The three lists in one form: a page of ids, and the total. */
const lists: Record<string, (relay: Relay, input: { limit?: number, page?: number }) => Promise<{ ids: string[], total: number }>> = {
  songs: async (relay, input) => {
    const { songList, totalNum } = await relay.getSingerHotsong({ singermid, ...input })
    return { ids: songList.map((song) => song.mid), total: totalNum }
  },
  albums: async (relay, input) => {
    const { albumList, total } = await relay.getSingerAlbum({ singermid, ...input })
    return { ids: albumList.map((album) => album.albumMid), total }
  },
  mvs: async (relay, input) => {
    const { list, total } = await relay.getSingerMv({ singermid, ...input })
    return { ids: list.map((mv) => mv.vid), total }
  }
}

for (const [name, ask] of Object.entries(lists)) {
  t.test(`pages of ${name} joined have no gap and no overlap, whatever their size`, async (t) => {
    const relay = relayFor(t, await demoFor(t))
    const { total } = await ask(relay, {})
    t.ok(total > 50)
    let all: string[] = []
    for (const limit of [100, 31, 20]) {
      const joined: string[] = []
      for (let number = 1; number <= Math.ceil(total / limit); number++) joined.push(...(await ask(relay, { limit, page: number })).ids)
      t.equal(joined.length, total, `limit ${limit}`)
      t.equal(new Set(joined).size, total)
      if (all.length === 0) all = joined
      t.same(joined, all)
    }
    t.same((await ask(relay, { limit: 3, page: 0 })).ids, all.slice(0, 3))
    t.same(await ask(relay, { page: 9999 }), { ids: [], total })
    t.equal((await ask(relay, {})).ids.length, 20, 'the default')
  })
}

test('songs are asked by popularity, by offset, under both names of the count', async ({ t, demo, server }) => {
  const { status, body } = await server.get(`/getSingerHotsong?singermid=${singermid}&limit=50&page=2`)
  t.equal(status, 200)
  t.same([body.code, body.data.singerMid, body.data.songList.length], [0, singermid, 50])
  t.same(paramsOf(demo.received), [[{ singerMid: singermid, order: 1, begin: 50, num: 50, number: 50 }, { singerMid: singermid, order: 1, begin: 80, num: 20, number: 20 }]], 'in one request')
  t.ok(body.data.songList.every((song: { singer: { mid: string }[] }) => song.singer.some(({ mid }) => mid === singermid)))
})

test('two older calls know the songs, too', async ({ t, demo, relay }) => {
  const expected = await relay.getSingerHotsong({ singermid, limit: 100, page: 1 })
  for (const fault of dead) {
    demo.next(songs, fault, 10)
    t.same(await relay.getSingerHotsong({ singermid, limit: 100 }), expected)
    t.same(paramOf(demo.calls(songsOther)[0]), { singerMid: singermid, order: 1, begin: 0, num: 100, number: 100 })
    demo.reset()
    demo.next(songs, { code: 500003 }, 10)
    demo.next(songsOther, fault, 10)
    t.same(await relay.getSingerHotsong({ singermid, limit: 100 }), expected)
    t.same(paramsOf(demo.calls(page)), [[{ sort: 5, singermid, sin: 0, num: 60 }, { sort: 5, singermid, sin: 60, num: 40 }]])
    demo.reset()
  }
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
  const names = (answer: any): string[] => answer.albumList.map((album: { albumName: string }) => album.albumName).sort()
  for (const fault of dead) {
    demo.next(albums, fault, 10)
    const older = (await server.get(path)).body.data
    t.same(names(older), names(body.data))
    t.same(paramOf(demo.calls(albumsOlder)[0]), { singermid, order: 'time', begin: 0, num: 100, exstatus: 1 })
    demo.next(albumsOlder, { code: 500003 }, 10)
    t.same((await server.get(path)).body.data, older)
    t.match(demo.calls(albumsClassic)[0], { query: { singermid, order: 'time', begin: '0', num: '100', format: 'json', outCharset: 'utf-8' }, headers: { referer: 'https://y.qq.com/' } })
    demo.reset()
  }
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
  for (const [query, expected] of [['limit=10', played], ['limit=10&order=time', newest]] as const) {
    for (const fault of dead) {
      demo.next(mvs, fault)
      const older = await get(query)
      t.same(older, { ...expected, list: expected.list.map((mv: object) => ({ ...mv, duration: 0 })) }, 'the classic call knows all but the length')
    }
  }
  t.same(demo.calls(mvsClassic).map(({ query: { order, cmd, cid, num, begin } }) => [order, cmd, cid, num, begin])[0], ['listen', undefined, '205360581', '10', '0'])
  t.equal(demo.calls(mvsClassic).at(-1)?.query['order'], 'time')
})

const real = '0025NhlN2yWrP4'

test('real answers, newest shapes', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  const give = (call: string, file: string): void => { demo.next(call, { mutate: () => subAnswers(file)[0] }) }

  give('music.musichallSinger.SingerList/GetSingerListIndex', 'getSingerList.json')
  const list = await relay.getSingerList({})
  t.same([list.total, list.singers.length, list.singers[0]?.singerMID, list.singers[0]?.singerId, list.singers[0]?.otherName], [6797, 5, real, 4558, 'Jay Chou'])
  t.equal(list.singers[0]?.singerPic, `https://y.gtimg.cn/music/photo_new/T001R300x300M000${real}.webp`)
  t.same([list.tags.area.length, list.tags.genre.length, list.tags.sex.map(({ id }) => id)], [6, 14, [-1, 1, 2, 3]])

  give('music.musichallSinger.SingerInfoInter/GetSingerDetail', 'getSingerDesc.json')
  const desc = await relay.getSingerDesc({ singermid: real })
  t.match(desc, { birth: /^1979年1月18日（/, birthPlace: '台湾省新北市', foreignName: 'Jay Chou', singerPic: /^https:.*_11\.jpg$/ })
  t.equal(desc.basic.length, 6)

  give(songs, 'getSingerHotsong.json')
  const hot = await relay.getSingerHotsong({ singermid: real })
  t.same([hot.totalNum, hot.songList.map((song) => song.id), hot.songList[0]?.file.size_flac], [1013, [97773, 102065750, 5177680], 55397039])

  give(albums, 'getSingerAlbum.json')
  const made = await relay.getSingerAlbum({ singermid: real })
  t.same([made.total, made.albumList.length, made.albumList[0]?.albumID, made.albumList[1]?.publishDate, made.albumList[1]?.pmid], [43, 5, 1458791, '2007-11-02', '002eFUFm2XYZ7z_3'])

  give(mvs, 'getSingerMv.json')
  const seen = await relay.getSingerMv({ singermid: real, limit: 5 })
  t.same([seen.total, seen.list[1]?.vid, seen.list[1]?.playcnt, seen.list[0]?.pubdate, seen.list[0]?.duration], [10425, 'w0026q7f01a', 120172419, 1779206400, 189])
  t.ok(seen.list.every((mv) => mv.picurl.startsWith('https://')))

  give('music.SimilarSingerSvr/GetSimilarSingerList', 'getSimilarSinger.json')
  const alike = await relay.getSimilarSinger({ singermid: real })
  t.same(alike.singers.map(({ singerId }) => singerId), [245, 265, 4351, 227, 60505])
  t.ok(alike.singers.every(({ singerPic }) => singerPic.startsWith('https://')))

  give(page, 'getSingerHotsong.legacy.json')
  t.match(await relay.getSingerStarNum({ singermid: real }), { singermid: real, num: 13508928, status: 0 })
  demo.next(page, { code: 500003 })
  demo.next('/rsc/fcgi-bin/fcg_order_singer_getnum.fcg', { body: sampleText('getSingerStarNum.json') })
  const fans = await relay.getSingerStarNum({ singermid: real })
  t.same(fans, { singermid: real, num: 13508928, status: 0 })
})

test('real answers, other shapes', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  const give = (call: string, file: string): void => { demo.next(call, { mutate: () => subAnswers(file)[0] }) }
  const kill = (...names: string[]): void => { for (const name of names) demo.next(name, { code: 500003 }) }

  kill('music.musichallSinger.SingerList/GetSingerListIndex', 'Music.SingerListServer/get_singer_list')
  give('music.musichallSinger.SingerList/GetSingerList', 'getSingerList.unpaged.json')
  const list = await relay.getSingerList({})
  t.same([list.singers.length, list.singers[2]?.singerMID, list.singers[2]?.concernNum], [3, '003Nz2So3XXYek', 22242245])
  t.match(list.singers[0]?.singerPic, `T001R300x300M000${real}_11.jpg`)

  const detail = 'music.musichallSinger.SingerInfoInter/GetSingerDetail'
  const wiki = '/splcloud/fcgi-bin/fcg_get_singer_desc.fcg'
  demo.next(detail, { code: 10006 })
  give(detail, 'getSingerDesc.pic-only.json')
  demo.next(wiki, { body: sampleText('getSingerDesc.legacy.xml') })
  const desc = await relay.getSingerDesc({ singermid: real })
  t.match(desc, { singerName: '周杰伦', birth: /^1979年1月18日（/, birthPlace: '台湾省新北市', desc: /\n2001年/ })
  t.equal(desc.basic.length, 13)
  demo.next(wiki, { body: sampleText('getSingerDesc.legacy.xml').replace('<info>', '<!-- <info>').replace('</info>', '</info> -->') })
  kill(detail, detail)
  t.same((await relay.getSingerDesc({ singermid: real })).basic, desc.basic)

  kill(songs, songsOther)
  give(page, 'getSingerHotsong.legacy.json')
  const hot = await relay.getSingerHotsong({ singermid: real })
  t.same([hot.totalNum, hot.songList.map((song) => song.id), hot.songList[1]?.mid], [810, [97773, 102065750], '001Bbywq2gicae'])

  kill(mvs)
  demo.next(mvsClassic, { body: sampleText('getSingerMv.legacy.json') })
  const seen = await relay.getSingerMv({ singermid: real, limit: 2 })
  t.same([seen.total, seen.list[0]?.vid, seen.list[0]?.mvid, seen.list[1]?.playcnt, seen.list[0]?.pubdate], [33, 'k0026m921rg', 1455656, 54108, Date.UTC(2018, 2, 26, 16) / 1000])
  t.notMatch(JSON.stringify(seen), /upload|1000000/)

  kill('music.SimilarSingerSvr/GetSimilarSingerList')
  demo.next('/v8/fcg-bin/fcg_v8_simsinger.fcg', { body: sampleText('getSimilarSinger.legacy.json') })
  const alike = await relay.getSimilarSinger({ singermid: real })
  t.same([alike.singers.length, alike.singers[1]?.singerId, alike.singers[1]?.singerMID], [5, 13948, '001fNHEf1SFEFN'])
  t.match(alike.singers[1]?.singerPic, 'T001R300x300M000001fNHEf1SFEFN.jpg')

  demo.next('/rsc/fcgi-bin/fcg_order_singer_getnum.fcg', { code: 1 })
  kill(page)
  give('music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageHeader', 'getSingerStarNum.homepage.json')
  const fans = await relay.getSingerStarNum({ singermid: real })
  t.equal(fans.num, sample('getSingerStarNum.homepage.json').req_0.data.Info.FansNum.Num)
})
