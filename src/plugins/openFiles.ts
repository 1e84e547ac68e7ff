/**
 * The process keeps running when too many files are open to accept a connection or open a file. The log explains the
 * solution, at most once a second.
 */
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { oncePerSecond } from './logging.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Logs that a connection or file could not be opened, at most once a second. */
    openFailed (error: unknown): void
  }
}

const plugin: FastifyPluginAsync = async (app) => {
  const sampled = oncePerSecond(app.runtime.now)
  app.decorate('openFailed', (error: unknown) => {
    const unlogged = sampled()
    if (unlogged === undefined) return
    app.log.warn(
      { err: error, ...(unlogged === 0 ? {} : { unlogged }) },
      'connections and files cannot be opened; if too many are open (EMFILE), raise the limit of open files (LimitNOFILE of systemd, ulimit -n) or lower MAX_CONNECTIONS'
    )
  })
  // Only from now on. Before, an error means that the server does not listen, and its caller gets the error.
  app.addHook('onListen', async () => { app.server.on('error', app.openFailed) })
}

export const openFiles = fp(plugin, { name: 'open-files', fastify: '5.x', dependencies: ['logging'], decorators: { fastify: ['runtime'] } })
