/** What the calls of one exchange were answered: the codes of both levels, then each call's reader. */
import { UpstreamError } from '../errors.ts'
import { messageOf, unreadable } from './body.ts'
import { meaningOf, refusal } from './codes.ts'
import { Answer } from './read.ts'
import type { Listener } from './read.ts'
import { readAnswer } from './readAnswer.ts'
import type { ClassicCall, MusicuCall, Settled, UpstreamCall } from './upstream.ts'
import { batchKey } from './wire.ts'

/** For whom it is read: the same code says another thing to who is logged in. */
export interface Reading { readonly loggedIn: boolean, readonly listener: Listener }

/** Throws the refusal that a code other than 0 is, unless this call says that its reader understands it. */
function check (call: UpstreamCall<unknown>, code: number, message: string | undefined, { loggedIn }: Reading): void {
  if (code === 0) return
  const meaning = meaningOf(code, call.codes, loggedIn)
  if (meaning !== 'ok') throw refusal(call.name, code, meaning, loggedIn, message)
}

/** Each call of a batch settles on its own. Throws when the batch as a whole was refused. */
export function readBatch (calls: readonly MusicuCall<unknown>[], body: Record<string, unknown>, reading: Reading): Settled<unknown>[] {
  const top = body['code']
  if (typeof top === 'number' && calls[0] !== undefined) check(calls[0], top, messageOf(body), reading)
  return calls.map((call, index) => settled(() => readSub(call, body, index, reading)))
}

/** One sub-answer of a batch: its code, then its data through the reader. */
function readSub<T> (call: MusicuCall<T>, body: Record<string, unknown>, index: number, reading: Reading): T {
  const sub = new Answer(body, call.name, reading.listener).reach(batchKey(index))
  if (typeof sub !== 'object' || sub === null) throw unreadable(call.name, 'the answer lacks this call', 'bad_shape')
  const { code, data } = sub as { code?: unknown, data?: unknown }
  if (typeof code !== 'number') throw unreadable(call.name, 'the answer has no code', 'bad_shape')
  check(call, code, messageOf(data) ?? messageOf(sub), reading)
  return readAnswer(call, data, reading.listener)
}

/** The one answer of a classic call, whose body is its data. */
export function readClassic (call: ClassicCall<unknown>, body: unknown, reading: Reading): Settled<unknown> {
  return settled(() => readClassicBody(call, body, reading))
}

function readClassicBody<T> (call: ClassicCall<T>, body: unknown, reading: Reading): T {
  if (call.ask.as === 'text') return readAnswer(call, body, reading.listener)
  const { code, subcode } = body as { code?: unknown, subcode?: unknown }
  if (typeof code === 'number') check(call, code, messageOf(body), reading)
  try {
    return readAnswer(call, body, reading.listener)
  } catch (error) {
    // A refusal hides behind code 0 with a subcode ("invalid referer"): better said than "field missing".
    if (typeof subcode === 'number' && subcode !== 0 && error instanceof UpstreamError && error.code === 'UPSTREAM_UNREADABLE') {
      throw refusal(call.name, subcode, 'other', reading.loggedIn, messageOf(body))
    }
    throw error
  }
}

function settled<T> (work: () => T): Settled<T> {
  try {
    return { value: work() }
  } catch (error) {
    return { error: error as Error }
  }
}
