/**
 * Replaces the connection pool regularly: a connection in steady use would never notice that its host has moved.
 * (The pool's own limit of this kind, `clientTtl`, can spin forever when all its connections are busy and old.)
 */
// Import the file: for the bare package name Bun substitutes its own module, which has no agents.
import { Agent } from 'undici/index.js'

/** How long a pool accepts new requests. Those in flight then still end within the minute. Milliseconds. */
const longestUse = 50_000

/** A pool that is replaced when it gets old. */
export interface Agents {
  /** Returns the pool for new requests. */
  current (): Agent
  /** Aborts everything in flight and closes all pools. */
  close (): Promise<void>
}

/** Creates the first pool. `now` returns milliseconds of a monotonic clock. */
export function createAgents (options: Agent.Options, now: () => number = () => performance.now()): Agents {
  let agent = new Agent(options)
  let since = now()
  /** Replaced pools that still have requests in flight. */
  const leaving = new Set<Agent>()
  return {
    current () {
      if (now() - since > longestUse) {
        const old = agent
        leaving.add(old)
        old.close().catch(() => {}).finally(() => { leaving.delete(old) })
        agent = new Agent(options)
        since = now()
      }
      return agent
    },
    async close () { await Promise.all([agent, ...leaving].map(async (one) => { await one.destroy() })) }
  }
}
