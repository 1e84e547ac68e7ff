/** Players that copy a whole library: complete, nothing twice, and for few questions to the provider. */
import t, { type Test } from 'tap'
import { turnsOf } from '../support/growth.ts'
import { dead, until } from '../support/helper.ts'
import {
  idsOf, playerFor, playerTests, queryOf, usual, type Answer, type Parameters, type Player
} from '../support/opensubsonicPlayer.ts'
import { whole } from '../support/whole.ts'

type Row = Readonly<Record<string, any>> & { readonly id: string }

const likedCall = 'music.srfDissInfo.DissInfo/CgiGetDiss'
const subscriptionCall = 'VipLogin.VipLoginInter/vip_login_base'
const noAlbum = 'la-0'
const none = { songOffset: 0, songCount: 0, albumOffset: 0, albumCount: 0, artistOffset: 0, artistCount: 0 }

/** Reads lists of this length until one is shorter. */
async function pages (size: number, ask: (offset: number) => Promise<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const page = await ask(rows.length)
    rows.push(...page)
    if (page.length < size) return rows
  }
}

const songsOf = async (
  { ask }: Pick<Player, 'ask'>, songCount: number, songOffset: number, query = ''
): Promise<Row[]> =>
  (await ask('search3', { ...none, query, songCount, songOffset }, { view: true })).body.searchResult3.song

/** Strawberry: all albums by name, then each with its songs, five at once. */
async function byAlbums ({ ask }: Player): Promise<{ albums: Row[], opened: Row[], songs: Row[] }> {
  const albums = await pages(500, async (offset) => (await ask(
    'getAlbumList2', { type: 'alphabeticalByName', size: 500, offset }, { view: true }
  )).body.albumList2.album)
  const opened: Row[] = []
  for (let at = 0; at < albums.length; at += 5) opened.push(...await Promise.all(
    albums.slice(at, at + 5).map(async ({ id }) => (await ask('getAlbum', { id }, { view: true })).body.album)
  ))
  return { albums, opened, songs: opened.flatMap(({ song }) => song) }
}

/** Symfonium: a search without words, page by page, for one kind after the other. */
async function bySearch ({ ask }: Player): Promise<Row[][]> {
  const all = async (kind: 'artist' | 'album' | 'song'): Promise<Row[]> =>
    await pages(500, async (offset) => (await ask(
      'search3', { ...none, query: '""', [`${kind}Offset`]: offset, [`${kind}Count`]: 500 }, { view: true }
    )).body.searchResult3[kind])
  return [await all('artist'), await all('album'), await all('song')]
}

/** Compares a copy with what the account likes. */
function isComplete (t: Test, songs: readonly Row[], expected: number): void {
  t.same([songs.length, new Set(idsOf(songs)).size], [expected, expected], 'complete, and nothing twice')
  const fields = ['id', 'title', 'size', 'suffix', 'contentType', 'duration', 'type', 'isDir', 'album', 'albumId', 'artist', 'artistId', 'coverArt', 'starred']
  t.same(
    songs.filter((song) => fields.some((field) => song[field] === undefined) || !song['albumId'].startsWith('la-')), [],
    'every song has every field'
  )
}

/** Songs of a library, and how many questions to the provider may copy it. The demo has 140 unless it is told otherwise. */
const sizes = whole ? [[1000, 60], [5000, 130]] as const : [[140, 40]] as const

/** Characters of JSON in one turn of the loop, those that the demo writes and that the player reads included: under 10 ms of work. It does not grow with the library. */
const mostInTurn = 1_000_000

for (const [likes, most] of sizes) {
  t.test(`the first copy of ${likes} songs by their albums asks the provider at most ${most} times, a second one soon after not at all`, async (t) => {
    const player = await playerFor(t, likes === 140 ? {} : { likes })
    const { most: inTurn, value: { albums, opened, songs } } = await turnsOf(async () => await byAlbums(player))
    t.ok(inTurn < mostInTurn, `${inTurn} characters in one turn`)
    for (const method of ['getPlaylists', 'getStarred2']) t.equal((await player.ask(method)).status, 'ok', `${method}, too`)
    t.ok(player.demo.received.length <= most, `${player.demo.received.length} questions`)
    isComplete(t, songs, likes)
    t.equal(new Set(idsOf(albums)).size, albums.length, 'no album twice')
    t.same(idsOf(songs).sort(), idsOf((await player.read('getStarred2')).song).sort())
    t.same(
      opened.filter(({ id, song: [first], artist, artistId, coverArt }) => id !== noAlbum
        && (first.artists[0].id !== artistId || first.artists[0].name !== artist || first.coverArt !== coverArt)),
      []
    )
    t.same(albums.filter(({ songCount, duration }, at) => {
      const { song } = opened[at] as Row
      return song.length !== songCount
        || song.reduce((sum: number, each: Row) => sum + each['duration'], 0) !== duration
        || song.some(({ albumId }: Row) => albumId !== albums[at]?.id)
    }), [], 'albums say how many songs they have, and how long they are')
    const collator = new Intl.Collator('zh', { numeric: true })
    t.same(
      albums.map(({ name }) => name), albums.map(({ name }) => name as string).sort((a, b) => collator.compare(a, b)),
      'in the order that was asked for'
    )
    const { index } = await player.read('getArtists')
    const singers: Row[] = index.flatMap(({ artist }: Row) => artist)
    t.same(
      singers.filter(({ id, albumCount }) => albumCount !== albums.filter(({ artistId }) => artistId === id).length), []
    )
    t.same(new Set(idsOf(singers)), new Set(
      songs.filter(({ albumId }) => albumId !== noAlbum).map(({ artistId }) => artistId)
    ))
    const initials: string[] = index.map(({ name }: Row) => name)
    t.same(initials, [...initials].sort((a, b) => (a === '#' ? 1 : 0) - (b === '#' ? 1 : 0) || a.localeCompare(b)))
    player.demo.reset()
    t.equal(JSON.stringify(await byAlbums(player)), JSON.stringify({ albums, opened, songs }))
    t.same(player.demo.received.map(({ calls }) => calls), [])
  })

  t.test(`the first copy of ${likes} songs by search asks the provider at most ${most} times`, async (t) => {
    const player = await playerFor(t, likes === 140 ? {} : { likes })
    const { most: inTurn, value: [artists = [], albums = [], songs = []] } =
      await turnsOf(async () => await bySearch(player))
    t.ok(inTurn < mostInTurn, `${inTurn} characters in one turn`)
    t.ok(player.demo.received.length <= most, `${player.demo.received.length} questions`)
    isComplete(t, songs, likes)
    for (const rows of [artists, albums]) t.equal(new Set(idsOf(rows)).size, rows.length, 'nothing twice')
    t.same(new Set(songs.map(({ albumId }) => albumId)), new Set(idsOf(albums)))
    t.same(new Set(idsOf(artists)), new Set(
      songs.filter(({ albumId }) => albumId !== noAlbum).map(({ artistId }) => artistId)
    ))
    t.same(
      idsOf(await pages(60, async (offset) => await songsOf(player, 60, offset))), idsOf(songs),
      'the other form of no words, at another size of page, has the same in the same order'
    )
  })
}

const large = playerTests('a library of a thousand songs', { likes: 1000 })

large('as much is given at once as the reference says, for as few questions as there are pages', async ({ t, ask, read, demo }) => {
  const asked = async (method: string, input: Parameters = {}): Promise<number> => {
    demo.reset()
    t.not((await ask(method, input)).status, 'failed', method)
    return demo.received.length
  }
  await ask('getSong', { id: 'so-00DemoSong0001' }) // reads what the account may play, and the first page
  for (const [method, input, times] of [
    ['search3', { artistCount: 0, albumCount: 0, songCount: 50, songOffset: 300 }, 1], // no other page, and no index
    // the first page says how many there are
    ['getScanStatus', {}, 0], ['search3', { artistCount: 0, albumCount: 0, songCount: 100 }, 0],
    ['getArtists', {}, 8], ['getPlaylist', { id: 'li-liked' }, 0],
    ['search3', { query: 'light', songOffset: 1000, albumCount: 0, artistCount: 0 }, 0],
    ['getCoverArt', { id: 'ch-62' }, 2], ['getCoverArt', { id: 'ch-62' }, 0]
  ] as const) t.equal(await asked(method, input), times, `${method} ${JSON.stringify(input)}`)
  t.same([
    (await read('getPlaylist', { id: 'li-liked' })).songCount, (await songsOf({ ask }, 9999, 0)).length,
    (await read('getRandomSongs', { size: 9999 })).song.length
  ], [1000, 500, 500])
})

large('a page that begins or ends anywhere fits the others', async ({ t, ask, read }) => {
  const all = idsOf((await read('getStarred2')).song)
  t.equal(all.length, 1000)
  for (const [from, count] of [
    [0, 1], [99, 2], [100, 100], [150, 33], [199, 302], [950, 500], [999, 1], [1000, 10], [5000, 500], [0, 0], [37, 499]
  ] as const) {
    for (const query of ['', '""']) {
      t.same(idsOf(await songsOf({ ask }, count, from, query)), all.slice(from, from + count), `${count} from ${from}`)
    }
  }
  t.same(
    [idsOf((await read('getPlaylist', { id: 'li-liked' })).entry), (await read('getScanStatus')).count], [all, 1000]
  )
})

large('many questions at once for a library that nobody has read yet read it once', async ({ t, demo, ...known }) => {
  const songs = await songsOf(known, 100, 0)
  const { ask } = await playerFor(t, { upstream: demo })
  const answers = await Promise.all(songs.map(async ({ albumId }) => (await ask('getAlbum', { id: albumId })).body))
  t.same(answers.filter(({ status }) => status !== 'ok'), [])
  t.ok(demo.received.length <= 30, `${demo.received.length} questions`)
})

large('a library without a cache is read for one caller who may leave, however many pages it has', async ({ t, demo }) => {
  const warnings: string[] = []
  const note = ({ name }: Error): void => { warnings.push(name) }
  process.on('warning', note)
  t.teardown(() => { process.off('warning', note) })
  const { ask } = await playerFor(t, { upstream: demo, cache: false })
  t.ok((await ask('getArtists')).body.artists.index.length > 0)
  await new Promise((resolve) => { setImmediate(resolve) })
  t.same(warnings, [])
})

t.test('without a cache, a player that leaves while it reads library and rights costs those that wait for them nothing', async (t) => {
  const { demo, server, ask } = await playerFor(t, { cache: false })
  const leaving = async (method: string, call: string): Promise<Answer> => {
    const left = new AbortController()
    demo.next(call, { delayMs: 200 })
    const first = server.get(`/rest/${method}?${queryOf(usual)}`, { signal: left.signal } as object).catch(() => {})
    await until(() => demo.inFlight(call) > 0)
    const second = ask(method)
    await new Promise((resolve) => { setTimeout(resolve, 50) }) // nothing tells that it waits
    left.abort()
    await first
    return await second
  }
  t.match(await leaving('getArtists', likedCall), { status: 'ok' })
  const { body: { starred2: { song } } } = await leaving('getStarred2', subscriptionCall)
  t.ok(song.some(({ suffix }: { suffix: string }) => suffix === 'flac'))
})

const small = playerTests('the library of the demo')

small('Music Assistant looks at each album and each lyric while it copies', async ({ t, demo, ask }) => {
  const songs = await pages(100, async (offset) => await songsOf({ ask }, 100, offset))
  demo.reset()
  for (const { albumId, id } of songs.slice(0, 20)) {
    for (const [method, asked] of [
      ['getAlbum', albumId], ['getAlbumInfo2', albumId], ['getLyricsBySongId', id]
    ] as const) t.equal((await ask(method, { id: asked }, { view: true })).status, 'ok', `${method} ${asked}`)
  }
  t.ok(demo.received.length <= 60, `${demo.received.length} questions for 20 songs`)
})

small('an id that nobody was given does not have the library read anew, again and again', async ({ t, demo }) => {
  const clock = { now: 1_000_000 }
  const { ask } = await playerFor(t, { upstream: demo, cache: false, now: () => clock.now })
  const unknown = async (times: number): Promise<number> => {
    const answers =
      await Promise.all(Array.from({ length: times }, async () => await ask('getAlbum', { id: 'la-00NobodysAlb' })))
    t.same(answers.filter(({ error }) => error.code !== 70), [])
    return demo.received.length
  }
  await ask('getArtists')
  const once = demo.received.length
  t.ok(once > 0)
  t.same([await unknown(1), await unknown(2)], [once, once], 'it was read a moment ago')
  clock.now += 10_000
  t.same([await unknown(8), await unknown(1)], [2 * once, 2 * once], 'once for all who ask')
})

small('what has changed in the library is found some seconds later', async ({ t, demo, ...known }) => {
  const clock = { now: 1_000_000 }
  const { ask } = await playerFor(t, { upstream: demo, cache: false, now: () => clock.now })
  const songs: Row[] = (await known.ask('getStarred2')).body.starred2.song
  const place = songs.findIndex(({ albumId }) => songs.filter((other) => other['albumId'] === albumId).length === 1)
  const { id, albumId } = songs[place] as Row
  t.ok(place < 100, 'on the first page')
  demo.next(likedCall, { mutate: ({ data: { songlist } }) => { songlist[place].album.mid = '00AlbumBefore1' } })
  const album = async (id: string): Promise<unknown> => {
    const { error, body: { album } } = await ask('getAlbum', { id })
    return error?.code ?? idsOf(album.song)
  }
  t.equal(await album(albumId), 70)
  clock.now += 10_000
  t.same(await album(albumId), [id])
  t.equal(await album('la-00AlbumBefore1'), 70)
})

t.test('what the library has got since is found, and an index serves while a new one cannot be read', async (t) => {
  const clock = { now: 0 }
  const { ask, demo } = await playerFor(t, { cache: false, now: () => clock.now })
  const index = async (): Promise<number> => (await ask('getArtists')).body.artists.index.length
  const before = await index()
  // An index is trusted for ten seconds.
  clock.now = 10_000
  demo.next(likedCall, { mutate: ({ data }) => { data.songlist[0].album.mid = '00NewAlbum0001' } }, 4)
  t.match(await ask('getAlbum', { id: 'la-00NewAlbum0001' }), {
    status: 'ok', body: { album: { songCount: 2, song: { length: 2 } } }
  })
  const albums: { id: string, songCount: number }[] =
    (await ask('getAlbumList2', { type: 'alphabeticalByName', size: 500 })).body.albumList2.album
  const { id } = albums.find(({ id, songCount }) => id.startsWith('la-') && songCount === 1) as { id: string }
  clock.now += 10_000
  demo.reset()
  demo.next(likedCall, { mutate: ({ data }) => { data.songlist.push(data.songlist.shift()) } }, 8)
  t.equal((await ask('getAlbum', { id })).body.album.song.length, 1, 'a song that has moved')
  demo.reset()
  clock.now += 599_000
  t.equal(await index(), before)
  t.equal(demo.received.length, 0, 'nothing is read within ten minutes')
  for (const fault of dead) demo.next(likedCall, fault, 50)
  clock.now += 2000
  // It is read again.
  await until(async () => await index() === before && demo.received.length > 0)
  for (let time = 0; time < 3; time++) {
    t.equal(await index(), before)
    await ask('getScanStatus')
  }
  demo.reset()
  demo.next(likedCall, { hang: true }, 50)
  clock.now += 601_000
  t.equal(await index(), before, 'nobody waits for the new one')
})
