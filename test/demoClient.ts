/** Requests as any client of the provider would send them to the demo upstream, without the relay. */
import { request } from 'node:http'
import type { DemoUpstream } from '../src/demo/upstream.ts'

export interface Foreign { host?: string, method?: string, headers?: Record<string, string>, body?: string }

export interface ForeignReply { status: number, headers: Record<string, unknown>, text: string, body: any }

/** Sends one request to a host of the upstream. `body` of the reply is the parsed JSON, or undefined. */
export async function ask (demo: Pick<DemoUpstream, 'origin'>, path: string, { host = 'u.y.qq.com', method, headers = {}, body }: Foreign = {}): Promise<ForeignReply> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(`${demo.origin}${path}`, { method: method ?? (body === undefined ? 'GET' : 'POST'), headers: { host, ...headers } }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (part: string) => { text += part }).on('end', () => {
        let parsed: unknown
        try { parsed = JSON.parse(text) } catch {}
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parsed })
      }).on('error', reject)
    })
    outgoing.on('error', reject).end(body)
  })
}

/** The answer of one gateway call, with this common block. */
export async function gateway (demo: Pick<DemoUpstream, 'origin'>, call: string, param: object, comm: object, headers?: Record<string, string>): Promise<any> {
  const [module, method] = call.split('/')
  const { body } = await ask(demo, '/cgi-bin/musicu.fcg', { body: JSON.stringify({ comm, req: { module, method, param } }), ...(headers && { headers }) })
  return body.req
}

/** The answer of a classic path, with a Referer of the site. */
export async function classic (demo: Pick<DemoUpstream, 'origin'>, path: string, query: Record<string, string>, foreign: Foreign = {}): Promise<ForeignReply> {
  return await ask(demo, `${path}?${new URLSearchParams(query).toString()}`, { host: 'c.y.qq.com', headers: { referer: 'https://y.qq.com/' }, ...foreign })
}
