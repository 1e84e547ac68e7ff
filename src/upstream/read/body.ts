/** Reads the body of an answer: bytes to text, and text to a JSON object that is safe to handle. */
import { UpstreamError } from '../../common/errors.ts'
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
    throw unreadableBody(call, 'its text is in no charset that fits', 'bad_encoding')
  }
  if (as === 'text') return text
  let body: unknown
  try {
    body = parseAnswer(text)
  } catch (error) {
    const why = error instanceof RangeError ? error.message : text.trim() === '' ? 'it is empty' : 'it is not JSON'
    // Do not use the error itself as the cause: a JSON parser's error contains the whole text.
    throw unreadableBody(call, why, 'bad_payload')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw unreadableBody(call, 'it is not a JSON object', 'bad_payload')
  }
  return body
}

/** Returns the error for a body that cannot be read. `why` completes a sentence. */
export function unreadableBody (call: string, why: string, outcome: string): UpstreamError {
  return new UpstreamError('UPSTREAM_UNREADABLE', `The upstream answer cannot be read: ${why}.`, { fault: 'call', call, outcome })
}

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
