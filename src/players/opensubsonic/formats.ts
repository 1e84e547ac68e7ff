/** Answers in the format of the request: XML, JSON or JSONP, with the same content. */
import type { FastifyReply } from 'fastify'
import { escapeUTF8 } from 'entities/escape'
import { InvalidInput } from '../../common/errors.ts'
import type { Work } from '../../common/turns.ts'
import { version } from '../../common/version.ts'
import { jsonPiecesOf } from '../../common/size.ts'

/** Version of the interface that clients compare with their own. */
const interfaceVersion = '1.16.1'

/** A part of an answer. Undefined values are left out. */
export type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value | undefined }

/** The part of an answer that a method creates. Its only field is named after its content. */
export type Body = Readonly<Record<string, Value | undefined>>

/** The format of the answer. `callback`: name of the function, for JSONP. */
export interface Format { readonly type: 'xml' | 'json' | 'jsonp', readonly callback: string }

export const xml: Format = { type: 'xml', callback: '' }

/** Returns the format, XML for an unknown one. Throws InvalidInput for JSONP without a function. */
export function formatOf ({ f, callback = '' }: Readonly<Record<string, string | undefined>>): Format {
  if (f === 'json') return { type: f, callback: '' }
  if (f !== 'jsonp') return xml
  if (callback.length > 100 || !/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/.test(callback)) {
    throw new InvalidInput('callback: is required with f=jsonp, and must be the name of a function.', 'missing')
  }
  return { type: f, callback }
}

export async function sendBody (
  reply: FastifyReply,
  format: Format,
  body: Body,
  status: 'ok' | 'failed' = 'ok'
): Promise<FastifyReply> {
  return await reply.headers(headersOf(format))
    .send(calledBack(format, Buffer.from([...piecesOf(format, body, status)].join(''))))
}

export const headersOf = ({ type }: Format): Record<string, string> => ({
  'content-type': contentTypes[type],
  'cache-control': 'no-store'
})

/** Returns the bytes of an answer, made slice by slice. `most`: number of bytes above which it is undefined. */
export async function bytesOf (format: Format, body: Body, work: Work, most: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let made = 0
  let text = ''
  for (const piece of piecesOf(format, body, 'ok')) {
    text += piece
    if (text.length < partChars) continue
    parts.push(Buffer.from(text))
    made += text.length
    if (made > most) return undefined
    text = ''
    const turn = work.did(partChars)
    if (turn !== undefined) await turn
  }
  void work.did(text.length)
  return Buffer.concat([...parts, Buffer.from(text)])
}

/** Text that is converted to bytes at once, in characters. */
const partChars = 16 * 1024

/** Returns an answer in pieces. A row of a list is one piece. */
function* piecesOf (format: Format, body: Body, status: 'ok' | 'failed'): Generator<string> {
  const whole = {
    status,
    version: interfaceVersion,
    type: 'music-relay',
    serverVersion: version,
    openSubsonic: true,
    ...body
  }
  if (format.type === 'xml') {
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield * elementsOf('subsonic-response', { xmlns: 'http://subsonic.org/restapi', ...whole })
    yield '\n'
    return
  }
  yield * jsonPiecesOf({ 'subsonic-response': whole }, partChars)
}

/** Returns the bytes in the function call of `jsonp`, whose JSON is the same whatever the function's name. */
export function calledBack ({ type, callback }: Format, body: Buffer): Buffer {
  return type === 'jsonp' ? Buffer.concat([Buffer.from(`/**/${callback}(`), body, Buffer.from(');')]) : body
}

const contentTypes = { xml: 'text/xml; charset=utf-8', json: 'application/json; charset=utf-8', jsonp: 'application/javascript; charset=utf-8' } as const

/** Objects and lists become elements, plain values become attributes, and a field `value` becomes the text. */
function * elementsOf (name: string, value: Value): Generator<string> {
  if (isList(value)) {
    for (const each of value) yield elementOf(name, each)
    return
  }
  if (typeof value !== 'object') return yield `<${name}>${textOf(value)}</${name}>`
  let attributes = ''
  const parts: (readonly [name: string, value: Value])[] = []
  for (const [key, part] of Object.entries(value)) {
    // Clementine aborts its whole copy at an album whose parts are not all songs. JSON includes the others.
    if (part === undefined || (name === 'album' && typeof part === 'object' && key !== 'song')) continue
    if (typeof part === 'object' || key === 'value' || inElements.has(name)) parts.push([key, part])
    else attributes += ` ${key}="${attributeOf(part)}"`
  }
  let isOpen = false
  for (const [key, part] of parts) {
    for (const piece of key === 'value' && typeof part !== 'object' ? [textOf(part)] : elementsOf(key, part)) {
      if (piece === '') continue
      yield isOpen ? piece : `<${name}${attributes}>${piece}`
      isOpen = true
    }
  }
  yield isOpen ? `</${name}>` : `<${name}${attributes}/>`
}

const elementOf = (name: string, value: Value): string => [...elementsOf(name, value)].join('')

/** The older part of the standard writes the plain values of these as elements, and players expect them there. */
const inElements: ReadonlySet<string> = new Set(['artistInfo', 'artistInfo2', 'albumInfo'])

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu

const textOf = (value: string | number | boolean): string =>
  escapeUTF8(String(value).replaceAll(unwritable, '\ufffd')).replaceAll('\r', '&#13;')

/** A parser turns these into spaces unless they are written as numbers. */
const attributeOf = (value: string | number | boolean): string =>
  textOf(value).replaceAll(/[\t\n\r]/g, (each) => `&#${each.charCodeAt(0)};`)

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
