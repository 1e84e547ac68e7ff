/** Helper of the phase `http2`: an upstream over TLS that speaks both versions, or a client that measures its own CPU time. */
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { serve } from './children.ts'

/** `calls` calls, ten at once, over the connections of one new pool; `bursts` times. */
export interface Burst { readonly port: number, readonly allowH2: boolean, readonly bursts: number, readonly calls: number }
export interface Asked { readonly ms: number, readonly cpuMs: number }
/** Key and certificate start the upstream. */
export interface Served { readonly files?: readonly [string, string], readonly latencyMs: number }

async function ask ({ port, allowH2, bursts, calls }: Burst): Promise<Asked> {
  const [begin, before] = [performance.now(), process.cpuUsage()]
  for (let burst = 0; burst < bursts; burst++) {
    const pool = new Agent({ allowH2, connections: allowH2 ? 1 : 64, pipelining: allowH2 ? 100 : 1, connect: { rejectUnauthorized: false } })
    let left = calls
    await Promise.all(Array.from({ length: 10 }, async () => {
      while (left-- > 0) {
        const { body } = await pool.request({ origin: `https://localhost:${port}`, method: 'POST', path: '/cgi-bin/musicu.fcg', headers: { 'content-type': 'application/json' }, body: '{}' })
        await body.json()
      }
    }))
    await pool.close()
  }
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - begin, cpuMs: (user + system) / 1000 }
}

const body = JSON.stringify({ code: 0, req_0: { code: 0, data: { list: Array.from({ length: 40 }, (_, at) => ({ id: 5_000_000 + at, mid: `00DemoSong${at}`, title: 'First Light', interval: 215, singer: 'The Paper Lanterns' })) } } })
let latency = 0
let port = 0

/** Returns the port. */
async function answer ({ files, latencyMs }: Served): Promise<number> {
  latency = latencyMs
  if (files === undefined) return port
  const server = createSecureServer({ key: readFileSync(files[0]), cert: readFileSync(files[1]), allowHTTP1: true }, (request, response) => {
    request.resume()
    if (latency === 0) response.end(body)
    else setTimeout(() => { response.end(body) }, latency)
  })
  await new Promise<void>((resolve) => { server.listen(0, 'localhost', resolve) })
  return port = (server.address() as AddressInfo).port
}

serve<Burst | Served, Asked | number>(async (given) => 'port' in given ? await ask(given) : await answer(given))
