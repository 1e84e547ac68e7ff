/** Albums with their songs, and lyrics: the same record from each of several upstream calls. */
import type { Lyric } from '../../schemas/music.ts'
import { song } from '../support/helper.ts'
import { test } from '../support/stage.ts'
import { albumDetail, lyricClassic, lyricGateway } from '../support/wires.ts'

const album = (number: number): string => `00DemoAlbu${String(number).padStart(4, '0')}`

test('an album has its songs in order', async ({ t, relay, server }) => {
  const record = await relay.getAlbumInfo({ albummid: album(1) })
  const { status, body } = await server.get(`/getAlbumInfo?albummid=${album(1)}`)
  t.equal(status, 200)
  t.same(body, { code: 0, msg: 'ok', data: record })
  t.match(record, { id: 800001, mid: album(1), albumName: 'Harbour Lights & Other Rooms', singerName: 'The Paper Lanterns', publicTime: /^\d{4}-\d\d-\d\d$/, total: 10 })
  t.match(record.desc, /"it's all <invented>" & that's the point/)
  t.same(record.songs.map(({ mid }) => mid), Array.from({ length: 10 }, (_, at) => song(at + 1)))
  t.ok(record.songs.every((row) => row.album.mid === album(1) && row.file.media_mid !== ''))
})

test('a long album comes whole, an empty one empty, and two singers are joined', async ({ t, relay }) => {
  const long = await relay.getAlbumInfo({ albummid: album(5) })
  t.same([long.songs.length, long.total], [120, 120])
  const empty = await relay.getAlbumInfo({ albummid: album(4) })
  t.same([empty.songs, empty.total, empty.desc], [[], 0, ''])
  t.match((await relay.getAlbumInfo({ albummid: album(9) })).singerName, /^[^/]+\/[^/]+$/)
})

test('the album is asked for in one request with two calls', async ({ t, demo, relay }) => {
  await relay.getAlbumInfo({ albummid: album(2) })
  t.equal(demo.received.length, 1)
  t.match(demo.received[0]?.body, {
    req_0: { module: 'music.musichallAlbum.AlbumInfoServer', method: 'GetAlbumDetail', param: { albumMId: album(2) } },
    req_1: { module: 'music.musichallAlbum.AlbumSongList', method: 'GetAlbumSongList', param: { albumMid: album(2), begin: 0, num: 999, order: 2 } }
  })
})

test('a lyric is decoded, and parsed on request', async ({ t, server }) => {
  const plain = (await server.get(`/getLyric?songmid=${song(5)}`)).body
  t.match(plain, { code: 0, msg: 'ok', data: { lyric: /^\[ti:/, trans: /^\[ti:/ } })
  t.match(plain.data.lyric, /\n\[\d\d:\d\d\.\d{2,3}\]/)
  t.notMatch(plain.data.lyric + plain.data.trans, /&apos;/)
  t.notOk('parsed' in plain.data)
  t.same((await server.get(`/getLyric/${song(5)}?isFormat=0`)).body, plain)
  const { lyric, parsed } = (await server.get(`/getLyric/${song(5)}?isFormat=1`)).body.data
  t.equal(lyric, plain.data.lyric)
  t.match(parsed.tags, { ti: /纸月亮/ })
  const times = parsed.lines.map(({ time }: { time: number }) => time)
  t.same(times, times.toSorted((a: number, b: number) => a - b))
  t.ok(parsed.lines.length > 10 && parsed.lines.every(({ text, trans }: { text: string, trans?: string }) => text !== '' && trans !== '//'))
  t.ok(parsed.lines.some(({ trans }: { trans?: string }) => trans !== undefined))
})

test('milliseconds and repeated stamps of a lyric are read right', async ({ t, demo, relay }) => {
  const lyric = Buffer.from('[ti:x]\n[00:01.50][01:01.123]twice\n[00:00.05]first\n[00:02.00]\n').toString('base64')
  demo.next(lyricClassic, { mutate: () => ({ retcode: 0, code: 0, subcode: 0, lyric, trans: Buffer.from('[00:01.50]zweimal\n[00:00.05]//').toString('base64') }) })
  const { parsed } = await relay.getLyric({ songmid: song(1), isFormat: 1 })
  t.same(parsed?.lines, [{ time: 50, text: 'first' }, { time: 1500, text: 'twice', trans: 'zweimal' }, { time: 61123, text: 'twice' }])
})

test('a line of a lyric whose stamp is written in another way is not lost', async ({ t, demo, relay }) => {
  const lyric = Buffer.from('[offset:0]\n[0:01.00]one digit\n[00:2.00]of each\n[00:03.5]half\n[00:04:25]colon\n[00:05]none\n[100:00.00]long\n[00:06.1234]no stamp').toString('base64')
  demo.next(lyricClassic, { mutate: () => ({ retcode: 0, code: 0, subcode: 0, lyric, trans: Buffer.from('[00:03.50]halb').toString('base64') }) })
  t.same((await relay.getLyric({ songmid: song(1), isFormat: 1 })).parsed, {
    tags: { offset: '0' },
    lines: [{ time: 1000, text: 'one digit' }, { time: 2000, text: 'of each' }, { time: 3500, text: 'half', trans: 'halb' }, { time: 4250, text: 'colon' }, { time: 5000, text: 'none' }, { time: 6_000_000, text: 'long' }]
  })
})

test('a lyric of other line breaks, or of hostile text, is read all the same, and holds nobody up', async ({ t, demo, relay }) => {
  const answered = async (text: string): Promise<Lyric> => {
    demo.next(lyricClassic, { mutate: () => ({ retcode: 0, code: 0, subcode: 0, lyric: Buffer.from(text).toString('base64'), trans: '' }) })
    return await relay.getLyric({ songmid: song(1), isFormat: 1 })
  }
  for (const end of ['\n', '\r\n', '\r']) {
    const { lyric, parsed } = await answered(['[ti:x]', '[00:01.00]one', '[00:02.00]two'].join(end))
    t.equal(lyric, '[ti:x]\n[00:01.00]one\n[00:02.00]two')
    t.same(parsed, { tags: { ti: 'x' }, lines: [{ time: 1000, text: 'one' }, { time: 2000, text: 'two' }] })
  }
  const nines = '9'.repeat(400)
  t.same((await answered(`[${nines}:00.00]never\n[00:01.00][${nines}:00.00]one`)).parsed?.lines, [{ time: 1000, text: 'one' }], 'a moment that is no number is none')
  t.same((await answered(`[00:01.00]one\n${'[a:'.repeat(300_000)}`)).parsed?.lines, [{ time: 1000, text: 'one' }])
  const healthy = await relay.getLyric({ songmid: song(1) })
  demo.next(lyricClassic, { mutate: () => ({ retcode: 0, code: 0, subcode: 0, lyric: `${' '.repeat(2_000_000)}!`, trans: '' }) })
  t.same(await relay.getLyric({ songmid: song(1) }), healthy)
})

test('a lyric whose lines would multiply beyond measure comes without them', async ({ t, demo, relay }) => {
  const encoded = (text: string): string => Buffer.from(text).toString('base64')
  // Each of n stamps would repeat the n characters of its line.
  const multiplied = `${Array.from({ length: 10_000 }, (_, at) => `[00:${String(at % 60).padStart(2, '0')}.00]`).join('')}${'x'.repeat(166_000)}`
  for (const [lyric, trans] of [[multiplied, ''], ['[00:01.00]one', multiplied]] as const) {
    demo.next(lyricClassic, { mutate: () => ({ retcode: 0, code: 0, subcode: 0, lyric: encoded(lyric), trans: encoded(trans) }) })
    t.same(await relay.getLyric({ songmid: song(1), isFormat: 1 }), { lyric, trans })
  }
  const long = Array.from({ length: 5000 }, (_, at) => `[${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}.00]${'spoken '.repeat(10)}`).join('\n')
  demo.next(lyricClassic, { mutate: () => ({ retcode: 0, code: 0, subcode: 0, lyric: encoded(long), trans: '' }) })
  t.equal((await relay.getLyric({ songmid: song(1), isFormat: 1 })).parsed?.lines.length, 5000, 'an hour of speech is read')
})

test('the lyric is asked for with the referer of the player, and without base64 when nothing else answers', async ({ t, demo, relay }) => {
  const healthy = await relay.getLyric({ songmid: song(10) })
  t.match(demo.received[0], { host: 'c.y.qq.com', method: 'GET', path: lyricClassic, query: { songmid: song(10), format: 'json', g_tk: '5381', platform: 'yqq.json' }, headers: { referer: 'https://y.qq.com/portal/player.html' } })
  demo.next(lyricClassic, { code: -1310 })
  demo.next(lyricGateway, { code: 500003 })
  t.same(await relay.getLyric({ songmid: song(10) }), healthy, 'entities instead of base64')
  t.match(demo.received.at(-1)?.query, { nobase64: '1' })
})

test('an album with an empty head is an unknown one', async ({ t, demo, relay }) => {
  demo.next(albumDetail, { mutate: (answer) => ({ ...answer, data: { basicInfo: {} } }) })
  await t.rejects(relay.getAlbumInfo({ albummid: album(1) }), { code: 'NOT_FOUND' })
})

test('a song without lyrics and an unknown song have two empty texts', async ({ t, server }) => {
  for (const mid of [song(4), 'nosuchsong']) t.match(await server.get(`/getLyric?songmid=${mid}`), { status: 200, body: { data: { lyric: '', trans: '' } } })
  t.same((await server.get(`/getLyric?songmid=${song(4)}&isFormat=1`)).body.data.parsed, { tags: {}, lines: [] })
})
