/** Endpoints by the shape of their chain of calls, and the failures that each one can meet. */
import { setTimeout as sleep } from 'node:timers/promises'
import { demoAccounts } from '../../src/demo/accounts.ts'
import type { RelayFunctions } from '../../src/library/types.ts'
import type { Relay } from '../../src/library/relay.ts'
import { queryOf } from '../support/asks.ts'
import { endpoints } from '../support/helper.ts'
import { chains, type Chain } from './chains.ts'
import { allRows } from './matrix.ts'
import {
  badPayload, broken, emptyMv, large, noHttp, passing, redirects, setCookies, slow, statuses, type Row
} from './rows.ts'
import { well, type Exchange, type Fault } from './server.ts'

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

type More = Pick<Probe, 'beside' | 'resting' | 'mayBeMissing' | 'rows'>

export const rowsOf = ({ rows = allRows }: Probe, elsewhere: string): readonly Row[] => rows(elsewhere)

const cookie = demoAccounts().find(({ name }) => name === 'member')?.cookie ?? ''

function probe (
  shape: string, endpoint: keyof RelayFunctions, input: object, links: readonly string[], more: More = {}
): Probe {
  const { path, login } = endpoints[endpoint] as (typeof endpoints)[string]
  const own = login === 'required' ? { cookie } : {}
  return {
    name: `${shape} (${endpoint})`, path: `${path}?${queryOf(input)}`, ...own, links, ...more,
    ask: async (relay) => await (relay[endpoint] as (input: object, options: object) => Promise<unknown>)(input, own)
  }
}

const chained = (
  shape: string, { endpoint, input, links }: Chain, more?: More & { further?: readonly string[] }
): Probe =>
  probe(shape, endpoint, input, [...Object.values(links), ...more?.further ?? []], more)
const shortLink = (shape: string, token: string, more: More): Probe =>
  probe(shape, 'resolve', { text: `https://c6.y.qq.com/base/fcgi-bin/u?__=${token}` }, ['/base/fcgi-bin/u'], more)

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
    `HTTP ${status}`, async ({ healthy, answer }: Exchange) => {
      answer('', { status, headers: [`location: ${(await healthy()).location}`] })
    }
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

const search = 'music.search.SearchCgiService/DoSearchForQQMusic'
const searches = [
  '/soso/fcgi-bin/client_search_cp', '/soso/fcgi-bin/search_for_qq_cp', `${search}Lite`, `signed/${search}Desktop`, `${search}Mobile`, `${search}Desktop`,
  '/splcloud/fcgi-bin/smartbox_new.fcg', 'c6.y.qq.com/splcloud/fcgi-bin/smartbox_new.fcg'
]

/** One endpoint for each shape: `npm test` tries every failure with them. */
export const shapes: readonly Probe[] = [
  probe('one call', 'getRadarSongs', { limit: 3 }, ['music.recommend.TrackRelationServer/GetRadarSong']),
  chained(
    'two calls of one shape', chains['the files of an MV'], { rows: (elsewhere) => [...allRows(elsewhere), ...emptyMv] }
  ),
  chained('gateway, then classic', chains['a chart']),
  chained('classic first', chains['a lyric'], { further: ['/lyric/fcgi-bin/fcg_query_lyric_new.fcg'] }),
  chained('login required', chains['collected albums']),
  probe('several calls at once', 'getSearchByKey', { key: 'paper', limit: 3 }, searches, { resting: 2 }),
  shortLink('a short link', 's00DemoSong0001', { rows: redirectRows })
]

/** Further endpoints, which nightly tries. */
export const further: readonly Probe[] = [
  shortLink('a short link that is a page', 'h00DemoSong0001', { beside: 1, rows: pageRows }),
  chained('a song', chains['a song'], { mayBeMissing: true }),
  chained('a playlist', chains['a playlist'], { mayBeMissing: true, further: ['/qzone/fcg-bin/fcg_ucc_getcdinfo_byids_cp.fcg'] }),
  chained('the issues of a chart', chains['the issues of a chart']),
  probe('other versions', 'getOtherVersions', { songmid: '00DemoSong0001' }, ['music.musichallSong.OtherVersionServer/GetOtherVersionSongs']),
  probe('a tab', 'getSingerTab', { singermid: '00DemoSing0001', tab: 'song_composing', limit: 3 }, ['music.UnifiedHomepage.UnifiedHomepageSrv/GetHomepageTabDetail']),
  probe('followed singers', 'getUserFollowedSingers', { limit: 3 }, ['music.concern.RelationList/GetFollowSingerList'])
]
