/** Relays as players see them: OpenSubsonic in front of the demo upstream. */
import { createHash } from 'node:crypto'
import { XMLParser } from 'fast-xml-parser'
import root, { type Test } from 'tap'
import type { AppOptions } from '../../src/app.ts'
import type { DemoAccount, DemoUpstream } from '../../src/demo/upstream.ts'
import { cookieOf, demoFor, serverFor, type Server } from './helper.ts'
import { household, type Household } from './household.ts'

/** Parameters by name. A list is sent as one parameter for each value. */
export type Parameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** How a request is sent. `bare`: POST with the parameters in the address and no body at all, as one family of players does. */
export interface Manner {
  readonly http?: 'GET' | 'POST' | 'bare'
  readonly view?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly http: number
  readonly headers: Headers
  readonly type: string
  readonly text: string
  /** What is in `subsonic-response`, when the answer is JSON. Untyped, because the standard's document checks it. */
  readonly body: any
  readonly status: 'ok' | 'failed'
  readonly error: { readonly code: number, readonly message: string }
}

/** Asks a method. Its own parameters win. */
export type Ask = (method: string, parameters?: Parameters, manner?: Manner) => Promise<Answer>
export type Player = ReturnType<typeof playerOf>

export const name = 'demo'
export const password = 'demo'

/** Parameters that every player sends. */
export const usual = { u: name, p: password, v: '1.16.1', c: 'test', f: 'json' } as const

/** Returns proof of a password that does not show it. */
export const token = (salt: string, secret = password): { readonly t: string, readonly s: string } =>
  ({ t: createHash('md5').update(secret + salt).digest('hex'), s: salt })

/** Proof by token and salt. */
export const tokenOf = (u: string, secret: string): { readonly u: string, readonly t: string, readonly s: string } =>
  ({ u, ...token('salt9', secret) })

/** Returns a password as hexadecimal digits. */
export const hidden = (secret = password): string => `enc:${Buffer.from(secret).toString('hex')}`

/** Returns parameters as the text of a query or form. */
export const queryOf = (parameters: Parameters): string => new URLSearchParams(Object.entries(parameters)
  .flatMap(([key, value]) => value === undefined ? [] : (Array.isArray(value) ? value : [String(value)])
    .map((each): [string, string] => [key, each]))).toString()

export const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

/** What every answer has besides its content. */
const envelope: ReadonlySet<string> = new Set(['status', 'version', 'type', 'serverVersion', 'openSubsonic'])

function playerOf (demo: DemoUpstream, server: Server) {
  const { u, p, ...common } = usual
  /** Asks without a user and without a format. */
  const bare: Ask = async (method, parameters = {}, { http = 'GET', view = false, headers = {} } = {}) => {
    const [path, text] = [`/rest/${method}${view ? '.view' : ''}`, queryOf(parameters)]
    const answer = http === 'POST'
      ? await server.get(path, {
        method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers }, body: text
      })
      : await server.get(`${path}?${text}`, { method: http === 'GET' ? 'GET' : 'POST', headers })
    const body = answer.body?.['subsonic-response']
    return {
      http: answer.status, headers: answer.headers, type: answer.headers.get('content-type') ?? '', text: answer.text,
      body, status: body?.status, error: body?.error
    }
  }
  /** Asks for JSON without a user. */
  const play: Ask = async (method, parameters, manner) => await bare(method, { ...common, ...parameters }, manner)
  /** Asks for JSON as the demo's user. */
  const ask: Ask = async (method, parameters, manner) => await play(method, { u, p, ...parameters }, manner)
  /** Asks as the demo's user, and returns the one part of the answer that is its content. */
  const read = async (method: string, parameters?: Parameters): Promise<any> =>
    Object.entries((await ask(method, parameters)).body).find(([key]) => !envelope.has(key))?.[1]
  return { demo, server, bare, play, ask, read }
}

/** `account`: whose login the players use, the member's if it is left out. `likes`: number of that account's liked songs. `upstream`: a demo that runs already. `wire`: each request goes through a socket. */
type PlayerOptions =
  AppOptions & { account?: DemoAccount['name'] | 'nobody', likes?: number, upstream?: DemoUpstream, wire?: boolean }

/** Starts a relay with a password for players. Closed after the test. */
export async function playerFor (
  t: Test, { account = 'member', likes, upstream, wire = false, ...options }: PlayerOptions = {}
): Promise<Player> {
  const demo = upstream ?? await demoFor(t, likes === undefined ? {} : { memberLikes: likes })
  const own = {
    cache: true, subsonicPassword: password,
    playerCookie: () => account === 'nobody' ? undefined : cookieOf(demo, account), ...options
  }
  return playerOf(demo, await serverFor(t, demo, own as AppOptions, wire))
}

/** Starts a relay whose players are the stored accounts of a household. */
export async function householdFor (t: Test, options: AppOptions = {}): Promise<Player & Household> {
  const home = await household(t)
  return { ...home, ...playerOf(
    home.demo, await serverFor(t, home.demo, { accounts: home.accounts, ...options } as AppOptions)
  ) }
}

type Body<Stage> = (stage: Stage & { readonly t: Test }) => Promise<void> | void
type PlayerTest = readonly [title: string, body: Body<Player>]

/** A test with a relay for players of its own. */
export function playerTest (title: string, ...[options, body]: [Body<Player>] | [PlayerOptions, Body<Player>]): void {
  root.test(title, async (t) => { await (body ?? options as Body<Player>)({
    t, ...await playerFor(t, body === undefined ? {} : options as PlayerOptions)
  }) })
}

/** A test with a household of its own. */
export function householdTest (title: string, options: AppOptions, body: Body<Player & Household>): void {
  root.test(title, async (t) => { await body({ t, ...await householdFor(t, options) }) })
}

/**
 * Returns a function like `test`. Its tests share one relay and its cache, in their order. Before each, the demo
 * forgets what it was asked. Each has four times the limit of a test, since the first of them does work for the others;
 * all of them together have none.
 */
export function playerTests (title: string, options: PlayerOptions = {}): (...test: PlayerTest) => void {
  const tests: PlayerTest[] = []
  root.test(title, { timeout: 0 }, async (t) => {
    const player = await playerFor(t, options)
    for (const [title, body] of tests) {
      player.demo.reset()
      await t.test(title, { timeout: 4000 * Number(process.env['TEST_SECONDS'] ?? 0) }, async (t) => {
        await body({ t, ...player })
      })
    }
  })
  return (...test) => { tests.push(test) }
}

/** An element of XML: its children by name, in their order. */
export interface Element {
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
  readonly children: Readonly<Record<string, readonly Element[]>>
}

const parser = new XMLParser({
  preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: '', parseTagValue: false,
  parseAttributeValue: false, trimValues: false, htmlEntities: true, processEntities: true
})

/** Returns the root of an XML answer. */
export function readXml (xml: string): Element {
  const root = (parser.parse(xml) as readonly Node[]).find((node) => 'subsonic-response' in node)
  if (root === undefined) throw new Error(`no subsonic-response in ${xml.slice(0, 200)}`)
  return elementOf(root)
}

type Node = Readonly<Record<string, any>>
const nameOf = (node: Node): string => Object.keys(node).find((each) => each !== ':@') ?? ''

function elementOf (node: Node): Element {
  const inner: readonly Node[] = node[nameOf(node)]
  const children: Record<string, Element[]> = {}
  for (const child of inner.filter((child) => !('#text' in child))) (children[nameOf(child)] ??= [])
    .push(elementOf(child))
  return { attributes: { ...node[':@'] }, text: inner.map((child) => child['#text'] ?? '').join(''), children }
}

const inElements: ReadonlySet<string> = new Set(['artistInfo', 'artistInfo2', 'albumInfo'])

/**
 * Returns the element that has the same content as a value of JSON: plain values are attributes, objects elements,
 * lists repeated elements, and what is called `value` is text. The older part of the standard has three elements whose
 * plain values are elements of their own. Of an album, only the songs are elements: one player takes nothing else in
 * it.
 */
export function xmlOf (key: string, value: unknown): Element {
  if (typeof value !== 'object' || value === null) return { attributes: {}, text: writable(value), children: {} }
  const attributes: Record<string, string> = {}
  const children: Record<string, Element[]> = {}
  let text = ''
  for (const [name, part] of Object.entries(value)) {
    if (key === 'album' && name !== 'song' && typeof part === 'object') continue
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
const writable = (value: unknown): string =>
  // oxlint-disable-next-line no-control-regex
  String(value).replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
