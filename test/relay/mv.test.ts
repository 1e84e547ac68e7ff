/** MVs: lists, tags of every kind, fallbacks; play addresses by definition, complete and unique, and the reasons if there are none. */
import { cookieOf, serverFor, sample, withoutSamples } from '../support/helper.ts'
import { sharedStage } from '../support/stage.ts'
import {
  desktop, lite, mvByTag as byTag, mvList as list, mvTags as tags, phone, signed, siteSearch as search,
  mvInfo as info, mvUrls as urls, mvUrlsOlder as olderUrls
} from '../support/wires.ts'

const test = sharedStage('MVs')

const programs = [lite, signed, phone, desktop]
const vids = ({ list }: { list: { vid: string }[] }): string[] => list.map(({ vid }) => vid)

test('the hottest MVs come with the areas and kinds there are, which choose', async ({ t, demo, relay }) => {
  const found = await relay.getMv()
  t.equal(found.list.length, 20)
  t.same([found.area.map(({ id }) => id), found.version[1]], [[15, 16, 17, 18, 19, 20], { id: 8, name: 'MV' }])
  const plays = found.list.map(({ playcnt }) => playcnt)
  t.same(plays, plays.toSorted((a, b) => b - a))
  t.match(found.list[0], { vid: /^demoV\d{6}$/, singers: [{ mid: /^00Demo/ }], picurl: demo.origin, duration: Number })
  const korea = await relay.getMv({ area_id: 19, limit: 100 })
  const live = await relay.getMv({ version_id: 9, limit: 100 })
  t.ok(found.total > 200 && korea.total < found.total && live.total < found.total)
  t.notSame(vids(korea), vids(live))
  t.match(await relay.getMv({ area_id: 4711 }), { total: 0, list: { length: 0 } }, 'an unknown area has no MVs')
})

test('pages count from 0: page 1 is the second one', async ({ t, relay }) => {
  const [first, second] = [await relay.getMv({ limit: 5 }), await relay.getMv({ limit: 5, page: 1 })]
  t.same(vids(await relay.getMv({ limit: 5, page: 0 })), vids(first))
  t.same([...vids(first), ...vids(second)], vids(await relay.getMv({ limit: 10 })))
})

test('MVs come without areas and kinds when those cannot be had, and are asked for again soon', async ({ t, demo, relay }) => {
  const bare = { list: { length: 3 }, area: { length: 0 }, version: { length: 0 } }
  demo.next(tags, { code: 500003 })
  t.match(await relay.getMv({ limit: 3 }), bare)
  demo.next(list, { code: 500003 })
  await t.rejects(relay.getMv(), { code: 'UPSTREAM_REFUSED', statusCode: 502 })
  let clock = 0
  const server = await serverFor(t, demo, { cache: true, now: () => clock })
  demo.next(tags, { mutate: () => ({ code: 0, data: {} }) })
  t.match((await server.get('/getMv?limit=3')).body.response, bare)
  clock = 10_001
  t.match((await server.get('/getMv?limit=3')).body.response, { list: { length: 3 }, area: [{}], version: [{}] })
})

test('a tag is a region, an area, a kind or a word', async ({ t, demo, relay }) => {
  for (const [tag, area, lan] of [
    ['korea', 19, 'korea'], ['韩国', 19, 'korea'], ['Japan', 20, 'janpan'], [' 内地 ', 16, 'neidi'], ['全部', 15, 'all']
  ] as const) {
    demo.reset()
    const found = await relay.getMvByTag({ tag })
    t.match(demo.received, { length: 1, 0: { calls: [list], body: { req_0: { param: { area } } } } }, tag)
    t.same(vids(found), vids(await relay.getMv({ area_id: area })))
    demo.next(list, { code: 500003 })
    await relay.getMvByTag({ tag })
    t.match(demo.calls(byTag)[0], {
      method: 'GET', query: { cmd: 'shoubo', lan, format: 'json', outCharset: 'utf-8' },
      headers: { referer: 'https://y.qq.com/' }
    })
  }
  for (const [tag, filter] of [
    ['19', { area_id: 19, version_id: 7 }], ['现场', { area_id: 15, version_id: 9 }],
    ['mv', { area_id: 15, version_id: 8 }]
  ] as const) {
    t.same(vids(await relay.getMvByTag({ tag, limit: 5 })), vids(await relay.getMv({ ...filter, limit: 5 })), tag)
  }
  demo.reset()
  const found = await relay.getMvByTag({ tag: 'paper', limit: 5 })
  t.ok(found.list.length > 0 && found.total >= found.list.length)
  t.match(demo.calls(search)[0]?.query, { w: 'paper', t: '12', n: '10', p: '1', format: 'json' })
  t.notOk('new_json' in (demo.calls(search)[0]?.query ?? {}))
})

test('a word is looked for in the programs when the site finds nothing, and an empty list of the first that answers is believed', async ({ t, demo, relay }) => {
  const usual = await relay.getMvByTag({ tag: 'paper', limit: 5 })
  // The phone programs have one text with all singers of an MV.
  const facts = ({ list }: { list: typeof usual.list }): unknown[] => list.map((
    { vid, mvid, title, singers: [singer], playcnt, pubdate, duration }
  ) => [vid, mvid, title, singer?.name.split('/')[0], playcnt, pubdate, duration])
  const as = { cookie: cookieOf(demo, 'member') }
  for (const [answers, wire] of programs.entries()) {
    demo.reset()
    demo.next(search, { mutate: (answer) => { answer.data.mv = { list: [], totalnum: 0 } } }, Infinity)
    for (const dead of programs.slice(0, answers)) demo.next(dead, { status: 500 }, Infinity)
    t.same(facts(await relay.getMvByTag({ tag: 'paper', limit: 5 }, as)), facts(usual), wire)
    t.same(
      facts(await relay.getMvByTag({ tag: 'paper', limit: 2, page: 2 }, as)), facts({ list: usual.list.slice(2, 4) }),
      wire
    )
    t.match(Object.values<any>(demo.calls(wire)[0]?.body as object)[1]?.param, {
      query: 'paper', search_type: 4, page_num: 1, num_per_page: 10
    })
  }
  demo.reset()
  t.same(await relay.getMvByTag({ tag: 'nothing is called so' }), {
    tag: 'nothing is called so', total: 0, list: [], skipped: 0
  })
  t.equal(demo.received.length, 3, 'the filters, the site and one program')
  t.match(
    await relay.getMvByTag({ tag: 'paper', limit: 5 }, { cookie: cookieOf(demo, 'expired') }), { list: usual.list },
    'a dead cookie ends no public search'
  )
})

test('a region has a list of its own when the list of all MVs is dead; without filters a word is looked for, but no id', async ({ t, demo, relay }) => {
  const korean = new Set(vids(await relay.getMv({ area_id: 19, limit: 100 })))
  for (const fault of [
    { code: -1 }, { body: '<html>' }, { status: 500 }, { mutate: (answer: any) => { answer.data.list = null } }
  ]) {
    demo.next(list, fault)
    const found = vids(await relay.getMvByTag({ tag: 'korea', limit: 5 }))
    t.ok(found.length === 5 && found.every((vid) => korean.has(vid)), JSON.stringify(fault))
  }
  for (const call of [list, byTag]) demo.next(call, { code: 500003 })
  await t.rejects(relay.getMvByTag({ tag: 'korea' }), { code: 'UPSTREAM_REFUSED' })
  for (const [fault, code] of [
    [{ code: 500003 }, 'UPSTREAM_REFUSED'], [{ status: 500 }, 'UPSTREAM_UNREACHABLE'],
    [{ mutate: () => ({ code: 0, data: {} }) }, 'UPSTREAM_EMPTY']
  ] as const) {
    demo.reset()
    demo.next(tags, fault, 2)
    await t.rejects(relay.getMvByTag({ tag: ' 9 ' }), { code }, code)
    t.equal(demo.calls(search).length, 0)
  }
  demo.reset()
  demo.next(tags, { code: 500003 }, 2)
  t.equal((await relay.getMvByTag({ tag: 'paper', limit: 2 })).list.length, 2)
  for (const wire of [search, ...programs]) demo.next(wire, { status: 500 }, Infinity)
  await t.rejects(relay.getMvByTag({ tag: 'paper' }), { code: 'UPSTREAM_UNREACHABLE' })
})

const vid = 'demoV000004'

test('an MV has its addresses by definition, and they play', async ({ t, demo, server }) => {
  const { status, body: { response } } = await server.get(`/getMvPlay?vid=${vid}`)
  t.equal(status, 200)
  t.same(Object.keys(response.playLists), ['f10', 'f20', 'f30', 'f40', 'others'])
  for (const group of Object.values(response.playLists) as string[][]) {
    t.equal(group.length, 4, 'two mirrors of an mp4 file and two of an hls playlist')
  }
  t.match(response.mvinfo, { vid, name: String, duration: Number, singers: [{ name: String }] })
  t.notOk('reason' in response)
  const film = await fetch(response.playLists.f20[0])
  t.equal(film.headers.get('content-type'), 'video/mp4')
  t.equal((await film.arrayBuffer()).byteLength, response.urls.find(
    ({ filetype, type }: { filetype: number, type: string }) => filetype === 20 && type === 'mp4'
  ).fileSize)
  const playlist = await (await fetch(response.playLists.f20[2])).text()
  t.match(playlist, /^#EXTM3U\n/)
  const piece =
    await fetch(new URL(playlist.split('\n').at(-3) ?? '', demo.origin), { headers: { range: 'bytes=4-7' } })
  t.equal(piece.status, 206)
  t.equal(await piece.text(), 'ftyp')
  t.equal(
    (await fetch(response.playLists.f20[0].replace(/\/[0-9A-F]{8}(?=[0-9A-F]{64}\/)/, '/00000001'))).status, 403,
    'an old key does not'
  )
})

test('an MV without addresses says why', async ({ t, demo, relay }) => {
  const none = { playLists: { f10: [], f20: [], f30: [], f40: [], others: [] }, urls: [] }
  for (const [vid, account, reason] of [
    ['demoV000008', undefined, 'NO_COOKIE'], ['demoV000008', 'ordinary', 'PAID'],
    ['demoV000012', undefined, 'NO_SUCH_QUALITY']
  ] as const) {
    const { hint, ...record } =
      await relay.getMvPlay({ vid }, account === undefined ? {} : { cookie: cookieOf(demo, account) })
    t.match(record, { reason })
    t.same({ playLists: record.playLists, urls: record.urls }, none)
    t.match(hint, /\w/)
  }
  demo.next(urls, { mutate: (answer) => { answer.data = { [vid]: { mp4: [], hls: null } } } })
  t.ok((await relay.getMvPlay({ vid })).urls.length > 0, 'without an address and without a reason, the older call is asked')
  for (const call of [urls, olderUrls]) {
    demo.next(call, { mutate: (answer) => { answer.data = { [vid]: { mp4: [], hls: null } } } })
  }
  await t.rejects(relay.getMvPlay({ vid }), { code: 'UPSTREAM_EMPTY', statusCode: 502 }, 'no row has an address, and none says why')
  const paid = await relay.getMvPlay({ vid: 'demoV000008' }, { cookie: cookieOf(demo, 'member') })
  t.ok(paid.playLists.f40.length > 0 && !('reason' in paid), 'a member plays it in the highest definition')
})

test('an address without a path is a placeholder, and is left out', async ({ t, demo, relay }) => {
  const paths = (playLists: Record<string, string[]>): string[] =>
    Object.values(playLists).flat().map((url) => new URL(url).pathname)
  for (const vid of ['demoV000024', 'demoV000028']) {
    const record = await relay.getMvPlay({ vid })
    t.match(demo.received.at(-1)?.body, { req_0: { param: { vids: [vid] } } })
    t.ok(record.playLists.f20.length > 0, vid)
    t.notOk(paths(record.playLists).includes('/'), vid)
  }
  const placeholders = ['http://mv6.music.tc.qq.com/', 'http://mv6.music.tc.qq.com', 'http://mv6.music.tc.qq.com?x=1']
  const bare = {
    code: 0, filetype: 20, freeflow_url: placeholders, comm_url: placeholders, url: ['https://a.example/'], vkey: '',
    cn: ''
  }
  for (const call of [urls, olderUrls]) {
    demo.next(call, { mutate: () => ({ code: 0, data: { [vid]: { mp4: [bare] } } }) })
  }
  await t.rejects(relay.getMvPlay({ vid }), { code: 'UPSTREAM_EMPTY', statusCode: 502 }, 'nothing else is no address')
  demo.next(urls, { mutate: () => ({ code: 0, data: { [vid]: { mp4: [bare, { ...bare, code: 2000 }] } } }) })
  t.match(await relay.getMvPlay({ vid }), { urls: [], reason: 'NO_SUCH_QUALITY' }, 'one row with a reason is enough')
  demo.next(urls, { mutate: () => ({ code: 0, data: {
    [vid]: { mp4: [{ code: 0, filetype: 20, freeflow_url: placeholders, comm_url: ['https://a.example/x.mp4'] }] }
  } }) })
  t.match(await relay.getMvPlay({ vid }), { playLists: { f20: ['https://a.example/x.mp4'] } })
  const [h265, h264] = [265, 264].map((format) =>
    ({ code: 0, format, filetype: 20, comm_url: [`https://a.example/${format}.mp4`] }))
  demo.next(urls, { mutate: () => ({ code: 0, data: { [vid]: { mp4: [h265, h264] } } }) })
  t.same(
    (await relay.getMvPlay({ vid })).playLists.f20, ['https://a.example/264.mp4', 'https://a.example/265.mp4'],
    'what every browser plays comes first'
  )
})

test('MV data that is empty upstream is 502', async ({ t, demo, relay }) => {
  await t.rejects(relay.getMvPlay({ vid: 'nobodyKnows' }), { code: 'UPSTREAM_EMPTY', statusCode: 502 }, 'an unknown vid')
  for (const data of [undefined, {}, { [vid]: {} }]) {
    for (const call of [urls, olderUrls]) demo.next(call, { mutate: () => ({ code: 0, data }) })
    await t.rejects(relay.getMvPlay({ vid }), { code: 'UPSTREAM_EMPTY' }, JSON.stringify(data))
  }
})

test('the definition is read from newFileType where filetype is missing', async ({ t, demo, relay }) => {
  const file = (newFileType: number): object =>
    ({ code: 0, newFileType, cn: 'odd.mp4', vkey: `K${newFileType}`, url: ['https://a.example/'], freeflow_url: [] })
  demo.next(urls, { mutate: () => ({ code: 0, data: { [vid]: { mp4: [9814, 9824, 9834, 9844, 60, 7].map(file) } } }) })
  t.same((await relay.getMvPlay({ vid })).urls.map(({ filetype }) => filetype), [10, 20, 30, 40, 60, 7])
})

test('nothing is lost and nothing stands twice', async ({ t, demo, relay }) => {
  const item = (filetype: number | undefined, cn: string, more: object = {}): object =>
    ({
      code: 0, ...(filetype === undefined ? {} : { filetype }), cn, vkey: 'K',
      url: ['https://a.example/', 'https://b.example/'], freeflow_url: [`https://a.example/${cn}`], ...more
    })
  demo.next(urls, {
    mutate: () => ({
      code: 0,
      data: {
        [vid]: {
          mp4: [
            item(20, 'x.f9824.mp4'), item(20, 'x.f9824.mp4'), item(60, 'x.f160030.mp4'), item(undefined, 'x.f9834.mp4'),
            item(0, 'x.f140000.mp4'),
            item(undefined, 'odd.mp4'), item(10, 'x.f10.mp4', { freeflow_url: [] }),
            item(30, 'gone.mp4', { code: 2000 }), item(40, '', { freeflow_url: null, url: null })
          ],
          hls: [item(20, 'x.f220000.m3u8'), item(undefined, 'x.f210.m3u8'), item(undefined, 'x.f40.m3u8')]
        }
      }
    })
  })
  const record = await relay.getMvPlay({ vid })
  t.same(record.playLists, {
    f10: ['https://a.example/K/x.f10.mp4?fname=x.f10.mp4', 'https://b.example/K/x.f10.mp4?fname=x.f10.mp4', 'https://a.example/x.f210.m3u8'],
    f20: ['https://a.example/x.f9824.mp4', 'https://a.example/x.f220000.m3u8'],
    f30: ['https://a.example/x.f9834.mp4'],
    f40: ['https://a.example/x.f140000.mp4', 'https://a.example/x.f40.m3u8'],
    others: ['https://a.example/x.f160030.mp4', 'https://a.example/odd.mp4']
  })
  t.same(record.urls.flatMap(({ url }) => url).toSorted(), Object.values(record.playLists).flat().toSorted())
})

test('an MV that has no mp4, only parts of addresses, or no information, plays all the same', async ({ t, demo, relay }) => {
  t.same([...new Set((await relay.getMvPlay({ vid: 'demoV000016' })).urls.map(({ type }) => type))], ['hls'])
  const { playLists } = await relay.getMvPlay({ vid: 'demoV000020' })
  t.equal((await fetch(playLists.f10[0] ?? '')).status, 200)
  demo.next(info, { code: 500003 })
  const record = await relay.getMvPlay({ vid })
  t.ok(record.urls.length > 0 && !('mvinfo' in record))
})

test('real addresses of 2019 are all there', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  const { getMVUrl } = sample('getMvPlay.legacy.json')
  demo.next(urls, { code: 500003 })
  demo.next(olderUrls, { mutate: () => getMVUrl })
  const { playLists } = await relay.getMvPlay({ vid: 'u00222le4ox' })
  t.match(playLists.f10[2], /^http:\/\/mv\..+\.f10\.mp4$/)
  const usable = Object.values(getMVUrl.data.u00222le4ox as Record<string, { code: number, freeflow_url: string[] }[]>)
    .flat().flatMap(({ code, freeflow_url }) => code === 0 ? freeflow_url : [])
  t.same(Object.values(playLists).flat().sort(), [...new Set(usable)].sort())
})
