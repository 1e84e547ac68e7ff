/** Radio: songs without an end and without repeats, cursors that anybody may send, and whose songs they are. */
import { checkRecord, cookieOf, dead, paramOf, serverFor, timesAsked } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'
import type { Relay } from '../../src/library/relay.ts'

const station = 'pf.radiosvr/GetRadiosonglist'
const older = 'mb_track_radio_svr/get_radio_track'
const personal = 'music.radioProxy.MbTrackRadioSvr/get_radio_track'
const radar = 'music.recommend.TrackRelationServer/GetRadarSong'
const whoAmI = 'music.UserInfo.userInfoServer/GetLoginUserInfo'

interface Page { songs: { mid: string }[], nextCursor?: string | undefined }
type Ask = (page: { cursor?: string }) => Promise<Page>

const midsOf = ({ songs }: Page): string[] => songs.map(({ mid }) => mid)

/** Reads a sitting to its end, or `most` answers of it. */
async function sitting (ask: Ask, most: number): Promise<{ mids: string[], answers: number, ended: boolean }> {
  const mids: string[] = []
  let cursor: string | undefined
  for (let answers = 1; answers <= most; answers++) {
    const page = await ask(cursor === undefined ? {} : { cursor })
    mids.push(...midsOf(page))
    if (page.nextCursor === undefined) return { mids, answers, ended: true }
    cursor = page.nextCursor
  }
  return { mids, answers: most, ended: false }
}

test('a sitting has no song twice, whatever the upstream repeats', async ({ t, demo, relay }) => {
  const as = { cookie: cookieOf(demo, 'ordinary') }
  const lists: Record<string, Ask> = {
    getRadioSongs: async (page) => await relay.getRadioSongs({ radioId: 199, limit: 7, ...page }),
    getPersonalRadio: async (page) => await relay.getPersonalRadio({ limit: 7, ...page }, as),
    getRadarSongs: async (page) => await relay.getRadarSongs({ limit: 7, ...page })
  }
  for (const [name, ask] of Object.entries(lists)) {
    checkRecord(name as keyof Relay & 'getRadarSongs', await ask({}))
    const { mids, ended } = await sitting(ask, 6)
    t.equal(ended, false, `${name} goes on`)
    t.equal(mids.length, 42, name)
    t.equal(new Set(mids).size, 42, `${name}: no song twice`)
  }
  t.notSame(midsOf(await relay.getRadioSongs({ radioId: 199 })), midsOf(await relay.getRadioSongs({ radioId: 199 })), 'another sitting has other songs')
})

test('a station that knows twelve songs ends after twelve', async ({ t, demo, relay }) => {
  const { mids, ended } = await sitting(async (page) => await relay.getRadioSongs({ radioId: 400, limit: 5, ...page }), 10)
  t.equal(ended, true)
  t.equal(new Set(mids).size, 12)
  t.equal(mids.length, 12)
  t.equal(paramOf(demo.calls(station)[0]).firstplay, 1, 'the first request begins')
  t.same(demo.calls(station).slice(1).map((each) => paramOf(each).firstplay).filter((value) => value !== 0), [], 'later ones go on')
  t.ok(timesAsked(demo, station) <= 3 + 2 * 2, 'and two requests show that there is no more')
})

test('the pages of the radar are asked for one after the other, and none is lost', async ({ t, demo, relay }) => {
  const { mids } = await sitting(async (page) => await relay.getRadarSongs({ limit: 10, ...page }), 3)
  t.same(demo.calls(radar).map((each) => paramOf(each).Page), [1, 2, 3], 'a page that was used up is not asked for again')
  demo.reset()
  const small = await sitting(async (page) => await relay.getRadarSongs({ limit: 4, ...page }), 5)
  t.same(small.mids, mids.slice(0, 20), 'what an answer leaves comes in the next one')
})

test('the personal station costs a request for five songs, and its songs are of the account', async ({ t, demo, server }) => {
  const ask = async (name: 'ordinary' | 'member' | 'expired') => await server.get('/getPersonalRadio', { headers: { 'x-custom-cookie': cookieOf(demo, name) } })
  const { headers, body } = await ask('ordinary')
  t.equal(headers.get('cache-control'), 'no-store')
  t.equal(body.data.songs.length, 10)
  t.equal(demo.calls(personal).length, 2)
  t.match(demo.calls(personal)[0]?.body, { comm: { uin: '1000000101' }, req_0: { param: { id: 99, from: 0, scene: 0, song_ids: [] } } })
  t.notSame(midsOf((await ask('member')).body.data), midsOf(body.data), 'another account has other songs')
  t.same(server.cacheKeys(), [])
  t.match(await ask('expired'), { status: 502, body: { code: 'COOKIE_REJECTED' } })
  demo.reset()
  t.match(await server.get('/getPersonalRadio'), { status: 401, body: { code: 'LOGIN_REQUIRED' } })
  t.match(await server.get('/getRadioSongs?radioId=99'), { status: 400, body: { code: 'INVALID_INPUT', error: /getPersonalRadio/ } })
  t.equal(demo.received.length, 0)
})

test('nobody gets songs that the cache has of somebody else, and a dead login is told so', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { cache: true })
  const member = { headers: { 'x-custom-cookie': cookieOf(demo, 'member') } }
  const [own, anonymous] = [await server.get('/getRadarSongs', member), await server.get('/getRadarSongs')]
  t.notSame(midsOf(own.body.data), midsOf(anonymous.body.data))
  t.same(demo.received.map(({ calls }) => calls), [[whoAmI, radar], [radar]])
  t.same(server.cacheKeys(), [])
  t.match(await server.get('/getRadarSongs', { headers: { 'x-custom-cookie': cookieOf(demo, 'expired') } }), { status: 502, body: { code: 'COOKIE_REJECTED' } })
})

test('the older call stands in for a station, for callers with a login', async ({ t, demo, relay }) => {
  const as = { cookie: cookieOf(demo, 'ordinary') }
  for (const fault of dead) {
    demo.next(station, fault)
    const { songs } = await relay.getRadioSongs({ radioId: 199, limit: 5 }, as)
    t.equal(songs.length, 5, JSON.stringify(fault))
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
  t.same(midsOf(first), whole.mids.slice(0, 10))
  t.same(midsOf(await relay.getRadarSongs({ limit: 10, ...first.nextCursor === undefined ? {} : { cursor: first.nextCursor } })), whole.mids.slice(10))
  for (const fault of [...dead, { mutate: (answer: any) => { answer.data.VecSongs = null } }]) {
    demo.next(radar, fault, 2)
    await t.rejects(relay.getRadarSongs({}), { code: /^UPSTREAM_/ }, JSON.stringify(fault))
  }
  t.match(await relay.getRadioSongs({ radioId: 12345 }).catch((error: unknown) => error), { code: 'NOT_FOUND' }, 'an unknown station')
})

test('a cursor is small, remembers five hundred songs, and works in another relay', async ({ t, demo, relay }) => {
  let cursor: string | undefined
  const mids: string[] = []
  for (let answers = 0; answers < 20; answers++) {
    const page: Page = await relay.getRadarSongs({ limit: 30, ...cursor === undefined ? {} : { cursor } })
    mids.push(...midsOf(page))
    cursor = page.nextCursor
  }
  t.equal(mids.length, 600)
  t.equal(cursor?.length, 2008, '6 bytes and 3 for each of 500 songs')
  for (const at of [0, 40, 99]) t.equal(new Set(mids.slice(at, at + 500)).size, 500, 'no song comes twice among five hundred')
  const next = await relayFor(t, demo).getRadarSongs({ limit: 10, cursor: cursor ?? '' })
  t.same(midsOf(next).filter((mid) => mids.slice(-500).includes(mid)), [], 'nothing is remembered but by the cursor')
})

test('a cursor that no answer had is 400, and nothing is asked for', async ({ t, demo, server }) => {
  const { nextCursor: good } = (await server.get('/getRadioSongs?radioId=199&limit=3')).body.data
  demo.reset()
  const bytes = Buffer.from(good, 'base64url')
  const changed = (at: number): string => Buffer.from(bytes.map((byte, index) => index === at ? byte ^ 1 : byte)).toString('base64url')
  const hostile = [
    ...Array.from(bytes.keys(), changed), good.slice(0, -1), good.slice(0, -4), `${good}AAAA`, `${good}=`, good.toUpperCase(), 'AAAAAAAAAA', 'A'.repeat(2008), 'A'.repeat(2012), 'A'.repeat(3000), '%00', '__proto__x', 'ä'.repeat(20)
  ]
  for (const cursor of hostile) {
    t.match(await server.get(`/getRadioSongs?radioId=199&cursor=${encodeURIComponent(cursor)}`), { status: 400, body: { code: 'INVALID_INPUT', error: /^cursor: must be nextCursor of an earlier answer/ } }, cursor.slice(0, 30))
  }
  for (const path of ['/getRadioSongs?radioId=101', '/getRadarSongs?limit=3']) t.match(await server.get(`${path}&cursor=${good}`), { status: 400, body: { error: /of the same list/ } }, `${path}: a cursor of another list`)
  for (const [query, words] of [['', /^radioId: is required/], ['radioId=x', /^radioId:/], ['radioId=0', /^radioId:/], ['radioId=199&limit=31', /^limit:/], ['radioId=199&limit=0', /^limit:/]] as const) {
    t.match(await server.get(`/getRadioSongs?${query}`), { status: 400, body: { error: words } }, query)
  }
  t.equal(demo.received.length, 0)
  t.equal((await server.get(`/getRadioSongs?radioId=199&cursor=${good}&format=m3u`)).text.split('\n')[0], '#EXTM3U')
})
