/** Play addresses of MVs: grouped by definition, complete and unique, the reasons if there are none; real answers. */
import { test } from '../support/stage.ts'
import { mvInfo as info, mvUrls as urls, mvUrlsOlder as olderUrls } from '../support/wires.ts'

/** The calls of one request to the gateway, in order, without their keys. */
const asked = (demo: { received: { body: unknown }[] }, at = 0): { module: string, method: string, param: Record<string, unknown> }[] =>
  Object.entries(demo.received[at]?.body as Record<string, never>).flatMap(([key, call]) => key === 'comm' ? [] : [call])

const vid = 'demoV000004'

test('an MV has its addresses by definition, and they play', async ({ t, demo, server }) => {
  const { status, body: { response } } = await server.get(`/getMvPlay?vid=${vid}`)
  t.equal(status, 200)
  t.same(Object.keys(response.playLists), ['f10', 'f20', 'f30', 'f40', 'others'])
  for (const group of Object.values(response.playLists) as string[][]) t.equal(group.length, 4, 'two mirrors of an mp4 file and two of an hls playlist')
  t.match(response.mvinfo, { vid, name: String, duration: Number, singers: [{ name: String }] })
  t.notOk('reason' in response)
  const film = await fetch(response.playLists.f20[0])
  t.equal(film.headers.get('content-type'), 'video/mp4')
  t.equal((await film.arrayBuffer()).byteLength, response.urls.find(({ filetype, type }: { filetype: number, type: string }) => filetype === 20 && type === 'mp4').fileSize)
  const playlist = await (await fetch(response.playLists.f20[2])).text()
  t.match(playlist, /^#EXTM3U\n/)
  const piece = await fetch(new URL(playlist.split('\n').at(-3) ?? '', demo.origin), { headers: { range: 'bytes=4-7' } })
  t.equal(piece.status, 206)
  t.equal(await piece.text(), 'ftyp')
  t.equal((await fetch(response.playLists.f20[0].replace(/\/[0-9A-F]{8}(?=[0-9A-F]{64}\/)/, '/00000001'))).status, 403, 'an old key does not')
})

test('addresses and information are asked for in one request', async ({ t, demo, relay }) => {
  await relay.getMvPlay({ vid })
  t.equal(demo.received.length, 1)
  const [first, second] = asked(demo)
  const { guid, ...param } = first?.param ?? {}
  t.match(guid, /^[0-9a-f]{32}$/)
  t.same({ ...first, param }, { module: 'music.stream.MvUrlProxy', method: 'GetMvUrls', param: { vids: [vid], request_type: 10003, videoformat: 1, format: 264, dolby: 1, use_new_domain: 1, use_ipv6: 1 } })
  t.match(second, { module: 'video.VideoDataServer', method: 'get_video_info_batch', param: { vidlist: [vid] } })
})

test('an MV without addresses says why', async ({ t, demo, relay }) => {
  const [ordinary, member] = demo.accounts
  const none = { f10: [], f20: [], f30: [], f40: [], others: [] }
  const wanted = [
    { vid: 'demoV000008', cookie: undefined, reason: 'NO_COOKIE' },
    { vid: 'demoV000008', cookie: ordinary?.cookie, reason: 'PAID' },
    { vid: 'demoV000012', cookie: undefined, reason: 'NO_SUCH_QUALITY' }
  ]
  for (const { vid, cookie, reason } of wanted) {
    const record = await relay.getMvPlay({ vid }, cookie === undefined ? {} : { cookie })
    t.match(record, { playLists: none, urls: [], reason, hint: /\w/ })
  }
  demo.next(urls, { mutate: (answer) => { answer.data = { [vid]: { mp4: [], hls: null } } } })
  t.match(await relay.getMvPlay({ vid }), { playLists: none, reason: 'UNKNOWN' })
  const paid = await relay.getMvPlay({ vid: 'demoV000008' }, { cookie: member?.cookie ?? '' })
  t.ok(paid.playLists.f40.length > 0, 'a member plays it in the highest definition')
  t.notOk('reason' in paid)
})

test('an address without a path is a placeholder, and is left out', async ({ t, demo, relay }) => {
  const paths = (playLists: Record<string, string[]>): string[] => Object.values(playLists).flat().map((url) => new URL(url).pathname)
  for (const vid of ['demoV000024', 'demoV000028']) {
    const record = await relay.getMvPlay({ vid })
    t.match(demo.received.at(-1)?.body, { req_0: { param: { vids: [vid] } } })
    t.ok(record.playLists.f20.length > 0, vid)
    t.notOk(paths(record.playLists).includes('/'), vid)
  }
  const placeholders = ['http://mv6.music.tc.qq.com/', 'http://mv6.music.tc.qq.com', 'http://mv6.music.tc.qq.com?x=1']
  demo.next(urls, { mutate: () => ({ code: 0, data: { [vid]: { mp4: [{ code: 0, filetype: 20, freeflow_url: placeholders, comm_url: placeholders, url: ['https://a.example/'], vkey: '', cn: '' }] } } }) })
  t.match(await relay.getMvPlay({ vid }), { playLists: { f20: [] }, urls: [], reason: 'UNKNOWN' }, 'nothing else is no address')
  demo.next(urls, { mutate: () => ({ code: 0, data: { [vid]: { mp4: [{ code: 0, filetype: 20, freeflow_url: placeholders, comm_url: ['https://a.example/x.mp4'] }] } } }) })
  t.match(await relay.getMvPlay({ vid }), { playLists: { f20: ['https://a.example/x.mp4'] } })
})

test('MV data that is empty upstream is 502', async ({ t, demo, server }) => {
  t.match(await server.get('/getMvPlay?vid=nobodyKnows'), { status: 502, body: { code: 'UPSTREAM_EMPTY' } }, 'an unknown vid')
  for (const data of [undefined, {}, { [vid]: {} }]) {
    for (const call of [urls, olderUrls]) demo.next(call, { mutate: () => ({ code: 0, data }) })
    t.match(await server.get(`/getMvPlay?vid=${vid}`), { status: 502, body: { code: 'UPSTREAM_EMPTY' } }, JSON.stringify(data))
  }
})

test('nothing is lost and nothing stands twice', async ({ t, demo, relay }) => {
  const item = (filetype: number | undefined, cn: string, more: object = {}): object =>
    ({ code: 0, ...(filetype === undefined ? {} : { filetype }), cn, vkey: 'K', url: ['https://a.example/', 'https://b.example/'], freeflow_url: [`https://a.example/${cn}`], ...more })
  demo.next(urls, {
    mutate: () => ({
      code: 0,
      data: {
        [vid]: {
          mp4: [
            item(20, 'x.f9824.mp4'), item(20, 'x.f9824.mp4'), item(60, 'x.f160030.mp4'), item(undefined, 'x.f9834.mp4'), item(0, 'x.f140000.mp4'),
            item(undefined, 'odd.mp4'), item(10, 'x.f10.mp4', { freeflow_url: [] }), item(30, 'gone.mp4', { code: 2000 }), item(40, '', { freeflow_url: null, url: null })
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

test('an MV that has no mp4, or only parts of addresses, plays all the same', async ({ t, relay }) => {
  t.same([...new Set((await relay.getMvPlay({ vid: 'demoV000016' })).urls.map(({ type }) => type))], ['hls'])
  const { playLists } = await relay.getMvPlay({ vid: 'demoV000020' })
  t.equal((await fetch(playLists.f10[0] ?? '')).status, 200)
})

test('an MV is answered without its information when that cannot be had', async ({ t, demo, relay }) => {
  demo.next(info, { code: 500003 })
  const record = await relay.getMvPlay({ vid })
  t.notOk('mvinfo' in record)
  t.ok(record.urls.length > 0)
})

test('private fields of the upstream stay upstream', async ({ t, server }) => {
  t.notMatch((await server.get(`/getMvPlay?vid=${vid}`)).text, /uploader|enc_uin|"vkey"|uin"/)
})
