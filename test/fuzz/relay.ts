/** The relay of a fuzz run, in a process of its own, so that its memory can be measured and its exit noticed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from '../../src/app.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSessions } from '../../src/accounts/sessions.ts'
import { createLoginStorage } from '../../src/cli/storedAccounts.ts'
import { demoAccounts } from '../../src/demo/accounts.ts'
import { names } from './pages.ts'
import { password } from './players.ts'
import { keptAccounts } from '../support/accountsHelper.ts'
import { brisk, unhurried } from '../support/unhurried.ts'

export type Question = 'memory' | 'connections'
/** Messages to the parent: `bug` lines of the log, the address, and the requested numbers. */
export type Word =
  { address: string } | { marks: Readonly<Record<string, string>> } | { bug: string } | { memory: number } |
  { connections: number }

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
const folder = mkdtempSync(join(tmpdir(), 'fuzz-'))
process.once('exit', () => { rmSync(folder, { recursive: true, force: true }) })
const accounts = await keptAccounts(folder)
const sessions = await openSessions({ folder, secret: '', accounts, log: { error () {} } })
const cookies = ['member', 'child'].map((name) => demoAccounts().find((each) => each.name === name)?.cookie ?? '')
/** Secrets and sessions of the accounts. A session that a request ends or replaces is begun anew only with the next run. */
const marks: Record<string, string> = {}
for (const [at, name] of names.entries()) {
  marks[`{secret-${at}}`] = await accounts.save(name, { loginUin: String(at + 1), cookie: cookies[at] ?? '' }) ?? ''
  marks[`{session-${at}}`] = await sessions.begin({ account: name })
}
const app = await buildApp({
  accounts, sessions, loginStorage: createLoginStorage(accounts, folder, () => app),
  operatorCode: 'a-code-that-nobody-knows', meting: true, metrics: true,
  upstreamOrigin: origin,
  imageOrigin: origin,
  logLevel: 'error',
  logTo: { write: (line) => { if (line.includes('"bug"')) say({ bug: line.trim() }) } },
  subsonicPassword: password,
  playerCookie: () => demoAccounts().find(({ name }) => name === 'member')?.cookie,
  ...unhurried,
  // The cache is full before the first measurement of the memory, so that later growth is a leak.
  cacheBytes: 4 * 1024 * 1024,
  tuning: brisk({
    pollPercent: 500, pollDeadlineMs: 100, cacheEntryBytes: 8192, fallbackFailures: Infinity, circuitFailures: Infinity,
    circuitSamples: Infinity, hostFailingParts: Infinity
  })
})

process.on('message', (question: Question) => {
  if (question === 'connections') app.server.getConnections((_error, connections) => { say({ connections }) })
  else void memory().then((memory) => { say({ memory }) })
})
process.once('disconnect', () => { void app.close().finally(() => { sessions.close() }) })

say({ marks })
say({ address: await app.listen({ host: '127.0.0.1', port: 0 }) })
