/** HTTP/1.1 and HTTP/2 to the upstream, over TLS, with the HTTP client that the relay uses. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHelper } from './children.ts'
import { rounds, spread, spreads, type Phase } from './ground.ts'
import type { Asked, Burst, Served } from './http2Helper.ts'

export const http2: Phase = {
  name: 'http2',
  about: 'calls of 4 KB over TLS: CPU of each, ten at once; and a burst of ten over new connections; the upstream takes 20 ms there',
  async run (bench) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-tls-'))
    const files = [join(folder, 'key.pem'), join(folder, 'cert.pem')] as const
    if (spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-subj', '/CN=localhost', '-keyout', files[0], '-out', files[1]]).status !== 0) return { columns: ['openssl is not installed'], rows: [] }
    const upstream = await startHelper<Served, number>('http2Helper.ts', 'others')
    const client = await startHelper<Burst, Asked>('http2Helper.ts', 'servers')
    try {
      const port = await upstream.ask({ files, latencyMs: 0 })
      const calls = bench.quick ? 2000 : 5000
      const versions = [['HTTP/1.1', false], ['HTTP/2', true]] as const
      const told = await rounds(bench, versions, async ([, allowH2]) => {
        await upstream.ask({ latencyMs: 0 })
        const many = await client.ask({ port, allowH2, bursts: 1, calls })
        await upstream.ask({ latencyMs: 20 })
        const burst = await client.ask({ port, allowH2, bursts: 20, calls: 10 })
        return [many.cpuMs * 1000 / calls, burst.ms / 20, burst.cpuMs / 20] as const
      })
      return {
        columns: spreads(['CPU us/call', 'ms of a burst', 'CPU ms of a burst']),
        rows: versions.map(([name], at) => ({ name, cells: ([0, 1, 2] as const).flatMap((value) => spread(told[at]?.map((turn) => turn[value]) ?? [])) }))
      }
    } finally {
      await Promise.all([upstream.end(), client.end()])
      rmSync(folder, { recursive: true })
    }
  }
}
