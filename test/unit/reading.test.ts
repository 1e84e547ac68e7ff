/**
 * Reader rules that need no connection: which values are read, which findings are reported, and how pages are joined.
 */
import t from 'tap'
import {
  collectRows, confirmedIfEmpty, fetchPages, readSentRows, rowsInOnePost, together, unlessBlocked, unlessBlockedPage,
  upstreamPages, type SentRows
} from '../../src/endpoints/shared/pages.ts'
import {
  blankSong, listedSong, placeOf, readFacts, readSong, readSongRow, songIdOf, songMidOf, titleOf, eachSong, songChain
} from '../../src/endpoints/shared/song.ts'
import {
  dayInChina, elementsOf, isEmpty, midnightInChina, nameOf, noteMissing, optional, pictureOf, proseOf, randomId, textOf,
  uniqueBy
} from '../../src/endpoints/shared/rows.ts'
import type { UpstreamError } from '../../src/common/errors.ts'
import { failure, type Kind } from '../../src/common/kinds.ts'
import { messageOf, readBody } from '../../src/upstream/read/decode.ts'
import { Answer, maybe, need } from '../../src/upstream/read/read.ts'
import type { Declared, Finding, UpstreamObserver } from '../../src/upstream/read/observer.ts'
import { readAnswer } from '../../src/upstream/read/readAnswer.ts'
import type { Settled, Upstream } from '../../src/upstream/calls.ts'
import { httpsPicture, plainText, unescapeText } from '../../src/upstream/read/text.ts'

/** An observer that collects findings and declared fields. */
function listening (): { findings: Finding[], fields: Declared[], observer: UpstreamObserver } {
  const [findings, fields]: [Finding[], Declared[]] = [[], []]
  return { findings, fields, observer: {
    finding: (finding) => { findings.push(finding) }, declared: (field) => { fields.push(field) }
  } }
}

/** What was read, or the message of its failure; and the findings. */
function told (read: (observer: UpstreamObserver) => unknown): [unknown, Finding[]] {
  const { findings, observer } = listening()
  try {
    return [read(observer), findings]
  } catch (error) {
    return [(error as Error).message, findings]
  }
}

const [none, wrong] = [undefined, Symbol('wrong')]
const never: [unknown, unknown][] = [[undefined, none], [null, none]]
const kinds: Record<string, [given: unknown, read: unknown][]> = {
  text: [...never, ['a', 'a'], [' ', ' '], ['', none], [0, wrong], [true, wrong], [{}, wrong], [[], wrong]],
  int: [...never, [5, 5], [0, 0], [-3, -3], ['5', 5], ['-5', -5], ['', none], ['1.5', wrong], ['x', wrong], [
    '123456789012345', 123456789012345
  ], ['1234567890123456', wrong], [1.5, wrong], [2 ** 53, wrong], [true, wrong], [{}, wrong]],
  id: [
    ...never, [5, '5'], [1, '1'], [0, none], ['0', none], ['', none], ['12345678901234567890', '12345678901234567890'],
    ['x', wrong], [1.5, wrong], [2 ** 53, wrong], [false, wrong], [[], wrong]
  ],
  number: [
    ...never, [1.5, 1.5], [0, 0], ['1.5', 1.5], ['', none], [' ', wrong], ['x', wrong], [NaN, wrong],
    ['Infinity', wrong], [true, wrong], [{}, wrong]
  ],
  flag: [
    ...never, [true, true], [1, true], ['1', true], [false, false], [0, false], ['0', false], [2, wrong], ['', wrong],
    ['true', wrong], [{}, wrong]
  ],
  object: [...never, [{ a: 1 }, { a: 1 }], [{}, {}], ['', none], [[], wrong], ['x', wrong], [1, wrong]],
  list: [...never, [[1, 2], [1, 2]], [[], none], ['', none], [{}, wrong], ['x', wrong], [1, wrong]]
}

t.test('a field is read as one kind: what the upstream writes for it, for none of it, and what is noticed as wrong', async (t) => {
  for (const [kind, rows] of Object.entries(kinds)) {
    for (const [given, want] of rows) {
      const { findings, observer } = listening()
      const answer = new Answer({ x: given }, 'call', observer)
      const value = kind === 'object' ? maybe.at(answer, 'x')?.value
        : kind === 'list' ? maybe.list(answer, 'x', (row) => row.value) : maybe[kind as 'text'](answer, 'x')
      const what = `${kind} ${JSON.stringify(given)}`
      t.same(value, want !== wrong && want !== none ? want : kind === 'list' ? [] : undefined, what)
      t.same(findings.map(({ expected }) => expected), want === wrong ? [kind] : [], what)
    }
  }
})

t.test('what must be there is named where it is not, once, by its first name and its type', async (t) => {
  const tell = (value: unknown, take: (answer: Answer) => unknown) =>
    told((observer) => `read ${JSON.stringify(take(new Answer(value, 'call', observer)))}`)
  const found = (path: string, expected: string, seen: string) => ({ call: 'call', path, expected, seen })
  for (const [value, seen] of [
    [undefined, 'absent'], [null, 'null'], [[], 'list'], [{}, 'object'], [5, 'number'], [true, 'boolean']
  ] as const) {
    t.match(tell({ x: value }, (answer) => need.text(answer, 'x', 'y')), [
      /: x should be a text, and is /, [found('x', 'text', seen)]
    ])
  }
  t.match(tell({ y: 5 }, (answer) => need.text(answer, 'x', 'y')), [
    /: x should be a text, and is absent/, [found('y', 'text', 'number'), found('x', 'text', 'absent')]
  ])
  t.match(tell({ a: { b: 'x' } }, (answer) => need.at(answer, 'a.b')), [
    /: a\.b should be an object, and is string/, [found('a.b', 'object', 'string')]
  ])
  t.match(tell(null, (answer) => need.at(answer, '')), [
    /: answer should be an object, and is null/, [found('answer', 'object', 'null')]
  ])
  t.match(tell({ a: {} }, (answer) => need.id(need.at(answer, 'a'), 'b.c')), [
    /: a\.b\.c should be an id, and is absent/, [found('a.b.c', 'id', 'absent')]
  ])
  t.match(tell({ a: {} }, (answer) => need.text(need.at(answer, 'a'), '')), [
    /: a should be a text, and is object/, [found('a', 'text', 'object')]
  ])
  t.same(
    tell({ x: [], y: [1] }, (answer) => need.list(answer, 'x', (row) => row.value)), ['read []', []],
    'an empty list is there'
  )
  t.same(tell({ x: '', y: 'b' }, (answer) => need.text(answer, 'x', 'y')), ['read "b"', []])
  for (const value of [{ a: 'text' }, { a: null }, null, 'text']) t.match(
    tell(value, (answer) => need.int(answer, 'a.length')), [/is absent/, [{ seen: 'absent' }]],
    `a key of an object: ${JSON.stringify(value)}`
  )
})

t.test('several names of a field are alternatives, and each that is asked for is declared', async (t) => {
  const { findings, fields, observer } = listening()
  const answer = new Answer({ a: { x: '', y: 5, z: 'z' }, empty: [], rows: [1, 2] }, 'call', observer)
  const child = maybe.at(answer, 'gone', 'a') as Answer
  t.equal(maybe.text(child, 'x', 'y', 'z'), 'z')
  t.same(findings, [{ call: 'call', path: 'a.y', expected: 'text', seen: 'number' }], 'its type, never its value')
  t.same(maybe.list(answer, ['empty', 'rows'], (row) => row.value), [1, 2], 'a list under another name may have rows')
  t.same(maybe.at(answer, 'none'), undefined)
  t.same(fields.map(({ paths, kind, mode }) => [paths, kind, mode]), [
    [['gone', 'a'], 'object', 'maybe'], [['a.x', 'a.y', 'a.z'], 'text', 'maybe'], [['empty', 'rows'], 'list', 'maybe'], [['none'], 'object', 'maybe']
  ])
  const byId = new Answer({ 7: { name: 'a' }, 8: 'x' }, 'call', observer)
  t.equal(need.text(maybe.entry(byId, '7') as Answer, 'name'), 'a')
  t.same(
    ['9', '8', 'constructor', '__proto__', 'toString'].map((id) => maybe.entry(byId, id)), Array(5).fill(undefined),
    'also where every object inherits something of that name'
  )
  t.same(findings.slice(1), [{ call: 'call', path: '{}', expected: 'object', seen: 'string' }], 'an id is no name of a field')
})

t.test('rows that cannot be read are skipped; when none can, the first reason is told; a bug is no bad row', async (t) => {
  const ids = (...rows: unknown[]) =>
    need.list(new Answer({ rows }, 'call'), 'rows', (row, index) => `${index}${need.id(row, 'id')}`)
  t.same(ids({ id: 5 }, {}, null, { id: 6 }), ['05', '36'])
  t.same(ids(), [])
  t.throws(() => ids({}, { id: 'x' }), { code: 'UPSTREAM_UNREADABLE', message: /rows\[\]\.id .* absent/ })
  const answer = new Answer({ rows: [1, 2, 3] }, 'call')
  t.same(
    maybe.list(answer, 'rows', (row, index) => index === 1 ? undefined : row.value), [1, 3], 'a row that is not wanted'
  )
  t.throws(() => maybe.list(
    answer, 'rows', (row) => { if (row.value === 2) throw new TypeError('a bug'); return row }
  ), TypeError)
})

/** The fields that are missing from an answer. */
const vanished = (value: unknown, read: (answer: Answer) => unknown, optionalFields: string[] = []): string[] =>
  told((observer) => readAnswer({ name: 'call', read, optionalFields }, value, observer))[1]
    .map(({ path, expected, seen }) => `${path} ${expected} ${seen}`)

t.test('a field vanished when none of its names is a key of any object that should have it', async (t) => {
  const ids = (answer: Answer): unknown => maybe.list(
    answer, 'rows', (row) => { const album = maybe.at(row, 'album'); return album && maybe.int(album, 'id') }
  )
  t.same(vanished({ rows: [{ album: {} }, 7, null, 'text', { album: { other: 1 } }, { album: 5 }] }, ids), [
    'rows[].album object number', 'rows[].album.id int absent'
  ])
  t.same(vanished({ rows: [{ album: {} }, { album: { id: '' } }] }, ids), [])
  const nested = (answer: Answer): unknown => maybe.int(answer, 'album.id', 'albumid')
  for (const empty of [null, '', []]) t.same(vanished({ album: empty }, nested), [], JSON.stringify(empty))
  for (const odd of [[1], {}, 'text', 5]) {
    t.same(vanished({ album: odd }, nested), ['album.id int absent'], JSON.stringify(odd))
  }
  t.same(vanished({ album: 'text' }, (answer) => maybe.int(answer, 'album.length')), ['album.length int absent'])
  t.same(vanished({ a: null }, (answer) => maybe.text(answer, 'a')), [])
  t.same(vanished({}, (answer) => [maybe.text(answer, 'a'), maybe.int(answer, 'b')]), ['a text absent', 'b int absent'])
  t.same(
    vanished({ c: '' }, (answer) => [maybe.text(answer, 'a', 'c'), maybe.text(answer, 'a', 'b')]), ['a text absent'],
    'each set of names by itself'
  )
  t.same(
    vanished({ rows: [{}] }, (answer) => maybe.list(answer, 'rows', (row) => maybe.text(row, ''))),
    ['rows[] text object'], 'a row that should be a text has no key'
  )
  const named = (answer: Answer): unknown => ['k', 'l'].map((key) => {
    const entry = maybe.entry(maybe.at(answer, 'map') as Answer, key)
    return entry && maybe.text(entry, 'x')
  })
  t.same(vanished({ map: { k: {}, l: {} } }, named), ['map.{}.x text absent'])
  t.same(vanished({ map: { k: {}, l: { x: '' } } }, named), [])
})

t.test('what may vanish is told to be quiet about, what cannot be read is told with what else is gone', async (t) => {
  const all = (answer: Answer): unknown =>
    [maybe.text(answer, 'a'), maybe.text(answer, 'b.c'), maybe.text(answer, 'bc')]
  t.same(vanished({}, all, ['a', 'b.*']), ['bc text absent'])
  t.same(vanished({}, all, ['a.*', 'bc']), ['a text absent', 'b.c text absent'])
  t.same(
    vanished({}, (answer) => [maybe.text(answer, 'a'), need.text(answer, 'n')]), ['n text absent', 'a text absent']
  )
  const failing = (error: Error) => vanished({}, (answer) => { maybe.text(answer, 'a'); throw error })
  const upstream = (kind: Kind): UpstreamError => failure(kind, { call: 'call' })
  t.same(failing(upstream('refused.http')), ['a text absent'])
  t.same(failing(upstream('missing')), [], 'nobody\'s song has no fields')
  t.same(failing(new TypeError('a bug')), [])
  const late = (index: number) => vanished({ rows: Array.from({ length: 12 }, () => ({})) }, (answer) => maybe.list(
    answer, 'rows', (row, at) => at < index ? undefined : maybe.text(row, 'x')
  ))
  t.same([late(9), late(10)], [['rows[].x text absent'], []], 'ten rows are enough to know')
  t.throws(() => readAnswer({ name: 'call', read: (answer) => need.text(answer, 'n') }, {}, listening().observer), {
    code: 'UPSTREAM_UNREADABLE'
  })
})

t.test('a body is a text, or an object; everything else says why it is not', async (t) => {
  const json = (text: string, type?: string): unknown => readBody(Buffer.from(text), type, 'json', 'call')
  t.same(json('{"a":1}'), { a: 1 })
  t.equal(readBody(Buffer.from('<xml>'), undefined, 'text', 'call'), '<xml>')
  for (const [text, why] of [
    ['', /empty/], [' \n', /empty/], ['<html>', /not JSON\./], ['['.repeat(100) + ']'.repeat(100), /deep/],
    ['[1]', /object/], ['null', /object/], ['5', /object/]
  ] as const) {
    t.throws(
      () => json(text), { code: 'UPSTREAM_UNREADABLE', outcome: 'bad_payload', call: 'call', message: why }, text
    )
  }
  t.throws(() => readBody(Buffer.from([0xff, 0xff]), undefined, 'text', 'call'), {
    code: 'UPSTREAM_UNREADABLE', outcome: 'bad_encoding'
  })
  t.same([
    { message: 'a', msg: 'b' }, { message: '', msg: 'b' }, { message: 5, errmsg: 'c' }, { msg: '' },
    Object.create({ msg: 'd' }), null, 'message', undefined
  ].map(messageOf), ['a', 'b', 'c', undefined, undefined, undefined, undefined, undefined])
})

t.test('texts lose entities and marks, pictures come over https', async (t) => {
  t.equal(unescapeText('R&#38;B &amp; x'), 'R&B & x')
  t.equal(plainText('a<br>b<BR />c <em>d</em> &lt;'), 'a\nb\nc d <')
  const row = new Answer({ text: 'a &amp; b<br>', picture: 'http://y.gtimg.cn/a.jpg' }, 'call')
  t.same([textOf(row, 'text'), proseOf(row, 'text'), pictureOf(row, 'picture')], ['a & b<br>', 'a & b\n', 'https://y.gtimg.cn/a.jpg'])
  t.same([textOf(row, 'x'), proseOf(row, 'x'), pictureOf(row, 'x')], ['', '', ''])
  for (const same of ['https://y.gtimg.cn/a.jpg', 'http://127.0.0.1:1/a', 'http://localhost/a', '']) t.equal(httpsPicture(same), same)
  for (const none of ['http://[', 'ftp://a/b', 'a.jpg', 'javascript:alert(1)', 'JavaScript:alert(1)//http://a', 'data:text/html,x', ' https://a', 'https:', '//']) t.equal(httpsPicture(none), '', none)
  t.same(['//a/b', 'http://a/b'].map(httpsPicture), ['https://a/b', 'https://a/b'])
})

t.test('a page is taken in as many answers as it takes, without gap and overlap, and no endless list of them', async (t) => {
  const kept: string[] = []
  /** Collects rows of the list 0, 1, 2 … through `answer`, and records the requests. */
  const from = async (
    offset: number, limit: number, answer: (begin: number, num: number) => SentRows<number>
  ): Promise<any> => {
    const asked: [number, number][] = []
    const { rows, total } = await collectRows(
      offset, limit, async (begin, num) => { asked.push([begin, num]); return answer(begin, num) },
      (keep) => { kept.push(keep) }
    )
    return { rows, total, asked }
  }
  const sent = (total: number | undefined, begin: number, count: number): SentRows<number> =>
    ({ total, sent: count, rows: Array.from({ length: count }, (_, at) => ({ at, row: begin + at })) })
  const list = (most: number, total: number, told = true) => (begin: number, num: number) =>
    sent(told ? total : undefined, begin, Math.max(0, Math.min(most, num, total - begin)))
  t.same(await from(2, 5, list(2, 100)), { rows: [2, 3, 4, 5, 6], total: 100, asked: [[2, 5], [4, 3], [6, 1]] })
  t.same(await from(2, 5, list(9, 100)), { rows: [2, 3, 4, 5, 6], total: 100, asked: [[2, 5]] })
  t.same(await from(2, 5, list(2, 4)), { rows: [2, 3], total: 4, asked: [[2, 5]] }, 'the list ends')
  t.same(await from(2, 5, list(2, 4, false)), {
    rows: [2, 3], total: 4, asked: [[2, 5], [4, 3]]
  }, 'it ends, and nobody said where')
  t.same(await from(8, 5, list(2, 4)), { rows: [], total: 4, asked: [[8, 5]] })
  t.same(await from(0, 3, (begin) => sent(100, begin, 4)), {
    rows: [0, 1, 2], total: 100, asked: [[0, 3]]
  }, 'more than was wanted')
  t.same(await from(1, 3, (begin) => ({ total: undefined, sent: 2, rows: [{ at: 1, row: begin + 1 }] })), {
    rows: [2], total: 5, asked: [[1, 3], [3, 1]]
  }, 'an unreadable row is a hole, no shift')
  t.equal((await from(0, 40, list(1, 100))).asked.length, 10)
  t.equal((await from(0, 40, () => sent(undefined, 0, 2))).asked.length, 2, 'the same rows again')
  t.equal(
    (await from(0, 4, (begin) => ({ total: undefined, sent: begin + 1, rows: [{ at: 0, row: 7 }] }))).asked.length, 3,
    'the same row of another page'
  )
  t.equal(
    (await from(0, 6, () => ({ total: undefined, sent: 2, rows: [] }))).asked.length, 3,
    'three pages of holes are not the same rows'
  )

  t.same(kept, [])
  for (const [kind, code] of [['missing', 'NOT_FOUND'], ['empty', 'UPSTREAM_EMPTY']] as const) {
    const missing = (): never => { throw failure(kind, { call: 'call' }) }
    t.same(await from(0, 5, (begin) => begin > 0 ? missing() : sent(9, 0, 2)), {
      rows: [0, 1], total: 9, asked: [[0, 5], [2, 3]]
    }, 'what was listed is not unknown')
    t.same(kept.splice(0), ['brief'], 'nor is this the whole truth')
    await t.rejects(from(0, 5, missing), { code })
  }
  for (const [kind, code] of [['refused.http', 'UPSTREAM_REFUSED'], ['refused.cookie', 'COOKIE_REJECTED']] as const) {
    await t.rejects(
      from(0, 5, (begin) => { if (begin > 0) throw failure(kind, { call: 'call' }); return sent(9, 0, 2) }), { code }
    )
  }
  const read = (rows: unknown[]) =>
    readSentRows(new Answer({ rows }, 'call'), ['rows'], 3, (row) => need.int(row, 'id'))
  t.same(read([{ id: 5 }, {}, { id: 6 }, null]), { total: 3, sent: 4, rows: [{ at: 0, row: 5 }, { at: 2, row: 6 }] })
  t.same(read([]), { total: 3, sent: 0, rows: [] })
})

t.test('a song is read from either of its shapes, and what it lacks is 0 or empty', async (t) => {
  const song = (row: unknown): any => readSong(new Answer(row, 'call'))
  const empty = {
    id: 0, mid: '', name: 't', title: 't', subtitle: '', singer: [], album: { id: 0, mid: '', name: '', pmid: '' },
    mv: { id: 0, vid: '' }, interval: 0, time_public: '',
    file: { media_mid: '', size_128mp3: 0, size_320mp3: 0, size_flac: 0 },
    pay: { pay_play: 0, pay_down: 0, pay_month: 0 }
  }
  t.same(song({ title: 't' }), empty)
  t.match(song({ title: 't', singer: [{ name: 'A &amp; B' }, { id: 1, mid: 'm', title: 'C' }, {}] }), {
    singer: [{ id: 0, mid: '', name: 'A & B' }, { id: 1, mid: 'm', name: 'C' }]
  })
  const full = {
    id: 1, mid: 'm', name: 'n', title: 't', subtitle: 's', interval: 2, time_public: '2020',
    album: { id: 3, mid: 'am', name: 'an', pmid: 'ap' }, mv: { id: 4, vid: 'v' },
    file: { media_mid: 'f', size_128mp3: 5, size_320mp3: 6, size_flac: 7 },
    pay: { pay_play: 8, pay_down: 9, pay_month: 10 }
  }
  t.same(song(full), { ...full, singer: [] })
  const classic = {
    songid: 1, songmid: 'm', songorig: 'n', songname: 't', interval: 2, albumid: 3, albummid: 'am', albumname: 'an',
    vid: 'v', strMediaMid: 'f', size128: 5, size320: 6, sizeflac: 7,
    pay: { payplay: 8, paydownload: 9, paytrackmouth: 10 }
  }
  t.same(song(classic), {
    ...empty, ...full, subtitle: '', time_public: '', album: { ...full.album, pmid: '' }, mv: { id: 0, vid: 'v' }
  })
  t.match(song({ id: 1, mid: 'm' }), { id: 1, mid: 'm', name: '', title: '' }, 'a deleted song stays with its number')
  const id = (row: object) => songIdOf(new Answer(row, 'call'))
  t.same([
    id({ id: 1, songid: 2 }), id({ id: 0, songid: 2 }), id({ id: -1, song_id: 3 }), id({ songid: 0 }), id({})
  ], [1, 2, 3, undefined, undefined])
  t.same(
    [{ mid: 'a', songmid: 'b' }, { song_mid: 'c' }, {}].map((row) => songMidOf(new Answer(row, 'call'))),
    ['a', 'c', undefined]
  )
})

t.test('reading an answer ends where it would cost too much: rows, rows that cannot be read, findings', async (t) => {
  const tell = (value: unknown, read: (answer: Answer) => unknown) =>
    told((observer) => readAnswer({ name: 'call', read }, value, observer))
  const many = (count: number, value: unknown): unknown[] => Array.from({ length: count }, () => value)
  const name = (row: Answer): string => need.text(row, 'name')
  t.match(
    tell({ list: many(20_000, { name: 'a' }) }, (answer) => maybe.list(answer, 'list', name).length), [20_000, []]
  )
  t.match(
    tell({ list: many(20_001, { name: 'a' }) }, (answer) => maybe.list(answer, 'list', name)),
    [/it has too many rows/, []]
  )
  const inner = { list: many(1000, { name: 'a' }) }
  t.match(tell(
    { list: many(30, inner) }, (answer) => maybe.list(answer, 'list', (row) => maybe.list(row, 'list', name).length)
  ), [many(19, 1000), []], 'the rows of all lists count')
  let asked = 0
  const [error, findings] = tell({ list: [{ name: 'a' }, ...many(19_000, { name: 5 })] }, (answer) =>
    maybe.list(answer, 'list', (row) => {
      asked++
      return name(row)
    }))
  t.match(error, /name should be a text, and is number/)
  t.equal(asked, 1002, 'a thousand rows are skipped, not more')
  t.ok(findings.length <= 1000)
  const retyped = tell({ list: many(5000, { name: 5 }) }, (answer) => maybe.list(
    answer, 'list', (row) => maybe.text(row, 'name') ?? ''
  ).length)
  t.equal(retyped[0], 5000)
  t.equal(retyped[1].length, 1000, 'findings beyond a thousand are not reported one by one')
})

t.test('a song that has number and MID exists; an answer without one of its parts says nothing about it', async (t) => {
  const read = (key: Parameters<typeof songChain>[0], at: number, data: unknown): unknown => {
    const call = songChain(key, (track) => maybe.text(track, 'mid'))[at]
    return call?.read(new Answer(data, 'call'))
  }
  const track = { id: 1, mid: 'm' }
  for (const [at, whole] of [
    (one: unknown) => ({ track_info: one }), (one: unknown) => ({ tracks: [one, { id: 2, mid: 'other' }] }),
    (one: unknown) => ({ data: [one] })
  ].entries()) {
    t.equal(read({ song_mid: 'm' }, at, whole(track)), 'm')
    for (const none of [{ id: 0, mid: 'm' }, { id: -1, mid: 'm' }, { mid: 'm' }, { id: 1 }, { id: 1, mid: '' }, {}]) {
      t.throws(() => read({ song_mid: 'm' }, at, whole(none)), {
        code: 'NOT_FOUND', message: /song m/
      }, JSON.stringify(whole(none)))
    }
    for (const nothing of [{}, { track_info: null, tracks: null, data: null, info: null }]) {
      t.throws(() => read({ song_mid: 'm' }, at, nothing), { code: 'UPSTREAM_EMPTY' })
    }
  }
  for (const [at, other] of [{ info: {} }, { tracks: [] }, { data: [] }].entries()) {
    t.throws(() => read({ song_mid: 'm' }, at, other), { code: 'NOT_FOUND' }, 'a part without the track')
  }
  t.throws(() => read({ song_id: 7 }, 0, { extras: {} }), { code: 'NOT_FOUND', message: /song 7/ })
  const asked = (key: Parameters<typeof songChain>[0]) =>
    songChain(key, () => 0).map(({ request: ask }) => 'param' in ask ? ask.param : ask.query)
  const rest = { types: [0], modify_stamp: [0], ctx: 0, client: 1 }
  t.match(asked({ song_mid: 'm' }), [{ song_mid: 'm' }, { mids: ['m'], ...rest }, { songmid: 'm', format: 'json' }])
  t.same(asked({ song_id: 7 }), [{ song_id: 7 }, { ids: [7], ...rest }], 'the old call knows MIDs only')
})

t.test('when many songs are asked for, a failure is that of each song, and a bug is everybody\'s', async (t) => {
  const failing = (error: Error): Upstream =>
    ({ loggedIn: false, sendAll: async () => { throw error } } as unknown as Upstream)
  const keys = [{ song_id: 1 }, { song_mid: 'b' }]
  const down = failure('reset', { call: 'song.detail' })
  t.same((await eachSong(failing(down), keys, readSong)).map(({ error }) => error), [down, down])
  await t.rejects(eachSong(failing(new TypeError('a bug')), keys, readSong), new TypeError('a bug'))
})

t.test('a day begins at midnight in China; what is no day is 0', async (t) => {
  t.same(['2026-11-26', '1970-01-02', '2026-13-01', '2026-11', ''].map(midnightInChina), [1_795_622_400, 57_600, 0, 0, 0])
  t.equal(dayInChina(midnightInChina('2026-11-26')), '2026-11-26')
})

t.test('a song without a disc is on the first one; one without a track has no place', async (t) => {
  const placeIn = (row: object): unknown => placeOf(new Answer(row, 'x'))
  t.same([
    { index_album: 3 }, { index_album: 3, index_cd: 1 }, { index_cd: 1 }, { index_album: 3, index_cd: -1 }
  ].map(placeIn), [{ track: 3, disc: 1 }, { track: 3, disc: 2 }, {}, {}])
})

t.test('no rows and no reason for that look blocked; no rows of an empty list, or beyond its end, do not', async (t) => {
  const page = (sent: number, total?: number): SentRows<number> => ({ rows: [], sent, total })
  for (const [given, begin] of [[page(0), 0], [page(0), 5], [page(0, 1), 0]] as const) {
    t.throws(() => unlessBlocked(given, begin, 'call', 'rows'), { code: 'UPSTREAM_EMPTY' })
  }
  for (const [given, begin] of [[page(0, 0), 0], [page(0, 5), 5], [page(1), 0]] as const) {
    t.equal(unlessBlocked(given, begin, 'call', 'rows'), given)
  }
  const [first, second] = upstreamPages(0, 100) as [never, never]
  for (const [given, at] of [[page(0), first], [page(0, 0), second], [page(0, 51), second]] as const) {
    t.throws(() => unlessBlockedPage(given, at, 'call', 'rows'), { code: 'UPSTREAM_EMPTY' })
  }
  for (const [given, at] of [[page(0, 50), second], [page(1), first]] as const) {
    t.equal(unlessBlockedPage(given, at, 'call', 'rows'), given)
  }
})

t.test('an empty answer counts when a second call is empty, too, or nobody answers; then it is kept briefly', async (t) => {
  const kept: string[] = []
  /** What is found where the calls answer this, one after the other; null: a failure. */
  const found = async (...answers: (readonly number[] | null)[]): Promise<readonly number[]> => {
    const calls = answers.map((rows) => ({ read () {
      if (rows === null) throw failure('unreadable', { call: 'call' })
      return rows
    } }))
    const upstream = { async firstOf (some: readonly { read: (answer: Answer) => unknown }[]) {
      let failed: unknown
      for (const { read } of some) try {
        return read(new Answer({}, 'call'))
      } catch (error) { failed = error }
      throw failed
    } }
    const context = { upstream, cacheAtMost: (keep: string) => { kept.push(keep) } }
    const isEmpty = ({ length }: readonly number[]): boolean => length === 0
    return await confirmedIfEmpty<readonly number[]>(calls as never, isEmpty, 'rows', context as never)
  }
  const both = [await found([1], [2]), await found([], [2]), await found(null, [2]), await found([], [])]
  t.same(both, [[1], [2], [2], []])
  t.same(kept, [])
  t.same([await found([]), await found([], null), await found(null, [])], [[], [], []])
  t.same(kept, ['brief', 'brief', 'brief'])
  await t.rejects(found(null, null), { code: 'UPSTREAM_UNREADABLE' })
})

t.test('parts are put together: lists of an answer, and answers of one request', async (t) => {
  const error = failure('unreadable', { call: 'call' }) as UpstreamError
  t.same(together([{ rows: [1], skipped: 2 }, { rows: [], skipped: 1, error }]), { rows: [1], skipped: 3 })
  t.throws(() => together([{ rows: [], skipped: 1, error }, { rows: [], skipped: 0 }]), error)
  const sent = (rows: readonly number[], total?: number): SentRows<number> =>
    ({ rows: rows.map((row, at) => ({ at, row })), sent: rows.length, total })
  const { calls, read } = rowsInOnePost((...asked) => ({ name: 'call', asked }) as never, 2, 5, 2) as any
  t.same(calls.map(({ asked }: any) => asked), [[2, 5], [4, 3], [6, 1]])
  t.match(read([sent([2, 3]), sent([4, 5], 9), sent([6])].map((value) => ({ value }))), {
    total: 9, sent: 5, rows: [2, 3, 4, 5, 6].map((row, at) => ({ at, row }))
  })
  const left = async (total?: number): Promise<number> =>
    (await collectRows(2, 5, async () => ({ ...sent([2], total), sent: 5 }), () => {})).skipped
  t.same([await left(), await left(4)], [4, 1], 'places behind the end are no rows that were left out')
})

t.test('what is missing is noted, and costs nothing but itself', async (t) => {
  const noted: unknown[] = []
  const note = (name: string) => (what: unknown): void => { noted.push([name, what]) }
  const context = { cacheAtMost: note('kept'), loginRefused: note('refused'), log: { debug: note('log') } }
  for (const kind of ['unreadable', 'refused.cookie'] as const) {
    const error = failure(kind, { call: 'call' })
    t.equal(await optional(Promise.reject(error), () => noteMissing(context as never, error, 'no part')), undefined)
    const refused = kind === 'refused.cookie' ? [['refused', error]] : []
    t.same(noted.splice(0), [['kept', 'brief'], ...refused, ['log', { call: 'call', reason: error.code }]])
  }
  const searches = [randomId(), randomId()]
  t.ok(searches[0] !== searches[1] && searches.every((id) => /^\d{14}$/.test(id)), 'a number for each search')
})

t.test('pages of one size have each wanted row once', async (t) => {
  t.same(upstreamPages(0, 50), [{ index: 0, size: 50, from: 0, to: 50 }], 'one page where that will do')
  t.same(upstreamPages(100, 50).map(({ index }) => index), [2])
  t.same(upstreamPages(0, 120).map(({ size }) => size), [40, 40, 40])
  t.same(upstreamPages(0, 5, { least: 10, most: 50 }), [{ index: 0, size: 10, from: 0, to: 5 }])
  for (const offset of [0, 1, 25, 49, 50, 99]) {
    for (const count of [1, 7, 50, 51, 101]) {
      const rows = upstreamPages(offset, count, { least: 5, most: 50 }).flatMap(({ index, size, from, to }) =>
        Array.from({ length: to - from }, (_, at) => index * size + from + at))
      t.same(rows, Array.from({ length: count }, (_, at) => offset + at), `${count} from ${offset}`)
    }
  }
  await t.rejects(fetchPages([], async () => ({ rows: [], sent: 0, total: 0 })), TypeError)
})

t.test('an answer is as deep and has as many values as the relay takes, and all its characters', async (t) => {
  const read = (text: string): unknown => readBody(Buffer.from(text), undefined, 'json', 'call')
  const nested = (levels: number, more = ''): string => `${'{"a":'.repeat(levels)}1${more}${'}'.repeat(levels)}`
  const long = `,"b":"${'x'.repeat(200_000)}"`
  for (const text of [nested(64), nested(64, long)]) t.match(read(text), { a: { a: {} } })
  const pairs = (count: number): string => `{${Array(count).fill('"a":1').join()}}`
  t.same(read(pairs(150_000)), { a: 1 })
  const values = (count: number): string => `{"a":[${Array(count).fill('1').join()}]}`
  t.equal((read(values(350_000)) as { a: unknown[] }).a.length, 350_000)
  for (const text of [nested(65), nested(65, long), pairs(200_000), values(350_001)]) {
    t.throws(() => read(text), { code: 'UPSTREAM_UNREADABLE' })
  }
  const song = '国'.repeat(1_000_000)
  t.ok(readBody(Buffer.from(song), undefined, 'text', 'call') === song)
})

t.test('a usual answer is parsed once, an unusual one again', async (t) => {
  const { parse } = JSON
  const timesParsed = (text: string): number => {
    let times = 0
    JSON.parse = (...given) => {
      times++
      return parse(...given)
    }
    try {
      readBody(Buffer.from(text), undefined, 'json', 'call')
    } finally {
      JSON.parse = parse
    }
    return times
  }
  const usual = '{"n":1,"t":"ab","o":null,"r":{"t":"ab","l":[2,"ab",null,[],{"t":"ab"}]}}'
  const unusual = [usual.replace('2', '1234567890123456'), usual.replace('"n"', '"__proto__"')]
  t.same([usual, ...unusual].map(timesParsed), [1, 2, 2])
})

t.test('an empty name is a name; a row with none of its fields has changed', async (t) => {
  const named = (given: object): unknown =>
    told((observer) => nameOf(new Answer(given, 'call', observer), 'title', 'name'))[0]
  t.same([{ name: '' }, { title: null }, { title: '', name: 'a' }, { name: 'a' }].map(named), ['', '', 'a', 'a'])
  t.match(named({}), /title/)
  const row = (value: unknown) => new Answer(value, 'call', listening().observer)
  for (const nothing of [null, { id: 0, mid: '' }, { songid: '0' }]) t.equal(readSongRow(row(nothing)), undefined)
  t.throws(() => readSongRow(row({})), { code: 'UPSTREAM_UNREADABLE' })
  for (const deleted of [{ id: 5 }, { id: 5, singer: [{ name: '' }, null] }, { mid: 'a', file: { size_128mp3: 0 } }]) {
    t.equal(titleOf(row(deleted)), '', JSON.stringify(deleted))
  }
  for (const changed of [{ singer: [{ name: 'A' }] }, { file: { size_128mp3: 1 } }, { interval: 9 }, { size128: 1 }]) {
    t.throws(() => titleOf(row({ id: 5, ...changed })), { code: 'UPSTREAM_UNREADABLE' }, JSON.stringify(changed))
  }
  const listed = [true, undefined].map((gone) =>
    listedSong({ ...blankSong, mid: 'a', ...gone === undefined ? {} : { unplayable: gone } }).mid)
  t.same(listed, ['', 'a'], 'what is deleted has no address in a list')
  t.notMatch(JSON.stringify(blankSong), /:(?:[1-9]|true)/, 'of a blank song, nothing is known')
  t.match(readFacts(row({ mid: 'a' })), { id: 0, mid: 'a', mediaMid: 'a', songType: 0, seconds: 0, closed: false })
})

t.test('a batch fails whole only if an outage hits all of it, with the first failure; a bug is everybody\'s', async (t) => {
  const failed = (kind: Kind) => ({ error: failure(kind, { call: 'x' }) })
  const [down, late, gone] = [failed('reset'), failed('late'), failed('missing')]
  const kept: string[] = []
  const ended: unknown[] = []
  const context = {
    cacheAtMost: (policy: string) => { kept.push(policy) }, loginEnded: async (error: Error) => { ended.push(error) }
  }
  const elements = async (...settled: readonly Settled<unknown>[]): Promise<unknown[]> =>
    await elementsOf(settled, context, ({ code }, at) => `${at} ${code}`)
  t.same(await elements({ value: 1 }, { value: 2 }), [1, 2])
  t.same(kept, [])
  t.same(await elements({ value: 1 }, down), [1, '1 UPSTREAM_UNREACHABLE'])
  t.same(await elements(gone, down), ['0 NOT_FOUND', '1 UPSTREAM_UNREACHABLE'])
  t.same(kept, ['brief', 'brief'])
  await t.rejects(elements(down, late), { code: 'UPSTREAM_UNREACHABLE' })
  await t.rejects(elements({ value: 1 }, { error: new TypeError('a bug') }), TypeError)
  const refused = failed('refused.cookie')
  t.same(await elements(refused, { value: 1 }, refused), ['0 COOKIE_REJECTED', 1, '2 COOKIE_REJECTED'])
  t.same(ended, [refused.error], 'a refusal of the login is told once, and the request may be repeated')
  t.same(uniqueBy([{ id: 1 }, { id: 2 }, { id: 1, more: true }], ({ id }) => id), [{ id: 1 }, { id: 2 }])
  t.same([failure('empty', { call: 'x' }), failure('missing', { call: 'x' })].map(isEmpty), [true, false])
  t.same([-1, 0, 1].map(dayInChina), ['', '', '1970-01-01'])
})
