/** Picture addresses, the shop of digital albums, radio stations, the home page and the closed ticket shop. */
import t from 'tap'
import { demoFor, sample, serverFor, subAnswers, withoutSamples } from '../support/helper.ts'
import { relayFor, test } from '../support/stage.ts'

const shop = '/v8/fcg-bin/musicmall.fcg'
const radios = 'pf.radiosvr/GetRadiolist'
const classicRadios = '/v8/fcg-bin/fcg_v8_radiolist.fcg'
const tickets = 'mall.ticket_index_page_svr/GetTicketIndexPage'
const showTypes = 'mall.ticket_index_page_svr/GetShowTypeList'

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

test('an id, a size or an age that no picture has is refused by name', async ({ t, demo, server }) => {
  const refused: Record<string, string> = {
    '/getImageUrl': 'id', '/getImageUrl?id=': 'id', '/getImageUrl?id=..%2Fx': 'id', '/getImageUrl?id=a%26b': 'id', [`/getImageUrl?id=${'a'.repeat(65)}`]: 'id',
    '/getImageUrl?id=x&size=300': 'size', '/getImageUrl?id=x&size=301x301': 'size', '/getImageUrl?id=x&maxAge=-1': 'maxAge', '/getImageUrl?id=x&maxAge=31536001': 'maxAge',
    '/getImageUrl?id=x&maxAge=1e3': 'maxAge', '/getImageUrl?id=x&type=T001': 'type', '/getDigitalAlbumLists?limit=0': 'limit', '/getDigitalAlbumLists?page=-1': 'page'
  }
  for (const [path, field] of Object.entries(refused)) {
    const { status, body } = await server.get(path)
    t.match({ status, body }, { status: 400, body: { code: 'INVALID_INPUT', error: new RegExp(`^${field}: `) } }, path)
  }
  t.equal(demo.received.length, 0)
})

test('digital albums come as one list, with prices, and no album twice', async ({ t, demo, relay, server }) => {
  const { status, body: { response } } = await server.get('/getDigitalAlbumLists')
  t.equal(status, 200)
  t.equal(response.albums.length, 20)
  t.match(response.albums[0], { album_id: Number, album_mid: /^00DemoAlbu/, price: 1500, dis_price: 1000, group: '最新上架', publictime: Number, albumPic: demo.origin })
  t.equal(response.banner.length, 3)
  t.match(demo.received[0], { method: 'GET', path: shop, query: { cmd: 'pc_index_new', format: 'json', outCharset: 'utf-8' }, headers: { referer: 'https://y.qq.com/' } })
  const whole = (await relay.getDigitalAlbumLists({ limit: 100 })).albums.map(({ album_mid }) => album_mid)
  t.equal(whole.length, response.total)
  t.equal(new Set(whole).size, whole.length)
  const joined: string[] = []
  for (let page = 1; joined.length < whole.length && page < 20; page++) joined.push(...(await relay.getDigitalAlbumLists({ limit: 7, page })).albums.map(({ album_mid }) => album_mid))
  t.same(joined, whole)
  t.same((await relay.getDigitalAlbumLists({ page: 0 })).albums, (await relay.getDigitalAlbumLists({ page: 1 })).albums)
  t.same((await relay.getDigitalAlbumLists({ page: 99 })).albums, [])
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

test('the classic list of stations answers the same when the newer one is dead', async ({ t, demo, relay }) => {
  const usual = await relay.getRadioLists()
  for (const fault of [{ code: 500003 }, { body: '<html>' }, { status: 500 }, { mutate: (answer: any) => { answer.data.radio_list = null } }]) {
    demo.reset()
    demo.next(radios, fault)
    const record = await relay.getRadioLists()
    t.same(record, usual, JSON.stringify(fault))
    t.match(demo.calls(classicRadios)[0]?.query, { channel: 'radio', format: 'json', page: 'index', tpl: 'wk', new: '1', p: /^0\.\d+/, outCharset: 'utf-8' })
  }
  demo.next(radios, { code: 500003 })
  demo.next(classicRadios, { mutate: (answer) => { answer.data = null } })
  await t.rejects(relay.getRadioLists(), { code: 'UPSTREAM_EMPTY', statusCode: 502 }, 'no stations at all is no success')
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

test('real answers are read', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  const real = relayFor(t, demo, { imageOrigin: '' })
  for (const { request, id, url } of sample('getImageUrl.json') as { request?: string, id?: string, url: string }[]) {
    const asked = new URLSearchParams(request?.split('?')[1] ?? { id: id ?? '' })
    const size = asked.has('size') ? { size: asked.get('size') as '500x500' } : {}
    const maxAge = asked.has('maxAge') ? { maxAge: Number(asked.get('maxAge')) } : {}
    t.equal((await real.getImageUrl({ id: asked.get('id') ?? '', ...size, ...maxAge })).imageUrl, url)
  }

  demo.next(shop, { mutate: () => sample('getDigitalAlbumLists.json') })
  const albums = await relay.getDigitalAlbumLists()
  t.match(albums, { total: 1, albums: [{ album_id: 6752567, album_mid: '002Ao9Zw1xJu7O', singer_id: 178578, price: 1500, salecount: 115952, publictime: 1557849600 }], banner: [{ album_id: 6744287, price: 300, picurl: /^https:/ }] })

  demo.next(radios, { code: 500003 })
  demo.next(classicRadios, { mutate: () => sample('getRadioLists.json') })
  const stations = await relay.getRadioLists()
  t.match(stations.groups, [{ radios: [{ radioId: 99, listenNum: 12810800 }, { radioId: 199, listenNum: 2703600, radioImg: /^https:/ }] }])
  t.equal(stations.groups[0]?.radios.length, 2)

  const home = sample('getRecommend.json')
  const keys = { newSongs: 'new_song', newAlbums: 'new_album', toplists: 'toplist', focus: 'focus' } as const
  demo.next(parts.recomPlaylists, { mutate: () => subAnswers('getRecommend.feed.json')[0] })
  demo.next(parts.playlists, { mutate: () => subAnswers('getRecommend.songlist.json')[0] })
  for (const [part, key] of Object.entries(keys)) demo.next(parts[part as keyof typeof parts], { mutate: () => home[key] })
  const old = await relay.getRecommend()
  t.same(Object.values(old).map((rows) => rows.length), [3, 4, 2, 3, 3, 3, 6])
  t.match(old, {
    focus: [{ id: 14550, type: 10002, jumpUrl: '0034Tb9X3qty2r', picUrl: /^https:/ }],
    categories: [{ id: 165, name: '国语' }, { id: 6, name: '流行' }, { id: 148, name: '情歌' }, { id: 166, name: '粤语' }],
    recomPlaylists: [{ dissid: '7110294730' }, { dissid: '6929902945' }],
    playlists: [{ dissname: /./, imgurl: /^https:/ }, {}, {}],
    newSongs: [{ id: 213226698, mid: '001L5hVD2FqAcW' }, { mv: { vid: 'k002671le5d' } }, { interval: 262 }],
    newAlbums: [{ albumID: 3767136, albumMID: '001f5qLB0VIsA2', publicTime: '2017-12-14' }],
    toplists: [{ id: 4, period: '2018-03-04' }, { id: 26 }, { id: 27 }, { id: 169 }, { id: 108 }, { id: 123 }]
  })
  t.ok(old.newAlbums.every(({ singerName }) => singerName !== ''))
  t.notMatch(JSON.stringify(old), /10000001/)

  demo.next(parts.newSongs, { mutate: () => subAnswers('getRecommend.newsong.json')[0] })
  demo.next(parts.toplists, { mutate: () => subAnswers('getRanks.all.json')[0] })
  demo.next(parts.newAlbums, { mutate: () => subAnswers('getNewDisks.json')[0] })
  const newer = await relay.getRecommend()
  t.match(newer.newSongs[0], { id: 713873050, mid: '002gGxra1TDnym', interval: 256, time_public: '2026-08-06' })
  const charts = subAnswers('getRanks.all.json')[0]?.data.group.flatMap((group: { toplist: { topId: number }[] }) => group.toplist.map(({ topId }) => topId))
  t.same(newer.toplists.map(({ id }) => id), charts)
  t.equal(newer.newAlbums[0]?.albumMID, subAnswers('getNewDisks.json')[0]?.data.albums[0].mid)

  const [index, types] = subAnswers('getTicketInfo.json')
  demo.next(tickets, { mutate: () => index })
  demo.next(showTypes, { mutate: () => types })
  const closed = await relay.getTicketInfo()
  t.same(closed, { cities: [], hotCities: [], banners: [], classes: [], shows: [], tags: {}, timestamp: 1559647024 })
})
