/** What OpenSubsonic answers in XML and in JSONP is what it answers in JSON, whatever the texts are and however it is asked. */
import fc from 'fast-check'
import fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import { XMLValidator } from 'fast-xml-parser'
import t from 'tap'
import type { Test } from 'tap'
import { formatOf, sendBody } from '../../src/players/opensubsonic/answers.ts'
import type { Body } from '../../src/players/opensubsonic/answers.ts'
import { methods } from '../../src/players/opensubsonic/methods/index.ts'
import { inputs, knownTo, media } from '../support/opensubsonicInputs.ts'
import type { MethodName } from '../support/opensubsonicInputs.ts'
import { playerFor, readXml, usual, xmlOf } from '../support/opensubsonicPlayer.ts'
import type { Answer, Manner, Parameters } from '../support/opensubsonicPlayer.ts'
import { whole } from '../support/whole.ts'

const names = (Object.keys(methods) as MethodName[]).filter((name) => !media.has(name))

/** Methods whose answer has something of chance. */
const byChance: ReadonlySet<string> = new Set<MethodName>(['getRandomSongs', 'getSimilarSongs', 'getSimilarSongs2'])
const isByChance = (name: string, { type }: Parameters): boolean => byChance.has(name) || type === 'random'

/** Compares the two forms of one content. */
function compare (t: Test, xml: string, json: unknown, what: string): void {
  t.equal(XMLValidator.validate(xml), true, `${what} is well-formed`)
  const { attributes: { xmlns, ...attributes }, ...rest } = readXml(xml)
  t.equal(xmlns, 'http://subsonic.org/restapi', what)
  t.same({ attributes, ...rest }, xmlOf('subsonic-response', json), what)
  // A parser that follows the standard makes spaces of these, unless they are written as numbers.
  t.notMatch(xml, /<[^>?]*"[^"<]*[\n\r\t][^"<]*"/, `${what} has no bare line break in an attribute`)
}

const callback = 'app.on$Answer_1'
const unwrap = (text: string): unknown => {
  const [, json] = new RegExp(`^/\\*\\*/${callback.replaceAll(/[.$]/g, '\\$&')}\\((.*)\\);$`, 's').exec(text) ?? []
  return json === undefined ? text : JSON.parse(json)['subsonic-response']
}

t.test('every method says the same in XML, JSON and JSONP', async (t) => {
  const player = await playerFor(t)
  const known = await knownTo(player)
  for (const name of names) {
    for (const input of inputs[name](known)) {
      if (isByChance(name, input)) continue
      const what = `${name} ${JSON.stringify(input)}`
      const [json, xml, none, jsonp] = await Promise.all([{}, { f: 'xml' }, { f: undefined }, { f: 'jsonp', callback }].map(async (form) => await player.ask(name, { ...input, ...form }))) as [Answer, Answer, Answer, Answer]
      compare(t, xml.text, json.body, what)
      t.equal(none.text, xml.text, `${what} without a format`)
      t.same(unwrap(jsonp.text), json.body, `${what} as JSONP`)
      t.match([xml.type, json.type, jsonp.type], [/^(application|text)\/xml; charset=utf-8$/i, /^application\/json(; charset=utf-8)?$/i, /^(application|text)\/javascript; charset=utf-8$/i])
    }
  }
})

t.test('however it is asked: by address or form, with .view or without', async (t) => {
  const player = await playerFor(t)
  const known = await knownTo(player)
  const manner = fc.record<Manner>({ http: fc.constantFrom('GET', 'POST', 'bare'), view: fc.boolean() })
  const asked = fc.constantFrom(...names).chain((name) => fc.record({ name: fc.constant(name), input: fc.constantFrom(...inputs[name](known)), manner }))
  await fc.assert(fc.asyncProperty(asked, fc.boolean(), async ({ name, input, manner }, jsonp) => {
    if (isByChance(name, input)) return
    const json = await player.ask(name, input)
    const other = await player.ask(name, { ...input, ...jsonp ? { f: 'jsonp', callback } : { f: 'xml' } }, manner)
    const what = `${name} ${JSON.stringify(input)} ${JSON.stringify(manner)}`
    if (jsonp) t.same(unwrap(other.text), json.body, what)
    else compare(t, other.text, json.body, what)
  }), { numRuns: whole ? 150 : 60 })
})

t.test('failures say the same, too', async (t) => {
  const player = await playerFor(t)
  for (const [name, parameters] of [['ping', { p: 'wrong "<&>" 密码' }], ['getAlbum', { id: 'al-"<&>\n\'' }], ['getSong', {}], ['noSuchMethod', {}], ['star', { id: 'so-1' }]] as const) {
    const json = await player.ask(name, parameters)
    const xml = await player.ask(name, { ...parameters, f: 'xml' })
    t.equal(json.body.status, 'failed', name)
    t.equal(xml.status, json.status, name)
    compare(t, xml.text, json.body, name)
  }
})

t.test('media fail in the form that was asked for', async (t) => {
  const player = await playerFor(t)
  for (const name of media) {
    const parameters: Parameters = { id: 'so-00NoSuchThing1', username: 'somebody else' }
    const [json, xml] = await Promise.all(['json', 'xml'].map(async (f) => await player.ask(name, { ...name === 'getCoverArt' ? { id: 'li-daily' } : parameters, f }))) as [Answer, Answer]
    if (json.status === 302) continue // everybody's picture is that of the account
    t.match(json.type, /^application\/json/, name)
    t.ok(json.status >= 400, `${name}: HTTP ${json.status}`)
    t.equal(xml.status, json.status, name)
    if (json.body !== undefined) compare(t, xml.text, json.body, name)
  }
})

t.test('JSONP needs the name of a function, and nothing else passes for one', async (t) => {
  const player = await playerFor(t)
  for (const wrong of [undefined, '', 'alert(1)//', 'a b', '1a', 'a;b', '</script>', 'a'.repeat(101)]) {
    const { status, text, type } = await player.ask('ping', { f: 'jsonp', callback: wrong })
    t.equal(status, 200)
    t.notMatch(type, /javascript/, `${wrong}`)
    t.match(text, /status="failed"/, `${wrong}`)
  }
  t.match((await player.ask('ping', { f: 'jsonp', callback: 'a'.repeat(100) })).type, /javascript/)
})

/** The serializer alone, behind a server: what it makes of any content. */
async function serializer (t: Test): Promise<(body: Body, query: string) => Promise<string>> {
  const app = fastify()
  let given: Body = {}
  app.get('/', async (request, reply) => await sendBody(reply, formatOf(request.query as Record<string, string>), given))
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(async () => { await app.close() })
  return async (body, query) => {
    given = body
    return await (await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/?${query}`)).text()
  }
}

/** Song titles, lyrics and comments as bad as they come. */
const nasty = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom('&', '<', '>', '"', '\'', ';', '#', 'amp', 'lt', ']]>', '<!--', '&#10;', '&amp;', ' ', '\n', '\r', '\t', '\r\n', 'é', '夜', '🌙', '\u0000', '\u001b', '\u007f', '\u0085', '\u2028', '\ud800', '\udc00', '\ufffe', '\uffff', '%', '\\'), maxLength: 12 }) },
  fc.constantFrom('', ' ', '  leading and trailing  ', 'Songs "for" Nobody (It\'s Fine) 🌙', 'line one\nline two\n\nline four\n', 'A & B <live> "x"', ']]>', '&amp;amp;', '&#xD;')
)
const plain = fc.oneof(nasty, fc.boolean(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(undefined))
const key = fc.constantFrom('song', 'album', 'title', 'artist', 'name', 'comment', 'entry', 'line', 'lyrics', 'displayArtist', 'note')
const content = fc.letrec((tie) => ({
  object: fc.oneof({ maxDepth: 3 },
    fc.dictionary(key, fc.oneof({ maxDepth: 3 }, plain, tie('object'), fc.array(tie('object'), { maxLength: 3 }), fc.array(nasty, { maxLength: 3 })), { noNullPrototype: true }),
    fc.tuple(fc.dictionary(key, plain, { noNullPrototype: true, maxKeys: 3 }), nasty).map(([fields, value]) => ({ ...fields, value })))
})).object as fc.Arbitrary<Body>

t.test('any content is the same in XML, JSON and JSONP', async (t) => {
  const ask = await serializer(t)
  await fc.assert(fc.asyncProperty(fc.dictionary(key, fc.oneof(content, fc.array(content, { maxLength: 3 })), { noNullPrototype: true, maxKeys: 3 }), async (body) => {
    const json = JSON.parse(await ask(body as Body, 'f=json'))['subsonic-response']
    const xml = await ask(body as Body, 'f=xml')
    const { attributes: { xmlns: _, ...attributes }, ...rest } = readXml(xml)
    const expected = xmlOf('subsonic-response', json)
    if (JSON.stringify({ attributes, ...rest }) !== JSON.stringify(expected)) t.same({ attributes, ...rest }, expected)
    if (XMLValidator.validate(xml) !== true) throw new Error(`not well-formed: ${xml}`)
    if (/<[^>?]*"[^"<]*[\n\r\t][^"<]*"/.test(xml)) throw new Error(`a bare line break in an attribute: ${xml}`)
    if (JSON.stringify({ attributes, ...rest }) !== JSON.stringify(expected)) throw new Error('XML says something else')
    const jsonp = unwrap(await ask(body as Body, `f=jsonp&callback=${encodeURIComponent(callback)}`))
    if (JSON.stringify(jsonp) !== JSON.stringify(json)) throw new Error('JSONP says something else')
  }), { numRuns: whole ? 400 : 150 })
})

t.test('the worst texts of the demo come through', async (t) => {
  const player = await playerFor(t)
  const album = (await player.ask('getAlbum', { id: 'al-00DemoAlbu0002' })).body.album
  t.match(album.name, /"for".*'.*🌙/)
  const { attributes } = readXml((await player.bare('getAlbum', { ...usual, f: 'xml', id: 'al-00DemoAlbu0002' })).text).children['album']?.[0] ?? { attributes: {} }
  t.equal((attributes as Record<string, string>)['name'], album.name)
  const about = (await player.ask('getArtistInfo2', { id: 'ar-00DemoSing0001' })).body.artistInfo2
  t.match(about.biography, /\n/)
})
