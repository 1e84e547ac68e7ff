/** Players that copy a whole library: complete, nothing twice, and for few questions to the provider. */
import t from 'tap'
import type { Test } from 'tap'
import { playerFor } from '../support/opensubsonicPlayer.ts'
import type { Player } from '../support/opensubsonicPlayer.ts'
import { sampleOf } from '../support/whole.ts'

type Row = Readonly<Record<string, any>>

/** Strawberry: all albums by name, then each with its songs. */
async function byAlbums ({ ask }: Player): Promise<{ albums: Row[], songs: Row[] }> {
  const albums: Row[] = []
  for (let offset = 0; ; offset += 500) {
    const { albumList2: { album } } = (await ask('getAlbumList2', { type: 'alphabeticalByName', size: 500, offset }, { view: true })).body
    if (album.length === 0) break
    albums.push(...album)
  }
  const songs: Row[] = []
  // Five at once, as it does.
  for (let at = 0; at < albums.length; at += 5) {
    const some = await Promise.all(albums.slice(at, at + 5).map(async ({ id }) => (await ask('getAlbum', { id }, { view: true })).body.album.song as Row[]))
    songs.push(...some.flat())
  }
  return { albums, songs }
}

/** Symfonium: a search without words, page by page, for one kind after the other. */
async function bySearch ({ ask }: Player, query: string): Promise<{ artists: Row[], albums: Row[], songs: Row[] }> {
  const all = async (kind: 'artist' | 'album' | 'song'): Promise<Row[]> => {
    const rows: Row[] = []
    for (let offset = 0; ; offset += 500) {
      const none = { songOffset: 0, songCount: 0, albumOffset: 0, albumCount: 0, artistOffset: 0, artistCount: 0 }
      const { searchResult3 } = (await ask('search3', { query, ...none, [`${kind}Offset`]: offset, [`${kind}Count`]: 500 }, { view: true })).body
      const page = searchResult3[kind] as Row[]
      rows.push(...page)
      if (page.length < 500) return rows
    }
  }
  return { artists: await all('artist'), albums: await all('album'), songs: await all('song') }
}

const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id)

/** Compares a copy with what the account likes. */
function isComplete (t: Test, songs: readonly Row[], expected: number): void {
  const ids = idsOf(songs)
  t.equal(new Set(ids).size, ids.length, 'nothing twice')
  t.equal(ids.length, expected, 'complete')
  for (const field of ['id', 'title', 'size', 'suffix', 'contentType', 'duration', 'type', 'isDir', 'album', 'albumId', 'artist', 'artistId', 'coverArt']) {
    t.equal(songs.filter((song) => song[field] === undefined).length, 0, `every song has ${field}`)
  }
}

/** Songs of a library, and how many questions to the provider may copy it. Each size in one way, with WHOLE=1 in both. */
const sizes = [[1000, 30], [5000, 60]] as const

for (const [likes, most] of sampleOf(sizes, 2)) {
  t.test(`the first copy of ${likes} songs by their albums asks the provider at most ${most} times, a second one soon after not at all`, async (t) => {
    const player = await playerFor(t, {}, { memberLikes: likes })
    const { albums, songs } = await byAlbums(player)
    for (const method of ['getPlaylists', 'getStarred2']) t.equal((await player.ask(method)).body.status, 'ok', `${method}, too`)
    t.ok(player.demo.received.length <= most, `${player.demo.received.length} questions`)
    isComplete(t, songs, likes)
    const albumIds = idsOf(albums)
    t.equal(new Set(albumIds).size, albumIds.length, 'no album twice')
    t.same(new Set(songs.map(({ albumId }) => albumId)), new Set(albumIds), 'every album has songs, and every song is on one of them')
    for (const { id, songCount, duration } of albums) {
      const own = songs.filter(({ albumId }) => albumId === id)
      if (own.length !== songCount || own.reduce((sum, song) => sum + song['duration'], 0) !== duration) t.fail(`${id} says ${songCount} songs of ${duration} s`)
    }
    const collator = new Intl.Collator('zh', { numeric: true })
    t.same(albums.map(({ name }) => name), albums.map(({ name }) => name as string).sort((a, b) => collator.compare(a, b)), 'in the order that was asked for')
    player.demo.reset()
    t.same(await byAlbums(player), { albums, songs })
    t.same(player.demo.received.map(({ calls }) => calls), [])
  })
}

for (const [likes, most] of sampleOf(sizes, 2, 1)) {
  t.test(`the first copy of ${likes} songs by search asks the provider at most ${most} times`, async (t) => {
    const player = await playerFor(t, {}, { memberLikes: likes })
    const { artists, albums, songs } = await bySearch(player, '""')
    t.ok(player.demo.received.length <= most, `${player.demo.received.length} questions`)
    isComplete(t, songs, likes)
    for (const rows of [artists, albums]) t.equal(new Set(idsOf(rows)).size, rows.length, 'nothing twice')
    t.same(new Set(songs.map(({ albumId }) => albumId)), new Set(idsOf(albums)))
    const main = new Set(songs.filter(({ albumId }) => albumId !== 'la-0').map(({ artistId }) => artistId))
    t.same(new Set(idsOf(artists)), main)
    // The other form of no words, at another size of page.
    const again: string[] = []
    for (let offset = 0; offset < likes + 300; offset += 300) again.push(...idsOf((await player.ask('search3', { query: '', artistCount: 0, albumCount: 0, songCount: 300, songOffset: offset })).body.searchResult3.song))
    t.same(again, idsOf(songs), 'the same in the same order')
  })
}

t.test('a page that begins or ends anywhere fits the others', async (t) => {
  const player = await playerFor(t, {}, { memberLikes: 1000 })
  const all = idsOf((await player.ask('getStarred2')).body.starred2.song)
  t.equal(all.length, 1000)
  for (const [from, count] of [[0, 1], [99, 2], [100, 100], [150, 33], [199, 302], [950, 500], [999, 1], [1000, 10], [5000, 500], [0, 0], [37, 499]] as const) {
    const rows = idsOf((await player.ask('search3', { query: '', artistCount: 0, albumCount: 0, songCount: count, songOffset: from })).body.searchResult3.song)
    t.same(rows, all.slice(from, from + count), `${count} from ${from}`)
  }
  const liked = (await player.ask('getPlaylist', { id: 'li-liked' })).body.playlist
  t.same(idsOf(liked.entry), all)
  t.equal((await player.ask('getScanStatus')).body.scanStatus.count, 1000)
})

t.test('many questions at once for a library that nobody has read yet read it once', async (t) => {
  const known = await playerFor(t, {}, { memberLikes: 1000 })
  const { song } = (await known.ask('search3', { query: '', artistCount: 0, albumCount: 0, songCount: 100 })).body.searchResult3
  const player = await playerFor(t, {}, { memberLikes: 1000 })
  const answers = await Promise.all((song as Row[]).map(async ({ albumId }) => (await player.ask('getAlbum', { id: albumId })).body))
  t.same(answers.filter(({ status }) => status !== 'ok'), [])
  t.ok(player.demo.received.length <= 30, `${player.demo.received.length} questions`)
})

t.test('Music Assistant looks at each album and each lyric while it copies', async (t) => {
  const player = await playerFor(t, {}, { memberLikes: 300 })
  const songs: Row[] = []
  for (let offset = 0; ; offset += 200) {
    const { song } = (await player.ask('search3', { query: '', artistCount: 0, albumCount: 0, songCount: 200, songOffset: offset }, { view: true })).body.searchResult3
    if (song.length === 0) break
    songs.push(...song)
  }
  isComplete(t, songs, 300)
  player.demo.reset()
  for (const { albumId, id } of songs.slice(0, 20)) {
    for (const [method, asked] of [['getAlbum', albumId], ['getAlbumInfo2', albumId], ['getLyricsBySongId', id]] as const) t.equal((await player.ask(method, { id: asked }, { view: true })).body.status, 'ok', `${method} ${asked}`)
  }
  t.ok(player.demo.received.length <= 60, `${player.demo.received.length} questions for 20 songs`)
})

t.test('an id that nobody was given does not have the library read anew, again and again', async (t) => {
  const clock = { now: 1_000_000 }
  const player = await playerFor(t, { cache: false, now: () => clock.now }, { memberLikes: 300 })
  const { demo, ask } = player
  const unknown = async (): Promise<unknown> => (await ask('getAlbum', { id: 'la-00NobodysAlb' })).body.error?.code
  demo.reset()
  await ask('getArtists')
  const once = demo.received.length
  t.ok(once > 0)
  for (let time = 0; time < 3; time++) t.equal(await unknown(), 70)
  t.equal(demo.received.length, once, 'it was read a moment ago')
  clock.now += 10_000
  t.same(await Promise.all(Array.from({ length: 8 }, unknown)), Array(8).fill(70))
  t.equal(demo.received.length, 2 * once, 'once for all who ask')
  t.equal(await unknown(), 70)
  t.equal(demo.received.length, 2 * once)
})

t.test('what has changed in the library is found some seconds later', async (t) => {
  const clock = { now: 1_000_000 }
  const { demo, ask } = await playerFor(t, { cache: false, now: () => clock.now }, { memberLikes: 300 })
  const songs = (await (await playerFor(t, {}, { memberLikes: 300 })).ask('getStarred2')).body.starred2.song as Row[]
  const place = songs.findIndex(({ albumId }) => songs.filter((other) => other['albumId'] === albumId).length === 1)
  const { id, albumId } = songs[place] as Row
  t.ok(place < 100, 'on the first page')
  demo.next('music.srfDissInfo.DissInfo/CgiGetDiss', { mutate: ({ data: { songlist } }) => { songlist[place].album.mid = '00AlbumBefore1' } })
  const album = async (id: string): Promise<unknown> => {
    const { error, album } = (await ask('getAlbum', { id })).body
    return error?.code ?? idsOf(album.song)
  }
  t.equal(await album(albumId), 70)
  clock.now += 10_000
  t.same(await album(albumId), [id])
  t.equal(await album('la-00AlbumBefore1'), 70)
})

t.test('a library without a cache is read for one caller who may leave, however many pages it has', async (t) => {
  const warnings: string[] = []
  const note = ({ name }: Error): void => { warnings.push(name) }
  process.on('warning', note)
  t.teardown(() => { process.off('warning', note) })
  const player = await playerFor(t, { cache: false }, { memberLikes: 1500 })
  t.ok((await player.ask('getArtists')).body.artists.index.length > 0)
  await new Promise((resolve) => { setImmediate(resolve) })
  t.same(warnings, [])
})
