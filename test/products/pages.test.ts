/** Every list that comes in pages: whatever their size, and whichever call answers, pages joined have no gap and no row twice. */
import t from 'tap'
import type { Fault } from '../../src/demo/types.ts'
import type { Relay } from '../../src/library/relay.ts'
import { cookieOf, demoFor } from '../support/helper.ts'
import { relayFor } from '../support/stage.ts'
import { sampleOf } from '../support/whole.ts'
import * as wires from '../support/wires.ts'

interface List {
  readonly ask: readonly [name: keyof Relay, input: object]
  /** Where the record has its rows, the id of a row, and the number of all rows. */
  readonly at: readonly [rows: string, id: string, total: string]
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
}
interface Ill {
  readonly dead: readonly string[]
  /** Instead of failing. */
  readonly fault?: Fault
  readonly sizes: readonly number[]
  readonly login?: true
  /** The call that answers, and the least size that it serves, up to 50: it has nothing for others. */
  readonly asks?: readonly [wire: string, least: number]
}

const singer = { singermid: '00DemoSing0001' }
const { siteSearch, pagesSearch, lite, signed, phone, desktop } = wires
const programs = [lite, signed, phone, desktop]
const few = (rows: string, most: number): Fault =>
  ({ mutate: ({ data }) => { data[rows] = data[rows].slice(0, most) } })
const some = (atLeast: number): { atLeast: number } => ({ atLeast })
const short: Fault =
  { mutate: ({ data }) => { Object.assign(data, { songlist: data.songlist.slice(0, 45), hasmore: 1 }) } }
const typed = ([type, key, id]: readonly [type: string, key: string, id: string]): List => ({
  ask: ['search', { type, key }], at: [`${type}s`, id, 'total'], first: 1, sizes: [36, 12], length: some(9), most: 36
})

const lists: readonly List[] = [
  {
    ask: ['getRanks', { topId: 62 }], at: ['songInfoList', 'rank', 'topList.totalNum'], first: 0,
    sizes: [100, 7, 20, 33], length: 100, ill: [{ dead: [wires.chart, wires.chartOlder], sizes: [100, 60] }]
  },
  {
    ask: ['getSongLists', {}], at: ['playlists', 'dissid', 'sum'], first: 0, sizes: [50, 33, 53, 77, 86, 100],
    length: 498, ill: [{ dead: [wires.playlistsByTag], sizes: [50, 77, 86] }]
  },
  {
    ask: ['batchGetSongLists', { categoryIds: [6] }], at: ['0.playlists', 'dissid', '0.sum'], first: 0,
    sizes: [100, 1, 7, 19], length: some(30)
  },
  {
    ask: ['getSongListDetail', { disstid: '7700000005' }], at: ['songlist', 'songmid', 'songnum'], first: 0,
    sizes: [1000, 17, 100, 333], length: 420,
    ill: [{ dead: [wires.playlist], fault: short, sizes: [333] }]
  },
  { ask: ['getNewDisks', {}], at: ['albums', 'albumID', 'total'], first: 1, sizes: [100, 7, 20, 54], length: 55, ill: [{
    dead: [wires.newAlbums], fault: few('albums', 8), sizes: [7, 20, 54]
  }] },
  { ask: ['getDigitalAlbumLists', {}], at: ['albums', 'album_mid', 'total'], first: 1, sizes: [100, 7], length: some(20) },
  { ask: ['getSingerList', {}], at: ['singers', 'singerMID', 'total'], first: 1, sizes: [100, 80, 33, 7], length: 220 },
  {
    ask: ['getSingerHotsong', singer], at: ['songList', 'mid', 'totalNum'], first: 1, sizes: [100, 31, 20],
    length: some(51)
  },
  { ask: ['getSingerAlbum', singer], at: ['albumList', 'albumMid', 'total'], first: 1, sizes: [100, 31, 20], length: 56 },
  { ask: ['getSingerMv', singer], at: ['list', 'vid', 'total'], first: 1, sizes: [100, 31, 20], length: some(51) },
  { ask: ['getMv', {}], at: ['list', 'vid', 'total'], first: 0, sizes: [100, 25, 50], length: 100, most: 100, ill: [{
    dead: [wires.mvList], fault: few('list', 30), sizes: [50]
  }] },
  ...['korea', '9', 'a'].map((tag): List => ({
    ask: ['getMvByTag', { tag }], at: ['list', 'vid', 'total'], first: 1, sizes: [75, 7, 20], length: some(10), most: 70
  })),
  {
    ask: ['getSearchByKey', { key: 'Pt. 2' }], at: ['song.list', 'mid', 'song.totalnum'], first: 1,
    sizes: [50, 7, 10, 53, 72, 100], length: some(61),
    ill: ([[pagesSearch, 1], [lite, 10], [signed, 10], [phone, 10], [desktop, 10]] as const).map((asks, at) => ({
      dead: [siteSearch, pagesSearch, ...programs].slice(0, at + 1), asks, sizes: [3, 9, 11, 53, 72],
      ...asks[0] === desktop ? { login: true } : {}
    }))
  },
  ...([['album', 'albumMID'], ['singer', 'singerMID']] as const).map(([part, id]): List => ({
    ask: ['getSearchByKey', { key: 'a' }], at: [`${part}.list`, id, `${part}.totalnum`], first: 1,
    sizes: [50, 3, 40, 100], length: some(11), most: 60,
    ill: [1, 2, 3].map((dead) => ({ dead: programs.slice(0, dead), sizes: [3, 40, 100], login: true }))
  })),
  ...([['song', 'paper', 'mid'], ['album', 'paper', 'albumMID'], ['singer', 'paper', 'singerMID'], ['mv', 'paper', 'vid'], ['playlist', 'songs', 'dissid'], ['lyric', 'the', 'song.mid']] as const).map(typed)
]

const valueAt = (value: any, path: string): any => path.split('.').reduce((inner, key) => inner[key], value)

for (const [
  turn, { ask: [name, input], at: [rowsAt, idAt, totalAt], first, sizes, length, most = Infinity, ill = [] }
] of lists.entries()) {
  t.test(`pages of ${name} ${JSON.stringify(input)} joined are the list ${rowsAt}`, async (t) => {
    const demo = await demoFor(t)
    const page = async (
      relay: Relay, limit: number, number: number, options = {}
    ): Promise<{ ids: unknown[], total: number }> => {
      const at = name === 'getSongListDetail' ? { offset: Math.min(number * limit, 100_000) } : { page: number }
      const record =
        await (relay[name] as (input: object, options: object) => Promise<unknown>)({ ...input, limit, ...at }, options)
      return { ids: valueAt(record, rowsAt).map((row: unknown) => valueAt(row, idAt)), total: valueAt(record, totalAt) }
    }
    const joined = async (relay: Relay, limit: number, options = {}): Promise<unknown[]> => {
      const all: unknown[] = []
      for (let number = first; ; number++) {
        const { ids, total } = await page(relay, limit, number, options)
        if (ids.length > limit) throw new Error(`${ids.length} rows on a page of ${limit}`)
        all.push(...ids)
        if ((number - first + 1) * limit >= Math.min(total, most)) return all.slice(0, most)
      }
    }
    const relay = relayFor(t, demo)
    const whole = await joined(relay, sizes[0])
    t.equal(new Set(whole).size, whole.length, 'no row is there twice')
    t.ok(typeof length === 'number' ? whole.length === length : whole.length >= length.atLeast, `${whole.length} rows`)
    for (const size of sampleOf(sizes.slice(1), sizes.length > 3 ? 3 : 1, turn)) {
      t.same(await joined(relay, size), whole, `pages of ${size}`)
    }
    t.same(
      await page(relay, 3, 9999), { ids: [], total: (await page(relay, 3, first)).total }, 'nothing is beyond the end'
    )
    if (first === 1) t.same(await page(relay, 3, 0), await page(relay, 3, 1), 'page 0 is page 1')
    for (const [at, { dead, fault = { code: 500003 }, sizes, login, asks }] of ill.entries()) {
      demo.reset()
      for (const wire of dead) demo.next(wire, fault, Infinity)
      const other = relayFor(t, demo)
      for (const size of sampleOf(sizes, Math.min(3, sizes.length), turn + at)) t.same(
        await joined(other, size, login ? { cookie: cookieOf(demo, 'ordinary') } : {}), whole,
        `pages of ${size} without ${dead.join(', ')}`
      )
      if (asks === undefined) continue
      const rows = demo.calls(asks[0]).flatMap(({ query, body }) => body === undefined ? [Number(query['n'])]
        : Object.values<any>(body as object).flatMap(({ param }) => param?.num_per_page ?? []))
      t.ok(
        rows.length > 0 && rows.every((each) => each >= asks[1] && each <= 50),
        `${asks[0]} is asked for sizes that it serves`
      )
    }
  })
}
