/** Rows of lists that are deleted, empty or unreadable: what identifies a row keeps it, and what is left out is counted. */
import fc from 'fast-check'
import t from 'tap'
import { rowsOf } from '../../src/players/opensubsonic/songRows.ts'
import { cookieOf, serverFor, song } from '../support/helper.ts'
import { playerFor, playerTest } from '../support/opensubsonicPlayer.ts'
import { runs } from '../support/whole.ts'
import { sharedStage } from '../support/stage.ts'
import * as wires from '../support/wires.ts'

const test = sharedStage('rows without content')

const list = '7700000006'

test('a deleted song of a playlist stays with its number; empty rows are counted and shift no page', async ({ t, demo, relay, server }) => {
  for (const dead of [
    [], [wires.playlist], [wires.playlist, wires.playlistSibling],
    [wires.playlist, wires.playlistSibling, wires.playlistWhole]
  ]) {
    demo.reset()
    for (const wire of dead) demo.next(wire, { code: 500003 })
    const { songlist, skipped, songnum } = await relay.getSongListDetail({ disstid: list })
    t.same([songlist.length + skipped, skipped], [songnum, 2], dead.join())
    t.match(songlist[2], { songid: 123452, songmid: '', songname: '', singer: '', unplayable: true })
    t.same(songlist.filter(({ unplayable }) => unplayable === true).map(({ songid }) => songid), [123452, 123457])
  }
  const whole = await relay.getSongListDetail({ disstid: list })
  const paged = []
  for (let offset = 0; offset < whole.songnum; offset += 4) {
    const { songlist, skipped } = await relay.getSongListDetail({ disstid: list, offset, limit: 4 })
    t.equal(songlist.length + skipped, Math.min(4, whole.songnum - offset), `from ${offset}`)
    paged.push(...songlist)
  }
  t.same(paged, whole.songlist)
  t.match(
    await relay.getSongListDetail({ disstid: list, offset: 4, limit: 1 }), { songlist: [], skipped: 1 },
    'a page of one empty row'
  )
  const { text } = await server.get(`/getSongListDetail?disstid=${list}&format=m3u`)
  t.equal(text.match(/^#EXTINF/gm)?.length, whole.songlist.filter(({ unplayable }) => unplayable !== true).length)
})

/** Each list: its endpoint, its call, its rows in the answer, and its rows in the record. */
const lists: readonly (
  readonly [name: string, input: object, wire: string, sent: (data: any) => any[], rows: string]
)[] = [
  ['getUserLikedSongs', { limit: 20 }, wires.playlist, (data) => data.songlist, 'songs'],
  ['getAlbumInfo', { albummid: '00DemoAlbu0001' }, wires.albumSongs, (data) => data.songList, 'songs'],
  ['getSingerHotsong', { singermid: '00DemoSing0001' }, wires.singerSongs, (data) => data.songList, 'songList'],
  ['getSingerTab', { singermid: '00DemoSing0001' }, wires.singerTab, (data) => data.SongTab.List, 'songs'],
  ['getOtherVersions', { songmid: song(1) }, wires.otherVersions, (data) => data.versionList, 'versions'],
  ['getSimilarSongs', { songmid: song(1) }, wires.similarSongs, (data) => data.vecSongNew[0].songs, 'songs'],
  ['getDailyRecommend', {}, `${wires.playlist}?dirid=202`, (data) => data.songlist, 'songs'],
  ['getPersonalRecommend', {}, wires.radar, (data) => data.VecSongs, 'songs'],
  ['getRadarSongs', { limit: 10 }, wires.radar, (data) => data.VecSongs, 'songs'],
  ['getRanks', { topId: 62 }, wires.chart, (data) => data.data.song, 'songInfoList'],
  ['getSongLists', { limit: 5 }, wires.playlistsByTag, (data) => data.list, 'playlists'],
  ['getNewDisks', { limit: 5 }, wires.newAlbums, (data) => data.albums, 'albums'],
  ['getMv', { limit: 5 }, wires.mvList, (data) => data.list, 'list'],
  ['getMvByTag', { tag: 'korea', limit: 5 }, wires.mvList, (data) => data.list, 'list'],
  ['getRelatedMv', { songmid: song(1) }, wires.relatedMvs, (data) => data.list, 'list'],
  ['getRelatedPlaylists', { songmid: song(1) }, wires.relatedPlaylists, (data) => data.vecPlaylist, 'playlists'],
  ['getSingerAlbum', { singermid: '00DemoSing0001', limit: 5 }, wires.singerAlbums, (data) => data.albumList, 'albumList'],
  ['getSingerMv', { singermid: '00DemoSing0001', limit: 5 }, wires.singerMvs, (data) => data.list, 'list'],
  ['getSingerList', { limit: 5 }, wires.singers, (data) => data.singerlist, 'singers'],
  ['getSimilarSinger', { singermid: '00DemoSing0001' }, wires.similarSingers, (data) => data.singerlist, 'singers'],
  ['getUserFollowedSingers', { limit: 3 }, 'music.concern.RelationList/GetFollowSingerList', (data) => data.List, 'singers'],
  ['getUserCollectedAlbums', { limit: 3 }, 'music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo', (data) => data.v_list, 'albums'],
  ['getUserCollectedPlaylists', { limit: 3 }, 'music.musicasset.PlaylistFavRead/CgiGetPlaylistFavInfo', (data) => data.v_list, 'playlists'],
  ['search', { key: 'paper', type: 'song', limit: 5 }, wires.siteSearch, (data) => data.song.list, 'songs'],
  ['search', { key: 'paper', type: 'album', limit: 5 }, wires.lite, (data) => data.body.item_album, 'albums'],
  ['search', { key: 'paper', type: 'singer', limit: 5 }, wires.lite, (data) => data.body.singer, 'singers'],
  ['getRecommend', {}, wires.newSongs, (data) => data.songlist ?? data.song_list, 'newSongs'],
  ['getRecommend', {}, wires.newAlbums, (data) => data.albums ?? data.album_list, 'newAlbums'],
  ['getDigitalAlbumLists', { limit: 5 }, wires.shop, (data) => data.content[0].albumlist, 'albums'],
  ['getComments', { id: '5000001' }, wires.recComments, (data) => data.CommentList.Comments, 'comment.list'],
  ['getHotkey', {}, wires.hotkeyDesktop, (data) => data.vec_hotkey, 'hotkey'],
  ['getSongListCategories', {}, wires.tagConf, (data) => data.categories[1].items, 'categories'],
  ['getSmartbox', { key: 'paper' }, wires.smartbox, (data) => data.song.itemlist, 'result.songList'],
  ['getRecommend', {}, wires.square, (data) => data.List, 'playlists'],
  ['getUserPlaylists', { uin: '1000000101' }, 'music.musicasset.PlaylistBaseRead/GetPlaylistByUin', (data) => data.v_playlist, 'playlists']
]

const rowsIn = (record: any, path: string): unknown[] => path.split('.').reduce((part, key) => part[key], record)
const skippedIn = (record: any): number => record.skipped ?? record.comment.skipped

test('every list says how many rows it left out, and leaves no other row out', async ({ t, demo, relay }) => {
  const options = { cookie: cookieOf(demo, 'ordinary') }
  for (const [name, input, wire, sent, rows] of lists) {
    const ask = async (): Promise<any> => await (relay as any)[name](input, options)
    const before = await ask()
    t.equal(skippedIn(before), 0, name)
    demo.next(wire, {
      mutate: ({ data }) => { if (Object.keys(data).length > 0) sent(data)[0] = null }
    }, wire === wires.similarSongs ? 2 : 1)
    const after = await ask()
    t.equal(skippedIn(after), 1, name)
    t.ok(rowsIn(after, rows).length >= rowsIn(before, rows).length - 1, name)
  }
})

test('a group of which no row can be read is counted row by row', async ({ t, demo, relay }) => {
  for (const [name, wire, groups, rows] of [
    ['getDigitalAlbumLists', wires.shop, (data) => data.content, 'albumlist'],
    ['getSongListCategories', wires.tagConf, (data) => data.categories, 'items'],
    ['getSimilarSongs', wires.similarSongs, (data) => data.vecSongNew, 'songs'],
    ['getRelatedPlaylists', wires.relatedPlaylists, (data) => data.vecPlaylistNew, 'playlists'],
    ['getRecommend', wires.charts, (data) => data.group, 'toplist']
  ] as readonly [string, string, (data: any) => any[], string][]) {
    demo.next(wire, {
      mutate: ({ data }) => { if (Object.keys(data).length > 0) groups(data).unshift({ [rows]: [null, 7] }) }
    }, wire === wires.similarSongs ? 2 : 1)
    const input = /Similar|Related/.test(name) ? { songmid: song(1) } : {}
    t.equal(skippedIn(await (relay as any)[name](input)), 2, name)
    demo.reset()
  }
})

/** Each part: its endpoint, its call, how to spoil it, and what stays in the record. */
const parts: readonly (readonly [
  name: string, input: object, wire: string, spoil: (data: any, rows: any[]) => void, rest: (found: any) => unknown
])[] = [
  ['getRanks', {}, wires.charts, ({ group }, rows) => { group[0].toplist[0].song = rows }, (found) =>
    found.topLists.map(({ id }: { id: number }) => id)],
  ['getDigitalAlbumLists', {}, wires.shop, (data, rows) => { data.banner = rows }, ({ albums }) => albums],
  ['getSingerList', {}, wires.singers, ({ tags }, rows) => { tags.area = rows }, ({ singers }) => singers],
  ['getSmartbox', { key: 'paper' }, wires.smartbox, ({ album }, rows) => { album.itemlist = rows }, ({ result }) =>
    result.songList],
  ['getSimilarSongs', { songmid: song(1) }, wires.similarSongs, (data, rows) => { data.vecSong = rows }, ({ songs }) =>
    songs[0]],
  ['getRelatedPlaylists', { songmid: song(1) }, wires.relatedPlaylists, (data, rows) => {
    data.vecPlaylist = rows
  }, ({ playlists }) => playlists.length > 0],
  ['getRadioLists', {}, wires.radios, (data, rows) => { data.radio_list[0].list = rows }, ({ groups }) =>
    groups.at(-1)],
  ['getRecommend', {}, wires.square, ({ List }, rows) => {
    for (const { Playlist } of List) Playlist.basic.v_tag = rows
  }, ({ playlists }) => playlists],
  ['getComments', { id: '5000001', reqtype: 2 }, wires.newComments, (data, rows) => {
    data.CommentList2 = data.CommentList3 = { Comments: rows }
  }, ({ comment }) => comment]
]

test('a part of an answer of which no row can be read does not cost the rest', async ({ t, demo, relay }) => {
  for (const [name, input, wire, spoil, rest] of parts) {
    const ask = async (): Promise<any> => await (relay as any)[name](input)
    const before = await ask()
    demo.reset()
    demo.next(wire, { mutate: ({ data }) => { if (Object.keys(data).length > 0) spoil(data, [{}, 7]) } }, 2)
    const after = await ask()
    t.same(rest(after), rest(before), name)
    t.not(rest(after), undefined, name)
    t.ok(demo.calls(wire).length > 0, name)
    demo.reset()
  }
  for (const wire of [wires.radios, wires.radiosClassic]) demo.next(wire, {
    mutate: ({ data: { radio_list, data } }) => {
      for (const group of radio_list ?? data.groupList) group.list = group.radioList = [7]
    }
  })
  await t.rejects(relay.getRadioLists(), { code: 'UPSTREAM_UNREADABLE' }, 'nothing is left')
  const topId = (await relay.getRanks()).topLists?.[0]?.id as number
  demo.reset()
  demo.next(wires.charts, { mutate: ({ data }) => { data.group[0].toplist[0].history.year = ['x'] } })
  t.equal((await relay.getRankPeriods({ topId })).topId, topId, 'a chart whose issues cannot be read exists')
  demo.reset()
  for (const wire of [wires.charts, wires.chartsOlder]) demo.next(wire, {
    mutate: ({ data }) => { for (const { toplist } of data.group) for (const chart of toplist) chart.topId = {} }
  })
  await t.rejects(relay.getRankPeriods({ topId }), { code: 'UPSTREAM_UNREADABLE' }, 'whether it exists is not known')
})

test('a row with a number or a MID and an empty name stays, in every list', async ({ t, demo, relay }) => {
  const options = { cookie: cookieOf(demo, 'ordinary') }
  const unnamed = (row: any): void => {
    for (const [key, value] of Object.entries(row)) {
      if (typeof value === 'string' && /name|title/i.test(key)) row[key] = ''
      else if (typeof value === 'object' && value !== null && !Array.isArray(value)) unnamed(value)
    }
  }
  for (const [name, input, wire, sent] of lists) {
    demo.next(wire, {
      mutate: ({ data }) => { if (Object.keys(data).length > 0) unnamed(sent(data)[0]) }
    }, wire === wires.similarSongs ? 2 : 1)
    t.equal(skippedIn(await (relay as any)[name](input, options)), 0, `${name} ${JSON.stringify(input)}`)
    demo.reset()
  }
})

test('a song with a number or a MID is never left out, whatever else the upstream drops; renamed fields still are a failure', async ({ t, demo, relay }) => {
  const row = fc.record({
    id: fc.constantFrom(0, 123456), mid: fc.constantFrom('', '00DemoSong0009'),
    extra: fc.constantFrom({}, { name: '' }, { singer: [], album: {}, file: {} }, { singer: null, interval: 0 }, {
      singer: [{ id: 0, mid: '', name: '' }]
    })
  })
  await fc.assert(fc.asyncProperty(fc.array(
    fc.oneof(row, fc.constant(null)), { minLength: 1, maxLength: 6 }
  ), async (given) => {
    const sent = given.map((each) => each && { id: each.id, mid: each.mid, ...each.extra })
    demo.next(wires.playlist, {
      mutate: ({ data }) => { Object.assign(data, { songlist: sent, total_song_num: sent.length, hasmore: 0 }) }
    })
    const { songlist, skipped } = await relay.getSongListDetail({ disstid: '7700000001' })
    const stay = given.filter((each) => each !== null && (each.id > 0 || each.mid !== ''))
    t.same(songlist.map(({ songid, songmid, unplayable }) => [songid, songmid, unplayable]), stay.map((each) =>
      [each?.id, each?.mid, true]
    ))
    t.equal(skipped, sent.length - stay.length)
  }), runs(t, 200))
  demo.reset()
  for (const wire of [wires.playlist, wires.playlistSibling]) demo.next(wire, {
    mutate: ({ data }) => { for (const each of data.songlist) for (const name of ['name', 'title']) delete each[name] }
  })
  await relay.getSongListDetail({ disstid: '7700000001' })
  t.ok(demo.calls(wires.playlistWhole).length > 0, 'rows with singers and files, and without titles, are not deleted songs')
})

test('players get no song that cannot be played, and pages do not shift', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { meting: true } as object)
  const { body } = await server.get(`/meting?type=playlist&id=${list}`)
  const { body: { data } } = await server.get(`/getSongListDetail?disstid=${list}`)
  t.equal(body.length, data.songlist.filter(({ unplayable }: { unplayable?: true }) => unplayable !== true).length)
  t.ok(body.every(({ name }: { name: string }) => name !== ''))
})

t.test('a page with rows left out neither ends a list that is read page by page nor shifts it', async (t) => {
  await fc.assert(fc.asyncProperty(fc.array(
    fc.boolean(), { maxLength: 30 }
  ), fc.nat(30), fc.integer({ min: 1, max: 12 }), async (kept, offset, count) => {
    const found = await rowsOf(offset, count, 5, async (page) => {
      const places = kept.slice(page * 5, page * 5 + 5).map((isKept, at) => ({ isKept, place: page * 5 + at }))
      const rows = places.filter(({ isKept }) => isKept).map(({ place }) => place)
      return { rows, skipped: places.length - rows.length }
    })
    const pages = Array.from({ length: 7 }, (_, page) => page)
      .filter((page) => page * 5 < offset + count && page * 5 + 5 > offset)
    const whole =
      pages.flatMap((page) => kept.slice(page * 5, page * 5 + 5).flatMap((isKept, at) => isKept ? [page * 5 + at] : []))
    t.ok(found.every((place) => whole.includes(place)) && new Set(found).size === found.length)
    if (offset % 5 === 0 && count % 5 === 0) t.same(found, whole, 'whole pages')
  }), runs(t))
})

playerTest('a search for players goes on after a page that lacks an unreadable row', async ({ t, demo, read }) => {
  const search = { query: 'light', artistCount: 0, albumCount: 0, songCount: 100 }
  const whole = (await read('search3', search)).song as { id: string }[]
  demo.reset()
  const { read: afresh } = await playerFor(t, { upstream: demo })
  demo.next(wires.siteSearch, { mutate: ({ data }) => { data.song.list[3] = null } })
  const rest = (await afresh('search3', search)).song as { id: string }[]
  t.ok(whole.length > 50)
  t.same(rest.map(({ id }) => id), whole.filter((_song, at) => at !== 3).map(({ id }) => id))
})

playerTest('the list of playlists counts the liked songs that the playlist has', async ({ t, demo, read }) => {
  demo.next(wires.playlist, { mutate: ({ data }) => {
    data.songlist[1] = { id: 123456, mid: '00DemoGone0001', name: '', singer: [], album: {}, file: {} }
    data.songlist[3] = null
  } })
  const { songCount, duration, entry } = await read('getPlaylist', { id: 'li-liked' })
  t.same([songCount, (await read('getScanStatus')).count - songCount], [entry.length, 2])
  t.match((await read('getPlaylists')).playlist[0], { id: 'li-liked', songCount, duration })
})

playerTest('a library leaves out deleted songs, and the later ones keep their places', async ({ t, demo, read }) => {
  const none = { query: '', artistCount: 0, albumCount: 0 }
  const songsFrom = async (songOffset: number, ask = read): Promise<{ id?: string, title: string }[]> =>
    (await ask('search3', { ...none, songCount: 100, songOffset })).song
  const later = (await songsFrom(100)).map(({ id }) => id)
  demo.reset()
  // Another relay, which has read no song yet.
  const { read: afresh } = await playerFor(t, { upstream: demo })
  demo.next(wires.playlist, { mutate: ({ data }) => {
    data.songlist[1] = { id: 123456, mid: '00DemoGone0001', name: '', singer: [], album: {}, file: {} }
    data.songlist[3] = null
  } })
  const first = await songsFrom(0, afresh)
  t.equal(first.length, 98)
  t.ok(first.every(({ id, title }) => id?.startsWith('so-') === true && title !== ''))
  t.same((await songsFrom(100, afresh)).map(({ id }) => id), later)
})
