/** Decodes an answer: its bytes to a text, and the text to a value that is safe to handle. */
import { isAscii, isUtf8, transcode } from 'node:buffer'
import sjson from 'secure-json-parse'

/**
 * Returns the text of the bytes: in the declared charset, else UTF-8, else the Chinese charset that old calls still use.
 * Throws TypeError for bytes that fit none of them, so that no replacement character gets through.
 */
export function decodeText (bytes: Uint8Array, contentType: string | undefined): string {
  const declared = /charset\s*=\s*"?([\w-]{1,40})/i.exec(contentType ?? '')?.[1]?.toLowerCase()
  const chinese = declared !== undefined && /^gb(k|2312|18030)$/.test(declared)
  if (!chinese && isUtf8(bytes)) return utf8Text(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (!chinese && declared !== undefined) throw new TypeError(`The bytes are not in the declared charset ${declared}.`)
  return new TextDecoder('gb18030', { fatal: true }).decode(bytes)
}

/** Decodes through UTF-16: for an answer with Chinese text, that takes a fifth of a decoder's time. */
function utf8Text (bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  const text = transcode(bytes, 'utf8', 'utf16le').toString('utf16le')
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/**
 * Returns the value of an answer's text: JSON, or JSON in a JSONP wrapper (`callback(…)`), even when JSON was requested.
 * Whole numbers of 16 digits and more, which may exceed 2^53, become text and keep their digits. Keys that could change a
 * prototype are dropped. Throws SyntaxError, or RangeError for a value that is nested too deeply.
 */
export function parseAnswer (text: string): unknown {
  const json = unwrapJsonp(text)
  const value: unknown = JSON.parse(json)
  const seen = oddities(value, deepest)
  // JSON.parse takes any depth, JSON.stringify does not: passing the value on would overflow the stack.
  if ((seen & tooDeep) !== 0) throw new RangeError('The text is nested too deeply.')
  if (seen === 0) return value
  // The text is valid JSON here: its strings are closed, so the pattern runs in linear time.
  const quoted = (seen & longNumber) === 0 ? json : json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => /^-?\d{16,}$/.test(token) ? `"${token}"` : token)
  return sjson.parse(quoted, undefined, { protoAction: 'remove', constructorAction: 'remove' })
}

/** Maximum nesting. Real answers have about ten levels. */
const deepest = 64

const tooDeep = 1
const longNumber = 2
const badKey = 4

/** Finds everything that requires a second parse or a refusal, in one pass. Few answers contain any of it. */
function oddities (value: unknown, levels: number): number {
  if (typeof value === 'number') return value >= 1e15 || value <= -1e15 ? longNumber : 0
  if (typeof value !== 'object' || value === null) return 0
  if (levels === 0) return tooDeep
  let seen = 0
  if (Array.isArray(value)) {
    for (const part of value) seen |= oddities(part, levels - 1)
    return seen
  }
  for (const key in value) {
    if (key === '__proto__' || key === 'constructor') seen |= badKey
    seen |= oddities((value as Record<string, unknown>)[key], levels - 1)
  }
  return seen
}

/** Removes the outermost wrapper only: song titles contain brackets too. Nothing is evaluated. */
function unwrapJsonp (text: string): string {
  const start = text.trimStart()
  if (start.startsWith('{') || start.startsWith('[')) return start
  const name = /^[\w$.]{1,100}\(/.exec(start)
  const end = start.lastIndexOf(')')
  return name === null || end < name[0].length ? start : start.slice(name[0].length, end)
}
