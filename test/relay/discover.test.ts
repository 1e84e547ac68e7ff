/** Picture addresses, the shop of digital albums, radio stations, the home page and the closed ticket shop. */
import t from 'tap'
import { cookieOf, demoFor, sample, serverFor, withoutSamples } from '../support/helper.ts'
import { relayFor, sharedStage } from '../support/stage.ts'
import {
  albumDetail, charts, chartsOlder, feed, focus, mvTags, newAlbums, newSongs, radios, radiosClassic, shop, showTypes,
  songDetail, square, tickets
} from '../support/wires.ts'

const test = sharedStage('the home page and the shops')

/** The calls of the home page, in the order of sending, each under one of its parts. The square also has the categories. */
const parts = { recomPlaylists: feed, playlists: square, newSongs, newAlbums, toplists: charts, focus } as const
/** Fallbacks of the parts. */
const spares = { recomPlaylists: square, toplists: chartsOlder } as const
const calls = [...Object.values(parts), ...Object.values(spares)]

const refused = { code: 500003 }
/** Success without any row. */
const emptyData = { mutate: () => ({ code: 0, data: {} }) }

test('the address of a picture is built without asking anybody', async ({ t, demo, relay }) => {
  const { imageUrl } = await relay.getImageUrl({ id: '00DemoAlbu0001' })
  t.equal(imageUrl, `${demo.origin}/music/photo_new/T002R300x300M00000DemoAlbu0001.jpg?max_age=2592000`)
  t.equal(demo.received.length, 0)
  t.match((await fetch(imageUrl)).headers.get('content-type'), /^image\//)
  t.equal(
    (await relay.getImageUrl({ id: 'x_2', size: '90x90', maxAge: 0, type: 'singer' })).imageUrl,
    `${demo.origin}/music/photo_new/T001R90x90M000x_2.jpg?max_age=0`
  )
  for (const [type, kind] of [['playlist', 'T003'], ['song', 'T062'], ['album', 'T002']] as const) {
    t.match((await relay.getImageUrl({ id: 'x', type })).imageUrl, `/${kind}R`)
  }
})

test('real addresses of pictures', { skip: withoutSamples }, async ({ t, demo }) => {
  const relay = relayFor(t, demo, { imageOrigin: '' })
  for (const { request, id = '', url } of sample('getImageUrl.json') as {
    request?: string, id?: string, url: string
  }[]) {
    const { maxAge, ...rest } = Object.fromEntries(new URLSearchParams(request?.split('?')[1] ?? { id }))
    t.equal(
      (await relay.getImageUrl({ id: '', ...rest, ...maxAge !== undefined && { maxAge: Number(maxAge) } })).imageUrl,
      url
    )
  }
})

test('digital albums come as one list, with prices; a shop that cannot be read is an upstream error', async ({ t, demo, relay }) => {
  const { albums, banner } = await relay.getDigitalAlbumLists()
  t.same([albums.length, banner.length], [20, 3])
  t.match(albums[0], {
    album_id: Number, album_mid: /^00DemoAlbu/, price: 1500, dis_price: 1000, group: '最新上架', publictime: Number,
    albumPic: demo.origin
  })
  const content = (rows: unknown) => ({ mutate: (answer: any) => { answer.data.content = rows } })
  for (const [fault, code] of [
    [{ code: -1 }, 'UPSTREAM_REFUSED'], [content(undefined), 'UPSTREAM_UNREADABLE'], [content([]), 'UPSTREAM_EMPTY'],
    [content([{ name: 'x', albumlist: [] }]), 'UPSTREAM_EMPTY']
  ] as const) {
    demo.next(shop, fault)
    await t.rejects(relay.getDigitalAlbumLists(), { code })
  }
  const albumlist = [{ album_name: 'one' }, { album_name: 'two' }, { album_name: 'one' }]
  demo.next(shop, content([{ name: 'x', albumlist }]))
  t.same(
    (await relay.getDigitalAlbumLists()).albums.map(({ album_name }) => album_name), ['one', 'two'],
    'albums without number and MID are not one album'
  )
})

test('radio stations come in groups that have stations', async ({ t, demo, relay }) => {
  const { groups } = await relay.getRadioLists()
  t.same(groups.map(({ radios }) => radios.length), [3, 2, 1])
  t.match(groups[0]?.radios[1], { radioId: 199, radioName: 'Hot & Loud', radioImg: demo.origin, listenNum: 270360 })
  demo.next(radios, refused)
  demo.next(radiosClassic, { mutate: (answer) => { answer.data = null } })
  await t.rejects(relay.getRadioLists(), { code: 'UPSTREAM_EMPTY' }, 'no stations at all is no success')
})

test('the home page has all its parts', async ({ t, demo, relay }) => {
  const home = await relay.getRecommend()
  const { skipped, ...lists } = home
  t.same([skipped, ...Object.keys(lists).sort()], [0, ...['categories', ...Object.keys(parts)].sort()])
  for (const [part, rows] of Object.entries(lists)) t.ok(rows.length > 0, part)
  t.match(home, {
    recomPlaylists: [{ dissid: /^77\d{8}$/, dissname: /./, creator: '', listen_num: Number, imgurl: demo.origin }],
    playlists: [{ dissid: /^77\d{8}$/, creator: /./ }],
    newAlbums: [{ albumMID: /^00DemoAlbu/, singerName: /./, publicTime: /^\d{4}-/ }],
    focus: [{ type: 10002, jumpUrl: /^00DemoAlbu/ }]
  })
  t.equal(home.playlists.length, 25)
  t.ok(home.toplists.some(({ id, name }) => id === 62 && name !== ''))
  const known = new Map((await relay.getSongListCategories()).categories.map(({ id, name }) => [id, name]))
  t.ok(home.categories.every(({ id, name }) => name === known.get(id)), 'categories that /getSongLists takes')
  t.equal(new Set(home.categories.map(({ id }) => id)).size, home.categories.length)
})

test('a part of the home page that fails is empty, and the others stay', async ({ t, demo, relay }) => {
  const usual = await relay.getRecommend()
  for (const [part, call] of Object.entries(parts)) {
    for (const fault of [refused, { mutate: () => ({ code: 0 }) }]) {
      demo.next(call, fault)
      const spare = (spares as Record<string, string>)[part]
      // The square is a part, and the fallback of another.
      if (spare !== undefined) demo.next(spare, fault, spare === square ? 2 : 1)
      t.same(await relay.getRecommend(), {
        ...usual, [part]: [], ...part === 'playlists' || spare === square ? { playlists: [], categories: [] } : {}
      }, part)
    }
  }
  for (const call of calls) demo.next(call, refused, 2)
  await t.rejects(relay.getRecommend(), { code: 'UPSTREAM_REFUSED', statusCode: 502 }, 'nothing at all is no success')
  demo.reset()
  demo.next(focus, { mutate: ({ data }) => { data.content.push({ id: 1 }, null) } })
  t.match(
    await relay.getRecommend(), { focus: usual.focus, skipped: usual.skipped + 2 },
    'pictures that cannot be read are counted'
  )
  demo.next(focus, { status: 500 }, Infinity)
  t.same(await relay.getRecommend(), { ...usual, focus: [] }, 'one ill call fails the POST of all: the others are asked without it')
  for (const call of Object.values(parts)) demo.next(call, { status: 500 }, Infinity)
  await t.rejects(relay.getRecommend(), { code: 'UPSTREAM_UNREACHABLE' })
})

test('a part that is refused to an expired cookie comes without it, as the warning says', async ({ t, demo, server }) => {
  const headers = { 'x-custom-cookie': cookieOf(demo, 'expired') }
  for (const [path, call] of [
    ['/getRecommend', newSongs], ['/getMv?limit=2', mvTags], ['/getRanks?topId=28&limit=2&resolveMid=true', songDetail],
    ['/resolve?text=5000001', albumDetail], ['/getRecommend'] // whose feed the upstream refuses itself
  ] as const) {
    const want = await server.get(path)
    if (call !== undefined) demo.next(call, { code: 1000 })
    const found = await server.get(path, { headers })
    t.same(found.body, want.body, path)
    t.match(found.headers.get('x-relay-warning'), /this is the answer without a login/)
  }
  const global =
    await serverFor(t, demo, { useGlobalCookie: true, globalCookie: () => cookieOf(demo, 'expired') })
  const { recomPlaylists, playlists } = (await global.get('/getRecommend')).body.response
  t.same([playlists.length > 20, recomPlaylists], [true, playlists], 'what stands in for it')
})

test('charts and playlists of the home page have a second source, and the answer says so', async ({ t, demo, server }) => {
  const usual = (await server.get('/getRecommend')).body.response
  for (const fault of [refused, { code: 2001 }, { mutate: () => ({ code: 0 }) }, emptyData]) {
    demo.next(charts, fault)
    const older = await server.get('/getRecommend')
    t.same(older.body.response, usual)
    t.match(older.headers.get('x-relay-source'), /home\.charts\.older/)
    t.notMatch(older.headers.get('x-relay-source'), /home\.charts(,|$)/)
    demo.next(feed, fault)
    const { headers, body: { response } } = await server.get('/getRecommend')
    t.match(headers.get('x-relay-source'), /recommend\.playlists\.square/)
    t.match(response.recomPlaylists[0], { dissid: /^\d+$/, dissname: /./ })
    t.same({ ...response, recomPlaylists: [] }, { ...usual, recomPlaylists: [] })
  }
})

test('a part of the home page that spoils the POST of all is replaced in the second one', async ({ t, demo, server }) => {
  const usual = (await server.get('/getRecommend')).body.response
  for (const fault of [{ status: 404 }, { status: 403 }, { body: '<html>' }, { body: '' }]) {
    for (const [call, source] of [[feed, /recommend\.playlists\.square/], [charts, /home\.charts\.older/]] as const) {
      demo.reset()
      demo.next(call, fault, Infinity)
      const { status, headers, body: { response } } = await server.get('/getRecommend')
      t.same([status, demo.received.length], [200, 2], JSON.stringify(fault))
      t.match(headers.get('x-relay-source'), source)
      t.match(response.recomPlaylists[0], { dissid: /^\d+$/, dissname: /./ })
      t.same({ ...response, recomPlaylists: [] }, { ...usual, recomPlaylists: [] })
    }
  }
})

test('an empty part of the home page is asked for again soon, and nothing but empty parts is no success', async ({ t, demo }) => {
  let clock = 0
  const server = await serverFor(t, demo, { cache: true, now: () => clock })
  for (const part of ['newSongs', 'newAlbums', 'toplists'] as const) {
    for (const call of [parts[part], spares.toplists]) demo.next(call, emptyData)
    t.match((await server.get('/getRecommend')).body.response, { [part]: { length: 0 } }, part)
    demo.reset()
    clock += 10_001
    t.match((await server.get('/getRecommend')).body.response, { [part]: [{}] }, part)
    clock += 2 * 86_400_000
  }
  for (const call of calls) demo.next(call, emptyData, 2)
  t.match(await server.get('/getRecommend'), { status: 502, body: { code: 'UPSTREAM_EMPTY' } })
})

t.test('a closed ticket shop is a success with nothing in it', async (t) => {
  const demo = await demoFor(t, { now: () => 1_700_000_000_000 })
  const relay = relayFor(t, demo)
  const nothing = { cities: [], hotCities: [], banners: [], classes: [], shows: [], tags: {} }
  t.same(await relay.getTicketInfo(), { ...nothing, timestamp: 1_700_000_000 })
  for (const call of [tickets, showTypes]) demo.next(call, refused)
  t.same(await relay.getTicketInfo(), { ...nothing, timestamp: 0 })
  for (const [fault, code] of [[{ code: 104604 }, 'UPSTREAM_REFUSED'], [{ body: '<html>' }, 'UPSTREAM_UNREADABLE']] as const) {
    demo.next(tickets, fault)
    await t.rejects(relay.getTicketInfo(), { code }, 'one that is busy or cannot be reached is an error')
  }
})

test('an open ticket shop is passed on, without what may tell who asks', async ({ t, demo, relay }) => {
  demo.next(tickets, {
    mutate: ({ data }) => {
      Object.assign(data, {
        citys: [{ city_id: 1, name: 'Demo Harbour', host_uin: '10001' }, null, 'odd'],
        local_city: { city_id: 2, ip: '192.0.2.1' },
        more: [{ show: { id: 7, encrypt_uin: 'x', dates: ['2026-11-21'] } }]
      })
    }
  })
  demo.next(showTypes, { mutate: (answer) => { answer.data = { types: [{ id: 3 }] } } })
  const record = await relay.getTicketInfo()
  t.match(record, {
    localCity: { city_id: 2 }, shows: [{ show: { id: 7, dates: ['2026-11-21'] } }], tags: { types: [{ id: 3 }] }
  })
  t.same(record.cities, [{ city_id: 1, name: 'Demo Harbour' }])
  t.notMatch(JSON.stringify(record), /uin|192\.0/)
})

test('private fields of the upstream stay upstream', async ({ t, server }) => {
  for (const path of [
    'getRecommend', 'getDigitalAlbumLists', 'getRadioLists', 'getMv', 'getMvByTag?tag=all', 'getMvPlay?vid=demoV000004'
  ]) t.notMatch((await server.get(`/${path}`)).text, /uin|uploader|encrypt|avatar|"vkey"/, path)
})
