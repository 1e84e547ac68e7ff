/** Albums with their songs, and lyrics. What stands in for a call: stand-ins.test.ts. */
import fc from 'fast-check'
import t from 'tap'
import type { Fault } from '../../src/demo/types.ts'
import { inAlbumOrder } from '../../src/endpoints/shared/song.ts'
import { serverFor, song } from '../support/helper.ts'
import { runs } from '../support/whole.ts'
import { sharedStage } from '../support/stage.ts'
import {
  albumClassic, albumDetail, albumSongs, albumTables, lyricClassic, lyricGateway, songDetail
} from '../support/wires.ts'

const test = sharedStage('albums and lyrics')

const album = (number: number): string => `00DemoAlbu${String(number).padStart(4, '0')}`
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const lyricOf = (lyric: string, trans = ''): Fault =>
  ({ mutate: () => ({ retcode: 0, code: 0, subcode: 0, lyric: base64(lyric), trans: base64(trans) }) })

test('an album has its songs in order; a long one comes whole, an empty one empty, and two singers are joined', async ({ t, demo, relay }) => {
  const record = await relay.getAlbumInfo({ albummid: album(1) })
  t.match(record, {
    id: 800001, mid: album(1), albumName: 'Harbour Lights & Other Rooms', singerName: 'The Paper Lanterns',
    publicTime: /^\d{4}-\d\d-\d\d$/, total: 10, desc: /"it's all <invented>" & that's the point/
  })
  t.same(record.songs.map(({ mid }) => mid), Array.from({ length: 10 }, (_, at) => song(at + 1)))
  t.ok(record.songs.every((row) => row.album.mid === album(1) && row.file.media_mid !== ''))
  const long = await relay.getAlbumInfo({ albummid: album(5) })
  t.same([long.songs.length, long.total], [120, 120])
  const empty = await relay.getAlbumInfo({ albummid: album(4) })
  t.same([empty.songs, empty.total, empty.desc], [[], 0, ''])
  t.match((await relay.getAlbumInfo({ albummid: album(9) })).singerName, /^[^/]+\/[^/]+$/)
  demo.next(albumDetail, { mutate: (answer) => ({ ...answer, data: { basicInfo: {} } }) })
  await t.rejects(relay.getAlbumInfo({ albummid: album(1) }), { code: 'NOT_FOUND' }, 'an empty head is an unknown album')
})

test('an album whose songs are counted and not sent is asked for elsewhere', async ({ t, demo, relay }) => {
  const want = await relay.getAlbumInfo({ albummid: album(1) })
  demo.next(albumDetail, { code: 500003 })
  demo.next(albumClassic, { mutate: ({ data }) => { data.list = [] } })
  const { songs } = await relay.getAlbumInfo({ albummid: album(1) })
  t.same(songs.map(({ mid }) => mid), want.songs.map(({ mid }) => mid))
})

test('an album that is known is not called missing when no call sends its songs', async ({ t, demo, relay }) => {
  demo.next(albumSongs, { mutate: ({ data }) => { data.songList = [] } })
  for (const call of [albumClassic, albumTables]) demo.next(call, { mutate: () => ({ code: 0 }) })
  await t.rejects(relay.getAlbumInfo({ albummid: album(1) }), { code: 'UPSTREAM_EMPTY', message: /without songs/ })
})

test('songs are sorted by disc and track, whichever call sends them in whatever order, and every record says both', async ({ t, demo, relay, server }) => {
  const places = Array.from({ length: 10 }, (_, at) => [at < 5 ? 1 : 2, at % 5 + 1])
  const all = [
    [albumSongs, albumDetail, (answer: any): any[] => answer.data.songList.map(({ songInfo }: any) => songInfo)],
    [albumClassic, albumClassic, ({ data }: any): any[] => data.list],
    [albumTables, albumTables, ({ data }: any): any[] => data.getSongInfo]
  ] as const
  for (const [at, [wire, , rowsOf]] of all.entries()) {
    demo.reset()
    for (const [, head] of all.slice(0, at)) demo.next(head, { code: 500003 })
    let sent: string[] = []
    demo.next(wire, { mutate: (answer) => { sent = rowsOf(answer).map(({ mid, songmid }) => mid ?? songmid) } })
    const { songs } = await relay.getAlbumInfo({ albummid: album(1) })
    t.notSame(sent, songs.map(({ mid }) => mid), 'the demo sends them as the upstream does')
    t.same(sent.slice(0, 3), [song(6), song(1), song(7)])
    t.same(
      songs.map(({ mid, disc, track }) => [mid, disc, track]),
      places.map((place, number) => [song(number + 1), ...place]), wire
    )
  }
  demo.next(albumSongs, { mutate: ({ data }) => {
    for (const { songInfo } of data.songList.slice(0, 3)) Object.assign(songInfo, { index_cd: 0, index_album: 0 })
  } })
  t.same(
    (await relay.getAlbumInfo({ albummid: album(1) })).songs.map(({ mid, disc }) => [mid, disc]).slice(-3),
    [6, 1, 7].map((number) => [song(number), undefined]), 'songs without numbers come last'
  )
  t.same(
    (await server.get(`/getAlbumInfo?albummid=${album(1)}&format=m3u`)).text.match(/00DemoSong\d{4}/g),
    places.map((_, number) => song(number + 1))
  )
  const second = { disc: 2, track: 2 }
  t.match((await relay.getSongInfo({ songmid: song(7) })).songinfo.data.track_info, second)
  const { songlist } = await relay.getSongListDetail({ disstid: '7700000001' })
  const { songInfoList } = await relay.getRanks({ topId: 62 })
  for (const rows of [songlist, songInfoList, (await relay.getSearchByKey({ key: 'paper' })).song.list]) {
    t.ok(rows.filter(({ disc = 0, track = 0 }) => disc > 0 && track > 0).length > rows.length / 2)
  }
})

t.test('any order of numbered songs becomes the order of the album', async (t) => {
  const place = fc.record({ disc: fc.integer({ min: 1, max: 3 }), track: fc.integer({ min: 1, max: 30 }) })
  fc.assert(fc.property(fc.array(fc.oneof(place, fc.constant({} as { disc?: number, track?: number }))), (songs) => {
    const sorted = inAlbumOrder(songs).map(({ disc = 9, track = 99 }) => disc * 100 + track)
    return sorted.length === songs.length
      && sorted.every((number, at) => at === 0 || (sorted[at - 1] as number) <= number)
  }), runs(t))
})

test('a lyric is decoded, and parsed on request', async ({ t, relay, server }) => {
  const plain = await relay.getLyric({ songmid: song(5) })
  t.match(plain.lyric, /^\[ti:[^]*\n\[\d\d:\d\d\.\d{2,3}\]/)
  t.match(plain.trans, /^\[ti:/)
  t.notMatch(plain.lyric + plain.trans, /&apos;/)
  t.same((await server.get(`/getLyric/${song(5)}?isFormat=0`)).body.data, plain, 'without `parsed`')
  const { lyric, parsed } = await relay.getLyric({ songmid: song(5), isFormat: 1 })
  t.equal(lyric, plain.lyric)
  t.match(parsed?.tags, { ti: /纸月亮/ })
  const { lines = [] } = parsed ?? {}
  t.same(lines.map(({ time }) => time), lines.map(({ time = 0 }) => time).sort((a, b) => a - b))
  t.ok(lines.length > 10 && lines.every(({ text, trans }) => text + (trans ?? '') !== '' && trans !== '//')
    && lines.some(({ trans }) => trans !== undefined))
})

test('lines of a lyric are read: stamps in each way of writing them, line breaks, hostile texts', async ({ t, demo, relay }) => {
  const nines = '9'.repeat(400)
  const one = [{ time: 1000, text: 'one' }]
  const rows: readonly (readonly [lyric: string, trans: string, lines: readonly object[]])[] = [
    ['[ti:x]\n[00:01.50][01:01.123]twice\n[00:00.05]first\n[00:02.00]\n', '[00:01.50]zweimal\n[00:00.05]//', [
      { time: 50, text: 'first' }, { time: 1500, text: 'twice', trans: 'zweimal' }, { time: 61123, text: 'twice' }
    ]],
    ['[offset:0]\n[0:01.00]one digit\n[00:2.00]of each\n[00:03.5]half\n[00:04:25]colon\n[00:05]none\n[100:00.00]long\n[00:06.1234]no stamp', '[00:03.50]halb', [
      { time: 1000, text: 'one digit' }, { time: 2000, text: 'of each' }, { time: 3500, text: 'half', trans: 'halb' },
      { time: 4250, text: 'colon' }, { time: 5000, text: 'none' }, { time: 6123, text: 'no stamp' },
      { time: 6_000_000, text: 'long' }
    ]],
    ...['\n', '\r\n', '\r'].map((end) =>
      [['[ti:x]', '[00:01.00]one', '[00:02.00]two'].join(end), '', [...one, { time: 2000, text: 'two' }]] as const),
    // A moment that is no number is none, and its text is not lost.
    [`[${nines}:00.00]never\n[00:01.00][${nines}:00.00]one`, '', [{ text: 'never' }, ...one]],
    [`[00:01.00]one\n${'[a:'.repeat(300_000)}`, '', [...one, { text: '[a:'.repeat(300_000) }]]
  ]
  for (const [text, trans, lines] of rows) {
    demo.next(lyricClassic, lyricOf(text, trans))
    const { lyric, parsed } = await relay.getLyric({ songmid: song(1), isFormat: 1 })
    t.same(parsed?.lines, lines, text.slice(0, 60))
    t.equal(lyric, text.replaceAll(/\r\n?/g, '\n'))
  }
  demo.next(lyricClassic, lyricOf('[offset:0]\n[ti:x]'))
  t.same((await relay.getLyric({ songmid: song(1), isFormat: 1 })).parsed?.tags, { offset: '0', ti: 'x' })
  const healthy = await relay.getLyric({ songmid: song(1) })
  demo.next(
    lyricClassic, { mutate: () => ({ retcode: 0, code: 0, subcode: 0, lyric: `${' '.repeat(2_000_000)}!`, trans: '' }) }
  )
  t.same(await relay.getLyric({ songmid: song(1) }), healthy)
})

test('a lyric is asked for without base64 when nothing else answers; a song without lyrics and an unknown one have two empty texts', async ({ t, demo, relay }) => {
  const healthy = await relay.getLyric({ songmid: song(10) })
  demo.next(lyricClassic, { code: -1310 })
  demo.next(lyricGateway, { code: 500003 })
  t.same(await relay.getLyric({ songmid: song(10) }), healthy, 'entities instead of base64')
  t.match(demo.received.at(-1)?.query, { nobase64: '1' })
  for (const songmid of [song(4), 'nosuchsong']) t.same(await relay.getLyric({ songmid }), { lyric: '', trans: '' })
  t.same((await relay.getLyric({ songmid: song(4), isFormat: 1 })).parsed, { tags: {}, lines: [], synced: false })
  const server = await serverFor(t, demo, { cache: true })
  demo.next(songDetail, { code: 500003 })
  const doubtful = await server.get(`/getLyric?songmid=${song(4)}`)
  t.match(
    [doubtful.body.data, doubtful.headers.get('cache-control')], [{ lyric: '', trans: '' }, 'public, max-age=10'],
    'also if its number cannot be asked for'
  )
  demo.next(songDetail, { body: '{"code":0}' })
  await t.rejects(relay.getLyric({ songmid: song(4) }), { code: 'UPSTREAM_UNREADABLE' }, 'unless that answer says nothing')
})

test('an encrypted lyric or translation is never returned', async ({ t, demo, relay }) => {
  const ask = async (name: 'lyric' | 'trans') => {
    const encrypted: Fault = { mutate: (answer) => { (answer.data ?? answer)[name] = 'A0B1C2D3E4F5' } }
    demo.next(lyricClassic, encrypted, 2)
    demo.next(lyricGateway, encrypted)
    return await relay.getLyric({ songmid: song(5) })
  }
  await t.rejects(ask('lyric'), { code: 'UPSTREAM_UNREADABLE', message: /is encrypted/ })
  t.match(await ask('trans'), { lyric: /^\[ti:/, trans: '' })
})

test('a nameless singer does not cost the album, and total counts a row that is left out', async ({ t, demo, relay }) => {
  const whole = await relay.getAlbumInfo({ albummid: album(1) })
  demo.reset()
  demo.next(albumDetail, { mutate: ({ data }) => { for (const each of data.singer.singerList) each.name = '' } })
  t.same(await relay.getAlbumInfo({ albummid: album(1) }), { ...whole, singerName: '' })
  demo.reset()
  for (const wire of [albumDetail, albumClassic]) demo.next(wire, { code: 500003 })
  demo.next(albumTables, { mutate: ({ data }) => {
    data.getSongInfo[0] = null
    for (const each of data.singerInfo ?? []) each.Fsinger_name = ''
  } })
  const { total, songs, skipped } = await relay.getAlbumInfo({ albummid: album(1) })
  t.same([total, songs.length, skipped], [whole.total, whole.total - 1, 1])
})
