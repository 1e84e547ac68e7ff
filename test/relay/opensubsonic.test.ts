/** What the methods of OpenSubsonic answer beyond their shapes: content, failures, outages, and ids that last. */
import t from 'tap'
import type { Test } from 'tap'
import { errorCodes } from '../../schemas/errors.ts'
import type { ErrorCode } from '../../schemas/errors.ts'
import type { AppOptions } from '../../src/app.ts'
import { InvalidInput, NotPlayable, RelayError } from '../../src/common/errors.ts'
import type { DemoAccount, DemoUpstream } from '../../src/demo/upstream.ts'
import { Refused, failureCodes, failureOf, httpStatusOf } from '../../src/players/opensubsonic/failures.ts'
import { cookieOf, dead, demoFor, serverFor, timesAsked } from '../support/helper.ts'
import type { Server } from '../support/helper.ts'
import { shuffled } from '../../src/players/opensubsonic/albumLists.ts'
import { yearOf, starredAt } from '../../src/players/opensubsonic/records.ts'
import { methods } from '../../src/players/opensubsonic/methods/index.ts'
import { qualityWithin } from '../../src/players/opensubsonic/methods/stream.ts'
import { structuredLyrics } from '../../src/players/opensubsonic/lyrics.ts'
import { initialOf, singersByInitial } from '../../src/players/opensubsonic/singers.ts'
import { play } from '../support/opensubsonicHelper.ts'
import type { Played } from '../support/opensubsonicHelper.ts'
import type { Parameters } from '../support/opensubsonicPlayer.ts'

interface Player { readonly demo: DemoUpstream, readonly server: Server, ask (method: string, given?: Parameters, headers?: Record<string, string>): Promise<Played> }

/** A relay with a password, behind which is this account of the demo, or none. */
async function player (t: Test, { account = 'member', ...options }: AppOptions & { account?: DemoAccount['name'] | 'nobody' } = {}, demo?: DemoUpstream): Promise<Player> {
  const upstream = demo ?? await demoFor(t)
  const server = await serverFor(t, upstream, { cache: true, subsonicPassword: 'p', playerCookie: () => account === 'nobody' ? undefined : cookieOf(upstream, account), ...options } as AppOptions)
  return { demo: upstream, server, ask: async (method, given = {}, headers = {}) => await play(server, method, { u: 'me', p: 'p', ...given }, headers) }
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

t.test('the library: songs page by page, albums and singers of them, each album with its liked songs', async (t) => {
  const { ask } = await player(t)
  const { body: { starred2: { song: all } } } = await ask('getStarred2')
  t.equal(all.length, 140)
  const paged: string[] = []
  for (let songOffset = 0; songOffset < 160; songOffset += 37) paged.push(...idsOf((await ask('search3', { songCount: 37, songOffset })).body.searchResult3.song))
  t.same(paged, idsOf(all), 'pages have no gap and no overlap, whatever their size')
  t.same(idsOf((await ask('search3', { query: '""', songCount: 5 })).body.searchResult3.song), paged.slice(0, 5))
  const { body: { albumList2: { album: albums } } } = await ask('getAlbumList2', { type: 'alphabeticalByName', size: 500 })
  t.equal((await ask('getAlbumList2', { type: 'alphabeticalByName', size: 500, offset: 500 })).body.albumList2.album.length, 0)
  const songs = (await Promise.all(albums.map(async ({ id }: { id: string }) => (await ask('getAlbum', { id })).body.album))).flatMap(({ song, songCount, artist, artistId, coverArt }) => {
    t.equal(song.length, songCount)
    t.match(song[0], { artists: [{ id: artistId, name: artist }], coverArt })
    return song
  })
  t.same(idsOf(songs).sort(), [...paged].sort(), 'all albums together are the library')
  for (const { albumId, starred } of songs) t.ok(albumId.startsWith('la-') && starred !== undefined)
  const { body: { artists: { index } } } = await ask('getArtists')
  const singers: string[] = index.flatMap(({ artist }: { artist: { id: string }[] }) => idsOf(artist))
  for (const { id, albumCount } of index.flatMap(({ artist }: { artist: any[] }) => artist)) t.equal(albumCount, albums.filter(({ artistId }: { artistId?: string }) => artistId === id).length, id)
  t.same(new Set(singers), new Set(songs.map(({ artists }: { artists: { id: string }[] }) => artists[0]?.id).filter(Boolean)))
  const initials: string[] = index.map(({ name }: { name: string }) => name)
  t.same(initials, [...initials].sort((a, b) => (a === '#' ? 1 : 0) - (b === '#' ? 1 : 0) || a.localeCompare(b)))
})

t.test('lists of albums, of every type', async (t) => {
  const { ask, server } = await player(t)
  const list = async (type: string, more: Parameters = {}): Promise<any[]> => (await ask('getAlbumList2', { type, size: 500, ...more })).body.albumList2.album
  const library = await list('recent')
  t.ok(library.length > 20)
  for (const type of ['highest', 'frequent', 'alphabeticalByName', 'alphabeticalByArtist', 'random']) t.same(idsOf(await list(type)).sort(), idsOf(library).sort(), type)
  const starred = (await ask('getStarred2')).body.starred2.album
  t.equal(starred.length, 15)
  t.same(await list('starred'), starred, 'the collected albums, whole')
  t.same(await list('starred', { size: 4, offset: 3 }), starred.slice(3, 7))
  const years = library.map(({ year }) => year as number).filter(Boolean)
  const [from, to] = [Math.min(...years), Math.max(...years) - 3]
  const within = await list('byYear', { fromYear: from, toYear: to })
  t.equal(within.length, years.filter((year) => year >= from && year <= to).length)
  t.same(within.map(({ year }) => year), within.map(({ year }) => year).sort())
  t.same(idsOf(await list('byYear', { fromYear: to, toYear: from })), idsOf(within).reverse(), 'backwards')
  t.equal((await ask('getAlbumList2', { type: 'recent' })).body.albumList2.album.length, 10)
  t.match(await ask('getAlbumList2', { type: 'byYear', fromYear: 2000 }), { error: { code: 10, message: /^toYear/ } })
  for (const year of new Set(years)) t.same(await list('byYear', { fromYear: year, toYear: year }), (await list('byYear', { fromYear: year, toYear: 9999 })).filter((album) => album.year === year), 'one year')
  const singers = (await list('alphabeticalByArtist')).map(({ artist }) => artist as string)
  t.same(singers, [...singers].sort(new Intl.Collator('zh', { numeric: true }).compare))
  t.same(await list('byGenre', { genre: 'Rock' }), [])
  const fresh = await list('newest', { size: 5, offset: 3 })
  t.equal(fresh.length, 5)
  const disks: string[] = (await server.get('/getNewDisks?limit=100')).body.data.albums.map(({ albumMID }: { albumMID: string }) => `al-${albumMID}`)
  t.same(idsOf(await list('newest', { size: 100 })), disks)
  t.same(idsOf(fresh), disks.slice(3, 8))
  for (const { coverArt } of library) t.match(coverArt, /^al-.*_1$/)
  t.ok(fresh.every(({ id }) => id.startsWith('al-')))
  t.match(await ask('getAlbumList2', { type: 'loudest' }), { error: { code: 0, message: /type: must be one of/ } })
  t.match(await ask('getAlbumList2'), { error: { code: 10 } })
  t.same((await ask('getAlbumList', { type: 'recent', size: 2 })).body.albumList.album.map(({ id, isDir, duration }: { id: string, isDir: boolean, duration: number }) => [id, isDir, duration]), library.slice(0, 2).map(({ id, duration }) => [id, true, duration]))
})

t.test('search with words asks the whole catalogue; singers and charts lead on', async (t) => {
  const { ask } = await player(t)
  const { body: { searchResult3: { song, album, artist } } } = await ask('search3', { query: 'light', songCount: 60, albumCount: 3, artistCount: 2 })
  t.ok(song.length > 20 && album.length > 0 && artist.length > 0)
  t.same(idsOf((await ask('search3', { query: 'light', songCount: 7, songOffset: 11, albumCount: 0, artistCount: 0 })).body.searchResult3.song), idsOf(song.slice(11, 18)))
  t.equal(song.length, 60)
  t.same(idsOf((await ask('search3', { query: 'light', songCount: 5, songOffset: 52, albumCount: 0, artistCount: 0 })).body.searchResult3.song), idsOf(song.slice(52, 57)), 'on the second page')
  t.match((await ask('search3')).body.searchResult3, { song: { length: 20 }, album: { length: 20 }, artist: { length: 20 } }, 'twenty unless they are counted')
  for (const songOffset of [1000, 5000]) t.same((await ask('search3', { query: 'light', songOffset, albumCount: 0, artistCount: 0 })).body.searchResult3.song, [], 'where the provider finds nothing more')
  const { body: { artist: singer } } = await ask('getArtist', { id: artist[0].id })
  t.equal(singer.name, artist[0].name)
  t.ok(singer.album.length > 0)
  t.ok((await ask('getAlbum', { id: singer.album[0].id })).body.album.song.length > 0)
  t.ok((await ask('getMusicDirectory', { id: artist[0].id })).body.directory.child.every(({ isDir }: { isDir: boolean }) => isDir))
  t.ok((await ask('getTopSongs', { artist: artist[0].name, count: 5 })).body.topSongs.song.length > 0)
  const { body: { playlists: { playlist } } } = await ask('getPlaylists')
  t.ok(['li-liked', 'li-daily', 'li-radar', 'ch-62'].every((id) => idsOf(playlist).includes(id)))
  t.equal((await ask('getPlaylist', { id: 'ch-62' })).body.playlist.entry.length, 100)
  t.match((await ask('getPlaylist', { id: 'pl-7700000001' })).body.playlist.comment, /./)
  for (const { id } of playlist.slice(0, 12)) {
    const { status, body } = await ask('getPlaylist', { id })
    t.equal(status, 'ok', id)
    t.equal(body.playlist.entry.length, body.playlist.songCount)
    t.ok(body.playlist.entry.every(({ size, suffix, duration }: { size: number, suffix: string, duration: number }) => size > 0 && suffix === 'mp3' && duration > 0))
  }
})

t.test('ids resolve in a process that has never seen them', async (t) => {
  const first = await player(t)
  const second = await player(t, {}, first.demo)
  const { body: { searchResult3: { song: [song], album: [album], artist: [artist] } } } = await first.ask('search3', { songCount: 1 })
  const { body: { playlists: { playlist } } } = await first.ask('getPlaylists')
  for (const [method, id] of [['getSong', song.id], ['getAlbum', album.id], ['getAlbum', 'al-00DemoAlbu0001'], ['getArtist', artist.id], ['getPlaylist', playlist.at(-1).id], ['getPlaylist', playlist[1].id], ['getLyricsBySongId', song.id]] as const) {
    // Which songs are liked is known where the library was read.
    const unstarred = (body: unknown): unknown => JSON.parse(JSON.stringify(body, (key, value: unknown) => key === 'starred' ? undefined : value))
    t.same(unstarred((await second.ask(method, { id })).body), unstarred((await first.ask(method, { id })).body), `${method} ${id}`)
  }
})

t.test('what does not exist is error 70; a malformed id, too', async (t) => {
  const { ask } = await player(t)
  for (const [method, id] of [['getSong', 'so-00DemoSong9999'], ['getSong', 'al-00DemoAlbu0001'], ['getSong', '1'], ['getSong', 'so_00DemoSong0001'], ['getSong', 'so-'], ['getSong', 'so-00DemoSong0001.'], ['getAlbum', 'al-nothing'], ['getAlbum', 'la-nothing'], ['getPlaylist', 'pl-1'], ['getPlaylist', 'ch-999999'], ['getPlaylist', 'li-mine'], ['getArtist', 'ar-../x']] as const) {
    t.match(await ask(method, { id }), { http: 200, status: 'failed', error: { code: 70 } }, `${method} ${id}`)
  }
  t.match(await ask('getSong'), { error: { code: 10, message: 'id: is required.' } })
  t.match(await ask('getCoverArt', { id: 'al-../../x' }), { http: 404, error: { code: 70 } })
  t.match(await ask('getCoverArt', { id: 'li-daily' }), { http: 404, error: { code: 70 } })
})

t.test('enhanced lyrics say what each layer is, with a romanisation; others are as they were', async (t) => {
  const { ask, demo } = await player(t)
  const id = 'so-00DemoSong0005'
  const layers = async (more: Parameters = {}): Promise<any[]> => (await ask('getLyricsBySongId', { id, ...more })).body.lyricsList.structuredLyrics
  const [plain, off, enhanced] = [await layers(), await layers({ enhanced: 'false' }), await layers({ enhanced: 'true' })]
  t.same(off, plain)
  t.same(plain.map(({ kind, lang, synced }) => [kind, lang, synced]), [[undefined, 'und', true], [undefined, 'zho', true]])
  t.same(enhanced.map(({ kind, lang, synced }) => [kind, lang, synced]), [['main', 'und', true], ['translation', 'zho', true], ['pronunciation', 'und', true]])
  t.same(enhanced.slice(0, 2).map(({ line }) => line), plain.map(({ line }) => line))
  t.match(enhanced[2].line[0], { start: Number, value: /^(ka|mi|to|ne|su|ro) / })
  demo.next('music.musichallSong.PlayLyricInfo/GetPlayLyricInfo', { mutate: (answer: any) => { answer.data.roma = '0A1B2C' } })
  t.same((await ask('getLyricsBySongId', { id: 'so-00DemoSong0001', enhanced: 'true' })).body.lyricsList.structuredLyrics.map(({ kind }: any) => kind), ['main'])
  t.same(structuredLyrics({ lyric: '[ti:x]\none\n\n[00:01.00]two \n' }, true, { displayTitle: 'x' }), [{ lang: 'und', synced: false, displayTitle: 'x', kind: 'main', line: [{ value: 'one' }, { value: 'two' }] }])
  t.same(structuredLyrics({ lyric: '' }, true, {}), [])
  t.match(structuredLyrics({ lyric: 'one' }, false, {}), [{ synced: false, line: [{ value: 'one' }] }])
  t.match(structuredLyrics({ lyric: '', parsed: { tags: {}, lines: [{ time: 0, text: 'one' }] } } as never, false, {}), [{ synced: true, line: [{ start: 0, value: 'one' }] }])
  t.match(await ask('getLyricsBySongId', { id, enhanced: 'perhaps' }), { status: 'failed', error: { message: /^enhanced: / } })
})

t.test('audio: a redirect, or the bytes; what cannot be played is 404 with the reason', async (t) => {
  const { ask, server, demo } = await player(t, { account: 'nobody' })
  const at = async (id: string, more: Parameters = {}): Promise<Played> => await ask('stream', { id, ...more })
  const found = await at('so-00DemoSong0001')
  t.equal(found.http, 302)
  t.equal(found.headers.get('location')?.split('?')[0], (await server.get('/stream/00DemoSong0001?quality=best')).headers.get('location')?.split('?')[0])
  t.match((await at('so-00DemoSong0001', { maxBitRate: 128 })).headers.get('location'), /M500/)
  t.match((await at('so-00DemoSong0001', { maxBitRate: 64 })).headers.get('location'), /C400/)
  t.same([0, 1, 127, 128, 319, 320, 321].map(qualityWithin), ['best', 'm4a', 'm4a', '128', '128', '320', 'best'])
  t.match((await ask('download', { id: 'so-00DemoSong0001' })).headers.get('location'), /M500/)
  t.equal((await at('so-00DemoSong0001', { maxBitRate: 0 })).headers.get('location')?.split('?')[0], found.headers.get('location')?.split('?')[0])
  t.match(await at('so-00DemoSong0004'), { http: 404, status: 'failed', error: { code: 50, message: /needs a (?:login|subscription).*[需登]/ } })
  t.match(await at('so-00DemoSong9999'), { http: 404 })
  const { statusText } = await fetch(`${server.address}/rest/stream?u=me&p=p&id=so-00DemoSong0004`)
  t.match(statusText, /needs a (?:login|subscription)[ -~]*\.$/, 'for players that show nothing else')
  const relayed = await player(t, { stream: 'relay' }, demo)
  const part = await relayed.ask('stream', { id: 'so-00DemoSong0001' }, { range: 'bytes=10-19' })
  t.same([part.http, part.headers.get('content-length')], [206, '10'])
})

t.test('a login that ended is error 50 with our sentence, and never asks for the password again', async (t) => {
  const { ask } = await player(t, { account: 'expired' })
  for (const method of ['getStarred2', 'getPlaylists', 'getArtists', 'getRandomSongs']) t.match(await ask(method), { http: 200, status: 'failed', error: { code: 50, message: /^The login behind this user has ended.*登录已失效/ } }, method)
  t.match(await ask('getPlaylist', { id: 'ch-62' }), { status: 'ok' }, 'the catalogue is still there')
  t.match(await ask('search3', { query: 'light' }), { status: 'ok' })
})

t.test('without a login there is the catalogue, and an empty library', async (t) => {
  const { ask } = await player(t, { account: 'nobody' })
  t.match((await ask('search3', {})).body.searchResult3, { song: [], album: [], artist: [] })
  t.same((await ask('getArtists')).body.artists.index, [])
  t.same((await ask('getRandomSongs')).body.randomSongs.song, [])
  t.equal((await ask('getScanStatus')).body.scanStatus.count, 0)
  t.equal((await ask('getSong', { id: 'so-00DemoSong0001' })).body.song.starred, undefined)
  t.ok((await ask('getTopSongs', { artist: 'The Paper Lanterns' })).body.topSongs.song.length > 1, 'a singer of the catalogue')
  t.same((await ask('getSongsByGenre', { genre: '每日推荐 Daily songs' })).body.songsByGenre.song, [])
  t.ok((await ask('getPlaylists')).body.playlists.playlist.every(({ id }: { id: string }) => id.startsWith('ch-')))
  t.match(await ask('getPlaylist', { id: 'li-daily' }), { error: { code: 50 } })
  t.ok((await ask('getAlbumList2', { type: 'newest' })).body.albumList2.album.length > 0)
})

t.test('during an outage what was read before stands in; the rest says so', async (t) => {
  const clock = { now: 0 }
  const { ask, demo } = await player(t, { now: () => clock.now })
  const asked: [string, Parameters][] = [['search3', { songCount: 200 }], ['getAlbumList2', { type: 'alphabeticalByName' }], ['getArtists', {}], ['getStarred2', {}], ['getPlaylist', { id: 'ch-62' }], ['getPlaylists', {}], ['getAlbum', { id: 'al-00DemoAlbu0001' }], ['getLyricsBySongId', { id: 'so-00DemoSong0001' }]]
  const before = []
  for (const [method, given] of asked) before.push((await ask(method, given)).body)
  await demo.close()
  for (const hours of [0.1, 0.5, 3]) {
    clock.now = hours * 3_600_000
    for (const [at, [method, given]] of asked.entries()) t.same((await ask(method, given)).body, before[at], `${method} after ${hours} h`)
  }
  const other = await ask('getAlbum', { id: 'al-00DemoAlbu0002' })
  t.same([other.status, other.error.code], ['failed', 0])
  t.match(await ask('stream', { id: 'so-00DemoSong0001' }), { status: 'failed' })
})

t.test('one part of a list that fails leaves the others', async (t) => {
  const { ask, demo } = await player(t, { cache: false })
  for (const fault of dead) demo.next('musicToplist.ToplistInfoServer/GetAll', fault, 50)
  const { status, body } = await ask('getPlaylists')
  t.equal(status, 'ok')
  t.ok(body.playlists.playlist.length > 3)
})

t.test('collected playlists are among the others, by who made them, and open in a process that has never seen them', async (t) => {
  const first = await player(t)
  const second = await player(t, {}, first.demo)
  const { body: { playlists: { playlist } } } = await first.ask('getPlaylists')
  const collected = playlist.filter(({ id }: { id: string }) => id.startsWith('pl-77000003'))
  t.equal(collected.length, 12)
  t.equal(new Set(idsOf(playlist)).size, playlist.length)
  for (const { id, name, owner, songCount, readonly } of collected.slice(0, 3)) {
    t.equal(readonly, true)
    t.not(owner, 'me')
    t.match((await second.ask('getPlaylist', { id })).body.playlist, { id, name, owner, songCount, readonly: true, entry: { length: songCount } })
  }
  const own = playlist.filter(({ owner }: { owner: string }) => owner === 'me')
  t.equal(own.length, 7, 'the liked songs, and six that the account made')
  t.equal((await first.ask('getPlaylist', { id: own[1].id })).body.playlist.owner, 'me')
  t.same(idsOf((await first.ask('getPlaylist', { id: 'li-liked' })).body.playlist.entry), idsOf((await first.ask('getStarred2')).body.starred2.song))
})

t.test('stars: liked songs, collected albums whole and since when, followed singers', async (t) => {
  const { ask } = await player(t)
  const { body: { starred2: { song, album, artist } } } = await ask('getStarred2')
  t.same([song.length, album.length, artist.length], [140, 15, 8])
  t.match(album[0], { id: 'al-00DemoAlbu0021', starred: '2025-10-09T08:53:20.000Z', coverArt: 'al-00DemoAlbu0021', artistId: /^ar-/ })
  t.match(artist[0], { id: 'ar-00DemoSing0021', name: /./, coverArt: 'ar-00DemoSing0021', starred: '1970-01-01T00:00:00.000Z' })
  const { body: { album: whole } } = await ask('getAlbum', { id: album[0].id })
  t.same([whole.name, whole.songCount, whole.artist], [album[0].name, album[0].songCount, album[0].artist])
  t.equal((await ask('getArtist', { id: artist[0].id })).body.artist.name, artist[0].name)
  const { body: { starred } } = await ask('getStarred')
  t.same([idsOf(starred.song), idsOf(starred.album), idsOf(starred.artist)], [idsOf(song), idsOf(album), idsOf(artist)])
  t.ok(starred.album.every(({ isDir, starred: since }: { isDir: boolean, starred: string }) => isDir && since !== undefined))
  t.same([253_402_300_799, 253_402_300_800].map(starredAt), ['9999-12-31T23:59:59.000Z', '1970-01-01T00:00:00.000Z'])
  t.same(['2015-08-10', '0001-01-01', ''].map(yearOf), [2015, 1, undefined])
  const times = [1_760_000_000_000, 9e15, -1, 0]
  const odd = await player(t)
  odd.demo.next('music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo', { mutate: ({ data }) => { data.v_list.forEach((row: { ordertime: number }, at: number) => { row.ordertime = times[at] ?? 1 }) } })
  t.same((await odd.ask('getStarred2')).body.starred2.album.slice(0, 4).map(({ starred }: { starred: string }) => starred), times.map(() => '1970-01-01T00:00:00.000Z'), 'a time that is none')
})

const favouriteCalls = ['music.musicasset.PlaylistFavRead/CgiGetPlaylistFavInfo', 'music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo', 'music.concern.RelationList/GetFollowSingerList', '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg']

t.test('when the favourites are refused, the rest answers and the log says so; a login that ended is not hidden', async (t) => {
  const { ask, demo, server } = await player(t, { cache: false })
  for (const call of favouriteCalls) demo.next(call, { code: 104403 }, 50)
  const { status, body: { playlists: { playlist } } } = await ask('getPlaylists')
  t.equal(status, 'ok')
  t.equal(playlist.filter(({ owner }: { owner: string }) => owner === 'me').length, 7)
  t.notOk(playlist.some(({ id }: { id: string }) => id.startsWith('pl-77000003')))
  t.match((await ask('getStarred2')).body.starred2, { song: { length: 140 }, album: [], artist: [] })
  const missing = server.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg.endsWith(' is missing'))
  t.match(missing.map(({ level, err: { code } }) => [level, code]), [['warn', 'UPSTREAM_REFUSED'], ['warn', 'UPSTREAM_REFUSED'], ['warn', 'UPSTREAM_REFUSED']])
  t.match(await ask('getAlbumList2', { type: 'starred' }), { status: 'failed', error: { code: 0 } }, 'a list of nothing else says so')
  demo.reset()
  for (const call of favouriteCalls) demo.next(call, { code: 1000 }, 50)
  for (const method of ['getPlaylists', 'getStarred', 'getStarred2']) t.match(await ask(method), { http: 200, status: 'failed', error: { code: 50, message: /login behind this user has ended/ } }, method)
})

t.test('a liked song has its star wherever it is found, once the library is in memory', async (t) => {
  const { ask, demo } = await player(t)
  const { body: { starred2: { song: [liked] } } } = await ask('getStarred2')
  const albumId = liked.albumId.replace('la-', 'al-')
  const answers = async (): Promise<(string | undefined)[]> => {
    const { body: { song } } = await ask('getSong', { id: liked.id })
    const { body: { album } } = await ask('getAlbum', { id: albumId })
    const { body: { searchResult3: { song: found } } } = await ask('search3', { query: liked.title, songCount: 100 })
    return [song, ...[album.song, found].map((songs) => songs.find(({ id }: { id: string }) => id === liked.id))].map(({ starred }) => starred)
  }
  t.same(await answers(), [undefined, undefined, undefined], 'nothing is read for it')
  await ask('getArtists')
  demo.reset()
  t.same(await answers(), [liked.starred, liked.starred, liked.starred])
  t.equal(demo.received.length, 0, 'for no further question')
  const { body: { album } } = await ask('getAlbum', { id: albumId })
  const { body: { starred2: { song: all } } } = await ask('getStarred2')
  t.same(album.song.filter(({ starred }: { starred?: string }) => starred !== undefined).map(({ id }: { id: string }) => id).sort(), idsOf(all.filter(({ albumId: of }: { albumId: string }) => of === liked.albumId)).sort(), 'the others have none')
})

t.test('songs of chance: as many as were asked for, each once, from anywhere in the library', async (t) => {
  const { ask, demo } = await player(t)
  const random = async (size?: number): Promise<string[]> => idsOf((await ask('getRandomSongs', size === undefined ? {} : { size })).body.randomSongs.song)
  const library = idsOf((await ask('getStarred2')).body.starred2.song)
  for (const [size, length] of [[undefined, 10], [7, 7], [0, 0]] as const) t.same([(await random(size)).length, new Set(await random(size)).size], [length, length])
  for (let time = 0; time < 6; time++) {
    const all = await random(500)
    t.same(library.filter((id) => !all.includes(id)), [], 'a number above all is all')
    t.ok(all.length > library.length, 'with what is recommended')
    t.equal(new Set(all).size, all.length)
  }
  const kind = async (genre: string, more: Parameters = {}): Promise<string[]> => idsOf((await ask('getSongsByGenre', { genre, count: 100, ...more })).body.songsByGenre.song)
  const orders = Array.from({ length: 200 }, () => shuffled(['a', 'b', 'c']).join(''))
  t.same([...new Set(orders)].sort(), ['abc', 'acb', 'bac', 'bca', 'cab', 'cba'], 'every order, and nothing else')
  const [daily, radar] = ['每日推荐 Daily songs', '猜你喜欢 For you'] as const
  t.same((await ask('getGenres')).body.genres.genre, [{ value: daily, songCount: 30, albumCount: 0 }, { value: radar, songCount: 10, albumCount: 0 }])
  const some = (await Promise.all(Array.from({ length: 20 }, async () => await random(10)))).flat()
  t.ok(some.some((id) => library.indexOf(id) > 70))
  for (const [genre, list] of [[daily, 'li-daily'], [radar, 'li-radar']] as const) t.same(await kind(genre), idsOf((await ask('getPlaylist', { id: list })).body.playlist.entry))
  t.equal((await ask('getSongsByGenre', { genre: daily })).body.songsByGenre.song.length, 10)
  t.same(await kind(daily, { count: 3, offset: 2 }), (await kind(daily)).slice(2, 5))
  t.same(await kind('Rock'), [])
  const similar = async (count?: number): Promise<string[]> => idsOf((await ask('getSimilarSongs', { id: 'so-00DemoSong0001', ...count === undefined ? {} : { count } })).body.similarSongs.song)
  t.same(await similar(3), (await similar()).slice(0, 3))
  t.equal((await similar(3)).length, 3)
  const album = (await ask('getAlbum', { id: 'al-00DemoAlbu0002' })).body.album
  const like = async (id: string, count?: number): Promise<string[]> => idsOf((await ask('getSimilarSongs2', { id, ...count === undefined ? {} : { count } })).body.similarSongs2.song)
  t.same(await like(album.id), await like(album.song[0].id), 'like its first song')
  t.same(await like('la-0'), [])
  demo.reset()
  const singer = 'ar-00DemoSing0001'
  t.equal((await like(singer)).length, 50)
  const { body: { artistInfo2: { similarArtist } } } = await ask('getArtistInfo2', { id: singer })
  const asked = demo.calls('musichall.song_list_server/GetSingerSongList').flatMap(({ body }) => Object.values(body as Record<string, { method?: string, param: { singerMid: string, num: number } }>).flatMap(({ method, param }) => method === 'GetSingerSongList' ? [param] : []))
  t.same(asked.map(({ singerMid }) => `ar-${singerMid}`).sort(), [singer, ...idsOf(similarArtist.slice(0, 5))].sort(), 'the singer and the five most similar ones')
  t.same(new Set(asked.map(({ num }) => num)), new Set([20]))
})

t.test('pictures in the next larger size, and of singers; users see themselves', async (t) => {
  const { ask, demo } = await player(t)
  const picture = async (given: Parameters): Promise<string | null> => (await ask('getCoverArt', { id: 'al-00DemoAlbu0001', ...given })).headers.get('location')
  for (const [size, found] of [[undefined, 500], [1, 90], [90, 90], [91, 150], [300, 300], [501, 800], [9999, 800]] as const) t.match(await picture(size === undefined ? {} : { size }), `T002R${found}x${found}M000`, `${size}`)
  t.match(await picture({ id: 'ar-00DemoSing0001' }), 'T001R500x500M00000DemoSing0001')
  t.match(await ask('getCoverArt', { id: 'la-0' }), { http: 404, error: { code: 70 } })
  const detail = 'music.pf_song_detail_svr/get_song_detail_yqq'
  t.match(await picture({ id: 'so-00DemoSong0001' }), /T002R500x500M000\w+_1\./)
  const bare = { mid: '', pmid: '' }
  demo.next(detail, { mutate: ({ data }) => { Object.assign(data.track_info.album, bare) } })
  t.match(await picture({ id: 'so-00DemoSong0002' }), /T001R500x500M000/, 'of the singer')
  demo.next(detail, { mutate: ({ data }) => { Object.assign(data.track_info.album, bare); data.track_info.singer = [] } })
  t.match(await ask('getCoverArt', { id: 'so-00DemoSong0003' }), { http: 404, error: { code: 70 } })
  for (const [method, given] of [['getCoverArt', { id: 'ch-62' }], ['getAvatar', { username: 'me' }]] as const) {
    const { http, headers } = await ask(method, given)
    t.same([http, headers.get('cache-control')], [302, 'private, max-age=86400'], method)
  }
  const off = Object.fromEntries(['scrobblingEnabled', 'adminRole', 'settingsRole', 'uploadRole', 'playlistRole', 'coverArtRole', 'commentRole', 'podcastRole', 'jukeboxRole', 'shareRole', 'videoConversionRole'].map((role) => [role, false]))
  for (const given of [{}, { username: 'me' }]) t.same((await ask('getUser', given)).body.user, { username: 'me', downloadRole: true, streamRole: true, folder: [1], ...off })
  t.match(await (await player(t, { account: 'nobody' })).ask('getAvatar'), { http: 404, error: { code: 70 } })
})

t.test('songs of a name: lyrics of the first, the best of a singer', async (t) => {
  const { ask, demo } = await player(t)
  const { body: { starred2: { song: liked } } } = await ask('getStarred2')
  const { title, artist, artistId } = liked.find(({ artists }: { artists: unknown[] }) => artists.length > 1)
  t.match((await ask('getLyrics', { title, artist })).body.lyrics, { title, artist, value: /\n/ })
  t.match((await ask('getLyrics', { artist })).body.lyrics, { title: /./, artist: RegExp(artist.split(' / ')[0]) })
  for (const given of [{}, { title: 'no such thing at all' }, { title: 'a'.repeat(400) }]) t.same((await ask('getLyrics', given)).body.lyrics, { value: '' })
  demo.reset()
  await ask('getLyrics', { title: 'Some title', artist: 'One / Other' })
  t.match(demo.calls('/soso/fcgi-bin/client_search_cp')[0]?.query, { w: 'Some title One', n: '10', p: '1' })
  const top = async (given: Parameters): Promise<string[]> => idsOf((await ask('getTopSongs', given)).body.topSongs.song)
  const best = await top({ id: artistId })
  t.ok(best.length > 5)
  t.same(await top({ artist: artist.toUpperCase() }), best, 'of the first one')
  t.equal((await top({ id: artistId, count: 1 })).length, 1)
  t.same(await top({ artist: 'nobody', id: artistId, count: 3 }), best.slice(0, 3), 'the id counts')
  for (const given of [{}, { artist: ' ' }, { artist: 'nobody at all' }, { id: artistId, count: 0 }]) t.same(await top(given), [])
})

t.test('a library of songs without album, singer, size or day', async (t) => {
  const { ask, demo } = await player(t)
  const bare = (track: any): void => Object.assign(track, { album: { id: 0, mid: '', name: '', pmid: '' }, time_public: '', file: { ...track.file, size_128mp3: 0 } })
  demo.next('music.srfDissInfo.DissInfo/CgiGetDiss', { mutate: ({ data }) => { data.songlist.slice(0, 3).forEach(bare); data.songlist[1].singer = []; data.songlist[2].interval = 0; data.songlist[2].file.size_128mp3 = 5_000_000; Object.assign(data.songlist[3], { interval: 1, file: { ...data.songlist[3].file, size_128mp3: 20_000 } }); data.songlist[4].singer = [] } })
  const { body: { starred2: { song: [first, second, third, fourth, fifth, ...others] } } } = await ask('getStarred2')
  t.match(fourth, { size: 20_000, bitRate: 160, duration: 1 })
  t.match((await ask('getAlbum', { id: fifth.albumId })).body.album, { id: fifth.albumId, songCount: Number })
  const singers = (await ask('getArtists')).body.artists.index.flatMap(({ artist }: { artist: { id: string }[] }) => idsOf(artist))
  t.same(new Set(singers), new Set([fourth, ...others].map(({ artistId }) => artistId)), 'of songs with an album')
  t.match(first, { albumId: 'la-0', album: '单曲 Singles', coverArt: first.id, bitRate: 128, size: first.duration * 16_000, created: '1970-01-01T00:00:00.000Z', year: undefined, path: /^[^/]+\/单曲 Singles\/[^/]+\.mp3$/ })
  t.match(second, { artist: '', artistId: undefined, artists: [], path: /^-\// })
  t.match(third, { size: 5_000_000, bitRate: 128, duration: 0 })
  const { body: { album } } = await ask('getAlbum', { id: 'la-0' })
  t.match(album, { name: '单曲 Singles', artist: '', artists: [], songCount: 3, created: '1970-01-01T00:00:00.000Z', song: { length: 3 } })
})

t.test('albums, singers and lists say all that is known of them', async (t) => {
  const { ask, demo } = await player(t)
  const { body: { album } } = await ask('getAlbum', { id: 'al-00DemoAlbu0001' })
  for (const { size, duration, bitRate } of album.song) t.equal(bitRate, Math.round(size * 8 / duration / 1000))
  t.match(album.song[0], { album: album.name, coverArt: album.coverArt, isDir: false, isVideo: false, type: 'music', mediaType: 'song' })
  t.match(album, { artistId: 'ar-00DemoSing0001', coverArt: 'al-00DemoAlbu0001_1', created: '2015-08-10T00:00:00.000Z', year: 2015, song: { length: 10 } })
  for (const [at, song] of album.song.entries()) t.match(song, { track: at + 1, albumId: album.id, parent: album.id, starred: undefined })
  const pictures = (name: string): object => Object.fromEntries([['small', 150], ['medium', 300], ['large', 800]].map(([size, width]) => [`${size}ImageUrl`, RegExp(`R${width}x${width}M000${name}\\.jpg`)]))
  t.match((await ask('getAlbumInfo2', { id: album.id })).body.albumInfo, { notes: /recorded in/, ...pictures('00DemoAlbu0001_1') })
  t.same((await ask('getAlbumInfo2', { id: 'la-0' })).body.albumInfo, {})
  const about = async (more: Parameters = {}): Promise<any> => (await ask('getArtistInfo2', { id: 'ar-00DemoSing0001', ...more })).body.artistInfo2
  t.match(await about(), { biography: /kitchen/, ...pictures('00DemoSing0001'), similarArtist: { length: 10 } })
  t.same((await about({ count: 3 })).similarArtist, (await about()).similarArtist.slice(0, 3))
  const { body: { artist } } = await ask('getArtist', { id: 'ar-00DemoSing0001' })
  t.match(artist, { name: 'The Paper Lanterns', coverArt: 'ar-00DemoSing0001', albumCount: artist.album.length })
  for (const each of artist.album) t.match(each, { songCount: 0, duration: 0, coverArt: `${each.id}_1`, created: /^20/, artists: [{ id: artist.id, name: artist.name }] })
  t.match((await ask('getMusicDirectory', { id: artist.id })).body.directory.child[0], { id: artist.album[0].id, parent: artist.id, isDir: true, duration: undefined })
  t.match((await ask('getPlaylist', { id: 'ch-62' })).body.playlist, { comment: /Rule/, changed: '2026-11-20T00:00:00.000Z', coverArt: 'ch-62', entry: [{ year: Number, created: /^2/, starred: undefined, bitRate: Number }] })
  const { body: { playlist } } = await ask('getPlaylist', { id: 'pl-7700000001' })
  t.match(playlist, { comment: /Made for tests/, songCount: 55, created: '1970-01-01T00:00:00.000Z', entry: { length: 55 } })
  for (const { size, duration, bitRate, starred } of playlist.entry) t.same([size, bitRate, starred], [duration * 16_000, 128, undefined])

  for (const id of ['li-daily', 'ch-62', 'pl-7700000060']) t.match((await ask('getPlaylists')).body.playlists.playlist.find((each: { id: string }) => each.id === id), { public: false, readonly: true, duration: 0, coverArt: id.startsWith('li-') ? undefined : id })
  for (const [id, owner] of [['li-liked', 'me'], ['li-daily', 'QQ Music'], ['ch-62', 'QQ Music']] as const) t.equal((await ask('getPlaylist', { id })).body.playlist.owner, owner)
  for (const song of (await ask('getPlaylist', { id: 'li-liked' })).body.playlist.entry) t.match(song, { albumId: /^la-/, starred: /Z$/ })
  t.ok((await ask('getPlaylist', { id: 'li-daily' })).body.playlist.entry.every(({ albumId }: { albumId: string }) => albumId.startsWith('al-')))
  t.match((await ask('search3', { query: 'light', songCount: 0 })).body.searchResult3.album[0], { artistId: /^ar-/, starred: undefined })
  t.match((await ask('ping')).body, { openSubsonic: true, version: '1.16.1', type: 'music-relay' })
  t.same((await ask('getOpenSubsonicExtensions')).body.openSubsonicExtensions, ['formPost', 'songLyrics', 'apiKeyAuthentication'].map((name) => ({ name, versions: [1] })))
  t.match((await ask('getScanStatus')).body.scanStatus, { scanning: false, count: 140 })
  t.match((await ask('getMusicFolders')).body.musicFolders.musicFolder, [{ id: 1 }])
  t.equal((await ask('getIndexes')).body.indexes.lastModified, 0)
  t.same((await ask('search3', { artistCount: 1, albumCount: 0, songCount: 0 })).body.searchResult3.artist.length, 1)
  t.same((await ask('search3', { artistCount: 0, albumCount: 1, songCount: 0 })).body.searchResult3.album.length, 1)
  const { body: { searchResult3: { song: [first] } } } = await ask('search3', { songCount: 1, albumCount: 0, artistCount: 0 })
  t.equal(first.albumId.slice(0, 3), 'la-')
  const asked = async (method: string, given: Parameters): Promise<number> => {
    demo.reset()
    t.equal((await ask(method, given)).status, 'ok')
    return demo.calls('/soso/fcgi-bin/client_search_cp').length
  }
  for (const given of [{ songCount: 50 }, { songCount: 51 }, { songCount: 51, songOffset: 50 }]) t.equal(await asked('search3', { query: 'lantern', albumCount: 0, artistCount: 0, ...given }), 1, 'a page is asked for once')
})

t.test('singers are listed under their initials, those without any under #', (t) => {
  t.same([['Zed', 'Z'], [' amy', 'A'], ['Éric', 'E'], ['阿杜', 'A'], ['巴扎', 'B'], ['周杰伦', 'Z'], ['林俊杰', 'L'], ['あいみょん', '#'], ['2NE1', '#'], ['', '#']].filter(([name, initial]) => initialOf(name as string) !== initial), [])
  t.same(singersByInitial({ singers: ['10cc', '2NE1'].map((name) => ({ mid: name, name, albums: 1 })) }).get('#')?.map(({ name }) => name), ['2NE1', '10cc'])
  for (const names of [['2NE1', 'Zed', 'amy', 'Zoe'], ['amy', '2NE1', 'Zoe', 'Zed'], ['Zoe', 'Zed', 'amy', '2NE1']]) {
    const listed = [...singersByInitial({ singers: names.map((name) => ({ mid: name, name, albums: 1 })) })]
    t.same(listed.map(([initial, singers]) => [initial, ...singers.map(({ name }) => name)]), [['A', 'amy'], ['Z', 'Zed', 'Zoe'], ['#', '2NE1']])
  }
  t.end()
})

t.test('writes are refused with a sentence, and scrobbles are taken', async (t) => {
  const { ask } = await player(t)
  for (const method of ['star', 'unstar', 'setRating', 'createPlaylist', 'updatePlaylist', 'deletePlaylist', 'savePlayQueue', 'startScan', 'createUser']) t.match(await ask(method, { id: 'so-00DemoSong0001' }), { http: 200, error: { code: 50, message: /\.$/ } }, method)
  t.match(await ask('scrobble', { id: 'so-00DemoSong0001', submission: 'true' }), { status: 'ok' })
  t.match(await ask('getUser', { username: 'root' }), { http: 200, error: { code: 50 } })
  t.match(await ask('getAvatar', { username: 'root' }), { http: 403, error: { code: 50 } }, 'a picture has a status')
})

t.test('every code of the relay has a number of the interface, and a status that makes clients wait where they should', (t) => {
  const numbers: Record<number, string[]> = {}
  for (const code of Object.keys(errorCodes) as ErrorCode[]) {
    const { error } = failureOf(new RelayError(code, 'A sentence.'), 'default') as { error: { code: number, message: string } }
    t.ok(['LOGIN_REQUIRED', 'COOKIE_REJECTED'].includes(code) ? /operator/.test(error.message) : error.message === 'A sentence.')
    numbers[error.code] = [...numbers[error.code] ?? [], code]
    const status = httpStatusOf(new RelayError(code, 'A sentence.'), false)
    const { status: own } = errorCodes[code]
    t.equal(status, code === 'ROUTE_NOT_FOUND' || own === 429 || own === 503 ? own : 200, code)
    t.equal(httpStatusOf(new RelayError(code, 'A sentence.'), true), errorCodes[code].status, 'media: the status itself')
  }
  t.same(numbers[50], ['LOGIN_REQUIRED', 'KEY_LIMITED', 'CROSS_SITE', 'HOST_NOT_ALLOWED', 'METHOD_NOT_ALLOWED', 'COOKIE_REJECTED'])
  t.same(numbers[40], ['TOKEN_REQUIRED'], 'nothing else makes a client ask for the password')
  t.same(numbers[70], ['NOT_FOUND', 'NOT_PLAYABLE'])
  t.match(failureOf(new InvalidInput('id: a sentence.', 'missing'), 'default'), { error: { code: 10 } })
  t.match(failureOf(new InvalidInput('id: is required to be a word.'), 'default'), { error: { code: 0 } }, 'its words do not matter')
  for (const [reason, code] of [['COOKIE_EXPIRED', 50], ['NO_COOKIE', 50], ['PAID', 70], ['UNKNOWN', 70]] as const) t.match(failureOf(new NotPlayable(reason, 'A hint.'), 'default'), { error: { code, message: /[\u4e00-\u9fff]/ } }, 'for listeners')
  t.match(failureOf(new RelayError('COOKIE_REJECTED', ''), 'living-room'), { error: { message: /music-relay login --as living-room\b/ } })
  t.same([40, 43, 44, 50].map((number) => new Refused(number, 'A sentence.').code), ['TOKEN_REQUIRED', 'INVALID_INPUT', 'TOKEN_REQUIRED', 'METHOD_NOT_ALLOWED'])
  t.same(failureCodes, { generic: 0, missing: 10, wrongPassword: 40, twoMechanisms: 43, wrongKey: 44, notAllowed: 50, notFound: 70 })
  for (const number of Object.values(failureCodes)) t.match(failureOf(new Refused(number, 'A sentence.'), 'default'), { error: { code: number, message: 'A sentence.' } })
  const refused = new Refused(50, 'A sentence.')
  t.same([httpStatusOf(refused, false), httpStatusOf(refused, true)], [200, 403], 'not 405: no other method of HTTP would help')
  t.end()
})

t.test('every parameter has its bounds', async (t) => {
  const { ask } = await player(t)
  const refused: [string, Parameters, string][] = [
    ...['fromYear', 'toYear'].flatMap((year): typeof refused => [-10_001, 10_001].map((value) => ['getAlbumList2', { type: 'byYear', fromYear: 1, toYear: 1, [year]: value }, year])),
    ['getAlbumList2', { type: 'recent', size: -1 }, 'size'], ['getAlbumList2', { type: 'recent', size: 2 ** 31 + 1 }, 'size'], ['getAlbumList2', { type: 'recent', offset: -1 }, 'offset'], ['getAlbumList2', { type: 'recent', offset: 1_000_001 }, 'offset'],
    ['getLyrics', { title: 'a'.repeat(501) }, 'title'], ['getLyrics', { artist: 'a'.repeat(501) }, 'artist'],
    ['getSongsByGenre', { genre: 'a'.repeat(201) }, 'genre'], ['getTopSongs', { artist: 'a'.repeat(201) }, 'artist'], ['getTopSongs', { id: 'a'.repeat(65) }, 'id']
  ]
  for (const [method, given, name] of refused) t.match(await ask(method, given), { http: 200, error: { code: 0, message: RegExp(`^${name}: `) } }, `${method} ${name}`)
  for (const maxBitRate of [-1, 100_001]) t.match(await ask('stream', { id: 'so-00DemoSong0001', maxBitRate }), { http: 400, error: { message: /^maxBitRate: / } })
  const allowed: [string, Parameters][] = [
    ['getAlbumList2', { type: 'byYear', fromYear: -10_000, toYear: 10_000, size: 2 ** 31, offset: 1_000_000 }], ['getLyrics', { title: 'a'.repeat(500) }], ['getSongsByGenre', { genre: 'a'.repeat(200) }], ['getTopSongs', { artist: 'a'.repeat(200), count: 2 ** 31 }], ['getTopSongs', { id: 'ar-00DemoSing0001', count: 2 ** 31 }]
  ]
  for (const [method, given] of allowed) t.equal((await ask(method, given)).status, 'ok', method)
})

const likedCall = 'music.srfDissInfo.DissInfo/CgiGetDiss'

t.test('of a large library as much is given at once as the reference says, for as few questions as it has pages', async (t) => {
  const { ask, demo } = await player(t, {}, await demoFor(t, { memberLikes: 1000 }))
  const given = async (method: string, input: Parameters): Promise<any> => (await ask(method, input)).body
  const asked = async (method: string, input: Parameters = {}): Promise<number> => {
    demo.reset()
    t.not((await ask(method, input)).status, 'failed', method)
    return demo.received.length
  }
  t.equal(await asked('search3', { artistCount: 0, albumCount: 0, songCount: 50, songOffset: 300 }), 1, 'no other page, and no index')
  t.equal(await asked('getScanStatus'), 1)
  t.equal(await asked('search3', { artistCount: 0, albumCount: 0, songCount: 100 }), 0, 'the first page says how many there are')
  t.equal(await asked('getArtists'), 8)
  t.equal(await asked('getPlaylist', { id: 'li-liked' }), 0)
  t.equal((await given('getPlaylist', { id: 'li-liked' })).playlist.songCount, 1000)
  t.equal((await given('search3', { artistCount: 0, albumCount: 0, songCount: 9999 })).searchResult3.song.length, 500)
  t.equal((await given('getRandomSongs', { size: 9999 })).randomSongs.song.length, 500)
  t.same([await asked('search3', { query: 'light', songOffset: 1000, albumCount: 0, artistCount: 0 }), await asked('getCoverArt', { id: 'ch-62' }), await asked('getCoverArt', { id: 'ch-62' })], [0, 2, 0])
})

t.test('what the library has got since is found, and an index serves while a new one cannot be read', async (t) => {
  const clock = { now: 0 }
  const { ask, demo } = await player(t, { cache: false, now: () => clock.now })
  const singers = (await ask('getArtists')).body.artists
  // An index is trusted for ten seconds.
  clock.now = 10_000
  demo.next(likedCall, { mutate: ({ data }) => { data.songlist[0].album.mid = '00NewAlbum0001' } }, 4)
  t.match(await ask('getAlbum', { id: 'la-00NewAlbum0001' }), { status: 'ok', body: { album: { songCount: 2, song: { length: 2 } } } })
  demo.reset()
  clock.now += 599_000
  t.same((await ask('getArtists')).body.artists.index.length, singers.index.length)
  t.equal(demo.received.length, 0, 'nothing is read within ten minutes')
  for (const fault of dead) demo.next(likedCall, fault, 50)
  clock.now += 2000
  for (let time = 0; time < 3; time++) {
    t.same((await ask('getArtists')).body.artists.index.length, singers.index.length)
    await ask('getScanStatus')
  }
  t.ok(demo.received.length > 0, 'it is read again')
})

t.test('lists are asked for as often as they have pages, and the reference says where they end', async (t) => {
  const { ask, demo } = await player(t, { cache: false })
  const times = async (method: string, given: Parameters, ...calls: readonly string[]): Promise<number[]> => {
    demo.reset()
    t.equal((await ask(method, given)).status, 'ok', method)
    return calls.map((call) => timesAsked(demo, call))
  }
  const [playlists, albums, singers] = favouriteCalls as [string, string, string]
  const made = 'music.musicasset.PlaylistBaseRead/GetPlaylistByUin'
  t.same(await times('getStarred2', {}, albums, singers, likedCall), [1, 1, 2])
  t.same(await times('getPlaylists', {}, playlists, made, likedCall), [1, 1, 1])
  t.same(await times('getPlaylist', { id: 'pl-7700000001' }, made, likedCall), [1, 1])
  demo.next('music.musichallAlbum.AlbumListServer/GetAlbumList', { mutate: ({ data: { albumList: [first, second] } }) => { first.singerName = 'The Paper Lanterns/Other'; second.singerName = 'Other/The Paper Lanterns' } })
  const { body: { artist: { id, name, album } } } = await ask('getArtist', { id: 'ar-00DemoSing0001' })
  t.match(album.slice(0, 2), [{ artistId: id, artist: `${name} / Other`, artists: [{ id, name }] }, { artistId: undefined, artists: [{ id, name }] }], 'albums with somebody else')
  demo.next('music.SimilarSingerSvr/GetSimilarSingerList', { mutate: ({ data }) => { data.singerlist = Array.from({ length: 25 }, (_, at) => ({ ...data.singerlist[0], singerMid: `00Like${at}` })) } })
  t.equal((await ask('getArtistInfo2', { id })).body.artistInfo2.similarArtist.length, 20)
  const names = ['Volume 10', 'Volume 2']
  demo.next(likedCall, { mutate: ({ data }) => { names.forEach((title, at) => { Object.assign(data.songlist[at].album, { mid: `00Volume${at}`, name: title }) }) } })
  const byName = (await ask('getAlbumList2', { type: 'alphabeticalByName', size: 500 })).body.albumList2.album.map((each: { name: string }) => each.name)
  t.same(byName.filter((each: string) => names.includes(each)), ['Volume 2', 'Volume 10'])
  demo.next(made, { mutate: ({ data }) => { [data.v_playlist[3].tid, data.v_playlist[4].tid] = [0, 1] } })
  const own = idsOf((await ask('getPlaylists')).body.playlists.playlist)
  t.same([own.includes('pl-0'), own.includes('pl-1')], [false, true], 'a list without a number cannot be opened')
  for (const { summary } of [methods.getStarred, methods.getStarred2]) t.match(summary, 'at most 10,000; the collected albums and the followed singers, at most 1,000 of each.')
})
