/** What people paste: every form of link, numbers and MIDs; short links, which are read and not followed; and everything hostile. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { linkIn } from '../../src/upstream/wire/links.ts'
import { cookieOf, endpoints, paramOf } from '../support/helper.ts'
import { relayFor, sharedStage } from '../support/stage.ts'

const test = sharedStage('what people paste')

const short = '/base/fcgi-bin/u'
const link = (token: string, host = 'c6.y.qq.com'): string => `https://${host}${short}?__=${token}`
const songs = { type: 'song', id: '', mid: '00DemoSong0001', candidates: [] }

/** Every known form, by what it names: type, number, MID. */
const forms: readonly (readonly [type: string, id: string, mid: string, ...texts: string[]])[] = [
  ['song', '', '00DemoSong0001',
    'https://y.qq.com/n/ryqq/songDetail/00DemoSong0001', 'https://y.qq.com/n/ryqq_v2/songDetail/00DemoSong0001?songtype=0#x', 'https://y.qq.com/n/yqq/song/00DemoSong0001.html',
    'http://y.qq.com/n/yqq/song/00DemoSong0001.html', 'https://y.qq.com/portal/song/00DemoSong0001.html', 'https://i.y.qq.com/n2/m/outchain/player/index.html?songmid=00DemoSong0001&songtype=0',
    'https://i2.y.qq.com/n3/other/pages/playsong/index.html?songmid=00DemoSong0001', 'https://y.qq.com/n/ryqq/songDetail/00DemoSong0001&userid=1',
    // As apps and chats write them.
    '《First Light》https://y.qq.com/n/ryqq/songDetail/00DemoSong0001。好听', 'Listen (https://y.qq.com/n/ryqq/songDetail/00DemoSong0001).',
    '{"meta":{"music":{"jumpUrl":"https:\\/\\/i.y.qq.com\\/v8\\/playsong.html?a=1\\u0026songmid=00DemoSong0001","title":"x"}}}', '<a href="https://i.y.qq.com/v8/playsong.html?a=1&amp;songmid=00DemoSong0001">',
    // Cards and codes of chats, links with other characters behind them, markup, and what was encoded on its way.
    '[CQ:json,data={"app":"com.tencent.music.lua"&#44;"meta":{"music":{"desc":"x"&#44;"jumpUrl":"https:\\/\\/i.y.qq.com\\/v8\\/playsong.html?hosteuin=x**&amp;songmid=00DemoSong0001&amp;type=0"&#44;"tag":"QQ音乐"}}&#44;"prompt":"&#91;分享&#93;First Light"}]',
    '[CQ:json,data={"musicUrl":"http:\\/\\/c6.y.qq.com\\/rsc\\/fcgi-bin\\/fcg_pyq_play.fcg?songid=&amp;amp;songmid=00DemoSong0001&amp;amp;songtype=1"}]',
    '[CQ:music,type=custom,url=https://y.qq.com/n/ryqq/songDetail/00DemoSong0001,audio=https://example.com/a.mp3,title=First Light]', '[CQ:share,url=https://y.qq.com/n/ryqq/songDetail/00DemoSong0001]',
    '[CQ:xml,data=<?xml version="1.0"?><msg url="https://i.y.qq.com/v8/playsong.html?a=1&amp;amp;songmid=00DemoSong0001">]', '{"url":"https:\\\\/\\\\/i.y.qq.com\\\\/v8\\\\/playsong.html?songmid\\u003d00DemoSong0001"}',
    'https://y.qq.com/#type=song&mid=00DemoSong0001', 'http://y.qq.com/#type=song&mid=00DemoSong0001&tpl=yqq_song_detail&play=1',
    ...['@QQ音乐', '(来自QQ音乐)', '**', '~~', '|', '[图片]', '，', '）', '`', ',00DemoSong0002'].map((end) => `分享First Lighthttps://y.qq.com/n/ryqq/songDetail/00DemoSong0001${end}`),
    '[First Light](https://y.qq.com/n/ryqq/songDetail/00DemoSong0001 "x")', '[url=https://y.qq.com/n/ryqq/songDetail/00DemoSong0001]First Light[/url]', '链接:y.qq.com/n/ryqq/songDetail/00DemoSong0001', '//y.qq.com/n/ryqq/songDetail/00DemoSong0001',
    'https%3A%2F%2Fy.qq.com%2Fn%2Fryqq%2FsongDetail%2F00DemoSong0001', 'url=https%3a%2f%2fi.y.qq.com%2fv8%2fplaysong.html%3Fsongmid%3D00DemoSong0001', 'https%253A%252F%252Fy.qq.com%252Fn%252Fryqq%252FsongDetail%252F00DemoSong0001',
    `${'转发 '.repeat(1500)}https://y.qq.com/n/ryqq/songDetail/00DemoSong0001${'！'.repeat(3000)}`,
    'https://example.com/ and https://y.qq.com/ and https://y.qq.com/n/ryqq/songDetail/00DemoSong0001 and https://y.qq.com/n/ryqq/playlist/7700000001'],
  ['song', '5000001', '00DemoSong0001',
    'https://i.y.qq.com/v8/playsong.html?ADTAG=cbshare&songmid=00DemoSong0001&songid=5000001&type=0#wechat_redirect',
    'https://i.y.qq.com/v8/playsong.html?hosteuin=x&songid=5000001&songmid=00DemoSong0001&type=0'],
  ['album', '', '00DemoAlbu0001',
    'https://y.qq.com/n/ryqq/albumDetail/00DemoAlbu0001', 'https://y.qq.com/n/ryqq_v2/album/00DemoAlbu0001/', 'https://i.y.qq.com/n2/m/share/details/album.html?albummid=00DemoAlbu0001&ADTAG=x',
    'https://i2.y.qq.com/n3/other/pages/details/album.html?id=00DemoAlbu0001', 'https://y.qq.com/w/album.html?albummid=00DemoAlbu0001'],
  ['singer', '', '00DemoSing0001',
    'https://y.qq.com/n/ryqq/singer/00DemoSing0001', 'https://i2.y.qq.com/n3/other/pages/details/singer.html?singermid=00DemoSing0001',
    'https://i.y.qq.com/n2/m/share/profile_v2/index.html?singermid=00DemoSing0001', 'http://y.qq.com/#type=singer&mid=00DemoSing0001'],
  ['playlist', '7700000001', '',
    'https://y.qq.com/n/ryqq/playlist/7700000001', 'https://y.qq.com/n/yqq/playsquare/7700000001.html', 'https://y.qq.com/n/m/detail/taoge/index.html?id=7700000001',
    'https://i.y.qq.com/n2/m/share/details/taoge.html?hosteuin=x**&id=7700000001&appversion=1', 'https://i.y.qq.com/n2/m/share/details/interactive_playlist.html?id=7700000001',
    'https://i2.y.qq.com/n3/other/pages/details/playlist.html?platform=11&appshare=android_qq&disstid=7700000001',
    'https://i.y.qq.com/n2/m/share/personalized_playlist_v2/index.html?id=7700000001', 'https://y.qq.com/musicmac/v6/playlist/detail.html?id=7700000001',
    'http://y.qq.com/w/taoge.html?ADTAG=myqq&id=7700000001', 'http://y.qq.com/#type=taoge&id=7700000001'],
  ['chart', '62', '', 'https://y.qq.com/n/ryqq/toplist/62', 'https://i.y.qq.com/n2/m/share/details/toplist.html?id=62'],
  ['chart', '4', '', 'https://y.qq.com/portal/toplist/4.html'],
  ['mv', '', 'demoV000004',
    'https://y.qq.com/n/ryqq/mv/demoV000004', 'y.qq.com/n/ryqq/mv/demoV000004', 'HTTPS://Y.QQ.COM/n/ryqq/mv/demoV000004', 'https://y.qq.com:443/n/ryqq/mv/demoV000004',
    'https://y.qq.com/n/yqq/mv/v/demoV000004.html', 'https://i.y.qq.com/n2/m/share/details/mv.html?ADTAG=newyqq.mv&vid=demoV000004',
    'https://i2.y.qq.com/n3/other/pages/details/mv.html?vid=demoV000004']
]

test('every form of link is read without a request', async ({ t, demo, relay }) => {
  for (const [type, id, mid, ...texts] of forms) for (const text of texts) t.same(await relay.resolve({ text }), { type, id, mid, candidates: [] }, text)
  t.same(demo.received, [])
})

test('a short link costs one request, which names no account, and its redirect is read and not followed', async ({ t, demo, relay }) => {
  for (const [text, wanted] of [
    [link('s00DemoSong0001'), songs], [`${link('s00DemoSong0001')}@QQ音乐`, songs], [link('s00DemoSong0001', 'c.y.qq.com'), songs], [`《First Light》 ${link('s00DemoSong0001')} @QQ音乐`, songs],
    [link('a00DemoAlbu0001'), { type: 'album', mid: '00DemoAlbu0001' }], [link('g00DemoSing0001'), { type: 'singer', mid: '00DemoSing0001' }], [link('p7700000001'), { type: 'playlist', id: '7700000001' }]
  ] as const) {
    demo.reset()
    t.match(await relay.resolve({ text }, { cookie: cookieOf(demo, 'member') }), wanted, text)
    t.match(demo.received, [{ method: 'GET', path: short, headers: { cookie: undefined } }], text)
    t.equal(demo.received[0]?.host, text.includes('c6.') ? 'c6.y.qq.com' : 'c.y.qq.com')
  }
  // A number behind it becomes a MID.
  demo.reset()
  t.match(await relay.resolve({ text: link('n5000001') }), { type: 'song', id: '5000001', mid: '00DemoSong0001' })
  t.equal(demo.received.length, 2)
  await t.rejects(relay.resolve({ text: link('sNobody') }), { code: 'NOT_FOUND', message: 'This short link does not exist, or is not public.' })
  await t.rejects(relay.resolve({ text: link('u1') }), { code: 'NOT_FOUND', message: /leads to no song/ })
})

test('a short link is never followed: not elsewhere, not to a further one, not to itself', async ({ t, demo, relay }) => {
  let asked = 0
  const elsewhere = createServer((_request, response) => { asked++; response.end() }).listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  t.teardown(() => { elsewhere.close() })
  const other = `127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
  const pages = [
    `http://${other}/n/ryqq/songDetail/00DemoSong0001`, `//${other}/`, `https://y.qq.com@${other}/n/ryqq/songDetail/00DemoSong0001`, `https://${other}/?to=https://y.qq.com/n/ryqq/songDetail/00DemoSong0001`,
    link('s00DemoSong0001'), 'https://y.qq.com/', '/n/ryqq/songDetail/00DemoSong0001', 'javascript:alert(1)', 'https://y.qq.com.evil.example/n/ryqq/songDetail/00DemoSong0001', `https://y.qq.com/${'a'.repeat(9000)}`
  ]
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of pages) {
      demo.reset()
      demo.next(short, { status, headers: { location } })
      await t.rejects(relay.resolve({ text: link('x') }), { code: 'NOT_FOUND', message: /leads to no song/ }, `${status} ${location.slice(0, 80)}`)
      t.equal(demo.received.length, 1)
    }
  }
  t.equal(asked, 0)
})

test('the failures of a short link are those of the upstream', async ({ t, demo, relay }) => {
  for (const [fault, code] of [
    [{ body: '<html><a href="https://y.qq.com/n/ryqq/songDetail/00DemoSong0001">no redirect</a></html>' }, 'UPSTREAM_EMPTY'],
    [{ status: 302 }, 'UPSTREAM_REFUSED'], [{ status: 304 }, 'UPSTREAM_REFUSED'], [{ status: 403 }, 'UPSTREAM_REFUSED'], [{ status: 429 }, 'UPSTREAM_PAUSED'],
    [{ body: '<html>' }, 'UPSTREAM_EMPTY'], [{ status: 500 }, 'UPSTREAM_UNREACHABLE'], [{ reset: true }, 'UPSTREAM_UNREACHABLE']
  ] as const) {
    demo.next(short, fault, 3)
    await t.rejects(relayFor(t, demo).resolve({ text: link('s00DemoSong0001') }), { code }, JSON.stringify(fault))
    demo.reset()
  }
  demo.next(short, { status: 500 })
  t.match(await relay.resolve({ text: link('s00DemoSong0001') }), songs, 'one more attempt')
})

test('a short link that is a page, as in 2018, is read there; a second request fetches it, without an account', async ({ t, demo, relay }) => {
  t.same(await relay.resolve({ text: link('h00DemoSong0001', 'c.y.qq.com') }, { cookie: cookieOf(demo, 'member') }), songs)
  t.match(demo.received, [{ host: 'c.y.qq.com', headers: { cookie: undefined } }, { host: 'c.y.qq.com', headers: { cookie: undefined } }])
  t.equal(demo.received.length, 2)
  const page = async (body: string): Promise<unknown> => {
    demo.next(short, { body }, 2)
    return await relay.resolve({ text: link('x') })
  }
  t.match(await page('<a href="https://i.y.qq.com/v8/playsong.html?songid&#x3D;5000001&#38;no_redirect&#61;1">'), { type: 'song', id: '5000001', mid: '00DemoSong0001' })
  t.match(await page(`${'<p>'.repeat(60_000)}<a href="y.qq.com/n/yqq/playlist/7700000001.html?no_redirect=1">`), { type: 'playlist', id: '7700000001' })
  for (const body of [
    `https://example.com/n/ryqq/songDetail/00DemoSong0001?no_redirect=1 ${link('s00DemoSong0001')}&no_redirect=1 https://y.qq.com/?no_redirect=1`,
    `${' '.repeat(300_000)}https://y.qq.com/n/ryqq/songDetail/00DemoSong0001?no_redirect=1`, 'https://y.qq.com/n/ryqq/songDetail/00DemoSong0001?not_no_redirect=1'
  ]) await t.rejects(page(body), { code: 'UPSTREAM_EMPTY' }, body.trim().slice(0, 60))
})

test('a number in a link becomes the MID that other endpoints take', async ({ t, demo, relay }) => {
  for (const text of ['[CQ:music,type=qq,id=5000001]', '[{"type":"music","data":{"type":"qq","id":"5000001"}}]']) t.match(await relay.resolve({ text }), { type: 'song', id: '5000001', mid: '00DemoSong0001' }, text)
  for (const page of ['#type=song&id=5000001', 'n/ryqq/songDetail/5000001', 'n/yqq/song/5000001_num.html', 'v8/playsong.html?songid=5000001&songmid=&type=0']) t.match(await relay.resolve({ text: `https://y.qq.com/${page}` }), { type: 'song', id: '5000001', mid: '00DemoSong0001' }, page)
  t.match(await relay.resolve({ text: 'https://i.y.qq.com/n2/m/share/details/album.html?albumId=800001' }), { type: 'album', id: '800001', mid: '00DemoAlbu0001' })
  // A song of another kind is asked for by the call that takes it.
  demo.reset()
  t.match(await relay.resolve({ text: 'https://y.qq.com/n/ryqq/songDetail/5000001?songtype=13' }), { type: 'song', mid: '00DemoSong0001' })
  t.same(demo.received.map(({ calls }) => calls), [['music.trackInfo.UniformRuleCtrl/CgiGetTrackInfo']])
  t.match(paramOf(demo.received[0]), { ids: [5000001], types: [13] })
  for (const text of ['https://y.qq.com/n/ryqq/songDetail/1', 'https://i.y.qq.com/n2/m/share/details/album.html?albumId=1']) await t.rejects(relay.resolve({ text }), { code: 'NOT_FOUND' }, text)
})

test('a bare number or MID is asked of every kind at once; where several have a number, all are named', async ({ t, demo, relay }) => {
  for (const [text, type, id, mid] of [
    ['5000001', 'song', '5000001', '00DemoSong0001'], ['800001', 'album', '800001', '00DemoAlbu0001'], ['7700000001', 'playlist', '7700000001', ''], ['62', 'chart', '62', ''],
    ['00DemoSong0001', 'song', '5000001', '00DemoSong0001'], [' 00DemoAlbu0001 ', 'album', '800001', '00DemoAlbu0001'], ['00DemoSing0001', 'singer', '900001', '00DemoSing0001'], ['demoV000004', 'mv', '700004', 'demoV000004']
  ] as const) {
    demo.reset()
    t.same(await relay.resolve({ text }), { type, id, mid, candidates: [] }, text)
    t.equal(demo.received.length, 1, text)
  }
  for (const text of ['4999999999', '9007199254740993', '0', 'Nobody', '0'.repeat(30)]) await t.rejects(relay.resolve({ text }), { code: 'NOT_FOUND' }, text)
  const album = 'music.musichallAlbum.AlbumInfoServer/GetAlbumDetail'
  const head = { basicInfo: { albumID: 5000001, albumMid: '00DemoAlbu0002', albumName: 'The same number' } }
  demo.next(album, { mutate: () => ({ code: 0, data: head }) })
  t.same(await relay.resolve({ text: '5000001' }), {
    type: '', id: '5000001', mid: '',
    candidates: [{ type: 'song', id: '5000001', mid: '00DemoSong0001', name: 'First Light' }, { type: 'album', id: '5000001', mid: '00DemoAlbu0002', name: 'The same number' }]
  })
  // What did not answer may have the number, too. A MID is that of one thing.
  demo.next(album, { code: 500003 })
  t.match(await relay.resolve({ text: '5000001' }), { type: '', candidates: [{ type: 'song' }] })
  demo.next(album, { code: 500003 })
  t.match(await relay.resolve({ text: '00DemoSong0001' }), { type: 'song' })
  demo.next(album, { code: 500003 })
  await t.rejects(relay.resolve({ text: 'Nobody' }), { code: 'UPSTREAM_REFUSED' })
})

test('a word of fourteen digits may be a MID', async ({ t, demo, relay }) => {
  const text = '00123456789012'
  await t.rejects(relay.resolve({ text }), { code: 'NOT_FOUND', message: /has this MID/ })
  demo.next('music.pf_song_detail_svr/get_song_detail_yqq', { mutate () {} })
  demo.next('music.pf_song_detail_svr/get_song_detail_yqq', { mutate ({ data }) {
    Object.assign(data, { info: {}, track_info: { id: 5000001, mid: text, title: 'Digits' } })
  } })
  t.same(await relay.resolve({ text }), { type: 'song', id: '5000001', mid: text, candidates: [] })
})

test('what is no link of the provider is refused before anything is sent', async ({ t, demo, server }) => {
  const page = 'n/ryqq/songDetail/00DemoSong0001'
  const texts = [
    `https://example.com/${page}`, `https://example.com/?to=https://y.qq.com/${page}`, `https://example.com/y.qq.com/${page}`, `https://y.qq.com.example.com/${page}`, `https://xy.qq.com/${page}`, `https://y.qq.com./${page}`,
    `https://y.qq.com@example.com/${page}`, `https://someone:secret@y.qq.com/${page}`, `https://someone@y.qq.com/${page}`, `https://y.qq.com:8443/${page}`, `http://y.qq.com:443/${page}`, `https://y.qq.com\\@example.com/${page}`,
    `ftp://y.qq.com/${page}`, `file:///y.qq.com/${page}`, `javascript:https://example.com/${page}`, `https://xn--y-qq-zva.com/${page}`, `https://ｙ.ｑｑ.ｃｏｍ/${page}`, `https://y。qq。com/${page}`, `https://y%2Eqq.com%2F@example.com/${page}`,
    `https%3A%2F%2Fexample.com%2F%3Fto%3Dhttps%3A%2F%2Fy.qq.com%2F${page}`, `https://example.com/?to=https%3A%2F%2Fy.qq.com%2F${page}`, `https%3A%2F%2Fy.qq.com%40example.com%2F${page}`, `https%3A%2F%2Fsomeone%40y.qq.com%2F${page}`, `https:&#47;&#47;y.qq.com&#64;example.com/${page}`,
    `evil.example@y.qq.com/${page}`, '[CQ:music,type=163,id=5000001]', '[CQ:music,type=custom,id=5000001]', 'https://y.qq.com/#type=index', 'https://y.qq.com/x#type=song&mid=00DemoSong0001', 'https://y.qq.com/#type=constructor&mid=00DemoSong0001', 'https%3A%2F%2F%E0%A4%A',
    'https://127.0.0.1/', 'http://[::1]/', 'http://169.254.169.254/latest/meta-data', 'https://y.qq.com/', 'https://y.qq.com/n/ryqq/songDetail/', 'https://y.qq.com/n/ryqq/playlist/notANumber', 'https://y.qq.com/n/ryqq/profile/like/song',
    'https://i2.y.qq.com/n2/m/share/profile_v2/index.html?userid=x**', link('a/../../x'), link(''), link('x'.repeat(65)), `https://i.y.qq.com${short}?__=abc`, link('x').replace('c6.y.qq.com', 'c6.y.qq.com.evil.example'), 'two words', '***'
  ]
  for (const text of texts) {
    const { status, body } = await server.get(`/resolve?text=${encodeURIComponent(text)}`)
    t.match({ status, body }, { status: 400, body: { code: 'INVALID_INPUT', error: /^text: holds no link of the provider(?!.*secret)/ } }, text)
  }
  t.same(demo.received, [])
})

test('a text of a megabyte, of many links or of many beginnings costs nothing', async ({ t, demo, relay }) => {
  const megabyte = 1024 * 1024
  for (const piece of ['a', 'https://', 'https://example.com/ ', 'y.qq.com/', 'a.'.repeat(8), '&amp;', '&amp;#44;', '\\u0026', '\\/', '《', '[CQ:music,type=qq,', '"type" : ', 'https%3A%2F%2F', '%25', 'https://y.qq.com/@']) {
    await t.rejects(relay.resolve({ text: piece.repeat(Math.ceil(megabyte / piece.length)) }), { code: 'INVALID_INPUT', message: 'text: must be a text of 1 to 8192 characters that is not blank.' })
    const before = process.cpuUsage()
    linkIn(piece.repeat(8192 / piece.length))
    const { user, system } = process.cpuUsage(before)
    t.ok(user + system < 200_000, piece) // microseconds of CPU: on a busy machine the clock says nothing
  }
  t.match(linkIn('a  y.qq.com%252Fn%252Fryqq%252FsongDetail%252F00DemoSong0001 。)'), { type: 'song', mid: '00DemoSong0001' }, 'encoded twice, without a scheme')
  // Many links of others before one that counts.
  t.match(await relay.resolve({ text: `${'https://example.com/x '.repeat(50)}y.qq.com/n/ryqq/mv/demoV000004` }), { type: 'mv' })
  t.same(demo.received, [])
})

test('whoever refuses an id says that a link can be resolved; other refusals do not', async ({ t, server }) => {
  const hint = /\. \/resolve\?text= finds it in a link\.$/
  const text = 'https://y.qq.com/n/ryqq/songDetail/00DemoSong0001'
  let refused = 0
  for (const { path, input, example } of Object.values(endpoints).filter(({ method }) => method === 'GET')) {
    for (const name of Object.keys(input.properties).filter((each) => /^(?:(?:song|album|singer)mid|songid|disstid|vid|topId)$/.test(each))) {
      const { body } = await server.get(`${path}?${new URLSearchParams({ ...example as Record<string, string>, [name]: text }).toString()}`)
      t.match(body, { code: 'INVALID_INPUT', error: hint }, `${path} ${name}`)
      refused++
    }
  }
  t.ok(refused > 15)
  t.match((await server.post('/batchGetSongInfo', { songs: [['https://y.qq.com/x']] })).body, { error: hint })
  for (const path of ['/getImageUrl', '/cover']) t.match((await server.get(`${path}?id=${encodeURIComponent(text)}`)).body, { error: hint }, path)
  t.match((await server.get(`/getComments?id=${encodeURIComponent(text)}`)).body, { error: hint })
  t.notMatch((await server.get('/getRanks?limit=0')).body, { error: /resolve/ })
})

test('names of charts are decoded, and a number 0 is none', async ({ t, demo, relay }) => {
  const detail = 'music.musichallAlbum.AlbumInfoServer/GetAlbumDetail'
  demo.next('music.musicToplist.Toplist/GetDetail', { mutate: ({ data }) => { data.data.title = 'R&#38;B' } })
  demo.next(detail, { mutate: ({ data }) => { data.basicInfo = { albumID: 62, albumMid: 'other', albumName: 'x' } } })
  t.match((await relay.resolve({ text: '62' })).candidates.find(({ type }) => type === 'chart'), { name: 'R&B' })
  demo.next('video.VideoDataServer/get_video_info_batch', { mutate: ({ data }) => { data.demoV000004.sid = 0 } })
  t.match(await relay.resolve({ text: 'demoV000004' }), { type: 'mv', id: '', mid: 'demoV000004' })
})
