/**
 * The relay under load, in a process of its own: `relay.ts <settings as JSON> <module of buildApp>`. Sends its address,
 * then its size on request.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type * as App from '../../src/app.ts'
import { listen } from '../../src/cli/serve.ts'
import { serve } from '../bench/children.ts'

/** Size of a process: MB after a garbage collection, most MB since the previous measurement, open files. Linux only. */
export interface Size { readonly rss: number, readonly peak: number, readonly files: number }

const [, , settings = '{}', module = ''] = process.argv
const { buildApp } = await import(new URL(`../../${module}`, import.meta.url).href) as typeof App
const app = await buildApp({ docs: false, upstreamRatePerHost: 0, logTo: { write () {} }, ...JSON.parse(settings) as object })
const host = '127.0.0.1'
const address = `http://${host}:${await listen(app, { host, port: 0 })}`

async function size (): Promise<Size> {
  const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) / 1024
  for (let round = 0; round < 3; round++) {
    (globalThis as { gc?: () => void }).gc?.()
    await sleep(50)
  }
  writeFileSync('/proc/self/clear_refs', '5') // resets the peak
  return { rss: process.memoryUsage().rss / 1024 / 1024, peak, files: readdirSync('/proc/self/fd').length }
}

serve(size, address)
