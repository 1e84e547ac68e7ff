/** An upstream whose answers are grown: its lists have more rows, and one of its texts is long. And the requests of every route. */
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import { buildApp, type AppOptions } from '../../src/app.ts'
import { registry } from '../../src/endpoints/index.ts'
import type { AnyEndpoint } from '../../src/relay/endpoint.ts'
import { methods } from '../../src/players/opensubsonic/opensubsonic.ts'
import type { Exchange } from '../faults/server.ts'
import { queryOf } from './asks.ts'
import { brisk, forgetful, unhurried } from './unhurried.ts'

/** `rows`: rows of each list that has some. `text`: characters of the text that is number `at` of the answer; 0: none is long. */
export interface Growth { readonly rows: number, readonly text: number, readonly at: number }

/** What is counted is the work of the relay, not that of this upstream. */
const { parse, stringify } = JSON

/** Answers like the demo, grown. `sent` gets the bytes. */
export async function growing (
  { healthy, answer }: Exchange, growth: Growth, sent: (bytes: number) => void
): Promise<void> {
  const { status, type, body, location } = await healthy()
  let text = body
  try {
    let number = 0
    text = stringify(grown(parse(body), growth, () => number++))
  } catch { /* not JSON */ }
  sent(Buffer.byteLength(text))
  answer(text, { status, type, headers: location === undefined ? [] : [`location: ${location}`] })
}

/** Lists in lists stay as they are: they would grow to the square. */
function grown (value: unknown, growth: Growth, next: () => number, inList = false): unknown {
  if (typeof value === 'string') return growth.text > 0
    && value !== '' && !/^https?:/.test(value) && next() === growth.at ? `${value}${'x'.repeat(growth.text)}` : value
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, grown(each, growth, next, inList)]))
  }
  const rows = value.map((each: unknown) => grown(each, growth, next, true))
  return inList || typeof rows[0] !== 'object' || rows.length < 3 ? rows
    : Array.from({ length: Math.max(rows.length, growth.rows) }, (_, at) => rows[at % rows.length])
}

const cookie = 'uin=10001; provider_key=Q_H_L_x'
/** A relay with every route, in front of such an upstream. */
export async function relayOver (t: Test, origin: string, options: AppOptions = {}): Promise<FastifyInstance> {
  const app = await buildApp({
    docs: false, logLevel: 'silent', ...unhurried, upstreamOrigin: origin, imageOrigin: origin,
    subsonicPassword: 'of the house', meting: true, playerCookie: () => cookie, rateLimit: 0, deadlineMs: 60_000,
    tuning: brisk({ ...forgetful, retryDelayMinMs: 0, retryDelayMaxMs: 0 }), ...options
  })
  t.teardown(async () => { await app.close() })
  return app
}

/** The example of an endpoint, with as many rows and elements as it may ask for. */
function largest ({ input: { properties }, example }: AnyEndpoint): Record<string, unknown> {
  const most = Object.entries(properties).flatMap(([name, { maximum }]) =>
    /limit|num|size/i.test(name) && typeof maximum === 'number' ? [[name, maximum]] : [])
  const lists = Object.entries(example).flatMap(([name, value]) => {
    const { maxItems = 1, uniqueItems } = properties[name] as { maxItems?: number, uniqueItems?: boolean }
    return Array.isArray(value) && uniqueItems !== true ? [[
      name, Array.from({ length: maxItems }, (_, at) => value[at % value.length] as unknown)
    ]] : []
  })
  return { ...example, ...Object.fromEntries(most), ...Object.fromEntries(lists) }
}

const ofEndpoints: readonly InjectOptions[] = Object.values<AnyEndpoint>(registry).filter(({ loginStep }) =>
  loginStep === undefined).flatMap((endpoint): InjectOptions[] => {
  const { method, path, songs } = endpoint
  const input = largest(endpoint)
  if (method === 'POST') {
    return [{ method, url: path, headers: { 'content-type': 'application/json' }, payload: stringify(input) }]
  }
  const url = `${path}?${queryOf(input)}`
  return [
    { method, url }, { method, url: `${url}&more=1`, headers: { 'x-custom-cookie': cookie } },
    ...songs === undefined ? [] : [{ method, url: `${url}&format=m3u` }]
  ]
})
const ids = ['li-liked', 'so-00DemoSong0001', 'al-00DemoAlbu0001', 'ar-00DemoSing0001', 'pl-7700000001', 'ch-62'] as const
const ofPlayers: readonly InjectOptions[] = Object.keys(methods)
  .flatMap((name) => ids.flatMap((id) => ['json', 'xml'].map((f): InjectOptions => ({
    method: 'GET', url: `/rest/${name}?u=a&p=of+the+house&c=x&v=1.16.1&f=${f}&id=${id}&query=light&type=newest&size=500&count=500&songCount=500&albumCount=500&artist=a&title=b`
  }))))
const ofWidgets: readonly InjectOptions[] = [['playlist', '7700000001'], ['album', '00DemoAlbu0001'], ['artist', '00DemoSing0001'], ['search', 'light'], ['song', '00DemoSong0001'], ['lrc', '00DemoSong0001']]
  .map(([type, id]) => ({ method: 'GET', url: `/meting?type=${type}&id=${id}` }))

/** Requests of every route that asks the upstream, in every form. */
export const questions: readonly InjectOptions[] = [...ofEndpoints, ...ofPlayers, ...ofWidgets]

/** Runs some work, and returns the most characters of JSON that were read or written in one turn of the loop. */
export async function turnsOf<T> (run: () => Promise<T>): Promise<{
  readonly most: number, readonly turns: number, readonly value: T
}> {
  let [chars, most, turns, on] = [0, 0, 0, true]
  const probe = (): void => {
    most = Math.max(most, chars)
    chars = 0
    turns++
    if (on) setImmediate(probe)
  }
  JSON.parse = (text, ...rest) => {
    chars += text.length
    return parse(text, ...rest)
  }
  JSON.stringify = ((...given: Parameters<typeof stringify>) => {
    const text = stringify(...given) as string | undefined
    chars += text?.length ?? 0
    return text
  }) as typeof stringify
  try {
    probe()
    const value = await run()
    probe()
    return { most, turns, value }
  } finally {
    on = false
    Object.assign(JSON, { parse, stringify })
  }
}
