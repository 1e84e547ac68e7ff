/** What answers when a call fails: the next one of its chain, with the same record; after the last one, the failure. */
import t from 'tap'
import type { Fault } from '../../src/demo/types.ts'
import type { Relay } from '../../src/library/relay.ts'
import { testClock } from '../support/clock.ts'
import { cookieOf, demoFor, song, until } from '../support/helper.ts'
import { partOf } from '../support/partOf.ts'
import { relayFor, test } from '../support/stage.ts'
import { sampleOf } from '../support/whole.ts'
import * as wires from '../support/wires.ts'

interface Chain {
  readonly ask: readonly [name: keyof Relay, input: object]
  readonly calls: readonly [string, ...string[]]
  /** How each stand-in is asked: parts of the request (partOf.ts). */
  readonly asked?: Readonly<Record<string, object>>
  /** What all calls know of the record. The number counts dead calls. */
  readonly same?: (record: any, dead: number) => unknown
  /** Further answers with which the first call is no use. */
  readonly faults?: readonly Fault[]
  /** A connection that breaks twice is the host's. */
  readonly noReset?: true
  readonly login?: true
  /** Whether something is answered although all calls fail. */
  readonly survives?: true
}

const faults: readonly Fault[] =
  [{ code: 500003 }, { body: '<html>gone</html>' }, { status: 404 }, { status: 500 }, { reset: true }]
const codeOf = (fault: Fault): string => 'body' in fault ? 'UPSTREAM_UNREADABLE'
  : 'reset' in fault || ('status' in fault && fault.status === 500) ? 'UPSTREAM_UNREACHABLE' : 'UPSTREAM_REFUSED'

const classic = (query: object, more: object = {}): object =>
  ({ host: 'c.y.qq.com', method: 'GET', headers: { referer: 'https://y.qq.com/' }, query, ...more })
const param = (fields: object, comm: object = {}): object => ({ body: { comm, req_0: { param: fields } } })
const mutated = (mutate: (data: any) => void): Fault => ({ mutate: (answer) => { mutate(answer.data) } })
const each = (rows: string, id: string) => (record: any): unknown => record[rows].map((row: any) => row[id])
const track = ({ songinfo: { data } }: any): unknown => data.track_info

const singermid = '00DemoSing0001'
const album = { albummid: '00DemoAlbu0009' }
const playlistReferer = { headers: { referer: 'https://y.qq.com/n/yqq/playlist' } }
const playlistsOf = (input: object): Chain => ({ ask: ['getSongListDetail', input], calls: [
  wires.playlist, wires.playlistSibling, wires.playlistWhole, wires.playlistClassic
] })
const albumQuery = { ...album, newsong: '1', format: 'json' }
const works = { singermid, limit: 100 }

const chains: readonly Chain[] = [
  { ask: ['getAlbumInfo', album], calls: [wires.albumDetail, wires.albumClassic, wires.albumTables], asked: {
    [wires.albumClassic]: classic(albumQuery), [wires.albumTables]: { query: albumQuery }
  } },
  {
    ask: ['getAlbumInfo', album], calls: [wires.albumSongs, wires.albumClassic, wires.albumTables],
    faults: [mutated((data) => { data.songList = [] })]
  },
  {
    ask: ['getLyric', { songmid: song(10) }], calls: [wires.lyricClassic, wires.lyricGateway],
    faults: [{ code: -1310 }, { code: -1901 }],
    asked: { [wires.lyricGateway]: param({ songMID: song(10), songID: 0, crypt: 0, trans: 1 }) }
  },
  {
    ask: ['getRanks', { topId: 62, limit: 10, page: 1 }], calls: [wires.chart, wires.chartOlder, wires.chartClassic],
    faults: [{ code: 2000 }], same: (record, dead) => dead < 2 ? record : record.songInfoList,
    asked: {
      [wires.chartOlder]: param({ topId: 62, offset: 10, num: 10, period: '' }),
      [wires.chartClassic]: { host: 'c.y.qq.com', method: 'GET', query: {
        topid: '62', song_begin: '10', song_num: '10', page: 'detail', tpl: '3'
      } }
    }
  },
  {
    ask: ['getRanks', { limit: 1 }], calls: [wires.charts, wires.chartsOlder, wires.chartsClassic],
    faults: [mutated((data) => { data.group = [] })], survives: true,
    same: (record, dead) => dead < 2 ? each('topLists', 'id')(record) : record.topLists.length > 0
  },
  {
    ask: ['getRadioLists', {}], calls: [wires.radios, wires.radiosClassic],
    faults: [mutated((data) => { data.radio_list = null })],
    asked: { [wires.radiosClassic]: {
      query: { channel: 'radio', format: 'json', page: 'index', tpl: 'wk', new: '1', p: /^0\.\d+/, outCharset: 'utf-8' }
    } }
  },
  {
    ask: ['getMvPlay', { vid: 'demoV000004' }], calls: [wires.mvUrls, wires.mvUrlsOlder],
    faults: [{ mutate: () => ({ code: 0 }) }],
    asked: { [wires.mvUrlsOlder]: param({ vids: ['demoV000004'], request_typet: 10001 }) },
    same: ({ playLists, mvinfo }) => [
      Object.entries<string[]>(playLists).map(([level, urls]) => [level, urls.map((url) => url.split('fname=')[1])]),
      mvinfo
    ]
  },
  {
    ask: ['getMusicPlay', { songmid: song(1) }], calls: [wires.vkey, wires.newerVkey], faults: [{ code: 0 }],
    same: ({ url, size, quality, availableQualities }) => [url.split('?', 1)[0], size, quality, availableQualities],
    asked: { [wires.newerVkey]: param({
      guid: /^[0-9a-f]{32}$/, uin: '', filename: [`M500${song(1)}.mp3`], songmid: [song(1)], songtype: [0], ctx: 0
    }) }
  },
  {
    ask: ['getSongLists', { limit: 5, page: 2 }], calls: [wires.playlistsByTag, wires.playlistsSquare], noReset: true,
    asked: {
      [wires.playlistsSquare]: param({ id: 10000000, sin: 10, size: 5, order: 5, cur_page: 3 }, { ct: 20, cv: 1602 })
    }
  },
  {
    ...playlistsOf({ disstid: '7700000005', offset: 10, limit: 20 }),
    asked: {
      [wires.playlistSibling]: param({ disstid: 7700000005, enc_host_uin: '', song_begin: 10, song_num: 20 }),
      [wires.playlistWhole]: classic({
        id: '7700000005', newsong: '1', format: 'json', platform: 'yqq', inCharset: 'utf8', outCharset: 'utf-8'
      }, playlistReferer),
      [wires.playlistClassic]: classic({
        disstid: '7700000005', type: '1', json: '1', utf8: '1', onlysong: '0', new_format: '1', song_begin: '10',
        song_num: '20', outCharset: 'utf-8'
      }, playlistReferer)
    }
  },
  ...[
    { disstid: '7700000001' }, { disstid: '7700000005', offset: 37, limit: 150 },
    { disstid: '7700000005', offset: 410 }, { disstid: '7700000004' }
  ].map(playlistsOf),
  {
    ask: ['getSongListDetail', { disstid: '7700000012', limit: 5 }],
    calls: [...playlistsOf({}).calls, wires.playlistOwn], login: true
  },
  {
    ask: ['getHotkey', {}], calls: [wires.hotkeyDesktop, wires.hotkeyClassic, wires.hotkeyPhone],
    faults: [{ subcode: 1, message: 'invalid referer' }, mutated((data) => { data.vec_hotkey = [] })],
    asked: {
      [wires.hotkeyClassic]: classic({ format: 'json', g_tk: '5381' }),
      [wires.hotkeyPhone]: param({ search_id: /^\d+$/ }, { ct: 11 })
    }
  },
  {
    ask: ['getSingerList', { page: 2, limit: 60 }], calls: [wires.singers, wires.singersOlder, wires.singersWhole],
    same: each('singers', 'singerMID'),
    faults: [{ mutate: (answer) => { answer.data = { singerlist: null, tags: null } } }],
    asked: {
      [wires.singersOlder]: param({ area: -100, sex: -100, genre: -100, index: -100, sin: 0, cur_page: 1 }),
      [wires.singersWhole]: param({ hastag: 0, area: -100, sex: -100, genre: -100 })
    }
  },
  {
    ask: ['getSimilarSinger', { singermid }], calls: [wires.similarSingers, wires.similarSingersClassic],
    same: each('singers', 'singerMID'),
    asked: { [wires.similarSingersClassic]: {
      query: { singer_mid: singermid, start: '0', num: '10', utf8: '1', format: 'json', outCharset: 'utf-8' }
    } }
  },
  {
    ask: ['getSingerStarNum', { singermid }], calls: [wires.singerPage, wires.fans, wires.singerHome],
    faults: [mutated((data) => { data.singer_info.fans = 'many' })],
    asked: {
      [wires.fans]: classic({ singermid, utf8: '1', format: 'json', outCharset: 'utf-8', rnd: /^\d{13}$/ }),
      [wires.singerHome]: param({ SingerMid: singermid }, { ct: 11, tmeAppID: /./ })
    }
  },
  {
    ask: ['getSingerHotsong', works], calls: [wires.singerSongs, wires.singerSongsOther, wires.singerPage],
    asked: {
      [wires.singerSongsOther]: param({ singerMid: singermid, order: 1, begin: 0, num: 100, number: 100 }),
      [wires.singerPage]: { body: { req_0: { param: { sort: 5, singermid, sin: 0, num: 60 } }, req_1: {
        param: { sort: 5, singermid, sin: 60, num: 40 }
      } } }
    }
  },
  {
    ask: ['getSingerAlbum', works], calls: [wires.singerAlbums, wires.singerAlbumsOlder, wires.singerAlbumsClassic],
    same: (record) => [(each('albumList', 'albumName')(record) as string[]).sort(), record.total],
    asked: {
      [wires.singerAlbumsOlder]: param({ singermid, order: 'time', begin: 0, num: 100, exstatus: 1 }),
      [wires.singerAlbumsClassic]: classic({
        singermid, order: 'time', begin: '0', num: '100', format: 'json', outCharset: 'utf-8'
      })
    }
  },
  ...(['listen', 'time'] as const).map((order): Chain => ({
    ask: ['getSingerMv', { singermid, limit: 10, order }], calls: [wires.singerMvs, wires.singerMvsClassic],
    // The classic call knows all but the length.
    same: ({ list, total }) => [list.map((mv: object) => ({ ...mv, duration: 0 })), total],
    asked: { [wires.singerMvsClassic]: { query: { order, cmd: undefined, cid: '205360581', num: '10', begin: '0' } } }
  })),
  {
    ask: ['getSongInfo', { songmid: song(3) }], calls: [wires.songDetail, wires.songTracks, wires.songClassic],
    faults: [{ code: 2000 }], same: track,
    asked: {
      [wires.songTracks]: param({ mids: [song(3)], types: [0], modify_stamp: [0], ctx: 0, client: 1 }),
      [wires.songClassic]: classic({ songmid: song(3), format: 'json' })
    }
  },
  { ask: ['getSongInfo', { songid: 5000003 }], calls: [wires.songDetail, wires.songTracks], same: track, asked: {
    [wires.songTracks]: param({ ids: [5000003] })
  } }
]

for (const [turn, {
  ask: [name, input], calls, asked = {}, same = (record: any): unknown => record, faults: own = [], noReset, login,
  survives
}] of chains.entries()) {
  t.test(`${name} ${JSON.stringify(input)} of ${calls[0]} and its stand-ins`, async (t) => {
    const demo = await demoFor(t)
    const options = login ? { cookie: cookieOf(demo, 'ordinary') } : {}
    const ask = async (relay: Relay): Promise<unknown> =>
      await (relay[name] as (...given: object[]) => Promise<unknown>)(input, options)
    const relay = relayFor(t, demo, { tuning: { fallbackFailures: 1000, circuitFailures: 1000 } })
    const healthy = await ask(relay)
    for (let dead = 1; dead <= calls.length; dead++) {
      for (const fault of [
        ...sampleOf(faults.slice(0, noReset ? 4 : 5), dead === 1 || dead === calls.length ? 2 : 4, dead + turn),
        ...dead === 1 ? own : []
      ]) {
        const what = `${JSON.stringify(fault)} of ${dead}`
        demo.reset()
        const next = calls[dead]
        for (const call of calls.slice(0, dead - 1)) {
          demo.next(call, next === undefined ? fault : { code: 500003 }, Infinity)
        }
        demo.next(calls[dead - 1] as string, fault, Infinity)
        if (next !== undefined) {
          t.same(same(await ask(relay), dead), same(healthy, dead), what)
          const seen = demo.received.flatMap((each) => [...new Set(each.calls)]).filter((call) => calls.includes(call))
          t.same([...new Set(seen)].slice(0, dead + 1), calls.slice(0, dead + 1), what)
          t.same(partOf(demo.calls(next)[0], asked[next] ?? {}), asked[next] ?? {}, next)
        } else if (!survives) await t.rejects(ask(relay), { code: codeOf(fault), statusCode: 502 }, what)
      }
    }
  })
}

test('after a timeout nothing else is tried', async ({ t, demo }) => {
  for (const { ask: [name, input], calls: [first], login } of chains.filter(({ survives }) => !survives)) {
    demo.reset()
    demo.next(first, { hang: true }, Infinity)
    const clock = testClock()
    const relay = relayFor(t, demo, { ...clock.options, deadlineMs: 60_000 })
    const failed = (relay[name] as (...given: object[]) => Promise<unknown>)(
      input, login ? { cookie: cookieOf(demo, 'ordinary') } : {}
    ).catch((error: unknown) => error)
    await until(() => demo.calls(first).length > 0)
    const { length } = demo.received
    await clock.advance(60_000)
    t.match(await failed, { code: 'UPSTREAM_TIMEOUT', statusCode: 504 }, name)
    t.equal(demo.received.length, length, name)
  }
})

test('what does not exist is 404, with and without a login', async ({ t, demo, server }) => {
  const paths = [
    'getAlbumInfo?albummid=nosuchalbum', 'getRanks?topId=999999', 'getRankPeriods?topId=999', 'getRanks?topId=5&period=1999_1', 'getRanks?topId=62&period=2026-01-01', 'getSongInfo?songid=1',
    'getSongInfo/nosuchsong', 'getSimilarSongs?songmid=nobody', 'getRelatedMv?songmid=nobody', 'getRelatedPlaylists?songmid=nobody', 'getComments?id=nobody', 'getComments?id=nobody&biztype=2',
    ...['getSingerDesc', 'getSingerHotsong', 'getSingerAlbum', 'getSimilarSinger', 'getSingerStarNum'].map((name) => `${name}?singermid=nobody`),
    ...['7700000003', '12', '0', '9007199254740993', '9999999999999999999'].map((disstid) => `getSongListDetail?disstid=${disstid}`)
  ]
  const wrong: string[] = []
  for (const [at, path] of paths.entries()) {
    for (const headers of [
      {}, { 'x-custom-cookie': demo.accounts[at % demo.accounts.length]?.cookie ?? '' }
    ] as Record<string, string>[]) {
      const { status, text } = await server.get(`/${path}`, { headers })
      if (status !== 404 || !text.includes('"NOT_FOUND"')) wrong.push(`${path}: ${status} ${text}`)
    }
  }
  t.same(wrong, [])
})
