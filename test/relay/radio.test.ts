/** Radio: songs without an end and without repeats, cursors that anybody may send, and whose songs they are. */
import { checkRecord, cookieOf, dead, paramOf, serverFor, timesAsked } from '../support/helper.ts'
import { relayFor, sharedStage } from '../support/stage.ts'

const test = sharedStage('radio')

const station = 'pf.radiosvr/GetRadiosonglist'
const older = 'mb_track_radio_svr/get_radio_track'
const personal = 'music.radioProxy.MbTrackRadioSvr/get_radio_track'
const radar = 'music.recommend.TrackRelationServer/GetRadarSong'
const whoAmI = 'music.UserInfo.userInfoServer/GetLoginUserInfo'

interface Page { songs: { mid: string }[], nextCursor?: string | undefined }
type Ask = (page: { cursor?: string }) => Promise<Page>

const midsOf = ({ songs }: Page): string[] => songs.map(({ mid }) => mid)

/** Reads a sitting to its end, or `most` answers of it. */
async function sitting (ask: Ask, most: number): Promise<{ mids: string[], ended: boolean, cursor?: string }> {
  const mids: string[] = []
  let cursor = ''
  for (let answers = 1; answers <= most; answers++) {
    const page = await ask(cursor === '' ? {} : { cursor })
    mids.push(...midsOf(page))
    if (page.nextCursor === undefined) return { mids, ended: true }
    cursor = page.nextCursor
  }
  return { mids, ended: false, cursor }
}

test('a sitting has no song twice, whatever the upstream repeats', async ({ t, demo, relay }) => {
  const as = { cookie: cookieOf(demo, 'ordinary') }
  const lists: readonly (readonly [name: 'getRadioSongs' | 'getPersonalRadio' | 'getRadarSongs', Ask])[] = [
    ['getRadioSongs', async (page) => await relay.getRadioSongs({ radioId: 199, limit: 7, ...page })],
    ['getPersonalRadio', async (page) => await relay.getPersonalRadio({ limit: 7, ...page }, as)],
    ['getRadarSongs', async (page) => await relay.getRadarSongs({ limit: 7, ...page })]
  ]
  for (const [name, ask] of lists) {
    checkRecord(name, await ask({}))
    const { mids, ended } = await sitting(ask, 6)
    t.same([ended, mids.length, new Set(mids).size], [false, 42, 42], `${name} goes on, and no song comes twice`)
  }
  t.notSame(
    midsOf(await relay.getRadioSongs({ radioId: 199 })), midsOf(await relay.getRadioSongs({ radioId: 199 })),
    'another sitting has other songs'
  )
})

test('a station that knows twelve songs ends after twelve', async ({ t, demo, relay }) => {
  const { mids, ended } =
    await sitting(async (page) => await relay.getRadioSongs({ radioId: 400, limit: 5, ...page }), 10)
  t.same([ended, mids.length, new Set(mids).size], [true, 12, 12])
  const [first, ...later] = demo.calls(station).map((each) => paramOf(each).firstplay)
  t.same([first, ...new Set(later)], [1, 0], 'the first request begins, later ones go on')
  t.ok(timesAsked(demo, station) <= 3 + 2 * 2, 'and two requests show that there is no more')
})

test('the pages of the radar are asked for one after the other, and none is lost', async ({ t, demo, relay }) => {
  const { mids } = await sitting(async (page) => await relay.getRadarSongs({ limit: 10, ...page }), 3)
  t.same(demo.calls(radar).map((each) => paramOf(each).Page), [1, 2, 3], 'a page that was used up is not asked for again')
  const small = await sitting(async (page) => await relay.getRadarSongs({ limit: 4, ...page }), 5)
  t.same(small.mids, mids.slice(0, 20), 'what an answer leaves comes in the next one')
})

test('the personal station costs a request for five songs, and its songs are of the account', async ({ t, demo, server }) => {
  const ask = async (name: 'ordinary' | 'member' | 'expired') =>
    await server.get('/getPersonalRadio', { headers: { 'x-custom-cookie': cookieOf(demo, name) } })
  const { headers, body } = await ask('ordinary')
  const [call, ...more] = demo.calls(personal)
  t.same([headers.get('cache-control'), body.data.songs.length, more.length], ['no-store', 10, 1])
  t.match(call?.body, { comm: { uin: '1000000101' }, req_0: { param: { id: 99, from: 0, scene: 0, song_ids: [] } } })
  t.notSame(midsOf((await ask('member')).body.data), midsOf(body.data), 'another account has other songs')
  t.same(server.cacheKeys(), [])
  t.match(await ask('expired'), { status: 401, body: { code: 'COOKIE_REJECTED' } })
  demo.reset()
  t.match(await server.get('/getPersonalRadio'), { status: 401, body: { code: 'LOGIN_REQUIRED' } })
  t.match(await server.get('/getRadioSongs?radioId=99'), { status: 400, body: { code: 'INVALID_INPUT', error: /getPersonalRadio/ } })
  t.equal(demo.received.length, 0)
})

test('nobody gets songs that the cache has of somebody else; a dead login is answered as nobody', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { cache: true })
  const as = (name: 'member' | 'expired') => ({ headers: { 'x-custom-cookie': cookieOf(demo, name) } })
  const [own, anonymous] = [await server.get('/getRadarSongs', as('member')), await server.get('/getRadarSongs')]
  t.notSame(midsOf(own.body.data), midsOf(anonymous.body.data))
  t.same([demo.received.map(({ calls }) => calls), server.cacheKeys()], [[[whoAmI, radar], [radar]], []])
  const dead = await server.get('/getRadarSongs', as('expired'))
  t.same([
    midsOf(dead.body.data), dead.headers.get('cache-control')
  ], [midsOf(anonymous.body.data), 'no-store'], 'a dead login has those of nobody, and is told so')
  t.match(
    dead.headers.get('x-relay-warning'),
    /^the upstream rejects the cookie, which is expired or invalid: this is the answer without a login/
  )
  t.match(await server.get('/user/getUserPlaylists?uin=1000000101', as('expired')), { status: 502, body: { code: 'COOKIE_REJECTED' } }, 'as the interface says')
})

test('the older call stands in for a station, for callers with a login', async ({ t, demo, relay }) => {
  const as = { cookie: cookieOf(demo, 'ordinary') }
  for (const fault of dead) {
    demo.next(station, fault)
    t.equal((await relay.getRadioSongs({ radioId: 199, limit: 5 }, as)).songs.length, 5, JSON.stringify(fault))
  }
  t.match(paramOf(demo.calls(older)[0]), { id: 199, firstplay: 1, num: 15 })
  demo.reset()
  demo.next(station, { code: 500003 })
  await t.rejects(relay.getRadioSongs({ radioId: 199 }), { code: 'UPSTREAM_REFUSED' })
  t.equal(demo.calls(older).length, 0, 'it refuses everybody else')
  demo.next(personal, { code: 500003 })
  t.equal((await relay.getPersonalRadio({ limit: 5 }, as)).songs.length, 5)
})

test('a failure after the first songs makes the answer shorter, and the sitting goes on', async ({ t, demo, relay }) => {
  const whole = await sitting(async (page) => await relay.getRadarSongs({ limit: 10, ...page }), 2)
  demo.next(radar, { mutate: (answer) => answer })
  demo.next(radar, { code: 500003 })
  const first = await relay.getRadarSongs({ limit: 20 })
  const second = await relay.getRadarSongs({ limit: 10, cursor: first.nextCursor ?? '' })
  t.same([midsOf(first), midsOf(second)], [whole.mids.slice(0, 10), whole.mids.slice(10)])
  for (const fault of [...dead, { mutate: (answer: any) => { answer.data.VecSongs = null } }]) {
    demo.next(radar, fault, 2)
    await t.rejects(relay.getRadarSongs({}), { code: /^UPSTREAM_/ }, JSON.stringify(fault))
  }
  await t.rejects(relay.getRadioSongs({ radioId: 12345 }), { code: 'NOT_FOUND' }, 'an unknown station')
  const { nextCursor } = await relay.getRadioSongs({ radioId: 199, limit: 1 })
  const cursor = nextCursor as string
  const none = { mutate: ({ data }: any) => { data.track_list = [] } }
  demo.next(station, none)
  t.match(await relay.getRadioSongs({ radioId: 199, limit: 5, cursor }), { songs: { length: 5 }, nextCursor: String })
  demo.next(station, none, 2)
  t.same(
    await relay.getRadioSongs({ radioId: 199, limit: 5, cursor }), { songs: [], skipped: 0 },
    'one that has played is not unknown: two answers without songs are its end'
  )
  demo.reset()
  const { nextCursor: further = '' } = await relay.getRadarSongs({ limit: 10 })
  demo.next(radar, { mutate: ({ data }) => { data.VecSongs = [] } }, 2)
  t.same(await relay.getRadarSongs({ cursor: further }), { songs: [], skipped: 0 }, 'and of the radar')
})

test('a cursor is small, remembers five hundred songs, and works in another relay', async ({ t, demo, relay }) => {
  const { mids, cursor = '' } = await sitting(async (page) => await relay.getRadarSongs({ limit: 30, ...page }), 20)
  t.same([mids.length, cursor.length], [600, 2008], '6 bytes and 3 for each of 500 songs')
  for (const at of [0, 40, 99]) {
    t.equal(new Set(mids.slice(at, at + 500)).size, 500, 'no song comes twice among five hundred')
  }
  const next = await relayFor(t, demo).getRadarSongs({ limit: 10, cursor })
  t.same(midsOf(next).filter((mid) => mids.slice(-500).includes(mid)), [], 'nothing is remembered but by the cursor')
})

test('a cursor that no answer had is 400, and nothing is asked for', async ({ t, demo, server }) => {
  const { nextCursor: good } = (await server.get('/getRadioSongs?radioId=199&limit=3')).body.data
  demo.reset()
  const bytes = Buffer.from(good, 'base64url')
  const changed = (at: number): string =>
    Buffer.from(bytes.map((byte, index) => index === at ? byte ^ 1 : byte)).toString('base64url')
  const hostile = [
    ...Array.from(bytes.keys(), changed), good.slice(0, -1), good.slice(0, -4), `${good}AAAA`, `${good}=`,
    good.toUpperCase(), 'AAAAAAAAAA', 'A'.repeat(2008), 'A'.repeat(2012), 'A'.repeat(3000), '%00', '__proto__x',
    'ä'.repeat(20)
  ]
  const refused: readonly (readonly [string, RegExp])[] = [
    ...hostile.map((cursor) =>
      [`/getRadioSongs?radioId=199&cursor=${encodeURIComponent(cursor)}`, /^cursor: must be nextCursor of an earlier answer/] as const),
    ...['/getRadioSongs?radioId=101', '/getRadarSongs?limit=3'].map((path) => [`${path}&cursor=${good}`, /of the same list/] as const),
    ['/getRadioSongs', /^radioId: is required/],
    ...['radioId=x', 'radioId=0'].map((query) => [`/getRadioSongs?${query}`, /^radioId:/] as const),
    ...[31, 0].map((limit) => [`/getRadioSongs?radioId=199&limit=${limit}`, /^limit:/] as const)
  ]
  for (const [path, error] of refused) {
    t.match(await server.get(path), { status: 400, body: { code: 'INVALID_INPUT', error } }, path.slice(0, 80))
  }
  t.equal(demo.received.length, 0)
  t.equal((await server.get(`/getRadioSongs?radioId=199&cursor=${good}&format=m3u`)).text.split('\n')[0], '#EXTM3U')
})
