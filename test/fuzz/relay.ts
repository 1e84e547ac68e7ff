/** The relay of a fuzz run, in a process of its own: its memory is its own, and its end is seen. */
import { buildApp } from '../../src/app.ts'
import { unhurried } from '../unhurried.ts'

export type Question = 'memory' | 'connections'
/** `bug` lines of its log, the address it listens on, and answers to the questions. */
export type Word = { address: string } | { bug: string } | { memory: number } | { connections: number }

const say = (word: Word): void => { process.send?.(word) }

const origin = process.argv[2] ?? ''
const app = await buildApp({
  upstreamOrigin: origin,
  imageOrigin: origin,
  logLevel: 'error',
  logTo: { write: (line) => { if (line.includes('"bug"')) say({ bug: line.trim() }) } },
  pollDeadlineMs: 100,
  pollLimit: 10_000,
  ...unhurried,
  // Full before the memory is first looked at, so that what grows afterwards is a leak.
  cacheBytes: 4 * 1024 * 1024,
  cacheEntries: 500
})

process.on('message', (question: Question) => {
  if (question === 'connections') app.server.getConnections((_error, connections) => { say({ connections }) })
  else {
    globalThis.gc?.()
    say({ memory: process.memoryUsage.rss() / 1e6 })
  }
})
process.once('disconnect', () => { void app.close() })

say({ address: await app.listen({ host: '127.0.0.1', port: 0 }) })
