/**
 * The relay as `serve` assembles it, in a process of its own whose clocks its parent moves: each message says how far
 * they are ahead and makes the relay look at its accounts, as it does by itself every second.
 */
import { buildApp } from '../../src/app.ts'
import { openStoredAccounts } from '../../src/cli/storedAccounts.ts'
import { loadSettings } from '../../src/relay/settings.ts'
import type { Look, Looked } from './sixtyDays.ts'

const folder = process.env['CONFIG_DIR'] ?? ''
const [wall = 0, steady = 0] = process.argv.slice(2).map(Number)
const ahead = { wall, steady }

const settings = await loadSettings({ folder, env: process.env })
let attempts: string[] = []
const log = Object.fromEntries(['info', 'warn', 'error'].map((level) => [level, (line: string) => {
  process.stdout.write(`${level}: ${line}\n`)
}])) as Record<'info' | 'warn' | 'error', (line: string) => void>
const accounts = await openStoredAccounts({
  folder, settings, log, needsUserInfo: true, renew: true, app: () => app,
  now: () => Date.now() + ahead.wall,
  uptime: () => performance.now() + ahead.steady,
  attempted: (name, attempt) => { attempts.push(`${name} ${attempt}`) }
})
// The store is slow on a busy machine, and nobody's last request is waited for.
const app = await buildApp({
  ...settings, accounts, now: () => performance.now() + ahead.steady, tuning: { redisTimeoutMs: 2000, drainMs: 0 }
})
let accountsClosed: Promise<unknown> | undefined
app.addHook('preClose', async () => { accountsClosed = accounts.close() })
app.addHook('onClose', async () => { await accountsClosed })

process.on('message', (look: Look) => {
  Object.assign(ahead, look.ahead)
  void accounts.tick().then(() => {
    process.send?.(
      { id: look.id, attempts, states: accounts.list().map(({ name, state }) => `${name} ${state}`) } satisfies Looked,
      () => {}
    )
    attempts = []
  })
})
process.once('SIGTERM', () => { void app.close().then(() => { process.disconnect() }) })
process.stdout.write(`listening ${await app.listen({ host: settings.host, port: settings.port })}\n`)
