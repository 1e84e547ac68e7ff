/** Search: exact pages, what each source is asked and how it is read, suggestions, trending searches. Dead sources: search-links.test.ts. */
import t from 'tap'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { commOf, cookieOf, demoFor, serverFor, subAnswers, withoutSamples } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'
import { desktop, lite, pagesSearch as other, phone, signed, siteSearch as classic, smartbox } from '../support/wires.ts'

/** Makes calls fail until the demo is reset. */
function kill (demo: DemoUpstream, ...calls: readonly string[]): void {
  for (const call of calls) demo.next(call, { code: 500003 }, Infinity)
}

test('words find songs, singers and albums, over HTTP, in the path and through the library', async ({ t, demo, relay, server }) => {
  const found = await relay.getSearchByKey({ key: 'paper', limit: 5 })
  t.equal(found.keyword, 'paper')
  t.match(found.song, { curnum: 5, curpage: 1 })
  t.ok(found.song.totalnum > 100)
  t.ok(found.song.list.every(({ id, mid, title, singer }) => id > 0 && mid !== '' && title !== '' && singer.length > 0))
  t.equal(found.singer.list.length, 5)
  t.ok(found.singer.list.every(({ singerName, singerPic, songNum }) => /paper|纸/i.test(singerName) || singerPic.startsWith(demo.origin) || songNum > 0))
  t.equal(found.album.list.length, 5)
  t.ok(found.album.list.every(({ albumMID, albumName, publicTime, singerName }) => albumMID !== '' && albumName !== '' && /^\d{4}-\d\d-\d\d$/.test(publicTime) && singerName !== ''))
  for (const path of ['/getSearchByKey?key=paper&limit=5', '/getSearchByKey/paper?limit=5']) {
    const { status, body } = await server.get(path)
    t.equal(status, 200)
    t.same(body, { code: 0, msg: 'ok', data: found }, path)
  }
})

test('a search is two questions: the site for songs, shortly, and the light program for albums and singers', async ({ t, demo, relay }) => {
  await relay.getSearchByKey({ key: 'paper', limit: 12, page: 3 })
  t.equal(demo.received.length, 2)
  const [site, program = { body: {} }] = demo.received
  t.match(site, { host: 'c.y.qq.com', method: 'GET', path: classic, headers: { referer: 'https://y.qq.com/' } })
  t.same(site?.query, { format: 'json', n: '12', p: '3', w: 'paper', cr: '1', g_tk: '5381', t: '0' }, 'anything more may empty the list')
  t.match(program, { host: 'u.y.qq.com', path: '/cgi-bin/musicu.fcg', calls: [lite, lite], headers: { 'user-agent': 'okhttp/3.14.9' } })
  const { comm, ...calls } = program.body as any
  t.match(comm, { ct: 11, cv: '1003006', v: '1003006', os_ver: '12', phonetype: '0', devicelevel: '31', tmeAppID: 'qqmusiclight', nettype: 'NETWORK_WIFI', udid: '0' })
  for (const [key, search_type] of [['req_0', 2], ['req_1', 1]] as const) {
    t.match(calls[key].param, { search_id: /^\d{14}$/, remoteplace: 'search.android.keyboard', query: 'paper', search_type, num_per_page: 12, page_num: 3, highlight: 0, nqc_flag: 0, page_id: 1, grp: 1 })
  }
})

test('the other sources are asked in the form of their own clients', async ({ t, demo }) => {
  kill(demo, classic, other, lite, signed, phone, desktop)
  await relayFor(t, demo).getSearchByKey({ key: 'paper', limit: 7, page: 2 })
  t.same(demo.received.map(({ host, calls }) => [host, calls[0]]), [
    ['c.y.qq.com', classic], ['c.y.qq.com', other], ['u.y.qq.com', lite], ['u.y.qq.com', signed], ['u.y.qq.com', phone], ['u.y.qq.com', desktop], ['c.y.qq.com', smartbox]
  ])
  t.same(demo.calls(other)[0]?.query, { w: 'paper', p: '2', n: '7', format: 'json' })
  const firstOf = (call: string): any => demo.calls(call)[0]?.body
  const bySigned = firstOf(signed)
  t.match(bySigned['music.search.SearchCgiService'].param, { grp: 1, num_per_page: 14, page_num: 1, query: 'paper', remoteplace: 'txt.newclient.top', search_type: 0, searchid: /^[0-9A-F]{32}\d{5}$/ })
  t.match(bySigned.comm, { ct: '19', cv: '2151', guid: /^[0-9A-F]{32}$/, wid: /^\d{19}$/ })
  t.match(firstOf(phone).comm, { ct: 11, cv: 1601, v: 1601, tmeAppID: 'qqmusic' })
  t.match(firstOf(phone).req_0.param, { searchid: /^\d{14}$/, query: 'paper', search_type: 0, page_num: 1, num_per_page: 14, highlight: 0, grp: 1, selectors: {}, vec_selectors: [] })
  t.same(firstOf(desktop).comm, { ct: '19', cv: '1859', uin: '0' })
  t.same(firstOf(desktop).req_0.param, { query: 'paper', page_num: 1, num_per_page: 14, search_type: 0 }, 'no search id')
  const { wid } = bySigned.comm
  demo.reset()
  kill(demo, classic, other, lite)
  await relayFor(t, demo).getSearchByKey({ key: 'paper' })
  t.not(commOf(demo.calls(signed)[0]).wid, wid, 'each relay is a device of its own')
})

test('a moment of publication that is none costs a song its day, not the search its answer', async ({ t, demo, relay }) => {
  const moments = [1e14, 9e14, -5, 253402300800, 1136044800]
  demo.next(classic, { mutate: ({ data }) => { data.song.list.forEach((row: any, at: number) => { row.pubtime = moments[at] }) } })
  const { song } = await relay.getSearchByKey({ key: 'paper', limit: 5 })
  t.same(song.list.map(({ time_public }) => time_public), ['', '', '', '', '2006-01-01'])
})

test('zhida is the direct hit, null without one, and absent when it is not wanted', async ({ t, demo, relay, server }) => {
  const singer = { zhida: { type: 'singer', singer: { singerMID: '00DemoSing0001', singerName: 'The Paper Lanterns' } } }
  const album = { zhida: { type: 'album', album: { albumMID: '00DemoAlbu0001', albumName: 'Harbour Lights & Other Rooms' } } }
  for (const dead of [[], [classic], [classic, other, lite]]) {
    demo.reset()
    kill(demo, ...dead)
    t.match(await relay.getSearchByKey({ key: 'The Paper Lanterns' }), singer, `without ${dead.join(', ')}`)
    t.match(await relay.getSearchByKey({ key: ' harbour lights & other rooms ' }), album, 'the words name it, whichever source finds it')
    t.equal((await server.get('/getSearchByKey?key=paper')).body.data.zhida, null)
  }
  demo.reset()
  const without = await server.get('/getSearchByKey?key=The%20Paper%20Lanterns&catZhida=0')
  t.notOk('zhida' in without.body.data)
  t.same(without.body.data.song, (await server.get('/getSearchByKey?key=The%20Paper%20Lanterns&catZhida=1')).body.data.song)
})

test('albums and singers that no source has never fail the songs, and the answer is kept briefly', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { cache: true })
  kill(demo, lite, signed, phone, desktop, smartbox, `c6.y.qq.com${smartbox}`)
  const { status, body, headers } = await server.get('/getSearchByKey?key=paper&limit=5')
  t.equal(status, 200)
  t.equal(body.data.song.list.length, 5)
  t.same([body.data.singer, body.data.album], Array.from({ length: 2 }, () => ({ list: [], curnum: 0, curpage: 1, totalnum: 0 })))
  t.match(headers.get('cache-control'), /max-age=10\b/)
})

t.test('songs that a program found stay when its albums fail: other sources are asked for albums and singers only', async (t) => {
  const demo = await demoFor(t, { moods: ['search-500', 'search-for-500'] })
  const relay = relayFor(t, demo)
  demo.next(`${lite}?search_type=2`, { code: 500003 }, 10)
  const { song, album, singer } = await relay.getSearchByKey({ key: 'paper' })
  t.same([song.list.length, album.list.length > 4, singer.list.length > 0], [10, true, true])
  t.same(demo.calls(lite).map(({ calls }) => calls.length), [3, 2], 'the songs were asked for once')
  t.equal(demo.calls(signed).some(({ calls }) => calls.length > 2), false)
})

test('an empty answer is believed when a second source and the suggestions have nothing either', async ({ t, demo, server }) => {
  const { status, body } = await server.get('/getSearchByKey?key=zzqqxx&limit=5')
  t.equal(status, 200)
  const empty = { list: [], curnum: 0, curpage: 1, totalnum: 0 }
  t.same(body.data, { keyword: 'zzqqxx', song: empty, singer: empty, album: empty, zhida: null })
  t.same(demo.received.map(({ calls }) => calls[0]), [classic, lite, smartbox], 'no further program is troubled')
  demo.reset()
  kill(demo, smartbox, `c6.y.qq.com${smartbox}`)
  t.match(await server.get('/getSearchByKey?key=zzqqyy'), { status: 200, body: { data: { song: empty } } }, 'two sources agree')
  demo.reset()
  kill(demo, classic, other, lite, signed, phone, desktop)
  t.match(await server.get('/getSearchByKey?key=zzqqzz'), { status: 200, body: { data: { song: empty } } }, 'only the suggestions are left')
})

test('a dead cookie does not end a public search', async ({ t, demo, relay }) => {
  const cookie = cookieOf(demo, 'expired')
  for (const call of [classic, other, lite, desktop]) demo.next(call, { code: 1000 }, Infinity)
  const { song, album, singer } = await relay.getSearchByKey({ key: 'paper' }, { cookie })
  t.same([song.list.length, album.list.length > 2, singer.list.length > 2], [10, true, true])
})

test('when no source answers the search fails with what the upstream did', async ({ t, demo, server, hasty }) => {
  for (const [fault, status, code] of [
    [{ code: 500003 }, 502, 'UPSTREAM_REFUSED'], [{ body: '<html>' }, 502, 'UPSTREAM_UNREADABLE'], [{ body: '{"code":0,"data":{}}' }, 502, 'UPSTREAM_UNREADABLE'], [{ hang: true }, 504, 'UPSTREAM_TIMEOUT']
  ] as const) {
    demo.reset()
    for (const call of [classic, other, lite, signed, phone, desktop, smartbox]) demo.next(call, call === smartbox && 'body' in fault ? { body: 'x' } : fault, Infinity)
    const reply = await ('hang' in fault ? hasty : server).get('/getSearchByKey?key=paper')
    t.match([reply.status, reply.body.code], [status, code], JSON.stringify(fault))
  }
})

test('suggestions are three lists of texts, or three empty ones', async ({ t, demo, server }) => {
  const { status, body } = await server.get('/getSmartbox?key=zz%20%26%20yy')
  t.equal(status, 200)
  t.same(body.data.result, { songList: [], singerList: [], albumList: [] })
  t.match(demo.calls(smartbox)[0], { host: 'c.y.qq.com', query: { key: 'zz & yy', format: 'json', is_xml: '0', outCharset: 'utf-8' }, headers: { referer: 'https://y.qq.com/' } })
  const found = await relayFor(t, demo).getSmartbox({ key: 'paper' })
  t.same(found, (await server.get('/getSmartbox?key=paper')).body.data)
  t.same([found.result.songList.length, found.result.singerList.length, found.result.albumList.length], [4, 2, 2])
  t.same(found.result.songList[0], { id: '5000001', mid: '00DemoSong0001', name: 'First Light', singer: 'The Paper Lanterns' })
  t.ok(found.result.albumList.every(({ pic }) => pic.startsWith(demo.origin)))
  demo.next(smartbox, { status: 500 })
  t.same((await relayFor(t, demo).getSmartbox({ key: 'paper' })), found, 'through the second entry')
  t.match(demo.calls(smartbox).at(-1), { host: 'c6.y.qq.com', query: { key: 'paper', cv: '4747474', platform: 'yqq.json', needNewCode: '1' } })
  for (const entry of [smartbox, `c6.y.qq.com${smartbox}`]) demo.next(entry, { code: -3 })
  t.match(await server.get('/getSmartbox?key=paper'), { status: 502, body: { code: 'UPSTREAM_REFUSED' } })
})

test('hot keywords come trimmed and with their heat', async ({ t, demo, relay }) => {
  const { hotkey } = await relay.getHotkey()
  t.ok(hotkey.length >= 20)
  t.ok(hotkey.every(({ k, n }) => k !== '' && k === k.trim() && n > 0))
  t.match(demo.received[0]?.body, { comm: { ct: '19', cv: '1803', guid: '0', tmeAppID: 'qqmusic', tmeLoginType: 0, uin: '0' }, req_0: { param: { search_id: '', uin: 0 } } })
})

test('real answers of the programs are read: songs, singers, albums, blocked', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  const files = ['getSearchByKey.musicu-song.json', 'getSearchByKey.musicu-singer.json', 'getSearchByKey.musicu-album.json']
  // The number of rows shows which list was requested.
  const answers = (answer: any): unknown => subAnswers(files[['song', 'singer', 'album'].findIndex((kind) => answer.data.body[kind].list.length > 0)] ?? '')[0]
  kill(demo, classic, other, lite, phone)
  for (const call of [signed, desktop]) {
    demo.next(call, { mutate: answers }, 3)
    const found = await relay.getSearchByKey({ key: 'paper' }, { cookie: cookieOf(demo, 'ordinary') })
    t.match(found.song, { totalnum: 600, list: [{ id: 713542649, mid: '0019tNGN1TJbLT', interval: 279, album: { id: 99160807 } }] }, call)
    t.same(found.singer.list.map(({ singerID, songNum }) => [singerID, songNum]), [[42, 261], [14798, 153], [96, 882]])
    t.same(found.album.list.map(({ albumID, song_count }) => [albumID, song_count]), [[28839934, 10]])
    t.match(found.album.list[0]?.albumPic, /^https:/)
    demo.next(signed, { code: 500003 })
  }

  demo.reset()
  kill(demo, classic, other, signed, desktop)
  for (const call of [lite, phone]) {
    demo.next(call, { mutate: (answer) => answer.data.body.item_song.length > 0 ? subAnswers('getSearchByKey.musicu-mobile.json')[0] : answer }, 3)
    const found = await relay.getSearchByKey({ key: 'paper', limit: 10 })
    t.match(found.song, { totalnum: 600, list: [{ id: 713542649, time_public: '2026-08-05' }, { id: 712837138, interval: 189 }] }, call)
    demo.next(lite, { code: 500003 }, Infinity)
  }

  demo.reset()
  kill(demo, classic, other, lite, phone, desktop)
  demo.next(signed, { mutate: () => subAnswers('getSearchByKey.musicu-blocked.json')[0] })
  t.equal((await relay.getSearchByKey({ key: 'paper' })).song.totalnum, 4)
})
