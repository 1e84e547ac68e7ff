/** The relay of a fuzz run, in a process of its own, so that its memory can be measured and its exit noticed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from '../../src/app.ts'
import { demoAccounts } from '../../src/demo/accounts.ts'
import { password } from './players.ts'
import { brisk, unhurried } from '../support/unhurried.ts'

export type Question = 'memory' | 'connections'
/** Messages to the parent: `bug` lines of the log, the address, and the requested numbers. */
export type Word = { address: string } | { bug: string } | { memory: number } | { connections: number }

const say = (word: Word): void => { process.send?.(word) }

/** Resident memory in MB. What one collection frees goes back to the system with the next one: up to 40 MB were counted after one. */
async function memory (): Promise<number> {
  for (let times = 0; times < 2; times++) {
    globalThis.gc?.()
    await sleep(100)
  }
  return process.memoryUsage.rss() / 1e6
}

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
  else void memory().then((memory) => { say({ memory }) })
})
process.once('disconnect', () => { void app.close() })

say({ address: await app.listen({ host: '127.0.0.1', port: 0 }) })
