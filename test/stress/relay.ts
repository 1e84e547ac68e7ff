/** The relay under load, in a process of its own: `relay.ts <settings as JSON>`. Tells its address, then, asked, its size. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type * as App from '../../src/app.ts'

/** What a process holds: megabytes after a collection, most megabytes since it was asked last, open files. Of Linux. */
export interface Size { readonly rss: number, readonly peak: number, readonly files: number }

// As it is started in earnest, built: a transpiler's marks cost a busy relay a tenth.
const { buildApp } = await import(new URL('../../dist/src/app.js', import.meta.url).href) as typeof App
const app = await buildApp({ docs: false, upstreamRatePerHost: 0, logTo: { write () {} }, ...JSON.parse(process.argv[2] ?? '{}') as object })
const address = await app.listen({ host: '127.0.0.1', port: 0, backlog: app.core.settings.maxConnections })

async function size (): Promise<Size> {
  const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) / 1024
  for (let round = 0; round < 3; round++) {
    (globalThis as { gc?: () => void }).gc?.()
    await sleep(50)
  }
  writeFileSync('/proc/self/clear_refs', '5') // the peak begins anew
  return { rss: process.memoryUsage().rss / 1024 / 1024, peak, files: readdirSync('/proc/self/fd').length }
}

process.on('message', ({ id }: { id: number }) => { void size().then((told) => process.send?.({ id, told })) })
process.on('disconnect', () => { process.exit() })
process.send?.({ id: 0, told: address })
