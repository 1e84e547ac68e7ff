/** Search: what each source is asked and how it is read, suggestions. Pages: pages.test.ts. Dead sources: search-links.test.ts. */
import t from 'tap'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { commOf, cookieOf, demoFor, serverFor, subAnswers, withoutSamples } from '../support/helper.ts'
import { relayFor, sharedStage } from '../support/stage.ts'
import {
  desktop, lite, pagesSearch as other, phone, signed, siteSearch as classic, smartbox
} from '../support/wires.ts'

const test = sharedStage('search')

const secondBox = `c6.y.qq.com${smartbox}`
const programs = [lite, signed, phone, desktop]
const empty = { list: [], curnum: 0, curpage: 1, totalnum: 0, skipped: 0 }

/** Makes calls fail until the demo is reset. */
function kill (demo: DemoUpstream, ...calls: readonly string[]): void {
  for (const call of calls) demo.next(call, { code: 500003 }, Infinity)
}

test('words find songs, singers and albums, in the query and in the path', async ({ t, demo, relay, server }) => {
  const { keyword, song, singer, album } = await relay.getSearchByKey({ key: 'paper', limit: 5 })
  t.equal(keyword, 'paper')
  for (const part of [song, singer, album]) t.same([part.list.length, part.curnum, part.curpage], [5, 5, 1])
  t.ok(song.totalnum > 100
    && song.list.every(({ id, mid, title, singer }) => id > 0 && mid !== '' && title !== '' && singer.length > 0))
  t.ok(singer.list.every(({ singerName, singerPic, songNum }) => /paper|纸/i
    .test(singerName) || singerPic.startsWith(demo.origin) || songNum > 0))
  t.ok(album.list.every(({ albumMID, albumName, publicTime, singerName }) =>
    ![albumMID, albumName, singerName].includes('') && /^\d{4}-\d\d-\d\d$/.test(publicTime)))
  t.same((await server.get('/getSearchByKey/paper?limit=5')).body.data.song, song)
  t.equal((await relay.getSearchByKey({ key: 'paper', limit: 5, page: 2 })).song.curpage, 2)
  const moments = [1e14, 9e14, -5, 253402300800, 1136044800]
  demo.next(classic, {
    mutate: ({ data }) => { data.song.list.forEach((row: any, at: number) => { row.pubtime = moments[at] }) }
  })
  t.same(
    (await relay.getSearchByKey({ key: 'paper', limit: 5 })).song.list.map(({ time_public }) => time_public),
    ['', '', '', '', '2006-01-01'], 'a moment that is none costs a song its day'
  )
})

test('the other sources are asked in the form of their own clients', async ({ t, demo }) => {
  kill(demo, classic, other, ...programs)
  await t.rejects(
    relayFor(t, demo).getSearchByKey({ key: 'paper', limit: 7, page: 2 }), { code: 'UPSTREAM_REFUSED' },
    'the suggestions have no second page'
  )
  t.same(demo.received.map(({ host, calls }) => [host, ...calls]), [
    ...[classic, other].map((call) => ['c.y.qq.com', call]), ['u.y.qq.com', lite, lite, lite],
    ...[signed, phone, desktop].map((call) => ['u.y.qq.com', call])
  ])
  t.same(demo.calls(other)[0]?.query, { w: 'paper', p: '2', n: '7', format: 'json' })
  const [bySigned, byPhone, byDesktop] = [signed, phone, desktop].map((call) => demo.calls(call)[0]?.body as any)
  t.match(bySigned['music.search.SearchCgiService'].param, {
    grp: 1, num_per_page: 14, page_num: 1, query: 'paper', remoteplace: 'txt.newclient.top', search_type: 0,
    searchid: /^[0-9A-F]{32}\d{5}$/
  })
  t.match(bySigned.comm, { ct: '19', cv: '2151', guid: /^[0-9A-F]{32}$/, wid: /^\d{19}$/ })
  t.match(byPhone, {
    comm: {
      ct: 11, cv: 1601, v: 1601, uid: '0', tmeAppID: 'qqmusic', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8',
      QIMEI36: '0'.repeat(36)
    },
    req_0: { param: {
      searchid: /^\d{17,18}$/, query: 'paper', search_type: 0, page_num: 1, num_per_page: 14, highlight: 0, grp: 1,
      selectors: {}, vec_selectors: []
    } }
  })
  t.same([byDesktop.comm, byDesktop.req_0.param], [
    { ct: '19', cv: '1859', uin: '0' }, { query: 'paper', page_num: 1, num_per_page: 14, search_type: 0 }
  ], 'no search id')
  demo.reset()
  kill(demo, classic, other, lite)
  await relayFor(t, demo).getSearchByKey({ key: 'paper' })
  t.not(commOf(demo.calls(signed)[0]).wid, bySigned.comm.wid, 'each relay is a device of its own')
})

test('zhida is the direct hit, null without one, and absent when it is not wanted', async ({ t, demo, relay }) => {
  const key = 'The Paper Lanterns'
  for (const dead of [[], [classic], [classic, other, lite]]) {
    demo.reset()
    kill(demo, ...dead)
    for (const [words, zhida] of [
      [key, { type: 'singer', singer: { singerMID: '00DemoSing0001', singerName: 'The Paper Lanterns' } }],
      // The words name it, whichever source finds it.
      [' harbour lights & other rooms ', { type: 'album', album: { albumMID: '00DemoAlbu0001', albumName: 'Harbour Lights & Other Rooms' } }]
    ] as const) t.match(await relay.getSearchByKey({ key: words }), { zhida }, `${words} without ${dead.join(', ')}`)
    t.equal((await relay.getSearchByKey({ key: 'paper' })).zhida, null)
  }
  demo.reset()
  const without = await relay.getSearchByKey({ key, catZhida: 0 })
  t.notOk('zhida' in without)
  t.same(without.song, (await relay.getSearchByKey({ key, catZhida: 1 })).song)
})

test('albums and singers that no source has never fail the songs, and the answer is kept briefly', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { cache: true })
  kill(demo, ...programs, smartbox, secondBox)
  const { body: { data }, headers } = await server.get('/getSearchByKey?key=paper&limit=5')
  t.same([data.song.list.length, data.singer, data.album], [5, empty, empty])
  t.match(headers.get('cache-control'), /max-age=10\b/)
})

t.test('songs that a program found stay when its albums fail: other sources are asked for albums and singers only', async (t) => {
  const demo = await demoFor(t, { moods: ['search-500', 'search-for-500'] })
  demo.next(`${lite}?search_type=2`, { code: 500003 }, 10)
  const { song, album, singer } = await relayFor(t, demo).getSearchByKey({ key: 'paper' })
  t.same([song.list.length, album.list.length > 4, singer.list.length > 0], [10, true, true])
  t.same(demo.calls(lite).map(({ calls }) => calls.length), [3, 2], 'the songs were asked for once')
  t.ok(demo.calls(signed).every(({ calls }) => calls.length <= 2))
})

test('an empty answer is believed when a program says that it accepted the search, or when a second source has nothing either', async ({ t, demo, relay }) => {
  t.same(await relay.getSearchByKey({ key: 'zzqqxx', limit: 5 }), {
    keyword: 'zzqqxx', song: empty, singer: empty, album: empty, zhida: null
  })
  t.same(demo.received.map(({ calls }) => calls[0]), [classic, lite], 'no further source is troubled')
  // Older answers do not say whether they are refusals. Two sources agree; only the suggestions are left.
  for (const [key, dead, asked] of [
    ['zzqqyy', [smartbox, secondBox], [classic, lite, smartbox, smartbox]], ['zzqqxy', [], [classic, lite, smartbox]],
    ['zzqqyx', programs, [classic, ...programs, other, smartbox]]
  ] as const) {
    demo.reset()
    kill(demo, ...dead)
    demo.next(lite, { mutate: ({ data: { meta } }) => { delete meta.is_filter } }, Infinity)
    t.same((await relay.getSearchByKey({ key })).song, empty)
    t.same(demo.received.map(({ calls }) => calls[0]), asked, key)
  }
  // Suggestions are no search, and both searches of the site may be empty for the same reason.
  for (const [key, dead] of [
    ['zzqqzz', [classic, other, ...programs]], ['zzqqzy', [...programs, smartbox, secondBox]]
  ] as const) {
    demo.reset()
    kill(demo, ...dead)
    await t.rejects(relay.getSearchByKey({ key }), { code: 'UPSTREAM_REFUSED', message: /no source says what there is/ }, key)
  }
})

test('a dead cookie does not end a public search; when no source answers it fails with what the upstream did', async ({ t, demo, relay, server, hasty }) => {
  for (const call of [classic, other, lite, desktop]) demo.next(call, { code: 1000 }, Infinity)
  const { song, album, singer } = await relay.getSearchByKey({ key: 'paper' }, { cookie: cookieOf(demo, 'expired') })
  t.same([song.list.length, album.list.length > 2, singer.list.length > 2], [10, true, true])
  for (const [fault, status, code] of [
    [{ code: 500003 }, 502, 'UPSTREAM_REFUSED'], [{ body: '<html>' }, 502, 'UPSTREAM_UNREADABLE'],
    [{ body: '{"code":0,"data":{}}' }, 502, 'UPSTREAM_UNREADABLE'], [{ hang: true }, 504, 'UPSTREAM_TIMEOUT']
  ] as const) {
    demo.reset()
    for (const call of [classic, other, ...programs, smartbox]) {
      demo.next(call, call === smartbox && 'body' in fault ? { body: 'x' } : fault, Infinity)
    }
    const reply = await ('hang' in fault ? hasty : server).get('/getSearchByKey?key=paper')
    t.same([reply.status, reply.body.code], [status, code], JSON.stringify(fault))
  }
})

test('suggestions are three lists of texts, or three empty ones', async ({ t, demo }) => {
  const ask = async (key: string) => (await relayFor(t, demo).getSmartbox({ key })).result
  t.same(await ask('zz & yy'), { songList: [], singerList: [], albumList: [] })
  const found = await ask('paper')
  t.match(found, { songList: { length: 4 }, singerList: { length: 2 }, albumList: { length: 2 } })
  t.same(found.songList[0], { id: '5000001', mid: '00DemoSong0001', name: 'First Light', singer: 'The Paper Lanterns' })
  t.ok(found.albumList.every(({ pic }) => pic.startsWith(demo.origin)))
  demo.next(smartbox, { status: 500 })
  t.same(await ask('paper'), found, 'through the second entry')
  t.match(demo.calls(smartbox).at(-1), {
    host: 'c6.y.qq.com', query: { key: 'paper', cv: '4747474', platform: 'yqq.json', needNewCode: '1' }
  })
  demo.next(smartbox, { mutate: (answer) => { answer.data = {} } })
  demo.next(classic, { mutate: ({ data }) => { data.song.list[1] = null } })
  t.match(
    await relayFor(t, demo).getSmartbox({ key: 'paper' }), { result: { songList: { length: 3 } }, skipped: 1 },
    'songs of the search, without one that cannot be read'
  )
  const counted = { mutate: ({ data }: any) => { data.song.list = [] } }
  demo.next(smartbox, { mutate: (answer) => { answer.data = {} } }, 2)
  demo.next(classic, counted)
  t.equal((await ask('paper')).songList.length, 4, 'songs that are counted and not sent are asked for elsewhere')
  demo.next(classic, counted)
  demo.next(other, counted)
  await t.rejects(ask('paper'), { code: 'UPSTREAM_EMPTY' })
  for (const entry of [smartbox, secondBox]) demo.next(entry, { code: -3 })
  await t.rejects(ask('paper'), { code: 'UPSTREAM_REFUSED', statusCode: 502 })
})

test('hot keywords come trimmed and with their heat', async ({ t, relay }) => {
  const { hotkey } = await relay.getHotkey()
  t.ok(hotkey.length >= 20 && hotkey.every(({ k, n }) => k !== '' && k === k.trim() && n > 0))
})

test('real answers of the programs are read: songs, singers, albums', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  const files = ['song', 'singer', 'album'].map((kind) => `getSearchByKey.musicu-${kind}.json`)
  // The number of rows shows which list was requested.
  const answers = ({ data: { body } }: any): unknown =>
    subAnswers(files[['song', 'singer', 'album'].findIndex((kind) => body[kind].list.length > 0)] ?? '')[0]
  kill(demo, classic, other, lite, phone)
  for (const call of [signed, desktop]) {
    demo.next(call, { mutate: answers }, 3)
    const { song, singer, album } = await relay.getSearchByKey({ key: 'paper' }, { cookie: cookieOf(demo, 'ordinary') })
    t.match(song, {
      totalnum: 600, list: [{ id: 713542649, mid: '0019tNGN1TJbLT', interval: 279, album: { id: 99160807 } }]
    }, call)
    t.same(singer.list.map(({ singerID, songNum }) => [singerID, songNum]), [[42, 261], [14798, 153], [96, 882]])
    t.same(
      album.list.map(({ albumID, song_count, albumPic }) => [albumID, song_count, albumPic.startsWith('https:')]),
      [[28839934, 10, true]]
    )
    demo.next(signed, { code: 500003 }, 2)
  }
  demo.reset()
  kill(demo, classic, other, signed, desktop)
  for (const call of [lite, phone]) {
    demo.next(call, { mutate: (answer) => answer.data.body.item_song.length > 0 ? subAnswers(
      'getSearchByKey.musicu-mobile.json'
    )[0] : answer }, 3)
    t.match((await relay.getSearchByKey({ key: 'paper', limit: 10 })).song, {
      totalnum: 600, list: [{ id: 713542649, time_public: '2026-08-05' }, { id: 712837138, interval: 189 }]
    }, call)
    demo.next(lite, { code: 500003 }, Infinity)
  }
})
