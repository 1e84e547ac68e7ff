/** What holds for anything that people send or write: numbers, links, names, words, files of settings, parts of lists, failures. */
import fc from 'fast-check'
import t from 'tap'
import { createInputValidator } from '../../src/relay/validate.ts'
import { parseObject } from '../../src/relay/settings.ts'
import { createAliases, createSuggestions } from '../../src/players/relays/suggest.ts'
import { cutOf } from '../../src/edge/m3u.ts'
import { nearest } from '../../src/edge/unknownNames.ts'
import { networkError } from '../../src/upstream/http/failures.ts'
import { linkIn } from '../../src/upstream/wire/links.ts'
import { endpoints } from '../support/helper.ts'
import { runs } from '../support/whole.ts'

const all = Object.entries(endpoints)

t.test('a number in the place of a MID is never taken for one', async (t) => {
  const { fromText } = createInputValidator()
  const places = all.flatMap(([name, { input }]) => Object.entries(input.properties)
    .filter(([, schema]) => schema['x-mid'] === true).map(([field]) => ({ name, field, input })))
  t.ok(places.length > 15)
  fc.assert(fc.property(fc.constantFrom(...places), fc.integer({
    min: 1, max: 9_999_999_999_999
  }), fc.constantFrom('', ',00DemoSong0001', '.mp3'), ({ field, input }, number, more) => {
    t.throws(() => fromText(input, { [field]: `${number}${more}` }), { message: RegExp(`^${field}: is a number, not a MID\\. `) })
  }), runs(t))
})

t.test('a link is found in any message, however it is written and encoded', async (t) => {
  const words = fc.string({
    unit: fc.constantFrom('听', '歌', 'a', ' ', '，', '。', '@', '(', ')', '《', '》', '\n', '!', '“', '🎧', '5')
  })
  const mid = fc.string({ unit: fc.constantFrom(...'0123456789ABCabcXYZxyz'), minLength: 14, maxLength: 14 })
  const forms =
    [(id: string) => `https://y.qq.com/n/ryqq/songDetail/${id}`, (id: string) => `https://i.y.qq.com/v8/playsong.html?songmid=${id}`, (id: string) => `http://y.qq.com/#type=song&mid=${id}`, (id: string) => `y.qq.com/n/yqq/song/${id}.html`]
  const encodings = [
    (text: string) => text, encodeURIComponent, (text: string) => encodeURIComponent(encodeURIComponent(text)),
    (text: string) => JSON.stringify({ jumpUrl: text }).replaceAll('/', '\\/'),
    (text: string) => `[CQ:json,data={"url":"${text.replaceAll('&', '&amp;')}"}]`
  ]
  fc.assert(fc.property(words, mid, fc.constantFrom(...forms), fc.constantFrom(...encodings), words, (
    before, id, form, encode, after
  ) => {
    const text = `${before} ${encode(form(id))}${after.replace(/^[a5]+/, '')}`
    t.match(linkIn(text), { type: 'song', mid: id }, text)
  }), runs(t))
})

t.test('a name with one typing mistake is named with the right one', async (t) => {
  const known = all.flatMap(([name, { input }]) => Object.keys(input.properties)
    .filter((key) => key.length > 4).map((key) => ({ name, key, names: Object.keys(input.properties) })))
  fc.assert(fc.property(fc.constantFrom(...known), fc.nat(20), fc.constantFrom('x', ''), (
    { name, key, names }, at, letter
  ) => {
    const place = at % key.length
    const wrong = `${key.slice(0, place)}${letter}${key.slice(place + 1)}`
    if (!names.includes(wrong)) t.ok(nearest(wrong, names) !== undefined, `${name}: ${wrong} is ${key}`)
  }), runs(t))
})

t.test('a word with slashes in a path is searched for as a whole or refused, and never in part', async (t) => {
  const route = createAliases(['/getSearchByKey', '/getSearchByKey/:key'])
  const suggest = createSuggestions()
  const part = fc.string({ unit: fc.constantFrom(...'ABCd27 é云'), minLength: 1, maxLength: 4 })
  fc.assert(fc.property(fc.array(part, { minLength: 2, maxLength: 6 }), (parts) => {
    const path = `/getSearchByKey/${parts.map(encodeURIComponent).join('/')}`
    const [, ...rest] = parts
    // What the other relay's path has behind its word: up to three numbers, and more than one behind a number.
    const isOld = rest.length <= 3
      && rest.every((text) => /^\d+$/.test(text)) && (rest.length > 1 || !/^\d+$/.test(parts[0] ?? ''))
    t.equal(route(path) !== path, isOld, path)
    if (!isOld) t.match(suggest(decodeURIComponent(path), []), { isInput: true, sentence: /%2F.*\?key=/ }, path)
  }), runs(t))
})

t.test('settings are read with and without a byte order mark, and what is no JSON is named', async (t) => {
  const value = fc.dictionary(
    fc.string({ unit: fc.constantFrom(...'abc_'), minLength: 1 }), fc.oneof(fc.boolean(), fc.integer(), fc.string())
  )
  fc.assert(fc.property(value, (object) => {
    const text = JSON.stringify(object)
    t.same(parseObject(`\uFEFF${text}`, 'x.json'), parseObject(text, 'x.json'))
    if (text === '{}') return
    for (const [broken, why] of [
      [`${text.slice(0, -1)},}`, /comma/], [`{// words\n${text.slice(1)}`, /comment/],
      [text.split('').join('\0'), /UTF-16/]
    ] as const) t.throws(() => parseObject(broken, 'x.json'), why, broken)
  }), runs(t))
})

t.test('who follows the comments of a cut list gets every place once, whatever was left out', async (t) => {
  const pagings = [{ offset: 0 }, { page: 0, base: 0 }, { page: 1, base: 1 }]
  fc.assert(fc.property(fc.array(
    fc.boolean(), { minLength: 1, maxLength: 40 }
  ), fc.integer({ min: 1, max: 9 }), fc.constantFrom(...pagings), (kept, limit, { base, ...first }) => {
    const input = { properties: { page: { default: base } } } as never
    const seen: number[] = []
    for (let next: Record<string, number> | undefined = first, turns = 0; next !== undefined; turns++) {
      t.ok(turns <= kept.length, 'it ends')
      const from = next['offset'] ?? ((next['page'] ?? 0) - (base ?? 0)) * limit
      const places = kept.slice(from, from + limit).map((isKept, at) => ({ isKept, place: from + at }))
      seen.push(...places.map(({ place }) => place))
      const shown = places.filter(({ isKept }) => isKept).length
      const note: string =
        cutOf({ input }, { ...next, limit }, { shown, skipped: places.length - shown, total: kept.length }) ?? ''
      const found = /; (\w+)=(\d+) has/.exec(note)
      next = found === null ? undefined : { [found[1] as string]: Number(found[2]) }
    }
    t.same(seen, kept.map((_, at) => at))
  }), runs(t))
})

t.test('why no connection was opened is said in words, without the address', async (t) => {
  const codes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'EPROTO']
  fc.assert(fc.property(fc.constantFrom(...codes), fc.ipV4(), (code, host) => {
    const { message, outcome, row } = networkError(
      Object.assign(new Error(`connect ${host}`), { code, host }), 'a.call', 'request', new AbortController().signal
    )
    t.match(message, /^The upstream cannot be reached: .{20,}\.$/, code)
    t.notMatch(message, host)
    t.ok(row.again === 'elsewhere' && outcome !== 'connect', `${code} is a class of its own`)
  }), runs(t))
})
