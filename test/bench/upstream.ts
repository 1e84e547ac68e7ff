/**
 * The upstream of the benchmark, in a process of its own. Each answer of the demo is made once and then sent as bytes,
 * so that every request of a call costs the same. Charts from 900 on and songs from 9,000,000 on are made up for
 * `resolveMid`: each of these charts has a hundred songs without MID. Every audio file is the same 16 MB.
 */
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildDemoUpstream } from '../../src/demo/upstream.ts'
import { serve } from './children.ts'

/** Resets the counters. From now on, every answer is delayed by `latencyMs`. */
export interface Orders { readonly latencyMs?: number }

export interface Counts {
  /** Number of HTTP requests. */
  readonly requests: number
  /** Number of opened connections. */
  readonly connections: number
  /** Most concurrent requests for song details. */
  readonly mostDetails: number
}

/** What each request has another value of. */
const passing = /pcachetime=\d+|(?<="(?:guid|search_?id)":")\w+/g

const demo = buildDemoUpstream()
const answers = new Map<string, Promise<{ type: string, bytes: Buffer }>>()
let latencyMs = 0
let counts = { requests: 0, connections: 0, mostDetails: 0 }
let details = 0

const ofDemo = async (request: IncomingMessage, url: string, body: string): Promise<{ type: string, bytes: Buffer }> => {
  const { 'accept-encoding': _packed, 'content-length': _length, ...headers } = request.headers
  const answer = await demo.app.inject({ method: request.method as 'GET', url, headers: headers as Record<string, string>, ...(body === '' ? {} : { payload: body }) })
  const bytes = answer.rawPayload.includes(demo.origin()) ? Buffer.from(answer.rawPayload.toString().replaceAll(demo.origin(), own())) : answer.rawPayload
  return { type: String(answer.headers['content-type']), bytes }
}

interface Ask { module?: string, method?: string, param?: { topId?: number, song_id?: number, offset?: number } }

/** Answers each call of a body separately, with the made-up charts and songs. */
async function made (request: IncomingMessage, text: string): Promise<{ type: string, bytes: Buffer }> {
  const body = JSON.parse(text) as Record<string, Ask>
  const stand: Record<string, Ask> = {}
  for (const [key, ask] of Object.entries(body)) {
    const { topId = 0, song_id: id = 0 } = ask.param ?? {}
    stand[key] = topId >= 900 ? { ...ask, param: { ...ask.param, topId: 62 } } : id >= 9_000_000 ? { ...ask, param: { song_id: 5_000_001 } } : ask
  }
  const { type, bytes } = await ofDemo(request, request.url ?? '/', JSON.stringify(stand))
  const answer = JSON.parse(bytes.toString()) as Record<string, any>
  for (const [key, ask] of Object.entries(body)) {
    const { topId = 0, song_id: id = 0 } = ask.param ?? {}
    const data = answer[key]?.data
    if (topId >= 900) {
      data.songInfoList = []
      data.data.song.forEach((row: { songId: number }, index: number) => { row.songId = 9_000_000 + (topId - 900) * 100 + index })
    } else if (id >= 9_000_000) Object.assign(data.track_info, { id, mid: `B${String(id).padStart(13, '0')}` })
  }
  return { type, bytes: Buffer.from(JSON.stringify(answer)) }
}

/**
 * The request of the published relay as the provider answers it with songs. It names the present week even for daily charts, for which the provider
 * and the demo have no songs then, and spreads a body over parameters such as `data[songinfo][method]`.
 */
function understood (path: string): string {
  const url = new URL(path, own())
  const data = JSON.parse(url.searchParams.get('data') ?? '{}') as Record<string, any>
  for (const [name, value] of url.searchParams) {
    const keys = [...name.matchAll(/\[(\w+)\]/g)].map(([, key]) => key as string)
    const last = keys.pop()
    if (last !== undefined) keys.reduce((object, key) => object[key] ??= {}, data)[last] = /^\d{1,9}$/.test(value) ? Number(value) : value
  }
  for (const { param } of Object.values(data)) if (param !== undefined) delete param.period
  if (Object.keys(data).length > 0) url.searchParams.set('data', JSON.stringify(data))
  return url.pathname + url.search
}

const own = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const song = Buffer.alloc(16 * 1024 * 1024, 1)

const server = createServer((request, response) => {
  if (request.url?.startsWith('/audio/') === true) return void response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': song.length }).end(song)
  counts.requests++
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => { parts.push(part) })
  request.on('end', () => {
    const body = Buffer.concat(parts).toString()
    const isDetail = body.includes('get_song_detail_yqq')
    if (isDetail) counts.mostDetails = Math.max(counts.mostDetails, ++details)
    const send = async (): Promise<void> => {
      // The published relay cannot send another Host than that of this machine.
      const ofPeer = typeof request.headers['x-sent-to'] === 'string'
      if (ofPeer) request.headers.host = String(request.headers['x-sent-to'])
      const key = `${request.headers.host}${request.url}${body}`.replace(passing, '')
      let answer = answers.get(key)
      if (answer === undefined) answers.set(key, answer = body.startsWith('{') ? made(request, body) : ofDemo(request, ofPeer ? understood(request.url ?? '/') : request.url ?? '/', body))
      const { type, bytes } = await answer
      if (isDetail) details--
      response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes)
    }
    if (latencyMs === 0) void send()
    else setTimeout(() => { void send() }, latencyMs)
  })
})
server.on('connection', () => { counts.connections++ })
server.keepAliveTimeout = 120_000
await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', 4096, resolve) })
await demo.app.listen({ port: 0, host: '127.0.0.1' }) // the catalogue contains the address

serve(async (orders: Orders): Promise<Counts> => {
  const before = counts
  counts = { requests: 0, connections: 0, mostDetails: 0 }
  latencyMs = orders.latencyMs ?? latencyMs
  return await Promise.resolve(before)
}, own())
