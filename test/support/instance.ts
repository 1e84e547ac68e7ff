/**
 * One of several instances, in a process of its own: the command without banner and log, with a long timeout of the
 * store. `PLAYER_COOKIE` is the login of players.
 */
import { buildApp } from '../../src/app.ts'
import { loadSettings } from '../../src/relay/settings.ts'

const { PLAYER_COOKIE: cookie } = process.env
const settings = await loadSettings({ folder: process.env['CONFIG_DIR'] ?? '', env: process.env })
// The store is slow on a busy machine. A request that meets a dead store waits three times this.
const app = await buildApp({
  ...settings, tuning: { redisTimeoutMs: 2000 }, ...(cookie === undefined ? {} : { playerCookie: () => cookie })
})
const address = await app.listen({ host: settings.host, port: settings.port })
process.stdout.write(`listening ${address}\n`)
