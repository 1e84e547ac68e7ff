/** Helper of the phase `http2`: asks the upstream and measures its own CPU time. */
import { Agent } from 'undici'
import { serve } from './children.ts'

/** `calls` calls, ten at once, over the connections of one new pool; `bursts` times. */
export interface Burst { readonly port: number, readonly allowH2: boolean, readonly bursts: number, readonly calls: number }
export interface Asked { readonly ms: number, readonly cpuMs: number }

serve(async ({ port, allowH2, bursts, calls }: Burst): Promise<Asked> => {
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
})
