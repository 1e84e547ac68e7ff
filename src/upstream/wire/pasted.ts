/**
 * Reads a login out of what programs send and people paste: `a=b; c=d`, with `Cookie:` or quotes around it, broken into
 * lines, exports of browser extensions (JSON, or the lines of a cookies.txt), a copied table, and each of them encoded
 * once too often.
 */
import { isKnownName, knownNameList, readCredential } from './credentials.ts'

/** One cookie. */
export type Pair = readonly [name: string, value: string]

/** Characters that are read of a text. An export of a whole browser has some ten thousand. */
const mostCharacters = 512 * 1024
/** How deep a text is read inside of a text, and an export inside of lists and objects. */
const mostNested = 10

/**
 * Returns the pairs of a text in their order, with values that are not empty. A name may occur more than once. Never
 * throws.
 */
export function parseCookie (text: string): Pair[] {
  return pairsOf(tidy(text.slice(0, mostCharacters)), mostNested)
}

/** JSON counts as such; otherwise what is written in the usual way counts alone, if it is a login. */
function pairsOf (text: string, depth: number): Pair[] {
  if (depth === 0) return []
  const exported = ofJson(text, depth) ?? text.split('\n').flatMap(ofTableRow)
  const plain = exported.length > 0 ? exported : writtenPairs(text)
  if (readCredential(plain) !== undefined) return plain
  const opened = withoutEncoding(text)
  return [
    ...plain,
    ...exported.length > 0 ? [] : namedAnywhere(text),
    ...opened === text ? [] : pairsOf(tidy(opened), depth - 1)
  ]
}

/**
 * Removes what copying adds: invisible characters, other spaces and line ends, the signs of a Chinese keyboard, and the
 * quotes of HTML.
 */
const tidy = (text: string): string =>
  text.replaceAll(/[\u200b-\u200d\u2060\ufeff]/g, '').replaceAll(/[\u00a0\u3000]/g, ' ').replaceAll(
    /\r\n?|[\u2028\u2029]/g,
    '\n'
  )
    .replaceAll('；', ';').replaceAll('＝', '=').replaceAll('：', ':').replaceAll(
      /^\s*[[{]/.test(text) ? /[“”]/g : /[“”`]/g,
      '"'
    ).replaceAll(/[‘’]/g, "'")
    .replaceAll('&quot;', '"').replaceAll(/&#0?39;|&apos;/g, "'").replaceAll('&amp;', '&').trim()

/** What may be the rest of a value, or of a name, that a line end broke. A header has a colon. */
const isRest = (text: string): boolean => /^[\x21\x23-\x2b\x2d-\x39\x3c-\x5b\x5d-\x7e]+["']?$/.test(text)

/** Reads `a=b; c=d`. A pair splits at its first `=`. */
function writtenPairs (text: string): Pair[] {
  const pairs: [name: string, value: string][] = []
  // Developer tools copy a header as two lines.
  const lines = (/(?:^|\n):?cookie:?\n(.*)/i.exec(text)?.[1] ?? text).split('\n')
  /** What the last line ended with: a pair, or perhaps the first part of a name. */
  let open: [name: string, value: string] | undefined
  let begun = ''
  for (const line of lines) {
    const parts = line.replace(/^.{0,20}\b(?:set-)?cookie\s{0,9}:/i, '').split(';').map((part) => part.trim())
    parts.forEach((part, at) => {
      const joined = at === 0 ? begun + part : part
      const [name, value] = splitOf(isKnownName(splitOf(joined)[0]) ? joined : part)
      if (value === undefined) {
        if (at === 0 && open !== undefined && isRest(part)) open[1] = unquoted(open[1] + part)
        else open = undefined
      } else {
        pairs.push([name, value])
        // What a quote has closed goes on in no other line: the rest is code around it.
        open = value !== '' && /["'][\s,\\)}\]]*$/.test(part) ? undefined : pairs.at(-1)
      }
      begun = at === parts.length - 1 && value === undefined ? part : ''
    })
  }
  return pairs.filter(([name, value]) => name !== '' && value !== '')
}

function splitOf (part: string): readonly [name: string, value: string | undefined] {
  const at = part.indexOf('=')
  return at < 0 ? ['', undefined]
    : [part.slice(0, at).replaceAll(/^[\s"'+,&?{]+|[\s"']+$/g, ''), unquoted(part.slice(at + 1))]
}

const unquoted = (text: string): string => text.trim().replaceAll(/^[\\"']+|["',\\]+$/g, '')

/**
 * Reads JSON: the rows of an extension, which have a name and a value, an object with a cookie's names, or one that
 * holds a cookie's text.
 */
function ofJson (text: string, depth: number): Pair[] | undefined {
  if (!/^[[{"]/.test(text)) return undefined
  try {
    // An account of 19 digits does not fit a number.
    return walk(JSON.parse(text.replaceAll(/([:[,]\s{0,9})(\d{16,20})(?=\s{0,9}[,}\]])/g, '$1"$2"')), depth)
  } catch {
    return undefined
  }
}

function walk (value: unknown, depth: number): Pair[] {
  if (depth === 0) return []
  if (typeof value === 'string') return pairsOf(tidy(value), depth - 1)
  if (Array.isArray(value)) return value.flatMap((row) => walk(row, depth - 1))
  if (typeof value !== 'object' || value === null) return []
  const { name, value: held, domain } = value as Readonly<Record<string, unknown>>
  if (typeof name === 'string' && isScalar(held)) {
    if (/^(?:set-)?cookie$/i.test(name)) return walk(String(held), depth - 1)
    return typeof domain !== 'string' || isOfProvider(domain) ? [[name, String(held)] satisfies Pair].filter(isFilled)
      : []
  }
  return Object.entries(value).flatMap(([key, one]): Pair[] => {
    if (isKnownName(key) && isScalar(one)) return [[key, String(one)] satisfies Pair].filter(isFilled)
    return typeof one === 'object' || /cookie/i.test(key) ? walk(one, depth - 1) : []
  })
}

const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'
const isFilled = ([, value]: Pair): boolean => value !== ''

/** An export may hold the cookies of other sites. */
const isOfProvider = (domain: string): boolean => /(?:^|\.)qq\.com$/i.test(domain)

/** Reads a line of a cookies.txt: domain, with subdomains, path, secure, expiry, name, value. */
function ofTableRow (line: string): Pair[] {
  const [, domain = '', name = '', value = ''] = /^(?:#HttpOnly_)?(\S{1,255})\s+(?:TRUE|FALSE)\s+\S+\s+(?:TRUE|FALSE)\s+\S+\s+(\S+)\s+(\S+)$/i.exec(line.trim()) ?? []
  return name !== '' && isOfProvider(domain) ? [[name, value]] : []
}

/**
 * Returns known names wherever they stand in a text, such as in a copied table, in an address or one below the other.
 */
function namedAnywhere (text: string): Pair[] {
  const names = knownNameList.join('|')
  const value = '[\\x21\\x23-\\x25\\x28-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]+'
  // What goes on after a space or with an odd character is no value.
  const found = text.matchAll(new RegExp(`(?<![\\w.-])(${names})(?=(?:["']?\\s{0,9}(?:=>|[:=\\s])|["'],)\\s{0,9}["']?(${value})(?:$|[;,"'\\n\\t&\\\\]| {1,9}(?:${names})\\b))`, 'g'))
  return [...found].map(([, name = '', value = '']) => [name, value.replace(/#.*$/, '')])
}

/** Removes one level of encoding: that of addresses, and backslashes before quotes. */
const withoutEncoding = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, decoded).replaceAll(/\\(["'])/g, '$1')

/** Returns a text without the encoding of addresses; unchanged if it is not one. */
export function decoded (text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
