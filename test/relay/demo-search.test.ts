/** The demo's searches, asked as the clients of 2026 ask the provider. Facts and dates: src/demo/WIRE.md. */
import t from 'tap'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { signatureOf } from '../../src/demo/signature.ts'
import { cookieOf, demoFor } from '../support/helper.ts'
import { ask, classic, gateway, type ForeignReply } from '../support/demoClient.ts'
import { sharedStage } from '../support/stage.ts'
import { pagesSearch as pages, siteSearch as site } from '../support/wires.ts'

const test = sharedStage('searches of the demo')

const module = 'music.search.SearchCgiService'
const [desktop, phone, light] = ['Desktop', 'Mobile', 'Lite']
  .map((program) => `${module}/DoSearchForQQMusic${program}`) as [string, string, string]

const desktopComm = { ct: '19', cv: '1859', uin: '0' }
const phoneComm = {
  ct: 11, cv: 1601, v: 1601, uid: '0', tmeAppID: 'qqmusic', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8',
  QIMEI36: 'x'
}
const searchid = '18014398509481984'
const lightComm = {
  ct: 11, cv: '1003006', v: '1003006', os_ver: '12', phonetype: '0', devicelevel: '31', tmeAppID: 'qqmusiclight',
  nettype: 'NETWORK_WIFI', udid: '0'
}
const types = { song: 0, singer: 1, album: 2, songlist: 3, mv: 4 } as const
const param = (search_type: number, more: object = {}): object =>
  ({ query: 'paper', search_type, page_num: 1, num_per_page: 20, ...more })

/** A signed search; `body` and `sign` can be spoilt. */
async function signed (
  demo: DemoUpstream, key: string, searched: object, spoil: (body: string) => string = (body) => body
): Promise<ForeignReply> {
  const comm = {
    _channelid: '0', _os_version: '6.2.9200-2', ct: '19', cv: '2151', guid: '0'.repeat(32), patch: '118',
    tmeAppID: 'qqmusic', tmeLoginType: 0, uin: '0', wid: '1'.repeat(19)
  }
  const body = JSON.stringify({ comm, [key]: { module, method: 'DoSearchForQQMusicDesktop', param: searched } })
  return await ask(demo, `/cgi-bin/musics.fcg?sign=${signatureOf(body)}`, { body: spoil(body), headers: { 'user-agent': 'QQMusic 14090508(android 12)', 'content-type': 'application/json' } })
}

t.test('a body has the signature that clients of 2026 compute', async (t) => {
  t.equal(signatureOf('{"a":1}'), 'zzc7746109xq501htmv4ipz7c8owlxfpihjm1fd695c7')
  t.equal(signatureOf('{"comm":{"ct":"19"},"req":{"q":"周杰伦"}}'), 'zzce244d2e7c1bt519zj2offbwwivyvbowad60ee5cc')
})

test('signed, the desktop search needs no login, whatever the call is called; without its signature nothing is answered', async ({ t, demo }) => {
  const searched =
    { ...param(0, { num_per_page: 50 }), grp: 1, remoteplace: 'txt.newclient.top', searchid: `${'A'.repeat(32)}12345` }
  for (const key of ['req', module, 'anything']) {
    const { body } = await signed(demo, key, searched)
    t.match(body, { code: 0, [key]: {
      code: 0, data: { body: { song: { list: [{ mid: /./, file: { media_mid: /./ } }] } }, meta: { sum: Number } }
    } }, key)
    t.equal(body[key].data.body.song.list.length, 50)
  }
  const { body, status } = await signed(demo, 'req', searched, (text) => `${text} `)
  t.equal(status, 200)
  t.match(body, { code: 2000, req: undefined })
  t.match((await ask(demo, '/cgi-bin/musics.fcg', { body: '{"req":{"module":"a","method":"b"}}' })).body, { code: 2000, req: undefined })
  t.match((await ask(demo, `/cgi-bin/musics.fcg?sign=${signatureOf('')}&data=%7B%7D`)).body, { code: 2000 })
  t.equal(demo.calls(`signed/${desktop}`).length, 4)
  t.equal(demo.calls(desktop).length, 0, 'signed it is another call, so that a test can make one of the two ill')
})

test('anonymous and unsigned, the desktop search answers 2001 whole, and playlists', async ({ t, demo }) => {
  for (const type of [0, 1, 2, 4]) {
    const answer = await gateway(demo, desktop, param(type), desktopComm)
    t.equal(answer.code, 2001)
    t.same(Object.keys(answer.data).sort(), ['body', 'code', 'feedbackURL', 'meta', 'ver'])
    t.same(answer.data.body, Object.fromEntries([
      'album', 'gedantip', 'mv', 'qc', 'singer', 'song', 'songlist', 'user', 'zhida'
    ].map((part) => [part, { list: [] }])))
    t.match(answer.data, { code: 0, feedbackURL: /^https:\/\/y\.qq\.com\/wk_v17\/common_login\.html#\/login\?/, meta: {
      curpage: 1, dir: '', ein: 19, estimate_sum: 0, is_filter: -12
    } })
  }
  const { code, data } = await gateway(demo, desktop, param(3, { query: 'night' }), desktopComm)
  t.equal(code, 0)
  t.ok(data.body.songlist.list.length > 0)
})

test('the desktop search refuses pages that are too large and, unsigned, requests with a search id', async ({ t, demo }) => {
  const { uin, key } = { uin: '1000000101', key: /qm_keyst=([^;]+)/.exec(cookieOf(demo, 'ordinary'))?.[1] ?? '' }
  const comm = { ...desktopComm, uin, authst: key, tmeLoginType: 2 }
  const rows = async (kind: keyof typeof types, more: object): Promise<number> => {
    const { body, meta: { is_filter } } = (await gateway(demo, desktop, param(types[kind], more), comm)).data
    return is_filter === 0 ? body[kind].list.length : is_filter
  }
  t.equal(await rows('song', { num_per_page: 50 }), 50)
  for (const kind of ['album', 'singer'] as const) {
    t.ok(await rows(kind, { num_per_page: 30 }) > 0, kind)
    t.equal(await rows(kind, { num_per_page: 50 }), -9, kind)
    t.equal(
      (await signed(demo, 'req', param(types[kind], { num_per_page: 50 }))).body.req.data.body[kind].list.length, 0
    )
  }
  t.equal(await rows('song', { num_per_page: 9 }), -9)
  t.equal(await rows('song', { searchid: '1' }), -9)
})

test('phone and light program have rows of their own, for every kind', async ({ t, demo }) => {
  const mv = {
    duration: Number, id: Number, pic: /^http/, play_count: Number, publish_date: /^\d{4}-/, singerid: Number,
    singermid: /./, singername: /./, title: /./, vid: /./
  }
  const singer = {
    albumNum: Number, mvNum: Number, singerID: Number, singerMID: /./, singerName: /./, singerPic: /^http/,
    songNum: Number
  }
  const list = {
    createtime: String, dissid: /^\d+$/, dissname: /./, listennum: Number, logo: /^http/, nickname: /./,
    songnum: Number, uin: /^\d+$/
  }
  const album = {
    id: Number, name: /./, pic: /^http/, pmid: /_1$/, singer: /./, singer_list: [{ id: Number, mid: /./, name: /./ }],
    subtitle: String
  }
  const albums = { [phone]: { ...album, mid: /./, time_public: /^\d{4}-/, songnum: Number }, [light]: {
    ...album, albummid: /./, publish_date: /^\d{4}-/
  } }
  for (const [call, comm] of [[phone, phoneComm], [light, lightComm]] as const) {
    const search = async (type: number, query = 'paper'): Promise<any> =>
      (await gateway(demo, call, param(type, { query, searchid, highlight: 0, grp: 1 }), comm)).data
    const songs = await search(0)
    t.match(songs.body.item_song[0], { id: Number, mid: /./, file: { media_mid: /./ } })
    t.equal(songs.meta.sum, songs.meta.estimate_sum)
    for (const [type, part, row, query] of [
      [1, 'singer', singer], [2, 'item_album', albums[call]], [3, 'item_songlist', list, 'night'], [4, 'item_mv', mv]
    ] as const) {
      const { body } = await search(type, query)
      t.match(body[part][0], row as object, `${call} ${part}`)
      t.same(Object.keys(body[part][0]).sort(), Object.keys(row as object).sort(), `${call} ${part}`)
      t.equal(body.item_song.length, 0)
    }
  }
})

test('every answer of a program says whether the search was refused: which common block, id and size each one accepts', async ({ t, demo }) => {
  const asked = async (call: string, comm: object, more: object = {}): Promise<[number, number, number]> => {
    const { code, data: { body, meta } } = await gateway(demo, call, param(0, more), comm)
    t.match(meta, { ret: 0, safetyType: 0, safetyUrl: '' })
    if (meta.is_filter === -2) t.same([meta.sum, meta.estimate_sum], [0, 18_990], 'a refusal may have a large estimate')
    return [code, meta.is_filter, (body.item_song ?? body.song.list).length]
  }
  const id = { searchid }
  for (const [comm, answer, about] of [
    [phoneComm, [0, 0, 20], 'the whole block of the phone program'],
    [{ ...phoneComm, cv: 13020508, v: 13020508, QIMEI36: '0'.repeat(36) }, [0, 0, 20], 'of a newer one'],
    [{ ct: '11', cv: '14090508', v: '14090508', tmeAppID: 'qqmusic', QIMEI36: '0', udid: '0', sid: '0' }, [0, 0, 20], 'a phone with ids of its device'],
    [{ ct: 11, cv: 14090008, v: 14090008, tmeAppID: 'qqmusic' }, [0, -2, 0], 'a bare phone'],
    ...[undefined, ''].map((QIMEI36) => [{ ...phoneComm, QIMEI36 }, [0, -2, 0], `QIMEI36 ${QIMEI36}`] as const),
    ...['cv', 'v', 'uid', 'tmeAppID', 'format', 'inCharset', 'outCharset']
      .map((name) => [{ ...phoneComm, [name]: undefined }, [0, -2, 0], `no ${name}`] as const),
    [{ ct: 24, cv: 4747474 }, [0, -2, 0], 'the site']
  ] as const) t.same(await asked(phone, comm, id), answer, about)
  for (const [more, filter] of [
    [{}, -9], [{ searchid: '' }, -9], [{ searchid: '12345678901234' }, -9], [{ searchid: String(2n ** 54n - 1n) }, -9],
    [{ searchid: String(20n * 2n ** 54n) }, 0], [{ ...id, num_per_page: 61 }, -9]
  ] as const) t.equal((await asked(phone, phoneComm, more))[1], filter, JSON.stringify(more))
  t.same(await asked(light, lightComm), [0, 0, 20])
  t.same(await asked(light, lightComm, { search_id: '12345678901234' }), [0, 0, 20])
  t.same(await asked(light, { ...lightComm, tmeAppID: 'qqmusic' }), [2001, -12, 0], 'another program')
  t.same(await asked(light, { ct: 24, cv: 4747474 }), [2001, -12, 0])
})

test('searches of programs that follow each other too soon are refused, as published', async ({ t }) => {
  const demo = await demoFor(t, { moods: ['paced-searches'], now: () => 1_790_000_000_000 })
  const served = async (call: string, comm: object, times: number, apartMs: number): Promise<number> => {
    demo.clock.move(60_000)
    let count = 0
    for (let time = 0; time < times; time++, demo.clock.move(apartMs)) {
      const { code, data: { meta } } = await gateway(demo, call, param(0, { searchid }), comm)
      t.same([code, meta.is_filter], code === 0 ? [0, 0] : [2001, -12])
      if (code === 0) count++
    }
    return count
  }
  t.same([
    await served(light, lightComm, 12, 200), await served(light, lightComm, 12, 3000),
    await served(light, lightComm, 16, 4000)
  ], [2, 9, 16])
  t.equal(await served(phone, phoneComm, 30, 2000), 30)
})

test('the search of the phone pages has old rows, asked short or long', async ({ t, demo }) => {
  const long = {
    g_tk: '5381', uin: '0', format: 'json', inCharset: 'utf-8', outCharset: 'utf-8', notice: '0', platform: 'h5',
    needNewCode: '1', w: 'paper', zhidaqu: '1', catZhida: '1', t: '0', flag: '1', ie: 'utf-8', sem: '1', aggr: '0',
    perpage: '7', n: '7', p: '2', remoteplace: 'txt.mqq.all'
  }
  const short = await classic(demo, pages, { w: 'paper', p: '2', n: '7', format: 'json' })
  t.equal(short.body.code, 0)
  const { song } = short.body.data
  t.match(song, { curnum: 7, curpage: 2, totalnum: Number })
  t.match(song.list[0], {
    songid: Number, songmid: /./, songname: /./, singer: [{ id: Number, mid: /./, name: /./ }], albumid: Number,
    albummid: String, albumname: String, interval: Number, strMediaMid: /./, size128: Number, size320: Number,
    sizeflac: Number, pubtime: Number, pay: Object, msgid: Number
  })
  t.same((await classic(demo, pages, long, { headers: { referer: 'http://m.y.qq.com' } })).body.data.song, song)
  t.match((await classic(demo, pages, { ...long, w: 'The Paper Lanterns' })).body.data.zhida, {
    type: 2, zhida_singer: { singerMID: '00DemoSing0001' }
  })
  t.equal((await classic(demo, pages, { w: 'zzqqxx', n: '60', format: 'json' })).body.subcode, 10003, 'no hits')
  const rows = (await classic(demo, pages, { w: 'e', n: '60', p: '1', format: 'json' })).body.data.song.list
  t.same(
    [6, 7, 8, 9].map((number) => rows.find(({ songmid }: any) => songmid === `00DemoSong000${number}`).msgid),
    [14, 13, 13, 14], 'two without copyright'
  )
})

test('the site\'s search finds no albums and no singers, and nothing with new_json', async ({ t, demo }) => {
  for (const [kind, part] of [['8', 'album'], ['9', 'singer']] as const) {
    t.match((await classic(demo, site, { w: 'paper', t: kind, format: 'json' })).body, {
      code: 0, subcode: 0, data: { [part]: { list: [], totalnum: 0 } }
    })
  }
  t.ok((await classic(demo, site, { w: 'paper', t: '12', format: 'json' })).body.data.mv.list.length > 0)
  t.match((await classic(demo, site, { w: 'paper', t: '0', format: 'json', new_json: '1' })).body, {
    code: 0, subcode: 0, data: { song: { list: [], totalnum: 0 }, zhida: null }
  })
})
