import { classicHandler } from './classic.ts'
import { notFound, type Asked, type Entered, type HostHandler } from './hostHandler.ts'
import { loginHandlers } from './loginHandlers.ts'
import { musicuHandler } from './musicu.ts'
import { shareHandler } from './shareHandler.ts'
import { siteHandler } from './siteHandler.ts'

/** One request handler per upstream host. Several hosts answer the same calls. */
const handlers: Record<string, HostHandler> = {
  'y.qq.com': siteHandler,
  'u.y.qq.com': musicuHandler,
  'szu.y.qq.com': musicuHandler,
  'shu.y.qq.com': musicuHandler,
  'i.y.qq.com': shareHandler,
  'i2.y.qq.com': shareHandler,
  'c.y.qq.com': classicHandler,
  'c6.y.qq.com': classicHandler,
  ...loginHandlers
}

/** Hosts of the upstream. Any other Host gets the demo's own pages, and so does the host of the picture server. */
export const upstreamHosts = /^[\w.-]+\.qq\.com(:\d+)?$/

/** Passes a request to the handler of its host. An unknown host answers 404. */
export function enter (asked: Asked): Entered {
  const handler = handlers[asked.host]
  return handler ? handler(asked) : { calls: [asked.path], body: asked.text || undefined, answer: async () => notFound }
}
