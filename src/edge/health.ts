/** Health checks for supervisors, load balancers and people: liveness, readiness, and the state of the upstream. */
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { RelayError } from '../common/errors.ts'
import { relayStopping } from '../common/kinds.ts'
import { countsByState, type AccountBook, type StoredLoginState } from '../relay/accountBook.ts'
import { hosts } from '../upstream/http/origins.ts'
import { privateJson } from './headers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * A health check for supervisors and load balancers, which reveals only this state: it needs no access token, Host
     * check and rate limit.
     */
    probe?: true
  }
}

const plugin: FastifyPluginAsync = async (app) => {
  const { upstream: { calls, monitor }, accounts, settings, store } = app.runtime
  const options = { config: { probe: true } } as const
  app.get('/health/live', options, async (_request, reply) => { await send(reply, { status: 'live' }) })
  app.get('/health/ready', options, async (_request, reply) => {
    if (app.stopping()) throw relayStopping()
    const wait = calls.waitSeconds()
    if (wait > 0) throw new RelayError('UPSTREAM_PAUSED', 'No host of the upstream is available now.', { retryAfter: wait })
    await send(reply, { status: 'ready' })
  })
  app.get('/health/upstream', async (_request, reply) => {
    await send(reply, {
      ...monitor.health(),
      hosts: calls.hostStates().map(({ host, state }) => ({ host: hosts[host], state })),
      ...settings.upstreamProxy.length === 0 ? {} : { proxy: true },
      ...store === undefined ? {} : { sharedStore: store.isUp() ? 'up' : 'down' },
      ...accounts === undefined ? {} : { accounts: accountsHealth(accounts) }
    })
  })
}

/** The stored accounts, without names, because everybody who can reach the relay may see this. */
interface AccountsHealth extends Readonly<Record<StoredLoginState, number>> {
  /** ISO time at which the first key expires. Absent if unknown. */
  readonly firstExpiry?: string
}

function accountsHealth (accounts: AccountBook): AccountsHealth {
  const states = accounts.states()
  const expiries = states.flatMap(({ expiresAt }) => expiresAt ?? [])
  return {
    ...countsByState(states),
    ...expiries.length === 0 ? {} : { firstExpiry: new Date(1000 * Math.min(...expiries)).toISOString() }
  }
}

async function send (reply: FastifyReply, body: unknown): Promise<void> {
  await reply.headers(privateJson).send(JSON.stringify(body))
}

export const health = fp(plugin, { name: 'health', dependencies: ['headers', 'refusals', 'shutdown'] })
