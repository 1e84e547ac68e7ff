/** HTTP/1.1 and HTTP/2 to the upstream, over TLS, with the HTTP client that the relay uses. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digits, median, spread } from './compare.ts'
import { startHelper } from './children.ts'
import type { Phase } from './ground.ts'
import type { Asked, Burst } from './http2Client.ts'

export const http2: Phase = {
  name: 'http2',
  about: 'calls of 4 KB over TLS: CPU of each, ten at once; and a burst of ten over new connections; the upstream takes 20 ms there',
  async run (bench) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-tls-'))
    const files = [join(folder, 'key.pem'), join(folder, 'cert.pem')] as const
    if (spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-subj', '/CN=localhost', '-keyout', files[0], '-out', files[1]]).status !== 0) return { columns: ['openssl is not installed'], rows: [] }
    const upstream = await startHelper<{ files?: readonly [string, string], latencyMs: number }, number>('http2Upstream.ts')
    const client = await startHelper<Burst, Asked>('http2Client.ts', true)
    try {
      const port = await upstream.ask({ files, latencyMs: 0 })
      const versions = [['HTTP/1.1', false], ['HTTP/2', true]] as const
      const values = versions.map(() => [[], [], []] as [number[], number[], number[]])
      for (let round = 0; round < bench.rounds; round++) {
        bench.progress(`round ${round + 1} of ${bench.rounds}`)
        for (const [at, [, allowH2]] of versions.entries()) {
          await upstream.ask({ latencyMs: 0 })
          const { cpuMs } = await client.ask({ port, allowH2, bursts: 1, calls: bench.quick ? 2000 : 5000 })
          await upstream.ask({ latencyMs: 20 })
          const burst = await client.ask({ port, allowH2, bursts: 20, calls: 10 })
          values[at]?.[0].push(cpuMs * 1000 / (bench.quick ? 2000 : 5000))
          values[at]?.[1].push(burst.ms / 20)
          values[at]?.[2].push(burst.cpuMs / 20)
        }
      }
      return {
        columns: ['CPU us/call', 'spread', 'ms of a burst', 'spread', 'CPU ms of a burst', 'spread'],
        rows: versions.map(([name], at) => ({ name, cells: values[at]?.flatMap((list) => [digits(median(list)), spread(list)]) ?? [] }))
      }
    } finally {
      await Promise.all([upstream.end(), client.end()])
      rmSync(folder, { recursive: true })
    }
  }
}
