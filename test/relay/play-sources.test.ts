/** Files that are not where they should be: other hosts, lower qualities, other programs, other files than the requested one. */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import t from 'tap'
import { NotPlayable, RelayError, type UpstreamError } from '../../src/common/errors.ts'
import { failure, type Kind } from '../../src/common/kinds.ts'
import { openFirst, type AudioAnswer } from '../../src/upstream/http/audio.ts'
import { addressesOf, playerAddress } from '../../src/upstream/wire/audioRoots.ts'
import { commOf, cookieOf, paramOf, relayFor, serverFor, song } from '../support/helper.ts'
import { sharedStage } from '../support/stage.ts'
import { runs } from '../support/whole.ts'
import { newerVkey, songDetail as detail, vkey } from '../support/wires.ts'

const test = sharedStage('sources of files')

const noRight = 104003
const relayed = { stream: 'relay' as const }
/** The first root has no files. */
const deadFirst = ({ data }: any): void => { data.sip = [data.sip[0].replace('/audio/', '/nosuch/'), data.sip[0]] }
const denied = (which: (filename: string) => boolean) => ({ data }: any): void => {
  for (const item of data.midurlinfo) if (which(item.filename)) Object.assign(item, { purl: '', result: noRight })
}

test('a file that the first host does not have is read from the next one of the same answer', async ({ t, demo }) => {
  const server = await serverFor(t, demo, { ...relayed, meting: true, metrics: true } as object)
  for (const method of ['GET', 'HEAD']) {
    const usual = await server.get(`/stream/${song(1)}`, { method })
    demo.next(vkey, { mutate: deadFirst })
    const found = await server.get(`/stream/${song(1)}`, { method })
    t.match([
      usual.status, found.status, found.headers.get('content-type'), found.headers.get('content-length'),
      found.text.length
    ], [200, 200, 'audio/mpeg', usual.headers.get('content-length'), usual.text.length], method)
  }
  const [item] = (await server.get(`/meting?type=song&id=${song(1)}`)).body
  demo.next(vkey, { mutate: deadFirst })
  t.equal((await server.get(item.url.slice(server.address.length))).status, 200, 'Meting')
  demo.next(vkey, { mutate: deadFirst })
  const stream = await relayFor(t, demo).stream({ songmid: song(1) }, { range: 'bytes=0-9' })
  t.equal(stream.status, 206, 'the library')
  t.equal((await new Response(stream.body as ReadableStream).arrayBuffer()).byteLength, 10)
  t.same((await server.get('/metrics')).text.match(/_calls_total\{call="play.audio".*/g)?.filter((line) =>
    !line.includes('"ok"')
  ).map((line) => line.slice(-2)), [' 3'], 'each try is counted')
  const { body } = await server.get(`/stream/${song(1)}`, { headers: { accept: 'application/json' } })
  t.match(
    body.others.map(({ url, quality }: any) => [url.split('?')[0].slice(demo.origin.length), quality]).slice(0, 2),
    [[`/audio/backup/M500${song(1)}.mp3`, '128'], [`/audio/C400${song(1)}.m4a`, 'm4a']]
  )
})

test('as long as one of the named hosts has the file, it comes; any ending of the address chooses nothing', async ({ t, demo }) => {
  const server = await serverFor(t, demo, relayed)
  const usual = (await server.get(`/stream/${song(1)}`)).text.length
  await fc.assert(fc.asyncProperty(fc.array(
    fc.boolean(), { minLength: 1, maxLength: 4 }
  ), fc.constantFrom('', '.mp3', '.m4a', '.flac', '.ogg'), async (alive, ending) => {
    const roots = alive.map((is) => `${demo.origin}/${is ? 'audio' : 'nosuch'}/`)
    demo.next(vkey, { mutate: ({ data }) => { data.sip = roots } })
    const { status, text } = await server.get(`/stream/${song(1)}${ending}`)
    t.same(
      alive.includes(true) ? [status, text.length] : status, alive.includes(true) ? [200, usual] : 502,
      `${alive.join()} ${ending}`
    )
    demo.reset()
  }), runs(t, 100))
})

test('a file that no host has is replaced by the next lower quality; without any, a sentence says so', async ({ t, demo }) => {
  const server = await serverFor(t, demo, relayed)
  const lost = (count: number) => ({ data }: any): void => {
    for (const item of data.midurlinfo.slice(0, count)) item.purl = item.purl.replace(/File|Song/, 'Lost')
  }
  const lengths = []
  for (const count of [0, 1, 2]) {
    demo.next(vkey, { mutate: lost(count) })
    const { status, headers } = await server.get(`/stream/${song(1)}`, { method: 'HEAD' })
    lengths.push(status === 200 ? Number(headers.get('content-length')) : status)
  }
  const [usual, lower, lowest] = lengths
  t.ok(
    Number(usual) > Number(lower) && lower === lowest && Number(lowest) > 1000,
    'MP3, then AAC and Ogg with the same size in the demo'
  )
  demo.next(vkey, { mutate: lost(9) })
  t.match(await server.get(`/stream/${song(1)}`), { status: 502, body: { code: 'UPSTREAM_REFUSED', error: /^The hosts of the provider \(6 addresses were tried\) do not send the file of this song\. Try again later, or request another quality\.$/ } })
  demo.next(vkey, { mutate: denied((name) => name.startsWith('M500')) })
  t.match(await server.get(`/stream/${song(1)}`), { status: 404, body: { reason: 'NO_COOKIE' } }, 'a file of lower quality never replaces one that is refused')
})

t.test('the next address is tried when a host refuses, breaks off or sends a page, and never when the time is over', async (t) => {
  const failed = (kind: Kind): UpstreamError => failure(kind, { call: 'play.audio' })
  const body = Readable.from([])
  const opened: AudioAnswer = { status: 200, headers: {}, body }
  const ask = async (...outcomes: (Error | undefined)[]): Promise<unknown> => {
    const tried: string[] = []
    const answer = await openFirst(async ({ url }) => {
      const error = outcomes[Number(url)]
      if (error !== undefined) throw error
      return opened
    }, outcomes.map((_, at) => ({ url: String(at), type: 'audio/mpeg' })), {}, undefined, (outcome) => {
      tried.push(outcome)
    }).catch((error: unknown) => error)
    return [answer === opened, tried]
  }
  for (const error of [failed('refused.http'), failed('reset'), failed('connect'), failed('unreadable'), failed('down')]) {
    t.same(await ask(error, undefined), [true, [error.outcome, 'ok']])
  }
  t.same(await ask(failed('throttled'), undefined), [true, ['throttled', 'ok']], 'another host did not ask to wait')
  t.same(await ask(failed('late.headers'), undefined), [false, ['headers_timeout']])
  t.same(await ask(new RelayError('RANGE_NOT_SATISFIABLE', 'beyond'), undefined), [false, ['refused']])
  const alone = openFirst(async () => { throw failed('reset') }, [{ url: '', type: 'audio/mpeg' }], {}, undefined)
  await t.rejects(alone, { message: /^The host of the provider does not send/ })
  t.same(
    (await ask(...Array.from({ length: 20 }, () => failed('refused.http'))) as [boolean, string[]])[1].length, 6,
    'a bound'
  )
})

t.test('a host of files that asks to wait gets no further request, and the other hosts are asked', async (t) => {
  const wait = (): UpstreamError => failure('throttled', { call: 'play.audio', word: 429, retryAfter: 7 })
  const opened: AudioAnswer = { status: 200, headers: {}, body: Readable.from([]) }
  const ask = async (good: string, ...urls: string[]): Promise<unknown> => {
    const asked: string[] = []
    const found = await openFirst(async ({ url }) => {
      asked.push(url)
      if (url !== good) throw wait()
      return opened
    }, urls.map((url) => ({ url, type: 'audio/mpeg' })), {}, undefined).catch((error: unknown) => error)
    return [found === opened ? 'ok' : found, asked]
  }
  const [a, a2, b] = ['https://a.example/1.mp3', 'https://a.example/2.m4a', 'https://b.example/1.mp3']
  t.same(await ask(b, a, a2, b), ['ok', [a, b]])
  t.match(await ask('', a, a2, b), [{ code: 'UPSTREAM_PAUSED', retryAfter: 7, message: /asked the relay to wait/ }, [a, b]])
})

t.test('the addresses of a file: each listed host once, with https where it is named with http', async (t) => {
  const toPlayer = (address: string): string | undefined => playerAddress(address, undefined)
  t.same(addressesOf(['https://isure.stream.qqmusic.qq.com/', 'http://ws.stream.qqmusic.qq.com/', 'http://aqqmusic.tc.qq.com/a/', 'http://192.0.2.1/b/'], 'M5.mp3?v=1', toPlayer), [
    'https://isure.stream.qqmusic.qq.com/M5.mp3?v=1', 'https://ws.stream.qqmusic.qq.com/M5.mp3?v=1', 'https://aqqmusic.tc.qq.com/a/M5.mp3?v=1'
  ])
})

test('before an account is told to pay, the other play call is asked once, as a phone', async ({ t, demo, relay }) => {
  const cookie = cookieOf(demo, 'member')
  for (const [quality, which] of [
    ['320', () => true], ['best', (name: string) => !/^(?:M500|C400|O400|C200)/.test(name)]
  ] as const) {
    demo.reset()
    demo.next(vkey, { mutate: denied(which) })
    demo.next(detail, { mutate: ({ data: { track_info: track } }) => { track.type = 113 } })
    const play = await relay.getMusicPlay({ songmid: song(2), quality }, { cookie })
    t.match(play, { quality: quality === 'best' ? 'flac' : quality, url: /audio/ })
    t.notOk('reason' in play)
    const [again] = demo.calls(newerVkey)
    const { ctx, filename, songtype } = paramOf(again)
    t.match(
      [demo.calls(newerVkey).length, commOf(again).ct, ctx, filename.every(which)], [1, 11, 0, true], quality
    )
    t.same([...new Set(songtype)], [113], 'with the type of the song')
  }
  demo.reset()
  t.match(
    await relay.getMusicPlay({ songmid: song(3), quality: '320' }, { cookie: cookieOf(demo, 'ordinary') }),
    { reason: 'PAID' }
  )
  t.equal(demo.calls(newerVkey).length, 1, 'once')
  demo.reset()
  demo.next(newerVkey, { status: 500 })
  t.match(
    await relay.getMusicPlay({ songmid: song(3) }, { cookie: cookieOf(demo, 'ordinary') }), { reason: 'PAID' },
    'its failure changes nothing'
  )
  demo.reset()
  await relay.getMusicPlay({ songmid: song(3) })
  await relay.getMusicPlay({ songmid: song(3) }, { cookie: cookieOf(demo, 'expired') })
  t.equal(demo.calls(newerVkey).length, 0, 'nobody else is')
})

test('the file in the address counts, not the requested one; a trial is one, and says why', async ({ t, demo, relay }) => {
  const instead = (name: string) => ({ data }: any): void => { data.midurlinfo[0].purl = `${name}?guid=1&vkey=2` }
  for (const [name, quality] of [['M800x.mp3', '320'], ['F000x.flac', 'flac'], ['C400x.m4a', 'm4a']] as const) {
    demo.next(vkey, { mutate: instead(name) })
    t.match(await relay.downloadProviderMusic({ songmid: song(1) }), { quality, filename: name, url: new RegExp(name) })
  }
  for (const [name, type] of [['RS02x.mp3', 'audio/mpeg'], ['O802x.ogg', 'audio/ogg']] as const) {
    for (const [account, reason, hint] of [
      [undefined, 'NO_COOKIE', /^This is only a short part\. Log in/],
      ['ordinary', 'PAID', /^This is only a short part\. This account/]
    ] as const) {
      demo.next(vkey, { mutate: instead(name) })
      const options = account === undefined ? {} : { cookie: cookieOf(demo, account) }
      t.match(await relay.getMusicPlay({ songmid: song(3) }, options), { quality: 'trial', reason, hint })
    }
    for (const [account, number, reason] of [['ordinary', 7, 'REGION'], ['expired', 3, 'COOKIE_EXPIRED']] as const) {
      demo.next(vkey, { mutate: instead(name) })
      const options = { cookie: cookieOf(demo, account) }
      t.match(await relay.getMusicPlay({ songmid: song(number) }, options), { quality: 'trial', reason })
    }
    demo.next(vkey, { mutate: instead(name) })
    t.match(
      await relay.getMusicPlay({ songmid: song(3) }, { cookie: cookieOf(demo, 'member') }),
      { quality: '128', reason: undefined }, 'the phone gets the song'
    )
    demo.next(vkey, { mutate: instead(name) })
    t.match(
      (await (await serverFor(t, demo)).get(`/stream/${song(3)}`, { headers: { accept: 'application/json' } })).body,
      { quality: 'trial', type }
    )
  }
  demo.next(vkey, { mutate: instead('O8M0x.mgg') })
  await t.rejects(relay.stream({ songmid: song(1) }), NotPlayable, 'an encrypted file is none')
})
