/** Who asks over OpenSubsonic: every way in, whose library it is, and what never leaves the relay. */
import { cookieOf, serverFor } from '../support/helper.ts'
import { people } from '../support/household.ts'
import { hidden, householdTest, idsOf, queryOf, tokenOf, type Parameters } from '../support/opensubsonicPlayer.ts'

type Row = Readonly<Record<string, any>>
const shared = 'of the house'

householdTest('a relay without accounts and without a password serves no player', {}, async ({ t, demo, accounts, play }) => {
  t.match(
    await (await serverFor(t, demo)).get('/rest/ping?u=a&p=b'), { status: 404, body: { code: 'ROUTE_NOT_FOUND' } }
  )
  for (const name of people) await accounts.remove(name)
  await accounts.save('default', { loginUin: 'o10001', cookie: 'uin=o10001; provider_key=Q_H_L_x' })
  for (const method of ['ping', 'getOpenSubsonicExtensions']) t.match(await play(method, { u: 'member', p: 'x' }), {
    http: 404, status: 'failed', error: { code: 0, message: /login --as/ }
  })
  const { uin, cookie } = demo.accounts.find(({ name }) => name === 'child') as { uin: string, cookie: string }
  const p = await accounts.save('child', { loginUin: uin, cookie }) as string
  t.match(await play('ping', { u: 'child', p }), { http: 200, status: 'ok' }, 'at once when there is one')
  t.match(await play('getOpenSubsonicExtensions'), { status: 'ok' })
})

const houseCookie = { cookie: '' }

householdTest('every way in leads to the library of that account, and to no other', {
  cache: true, subsonicPassword: shared, playerCookie: () => houseCookie.cookie
} as object, async ({ t, demo, server, accounts, secrets, play }) => {
  houseCookie.cookie = cookieOf(demo, 'ordinary')
  const key = await accounts.addKey('partner', 'kitchen', {})
  const own = Object.fromEntries(await Promise.all(people.map(async (name) => {
    const { body } = await server.get('/user/getUserLikedSongs?limit=20', { headers: { authorization: `Bearer ${secrets[name]}` } })
    return [name, body.body.response.songs.map(({ mid }: Row) => `so-${mid}`)] as const
  })))
  const ways: readonly (readonly [typeof people[number], Parameters])[] = [
    ...people.flatMap((name) => [
      { u: name, p: secrets[name] }, { u: name, p: hidden(secrets[name]) }, tokenOf(name, secrets[name]),
      { apiKey: secrets[name] }
    ].map((way) => [name, way] as const)),
    ['partner', { apiKey: key }],
    ['member', { ...tokenOf('member', secrets.member), t: tokenOf('member', secrets.member).t.toUpperCase() }],
    ['partner', { u: 'partner', p: key }],
    ['ordinary', { u: 'anybody', p: shared }],
    ['ordinary', tokenOf('小明', shared)]
  ]
  // All at once, and again in the other order, when the answers are in the cache.
  for (const mixed of [ways, [...ways].reverse()]) {
    await Promise.all(mixed.map(async ([name, way]) => {
      const { status, body } =
        await play('search3', { ...way, query: '', songCount: 20, artistCount: 0, albumCount: 0 })
      t.same([status, idsOf(body.searchResult3.song)], ['ok', own[name]])
      t.equal((await play('getPlaylists', way)).body.playlists.playlist[0].id, 'li-liked')
    }))
  }
  t.match(await play('tokenInfo', { apiKey: key }), { status: 'ok', body: { tokenInfo: { username: 'partner' } } })
  const known = [...Object.values(secrets), key, shared, hidden(secrets.member)]
  t.same([...server.log, ...server.cacheKeys()].filter((line) => known.some((secret) => line.includes(secret))), [])
})

householdTest('wrong proofs are refused with the number that clients know', {
  subsonicPassword: shared, accessToken: 'operator-token'
} as object, async ({ t, accounts, secrets, play }) => {
  const key = await accounts.addKey('member', 'radio', {})
  const cases: [number, Parameters][] = [
    [10, {}], [10, { p: shared }], [10, { t: tokenOf('', shared).t, s: 'salt9' }], [10, { u: 'member' }],
    [10, { u: 'member', t: 'x' }], [40, { u: 'member', p: 'x' }], [40, { u: 'member', p: secrets.partner }],
    [40, { u: 'Member', p: secrets.member }], [40, { u: 'nobody', p: secrets.member }],
    [40, { u: 'member', p: shared }], [40, tokenOf('member', shared)], [40, tokenOf('member', key)],
    [40, { u: 'x', p: 'operator-token' }],
    [40, { u: 'member', p: `enc:${secrets.member}` }], [10, { u: 'member', p: '', t: '', s: 'a' }],
    [43, { u: 'member', apiKey: secrets.member }], [43, { p: secrets.member, apiKey: secrets.member }],
    [43, { t: 'x', apiKey: secrets.member }], [44, { apiKey: shared }], [44, { apiKey: `mr_${'x'.repeat(43)}` }],
    [44, { apiKey: 'operator-token' }]
  ]
  for (const [code, proof] of cases) t.match(
    await play('ping', proof), { http: 200, status: 'failed', error: { code } }, JSON.stringify(Object.keys(proof))
  )
  t.match(await play('ping', { u: 'member', p: secrets.member }), { status: 'ok' }, 'no access token is needed beside the secret')
  t.match(
    await play('getCoverArt', { u: 'member', p: 'x', id: 'al-00DemoAlbu0001' }), { http: 401, error: { code: 40 } },
    'media have a status'
  )
  await accounts.revokeKey('member', 'radio')
  t.match(await play('ping', { apiKey: key }), { error: { code: 44 } })
})

householdTest('cookies of the request, and pages of other origins, do not change the caller', {
  useGlobalCookie: true, globalCookie: () => houseCookie.cookie
}, async ({ t, demo, secrets, play }) => {
  const cookie = houseCookie.cookie = cookieOf(demo, 'member')
  const first = async (headers: Record<string, string>, more = {}): Promise<string> =>
    (await play('getStarred2', { u: 'child', p: secrets.child, ...more }, { headers })).body.starred2.song[0].id
  const own = await first({})
  for (const headers of [
    { cookie }, { 'x-custom-cookie': cookie }, { 'origin': 'https://player.example', 'sec-fetch-site': 'cross-site' },
    { authorization: `Bearer ${secrets.member}` }
  ]) t.equal(await first(headers), own)
  t.equal(await first({}, { cookie }), own)
  demo.next('music.srfDissInfo.DissInfo/CgiGetDiss', { code: 1000 }, 9)
  t.match(
    await play('getStarred2', { u: 'child', p: secrets.child }), { error: { code: 50, message: /login --as child\b/ } }
  )
})

const clock = { now: 0 }

householdTest('wrong tries are limited for a user at an address, and others go on', {
  host: '0.0.0.0', trustProxy: ['127.0.0.1'], now: () => clock.now, subsonicPassword: shared
} as object, async ({ t, secrets, play }) => {
  clock.now = 0
  const from = async (address: string, u: string, p = shared) =>
    await play('ping', { u, p }, { headers: { 'x-forwarded-for': address } })
  const wrongly = async (
    times: number, who: (at: number) => readonly [address: string, user: string]
  ): Promise<void> => {
    for (let at = 0; at < times; at++) t.equal((await from(...who(at), `guess ${at}`)).error.code, 40)
  }
  const [home, guest] = ['203.0.113.5', 'guest']
  await wrongly(20, () => [home, guest])
  clock.now = 19_500
  const late = await from(home, guest)
  t.match(late, { http: 429, status: 'failed', error: { code: 0, message: /wrong passwords/ } })
  t.equal(late.headers.get('retry-after'), '41')
  t.match(await from(home, 'child', secrets.child), { status: 'ok' }, 'another user of the household')
  for (const [address, user] of [[home, 'another guest'], [home, 'Guest'], ['203.0.114.9', guest]] as const) t.match(
    await from(address, user), { status: 'ok' }, 'another guest, one of another first letter, the same one elsewhere'
  )
  await wrongly(20, (at) => ['203.0.113.8', `${'n'.repeat(64)}${at}`])
  for (const [length, http] of [[63, 200], [65, 429]] as const) {
    t.equal((await from('203.0.113.8', 'n'.repeat(length))).http, http, 'a long name counts by its first 64 letters')
  }
  await wrongly(20, (at) => [`2001:db8:0:1::${at + 1}`, guest])
  for (const [address, http] of [['2001:db8:0:1::99', 429], ['2001:db8:0:2::99', 200]] as const) {
    t.equal((await from(address, guest)).http, http, 'the addresses of one line count as one')
  }
  const withKey = async (apiKey: string) => await play('ping', { apiKey }, { headers: { 'x-forwarded-for': home } })
  for (let at = 0; at < 25; at++) await withKey(`mr_${at}${'x'.repeat(40)}`)
  t.match(await withKey(secrets.child), { status: 'ok' }, 'a revoked key shuts nobody out')
  // Whether an account has this name shows neither in the answers nor in their number, whatever the way in.
  const flat = '203.0.113.77'
  const guessed = async (u: string, way: (u: string) => Parameters) => {
    const answers = []
    for (let at = 0; at < 25; at++) {
      const { http, error } = await play('ping', way(u), { headers: { 'x-forwarded-for': flat } })
      answers.push([http, error])
    }
    return answers
  }
  for (const [at, way] of [(u: string) => ({ u, p: 'x' }), (u: string) => tokenOf(u, 'x')].entries()) {
    const [known, unknown] = [await guessed(people[at] as string, way), await guessed(`nobody ${at}`, way)]
    t.same(known, unknown)
    t.same([known[19]?.[0], known[20]?.[0]], [200, 429])
    t.match(
      await from(flat, people[at] as string, secrets[people[at] as typeof people[number]]), { status: 'ok' },
      'a right secret passes'
    )
  }
  clock.now = 60_000
  t.match(await from(home, guest), { status: 'ok' }, 'a minute later')
  for (let at = 0; at < 200; at++) await from('203.0.113.7', `guest ${at}`, 'x')
  t.match(await from('203.0.113.7', 'guest 999'), { http: 429 }, 'under many names')
})

householdTest('limits of a key hold here, too', {
  cache: true, host: '0.0.0.0', trustProxy: ['127.0.0.1']
}, async ({ t, accounts, secrets, play }) => {
  const slow = await accounts.addKey('member', 'slow', { perMinute: 2 })
  for (const http of [200, 200, 429]) t.equal((await play('ping', { apiKey: slow })).http, http)
  const blind = await accounts.addKey('member', 'blind', { noLoginEndpoints: true })
  const { body: { starred2: { song: [{ id: liked }] } } } = await play('getStarred2', { apiKey: secrets.member })
  // First the secret, whose answers are kept.
  for (const [apiKey, sees] of [[secrets.member, true], [blind, false]] as const) {
    for (const method of ['getStarred2', 'getArtists', 'getIndexes', 'getScanStatus', 'search3', 'getRandomSongs']) {
      t.match(
        await play(method, { apiKey, artist: 'Nobody' }),
        sees ? { status: 'ok' } : { http: 200, error: { code: 50, message: /key/ } }, method
      )
    }
    const { status, body: { playlists: { playlist } } } = await play('getPlaylists', { apiKey })
    t.same([
      status, ...['li-', 'pl-77000003'].map((start) => playlist.some(({ id }: Row) => id.startsWith(start)))
    ], ['ok', sees, sees], 'nor what the account collected')
    t.equal((await play('getGenres', { apiKey })).body.genres.genre.length, sees ? 3 : 1, 'kinds that it may not open')
    t.equal(
      (await play('getSong', { apiKey, id: liked })).body.song.starred !== undefined, sees,
      'nor whether a song is liked'
    )
    for (const id of ['li-daily', 'li-radar', 'li-liked']) {
      t.equal((await play('getPlaylist', { apiKey, id })).status, sees ? 'ok' : 'failed')
    }
  }
  t.match(await play('search3', { apiKey: blind, query: 'light' }), { status: 'ok' })
})

householdTest('a key that may not see what is liked, and asks first, hides it from nobody else', { cache: true }, async (
  { t, accounts, secrets, play }
) => {
  const apiKey = await accounts.addKey('member', 'blind', { noLoginEndpoints: true })
  t.match(await play('getSong', { apiKey, id: 'so-00DemoSong0001' }), { status: 'ok' })
  const own = { apiKey: secrets.member }
  const library = { query: '', songCount: 1, albumCount: 0, artistCount: 0 }
  const { body: { searchResult3: { song: [{ id, starred }] } } } = await play('search3', { ...own, ...library })
  t.match(starred, /^2/)
  t.equal((await play('getSong', { ...own, id })).body.song.starred, starred)
  t.equal((await play('getSong', { apiKey, id })).body.song.starred, undefined)
})

householdTest('the form of the request: GET and POST, .view, XML as the default', {}, async ({ t, server, secrets, play, bare }) => {
  const [proof, id] = [{ u: 'child', p: secrets.child }, 'al-00DemoAlbu0001']
  const form = async (path: string, given: Parameters): Promise<string> =>
    (await bare(path, given, { http: 'POST' })).text
  const xml = (await bare('getAlbum', { ...proof, id }, { view: true })).text
  t.match(
    xml,
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<subsonic-response xmlns="http:\/\/subsonic.org\/restapi" status="ok" .*<album id="al-00DemoAlbu0001"/
  )
  t.equal(await form('getAlbum', { ...proof, id }), xml)
  t.equal(await form(`getAlbum.view?id=${id}`, proof), xml, 'query and form together')
  t.equal(await form('getAlbum?id=al-1', { ...proof, id }), xml, 'the form counts')
  t.equal(await form(`getAlbum?id=${id}`, { ...proof, id: '' }), xml, 'an empty field is left out')
  for (const guest of [tokenOf('guest', ''), { u: 'guest', p: 'x' }]) {
    t.match(await play('ping', guest), { error: { code: 40 } }, 'no password is no empty one, nor any other')
  }
  for (const [type, body] of [['application/json', '['], ['application/json', '{"u":{"a":1},"p":5}'], ['text/plain', 'x']] as const) {
    const post = async (query: string): Promise<string> =>
      (await server.get(`/rest/ping${query}`, { method: 'POST', headers: { 'content-type': type }, body })).text
    t.match([await post(''), await post(`?${queryOf(proof)}`)], [/status="failed".*code="10"/, /status="ok"/])
  }
  const words = 'query=%D4%C6'
  for (const request of [{}, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: words }]) {
    t.match(
      (await server.get(`/rest/search3?${queryOf(proof)}${'body' in request ? '' : `&${words}`}`, request)).text,
      /status="failed".*message="query: must be well-formed/, 'not UTF-8'
    )
  }
  t.match(await server.get('/rest/ping', { method: 'PUT' }), { status: 405 })
})
