/** Play addresses and downloads: the requested file, the delivered file, and fallbacks. */
import t from 'tap'
import type { FileQuality } from '../../schemas/music.ts'
import type { DemoUpstream } from '../../src/demo/upstream.ts'
import { rootsInOrder } from '../../src/upstream/wire/audioRoots.ts'
import { cookieOf, demoFor, paramOf, song } from '../support/helper.ts'
import { partOf } from '../support/partOf.ts'
import { relayFor, sharedStage } from '../support/stage.ts'
import { dispatch, newerVkey, songDetail as detail, songTracks as tracks, vkey } from '../support/wires.ts'

const test = sharedStage('play addresses')

interface VkeyParam {
  guid: string
  songmid: string[]
  filename: string[]
  songtype: number[]
  uin: string
  loginflag?: number
  platform?: string
  ctx?: number
}
const asked = (demo: DemoUpstream, name = vkey): VkeyParam[] =>
  demo.calls(name).map(({ body }) => (body as { req_0: { param: VkeyParam } }).req_0.param)
const lengthOf = async (url: string): Promise<number> => (await (await fetch(url)).arrayBuffer()).byteLength

test('the address of a free song opens, and is the file that size and quality say', async ({ t, relay }) => {
  const { url, size, quality, playUrl, availableQualities, ...rest } = await relay.getMusicPlay({ songmid: song(1) })
  t.same([quality, rest], ['128', {}], 'no reason and no hint')
  t.same(playUrl, { [song(1)]: { url, size, quality, availableQualities } })
  t.equal(await lengthOf(url), size)
})

t.test('what a listener opens first plays without a login: the tops of all charts, the trending words, the first hits of a search', async (t) => {
  // On a busy machine the last one of thirty searches waits longer for its turn than callers do.
  const relay = relayFor(t, await demoFor(t), { tuning: { upstreamQueueMs: 60_000 } })
  const { topLists = [] } = await relay.getRanks({ limit: 1 })
  const charts = await Promise.all(topLists.map(async ({ id }) => (await relay.getRanks({
    topId: id, limit: 10, resolveMid: true
  })).songInfoList.map(({ song_mid = '' }) => song_mid)))
  const { hotkey } = await relay.getHotkey()
  const found = await Promise.all([...hotkey.map(({ k }) => k), 'paper', 'light', '月']
    .map(async (key) => (await relay.getSearchByKey({ key })).song.list.slice(0, 1).map(({ mid }) => mid)))
  t.ok(charts.length > 15 && found.length > 20)
  for (const mids of [...charts.filter(({ length }) => length > 0), ...found]) {
    const { playUrl } = await relay.getMusicPlay({ songmid: mids.join(',') })
    t.same(mids.filter((mid) => !playUrl[mid]?.url), [], mids.join(', '))
  }
})

test('the upstream is asked exactly as its own player asks', async ({ t, demo, relay }) => {
  await relay.getMusicPlay({ songmid: song(2) })
  await relay.getMusicPlay({ songmid: song(2) }, { cookie: cookieOf(demo, 'ordinary') })
  t.same(demo.received.map(({ calls }) => calls), [[detail], [vkey], [detail], [vkey]])
  t.match(demo.received[0]?.body, {
    req_0: { module: 'music.pf_song_detail_svr', method: 'get_song_detail_yqq', param: { song_mid: song(2) } }
  })
  const [anonymous, account] = asked(demo)
  const files =
    { songmid: [song(2)], filename: ['M50000DemoFile0002.mp3'], songtype: [0], loginflag: 1, platform: '20' }
  t.same([anonymous, account], [
    { guid: anonymous?.guid, ...files, uin: '0' }, { guid: account?.guid, ...files, uin: '1000000101' }
  ])
  t.match(anonymous?.guid, /^[0-9a-f]{32}$/)
  t.not(anonymous?.guid, account?.guid, 'a new guid for every request')
  t.notMatch(demo.received[1]?.body, { comm: { authst: String } })
  t.match(demo.received[3], { body: { comm: { uin: '1000000101', authst: /^Q_H_L_/ } }, headers: {
    cookie: /qm_keyst=Q_H_L_/, referer: 'https://y.qq.com/'
  } })
  demo.next(vkey, { mutate: (answer) => { answer.data.sip.splice(1) } })
  await relay.getMusicPlay({ songmid: song(2) })
  t.equal(demo.calls(dispatch).length, 0, 'one root is enough')
})

test('each quality is a file of its own, with its own size', async ({ t, demo, relay }) => {
  const as = { cookie: cookieOf(demo, 'member') }
  const table: readonly [FileQuality, number, string, string][] = [
    ['128', 25, 'M500', 'mp3'], ['320', 25, 'M800', 'mp3'], ['m4a', 25, 'C400', 'm4a'], ['aac24', 25, 'C100', 'm4a'], ['aac48', 25, 'C200', 'm4a'], ['aac192', 25, 'C600', 'm4a'],
    ['ogg96', 25, 'O400', 'ogg'], ['ogg192', 25, 'O600', 'ogg'], ['ogg320', 25, 'O800', 'ogg'], ['ogg640', 25, 'O801', 'ogg'],
    ['flac', 25, 'F000', 'flac'], ['hires', 25, 'RS01', 'flac'], ['master', 25, 'AI00', 'flac'], ['ape', 40, 'A000', 'ape'],
    ['spatial', 25, 'Q000', 'flac'], ['spatial51', 25, 'Q001', 'flac'], ['spatial71', 25, 'Q003', 'ogg'], ['dolby', 25, 'D004', 'mp4'], ['dts', 25, 'DT03', 'mp4']
  ]
  const sizes = new Set<number>()
  for (const [quality, number, prefix, extension] of table) {
    const play = await relay.getMusicPlay({ songmid: song(number), quality }, as)
    t.equal(play.quality, quality)
    t.match(play.url, new RegExp(`/audio/${prefix}00Demo(Song|File)00${number}\\.${extension}\\?`))
    t.equal((await fetch(play.url, { method: 'HEAD' })).headers.get('content-length'), String(play.size), quality)
    sizes.add(play.size)
    const file = await relay.downloadProviderMusic({ songmid: song(number), quality }, as)
    t.match(file, { quality, size: play.size, filename: new RegExp(`^${prefix}\\w+\\.${extension}$`) })
  }
  t.ok(sizes.size >= 8, 'the sizes differ')
  demo.reset()
  t.match(await relay.getMusicPlay({ songmid: song(2), quality: 'trial' }), {
    quality: 'trial', url: /RS0200DemoTria0002\.mp3/, size: 64128
  })
  t.same(asked(demo)[0]?.filename, ['RS0200DemoTria0002.mp3', 'RS0200DemoFile0002.mp3'], 'a trial goes by a MID of its own')
})

test('best asks once, with falling qualities, and takes the first that is granted', async ({ t, demo, relay }) => {
  for (const [number, account, quality] of [
    [1, undefined, 'aac192'], [1, 'ordinary', '320'], [2, 'member', 'flac'], [1, 'member', 'master']
  ] as const) {
    t.equal((await relay.getMusicPlay(
      { songmid: song(number), quality: 'best' }, account === undefined ? {} : { cookie: cookieOf(demo, account) }
    )).quality, quality)
  }
  t.equal(demo.calls(vkey).length, 4)
  const { filename = [], songmid, songtype } = asked(demo)[0] ?? {}
  t.same(filename.map((name) => name.slice(0, 4)), ['AI00', 'RS01', 'F000', 'O801', 'M800', 'O800', 'C600', 'O600', 'M500', 'C400', 'O400', 'C200'], 'no file that the song does not have, no trial')
  t.match([songmid, songtype], [{ length: 12 }, { length: 12 }])
  demo.reset()
  const mids = Array.from({ length: 50 }, (_, at) => song(at + 10))
  const { playUrl } =
    await relay.getMusicPlay({ songmid: mids.join(','), quality: 'best' }, { cookie: cookieOf(demo, 'member') })
  t.same(Object.keys(playUrl), mids)
  t.ok(Object.values(playUrl).filter(({ url }) => url !== '').length > 40)
  t.ok(
    asked(demo).length > 1 && asked(demo).every(({ filename }) => filename.length <= 100),
    'fifty songs stay within a hundred files per call'
  )
  t.same(demo.calls(detail).map(({ calls }) => calls.length), [20, 20, 10])
})

test('several songs are looked up in one request and granted in one; the path takes as many as the query does', async ({ t, demo, relay, server }) => {
  const { url, playUrl } =
    await relay.getMusicPlay({ songmid: [song(5), 'nosuchsong', song(1), song(3), song(5)].join() })
  t.same(Object.entries(playUrl).map(([mid, play]) => [mid, play.quality || (play as { reason: string }).reason]), [
    [song(5), '128'], ['nosuchsong', 'NOT_FOUND'], [song(1), '128'], [song(3), 'NO_COOKIE']
  ], 'in order, each once')
  t.equal(url, playUrl[song(5)]?.url)
  t.equal(demo.received.length, 2)
  t.match(asked(demo)[0], { songmid: [song(5), song(1), song(3)], songtype: [0, 0, 0] })
  const mids = Array.from({ length: 50 }, (_, at) => at === 0 ? song(1) : `unknown${at}`.padEnd(32, '_'))
  for (const comma of [',', '%2C']) {
    const { body } = await server.get(`/getMusicPlay/${mids.join(comma)}`)
    t.same(Object.keys(body.data.playUrl), mids)
    t.match(body.data, { quality: '128', url: /^http/ })
  }
  t.match(await server.get(`/getMusicPlay/${[...mids, song(2)].join()}`), { status: 400, body: { code: 'INVALID_INPUT', error: /^songmid: must be 1 to 50 MIDs/ } })
})

test('a number beside a MID is what the song is looked up by, and never changes which song plays; mediaId names its file', async ({ t, demo, relay }) => {
  const play = async (input: { songmid: string, songid?: number, mediaId?: string }): Promise<any> => {
    demo.reset()
    const { url, playUrl: _, ...rest } = await relay.getMusicPlay(input)
    return { ...rest, file: url.split('?', 1)[0] }
  }
  const right = await play({ songmid: song(5) })
  t.match(right, { file: /\w/, quality: '128' })
  for (const songid of [5000001, 5000009, 4999999]) {
    t.same(await play({ songmid: song(5), songid }), right, `the number ${songid} is that of another song or none`)
    t.same(demo.calls(detail).map(paramOf), [{ song_id: songid }, { song_mid: song(5) }])
  }
  t.same(await play({ songmid: song(5), songid: 5000005 }), right)
  t.same(demo.calls(detail).map(paramOf), [{ song_id: 5000005 }], 'the right number costs no further request')
  t.match(await play({ songmid: 'nobody', songid: 5000005 }), {
    file: '', reason: 'NOT_FOUND', hint: 'There is no such song: check the songmid and the songid.'
  })
  t.match(await play({ songmid: 'nobody' }), { reason: 'NOT_FOUND', hint: 'There is no such song: check the songmid.' })
  demo.next(detail, { mutate: (answer) => { answer.data = {} } }, 2)
  t.match(await play({ songmid: song(5), songid: 4999999 }), right)
  await play({ songmid: `${song(5)},${song(1)}`, songid: 5000005, mediaId: 'otherFile' })
  t.match(demo.received[0]?.body, { req_0: { param: { song_id: 5000005 } }, req_1: { param: { song_mid: song(1) } } })
  t.same(asked(demo)[0]?.filename, ['M500otherFile.mp3', `M500${song(1)}.mp3`])
  const plain = await relay.getSongInfo({ songmid: song(5) })
  t.same(await relay.getSongInfo({ songmid: song(5), songid: 4999999 }), plain)
  t.same(
    await relay.batchGetSongInfo({ songs: [[song(5), 5000001], [song(5), 4999999], [song(5), '5000009']] }),
    [plain, plain, plain]
  )
})

test('the type of a song goes along with its file, and is 0 else', async ({ t, demo, relay }) => {
  for (const type of [113, undefined]) {
    demo.next(detail, {
      mutate: ({ data: { track_info: track } }) => { if (type === undefined) delete track.type; else track.type = type }
    })
    await relay.getMusicPlay({ songmid: song(1) })
  }
  t.same(asked(demo).map(({ songtype }) => songtype), [[113], [0]])
})

test('the newer play call needs a root, which it asks for; without any it is the constant one', async ({ t, demo, relay }) => {
  for (const fault of [undefined, { code: 500003 }, { status: 500 }] as const) {
    demo.reset()
    demo.next(vkey, { code: 500003 })
    if (fault !== undefined) demo.next(dispatch, fault, Infinity)
    t.match(
      (await relay.getMusicPlay({ songmid: song(1) })).url, fault === undefined ? /\/M500/ : /^https:\/\/[\w.]+\/M500/
    )
    t.match(demo.calls(dispatch)[0]?.body, {
      req_0: { param: { guid: asked(demo, newerVkey)[0]?.guid, uid: '0', use_new_domain: 1, use_ipv6: 1 } }
    })
  }
})

test('when the look-up dies the older one finds the file, and without any the MID is tried once, then twice', async ({ t, demo, relay }) => {
  demo.next(detail, { code: 500003 })
  t.match(await relay.getMusicPlay({ songmid: song(2) }, { cookie: cookieOf(demo, 'ordinary') }), {
    quality: '128', size: 2144256, url: /M50000DemoFile0002\.mp3/
  })
  t.match(demo.calls(tracks)[0]?.body, { req_0: { param: { mids: [song(2)], types: [0] } } })
  for (const name of [detail, tracks]) demo.next(name, { code: 500003 })
  const blind = await relay.getMusicPlay({ songmid: song(1) })
  t.match(asked(demo).at(-1), { filename: [`M500${song(1)}.mp3`, `M500${song(1)}${song(1)}.mp3`], songtype: [0, 0] })
  t.match(blind, { quality: '128', size: 0, url: new RegExp(`M500${song(1)}\\.mp3`) })
  t.notOk('availableQualities' in blind)
  demo.reset()
  for (const name of [detail, tracks]) demo.next(name, { code: 500003 }, 2)
  t.match(await relay.getMusicPlay({ songmid: song(1), songid: 5000001 }), { url: new RegExp(`M500${song(1)}\\.mp3`) })
  t.same(demo.calls(detail).map(paramOf), [{ song_id: 5000001 }], 'a call that fails by number is not sent again by MID')
})

test('failures of the look-up and of the play calls say what they are', async ({ t, demo, hasty }) => {
  for (const [dead, fault, code] of [
    [[detail, tracks], { reset: true }, 'UPSTREAM_UNREACHABLE'],
    [[vkey, newerVkey], { code: 500003 }, 'UPSTREAM_REFUSED'],
    [[vkey, newerVkey], { body: '{"code":0}' }, 'UPSTREAM_UNREADABLE']
  ] as const) for (const call of ['getMusicPlay', 'downloadProviderMusic'] as const) {
    demo.reset()
    for (const name of dead) demo.next(name, fault)
    await t.rejects(relayFor(t, demo)[call]({ songmid: song(1) }) as Promise<unknown>, { code, statusCode: 502 })
  }
  demo.reset()
  demo.next(detail, { hang: true })
  t.match(await hasty.get(`/getMusicPlay/${song(1)}`), { status: 504, body: { code: 'UPSTREAM_TIMEOUT' } })
})

test('a file that no plain player plays is not handed out', async ({ t, demo, relay }) => {
  demo.next(vkey, { mutate: (answer) => { answer.data.midurlinfo[0].purl = `F0M0${song(1)}.mflac?guid=1` } })
  t.match(await relay.getMusicPlay({ songmid: song(1) }), { url: '', quality: '', reason: 'UNKNOWN' })
})

t.test('the root is https where there is one, and not one of the hosts that fail', async (t) => {
  const constant = rootsInOrder([])[0] ?? ''
  t.match(constant, /^https:\/\/.*\/$/)
  for (const [roots, chosen] of [
    [['http://ws.one.example/', 'http://two.example/', 'https://three.example/'], 'https://three.example/'], [['http://ws.one.example/', 'http://two.example/path'], 'http://two.example/path/'],
    [['http://ws.one.example/'], 'http://ws.one.example/'], [['http://ws.one.example/', constant.replace('https:', 'http:')], constant], [['javascript:alert(1)//', 'ftp://x/', ''], constant]
  ] as const) t.equal(rootsInOrder(roots)[0], chosen)
})

test('a download has address, size, quality and file name', async ({ t, demo, relay }) => {
  const { url, size, availableQualities: _, ...named } =
    await relay.downloadProviderMusic({ songmid: song(1), quality: 'm4a' })
  t.same(named, { quality: 'm4a', filename: `C400${song(1)}.m4a` })
  t.equal(await lengthOf(url), size)
  t.equal((await relay.downloadProviderMusic({ songmid: song(1) })).quality, '128')
  const refused = await relay.downloadProviderMusic({ songmid: song(3) }, { cookie: cookieOf(demo, 'ordinary') })
  const none = { url: '', size: 0, quality: '', filename: '', reason: 'PAID', hint: /\.$/ }
  t.same(partOf(refused, none), none)
})
