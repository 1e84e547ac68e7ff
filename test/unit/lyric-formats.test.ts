/** A lyric in layers and formats: translation, romanisation, SubRip, Timed Text. Nothing encrypted becomes text. */
import { paramOf, serverFor, song } from '../support/helper.ts'
import { test } from '../support/stage.ts'
import { lyricClassic as classic, lyricGateway as newer } from '../support/wires.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
/** The answer with these texts, encoded as the upstream does. */
const with_ = (texts: Readonly<Record<string, string>>) => ({ mutate: (answer: any) => { Object.assign(
  answer.data ?? answer, Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, base64(text)]))
) } })

test('what was asked before is answered as before', async ({ t, demo, relay }) => {
  for (const format of [{}, { format: 'lrc' } as const]) {
    t.same(Object.keys(await relay.getLyric({ songmid: song(5), ...format })), ['lyric', 'trans'])
  }
  t.same(await relay.getLyric({ songmid: song(5), format: 'parsed' }), await relay.getLyric({
    songmid: song(5), isFormat: 1
  }))
  t.same([demo.calls(newer).length, demo.calls(classic).length], [0, 4], 'no further request')
})

test('a romanisation comes with one request, and each line has its own', async ({ t, demo, relay, server }) => {
  const { body: { data: { lyric, trans, roma, parsed } }, headers } =
    await server.get(`/getLyric/${song(5)}?roma=true&format=parsed`)
  t.equal(headers.get('x-relay-source'), 'lyric.musicu')
  t.match(paramOf(demo.received[0]), { songMID: song(5), roma: 1, trans: 1, crypt: 0, qrc: 0 })
  t.equal(demo.received.length, 1)
  t.match(roma, /^\[\d\d:\d\d\.\d+\](ka|mi|to|ne|su|ro) /)
  t.ok(parsed.lines.filter((line: any) => line.trans !== undefined && line.roma !== undefined).length > 5)
  t.ok(parsed.lines.some((line: any) => line.roma === undefined), 'the title has none')
  t.same({ lyric, trans }, await relay.getLyric({ songmid: song(5) }), 'the rest is the same')
})

test('an encrypted or unreadable romanisation is none, and is not decrypted', async ({ t, demo, relay }) => {
  for (const [given, read] of [['0A1B2C3D4E5F', ''], ['0a1b2c3d4e5f', ''], ['§§§', ''], ['AAEC/w==', ''], ['', ''], ['[00:01.00]plain', '[00:01.00]plain']] as const) {
    demo.next(newer, { mutate: ({ data }) => { data.roma = given } })
    const { roma, parsed: { lines } = { lines: [] } } =
      await relay.getLyric({ songmid: song(5), roma: true, format: 'parsed' })
    t.equal(roma, read, given)
    t.ok(lines.length > 5 && (read !== '' || lines.every((line) => line.roma === undefined)))
  }
})

test('without the call that has romanisations there is none, and it is asked for again soon', async ({ t, demo, relay }) => {
  let clock = 0
  const server = await serverFor(t, demo, { cache: true, now: () => clock })
  demo.next(newer, { code: 500003 })
  const ask = async () => await server.get(`/getLyric/${song(5)}?roma=true`)
  const { body, headers } = await ask()
  t.match(body.data, { lyric: /./, trans: /./, roma: /^$/ })
  t.equal(headers.get('x-relay-source'), 'lyric.classic')
  clock += 3_600_000
  t.match((await ask()).headers.get('x-cache'), /MISS|STALE/)
  t.same(
    await relay.getLyric({ songmid: song(4), roma: true }), { lyric: '', trans: '', roma: '' }, 'a song without a lyric'
  )
})

test('SubRip: a line is shown until the next one, ten seconds at most', async ({ t, demo, relay }) => {
  demo.next(newer, with_({
    lyric: '[ti:A]\n[00:01.50]one --> two\n[00:03.00][01:00.00]three\n[00:03.00]together\n[62:00.07]an hour later',
    trans: '[00:01.50]eins\n[00:03.00]//', roma: '[00:01.50]wan'
  }))
  const record = await relay.getLyric({ songmid: song(5), roma: true, format: 'srt' })
  t.equal(record.parsed, undefined)
  t.equal(record.srt, `1
00:00:01,500 --> 00:00:03,000
one -> two
wan
eins

2
00:00:03,000 --> 00:00:13,000
three

3
00:00:03,000 --> 00:00:13,000
together

4
00:01:00,000 --> 00:01:10,000
three

5
01:02:00,070 --> 01:02:05,070
an hour later
`)
  t.notOk('srt' in await relay.getLyric({ songmid: song(4), format: 'srt' }), 'no lyric, no subtitle')
})

test('quotes are read however often they were escaped, in each form of the answer', async ({ t, demo, relay }) => {
  for (const [given, read] of [
    [String.raw`We\&apos;re \&quot;so\&quot;`, 'We\'re "so"'], ['We&amp;apos;re &amp;quot;so&amp;quot;', 'We\'re "so"'], [String.raw`We\'re \"so\"`, 'We\'re "so"'],
    ['R&amp;B &lt;3 &#38;amp;', 'R&B <3 &amp;'], [String.raw`C:\path\ &amp; \x`, String.raw`C:\path\ & \x`], ['\uFEFF[00:01.00]a', '[00:01.00]a']
  ] as const) {
    for (const [call, answer] of [
      [classic, with_({ lyric: `${given}\r\n${given}`, trans: given })],
      [classic, { mutate: (body: any) => { body.lyric = `[ti:x]\u2028${given}` } }]
    ] as const) {
      demo.next(call, answer)
      t.match((await relay.getLyric({ songmid: song(5) })).lyric.split('\n').at(-1), read.replace('\uFEFF', ''), given)
    }
  }
})

test('songs of the demo show the odd forms: no times, an offset, a backslash before a quote', async ({ t, relay }) => {
  const of = async (number: number) => await relay.getLyric({ songmid: song(number), isFormat: 1 })
  t.match((await of(31)).parsed, { synced: false, tags: {}, lines: [{ text: '[Verse 1]' }, { text: / - / }] })
  t.notOk((await of(31)).parsed?.lines.some((line) => 'time' in line))
  const { lyric, parsed } = await of(37)
  t.match(lyric, '[offset:500]')
  t.equal(parsed?.lines[1]?.time, 4200 - 500)
  for (const number of [1, 5]) t.notMatch((await of(number)).lyric, /\\|&\w+;/)
  const both = (await of(5)).parsed?.lines ?? []
  t.ok(both.filter(({ trans }) => trans !== undefined).length > 8
    && both.every(({ text, time = -1 }) => text !== '' || time > 0))
})

test('Timed Text: layers are spans with roles, and text cannot become markup', async ({ t, demo, relay }) => {
  demo.next(newer, with_({ lyric: '[ti:A & "B"]\n[00:01.00]<b>one</b>\u0000\u0008 &amp; 🎧', trans: '[00:01.00]</p><script>', roma: '[00:01.00]wan' }))
  const record = await relay.getLyric({ songmid: song(5), roma: true, format: 'ttml' })
  t.equal(record.ttml, `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="und"><head><metadata><ttm:title>A &amp; &quot;B&quot;</ttm:title></metadata></head><body><div>
<p begin="00:00:01.000" end="00:00:06.000">&lt;b&gt;one&lt;/b&gt; &amp; 🎧<span ttm:role="x-translation" xml:lang="zh">&lt;/p&gt;&lt;script&gt;</span><span ttm:role="x-roman">wan</span></p>
</div></body></tt>
`)
  const real = (await relay.getLyric({ songmid: song(5), format: 'ttml' })).ttml ?? ''
  t.ok(real.split('<p ').length > 10)
  t.notMatch(real, /x-roman/)
})

test('a text that is no lyric is no file', async ({ t, demo, relay }) => {
  const lines = (count: number): string => Array.from({ length: count }, (_, at) =>
    `[${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}.00]x`
  ).join('\n')
  // Too many lines, a line that is thousands, and just as many as may be.
  for (const format of ['srt', 'ttml'] as const) for (const [lyric, isFile] of [
    [lines(5001), false], ['[00:01.00]'.repeat(30_000) + 'x', false], [lines(5000), true]
  ] as const) {
    demo.next(classic, with_({ lyric, trans: '' }))
    t.equal(
      typeof (await relay.getLyric({ songmid: song(5), format }))[format], isFile ? 'string' : 'undefined', format
    )
  }
})
