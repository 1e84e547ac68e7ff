/** The relay of a fuzz run, in a process of its own, so that its memory can be measured and its exit noticed. */
import { buildApp } from '../../src/app.ts'
import { demoAccounts } from '../../src/demo/accounts.ts'
import { password } from './players.ts'
import { brisk, unhurried } from '../unhurried.ts'

export type Question = 'memory' | 'connections'
/** Messages to the parent: `bug` lines of the log, the address, and the requested numbers. */
export type Word = { address: string } | { bug: string } | { memory: number } | { connections: number }

const say = (word: Word): void => { process.send?.(word) }

const origin = process.argv[2] ?? ''
const app = await buildApp({
  upstreamOrigin: origin,
  imageOrigin: origin,
  logLevel: 'error',
  logTo: { write: (line) => { if (line.includes('"bug"')) say({ bug: line.trim() }) } },
  subsonicPassword: password,
  playerCookie: () => demoAccounts().find(({ name }) => name === 'member')?.cookie,
  ...unhurried,
  // The cache is full before the first measurement of the memory, so that later growth is a leak.
  cacheBytes: 4 * 1024 * 1024,
  tuning: brisk({ pollPercent: 500, pollDeadlineMs: 100, cacheEntryBytes: 8192 })
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
