/** Derives values from a schema that it must refuse: texts for a query or path, and values for a body. */
import type { TSchema } from '@sinclair/typebox'
import fc from 'fast-check'

/** Any character. `unit: 'binary'` of fast-check would take a second to make a table of them. */
export const character = fc.integer({ min: 0, max: 0x10_f7ff })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800))

/** What a schema says of a value. */
export interface Facts {
  type?: string
  minimum?: number
  maximum?: number
  enum?: readonly unknown[]
  pattern?: string
  maxLength?: number
  maxItems?: number
}

/** Numbers in the notation of other languages, and numbers that are no valid page or limit. */
const oddNumbers = [
  'NaN', 'Infinity', '-Infinity', '1e999', '1e1', '0x10', '0b1', '0o7', '5.0', '5.5', '.5', '5.', ' 7', '7 ', '+7', '--7', '1,2', '1_000', '٣', '７', '²',
  'true', 'null', 'undefined', '[]', '{}', '7;8', '7\0', '7\r\n', '9007199254740993', '9'.repeat(400)
]

/** Texts that could break out of an address, a header, a query, a page or a shell. */
const oddTexts = [
  '../etc', '..%2f', '%2e%2e', 'a/b', 'a\\b', 'a&b=c', 'a#b', 'a?b', 'a%', 'a;b', 'a\r\nX-Evil: y', 'a\nb', 'a\0b', 'a b', ' a', 'a\t', "a'--", 'a"b', '<script>', '$(id)', '`id`', '{{7*7}}',
  'http://evil.example/', '//evil.example', '@evil.example', 'é', '雨', '𝕊', '👩‍👩‍👧', '\u202Eabc', '\uFEFFa', 'a\u200B', 'a.b', 'a:b', 'ａ'
]

const oddWords = ['nope', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'album ', ' album', 'ALBUM', '128,320', '0x80', 'time\0', 'a'.repeat(500)]

const blanks = [' ', '\t\n', '\u3000\u2003', '\u00A0']

/** Texts in a query or path that this parameter must refuse. */
export function refusedTexts (schema: TSchema): string[] {
  const { type, minimum, maximum, enum: allowed, maxLength } = schema as Facts
  if (type === 'integer') {
    const beyond = allowed === undefined ? [
      (minimum ?? 0) - 1, maximum === undefined || maximum >= 1e15 ? [] : [maximum + 1, maximum * 10, 1e9 + 1]
    ].flat(2) : [-2, 7777777]
    const asSwitch = String(allowed) === '0,1' ? ['true', 'True', 'false', 'False'] : []
    return [...oddNumbers, ...beyond.filter((value) => allowed?.includes(value) !== true).map(String)]
      .filter((text) => !asSwitch.includes(text))
  }
  if (type === 'boolean') return ['yes', 'no', 'TRUE', 'tRue', 'FALSE', '2', '-1', 'on', 'null', ' true', 'true ', '01', '[]']
  if (allowed !== undefined) return [...oddWords, ...blanks].filter((word) => !allowed.includes(word))
  const long = maxLength === undefined ? ['a'.repeat(2000)]
    : ['a'.repeat(maxLength + 1), '雨'.repeat(maxLength + 1), '𝕊'.repeat(maxLength + 1)]
  return [...oddTexts, ...blanks, ...long].filter((text) => !accepts(schema, text))
}

/** Values in a body that this property must refuse. Null and "" are not among them: they count as absent. */
export function refusedValues (schema: TSchema): unknown[] {
  const { type, maxItems, minimum, maximum } = schema as Facts
  const objects: readonly unknown[] = [{}, { length: 1e9 }, { 0: 1, length: 1 }, { toString: 'x', valueOf: 1 }]
  if (type === 'integer') {
    return [...objects, [], [5], true, '5', ' ', 5.5, (minimum ?? 0) - 1, (maximum ?? 0) + 1, 1e300, -1e300]
  }
  if (type === 'array') {
    const items = (schema as { items?: TSchema }).items
    const element = (items as Facts | undefined)?.type === 'array' ? ['00DemoSong0001'] : 1
    return [
      ...objects, true, 5, 'x', '[]', [null], [true], [{}], [[null]], [[[]]], [[{}]], [{ length: 1e9 }],
      [element, null], ['x'],
      Array.from({ length: (maxItems ?? 0) + 1 }, () => element), Array.from({ length: 10_000 }, () => element)
    ]
  }
  if ((schema as { anyOf?: unknown }).anyOf !== undefined) return [...objects, [], true, 5.5, 'x'.repeat(65)]
  return [...objects, [], ['a'], true, 5, ...refusedTexts(schema)]
}

function accepts (schema: TSchema, text: string): boolean {
  const { pattern, maxLength } = schema as Facts
  return (pattern === undefined || new RegExp(pattern, 'u').test(text))
    && (maxLength === undefined || [...text].length <= maxLength)
}
