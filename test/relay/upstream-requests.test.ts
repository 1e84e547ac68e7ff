/**
 * How many requests to the upstream one answer costs, for every endpoint, when nothing is cached and all is well: one, unless
 * the table says otherwise. Whoever adds a question adds a number here, and says why.
 */
import t from 'tap'
import type { DemoAccount } from '../../src/demo/upstream.ts'
import { cookieOf, demoFor, endpoints, memberUin, relayFor, song } from '../support/helper.ts'
import type { Relay } from '../../src/library/relay.ts'

interface Row { readonly requests: number, readonly input?: object, readonly account?: DemoAccount['name'] }

const singermid = '00DemoSing0001'

/** The example of the endpoint, without a login where none is required; then other inputs. */
const table: Readonly<Record<string, readonly [number, ...Row[]]>> = {
  getRanks: [1, { input: {}, requests: 2 }, { input: { topId: 62, limit: 100 }, requests: 1 }],
  getMusicPlay: [2,
    { input: { songmid: [1, 2, 3].map(song).join() }, requests: 2 },
    { input: { songmid: song(1) }, account: 'member', requests: 2 },
    // Whether the key is alive, or lacks a right.
    { input: { songmid: song(3) }, account: 'ordinary', requests: 3 }
  ],
  batchGetSongInfo: [1, { input: { songs: Array.from({ length: 100 }, (_, at) => [song(at + 1)]) }, requests: 5 }],
  downloadProviderMusic: [2],
  stream: [2],
  // The site for the songs, a program for albums and singers.
  getSearchByKey: [2, { input: { key: 'a', limit: 100 }, requests: 3 }],
  // Most links say it themselves. A short link is asked where it leads; a number behind it becomes a MID.
  resolve: [1, { input: { text: 'https://y.qq.com/n/ryqq/songDetail/00DemoSong0001' }, requests: 0 }, { input: { text: 'https://c6.y.qq.com/base/fcgi-bin/u?__=s00DemoSong0001' }, requests: 1 }, { input: { text: 'https://c6.y.qq.com/base/fcgi-bin/u?__=n5000001' }, requests: 2 }, { input: { text: '5000001' }, requests: 1 }],
  // The site for songs, playlists and MVs, page by page; a program for the others, all pages in one POST.
  search: [1,
    ...['song', 'album', 'singer', 'mv', 'lyric'].map((type) => ({ input: { key: 'paper', type, limit: 20 }, requests: 1 })),
    ...['song', 'playlist'].map((type) => ({ input: { key: 'the', type, limit: 100 }, requests: type === 'song' ? 2 : 1 })),
    ...['album', 'singer', 'lyric'].map((type) => ({ input: { key: 'a', type, limit: 100 }, requests: 1 }))
  ],
  getSongLists: [1, { input: { limit: 100 }, requests: 2 }],
  getSongListDetail: [1, { input: { disstid: '7700000001' }, requests: 1 }],
  getNewDisks: [1, { input: { limit: 100 }, requests: 1 }],
  batchGetSongLists: [3],
  getSingerList: [1, { input: { limit: 100 }, requests: 2 }],
  getSingerHotsong: [1, { input: { singermid, limit: 100 }, requests: 1 }],
  getSingerAlbum: [1, { input: { singermid, limit: 100 }, requests: 1 }],
  getSingerMv: [1, { input: { singermid, limit: 100 }, requests: 1 }],
  // A text may be a filter of the upstream; if it is none, it is searched for.
  getMvByTag: [1, { input: { tag: 'paper' }, requests: 2 }],
  getImageUrl: [0],
  cover: [0],
  // A MID is looked up first.
  getComments: [1, { input: { id: song(1) }, requests: 2 }, { input: { id: '00DemoAlbu0001', biztype: 2 }, requests: 2 }, { input: { id: '5000001', pagenum: 3 }, requests: 1 }],
  getUserPlaylists: [1, { input: { uin: memberUin }, account: 'member', requests: 1 }],
  getUserAvatar: [0],
  getCookie: [0],
  getPersonalRecommend: [2],
  // The number of the song; then the phone's form, which the demo refuses as the upstream does, and the web's.
  getSimilarSongs: [3],
  // The number of the song first.
  getRelatedMv: [2],
  getRelatedPlaylists: [2],
  // The personal station sends five songs at once, the radar ten.
  getPersonalRadio: [1, { input: {}, account: 'member', requests: 2 }],
  getRadarSongs: [1, { input: { limit: 30 }, requests: 3 }],
  getRadioSongs: [1, { input: { radioId: 199, limit: 30 }, requests: 1 }],
  getAltLoginQr: [2]
}

t.test('every endpoint has its number of upstream requests', async (t) => {
  t.same(Object.keys(table).filter((name) => endpoints[name] === undefined), [], 'every row is that of an endpoint')
  const demo = await demoFor(t)
  for (const [name, { example, login }] of Object.entries(endpoints)) {
    const [first, ...rows] = table[name] ?? [1]
    for (const { requests, input = example, account = login === 'required' ? 'member' : undefined } of [{ requests: first }, ...rows] as Row[]) {
      demo.reset()
      const relay = relayFor(t, demo, { tuning: { pollDeadlineMs: 100 } })
      const call = relay[name as keyof Relay] as (input: object, options: object) => Promise<unknown>
      // A login that nobody has started may fail.
      await call(input, account === undefined ? {} : { cookie: cookieOf(demo, account) }).catch(() => {})
      t.equal(demo.received.length, requests, `${name} ${JSON.stringify(input).slice(0, 80)} ${account ?? ''}: ${JSON.stringify(demo.received.map(({ path, calls }) => calls.length > 0 ? calls : path))}`)
      await relay.close()
    }
  }
})
