/** How the upstream does, as this relay has seen it: for people and watchers, beside the documented interface. */
import type { FastifyInstance } from 'fastify'
import type { RelayCore } from '../relay.ts'

export const upstreamHealthPath = '/health/upstream'

export function addUpstreamHealth (app: FastifyInstance, { drift }: RelayCore): void {
  app.get(upstreamHealthPath, { schema: { hide: true } }, async (_request, reply) => {
    await reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(JSON.stringify(drift.health()))
  })
}
