/** The response shapes of the API, over HTTP only; library callers and tools get the bare record. */
import { Type, type TSchema } from '@sinclair/typebox'
import { numberOf } from './common.ts'

export interface Envelope {
  readonly name: string
  /**
   * The answer that replaces a body around the record: a redirect to the record's `url`, or the audio there, depending
   * on the setting `stream`. Clients that accept only JSON get the record.
   */
  readonly delivers?: 'redirect' | 'audio'
  schema (record: TSchema): TSchema
  wrap (record: unknown): unknown
  /** Returns the record in a body, for clients. */
  unwrap (body: unknown): unknown
}

const zero = numberOf([0], { description: '0 = success.' })
const okStatus = numberOf([200], { description: '200 = success.' })
const inside = (body: unknown, ...keys: string[]): unknown =>
  keys.reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], body)

/** A: `{ code: 0, msg, data }` */
export const codeMsgData: Envelope = {
  name: 'A',
  schema: (record) => Type.Object({ code: zero, msg: Type.String({ description: 'ok' }), data: record }),
  wrap: (record) => ({ code: 0, msg: 'ok', data: record }),
  unwrap: (body) => inside(body, 'data')
}

/** B: `{ status: 200, body: { response } }` */
export const statusBody: Envelope = {
  name: 'B',
  schema: (record) => Type.Object({ status: okStatus, body: Type.Object({ response: record }) }),
  wrap: (record) => ({ status: 200, body: { response: record } }),
  unwrap: (body) => inside(body, 'body', 'response')
}

/** C: `{ response }` */
export const response: Envelope = {
  name: 'C',
  schema: (record) => Type.Object({ response: record }),
  wrap: (record) => ({ response: record }),
  unwrap: (body) => inside(body, 'response')
}

/** C, nested: `{ response: { code: 0, data } }` */
export const responseCodeData: Envelope = {
  name: 'C nested',
  schema: (record) => Type.Object({ response: Type.Object({ code: zero, data: record }) }),
  wrap: (record) => ({ response: { code: 0, data: record } }),
  unwrap: (body) => inside(body, 'response', 'data')
}

/** User: `{ code: 0, data }` */
export const codeData: Envelope = {
  name: 'User',
  schema: (record) => Type.Object({ code: zero, data: record }),
  wrap: (record) => ({ code: 0, data: record }),
  unwrap: (body) => inside(body, 'data')
}

/** Playlist batch: `{ status: 200, data }` */
export const statusData: Envelope = {
  name: 'status and data',
  schema: (record) => Type.Object({ status: okStatus, data: record }),
  wrap: (record) => ({ status: 200, data: record }),
  unwrap: (body) => inside(body, 'data')
}

/** Cookie info: `{ data }` */
export const data: Envelope = {
  name: 'data',
  schema: (record) => Type.Object({ data: record }),
  wrap: (record) => ({ data: record }),
  unwrap: (body) => inside(body, 'data')
}

/** Login: the record itself. */
export const bare: Envelope = {
  name: 'bare',
  schema: (record) => record,
  wrap: (record) => record,
  unwrap: (body) => body
}

/** A redirect to the record's `url`. */
export const redirect: Envelope = { ...bare, name: 'redirect', delivers: 'redirect' }

/** A redirect to the record's `url`, or the audio there. */
export const audio: Envelope = { ...bare, name: 'audio', delivers: 'audio' }
