/** Reads the body of an answer: bytes to text, and text to a JSON object that is safe to handle. */
import type { UpstreamError } from '../../common/errors.ts'
import { failure } from '../../common/kinds.ts'
import { decodeText, parseAnswer } from './decode.ts'

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

// @mutate readers: reading
