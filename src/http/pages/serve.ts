/** How pages are sent: nothing from elsewhere runs on them, nobody frames or keeps them. */
import type { FastifyInstance, FastifyReply } from 'fastify'

export type PageFile = readonly [type: 'text/html' | 'text/javascript' | 'text/css', text: string]

/** Files by path. `also` is what the page may load besides its own script, style and answers, as policy directives by name. */
export function addPage (app: FastifyInstance, files: Readonly<Record<string, PageFile>>, also: Readonly<Partial<Record<'img-src' | 'media-src', string>>>): void {
  const headers = {
    'content-security-policy': [
      "default-src 'none'", "script-src 'self'", "style-src 'self'",
      ...Object.entries(also).map(([name, sources]) => `${name} ${sources}`),
      "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
    ].join('; '),
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store'
  }
  for (const [path, [type, text]] of Object.entries(files)) {
    app.get(path, async (_request, reply: FastifyReply) => {
      await reply.headers(headers).type(`${type}; charset=utf-8`).send(text)
    })
  }
}
