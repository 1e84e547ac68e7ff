/** The body of an answer: bytes to text, text to a JSON object that is safe to handle. */
import { UpstreamError } from '../errors.ts'
import { decodeText, parseAnswer } from './wire.ts'

/** Bytes to text or a JSON object; throws UPSTREAM_UNREADABLE. `call` is only a label. */
export function readBody (bytes: Uint8Array, contentType: string | undefined, as: 'json' | 'text', call: string): unknown {
  let text: string
  try {
    text = decodeText(bytes, contentType)
  } catch (error) {
    throw unreadable(call, 'its text is in no charset that fits', 'bad_encoding', error)
  }
  if (as === 'text') return text
  let body: unknown
  try {
    body = parseAnswer(text)
  } catch (error) {
    throw unreadable(call, text.trim() === '' ? 'it is empty' : 'it is not JSON', 'bad_payload', error)
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw unreadable(call, 'it is not a JSON object', 'bad_payload')
  // JSON.parse takes any depth, JSON.stringify does not: what is passed on as it came would end in a stack overflow.
  if (isDeeper(body, deepest)) throw unreadable(call, 'it is nested too deeply', 'bad_payload')
  return body
}

/** Honest answers go down about ten levels. */
const deepest = 64

function isDeeper (value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeper(item, levels - 1)) return true
    return false
  }
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true
  return false
}

export function unreadable (call: string, why: string, outcome: string, cause?: unknown): UpstreamError {
  return new UpstreamError('UPSTREAM_UNREADABLE', `The upstream answer cannot be read: ${why}.`, { fault: 'call', call, outcome, cause })
}

/** The upstream's own words, wherever it puts them. */
export function messageOf (value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const name of ['message', 'msg', 'errmsg']) {
    const text = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
    if (typeof text === 'string' && text !== '') return text
  }
  return undefined
}
