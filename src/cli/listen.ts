/** Listens for connections, on each address of `localhost`. */
import dns from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../core/config.ts'

/**
 * Number of connections that wait to be accepted. It does not depend on the limit of connections, because those above it
 * are to be closed: when this queue overflows, Linux may forget a connection that its client believes to be open. The
 * system lowers it to its own limit.
 */
const backlog = 4096

/**
 * Listens on the host and port of the settings, and returns the port. `localhost` has two addresses on most machines. For
 * the second, the framework would create a server without the limits and handlers of the first. Here it only accepts
 * connections, and the first server answers them.
 */
export async function listen (app: FastifyInstance, { host, port }: Pick<Settings, 'host' | 'port'>): Promise<number> {
  const found = host === 'localhost' ? await dns.lookup(host, { all: true }) : []
  const [first = host, ...others] = new Set(found.map(({ address }) => address))
  // The framework waits for the connections of the first address only.
  app.addHook('onClose', async () => {
    const further = [...app.acceptors].filter((server) => server !== app.server)
    await Promise.all(further.map(async (server) => { await new Promise((resolve) => { server.close(resolve) }) }))
  })
  await app.listen({ host: first, port, backlog })
  const bound = (app.server.address() as AddressInfo).port
  for (const address of others) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => { app.server.emit('connection', socket) })
    try {
      await once(server.listen({ host: address, port: bound, backlog }), 'listening')
      app.acceptors.add(server.on('error', app.openFailed))
    } catch {
      // The machine knows the name of this address, but does not have it, or another program has its port.
    }
  }
  return bound
}
