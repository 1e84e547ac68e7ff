/** Apps of other relays: which of their routes are answered here, as what, and what the others are told. */
import t from 'tap'
import { formsOf } from '../../src/relay/endpoint.ts'
import { moved as places } from '../../build/docs/moved.ts'
import { oldRoutes } from '../../src/players/relays/oldRoutes.ts'
import { createSuggestions } from '../../src/players/relays/suggest.ts'
import { distance } from '../../src/common/distance.ts'
// The routes of @sansenjian/qq-music-api 2.2.10, as its own router lists them (npm run foreign compares).
// @ts-expect-error no types.
import { routes as published } from '../foreign/rows.js'
import { queryOf } from '../support/asks.ts'
import { endpoints } from '../support/helper.ts'
import { sharedStage } from '../support/stage.ts'

const test = sharedStage('apps of other relays')

const ours = new Map(Object.values(endpoints)
  .flatMap((endpoint) => formsOf(endpoint).map(({ path }) => [path, endpoint.method] as const)))

t.test('the table names every route of the published relay, its own routes exist, and no alias hides a route', async (t) => {
  const known = new Set(oldRoutes.filter(({ of }) => of.includes('S'))
    .map(({ method, path }) => `${method} ${path.replaceAll('?', '')}`))
  for (const route of Object.keys(published as object)) {
    t.ok(known.has(route) || known.has(`${route}/:limit/:categoryId/:sortId`), route)
  }
  t.equal(new Set(oldRoutes.map(({ method, path }) => `${method} ${path}`)).size, oldRoutes.length, 'each once')
  for (const { method, path, fate, here } of oldRoutes) {
    if (fate === 'same') t.equal(ours.get(path), method, path)
    else t.notOk(ours.has(path.replaceAll('?', '')), `${path} is free`)
    if (fate === 'alias') t.equal(ours.get(here), method, `${path} is answered as ${here}`)
    if (fate === 'instead') t.ok(ours.has(here) || here === '/metrics' || here === 'music-relay login', `${here} exists`)
    if (fate === 'none') t.equal(here, '')
  }
})

test('where a value moved to, there it is in the answer', async ({ t, server }) => {
  const routes = oldRoutes.filter(({ path }) => !path.includes(':'))
    .map((route) => ({ ...route, moved: /[SR]/.test(route.of) ? places[route.path] : undefined }))
  for (const { method, path, here, moved, added } of routes) {
    if (moved === undefined) continue
    // All charts have no example, because that of the route here is one chart.
    const example = path === '/getTopLists' ? {}
      : { ...Object.values(endpoints).find((endpoint) => endpoint.path === here)?.example, ...added }
    const { status, body } = method === 'POST' ? await server.post(path, example)
      : await server.get(`${path}?${queryOf(example)}`)
    const value = moved.here.split(/[.[\]]+/).filter((name) => name !== '')
      .reduce<unknown>((record, name) => (record as Record<string, unknown> | undefined)?.[name], body)
    t.equal(status, 200, path)
    t.ok(value, `${path}: ${moved.here}`)
    t.not(moved.earlier, moved.here, path)
  }
})

test('an alias is answered like the route behind it: path parameters, other names, constants, later pages', async ({ t, server }) => {
  const pairs: readonly (readonly [string, string])[] = [
    ['/getRanks/62/10/1', '/getRanks?topId=62&limit=10&page=1'],
    ['/getRanks/62?limit=3&topId=4', '/getRanks?topId=62&limit=3'],
    ['/getTopLists', '/getRanks'],
    ['/getSearchByKey/First%20Light%26more/2', '/getSearchByKey?key=First%20Light%26more&limit=2'],
    ['/getSmartbox/First', '/getSmartbox?key=First'],
    ['/getSmartbox/a+b', '/getSmartbox?key=a%2Bb'],
    ['/getSongLists/0/2/6/5', '/getSongLists?limit=2&categoryId=6'],
    ['/getSongInfo/00DemoSong0001/5000001', '/getSongInfo?songmid=00DemoSong0001&songid=5000001'],
    ['/getLyric/00DemoSong0001/1', '/getLyric?songmid=00DemoSong0001&isFormat=1'],
    ['/getLyric?songmid=00DemoSong0001&isFormat=true', '/getLyric?songmid=00DemoSong0001&isFormat=1'],
    ['/getLyric?songmid=00DemoSong0001&isFormat=false', '/getLyric?songmid=00DemoSong0001'],
    ['/getSingerMV?singermid=00DemoSing0001&limit=2', '/getSingerMv?singermid=00DemoSing0001&limit=2'],
    ['/getAlbumInfo/00DemoAlbu0001', '/getAlbumInfo?albummid=00DemoAlbu0001'],
    ['/getSingerList/3/1/-1/5/1', '/getSingerList?area=3&sex=1&genre=-1&page=1'],
    ['/getSingerListByArea?area=3&pagesize=5', '/getSingerList?area=3&limit=5'],
    ['/getSingerAlbum/00DemoSing0001/3/2', '/getSingerAlbum?singermid=00DemoSing0001&limit=3&page=2'],
    ['/getPlaylistTags', '/getSongListCategories'],
    ['/getPlaylistsByTag?tagId=6&num=2', '/getSongLists?categoryId=6&limit=2'],
    ['/getHotComments?id=5000001&type=1&pagesize=3', '/getComments?id=5000001&biztype=1&reqtype=3&pagesize=3'],
    ['/getComments/5000001/song_1_2/205360772/3/0', '/getComments?id=5000001&pagesize=3&pagenum=0'],
    ['/getMvPlay/demoV000004', '/getMvPlay?vid=demoV000004'],
    ['/getSingerMV?singermid=00DemoSing0001&order=all&limit=2', '/getSingerMv?singermid=00DemoSing0001&limit=2'],
    ['/getSingerMV?singermid=00DemoSing0001&order=time&limit=2', '/getSingerMv?singermid=00DemoSing0001&order=time&limit=2'],
    ['/getSingerMv/00DemoSing0001/2/all', '/getSingerMv?singermid=00DemoSing0001&limit=2'],
    ['/getranks?topId=62&limit=3', '/getRanks?topId=62&limit=3'],
    ['/GETRANKS/62/3', '/getRanks?topId=62&limit=3'],
    ['/getsonginfo/00DemoSong0001', '/getSongInfo?songmid=00DemoSong0001'],
    ['/gettoplists', '/getRanks']
  ]
  for (const [old, route] of pairs) {
    const [before, now] = [await server.get(old), await server.get(route)]
    t.equal(before.status, 200, `${old}: ${before.text.slice(0, 200)}`)
    // Addresses of films have a key of the second in which they were asked for.
    const [one, other] = [before, now].map(({ text }) => text.replaceAll(/(?<=\/film\/(?:backup\/)?)[0-9A-F]+/g, ''))
    t.equal(one, other, old)
  }
  t.match(await server.get('/getMusicVKey/00DemoSong0001'), { status: 200, body: { data: { url: /00DemoSong0001/ } } })
  t.match(await server.get('/getsingermv?singermid=00DemoSing0001&order=all'), { status: 400, body: { error: /^order: / } }, 'the route itself takes what it documents')
  t.match(await server.get('/getranks/x'), { status: 400, body: { error: /^topId: / } })
  const code = await server.get('/getQQLoginQr')
  t.match(code.body, { qrsig: /./, ptqrtoken: /^\d+$/ })
  const checked = await server.post('/user/checkQQLoginQr', { qrsig: (code.body as { qrsig: string }).qrsig })
  t.match(checked, { status: 200, body: { isOk: false } })
  t.match(await server.get('/checkWXLoginQr'), { status: 405, body: { error: 'This path answers POST only, with a JSON body.' } })
  t.match(await server.get('/getDailyRecommend'), { status: 401 })
})

test('a path in other letters is the route itself: methods, path parameters and what is logged and limited', async ({ t, server }) => {
  t.match(await server.get('/checkmainloginqr'), { status: 405, body: { error: 'This path answers POST only, with a JSON body.' } })
  t.match(await server.get('/USER/getuserlikedsongs'), { status: 401, body: { code: 'LOGIN_REQUIRED' } })
  server.log.length = 0
  t.match(await server.get('/STREAM/00DemoSong0001'), { status: 302 })
  t.match(server.log.map((line) => JSON.parse(line) as unknown), [{ route: '/stream/:songmid' }])
  t.match(await server.get('/getsonginfo/00demosong0001'), { status: 404, body: { code: 'NOT_FOUND' } }, 'an id keeps its letters')
  for (const path of ['/HEALTH', '/Docs', '/Login']) {
    t.match(await server.get(path), { status: 404, body: { code: 'ROUTE_NOT_FOUND' } }, `${path} is no endpoint`)
  }
})

test('every alias that needs no login leads to its route', async ({ t, server }) => {
  for (const { method, path, here } of oldRoutes.filter(({ fate }) => fate === 'alias')) {
    const filled = path.replaceAll(/:(\w+)\??/g, '1')
    const { status, body } = method === 'GET' ? await server.get(filled) : await server.post(filled, {})
    t.not((body as { code?: unknown }).code, 'ROUTE_NOT_FOUND', `${filled} is ${here}`)
    t.not(status, 405, filled)
  }
})

test('a 404 says what the path was probably meant to be, in words of its own', async ({ t, server }) => {
  const said = async (path: string): Promise<string> => {
    const { status, body } = await server.get(path)
    t.match([status, body], [404, { code: 'ROUTE_NOT_FOUND', error: /^There is no such route\. .*do not end with a slash/ }], path)
    return (body as { error: string }).error
  }
  for (const [path, meant] of [
    ['/getRanks/', '/getRanks'], ['/getranks/', '/getRanks'], ['/getLyrics', '/getLyric'], ['/getLyrics/00DemoSong0001', '/getLyric/:songmid'],
    ['/getSongListDetial', '/getSongListDetail'], ['/user/getUserLikeSongs', '/user/getUserLikedSongs'], ['/getTopList', '/getTopLists'], ['/health/lives', '/health/live'],
    ['/user/getDailyRecommend', '/getDailyRecommend'], ['/user/getSongInfos', '/getSongInfo'],
    ['/health', '/health/live, /health/ready or /health/upstream'], ['/getSong', '/getSongInfo, /getSongLists or /getSongListDetail'], ['/api/getLyric', '/getLyric'],
    ['/getUserPlaylists', '/user/getUserPlaylists'], ['/getUserLikeSongs', '/user/getUserLikedSongs']
  ] as const) t.match(await said(path), `Did you mean ${meant}?`, path)
  t.match(await said('/lyric?songmid=1'), 'Instead of this route of another relay, use /getLyric ')
  t.match(await said('/metrics'), ' /metrics is switched off; METRICS=true turns it on.')
  t.match(await said('/meting'), ' /meting is switched off; METING=true turns it on.')
  for (const path of ['/METING', '/meting/']) {
    t.match(createSuggestions()(path, ['/getRanks', '/meting']), { path: '/meting' }, `${path}, where it is switched on`)
  }
  t.match(await said('/songlist/add'), 'This relay has nothing for this route')
  for (const path of ['/nothing', '/getRanks/a/b/c/d/e', '/<script>alert(1)</script>', `/getRanks${'x'.repeat(500)}`, '/getRankz%00', '/a/b/c/d/e/f/g/h/i/j/k']) {
    const error = await said(path)
    if (!path.startsWith('/getRankz')) t.notMatch(error, /Did you mean/, path)
    t.notMatch(error, /script|xxx|Rankz|nothing /, 'nothing of the path comes back')
  }
})

test('a word with a slash in a path is refused with how to write it; the paths of the other relays remain', async ({ t, server }) => {
  for (const path of ['/getSearchByKey/AC/DC', '/getSearchByKey/AC/DC/7', '/getSearchByKey/7/AC', '/getSearchByKey/22/7', '/getSearchByKey/22/7/1/0/5', '/getsmartbox/AC/DC', '/getSearchByKey/AC//DC', `/getSearchByKey/${'a'.repeat(80)}/b`]) {
    t.match(await server.get(path), {
      status: 400, body: { code: 'INVALID_INPUT', error: /^path: key is one part .*%2F.*\?key=.*斜杠/ }
    }, path)
  }
  for (const path of [
    '/getSearchByKey/AC%2FDC', '/getSearchByKey/22%2F7', '/getSearchByKey/First/7', '/getSearchByKey/22/7/1',
    '/getSearchByKey/First/2/0/1', '/getSmartbox/AC%2FDC'
  ]) t.match(await server.get(path), { status: 200 }, path)
})

t.test('the distance of two words is the number of letters to change, up to a bound', async (t) => {
  for (const [a, b, far] of [
    ['abc', 'abc', 0], ['abc', 'abd', 1], ['abc', 'ab', 1], ['', 'ab', 2], ['kitten', 'sitting', 3],
    ['abcdef', 'uvwxyz', 4]
  ] as const) t.equal(distance(a, b, 4), far, `${a} ${b}`)
})
