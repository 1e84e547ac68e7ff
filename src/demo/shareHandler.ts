import type { Asked, HostHandler } from './hostHandler.ts'
import type { HttpFault } from './faults.ts'
import { pagesHandler } from './pagesHandler.ts'

const redirect = (location: string): HttpFault => ({
  status: 302,
  headers: { 'content-type': 'text/html', location },
  body: ''
})

/** Redirects to the site for all clients except phones (observed 2026-08 and 2026-09). */
const toSite = (kind: string, ...parameters: readonly string[]) => ({ query }: Asked): HttpFault =>
  redirect(`https://y.qq.com/n/ryqq_v2/${kind}/${parameters.map((name) => query[name]).find((value) => value !== undefined) ?? ''}`)

/** The pages that phones share. Clients that follow all redirects arrive here. */
export const shareHandler: HostHandler = pagesHandler({
  '/v8/playsong.html': toSite('songDetail', 'songmid', 'songid'),
  '/n2/m/share/details/album.html': toSite('albumDetail', 'albummid', 'albumId'),
  '/n2/m/share/details/taoge.html': ({ query }) =>
    redirect(`https://i2.y.qq.com/n3/other/pages/details/playlist.html?id=${query['id'] ?? ''}&redirect_from=node_v2`),
  '/n3/other/pages/details/playlist.html': toSite('playlist', 'id', 'disstid'),
  '/n3/other/pages/details/singer.html': toSite('singer', 'singermid')
})
