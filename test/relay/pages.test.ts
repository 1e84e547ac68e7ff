/** Every list that comes in pages: whatever their size, and whichever call answers, pages joined have no gap and no row twice. */
import t from 'tap'
import type { PlaylistPage } from '../../schemas/playlists.ts'
import type { SearchResult } from '../../schemas/search.ts'
import type { SearchType } from '../../schemas/typedSearch.ts'
import type { Fault } from '../../src/demo/types.ts'
import type { Relay } from '../../src/library/relay.ts'
import { cookieOf, demoFor } from '../support/helper.ts'
import { relayFor } from '../support/stage.ts'
import { sampleOf } from '../support/whole.ts'
import * as wires from '../support/wires.ts'

interface Page { readonly ids: readonly unknown[], readonly total: number }
interface List {
  readonly of: string
  /** Number of the first page. Page 0 is the same as page 1. */
  readonly first: 0 | 1
  /** The list is read by pages of each of these sizes. */
  readonly sizes: readonly [number, ...number[]]
  /** Number of all rows, or how many there are at least. */
  readonly length: number | { readonly atLeast: number }
  /** Only so many rows are compared. */
  readonly most?: number
  /** Other states of the upstream in which the list is the same. */
  readonly ill?: readonly Ill[]
  page (relay: Relay, at: { readonly limit: number, readonly page: number }, options: { readonly cookie?: string }): Promise<Page>
}
interface Ill {
  readonly dead: readonly string[]
  /** Instead of failing. */
  readonly fault?: Fault
  readonly sizes: readonly number[]
  readonly login?: true
  /** The call that answers, and the sizes that it serves: it has nothing for others. */
  readonly asks?: readonly [wire: string, least: number, most: number]
}

const singermid = '00DemoSing0001'
const { siteSearch, pagesSearch, lite, signed, phone, desktop } = wires
const programs = [lite, signed, phone, desktop]
const few = (rows: string, most: number): Fault => ({ mutate: (answer) => { answer.data[rows] = answer.data[rows].slice(0, most) } })
const idOf = (row: any): unknown => row.mid ?? row.albumMID ?? row.singerMID ?? row.dissid ?? row.vid ?? row.song.mid

/** A search finds songs by one chain of calls, and albums and singers by another. */
const search = (part: 'song' | 'album' | 'singer', key: string) => async (relay: Relay, at: object, options: object): Promise<Page> => {
  const { [part]: { list, curnum, totalnum } } = await relay.getSearchByKey({ key, ...at }, options) as Required<SearchResult>
  return { ids: list.slice(0, curnum).map(idOf), total: totalnum }
}
const typed = (type: SearchType, key: string): List => ({
  of: `${type}s that /search finds`, first: 1, sizes: [36, 12], length: { atLeast: 9 }, most: 36,
  async page (relay, at) {
    const found = await relay.search({ type, key, ...at })
    return { ids: found[`${type}s`].map(idOf), total: found.total }
  }
})

const lists: readonly List[] = [
  {
    of: 'songs of a chart', first: 0, sizes: [100, 7, 20, 33], length: 100, ill: [{ dead: [wires.chart, wires.chartOlder], sizes: [100, 60] }],
    async page (relay, at) {
      const { songInfoList, topList } = await relay.getRanks({ topId: 62, ...at })
      return { ids: songInfoList.map(({ rank }) => rank), total: topList.totalNum }
    }
  }, {
    of: 'playlists', first: 0, sizes: [50, 33, 53, 77, 86, 100], length: 498, ill: [{ dead: [wires.playlistsByTag], sizes: [50, 77, 86] }],
    async page (relay, at) {
      const { playlists, sum } = await relay.getSongLists(at)
      return { ids: playlists.map(idOf), total: sum }
    }
  }, {
    of: 'playlists of a batch', first: 0, sizes: [100, 1, 7, 19], length: { atLeast: 30 },
    async page (relay, at) {
      const [{ playlists, sum }] = await relay.batchGetSongLists({ categoryIds: [6], ...at }) as [PlaylistPage]
      return { ids: playlists.map(idOf), total: sum }
    }
  }, {
    of: 'songs of a playlist', first: 0, sizes: [1000, 17, 100, 333], length: 420, ill: [{ dead: [wires.playlist], fault: { mutate: ({ data }) => { Object.assign(data, { songlist: data.songlist.slice(0, 45), hasmore: 1 }) } }, sizes: [333] }],
    async page (relay, { limit, page }) {
      const { songlist, songnum } = await relay.getSongListDetail({ disstid: '7700000005', limit, offset: Math.min(page * limit, 100_000) })
      return { ids: songlist.map(({ songmid }) => songmid), total: songnum }
    }
  }, {
    of: 'new albums', first: 1, sizes: [100, 7, 20, 54], length: 55, ill: [{ dead: [wires.newAlbums], fault: few('albums', 8), sizes: [7, 20, 54] }],
    async page (relay, at) {
      const { albums, total } = await relay.getNewDisks(at)
      return { ids: albums.map(({ albumID }) => albumID), total }
    }
  }, {
    of: 'digital albums', first: 1, sizes: [100, 7], length: { atLeast: 20 },
    async page (relay, at) {
      const { albums, total } = await relay.getDigitalAlbumLists(at)
      return { ids: albums.map(({ album_mid }) => album_mid), total }
    }
  }, {
    of: 'singers', first: 1, sizes: [100, 80, 33, 7], length: 220,
    async page (relay, at) {
      const { singers, total } = await relay.getSingerList(at)
      return { ids: singers.map(({ singerMID }) => singerMID), total }
    }
  }, {
    of: 'songs of a singer', first: 1, sizes: [100, 31, 20], length: { atLeast: 51 },
    async page (relay, at) {
      const { songList, totalNum } = await relay.getSingerHotsong({ singermid, ...at })
      return { ids: songList.map(idOf), total: totalNum }
    }
  }, {
    of: 'albums of a singer', first: 1, sizes: [100, 31, 20], length: 56,
    async page (relay, at) {
      const { albumList, total } = await relay.getSingerAlbum({ singermid, ...at })
      return { ids: albumList.map(({ albumMid }) => albumMid), total }
    }
  }, {
    of: 'MVs of a singer', first: 1, sizes: [100, 31, 20], length: { atLeast: 51 },
    async page (relay, at) {
      const { list, total } = await relay.getSingerMv({ singermid, ...at })
      return { ids: list.map(idOf), total }
    }
  }, {
    of: 'MVs', first: 1, sizes: [100, 25, 50], length: 100, most: 100, ill: [{ dead: [wires.mvList], fault: few('list', 30), sizes: [50] }],
    async page (relay, at) {
      const { list, total } = await relay.getMv(at)
      return { ids: list.map(idOf), total }
    }
  }, ...['korea', '9', 'a'].map((tag): List => ({
    of: `MVs under ${tag}`, first: 1, sizes: [75, 7, 20], length: { atLeast: 10 }, most: 70,
    async page (relay, at) {
      const { list, total } = await relay.getMvByTag({ tag, ...at })
      return { ids: list.map(idOf), total }
    }
  })), {
    of: 'songs that a search finds', first: 1, sizes: [50, 7, 10, 53, 72, 100], length: { atLeast: 61 }, page: search('song', 'Pt. 2'),
    ill: [[pagesSearch, 1], [lite, 10], [signed, 10], [phone, 10], [desktop, 10]].map(([answers, least], at) => ({
      dead: [siteSearch, pagesSearch, ...programs].slice(0, at + 1), asks: [answers as string, least as number, 50], sizes: [3, 9, 11, 53, 72], ...answers === desktop ? { login: true } : {}
    }))
  }, ...(['album', 'singer'] as const).map((part): List => ({
    of: `${part}s that a search finds`, first: 1, sizes: [50, 3, 40, 100], length: { atLeast: 11 }, most: 60, page: search(part, 'a'),
    ill: [1, 2, 3].map((dead) => ({ dead: programs.slice(0, dead), sizes: [3, 40, 100], login: true }))
  })), ...(['song', 'album', 'singer', 'mv'] as const).map((type) => typed(type, 'paper')), typed('playlist', 'songs'), typed('lyric', 'the')
]

for (const [turn, { of, first, sizes, length, most = Infinity, ill = [], page }] of lists.entries()) {
  t.test(`pages of ${of} joined are the list`, async (t) => {
    const demo = await demoFor(t)
    const joined = async (relay: Relay, limit: number, options = {}): Promise<unknown[]> => {
      const all: unknown[] = []
      for (let number = first; ; number++) {
        const { ids, total } = await page(relay, { limit, page: number }, options)
        if (ids.length > limit) throw new Error(`${ids.length} rows on a page of ${limit}`)
        all.push(...ids)
        if ((number - first + 1) * limit >= Math.min(total, most)) return all.slice(0, most)
      }
    }
    const relay = relayFor(t, demo)
    const whole = await joined(relay, sizes[0])
    t.equal(new Set(whole).size, whole.length, 'no row is there twice')
    t.ok(typeof length === 'number' ? whole.length === length : whole.length >= length.atLeast, `${whole.length} rows`)
    for (const size of sizes.slice(1)) t.same(await joined(relay, size), whole, `pages of ${size}`)
    const { total } = await page(relay, { limit: 3, page: first }, {})
    t.same(await page(relay, { limit: 3, page: 9999 }, {}), { ids: [], total }, 'nothing is beyond the end')
    if (first === 1) t.same(await page(relay, { limit: 3, page: 0 }, {}), await page(relay, { limit: 3, page: 1 }, {}), 'page 0 is page 1')
    for (const [at, { dead, fault = { code: 500003 }, sizes, login, asks }] of ill.entries()) {
      demo.reset()
      for (const wire of dead) demo.next(wire, fault, Infinity)
      const other = relayFor(t, demo)
      for (const size of sampleOf(sizes, Math.min(2, sizes.length), turn + at)) t.same(await joined(other, size, login ? { cookie: cookieOf(demo, 'ordinary') } : {}), whole, `pages of ${size} without ${dead.join(', ')}`)
      if (asks === undefined) continue
      const [wire, least, limit] = asks
      const rows = demo.calls(wire).flatMap(({ query, body }) => body === undefined ? [Number(query['n'])] : Object.values<any>(body as object).flatMap(({ param }) => param?.num_per_page ?? []))
      t.ok(rows.length > 0 && rows.every((each) => each >= least && each <= limit), `${wire} is asked for sizes that it serves`)
    }
  })
}
