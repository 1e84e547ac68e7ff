/** Search: exact pages, a fallback for every source, suggestions, trending searches. */
import t from 'tap'
import type { Test } from 'tap'
import type { SearchResult } from '../schemas/search.ts'
import type { DemoUpstream } from '../src/demo/upstream.ts'
import { checkRecord, cookieOf, demoFor, relayFor, sample, sampleText, serverFor, subAnswers, withoutSamples } from './helper.ts'

const classic = '/soso/fcgi-bin/client_search_cp'
const desktop = 'music.search.SearchCgiService/DoSearchForQQMusicDesktop'
const phone = 'music.search.SearchCgiService/DoSearchForQQMusicMobile'
const smartbox = '/splcloud/fcgi-bin/smartbox_new.fcg'
const hotkey = '/splcloud/fcgi-bin/gethotkey.fcg'
const phoneHotkey = 'music.musicsearch.HotkeyService/GetHotkeyForQQMusicMobile'
const desktopHotkey = 'tencent_musicsoso_hotkey.HotkeyService/GetHotkeyForQQMusicPC'

const faults = [{ code: 500003 }, { body: '<html>no entry</html>' }, { status: 500 }, { subcode: 1, message: 'invalid referer' }] as const

const songIds = ({ song }: SearchResult): number[] => song.list.map(({ id }) => id)

/** Changes every answer of the classic call, for each of its three lists. */
function classically (demo: DemoUpstream, change: (answer: any) => unknown): void {
  demo.next(classic, { mutate: change }, Infinity)
}

t.test('words find songs, singers and albums, over HTTP, in the path and through the library', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const found = await relayFor(t, demo).getSearchByKey({ key: 'paper', limit: 5 })
  checkRecord('getSearchByKey', found)
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

t.test('a search is three questions, asked as the site asks them', async (t) => {
  const demo = await demoFor(t)
  await relayFor(t, demo).getSearchByKey({ key: 'Salt & "Pepper"', limit: 12, page: 3 })
  t.equal(demo.received.length, 3)
  t.same(demo.received.map(({ query }) => query['t']).sort(), ['0', '8', '9'])
  for (const { host, method, path, query, headers } of demo.received) {
    t.match({ host, method, path }, { host: 'c.y.qq.com', method: 'GET', path: classic })
    t.match(query, { w: 'Salt & "Pepper"', n: '12', p: '3', format: 'json', cr: '1', aggr: '1', catZhida: '1', g_tk: '5381', loginUin: '0', remoteplace: 'txt.yqq.song', outCharset: 'utf-8' })
    t.notOk('new_json' in query, 'which would empty the list')
    t.equal(headers['referer'], 'https://y.qq.com/')
  }
})

t.test('a moment of publication that is none costs a song its day, not the search its answer', async (t) => {
  const demo = await demoFor(t)
  const moments = [1e14, 9e14, -5, 253402300800, 1136044800]
  classically(demo, ({ data }) => { data.song?.list.forEach((row: any, at: number) => { row.pubtime = moments[at] }) })
  const { song } = await relayFor(t, demo).getSearchByKey({ key: 'paper', limit: 5 })
  t.same(song.list.map(({ time_public }) => time_public), ['', '', '', '', '2006-01-01'])
})

t.test('zhida is the direct hit, null without one, and absent when it is not wanted', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const relay = relayFor(t, demo)
  t.match(await relay.getSearchByKey({ key: 'The Paper Lanterns' }), { zhida: { type: 'singer', singer: { singerMID: '00DemoSing0001', singerName: 'The Paper Lanterns' } } })
  t.match(await relay.getSearchByKey({ key: 'Harbour Lights & Other Rooms' }), { zhida: { type: 'album', album: { albumMID: '00DemoAlbu0001', albumName: 'Harbour Lights & Other Rooms' } } })
  t.equal((await server.get('/getSearchByKey?key=paper')).body.data.zhida, null)
  demo.reset()
  const without = await server.get('/getSearchByKey?key=The%20Paper%20Lanterns&catZhida=0')
  t.notOk('zhida' in without.body.data)
  t.ok(demo.received.every(({ query }) => query['catZhida'] === '0'))
  t.same(without.body.data.song, (await server.get('/getSearchByKey?key=The%20Paper%20Lanterns&catZhida=1')).body.data.song)
})

t.test('lists that fail are empty, or filled from the direct hit, and never fail the songs', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  classically(demo, (answer) => answer.data.song === undefined ? { code: -1, message: 'no' } : answer)
  const plain = await relay.getSearchByKey({ key: 'paper', limit: 5 })
  t.equal(plain.song.list.length, 5)
  t.same([plain.singer, plain.album], Array.from({ length: 2 }, () => ({ list: [], curnum: 0, curpage: 1, totalnum: 0 })))
  const hit = await relay.getSearchByKey({ key: 'The Paper Lanterns' })
  t.same(hit.singer.list.map(({ singerMID }) => singerMID), ['00DemoSing0001'])
  t.equal(hit.album.list.length, 3)
  t.same((await relay.getSearchByKey({ key: 'Harbour Lights & Other Rooms' })).album.list.map(({ albumMID }) => albumMID), ['00DemoAlbu0001'])
  t.same((await relay.getSearchByKey({ key: 'The Paper Lanterns', page: 2 })).singer.list, [], 'the hit is on the first page only')
})

/** Song ids of all pages of a search. */
async function allSongs (search: (page: number) => Promise<SearchResult>, t: Test, limit: number): Promise<number[]> {
  const ids: number[] = []
  for (let page = 1; ; page++) {
    const found = await search(page)
    t.ok(found.song.list.length <= limit)
    t.equal(found.song.curnum, found.song.list.length)
    t.equal(found.song.curpage, page)
    ids.push(...songIds(found))
    if (page * limit >= found.song.totalnum) return ids
  }
}

t.test('pages joined have no gap and no overlap, whatever their size and whichever source answers', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const key = 'Pt. 2'
  const whole = await allSongs(async (page) => await relay.getSearchByKey({ key, page, limit: 50 }), t, 50)
  t.ok(whole.length > 60)
  t.equal(new Set(whole).size, whole.length)
  for (const limit of [7, 10, 53, 72, 100]) t.same(await allSongs(async (page) => await relay.getSearchByKey({ key, page, limit }), t, limit), whole, `limit ${limit}`)
  demo.next(classic, { code: 500003 }, Infinity)
  for (const limit of [3, 9, 11, 53, 72]) {
    t.same(await allSongs(async (page) => await relay.getSearchByKey({ key, page, limit }, { cookie: cookieOf(demo, 'ordinary') }), t, limit), whole, `desktop, limit ${limit}`)
  }
  const asked = demo.calls(desktop).map(({ body }) => (body as any).req_0.param.num_per_page as number)
  t.ok(asked.every((rows) => rows >= 10 && rows <= 50), 'fewer or more empty the list')
})

t.test('page 0 is page 1, and a page beyond the last one is empty', async (t) => {
  const relay = relayFor(t, await demoFor(t))
  t.same(await relay.getSearchByKey({ key: 'paper', page: 0 }), await relay.getSearchByKey({ key: 'paper', page: 1 }))
  const beyond = await relay.getSearchByKey({ key: 'paper', page: 900 })
  t.same(songIds(beyond), [])
  t.ok(beyond.song.totalnum > 100)
})

t.test('with a login the desktop program answers what the site no longer does', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const healthy = await relay.getSearchByKey({ key: 'paper', limit: 7, page: 2 })
  for (const fault of [...faults, { status: 404 }] as const) {
    demo.reset()
    demo.next(classic, fault, 3)
    const found = await relay.getSearchByKey({ key: 'paper', limit: 7, page: 2 }, { cookie: cookieOf(demo, 'ordinary') })
    t.same(songIds(found), songIds(healthy), JSON.stringify(fault))
    t.same(found.singer, healthy.singer)
    t.same(found.album, healthy.album)
    t.equal(found.zhida, null)
  }
  const bodies = demo.calls(desktop).map(({ body }) => body as any)
  t.same(bodies.map(({ req_0 }) => req_0.param.search_type).sort(), [0, 1, 2])
  for (const { comm, req_0 } of bodies) {
    t.match(comm, { ct: '19', cv: '1859', uin: '1000000101' })
    const { search_type: _, ...param } = req_0.param
    t.same(param, { query: 'paper', page_num: 1, num_per_page: 14 }, 'no search id, at least ten rows')
  }
})

t.test('without a login the phone program is asked, and then the suggestions', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const healthy = await relay.getSearchByKey({ key: 'paper', limit: 3 })
  for (const fault of faults) {
    demo.reset()
    // Singers and albums have no other source: after a failing host they are asked for once more.
    demo.next(classic, fault, 'status' in fault ? 5 : 3)
    const found = await relay.getSearchByKey({ key: 'paper', limit: 3 })
    checkRecord('getSearchByKey', found)
    t.same(songIds(found), songIds(healthy), JSON.stringify(fault))
    t.equal(found.song.totalnum, 4, 'suggestions are few')
    t.same(found.singer.list.map(({ singerID }) => singerID), healthy.singer.list.slice(0, 2).map(({ singerID }) => singerID))
    t.same(found.album.list.map(({ albumID }) => albumID), healthy.album.list.slice(0, 2).map(({ albumID }) => albumID))
    t.equal(demo.calls(desktop).length, 0)
  }
  const [{ body, headers } = { body: undefined, headers: {} }] = demo.calls(phone)
  t.match((body as any).comm, { ct: 11, cv: 14090008, v: 14090008, tmeAppID: 'qqmusic' })
  t.match((body as any).req_0.param, { searchid: /^\d{14}$/, query: 'paper', search_type: 0, page_num: 1, num_per_page: 12, highlight: 0, grp: 1, selectors: {}, vec_selectors: [] })
  t.match(headers, { 'user-agent': /android/ })
  demo.next(classic, { code: 500003 }, 3)
  t.same(songIds(await relay.getSearchByKey({ key: 'paper', limit: 3, page: 2 })).length, 1, 'the fourth suggestion is on page 2')
})

t.test('an empty answer is not believed before the suggestions have nothing either', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  classically(demo, (answer) => {
    for (const section of Object.values<any>(answer.data)) if (Array.isArray(section?.list)) Object.assign(section, { list: [], totalnum: 0, curnum: 0 })
    return answer
  })
  t.equal((await server.get('/getSearchByKey?key=paper')).body.data.song.list.length, 4, 'blocked')
  demo.reset()
  const { status, body } = await server.get('/getSearchByKey?key=zzqqxx&limit=5')
  t.equal(status, 200)
  const empty = { list: [], curnum: 0, curpage: 1, totalnum: 0 }
  t.same(body.data, { keyword: 'zzqqxx', song: empty, singer: empty, album: empty, zhida: null })
  t.equal(demo.calls(smartbox).length, 1)
})

t.test('a dead cookie does not end a public search', async (t) => {
  const demo = await demoFor(t)
  const cookie = cookieOf(demo, 'expired')
  demo.next(classic, { code: 1000 }, 3)
  demo.next(desktop, { code: 1000 }, 3)
  t.equal((await relayFor(t, demo).getSearchByKey({ key: 'paper' }, { cookie })).song.list.length, 4)
})

t.test('when no source answers the search fails with what the upstream did', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const hasty = await serverFor(t, demo, { deadlineMs: 300 })
  for (const [fault, status, code] of [
    [{ code: 500003 }, 502, 'UPSTREAM_REFUSED'], [{ body: '<html>' }, 502, 'UPSTREAM_UNREADABLE'], [{ body: '{"code":0,"data":{}}' }, 502, 'UPSTREAM_UNREADABLE'], [{ hang: true }, 504, 'UPSTREAM_TIMEOUT']
  ] as const) {
    demo.reset()
    for (const call of [classic, phone, smartbox]) demo.next(call, call === smartbox && 'body' in fault ? { body: 'x' } : fault, Infinity)
    const reply = await ('hang' in fault ? hasty : server).get('/getSearchByKey?key=paper')
    t.match([reply.status, reply.body.code], [status, code], JSON.stringify(fault))
  }
})

t.test('suggestions are three lists of texts, or three empty ones', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const { status, body } = await server.get('/getSmartbox?key=zz%20%26%20yy')
  t.equal(status, 200)
  t.same(body.data.result, { songList: [], singerList: [], albumList: [] })
  t.match(demo.calls(smartbox)[0], { host: 'c.y.qq.com', query: { key: 'zz & yy', format: 'json', is_xml: '0', outCharset: 'utf-8' }, headers: { referer: 'https://y.qq.com/' } })
  const found = await relayFor(t, demo).getSmartbox({ key: 'paper' })
  checkRecord('getSmartbox', found)
  t.same(found, (await server.get('/getSmartbox?key=paper')).body.data)
  t.same([found.result.songList.length, found.result.singerList.length, found.result.albumList.length], [4, 2, 2])
  t.same(found.result.songList[0], { id: '5000001', mid: '00DemoSong0001', name: 'First Light', singer: 'The Paper Lanterns' })
  t.ok(found.result.albumList.every(({ pic }) => pic.startsWith(demo.origin)))
  demo.next(smartbox, { code: -3 })
  t.match(await server.get('/getSmartbox?key=paper'), { status: 502, body: { code: 'UPSTREAM_REFUSED' } })
})

t.test('hot keywords come trimmed and with their heat, from one of three sources', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const relay = relayFor(t, demo)
  const healthy = await relay.getHotkey()
  checkRecord('getHotkey', healthy)
  t.ok(healthy.hotkey.length >= 20)
  t.ok(healthy.hotkey.every(({ k, n }) => k !== '' && k === k.trim() && n > 0))
  t.same((await server.get('/getHotkey')).body, { code: 0, msg: 'ok', data: healthy })
  t.match(demo.calls(hotkey)[0], { query: { format: 'json', g_tk: '5381' }, headers: { referer: 'https://y.qq.com/' } })
  for (const fault of [...faults, { mutate: (answer: any) => { answer.data.hotkey = [] } }] as const) {
    demo.reset()
    demo.next(hotkey, fault)
    t.same(await relay.getHotkey(), healthy)
    t.match(demo.calls(phoneHotkey)[0]?.body, { comm: { ct: 11 }, req_0: { param: { search_id: /^\d+$/ } } })
    demo.next(hotkey, { code: 1 })
    demo.next(phoneHotkey, { code: 500003 })
    t.same(await relay.getHotkey(), healthy)
    t.match(demo.calls(desktopHotkey)[0]?.body, { comm: { ct: '19', cv: '1803', guid: '0', tmeAppID: 'qqmusic', tmeLoginType: 0, uin: '0' }, req_0: { param: { search_id: '', uin: 0 } } })
  }
  for (const call of [hotkey, phoneHotkey, desktopHotkey]) demo.next(call, { code: 500003 })
  t.match(await server.get('/getHotkey'), { status: 502, body: { code: 'UPSTREAM_REFUSED' } })
})

t.test('bad input is refused by name, before anything is asked', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  for (const [path, field] of [
    ['/getSearchByKey', 'key'], ['/getSearchByKey?key=', 'key'], ['/getSearchByKey?key=%20%09', 'key'], ['/getSearchByKey/%20', 'key'], [`/getSearchByKey?key=${'a'.repeat(201)}`, 'key'],
    ['/getSearchByKey?key=a&limit=0', 'limit'], ['/getSearchByKey?key=a&limit=101', 'limit'], ['/getSearchByKey?key=a&limit=1e1', 'limit'],
    ['/getSearchByKey?key=a&page=-1', 'page'], ['/getSearchByKey?key=a&page=10001', 'page'], ['/getSearchByKey?key=a&catZhida=2', 'catZhida'], ['/getSearchByKey?key=a&catZhida=true', 'catZhida'],
    ['/getSmartbox', 'key'], ['/getSmartbox?key=%20', 'key'], [`/getSmartbox?key=${'a'.repeat(201)}`, 'key']
  ] as const) {
    const { status, body } = await server.get(path)
    t.match({ status, ...body }, { status: 400, code: 'INVALID_INPUT', error: new RegExp(`^${field}: `) }, path)
  }
  t.equal(demo.received.length, 0)
  t.equal((await server.get(`/getSearchByKey?key=${'%F0%9F%8E%B5'.repeat(200)}`)).status, 200, '200 characters, not 200 units')
})

t.test('real answers of the site are read: songs, albums, nothing', { skip: withoutSamples }, async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  classically(demo, (answer) => answer.data.song ? sample('getSearchByKey.json') : answer.data.album ? sample('getSearchByKey.album-t8.json') : answer)
  const found = await relay.getSearchByKey({ key: 'x' })
  checkRecord('getSearchByKey', found)
  t.same(found.song.list.map(({ id, mid, interval, time_public }) => [id, mid, interval, time_public]), [
    [107345779, '000zkPrb2O7BBW', 223, '2005-11-04'], [102786427, '001NS6mJ3SJeCM', 241, '2008-11-10'], [783354, '001JDoGv0NiN5t', 187, '2010-12-30']
  ])
  t.equal(found.song.totalnum, 397)
  t.notMatch(found.song.list[2]?.singer[0]?.name, /&#/)
  t.equal(found.zhida, null)
  t.same(found.album.list.map(({ albumID, publicTime, song_count, singerMID }) => [albumID, publicTime, song_count, singerMID]), [[5597202, '2018-12-18', 10, '000djEdv2aAycA'], [5500617, '2018-12-10', 1, '001fNHEf1SFEFN']])
  t.equal(found.album.totalnum, 95)
  t.match(found.album.list[1]?.singerName, /^G\.E\.M\. .+\/.+$/)
  t.match(found.album.list[0]?.albumPic, /^https:/)

  demo.reset()
  classically(demo, () => sample('getSearchByKey.empty.json'))
  demo.next(smartbox, { body: sampleText('getSmartbox.json') })
  const suggested = await relay.getSearchByKey({ key: 'x' })
  t.same(songIds(suggested), [97773, 5177680, 102065750, 410316])
  t.same(suggested.singer.list.map(({ singerID }) => singerID), [4558, 1561248])
})

t.test('real answers of the programs are read: songs, singers, albums, blocked', { skip: withoutSamples }, async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const files = ['getSearchByKey.musicu-song.json', 'getSearchByKey.musicu-singer.json', 'getSearchByKey.musicu-album.json']
  demo.next(classic, { code: 500003 }, Infinity)
  demo.next(desktop, {
    // The number of rows shows which list was requested.
    mutate: (answer) => subAnswers(files[['song', 'singer', 'album'].findIndex((kind) => answer.data.body[kind].list.length > 0)] ?? '')[0]
  }, 3)
  const found = await relay.getSearchByKey({ key: 'paper' }, { cookie: cookieOf(demo, 'ordinary') })
  checkRecord('getSearchByKey', found)
  t.match(found.song, { totalnum: 600, list: [{ id: 713542649, mid: '0019tNGN1TJbLT', interval: 279, album: { id: 99160807 } }] })
  t.same(found.singer.list.map(({ singerID, songNum }) => [singerID, songNum]), [[42, 261], [14798, 153], [96, 882]])
  t.same(found.album.list.map(({ albumID, song_count }) => [albumID, song_count]), [[28839934, 10]])

  demo.next(phone, { mutate: () => subAnswers('getSearchByKey.musicu-mobile.json')[0] }, 1)
  const byPhone = await relay.getSearchByKey({ key: 'paper', limit: 10 })
  checkRecord('getSearchByKey', byPhone)
  t.match(byPhone.song, { totalnum: 600, list: [{ id: 713542649, time_public: '2026-08-05' }, { id: 712837138, interval: 189 }] })

  demo.next(phone, { mutate: () => subAnswers('getSearchByKey.musicu-blocked.json')[0] })
  t.equal((await relay.getSearchByKey({ key: 'paper' })).song.totalnum, 4)
})

t.test('real suggestions and hot keywords are read', { skip: withoutSamples }, async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  demo.next(smartbox, { body: sampleText('getSmartbox.json') })
  const { result } = await relay.getSmartbox({ key: 'x' })
  checkRecord('getSmartbox', { result })
  t.same(result.songList.map(({ id }) => id), ['97773', '5177680', '102065750', '410316'])
  t.same(result.singerList.map(({ mid }) => mid), ['0025NhlN2yWrP4', '00203xA13apUJN'])
  t.same(result.albumList.map(({ id, pic }) => [id, pic.slice(0, 8)]), [['36062', 'https://'], ['60671', 'https://']])

  demo.next(hotkey, { body: sampleText('getHotkey.json') })
  t.same((await relay.getHotkey()).hotkey.map(({ k, n }) => [k.length, n]), [[3, 85228], [4, 81282], [3, 78055], [3, 70432], [3, 65388]])
  demo.next(hotkey, { code: 1 })
  demo.next(phoneHotkey, { mutate: () => subAnswers('getHotkey.musicu.json')[0] })
  const newer = await relay.getHotkey()
  checkRecord('getHotkey', newer)
  t.same(newer.hotkey.map(({ k, n }) => [k.length, n]), [[6, 405528], [4, 341521]])
})
