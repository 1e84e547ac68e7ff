/** Radio stations as one endless stream: paced, joined at frames, bounded, and ended with its listener. */
import type { Readable } from 'node:stream'
import { request } from 'undici'
import t, { type Test } from 'tap'
import { stationPath } from '../../src/players/radio/radio.ts'
import { createCutter, framesOf, headerAt, leadMs, titleBlock, titleEvery } from '../../src/players/radio/station.ts'
import { testClock } from '../support/clock.ts'
import { cookieOf, demoFor, serverOnWire, until } from '../support/helper.ts'
import { household } from '../support/household.ts'
import { householdTest, playerFor, password } from '../support/opensubsonicPlayer.ts'

const bytesPerSecond = 16_000
const station = '/radio/199.mp3'

/** Opens a stream and notes what arrives. */
async function listen (t: Test, address: string, headers: Record<string, string> = {}) {
  const answer = await request(address, { headers })
  const parts: Buffer[] = []
  let received = 0
  answer.body.on('data', (part: Buffer) => {
    parts.push(part)
    received += part.length
  }).on('error', () => {})
  t.teardown(() => { answer.body.destroy() })
  return { ...answer, received: () => received, bytes: () => Buffer.concat(parts), body: answer.body as Readable }
}

t.test('a station plays on over several songs, in real time with a small lead, one whole frame after the other', async (t) => {
  const demo = await demoFor(t)
  const clock = testClock()
  const server = await serverOnWire(t, demo, { ...clock.options })
  const headers = { 'x-custom-cookie': cookieOf(demo, 'member') }
  const heard = await listen(t, `${server.address}${station}`, headers)
  t.match([
    heard.statusCode, heard.headers['content-type'], heard.headers['accept-ranges'], heard.headers['icy-metaint']
  ], [200, 'audio/mpeg', 'none', undefined])
  const seconds = 700
  const step = 5
  for (let second = 0; second < seconds; second += step) {
    await until(() => heard.received() >= second * bytesPerSecond)
    await clock.advance(1000 * step)
    const ahead = heard.received() / bytesPerSecond - (second + step)
    if (ahead > leadMs / 1000 + 2) t.fail(`${ahead} s ahead after ${second + step} s`)
  }
  await until(() => heard.received() >= seconds * bytesPerSecond)
  const bytes = heard.bytes()
  let frames = 0
  for (let at = 0; at + 384 <= bytes.length; at += 384, frames++) {
    if (headerAt(bytes, at)?.length !== 384) t.fail(`no frame at ${at}`)
  }
  t.ok(frames * 0.024 >= seconds - 1)
  const files = demo.calls('vkey.GetVkeyServer/CgiGetVkey').length
  t.ok(files > 0 && files < 10, `${files} questions for addresses`)
  heard.body.destroy()
})

t.test('titles are between the bytes for players that ask for them, and only for them', async (t) => {
  const demo = await demoFor(t)
  const clock = testClock()
  const server = await serverOnWire(t, demo, { ...clock.options })
  const heard = await listen(t, `${server.address}${station}`, { 'icy-metadata': '1', 'x-custom-cookie': cookieOf(demo, 'member') })
  t.match(heard.headers, { 'icy-metaint': String(titleEvery), 'icy-br': '128' })
  await until(() => heard.received() >= 4 * (titleEvery + 1))
  const bytes = heard.bytes()
  const titles: string[] = []
  const audio: Buffer[] = []
  for (let at = 0; at + titleEvery < bytes.length;) {
    audio.push(bytes.subarray(at, at + titleEvery))
    at += titleEvery
    const length = (bytes[at] ?? 0) * 16
    titles.push(bytes.toString('utf8', at + 1, at + 1 + length).replaceAll('\0', ''))
    at += 1 + length
  }
  t.match(titles.slice(0, 2), [/^StreamTitle='.+ - .+';$/, ''])
  const joined = Buffer.concat(audio)
  for (let at = 0; at + 384 <= joined.length; at += 384) {
    if (headerAt(joined, at)?.length !== 384) t.fail(`no frame at ${at}`)
  }
  t.equal(titleBlock("It's").toString('utf8').slice(1).replaceAll('\0', ''), "StreamTitle='It’s';")
  const preflight = await request(`${server.address}${station}`, { method: 'OPTIONS', headers: { 'origin': 'https://player.example', 'access-control-request-method': 'GET', 'access-control-request-headers': 'icy-metadata' } })
  t.match([preflight.statusCode, preflight.headers['access-control-allow-headers']], [204, /icy-metadata/i])
  await preflight.body.dump()
  const head = await request(`${server.address}${station}`, { method: 'HEAD' })
  t.match([head.statusCode, head.headers['content-type']], [200, 'audio/mpeg'])
  await head.body.dump()
})

t.test('a listener who leaves frees the place of a stream', async (t) => {
  const demo = await demoFor(t)
  const clock = testClock()
  const server = await serverOnWire(t, demo, { ...clock.options, tuning: { streams: 1, streamsPerClient: 1 } })
  const headers = { 'x-custom-cookie': cookieOf(demo, 'member') }
  const first = await listen(t, `${server.address}${station}`, headers)
  await until(() => first.received() > 0)
  t.equal((await server.get(station, { headers })).status, 503, 'there is one place')
  first.body.destroy()
  const again = async (): Promise<boolean> => {
    const answer = await request(`${server.address}${station}`, { headers })
    answer.body.on('error', () => {}).destroy()
    return answer.statusCode === 200
  }
  await until(again)
})

t.test('a station without songs, an unknown one and no number are refused before anything plays', async (t) => {
  const demo = await demoFor(t)
  const server = await serverOnWire(t, demo)
  for (const [path, status] of [['/radio/999999.mp3', 404], ['/radio/abc', 400], ['/radio/199.wav', 400]] as const) {
    t.equal((await server.get(path)).status, status, path)
  }
})

t.test('a station waits for a provider that fails while it plays; a player that waits for its first song is told in time', async (t) => {
  const demo = await demoFor(t)
  const clock = testClock()
  const server = await serverOnWire(t, demo, { ...clock.options })
  const headers = { 'x-custom-cookie': cookieOf(demo, 'member') }
  const addresses = 'vkey.GetVkeyServer/CgiGetVkey'
  const without = (from: number) => ({ data }: { data: { midurlinfo: { purl: string }[] } }): void => {
    for (const row of data.midurlinfo.slice(from)) row.purl = ''
  }
  demo.next(addresses, { mutate: without(1) })
  const heard = await listen(t, `${server.address}${station}`, headers)
  for (const call of ['pf.radiosvr/GetRadiosonglist', 'mb_track_radio_svr/get_radio_track']) demo.next(call, { status: 500 }, 1000)
  const before = demo.received.length
  while (demo.received.length < before + 6) await clock.advance(5000)
  const song = heard.received()
  demo.reset()
  await until(async () => {
    await clock.advance(5000)
    return heard.received() > song
  })
  heard.body.destroy()
  let [slow, rounds] = [0, 0]
  demo.moods.on('play-empty')
  demo.next('pf.radiosvr/GetRadiosonglist', { mutate: () => {
    slow = 4000
    rounds++
  } }, 1000)
  const refused = server.get(station, { headers })
  let isOver = false
  void refused.then(() => { isOver = true })
  await until(async () => {
    const ms = 10 + slow
    slow = 0
    await clock.advance(ms)
    return isOver
  })
  t.match(await refused, { status: 504, body: { code: 'UPSTREAM_TIMEOUT' } })
  t.ok(rounds > 1 && rounds < 8, `after ${rounds} rounds of songs`)
})

t.test('a song whose file is not there is passed over; without a user, the address of a station is anybody\'s', async (t) => {
  const demo = await demoFor(t)
  const clock = testClock()
  const server = await serverOnWire(t, demo, { ...clock.options })
  const gone = ({ data }: { data: { midurlinfo: { purl: string }[] } }): void => {
    for (const [at, row] of data.midurlinfo.entries()) if (at !== 1) row.purl = 'M500Nothing.mp3?guid=1&vkey=2'
  }
  demo.next('vkey.GetVkeyServer/CgiGetVkey', { mutate: gone })
  const heard = await listen(t, `${server.address}${station}`, { 'x-custom-cookie': cookieOf(demo, 'member') })
  t.equal(heard.statusCode, 200)
  await until(() => heard.received() > 1000)
  heard.body.destroy()
  t.equal(stationPath(199, undefined, { accounts: undefined, settings: {} } as never), station)
})

t.test('ten files in a row without sound end a station; what is no error of a file is passed on', async (t) => {
  const framesFrom = (body: () => AsyncGenerator<Buffer>, opened = { count: 0 }) => framesOf({
    next: async () => ++opened.count > 50 ? undefined : { title: '', body: body() },
    now: () => 0,
    timers: globalThis,
    signal: new AbortController().signal
  })
  const opened = { count: 0 }
  for await (const _ of framesFrom(async function * () { yield Buffer.alloc(1000) }, opened)) t.fail('no sound')
  t.equal(opened.count, 10)
  await t.rejects(framesFrom(async function * () {
    yield Buffer.alloc(0)
    throw 'gone'
  }).next())
})

for (const [what, call, mutate] of [
  ['a station of one song', 'pf.radiosvr/GetRadiosonglist', (() => {
    let only: unknown
    return ({ data }) => {
      only ??= data.track_list[0]
      data.track_list = [only]
    }
  })()],
  ['a station whose songs are at the second host', 'vkey.GetVkeyServer/CgiGetVkey', ({ data }) => {
    data.sip = [data.sip[0].replace('/audio/', '/nosuch/'), data.sip[0]]
  }]
] as readonly (readonly [string, string, (answer: any) => void])[]) t.test(`${what} plays`, async (t) => {
  const demo = await demoFor(t)
  const server = await serverOnWire(t, demo)
  demo.next(call, { mutate }, Infinity)
  const heard = await listen(t, `${server.address}${station}`, { 'x-custom-cookie': cookieOf(demo, 'member') })
  await until(() => heard.received() > 1000)
  heard.body.destroy()
})

t.test('a station ends when its provider has failed for two minutes', async (t) => {
  const demo = await demoFor(t)
  const clock = testClock()
  const server = await serverOnWire(t, demo, { ...clock.options })
  const without = ({ data }: { data: { midurlinfo: { purl: string }[] } }): void => {
    for (const row of data.midurlinfo.slice(1)) row.purl = ''
  }
  demo.next('vkey.GetVkeyServer/CgiGetVkey', { mutate: without })
  const heard = await listen(t, `${server.address}${station}`, { 'x-custom-cookie': cookieOf(demo, 'member') })
  let ended = false
  heard.body.once('end', () => { ended = true })
  for (const call of ['pf.radiosvr/GetRadiosonglist', 'mb_track_radio_svr/get_radio_track']) {
    demo.next(call, { status: 500 }, 1000)
  }
  const before = demo.received.length
  let failing = 0
  await until(async () => {
    if (demo.received.length > before) failing += 5
    await clock.advance(5000)
    return ended
  })
  t.ok(failing >= 100 && failing <= 180, `after ${failing} s`)
})

householdTest('the address of a station plays with the login of its user, and opens nothing else', {
  accessToken: 'operator-token'
} as object, async ({ t, secrets, play, server }) => {
  const { body } = await play('getInternetRadioStations', { u: 'member', p: secrets.member })
  const [first] = body.internetRadioStations.internetRadioStation
  t.match(first, { id: /^ra-\d+$/, streamUrl: /\/radio\/\d+\.mp3\?account=member&auth=/ })
  const heard = await listen(t, first.streamUrl)
  t.equal(heard.statusCode, 200)
  await until(() => heard.received() > 1000)
  heard.body.destroy()
  const path = (url: string): string => url.slice(server.address.length)
  for (const wrong of [
    first.streamUrl.replace('account=member', 'account=partner'), first.streamUrl.slice(0, -1),
    first.streamUrl.replace(/\?.*/, ''), first.streamUrl.replace(/\/radio\/\d+/, '/radio/7')
  ]) {
    t.equal((await server.get(path(wrong))).status, 401, wrong)
  }
})

householdTest('the address of a station that a key got ends with the key, and with its limits', {
  accessToken: 'operator-token'
} as object, async ({ t, accounts, play, server }) => {
  const addressFor = async (apiKey: string): Promise<string> =>
    (await play('getInternetRadioStations', { apiKey })).body.internetRadioStations.internetRadioStation[0].streamUrl
      .slice(server.address.length)
  const statusOf = async (path: string): Promise<number> => (await server.get(path, { method: 'HEAD' })).status
  const [lamp, slow] = [
    await addressFor(await accounts.addKey('member', 'lamp', {})),
    await addressFor(await accounts.addKey('member', 'slow', { perMinute: 2 }))
  ]
  t.match(lamp, /\?account=member&key=lamp&auth=/)
  t.same([
    await statusOf(lamp), await statusOf(lamp.replace('key=lamp', 'key=slow')),
    await statusOf(lamp.replace('&key=lamp', ''))
  ], [200, 401, 401])
  t.same([await statusOf(slow), await statusOf(slow)], [200, 429], 'one request was the list')
  await accounts.revokeKey('member', 'lamp')
  t.equal(await statusOf(lamp), 401)
  await accounts.addKey('member', 'lamp', {})
  t.equal(await statusOf(lamp), 401, 'another key of that name')
})

t.test('a station ends with the account, the secret or the key of its address or request, and never goes on with the operator\'s login', async (t) => {
  const { demo, accounts } = await household(t)
  const clock = testClock()
  const playerCookie = (): string => cookieOf(demo, 'member')
  const options = { accounts, playerCookie, accessToken: 'operator-token', ...clock.options }
  const server = await serverOnWire(t, demo, options)
  const addresses = 'vkey.GetVkeyServer/CgiGetVkey'
  const endings = [
    async () => { await accounts.revokeKey('ordinary', 'lamp') },
    async () => { await accounts.newSecret('ordinary') },
    async () => { await accounts.remove('ordinary') }
  ]
  for (const [at, end] of endings.entries()) {
    const apiKey = at === 0 ? await accounts.addKey('ordinary', 'lamp', {}) : accounts.secretOf('ordinary')
    const { body } = await server.get(`/rest/getInternetRadioStations?f=json&apiKey=${apiKey}`)
    const { streamUrl } = body['subsonic-response'].internetRadioStations.internetRadioStation[0]
    const both = [
      await listen(t, streamUrl),
      await listen(t, `${server.address}${station}`, { authorization: `Bearer ${apiKey}` })
    ]
    t.same(both.map(({ statusCode }) => statusCode), [200, 200])
    await until(() => both.every(({ received }) => received() > 1000))
    const asked = demo.calls(addresses).length
    let ended = 0
    for (const { body } of both) body.once('end', () => { ended++ })
    await end()
    await until(async () => {
      await clock.advance(5000)
      return ended === both.length
    })
    t.equal(demo.calls(addresses).length, asked)
  }
})

t.test('frames: tags and what only describes a file are left out, noise is passed over, another format is refused', async (t) => {
  const demo = await demoFor(t)
  const { ask } = await playerFor(t, { upstream: demo, subsonicPassword: password })
  const { headers } = await ask('stream', { id: 'so-00DemoSong0001', maxBitRate: 128 })
  const file = Buffer.from(await (await fetch(headers.get('location') ?? '')).arrayBuffer()).subarray(0, 384 * 20)
  const info = Buffer.from(file.subarray(0, 384))
  info.write('Info', 4 + 17)
  const tag = Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 1, 0]), Buffer.alloc(128)])
  const whole = Buffer.concat([tag, info, file, Buffer.from('TAG then something')])
  for (const size of [1, 7, 384, 1000, whole.length]) {
    const cutter = createCutter()
    const found = Array.from(
      { length: Math.ceil(whole.length / size) }, (_, at) => cutter.push(whole.subarray(at * size, (at + 1) * size))
    )
    t.ok(Buffer.concat(found.map(({ bytes }) => bytes)).equals(file), `in parts of ${size}`)
    t.equal(Math.round(found.reduce((sum, { ms }) => sum + ms, 0)), 480)
  }
  const other = Buffer.from(file)
  for (let at = 2; at < other.length; at += 384) other[at] = (other[at] ?? 0) & 0b1111_0011 | 0b1000
  t.throws(() => createCutter(createCutterFormat(file)).push(other), TypeError)
  t.throws(() => createCutter().push(Buffer.alloc(100_000)), TypeError)
  t.equal(headerAt(Buffer.from([0xff, 0xfb, 0x90, 0]), 0)?.length, 417, '44.1 kHz')
})

t.test('the header of a frame says its length, how long it lasts, and what a stream may not change', async (t) => {
  const header = (version: number, rate: number, sampling: number, channels = 0) =>
    headerAt(Buffer.from([0xff, 0xe0 | version << 3 | 3, rate << 4 | sampling << 2, channels << 6]), 0)
  const lengths = (version: number, sampling: number): unknown[] =>
    Array.from({ length: 16 }, (_, rate) => header(version, rate, sampling)?.length)
  // At 48 and 24 kHz, a frame has three bytes for each kbit/s.
  const [first, second] = [
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
  ].map((rates) => [undefined, ...rates.map((kbit) => 3 * kbit), undefined])
  t.same([lengths(3, 1), lengths(2, 1)], [first, second])
  t.match([header(3, 9, 0), header(3, 9, 2), header(2, 8, 0), header(2, 8, 2), header(0, 8, 0)], [
    { length: 417, ms: 1152 / 44.1 }, { length: 576, ms: 36 }, { length: 208, ms: 576 / 22.05 },
    { length: 288, ms: 36 }, { length: 417, ms: 576 / 11.025 }
  ])
  t.equal(headerAt(Buffer.from([0xff, 0xfb, 0x92, 0]), 0)?.length, 418, 'padded')
  const kept = [header(3, 9, 0), header(3, 9, 1), header(3, 9, 2), header(3, 9, 0, 3), header(2, 8, 0), header(0, 8, 0)]
  t.equal(new Set(kept.map((one) => one?.format)).size, kept.length)
  t.equal(header(3, 9, 0)?.format, header(3, 5, 0, 1)?.format, 'joint stereo and another rate change nothing')
  t.equal(header(3, 9, 3), undefined, 'no sampling rate')
  t.equal(header(1, 9, 0), undefined, 'no version')
  for (const [at, name] of [[0xfd, 'Layer II'], [0xff, 'Layer I'], [0xf9, 'none'], [0x1b, 'half a mark']] as const) {
    t.equal(headerAt(Buffer.from([0xff, at, 0x90, 0]), 0), undefined, name)
  }
  t.equal(headerAt(Buffer.from([0xfe, 0xfb, 0x90, 0]), 0), undefined, 'no mark')
})

t.test('a file begins behind its tag, whatever that holds, and ends with its last frame', async (t) => {
  const frame = (second: number, kbit: number, channels: number, length: number, at = 40, text = ''): Buffer => {
    const bytes = Buffer.alloc(length)
    bytes.set([0xff, second, kbit << 4 | 4, channels])
    bytes.write(text, at, 'latin1')
    return bytes
  }
  const file = Buffer.concat(Array.from({ length: 3 }, () => frame(0xfb, 9, 0, 384)))
  const tag = (flags: number, content: number): Buffer => Buffer.concat([
    Buffer.from([0x49, 0x44, 0x33, 4, 0, flags, 0, 0, content >> 7, content & 0x7f]),
    Buffer.alloc(content + (flags === 0 ? 0 : 10), Buffer.from([0xff, 0xfb, 0x90, 0]))
  ])
  for (const begin of [Buffer.alloc(0), tag(0, 0), tag(0, 1), tag(0, 1000), tag(0x10, 1000)]) {
    const { bytes } = createCutter().push(Buffer.concat([begin, file]))
    t.ok(bytes.equals(file), `a tag of ${begin.length}: ${bytes.length} bytes`)
  }
  // Where an encoder describes the file in its first frame depends on version and channels.
  for (const [second, kbit, channels, length, at] of [
    [0xfb, 9, 0, 384, 36], [0xfb, 9, 0xc0, 384, 21], [0xf3, 8, 0, 192, 21], [0xf3, 8, 0xc0, 192, 13]
  ] as const) {
    for (const text of ['Info', 'Xing']) {
      const [said, sound] = [frame(second, kbit, channels, length, at, text), frame(second, kbit, channels, length)]
      const { bytes } = createCutter().push(Buffer.concat([said, sound, said]))
      t.ok(bytes.equals(Buffer.concat([sound, said])), `${text} at ${at}: ${bytes.length} bytes`)
    }
  }
})

/** The format of a file. */
function createCutterFormat (file: Buffer): string | undefined {
  const cutter = createCutter()
  cutter.push(file)
  return cutter.format()
}
