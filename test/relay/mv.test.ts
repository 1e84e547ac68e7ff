/** MVs: lists, tags of every kind, fallbacks. */
import { cookieOf, serverFor } from '../support/helper.ts'
import { test } from '../support/stage.ts'
import { desktop, lite, mvByTag as byTag, mvList as list, mvTags as tags, phone, signed, siteSearch as search } from '../support/wires.ts'

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
  for (const [tag, area, lan] of [['korea', 19, 'korea'], ['韩国', 19, 'korea'], ['Japan', 20, 'janpan'], [' 内地 ', 16, 'neidi'], ['全部', 15, 'all']] as const) {
    demo.reset()
    const found = await relay.getMvByTag({ tag })
    t.match(demo.received, { length: 1, 0: { calls: [list], body: { req_0: { param: { area } } } } }, tag)
    t.same(vids(found), vids(await relay.getMv({ area_id: area })))
    demo.next(list, { code: 500003 })
    await relay.getMvByTag({ tag })
    t.match(demo.calls(byTag)[0], { method: 'GET', query: { cmd: 'shoubo', lan, format: 'json', outCharset: 'utf-8' }, headers: { referer: 'https://y.qq.com/' } })
  }
  for (const [tag, filter] of [['19', { area_id: 19, version_id: 7 }], ['现场', { area_id: 15, version_id: 9 }], ['mv', { area_id: 15, version_id: 8 }]] as const) {
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
  const facts = ({ list }: { list: typeof usual.list }): unknown[] => list.map(({ vid, mvid, title, singers: [singer], playcnt, pubdate, duration }) => [vid, mvid, title, singer?.name.split('/')[0], playcnt, pubdate, duration])
  const as = { cookie: cookieOf(demo, 'member') }
  for (const [answers, wire] of programs.entries()) {
    demo.reset()
    demo.next(search, { mutate: (answer) => { answer.data.mv = { list: [], totalnum: 0 } } }, Infinity)
    for (const dead of programs.slice(0, answers)) demo.next(dead, { status: 500 }, Infinity)
    t.same(facts(await relay.getMvByTag({ tag: 'paper', limit: 5 }, as)), facts(usual), wire)
    t.same(facts(await relay.getMvByTag({ tag: 'paper', limit: 2, page: 2 }, as)), facts({ list: usual.list.slice(2, 4) }), wire)
    t.match(Object.values<any>(demo.calls(wire)[0]?.body as object)[1]?.param, { query: 'paper', search_type: 4, page_num: 1, num_per_page: 10 })
  }
  demo.reset()
  t.same(await relay.getMvByTag({ tag: 'nothing is called so' }), { tag: 'nothing is called so', total: 0, list: [], skipped: 0 })
  t.equal(demo.received.length, 3, 'the filters, the site and one program')
  t.match(await relay.getMvByTag({ tag: 'paper', limit: 5 }, { cookie: cookieOf(demo, 'expired') }), { list: usual.list }, 'a dead cookie ends no public search')
})

test('a region has a list of its own when the list of all MVs is dead; without filters a word is looked for, but no id', async ({ t, demo, relay }) => {
  const korean = new Set(vids(await relay.getMv({ area_id: 19, limit: 100 })))
  for (const fault of [{ code: -1 }, { body: '<html>' }, { status: 500 }, { mutate: (answer: any) => { answer.data.list = null } }]) {
    demo.next(list, fault)
    const found = vids(await relay.getMvByTag({ tag: 'korea', limit: 5 }))
    t.ok(found.length === 5 && found.every((vid) => korean.has(vid)), JSON.stringify(fault))
  }
  for (const call of [list, byTag]) demo.next(call, { code: 500003 })
  await t.rejects(relay.getMvByTag({ tag: 'korea' }), { code: 'UPSTREAM_REFUSED' })
  for (const [fault, code] of [[{ code: 500003 }, 'UPSTREAM_REFUSED'], [{ status: 500 }, 'UPSTREAM_UNREACHABLE'], [{ mutate: () => ({ code: 0, data: {} }) }, 'UPSTREAM_EMPTY']] as const) {
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
