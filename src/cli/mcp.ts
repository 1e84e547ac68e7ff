/** `music-relay mcp`: the relay as tools of an agent, over stdin and stdout. Everything else is said on stderr. */
import { loadSettings } from '../config.ts'
import { createLogger } from '../http/logging.ts'
import { serveTools } from '../mcp.ts'
import { createRelay } from '../relay.ts'
import { followUserInfo, openUserInfo } from './userInfo.ts'

/** Fulfilled with the exit code once the agent has left, or the signal says so. */
export async function mcp ({ folder, env, signal }: { readonly folder: string, readonly env: NodeJS.ProcessEnv, readonly signal: AbortSignal }): Promise<number> {
  const settings = await loadSettings({ folder, env })
  const userInfo = await openUserInfo(folder)
  const log = createLogger(settings.logLevel, process.stderr)
  const relay = createRelay({ ...settings, log, globalCookie: () => userInfo.get().cookie })
  const unwatch = await followUserInfo(userInfo, log)
  try {
    const { left, close } = await serveTools({ relay, input: process.stdin, output: process.stdout, bug: (err) => { log.error({ err }, 'bug') } })
    if (process.stdin.isTTY) process.stderr.write('This speaks a protocol for programs; let an agent start it. docs/agents.md shows how.\n')
    signal.addEventListener('abort', () => { void close() }, { once: true })
    if (signal.aborted) void close()
    await left
    return 0
  } finally {
    unwatch()
    await relay.close()
  }
}
