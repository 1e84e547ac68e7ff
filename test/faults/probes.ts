/** Endpoints by the shape of their chain of calls, and the failures that each one can meet. */
import { setTimeout as sleep } from 'node:timers/promises'
import { demoAccounts } from '../../src/demo/accounts.ts'
import type { Relay } from '../../src/library/relay.ts'
import { allRows } from './matrix.ts'
import { badPayload, broken, emptyMv, large, noHttp, passing, redirects, setCookies, slow, statuses } from './rows.ts'
import type { Row } from './rows.ts'
import { well } from './server.ts'
import type { Exchange, Fault } from './server.ts'

export interface Probe {
  readonly name: string
  readonly path: string
  /** Login of the request, for an endpoint that needs one. */
  readonly cookie?: string
  readonly ask: (relay: Relay) => Promise<unknown>
  /** The call and its fallbacks in order, by their upstream names. */
  readonly links: readonly string[]
  /** Number of further requests: those sent at the same time as the first one, or after a good head. */
  readonly beside?: number
  /** Number of links that share a rest with two links before them. */
  readonly resting?: number
  /** An answer without the requested item may mean that the item does not exist. */
  readonly mayBeMissing?: true
  /** The failures that it can meet, if they are not those of JSON. `elsewhere`: a host that must not be contacted. */
  readonly rows?: (elsewhere: string) => readonly Row[]
}

export const rowsOf = ({ rows = allRows }: Probe, elsewhere: string): readonly Row[] => rows(elsewhere)

const search = 'music.search.SearchCgiService/DoSearchForQQMusic'
const lyric = '/lyric/fcgi-bin/fcg_query_lyric_new.fcg'
const cookie = demoAccounts().find(({ name }) => name === 'member')?.cookie ?? ''

/** A good answer, whatever else the redirect has. */
const good = { status: 200, outcome: /^ok$/, blame: 'none' } as const

/** The redirect as it should be, up to the end of its headers: the fault sends the rest. */
const headed = (rest: (exchange: Exchange) => void, ...lines: readonly string[]): Fault => async (exchange) => {
  const { location } = await exchange.healthy()
  exchange.write(`${['HTTP/1.1 302 Found', `location: ${location}`, ...lines].join('\r\n')}\r\n\r\n`)
  rest(exchange)
}

/** Redirects that are as good as the plain one. Nobody waits for their bodies. */
const goodRedirects: readonly Row[] = ([
  ['plain', well],
  ...[301, 303, 307, 308].map((status) => [
    `HTTP ${status}`, async ({ healthy, answer }: Exchange) => { answer('', { status, headers: [`location: ${(await healthy()).location}`] }) }
  ] as const),
  ['slow', async (exchange) => { await sleep(50); await well(exchange) }],
  ['a body that never comes', headed(() => {}, 'content-length: 1000')],
  ['a body that breaks off', headed(({ socket }) => {
    socket.write('<html>')
    setTimeout(() => { socket.resetAndDestroy() }, 20)
  }, 'content-length: 1000')],
  ['a body without an end', headed(({ socket }) => {
    const more = (): void => { while (socket.writable && socket.write(Buffer.alloc(65_536, 0x20))) continue }
    socket.on('drain', more)
    more()
  })],
  ['a compressed body that is none', headed(({ socket }) => { socket.end('no gzip') }, 'content-encoding: gzip', 'content-length: 7')],
  ['a flood of cookies', headed(({ socket }) => { socket.end() }, 'content-length: 0', ...setCookies)],
  ['a second address', headed(({ socket }) => { socket.end() }, 'location: https://y.qq.com/n/ryqq/songDetail/00DemoSong0002', 'content-length: 0')],
  ['after early hints', async (exchange) => {
    exchange.write('HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n')
    await well(exchange)
  }]
] satisfies (readonly [string, Fault])[]).map(([name, fault]) => ({ name, fault, ...good, mostSent: 24 * 1024 * 1024 }))

const missing = { status: 404, code: 'NOT_FOUND', outcome: /^ok$/, blame: 'none' } as const
const inBody = /^headers, then|half a body|^a chunk|body in drips|chunk size/
const atHead = (rows: readonly Row[]): readonly Row[] => rows.filter(({ name }) => !inBody.test(name))

/** Failures of an answer of which only the head is read. Wherever it leads: nobody goes there. */
const redirectRows = (elsewhere: string): readonly Row[] => [
  ...goodRedirects, ...passing, ...atHead(slow), ...broken.slice(0, 3), ...atHead(noHttp),
  ...statuses.map((row) => row.name === 'HTTP 404' ? { ...row, ...missing } : row),
  ...redirects(elsewhere).map((row) => /another host|itself/.test(row.name) ? { ...row, ...missing } : row)
]

const texts = ['', '<html>', '<html>https://y.qq.com/n/ryqq/songDetail/00DemoSong0002</html>', 'null', '{"url":"https://example.com/?no_redirect=1"}']

/** Failures of a page of which the head is good: the first request reads the head, the second one the text. */
const pageRows = (): readonly Row[] => [
  { name: 'plain', fault: well, ...good },
  ...texts.map((text): Row => ({
    name: `the text ${text}`, fault: ({ answer }) => { answer(text, { type: 'text/html' }) },
    status: 502, code: 'UPSTREAM_EMPTY', outcome: /^(?:ok|empty)$/, blame: 'call'
  })),
  ...[
    ...[...slow, ...noHttp].filter(({ name }) => inBody.test(name)), ...large,
    ...badPayload.filter(({ name, outcome }) => outcome.test('bad_encoding') && name !== 'cut gzip')
  ].map((row) => ({ ...row, outcome: new RegExp(`^ok$|${row.outcome.source}`) }))
]

const resolved = (token: string): Pick<Probe, 'path' | 'ask' | 'links'> => {
  const text = `https://c6.y.qq.com/base/fcgi-bin/u?__=${token}`
  return { path: `/resolve?text=${encodeURIComponent(text)}`, ask: async (relay) => await relay.resolve({ text }), links: ['/base/fcgi-bin/u'] }
}

/** One endpoint for each shape: `npm test` tries every failure with them. */
export const shapes: readonly Probe[] = [
  {
    name: 'one call (getRadarSongs)',
    path: '/getRadarSongs?limit=3',
    ask: async (relay) => await relay.getRadarSongs({ limit: 3 }),
    links: ['music.recommend.TrackRelationServer/GetRadarSong']
  },
  {
    name: 'two calls of one shape (getMvPlay)',
    path: '/getMvPlay?vid=demoV000004',
    ask: async (relay) => await relay.getMvPlay({ vid: 'demoV000004' }),
    links: ['music.stream.MvUrlProxy/GetMvUrls', 'gosrf.Stream.MvUrlProxy/GetMvUrls'],
    rows: (elsewhere) => [...allRows(elsewhere), ...emptyMv]
  },
  {
    name: 'gateway, then classic (getRanks)',
    path: '/getRanks?topId=62&limit=3',
    ask: async (relay) => await relay.getRanks({ topId: 62, limit: 3 }),
    links: ['music.musicToplist.Toplist/GetDetail', 'musicToplist.ToplistInfoServer/GetDetail', '/v8/fcg-bin/fcg_v8_toplist_cp.fcg']
  },
  {
    name: 'classic first (getLyric)',
    path: '/getLyric?songmid=00DemoSong0001',
    ask: async (relay) => await relay.getLyric({ songmid: '00DemoSong0001' }),
    links: [lyric, 'music.musichallSong.PlayLyricInfo/GetPlayLyricInfo', lyric]
  },
  {
    name: 'login required (getUserCollectedAlbums)',
    path: '/user/getUserCollectedAlbums?limit=3',
    cookie,
    ask: async (relay) => await relay.getUserCollectedAlbums({ limit: 3 }, { cookie }),
    links: ['music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo', '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg']
  },
  {
    name: 'several calls at once (getSearchByKey)',
    path: '/getSearchByKey?key=paper&limit=3',
    ask: async (relay) => await relay.getSearchByKey({ key: 'paper', limit: 3 }),
    links: [
      '/soso/fcgi-bin/client_search_cp', '/soso/fcgi-bin/search_for_qq_cp', `${search}Lite`, `signed/${search}Desktop`, `${search}Mobile`,
      `${search}Desktop`, '/splcloud/fcgi-bin/smartbox_new.fcg', 'c6.y.qq.com/splcloud/fcgi-bin/smartbox_new.fcg'
    ],
    resting: 2
  },
  { name: 'a short link (resolve)', ...resolved('s00DemoSong0001'), rows: redirectRows }
]

/** Further endpoints, which nightly tries. */
export const further: readonly Probe[] = [
  { name: 'a short link that is a page (resolve)', ...resolved('h00DemoSong0001'), beside: 1, rows: pageRows },
  {
    name: 'getSongInfo',
    path: '/getSongInfo?songmid=00DemoSong0001',
    ask: async (relay) => await relay.getSongInfo({ songmid: '00DemoSong0001' }),
    links: [
      'music.pf_song_detail_svr/get_song_detail_yqq', 'music.trackInfo.UniformRuleCtrl/CgiGetTrackInfo', '/v8/fcg-bin/fcg_play_single_song.fcg'
    ],
    mayBeMissing: true
  },
  {
    name: 'getSongListDetail',
    path: '/getSongListDetail?disstid=7700000001&limit=3',
    ask: async (relay) => await relay.getSongListDetail({ disstid: '7700000001', limit: 3 }),
    links: [
      'music.srfDissInfo.DissInfo/CgiGetDiss', 'music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo', '/v8/fcg-bin/fcg_v8_playlist_cp.fcg',
      '/qzone-music/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg', '/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg'
    ],
    mayBeMissing: true
  },
  {
    name: 'getRankPeriods',
    path: '/getRankPeriods?topId=5',
    ask: async (relay) => await relay.getRankPeriods({ topId: 5 }),
    links: ['music.musicToplist.Toplist/GetAll', 'musicToplist.ToplistInfoServer/GetAll']
  },
  {
    name: 'getOtherVersions',
    path: '/getOtherVersions?songmid=00DemoSong0001',
    ask: async (relay) => await relay.getOtherVersions({ songmid: '00DemoSong0001' }),
    links: ['music.musichallSong.OtherVersionServer/GetOtherVersionSongs']
  },
  {
    name: 'getSingerTab',
    path: '/getSingerTab?singermid=00DemoSing0001&tab=song_composing&limit=3',
    ask: async (relay) => await relay.getSingerTab({ singermid: '00DemoSing0001', tab: 'song_composing', limit: 3 }),
    links: ['music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageTabDetail']
  },
  {
    name: 'getUserFollowedSingers',
    path: '/user/getUserFollowedSingers?limit=3',
    cookie,
    ask: async (relay) => await relay.getUserFollowedSingers({ limit: 3 }, { cookie }),
    links: ['music.concern.RelationList/GetFollowSingerList']
  }
]
