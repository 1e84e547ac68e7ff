/** Lists of songs as M3U: every list, addresses that are right behind a proxy, and titles that cannot break the list. */
import t from 'tap'
import { m3uOf } from '../../src/plugins/m3u.ts'
import { cookieOf, demoFor, serverFor, song } from '../support/helper.ts'

/** Lengths, titles and addresses of a list. Throws if a line is neither. */
function rowsOf (text: string): { seconds: number, title: string, address: string }[] {
  const [head, ...lines] = text.split('\n')
  if (head !== '#EXTM3U' || lines.pop() !== '') throw new Error(`no list: ${text.slice(0, 200)}`)
  return Array.from({ length: lines.length / 2 }, (_, at) => {
    const [, seconds, title] = /^#EXTINF:(-1|\d+),(.+)$/.exec(lines[2 * at] ?? '') ?? []
    const address = lines[2 * at + 1] ?? ''
    if (seconds === undefined || title === undefined || !URL.canParse(address)) throw new Error(`no row: ${lines.slice(2 * at, 2 * at + 2).join('\n')}`)
    return { seconds: Number(seconds), title, address }
  })
}

t.test('charts, albums, playlists, songs of singers, liked songs and searches', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { cache: true })
  const headers = { 'x-custom-cookie': cookieOf(demo, 'member') }
  const at = (mid: string): string => `${server.address}/stream/${mid}`
  for (const [path, count] of [['/getRanks?topId=62&limit=5', 5], ['/getAlbumInfo?albummid=00DemoAlbu0001', 10], ['/getSongListDetail?disstid=7700000001&limit=4', 4], ['/getSongListDetail/7700000001?limit=4', 4],
    ['/getSingerHotsong?singermid=00DemoSing0001&limit=3', 3], ['/getSearchByKey?key=paper&limit=3', 3], ['/user/getUserLikedSongs?limit=3', 3]] as const) {
    const asked = await server.get(path, { headers: { ...headers, accept: 'audio/x-mpegurl' } })
    const rows = rowsOf(asked.text)
    t.equal(rows.length, count, path)
    t.match([asked.headers.get('content-type'), asked.headers.get('cache-control')], ['audio/x-mpegurl; charset=utf-8', 'no-store'])
    for (const { address } of rows) t.equal(address, at(address.replace(/^.*\//, '')))
    const again = await server.get(`${path}${path.includes('?') ? '&' : '?'}format=m3u`, { headers })
    t.same(rowsOf(again.text), rows)
  }
  const album = rowsOf((await server.get('/getAlbumInfo?albummid=00DemoAlbu0001&format=m3u')).text)
  const { body } = await server.get('/getAlbumInfo?albummid=00DemoAlbu0001')
  t.same(album[0], { seconds: body.data.songs[0].interval, title: `${body.data.songs[0].singer.map(({ name }: { name: string }) => name).join('/')} - First Light`, address: at(song(1)) })
  t.equal(rowsOf((await server.get('/getRanks?topId=62&limit=1&format=m3u')).text)[0]?.seconds, -1, 'charts have no lengths')
})

t.test('both forms come from one cache entry, and caches in between keep them apart', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { cache: true })
  const path = '/getAlbumInfo?albummid=00DemoAlbu0001'
  const list = await server.get(`${path}&format=m3u`)
  t.equal(list.headers.get('x-cache'), 'MISS')
  const json = await server.get(path)
  t.match([json.headers.get('x-cache'), json.headers.get('vary')], ['HIT', /\baccept\b/])
  t.equal((await server.get(`${path}&format=m3u`, { headers: { 'if-none-match': json.headers.get('etag') ?? '' } })).status, 200)
  t.equal((await server.get(`${path}&format=json`, { headers: { accept: 'audio/x-mpegurl' } })).headers.get('content-type'), 'application/json; charset=utf-8')
  t.equal(server.cacheKeys().length, 1)
  t.match(await server.get(`${path}&format=xspf`), { status: 400, body: { code: 'INVALID_INPUT', error: /^format: / } })
  t.match(await server.get('/getAlbumInfo?albummid=Nobody&format=m3u'), { status: 404, body: { code: 'NOT_FOUND' } })
  t.match((await server.get(`/getLyric?songmid=${song(1)}&format=m3u`)).headers.get('content-type'), /json/, 'other endpoints know no format')
})

t.test('addresses begin with the public origin and its prefix', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo, { publicOrigin: 'https://music.example/relay' })
  const { text } = await server.get('/getRanks?topId=62&limit=1&format=m3u')
  t.match(rowsOf(text)[0]?.address, /^https:\/\/music\.example\/relay\/stream\/00DemoSong\d{4}$/)
  const behind = await serverFor(t, demo, { trustProxy: ['127.0.0.1'] })
  const proxied = await behind.get('/getRanks?topId=62&limit=1&format=m3u', { headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'localhost:8443' } })
  t.match(rowsOf(proxied.text)[0]?.address, /^https:\/\/localhost:8443\/stream\//)
})

t.test('a title is one line, whatever is in it, and a song without MID is left out', async (t) => {
  const text = m3uOf([
    { mid: 'a', title: 'one\r\nhttps://evil.example/\u2028#EXTM3U\u0000\u001b[31m\u0085x', artist: 'A\nB', seconds: 7 },
    { mid: '', title: 'nowhere', artist: '', seconds: 1 },
    { mid: 'b', title: 'alone', artist: '', seconds: 0 },
    { mid: 'c', title: '', artist: 'C', seconds: 1 }
  ], 'https://music.example')
  t.equal(text, '#EXTM3U\n#EXTINF:7,A B - one https://evil.example/ #EXTM3U [31m x\nhttps://music.example/stream/a\n#EXTINF:-1,alone\nhttps://music.example/stream/b\n#EXTINF:1,C\nhttps://music.example/stream/c\n')
})
