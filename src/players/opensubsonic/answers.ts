/** Answers in the format of the request: XML, JSON or JSONP, with the same content. */
import type { FastifyReply } from 'fastify'
import { escapeUTF8 } from 'entities/escape'
import { InvalidInput } from '../../common/errors.ts'
import { version } from '../../common/version.ts'

/** Version of the interface that clients compare with their own. */
const interfaceVersion = '1.16.1'

/** A part of an answer. Undefined values are left out. */
export type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value | undefined }

/** The part of an answer that a method creates. Its only field is named after its content. */
export type Body = Readonly<Record<string, Value | undefined>>

/** The format of the answer. `callback`: name of the function, for JSONP. */
export interface Format { readonly type: 'xml' | 'json' | 'jsonp', readonly callback: string }

export const xml: Format = { type: 'xml', callback: '' }

/**
 * Returns the format of a request. An unknown one is XML, which clients most likely understand. Throws InvalidInput for JSONP
 * without a function.
 */
export function formatOf ({ f, callback = '' }: Readonly<Record<string, string | undefined>>): Format {
  if (f === 'json') return { type: f, callback: '' }
  if (f !== 'jsonp') return xml
  if (callback.length > 100 || !/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/.test(callback)) {
    throw new InvalidInput('callback: is required with f=jsonp, and must be the name of a function.', 'missing')
  }
  return { type: f, callback }
}

/** Sends an answer. */
export async function sendBody (reply: FastifyReply, format: Format, body: Body, status: 'ok' | 'failed' = 'ok'): Promise<FastifyReply> {
  const whole = { status, version: interfaceVersion, type: 'music-relay', serverVersion: version, openSubsonic: true, ...body }
  void reply.headers({ 'content-type': contentTypes[format.type], 'cache-control': 'no-store' })
  if (format.type === 'xml') {
    return await reply.send(
      `<?xml version="1.0" encoding="UTF-8"?>\n${elementOf('subsonic-response', { xmlns: 'http://subsonic.org/restapi', ...whole })}\n`
    )
  }
  const json = JSON.stringify({ 'subsonic-response': whole })
  return await reply.send(format.type === 'json' ? json : `/**/${format.callback}(${json});`)
}

const contentTypes = { xml: 'text/xml; charset=utf-8', json: 'application/json; charset=utf-8', jsonp: 'application/javascript; charset=utf-8' } as const

/** Objects and lists become elements, plain values become attributes, and a field `value` becomes the text. */
function elementOf (name: string, value: Value): string {
  if (isList(value)) return value.map((each) => elementOf(name, each)).join('')
  if (typeof value !== 'object') return `<${name}>${textOf(value)}</${name}>`
  let attributes = ''
  let content = ''
  for (const [key, part] of Object.entries(value as Body)) {
    // Clementine aborts its whole copy at an album whose parts are not all songs. JSON includes the list.
    if (part === undefined || (name === 'album' && key === 'artists')) continue
    if (typeof part === 'object' || (key !== 'value' && inElements.has(name))) content += elementOf(key, part)
    else if (key === 'value') content += textOf(part)
    else attributes += ` ${key}="${attributeOf(part)}"`
  }
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`
}

/** The older part of the standard writes the plain values of these as elements, and players expect them there. */
const inElements: ReadonlySet<string> = new Set(['artistInfo', 'artistInfo2', 'albumInfo'])

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

/** Characters that XML cannot represent. */
// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu

const textOf = (value: string | number | boolean): string => escapeUTF8(String(value).replaceAll(unwritable, '\ufffd')).replaceAll('\r', '&#13;')

/** A parser turns these into spaces unless they are written as numbers. */
const attributeOf = (value: string | number | boolean): string => textOf(value).replaceAll(/[\t\n\r]/g, (each) => `&#${each.charCodeAt(0)};`)

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
