/**
 * Connections that do not live for ever: a connection in steady use would never notice that its host has moved. (The
 * pool's own limit of this kind, `clientTtl`, can spin for ever when all its connections are busy and old.)
 */
import { Agent } from 'undici'

/** So long connections are used; with what is left to do on them that is within the minute. Milliseconds. */
const longestUse = 50_000

export interface Agents {
  /** The one for new requests. */
  current (): Agent
  /** Destroys what is in flight. */
  close (): Promise<void>
}

/** `now`: milliseconds that never run backwards. */
export function createAgents (options: Agent.Options, now: () => number = () => performance.now()): Agents {
  let agent = new Agent(options)
  let since = now()
  /** They end what they have begun. */
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
