/** For supervisors, balancers and people: whether the process lives, whether it should be sent requests, how the upstream does. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { RelayError } from '../errors.ts'
import type { RelayCore } from '../relay.ts'
import { unkeptJson } from './headers.ts'

export const healthPaths = ['/health/live', '/health/ready', '/health/upstream'] as const

const probes: ReadonlySet<unknown> = new Set(['/health/live', '/health/ready'])

/** For supervisors and balancers. These two answer whoever asks, as often as they ask: no token, no Host check, no limit. They tell nothing else. */
export function isProbe (route: string | undefined): boolean {
  return probes.has(route)
}

/** `leaving` says whether the relay is about to stop. */
export function addHealth (app: FastifyInstance, { drift, upstream }: RelayCore, leaving: () => boolean): void {
  app.get('/health/live', async (_request, reply) => { await send(reply, { status: 'live' }) })
  app.get('/health/ready', async (_request, reply) => {
    if (leaving()) throw new RelayError('STOPPING', 'The relay is stopping.', { retryAfter: 5 })
    const wait = upstream.waitSeconds()
    if (wait > 0) throw new RelayError('UPSTREAM_PAUSED', 'No host of the upstream may be asked now.', { retryAfter: wait })
    await send(reply, { status: 'ready' })
  })
  app.get('/health/upstream', async (_request, reply) => { await send(reply, drift.health()) })
}

async function send (reply: FastifyReply, body: unknown): Promise<void> {
  await reply.headers(unkeptJson).send(JSON.stringify(body))
}
