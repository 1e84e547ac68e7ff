/** Invalid input: the refusal names the field, nothing is sent upstream, and the relay keeps working. */
import type { Test } from 'tap'
import type { AnyEndpoint } from '../../src/relay/endpoint.ts'
import { createInputValidator } from '../../src/relay/validate.ts'
import { endpoints, song, type Reply, type Server } from '../support/helper.ts'
import { refusedTexts, refusedValues } from '../support/hostile.ts'
import { exchange, requestText } from '../support/raw.ts'
import { goesOn, refusalProblem } from '../support/shape.ts'
import { sharedStage } from '../support/stage.ts'
import { sampleOf, whole } from '../support/whole.ts'

const test = sharedStage('invalid input')

const all = Object.entries(endpoints)
const readers = all.filter(([, { method }]) => method === 'GET')
const writers = all.filter(([, { method }]) => method === 'POST')
const properties = ({ input }: AnyEndpoint): [string, AnyEndpoint['input']['properties'][string]][] =>
  Object.entries(input.properties)
const paths = ({ path, aliases = [] }: AnyEndpoint): string[] => [path, ...aliases]
const queryOf = (values: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(Object.entries(values).map(([name, value]): [string, string] => [name, String(value)])).toString()
const without = (values: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([key]) => key !== name))
const json = { 'content-type': 'application/json' }

const problemOf = ({ status, text, headers }: Reply, secrets: readonly string[] = []): string | undefined =>
  refusalProblem({ status, text, header: (name) => headers.get(name) }, { secrets })

/** Describes how a reply differs from the expected refusal. Undefined if it does not. */
function wrongRefusal (reply: Reply, field: string, statuses: readonly number[] = [400]): string | undefined {
  if (!statuses.includes(reply.status)) return `${reply.status} ${reply.text.slice(0, 100)}`
  if (reply.status === 400 && !new RegExp(`^${field}(\\[\\d+\\])*: `).test(String(reply.body.error))) {
    return `does not name ${field}: ${reply.body.error}`
  }
  return problemOf(reply)
}

/** Path, how the refusal begins, and queries. */
const refusedQueries: readonly (readonly [path: string, error: string, ...queries: string[]])[] = [
  ['/getAlbumInfo', 'albummid: is required', '', 'albummid='], ['/getAlbumInfo', 'albummid: must be', 'albummid=a%2Fb'],
  ['/getLyric', 'songmid: is required', '', 'songmid='], ['/getLyric/a%20b', 'songmid: must be', ''],
  ['/getLyric/a', 'isFormat: ', 'isFormat=2', 'isFormat=yes'],
  ['/getLyric/a', 'format: must be one of lrc, parsed, ttml, srt', 'format=lrcx'], ['/getLyric/a', 'roma:', 'roma=2'],
  ['/getRanks', 'topId: must be ', 'topId=x', 'topId=-1', 'topId=62.0', 'topId=0x3e'],
  ['/getRanks', 'page: must be ', 'page=-1', 'page=10001', 'page=1.5'],
  ['/getRanks', 'limit: must be ', 'limit=0', 'limit=101', 'limit=1e1', 'limit=%205', 'limit=Infinity', 'limit=1e999'],
  ['/getRanks', 'resolveMid: must be ', 'resolveMid=yes', 'resolveMid=TRUE'],
  ['/getRanks', 'period: must be', 'topId=5&period=now', 'topId=5&period=2026_123'],
  ['/getRanks', 'period: needs topId', 'period=2026_1'], ['/getRankPeriods', 'topId: is required', ''],
  ['/getComments', 'id: is required', '', 'id='], ['/getComments', 'id: must be a number or a MID', 'id=a-b'],
  ['/getComments', 'biztype: must be one of 1, 2, 3, 4', 'id=1&biztype=0', 'id=1&biztype=5'],
  ['/getComments', 'reqtype: must be one of 1, 2, 3', 'id=1&reqtype=4'],
  ['/getComments', 'pagesize: must be a whole number from 1 to 50', 'id=1&pagesize=51', 'id=1&pagesize=0'],
  ['/getComments', 'pagenum: ', 'id=1&pagenum=-1', 'id=1&pagenum=10001'],
  ['/getComments', 'cmd: must be one of 6, 8, 9', 'id=1&cmd=1', 'id=1&cmd=3', 'id=1&cmd=7'],
  ['/getComments', 'cursor: must be nextCursor', 'id=1&cursor=a%20b'],
  ['/getComments', 'rootcommentid: ', 'id=1&rootcommentid=%20'],
  ['/getImageUrl', 'id: ', '', 'id=', 'id=..%2Fx', 'id=a%26b', `id=${'a'.repeat(65)}`],
  ['/getImageUrl', 'size: ', 'id=x&size=300', 'id=x&size=301x301'],
  ['/getImageUrl', 'maxAge: ', 'id=x&maxAge=-1', 'id=x&maxAge=31536001', 'id=x&maxAge=1e3'],
  ['/getImageUrl', 'type: ', 'id=x&type=T001'],
  ['/getDigitalAlbumLists', 'limit: ', 'limit=0'], ['/getDigitalAlbumLists', 'page: ', 'page=-1'],
  ['/getMv', 'limit: ', 'limit=0', 'limit=101'], ['/getMv', 'page: ', 'page=-1'],
  ['/getMv', 'area_id: ', 'area_id=all'], ['/getMv', 'version_id: ', 'version_id=1e1'],
  ['/getMvByTag', 'tag: ', '', 'tag=%20', `tag=${'x'.repeat(65)}`], ['/getMvByTag', 'page: ', 'tag=all&page=x'],
  ['/getMvByTag', 'limit: ', 'tag=all&limit=0'],
  ['/getMvPlay', 'vid: ', '', 'vid=', 'vid=..%2Fx', `vid=${'a'.repeat(33)}`],
  ['/getMusicPlay', 'songmid: is required', '', 'songmid='], ['/getMusicPlay/a%26b', 'songmid: must be ', ''],
  ['/getMusicPlay', 'songmid: must be ', ...[
    'a,,b', 'a,', 'a%20b', '../x', Array.from({ length: 51 }, (_, at) => song(at + 1)).join(), 'a'.repeat(33)
  ].map((mids) => `songmid=${mids}`)],
  ['/getMusicPlay', 'songid: must be ', 'songmid=a&songid=0', 'songmid=a&songid=x', 'songmid=a&songid=5x'],
  ['/getMusicPlay', 'mediaId: must be ', 'songmid=a&mediaId=a.b'],
  ['/getMusicPlay', 'quality: must be ', 'songmid=a&quality=256'], ['/downloadProviderMusic', 'songmid: is required', ''], ['/downloadProviderMusic', 'songmid: must be ', 'songmid=a,b'],
  ['/downloadProviderMusic', 'quality: must be ', 'songmid=a&quality=FLAC'],
  ['/getSongLists', 'categoryId', 'categoryId=-1', 'categoryId=pop'], ['/getSongLists', 'sortId', 'sortId=0', 'sortId=6'], ['/getSongLists', 'limit', 'limit=101'], ['/getSongLists', 'page', 'page=-1'],
  ['/getSongListDetail', 'disstid', '', 'disstid=', 'disstid=12345678901234567890'],
  ['/getSongListDetail/12a', 'disstid', ''],
  ['/getSongListDetail', 'limit', 'disstid=1&limit=1001'], ['/getSongListDetail', 'offset', 'disstid=1&offset=100001'],
  ['/getNewDisks', 'limit', 'limit=0'], ['/getNewDisks', 'page', 'page=10001'],
  ['/getSimilarSongs', 'songmid: ', '', 'songmid=', 'songmid=a%20b', `songmid=${'a'.repeat(33)}`],
  ['/getOtherVersions', 'songmid: is required', ''], ['/getOtherVersions', 'songmid: must be', 'songmid=a-b'],
  ['/getRelatedMv', 'cursor: must be nextCursor', 'songmid=a&cursor=0', 'songmid=a&cursor=1e9'],
  ['/getRelatedPlaylists', 'cursor: ', ...['1..2', Array.from({ length: 61 }, () => '1').join('.'), '9999999999999999'].map((cursor) => `songmid=a&cursor=${cursor}`)],
  ['/getSearchByKey', 'key: ', '', 'key=', 'key=%20%09', `key=${'a'.repeat(201)}`],
  ['/getSearchByKey/%20', 'key: ', ''],
  ['/getSearchByKey', 'limit: ', 'key=a&limit=0', 'key=a&limit=101', 'key=a&limit=1e1'],
  ['/getSearchByKey', 'page: ', 'key=a&page=-1', 'key=a&page=10001'],
  ['/getSearchByKey', 'catZhida: ', 'key=a&catZhida=2', 'key=a&catZhida=yes'],
  ['/getSmartbox', 'key: ', '', 'key=%20', `key=${'a'.repeat(201)}`],
  ['/search', 'type: is required.', 'key=a'], ['/search', 'type: must be one of song, album, singer, playlist, mv, lyric.', 'key=a&type=user'], ['/search', 'key: is required.', 'type=song'],
  ['/getSingerList', 'area: must be one of -1, 1', 'area=7'], ['/getSingerList', 'sex: must be one of', 'sex=4'],
  ['/getSingerList', 'genre: must be one of', 'genre=12'],
  ['/getSingerList', 'limit:', 'limit=101', 'limit=0'], ['/getSingerList', 'page:', 'page=-1', 'page=1e3'],
  ['/getSingerMv', 'order: must be one of time, listen', 'singermid=a&order=best'],
  ...['/getSingerDesc', '/getSingerHotsong', '/getSingerAlbum', '/getSingerMv', '/getSimilarSinger', '/getSingerStarNum'].flatMap((path) => [
    [path, 'singermid: is required', '', 'singermid='] as const, [path, 'singermid: must be 1 to 32', 'singermid=a-b'] as const
  ]),
  ...['/getSingerHotsong', '/getSingerAlbum', '/getSingerMv'].flatMap((path) => [[path, 'limit:', 'singermid=a&limit=101'] as const, [path, 'page:', 'singermid=a&page=x'] as const]),
  ['/getSingerTab', 'tab: must be one of', 'singermid=a&tab=wiki'], ['/getSingerTab', 'limit:', 'singermid=a&limit=31'],
  ['/getSongInfo', 'songid or songmid: ', '', 'songmid=', 'songid=', 'songmid=&songid='],
  ['/getSongInfo', 'songmid: must be ', 'songmid=a-b', `songmid=${'a'.repeat(33)}`],
  ['/getSongInfo', 'songid: must be ', ...['0', '9007199254740992', '9007199254740993', '10000000000000000000', 'x', '1e3'].map((id) => `songid=${id}`), 'songmid=a&songid=5x'],
  ...['getLyric', 'getMusicPlay', 'downloadProviderMusic', 'stream', 'getSimilarSongs', 'getOtherVersions', 'getRelatedMv', 'getRelatedPlaylists'].map((name) => [`/${name}`, 'songmid: is a number, not a MID. /resolve?text= finds', 'songmid=5000001'] as const),
  ['/getMusicPlay', 'songmid: is a number', 'songmid=00DemoSong0001,5000001'],
  ['/stream/5000001.mp3', 'songmid: is a number', ''], ['/getLyric/5000001', 'songmid: is a number', ''],
  ['/getSongInfo', 'songmid: is a number, not a MID. Send it as songid=. /resolve', 'songmid=5000001'],
  ['/getAlbumInfo', 'albummid: is a number, not a MID. /resolve', 'albummid=800001'],
  ['/getSingerDesc', 'singermid: is a number, not a MID. A search', 'singermid=900001'],
  ['/resolve', 'text: ', '', 'text=', 'text=%20', `text=${'a'.repeat(8193)}`]
]

/** Path and query or body, and the warning. */
const warned: readonly (readonly [path: string, warning: RegExp | null, body?: object])[] = [
  ['/getRanks?topId=62&limt=1', /^limt ignored: did you mean limit\?$/],
  ['/getRanks?TopID=62&Limit=2', /^TopID ignored: did you mean topId\?; Limit ignored: did you mean limit\?$/],
  ['/getRanks?topId=62&num=3&pageNo=1', /^num ignored: did you mean limit\?; pageNo ignored: did you mean page\?$/],
  ['/getRanks?topId=62&whatever=SECRET', /^whatever ignored: unknown$/],
  ['/getRanks?topId=62&format=json&cookie=&limit=', null],
  ['/getRanks?topId=62&topId=4&x=1&x=2', /^topId repeated: the first value is used; x ignored: unknown$/],
  ['/getLyric/00DemoSong0001?isformat=1', /^isformat ignored: did you mean isFormat\?$/],
  ['/getLyric/00DemoSong0001?songmid=00DemoSong0002', null],
  ['/getLyric?songmid=00DemoSong0001&format2=x&%E4%BD%A0=1&a%0d%0ab=1', /^format2 ignored: did you mean format\?; 2 more ignored: unknown$/],
  ['/getRanks?topId=62&%E4%BD%A0=1', /^1 ignored: unknown$/],
  [`/getRanks?topId=62&${'x'.repeat(40)}=1`, /^1 ignored: unknown$/],
  [`/getRanks?topId=62&${Array.from({ length: 9 }, (_, at) => `odd${at}=1`).join('&')}`, /^(?:odd\d ignored: unknown; ){5}4 more ignored: unknown$/],
  ['/getRanks?topId=62&__proto__=1&constructor=1', /^__proto__ ignored: unknown; constructor ignored: unknown$/],
  ['/getRanks?topId=62&cookie=nonsense&limt=1', /^\?cookie= ignored: .*; limt ignored/],
  ['/batchGetSongInfo', /^ids ignored: did you mean songs\?$/, { ids: [1] }], ['/batchGetSongInfo', null, {}],
  ['/batchGetSongInfo?songs=1', /^songs ignored: unknown, \/batchGetSongInfo reads its JSON body$/, {}],
  ['/batchGetSongLists', /^pageSize ignored: did you mean limit\?$/, { pageSize: 3 }],
  ['/getComments?id=5000001&songmid=x', /^songmid ignored: did you mean id\?$/]
]

test('unknown names are answered as before, and named in a header with the near name; nothing else of the request is', async ({ t, server }) => {
  for (const [path, warning, body] of warned) {
    const { status, headers, text } = body === undefined ? await server.get(path) : await server.post(path, body)
    t.equal(status, 200, `${path} ${text.slice(0, 100)}`)
    const given = headers.get('x-relay-warning')
    if (warning === null) t.equal(given, null, path)
    else t.match(given, warning, path)
    t.notMatch(given ?? '', /SECRET|nonsense/)
  }
  for (const [path, error] of [
    ['/getSearchByKey?keyword=a', 'key: is required. keyword is not its name.'], ['/getLyric?id=00DemoSong0001', 'songmid: is required. id is not its name.'], ['/getLyric?songMID=x', 'songmid: is required. songMID is not its name.'], ['/getMusicPlay?songmid[]=a&songmid[]=b', 'songmid: is required. songmid[] is not its name.'], ['/getMusicPlay?songmid%5B0%5D=a', 'songmid: is required. songmid[0] is not its name.'],
    ['/getLyric?other=x', 'songmid: is required.'], [`/getLyric?${'y'.repeat(30)}=x`, 'songmid: is required.']
  ] as const) t.match(await server.get(path), { status: 400, body: { error } }, path)
  t.match((await server.get('/getLyric?id=x')).headers.get('x-relay-warning'), /^id ignored: did you mean songmid\?$/)
  const { body: { error }, headers } = await server.post('/checkMainLoginQr', { qrSig: 'x' })
  t.match([error, headers.get('x-relay-warning')], ['qrsig: is required. qrSig is not its name.', /did you mean qrsig/])
})

const fifty = Array.from({ length: 50 }, (_, at) => at)
/** Path, how the refusal begins, and bodies. */
const refusedBodies: readonly (readonly [path: string, error: string, ...bodies: unknown[]])[] = [
  ['/batchGetSongInfo', 'body: must be a JSON object.', [], null],
  ...([
    ['songs: must be a list', 'x', { length: 9 }],
    ['songs: must be a list of at most 100 elements', Array.from({ length: 101 }, () => ['a'])],
    ['songs[0]: must be a list', [null], ['x'], [[]], [['a', 1, 2]]], ['songs[0]: must have', [['']]],
    ['songs[0][0]: must be a MID', [[97773]]],
    ['songs[0][0]: is a number, not a MID; the number of a song is the second value', [['97773']]],
    ['songs[0][0]: must be', [['a b']]],
    ['songs[0][1]: must be', [['a', true]], [['a', -1]], [['a', 1.5]]], ['songs[1][0]: must be', [['a'], [{}]]],
    ['songs[0][1]: must be the number', [['a', 'b']], [['', 0]], [['00DemoSong0001', 0]], [['00DemoSong0001', '00']], [['00DemoSong0001', '5x']]]
  ] as const)
    .map(([error, ...values]) => ['/batchGetSongInfo', error, ...values.map((songs: unknown) => ({ songs }))] as const),
  ['/batchGetSongLists', 'categoryIds: ', { categoryIds: '6' }],
  ['/batchGetSongLists', 'categoryIds[0]: ', { categoryIds: ['6'] }, { categoryIds: [6.5] }, { categoryIds: [null] }],
  ['/batchGetSongLists', 'categoryIds: must be a list of at most 50', { categoryIds: [...fifty, 50] }],
  ['/batchGetSongLists', 'categoryIds: must be, together with disstid, at most 50', { categoryIds: fifty, disstid: '1' }],
  [
    '/batchGetSongLists', 'disstid: ', { disstid: 7700000001 }, { disstid: '1,,2' }, { disstid: '1;2' },
    { disstid: Array.from({ length: 51 }, () => '1').join() }
  ],
  ['/batchGetSongLists', 'limit: ', { limit: '5' }, { limit: 101 }], ['/batchGetSongLists', 'page: ', { page: -1 }],
  ['/batchGetSongLists', 'sortId: ', { sortId: 9 }], ['/batchGetSongLists', 'body: ', []]
]

test('what is refused is named with what it must be, before anything is asked', async ({ t, demo, server }) => {
  const wrong: string[] = []
  const check = ({ status, body }: Reply, error: string, what: string): void => {
    if (status !== 400 || body.code !== 'INVALID_INPUT' || !String(body.error).startsWith(error)) {
      wrong.push(`${what.slice(0, 90)}: ${status} ${body.error}`)
    }
  }
  for (const [path, error, ...queries] of refusedQueries) {
    for (const query of queries) check(await server.get(`${path}?${query}`), error, `${path}?${query}`)
  }
  for (const [path, error, ...bodies] of refusedBodies) {
    for (const body of bodies) check(await server.post(path, body), error, `${path} ${JSON.stringify(body)}`)
  }
  t.same(wrong, [])
  const form = 'content-type: must be application/json (curl: -H \'content-type: application/json\').'
  for (const [type, body, refusal] of [
    ['application/x-www-form-urlencoded', 'songs=1', { status: 415, body: { error: form } }],
    ['application/json', '{songs:1}', { status: 400, body: { error: 'body: must be valid JSON.' } }]
  ] as const) {
    t.match(
      await server.get('/batchGetSongInfo', { method: 'POST', headers: { 'content-type': type }, body }), refusal, type
    )
  }
  const getOnly = 'This path answers GET and HEAD only, with parameters in the address.'
  t.match(await server.post('/getRanks', {}), { status: 405, body: { error: getOnly } })
  t.equal(demo.received.length, 0)
  // The first value counts, an empty one is none, and 200 characters are not 200 units.
  for (const query of ['getRanks?topId=62&topId=x&limit=&page=', `getSearchByKey?key=${'%F0%9F%8E%B5'.repeat(200)}`]) t.equal((await server.get(`/${query}`)).status, 200)
})

test('every parameter of every endpoint refuses what it cannot be, by name, in the query and in the path', async ({ t, demo, server }) => {
  const wrong: string[] = []
  let [asked, turn] = [0, 0]
  for (const [name, endpoint] of readers) for (const [field, schema] of properties(endpoint)) {
    const texts = refusedTexts(schema)
    t.ok(texts.length >= 3, `${name} ${field}`)
    const refused = sampleOf(texts, Math.min(12, texts.length), turn++)
    const forms = paths(endpoint).map((path) => (value: string) => `${path}?${queryOf({ ...endpoint.example, [field]: value })}`)
    if (endpoint.pathParam === field) forms.push((value) => `${endpoint.path}/${encodeURIComponent(value)}?${queryOf(without(endpoint.example, field))}`)
    for (const form of forms) await Promise.all(refused.map(async (value) => {
      asked++
      const problem = wrongRefusal(await server.get(form(value)), field, form === forms[0] ? [400] : [400, 414])
      if (problem !== undefined) wrong.push(`${name} ${field}=${JSON.stringify(value).slice(0, 40)}: ${problem}`)
    }))
  }
  t.same(wrong, [])
  t.ok(asked > (whole ? 2000 : 150), `${asked} values`)
  await goesOn(t, server, demo, 'queries')
})

test('the ends of every range are taken, in the query as in a call of the library', async ({ t }) => {
  const inputs = createInputValidator()
  let ends = 0
  for (const [name, endpoint] of readers) for (const [field, { minimum, maximum }] of properties(endpoint)) {
    for (const end of [minimum, maximum].filter((value) => typeof value === 'number')) {
      ends++
      const given = { ...endpoint.example, [field]: end }
      const texts = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]))
      t.same(
        inputs.fromText(endpoint.input, texts), inputs.fromValues(endpoint.input, given), `${name} ${field}=${end}`
      )
    }
  }
  t.ok(ends > 60, `${ends} ends`)
})

test('what an endpoint cannot do without is asked for by name', async ({ t, demo, server }) => {
  for (const [name, { method, path, input, example }] of all) {
    for (const field of input.required ?? []) {
      const rest = without(example, field)
      const reply = method === 'GET' ? await server.get(`${path}?${queryOf(rest)}`) : await server.post(path, rest)
      t.equal(wrongRefusal(reply, field), undefined, `${name} without ${field}`)
      t.match(reply.body.error, /: is required\.$/)
    }
  }
  for (const [path, words] of [['/getSongInfo', 'songid or songmid'], ['/user/getUserAvatar', 'uin']] as const) {
    t.equal(wrongRefusal(await server.get(path), words), undefined, path)
  }
  await goesOn(t, server, demo, 'missing')
})

test('every field of every body refuses what it cannot be, by name', async ({ t, demo, server }) => {
  const wrong: string[] = []
  for (const [, endpoint] of writers) {
    for (const [field, schema] of properties(endpoint)) for (const path of paths(endpoint)) {
      const check = (reply: Reply, value: unknown): void => {
        const problem = wrongRefusal(reply, field)
        if (problem !== undefined) wrong.push(`${path} ${field}: ${JSON.stringify(value).slice(0, 60)}: ${problem}`)
      }
      for (const value of refusedValues(schema)) {
        check(await server.post(path, { ...endpoint.example, [field]: value }), value)
      }
      for (const number of ['1e999', '-1e999', '1e400']) {
        check(await server.get(path, { method: 'POST', headers: json, body: JSON.stringify({
          ...endpoint.example, [field]: 0
        }).replace(`"${field}":0`, `"${field}":${number}`) }), number)
      }
    }
  }
  t.same(wrong, [])
  t.equal(wrongRefusal(await server.post('/batchGetSongLists', {
    categoryIds: Array.from({ length: 26 }, () => 6), disstid: Array.from({ length: 25 }, () => '7700000001').join()
  }), '.*'), undefined, 'fifty elements in all')
  await goesOn(t, server, demo, 'bodies')
})

/** Bodies that no path takes, the statuses that refuse them, and headers. */
function oddBodies (field: string, example: object): readonly [string, readonly number[], Record<string, string>?][] {
  const deep = (open: string, close: string): string => `${open.repeat(40_000)}1${close.repeat(40_000)}`
  const notJson = ['{', '{"a":1,}', "{'a':1}", '{a:1}', 'NaN', '\0', '{"a":"\n"}', '[1', '{}{}', 'undefined']
  const notObjects = ['[]', 'null', 'true', '0', '""', `[${JSON.stringify(example)}]`]
  const prototypes = ['{"__proto__":{"polluted":1}}', `{"${field}":{"__proto__":{"polluted":1}}}`, '{"a":[{"constructor":{"prototype":{"polluted":1}}}]}', '{"\\u005f_proto__":{"polluted":1}}']
  return [
    ...[...notJson, ...notObjects, ...prototypes, `{"${field}":${deep('[', ']')}}`, deep('[', ']'), `{"${field}":[${'1,'.repeat(100_000)}1]}`]
      .map((body): [string, number[]] => [body, [400]]),
    [`{"${field}":${deep('{"a":', '}')}}`, [400, 413]], [`{"${field}":"${'x'.repeat(300_000)}"}`, [413]],
    [`{"${field}":[${'[],'.repeat(1_000_000)}[]]}`, [413]],
    ...[['a=b', 'application/x-www-form-urlencoded'], ['{}', 'text/plain'], ['{}', 'application/jsonp'], ['--b--', 'multipart/form-data; boundary=b'], ['<a/>', 'application/xml'], ['{}', 'nonsense']]
      .map(([body = '', type = '']): [string, number[], Record<string, string>] =>
        [body, [415], { 'content-type': type }]),
    ...['gzip', 'br', 'identity, gzip']
      .map((encoding): [string, number[], Record<string, string>] => ['{}', [415], { 'content-encoding': encoding }])
  ]
}

test('bodies that are no JSON objects, too large, too deep or in disguise are refused on every path that takes one', async ({ t, demo, server }) => {
  const wrong: string[] = []
  for (const [turn, [, endpoint]] of writers.entries()) for (const path of paths(endpoint)) {
    for (const [body, statuses, headers = {}] of sampleOf(
      oddBodies(Object.keys(endpoint.input.properties)[0] ?? '', endpoint.example), 4, turn
    )) {
      const reply = await server.get(path, { method: 'POST', body, headers: { ...json, ...headers } })
      const problem = statuses.includes(reply.status) ? problemOf(reply) : String(reply.status)
      if (problem !== undefined) wrong.push(`${path} ${body.slice(0, 40)} ${JSON.stringify(headers)}: ${problem}`)
    }
  }
  t.same(wrong, [])
  await goesOn(t, server, demo, 'disguises')
})

test('words of any script reach the upstream unchanged', async ({ t, demo, server }) => {
  const words = ['雨天 的 歌', '𝕊𝕠𝕟𝕘 𠜎', 'שלום עולם', '\u202Eabc\u202C مرحبا', '👩‍👩‍👧‍👦🏳️‍🌈', 'e\u0301 é ﬁ', 'A\u030A Å Å', 'a\uFEFFb\u200B', '%', '%25 %zz', 'a+b', 'a&b=c#d?e/f;g', '"\'\\`', '<b>&amp;</b>', '\0\u0001\u007F', '${x} {{y}}', 'x'.repeat(60), '雨'.repeat(60)]
  const asks: readonly ((word: string) => string)[] = [
    (word) => `/getSearchByKey?${queryOf({ key: word })}`, (word) => `/getSearchByKey/${encodeURIComponent(word)}`, (word) => `/getSmartbox?${queryOf({ key: word })}`, (word) => `/getMvByTag?${queryOf({ tag: word })}`
  ]
  const textsIn = (value: unknown): string[] => typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
  const lost: string[] = []
  for (const [turn, ask] of asks.entries()) for (const word of sampleOf(words, 2, turn)) {
    demo.reset()
    const { status } = await server.get(ask(word))
    if (status !== 200 || !demo.received.flatMap(({ query, body }) => [...textsIn(query), ...textsIn(body)]).includes(word)) lost.push(`${status} ${ask('x')} ${JSON.stringify(word)}`)
  }
  t.same(lost, [])
  // Characters are counted, not bytes.
  for (const word of ['雨'.repeat(200), '𝕊'.repeat(200)]) for (const ask of asks.slice(0, 2)) t.equal((await server.get(ask(word))).status, 200)
})

test('half characters and broken encodings are refused or replaced, never a failure of ours', async ({ t, demo, relay, server }) => {
  const wrong: string[] = []
  const check = async (path: string, statuses: readonly number[]): Promise<void> => {
    const reply = await server.get(path)
    const problem = !statuses.includes(reply.status) ? String(reply.status) : reply.status === 400 ? problemOf(reply) : undefined
    if (problem !== undefined) wrong.push(`${path}: ${problem}`)
  }
  await server.get('/getHotkey')
  const broken = ['%', '%z', '%zz', '%C0%80', '%ED%A0%80', '%ED%B0%80', '%FF%FE', '%E9', '%F8%88%80%80%80', '%u0041', 'a%']
  // As a terminal sends it: what is read as it stands, and how to write what is not.
  for (const [key, answer] of [
    ['云', { status: 200, text: /"songList":\[\{/ }], ['\u00d4\u00c6', { status: 400, text: /percent-encode the address \(curl: --data-urlencode with -G\)/ }]
  ] as const) {
    const packet = Buffer.from(requestText(`GET /getSmartbox?key=${key} HTTP/1.1`), key === '云' ? 'utf8' : 'latin1')
    t.match((await exchange(server.address, packet)).answers[0], answer)
  }
  demo.reset()
  for (const part of broken) for (const path of ['/getSearchByKey/', '/getLyric/', '/', '/user/']) await check(path + part, [400])
  t.equal(demo.received.length, 0)
  for (const part of broken) for (const path of ['getSearchByKey?key=x&@=1', 'getLyric?songmid=@', 'user/getCookie?cookie=@']) await check(`/${path.replace('@', part)}`, [200, 400])
  t.same(wrong, [])
  // A percent sign that begins no byte is one; bytes that are no UTF-8 (here also "cloud" in GBK) are not searched as another text.
  for (const part of [...broken, '%D4%C6', 'a%E7%BA&limit=1']) {
    const isText = !/%[89a-f]/i.test(part)
    demo.reset()
    for (const path of ['/getSearchByKey?key=@', '/getSmartbox?key=@', '/search?type=song&key=@']) {
      const { status, text } = await server.get(path.replace('@', part))
      t.match([status, text], isText ? [200] : [400, /"(?:message|error)":"key: must be well-formed/], `${path} ${part}`)
    }
    t.equal(demo.received.length > 0, isText, part)
  }
  demo.reset()
  const calls: readonly Promise<unknown>[] = [relay.getSearchByKey({ key: 'a\uD800' }), relay.getSmartbox({ key: '\uDC00a' }), relay.getMvByTag({ tag: '\uD83D' }), relay.getUserAvatar({ k: '\uD800' })]
  for (const call of calls) await t.rejects(call, { code: 'INVALID_INPUT', message: /^(key|tag|k): must be well-formed/ })
  await goesOn(t, server, demo, 'half characters')
})

test('a repeated parameter counts once, by its first value; names with brackets or dots are unknown names', async ({ t, server }) => {
  const hostile = '!'.repeat(300)
  const wrong: string[] = []
  const check = async (path: string, status: number, what: string): Promise<void> => {
    const reply = await server.get(path)
    if (reply.status !== status) wrong.push(`${what}: ${reply.status}`)
  }
  for (const [name, { path, input, example, login, envelope }] of readers) {
    const names = Object.keys(input.properties)
    const plain = queryOf(example)
    const status = login === 'required' ? 401 : envelope.delivers === undefined ? 200 : 302
    const again = names.filter((field) => Object.hasOwn(example, field)).map((field) => `${field}=${hostile}`)
    const odd = names.flatMap((field) => [`${field}[]=${hostile}`, `${field}[0]=${hostile}`, `${field}[a]=x`, `${field}.x=1`, `${field.toUpperCase()}X=1`])
    await check(`${path}?${[plain, ...again, ...odd, '__proto__=1', '__proto__[polluted]=1', 'constructor.prototype.polluted=1', 'a[b]=1'].join('&')}`, status, `${name}, repeated and odd names`)
    for (const field of again) await check(`${path}?${[field, plain].join('&')}`, 400, `${name}, first value`)
  }
  t.same(wrong, [])
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

const secret = 'SECRETMARK'

/** A cookie with this odd text in the header of this name is refused, and not quoted. Sent as bytes, since no client would. */
async function refusesCookie (t: Test, server: Server, name: string, odd: string): Promise<void> {
  const { answers } = await exchange(server.address, Buffer.from(requestText('GET /getRanks?topId=62 HTTP/1.1', [`${name}: uin=1; provider_key=${secret}${odd}`, 'Connection: close']), odd === '\u00FF' ? 'latin1' : 'utf8'))
  if (odd === '\r\nX-Evil: y') return // two headers, and nothing wrong with either
  t.equal(answers.length, 1, `${name} ${JSON.stringify(odd)}`)
  const [{ status, text, headers } = { status: 0, text: '', headers: new Map<string, string>() }] = answers
  // A key with a letter that no header has is none. Where that is said: cookies.
  if (odd >= '\u0080') {
    t.match([status, text.includes(secret), headers.get('x-relay-warning')], [200, false, /no key/], `${name} ${odd}`)
    return
  }
  t.equal(status, 400, `${name} ${JSON.stringify(odd)} ${text}`)
  t.equal(refusalProblem({ status, text, header: (header) => headers.get(header) }, { secrets: [secret] }), undefined)
}

test('a cookie with names of prototypes is a cookie without them, and one that breaks lines is refused from every source', async ({ t, demo, server }) => {
  const cookie = '__proto__=polluted; constructor=x; prototype=y; toString=z; hasOwnProperty=1; uin=o10001; provider_key=Q_H_L_k'
  for (const [query, headers] of [[`?${queryOf({ cookie })}`, {}], ['', { 'x-custom-cookie': cookie }], ['', { cookie }]] as const) {
    const { body: { data } } = await server.get(`/user/getCookie${query}`, { headers })
    t.same([data.cookieObject, data.cookieList], [{ uin: 'o10001', provider_key: 'Q_H_L_k' }, ['uin=o10001', 'provider_key=Q_H_L_k']])
  }
  for (const name of ['X-Custom-Cookie', 'Cookie']) for (const odd of ['\0', '\r', '\n', '\r\nX-Evil: y', '\u0001', '\u007F', 'é', '密', '\u00FF']) await refusesCookie(t, server, name, odd)
  demo.received.length = 0
  for (const odd of ['\0', '\r', '\n', 'é', '\u007F', 'k'.repeat(8200)]) {
    const reply = await server.get(`/getRanks?${queryOf({ topId: 62, cookie: `uin=1; provider_key=${secret}${odd}` })}`)
    if (odd.length > 1) t.same([wrongRefusal(reply, 'cookie'), problemOf(reply, [secret])], [undefined, undefined], 'too long')
    else t.match([reply.status, reply.text.includes(secret)], [200, false], JSON.stringify(odd))
  }
  t.notMatch(server.log.join(''), secret)
  demo.received.length = 0
  await goesOn(t, server, demo, 'cookies')
})
