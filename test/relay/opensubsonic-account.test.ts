/** What OpenSubsonic says of the account and its subscription, the radio stations, and links that players search for. */
import t from 'tap'
import { dead } from '../support/helper.ts'
import { householdFor, idsOf, playerFor, playerTest, type Parameters } from '../support/opensubsonicPlayer.ts'

const who = 'music.UserInfo.userInfoServer/GetLoginUserInfo'

t.test('the licence is the login: its subscription, and whether the provider still accepts it', async (t) => {
  const rows = [
    ['member', { valid: true, licenseExpires: '2027-03-01T15:59:59.000Z' }], ['ordinary', { valid: true }],
    ['expired', { valid: false }], ['nobody', { valid: true }]
  ] as const
  for (const [account, license] of rows) {
    t.same(await (await playerFor(t, { account })).read('getLicense'), license, account)
  }
})

t.test('the licence asks once for a while, for this account only, and a provider that does not say changes nothing', async (t) => {
  const { demo, accounts, secrets, play } = await householdFor(t, { cache: true })
  const licence = async (u: 'member' | 'ordinary', p = secrets[u]): Promise<unknown> =>
    (await play('getLicense', { u, p })).body.license
  t.match([await licence('member'), await licence('ordinary'), await licence('member')], [
    { licenseExpires: /^2027-03-01/ }, { valid: true, licenseExpires: undefined }, { licenseExpires: /^2027-03-01/ }
  ])
  t.equal(demo.calls(who).length, 2)
  t.same(
    await licence('member', await accounts.addKey('member', 'lamp', { noLoginEndpoints: true })), { valid: true },
    'a key that may not use the login'
  )
  const down = await playerFor(t)
  for (const fault of dead) down.demo.next(who, fault, 9)
  t.same(await down.read('getLicense'), { valid: true })
  t.match(down.server.log.join(''), 'the state of the account is not known')
})

playerTest('radio stations: each is an endless stream under its address, and a playlist, without the personal one', async ({ t, server, read }) => {
  const { internetRadioStation: stations } = await read('getInternetRadioStations')
  t.match(stations[0], { id: 'ra-199', name: 'Hot & Loud', streamUrl: RegExp(`^${server.address}/radio/199\\.mp3\\?account=default&auth=`) })
  const ids = idsOf(stations)
  t.same([ids.length > 3, ids.includes('ra-99'), new Set(ids).size], [true, false, ids.length])
  for (const { streamUrl } of stations) {
    t.notMatch(streamUrl, /[?&](?:u|p|t|s|apiKey|cookie)=/, 'whoever has the address gets no secret')
    const { status, headers } = await server.get(streamUrl.replace(server.address, ''), { method: 'HEAD' })
    t.same([status, headers.get('content-type')], [200, 'audio/mpeg'])
  }
  t.match(await read('getPlaylist', { id: 'ra-199' }), { name: 'Hot & Loud', songCount: 30, entry: { length: 30 } })
})

playerTest('radio stations: behind a proxy they have its address, and without a login and with an access token, or in an outage, there are none', { publicOrigin: 'https://music.example/relay' }, async ({ t, read, demo }) => {
  t.match(
    (await read('getInternetRadioStations')).internetRadioStation[0].streamUrl,
    /^https:\/\/music\.example\/relay\/radio\/199\.mp3\?/
  )
  t.same(await (await playerFor(
    t, { upstream: demo, accessToken: 'open-sesame', account: 'nobody' }
  )).read('getInternetRadioStations'), { internetRadioStation: [] })
  const down = await playerFor(t, { upstream: demo })
  for (const call of ['pf.radiosvr/GetRadiolist', '/v8/fcg-bin/fcg_v8_radiolist.fcg']) demo.next(call, { status: 500 }, 9)
  t.match(await down.ask('getInternetRadioStations'), {
    status: 'ok', body: { internetRadioStations: { internetRadioStation: [] } }
  })
  t.match(down.server.log.join(''), 'the radio stations are missing')
})

const link = (token: string): string => `https://c6.y.qq.com/base/fcgi-bin/u?__=${token}`
const words = 'https://example.com/n/ryqq/songDetail/00DemoSong0001'

playerTest('a link finds the song, the album, the singer, the songs of the playlist or chart, in both searches', async ({ t, read, demo }) => {
  const [playlist, chart] = [
    idsOf((await read('getPlaylist', { id: 'pl-7700000001' })).entry),
    idsOf((await read('getPlaylist', { id: 'ch-62' })).entry)
  ]
  const [one, album, singer, first] = ['so-00DemoSong0001', 'al-00DemoAlbu0001', 'ar-00DemoSing0001', link('s00DemoSong0001')]
  const rows: readonly (readonly [
    query: string, songs?: readonly string[], albums?: readonly string[], artists?: readonly string[], more?: Parameters
  ])[] = [
    [`《First Light》 ${first} @QQ音乐`, [one]],
    ['y.qq.com/n/ryqq/songDetail/00DemoSong0001', [one]],
    [`"${link('a00DemoAlbu0001')}"`, [], [album]], // as a client quotes it
    ['https://y.qq.com/n/ryqq/singer/00DemoSing0001', [], [], [singer]],
    [link('p7700000001'), playlist, [], [], { songCount: 500 }],
    [link('p7700000001'), playlist.slice(2, 5), [], [], { songCount: 3, songOffset: 2 }],
    ['https://y.qq.com/n/ryqq/toplist/62', chart.slice(0, 4), [], [], { songCount: 4 }],
    ['https://y.qq.com/n/ryqq/mv/demoV000004'], [link('sNobody')], [link('u1')],
    ['https://y.qq.com/n/ryqq/songDetail/Nobody'],
    [first, [], [], [], { songCount: 0 }], [first, [], [], [], { songOffset: 1 }],
    // A link of somebody else is words, which find nothing; so is what only looks like a link.
    [words]
  ]
  for (const method of ['search3', 'search2']) {
    for (const [query, songs = [], albums = [], artists = [], more = {}] of rows) {
      const { song = [], album = [], artist = [] } = await read(method, { query, ...more })
      t.same([song, album, artist].map(idsOf), [songs, albums, artists], `${method} ${query}`)
    }
    t.ok((await read(method, { query: 'paper' })).song.length > 0)
  }
  t.equal(demo.calls('/soso/fcgi-bin/client_search_cp')[0]?.query['w'], words)
})

playerTest('what the upstream refuses is a failure, and a text that is too long is refused', { cache: false }, async ({ t, ask, demo }) => {
  demo.next('/base/fcgi-bin/u', { status: 403 })
  t.match(await ask('search3', { query: link('s00DemoSong0001') }), { status: 'failed', error: { code: 0 } })
  for (const length of [1201, 300]) {
    t.match(await ask('search3', { query: 'a'.repeat(length) }), { status: 'failed' }, 'links have 1,200 characters at most, words 200')
  }
})
