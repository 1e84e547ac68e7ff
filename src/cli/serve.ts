/** `music-relay serve`, `demo` and `demo-upstream`: what listens. */
import closeWithGrace from 'close-with-grace'
import { pino } from 'pino'
import { createUserInfo, userInfoFile } from '../../config/user-info.ts'
import type { ServiceConfig } from '../../schemas/config.ts'
import { buildApp } from '../app.ts'
import { checkUserInfo, loadSettings, refuseOpenGlobalCookie } from '../config.ts'
import { renamed } from '../demo/damage.ts'
import type { Renaming } from '../demo/damage.ts'
import { startDemoUpstream } from '../demo/upstream.ts'
import type { DemoUpstream } from '../demo/upstream.ts'
import { banner } from '../http/banner.ts'
import { longestStop } from '../http/stop.ts'
import { version } from '../version.ts'

export interface Start {
  /** Folder of the configuration. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** One line of JSON in place of the banner. */
  readonly json: boolean
  readonly out: (text: string) => void
}

/** Starts the relay; `options` beat file and environment. Fulfilled when it listens. */
export async function serve ({ folder, env, json, out }: Start, options: Partial<ServiceConfig> = {}, demo?: DemoUpstream): Promise<void> {
  const settings = await loadSettings({ folder, env, options })
  refuseOpenGlobalCookie(settings)
  const userInfo = createUserInfo(folder, checkUserInfo)
  const { cookie = '' } = await userInfo.load()
  const app = await buildApp({ ...settings, globalCookie: () => userInfo.get().cookie, demo: demo !== undefined })
  if (await userInfo.isExposed()) app.log.warn(`${userInfoFile} can be read by others on this machine: chmod 600 it`)
  app.addHook('onClose', userInfo.watch({
    changed: () => { app.log.info(`${userInfoFile} changed: the new one is in use`) },
    refused: (reason) => { app.log.error(`${reason.message} The last good one stays in use.`) }
  }))
  closeWithGrace({ delay: longestStop(settings), logger: pino({ level: 'silent' }) }, async ({ err }) => {
    if (err !== undefined) app.log.fatal({ err }, 'bug: the relay stops')
    await app.close()
    await demo?.close()
  })
  app.log.level = 'silent' // what says where it listens comes before the first log line
  // As many may knock at once as may be inside: who finds no room to wait tries again after seconds only.
  await app.listen({ host: settings.host, port: settings.port, backlog: settings.maxConnections })
  app.log.level = settings.logLevel
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : settings.port
  const shown = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`
  if (json) out(line({ address: shown, upstream: demo !== undefined ? 'demo' : settings.upstreamOrigin === '' ? 'live' : 'another origin', ...accountsOf(demo) }))
  else out(banner({ version, address: shown, settings, globalCookieStored: cookie !== '', ...(demo === undefined ? {} : { demo: demoLines(shown, demo) }) }))
}

/** The demo upstream, and a relay in front of it. */
export async function serveDemo (start: Start): Promise<void> {
  const demo = await startDemoUpstream()
  // No pace: this upstream blocks nobody.
  await serve(start, { upstreamOrigin: demo.origin, imageOrigin: demo.origin, upstreamRatePerHost: 0 }, demo)
}

/** The demo upstream alone. */
export async function serveDemoUpstream ({ json, out }: Pick<Start, 'json' | 'out'>, port: number, rename: Renaming | undefined): Promise<void> {
  const demo = await startDemoUpstream({ port })
  closeWithGrace({ delay: 8000 }, async () => { await demo.close() }) // before the line: who reads it may end it at once
  if (rename !== undefined) demo.next(rename.call, renamed(rename), Infinity)
  out(json
    ? line({ address: demo.origin, ...accountsOf(demo) })
    : `demo upstream listening on ${demo.origin}\n\n  UPSTREAM_ORIGIN=${demo.origin} IMAGE_ORIGIN=${demo.origin} music-relay\n\n${accountLines(demo)}`)
}

const line = (facts: object): string => `${JSON.stringify({ msg: 'listening', version, ...facts })}\n`

function accountsOf (demo: DemoUpstream | undefined): { readonly accounts?: readonly { readonly name: string, readonly cookie: string }[] } {
  return demo === undefined ? {} : { accounts: demo.accounts.map(({ name, cookie }) => ({ name, cookie })) }
}

function demoLines (address: string, demo: DemoUpstream): string {
  return `
Try it:
  curl '${address}/getRanks?topId=62&limit=3&resolveMid=true'
  curl '${address}/getLyric/00DemoSong0001?isFormat=1'
  curl '${address}/getMusicPlay?songmid=00DemoSong0001'

${accountLines(demo)}`
}

function accountLines (demo: DemoUpstream): string {
  return `Demo accounts (pass one as X-Custom-Cookie or ?cookie=):\n${demo.accounts.map(({ name, cookie }) => `  ${name.padEnd(9)} ${cookie}\n`).join('')}\n`
}
