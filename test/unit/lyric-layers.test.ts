/** Layers of a lyric: no line of a text is lost in any form, and what is made of a text has a bound. */
import fc from 'fast-check'
import t from 'tap'
import { layeredLyric, parseLyric, separateLayers, textsOf } from '../../src/endpoints/music/lyrics.ts'
import { lyricFiles } from '../../src/endpoints/music/getLyric.ts'
import { lrcOf } from '../../src/players/meting/tracks.ts'
import { structuredLyrics } from '../../src/players/opensubsonic/media.ts'
import { isLargerThan } from '../../src/common/size.ts'
import { runs, whole } from '../support/whole.ts'

interface Texts { readonly lyric: string, readonly trans: string, readonly roma?: string }

const rowsOf = (texts: Texts): unknown[][] | undefined => parseLyric(texts)?.lines
  .map(({ time, text, trans, roma }) => [time, text, trans, roma].filter((each) => each !== undefined))
const meting = async (texts: Texts): Promise<string> => await lrcOf('x', (async () => texts) as never)

/** Lyric, translation, and the lines that they make: time, text, translation. */
const joins: readonly (readonly [what: string, lyric: string, trans: string, rows: unknown[][]])[] = [
  ['a pair that differs by milliseconds', '[00:20.028]a\n[00:21.595]b\n[00:24.61]c', '[00:20.020]A\n[00:21.590]B\n[00:24.61]C', [[20_028, 'a', 'A'], [21_595, 'b', 'B'], [24_610, 'c', 'C']]],
  ['several lines with one stamp', '[00:10.00]a\n[00:10.00]b', '[00:10.00]A\n[00:10.00]B', [[10_000, 'a', 'A'], [10_000, 'b', 'B']]],
  ['several lines with one stamp, of which only one layer knows', '[00:10.00]a\n[00:10.00]b', '[00:09.99]A\n[00:10.02]B', [[10_000, 'a', 'A'], [10_000, 'b', 'B']]],
  ['a line without text there holds its place', '[00:10.00]a\n[00:10.00]b', '[00:10.00]//\n[00:10.00]B', [[10_000, 'a'], [10_000, 'b', 'B']]],
  ['a pause takes no line', '[00:10.00]\n[00:10.00]a', '[00:10.01]A', [[10_000, 'a', 'A']]],
  ['the nearer line counts', '[00:10.00]a\n[00:10.30]b', '[00:10.28]B', [[10_000, 'a'], [10_300, 'b', 'B']]],
  ['a line of one layer only', '[00:10.00]a', '[00:10.00]A\n[00:10.00]AA\n[00:30.00]B', [[10_000, 'a', 'A'], [10_000, '', 'AA'], [30_000, '', 'B']]],
  ['a refrain', '[00:10.00][01:00.00]a', '[00:10.01]A\n[00:59.99]A', [[10_000, 'a', 'A'], [60_000, 'a', 'A']]],
  ['an offset: positive is earlier, and not before the beginning', '[offset:500]\n[00:10.00]a\n[00:00.20]b', '[00:10.01]A', [[0, 'b'], [9500, 'a', 'A']]],
  ['a negative offset; a layer with one of its own', '[offset: -500 ]\n[00:10.00]a', '[offset:+1000]\n[00:11.51]A', [[10_500, 'a', 'A']]],
  [
    'half a second is near, more is not', '[00:01.00]a\n[00:03.00]b', '[00:01.500]A\n[00:03.501]B',
    [[1000, 'a', 'A'], [3000, 'b'], [3501, '', 'B']]
  ],
  [
    'also at the beginning, to which an offset moves a line', '[offset:1000]\n[00:01.00]a', '[offset:-1]\n[00:00.500]A',
    [[0, 'a'], [501, '', 'A']]
  ],
  ['no two pairs cross', '[0:0.000]a\n[0:0.450]b', '[0:0.450]B\n[0:0.470]X', [[0, 'a'], [450, 'b', 'B'], [470, '', 'X']]],
  [
    'a line before a pair joins the line before it', '[0:0.000]a\n[0:0.450]b', '[0:0.300]A\n[0:0.450]B',
    [[0, 'a', 'A'], [450, 'b', 'B']]
  ],
  [
    'five lines with one stamp', 'abcde'.replaceAll(/./g, '[00:10.00]$&\n'), 'ABCDE'.replaceAll(/./g, '[00:10.00]$&\n'),
    [...'abcde'].map((line) => [10_000, line, line.toUpperCase()])
  ],
  [
    'what stands above all lines with a time stays there', '[offset:-500]\nWords: X\n[00:01.00]a',
    '[offset:1]\n[00:00.100]Z', [['Words: X'], [99, '', 'Z'], [1500, 'a']]
  ],
  ['times in one layer only', 'a', '[00:00.00]A', [['a'], [0, '', 'A']]],
  ['no times at all', '[Verse 1]\none\n\ntwo', 'A\nB\nC', [['[Verse 1]', 'A'], ['one', 'B'], ['two', 'C']]],
  ['a line that cannot be timed stands where it stands', 'Words: X\n[00:10.00]a\n[99999999999999999:00]c\n[Chorus: both]\n[00:05.00]b', '', [['Words: X'], [5000, 'b'], [10_000, 'a'], ['c'], ['[Chorus: both]']]],
  ['other ways to write a time', '[01:00:01.5]d\n[ 00:01,25 ]a\n[00:02.123456]<00:02.12>b <00:02.50>b\n[0:3]c', '', [[1250, 'a'], [2123, 'b b'], [3000, 'c'], [3_601_500, 'd']]]
]

t.test('lines and their layers belong together by order and nearness', async (t) => {
  for (const [what, lyric, trans, rows] of joins) {
    t.same(rowsOf({ lyric, trans }), rows, what)
    const asRoma = parseLyric({ lyric, trans: '', roma: trans })?.lines
    t.same(
      asRoma?.map(({ roma, ...line }) => [...Object.values(line), ...roma === undefined ? [] : [roma]]), rows,
      `${what}: romanisation`
    )
  }
  t.match(rowsOf({ lyric: '[00:10.00]a', trans: '[00:10.00]A', roma: '[00:10.01]aa\n[00:30.00]bb' }), [[10_000, 'a', 'A', 'aa'], [30_000, '', 'bb']])
})

t.test('tags are no lines, however they are written, and other words in brackets are', async (t) => {
  const lyric = '[TI:x]\n[by:y]\n[Verse: both]\n[00:01.00]a\n\n[00:02.00][by:z]\n[Chorus]\nb'
  t.same(textsOf(lyric), ['[Verse: both]', 'a', '[by:z]', '[Chorus]', 'b'])
  t.match(parseLyric({ lyric, trans: '' }), { tags: { ti: 'x', by: 'y' } })
  t.equal(parseLyric({ lyric: '[Verse: both]', trans: '' })?.lines.length, 1)
})

t.test('a lyric may become sixteen times its size, and two megabytes; one layer beyond that is too much', async (t) => {
  const refrain = (stamps: number): string => `${'[0:1]'.repeat(stamps)}${'x'.repeat(17)}`
  const long = (lines: number): string => '[00:01.00]words\n'.repeat(lines)
  const forms = [refrain(1000), refrain(1500), long(30_000), long(31_000)]
  t.same(forms.map((lyric) => parseLyric({ lyric, trans: '' }) !== undefined), [true, false, true, false])
  for (const name of ['trans', 'roma']) {
    t.equal(parseLyric({ lyric: '[0:1]a', trans: '', [name]: refrain(3000) }), undefined, name)
  }
})

t.test('whether all lines have a time is said, and a file is there only with times', async (t) => {
  for (const [lyric, synced, isFile] of [
    ['[00:01.00]a', true, true], ['a\n[00:01.00]b', false, true], ['a', false, false], ['', false, false]
  ] as const) {
    const parsed = parseLyric({ lyric, trans: '' })
    t.equal(parsed?.synced, synced)
    if (parsed !== undefined) {
      for (const format of ['srt', 'ttml'] as const) t.equal(format in lyricFiles(format, parsed), isFile, lyric)
    }
  }
  t.match(lyricFiles('srt', parseLyric({ lyric: '[00:01.00]a\nb', trans: '' }) as never).srt, '00:00:01,000 --> 00:00:06,000\nb')
})

t.test('OpenSubsonic and Meting have the times with the offset, in the words of their readers', async (t) => {
  const texts = { lyric: '[ti:x]\n[offset:500]\n[0:10.00]a\nb\n[00:70:257]c', trans: '[00:10.02]A\n[00:40.00]B' }
  t.match(structuredLyrics(texts, true), [
    { kind: 'main', synced: true, offset: 0, displayTitle: 'x', line: [
      { start: 9500, value: 'a' }, { start: 9500, value: 'b' }, { start: 69_757, value: 'c' }
    ] },
    { kind: 'translation', synced: true, offset: 0, line: [{ start: 9520, value: 'A' }, { start: 39_500, value: 'B' }] }
  ])
  t.equal(await meting(texts), '[ti:x]\n[00:09.50]a (A)\n[00:09.50]b\n[00:39.50](B)\n[01:09.757]c')
  t.equal(await meting({ lyric: 'one\ntwo', trans: '' }), 'one\ntwo')
  t.match(structuredLyrics({ lyric: 'one\n[Chorus]', trans: '' }, false), [{
    synced: false, line: [{ value: 'one' }, { value: '[Chorus]' }]
  }])
})

const stamp = fc.tuple(
  fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 59 }), fc.constantFrom('', '.5', '.02', ':10', '.123')
).map(([m, s, f]) => `[${m}:${String(s).padStart(2, '0')}${f}]`)
const head = fc.oneof({
  weight: 5, arbitrary: fc.array(stamp, { minLength: 1, maxLength: 3 }).map((all) => all.join(''))
}, fc.constantFrom('', '[', '[x] ', '[99:99999]', '[Note: x]'))
const layer = (name: string): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('', '[offset:700]\n', '[ti:x]\n'), fc.array(head, { maxLength: 12 }))
    .map(([tags, heads]) => tags + heads.map((each, at) => `${each}${name}${at}.`).join('\n'))

t.test('no line of any layer is lost in any form', async (t) => {
  await fc.assert(fc.asyncProperty(layer('own'), layer('trans'), layer('roma'), async (lyric, trans, roma) => {
    const texts = { lyric, trans, roma }
    const parsed = parseLyric(texts)
    if (parsed === undefined) return false
    const words = [lyric, trans, roma].flatMap((text) => text.match(/(?:own|trans|roma)\d+\./g) ?? [])
    const isTimed = parsed.lines.some(({ time }) => time !== undefined)
    const [separate, lrc] = [JSON.stringify(structuredLyrics(texts, true)), await meting(texts)]
    const forms = [JSON.stringify(parsed), separate, ...isTimed ? [
      lyricFiles('srt', parsed).srt ?? '', lyricFiles('ttml', parsed).ttml ?? ''
    ] : []]
    const ordered = parsed.lines.flatMap(({ time = [] }) => time)
    return forms.every((form) => words.every((word) => form.includes(word))) &&
      words.every((word) => word.startsWith('roma') || lrc.includes(word)) &&
      ordered.every((time, at) => at === 0 || time >= (ordered[at - 1] as number))
  }), runs(t))
})

/** Texts that would become many times their size. */
const hostile = (size: number): Texts[] => {
  const fill = (piece: string): string => piece.repeat(Math.ceil(size / piece.length))
  const long = `[00:01.00]${'x'.repeat(size)}`
  return [
    { lyric: fill('[00:01.00]a\n'), trans: long, roma: long },
    { lyric: `${fill('[0:1]')}${'"'.repeat(size)}`, trans: '' }, { lyric: fill('[0:1]'), trans: '' },
    { lyric: fill('[0:1]a\n'), trans: fill('[0:1]b\n'), roma: fill('[0:2]c\n') },
    { lyric: fill(`${'[00:01.00]'.repeat(30)}${'"'.repeat(300)}\n`), trans: fill('[0:1]\u0001\n') },
    { lyric: fill('a\n'), trans: fill('b\n') }, { lyric: fill('['), trans: fill('[1') },
    { lyric: fill('<1:1'), trans: fill('[a:]\n') }
  ]
}

t.test('what is made of a lyric is at most 100 times its size in any form, and is made in one short turn', async (t) => {
  for (const size of whole ? [
    300, 8000, 80_000, 240_000, 2_000_000
  ] : [300, 240_000]) for (const [at, texts] of hostile(size).entries()) {
    const given = JSON.stringify(texts).length
    const before = process.cpuUsage()
    const parsed = parseLyric(texts)
    const forms = [
      JSON.stringify(parsed ?? ''), JSON.stringify(structuredLyrics(texts, true)), await meting(texts),
      ...parsed === undefined ? [] : (['srt', 'ttml'] as const)
        .map((format) => JSON.stringify(lyricFiles(format, parsed)))
    ]
    const { user, system } = process.cpuUsage(before)
    for (const form of forms) t.ok(form.length <= 100 * given, `${size} ${at}: ${form.length} of ${given}`)
    // a bound against squares; the machine is busy
    t.ok(user + system < 3_000_000, `${size} ${at}: ${user + system} µs`)
  }
})

t.test('a lyric of 5,000 lines in three layers has all forms', async (t) => {
  const lines = (text: string, shift: number): string =>
    Array.from({ length: 5000 }, (_, at) => `[${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}.${String(shift).padStart(3, '0')}]${text.repeat(6)}${at}`).join('\n')
  const texts = { lyric: lines('words ', 500), trans: lines('译文', 507), roma: lines('roma ', 488) }
  const before = process.cpuUsage()
  const parsed = parseLyric(texts)
  const { user, system } = process.cpuUsage(before)
  t.comment(`${user + system} µs`)
  t.ok(parsed?.lines.length === 5000
    && parsed.lines.every(({ trans, roma }) => trans !== undefined && roma !== undefined))
  t.ok((lyricFiles('srt', parsed as never).srt ?? '').length > 500_000)
  t.equal(layeredLyric(texts)?.lines.length, 5000)
  t.equal(separateLayers(texts)?.layers.trans.length, 5000)
})

t.test('whether a text would be too large is known before it is made', async (t) => {
  const long = 'x'.repeat(1_000_000)
  const before = process.memoryUsage().arrayBuffers
  t.ok(isLargerThan({ rows: Array.from({ length: 100_000 }, () => ({ long, deep: [[long]] })) }, 16_000_000))
  t.ok(process.memoryUsage().arrayBuffers - before < 10_000_000)
  await fc.assert(fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 300 }), (value, limit) =>
    !isLargerThan(value, limit) || JSON.stringify(value).length + 2 > limit
  ), runs(t))
  t.notOk(isLargerThan({ a: undefined, b: null, c: [1, true] }, 30))
})
