/** What the methods of OpenSubsonic answer beyond their shapes: content, failures, outages, and ids that last. */
import t from 'tap'
import { errorCodes, type ErrorCode } from '../../schemas/errors.ts'
import type { FoundAlbum } from '../../schemas/search.ts'
import type { Song } from '../../schemas/song.ts'
import { createTurns } from '../../src/common/turns.ts'
import { InvalidInput, NotPlayable, RelayError } from '../../src/common/errors.ts'
import { answerLimits } from '../../src/relay/answers.ts'
import { shuffled } from '../../src/players/opensubsonic/songRows.ts'
import { Refused, failureCodes, failureOf, httpStatusOf } from '../../src/players/opensubsonic/subsonicErrors.ts'
import { structuredLyrics } from '../../src/players/opensubsonic/media.ts'
import { methods } from '../../src/players/opensubsonic/opensubsonic.ts'
import {
  albumOf, foundAlbumOf, playable, playlistOf, songOf, timeOf, yearOf
} from '../../src/players/opensubsonic/records.ts'
import { initialOf, singersByInitial } from '../../src/players/opensubsonic/singers.ts'
import { dead, paramOf, timesAsked } from '../support/helper.ts'
import {
  idsOf, playerFor, playerTest, playerTests, type Answer, type Parameters
} from '../support/opensubsonicPlayer.ts'
import { sampleOf } from '../support/whole.ts'
import { chart, newAlbums, songClassic, songDetail, songTracks, whoAmI } from '../support/wires.ts'

type Row = Readonly<Record<string, any>>

/** Tests that only read, over one relay. */
const test = playerTests('what the methods answer')
const likedCall = 'music.srfDissInfo.DissInfo/CgiGetDiss'
const none = { songCount: 0, albumCount: 0, artistCount: 0 }
const someTime = /^20[2-9]\d-/

test('lists of albums, of every type', async ({ t, ask, read, server }) => {
  const list = async (type: string, more: Parameters = {}): Promise<any[]> =>
    (await read('getAlbumList2', { type, size: 500, ...more })).album
  const library = await list('recent')
  t.ok(library.length > 20 && library.every(({ coverArt }) => /^al-\w{14}$/.test(coverArt)))
  for (const type of ['newest', 'highest', 'frequent', 'alphabeticalByName', 'alphabeticalByArtist', 'random']) {
    t.same(idsOf(await list(type)).sort(), idsOf(library).sort(), type)
  }
  const starred = (await read('getStarred2')).album
  t.equal(starred.length, 15)
  t.same([
    await list('starred'), await list('starred', { size: 4, offset: 3 })
  ], [starred, starred.slice(3, 7)], 'the collected albums, whole')
  const years = library.map(({ year }) => year as number).filter(Boolean)
  const [from, to] = [Math.min(...years), Math.max(...years) - 3]
  const within = await list('byYear', { fromYear: from, toYear: to })
  t.equal(within.length, years.filter((year) => year >= from && year <= to).length)
  t.same(within.map(({ year }) => year), within.map(({ year }) => year).sort())
  t.same(idsOf(await list('byYear', { fromYear: to, toYear: from })), idsOf(within).reverse(), 'backwards')
  const since = await Promise.all(sampleOf([...new Set(years)], 4).map(async (year) => [
    year, await list('byYear', { fromYear: year, toYear: year }), await list('byYear', { fromYear: year, toYear: 9999 })
  ] as const))
  for (const [year, one, all] of since) t.same(one, all.filter((album) => album.year === year), 'one year')
  const singers = (await list('alphabeticalByArtist')).map(({ artist }) => artist as string)
  t.same(singers, [...singers].sort(new Intl.Collator('zh', { numeric: true }).compare))
  t.same(
    [(await read('getAlbumList2', { type: 'recent' })).album.length, await list('byGenre', { genre: 'Rock' })], [10, []]
  )
  const disks: string[] = (await server.get('/getNewDisks?limit=100')).body.data.albums
    .map(({ albumMID }: Row) => `al-${albumMID}`)
  const fresh = { genre: '新专辑 New albums' }
  t.same([
    idsOf(await list('byGenre', { ...fresh, size: 100 })),
    idsOf(await list('byGenre', { ...fresh, size: 5, offset: 3 }))
  ], [disks, disks.slice(3, 8)])
  t.same([await list('newest', { size: 5, offset: 3 })], [library.slice(3, 8)], 'the latest liked first')
  for (const [type, count] of [['random', library.length], ['starred', 15]] as const) {
    t.equal((await ask('getAlbumList', { type, size: 2 })).headers.get('x-total-count'), String(count))
  }
  for (const [given, error] of [
    [{ type: 'loudest' }, { code: 0, message: /type: must be one of/ }], [{}, { code: 10 }],
    [{ type: 'byYear', fromYear: 2000 }, { code: 10, message: /^toYear/ }]
  ] as const) t.match(await ask('getAlbumList2', given), { error })
  t.same((await read('getAlbumList', { type: 'recent', size: 2 })).album.map(
    ({ id, isDir, name, songCount, duration }: Row) => [id, isDir, name, songCount, duration]
  ), library.slice(0, 2).map(({ id, name, songCount, duration }) => [id, true, name, songCount, duration]))
})

test('search with words asks the whole catalogue; singers and charts lead on', async ({ t, read, demo }) => {
  const { song, album, artist } =
    await read('search3', { query: 'light', songCount: 60, albumCount: 3, artistCount: 2 })
  t.ok(song.length === 60 && album.length > 0 && artist.length > 0)
  const songs = async (given: Parameters): Promise<string[]> =>
    idsOf((await read('search3', { ...none, query: 'light', ...given })).song)
  t.same([
    await songs({ songCount: 7, songOffset: 11 }), await songs({ songCount: 5, songOffset: 52 })
  ], [idsOf(song.slice(11, 18)), idsOf(song.slice(52, 57))], 'on the first page and the second')
  t.match(await read('search3'), {
    song: { length: 20 }, album: { length: 20 }, artist: { length: 20 }
  }, 'twenty unless they are counted')
  t.match([await read('search3', { ...none, artistCount: 1 }), await read('search3', { ...none, albumCount: 1 })], [
    { artist: { length: 1 } }, { album: { length: 1 } }
  ])
  for (const songOffset of [1000, 5000]) {
    t.same(await songs({ songCount: 20, songOffset }), [], 'where the provider finds nothing more')
  }
  for (const given of [{ songCount: 50 }, { songCount: 51 }, { songCount: 51, songOffset: 50 }]) {
    demo.reset()
    t.ok(await songs({ query: 'lantern', ...given }))
    t.equal(demo.calls('/soso/fcgi-bin/client_search_cp').length, 1, 'a page is asked for once')
  }
  t.match((await read('search3', { query: 'light', songCount: 0 })).album[0], { artistId: /^ar-/, starred: undefined })
  const singer = await read('getArtist', { id: artist[0].id })
  t.ok(singer.name === artist[0].name && singer.album.length > 0)
  t.ok((await read('getAlbum', { id: singer.album[0].id })).song.length > 0)
  t.ok((await read('getMusicDirectory', { id: artist[0].id })).child.every(({ isDir }: Row) => isDir))
  t.ok((await read('getTopSongs', { artist: artist[0].name, count: 5 })).song.length > 0)
  const { playlist } = await read('getPlaylists')
  t.same(['li-liked', 'li-daily', 'li-radar', 'ch-62'].filter((id) => !idsOf(playlist).includes(id)), [])
  t.equal((await read('getPlaylist', { id: 'ch-62' })).entry.length, 100)
  t.match((await read('getPlaylist', { id: 'pl-7700000001' })).comment, /./)
})

test('ids resolve in a process that has never seen them, those of collected playlists, too', async ({ t, demo, ask, read }) => {
  const second = await playerFor(t, { upstream: demo })
  const { song: [song], album: [album], artist: [artist] } = await read('search3', { songCount: 1 })
  const { playlist } = await read('getPlaylists')
  // Which songs are liked is known where the library was read.
  const unstarred = (body: unknown): unknown =>
    JSON.parse(JSON.stringify(body, (key, value: unknown) => key === 'starred' ? undefined : value))
  for (const [method, id] of [
    ['getSong', song.id], ['getAlbum', album.id], ['getAlbum', 'al-00DemoAlbu0001'], ['getArtist', artist.id],
    ['getPlaylist', 'ch-62'], ['getPlaylist', playlist[1].id], ['getLyricsBySongId', song.id]
  ] as const) {
    t.same(
      unstarred((await second.ask(method, { id })).body), unstarred((await ask(method, { id })).body), `${method} ${id}`
    )
  }
  const collected = playlist.filter(({ id }: Row) => id.startsWith('pl-77000003'))
  t.same([collected.length, new Set(idsOf(playlist)).size], [12, playlist.length])
  for (const { id, name, owner, songCount, readonly } of collected.slice(0, 3)) {
    t.ok(readonly === true && owner !== 'demo')
    t.match(await second.read('getPlaylist', { id }), {
      id, name, owner, songCount, readonly: true, entry: { length: songCount }
    })
  }
  const own = playlist.filter(({ owner }: Row) => owner === 'demo')
  t.equal(own.length, 7, 'the liked songs, and six that the account made')
  t.equal((await read('getPlaylist', { id: own[1].id })).owner, 'demo')
  t.same(idsOf((await read('getPlaylist', { id: 'li-liked' })).entry), idsOf((await read('getStarred2')).song))
})

playerTest('enhanced lyrics say what each layer is, with a romanisation; others are as they were', async ({ t, ask, read, demo }) => {
  const layers = async (more: Parameters = {}): Promise<any[]> =>
    (await read('getLyricsBySongId', { id: 'so-00DemoSong0005', ...more })).structuredLyrics
  const [plain, off, enhanced] =
    [await layers(), await layers({ enhanced: 'false' }), await layers({ enhanced: 'true' })]
  t.same(off, plain)
  t.same(
    plain.map(({ kind, lang, synced }) => [kind, lang, synced]), [[undefined, 'und', true], [undefined, 'zho', true]]
  )
  t.same(enhanced.map(({ kind, lang, synced }) => [kind, lang, synced]), [
    ['main', 'und', true], ['translation', 'zho', true], ['pronunciation', 'und', true]
  ])
  t.same(enhanced.slice(0, 2).map(({ line }) => line), plain.map(({ line }) => line))
  t.match(enhanced[2].line[0], { start: Number, value: /^(ka|mi|to|ne|su|ro) / })
  demo.next('music.musichallSong.PlayLyricInfo/GetPlayLyricInfo', { mutate: (answer: any) => { answer.data.roma = '0A1B2C' } })
  t.same((await layers({ id: 'so-00DemoSong0001', enhanced: 'true' })).map(({ kind }) => kind), ['main'])
  t.same(structuredLyrics({ lyric: '[ti:x]\none\n\n[Chorus]', trans: '' }, true), [{
    lang: 'und', synced: false, displayArtist: undefined, displayTitle: 'x', kind: 'main',
    line: [{ value: 'one' }, { value: '[Chorus]' }]
  }])
  t.same(structuredLyrics({ lyric: '', trans: '' }, true), [])
  t.match(structuredLyrics({ lyric: 'one', trans: '' }, false), [{ synced: false, line: [{ value: 'one' }] }])
  t.match(structuredLyrics({ lyric: '[00:00.00]one', trans: '' }, false), [{
    synced: true, line: [{ start: 0, value: 'one' }]
  }])
  t.match(await ask('getLyricsBySongId', { id: 'so-00DemoSong0005', enhanced: 'perhaps' }), { status: 'failed', error: { message: /^enhanced: / } })
})

playerTest('audio: a redirect, or the bytes; what cannot be played is 404 with the reason', { account: 'nobody' }, async ({ t, ask, server, demo }) => {
  const at = async (id: string, more: Parameters = {}): Promise<Answer> => await ask('stream', { id, ...more })
  const placeOf = ({ headers }: { headers: Headers }): string | undefined => headers.get('location')?.split('?')[0]
  const found = await at('so-00DemoSong0001')
  t.equal(found.http, 302)
  t.same([
    placeOf(await server.get('/stream/00DemoSong0001')), placeOf(await at('so-00DemoSong0001', { maxBitRate: 0 }))
  ], [placeOf(found), placeOf(found)])
  t.match([
    placeOf(await at('so-00DemoSong0001', { maxBitRate: 128 })),
    placeOf(await at('so-00DemoSong0001', { maxBitRate: 64 })),
    placeOf(await ask('download', { id: 'so-00DemoSong0001' }))
  ], [/M500/, /C200/, /M500/])
  t.match(await at('so-00DemoSong0004'), { http: 404, status: 'failed', error: { code: 50, message: /needs a (?:login|subscription).*[需登]/ } })
  t.match(await at('so-00DemoSong9999'), { http: 404 })
  const { statusText } = await fetch(`${server.address}/rest/stream?u=demo&p=demo&id=so-00DemoSong0004`)
  t.match(statusText, /needs a (?:login|subscription)[ -~]*\.$/, 'for players that show nothing else')
  const part = await (await playerFor(t, { upstream: demo, account: 'nobody', stream: 'relay' }))
    .ask('stream', { id: 'so-00DemoSong0001' }, { headers: { range: 'bytes=10-19' } })
  t.same([part.http, part.headers.get('content-length')], [206, '10'])
})

playerTest('a login that ended is error 50 with our sentence, and never asks for the password again', { account: 'expired' }, async ({ t, ask }) => {
  for (const method of ['getStarred2', 'getPlaylists', 'getArtists', 'getRandomSongs']) t.match(await ask(method), {
    http: 200, status: 'failed', error: { code: 50, message: /^The login behind this user has ended.*登录已失效/ }
  }, method)
  t.match([
    await ask('getPlaylist', { id: 'ch-62' }), await ask('search3', { query: 'light' })
  ], [{ status: 'ok' }, { status: 'ok' }], 'the catalogue is still there')
})

playerTest('without a login there is the catalogue, and an empty library', { account: 'nobody' }, async ({ t, ask, read }) => {
  t.match(await read('search3'), { song: [], album: [], artist: [] })
  t.same([
    (await read('getArtists')).index, (await read('getRandomSongs')).song,
    (await read('getSongsByGenre', { genre: '每日推荐 Daily songs' })).song
  ], [[], [], []])
  t.same(
    [(await read('getScanStatus')).count, (await read('getSong', { id: 'so-00DemoSong0001' })).starred], [0, undefined]
  )
  t.ok((await read('getTopSongs', { artist: 'The Paper Lanterns' })).song.length > 1, 'a singer of the catalogue')
  t.ok((await read('getPlaylists')).playlist.every(({ id }: Row) => /^(ch|ra)-/.test(id)))
  t.match([await ask('getPlaylist', { id: 'li-daily' }), await ask('getAvatar')], [
    { error: { code: 50 } }, { http: 404, error: { code: 70 } }
  ])
  t.ok((await read('getAlbumList2', { type: 'byGenre', genre: '新专辑 New albums' })).album.length > 0)
})

t.test('during an outage what was read before stands in; the rest says so', async (t) => {
  const clock = { now: 0 }
  const { ask, demo } = await playerFor(t, { now: () => clock.now })
  const asked: [string, Parameters][] = [
    ['search3', { songCount: 200 }], ['getAlbumList2', { type: 'alphabeticalByName' }], ['getArtists', {}],
    ['getStarred2', {}], ['getPlaylist', { id: 'ch-62' }], ['getPlaylists', {}],
    ['getAlbum', { id: 'al-00DemoAlbu0001' }], ['getLyricsBySongId', { id: 'so-00DemoSong0001' }]
  ]
  const before = []
  for (const [method, given] of asked) before.push((await ask(method, given)).text)
  await demo.close()
  for (const hours of sampleOf([0.5, 0.1, 3], 2)) {
    clock.now = hours * 3_600_000
    for (const [at, [method, given]] of asked.entries()) {
      t.equal((await ask(method, given)).text, before[at], `${method} after ${hours} h`)
    }
  }
  t.match([await ask('getAlbum', { id: 'al-00DemoAlbu0002' }), await ask('stream', { id: 'so-00DemoSong0001' })], [
    { status: 'failed', error: { code: 0 } }, { status: 'failed' }
  ])
})

playerTest('one part of a list that fails leaves the others', { cache: false }, async ({ t, ask, demo }) => {
  for (const fault of dead) demo.next('musicToplist.ToplistInfoServer/GetAll', fault, 50)
  const { status, body } = await ask('getPlaylists')
  t.ok(status === 'ok' && body.playlists.playlist.length > 3)
})

t.test('a song without an album has the picture of its singer, and names none without one', async (t) => {
  const shelf = { rights: 'usual', isLiked: () => false, began: 'now' } as const
  const pictureOf = (mids: readonly string[], album = ''): unknown => songOf({
    mid: 'x', name: 'X', singer: mids.map((mid) => ({ mid, name: 'S' })), album: { mid: album, name: '', pmid: '' },
    file: {}, pay: {}, time_public: '', interval: 1
  } as unknown as Song, shelf)['coverArt']
  t.same([pictureOf(['s']), pictureOf(['', 's']), pictureOf([]), pictureOf([''], 'a')], [
    'so-x', undefined, undefined, 'al-a'
  ])
})

t.test('what nobody can play is left out, an album is of its first singer, and odd dates are none', async (t) => {
  const rows = ['a', '', 'b', ''].map((mid, at) => ({ mid, ...at > 1 ? { unplayable: true as const } : {} }))
  t.same(playable(rows), [{ mid: 'a' }])
  const found = {
    albumMID: 'x', albumName: 'X', publicTime: '2015-08-10', singerMID: 's', singerName: 'S/T', song_count: 0
  } as FoundAlbum
  const [album] = foundAlbumOf(found)
  t.same(album?.singers, [{ mid: 's', name: 'S' }, { mid: '', name: 'T' }])
  t.notOk('songCount' in (album ?? {}), 'no number is no number')
  t.match(foundAlbumOf({ ...found, song_count: 3 }), [{ songCount: 3 }])
  const dates = (day: string): unknown =>
    albumOf({ id: 'al-x', name: 'X', picture: '', singers: [], day }, 'now').releaseDate
  t.same(['2015-08-10', '0001-08-10', '0000-08-10', '1970-01-01', '2015-08', ''].map(dates), [
    { year: 2015, month: 8, day: 10 }, { year: 1, month: 8, day: 10 }, ...Array(4).fill(undefined)
  ])
  const list = playlistOf({ id: 'pl-1', name: 'L', owner: 'o', songCount: 2 }, 'now')
  t.match(list, { public: false, readonly: true, duration: 480, coverArt: 'pl-1', created: 'now', comment: undefined })
})

playerTest('stars: liked songs, collected albums whole and since when, followed singers', async ({ t, read, demo }) => {
  const { song, album, artist } = await read('getStarred2')
  t.same([song.length, album.length, artist.length], [140, 15, 8])
  t.match(album[0], { id: 'al-00DemoAlbu0021', starred: '2025-10-09T08:53:20.000Z', coverArt: 'al-00DemoAlbu0021', artistId: /^ar-/ })
  t.match(artist[0], { id: 'ar-00DemoSing0021', name: /./, coverArt: 'ar-00DemoSing0021', starred: someTime })
  const { name, songCount, artist: singer } = await read('getAlbum', { id: album[0].id })
  t.same([name, songCount, singer, (await read('getArtist', { id: artist[0].id })).name], [
    album[0].name, album[0].songCount, album[0].artist, artist[0].name
  ])
  const starred = await read('getStarred')
  t.same([starred.song, starred.album, starred.artist].map(idsOf), [song, album, artist].map(idsOf))
  t.ok(starred.album.every(({ isDir, starred: since }: Row) => isDir && since !== undefined))
  t.same([253_402_300_799, 253_402_300_800, 0, '', '1970-01-01', 'x'].map(timeOf), [
    '9999-12-31T23:59:59.000Z', ...Array(5).fill(undefined)
  ])
  t.same(['2015-08-10', '0001-01-01', '1970-01-02', '1970-01-01', ''].map(yearOf), [
    2015, 1, 1970, undefined, undefined
  ])
  t.same(
    foundAlbumOf({ albumMID: '', albumName: '', publicTime: '', singerMID: '', singerName: '' } as FoundAlbum), [],
    'an album without MID cannot be opened'
  )
  const times = [1_760_000_000_000, 9e15, -1, 0]
  const odd = await playerFor(t, { upstream: demo })
  demo.next('music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo', { mutate: ({ data }) => {
    data.v_list.forEach((row: Row, at: number) => Object.assign(row, { ordertime: times[at] ?? 1 }))
  } })
  t.match(
    (await odd.read('getStarred2')).album.slice(0, 4).map(({ starred }: Row) => starred), times.map(() => someTime),
    'a time that is none'
  )
})

const favouriteCalls = ['music.musicasset.PlaylistFavRead/CgiGetPlaylistFavInfo', 'music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo', 'music.concern.RelationList/GetFollowSingerList', '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg'] as const

playerTest('when the favourites are refused, the rest answers and the log says so; a login that ended is not hidden', { cache: false }, async ({ t, ask, read, demo, server }) => {
  for (const call of favouriteCalls) demo.next(call, { code: 104403 }, 50)
  const { status, body: { playlists: { playlist } } } = await ask('getPlaylists')
  t.same([status, playlist.filter(({ owner }: Row) => owner === 'demo').length, playlist.filter(
    ({ id }: Row) => id.startsWith('pl-77000003')
  )], ['ok', 7, []])
  t.match(await read('getStarred2'), { song: { length: 140 }, album: [], artist: [] })
  const missing = server.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg.endsWith(' is missing'))
  t.match(missing.map(({ level, err: { code } }) => [level, code]), Array(3).fill(['warn', 'UPSTREAM_REFUSED']))
  t.match(await ask('getAlbumList2', { type: 'starred' }), { status: 'failed', error: { code: 0 } }, 'a list of nothing else says so')
  demo.reset()
  for (const call of favouriteCalls) demo.next(call, { code: 1000 }, 50)
  for (const method of ['getPlaylists', 'getStarred', 'getStarred2']) t.match(await ask(method), {
    http: 200, status: 'failed', error: { code: 50, message: /login behind this user has ended/ }
  }, method)
})

playerTest('a liked song has its star wherever it is found', async ({ t, read }) => {
  const { song: [liked] } = await read('getStarred2')
  const albumId = liked.albumId.replace('la-', 'al-')
  const answers = async (): Promise<(string | undefined)[]> => {
    const lists = [
      [await read('getSong', { id: liked.id })], (await read('getAlbum', { id: albumId })).song,
      (await read('search3', { query: liked.title, songCount: 100 })).song
    ]
    return lists.map((songs) => songs.find(({ id }: Row) => id === liked.id).starred)
  }
  t.same(await answers(), [liked.starred, liked.starred, liked.starred])
  const starred = (await read('getAlbum', { id: albumId })).song.filter(({ starred }: Row) => starred !== undefined)
  t.same(idsOf(starred).sort(), idsOf(
    (await read('getStarred2')).song.filter(({ albumId: of }: Row) => of === liked.albumId)
  ).sort(), 'the others have none')
})

test('songs of chance: as many as were asked for, each once, from anywhere in the library', async ({ t, read, demo }) => {
  const random = async (given: Parameters = {}): Promise<string[]> => idsOf((await read('getRandomSongs', given)).song)
  const library = idsOf((await read('getStarred2')).song)
  for (const [given, length] of [[{}, 10], [{ size: 7 }, 7], [{ size: 0 }, 0]] as const) {
    t.same([(await random(given)).length, new Set(await random(given)).size], [length, length])
  }
  for (let time = 0; time < 2; time++) {
    const all = await random({ size: 500 })
    t.same([
      library.filter((id) => !all.includes(id)), new Set(all).size
    ], [[], all.length], 'a number above all is all, each once')
    t.ok(all.length > library.length, 'with what is recommended')
  }
  const orders = Array.from({ length: 200 }, () => shuffled(['a', 'b', 'c']).join(''))
  t.same([...new Set(orders)].sort(), ['abc', 'acb', 'bac', 'bca', 'cab', 'cba'], 'every order, and nothing else')
  const some = (await Promise.all(Array.from({ length: 20 }, async () => await random({ size: 10 })))).flat()
  t.ok(some.some((id) => library.indexOf(id) > 70))
  const kind = async (genre: string, more: Parameters = {}): Promise<string[]> =>
    idsOf((await read('getSongsByGenre', { genre, count: 100, ...more })).song)
  const [daily, radar] = ['每日推荐 Daily songs', '猜你喜欢 For you'] as const
  t.same((await read('getGenres')).genre, [
    { value: daily, songCount: 30, albumCount: 0 }, { value: radar, songCount: 10, albumCount: 0 },
    { value: '新专辑 New albums', songCount: 0, albumCount: 55 }
  ])
  for (const [genre, id] of [[daily, 'li-daily'], [radar, 'li-radar']] as const) {
    t.same(await kind(genre), idsOf((await read('getPlaylist', { id })).entry))
  }
  const { song: ten } = await read('getSongsByGenre', { genre: daily })
  t.same([ten.length, await kind(daily, { count: 3, offset: 2 }), await kind('Rock')], [
    10, (await kind(daily)).slice(2, 5), []
  ])
  const similar = async (given: Parameters = {}): Promise<string[]> =>
    idsOf((await read('getSimilarSongs', { id: 'so-00DemoSong0001', ...given })).song)
  const three = await similar({ count: 3 })
  t.same([three.length, three], [3, (await similar()).slice(0, 3)])
  const like = async (id: string): Promise<string[]> => idsOf((await read('getSimilarSongs2', { id })).song)
  const album = await read('getAlbum', { id: 'al-00DemoAlbu0002' })
  t.same(await like(album.id), await like(album.song[0].id), 'like its first song')
  t.same(await like('la-0'), [])
  demo.reset()
  const id = 'ar-00DemoSing0001'
  t.equal((await like(id)).length, 50)
  const { similarArtist } = await read('getArtistInfo2', { id })
  const asked = demo.calls('musichall.song_list_server/GetSingerSongList')
    .flatMap(({ body }) => Object.values(body as Record<string, Row>)
      .flatMap(({ method, param }) => method === 'GetSingerSongList' ? [param] : []))
  t.same(
    asked.map(({ singerMid }) => `ar-${singerMid}`).sort(), [id, ...idsOf(similarArtist.slice(0, 5))].sort(),
    'the singer and the five most similar ones'
  )
  t.same(new Set(asked.map(({ num }) => num)), new Set([20]))
})

playerTest('a song of two similar singers is similar once', async ({ t, read, demo }) => {
  let last: Row
  demo.next('musichall.song_list_server/GetSingerSongList', { mutate: ({ data: { songList: rows } }) => {
    rows[0] = last ??= rows[0]
  } }, 6)
  const ids = idsOf((await read('getSimilarSongs2', { id: 'ar-00DemoSing0001', count: 500 })).song)
  t.ok(ids.length > 50)
  t.same(ids.length, new Set(ids).size)
})

playerTest('pictures in the next larger size, and of singers; users see themselves', async ({ t, ask, read, demo }) => {
  const picture = async (given: Parameters): Promise<string | null> =>
    (await ask('getCoverArt', { id: 'al-00DemoAlbu0001', ...given })).headers.get('location')
  for (const [size, found] of [
    [undefined, 500], [1, 90], [90, 90], [91, 150], [300, 300], [501, 800], [9999, 800]
  ] as const) t.match(await picture({ size }), `T002R${found}x${found}M000`, `${size}`)
  t.match(await picture({ id: 'ar-00DemoSing0001' }), 'T001R500x500M00000DemoSing0001')
  const detail = 'music.pf_song_detail_svr/get_song_detail_yqq'
  t.match(await picture({ id: 'so-00DemoSong0001' }), /T002R500x500M000\w+_1\./)
  const bare = { mid: '', pmid: '' }
  demo.next(detail, { mutate: ({ data }) => { Object.assign(data.track_info.album, bare) } })
  t.match(await picture({ id: 'so-00DemoSong0002' }), /T001R500x500M000/, 'of the singer')
  demo.next(
    detail, { mutate: ({ data }) => { Object.assign(data.track_info.album, bare); data.track_info.singer = [] } }
  )
  t.match(await ask('getCoverArt', { id: 'so-00DemoSong0003' }), { http: 404, error: { code: 70 } })
  for (const [method, given] of [['getCoverArt', { id: 'ch-62' }], ['getAvatar', { username: 'demo' }]] as const) {
    const { http, headers } = await ask(method, given)
    t.same([http, headers.get('cache-control')], [302, 'private, max-age=86400'], method)
  }
  const off = Object.fromEntries([
    'scrobblingEnabled', 'adminRole', 'settingsRole', 'uploadRole', 'playlistRole', 'coverArtRole', 'commentRole',
    'podcastRole', 'jukeboxRole', 'shareRole', 'videoConversionRole'
  ].map((role) => [role, false]))
  for (const given of [{}, { username: 'demo' }]) t.same(
    await read('getUser', given), { username: 'demo', downloadRole: true, streamRole: true, folder: [1], ...off }
  )
  t.match(await ask('getUser', { username: 'root' }), { http: 200, error: { code: 50 } })
  t.match(await ask('getAvatar', { username: 'root' }), { http: 403, error: { code: 50 } }, 'a picture has a status')
})

test('songs of a name: lyrics of the first, the best of a singer', async ({ t, ask, read, demo }) => {
  const { title, artist, artistId } = (await read('getStarred2')).song.find(({ artists }: Row) => artists.length > 1)
  t.match(await read('getLyrics', { title, artist }), { title, artist, value: /\n/ })
  t.match(await read('getLyrics', { artist }), { title: /./, artist: RegExp(artist.split(' / ')[0]) })
  for (const given of [{}, { title: 'no such thing at all' }, { title: 'a'.repeat(400) }, { title: `${'a'.repeat(199)}🌙` }]) {
    t.same(await read('getLyrics', given), { value: '' })
  }
  demo.reset()
  await ask('getLyrics', { title: 'Some title', artist: 'One / Other' })
  t.match(demo.calls('/soso/fcgi-bin/client_search_cp')[0]?.query, { w: 'Some title One', n: '10', p: '1' })
  const top = async (given: Parameters): Promise<string[]> => idsOf((await read('getTopSongs', given)).song)
  const best = await top({ id: artistId })
  t.ok(best.length > 5)
  t.same(await top({ artist: artist.toUpperCase() }), best, 'of the first one')
  t.same([
    (await top({ id: artistId, count: 1 })).length, await top({ artist: 'nobody', id: artistId, count: 3 })
  ], [1, best.slice(0, 3)], 'the id counts')
  for (const given of [{}, { artist: ' ' }, { artist: 'nobody at all' }, { id: artistId, count: 0 }]) {
    t.same(await top(given), [])
  }
})

playerTest('a library of songs without album, singer, size or day', async ({ t, read, demo }) => {
  const sized = (song: any, size: number): object =>
    ({ file: { ...song.file, size_128mp3: size, size_320mp3: 0, size_flac: 0 } })
  const bare = (song: any): object =>
    ({ album: { id: 0, mid: '', name: '', pmid: '' }, time_public: '', ...sized(song, 0) })
  const changes = [bare, (song: any) => ({ ...bare(song), singer: [] }), (song: any) => ({
    ...bare(song), interval: 0, ...sized(song, 5_000_000)
  }), (song: any) => ({ interval: 1, ...sized(song, 20_000) }), () => ({ singer: [] })]
  demo.next(likedCall, { mutate: ({ data }) => {
    changes.forEach((change, at) => Object.assign(data.songlist[at], change(data.songlist[at])))
  } })
  const { song: [first, second, third, fourth, fifth, ...others] } = await read('getStarred2')
  t.match(fourth, { size: fourth.size, duration: 1 })
  t.match(await read('getAlbum', { id: fifth.albumId }), { id: fifth.albumId, songCount: Number })
  const singers = (await read('getArtists')).index.flatMap(({ artist }: Row) => artist.map(({ id }: Row) => id))
  t.same(new Set(singers), new Set([fourth, ...others].map(({ artistId }) => artistId)), 'of songs with an album')
  t.match(first, {
    albumId: 'la-0', album: '单曲 Singles', coverArt: first.id, bitRate: 128, size: first.duration * 16_000,
    created: undefined, starred: someTime, year: undefined, path: /^[^/]+\/单曲 Singles\/[^/]+\.mp3$/
  })
  t.match(second, { artist: '', artistId: undefined, artists: [], path: /^-\// })
  t.match(third, { size: 5_000_000, bitRate: 128, duration: 0 })
  t.match(await read('getAlbum', { id: 'la-0' }), {
    name: '单曲 Singles', artist: '', artists: [], songCount: 3, created: someTime, song: { length: 3 }
  })
})

test('albums, singers and lists say all that is known of them', async ({ t, ask, read }) => {
  const album = await read('getAlbum', { id: 'al-00DemoAlbu0001' })
  t.match(album.song[0], {
    album: album.name, coverArt: album.coverArt, isDir: false, isVideo: false, type: 'music', mediaType: 'song'
  })
  t.match(album, {
    artistId: 'ar-00DemoSing0001', coverArt: 'al-00DemoAlbu0001', created: '2015-08-10T00:00:00.000Z', year: 2015,
    releaseDate: { year: 2015, month: 8, day: 10 }, originalReleaseDate: { year: 2015, month: 8, day: 10 },
    song: { length: 10 }
  })
  const { text } = await ask('getAlbum', { id: album.id, f: 'xml' })
  t.match(text, /<album [^>]*year="2015"[^>]*><song /, 'in XML, nothing stands before the songs')
  t.notMatch(text, /releaseDate|originalReleaseDate/i, 'nor anywhere else in the album')
  for (const [at, song] of album.song.entries()) t.match(
    song, { track: at % 5 + 1, discNumber: at < 5 ? 1 : 2, albumId: album.id, parent: album.id, starred: undefined }
  )
  const pictures = (name: string): object => Object.fromEntries([['small', 150], ['medium', 300], ['large', 800]]
    .map(([size, width]) => [`${size}ImageUrl`, RegExp(`R${width}x${width}M000${name}\\.jpg`)]))
  t.match(await read('getAlbumInfo2', { id: album.id }), { notes: /recorded in/, ...pictures('00DemoAlbu0001') })
  t.same(await read('getAlbumInfo2', { id: 'la-0' }), {})
  const about = await read('getArtistInfo2', { id: 'ar-00DemoSing0001' })
  t.match(about, { biography: /kitchen/, ...pictures('00DemoSing0001'), similarArtist: { length: 10 } })
  t.same(
    (await read('getArtistInfo2', { id: 'ar-00DemoSing0001', count: 3 })).similarArtist, about.similarArtist.slice(0, 3)
  )
  const artist = await read('getArtist', { id: 'ar-00DemoSing0001' })
  t.match(artist, { name: 'The Paper Lanterns', coverArt: 'ar-00DemoSing0001', albumCount: artist.album.length })
  for (const each of artist.album.filter(({ id }: Row) => id !== 'al-00DemoAlbu0004')) t.match(each, {
    songCount: each.songCount || 'more than none', duration: each.duration || 'some', coverArt: each.id, created: /^20/,
    artists: [{ id: artist.id, name: artist.name }]
  })
  t.match((await read('getMusicDirectory', { id: artist.id })).child[0], {
    id: artist.album[0].id, parent: artist.id, isDir: true, duration: artist.album[0].duration
  })

  t.match(await read('getPlaylist', { id: 'ch-62' }), {
    comment: /Rule/, changed: '2026-11-20T00:00:00.000Z', coverArt: 'ch-62', owner: 'QQ Music',
    entry: [{ year: Number, created: /^2/, starred: undefined, bitRate: Number }]
  })
  const made = await read('getPlaylist', { id: 'pl-7700000001' })
  t.match(made, { comment: /Made for tests/, songCount: 55, created: someTime, entry: { length: 55 } })
  const { playlist } = await read('getPlaylists')
  for (const id of ['li-daily', 'ch-62', 'pl-7700000060']) t.match(playlist.find((each: Row) => each['id'] === id), {
    public: false, readonly: true, duration: playlist.find((each: Row) => each['id'] === id).duration || 'some',
    coverArt: id.startsWith('li-') ? undefined : id
  })
  const [liked, daily] = [await read('getPlaylist', { id: 'li-liked' }), await read('getPlaylist', { id: 'li-daily' })]
  t.same([liked.owner, daily.owner], ['demo', 'QQ Music'])
  t.same(liked.entry.filter(({ albumId, starred }: Row) => !albumId.startsWith('la-') || !starred.endsWith('Z')), [])
  t.same(daily.entry.filter(({ albumId }: Row) => !albumId.startsWith('al-')), [])
  t.equal((await read('search3', { ...none, songCount: 1 })).song[0].albumId.slice(0, 3), 'la-')

  t.match((await ask('ping')).body, { openSubsonic: true, version: '1.16.1', type: 'music-relay' })
  t.same(await read('getOpenSubsonicExtensions'), [
    ['formPost', 1], ['songLyrics', 1, 2], ['apiKeyAuthentication', 1], ['topSongsByArtistId', 1],
    ['indexBasedQueue', 1], ['sonicSimilarity', 1]
  ].map(([name, ...versions]) => ({ name, versions })))
  t.match([await read('getScanStatus'), await read('getMusicFolders'), await read('getIndexes')], [
    { scanning: false, count: 140 }, { musicFolder: [{ id: 1 }] }, { lastModified: 0 }
  ])
})

t.test('singers are listed under their initials, those without any under #', async (t) => {
  t.same([
    ['Zed', 'Z'], [' amy', 'A'], ['Éric', 'E'], ['阿杜', 'A'], ['巴扎', 'B'], ['周杰伦', 'Z'], ['林俊杰', 'L'], ['あいみょん', '#'],
    ['2NE1', '#'], ['', '#']
  ].filter(([name, initial]) => initialOf(name as string) !== initial), [])
  const work = createTurns(answerLimits.sliceBytes).begin(undefined)
  let [inTurn, most] = [0, 0]
  const listed = async (names: string[]): Promise<string[][]> =>
    (await singersByInitial({ singers: names.map((name) => ({ mid: name, name, albums: 1 })) }, work, ({ name }) => {
      if (inTurn++ === 0) setImmediate(() => { inTurn = 0 })
      most = Math.max(most, inTurn)
      return name
    })).map(({ name, artist }) => [name, ...artist])
  t.same(await listed(['10cc', '2NE1']), [['#', '2NE1', '10cc']])
  for (const names of [['2NE1', 'Zed', 'amy', 'Zoe'], ['amy', '2NE1', 'Zoe', 'Zed'], ['Zoe', 'Zed', 'amy', '2NE1']]) {
    t.same(await listed(names), [['A', 'amy'], ['Z', 'Zed', 'Zoe'], ['#', '2NE1']])
  }
  const many = Array.from({ length: 20_000 }, (_, at) => `Singer ${at}`)
  t.same(await listed([...many].reverse()), [['S', ...many]])
  t.ok(most <= 100, `${most} of them in one turn of the loop`)
})

t.test('every code of the relay has a number of the interface, and a status that makes clients wait where they should', async (t) => {
  const numbers: Record<number, string[]> = {}
  for (const code of Object.keys(errorCodes) as ErrorCode[]) {
    const [error, { status: own }] = [new RelayError(code, 'A sentence.'), errorCodes[code]]
    const { error: said } = failureOf(error, 'default') as { error: { code: number, message: string } }
    t.ok(['LOGIN_REQUIRED', 'COOKIE_REJECTED'].includes(code) ? /operator/
      .test(said.message) : said.message === 'A sentence.')
    numbers[said.code] = [...numbers[said.code] ?? [], code]
    t.same([httpStatusOf(error, false), httpStatusOf(error, true)], [
      code === 'ROUTE_NOT_FOUND' || own === 429 || own === 503 ? own : 200, own
    ], `${code}: media have the status itself`)
  }
  t.same(numbers[50], ['LOGIN_REQUIRED', 'KEY_LIMITED', 'CROSS_SITE', 'HOST_NOT_ALLOWED', 'METHOD_NOT_ALLOWED', 'COOKIE_REJECTED'])
  t.same(numbers[40], ['TOKEN_REQUIRED'], 'nothing else makes a client ask for the password')
  t.same(numbers[70], ['NOT_FOUND', 'NOT_PLAYABLE'])
  t.match(failureOf(new InvalidInput('id: a sentence.', 'missing'), 'default'), { error: { code: 10 } })
  t.match(failureOf(new InvalidInput('id: is required to be a word.'), 'default'), { error: { code: 0 } }, 'its words do not matter')
  for (const [reason, code] of [['COOKIE_EXPIRED', 50], ['NO_COOKIE', 50], ['PAID', 70], ['UNKNOWN', 70]] as const) {
    t.match(failureOf(new NotPlayable(reason, 'A hint.'), 'default'), {
      error: { code, message: /[\u4e00-\u9fff]/ }
    }, 'for listeners')
  }
  t.match(failureOf(new RelayError('COOKIE_REJECTED', ''), 'living-room'), { error: { message: /music-relay login --as living-room\b/ } })
  t.same([40, 43, 44, 50].map((number) => new Refused(number, 'A sentence.').code), ['TOKEN_REQUIRED', 'INVALID_INPUT', 'TOKEN_REQUIRED', 'METHOD_NOT_ALLOWED'])
  t.same(failureCodes, {
    generic: 0, missing: 10, wrongPassword: 40, twoMechanisms: 43, wrongKey: 44, notAllowed: 50, notFound: 70
  })
  for (const number of Object.values(failureCodes)) t.match(
    failureOf(new Refused(number, 'A sentence.'), 'default'), { error: { code: number, message: 'A sentence.' } }
  )
  t.same(
    [false, true].map((media) => httpStatusOf(new Refused(50, 'A sentence.'), media)), [200, 403],
    'not 405: no other method of HTTP would help'
  )
})

test('every parameter has its bounds', async ({ t, ask }) => {
  const recent = { type: 'recent' }
  const refused: readonly (readonly [string, Parameters, string])[] = [
    ...['fromYear', 'toYear'].flatMap((year) => [-10_001, 10_001]
      .map((value) => ['getAlbumList2', { type: 'byYear', fromYear: 1, toYear: 1, [year]: value }, year] as const)),
    ...[-1, 2 ** 31 + 1].map((size) => ['getAlbumList2', { ...recent, size }, 'size'] as const),
    ...[-1, 1_000_001].map((offset) => ['getAlbumList2', { ...recent, offset }, 'offset'] as const),
    ['getLyrics', { title: 'a'.repeat(501) }, 'title'], ['getLyrics', { artist: 'a'.repeat(501) }, 'artist'],
    ['getSongsByGenre', { genre: 'a'.repeat(201) }, 'genre'], ['getTopSongs', { artist: 'a'.repeat(201) }, 'artist'],
    ['getTopSongs', { id: 'a'.repeat(65) }, 'id'],
    ...['search2', 'search3'].map((search) => [search, { query: 'a'.repeat(201) }, 'query'] as const)
  ]
  const song = 'so-00DemoSong0001'
  for (const [given, message] of [
    [{ startSongId: 'x', endSongId: song }, /^startSongId: must be an id/],
    [{ startSongId: song, endSongId: 'al-00DemoAlbu0001' }, /^endSongId: must be an id/]
  ] as const) t.match(await ask('findSonicPath', given), { http: 200, error: { code: 70, message } })
  for (const list of ['getAlbumList', 'getAlbumList2']) t.match(await ask(list, { type: 'byGenre' }), {
    error: { code: 10, message: 'genre: is required with type=byGenre.' }
  })
  for (const [method, given, name] of refused) t.match(
    await ask(method, given), { http: 200, error: { code: 0, message: RegExp(`^${name}: `) } }, `${method} ${name}`
  )
  for (const maxBitRate of [-1, 100_001]) t.match(
    await ask('stream', { id: 'so-00DemoSong0001', maxBitRate }), { http: 400, error: { message: /^maxBitRate: / } }
  )
  const allowed: readonly (readonly [string, Parameters])[] = [
    ['getAlbumList2', { type: 'byYear', fromYear: -10_000, toYear: 10_000, size: 2 ** 31, offset: 1_000_000 }],
    ['getLyrics', { title: 'a'.repeat(500) }], ['getSongsByGenre', { genre: 'a'.repeat(200) }],
    ['getTopSongs', { artist: 'a'.repeat(200), count: 2 ** 31 }],
    ['getTopSongs', { id: 'ar-00DemoSing0001', count: 2 ** 31 }],
    ...[99_900, 100_000, 1_000_000].map((songOffset) => ['search3', { ...none, songCount: 500, songOffset }] as const)
  ]
  for (const [method, given] of allowed) t.equal((await ask(method, given)).status, 'ok', method)
})

playerTest('lists are asked for as often as they have pages, and the reference says where they end', { cache: false }, async ({ t, ask, read, demo }) => {
  const times = async (method: string, given: Parameters, ...calls: readonly string[]): Promise<number[]> => {
    demo.reset()
    t.equal((await ask(method, given)).status, 'ok', method)
    return calls.map((call) => timesAsked(demo, call))
  }
  const [playlists, albums, singers] = favouriteCalls
  const made = 'music.musicasset.PlaylistBaseRead/GetPlaylistByUin'
  await ask('getSong', { id: 'so-00DemoSong0001' }) // reads what the account may play
  t.same(await times('getStarred2', {}, albums, singers, likedCall), [1, 1, 2])
  t.same(await times('getPlaylists', {}, playlists, made, likedCall), [1, 1, 1 + 10], 'and ten playlists, for their length')
  t.same(await times('getPlaylist', { id: 'pl-7700000001' }, made, likedCall), [1, 1])
  await ask('getCoverArt', { id: 'pl-7700000001' })
  t.equal(paramOf(demo.calls(likedCall).at(-1)).song_num, 1, 'a picture needs no songs')
  const { id } = await read('getArtist', { id: 'ar-00DemoSing0001' })
  demo.next('music.SimilarSingerSvr/GetSimilarSingerList', { mutate: ({ data }) => {
    data.singerlist = Array.from({ length: 25 }, (_, at) => ({ ...data.singerlist[0], singerMid: `00Like${at}` }))
  } })
  t.equal((await read('getArtistInfo2', { id })).similarArtist.length, 20)
  const later = await playerFor(t, { upstream: demo, cache: false })
  demo.next(likedCall, { code: 1000 }, 20)
  t.match(await later.ask('getTopSongs', { artist: 'The Paper Lanterns' }), { body: { error: { code: 50 } } }, 'the login has ended')
  demo.reset()
  const blind = await playerFor(t, { upstream: demo, cache: false })
  demo.next(whoAmI, { status: 500 }, 20)
  t.equal((await blind.ask('getSong', { id: 'so-00DemoSong0001' })).status, 'ok')
  t.match(blind.server.log.join(), 'what the account may play is not known')
  demo.reset()
  const names = ['Volume 10', 'Volume 2']
  demo.next(likedCall, { mutate: ({ data }) => {
    names.forEach((title, at) => { Object.assign(data.songlist[at].album, { mid: `00Volume${at}`, name: title }) })
  } })
  const byName: string[] = (await later.read('getAlbumList2', { type: 'alphabeticalByName', size: 500 })).album
    .map((each: Row) => each['name'])
  t.same(byName.filter((each) => names.includes(each)), ['Volume 2', 'Volume 10'])
  demo.next(made, { mutate: ({ data }) => { [data.v_playlist[3].tid, data.v_playlist[4].tid] = [0, 1] } })
  const own = idsOf((await read('getPlaylists')).playlist)
  t.same([own.includes('pl-0'), own.includes('pl-1')], [false, true], 'a list without a number cannot be opened')
  for (const { summary } of [methods.getStarred, methods.getStarred2]) {
    t.match(summary, 'at most 10,000; the collected albums and the followed singers, at most 1,000 of each.')
  }
})

playerTest('songs without a number and kinds without albums are left out; a link that cannot be read is no search for its words', { cache: false }, async ({ t, ask, read, demo }) => {
  demo.next(chart, { mutate: ({ data: { data: { song } } }) => { [song[0].songId, song[1].songId] = [0, 1] } })
  await read('getPlaylist', { id: 'ch-62' })
  const numbers = [...demo.calls(songDetail), ...demo.calls(songTracks)]
    .flatMap((request) => paramOf(request).ids ?? [paramOf(request).song_id])
  t.same([numbers.includes(0), numbers.includes(1)], [false, true], 'a song without a number is not asked for')
  demo.next(newAlbums, { code: 0, data: { albums: [] } }, 2)
  t.same((await read('getGenres')).genre.map(({ value }: Row) => value), ['每日推荐 Daily songs', '猜你喜欢 For you'])
  const given = { query: 'https://y.qq.com/n/ryqq/songDetail/00DemoSong0001' }
  t.match((await read('search3', given)).song, { length: 1 })
  for (const call of [songDetail, songTracks, songClassic]) demo.next(call, { status: 500 }, 20)
  t.equal((await ask('search3', given)).status, 'failed', 'a link whose song cannot be read')
})
