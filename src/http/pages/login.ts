/** The page /login, where a person logs in with a phone. It uses the same endpoints as everybody else. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Settings } from '../../config.ts'
import { scanPagesOf } from '../../login/scan.ts'
import { loginHtml } from './loginHtml.ts'
import { loginScript } from './loginScript.ts'
import { loginStyle } from './loginStyle.ts'

/** A cookie is shown on it: nothing from elsewhere runs, nothing leaves for elsewhere, nobody frames or keeps it. */
const headers = {
  'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store'
} as const

export const loginPaths = ['/login', '/login/script.js', '/login/style.css'] as const

export function addLoginPage (app: FastifyInstance, settings: Settings): void {
  const files: Readonly<Record<typeof loginPaths[number], readonly [type: string, text: string]>> = {
    '/login': ['text/html', loginHtml({ scanPages: scanPagesOf(settings.upstreamOrigin) })],
    '/login/script.js': ['text/javascript', loginScript],
    '/login/style.css': ['text/css', loginStyle]
  }
  for (const [path, [type, text]] of Object.entries(files)) {
    app.get(path, { schema: { hide: true } }, async (_request, reply: FastifyReply) => {
      await reply.headers(headers).type(`${type}; charset=utf-8`).send(text)
    })
  }
}
