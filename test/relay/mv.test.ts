/** MVs: lists in pages, tags of every kind, fallbacks, real answers. */
import { cookieOf, paramOf, serverFor } from '../support/helper.ts'
import { test } from '../support/stage.ts'
import { mvByTag as byTag, mvList as list, mvTags as tags, siteSearch as search } from '../support/wires.ts'

const module = 'music.search.SearchCgiService/DoSearchForQQMusic'
const searchPrograms = [`${module}Lite`, `signed/${module}Desktop`, `${module}Mobile`, `${module}Desktop`]

const vids = (rows: { vid: string }[]): string[] => rows.map(({ vid }) => vid)

/** The calls of the first request to the gateway, in order, without their keys. */
const asked = (demo: { received: { body: unknown }[] }): { module: string, method: string, param: Record<string, unknown> }[] =>
  Object.entries(demo.received[0]?.body as Record<string, never>).flatMap(([key, call]) => key === 'comm' ? [] : [call])

test('the hottest MVs come with the areas and kinds there are', async ({ t, demo, server }) => {
  const { status, body } = await server.get('/getMv')
  t.equal(status, 200)
  t.equal(body.response.list.length, 20)
  t.ok(body.response.total > 200)
  t.same(body.response.area.map(({ id }: { id: number }) => id), [15, 16, 17, 18, 19, 20])
  t.same(body.response.version[1], { id: 8, name: 'MV' })
  const plays = body.response.list.map(({ playcnt }: { playcnt: number }) => playcnt)
  t.same(plays, plays.toSorted((a: number, b: number) => b - a))
  t.match(body.response.list[0], { vid: /^demoV\d{6}$/, singers: [{ mid: /^00Demo/ }], picurl: demo.origin, duration: Number })
  t.equal(demo.received.length, 1)
  t.same(asked(demo), [
    { module: 'MvService.MvInfoProServer', method: 'GetAllocTag', param: {} },
    { module: 'MvService.MvInfoProServer', method: 'GetAllocMvInfo', param: { start: 0, size: 20, version_id: 7, area_id: 15, version: 7, area: 15, order: 1 } }
  ])
  t.match(demo.received[0], { method: 'POST', path: '/cgi-bin/musicu.fcg', headers: { referer: 'https://y.qq.com/' }, body: { comm: { ct: 24, cv: 4747474 } } })
})

test('area, kind and limit choose', async ({ t, relay }) => {
  const all = await relay.getMv({ limit: 100 })
  const korea = await relay.getMv({ area_id: 19, limit: 100 })
  const live = await relay.getMv({ version_id: 9, limit: 100 })
  t.ok(korea.total < all.total)
  t.ok(live.total < all.total)
  t.notSame(vids(korea.list), vids(live.list))
  t.equal((await relay.getMv({ limit: 3 })).list.length, 3)
  t.match(await relay.getMv({ area_id: 4711 }), { total: 0, list: [] }, 'an unknown area has no MVs')
})

test('MVs come without areas and kinds when those cannot be had', async ({ t, demo, relay }) => {
  demo.next(tags, { code: 500003 })
  const record = await relay.getMv({ limit: 3 })
  t.match(record, { list: [{}, {}, {}], area: [], version: [] })
  demo.next(list, { code: 500003 })
  await t.rejects(relay.getMv(), { code: 'UPSTREAM_REFUSED', statusCode: 502 })
})

test('a tag is a region, an area, a kind or a word', async ({ t, demo, relay }) => {
  const korea = await relay.getMvByTag({ tag: 'korea' })
  t.equal(korea.list.length, 20)
  t.same(paramOf(demo.received[0]), { start: 0, size: 20, version_id: 7, area_id: 19, version: 7, area: 19, order: 1 })
  t.same(vids(korea.list), vids((await relay.getMv({ area_id: 19 })).list))
  for (const [tag, area, lan] of [['韩国', 19, 'korea'], ['Japan', 20, 'janpan'], [' 内地 ', 16, 'neidi'], ['全部', 15, 'all']] as const) {
    demo.reset()
    await relay.getMvByTag({ tag })
    t.match(demo.received, { length: 1, 0: { calls: [list], body: { req_0: { param: { area } } } } }, tag)
    demo.next(list, { code: 500003 })
    await relay.getMvByTag({ tag })
    t.match(demo.calls(byTag)[0], { method: 'GET', query: { cmd: 'shoubo', lan, format: 'json', outCharset: 'utf-8' }, headers: { referer: 'https://y.qq.com/' } })
  }
  for (const [tag, filter] of [['19', { area_id: 19, version_id: 7 }], ['现场', { area_id: 15, version_id: 9 }], ['mv', { area_id: 15, version_id: 8 }]] as const) {
    demo.reset()
    const { list } = await relay.getMvByTag({ tag, limit: 5 })
    t.same(vids(list), vids((await relay.getMv({ ...filter, limit: 5 })).list), tag)
  }
  demo.reset()
  const found = await relay.getMvByTag({ tag: 'paper', limit: 5 })
  t.ok(found.list.length > 0 && found.total >= found.list.length)
  t.match(demo.calls(search)[0]?.query, { w: 'paper', t: '12', n: '10', p: '1', format: 'json' })
  t.notOk('new_json' in (demo.calls(search)[0]?.query ?? {}))
  t.same(await relay.getMvByTag({ tag: 'nothing is called so' }), { tag: 'nothing is called so', total: 0, list: [] })
})

test('a word is looked for in the programs when the site finds nothing, and an empty list of the first that answers is believed', async ({ t, demo, relay }) => {
  const usual = await relay.getMvByTag({ tag: 'paper', limit: 5 })
  // The phone programs have one text with all singers of an MV.
  const facts = ({ list }: { list: typeof usual.list }): unknown[] => list.map(({ vid, mvid, title, singers: [singer], playcnt, pubdate, duration }) => [vid, mvid, title, singer?.name.split('/')[0], playcnt, pubdate, duration])
  for (const [answers, wire] of searchPrograms.entries()) {
    demo.reset()
    demo.next(search, { mutate: (answer) => { answer.data.mv = { list: [], totalnum: 0 } } }, Infinity)
    for (const dead of searchPrograms.slice(0, answers)) demo.next(dead, { status: 500 }, Infinity)
    const as = { cookie: cookieOf(demo, 'member') }
    t.same(facts(await relay.getMvByTag({ tag: 'paper', limit: 5 }, as)), facts(usual), wire)
    t.same(facts(await relay.getMvByTag({ tag: 'paper', limit: 2, page: 2 }, as)), facts({ list: usual.list.slice(2, 4) }), wire)
    t.match(Object.values<any>(demo.calls(wire)[0]?.body as object)[1]?.param, { query: 'paper', search_type: 4, page_num: 1, num_per_page: 10 })
  }
  demo.reset()
  t.same(await relay.getMvByTag({ tag: 'nothing is called so' }), { tag: 'nothing is called so', total: 0, list: [] })
  t.equal(demo.received.length, 3, 'the filters, the site and one program')
  t.match(await relay.getMvByTag({ tag: 'paper', limit: 5 }, { cookie: cookieOf(demo, 'expired') }), { list: usual.list }, 'a dead cookie ends no public search')
})

test('a region has a list of its own when the list of all MVs is dead, and a tag is looked for when filters cannot be had', async ({ t, demo, relay }) => {
  const korean = new Set(vids((await relay.getMv({ area_id: 19, limit: 100 })).list))
  for (const fault of [{ code: -1 }, { body: '<html>' }, { status: 500 }, { mutate: (answer: any) => { answer.data.list = null } }]) {
    demo.next(list, fault)
    const found = await relay.getMvByTag({ tag: 'korea', limit: 5 })
    t.equal(found.list.length, 5, JSON.stringify(fault))
    t.ok(vids(found.list).every((vid) => korean.has(vid)))
  }
  for (const call of [list, byTag]) demo.next(call, { code: 500003 })
  await t.rejects(relay.getMvByTag({ tag: 'korea' }), { code: 'UPSTREAM_REFUSED' })
  demo.reset()
  demo.next(tags, { code: 500003 })
  t.match(await relay.getMvByTag({ tag: 'paper', limit: 2 }), { list: [{}, {}] })
  demo.next(tags, { code: 500003 })
  for (const wire of [search, ...searchPrograms]) demo.next(wire, { status: 500 }, Infinity)
  await t.rejects(relay.getMvByTag({ tag: 'paper' }), { code: 'UPSTREAM_UNREACHABLE' })
})

test('an area or kind by its id is not looked for as a word when filters cannot be had', async ({ t, demo, relay }) => {
  for (const [fault, code] of [[{ code: 500003 }, 'UPSTREAM_REFUSED'], [{ status: 500 }, 'UPSTREAM_UNREACHABLE'], [{ mutate: () => ({ code: 0, data: {} }) }, 'UPSTREAM_EMPTY']] as const) {
    demo.reset()
    demo.next(tags, fault, 2)
    await t.rejects(relay.getMvByTag({ tag: ' 9 ' }), { code }, code)
    t.equal(demo.calls(search).length, 0)
  }
})

test('MVs without areas and kinds are asked for again soon', async ({ t, demo }) => {
  let clock = 0
  const server = await serverFor(t, demo, { cache: true, now: () => clock })
  demo.next(tags, { mutate: () => ({ code: 0, data: {} }) })
  t.match((await server.get('/getMv?limit=3')).body.response, { list: [{}, {}, {}], area: [], version: [] })
  clock = 10_001
  t.match((await server.get('/getMv?limit=3')).body.response, { list: [{}, {}, {}], area: [{}], version: [{}] })
})

test('private fields of the upstream stay upstream', async ({ t, server }) => {
  for (const path of ['/getMv', '/getMvByTag?tag=all']) t.notMatch((await server.get(path)).text, /uploader|enc_uin|"vkey"|uin"/, path)
})
