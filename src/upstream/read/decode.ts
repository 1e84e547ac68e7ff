/** Decodes an answer: its bytes to a text, and the text to a value that is safe to handle. */
import { isAscii, isUtf8, transcode } from 'node:buffer'
import sjson from 'secure-json-parse'
import { release } from '../../common/release.ts'
import type { UpstreamError } from '../../common/errors.ts'
import { failure } from '../../common/kinds.ts'

/**
 * Larger answers are decoded in pieces. Node stores a text of a megabyte or more outside V8's heap, where it is
 * collected late and its memory is not returned to the system. A text that is put together of smaller ones lies in the
 * heap.
 */
const mostAtOnce = 1_000_000
const pieceBytes = 256 * 1024

/**
 * Returns the text of the bytes: in the declared charset, else UTF-8, else the Chinese charset that old calls still
 * use. Throws TypeError for bytes that fit none of them, so that no replacement character appears in the text.
 */
export function decodeText (bytes: Uint8Array, contentType: string | undefined): string {
  const declared = /charset\s*=\s*"?([\w-]{1,40})/i.exec(contentType ?? '')?.[1]?.toLowerCase()
  const chinese = declared !== undefined && /^gb(k|2312|18030)$/.test(declared)
  if (!chinese && isUtf8(bytes)) return utf8Text(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (!chinese && declared !== undefined) throw new TypeError(`The bytes are not in the declared charset ${declared}.`)
  return chineseText(bytes)
}

function utf8Text (bytes: Buffer): string {
  const text = bytes.length > mostAtOnce ? largeUtf8Text(bytes)
    : isAscii(bytes) ? bytes.toString('latin1') : wideText(bytes)
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** Decodes through UTF-16: for an answer with Chinese text this takes a third of the time of TextDecoder. */
function wideText (bytes: Buffer): string {
  const wide = transcode(bytes, 'utf8', 'utf16le')
  const text = wide.toString('utf16le')
  release(wide)
  return text
}

/** Takes two to four times as long as `wideText`, but leaves nothing behind outside the heap. */
function largeUtf8Text (bytes: Buffer): string {
  let text = ''
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = Math.min(at + pieceBytes, bytes.length)
    while (isInside(bytes[end])) end-- // a character
    text += bytes.toString('utf8', at, end)
  }
  return text
}

/** Whether this is a later byte of a character. */
const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

function chineseText (bytes: Uint8Array): string {
  const decoder = new TextDecoder('gb18030', { fatal: true })
  let text = ''
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    text += decoder.decode(bytes.subarray(at, at + pieceBytes), { stream: true })
  }
  return text + decoder.decode()
}

/**
 * Returns the value of an answer's text: JSON, or JSON in a JSONP wrapper (`callback(…)`), even when JSON was
 * requested. Whole numbers of 16 digits and more, which may exceed 2^53, become text and keep their digits. Keys that
 * could change a prototype are dropped. Throws SyntaxError, or RangeError for a value that is nested too deeply or has
 * too many parts.
 */
export function parseAnswer (text: string): unknown {
  const json = unwrapJsonp(text)
  if (json.length > longText) return parseSafely(json)
  // Few answers are unusual, so most are parsed without a scan.
  const value: unknown = JSON.parse(json)
  return isOdd([value], deepest + 1) ? parseSafely(json) : value
}

/** Maximum nesting. Real answers have about ten levels. JSON.stringify would overflow the stack at some thousand. */
const deepest = 64
/**
 * Texts longer than this are scanned before they are parsed. Below it, the worst text takes some milliseconds.
 * Characters.
 */
const longText = 128 * 1024
/** Maximum number of commas and colons. Real answers have 340,000 in 4 MB. */
const mostParts = 350_000

function parseSafely (json: string): unknown {
  return sjson.parse(quoteLongNumbers(json), undefined, { protoAction: 'remove', constructorAction: 'remove' })
}

/**
 * Returns the text with its long whole numbers in quotes. Throws RangeError for a text that would take long to parse:
 * two megabytes of brackets take a second and half a gigabyte.
 */
function quoteLongNumbers (json: string): string {
  const pieces: string[] = []
  let copied = 0
  let depth = 0
  let parts = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === 0x22) at = endOfString(json, at) // "
    else if (code === 0x5b || code === 0x7b) { // [ {
      if (++depth > deepest) throw new RangeError('it is nested too deeply')
    } else if (code === 0x5d || code === 0x7d) depth-- // ] }
    else if (code === 0x2c || code === 0x3a) { // , :
      if (++parts > mostParts) throw new RangeError('it has more values than the relay takes')
    } else if (isDigit(code)) {
      const start = json[at - 1] === '-' ? at - 1 : at
      const end = endOfNumber(json, at)
      // Most numbers are short, and slicing each one would take a third of the time.
      if (end - at >= 16 && /^-?\d{16,}$/.test(json.slice(start, end))) {
        pieces.push(json.slice(copied, start), '"', json.slice(start, end), '"')
        copied = end
      }
      at = end - 1
    }
  }
  return copied === 0 ? json : pieces.join('') + json.slice(copied)
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
/** Digits, and . e E + - */
const isInNumber = (code: number): boolean =>
  isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === 0x2d

/** Returns the index of the quote that ends the string at `start`. */
function endOfString (json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let slashes = 0
    while (json.charCodeAt(end - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return end
  }
  return json.length
}

/** Returns the index after the number at `start`, which is its first digit. */
function endOfNumber (json: string, start: number): number {
  let end = start + 1
  while (isInNumber(json.charCodeAt(end))) end++
  return end
}

/**
 * Whether an object or list must be parsed again: it has long numbers, keys that could change a prototype, or too many
 * levels. Most of an answer is text, so no function is called for parts that are not objects.
 */
function isOdd (value: object, levels: number): boolean {
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const part: unknown = value[at]
      if (
        typeof part === 'number' ? isLong(part) : typeof part === 'object' && part !== null && isOdd(part, levels - 1)
      ) { return true }
    }
    return false
  }
  for (const key in value) {
    if (key === '__proto__' || key === 'constructor') return true
    const part = (value as Record<string, unknown>)[key]
    if (
      typeof part === 'number' ? isLong(part) : typeof part === 'object' && part !== null && isOdd(part, levels - 1)
    ) { return true }
  }
  return false
}

const isLong = (number: number): boolean => number >= 1e15 || number <= -1e15

/** Removes the outermost wrapper only: song titles contain brackets too. Nothing is evaluated. */
function unwrapJsonp (text: string): string {
  const start = text.trimStart()
  if (start.startsWith('{') || start.startsWith('[')) return start
  const name = /^[\w$.]{1,100}\(/.exec(start)
  const end = start.lastIndexOf(')')
  return name === null || end < name[0].length ? start : start.slice(name[0].length, end)
}

/** Returns the body as a text or a JSON object. Throws UpstreamError (UPSTREAM_UNREADABLE). `call` is only a label. */
export function readBody (
  bytes: Uint8Array,
  contentType: string | undefined,
  as: 'json' | 'text',
  call: string
): unknown {
  let text: string
  try {
    text = decodeText(bytes, contentType)
  } catch {
    throw failure('unreadable.text', { call })
  }
  if (as === 'text') return text
  let body: unknown
  try {
    body = parseAnswer(text)
  } catch (error) {
    const why = error instanceof RangeError ? error.message : text.trim() === '' ? 'it is empty' : 'it is not JSON'
    // Do not use the error itself as the cause: a JSON parser's error contains the whole text.
    throw failure('unreadable', { call, word: why })
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw failure('unreadable', { call, word: 'it is not a JSON object' })
  }
  return body
}

/** Returns the error for an answer in another shape. `why` completes a sentence. */
export const badShape = (call: string, why: string): UpstreamError =>
  failure('unreadable.shape', { call, word: why })

/** Returns the upstream's own message, from any of the fields that it uses for one. */
export function messageOf (value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const name of ['message', 'msg', 'errmsg']) {
    const text = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
    if (typeof text === 'string' && text !== '') return text
  }
  return undefined
}

// @mutate readers: reading wire
