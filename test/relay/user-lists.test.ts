/** The lists of an account, its own and those of others: pages, each way to read them, hidden lists, expired cookies. */
import t from 'tap'
import { testClock } from '../support/clock.ts'
import { cookieOf, dead, demoFor, memberUin, serverFor, until, type Reply } from '../support/helper.ts'
import { sharedStage } from '../support/stage.ts'
import {
  accountPlaylists as lists, collectedAlbums, collectedPlaylists, playlist as diss, whoAmI
} from '../support/wires.ts'

const test = sharedStage('lists of an account')

const singers = 'music.concern.RelationList/GetFollowSingerList'
const created = '/rsc/fcgi-bin/fcg_user_created_diss'
const homepage = '/rsc/fcgi-bin/fcg_get_profile_homepage.fcg'
const classic = '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg'

const ordinaryUin = '1000000101'
const hiddenUin = '1000000404'
const withoutEuin = (cookie: string): string => cookie.replace(/; euin=[^;]*/, '')
const refused = { code: 500003 }
const html = { body: '<html>' }

/** The two kinds that have two ways. */
const kinds = [
  {
    name: 'getUserCollectedPlaylists', list: 'playlists', id: 'dissid',
    call: collectedPlaylists, total: 43, reqtype: '3',
    param: { uin: 'demoOrdinary0**', size: 3 }
  },
  {
    name: 'getUserCollectedAlbums', list: 'albums', id: 'albumMID',
    call: collectedAlbums, total: 35, reqtype: '2',
    param: { euin: 'demoOrdinary0**', size: 3 }
  }
] as const
const all = [
  { name: 'getUserPlaylists', list: 'playlists', id: 'dissid', call: lists, total: 39, param: { uin: ordinaryUin } },
  { name: 'getUserLikedSongs', list: 'songs', id: 'mid', call: diss, total: 73, param: {
    disstid: 0, dirid: 201, tag: 1, song_begin: 0, song_num: 3, userinfo: 1, orderlist: 1,
    enc_host_uin: 'demoOrdinary0**'
  } },
  ...kinds,
  {
    name: 'getUserFollowedSingers', list: 'singers', id: 'singerMID', call: singers, total: 34,
    param: { HostUin: 'demoOrdinary0**', Size: 3 }
  }
] as const
const personal = all.slice(1)

/** The first row of each list. */
const rows: Readonly<Record<typeof all[number]['name'], object>> = {
  getUserPlaylists: { dissid: '7800000101', dirid: 201, songnum: 73 },
  getUserLikedSongs: { mid: /^00DemoSong\d{4}$/, title: /./, singer: [{ name: /./ }] },
  getUserCollectedPlaylists: {
    dissid: '7700000361', dissname: /./, creator: /./, songnum: Number, picurl: /^http.*00DemoList0361/,
    time: 1_760_000_000
  },
  getUserCollectedAlbums: {
    albumID: 800061, albumMID: '00DemoAlbu0061', albumName: /./, albumPic: /00DemoAlbu0061/,
    publicTime: /^20\d\d-\d\d-\d\d$/, singerID: 900061, singerMID: '00DemoSing0061', singerName: /./,
    song_count: Number, time: 1_760_000_000
  },
  getUserFollowedSingers: {
    singerMID: '00DemoSing0061', singerName: /./, singerPic: /00DemoSing0061/, concernNum: Number
  }
}

test('each list comes in its own envelope, is never stored, and is asked for with who asks in one request', async ({ t, demo, server }) => {
  const ask = { headers: { cookie: cookieOf(demo, 'ordinary') } }
  const first = async (name: typeof all[number]['name'], limit: number): Promise<{ reply: Reply, found: any }> => {
    const reply = await server.get(`/user/${name}?limit=${limit}${name === 'getUserPlaylists' ? `&uin=o0${ordinaryUin}` : ''}`, ask)
    return { reply, found: reply.body.data ?? reply.body.body.response }
  }
  for (const { name, list, call, total, param } of all) {
    const { reply: { status, headers, body }, found } = await first(name, 3)
    t.same([status, headers.get('cache-control')], [200, 'no-store'], name)
    t.match(body, name === 'getUserPlaylists' ? { code: 0, data: { total } } : {
      status: 200, body: { response: { total, hasMore: true } }
    }, name)
    t.same(Object.keys(body), name === 'getUserPlaylists' ? ['code', 'data'] : ['status', 'body'])
    t.match([found[list].length, found[list][0]], [3, rows[name]], name)
    t.notOk(JSON.stringify(body).includes(ordinaryUin), 'nothing raw is passed on')
    const [asked] = demo.calls(call)
    t.same(asked?.calls, list === 'singers' ? [call] : [whoAmI, call])
    t.match(asked?.body, { comm: { uin: ordinaryUin }, [list === 'singers' ? 'req_0' : 'req_1']: { param } })
  }
  for (const name of ['getUserPlaylists', 'getUserCollectedPlaylists'] as const) {
    const { dissid, dissname, songnum } = (await first(name, 2)).found.playlists.at(-1)
    t.match((await server.get(`/getSongListDetail?disstid=${dissid}&limit=1`)).body.data, { dissname, songnum }, 'the id opens the playlist')
  }
  const { albums: [album] } = (await first('getUserCollectedAlbums', 1)).found
  const { songs, publicTime } = (await server.get(`/getAlbumInfo?albummid=${album.albumMID}`)).body.data
  t.same([songs.length, publicTime], [album.song_count, album.publicTime], 'the day is that of China')
})

test('pages joined have no gap and no overlap, by both ways', async ({ t, demo, relay }) => {
  const options = { cookie: cookieOf(demo, 'ordinary') }
  for (const { name, list, id, call, total } of all) {
    const ask = async (offset: number | undefined, limit?: number): Promise<any> => await relay[name](
      { uin: ordinaryUin, ...offset === undefined ? {} : { offset }, ...limit === undefined ? {} : { limit } }, options
    )
    const idsOf = (page: any): string[] => page[list].map((row: any) => row[id])
    const first = await ask(0, 100)
    const whole = idsOf(first)
    t.same([first.total, whole.length, new Set(whole).size], [total, total, total], name)
    t.equal(idsOf(await ask(undefined)).length, 30, 'the usual page')
    for (const way of name === 'getUserCollectedPlaylists' || name === 'getUserCollectedAlbums' ? ['newer', 'classic'] : ['newer']) {
      if (way === 'classic') demo.next(call, refused, 1000)
      for (const limit of [7, 30]) {
        const joined: string[] = []
        for (let offset = 0, more = true; more; offset += limit) {
          const page = await ask(offset, limit)
          joined.push(...idsOf(page))
          more = page.hasMore ?? offset + limit < total
        }
        t.same(joined, whole, `${name} by ${way}, ${limit} at once`)
      }
    }
    demo.reset()
    t.same(await ask(1000, 30), {
      total, [list]: [], skipped: 0, ...name === 'getUserPlaylists' ? {} : { hasMore: false }
    }, 'beyond the end')
  }
  const { playlists } = await relay.getUserPlaylists({ uin: ordinaryUin, limit: 100 })
  t.same(
    playlists.filter(({ dissid, dirid }) => dissid === '0' || [202, 205, 206].includes(dirid)), [],
    'system folders are no playlists'
  )
  // One client saw at most twenty rows in an answer.
  const { call, list } = kinds[1]
  demo.next(call, { mutate: ({ data }) => { data.v_list = data.v_list.slice(0, 20) } }, 1)
  t.equal((await relay.getUserCollectedAlbums({ limit: 100 }, options))[list].length, 35)
  t.match(demo.calls(call).map(({ body }: any) => body.req_1.param.offset), [0, 20])
})

test('public lists need no login, and somebody else\'s can be read', async ({ t, demo, relay }) => {
  t.ok((await relay.getUserPlaylists({ uin: '1000001010' })).total > 3)
  t.match(demo.calls(lists)[0], { calls: [lists], headers: { cookie: undefined } })
  t.equal((await relay.getUserPlaylists({ uin: ordinaryUin }, { cookie: cookieOf(demo, 'member') })).total, 39)
  t.same(await relay.getUserPlaylists({ uin: '999' }), { playlists: [], total: 0, skipped: 0 })
})

test('when the newer call is dead the older ones have the playlists', async ({ t, demo, relay }) => {
  const cookie = cookieOf(demo, 'ordinary')
  const names = async (): Promise<string[]> => (await relay.getUserPlaylists(
    { uin: ordinaryUin, limit: 100 }, { cookie }
  )).playlists.map(({ dissname }) => dissname)
  const best = await names()
  for (const fault of [...dead, { code: 2000 }, { mutate: (answer: any) => { delete answer.data.v_playlist } }]) {
    demo.reset()
    demo.next(lists, fault)
    t.same(await names(), best, `${JSON.stringify(fault)}: the classic lists, with the liked songs of the page of the account`)
    t.match(demo.calls(created)[0], {
      host: 'c.y.qq.com', query: { hostuin: ordinaryUin, sin: '0', size: '200', loginUin: ordinaryUin, format: 'json' },
      headers: { referer: 'https://y.qq.com/portal/profile.html' }
    })
  }
  const bothDead = (first: typeof dead[number], second: typeof dead[number]): void => {
    demo.reset()
    demo.next(lists, first)
    demo.next(created, second)
  }
  bothDead(refused, html)
  t.same(await names(), best, 'the page of the account has them all')
  const [asked] = demo.calls(homepage)
  t.match(asked, { host: 'c6.y.qq.com', query: {
    cid: '205360838', userid: ordinaryUin, uin: ordinaryUin, loginUin: ordinaryUin,
    g_tk: asked?.query['g_tk_new_20200303']
  } })
  t.not(asked?.query['g_tk'], '5381')
  demo.reset()
  demo.next(lists, refused)
  demo.next(homepage, { status: 429 })
  t.same(await names(), best.slice(1), 'a page that must wait costs the liked songs only')
  bothDead(refused, { status: 404 })
  await t.rejects(relay.getUserPlaylists({ uin: ordinaryUin }), {
    code: 'UPSTREAM_REFUSED', statusCode: 502
  }, 'without a login there is no third way')
  bothDead({ reset: true }, { reset: true })
  await t.rejects(names(), { code: 'UPSTREAM_UNREACHABLE' })
  t.equal(demo.calls(homepage).length, 0, 'a broken host is tried once more, not twice')
})

test('when the newer call of a collection is dead the classic one has the same', async ({ t, demo, relay }) => {
  const cookie = cookieOf(demo, 'ordinary')
  for (const { name, call, reqtype } of kinds) {
    const want = await relay[name]({ limit: 5 }, { cookie }) as any
    const empty = { mutate: ({ data }: any) => { data.v_list = [] } }
    for (const fault of [...dead, { code: 80050 }, { code: 2000 }, { code: 0, data: {} }, empty]) {
      demo.reset()
      demo.next(call, fault, 2)
      // The demo's classic playlists end with a reserved folder, which counts.
      t.same(
        { ...await relay[name]({ limit: 5 }, { cookie }), total: want.total }, want, `${name} ${JSON.stringify(fault)}`
      )
      t.match(demo.calls(classic)[0], { host: 'c.y.qq.com', query: {
        ct: '20', cid: '205360956', userid: ordinaryUin, reqtype, sin: '0', ein: '5', format: 'json'
      }, headers: { referer: 'https://y.qq.com/portal/profile.html' } })
    }
    for (const [first, second, code] of [
      [refused, { code: 77 }, 'UPSTREAM_REFUSED'], [{ reset: true }, { reset: true }, 'UPSTREAM_UNREACHABLE']
    ] as const) {
      demo.reset()
      demo.next(call, first)
      demo.next(classic, second)
      await t.rejects<unknown>(relay[name]({}, { cookie }), { code })
    }
  }
  demo.next(singers, refused)
  await t.rejects(relay.getUserFollowedSingers({}, { cookie }), { code: 'UPSTREAM_REFUSED' }, 'singers have one way')
})

test('when the liked songs cannot be asked for by account, they are by their list', async ({ t, demo, relay }) => {
  const cookie = cookieOf(demo, 'ordinary')
  const want = await relay.getUserLikedSongs({}, { cookie })
  for (const fault of [
    ...dead, { mutate: (answer: any) => { answer.data.code = 77 } }, { mutate: (answer: any) => { answer.data = {} } }
  ]) {
    demo.next(diss, fault)
    t.same(await relay.getUserLikedSongs({}, { cookie }), want, JSON.stringify(fault))
  }
  demo.next(diss, refused)
  demo.next(lists, refused)
  t.same(await relay.getUserLikedSongs({}, { cookie }), want, 'the page of the account knows the list, too')
  demo.next(diss, refused, 4)
  t.same(await relay.getUserLikedSongs({}, { cookie }), want, 'from the sibling of the call')
  demo.next('music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo', refused)
  await t.rejects(relay.getUserLikedSongs({}, { cookie }), { code: 'UPSTREAM_REFUSED' })
  demo.reset()
  demo.next(diss, { reset: true }, 10)
  await t.rejects(relay.getUserLikedSongs({}, { cookie }), { code: 'UPSTREAM_UNREACHABLE' })
  t.equal(demo.calls(diss).length, 2, 'a broken host is asked once more, and not again for the list')
})

test('the sibling call ends with the thousandth liked song: it says nothing of those behind it', async ({ t, demo, relay }) => {
  const cookie = cookieOf(demo, 'ordinary')
  const sibling = 'music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo'
  const want = (await relay.getUserLikedSongs({ limit: 20 }, { cookie })).songs
  const [row] = want
  const cut = (songs: number, total: number) => ({ mutate: ({ data }: any) => {
    data.songlist = Array.from({ length: songs }, () => data.songlist[0] ?? { id: row?.id, mid: row?.mid, name: 'a' })
    Object.assign(data, { total_song_num: total, hasmore: 0 })
    data.dirinfo.songnum = total
  } })
  for (const total of [1000, 1400]) {
    demo.reset()
    demo.next(diss, refused, 9)
    demo.next(sibling, cut(0, total), 9)
    const ask = async (offset: number) => await relay.getUserLikedSongs({ offset, limit: 20 }, { cookie })
    await t.rejects(ask(1000), { code: 'UPSTREAM_REFUSED' }, `${total}`)
    demo.reset()
    demo.next(diss, refused, 9)
    demo.next(sibling, cut(10, total))
    demo.next(sibling, cut(0, total), 9)
    await t.rejects(ask(990), { code: 'UPSTREAM_REFUSED' }, `${total}`)
  }
})

test('liked songs that are counted and not sent are asked for by their list, and are no answer', async ({ t, demo, relay }) => {
  const cookie = cookieOf(demo, 'ordinary')
  const want = await relay.getUserLikedSongs({ limit: 3 }, { cookie })
  const blocked = { mutate: (answer: any) => { answer.data.songlist = [] } }
  demo.next(diss, blocked)
  t.same(await relay.getUserLikedSongs({ limit: 3 }, { cookie }), want)
  demo.next(diss, blocked, 4)
  demo.next('music.srfDissInfo.aiDissInfo/uniform_get_Dissinfo', blocked, 4)
  await t.rejects(relay.getUserLikedSongs({ limit: 3 }, { cookie }), { code: 'UPSTREAM_EMPTY' })
  t.match(await relay.getUserLikedSongs({ offset: 1000 }, { cookie }), { songs: { length: 0 } }, 'beyond the end')
})

test('playlists that are counted and not sent are asked for elsewhere', async ({ t, demo, relay }) => {
  demo.next(lists, { mutate: ({ data }) => { data.v_playlist = [] } })
  t.ok((await relay.getUserPlaylists({ uin: ordinaryUin })).total > 30)
  t.equal(demo.calls(created).length, 1)
})

test('more playlists than one answer of the older call has are asked for until it has no more', async ({ t, demo, relay }) => {
  const rows = (first: number, count: number) => ({ mutate: ({ data }: any) => {
    const row = { diss_name: 'a', diss_cover: '', song_cnt: 1, dirid: 7 }
    data.disslist = Array.from({ length: count }, (_, at) => ({ ...row, tid: first + at }))
  } })
  const ask = async () => await relay.getUserPlaylists({ uin: ordinaryUin, offset: 200, limit: 20 })
  demo.next(lists, refused)
  for (const part of [rows(1, 200), rows(201, 200), rows(401, 3)]) demo.next(created, part)
  const { total, playlists } = await ask()
  t.same([total, playlists.map(({ dissid }) => dissid)], [403, Array.from({ length: 20 }, (_, at) => String(201 + at))])
  t.same(demo.calls(created).map(({ query }) => query['sin']), ['0', '200', '400'])
  demo.reset()
  demo.next(lists, refused)
  for (const part of [rows(1, 200), rows(1, 200)]) demo.next(created, part)
  t.equal((await ask()).total, 200, 'a call that repeats itself ends')
  demo.reset()
  demo.next(lists, refused)
  demo.next(created, rows(1, 200))
  demo.next(created, refused, 3)
  await t.rejects(ask(), { code: 'UPSTREAM_REFUSED' }, 'a part is not the whole')
})

test('the encrypted id is found where the cookie lacks it, in each way there is; without it there is another call', async ({ t, demo, relay }) => {
  const cookie = withoutEuin(cookieOf(demo, 'ordinary'))
  const asked = (...calls: string[]): number[] => calls.map((call) => demo.calls(call).length)
  const lacking = (...faults: (readonly [string, typeof dead[number]])[]): void => {
    demo.reset()
    for (const fault of faults) demo.next(...fault)
  }
  for (const { name, call, total } of kinds) {
    lacking()
    t.equal((await relay[name]({ limit: 1 }, { cookie })).total, total, 'by the list of playlists')
    t.same(asked(created, call, classic), [1, 1, 0])
    lacking([created, html], [homepage, refused])
    t.ok((await relay[name]({ limit: 1 }, { cookie })).total >= total)
    t.same(asked(call, classic), [0, 1])
  }
  t.equal((await relay.getUserFollowedSingers({}, { cookie })).total, 34, 'singers need no encrypted id')
  const want = await relay.getUserLikedSongs({}, { cookie: cookieOf(demo, 'ordinary') })
  for (const [way, ...faults] of [
    [created], [homepage, [created, html]], [diss, [created, html], [homepage, refused]]
  ] as const) {
    lacking(...faults)
    t.same(await relay.getUserLikedSongs({}, { cookie }), want, way)
    t.same(asked(way), [1])
  }
  t.match(
    demo.calls(diss)[0]?.body, { req_0: { param: { disstid: 7800000101, dirid: 0 } } }, 'by the number of the list'
  )
})

test('uin asks for those of somebody else, and an empty one is none; what its owner hides is not found', async ({ t, demo, relay }) => {
  const options = { cookie: cookieOf(demo, 'ordinary') }
  const totals: Readonly<Record<string, number>> =
    { getUserLikedSongs: 140, getUserCollectedPlaylists: 12, getUserCollectedAlbums: 15, getUserFollowedSingers: 8 }
  for (const { name, total } of personal) {
    const asked = [memberUin, `o${memberUin}`, `o${ordinaryUin}`, '']
      .map(async (uin) => (await relay[name]({ uin, limit: 1 }, options)).total)
    t.same(await Promise.all(asked), [totals[name], totals[name], total, total], name)
  }
  const hidden = (message = /./) => ({ code: 'NOT_FOUND', message })
  const byOwner = hidden(/hidden by its owner/)
  for (const { name } of kinds) await t.rejects<unknown>(relay[name]({ uin: hiddenUin }, options), byOwner, name)
  await t.rejects(relay.getUserLikedSongs({ uin: hiddenUin }, options), hidden(), 'hidden from everybody')
  const title = ({ data }: any): void => { Object.assign(
    data, { songlist: [], total_song_num: 0, hasmore: 0, dirinfo: { ...data.dirinfo, title: '歌单被主人设为隐私', songnum: 0 } }
  ) }
  for (const [name, call, mutate, expected] of [
    [
      'getUserCollectedPlaylists', kinds[0].call,
      ({ data }: any) => { Object.assign(data, { hide: true, total: 0, v_list: [] }) }, byOwner
    ],
    [
      'getUserCollectedAlbums', kinds[1].call,
      ({ data }: any) => { Object.assign(data, { hide: 1, total: 0, v_list: [] }) }, byOwner
    ],
    [
      'getUserFollowedSingers', singers,
      ({ data }: any) => { Object.assign(data, { LockFlag: 1, Total: 0, List: [] }) }, byOwner
    ],
    ['getUserLikedSongs', diss, (answer: any) => { answer.data.code = 4000 }, hidden()],
    ['getUserLikedSongs', diss, title, hidden()] // a title instead of the songs
  ] as const) {
    demo.next(call, { mutate })
    await t.rejects<unknown>(relay[name]({ uin: memberUin }, options), expected, name)
  }
})

t.test('hidden playlists are not found, a slow upstream is a 504', async (t) => {
  const demo = await demoFor(t)
  const clock = testClock()
  const server = await serverFor(t, demo, clock.options)
  demo.next(lists, refused)
  const hidden = await server.get(`/user/getUserPlaylists?uin=${hiddenUin}`)
  t.match(hidden, { status: 404, body: { code: 'NOT_FOUND' } })
  t.notMatch(hidden.body.error, hiddenUin)
  demo.next(lists, { hang: true })
  const slow = server.get(`/user/getUserPlaylists?uin=${ordinaryUin}`)
  await until(() => demo.inFlight(lists) === 1)
  await clock.advance(8000)
  t.match(await slow, { status: 504, body: { code: 'UPSTREAM_TIMEOUT' } })
  t.equal(demo.calls(created).length, 1)
})

test('nothing collected is an empty list', async ({ t, demo, relay }) => {
  const cookie = cookieOf(demo, 'child')
  t.same(await relay.getUserCollectedAlbums({}, { cookie }), { total: 0, hasMore: false, albums: [], skipped: 0 })
  t.same(await relay.getUserFollowedSingers({}, { cookie }), { total: 0, hasMore: false, singers: [], skipped: 0 })
  t.equal(demo.calls(classic).length, 0, 'an empty list is an answer')
})

test('a list of one\'s own needs a cookie with key and account; an expired one is reported', async ({ t, demo, server }) => {
  const ask = async (path: string, name?: 'ordinary' | 'expired'): Promise<Reply> =>
    await server.get(path, name === undefined ? {} : { headers: { cookie: cookieOf(demo, name) } })
  for (const { name } of personal) {
    t.match(await ask(`/user/${name}?uin=${ordinaryUin}`), { status: 401, body: { code: 'LOGIN_REQUIRED', error: /: pass a cookie/ } }, name)
    for (const lacking of ['uin%3Do123', 'qm_keyst%3Dabc', 'nonsense']) {
      t.match(await ask(`/user/${name}?cookie=${lacking}`), { status: 401, body: { code: 'LOGIN_REQUIRED', error: /the cookie has / } }, lacking)
    }
  }
  t.equal(demo.received.length, 0)
  for (const { name } of all) {
    // The upstream would answer for playlists.
    t.match(await ask(`/user/${name}${name === 'getUserPlaylists' ? '?uin=1000000303' : ''}`, 'expired'), {
      status: name === 'getUserPlaylists' ? 502 : 401, body: { code: 'COOKIE_REJECTED', error: /code 1000/ }
    }, name)
  }
  t.equal((await ask('/user/getUserPlaylists?uin=1000000303')).status, 200)
})
