/** The relay as players see it: OpenSubsonic in front of the demo upstream, with the member's library. */
import { createHash } from 'node:crypto'
import { XMLParser } from 'fast-xml-parser'
import type { Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import type { DemoOptions, DemoUpstream } from '../../src/demo/upstream.ts'
import { cookieOf, demoFor, serverFor } from './helper.ts'

/** Parameters by name. A list is sent as one parameter for each value. */
export type Parameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** How a request is sent. `bare`: POST with the parameters in the address and no body at all, as one family of players does. */
export interface Manner { readonly http?: 'GET' | 'POST' | 'bare', readonly view?: boolean, readonly headers?: Readonly<Record<string, string>> }

export interface Answer {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly text: string
  /** What is in `subsonic-response`, when the answer is JSON. Untyped, because the standard's document checks it. */
  readonly body: any
}

export interface Player {
  readonly demo: DemoUpstream
  readonly address: string
  /** Asks without a user and without a format. */
  bare (method: string, parameters?: Parameters, manner?: Manner): Promise<Answer>
  /** Asks for JSON as the demo's user. Parameters win. */
  ask (method: string, parameters?: Parameters, manner?: Manner): Promise<Answer>
}

export const name = 'demo'
export const password = 'demo'

/** Parameters that every player sends. */
export const usual = { u: name, p: password, v: '1.16.1', c: 'test', f: 'json' } as const

/** Returns proof of a password that does not show it. */
export const token = (salt: string, secret = password): { readonly t: string, readonly s: string } => ({ t: createHash('md5').update(secret + salt).digest('hex'), s: salt })

/** Returns a password as hexadecimal digits. */
export const hidden = (secret = password): string => `enc:${Buffer.from(secret).toString('hex')}`

/** Returns parameters as the text of a query or form. */
export const queryOf = (parameters: Parameters): string => new URLSearchParams(Object.entries(parameters).flatMap(([key, value]) => value === undefined ? [] : (Array.isArray(value) ? value : [String(value)]).map((each): [string, string] => [key, each]))).toString()

/** Starts a relay whose players use the member's login. Closed after the test. */
export async function playerFor (t: Test, options: AppOptions = {}, demoOptions?: DemoOptions): Promise<Player> {
  const demo = await demoFor(t, demoOptions)
  const { address } = await serverFor(t, demo, { cache: true, subsonicPassword: password, playerCookie: () => cookieOf(demo, 'member'), ...options } as AppOptions)
  const bare: Player['bare'] = async (method, parameters = {}, { http = 'GET', view = false, headers = {} } = {}) => {
    const path = `${address}/rest/${method}${view ? '.view' : ''}`
    const text = queryOf(parameters)
    const answer = http === 'POST'
      ? await fetch(path, { method: 'POST', redirect: 'manual', headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers }, body: text })
      : await fetch(`${path}?${text}`, { method: http === 'GET' ? 'GET' : 'POST', redirect: 'manual', headers })
    const type = answer.headers.get('content-type') ?? ''
    const body = await answer.text()
    return { status: answer.status, type, headers: answer.headers, text: body, body: type.startsWith('application/json') && body !== '' ? JSON.parse(body)['subsonic-response'] : undefined }
  }
  return { demo, address, bare, ask: async (method, parameters, manner) => await bare(method, { ...usual, ...parameters }, manner) }
}

/** An element of XML: its children by name, in their order. */
export interface Element { readonly attributes: Readonly<Record<string, string>>, readonly text: string, readonly children: Readonly<Record<string, readonly Element[]>> }

const parser = new XMLParser({ preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: '', parseTagValue: false, parseAttributeValue: false, trimValues: false, htmlEntities: true, processEntities: true })

/** Returns the root of an XML answer. */
export function readXml (xml: string): Element {
  const root = (parser.parse(xml) as readonly Record<string, unknown>[]).find((node) => 'subsonic-response' in node)
  if (root === undefined) throw new Error(`no subsonic-response in ${xml.slice(0, 200)}`)
  return elementOf(root)
}

function elementOf (node: Readonly<Record<string, unknown>>): Element {
  const [key = ''] = Object.keys(node).filter((each) => each !== ':@')
  const children: Record<string, Element[]> = {}
  let text = ''
  for (const child of node[key] as readonly Record<string, unknown>[]) {
    const [name = ''] = Object.keys(child).filter((each) => each !== ':@')
    if (name === '#text') text += String(child['#text'])
    else (children[name] ??= []).push(elementOf(child))
  }
  return { attributes: { ...node[':@'] as Record<string, string> | undefined }, text, children }
}

const inElements: ReadonlySet<string> = new Set(['artistInfo', 'artistInfo2', 'albumInfo'])

/**
 * Returns the element that has the same content as a value of JSON: plain values are attributes, objects elements, lists
 * repeated elements, and what is called `value` is text. The older part of the standard has three elements whose plain values
 * are elements of their own. The singers of an album are left out: one player takes nothing else in it than songs.
 */
export function xmlOf (key: string, value: unknown): Element {
  if (typeof value !== 'object' || value === null) return { attributes: {}, text: writable(value), children: {} }
  const attributes: Record<string, string> = {}
  const children: Record<string, Element[]> = {}
  let text = ''
  for (const [name, part] of Object.entries(value)) {
    if (key === 'album' && name === 'artists') continue
    if (Array.isArray(part)) {
      if (part.length > 0) children[name] = part.map((each) => xmlOf(name, each))
    } else if (typeof part === 'object' && part !== null) children[name] = [xmlOf(name, part)]
    else if (name === 'value') text = writable(part)
    else if (inElements.has(key)) children[name] = [xmlOf(name, part)]
    else attributes[name] = writable(part)
  }
  return { attributes, text, children }
}

/** XML 1.0 cannot say everything: U+FFFD stands for the rest. */
// oxlint-disable-next-line no-control-regex
const writable = (value: unknown): string => String(value).replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
