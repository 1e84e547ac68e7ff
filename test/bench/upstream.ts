/**
 * The upstream of benchmark and stress test, in a process of its own. Each answer of the demo is made once and then
 * sent as bytes, so that every request of a call costs the same. Charts from 900 on and songs from 9,000,000 on are
 * made up for
 * `resolveMid`: each of these charts has a hundred songs without MID. Every audio file is the same 16 MB. The argument
 * is the number of songs that the demo's member likes.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildDemoUpstream } from '../../src/demo/upstream.ts'
import { serve } from './children.ts'

/** Resets the counters. */
export interface Orders {
  /** Delay of every answer, from now on. */
  readonly latencyMs?: number
  /** Under stress a call has one answer, whatever it asks for; so many of ten requests fail with 503, spread evenly. */
  readonly stress?: { readonly failing: number }
  /** Hold time of a login poll, in milliseconds. */
  readonly holdMs?: number
}

export interface Counts {
  /** Number of HTTP requests, and those in flight: most at once, and now. */
  readonly requests: number
  readonly most: number
  readonly now: number
  /** Most concurrent requests for song details. */
  readonly mostDetails: number
}

/** What each request has another value of. */
const passing = /pcachetime=\d+|(?<="(?:guid|search_?id)":")\w+/g

const [, , memberLikes] = process.argv
const demo = buildDemoUpstream(memberLikes === undefined ? {} : { memberLikes: Number(memberLikes) })
const answers = new Map<string, Promise<{ type: string, bytes: Buffer }>>()
let orders: Orders = {}
let counts = { requests: 0, most: 0, mostDetails: 0 }
let [now, details] = [0, 0]

const ofDemo = async (
  request: IncomingMessage, url: string, body: string
): Promise<{ type: string, bytes: Buffer }> => {
  const { 'accept-encoding': _packed, 'content-length': _length, ...headers } = request.headers
  const answer = await demo.app.inject({
    method: request.method as 'GET', url, headers: headers as Record<string, string>,
    ...(body === '' ? {} : { payload: body })
  })
  const bytes = answer.rawPayload.includes(demo.origin()) ? Buffer.from(answer.rawPayload.toString()
    .replaceAll(demo.origin(), own())) : answer.rawPayload
  return { type: String(answer.headers['content-type']), bytes }
}

interface Ask { module?: string, method?: string, param?: { topId?: number, song_id?: number, offset?: number } }

/** Answers each call of a body separately, with the made-up charts and songs. */
async function made (request: IncomingMessage, text: string): Promise<{ type: string, bytes: Buffer }> {
  const body = JSON.parse(text) as Record<string, Ask>
  const stand: Record<string, Ask> = {}
  for (const [key, ask] of Object.entries(body)) {
    const { topId = 0, song_id: id = 0 } = ask.param ?? {}
    stand[key] = topId >= 900 ? { ...ask, param: { ...ask.param, topId: 62 } }
      : id >= 9_000_000 ? { ...ask, param: { song_id: 5_000_001 } } : ask
  }
  const { type, bytes } = await ofDemo(request, request.url ?? '/', JSON.stringify(stand))
  const answer = JSON.parse(bytes.toString()) as Record<string, any>
  for (const [key, ask] of Object.entries(body)) {
    const { topId = 0, song_id: id = 0 } = ask.param ?? {}
    const data = answer[key]?.data
    if (topId >= 900) {
      data.songInfoList = []
      data.data.song.forEach((row: { songId: number }, index: number) => {
        row.songId = 9_000_000 + (topId - 900) * 100 + index
      })
    } else if (id >= 9_000_000) Object.assign(data.track_info, { id, mid: `B${String(id).padStart(13, '0')}` })
  }
  return { type, bytes: Buffer.from(JSON.stringify(answer)) }
}

/**
 * The request of the published relay as the provider answers it with songs. It names the present week even for daily
 * charts, for which the provider and the demo have no songs then, and spreads a body over parameters such as
 * `data[songinfo][method]`.
 */
function understood (path: string): string {
  const url = new URL(path, own())
  const data = JSON.parse(url.searchParams.get('data') ?? '{}') as Record<string, any>
  for (const [name, value] of url.searchParams) {
    const keys = [...name.matchAll(/\[(\w+)\]/g)].map(([, key]) => key as string)
    const last = keys.pop()
    if (last !== undefined) keys.reduce((object, key) => object[key] ??= {}, data)[last] =
      /^\d{1,9}$/.test(value) ? Number(value) : value
  }
  for (const { param } of Object.values(data)) if (param !== undefined) delete param.period
  if (Object.keys(data).length > 0) url.searchParams.set('data', JSON.stringify(data))
  return url.pathname + url.search
}

const own = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const song = Buffer.alloc(16 * 1024 * 1024, 1)

const poll = '/connect/l/qrconnect'

const server = createServer((request, response) => {
  const { url = '/' } = request
  if (url.startsWith('/audio/')) {
    return void response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': song.length }).end(song)
  }
  const nth = ++counts.requests
  counts.most = Math.max(counts.most, ++now)
  // Also when the client leaves before.
  response.once('close', () => { now-- })
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => { parts.push(part) })
  request.on('end', () => {
    const body = Buffer.concat(parts).toString()
    const isDetail = body.includes('get_song_detail_yqq')
    if (isDetail) counts.mostDetails = Math.max(counts.mostDetails, ++details)
    const { stress, latencyMs = 0, holdMs } = orders
    const isPoll = stress !== undefined && url.startsWith(poll)
    const send = async (): Promise<void> => {
      if (isDetail) details--
      if (isPoll) return void response.writeHead(200, { 'content-type': 'text/javascript', 'connection': 'close' }).end("window.wx_errcode=408;window.wx_code='';")
      if (stress !== undefined && nth * 7 % 10 < stress.failing) {
        return void response.writeHead(503, { 'content-length': 0 }).end()
      }
      const asked = stress === undefined ? body
        : body.replaceAll(/("song_id":|"ids":\[)\d+/g, (_, before) => `${before}5000001`)
      // The published relay cannot send another Host than that of this machine.
      const ofPeer = typeof request.headers['x-sent-to'] === 'string'
      if (ofPeer) request.headers.host = String(request.headers['x-sent-to'])
      const key = stress === undefined ? `${request.headers.host}${url}${body}`.replace(passing, '') : `${url.split('?')[0]}${[...body.matchAll(/"method":"\w+"/g)].join()}`
      let answer = answers.get(key)
      if (answer === undefined) answers.set(key, answer = body.startsWith('{') ? made(request, asked) : ofDemo(
        request, ofPeer ? understood(url) : url, body
      ))
      const { type, bytes } = await answer
      response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes)
    }
    const wait = isPoll ? holdMs : latencyMs
    if (wait === 0) void send()
    else setTimeout(() => { void send() }, wait)
  })
})
server.keepAliveTimeout = 120_000
await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', 4096, resolve) })
await demo.app.listen({ port: 0, host: '127.0.0.1' }) // the catalogue contains the address

serve(async (given: Orders): Promise<Counts> => {
  const told = { ...counts, now }
  counts = { requests: 0, most: now, mostDetails: details }
  orders = { ...orders, ...given }
  // Without a hint the relay closes its idle connections as soon as it does at the provider.
  if (orders.stress !== undefined) server.keepAliveTimeout = 0
  return await Promise.resolve(told)
}, own())
