import type { FastifyInstance } from 'fastify'
import type { Catalogue } from './catalogue/types.ts'

export interface PageOptions {
  catalogue: () => Catalogue
  secret: string
  now: () => number
}

/** The demo's own pages, on every Host that is not an upstream one. */
export async function ownPages (app: FastifyInstance, { catalogue }: PageOptions): Promise<void> {
  app.get('/', async (_request, reply) => {
    const { singers, albums, songs, charts, playlists } = catalogue()
    reply.type('text/plain; charset=utf-8')
    return `Demo upstream: ${singers.length} singers, ${albums.length} albums, ${songs.length} songs, ${charts.length} charts, ${playlists.length} playlists.\n`
  })
}
