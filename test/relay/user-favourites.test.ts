/** What an account collected and follows: pages, the two ways to read them, other accounts, expired cookies. */
import t from 'tap'
import { checkRecord, cookieOf, dead, demoFor, memberUin, relayFor, serverFor } from '../support/helper.ts'

const whoAmI = 'music.UserInfo.userInfoServer/GetLoginUserInfo'
const created = '/rsc/fcgi-bin/fcg_user_created_diss'
const homepage = '/rsc/fcgi-bin/fcg_get_profile_homepage.fcg'
const classic = '/fav/fcgi-bin/fcg_get_profile_order_asset.fcg'
const singers = 'music.concern.RelationList/GetFollowSingerList'

const ordinaryUin = '1000000101'
const hiddenUin = '1000000404'
const withoutEuin = (cookie: string): string => cookie.replace(/; euin=[^;]*/, '')

/** The two kinds that have two ways. */
const kinds = [
  { name: 'getUserCollectedPlaylists', list: 'playlists', id: 'dissid', call: 'music.musicasset.PlaylistFavRead/CgiGetPlaylistFavInfo', euin: 'uin', reqtype: '3', total: 43 },
  { name: 'getUserCollectedAlbums', list: 'albums', id: 'albumMID', call: 'music.musicasset.AlbumFavRead/CgiGetAlbumFavInfo', euin: 'euin', reqtype: '2', total: 35 }
] as const
const all = [...kinds, { name: 'getUserFollowedSingers', list: 'singers', id: 'singerMID', call: singers, euin: 'HostUin', total: 34 }] as const

t.test('what an account collected and follows, in the envelope of its liked songs, never stored', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  const ask = { headers: { cookie: cookieOf(demo, 'ordinary') } }
  const first: Record<string, object> = {
    playlists: { dissid: '7700000361', dissname: /./, creator: /./, songnum: Number, picurl: /^http.*00DemoList0361/, time: 1_760_000_000 },
    albums: { albumID: 800061, albumMID: '00DemoAlbu0061', albumName: /./, albumPic: /00DemoAlbu0061/, publicTime: /^20\d\d-\d\d-\d\d$/, singerID: 900061, singerMID: '00DemoSing0061', singerName: /./, song_count: Number, time: 1_760_000_000 },
    singers: { singerMID: '00DemoSing0061', singerName: /./, singerPic: /00DemoSing0061/, concernNum: Number }
  }
  for (const { name, list, call, euin, total } of all) {
    const { status, headers, body } = await server.get(`/user/${name}?limit=3`, ask)
    t.same([status, headers.get('cache-control')], [200, 'no-store'], name)
    t.match(body, { status: 200, body: { response: { total, hasMore: true } } }, name)
    t.match(body.body.response[list][0], first[list] as object, name)
    t.equal(body.body.response[list].length, 3)
    t.notOk(JSON.stringify(body).includes(ordinaryUin), 'nothing raw is passed on')
    const [asked] = demo.calls(call)
    t.same(asked?.calls, list === 'singers' ? [call] : [whoAmI, call])
    t.match(asked?.body, { comm: { uin: ordinaryUin }, [list === 'singers' ? 'req_0' : 'req_1']: { param: { [euin]: 'demoOrdinary0**', [list === 'singers' ? 'Size' : 'size']: 3 } } })
  }
  const { playlists: [playlist] } = (await server.get('/user/getUserCollectedPlaylists?limit=1', ask)).body.body.response
  const detail = (await server.get(`/getSongListDetail?disstid=${playlist.dissid}&limit=1`)).body.data
  t.same([detail.dissname, detail.creator, detail.songnum], [playlist.dissname, playlist.creator, playlist.songnum], 'the id opens the playlist')
  const { albums: [album] } = (await server.get('/user/getUserCollectedAlbums?limit=1', ask)).body.body.response
  const { songs, publicTime } = (await server.get(`/getAlbumInfo?albummid=${album.albumMID}`)).body.data
  t.same([songs.length, publicTime], [album.song_count, album.publicTime], 'the day is that of China')
})

t.test('pages joined have no gap and no overlap, by both ways', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const options = { cookie: cookieOf(demo, 'ordinary') }
  for (const { name, list, id, call, total } of all) {
    const ask = async (offset: number, limit: number): Promise<any> => await relay[name]({ offset, limit }, options)
    const idsOf = (page: any): string[] => page[list].map((row: any) => row[id])
    const whole = await ask(0, 100)
    checkRecord(name, whole)
    t.same([whole.total, whole.hasMore, new Set(idsOf(whole)).size], [total, false, total], name)
    for (const way of list === 'singers' ? ['newer'] : ['newer', 'classic']) {
      if (way === 'classic') demo.next(call, { code: 500003 }, 1000)
      for (const limit of [7, 30]) {
        const joined: string[] = []
        for (let offset = 0, more = true; more; offset += limit) {
          const page = await ask(offset, limit)
          joined.push(...idsOf(page))
          more = page.hasMore
        }
        t.same(joined, idsOf(whole), `${name} by ${way}, ${limit} at once`)
      }
    }
    demo.reset()
    t.match(await ask(1000, 30), { total, hasMore: false, [list]: [] }, 'beyond the end')
  }
  // One client saw at most twenty rows in an answer.
  const { call, list } = kinds[1]
  demo.next(call, { mutate: ({ data }) => { data.v_list = data.v_list.slice(0, 20) } }, 1)
  t.equal((await relay.getUserCollectedAlbums({ limit: 100 }, options))[list].length, 35)
  t.match(demo.calls(call).map(({ body }: any) => body.req_1.param.offset), [0, 20])
})

t.test('when the newer call is dead the classic one has the same', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const cookie = cookieOf(demo, 'ordinary')
  for (const { name, list, id, call, reqtype } of kinds) {
    const want = await relay[name]({ limit: 5 }, { cookie }) as any
    const empty = { mutate: ({ data }: any) => { data.v_list = [] } }
    for (const fault of [...dead, { code: 80050 }, { code: 2000 }, { code: 0, data: {} }, empty]) {
      demo.reset()
      demo.next(call, fault, 2)
      const found = await relay[name]({ limit: 5 }, { cookie }) as any
      // The demo's classic playlists end with a reserved folder, which counts.
      t.same({ ...found, total: want.total }, want, `${name} ${JSON.stringify(fault)}`)
      t.same(found[list].map((row: any) => row[id]), want[list].map((row: any) => row[id]))
      const [asked] = demo.calls(classic)
      t.match(asked, { host: 'c.y.qq.com', query: { ct: '20', cid: '205360956', userid: ordinaryUin, reqtype, sin: '0', ein: '5', format: 'json' }, headers: { referer: 'https://y.qq.com/portal/profile.html' } })
    }
    demo.reset()
    demo.next(call, { code: 500003 })
    demo.next(classic, { code: 77 })
    await t.rejects<unknown>(relay[name]({}, { cookie }), { code: 'UPSTREAM_REFUSED' })
    demo.next(call, { reset: true })
    demo.next(classic, { reset: true })
    await t.rejects<unknown>(relay[name]({}, { cookie }), { code: 'UPSTREAM_UNREACHABLE' })
  }
  demo.next(singers, { code: 500003 })
  await t.rejects(relay.getUserFollowedSingers({}, { cookie }), { code: 'UPSTREAM_REFUSED' }, 'singers have one way')
})

t.test('the encrypted id is found where the cookie lacks it; without it there is the classic call', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const cookie = withoutEuin(cookieOf(demo, 'ordinary'))
  for (const { name, call, total } of kinds) {
    demo.reset()
    t.equal((await relay[name]({ limit: 1 }, { cookie })).total, total, 'by the list of playlists')
    t.match([demo.calls(created).length, demo.calls(call).length, demo.calls(classic).length], [1, 1, 0])
    demo.reset()
    demo.next(created, { body: '<html>' })
    demo.next(homepage, { code: 500003 })
    t.ok((await relay[name]({ limit: 1 }, { cookie })).total >= total)
    t.match([demo.calls(call).length, demo.calls(classic).length], [0, 1])
  }
  t.equal((await relay.getUserFollowedSingers({}, { cookie })).total, 34, 'singers need no encrypted id')
})

t.test('uin asks for those of somebody else; what its owner hides is not found', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const options = { cookie: cookieOf(demo, 'ordinary') }
  t.equal((await relay.getUserCollectedPlaylists({ uin: memberUin }, options)).total, 12)
  t.equal((await relay.getUserCollectedAlbums({ uin: `o${memberUin}` }, options)).total, 15)
  t.equal((await relay.getUserFollowedSingers({ uin: memberUin }, options)).total, 8)
  t.equal((await relay.getUserFollowedSingers({ uin: '' }, options)).total, 34, 'an empty one is none')
  for (const { name } of kinds) await t.rejects<unknown>(relay[name]({ uin: hiddenUin }, options), { code: 'NOT_FOUND', message: /hidden by its owner/ }, name)
  demo.next(kinds[0].call, { mutate: ({ data }) => { Object.assign(data, { hide: 1, total: 0, v_list: [] }) } })
  await t.rejects(relay.getUserCollectedPlaylists({ uin: memberUin }, options), { code: 'NOT_FOUND', message: /hidden by its owner/ })
  demo.next(singers, { mutate: ({ data }) => { Object.assign(data, { LockFlag: 1, Total: 0, List: [] }) } })
  await t.rejects(relay.getUserFollowedSingers({ uin: memberUin }, options), { code: 'NOT_FOUND', message: /hidden by its owner/ })
})

t.test('nothing collected is an empty list', async (t) => {
  const demo = await demoFor(t)
  const relay = relayFor(t, demo)
  const cookie = cookieOf(demo, 'child')
  t.same(await relay.getUserCollectedAlbums({}, { cookie }), { total: 0, hasMore: false, albums: [] })
  t.same(await relay.getUserFollowedSingers({}, { cookie }), { total: 0, hasMore: false, singers: [] })
  t.equal(demo.calls(classic).length, 0, 'an empty list is an answer')
})

t.test('they need a cookie, and an expired one is reported', async (t) => {
  const demo = await demoFor(t)
  const server = await serverFor(t, demo)
  for (const { name } of all) {
    t.match(await server.get(`/user/${name}?uin=${ordinaryUin}`), { status: 401, body: { code: 'LOGIN_REQUIRED' } }, name)
    t.equal(demo.received.length, 0)
    t.match(await server.get(`/user/${name}`, { headers: { cookie: cookieOf(demo, 'expired') } }), { status: 502, body: { code: 'COOKIE_REJECTED' } }, name)
    for (const query of ['uin=x', 'limit=0', 'limit=101', 'offset=-1']) t.match(await server.get(`/user/${name}?${query}`, { headers: { cookie: cookieOf(demo, 'ordinary') } }), { status: 400, body: { code: 'INVALID_INPUT', error: new RegExp(`^${query.split('=', 1)[0]}: `) } }, query)
    demo.reset()
  }
})
