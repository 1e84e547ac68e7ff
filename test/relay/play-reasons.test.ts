/** A song without a play address is a regular answer with a reason. Also: what the upstream's real answers become. */
import type { PlayReason, Quality } from '../../schemas/music.ts'
import type { Fault } from '../../src/demo/types.ts'
import { cookieOf, sample, serverFor, song, subAnswers, withoutSamples } from '../support/helper.ts'
import { partOf } from '../support/partOf.ts'
import { sharedStage } from '../support/stage.ts'
import { dispatch, newerVkey, songDetail as detail, songTracks as tracks, vkey, whoAmI } from '../support/wires.ts'

const test = sharedStage('reasons')

type Account = 'nobody' | 'ordinary' | 'member' | 'expired'

// 1 is free, 2 needs a login, 3 is paid, 7 is region-locked, 8 was taken down, 9 has low qualities only.
const cases: readonly [Account, number | string, Quality, PlayReason][] = [
  ['nobody', 2, '128', 'NO_COOKIE'], ['nobody', 3, '128', 'NO_COOKIE'], ['nobody', 1, 'flac', 'NO_COOKIE'], ['nobody', 3, 'best', 'NO_COOKIE'],
  ['ordinary', 3, '128', 'PAID'], ['ordinary', 3, 'best', 'PAID'], ['ordinary', 1, 'flac', 'PAID'], ['ordinary', 7, '128', 'REGION'], ['member', 7, 'best', 'REGION'],
  ['expired', 1, '128', 'COOKIE_EXPIRED'], ['expired', 3, 'best', 'COOKIE_EXPIRED'],
  ['nobody', 9, 'flac', 'NO_SUCH_QUALITY'], ['member', 1, 'trial', 'NO_SUCH_QUALITY'], ['member', 8, '128', 'NO_SUCH_QUALITY'], ['member', 8, 'best', 'NO_SUCH_QUALITY'],
  ['nobody', 'nosuchsong', '128', 'NOT_FOUND'], ['member', 'nosuchsong', 'best', 'NOT_FOUND']
]

test('without an address the answer says why and what to do', async ({ t, demo, server }) => {
  for (const [account, number, quality, reason] of cases) {
    const songmid = typeof number === 'number' ? song(number) : number
    const headers: Record<string, string> = account === 'nobody' ? {} : { 'x-custom-cookie': cookieOf(demo, account) }
    const { body, headers: received } = await server.get(`/getMusicPlay?songmid=${songmid}&quality=${quality}`, { headers })
    t.match(body.data, { url: '', size: 0, quality: '', reason, hint: /^[A-Z].*\.$/ }, `${account} asks for ${quality} of ${songmid}`)
    t.equal(body.data.playUrl[songmid].reason, reason)
    t.equal(
      received.get('x-relay-warning'), reason === 'COOKIE_EXPIRED'
        ? 'the upstream rejects the cookie, which is expired or invalid; log in again' : null
    )
    const download = await server.get(`/downloadProviderMusic?songmid=${songmid}&quality=${quality}`, { headers })
    t.match(download.body.response.data, { url: '', filename: '', reason })
  }
})

test('hints name the qualities there are, and the trial; what the song does not have is not asked for', async ({ t, demo, relay }) => {
  t.match(await relay.getMusicPlay({ songmid: song(9), quality: 'flac' }), {
    hint: /one of aac192, ogg192, 128, m4a/,
    availableQualities: ['aac192', 'ogg192', '128', 'm4a', 'ogg96', 'aac48', 'trial']
  })
  t.match(await relay.getMusicPlay({ songmid: song(8) }), { hint: /no file at all/, availableQualities: [] })
  t.match(await relay.getMusicPlay({ songmid: song(3) }), { hint: /quality=trial/ })
  t.notMatch((await relay.getMusicPlay({ songmid: song(1), quality: 'flac' })).hint, /trial/)
  demo.next(detail, { mutate: ({ data }) => { delete data.track_info.file.size_flac } })
  t.notOk(
    (await relay.getMusicPlay({ songmid: song(1) })).availableQualities?.includes('flac'),
    'a size that is not told is that of no file'
  )
  demo.reset()
  await relay.getMusicPlay({ songmid: `${song(9)},${song(8)},nosuchsong`, quality: 'flac' })
  t.equal(demo.calls(vkey).length, 0)
})

test('whose cookie it is gets asked only after a denial', async ({ t, demo, relay }) => {
  const cookie = cookieOf(demo, 'ordinary')
  await relay.getMusicPlay({ songmid: song(2) }, { cookie })
  await relay.getMusicPlay({ songmid: song(3) })
  t.equal(demo.calls(whoAmI).length, 0)
  await relay.getMusicPlay({ songmid: `${song(3)},${song(12)}` }, { cookie })
  t.equal(demo.calls(whoAmI).length, 1)
  for (const fault of [{ code: 500003 }, { status: 500 }] as const) {
    demo.next(whoAmI, fault)
    t.match(
      await relay.getMusicPlay({ songmid: song(3) }, { cookie }), { reason: 'PAID' },
      'an unanswered question is no verdict'
    )
  }
  const server = await serverFor(t, demo, { logLevel: 'debug' })
  const said = async (account: 'ordinary' | 'expired'): Promise<number> => {
    await server.get(`/getMusicPlay?songmid=${song(3)}`, { headers: { 'x-custom-cookie': cookieOf(demo, account) } })
    return server.log.filter((line) => line.includes('whether the cookie is alive')).length
  }
  demo.next(whoAmI, { code: 500003 })
  t.same([await said('ordinary'), await said('expired')], [1, 1], 'the log says so, and only then')
})

test('codes of one file and of the whole call become reasons', async ({ t, demo, relay, server }) => {
  const cookie = cookieOf(demo, 'member')
  for (const [result, reason] of [
    [104003, 'NO_COOKIE'], [101404, 'NOT_FOUND'], [104004, 'RISK_CONTROL'], [104013, 'RISK_CONTROL'], [0, 'UNKNOWN'],
    [7, 'UNKNOWN']
  ] as const) {
    demo.next(vkey, { mutate: (answer) => { Object.assign(answer.data.midurlinfo[0], { purl: '', result }) } })
    t.match(await relay.getMusicPlay({ songmid: `${song(1)},${song(5)}` }), {
      url: '', reason, playUrl: { [song(5)]: { quality: '128' } }
    }, `${result}`)
  }
  for (const [code, withCookie, reason] of [
    [1000, false, 'NO_COOKIE'], [104401, false, 'NO_COOKIE'], [1000, true, 'COOKIE_EXPIRED'],
    [104400, true, 'COOKIE_EXPIRED'], [2001, false, 'RISK_CONTROL'], [104604, true, 'RISK_CONTROL']
  ] as const) {
    for (const name of [vkey, newerVkey]) demo.next(name, { code })
    t.match(await relay.getMusicPlay({ songmid: `${song(1)},nosuchsong` }, withCookie ? { cookie } : {}), {
      url: '', reason, playUrl: { nosuchsong: { reason: 'NOT_FOUND' } }
    }, `${code}`)
    demo.reset()
  }
  demo.next(detail, { code: 1000 })
  t.match(
    await relay.getMusicPlay({ songmid: song(1) }, { cookie }), { reason: 'COOKIE_EXPIRED' },
    'also when the look-up says so'
  )
  demo.next(detail, { code: 1000 })
  const { headers } = await server.get(`/getMusicPlay?songmid=${song(1)}`, { headers: { 'x-custom-cookie': cookie } })
  t.match(headers.get('x-relay-warning'), /rejects the cookie.*invalid; log in again/)
  demo.next(vkey, { mutate: (answer) => { answer.data.midurlinfo = [] } })
  t.match(await relay.getMusicPlay({ songmid: song(1) }), { reason: 'UNKNOWN' })
})

test('no file granted and no code is no success: the newer call is asked, and when both end so it is a reason', async ({ t, demo, server }) => {
  // How 104009 came (2026-11): with or without a code of the call, while each file says 0 and has no address.
  const ungranted = (retcode: number) => (answer: any) => {
    const none = answer.data.midurlinfo.map((item: object) => ({ ...item, purl: '', vkey: '', result: 0 }))
    Object.assign(answer.data, { retcode, msg: '203.0.113.77;invalidq;', sip: [], midurlinfo: none })
  }
  const ways: readonly (readonly [fault: Fault, reason: PlayReason])[] = [
    [{ mutate: ungranted(0) }, 'UNKNOWN'],
    [{ mutate: ungranted(104009) }, 'RISK_CONTROL'],
    [{ mutate (answer) { ungranted(104009)(answer); answer.code = 104009 } }, 'RISK_CONTROL']
  ]
  for (const headers of [{}, { 'x-custom-cookie': cookieOf(demo, 'member') }] as Record<string, string>[]) {
    for (const [fault, reason] of ways) {
      demo.reset()
      demo.next(vkey, fault)
      const saved = await server.get(`/getMusicPlay?songmid=${song(1)}`, { headers })
      t.match(saved, { status: 200, body: { data: { quality: '128', url: /M500/ } } }, `the newer call grants it after ${reason}`)
      demo.next(vkey, fault)
      demo.next(newerVkey, fault)
      const { status, text, body } = await server.get(`/getMusicPlay?songmid=${song(1)},${song(5)}`, { headers })
      t.match({ status, body }, {
        status: 200, body: { data: { url: '', reason, hint: /^[A-Z].*\.$/, playUrl: { [song(5)]: { reason } } } }
      })
      if (reason === 'RISK_CONTROL') t.equal(
        /pass the cookie/.test(body.data.hint), Object.keys(headers).length === 0,
        'who is logged in needs no advice to log in'
      )
      t.notMatch(text, /203\.0\.113|invalidq/, 'the address of the relay is not told')
    }
  }
  demo.reset()
  for (const [mood, reason] of [['play-104009', 'RISK_CONTROL'], ['play-empty', 'UNKNOWN']] as const) {
    demo.moods.on(mood)
    t.match((await server.get(`/getMusicPlay?songmid=${song(1)}`)).body, { data: { url: '', reason } }, mood)
    t.match((await server.get(`/downloadProviderMusic?songmid=${song(1)}`)).body, {
      response: { data: { url: '', filename: '', reason } }
    }, mood)
    t.match((await server.get('/getLyric/00DemoSong0001')).status, 200, 'and nothing else changes')
    demo.moods.off(mood)
  }
  t.match((await server.get(`/getMusicPlay?songmid=${song(1)}`)).body, { data: { quality: '128' } })
})

test('a song that could not be looked up is not said to be missing, and what is true for a moment is kept for seconds', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { cache: true })
  const denied = (result: number): Fault => ({ mutate: ({ data }) => {
    for (const item of data.midurlinfo) Object.assign(item, { purl: '', result })
  } })
  const blind = [[detail, { code: 500003 }], [tracks, { code: 500003 }]] as const
  for (const [number, reason, seconds, ...faults] of [
    [1, undefined, 120], [2, 'NO_COOKIE', 120], [3, 'NOT_FOUND', 120, [vkey, denied(101404)], [vkey, denied(101404)]],
    [5, undefined, 10, ...blind], [4, 'NOT_FOUND', 10, ...blind, [vkey, denied(101404)]],
    [6, 'RISK_CONTROL', 10, [vkey, denied(104004)]],
    [9, 'RISK_CONTROL', 10, [vkey, { code: 2001 }], [newerVkey, { code: 2001 }]]
  ] as const) {
    demo.reset()
    for (const [call, fault] of faults) demo.next(call, fault)
    const { body, headers } = await server.get(`/getMusicPlay?songmid=${song(number)}`)
    t.same([body.data.reason, headers.get('cache-control')], [reason, `public, max-age=${seconds}`], song(number))
    t.notMatch(number === 4 ? body.data.hint : '', /no such song/)
  }
})

test('real answers become play addresses', { skip: withoutSamples }, async ({ t, demo, relay }) => {
  const item = (file: string, at = 0): { filename: string, purl: string } =>
    sample(`${file}.json`).req_0.data.midurlinfo[at]
  /** An https address with what the answer says, and not the root that fails. */
  const at = (file: string, place = 0): { test: (url: string) => boolean } => ({ test: (url) =>
    url.startsWith('https://') && !url.startsWith('https://ws.') && url.endsWith(`/${item(file, place).purl}`) })
  const none = { test: (url: string) => url === '' }
  // The answers to the play call and to the look-up of the song, which fails without one.
  const rows: readonly (readonly [
    grant: string, look: string | undefined, songmid: string, quality: Quality, account: Account,
    url: { test: (url: string) => boolean }, fields: object, files?: readonly string[]
  ])[] = [
    ['getMusicPlay', undefined, '001wpSDz2m33r4', 'm4a', 'nobody', at('getMusicPlay'), { quality: 'm4a', size: 0 }],
    ['getMusicPlay.trial', 'getSongInfo.by-id', '001qHjVZ4SfmWQ', 'trial', 'nobody', at('getMusicPlay.trial'), { quality: 'trial', size: 960887 }, ['RS02060zUy9N3UaRny.mp3', item('getMusicPlay.trial').filename]],
    ['getMusicPlay.denied', 'getSongInfo', '0039MnYb0qxYhV', '128', 'nobody', none, {
      reason: 'NO_COOKIE', availableQualities: ['master', 'flac', 'spatial', 'spatial51', 'spatial71', 'ogg640', '320', 'ogg320', 'aac192', 'ogg192', '128', 'm4a', 'ogg96', 'aac48', 'trial']
    }, [item('getMusicPlay.denied').filename]],
    // Its switch forbids playing, and it costs nothing.
    ['getMusicPlay.denied', 'getSongInfo', '0039MnYb0qxYhV', '128', 'ordinary', none, { reason: 'REGION' }],
    ['getMusicPlay.evkey-101404', undefined, '003aQm4F3GJHZq', 'flac', 'nobody', none, { reason: 'NOT_FOUND' }],
    // The first two are denied.
    ['downloadProviderMusic.vkey', undefined, '001wpSDz2m33r4', 'best', 'nobody', at('downloadProviderMusic.vkey', 2), { quality: '128' }]
  ]
  for (const [grant, look, songmid, quality, account, url, fields, files] of rows) {
    demo.reset()
    if (look === undefined) for (const name of [detail, tracks]) demo.next(name, { code: 500003 })
    else demo.next(detail, { mutate: () => subAnswers(`${look}.json`)[0] })
    demo.next(vkey, { mutate: () => subAnswers(`${grant}.json`)[0] })
    demo.next(dispatch, { code: 500003 })
    const play =
      await relay.getMusicPlay({ songmid, quality }, account === 'nobody' ? {} : { cookie: cookieOf(demo, account) })
    t.same(partOf(play, fields), fields, grant)
    t.ok(url.test(play.url), `${grant}: ${play.url}`)
    if (files !== undefined) t.match(demo.calls(vkey)[0]?.body, { req_0: { param: { filename: files } } })
  }
})
