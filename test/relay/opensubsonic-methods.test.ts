/**
 * Every method of OpenSubsonic, asked once with each kind of input. Answers and failures have the fields that the
 * standard's document has, say the same in XML, JSON and JSONP, and their ids lead to what they were given for and
 * always have the same name.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import fastify from 'fastify'
import { XMLValidator } from 'fast-xml-parser'
import t from 'tap'
import { formatOf, sendBody, type Body } from '../../src/players/opensubsonic/formats.ts'
import { methods } from '../../src/players/opensubsonic/opensubsonic.ts'
import { character } from '../support/hostile.ts'
import { inputsOf, knownTo, media, refusing, type MethodName } from '../support/opensubsonicInputs.ts'
import {
  playerTests, readXml, usual, xmlOf, type Answer, type Parameters, type Player
} from '../support/opensubsonicPlayer.ts'
import { checkerOf, document } from '../support/opensubsonicSchema.ts'
import { runs, sampleOf, whole } from '../support/whole.ts'

type Row = Readonly<Record<string, any>>

const names = Object.keys(methods) as MethodName[]
const check = checkerOf()
const skip = document === undefined ? 'the document of OpenSubsonic is not here' : false
const test = playerTests('every method of OpenSubsonic')

const callback = 'app.on$Answer_1'
const unwrap = (text: string): unknown => {
  const [, json] = new RegExp(`^/\\*\\*/${callback.replaceAll(/[.$]/g, '\\$&')}\\((.*)\\);$`, 's').exec(text) ?? []
  return json === undefined ? text : JSON.parse(json)['subsonic-response']
}

/** The sentences that hold. */
const trueOf = (rows: readonly (readonly [boolean, string])[]): string[] =>
  rows.flatMap(([holds, what]) => holds ? [what] : [])

/** Returns how XML differs from the same content in JSON. A parser that follows the standard makes spaces of bare line breaks in attributes. */
function differences (xml: string, json: unknown): string[] {
  const { attributes: { xmlns, ...attributes }, ...rest } = readXml(xml)
  const same = isDeepStrictEqual({ attributes, ...rest }, xmlOf('subsonic-response', json))
    && xmlns === 'http://subsonic.org/restapi'
  return trueOf([
    [XMLValidator.validate(xml) !== true, 'is not well-formed'],
    [!same, `XML says something else: ${xml.slice(0, 300)}`],
    [/<[^>?]*"[^"<]*[\n\r\t][^"<]*"/.test(xml), 'has a bare line break in an attribute']
  ])
}

/** Returns every object in an answer. */
function objectsIn (value: unknown): Row[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  return typeof value !== 'object' || value === null ? [] : [value as Row, ...Object.values(value).flatMap(objectsIn)]
}

/** Whether an answer has something of chance. */
const isByChance = (name: string, { type, id }: Parameters): boolean =>
  /^get(Random|Similar)Songs/.test(name) || type === 'random' || String(id).startsWith('ra-')

/** What is wrong with an object: an album or a list says how many songs it has and how long they are; a player drops a song without size, and reckons with its bit rate. */
function faultsOf ({ song, entry = song, songCount, duration, size, type, suffix, bitRate, album }: Row): string[] {
  const isList = Array.isArray(entry) && songCount !== undefined
  const isSong = type === 'music' && album !== undefined
  return trueOf([
    [
      isList && !(songCount === entry.length
        && duration === entry.reduce((sum: number, each: Row) => sum + each['duration'], 0)),
      `says ${songCount} songs of ${duration} s`
    ],
    [
      isSong && !(size > 0 && duration > 0 && ['mp3', 'flac']
        .includes(suffix) && Math.abs(bitRate - size * 8 / duration / 1000) <= 1),
      `has a song of ${size} bytes, ${duration} s, ${bitRate} kbit/s`
    ]
  ])
}

/** What is unknown is left out: it is neither 0 nor 1970. A list or an album without songs has none. */
function unknownIn (name: string, text: string): string[] {
  const found = /.{80}(?:1970-01-01|"(?:songCount|duration)":0[,}])/.exec(text.replaceAll(/"name":"[^"]*(?:4 New|单曲)[^}]*/g, ''))?.[0]
  return found === undefined || name === 'getGenres' || found.includes('00DemoAlbu0004') ? [] : [`says ${found}`]
}

/** The answer without what clients require beyond the standard: py-opensonic reads the albums of both lists alike. */
function asStandard (name: string, answer: Answer): Answer {
  if (name !== 'getAlbumList') return answer
  const whole = JSON.parse(answer.text)
  for (const album of whole['subsonic-response'].albumList.album) {
    if (typeof album.name !== 'string' || typeof album.songCount !== 'number' || typeof album.duration !== 'number') {
      return { ...answer, text: '{}' }
    }
    delete album.name
    delete album.songCount
  }
  return { ...answer, text: JSON.stringify(whole) }
}

/** What is wrong with the answers, and every object in them. Asked for once. */
let walked: ReturnType<typeof walkAll> | undefined
const walk = async (player: Player): ReturnType<typeof walkAll> => await (walked ??= walkAll(player))
async function walkAll (player: Player) {
  const known = await knownTo(player)
  const wrong: string[] = []
  const rows: Row[] = []
  /** Songs, and what had them. */
  const songs: (readonly [song: Row, from: string])[] = []
  await player.ask('savePlayQueue', { id: [known.song, 'so-00DemoSong0001', 'so-00DemoSong0005'], current: known.song })
  for (const [turn, name] of names.filter((each) => !media.has(each)).entries()) {
    for (const [at, input] of inputsOf(name, known).entries()) {
      const json = await player.ask(name, input)
      const xml = isByChance(name, input) || (at > 0 && !whole) ? undefined
        : await player.ask(name, { ...input, f: 'xml' })
      const refused = refusing.has(name)
      const right = json.http === 200
        && (refused ? json.error?.code === 50 && json.error.message.endsWith('.') : json.status === 'ok')
      const faults = [
        ...trueOf([[!right, `is ${json.http} ${json.text.slice(0, 300)}`]]), ...check(name, asStandard(name, json)),
        ...unknownIn(name, json.text), ...xml === undefined ? [] : differences(xml.text, json.body)
      ]
      if (xml !== undefined && (turn % 4 === 0 || whole)) {
        const [none, jsonp] = [
          await player.ask(name, { ...input, f: undefined }), await player.ask(name, { ...input, f: 'jsonp', callback })
        ]
        const types = [xml.type, json.type, jsonp.type].join()
        faults.push(...trueOf([
          [none.text !== xml.text, 'is something else without a format'],
          [!isDeepStrictEqual(unwrap(jsonp.text), json.body), 'is something else as JSONP'],
          [types !== 'text/xml; charset=utf-8,application/json; charset=utf-8,application/javascript; charset=utf-8', `is ${types}`]
        ]))
      }
      const own = objectsIn(json.body)
      const from = `${name} ${JSON.stringify(input)}`
      wrong.push(...[...faults, ...own.flatMap(faultsOf)].map((fault) => `${from} ${fault}`))
      rows.push(...own)
      songs.push(...own.filter(({ mediaType }) => mediaType === 'song').map((song) => [song, from] as const))
    }
  }
  return { wrong, rows, songs }
}

test('answers have the documented fields only, say the same in XML, JSON and JSONP, and are right about their songs', async ({ t, ...player }) => {
  const { wrong, rows } = await walk(player)
  t.same(wrong, [])
  t.ok(rows.length > 2000, `${rows.length} objects`)
})

test('a song has the same fields in all methods', async ({ t, ...player }) => {
  const forms = new Map<string, Map<string, string>>()
  for (const [song, from] of (await walk(player)).songs) {
    // An album of the library has another id than the same album of the catalogue.
    const { albumId: _, parent: __, ...fields } = song
    forms.set(song['id'], (forms.get(song['id']) ?? new Map<string, string>()).set(
      JSON.stringify(Object.entries(fields).sort()), from
    ))
  }
  t.ok(forms.size > 300, `${forms.size} songs`)
  t.same([...forms.values()].filter((each) => each.size > 1).slice(0, 3).map((each) => [...each]), [])
})

t.test('every method is one of the document', { skip }, async (t) => {
  t.same(names.filter((name) => document.paths[`/rest/${name}`] === undefined), [])
})

/** Returns the pairs of an id and its name that a row has, of singers and albums. */
function pairsOf (row: Row): [string, string][] {
  const own: [unknown, unknown][] = [[row['id'], row['name'] ?? row['title']]]
  // A song says the names of all its singers, and the id of the first.
  if (Array.isArray(row['artists']) && row['artists'].length > 0) {
    own.push([row['artistId'], String(row['artist']).split(' / ')[0]])
  }
  if (row['albumId'] !== undefined) own.push([row['albumId'], row['album']])
  return own.filter((pair): pair is [string, string] => typeof pair[0] === 'string'
    && typeof pair[1] === 'string' && /^(so|al|la|ar|pl|ch|li|ra)-/.test(pair[0]))
}

test('an id has one name in all answers', async ({ t, ...player }) => {
  const namesOf = new Map<string, Set<string>>()
  for (const [id, name] of (await walk(player)).rows.flatMap(pairsOf)) {
    namesOf.set(id, (namesOf.get(id) ?? new Set()).add(name))
  }
  t.ok(namesOf.size > 300, `${namesOf.size} ids`)
  t.same([...namesOf].filter(([, names]) => names.size > 1).map(([id, names]) => [id, ...names]), [])
})

test('an id of an answer leads to what it was given for, and a picture that an answer names exists', async ({ t, ...player }) => {
  const { rows } = await walk(player)
  const idsLike = (fields: readonly string[], kind: string, most: number): string[] =>
    [...new Set(rows.flatMap((row) => fields.map((field) => row[field])))]
      .filter((id): id is string => typeof id === 'string' && id.startsWith(`${kind}-`)).slice(0, whole ? most : 5)
  const wrong: string[] = []
  const kinds = { getSong: ['so'], getAlbum: ['al', 'la'], getArtist: ['ar'], getPlaylist: ['pl', 'ch', 'li', 'ra'] }
  for (const [method, kind] of Object.entries(kinds).flatMap(
    ([method, kinds]) => kinds.map((kind) => [method, kind] as const)
  )) {
    const field = method.slice(3).toLowerCase()
    const ids = idsLike(['id', 'albumId', 'artistId', 'parent'], kind, 30)
    t.ok(ids.length > 0, kind)
    for (const id of ids) {
      const { body, text } = await player.ask(method, { id })
      if (body[field]?.id !== id) wrong.push(`${method} ${id}: ${text.slice(0, 200)}`)
    }
    for (const id of idsLike(['coverArt'], kind, 12)) {
      const { http, headers, text } = await player.ask('getCoverArt', { id, size: 300 })
      const picture = http === 302 ? await fetch(headers.get('location') ?? '') : undefined
      if (picture?.status !== 200 || picture.headers.get('content-type')?.startsWith('image/') !== true) {
        wrong.push(`picture ${id}: ${http} ${text.slice(-120)}`)
      }
      await picture?.arrayBuffer()
    }
  }
  t.same(wrong, [])
})

test('what is not there, no id of the relay or no method fails with the documented fields, the same in XML and JSON', async ({ t, ...player }) => {
  const known = await knownTo(player)
  const wrong: string[] = []
  /** An answer is right with this code of failure, this status of HTTP, and the documented fields. */
  const expect = async (
    name: string, given: Parameters, code: number | undefined, http: number | undefined
  ): Promise<void> => {
    const json = await player.ask(name, given)
    // The address of a picture is made up without a question, and nobody knows of a song without a lyric whether it
    // exists.
    if (json.http === 302 || (name === 'getLyricsBySongId' && String(given['id']).startsWith('so-'))) return
    const right = json.status === 'failed'
      && json.error.code === (code ?? json.error.code) && (http === undefined ? json.http >= 400 : json.http === http)
    const faults = [...right ? [] : [`is ${json.http} ${json.text.slice(0, 200)}`], ...check('ping', json)]
    wrong.push(...faults.map((fault) => `${name} ${JSON.stringify(given)} ${fault}`))
  }
  const byId = names.filter((name) => 'id' in methods[name].input.properties
    && (methods[name].input as { required?: readonly string[] }).required?.includes('id') === true)
  t.ok(byId.length > 10)
  for (const name of byId) {
    for (const [id, code] of [
      ['al-00NoSuchThing1', 70], ['so-00NoSuchThing1', 70], ['nonsense', 70], ['', undefined], [undefined, 10]
    ] as const) await expect(name, { id }, code, media.has(name) ? undefined : 200)
  }
  const ofMethods: readonly [string, string[]][] =
    [['getSong', ['so-00DemoSong9999', 'al-00DemoAlbu0001', '1', 'so_00DemoSong0001', 'so-', 'so-00DemoSong0001.']], ['getAlbum', ['al-nothing', 'la-nothing']], ['getPlaylist', ['pl-1', 'ch-999999', 'ra-999999', 'li-mine']], ['getArtist', ['ar-../x']]]
  for (const [name, ids] of ofMethods) for (const id of ids) await expect(name, { id }, 70, 200)
  for (const id of ['al-../../x', 'li-daily', 'la-0']) await expect('getCoverArt', { id }, 70, 404)
  for (const name of ['noSuchMethod', 'getTranscodeDecision', 'search', 'constructor', '__proto__', 'toString', 'PING', 'getLyricsBySongIdd']) await expect(name, {}, 0, 404)
  // A proof is asked for before anything else, whatever the method.
  for (const [at, name] of names.filter((each) => each !== 'getOpenSubsonicExtensions').entries()) {
    const ways = [[{ p: undefined }, 10], [{ u: undefined }, 10], [{ apiKey: 'mk_x' }, 43]] as const
    for (const [given, code] of sampleOf(ways, 3, at)) {
      await expect(name, { ...inputsOf(name, known)[0], ...given }, code, media.has(name) ? undefined : 200)
    }
  }
  // A few wrong ones only: the address would be blocked.
  for (const name of ['ping', 'getAlbum', 'search3', 'stream', 'getCoverArt', 'star', 'getPlayQueue'] as const) {
    for (const given of [{ p: 'wrong' }, { p: undefined, t: 'wrong', s: 'salt' }]) {
      await expect(name, given, 40, media.has(name) ? 401 : 200)
    }
  }
  t.same(wrong, [])
  t.equal((await player.play('getOpenSubsonicExtensions', { u: undefined })).status, 'ok')
  t.match(await player.ask('getSong'), { error: { code: 10, message: 'id: is required.' } })
})

test('failures say the same in XML, and media fail in the form that was asked for', async ({ t, ask }) => {
  const given: readonly (readonly [string, Parameters])[] = [
    ['ping', { p: 'wrong "<&>" 密码' }], ['getAlbum', { id: 'al-"<&>\n\'' }], ['getSong', {}], ['noSuchMethod', {}], ['star', { id: 'so-1' }],
    ['stream', { id: 'so-00NoSuchThing1' }], ['download', { id: 'so-00NoSuchThing1' }], ['getCoverArt', { id: 'li-daily' }], ['getAvatar', { username: 'somebody else' }]
  ]
  for (const [name, parameters] of given) {
    const [json, xml] = [await ask(name, parameters), await ask(name, { ...parameters, f: 'xml' })]
    t.equal(json.status, 'failed', name)
    t.equal(xml.http, json.http, name)
    t.equal(json.http >= 400, media.has(name) || name === 'noSuchMethod', name)
    t.same(differences(xml.text, json.body), [], name)
  }
})

test('the check is as strict as it says', async ({ t, ...player }) => {
  if (document === undefined) return
  const answer = await player.ask('getAlbum', { id: (await knownTo(player)).libraryAlbum })
  const spoils: readonly ((body: any) => void)[] = [
    (body) => { body.more = 1 }, (body) => { body.album.more = 1 }, (body) => { body.album.song[0].more = 1 },
    (body) => { body.album.song[0].artists[0].more = 1 }, (body) => { body.album.created = 'yesterday' },
    (body) => { delete body.album.song[0].title }, (body) => { body.album.song[0].size = '1' }
  ]
  for (const spoil of spoils) {
    const spoilt = JSON.parse(answer.text)
    spoil(spoilt['subsonic-response'])
    t.ok(check('getAlbum', { ...answer, text: JSON.stringify(spoilt) }).length > 0, spoil.toString())
  }
})

test('the answer is the same however it is asked: by address or form, with .view or without', async ({ t, ...player }) => {
  const known = await knownTo(player)
  const cases = names.filter((name) => !media.has(name)).flatMap((name) => inputsOf(name, known)
    .filter((input) => !isByChance(name, input)).map((input) => [name, input] as const))
  const manners = (['GET', 'POST', 'bare'] as const).flatMap((http) => [{ http, view: false }, { http, view: true }])
  const wrong: string[] = []
  for (const [at, [name, input]] of cases.entries()) {
    if (!whole && at % 8 > 0) continue
    const json = await player.ask(name, input)
    for (const manner of sampleOf(manners, manners.length, at / 8)) {
      const other = await player.ask(name, input, manner)
      if (!isDeepStrictEqual(other.body, json.body)) wrong.push(`${name} ${JSON.stringify(input)} ${JSON.stringify(manner)}: ${other.text.slice(0, 200)}`)
    }
  }
  t.same(wrong, [])
})

test('JSONP needs the name of a function, and nothing else passes for one', async ({ t, ask }) => {
  for (const wrong of [undefined, '', 'alert(1)//', 'a b', '1a', 'a;b', 'a.', 'a..b', '</script>', 'a'.repeat(101)]) {
    const { http, text, type } = await ask('ping', { f: 'jsonp', callback: wrong })
    t.match([http, type, text], [200, 'text/xml; charset=utf-8', /status="failed".*code="10"/s], `${wrong}`)
  }
  t.match((await ask('ping', { f: 'jsonp', callback: 'a'.repeat(100) })).type, 'application/javascript')
})

test('the worst texts of the demo come through', async ({ t, ask }) => {
  const { album } = (await ask('getAlbum', { id: 'al-00DemoAlbu0002' })).body
  t.match(album.name, /"for".*'.*🌙/)
  t.equal(readXml(
    (await ask('getAlbum', { ...usual, f: 'xml', id: 'al-00DemoAlbu0002' })).text
  ).children['album']?.[0]?.attributes['name'], album.name)
  t.match((await ask('getArtistInfo2', { id: 'ar-00DemoSing0001' })).body.artistInfo2.biography, /\n/)
})

/** Song titles, lyrics and comments as bad as they come. */
const parts = ['&', '<', '>', '"', '\'', ';', '#', 'amp', 'lt', ']]>', '<!--', '&#10;', '&amp;', ' ', '\n', '\r', '\t', '\r\n', 'é', '夜', '🌙', '\u0000', '\u001b', '\u007f', '\u0085', '\u2028', '\ud800', '\udc00', '\ufffe', '\uffff', '%', '\\']
const nasty = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: character, maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom(...parts), maxLength: 12 }) },
  fc.constantFrom('', ' ', '  leading and trailing  ', 'Songs "for" Nobody (It\'s Fine) 🌙', 'line one\nline two\n\nline four\n', 'A & B <live> "x"', ']]>', '&amp;amp;', '&#xD;')
)
const plain = fc.oneof(
  nasty, fc.boolean(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(undefined)
)
const key = fc.constantFrom('song', 'album', 'title', 'artist', 'name', 'comment', 'entry', 'line', 'lyrics', 'displayArtist', 'note')
const content = fc.letrec((tie) => ({
  object: fc.oneof({ maxDepth: 3 },
    fc.dictionary(key, fc.oneof(
      { maxDepth: 3 }, plain, tie('object'), fc.array(tie('object'), { maxLength: 3 }),
      fc.array(nasty, { maxLength: 3 })
    ), { noNullPrototype: true }),
    fc.tuple(fc.dictionary(key, plain, { noNullPrototype: true, maxKeys: 3 }), nasty)
      .map(([fields, value]) => ({ ...fields, value })))
})).object as fc.Arbitrary<Body>

t.test('any content is the same in XML, JSON and JSONP', async (t) => {
  const app = fastify()
  t.teardown(async () => { await app.close() })
  let given: Body = {}
  app.get(
    '/', async (request, reply) => await sendBody(reply, formatOf(request.query as Record<string, string>), given)
  )
  const ask = async (query: Record<string, string>): Promise<string> => (await app.inject({ path: '/', query })).payload
  const bodies =
    fc.dictionary(key, fc.oneof(content, fc.array(content, { maxLength: 3 })), { noNullPrototype: true, maxKeys: 3 })
  const oneByOne: Body[] = parts.map((part) =>
    ({ song: { title: `a${part}b`, value: `${part} ` }, artistInfo: { note: part }, albumInfo: { line: [part] } }))
  const examine = async (body: Body): Promise<void> => {
    given = body
    const json = JSON.parse(await ask({ f: 'json' }))['subsonic-response']
    const faults = [
      ...differences(await ask({ f: 'xml' }), json),
      ...isDeepStrictEqual(unwrap(await ask({ f: 'jsonp', callback })), json) ? [] : ['JSONP says something else']
    ]
    if (faults.length > 0) throw new Error(`${JSON.stringify(body)}: ${faults.join('; ')}`)
  }
  for (const body of oneByOne) await examine(body)
  await fc.assert(fc.asyncProperty(bodies, async (body) => { await examine(body as Body) }), runs(t))
})
