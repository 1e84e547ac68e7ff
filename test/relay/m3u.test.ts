/** Lists of songs as M3U: every list, addresses that are right behind a proxy, and titles that cannot break the list. */
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { cutOf, m3uOf } from '../../src/edge/m3u.ts'
import { cookieOf, demoFor, serverFor, song } from '../support/helper.ts'
import { sharedStage } from '../support/stage.ts'

const test = sharedStage('M3U')

/** Lengths, titles and addresses of a list. Throws if a line is neither. */
function rowsOf (text: string): { seconds: number, title: string, address: string }[] {
  if (!/^#EXTM3U\n(?:# .+\n)*(?:#EXTINF:(?:-1|\d+),.+\nhttps?:.+\n)*$/.test(text)) {
    throw new Error(`no list: ${text.slice(0, 200)}`)
  }
  return [...text.matchAll(/#EXTINF:(.+?),(.+)\n(.+)\n/g)]
    .map(([, seconds, title = '', address = '']) => ({ seconds: Number(seconds), title, address }))
}

const [chart, album] = ['/getRanks?topId=62&limit=1&format=m3u', '/getAlbumInfo?albummid=00DemoAlbu0001']

test('charts, albums, playlists, songs of singers, liked songs and searches', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { cache: true })
  const headers = { 'x-custom-cookie': cookieOf(demo, 'member') }
  const prefix = `${server.address}/stream/`
  const at = (mid: string): string => `${prefix}${mid}.mp3`
  for (const [path, count] of [['/getRanks?topId=62&limit=5', 5], [album, 10], ['/getSongListDetail?disstid=7700000001&limit=4', 4], ['/getSongListDetail/7700000001?limit=4', 4],
    ['/getSingerHotsong?singermid=00DemoSing0001&limit=3', 3], ['/getSearchByKey?key=paper&limit=3', 3], ['/user/getUserLikedSongs?limit=3', 3]] as const) {
    const asked = await server.get(path, { headers: { ...headers, accept: 'audio/x-mpegurl' } })
    const rows = rowsOf(asked.text)
    t.match([
      rows.length, asked.headers.get('content-type'), asked.headers.get('cache-control')
    ], [count, 'audio/x-mpegurl; charset=utf-8', 'no-store'], path)
    t.same(
      rows.filter(({ address }) => !/^\w+\.mp3$/.test(address.slice(prefix.length)) || !address.startsWith(prefix)), []
    )
    t.same(rowsOf((await server.get(`${path}${path.includes('?') ? '&' : '?'}format=m3u`, { headers })).text), rows)
  }
  const [first] = (await server.get(album)).body.data.songs
  t.same(rowsOf((await server.get(`${album}&format=m3u`)).text)[0], {
    seconds: first.interval, title: `${first.singer.map(({ name }: { name: string }) => name).join('/')} - First Light`,
    address: at(song(1))
  })
  t.equal(rowsOf((await server.get(chart)).text)[0]?.seconds, -1, 'charts have no lengths')
})

test('both forms come from one cache entry, and caches in between keep them apart', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { cache: true })
  const list = await server.get(`${album}&format=m3u`)
  const json = await server.get(album)
  t.match(
    [list.headers.get('x-cache'), json.headers.get('x-cache'), json.headers.get('vary')], ['MISS', 'HIT', /\baccept\b/]
  )
  t.equal(
    (await server.get(`${album}&format=m3u`, { headers: { 'if-none-match': json.headers.get('etag') ?? '' } })).status,
    200
  )
  t.equal((await server.get(`${album}&format=json`, { headers: { accept: 'audio/x-mpegurl' } })).headers.get('content-type'), 'application/json; charset=utf-8')
  t.equal(server.cacheKeys().length, 1)
  t.match(await server.get(`${album}&format=xspf`), { status: 400, body: { code: 'INVALID_INPUT', error: /^format: / } })
  t.match(await server.get('/getAlbumInfo?albummid=Nobody&format=m3u'), { status: 404, body: { code: 'NOT_FOUND' } })
  t.match((await server.get(`/getLyric?songmid=${song(1)}&format=m3u`)).headers.get('content-type'), /json/, 'other endpoints know no format')
})

test('addresses begin with the public origin and its prefix, or what a trusted proxy says', async ({ t, demo }) => {
  for (const [options, begin] of [
    [{ publicOrigin: 'https://music.example/relay' }, 'https://music.example/relay'],
    [{ trustProxy: ['127.0.0.1'] }, 'https://localhost:8443']
  ] as const) {
    const { text } = await (await serverFor(t, demo, options as object))
      .get(chart, { headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'localhost:8443' } })
    t.match(rowsOf(text)[0]?.address, RegExp(`^${begin}/stream/00DemoSong\\d{4}\\.mp3$`))
  }
})

test('a list that is cut says so, with the parameter that has the next songs; following it gives every song once', async ({ t, server }) => {
  for (const [path, said] of [
    ['/getSongListDetail?disstid=7700000005&limit=100', '100 of 420 songs; offset=100 has the next ones'],
    ['/getSongListDetail?disstid=7700000005&limit=100&offset=300', '100 of 420 songs from number 301 on; offset=400 has the next ones'],
    ['/getSongListDetail?disstid=7700000005&limit=100&offset=400', undefined],
    ['/getSongListDetail?disstid=7700000005', undefined],
    ['/getRanks?topId=62&limit=10', /^10 of \d+ songs; page=1 has the next ones$/],
    ['/getRanks?topId=62&limit=10&page=2', /^10 of \d+ songs from number 21 on; page=3 has/],
    ['/getSingerHotsong?singermid=00DemoSing0001&limit=3&page=0', /^3 of \d+ songs; page=2 has/],
    ['/getSearchByKey?key=paper&limit=3', /^3 of \d+ songs; page=2 has/],
    ['/search?type=song&key=paper&limit=3&page=2', /^3 of \d+ songs from number 4 on; page=3 has/], [album, undefined]
  ] as const) {
    const { text } = await server.get(`${path}&format=m3u`)
    const [, note] = /^#EXTM3U\n# (.+ of .+)\n/.exec(text) ?? []
    if (said === undefined) t.equal(note, undefined, path)
    else t.match(note, said, path)
  }
  // The second one has deleted songs and empty rows, which keep their places.
  for (const [disstid, limit] of [['7700000005', 150], ['7700000006', 3], ['7700000006', 1]] as const) {
    const whole = await server.get(`/getSongListDetail?disstid=${disstid}&format=m3u`)
    t.notMatch(whole.text, / has the next/, disstid)
    const parts: unknown[] = []
    const leftOut = (text: string): number => Number(/^# (\d+) without a MID/m.exec(text)?.[1] ?? 0)
    let missing = 0
    for (let next = '&offset=0', pages = 0; next !== '' && pages < 60; pages++) {
      const { text } = await server.get(`/getSongListDetail?disstid=${disstid}&limit=${limit}${next}&format=m3u`)
      parts.push(...rowsOf(text))
      missing += leftOut(text)
      next = /; (offset=\d+) has/.exec(text)?.slice(1).map((each) => `&${each}`)[0] ?? ''
    }
    t.same([parts, missing], [rowsOf(whole.text), leftOut(whole.text)], `${disstid} by ${limit}`)
  }
})

t.test('what is made of a list is at most a few times its size', async (t) => {
  for (const text of ['"', '\u0001', '\u2028', 'x', '\n']) for (const length of [0, 1, 5000]) {
    const songs = Array.from({ length: 300 }, () => ({
      mid: '00DemoSong0001', title: text.repeat(length), artist: text.repeat(length), seconds: 1
    }))
    t.ok(m3uOf(songs, 'https://music.example').length <= 2 * JSON.stringify(songs).length, `${text.codePointAt(0)} ${length}`)
  }
})

t.test('a list without pages is whole when what is left out counts', async (t) => {
  const said = (shown: number, skipped: number): string | undefined =>
    cutOf({ input: { properties: {} } as never }, {}, { shown, skipped, total: 5 })
  t.same([said(5, 0), said(3, 2), said(3, 1)], [undefined, undefined, '3 of 5 songs'])
})

t.test('a title is one line, whatever is in it, and a song without MID is left out', async (t) => {
  const text = m3uOf([
    { mid: 'a', title: 'one\r\nhttps://evil.example/\u2028#EXTM3U\u0000\u001b[31m\u0085x', artist: 'A\nB', seconds: 7 },
    { mid: '', title: 'nowhere', artist: '', seconds: 1 },
    { mid: 'b', title: 'alone', artist: '', seconds: 0 },
    { mid: 'c', title: '', artist: 'C', seconds: 1 }
  ], 'https://music.example')
  t.equal(text, '#EXTM3U\n# 1 without a MID are left out\n#EXTINF:7,A B - one https://evil.example/ #EXTM3U [31m x\nhttps://music.example/stream/a.mp3\n#EXTINF:-1,alone\nhttps://music.example/stream/b.mp3\n#EXTINF:1,C\nhttps://music.example/stream/c.mp3\n')
})

test('a list that is made after the deadline is not sent after the refusal', async ({ t }) => {
  const demo = await demoFor(t, { latencyMs: 300 })
  // An answer may take 100 ms, the upstream five seconds.
  const slow = { deadlineMs: 5000, tuning: { upstreamQueueMs: -5900 } }
  for (const cache of [true, false]) {
    const server = await serverFor(t, demo, { ...slow, cache })
    t.match(await server.get(`${album}&format=m3u`), { status: 504, body: { code: 'UPSTREAM_TIMEOUT' } })
    await setTimeout(600)
    t.notMatch(server.log.join(''), /already sent/i)
  }
})
