/** The relay under load, in a process of its own: `relay.ts <settings as JSON>`. Tells its address, then, asked, its size. */
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from '../../src/app.ts'

/** What a process holds: megabytes after a collection, most megabytes ever, open files. */
export interface Size { readonly rss: number, readonly peak: number, readonly files: number }

const app = await buildApp({ docs: false, logTo: { write () {} }, ...JSON.parse(process.argv[2] ?? '{}') as object })
const address = await app.listen({ host: '127.0.0.1', port: 0 })

async function size (): Promise<Size> {
  for (let round = 0; round < 3; round++) {
    (globalThis as { gc?: () => void }).gc?.()
    await sleep(50)
  }
  return { rss: process.memoryUsage().rss / 1024 / 1024, peak: process.resourceUsage().maxRSS / 1024, files: readdirSync('/proc/self/fd').length }
}

process.on('message', ({ id }: { id: number }) => { void size().then((told) => process.send?.({ id, told })) })
process.on('disconnect', () => { process.exit() })
process.send?.({ id: 0, told: address })
