/** `music-relay mcp`: the relay as tools for an agent, over stdin and stdout. Everything else goes to stderr. */
import { accountLimits } from '../accounts/accounts.ts'
import { defaultAccount } from '../relay/accountBook.ts'
import { loadSettings } from '../relay/settings.ts'
import { createLogger } from '../edge/log.ts'
import { serveTools } from '../mcp.ts'
import { createRelay } from '../library/relay.ts'
import type { Start } from './serve.ts'
import { followUserInfo, openUserInfo } from './storedAccounts.ts'

/** Serves until the agent disconnects or `signal` aborts. Returns the exit code. Throws ConfigError. */
export async function mcp (
  { folder, env, warnings, all, isDemo, signal }: Pick<Start, 'folder' | 'env' | 'warnings'> & {
    readonly all: boolean
    /** Whether the tools are those of the demo, with an account of its own. */
    readonly isDemo: boolean
    readonly signal: AbortSignal
  }
): Promise<number> {
  const demo = isDemo ? await (await import('../demo/upstream.ts')).startDemoUpstream() : undefined
  const settings = await loadSettings({
    folder,
    env,
    options: demo === undefined ? {}
      : { upstreamOrigin: demo.origin, imageOrigin: demo.origin, upstreamRatePerHost: 0, useGlobalCookie: true },
    warn: (message) => {
      warnings.push(message)
    }
  })
  const usesStored = settings.useGlobalCookie && !isDemo
  const store = await openUserInfo(folder, usesStored)
  const log = createLogger(settings.logLevel, process.stderr)
  for (const warning of warnings.splice(0)) log.warn(warning)
  const relay = createRelay({
    ...settings,
    log,
    globalCookie: () => demo?.accounts.find(({ name }) => name === 'member')?.cookie
      ?? store.get(defaultAccount)?.login.cookie
  })
  await followUserInfo(store, log, usesStored)
  const looks = setInterval(() => { void store.refresh() }, accountLimits.accountsLookMs).unref()
  try {
    const { left, close } = await serveTools({
      relay,
      all,
      input: process.stdin,
      output: process.stdout,
      bug: (err) => {
        log.error({ err }, 'bug')
      }
    })
    if (process.stdin.isTTY) process.stderr.write('This command speaks the Model Context Protocol and is started by an agent. docs/agents.md shows how.\n')
    signal.addEventListener('abort', () => { void close() }, { once: true })
    if (signal.aborted) void close()
    await left
    return 0
  } finally {
    clearInterval(looks)
    await relay.close()
    await demo?.close()
  }
}
