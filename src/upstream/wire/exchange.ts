/** Reads the answers of one exchange: first the codes of both levels, then each call's data. */
import { UpstreamError } from '../../common/errors.ts'
import { badShape, messageOf } from '../read/decode.ts'
import { innerRefusal, kindOfCode, refusal } from './codes.ts'
import type { UpstreamObserver } from '../read/observer.ts'
import { readAnswer } from '../read/readAnswer.ts'
import {
  settled, type ClassicCall, type MusicuCall, type MusicuRequest, type Settled, type UpstreamCall
} from '../calls.ts'
import { batchKey } from './requests.ts'

/** The context of a read. The same code can mean something else for a logged-in caller. */
export interface ReadContext { readonly loggedIn: boolean, readonly observer: UpstreamObserver }

/** Throws a refusal for a code other than 0, unless the call's table marks the code as `ok` for its reader. */
function check (
  call: UpstreamCall<unknown>,
  code: number,
  message: string | undefined,
  { loggedIn }: ReadContext
): void {
  if (code === 0) return
  const kind = kindOfCode(code, call.codes, loggedIn)
  if (kind !== 'ok') throw refusal(call.name, code, kind, message)
}

/**
 * Returns the outcome of each call of a batch. `from`: the place of the first one. Throws UpstreamError when the whole
 * batch was refused.
 */
export function readBatch (
  calls: readonly MusicuCall<unknown>[],
  body: Record<string, unknown>,
  reading: ReadContext,
  from = 0
): Settled<unknown>[] {
  const top = body['code']
  if (typeof top === 'number' && calls[0] !== undefined) check(calls[0], top, messageOf(body), reading)
  return calls.map((call, index) => settled(() => readSub(call, body, from + index, reading)))
}

/** Returns the part of a batch that answers one call. The signed entry has answered under `req`, too (2026). */
function partOf (body: Record<string, unknown>, request: MusicuRequest, index: number): unknown {
  const key = [batchKey(request, index), ...request.comm === 'signed' && index === 0 ? ['req'] : []].find((name) =>
    Object.hasOwn(body, name)
  )
  return key === undefined ? undefined : body[key]
}

/** Reads one answer of a batch: its code, then its data. */
function readSub<T> (call: MusicuCall<T>, body: Record<string, unknown>, index: number, reading: ReadContext): T {
  const sub = partOf(body, call.request, index)
  if (typeof sub !== 'object' || sub === null) throw badShape(call.name, 'the answer lacks this call')
  const { code, data } = sub as { code?: unknown, data?: unknown }
  if (typeof code !== 'number') throw badShape(call.name, 'the answer has no code')
  check(call, code, messageOf(data) ?? messageOf(sub), reading)
  return readAnswer(call, data, reading.observer)
}

/** Returns the outcome of a classic call, whose data is the whole body. Never throws. */
export function readClassic (call: ClassicCall<unknown>, body: unknown, reading: ReadContext): Settled<unknown> {
  return settled(() => readClassicBody(call, body, reading))
}

function readClassicBody<T> (call: ClassicCall<T>, body: unknown, reading: ReadContext): T {
  if (call.request.as === 'text') return readAnswer(call, body, reading.observer)
  // An empty object carries no information, not even that the item does not exist.
  if (Object.keys(body as object).length === 0) throw badShape(call.name, 'it is an empty object')
  const { code, subcode } = body as { code?: unknown, subcode?: unknown }
  if (typeof code === 'number') check(call, code, messageOf(body), reading)
  try {
    return readAnswer(call, body, reading.observer)
  } catch (error) {
    // A refusal can have code 0 and a subcode ("invalid referer"). Report that instead of a missing field.
    if (
      typeof subcode === 'number' && subcode !== 0 && error instanceof UpstreamError
      && error.code === 'UPSTREAM_UNREADABLE'
    ) {
      throw innerRefusal(call.name, subcode, messageOf(body))
    }
    throw error
  }
}
