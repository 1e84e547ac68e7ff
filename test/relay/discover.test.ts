/** Picture addresses, the shop of digital albums, radio stations, the home page and the closed ticket shop. */
import t from 'tap'
import { demoFor, sample, serverFor, withoutSamples } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'
import { radios, radiosClassic as classicRadios, shop, showTypes, tickets } from '../support/wires.ts'

/** The calls of the home page, in the order of sending, each under one of its parts. The square also has the categories. */
const parts = {
  recomPlaylists: 'music.recommend.RecommendFeed/get_recommend_feed',
  playlists: 'music.playlist.PlaylistSquare/GetRecommendFeed',
  newSongs: 'newsong.NewSongServer/get_new_song_info',
  newAlbums: 'newalbum.NewAlbumServer/get_new_album_info',
  toplists: 'music.musicToplist.Toplist/GetAll',
  focus: 'QQMusic.MusichallServer/GetFocus'
} as const

/** Fallbacks of the parts. */
const spares = { recomPlaylists: 'music.playlist.PlaylistSquare/GetRecommendFeed', toplists: 'musicToplist.ToplistInfoServer/GetAll' } as const

/** Success without any row. */
const emptyData = { mutate: () => ({ code: 0, data: {} }) }

test('the address of a picture is built without asking anybody', async ({ t, demo, relay, server }) => {
  const { status, body } = await server.get('/getImageUrl?id=00DemoAlbu0001')
  t.equal(status, 200)
  t.same(body, { response: { code: 0, data: { imageUrl: `${demo.origin}/music/photo_new/T002R300x300M00000DemoAlbu0001.jpg?max_age=2592000` } } })
  t.equal(demo.received.length, 0)
  const picture = await fetch(body.response.data.imageUrl)
  t.match(picture.headers.get('content-type'), /^image\//)
  t.equal((await relay.getImageUrl({ id: 'x_2', size: '90x90', maxAge: 0, type: 'singer' })).imageUrl, `${demo.origin}/music/photo_new/T001R90x90M000x_2.jpg?max_age=0`)
  for (const [type, kind] of [['playlist', 'T003'], ['song', 'T062'], ['album', 'T002']] as const) t.match((await relay.getImageUrl({ id: 'x', type })).imageUrl, `/${kind}R`)
})

test('digital albums come as one list, with prices', async ({ t, demo, server }) => {
  const { status, body: { response } } = await server.get('/getDigitalAlbumLists')
  t.equal(status, 200)
  t.equal(response.albums.length, 20)
  t.match(response.albums[0], { album_id: Number, album_mid: /^00DemoAlbu/, price: 1500, dis_price: 1000, group: '最新上架', publictime: Number, albumPic: demo.origin })
  t.equal(response.banner.length, 3)
  t.match(demo.received[0], { method: 'GET', path: shop, query: { cmd: 'pc_index_new', format: 'json', outCharset: 'utf-8' }, headers: { referer: 'https://y.qq.com/' } })
})

test('a shop that cannot be read is an upstream error', async ({ t, demo, relay }) => {
  demo.next(shop, { code: -1 })
  await t.rejects(relay.getDigitalAlbumLists(), { code: 'UPSTREAM_REFUSED' })
  demo.next(shop, { mutate: (answer) => { delete answer.data.content } })
  await t.rejects(relay.getDigitalAlbumLists(), { code: 'UPSTREAM_UNREADABLE' })
  for (const content of [[], [{ name: 'x', albumlist: [] }]]) {
    demo.next(shop, { mutate: (answer) => { answer.data.content = content } })
    await t.rejects(relay.getDigitalAlbumLists(), { code: 'UPSTREAM_EMPTY' })
  }
})

test('radio stations come in groups that have stations', async ({ t, demo, server }) => {
  const { status, body: { response } } = await server.get('/getRadioLists')
  t.equal(status, 200)
  t.same(response.groups.map(({ radios }: { radios: unknown[] }) => radios.length), [3, 2, 1])
  t.match(response.groups[0].radios[1], { radioId: 199, radioName: 'Hot & Loud', radioImg: demo.origin, listenNum: 270360 })
  t.match(demo.received[0]?.body, { comm: { ct: 24 }, req_0: { module: 'pf.radiosvr', method: 'GetRadiolist', param: { ct: '24' } } })
})

test('no radio stations at all is no success', async ({ t, demo, relay }) => {
  demo.next(radios, { code: 500003 })
  demo.next(classicRadios, { mutate: (answer) => { answer.data = null } })
  await t.rejects(relay.getRadioLists(), { code: 'UPSTREAM_EMPTY' })
})

test('the home page has all its parts, asked for in one request', async ({ t, demo, server }) => {
  const { status, body: { response } } = await server.get('/getRecommend')
  t.equal(status, 200)
  t.same(Object.keys(response).toSorted(), ['categories', ...Object.keys(parts)].toSorted())
  for (const [part, rows] of Object.entries(response)) t.ok((rows as unknown[]).length > 0, part)
  t.match(response.recomPlaylists[0], { dissid: /^77\d{8}$/, dissname: /./, creator: '', listen_num: Number, imgurl: demo.origin })
  t.match(response.playlists[0], { dissid: /^77\d{8}$/, creator: /./ })
  t.equal(response.playlists.length, 25)
  const { categories } = (await server.get('/getSongListCategories')).body.data
  const known = new Map(categories.map(({ id, name }: { id: number, name: string }) => [id, name]))
  for (const { id, name } of response.categories) t.equal(name, known.get(id), 'a category that /getSongLists takes')
  t.equal(new Set(response.categories.map(({ id }: { id: number }) => id)).size, response.categories.length)
  t.match(response.newAlbums[0], { albumMID: /^00DemoAlbu/, singerName: /./, publicTime: /^\d{4}-/ })
  t.match(response.focus[0], { type: 10002, jumpUrl: /^00DemoAlbu/ })
  t.ok(response.toplists.some(({ id, name }: { id: number, name: string }) => id === 62 && name !== ''))
  t.equal(demo.received.length, 2)
  t.same(demo.received[0]?.calls, Object.values(parts))
  const body = demo.received[0]?.body as Record<string, { param?: unknown }>
  t.same(Object.values(body).flatMap(({ param }) => param === undefined ? [] : [param]), [
    { direction: 0, page: 1, v_cache: [], v_uniq: [], s_num: 0 }, { From: 0, Size: 25 }, { type: 5 }, { area: 1, start: 0, num: 10 }, {}, {}
  ])
  t.match(body['comm'], { ct: 24, cv: 4747474 })
})

test('a part of the home page that fails is empty, and the others stay', async ({ t, demo, relay }) => {
  const usual = await relay.getRecommend()
  for (const [part, call] of Object.entries(parts)) {
    for (const fault of [{ code: 500003 }, { mutate: () => ({ code: 0 }) }]) {
      demo.next(call, fault)
      const spare = (spares as Record<string, string>)[part]
      // The square is a part, and the fallback of another.
      if (spare !== undefined) demo.next(spare, fault, spare === parts.playlists ? 2 : 1)
      const record = await relay.getRecommend()
      t.same(record, { ...usual, [part]: [], ...part === 'playlists' || spare === parts.playlists ? { playlists: [], categories: [] } : {} }, part)
    }
  }
  for (const call of [...Object.values(parts), ...Object.values(spares)]) demo.next(call, { code: 500003 }, 2)
  await t.rejects(relay.getRecommend(), { code: 'UPSTREAM_REFUSED', statusCode: 502 }, 'nothing at all is no success')
  demo.reset()
  demo.next(parts.focus, { status: 500 }, Infinity)
  t.same(await relay.getRecommend(), { ...usual, focus: [] }, 'one ill call fails the POST of all: the others are asked without it')
  for (const call of Object.values(parts)) demo.next(call, { status: 500 }, Infinity)
  await t.rejects(relay.getRecommend(), { code: 'UPSTREAM_UNREACHABLE' })
})

test('charts and playlists of the home page have a second source, and the answer says so', async ({ t, demo, server }) => {
  const usual = await server.get('/getRecommend')
  for (const fault of [{ code: 500003 }, { code: 2001 }, { mutate: () => ({ code: 0 }) }, emptyData]) {
    demo.next(parts.toplists, fault)
    const reply = await server.get('/getRecommend')
    t.same(reply.body, usual.body)
    t.match(reply.headers.get('x-relay-source'), /home\.charts\.older/)
    t.notMatch(reply.headers.get('x-relay-source'), /home\.charts(,|$)/)
    demo.next(parts.recomPlaylists, fault)
    const square = await server.get('/getRecommend')
    t.match(square.headers.get('x-relay-source'), /recommend\.playlists\.square/)
    t.match(square.body.response.recomPlaylists[0], { dissid: /^\d+$/, dissname: /./ })
    t.same({ ...square.body.response, recomPlaylists: [] }, { ...usual.body.response, recomPlaylists: [] })
  }
})

test('an empty part of the home page is asked for again soon, and nothing but empty parts is no success', async ({ t, demo }) => {
  let clock = 0
  const server = await serverFor(t, demo, { cache: true, now: () => clock })
  for (const part of ['newSongs', 'newAlbums', 'toplists'] as const) {
    for (const call of [parts[part], spares.toplists]) demo.next(call, emptyData)
    t.match((await server.get('/getRecommend')).body.response, { [part]: [] }, part)
    demo.reset()
    clock += 10_001
    t.match((await server.get('/getRecommend')).body.response, { [part]: [{}] }, part)
    clock += 2 * 86_400_000
  }
  for (const call of [...Object.values(parts), ...Object.values(spares)]) demo.next(call, emptyData, 2)
  t.match(await server.get('/getRecommend'), { status: 502, body: { code: 'UPSTREAM_EMPTY' } })
})

t.test('a closed ticket shop is a success with nothing in it', async (t) => {
  const demo = await demoFor(t, { now: () => 1_700_000_000_000 })
  const server = await serverFor(t, demo)
  const nothing = { cities: [], hotCities: [], banners: [], classes: [], shows: [], tags: {} }
  t.same((await server.get('/getTicketInfo')).body, { response: { ...nothing, timestamp: 1_700_000_000 } })
  t.match(demo.received[0]?.body, {
    req_0: { module: 'mall.ticket_index_page_svr', method: 'GetTicketIndexPage', param: { city_id: -1 } }, req_1: { method: 'GetShowTypeList', param: {} }
  })
  for (const call of [tickets, showTypes]) demo.next(call, { code: 500003 })
  const { status, body } = await server.get('/getTicketInfo')
  t.same({ status, body }, { status: 200, body: { response: { ...nothing, timestamp: 0 } } })
})

test('an open ticket shop is passed on, without what may tell who asks', async ({ t, demo, relay }) => {
  demo.next(tickets, {
    mutate: (answer) => {
      Object.assign(answer.data, {
        citys: [{ city_id: 1, name: 'Demo Harbour', host_uin: '10001' }, null, 'odd'],
        local_city: { city_id: 2, ip: '192.0.2.1' },
        more: [{ show: { id: 7, encrypt_uin: 'x', dates: ['2026-11-21'] } }]
      })
    }
  })
  demo.next(showTypes, { mutate: (answer) => { answer.data = { types: [{ id: 3 }] } } })
  const record = await relay.getTicketInfo()
  t.match(record, { cities: [{ city_id: 1, name: 'Demo Harbour' }], localCity: { city_id: 2 }, shows: [{ show: { id: 7, dates: ['2026-11-21'] } }], tags: { types: [{ id: 3 }] } })
  t.equal(record.cities.length, 1)
  t.notMatch(JSON.stringify(record), /uin|192\.0/)
})

test('a ticket shop that is busy or cannot be reached is an error', async ({ t, demo, relay }) => {
  demo.next(tickets, { code: 104604 })
  await t.rejects(relay.getTicketInfo(), { code: 'UPSTREAM_REFUSED' })
  demo.next(tickets, { body: '<html>' })
  await t.rejects(relay.getTicketInfo(), { code: 'UPSTREAM_UNREADABLE' })
})

test('private fields of the upstream stay upstream', async ({ t, server }) => {
  for (const path of ['/getRecommend', '/getDigitalAlbumLists', '/getRadioLists']) t.notMatch((await server.get(path)).text, /uin|encrypt|avatar|"vkey"/, path)
})

test('real addresses of pictures', { skip: withoutSamples }, async ({ t, demo }) => {
  const relay = relayFor(t, demo, { imageOrigin: '' })
  for (const { request, id = '', url } of sample('getImageUrl.json') as { request?: string, id?: string, url: string }[]) {
    const asked = new URLSearchParams(request?.split('?')[1] ?? { id })
    const { maxAge, ...rest } = Object.fromEntries(asked)
    t.equal((await relay.getImageUrl({ id: '', ...rest, ...maxAge !== undefined && { maxAge: Number(maxAge) } })).imageUrl, url)
  }
})
